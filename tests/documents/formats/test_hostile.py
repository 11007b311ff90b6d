"""Whatever arrives, a document leaves or one error of the family: no traceback, no loop, every place in the source."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symattn.errors import SymattnError

FORMATS = ["markdown", "tex", "html", "text", "code", "notebook"]
FRAGMENTS = [
    "$", "$$", "\\(", "\\)", "\\[", "\\]", "\\begin{align}", "\\end{align}", "\\begin{bmatrix}", "\\end{bmatrix}", "\\\\", "&", "{", "}",
    "`", "```", "```python", "```math", "*", "**", "_", "~~", "<", "<b>", "<table>", "<tr>", "<td>", "</td>", "</table>", "<p>", "<sup>",
    "</sup>", "<pre>", "</pre>", "<math>", "<mfrac>", "<mn>1</mn>", "</mfrac>", "</math>", "<mtable>", "<!--", "-->", "<script type='math/tex'>",
    "</script>", "<code>", "</code>", "&amp;", "&#x41;", "|", "|-|-|", "\n", "\n\n", "    ", "\t", "> ", "- ", "1. ", "# ", "---", "===", "a", "1.5",
    "= 2", "≈", "词", "😀", "\r\n", "\r", "\0", "\ue000", "\ud800", "\\newcommand{\\a}[1]{#1x}", "\\a{", "\\a", "\\def\\b#1{\\a{#1}}", "\\b",
    "\\let\\c=\\b", "\\c", "\\def\\d{\\d}", "\\d", "%", "\\verb|", "\\begin{verbatim}", "\\end{verbatim}", "\\begin{tabular}{cc}", "\\end{tabular}",
    "\\item", "\\section{", "\\input{x}", "\\text{", "\\begin{document}", "\\end{document}", '"""', "'", '"', "#", "//", "/*", "*/", "[", "]",
    "](http://x)", "![", "{: x}", "\x1b[31m", "\\", "\\iffalse", "<h2>", "<ul>", "<li>", "<svg>", "<br>", "<td rowspan=2 colspan=3>",
]  # fmt: skip


def as_notebook(text: str) -> str:
    outputs = [{"output_type": "stream", "text": text}, {"output_type": "execute_result", "data": {"text/html": text}}]
    cells = [{"cell_type": "markdown", "source": text}, {"cell_type": "code", "source": text, "outputs": outputs}]
    return json.dumps({"nbformat": 4, "cells": cells})


@pytest.mark.parametrize("format", FORMATS)
@given(pieces=st.lists(st.sampled_from(FRAGMENTS), max_size=60))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_read_or_refused(read: Callable, format: str, pieces: list[str]) -> None:  # noqa: A002
    text = "".join(pieces)
    document = read(as_notebook(text) if format == "notebook" else text, format)  # the fixture checks every place
    assert document.format == format


@given(content=st.binary(max_size=200))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(read: Callable, content: bytes) -> None:
    try:
        document = read(content)
    except SymattnError:  # any other exception fails the test
        return
    assert document.source.encode("utf-8").decode("utf-8") == document.source


# quadratic readers take minutes over these; here they only have to come back with what is right
LONG = {
    "tags": "<a " * 40_000,
    "quoted attributes": "<a x='" * 20_000 + ">",
    "comments": "<!-- " * 40_000,
    "tables": "<table><tr><td>" * 10_000,
    "MathML": "<math>" + "<mrow>" * 20_000,
    "dollars": "$a " * 50_000,
    "double dollars": "$$ a b\n" * 20_000,
    "parentheses": "\\(a " * 50_000,
    "brackets on lines": "\\[ a\n" * 20_000,
    "environments": "\\begin{align} a " * 20_000,
    "braces": "$" + "{" * 10_000 + "}" * 10_000 + "$",
    "backticks": "`" * 1_000_000,
    "emphasis": "*a " * 50_000,
    "links": "[a](" * 20_000,
    "quotes": "> " * 10_000 + "a",
    "macro calls": "$\\newcommand{\\a}[1]{#1}" + "\\a{" * 10_000 + "}" * 10_000 + "$",
    "macros that double": "$\\def\\a{\\b\\b}\\def\\b{\\a\\a}" + "\\a " * 5_000 + "$",
    "tabular": "\\begin{tabular}{cc} 1 & 2 \\\\" * 2_000 + "\\end{tabular}" * 2_000,
    "sections": "\\section{a" * 3_000 + "}" * 3_000,
    "verbatim": "\\begin{lstlisting} " * 10_000,
    "strings": "'''" * 50_000,
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", LONG)
def test_long_hostile_texts_come_back(read: Callable, name: str, format: str) -> None:  # noqa: A002
    text = LONG[name] + "\n\n\nlast word\n"
    document = read(as_notebook(text) if format == "notebook" else text, format)
    assert document.source.endswith("}" if format == "notebook" else "last word\n")


@pytest.mark.parametrize("name", ["dollars", "parentheses", "environments", "emphasis", "tags"])
def test_what_follows_an_unclosed_formula_is_still_read(read: Callable, name: str) -> None:
    assert read(LONG[name] + "\n\nlast = 1", "markdown").regions[-1].text == "last = 1"
