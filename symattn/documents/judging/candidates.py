"""The values that a result may stand for: what stands before it, and what attention gives.

Arrives: the parts before a result, and its subject. Leaves: candidates by route; the first one is what the author had at
hand, the others may make a number right too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from symattn.documents.judging.cells import (
    Candidate,
    grid_of,
    substituted,
)
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.memory import Way
from symattn.documents.judging.predict import exponential
from symattn.documents.judging.spelling import spelt
from symattn.documents.judging.stages import (
    LABELS,
    PIPELINE,
    PROJECTIONS,
)
from symattn.documents.judging.subject import (
    Part,
    Subject,
)
from symattn.documents.reading.tree import (
    Name,
    Node,
    Number,
    Operation,
    Text,
    walk,
)
from symattn.documents.reading.value import Scalar, Table, Value, apply, evaluate
from symattn.errors import ShapeError, UndecidedError

SHARES: Final = "exponential over sum"


def values_before(desk: Desk, before: Sequence[Part], at: Part) -> tuple[list[Candidate], str | None]:
    """What the nearest worked thing before a result is worth: as displayed, and at full precision."""
    failure: str | None = None
    found: list[Candidate] = []
    for part in reversed(before):
        node = part.node
        if isinstance(node, (Name, Text)) and (len(before) == 1 or found):
            continue
        try:
            shown = carried_on(desk, node, at, "shown", {})
        except ShapeError as error:
            failure = str(error)
            if not isinstance(node, (Name, Text)) and not found:
                return [], failure
            continue
        except UndecidedError:
            continue
        working = spelt(node)
        found.append(Candidate(shown, "written", working))
        for tree, extra in exact_trees(desk, node):
            try:
                exact = carried_on(desk, tree, at, "exact", extra)
            except (ShapeError, UndecidedError):
                continue
            found.append(Candidate(exact, "givens", working))
    return found, None if found else failure


def carried_on(desk: Desk, node: Node, at: Part, way: Way, extra: dict[str, Any]) -> Value:
    view = desk.memory.view(way, extra)
    value = evaluate(node, view)
    if isinstance(at.operation, Operation):
        return apply(at.operation, value, view)
    return value


def exact_trees(desk: Desk, node: Node) -> Iterator[tuple[Node, dict[str, Any]]]:
    """The formula with restated numbers at full precision: the nearest with the same digits first."""
    found = {
        part.text: desk.memory.numbers[part.text]
        for part in walk(node)
        if isinstance(part, Number) and part.text in desk.memory.numbers
    }
    told = False
    for back in range(min(3, max((len(each) for each in found.values()), default=0))):
        extra: dict[str, Any] = {}

        def put(number: Number, back: int = back, extra: dict[str, Any] = extra) -> Node | None:
            known = found.get(number.text)
            if known is None:
                return None
            quantity = known[max(0, len(known) - 1 - back)]
            if quantity.exact is None or isinstance(quantity.exact, Table):
                return None
            key = f"\u00a7{number.start}"
            extra[key] = quantity.exact
            return Name(number.start, number.end, key)

        tree = substituted(node, put)
        if extra:
            told = True
            yield tree, extra
    if not told:
        yield node, {}


def predicted(desk: Desk, subject: Subject, node: Node, *, worked: bool) -> list[Candidate]:
    """What the stages before give for a stage, or a formula that the document states for a name."""
    found: list[Candidate] = []
    memory, predictions = desk.memory, desk.predictions
    for name in subject.names if not worked else ():
        formula = memory.formulas.get(name.key)
        if formula is not None:
            for way in ("shown", "exact"):
                value = desk.value(formula, way)  # type: ignore[arg-type]
                if value is not None:
                    found.append(Candidate(value, "written" if way == "shown" else "givens", spelt(formula)))
    stage = subject.stage
    if stage == "row_sums":
        return found + ([] if worked else sums(desk))
    if stage == "weights":
        found += shares(desk, node) if not worked else []
        if found and found[0].working == SHARES:
            exact = predictions.stage(stage, "exact", anew=True)
            return found + ([] if exact is None else [Candidate(exact, "givens", formula_of(stage))])
    if stage not in (*PIPELINE, "exponentials", "shifted"):
        return found
    if stage == "exponentials" and memory.input is not None and not worked:
        for way, route in (("shown", "written"), ("exact", "givens")):
            value = exponential(memory.input.way(way))  # type: ignore[arg-type]
            if value is not None:
                found.append(Candidate(value, route, "e to the power of the row"))  # type: ignore[arg-type]
    if not worked:
        rows = memory.rows.get(stage, {})
        known = memory.stages.get(stage)
        if known is not None and not rows and stage not in PROJECTIONS:
            found.append(Candidate(known.shown, "written", LABELS.get(stage, stage)))
        for root in (*reversed([r for r, _ in memory.roots]), None):
            value = predictions.stage(stage, "shown", root, anew=True)
            if value is not None and stage == "weights":
                value = with_sums(desk, value)
            if value is not None:
                found.append(Candidate(value, "written", formula_of(stage), approximate=root is not None))
    exact = predictions.stage(stage, "exact", anew=True)
    if exact is not None:
        found.append(Candidate(exact, "givens", formula_of(stage)))
    if stage in {"weights", "outputs"} and not worked:
        found += unmasked(desk, stage)
    return found


def as_displayed(desk: Desk, stage: str) -> list[Candidate]:
    """A stage from the one displayed before it."""
    value = desk.predictions.stage(stage, "shown", anew=True)
    return [] if value is None else [Candidate(value, "written", formula_of(stage))]


def unmasked(desk: Desk, stage: str) -> list[Candidate]:
    """The same stage with the mask the other way: it may be meant."""
    memory = desk.memory
    before = memory.masked
    memory.masked = not before
    memory.version += 1
    try:
        values = [desk.predictions.stage(stage, way, anew=True) for way in ("shown", "exact")]  # type: ignore[arg-type]
    finally:
        memory.masked = before
        memory.version += 1
    routes: Any = ("written", "givens")
    return [Candidate(v, r, formula_of(stage)) for v, r in zip(values, routes, strict=True) if v is not None]


def sums(desk: Desk) -> list[Candidate]:
    """What a row sum may be: of the exponentials displayed last, or of a row of them."""
    memory = desk.memory
    found: list[Candidate] = []
    shown = [q.shown for q in memory.exponentials]
    for way, route in (("shown", "written"), ("exact", "givens")):
        values = [q.way(way) for q in memory.exponentials]  # type: ignore[arg-type]
        total = added(values)
        if total is not None:
            found.append(Candidate(total, route, "the sum of the exponentials"))  # type: ignore[arg-type]
    if len(shown) == 1:
        keys = memory.stages.get("K") or memory.stages.get("scores")
        if keys is not None and isinstance(keys.shown, Table):
            n = keys.shown.shape[0]
            values = [q for q in [memory.exponentials[0].shown] * n]
            total = added(values)
            if total is not None:
                found.append(Candidate(total, "written", f"{n} times the exponential"))
    for way, route in (("shown", "written"), ("exact", "givens")):
        table = desk.predictions.stage("exponentials", way, anew=True)  # type: ignore[arg-type]
        for row in table.rows if table is not None else ():
            total = added(row)
            if total is not None:
                found.append(Candidate(total, route, "the sum of a row"))  # type: ignore[arg-type]
    return found


def with_sums(desk: Desk, table: Table) -> Table:
    """Weights, the rows whose exponentials and sum are displayed by those."""
    rows = list(table.rows)
    for i, (exponentials, total) in desk.memory.sums.items():
        if i < len(rows) and len(exponentials) == len(rows[i]):
            shares = over([q.shown for q in exponentials], total.shown)
            rows[i] = shares if shares is not None else rows[i]
    return Table(tuple(rows))


def shares(desk: Desk, node: Node) -> list[Candidate]:
    """The exponentials displayed last over their sum."""
    memory = desk.memory
    laid = grid_of(node)
    if laid is None or len(laid[0]) != 1 or len(laid[0][0]) != len(memory.exponentials):
        return []
    found = []
    for way, route in (("shown", "written"), ("exact", "givens")):
        values = [q.way(way) for q in memory.exponentials]  # type: ignore[arg-type]
        total = memory.total.way(way) if memory.total is not None else added(values)  # type: ignore[arg-type]
        shares = over(values, total)
        if shares is not None:
            found.append(Candidate(Table((shares,), flat=True), route, SHARES))  # type: ignore[arg-type]
    return found


def added(values: Sequence[Any]) -> Scalar | None:
    from symattn.documents.reading.value import _plus

    if not values or any(isinstance(value, Table) for value in values):
        return None
    total = values[0]
    try:
        for value in values[1:]:
            total = _plus(total, value)
    except UndecidedError:
        return None
    return total


def over(values: Sequence[Any], total: Any) -> tuple[Scalar, ...] | None:
    from symattn.documents.reading.value import _over as over

    if total is None or not values or any(isinstance(value, Table) for value in (*values, total)):
        return None
    try:
        return tuple(over(value, total) for value in values)
    except UndecidedError:
        return None


def formula_of(stage: str) -> str:
    return {
        "Q": "X·W_Q",
        "K": "X·W_K",
        "V": "X·W_V",
        "scores": "Q·Kᵀ",
        "scaled_scores": "scores/√d_k",
        "masked_scores": "masked scores",
        "exponentials": "e^score",
        "weights": "softmax of the scaled scores",
        "outputs": "weights·V",
    }.get(stage, stage)
