r"""Markdown's running text taken apart: formulas, inline code, and prose with its markup taken away.

Arrives: the placed text of one paragraph, heading or cell. Leaves: regions in order. One pass; what could run to the
end again and again (code spans, emphasis, formulas) has its closers noted beforehand.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from symattn.documents.formats.delimiters import MathFinder
from symattn.documents.formats.entities import REFERENCE, decode
from symattn.documents.formats.flow import add_formula, bare_bounds
from symattn.documents.formats.image_formulas import formula_of
from symattn.documents.formats.offsets import Placed, Weaver, words

if TYPE_CHECKING:
    from symattn.documents.formats.collect import Collector
    from symattn.documents.formats.document import Kind

_SPECIAL = re.compile(r"[\\`$<&*_~!\[\]{]|https?://")
_TICKS = re.compile(r"`+")
_RUN = re.compile(r"\*{1,3}|_{1,3}|~~")
TAG = re.compile(
    r"</?([A-Za-z][A-Za-z0-9]{0,15})((?:\s+[\w:@-]+(?:\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=`]+)))*)\s*/?>"
)
_TAGS = words(
    """
    a abbr b big br center code del details div em font figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark
    nobr ol p picture pre q s samp small source span strike strong sub summary sup table tbody td th thead tr tt u
    ul var wbr math-renderer
    """
)
_DESTINATION = re.compile(
    r"\]\(\s*<?(?:[A-Za-z][\w+.-]*:|[#/.?]|www\.|[\w%-]+(?:[/.][\w%.-]+)+)[^\s()<>]{0,2000}>?"
    r"(?:\s+(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s*\)"
)
_IMAGE = re.compile(r"!\[[^\[\]]{0,500}" + _DESTINATION.pattern)
_PICTURE = re.compile(r"!\[[^\[\]]{0,500}\]\(<?([^\s<>!]{0,2000})>?\)")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]}，。；、]{1,2000}")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:)[^<>\s]{0,2000}>")
_ATTRIBUTES = re.compile(r"\{(?::[^{}\n]{0,300}|%[^{}\n]{0,300}%|#[\w-]{1,100})\}")
_BRACKETS = re.compile(r"\\.|[\[\]]", re.DOTALL)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class _Marks:
    """The closers of one paragraph."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def ticks(self) -> dict[int, list[int]]:
        """Where the runs of backticks stand, by their length."""
        runs: dict[int, list[int]] = {}
        for match in _TICKS.finditer(self.text):
            runs.setdefault(len(match[0]), []).append(match.start())
        return runs

    @cached_property
    def emphasis(self) -> dict[int, int]:
        """The runs of `*`, `_` and `~~` that are markup, and their lengths: those that open and are closed."""
        opened: dict[str, list[int]] = {}
        markup: dict[int, int] = {}
        for match in _RUN.finditer(self.text):
            run, start, end = match[0], match.start(), match.end()
            before, after = self.text[start - 1 : start], self.text[end : end + 1]
            opens = bool(after) and not after.isspace() and not _holds(before, opening=True, run=run)
            closes = bool(before) and not before.isspace() and not _holds(after, opening=False, run=run)
            if start and self.text[start - 1] == "\\":
                continue
            waiting = opened.setdefault(run, [])
            if closes and waiting and waiting[-1] + len(run) < start:
                begin = waiting.pop()
                if run == "~~":  # what is struck out is passed over
                    markup[begin] = end - begin
                else:
                    markup[begin] = markup[start] = len(run)
            elif opens:
                waiting.append(start)
        return markup

    @cached_property
    def links(self) -> set[int]:
        """Where the brackets stand that open a link's words."""
        opened: list[int] = []
        links: set[int] = set()
        for match in _BRACKETS.finditer(self.text):
            if match[0] == "[":
                opened.append(match.start())
            elif match[0] == "]" and opened:
                at = opened.pop()
                if _DESTINATION.match(self.text, match.start()):
                    links.add(at)
        return links

    def code_end(self, start: int, length: int) -> int | None:
        """Where the next run of so many backticks stands."""
        places = self.ticks.get(length, [])
        at = bisect_right(places, start)
        return places[at] if at < len(places) else None


def _holds(neighbour: str, *, opening: bool, run: str) -> bool:
    """Whether the character outside makes a run an operator: 2*3, W_Q, (a)*(b). Chinese text may stand there."""
    if not neighbour or neighbour.isspace():
        return False
    if neighbour.isascii() and neighbour.isalnum():
        return True
    return run in "*_" and neighbour in (")]}" if opening else "([{\\")


def read_inline(placed: Placed, collector: Collector, kind: Kind = "prose", *, level: int = 0) -> None:
    r"""Add the regions of a paragraph of Markdown to the collector's open block.

    >>> from symattn.documents.formats.collect import Collector
        >>> from symattn.documents.formats.offsets import whole
    >>> collector = Collector()
    >>> read_inline(whole(r"**Sum** of $a$: `3 = 3`, K<sup>T</sup>, 2*3*4, Q\_1"), collector)
    >>> [(region.kind, region.text) for region in collector.regions]
    [('prose', 'Sum of '), ('math_inline', 'a'), ('prose', ': '), ('code_inline', '3 = 3'),
     ('prose', ', K^{T}, 2*3*4, Q_1')]
    """
    _Inline(placed, collector, kind, level).read()


class _Inline:
    def __init__(self, placed: Placed, collector: Collector, kind: Kind, level: int) -> None:
        self.placed = placed
        self.text = placed.text
        self.collector = collector
        self.kind = kind
        self.level = level
        self.finder = MathFinder(self.text)
        self.marks = _Marks(self.text)
        self.out = Weaver()
        self.done = 0
        """How far the text was taken over."""
        self.floor = 0
        """Where the last formula or code ended: a formula is not widened beyond it."""
        self.comment_ends: list[int] | None = None

    def read(self) -> None:
        at = 0
        while match := _SPECIAL.search(self.text, at):
            at = self._special(match.start())
        self._copy_to(len(self.text))
        self._flush()

    def _special(self, at: int) -> int:
        """Deal with the character here; where to go on."""
        character = self.text[at]
        if character == "\\":
            return self._backslash(at)
        if character == "$":
            return self._formula(at) or at + (2 if self.text.startswith("$$", at) else 1)
        if character == "`":
            return self._code(at)
        if character == "<":
            return self._tag(at)
        if character == "&":
            return self._reference(at)
        if character in "*_~":
            length = self.marks.emphasis.get(at)
            return self._skip(at, at + length) if length else at + len(_RUN_OR_ONE.match(self.text, at)[0])  # type: ignore[index]
        return self._link(at, character)

    def _copy_to(self, end: int) -> None:
        self.out.copy(self.placed, self.done, end)
        self.done = max(self.done, end)

    def _skip(self, start: int, end: int) -> int:
        self._copy_to(start)
        self.done = end
        return end

    def _put(self, text: str, start: int, end: int) -> int:
        self._copy_to(start)
        self.out.put(text, *self.placed.span(start, end))
        self.done = end
        return end

    def _flush(self) -> None:
        self.collector.add(self.kind, self.out.finish(), level=self.level)

    def _backslash(self, at: int) -> int:
        following = self.text[at + 1 : at + 2]
        if not following:
            return at + 1
        end = self._formula(at)
        if end:
            return end
        if following == "\n":
            return self._skip(at, at + 1)
        if following in _PUNCTUATION:
            self._skip(at, at + 1)
        return at + 2

    def _formula(self, at: int) -> int | None:
        formula = self.finder.at(at) if at + 1 < len(self.text) else None
        if formula is None:
            return None
        start, end = bare_bounds(self.text, formula, self.finder, max(self.floor, self.done))
        self._copy_to(start)
        self._flush()
        add_formula(self.placed, formula, start, end, self.collector, level=self.level)
        self.done = self.floor = end
        return end

    def _code(self, at: int) -> int:
        length = len(_TICKS.match(self.text, at)[0])  # type: ignore[index]
        end = self.marks.code_end(at, length)
        if end is None:
            return at + length
        self._copy_to(at)
        self._flush()
        content = self.placed.slice(at + length, end)
        if content.text[:1] == content.text[-1:] == " " and content.text.strip():
            content = content.slice(1, len(content.text) - 1)
        self.collector.add("code_inline", content, level=self.level)
        self.done = self.floor = end + length
        return self.done

    def _tag(self, at: int) -> int:
        if self.text.startswith("<!--", at):
            end = self.text.find("-->", at + 4) if self.comment_ends is None else -1
            if end < 0:
                self.comment_ends = []  # none from here on
                return at + 4
            return self._skip(at, end + 3)
        link = _AUTOLINK.match(self.text, at)
        if link:
            return self._skip(at, link.end())
        match = TAG.match(self.text, at)
        if match is None or match[1].lower() not in _TAGS:
            return at + 1
        name, closing = match[1].lower(), match[0].startswith("</")
        meaning = {"br": "\n", "sup": "}" if closing else "^{", "sub": "}" if closing else "_{"}.get(name)
        if meaning is None:
            return self._skip(at, match.end())
        return self._put(meaning, at, match.end())

    def _reference(self, at: int) -> int:
        match = REFERENCE.match(self.text, at)
        if match is None:
            return at + 1
        decoded = decode(self.placed.slice(at, match.end()))
        if decoded.text == match[0]:
            return match.end()
        return self._put(decoded.text, at, match.end())

    def _link(self, at: int, character: str) -> int:
        if character == "[" and at in self.marks.links:
            return self._skip(at, at + 1)
        pattern = {"!": _IMAGE, "]": _DESTINATION, "{": _ATTRIBUTES, "h": _ADDRESS}.get(character)
        match = pattern.match(self.text, at) if pattern else None
        if character == "!":
            picture = _PICTURE.match(self.text, at)
            formula = formula_of(decode(self.placed.slice(*picture.span(1)))) if picture else None
            if picture and formula:
                self._copy_to(at)
                self._flush()
                self.collector.add_math("math_inline", formula, level=self.level)
                self.done = self.floor = picture.end()
                return self.done
        if match is None:
            return at + 1
        return self._skip(at, match.end())


_RUN_OR_ONE = re.compile(r"\*+|_+|~+")
