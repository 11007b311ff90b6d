"""Numbers as a hand writes them: texts, rules at work, and refusals."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Policy, Written, derive, load_spec
from symattn.errors import OptionError
from symattn.numbers.arithmetic import Letter
from symattn.numbers.certified import Precision
from symattn.numbers.expsum import Scale, Scaled, exponential
from symattn.numbers.rounding import KINDS, Digits
from symattn.numbers.written import Hand, WrittenNumber

THREE = fmpq(3)


def hand(*rules: str, d_k: Any = THREE) -> Hand:
    return Hand(Policy.parse(list(rules)), d_k)


EXACT: dict[str, tuple[Any, str]] = {
    "whole": (fmpq(7), "7"),
    "whole zeros": (fmpq(100), "100"),
    "half": (fmpq(1, 2), "0.5"),
    "negative": (fmpq(-5, 4), "-1.25"),
    "no finite decimal": (fmpq(-1, 3), "-1/3"),
    "zero": (fmpq(0), "0"),
}


@pytest.mark.parametrize(("value", "text"), EXACT.values(), ids=EXACT)
def test_exact_numbers(value: Any, text: str) -> None:
    number = WrittenNumber.exact(value)
    assert (number.text, number.value, number.rounded) == (text, value, False)
    assert number.rational == value
    assert number.enclose(Precision(64)).contains(arb(value))
    assert number.to_sympy() == sympy.Rational(int(value.p), int(value.q))


PADDED: dict[str, tuple[WrittenNumber, int, str]] = {
    "half": (WrittenNumber.exact(fmpq(1, 2)), 2, "0.50"),
    "whole": (WrittenNumber.exact(fmpq(3)), 2, "3.00"),
    "longer stays": (WrittenNumber.exact(fmpq(1, 8)), 2, "0.125"),
    "a fraction stays": (WrittenNumber.exact(fmpq(1, 3)), 2, "1/3"),
    "negative": (WrittenNumber.exact(fmpq(-1, 2)), 3, "-0.500"),
    "zero": (WrittenNumber.exact(fmpq(0)), 2, "0.00"),
    "no places": (WrittenNumber.exact(fmpq(3)), 0, "3"),
}


@pytest.mark.parametrize(("number", "places", "text"), PADDED.values(), ids=PADDED)
def test_padding(number: WrittenNumber, places: int, text: str) -> None:
    assert number.padded(places) == text


def test_digits_that_were_written_count() -> None:
    assert WrittenNumber(fmpq(17, 10), "1.70") != WrittenNumber(fmpq(17, 10), "1.7")
    assert WrittenNumber.exact(fmpq(17, 10)) == WrittenNumber(fmpq(17, 10), "1.7")


# kind, rules, what arrives, text and whether it was rounded
SETTLED: dict[str, tuple[str, list[str], Any, str, bool]] = {
    "default, two places": ("weights", [], fmpq(20, 17), "1.18", True),
    "zeros that were rounded to stay": ("weights", [], fmpq(1699, 1000), "1.70", True),
    "exact values are not padded": ("weights", [], fmpq(1, 2), "0.5", False),
    "exact integers": ("exponentials", [], fmpq(1), "1", False),
    "truncated": ("scaled_scores", ["scaled_scores=2,truncate"], fmpq(20, 17), "1.17", True),
    "digits": ("weights", ["weights=digits:2"], fmpq(1, 300), "0.0033", True),
    "digits of whole numbers": ("outputs", ["outputs=digits:2"], fmpq(1234), "1200", True),
    "scores stay exact": ("scores", [], fmpq(12345, 10000), "1.2345", False),
    "scores without a finite decimal stay fractions": ("scores", [], fmpq(1, 3), "1/3", False),
    "exact": ("outputs", ["outputs=exact"], fmpq(24386, 10000), "2.4386", False),
    "replaced": ("root", ["root=1.7"], fmpq(2), "1.7", True),
    "an exponential": ("exponentials", ["exponentials=1"], exponential(fmpq(176, 100)), "5.8", True),
    "an input that is irrational": ("inputs", [], sympy.sqrt(2), "1.41", True),
    "an input that is π, to five digits": ("inputs", ["inputs=digits:5"], sympy.pi, "3.1416", True),
    "negative": ("scaled_scores", [], fmpq(-20, 17), "-1.18", True),
    "rounded to nothing": ("exponentials", [], exponential(fmpq(-20)), "0.00", True),
    "a scaled score": ("scaled_scores", [], Scaled.of(fmpq(2), fmpq(0), Scale(fmpq(3))), "1.15", True),
}


@pytest.mark.parametrize(("kind", "rules", "value", "text", "rounded"), SETTLED.values(), ids=SETTLED)
def test_numbers_are_written_by_the_rule_of_their_kind(
    kind: str, rules: list[str], value: Any, text: str, rounded: bool
) -> None:
    number = hand(*rules).settle(kind, value)
    assert (number.text, number.rounded) == (text, rounded)


def test_a_number_shown_beside_the_one_used() -> None:
    ops = hand("root=1.7,shown:1.73")
    root = ops.settle("root", ops.root())
    assert (root.value, root.text, root.shown) == (fmpq(17, 10), "1.7", "1.73")


@pytest.mark.parametrize(
    ("d_k", "text"),
    [(fmpq(3), "1.73"), (fmpq(4), "2"), (fmpq(9, 4), "1.5"), (sympy.sqrt(2), "1.19"), (sympy.pi, "1.77")],
    ids=str,
)
def test_roots(d_k: Any, text: str) -> None:
    ops = hand(d_k=d_k)
    assert ops.settle("root", ops.root()).text == text


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=4), st.integers(1, 6))
def test_a_hand_calculation_step_by_step(scores: list[int], places: int) -> None:
    """Each step rounds the quotient of what was written before it."""
    rules = [f"{kind}={places}" for kind in KINDS]
    values = [[score + 1] for score in scores]
    spec = load_spec(
        {"tokens": ["t"] * len(scores), "Q": [[1]] * len(scores), "K": [[s] for s in scores], "V": values, "d_k": 3}
    )
    trace = derive(spec, Written(Policy.parse([*rules, "exponentials=digits:4", "row_sums=digits:4"]))).trace

    def nearest(number: Any) -> Any:
        scaled = number * 10**places
        units = (
            (2 * scaled.p + scaled.q) // (2 * scaled.q)
            if scaled >= 0
            else -((-2 * scaled.p + scaled.q) // (2 * scaled.q))
        )
        return fmpq(int(units), 10**places)

    for score, scaled in zip(scores, trace.scaled_scores[0], strict=True):
        assert scaled.value == nearest(fmpq(score) / trace.root.value)
    total = trace.row_sums[0].value
    for power, weight in zip(trace.exponentials[0], trace.attention_weights[0], strict=True):
        assert weight.value == nearest(power.value / total)
    pairs = zip(trace.attention_weights[0], values, strict=True)
    assert trace.output[0][0].value == nearest(sum((w.value * v[0] for w, v in pairs), fmpq(0)))


# ---- refusals ----------------------------------------------------------------------------------------------------


def test_a_free_d_k_needs_its_root() -> None:
    message = "n is free, and a hand calculation needs its root as a decimal. Give n a number in the spec, or the root with --round root=1.7"
    with pytest.raises(OptionError, match=message):
        Written().start(d_k=Letter("n"), rational=True)
    ops = Written(Policy.parse(["root=1.7"])).start(d_k=Letter("n"), rational=True)
    assert ops.settle("root", ops.root()).text == "1.7"


REFUSED: dict[str, tuple[str, list[str], Any, str]] = {
    "a letter": ("inputs", [], sympy.Symbol("a"), "cannot write inputs as decimals: a is free. Give it a number to get decimals"),
    "too large": ("exponentials", [], exponential(fmpq(10**6)), "cannot write exponentials as decimals: a number of more than 1000 digits"),
    "exact root": ("root", ["root=exact"], sympy.sqrt(3), "cannot keep root exact: an irrational number has no exact decimal; expected a number of places"),
    "exact exponential": ("exponentials", ["exponentials=exact"], exponential(fmpq(1)), "cannot keep exponentials exact: an irrational number"),
    "unknown kind": ("softmax", [], fmpq(1), "unknown kind of quantity 'softmax'; expected one of inputs"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "rules", "value", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(kind: str, rules: list[str], value: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        hand(*rules).settle(kind, value)


VANISHING: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "the root": ({"d_k": "1/1000000"}, [], "the root is written as 0, and nothing can be divided by it. Keep more digits, such as --round root=digits:3"),
    "a replaced root": ({}, ["root=value:0"], "the root is written as 0"),
    "the exponentials": ({"K": [[-9], [-9]]}, [], "the exponentials of a row, or their sum, are all rounded to 0. Keep more digits, such as --round exponentials=digits:3"),
    "the sum": ({"K": [[-1], [-1]]}, ["row_sums=value:0"], "the exponentials of a row, or their sum, are all rounded to 0"),
}  # fmt: skip


@pytest.mark.parametrize(("case", "rules", "message"), VANISHING.values(), ids=VANISHING)
def test_what_is_rounded_to_nothing_is_no_divisor(case: dict[str, Any], rules: list[str], message: str) -> None:
    spec = load_spec({"tokens": ["a", "b"], "Q": [[1], [1]], "K": [[1], [2]], "V": [[1], [2]], "d_k": 1, **case})
    with pytest.raises(OptionError, match=message):
        list(derive(spec, Written(Policy.parse(rules))).trace.output)


def test_texts_of_zero_have_no_sign() -> None:
    assert hand().settle("scaled_scores", fmpq(-1, 1000)).text == "0.00"
    assert Digits(0, 2).text == "0.00"
