"""Judging a result cell by cell against its candidates.

Arrives: a result and its candidates. Leaves: claims on the desk, and the result in the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from flint import fmpq

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.judging.candidates import formula_of
from symattn.documents.judging.carrying import carried_from, slip_before
from symattn.documents.judging.cells import (
    Candidate,
    CellVerdict,
    Grid,
    decimals_of,
    digits_of,
    grid_of,
    laid_over,
    last,
    plain_value,
    same_number,
)
from symattn.documents.judging.cells import is_whole as is_whole_number
from symattn.documents.judging.desk import Desk, kind_of, label_of
from symattn.documents.judging.explaining import explain
from symattn.documents.judging.fitting import Found, changed_places, readings, verdicts, ways_of
from symattn.documents.judging.giving import give
from symattn.documents.judging.keeping import keep, remember_number, scaled_in_order, summed
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.remarks import row_sums, widths
from symattn.documents.judging.shapes import shape_differs
from symattn.documents.judging.spelling import entry_spelt
from symattn.documents.judging.stages import PIPELINE
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part, Subject
from symattn.documents.reading.scalars import Infinite, Scalar
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Blank, Elided, Node, Number
from symattn.documents.report import Claim
from symattn.numbers.certified import rational_of

ON_THE_WAY: Final = 9
"""Results from one entry of a row to the next, terms among them."""


def settle(desk: Desk, said: Statement, part: Part, candidates: list[Candidate], subject: Subject) -> None:
    """Judge every cell, and remember what was written."""
    laid = grid_of(part.node)
    assert laid is not None  # noqa: S101
    grid, flat = laid
    usable = [c for c in candidates if laid_over(c.value, grid, flat=flat)]
    if not usable:
        if candidates and candidates[0].route == "written" and isinstance(candidates[0].value, Table):
            shape_differs(desk, said, part, candidates[0], subject)
        else:
            give(desk, subject.names, part.node)
        return
    ways = [way for reading in readings(usable) for way in ways_of(desk, laid, reading, subject.row)]
    if not ways:
        return
    most = max(way[0].right if way[0].may_stand else -1 for way in ways)
    equal = [way for way in ways if (way[0].right if way[0].may_stand else -1) == most]
    found, row = equal[0] if len(equal) == 1 else max(equal, key=lambda way: _own(desk, subject, *way))
    if found.candidates[0].other:
        desk.memory.masked = not desk.memory.masked  # the document is to be read so from here on
    record(desk, said, part, found, replace(subject, row=subject.row if row is None else row))


def _own(desk: Desk, subject: Subject, found: Found, row: int | None) -> tuple[bool, int, bool]:
    """Whether the right cells changed places, how many come near to the row that may be meant, and if that is new."""
    cells = [(last(cell), i, j) for i, cells in enumerate(found.grid) for j, cell in enumerate(cells)]
    turned = changed_places(desk, [(cell, [grid[i][j] for grid in found.values]) for cell, i, j in cells])
    if row is None:
        return turned, 0, False
    near = {Verdict.EXACT, Verdict.ROUNDED, Verdict.TRUNCATED, Verdict.LAST_DIGIT}
    own = [k for k, one in enumerate(found.candidates) if isinstance(one.value, Table) and len(one.value.rows) > 1]
    candidates, values = [found.candidates[k] for k in own], [found.values[k] for k in own]
    told = verdicts(desk, found.grid, candidates, values) if own else []
    fits = sum(one is not None and one.verdict in near for cells in told for one in cells)
    return turned, fits, row not in desk.memory.rows.get(subject.stage, {})


def record(desk: Desk, said: Statement, part: Part, found: Found, subject: Subject) -> None:
    """Make the claims of a result, name the slip behind them, and remember the result."""
    grid = found.grid
    first_claim = len(desk.claims)
    subject = replace(subject, scalar=found.single and len(grid[0]) == 1)
    exactly = found.exact(subject.stage)
    sourced = definitions(desk, subject, grid, single=found.single)
    known = known_row(desk, subject) if found.single else desk.memory.stages.get(subject.stage)
    origins: dict[tuple[int, ...], Place] = {}
    shown: list[tuple[Scalar, ...]] = []
    exact: list[tuple[Scalar, ...]] = []
    for i, row in enumerate(grid):
        stands = (not found.single and row_stands(desk, row, subject)) or _sums_up(desk, row, found.verdicts[i])
        values: list[tuple[Scalar, Scalar]] = []
        for j, cell in enumerate(row):
            verdict, inner = found.verdicts[i][j], last(cell)
            written = desk.literal(inner)
            full = _in_full(inner, verdict, written, exactly[i][j] if exactly is not None else None)
            values.append((written, full))
            repeats = _repeats(known, grid, i, j, inner) and not (verdict is not None and _is_new(known, verdict, i, j))
            if verdict is None or stands or repeats:
                continue
            if (told := _told_before(desk, found, inner, verdict)) is not None:
                origins[i, j] = told
                continue
            place = entry_place(subject, i, j, single=found.single)
            at = (subject.row if found.single and subject.row is not None else i, j)
            verdict = _worded(verdict, (i, j), at)
            source = sourced[i][j] if sourced is not None else None
            claim = cell_claim(desk, said, part, inner, verdict, subject, place, full, source)
            if claim.finding:
                origins[i, j] = claim.place
            if isinstance(inner, Number):
                quantity = Quantity(written, full, source, subject.stage, claimed=True)
                remember_number(desk, inner, claim, quantity, alone=subject.scalar)
        shown.append(tuple(a for a, _ in values))
        exact.append(tuple(b for _, b in values))
    explain(desk, said, (grid, found.flat), found.verdicts, found.values, subject, first_claim)
    if not any(isinstance(last(cell), (Blank, Elided)) for row in grid for cell in row):
        keep(desk, subject, part.node, tuple(shown), tuple(exact), sourced, origins, flat=found.flat)
        if subject.scalar and subject.entry is None:
            one = Quantity(shown[0][0], exact[0][0], None, "scaled_scores", claimed=True, origins=origins)
            scaled_in_order(desk, found.candidates[0].tree, one)
            summed(desk, found.candidates[0].tree, subject, replace(one, stage="row_sums"))
    _look_over(desk, said, part, found, subject)


def _look_over(desk: Desk, said: Statement, part: Part, found: Found, subject: Subject) -> None:
    """Remark on what a table says as a whole: its width, and the sums of rows of weights."""
    if subject.stage in {"scaled_scores", "weights"}:
        widths(desk, said.region, part.node)
    if subject.stage == "weights":
        row_sums(desk, said.region, part.node, found.grid)


def _told_before(desk: Desk, found: Found, cell: Node, verdict: CellVerdict) -> Place | None:
    """Where the slip stands that a row repeats without working: the entries were worked out one by one before it."""
    if verdict.right or verdict.candidate.tree is not None or not isinstance(cell, Number):
        return None
    expected, place = desk.memory.slips.get(cell.text, (None, None))
    whole = len(found.grid) * len(found.grid[0]) > 1
    return place if whole and expected is not None and expected == verdict.expected else None


def _in_full(cell: Node, verdict: CellVerdict | None, written: Scalar, exact: Scalar | None) -> Scalar:
    """What a number is at full precision; one that is stated exactly is that, whatever is wrong with it."""
    if verdict is not None and not verdict.right and _is_stated(cell, written, verdict.value):
        return written
    return exact if exact is not None else verdict.value if verdict is not None else written


def _is_stated(cell: Node, written: Scalar, value: Scalar) -> bool:
    """Whether a number that is wrong is no rounding: it is whole, or the value itself has no more digits than it."""
    digits, exact = digits_of(cell), rational_of(value) if not isinstance(value, Infinite) else None
    if digits is None:
        return False
    return is_whole_number(written) or (exact is not None and (exact * fmpq(10) ** digits.places).q == 1)


def _worded(verdict: CellVerdict, *entries: tuple[int, int]) -> CellVerdict:
    """The verdict with the working of its own entry: of the cell itself, or of its place in the whole table."""
    tree = verdict.candidate.tree
    told = [entry_spelt(tree, *entry) for entry in entries] if tree is not None else []
    working = next((text for text in told if text), "")
    return replace(verdict, candidate=replace(verdict.candidate, working=working)) if working else verdict


def row_stands(desk: Desk, row: Sequence[Node], subject: Subject) -> bool:
    """Whether a row of a matrix repeats a row of its stage that was written by itself."""
    tables = [known.shown for known in desk.memory.rows.get(subject.stage, {}).values() if known.claimed]
    return any(
        all(same_number(last(cell), value) for cell, value in zip(row, table.rows[0], strict=True))
        for table in tables
        if isinstance(table, Table) and table.shape[1] == len(row)
    )


def _sums_up(desk: Desk, row: Sequence[Node], verdicts: Sequence[CellVerdict | None]) -> bool:
    """Whether a row only puts together what was worked out entry by entry, one after the other."""
    if len(row) < 2 or any(one is None or one.candidate.tree is not None for one in verdicts):
        return False
    told = [cell.text if isinstance(cell, Number) else "" for cell in map(last, row)]
    if all(one is not None and one.right for one in verdicts) or not any("." in text for text in told):
        return False
    results, at = desk.memory.results, -1
    for text in told:  # the terms that a result was worked out from stand between two results
        window = results[at + 1 : at + 1 + ON_THE_WAY] if at >= 0 else results
        if text not in window:
            return False
        at += 1 + window.index(text)
    return True


def _repeats(known: Quantity | None, grid: Grid, i: int, j: int, cell: Node) -> bool:
    """Whether a cell only repeats what its stage says already."""
    if known is None or not known.claimed or not isinstance(known.shown, Table):
        return False
    same_shape = known.shown.shape == (len(grid), len(grid[0]))
    return same_shape and same_number(cell, known.shown.rows[i][j])


def _is_new(known: Quantity | None, verdict: CellVerdict, i: int, j: int) -> bool:
    """Whether a number like one before it is worked out anew, and was no slip there."""
    told = verdict.candidate
    worked = told.tree is not None or (known is not None and told.working == formula_of(known.stage))
    return worked and (known is None or (i, j) not in known.origins)


def known_row(desk: Desk, subject: Subject) -> Quantity | None:
    """What the document says of a row already."""
    if subject.row is None:
        return None
    found = desk.memory.rows.get(subject.stage, {}).get(subject.row)
    if found is not None:
        return found
    whole = desk.memory.stages.get(subject.stage)
    if whole is None or not isinstance(whole.shown, Table) or subject.row >= len(whole.shown.rows):
        return None
    return replace(whole, shown=Table((whole.shown.rows[subject.row],), flat=True), exact=None, source=None)


def entry_place(subject: Subject, i: int, j: int, *, single: bool) -> tuple[int, ...]:
    """The place of a cell in its stage, from 0."""
    if subject.entry is not None and subject.scalar:
        return subject.entry
    if subject.scalar or subject.stage in {"row_sums", "root"}:
        return (subject.row,) if subject.row is not None and subject.stage == "row_sums" else ()
    return (subject.row if subject.row is not None else 0, j) if single else (i, j)


def definitions(desk: Desk, subject: Subject, grid: Grid, *, single: bool) -> Any:
    """The values of the definitions over the cells."""
    if subject.stage not in PIPELINE:
        return None
    table = desk.predictions.stage(subject.stage, "source", anew=True)
    if table is None:
        return None
    if subject.entry is not None and len(subject.entry) == 2 and subject.scalar:
        i, j = subject.entry
        return ((table.rows[i][j],),) if i < len(table.rows) and j < len(table.rows[i]) else None
    if single:
        if subject.row is None or subject.row >= len(table.rows) or len(table.rows[0]) != len(grid[0]):
            return None
        return (table.rows[subject.row],)
    return table.rows if table.shape == (len(grid), len(grid[0])) else None


def cell_claim(
    desk: Desk,
    said: Statement,
    part: Part,
    cell: Node,
    found: CellVerdict,
    subject: Subject,
    place: tuple[int, ...],
    exact: Scalar,
    source: Scalar | None,
) -> Claim:
    """The claim of one number."""
    digits = digits_of(cell)
    verdict = found.verdict
    if subject.inconsistent and not found.right and verdict is not Verdict.UNDECIDED:
        verdict = Verdict.INCONSISTENT
    text = said.region.text[cell.start : cell.end]
    decimal = decimals_of(found.value)
    from_givens = desk.rounded(exact, digits)
    from_source = desk.rounded(source, digits)
    carried, origin = carried_from(desk, found, subject, place, from_givens, from_source)
    notes: tuple[str, ...] = ()
    if part.relation == "=" and verdict is Verdict.ROUNDED and digits is not None and digits.places <= 0:
        notes = ("equals_for_rounded",)
    return desk.add(
        said.region,
        cell,
        verdict,
        _message(found, text, decimal),
        label=label_of(subject.stage, place),
        stage=kind_of(subject.stage),
        relation=part.relation or "=",
        route=found.candidate.route,
        expected=found.expected,
        exact=plain_value(found.value),
        decimal=decimal,
        working=found.candidate.working,
        from_givens=from_givens,
        from_definitions=from_source,
        carried=carried,
        origin=origin,
        root_cause=slip_before(desk, cell, verdict, source, subject, place),
        tie=found.tie,
        notes=notes,
    )


def _message(found: CellVerdict, text: str, decimal: str | None) -> str:
    working = found.candidate.working or "the exact value"
    value = plain_value(found.value) or (f"{decimal}…" if decimal else "")
    worth = f"{working} = {value}" if value and value != working else working
    if found.verdict is Verdict.UNDECIDED:
        return f"{working}: {found.reason}"
    if found.right:
        return f"{worth}"
    what = {
        Verdict.TRUNCATED: f"{text} is cut off",
        Verdict.LAST_DIGIT: f"{text} is one off in the last digit",
    }.get(found.verdict, f"{text} is written")
    if found.expected and found.expected not in {plain_value(found.value), decimal}:
        worth += f" rounds to {found.expected}"
    return f"{worth}; {what}"
