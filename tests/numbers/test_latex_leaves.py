"""Formulas with more functions: what the list admits, how it is written out, and what latex2sympy2 makes of it."""

from __future__ import annotations

import re
from functools import cache
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import ReadError
from symattn.numbers import latex_door
from symattn.numbers.latex_leaves import FUNCTIONS, has_function, places, plain_leaf, trees_of

HALF = ["number", "1/2"]


def taken_apart(text: str) -> object:
    """The whole tree, with the pieces and the names put in."""
    plain = plain_leaf(text)
    known = places(plain)
    made: dict[str, object] = dict(plain.names)

    def filled(tree: list[object]) -> object:
        operation, *operands = tree
        if operation == "name":
            return made[known[str(operands[0])]]
        if operation in ("number", "constant"):
            return operands[0]
        return (operation, *(filled(operand) for operand in operands))  # type: ignore[arg-type]

    for place, tree in trees_of(plain.pieces).items():
        made[place] = filled(tree)
    return made[plain.whole]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\tan(0.5)", ("tan", "1/2")),
        (r"\tan 1", ("tan", "1")),
        (r"\tan{x}", ("tan", "x")),
        (r"\tan\theta", ("tan", "theta")),
        (r"\tan\left(\theta_{1}\right)", ("tan", "theta_1")),
        (r"\cos\frac{\pi}{4}", ("cos", ("*", "pi", ("^", "4", "-1")))),
        (r"\sin^2(x)", ("^", ("sin", "x"), "2")),
        (r"\sin^{2} x", ("^", ("sin", "x"), "2")),
        (r"\sin x^2", ("sin", ("^", "x", "2"))),
        (r"\sin(x)^2", ("^", ("sin", "x"), "2")),
        (r"\cos 0.5\sin 0.3", ("*", ("cos", "1/2"), ("sin", "3/10"))),
        (r"\ln 2", ("log", "2", "e")),
        (r"\log 2", ("log", "2", "e")),
        (r"\log_2 8", ("log", "8", "2")),
        (r"\log_{10}(100)", ("log", "100", "10")),
        (r"\exp 2", ("^", "e", "2")),
        (r"\arctan(1)", ("arctan", "1")),
        (r"\arcsin(1)", ("arcsin", "1")),
        (r"\arccos(1)", ("arccos", "1")),
        (r"\cot(1)\sec(2)\csc(3)", ("*", ("cot", "1"), ("sec", "2"), ("csc", "3"))),
        (r"\sinh(1)-\cosh(1)", ("+", ("sinh", "1"), ("*", "-1", ("cosh", "1")))),
        (r"\arsinh(1)+\arcosh(2)+\artanh(0.5)", ("+", ("arsinh", "1"), ("arcosh", "2"), ("artanh", "1/2"))),
        (r"\tanh(1)", ("tanh", "1")),
        (r"\lfloor 2.5 \rfloor", ("floor", "5/2")),
        (r"\left\lceil \frac{x}{2} \right\rceil", ("ceil", ("*", "x", ("^", "2", "-1")))),
        (r"|x - 1|", ("abs", ("+", "x", "-1"))),
        (r"||x|-1|", ("abs", ("+", ("abs", "x"), "-1"))),
        (r"\left|-2\right|", ("abs", "-2")),
        (r"\lvert x\rvert", ("abs", "x")),
        (r"\sqrt[3]{8}", ("^", "8", "1/3")),
        (r"\sqrt [ 12 ] {x}", ("^", "x", "1/12")),
        (r"\bigl(\tan 1\bigr)", ("tan", "1")),
    ],
)
def test_a_formula_is_taken_apart(text: str, expected: object) -> None:
    assert taken_apart(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r"\int_0^{10^9} x", r"unknown command \int at column 1"),
        (r"\sum_{n=1}^{10^9} n", r"unknown command \sum"),
        (r"\prod_{n=1}^{10^9} n", r"unknown command \prod"),
        (r"\lim_{x \to 0} x", r"unknown command \lim"),
        (r"\binom{10^8}{5}", r"unknown command \binom"),
        (r"(10^9)!", "! has no meaning here"),
        (r"\gcd(4, 6)", r"unknown command \gcd"),
        (r"\max(1, 2)", r"unknown command \max"),
        (r"\input{x}", r"unknown command \input"),
        (r"10^{9^{9}}", "a power tower is not read"),
        (r"\tan(2^{3^{4}})", "a power tower is not read"),
        (r"\tan 2\pi", r"how far \tan reaches is not shown"),
        (r"\tan 2x", r"how far \tan reaches is not shown"),
        (r"\tan\tan 1", r"how far \tan reaches is not shown"),
        (r"\tan{x}^2", r"how far \tan reaches is not shown"),
        (r"\sin^{-1}(x)", r"only a whole power of \sin stands before its argument"),
        (r"\sin^{x}(2)", r"only a whole power of \sin"),
        (r"\sin^0(2)", r"only a whole power of \sin"),
        (r"\tan", "something is missing"),
        (r"\tan()", ") is misplaced"),
        (r"\tan(1) 3", "a number right after a factor"),
        (r"6/2\tan(1)", "a product without a sign after a division is ambiguous"),
        (r"\log_{0.5} 8", "the base of a logarithm is a whole number from 2 on"),
        (r"\log_1 8", "the base of a logarithm is a whole number from 2 on"),
        (r"\log_{x} 8", "the base of a logarithm"),
        (r"\sqrt[1]{8}", "a root is of order 2 or more"),
        (r"\sqrt[n]{8}", "[ has no meaning here"),
        (r"\sqrt[3]8[", "[ has no meaning here"),
        (r"\lfloor 2.5 \rceil", r"\lfloor is closed by \rfloor"),
        (r"\lfloor 2.5", r"\lfloor is closed by \rfloor"),
        (r"|x", "| is closed by |"),
        ("2|x|", "left-over input at '|x|'"),
        (r"[1, \tan 2]", "[ has no meaning here"),
        (r"\operatorname{tan}(1)", r"unknown command \operatorname"),
        (r"\tan(" * 61 + "1" + ")" * 61, "brackets deeper than 60"),
        ("1+" * 200 + r"\tan 1", "a formula of 406 characters"),
    ],
)
def test_what_is_not_listed_or_reads_in_two_ways_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ReadError, match=re.escape(reason)) as caught:
        plain_leaf(text)
    assert "\n" not in str(caught.value)


def test_a_function_is_found_by_its_command() -> None:
    assert has_function(r"2\tan(1)")
    assert has_function(r"\lceil x \rceil")
    assert not has_function(r"\frac{1}{2} + \sqrt{3}|x|")


def test_a_spec_still_has_none_of_the_functions() -> None:
    for function in FUNCTIONS:
        with pytest.raises(ReadError, match=re.escape(f"unknown command {function} at column 1")):
            latex_door.read_latex(f"{function}(1)")
    with pytest.raises(ReadError, match=r"\| has no meaning here at column 1"):
        latex_door.read_latex("|x|")


REFUSED_PIECES = [
    *("1+2)+100", r"\int x dx", r"\lim_{x \to 0} x", r"\sum_{n=1}^{3} n", "x!", r"\frac{d}{dx} x", r"\max(1, 2)"),
    *(r"\begin{matrix}1\end{matrix}", r"\infty", "x=3", ""),
]


@pytest.mark.parametrize("piece", REFUSED_PIECES)
def test_a_piece_that_the_list_would_not_write_is_not_taken(piece: str) -> None:
    # even so: all of the input is consumed, and no other operation comes back
    with pytest.raises(ReadError, match=r"cannot read this|not one of the operations"):
        trees_of({"q0": piece})


PIECES = [
    *(r"\tan", r"\sin^2", r"\log_2", r"\ln", r"\lfloor", r"\rfloor", r"\frac", r"\sqrt", r"\sqrt[3]", r"\left(", r"\right)"),
    *(r"\cdot", r"\pi", r"\exp", "|", "(", ")", "{", "}", "^", "_", "e", "x", "1", ".5", "+", "-", "/", "1}{2}", " "),
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_formula_is_taken_apart_or_refused(text: str) -> None:
    try:
        plain = plain_leaf(text)
    except ReadError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    # what the list admits and writes out, latex2sympy2 reads
    assert trees_of(plain.pieces).keys() == plain.pieces.keys()


# what latex2sympy2 does when left alone: each is a reason for something above


@cache
def raw() -> ModuleType:
    return latex_door._loaded(latex_door._home())


@pytest.mark.parametrize(
    ("bug", "text", "expected"),
    [
        ("coth is the cot of a product", r"\coth(1)", "cot(h(1))"),
        ("a logarithm without a base is to the base 10", r"\log(2)", "log(2)/log(10)"),
        ("digits after arctan are a factor", r"\arctan2(1)", "atan(2)"),
        ("a binomial is worked out at once", r"\binom{4}{2}", "6"),
    ],
)
def test_the_library_alone_misreads_in_silence(bug: str, text: str, expected: str) -> None:
    assert str(raw().latex2sympy(text).doit()) == expected, bug


def test_those_are_refused_or_written_so_that_they_are_read_right() -> None:
    with pytest.raises(ReadError, match=r"unknown command \\coth"):
        plain_leaf(r"\coth(1)")
    with pytest.raises(ReadError, match="how far"):
        plain_leaf(r"\arctan2(1)")
    assert plain_leaf(r"\log(2)").pieces["q0"] == r"(\ln((2)))"
