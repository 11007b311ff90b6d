"""Balls and floats: what they contain, what NumPy and PyTorch give, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import derive, load_spec
from symattn.errors import OptionError, UndecidedError
from symattn.numbers.arithmetic import Letter
from symattn.numbers.machine import Ball, Balls, Float, Floats, nearest_float

NEAREST: dict[str, tuple[Any, float]] = {
    "a tenth": (fmpq(1, 10), 0.1),
    "a tie, to even": (1 + fmpq(1, 2**53), 1.0),
    "just over a tie": (1 + fmpq(1, 2**53) + fmpq(1, 2**300), 1 + 2**-52),
    "smallest": (fmpq(1, 2**1074), 5e-324),
    "nothing": (fmpq(1, 2**1080), 0.0),
    "long fraction": (fmpq(10**500 + 1, 10**500), 1.0),
    "too large": (fmpq(10**400), float("inf")),
    "too large, negative": (fmpq(-(10**400)), float("-inf")),
}


@pytest.mark.parametrize(("value", "expected"), NEAREST.values(), ids=NEAREST)
def test_nearest_floats(value: Any, expected: float) -> None:
    assert nearest_float(value) == expected


@settings(deadline=None)
@given(st.fractions(max_denominator=10**30))
def test_nearest_floats_as_fractions_give_them(value: Fraction) -> None:
    made = nearest_float(fmpq(value.numerator, value.denominator))
    assert made == float(value)
    assert Floats(fmpq(1), "float64").number(fmpq(value.numerator, value.denominator)) == made


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_inputs_beyond_the_floats_are_refused(dtype: Any) -> None:
    with pytest.raises(OptionError, match=f"'10{{38}}…' is beyond {dtype}"):
        Floats(fmpq(1), dtype).number(fmpq(10**400))
    with pytest.raises(OptionError, match=r"is beyond float32"):
        Floats(fmpq(1), "float32").number(fmpq(10**39))


# what PyTorch's scaled_dot_product_attention gives, in float64 and in float32
TORCH: dict[str, tuple[dict[str, Any], list[list[float]], list[list[float]]]] = {
    "bundled": (
        {"Q": [[2, 0, 1], [1, 2, 1]], "K": [[1, 0, 1], [0, 1, 0]], "V": [[10, 2, 0], [2, 5, 8]], "d_k": 3},
        [[8.797396424718709, 2.450976340730484, 1.202603575281291], [6.0, 3.5, 4.0]],
        [[8.797395706176758, 2.4509763717651367, 1.2026035785675049], [6.0, 3.5, 4.0]],
    ),
    "scores near 1000": (
        {"Q": [[1000], [-1000]], "K": [[1], ["0.999"]], "V": [[1], [2]], "d_k": 1},
        [[1.2689414213699952], [1.731058578630005]],
        [[1.2689414024353027], [1.7310585975646973]],
    ),
    "three tokens": (
        {
            "Q": [[1, 2], ["0.5", -1], [3, 0]],
            "K": [[1, 0], ["0.25", 2], [-1, 1]],
            "V": [["0.1", -2], [7, 3], [1, 1]],
            "d_k": 2,
        },
        [
            [5.920973434445652, 2.414481708613919],
            [1.153146291681392, -0.837582751118428],
            [1.2646288412298345, -1.1283692372610972],
        ],
        [
            [5.920973300933838, 2.4144816398620605],
            [1.1531461477279663, -0.8375828266143799],
            [1.2646287679672241, -1.1283692121505737],
        ],
    ),
}


@pytest.mark.parametrize(("case", "double", "single"), TORCH.values(), ids=TORCH)
def test_a_float_run_is_what_pytorch_computes(
    case: dict[str, Any], double: list[list[float]], single: list[list[float]]
) -> None:
    spec = load_spec({"tokens": [f"t{i}" for i in range(len(case["Q"]))], **case})
    exact = [[float(text) for text in row] for row in derive(spec)["output"].decimals(20)]
    assert np.allclose(exact, double, rtol=1e-13, atol=0)
    for dtype, expected, tolerance in (("float64", double, 1e-14), ("float32", single, 1e-6)):
        made = [list(map(float, row)) for row in derive(spec, Float(dtype)).trace.output]  # type: ignore[arg-type]
        # scores near 1000 lose what their own rounding lost
        assert np.allclose(made, expected, rtol=tolerance * (1000 if case["d_k"] == 1 else 1), atol=tolerance)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_float_run_is_what_numpy_computes(dtype: Any) -> None:
    rng = np.random.default_rng(7)
    Q, K, V = (rng.integers(-9, 9, (5, 4)) for _ in range(3))
    spec = load_spec({"tokens": list("abcde"), "Q": Q.tolist(), "K": K.tolist(), "V": V.tolist()})
    made = derive(spec, Float(dtype))
    Q, K, V = (matrix.astype(dtype) for matrix in (Q, K, V))
    scaled = Q @ K.T / np.sqrt(np.asarray(4, dtype=dtype))
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    output = powers / powers.sum(axis=1, keepdims=True) @ V
    rows = np.array([list(row) for row in made.trace.output])
    assert rows.dtype == dtype
    assert np.allclose(rows, output, rtol=4 * np.finfo(dtype).eps, atol=16 * np.finfo(dtype).eps)


def test_float_runs_do_not_overflow() -> None:
    spec = load_spec({"tokens": ["a", "b"], "Q": [[1], [1]], "K": [[1000], [999]], "V": [[1], [0]], "d_k": 1})
    for dtype in ("float64", "float32"):
        assert float(derive(spec, Float(dtype)).trace.output[0][0]) == pytest.approx(0.7310585786, rel=1e-6)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(-30, 30), min_size=2, max_size=4),
    st.sampled_from([1, 2, 3, 12]),
    st.sampled_from([40, 128, 300]),
)
def test_balls_contain_the_exact_weights(scores: list[int], d_k: int, bits: int) -> None:
    spec = load_spec(
        {
            "tokens": ["t"] * len(scores),
            "Q": [[1]] * len(scores),
            "K": [[s] for s in scores],
            "V": [[s] for s in scores],
            "d_k": d_k,
        }
    )
    before = ctx.prec
    exact, made = derive(spec), derive(spec, Ball(bits))
    row = made.trace.attention_weights[0]
    with ctx.workprec(600):
        for number, ball in zip(exact["attention_weights"].decimals(150)[0], row, strict=True):
            assert ball.overlaps(arb(number, arb(10) ** -150))
    assert ctx.prec == before
    assert made.trace.output[0][0].is_finite()


def test_balls_work_at_their_own_precision() -> None:
    ops = Balls(fmpq(3), 500)
    assert ops.root().rel_accuracy_bits() > 480
    assert ops.number(sympy.sqrt(2)).rel_accuracy_bits() > 480
    assert ops.scale(ops.number(fmpq(1)), ops.root()).rel_accuracy_bits() > 480


@pytest.mark.parametrize(("choice", "name"), [(Ball(), "ball"), (Float(), "float"), (Float("float32"), "float")])
def test_names_and_free_d_k(choice: Any, name: str) -> None:
    assert choice.name == name
    with pytest.raises(OptionError, match=f"n is free, and the {name} arithmetic needs a number"):
        choice.start(d_k=Letter("n"), rational=True)


@pytest.mark.parametrize("choice", [Ball(), Float()], ids=["ball", "float"])
def test_letters_are_refused(choice: Any) -> None:
    ops = choice.start(d_k=fmpq(3), rational=False)
    with pytest.raises(UndecidedError, match="a is free"):
        ops.number(sympy.Symbol("a", real=True))
