"""What was written is remembered: under its names, its stage and its row, and as a number that may come again.

Arrives: a result that was judged. Leaves: the result in the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flint import fmpq

from symattn.documents.formats.document import Place
from symattn.documents.judging.candidates import added
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.giving import is_of_token, learn
from symattn.documents.judging.memory import Memory, Origins, Quantity
from symattn.documents.judging.stages import PIPELINE, PROJECTIONS
from symattn.documents.judging.subject import Subject
from symattn.documents.reading.scalars import Scalar
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Name, Node, Number, Quotient, Root, Sum
from symattn.documents.report import Claim


def remember_number(desk: Desk, number: Number, claim: Claim, quantity: Quantity, *, alone: bool) -> None:
    """Remember a number that was judged, for where it is written again; `alone` where it stood by itself."""
    origins: Origins = {(): claim.place} if claim.finding else {}
    approximate = claim.carried == "stated_approximation"
    desk.memory.remember(number.text, replace(quantity, origins=origins, approximate=approximate))
    if alone:
        desk.memory.results.append(number.text)
    if claim.finding and alone:
        desk.memory.slips[number.text] = claim.expected, claim.place


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
        _keep_exponentials(memory, shown, exact)
    elif stage in PIPELINE:
        placed = _of_token(desk, subject, quantity) if flat else subject
        if placed is not None:
            _keep_stage(desk, placed, quantity, shown, flat=flat)


def _keep_exponentials(memory: Memory, shown: Sequence[Sequence[Scalar]], exact: Sequence[Sequence[Scalar]]) -> None:
    """Remember exponentials for their sums, and those of several rows with the sums that they have."""
    told = [
        [Quantity(*pair, None, "exponentials") for pair in zip(*both, strict=True)]
        for both in zip(shown, exact, strict=True)
    ]
    memory.exponentials, memory.total = told[0], None
    if len(told) > 1:
        lines = list(zip(*told, strict=True)) if memory.has_columns("weights") else told
        memory.sums = {i: (tuple(row), total) for i, row in enumerate(lines) if (total := _total(row)) is not None}


def _of_token(desk: Desk, subject: Subject, quantity: Quantity) -> Subject | None:
    """The subject with the row of its token; None for the vector of a token whose place is not known yet."""
    token = next((name for name in subject.names if isinstance(name, Name) and is_of_token(name)), None)
    if token is None or subject.row is not None or subject.stage not in PROJECTIONS:
        return subject
    learn(desk, token, quantity)
    row = desk.memory.index(token.indices[0], 1_000_000)
    return None if row is None else replace(subject, row=row)


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


def summed(desk: Desk, tree: Node | None, subject: Subject, quantity: Quantity) -> None:
    """The sum of a row of exponentials, as the document writes it: its weights go on from there."""
    memory = desk.memory
    if not isinstance(tree, Sum):
        return
    terms = [desk.value(term, "shown") for term in tree.terms]
    for i, (exponentials, _) in memory.sums.items():
        if [one.shown for one in exponentials] == terms:
            memory.sums[i] = exponentials, quantity
            memory.version += 1
    if memory.is_summing and [one.shown for one in memory.exponentials] == terms:
        memory.total = quantity
        memory.sums[len(memory.sums) if subject.row is None else subject.row] = tuple(memory.exponentials), quantity
        memory.version += 1


def _total(row: Sequence[Quantity]) -> Quantity | None:
    """The sum of exponentials that stand in a row."""
    shown, exact = added([one.way("shown") for one in row]), added([one.way("exact") for one in row])
    return Quantity(shown, exact, None, "row_sums") if shown is not None else None


def _keep_number(memory: Memory, subject: Subject, quantity: Quantity, node: Node) -> None:
    if subject.stage == "scores":
        memory.scored.append(quantity)
        memory.input = None  # what was scaled before them is done with
    elif subject.stage == "exponentials":
        if memory.total is not None:  # the next row has begun
            memory.exponentials, memory.total = [], None
        memory.exponentials.append(quantity)
    elif subject.stage == "row_sums":
        memory.total, memory.shared = quantity, 0
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
    layout = desk.memory.layout
    crossed = stage == "Q" and not flat  # queries of another text than that of the keys
    height = 0 if crossed else desk.height(stage) or 0
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
