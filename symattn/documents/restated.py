"""Numbers that restate others further up: the same digits again, which can stem from nothing else.

Arrives: a verified document and the claims that are to be corrected. Leaves: the literals that restate them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from symattn.documents.literals import Key, Literal, Row, paper_of
from symattn.documents.report import Checked, Claim

_Grid = tuple[tuple[Key | None, ...], ...]
MAX_SAME: Final = 500
"""Of rows and of matrices with the same numbers: where there are more, which one is restated is not certain."""


def restated(checked: Checked, corrected: Sequence[Claim]) -> Iterator[tuple[Literal, Claim, bool]]:
    """The numbers that restate corrected ones further down, each with the claim; true where that is not certain.

    A number that is no claim itself restates the corrected one if it stands in a row of the same numbers, of the same
    row where that is said, and no other such row before it was left as it is; if it stands in a matrix that was the
    same or its transpose; or else if it is a decimal and every number before it with the same digits was corrected in
    the same way.
    """
    yield from _Restated(checked, corrected).run()


@dataclass(slots=True)
class _Before:
    """The numbers with the same digits so far: what stands there now, the last, and the last that was corrected."""

    numbers: set[str] = field(default_factory=set)
    last: Claim | None = None
    corrected: Claim | None = None

    def add(self, claim: Claim | None) -> None:
        self.numbers.add(_new(claim))
        self.last = claim
        self.corrected = claim or self.corrected


class _Restated:
    def __init__(self, checked: Checked, corrected: Sequence[Claim]) -> None:
        paper = paper_of(checked.document)
        self.literals = paper.literals
        self.corrected = {literal.span: claim for literal, claim in _matched(paper.literals, corrected)}
        self.claimed = {literal.span for literal, _ in _matched(paper.literals, checked.claims)}
        self.decided: dict[tuple[int, int], Claim | None] = {}
        self.rows: dict[tuple[Key | None, ...], list[Row]] = {}
        self.row_of: dict[tuple[int, int], list[Row]] = {}
        self.grids: dict[_Grid, list[tuple[Row, ...]]] = {}
        self.grid_of: dict[tuple[int, int], tuple[tuple[Row, ...], int, int]] = {}
        for rows in paper.matrices:
            self.grids.setdefault(_grid(rows), []).append(rows)
            for i, row in enumerate(rows):
                self.grid_of |= {e.span: (rows, i, j) for j, e in enumerate(row.entries) if e is not None}
        for row in paper.rows:
            self.rows.setdefault(row.keys, []).append(row)
            for entry in row.entries:
                if entry is not None:
                    self.row_of.setdefault(entry.span, []).append(row)

    def run(self) -> Iterator[tuple[Literal, Claim, bool]]:
        keys = {literal.key for literal in self.literals if literal.span in self.corrected}
        earlier: dict[Key, _Before] = {}
        for literal in self.literals:
            key = literal.key
            if key is None or key not in keys or literal.span in self.decided:
                continue
            before = earlier.setdefault(key, _Before())
            claim, unclear = self.decide(literal, before)
            self.decided[literal.span] = None if unclear else claim
            before.add(self.decided[literal.span])
            if claim is not None and literal.span not in self.corrected:
                yield literal, claim, unclear

    def decide(self, literal: Literal, before: _Before) -> tuple[Claim | None, bool]:
        """The corrected claim that a literal stands for or restates, and whether that is unclear."""
        if literal.span in self.corrected:
            return self.corrected[literal.span], False
        if literal.span in self.claimed or literal.given or before.corrected is None:
            return None, False
        votes = self.votes_of_matrices(literal)
        if votes == []:
            votes = self.votes(literal)
        if votes is None:
            return before.corrected, True
        if len({_new(vote) for vote in votes}) == 1:
            return votes[-1], False
        decimal = literal.number.digits is not None and literal.number.digits.places > 0
        if not votes and decimal and len(before.numbers) == 1:
            return before.last, False
        last = votes[-1] if votes else before.last if decimal else None
        return last, last is not None

    def votes_of_matrices(self, literal: Literal) -> list[Claim | None] | None:
        """What matrices that were the same, or the transpose, further up say of it; None where there are too many."""
        if literal.span not in self.grid_of:
            return []
        rows, i, j = self.grid_of[literal.span]
        grid = _grid(rows)
        if len(self.grids[grid]) > MAX_SAME:
            return None
        turned = tuple(zip(*grid, strict=True)) if len({len(row) for row in grid}) == 1 else ()
        entries = [other[i].entries[j] for other in self.grids[grid]]
        if turned != grid:
            entries += [other[j].entries[i] for other in self.grids.get(turned, ())]
        earlier = [entry for entry in entries if entry is not None and entry.span < literal.span]
        return [self.decided[entry.span] for entry in earlier if entry.span in self.decided]

    def votes(self, literal: Literal) -> list[Claim | None] | None:
        """What rows of the same numbers further up say of it, those of the same row alone if there are any.

        None where there are too many of them.
        """
        found: list[tuple[bool, Claim | None]] = []
        for row in self.row_of.get(literal.span, ()):
            at = next(i for i, entry in enumerate(row.entries) if entry is not None and entry.span == literal.span)
            if len(self.rows[row.keys]) > MAX_SAME:
                return None
            for other in self.rows[row.keys]:
                entry = other.entries[at]
                if entry is None or entry.span >= literal.span or entry.span not in self.decided:
                    continue
                same = row.index is not None and row.index == other.index
                if same or row.index is None or other.index is None:
                    found.append((same, self.decided[entry.span]))
        exact = [vote for same, vote in found if same]
        return exact or [vote for _, vote in found]


def _grid(rows: Sequence[Row]) -> _Grid:
    return tuple(row.keys for row in rows)


def _new(claim: Claim | None) -> str:
    return "" if claim is None else claim.expected or ""


def _matched(literals: Sequence[Literal], claims: Sequence[Claim]) -> Iterator[tuple[Literal, Claim]]:
    """The literals that lie in the places of claims."""
    starts = [literal.span[0] for literal in literals]
    for claim in claims:
        for literal in literals[bisect_left(starts, claim.span[0]) :]:
            if literal.span[0] >= claim.span[1]:
                break
            if literal.span[1] <= claim.span[1]:
                yield literal, claim
