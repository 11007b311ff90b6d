"""Tables as grids of cells in one text: those of a document, and those that a program printed.

Arrives: a table of a document, or lines of output. Leaves: a `Grid`: one region in which all cells stand, and what each
of them says, with places in the text of that region. So one statement may speak of many cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, TypeVar

from symattn.documents.formats.document import Cell, Region
from symattn.documents.formats.offsets import Placed, Weaver
from symattn.documents.judging.cells import has_names, is_entry, last
from symattn.documents.reading.chains import read_math
from symattn.documents.reading.code import read_code
from symattn.documents.reading.tree import Blank, Chain, Elided, List, Matrix, Node, Operation, Text

EntryKind = Literal["number", "blank", "list", "chain", "formula", "words"]
MOST_CELLS: Final = 10_000
WIDEST: Final = 100

_BLANK: Final = re.compile(r"\s*(?:[-–—−_?·.]*|n/?a|\\_+)\s*", re.IGNORECASE)
_DOTS: Final = re.compile(r"…|\.\.\.|⋯|⋮|⋱")
_COMMA: Final = re.compile(r"[-−]?\d+,(\d+) ?%?")
_POINT: Final = re.compile(r"\d\.\d")
_NUMBER: Final = re.compile(r"[-−+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?%?|[-−+]?(?:inf|∞)|NaN", re.IGNORECASE)
_LABEL: Final = re.compile(r"[^\s=≈→\[\](){},;:|+*/]+")
_THOUSANDS: Final = 3

N = TypeVar("N", bound=Node)


@dataclass(frozen=True, slots=True)
class Entry:
    """A cell: its words, what it says where that is one thing, and all the chains that stand in it."""

    text: str
    kind: EntryKind
    node: Node | None = None
    chains: tuple[Chain, ...] = ()
    header: bool = False
    math: bool = False

    @property
    def is_number(self) -> bool:
        """Whether a number stands here, or is to be filled in."""
        return self.kind in {"number", "blank"} or (self.kind == "chain" and self.value is not None)

    @property
    def value(self) -> Node | None:
        """The result that the cell shows: a number or a list."""
        if self.node is None or self.kind in {"formula", "words"}:
            return None
        found = last(self.node)
        return found if is_entry(found) or isinstance(found, List) else None


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells, all of one length, and the region whose text they stand in."""

    region: Region
    rows: tuple[tuple[Entry, ...], ...]


def moved(node: N, place: Callable[[int], int]) -> N:
    """The tree with every place put elsewhere.

    >>> moved(Blank(1, 2), lambda at: at + 10)
    Blank(start=11, end=12)
    """
    changed: dict[str, Any] = {"start": place(node.start), "end": place(node.end)}
    for one in fields(node):
        if one.name not in changed:
            changed[one.name] = _moved(getattr(node, one.name), place)
    return replace(node, **changed)


def _moved(value: Any, place: Callable[[int], int]) -> Any:
    if isinstance(value, Node):
        return moved(value, place)
    return tuple(_moved(item, place) for item in value) if isinstance(value, tuple) else value


def placeless(node: N) -> N:
    """The tree without places: two spellings of one thing are equal.

    >>> placeless(Blank(1, 2)) == placeless(Blank(5, 6))
    True
    """
    return moved(node, lambda _: 0)


def grid_of_table(region: Region, *, decimal_comma: bool = False) -> Grid | None:
    """The cells of a table in one text; None where its rows are of different lengths."""
    rows = [row for row in region.rows if any(cell.regions for cell in row)]
    width = max((len(row) for row in rows), default=0)
    if len(rows) < 2 or not width or len(rows) * width > MOST_CELLS or any(len(row) != width for row in rows):
        return None
    comma = decimal_comma or _has_decimal_commas(rows)
    weaver = Weaver()
    end = region.offsets.start(0)
    told: list[tuple[Entry, ...]] = []
    for row in rows:
        entries = []
        for cell in row:
            entries.append(_entry(cell, weaver, end, decimal_comma=comma))
            end = cell.regions[-1].offsets.start(len(cell.regions[-1].text)) if cell.regions else end
            weaver.put("\t", end, end)
        told.append(tuple(entries))
    woven = weaver.finish(at=end)
    joined = replace(region, text=woven.text, offsets=woven.offsets, rows=())
    return Grid(joined, tuple(told))


def _has_decimal_commas(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether single numbers in the cells are written 0,85, and none is written 0.85."""
    texts = [cell.text.strip() for row in rows for cell in row]
    behind = [len(match[1]) for match in map(_COMMA.fullmatch, texts) if match]
    return any(count != _THOUSANDS for count in behind) and not any(map(_POINT.search, texts))


def _entry(cell: Cell, weaver: Weaver, at: int, *, decimal_comma: bool) -> Entry:
    start = weaver.length
    chains: list[Chain] = []
    told = [region for region in cell.regions if region.text.strip()]
    for region in cell.regions:
        base = weaver.length
        weaver.copy(Placed(region.text, region.offsets))
        if region.unreadable or not region.text.strip():
            continue
        read = read_math if region.kind in {"math_inline", "math_display"} else read_code
        found = read(region.text, decimal_comma=decimal_comma)
        chains += [moved(chain, lambda offset, base=base: offset + base) for chain in found]  # type: ignore[misc]
    if weaver.length == start:
        weaver.put(" ", at, at)
    text = "".join(region.text for region in told)
    math = any(region.kind in {"math_inline", "math_display"} for region in told)
    kind, node = _said(text.strip(), chains, start, weaver.length, alone=len(told) < 2)
    return Entry(text.strip(), kind, node, tuple(chains), cell.header, math)


def _said(text: str, chains: Sequence[Chain], start: int, end: int, *, alone: bool) -> tuple[EntryKind, Node | None]:
    if _DOTS.fullmatch(text):
        return "blank", Elided(start, end)
    if _BLANK.fullmatch(text):
        return "blank", Blank(start, end)
    if len(chains) != 1 or not alone:
        return "words", None
    chain = chains[0]
    if chain.label is not None or chain.notes or chain.unread or chain.first is None:
        return "words", None
    if chain.links:
        told = is_entry(last(chain)) or _listed(last(chain)) is not None
        return ("chain", chain) if told and not has_names(last(chain)) else ("words", None)
    node = chain.first
    if is_entry(node):
        return "number", node
    as_list = _listed(node)
    if as_list is not None:
        return "list", as_list
    if isinstance(node, (Text, Operation)) or has_names(node):
        return "words", None
    return "formula", node


def _listed(node: Node) -> List | None:
    """A row of numbers, or a column written so."""
    if isinstance(node, Matrix):
        n, m = node.shape
        items = node.rows[0] if n == 1 else tuple(row[0] for row in node.rows) if m == 1 else ()
        node = List(node.start, node.end, items) if items else node
    return node if isinstance(node, List) and node.items and all(map(is_entry, node.items)) else None


# ---- what a program printed ----------------------------------------------------------------------------------------


def printed_grids(region: Region) -> tuple[list[Grid], Region]:
    """The frames printed in a region, a line of labels above rows of a label and numbers; and what is left beside them.

    The region that is left has the same places, with blanks where the frames stood.
    """
    lines = list(re.finditer(r"[^\n]+", region.text))
    grids: list[Grid] = []
    left: list[str] = []
    done = at = 0
    while at + 1 < len(lines):
        rows = _frame(lines, at)
        if rows:
            grids.append(Grid(replace(region, rows=()), tuple(_printed(rows, region.text))))
            a, b = lines[at].start(), lines[at + len(rows) - 1].end()
            left += [region.text[done:a], re.sub(r"[^\n]", " ", region.text[a:b])]
            done = b
        at += len(rows) or 1
    return grids, replace(region, text="".join([*left, region.text[done:]])) if grids else region


def _frame(lines: Sequence[re.Match[str]], at: int) -> list[list[tuple[int, int]]]:
    """The places of the cells of a frame that begins at a line: its labels, then rows that go on right below it."""
    words = lines[at][0].split()
    width = len(words)
    if not 2 <= width <= WIDEST or not (_are_labels(words) or _counts(words)):
        return []
    head = [(m.start() + lines[at].start(), m.end() + lines[at].start()) for m in re.finditer(r"\S+", lines[at][0])]
    rows: list[list[tuple[int, int]]] = [[(lines[at].start(), lines[at].start()), *head]]
    for k in range(at + 1, len(lines)):
        line = lines[k]
        if line.start() - lines[k - 1].end() != 1 or len(rows) * width > MOST_CELLS:
            break
        cells = [(m.start() + line.start(), m.end() + line.start()) for m in re.finditer(r"\S+", line[0])]
        told = line[0].split()
        numbers, label = told[-width:], told[:-width]
        if not label or not all(map(_NUMBER.fullmatch, numbers)) or not all(map(_LABEL.fullmatch, label)):
            break
        if any(map(_NUMBER.fullmatch, label[1:])):
            break
        rows.append([(cells[0][0], cells[len(label) - 1][1]), *cells[-width:]])
    return rows if len(rows) > 2 else []


def _are_labels(words: Sequence[str]) -> bool:
    return all(_LABEL.fullmatch(word) and not _NUMBER.fullmatch(word) for word in words)


def _counts(words: Sequence[str]) -> bool:
    return list(words) in ([str(i) for i in range(len(words))], [str(i + 1) for i in range(len(words))])


def _printed(rows: Sequence[Sequence[tuple[int, int]]], text: str) -> Iterator[tuple[Entry, ...]]:
    for i, row in enumerate(rows):
        yield tuple(_printed_entry(text, *place, label=i == 0 or j == 0) for j, place in enumerate(row))


def _printed_entry(text: str, start: int, end: int, *, label: bool) -> Entry:
    told = text[start:end]
    if told == "NaN":
        return Entry(told, "blank", Blank(start, end))
    chains = tuple(moved(chain, lambda at: at + start) for chain in read_code(told))
    if label:
        return Entry(told, "words", None, chains, header=True)
    kind, node = _said(told, chains, start, end, alone=True)
    return Entry(told, kind, node, chains)
