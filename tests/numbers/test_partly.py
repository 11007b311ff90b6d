"""The written arithmetic with some roundings only."""

from __future__ import annotations

import mpmath
import pytest

from symattn import Policy, derive, load_spec
from symattn.errors import OptionError
from symattn.numbers.certified import Decimals
from symattn.numbers.partly import Partly


def test_a_rounded_sum_alone_divides_exact_exponentials() -> None:
    # one exponential of the first row is e^√3, the other 1: over 6.7 one weight is irrational and the other rational
    policy = Policy.parse(["row_sums=1"])
    trace = derive(load_spec(), Partly(policy, only=frozenset({"row_sums"}))).trace
    with mpmath.workdps(40):
        x = mpmath.exp(mpmath.sqrt(3))
        expected = [(10 * x + 2) / mpmath.mpf("6.7"), (2 * x + 5) / mpmath.mpf("6.7"), 8 / mpmath.mpf("6.7")]
        for made, value in zip(trace.output[0], expected, strict=True):
            assert abs(mpmath.mpf(Decimals().round(made, 30).text) - value) < mpmath.mpf(10) ** -29


def test_the_named_kinds_are_rounded_and_no_others() -> None:
    choice = Partly(Policy(), 0, only=frozenset({"weights"}))
    trace = derive(load_spec(), choice).trace
    assert choice.rounded == ("weights",)
    assert [str(w) for w in trace.attention_weights[0]] == ["17/20", "3/20"]
    assert trace.row_sums[0].rational is None


def test_a_root_rounded_to_0_is_refused() -> None:
    spec = load_spec({"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "d_k": "1/9"})
    with pytest.raises(OptionError, match="the root is written as 0, and nothing can be divided by it"):
        derive(spec, Partly(Policy.parse(["root=0"]), only=frozenset({"root"}))).trace.output[0]
    policy = Policy.parse(["root=places:0"])
    with pytest.raises(OptionError, match="the root is written as 0"):
        derive(spec, Partly(policy, only=frozenset({"root"}))).trace.output[0]
