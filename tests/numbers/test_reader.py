"""The reader of values: what is accepted and what it is worth, what is refused and how that is said."""

from __future__ import annotations

import re
import subprocess
import sys
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import ReadError
from symattn.numbers.bounded import as_sympy
from symattn.numbers.reader import read_number, read_positive

a, b, d_k = sympy.Symbol("a", real=True), sympy.Symbol("b", real=True), sympy.Symbol("d_k", positive=True)


class Colour(IntEnum):
    RED = 3


RATIONAL = [
    ("int", 7, Fraction(7)),
    ("negative int", -7, Fraction(-7)),
    ("enum", Colour.RED, Fraction(3)),
    ("fraction", Fraction(2, 6), Fraction(1, 3)),
    ("decimal", Decimal("0.1"), Fraction(1, 10)),
    ("decimal with exponent", Decimal("-1.5E+3"), Fraction(-1500)),
    ("fmpz", fmpz(5), Fraction(5)),
    ("fmpq", fmpq(2, 3), Fraction(2, 3)),
    ("float", 0.1, Fraction(1, 10)),
    ("small float", 1e-7, Fraction(1, 10**7)),
    ("float64", np.float64(0.1), Fraction(1, 10)),
    ("float32", np.float32(0.1), Fraction(1, 10)),
    ("float16", np.float16(0.1), Fraction(1, 10)),
    ("int64", np.int64(-3), Fraction(-3)),
    ("uint8", np.uint8(200), Fraction(200)),
    ("sympy integer", sympy.Integer(4), Fraction(4)),
    ("sympy rational", sympy.Rational(3, 4), Fraction(3, 4)),
    ("sympy float", sympy.Float("0.1"), Fraction(1, 10)),
    ("sympy square root of a square", sympy.sqrt(sympy.Rational(9, 4)), Fraction(3, 2)),
    ("unevaluated", sympy.Mul(2, sympy.Pow(4, -1, evaluate=False), evaluate=False), Fraction(1, 2)),
    ("text", "12", Fraction(12)),
    ("text fraction", "1/3", Fraction(1, 3)),
    ("numpy text", np.str_("1/3"), Fraction(1, 3)),
    ("text decimal", " 0.10 ", Fraction(1, 10)),
    ("leading point", ".5", Fraction(1, 2)),
    ("exponent", "1.5e3", Fraction(1500)),
    ("negative exponent", "2E-3", Fraction(1, 500)),
    ("square root", "sqrt(4)", Fraction(2)),
    ("square root of a fraction", "sqrt(9/4)", Fraction(3, 2)),
    ("root sign", "√4", Fraction(2)),
    ("root sign binds first", "√9/3", Fraction(1)),
    ("half power", "4^(1/2)", Fraction(2)),
    ("decimal half power", "4^0.5", Fraction(2)),
    ("three halves", "4**(3/2)", Fraction(8)),
    ("roots cancel", "sqrt(2)*sqrt(8)", Fraction(4)),
    ("power", "2^10", Fraction(1024)),
    ("negative power", "2^-2", Fraction(1, 4)),
    ("huge power of one", "1^1e900", Fraction(1)),
    ("huge odd power of minus one", "(-1)^(1e900+1)", Fraction(-1)),
    ("huge power of zero", "0^1e900", Fraction(0)),
    ("zeroth power", "7^0", Fraction(1)),
    ("power before sign", "-2^2", Fraction(-4)),
    ("sign in brackets", "(-2)**2", Fraction(4)),
    ("bracketed tower", "2^(3^2)", Fraction(512)),
    ("left to right", "7-4-2", Fraction(1)),
    ("division left to right", "8/4*2", Fraction(4)),
    ("signs", "+-3", Fraction(-3)),
    ("many signs", "-" * 900 + "1", Fraction(1)),
    ("unicode minus", "−3", Fraction(-3)),
    ("unicode times", "2×3·4", Fraction(24)),
    ("no-break spaces", "1\u00a0+\u00a02", Fraction(3)),
    ("letters cancel", "a-a", Fraction(0)),
    ("e to the zero", "e^0", Fraction(1)),
    ("nesting within the bound", "(" * 50 + "1" + ")" * 50, Fraction(1)),
]

SYMBOLIC = [
    ("root", "sqrt(2)", sympy.sqrt(2)),
    ("root sign in brackets", "√(2)", sympy.sqrt(2)),
    ("multiple of a root", "2*sqrt(3)/3", 2 * sympy.sqrt(3) / 3),
    ("pi", "pi/4", sympy.pi / 4),
    ("pi sign", "π", sympy.pi),
    ("e", "e", sympy.E),
    ("exp", "exp(1)", sympy.E),
    ("power of e", "e**(3/sqrt(d_k))", sympy.exp(3 / sympy.sqrt(d_k))),
    ("letter", "a", a),
    ("d_k", "d_k", d_k),
    ("d_k to a half", "d_k^0.5", sympy.sqrt(d_k)),
    ("subscript", "x_1", sympy.Symbol("x_1", real=True)),
    ("word", "foo", sympy.Symbol("foo", real=True)),
    ("greek letter", "β_2", sympy.Symbol("beta_2", real=True)),
    ("greek name", "beta_2", sympy.Symbol("beta_2", real=True)),
    ("greek capital", "Ω", sympy.Symbol("Omega", real=True)),
    ("a greek name that Python reserves", "λ", sympy.Symbol("lambda", real=True)),
    ("imaginary unit is a letter here", "I", sympy.Symbol("I", real=True)),
    ("sum", "2*a - b/3", 2 * a - b / 3),
    ("division by a letter", "1/a", 1 / a),
    ("absolute value", "sqrt(a^2)", sympy.Abs(a)),
    ("sympy", sympy.sqrt(2) / 3, sympy.sqrt(2) / 3),
    ("sympy symbol becomes real", sympy.Symbol("a"), a),
    ("sympy d_k becomes positive", sympy.exp(sympy.Symbol("d_k")), sympy.exp(d_k)),
    ("sympy positive symbol stays", sympy.Symbol("n", positive=True), sympy.Symbol("n", positive=True)),
    ("sympy float inside", sympy.Float("0.5") * a, a / 2),
]

NOT_A_NUMBER = "is not a number or a name"
REFUSED = [
    ("true", True, f"'True' {NOT_A_NUMBER}"),
    ("numpy true", np.bool_(True), f"'True' {NOT_A_NUMBER}"),
    ("none", None, f"'None' {NOT_A_NUMBER}"),
    ("list", [1], f"a list {NOT_A_NUMBER}"),
    ("array", np.array([1]), f"a ndarray {NOT_A_NUMBER}"),
    ("complex", 1j, f"a complex {NOT_A_NUMBER}"),
    ("numpy complex", np.complex64(1), NOT_A_NUMBER),
    ("nan", float("nan"), "not finite"),
    ("infinity", float("-inf"), "not finite"),
    ("numpy nan", np.float64("nan"), "not finite"),
    ("numpy single infinity", np.float32("inf"), "not finite"),
    ("decimal nan", Decimal("NaN"), "not finite"),
    ("decimal signalling nan", Decimal("sNaN"), "not finite"),
    ("decimal infinity", Decimal("Infinity"), "not finite"),
    ("huge decimal", Decimal("1e10000000"), "more than 4096 bits"),
    ("tiny decimal", Decimal("1e-10000000"), "more than 4096 bits"),
    ("huge int", 10**5000, "a number of 16610 bits: a number of more than 4096 bits"),
    ("huge fraction", Fraction(1, 10**5000), "more than 4096 bits"),
    ("huge sympy integer", sympy.Integer(10) ** 5000, "more than 4096 bits"),
    ("sympy infinity", sympy.oo, "Infinity is not one of the operations"),
    ("sympy nan", sympy.nan, "NaN is not one of the operations"),
    ("sympy sine", sympy.sin(1), "sin is not one of the operations"),
    ("sympy imaginary unit", sympy.I, "ImaginaryUnit is not one of the operations"),
    ("sympy truth", sympy.true, "BooleanTrue is not one of the operations"),
    ("sympy hostile symbol", sympy.Symbol("x); import os"), "is not a name"),
    ("sympy dummy", sympy.Dummy("a"), "is not a name"),
    ("sympy imaginary symbol", sympy.Symbol("a", imaginary=True), "is not real"),
    (
        "sympy tower",
        sympy.Pow(9, sympy.Pow(9, 9, evaluate=False), evaluate=False),
        "a power of more than 4096 bits",
    ),
    ("empty", "  ", "It is empty"),
    ("code", "__import__('os').system('touch PWNED')", f"'__import__('os').system('touch PWNED')' {NOT_A_NUMBER}"),
    ("call", "f(2)", "f is no function that is read here"),
    ("attribute", "a.real", r". has no meaning here|decimal point"),
    ("comparison", "a<b", "Column 2: < has no meaning here"),
    ("dunder", "__class__", NOT_A_NUMBER),
    ("keyword", "import", "import is no name"),
    ("lambda", "lambda: 0", ": has no meaning here"),
    ("nan text", "nan", "nan is no name"),
    ("infinity text", "-Infinity", "Infinity is no name"),
    ("true text", "true", "true is no name"),
    ("two subscripts", "x_1_2", "at most one subscript"),
    ("loose subscript", "a_", "at most one subscript"),
    ("grouped by a space", "1 000", "Column 3: write 1000 without the space"),
    ("two numbers", "2 3", "Column 3: for a product write 2*3"),
    ("implicit product", "2a", "Column 2: for a product write 2*a"),
    ("implicit product of letters", "a b", "write a*b"),
    ("implicit product with a root", "2√3", "write 2*√"),
    ("implicit product with a bracket", "6/2(1+2)", "Column 4: for a product write 2*("),
    ("broken exponent", "2e", "write 2*e"),
    ("decimal comma", "4,3", "write 4.3"),
    ("comma for thousands", "1,000", "write 1.000, or 1000"),
    ("list in text", "4,3,2", ", has no meaning here"),
    ("two points", "1.2.3", "one decimal point"),
    ("trailing point", "5.", "one decimal point"),
    ("arabic digit", "٣", "٣ (ARABIC-INDIC DIGIT THREE) is no digit 0 to 9"),
    ("full-width digit", "1３", "３ (FULLWIDTH DIGIT THREE) is no digit 0 to 9"),
    ("superscript", "2²", "² (SUPERSCRIPT TWO) is no digit 0 to 9"),
    ("cyrillic letter", "а", "CYRILLIC SMALL LETTER A"),
    ("nul", "1\x00", "(U+0000) has no meaning here"),
    ("lone surrogate", "\ud800", "(U+D800) has no meaning here"),
    ("missing operand", "3 +", "Column 4: something is missing"),
    ("misplaced operator", "3*/2", "Column 3: / is misplaced"),
    ("open bracket", "(1", "a bracket is not closed"),
    ("close bracket", "1)", "a bracket closes that was not opened"),
    ("function without brackets", "sqrt 2", "write sqrt(…)"),
    ("too long", "1" * 1001, "a text of 1001 characters"),
    ("too deep", "(" * 51 + "1" + ")" * 51, "brackets deeper than 50"),
    ("too many root signs", "√" * 60 + "2", "brackets deeper than 50"),
    ("tower", "9**9**9", "a power of a power is ambiguous"),
    ("tower of hats", "9^9^9", "a power of a power is ambiguous"),
    ("symbolic tower", "a**b**c", "a power of a power is ambiguous"),
    ("ambiguous before big", "10^10^8", "a power of a power is ambiguous"),
    ("bracketed big tower", "9^(9^9)", "a power of more than 4096 bits at column 2"),
    ("big exponent", "1e10000000", "a number of more than 4096 bits"),
    ("bigger exponent than the bound", "1e2000", "more than 4096 bits"),
    ("power of more than a float holds", "2^1e900", "a power of more than 4096 bits"),
    ("negative power of more than a float holds", "a^-1e900", "a power of more than 4096 bits"),
    ("powers of a power", "((a^64)^64)^64", "a power of more than 4096 bits"),
    ("big product", "2^4000*2^4000", "a number of more than 4096 bits at column 7"),
    ("big root", "sqrt(7^720+1)", "more than 1024 bits under a root"),
    ("exponential of a high power", "exp(a^40)", "an exponential of letters to a power beyond 8"),
    ("root of a high power of letters", "sqrt(1+(3-a)^40)", "letters to a power beyond 8"),
    ("root of letters beside a huge number", "sqrt(a+exp(123456789))", "beside e to a power beyond 100"),
    ("exponent of e", "exp(10^100)", "an exponent of e beyond 2**64"),
    ("tower of e", "exp(exp(exp(9)))", "an exponent of e beyond 2**64"),
    ("cube root", "2^(1/3)", "a whole number or 1/2"),
    ("letter in an exponent", "2^a", "a whole number or 1/2"),
    ("division by zero", "1/0", "'1/0': division by zero at column 2"),
    ("division by a difference", "1/(a-a)", "division by zero"),
    ("division by a hidden zero", "1/((a+b)*(a-b)-a^2+b^2)", "division by zero, whatever the letters are"),
    ("division by what may be zero", "1/(sqrt(3+2*sqrt(2))-1-sqrt(2))", "cannot be told from zero"),
    ("zero to a negative power", "0^-1", "division by zero"),
    ("zero to zero", "0^0", "zero to the power zero"),
    ("root of a negative", "sqrt(-1)", "the square root of a negative number"),
    ("root of a negative difference", "sqrt(1-sqrt(2))", "the square root of a negative number"),
    ("root of a negative square", "sqrt(-a^2)", "the square root of a negative number"),
    ("root of a negative sum", "sqrt(-1-a^2)", "the square root of a negative number"),
    ("root of a negative letter", "sqrt(-d_k)", "the square root of a negative number"),
    ("half power of a negative", "(-1)^(1/2)", "the square root of a negative number"),
    ("root of what may be negative", "sqrt(sqrt(3+2*sqrt(2))-1-sqrt(2))", "is undecided"),
]


def named(table: list[tuple[str, Any, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("found", "expected"), [pytest.param(*row[1:], id=row[0]) for row in table])


def mentions(text: str) -> Any:
    return pytest.raises(ReadError, match="|".join(re.escape(part) for part in text.split("|")))


@named(RATIONAL)
def test_a_rational_comes_back_as_fmpq(found: object, expected: Fraction) -> None:
    value = read_number(found)
    assert isinstance(value, fmpq)
    assert Fraction(int(value.p), int(value.q)) == expected


@named(SYMBOLIC)
def test_the_rest_comes_back_as_an_expression(found: object, expected: sympy.Expr) -> None:
    value = read_number(found)
    assert isinstance(value, sympy.Expr)
    assert value == expected


@named(SYMBOLIC)
def test_an_expression_that_was_read_is_read_as_itself(found: object, expected: sympy.Expr) -> None:
    assert read_number(read_number(found)) == expected


@named(REFUSED)
def test_refusals_say_why(found: object, expected: str) -> None:
    with mentions(expected) as caught:
        read_number(found)
    assert "\n" not in str(caught.value)
    assert caught.value.expected


def test_a_huge_integer_of_text_is_bounded_by_its_length() -> None:
    value = read_number("9" * 1000)
    assert isinstance(value, fmpq)
    assert value == fmpq(10**1000 - 1)


def test_shared_nodes_count_each_time_that_they_are_written() -> None:
    grown = sympy.Add(a, a, evaluate=False)
    for _ in range(60):
        grown = sympy.Add(grown, grown, evaluate=False)
    with mentions("an expression too long"):
        read_number(grown)


def test_a_deep_expression_is_refused() -> None:
    grown = a
    for _ in range(120):
        grown = sympy.Pow(grown, 3, evaluate=False)
    with mentions("an expression too deep"):
        read_number(grown)


def test_text_with_a_backslash_is_read_as_latex() -> None:
    assert read_number(r"\frac{1}{3}") == fmpq(1, 3)
    assert read_number(r"\sqrt{2}") == sympy.sqrt(2)


def test_rationals_need_no_sympy() -> None:
    code = (
        "import sys; from symattn.numbers.reader import read_number as r; r('1/3+sqrt(9/4)'); r(0.1);"
        "assert 'sympy' not in sys.modules and 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "found",
    [
        3,
        0.5,
        "1/3",
        "sqrt(2)",
        "pi",
        "3-e",
        "a^2+1",
        "exp(a)",
        "d_k/3+sqrt(d_k)",
        "1/d_k^3",
        "-(-1-a^2)",
        "e^(-1000)",
        np.int64(4),
        "sqrt(d_k)",
    ],
)
def test_positive_numbers_pass(found: object) -> None:
    assert read_positive(found) == read_number(found)


@pytest.mark.parametrize("name", ["n", "d_k", "alpha"])
def test_a_letter_is_taken_as_positive(name: str) -> None:
    assert read_positive(name) == sympy.Symbol(name, positive=True)


NOT_POSITIVE = [
    ("zero", 0, "found '0'; expected a positive number"),
    ("zero text", "0.0", "found '0.0'"),
    ("negative", "-3", "found '-3'"),
    ("negative expression", "e-3", "found 'e-3'"),
    ("false", False, NOT_A_NUMBER),
    ("nan", float("nan"), "not finite"),
    ("infinity", float("inf"), "not finite"),
    ("open sign", "a-1", "whether 'a-1' is positive is undecided"),
    ("negative for all letters", "-1-a^2", "found '-1-a^2'"),
    ("zero for some letters", "a^2", "whether 'a^2' is positive is undecided"),
    ("hidden zero", "sqrt(3+2*sqrt(2))-1-sqrt(2)", "is positive is undecided"),
    ("code", "__import__('os').system('touch PWNED')", NOT_A_NUMBER),
]


@named(NOT_POSITIVE)
def test_what_is_not_proven_positive_is_refused(found: object, expected: str) -> None:
    with mentions(expected):
        read_positive(found)


@given(st.fractions(max_denominator=10**6))
def test_every_fraction_reads_back(value: Fraction) -> None:
    for form in (value, str(value), f"({value.numerator})/{value.denominator}"):
        read = read_number(form)
        assert isinstance(read, fmpq)
        assert Fraction(int(read.p), int(read.q)) == value


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100).filter(
    lambda x: x == 0 or abs(x) > 1e-100
))  # fmt: skip
def test_a_float_is_the_decimal_that_it_prints(value: float) -> None:
    read = read_number(value)
    assert isinstance(read, fmpq)
    assert Fraction(int(read.p), int(read.q)) == Fraction(repr(value))


Tree = tuple[str, Any]  # text, and the same in mpmath


def _join(sign: str, work: Any) -> Any:
    return lambda pair: (f"({pair[0][0]}{sign}{pair[1][0]})", work(pair[0][1], pair[1][1]))


LEAVES = st.one_of(
    st.integers(0, 20).map(lambda n: (str(n), mpmath.mpf(n))),
    st.sampled_from([("pi", mpmath.mp.pi + 0), ("e", mpmath.mp.e + 0), ("1.25", mpmath.mpf("1.25"))]),
    st.integers(0, 20).map(lambda n: (f"sqrt({n})", mpmath.sqrt(n))),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(_join("+", lambda x, y: x + y)),
        st.tuples(inner, inner).map(_join(" - ", lambda x, y: x - y)),
        st.tuples(inner, inner).map(_join("*", lambda x, y: x * y)),
        inner.map(lambda tree: (f"(-{tree[0]})^2", tree[1] ** 2)),
        inner.map(lambda tree: (f"√({tree[0]})^2", tree[1])).filter(lambda tree: tree[1] > 1e-3),
        inner.map(lambda tree: (f"(1/{tree[0]})", 1 / tree[1]) if abs(tree[1]) > 1e-3 else tree),
        inner.map(lambda tree: (f"e^({tree[0]})", mpmath.exp(tree[1])) if abs(tree[1]) < 50 else tree),
    ),
    max_leaves=6,
)


@given(TREES)
def test_text_has_the_value_that_mpmath_gives(tree: Tree) -> None:
    text, expected = tree
    try:
        value = as_sympy(read_number(text))
    except ReadError as error:
        assert "cannot be told" in error.problem or "undecided" in error.problem  # noqa: PT017
        return
    assert abs(mpmath.mpf(value.evalf(30)) - expected) <= 1e-9 * max(1, abs(expected))


@given(st.text(alphabet="0123456789.eE+-*/^()√ ,axd_k'\"\\{}πsqrt\u0663\x00", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = read_number(text)
    except ReadError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert isinstance(value, (fmpq, sympy.Expr))
