"""Judging a result cell by cell against its candidates, and remembering what was written.

Arrives: a result and its candidates. Leaves: claims on the desk, and the result in the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from flint import fmpq

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.judging.candidates import added, formula_of
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
from symattn.documents.judging.desk import Desk, kind_of, label_of
from symattn.documents.judging.explaining import explain
from symattn.documents.judging.giving import give
from symattn.documents.judging.memory import Memory, Origins, Quantity
from symattn.documents.judging.remarks import row_sums, widths
from symattn.documents.judging.shapes import shape_differs
from symattn.documents.judging.spelling import entry_spelt
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
    Name,
    Node,
    Number,
    Quotient,
    Root,
    walk,
)
from symattn.documents.reading.value import Infinite, Scalar, Table
from symattn.documents.report import NO_FINDING, Carried, Claim
from symattn.numbers.certified import rational_of
from symattn.numbers.rounding import plain_digits

MOST_ALONE: Final = 2
"""So many cells bear out a candidate together."""

NEAR: Final = 5
"""Units of the last digit that rounding on the way may make."""

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
    candidates = _alike([c for c in candidates if laid_over(c.value, laid[0], flat=laid[1])])
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
    ways = [way for reading in readings(usable) for way in _ways(desk, laid, reading, subject.row)]
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


def _ways(
    desk: Desk, laid: tuple[Grid, bool], candidates: Sequence[Candidate], row: int | None
) -> Iterator[tuple[Found, int | None]]:
    """What is found for each row that may be meant."""
    for usable in (candidates, _alike(candidates)):
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
        stands = not found.single and row_stands(desk, row, subject)
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
                _remember(desk, inner, claim, quantity, alone=subject.scalar)
        shown.append(tuple(a for a, _ in values))
        exact.append(tuple(b for _, b in values))
    explain(desk, said, (grid, found.flat), found.verdicts, found.values, subject, first_claim)
    if not any(isinstance(last(cell), (Blank, Elided)) for row in grid for cell in row):
        keep(desk, subject, part.node, tuple(shown), tuple(exact), sourced, origins, flat=found.flat)
        if subject.scalar and subject.entry is None:
            one = Quantity(shown[0][0], exact[0][0], None, "scaled_scores", claimed=True, origins=origins)
            scaled_in_order(desk, found.candidates[0].tree, one)
    if subject.stage in {"scaled_scores", "weights"}:
        widths(desk, said.region, part.node)
    if subject.stage == "weights":
        row_sums(desk, said.region, part.node, grid)


def _remember(desk: Desk, number: Number, claim: Claim, quantity: Quantity, *, alone: bool) -> None:
    """Remember a number that was judged, for where it is written again; `alone` where it stood by itself."""
    origins: Origins = {(): claim.place} if claim.finding else {}
    approximate = claim.carried == "stated_approximation"
    desk.memory.remember(number.text, replace(quantity, origins=origins, approximate=approximate))
    if claim.finding and alone:
        desk.memory.slips[number.text] = claim.expected, claim.place


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
    carried, origin = _carried(desk, found, subject, place, from_givens, from_source)
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
        root_cause=_slip_before(desk, cell, verdict, source, subject, place),
        tie=found.tie,
        notes=notes,
    )


def _slip_before(
    desk: Desk, cell: Node, verdict: Verdict, source: Scalar | None, subject: Subject, place: tuple[int, ...]
) -> Place | None:
    """The finding further up without which a number would be right: the definitions give it."""
    if source is None or verdict in {*NO_FINDING, Verdict.WRONG_STEP}:
        return None
    by_definition = judged(cell, [Candidate(source, "definitions")], [source], desk.decimals)
    return origin_of(desk, subject, place) if by_definition.right else None


def _carried(
    desk: Desk,
    found: CellVerdict,
    subject: Subject,
    place: tuple[int, ...],
    from_givens: str | None,
    from_source: str | None,
) -> tuple[Carried | None, Place | None]:
    """Why a right number is not what full precision gives, and where that came from."""
    if not found.right:
        return None, None
    sourced = from_source not in {None, found.expected}
    origin = origin_of(desk, subject, place) if sourced else None
    if origin is not None:
        return "inherited", origin
    given = found.candidate.route == "written" and from_givens not in {None, found.expected}
    if given and (origin := _origin_of_operands(desk, found.candidate)) is not None:
        return "inherited", origin
    if sourced or given:
        return ("stated_approximation" if _is_approximate(desk, found.candidate) else "early_rounding"), None
    return None, None


def _is_approximate(desk: Desk, candidate: Candidate) -> bool:
    """Whether a value rests on a decimal that the document takes for the root, itself or by way of another number."""
    if candidate.approximate or any(_says(candidate.working, text) for _, text in desk.memory.roots):
        return True
    numbers = [part for part in walk(candidate.tree) if isinstance(part, Number)] if candidate.tree is not None else []
    known = [desk.memory.numbers.get(number.text) for number in numbers]
    return any(one is not None and one[-1].approximate for one in known)


def _says(working: str, number: str) -> bool:
    """Whether a number stands in a working, as a whole."""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)", working) is not None


def _origin_of_operands(desk: Desk, candidate: Candidate) -> Place | None:
    """The finding on a number that a formula goes on from."""
    for part in walk(candidate.tree) if candidate.tree is not None else ():
        known = desk.memory.numbers.get(part.text) if isinstance(part, Number) else None
        if known and (origin := known[-1].origins.get(())) is not None:
            return origin
    return None


def origin_of(desk: Desk, subject: Subject, place: tuple[int, ...]) -> Place | None:
    """The first finding that an entry was computed from."""
    order = PIPELINE[: PIPELINE.index(subject.stage)] if subject.stage in PIPELINE else ()
    row = place[0] if place else None
    for stage in order:
        quantity = desk.memory.whole(stage)
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
        defined = source[0][0] if source is not None else None
        quantity = Quantity(shown[0][0], exact[0][0], defined, subject.stage, claimed=True, origins=origins)
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
    if scalar:
        _keep_number(memory, subject, quantity, node)
        if subject.entry is not None and len(subject.entry) == 2 and stage in PIPELINE and stage not in memory.stages:
            memory.place_entry(stage, (subject.entry[0], subject.entry[1]), quantity)
        return
    if flat and stage in {"scaled_scores", "masked_scores", "shifted", ""}:
        memory.input = quantity
    if stage == "exponentials":
        told = [
            [Quantity(*pair, None, stage) for pair in zip(*both, strict=True)]
            for both in zip(shown, exact, strict=True)
        ]
        memory.exponentials, memory.total = told[0], None
        if len(told) > 1:
            memory.sums = {i: (tuple(row), total) for i, row in enumerate(told) if (total := _total(row)) is not None}
    elif stage in PIPELINE:
        _keep_stage(desk, subject, quantity, shown, flat=flat)


def scaled_in_order(desk: Desk, tree: Node | None, quantity: Quantity) -> None:
    """Scores that are divided by the root one after another, in the order of their table, are the scaled scores."""
    memory = desk.memory
    if not isinstance(tree, Quotient) or "scaled_scores" in memory.stages:
        return
    below = tree.below
    taken = isinstance(below, Number) and any(root == below.value for root, _ in memory.roots)
    scores = desk.predictions.stage("scores", "shown") if taken or isinstance(below, Root) else None
    told = [(i, j, entry) for i, row in enumerate(scores.rows) for j, entry in enumerate(row)] if scores else []
    at = len(memory.entries.get("scaled_scores", {}))
    if at < len(told) and told[at][2] == desk.value(tree.above, "shown"):
        memory.place_entry("scaled_scores", told[at][:2], quantity)


def _total(row: Sequence[Quantity]) -> Quantity | None:
    """The sum of exponentials that stand in a row."""
    shown, exact = added([one.way("shown") for one in row]), added([one.way("exact") for one in row])
    return Quantity(shown, exact, None, "row_sums") if shown is not None else None


def _keep_number(memory: Memory, subject: Subject, quantity: Quantity, node: Node) -> None:
    if subject.stage == "scores":
        memory.scored.append(quantity)
    elif subject.stage == "exponentials":
        if memory.total is not None:  # the next row has begun
            memory.exponentials, memory.total = [], None
        memory.exponentials.append(quantity)
    elif subject.stage == "row_sums":
        memory.total = quantity
        row = subject.row if subject.row is not None else len(memory.sums)
        memory.sums[row] = (tuple(memory.exponentials), quantity)
    elif subject.stage == "root" and isinstance(quantity.shown, fmpq):
        taken = quantity.shown, getattr(node, "text", "")
        memory.roots[:] = [*(known for known in memory.roots if known != taken), taken]  # each is tried: no root twice


def _keep_stage(
    desk: Desk, subject: Subject, quantity: Quantity, shown: Sequence[Sequence[Scalar]], *, flat: bool
) -> None:
    memory, stage, height = desk.memory, subject.stage, desk.height(subject.stage) or 0
    column = not flat and len(shown[0]) == 1 and subject.row is not None
    named = any(isinstance(name, Name) and name.indices for name in subject.names)
    if column and named and memory.has_columns(stage):
        memory.place_row(stage, subject.row or 0, quantity.upright(), height)
    elif flat and height != 1 and subject.row is not None:
        memory.place_row(stage, subject.row, quantity, height)
    elif has_stage_shape(desk, stage, shown, flat=flat):
        memory.place(stage, quantity)
    elif column and subject.row is not None:  # a row written as a column
        memory.place_row(stage, subject.row, quantity.upright(), height)
    elif flat:
        memory.place_lone(stage, quantity)
    if stage in {"weights", "outputs"}:
        memory.exponentials, memory.total = [], None
        if stage == "outputs" and stage in memory.stages:
            memory.sums = {}  # the rows of this example are done with


def has_stage_shape(desk: Desk, stage: str, rows: Sequence[Sequence[Any]], *, flat: bool) -> bool:
    """Whether rows have the shape of their stage, as far as that is known."""
    height = desk.height(stage) or 0
    layout = desk.memory.layout
    if stage in {*PROJECTIONS, "outputs"}:
        values = desk.memory.stages.get("V")
        known = values.shown if stage == "outputs" and values is not None else None
        width = known.shape[1 if layout == "rows" else 0] if isinstance(known, Table) else 0
        shape = (height, width) if layout == "rows" else (width, height)
    else:
        width = desk.height("K") or height
        shape = (width, height) if layout == "columns" else (height, width)
    fits = shape[0] in {0, len(rows)} and shape[1] in {0, len(rows[0])}
    return fits and (not flat or height == 1)


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
    if found.expected and found.expected not in {plain_value(found.value), decimal}:
        worth += f" rounds to {found.expected}"
    return f"{worth}; {what}"
