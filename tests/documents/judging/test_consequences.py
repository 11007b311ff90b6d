"""What follows from a slip names it, and an operand that is misquoted is told."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.documents.judging import consequences
from symattn.documents.report import Checked
from symattn.documents.verify import verify
from symattn.rendering.language import language
from symattn.rendering.verifying.said import said


def checked(text: str) -> Checked:
    (found,) = verify(text, format="markdown").documents
    return found


def told(found: Checked) -> list[tuple[int, str, str | None, int | None]]:
    """The findings: their line, what is written, what is right, and the line of the slip behind them."""
    return [(c.place.line, c.text, c.expected, c.root_cause and c.root_cause.line) for c in found.findings]


# e^0.35 = 1.419...: three times 1.4 is 4.2, at full precision 4.26
HAND = """$e^{0.35} \\approx %s$, $e^{0.35} \\approx 1.4$, $e^{0.35} \\approx 1.4$

Sum $= 4.2$

$1.4/4.2 \\approx 0.33$
"""


def test_a_sum_that_fits_the_corrected_number_follows_from_it() -> None:
    assert told(checked(HAND % "1.4")) == []
    assert told(checked(HAND % "1.9")) == [(1, "1.9", "1.4", None), (3, "4.2", "4.7", 1)]


def test_a_slip_of_its_own_follows_from_nothing() -> None:
    text = HAND.replace("0.33", "0.53") % "1.9"
    assert told(checked(text)) == [(1, "1.9", "1.4", None), (3, "4.2", "4.7", 1), (5, "0.53", "0.33", None)]


# softmax of (3, 2)/√2 is (0.6698, 0.3302), of (4, 6)/√2 (0.1956, 0.8044); the outputs are those of two decimals
WEIGHTS = r"""$QK^T = \begin{bmatrix} 3 & 2 \\ 4 & 6 \end{bmatrix}$, $d_k = 2$, $V = \begin{bmatrix} 100 & 0 \\ 0 & 100 \end{bmatrix}$

$A = \begin{bmatrix} %s \end{bmatrix}$

$AV = \begin{bmatrix} 67.00 & 33.00 \\ 20.00 & 80.00 \end{bmatrix}$
"""


@pytest.mark.parametrize(
    ("weights", "findings"),
    [
        (r"0.67 & 0.33 \\ 0.20 & 0.80", []),
        (r"0.67 & 0.38 \\ 0.20 & 0.80", [(3, "0.38", "0.33", None), (5, "33.00", "38.00", 3)]),
        (
            r"0.33 & 0.67 \\ 0.20 & 0.80",
            [(3, "0.33", "0.67", None), (3, "0.67", "0.33", 3), (5, "67.00", "33.00", 3), (5, "33.00", "67.00", 3)],
        ),
    ],
    ids=["right", "one entry", "two entries in turn"],
)
def test_entries_follow_from_the_table_before(weights: str, findings: list[Any]) -> None:
    assert told(checked(WEIGHTS % weights)) == findings


def test_a_number_of_one_s_own_writing_is_found_again_with_a_comma() -> None:
    text = "4,48 / 8,20 ≈ 0,556\n\n2,72 / 8,20 ≈ 0,332\n\n1 / 8,20 ≈ 0,122\n\n0,546 + 0,332 + 0,122 = 1,000\n"
    (slip,) = checked(text).findings
    assert (slip.text, slip.expected) == ("0,556", "0.546")


def test_where_there_is_too_much_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consequences, "MOST_ANEW", 0)
    assert told(checked(HAND % "1.9")) == [(1, "1.9", "1.4", None), (3, "4.2", "4.7", None)]


def remarks(text: str) -> list[tuple[int, str]]:
    return [(one.place.line, one.message) for one in checked(text).remarks]


RESTATED = "$e^{1.76} \\approx 5.81$\n\n$%s/(5.81+1) \\approx 0.85$\n"


def test_an_operand_that_is_not_what_it_restates_is_remarked() -> None:
    assert remarks(RESTATED % "5.81") == []
    assert remarks(RESTATED % "5.82") == [(3, "5.82 stands in this formula; 5.81 was stated before")]
    assert remarks(RESTATED % "8.51") == [(3, "8.51 stands in this formula; 5.81 was stated before")]


def test_the_findings_from_one_operand_are_one() -> None:
    text = "$2/3 \\approx 0.67$\n\n$%s (1, 2) = (0.67, 1.34)$\n"
    assert told(checked(text % "0.67")) == []
    assert told(checked(text % "0.76")) == [(3, "0.67", "0.76", None), (3, "1.34", "1.52", 3)]
    assert remarks(text % "0.76") == [(3, "0.76 stands in this formula; 0.67 was stated before")]


def test_a_number_that_stands_elsewhere_is_no_misquotation() -> None:
    assert remarks("$3/1.732 \\approx 1.732$, $2/1.732 \\approx 1.155$, $e^{1.155} \\approx 3.174$\n") == []
    assert remarks("$0.7 \\cdot 0.6 = 0.42$, $0.43 \\cdot 2 = 0.86$\n") == []


def test_it_is_told_in_chinese() -> None:
    message = "5.82 stands in this formula; 5.81 was stated before"
    assert said(message, language("zh")) == "这个算式里写的是 5.82，前面得到的是 5.81"
