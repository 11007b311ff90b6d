"""Programs that some tests ask: without them the tests are skipped, or fail where SYMATTN_REQUIRE_TOOLS=1 is set."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def missing(what: str) -> None:
    if os.environ.get("SYMATTN_REQUIRE_TOOLS") == "1":
        pytest.fail(f"{what}, and SYMATTN_REQUIRE_TOOLS=1 asks for it")
    pytest.skip(what)


@pytest.fixture(scope="session")
def program() -> Callable[[str], str]:
    def find(name: str) -> str:
        path = shutil.which(name)
        if path is None:
            missing(f"{name} is not on PATH")
        return str(path)

    return find


@pytest.fixture(scope="session")
def node_package(program: Callable[[str], str]) -> Callable[[str], Path]:
    def find(name: str) -> Path:
        program("node")
        folder = Path(os.environ.get("SYMATTN_KATEX", ".")) / "node_modules" / name
        if not folder.is_dir():
            missing(f"SYMATTN_KATEX names no folder with node_modules/{name}")
        return folder.resolve()

    return find


HOSTILE = {
    "percent": "50%",
    "ampersand": "a&b",
    "leading underscore": "_x",
    "open brace": "{",
    "close brace": "}",
    "backslash": "\\",
    "empty": "",
    "letters of an accent": "that",
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "scheme": "javascript:x",
    "caret notation": "^^5cinput{x}",
    "filecontents": "\\begin{filecontents}{x.py}",
    "input": "\\input{/etc/passwd}",
    "write": "\\immediate\\write18{touch y.py}",
    "end of the document": "\\end{document}",
    "mathematics": "$x$",
    "displayed mathematics": "\\]$$x$$",
    "parameter": "#1",
    "tilde": "~",
    "dashes": "a--b---c",
    "quotation marks": '"q"',
    "apostrophe": "it's",
    "two apostrophes": "''",
    "backtick": "`",
    "backticks": "```x``",
    "inequality": "score <= 1 & d_k > 0",
    "two spaces": "a  b",
    "han": "时间",
    "rare han": "𠀀",
    "hangul": "한국",
    "emoji": "🚀",
    "emoji of several characters": "👩🏽\u200d🚀",
    "variation selector": "❤\ufe0f",
    "flag": "🇫🇷",
    "keycap": "1\ufe0f\u20e3",
    "arabic": "مرحبا",
    "hebrew": "שלום",
    "hebrew in brackets": "שלום (עולם)",
    "arabic and latin": "مرحبا hello عالم",
    "latin and hebrew": "abc שלום",
    "devanagari": "हिन्दी",
    "cyrillic": "привет",
    "greek": "αβγ",
    "combining": "e\u0301x\u0302",
    "address": "https://example.org",
    "bare address": "www.example.org",
    "mail": "<a@b.example>",
    "link": "[link](javascript:x)",
    "picture": "![p](javascript:x)",
    "reference": "[a]: http://b",
    "emphasis": "*b* _c_ ~~d~~",
    "entity": "&lt;&#x41;",
    "comment": "<!-- x -->",
    "end of cdata": "]]>",
    "table": "a|b",
    "power": "x^2",
    "signs": "≈√→∞",
    "list": "a,b;c",
    "long": "x" * 200,
    "template": "[[ 7*7 ]] [% raw %] {{ 7*7 }}",
}
"""Names that a format could take for its own language."""


@pytest.fixture(scope="session")
def hostile() -> dict[str, str]:
    return HOSTILE
