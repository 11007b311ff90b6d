"""Rendering: a derivation in, text in one of the formats out.

Blocks are made once and turned into text by one function a format; a new format is one more row of `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from symattn.errors import OptionError, quoted
from symattn.rendering.latex import LatexWriter
from symattn.rendering.notation import notation_named
from symattn.rendering.options import Options

if TYPE_CHECKING:
    from symattn.attention.trace import Derivation
    from symattn.rendering.blocks import Block
    from symattn.rendering.language import Language

Progress = Callable[[str], None]


def _markdown(blocks: Iterable[Block], writer: LatexWriter, _: Language) -> str:
    from symattn.rendering.markdown import markdown

    return markdown(blocks, writer)


def _tex(blocks: Iterable[Block], writer: LatexWriter, language: Language) -> str:
    from symattn.rendering.tex import tex

    return tex(blocks, writer, language)


def _html(blocks: Iterable[Block], writer: LatexWriter, language: Language) -> str:
    from symattn.rendering.html import html

    return html(blocks, writer, language)


FORMATS: Final[Mapping[str, Callable[[Iterable[Block], LatexWriter, Language], str]]] = MappingProxyType(
    {"md": _markdown, "tex": _tex, "html": _html}
)


def render(derivation: Derivation, to: str = "md", *, progress: Progress | None = None, **choices: Any) -> str:
    r"""The derivation as text: Markdown ("md"), TeX ("tex") or HTML ("html").

    `choices` are those of `Options`: language, notation, expand, places, stages, worksheet, full. `progress` is called
    with the kind of each block as it is made.
    Raises: OptionError for an unknown format or choice.

    >>> from symattn import derive, load_spec
    >>> text = render(derive(load_spec()), "md", language="en", stages=("scores",))
    >>> "2\\times 1+0\\times 0+1\\times 1=3" in text
    True
    """
    if to not in FORMATS:
        raise OptionError(f"unknown format {quoted(to)}", expected=f"one of {', '.join(FORMATS)}")
    try:
        options = Options(**choices)
    except TypeError as error:
        known = ", ".join(Options.__dataclass_fields__)
        raise OptionError(f"unknown choice in {', '.join(choices)}", expected=f"some of {known}") from error
    from symattn.rendering.document import blocks_of, story_of

    story = story_of(derivation, options)
    writer = LatexWriter(
        notation_named(options.notation),
        limit=story.limit,
        blank=options.worksheet == "blank",
        target="xelatex" if to == "tex" else "portable",
    )
    return FORMATS[to](_told(blocks_of(story), progress), writer, story.language)


def _told(blocks: Iterator[Block], progress: Progress | None) -> Iterator[Block]:
    for block in blocks:
        if progress is not None:
            progress(type(block).__name__)
        yield block
