"""Replacements in a source, by their places in it.

Arrives: a source, and pieces of the text that the edits so far have made of it. Leaves: the new text, and the way back.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass


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
        first, last, before, behind = self.back(start, end)
        for span in [span for span in self.made if first <= span[0] and span[1] <= last]:
            del self.made[span]
        self.made[first, last] = before + new + behind
        self._kept = None

    def drop(self, stop: int) -> None:
        """Put back what ends there in the source."""
        for span in [span for span in self.made if span[1] == stop]:
            del self.made[span]
            self._kept = None

    def touch(self, stop: int) -> bool:
        """Whether something that ends there in the source was replaced."""
        return any(span[1] == stop for span in self.made)

    def _in_text(self) -> tuple[list[int], list[_Edit]]:
        if self._kept is None:
            edits, shift = [], 0
            for (start, stop), new in sorted(self.made.items()):
                low = start + shift
                shift += len(new) - (stop - start)
                edits.append(_Edit(start, stop, new, low, low + len(new), shift))
            self._kept = [edit.low for edit in edits], edits
        return self._kept
