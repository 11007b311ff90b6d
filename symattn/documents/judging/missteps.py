"""Steps that are shown, carried out, and not the stage's own: 12/√16 with d_k = 4, a softmax of unscaled scores.

Arrives: a worked formula and its subject. Leaves: the slip, and what the step should have given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from flint import fmpq

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.judging.causes import TOLD
from symattn.documents.judging.cells import Candidate, is_literal
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.memory import whole_number
from symattn.documents.judging.predict import root_of
from symattn.documents.judging.settling import settle
from symattn.documents.judging.spelling import spelt
from symattn.documents.judging.stages import stage_of, stage_of_words
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part, Subject
from symattn.documents.reading.scalars import Scalar, same
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import (
    Bracketed,
    Call,
    Name,
    Node,
    Number,
    Operation,
    Product,
    Quotient,
    Root,
)
from symattn.documents.reading.value import apply, evaluate
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import rational_of

MODEL: Final = ("d_model", "d_{model}", "d_m", "d", "D")
"""Names of the width of the embeddings."""


_UNSCALED: Final = re.compile(
    r"unscaled|without|no scaling|not scale|unskaliert|ohne|sans|non scal|sin escal|sem escal|senza|без|немасштаб"
    r"|不缩放|未缩放|没有缩放|不除|忽略|不縮放|スケーリングなし|スケールし?ない|없이|안 하",
    re.IGNORECASE,
)
"""Words that say that the scaling is left out on purpose."""


@dataclass(frozen=True, slots=True)
class Misstep:
    """A slip of a step, and the value that the step should have given."""

    cause: str
    right: Candidate


def misstep(desk: Desk, said: Statement, node: Node, subject: Subject) -> Misstep | None:
    """The slip of the step that a formula shows, where the document says what it should be."""
    return _of_scaling(desk, said, node, subject) or _of_softmax(desk, said, node)


def amiss(desk: Desk, said: Statement, part: Part, subject: Subject, slip: Misstep) -> None:
    """Judge a result by what its step should have given."""
    first = len(desk.claims)
    settle(desk, said, part, [slip.right], subject)
    root: Place | None = None
    for k in range(first, len(desk.claims)):
        claim = desk.claims[k]
        if claim.finding:
            told = "" if claim.cause is None else f": {TOLD[claim.cause]}"
            message = f"{claim.message.removesuffix(told)}: {TOLD[slip.cause]}"
            desk.claims[k] = replace(
                claim, verdict=Verdict.WRONG_STEP, cause=slip.cause, message=message, root_cause=root
            )
            root = root or claim.place


def _of_scaling(desk: Desk, said: Statement, node: Node, subject: Subject) -> Misstep | None:
    """A division by √n where n is not d_k, or by d_k itself."""
    d_k = whole_number(desk.predictions.d_k())
    if d_k is None or d_k == 1 or subject.stage not in {"", "scores", "scaled_scores"}:
        return None
    for above, below in _divided(node):
        told = subject.stage == "scaled_scores" or "scaled_scores" in {
            stage_of_words(text) for text in (said.words, *said.headings[-1:])
        }
        told = told or (isinstance(above, Number) and _is_score(desk, above))
        cause = _of_divisor(desk, below, d_k, told=told)
        if not cause:
            continue
        value = desk.value(above, "shown")
        if value is None:
            continue
        right = _divided_by_root(value, d_k)
        if right is not None and not _alike(right, desk.value(node, "shown")):
            return Misstep(cause, Candidate(right, "written", f"{spelt(above)}/√{d_k}"))
    return None


def _is_score(desk: Desk, number: Number) -> bool:
    """Whether the document has this number as a score, and as nothing else."""
    known = desk.memory.numbers.get(number.text, [])
    return bool(known) and all(quantity.stage == "scores" for quantity in known)


def _divided_by_root(value: Value, d_k: int) -> Value | None:
    """A value over √d_k."""
    try:
        return apply(Operation(0, 0, "/", Name(0, 0, "r")), value, {"r": root_of(fmpq(d_k))})
    except (ShapeError, UndecidedError):
        return None


def _divided(node: Node) -> Iterator[tuple[Node, Node]]:
    """What is divided by what: S/r, and 1/r times S."""
    if isinstance(node, Bracketed):
        yield from _divided(node.inner)
    elif isinstance(node, Quotient):
        yield node.above, node.below
    elif isinstance(node, Product) and len(node.factors) == 2:
        first, second = node.factors
        if isinstance(first, Quotient) and isinstance(first.above, Number) and first.above.value == 1:
            yield second, first.below


def _of_divisor(desk: Desk, below: Node, d_k: int, *, told: bool) -> str:
    """The slip that a divisor is; rounded roots are none."""
    if isinstance(below, Root) and below.index is None:
        under = whole_number(desk.value(below.inner, "shown"))
        if under is None or under == d_k or isinstance(below.inner, Name):
            return ""
        if under == _model_width(desk):
            return "d_model_for_d_k"
        return "wrong_root" if told else ""
    if isinstance(below, Number) and told and below.value == d_k:
        return "scaled_by_d_k"
    return ""


def _model_width(desk: Desk) -> int | None:
    """The width of the embeddings: as the document states it, or that of X."""
    for name in MODEL:
        known = desk.memory.names.get(name)
        if known is not None and (width := whole_number(known.shown)) is not None:
            return width
    embedding = desk.memory.stages.get("X")
    if embedding is None or not isinstance(embedding.shown, Table) or embedding.shown.flat:
        return None
    return embedding.shown.shape[1 if desk.memory.layout == "rows" else 0]


def _of_softmax(desk: Desk, said: Statement, node: Node) -> Misstep | None:
    """A softmax of scores that the document has scaled before, or of QKᵀ where it states a d_k."""
    if not isinstance(node, Call) or not node.function.startswith("softmax") or len(node.arguments) != 1:
        return None
    inner = node.arguments[0]
    taken = desk.value(inner, "shown")
    if not isinstance(taken, Table) or desk.memory.masked:
        return None
    right = _row_scaled(desk, taken) if is_literal(inner) else _scores_scaled(desk, said, inner, taken)
    if right is None:
        return None
    try:
        weights = evaluate(Call(node.start, node.end, "softmax", (Name(0, 0, "S"),)), {"S": right})
    except (ShapeError, UndecidedError):
        return None
    return Misstep("unscaled", Candidate(weights, "written", "softmax of the scaled scores"))


def _row_scaled(desk: Desk, taken: Table) -> Table | None:
    """The scaled row of which the row of the scores was taken; None where that is not told apart."""
    scores, scaled = _rows(desk, "scores"), _rows(desk, "scaled_scores")
    if any(_alike(row, taken) for row in scaled.values()):
        return None
    at = [i for i, row in scores.items() if _alike(row, taken) and i in scaled]
    return scaled[at[0]] if len(at) == 1 else None


def _scores_scaled(desk: Desk, said: Statement, inner: Node, taken: Table) -> Table | None:
    """QKᵀ over √d_k, where the document states d_k and does not say that it leaves the scaling out."""
    stated = desk.memory.names.get("d_k")
    d_k = whole_number(stated.shown) if stated is not None else None
    told = " ".join((said.words, *said.headings[-1:]))
    if d_k is None or d_k == 1 or isinstance(inner, Name) or stage_of(inner) != "scores" or _UNSCALED.search(told):
        return None
    found = _divided_by_root(taken, d_k)
    return found if isinstance(found, Table) else None


def _rows(desk: Desk, stage: str) -> dict[int, Table]:
    """The rows of a stage that the document shows."""
    found: dict[int, Table] = {}
    whole = desk.memory.stages.get(stage)
    if whole is not None and isinstance(whole.shown, Table):
        found = {i: Table((row,), flat=True) for i, row in enumerate(whole.shown.rows)}
    for i, quantity in desk.memory.rows.get(stage, {}).items():
        if isinstance(quantity.shown, Table):
            found[i] = Table(quantity.shown.rows, flat=True)
    return found


def _alike(left: object, right: object) -> bool:
    """Whether two values are equal for certain."""
    if isinstance(left, Table) and isinstance(right, Table):
        ours: list[Scalar] = [entry for row in left.rows for entry in row]
        theirs: list[Scalar] = [entry for row in right.rows for entry in row]
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(left, Table) or isinstance(right, Table) or left is None or right is None:
        return False
    return _same(left, right)  # type: ignore[arg-type]  # numbers both


def _same(left: Scalar, right: Scalar) -> bool:
    a, b = rational_of(left), rational_of(right)
    return a == b if a is not None and b is not None else left == right or same(left, right) is True
