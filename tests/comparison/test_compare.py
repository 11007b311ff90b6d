"""Comparisons: verdicts, errors that add up, and how far √d_k may be rounded, against mpmath and by sampling."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import mpmath
import pytest
import sympy
from flint import fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symattn import Asked, Exact, Policy, Written, compare, derive, load_spec, render_comparison
from symattn.comparison.losses import losses
from symattn.comparison.quantities import Compared
from symattn.comparison.safe_roots import Weighted, safe_roots, simplest_between
from symattn.comparison.verdicts import Verdict, judge
from symattn.errors import OptionError
from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.rounding import Digits, Mode, plain_value
from symattn.numbers.written import WrittenNumber


def compared(spec: Any = None, **choices: Any) -> Any:
    loaded = load_spec(spec)
    return compare(derive(loaded), derive(loaded, Written(loaded.policy)), Asked(**choices))


@pytest.fixture(scope="module")
def bundled() -> Any:
    return json.loads(render_comparison(compared(roots=("1.7", "1.73", "7/4")), "json"))


def labelled(rows: list[dict[str, Any]], label: str) -> dict[str, Any]:
    (row,) = [row for row in rows if row["label"] == label]
    return row


# ---- the numbers that must come out -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "exact", "written", "verdict"),
    [
        ("Root", "sqrt(3)", "1.7", "rounded"),
        ("Scaled[1,1]", "sqrt(3)", "1.76", "wrong"),
        ("Scaled[1,2]", "0", "0", "exact"),
        ("Scaled[2,1]", "2/sqrt(3)", "1.17", "wrong"),
        ("Exp[1,1]", "exp(sqrt(3))", "5.8", "last_digit"),
        ("Exp[2,1]", "exp(2/sqrt(3))", "3.2", "rounded"),
        ("Sum[1]", "1+exp(sqrt(3))", "6.8", "last_digit"),
        ("Weights[1,1]", "exp(sqrt(3))/(1+exp(sqrt(3)))", "0.85", "rounded"),
        ("Weights[1,2]", "1/(1+exp(sqrt(3)))", "0.15", "rounded"),
        ("Weights[2,1]", "1/2", "0.5", "exact"),
        ("Output[1,1]", "(2+10*exp(sqrt(3)))/(1+exp(sqrt(3)))", "8.8", "rounded"),
        ("Output[1,2]", "(5+2*exp(sqrt(3)))/(1+exp(sqrt(3)))", "2.45", "rounded"),
        ("Output[1,3]", "8/(1+exp(sqrt(3)))", "1.2", "rounded"),
        ("Output[2,2]", "7/2", "3.5", "exact"),
    ],
)
def test_quantities_of_the_bundled_example(bundled: Any, label: str, exact: str, written: str, verdict: str) -> None:
    row = labelled(bundled["quantities"], label)
    assert (row["exact"], row["written"], row["verdict"]) == (exact, written, verdict)
    with mpmath.workdps(90):
        known = {"sqrt": mpmath.sqrt, "exp": mpmath.exp}
        value = value_of(exact, known)
        error = abs(mpmath.mpf(written) - value)
        assert abs(mpmath.mpf(row["decimal"]) - value) <= mpmath.mpf(10) ** -50
        assert abs(mpmath.mpf(row["absolute_error"]) - error) <= mpmath.mpf(10) ** -50
        if value != 0:
            assert abs(mpmath.mpf(row["relative_error"]) - error / abs(value)) <= mpmath.mpf(10) ** -50


def value_of(text: str, known: dict[str, Any]) -> Any:
    """The few exact forms above, by hand: no evaluation of text."""
    e, f = known["exp"](known["sqrt"](3)), known["exp"](2 / known["sqrt"](3))
    return {
        "sqrt(3)": known["sqrt"](3),
        "2/sqrt(3)": 2 / known["sqrt"](3),
        "exp(sqrt(3))": e,
        "exp(2/sqrt(3))": f,
        "1+exp(sqrt(3))": 1 + e,
        "exp(sqrt(3))/(1+exp(sqrt(3)))": e / (1 + e),
        "1/(1+exp(sqrt(3)))": 1 / (1 + e),
        "(2+10*exp(sqrt(3)))/(1+exp(sqrt(3)))": (2 + 10 * e) / (1 + e),
        "(5+2*exp(sqrt(3)))/(1+exp(sqrt(3)))": (5 + 2 * e) / (1 + e),
        "8/(1+exp(sqrt(3)))": 8 / (1 + e),
        "7/2": mpmath.mpf(7) / 2,
        "1/2": mpmath.mpf(1) / 2,
        "0": mpmath.mpf(0),
    }[text]


@pytest.mark.parametrize(
    ("label", "low", "low_closed", "high", "high_closed", "simplest", "inside"),
    [
        ("Weights[1,1]", (171, 29), False, (169, 31), True, "7/4", {"1.7": True, "1.73": True, "7/4": True}),
        ("Output[1,2]", (511, 89), True, (509, 91), False, "19/11", {"1.7": False, "1.73": True, "7/4": False}),
    ],
)
def test_safe_roots_of_the_bundled_example(
    bundled: Any,
    label: str,
    low: tuple[int, int],
    low_closed: bool,
    high: tuple[int, int],
    high_closed: bool,
    simplest: str,
    inside: dict[str, bool],
) -> None:
    row = labelled(bundled["safe_roots"], label)
    (found,) = row["sets"]
    assert (found["low"], found["high"]) == (f"3/log({low[0]}/{low[1]})", f"3/log({high[0]}/{high[1]})")
    assert (found["low_closed"], found["high_closed"]) == (low_closed, high_closed)
    assert row["simplest"] == simplest
    first = {"Weights[1,1]": ["7/4", "19/11", "26/15"], "Output[1,2]": ["19/11", "26/15", "71/41"]}
    assert row["convergents"]["inside"][:3] == first[label]
    assert row["convergents"]["all_from"] == {"Weights[1,1]": 3, "Output[1,2]": 4}[label]  # after 1, 2, 5/3
    assert row["contains"] == inside
    with mpmath.workdps(80):
        for end, (a, b) in ((found["low_decimal"], low), (found["high_decimal"], high)):
            assert abs(mpmath.mpf(end) - 3 / mpmath.log(mpmath.mpf(a) / b)) <= mpmath.mpf(10) ** -50 / 2
    assert found["low_decimal"].startswith({"Weights[1,1]": "1.690743105370", "Output[1,2]": "1.716509112981"}[label])
    assert found["high_decimal"].startswith({"Weights[1,1]": "1.76896022082", "Output[1,2]": "1.74257668572"}[label])


def test_the_printed_2_45_is_right_only_by_luck(bundled: Any) -> None:
    (lucky,) = bundled["lucky"]
    assert lucky["label"] == "Output[1,2]"
    assert lucky["root"] == "1.7"
    with mpmath.workdps(60):
        weight = 1 / (1 + mpmath.exp(-3 / mpmath.mpf("1.7")))
        assert abs(mpmath.mpf(lucky["alone"]) - (5 - 3 * weight)) < mpmath.mpf(10) ** -49
    assert lucky["alone"].startswith("2.4386")
    assert (lucky["mended_by"], lucky["mended_with"]) == ("weights", ["0.85", "0.15"])


def test_losses_of_the_bundled_example(bundled: Any) -> None:
    (loss,) = [row for row in bundled["losses"] if row["output"] == "Output[1,2]"]
    assert [part["kind"] for part in loss["parts"]] == ["root", "scaled_scores", "exponentials", "weights"]
    with mpmath.workdps(60):
        parts = mpmath.fsum(mpmath.mpf(part["error"]) for part in loss["parts"])
        assert abs(parts - mpmath.mpf(loss["total"])) < mpmath.mpf(10) ** -48
        exact = 5 - 3 / (1 + mpmath.exp(-mpmath.sqrt(3)))
        with_root = 5 - 3 / (1 + mpmath.exp(-3 / mpmath.mpf("1.7")))
        with_scaled = 5 - 3 / (1 + mpmath.exp(mpmath.mpf("-1.76")))
        with_exponentials = 5 - 3 * mpmath.mpf("5.8") / mpmath.mpf("6.8")
        steps = [with_root - exact, with_scaled - with_root, with_exponentials - with_scaled, 2.45 - with_exponentials]
        for part, step in zip(loss["parts"], steps, strict=True):
            assert abs(mpmath.mpf(part["error"]) - step) < 1e-14


# ---- properties -------------------------------------------------------------------------------------------------

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
        "d_k": draw(st.integers(1, 6)),
        "rounding": {
            "scaled_scores": {
                "places": draw(st.integers(0, 3)),
                "mode": draw(st.sampled_from([m.value for m in Mode])),
            },
            "exponentials": {"digits": draw(st.integers(1, 4))},
            "row_sums": {"digits": draw(st.integers(1, 4))},
            "weights": {"places": draw(st.integers(1, 3)), "mode": draw(st.sampled_from([m.value for m in Mode]))},
        },
    }


@settings(max_examples=40, deadline=None)
@given(specs())
def test_parts_add_up_to_the_total_exactly(given_spec: dict[str, Any]) -> None:
    spec = load_spec(given_spec)
    exact, written = derive(spec), derive(spec, Written(spec.policy))
    for loss in losses(spec):
        i, j = loss.place
        last = exact.trace.output[i][j]
        for part in loss.parts:  # each part begins where the one before it ended: the sum telescopes
            assert part.error.subtrahend == last
            last = part.error.minuend
        assert rational_of(last) == written.trace.output[i][j].value
        assert loss.total.minuend == last
        assert loss.total.subtrahend == exact.trace.output[i][j]


def weighted(scores: list[int], values: list[int]) -> Weighted:
    return Weighted(tuple(map(fmpq, scores)), tuple(map(fmpq, values)))


scores_and_values = st.lists(st.tuples(st.integers(-4, 4), st.integers(-5, 5)), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(scores_and_values, st.integers(1, 40), st.integers(0, 2), st.sampled_from(list(Mode)), st.randoms())
def test_no_sampled_root_outside_keeps_the_digits_and_none_inside_loses_them(
    rows: list[tuple[int, int]], quarter: int, places: int, mode: Mode, random: Any
) -> None:
    scores, values = [fmpq(s) for s, _ in rows], [fmpq(v) for _, v in rows]
    written = digits_at(rows, Fraction(quarter, 4), places, mode)
    found = safe_roots(Weighted(tuple(scores), tuple(values)), written, mode)
    assert found.contains(fmpq(quarter, 4))
    samples = [Fraction(random.randint(1, 400), random.randint(1, 30)) for _ in range(15)]
    for end in [end for interval in found.sets for end in (interval.low, interval.high) if end is not None]:
        near = Fraction(Decimals().round(end, 6).text)
        samples += [near + Fraction(step, 10**5) for step in (-1, 1)]
    for root in samples:
        if root > 0:
            inside = found.contains(fmpq(root.numerator, root.denominator))
            assert inside == (digits_at(rows, root, places, mode) == written), root


def digits_at(rows: list[tuple[int, int]], root: Fraction, places: int, mode: Mode) -> Digits:
    """f(root) at a number of places, by mpmath at 400 digits; ties and exact values are left to other tests."""
    with mpmath.workdps(400):
        powers = [mpmath.exp(mpmath.mpf(s) * root.denominator / root.numerator) for s, _ in rows]
        value = mpmath.fsum(p * v for p, (_, v) in zip(powers, rows, strict=True)) / mpmath.fsum(powers)
        scaled = value * 10**places
        nearest = mpmath.nint(2 * scaled) / 2
        if abs(scaled - nearest) < mpmath.mpf(10) ** -350:
            scaled = nearest
            assume(scaled == mpmath.floor(scaled))
            return Digits(int(scaled), places)
        rounded = {
            Mode.HALF_UP: mpmath.floor(scaled + 0.5),
            Mode.HALF_EVEN: mpmath.floor(scaled + 0.5),
            Mode.FLOOR: mpmath.floor(scaled),
            Mode.CEILING: mpmath.ceil(scaled),
            Mode.TRUNCATE: mpmath.floor(scaled) if scaled > 0 else mpmath.ceil(scaled),
        }[mode]
        return Digits(int(rounded), places)


def test_three_tokens_may_have_two_separate_sets() -> None:
    # with scores 0, 2 and 3 the middle weight rises from 1/3 to 0.3465 and falls again as the root shrinks
    found = safe_roots(weighted([0, 2, 3], [0, 1, 0]), Digits(34, 2), Mode.HALF_UP)
    assert len(found.sets) == 2
    with mpmath.workdps(30):
        for interval in found.sets:
            for end in (interval.low, interval.high):
                r = mpmath.mpf(Decimals().round(end, 25).text)
                powers = [mpmath.exp(s / r) for s in (0, 2, 3)]
                f = powers[1] / mpmath.fsum(powers)
                assert min(abs(f - mpmath.mpf("0.335")), abs(f - mpmath.mpf("0.345"))) < mpmath.mpf(10) ** -15


def test_simplest_fraction_is_the_one_of_least_denominator() -> None:
    found = safe_roots(weighted([3, 0], [2, 5]), Digits(245, 2), Mode.HALF_UP)
    simplest = simplest_between(found.sets[0])
    assert simplest == fmpq(19, 11)
    for q in range(1, 11):
        assert not any(found.contains(fmpq(p, q)) for p in range(1, 4 * q))


# ---- verdicts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exact", "written", "verdict", "tie", "expected"),
    [
        (fmpq(1, 2), Digits(5, 1), Verdict.EXACT, False, "0.5"),
        (fmpq(1, 2), Digits(50, 2), Verdict.EXACT, False, "0.50"),
        (fmpq(1, 40), Digits(3, 2), Verdict.ROUNDED, True, "0.03"),
        (fmpq(1, 40), Digits(2, 2), Verdict.ROUNDED, True, "0.03"),
        (fmpq(1, 7), Digits(14285, 5), Verdict.TRUNCATED, False, "0.14286"),
        (fmpq(20, 17), Digits(117, 2), Verdict.TRUNCATED, False, "1.18"),
        (fmpq(-20, 17), Digits(-117, 2), Verdict.TRUNCATED, False, "-1.18"),
        (fmpq(20, 17), Digits(119, 2), Verdict.LAST_DIGIT, False, "1.18"),
        (fmpq(20, 17), Digits(58, 2), Verdict.WRONG, False, "1.18"),
    ],
)
def test_verdicts(exact: Any, written: Digits, verdict: Verdict, tie: bool, expected: str) -> None:
    found = judge(exact, written)
    assert (found.verdict, found.tie, found.expected.text) == (verdict, tie, expected)
    assert found.right is (verdict in {Verdict.EXACT, Verdict.ROUNDED})


# ---- letters, roots and π ---------------------------------------------------------------------------------------


def lettered(spec: dict[str, Any]) -> Any:
    loaded = load_spec(spec)
    return compare(derive(loaded), derive(loaded, Written(loaded.policy, letters=True)))


def test_letters_in_v_are_compared_as_expressions() -> None:
    made = lettered({"tokens": ["s", "t"], "Q": [[3], [0]], "K": [[1], [0]], "V": [["a", 2], ["b", 5]], "d_k": 3})
    told = {item.label: item for item in made.lettered}
    a, b = sympy.symbols("a b", real=True)
    assert (told["V[1,1]"].relation, told["V[1,1]"].error) == ("equal", 0)
    # weights 0.85 and 0.15 by hand: the output is 0.85·a + 0.15·b, and at a = 1, b = 0 that is off by 0.85 − w
    output = told["Output[1,1]"]
    assert output.relation == "different"
    assert sympy.expand(output.written - sympy.Rational(17, 20) * a - sympy.Rational(3, 20) * b) == 0
    gap = output.error.subs({a: 1, b: 0})
    assert abs(gap.evalf(20) - (0.85 - 1 / (1 + mpmath.exp(-mpmath.sqrt(3))))) < 1e-12
    assert (told["Output[2,1]"].relation, told["Output[2,1]"].error) == ("equal", 0)
    # numbers beside them are judged as ever, and their safe roots found
    assert made["Output[1,2]"].judgement.verdict is Verdict.ROUNDED
    assert [str(s.roots.sets[0].low.closed) for s in made.safe_roots if s.label == "Output[1,2]"] == ["(3, 511/89)"]
    assert not any(s.label == "Output[1,1]" for s in made.safe_roots)
    assert made.losses == made.lucky == ()


def test_letters_in_scores_are_refuted_by_balls() -> None:
    made = lettered({"tokens": ["s", "t"], "Q": [["x"], [0]], "K": [[1], [0]], "V": [[1], [4]], "d_k": 3})
    told = {item.label: item for item in made.lettered}
    assert told["Scaled[1,1]"].relation == "different"  # x/√3 and x/1.73
    assert (told["Weights[1,1]"].relation, told["Weights[1,1]"].reason) == ("different", "")
    assert made["Weights[2,1]"].judgement.verdict is Verdict.EXACT


def test_roots_and_pi_in_the_input_are_judged_by_their_balls() -> None:
    made = lettered({"tokens": ["s"], "Q": [["sqrt(2)"]], "K": [["pi"]], "V": [["sqrt(2)"]], "d_k": 1})
    assert made["V[1,1]"].written.text == "1.41"
    assert made["Scores[1,1]"].judgement.verdict is Verdict.WRONG  # 1.41·3.14 = 4.4274
    assert made["Scores[1,1]"].judgement.expected.text == "4.4429"
    assert made.lettered == ()


# ---- correct digits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exact", "written", "digits"),
    [
        (fmpq(1, 3), "0.3", 1),  # the error 0.0333 is within half of 0.1, not of 0.01
        (fmpq(1, 3), "0.33", 2),
        (fmpq(2, 3), "0.66", 1),  # 0.00667 is more than half of 0.01
        (fmpq(2, 3), "0.67", 2),
        (fmpq(1, 8), "0.12", 2),  # 0.005 is exactly half of 0.01
        (fmpq(1, 8), "0.13", 2),
        (fmpq(999, 1000), "1.0", 2),  # the first digit of 0.999 is a tenth: half of 0.01 holds 0.001, half of 0.001 not
        (fmpq(5), "9", 0),
        (fmpq(1, 4), "0.25", None),
        (fmpq(0), "0.1", None),
    ],
)
def test_correct_digits(exact: fmpq, written: str, digits: int | None) -> None:
    value = plain_value(written)
    noted = WrittenNumber(value, written)
    assert Compared("outputs", "Output[1,1]", (0, 0), exact, noted, judge(exact, Digits(1, 0))).correct_digits == digits


# ---- refusals ----------------------------------------------------------------------------------------------------


def test_only_an_exact_and_a_written_derivation_of_one_spec_are_compared() -> None:
    spec = load_spec()
    for pair in ((derive(spec), derive(spec)), (derive(spec, Exact(free_d_k=True)), derive(spec, Written(Policy())))):
        with pytest.raises(OptionError, match="expected an exact one and one as written, of the same spec"):
            compare(*pair)
    with pytest.raises(OptionError, match="or their sum, are all rounded to 0"):
        losses(load_spec({"tokens": ["a"], "Q": [[2]], "K": [[-3]], "V": [[1]], "d_k": 1}))
    with pytest.raises(OptionError, match="no quantity is called 'Weight'"):
        _ = compared()["Weight"]
    with pytest.raises(OptionError, match="unknown format 'xml'; expected one of text, md, tex, html, json, csv"):
        render_comparison(compared(), "xml")
