"""Judging a result cell by cell against its candidates, and remembering what was written.

Arrives: a result and its candidates. Leaves: claims on the desk, and the result in the memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from flint import fmpq

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.judging.candidates import formula_of
from symattn.documents.judging.cells import (
    Candidate,
    CellVerdict,
    Grid,
    decimals_of,
    digits_of,
    grid_of,
    judged,
    laid_over,
    last,
    plain_value,
    same_number,
    size_of,
)
from symattn.documents.judging.cells import (
    is_whole as is_whole_number,
)
from symattn.documents.judging.desk import Desk, label_of
from symattn.documents.judging.explaining import explain
from symattn.documents.judging.giving import give
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.remarks import row_sums
from symattn.documents.judging.shapes import shape_differs
from symattn.documents.judging.stages import (
    PIPELINE,
    PROJECTIONS,
)
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import (
    Part,
    Subject,
)
from symattn.documents.reading.tree import (
    Blank,
    Chain,
    Elided,
    Node,
    Number,
)
from symattn.documents.reading.value import Scalar, Table, Value
from symattn.documents.report import Claim


def fit(desk: Desk, node: Node, candidates: Sequence[Candidate], row: int | None) -> float | None:
    """The share of the cells that some candidate makes right, None where none has the shape."""
    laid = grid_of(node)
    if laid is None:
        return None
    candidates = _alike([c for c in candidates if laid_over(c.value, laid[0], flat=laid[1])])
    best: float | None = None
    for rows, _ in aligned(desk, laid, candidates, row):
        cells = [(last(c), [g[i][j] for g in rows]) for i, r in enumerate(laid[0]) for j, c in enumerate(r)]
        told = [(cell, values) for cell, values in cells if not isinstance(cell, (Blank, Elided))]
        if not told:
            continue
        right = sum(judged(cell, candidates[: len(values)], values, desk.decimals).right for cell, values in told)
        score = right / len(told)
        best = score if best is None or score > best else best
    return best


def aligned(
    desk: Desk, laid: tuple[Grid, bool], candidates: Sequence[Candidate], row: int | None
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
            give(desk, said, subject.names, part.node)
        return
    choices = list(aligned(desk, laid, usable, subject.row)) or list(aligned(desk, laid, usable, None))
    if not choices:
        usable = _alike(usable)
        choices = list(aligned(desk, laid, usable, subject.row)) or list(aligned(desk, laid, usable, None))
    if not choices:
        return
    ways = [(verdicts(desk, grid, usable, values), values, i) for values, i in choices]
    found, values, row = max(ways, key=lambda item: sum(v is not None and v.right for r in item[0] for v in r))
    if row is None:
        row = subject.row
    record(desk, said, part, laid, usable, found, values, replace(subject, row=row))


def verdicts(
    desk: Desk, grid: Grid, candidates: Sequence[Candidate], values: Sequence[Any]
) -> list[list[CellVerdict | None]]:
    out: list[list[CellVerdict | None]] = []
    for i, row in enumerate(grid):
        told: list[CellVerdict | None] = []
        for j, cell in enumerate(row):
            inner = last(cell)
            if isinstance(inner, (Blank, Elided)) or isinstance(cell, Chain):
                told.append(None)
            else:
                told.append(judged(inner, candidates, [grid_[i][j] for grid_ in values], desk.decimals))
        out.append(told)
    return out


def record(
    desk: Desk,
    said: Statement,
    part: Part,
    laid: tuple[Grid, bool],
    candidates: Sequence[Candidate],
    verdicts: list[list[CellVerdict | None]],
    values: Sequence[Any],
    subject: Subject,
) -> None:
    grid, flat = laid
    first_claim = len(desk.claims)
    single = len(grid) == 1 and flat
    subject = replace(subject, scalar=single and len(grid[0]) == 1)
    givens = [k for k, c in enumerate(candidates) if c.route == "givens"]
    by_stage = [k for k in givens if candidates[k].working == formula_of(subject.stage)]
    exact_at = next(iter(by_stage or givens), None)
    sourced = definitions(desk, subject, grid, single=single)
    origins: dict[tuple[int, ...], Place] = {}
    known = known_row(desk, subject) if single else desk.memory.stages.get(subject.stage)
    shown_rows: list[tuple[Scalar, ...]] = []
    exact_rows: list[tuple[Scalar, ...]] = []
    for i, row in enumerate(grid):
        shown_row: list[Scalar] = []
        exact_row: list[Scalar] = []
        for j, cell in enumerate(row):
            found = verdicts[i][j]
            inner = last(cell)
            shown = desk.literal(inner)
            exact = values[exact_at][i][j] if exact_at is not None else (found.value if found else shown)
            if found is not None and not found.right and digits_of(inner) is not None and is_whole_number(shown):
                exact = shown  # a whole number is stated exactly, whatever is wrong with it
            shown_row.append(shown)
            exact_row.append(exact)
            if found is None or repeats(desk, known, grid, i, j, inner, subject, single=single):
                continue
            place = entry_place(desk, subject, i, j, single=single)
            there = sourced[i][j] if sourced is not None else None
            claim = cell_claim(desk, said, part, inner, found, subject, place, exact, there)
            if claim is not None and claim.finding:
                origins[(i, j)] = claim.place
            if isinstance(inner, Number):
                desk.memory.remember(inner.text, Quantity(shown, exact, there, claimed=True))
        shown_rows.append(tuple(shown_row))
        exact_rows.append(tuple(exact_row))
    explain(desk, said, laid, verdicts, values, subject, first_claim)
    keep(desk, subject, part.node, tuple(shown_rows), tuple(exact_rows), sourced, origins, flat=flat)
    if subject.stage == "weights":
        row_sums(desk, said.region, part.node, grid)


def row_stands(desk: Desk, row: Sequence[Node], subject: Subject) -> bool:
    """Whether a row of a matrix repeats a row of its stage that was written by itself."""
    for known in desk.memory.rows.get(subject.stage, {}).values():
        if known.claimed and isinstance(known.shown, Table) and known.shown.shape[1] == len(row):
            if all(same_number(last(c), v) for c, v in zip(row, known.shown.rows[0], strict=True)):
                return True
    return False


def repeats(
    desk: Desk, known: Quantity | None, grid: Grid, i: int, j: int, cell: Node, subject: Subject, *, single: bool
) -> bool:
    """Whether a cell only repeats what its stage says already."""
    if not single and row_stands(desk, grid[i], subject):
        return True
    if known is None or not known.claimed or not isinstance(known.shown, Table):
        return False
    rows = known.shown.rows
    if known.shown.shape != (len(grid), len(grid[0])):
        return False
    return same_number(cell, rows[i][j])


def known_row(desk: Desk, subject: Subject) -> Quantity | None:
    if subject.row is None:
        return None
    found = desk.memory.rows.get(subject.stage, {}).get(subject.row)
    if found is not None:
        return found
    whole = desk.memory.stages.get(subject.stage)
    if whole is None or not isinstance(whole.shown, Table) or subject.row >= len(whole.shown.rows):
        return None
    return replace(whole, shown=Table((whole.shown.rows[subject.row],), flat=True), exact=None, source=None)


def entry_place(desk: Desk, subject: Subject, i: int, j: int, *, single: bool) -> tuple[int, ...]:
    if subject.entry is not None:
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
) -> Claim | None:
    digits = digits_of(cell)
    verdict = found.verdict
    if subject.inconsistent and not found.right and verdict is not Verdict.UNDECIDED:
        verdict = Verdict.INCONSISTENT
    text = said.region.text[cell.start : cell.end]
    decimal = decimals_of(found.value)
    from_givens = desk.rounded(exact, digits)
    from_source = desk.rounded(source, digits)
    carried = None
    origin = None
    if found.right and from_source is not None and from_source != found.expected:
        origin = origin_of(desk, subject, place)
        carried = "inherited" if origin is not None else "early_rounding"
    elif found.right and found.candidate.route == "written" and from_givens is not None:
        if from_givens != found.expected:
            carried = "stated_approximation" if approximated(desk, found) else "early_rounding"
    notes: tuple[str, ...] = ()
    if part.relation == "=" and verdict is Verdict.ROUNDED and digits is not None and digits.places <= 0:
        notes = ("equals_for_rounded",)
    return desk.add(
        said.region,
        cell,
        verdict,
        _message(found, text, decimal),
        label=label_of(subject.stage, place),
        stage="" if subject.stage in {"d_k"} else subject.stage,
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
        tie=found.tie,
        notes=notes,
    )


def approximated(desk: Desk, found: CellVerdict) -> bool:
    return found.candidate.approximate or any(text in found.candidate.working for _, text in desk.memory.roots)


def origin_of(desk: Desk, subject: Subject, place: tuple[int, ...]) -> Place | None:
    """The first finding that an entry was computed from."""
    order = PIPELINE[: PIPELINE.index(subject.stage)] if subject.stage in PIPELINE else ()
    row = place[0] if place else None
    for stage in order:
        quantity = desk.memory.stages.get(stage)
        for at, where in sorted(quantity.origins.items()) if quantity is not None else ():
            if stage in {"K", "V"} or row is None or at[0] == row:
                return where
    return None


def keep(
    desk: Desk,
    subject: Subject,
    node: Node,
    shown: tuple[tuple[Scalar, ...], ...],
    exact: tuple[tuple[Scalar, ...], ...],
    source: Any,
    origins: dict[tuple[int, ...], Place],
    *,
    flat: bool,
) -> None:
    """Remember a value under its names, its stage and its row."""
    scalar = flat and len(shown) == 1 and len(shown[0]) == 1
    if scalar:
        quantity = Quantity(shown[0][0], exact[0][0], None, subject.stage, claimed=True, origins=origins)
    else:
        rows = Table(tuple(tuple(r) for r in source)) if source is not None else None
        if subject.inconsistent:
            exact = shown  # what is given goes on
        quantity = Quantity(
            Table(shown, flat=flat), Table(exact, flat=flat), rows, subject.stage, claimed=True, origins=origins
        )
    for name in subject.names:
        desk.memory.bind(name.key, quantity)
    memory, stage = desk.memory, subject.stage
    if flat and not scalar and stage in {"scaled_scores", "masked_scores", "shifted", ""}:
        memory.input = quantity
    if scalar:
        if stage == "exponentials":
            if memory.total is not None:  # the next row has begun
                memory.exponentials, memory.total = [], None
            memory.exponentials.append(quantity)
        elif stage == "row_sums":
            memory.total = quantity
            row = subject.row if subject.row is not None else len(memory.sums)
            memory.sums[row] = (tuple(memory.exponentials), quantity)
        elif stage == "root" and isinstance(quantity.shown, fmpq):
            memory.roots.append((quantity.shown, str(node.start)))
        return
    if stage == "exponentials":
        memory.exponentials = [Quantity(s, e, None, stage) for s, e in zip(shown[0], exact[0], strict=True)]
        memory.total = None
        return
    if stage in PIPELINE:
        if flat and (desk.height(stage) or 2) > 1 and subject.row is not None:
            size = desk.height(stage) or 0
            memory.place_row(stage, subject.row, quantity, size)
        elif has_stage_shape(desk, stage, shown, flat=flat):
            memory.place(stage, quantity)
        elif not flat and len(shown[0]) == 1 and subject.row is not None:  # a row written as a column
            turned = replace(quantity, shown=_turned(quantity.shown), exact=_turned(quantity.exact), source=None)
            memory.place_row(stage, subject.row, turned, desk.height(stage) or 0)
        if stage in {"weights", "outputs"}:
            memory.exponentials, memory.total = [], None


def has_stage_shape(desk: Desk, stage: str, rows: Sequence[Sequence[Any]], *, flat: bool) -> bool:
    """Whether rows have the shape of their stage, as far as that is known."""
    height, values = desk.height(stage) or 0, desk.memory.stages.get("V")
    width = height
    if stage in {*PROJECTIONS, "outputs"}:
        known = isinstance(values, Quantity) and isinstance(values.shown, Table) and stage == "outputs"
        width = values.shown.shape[1] if known and values is not None else 0  # type: ignore[union-attr]
    fits = height in {0, len(rows)} and width in {0, len(rows[0])}
    return fits and (not flat or height == 1)


def _turned(value: Value | None) -> Any:
    return Table(tuple(zip(*value.rows, strict=True)), flat=True) if isinstance(value, Table) else value


def _alike(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of candidates that are whole tables and rows those of the first one's shape."""
    return [c for c in candidates if size_of(c.value) == size_of(candidates[0].value)]


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
    return f"{worth} rounds to {found.expected}; {what}" if found.expected else f"{worth}; {what}"
