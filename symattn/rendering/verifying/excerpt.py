"""The piece of a source line around a number, with room for an underline below it.

Arrives: a document and a place. Leaves: an `Excerpt` that keeps to a width, however long or wide the line is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from symattn.documents.formats.document import Document, Place
from symattn.rendering.words import visible

WIDTH: Final = 96
TAB: Final = "    "


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What stands before, at and after a place, as it is shown on one line."""

    before: str
    marked: str
    after: str

    @property
    def underline(self) -> str:
        """Carets under what is marked, counted in cells: a Chinese character takes two."""
        return " " * cell_len(self.before) + "^" * max(1, cell_len(self.marked))


def excerpt(document: Document, place: Place, width: int = WIDTH) -> Excerpt:
    r"""The line of a place, cut on both sides of it where it is longer than `width` cells.

    Of a place over several lines its first is shown. Tabs become spaces, and characters that act unseen are named.

    >>> from symattn.documents.formats.load import load_document
    >>> made = excerpt(load_document("\t总和 = 6.8 okay", format="text"), Place(1, 7, 1, 10))
    >>> print(made.before + made.marked + made.after, made.underline, sep="\n")
    总和 = 6.8 okay
           ^^^
    """
    line = document.line(place.line)
    start = min(max(place.column - 1, 0), len(line))
    end = min(place.end_column - 1, len(line)) if place.end_line == place.line else len(line)
    marked = _fitting(map(_shown, line[start : max(end, start)]), width // 2)
    rest = width - cell_len(marked)
    # no more characters than cells: a line of a megabyte is never walked through
    left = [_shown(c) for c in reversed(line[max(0, start - rest) : start])]
    right = [_shown(c) for c in line[max(end, start) : max(end, start) + rest]]
    widths = [sum(map(cell_len, side)) for side in (left, right)]
    room = max(rest // 2, rest - widths[1])
    before = "".join(reversed([*_taken(left, room, cut=start > rest)]))
    after = "".join(_taken(right, rest - cell_len(before), cut=len(line) - end > rest))
    return Excerpt(before if before.startswith("…") else before.lstrip(), marked, after.rstrip())


def _shown(character: str) -> str:
    return TAB if character == "\t" else visible(character)


def _fitting(parts: Iterable[str], room: int) -> str:
    return "".join(_taken(list(parts), room, cut=False))


def _taken(parts: list[str], room: int, *, cut: bool) -> list[str]:
    """As many parts as there is room for, with dots after them where some are missing."""
    if not cut and sum(map(cell_len, parts)) <= room:
        return parts
    out: list[str] = []
    used = 1  # the dots
    for part in parts:
        used += cell_len(part)
        if used > room:
            break
        out.append(part)
    return [*out, "…"]
