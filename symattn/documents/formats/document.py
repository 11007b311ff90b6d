"""The records of a document that was read: regions in their order, each with its place in the file.

Arrives: a source and the regions found in it. Leaves: `Document`, `Region`, `Cell`, `Note`, `Place`: frozen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeAlias

from symattn.documents.formats.offsets import Offsets

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind: TypeAlias = Literal[
    "heading", "prose", "math_inline", "math_display", "code", "code_inline", "output", "table", "comment"
]
Format: TypeAlias = Literal["markdown", "tex", "notebook", "html", "text", "code"]

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: what stands in it, in order. `header` says that the author marked it as a heading."""

    regions: tuple[Region, ...]
    header: bool = False

    @property
    def text(self) -> str:
        """The running text of the cell, formulas included.

        >>> Cell(()).text
        ''
        """
        return "".join(region.text for region in self.regions)


@dataclass(frozen=True, slots=True)
class Region:
    """A piece of a document of one kind.

    `block` is the same for the pieces of one paragraph, heading, list item, or statement with its comment, so that
    `where $a$ is 3` is three regions of one block. `headings` are the texts of the headings above, outermost first;
    `level` is that of a heading; `info` a fence's info string, a code's language or the name of an output stream;
    `within` says what it stands in (list, quote, table, comment, ...), outermost first; `rows` are the cells of a
    table. `unreadable` says why a region could not be read; then its text is what stands there.
    """

    kind: Kind
    text: str
    offsets: Offsets
    block: int
    headings: tuple[str, ...] = ()
    level: int = 0
    info: str = ""
    within: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a reader of the document should know: what kind, in words, and where in the source."""

    kind: Literal["not_followed", "encoding", "macros", "structure"]
    message: str
    offset: int


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of a file, lines and columns from 1, columns in characters; the end is the column after the last."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Document:
    r"""A document as it was read. `encoding` and `bom` say how the file was written; `source` has no BOM.

    >>> Document("a.md", "markdown", "ab\ncd", ()).place(4)
    (2, 2)
    """

    path: str
    format: Format
    source: str
    regions: tuple[Region, ...]
    notes: tuple[Note, ...] = ()
    encoding: str = "utf-8"
    bom: bool = False
    line_starts: tuple[int, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.line_starts:
            starts = (0, *(match.end() for match in _LINE_END.finditer(self.source)))
            object.__setattr__(self, "line_starts", starts)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset of the source, both from 1; a column counts characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def locate(self, region: Region, a: int, b: int) -> Place:
        """Where region.text[a:b] stands in the file."""
        start, end = region.offsets.span(a, b)
        line, column = self.place(start)
        # the end of a line's last character lies on that line, before its line break
        end_line, end_column = self.place(end - 1) if end > start else (line, column - 1)
        return Place(line, column, end_line, end_column + 1)

    def line(self, number: int) -> str:
        r"""The text of a line, without its line break.

        >>> Document("a.md", "markdown", "ab\r\ncd", ()).line(1)
        'ab'
        """
        starts = self.line_starts
        end = starts[number] if number < len(starts) else len(self.source)
        return self.source[starts[number - 1] : end].rstrip("\r\n")

    def blocks(self) -> Iterator[tuple[Region, ...]]:
        """The regions, those of one paragraph together."""
        for _, regions in groupby(self.regions, key=lambda region: region.block):
            yield tuple(regions)
