"""Dimensions that a document states: Q ∈ R^{2×3}, (2×3)·(3×2) → 2×2, "QKᵀ is a 2×2 matrix".

Arrives: a statement. Leaves: a claim for each stated shape that can be compared with a matrix of the document, or with
the shapes that it follows from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.cells import Shape, shape_told
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.spelling import spelt
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Bracketed, List, Name, Node, Power, Product


def dimensions(desk: Desk, said: Statement, parts: Sequence[Part]) -> bool:
    """Judge the shapes that a chain states; whether it speaks of nothing else."""
    if any(part.relation == "∈" for part in parts):
        for before, part in pairwise(parts):
            shape = _of_space(part.node) if part.relation == "∈" else None
            if shape is not None:
                node = part.node.exponent if isinstance(part.node, Power) else part.node
                _state(desk, said, before.node, node, shape)
        return False
    if len(parts) < 2 or any(part.relation not in {"", "=", "→", "≡"} for part in parts):
        return False
    factors = _factors(parts[0].node)
    told = [(part, shape) for part in parts[1:] if (shape := shape_told(part.node)) is not None]
    if len(factors) < 2 or len(told) < len(parts) - 1:
        return False
    inner = all(left[1] == right[0] for left, right in pairwise(factors))
    made = (factors[0][0], factors[-1][1])
    for part, shape in told:
        if not inner:
            message = f"{_spelt_all(factors)} is not defined for these shapes"
            desk.add(said.region, part.node, Verdict.SHAPE, message, route="written")
        else:
            _judge(desk, said, part.node, shape, made, _spelt_all(factors))
    return True


def now_known(desk: Desk) -> None:
    """Judge the shapes that were stated of names whose matrices came, or came anew, since then."""
    for key, (said, name, node, shape, before) in list(desk.memory.stated.items()):
        value = desk.value(name, "shown")
        if isinstance(value, Table) and value != before:
            del desk.memory.stated[key]
            _compare(desk, said, name, node, shape, value)


def left_over(desk: Desk) -> None:
    """Judge the shapes that are not those of the matrices before them, and after which none came."""
    for said, name, node, shape, before in desk.memory.stated.values():
        if isinstance(before, Table):
            _compare(desk, said, name, node, shape, before)
    desk.memory.stated.clear()


def _of_space(node: Node) -> Shape | None:
    """The shape of a matrix in R^{2×3}, or the shape itself where words state it."""
    if isinstance(node, Power):
        space = isinstance(node.base, Name) and node.base.base in {"R", "ℝ"}
        return shape_told(node.exponent) if space else None
    return shape_told(node)


def _factors(node: Node) -> list[Shape]:
    """The shapes of the factors of (2×3)·(3×2); none for a product of anything else."""
    if not isinstance(node, Product):
        return []
    told = [shape_told(factor) for factor in node.factors if isinstance(factor, (Bracketed, List))]
    found = [shape for shape in told if shape is not None]
    return found if len(found) == len(node.factors) else []


def _state(desk: Desk, said: Statement, what: Node, node: Node, shape: Shape) -> None:
    """Compare a stated shape with that of a matrix; a name that is not known yet, or is otherwise, is waited for."""
    value = desk.value(what, "shown")
    known = isinstance(value, Table) and (value.shape == shape or not isinstance(what, Name))
    if not known:
        desk.memory.stated[spelt(what)] = said, what, node, shape, value
    elif isinstance(value, Table):
        _compare(desk, said, what, node, shape, value)


def _compare(desk: Desk, said: Statement, what: Node, node: Node, shape: Shape, value: Table) -> None:
    """The claim of a stated shape beside a matrix, where it is not that of another thing."""
    if not set(shape) & set(value.shape):
        return  # dimensions of the whole model beside a small example
    tables = any(region.kind == "table" for region in desk.document.regions)
    if not (shape == value.shape[::-1] != value.shape and tables):  # which of them lies how in a table is open
        _judge(desk, said, node, shape, value.shape, spelt(what))


def _judge(desk: Desk, said: Statement, node: Node, shape: Shape, right: Shape, what: str) -> None:
    """The claim of a stated shape."""
    if shape == right:
        desk.add(said.region, node, Verdict.EXACT, f"{what} is {_spelt(right)}", route="written", working=what)
        return
    message = f"{what} is {_spelt(right)}, but what is written is {_spelt(shape)}"
    desk.add(said.region, node, Verdict.SHAPE, message, route="written", working=what, expected=_spelt(right))


def _spelt(shape: Shape) -> str:
    return f"{shape[0]}x{shape[1]}"


def _spelt_all(shapes: Sequence[Shape]) -> str:
    return "·".join(f"({_spelt(shape)})" for shape in shapes)
