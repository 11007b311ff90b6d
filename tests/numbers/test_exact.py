"""The exact arithmetic's operations by themselves, against fractions and mpmath."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
import sympy
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import UndecidedError
from symattn.numbers.arithmetic import Letter, added, dot, transpose
from symattn.numbers.certified import Decimals, enclosure
from symattn.numbers.exact import Exact, Exponentials, SquareRoot, rational_matrix
from symattn.numbers.expsum import ONE, ZERO, ExpQuotient, ExpSum, Scale, exponential, quotient
from symattn.numbers.symbolic import Symbolic

fractions = st.fractions(min_value=-5, max_value=5, max_denominator=9)


def q(number: Fraction | int) -> Any:
    return fmpq(Fraction(number).numerator, Fraction(number).denominator)


def matrices(n: int, m: int) -> st.SearchStrategy[list[list[Fraction]]]:
    return st.lists(st.lists(fractions, min_size=m, max_size=m), min_size=n, max_size=n)


STARTED: dict[str, tuple[Exact, Any, bool, Any]] = {
    "rational": (Exact(), fmpq(3), True, Exponentials(Scale(fmpq(3)))),
    "a letter": (Exact(), Letter("n"), True, Exponentials(Scale(None, "n"))),
    "freed": (Exact(free_d_k=True), fmpq(3), True, Exponentials(Scale())),
    "freed, with its own letter": (Exact(free_d_k=True), Letter("n"), True, Exponentials(Scale(None, "n"))),
    "letters in the input": (Exact(), fmpq(3), False, Symbolic(fmpq(3))),
    "d_k irrational": (Exact(), sympy.sqrt(2), True, Symbolic(sympy.sqrt(2))),
    "d_k irrational, freed": (Exact(free_d_k=True), sympy.sqrt(2), True, Exponentials(Scale())),
    "letters, freed": (Exact(free_d_k=True), fmpq(3), False, Symbolic(Letter())),
}


@pytest.mark.parametrize(("choice", "d_k", "rational", "operations"), STARTED.values(), ids=STARTED)
def test_which_operations_start(choice: Exact, d_k: Any, rational: bool, operations: Any) -> None:
    assert choice.start(d_k=d_k, rational=rational) == operations


ROOTS: dict[str, tuple[Any, Any]] = {
    "1": (fmpq(1), fmpq(1)),
    "4": (fmpq(4), fmpq(2)),
    "9/4": (fmpq(9, 4), fmpq(3, 2)),
    "64": (fmpq(64), fmpq(8)),
    "1/4": (fmpq(1, 4), fmpq(1, 2)),
    "2": (fmpq(2), None),
    "12": (fmpq(12), None),
    "1/3": (fmpq(1, 3), None),
}


@pytest.mark.parametrize(("d_k", "rational"), ROOTS.values(), ids=ROOTS)
def test_roots(d_k: Any, rational: Any) -> None:
    root = SquareRoot(Scale(d_k))
    assert root.rational == rational
    assert root.to_sympy() == sympy.sqrt(sympy.Rational(int(d_k.p), int(d_k.q)))
    assert Decimals().round(root, 30).text == mpmath_text(mpmath.sqrt, d_k)
    assert enclosure(root, 200).overlaps(enclosure(sympy.sqrt(sympy.Rational(int(d_k.p), int(d_k.q))), 200))


def mpmath_text(function: Any, number: Any) -> str:
    with mpmath.workdps(60):
        units = int(mpmath.nint(function(mpmath.mpf(int(number.p)) / int(number.q)) * mpmath.mpf(10) ** 30))
    digits = str(units).rjust(31, "0")
    return f"{digits[:-30]}.{digits[-30:]}"


def test_the_root_of_a_letter() -> None:
    root = SquareRoot(Scale(None, "n"))
    assert root.rational is None
    assert root.to_sympy() == sympy.sqrt(sympy.Symbol("n", positive=True))
    with pytest.raises(UndecidedError, match="n is free"):
        Decimals().round(root, 2)


@settings(deadline=None)
@given(matrices(2, 3), matrices(3, 2))
def test_products(left: list[list[Fraction]], right: list[list[Fraction]]) -> None:
    ops = Exponentials(Scale(ONE))
    made = ops.multiply([[q(x) for x in row] for row in left], [[q(x) for x in row] for row in right])
    assert made == tuple(
        tuple(q(sum(a * b for a, b in zip(row, column, strict=True))) for column in zip(*right, strict=True))
        for row in left
    )


@settings(deadline=None)
@given(st.lists(fractions, min_size=1, max_size=5), st.sampled_from([None, fmpq(1), fmpq(3), fmpq(4)]), st.data())
def test_a_row_of_attention(scores: list[Fraction], d_k: Any, data: st.DataObject) -> None:
    """Weights and outputs by the operations of a row are the quotients that they stand for."""
    ops = Exponentials(Scale(d_k))
    V = data.draw(matrices(len(scores), 2))
    scaled = [ops.scale(q(score), ops.root()) for score in scores]
    exponentials = ops.exponentials(scaled)
    total = ops.total(exponentials)
    weights = ops.shares(exponentials, total)
    assert list(exponentials) == [exponential(q(score), scale=Scale(d_k)) for score in scores]
    assert total == added(exponentials)
    assert list(weights) == [quotient(e, total) for e in exponentials]
    output = ops.combine(weights, [[q(x) for x in row] for row in V])
    for made, column in zip(output, zip(*V, strict=True), strict=True):
        weighted = [q(v) * e for e, v in zip(exponentials, column, strict=True)]
        assert made == quotient(added(weighted), total)


COMBINED: dict[str, tuple[list[int], list[int], Any]] = {
    "equal scores": ([2, 2], [10, 2], fmpq(6)),
    "equal values": ([3, 0], [5, 5], fmpq(5)),
    "values that cancel": ([1, 1, 0], [1, -1, 0], fmpq(0)),
    "all values zero": ([3, 0], [0, 0], fmpq(0)),
    "one token": ([7], [3], fmpq(3)),
}


@pytest.mark.parametrize(("scores", "values", "output"), COMBINED.values(), ids=COMBINED)
@pytest.mark.parametrize("d_k", [None, fmpq(3), fmpq(4)], ids=["free", "3", "4"])
def test_rational_outputs_come_back_as_rationals(scores: list[int], values: list[int], output: Any, d_k: Any) -> None:
    ops = Exponentials(Scale(d_k))
    exponentials = ops.exponentials([ops.scale(fmpq(score), ops.root()) for score in scores])
    (made,) = ops.combine(ops.shares(exponentials, ops.total(exponentials)), [[fmpq(v)] for v in values])
    assert isinstance(made, fmpq)
    assert made == output


def test_equal_scores_share_a_term() -> None:
    ops = Exponentials(Scale())
    exponentials = ops.exponentials([ops.scale(fmpq(s), ops.root()) for s in (1, 1, 0)])
    first, second, third = ops.shares(exponentials, ops.total(exponentials))
    assert first == second != third
    assert isinstance(first, ExpQuotient)
    assert sorted(int(c.p) for c in first.den.terms.values()) == [1, 2]


def test_everything_is_kept_as_it_is() -> None:
    ops = Exponentials(Scale())
    assert ops.number(fmpq(1, 3)) == fmpq(1, 3)
    number = ExpSum({}, Scale())
    assert ops.settle("weights", number) is number
    assert rational_matrix([[fmpq(1), fmpq(2)]]).table() == [[1, 2]]


def test_small_helpers() -> None:
    assert transpose([[1, 2, 3]]) == ((1,), (2,), (3,))
    assert dot([ONE], [fmpq(2, 3)]) == fmpq(2, 3)
    assert added([ZERO]) == 0
    assert Letter("n").to_sympy().is_positive
    with pytest.raises(ValueError, match="zip"):
        dot([1, 2], [1])
