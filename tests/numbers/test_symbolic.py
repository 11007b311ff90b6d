"""The SymPy arithmetic: balls around expressions, equality that is decided or not, rows of letters."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
import sympy
from flint import arb, ctx, fmpq

from symattn.errors import UndecidedError
from symattn.numbers.arithmetic import Letter
from symattn.numbers.certified import Precision, enclosure, rational_of
from symattn.numbers.expsum import exponential
from symattn.numbers.symbolic import Symbolic, SymbolicNumber, ball_of, differ, to_sympy
from symattn.numbers.written import WrittenNumber

a, b = sympy.symbols("a b", real=True)
n = sympy.Symbol("n", positive=True)

ENCLOSED: dict[str, Any] = {
    "rational": sympy.Rational(-22, 7),
    "root": sympy.sqrt(2),
    "root below": 1 / sympy.sqrt(3),
    "power of a root": sympy.sqrt(2) ** 5,
    "nested root": sympy.sqrt(1 + sympy.sqrt(2)),
    "cube root": sympy.cbrt(5),
    "pi": sympy.pi,
    "e": sympy.E,
    "exponential": sympy.exp(sympy.sqrt(3)),
    "negative power": sympy.pi**-3,
    "absolute value": sympy.Abs(sympy.Add(1, -sympy.sqrt(2), evaluate=False), evaluate=False),
    "logarithm": sympy.log(3),
    "power of e": sympy.E ** (sympy.pi / 2),
    "weight": sympy.exp(sympy.sqrt(2)) / (1 + sympy.exp(sympy.sqrt(2))),
    "product": sympy.sqrt(2) * sympy.pi / 7,
    "root of a root": sympy.sqrt(2) ** sympy.Rational(1, 2),
}


@pytest.mark.parametrize("expression", ENCLOSED.values(), ids=ENCLOSED)
def test_balls_against_mpmath(expression: Any) -> None:
    before = ctx.prec
    ball = SymbolicNumber(expression).enclose(Precision(300))
    assert ctx.prec == before
    with mpmath.workdps(80):
        expected = sympy.lambdify([], expression, modules="mpmath")()
        assert abs(mpmath.mpf(ball.mid().str(75, radius=False)) - expected) < mpmath.mpf(10) ** -70
    assert ball.rel_accuracy_bits() > 280


def test_letters_stand_where_they_are_put() -> None:
    assert ball_of(a**2 + b, {a: arb(3), b: arb(1)}) == 10
    with pytest.raises(UndecidedError, match=r"b is free\. Give it a number to get decimals\."):
        ball_of(a**2 + b, {a: arb(3)})


@pytest.mark.parametrize("expression", [sympy.gamma(sympy.sqrt(2)), sympy.I, sympy.Float("0.1")], ids=str)
def test_no_ball(expression: Any) -> None:
    with pytest.raises(UndecidedError, match="no ball for a SymPy "):
        enclosure(expression)


SYMPY: dict[str, tuple[Any, Any]] = {
    "fmpq": (fmpq(-1, 3), sympy.Rational(-1, 3)),
    "SymPy": (a + 1, a + 1),
    "exponential": (exponential(fmpq(2)), sympy.exp(2)),
    "written": (WrittenNumber(fmpq(17, 10), "1.70"), sympy.Rational(17, 10)),
    "exact ball": (arb(5) / 2, sympy.Rational(5, 2)),
    "ball": (arb(1) / 3, sympy.Float("0.333333333333333", 15)),
}


@pytest.mark.parametrize(("number", "expected"), SYMPY.values(), ids=SYMPY)
def test_to_sympy(number: Any, expected: Any) -> None:
    made = to_sympy(number)
    assert isinstance(made, sympy.Expr)
    assert abs(made - expected) < sympy.Rational(1, 10**14)


def test_balls_keep_the_digits_that_they_are_sure_of() -> None:
    with ctx.workprec(250):
        made = to_sympy(arb(1) / 3)
    assert sympy.Abs(made - sympy.Rational(1, 3)).evalf(5) < sympy.Float("1e-70")
    with pytest.raises(UndecidedError, match="a ball without bounds has no value"):
        to_sympy(arb("nan"))


DIFFERENCES: dict[str, tuple[Any, Any, bool | None]] = {
    "roots": (sympy.sqrt(8), 2 * sympy.sqrt(2), False),
    "pi and 22/7": (sympy.pi, fmpq(22, 7), True),
    "rationals": (fmpq(1, 2), fmpq(2, 4), False),
    "two rationals": (fmpq(1, 2), fmpq(1, 3), True),
    "expanded": ((a + b) ** 2, a**2 + 2 * a * b + b**2, False),
    "letters": (a, b, True),
    "a letter and a number": (a, fmpq(1), True),
    "a polynomial that is somewhere zero": (a**2, a, True),
    "what SymPy does not see": (sympy.sqrt(4 * a**2 + 4 * a + 1), 2 * a + 1, None),
    "nested roots that are equal": (sympy.sqrt(3 + 2 * sympy.sqrt(2)), 1 + sympy.sqrt(2), None),
    "nested roots that are not": (sympy.sqrt(3 + 2 * sympy.sqrt(2)), 1 + sympy.sqrt(3), True),
    "closer than floats": (sympy.exp(sympy.Rational(1, 10**40)), fmpq(1), True),
    "too close for 256 bits": (sympy.exp(sympy.Rational(1, 10**100)), fmpq(1), None),
    "no ball": (sympy.gamma(sympy.sqrt(2)), fmpq(1), None),
}


@pytest.mark.parametrize(("x", "y", "verdict"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_whether_two_expressions_differ(x: Any, y: Any, verdict: bool | None) -> None:
    assert differ(x, y) is verdict
    assert differ(y, x) is verdict


def test_rational_values() -> None:
    assert SymbolicNumber(sympy.Rational(2, 4)).rational == fmpq(1, 2)
    assert SymbolicNumber(sympy.sqrt(2)).rational is None
    assert rational_of(sympy.Integer(3)) == 3


@pytest.mark.parametrize(
    ("d_k", "root"),
    [(fmpq(9, 4), sympy.Rational(3, 2)), (Letter("n"), sympy.sqrt(n)), (sympy.pi, sympy.sqrt(sympy.pi))],
    ids=str,
)
def test_roots(d_k: Any, root: Any) -> None:
    assert Symbolic(d_k).root() == root


ROWS: dict[str, tuple[list[Any], list[Any]]] = {
    "letters": ([a, b, 0], [1, a, b]),
    "equal scores": ([a, a], [1, 2]),
    "equal values": ([a, b], [b, b]),
    "one token": ([a], [b]),
    "numbers": ([sympy.sqrt(2), 0], [sympy.pi, 1]),
    "a quotient among the values": ([a, 0], [1 / (1 + b**2), 1]),
    "a sum in the exponent": ([a + b, a - b], [1, 2]),
}


@pytest.mark.parametrize(("scores", "values"), ROWS.values(), ids=ROWS)
def test_a_row_of_attention(scores: list[Any], values: list[Any]) -> None:
    ops = Symbolic(fmpq(1))
    exponentials = ops.exponentials([ops.scale(ops.number(sympy.sympify(s)), ops.root()) for s in scores])
    weights = ops.shares(exponentials, ops.total(exponentials))
    (output,) = ops.combine(weights, [[sympy.sympify(v)] for v in values])
    assert sympy.simplify(sympy.Add(*weights) - 1) == 0
    at = {a: sympy.Rational(3, 7), b: sympy.Rational(-5, 3)}
    with mpmath.workdps(40):
        powers = [mpmath.exp(mpmath.mpf(str(sympy.N(sympy.sympify(s).subs(at), 40)))) for s in scores]
        terms = [
            p * mpmath.mpf(str(sympy.N(sympy.sympify(v).subs(at), 40))) for p, v in zip(powers, values, strict=True)
        ]
        expected = mpmath.fsum(terms) / mpmath.fsum(powers)
        assert abs(mpmath.mpf(str(sympy.N(output.subs(at), 40))) - expected) < mpmath.mpf(10) ** -35


def test_products_are_expanded() -> None:
    product = Symbolic(fmpq(1)).multiply([[a + 1, b]], [[a - 1], [b]])
    assert product == ((a**2 - 1 + b**2,),)
    assert Symbolic(fmpq(1)).settle("scores", a) is a
