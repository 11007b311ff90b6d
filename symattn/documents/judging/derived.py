"""Columns of a table that are worked out from the columns before them.

Arrives: a column and those before it. Leaves: chains: the formula of the header with the cells of other columns in it,
a column divided by something, exponentials and weights of a column where the numbers come out so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from symattn.comparison.verdicts import judge
from symattn.documents.judging.cells import digits_of, is_entry
from symattn.documents.judging.grids import placeless
from symattn.documents.judging.headers import Column
from symattn.documents.judging.stages import stage_of
from symattn.documents.reading.code import read_code
from symattn.documents.reading.tree import (
    Blank,
    Bracketed,
    Call,
    Chain,
    Constant,
    Elided,
    Link,
    List,
    Name,
    Node,
    Number,
    Operation,
    Power,
    Quotient,
    Sum,
    Text,
)
from symattn.documents.reading.value import Infinite, Table, evaluate
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import Decimals

NEAR: Final = 3
"""Units of the last digit that a column may be off and still be told by the column that it comes from."""
_DIVIDED: Final = re.compile(
    r"divid|geteilt|divis|÷|除|делен|делён|раздел|나누|割|chia|/\s*√|/\s*\\sqrt", re.IGNORECASE
)
_DIVISOR: Final = re.compile(r"[÷/]\s*(√\s*(?:\([\w.]+\)|[\w.]+)|\d+(?:\.\d+)?)")


def worked_out(column: Column, known: Sequence[Column]) -> list[Chain] | None:
    """The chains of a column whose header is a formula of other columns, or that is a step from the one before it."""
    values = [cell.value for cell in column.cells]
    before = known[-1] if known and _is_formula(known[-1]) else None
    if before is not None and column.are_numbers and (not before.stage or column.stage in {"", before.stage}):
        return [
            chain_of((cell.node,), value)
            for cell, value in zip(before.cells, values, strict=True)
            if cell.node is not None and value is not None and not isinstance(value, Blank)
        ]
    tree = column.tree
    if isinstance(tree, (Name, Text)):
        tree = None
    if tree is not None and not isinstance(tree, Operation) and (found := _by_formula(tree, column, known)):
        return found
    numbers = [other for other in known if other.are_numbers]
    if not column.are_numbers or not numbers:
        return None
    if isinstance(tree, Operation) or (column.header is not None and _DIVIDED.search(column.header.text)):
        return _by_operation(column, numbers)
    numbers = [other for other in numbers if other.stage or (other.header is not None and other.header.math)]
    return _by_step(column, numbers)


def _is_formula(column: Column) -> bool:
    """Whether the cells are workings: 3.32/5.46."""
    return all(cell.kind in {"formula", "number"} for cell in column.cells) and any(
        cell.kind == "formula" or isinstance(cell.node, Quotient) for cell in column.cells
    )


def _by_formula(tree: Node, column: Column, known: Sequence[Column]) -> list[Chain] | None:
    """The header's formula with the cells of each row in the place of the columns that it names."""
    numbers = [other for other in known if other.are_numbers and not any(cell.kind == "blank" for cell in other.cells)]
    lists: dict[Any, Node] = {key: _listed(other) for other in numbers for key, _ in _keys(other, 0)}
    made, changed = _put(tree, lists)
    if changed and stage_of(tree) == "exponentials" and column.are_numbers:
        return _listed_chain(column, (made,))
    chains = []
    for i, cell in enumerate(column.cells):
        put = {key: value for other in known for key, value in _keys(other, i)}
        made, changed = _put(tree, put)
        if not changed:
            return None
        if cell.value is not None and not isinstance(cell.value, (Blank, Elided)):
            chains.append(chain_of((made,), cell.value))
    return chains


def _keys(column: Column, i: int) -> Iterator[tuple[Any, Node]]:
    value = column.cells[i].value
    if value is None or isinstance(value, (Blank, Elided)):
        return
    shown: Node = value
    if column.tree is not None:
        yield placeless(column.tree), shown
        if isinstance(column.tree, Name) and len(column.tree.sub) <= 1:
            yield column.tree.base + "'" * column.tree.primes, shown
    elif column.name is not None and isinstance(column.name, Name):
        yield column.name.base, shown
    if column.header is not None and column.header.text:
        yield column.header.text.lower(), shown


def _put(node: Node, put: dict[Any, Node]) -> tuple[Node, bool]:
    """A formula with values in the places of what is named, and whether any was put."""
    found = put.get(placeless(node)) if not isinstance(node, (Number, Constant)) else None
    if found is None and isinstance(node, Name) and len(node.sub) <= 1:
        base = node.base + "'" * node.primes
        found = put.get(base) or put.get(base.upper() if base in "qkv" else base)
    if found is None and isinstance(node, Text):
        found = put.get(node.text.lower())
    if found is not None:
        negative = not isinstance(found, (Number, List))
        return (Bracketed(found.start, found.end, found) if negative else found), True
    changed: dict[str, Any] = {}
    for one in fields(node):
        old = getattr(node, one.name)
        if isinstance(old, Node):
            new, did = _put(old, put)
        elif isinstance(old, tuple) and any(isinstance(item, Node) for item in old):
            pairs = [_put(item, put) if isinstance(item, Node) else (item, False) for item in old]
            new, did = tuple(item for item, _ in pairs), any(did for _, did in pairs)  # type: ignore[assignment]
        else:
            continue
        if did:
            changed[one.name] = new
    return (replace(node, **changed), True) if changed else (node, False)


def _by_operation(column: Column, numbers: Sequence[Column]) -> list[Chain] | None:
    """A column divided by something: ÷ 2, divided by √3."""
    assert column.header is not None  # noqa: S101
    chains = column.header.chains
    below: Node | None = None
    divisor = _DIVISOR.search(column.header.text)
    if isinstance(column.tree, Operation) and column.tree.sign == "/":
        below = column.tree.operand
    elif divisor is not None and not _formula_in(divisor[1]):
        return None
    elif divisor is not None:
        below = placeless(_formula_in(divisor[1])[0])
    elif chains and not chains[-1].unread:
        below = chains[-1].items[-1] if chains[-1].items else None
        below = below.below if isinstance(below, Quotient) else below
    if below is None or isinstance(below, Operation):
        return None
    column.stage = "scaled_scores"
    source = _listed(numbers[-1])
    tree = Quotient(source.start, source.end, source, below)
    return _listed_chain(column, (tree,))


def _by_step(column: Column, numbers: Sequence[Column]) -> list[Chain] | None:
    """Exponentials and weights from a column before them, where at least half of the numbers come out so."""
    if column.stage not in {"exponentials", "weights"}:
        return None
    for other in reversed(numbers):
        source = _listed(other)
        tree: Node
        if any(isinstance(item, (Blank, Elided)) for item in source.items):
            continue
        if column.stage == "exponentials":
            tree = Power(source.start, source.end, Constant(source.start, source.start, "e"), source)
        elif other.stage == "exponentials":
            terms = added_up(source.items)
            tree = Quotient(source.start, source.end, source, Bracketed(source.start, source.end, terms))
        else:
            tree = Call(source.start, source.end, "softmax", (source,))
        if _fits(tree, column):
            named = (column.name,) if column.name is not None and column.stage == "weights" else ()
            return _listed_chain(column, (*named, tree))
    return None


def added_up(terms: Sequence[Node]) -> Sum:
    """The sum of terms."""
    return Sum(terms[0].start, terms[-1].end, tuple(terms), tuple("+" for _ in terms))


def _formula_in(text: str) -> tuple[Node, ...]:
    """The one formula that a text is, if it is one."""
    return tuple(c.first for c in read_code(text) if c.first is not None and not c.links and not c.unread)[:1]


def _fits(tree: Node, column: Column) -> bool:
    try:
        value = evaluate(tree, {})
    except (ShapeError, UndecidedError):
        return False
    if not isinstance(value, Table) or len(value.rows[0]) != len(column.cells):
        return False
    right = told = 0
    decimals = Decimals(1 << 10)
    for cell, exact in zip(column.cells, value.rows[0], strict=True):
        digits = digits_of(cell.value) if cell.value is not None and is_entry(cell.value) else None
        if digits is None or isinstance(exact, Infinite):
            continue
        told += 1
        try:
            right += abs(judge(exact, digits, decimals).expected.units - digits.units) <= NEAR
        except UndecidedError:
            return False
    return told > 0 and right * 2 >= told


def _listed(column: Column) -> List:
    items = tuple(cell.value for cell in column.cells if cell.value is not None)
    start, end = ends_of(items)
    return List(start, end, items)


def _listed_chain(column: Column, items: tuple[Node, ...]) -> list[Chain]:
    return [chain_of(items, _listed(column))]


def ends_of(values: Sequence[Node | None]) -> tuple[int, int]:
    """Where the first of some nodes begins and the last one ends."""
    found = [value for value in values if value is not None]
    return min(value.start for value in found), max(value.end for value in found)


def chain_of(items: Sequence[Node], result: Node) -> Chain:
    """Items and a result, joined by equals signs; a result alone stands alone."""
    if not items:
        return Chain(result.start, result.end, result)
    links = tuple(Link(result.start, result.start, "=", item) for item in (*items[1:], result))
    return Chain(result.start, result.end, items[0], links)
