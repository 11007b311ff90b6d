"""Indices from 0, biases, columns of single tokens, arrows between rows, and scores told one by one."""

from __future__ import annotations

import pytest

from symattn.documents.report import Claim
from symattn.documents.verify import verify


def findings(text: str) -> list[tuple[str, str | None]]:
    """The numbers that are wrong in a document, and what is right."""
    (found,) = verify(text).documents
    return [(claim.text, claim.expected) for claim in found.findings]


def claims(text: str) -> tuple[Claim, ...]:
    (found,) = verify(text).documents
    return tuple(found.claims)


Q_AND_K = "Q = [[1, 0], [0, 2]]\nK = [[1, 1], [0, 1]]\n\n"


def test_indices_of_code_may_begin_with_zero() -> None:
    told = "scores[0][0] = 1*1 + 0*1 = 1\nscores[0][1] = 1*0 + 0*1 = 0\nscores[1][0] = 0*1 + 2*1 = 2\n"
    text = f"```\n{Q_AND_K}{told}scores[1][1] = 0*0 + 2*1 = 2\n```\n"
    assert findings(text) == []
    assert [claim.label for claim in claims(text)] == ["Scores[1,1]", "Scores[1,2]", "Scores[2,1]", "Scores[2,2]"]


def test_words_may_count_from_zero() -> None:
    scores = "$$QK^T = \\begin{bmatrix} 1 & 0 \\\\ 2 & 2 \\end{bmatrix}$$\n\n"
    text = f"```\n{Q_AND_K}```\n\n{scores}Row 0: softmax = $[0.67, 0.33]$\n\nRow 1: softmax = $[0.5, 0.5]$\n"
    assert findings(text) == []
    assert {claim.label for claim in claims(text)} >= {"Weights[1,1]", "Weights[2,2]"}


BIAS = r"$$X = [[1, 2], [0, 1]],\quad W_K = [[0, 1], [1, 0]],\quad b_K = [1, 0]$$" + "\n\n"


@pytest.mark.parametrize(
    ("written", "wrong"),
    [("[[3, 1], [2, 0]]", []), ("[[2, 1], [2, 0]]", [("2", "3")])],
)
def test_a_bias_is_part_of_the_formula(written: str, wrong: list[tuple[str, str]]) -> None:
    assert findings(f"{BIAS}$$K = XW_K + b_K = {written}$$") == wrong


def test_a_name_for_a_row_that_stands_elsewhere_is_that_row_alone() -> None:
    text = "$$W = [[1, 0], [1, 1]]$$\n\n$$b = [1, 0]$$\n\n$$[2, 2] + b = [3, 2]$$"
    assert findings(text) == []


@pytest.mark.parametrize(
    ("before", "arrow", "wrong"),
    [
        ("`scores / sqrt(2)`", "`[1, 2, 2]` → `[0.71, 1.41, 1.41]`", []),
        ("`scores / sqrt(2)`", "`[1, 2, 2]` → `[0.71, 1.41, 1.44]`", [("1.44", "1.41")]),
        ("softmax:", "$[0, 1] \\to [0.27, 0.73]$", []),
        ("from 2023:", "`[1, 2]` → `[5, 7]`", []),
    ],
)
def test_an_arrow_between_rows_is_a_step(before: str, arrow: str, wrong: list[tuple[str, str]]) -> None:
    assert findings(f"{before}\n\n- {arrow}\n") == wrong


@pytest.mark.parametrize(("last", "wrong"), [("0.71", []), ("0.17", [("0.17", "0.71")])])
def test_scores_told_one_by_one_are_scaled_together(last: str, wrong: list[tuple[str, str]]) -> None:
    given = "Q(cat) = (1, 0), K(cat) = (2, 1), K(dog) = (1, 3)\n\n"
    scores = "Q(cat)·K(cat) = 1×2 + 0×1 = 2\n\nQ(cat)·K(dog) = 1×1 + 0×3 = 1\n\n"
    assert findings(f"{given}{scores}Dividing by √2 ≈ 1.414 we get 1.41 and {last}.\n") == wrong


def test_scores_with_tokens_as_columns_are_gone_on_with() -> None:
    given = r"$$Q = [[1, 0, 2], [1, 1, 0]],\quad K = [[0, 1, 1], [2, 0, 1]]$$" + "\n\n"
    scores = "$$K^T Q = [[2, 2, 0], [1, 0, 2], [2, 1, 3]]$$\n\n"
    scaled = r"$$\frac{1}{\sqrt2} K^T Q \approx [[1.414, 1.414, 0], [0.707, 0, 1.414], [1.414, 0.707, 2.121]]$$"
    assert findings(given + scores + scaled) == [("3", "2")]


def test_a_second_matrix_of_the_same_letter_is_the_next_step() -> None:
    given = r"$$Q = [[1, 2], [2, 0]],\quad K = [[0, 1], [1, 1], [2, 1]]$$" + "\n\n"
    text = "$$Q K^T = [[2, 3, 4], [0, 2, 4]]$$\n\nDivided by √2:\n\n$$S = [[1.414, 2.121, 2.828], [0, 1.412, 2.828]]$$"
    assert findings(given + text) == [("1.412", "1.414")]


def test_a_mask_shown_in_scaled_scores_is_no_slip() -> None:
    scores = "$$QK^T = [[1, 0], [2, 2]]$$\n\n"
    text = (
        r"$$d_k = 2$$"
        f"\n\n{scores}"
        r"$$\tilde S = \begin{bmatrix} 0.707 & -\infty \\ 1.414 & 1.414 \end{bmatrix}$$"
    )
    assert findings(text) == []


@pytest.mark.parametrize("names", [("11", "12", "21", "22"), ("00", "01", "10", "11"), ("1,1", "1,2", "2,1", "2,2")])
@pytest.mark.parametrize(("last", "wrong"), [("2", []), ("3", [("3", "2")])])
def test_entries_of_a_stage_told_without_working(
    names: tuple[str, ...], last: str, wrong: list[tuple[str, str]]
) -> None:
    told = ", ".join(f"$S_{{{name}}} = {value}$" for name, value in zip(names, ("1", "0", "2", last), strict=True))
    text = f"$Q = [[1, 0], [0, 2]]$, $K = [[1, 1], [0, 1]]$\n\n{told}.\n"
    assert findings(text) == wrong
    assert [claim.label for claim in claims(text)] == ["Scores[1,1]", "Scores[1,2]", "Scores[2,1]", "Scores[2,2]"]


def test_a_slip_told_again_is_one_finding() -> None:
    given = r"$\alpha=[0.2,0.5,0.3]$, $v_1=[1,4]$, $v_2=[2,0]$, $v_3=[6,1]$." + "\n\n"
    first = r"First: $0.2\times1+0.5\times2+0.3\times6=3.0$" + "\n\n"
    second = r"Second: $0.2\times4+0.5\times0+0.3\times1=1.2$" + "\n\n"
    assert findings(f"{given}{first}{second}So $o=[3.0,1.2]$.\n") == [("1.2", "1.1")]
