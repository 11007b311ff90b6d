"""What is said of one claim: short decimals that are never rounded, marks, words in both languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Note, Place
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Claim, Remark
from symattn.rendering.language import language
from symattn.rendering.verifying.told import Telling, leading, mark, remarks, would_be

HERE = Place(1, 1, 1, 5)


def claim(text: str = "1.17", verdict: Verdict = Verdict.TRUNCATED, **facts: Any) -> Claim:
    return Claim(HERE, (0, 4), text, verdict, facts.pop("message", ""), **facts)


LEADING = [
    # expected, exact, decimal: what is shown
    ("two more digits than were written", "1.18", "20/17", "1.176470588235", ("=", "1.1764…")),
    ("a whole number", "3", "3", "3", ("=", "3")),
    ("zeros behind an exact value", "3.50", "7/2", "3.500000000000", ("=", "3.5")),
    ("no exact fraction", "1.73", "sqrt(3)", "1.732050807569", ("=", "1.7320…")),
    ("a decimal that may have been carried up", "1.00", "x", "1.000000000000", ("≈", "1.000000000000")),
    ("negative", "-0.33", "-1/3", "-0.333333333333", ("=", "-0.3333…")),
    ("more digits than are certified", "0.33333333333", "1/3", "0.333333333333", ("≈", "0.333333333333")),
    ("digits of an integer", "1200", "3600/7*7/3+1/7", "1200.142857142857", ("=", "1200.14…")),
    ("no decimal", "1.18", "20/17", None, ("", "")),
    ("no plain decimal", "0", "x", "1.2e-30", ("=", "1.2e-30")),
]


@pytest.mark.parametrize(
    ("expected", "exact", "decimal", "shown"), [c[1:] for c in LEADING], ids=[c[0] for c in LEADING]
)
def test_leading_digits(expected: str, exact: str, decimal: str | None, shown: tuple[str, str]) -> None:
    assert leading(claim(expected=expected, exact=exact, decimal=decimal)) == shown


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.integers(0, 6))
def test_what_is_shown_is_the_beginning_of_the_value(above: int, below: int, places: int) -> None:
    with mp.workdps(40):
        number = mpf(above) / below
        decimal = mp.nstr(number, 30, strip_zeros=False, min_fixed=-99, max_fixed=99)
        certified = f"{round(int(mp.floor(abs(number) * 10**12 + mpf(1) / 2)))}".rjust(13, "0")
        certified = f"{'-' if above < 0 else ''}{certified[:-12]}.{certified[-12:]}"
        relation, shown = leading(
            claim(expected="1" + "." * (places > 0) + "0" * places, exact=f"{above}/{below}", decimal=certified)
        )
        if shown.endswith("…"):
            assert relation == "="
            assert decimal.startswith(shown[:-1])
        elif relation == "=":
            assert abs(number - mpf(shown)) < mpf(10) ** -30  # equal: a fraction with such a denominator is no nearer
        else:
            assert abs(number - mpf(shown)) <= mpf(10) ** -12


VALUES = [
    ("working and digits", {"working": "2/1.7", "decimal": "1.176470588235", "exact": "20/17"}, "2/1.7 = 1.1764…"),
    ("exact form", {"decimal": "1.176470588235", "exact": "20/17"}, "20/17 = 1.1764…"),
    ("whole", {"decimal": "3", "exact": "3"}, "3"),
    ("working alone", {"working": "2/1.7"}, "2/1.7"),
    ("nothing", {}, ""),
    ("a matrix was worked out", {"working": "[1, 2; 3, 4]·[1; 1]", "label": "Q[1,1]", "decimal": "3", "exact": "3"}, "Q[1,1] = 3"),
    ("a long working", {"working": "1+" * 100, "decimal": "3", "exact": "3"}, "1+" * 59 + "1… = 3"),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "shown"), [c[1:] for c in VALUES], ids=[c[0] for c in VALUES])
def test_value(facts: dict[str, Any], shown: str) -> None:
    assert Telling(language("en")).value(claim(expected="1.18", **facts)) == shown


MARKS = [
    (Verdict.EXACT, None, "✓"),
    (Verdict.ROUNDED, None, "✓"),
    (Verdict.ROUNDED, "inherited", "~"),
    (Verdict.EXACT, "early_rounding", "~"),
    (Verdict.UNDECIDED, None, "~"),
    (Verdict.UNREADABLE, None, "~"),
    *(
        (verdict, None, "✗")
        for verdict in (Verdict.TRUNCATED, Verdict.LAST_DIGIT, Verdict.WRONG, Verdict.WRONG_STEP, Verdict.SHAPE,
                        Verdict.INCONSISTENT)
    ),
]  # fmt: skip


@pytest.mark.parametrize(("verdict", "carried", "shown"), MARKS)
def test_mark(verdict: Verdict, carried: Any, shown: str) -> None:
    assert mark(claim(verdict=verdict, carried=carried)) == shown


def test_would_be_is_what_the_definitions_give_where_they_say() -> None:
    assert would_be(claim(expected="1.18")) == "1.18"
    assert would_be(claim(expected="1.18", from_definitions="0.58")) == "0.58"
    assert would_be(claim()) == ""


FULL = claim(message="judge", expected="1.18", exact="20/17", decimal="1.176470588235", working="2/1.7")
MESSAGES = [
    ("en", FULL, "judge"),
    ("zh", FULL, "2/1.7 = 1.1764…，舍入为 1.18；1.17 是截断"),
    ("en", replace(FULL, message=""), "2/1.7 = 1.1764… rounds to 1.18; 1.17 is cut off"),
    ("zh", replace(FULL, verdict=Verdict.LAST_DIGIT), "2/1.7 = 1.1764…，舍入为 1.18；1.17 末位差一"),
    ("zh", replace(FULL, verdict=Verdict.WRONG), "2/1.7 = 1.1764…；正确的是 1.18，而不是 1.17"),
    ("zh", replace(FULL, verdict=Verdict.ROUNDED), "2/1.7 = 1.1764…，舍入为 1.18"),
    ("zh", replace(FULL, verdict=Verdict.EXACT), "1.17 是精确的：2/1.7 = 1.1764…"),
    ("zh", replace(FULL, verdict=Verdict.SHAPE), "judge"),
    ("zh", claim(message="judge"), "judge"),
    ("en", claim(verdict=Verdict.UNREADABLE), "unreadable"),
    ("en", claim(message="two\nlines"), "two\\nlines"),
]


@pytest.mark.parametrize(("key", "made", "message"), MESSAGES)
def test_message(key: str, made: Claim, message: str) -> None:
    assert Telling(language(key)).message(made) == message


def test_unknown_names_are_shown_as_they_are() -> None:
    telling = Telling(language("zh"))
    made = claim(cause="new_slip", notes=("new_note", "equals_for_rounded"), tie=True)
    assert telling.cause(made) == "new_slip"
    assert telling.notes(made) == ("new_note", "该用 ≈ 的地方写了 =", "恰在中点，四舍五入与四舍六入五成双都对")
    assert telling.carried(made) == ""
    assert telling.carried(claim(carried="inherited", origin=Place(3, 4, 3, 5))) == "继承自前面的问题 (3:4)"


def test_remarks_of_the_reader_and_of_the_judge_are_told_once_in_order() -> None:
    document = read_document("a\nb\nc\n", path="a.md")
    document = replace(document, notes=(Note("encoding", "odd", 4), Note("structure", "same", 2)))
    checked = Checked(document, (), (Remark(Place(2, 1, 2, 2), "structure", "same"), Remark(HERE, "reading", "top")))
    told = [(item.line, item.column, item.kind, item.message) for item in remarks(checked)]
    assert told == [(1, 1, "reading", "top"), (2, 1, "structure", "same"), (3, 1, "encoding", "odd")]
