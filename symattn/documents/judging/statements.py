"""The statements of a document: every chain of relations in its order, with the words before it.

Arrives: a document as regions. Leaves: statements; tables of a document become statements too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from symattn.documents.formats.document import Cell, Document, Region
from symattn.documents.reading.chains import read_math
from symattn.documents.reading.code import read_code, read_prose, read_source
from symattn.documents.reading.tree import Chain, Link, List, Matrix, Name, RelationKind

MATH: Final = frozenset({"math_inline", "math_display"})
CODE: Final = frozenset({"code", "code_inline", "output"})
SOURCES: Final = ("python", "py", "ipython", "python3", "julia", "r", "matlab")
WORDS: Final = 90
"""Characters of the words before a formula that are looked at."""

_ENDS_WITH_RELATION: Final = re.compile(r"(=|≈|≃|≅|:=|→|⇒|->|=>|~=)\s*$")
_SENTENCE_END: Final = re.compile(r"[.。!?！？;；\n]\s*(?=\S)")
_SIGNS: Final[dict[str, RelationKind]] = {"=": "=", "≈": "≈", "≃": "≈", "≅": "≈", "~=": "≈", ":=": ":="}


@dataclass(frozen=True, slots=True)
class Statement:
    """A chain, the region that it stands in, the words before it, and the headings above.

    `given` marks a matrix put together from the cells of a table: what stands in it is never a claim.
    """

    chain: Chain
    region: Region
    words: str
    headings: tuple[str, ...] = ()
    given: bool = False


def statements(document: Document, *, decimal_comma: bool = False) -> Iterator[Statement]:
    """The statements in the order of the document."""
    for block in document.blocks():
        words = ""
        for region in block:
            if region.unreadable:
                continue
            if region.kind == "table":
                yield from _table(region, decimal_comma=decimal_comma)
                words = ""
                continue
            for chain in _chains(region, decimal_comma=decimal_comma):
                yield Statement(_joined(chain, words), region, _before(words, region, chain), region.headings)
                words = "" if region.kind == "math_display" else words
            if region.kind in MATH or region.kind == "code_inline":
                words += " \u2063 "  # a formula stood here
            else:
                words += region.text


def _chains(region: Region, *, decimal_comma: bool) -> tuple[Chain, ...]:
    if region.kind in MATH:
        return read_math(region.text, decimal_comma=decimal_comma)
    if region.kind in CODE:
        info = region.info.split()[0].lower() if region.info.split() else ""
        if info in SOURCES or (region.kind == "code" and info.startswith("python")):
            return read_source(region.text)
        return read_code(region.text, decimal_comma=decimal_comma)
    return read_prose(region.text, decimal_comma=decimal_comma)


def _before(words: str, region: Region, chain: Chain) -> str:
    """The words of the same sentence before a chain."""
    said = words + (region.text[: chain.start] if region.kind not in MATH else "")
    cut = 0
    for match in _SENTENCE_END.finditer(said):
        cut = match.end()
    label = chain.label.text if chain.label is not None else ""
    return (said[cut:][-WORDS:] + " " + label).strip()


def _joined(chain: Chain, words: str) -> Chain:
    """A chain whose first relation stands in the words before it: 'vector = ' and the formula [8.8, 2.45]."""
    found = _ENDS_WITH_RELATION.search(words)
    if found is None or chain.first is None or chain.links:
        return chain
    relation = _SIGNS.get(found[1], "→")
    return replace(chain, first=None, links=(Link(chain.start, chain.start, relation, chain.first),))


# ---- tables --------------------------------------------------------------------------------------------------------


def _table(region: Region, *, decimal_comma: bool) -> Iterator[Statement]:
    """What the cells say one by one, then each column under a name as a matrix, and a grid of numbers as one."""
    grid = [[_cell(cell, decimal_comma=decimal_comma) for cell in row] for row in region.rows]
    for row, cells in zip(grid, region.rows, strict=True):
        said = ""
        for chains, cell in zip(row, cells, strict=True):
            for chain, inner in chains:
                if chain.links:
                    yield Statement(chain, inner, said, region.headings)
            said += " " + cell.text
    yield from _columns(grid, region)


def _cell(cell: Cell, *, decimal_comma: bool) -> list[tuple[Chain, Region]]:
    return [
        (chain, inner)
        for inner in cell.regions
        if not inner.unreadable
        for chain in _chains(inner, decimal_comma=decimal_comma)
    ]


def _columns(grid: list[list[list[tuple[Chain, Region]]]], region: Region) -> Iterator[Statement]:
    """Columns whose header is a name and whose cells are rows of numbers: the rows of a matrix."""
    if len(grid) < 2:
        return
    header, body = grid[0], grid[1:]
    for column, head in enumerate(header):
        name = next((chain.first for chain, _ in head if isinstance(chain.first, Name)), None)
        if name is None or any(column >= len(row) for row in body):
            continue
        found = [_vector(row[column]) for row in body]
        if all(cell is not None for cell in found):
            first = found[0]
            assert first is not None  # noqa: S101
            rows = tuple(cell[0].items for cell in found if cell is not None)
            if len({len(row) for row in rows}) == 1:
                whole = Matrix(first[0].start, first[0].end, rows)
                base = replace(name, sub="", base=name.base.upper() if name.base in "qkv" else name.base)
                chain = Chain(first[0].start, first[0].end, base, (Link(0, 0, "=", whole),))
                yield Statement(chain, first[1], "", region.headings, given=True)


def _vector(chains: list[tuple[Chain, Region]]) -> tuple[List, Region] | None:
    if len(chains) == 1 and isinstance(chains[0][0].first, List) and not chains[0][0].links:
        return chains[0][0].first, chains[0][1]
    return None
