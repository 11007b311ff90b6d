"""Stages: values, decimals, limits and functions over every arithmetic, and what a derivation says of itself."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from symattn import Exact, Policy, Written, derive, load_spec
from symattn.errors import OptionError, UndecidedError
from symattn.numbers.machine import Ball, Float
from symattn.numbers.rounding import KINDS, Mode

FORTY = Policy.parse([f"{kind}=40" for kind in KINDS])
ARITHMETICS = {
    "exact": Exact(),
    "as written, 40 places": Written(FORTY),
    "ball": Ball(200),
    "float64": Float(),
}
FAITHFUL = {"exact": 30, "as written, 40 places": 30, "ball": 30, "float64": 12}


def bundled_output() -> list[list[str]]:
    """The output of the bundled example in 45 digits, by mpmath."""
    with mpmath.workdps(60):
        weight = 1 / (1 + mpmath.exp(-mpmath.sqrt(3)))
        numbers = [2 + 8 * weight, 5 - 3 * weight, 8 - 8 * weight]
        return [[mpmath.nstr(number, 45) for number in numbers], ["6", "3.5", "4"]]


def spec_of(**table: Any) -> Any:
    return load_spec({"tokens": ["x", "y"], "K": [[1], [0]], "V": [[1], [3]], **table})


def close(text: str, expected: str, places: int) -> bool:
    return abs(sympy.Rational(text) - sympy.Rational(expected)) <= sympy.Rational(2, 10**places)


@pytest.mark.parametrize("name", ARITHMETICS)
def test_one_answer_in_every_arithmetic(name: str) -> None:
    spec = load_spec()
    stage = derive(spec, ARITHMETICS[name])["output"]
    digits, output = FAITHFUL[name], bundled_output()
    assert isinstance(stage.value, sympy.ImmutableMatrix)
    assert stage.shape == stage.value.shape == (2, 3)
    decimals, values, function = stage.decimals(digits), sympy.N(stage.value, 45), stage.lambdify()()
    for i in range(2):
        for j in range(3):
            assert close(decimals[i][j], output[i][j], digits)
            assert close(str(values[i, j]), output[i][j], digits)
            assert function[i, j] == pytest.approx(float(output[i][j]), rel=1e-14)


@pytest.mark.parametrize("name", ARITHMETICS)
def test_every_stage_has_a_value(name: str) -> None:
    spec = load_spec()
    exact = derive(spec)
    for stage in derive(spec, ARITHMETICS[name]):
        assert isinstance(stage.value, sympy.ImmutableMatrix)
        expected = sympy.N(exact[stage.name].value, 30)
        assert max(abs(sympy.N(stage.value, 30) - expected)) < sympy.Float("1e-12")


def test_decimals_in_every_mode() -> None:
    stage = derive(load_spec())["attention_weights"]
    first = {mode: stage.decimals(2, mode)[0] for mode in Mode}
    assert first == {
        Mode.HALF_UP: ("0.85", "0.15"),
        Mode.HALF_EVEN: ("0.85", "0.15"),
        Mode.TRUNCATE: ("0.84", "0.15"),
        Mode.CEILING: ("0.85", "0.16"),
        Mode.FLOOR: ("0.84", "0.15"),
    }
    assert stage.decimals(0)[1] == ("1", "1")
    assert stage.decimals(0, Mode.HALF_EVEN)[1] == ("0", "0")
    assert [len(text) for row in stage.decimals() for text in row] == [52] * 4


def test_decimals_out_of_range() -> None:
    stage = derive(load_spec())["output"]
    assert stage.decimals(-1)[0] == ("10", "0", "0")
    with pytest.raises(OptionError, match="1000000000000 decimal places; expected at most 1048576"):
        stage.decimals(10**12)


HALF = sympy.Rational(1, 2)
ENDS: dict[str, tuple[Any, Any, str]] = {
    "exponential sums": ([[2], [0]], "d_k", "attention_weights"),
    "exponential sums, another letter": ([[2], [0]], "n", "attention_weights"),
    "SymPy": ([["sqrt(2)"], [0]], "d_k", "attention_weights"),
    "SymPy, another letter": ([["sqrt(2)"], [0]], "n", "attention_weights"),
}


@pytest.mark.parametrize(("Q", "d_k", "name"), ENDS.values(), ids=ENDS)
def test_limits(Q: Any, d_k: str, name: str) -> None:
    stage = derive(spec_of(Q=Q, d_k=d_k))[name]
    assert stage.letter == d_k
    assert stage.limit("0+") == sympy.ImmutableMatrix([[1, 0], [HALF, HALF]])
    assert stage.limit("oo") == sympy.ImmutableMatrix([[HALF, HALF], [HALF, HALF]])
    scaled = derive(spec_of(Q=Q, d_k=d_k))["scaled_scores"]
    assert scaled.limit("0+") == sympy.ImmutableMatrix([[sympy.oo, 0], [0, 0]])
    assert scaled.limit("oo") == sympy.zeros(2, 2)


NUMERIC: dict[str, tuple[Any, Any]] = {
    "exact": ({"Q": [[2], [0]], "d_k": 3}, Exact()),
    "exact, square d_k": ({"Q": [[2], [0]], "d_k": 4}, Exact()),
    "SymPy": ({"Q": [["sqrt(2)"], [0]], "d_k": 3}, Exact()),
    "an irrational d_k": ({"Q": [[2], [0]], "d_k": "pi"}, Exact()),
    "a d_k of letters": ({"Q": [[2], [0]], "d_k": "exp(a)"}, Exact()),
    "ball": ({"Q": [[2], [0]], "d_k": 3}, Ball()),
    "float": ({"Q": [[2], [0]], "d_k": 3}, Float()),
    "written": ({"Q": [[2], [0]], "d_k": 3}, Written()),
}


@pytest.mark.parametrize(("table", "arithmetic"), NUMERIC.values(), ids=NUMERIC)
def test_a_number_has_no_limit(table: Any, arithmetic: Any) -> None:
    message = r"d_k is a number here, and a limit needs it free\. Derive with Exact\(free_d_k=True\)\."
    with pytest.raises(OptionError, match=message):
        derive(spec_of(**table), arithmetic)["output"].limit("oo")


def test_limits_that_depend_on_letters_are_undecided() -> None:
    stage = derive(spec_of(Q=[["a"], ["b"]], d_k="d_k"))["output"]
    assert stage.limit("oo") == sympy.ImmutableMatrix([[2], [2]])
    with pytest.raises(UndecidedError, match="the limit for d_k could not be found: Result depends on the sign"):
        stage.limit("0+")


FUNCTIONS: dict[str, tuple[Any, str]] = {
    "exponential sums": ([[2], [0]], "d_k"),
    "exponential sums, another letter": ([[2], [0]], "n"),
    "SymPy": ([["sqrt(4)*sqrt(2)/sqrt(2)"], ["sqrt(2)-sqrt(2)+0*pi"]], "d_k"),
    "SymPy, another letter": ([["pi*2/pi"], ["sqrt(2)-sqrt(2)"]], "n"),
}


@pytest.mark.parametrize(("Q", "letter"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_over_many_d_k(Q: Any, letter: str) -> None:
    function = derive(spec_of(Q=Q, d_k=letter))["output"].lambdify()
    d_k = np.array([[0.5, 3.0, 64.0], [1e-8, 1.0, 1e8]])
    powers = 1 / (1 + np.exp(-2 / np.sqrt(d_k)))
    made = function(d_k)
    assert made.shape == (2, 3, 2, 1)
    assert np.allclose(made[..., 0, 0], 3 - 2 * powers, rtol=1e-14)
    assert np.allclose(made[..., 1, 0], 2, rtol=1e-14)
    assert np.array_equal(function(**{letter: d_k}), made)
    with pytest.raises(OptionError, match=f"got x; expected the letters {letter}"):
        function(x=1.0)


def test_functions_over_irrational_scores_and_letters() -> None:
    function = derive(spec_of(Q=[["sqrt(2)"], ["q"]], V=[["pi"], ["v"]], d_k="d_k"))["output"].lambdify()
    weight = 1 / (1 + np.exp(-np.sqrt(2) / 2))
    made = function(4.0, q=0.0, v=[0.0, 1.0])
    assert np.allclose(made[:, 0, 0], [np.pi * weight, np.pi * weight + 1 - weight], rtol=1e-14)
    assert np.isfinite(function(1e-12, q=1.0, v=1.0)).all()
    with pytest.raises(OptionError, match="got d_k, q; expected the letters d_k, q, v"):
        function(4.0, q=0.0)


def test_a_number_for_d_k_is_no_argument() -> None:
    function = derive(load_spec())["output"].lambdify()
    with pytest.raises(OptionError, match=r"got d_k; expected the letters \(none\)"):
        function(4.0)


def test_quantities_are_what_was_written_down() -> None:
    spec = load_spec()
    derivation = derive(spec, Written(spec.policy))
    (root,) = derivation["scaled_scores"].quantities
    assert (root.kind, root.place, root.number.text) == ("root", (), "1.7")
    written = [(q.kind, q.place, q.number.text) for q in derivation["attention_weights"].quantities]
    assert written == [
        ("exponentials", (1, 1), "5.8"), ("exponentials", (1, 2), "1"), ("row_sums", (1,), "6.8"),
        ("exponentials", (2, 1), "3.2"), ("exponentials", (2, 2), "3.2"), ("row_sums", (2,), "6.4"),
    ]  # fmt: skip
    assert derivation["output"].quantities == ()
    assert derivation["query"].quantities == ()


def test_stages_follow_what_is_given() -> None:
    names = ["query", "key", "value", "scores", "scaled_scores", "attention_weights", "output"]
    assert [stage.name for stage in derive(spec_of(Q=[[1], [0]]))] == names
    assert [stage.name for stage in derive(spec_of(X=[[1], [0]], W_Q=[[2]]))] == ["embedding", *names]
    with pytest.raises(OptionError, match="unknown stage 'embedding'; expected one of query, key, value, scores"):
        derive(spec_of(Q=[[1], [0]]))["embedding"]


def test_one_row_of_two_hundred() -> None:
    n = 200
    spec = load_spec(
        {
            "tokens": ["t"] * n,
            "Q": [[i % 5] for i in range(n)],
            "K": [[i % 7] for i in range(n)],
            "V": [[i] for i in range(n)],
        }
    )
    derivation = derive(spec)
    _ = derivation["output"].rows[7]
    trace = derivation.trace
    for rows in (trace.scaled_scores, trace.exponentials, trace.row_sums, trace.attention_weights, trace.output):
        assert list(rows._made) == [7]  # type: ignore[union-attr]


# ---- remarks -----------------------------------------------------------------------------------------------------


def test_remarks_of_many_rows() -> None:
    n = 6
    spec = load_spec(
        {
            "tokens": [f"t{i}" for i in range(n)],
            "X": [[1]] * n,
            "W_Q": [[1]],
            "Q": [[2]] * 5 + [[1]],
            "K": [[1]] * n,
            "V": [[1]] * n,
        }
    )
    told = "of Q: X·W_Q gives [1], but the spec states [2]; going on with the stated row"
    assert derive(spec).remarks() == (
        f"row 't0' {told}",
        f"row 't1' {told}",
        f"row 't2' {told}",
        "2 more rows of Q differ from X·W_Q",
    )


def test_remarks_on_what_is_undecided_and_on_d_k() -> None:
    spec = spec_of(X=[["a"], [1]], W_Q=[[1]], Q=[["sqrt(a^2)"], [1]], d_k=4)
    assert derive(spec).remarks() == (
        "row 'x' of Q: whether it is X·W_Q could not be decided",
        "the scaling uses d_k = 4, although the width of K is 1",
    )
    assert derive(spec_of(Q=[[1], [0]])).remarks() == ()


def test_a_mend_is_told_once() -> None:
    lines = derive(spec_of(X=[[1, 0], [0, 1]], W_Q=[[1], [1]], Q=[[2], [3]])).remarks()
    mend = " (W_Q row 1, column 1: 1 to 2 and 1 more would mend it)"
    assert lines == (
        "row 'x' of Q: X·W_Q gives [1], but the spec states [2]; going on with the stated row" + mend,
        "row 'y' of Q: X·W_Q gives [1], but the spec states [3]; going on with the stated row",
    )
