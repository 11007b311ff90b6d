from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from symattn.errors import ReadError


def notebook(*cells: dict[str, Any], **more: Any) -> str:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more})


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def test_cells_and_outputs_in_order(shown: Callable) -> None:
    source = notebook(
        {"cell_type": "markdown", "source": ["# A\n", "so $\\frac{1}{2}$"]},
        code(
            "x = 1  # = 1\nprint(x)",
            {"output_type": "stream", "name": "stdout", "text": ["[[1. 0.]\n", " [0. 1.]]\n"]},
            {"output_type": "execute_result", "data": {"text/plain": ["0.85"]}},
            {"output_type": "error", "traceback": ["1 = 2"]},
        ),
        {"cell_type": "raw", "source": "raw"},
    )
    assert shown(source, path="a.ipynb") == [
        ("heading", "A"),
        ("prose", "so "),
        ("math_inline", "\\frac{1}{2}"),
        ("code", "x = 1  "),
        ("comment", "= 1"),
        ("code", "print(x)"),
        ("output", "[[1. 0.]\n [0. 1.]]\n"),
        ("output", "0.85"),
        ("prose", "raw"),
    ]


def test_a_result_in_several_forms_is_read_once(shown: Callable) -> None:
    data = {"text/plain": "1", "text/html": "<table><tr><td>1", "image/png": "x"}
    latex = {"text/plain": "1", "text/latex": "$\\displaystyle 1$"}
    source = notebook(
        code("", {"output_type": "display_data", "data": data}, {"output_type": "execute_result", "data": latex})
    )
    assert shown(source, "notebook") == [("table", "<table><tr><td>1"), ("math_inline", "\\displaystyle 1")]


@pytest.mark.parametrize("ascii_only", [True, False])
def test_places_through_the_escapes_of_json(read: Callable, ascii_only: bool) -> None:
    text = 'x\t"q" \\ 权重 😀 = 0.85\nsum = 1.17'
    source = json.dumps(
        {"nbformat": 4, "cells": [code("", {"output_type": "stream", "text": text})]}, ensure_ascii=ascii_only, indent=1
    )
    document = read(source, "notebook")
    (region,) = document.regions
    assert region.text == text
    for number in ("0.85", "1.17"):
        a = text.index(number)
        place = document.locate(region, a, a + 4)
        assert document.line(place.line)[place.column - 1 : place.end_column - 1] == number
    a = text.index("😀")
    place = document.locate(region, a, a + 1)
    assert document.line(place.line)[place.column - 1 : place.end_column - 1] == (
        "\\ud83d\\ude00" if ascii_only else "😀"
    )


def test_lines_of_a_cell_are_lines_of_the_file(first: Callable) -> None:
    cell = {"cell_type": "markdown", "source": ["$$\n", "a = 1.17\n", "$$"]}
    source = json.dumps({"nbformat": 4, "cells": [cell]}, indent=1)
    line = next(number for number, text in enumerate(source.split("\n"), 1) if "1.17" in text)
    assert first(source, "1.17", "notebook") == (line, 10, line, 14)


def test_version_3(shown: Callable) -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "A"},
        {
            "cell_type": "code",
            "input": "x",
            "language": "python",
            "outputs": [
                {"output_type": "stream", "stream": "stdout", "text": "1"},
                {"output_type": "pyout", "text": "2"},
            ],
        },
    ]
    source = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]})
    assert shown(source, "notebook") == [("heading", "A"), ("code", "x"), ("output", "1"), ("output", "2")]


def test_colours_are_taken_away(shown: Callable) -> None:
    source = notebook(code("", {"output_type": "stream", "text": "\x1b[31m0.85\x1b[0m"}))
    assert shown(source, "notebook") == [("output", "0.85")]


REFUSALS = [
    ("no JSON", "{x", "not a notebook: Expecting property name enclosed in double quotes at line 1, column 2; expected JSON"),
    ("other JSON", "[1]", "JSON, but not a notebook: it has no nbformat; expected a Jupyter notebook"),
    ("no cells", '{"nbformat": 4}', "a notebook without a list of cells; expected a Jupyter notebook"),
    ("cells of another kind", '{"nbformat": 4, "cells": 3}', "a notebook without a list of cells; expected a Jupyter notebook"),
    ("no sheets", '{"nbformat": 3}', "a notebook without a list of cells; expected a Jupyter notebook"),
    ("a later version", '{"nbformat": 99, "cells": []}', "a notebook of nbformat 99; expected nbformat 3 or 4"),
    ("no version", '{"nbformat": true, "cells": []}', "a notebook of nbformat True; expected nbformat 3 or 4"),
    ("a cell of another kind", '{"nbformat": 4, "cells": [3]}', "cell 1 of the notebook has no cell_type; expected a Jupyter notebook"),
    ("deep", "[" * 100_000, "not a notebook: its JSON is nested too deep; expected a Jupyter notebook"),
    ("two documents", "{} {}", "not a notebook: Extra data at line 1, column 4; expected JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "message"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS])
def test_what_is_no_notebook_is_refused_in_one_line(read: Callable, source: str, message: str) -> None:
    with pytest.raises(ReadError) as error:
        read(source, "notebook", "a.ipynb")
    assert str(error.value) == f"a.ipynb: {message}"


def test_odd_cells_are_read_as_far_as_they_go(shown: Callable) -> None:
    source = notebook(
        {"cell_type": "markdown"},
        {"cell_type": "markdown", "source": [1, None, "a"]},
        {"cell_type": "code", "source": {"x": 1}, "outputs": [3, {"output_type": "stream"}]},
    )
    assert shown(source, "notebook") == [("prose", "a")]
