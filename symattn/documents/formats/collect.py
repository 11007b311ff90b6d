"""What a reader of a format fills while it goes through a document: regions, headings, notes, author macros.

Arrives: placed pieces in document order. Leaves: the regions and notes of a `Document`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

from symattn.documents.formats.document import Cell, Note, Region
from symattn.documents.formats.macros import Macros
from symattn.documents.formats.offsets import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from symattn.documents.formats.document import Kind
    from symattn.documents.formats.offsets import Placed

MAX_NOTES: Final = 100
FILES: Final = words(
    """
    input include subfile import subimport includeonly InputIfFileExists lstinputlisting verbatiminput write openout
    openin read directlua luaexec ShellEscape
    """
)
"""TeX that opens files or runs something."""
NOT_FOLLOWED: Final = FILES | words("csname catcode special immediate loop")
"""The same, and what changes what TeX is."""
_COMMAND = re.compile(r"\\([A-Za-z]+)")


class Collector:
    """Gathers the regions of one document.

    >>> from symattn.documents.formats.offsets import whole
    >>> collector = Collector()
    >>> collector.open_block()
    >>> collector.add("prose", whole("sum = 3"))
    >>> collector.regions[0].text
    'sum = 3'
    """

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.notes: list[Note] = []
        self.macros = Macros()
        self._block = 0
        self._headings: list[tuple[int, str]] = []
        self._within: list[str] = []

    def open_block(self) -> None:
        """Begin a new paragraph, heading, item or statement."""
        self._block += 1

    def add(
        self,
        kind: Kind,
        placed: Placed,
        *,
        level: int = 0,
        info: str = "",
        rows: tuple[tuple[Cell, ...], ...] = (),
        unreadable: str = "",
    ) -> None:
        """Add a region to the block; blank text adds none."""
        if not placed.text.strip() and not rows:
            return
        headings = tuple(text for _, text in self._headings)
        within = tuple(self._within)
        self.regions.append(
            Region(kind, placed.text, placed.offsets, self._block, headings, level, info, within, rows, unreadable)
        )

    def add_math(self, kind: Kind, placed: Placed, *, level: int = 0, unreadable: str = "") -> None:
        """Add a formula, author macros expanded; one that only defines macros adds no region."""
        expanded, failures = self.macros.expand(placed)
        if failures and not unreadable:
            unreadable = failures[0].reason
        unreadable = unreadable or self.not_followed(expanded)
        self.add(kind, expanded.strip(), level=level, unreadable=unreadable)

    def not_followed(self, placed: Placed, commands: frozenset[str] = NOT_FOLLOWED) -> str:
        """Why a formula is not read that would open files or run something; each such command is noted."""
        reason = ""
        for match in _COMMAND.finditer(placed.text):
            if match[1] in commands:
                reason = f"\\{match[1]} was not followed"
                self.note("not_followed", reason, placed.offsets.start(match.start()))
        return reason

    def note(self, kind: Literal["not_followed", "encoding", "macros", "structure"], message: str, offset: int) -> None:
        """Add a note, once for each place, up to a number that a person would read."""
        note = Note(kind, message, offset)
        if len(self.notes) < MAX_NOTES and note not in self.notes[-3:]:
            self.notes.append(note)

    @contextmanager
    def heading(self, level: int) -> Iterator[None]:
        """What is added inside is a heading, and stands above all that follows up to the next of its level."""
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self.open_block()
        first = len(self.regions)
        yield
        text = "".join(region.text for region in self.regions[first:]).strip()
        if text:
            self._headings.append((level, text))

    @contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """What is added inside stands within the named thing."""
        self.enter(name)
        yield
        self.leave()

    def enter(self, name: str) -> None:
        """Begin to stand within the named thing."""
        self._within.append(name)

    def leave(self) -> None:
        """End what was entered last."""
        if self._within:
            self._within.pop()

    def swap(self, regions: list[Region]) -> list[Region]:
        """Collect into another list; the one before comes back."""
        before, self.regions = self.regions, regions
        return before

    @contextmanager
    def cell(self) -> Iterator[list[Region]]:
        """What is added inside goes to the list that comes out: the content of a cell."""
        content: list[Region] = []
        before = self.swap(content)
        self.open_block()
        yield content
        self.swap(before)
