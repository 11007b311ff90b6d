"""Matrices drawn side by side, rows of numbers behind a label, and numbers that a sentence tells."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.documents.reading.code import read_code, read_prose
from symattn.documents.reading.drawings import MOST_DRAWINGS, drawings
from symattn.documents.reading.tree import Chain, List, Matrix, Name, Node, Number, Product


def texts(node: Node) -> list[list[str]]:
    """The numbers of a matrix or a list as they are written."""
    rows = node.rows if isinstance(node, Matrix) else (node.items,) if isinstance(node, List) else ()
    return [[cell.text for cell in row if isinstance(cell, Number)] for row in rows]


BARS = "| 2  0 |   | 1  0 |   | 2  0 |\n| 1  1 | x | 1  1 | = | 2  1 |\n"
BRACKETS = "[2 0]   [1 0]   [2 0]\n[1 1] × [1 1] = [2 1]\n"
SIGNS = "⎡2 0⎤   ⎡1 0⎤   ⎡2 0⎤\n⎣1 1⎦ · ⎣1 1⎦ = ⎣2 1⎦\n"
INDENTED = "| 2  0 |   | 1  0 |   | 2  0 |\n    | 1  1 | x | 1  1 | = | 2  1 |"


@pytest.mark.parametrize("text", [BARS, BRACKETS, SIGNS, INDENTED])
@pytest.mark.parametrize("read", [read_code, read_prose])
def test_a_product_drawn_over_two_lines(text: str, read: Callable[[str], tuple[Chain, ...]]) -> None:
    (chain,) = read(text)
    assert isinstance(chain.first, Product)
    assert [texts(factor) for factor in chain.first.factors] == [[["2", "0"], ["1", "1"]], [["1", "0"], ["1", "1"]]]
    assert texts(chain.items[-1]) == [["2", "0"], ["2", "1"]]


def test_named_matrices_drawn_side_by_side() -> None:
    chains = read_code("Q = | 1 0 |   K = | 2 1 |\n    | 0 1 |       | 0 3 |\n")
    assert [(chain.first.key, texts(chain.items[-1])) for chain in chains if isinstance(chain.first, Name)] == [
        ("Q", [["1", "0"], ["0", "1"]]),
        ("K", [["2", "1"], ["0", "3"]]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Q1 = [1, 0]   K1 = [1, 1]\nQ2 = [0, 1]   K2 = [2, 1]\n",  # each line says something of its own
        "| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n",  # a table
        "0.4 × [10, 0]  = [4.0, 0]\n0.2 × [0, 10]  = [0, 2.0]\n",
        "[1 0]   [0 1]\n[0 1]   [1 0]\n",  # no sign between
    ],
)
def test_lines_that_are_no_drawing(text: str) -> None:
    assert list(drawings(text)) == []


def test_no_more_than_so_many_drawings() -> None:
    assert len(list(drawings(f"{BRACKETS}\n" * (MOST_DRAWINGS + 3)))) == MOST_DRAWINGS


@given(st.text(alphabet="[]|│⎡⎤⎣⎦ 01.=x\n", max_size=120))
def test_places_of_drawings_lie_within_the_text_and_in_order(text: str) -> None:
    last = 0
    for found in drawings(text):
        assert last <= found.start < found.end <= len(text)
        assert len(found.beside) == len(found.rows) + 1
        assert all(found.start <= low < high <= found.end for rows in found.rows for low, high in rows)
        last = found.end


def test_numbers_behind_a_label_are_a_row() -> None:
    first, total, second = read_code("row 1: 4.11  -16.92   sum = 21.03\nrow 2: 1.00  2.00\n")
    assert isinstance(first.first, List)
    assert len(first.first.items) == 2
    assert total.items[-1].text == "21.03"
    assert texts(second.items[-1]) == [["1.00", "2.00"]]


@pytest.mark.parametrize(
    "text",
    ["so we get 0.58 and 1.15.", "得到 0.58 和 1.15。", "das ergibt 0.58 und 1.15", "obtenemos 0.58 y 1.15"],
)
def test_decimals_that_a_sentence_tells_are_a_row(text: str) -> None:
    (chain,) = read_prose(text)
    assert texts(chain.items[-1]) == [["0.58", "1.15"]]


@pytest.mark.parametrize("text", ["we get 2 and 3 points", "from 0.58 and 1.15", "giving 0.58"])
def test_other_numbers_in_a_sentence_are_none(text: str) -> None:
    assert read_prose(text) == ()


def test_the_vector_of_a_word_is_a_name() -> None:
    (chain,) = read_code("Q(猫)·K(犬) = 3")
    assert isinstance(chain.first, Product)
    assert [name.key for name in chain.first.factors if isinstance(name, Name)] == ["Q_猫", "K_犬"]


@pytest.mark.parametrize("read", [read_code, read_prose])
def test_bare_numbers_below_a_relation_are_a_matrix(read: Callable[[str], tuple[Chain, ...]]) -> None:
    (chain,) = read("S = Q K^T =\n  2 4 -4\n  4 16 .5\n")
    assert texts(chain.items[-1])[1] == ["4", "16", ".5"]
    assert len(chain.items) == 3


@pytest.mark.parametrize("text", ["S =\n  2 4\n", "S =\n  2 4\n  1 2 3\n", "S\n  2 4\n  1 3\n", "in 2024:\n7\n8\n"])
def test_other_numbers_below_a_line_are_none(text: str) -> None:
    assert list(drawings(text)) == []
