"""The slip behind the findings of one table: it gives the findings one cause, and the first of them as their root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.judging.causes import STEPS, TOLD, forced_sum, of_one_cell, reproduces, slips
from symattn.documents.judging.cells import (
    CellVerdict,
    Grid,
    digits_of,
    last,
)
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.memory import Way
from symattn.documents.judging.spelling import entry_terms
from symattn.documents.judging.stages import (
    PIPELINE,
)
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import (
    Subject,
)
from symattn.documents.reading.scalars import Scalar
from symattn.documents.reading.tables import Table
from symattn.numbers.certified import rational_of
from symattn.numbers.rounding import plain_digits

MOST_BY_CHANCE: Final = 3
"""So many numbers that are one unit off are no accident of another step."""

Verdicts = list[list[CellVerdict | None]]
"""The verdict on each cell, None where there is none."""


def explain(
    desk: Desk,
    said: Statement,
    laid: tuple[Grid, bool],
    verdicts: Verdicts,
    values: Sequence[Any],
    subject: Subject,
    first: int,
) -> None:
    """Name the slip behind the findings of one table."""
    grid, _ = laid
    wrong = [
        (i, j)
        for i, row in enumerate(verdicts)
        for j, v in enumerate(row)
        if v is not None and not v.right and v.verdict is not Verdict.UNDECIDED
    ]
    if not wrong or not desk.naming or not any(claim.finding for claim in desk.claims[first:]):
        return
    terms = _terms(desk, verdicts, wrong) if len(wrong) == 1 else ()
    cause = slip(desk, grid, verdicts, values, wrong, subject, terms)
    if not cause:
        return
    step = cause in STEPS and bool(subject.names or said.chain.links or subject.told) and subject.stage in PIPELINE
    root: Place | None = None
    for k in range(first, len(desk.claims)):
        claim = desk.claims[k]
        if claim.finding:
            verdict = Verdict.WRONG_STEP if step else claim.verdict
            message = f"{claim.message}: {TOLD[cause]}"
            desk.claims[k] = replace(claim, verdict=verdict, cause=cause, message=message, root_cause=root)
            root = root or claim.place


def slip(
    desk: Desk,
    grid: Grid,
    verdicts: Verdicts,
    values: Sequence[Any],
    wrong: list[tuple[int, int]],
    subject: Subject,
    terms: Sequence[Scalar] = (),
) -> str:
    """The name of the slip that explains the wrong cells of a table, or nothing."""
    units = {v.verdict for i, j in wrong if (v := verdicts[i][j]) is not None}
    near = units <= {Verdict.LAST_DIGIT, Verdict.TRUNCATED}
    if subject.stage == "weights" and near and all(_forced(grid, verdicts, wrong, i) for i, _ in wrong):
        return "forced_sum"
    if subject.stage in PIPELINE and not (near and len(wrong) < MOST_BY_CHANCE):
        found = _of_stage(desk, grid, Table(values[0]), wrong, subject)
        if found:
            return found
    if len(wrong) == 2 and _swapped(grid, verdicts, wrong):
        return "swapped_cells"
    if len(wrong) == 1:
        i, j = wrong[0]
        digits = digits_of(last(grid[i][j]))
        return "" if digits is None else of_one_cell(digits, values[0][i][j], terms, desk.decimals)
    return ""


def _terms(desk: Desk, verdicts: Verdicts, wrong: list[tuple[int, int]]) -> tuple[Scalar, ...]:
    """The terms that the one wrong entry is the sum of, as they are displayed."""
    (i, j), *_ = wrong
    verdict = verdicts[i][j]
    if verdict is None or verdict.candidate.tree is None:
        return ()
    values = [desk.value(term, "shown") for term in entry_terms(verdict.candidate.tree, i, j)]
    numbers = [value for value in values if value is not None and not isinstance(value, Table)]
    terms = [number for number in numbers if rational_of(number) != 0]
    # with two terms of small whole numbers one of them is a coincidence too often
    telling = len(terms) > 2 or any((value := rational_of(term)) is None or value.q != 1 for term in terms)
    return tuple(terms) if len(terms) > 1 and telling else ()


def _of_stage(desk: Desk, grid: Grid, expected: Table, wrong: list[tuple[int, int]], subject: Subject) -> str:
    """The slip of a stage that gives every number of the rows that are wrong."""
    wrong_rows = sorted({i for i, _ in wrong})
    ways: tuple[Way, ...] = ("shown", "exact")
    found = (slip for way in ways for slip in slips(subject.stage, desk.memory, desk.predictions, expected, way))
    for cause, table in found:
        if table is None:
            continue
        # a table is turned as a whole: one row of it alone is a coincidence
        rows = list(range(len(grid))) if cause in {"transposed", "wrong_axis"} else wrong_rows
        if reproduces(grid, rows, table, desk.decimals):
            return cause
        one_row = len(grid) == 1 and subject.row is not None and subject.row < len(table.rows)
        if one_row and reproduces(grid, [0], Table((table.rows[subject.row or 0],)), desk.decimals):
            return cause
    return ""


def _swapped(grid: Grid, verdicts: Verdicts, wrong: list[tuple[int, int]]) -> bool:
    (a, b), (c, d) = wrong
    expected = [v.expected if v is not None else None for v in (verdicts[a][b], verdicts[c][d])]
    right = [plain_digits(text) if text is not None else None for text in expected]
    return None not in right and right == [digits_of(last(grid[i][j])) for i, j in reversed(wrong)]


def _forced(grid: Grid, verdicts: Verdicts, wrong: list[tuple[int, int]], i: int) -> bool:
    told = [v.expected if v is not None else None for v in verdicts[i]]
    expected = [plain_digits(text) if text is not None else None for text in told]
    return forced_sum([digits_of(last(c)) for c in grid[i]], [j for k, j in wrong if k == i], expected)
