"""Limits in d_k against SymPy and mpmath, and NumPy functions that do not overflow."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import OptionError, UndecidedError
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import ZERO, ExpSum, Key, Scale, Scaled, exponential, quotient
from symattn.numbers.limits import Infinity, limit, numpy_function
from symattn.numbers.symbolic import to_sympy
from symattn.numbers.written import WrittenNumber

FREE = Scale()
D_K = sympy.Symbol("d_k", positive=True)


def e(a: int, b: int = 0) -> ExpSum:
    return exponential(fmpq(a), fmpq(b), FREE)


LIMITS: dict[str, tuple[Any, Any, Any]] = {
    "weight of the larger score": (quotient(e(3), e(3) + e(0)), 1, sympy.Rational(1, 2)),
    "weight of the smaller score": (quotient(e(0), e(3) + e(0)), 0, sympy.Rational(1, 2)),
    "two largest scores": (quotient(e(3), 2 * e(3) + e(0)), sympy.Rational(1, 2), sympy.Rational(1, 3)),
    "output": (quotient(10 * e(3) + 2 * e(0), e(3) + e(0)), 10, 6),
    "a mask stays": (
        quotient(e(3, 1), e(3, 1) + e(3)), sympy.E / (1 + sympy.E), sympy.E / (1 + sympy.E),
    ),
    "a mask beside a score": (quotient(e(3, 1), e(3, 1) + e(0)), 1, sympy.E / (1 + sympy.E)),
    "growing": (quotient(e(4) + e(0), e(1) + e(0)), sympy.oo, 1),
    "growing downwards": (quotient(-1 * e(4) + e(0), e(1) + e(0)), -sympy.oo, 0),
    "growing, two leading terms": (quotient(2 * e(4) - e(4, 1), e(1) + e(0)), -sympy.oo, 1 - sympy.E / 2),
    "growing, negative below": (quotient(e(4), -1 * e(1) - e(0)), -sympy.oo, sympy.Rational(-1, 2)),
    "scaled score": (Scaled.of(fmpq(3), ZERO, FREE), sympy.oo, 0),
    "negative scaled score": (Scaled.of(fmpq(-3), ZERO, FREE), -sympy.oo, 0),
    "scaled score of zero": (Scaled.of(ZERO, ZERO, FREE), 0, 0),
    "scaled score and mask": (Scaled.of(fmpq(3), fmpq(2), FREE), sympy.oo, 2),
    "the root": (SquareRoot(FREE), 0, sympy.oo),
    "rational": (fmpq(7, 2), sympy.Rational(7, 2), sympy.Rational(7, 2)),
    "exponential": (e(3), sympy.oo, 1),
    "negative exponential": (e(-3), 0, 1),
    "sum": (2 * e(0) + e(-1), 2, 3),
    "empty sum": (ExpSum({}, FREE), 0, 0),
    "written": (WrittenNumber.exact(fmpq(1, 2)), sympy.Rational(1, 2), sympy.Rational(1, 2)),
    "SymPy": (sympy.exp(sympy.sqrt(2 / D_K)) / (1 + sympy.exp(sympy.sqrt(2 / D_K))), 1, sympy.Rational(1, 2)),
    "SymPy without d_k": (sympy.sqrt(2), sympy.sqrt(2), sympy.sqrt(2)),
}  # fmt: skip


@pytest.mark.parametrize(("number", "at_zero", "at_infinity"), LIMITS.values(), ids=LIMITS)
def test_limits(number: Any, at_zero: Any, at_infinity: Any) -> None:
    for end, expected in (("0+", at_zero), ("oo", at_infinity)):
        found = to_sympy(limit(number, end))  # type: ignore[arg-type]
        assert found == expected or sympy.simplify(found - expected) == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-2, 2)), min_size=1, max_size=4), st.data())
def test_limits_of_softmax_by_its_definition(terms: list[tuple[int, int]], data: st.DataObject) -> None:
    """At 0 the largest scores share by their masks; at infinity only the masks count."""
    chosen = data.draw(st.integers(0, len(terms) - 1))
    exponentials = [e(a, b) for a, b in terms]
    total = exponentials[0]
    for other in exponentials[1:]:
        total = total + other
    weight = quotient(exponentials[chosen], total)
    top = max(a for a, _ in terms)
    a, b = terms[chosen]

    def share(masks: list[int]) -> Any:
        return sympy.exp(b) / sympy.Add(*(sympy.exp(mask) for mask in masks))

    at_zero = share([mask for score, mask in terms if score == top]) if a == top else sympy.Integer(0)
    assert sympy.simplify(to_sympy(limit(weight, "0+")) - at_zero) == 0
    assert sympy.simplify(to_sympy(limit(weight, "oo")) - share([mask for _, mask in terms])) == 0


def test_another_letter() -> None:
    n = sympy.Symbol("n", positive=True)
    assert limit(sympy.exp(-1 / n), "0+", "n") == 0
    assert limit(sympy.exp(-1 / n), "oo", "n") == 1
    assert limit(sympy.exp(-1 / n), "oo") == sympy.exp(-1 / n)


a, b = sympy.symbols("a b", real=True)


@pytest.mark.parametrize("number", [sympy.exp(a / sympy.sqrt(D_K)), sympy.exp(a * b / D_K) + 1], ids=str)
def test_limits_that_depend_on_a_sign_are_undecided(number: Any) -> None:
    with pytest.raises(UndecidedError, match="the limit for d_k could not be found"):
        limit(number, "0+")


@pytest.mark.parametrize("number", [sympy.sin(D_K), sympy.cos(D_K) + 2], ids=str)
def test_limits_that_are_none_are_undecided(number: Any) -> None:
    with pytest.raises(UndecidedError, match="the limit for d_k could not be found"):
        limit(number, "oo")


def test_a_sign_beyond_the_bound_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    close = ExpSum({Key(fmpq(2), ZERO): fmpq(-1), Key(fmpq(2), fmpq(1, 10**100)): fmpq(1)}, FREE)
    assert limit(quotient(close, e(0)), "0+") == Infinity()
    monkeypatch.setattr("symattn.numbers.limits.MAX_BITS", 128)
    with pytest.raises(UndecidedError, match="a sign could not be decided with 128 bits"):
        limit(quotient(close, e(0)), "0+")


@pytest.mark.parametrize("end", ["0", "0-", "inf", ""])
def test_other_ends(end: Any) -> None:
    with pytest.raises(OptionError, match=rf"unknown end '{end}'; expected \"0\+\" or \"oo\""):
        limit(fmpq(1), end)


def test_infinities() -> None:
    assert Infinity().rational is None
    assert Infinity(positive=False).to_sympy() == -sympy.oo


# ---- functions ---------------------------------------------------------------------------------------------------

WEIGHT = quotient(e(3), e(3) + e(0))


def test_shapes() -> None:
    function = numpy_function([[WEIGHT, fmpq(1, 3)], [Scaled.of(fmpq(3), fmpq(1), FREE), WEIGHT]])
    for d_k, shape in ((3, ()), (3.0, ()), (np.float32(3), ()), ([1, 2, 3], (3,)), (np.ones((2, 5)), (2, 5))):
        made = function(d_k)
        assert made.shape == (*shape, 2, 2)
        assert made.dtype == np.float64
    assert np.array_equal(function(4.0), function(d_k=4.0))
    assert function(4.0)[1, 0] == 2.5
    assert function(4.0)[0, 1] == pytest.approx(1 / 3, rel=1e-16)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(-40, 40), min_size=1, max_size=4), st.floats(1e-6, 1e6))
def test_values_against_mpmath(scores: list[int], d_k: float) -> None:
    total = exponential(fmpq(scores[0]), scale=FREE)
    for score in scores[1:]:
        total = total + e(score)
    made = numpy_function([[quotient(e(score), total) for score in scores]])(d_k)[0]
    with mpmath.workdps(50):
        powers = [mpmath.exp(score / mpmath.sqrt(d_k)) for score in scores]
        for value, power in zip(made, powers, strict=True):
            # the exponent is rounded once: its error is relative to its size
            tolerance = 1e-15 * (4 + 2 * (max(scores) - min(scores) + max(map(abs, scores))) / d_k**0.5)
            assert abs(value - float(power / sum(powers))) <= tolerance * float(power / sum(powers)) + 1e-300


OVERFLOWING: dict[str, tuple[Any, float]] = {
    "softmax of 1000 and 999": (quotient(e(1000), e(1000) + e(999)), 0.7310585786300049),
    "softmax of -1000 and -999": (quotient(e(-1000), e(-1000) + e(-999)), 0.2689414213699951),
    "large coefficients": (quotient(10**400 * e(1), e(1) + e(0)), float("inf")),
    "large coefficients that cancel": (quotient(fmpq(10**400 + 1, 10**400) * e(1), e(1) + e(0)), 0.7310585786300049),
    "SymPy, 1000 and 999": (
        sympy.exp(1000 / sympy.sqrt(D_K)) / (sympy.exp(1000 / sympy.sqrt(D_K)) + sympy.exp(999 / sympy.sqrt(D_K))),
        0.7310585786300049,
    ),
    "SymPy, a weighted sum": (
        (3 * sympy.exp(1000 / D_K) + sympy.pi * sympy.exp(999 / D_K)) / (sympy.exp(1000 / D_K) + sympy.exp(999 / D_K)),
        3 * 0.7310585786300049 + np.pi * 0.2689414213699951,
    ),
}


@pytest.mark.parametrize(("number", "value"), OVERFLOWING.values(), ids=OVERFLOWING)
def test_nothing_overflows(number: Any, value: float) -> None:
    assert numpy_function([[number]])(1.0)[0, 0] == pytest.approx(value, rel=1e-12)


NUMBERS: dict[str, tuple[Any, float]] = {
    "rational": (fmpq(1, 10), 0.1),
    "written": (WrittenNumber.exact(fmpq(17, 10)), 1.7),
    "exact ball": (arb(5) / 2, 2.5),
    "ball": (arb(1) / 3, 1 / 3),
    "float": (np.float64(0.1), 0.1),
    "weight": (quotient(exponential(fmpq(1)), exponential(fmpq(1)) + exponential(ZERO)), 0.7310585786300049),
    "weight over √3": (
        quotient(exponential(fmpq(3), scale=Scale(fmpq(3))), exponential(fmpq(3), scale=Scale(fmpq(3))) + exponential(ZERO, scale=Scale(fmpq(3)))),
        0.8496745530898386,
    ),
    "scaled score": (Scaled.of(fmpq(2), ZERO, Scale(fmpq(3))), 2 / 3**0.5),
}  # fmt: skip


@pytest.mark.parametrize(("number", "value"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_without_letters(number: Any, value: float) -> None:
    function = numpy_function([[number]], letter="")
    assert function()[0, 0] == pytest.approx(value, rel=4e-16)
    with pytest.raises(OptionError, match=r"got d_k; expected the letters \(none\)"):
        function(3.0)


def test_letters_by_name() -> None:
    lam, word = sympy.Symbol("lambda", real=True), sympy.Symbol("v_1", real=True)
    function = numpy_function([[lam * sympy.exp(a / sympy.sqrt(D_K)), word], [sympy.Integer(2), a + lam]])
    made = function(**{"lambda": 2.0, "v_1": [5.0, 6.0], "a": 3.0, "d_k": 9.0})
    assert made.shape == (2, 2, 2)
    assert np.allclose(made, [[[2 * np.e, v], [2, 5]] for v in (5, 6)])
    assert np.array_equal(function(9.0, **{"lambda": 2.0, "v_1": [5.0, 6.0], "a": 3.0}), made)
    grid = function(d_k=np.ones((4, 1)), a=np.ones(3), v_1=0, **{"lambda": 1})
    assert grid.shape == (4, 3, 2, 2)


REFUSED: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "nothing": ((), {}, "got nothing; expected the letters a, d_k"),
    "one missing": ((3.0,), {}, "got d_k; expected the letters a, d_k"),
    "unknown": ((3.0,), {"a": 1, "x": 2}, "got d_k, a, x; expected the letters a, d_k"),
    "zero": ((0.0,), {"a": 1}, "d_k is not positive"),
    "negative": (([1.0, -2.0],), {"a": 1}, "d_k is not positive"),
    "no number": ((float("nan"),), {"a": 1}, "d_k is not positive"),
}


@pytest.mark.parametrize(("position", "values", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(position: tuple[Any, ...], values: dict[str, Any], message: str) -> None:
    function = numpy_function([[sympy.exp(a / sympy.sqrt(D_K))]])
    with pytest.raises(OptionError, match=message):
        function(*position, **values)


def test_refusals_over_a_free_d_k() -> None:
    function = numpy_function([[exponential_weight("n")]], letter="n")
    assert function(n=4.0)[0, 0] == pytest.approx(function(4.0)[0, 0])
    with pytest.raises(OptionError, match="got nothing; expected the letters n"):
        function()
    with pytest.raises(OptionError, match="got d_k; expected the letters n"):
        function(d_k=3.0)
    with pytest.raises(OptionError, match="n is not positive"):
        function(-1.0)


def exponential_weight(name: str) -> Any:
    power, one = exponential(fmpq(1), scale=Scale(None, name)), exponential(ZERO, scale=Scale(None, name))
    return quotient(power, power + one)


def test_a_matrix_of_rationals_over_a_free_d_k_takes_it_or_not() -> None:
    function = numpy_function([[fmpq(1, 2)]])
    assert function()[0, 0] == 0.5
    assert function([1.0, 2.0]).shape == (2, 1, 1)
