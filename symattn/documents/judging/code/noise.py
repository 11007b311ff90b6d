"""How far a number of a machine may be from the exact one: floats overflow, and differences keep their noise.

Arrives: expressions of a program and the values in them. Leaves: bounds, as rationals.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from fractions import Fraction
from math import isfinite
from typing import Final

from flint import arb, fmpq

from symattn.documents.reading.scalars import Infinite, Scalar
from symattn.numbers.certified import enclosure, exact_end

LARGEST: Final = 1 << 1024
"""What is larger overflows to ∞ in double precision, and below in single, but for a rounding."""
LARGEST_SINGLE: Final = 1 << 128
_JUST_BELOW: Final = fmpq(999_999, 1_000_000)


def added(expression: ast.expr, values: Iterable[Scalar]) -> fmpq:
    """How large the numbers are that an expression adds or takes away, at most; 1 where it does neither.

    `values` are the entries of its names.

    >>> added(ast.parse("2.5 * x - 60", mode="eval").body, [fmpq(24)]), added(ast.parse("x * 3", mode="eval").body, [])
    (3600, 1)
    """
    nodes = list(ast.walk(expression))
    operations = {type(node.op) for node in nodes if isinstance(node, ast.BinOp)}
    if not operations & {ast.Add, ast.Sub}:
        return fmpq(1)
    sizes = [fmpq(1)]
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and isfinite(node.value):
            exact = Fraction(repr(float(node.value)))
            sizes.append(fmpq(abs(exact.numerator), exact.denominator))
    finite = [value for value in values if not isinstance(value, Infinite)]
    sizes += [exact_end(abs(enclosure(value, 64)).upper()) for value in finite]
    most = max(sizes)
    return most * most if operations & {ast.Mult, ast.MatMult, ast.Pow} else most


def overflows(value: Scalar, *, single: bool) -> bool:
    """Whether a finite number is too large for a float.

    >>> overflows(fmpq(10) ** 39, single=True), overflows(fmpq(10) ** 39, single=False)
    (True, False)
    """
    if isinstance(value, Infinite):
        return False
    return bool(abs(enclosure(value, 64)) > arb((LARGEST_SINGLE if single else LARGEST) * _JUST_BELOW))
