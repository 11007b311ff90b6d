"""Steps that are no results: shapes that do not fit, worked matrices, and the root that an author takes."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.candidates import predicted, values_before
from symattn.documents.judging.causes import TOLD
from symattn.documents.judging.cells import (
    Grid,
    decimals_of,
    grid_of,
    has_names,
    is_entry,
    is_literal,
    laid_over,
    last,
    may_be,
)
from symattn.documents.judging.desk import Desk, label_of
from symattn.documents.judging.restating import restated
from symattn.documents.judging.settling import aligned, settle
from symattn.documents.judging.stages import (
    PIPELINE,
)
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import (
    Part,
    Subject,
    subject_of,
)
from symattn.documents.reading.tree import (
    Blank,
    Elided,
    Matrix,
    Node,
    Number,
    Product,
    Quotient,
    walk,
)
from symattn.documents.reading.value import Table
from symattn.documents.report import Remark


def step(desk: Desk, said: Statement, parts: Sequence[Part], k: int) -> None:
    """A worked matrix in the place of a result: each cell must be able to stand for what it should be."""
    node = parts[k].node
    laid = grid_of(node)
    if laid is None or has_names(node):
        return
    subject = subject_of(desk, said, parts[:k])
    roots_used(desk, said, node, subject)
    candidates, _ = values_before(desk, parts[:k], parts[k])
    candidates += predicted(desk, subject, node, worked=False)
    usable = [c for c in candidates if laid_over(c.value, laid[0], flat=laid[1])]
    if not usable or subject.stage not in PIPELINE:
        return
    for values, _ in aligned(desk, laid, usable, subject.row):
        if all(
            any(may_be(last(cell), grid[i][j]) for grid in values)
            for i, row in enumerate(laid[0])
            for j, cell in enumerate(row)
            if not isinstance(last(cell), (Blank, Elided))
        ):
            return
    if all(is_entry(last(cell)) for row in laid[0] for cell in row):
        return
    first = usable[0]
    cause = ratio_of_scores(desk, laid[0], subject)
    desk.add(
        said.region,
        node,
        Verdict.WRONG_STEP,
        f"this is not {first.working}" + (f": {TOLD[cause]}" if cause else ""),
        cause=cause or None,
        label=label_of(subject.stage, ()),
        stage=subject.stage,
        relation=parts[k].relation or "=",
        route=first.route,
        working=first.working,
    )


def ratio_of_scores(desk: Desk, grid: Grid, subject: Subject) -> str:
    """Whether each cell is a score over one number."""
    if subject.stage != "weights":
        return ""
    cells = [last(cell) for row in grid for cell in row]
    if not all(isinstance(cell, Quotient) for cell in cells):
        return ""
    above = tuple(desk.value(cell.above, "shown") for cell in cells if isinstance(cell, Quotient))
    for stage in ("scores", "scaled_scores"):
        table = desk.predictions.stage(stage, "shown")
        if table is not None and above == tuple(x for row in table.rows for x in row):
            return "softmax_as_ratio"
    return ""


def roots_used(desk: Desk, said: Statement, node: Node, subject: Subject) -> None:
    """A decimal that all cells are divided by is what the author takes for the root."""
    if subject.stage != "scaled_scores":
        return
    below = {
        part.below.text: part.below
        for part in walk(node)
        if isinstance(part, Quotient) and isinstance(part.below, Number)
    }
    if len(below) != 1:
        return
    (number,) = below.values()
    if number.digits is None or number.digits.places <= 0:
        return
    before = [value for value, _ in desk.memory.roots]
    if number.value not in before:
        if before:
            place = desk.place_of(said.region, number)
            told = number.text, str(decimals_of(before[-1], 4)).rstrip("0")
            desk.remarks.append(Remark(place, "constant", f"{told[0]} is taken for a root first written {told[1]}"))
        desk.memory.roots.append((number.value, number.text))


def inside(desk: Desk, said: Statement, parts: Sequence[Part], k: int) -> None:
    """The matrix of 1/√d_k·[…] in the place of scaled scores: the scores, displayed on the way."""
    product = parts[k].node
    assert isinstance(product, Product)  # noqa: S101
    grids = [factor for factor in product.factors if isinstance(factor, Matrix) and is_literal(factor)]
    rest = [factor for factor in product.factors if factor not in grids]
    if len(grids) != 1 or any(isinstance(desk.value(factor, "shown"), Table | None) for factor in rest):
        return
    if subject_of(desk, said, parts[:k]).stage != "scaled_scores":
        return
    subject = Subject("scores")
    if restated(desk, subject, grids[0]):
        return
    candidates = predicted(desk, subject, grids[0], worked=False)
    if candidates:
        settle(desk, said, Part(grids[0], parts[k].relation), candidates, subject)
