"""Text from outside, made harmless: in formulas, in TeX, in Markdown.

Arrives: any printable text. Leaves: the same text as each format shows it verbatim, with nothing for the format to
act on. HTML is escaped by its template engine.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Final, Literal

Target = Literal["portable", "xelatex"]

MATH_ESCAPES: Final = {
    "%": r"\%",
    "_": r"\_",
    "&": r"\&",
    "#": r"\#",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "\\": r"\backslash{}",
    "^": r"\hat{\ }",
    "~": r"\sim{}",
    "<": r"<{}",
    ">": r">{}",
}
"""Characters that no single escape inside \\text shows in TeX, KaTeX and MathJax alike: they stand in \\mathrm."""

TEX_ESCAPES: Final = {
    **{c: "\\" + c for c in "%_&#{}$"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "[": "{[}",
    "]": "{]}",
}

MARKDOWN_ESCAPES: Final = {
    **{c: "\\" + c for c in "\\`*_{}[]#$~^|!:@()"},
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
}

_PLAIN = re.compile(r"[A-Za-z0-9]")


def math_words(text: str, target: Target = "portable") -> str:
    r"""Text inside a formula.

    >>> math_words("Time"), math_words("_x"), math_words("50% off")
    ('\\text{Time}', '\\mathrm{\\_x}', '\\text{50}\\mathrm{\\%}\\text{ off}')
    """
    if text and any(c in MATH_ESCAPES for c in text) and all(_PLAIN.match(c) or c in MATH_ESCAPES for c in text):
        return rf"\mathrm{{{_escaped(text, MATH_ESCAPES)}}}"
    parts = []
    for special, group in groupby(text, key=lambda c: c in MATH_ESCAPES):
        run = "".join(group)
        if special:
            parts.append(rf"\mathrm{{{_escaped(run, MATH_ESCAPES)}}}")
        elif target == "xelatex":
            parts.append(rf"\text{{{tex_scripts(run)}}}")
        else:
            parts.append(rf"\text{{{run}}}")
    return "".join(parts) or r"\text{}"


def tex_words(text: str) -> str:
    r"""Text in the running text of a TeX document.

    >>> tex_words(r"\input{x}")
    '\\textbackslash{}input\\{x\\}'
    """
    return tex_scripts(_escaped(text, TEX_ESCAPES))


def tex_scripts(escaped: str) -> str:
    r"""Escaped text with right-to-left runs and pictographs in the macros of our TeX preamble.

    >>> tex_scripts("שלום") == r"\symattnrtl{שלום}"
    True
    """
    parts = []
    for kind, run in script_runs(escaped):
        parts.append(run if kind == "plain" else rf"\symattn{kind}{{{run}}}")
    return "".join(parts)


def script_runs(text: str) -> Iterator[tuple[Literal["plain", "rtl", "pictograph"], str]]:
    """Runs of text by what a TeX font must be able to do."""
    for kind, group in groupby(text, key=_script):
        yield kind, "".join(group)


def _script(character: str) -> Literal["plain", "rtl", "pictograph"]:
    if unicodedata.bidirectional(character) in {"R", "AL"}:
        return "rtl"
    code = ord(character)
    if 0x2600 <= code <= 0x27BF or (code >= 0x1F000 and code < 0x20000) or code in {0x200D, 0xFE0F}:
        return "pictograph"
    return "plain"


def needs_cjk(text: str) -> bool:
    """Whether a text has Chinese, Japanese or Korean characters.

    >>> needs_cjk("时间"), needs_cjk("time")
    (True, False)
    """
    return any(0x2E80 <= ord(c) <= 0x9FFF or 0xAC00 <= ord(c) <= 0xD7AF or 0xF900 <= ord(c) <= 0xFAFF for c in text)


def markdown_words(text: str) -> str:
    r"""Text in the running text of a Markdown document.

    >>> markdown_words("<b>*x*</b>")
    '&lt;b&gt;\\*x\\*&lt;/b&gt;'
    """
    return _escaped(text, MARKDOWN_ESCAPES)


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(c, c) for c in text)


def isolated(text: str) -> str:
    r"""Text with right-to-left words in it, set apart so that the text around it keeps its order.

    >>> isolated("Time"), isolated("שלום") == "\u2068שלום\u2069"
    ('Time', True)
    """
    return f"\u2068{text}\u2069" if any(_script(c) == "rtl" for c in text) else text
