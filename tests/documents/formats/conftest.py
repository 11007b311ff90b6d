"""One way to read in these tests: every region is checked against the source before a test looks at it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from symattn.documents.formats import Document, Region, read_document

Reader = Callable[..., Document]


def require_placed(document: Document, region: Region) -> None:
    """Every copied run stands in the source as it does in the region; every other points into the source."""
    source, offsets = document.source, region.offsets
    assert offsets.length == len(region.text)
    assert offsets.starts[0] == 0
    assert list(offsets.starts) == sorted(set(offsets.starts))
    ends = [*offsets.starts[1:], offsets.length]
    for start, end, at, width in zip(offsets.starts, ends, offsets.sources, offsets.widths, strict=True):
        if width == 0:
            written = re.sub("[\0\ue000\ud800-\udfff]", "\ufffd", source[at : at + end - start])
            assert written == region.text[start:end]
        else:
            assert 0 <= at < at + width <= len(source)
    for row in region.rows:
        for cell in row:
            for inner in cell.regions:
                require_placed(document, inner)


@pytest.fixture
def read() -> Reader:
    def checked(content: str | bytes, format: str | None = None, path: str = "-") -> Document:  # noqa: A002
        document = read_document(content, path=path, format=format)
        for region in document.regions:
            require_placed(document, region)
        return document

    return checked


@pytest.fixture
def shown(read: Reader) -> Callable[..., list[tuple[str, str]]]:
    """The kinds and texts of a document's regions."""

    def regions(content: str | bytes, format: str | None = None, path: str = "-") -> list[tuple[str, str]]:  # noqa: A002
        return [(region.kind, region.text) for region in read(content, format, path).regions]

    return regions


@pytest.fixture
def first(read: Reader) -> Callable[..., tuple[int, int, int, int]]:
    """Where a text stands in the file, asked of the first region that holds it."""

    def place(content: str | bytes, text: str, format: str | None = None) -> tuple[int, int, int, int]:  # noqa: A002
        document = read(content, format)
        region = next(region for region in document.regions if text in region.text)
        a = region.text.index(text)
        found = document.locate(region, a, a + len(text))
        return found.line, found.column, found.end_line, found.end_column

    return place
