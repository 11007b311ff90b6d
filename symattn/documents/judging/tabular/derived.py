"""Columns of a table that are worked out from the columns before them.

Arrives: a column and those before it. Leaves: chains: the formula of the header with the cells of other columns in it,
a column divided by something, exponentials and weights of a column where the numbers come out so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any, Final

from flint import fmpq

from symattn.comparison.verdicts import judge
from symattn.documents.judging.cells import digits_of, has_names, is_entry
from symattn.documents.judging.stages import stage_of
from symattn.documents.judging.tabular.grids import placeless
from symattn.documents.judging.tabular.headers import DIVIDED, Column, are_shares, formula_in
from symattn.documents.reading.scalars import Infinite
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import (
    Blank,
    Bracketed,
    Call,
    Chain,
    Constant,
    Elided,
    Link,
    List,
    Matrix,
    Name,
    Node,
    Number,
    Operation,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Text,
    walk,
)
from symattn.documents.reading.value import evaluate
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import Decimals
from symattn.numbers.rounding import Digits

MOST_BEHIND: Final = 16
"""Rows of a table whose columns are worked out at full precision too."""
NEAR: Final = 3
"""Units of the last digit that a column may be off and still be told by the column that it comes from."""
_BEFORE: Final = frozenset({"scaled_scores", "masked_scores", "shifted", "exponentials"})
"""What the softmax, or the exponential, is of: the last of these that stands in a table."""
_COUNT: Final = re.compile(r"\d{1,3}")
_PAIR: Final = re.compile(r"\s*(\S+)\s*(?:→|->|⟶|=>|·|⋅)\s*\S+\s*")
_PERCENT: Final = re.compile(
    r"%|percent|prozent|процент|por ?ciento|por ?cento|pour ?cent|phần trăm|百分|퍼센트|パーセント", re.IGNORECASE
)
_RUNNING: Final = frozenset("ijntmlk")
"""Indices that run over the rows of a table."""
_SIGNED: Final = re.compile(r"[\s(]*[÷/]|[\s(]*\\div\b|.*(?:√|\\sqrt)")
_LAST: Final = re.compile(r"\s(√\s*(?:\([\w.]+\)|[\w.]+)|\d+(?:[.,]\d+)?)\s*\)?\s*$")
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
    alone = not isinstance(tree, Operation) and (column.stage != "weights" or column.are_lists)
    if tree is not None and alone and (found := _by_formula(tree, column, known)):
        return found
    numbers = [other for other in known if other.are_numbers]
    if not column.are_numbers or not numbers:
        return None
    last = numbers[-1]
    scores = last.stage == "scores" or (last.header is not None and last.header.math and not last.stage)
    scaled = column.stage == "scaled_scores" and scores
    if isinstance(tree, Operation) or scaled or (column.header is not None and DIVIDED.search(column.header.text)):
        return _by_operation(column, numbers)
    said = [other for other in numbers if _may_be_before(other, column)]
    parts = groups_of(column, known[0])
    if len(parts) == 1:
        return _by_step(column, said)
    cut = [_part(column, part) for part in parts]
    steps = [_by_step(each, [_part(other, part) for other in said]) for each, part in zip(cut, parts, strict=True)]
    column.formulas = (
        tuple(made for each in cut for made in each.formulas) if all(each.formulas for each in cut) else ()
    )
    return [chain for chains in steps if chains for chain in chains] if all(steps) else None


def _may_be_before(other: Column, column: Column) -> bool:
    """Whether a column may be what the exponentials or the weights are of."""
    if other.worked or other.stage in {"scores", *_BEFORE}:
        return True
    return bool(column.stage) and other.stage != "d_k" and bool(other.stage or (other.header and other.header.math))


def groups_of(column: Column, labels: Column) -> list[slice]:
    """The rows of each query, where the first column tells them apart: the same word again, or a→b."""
    texts = [cell.text for cell in labels.cells]
    if labels.are_lists or (labels.are_numbers and (labels.stage or not all(map(_COUNT.fullmatch, texts)))):
        return [slice(None)]
    if len(set(texts)) == len(texts):
        pairs = [_PAIR.fullmatch(text) for text in texts]
        if not all(pairs):
            return [slice(None)]
        texts = [pair[1] for pair in pairs if pair]
    starts = [i for i, text in enumerate(texts) if not i or (text and text != texts[i - 1])]
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], len(column.cells)], strict=True)]


def _part(column: Column, rows: slice) -> Column:
    """Some rows of a column; the total is of all of them."""
    return replace(column, cells=column.cells[rows], formulas=column.formulas[rows], total=None)


def _is_formula(column: Column) -> bool:
    """Whether the cells are workings: 3.32/5.46."""
    return all(cell.kind in {"formula", "number"} for cell in column.cells) and any(
        cell.kind == "formula" or isinstance(cell.node, Quotient) for cell in column.cells
    )


def _by_formula(tree: Node, column: Column, known: Sequence[Column]) -> list[Chain] | None:
    """The header's formula with the cells of each row in the place of the columns that it names."""
    numbers = [other for other in known if other.are_numbers and not any(cell.kind == "blank" for cell in other.cells)]
    formulas = [_in_row(tree, known, i, behind=True) for i in range(len(column.cells))]
    if stage_of(tree) == "exponentials" and column.are_numbers:
        made, changed = _put(tree, {key: _row(other) for other in numbers for key, _ in _keys(other, 0)})
        behind, _ = _put(tree, {key: _row(other, behind=True) for other in numbers for key, _ in _keys(other, 0)})
        if changed:
            _stands_for(column, formulas)
            return _listed_chain(column, both(behind, made))
    rows = [_in_row(tree, known, i) for i in range(len(column.cells))]
    if any(row is None for row in rows):
        return None
    _stands_for(column, formulas)
    return [
        chain_of(both(behind, made), cell.value)
        for behind, made, cell in zip(formulas, rows, column.cells, strict=True)
        if behind and made and cell.value is not None and not isinstance(cell.value, (Blank, Elided))
    ]


def _in_row(tree: Node, known: Sequence[Column], i: int, *, behind: bool = False) -> Node | None:
    """The header's formula in one row; None where no column is named in it."""
    made, changed = _put(tree, {key: value for other in known for key, value in _keys(other, i, behind=behind)})
    if any(isinstance(part, Text) for part in walk(made)) or not (changed or _runs(tree)):
        return None  # other words: time / n
    label = known[0].cells[i].text if known else ""
    return _of_row(made, label if label.isdigit() else str(i + 1))


def _stands_for(column: Column, formulas: Sequence[Node | None]) -> None:
    """Remember what the cells of a column are at full precision."""
    column.worked = True
    if all(formulas) and len(formulas) <= MOST_BEHIND:
        column.formulas = tuple(made for made in formulas if made is not None)


def both(behind: Node, made: Node) -> tuple[Node, ...]:
    """A working from the cells as they are written, and before it the same at full precision.

    So a slip of the pen in a cell does not make the cells behind it wrong that go on from the right value.
    """
    return (made,) if behind == made else (behind, made)


def _of_row(tree: Node, label: str) -> Node:
    """The formula with what runs over the rows at one of them: v_j is v_1 in the first, and v is V_1."""

    def at(node: Node) -> Node | None:
        if not isinstance(node, Name) or node.base not in {"k", "v", "K", "V"} or node.primes:
            return None
        if node.sub in _RUNNING:
            return replace(node, sub=label)
        return replace(node, base=node.base.upper(), sub=label) if not node.sub and node.base in "kv" else None

    return _changed(tree, at)


def _runs(tree: Node) -> bool:
    """Whether a formula is of one row and of what runs over the rows, and of nothing else: q_4·k_i."""
    names = [part for part in walk(tree) if isinstance(part, (Name, Text))]
    running = [name for name in names if isinstance(name, Name) and name.base in {"k", "v"} and name.sub in _RUNNING]
    others = [name for name in names if name not in running]
    return bool(running) and all(isinstance(name, Name) and name.sub for name in others)


def _keys(column: Column, i: int, *, behind: bool = False) -> Iterator[tuple[Any, Node]]:
    if column.cells[i].value is None or isinstance(column.cells[i].value, (Blank, Elided)):
        return
    shown = shown_in(column, behind=behind)[i]
    if column.tree is not None:
        yield placeless(column.tree), shown
        if isinstance(column.tree, Name) and len(column.tree.sub) <= 1:
            yield column.tree.base + "'" * column.tree.primes, shown
    elif column.name is not None and isinstance(column.name, Name):
        yield column.name.base, shown
    if column.header is not None and column.header.text:
        yield column.header.text.lower(), shown
    if column.stage:
        yield (column.stage,), shown


def _put(tree: Node, put: dict[Any, Node]) -> tuple[Node, bool]:
    """A formula with values in the places of what is named, and whether any was put."""
    made = _changed(tree, lambda node: _named(node, put))
    return made, made is not tree


def _named(node: Node, put: dict[Any, Node]) -> Node | None:
    """What stands for a part of a formula: a column by its formula, its name, its words, or its stage."""
    found = put.get(placeless(node)) if not isinstance(node, (Number, Constant)) else None
    if found is None and isinstance(node, Name) and len(node.sub) <= 1:
        base = node.base + "'" * node.primes
        found = put.get(base) or put.get(base.upper() if base in "qkv" else base)
    if found is None and isinstance(node, Text):
        found = put.get(node.text.lower())
    if found is None and isinstance(node, (Name, Text)) and not (isinstance(node, Name) and len(node.sub) > 1):
        found = put.get((stage_of(node),))
    if found is None or isinstance(found, (Number, List, Matrix)):
        return found
    return Bracketed(found.start, found.end, found)


def _changed(node: Node, put: Callable[[Node], Node | None]) -> Node:
    """The tree with some of its parts in another way, from the whole down; the tree itself where none is."""
    found = put(node)
    if found is not None:
        return found
    changed: dict[str, Any] = {}
    for one in fields(node):
        old = getattr(node, one.name)
        new: Any = old
        if isinstance(old, Node):
            new = _changed(old, put)
        elif isinstance(old, tuple):
            new = tuple(_changed(item, put) if isinstance(item, Node) else item for item in old)
            new = old if all(a is b for a, b in zip(new, old, strict=True)) else new
        if new is not old:
            changed[one.name] = new
    return replace(node, **changed) if changed else node


def _by_operation(column: Column, numbers: Sequence[Column]) -> list[Chain] | None:
    """A column divided by something: ÷ 2, divided by √3."""
    assert column.header is not None  # noqa: S101
    chains = column.header.chains
    below: Node | None = None
    divisor = _DIVISOR.search(column.header.text) or (None if chains else _LAST.search(column.header.text))
    if isinstance(column.tree, Operation) and column.tree.sign in "*/":
        below = column.tree.operand
    elif divisor is not None:
        below = next(iter(formula_in(divisor[1].replace(",", "."))), None)
    elif chains and not chains[-1].unread:
        below = chains[-1].items[-1] if chains[-1].items else None
        below = below.below if isinstance(below, Quotient) else below
    elif column.stage == "scaled_scores":
        below = Root(0, 0, Name(0, 0, "d", "k"))
    if below is None or isinstance(below, Operation):
        return None
    column.stage = "scaled_scores"
    times = isinstance(column.tree, Operation) and column.tree.sign == "*"

    def work(node: Node) -> Node:
        if times:
            return Product(node.start, node.end, (below, node), ("·",))
        return Quotient(node.start, node.end, node, below)

    behind, source = _row(numbers[-1], behind=True), _row(numbers[-1])
    signed = not times and bool(_SIGNED.match(column.header.text))
    if not signed and numbers[-1].stage != "scores" and not _fits(work(source), column):
        return None
    _stands_for(column, [work(item) for item in behind.rows[0]])
    return _listed_chain(column, both(work(behind), work(source)))


def _by_step(column: Column, numbers: Sequence[Column]) -> list[Chain] | None:
    """Exponentials and weights from a column before them, where at least half of the numbers come out so."""
    unnamed = not column.stage and are_shares(column)  # p, attention: told by its numbers
    if column.stage not in {"exponentials", "weights"} and not unnamed:
        return None
    found = next((k for k in reversed(range(len(numbers))) if _comes_from(column, numbers[k])), None)
    if found is None:
        return None
    # the softmax of the scores, where the scaled ones stand beside them, has left out a step
    later = [other for other in numbers[found:] if other.stage in _BEFORE and other.stage != column.stage]
    other = later[-1] if later and _is_whole(later[-1]) else numbers[found]
    column.stage = column.stage or "weights"
    is_named = column.stage == "weights" and column.name is not None and not _is_percent(column)
    named = (column.name,) if is_named and column.name is not None else ()
    _stands_for(column, [_percent(tree, column) for tree in _each(other, column.stage)])
    return _listed_chain(column, (*named, *_steps(column, other)))


def _comes_from(column: Column, other: Column) -> bool:
    """Whether the numbers of a column are a step of another, most of them."""
    if not _is_whole(other) or (other.stage == "weights" and column.stage in {"weights", ""}):
        return False
    if column.stage == "weights" and not _is_percent(column):
        values = [cell.value.value for cell in column.cells if isinstance(cell.value, Number)]
        if not all(0 <= value <= 1 for value in values):
            return False
    trees = _steps(column, other)
    if column.stage == "weights" and other.stage in _BEFORE and are_shares(column) and any(map(has_names, trees)):
        return True  # at full precision it is of what the document gave before: the judge will see
    return any(_fits(tree, column) for tree in trees)


def _steps(column: Column, other: Column) -> list[Node]:
    work = _exponentials if column.stage == "exponentials" else _softmax
    return [_percent(tree, column) for tree in work(other)]


def _exponentials(other: Column) -> list[Node]:
    return list(both(_raised(_row(other, behind=True)), _raised(_row(other))))


def _softmax(other: Column) -> list[Node]:
    """Weights from a column: what the author had at hand stands last."""
    trees: list[Node] = []
    for source in both(_row(other, behind=True), _row(other)):
        assert isinstance(source, Matrix)  # noqa: S101
        if other.stage == "exponentials":
            trees.append(Quotient(source.start, source.end, source, _whole(source.rows[0])))
        else:
            trees.append(Call(source.start, source.end, "softmax", (source,)))
    total = other.total.value if other.total is not None else None
    if other.stage == "exponentials" and isinstance(total, Number):
        source = _row(other)
        trees.insert(-1, Quotient(source.start, source.end, source, total))
    return trees


def _each(other: Column, stage: str) -> list[Node]:
    """The entries of a step one by one."""
    items = _row(other, behind=True).rows[0]
    if stage == "exponentials" or other.stage != "exponentials":
        powers = tuple(_raised(item) for item in items)
        if stage == "exponentials":
            return list(powers)
        items = powers
    return [Quotient(item.start, item.end, item, _whole(items)) for item in items]


def _raised(node: Node) -> Node:
    return Power(node.start, node.end, Constant(node.start, node.start, "e"), node)


def _whole(terms: Sequence[Node]) -> Node:
    return Bracketed(terms[0].start, terms[-1].end, added_up(terms))


def _is_whole(column: Column) -> bool:
    return not any(cell.value is None or isinstance(cell.value, (Blank, Elided)) for cell in column.cells)


def _is_percent(column: Column) -> bool:
    """Whether the header says that its plain numbers are percents."""
    signed = any(isinstance(cell.value, Number) and cell.value.percent for cell in column.cells)
    return column.header is not None and bool(_PERCENT.search(column.header.text)) and not signed


def _percent(tree: Node, column: Column) -> Node:
    if not _is_percent(column):
        return tree
    hundred = Number(0, 0, "100", fmpq(100), Digits(100, 0))
    return Product(tree.start, tree.end, (hundred, tree), ("·",))


def added_up(terms: Sequence[Node]) -> Sum:
    """The sum of terms."""
    return Sum(terms[0].start, terms[-1].end, tuple(terms), tuple("+" for _ in terms))


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
            off = abs(judge(exact, digits, decimals).expected.units - digits.units)
            right += off <= (NEAR if digits.places > 0 else 0)
        except UndecidedError:
            return False
    return told > 0 and right * 2 >= told


def shown_in(column: Column, *, behind: bool = False) -> tuple[Node, ...]:
    """What stands in the cells, or the same at full precision where they were worked out."""
    return column.formulas if behind and column.formulas else tuple(cell.value or Blank(0, 0) for cell in column.cells)


def _row(column: Column, *, behind: bool = False) -> Matrix:
    """A column as a row that was worked on: a matrix, which no displayed stage stands for."""
    start, end = ends_of([cell.value for cell in column.cells])
    return Matrix(start, end, (shown_in(column, behind=behind),), "[]")


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
    """Items and a result, joined by equals signs; a result alone stands alone.

    Between two workings of one result stands ∼: neither is the result of the other.
    """
    if not items:
        return Chain(result.start, result.end, result)
    links = []
    for before, item in pairwise((*items, result)):
        other = item is not result and not isinstance(before, (Name, Text)) and not isinstance(item, (Name, Text))
        links.append(Link(result.start, result.start, "∼" if other else "=", item))
    return Chain(result.start, result.end, items[0], tuple(links))
