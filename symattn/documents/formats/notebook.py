"""Jupyter notebooks read into regions: Markdown cells, code cells, and what the code printed.

Arrives: the text of an .ipynb file. Leaves: regions in the collector, every character placed in the file itself,
through the escapes of its JSON strings.

The standard library's JSON reader is asked for the place of each string, which nbformat does not keep.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, Final

from symattn.documents.formats.html import read_html
from symattn.documents.formats.markdown import read_markdown
from symattn.documents.formats.offsets import Placed, Weaver, whole
from symattn.documents.formats.plain import read_output, read_plain
from symattn.documents.formats.source_code import is_known, read_code
from symattn.errors import ReadError

if TYPE_CHECKING:
    from symattn.documents.formats.collect import Collector

VERSIONS: Final = (3, 4)
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_RICH: Final = ("text/latex", "text/markdown", "text/html", "text/plain")
"""The same result in several forms is read once, in the form that says most."""
_RICH_3: Final = {"latex": "text/latex", "markdown": "text/markdown", "html": "text/html", "text": "text/plain"}


class _String(str):
    """A JSON string and where it stands, without its quotes."""

    __slots__ = ("begin", "end")
    begin: int
    end: int


def read_notebook(text: str, collector: Collector) -> None:
    r"""Add the regions of a notebook to the collector.

    Raises: ReadError for what is no notebook of version 3 or 4.

    >>> from symattn.documents.formats.collect import Collector
    >>> collector = Collector()
    >>> cell = r'{"cell_type": "markdown", "source": ["a\n", "$\\alpha$"]}'
    >>> read_notebook('{"nbformat": 4, "cells": [' + cell + "]}", collector)
    >>> [(region.kind, region.text, region.offsets.start(0)) for region in collector.regions]
    [('prose', 'a\n', 64), ('math_inline', '\\alpha', 72)]
    """
    notebook = _json(text)
    language = _language(notebook)
    reader = _Notebook(whole(text), collector, language)
    for number, cell in enumerate(_cells(notebook), 1):
        if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
            raise ReadError(f"cell {number} of the notebook has no cell_type", expected="a Jupyter notebook")
        reader.cell(cell)


def _json(text: str) -> dict[str, Any]:
    decoder: Any = JSONDecoder()

    def placed_string(source: str, begin: int, strict: bool) -> tuple[str, int]:  # noqa: FBT001
        value, end = scanstring(source, begin, strict)
        placed = _String(value)
        placed.begin, placed.end = begin, end - 1
        return placed, end

    decoder.parse_string = placed_string
    decoder.scan_once = py_make_scanner(decoder)
    try:
        value = decoder.decode(text)
    except JSONDecodeError as error:
        raise ReadError(
            f"not a notebook: {error.msg} at line {error.lineno}, column {error.colno}", expected="JSON"
        ) from None
    except RecursionError:
        raise ReadError("not a notebook: its JSON is nested too deep", expected="a Jupyter notebook") from None
    except ValueError as error:  # a number of too many digits
        raise ReadError(f"not a notebook: {error}", expected="a Jupyter notebook") from None
    if not isinstance(value, dict) or "nbformat" not in value:
        raise ReadError("JSON, but not a notebook: it has no nbformat", expected="a Jupyter notebook")
    return value


def _cells(notebook: dict[str, Any]) -> list[Any]:
    version = notebook["nbformat"]
    if version not in VERSIONS or isinstance(version, (bool, float)):
        raise ReadError(f"a notebook of nbformat {str(version)[:20]}", expected="nbformat 3 or 4")
    if version == 4:
        cells = notebook.get("cells")
    else:
        sheets = notebook.get("worksheets")
        inner = [s.get("cells") for s in sheets if isinstance(s, dict)] if isinstance(sheets, list) else []
        cells = [cell for sheet in inner if isinstance(sheet, list) for cell in sheet] if inner else None
    if not isinstance(cells, list):
        raise ReadError("a notebook without a list of cells", expected="a Jupyter notebook")
    return cells


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    for key, inner in (("language_info", "name"), ("kernelspec", "language")):
        found = metadata.get(key) if isinstance(metadata, dict) else None
        name = found.get(inner) if isinstance(found, dict) else None
        if isinstance(name, str) and is_known(name):
            return name.lower()
    return "python"


class _Notebook:
    def __init__(self, file: Placed, collector: Collector, language: str) -> None:
        self.file = file
        self.collector = collector
        self.language = language

    def cell(self, cell: dict[str, Any]) -> None:
        kind = cell["cell_type"]
        source = self._text(cell.get("source", cell.get("input")))
        if kind == "markdown":
            read_markdown(source, self.collector)
        elif kind == "heading":
            level = cell.get("level")
            with self.collector.heading(level if isinstance(level, int) and 1 <= level <= 6 else 1):
                self.collector.add("heading", source, level=level if isinstance(level, int) else 1)
        elif kind == "code":
            language = cell.get("language")
            name = language if isinstance(language, str) and is_known(language) else self.language
            read_code(source, name, self.collector)
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else []:
                if isinstance(output, dict):
                    self._output(output)
        else:
            self.collector.open_block()
            read_plain(source, self.collector)

    def _output(self, output: dict[str, Any]) -> None:
        if output.get("output_type") == "stream":
            name = output.get("name", output.get("stream", "stdout"))
            read_output(self._text(output.get("text")), self.collector, name if isinstance(name, str) else "stdout")
            return
        data = output.get("data")
        forms = dict(data) if isinstance(data, dict) else {_RICH_3[k]: output[k] for k in _RICH_3 if k in output}
        if output.get("output_type") not in ("execute_result", "display_data", "pyout", "update_display_data"):
            return
        form = next((form for form in _RICH if form in forms), None)
        if form is None:
            return
        content = self._text(forms[form])
        with self.collector.inside("output"):
            if form == "text/html":
                read_html(content, self.collector)
            elif form == "text/plain":
                read_output(content, self.collector, "result")
            else:
                read_markdown(content, self.collector)

    def _text(self, value: Any) -> Placed:
        """A string, or a list of them put together, placed in the file."""
        out = Weaver()
        at = 0
        for piece in value if isinstance(value, list) else [value]:
            if isinstance(piece, _String):
                self._string(out, piece)
                at = piece.begin
        return _without_returns(out.finish(at=at))

    def _string(self, out: Weaver, piece: _String) -> None:
        text = self.file.text
        at = piece.begin
        if len(piece) == piece.end - piece.begin:
            out.copy(self.file, at, piece.end)
            return
        for match in _ESCAPE.finditer(text, piece.begin, piece.end):
            out.copy(self.file, at, match.start())
            meaning, _ = scanstring(f'"{match[0]}"', 1, True)  # noqa: FBT003
            out.put("\ufffd" if "\ud800" <= meaning <= "\udfff" else meaning, match.start(), match.end())
            at = match.end()
        out.copy(self.file, at, piece.end)


def _without_returns(placed: Placed) -> Placed:
    """The text with line feeds alone, and without NUL and the characters kept for placeholders."""
    if not any(c in placed.text for c in "\r\0\ue000"):
        return placed
    out = Weaver()
    at = 0
    for match in re.finditer("\r\n?|\0|\ue000", placed.text):
        out.copy(placed, at, match.start())
        out.put("\n" if match[0][0] == "\r" else "\ufffd", *placed.span(match.start(), match.end()))
        at = match.end()
    out.copy(placed, at)
    return out.finish()
