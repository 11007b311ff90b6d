"""What stands in an output, read from its beginning on: labels, numbers, and arrays as NumPy and PyTorch print them.

Arrives: the text of an output. Leaves: trees of numbers and arrays, each at its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from symattn.documents.reading.tokens import number_token
from symattn.documents.reading.tree import Blank, Infinity, List, Matrix, Neg, Node, Number

_WRAPPER: Final = re.compile(
    r"(?:[A-Za-z_]\w*\.)*(?:array|tensor|Tensor|Array|DeviceArray|Parameter|matrix|float\d+|int\d+|longdouble)\(\s*"
)
_WRAPPED_END: Final = re.compile(r"\s*(?:,[^()\[\]]*(?:\([^()\[\]]*\)[^()\[\]]*)*)?\)")
_NUMBER: Final = re.compile(r"([-+]?)(?:(inf|nan)|(\d+\.?\d*|\.\d+)(?:[eE]([-+]?\d+))?)(?![\w.])")
_OPAQUE: Final = re.compile(
    r"[A-Za-z_][\w.]*(?:\((?:[^()\n]|\([^()\n]*\))*\))?|\((?:[^()\n]|\([^()\n]*\))*\)|\d[\w.+:-]*"
)
_SPACE: Final = re.compile(r"\s*")
_BETWEEN: Final = re.compile(r"[\s,]*")


@dataclass
class Printout:
    """A text that a program printed, read up to `at`; it ends at `end`."""

    text: str
    at: int
    end: int

    @property
    def is_done(self) -> bool:
        """Whether nothing but space is left."""
        return self._space(self.at) >= self.end

    def label(self, words: str, *, far: bool = False) -> bool:
        """Pass over words that come next; with `far` over all that stands before them, where they stand once.

        >>> out = Printout("S = [1. 2.]", 0, 11)
        >>> out.label("S ="), out.at
        (True, 3)
        """
        at = self._space(self.at)
        if self.text.startswith(words, at, self.end):
            self.at = at + len(words)
            return True
        if not far or self.text.count(words, self.at, self.end) != 1:
            return False
        self.at = self.text.index(words, self.at, self.end) + len(words)
        return True

    def value(self) -> Node | None:
        """The number or the array that comes next, None where something else does.

        >>> out = Printout("array([[1., 0.]]) 2.5", 0, 21)
        >>> out.value().shape, out.value().text, out.value()
        ((1, 2), '2.5', None)
        """
        at = self._space(self.at)
        wrapper = _WRAPPER.match(self.text, at, self.end)
        found = self._item(wrapper.end() if wrapper else at)
        if found is None:
            return None
        node, at = found
        if wrapper is not None:
            closing = _WRAPPED_END.match(self.text, at, self.end)
            if closing is None:
                return None
            at = closing.end()
        self.at = at
        return node

    def other(self) -> tuple[int, int, bool]:
        """Pass over what is no number: one word, or all that is left; its place, and whether it was one word."""
        start = self._space(self.at)
        word = _OPAQUE.match(self.text, start, self.end)
        line_end = self.text.find("\n", start, self.end)
        line_end = self.end if line_end < 0 else line_end
        whole = word is not None and (word[0].endswith(")") or word[0] in {"True", "False", "None"})
        if word is not None and (whole or not self.text[word.end() : line_end].strip()):
            self.at = word.end()
            return start, self.at, True
        self.at = self.end
        return start, max(start, start + len(self.text[start : self.end].rstrip())), False

    def _space(self, at: int) -> int:
        match = _SPACE.match(self.text, at, self.end)
        return match.end() if match else at

    def _item(self, at: int) -> tuple[Node, int] | None:
        """A number or an array of one or two dimensions, and where it ends."""
        if not self.text.startswith("[", at, self.end):
            return self._number(at)
        start = at
        at = self._after(at + 1)
        rows: list[tuple[Node, ...]] = []
        cells: list[Node] = []
        while at < self.end and self.text[at] != "]":
            if self.text[at] == "[":
                row = self._row(at)
                if row is None:
                    return None
                rows.append(row[0])
                at = row[1]
            else:
                cell = self._number(at)
                if cell is None:
                    return None
                cells.append(cell[0])
                at = cell[1]
            at = self._after(at)
        if at >= self.end or bool(rows) == bool(cells) or len({len(row) for row in rows}) > 1:
            return None
        end = at + 1
        return (Matrix(start, end, tuple(rows), "[]") if rows else List(start, end, tuple(cells))), end

    def _row(self, at: int) -> tuple[tuple[Node, ...], int] | None:
        at = self._after(at + 1)
        cells: list[Node] = []
        while at < self.end and self.text[at] != "]":
            cell = self._number(at)
            if cell is None:
                return None
            cells.append(cell[0])
            at = self._after(cell[1])
        return (tuple(cells), at + 1) if at < self.end and cells else None

    def _after(self, at: int) -> int:
        match = _BETWEEN.match(self.text, at, self.end)
        return match.end() if match else at

    def _number(self, at: int) -> tuple[Node, int] | None:
        match = _NUMBER.match(self.text, at, self.end)
        if match is None:
            # the end of a sentence: "the sum is 3."
            return None
        start, end = match.start() + len(match[1]), match.end()
        inner: Node
        if match[2] == "nan":
            return Blank(match.start(), end), end
        if match[2] == "inf":
            inner = Infinity(start, end)
        else:
            token = number_token(self.text[start:end], start, end, 0, match[3].rstrip("."), exponent=match[4] or "")
            if not isinstance(token.value, Number):
                return None
            inner = token.value
        return (Neg(match.start(), end, inner) if match[1] == "-" else inner), end
