"""Closed forms: ring laws, decided equality, and balls that agree with floating point far below it."""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.documents.reading import closed
from symattn.documents.reading.closed import Closed, Exact
from symattn.errors import UndecidedError
from symattn.numbers.certified import enclosure

rationals = st.tuples(st.integers(-12, 12), st.integers(1, 6)).map(lambda pair: fmpq(*pair))


def known(value: Exact | None) -> Exact:
    assert value is not None
    return value


surds = st.integers(0, 30).map(lambda n: known(closed.root(fmpq(n, 3))))
powers = rationals.map(lambda x: known(closed.exponential(x)))
numbers = st.one_of(rationals, surds, powers, st.tuples(surds, powers).map(lambda pair: closed.multiply(*pair)))


@given(numbers, numbers, numbers)
def test_the_laws_of_arithmetic_hold_exactly(a: Exact, b: Exact, c: Exact) -> None:
    assert closed.add(a, b) == closed.add(b, a)
    assert closed.multiply(a, closed.add(b, c)) == closed.add(closed.multiply(a, b), closed.multiply(a, c))
    assert closed.add(a, closed.multiply(fmpq(-1), a)) == 0


@given(numbers, numbers)
def test_a_quotient_times_its_divisor_is_the_dividend(a: Exact, b: Exact) -> None:
    if b == 0:
        with pytest.raises(UndecidedError, match="division by zero"):
            closed.divide(a, b)
    else:
        assert closed.multiply(closed.divide(a, b), b) == a
        assert closed.divide(b, b) == 1


@given(numbers, numbers)
def test_equality_agrees_with_balls(a: Exact, b: Exact) -> None:
    apart = not enclosure(a, 256).overlaps(enclosure(b, 256))
    assert (a == b) is not apart


@given(numbers, numbers)
def test_sums_and_products_lie_in_the_balls_of_their_parts(a: Exact, b: Exact) -> None:
    x, y = enclosure(a, 128), enclosure(b, 128)
    assert enclosure(closed.add(a, b), 128).overlaps(x + y)
    assert enclosure(closed.multiply(a, b), 128).overlaps(x * y)


def test_only_irrational_numbers_are_closed_forms() -> None:
    root = closed.root(fmpq(2))
    assert isinstance(root, Closed)
    assert root.rational is None
    assert root != 1
    assert (root == "√2") is False
    assert hash(root) == hash(closed.root(fmpq(3)))


def test_what_cannot_be_taken_apart_is_left_to_balls() -> None:
    assert closed.root(fmpq(2 * 1_000_003**2)) is None
    assert closed.root(fmpq(2**300 + 1)) is None
    assert closed.exponential(known(closed.exponential(fmpq(1)))) is None


def test_growth_is_bounded() -> None:
    total: Exact = fmpq(0)
    for n in range(1, 60):
        total = closed.add(total, known(closed.exponential(fmpq(1, n))))
    with pytest.raises(UndecidedError, match="more than 2000 terms"):
        closed.multiply(total, total)
    with pytest.raises(UndecidedError, match="more than 4096 bits"):
        closed.multiply(fmpq(2**4000), fmpq(2**4000))
    with pytest.raises(UndecidedError, match="negative"):
        closed.root(fmpq(-1))
