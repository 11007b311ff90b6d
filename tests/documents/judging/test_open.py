"""Results that cannot be judged: undecided with the reason, never a finding, and the number beside them is judged."""

from __future__ import annotations

from typing import Final

import pytest

from symattn import verify

MATRIX: Final = r"\begin{bmatrix}1&2\\3&4\end{bmatrix}"

OPEN: Final[dict[str, tuple[str, str, str]]] = {
    # what: formula, result, reason
    "division by zero": (r"\frac{1}{0}", "5", "division by zero"),
    "a root of a negative number": (r"\sqrt{-4}", "2", "a root of a negative number is not real"),
    "a logarithm of zero": (r"\ln(0)", "1", "the logarithm of a number that is not positive"),
    "a blank": (r"\frac{0.85+?}{2}", "1", "a blank has no value"),
    "names that are not given": ("QK^T", MATRIX, "Q, K are not given"),
    "a sum over an index": (r"\sum_{i=1}^{3} i", "6", "a sum over an index is not worked out"),
    "a limit": (r"\lim_{n\to 0} n", "0", "a limit is not worked out"),
    "a function": (r"\text{GELU}(1)", "0.84", "the function gelu is not worked out"),
    "a power of a table": (rf"{MATRIX}^2", MATRIX, "a power of a table"),
    "nothing but masked scores": (
        r"\text{softmax}([-\infty,-\infty])", "[0,0]", "a softmax of a row that is masked throughout",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("formula", "result", "reason"), OPEN.values(), ids=OPEN)
def test_why_it_is_undecided(formula: str, result: str, reason: str) -> None:
    (checked,) = verify(f"${formula}={result}$, but $2\\times 2=5$.\n", format="markdown").documents
    open_, other = checked.claims
    assert (open_.verdict.value, open_.text, open_.message) == ("undecided", result, reason)
    assert (open_.right, open_.finding, open_.expected) == (False, False, None)
    assert (other.verdict.value, other.expected) == ("wrong", "4")


def test_a_report_with_open_claims_alone_fails_only_strictly() -> None:
    report = verify(r"$\frac{1}{0}=5$", format="markdown")
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)


def test_nothing_to_check_fails_only_strictly() -> None:
    report = verify("Only words.", format="markdown")
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)
