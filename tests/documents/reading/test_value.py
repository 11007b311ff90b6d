"""Values of formulas, against hand-worked results, fractions, mpmath and NumPy."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.documents.reading import closed
from symattn.documents.reading.chains import read_chain, read_math
from symattn.documents.reading.code import read_code
from symattn.documents.reading.scalars import Infinite, Lazy, same
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Node, Operation
from symattn.documents.reading.value import apply, evaluate
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import Decimals, enclosure
from symattn.numbers.expsum import exponential, quotient


def tree(text: str) -> Node:
    node = read_chain(text).first
    assert node is not None
    return node


def value(text: str, **names: object) -> object:
    return evaluate(tree(text), names)


def rows(table: object, places: int = 4) -> list[list[str]]:
    assert isinstance(table, Table)
    return [[Decimals().round(entry, places).stripped for entry in row] for row in table.rows]


EXACT = [
    (r"2\times 1+0\times 0+1\times 1", "3"),
    ("7-4-2", "1"),
    (r"1{,}024 \div 2", "512"),
    (r"0.5\ \cdot\ 0.4", "1/5"),
    ("0.1 + 0.2", "3/10"),
    (r"\frac{12}{\sqrt{16}}", "3"),
    (r"(\sqrt{2})^2", "2"),
    (r"\frac{1}{\sqrt2}\sqrt{8}", "2"),
    (r"\sqrt[3]{27}", "3"),
    ("10000^{2/4}", "100"),
    ("10000^{0/4}", "1"),
    ("2^{-3}", "1/8"),
    ("4^{0.5}", "2"),
    (r"\log_2 8", "3"),
    (r"\ln(e^{2})", "2"),
    (r"\ln 1", "0"),
    (r"\max(0,-1.5)", "0"),
    (r"\min(0,-1.5)", "-3/2"),
    (r"|{-3}|", "3"),
    (r"\|(3, 4)\|", "5"),
    (r"[2,0] \cdot [1,1]", "2"),
    (r"\langle (1, 2), (3, 4) \rangle", "11"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}^T\begin{pmatrix}3\\4\end{pmatrix}", "11"),
    (r"e^{-\infty}", "0"),
    ("85\\% + 0.15", "1"),
    (r"0.\overline{3} \cdot 3", "1"),
    (r"\frac{e^{1/\sqrt{2}}}{e^0+e^{1/\sqrt{2}}} - \frac{1}{1+e^{-1/\sqrt2}}", "0"),
    (r"\tanh(0) + \sin(0) + \cos(0) + \operatorname{ReLU}(-2) + \operatorname{sigmoid}(0)", "3/2"),
    (r"\text{mean}(1, 2, 6)", "3"),
    (r"\text{sum}([0.85, 0.15])", "1"),
]


@pytest.mark.parametrize(("text", "expected"), EXACT, ids=[text for text, _ in EXACT])
def test_what_is_rational_is_decided(text: str, expected: str) -> None:
    found = value(text)
    table = found.rows[0][0] if isinstance(found, Table) and found.shape == (1, 1) else found
    assert isinstance(table, fmpq)
    assert str(table) == expected


DECIMALS = [
    ("e^{1.76}", 1, "5.8"),
    ("e^{e^{0.5}}", 6, "5.200326"),
    (r"\ln 2", 6, "0.693147"),
    (r"-\log(0.85)", 6, "0.162519"),
    (r"[1, 1] \cdot \tanh([0.6, 0.6])", 6, "1.074099"),
    (r"\sin(1)", 6, "0.841471"),
    (r"\frac{1}{1+e^{-1.73}}", 6, "0.849412"),
    (r"\frac{3-2}{\sqrt{2/3 + 10^{-5}}}", 6, "1.224736"),
    (r"2^{0.3}", 6, "1.231144"),
    (r"\sqrt{2}^{\sqrt{2}}", 6, "1.632527"),
    (r"\pi / 4", 6, "0.785398"),
    (r"\log_{10} 2", 6, "0.301030"),
]


@pytest.mark.parametrize(("text", "places", "expected"), DECIMALS, ids=[row[0] for row in DECIMALS])
def test_what_is_irrational_is_enclosed(text: str, places: int, expected: str) -> None:
    assert Decimals(4096).round(value(text), places).text == expected


def test_softmax_goes_by_rows() -> None:
    scores = np.array([[2.1, 0.3, -1.2], [0.4, 1.8, 0.1]])
    powers = np.exp(scores)
    expected = powers / powers.sum(axis=1, keepdims=True)
    table = value(r"\operatorname{softmax}\begin{pmatrix} 2.1 & 0.3 & -1.2 \\ 0.4 & 1.8 & 0.1\end{pmatrix}")
    assert isinstance(table, Table)
    assert np.allclose([[float(enclosure(entry).mid()) for entry in row] for row in table.rows], expected, atol=1e-12)


def test_softmax_knows_masks_columns_and_large_numbers() -> None:
    assert value(r"\text{softmax}([1, -\infty])") == Table(((fmpq(1), fmpq(0)),), flat=True)
    assert rows(value(r"\text{softmax}(1000, 999)"), 10) == [["0.7310585786", "0.2689414214"]]
    assert rows(value(r"\text{softmax}\begin{bmatrix} 2 \\ 1 \end{bmatrix}")) == [["0.7311"], ["0.2689"]]
    half = value(r"\text{softmax}([5, 5])")
    assert half == Table(((fmpq(1, 2), fmpq(1, 2)),), flat=True)


TABLES = [
    (r"\begin{bmatrix}2\\5\end{bmatrix}\begin{bmatrix}3 & -1\end{bmatrix}", [["6", "-2"], ["15", "-5"]]),
    (r"\frac{1}{\sqrt{2}}\begin{bmatrix} 3 & 6\end{bmatrix}", [["2.1213", "4.2426"]]),
    (r"0.5[1,1] + 0.5[0,3]", [["0.5", "2"]]),
    (r"[1,0,1] \cdot \begin{bmatrix}1&2\\3&4\\5&6\end{bmatrix}", [["6", "8"]]),
    (r"\begin{bmatrix}1&2\\3&4\end{bmatrix}[1, 1]", [["3", "7"]]),
    (r"\text{ReLU}(\begin{bmatrix} -4 \\ 3 \end{bmatrix} + \begin{bmatrix} 1 \\ 1 \end{bmatrix})", [["0"], ["4"]]),
    (r"[(10+2)/2,(2+5)/2,(0+8)/2]", [["6", "3.5", "4"]]),
    (r"[1,2]^T [3,4]", [["3", "4"], ["6", "8"]]),
    (r"\begin{bmatrix}1&2\\3&4\end{bmatrix} + [10, 20]", [["11", "22"], ["13", "24"]]),
    (r"[1,2] \odot [3,4]", [["3", "8"]]),
    (r"e^{[0, 0]}", [["1", "1"]]),
    (r"\begin{bmatrix} 1\cdot 2 = 2 & 3 \end{bmatrix}", [["2", "3"]]),
    (r"-[1,2]/2", [["-0.5", "-1"]]),
]


@pytest.mark.parametrize(("text", "expected"), TABLES, ids=[text for text, _ in TABLES])
def test_tables_are_worked_out(text: str, expected: list[list[str]]) -> None:
    assert rows(value(text)) == expected


def test_names_stand_for_what_is_given() -> None:
    Q = value(r"\begin{bmatrix}1&0\\0&1\end{bmatrix}")
    K = value(r"\begin{bmatrix}1&2\\3&4\end{bmatrix}")
    assert rows(value(r"\frac{QK^\top}{\sqrt{d_k}}", Q=Q, K=K, d_k=4)) == [["0.5", "1.5"], ["1", "2"]]
    assert rows(evaluate(read_code("S = Q @ K.T")[0].items[1], {"Q": Q, "K": K})) == [["1", "3"], ["2", "4"]]
    v, w = Table(((fmpq(1), fmpq(2)),), flat=True), Table(((fmpq(3), fmpq(4)),), flat=True)
    assert value("v^T w", v=v, w=w) == value("v w^T", v=v, w=w) == value(r"v \cdot w", v=v, w=w) == 11
    assert evaluate(tree(r"\text{Scores} + 1"), {"Scores": fmpq(1)}) == 2


def test_a_column_given_as_a_transposed_list_stays_a_column() -> None:
    Q, K = value("[1, 2]^T"), value("[1, 3]^T")
    assert rows(value("QK^T", Q=Q, K=K)) == [["1", "3"], ["2", "6"]]


def test_numbers_of_the_derivation_may_be_given() -> None:
    weight = quotient(exponential(fmpq(1)), exponential(fmpq(1)) + exponential(fmpq(0)))
    assert Decimals(4096).round(value(r"2 \cdot w", w=weight), 6).text == "1.462117"


SHAPES = [
    (r"\begin{bmatrix}1&0\\0&1\\1&1\end{bmatrix}\cdot\begin{bmatrix}1\\2\\3\end{bmatrix}", "3x2 and 3x1"),
    (r"\begin{bmatrix}1\\2\end{bmatrix}\begin{bmatrix}1\\2\end{bmatrix}", "2x1 and 2x1"),
    (r"[1,2] \cdot [1,2,3]", "lists of 2 and 3"),
    (r"[1,2] + [1,2,3]", "a sum of 1x2 and 1x3"),
    (r"\begin{bmatrix}1&2\\3&4\end{bmatrix} + \begin{bmatrix}1&2&3\\3&4&5\end{bmatrix}", "2x2 and 2x3"),
]


@pytest.mark.parametrize(("text", "message"), SHAPES, ids=[text for text, _ in SHAPES])
def test_shapes_that_do_not_fit_are_named(text: str, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        value(text)


UNDECIDED = [
    ("1/0", "division by zero"),
    ("0/0", "division by zero"),
    (r"1/(\sqrt{2}\sqrt{2}-2)", "division by zero"),
    (r"\sqrt{-1}", "root of a negative number"),
    ("0^{0}", "zero to the power zero"),
    (r"\ln 0", "logarithm of a number that is not positive"),
    ("10^{1000000000000}", "more than 4096 bits"),
    ("9^{9999}", "more than 4096 bits"),
    ("e^{10^{30}}", "beyond"),
    (r"\infty - \infty", "∞ − ∞"),
    (r"0 \cdot \infty", "zero times ∞"),
    (r"\text{softmax}([-\infty, -\infty])", "masked throughout"),
    ("x + 1", "x is not given"),
    (r"\text{Scores}", "Scores is not given"),
    (r"\cdots + 1", "an ellipsis has no value"),
    (r"\_\_\_ + 1", "a blank has no value"),
    (r"\text{LayerNorm}([1,2])", "layernorm is not worked out"),
    (r"\text{foo}(1)", "foo is not worked out"),
    (r"\max\begin{bmatrix}1&2\\3&4\end{bmatrix}", "rows or columns"),
    (r"[1,2] / [1,2]", "division by a table"),
    (r"(QK)_{ij}", "a Indexed has no value"),
    (r"\foo", "unknown command"),
    (r"\begin{bmatrix}1&2\end{bmatrix}^{2}", "a power of a table"),
    (r"\sqrt[100]{2}", "order"),
    (r"\log_x 2", "base x"),
]


@pytest.mark.parametrize(("text", "message"), UNDECIDED, ids=[text for text, _ in UNDECIDED])
def test_what_has_no_value_says_why(text: str, message: str) -> None:
    with pytest.raises(UndecidedError, match=message):
        value(text)


def test_a_sum_that_is_too_long_is_enclosed() -> None:
    terms = "+".join(rf"e^{{1/{n}}}" for n in range(1, 60))
    found = value(f"({terms})({terms}) / 1000")
    expected = mpmath.fsum(mpmath.exp(mpmath.mpf(1) / n) for n in range(1, 60)) ** 2 / 1000
    assert isinstance(found, Lazy)
    assert Decimals(4096).round(found, 9).text == mpmath.nstr(expected, 10)


def test_numbers_without_a_closed_form_are_bounded() -> None:
    with pytest.raises(UndecidedError, match="more than 150 steps"):
        value("+".join([r"\ln 2"] * 500))


def test_an_operation_is_applied_to_the_value_before() -> None:
    chain = read_chain(r"[1, 2] \xrightarrow{\div\sqrt4} [0.5, 1]")
    operation = chain.links[0].operation
    assert isinstance(operation, Operation)
    assert chain.first is not None
    assert rows(apply(operation, evaluate(chain.first, {}), {})) == [["0.5", "1"]]


def test_equality_is_decided_or_said_to_be_open() -> None:
    root, lazy = value(r"\sqrt{2}"), value(r"\ln 2")
    assert same(root, value(r"2/\sqrt{2}")) is True  # type: ignore[arg-type]
    assert same(root, fmpq(7, 5)) is False  # type: ignore[arg-type]
    assert same(lazy, value(r"\ln 3")) is False  # type: ignore[arg-type]
    assert same(lazy, value(r"\ln 4 / 2")) is None  # type: ignore[arg-type]
    assert same(Infinite(-1), Infinite(-1)) is True
    assert isinstance(lazy, Lazy)
    assert lazy.rational is None


# properties

small = st.integers(-9, 9)


def written(depth: int) -> st.SearchStrategy[tuple[str, Fraction | None]]:
    """Formulas of rational numbers with their values; None where a divisor is zero."""
    leaf = st.integers(0, 99).map(lambda n: (f"{n / 10:.1f}", Fraction(n, 10)))
    if depth == 0:
        return leaf
    inner = written(depth - 1)

    def join(
        parts: tuple[str, tuple[str, Fraction | None], tuple[str, Fraction | None]],
    ) -> tuple[str, Fraction | None]:
        sign, (a, x), (b, y) = parts
        if x is None or y is None or (sign == "/" and y == 0):
            return f"\\frac{{{a}}}{{0}}", None
        texts = {"+": f"({a}) + {b}", "-": f"{a} - ({b})", "*": rf"({a}) \cdot ({b})", "/": rf"\frac{{{a}}}{{{b}}}"}
        values = {"+": x + y, "-": x - y, "*": x * y, "/": x / y if y else None}
        return texts[sign], values[sign]

    return st.tuples(st.sampled_from("+-*/"), inner, inner).map(join) | leaf


@given(written(3))
def test_rational_formulas_have_the_value_of_fractions(made: tuple[str, Fraction | None]) -> None:
    text, expected = made
    if expected is None:
        with pytest.raises(UndecidedError, match="division by zero"):
            value(text)
    else:
        assert value(text) == fmpq(expected.numerator, expected.denominator)


@given(
    st.lists(st.lists(small, min_size=2, max_size=2), min_size=2, max_size=4), st.lists(small, min_size=4, max_size=4)
)
def test_products_of_matrices_are_those_of_numpy(left: list[list[int]], flat: list[int]) -> None:
    right = [flat[:2], flat[2:]]

    def latex(m: list[list[int]]) -> str:
        return r"\begin{bmatrix}" + r"\\".join(" & ".join(map(str, row)) for row in m) + r"\end{bmatrix}"

    table = value(latex(left) + latex(right))
    assert isinstance(table, Table)
    assert [[int(x) for x in row] for row in table.rows] == (np.array(left) @ np.array(right)).tolist()  # type: ignore[arg-type]


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=4), st.sampled_from([2, 3, 4, 5, 12]))
def test_weights_sum_to_one_and_are_those_of_mpmath(scores: list[int], d_k: int) -> None:
    cells = ", ".join(rf"{s}/\sqrt{{{d_k}}}" for s in scores)
    table = value(rf"\text{{softmax}}([{cells}])")
    assert isinstance(table, Table)
    total = table.rows[0][0]
    for entry in table.rows[0][1:]:
        total = closed.add(total, entry)  # type: ignore[arg-type]
    assert total == 1
    with mpmath.workdps(40):
        powers = [mpmath.exp(mpmath.mpf(s) / mpmath.sqrt(d_k)) for s in scores]
        for entry, power in zip(table.rows[0], powers, strict=True):
            found = mpmath.mpf(enclosure(entry, 256).mid().str(40, radius=False))
            assert mpmath.almosteq(found, power / sum(powers), rel_eps=mpmath.mpf("1e-30"))


@given(st.integers(1, 400), st.integers(1, 400))
def test_roots_multiply(a: int, b: int) -> None:
    assert value(rf"\sqrt{{{a}}} \cdot \sqrt{{{b}}}") == value(rf"\sqrt{{{a * b}}}")
    assert value(rf"\sqrt{{\frac{{{a}}}{{{b}}}}}") == value(rf"\frac{{\sqrt{{{a}}}}}{{\sqrt{{{b}}}}}")


def test_every_link_of_a_right_chain_has_one_value() -> None:
    text = r"0.163579(1) + 0.672842(3) + 0.163579(2) = 0.163579 + 2.018526 + 0.327158 = 2.509263"
    first, second, third = (evaluate(item, {}) for item in read_chain(text).items)
    assert first == second == third


def test_values_of_other_kinds_are_refused() -> None:
    with pytest.raises(UndecidedError, match="a str is no value"):
        value("x", x="__import__('os')")
    assert [value("x", x=2), len(read_math("x"))] == [2, 1]
