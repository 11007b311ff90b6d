r"""TeX files read into regions: comments dropped, author macros written out, formulas, tables, verbatim text, headings.

Arrives: the placed text of a .tex file or of a piece of one. Leaves: regions in the collector. Nothing is carried out:
`\input` and its kin are noted and not followed.

pylatexenc's walker stops at a few hundred nested groups or unclosed `\begin`s (RecursionError) and knows no author
macros, so the text is gone through here: comments and verbatim text first, then macros, then structure, each once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, ClassVar, Final

from symattn.documents.formats.collect import FILES, NOT_FOLLOWED
from symattn.documents.formats.delimiters import MathFinder
from symattn.documents.formats.document import Cell
from symattn.documents.formats.flow import HOLDER, bare_bounds
from symattn.documents.formats.macros import Failure, closing_braces
from symattn.documents.formats.offsets import Placed, Weaver
from symattn.documents.formats.source_code import is_known, read_code, without_blank_lines
from symattn.documents.formats.tex_source import VerbatimText, without_comments
from symattn.documents.formats.tex_words import (
    DROPPED,
    FIRST_DROPPED,
    FORMATTING,
    LISTS,
    PICTURES,
    SECTIONS,
    SPACES,
    SYMBOLS,
    TABULAR,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from symattn.documents.formats.collect import Collector
    from symattn.documents.formats.document import Kind

MAX_NESTED: Final = 6
"""Tables in tables, headings in cells: pieces read on their own."""

_SPECIAL = re.compile(rf"\\(?:[A-Za-z@]+\*?|.)?|[${{}}~]|\n[ \t]*\n|``|''|{HOLDER}", re.DOTALL)
_ENVIRONMENT = re.compile(r"[ \t]*\{([A-Za-z@]+\*?)\}")
_OPTION = re.compile(r"\s*\[[^\[\]]{0,500}\]")
_LINE_OPTION = re.compile(r"\*?(?:[ \t]*\[[^\[\]\n]{0,40}\])?")
_RULE_SIZE = re.compile(r"(?:\s*(?:width|height|depth)?\s*-?\d[\d.]*\s*(?:pt|cm|mm|em|ex|in)?)*")
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+\Z")
_STREAM = re.compile(r"-?\d{0,3}")
_OPENING = re.compile(r"\s*\{")


def read_tex(placed: Placed, collector: Collector) -> None:
    r"""Add the regions of a TeX text to the collector.

    >>> from symattn.documents.formats.collect import Collector
    >>> from symattn.documents.formats.offsets import whole
    >>> collector = Collector()
    >>> read_tex(whole(r"\newcommand{\w}{0.85} so $\w = 0.85$ % not this"), collector)
    >>> [(region.kind, region.text) for region in collector.regions]
    [('prose', 'so '), ('math_inline', '0.85 = 0.85')]
    """
    text, codes = without_comments(placed)
    begin = re.search(r"\\begin[ \t]*\{document\}", text.text)
    if begin:
        collector.macros.expand(text.slice(0, begin.start()))
        collector.not_followed(text.slice(0, begin.start()), FILES)
        end = text.text.find("\\end{document}", begin.end())
        text = text.slice(begin.end(), len(text.text) if end < 0 else end)
    expanded, failures = collector.macros.expand(text)
    for failure in failures:
        collector.note("macros", failure.reason, expanded.offsets.start(failure.start))
    _Body(expanded, collector, codes, failures).read()


class _Body:
    """A TeX text without comments and macros, read for its structure."""

    def __init__(
        self,
        placed: Placed,
        collector: Collector,
        codes: dict[int, VerbatimText],
        failures: tuple[Failure, ...] = (),
        *,
        kind: Kind = "prose",
        level: int = 0,
        depth: int = 0,
    ) -> None:
        self.placed = placed
        self.text = placed.text
        self.collector = collector
        self.codes = codes
        self.failures = failures
        self.kind = kind
        self.level = level
        self.depth = depth
        self.finder = MathFinder(self.text, tex=True)
        self.closing = closing_braces(self.text)
        self.dropped: set[int] = set()
        """Closing braces of groups whose braces are only formatting."""
        self.kept: set[int] = set()
        """Opening braces of groups that belong to a command which is not known here."""
        self.raised: set[int] = set()
        """Closing braces that end a superscript or subscript of text."""
        self.out = Weaver()
        self.done = 0
        self.floor = 0
        self.entered: list[str] = []
        self.fresh = True
        """Whether nothing of the paragraph was told yet."""

    def read(self) -> None:
        at = 0
        self._open_block()
        while match := _SPECIAL.search(self.text, at):
            at = self._special(match)
        self._copy_to(len(self.text))
        self._flush(last=True)
        for _ in self.entered:
            self.collector.leave()

    def _special(self, match: re.Match[str]) -> int:
        at, found = match.start(), match[0]
        if found == HOLDER:
            return self._verbatim(at)
        if found[0] == "\n":
            return self._paragraph(at, match.end())
        if found == "$":
            return self._formula(at) or at + (2 if self.text.startswith("$$", at) else 1)
        if found == "{":
            return self._open(at)
        if found == "}":
            if at in self.raised:
                return at + 1
            return self._close(at) if at in self.dropped else at + 1
        if found[0] == "\\":
            return self._command(match)
        return self._put({"~": " "}.get(found, '"'), at, match.end())

    # pieces of text

    def _copy_to(self, end: int) -> None:
        if end > self.done:
            self.out.copy(self.placed, self.done, end)
            self.done = end

    def _skip(self, start: int, end: int) -> int:
        self._copy_to(start)
        self.done = max(self.done, end)
        return end

    def _put(self, text: str, start: int, end: int) -> int:
        self._copy_to(start)
        self.out.put(text, *self.placed.span(start, end))
        self.done = end
        return end

    def _flush(self, *, last: bool = False) -> None:
        """Tell the text so far, without white space where its paragraph begins or ends."""
        content = self.out.finish()
        text = content.text
        a = len(text) - len(text.lstrip()) if self.fresh else 0
        b = len(text.rstrip()) if last else len(text)
        if a < b:
            self.collector.add(self.kind, content.slice(a, b), level=self.level)
            self.fresh = False

    def _paragraph(self, start: int, end: int) -> int:
        self._copy_to(start)
        self._flush(last=True)
        self._open_block()
        self.done = end
        return end - 1 if end - 1 > start else end

    def _open_block(self) -> None:
        """Begin a paragraph; in a heading or a cell all is one."""
        self.fresh = True
        if self.depth == 0:
            self.collector.open_block()

    def _open(self, at: int) -> int:
        """A group: its braces are taken away where they only hold formatting, or a decimal comma."""
        end = self.closing.get(at)
        mark = end == at + 2 and self.text[at + 1] in ",.:;=+-[]()"
        only_formats = mark or (self.text.startswith("\\", at + 1) and at not in self.kept)
        if end is not None and only_formats and self.text[at - 1 : at] not in ("^", "_"):
            self.dropped.add(end)
            return self._skip(at, at + 1)
        return at + 1

    def _close(self, at: int) -> int:
        r"""The end of a group whose braces go: `{\surd}d` is `\surd d`, no command \surdd."""
        ends = _ENDS_IN_COMMAND.search(self.text[max(0, at - 40) : at]) and self.text[at + 1 : at + 2].isalpha()
        return self._put(" ", at, at + 1) if ends else self._skip(at, at + 1)

    def _verbatim(self, at: int) -> int:
        self._copy_to(at)
        self._flush()
        self.done = self.floor = at + 1
        code = self.codes.get(self.placed.offsets.start(at))
        if code is not None:
            if code.inline:
                self.collector.add("code_inline", code.content, info=code.info, level=self.level)
            else:
                self.collector.open_block()
                content = without_blank_lines(code.content)
                if is_known(code.info):
                    read_code(content, code.info, self.collector)
                else:
                    self.collector.add("code", content, info=code.info)
                self.collector.open_block()
        return at + 1

    def _formula(self, at: int) -> int | None:
        formula = self.finder.at(at) if at + 1 < len(self.text) else None
        if formula is None:
            return None
        start, end = bare_bounds(self.text, formula, self.finder, max(self.floor, self.done))
        self._copy_to(start)
        self._flush()
        inner, inner_end = (
            (start, end) if (start, end) != (formula.start, formula.end) else (formula.inner, formula.inner_end)
        )
        reason = formula.unclosed or self._failure(inner, inner_end)
        content = self.placed.slice(inner, inner_end).strip()
        if HOLDER in content.text:
            reason = reason or "verbatim text in a formula"
        reason = reason or self.collector.not_followed(content)
        self.collector.add(formula.kind, content, level=self.level, unreadable=reason)
        self.fresh = False
        self.done = self.floor = end
        return end

    def _failure(self, start: int, end: int) -> str:
        """Why a macro between the places was not written out."""
        at = bisect_right(self.failures, start, key=lambda failure: failure.end)
        if at < len(self.failures) and self.failures[at].start < end:
            return self.failures[at].reason
        return ""

    # commands

    def _command(self, match: re.Match[str]) -> int:
        at, end = match.start(), match.end()
        starred = match[0][1:]
        name = starred.rstrip("*") if starred[:1].isalpha() else starred
        if not name:
            return end
        if name in ("(", "[", "begin"):
            formula = self._formula(at)
            if formula:
                return formula
        act = self._ACTS.get(name)
        if act is not None:
            return act(self, at, end)
        if name in SECTIONS:
            return self._section(at, end, SECTIONS[name])
        if name in NOT_FOLLOWED:
            self.collector.not_followed(self.placed.slice(at, end))
            stream = _STREAM.match(self.text, end)
            return self._skip(at, self._groups(stream.end() if stream else end, 1))
        if name in DROPPED:
            return self._skip(at, self._groups(end, 9))
        if name in SYMBOLS or name in SPACES:
            return self._put(SYMBOLS.get(name, SPACES.get(name, "")), at, end)
        if name in FORMATTING:
            return self._formatting(name, at, end)
        return self._unknown(end)

    def _rule(self, at: int, end: int) -> int:
        size = _RULE_SIZE.match(self.text, end)
        return self._skip(at, size.end() if size else end)

    def _unknown(self, end: int) -> int:
        """A command that is not known here stays with its groups, for the reader of formulas to know or to refuse."""
        group = end
        while self.text.startswith("{", group) and group in self.closing:
            self.kept.add(group)
            group = self.closing[group] + 1
        return end

    def _line(self, at: int, end: int) -> int:
        r"""A line break, `\\\\` with its options."""
        option = _LINE_OPTION.match(self.text, end)
        return self._put("\n", at, option.end() if option else end)

    def _formatting(self, name: str, at: int, end: int) -> int:
        if name in FIRST_DROPPED or name in ("color", "cline", "cmidrule"):
            end = self._groups(end, 1)
        elif name == "multicolumn":
            end = self._groups(end, 2)
        option = _OPTION.match(self.text, end) if name in ("caption", "footnote", "makebox", "item") else None
        end = option.end() if option else end
        opening = _OPENING.match(self.text, end)
        if opening and opening.end() - 1 in self.closing:
            closing = self.closing[opening.end() - 1]
            script = {"textsuperscript": "^{", "textsubscript": "_{"}.get(name)
            if script:
                self.raised.add(closing)
                return self._put(script, at, opening.end())
            self.dropped.add(closing)
            end = opening.end()
        else:  # a switch such as \bf takes the spaces after it along
            space = re.compile(r"[ \t]*").match(self.text, end)
            end = space.end() if space else end
        return self._skip(at, end)

    def _groups(self, at: int, count: int) -> int:
        """Where so many groups and options end that follow here."""
        for _ in range(count + 2):
            option = _OPTION.match(self.text, at)
            opening = None if option else _OPENING.match(self.text, at)
            if option:
                at = option.end()
            elif opening and count and opening.end() - 1 in self.closing and "\n\n" not in opening[0]:
                at = self.closing[opening.end() - 1] + 1
                count -= 1
            else:
                break
        return at

    def _section(self, at: int, end: int, level: int) -> int:
        option = _OPTION.match(self.text, end)
        opening = _OPENING.match(self.text, option.end() if option else end)
        if opening is None or opening.end() - 1 not in self.closing:
            return self._skip(at, end)
        begin, stop = opening.end(), self.closing[opening.end() - 1]
        self._copy_to(at)
        self._flush()
        with self.collector.heading(level):
            self._inner(begin, stop, kind="heading", level=level)
        self._open_block()
        return self._skip(at, stop + 1)

    def _inner(self, start: int, end: int, *, kind: Kind = "prose", level: int = 0) -> None:
        """Read a piece of the text on its own: a heading, a cell."""
        piece = self.placed.slice(start, end).strip()
        if self.depth >= MAX_NESTED:
            self.collector.add(kind, piece, level=level)
            return
        reason = self._failure(start, end)
        failures = (Failure(0, len(piece.text), reason),) if reason else ()
        _Body(piece, self.collector, self.codes, failures, kind=kind, level=level, depth=self.depth + 1).read()

    def _item(self, at: int, end: int) -> int:
        self._copy_to(at)
        self._flush(last=True)
        self._open_block()
        self.done = end
        option = _OPTION.match(self.text, end)
        if option:  # \item[Row 1]: the words of the label are read, its brackets are not
            bracket = self.text.index("[", end)
            self.done = bracket + 1
            self._copy_to(option.end() - 1)
            self.out.put(" ", *self.placed.span(option.end() - 1, option.end()))
            self.done = option.end()
            return option.end()
        return end

    def _begin(self, at: int, end: int) -> int:
        match = _ENVIRONMENT.match(self.text, end)
        if match is None:
            return end
        name = match[1]
        partner = self.finder.partners.get(at)
        if name in TABULAR and partner and self.depth < MAX_NESTED:
            return self._table(at, match.end(), partner[0], partner[1])
        if name == "frame":
            after = self._groups(match.end(), 0)
            return self._section(at, after, 2) if _OPENING.match(self.text, after) else self._paragraph(at, after)
        if name.rstrip("*") in PICTURES:
            return self._skip(at, partner[1] if partner else match.end())
        self._paragraph(at, match.end())
        if name in LISTS:
            self.entered.append(LISTS[name])
            self.collector.enter(LISTS[name])
        after = self._groups(
            match.end(), 1 if name in ("minipage", "multicols", "adjustbox", "columns", "column", "block") else 0
        )
        self.done = after
        return after

    def _end(self, at: int, end: int) -> int:
        match = _ENVIRONMENT.match(self.text, end)
        if match is None:
            return end
        self._paragraph(at, match.end())
        if match[1] in LISTS and self.entered:
            self.entered.pop()
            self.collector.leave()
        return match.end()

    # tables

    def _table(self, at: int, begin: int, stop: int, end: int) -> int:
        self._copy_to(at)
        self._flush()
        name = _ENVIRONMENT.match(self.text, at + len("\\begin"))
        begin = self._groups(begin, 2 if name and name[1] in ("tabularx", "tabulary", "tabular*") else 1)
        rows: list[tuple[Cell, ...]] = []
        self.collector.open_block()
        with self.collector.inside("table"):
            for row in self._rows(begin, max(begin, stop)):
                cells: list[Cell] = []
                for a, b in row:
                    with self.collector.cell() as content:
                        columns = self._columns(a, b)
                        self._inner(a, b)
                    cells.append(Cell(tuple(content)))
                    cells.extend(Cell(()) for _ in range(columns - 1))
                if any(cell.regions for cell in cells):
                    rows.append(tuple(cells))
        self.collector.open_block()
        self.collector.add("table", self.placed.slice(at, end), rows=tuple(rows))
        self._open_block()
        self.done = self.floor = end
        return end

    def _columns(self, start: int, end: int) -> int:
        match = re.compile(r"\s*\\multicolumn\s*\{\s*(\d{1,2})\s*\}").match(self.text, start, end)
        return max(1, int(match[1])) if match else 1

    def _rows(self, start: int, stop: int) -> list[list[tuple[int, int]]]:
        r"""Where the cells of each row stand: between `&` and `\\` outside of groups, formulas and environments."""
        rows: list[list[tuple[int, int]]] = [[]]
        at = cell = start
        pattern = re.compile(r"\\(?:[A-Za-z@]+|.)|[{$&]", re.DOTALL)
        while (match := pattern.search(self.text, at, stop)) is not None:
            place, at = match.start(), match.end()
            found = match[0]
            if found == "{":
                at = self.closing.get(place, place) + 1
            elif found in ("$", "\\(", "\\["):
                formula = self.finder.at(place) if place + 1 < len(self.text) else None
                at = formula.end if formula and not formula.unclosed else at
            elif found == "\\begin":
                partner = self.finder.partners.get(place)
                at = partner[1] if partner else at
            elif found == "&":
                rows[-1].append((cell, place))
                cell = at
            elif found in ("\\\\", "\\tabularnewline", "\\cr"):
                rows[-1].append((cell, place))
                rows.append([])
                option = _LINE_OPTION.match(self.text, at, stop)
                at = cell = option.end() if option else at
        rows[-1].append((cell, max(cell, stop)))
        return rows

    _ACTS: ClassVar[dict[str, Callable[[_Body, int, int], int]]] = {
        "\\": _line,
        "begin": _begin,
        "end": _end,
        "item": _item,
        "par": _paragraph,
        "vrule": _rule,
        "hrule": _rule,
        "penalty": _rule,
    }
