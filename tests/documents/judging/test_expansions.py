"""A product that is written out is compared with its factors: one number that is another one was copied wrong."""

from __future__ import annotations

import pytest

from symattn.documents.verify import verify

VECTORS = "$q_1 = [1, 3, 1]$, $k_1 = [1, 0, 1]$, $k_2 = [0, 1, 2]$, $v_1 = [2, 4]$, $v_2 = [-1, 0]$"

WRITTEN_OUT = [
    ("$q_1 \\cdot k_2 = 1(0) + 3(1) + 1(2) = 5$", []),
    ("$q_1 \\cdot k_2 = 1(0) + 3(1) + 1(3) = 6$", [("3", "2")]),
    ("$q_1 \\cdot k_2 = 0(1) + 1(3) + 2(1) = 5$", []),  # the factors the other way round
    ("$q_1 \\cdot k_2 = 0\\cdot 1 + 1\\cdot 4 + 2\\cdot 1 = 6$", [("4", "3")]),
    # two numbers are others: it may be another product
    ("$q_1 \\cdot k_2 = 1(0) + 2(1) + 1(3) = 5$", []),
    # fewer terms than entries: another way to write it
    ("$q_1 \\cdot k_2 = 3(1) + 1(2) = 5$", []),
]


@pytest.mark.parametrize(("text", "slips"), WRITTEN_OUT, ids=[text for text, _ in WRITTEN_OUT])
def test_a_dot_product(text: str, slips: list[tuple[str, str]]) -> None:
    (found,) = verify(f"{VECTORS}\n\n{text}\n").documents
    assert [(claim.text, claim.expected) for claim in found.findings] == slips
    assert all(claim.verdict.value == "inconsistent" for claim in found.findings)


def test_the_weights_of_a_sum() -> None:
    text = (
        f"{VECTORS}\n\nThe scores are $q_1\\cdot k_1 = 2$ and $q_1\\cdot k_2 = 5$.\n\n"
        "$a_1 = \\mathrm{softmax}([2, 5]) = [0.05, 0.95]$\n\n"
        "$o_1 = 0.05\\,[2, 4] + 0.59\\,[-1, 0] = [-0.49, 0.2]$\n"
    )
    (found,) = verify(text).documents
    (slip,) = found.findings
    assert (slip.text, slip.expected, slip.message) == (
        "0.59",
        "0.95",
        "0.59 stands in this formula; 0.95 was stated before",
    )


def test_a_weight_with_fewer_digits_is_no_slip() -> None:
    text = (
        f"{VECTORS}\n\n$a_1 = \\mathrm{{softmax}}([2, 5]) = [0.047, 0.953]$\n\n"
        "$o_1 = 0.05\\,[2, 4] + 0.95\\,[-1, 0] = [-0.85, 0.2]$\n"
    )
    (found,) = verify(text).documents
    assert found.findings == ()
