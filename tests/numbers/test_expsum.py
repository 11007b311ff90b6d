"""Exponential sums and quotients: ring laws, decided equality, filling in d_k, lowest form; values by mpmath."""

from __future__ import annotations

import copy
import pickle
from functools import reduce
from math import gcd
from operator import add
from typing import Any

import mpmath
import pytest
import sympy
from flint import fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import UndecidedError
from symattn.numbers.certified import Precision, enclosure
from symattn.numbers.expsum import (
    CONSTANT,
    ONE,
    ZERO,
    Divisor,
    ExpQuotient,
    ExpSum,
    Key,
    Scale,
    Scaled,
    content,
    exponential,
    ordered,
    proportion,
    quotient,
    square_part,
)
from symattn.numbers.symbolic import to_sympy

FREE = Scale()
D_KS = [fmpq(1), fmpq(2), fmpq(3), fmpq(4), fmpq(12), fmpq(9, 4), fmpq(64)]

whole = st.integers(-3, 3).map(fmpq)
small = st.fractions(min_value=-3, max_value=3, max_denominator=4).map(lambda f: fmpq(f.numerator, f.denominator))


def sums(scale: Scale, size: int = 4, entries: Any = small) -> Any:
    pair = st.tuples(st.tuples(whole, whole), entries)
    return st.lists(pair, max_size=size).map(
        lambda pairs: ExpSum.collect(((scale.key(*key), c) for key, c in pairs), scale)
    )


scales = st.sampled_from([FREE, *map(Scale, D_KS)])
three = scales.flatmap(lambda scale: st.tuples(sums(scale), sums(scale), sums(scale)))
free_sums = sums(FREE)
nonzero = free_sums.filter(lambda total: total.terms)


def terms(*items: tuple[Any, Any, Any]) -> dict[Any, Any]:
    return {Key(fmpq(a), fmpq(b)): fmpq(c) for a, b, c in items}


def mp(number: Any) -> Any:
    return mpmath.mpf(int(number.p)) / int(number.q)


def value_at(total: ExpSum, d_k: Any) -> Any:
    """A sum by its definition, in mpmath."""
    return mpmath.fsum(mp(c) * mpmath.exp(mp(a) / mpmath.sqrt(mp(d_k)) + mp(b)) for (a, b), c in total.terms.items())


# ---- ring laws ---------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(three)
def test_ring_laws(given_sums: tuple[ExpSum, ExpSum, ExpSum]) -> None:
    x, y, z = given_sums
    assert x + y == y + x
    assert x * y == y * x
    assert (x + y) + z == x + (y + z)
    assert (x * y) * z == x * (y * z)
    assert x * (y + z) == x * y + x * z
    assert x - x == ExpSum({}, x.scale)
    assert x + x == 2 * x
    assert 0 * x == ExpSum({}, x.scale)
    assert fmpq(1, 3) * (3 * x) == x
    assert hash(x + y) == hash(y + x)
    assert all(c != 0 for c in (x * y).terms.values())


@settings(deadline=None, max_examples=60)
@given(three)
def test_operations_agree_with_mpmath(given_sums: tuple[ExpSum, ExpSum, ExpSum]) -> None:
    x, y, _ = given_sums
    d_k = x.scale.d_k or fmpq(5, 7)
    with mpmath.workdps(60):
        left, right = value_at(x, d_k), value_at(y, d_k)
        for made, expected in ((x + y, left + right), (x - y, left - right), (x * y, left * right)):
            assert abs(value_at(made, d_k) - expected) < mpmath.mpf(10) ** -50


def test_sums_over_two_d_k_are_not_added() -> None:
    for operation in (ExpSum.__add__, ExpSum.__sub__, ExpSum.__mul__):
        with pytest.raises(ValueError, match="exponential sums over two different d_k"):
            operation(exponential(ONE, scale=FREE), exponential(ONE, scale=Scale(fmpq(3))))


# ---- equality is decided -----------------------------------------------------------------------------------------

DIFFERENT = [
    exponential(ZERO, scale=FREE),
    exponential(ONE, scale=FREE),
    exponential(ONE, scale=Scale(None, "n")),
    exponential(ONE, scale=Scale(fmpq(3))),
    exponential(fmpq(-1), scale=Scale(fmpq(3))),
    exponential(ONE, scale=Scale(fmpq(2))),
    exponential(ONE),
    exponential(fmpq(1, 2)),
    2 * exponential(ONE),
    exponential(ONE) + exponential(ZERO),
    ExpSum({}, FREE),
]
SAME: dict[str, tuple[Any, Any]] = {
    "e over d_k = 1 and 4": (exponential(ONE), exponential(fmpq(2), scale=Scale(fmpq(4)))),
    "e**(1/√3) over d_k = 3 and 12": (exponential(ONE, scale=Scale(fmpq(3))), exponential(fmpq(2), scale=Scale(fmpq(12)))),
    "e**(-1/√3) over d_k = 3 and 12": (exponential(fmpq(-1), scale=Scale(fmpq(3))), exponential(fmpq(-2), scale=Scale(fmpq(12)))),
    "e over d_k = 3 and free": (exponential(ZERO, ONE, Scale(fmpq(3))), exponential(ZERO, ONE, FREE)),
    "one": (exponential(ZERO), exponential(ZERO, scale=FREE)),
    "zero": (ExpSum({}, FREE), ExpSum({}, Scale(fmpq(3)))),
    "large prime squares": (
        exponential(ONE, scale=Scale(fmpq(3))), exponential(fmpq(1_000_003), scale=Scale(fmpq(3 * 1_000_003**2))),
    ),
}  # fmt: skip


def test_different_sums_are_different() -> None:
    for i, x in enumerate(DIFFERENT):
        for j, y in enumerate(DIFFERENT):
            assert (x == y) == (i == j)
    assert DIFFERENT[0] != 1
    assert len(set(DIFFERENT)) == len(DIFFERENT)


@pytest.mark.parametrize(("x", "y"), SAME.values(), ids=SAME)
def test_the_same_number_over_two_d_k(x: ExpSum, y: ExpSum) -> None:
    assert x == y
    assert hash(x) == hash(y)
    assert {x, y} == {x}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(D_KS), st.sampled_from(D_KS), st.data())
def test_equality_over_two_d_k_agrees_with_sympy(first: Any, second: Any, data: st.DataObject) -> None:
    x, y = data.draw(sums(Scale(first), 2, whole)), data.draw(sums(Scale(second), 2, whole))
    equal = sympy.expand(x.to_sympy() - y.to_sympy()) == 0
    assert (x == y) == equal
    assert not equal or hash(x) == hash(y)


QUOTIENTS_OVER_TWO: dict[str, tuple[Any, Any, bool]] = {
    "logistic of 1, d_k = 1 and 4": ((fmpq(1), 1), (fmpq(4), 2), True),
    "logistic of 1/√3, d_k = 3 and 12": ((fmpq(3), 1), (fmpq(12), 2), True),
    "d_k = 3 and 12, another score": ((fmpq(3), 1), (fmpq(12), 1), False),
    "d_k = 2 and 3": ((fmpq(2), 1), (fmpq(3), 1), False),
    "d_k = 9/4 and 1": ((fmpq(9, 4), 3), (fmpq(1), 2), True),
    "free and 3": ((None, 1), (fmpq(3), 1), False),
}


@pytest.mark.parametrize(("first", "second", "equal"), QUOTIENTS_OVER_TWO.values(), ids=QUOTIENTS_OVER_TWO)
def test_quotients_over_two_d_k(first: Any, second: Any, equal: bool) -> None:
    def logistic(d_k: Any, score: int) -> Any:
        e, one = exponential(fmpq(score), scale=Scale(d_k)), exponential(ZERO, scale=Scale(d_k))
        return quotient(e, one + e)

    x, y = logistic(*first), logistic(*second)
    assert (x == y) is equal
    assert (y == x) is equal
    assert not equal or hash(x) == hash(y)


def test_a_common_factor_does_not_hide_equality() -> None:
    """(1 + e**√2)·e / ((1 + e**√2)(1 + e)), the same with √3, and e/(1 + e) plainly."""

    def hidden(d_k: int) -> Any:
        scale = Scale(fmpq(d_k))
        root, one = exponential(fmpq(d_k), scale=scale), exponential(ZERO, scale=scale)
        e = exponential(ZERO, ONE, scale)
        return quotient((one + root) * e, (one + root) * (one + e))

    plain = quotient(exponential(ONE), exponential(ZERO) + exponential(ONE))
    assert hidden(2) == hidden(3) == plain == hidden(2)
    assert hash(hidden(2)) == hash(hidden(3)) == hash(plain)
    assert hidden(2) != quotient(exponential(ZERO), exponential(ZERO) + exponential(ONE))


@settings(deadline=None)
@given(nonzero, nonzero, nonzero)
def test_a_quotient_equals_itself_extended(x: ExpSum, y: ExpSum, factor: ExpSum) -> None:
    plain, extended = quotient(x, y), quotient(x * factor, y * factor)
    assert plain == extended
    assert hash(plain) == hash(extended) or isinstance(plain, fmpq)


@settings(deadline=None)
@given(free_sums, nonzero, free_sums, nonzero)
def test_quotients_are_equal_when_their_cross_products_are(a: ExpSum, b: ExpSum, c: ExpSum, d: ExpSum) -> None:
    assert (quotient(a, b) == quotient(c, d)) == (a * d == c * b)


@pytest.mark.parametrize("other", [1, fmpq(1, 2), fmpz(1)])
def test_a_quotient_is_no_rational(other: Any) -> None:
    made = quotient(exponential(ONE), exponential(ZERO) + exponential(ONE))
    assert made != other
    assert other != made
    assert made.rational is None
    assert made != "e"


@settings(deadline=None)
@given(free_sums, nonzero)
def test_a_quotient_is_rational_exactly_when_its_sums_are_proportional(x: ExpSum, y: ExpSum) -> None:
    made = quotient(x, y)
    proportional = x.terms.keys() == y.terms.keys() and proportion(x.terms, y.terms) is not None
    assert isinstance(made, fmpq) == (proportional or not x.terms)
    if isinstance(made, fmpq):
        assert x == made * y


@settings(deadline=None)
@given(nonzero, small)
def test_rationals_come_back_as_rationals(x: ExpSum, ratio: Any) -> None:
    made = quotient(ratio * x, x)
    assert isinstance(made, fmpq)
    assert made == ratio


# ---- filling in d_k ----------------------------------------------------------------------------------------------

MERGED: dict[str, tuple[Any, dict[Any, Any], dict[Any, Any]]] = {
    "d_k = 4": (fmpq(4), terms((2, 0, 3), (0, 1, 4)), terms((0, 1, 7))),
    "d_k = 4, cancelling": (fmpq(4), terms((2, 0, 3), (0, 1, -3)), {}),
    "d_k = 9/4": (fmpq(9, 4), terms((3, 0, 1), (0, 2, 1)), terms((0, 2, 2))),
    "d_k = 9/4, not the same": (fmpq(9, 4), terms((2, 0, 1), (0, 2, 1)), terms((0, "4/3", 1), (0, 2, 1))),
    "d_k = 12 merges nothing": (fmpq(12), terms((2, 0, 1), (0, 1, 1)), terms((2, 0, 1), (0, 1, 1))),
    "d_k = 1": (fmpq(1), terms((1, 1, 1), (2, 0, 1), (0, 2, 1)), terms((0, 2, 3))),
}


@pytest.mark.parametrize(("d_k", "before", "after"), MERGED.values(), ids=MERGED)
def test_filling_in_merges(d_k: Any, before: dict[Any, Any], after: dict[Any, Any]) -> None:
    assert ExpSum(before, FREE).fill(Scale(d_k)).terms == after


@settings(deadline=None)
@given(free_sums, nonzero, st.sampled_from(D_KS))
def test_filling_the_quotient_in_is_the_quotient_at_that_d_k(x: ExpSum, y: ExpSum, d_k: Any) -> None:
    scale = Scale(d_k)
    if y.fill(scale).terms:
        made = quotient(x, y)
        filled = made if isinstance(made, fmpq) else made.fill(scale)
        assert filled == quotient(x.fill(scale), y.fill(scale))


@settings(deadline=None)
@given(free_sums, free_sums, st.sampled_from(D_KS))
def test_filling_in_is_a_homomorphism(x: ExpSum, y: ExpSum, d_k: Any) -> None:
    scale = Scale(d_k)
    assert (x + y).fill(scale) == x.fill(scale) + y.fill(scale)
    assert (x * y).fill(scale) == x.fill(scale) * y.fill(scale)


@settings(deadline=None)
@given(whole, whole, st.sampled_from(D_KS))
def test_scaled_scores(a: Any, b: Any, d_k: Any) -> None:
    scale = Scale(d_k)
    score = Scaled.of(a, b, FREE).fill(scale)
    assert score == Scaled.of(a, b, scale)
    expected = sympy.Rational(int(a.p), int(a.q)) / sympy.sqrt(sympy.Rational(int(d_k.p), int(d_k.q))) + int(b.p)
    assert sympy.simplify(score.to_sympy() - expected) == 0
    assert (score.rational is None) == (not expected.is_rational)
    with mpmath.workdps(40):
        value = mp(a) / mpmath.sqrt(mp(d_k)) + mp(b)
        assert abs(mpmath.mpf(enclosure(score).mid().str(38, radius=False)) - value) < mpmath.mpf(10) ** -35


SCALES: dict[str, tuple[Any, Any, int]] = {
    "1": (fmpq(1), fmpq(1), 1),
    "3": (fmpq(3), fmpq(1), 3),
    "4": (fmpq(4), fmpq(1, 2), 1),
    "12": (fmpq(12), fmpq(1, 2), 3),
    "64": (fmpq(64), fmpq(1, 8), 1),
    "9/4": (fmpq(9, 4), fmpq(2, 3), 1),
    "2/3": (fmpq(2, 3), fmpq(3), 6),
    "1/2": (fmpq(1, 2), fmpq(2), 2),
    "a prime beyond trial division, squared": (fmpq(1_000_003**2), fmpq(1, 1_000_003), 1),
}


@pytest.mark.parametrize(("d_k", "factor", "radicand"), SCALES.values(), ids=SCALES)
def test_scales(d_k: Any, factor: Any, radicand: int) -> None:
    scale = Scale(d_k)
    assert (scale.factor, scale.radicand) == (factor, radicand)
    assert scale.factor**2 / scale.radicand == 1 / d_k
    assert (FREE.factor, FREE.radicand) == (1, 0)


@settings(deadline=None)
@given(st.integers(1, 10**6))
def test_square_parts(number: int) -> None:
    square, rest = square_part(number)
    assert square**2 * rest == number
    assert sympy.factorint(rest) == dict.fromkeys(sympy.primefactors(rest), 1)


@settings(deadline=None)
@given(st.sampled_from(D_KS), st.sampled_from(D_KS))
def test_ratios_of_roots(first: Any, second: Any) -> None:
    ratio = Scale(first).ratio(Scale(second))
    root = sympy.sqrt(sympy.Rational(int(first.p), int(first.q)) / sympy.Rational(int(second.p), int(second.q)))
    assert (ratio is None) == (not root.is_Rational)
    if ratio is not None:
        assert sympy.Rational(int(ratio.p), int(ratio.q)) == root
    assert Scale(first).ratio(FREE) is None


# ---- lowest form -------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(free_sums, nonzero)
def test_lowest_form(x: ExpSum, y: ExpSum) -> None:
    made = quotient(x, y)
    if isinstance(made, ExpQuotient):
        assert min(made.den.terms) == CONSTANT
        num, den = ([int(c.p) for c in part.terms.values()] for part in (made.num, made.den))
        assert all(c.q == 1 for part in (made.num, made.den) for c in part.terms.values())
        assert gcd(*den) == 1
        assert gcd(int(made.factor), *num) == 1
        assert made.factor > 0
        assert made.num * y == fmpq(made.factor) * (x * made.den)


@settings(deadline=None)
@given(st.lists(small.filter(lambda c: c != 0), min_size=1, max_size=5))
def test_content(coefficients: list[Any]) -> None:
    found = content(coefficients)
    assert found > 0
    scaled = [c / found for c in coefficients]
    assert all(c.q == 1 for c in scaled)
    assert gcd(*(int(c.p) for c in scaled)) == 1


def test_a_row_sum_of_zero_is_refused() -> None:
    with pytest.raises(ZeroDivisionError, match="the row sum is 0"):
        Divisor(ExpSum({}, FREE))
    with pytest.raises(ZeroDivisionError, match="the row sum is 0"):
        quotient(exponential(ONE), ExpSum({}, Scale(ONE)))


@settings(deadline=None)
@given(st.lists(nonzero, min_size=2, max_size=4))
def test_a_divisor_divides_as_quotients_do(row: list[ExpSum]) -> None:
    total = reduce(add, row)
    if total.terms:
        divisor = Divisor(total)
        for part in row:
            assert divisor.divide(part) == divisor.divide(part.terms) == quotient(part, total)


def test_terms_are_written_by_growing_exponent() -> None:
    total = ExpSum(terms((3, 0, 1), (0, 0, 5), (1, 2, 1), (1, -1, 1)), FREE)
    assert [key for key, _ in ordered(total.terms)] == [(0, 0), (1, -1), (1, 2), (3, 0)]


# ---- values ------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(D_KS), st.data())
def test_values_at_sixty_digits(d_k: Any, data: st.DataObject) -> None:
    scale = Scale(d_k)
    x, y = data.draw(sums(scale)), data.draw(sums(scale))
    with mpmath.workdps(80):
        made = [(x, value_at(x, d_k))]
        if y.terms and abs(value_at(y, d_k)) > mpmath.mpf(10) ** -6:
            made.append((quotient(x, y), value_at(x, d_k) / value_at(y, d_k)))
        for number, value in made:
            texts = [str(sympy.N(to_sympy(number), 70)), enclosure(number, 240).mid().str(75, radius=False)]
            for text in texts:
                assert abs(mpmath.mpf(text) - value) <= mpmath.mpf(10) ** -60 * max(1, abs(value))


def test_texts_and_copies() -> None:
    total = exponential(ONE, scale=FREE)
    assert repr(total) == "ExpSum({(1, 0): 1}, d_k=free)"
    assert repr(exponential(ONE, scale=Scale(fmpq(3)))) == "ExpSum({(1, 0): 1}, d_k=3)"
    key = Key(fmpq(1, 2), fmpq(3))
    assert copy.deepcopy(key.__getnewargs__()) == (fmpq(1, 2), fmpq(3))
    assert hash(key) == hash((fmpq(1, 2), fmpq(3)))
    assert pickle.loads(pickle.dumps(key)) == key


def test_free_d_k_has_no_ball_and_no_decimals() -> None:
    with pytest.raises(UndecidedError, match=r"n is free\. Give n a number to get decimals\."):
        exponential(ONE, scale=Scale(None, "n")).enclose(Precision(64))
    assert exponential(ZERO, ONE, FREE).enclose(Precision(64)).contains(exponential(ONE).enclose(Precision(64)))
