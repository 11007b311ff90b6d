"""Every verdict and every reason to carry a value on, each by a small document; and no state between documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from symattn import verify
from symattn.comparison.verdicts import Verdict
from symattn.documents.report import Checked, Claim

CORPUS = Path(__file__).parents[2] / "corpus"
DOCUMENTS: Final = sorted(
    path for path in CORPUS.iterdir() if path.suffix in {".md", ".tex", ".html", ".ipynb"} and path.stem != "README"
)


def matrix(rows: Any) -> str:
    return r"\begin{bmatrix}" + r" \\ ".join(" & ".join(map(str, row)) for row in rows) + r"\end{bmatrix}"


def display(left: str, rows: Any, relation: str = "=") -> str:
    return f"$$\n{left} {relation} {matrix(rows)}\n$$\n\n"


def checked(text: str) -> Checked:
    (found,) = verify(text).documents
    return found


def told(text: str) -> list[tuple[str, str, str | None]]:
    """Verdict, text and right value of every claim."""
    return [(claim.verdict.value, claim.text, claim.expected) for claim in checked(text).claims]


SCALARS: Final[dict[str, tuple[str, str, str, str | None]]] = {
    "a sum": (r"$2\times 1 + 0\times 0 + 1\times 1 = 3$", "exact", "3", "3"),
    "a decimal": (r"$0.5 + 0.25 = 0.750$", "exact", "0.750", "0.750"),
    "rounded": (r"$\frac{2}{1.7} \approx 1.18$", "rounded", "1.18", "1.18"),
    "rounded behind =": (r"$\frac{2}{1.7} = 1.18$", "rounded", "1.18", "1.18"),
    "a power": (r"$e^{1.76} \approx 5.8$", "rounded", "5.8", "5.8"),
    "in prose": ("so e^1.76 ≈ 5.8 here", "rounded", "5.8", "5.8"),
    "truncated": (r"$\frac{2}{1.7} \approx 1.17$", "truncated", "1.17", "1.18"),
    "negative, truncated": (r"$-\frac{2}{1.7} \approx -1.17$", "truncated", "-1.17", "-1.18"),
    "one off": (r"$\frac{2}{1.7} \approx 1.19$", "last_digit", "1.19", "1.18"),
    "wrong": (r"$2\times 3 + 1 = 8$", "wrong", "8", "7"),
    "a number in brackets": (r"$3 - 5 = -(2)$", "exact", "-(2)", "-2"),
    "undecided": (r"$\lim_{n\to 0} n = 3$", "undecided", "3", None),
}


@pytest.mark.parametrize(("text", "verdict", "number", "expected"), SCALARS.values(), ids=SCALARS)
def test_one_number(text: str, verdict: str, number: str, expected: str | None) -> None:
    assert told(text) == [(verdict, number, expected)]


@pytest.mark.parametrize(
    ("text", "number"), [(r"$\frac{1}{8} = %s$", "0.13"), (r"$\frac{1}{8} = %s$", "0.12"), (r"$-\frac{1}{8} = %s$", "-0.12"),
                         (r"$\frac{5}{2} \approx %s$", "2"), (r"$\frac{5}{2} \approx %s$", "3")]
)  # fmt: skip
def test_at_a_tie_both_ways_are_right(text: str, number: str) -> None:
    (claim,) = checked(text % number).claims
    assert (claim.verdict, claim.tie, claim.right) == (Verdict.ROUNDED, True, True)
    assert claim.expected == {"0.13": "0.13", "0.12": "0.13", "-0.12": "-0.13", "2": "3", "3": "3"}[number]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (r"$\frac{8}{3} = 3$", ("equals_for_rounded",)), (r"$\frac{8}{3} \approx 3$", ()), (r"$\frac{8}{3} = 2.67$", ()),
        (r"$\frac{9}{3} = 3$", ()),
    ],
)  # fmt: skip
def test_a_whole_number_behind_equals_for_none_is_noted(text: str, notes: tuple[str, ...]) -> None:
    (claim,) = checked(text).claims
    assert (claim.right, claim.notes) == (True, notes)


SHAPES: Final[dict[str, tuple[str, str]]] = {
    "widths that do not fit": (
        display(matrix([[1, 2]]) + matrix([[1, 2]]), [[1, 4]]),
        "a product of 1x2 and 1x2; expected as many columns as rows",
    ),
    "of names": (
        display("Q", [[1, 2], [3, 4]]) + display("K", [[1, 2, 3], [3, 4, 5]]) + display("QK^T", [[1, 4], [2, 3]]),
        "a product of 2x2 and 3x2; expected as many columns as rows",
    ),
    "of the result": (
        display(matrix([[1, 2], [3, 4]]) + matrix([[1], [1]]), [[3, 7], [1, 1]]),
        "[1, 2; 3, 4]·[1; 1] is 2x1, but what is written is 2x2",
    ),
}


@pytest.mark.parametrize(("text", "message"), SHAPES.values(), ids=SHAPES)
def test_shapes(text: str, message: str) -> None:
    (claim,) = checked(text).findings
    assert (claim.verdict, claim.message) == (Verdict.SHAPE, message)


X, W_Q, Q_STATED = [[1, 0, 1, 0], [0, 2, 0, 1]], [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]], [[2, 0, 1], [1, 2, 1]]
K = [[1, 0, 1], [0, 1, 0]]
"""Of the bundled example: X·W_Q has the row [0, 2, 1] where Q states [1, 2, 1]."""

INCONSISTENT: Final[dict[str, tuple[str, str, str]]] = {
    "Q is not the product": (display("X", X) + display("W_Q", W_Q) + display("Q", Q_STATED), "1", "0"),
    "two values for a matrix that was worked out": (
        display("Q", [[2, 1], [1, 3]])
        + display("K", [[1, 0], [2, 1]])
        + display("S = QK^T", [[2, 5], [1, 5]])
        + "Some words later:\n\n"
        + display("S", [[2, 5], [1, 6]]),
        "6",
        "5",
    ),
    "two values for a number": ("First $t = 2 + 3 = 5$.\n\nRecall that $t = 6$.\n", "6", "5"),
}


@pytest.mark.parametrize(("text", "number", "expected"), INCONSISTENT.values(), ids=INCONSISTENT)
def test_what_contradicts_the_document_itself_is_inconsistent(text: str, number: str, expected: str) -> None:
    (claim,) = checked(text).findings
    assert (claim.verdict.value, claim.text, claim.expected) == ("inconsistent", number, expected)


def test_a_name_may_be_given_anew() -> None:
    assert checked("For example $x = 5$.\n\nIn the next example $x = 6$.\n").findings == ()


def test_a_product_that_is_worked_out_is_wrong_not_inconsistent() -> None:
    (claim,) = checked(display(matrix([[1, 2]]) + matrix([[3], [4]]), [[12]])).findings
    assert (claim.verdict.value, claim.expected, claim.route) == ("wrong", "11", "written")


def test_another_step_is_wrong_whether_or_not_its_arithmetic_holds() -> None:
    given = display("Q", Q_STATED) + display("K", K) + "$d_k = 3$\n\n" + display("S = QK^T", [[3, 0], [2, 2]])
    # divided by 3 where √3 is due: each quotient is worked out rightly
    step = display(r"\frac{S}{\sqrt{d_k}}", [[r"\frac{3}{3}", r"\frac{0}{3}"], [r"\frac{2}{3}", r"\frac{2}{3}"]])
    found = checked(given + step).findings
    assert found
    assert {claim.verdict.value for claim in found} == {"wrong_step"}


@pytest.mark.parametrize("text", [r"$2 + \frac{1}{ = 3$", r"$2 + \foo{1} = 3$", "$1 + = 2$"])
def test_what_cannot_be_read_says_where_and_the_rest_is_judged(text: str) -> None:
    found = checked(f"{text}\n\nNow $2\\times 2 = 5$.\n")
    unread = [claim for claim in found.claims if claim.verdict is Verdict.UNREADABLE]
    assert unread
    assert unread[0].place.line == 1
    assert "cannot read" in unread[0].message
    assert [(claim.text, claim.expected) for claim in found.findings] == [("5", "4")]


@pytest.mark.parametrize(
    "text",
    ["", "Only words.\n", "$d_k = 3$", display("X", [[1, 2]]), r"$S = QK^T$", "$$\\frac{QK^T}{\\sqrt{d_k}}$$",
     r"$2\times 3 = \_\_\_$", "We found 12 results in 2017.\n"],
)  # fmt: skip
def test_what_is_no_claim(text: str) -> None:
    assert told(text) == []


def test_an_unchanged_restatement_is_no_claim() -> None:
    once = display(r"S = " + matrix([[1, 2]]) + matrix([[3], [4]]), [[11]])
    assert len(checked(once).claims) == 1
    assert len(checked(once + display("S", [[11]])).claims) == 1


# ---- carried ---------------------------------------------------------------------------------------------------


def by_label(text: str) -> dict[str, Claim]:
    return {claim.label: claim for claim in checked(text).claims}


def test_what_a_finding_was_carried_into_is_inherited_and_names_it() -> None:
    text = display("X", X) + display("W_Q", W_Q) + display("Q", Q_STATED) + display("K", K)
    claims = by_label(text + display("S = QK^T", [[3, 0], [2, 2]]))
    score, other = claims["Scores[2,1]"], claims["Scores[1,1]"]
    assert (score.right, score.carried, score.from_definitions) == (True, "inherited", "1")
    assert score.origin == claims["Q[2,1]"].place
    assert (other.carried, other.origin) == (None, None)


GIVEN: Final = display("Q", Q_STATED) + display("K", K) + "$d_k = 3$\n\n" + display("S = QK^T", [[3, 0], [2, 2]])


def test_a_constant_that_is_declared_is_a_stated_approximation() -> None:
    over = [[rf"\frac{{{score}}}{{1.7}}" for score in row] for row in [[3, 0], [2, 2]]]
    step = display(r"\frac{S}{\sqrt{d_k}}", over).replace("\n$$\n\n", r" \approx ") + matrix(
        [["1.76", "0"], ["1.18", "1.18"]]
    )
    claims = by_label(GIVEN + r"We take $\sqrt{d_k} = \sqrt{3} \approx 1.7$." + "\n\n" + step + "\n$$\n")
    scaled = claims["Scaled[2,1]"]
    # 2/1.7 = 1.1764..., 2/√3 = 1.1547...
    assert (scaled.text, scaled.right, scaled.from_givens) == ("1.18", True, "1.15")
    assert scaled.carried == "stated_approximation"
    assert claims["Scaled[1,2]"].carried is None  # 0 either way


def test_a_value_rounded_on_the_way_is_early_rounding() -> None:
    # 5.7 + 1 with e^√3 = 5.652... rounded to 5.7; 6.652... in full
    text = (
        GIVEN
        + "$e^{\\sqrt{3}} \\approx 5.7$\n\nThe sum: $5.7 + 1 = 6.7$, and the share: $\\frac{5.7}{6.7} \\approx 0.851$\n"
    )
    found = checked(text)
    assert found.findings == ()
    share = next(claim for claim in found.claims if claim.text == "0.851")
    assert (share.right, share.carried) == (True, "early_rounding")


def test_what_is_the_same_by_every_route_carries_nothing() -> None:
    assert {claim.carried for claim in checked(GIVEN).claims} == {None}


# ---- documents by themselves -----------------------------------------------------------------------------------


def test_claims_stand_in_the_order_of_the_source() -> None:
    for path in DOCUMENTS[:6]:
        (found,) = verify(path).documents
        spans = [claim.span for claim in found.claims]
        assert spans == sorted(spans)


def test_a_document_leaves_nothing_behind_for_the_next() -> None:
    claims = "Then $\\frac{S}{\\sqrt{d_k}} \\approx [1, 2]$ and $t + 1 = 6$.\n"
    before = verify(claims)
    verify(GIVEN + "$t = 2 + 3 = 5$\n")
    assert verify(claims) == before


def test_threads_tell_the_same_as_one_after_another() -> None:
    one_by_one = [verify(path) for path in DOCUMENTS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(verify, reversed(DOCUMENTS)))[::-1]
    assert together == one_by_one
