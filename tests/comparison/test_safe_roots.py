"""The exact sets of roots that keep written digits, and the crossings at their ends, against mpmath and brute force."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.comparison.crossings import MAX_DEGREE, Balance, Crossing, between, decided, in_order, order
from symattn.comparison.safe_roots import (
    Interval,
    Itself,
    RootSet,
    ScaledScore,
    Total,
    Weighted,
    all_roots,
    safe_roots,
    simplest_between,
    together,
)
from symattn.errors import UndecidedError
from symattn.numbers.certified import Decimals, enclosure
from symattn.numbers.rounding import Digits, Mode
from symattn.rendering.plain import plain

Value = Callable[[Fraction], Any]
"""A quantity as mpmath or a fraction has it at a root."""

MODES = list(Mode)


def q(value: Fraction | int) -> fmpq:
    return fmpq(Fraction(value).numerator, Fraction(value).denominator)


def mp(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def rounded(value: Fraction, places: int, mode: Mode) -> Digits:
    """A rational rounded by Python's own means."""
    scaled = value * 10**places
    units = {
        Mode.HALF_UP: math.floor(abs(scaled) + Fraction(1, 2)) * (1 if scaled > 0 else -1),
        Mode.HALF_EVEN: round(scaled),
        Mode.TRUNCATE: int(scaled),
        Mode.CEILING: math.ceil(scaled),
        Mode.FLOOR: math.floor(scaled),
    }[mode]
    return Digits(units, places)


def digits_at(value: Value, root: Fraction, places: int, mode: Mode) -> Digits:
    """The digits at a root, from 400 digits; a value that is rational there is a tie or whole, or far from one."""
    with mpmath.workdps(400):
        found = value(root)
        if isinstance(found, Fraction):
            return rounded(found, places, mode)
        twice = found * 2 * 10**places
        if abs(twice - mpmath.nint(twice)) < mpmath.mpf(10) ** -350:
            return rounded(Fraction(int(mpmath.nint(twice)), 2 * 10**places), places, mode)
        return rounded(Fraction(int(mpmath.floor(found * mpmath.mpf(10) ** 390)), 10**390), places, mode)


def powers(scores: Sequence[int], root: Fraction) -> list[Any]:
    return [mpmath.exp(mp(s / root)) for s in scores]


def weighted_value(scores: Sequence[int], values: Sequence[int]) -> Value:
    def value(root: Fraction) -> Any:
        parts = powers(scores, root)
        return mpmath.fsum(v * part for v, part in zip(values, parts, strict=True)) / mpmath.fsum(parts)

    return value


def weighted(scores: Sequence[int | Fraction], values: Sequence[int | Fraction]) -> Weighted:
    return Weighted(tuple(map(q, scores)), tuple(map(q, values)))


def total(scores: Sequence[int]) -> Total:
    return Total(tuple(map(fmpq, scores)))


integers = st.integers(-4, 4)


@st.composite
def quantities(draw: st.DrawFn) -> tuple[Any, Value]:
    """A quantity as the code has it and as mpmath has it."""
    kind = draw(st.sampled_from(["itself", "scaled", "exponential", "sum", "weight", "output"]))
    scores = draw(st.lists(integers, min_size=1, max_size=4))
    if kind == "itself":
        return Itself(), lambda root: root
    if kind == "scaled":
        return ScaledScore(fmpq(scores[0])), lambda root: scores[0] / root
    if kind == "exponential":
        scores = scores[:1]
    if kind in {"exponential", "sum"}:
        return total(scores), lambda root: mpmath.fsum(powers(scores, root))
    values = [draw(integers) for _ in scores] if kind == "output" else [1] + [0] * (len(scores) - 1)
    return weighted(scores, values), weighted_value(scores, values)


roots = st.fractions(min_value=Fraction(1, 4), max_value=12, max_denominator=12)


@settings(max_examples=150, deadline=None)
@given(quantities(), roots, st.integers(-1, 3), st.sampled_from(MODES), st.lists(roots, min_size=8, max_size=8))
def test_a_root_is_inside_exactly_where_the_digits_are_kept(
    quantity: tuple[Any, Value], root: Fraction, places: int, mode: Mode, others: list[Fraction]
) -> None:
    function, value = quantity
    written = digits_at(value, root, max(places, 0), mode)
    found = safe_roots(function, written, mode)
    assert (found.written, found.mode) == (written, mode)
    assert found.contains(q(root))
    for end in [end for one in found.sets for end in (one.low, one.high) if end is not None]:
        if isinstance(end, fmpq):
            others.append(Fraction(int(end.p), int(end.q)))
        near = Fraction(Decimals().round(end, 9).text)
        others += [near + Fraction(step, 10**8) for step in (-1, 1)]
    for other in others:
        if other > 0:
            assert found.contains(q(other)) == (digits_at(value, other, written.places, mode) == written), other


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("score", [3, -3])
def test_ends_of_scaled_scores_at_every_tie(mode: Mode, score: int) -> None:
    # every value on a grid of quarters of a unit: whole units, ties, and what lies between
    for units in range(-5, 6):
        for places in (0, 1):
            found = safe_roots(ScaledScore(fmpq(score)), Digits(units, places), mode)
            for quarter in range(-28, 29):
                value = Fraction(quarter, 4 * 10**places)
                if value * score > 0:
                    expected = rounded(value, places, mode) == Digits(units, places)
                    assert found.contains(q(score / value)) == expected, (units, places, value)


@pytest.mark.parametrize("mode", MODES)
def test_ends_of_the_root_itself_at_every_tie(mode: Mode) -> None:
    for units in range(6):
        found = safe_roots(Itself(), Digits(units, 1), mode)
        for quarter in range(1, 29):
            root = Fraction(quarter, 40)
            assert found.contains(q(root)) == (rounded(root, 1, mode) == Digits(units, 1)), root


@pytest.mark.parametrize(
    ("units", "mode", "low_closed", "high_closed"),
    [
        (85, Mode.HALF_UP, False, True),  # f falls: the low end of r is the high end of f
        (85, Mode.HALF_EVEN, False, False),
        (84, Mode.HALF_EVEN, True, True),
        (85, Mode.FLOOR, False, True),
        (85, Mode.TRUNCATE, False, True),
        (85, Mode.CEILING, True, False),
        (-85, Mode.HALF_UP, False, True),
        (-85, Mode.HALF_EVEN, False, False),
        (-84, Mode.HALF_EVEN, True, True),
        (-85, Mode.FLOOR, True, False),
        (-85, Mode.TRUNCATE, False, True),
        (-85, Mode.CEILING, False, True),
    ],
)
def test_which_end_belongs_to_the_set(units: int, mode: Mode, low_closed: bool, high_closed: bool) -> None:
    function = weighted([3, 0], [1 if units > 0 else -1, 0])
    (found,) = safe_roots(function, Digits(units, 2), mode).sets
    assert (found.low_closed, found.high_closed) == (low_closed, high_closed)
    assert found.contains(found.low) == low_closed
    assert found.contains(found.high) == high_closed


@pytest.mark.parametrize(
    ("mode", "bound", "closed"),
    [
        (Mode.TRUNCATE, Fraction(1, 10), False),
        (Mode.FLOOR, Fraction(1, 10), False),
        (Mode.HALF_UP, Fraction(1, 20), False),
        (Mode.HALF_EVEN, Fraction(1, 20), True),
    ],
)
def test_zero_digits_of_a_number_that_tends_to_0(mode: Mode, bound: Fraction, closed: bool) -> None:
    # f = (e^(3/r) − 1)/(e^(3/r) + 1) falls to 0 and is the bound at e^(3/r) = (1 + bound)/(1 − bound)
    (found,) = safe_roots(weighted([3, 0], [1, -1]), Digits(0, 1), mode).sets
    assert found.low.closed == (3, q((1 + bound) / (1 - bound)))
    assert (found.high, found.low_closed, found.high_closed) == (None, closed, False)
    # the same number below 0: f is never at 0, so only the sign of the bound changes
    below = safe_roots(weighted([3, 0], [-1, 1]), Digits(0, 1), mode)
    if mode is Mode.FLOOR:
        assert below.sets == ()
    else:
        assert order(below.sets[0].low, found.low) == 0


def test_zero_digits_upwards_need_a_number_below_0() -> None:
    assert safe_roots(weighted([3, 0], [1, -1]), Digits(0, 1), Mode.CEILING).sets == ()
    (found,) = safe_roots(weighted([3, 0], [-1, 1]), Digits(0, 1), Mode.CEILING).sets
    assert (found.low.closed, found.low_closed, found.high) == ((3, fmpq(11, 9)), False, None)


def test_a_constant_keeps_its_digits_everywhere_or_nowhere() -> None:
    everywhere = all_roots().sets
    half = weighted([2, 2], [0, 1])
    assert safe_roots(half, Digits(5, 1), Mode.FLOOR).sets == everywhere
    assert safe_roots(half, Digits(6, 1), Mode.FLOOR).sets == ()
    assert safe_roots(half, Digits(1, 0), Mode.HALF_UP).sets == everywhere
    assert safe_roots(half, Digits(0, 0), Mode.HALF_UP).sets == ()
    assert safe_roots(half, Digits(0, 0), Mode.HALF_EVEN).sets == everywhere
    assert safe_roots(ScaledScore(fmpq(0)), Digits(0, 2), Mode.TRUNCATE).sets == everywhere
    assert safe_roots(total([0, 0]), Digits(2, 0), Mode.CEILING).sets == everywhere
    assert RootSet(()).simplest() is None


# ---- isolated points --------------------------------------------------------------------------------------------

# with x = e^(1/r), f − B = −(x − 2)²/(x² + x + 1): f is B at r = 1/ln 2 alone, and below it elsewhere


def touching(bound: Fraction) -> Weighted:
    return weighted([2, 1, 0], [bound - 1, bound + 4, bound - 4])


@pytest.mark.parametrize(
    ("bound", "units", "mode"),
    [
        (Fraction(5, 2), 3, Mode.HALF_UP),
        (Fraction(7, 2), 4, Mode.HALF_EVEN),
        (Fraction(3), 3, Mode.FLOOR),
        (Fraction(3), 3, Mode.TRUNCATE),
    ],
)
def test_a_single_root_keeps_the_digits(bound: Fraction, units: int, mode: Mode) -> None:
    found = safe_roots(touching(bound), Digits(units, 0), mode)
    (point,) = found.sets
    assert point.low.closed == (1, 2)
    assert order(point.low, point.high) == 0
    assert (point.low_closed, point.high_closed) == (True, True)
    assert found.contains(point.low)
    assert found.simplest() is None
    assert not found.contains(fmpq(14427, 10000))  # 1/ln 2 = 1.442695…
    assert together([found, all_roots()]).sets == found.sets
    assert together([found, safe_roots(Itself(), Digits(14, 1), Mode.FLOOR)]).sets == found.sets
    assert together([found, safe_roots(Itself(), Digits(15, 1), Mode.FLOOR)]).sets == ()


@pytest.mark.parametrize(
    ("bound", "units", "mode", "count"),
    [
        (Fraction(5, 2), 3, Mode.HALF_EVEN, 0),  # 2.5 is rounded to 2
        (Fraction(-5, 2), -2, Mode.HALF_UP, 0),  # −2.5 is rounded to −3
        (Fraction(2), 3, Mode.CEILING, 0),
        (Fraction(-3), -2, Mode.TRUNCATE, 0),  # −3 is no −2
        (Fraction(5, 2), 2, Mode.HALF_UP, 2),  # all around the point, without it
        (Fraction(3), 2, Mode.FLOOR, 2),
        (Fraction(5, 2), 2, Mode.HALF_EVEN, 1),  # with it
        (Fraction(3), 3, Mode.CEILING, 1),
    ],
)
def test_a_single_root_is_left_out_or_taken_in(bound: Fraction, units: int, mode: Mode, count: int) -> None:
    found = safe_roots(touching(bound), Digits(units, 0), mode)
    assert len(found.sets) == count
    (point,) = touching(bound).crossings(q(bound))
    assert found.contains(point) == (count == 1)
    if count == 2:
        left, right = found.sets
        assert order(left.high, right.low) == order(left.high, point) == 0
        assert (left.high_closed, right.low_closed) == (False, False)


def test_a_rational_point_is_its_own_simplest_fraction() -> None:
    point = Interval(fmpq(7, 5), fmpq(7, 5), low_closed=True, high_closed=True)
    assert simplest_between(point) == fmpq(7, 5)
    assert RootSet((point,)).simplest() == fmpq(7, 5)


# ---- together ---------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(quantities(), min_size=1, max_size=4), roots, st.sampled_from(MODES), st.lists(roots, max_size=12))
def test_together_is_what_all_sets_share(
    several: list[tuple[Any, Value]], root: Fraction, mode: Mode, others: list[Fraction]
) -> None:
    sets = [safe_roots(function, digits_at(value, root, 1, mode), mode) for function, value in several]
    both = together(sets)
    assert both.contains(q(root))
    ends = [end for one in (*sets, both) for part in one.sets for end in (part.low, part.high) if end is not None]
    for point in (*map(q, others), *ends):
        assert both.contains(point) == all(one.contains(point) for one in sets)


def test_together_of_none_is_every_root() -> None:
    assert together([]).sets == all_roots().sets


def test_together_of_sets_that_share_an_end() -> None:
    first, second = weighted([3, 0], [1, 0]), weighted([3, 0], [0, 1])
    # 0.84 ≤ w1 < 0.85 and 0.15 ≤ w2 < 0.16, which is 0.84 < w1 ≤ 0.85
    cut = [safe_roots(first, Digits(84, 2), Mode.FLOOR), safe_roots(second, Digits(15, 2), Mode.FLOOR)]
    (shared,) = together(cut).sets
    assert (shared.low_closed, shared.high_closed) == (False, False)
    assert order(shared.low, cut[0].sets[0].low) == order(shared.low, cut[1].sets[0].low) == 0
    assert order(shared.high, cut[0].sets[0].high) == order(shared.high, cut[1].sets[0].high) == 0
    # w1 = 0.845 is written 0.85 half-up, and w2 = 0.155 is written 0.16 there
    up, down = safe_roots(first, Digits(85, 2), Mode.HALF_UP), safe_roots(second, Digits(15, 2), Mode.HALF_UP)
    assert order(up.sets[0].high, down.sets[0].high) == 0
    assert (up.sets[0].high_closed, down.sets[0].high_closed) == (True, False)
    assert together([up, down]).sets[0].high_closed is False
    # 0.84 begins where 0.85 ends, and shares with 0.16 what is neither
    assert together([up, safe_roots(first, Digits(84, 2), Mode.HALF_UP)]).sets == ()
    (point,) = together([up, safe_roots(second, Digits(16, 2), Mode.HALF_UP)]).sets
    assert order(point.low, point.high) == order(point.low, up.sets[0].high) == 0


# ---- crossings --------------------------------------------------------------------------------------------------


def balance(coefficients: Sequence[int | Fraction], step: Fraction | int = 1) -> Balance:
    """P(x) with x = e^(step/r), the lowest coefficient first."""
    return Balance.of((q(n * Fraction(step)), q(c)) for n, c in enumerate(coefficients))


def product(*factors: Sequence[int | Fraction]) -> list[int | Fraction]:
    out: list[int | Fraction] = [1]
    for factor in factors:
        made: list[int | Fraction] = [0] * (len(out) + len(factor) - 1)
        for i, a in enumerate(out):
            for j, b in enumerate(factor):
                made[i + j] += a * b
        out = made
    return out


# each is 0 at r = 1/ln 2 alone, over another polynomial
ALIKE = {
    "x − 2": balance([-2, 1]),
    "(x − 2)(x + 3)": balance(product([-2, 1], [3, 1])),
    "(x − 2)(x² + 1)": balance(product([-2, 1], [1, 0, 1])),
    "(x − 2)²": balance(product([-2, 1], [-2, 1])),
    "(y − 4)(y + 1), y = x²": balance(product([-4, 1], [1, 1]), 2),
    "(z³ − 4)(z + 5), z³ = x²": balance(product([-4, 0, 0, 1], [5, 1]), Fraction(2, 3)),
    "z⁵ − 32 times z + 1, z = x": balance(product([-32, 0, 0, 0, 0, 1], [1, 1])),
    "(u³ − 2)(u + 1), u = x^(1/3)": balance(product([-2, 0, 0, 1], [1, 1]), Fraction(1, 3)),
}


@pytest.mark.parametrize("first", ALIKE)
@pytest.mark.parametrize("second", ALIKE)
def test_equal_crossings_of_different_polynomials(first: str, second: str) -> None:
    (a,), (b,) = ALIKE[first].crossings(), ALIKE[second].crossings()
    assert order(a, b) == 0
    assert in_order([a, fmpq(2), b, fmpq(1), fmpq(2)]) == [fmpq(1), a, fmpq(2)]
    with mpmath.workdps(60):
        assert abs(mpmath.mpf(Decimals().round(a, 50).text) - 1 / mpmath.log(2)) < mpmath.mpf(10) ** -49


@pytest.mark.parametrize("name", ALIKE)
def test_crossings_that_only_look_alike(name: str) -> None:
    # 2 + 10^-200 takes more than 600 bits to tell from 2
    (a,) = ALIKE[name].crossings()
    (b,) = balance(product([-(2 + Fraction(1, 10**200)), 1], [7, 1])).crossings()
    assert (order(a, b), order(b, a)) == (1, -1)


def test_crossings_over_steps_that_share_almost_nothing() -> None:
    # q is 2^(10007/10009) to 200 digits: no polynomial of a degree that can be worked with has both
    with mpmath.workdps(230):
        near = int(mpmath.floor(mpmath.power(2, mpmath.mpf(10007) / 10009) * mpmath.mpf(10) ** 200))
    (a,) = balance([-2, 1]).crossings()
    (b,) = balance([-Fraction(near, 10**200), 1], Fraction(10007, 10009)).crossings()
    assert order(a, b) == -1  # q is cut off, so its logarithm is too small and the root too large


def test_weights_that_sum_to_1_cross_together() -> None:
    for scores in ([3, 0], [5, -2], [7, 3]):
        first, second = weighted(scores, [1, 0]), weighted(scores, [0, 1])
        (a,) = first.crossings(fmpq(845, 1000))
        (b,) = second.crossings(fmpq(155, 1000))
        assert order(a, b) == 0


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(st.fractions(-4, 4, max_denominator=3), st.integers(-6, 6), min_size=1, max_size=6),
    st.lists(roots, min_size=6, max_size=6),
)
def test_signs_of_a_balance_between_all_its_crossings(terms: dict[Fraction, int], others: list[Fraction]) -> None:
    found = Balance.of((q(s), fmpq(c)) for s, c in terms.items())
    points, signs = found.signs()
    assert len(signs) == len(points) + 1
    assert points == found.crossings()
    for point in points:  # b is 0 there, to what a ball of 200 bits can tell
        with mpmath.workdps(60):
            r = mpmath.mpf(Decimals().round(point, 50).text)
            parts = [c * mpmath.exp(mp(s) / r) for s, c in terms.items()]
            assert abs(mpmath.fsum(parts)) <= mpmath.mpf(10) ** -40 * mpmath.fsum(map(abs, parts))
    edges = [None, *points, None]
    samples = [between(low, high) for low, high in itertools.pairwise(edges)]
    for root in (*samples, *map(q, others)):
        before = sum(order(point, root) < 0 for point in points)
        with mpmath.workdps(60):
            value = mpmath.fsum(c * mpmath.exp(mp(s) * int(root.q) / int(root.p)) for s, c in terms.items())
            if abs(value) > mpmath.mpf(10) ** -30:
                assert signs[before] == mpmath.sign(value)
        assert found.sign(root) == signs[before]


def test_a_crossing_far_out_is_found() -> None:
    # the weight of 40 places is near its limit 1/2: r is about 10^40, and x = e^(3/r) a hair above 1
    (found,) = safe_roots(weighted([3, 0], [1, 0]), Digits(5 * 10**39 + 1, 40), Mode.HALF_UP).sets
    with mpmath.workdps(120):
        for end, tail in ((found.low, "1.5"), (found.high, "0.5")):
            w = mpmath.mpf(1) / 2 + mpmath.mpf(tail) / mpmath.mpf(10) ** 40
            expected = 3 / mpmath.log(w / (1 - w))
            assert abs(mpmath.mpf(Decimals().round(end, 20).text) / expected - 1) < mpmath.mpf(10) ** -55
    # and with three scores, where there is no closed form
    function = weighted([3, 1, 0], [1, 0, 0])
    (found,) = safe_roots(function, Digits(34 * 10**38, 40), Mode.FLOOR).sets
    assert function.side(between(None, found.low), fmpq(34, 100)) > 0
    (found,) = safe_roots(function, Digits(3333 * 10**36 + 4 * 10**35, 40), Mode.FLOOR).sets
    with mpmath.workdps(60):
        r = mpmath.mpf(Decimals().round(found.high, 20).text)
        value = mpmath.exp(3 / r) / (mpmath.exp(3 / r) + mpmath.exp(1 / r) + 1)
        assert abs(value - mpmath.mpf("0.33334")) < mpmath.mpf(10) ** -24


def test_roots_that_floats_cannot_tell_apart_are_in_order() -> None:
    hair = Fraction(1, 10**40)
    found = balance(product([-2, 1], [-2 - hair, 1], [-2 - 2 * hair, 1])).crossings()
    assert [point.number for point in found] == [0, 1, 2]
    assert [order(a, b) for a, b in itertools.pairwise(found)] == [-1, -1]
    with mpmath.workdps(80):
        for point, n in zip(found, (2, 1, 0), strict=True):
            expected = 1 / mpmath.log(2 + n * mp(hair))
            assert abs(mpmath.mpf(Decimals().round(point, 60).text) - expected) < mpmath.mpf(10) ** -59


@pytest.mark.parametrize(
    ("exponents", "coefficients", "step", "degree"),
    [
        ([5000, 0], [1, -2], 5000, 1),
        ([500, 250, 0], [1, -5, 6], 250, 2),
        ([1000, 400, 0], [3, -1, -1], 200, 5),
    ],
)
def test_large_scores_with_a_common_step(exponents: list[int], coefficients: list[int], step: int, degree: int) -> None:
    found = Balance.of(zip(map(fmpq, exponents), map(fmpq, coefficients), strict=True))
    assert found.degree == degree
    for point in found.crossings():
        assert point.step == step
        with ctx.workprec(200):
            ball = enclosure(point, 200)
            assert abs(sum(c * (s / ball).exp() for s, c in zip(exponents, coefficients, strict=True))) < 1e-20


def test_what_is_not_searched_says_so() -> None:
    found = Balance.of([(fmpq(MAX_DEGREE + 1), fmpq(1)), (fmpq(1), fmpq(-5)), (fmpq(0), fmpq(1))])
    with pytest.raises(UndecidedError, match=f"a polynomial of degree {MAX_DEGREE + 1} is not searched for crossings"):
        found.crossings()
    # no search is needed where the coefficients show that there is none
    assert Balance.of([(fmpq(MAX_DEGREE + 1), fmpq(1)), (fmpq(1), fmpq(-1))]).signs() == ((), (1,))
    with pytest.raises(UndecidedError, match="never with 16384 bits"):
        decided(lambda _: None, "never")


def test_balances_without_crossings() -> None:
    assert Balance.of([]).signs() == ((), (0,))
    assert Balance.of([(fmpq(2), fmpq(1)), (fmpq(2), fmpq(-1))]).signs() == ((), (0,))
    assert Balance.of([(fmpq(2), fmpq(-3))]).signs() == ((), (-1,))
    assert balance([-1, 0, 0, 1]).signs() == ((), (1,))  # 0 at x = 1 alone, which is r = ∞
    assert balance(product([-1, 1], [-1, 1], [-1, 1], [-1, 2])).signs() == ((), (1,))


def test_a_sign_at_a_root_is_decided() -> None:
    found = balance([-2, 1])
    assert (found.sign(fmpq(1)), found.sign(fmpq(2))) == (1, -1)
    assert Balance.of([]).sign(fmpq(1)) == 0


# ---- the simplest fraction --------------------------------------------------------------------------------------

positive = st.fractions(min_value=Fraction(1, 40), max_value=30, max_denominator=40)


@settings(max_examples=150, deadline=None)
@given(positive, positive, st.booleans(), st.booleans())
def test_simplest_fraction_by_brute_force(a: Fraction, b: Fraction, low_closed: bool, high_closed: bool) -> None:
    low, high = min(a, b), max(a, b)
    if low == high:
        high += Fraction(1, 1000)
    found = simplest_between(Interval(q(low), q(high), low_closed=low_closed, high_closed=high_closed))

    def inside(value: Fraction) -> bool:
        return low < value < high or (value == low and low_closed) or (value == high and high_closed)

    below = 1
    while True:
        above = max(1, math.floor(low * below))
        fitting = [n for n in range(above, math.floor(high * below) + 1) if inside(Fraction(n, below))]
        if fitting:
            break
        below += 1
    assert found == fmpq(fitting[0], below)


@settings(max_examples=25, deadline=None)
@given(quantities(), roots, st.integers(0, 2), st.sampled_from(MODES))
def test_no_fraction_inside_is_simpler(quantity: tuple[Any, Value], root: Fraction, places: int, mode: Mode) -> None:
    function, value = quantity
    found = safe_roots(function, digits_at(value, root, places, mode), mode)
    simplest = found.simplest()
    assert simplest is not None
    assert found.contains(simplest)
    assert (int(simplest.q), int(simplest.p)) <= (root.denominator, root.numerator)
    for below in range(1, int(simplest.q) + 1):
        most = int(simplest.p) if below == simplest.q else 13 * below
        for above in range(1, most):
            assert not found.contains(fmpq(above, below))


def test_simplest_fraction_far_out() -> None:
    far = 10**15
    assert simplest_between(Interval(fmpq(far), None, low_closed=False, high_closed=False)) == far + 1
    assert simplest_between(Interval(None, fmpq(1, far), low_closed=False, high_closed=False)) == fmpq(1, far + 1)
    narrow = Interval(fmpq(far), fmpq(far) + fmpq(1, 7), low_closed=False, high_closed=False)
    assert simplest_between(narrow) == fmpq(8 * far + 1, 8)
    # the weight 0.5000 needs a root beyond 3/ln(0.50005/0.49995) = 14999.9…
    assert safe_roots(weighted([3, 0], [1, 0]), Digits(5000, 4), Mode.HALF_UP).simplest() == 15000


@pytest.mark.parametrize(
    ("root", "side"),
    [(fmpq(1), -1), (fmpq(3, 2), -1), (fmpq(8, 5), 0), (fmpq(2), 0), (fmpq(5, 2), 1)],
)
def test_side_of_an_interval(root: fmpq, side: int) -> None:
    interval = Interval(fmpq(3, 2), fmpq(2), low_closed=False, high_closed=True)
    assert interval.side(root) == side
    assert interval.contains(root) == (side == 0)


def test_a_crossing_is_not_rational() -> None:
    (found,) = balance([-2, 1]).crossings()
    assert isinstance(found, Crossing)
    assert found.rational is None
    assert (order(found, fmpq(3, 2)), order(fmpq(3, 2), found), order(fmpq(1), fmpq(1))) == (-1, 1, 0)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (balance([-2, 1], 3), "3/log(2)"),
        (balance([-3, 0, 1, 1], 250), "250/log(x), x root 1 beyond 1 of x^3 + x^2 + (-3)"),
        (balance([-3, 0, 1, 1], Fraction(2, 3)), "2/(3*log(x)), x root 1 beyond 1 of x^3 + x^2 + (-3)"),
    ],
)
def test_a_crossing_in_plain_text(found: Balance, text: str) -> None:
    (point,) = found.crossings()
    assert plain(point) == text


def test_a_closed_form_is_found_beside_the_root_1() -> None:
    # (x − 1)(x − 2): x = 1 stands for r = ∞ and is no crossing
    (point,) = balance(product([-1, 1], [-2, 1])).crossings()
    assert point.closed == (1, 2)
    assert balance(product([-1, 1], [-2, 1])).signs()[1] == (1, -1)
