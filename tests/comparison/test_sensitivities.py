"""Sensitivities: against numerical derivatives at 50 digits, by hand for the bundled example, and to second order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import mpmath
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Exact, Written, certified, derive, load_spec
from symattn.comparison.losses import Difference, Loss, Part, losses
from symattn.comparison.sensitivities import (
    STEPS,
    Product,
    cancelled,
    predictions,
    row_sensitivities,
    sensitivities,
)
from symattn.errors import OptionError
from symattn.numbers.certified import enclosure, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import Scale, exponential, quotient
from symattn.numbers.partly import Partly
from symattn.numbers.rounding import KINDS

Spot = tuple[str, tuple[int, ...]]


def near(number: Any, expected: Any, digits: int = 25) -> bool:
    """Whether an exact number is the expected one, to so many decimals."""
    with mpmath.workdps(60):
        return bool(abs(mpmath.mpf(certified(number, 45)) - expected) < mpmath.mpf(10) ** -digits)


def mp(value: Any) -> Any:
    return mpmath.mpf(int(value.p)) / int(value.q)


def forward(trace: Any, i: int, moved: Mapping[Spot, Any]) -> dict[Spot, Any]:
    """Row i of the softmax and its outputs, with some quantities put in the place of what they would be."""
    made: dict[Spot, Any] = {}

    def keep(kind: str, place: tuple[int, ...], value: Any) -> Any:
        made[kind, place] = moved.get((kind, place), value)
        return made[kind, place]

    scores = [mp(s) for s in trace.scores[i]]
    root = keep("root", (), mpmath.sqrt(mp(trace.root.scale.d_k)))
    scaled = [keep("scaled_scores", (i, j), s / root) for j, s in enumerate(scores)]
    powers = [keep("exponentials", (i, j), mpmath.exp(s)) for j, s in enumerate(scaled)]
    total = keep("row_sums", (i,), mpmath.fsum(powers))
    weights = [keep("weights", (i, j), p / total) for j, p in enumerate(powers)]
    for c in range(len(trace.V[0])):
        keep("outputs", (i, c), mpmath.fsum(w * mp(v[c]) for w, v in zip(weights, trace.V, strict=True)))
    return made


def slope(trace: Any, i: int, of: Spot, to: Spot) -> Any:
    """The derivative of one quantity by another, by differences at twice the digits."""
    at = forward(trace, i, {})[to]
    return mpmath.diff(lambda x: forward(trace, i, {to: x})[of], at)


def check_row(trace: Any, i: int, made: Sequence[Any]) -> None:
    known = {(item.of, item.to): item.value for item in made}
    assert len(known) == len(made)
    with mpmath.workdps(50):
        spots = list(forward(trace, i, {}))
        for to, of in combinations(spots, 2):  # in the order of the pipeline
            expected = slope(trace, i, of, to)
            if (of, to) in known:
                assert near(known[of, to], expected), (of, to)
            else:
                assert of[0] == to[0] or of[0] == "exponentials"
                assert abs(expected) < mpmath.mpf(10) ** -25, (of, to)
    assert set(known) <= set(map(tuple, map(reversed, combinations(spots, 2))))


# ---- derivatives ------------------------------------------------------------------------------------------------


def test_derivatives_of_the_bundled_example_by_hand() -> None:
    made = {(item.of, item.to): item.value for item in sensitivities(derive(load_spec()))}
    root: Spot = ("root", ())
    with mpmath.workdps(60):
        e = mpmath.exp(mpmath.sqrt(3))
        w, total = e / (1 + e), 1 + e
        expected = {
            (("weights", (0, 0)), root): -w * (1 - w),
            (("weights", (0, 1)), root): w * (1 - w),
            (("outputs", (0, 0)), root): -8 * w * (1 - w),
            (("outputs", (0, 2)), root): 8 * w * (1 - w),
            (("exponentials", (0, 0)), root): -e,
            (("row_sums", (0,)), root): -e,
            (("weights", (0, 0)), ("scaled_scores", (0, 0))): w * (1 - w),
            (("weights", (0, 0)), ("scaled_scores", (0, 1))): -w * (1 - w),
            (("weights", (0, 0)), ("exponentials", (0, 0))): (1 - w) / total,
            (("weights", (0, 0)), ("exponentials", (0, 1))): -w / total,
            (("weights", (0, 0)), ("row_sums", (0,))): -w / total,
            (("outputs", (0, 1)), ("scaled_scores", (0, 0))): -3 * w * (1 - w),
            (("outputs", (0, 1)), ("exponentials", (0, 1))): 3 * w / total,
            (("outputs", (0, 1)), ("row_sums", (0,))): -(5 - 3 * w) / total,
        }
        for pair, value in expected.items():
            assert near(made[pair], value, 40), pair
    assert [made[("scaled_scores", (0, j)), root] for j in (0, 1)] == [-1, 0]
    assert [made[("outputs", (1, c)), ("weights", (1, 1))] for c in range(3)] == [2, 5, 8]
    # equal scores: no root changes the weights, and that is decided
    for spot in (("weights", (1, 0)), ("weights", (1, 1)), ("outputs", (1, 0)), ("outputs", (1, 2))):
        assert rational_of(made[spot, root]) == 0
    assert made[("weights", (1, 0)), ("scaled_scores", (1, 0))] == fmpq(1, 4)


entries = st.integers(-3, 3)


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    n, k, v = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(1, 2))

    def matrix(width: int) -> list[list[int]]:
        return [[draw(entries) for _ in range(width)] for _ in range(n)]

    return {
        "tokens": ["t"] * n,
        "Q": matrix(k),
        "K": matrix(k),
        "V": matrix(v),
        "d_k": draw(st.sampled_from([1, 2, 3, 4, 12, "9/4", "1/2"])),
        "rounding": {
            "scaled_scores": {"places": draw(st.integers(0, 3))},
            "exponentials": {"digits": draw(st.integers(1, 4))},
            "row_sums": {"digits": draw(st.integers(1, 4))},
            "weights": {"places": draw(st.integers(1, 3))},
            "outputs": {"places": draw(st.integers(0, 2))},
        },
    }


@settings(max_examples=12, deadline=None)
@given(specs())
def test_derivatives_against_numerical_ones(given_spec: dict[str, Any]) -> None:
    exact = derive(load_spec(given_spec))
    check_row(exact.trace, 0, row_sensitivities(exact, 0))


@pytest.mark.parametrize("d_k", [3, 4])
def test_what_does_not_move_is_decided(d_k: int) -> None:
    spec = load_spec({"tokens": ["a", "b"], "Q": [[1], [0]], "K": [[3], [1]], "V": [[7, 1], [7, 2]], "d_k": d_k})
    made = {(item.of, item.to): item.value for item in sensitivities(derive(spec))}
    constant = [value for (of, _), value in made.items() if of == ("outputs", (0, 0))]
    # the first column of V is constant: the output is 7, unless the row sum or a weight moves alone
    assert [rational_of(value) for value in constant[:5]] == [0, 0, 0, 0, 0]
    assert rational_of(constant[5]) is None
    assert constant[6:] == [7, 7]
    moving = [value for (of, to), value in made.items() if of == ("outputs", (0, 1)) and to[0] != "weights"]
    assert all(rational_of(value) is None for value in moving)
    # all scores of the second row are 0: everything in it is rational
    second = [value for (of, _), value in made.items() if of[1][:1] == (1,)]
    assert all(isinstance(value, fmpq) for value in second)


# ---- predictions ------------------------------------------------------------------------------------------------


def test_predictions_of_the_bundled_example_by_hand() -> None:
    exact = derive(load_spec())
    found = {(item.place, item.kind): item for item in predictions(exact, losses(exact.spec))}
    with mpmath.workdps(60):
        m = mpmath.mpf
        e, r = mpmath.exp(mpmath.sqrt(3)), mpmath.sqrt(3)
        w, total = e / (1 + e), 1 + e
        values = [(10, 2), (2, 5), (0, 8)]
        for c, (first, second) in enumerate(values):
            y, spread = first * w + second * (1 - w), (first - second) * w * (1 - w)
            expected = {
                "root": -spread * (m("1.7") - r),
                "scaled_scores": spread * (m("1.76") - 3 / m("1.7")),
                "exponentials": (first - y) / total * (m("5.8") - mpmath.exp(m("1.76"))),
                "weights": first * (m("0.85") - m("5.8") / m("6.8")) + second * (m("0.15") - 1 / m("6.8")),
            }
            place = (0, c)
            # the output itself is kept exact on the rounded weights, and 6.8 is no rounded sum
            assert [kind for at, kind in found if at == place] == list(expected)
            for kind, value in expected.items():
                assert near(found[place, kind].predicted, value, 40), (place, kind)
            true = {part.kind: part.error for part in losses(exact.spec)[c].parts}
            assert all(found[place, kind].true == true[kind] for kind in expected)
            assert found[place, "weights"].predicted == found[place, "weights"].true.rational
    # both scores of the second row are 2: what is rounded alike changes nothing, predicted or true
    for c in range(3):
        assert [kind for at, kind in found if at == (1, c)] == ["root", "scaled_scores", "exponentials"]
        for kind in ("root", "scaled_scores", "exponentials"):
            item = found[(1, c), kind]
            assert rational_of(item.predicted) == item.true.rational == item.rest.rational == 0


@settings(max_examples=25, deadline=None)
@given(specs())
def test_predictions_are_derivatives_times_rounding_errors(given_spec: dict[str, Any]) -> None:
    spec = load_spec(given_spec)
    exact = derive(spec)
    lost = losses(spec)
    found = {(item.place, item.kind): item for item in predictions(exact, lost)}
    runs = {kind: derive(spec, Partly(spec.policy, KINDS.index(kind))).trace for kind in STEPS}
    runs["end"] = derive(spec, Partly(spec.policy)).trace
    names = [*STEPS, "end"]
    for loss in lost:
        for part in loss.parts:
            assert found[loss.place, part.kind].true == part.error
    with mpmath.workdps(50):
        for loss in lost:
            i, c = loss.place
            for kind, then in zip(STEPS, names[1:], strict=True):
                before, after = (quantities(runs[name], i) for name in (kind, then))
                total, moved = mpmath.mpf(0), False
                for spot in before:
                    if spot[0] != kind or (kind == "outputs" and spot != ("outputs", (i, c))):
                        continue
                    error = Difference(after[spot], before[spot])
                    moved = moved or error.rational != 0
                    derivative = 1 if kind == "outputs" else slope(exact.trace, i, ("outputs", (i, c)), spot)
                    total += derivative * mpmath.mpf(certified(error, 48))
                item = found.get((loss.place, kind))
                assert (item is not None) == moved
                if item is None:
                    assert abs(total) < mpmath.mpf(10) ** -25
                    continue
                assert near(item.predicted, total)
                if kind in {"weights", "outputs"}:
                    assert rational_of(item.predicted) == item.true.rational is not None
                    assert item.rest.rational == 0


def quantities(trace: Any, i: int) -> dict[Spot, Any]:
    made: dict[Spot, Any] = {("root", ()): trace.root, ("row_sums", (i,)): trace.row_sums[i]}
    for kind, rows in (
        ("scaled_scores", trace.scaled_scores),
        ("exponentials", trace.exponentials),
        ("weights", trace.attention_weights),
        ("outputs", trace.output),
    ):
        made.update({(kind, (i, j)): number for j, number in enumerate(rows[i])})
    return made


def test_what_is_left_is_of_second_order() -> None:
    seen = set()
    for places in range(2, 13, 2):
        rule = {"places": places}
        rounding = dict.fromkeys(STEPS[:-1], rule)
        spec = load_spec(
            {
                "tokens": list("abc"),
                "Q": [[1, 2], [2, -1], [1, 1]],
                "K": [[1, 1], [0, 1], [2, 0]],
                "V": [[3, 1], [-1, 2], [4, 0]],
                "d_k": 2,
                "rounding": rounding,
            }
        )
        exact = derive(spec)
        for item in predictions(exact, losses(spec)):
            size = abs(enclosure(item.predicted, 256)) * 10**places
            rest = abs(enclosure(item.rest, 256)) * 10 ** (2 * places)
            assert rest < 500, (places, item.place, item.kind)
            if size > fmpq(1, 100):
                seen.add((places, item.kind))
    assert len(seen) >= 6 * 4


def test_a_rational_root_has_an_exact_prediction() -> None:
    spec = load_spec(
        {"tokens": ["a", "b"], "Q": [[1]] * 2, "K": [[3], [0]], "V": [[1], [0]], "d_k": "9/4"}
    ).with_rounding(["root=1.4"])
    exact = derive(spec)
    item = next(item for item in predictions(exact, losses(spec)) if item.kind == "root")
    # dw/dr = −3/r²·w(1 − w) at r = 3/2, and 1.4 − 1.5 = −1/10
    e = exponential(fmpq(2))
    one = exponential(fmpq(0))
    assert item.predicted == quotient(4 * e, 30 * (one + e) * (one + e))


def test_products() -> None:
    root, e = SquareRoot(Scale(fmpq(3))), exponential(fmpq(1))
    assert Product(e, Difference(fmpq(2), root)).rational is None
    assert Product(fmpq(0), Difference(fmpq(2), root)).rational == 0
    assert Product(e, Difference(root, root)).rational == 0
    assert certified(Product(e, Difference(fmpq(2), root)), 12) == "0.728361420736"  # e·0.2679491924…


# ---- what cancels -----------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(specs())
def test_what_cancelled_against_the_definition(given_spec: dict[str, Any]) -> None:
    spec = load_spec(given_spec)
    for loss in losses(spec):
        found = cancelled(loss)
        with mpmath.workdps(60):
            parts = [mpmath.mpf(certified(part.error, 55)) for part in loss.parts]
            total = mpmath.mpf(certified(loss.total, 55))
            size = (mpmath.fsum(map(abs, parts)) - abs(total)) / 2
            if found is None:
                assert size < mpmath.mpf(10) ** -50
                assert all(part * total >= 0 for part in parts)
            else:
                assert near(found.size, size, 40)
                assert rational_of(found.size) != 0
                opposite = [part for part, value in zip(loss.parts, parts, strict=True) if value * total < 0]
                assert list(found.parts) == (opposite if loss.total.rational != 0 else list(loss.parts))
                assert found.place == loss.place


def test_what_cancelled_in_the_bundled_example() -> None:
    found = [cancelled(loss) for loss in losses(load_spec())]
    assert found[3:] == [None, None, None]  # nothing is lost in the second row
    second = found[1]
    assert second is not None
    assert [part.kind for part in second.parts] == ["scaled_scores", "exponentials", "weights"]
    with mpmath.workdps(60):
        with_root = 5 - 3 / (1 + mpmath.exp(-3 / mpmath.mpf("1.7")))
        assert near(second.size, mpmath.mpf("2.45") - with_root, 40)  # three neighbours in one


def test_what_cancelled_exactly() -> None:
    def loss(*ends: Any) -> Loss:
        parts = [Part("weights", Difference(b, a)) for a, b in pairwise(ends)]
        return Loss((0, 0), Difference(ends[-1], ends[0]), tuple(parts))

    root = SquareRoot(Scale(fmpq(3)))
    # 1 -> √3 -> 2 -> 0: the first two parts together are 1, although neither is rational
    both = cancelled(loss(fmpq(1), root, fmpq(2), fmpq(0)))
    assert both is not None
    assert (len(both.parts), both.size.rational) == (2, 1)
    # 0 -> 1/2 -> -1/4 -> 0: a total of 0, and all of it cancelled
    whole = cancelled(loss(fmpq(0), fmpq(1, 2), fmpq(-1, 4), fmpq(0)))
    assert whole is not None
    assert (len(whole.parts), whole.size.rational) == (3, fmpq(3, 4))
    assert cancelled(loss(fmpq(0), fmpq(1), fmpq(2))) is None
    assert cancelled(loss(fmpq(0), fmpq(0))) is None
    # 0 -> 1 -> √3 - but apart: 2 -> 1 and √3 -> 0 do not touch
    apart = cancelled(loss(fmpq(2), fmpq(1), fmpq(9), root, fmpq(10)))
    assert apart is not None
    assert len(apart.parts) == 2
    assert apart.size.rational is None
    assert certified(apart.size, 10) == "8.2679491924"


# ---- refusals ---------------------------------------------------------------------------------------------------


def test_only_exact_derivations_with_a_number_for_d_k() -> None:
    spec = load_spec()
    lettered = load_spec({"tokens": ["a"], "Q": [["sqrt(2)"]], "K": [[1]], "V": [[1]]})
    for other in (derive(spec, Written(spec.policy)), derive(spec, Exact(free_d_k=True)), derive(lettered)):
        with pytest.raises(OptionError, match="expected an exact one, with rational entries and d_k"):
            row_sensitivities(other, 0)
        with pytest.raises(OptionError, match="sensitivities of another derivation"):
            predictions(other, ())
    free = load_spec({"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "d_k": "d_k"})
    with pytest.raises(OptionError, match="d_k is free, and sensitivities need a number"):
        sensitivities(derive(free))
