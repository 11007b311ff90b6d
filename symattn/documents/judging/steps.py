"""Steps that are no results: shapes that do not fit, worked matrices, and the root that an author takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.candidates import predicted, values_before
from symattn.documents.judging.causes import TOLD
from symattn.documents.judging.cells import (
    Candidate,
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
from symattn.documents.judging.desk import Desk, kind_of, label_of
from symattn.documents.judging.fitting import aligned, fit
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.operands import is_first, misquoted
from symattn.documents.judging.predict import root_of
from symattn.documents.judging.restating import restated
from symattn.documents.judging.settling import settle
from symattn.documents.judging.spelling import spelt
from symattn.documents.judging.stages import (
    PIPELINE,
    stage_of,
)
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import (
    EQUALITIES,
    Part,
    Subject,
    is_weak,
    names_of,
    subject_of,
)
from symattn.documents.reading.outline import outline
from symattn.documents.reading.scalars import Scalar, same
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import (
    Blank,
    Bracketed,
    Call,
    Elided,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Number,
    Product,
    Quotient,
    Root,
    Sum,
    Text,
    children,
    unbracketed,
    walk,
)
from symattn.documents.report import Remark


def step(desk: Desk, said: Statement, parts: Sequence[Part], k: int) -> None:
    """A worked matrix in the place of a result: each cell must be able to stand for what it should be."""
    node = parts[k].node
    laid = grid_of(node)
    if laid is None or has_names(node):
        return
    subject = subject_of(desk, said, parts[:k])
    roots_used(desk, said, node, subject)
    old = _spread(parts[k - 1].node) if k else None
    if old is not None and grid_of(old) is not None and worked_out(old, node):
        terms(desk, said, [*parts[: k - 1], replace(parts[k - 1], node=old), *parts[k:]], k)
        return
    candidates, _ = values_before(desk, parts[:k], parts[k])
    if candidates or not is_weak(subject):
        candidates += predicted(desk, subject, node, worked=False)
    usable = [c for c in candidates if laid_over(c.value, laid[0], flat=laid[1])]
    if not usable or subject.stage not in PIPELINE:
        return
    off: list[tuple[Node, Scalar]] | None = None
    for values, _ in [*aligned(laid, usable, subject.row)] or aligned(laid, usable, None):
        found = [
            (last(cell), values[0][i][j])
            for i, row in enumerate(laid[0])
            for j, cell in enumerate(row)
            if not isinstance(last(cell), (Blank, Elided))
            and not any(may_be(last(cell), grid[i][j]) for grid in values)
        ]
        if not found or _in_another_order(found):
            return
        off = found if off is None or len(found) < len(off) else off
    if off is None or all(is_entry(last(cell)) for row in laid[0] for cell in row):
        return
    if (
        off
        and 2 * len(off) < len(laid[0]) * len(laid[0][0])
        and all(is_surd(cell) or is_entry(cell) for cell, _ in off)
    ):
        for cell, value in off:
            exactly(desk, said, Part(cell, parts[k].relation), Candidate(value, "written", usable[0].working), subject)
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
        stage=kind_of(subject.stage),
        relation=parts[k].relation or "=",
        route=first.route,
        working=first.working,
    )


def _in_another_order(off: Sequence[tuple[Node, Scalar]]) -> bool:
    """Whether the cells that are off are those of each other: the row was told in another order."""
    left = [value for _, value in off]
    for cell, _ in off:
        at = next((k for k, value in enumerate(left) if may_be(cell, value)), None)
        if at is None:
            return False
        del left[at]
    return len(off) > 1 and not all(is_entry(cell) for cell, _ in off)


def _spread(node: Node) -> Node:
    """A weighted sum of rows as the row of its sums: 0.4·[1, 2] + 0.6·[3, 4] as [0.4·1 + 0.6·3, 0.4·2 + 0.6·4]."""
    if not isinstance(node, Sum) or any(sign != "+" for sign in node.signs):
        return node
    rows: list[list[Node]] = []
    for term in node.terms:
        if not isinstance(term, Product) or len(term.factors) != 2 or not isinstance(term.factors[0], Number):
            return node
        number, laid = term.factors[0], grid_of(term.factors[1])
        if laid is None or len(laid[0]) != 1:
            return node
        rows.append([Product(term.start, term.end, (number, last(cell)), ("·",)) for cell in laid[0][0]])
    if len({len(row) for row in rows}) > 1:
        return node
    sums = (Sum(node.start, node.end, column, node.signs) for column in zip(*rows, strict=True))
    return List(node.start, node.end, tuple(sums))


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
        d_k = desk.predictions.d_k()
        if d_k is not None:
            desk.memory.remember(number.text, Quantity(number.value, root_of(d_k)))


def terms(desk: Desk, said: Statement, parts: Sequence[Part], k: int) -> None:
    """A formula in which parts of the one before it were worked out: e^2 + e^1 = 7.39 + 2.72."""
    old, new = parts[k - 1].node if k else None, parts[k].node
    pairs = worked_out(old, new) if old is not None else None
    if old is None or not pairs:
        return
    values = [(before, after, desk.value(before, "shown")) for before, after in pairs]
    known = [value for *_, value in values if value is not None]
    off = [after for _, after, value in values if value is not None and _is_off(desk, after, value)]
    moved = any(not _is_off(desk, after, value) for after in off for value in known)
    if off and (moved or 2 * len(off) > len(known)):
        whole = desk.value(old, "shown")
        partly = any(_fits(desk, after, value) for _, after, value in values if value is not None and after in off)
        unsure = whole is None or (len(values) > 1 and may_be(new, whole))
        if unsure and not partly:
            return  # the terms were put in another order, or taken together
    for before, after, value in values:
        known_before = isinstance(after, Number) and after.text in desk.memory.numbers
        if value is None or (known_before and after not in off):
            continue
        one = Candidate(value, "written", spelt(before))
        if isinstance(before, Name) and before.key not in desk.memory.names and fit(desk, after, [one], None) is None:
            continue  # another thing of that name: y_1 of the next layer
        subject = Subject(stage_of(before))
        if after in off or not restated(desk, subject, after):
            part = Part(after, parts[k].relation)
            if is_first(parts[:k], before):
                misquoted(desk, said, before, after)
            found, _ = values_before(desk, (Part(before, ""),), part)
            settle(desk, said, part, found or [one], subject)


def surd(desk: Desk, said: Statement, parts: Sequence[Part], k: int) -> None:
    """A result that keeps its root, as in 4/√2 = 2√2: it is equal, or it is not."""
    node = parts[k].node
    if not is_surd(node):
        return
    subject = subject_of(desk, said, parts[:k])
    for part in reversed(parts[:k]):
        value = desk.value(part.node, "shown")
        if value is None or isinstance(value, Table) or isinstance(part.node, (Name, Text)):
            continue
        if any(isinstance(number, Number) and "." in number.text for number in walk(part.node)):
            return  # what is rounded on the left is no exact value
        exactly(desk, said, Part(node, parts[k].relation), Candidate(value, "written", spelt(part.node)), subject)
        return


def is_surd(node: Node) -> bool:
    """Whether a node is a root of whole numbers with whole numbers before it, or over or under it."""
    kinds = (Root, Product, Quotient, Neg, Bracketed)
    if not isinstance(node, kinds) or not any(isinstance(part, Root) for part in walk(node)):
        return False
    return all(
        isinstance(part, kinds) or (isinstance(part, Number) and part.value.q == 1 and "." not in part.text)
        for part in walk(node)
    )


def exactly(desk: Desk, said: Statement, part: Part, candidate: Candidate, subject: Subject) -> None:
    """Judge a result that is written without rounding, by what it is worth."""
    written = desk.value(part.node, "shown")
    value = candidate.value
    if written is None or isinstance(written, Table) or isinstance(value, Table):
        return
    equal = same(written, value)
    decimal = decimals_of(value)
    if equal is None:
        return
    told = f"{candidate.working} = {decimal}…"
    desk.add(
        said.region,
        part.node,
        Verdict.EXACT if equal else Verdict.WRONG,
        candidate.working if equal else f"{told}; {spelt(part.node)} = {decimals_of(written)}… is written",
        label=label_of(subject.stage, ()),
        stage=kind_of(subject.stage),
        relation=part.relation or "=",
        route="written",
        expected=None if equal else decimal,
        decimal=decimal,
        working=candidate.working,
    )


def _is_off(desk: Desk, node: Node, value: Value) -> bool:
    """Whether what is written is not a value."""
    return _fits(desk, node, value) != 1


def _fits(desk: Desk, node: Node, value: Value) -> float:
    """The share of what is written that is a value."""
    return fit(desk, node, [Candidate(value, "written")], None) or 0


def worked_out(old: Node, new: Node) -> list[tuple[Node, Node]] | None:
    r"""The parts of a formula that became numbers in the next one; None where the two are not built alike.

    >>> from symattn.documents.reading.chains import read_chain
    >>> old, new = (read_chain(text).first for text in (r"\frac{e^2}{e^2 + 1}", r"\frac{7.39}{8.39}"))
    >>> [(type(before).__name__, after.text) for before, after in worked_out(old, new)]
    [('Power', '7.39'), ('Sum', '8.39')]
    """
    old = unbracketed(old)
    new = unbracketed(new)
    if outline(old) == outline(new):
        return []
    if is_literal(new):
        return None if is_literal(old) else [(old, new)]
    ours, theirs = list(children(old)), list(children(new))
    if type(old) is not type(new) or len(ours) != len(theirs) or getattr(old, "signs", ()) != getattr(new, "signs", ()):
        return None
    found: list[tuple[Node, Node]] = []
    for before, after in zip(ours, theirs, strict=True):
        inner = worked_out(before, after)
        if inner is None:
            return None
        found += inner
    return found


def inside(desk: Desk, said: Statement, parts: Sequence[Part], k: int) -> bool:
    """The matrix of 1/√d_k·[…] in the place of scaled scores: the scores, displayed on the way."""
    product = parts[k].node
    assert isinstance(product, Product)  # noqa: S101
    grids = [factor for factor in product.factors if isinstance(factor, (List, Matrix)) and is_literal(factor)]
    rest = [factor for factor in product.factors if factor not in grids]
    if len(grids) != 1 or any(isinstance(desk.value(factor, "shown"), Table | None) for factor in rest):
        return False
    scaled = subject_of(desk, said, parts[:k])
    if scaled.stage != "scaled_scores":
        return False
    subject = Subject("scores", scaled.row)
    if restated(desk, subject, grids[0]):
        return True
    candidates = [*_above(desk, parts[:k]), *predicted(desk, subject, grids[0], worked=False)]
    if candidates:
        settle(desk, said, Part(grids[0], parts[k].relation), candidates, subject)
    return True


def _above(desk: Desk, before: Sequence[Part]) -> list[Candidate]:
    """What stands over the root in a formula of the scaled scores: Q_1·K_1ᵀ of the first head."""
    above = [part.node.above for part in before if isinstance(part.node, Quotient)]
    values = [(node, desk.value(node, "shown")) for node in above]
    return [Candidate(value, "written", spelt(node)) for node, value in values if isinstance(value, Table)]


def within_softmax(desk: Desk, said: Statement, part: Part) -> None:
    """The scores that stand on the way in softmax(1/√d_k·[…])."""
    for call in walk(part.node):
        if not isinstance(call, Call) or not call.function.startswith("softmax") or len(call.arguments) != 1:
            continue
        inner = call.arguments[0]
        inner = unbracketed(inner)
        factors = tuple(children(inner)) if isinstance(inner, (Product, Quotient)) else ()
        grids = [factor for factor in factors if isinstance(factor, Matrix) and is_literal(factor)]
        rest = [desk.value(factor, "shown") for factor in factors if factor not in grids]
        subject = Subject("scores")
        if len(grids) != 1 or not rest or any(isinstance(value, Table | None) for value in rest):
            continue
        candidates = [] if restated(desk, subject, grids[0]) else predicted(desk, subject, grids[0], worked=False)
        if candidates and fit(desk, grids[0], candidates, None) is not None:
            settle(desk, said, Part(grids[0], part.relation), candidates, subject)


def continued(desk: Desk, said: Statement, parts: Sequence[Part]) -> bool:
    """A formula that goes on from the last one of the same name: what changed in it is the result of a step."""
    if len(parts) != 2 or parts[1].relation not in EQUALITIES or not isinstance(parts[0].node, Call):
        return False
    key, new = outline(parts[0].node), parts[1].node
    old = desk.memory.steps.get(key)
    if has_names(new):
        return False
    desk.memory.steps[key] = new
    pair = _changed(old, new) if old is not None else None
    if pair is None:
        return False
    before, after = pair
    shown = desk.value(before, "shown")
    if shown is None or not is_literal(after):
        return False
    if before is old and is_literal(before) and desk.value(parts[0].node, "shown") is not None:
        return False  # the same thing worked out again, not a step
    subject = Subject(stage_of(before), names=names_of(parts) if after is new else ())
    settle(desk, said, Part(after, parts[1].relation), [Candidate(shown, "written", spelt(before))], subject)
    return True


def _changed(old: Node, new: Node) -> tuple[Node, Node] | None:
    """The one place where two formulas differ, as far down as they are built alike."""
    if outline(old) == outline(new):
        return None
    if type(old) is not type(new) or is_literal(new):
        return old, new
    ours, theirs = list(children(old)), list(children(new))
    if len(ours) != len(theirs):
        return old, new
    differing = [(a, b) for a, b in zip(ours, theirs, strict=True) if outline(a) != outline(b)]
    return _changed(*differing[0]) if len(differing) == 1 else (old, new)
