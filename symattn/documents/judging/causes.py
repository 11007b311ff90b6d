"""The well-known slips: which of them reproduces what the author wrote.

Arrives: a stage, what is known, and the cells that are wrong. Leaves: the name of a slip, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from flint import fmpq

from symattn.comparison.verdicts import Verdict, judge
from symattn.documents.judging.cells import digits_of, last, same_number
from symattn.documents.judging.memory import Memory, Way, whole_number
from symattn.documents.judging.predict import Predictions, root_of
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.scalars import Infinite, Scalar
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import Node
from symattn.documents.reading.value import evaluate
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.rounding import Digits

STEPS: Final = frozenset(
    {
        "unscaled",
        "scaled_twice",
        "scaled_by_d_k",
        "d_model_for_d_k",
        "transposed",
        "wrong_axis",
        "softmax_as_ratio",
        "other_base",
        "wrong_root",
        "wrong_operand",
    }
)
"""Slips of the step itself, whether or not its arithmetic holds."""

TOLD: Final = {
    "unscaled": "the scores were not divided by √d_k",
    "scaled_twice": "the scores were divided by √d_k twice",
    "scaled_by_d_k": "the scores were divided by d_k instead of its root",
    "d_model_for_d_k": "the scores were divided by the root of the embedding width",
    "transposed": "a matrix was transposed",
    "missing_term": "a term of the sum is missing",
    "forced_sum": "one unit was moved so that the row sums to 1",
    "wrong_axis": "softmax was taken down the columns",
    "softmax_as_ratio": "each entry was divided by the sum, without exponentials",
    "other_base": "the powers are of another base than e",
    "wrong_root": "another number was taken for the root",
    "swapped_cells": "two entries changed places",
    "wrong_operand": "another matrix was taken",
    "sign": "the sign is wrong",
}


@cache
def _tree(text: str) -> Node:
    tree = read_chain(text).first
    assert tree is not None  # noqa: S101
    return tree


def _value(text: str, **names: Value) -> Table | None:
    try:
        found = evaluate(_tree(text), names)
    except (ShapeError, UndecidedError):
        return None
    return found if isinstance(found, Table) else None


def slips(
    stage: str, memory: Memory, predictions: Predictions, expected: Table, way: Way = "shown"
) -> Iterator[tuple[str, Table | None]]:
    """Each slip of a stage with the table that it gives, from what is displayed or at full precision."""
    yield "transposed", _value("M^T", M=expected)
    if stage in {"scaled_scores", "weights"}:
        yield from _of_scaling(stage, predictions, memory, way)
    if stage == "weights":
        scaled = predictions.stage("masked_scores" if memory.masked else "scaled_scores", way)
        if scaled is not None:
            yield "wrong_axis", _turned(_value(r"\operatorname{softmax}(S)", S=_turned(scaled) or scaled))
            yield "softmax_as_ratio", _ratio(scaled)
            yield "other_base", _shares(scaled, fmpq(2))
            yield "other_base", _shares(scaled, fmpq(10))
        scores = predictions.stage("scores", way)
        if scores is not None:
            yield "softmax_as_ratio", _ratio(scores)
    parts = {name: predictions.stage(name, way) for name in ("X", "Q", "K", "V", "weights")}
    for name, text, letters in _OTHERS.get(stage, ()):
        found = [parts.get(letter) for letter in letters]
        if all(table is not None for table in found):
            names = {f"{'ABC'[k]}": table for k, table in enumerate(found) if table is not None}
            yield name, _value(text, **names)


_OTHERS: Final = {
    "scores": (
        ("wrong_operand", "A B^T", ("Q", "V")),
        ("wrong_operand", "A B^T", ("K", "K")),
        ("wrong_operand", "A B^T", ("Q", "Q")),
        ("transposed", "A B", ("Q", "K")),
    ),
    "outputs": (
        ("wrong_operand", "A B", ("weights", "K")),
        ("wrong_operand", "A B", ("weights", "Q")),
        ("transposed", "A^T B", ("weights", "V")),
    ),
}


def _of_scaling(stage: str, predictions: Predictions, memory: Memory, way: Way) -> Iterator[tuple[str, Table | None]]:
    scores = predictions.stage("scores", way)
    d_k = predictions.d_k()
    if scores is None or d_k is None or whole_number(d_k) is None:
        return
    root = root_of(d_k)
    ways: list[tuple[str, Table | None]] = [("unscaled", scores)]
    if stage == "weights" and "scaled_scores" in memory.stages:  # dividing by the root twice is dividing by d_k
        once = predictions.stage("scaled_scores", way)
        ways.append(("scaled_twice", None if once is None else _value(r"\frac{S}{r}", S=once, r=root)))
    ways.append(("scaled_by_d_k", _value(r"\frac{S}{d}", S=scores, d=d_k)))
    embedding = memory.stages.get("X")
    if embedding is not None and isinstance(embedding.shown, Table):
        width = fmpq(embedding.shown.shape[1])
        ways.append(("d_model_for_d_k", _value(r"\frac{S}{r}", S=scores, r=root_of(width))))
    others = (fmpq(other) for other in range(2, 17) if fmpq(other) != d_k)
    ways += [("wrong_root", _value(r"\frac{S}{r}", S=scores, r=root_of(other))) for other in others]
    for name, table in ways:
        if table is None:
            continue
        yield name, table if stage == "scaled_scores" else _value(r"\operatorname{softmax}(S)", S=table)


def _turned(table: Table | None) -> Table | None:
    return None if table is None else Table(tuple(zip(*table.rows, strict=True)))


def _ratio(table: Table) -> Table | None:
    rows: list[tuple[Scalar, ...]] = []
    for row in table.rows:
        found = [rational_of(x) if not isinstance(x, Infinite) else None for x in row]
        values = [x for x in found if x is not None]
        total = sum(values, fmpq(0))
        if len(values) < len(row) or total == 0:
            return None
        rows.append(tuple(x / total for x in values))
    return Table(tuple(rows))


def _shares(table: Table, base: fmpq) -> Table | None:
    names: dict[str, Value] = {"S": table, "b": base}
    try:
        power = evaluate(_tree(r"e^{S \ln b}"), names)
    except (ShapeError, UndecidedError):
        return None
    return _normalised(power) if isinstance(power, Table) else None


def _normalised(table: Table) -> Table | None:
    rows: list[tuple[Scalar, ...]] = []
    for row in table.rows:
        try:
            total: Value = row[0]
            for entry in row[1:]:
                total = evaluate(_tree("a + b"), {"a": total, "b": entry})
            rows.append(tuple(evaluate(_tree(r"\frac{a}{b}"), {"a": x, "b": total}) for x in row))  # type: ignore[misc]
        except (ShapeError, UndecidedError):
            return None
    return Table(tuple(rows))


def reproduces(cells: Sequence[Sequence[Node]], rows: Sequence[int], table: Table, decimals: Decimals) -> bool:
    """Whether a table gives every number of some rows as it is written."""
    if table.shape != (len(cells), len(cells[0])):
        return False
    return all(_gives(last(cell), table.rows[i][j], decimals) for i in rows for j, cell in enumerate(cells[i]))


def _gives(cell: Node, value: Scalar, decimals: Decimals) -> bool:
    digits = digits_of(cell)
    if digits is None or isinstance(value, Infinite):
        return same_number(cell, value)
    try:
        return judge(value, digits, decimals).verdict in {Verdict.EXACT, Verdict.ROUNDED, Verdict.TRUNCATED}
    except UndecidedError:
        return False


def forced_sum(row: Sequence[Digits | None], wrong: Sequence[int], expected: Sequence[Digits | None]) -> bool:
    """Whether a row of weights sums to 1 only because of entries that are one unit off."""
    if len(wrong) != 1 or any(digits is None for digits in (*row, *expected)):
        return False
    shown = sum((digits.value for digits in row if digits is not None), fmpq(0))
    right = sum((digits.value for digits in expected if digits is not None), fmpq(0))
    return shown == 1 and right != 1


def of_one_cell(digits: Digits, value: Scalar, terms: Sequence[Scalar], decimals: Decimals) -> str:
    """The slip that explains one number: a wrong sign, or a missing term of a sum."""
    others = [("sign", _negative(value)), *(("missing_term", _less(value, term)) for term in terms)]
    for name, other in others:
        if other is None or isinstance(other, Infinite) or rational_of(other) == 0:
            continue
        try:
            if judge(other, digits, decimals).verdict in {Verdict.EXACT, Verdict.ROUNDED}:
                return name
        except UndecidedError:
            continue
    return ""


def _negative(value: Scalar) -> Scalar | None:
    return _scalar("-a", a=value)


def _less(value: Scalar, term: Scalar) -> Scalar | None:
    return None if rational_of(term) == 0 else _scalar("a - b", a=value, b=term)


def _scalar(text: str, **names: Value) -> Scalar | None:
    try:
        found = evaluate(_tree(text), names)
    except (ShapeError, UndecidedError):
        return None
    return None if isinstance(found, Table) else found
