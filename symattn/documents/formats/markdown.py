r"""Markdown read into regions: markdown-it-py finds the blocks, with formulas as blocks of their own.

Arrives: the placed text of a Markdown file or cell. Leaves: regions in the collector.

What stands inside a paragraph is read by `inline`, HTML by `html`, fences of TeX by `tex`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from symattn.documents.formats.delimiters import MathFinder
from symattn.documents.formats.document import Cell
from symattn.documents.formats.entities import decode
from symattn.documents.formats.html import read_html
from symattn.documents.formats.inline import read_inline
from symattn.documents.formats.markdown_blocks import MAX_NESTING, block_tokens
from symattn.documents.formats.offsets import Placed, Weaver
from symattn.documents.formats.source_code import is_known, read_code

if TYPE_CHECKING:
    from markdown_it.token import Token

    from symattn.documents.formats.collect import Collector

MAX_ROW: Final = 100_000
MATH_FENCES: Final = frozenset({"math", "latex", "tex", "katex", "mathjax", "asciimath"})

_INDENT = re.compile(r" *")
_OPTIONS = re.compile(r"(?::[\w-]+:.*\n)*")
_CONTAINERS: Final = ("blockquote_open", "list_item_open")
_TEX_IN_CODE = re.compile(r"\\(?:begin|[dt]?frac|times|cdot|sqrt|text|approx|left|mathbf)\b|\$\$|\\\[|\\\(")
_FRONT = re.compile(r"(---|\+\+\+)[ \t]*\n")
_FRONT_KEY = re.compile(r"\s*(?:#.*\n\s*)*[\w\"'-]+[ \t]*[:=]")
_ATTRIBUTE_LINE = re.compile(r"^[ \t]*(?:\{:[^\n]*\}|\{%[^\n]*%\})[ \t]*$", re.MULTILINE)


def read_markdown(placed: Placed, collector: Collector) -> None:
    r"""Add the regions of a Markdown text to the collector.

    >>> from symattn.documents.formats.collect import Collector
    >>> from symattn.documents.formats.offsets import whole
    >>> collector = Collector()
    >>> read_markdown(whole("# Step 1\n\n> $$\n> a\n> + b\n> $$\n"), collector)
    >>> [(region.kind, region.text, region.headings) for region in collector.regions]
    [('heading', 'Step 1', ()), ('math_display', 'a\n+ b', ('Step 1',))]
    """
    placed = _without_front_matter(placed)
    reader = _Reader(placed, collector)
    reader.read()


def _without_front_matter(placed: Placed) -> Placed:
    """The text after a block of YAML or TOML at its very beginning."""
    match = _FRONT.match(placed.text)
    if match is None or not _FRONT_KEY.match(placed.text, match.end(), match.end() + 2_000):
        return placed
    end = placed.text.find("\n" + match[1], match.end() - 1)
    if end < 0:
        return placed
    line_end = placed.text.find("\n", end + 1)
    return placed.slice(len(placed.text) if line_end < 0 else line_end, len(placed.text))


def _with_bars_hidden(text: str) -> str:
    r"""The text with the bars inside of formulas replaced, for `$|q|$` in a row of a table would end its cells.

    >>> _with_bars_hidden("| $|q|$ | b |") == "| $\x1aq\x1a$ | b |"
    True
    """
    if "|" not in text or "$" not in text:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.count("|") > 1 and line.count("$") > 1 and len(line) < MAX_ROW:
            lines[number] = _line_with_bars_hidden(line)
    return "\n".join(lines)


def _line_with_bars_hidden(line: str) -> str:
    finder = MathFinder(line)
    out, done = [], 0
    for match in re.finditer(r"\\.|\$\$?", line):
        if match.start() >= done and match[0][0] == "$" and match.end() < len(line):
            formula = finder.at(match.start())
            if formula and not formula.unclosed:
                out += [line[done : formula.start], line[formula.start : formula.end].replace("|", "\x1a")]
                done = formula.end
    return "".join([*out, line[done:]])


class _Reader:
    def __init__(self, placed: Placed, collector: Collector) -> None:
        self.placed = placed
        self.text = _with_bars_hidden(placed.text)
        """What the parser sees: of the same length as the text itself, which is what regions are made of."""
        self.collector = collector
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]

    def read(self) -> None:
        tokens = block_tokens(self.text, self.placed.text, self.starts)
        if any(token.type in _CONTAINERS and token.level + 1 >= MAX_NESTING for token in tokens):
            message = f"lists or quotes nested more than {MAX_NESTING} deep: what stands inside was not read"
            self.collector.note("structure", message, self.placed.offsets.start(0))
        index = 0
        while index < len(tokens):
            index = self._token(tokens, index)

    def _token(self, tokens: list[Token], index: int) -> int:
        """Deal with a token; the number of the next."""
        token = tokens[index]
        collector = self.collector
        if token.type == "heading_open":
            inline = tokens[index + 1]
            level = int(token.tag[1:])
            with collector.heading(level):
                read_inline(self._content(inline), collector, "heading", level=level)
            return index + 3
        if token.type == "table_open":
            return self._table(tokens, index)
        if token.type == "inline":
            collector.open_block()
            read_inline(self._without_attributes(self._content(token)), collector)
        elif token.type == "math_block":
            collector.open_block()
            collector.add_math("math_display", decode(self._pieces(token.meta["pieces"])))
        elif token.type in ("fence", "code_block"):
            self._code(token)
        elif token.type == "html_block":
            pieces = token.meta.get("pieces")
            read_html(self._pieces(pieces) if pieces else self._content(token), collector, markdown=True)
        elif token.type.endswith(("list_open", "blockquote_open")):
            collector.enter("quote" if token.type == "blockquote_open" else "list")
        elif token.type.endswith(("list_close", "blockquote_close")):
            collector.leave()
        return index + 1

    def _pieces(self, pieces: list[tuple[int, int]]) -> Placed:
        out = Weaver()
        for a, b in pieces:
            out.copy(self.placed, a, b)
        return out.finish()

    def _content(self, token: Token, first: int = 0) -> Placed:
        """What a token holds, placed: each of its lines is the end of a line of the text, prefixes taken away."""
        begin = (token.map or [0])[0] + first
        start = self.starts[min(begin, len(self.starts) - 1)]
        start += len(_INDENT.match(self.text, start)[0])  # type: ignore[index]
        if self.text.startswith(token.content, start):  # no prefixes
            return self.placed.slice(start, start + len(token.content))
        out = Weaver()
        for number, line in enumerate(token.content.split("\n"), begin):
            if number >= len(self.starts):
                break
            start = self.starts[number]
            end = (self.starts[number + 1] - 1) if number + 1 < len(self.starts) else len(self.text)
            if number > begin:
                out.copy(self.placed, start - 1, start)
            self._line(out, line, start, end)
        return out.finish(at=self.placed.offsets.start(self.starts[min(begin, len(self.starts) - 1)]))

    def _line(self, out: Weaver, line: str, start: int, end: int) -> None:
        source = self.text[start:end]
        bare = line.lstrip(" ")
        at = len(source) - len(line) if source.endswith(line) else source.rfind(bare)
        if source.endswith(line) or at < 0:
            out.copy(self.placed, start + max(at, 0), end)
            return
        # spaces that a tab was split into stand for that tab; what a heading closes with is left out
        lead = min(len(line) - len(bare), at)
        out.put(
            " " * (len(line) - len(bare)),
            self.placed.offsets.start(start + at - lead),
            self.placed.offsets.start(start + at),
        )
        out.copy(self.placed, start + at, start + at + len(bare))

    @staticmethod
    def _without_attributes(placed: Placed) -> Placed:
        """The paragraph without kramdown's attribute lines and Liquid's tags."""
        if "{" not in placed.text or not _ATTRIBUTE_LINE.search(placed.text):
            return placed
        out = Weaver()
        at = 0
        for match in _ATTRIBUTE_LINE.finditer(placed.text):
            out.copy(placed, at, match.start())
            at = match.end()
        out.copy(placed, at)
        return out.finish()

    def _code(self, token: Token) -> None:
        content = self._content(token, first=int(token.type == "fence"))
        info = token.info.strip()
        language = re.split(r"[\s{},:]", info.lstrip("{."), maxsplit=1)[0].lower()
        self.collector.open_block()
        if token.type == "code_block" and _TEX_IN_CODE.search(content.text):
            read_inline(content.strip(), self.collector)  # indented for the eye, as in a list
        elif language in MATH_FENCES:
            options = _OPTIONS.match(content.text)
            self._math_fence(content.slice(options.end() if options else 0, len(content.text)))
        elif is_known(language):
            read_code(content, language, self.collector, info=info)
        else:
            self.collector.add("code", content, info=info)

    def _math_fence(self, content: Placed) -> None:
        """A fence of TeX: a formula as it stands, or a piece of a TeX file with its own delimiters."""
        if re.search(r"\$|\\\[|\\\(|\\documentclass|\\section|\\begin\{document\}", content.text):
            from symattn.documents.formats.tex import read_tex

            read_tex(content, self.collector)
            return
        finder = MathFinder(content.text.strip(), tex=True)
        formula = finder.at(0) if finder.text.startswith("\\begin") else None
        stripped = content.strip()
        if formula and formula.end == len(stripped.text):
            self.collector.add_math("math_display", stripped.slice(formula.inner, formula.inner_end))
        else:
            self.collector.add_math("math_display", stripped)

    # tables

    def _table(self, tokens: list[Token], index: int) -> int:
        collector = self.collector
        rows: list[tuple[Cell, ...]] = []
        begin, end = tokens[index].map or [0, 0]
        collector.open_block()
        header = False
        with collector.inside("table"):
            while tokens[index].type != "table_close":
                token = tokens[index]
                if token.type == "thead_open":
                    header = True
                elif token.type == "thead_close":
                    header = False
                elif token.type == "tr_open":
                    rows.append(self._row(*token.meta["row"], header=header))
                index += 1
        collector.open_block()
        last = self.starts[end] if end < len(self.starts) else len(self.text)
        collector.add("table", self.placed.slice(self.starts[begin], last), rows=tuple(rows))
        return index + 1

    def _row(self, start: int, end: int, *, header: bool) -> tuple[Cell, ...]:
        cells = []
        for a, b in _cells(self.placed.text[start:end]):
            with self.collector.cell() as content:
                read_inline(_without_escaped_pipes(self.placed.slice(start + a, start + b).strip()), self.collector)
            cells.append(Cell(tuple(content), header))
        return tuple(cells)


def _cells(row: str) -> list[tuple[int, int]]:
    """Where the cells of a row stand: between bars that neither a backslash, nor a formula, nor code takes in.

    >>> row = "| $|q|$ | `a|b` | 2 |"
    >>> [row[a:b] for a, b in _cells(row)]
    [' $|q|$ ', ' `a|b` ', ' 2 ']
    """
    bars: list[int] = []
    finder = MathFinder(row)
    at = 0
    for match in re.finditer(r"\\[(\[]|\\.|[|$]|`[^`|]*(?:\|[^`|]*)?`", row):
        if match.start() < at:
            continue
        if match[0] == "|":
            bars.append(match.start())
        elif match[0] in ("$", "\\(", "\\[") and match.end() < len(row):
            formula = finder.at(match.start())
            if formula and not formula.unclosed:
                at = formula.end
    edges = [-1, *bars, len(row)]
    cells = [(a + 1, b) for a, b in pairwise(edges)]
    if bars and not row[: bars[0]].strip():
        cells = cells[1:]
    if len(bars) > 1 and not row[bars[-1] + 1 :].strip():
        cells = cells[:-1]
    return cells


def _without_escaped_pipes(placed: Placed) -> Placed:
    if r"\|" not in placed.text:
        return placed
    out = Weaver()
    at = 0
    for match in re.finditer(r"\\\|", placed.text):
        out.copy(placed, at, match.start())
        at = match.start() + 1
    out.copy(placed, at)
    return out.finish()
