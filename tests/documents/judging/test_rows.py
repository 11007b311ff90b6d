"""Rows and terms by themselves: which row a list stands for, and which term of a sum was worked out wrongly."""

from __future__ import annotations

from typing import Final

import pytest

from symattn import verify
from symattn.documents.report import Checked


def checked(text: str) -> Checked:
    (found,) = verify(text, format="markdown").documents
    return found


def labels(text: str) -> list[tuple[str, str, str]]:
    return [(claim.label, claim.text, claim.verdict.value) for claim in checked(text).claims]


# Q·Kᵀ = [0, 2; 2, 0; 0, 0] with d_k = 4: scaled [0, 1; 1, 0; 0, 0], and e/(1+e) = 0.7310...
GIVEN: Final = r"""$d_k=4$, $Q=\begin{bmatrix}1&0&0&0\\0&1&0&0\\0&0&0&0\end{bmatrix}$,
$K=\begin{bmatrix}0&2&0&0\\2&0&0&0\end{bmatrix}$.

"""
SOFTMAX: Final = "The exponentials are $e^{%s} \\approx %s$ and $e^{%s} \\approx %s$. Weights $\\approx [%s, %s]$."

OPENINGS: Final = {
    "English": ("Row 1 (“a”): ", "Row 2 (“b”): "),
    "Chinese": ("第 1 行（“a”）：", "第 2 行（“b”）："),
    "Russian": ("Строка 1: ", "Строка 2: "),
    "German": ("Zeile 1: ", "Zeile 2: "),
}


@pytest.mark.parametrize("openings", OPENINGS.values(), ids=OPENINGS)
def test_the_row_that_a_paragraph_begins_with(openings: tuple[str, str]) -> None:
    first = SOFTMAX % ("0", "1", "1", "2.72", "0.27", "0.73")
    second = SOFTMAX % ("1", "2.72", "0", "1", "0.73", "0.93")  # 1/3.72 = 0.2688...
    text = f"{GIVEN}{openings[0]}{first}\n\n{openings[1]}{second}\n"
    told = [claim for claim in labels(text) if claim[0].startswith("Weights")]
    assert told == [
        ("Weights[1,1]", "0.27", "rounded"), ("Weights[1,2]", "0.73", "rounded"),
        ("Weights[2,1]", "0.73", "rounded"), ("Weights[2,2]", "0.93", "wrong"),
    ]  # fmt: skip
    (found,) = checked(text).findings
    assert found.expected == "0.27"


def test_rows_without_a_word_are_those_that_they_come_near() -> None:
    """Rounded exponentials fit each row alike; the rows at full precision tell them apart."""
    rows = (("0", "1", "1", "2.72", "0.27", "0.73"), ("1", "2.72", "0", "1", "0.73", "0.27"))
    text = GIVEN + "\n\n".join(SOFTMAX % row for row in rows)
    assert [label for label, *_ in labels(text) if label.startswith("Weights")] == [
        "Weights[1,1]", "Weights[1,2]", "Weights[2,1]", "Weights[2,2]",
    ]  # fmt: skip


TERMS: Final[dict[str, tuple[str, list[tuple[str, str | None]]]]] = {
    # 0.53·0.5 = 0.265, 0.23·1, 0.19·2 = 0.38, 0.05·1; 0.925 in all
    "a term that is far off": (
        r"$0.53\cdot 0.5+0.23\cdot 1+0.19\cdot 2+0.05\cdot 1=0.265+0.23+0.31+0.05\approx 0.93$", [("0.31", "0.38")],
    ),
    # 0.11·0.75 = 0.0825
    "a term that hides in the rounding of others": (
        r"$0.45\cdot 0.4+0.23\cdot 2+0.11\cdot 0.75+0.21\cdot 2=0.18+0.46+0.0828+0.42\approx 1.14$", [("0.0828", "0.0825")],
    ),
    "terms in another order": (r"$2\cdot 3+4\cdot 5+1\cdot 7=20+6+7=33$", []),
    "terms taken together": (r"$2\cdot 3+4\cdot 5+1\cdot 7=6+27=33$", []),
    "every term as it is": (r"$2\cdot 3+4\cdot 5+1\cdot 7=6+20+7=33$", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "numbers"), TERMS.values(), ids=TERMS)
def test_terms(text: str, numbers: list[tuple[str, str | None]]) -> None:
    assert [(claim.text, claim.expected) for claim in checked(text).findings] == numbers


def test_a_number_written_elsewhere_does_not_excuse_a_wrong_term() -> None:
    text = r"$3.1/10=0.31$ and $0.5\cdot 1+0.19\cdot 2+0.1\cdot 1=0.5+0.31+0.1=0.91$"
    assert [(claim.text, claim.expected) for claim in checked(text).findings] == [("0.31", "0.38")]


def test_the_same_power_twice_is_no_step_from_one_to_the_other() -> None:
    # e^1.3 = 3.6692...; the second is right whatever the first is
    text = r"$\exp(1.3)\approx 3.6663$. The sum is $\exp(1.3)\approx 3.6693$."
    assert [(claim.text, claim.expected) for claim in checked(text).findings] == [("3.6663", "3.6693")]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        (r"$XW_Q$ gives $[0,2]$, but the example states $[1,2]$.", []),
        (r"按 $XW_Q$ 应为 $[0,2]$，题目写的却是 $[1,2]$。", []),
        (r"So the query of the second token is $q_2=[1,2]$.", [("1", "0")]),
    ],
    ids=["quoted", "quoted in Chinese", "claimed"],
)
def test_a_row_that_is_quoted_beside_what_the_document_says_is_no_claim(
    sentence: str, found: list[tuple[str, str]]
) -> None:
    given = r"$X=\begin{bmatrix}1&0\\0&1\end{bmatrix}$, $W_Q=\begin{bmatrix}3&1\\0&2\end{bmatrix}$, $Q=XW_Q=\begin{bmatrix}3&1\\0&2\end{bmatrix}$."
    claims = checked(f"{given}\n\n{sentence}\n").findings
    assert [(claim.text, claim.expected) for claim in claims] == found


def test_whole_numbers_that_nobody_calls_so_are_no_exponentials() -> None:
    """Rounded, e^[0, 1, 0, -2, 1] is [1, 3, 1, 0, 3]: three of five fit by chance."""
    assert checked("Add to each column a combination of $[0,1,0,-2,1]$, $[1,3,0,0,-1]$.").claims == ()


def test_a_letter_beyond_the_rows_is_a_token_and_no_row() -> None:
    given = r"$X=\begin{pmatrix}1&2\\1&0\end{pmatrix}$, $W_Q=\begin{pmatrix}1&0\\2&-1\end{pmatrix}$."
    text = r"$q_p=[1,2] W_Q=[(1\cdot 1+2\cdot 2),(0-2)]=[5,-2]$"
    told = labels(f"{given}\n\n{text}\n")
    assert told == [("Q[1,1]", "5", "exact"), ("Q[1,2]", "-2", "exact")]
    other = labels(f"{given}\n\n{text.replace('q_p', 'q_b')}\n")  # the second of a, b
    assert [label for label, *_ in other] == ["Q[2,1]", "Q[2,2]"]
