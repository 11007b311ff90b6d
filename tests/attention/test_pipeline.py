"""The pipeline by itself: which matrices it takes, in which order it settles, and how lazily."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, isclose, sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.attention.pipeline import Trace, attend
from symattn.numbers.rounding import KINDS


@dataclass
class Plain:
    """Python floats, keeping a list of what was settled."""

    d_k: float = 1.0
    settled: list[str] = field(default_factory=list)

    def number(self, value: Any) -> float:
        return float(value)

    def multiply(self, left: Any, right: Any) -> Any:
        return [
            [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*right, strict=True)]
            for row in left
        ]

    def root(self) -> float:
        return sqrt(self.d_k)

    def scale(self, score: float, root: float) -> float:
        return score / root

    def exponentials(self, row: Sequence[float]) -> Sequence[float]:
        return [exp(x) for x in row]

    def total(self, row: Sequence[float]) -> float:
        return sum(row)

    def shares(self, row: Sequence[float], total: float) -> Sequence[float]:
        return [x / total for x in row]

    def combine(self, weights: Sequence[float], V: Any) -> Sequence[float]:
        (row,) = self.multiply([weights], V)
        return row

    def settle(self, kind: str, value: Any) -> Any:
        self.settled.append(kind)
        return value


X = [[1, 0, 1, 0], [0, 2, 0, 1]]
W_Q = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]]
PRODUCT = [[2, 0, 1], [0, 2, 1]]
STATED = [[2, 0, 1], [1, 2, 1]]
K = [[1, 0, 1], [0, 1, 0]]
V = [[10, 2, 0], [2, 5, 8]]
REST = {"K": K, "V": V}

TAKEN: dict[str, tuple[dict[str, Any], bool, list[list[int]]]] = {
    "given": ({"Q": STATED, **REST}, False, STATED),
    "given, with weights": ({"X": X, "W_Q": W_Q, "Q": STATED, **REST}, False, STATED),
    "recomputed": ({"X": X, "W_Q": W_Q, "Q": STATED, **REST}, True, PRODUCT),
    "missing": ({"X": X, "W_Q": W_Q, **REST}, False, PRODUCT),
    "recomputed without weights": ({"X": X, "Q": STATED, **REST}, True, STATED),
    "recomputed without X": ({"W_Q": W_Q, "Q": STATED, **REST}, True, STATED),
}


@pytest.mark.parametrize(("matrices", "recompute", "Q"), TAKEN.values(), ids=TAKEN)
def test_given_or_computed(matrices: dict[str, Any], recompute: bool, Q: list[list[int]]) -> None:
    trace = attend(matrices, Plain(), recompute=recompute)  # type: ignore[arg-type]
    assert tuple(map(tuple, Q)) == trace.Q
    assert (tuple(map(tuple, X)) if "X" in matrices else None) == trace.X
    assert set(trace.weight_matrices) == {"W_Q"} & matrices.keys()


def looked_at(trace: Trace) -> Any:
    return [list(row) for row in trace.output]


def test_settling_goes_in_the_order_of_the_pipeline() -> None:
    ops = Plain(3.0)
    trace = attend({"X": X, "W_Q": W_Q, **REST}, ops)  # type: ignore[arg-type]
    assert ops.settled == ["projections"] * 6 + ["scores"] * 4 + ["root"]
    ops.settled.clear()
    _ = trace.output[1]
    row = ["scaled_scores"] * 2 + ["exponentials"] * 2 + ["row_sums"] + ["weights"] * 2 + ["outputs"] * 3
    assert ops.settled == row
    _ = trace.output[1], trace.attention_weights[1], trace.row_sums[1]
    assert ops.settled == row, "what was made is kept"
    looked_at(trace)
    assert ops.settled == row * 2
    assert set(ops.settled) | {"inputs", "projections", "scores", "root"} == set(KINDS)


def test_shapes() -> None:
    trace = attend({"Q": [[1, 2]] * 3, "K": [[1, 0], [0, 1], [1, 1]], "V": [[1, 2, 3, 4]] * 3}, Plain())  # type: ignore[arg-type]
    for rows, shape in (
        (trace.Q, (3, 2)), (trace.K, (3, 2)), (trace.V, (3, 4)), (trace.scores, (3, 3)), (trace.scaled_scores, (3, 3)),
        (trace.exponentials, (3, 3)), (trace.attention_weights, (3, 3)), (trace.output, (3, 4)),
    ):  # fmt: skip
        assert (len(rows), len(rows[0])) == shape
    assert len(trace.row_sums) == 3


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.sampled_from([1.0, 2.0, 3.0, 4.0]), st.data())
def test_the_formula_of_the_paper(n: int, width: int, d_k: float, data: st.DataObject) -> None:
    entries = st.fractions(min_value=-2, max_value=2, max_denominator=5)
    Q, K, V = (
        data.draw(st.lists(st.lists(entries, min_size=width, max_size=width), min_size=n, max_size=n)) for _ in range(3)
    )
    trace = attend({"Q": Q, "K": K, "V": V}, Plain(d_k))  # type: ignore[arg-type]
    for i in range(n):
        powers = [exp(float(sum((x * y for x, y in zip(Q[i], k, strict=True)), Fraction(0))) / sqrt(d_k)) for k in K]
        for j in range(n):
            assert isclose(trace.attention_weights[i][j], powers[j] / sum(powers), rel_tol=1e-12)
        for c in range(width):
            expected = sum(p * float(row[c]) for p, row in zip(powers, V, strict=True)) / sum(powers)
            assert isclose(trace.output[i][c], expected, rel_tol=1e-9, abs_tol=1e-12)
