"""How many places suffice: by hand, by vertices and samples with mpmath, and against plain hand calculations."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Exact, Policy, Written, derive, load_spec
from symattn.comparison.guarantee import Box, Cell, Movable, RootPart, Row
from symattn.comparison.safe_roots import Weighted, safe_roots
from symattn.comparison.sufficient import ROUNDED, TRIED, Places, Sufficiency, sufficient
from symattn.errors import OptionError
from symattn.numbers.certified import Decimals
from symattn.numbers.rounding import Digits, Mode, Rule

HALF = (Mode.HALF_UP, Mode.HALF_EVEN)


def asked(spec: Any = None, **choices: Any) -> Sufficiency:
    return sufficient(derive(load_spec(spec)), **choices)


def even(V: list[list[Any]], score: int = 0) -> dict[str, Any]:
    """Equal scores, so that each of n weights is 1/n."""
    n = len(V)
    return {"tokens": ["t"] * n, "Q": [[score]] * n, "K": [[1]] * n, "V": V, "d_k": 3}


def policy(mode: Mode) -> Policy:
    return Policy({kind: Rule(mode=mode) for kind in ROUNDED})


# ---- by hand ----------------------------------------------------------------------------------------------------


def test_the_bundled_example_by_hand() -> None:
    # the first output is 8.797396 = 10·w + 2·(1 − w): it is written 8.80 from 8.795 to 8.805. Weights off by h each
    # move it by 12h: 0.006 with 3 places is too much, 0.0006 with 4 is not
    found = asked()
    assert found["weights"].guaranteed == Places(4, place=(0, 0))
    # and w/(1 − w) = e^(3/r) lets the root go from 1.7246 to 1.7344: 0.005 to both sides is too much, 0.0005 is not
    with mpmath.workdps(30):
        low, root, high = 3 / mpmath.log(mpmath.mpf("6.805") / 1.195), mpmath.sqrt(3), 3 / mpmath.log(6.795 / 1.205)
        assert low < root - 0.005
        assert root + 0.0005 < high < root + 0.005
    assert found["root"].guaranteed.number == 3
    assert found["root"].replayed.first == found["root"].replayed.onwards == Places(2)  # 1.73; 1.7 gives 2.4386
    assert found["row_sums"].guaranteed == Places(3, place=(0, 0))
    assert {each.kind: each.mode for each in found.kinds} == dict.fromkeys(ROUNDED, Mode.HALF_UP)
    assert found.together.first == Places(2)


def test_truncated_outputs_on_the_boundary_bind_the_exponentials_but_not_the_halves() -> None:
    # Machine is 6, 3.5, 4 exactly: weights 1/2 are not moved by any rounding to a place or more, but each of the two
    # exponentials e^(2/√3) by itself is, and 6 = (10x + 2y)/(x + y) falls below 6 where x < y
    found = asked(mode=Mode.TRUNCATE)
    never = Places(None, never=True, place=(1, 0))
    assert [found[kind].guaranteed for kind in ("scaled_scores", "exponentials")] == [never, never]
    assert found["weights"].guaranteed == Places(4, place=(0, 0))
    # a hand truncates the two alike, and comes out right as far as it was tried
    assert found["exponentials"].replayed.onwards == Places(2, searched=2 + TRIED)
    assert found["root"].guaranteed.number == 3  # the root moves both scores together


@pytest.mark.parametrize("V", [[[3], [3], [3]], [[2], [3], [4]]])
def test_an_output_of_exactly_3_is_never_kept_by_truncated_thirds(V: list[list[Any]]) -> None:
    found = asked(even(V), mode=Mode.TRUNCATE)
    never = Places(None, never=True, place=(0, 0))
    assert found["weights"].guaranteed == never
    assert found["weights"].replayed.first == found["weights"].replayed.onwards == never
    assert [found[kind].guaranteed for kind in ROUNDED[:-1]] == [Places(0)] * 4


def test_truncated_thirds_may_do_where_they_err_to_the_other_side() -> None:
    # −3 truncated: thirds below 1/3 give −2.99…, which is written −2.99; upwards −3.00…, which is written −3.00
    V = [[-3], [-3], [-3]]
    assert asked(even(V), mode=Mode.TRUNCATE)["weights"].guaranteed.never
    found = asked(even(V), policy=policy(Mode.CEILING), mode=Mode.TRUNCATE)["weights"]
    assert (found.mode, found.guaranteed) == (Mode.CEILING, Places(3, place=(0, 0)))
    assert found.replayed.first.number == 3


def test_equal_values_bear_any_exponentials_that_are_not_all_0() -> None:
    # e^(-6/√3) = 0.0313: with 1 place every exponential may be 0, and with 2 none is
    found = asked(even([[3], [3]], score=-6), mode=Mode.TRUNCATE)
    assert found["exponentials"].guaranteed == Places(2, place=(0, 0))
    assert found["exponentials"].replayed.first == Places(2)
    assert found["scaled_scores"].guaranteed == Places(0)
    # a truncated sum only makes 3 larger: by 0.0626/0.0616 it is 3.04…, by 0.0626/0.0625 still 3.00…
    assert found["row_sums"].guaranteed == Places(4, place=(0, 0))


def test_unequal_values_on_the_boundary_bind_exponentials_and_scores() -> None:
    found = asked(even([[2], [3], [4]], score=1), mode=Mode.TRUNCATE)
    assert [found[kind].guaranteed.never for kind in ROUNDED] == [False, True, True, False, True]
    # a smaller sum makes 3 larger: under the ceiling that is written 3.01, whatever is kept
    other = asked(even([[2], [3], [4]], score=1), policy=policy(Mode.TRUNCATE), mode=Mode.CEILING)
    never = Places(None, never=True, place=(0, 0))
    assert (other["row_sums"].guaranteed, other["row_sums"].replayed.first) == (never, never)


def test_a_tie_of_half_up_is_lost_to_rounded_thirds_as_far_as_they_are_tried() -> None:
    # 3/8 · 1/3 = 0.125 is written 0.13, and 3/8 · 0.33…3 is not; rounding to nearest is not proven to fail forever
    found = asked(even([["3/8"], [0], [0]]))["weights"]
    assert found.guaranteed == Places(None, never=True, place=(0, 0))
    assert found.replayed.first == found.replayed.onwards == Places(None, searched=2 + TRIED)
    # half-even writes 0.12, which a third rounded down does not leave, and one that might be rounded up does
    even_digit = asked(even([["3/8"], [0], [0]]), mode=Mode.HALF_EVEN)["weights"]
    assert even_digit.guaranteed.never
    assert even_digit.replayed.onwards == Places(2, searched=2 + TRIED)


def test_zero_is_inside_its_digits_when_truncated() -> None:
    # two weights that err by less than 0.01, each to one side, leave 0 between −0.01 and 0.01
    assert asked(even([[1], [-1], [0]]), mode=Mode.TRUNCATE)["weights"].guaranteed == Places(2, place=(0, 0))
    assert asked(even([[1], [-1], [0]]), mode=Mode.FLOOR)["weights"].guaranteed.never


def test_scores_that_end_beyond_the_search_are_more_and_not_never() -> None:
    # 1/2^70 is a decimal of 70 places: kept whole it is not moved at all
    spec = even([[2], [4]], score=1) | {"d_k": str(4**70)}
    found = asked(spec, mode=Mode.TRUNCATE)["scaled_scores"]
    assert found.guaranteed == Places(None, searched=62, place=(0, 0))
    assert asked(spec, mode=Mode.TRUNCATE, places=10)["scaled_scores"].guaranteed == Places(70, place=(0, 0))


@pytest.mark.parametrize(
    ("number", "places", "mode", "low", "high"),
    [
        (fmpq(1, 3), 1, Mode.HALF_UP, (fmpq(-1, 20), True), (fmpq(1, 20), True)),
        (fmpq(1, 3), 0, Mode.HALF_EVEN, (None, True), (fmpq(1, 2), True)),
        (fmpq(1, 2), 0, Mode.HALF_UP, (None, True), (fmpq(1, 2), True)),
        (fmpq(1, 2), 1, Mode.HALF_UP, (fmpq(0), True), (fmpq(0), True)),
        (fmpq(1, 3), 1, Mode.TRUNCATE, (fmpq(-1, 10), False), (fmpq(0), True)),
        (fmpq(1, 3), 0, Mode.FLOOR, (None, True), (fmpq(0), True)),
        (fmpq(1, 3), 0, Mode.CEILING, (fmpq(0), True), (fmpq(1), False)),
        (fmpq(-4, 3), 0, Mode.TRUNCATE, (fmpq(0), True), (fmpq(1), False)),
        (fmpq(-1, 3), 0, Mode.TRUNCATE, (fmpq(0), True), (None, True)),
        (fmpq(-1, 3), 0, Mode.FLOOR, (fmpq(-1), False), (fmpq(0), True)),
        (fmpq(-1, 3), 0, Mode.HALF_UP, (fmpq(-1, 2), True), (None, True)),
        (fmpq(0), 0, Mode.CEILING, (fmpq(0), True), (fmpq(0), True)),
    ],
)
def test_how_far_a_rounding_may_move_a_number(number: Any, places: int, mode: Mode, low: Any, high: Any) -> None:
    box = Movable.of(number).box(places, mode)
    assert ((box.low.shift, box.low.reached), (box.high.shift, box.high.reached)) == (low, high)


# ---- by vertices, samples and plain hand calculations, with mpmath ----------------------------------------------


def rounded(value: Any, places: int, mode: Mode) -> int:
    """Whole units of 10**-places; a value within 1e-40 of a multiple of half a unit is that multiple."""
    scaled = value * mpmath.mpf(10) ** places
    snapped = mpmath.nint(2 * scaled) / 2
    if abs(scaled - snapped) < mpmath.mpf(10) ** -40:
        scaled = snapped
    down, up = int(mpmath.floor(scaled)), int(mpmath.ceil(scaled))
    if mode is Mode.FLOOR or (mode is Mode.TRUNCATE and scaled > 0):
        return down
    if mode in {Mode.CEILING, Mode.TRUNCATE}:
        return up
    if scaled - down != up - scaled:
        return down if scaled - down < up - scaled else up
    if mode is Mode.HALF_EVEN:
        return down if down % 2 == 0 else up
    return up if scaled > 0 else down


@dataclass(frozen=True)
class Example:
    """A small spec, worked out with mpmath alone."""

    Q: list[list[Fraction]]
    K: list[list[Fraction]]
    V: list[list[Fraction]]
    d_k: Fraction

    @property
    def spec(self) -> dict[str, Any]:
        texts = {name: [[str(x) for x in row] for row in getattr(self, name)] for name in "QKV"}
        return {"tokens": ["t"] * len(self.Q), **texts, "d_k": str(self.d_k)}

    def quantities(self, kind: str, i: int) -> list[Any]:
        scores = [sum((a * b for a, b in zip(self.Q[i], k, strict=True)), Fraction(0)) for k in self.K]
        exact = [mpmath.mpf(s.numerator) / s.denominator for s in scores]
        root = mpmath.sqrt(mpmath.mpf(self.d_k.numerator) / self.d_k.denominator)
        scaled = [s / root for s in exact]
        exponentials = [mpmath.exp(z) for z in scaled]
        total = mpmath.fsum(exponentials)
        return {
            "scores": exact,
            "root": [root],
            "scaled_scores": scaled,
            "exponentials": exponentials,
            "row_sums": [total],
            "weights": [x / total for x in exponentials],
        }[kind]

    def finish(self, kind: str, i: int, moved: list[Any]) -> list[Any] | None:
        """The outputs of a row from moved quantities of one kind; None where something is divided by 0."""
        if kind == "root":
            if moved[0] <= 0:
                return None
            kind, moved = "scaled_scores", [s / moved[0] for s in self.quantities("scores", i)]
        if kind == "scaled_scores":
            kind, moved = "exponentials", [mpmath.exp(z) for z in moved]
        exponentials = self.quantities("exponentials", i)
        if kind == "exponentials":
            exponentials, kind, moved = moved, "row_sums", [mpmath.fsum(moved)]
        if kind == "row_sums":
            if moved[0] <= 0:
                return None
            moved = [x / moved[0] for x in exponentials]
        return [
            mpmath.fsum(w * v.numerator / v.denominator for w, v in zip(moved, column, strict=True))
            for column in zip(*self.V, strict=True)
        ]

    def digits(self, kind: str, i: int, moved: list[Any], places: int, mode: Mode) -> list[int] | None:
        out = self.finish(kind, i, moved)
        return None if out is None else [rounded(x, places, mode) for x in out]

    def exact_digits(self, i: int, places: int, mode: Mode) -> list[int] | None:
        return self.digits("weights", i, self.quantities("weights", i), places, mode)


def ends(x: Any, places: int, mode: Mode) -> list[Any]:
    """The two ends of where a rounding may move x; one that is not reached, from just inside."""
    unit = mpmath.mpf(10) ** -places
    inside = unit * (1 - mpmath.mpf(10) ** -25)
    if abs(x / unit - mpmath.nint(x / unit)) < mpmath.mpf(10) ** -40:
        return [x, x]
    if mode in HALF:
        low, high = x - unit / 2, x + unit / 2
    elif mode is Mode.FLOOR or (mode is Mode.TRUNCATE and x > 0):
        low, high = x - inside, x
    else:
        low, high = x, x + inside
    return [max(low, mpmath.mpf(0)), high] if x > 0 else [low, min(high, mpmath.mpf(0))]


def counterexample(example: Example, kind: str, kept: int, modes: tuple[Mode, Mode], places: int) -> bool:
    """Whether some vertex, or for the root some point of a grid, loses a digit of an output."""
    for i in range(len(example.Q)):
        wanted = example.exact_digits(i, places, modes[1])
        boxes = [ends(x, kept, modes[0]) for x in example.quantities(kind, i)]
        points: Any = itertools.product(*boxes)
        if kind == "root":
            low, high = boxes[0]
            points = [(low + (high - low) * step / 200,) for step in range(201)]
        if any(example.digits(kind, i, list(point), places, modes[1]) != wanted for point in points):
            return True
    return False


@st.composite
def examples(draw: st.DrawFn) -> Example:
    n, k, v = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(1, 2))

    def matrix(width: int, most: int) -> list[list[Fraction]]:
        parts = draw(st.sampled_from([1, 1, 2, 3]))
        return [[Fraction(draw(st.integers(-most, most)), parts) for _ in range(width)] for _ in range(n)]

    return Example(matrix(k, 3), matrix(k, 2), matrix(v, 6), draw(st.sampled_from([*range(1, 6), Fraction(1, 9)])))


modes_of = st.tuples(st.sampled_from(list(Mode)), st.sampled_from(list(Mode)))


@settings(max_examples=25, deadline=None)
@given(examples(), modes_of, st.integers(0, 3), st.randoms(use_true_random=False))
def test_guarantees_hold_in_every_sample_and_fail_one_place_earlier(
    example: Example, modes: tuple[Mode, Mode], places: int, random: Any
) -> None:
    found = asked(example.spec, policy=policy(modes[0]), places=places, mode=modes[1])
    with mpmath.workdps(70):
        for kind in ROUNDED:
            number = found[kind].guaranteed.number
            if number is None:
                assert found[kind].guaranteed.never
                assert all(counterexample(example, kind, kept, modes, places) for kept in range(0, 16, 3)), kind
                continue
            assert not counterexample(example, kind, number, modes, places), kind
            assert number == 0 or counterexample(example, kind, number - 1, modes, places), kind
            for i in range(len(example.Q)):
                boxes = [ends(x, number, modes[0]) for x in example.quantities(kind, i)]
                for _ in range(5):
                    point = [low + (high - low) * random.randint(0, 1000) / 1000 for low, high in boxes]
                    assert example.digits(kind, i, point, places, modes[1]) == example.exact_digits(i, places, modes[1])


def by_hand(example: Example, kinds: tuple[str, ...], kept: int, modes: tuple[Mode, Mode], places: int) -> bool:
    """Whether the calculation is right with these kinds rounded."""

    def settle(kind: str, values: list[Any]) -> list[Any]:
        if kind not in kinds:
            return values
        return [mpmath.mpf(rounded(x, kept, modes[0])) / mpmath.mpf(10) ** kept for x in values]

    for i in range(len(example.Q)):
        root = settle("root", example.quantities("root", i))[0]
        if root == 0:
            return False
        scaled = settle("scaled_scores", [s / root for s in example.quantities("scores", i)])
        exponentials = settle("exponentials", [mpmath.exp(z) for z in scaled])
        total = settle("row_sums", [mpmath.fsum(exponentials)])[0]
        if total == 0:
            return False
        weights = settle("weights", [x / total for x in exponentials])
        if example.digits("weights", i, weights, places, modes[1]) != example.exact_digits(i, places, modes[1]):
            return False
    return True


@settings(max_examples=15, deadline=None)
@given(examples(), modes_of, st.integers(0, 2))
def test_replays_are_those_of_a_plain_hand_calculation(example: Example, modes: tuple[Mode, Mode], places: int) -> None:
    found = asked(example.spec, policy=policy(modes[0]), places=places, mode=modes[1])
    runs = [((each.kind,), each.replayed) for each in found.kinds] + [(ROUNDED, found.together)]
    with mpmath.workdps(70):
        for kinds, replayed in runs:
            right = [by_hand(example, kinds, kept, modes, places) for kept in range(places + TRIED + 1)]
            first = right.index(True) if True in right else None
            assert replayed.first.number == first, kinds
            wrong = [kept for kept, good in enumerate(right) if not good]
            onwards = wrong[-1] + 1 if wrong else 0
            assert replayed.onwards.number == (onwards if onwards < len(right) else None), kinds
            assert replayed.onwards.never <= (first is None)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-5, 5)), min_size=1, max_size=4),
    st.integers(2, 7),
    st.integers(0, 3),
    modes_of,
)
def test_roots_are_enough_exactly_where_the_safe_set_has_them(
    pairs: list[tuple[int, int]], d_k: int, kept: int, modes: tuple[Mode, Mode]
) -> None:
    scores, values = [fmpq(s) for s, _ in pairs], [fmpq(v) for _, v in pairs]
    n = len(pairs)
    made = derive(
        load_spec({"tokens": ["t"] * n, "Q": [[1]] * n, "K": [[str(s)] for s in scores], "V": [[str(v)] for v in values],
                   "d_k": d_k})
    )  # fmt: skip
    trace, output = made.trace, made.trace.output[0][0]
    digits = Decimals().round(output, 2, modes[1])
    row = Row(scores, trace.scaled_scores[0], trace.exponentials[0], trace.row_sums[0], trace.attention_weights[0])
    root = Movable.of(trace.root)
    enough = RootPart(row, root, modes[0]).enough(Cell.of((0, 0), values, output, digits, modes[1]), kept)
    box = root.box(kept, modes[0])
    if box == Box():
        assert enough
        return
    assert box.low.shift is not None
    assert box.high.shift is not None
    near = Decimals().round(trace.root, 30).value
    low, high = near + box.low.shift, near + box.high.shift
    found = safe_roots(Weighted(tuple(scores), tuple(values)), digits, modes[1])
    assert enough == any(interval.contains(low) and interval.contains(high) for interval in found.sets)


# ---- edges and refusals -----------------------------------------------------------------------------------------


def test_many_digits_and_large_scores() -> None:
    found = asked(places=50)
    assert all(50 <= (each.guaranteed.number or 0) <= 53 for each in found.kinds)
    # weights of e^(±2000): no exponential is worked out as a number of its size
    huge = {"tokens": ["a", "b"], "Q": [[2000], [0]], "K": [[1], [0]], "V": [[1], [2]], "d_k": 3}
    assert [each.guaranteed.number for each in asked(huge).kinds] == [0, 0, 0, 0, 3]


def test_a_long_decimal_is_no_trouble_for_the_root() -> None:
    # the safe sets of these scores are roots of polynomials of degree 40,000 and more
    spec = {"tokens": ["a", "b", "c"], "Q": [["1.2345"], ["0.3"], [2]], "K": [["1.7"], ["0.913"], [-1]],
            "V": [["0.25"], ["1.5"], [-1]], "d_k": 2}  # fmt: skip
    assert asked(spec)["root"].guaranteed.number is not None


def test_recomputed_projections_are_the_ones_replayed() -> None:
    made = derive(load_spec(), recompute=True)
    found = sufficient(made)
    assert found.exact is made
    assert Cell.of((0, 0), [fmpq(1)], fmpq(3), Digits(300, 2), Mode.TRUNCATE).tie == -1
    assert found["weights"].guaranteed.number is not None


@pytest.mark.parametrize(
    ("made", "choices", "message"),
    [
        (lambda: derive(load_spec(), Written()), {}, "found a derivation that is as-written; expected an exact one"),
        (
            lambda: derive(load_spec(), Exact(free_d_k=True)),
            {},
            "found a derivation that is free-dk; expected an exact",
        ),
        (
            lambda: derive(load_spec({"tokens": ["a"], "Q": [["sqrt(2)"]], "K": [[1]], "V": [[1]]})),
            {},
            "places are counted only where every input and d_k is rational",
        ),
        (
            lambda: derive(load_spec({"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "d_k": "d_k"})),
            {},
            "places are counted only where every input and d_k is rational",
        ),
        (lambda: derive(load_spec()), {"places": -1}, "places = -1; expected 0 to 1000"),
        (lambda: derive(load_spec()), {"places": 1001}, "places = 1001; expected 0 to 1000"),
    ],
)
def test_refused_with_one_line(made: Any, choices: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        sufficient(made(), **choices)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(OptionError, match="unknown kind of quantity 'outputs'; expected one of root, scaled_scores"):
        _ = asked()["outputs"]
