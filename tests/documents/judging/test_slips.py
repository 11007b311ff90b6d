"""What is right in the place of a well-known slip: each wrong number, and the right one as mpmath works it out.

Nothing that is expected here comes from the judge: `slip` and `right` are formulas of mpmath, and what is written in the
document is the slip, rounded half-up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import pytest
from mpmath import mp, mpf

from symattn import verify
from symattn.documents.report import Claim

Rows = list[list[Any]]

X: Final = [[1, 0, 2], [0, 1, 1]]
Q: Final = [[1, 2], [3, 0]]
K: Final = [[1, 1], [2, 0]]
V: Final = [[4, 1], [0, 7]]


def product(a: Rows, b: Rows) -> Rows:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def turned(a: Rows) -> Rows:
    return [list(row) for row in zip(*a, strict=True)]


def over(a: Rows, divisor: Any) -> Rows:
    return [[x / divisor for x in row] for row in a]


def shares(a: Rows, power: Callable[[Any], Any] = mp.exp) -> Rows:
    return [[power(x) / sum(map(power, row)) for x in row] for row in a]


def rounded(value: Any, places: int) -> str:
    with mp.workdps(40):
        return str(Decimal(mp.nstr(mpf(value), 30)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def matrix(a: Rows, places: int | None = None) -> str:
    told = [[str(x) if places is None else rounded(x, places) for x in row] for row in a]
    return r"\begin{bmatrix}" + r" \\ ".join(" & ".join(row) for row in told) + r"\end{bmatrix}"


def findings(text: str) -> list[Claim]:
    (checked,) = verify(text, format="markdown").documents
    return list(checked.findings)


SCORES: Final = product(Q, turned(K))  # [[3, 2], [3, 6]]
SCALED: Final = over(SCORES, mp.sqrt(2))
WEIGHTS: Final = shares(SCALED)

GIVEN: Final = f"$d_k=2$, $Q={matrix(Q)}$, $K={matrix(K)}$, $V={matrix(V)}$."
WITH_X: Final = f"$X={matrix(X)}$. {GIVEN}"
AS_SCORES: Final = r"$QK^T={}$"
AS_SCALED: Final = r"$\frac{{QK^T}}{{\sqrt{{d_k}}}}\approx{}$"
AS_WEIGHTS: Final = r"$\text{{softmax}}\left(\frac{{QK^T}}{{\sqrt{{d_k}}}}\right)\approx{}$"
THEN_SCALED: Final = rf"{GIVEN} $S'=\frac{{QK^T}}{{\sqrt{{d_k}}}}\approx{matrix(SCALED, 4)}$."
THEN_WEIGHTS: Final = (
    rf"{GIVEN} $A=\text{{softmax}}\left(\frac{{QK^T}}{{\sqrt{{d_k}}}}\right)\approx{matrix(WEIGHTS, 4)}$."
)
SHOWN: Final = [[mpf(rounded(x, 4)) for x in row] for row in WEIGHTS]
SHOWN_SCALED: Final = [[mpf(rounded(x, 4)) for x in row] for row in SCALED]


@dataclass(frozen=True)
class Slip:
    """What is given, the sentence with a matrix in it, the matrix with the slip, the right one, and digits."""

    given: str
    said: str
    slip: Rows
    right: Rows
    places: int | None = 4


STEPS: Final[dict[str, tuple[str, Slip]]] = {
    "unscaled scores": ("unscaled", Slip(GIVEN, AS_SCALED, SCORES, SCALED)),
    "unscaled weights": ("unscaled", Slip(GIVEN, AS_WEIGHTS, shares(SCORES), WEIGHTS)),
    "scores over d_k": ("scaled_by_d_k", Slip(GIVEN, AS_SCALED, over(SCORES, mpf(2)), SCALED)),
    "weights of scores over d_k": ("scaled_by_d_k", Slip(GIVEN, AS_WEIGHTS, shares(over(SCORES, mpf(2))), WEIGHTS)),
    "scaled once more in the softmax": (
        "scaled_twice",
        Slip(THEN_SCALED, r"$A=\text{{softmax}}(S')\approx{}$", shares(over(SCALED, mp.sqrt(2))), shares(SHOWN_SCALED)),
    ),
    "the width of X": ("d_model_for_d_k", Slip(WITH_X, AS_SCALED, over(SCORES, mp.sqrt(3)), SCALED)),
    "the width of X in the weights": ("d_model_for_d_k", Slip(WITH_X, AS_WEIGHTS, shares(over(SCORES, mp.sqrt(3))), WEIGHTS)),
    "another root": ("wrong_root", Slip(GIVEN, AS_SCALED, over(SCORES, mp.sqrt(5)), SCALED)),
    "transposed scores": ("transposed", Slip(GIVEN, AS_SCORES, turned(SCORES), SCORES, None)),
    "K in the place of its transpose": ("transposed", Slip(GIVEN, AS_SCORES, product(Q, K), SCORES, None)),
    "V for K": ("wrong_operand", Slip(GIVEN, AS_SCORES, product(Q, turned(V)), SCORES, None)),
    "Q for K": ("wrong_operand", Slip(GIVEN, AS_SCORES, product(Q, turned(Q)), SCORES, None)),
    "K for V": ("wrong_operand", Slip(THEN_WEIGHTS, r"$AV={}$", product(SHOWN, K), product(SHOWN, V))),
    "turned weights": ("transposed", Slip(THEN_WEIGHTS, r"$AV={}$", product(turned(SHOWN), V), product(SHOWN, V))),
    "down the columns": (
        "wrong_axis", Slip(THEN_SCALED, r"$A=\text{{softmax}}(S')\approx{}$", turned(shares(turned(SHOWN_SCALED))), shares(SHOWN_SCALED)),
    ),
    "ratio of scaled scores": (
        "softmax_as_ratio", Slip(THEN_SCALED, r"$A=\text{{softmax}}(S')\approx{}$", [[x / sum(row) for x in row] for row in SHOWN_SCALED], shares(SHOWN_SCALED)),
    ),
    "powers of 2": (
        "other_base", Slip(THEN_SCALED, r"$A=\text{{softmax}}(S')\approx{}$", shares(SHOWN_SCALED, lambda x: mpf(2) ** x), shares(SHOWN_SCALED)),
    ),
    "powers of 10": (
        "other_base", Slip(THEN_SCALED, r"$A=\text{{softmax}}(S')\approx{}$", shares(SHOWN_SCALED, lambda x: mpf(10) ** x), shares(SHOWN_SCALED)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("cause", "case"), STEPS.values(), ids=STEPS)
def test_a_slip_of_the_step(cause: str, case: Slip) -> None:
    text = f"{case.given}\n\n{case.said.format(matrix(case.slip, case.places))}\n"
    differing = [
        (rounded(a, case.places or 0), rounded(b, case.places or 0))
        for rows in zip(case.slip, case.right, strict=True)
        for a, b in zip(*rows, strict=True)
    ]
    found = findings(text)
    assert [(claim.text, claim.expected) for claim in found] == [(a, b) for a, b in differing if a != b]
    assert {(claim.verdict.value, claim.cause) for claim in found} == {("wrong_step", cause)}
    first, *others = found
    assert first.root_cause is None
    assert all(claim.root_cause == first.place for claim in others)


CELLS: Final[dict[str, tuple[str, str, str, list[tuple[str, str]]]]] = {
    # 1·3 + 2·4 + 5·6 = 3 + 8 + 30 = 41
    "the first term is missing": (r"$1\cdot 3+2\cdot 4+5\cdot 6=38$", "wrong", "missing_term", [("38", "41")]),
    "the second term is missing": (r"$1\cdot 3+2\cdot 4+5\cdot 6=33$", "wrong", "missing_term", [("33", "41")]),
    # 0.5·3 + 2·4 = 1.5 + 8
    "a decimal term is missing": (r"$0.5\cdot 3+2\cdot 4=8.0$", "wrong", "missing_term", [("8.0", "9.5")]),
    "the sign of a difference": (r"$2\cdot 3-10=4$", "wrong", "sign", [("4", "-4")]),
    "the sign of an entry": (
        f"$X={matrix([[1, 0], [0, 1]])}$, $W_Q={matrix([[1, 2], [3, 1]])}$, $Q=XW_Q={matrix([[1, 2], [3, -1]])}$",
        "wrong", "sign", [("-1", "1")],
    ),
    # three thirds to two digits sum to 0.99
    "a unit moved for the sum": (
        r"$\text{softmax}([1,1,1])=[0.34,0.33,0.33]$", "last_digit", "forced_sum", [("0.34", "0.33")],
    ),
    "the first and the last entry": (
        f"{GIVEN}\n\n{AS_SCORES.format(matrix([[6, 2], [3, 3]]))}", "wrong", "swapped_cells", [("6", "3"), ("3", "6")],
    ),
    # the step is displayed: 12/√16 = 3 holds, and with d_k = 4 it is 12/√4 = 6
    "the root of another number": (
        r"$d_k=4$. The scaled score is $\frac{12}{\sqrt{16}}=3$.", "wrong_step", "wrong_root", [("3", "6")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "verdict", "cause", "numbers"), CELLS.values(), ids=CELLS)
def test_a_slip_in_a_cell(text: str, verdict: str, cause: str, numbers: list[tuple[str, str]]) -> None:
    found = findings(text)
    assert [(claim.text, claim.expected) for claim in found] == numbers
    assert {(claim.verdict.value, claim.cause) for claim in found} == {(verdict, cause)}
    assert [claim.root_cause for claim in found] == [None, *[found[0].place] * (len(found) - 1)]


@pytest.mark.parametrize(
    ("given", "said", "right"),
    [
        (GIVEN, AS_SCORES, SCORES), (GIVEN, AS_SCALED, SCALED), (GIVEN, AS_WEIGHTS, WEIGHTS),
        (THEN_SCALED, r"$A=\text{{softmax}}(S')\approx{}$", shares(SHOWN_SCALED)), (THEN_WEIGHTS, r"$AV\approx{}$", product(SHOWN, V)),
    ],
    ids=["scores", "scaled scores", "weights", "weights of what is shown", "outputs"],
)  # fmt: skip
@pytest.mark.parametrize("places", [2, 4, 12])
def test_what_mpmath_gives_is_right(given: str, said: str, right: Rows, places: int) -> None:
    (checked,) = verify(f"{given}\n\n{said.format(matrix(right, places))}\n", format="markdown").documents
    assert [claim.message for claim in checked.findings] == []
    assert sum(claim.right for claim in checked.claims) >= 4


def test_what_is_right_but_for_a_slip_further_up_names_it() -> None:
    """Q is written wrongly in one place, and everything behind it goes on from the right one."""
    q = [[1, 2], [3, 1]]
    given = f"$X={matrix([[1, 0], [0, 1]])}$, $W_Q={matrix(q)}$, $K={matrix(K)}$, $d_k=2$."
    scores = product(q, turned(K))  # [[3, 2], [4, 6]]; with 2 for the 1, 3·1 + 2·1 = 5
    text = f"{given}\n\n$Q=XW_Q={matrix([[1, 2], [3, 2]])}$\n\n$QK^T={matrix(scores)}$\n\n"
    slip, follows = findings(text + AS_SCALED.format(matrix(over(scores, mp.sqrt(2)), 2)))
    assert (slip.text, slip.expected, slip.root_cause) == ("2", "1", None)
    assert (follows.text, follows.expected, follows.from_definitions) == ("4", "5", "4")
    assert follows.root_cause == slip.place
