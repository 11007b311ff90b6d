"""A comparison as blocks: the sections, in order, with the pictures that were drawn for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from symattn.comparison.beside import Beside
from symattn.comparison.compare import Comparison
from symattn.comparison.free import FreeDk
from symattn.rendering.blocks import Block, Heading, Outside, Paragraph, Picture
from symattn.rendering.comparing.enough import enough
from symattn.rendering.comparing.free import free_d_k
from symattn.rendering.comparing.lost import losses
from symattn.rendering.comparing.machine import machine
from symattn.rendering.comparing.roots import safe_roots
from symattn.rendering.comparing.sides import opening, side_by_side
from symattn.rendering.comparing.told import Telling
from symattn.rendering.comparing.two import two_sides


def _free(telling: Telling, made: Comparison) -> Iterator[Block]:
    if made.free_d_k is not None:
        yield from free_d_k(telling, made.free_d_k)


SECTIONS: Final[tuple[tuple[Callable[[Telling, Comparison], Iterator[Block]], str], ...]] = (
    (opening, ""),
    (side_by_side, "weights"),
    (machine, ""),
    (losses, "losses"),
    (safe_roots, "error-by-root"),
    (enough, ""),
    (_free, "by-d_k"),
)
"""Each section, and the picture that stands at its end."""


def comparison_blocks(telling: Telling, made: Comparison, pictures: Sequence[Picture]) -> Iterator[Block]:
    """The blocks of the whole comparison, made one after the other.

    A picture stands where its name without what follows a dot says.
    """
    drawn = {picture.name.partition(".")[0]: picture for picture in pictures}
    for write, picture in SECTIONS:
        yield from write(telling, made)
        if picture in drawn:
            yield drawn[picture]


def free_blocks(telling: Telling, found: FreeDk) -> Iterator[Block]:
    """The blocks of what a free d_k does, where there is no number to compare with."""
    spec = found.derivation.spec
    title = Outside(spec.title) if spec.title else telling.language.words("untitled")
    yield Heading(1, telling.say("free_title", title=title))
    yield Paragraph(telling.say("free_only"))
    yield from free_d_k(telling, found)


def beside_blocks(telling: Telling, made: Beside) -> Iterator[Block]:
    """The blocks of two derivations side by side."""
    yield from two_sides(telling, made)
