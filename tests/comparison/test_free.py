"""What d_k does: motions, swaps and kept digits, against mpmath at sampled d_k and digits recomputed for each one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Exact, Policy, Written, derive, load_spec
from symattn.comparison import free as free_module
from symattn.comparison.crossings import Balance, order
from symattn.comparison.free import FreeDk, Motion, free_d_k, rise
from symattn.comparison.safe_roots import Interval, Itself, RootSet, ScaledScore, safe_roots
from symattn.comparison.signs import Searches, Squared, whole, whole_d_ks
from symattn.errors import OptionError, UndecidedError
from symattn.numbers.certified import Decimals, enclosure
from symattn.numbers.rounding import Digits, Mode


def spec_of(Q: Any, K: Any, V: Any, d_k: Any = 1) -> Any:
    return load_spec({"tokens": ["t"] * len(V), "Q": Q, "K": K, "V": V, "d_k": d_k})


def one_row(scores: Sequence[Any], V: Sequence[Sequence[Any]], d_k: Any = 1) -> FreeDk:
    """A spec whose first token has these scores; the others have none."""
    n = len(scores)
    return free_d_k(derive(spec_of([[1]] + [[0]] * (n - 1), [[s] for s in scores], V, d_k)))


def value_at(scores: Sequence[Any], values: Sequence[Any], d_k: Any) -> Any:
    parts = [mpmath.exp(int(s.p) / (int(s.q) * mpmath.sqrt(d_k))) for s in map(fmpq, scores)]
    above = mpmath.fsum(int(v.p) * part / int(v.q) for v, part in zip(map(fmpq, values), parts, strict=True))
    return above / mpmath.fsum(parts)


def mp(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def decimal(number: Any) -> Any:
    return mpmath.mpf(Decimals().round(number, 30).text)


@pytest.fixture(scope="module")
def bundled() -> FreeDk:
    written = [
        ("weights", (0, 0), Digits(85, 2), Mode.HALF_UP),
        ("outputs", (0, 1), Digits(245, 2), Mode.HALF_UP),
        ("weights", (1, 0), Digits(5, 1), Mode.HALF_UP),
        ("outputs", (0, 0), Digits(9, 0), Mode.HALF_UP),
        ("weights", (0, 0), Digits(5, 1), Mode.HALF_UP),
        ("weights", (0, 1), Digits(60, 2), Mode.TRUNCATE),
    ]
    return free_d_k(derive(load_spec()), written)


# ---- the bundled example ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "at_zero", "at_infinity", "direction"),
    [
        ("Weights[1,1]", 1, fmpq(1, 2), "decreasing"),
        ("Weights[1,2]", 0, fmpq(1, 2), "increasing"),
        ("Weights[2,1]", fmpq(1, 2), fmpq(1, 2), "constant"),
        ("Output[1,1]", 10, 6, "decreasing"),
        ("Output[1,2]", 2, fmpq(7, 2), "increasing"),
        ("Output[1,3]", 0, 4, "increasing"),
        ("Output[2,3]", 4, 4, "constant"),
    ],
)
def test_behaviours_of_the_bundled_example(
    bundled: FreeDk, label: str, at_zero: Any, at_infinity: Any, direction: Any
) -> None:
    found = bundled[label]
    assert (found.at_zero, found.at_infinity) == (at_zero, at_infinity)
    assert found.motions == (Motion(None, None, direction),)
    assert (found.turns, found.bounded) == ((), "")
    assert found.motions[0].d_ks == (None, None)


def test_closed_forms_are_those_of_the_free_derivation(bundled: FreeDk) -> None:
    free = derive(load_spec(), Exact(free_d_k=True)).trace
    for behaviour in bundled.behaviours:
        i, j = behaviour.place
        rows = free.attention_weights if behaviour.kind == "weights" else free.output
        assert behaviour.closed_form == rows[i][j]
    assert len(bundled.behaviours) == 4 + 6


def test_the_one_swap_of_the_bundled_example(bundled: FreeDk) -> None:
    # 5 − 3w = 8(1 − w) at w = 3/5, e^(3/r) = 3/2: d_k = (3/ln 1.5)²
    (swap,) = bundled.swaps
    assert swap.labels == ("Output[1,2]", "Output[1,3]")
    assert [point.closed for point in swap.at] == [(3, fmpq(3, 2))]
    assert (swap.leaders, swap.always, swap.bounded, bundled.unsearched) == ((1, -1), False, "", 0)
    with mpmath.workdps(50):
        assert abs(decimal(swap.d_ks[0]) - (3 / mpmath.log(mpmath.mpf(3) / 2)) ** 2) < mpmath.mpf(10) ** -29


def test_whole_d_k_that_keep_the_bundled_results(bundled: FreeDk) -> None:
    kept = {(item.label, item.written.text): item.ranges for item in bundled.kept}
    # by hand: w = 1/(1 + e^(−3/√d_k)) is 0.893, 0.850, 0.818 for d_k = 2, 3, 4
    assert kept["Weights[1,1]", "0.85"] == ((3, 3),)
    assert kept["Output[1,2]", "2.45"] == ((3, 3),)
    assert kept["Weights[2,1]", "0.5"] == ((1, None),)
    # 2 + 8w is 9.14 and 8.797, 8.541, 8.342 for d_k = 2, 3, 4, 5, and 8.5 is passed between 4 and 5
    assert kept["Output[1,1]", "9"] == ((2, 4),)
    # w < 0.55 from √d_k > 3/ln(11/9) on: d_k > 223.4…
    with mpmath.workdps(30):
        first = int(mpmath.floor((3 / mpmath.log(mpmath.mpf(11) / 9)) ** 2)) + 1
    assert kept["Weights[1,1]", "0.5"] == ((first, None),)
    assert kept["Weights[1,2]", "0.60"] == ()
    assert all(item.roots is not None and item.bounded == "" for item in bundled.kept)


def test_table_of_the_bundled_example(bundled: FreeDk) -> None:
    assert [row.d_k for row in bundled.table] == [1, 2, 3, 4, 8, 16, 64, 128]
    for row in bundled.table:
        anew = derive(spec_of([[2, 0, 1], [1, 2, 1]], [[1, 0, 1], [0, 1, 0]], [[10, 2, 0], [2, 5, 8]], int(row.d_k)))
        assert [list(entries) for entries in row.weights] == [list(one) for one in anew.trace.attention_weights]
        assert [list(entries) for entries in row.outputs] == [list(one) for one in anew.trace.output]
    assert Decimals().round(bundled.table[2].weights[0][0], 12).text == "0.849674553090"


# ---- motions ----------------------------------------------------------------------------------------------------


def test_a_middle_weight_rises_and_falls() -> None:
    found = one_row([0, 2, 3], [[0], [1], [0]])["Weights[1,2]"]
    assert [motion.direction for motion in found.motions] == ["increasing", "decreasing"]
    (turn,) = found.turns
    assert found.motions[0].d_ks == (None, turn)
    assert (found.at_zero, found.at_infinity) == (0, fmpq(1, 3))
    with mpmath.workdps(40):
        # w = 1/(e^(−2t) + 1 + e^t) is largest where 2e^(−2t) = e^t, t = ln(2)/3, so d_k = 9/ln(2)²
        assert abs(decimal(turn) - 9 / mpmath.log(2) ** 2) < mpmath.mpf(10) ** -29


def test_the_derivative_by_hand() -> None:
    # Σ_(i<j) (v_i − v_j)(s_i − s_j)·x^(s_i + s_j) = 4x + 10x² + x³ is df/dt, t = 1/r; equal scores count together
    scores, values = [0, 1, 2], [0, 4, 5]
    assert rise([fmpq(s) for s in scores], [fmpq(v) for v in values]).terms == {1: -4, 2: -10, 3: -1}
    assert rise([fmpq(1), fmpq(0), fmpq(1)], [fmpq(2), fmpq(0), fmpq(3)]).terms == {1: -5}


def test_standing_still_is_no_turn() -> None:
    squared = Balance.of([(fmpq(2), fmpq(1)), (fmpq(1), fmpq(-4)), (fmpq(0), fmpq(4))])  # (x − 2)², x = e^(1/r)
    motions, bounded = free_module._motions(squared, Searches())
    assert (motions, bounded) == ((Motion(None, None, "increasing"),), "")


entries = st.integers(-3, 3)


@st.composite
def specs(draw: st.DrawFn) -> Any:
    n, k, v = draw(st.integers(1, 4)), draw(st.integers(1, 2)), draw(st.integers(1, 3))

    def matrix(width: int) -> list[list[int]]:
        return [[draw(entries) for _ in range(width)] for _ in range(n)]

    return spec_of(matrix(k), matrix(k), matrix(v), draw(st.integers(1, 6)))


d_ks = st.lists(st.fractions(Fraction(1, 4), 200, max_denominator=8), min_size=4, max_size=8, unique=True)


@settings(max_examples=40, deadline=None)
@given(specs(), d_ks)
def test_motions_by_sampling(spec: Any, sampled: list[Fraction]) -> None:
    exact = derive(spec)
    found = free_d_k(exact, d_ks=())
    scores, V = exact.trace.scores, exact.trace.V
    for behaviour in found.behaviours:
        i, j = behaviour.place
        values = [int(k == j) for k in range(len(V))] if behaviour.kind == "weights" else [row[j] for row in V]
        motions = behaviour.motions
        assert behaviour.bounded == ""
        assert (motions[0].low, motions[-1].high) == (None, None)
        for before, after in itertools.pairwise(motions):
            assert before.high is after.low
            assert {before.direction, after.direction} == {"increasing", "decreasing"}
        with mpmath.workdps(60):
            for motion in motions:
                low, high = (None if end is None else decimal(end) for end in motion.d_ks)
                inside = [
                    d for d in map(mp, sorted(sampled)) if (low is None or d > low) and (high is None or d < high)
                ]
                at = [value_at(scores[i], values, d) for d in inside]
                for one, other in itertools.pairwise(at):
                    step = other - one
                    if motion.direction == "constant":
                        assert abs(step) < mpmath.mpf(10) ** -50
                    else:
                        assert (step > 0) == (motion.direction == "increasing")
            for turn in behaviour.turns:  # the derivative, by a central difference
                d, h = decimal(turn), mpmath.mpf(10) ** -12
                sides = [value_at(scores[i], values, d * (1 + e)) for e in (-h, h)]
                assert abs(sides[1] - sides[0]) < mpmath.mpf(10) ** -20
            ends = [value_at(scores[i], values, d) for d in (mpmath.mpf(10) ** -6, mpmath.mpf(10) ** 24)]
            for value, limit in zip(ends, (behaviour.at_zero, behaviour.at_infinity), strict=True):
                assert abs(value - mpmath.mpf(int(limit.p)) / int(limit.q)) < 1e-9


# ---- swaps ------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(specs(), d_ks)
def test_swaps_by_sampling(spec: Any, sampled: list[Fraction]) -> None:
    exact = derive(spec)
    found = free_d_k(exact, d_ks=())
    scores, V = exact.trace.scores, exact.trace.V
    n, width = len(V), len(V[0])
    known = {(swap.first, swap.second): swap for swap in found.swaps}
    rows = [((i, a), (i, b)) for i in range(n) for a, b in itertools.combinations(range(width), 2)]
    columns = [((i, a), (k, a)) for a in range(width) for i, k in itertools.combinations(range(n), 2)]
    assert found.unsearched == 0
    assert known.keys() <= {*rows, *columns}
    with mpmath.workdps(60):
        for pair in rows + columns:
            signs = []
            for d in map(mp, sorted(sampled)):
                one, other = (value_at(scores[i], [row[a] for row in V], d) for i, a in pair)
                step = one - other
                signs.append(0 if abs(step) < mpmath.mpf(10) ** -45 else int(mpmath.sign(step)))
            swap = known.get(pair)
            if swap is None:
                assert len(set(signs)) == 1
                assert signs[0] != 0
                continue
            assert swap.kind == "outputs"
            assert len(swap.leaders) == len(swap.at) + 1
            assert swap.always == (set(signs) == {0})
            points = [decimal(d_k) for d_k in swap.d_ks]
            for d, sign in zip(map(mp, sorted(sampled)), signs, strict=True):
                assert swap.leaders[sum(bool(point < d) for point in points)] == sign
            for point in points:
                one, other = (value_at(scores[i], [row[a] for row in V], point) for i, a in pair)
                assert abs(one - other) < mpmath.mpf(10) ** -25


def test_pairs_that_are_always_equal() -> None:
    # equal columns of V, and two tokens whose scores differ by a constant only
    exact = derive(spec_of([[1, 0], [1, 2]], [[3, 1], [0, 1]], [[1, 1], [4, 4]]))
    found = free_d_k(exact)
    assert [swap.labels for swap in found.swaps] == [
        ("Output[1,1]", "Output[1,2]"),
        ("Output[2,1]", "Output[2,2]"),
        ("Output[1,1]", "Output[2,1]"),
        ("Output[1,2]", "Output[2,2]"),
    ]
    assert all(swap.always and swap.at == () for swap in found.swaps)


def test_a_touch_is_told_with_the_same_leader_on_both_sides() -> None:
    # the outputs differ by (x − 2)²/(x² + x + 1), x = e^(1/√d_k)
    found = one_row([2, 1, 0], [[1, 0], [-4, 0], [4, 0]])
    swap = found.swaps[0]
    assert swap.labels == ("Output[1,1]", "Output[1,2]")
    assert (swap.leaders, [point.closed for point in swap.at]) == ((1, 1), [(1, 2)])


# ---- whole d_k --------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(specs(), st.integers(1, 40), st.integers(0, 2), st.sampled_from(list(Mode)))
def test_kept_digits_by_recomputing(spec: Any, chosen: int, places: int, mode: Mode) -> None:
    exact, sampled = derive(spec), [1, 2, 3, 4, 5, 7, 9, 16, 25, 36, 100, 1000, chosen]
    table = {int(row.d_k): row for row in free_d_k(exact, d_ks=sampled).table}
    decimals = Decimals()
    written = [("outputs", (0, 0), decimals.round(table[chosen].outputs[0][0], places, mode), mode)]
    written += [("weights", (0, 0), decimals.round(table[chosen].weights[0][0], places, mode), mode)]
    kept = free_d_k(exact, written, d_ks=()).kept
    for item, (kind, _, digits, _) in zip(kept, written, strict=True):
        assert whole(item.ranges, chosen)
        for d_k in sampled:
            row = table[d_k].outputs if kind == "outputs" else table[d_k].weights
            assert whole(item.ranges, d_k) == (decimals.round(row[0][0], places, mode) == digits)
        for (_, high), (low, _) in itertools.pairwise(item.ranges):
            assert high is not None
            assert high + 1 < low


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (Mode.FLOOR, ((4, 8),)),  # 2 ≤ √d_k < 3
        (Mode.TRUNCATE, ((4, 8),)),
        (Mode.CEILING, ((2, 4),)),  # 1 < √d_k ≤ 2
        (Mode.HALF_UP, ((3, 6),)),  # 1.5 ≤ √d_k < 2.5
        (Mode.HALF_EVEN, ((3, 6),)),
    ],
)
def test_ends_that_are_squares(mode: Mode, expected: Any) -> None:
    assert whole_d_ks(safe_roots(Itself(), Digits(2, 0), mode)) == expected
    by_hand = [n for n in range(1, 20) if whole(expected, n)]
    with mpmath.workdps(30):
        ranges = {Mode.FLOOR: (2, 3), Mode.TRUNCATE: (2, 3), Mode.CEILING: (1, 2)}.get(mode, (1.5, 2.5))
        assert by_hand[0] >= ranges[0] ** 2
        assert by_hand[-1] <= ranges[1] ** 2


def test_ranges_that_touch_are_one() -> None:
    def interval(low: Any, high: Any, low_closed: bool, high_closed: bool) -> Interval:
        return Interval(low, high, low_closed=low_closed, high_closed=high_closed)

    parts = (interval(None, fmpq(2), False, True), interval(fmpq(21, 10), fmpq(3), False, False))
    assert whole_d_ks(RootSet(parts)) == ((1, 8),)  # no whole number lies between 4 and 4.41
    parts = (interval(None, fmpq(2), False, False), interval(fmpq(2), None, False, False))
    assert whole_d_ks(RootSet(parts)) == ((1, 3), (5, None))
    assert whole_d_ks(RootSet((interval(fmpq(5, 4), fmpq(7, 5), False, True),))) == ()
    assert whole_d_ks(RootSet((interval(fmpq(3), fmpq(3), True, True),))) == ((9, 9),)
    assert whole_d_ks(RootSet(())) == ()
    assert whole_d_ks(safe_roots(ScaledScore(fmpq(1)), Digits(1, 0), Mode.CEILING)) == ((1, None),)


def test_a_square_of_a_point() -> None:
    (point,) = Balance.of([(fmpq(3), fmpq(29)), (fmpq(0), fmpq(-171))]).crossings()
    assert (Squared(point).rational, Squared(fmpq(-3, 2)).rational) == (None, fmpq(9, 4))
    assert order(point, fmpq(169, 100)) == 1
    assert enclosure(Squared(point)) > 2.8561
    with mpmath.workdps(60):
        expected = (3 / mpmath.log(mpmath.mpf(171) / 29)) ** 2
        assert abs(mpmath.mpf(Decimals().round(Squared(point), 50).text) - expected) < mpmath.mpf(10) ** -49


def test_large_whole_d_k() -> None:
    # the weight of 30 places near its limit: d_k is beyond 10^58, and still exact
    exact = derive(load_spec())
    (kept,) = free_d_k(exact, [("weights", (0, 0), Digits(5 * 10**29, 30), Mode.HALF_UP)]).kept
    with mpmath.workdps(120):
        w = mpmath.mpf(1) / 2 + mpmath.mpf(1) / (2 * mpmath.mpf(10) ** 30)
        assert kept.ranges == ((int(mpmath.floor((3 / mpmath.log(w / (1 - w))) ** 2)) + 1, None),)


# ---- bounds and refusals ----------------------------------------------------------------------------------------


def test_what_is_not_searched_says_why_and_the_rest_goes_on() -> None:
    exact = derive(spec_of([[1], [0], [0]], [[1009], [900], [0]], [[1, 0], [5, 0], [2, 3]]))
    written = [("weights", (0, 1), Digits(1, 1), Mode.HALF_UP), ("weights", (1, 1), Digits(3, 1), Mode.HALF_UP)]
    found = free_d_k(exact, written)
    reason = "is not searched for crossings"
    assert reason in found["Output[1,1]"].bounded
    assert found["Output[1,1]"].motions == ()
    assert found["Output[1,1]"].at_infinity == fmpq(8, 3)
    assert [motion.direction for motion in found["Weights[1,1]"].motions] == ["decreasing"]  # told by the coefficients
    assert [motion.direction for motion in found["Weights[2,2]"].motions] == ["constant"]
    assert any(reason in swap.bounded and not swap.always for swap in found.swaps)
    assert (found.kept[0].ranges, found.kept[0].roots) == ((), None)
    assert found.kept[0].bounded != ""
    assert found.kept[1].ranges == ((1, None),)


def test_bounds_on_entries_pairs_and_work(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = derive(load_spec())
    monkeypatch.setattr(free_module, "MAX_ENTRIES", 1)
    monkeypatch.setattr(free_module, "MAX_PAIRS", 2)
    found = free_d_k(exact)
    assert [item.label for item in found.behaviours if not item.bounded] == ["Weights[1,1]", "Output[1,1]"]
    assert found["Output[1,2]"].bounded == "only 1 outputs are followed"
    assert found.unsearched == (6 - 2) + (3 - 2)
    searches = Searches(max_work=5)
    balance = Balance.of([(fmpq(2), fmpq(1)), (fmpq(1), fmpq(-5)), (fmpq(0), fmpq(5))])
    assert searches.signs(balance)[1] == (1, -1, 1)
    negative = Balance({s: -2 * c for s, c in balance.terms.items()})
    assert searches.signs(negative)[1] == (-1, 1, -1)  # known already: no work
    with pytest.raises(UndecidedError, match="more than 5 steps of root finding are not made"):
        searches.signs(Balance.of([(fmpq(2), fmpq(1)), (fmpq(1), fmpq(-7)), (fmpq(0), fmpq(7))]))
    assert searches.signs(Balance.of([])) == ((), (0,))


def test_d_k_may_be_free_or_a_number_or_a_root() -> None:
    Q, K, V = [[2, 0, 1], [1, 2, 1]], [[1, 0, 1], [0, 1, 0]], [[10, 2, 0], [2, 5, 8]]
    made = [free_d_k(derive(spec_of(Q, K, V, d_k)), d_ks=(1, 2)) for d_k in (7, "5/2", "d_k", "sqrt(2)")]
    assert [[row.d_k for row in found.table] for found in made] == [[1, 2, 7], [1, 2, fmpq(5, 2)], [1, 2], [1, 2]]
    assert all(found.behaviours == made[0].behaviours for found in made)
    spec = spec_of(Q, K, V, 7)
    assert free_d_k(derive(spec, Exact(free_d_k=True))).swaps == free_d_k(derive(spec)).swaps


def test_recomputed_projections_stay_recomputed() -> None:
    spec = load_spec()
    assert free_d_k(derive(spec, recompute=True)).derivation.trace.Q[1] == (0, 2, 1)
    assert free_d_k(derive(spec)).derivation.trace.Q[1] == (1, 2, 1)


@pytest.mark.parametrize(
    ("written", "d_ks_given", "message"),
    [
        (
            [("scores", (0, 0), Digits(3, 0), Mode.FLOOR)],
            (),
            "found a written result of 'scores'; expected weights or outputs",
        ),
        ([("weights", (0, 2), Digits(3, 0), Mode.FLOOR)], (), r"there is no Weights\[1,3\]"),
        ([("outputs", (2, 0), Digits(3, 0), Mode.FLOOR)], (), r"there is no Output\[3,1\]"),
        ([], (0,), "d_k = 0; expected positive numbers"),
        ([], (fmpq(-1, 2),), "d_k = -1/2; expected positive numbers"),
    ],
)
def test_refused(written: Any, d_ks_given: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        free_d_k(derive(load_spec()), written, d_ks_given)


def test_other_derivations_are_refused() -> None:
    with pytest.raises(OptionError, match="found a derivation as-written; expected an exact one"):
        free_d_k(derive(load_spec(), Written(Policy())))
    with pytest.raises(OptionError, match="letters, roots or π in the input: d_k is not followed; expected rational"):
        free_d_k(derive(spec_of([["a"]], [[1]], [[1]])))
    with pytest.raises(OptionError, match=r"no quantity is called 'w'; expected a label such as Weights\[1,2\]"):
        _ = free_d_k(derive(load_spec()))["w"]
