"""The values that a result may stand for: what stands before it, and what attention gives.

Arrives: the parts before a result, and its subject. Leaves: candidates by route; the first one is what the author had
at hand, the others may make a number right too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final

from flint import fmpq

from symattn.documents.judging.cells import Candidate, grid_of, is_literal, laid_over, substituted
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.memory import Quantity, Way
from symattn.documents.judging.predict import exponential, masked, root_of, transition
from symattn.documents.judging.spelling import spelt
from symattn.documents.judging.stages import LABELS, PIPELINE, PROJECTIONS, stage_of
from symattn.documents.judging.subject import Part, Subject, function_over
from symattn.documents.reading.scalars import Infinite, Scalar, over, plus
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import (
    Call,
    List,
    Matrix,
    Name,
    Node,
    Number,
    Operation,
    Product,
    Quotient,
    Root,
    Sum,
    Text,
    Unread,
    children,
    walk,
)
from symattn.documents.reading.value import apply, evaluate
from symattn.documents.report import Route
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.rounding import terminating_digits

WAYS: Final[tuple[tuple[Way, Route], ...]] = (("shown", "written"), ("exact", "givens"))
"""A value as displayed is the written route, one at full precision that of the givens."""

NEAREST: Final = 8
"""Things of a chain before a result that are tried; of longer chains the first one and the nearest."""

ROOT: Final = "\u00a7root"

SHARES: Final = "exponential over sum"

FORMULAS: Final = {
    "Q": "X·W_Q",
    "K": "X·W_K",
    "V": "X·W_V",
    "scores": "Q·Kᵀ",
    "scaled_scores": "scores/√d_k",
    "masked_scores": "masked scores",
    "exponentials": "e^score",
    "weights": "softmax of the scaled scores",
    "outputs": "weights·V",
}


def values_before(desk: Desk, before: Sequence[Part], at: Part) -> tuple[list[Candidate], str | None]:
    """What the nearest worked thing before a result is worth: as displayed, and at full precision."""
    failure: str | None = None
    found: list[Candidate] = []
    near = before if len(before) <= NEAREST else [*before[:1], *before[1 - NEAREST :]]
    for part in reversed(near):
        node = part.node
        if isinstance(node, (Name, Text)) and (found or all(isinstance(one.node, (Name, Text)) for one in before)):
            continue  # what has only names before it is what they stand for from here on
        if _are_tokens(node):
            continue  # their vectors are multiplied
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
        found.append(Candidate(shown, "written", working, tree=node))
        found += _side_by_side(desk, node, working)
        found += _by_declared_roots(desk, node, at, working)
        for tree, extra, loose in exact_trees(desk, node):
            try:
                exact = carried_on(desk, tree, at, "exact", extra)
            except (ShapeError, UndecidedError):
                continue
            found.append(Candidate(exact, "givens", working, tree=node, loose=loose))
    return found, None if found else failure


def unworked(desk: Desk, before: Sequence[Part], *, tables: bool) -> str:
    """Why the formula before a result has no value: it is one of numbers alone, cannot be read, or gives a table."""
    for part in reversed(before):
        if isinstance(part.node, (Name, Text)):
            continue
        if _are_tokens(part.node):
            return ""
        unknown = [node for node in walk(part.node) if isinstance(node, Name) and desk.memory.find(node.key) is None]
        if unknown and not any(isinstance(node, Unread) for node in walk(part.node)):
            told = ", ".join(dict.fromkeys(node.key for node in unknown))
            return f"{told} {'is' if len(unknown) == 1 else 'are'} not given" if tables else ""
        try:
            evaluate(part.node, desk.memory.view("shown"))
        except UndecidedError as error:
            return str(error)
        except ShapeError:
            return ""
        return ""
    return ""


def _are_tokens(node: Node) -> bool:
    """Whether a product is one of words: cat·sat."""
    return isinstance(node, Product) and all(isinstance(factor, Text) for factor in node.factors)


def _by_declared_roots(desk: Desk, node: Node, at: Part, working: str) -> list[Candidate]:
    """The formula with the decimals that the document takes for √d_k; the root by itself is none of them."""
    found: list[Candidate] = []
    if _is_root(desk, node):
        return found
    for value, _ in reversed(desk.memory.roots):
        tree = substituted(node, lambda part: Name(part.start, part.end, ROOT) if _is_root(desk, part) else None)
        if tree is node:
            break
        try:
            taken = carried_on(desk, tree, at, "shown", {ROOT: value})
        except (ShapeError, UndecidedError):
            continue
        found.append(Candidate(taken, "written", working, approximate=True, tree=node))
    return found


def _is_root(desk: Desk, node: Node) -> bool:
    """Whether a node is √d_k, by name or by number."""
    if not isinstance(node, Root) or node.index is not None:
        return False
    return stage_of(node) == "root" or (isinstance(node.inner, Number) and node.inner.value == desk.predictions.d_k())


def _side_by_side(desk: Desk, node: Node, working: str) -> list[Candidate]:
    """Tables in brackets with semicolons between them may stand side by side."""
    if not isinstance(node, Matrix) or len(node.rows) < 2 or len(node.rows[0]) != 1:
        return []
    call = Call(node.start, node.end, "concat", tuple(row[0] for row in node.rows))
    value = desk.value(call, "shown")
    return [Candidate(value, "written", working, tree=node)] if isinstance(value, Table) and not value.flat else []


def carried_on(desk: Desk, node: Node, at: Part, way: Way, extra: dict[str, Any]) -> Value:
    """The value of a formula, with the operation that stands over the arrow behind it."""
    view = desk.memory.view(way, extra)
    try:
        value = evaluate(node, view)
    except UndecidedError:
        told = _by_stages(desk, node)
        if told is node:
            raise
        value = evaluate(told, desk.memory.view(way, extra | _stages(desk, way)))
    if function := function_over(at.operation):
        return evaluate(Call(node.start, node.end, function, (node,)), view)
    if isinstance(at.operation, Operation):
        return apply(at.operation, value, view)
    return value


def _by_stages(desk: Desk, node: Node) -> Node:
    """A formula whose QKᵀ stands for the scores that the document states, where it does not give Q and K."""

    def put(part: Node) -> Node | None:
        stage = "" if isinstance(part, Name) else stage_of(part)
        if stage not in PIPELINE or stage not in desk.memory.stages:
            return None
        return Name(part.start, part.end, f"\u00a7{stage}")

    inner = {child: substituted(child, put) for child in children(node)}
    return substituted(node, lambda part: inner.get(part) if inner.get(part) is not part else None)


def _stages(desk: Desk, way: Way) -> dict[str, Any]:
    """The stages that the document has, by the names that formulas are given for them."""
    return {f"\u00a7{stage}": quantity.way(way) for stage, quantity in desk.memory.stages.items()}


def exact_trees(desk: Desk, node: Node) -> Iterator[tuple[Node, dict[str, Any], bool]]:
    """The formula with restated numbers at full precision: the nearest with the same digits first.

    Where none of them rounds to what is written, they are tried as they are, and marked as loose.
    """
    raised = stage_of(node) in {"exponentials", "weights"} and not isinstance(node, Quotient)
    found = {part.text: _known(desk, part, raised=raised) for part in walk(node) if isinstance(part, Number)}
    for part in walk(node):
        if isinstance(part, Quotient) and isinstance(part.below, Number) and not found[part.below.text]:
            found[part.below.text] = _root(desk, part.below)
    told = False
    for back in range(min(3, max((len(each) for each in found.values()), default=0))):
        tree, extra = _restored(desk, node, found, back, loose=False)
        if extra:
            told = True
            yield tree, extra, False
    if not told:
        tree, extra = _restored(desk, node, found, 0, loose=True)
        if extra:
            yield tree, extra, True
        yield node, {}, False


def _restored(
    desk: Desk, node: Node, found: Mapping[str, Sequence[Quantity]], back: int, *, loose: bool
) -> tuple[Node, dict[str, Any]]:
    """The formula with a name in the place of each restated number, and the values of these names."""
    extra: dict[str, Any] = {}

    def put(number: Node) -> Node | None:
        known = found.get(number.text) if isinstance(number, Number) else None
        if not isinstance(number, Number) or not known:
            return None
        quantity = known[max(0, len(known) - 1 - back)]
        if quantity.exact is None or isinstance(quantity.exact, Table):
            return None
        if not rounds_to(desk, quantity.exact, number) and not (loose and quantity.claimed and not quantity.origins):
            return None
        key = f"\u00a7{number.start}"
        extra[key] = quantity.exact
        return Name(number.start, number.end, key)

    return substituted(node, put), extra


def _known(desk: Desk, number: Number, *, raised: bool) -> list[Quantity]:
    """What a number that is written again may stand for; in an exponent it is a score, never a weight."""
    known = desk.memory.numbers.get(number.text, [])
    if not raised:
        return known
    known = [quantity for quantity in known if quantity.stage not in {"exponentials", "row_sums", "weights", "outputs"}]
    return known or _scaled(desk, number)


def _root(desk: Desk, number: Number) -> list[Quantity]:
    """√d_k, where a number that is divided by is its rounding."""
    d_k = desk.predictions.d_k()
    root = root_of(d_k) if d_k is not None else None
    if root is None or isinstance(root, Table) or number.digits is None or number.digits.places <= 0:
        return []
    return [Quantity(root, root, None, "root")] if rounds_to(desk, root, number) else []


def _scaled(desk: Desk, number: Number) -> list[Quantity]:
    """The scores over √d_k that round to a number of which it is not told where it comes from."""
    d_k = desk.predictions.d_k()
    if d_k is None or number.digits is None or number.digits.places < 2:
        return []
    scores = [one.shown for known in desk.memory.numbers.values() for one in known if one.stage == "scores"]
    values = {score for score in scores if isinstance(score, fmpq)}
    root = root_of(d_k)
    try:
        scaled = [over(value, root) for value in values if not isinstance(root, Table)]
    except UndecidedError:
        return []
    return [Quantity(one, one, None, "scaled_scores") for one in scaled if rounds_to(desk, one, number)]


def rounds_to(desk: Desk, exact: Scalar, number: Number) -> bool:
    """Whether a number on paper is a value at full precision, rounded or one unit off."""
    if number.digits is None:
        return False
    try:
        found = desk.decimals.round(exact, number.digits.places)
    except UndecidedError:
        return False
    return abs(found.units - number.digits.units) <= (1 if number.digits.places > 0 else 0)


def predicted(desk: Desk, subject: Subject, node: Node, *, worked: bool) -> list[Candidate]:
    """What the stages before give for a stage, or a formula that the document states for a name.

    Where the result was worked out from what stands before it, only the value at full precision is added.
    """
    joined = desk.memory.joined
    if subject.stage == "outputs" and joined is not None and not worked:
        return [Candidate(joined.shown, "written", LABELS["outputs"])]  # the heads are done with
    return _predicted(desk, subject, node, worked=worked)


def _predicted(desk: Desk, subject: Subject, node: Node, *, worked: bool) -> list[Candidate]:
    """The same, for one head."""
    stage = subject.stage
    found = [] if worked else _stated(desk, subject)
    if stage in PROJECTIONS and any(_is_shifted(desk, one.tree) for one in found if one.tree is not None):
        return found
    if stage == "row_sums":
        return found if worked else [*found, *sums(desk, subject.row)]
    if stage == "weights" and not worked:
        shared = shares(desk, node)
        if shared:  # the exponentials are displayed: the softmax of what was displayed before them is no alternative
            return [*found, *shared, *_exactly(desk, stage)]
    if stage not in (*PIPELINE, "exponentials", "shifted"):
        return found
    if worked:
        return [*found, *_exactly(desk, stage)]
    if stage == "exponentials":
        found += _powers_of_input(desk)
    if stage == "weights" and isinstance(node, List) and subject.row is None:
        found += _softmax_of_input(desk)
    found += [*_displayed(desk, stage), *_exactly(desk, stage)]
    if stage == "scaled_scores" and not found:
        found += _scored_last(desk, node)
    return found + _otherwise(desk, stage)


def restates(desk: Desk, tree: Node, stage: str) -> bool:
    """Whether the numbers that a formula shows may stand for the stage before, so that full precision may be meant."""
    if stage == "weights" and isinstance(tree, Call) and len(tree.arguments) == 1:
        operand, before = tree.arguments[0], "masked_scores" if desk.memory.masked else "scaled_scores"
    elif stage == "outputs" and isinstance(tree, Product) and len(tree.factors) == 2:
        operand, before = tree.factors[0], "weights"
    else:
        return not (stage in PROJECTIONS and _is_shifted(desk, tree))
    laid = grid_of(operand)
    table = desk.predictions.stage(before, "exact") if laid is not None and is_literal(operand) else None
    if laid is None or table is None:
        return True
    return any(
        all(
            not isinstance(cell, Number) or isinstance(value, Infinite) or rounds_to(desk, value, cell)
            for row, values in zip(laid[0], rows, strict=True)
            for cell, value in zip(row, values, strict=True)
        )
        for rows, _ in laid_over(table, laid[0], flat=laid[1])
    )


def _is_shifted(desk: Desk, tree: Node) -> bool:
    """Whether a table is added to a product, such as a bias."""
    return isinstance(tree, Sum) and sum(isinstance(desk.value(term, "shown"), Table) for term in tree.terms) > 1


def _stated(desk: Desk, subject: Subject) -> list[Candidate]:
    """What the document says a name is."""
    found = []
    for name in subject.names:
        formula = desk.memory.formulas.get(name.key)
        if formula is not None:
            values = [(desk.value(formula, way), route) for way, route in WAYS]
            told = spelt(formula)
            found += [Candidate(value, route, told, tree=formula) for value, route in values if value is not None]
    return found


def _scored_last(desk: Desk, node: Node) -> list[Candidate]:
    """As many of the last scores that were worked out one by one as a row has entries, over the root."""
    laid, d_k = grid_of(node), desk.predictions.d_k()
    scored, exact = desk.memory.scored, root_of(d_k) if d_k is not None else desk.memory.divisor
    if laid is None or len(laid[0]) != 1 or exact is None or not 1 < len(laid[0][0]) <= len(scored):
        return []
    last = scored[-len(laid[0][0]) :]
    found = []
    for root in (*reversed([root for root, _ in desk.memory.roots]), exact):
        for way, route in WAYS:
            values = divided([one.way(way) for one in last], root)
            if values is not None:
                working = formula_of("scaled_scores")
                found.append(Candidate(Table((values,), flat=True), route, working, approximate=isinstance(root, fmpq)))
    return found


def _softmax_of_input(desk: Desk) -> list[Candidate]:
    """The softmax of the row of scaled scores that was displayed last, where not all the rows are."""
    row = desk.memory.input
    if row is None or row.stage != "scaled_scores" or desk.memory.whole("scaled_scores") is not None:
        return []
    value = transition("weights", row.shown)
    return [] if value is None else [Candidate(value, "written", formula_of("weights"))]


def _otherwise(desk: Desk, stage: str) -> list[Candidate]:
    """What a stage is in another way of going on: shifted before the exponentials, with the mask or without it."""
    if stage == "exponentials":
        return _powers_of_shifted(desk)
    return unmasked(desk, stage) if stage in {"weights", "outputs"} else []


def _powers_of_shifted(desk: Desk) -> list[Candidate]:
    """E to the power of the scores less the largest of their row."""
    tables = [(desk.predictions.stage("shifted", way, anew=True), route) for way, route in WAYS]
    powers = [(exponential(table), route) for table, route in tables if table is not None]
    return [Candidate(value, route, "e^(score − max)") for value, route in powers if value is not None]


def _powers_of_input(desk: Desk) -> list[Candidate]:
    """E to the power of the row that was displayed last."""
    if desk.memory.input is None:
        return []
    values = [(exponential(desk.memory.input.way(way)), route) for way, route in WAYS]
    return [Candidate(value, route, "e to the power of the row") for value, route in values if value is not None]


def _displayed(desk: Desk, stage: str) -> list[Candidate]:
    """A stage as it stands in the document already, and from the stage displayed before it with each root in use."""
    memory = desk.memory
    found = []
    known = memory.stages.get(stage)
    if known is not None and not memory.rows.get(stage) and stage not in PROJECTIONS:
        found.append(Candidate(known.shown, "written", LABELS.get(stage, stage)))
    for root in (*reversed([root for root, _ in memory.roots]), None):
        value = desk.predictions.stage(stage, "shown", root, anew=True)
        if value is not None:
            value = with_sums(desk, value) if stage == "weights" else value
            found.append(Candidate(value, "written", formula_of(stage), approximate=root is not None))
    return found + (_of_some_rows(desk, stage) if stage in {"exponentials", "weights"} else [])


def _of_some_rows(desk: Desk, stage: str) -> list[Candidate]:
    """The step after the scaled scores, where only some of their rows are displayed: the others are rounded alike."""
    rows = desk.memory.rows.get("scaled_scores", {})
    table = desk.predictions.stage("scaled_scores", "shown", anew=True)
    if not rows or "scaled_scores" in desk.memory.stages or table is None or set(rows) >= set(range(len(table.rows))):
        return []
    known = {i: row.shown.rows[0] for i, row in rows.items() if isinstance(row.shown, Table)}
    digits = [terminating_digits(x) for row in known.values() for x in row if isinstance(x, fmpq)]
    places = max((one.places for one in digits if one is not None), default=0)
    try:
        filled = [
            known.get(i) or tuple(x if isinstance(x, Infinite) else desk.decimals.round(x, places).value for x in row)
            for i, row in enumerate(table.rows)
        ]
    except UndecidedError:
        return []
    value = transition(stage, Table(tuple(filled))) if len({len(row) for row in filled}) == 1 else None
    return [] if value is None else [Candidate(value, "written", formula_of(stage))]


def _exactly(desk: Desk, stage: str) -> list[Candidate]:
    """A stage at full precision from what is given."""
    value = desk.predictions.stage(stage, "exact", anew=True)
    return [] if value is None else [Candidate(value, "givens", formula_of(stage))]


def as_displayed(desk: Desk, stage: str) -> list[Candidate]:
    """A stage from the one displayed before it."""
    value = desk.predictions.stage(stage, "shown", anew=True)
    return [] if value is None else [Candidate(value, "written", formula_of(stage))]


def masked_before_scaling(desk: Desk) -> list[Candidate]:
    """The scores with a mask on them, not scaled yet."""
    values = [(desk.predictions.stage("scores", way), route) for way, route in WAYS]
    tables = [(masked(value), route) for value, route in values if value is not None]
    return [Candidate(table, route, "masked scores") for table, route in tables if table is not None]


def unmasked(desk: Desk, stage: str) -> list[Candidate]:
    """The same stage with the mask the other way: it may be meant."""
    memory = desk.memory
    before = memory.masked
    memory.masked = not before
    try:
        values = [(desk.predictions.stage(stage, way, anew=True), route) for way, route in WAYS]
    finally:
        memory.masked = before
    return [Candidate(value, route, formula_of(stage), other=True) for value, route in values if value is not None]


def sums(desk: Desk, row: int | None = None) -> list[Candidate]:
    """What a row sum may be: of the exponentials displayed last, or of a row of them, the one that is told first."""
    memory = desk.memory
    found = []
    for way, route in WAYS:
        total = added([quantity.way(way) for quantity in memory.exponentials])
        if total is not None:
            found.append(Candidate(total, route, "the sum of the exponentials"))
    keys = memory.stages.get("K") or memory.stages.get("scores")
    if len(memory.exponentials) == 1 and keys is not None and isinstance(keys.shown, Table):
        n = keys.shown.shape[0]
        total = added([memory.exponentials[0].shown] * n)
        if total is not None:
            found.append(Candidate(total, "written", f"{n} times the exponential"))
    found += _with_repeats(desk, keys)
    for way, route in WAYS:
        table = desk.predictions.stage("exponentials", way, anew=True)
        rows = list(table.rows) if table is not None else []
        if row is not None and row < len(rows):
            rows.insert(0, rows.pop(row))
        totals = [added(cells) for cells in rows]
        found += [Candidate(total, route, "the sum of a row") for total in totals if total is not None]
    return found


def _with_repeats(desk: Desk, keys: Quantity | None) -> list[Candidate]:
    """The sums in which one of the exponentials stands for those that are like it and were not written again."""
    told = [quantity.shown for quantity in desk.memory.exponentials]
    missing = len(keys.shown.rows) - len(told) if keys is not None and isinstance(keys.shown, Table) else 1
    if not len(told) > 1 or not 0 < missing <= len(told):
        return []
    totals = [added([*told, *[one] * missing]) for one in told]
    return [Candidate(one, "written", "the sum of the exponentials") for one in totals if one is not None]


def with_sums(desk: Desk, table: Table) -> Table:
    """Weights, the rows whose exponentials and sum are displayed by those."""
    downwards = desk.memory.has_columns("weights") and len(table.rows) > 1
    rows = list(zip(*table.rows, strict=True)) if downwards else list(table.rows)
    for i, (exponentials, total) in desk.memory.sums.items():
        if i < len(rows) and len(exponentials) == len(rows[i]):
            parts = divided([quantity.shown for quantity in exponentials], total.shown)
            rows[i] = parts if parts is not None else rows[i]
    return Table(tuple(zip(*rows, strict=True)) if downwards else tuple(rows))


def shares(desk: Desk, node: Node) -> list[Candidate]:
    """The exponentials displayed last over their sum."""
    memory = desk.memory
    laid = grid_of(node)
    if laid is None or len(laid[0]) != 1 or len(laid[0][0]) != len(memory.exponentials):
        return []
    found = []
    for way, route in WAYS:
        values = [quantity.way(way) for quantity in memory.exponentials]
        parts = divided(values, memory.total.way(way) if memory.total is not None else added(values))
        if parts is not None:
            found.append(Candidate(Table((parts,), flat=True), route, SHARES))
    return found


def share_of(desk: Desk, k: int) -> list[Candidate]:
    """One of the exponentials displayed last over their sum, where that is displayed too."""
    power, total = desk.memory.exponentials[k], desk.memory.total
    if total is None:
        return []
    parts = [(divided([power.way(way)], total.way(way)), route) for way, route in WAYS]
    return [Candidate(part[0], route, SHARES) for part, route in parts if part is not None]


def added(values: Sequence[Value]) -> Scalar | None:
    """The sum of numbers, None where there is none."""
    numbers = [value for value in values if not isinstance(value, Table)]
    if not numbers or len(numbers) < len(values):
        return None
    try:
        return reduce(plus, numbers)
    except UndecidedError:
        return None


def divided(values: Sequence[Value], total: Value | None) -> tuple[Scalar, ...] | None:
    """Numbers over their sum, None where there is no quotient."""
    numbers = [value for value in values if not isinstance(value, Table)]
    if total is None or isinstance(total, Table) or not numbers or len(numbers) < len(values):
        return None
    try:
        return tuple(over(value, total) for value in numbers)
    except UndecidedError:
        return None


def formula_of(stage: str) -> str:
    """How a stage comes from the ones before it, in words.

    >>> formula_of("scores")
    'Q·Kᵀ'
    """
    return FORMULAS.get(stage, stage)
