"""markdown-it-py with three rules of its own, and where displays end.

Arrives: Markdown. Leaves: the parser's block tokens; rows of tables and displays carry where they stand.

The rules: a display that begins a line is a block, so that its line `+ 0.3` is no list and its line `=` no heading; a
table of HTML does not end at a blank line; the parser's own tables say where their rows stand.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from symattn.documents.formats.delimiters import DISPLAYS, WRAPPERS, MathFinder

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

MAX_BRACKETED: Final = 5_000
MAX_NESTING: Final = 100
_TRAILING = re.compile(
    r"\s*(?:[.,;:。，；：]|\\tag\*?\{[^{}]*\}|\\\\|\{[#:][^{}]*\}|\((?:\d+(?:\.\d+)*)\)|<br\s*/?>)*\s*\Z"
)
_PROSE = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]|```|~~~|\*\*\S|[-*+][ \t]+\S|\d+[.)][ \t]|<[a-z!/]"
    r"|[A-Za-z]{2,}[,:]?(?:[ \t]+[A-Za-z]{2,}|[ \t]*\Z)|[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,})"
)
_VISIBLE = re.compile(r"\S")
_DOUBLE = re.compile(r"\\.|\$\$", re.DOTALL)
_BEGIN = re.compile(r"\\begin[ \t]*\{([A-Za-z]+)\*?\}")
_TEX_COMMAND = re.compile(r"\\[A-Za-z]")


def block_tokens(seen: str, text: str, starts: list[int]) -> list[Token]:
    r"""The block tokens of a text; the parser sees it as `seen`, of the same length. `starts`: where its lines begin.

    >>> [token.type for token in block_tokens("$$\na\n$$", "$$\na\n$$", [0, 3, 5])]
    ['math_block']
    """
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(seen, parser, {"displays": _Displays(text, starts)}, tokens)
    return tokens


def _parser() -> MarkdownIt:
    """CommonMark with tables, the rules below, and without link definitions: `[row 1]: 0.5` is a line like others."""
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import table

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table").disable("reference")
    ruler = parser.block.ruler
    ruler.at("table", _placed_table(table), {"alt": ["paragraph", "reference"]})
    ruler.before("table", "math_block", _math_block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    ruler.before("html_block", "html_table", _html_table, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    return parser


def _placed_table(rule: Callable[..., bool]) -> Callable[..., bool]:
    """The parser's own rule, which also notes where each row stands: only inside its container is that known."""

    def placed_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
        first = len(state.tokens)
        if not rule(state, start, end, silent):
            return False
        for token in state.tokens[first:]:
            if token.type == "tr_open" and token.map:
                line = token.map[0]
                token.meta["row"] = (state.bMarks[line] + state.tShift[line], state.eMarks[line])
        return True

    return placed_table


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """A display that begins its line and ends one."""
    displays: _Displays = state.env["displays"]
    begin = state.bMarks[start] + state.tShift[start]
    if state.src[begin : begin + 1] not in ("$", "\\", "["):
        return False
    found = displays.find(begin, start, state.eMarks[start], end)
    if found is None:
        return False
    if not silent:
        _push(state, "math_block", start, *found)
    return True


def _html_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """A table of HTML with all its rows, whatever blank lines stand between."""
    begin = state.bMarks[start] + state.tShift[start]
    if state.src[begin : begin + 6].lower() != "<table" or state.is_code_block(start):
        return False
    last = state.env["displays"].next_line("tables", start)
    if last is None or last >= end:
        return False
    if not silent:
        _push(state, "html_block", start, last, begin, state.eMarks[last])
    return True


def _push(state: StateBlock, kind: str, first: int, last: int, begin: int, stop: int) -> None:
    """Add a token for the lines, from `begin` in the first to `stop` in the last, indentation and prefixes left out."""
    pieces = []
    for line in range(first, last + 1):
        a = begin if line == first else state.bMarks[line] + state.tShift[line]
        b = stop if line == last else state.eMarks[line] + 1
        pieces.append((a, max(a, b)))
    token: Any = state.push(kind, "", 0)
    token.map = [first, last + 1]
    token.meta = {"pieces": pieces}
    state.line = last + 1


class _Displays:
    """What ends a display, noted once for a text: which lines hold which closer, and where prose begins again."""

    def __init__(self, text: str, starts: list[int]) -> None:
        self.text = text
        self.starts = starts

    def find(self, begin: int, line: int, line_end: int, limit: int) -> tuple[int, int, int] | None:
        """The display that begins here: its last line, and where its content begins and ends."""
        head = self.text[begin : min(line_end, begin + 60)]
        if head.startswith("$$"):
            return self._closed("$$", begin + 2, line, limit)
        if head.startswith("\\["):
            return self._closed("\\]", begin + 2, line, limit)
        if head.startswith("\\\\["):
            return self._closed("\\\\]", begin + 3, line, limit)
        if head.rstrip() == "[":
            return self._bracketed(begin + 1, line, limit)
        match = _BEGIN.match(head)
        return self._environment(match, begin, limit) if match and match[1] in DISPLAYS else None

    def next_line(self, what: str, line: int) -> int | None:
        """The first line from this one on of a kind."""
        lines: list[int] = getattr(self, what)
        at = bisect_left(lines, line)
        return lines[at] if at < len(lines) else None

    def _closed(self, closer: str, begin: int, line: int, limit: int) -> tuple[int, int, int] | None:
        places = self.closers[closer]
        at = bisect_left(places, begin)
        if at >= len(places):
            return None
        stop = places[at]
        last = bisect_right(self.starts, stop) - 1
        if last >= limit or not self._trails(stop + len(closer), last):
            return None
        prose = self.next_line("prose", line + 1)
        if last > line and prose is not None and prose <= last:
            return None
        return (last, begin, stop) if _VISIBLE.search(self.text, begin, stop) else None

    def _bracketed(self, begin: int, line: int, limit: int) -> tuple[int, int, int] | None:
        """A line `[` and a line `]` around TeX: display delimiters after something ate their backslashes."""
        last = self.next_line("brackets", line + 1)
        prose = self.next_line("prose", line + 1)
        if last is None or last >= limit or (prose is not None and prose <= last):
            return None
        stop = self.text.index("]", self.starts[last])
        if stop - begin > MAX_BRACKETED:
            return None
        return (last, begin, stop) if _TEX_COMMAND.search(self.text, begin, stop) else None

    def _environment(self, match: re.Match[str], begin: int, limit: int) -> tuple[int, int, int] | None:
        partner = self.finder.partners.get(begin)
        if partner is None:
            return None
        stop, end, name = partner
        last = bisect_right(self.starts, stop) - 1
        if last >= limit or not self._trails(end, last):
            return None
        if name.removesuffix("*") in WRAPPERS:
            return last, begin + match.end(), stop
        return last, begin, end

    def _trails(self, end: int, line: int) -> bool:
        """Whether nothing but punctuation follows on the line."""
        line_end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        return line_end - end < 200 and bool(_TRAILING.match(self.text[end:line_end]))

    @cached_property
    def finder(self) -> MathFinder:
        return MathFinder(self.text)

    @cached_property
    def closers(self) -> dict[str, list[int]]:
        r"""Where `$$`, `\]` and `\\]` stand."""
        text = self.text
        doubles = [match.start() for match in _DOUBLE.finditer(text) if match[0] == "$$"]
        brackets: list[int] = []
        escaped: list[int] = []
        for match in re.finditer(r"\\.", text, re.DOTALL):
            if match[0] == "\\]":
                brackets.append(match.start())
            elif match[0] == "\\\\" and text[match.end() : match.end() + 1] == "]":
                escaped.append(match.start())
        return {"$$": doubles, "\\]": brackets, "\\\\]": escaped}

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def prose(self) -> list[int]:
        """The lines after a blank one that begin something else than a formula's next line."""
        lines = self.lines
        return [
            number
            for number in range(1, len(lines))
            if not lines[number - 1].strip(" \t>") and _PROSE.match(lines[number][:200])
        ]

    @cached_property
    def brackets(self) -> list[int]:
        return [n for n, line in enumerate(self.lines) if len(line) < 200 and line.strip(" \t>.,;") == "]"]

    @cached_property
    def tables(self) -> list[int]:
        return [n for n, line in enumerate(self.lines) if "</table" in line.lower()]
