"""Every well-known slip, each in a small document whose numbers NumPy makes, and what is no slip."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from flint import fmpq

from symattn import verify
from symattn.documents.judging.causes import STEPS, TOLD, forced_sum, of_one_cell, reproduces
from symattn.documents.judging.cells import grid_of
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.scalars import Infinite
from symattn.documents.reading.tables import Table
from symattn.documents.report import Checked
from symattn.numbers.certified import Decimals
from symattn.numbers.rounding import Digits


def matrix(rows: Any, places: int | None = None) -> str:
    """A matrix in LaTeX; with `places`, its entries rounded."""
    told = [[str(x) if places is None else f"{x:.{places}f}" for x in row] for row in rows]
    return r"\begin{bmatrix}" + r" \\ ".join(" & ".join(row) for row in told) + r"\end{bmatrix}"


def display(left: str, rows: Any, places: int | None = None, relation: str = "=") -> str:
    """A displayed formula that gives a matrix."""
    return f"$$\n{left} {relation} {matrix(rows, places)}\n$$\n\n"


def softmax(scores: Any, base: float = np.e) -> np.ndarray:
    """Row by row."""
    powers = base ** np.asarray(scores, dtype=float)
    return powers / powers.sum(axis=1, keepdims=True)


def checked(text: str) -> Checked:
    (found,) = verify(text).documents
    return found


X = np.array([[1, 0, 1, 0], [0, 2, 0, 1]])  # (2, 4): d_model = 4
Q = np.array([[2, 1, 0], [1, 3, 1]])  # (2, 3): d_k = 3
K = np.array([[1, 0, 2], [1, 2, 1]])
V = np.array([[1, 4, 0], [3, 2, 5]])
S = Q @ K.T  # [[2, 4], [3, 8]]
A = softmax(S / np.sqrt(3))

GIVEN: Final = display("Q", Q) + display("K", K) + display("V", V) + "Here $d_k = 3$.\n\n"
SCORED: Final = GIVEN + display("S = QK^T", S)


def scaled(values: np.ndarray) -> str:
    return SCORED + display(r"\frac{S}{\sqrt{d_k}}", values, 4, r"\approx")


def weighted(values: np.ndarray) -> str:
    return SCORED + display(r"A = \operatorname{softmax}\left(\frac{S}{\sqrt{d_k}}\right)", values, 4, r"\approx")


def mixed(values: np.ndarray) -> str:
    return weighted(A) + display("O = AV", values, 4, r"\approx")


SQUARE_Q, SQUARE_K = np.array([[2, 1], [1, 3]]), np.array([[1, 0], [2, 1]])
SQUARE: Final = display("Q", SQUARE_Q) + display("K", SQUARE_K)

DOCUMENTS: Final[dict[str, tuple[str, str, str]]] = {
    # what: document, verdict, cause
    "scores not divided": (scaled(S), "wrong_step", "unscaled"),
    "weights of scores not divided": (weighted(softmax(S)), "wrong_step", "unscaled"),
    "divided by d_k": (scaled(S / 3), "wrong_step", "scaled_by_d_k"),
    "weights of scores over d_k": (weighted(softmax(S / 3)), "wrong_step", "scaled_by_d_k"),
    "scaled scores divided once more": (
        scaled(S / np.sqrt(3)) + display(r"A = \operatorname{softmax}(S/\sqrt{d_k})", softmax(S / 3), 4, r"\approx"),
        "wrong_step",
        "scaled_twice",
    ),
    "divided by the root of d_model": (display("X", X) + scaled(S / 2), "wrong_step", "d_model_for_d_k"),
    "weights of that": (display("X", X) + weighted(softmax(S / 2)), "wrong_step", "d_model_for_d_k"),
    "scores on their side": (GIVEN + display("S = QK^T", S.T), "wrong_step", "transposed"),
    "K for its transpose": (SQUARE + display("S = QK^T", SQUARE_Q @ SQUARE_K), "wrong_step", "transposed"),
    "weights on their side": (mixed(A.round(4).T @ V), "wrong_step", "transposed"),
    "weights on their side, at full precision": (mixed(A.T @ V), "wrong_step", "transposed"),
    "a term left out": (r"$1\times 1 + 3\times 2 + 1\times 5 = 7$", "wrong", "missing_term"),
    "a decimal term left out": (r"$0.85\times 10 + 0.15\times 2 = 8.5$", "wrong", "missing_term"),
    "a row made to sum to 1": (r"$\operatorname{softmax}([2, 2, 2]) = [0.33, 0.33, 0.34]$", "last_digit", "forced_sum"),
    "softmax down the columns": (weighted(softmax((S / np.sqrt(3)).T).T), "wrong_step", "wrong_axis"),
    "scores over their sum": (weighted(S / S.sum(axis=1, keepdims=True)), "wrong_step", "softmax_as_ratio"),
    "powers of 2": (weighted(softmax(S / np.sqrt(3), 2)), "wrong_step", "other_base"),
    "powers of 10": (weighted(softmax(S / np.sqrt(3), 10)), "wrong_step", "other_base"),
    "the root of another number": (scaled(S / np.sqrt(5)), "wrong_step", "wrong_root"),
    "two entries that changed places": (GIVEN + display("S = QK^T", [[4, 2], [3, 8]]), "wrong", "swapped_cells"),
    "V for K": (GIVEN + display("S = QK^T", Q @ V.T), "wrong_step", "wrong_operand"),
    "K for Q": (GIVEN + display("S = QK^T", K @ K.T), "wrong_step", "wrong_operand"),
    "K for V": (mixed(A.round(4) @ K), "wrong_step", "wrong_operand"),
    "K for V, at full precision": (mixed(A @ K), "wrong_step", "wrong_operand"),
    "a wrong sign": (GIVEN + display("S = QK^T", [[-2, 4], [3, 8]]), "wrong", "sign"),
    "a wrong sign of a difference": (r"$2 - 5 = 3$", "wrong", "sign"),
}


@pytest.mark.parametrize(("text", "verdict", "cause"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_slip_is_named(text: str, verdict: str, cause: str) -> None:
    found = checked(text).findings
    assert found
    assert {(claim.verdict.value, claim.cause) for claim in found} == {(verdict, cause)}
    assert all(claim.message.endswith(TOLD[cause]) for claim in found)
    assert {claim.root_cause for claim in found[1:]} <= {found[0].place}
    assert found[0].root_cause is None


def test_every_slip_has_a_document() -> None:
    assert {cause for *_, cause in DOCUMENTS.values()} == set(TOLD)
    assert set(TOLD) > STEPS


RIGHT: Final[dict[str, str]] = {
    "scaled": scaled(S / np.sqrt(3)),
    "weights": weighted(A),
    "outputs": mixed(A.round(4) @ V),
    "scores": SCORED,
    "the softmax of a row": r"$\operatorname{softmax}([2, 2, 2]) = [0.33, 0.33, 0.33]$",
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_has_no_slip(text: str) -> None:
    assert [claim.message for claim in checked(text).findings] == []


NAMELESS: Final[dict[str, tuple[str, str, str]]] = {
    "one number that nothing explains": (GIVEN + display("S = QK^T", [[2, 4], [3, 9]]), "9", "8"),
    # Qᵀ would have this row, but not the other one
    "one row of the transpose": (
        display("X", [[1, 0], [0, 2]]) + display("W_Q", [[1, 1], [0, 1]]) + display("Q = XW_Q", [[1, 1], [1, 2]]),
        "1",
        "0",
    ),
}


@pytest.mark.parametrize(("text", "written", "expected"), NAMELESS.values(), ids=NAMELESS)
def test_a_coincidence_is_no_slip(text: str, written: str, expected: str) -> None:
    (found,) = checked(text).findings
    assert (found.verdict.value, found.text, found.expected, found.cause) == ("wrong", written, expected, None)


# ---- the parts -------------------------------------------------------------------------------------------------


def digits(*texts: str) -> list[Digits]:
    return [Digits(int(text.replace(".", "")), len(text.partition(".")[2])) for text in texts]


FORCED: Final[dict[str, tuple[list[str], list[int], list[str], bool]]] = {
    # 0.33 + 0.33 + 0.34 is 1, the right ones sum to 0.99
    "one unit up": (["0.33", "0.33", "0.34"], [2], ["0.33", "0.33", "0.33"], True),
    "one unit down": (["0.17", "0.17", "0.66"], [2], ["0.17", "0.17", "0.67"], True),
    "it sums to something else": (["0.33", "0.33", "0.35"], [2], ["0.33", "0.33", "0.33"], False),
    "the right ones sum to 1 already": (["0.50", "0.24", "0.26"], [2], ["0.50", "0.25", "0.25"], False),
    "two are wrong": (["0.34", "0.33", "0.33"], [0, 1], ["0.33", "0.34", "0.33"], False),
}


@pytest.mark.parametrize(("row", "wrong", "expected", "forced"), FORCED.values(), ids=FORCED)
def test_forced_sums(row: list[str], wrong: list[int], expected: list[str], forced: bool) -> None:
    assert forced_sum(digits(*row), wrong, digits(*expected)) is forced


def test_a_sum_with_a_number_that_has_no_digits_is_not_forced() -> None:
    assert not forced_sum([*digits("0.33", "0.67"), None], [0], digits("0.33", "0.67", "0.00"))


ONE_CELL: Final[dict[str, tuple[str, int, list[int], str]]] = {
    "the sign": ("-6", 6, [], "sign"),
    "a term": ("4", 6, [1, 2, 3], "missing_term"),
    "the sign goes before a term": ("-6", 6, [12], "sign"),
    "nothing": ("7", 6, [1, 2], ""),
    "all of it": ("0", 6, [6], ""),
    "a term of 0": ("5", 6, [0], ""),
}


@pytest.mark.parametrize(("text", "value", "terms", "cause"), ONE_CELL.values(), ids=ONE_CELL)
def test_slips_of_one_number(text: str, value: int, terms: list[int], cause: str) -> None:
    (written,) = [Digits(int(text), 0)]
    assert of_one_cell(written, fmpq(value), [fmpq(term) for term in terms], Decimals()) == cause


def test_a_table_reproduces_rows_as_they_are_written() -> None:
    laid = grid_of(read_chain(matrix([["0.33", "0.66"], ["1", "5"]])).first)  # type: ignore[arg-type]
    assert laid is not None
    table = Table(((fmpq(1, 3), fmpq(2, 3)), (fmpq(1), fmpq(2))))
    assert reproduces(laid[0], [0], table, Decimals())  # 0.66 is 2/3, cut off
    assert not reproduces(laid[0], [0, 1], table, Decimals())
    assert not reproduces(laid[0], [0], Table(((fmpq(1, 3), fmpq(2, 3)),)), Decimals())
    hidden = Table(((Infinite(-1), fmpq(2, 3)), (fmpq(1), fmpq(2))))
    assert not reproduces(laid[0], [0], hidden, Decimals())
