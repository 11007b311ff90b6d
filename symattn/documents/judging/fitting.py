"""How well a result fits what it may be: the verdicts on its cells for each candidate and each row.

Arrives: a result and its candidates. Leaves: the share of the cells that is right, and what was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.candidates import formula_of
from symattn.documents.judging.cells import (
    Candidate,
    CellVerdict,
    Grid,
    digits_of,
    grid_of,
    judged,
    laid_over,
    last,
    size_of,
)
from symattn.documents.judging.desk import Desk
from symattn.documents.reading.scalars import Scalar
from symattn.documents.reading.tree import Blank, Chain, Elided, Node
from symattn.numbers.rounding import plain_digits

MOST_ALONE: Final = 2
"""So many cells bear out a candidate together."""

NEAR: Final = 5
"""Units of the last digit that rounding on the way may make."""

HALF: Final = 0.5
"""The share of the cells that must fit where nothing else says which stage a result is."""

PERMUTED: Final = 0.6
"""What it counts that a row has the right numbers in another order."""


def fit(
    desk: Desk, node: Node, candidates: Sequence[Candidate], row: int | None, *, whole_exactly: bool = False
) -> float | None:
    """The share of the cells that some candidate makes right, None where none has the shape.

    `whole_exactly` counts whole numbers only where they are equal: that they are the rounding of something says little.
    """
    laid = grid_of(node)
    if laid is None:
        return None
    candidates = alike([c for c in candidates if laid_over(c.value, laid[0], flat=laid[1])])
    best: float | None = None
    for reading in readings(candidates):
        score = _share(desk, laid, reading, row, whole_exactly=whole_exactly)
        best = score if best is None or (score is not None and score > best) else best
    return best


def readings(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """The candidates that go together: those of the document as it was understood, then the other reading of it."""
    usual = [candidate for candidate in candidates if not candidate.other]
    if usual:
        yield usual
    if len(usual) < len(candidates):
        yield [candidate for candidate in candidates if candidate.other]


def _share(
    desk: Desk, laid: tuple[Grid, bool], candidates: Sequence[Candidate], row: int | None, *, whole_exactly: bool
) -> float | None:
    """The share of the cells that one of the candidates makes right, for the row where that is most."""
    best: float | None = None
    for rows, _ in aligned(laid, candidates, row):
        cells = [(last(c), [g[i][j] for g in rows]) for i, r in enumerate(laid[0]) for j, c in enumerate(r)]
        told = [(cell, values) for cell, values in cells if not isinstance(cell, (Blank, Elided))]
        if not told:
            continue
        found = [(cell, judged(cell, candidates[: len(values)], values, desk.decimals)) for cell, values in told]
        right = sum(one.right and not (whole_exactly and _is_rounded_whole(cell, one)) for cell, one in found)
        score = right / len(told)
        if score < PERMUTED and changed_places(desk, told):
            score = PERMUTED
        best = score if best is None or score > best else best
    return best


def _is_rounded_whole(cell: Node, found: CellVerdict) -> bool:
    digits = digits_of(cell)
    return found.verdict is Verdict.ROUNDED and digits is not None and digits.places <= 0


def changed_places(desk: Desk, told: Sequence[tuple[Node, Sequence[Scalar]]]) -> bool:
    """Whether decimals are those of one candidate in another order."""
    written = [digits_of(cell) for cell, _ in told]
    known = [one for one in written if one is not None]
    if len(told) < MOST_ALONE or len(known) < len(told) or all(one.places <= 0 for one in known):
        return False
    finest = max(known, key=lambda one: one.places)
    for k in range(min(len(values) for _, values in told)):
        rounded = [plain_digits(desk.rounded(values[k], finest) or "") for _, values in told]
        if None not in rounded and sorted(one.value for one in rounded if one) == sorted(one.value for one in known):
            return True
    return False


def aligned(
    laid: tuple[Grid, bool], candidates: Sequence[Candidate], row: int | None
) -> Iterator[tuple[list[tuple[tuple[Scalar, ...], ...]], int | None]]:
    """The values of all candidates over the cells, for each row that may be meant."""
    grid, flat = laid
    ways = [laid_over(candidate.value, grid, flat=flat) for candidate in candidates]
    rows = {i for way in ways for _, i in way}
    for i in sorted(rows, key=lambda i: -1 if i is None else i):
        if i is not None and row is not None and i != row:
            continue
        found = [next((values for values, k in way if k in {i, None}), None) for way in ways]
        kept = [values for values in found if values is not None]
        if len(kept) == len(found):
            yield kept, i


def ways_of(
    desk: Desk, laid: tuple[Grid, bool], candidates: Sequence[Candidate], row: int | None
) -> Iterator[tuple[Found, int | None]]:
    """What is found for each row that may be meant."""
    for usable in (candidates, alike(candidates)):
        choices = list(aligned(laid, usable, row)) or list(aligned(laid, usable, None))
        for values, i in choices:
            yield Found(*laid, usable, values, verdicts(desk, laid[0], usable, values)), i
        if choices:
            return


def verdicts(
    desk: Desk, grid: Grid, candidates: Sequence[Candidate], values: Sequence[Any]
) -> list[list[CellVerdict | None]]:
    """The verdict on each cell; None for blanks, dots, and chains, which are judged by themselves."""
    order = _by_neighbours(desk, grid, candidates, values)
    out: list[list[CellVerdict | None]] = []
    for i, row in enumerate(grid):
        told: list[CellVerdict | None] = []
        for j, cell in enumerate(row):
            inner = last(cell)
            if isinstance(inner, (Blank, Elided)) or isinstance(cell, Chain):
                told.append(None)
            else:
                cells = [values[k][i][j] for k in order]
                told.append(judged(inner, [candidates[k] for k in order], cells, desk.decimals))
        out.append(told)
    return out


def _by_neighbours(desk: Desk, grid: Grid, candidates: Sequence[Candidate], values: Sequence[Any]) -> list[int]:
    """The order in which candidates count: one that comes near no cell comes after one that fits half of them."""
    order = list(range(len(candidates)))
    cells = [(last(cell), i, j) for i, row in enumerate(grid) for j, cell in enumerate(row)]
    told = [each for each in cells if not isinstance(each[0], (Blank, Elided))]
    if len(told) < MOST_ALONE or len(candidates) < 2:
        return order
    if any(_is_near(desk, cell, values[0][i][j]) for cell, i, j in told):
        return order
    for k in order[1:]:
        fits = sum(judged(cell, [candidates[k]], [values[k][i][j]], desk.decimals).right for cell, i, j in told)
        if 2 * fits >= len(told):
            return [k, *(other for other in order if other != k)]
    return order


def _is_near(desk: Desk, cell: Node, value: Scalar) -> bool:
    """Whether a number differs from a value by a few units of its last digit at most, as by rounding on the way."""
    digits = digits_of(cell)
    text = desk.rounded(value, digits)
    known = plain_digits(text) if text is not None else None
    return digits is None or known is None or abs(known.units - digits.units) <= NEAR


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a result: its cells, the candidates, their values over the cells, and the verdicts."""

    grid: Grid
    flat: bool
    candidates: Sequence[Candidate]
    values: Sequence[tuple[tuple[Scalar, ...], ...]]
    verdicts: list[list[CellVerdict | None]]

    @property
    def right(self) -> int:
        """How many of the cells are right."""
        return sum(verdict is not None and verdict.right for row in self.verdicts for verdict in row)

    @property
    def may_stand(self) -> bool:
        """Whether this is how the document is understood, or another reading that most cells bear out."""
        told = sum(verdict is not None for row in self.verdicts for verdict in row)
        return not self.candidates[0].other or 2 * self.right > told

    @property
    def single(self) -> bool:
        """Whether the result is one row, or one number."""
        return len(self.grid) == 1 and self.flat

    def exact(self, stage: str) -> tuple[tuple[Scalar, ...], ...] | None:
        """The values at full precision: those of the stage itself where it was predicted."""
        givens = [k for k, candidate in enumerate(self.candidates) if candidate.route == "givens"]
        by_stage = [k for k in givens if self.candidates[k].working == formula_of(stage)]
        at = next(iter(by_stage or givens), None)
        return None if at is None else self.values[at]


def alike(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of candidates that are whole tables and rows those of the first one's shape."""
    return [c for c in candidates if size_of(c.value) == size_of(candidates[0].value)]
