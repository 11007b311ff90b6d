"""Remarks on a document as a whole: rows that do not sum to 1, widths that do not fit, roots that change."""

from __future__ import annotations

from typing import Any, Final

import pytest

from symattn import verify
from symattn.documents.report import Remark


def matrix(rows: Any) -> str:
    return r"\begin{bmatrix}" + r" \\ ".join(" & ".join(map(str, row)) for row in rows) + r"\end{bmatrix}"


def display(left: str, rows: Any, relation: str = "=") -> str:
    return f"$$\n{left} {relation} {matrix(rows)}\n$$\n\n"


def remarks(text: str) -> tuple[Remark, ...]:
    (found,) = verify(text).documents
    return found.remarks


SCORES: Final = display("Q", [[2, 1], [1, 3]]) + display("K", [[1, 0], [2, 1]])
# S/√2 = [1.414, 3.536; 0.707, 3.536]: weights 0.1071, 0.8929 and 0.0557, 0.9443


def weights(rows: Any) -> str:
    return SCORES + display(r"A = \operatorname{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)", rows, r"\approx")


SUMS: Final[dict[str, tuple[str, list[str]]]] = {
    "right": (weights([["0.107", "0.893"], ["0.056", "0.944"]]), []),
    # two entries of three digits may leave 0.001 together
    "as far as rounding explains": (
        weights([["0.107", "0.894"], ["0.056", "0.944"]]),
        ["row 1 of the weights sums to 1.001, which rounding explains"],
    ),
    "beyond": (weights([["0.107", "0.903"], ["0.056", "0.944"]]), ["row 1 of the weights sums to 1.010"]),
    "both rows": (
        weights([["0.107", "0.903"], ["0.056", "0.844"]]),
        ["row 1 of the weights sums to 1.010", "row 2 of the weights sums to 0.900"],
    ),
    "one row by itself": (
        r"$\operatorname{softmax}([1, 2, 3]) \approx [0.09, 0.24, 0.77]$",
        ["this row of weights sums to 1.10"],
    ),
    "percent": (r"$\operatorname{softmax}([1, 2]) \approx [27\%, 73\%]$", []),
    "other matrices may sum to anything": (SCORES + display("S = QK^T", [[2, 5], [1, 5]]), []),
}


@pytest.mark.parametrize(("text", "messages"), SUMS.values(), ids=SUMS)
def test_rows_of_weights(text: str, messages: list[str]) -> None:
    assert [remark.message for remark in remarks(text)] == messages
    assert {remark.kind for remark in remarks(text)} <= {"structure"}
    assert [remark.minor for remark in remarks(text)] == ["explains" in message for message in messages]


WIDTHS: Final[dict[str, tuple[str, list[str]]]] = {
    "as stated": ("$d_k = 2$\n\n" + SCORES + display("S = QK^T", [[2, 5], [1, 5]]), []),
    "not as stated": (
        "$d_k = 4$\n\n" + SCORES + display(r"\frac{QK^T}{\sqrt{d_k}}", [[1, "2.5"], ["0.5", "2.5"]]),
        ["d_k = 4 is stated, but K has 2 columns"],
    ),
    "one column": (
        "$d_k = 4$\n\n" + display("Q", [[2], [1]]) + display("K", [[1], [2]])
        + display(r"\frac{QK^T}{\sqrt{d_k}}", [[1, 2], ["0.5", 1]]),
        ["d_k = 4 is stated, but K has 1 column"],
    ),
    "a letter": (SCORES + display("S = QK^T", [[2, 5], [1, 5]]) + r"$\frac{S}{\sqrt{d_k}}$", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "messages"), WIDTHS.values(), ids=WIDTHS)
def test_a_stated_width(text: str, messages: list[str]) -> None:
    assert [remark.message for remark in remarks(text)] == messages


def test_another_number_for_the_root_than_first_written() -> None:
    given = (
        display("Q", [[2, 0, 1], [1, 2, 1]])
        + display("K", [[1, 0, 1], [0, 1, 0]])
        + display("S = QK^T", [[3, 0], [2, 2]])
    )
    over = [[rf"\frac{{{score}}}{{1.7}}" for score in row] for row in [[3, 0], [2, 2]]]
    text = given + r"$\sqrt{d_k} = \sqrt{3} \approx 1.73$" + "\n\n" + display(r"\frac{S}{\sqrt{d_k}}", over)
    (remark,) = remarks(text)
    assert (remark.kind, remark.message) == ("constant", "1.7 is taken for a root first written 1.73")
    assert remarks(text.replace("1.7}", "1.73}")) == ()
