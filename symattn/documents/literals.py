r"""The numbers of a document as they stand on paper, each with its place in the file, and the rows that they form.

Arrives: a document. Leaves: chains region by region, literals in the order of the source, and rows: lists, rows of
matrices, and runs such as $e^{0.7}$, $e^{0}$, $e^{0.7}$.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from symattn.documents.formats.document import Document, Region
from symattn.documents.judging.stages import row_of_words
from symattn.documents.reading.chains import read_math
from symattn.documents.reading.code import read_code, read_prose, read_source
from symattn.documents.reading.decimals import decimal_comma_of
from symattn.documents.reading.tree import (
    Bracketed,
    Call,
    Chain,
    Constant,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Number,
    Power,
    Quotient,
    Text,
    children,
)

_SOURCES: Final = frozenset({"python", "py", "python3", "ipython", "ipython3", "julia", "r", "matlab", "javascript"})
_CODE: Final = frozenset({"code", "code_inline", "output"})
_GIVEN: Final = frozenset({"X", "Q", "K", "V", "W", "E", "x", "q", "k", "v", "w", "d"})
Key = tuple[bool, int, int]


@dataclass(frozen=True, slots=True)
class Literal:
    """A number on paper: where in the source, whether a minus stands before it, and whether it defines a given name."""

    span: tuple[int, int]
    number: Number
    negative: bool = False
    given: bool = False

    @property
    def key(self) -> Key | None:
        """Its sign and its digits, the same for every spelling; None for a repeating decimal."""
        digits = self.number.digits
        return None if digits is None else (self.negative and digits.units != 0, digits.units, digits.places)


@dataclass(frozen=True, slots=True)
class Row:
    """Numbers that stand together; None where something else stands. `index` is which row they are, if that is said."""

    entries: tuple[Literal | None, ...]
    index: int | None = None
    length: int = 0

    @property
    def keys(self) -> tuple[Key | None, ...]:
        """The digits of all entries."""
        return tuple(entry.key if entry else None for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Paper:
    """The literals of a document in the order of the source, its rows, and its matrices of more than one row."""

    literals: tuple[Literal, ...]
    rows: tuple[Row, ...]
    matrices: tuple[tuple[Row, ...], ...] = ()


def uses_decimal_comma(document: Document) -> bool:
    r"""Whether the document writes decimals with a comma, 0,67 or 0{,}67; programs write points and do not count.

    >>> from symattn.documents.formats.load import load_document
    >>> uses_decimal_comma(load_document(r"$0{,}67$ und $1$")), uses_decimal_comma(load_document("$[1,0]$, $0.5$"))
    (True, False)
    """
    regions = [region for region in pieces(document) if not _is_program(region)]
    main = [region.text for region in regions if region.kind not in _CODE]
    return decimal_comma_of(main, [region.text for region in regions if region.kind in _CODE])


def _is_program(region: Region) -> bool:
    return region.kind == "code" and region.info.lower().split(" ")[0] in _SOURCES


def chains_of(region: Region, *, decimal_comma: bool = False) -> tuple[Chain, ...]:
    """The chains of a region by its kind; those of a table stand in its cells."""
    if region.unreadable or region.kind == "table":
        return ()
    if region.kind in ("math_inline", "math_display"):
        return read_math(region.text, decimal_comma=decimal_comma)
    if _is_program(region):
        return read_source(region.text)
    if region.kind in ("code", "code_inline", "output"):
        return read_code(region.text, decimal_comma=decimal_comma)
    return read_prose(region.text, decimal_comma=decimal_comma)


def pieces(document: Document) -> Iterator[Region]:
    """The regions of a document in order, those in the cells of a table in the place of the table."""
    for region in document.regions:
        if region.rows:
            for row in region.rows:
                for cell in row:
                    yield from cell.regions
        else:
            yield region


def paper_of(document: Document) -> Paper:
    """The numbers of a document and their rows."""
    reader = _Reader(decimal_comma=uses_decimal_comma(document))
    for region in pieces(document):
        reader.region(region)
    reader.end_run()
    literals = sorted(reader.literals, key=lambda literal: literal.span)
    return Paper(tuple(literals), tuple(sorted(reader.rows, key=_start)), tuple(reader.matrices))


def _start(row: Row) -> tuple[int, int]:
    return next((entry.span for entry in row.entries if entry), (0, 0))


class _Reader:
    def __init__(self, *, decimal_comma: bool) -> None:
        self.decimal_comma = decimal_comma
        self.literals: list[Literal] = []
        self.rows: list[Row] = []
        self.matrices: list[tuple[Row, ...]] = []
        self.run: list[Literal] = []
        self.run_index: int | None = None
        self.label = ""
        self.block = -1
        self.words = ""

    def region(self, region: Region) -> None:
        if region.block != self.block:
            self.end_run()
            self.block, self.words, self.label = region.block, "", ""
        for chain in chains_of(region, decimal_comma=self.decimal_comma):
            self.chain(region, chain)
        if region.kind not in ("math_inline", "math_display"):
            self.words = (self.words + region.text)[-200:]

    def end_run(self) -> None:
        if len(self.run) > 1:
            self.rows.append(Row(tuple(self.run), self.run_index, 1))
        self.run = []

    def said_index(self, region: Region, chain: Chain) -> int | None:
        """The row that the words before a chain speak of."""
        said = self.words
        if region.kind not in ("math_inline", "math_display"):
            said += region.text[: chain.start]
        index = row_of_words(said[-200:] + " " + (chain.label.text[-80:] if chain.label else ""))
        return None if index is None else index + 1

    def chain(self, region: Region, chain: Chain) -> None:
        given = _is_given(chain)
        said = self.said_index(region, chain)
        index = _index_of(chain.first) or said
        for item in chain.items:
            self.node(region, item, given=given, negative=False)
            self.row(region, item, index)
        exponent = _exponent(chain.first)
        if exponent is not None and (literal := self.literal(region, exponent)):
            label = chain.label.text if chain.label else self.label
            if label != self.label or said != self.run_index:
                self.end_run()
                self.label, self.run_index = label, said
            self.run.append(literal)

    def node(self, region: Region, node: Node, *, given: bool, negative: bool) -> None:
        stack = [(node, negative)]
        while stack:
            at, minus = stack.pop()
            if isinstance(at, Number):
                span = region.offsets.span(at.start, at.end)
                self.literals.append(Literal(span, at, minus, given))
                continue
            stack.extend((child, isinstance(at, Neg)) for child in children(at))

    def row(self, region: Region, item: Node, index: int | None) -> None:
        if isinstance(item, List):
            self.add_row(region, item.items, index, 1)
        elif isinstance(item, Matrix):
            before = len(self.rows)
            for i, cells in enumerate(item.rows, 1):
                self.add_row(region, cells, i if len(item.rows) > 1 else index, len(item.rows))
            rows = tuple(self.rows[before:])
            if len(rows) == len(item.rows) > 1:
                self.matrices.append(rows)
            if len(item.rows) > 1 and item.shape[1] == 1:
                self.add_row(region, [cells[0] for cells in item.rows], index, 1)
        else:
            for child in children(item):
                self.row(region, child, None)

    def add_row(self, region: Region, cells: tuple[Node, ...] | list[Node], index: int | None, length: int) -> None:
        entries = tuple(self.literal(region, cell) for cell in cells)
        if len(entries) > 1 and any(entries):
            self.rows.append(Row(entries, index, length))

    @staticmethod
    def literal(region: Region, node: Node) -> Literal | None:
        """A cell that is a number alone, with its sign, or a number over another: then the one above."""
        negative = False
        while isinstance(node, (Neg, Bracketed, Quotient)):
            negative ^= isinstance(node, Neg)
            node = node.above if isinstance(node, Quotient) else node.inner
        return Literal(region.offsets.span(node.start, node.end), node, negative) if isinstance(node, Number) else None


def _is_given(chain: Chain) -> bool:
    """Whether a chain says only what a given name stands for: X = [..], d_k = 3."""
    first = chain.first
    if not isinstance(first, Name) or first.base not in _GIVEN or not chain.links:
        return False
    return all(isinstance(item, (Name, Matrix, List, Number, Text)) for item in chain.items)


def _index_of(first: Node | None) -> int | None:
    if isinstance(first, Name) and first.indices and first.indices[0].isascii() and first.indices[0].isdigit():
        rest = first.indices[1:]
        if all(part in (":", "·", "*", "j", ".") for part in rest) and len(first.indices[0]) < 5:
            return int(first.indices[0])
    return None


def _exponent(first: Node | None) -> Node | None:
    if isinstance(first, Power) and isinstance(first.base, Constant) and first.base.name == "e":
        return first.exponent
    if isinstance(first, Call) and first.function == "exp" and len(first.arguments) == 1:
        return first.arguments[0]
    return None
