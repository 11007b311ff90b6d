"""Matrices drawn side by side over several lines: rows between brackets or bars, with a sign between two of them.

Arrives: plain text. Leaves: for each drawing the places of what stands before, between and behind its matrices, and of
the rows of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Range = tuple[int, int]

_INSIDE: Final = r"[-+−0-9.,/√∞eE \t]{1,200}"
_ROW: Final = re.compile(
    rf"\[{_INSIDE}\]|\|{_INSIDE}\||│{_INSIDE}│|[⎡⎢⎣]{_INSIDE}[⎤⎥⎦]|[┌│└]{_INSIDE}[┐│┘]|[⎛⎜⎝]{_INSIDE}[⎞⎟⎠]"
)
_ASKS: Final = re.compile(r"[=≈:]\s*$")
_NUMBER: Final = re.compile(r"[-−+]?\d{1,12}(?:\.\d{1,20})?|[-−]?\.\d{1,20}|[-−]?(?:∞|inf)")
_LINE: Final = re.compile(r"[^\n]*\n?")
MOST_LINES: Final = 64
MOST_DRAWINGS: Final = 100


@dataclass(frozen=True, slots=True)
class Drawing:
    """Matrices side by side: `rows` are the places of the rows of each, `beside` those of the words and signs.

    `beside` has one place more than there are matrices: before each of them, and behind the last. `bare` says that the
    rows have nothing around them.
    """

    start: int
    end: int
    rows: tuple[tuple[Range, ...], ...]
    beside: tuple[Range, ...]
    bare: bool = False


def drawings(text: str) -> Iterator[Drawing]:
    r"""The drawings of a text, in order; of very many the first ones.

    >>> found, = drawings("[1 0]   [1]   [1]\n[0 1] x [2] = [2]\n")
    >>> [text_rows[0] for text_rows in found.rows], len(found.beside)
    ([(0, 5), (8, 11), (14, 17)], 4)
    """
    if text.count("\n") == 0:
        return
    lines = [(m.start(), m.end(), _rows_of(m[0].rstrip("\n"), m.start())) for m in _LINE.finditer(text) if m[0]]
    at = told = 0
    while at + 1 < len(lines) and told < MOST_DRAWINGS:
        count = 1
        while (
            at + count < len(lines)
            and count < MOST_LINES
            and len(lines[at][2]) > 1
            and _line_up(lines[at + count][2], lines[at][2])
        ):
            count += 1
        found = _drawing(text, lines[at : at + count]) if count > 1 else None
        if count == 1:
            found, count = _bare(text, lines, at)
        if found is not None:
            told += 1
            yield found
        at += count if found is not None else 1


def _bare(text: str, lines: Sequence[tuple[int, int, list[Range]]], at: int) -> tuple[Drawing | None, int]:
    """A matrix of bare numbers below a line that ends with a relation: S = QKᵀ =, and then 2 4 4."""
    start, end, _ = lines[at]
    if not _ASKS.search(text, start, end):
        return None, 1
    rows: list[Range] = []
    width = 0
    for low, high, _ in lines[at + 1 : at + 1 + MOST_LINES]:
        numbers = text[low:high].split()
        if len(numbers) < 2 or (width and len(numbers) != width) or not all(map(_NUMBER.fullmatch, numbers)):
            break
        width = len(numbers)
        first = low + len(text[low:high]) - len(text[low:high].lstrip())
        rows.append((first, low + len(text[low:high].rstrip())))
    if len(rows) < 2:
        return None, 1
    last = rows[-1][1]
    beside = ((start, start + len(text[start:end].rstrip())), (last, last))
    return Drawing(start, lines[at + len(rows)][1], (tuple(rows),), beside, bare=True), 1 + len(rows)


def _rows_of(line: str, start: int) -> list[Range]:
    return [(m.start() + start, m.end() + start) for m in _ROW.finditer(line) if any(map(str.isdecimal, m[0]))]


def _offsets(rows: Sequence[Range]) -> list[int]:
    """Where the rows begin, counted from the first of them: a paragraph has lost the blanks before its first line."""
    return [start - rows[0][0] for start, _ in rows]


def _line_up(rows: Sequence[Range], first: Sequence[Range]) -> bool:
    """Whether the rows of a line stand below those of the first one, give or take a blank."""
    both = zip(_offsets(rows), _offsets(first), strict=False)
    return len(rows) == len(first) and all(abs(a - b) <= 1 for a, b in both)


def _told(text: str, low: int, high: int) -> Range:
    """The place of what stands between two rows, without the brackets and commas of the matrices around them."""
    inner = text[low:high].lstrip(" \t],;")
    low = high - len(inner)
    return low, low + len(inner.rstrip(" \t\n[,;"))


def _drawing(text: str, lines: Sequence[tuple[int, int, list[Range]]]) -> Drawing | None:
    gaps = []
    for start, end, rows in lines:
        ends = [start, *(stop for _, stop in rows)]
        starts = [*(begin for begin, _ in rows), end]
        gaps.append(list(zip(ends, starts, strict=True)))
    beside: list[Range] = []
    for places in zip(*gaps, strict=True):
        told = [place for low, high in places if (place := _told(text, low, high))[0] < place[1]]
        if len(told) > 1:
            return None  # each line says something of its own
        beside.append(told[0] if told else (places[0][1], places[0][1]))
    if not any(low < high for low, high in beside[1:-1]):
        return None
    matrices = tuple(zip(*(rows for _, _, rows in lines), strict=True))
    if any(len({text[low:high].count(",") for low, high in rows}) > 1 for rows in matrices):
        return None
    return Drawing(lines[0][0], lines[-1][1], matrices, tuple(beside))
