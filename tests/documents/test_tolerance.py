"""What somebody is willing to let pass: whole units of the last digit, nothing estimated."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Claim, Report
from symattn.documents.tolerance import near, tolerated

HERE = Place(1, 1, 1, 5)


def claim(text: str, expected: str | None, verdict: Verdict = Verdict.WRONG, **facts: Any) -> Claim:
    return Claim(facts.pop("place", HERE), (0, 4), text, verdict, "", expected=expected, **facts)


def passed(ulps: int, *claims: Claim, allow_truncation: bool = False) -> list[Claim]:
    report = Report((Checked(read_document("1.17 1.17", path="a.md"), claims),))
    return list(tolerated(report, ulps, allow_truncation=allow_truncation).documents[0].claims)


NEAR = [
    # written, right, the least tolerance that lets it pass (None: none does)
    ("1.17", "1.18", 1),
    ("1.16", "1.18", 2),
    ("1.20", "1.18", 2),
    ("-0.01", "0.01", 2),
    ("−0.01", "0.01", 2),
    ("0", "3", 3),
    ("1{,}17", "1.18", 1),
    ("1\\,234", "1236", 2),
    ("+3", "4", 1),
    ("1.2e-3", "0.0013", 1),
    ("0.0012", "1.3e-3", 1),
    ("9.99", "10.00", 1),
    ("20/17", "1.18", None),
    ("85%", "86%", 1),
    ("8.5\\%", "8.7%", 2),
    ("85%", "86", None),
    ("abc", "1", None),
    ("1.17", None, None),
    ("1.17", "sqrt(2)", None),
]


@pytest.mark.parametrize(("text", "expected", "least"), NEAR)
def test_least_tolerance(text: str, expected: str | None, least: int | None) -> None:
    made = claim(text, expected)
    if least is None:
        assert not near(made, 10**6)
    else:
        assert near(made, least)
        assert not near(made, least - 1)


@given(st.integers(-(10**6), 10**6), st.integers(-20, 20), st.integers(0, 6), st.integers(0, 25))
def test_distance_is_that_of_the_digits(units: int, off: int, places: int, ulps: int) -> None:
    written, right = (
        str(Decimal(u).scaleb(-places).quantize(Decimal(1).scaleb(-places))) for u in (units + off, units)
    )
    assert near(claim(f"{Decimal(written):f}", f"{Decimal(right):f}"), ulps) == (ulps > 0 and abs(off) <= ulps)


def test_what_passes_is_right_and_says_so() -> None:
    (made,) = passed(1, claim("1.17", "1.18", Verdict.LAST_DIGIT, notes=("equals_for_rounded",), root_cause=HERE))
    assert (made.verdict, made.right, made.finding, made.root_cause) == (Verdict.ROUNDED, True, False, None)
    assert made.notes == ("equals_for_rounded", "within_tolerance")
    assert (made.text, made.expected) == ("1.17", "1.18")


@pytest.mark.parametrize(
    "verdict", [Verdict.WRONG_STEP, Verdict.SHAPE, Verdict.INCONSISTENT, Verdict.UNDECIDED, Verdict.UNREADABLE]
)
def test_what_is_not_wrong_as_a_number_never_passes(verdict: Verdict) -> None:
    made = claim("1.17", "1.18", verdict)
    assert passed(10**6, made, allow_truncation=True) == [made]


def test_truncation_passes_alone() -> None:
    cut, off = claim("1.17", "1.18", Verdict.TRUNCATED), claim("1.19", "1.18", Verdict.LAST_DIGIT)
    made = passed(0, cut, off, allow_truncation=True)
    assert [one.notes for one in made] == [("truncation_allowed",), ()]
    assert [one.finding for one in made] == [False, True]
    assert [one.finding for one in passed(0, cut, off)] == [True, True]


def test_what_a_passed_one_explained_stands_alone() -> None:
    first = claim("1.17", "1.18", Verdict.TRUNCATED)
    there = replace(HERE, column=6, end_column=10)
    explained = claim("9", "1", place=there, root_cause=HERE)
    other = claim("8", "1", place=there, root_cause=there)
    assert [one.root_cause for one in passed(1, first, explained, other)] == [None, None, there]
    assert passed(0, first, explained)[1].root_cause == HERE
