r"""Code taken apart into statements and the comments between them; comments are prose, code is only shown, never run.

Arrives: placed text in a known language. Leaves: code and comment regions in order; a statement and the comment that
ends its line are one block. A comment inside of brackets comes after the statement that it stands in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from symattn.documents.formats.flow import read_flow
from symattn.documents.formats.offsets import Placed, Weaver, words

if TYPE_CHECKING:
    from symattn.documents.formats.collect import Collector

_STRINGS = r"\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?"
_PRIMED = r"\"(?:\\.|[^\"\\\n])*\"?|(?<![\w)\]}'.])'(?:\\.|[^'\n])*'"
"""Where `A'` is a transpose or a name, and `'a'` a string."""
_TRIPLE = r"(?:\"\"\"|''')"
_OTHERS = r"[(\[{]|[)\]}]|\n"


@dataclass(frozen=True, slots=True)
class _Syntax:
    """How a language writes comments: to the end of the line, and between two marks."""

    line: str
    block: tuple[str, str] | None = None
    docstrings: bool = False

    def pattern(self) -> re.Pattern[str]:
        parts = []
        if self.block:
            parts.append(rf"(?P<block>{re.escape(self.block[0])})")
        if self.docstrings:
            parts.append(rf"(?P<triple>{_TRIPLE})")
        parts.append(rf"(?P<line>{self.line}[^\n]*)")
        parts.append(rf"(?P<string>{_PRIMED if self.line in ('%', '--') else _STRINGS})")
        if not self.docstrings and self.line == "//":
            parts.append(r"(?P<template>`(?:\\.|[^`\\])*`)")
        parts.append(rf"(?P<other>{_OTHERS})")
        return re.compile("|".join(parts), re.DOTALL)


_HASH = _Syntax(r"(?<![^\s;])#")
_PYTHON = _Syntax("#", docstrings=True)
_SLASHES = _Syntax("//", ("/*", "*/"))
_SYNTAX: Final = {
    "python": _PYTHON, "py": _PYTHON, "python3": _PYTHON, "ipython": _PYTHON, "ipython3": _PYTHON, "pyi": _PYTHON,
    "sh": _HASH, "bash": _HASH, "r": _HASH, "ruby": _HASH, "rb": _HASH, "perl": _HASH, "pl": _HASH, "nim": _HASH,
    "julia": _Syntax("#", ("#=", "=#")), "jl": _Syntax("#", ("#=", "=#")),
    **dict.fromkeys(
        words("javascript js jsx mjs typescript ts tsx c h cpp c++ cc hpp cu cuda java go rust rs kotlin kt swift "
              "scala cs csharp c# php dart zig"), _SLASHES,
    ),
    "matlab": _Syntax("%", ("%{", "%}")), "m": _Syntax("%", ("%{", "%}")), "octave": _Syntax("%", ("%{", "%}")),
    "lua": _Syntax("--", ("--[[", "]]")), "sql": _Syntax("--", ("/*", "*/")),
    "haskell": _Syntax("--", ("{-", "-}")), "hs": _Syntax("--", ("{-", "-}")),
}  # fmt: skip
SUFFIXES: Final = words(
    "py pyi sh r rb pl jl js jsx mjs ts tsx c h cpp cc hpp cu java go rs kt swift scala cs php dart zig m lua sql hs"
)

_LEAD = re.compile(r"^[ \t]*(?:#+|//+[/!]?|%+|--+|\*(?![*/]))?[ \t]?", re.MULTILINE)


def is_known(language: str) -> bool:
    """Whether the comments of the language are known.

    >>> is_known("python"), is_known("text")
    (True, False)
    """
    return language.lower() in _SYNTAX


def read_code(placed: Placed, language: str, collector: Collector, *, info: str = "") -> None:
    r"""Add the statements and comments of a piece of code to the collector.

    >>> from symattn.documents.formats.collect import Collector
    >>> from symattn.documents.formats.offsets import whole
    >>> collector = Collector()
    >>> read_code(whole("s = 4 / 2  # = 2\nt = 1"), "python", collector)
    >>> [(region.kind, region.text, region.block) for region in collector.regions]
    [('code', 's = 4 / 2  ', 1), ('comment', '= 2', 1), ('code', 't = 1', 2)]
    """
    _Code(placed, _SYNTAX[language.lower()], collector, info or language).read()


class _Code:
    def __init__(self, placed: Placed, syntax: _Syntax, collector: Collector, info: str) -> None:
        self.placed = placed
        self.text = placed.text
        self.syntax = syntax
        self.collector = collector
        self.info = info
        self.code = Weaver()
        self.done = 0
        self.depth = 0
        self.comments: list[tuple[int, int]] = []
        """Those not told yet: in brackets, or a run of whole lines."""
        self.statement = True
        """Whether nothing of a statement stands on the line yet."""

    def read(self) -> None:
        pattern = self.syntax.pattern()
        at = 0
        blank_since = 0
        while match := pattern.search(self.text, at):
            at = match.end()
            if self.text[blank_since : match.start()].strip():
                self.statement = False
            kind = match.lastgroup
            if kind == "other":
                self._other(match)
            elif kind == "line":
                self._comment(match.start(), match.end())
            elif kind == "block" and self.syntax.block:
                at = self._to(self.syntax.block[1], match.end())
                self._comment(match.start(), at)
            elif kind == "triple":
                at = self._to(match[0], match.end())
                if self.statement and self.depth == 0:
                    self._comment(match.start(), at)
            else:
                self.statement = False
            blank_since = at
        self._flush(len(self.text))

    def _to(self, mark: str, start: int) -> int:
        end = self.text.find(mark, start)
        return len(self.text) if end < 0 else end + len(mark)

    def _other(self, match: re.Match[str]) -> None:
        if match[0] == "\n":
            if self.depth == 0 and (self.comments or not self.statement) and not self._comment_follows(match.end()):
                self._flush(match.start(), keep=not self.comments)
            self.statement = True
        elif match[0] in "([{":
            self.depth += 1
            self.statement = False
        else:
            self.depth = max(0, self.depth - 1)

    def _comment_follows(self, at: int) -> bool:
        """Whether the next line is a comment like those before it: one comment over several lines."""
        if not self.comments or self.code.length:
            return False
        return bool(re.compile(rf"[ \t]*{self.syntax.line}").match(self.text, at))

    def _comment(self, start: int, end: int) -> None:
        if self.depth == 0 and self.statement and self._has_code(start):
            self._flush(start)
        if not self.comments or self.text[self.done : start].strip():
            self.code.copy(self.placed, self.done, start)
        self.comments.append((start, end))
        self.done = end

    def _has_code(self, start: int) -> bool:
        return bool(self.code.length) or bool(self.text[self.done : start].strip())

    def _flush(self, end: int, *, keep: bool = False) -> None:
        """Tell the statement up to `end` and its comments; statements without comments stay together."""
        self.code.copy(self.placed, self.done, end)
        self.done = end
        if keep:
            return
        code = without_blank_lines(self.code.finish())
        self.collector.open_block()
        self.collector.add("code", code, info=self.info)
        with self.collector.inside("comment"):
            for a, b in _joined(self.comments, self.text):
                read_flow(self._bare(a, b), self.collector, "comment", info=self.info)
        self.comments = []

    def _bare(self, start: int, end: int) -> Placed:
        """A comment without its marks, line by line."""
        text = self.text[start:end]
        block = self.syntax.block
        quotes = text[:3] if text[:3] in ('"""', "'''") else ""
        opening, closing = (quotes, quotes) if quotes else block if block and text.startswith(block[0]) else ("", "")
        if opening:
            start += len(opening)
            end -= len(closing) * (text.endswith(closing) and len(text) >= len(opening) + len(closing))
        out = Weaver()
        at = start
        for match in _LEAD.finditer(self.text[start:end]):
            out.copy(self.placed, at, start + match.start())
            at = start + match.end()
        out.copy(self.placed, at, max(at, end))
        return out.finish(at=self.placed.offsets.start(start)).strip()


def _joined(comments: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Comments of neighbouring lines as one."""
    joined: list[tuple[int, int]] = []
    for start, end in comments:
        if joined and not text[joined[-1][1] : start].strip() and not text.startswith(('"""', "'''", "/*"), start):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def without_blank_lines(placed: Placed) -> Placed:
    """The text from its first line with something on it to its last."""
    text = placed.text
    stripped = text.strip()
    if not stripped:
        return placed.slice(0, 0)
    first = text.rfind("\n", 0, text.index(stripped[0])) + 1
    last = len(text.rstrip("\n"))
    return placed.slice(first, last)
