"""Positive roots of whole polynomials: as many as SymPy counts, in disjoint brackets, in balls that hold them."""

from __future__ import annotations

import itertools

import pytest
import sympy
from flint import ctx, fmpq, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.comparison import real_roots
from symattn.comparison.real_roots import enclosed, positive_roots, samples, shifted
from symattn.errors import UndecidedError


def polynomial(*factors: list[int]) -> fmpz_poly:
    out = fmpz_poly([1])
    for factor in factors:
        out *= fmpz_poly(factor)
    return out


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-30, 30), min_size=2, max_size=9))
def test_roots_against_sympy(coefficients: list[int]) -> None:
    x = sympy.Symbol("x")
    square_free = sympy.Poly(coefficients[::-1], x)
    if square_free.is_zero or coefficients[0] == 0 or not square_free.is_sqf:
        return
    P = fmpz_poly(coefficients)
    expected = sorted((root for root in square_free.real_roots() if root > 0), reverse=True)
    brackets = positive_roots(P)
    assert len(brackets) == len(expected)
    for (low, high), root in zip(brackets, expected, strict=True):
        low_end, high_end = (sympy.Rational(int(end.p), int(end.q)) for end in (low, high))
        assert (low == high and low_end == root) or low_end < root < high_end
        ball = enclosed(P, (low, high), 100)
        with ctx.workprec(300):
            assert P(ball).contains(0)
            assert ball.rel_accuracy_bits() >= 100
            assert abs(ball - float(root)) < 1e-6 * (1 + ball)
    between = samples(brackets)
    for sample, (above, below) in zip(between, itertools.pairwise(expected), strict=True):
        assert below < sympy.Rational(int(sample.p), int(sample.q)) < above


def test_roots_that_halving_hits() -> None:
    # 1, 2 and 3 are met by the halves of (0, 2^k); √2 and √3 lie between them
    P = polynomial([-1, 1], [-2, 1], [-3, 1], [-2, 0, 1], [-3, 0, 1])
    brackets = positive_roots(P)
    assert len(brackets) == 5
    for (low, high), root in zip(brackets, (3.0, 2.0, 3**0.5, 2**0.5, 1.0), strict=True):
        assert float(low.p) / float(low.q) <= root <= float(high.p) / float(high.q)
        assert low == high or P(low) * P(high) < 0
    for above, below in itertools.pairwise(brackets):
        assert below[1] <= above[0]


@pytest.mark.parametrize("digits", [20, 60, 300])
def test_roots_near_0_and_near_each_other(digits: int) -> None:
    q = 10**digits
    P = polynomial([-1, q], [-2, q], [-3 * q - 1, q], [-3 * q - 2, q])
    balls = [enclosed(P, bracket, 80) for bracket in positive_roots(P)]
    expected = [3 + fmpq(2, q), 3 + fmpq(1, q), fmpq(2, q), fmpq(1, q)]
    with ctx.workprec(digits * 4 + 200):
        assert all((ball - root).contains(0) for ball, root in zip(balls, expected, strict=True))
        assert all(ball.rel_accuracy_bits() >= 80 for ball in balls)
        fine = [enclosed(P, bracket, digits * 4 + 100) for bracket in positive_roots(P)]
        assert all(a > b for a, b in itertools.pairwise(fine))


def test_no_root_is_told_where_there_is_none() -> None:
    assert positive_roots(fmpz_poly([1])) == ()
    assert positive_roots(fmpz_poly([1, 2, 3])) == ()
    assert positive_roots(fmpz_poly([3, -2, 1])) == ()  # two changes of sign, and no real root
    assert samples(()) == ()
    assert shifted(fmpz_poly([-1, 0, 1])) == fmpz_poly([0, 2, 1])


def test_a_bound_on_the_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_roots, "MAX_GUARD", 0)
    with pytest.raises(UndecidedError, match="a root could not be enclosed with 0 bits more than it is asked for"):
        enclosed(fmpz_poly([-2, 0, 1]), (fmpq(1), fmpq(2)), 64)
