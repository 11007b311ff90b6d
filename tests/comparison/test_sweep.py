"""Root sweeps: true values inside the bounds, by mpmath, and digits that agree with the exact safe roots."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Exact, Policy, Written, derive, load_spec
from symattn.comparison.safe_roots import SafeRoots, Weighted, safe_roots
from symattn.comparison.sweep import Sweep, sweep
from symattn.errors import OptionError
from symattn.numbers.certified import Decimals, enclosure
from symattn.numbers.expsum import ExpSum, Key, Scale, quotient
from symattn.numbers.machine import Float
from symattn.numbers.rounding import Digits, Mode


def exact(number: float) -> fmpq:
    return fmpq(*float(number).as_integer_ratio())


def swept(scores: Any, V: Any, roots: Any) -> Sweep:
    """A sweep of rows of scores, by way of K = 1."""
    n = len(V)
    spec = {
        "tokens": [f"t{i}" for i in range(n)],
        "Q": [[str(s) for s in row] for row in scores],
        "K": np.eye(n, dtype=int).tolist(),
        "V": [[str(v) for v in row] for row in V],
    }
    return sweep(derive(load_spec(spec)), roots)


def truth(scores: Any, values: Any, root: float) -> mpmath.mpf:
    """f(root), at mpmath's own precision."""
    powers = [mpmath.exp(mpmath.mpf(int(s.p)) / int(s.q) / mpmath.mpf(root)) for s in map(fmpq_of, scores)]
    weights = [mpmath.mpf(int(v.p)) / int(v.q) for v in map(fmpq_of, values)]
    return mpmath.fsum(p * v for p, v in zip(powers, weights, strict=True)) / mpmath.fsum(powers)


def fmpq_of(text: Any) -> fmpq:
    return fmpq(*map(int, str(text).split("/")))


numbers = st.builds(lambda p, q: f"{p}/{q}", st.integers(-30, 30), st.integers(1, 12))
roots_of_all_sizes = st.lists(st.floats(-3, 12).map(lambda x: 10**x), min_size=1, max_size=5)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.integers(1, 4), st.integers(1, 3), roots_of_all_sizes)
def test_every_entry_contains_the_true_value(data: st.DataObject, n: int, d_v: int, roots: list[float]) -> None:
    scores = data.draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=n, max_size=n))
    V = data.draw(st.lists(st.lists(numbers, min_size=d_v, max_size=d_v), min_size=n, max_size=n))
    made = swept(scores, V, roots)
    entries = [(made.weights(i, j), i, [int(k == j) for k in range(n)]) for i in range(n) for j in range(n)]
    entries += [(made.outputs(i, j), i, [row[j] for row in V]) for i in range(n) for j in range(d_v)]
    with mpmath.workdps(60):
        for found, i, values in entries:
            assert found.values.shape == found.bounds.shape == (len(roots),)
            assert (found.bounds <= 1e-10).all()
            for root, value, bound in zip(roots, found.values.tolist(), found.bounds.tolist(), strict=True):
                assert abs(truth(scores[i], values, root) - mpmath.mpf(value)) <= bound


def test_tiny_and_huge_roots() -> None:
    made = swept([["3", "0"], ["0", "0"]], [["2"], ["5"]], [1e-300, 1e-3, 1e18, 1e300])
    assert made.weights(0, 1).values.tolist()[:2] == [0.0, 0.0]
    assert made.weights(0, 1).values[2:] == pytest.approx([0.5, 0.5], rel=1e-14)
    assert made.outputs(0, 0).values == pytest.approx([2, 2, 3.5, 3.5], rel=1e-14)
    assert made.outputs(1, 0).values.tolist() == [3.5] * 4
    # e^-3000 is below every float, yet the weight is not 1, and the floor knows
    assert made.written("weights", 0, 0, 2, Mode.FLOOR).units.tolist() == [99, 99, 50, 50]
    assert made.written("weights", 0, 0, 2, Mode.CEILING).units.tolist() == [100, 100, 51, 51]
    assert made.written("weights", 0, 0, 2, Mode.HALF_UP).units.tolist() == [100, 100, 50, 50]
    assert not made.written("weights", 0, 0, 2, Mode.FLOOR).by_floats.any()
    assert made.written("weights", 0, 0, 2, Mode.HALF_UP).by_floats.all()


def floats_near_the_ends(found: SafeRoots, spread: int) -> list[float]:
    out = []
    for interval in found.sets:
        for end in (interval.low, interval.high):
            if end is not None:
                middle = float(enclosure(end).mid())
                steps = [*range(-spread, spread), *(sign * 2**n for n in range(45) for sign in (-1, 1))]
                out += [middle + step * np.spacing(middle) for step in steps]
    return out


CASES: dict[str, tuple[list[str], list[str], Digits, int]] = {
    "output of the bundled example": (["3", "0"], ["2", "5"], Digits(245, 2), 400),
    "its weight": (["3", "0"], ["1", "0"], Digits(85, 2), 400),
    "fractions": (["7/3", "-1/2"], ["-1/7", "22/9"], Digits(4, 1), 200),
    "many digits": (["3", "0"], ["2", "5"], Digits(2447281234567, 12), 200),
    "two sets": (["0", "2", "3"], ["0", "1", "0"], Digits(34, 2), 12),
    "three scores": (["5", "1", "-2"], ["-3", "1/3", "4"], Digits(-21, 1), 12),
    "a limit at a tie": (["1", "0", "0"], ["1", "0", "1/2"], Digits(5, 1), 12),
}


@pytest.mark.parametrize("mode", [*Mode], ids=str)
@pytest.mark.parametrize(("scores", "values", "digits", "spread"), CASES.values(), ids=CASES)
def test_roots_that_keep_the_digits_are_the_safe_ones(
    scores: list[str], values: list[str], digits: Digits, spread: int, mode: Mode
) -> None:
    weighted = Weighted(tuple(map(fmpq_of, scores)), tuple(map(fmpq_of, values)))
    found = safe_roots(weighted, digits, mode)
    roots = [*floats_near_the_ends(found, spread if mode is Mode.HALF_UP else 5), *np.linspace(0.05, 12, spread)]
    n = len(scores)
    made = swept([scores] * n, [[v] for v in values], roots)
    kept = made.keeps("outputs", 0, 0, digits, mode)
    assert kept.dtype == bool
    assert kept.tolist() == [found.contains(exact(root)) for root in roots]
    if found.sets:
        assert kept.any()
        assert not kept.all()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(numbers, min_size=2, max_size=3),
    st.lists(numbers, min_size=3, max_size=3),
    roots_of_all_sizes,
    st.integers(-1, 15),
    st.sampled_from(Mode),
)
def test_written_digits_are_the_certified_ones(
    scores: list[str], values: list[str], roots: list[float], places: int, mode: Mode
) -> None:
    n = len(scores)
    made = swept([scores] * n, [[v] for v in values[:n]], roots)
    for kind, column in (
        ("outputs", list(map(fmpq_of, values[:n]))),
        ("weights", [fmpq(int(k == 0)) for k in range(n)]),
    ):
        found = made.written(kind, 1, 0, places, mode)
        assert found.places == places
        for root, units in zip(roots, found.units.tolist(), strict=True):
            terms = [(Key(fmpq(0), fmpq_of(s) / exact(root)), v) for s, v in zip(scores, column, strict=True)]
            scale = Scale(fmpq(1))
            below = ExpSum.collect([(key, fmpq(1)) for key, _ in terms], scale)
            assert Decimals().round(quotient(ExpSum.collect(terms, scale), below), places, mode).units == units


def test_results_that_do_not_depend_on_the_root_are_rounded_as_rationals() -> None:
    made = swept([["1", "1"], ["3", "0"]], [["1", "7"], ["0", "7"]], [0.5, 1.7, 1e9])
    assert made.written("weights", 0, 0, 0, Mode.HALF_UP).units.tolist() == [1] * 3
    assert made.written("weights", 0, 0, 0, Mode.HALF_EVEN).units.tolist() == [0] * 3
    assert made.written("outputs", 1, 1, 1, Mode.CEILING).units.tolist() == [70] * 3
    assert made.keeps("outputs", 1, 1, Digits(70, 1), Mode.FLOOR).all()
    assert made.outputs(1, 1).values == pytest.approx([7, 7, 7], rel=1e-15)


def test_negative_results_are_cut_toward_zero() -> None:
    made = swept([["3", "0"], ["0", "3"]], [["-2"], ["-5"]], [1.7, 1.75])
    assert made.written("outputs", 0, 0, 2, Mode.TRUNCATE).units.tolist() == [-243, -245]
    assert made.written("outputs", 0, 0, 2, Mode.FLOOR).units.tolist() == [-244, -246]
    assert made.written("outputs", 0, 0, 2, Mode.HALF_EVEN).units.tolist() == [-244, -246]


def test_the_bundled_example_over_ten_thousand_roots() -> None:
    roots = np.linspace(1.5, 2.0, 10_001)
    made = sweep(derive(load_spec(), Exact(free_d_k=True)), roots)
    found = safe_roots(Weighted((fmpq(3), fmpq(0)), (fmpq(2), fmpq(5))), Digits(245, 2), Mode.HALF_UP)
    kept = made.keeps("outputs", 0, 1, Digits(245, 2))
    [interval] = found.sets
    low, high = (float(enclosure(end).mid()) for end in (interval.low, interval.high))
    assert kept.tolist() == ((roots > low) & (roots < high)).tolist()
    assert 0 < kept.sum() < 10_001
    assert made.roots.tolist() == roots.tolist()


def test_rows_are_computed_when_asked_for() -> None:
    made = swept([["1", "0"], ["1e400", "0"]], [["1"], ["0"]], [1.0])
    assert made.weights(0, 0).values == pytest.approx([1 / (1 + np.exp(-1))])
    with pytest.raises(OptionError, match="apart; expected 0 or a difference within the normal floats"):
        made.weights(1, 0)


def test_what_cannot_be_swept() -> None:
    spec = load_spec()
    letters = load_spec({"tokens": ["a"], "Q": [["sqrt(2)"]], "K": [[1]], "V": [[1]]})
    for wrong in (derive(spec, Written(Policy())), derive(spec, Float()), derive(letters)):
        with pytest.raises(OptionError, match="cannot be swept; expected an exact derivation"):
            sweep(wrong, [1.7])
    with pytest.raises(OptionError, match=r"a root of -1\.0; expected positive finite numbers"):
        sweep(derive(spec), [1.7, -1.0])
    made = sweep(derive(spec), [1.7])
    with pytest.raises(OptionError, match="a sweep of scores; expected weights or outputs"):
        made.written("scores", 0, 0, 2)
    for i, j in ((2, 0), (0, 3), (-1, 0)):
        with pytest.raises(OptionError, match=rf"outputs of row {i} and column {j}; expected a place in 2x3, from 0"):
            made.outputs(i, j)
    with pytest.raises(OptionError, match="weights of row 0 and column 2; expected a place in 2x2"):
        made.weights(0, 2)
    for places in (30, -300):
        with pytest.raises(OptionError, match=rf"outputs to {places} places in a sweep; expected at most 18 digits"):
            made.written("outputs", 0, 0, places)
