"""A comparison as blocks: the sections, in order, with the pictures that were drawn for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from symattn.rendering.blocks import Block, Picture
from symattn.rendering.comparing.lost import losses
from symattn.rendering.comparing.roots import safe_roots
from symattn.rendering.comparing.sides import opening, side_by_side
from symattn.rendering.comparing.told import Telling

SECTIONS: Final[tuple[tuple[Callable[[Telling], Iterator[Block]], str], ...]] = (
    (opening, ""),
    (side_by_side, "weights"),
    (losses, "losses"),
    (safe_roots, "error-by-root"),
)
"""Each section, and the picture that stands at its end."""


def blocks_of(telling: Telling, pictures: Mapping[str, Picture]) -> Iterator[Block]:
    """The blocks of the whole document, made one after the other."""
    for write, picture in SECTIONS:
        yield from write(telling)
        if picture in pictures:
            yield pictures[picture]
