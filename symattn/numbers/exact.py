"""The exact arithmetic: exponential sums for rational input, SymPy for letters and roots.

Arrives: rationals or SymPy expressions. Leaves: fmpq, `Scaled`, `ExpSum`, `ExpQuotient`; or SymPy expressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq, fmpq_mat

from symattn.numbers.arithmetic import Letter, Operations, Rows
from symattn.numbers.certified import Precision
from symattn.numbers.expsum import ONE, ZERO, Divisor, ExactValue, ExpQuotient, ExpSum, Key, Scale, Scaled

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True, slots=True)
class Exact:
    """Exact results. With `free_d_k`, d_k stays a letter even where the spec gives it a number.

    >>> Exact().name, Exact(free_d_k=True).name
    ('exact', 'free-dk')
    """

    free_d_k: bool = False

    @property
    def name(self) -> str:
        """`exact` or `free-dk`."""
        return "free-dk" if self.free_d_k else "exact"

    def start(self, *, d_k: fmpq | sympy.Expr | Letter, rational: bool) -> Operations:
        """Exponential sums where everything is rational, SymPy expressions otherwise."""
        if self.free_d_k and not isinstance(d_k, Letter):
            d_k = Letter()
        if rational and isinstance(d_k, (fmpq, Letter)):
            return Exponentials(Scale(None, d_k.name) if isinstance(d_k, Letter) else Scale(d_k))
        from symattn.numbers.symbolic import Symbolic

        return Symbolic(d_k)


@dataclass(frozen=True, slots=True)
class SquareRoot:
    """√d_k as an exact number."""

    scale: Scale

    @property
    def rational(self) -> fmpq | None:
        """The rational value where d_k is the square of one."""
        return 1 / self.scale.factor if self.scale.radicand == 1 else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the value."""
        return 1 / self.scale.exponent(Key(ONE, ZERO), precision) if self.rational is None else arb(self.rational)

    def to_sympy(self) -> sympy.Expr:
        """The value as a SymPy expression."""
        return self.scale.sympy_root()


@dataclass(frozen=True, slots=True)
class Exponentials:
    """The exact arithmetic over exponential sums."""

    d_k_scale: Scale

    def number(self, value: fmpq) -> fmpq:
        """A rational is its own exact number."""
        return value

    def multiply(self, left: Rows, right: Rows) -> Rows:
        """The matrix product over the rationals."""
        product = rational_matrix(left) * rational_matrix(right)
        return tuple(map(tuple, product.table()))

    def root(self) -> SquareRoot:
        """√d_k."""
        return SquareRoot(self.d_k_scale)

    def scale(self, score: fmpq, root: SquareRoot) -> Scaled:
        """score/√d_k."""
        return Scaled.of(score, ZERO, root.scale)

    def exponentials(self, row: Sequence[Scaled]) -> Sequence[ExpSum]:
        """One exponential for each scaled score."""
        return tuple(ExpSum({score.key: ONE}, score.scale) for score in row)

    def total(self, row: Sequence[ExpSum]) -> ExpSum:
        """The row sum."""
        return ExpSum.collect((item for part in row for item in part.terms.items()), self.d_k_scale)

    def shares(self, row: Sequence[ExpSum], total: ExpSum) -> Sequence[ExactValue]:
        """The weights of a row; they share their denominator."""
        divisor = Divisor(total)
        return tuple(divisor.divide(part) for part in row)

    def combine(self, weights: Sequence[ExactValue], V: Rows) -> Sequence[ExactValue]:
        """The weighted sum of the rows of V.

        A row's weights are all rational or all quotients over one denominator, so keys are first summed over equal
        exponents, by one matrix product, and divided once for each column.
        """
        first = weights[0]
        if not isinstance(first, ExpQuotient):
            row = rational_matrix([weights]) * rational_matrix(V)
            return tuple(row.table()[0])
        keys: dict[Key, int] = {}
        places: list[tuple[int, fmpq]] = []
        for weight in weights:
            assert isinstance(weight, ExpQuotient)  # noqa: S101  (see above: one irrational weight, all irrational)
            ((key, c),) = weight.num.terms.items()
            places.append((keys.setdefault(key, len(keys)), c))
        grouping = fmpq_mat(len(keys), len(weights))
        for column, (place, c) in enumerate(places):
            grouping[place, column] = c
        sums = (grouping * rational_matrix(V)).table()
        divisor = Divisor(fmpq(first.factor) * first.den)
        return tuple(
            divisor.divide({key: c for key, c in zip(keys, column, strict=True) if c != 0})
            for column in zip(*sums, strict=True)
        )

    def settle(self, kind: str, value: Any) -> Any:  # noqa: ARG002  (exact quantities are kept as they are)
        """The value itself."""
        return value


def rational_matrix(rows: Rows) -> fmpq_mat:
    """Rows of rationals as a FLINT matrix."""
    return fmpq_mat(len(rows), len(rows[0]), [entry for row in rows for entry in row])
