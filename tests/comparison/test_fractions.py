"""Convergents of √d_k against mpmath, and which of them keep a written result, by looking at forty of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import mpmath
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.comparison.fractions import MAX_COUNT, convergents, quotients, safe_convergents
from symattn.comparison.safe_roots import Interval, Itself, RootSet, Weighted, all_roots, safe_roots
from symattn.errors import OptionError
from symattn.numbers.rounding import Digits, Mode


@pytest.mark.parametrize(
    ("d_k", "expected"),
    [
        (fmpq(3), [1, 1, 2, 1, 2, 1, 2, 1]),
        (fmpq(2), [1, 2, 2, 2, 2, 2, 2, 2]),
        (fmpq(7), [2, 1, 1, 1, 4, 1, 1, 1]),
        (fmpq(1, 2), [0, 1, 2, 2, 2, 2, 2, 2]),
        (fmpq(64), [8]),
        (fmpq(9, 4), [1, 2]),
        (fmpq(4, 9), [0, 1, 2]),
    ],
)
def test_partial_quotients(d_k: fmpq, expected: list[int]) -> None:
    assert list(islice(quotients(d_k), 8)) == expected


def test_convergents_of_the_root_of_3() -> None:
    expected = ["1", "2", "5/3", "7/4", "19/11", "26/15", "71/41", "97/56", "265/153"]
    assert [str(value) for value in convergents(fmpq(3), 9)] == expected
    assert convergents(fmpq(9, 4), 9) == (fmpq(1), fmpq(3, 2))
    assert convergents(fmpq(3), 0) == ()


@settings(max_examples=80, deadline=None)
@given(st.fractions(min_value=Fraction(1, 50), max_value=300, max_denominator=50))
def test_convergents_by_mpmath(d_k: Fraction) -> None:
    found = convergents(fmpq(d_k.numerator, d_k.denominator), 12)
    with mpmath.workdps(300):
        root = mpmath.sqrt(mpmath.mpf(d_k.numerator) / d_k.denominator)
        rest, before, now = root, (0, 1), (1, 0)
        for n, value in enumerate(found):
            whole = int(mpmath.floor(rest + mpmath.mpf(10) ** -200))  # a rational root may fall just short
            before, now = now, (whole * now[0] + before[0], whole * now[1] + before[1])
            assert value == fmpq(*now)
            error = mpmath.mpf(int(value.p)) / int(value.q) - root
            assert abs(error) <= mpmath.mpf(1) / int(value.q) ** 2
            if abs(error) < mpmath.mpf(10) ** -200:
                assert n == len(found) - 1
                break
            assert (error < 0) == (n % 2 == 0)
            rest = 1 / (rest - whole)


def output() -> Weighted:
    return Weighted((fmpq(3), fmpq(0)), (fmpq(2), fmpq(5)))


def test_safe_convergents_of_the_bundled_example() -> None:
    # the output keeps 2.45 for 1.7165… ≤ r < 1.7425…: 7/4 is outside, 19/11 inside, as all after it
    found = safe_convergents(safe_roots(output(), Digits(245, 2), Mode.HALF_UP), fmpq(3))
    assert [convergent.inside for convergent in found.convergents] == [False] * 4 + [True] * 8
    assert [convergent.number for convergent in found.convergents] == list(range(12))
    assert found.settled == 4
    # the weight keeps 0.85 for 1.690… < r ≤ 1.768…: 7/4 is inside too
    weight = Weighted((fmpq(3), fmpq(0)), (fmpq(1), fmpq(0)))
    assert safe_convergents(safe_roots(weight, Digits(85, 2), Mode.HALF_UP), fmpq(3)).settled == 3


def test_convergents_that_are_never_safe() -> None:
    found = safe_convergents(safe_roots(output(), Digits(246, 2), Mode.HALF_UP), fmpq(3))
    assert found.settled is None
    # 7/4 keeps 2.46 all the same: √3 is not in the set, a convergent is
    assert [n for n, convergent in enumerate(found.convergents) if convergent.inside] == [3]


@settings(max_examples=80, deadline=None)
@given(
    st.fractions(min_value=Fraction(1, 9), max_value=20, max_denominator=9),
    st.integers(0, 5),
    st.sampled_from(list(Mode)),
)
def test_settled_against_forty_convergents(d_k: Fraction, places: int, mode: Mode) -> None:
    with mpmath.workdps(50):
        units = int(mpmath.nint(mpmath.sqrt(mpmath.mpf(d_k.numerator) / d_k.denominator) * 10**places))
    roots, root = safe_roots(Itself(), Digits(units, places), mode), fmpq(d_k.numerator, d_k.denominator)
    found = safe_convergents(roots, root, 40)
    inside = [convergent.inside for convergent in found.convergents]
    assert inside == [value > 0 and roots.contains(value) for value in convergents(root, 40)]
    last = max((n for n, kept in enumerate(inside) if not kept), default=-1)
    assert found.settled == (last + 1 if inside[-1] else None)


def test_a_convergent_in_another_interval_counts() -> None:
    # 1 and 2 lie in an interval each, 5/3 and all after it around √3
    parts = [(fmpq(9, 10), fmpq(11, 10)), (fmpq(8, 5), fmpq(9, 5)), (fmpq(19, 10), fmpq(21, 10))]
    roots = RootSet(tuple(Interval(low, high, low_closed=True, high_closed=True) for low, high in parts))
    assert safe_convergents(roots, fmpq(3)).settled == 0
    assert safe_convergents(RootSet(roots.sets[:2]), fmpq(3)).settled == 2


def test_a_rational_root_is_its_last_convergent() -> None:
    point = RootSet((Interval(fmpq(3, 2), fmpq(3, 2), low_closed=True, high_closed=True),))
    found = safe_convergents(point, fmpq(9, 4))
    assert ([convergent.inside for convergent in found.convergents], found.settled) == ([False, True], 1)
    above = RootSet((Interval(fmpq(3, 2), None, low_closed=False, high_closed=False),))
    assert safe_convergents(above, fmpq(9, 4)).settled is None


def test_0_is_no_root() -> None:
    found = safe_convergents(all_roots(), fmpq(1, 2), 3)
    assert [convergent.value for convergent in found.convergents] == [0, 1, fmpq(2, 3)]
    assert [convergent.inside for convergent in found.convergents] == [False, True, True]
    assert found.settled == 1


@pytest.mark.parametrize(
    ("d_k", "count", "message"),
    [
        (fmpq(0), 3, "d_k = 0; expected a positive number"),
        (fmpq(-3), 3, "d_k = -3; expected a positive number"),
        (fmpq(3), -1, f"-1 convergents; expected 0 to {MAX_COUNT}"),
        (fmpq(3), MAX_COUNT + 1, f"{MAX_COUNT + 1} convergents; expected 0 to {MAX_COUNT}"),
    ],
)
def test_refused(d_k: fmpq, count: int, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        convergents(d_k, count)
