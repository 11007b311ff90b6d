"""One number on paper against the values that it may stand for."""

from __future__ import annotations

from typing import Any

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.cells import (
    Around,
    Candidate,
    decimals_of,
    digits_of,
    grid_of,
    has_names,
    is_entry,
    is_fraction,
    is_literal,
    is_number,
    is_whole,
    judged,
    laid_over,
    last,
    may_be,
    plain_value,
    same_number,
    size_of,
)
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.closed import exponential, root
from symattn.documents.reading.scalars import Infinite
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Blank, Node, Number
from symattn.documents.reading.value import evaluate
from symattn.numbers.certified import Decimals
from symattn.numbers.rounding import Digits


def tree(text: str) -> Node:
    first = read_chain(text).first
    assert first is not None
    return first


def table(*rows: tuple[Any, ...], flat: bool = False) -> Table:
    return Table(tuple(tuple(map(fmpq, row)) for row in rows), flat=flat)


KINDS = {
    # text: number, fraction, entry, literal, names
    "1.17": (True, False, True, True, False),
    "-1.17": (True, False, True, True, False),
    "-(2)": (True, False, True, True, False),
    r"-\infty": (True, False, True, True, False),
    r"\frac{1}{2}": (False, True, True, True, False),
    r"-\frac{1}{2}": (False, True, True, True, False),
    "1/2": (False, True, True, True, False),
    r"\frac{1.0}{2}": (False, False, False, False, False),
    r"\frac{2}{\sqrt{3}}": (False, False, False, False, False),
    "1 + 2": (False, False, False, False, False),
    "e^{2}": (False, False, False, False, False),
    "d_k": (False, False, False, False, True),
    "[1, 2]": (False, False, False, True, False),
    "[1, 2 + 3]": (False, False, False, False, False),
    "[1, x]": (False, False, False, False, True),
    r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}": (False, False, False, True, False),
    r"\begin{bmatrix} 1 & e^2 \\ 3 & 4 \end{bmatrix}": (False, False, False, False, False),
}


@pytest.mark.parametrize(("text", "kinds"), KINDS.items(), ids=KINDS)
def test_what_a_node_is(text: str, kinds: tuple[bool, ...]) -> None:
    node = tree(text)
    assert (is_number(node), is_fraction(node), is_entry(node), is_literal(node), has_names(node)) == kinds


SHAPES = {
    "7": ((1, 1), True),
    "[1, 2, 3]": ((1, 3), True),
    r"\begin{bmatrix} 1 & 2 & 3 \end{bmatrix}": ((1, 3), False),
    r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}": ((2, 1), False),
    r"\begin{bmatrix} 1 & 2 & 3 \end{bmatrix}^T": ((3, 1), False),
    r"\left(\begin{matrix} 1 & 2 \\ 3 & 4 \\ 5 & 6 \end{matrix}\right)": ((3, 2), False),
}


@pytest.mark.parametrize(("text", "shape"), SHAPES.items(), ids=SHAPES)
def test_the_cells_of_what_is_written(text: str, shape: tuple[tuple[int, int], bool]) -> None:
    laid = grid_of(tree(text))
    assert laid is not None
    grid, flat = laid
    assert ((len(grid), len(grid[0])), flat) == shape


@pytest.mark.parametrize("text", ["1 + 2", "Q", r"\sqrt{2}", r"Q K^T"])
def test_formulas_have_no_cells(text: str) -> None:
    assert grid_of(tree(text)) is None


def test_the_last_thing_of_a_chain_in_a_cell() -> None:
    laid = grid_of(tree(r"\begin{bmatrix} 2/1.7 = 1.17 & 3 \end{bmatrix}"))
    assert laid is not None
    found = [last(cell) for cell in laid[0][0]]
    assert [cell.text for cell in found if isinstance(cell, Number)] == ["1.17", "3"]


# ---- values laid over cells ------------------------------------------------------------------------------------

SQUARE = table((1, 2), (3, 4))
WIDE = table((1, 2, 3), (4, 5, 6))

LAID: dict[str, tuple[Any, str, list[tuple[list[list[int]], int | None]]]] = {
    "a number over a number": (fmpq(7), "8", [([[7]], None)]),
    "a number over a list": (fmpq(7), "[8, 9]", []),
    "a matrix over one of its shape": (
        WIDE,
        r"\begin{bmatrix} 0 & 0 & 0 \\ 0 & 0 & 0 \end{bmatrix}",
        [([[1, 2, 3], [4, 5, 6]], None)],
    ),
    "a matrix over a list: any of its rows": (WIDE, "[0, 0, 0]", [([[1, 2, 3]], 0), ([[4, 5, 6]], 1)]),
    "a matrix over a list of another width": (WIDE, "[0, 0]", []),
    "a matrix over its transpose": (WIDE, r"\begin{bmatrix} 0 & 0 \\ 0 & 0 \\ 0 & 0 \end{bmatrix}", []),
    "a matrix over a matrix of one row": (SQUARE, r"\begin{bmatrix} 0 & 0 \end{bmatrix}", []),
    "a matrix over a number": (SQUARE, "0", []),
    "a row over a list": (table((1, 2), flat=True), "[0, 0]", [([[1, 2]], None)]),
    "a row over a column": (
        table((1, 2), flat=True),
        r"\begin{bmatrix} 0 \\ 0 \end{bmatrix}",
        [([[1], [2]], None)],
    ),
    "a column over a list": (table((1,), (2,)), "[0, 0]", [([[1, 2]], None)]),
    "a matrix of one row over a column": (table((1, 2)), r"\begin{bmatrix} 0 \\ 0 \end{bmatrix}", []),
}


@pytest.mark.parametrize(("value", "text", "ways"), LAID.values(), ids=LAID)
def test_laid_over(value: Any, text: str, ways: list[tuple[list[list[int]], int | None]]) -> None:
    laid = grid_of(tree(text))
    assert laid is not None
    found = laid_over(value, laid[0], flat=laid[1])
    assert [([list(map(int, map(str, row))) for row in rows], i) for rows, i in found] == ways


# ---- digits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("1.70", Digits(170, 2)), ("-1.7", Digits(-17, 1)), ("(1.7)", Digits(17, 1)), ("-(1.7)", Digits(-17, 1)),
        ("12", Digits(12, 0)), (r"\frac{1}{2}", None), (r"\infty", None),
    ],
)  # fmt: skip
def test_the_digits_that_are_claimed(text: str, digits: Digits | None) -> None:
    assert digits_of(tree(text)) == digits


# ---- the verdict on a cell -------------------------------------------------------------------------------------

TWO_OVER_ROOT_3 = evaluate(tree(r"\frac{2}{\sqrt{3}}"), {})  # 1.1547...

SINGLE: dict[str, tuple[str, Any, str, str | None]] = {
    "exact": ("1.18", fmpq(118, 100), "exact", "1.18"),
    "exact with a zero more": ("0.50", fmpq(1, 2), "exact", "0.50"),
    "rounded": ("1.18", fmpq(20, 17), "rounded", "1.18"),
    "truncated": ("1.17", fmpq(20, 17), "truncated", "1.18"),
    "one above": ("1.19", fmpq(20, 17), "last_digit", "1.18"),
    "wrong": ("1.71", fmpq(20, 17), "wrong", "1.18"),
    "one off a whole number": ("5", fmpq(6), "wrong", "6"),
    "irrational, rounded": ("1.15", TWO_OVER_ROOT_3, "rounded", "1.15"),
    "irrational, truncated": ("1.1", TWO_OVER_ROOT_3, "truncated", "1.2"),
    "negative, truncated toward zero": ("-1.17", fmpq(-20, 17), "truncated", "-1.18"),
    "a tie up": ("0.13", fmpq(1, 8), "rounded", "0.13"),
    "a tie to even": ("0.12", fmpq(1, 8), "rounded", "0.13"),
    "a fraction": (r"\frac{20}{17}", fmpq(20, 17), "exact", "20/17"),
    "another fraction": (r"\frac{1}{2}", fmpq(2, 3), "wrong", "2/3"),
    "a fraction for a root": (r"\frac{8}{7}", TWO_OVER_ROOT_3, "wrong", "1.154700538379"),
    "an infinity": (r"-\infty", Infinite(-1), "exact", "-∞"),
    "an infinity of the other sign": (r"\infty", Infinite(-1), "wrong", "-∞"),
    "a number for an infinity": ("0", Infinite(-1), "wrong", "-∞"),
    "an infinity for a number": (r"-\infty", fmpq(3), "wrong", "3"),
}


@pytest.mark.parametrize(("text", "value", "verdict", "expected"), SINGLE.values(), ids=SINGLE)
def test_one_candidate(text: str, value: Any, verdict: str, expected: str | None) -> None:
    found = judged(tree(text), [Candidate(value, "written")], [value], Decimals())
    assert (found.verdict.value, found.expected) == (verdict, expected)
    assert found.right == (verdict in {"exact", "rounded"})


def test_of_several_candidates_the_first_that_makes_it_right_counts_else_the_first() -> None:
    written, givens = Candidate(fmpq(20, 17), "written"), Candidate(TWO_OVER_ROOT_3, "givens")
    values = [written.value, givens.value]

    def verdict(text: str) -> tuple[str, str, str | None]:
        found = judged(tree(text), [written, givens], values, Decimals())
        return found.verdict.value, found.candidate.route, found.expected

    assert verdict("1.18") == ("rounded", "written", "1.18")
    assert verdict("1.15") == ("rounded", "givens", "1.15")  # right by the other route is right
    assert verdict("1.17") == ("truncated", "written", "1.18")
    assert verdict("1.30") == ("wrong", "written", "1.18")


def test_what_can_be_decided_goes_before_what_cannot() -> None:
    vague = Around(Digits(15, 1))  # 1.45 to 1.55: 1 or 2, nobody knows
    alone = judged(tree("1"), [Candidate(fmpq(0), "written")], [vague], Decimals())
    assert (alone.verdict, alone.expected, alone.right) == (Verdict.UNDECIDED, None, False)
    assert alone.reason
    both = [Candidate(fmpq(0), "written"), Candidate(fmpq(2), "givens")]
    assert judged(tree("3"), both, [vague, fmpq(2)], Decimals()).verdict is Verdict.WRONG
    assert judged(tree("3"), both[::-1], [fmpq(2), vague], Decimals()).verdict is Verdict.WRONG


@given(st.fractions(min_value=-50, max_value=50, max_denominator=97), st.integers(0, 4))
def test_what_is_rounded_half_up_or_half_even_is_right(value: Any, places: int) -> None:
    exact = fmpq(value.numerator, value.denominator)
    scaled = value * 10**places
    up = int(abs(scaled) + 1 / type(value)(2)) * (1 if scaled >= 0 else -1)  # half away from zero, by hand
    even = round(scaled)
    for units in {up, even}:
        text = Digits(units, places).text
        found = judged(tree(text), [Candidate(exact, "written")], [exact], Decimals())
        assert found.right, (text, value)
        assert found.expected == Digits(up, places).text


# ---- formulas of rounded numbers --------------------------------------------------------------------------------

MAY_BE: dict[str, tuple[str, Any, bool]] = {
    "itself": (r"\frac{2}{\sqrt{3}}", TWO_OVER_ROOT_3, True),
    "with a rounded root": (r"\frac{2}{1.73}", TWO_OVER_ROOT_3, True),
    # 2/1.75 = 1.1429 to 2/1.65 = 1.2121 takes 1.1547 in
    "with a coarse root": (r"\frac{2}{1.7}", TWO_OVER_ROOT_3, True),
    # 2/2.05 = 0.98 to 2/1.95 = 1.03 does not
    "with another root": (r"\frac{2}{2.0}", TWO_OVER_ROOT_3, False),
    "unscaled": ("2", TWO_OVER_ROOT_3, False),
    "a whole number is exact": (r"\frac{2}{2}", TWO_OVER_ROOT_3, False),
    "rounded powers over their sum": (r"\frac{5.8}{6.8}", evaluate(tree(r"\frac{e^{1.76}}{1+e^{1.76}}"), {}), True),
    "an infinity": (r"-\infty", Infinite(-1), True),
    "another infinity": (r"\infty", Infinite(-1), False),
    "what has no value may be anything": ("x", fmpq(1), True),
}


@pytest.mark.parametrize(("text", "value", "may"), MAY_BE.values(), ids=MAY_BE)
def test_may_be(text: str, value: Any, may: bool) -> None:
    assert may_be(tree(text), value) is may


# ---- small words -----------------------------------------------------------------------------------------------


def test_values_in_words() -> None:
    assert [plain_value(value) for value in (fmpq(20, 17), fmpq(3), TWO_OVER_ROOT_3, SQUARE, Infinite(1))] == [
        "20/17", "3", None, None, None,
    ]  # fmt: skip
    assert [is_whole(value) for value in (fmpq(3), fmpq(1, 2), root(fmpq(2)), SQUARE)] == [True, False, False, False]
    assert decimals_of(exponential(fmpq(1)), 5) == "2.71828"
    assert decimals_of(SQUARE) is None
    assert decimals_of(Infinite(1)) is None
    assert (size_of(WIDE), size_of(fmpq(1))) == ("2x3", "1x1")


def test_the_same_number_is_the_same_exactly() -> None:
    assert same_number(tree("1.50"), fmpq(3, 2))
    assert same_number(tree(r"\frac{3}{2}"), fmpq(3, 2))
    assert not same_number(tree("1.15"), TWO_OVER_ROOT_3)
    assert not same_number(Blank(0, 0), fmpq(0))
