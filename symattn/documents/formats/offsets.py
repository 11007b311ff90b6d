"""Text that knows where each of its characters was written, whatever was decoded, expanded or left out on the way.

Arrives: pieces of a source, copied or standing for something in it. Leaves: `Placed` text with its `Offsets`. Built
on each other they compose: a slice of a slice, or a macro expanded in a decoded string, still points into the file.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offsets:
    """Where the characters of a text come from: runs, each copied from the source or standing for a piece of it.

    Run i begins at `starts[i]` in the text and at `sources[i]` in the source. A width of 0 says that the run was
    copied character by character; any other, that each of its characters stands for so many characters there.

    >>> offsets = Offsets((0, 2), (10, 12), (0, 5), 3)  # "a ", then one character for the five of "&amp;"
    >>> offsets.span(1, 3), offsets.copied(0, 2), offsets.copied(0, 3)
    ((11, 17), True, False)
    """

    starts: tuple[int, ...]
    sources: tuple[int, ...]
    widths: tuple[int, ...]
    length: int

    def run(self, index: int) -> int:
        """The number of the run that the character belongs to."""
        return max(bisect_right(self.starts, index) - 1, 0)

    def start(self, index: int) -> int:
        """Where in the source the character begins; at the end of the text, where the last one ends."""
        if index >= self.length:
            return self.end(self.length - 1) if self.length else (self.sources[0] if self.sources else 0)
        run = self.run(index)
        return self.sources[run] + (0 if self.widths[run] else index - self.starts[run])

    def end(self, index: int) -> int:
        """Where in the source the character ends."""
        run = self.run(index)
        return self.sources[run] + (self.widths[run] or index - self.starts[run] + 1)

    def span(self, a: int, b: int) -> tuple[int, int]:
        """The smallest piece of the source, begin and end, that text[a:b] comes from."""
        if a >= b:
            return self.start(a), self.start(a)
        first, last = self.run(a), self.run(b - 1)
        begin, end = self.start(a), self.end(b - 1)
        for run in range(first + 1, last + 1):
            begin = min(begin, self.sources[run])
            end = max(end, self.end(self.starts[run] - 1))
        return begin, end

    def copied(self, a: int, b: int) -> bool:
        """Whether text[a:b] stands in the source exactly so, in one piece."""
        run = self.run(a)
        return a >= b or (self.widths[run] == 0 and self.run(b - 1) == run)


@dataclass(frozen=True, slots=True)
class Placed:
    """A text and where it comes from.

    >>> text = whole("a = b")
    >>> text.slice(2, 5).text, text.slice(2, 5).offsets.start(0)
    ('= b', 2)
    """

    text: str
    offsets: Offsets

    def slice(self, a: int, b: int) -> Placed:
        """The piece text[a:b], still placed."""
        if a == 0 and b >= len(self.text):
            return self
        b = min(b, len(self.text))
        if a < b:
            offsets = self.offsets
            run = offsets.run(a)
            if run + 1 == len(offsets.starts) or b <= offsets.starts[run + 1]:
                width = offsets.widths[run]
                source = offsets.sources[run] + (0 if width else a - offsets.starts[run])
                return Placed(self.text[a:b], Offsets((0,), (source,), (width,), b - a))
        weaver = Weaver()
        weaver.copy(self, a, b)
        return weaver.finish(at=self.offsets.start(a))

    def strip(self) -> Placed:
        """The text without white space at its ends."""
        text = self.text
        a = len(text) - len(text.lstrip())
        return self.slice(a, max(a, len(text.rstrip())))

    def span(self, a: int, b: int) -> tuple[int, int]:
        """Where text[a:b] comes from, begin and end."""
        return self.offsets.span(a, b)


def whole(text: str) -> Placed:
    """A source as it stands, every character in its own place."""
    return Placed(text, Offsets((0,), (0,), (0,), len(text)))


def words(text: str) -> frozenset[str]:
    """The words of a list that is easier to read in one string.

    >>> sorted(words("b a"))
    ['a', 'b']
    """
    return frozenset(text.split())


class Weaver:
    """Puts a placed text together, piece by piece.

    >>> weaver = Weaver()
    >>> weaver.copy(whole("a &lt; b"), 0, 2)
    >>> weaver.put("<", 2, 6)
    >>> weaver.copy(whole("a &lt; b"), 6, 8)
    >>> woven = weaver.finish()
    >>> woven.text, woven.span(2, 3), woven.span(4, 5)
    ('a < b', (2, 6), (7, 8))
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._sources: list[int] = []
        self._widths: list[int] = []
        self.length = 0

    def copy(self, piece: Placed, a: int = 0, b: int | None = None) -> None:
        """Add piece.text[a:b], each character with its own place."""
        end = len(piece.text) if b is None else min(b, len(piece.text))
        if a >= end:
            return
        offsets = piece.offsets
        run, at = offsets.run(a), a
        while at < end:
            stop = offsets.starts[run + 1] if run + 1 < len(offsets.starts) else offsets.length
            stop = min(stop, end)
            width = offsets.widths[run]
            source = offsets.sources[run] + (0 if width else at - offsets.starts[run])
            self._run(source, width, stop - at)
            run, at = run + 1, stop
        self._parts.append(piece.text[a:end])

    def put(self, text: str, start: int, end: int) -> None:
        """Add a text of which every character stands for source[start:end]; at least one character of it."""
        if text:
            self._run(start, max(end - start, 1), len(text))
            self._parts.append(text)

    def _run(self, source: int, width: int, length: int) -> None:
        if self._starts and self._widths[-1] == width:
            expected = self._sources[-1] + (0 if width else self.length - self._starts[-1])
            if expected == source:
                self.length += length
                return
        self._starts.append(self.length)
        self._sources.append(source)
        self._widths.append(width)
        self.length += length

    def ends_with(self, text: str) -> bool:
        """Whether the last piece added ends so."""
        return bool(self._parts) and self._parts[-1].endswith(text)

    def finish(self, at: int = 0) -> Placed:
        """What was put together; the weaver is empty afterwards. An empty text stands at `at`."""
        starts, sources, widths = self._starts or [0], self._sources or [at], self._widths or [0]
        placed = Placed("".join(self._parts), Offsets(tuple(starts), tuple(sources), tuple(widths), self.length))
        self.__init__()  # type: ignore[misc]
        return placed
