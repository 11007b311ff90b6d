"""The written arithmetic where letters stand in the input: numbers are written down, what has a letter stays symbolic.

Arrives: rationals and SymPy expressions, and the hand that rounds. Leaves: `WrittenNumber`s, and SymPy expressions with
letters in which every number has been rounded on the way: 0.85·a + 0.15·b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from symattn.numbers.arithmetic import Rows, transpose
from symattn.numbers.certified import rational_of
from symattn.numbers.symbolic import Symbolic, to_sympy
from symattn.numbers.written import Hand, WrittenNumber


def has_letters(number: Any) -> bool:
    """Whether a number of any arithmetic is an expression with free letters.

    >>> from flint import fmpq
    >>> has_letters(sympy.Symbol("a") + 1), has_letters(sympy.sqrt(2)), has_letters(fmpq(1))
    (True, False, False)
    """
    return bool(getattr(number, "free_symbols", None))


@dataclass(frozen=True, slots=True)
class LetteredHand:
    """The operations of a hand that meets letters."""

    hand: Hand
    exact: Symbolic

    def number(self, value: Any) -> Any:
        """An input: written down, or as it is where it has letters."""
        return self.settle("inputs", value)

    def multiply(self, left: Rows, right: Rows) -> Rows:
        """The matrix product of what is written, without rounding."""
        product = self.exact.multiply(_expressions(left), _expressions(right))
        return tuple(tuple(map(_plain, row)) for row in product)

    def root(self) -> Any:
        """√d_k before it is rounded."""
        return self.hand.root()

    def scale(self, score: Any, root: WrittenNumber) -> Any:
        """The score over the written root."""
        if isinstance(score, WrittenNumber):
            return self.hand.scale(score, root)
        return score / to_sympy(root)

    def exponentials(self, row: Sequence[Any]) -> Sequence[Any]:
        """E to the power of each scaled score."""
        return tuple(
            self.hand.exponentials([score])[0] if isinstance(score, WrittenNumber) else sympy.exp(score)
            for score in row
        )

    def total(self, row: Sequence[Any]) -> Any:
        """The row sum."""
        return self.hand.total(row) if _numbers(row) else self.exact.total([to_sympy(part) for part in row])

    def shares(self, row: Sequence[Any], total: Any) -> Sequence[Any]:
        """Each exponential over the row sum."""
        if _numbers([*row, total]):
            return self.hand.shares(row, total)
        return self.exact.shares([to_sympy(part) for part in row], to_sympy(total))

    def combine(self, weights: Sequence[Any], V: Rows) -> Sequence[Any]:
        """The weighted sum of the rows of V."""
        out = []
        for column in transpose(V):
            if _numbers([*weights, *column]):
                out.append(self.hand.combine(weights, [[v] for v in column])[0])
            else:
                terms = (to_sympy(weight) * to_sympy(v) for weight, v in zip(weights, column, strict=True))
                out.append(_plain(sympy.Add(*terms)))
        return tuple(out)

    def settle(self, kind: str, value: Any) -> Any:
        """A number written down by the rule of its kind; an expression with letters as it is."""
        return (
            value if has_letters(value) and self.hand.policy.rule(kind).value is None else self.hand.settle(kind, value)
        )


def _numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, WrittenNumber) for value in values)


def _expressions(rows: Rows) -> Rows:
    return [[to_sympy(entry) for entry in row] for row in rows]


def _plain(expr: Any) -> Any:
    """The rational that an expression is, or the expression."""
    if has_letters(expr):
        return expr
    value = rational_of(expr)
    return expr if value is None else value
