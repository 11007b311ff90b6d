"""What an arithmetic must offer for the attention pipeline to run over it.

Arrives: a choice (`Exact()`, `Written(policy)`, `Ball()`, `Float()`) and a d_k. Leaves: operations on scalars and rows.
The pipeline is written once; it tells the arithmetic which kind of quantity it has just made, and the arithmetic
settles it: exactly, rounded by a policy, as a ball or as a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from flint import fmpq

if TYPE_CHECKING:
    import sympy

T = TypeVar("T")
Input = Any  # fmpq, or a SymPy expression where letters, roots or π stand in the input
Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Letter:
    """A d_k that stays free, under its own name."""

    name: str = "d_k"

    def to_sympy(self) -> sympy.Symbol:
        """The positive symbol."""
        import sympy

        return sympy.Symbol(self.name, positive=True)


class Operations(Protocol):
    """One arithmetic at work, bound to a d_k."""

    def number(self, value: Input) -> Any:
        """An input value as a number of this arithmetic."""

    def multiply(self, left: Rows, right: Rows) -> Rows:
        """The matrix product, shapes (n, m) and (m, k) -> (n, k)."""

    def root(self) -> Any:
        """√d_k."""

    def scale(self, score: Any, root: Any) -> Any:
        """A score divided by the root."""

    def exponentials(self, row: Sequence[Any]) -> Sequence[Any]:
        """E to the power of each scaled score of a row."""

    def total(self, row: Sequence[Any]) -> Any:
        """The sum of a row's exponentials."""

    def shares(self, row: Sequence[Any], total: Any) -> Sequence[Any]:
        """Each exponential divided by the row sum."""

    def combine(self, weights: Sequence[Any], V: Rows) -> Sequence[Any]:
        """The rows of V weighted and added, shapes (n,) and (n, d_v) -> (d_v,)."""

    def settle(self, kind: str, value: Any) -> Any:
        """A quantity of the named kind as this arithmetic keeps it."""


class Arithmetic(Protocol):
    """A choice of arithmetic."""

    @property
    def name(self) -> str:
        """One word: exact, free-dk, as-written, ball, float."""

    def start(self, *, d_k: fmpq | sympy.Expr | Letter, rational: bool) -> Operations:
        """The operations for a d_k; `rational` says whether every input value is rational."""


def transpose(rows: Rows) -> Rows:
    """The transposed matrix, shapes (n, m) -> (m, n).

    >>> transpose([[1, 2], [3, 4]])
    ((1, 3), (2, 4))
    """
    return tuple(zip(*rows, strict=True))


def dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """The sum of products of two rows of equal length, at least one entry each.

    >>> dot([1, 2], [3, 4])
    11
    """
    return added([a * b for a, b in zip(left, right, strict=True)])


def added(values: Sequence[T]) -> T:
    """The sum of at least one value, without a zero of another type in it.

    >>> added([fmpq(1, 2), fmpq(1, 3)])
    5/6
    """
    return reduce(add, values)
