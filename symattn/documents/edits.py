"""Replacements in a source, by their places in it.

Arrives: a source, and pieces of the text that the edits so far have made of it. Leaves: the new text, and the way back.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class _Edit:
    """source[start:stop] is `new`, which is text[low:high]; what follows has moved by `shift`."""

    start: int
    stop: int
    new: str
    low: int
    high: int
    shift: int


class Edits:
    """The edits of one source. Later ones may lie in what earlier ones have put in.

    >>> edits = Edits("a = 1.17, b = 1.17")
    >>> edits.put(4, 8, "-1.2")
    >>> edits.put(14, 18, "1.18")
    >>> edits.put(5, 8, "12345")
    >>> edits.text(), edits.back(4, 10), edits.back(16, 20)
    ('a = -12345, b = 1.18', (4, 8, '', ''), (14, 18, '', ''))
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.made: dict[tuple[int, int], str] = {}
        self._kept: tuple[list[int], list[_Edit]] | None = None

    def text(self) -> str:
        """The source with the edits made."""
        out, at = [], 0
        for (start, stop), new in sorted(self.made.items()):
            out += [self.source[at:start], new]
            at = stop
        return "".join([*out, self.source[at:]])

    def back(self, start: int, end: int) -> tuple[int, int, str, str]:
        """The piece of the source that text[start:end] stands for, and what of its edits lies before and behind it."""
        lows, edits = self._in_text()
        first, last = start, end
        before = behind = ""
        at = bisect_right(lows, start) - 1
        if at >= 0:
            edit = edits[at]
            inside = start < edit.high
            first, before = (edit.start, edit.new[: start - edit.low]) if inside else (start - edit.shift, "")
        at = bisect_left(lows, end) - 1
        if at >= 0:
            edit = edits[at]
            inside = end <= edit.high
            last, behind = (edit.stop, edit.new[end - edit.low :]) if inside else (end - edit.shift, "")
        return first, last, before, behind

    def put(self, start: int, end: int, new: str) -> None:
        """Replace text[start:end]."""
        self.put_all([(start, end, new)])

    def put_all(self, puts: Iterable[tuple[int, int, str]]) -> None:
        """Replace several pieces text[start:end] that do not overlap, by their places in the text as it is."""
        groups: list[tuple[int, int, list[tuple[int, int, str]]]] = []
        for start, end, new in sorted(puts):
            first, last, _, _ = self.back(start, end)
            if groups and first < groups[-1][1]:  # another piece of the same earlier edit
                low, high, pieces = groups.pop()
                groups.append((low, max(high, last), [*pieces, (start, end, new)]))
            else:
                groups.append((first, last, [(start, end, new)]))
        for first, last, pieces in groups:
            _, _, before, _ = self.back(pieces[0][0], pieces[0][1])
            _, _, _, behind = self.back(pieces[-1][0], pieces[-1][1])
            between = [self._text_between(a[1], b[0]) for a, b in pairwise(pieces)]
            made = "".join(new + gap for (_, _, new), gap in zip(pieces, [*between, ""], strict=True))
            self._clear(first, last)
            self.made[first, last] = before + made + behind
        self._kept = None

    def _text_between(self, start: int, end: int) -> str:
        """The text between two pieces of one edit."""
        lows, edits = self._in_text()
        edit = edits[bisect_right(lows, start) - 1]
        return edit.new[start - edit.low : end - edit.low]

    def drop(self, stop: int) -> None:
        """Put back what ends there in the source."""
        if (start := self._start_of(stop)) is not None:
            del self.made[start, stop]
            self._kept = None

    def touch(self, stop: int) -> bool:
        """Whether something that ends there in the source was replaced."""
        return self._start_of(stop) is not None

    def _start_of(self, stop: int) -> int | None:
        _, edits = self._in_text()
        at = bisect_left(edits, stop, key=lambda edit: edit.stop)
        return edits[at].start if at < len(edits) and edits[at].stop == stop else None

    def _clear(self, first: int, last: int) -> None:
        _, edits = self._in_text()
        at = bisect_left(edits, first, key=lambda edit: edit.start)
        while at < len(edits) and edits[at].stop <= last:
            self.made.pop((edits[at].start, edits[at].stop), None)
            at += 1

    def _in_text(self) -> tuple[list[int], list[_Edit]]:
        if self._kept is None:
            edits, shift = [], 0
            for (start, stop), new in sorted(self.made.items()):
                low = start + shift
                shift += len(new) - (stop - start)
                edits.append(_Edit(start, stop, new, low, low + len(new), shift))
            self._kept = [edit.low for edit in edits], edits
        return self._kept
