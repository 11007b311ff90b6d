"""Corrections: only the numbers change, in their author's spelling, and what was computed from them follows."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.comparison.verdicts import Verdict
from symattn.documents.edits import Edits
from symattn.documents.fix import Fixed, file_bytes, file_text, fix, place_of, unified_diff
from symattn.documents.formats import Document, load_document, read_document
from symattn.documents.literals import chains_of, paper_of, pieces, uses_decimal_comma
from symattn.documents.reading.tree import Bracketed, Name, Neg, Node, Number, walk
from symattn.documents.reading.value import evaluate
from symattn.documents.report import Checked, Claim
from symattn.documents.respell import Respelt, respell, value_of
from symattn.documents.restated import MAX_SAME
from symattn.documents.verify import check
from symattn.errors import OutputError, ReadError, ShapeError, UndecidedError
from symattn.numbers.certified import enclosure
from symattn.numbers.rounding import Digits, round_rational

CORPUS = Path(__file__).parents[1] / "corpus"


# a small judge: a number behind a relation is the correct rounding of what stands before it, entry by entry


def rounded(value: Any, places: int) -> Digits | None:
    if isinstance(value, fmpq):
        return round_rational(value, places)
    ball = enclosure(value, 200)
    return Digits(int((ball * 10**places + fmpq(1, 2)).floor().unique_fmpz()), places)


def entries(value: Any) -> list[Any]:
    return [x for row in value.rows for x in row] if hasattr(value, "rows") else [value]


def numbers(node: Node) -> list[tuple[Number, bool]]:
    found = []
    minus = False
    for at in walk(node):
        if isinstance(at, Neg):
            minus = True
        elif isinstance(at, Number):
            found.append((at, minus))
            minus = False
        elif not isinstance(at, Bracketed):
            minus = False
    return found


def simple(node: Node) -> bool:
    return all(type(at).__name__ in ("Number", "Neg", "Bracketed", "List", "Matrix") for at in walk(node))


def judge(document: Document) -> Checked:
    names: dict[str, Any] = {}
    claims: list[Claim] = []
    for region in pieces(document):
        for chain in chains_of(region, decimal_comma=uses_decimal_comma(document)):
            items = chain.items
            for before, item in pairwise(items):
                if simple(item) and not simple(before):
                    claims += claims_of(document, region, before, item, names)
            if isinstance(chain.first, Name) and chain.links:
                with suppress(UndecidedError, ShapeError):
                    names[chain.first.key] = evaluate(items[-1], names)
    return Checked(document, tuple(claims))


def claims_of(document: Document, region: Any, before: Node, item: Node, names: dict[str, Any]) -> list[Claim]:
    try:
        values = entries(evaluate(before, names))
    except (UndecidedError, ShapeError):
        return []
    written = numbers(item)
    if len(values) != len(written):
        return []
    named = isinstance(before, Name)
    return [
        claim_of(document, region, number, minus, value, named=named)
        for value, (number, minus) in zip(values, written, strict=True)
    ]


def claim_of(document: Document, region: Any, number: Number, minus: bool, value: Any, *, named: bool) -> Claim:
    digits = number.digits
    assert digits is not None
    right = rounded(value, digits.places)
    assert right is not None
    written = -digits.value if minus else digits.value
    verdict = Verdict.ROUNDED if right.value == written else Verdict.INCONSISTENT if named else Verdict.WRONG
    return Claim(
        place=document.locate(region, number.start, number.end),
        span=region.offsets.span(number.start, number.end),
        text=("-" if minus else "") + number.text,
        verdict=verdict,
        message=f"it is {right.text}",
        route="givens" if named else "written",
        expected=right.text,
    )


def fixed(text: str, kind: Any = "markdown") -> Fixed:
    def again(new: str) -> Checked:
        return judge(read_document(new, format=kind))

    result = fix(again(text), again)
    assert outside(text, result) == result.text
    done = again(result.text)
    assert result.refused or not [claim for claim in done.findings if claim.certain]
    return result


def outside(text: str, result: Fixed) -> str:
    """The old text with the changes made by their places: the only way it may differ."""
    document = read_document(text, format="text")
    out, at = [], 0
    for change in result.applied:
        start = document.line_starts[change.place.line - 1] + change.place.column - 1
        end = document.line_starts[change.place.end_line - 1] + change.place.end_column - 1
        assert document.source[start:end] == change.old
        out += [document.source[at:start], change.new]
        at = end
    return "".join([*out, document.source[at:]])


UNIT = r"\begin{bmatrix}1&0\\ 0&1\end{bmatrix} = "
CARRIED = {
    "one number": ("$2/1.7 = 1.17$", "$2/1.7 = 1.18$"),
    "along a chain": ("$2/1.7 = 1.17$ and $2 \\cdot 1.17 = 2.34$", "$2/1.7 = 1.18$ and $2 \\cdot 1.18 = 2.36$"),
    "two steps further": (
        "$1/4 = 0.26$\n\n$0.26 \\cdot 2 = 0.52$\n\n$0.52 + 1 = 1.52$\n",
        "$1/4 = 0.25$\n\n$0.25 \\cdot 2 = 0.50$\n\n$0.50 + 1 = 1.50$\n",
    ),
    "a row restated": (
        "$S = [3/1.7, 2/1.7] = [1.76, 1.17]$\n\nrow: $[1.76, 1.17]$, $e^{1.76} = 5.8$, $e^{1.17} = 3.2$",
        "$S = [3/1.7, 2/1.7] = [1.76, 1.18]$\n\nrow: $[1.76, 1.18]$, $e^{1.76} = 5.8$, $e^{1.18} = 3.3$",
    ),
    "a name that follows": (
        "$S = 2/1.7 = 1.17$\n\n$S = 1.17$",
        "$S = 2/1.7 = 1.18$\n\n$S = 1.18$",
    ),
    "an integer in its row": (
        "$T = [1+1, 1+2] = [2, 4]$\n\n$[2/2, 4/2] = [1, 2]$",
        "$T = [1+1, 1+2] = [2, 3]$\n\n$[2/2, 3/2] = [1, 2]$",
    ),
    "the right one of two rows": (
        """row 1: $[1/2, 1/4] = [0.5, 0.3]$\n\nrow 2: $[1/2, 0.9/3] = [0.5, 0.4]$

row 1: $e^{0.5} = 1.6$, $e^{0.3} = 1.3$\n\nrow 2: $e^{0.5} = 1.6$, $e^{0.4} = 1.5$""",
        """row 1: $[1/2, 1/4] = [0.5, 0.3]$\n\nrow 2: $[1/2, 0.9/3] = [0.5, 0.3]$

row 1: $e^{0.5} = 1.6$, $e^{0.3} = 1.3$\n\nrow 2: $e^{0.5} = 1.6$, $e^{0.3} = 1.3$""",
    ),
    "a transpose": (
        r"$K = \begin{bmatrix}2&1\\ 3&1\end{bmatrix} I = \begin{bmatrix}2&1\\ 3&2\end{bmatrix}$, $q \begin{bmatrix}2&3\\ 1&2\end{bmatrix}$".replace(
            "I = ", UNIT
        ),
        r"$K = \begin{bmatrix}2&1\\ 3&1\end{bmatrix} I = \begin{bmatrix}2&1\\ 3&1\end{bmatrix}$, $q \begin{bmatrix}2&3\\ 1&1\end{bmatrix}$".replace(
            "I = ", UNIT
        ),
    ),
    "minus": ("$1 - 3/2 = -0.6$", "$1 - 3/2 = -0.5$"),
    "the author's minus": ("1 / 3 − 1 = −0.66", "1 / 3 − 1 = −0.67"),
    "a lost minus": ("$1 - 3/2 = 0.5$", "$1 - 3/2 = -0.5$"),
    "a minus too many": ("$3/2 - 1 = -0.5$", "$3/2 - 1 = 0.5$"),
    "percent": (r"$8.5/10 = 84\%$", r"$8.5/10 = 85\%$"),
    "padding": ("$1/2 = 0.51$", "$1/2 = 0.50$"),
    "nothing wrong": ("$1/2 = 0.50$  \r\n", "$1/2 = 0.50$  \r\n"),
    "CRLF, tabs, spaces": ("a\t \r\n$2/1.7 = 1.17$ \r\n\r\nb", "a\t \r\n$2/1.7 = 1.18$ \r\n\r\nb"),
    "lone CR": ("a\r$2/1.7 = 1.17$\rb", "a\r$2/1.7 = 1.18$\rb"),
    "a braced comma": (r"$2/1{,}7 = 1{,}17$", r"$2/1{,}7 = 1{,}18$"),
    "in a matrix": (
        r"$$\begin{bmatrix}3/1.7 & 2/1.7\end{bmatrix} \approx \begin{bmatrix}1.76 & 1.17\end{bmatrix}$$",
        r"$$\begin{bmatrix}3/1.7 & 2/1.7\end{bmatrix} \approx \begin{bmatrix}1.76 & 1.18\end{bmatrix}$$",
    ),
    "in a table": ("| a | b |\n|---|---|\n| x | $2/1.7 = 1.17$ |\n", "| a | b |\n|---|---|\n| x | $2/1.7 = 1.18$ |\n"),
}


@pytest.mark.parametrize(("text", "expected"), CARRIED.values(), ids=CARRIED)
def test_corrections_are_carried_through(text: str, expected: str) -> None:
    result = fixed(text)
    assert result.text == expected
    assert not result.refused
    assert not result.checked.findings


KEPT = {
    "another number with these digits": (
        "$X = [1.17]$\n\n$2/1.7 = 1.17$\n\n$1.17 \\cdot 2 = 2.34$",
        "$X = [1.17]$\n\n$2/1.7 = 1.18$\n\n$1.17 \\cdot 2 = 2.34$",
        "the 1.17 at 5:2 may restate it or another number",
    ),
    "two rows that were the same": (
        "$[1/2, 1/4] = [0.5, 0.3]$\n\n$[1/2, 0.8/4] = [0.5, 0.3]$\n\nthen $[0.5, 0.3] \\cdot 2 = [1.0, 0.6]$",
        "$[1/2, 1/4] = [0.5, 0.3]$\n\n$[1/2, 0.8/4] = [0.5, 0.2]$\n\nthen $[0.5, 0.3] \\cdot 2 = [1.0, 0.6]$",
        "the 0.3 at 5:13 may restate it or another number",
    ),
}


@pytest.mark.parametrize(("text", "expected", "reason"), KEPT.values(), ids=KEPT)
def test_what_may_stem_from_another_number_stays(text: str, expected: str, reason: str) -> None:
    result = fixed(text)
    assert result.text == expected
    assert [why for _, why in result.refused] == [reason]


def test_the_bundled_lesson_is_carried_into_the_softmax() -> None:
    """The two 1.17 of the reference document, judged by hand."""
    source = (CORPUS / "00-zh-seed-array-arrows.md").read_text("utf-8")

    def again(text: str) -> Checked:
        document = read_document(text, path="lesson.md")
        at = text.index(r"\approx \left[\begin{array}{cc}1.76")
        spans = [(m, m + 4) for m in (text.index("1.1", at), text.index("1.1", text.index("1.1", at) + 1))]
        claims = [
            Claim(
                place_of(document, *span), span, text[slice(*span)],
                Verdict.ROUNDED if text[slice(*span)] == "1.18" else Verdict.TRUNCATED,
                "2/1.7 rounds to 1.18", route="written", expected="1.18",
            )
            for span in spans
        ]  # fmt: skip
        return Checked(document, tuple(claims))

    result = fix(again(source), again)
    assert result.text == source.replace("1.17& 1.17", "1.18& 1.18").replace("[1.17,1.17]", "[1.18,1.18]")
    assert [(change.place.line, change.old, change.new) for change in result.applied] == [
        (32, "1.17", "1.18"),
        (32, "1.17", "1.18"),
        (36, "1.17", "1.18"),
        (36, "1.17", "1.18"),
    ]
    assert result.applied[2].why == "restates the number of line 32"
    assert not result.refused


@pytest.mark.parametrize(
    "path", sorted(p for p in CORPUS.glob("[0-9]*") if p.suffix != ".json"), ids=lambda p: p.name[:2]
)
def test_the_corpus_is_corrected_and_nothing_else_in_it(path: Path) -> None:
    document = load_document(path)

    def again(text: str) -> Checked:
        return check(read_document(text, path=str(path), format=document.format))

    result = fix(check(document), again)
    assert outside(document.source, result) == result.text
    refused = {claim.span for claim, _ in result.refused}
    assert len([claim for claim in result.checked.findings if claim.certain]) <= len(refused)
    assert all(change.old != change.new for change in result.applied)


# the numbers of the corpus that are corrected, and what follows: worked out by hand from the documents
BY_HAND = {
    "00": {(32, "1.17", "1.18"), (36, "1.17", "1.18")},
    "30": {(22, "0.32", "0.33"), (23, "0.68", "0.67"), (27, "0.32", "0.33"), (27, "0.68", "0.67")},
}


@pytest.mark.parametrize(("slug", "changes"), BY_HAND.items(), ids=BY_HAND)
def test_the_corpus_is_carried_through(slug: str, changes: set[tuple[int, str, str]]) -> None:
    path = next(p for p in sorted(CORPUS.glob(f"{slug}-*")) if p.suffix != ".json")
    document = load_document(path)
    result = fix(check(document), lambda text: check(read_document(text, path=str(path), format=document.format)))
    assert {(change.place.line, change.old, change.new) for change in result.applied} == changes


# refusals, with reports built by hand


def by_hand(source: str, old: str, expected: str | None, **changes: Any) -> Checked:
    document = read_document(source, format="text")
    start = source.find(old)
    span = (start, start + len(old))
    claim = Claim(place_of(document, *span), span, old, Verdict.WRONG, "made up", route="written", expected=expected)
    return Checked(document, (replace(claim, **changes),) if start >= 0 else ())


REFUSED: dict[str, tuple[str, Callable[[str], Checked], str]] = {
    "a fraction": ("a = 1/2", lambda t: by_hand(t, "1/2", "1/3"), "the file writes it as '1/2'"),
    "no decimal": ("a = 2", lambda t: by_hand(t, "2", "1/3"), "'1/3' is no plain decimal"),
    "a macro": ("a = \\foo", lambda t: by_hand(t, "\\foo", "2", text="1"), "the file writes it as '\\foo'"),
    "givens only": ("a = 2", lambda t: by_hand(t, "2", "3", route="givens"), "it is judged by what was given earlier, not by the numbers before it, which may be the slip"),
    "nothing expected": ("a = 2", lambda t: by_hand(t, "2", None), "what belongs there is not certain"),
    "the same": ("a = 2", lambda t: by_hand(t, "2", "2"), "'2' stands there already"),
    "a sign in a sum": ("a = 3 - 2", lambda t: by_hand(t, "2", "1", text="-2"), "its sign changes inside of a sum"),
    "decimal or thousands": ("a = 1,234", lambda t: by_hand(t, "1,234", "1.23"), "its decimal sign or its unit is not certain"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "again", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_certain_is_refused(text: str, again: Callable[[str], Checked], reason: str) -> None:
    result = fix(again(text), again)
    assert result.text == text
    assert not result.applied
    assert [why for _, why in result.refused] == [reason]


def test_a_correction_that_is_judged_wrong_again_is_put_back() -> None:
    def again(text: str) -> Checked:
        return by_hand(text, text[4:], "3")  # it wants 3, and is not content with it

    result = fix(again("a = 2"), again)
    assert (result.text, result.applied) == ("a = 2", ())
    assert [why for _, why in result.refused] == ["as 3 it would be judged wrong again"]


def test_corrections_that_undo_each_other_are_put_back() -> None:
    def again(text: str) -> Checked:
        return by_hand(text, text[4:], {"2": "3", "3": "4", "4": "3"}[text[4:]])

    result = fix(again("a = 2"), again)
    assert result.text == "a = 2"
    assert [why for _, why in result.refused] == ["two corrections undo each other"]


def test_corrections_without_end_leave_the_document_alone() -> None:
    def again(text: str) -> Checked:
        return by_hand(text, text[4:], str(int(text[4:]) + 1))

    result = fix(again("a = 2"), again)
    assert result.text == "a = 2"
    assert [why for _, why in result.refused] == ["the corrections come to no end in 50 rounds"]


def test_a_text_that_cannot_be_verified_again_is_left_alone() -> None:
    def again(text: str) -> Checked:
        raise ReadError("too long")

    result = fix(by_hand("a = 2", "2", "3"), again)
    assert result.text == "a = 2"
    assert [why for _, why in result.refused] == ["the corrected text cannot be verified: too long"]


def test_two_claims_on_one_number_must_agree() -> None:
    def again(text: str) -> Checked:
        first = by_hand(text, "2", "3")
        return replace(first, claims=(*first.claims, *by_hand(text, "2", "4").claims))

    result = fix(again("a = 2"), again)
    assert result.text == "a = 2"
    assert {why for _, why in result.refused} == {"two readings of it ask for different numbers"}


def test_a_number_may_come_back_once() -> None:
    """1.8072 is 1.8073 when one of its terms was corrected, and 1.8072 again when the other was."""
    steps = {"1.8072": "1.8073", "1.8073": "1.8072"}
    rounds = 0

    def again(text: str) -> Checked:
        nonlocal rounds
        rounds += 1
        old = text.split()[-1]
        return by_hand(text, old, steps[old]) if rounds < 3 else by_hand(text, old, old, verdict=Verdict.EXACT)

    result = fix(again("s = 1.8072"), again)
    assert (result.text, result.applied, result.refused) == ("s = 1.8072", (), ())


def test_nothing_is_carried_past_a_number_that_can_be_judged_no_longer() -> None:
    """b was right; once a is corrected, nothing gives b, and c, which may come from b, is left alone."""

    def again(text: str) -> Checked:
        wrong, right = Verdict.WRONG, Verdict.EXACT
        if "a = 1" in text:
            claims = [("1", "2", wrong), ("5", "5", right), ("7", "7", right)]
        else:
            claims = [("2", "2", right), ("7", "8", wrong)]
        made = [by_hand(text, old, new, verdict=verdict).claims[0] for old, new, verdict in claims]
        return Checked(read_document(text, format="text"), tuple(made))

    text = "a = 1, b = 5, c = 7"
    result = fix(again(text), again)
    assert result.text == "a = 2, b = 5, c = 7"
    assert [(claim.text, why) for claim, why in result.refused] == [
        ("7", "it may rest on a number further up that can be judged no longer"),
        ("5", "after the corrections above it can be judged no longer"),
    ]


@pytest.mark.parametrize(
    ("old", "expected", "exact", "verdict", "text"),
    [
        ("3", "2", "sqrt(3)", Verdict.WRONG, "3"),
        ("3", "2", "2", Verdict.WRONG, "2"),
        ("3", "2", None, Verdict.WRONG, "2"),
        ("8886110", "8886111", "exp(16)", Verdict.TRUNCATED, "8886111"),
    ],
)
def test_a_whole_number_is_not_put_where_none_belongs(
    old: str, expected: str, exact: str | None, verdict: Verdict, text: str
) -> None:
    def again(source: str) -> Checked:
        return by_hand(source, old, expected, exact=exact, verdict=verdict, decimal=None if exact is None else "1.73")

    result = fix(again(f"a = {old}"), again)
    assert result.text == f"a = {text}"
    if text == old:
        assert [why for _, why in result.refused] == ["what belongs there is no whole number: 1.73"]


def test_refused_places_are_those_of_the_original() -> None:
    text = "$1/8 = 9.1$ $1/2 = 0.51$"

    def again(new: str) -> Checked:
        first = (
            by_hand(new, "9.1", "0.125") if "9.1" in new else by_hand(new, "0.125", "0.125", verdict=Verdict.ROUNDED)
        )
        last = by_hand(new, "0.51", "0.50", route="givens")
        return replace(first, claims=(*first.claims, *last.claims))

    result = fix(again(text), again)
    assert result.text == "$1/8 = 0.125$ $1/2 = 0.51$"
    ((claim, _),) = result.refused
    assert text[slice(*claim.span)] == "0.51"
    assert claim.place.column == text.index("0.51") + 1


def test_what_is_restated_too_often_is_told() -> None:
    text = "$2/1.7 = 1.17$\n\n" + "$[1.17, 3] \\cdot 2$\n\n" * (MAX_SAME + 1)
    result = fixed(text)
    assert result.text == text.replace("1.17$", "1.18$")
    assert [why for _, why in result.refused] == ["the 1.17 at 3:3 may restate it or another number"]


# spelling


SPELT = {
    "1.17": "1.18", "0.50": "0.5", r"0{,}67": "0.68", r"8{,}886{,}110": "8886111", "1,999": "2000", "999": "1000",
    ".5": "0.6", "0.": "1", "1.2e-3": "0.0013", "1{.}17": "1.18", "1 234.5": "1234.6", "1\u202f234,5": "1234.6",
    r"1\,234": "1235", "−0.35": "-0.36", "&minus;0.35": "-0.36", "85%": "0.86", r"85\%": "0.86", "85 %": "86%",
    "+2": "3", "-2": "3", "12'345": "12346", "1,5": "1.6", r"-0{,}5": "-0.6",
}  # fmt: skip
RESPELT = [
    "1.18", "0.50", r"0{,}68", r"8{,}886{,}111", "2,000", "1000", ".6", "1.", "1.3e-3", "1{.}18", "1 234.6",
    "1\u202f234,6", r"1\,235", "−0.36", "&minus;0.36", "86%", r"86\%", "86 %", "+3", "3", "12'346", "1,6",
    r"-0{,}6",
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "expected", "new"), [(a, b, c) for (a, b), c in zip(SPELT.items(), RESPELT, strict=True)]
)
def test_a_number_is_spelt_as_its_author_does(old: str, expected: str, new: str) -> None:
    assert respell(f"= {old}", (2, 2 + len(old)), old, expected) == Respelt(2, 2 + len(old), new)


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.integers(-(10**9), 10**9))
def test_a_respelt_decimal_has_its_value_and_its_digits(old: int, places: int, new: int) -> None:
    before, after = Digits(old, places), Digits(new, places)
    source = f"x = {before.text}$"
    found = respell(source, (4, 4 + len(before.text)), before.text, after.text)
    assert isinstance(found, Respelt)
    text = source[: found.start] + found.text + source[found.end :]
    assert text == f"x = {after.text}$"


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=8))
def test_any_text_is_respelt_or_refused(raw: str, text: str, expected: str) -> None:
    found = respell(f"a{raw}b", (1, 1 + len(raw)), text, expected)
    assert isinstance(found, (Respelt, str))
    if isinstance(found, Respelt):
        assert value_of(expected) is not None


# the rest of the file


pieces_of_text = st.lists(
    st.sampled_from(
        ["$2/1.7 = 1.17$", "$1/3 \\approx 0.33$", "$[1/8, 1/4] = [0.12, 0.25]$", "text ", "\n", "\r\n", "  \n", "\t",
         "# a\n", "`1/2 = 0.6`", "$1.17 + 1 = 2.17$", "\n\n", "\u2028", "\x0c", "é", "👍", "$0.12 \\cdot 2 = 0.24$",
         "- ", "$-1/3 = -0.34$", "1.17"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(pieces_of_text)
def test_nothing_but_the_numbers_changes(text: str) -> None:
    result = fixed(text)
    assert not [claim for claim in result.checked.findings if claim.certain]
    twice = fixed(result.text)
    assert (twice.text, twice.applied) == (result.text, ())


# formats


def test_a_notebook_is_corrected_in_its_json() -> None:
    cell = {"cell_type": "markdown", "metadata": {}, "source": ["é $\\frac{2}{1.7} = 1.17$\n", "so $1.17 + 1 = 2.17$"]}
    text = json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]})
    result = fixed(text, "notebook")
    assert result.text == text.replace("1.17", "1.18").replace("2.17", "2.18")
    assert json.loads(result.text)["cells"][0]["source"][1] == "so $1.18 + 1 = 2.18$"


def test_html_keeps_its_entities() -> None:
    text = "<p>1/3 &minus; 1 = &minus;0.66, &eacute;&nbsp;</p>"
    assert fixed(text, "html").text == text.replace("0.66", "0.67")


def test_digits_written_as_entities_are_refused() -> None:
    text = "<p>2/1.7 = 1.1&#55;</p>"
    result = fixed(text, "html")
    assert result.text == text
    assert [why for _, why in result.refused] == ["the file writes it as '1.1&#55;'"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
def test_the_bytes_around_stay(encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    content = mark + "é $2/1.7 = 1.17$\r\n".encode(encoding)
    document = read_document(content, format="markdown")
    result = fix(judge(document), lambda text: judge(read_document(text, format="markdown")))
    assert file_bytes(content, document, result.text) == mark + "é $2/1.7 = 1.18$\r\n".encode(encoding)


def test_bytes_that_are_no_text_are_not_lost() -> None:
    content = b"caf\xe9 $2/1.7 = 1.17$, long enough to be taken for a text with one slip in it\n"
    document = read_document(content, path="a.md")
    with pytest.raises(
        OutputError, match=r"a.md: the file holds bytes that are no text, and would lose them. Save it as"
    ):
        file_bytes(content, document, document.source)


# edits


@settings(max_examples=150)
@given(
    st.text("ab", max_size=30),
    st.lists(
        st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4), st.text("xyz", min_size=1, max_size=4)), max_size=4),
        max_size=4,
    ),
)
def test_edits_of_edits_lead_back_to_the_source(source: str, rounds: list[list[tuple[int, int, str]]]) -> None:
    edits = Edits(source)
    text = source
    for wanted in rounds:
        puts, reached = [], 0
        for start, length, new in sorted(wanted):
            if start >= reached and start + length <= len(text):
                puts.append((start, start + length, new))
                reached = start + length
        edits.put_all(puts)
        for start, end, new in reversed(puts):
            text = text[:start] + new + text[end:]
        assert edits.text() == text
    for at in range(len(text)):
        first, last, before, behind = edits.back(at, at + 1)
        if not any(a < last and first < b for a, b in edits.made):
            assert source[first:last] == text[at] == text[at : at + 1]
            assert before == behind == ""
        else:
            assert edits.made[first, last] == before + text[at] + behind
    for _, stop in list(edits.made):
        assert edits.touch(stop)
        edits.drop(stop)
        assert not edits.touch(stop)
    assert edits.text() == source


# patches


git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@git
@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.sampled_from(["a\n", "b\r\n", "c\x0c\n", "d\u2028e\n", "f\rg\n", "\n"]), min_size=1, max_size=12).map(
        "".join
    ),
    st.booleans(),
    st.data(),
)
def test_git_applies_the_patch(text: str, ended: bool, data: st.DataObject) -> None:
    import tempfile

    old = text if ended else text + "end"
    at = data.draw(st.integers(0, len(old)))
    new = old[:at] + "1.18" + old[at:]
    with tempfile.TemporaryDirectory() as folder:
        name = data.draw(st.sampled_from(["a.md", "my lesson.md", 'q"uo.md', "é.md", "sub/a.md"]))
        path = Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(old.encode())
        patch = unified_diff(name, old, new).encode()
        subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=patch, cwd=folder, check=True)
        assert path.read_bytes() == new.encode()


@git
def test_git_applies_a_patch_of_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    content = "\ufeff$2/1.7 = 1.17$".encode()
    (tmp_path / "a.md").write_bytes(content)
    document = load_document(tmp_path / "a.md")
    new = document.source.replace("1.17", "1.18")
    patch = unified_diff("a.md", file_text(document, document.source), file_text(document, new))
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "a.md").read_bytes() == file_bytes(content, document, new)


@pytest.mark.parametrize(
    ("path", "header"),
    [("a\\b.md", '--- "a/a\\\\b.md"\n'), ("./a.md", "--- a/a.md\n"), ("/x/a.md", "--- a/x/a.md\n"), ("-", "--- a/stdin\n"), ("my a.md", "--- a/my a.md\t\n"), ("a\n.md", '--- "a/a\\012.md"\n')],
)  # fmt: skip
def test_the_header_of_a_patch_names_the_file(path: str, header: str) -> None:
    assert unified_diff(path, "a", "b").splitlines(keepends=True)[0] == header


def test_no_difference_is_no_patch() -> None:
    assert unified_diff("a.md", "a", "a") == ""


# literals


def test_rows_say_which_they_are() -> None:
    document = read_document(
        "row 2: $e^{0.5} = 1.6$, $e^{-1} = 0.4$ and $\\alpha_3 = [0.1, \\frac{2}{5}]$", format="markdown"
    )
    rows = [
        (row.index, [entry.number.text if entry else None for entry in row.entries]) for row in paper_of(document).rows
    ]
    assert rows == [(2, ["0.5", "1"]), (3, ["0.1", "2"])]
