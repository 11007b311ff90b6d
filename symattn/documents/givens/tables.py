"""Tables of a document as matrices.

Arrives: the rows of a table. Leaves: `Given`s: vectors under Query, Key, Value; columns or rows named Q1, Q2; a matrix
under a heading, with tokens as rows or as columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from symattn.documents.formats.document import Cell, Document, Place, Region
from symattn.documents.givens.entries import Rows, entry_of, table_of, turned
from symattn.documents.givens.records import Given
from symattn.documents.givens.roles import LETTERS, role_of_words, word_of
from symattn.documents.literals import chains_of
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.tree import Node

_INDEXED: Final = re.compile(r"\s*([A-Za-z])[\s_]*\{?\s*(\d{1,4}|[A-Za-z]\w*)\}?\s*$")
_DIMENSION: Final = re.compile(r"\s*(?:dim|d|维|維|차원|dimension|f|feature|e)?[\s_.-]*\d{1,4}\s*$", re.IGNORECASE)
_PLAIN: Final = re.compile(r"\s*[-−]?\d{1,40}(?:\.\d{1,40})?\s*")


def table_givens(document: Document, region: Region, said: str, *, decimal_comma: bool = False) -> list[Given]:
    """The matrices of a table; `said` is the role that the words above it speak of."""
    rows = [row for row in region.rows if any(cell.regions for cell in row)]
    width = max((len(row) for row in rows), default=0)
    if len(rows) < 2 or width < 2 or any(len(row) != width for row in rows):
        return []
    reader = _Table(document, region, rows, decimal_comma=decimal_comma)
    return reader.vectors() or reader.by_columns() or reader.by_rows() or reader.grid(said)


class _Table:
    def __init__(
        self, document: Document, region: Region, rows: Sequence[Sequence[Cell]], *, decimal_comma: bool
    ) -> None:
        self.document = document
        self.region = region
        self.decimal_comma = decimal_comma
        self.head, self.body = rows[0], rows[1:]
        self.labels = tuple(word_of(row[0].text) for row in self.body)

    def place(self, cell: Cell) -> Place:
        region = cell.regions[0] if cell.regions else self.region
        return self.document.locate(region, 0, len(region.text))

    def values(self, cell: Cell) -> Node | None:
        """The one formula of a cell."""
        found = [
            c.items[0]
            for r in cell.regions
            for c in chains_of(r, decimal_comma=self.decimal_comma)
            if c.items and not c.links
        ]
        texts = [r.text for r in cell.regions if r.text.strip()]
        if not found and len(texts) == 1 and _PLAIN.fullmatch(texts[0]):
            return read_chain(texts[0]).first
        return found[0] if len(found) == 1 else None

    def vectors(self) -> list[Given]:
        """| Token | Query q_i | Key k_i |, with a vector in each cell."""
        out = []
        for column, head in enumerate(self.head[1:], 1):
            tables = [table_of(node) if (node := self.values(row[column])) else None for row in self.body]
            rows = [table[0][0] for table in tables if table is not None and len(table[0]) == 1]
            role = role_of_words(head.text)
            if role and len(rows) == len(self.body) and len({len(row) for row in rows}) == 1:
                out.append(Given(role, tuple(rows), self.place(self.body[0][column]), labels=self.labels))
        return out

    def scalars(self) -> Rows | None:
        """The cells without the first row and column, if all are numbers."""
        out = []
        for row in self.body:
            nodes = [self.values(cell) for cell in row[1:]]
            entries = [entry_of(node) if node is not None else None for node in nodes]
            if any(entry is None or (isinstance(entry, str) and not entry[:1].isdigit()) for entry in entries):
                return None
            out.append(tuple(entry for entry in entries if entry is not None))
        return tuple(out)

    def by_columns(self) -> list[Given]:
        return self.indexed([cell.text for cell in self.head[1:]], flip=True)

    def by_rows(self) -> list[Given]:
        return self.indexed([row[0].text for row in self.body], flip=False)

    def indexed(self, names: Sequence[str], *, flip: bool) -> list[Given]:
        """Q1, Q2, ... over the columns or before the rows."""
        matches = [_INDEXED.match(name) for name in names]
        letters = {match[1] for match in matches if match}
        scalars = self.scalars()
        if scalars is None or len(letters) != 1 or not all(matches):
            return []
        letter = letters.pop()
        role = LETTERS.get(letter.lower()) or ("X" if letter.lower() == "x" else "")
        if not role or (letter.lower() == "d" and not flip):
            return []
        place = self.place(self.body[0][1])
        if flip and not all(not label or _DIMENSION.match(label) for label in self.labels):
            return [Given(role, scalars, place, labels=self.labels)]  # words beside the rows: x1, x2 are components
        return [Given(role, turned(scalars) if flip else scalars, place)]

    def grid(self, said: str) -> list[Given]:
        """Numbers beside labels, under a heading or a corner that names the matrix."""
        scalars = self.scalars()
        role = role_of_words(self.head[0].text) or said
        if scalars is None or not role:
            return []
        heads = [cell.text for cell in self.head[1:]]
        if all(_DIMENSION.match(label) for label in self.labels) and not all(_DIMENSION.match(head) for head in heads):
            return [Given(role, turned(scalars), self.place(self.body[0][1]), 2, labels=tuple(map(word_of, heads)))]
        return [Given(role, scalars, self.place(self.body[0][1]), 2, labels=self.labels)]
