"""Vectorised floats with bounds: every true value is inside, by Arb, up to the ends of what floats can hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import OptionError
from symattn.numbers.vectors import LN2_HIGH, LN2_LOW, Bounded, averages, decay, floats


def exact(number: float) -> fmpq:
    return fmpq(*float(number).as_integer_ratio())


def assert_inside(made: Bounded, truth: list[arb]) -> None:
    """The caller sets the precision of the balls; a ball has to lie inside the bound as a whole."""
    assert len(made.values) == len(truth)
    for value, bound, ball in zip(made.values.tolist(), made.bounds.tolist(), truth, strict=True):
        assert abs(ball - arb(value)) <= arb(bound), (value, bound, ball)
    for low, high, ball in zip(made.low.tolist(), made.high.tolist(), truth, strict=True):
        assert arb(low) < ball < arb(high)


def exponentials(gap: fmpq, roots: Any) -> list[arb]:
    return [(-arb(gap / exact(root))).exp() for root in roots.tolist()]


def test_ln_2_is_split_into_floats() -> None:
    with ctx.workprec(300):
        assert abs(arb(2).log() - arb(LN2_HIGH) - arb(LN2_LOW)) < arb(2) ** -95
    assert (LN2_HIGH * 2**42).is_integer()
    assert LN2_HIGH < 1


rng = np.random.default_rng(11)
HALVES = (np.arange(1, 1011) - 0.5) * math.log(2)
ROOTS = {
    "exponents of 0 to 700": (fmpq(1), 1 / rng.uniform(0, 700, 40_000)),
    "ordinary roots": (fmpq(3), rng.uniform(0.5, 50, 30_000)),
    "all sizes": (fmpq(7, 3), 10 ** rng.uniform(-300, 300, 20_000)),
    "a gap that is no float": (fmpq(10**30 + 1, 3 * 10**30), 10 ** rng.uniform(-4, 3, 10_000)),
    "halves of ln 2": (fmpq(1), 1 / np.concatenate([HALVES, np.nextafter(HALVES, 0), np.nextafter(HALVES, 800)])),
    "whole ln 2": (fmpq(1), 1 / (np.arange(1, 1010) * math.log(2))),
    "about 700": (fmpq(700), 1 + np.arange(-50, 50) * 2.0**-52),
    "smallest roots": (fmpq(1), np.array([5e-324, 1e-310, 2.3e-308])),
    "largest roots": (fmpq(1), np.array([1e308, 1.7e308])),
    "smallest gap": (fmpq(1, 2**1022), np.array([5e-324, 1e-310, 1e-308, 1.0, 1e308])),
    "largest gap": (fmpq(17 * 10**307), np.array([1.0, 1e300, 1e306, 1e308])),
}


@pytest.mark.parametrize(("gap", "roots"), ROOTS.values(), ids=ROOTS)
def test_exponentials_are_inside_their_bounds(gap: fmpq, roots: Any) -> None:
    made = decay(gap, floats(roots))
    with ctx.workprec(128):
        assert_inside(made, exponentials(gap, roots))
    assert (made.bounds <= 2.0**-42 * made.values + 2.0**-999).all()


def test_exponents_up_to_twenty_keep_47_bits() -> None:
    made = decay(fmpq(20), floats(np.linspace(1, 9, 1000)))
    assert (made.bounds < 2.0**-46 * made.values).all()


rationals = st.fractions(min_value=-(10**4), max_value=10**4, max_denominator=10**6)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(rationals.map(abs), rationals, rationals, st.integers(1, 5)), min_size=1, max_size=6),
    st.lists(st.floats(-3, 9).map(lambda x: 10**x), min_size=1, max_size=6),
)
def test_averages_are_inside_their_bounds(terms: list[Any], roots: list[float]) -> None:
    gaps = [fmpq(0), *(fmpq(gap.numerator, gap.denominator) + fmpq(1, 10**7) for gap, *_ in terms[1:])]
    columns = [[fmpq(term[n].numerator, term[n].denominator) for term in terms] for n in (1, 2)]
    columns.append([abs(c) for c in columns[0]])
    counts = [term[3] for term in terms]
    at = floats(roots)
    coefficients = list(map(list, zip(*columns, strict=True)))
    weights, averaged = averages(coefficients, counts, [decay(gap, at) for gap in gaps[1:]], at.size)
    with ctx.workprec(256):
        powers = [exponentials(gap, at) for gap in gaps]
        sums = [sum((n * e for n, e in zip(counts, row, strict=True)), arb(0)) for row in zip(*powers, strict=True)]
        for made, row in zip(weights, powers, strict=True):
            assert_inside(made, [e / total for e, total in zip(row, sums, strict=True)])
        for made, column in zip(averaged, columns, strict=True):
            above = [
                sum((c * e for c, e in zip(column, row, strict=True)), arb(0)) for row in zip(*powers, strict=True)
            ]
            assert_inside(made, [a / total for a, total in zip(above, sums, strict=True)])
            largest = max(abs(float(c.p) / float(c.q)) for c in column)
            assert (made.bounds <= 2.0**-40 * largest + 1e-200).all()


def test_averages_of_very_large_and_very_small_coefficients() -> None:
    at = floats([1e-3, 1.0, 1e3])
    column = [fmpq(1, 2**900), fmpq(2**900)]
    for signs in ((1, 1), (1, -1), (-1, 1)):
        signed = [sign * c for sign, c in zip(signs, column, strict=True)]
        _, [made] = averages([[c] for c in signed], [1, 1], [decay(fmpq(1), at)], at.size)
        with ctx.workprec(4000):
            truth = [(signed[0] + signed[1] * e) / (1 + e) for e in exponentials(fmpq(1), at)]
            assert_inside(made, truth)


def test_averages_that_nearly_cancel() -> None:
    at = floats(10 ** rng.uniform(3, 15, 200))
    _, [made] = averages([[fmpq(1)], [fmpq(-1)]], [1, 1], [decay(fmpq(1), at)], at.size)
    with ctx.workprec(256):
        assert_inside(made, [(1 - e) / (1 + e) for e in exponentials(fmpq(1), at)])


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5),
    st.floats(0, 1e-3),
    st.floats(0, 1e-3),
    st.integers(-12, 12),
    st.sampled_from([0.0, 0.5]),
)
def test_units_hold_both_ends(values: list[float], relative: float, absolute: float, places: int, shift: float) -> None:
    given_numbers = Bounded(np.array(values), relative, absolute)
    made = given_numbers.in_units(places, shift)
    for sign in (-1, 0, 1):
        for value, after, bound in zip(values, made.values.tolist(), made.bounds.tolist(), strict=True):
            truth = exact(value) + sign * (exact(relative) * abs(exact(value)) + exact(absolute))
            assert abs(truth * fmpq(10) ** places + exact(shift) - exact(after)) <= exact(bound)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([], r"roots of shape \(0,\); expected a list of at least one"),
        (1.7, r"roots of shape \(\)"),
        ([[1.0]], r"roots of shape \(1, 1\)"),
        ([1.0, 0.0], r"a root of 0\.0; expected positive finite numbers"),
        ([-1.7], r"a root of -1\.7"),
        ([math.nan], "a root of nan"),
        ([math.inf], "a root of inf"),
        (["x"], "the roots cannot be read as floats"),
        ([10**400], "the roots cannot be read as floats"),
        ([1j], "the roots cannot be read as floats"),
        ([None], "a root of nan"),
    ],
)
def test_roots_that_are_refused(numbers: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        floats(numbers)


def test_roots_are_a_copy_that_stays_as_it_is() -> None:
    mine = np.array([1.0, 2.0])
    kept = floats(mine)
    mine[0] = 9.0
    assert kept.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 3.0


def test_numbers_beyond_the_floats_are_refused() -> None:
    at = floats([1.0])
    for gap in (fmpq(10**400), fmpq(1, 10**400)):
        with pytest.raises(OptionError, match="apart; expected 0 or a difference within the normal floats"):
            decay(gap, at)
    with pytest.raises(OptionError, match=r"beyond the floats of a sweep; expected at most 2\*\*900 in size"):
        averages([[-fmpq(2**901)]], [1], [], 1)
    with pytest.raises(OptionError, match="4001 different scores in a row of a sweep; expected at most 4000"):
        averages([[fmpq(1)]] * 4001, [1] * 4001, [], 1)
