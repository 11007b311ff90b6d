"""Numbers and formula trees as LaTeX, written as people write them."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from flint import fmpq

from symattn import formulas as f
from symattn.errors import OptionError
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import ZERO, Scale, Scaled, exponential, quotient
from symattn.numbers.limits import Infinity
from symattn.numbers.written import WrittenNumber
from symattn.rendering.latex import LatexWriter, shown_places
from symattn.rendering.notation import PAPER, notation_named

FREE = Scale()
THREE = Scale(fmpq(3))


def weight(scores: tuple[int, ...], place: int, scale: Scale) -> Any:
    row = [exponential(fmpq(score), scale=scale) for score in scores]
    total = row[0]
    for part in row[1:]:
        total = total + part
    return quotient(row[place], total)


@pytest.mark.parametrize(
    ("number", "latex"),
    [
        (fmpq(3), "3"),
        (fmpq(-3), "-3"),
        (fmpq(1, 2), r"\frac{1}{2}"),
        (fmpq(-1, 2), r"-\frac{1}{2}"),
        (WrittenNumber.exact(fmpq(17, 10)), "1.7"),
        (WrittenNumber(fmpq(1, 2), "0.50"), "0.50"),
        (WrittenNumber.exact(fmpq(1, 3)), r"\frac{1}{3}"),
        # √3, √12 = 2√3, √(9/4) = 3/2, √(1/2) = √2/2, √(3/4) = √3/2
        (SquareRoot(FREE), r"\sqrt{d_k}"),
        (SquareRoot(Scale(None, "m")), r"\sqrt{m}"),
        (SquareRoot(THREE), r"\sqrt{3}"),
        (SquareRoot(Scale(fmpq(12))), r"2\sqrt{3}"),
        (SquareRoot(Scale(fmpq(9, 4))), r"\frac{3}{2}"),
        (SquareRoot(Scale(fmpq(1, 2))), r"\frac{\sqrt{2}}{2}"),
        (SquareRoot(Scale(fmpq(3, 4))), r"\frac{\sqrt{3}}{2}"),
        # 3/√3 = √3, 2/√3, 6/√3 = 2√3, -1/√3, (1/2)/√3 = 1/(2√3), (3/2)/√3 = √3/2, 5/√12 = 5/(2√3)
        (Scaled.of(fmpq(3), ZERO, THREE), r"\sqrt{3}"),
        (Scaled.of(fmpq(2), ZERO, THREE), r"\frac{2}{\sqrt{3}}"),
        (Scaled.of(fmpq(6), ZERO, THREE), r"2\sqrt{3}"),
        (Scaled.of(fmpq(-1), ZERO, THREE), r"-\frac{1}{\sqrt{3}}"),
        (Scaled.of(fmpq(-3), ZERO, THREE), r"-\sqrt{3}"),
        (Scaled.of(fmpq(1, 2), ZERO, THREE), r"\frac{1}{2\sqrt{3}}"),
        (Scaled.of(fmpq(3, 2), ZERO, THREE), r"\frac{\sqrt{3}}{2}"),
        (Scaled.of(fmpq(5), ZERO, Scale(fmpq(12))), r"\frac{5}{2\sqrt{3}}"),
        (Scaled.of(fmpq(3), ZERO, FREE), r"\frac{3}{\sqrt{d_k}}"),
        (Scaled.of(fmpq(3), fmpq(-1, 2), FREE), r"\frac{3}{\sqrt{d_k}}-\frac{1}{2}"),
        (Scaled.of(fmpq(3), fmpq(1), FREE), r"\frac{3}{\sqrt{d_k}}+1"),
        (Scaled.of(fmpq(3), ZERO, Scale(fmpq(4))), r"\frac{3}{2}"),
        # exponential sums and quotients
        (exponential(fmpq(3), scale=FREE), r"e^{3/\sqrt{d_k}}"),
        (exponential(fmpq(1, 2), scale=FREE), r"e^{1/(2\sqrt{d_k})}"),
        (exponential(fmpq(0), scale=THREE) + 10 * exponential(fmpq(3), scale=THREE), r"1+10e^{\sqrt{3}}"),
        (exponential(fmpq(0), scale=THREE) - exponential(fmpq(3), scale=THREE), r"1-e^{\sqrt{3}}"),
        (fmpq(1, 2) * exponential(fmpq(2), scale=THREE), r"\frac{1}{2}e^{2/\sqrt{3}}"),
        (weight((3, 0), 0, THREE), r"\frac{e^{\sqrt{3}}}{1+e^{\sqrt{3}}}"),
        (weight((3, 0), 1, THREE), r"\frac{1}{1+e^{\sqrt{3}}}"),
        (weight((3, 0), 0, FREE), r"\frac{e^{3/\sqrt{d_k}}}{1+e^{3/\sqrt{d_k}}}"),
        (weight((1, 2), 0, THREE), r"\frac{1}{1+e^{1/\sqrt{3}}}"),
        (weight((0, 0, 1, 1), 0, FREE), r"\frac{1}{2\left(1+e^{1/\sqrt{d_k}}\right)}"),
        (weight((-2, 3), 1, FREE), r"\frac{e^{5/\sqrt{d_k}}}{1+e^{5/\sqrt{d_k}}}"),
        (weight((3, 0), 0, Scale(fmpq(4))), r"\frac{e^{3/2}}{1+e^{3/2}}"),
        (exponential(fmpq(1)), "e"),
        (2 * exponential(fmpq(1)) - 3 * exponential(fmpq(3)), "2{e}-3e^{3}"),  # never 2e-3
        (Infinity(), r"\infty"),
        (Infinity(positive=False), r"-\infty"),
        (sympy.Symbol("that") * sympy.sqrt(2), r"\sqrt{2} \mathrm{that}"),
        (sympy.Symbol("x_1") + 1, "x_1 + 1"),
    ],
)
def test_numbers(number: Any, latex: str) -> None:
    assert LatexWriter().number(number) == latex


def test_a_negative_single_term_takes_its_sign_out_of_the_fraction() -> None:
    one, e = (exponential(fmpq(score), scale=FREE) for score in (0, 1))
    assert LatexWriter().number(quotient(-1 * e, one + e)) == r"-\frac{e^{1/\sqrt{d_k}}}{1+e^{1/\sqrt{d_k}}}"


@pytest.mark.parametrize(
    ("formula", "document", "paper"),
    [
        (f.Name("W_Q"), "W^Q", "W_Q"),
        (f.Transposed(f.Name("K")), "K^T", r"K^{\top}"),
        (f.Transposed(f.Name("W_Q")), r"\left(W^Q\right)^T", r"W_Q^{\top}"),
        (f.Product((f.Name("X"), f.Name("W_Q")), "matrix"), r"X\cdot W^Q", "X W_Q"),
        (f.Product((f.Value(fmpq(2)), f.Value(fmpq(-1))), "times"), r"2\times (-1)", r"2\cdot (-1)"),
        (f.Product((f.Value(fmpq(-2)), f.Value(fmpq(1))), "times"), r"-2\times 1", r"-2\cdot 1"),
        (f.Sum((f.Value(fmpq(1)), f.Value(fmpq(-2)))), "1-2", "1-2"),
        (f.Exp(f.Value(fmpq(0))), "e^0", r"\exp\left(0\right)"),
        (f.Exp(f.Value(fmpq(1, 2))), "e^{1/2}", r"\exp\left(1/2\right)"),
        (f.Call("softmax", f.Name("scaled_scores")), r"\text{softmax}\left(\text{Scaled}\right)",
         r"\operatorname{softmax}\left(\tilde{S}\right)"),
        (f.Row([fmpq(1), fmpq(2)]), "[1,2]", "[1,2]"),
        (f.Row([fmpq(1, 2)]), r"\left[\frac{1}{2}\right]", r"\left[\frac{1}{2}\right]"),
        (f.Matrix([[fmpq(1)]], (f.Words("a"),)),
         r"\left[\begin{array}{c}1\end{array}\right]\begin{array}{c}\leftarrow \text{a}\end{array}",
         r"\begin{pmatrix}1\end{pmatrix}"),
        (f.Indexed(f.Name("q"), f.Words("Time")), r"{q}_{\text{Time}}", r"{q}_{\text{Time}}"),
        (f.Quotient(f.Value(fmpq(3)), f.Root(f.Name("d_k"))), r"\frac{3}{\sqrt{d_k}}", r"\frac{3}{\sqrt{d_k}}"),
        (f.Quotient(f.Value(fmpq(3)), f.Decimal("1.7"), inline=True), "3/1.7", "3/1.7"),
        (f.Chain(f.Name("Q"), (("=", f.Decimal("1")), ("≈", f.Decimal("2")), ("→", f.Decimal("3")))),
         r"Q=1\approx 2\to 3", r"Q=1\approx 2\to 3"),
        (f.Limit(f.Name("d_k"), "0+", f.Name("Q")), r"\lim_{d_k\to 0^{+}}Q", r"\lim_{d_k\to 0^{+}}Q"),
        (f.Listed((f.Name("q"), f.Name("k"))), "q,k", "q,k"),
    ],
)  # fmt: skip
def test_formulas_in_both_notations(formula: f.Formula, document: str, paper: str) -> None:
    assert LatexWriter().write(formula) == document
    assert LatexWriter(PAPER).write(formula) == paper


def test_a_sum_as_a_factor_stands_in_brackets() -> None:
    total = exponential(fmpq(0), scale=FREE) + exponential(fmpq(1), scale=FREE)
    formula = f.Product((f.Value(total), f.Value(total)), "times")
    assert LatexWriter().write(formula) == r"(1+e^{1/\sqrt{d_k}})\times (1+e^{1/\sqrt{d_k}})"


def test_stacked_chains_align_their_relations() -> None:
    chain = f.Chain(f.Name("Q"), (("=", f.Decimal("1")), ("≈", f.Decimal("2"))), stacked=True)
    assert LatexWriter().write(chain) == r"\begin{array}{rl}Q& =1\\ & \approx 2\end{array}"


def test_padding_is_for_the_matrix_only() -> None:
    half = WrittenNumber.exact(fmpq(1, 2))
    assert LatexWriter().write(f.Matrix([[half]], (), 2)) == r"\left[\begin{array}{c}0.50\end{array}\right]"
    assert LatexWriter().write(f.Row([half])) == "[0.5]"


@pytest.mark.parametrize(
    ("size", "limit", "places"),
    [(1, 8, [0]), (8, 8, list(range(8))), (9, 8, [0, 1, 2, None, 8]), (9, None, list(range(9)))],
)
def test_long_rows_are_elided(size: int, limit: int | None, places: list[int | None]) -> None:
    assert shown_places(size, limit) == places


def test_elided_matrix_has_dots_in_both_directions() -> None:
    rows = [[fmpq(10 * i + j) for j in range(9)] for i in range(9)]
    text = LatexWriter().write(f.Matrix(rows))
    assert text == (
        r"\left[\begin{array}{ccccc}0& 1& 2& \cdots& 8\\ 10& 11& 12& \cdots& 18\\ 20& 21& 22& \cdots& 28\\ "
        r"\vdots& \vdots& \vdots& \ddots& \vdots\\ 80& 81& 82& \cdots& 88\end{array}\right]"
    )


def test_blanks_take_the_place_of_answers_only_on_a_worksheet() -> None:
    formula = f.Chain(f.Decimal("1+1"), (("=", f.Answer(f.Decimal("2"))),))
    assert LatexWriter().write(formula) == "1+1=2"
    blank = LatexWriter(blank=True).write(formula)
    assert blank.startswith("1+1=")
    assert "2" not in blank.removeprefix("1+1=").replace("3em", "")


def test_unknown_names_raise() -> None:
    with pytest.raises(OptionError, match="the notation document has no name for 'Z'"):
        LatexWriter().write(f.Name("Z"))
    with pytest.raises(OptionError, match="the notation paper has no function 'relu'"):
        LatexWriter(PAPER).write(f.Call("relu", f.Name("X")))
    with pytest.raises(OptionError, match="unknown notation 'house'; expected one of document, paper"):
        notation_named("house")
