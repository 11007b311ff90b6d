"""A derivation as blocks: the sections, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from symattn.attention.trace import Derivation
from symattn.errors import OptionError
from symattn.rendering.blocks import Block
from symattn.rendering.language import language
from symattn.rendering.latex import LIMIT
from symattn.rendering.options import Options
from symattn.rendering.sections.opening import embedding, opening
from symattn.rendering.sections.output import output
from symattn.rendering.sections.projection import projection
from symattn.rendering.sections.scores import scores
from symattn.rendering.sections.softmax import softmax
from symattn.rendering.sections.story import Story
from symattn.rendering.sections.summary import summary

SECTION_WRITERS: Final[dict[str, Callable[[Story], Iterator[Block]]]] = {
    "embedding": embedding,
    "projection": projection,
    "scores": scores,
    "softmax": softmax,
    "output": output,
    "summary": summary,
}


TOLD: Final = ("exact", "free-dk", "as-written")


def story_of(derivation: Derivation, options: Options) -> Story:
    """The derivation with the language and the sizes that the options choose.

    Raises: OptionError for balls and floats, which have values but no document.
    """
    kind = derivation.arithmetic.name
    if kind not in TOLD:
        raise OptionError(f"a derivation in {kind} arithmetic has no document", expected=f"one of {', '.join(TOLD)}")
    spoken = language(options.language or derivation.spec.language)
    return Story(derivation, spoken, options, None if options.full else LIMIT)


def blocks_of(story: Story) -> Iterator[Block]:
    """The blocks of the whole document, made one after the other."""
    yield from opening(story)
    for name, write in SECTION_WRITERS.items():
        if name in story.options.stages:
            yield from write(story)
