"""A document as blocks: headings, paragraphs, bullets, formulas, tables, pictures. Formats turn them into text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from symattn.formulas import Formula


@dataclass(frozen=True, slots=True)
class Token:
    """A word from outside, shown verbatim in quotation marks."""

    text: str


@dataclass(frozen=True, slots=True)
class Math:
    """A formula in running text."""

    formula: Formula


@dataclass(frozen=True, slots=True)
class Outside:
    """Other text from outside, such as a title, shown verbatim."""

    text: str


Inline = str | Token | Math | Outside
Inlines = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the document's title."""

    level: int
    inlines: Inlines


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    inlines: Inlines


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that must not be overlooked: a contradiction, a missing matrix."""

    inlines: Inlines


@dataclass(frozen=True, slots=True)
class Display:
    """A formula on a line of its own."""

    formula: Formula


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; each item is a line of text, with formulas displayed under it where there are any."""

    items: tuple[tuple[Inlines, tuple[Formula, ...]], ...]
    style: Literal["bullet", "number"] = "bullet"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a header; `align` has one letter a column, l or r."""

    header: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]
    align: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: the stem of its files, which lie beside the document, what it shows in words, and its SVG."""

    name: str
    alt: str
    svg: bytes


Block = Heading | Paragraph | Note | Display | Bullets | Table | Picture
