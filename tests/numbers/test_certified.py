"""Certified decimals against mpmath at much higher precision."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import OptionError, UndecidedError
from symattn.numbers.certified import Decimals, Precision, certified, enclosure, rational_of
from symattn.numbers.expsum import ExpSum, Key, Scale, Scaled, exponential, quotient
from symattn.numbers.rounding import Mode
from symattn.numbers.symbolic import SymbolicNumber
from symattn.numbers.written import WrittenNumber


@pytest.fixture(autouse=True)
def _precision_is_left_alone() -> Iterator[None]:
    before = ctx.prec
    yield
    assert ctx.prec == before


def rounded(value: Any, places: int, mode: Mode) -> int:
    """Units of an mpmath number that is no tie, at the working precision."""
    scaled = value * mpmath.mpf(10) ** places
    if mode in {Mode.HALF_UP, Mode.HALF_EVEN}:
        return int(mpmath.floor(scaled + mpmath.mpf(1) / 2))
    if mode is Mode.TRUNCATE:
        return int(mpmath.floor(scaled) if scaled > 0 else mpmath.ceil(scaled))
    return int(mpmath.floor(scaled) if mode is Mode.FLOOR else mpmath.ceil(scaled))


def mp(number: Any) -> Any:
    return mpmath.mpf(int(number.p)) / int(number.q)


small = st.fractions(min_value=-20, max_value=20, max_denominator=30).map(lambda f: fmpq(f.numerator, f.denominator))
d_ks = st.sampled_from([1, 2, 3, 4, 8, 12, 64]).map(fmpq) | st.just(fmpq(9, 4)) | st.just(fmpq(2, 3))


@st.composite
def quotients(draw: st.DrawFn) -> tuple[Any, list[tuple[Any, Any]], list[Any], Any]:
    """A weighted mean of values with softmax weights, beside its ingredients."""
    scale = Scale(draw(d_ks))
    terms = draw(st.lists(st.tuples(small, small), min_size=2, max_size=5))
    values = [draw(small) for _ in terms]
    exponentials = [exponential(a, b, scale) for a, b in terms]
    num = ExpSum.collect(
        ((key, c * v) for e, v in zip(exponentials, values, strict=True) for key, c in e.terms.items()), scale
    )
    den = ExpSum.collect((item for e in exponentials for item in e.terms.items()), scale)
    return quotient(num, den), terms, values, scale.d_k


@settings(max_examples=150, deadline=None)
@given(quotients(), st.integers(0, 60), st.sampled_from(Mode))
def test_random_quotients_in_every_mode(case: Any, places: int, mode: Mode) -> None:
    number, terms, values, d_k = case
    if rational_of(number) is None:
        with mpmath.workdps(300):
            powers = [mpmath.exp(mp(a) / mpmath.sqrt(mp(d_k)) + mp(b)) for a, b in terms]
            value = mpmath.fsum(p * mp(v) for p, v in zip(powers, values, strict=True)) / mpmath.fsum(powers)
            assert Decimals().round(number, places, mode).units == rounded(value, places, mode)


@settings(max_examples=100, deadline=None)
@given(small.filter(lambda x: x != 0), st.integers(1, 40), st.sampled_from(Mode))
def test_significant_digits_of_exponentials(exponent: Any, digits: int, mode: Mode) -> None:
    made = Decimals().round_significant(exponential(exponent), digits, mode)
    with mpmath.workdps(200):
        value = mpmath.exp(mp(exponent))
        places = digits - 1 - int(mpmath.floor(mpmath.log10(value)))
        units = rounded(value, places, mode)
    if units == 10**digits:
        units, places = units // 10, places - 1
    assert (made.units, made.places) == (units, places)


CLOSE: dict[str, tuple[Any, int, Mode, str]] = {
    "e to a tiny power, up": (exponential(fmpq(1, 10**40)), 30, Mode.CEILING, "1." + "0" * 29 + "1"),
    "e to a tiny power, down": (exponential(fmpq(1, 10**40)), 30, Mode.TRUNCATE, "1." + "0" * 30),
    "e to a tiny power, nearest": (exponential(fmpq(1, 10**40)), 30, Mode.HALF_EVEN, "1." + "0" * 30),
    "just under one, down": (exponential(fmpq(-1, 10**40)), 30, Mode.FLOOR, "0." + "9" * 30),
    "just under one, nearest": (exponential(fmpq(-1, 10**40)), 30, Mode.HALF_UP, "1." + "0" * 30),
    "minus just under one, cut": (-1 * exponential(fmpq(-1, 10**40)), 30, Mode.TRUNCATE, "-0." + "9" * 30),
    "just over a tie": (fmpq(1, 2) * exponential(fmpq(1, 10**200)), 0, Mode.HALF_EVEN, "1"),
    "just under a tie": (fmpq(1, 2) * exponential(fmpq(-1, 10**200)), 0, Mode.HALF_UP, "0"),
    "a weight just under a half": (
        quotient(exponential(fmpq(0)), exponential(fmpq(0)) + exponential(fmpq(1, 10**500))), 0, Mode.HALF_UP, "0",
    ),
    "a weight just over a half": (
        quotient(exponential(fmpq(0)), exponential(fmpq(0)) + exponential(fmpq(-1, 10**500))), 0, Mode.HALF_UP, "1",
    ),
    "a weight near a tie at two places": (
        quotient(exponential(fmpq(0)), exponential(fmpq(0)) + 199 * exponential(fmpq(1, 10**300))),
        2, Mode.HALF_UP, "0.00",
    ),
    "softmax of 1000 and 999": (
        quotient(exponential(fmpq(1000)), exponential(fmpq(1000)) + exponential(fmpq(999))),
        10, Mode.HALF_UP, "0.7310585786",
    ),
    "softmax of 999 and 1000": (
        quotient(exponential(fmpq(999)), exponential(fmpq(1000)) + exponential(fmpq(999))),
        10, Mode.HALF_UP, "0.2689414214",
    ),
    "a small weight, upwards": (
        quotient(exponential(fmpq(-(10**6))), exponential(fmpq(0)) + exponential(fmpq(-(10**6)))),
        5, Mode.CEILING, "0.00001",
    ),
    "a weight of nearly one": (
        quotient(exponential(fmpq(10**6)), exponential(fmpq(0)) + exponential(fmpq(10**6))),
        5, Mode.HALF_UP, "1.00000",
    ),
    "the same with a thousand million": (
        quotient(exponential(fmpq(10**9)), exponential(fmpq(0)) + exponential(fmpq(10**9))),
        5, Mode.HALF_UP, "1.00000",
    ),
    "tens": (exponential(fmpq(7)), -2, Mode.HALF_UP, "1100"),
}  # fmt: skip


@pytest.mark.parametrize(("number", "places", "mode", "text"), CLOSE.values(), ids=CLOSE)
def test_close_to_a_boundary(number: Any, places: int, mode: Mode, text: str) -> None:
    assert certified(number, places, mode) == text


@settings(deadline=None)
@given(st.integers(-(10**6), 10**6), st.integers(0, 5))
def test_ties_of_rationals_are_exact(units: int, places: int) -> None:
    tie = fmpq(2 * units + 1, 2 * 10**places)
    up = units + 1 if units >= 0 else units
    assert Decimals().round(tie, places).units == up
    assert Decimals().round(tie, places, Mode.HALF_EVEN).units == (units if units % 2 == 0 else units + 1)


SAME_NUMBER: dict[str, tuple[Any, Any]] = {
    "fmpq": (fmpq(5, 2), fmpq(5, 2)),
    "fmpz": (fmpz(3), fmpq(3)),
    "int": (3, fmpq(3)),
    "float": (2.5, fmpq(5, 2)),
    "float64": (np.float64(0.1), fmpq(*(0.1).as_integer_ratio())),
    "float32": (np.float32(0.5), fmpq(1, 2)),
    "exact ball": (arb(5) / 2, fmpq(5, 2)),
    "ball of zero": (arb(0), fmpq(0)),
    "large exact ball": (arb(2) ** 100, fmpq(2**100)),
    "ball": (arb(1) / 3, None),
    "written": (WrittenNumber.exact(fmpq(5, 2)), fmpq(5, 2)),
    "SymPy rational": (sympy.Rational(5, 2), fmpq(5, 2)),
    "SymPy root": (sympy.sqrt(2), None),
    "SymPy, wrapped": (SymbolicNumber(sympy.Integer(3)), fmpq(3)),
    "constant sum": (ExpSum({Key(fmpq(0), fmpq(0)): fmpq(7)}, Scale()), fmpq(7)),
    "empty sum": (ExpSum({}, Scale()), fmpq(0)),
    "exponential": (exponential(fmpq(1)), None),
    "scaled score": (Scaled.of(fmpq(3), fmpq(0), Scale(fmpq(9, 4))), fmpq(2)),
    "scaled score over a root": (Scaled.of(fmpq(3), fmpq(0), Scale(fmpq(3))), None),
}


@pytest.mark.parametrize(("number", "value"), SAME_NUMBER.values(), ids=SAME_NUMBER)
def test_rational_values_and_balls(number: Any, value: Any) -> None:
    assert rational_of(number) == value
    ball = enclosure(number, 80)
    assert ball.is_finite()
    if value is not None:
        assert ball.contains(value)
        assert Decimals().round(number, 3).value == Decimals().round(value, 3).value


def test_balls_are_rounded_as_far_as_they_reach() -> None:
    with ctx.workprec(200):
        third = arb(1) / 3
    assert Decimals().round(third, 50).text == "0." + "3" * 50
    with pytest.raises(UndecidedError, match=r"a digit could not be decided with 1048576 bits\. Ask for fewer places"):
        Decimals().round(third, 80)
    assert Decimals().round_significant(third, 50).text == "0." + "3" * 50


# ---- refusals ----------------------------------------------------------------------------------------------------

E_TO_A_MILLION = exponential(fmpq(10**6))
ALMOST_ONE = quotient(E_TO_A_MILLION, E_TO_A_MILLION + exponential(fmpq(0)))
UNDECIDED: dict[str, tuple[Any, str]] = {
    "too long": (E_TO_A_MILLION, "a number of more than 1000 digits is not written out"),
    "far too long": (exponential(fmpq(10**300)), "a number of more than 1000 digits is not written out"),
    "negative and too long": (-1 * E_TO_A_MILLION, "a number of more than 1000 digits is not written out"),
    "a free d_k": (exponential(fmpq(1), scale=Scale()), r"d_k is free\. Give d_k a number to get decimals\."),
    "a free n": (exponential(fmpq(1), scale=Scale(None, "n")), r"n is free\. Give n a number to get decimals\."),
    "a letter": (sympy.Symbol("a", real=True), r"a is free\. Give it a number to get decimals\."),
    "a function without balls": (sympy.gamma(sympy.sqrt(2)), "no ball for a SymPy gamma"),
    "infinite float": (float("inf"), "inf has no decimals"),
    "no number": (np.float64("nan"), "nan has no decimals"),
    "an infinite ball": (arb("inf"), "a number beyond every bound has no decimals here"),
}


@pytest.mark.parametrize(("number", "message"), UNDECIDED.values(), ids=UNDECIDED)
def test_undecided(number: Any, message: str) -> None:
    with pytest.raises(UndecidedError, match=message):
        certified(number, 3)


@pytest.mark.parametrize("mode", [Mode.TRUNCATE, Mode.FLOOR])
def test_a_weight_too_near_to_one_is_undecided(mode: Mode) -> None:
    message = r"a digit could not be decided with 1048576 bits\. Ask for fewer places\."
    with pytest.raises(UndecidedError, match=message):
        certified(ALMOST_ONE, 5, mode)


def test_a_bound_on_the_bits() -> None:
    number = exponential(fmpq(1, 10**300))
    with pytest.raises(UndecidedError, match="a digit could not be decided with 512 bits"):
        Decimals(max_bits=512).round(number, 2, Mode.CEILING)
    assert Decimals().round(number, 2, Mode.CEILING).text == "1.01"
    zero = sympy.sqrt(2) * sympy.sqrt(3) - sympy.sqrt(6) + sympy.exp(sympy.sqrt(2)) - sympy.exp(sympy.sqrt(2))
    hidden = SymbolicNumber(sympy.Add(sympy.log(6), -sympy.log(2), -sympy.log(3), evaluate=False))
    assert zero == 0
    with pytest.raises(UndecidedError, match="a digit could not be decided with 4096 bits"):
        Decimals(max_bits=4096).round(hidden, 2, Mode.FLOOR)
    with pytest.raises(UndecidedError, match="a digit could not be decided with 4096 bits"):
        Decimals(max_bits=4096).round_significant(hidden, 2)


@pytest.mark.parametrize("exponent", [10**6, -(10**6), 10**18])
def test_significant_digits_of_what_is_too_large_or_small(exponent: int) -> None:
    with pytest.raises(UndecidedError, match="a number of more than 1048576 bits has no decimals here"):
        Decimals().round_significant(exponential(fmpq(exponent)), 3)


@pytest.mark.parametrize("number", [fmpq(1, 3), exponential(fmpq(1))], ids=["rational", "irrational"])
def test_places_and_digits_are_bounded(number: Any) -> None:
    for places in (10**12, -(10**12)):
        with pytest.raises(OptionError, match="1000000000000 decimal places; expected at most 1048576"):
            Decimals().round(number, places)
    with pytest.raises(OptionError, match="0 significant digits; expected at least 1"):
        Decimals().round_significant(number, 0)


def test_the_process_survives_places_beyond_memory() -> None:
    code = "from symattn import derive, load_spec\nderive(load_spec())['output'].decimals(10**13)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 1
    assert "OptionError: 10000000000000 decimal places; expected at most 1048576" in run.stderr


# ---- sharing -----------------------------------------------------------------------------------------------------


def test_balls_are_made_once_for_each_object() -> None:
    precision, made = Precision(64), []

    def make() -> arb:
        made.append(1)
        return arb(1)

    owner = exponential(fmpq(1))
    assert precision.once(owner, make) is precision.once(owner, make)
    precision.once(exponential(fmpq(1)), make)
    assert len(made) == 2


@settings(deadline=None)
@given(st.lists(small, min_size=1, max_size=5))
def test_numbers_rounded_together_and_alone_are_the_same(exponents: list[Any]) -> None:
    together = Decimals()
    for exponent in exponents:
        number = exponential(exponent)
        assert together.round(number, 20) == Decimals().round(number, 20)


@settings(deadline=None)
@given(st.fractions(max_denominator=10**9), st.integers(2, 300))
def test_enclosures_contain(number: Fraction, bits: int) -> None:
    value = fmpq(number.numerator, number.denominator)
    ball = enclosure(value, bits)
    with ctx.workprec(1000):  # FLINT lays a ball of its own around the rational
        assert ball.contains(value)
