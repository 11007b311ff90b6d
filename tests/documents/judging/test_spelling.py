"""Trees as short plain text, and the terms that an entry of a formula is the sum of."""

from __future__ import annotations

import pytest

from symattn.documents.judging.spelling import LONGEST, entry_spelt, entry_terms, spelt
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.tree import Node


def tree(text: str) -> Node:
    first = read_chain(text).first
    assert first is not None
    return first


SPELT = {
    r"\frac{2}{1.7}": "2/1.7",
    r"\frac{1+2}{3}": "(1+2)/3",
    r"\frac{2}{3\times 4}": "2/(3·4)",
    r"\frac{-2}{3}": "(−2)/3",
    r"e^{1.76}": "e^1.76",
    r"e^{-1}": "e^(−1)",
    r"QK^T": "Q·Kᵀ",
    r"\sqrt{d_k}": "√d_k",
    r"\sqrt{1+2}": "√(1+2)",
    r"2\times 1+0\times 0-1\times 3": "2·1+0·0−1·3",
    r"2 - 5": "2−5",
    r"\pi": "π",
    r"-\infty": "−∞",
    r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}": "[1, 2; 3, 4]",
    r"[1, 2.50]": "[1, 2.50]",
    r"(2)": "(2)",
    r"\exp(2)": "exp(2)",
    r"\begin{bmatrix} 2/1 = 2 & 3 \end{bmatrix}": "[2/1 = 2, 3]",
}


@pytest.mark.parametrize(("text", "short"), SPELT.items(), ids=SPELT)
def test_formulas_on_one_line(text: str, short: str) -> None:
    assert spelt(tree(text)) == short


def test_long_formulas_end_in_dots() -> None:
    long = spelt(tree("+".join(["1234"] * 40)))
    assert len(long) == LONGEST
    assert long.endswith("…")
    assert long.startswith("1234+1234+")


LEFT = r"\begin{bmatrix} 1 & 2 \\ 3 & -4 \end{bmatrix}"
RIGHT = r"\begin{bmatrix} 5 & 6 & 7 \\ 8 & 9 & 10 \end{bmatrix}"

ENTRIES: dict[str, tuple[str, tuple[int, int], str]] = {
    "a product of matrices": (LEFT + RIGHT, (0, 2), "1·7+2·10"),
    "with a sign": (LEFT + RIGHT, (1, 0), "3·5+(−4)·8"),
    "outside": (LEFT + RIGHT, (2, 0), ""),
    "of widths that do not fit": (RIGHT + LEFT, (0, 0), ""),
    "a transpose": (LEFT + LEFT + "^T", (0, 1), "1·3+2·(−4)"),
    "a number times a matrix": (r"\frac{1}{1.7}" + LEFT, (1, 0), "1/1.7·3"),
    "a cell that is a sum": (r"\begin{bmatrix} 2\times 1 + 0 \times 3 & 5 - 2 \end{bmatrix}", (0, 1), "5+(−2)"),
    "a cell that is a quotient": (r"\begin{bmatrix} \frac{2}{1.7} & \frac{1}{1.7} \end{bmatrix}", (0, 1), "1/1.7"),
    "a sum": ("2 + 3 - 4", (0, 0), "2+3+(−4)"),
    "a name": ("Q", (0, 0), ""),
    "a product of names": (r"Q K^T", (0, 0), ""),
}


@pytest.mark.parametrize(("text", "entry", "terms"), ENTRIES.values(), ids=ENTRIES)
def test_what_an_entry_is_the_sum_of(text: str, entry: tuple[int, int], terms: str) -> None:
    assert entry_spelt(tree(text), *entry) == terms
    assert len(entry_terms(tree(text), *entry)) == (terms.count("+") + 1 if terms else 0)
