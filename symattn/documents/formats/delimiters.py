r"""Where formulas begin and end in running text: `$`, `$$`, `\(`, `\[`, environments; each text is gone through once.

Arrives: the text of a paragraph, or of a whole TeX file. Leaves: `Formula` spans, asked for where a delimiter stands.
No delimiter is looked for twice: what closes what is noted in one pass beforehand, so unclosed ones cost nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from symattn.documents.formats.macros import closing_braces

DISPLAYS: Final = frozenset(
    {"equation", "displaymath", "math", "align", "aligned", "alignat", "alignedat", "flalign", "gather", "gathered",
     "multline", "eqnarray", "split", "dmath", "dgroup", "empheq"}
)  # fmt: skip
MATRICES: Final = frozenset(
    {"matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "psmallmatrix", "bsmallmatrix",
     "array", "cases", "rcases", "dcases", "pNiceMatrix", "bNiceMatrix", "NiceMatrix", "bNiceArray", "pNiceArray",
     "NiceArray"}
)  # fmt: skip
WRAPPERS: Final = frozenset({"equation", "displaymath", "math", "dmath", "dgroup"})
"""Say no more than that there is a formula, so the formula is handed on without them."""

_ESCAPES = re.compile(r"\\.|\$", re.DOTALL)
_BREAK = re.compile(r"\n[ \t]*(?=\n)")
_ENVIRONMENT = re.compile(r"\\(begin|end)[ \t]*\{([A-Za-z]+\*?)\}")
_MATHEMATICAL = re.compile(r"\\[A-Za-z]|[=≈^&]|\d[ \t]*[-+*/×·÷]")
_TWO_WORDS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}[,.;:]?\s+[A-Za-z]{2,}")
_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uffef]")
_PRICE = re.compile(r"\s*\d")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in a text: text[start:end] with its delimiters, text[inner:inner_end] without them.

    `unclosed` says that no end was found, and then the paragraph is taken to its end.
    """

    kind: Literal["math_inline", "math_display"]
    start: int
    inner: int
    inner_end: int
    end: int
    unclosed: str = ""


def is_environment(name: str) -> bool:
    """Whether the environment holds a formula.

    >>> is_environment("align*"), is_environment("itemize")
    (True, False)
    """
    name = name.removesuffix("*")
    return name in DISPLAYS or name in MATRICES


class MathFinder:
    r"""Finds the formulas of one text. With `tex` every pair of dollars counts, else prices are told from formulas.

    >>> finder = MathFinder(r"costs $5 and $10, but $x$ and \(y")
    >>> finder.at(6), finder.at(22).inner, finder.at(30)
    (None, 23, None)
    """

    def __init__(self, text: str, *, tex: bool = False) -> None:
        self.text = text
        self.tex = tex

    def at(self, start: int) -> Formula | None:
        """The formula that begins here: at a `$` or a backslash that nothing escapes."""
        if self.text[start] == "$":
            return self._dollars(start)
        following = self.text[start + 1 : start + 2]
        if following in ("(", "["):
            return self._bracket(start, 2)
        if following == "\\" and not self.tex and self.text[start + 2 : start + 3] in ("(", "["):
            return self._bracket(start, 3)  # Markdown eats one backslash, so authors wrote two
        if following in ("b", "e"):
            return self._environment(start)
        return None

    # what closes what, noted once

    @cached_property
    def _marks(self) -> dict[str, list[int]]:
        r"""Where the unescaped closers stand: `$`, `$$`, `\)`, `\]`, and `\\)`, `\\]`."""
        marks: dict[str, list[int]] = {"$": [], "$$": [], r"\)": [], r"\]": [], r"\\)": [], r"\\]": []}
        text = self.text
        for match in _ESCAPES.finditer(text):
            found, at = match[0], match.start()
            if found == "$":
                marks["$"].append(at)
                if at and text[at - 1] == "$" and marks["$"][-2:-1] == [at - 1]:
                    marks["$$"].append(at - 1)
            elif found in marks:
                marks[found].append(at)
            elif found == "\\\\" and text[at + 2 : at + 3] in (")", "]"):
                marks["\\\\" + text[at + 2]].append(at)
        return marks

    @cached_property
    def _breaks(self) -> list[int]:
        """Where paragraphs end."""
        return [*(match.start() for match in _BREAK.finditer(self.text)), len(self.text)]

    @cached_property
    def _mathematical(self) -> list[int]:
        return [match.start() for match in _MATHEMATICAL.finditer(self.text)]

    @cached_property
    def partners(self) -> dict[int, tuple[int, int, str]]:
        r"""For each `\begin` that has its `\end`: where that stands, begin and end, and the name of both."""
        opened: list[tuple[str, int]] = []
        waiting: Counter[str] = Counter()
        partners: dict[int, tuple[int, int, str]] = {}
        for match in _ENVIRONMENT.finditer(self.text):
            which, name = match[1], match[2]
            if which == "begin":
                opened.append((name, match.start()))
                waiting[name] += 1
            elif waiting[name]:
                while True:  # what was opened inside and never closed is passed over
                    inner, at = opened.pop()
                    waiting[inner] -= 1
                    if inner == name:
                        break
                partners[at] = (match.start(), match.end(), name)
        return partners

    @cached_property
    def _levels(self) -> dict[int, int]:
        r"""For each `$` of a TeX file the next one outside of the groups between: `$\text{if $x$}$`."""
        closing = closing_braces(self.text)
        ends = {end: begin for begin, end in closing.items()}
        last: list[int | None] = [None]
        following: dict[int, int] = {}
        for match in re.finditer(r"\\.|[{}$]", self.text, re.DOTALL):
            at = match.start()
            if match[0] == "{" and at in closing:
                last.append(None)
            elif match[0] == "}" and at in ends:
                last.pop()
            elif match[0] == "$":
                before = last[-1]
                if before is not None:
                    following[before] = at
                last[-1] = at
        return following

    def paragraph_end(self, start: int) -> int:
        """Where the paragraph ends that the place lies in."""
        return self._breaks[bisect_left(self._breaks, start)]

    # the kinds

    def _dollars(self, start: int) -> Formula | None:
        if self.text.startswith("$$", start):
            end = self._next("$$", start + 2)
            if end is not None and self.text[start + 2 : end].strip():
                return Formula(self._lines(start, end + 2), start, start + 2, end, end + 2)
            if end is None:
                return self._unclosed(start, 2, "$$")
            return None
        end = self._levels.get(start) if self.tex else self._next("$", start + 1)
        if end is None or end > self.paragraph_end(start) or not self.text[start + 1 : end].strip():
            return None
        if not self.tex and not self._is_formula(start, end):
            return None
        inner, inner_end = start + 1, end
        if self.text[inner] == "`" and self.text[end - 1] == "`" and end - inner > 2:
            inner, inner_end = inner + 1, inner_end - 1
        return Formula("math_inline", start, inner, inner_end, end + 1)

    def _is_formula(self, start: int, end: int) -> bool:
        """Whether text between two dollars is a formula, not words between two prices."""
        content = self.text[start + 1 : end]
        if "\\" in content:
            return True
        if _TWO_WORDS.search(content):
            return False
        price = _PRICE.match(content)
        if price and (_CJK.search(content) or self.text[end + 1 : end + 2].isdigit()):
            return False
        return not (content[0].isspace() or content[-1].isspace()) or bool(_MATHEMATICAL.search(content))

    def _bracket(self, start: int, width: int) -> Formula | None:
        opener = self.text[start : start + width]
        closer = opener[:-1] + (")" if opener[-1] == "(" else "]")
        end = self._next(closer, start + width)
        display = opener[-1] == "["
        if end is None or (not display and end > self.paragraph_end(start)):
            return None if width == 3 else self._unclosed(start, width, opener)
        if not self.text[start + width : end].strip():
            return None
        return Formula("math_display" if display else "math_inline", start, start + width, end, end + width)

    def _environment(self, start: int) -> Formula | None:
        match = _ENVIRONMENT.match(self.text, start)
        if match is None or match[1] == "end" or not is_environment(match[2]):
            return None
        kind: Literal["math_inline", "math_display"] = (
            "math_display" if match[2].removesuffix("*") in DISPLAYS else "math_inline"
        )
        partner = self.partners.get(start)
        if partner is None:
            end = self.paragraph_end(start)
            return Formula(kind, start, start, end, end, rf"\begin{{{match[2]}}} is never closed")
        inner, inner_end = start, partner[1]
        if match[2].removesuffix("*") in WRAPPERS:
            inner, inner_end = match.end(), partner[0]
        return Formula(kind, start, inner, inner_end, partner[1])

    def _unclosed(self, start: int, width: int, opener: str) -> Formula | None:
        """The rest of the paragraph, if it looks like a formula; else the delimiter is only itself."""
        end = self.paragraph_end(start)
        at = bisect_left(self._mathematical, start + width)
        if at >= len(self._mathematical) or self._mathematical[at] >= end:
            return None
        return Formula("math_display", start, start + width, end, end, f"{opener} is never closed")

    def _next(self, mark: str, start: int) -> int | None:
        places = self._marks[mark]
        at = bisect_left(places, start)
        return places[at] if at < len(places) else None

    def _lines(self, start: int, end: int) -> Literal["math_inline", "math_display"]:
        """A formula with words before or after it on its line is inline, as in kramdown."""
        before = self.text[max(0, start - 200) : start].rpartition("\n")[2]
        after = self.text[end : end + 200].partition("\n")[0]
        return "math_inline" if before.strip() or after.strip(" \t.,;。，；") else "math_display"


_FORMULA_CHARACTERS = re.compile(r"[\w^{}\\=+\-*/().,\[\]≈×·÷√|'&<>:; \t]")


def bare_start(text: str, start: int, floor: int) -> int:
    r"""Where a formula without delimiters begins whose `\begin` stands at `start`: `Q = ` belongs to it, words do not.

    >>> bare_start("Hence Q = \\begin{bmatrix}", 10, 0)
    6
    """
    floor = max(floor, text.rfind("\n", floor, start) + 1, start - 200)
    at = start
    for match in reversed(list(re.finditer(r"\S+\s*", text[floor:start]))):
        word = match[0].strip()
        if not all(_FORMULA_CHARACTERS.match(c) for c in word) or _is_word(word):
            break
        at = floor + match.start()
    return at


def bare_end(text: str, end: int, finder: MathFinder) -> int:
    r"""Where a formula without delimiters ends, after an `\end` at `end`: operators and further matrices belong to it.

    >>> text = r"\begin{bmatrix}1\end{bmatrix}^T = [1], so"
    >>> bare_end(text, 29, MathFinder(text)), len(text)
    (37, 41)
    """
    at = end
    while at < len(text) and at - end < 2_000:
        match = re.compile(r"[ \t]*(?:\\begin\{|[^\s$`\\]+|\\[^\s$`\\(\[]*)").match(text, at)
        if match is None:
            break
        word = match[0].strip()
        if word == r"\begin{":
            partner = finder.partners.get(match.end() - 7)
            if partner is None:
                break
            at = end = partner[1]
            continue
        if not all(_FORMULA_CHARACTERS.match(c) for c in word) or _is_word(word):
            break
        at = match.end()
    while at > end and text[at - 1] in " \t,;:.":
        at -= 1
    return at


def _is_word(word: str) -> bool:
    return bool(re.match(r"[A-Za-z]{3,}[,.:;]?\Z|[^\W\da-zA-Z_]{2,}", word)) or (
        word.rstrip(",.:;").lower() in ("is", "so", "we", "or", "to", "of", "in", "as", "by", "and", "the")
    )
