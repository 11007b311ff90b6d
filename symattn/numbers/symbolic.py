"""The exact arithmetic over SymPy expressions, for letters, roots and π in the input.

Arrives: SymPy expressions made by the reader. Leaves: SymPy expressions, and balls around those without letters.
What SymPy cannot decide stays undecided; a ball can still refute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Any

import sympy
from flint import arb, fmpq

from symattn.errors import UndecidedError
from symattn.numbers.arithmetic import Letter, Rows, added, dot, transpose
from symattn.numbers.bounded import as_sympy
from symattn.numbers.certified import Precision, enclosure, rational_of
from symattn.numbers.working import at_bits


def to_sympy(number: Any) -> sympy.Expr:
    """A number of any arithmetic as a SymPy expression.

    A ball that is no single number becomes a SymPy float with the digits that it is sure of.
    Raises: UndecidedError for a ball without bounds.

    >>> to_sympy(fmpq(1, 3)), to_sympy(arb(1) / 3)
    (1/3, 0.333333333333333)
    """
    if isinstance(number, arb):
        value = rational_of(number)
        if value is not None:
            return as_sympy(value)
        if not number.is_finite():
            raise UndecidedError("a ball without bounds has no value")
        digits = max(1, int(number.rel_accuracy_bits() * 0.30103))
        return sympy.Float(number.mid().str(digits + 5, radius=False), digits)
    return number.to_sympy() if hasattr(number, "to_sympy") else as_sympy(number)


@dataclass(frozen=True, slots=True)
class SymbolicNumber:
    """A SymPy expression that can be enclosed.

    >>> SymbolicNumber(sympy.sqrt(2)).enclose(Precision(53)).contains(arb(2).sqrt())
    True
    """

    expr: sympy.Expr

    @property
    def rational(self) -> fmpq | None:
        """The rational value where SymPy shows one."""
        if self.expr.is_Rational:
            return fmpq(int(self.expr.p), int(self.expr.q))
        return None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the value; a free letter raises UndecidedError."""
        with at_bits(precision.bits):
            return ball_of(self.expr)


def ball_of(expr: sympy.Expr, at: Mapping[Any, arb] | None = None) -> arb:
    """A ball around an expression at the working precision, its letters standing where `at` puts them.

    Raises: UndecidedError for a letter without a place and for an operation that has no ball.

    >>> ball_of(sympy.Symbol("x") ** 2, {sympy.Symbol("x"): arb(3)}) == 9
    True
    """
    made: dict[Any, arb] = dict(at or {})  # parts that an expression shares are enclosed once

    def enclose(part: sympy.Expr) -> arb:
        if part not in made:
            if part.is_Rational:
                made[part] = arb(fmpq(int(part.p), int(part.q)))
            elif part.is_Symbol:
                raise UndecidedError(f"{part.name} is free", hint="Give it a number to get decimals.")
            elif part.func not in _ENCLOSURES:
                raise UndecidedError(f"no ball for a SymPy {type(part).__name__}")
            else:
                made[part] = _ENCLOSURES[part.func](*map(enclose, part.args))
        return made[part]

    return enclose(expr)


def _product(*parts: arb) -> arb:
    return reduce(mul, parts)


def _power(base: arb, exponent: arb) -> arb:
    if exponent.is_exact() and (2 * exponent).is_integer():
        return base**exponent if exponent.is_integer() else base.sqrt() ** (2 * exponent)
    return base**exponent


_ENCLOSURES: dict[Any, Callable[..., arb]] = {
    sympy.Add: lambda *parts: added(parts),
    sympy.Mul: _product,
    sympy.Pow: _power,
    sympy.exp: lambda exponent: exponent.exp(),
    sympy.log: lambda inner: inner.log(),
    sympy.Abs: abs,
    type(sympy.pi): arb.pi,
    type(sympy.E): arb.const_e,
}


@dataclass(frozen=True, slots=True)
class Symbolic:
    """The operations over SymPy expressions."""

    d_k: Any

    def number(self, value: Any) -> sympy.Expr:
        """An input value as a SymPy expression."""
        return to_sympy(value)

    def multiply(self, left: Rows, right: Rows) -> Rows:
        """The matrix product, expanded."""
        columns = transpose(right)
        return tuple(tuple(sympy.expand(dot(row, column)) for column in columns) for row in left)

    def root(self) -> sympy.Expr:
        """√d_k."""
        return sympy.sqrt(self.d_k.to_sympy() if isinstance(self.d_k, Letter) else to_sympy(self.d_k))

    def scale(self, score: sympy.Expr, root: sympy.Expr) -> sympy.Expr:
        """score/√d_k."""
        return sympy.expand_mul(score / root)

    def exponentials(self, row: Sequence[sympy.Expr]) -> Sequence[sympy.Expr]:
        """E to the power of each scaled score."""
        return tuple(sympy.exp(score) for score in row)

    def total(self, row: Sequence[sympy.Expr]) -> sympy.Expr:
        """The row sum."""
        return sympy.Add(*row)

    def shares(self, row: Sequence[sympy.Expr], total: sympy.Expr) -> Sequence[sympy.Expr]:
        """The weights of a row."""
        if all(part == row[0] for part in row):
            return (sympy.Rational(1, len(row)),) * len(row)
        return tuple(part / total for part in row)

    def combine(self, weights: Sequence[sympy.Expr], V: Rows) -> Sequence[sympy.Expr]:
        """The weighted sum of the rows of V, over the common denominator."""
        below = _common_denominator(weights)
        return tuple(
            sympy.Add(*(weight * below * v for weight, v in zip(weights, column, strict=True))) / below
            for column in transpose(V)
        )

    def settle(self, kind: str, value: Any) -> Any:  # noqa: ARG002  (exact quantities are kept as they are)
        """The value itself."""
        return value


def _common_denominator(weights: Sequence[sympy.Expr]) -> sympy.Expr:
    """The row sum that the weights of a row were divided by, 1 where there is none."""
    for weight in weights:
        for factor in sympy.Mul.make_args(weight):
            if factor.is_Pow and factor.exp == -1 and factor.base.is_Add:
                return factor.base
    return sympy.Integer(1)


def differ(a: Any, b: Any) -> bool | None:
    """Whether two expressions differ: False when proven equal, True when proven different, None when undecided.

    With letters, "different" means not equal for all values of the letters.

    >>> x = sympy.Symbol("x", real=True)
    >>> differ(sympy.sqrt(8), 2 * sympy.sqrt(2)), differ(sympy.pi, fmpq(22, 7)), differ(x + x, 3 * x)
    (False, True, True)
    """
    gap = sympy.expand(to_sympy(a) - to_sympy(b))
    if gap == 0:
        return False
    if gap.is_Rational:
        return True
    if not gap.free_symbols:
        return True if _proven_nonzero(gap) else None
    if not gap.is_polynomial(*gap.free_symbols):
        return None
    coefficients = sympy.Poly(gap, *gap.free_symbols).coeffs()
    return True if any(map(_proven_nonzero, coefficients)) else None


def _proven_nonzero(number: sympy.Expr) -> bool:
    try:
        return not enclosure(number, 256).contains(0)
    except UndecidedError:
        return False
