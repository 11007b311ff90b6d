"""The ball and the float arithmetic: proven enclosures, and what a machine would give.

Arrives: rationals or SymPy expressions without letters. Leaves: Arb balls, or NumPy floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from flint import arb, arb_mat, fmpq

from symattn.errors import OptionError
from symattn.numbers.arithmetic import Letter, Operations, Rows, added
from symattn.numbers.bounded import shown
from symattn.numbers.certified import enclosure, rational_of
from symattn.numbers.working import at_bits

if TYPE_CHECKING:
    import numpy as np
    import sympy


def nearest_float(value: fmpq) -> float:
    """The float64 nearest to a rational, ties to even; infinite where it is too large for one.

    >>> nearest_float(fmpq(1, 10))
    0.1
    """
    try:
        return int(value.p) / int(value.q)
    except OverflowError:
        return inf if value > 0 else -inf


def _numeric_d_k(d_k: Any, name: str) -> Any:
    if isinstance(d_k, Letter):
        raise OptionError(f"{d_k.name} is free, and the {name} arithmetic needs a number")
    return d_k


@dataclass(frozen=True, slots=True)
class Ball:
    """The choice of ball arithmetic with a working precision in bits."""

    bits: int = 128

    @property
    def name(self) -> str:
        """`ball`."""
        return "ball"

    def start(self, *, d_k: fmpq | sympy.Expr | Letter, rational: bool) -> Operations:  # noqa: ARG002
        """The operations for a d_k that is a number."""
        return Balls(_numeric_d_k(d_k, "ball"), self.bits)


@dataclass(frozen=True, slots=True)
class Balls:
    """The operations over Arb balls; each works at its own precision, whatever the caller's is."""

    d_k: Any
    bits: int

    def number(self, value: Any) -> arb:
        """A ball around an input."""
        return enclosure(value, self.bits)

    def multiply(self, left: Rows, right: Rows) -> Rows:
        """The matrix product."""
        with at_bits(self.bits):
            product = arb_mat([list(row) for row in left]) * arb_mat([list(row) for row in right])
            return tuple(map(tuple, product.table()))

    def root(self) -> arb:
        """√d_k."""
        with at_bits(self.bits):
            return self.number(self.d_k).sqrt()

    def scale(self, score: arb, root: arb) -> arb:
        """score/√d_k."""
        with at_bits(self.bits):
            return score / root

    def exponentials(self, row: Sequence[arb]) -> Sequence[arb]:
        """E to the power of each scaled score."""
        with at_bits(self.bits):
            return tuple(score.exp() for score in row)

    def total(self, row: Sequence[arb]) -> arb:
        """The row sum."""
        with at_bits(self.bits):
            return added(row)

    def shares(self, row: Sequence[arb], total: arb) -> Sequence[arb]:
        """The weights of a row."""
        with at_bits(self.bits):
            return tuple(part / total for part in row)

    def combine(self, weights: Sequence[arb], V: Rows) -> Sequence[arb]:
        """The weighted sum of the rows of V."""
        return self.multiply([weights], V)[0]

    def settle(self, kind: str, value: Any) -> Any:  # noqa: ARG002  (a ball carries its own error)
        """The ball itself."""
        return value


@dataclass(frozen=True, slots=True)
class Float:
    """The choice of floating point: what NumPy gives."""

    dtype: Literal["float64", "float32"] = "float64"

    @property
    def name(self) -> str:
        """`float`."""
        return "float"

    def start(self, *, d_k: fmpq | sympy.Expr | Letter, rational: bool) -> Operations:  # noqa: ARG002
        """The operations for a d_k that is a number."""
        return Floats(_numeric_d_k(d_k, "float"), self.dtype)


@dataclass(frozen=True, slots=True)
class Floats:
    """The operations over NumPy scalars."""

    d_k: Any
    dtype: str

    def _array(self, rows: Any) -> np.ndarray[Any, Any]:
        import numpy as np

        return np.asarray(rows, dtype=self.dtype)

    def number(self, value: Any) -> Any:
        """The nearest float to an input, by way of float64; one beyond the floats raises OptionError."""
        import numpy as np

        exact = rational_of(value)
        number = float(enclosure(value)) if exact is None else nearest_float(exact)
        if abs(number) > float(np.finfo(self.dtype).max):
            raise OptionError(f"{shown(value)} is beyond {self.dtype}")
        return self._array(number)[()]

    def multiply(self, left: Rows, right: Rows) -> Rows:
        """The matrix product as NumPy computes it."""
        return tuple(map(tuple, self._array(left) @ self._array(right)))

    def root(self) -> Any:
        """√d_k."""
        import numpy as np

        return np.sqrt(self.number(self.d_k))

    def scale(self, score: Any, root: Any) -> Any:
        """score/√d_k."""
        return score / root

    def exponentials(self, row: Sequence[Any]) -> Sequence[Any]:
        """E to the power of each scaled score less the row's largest, as every library computes it."""
        import numpy as np

        scores = self._array(row)
        return tuple(np.exp(scores - scores.max()))

    def total(self, row: Sequence[Any]) -> Any:
        """The row sum."""
        return self._array(row).sum()

    def shares(self, row: Sequence[Any], total: Any) -> Sequence[Any]:
        """The weights of a row."""
        return tuple(self._array(row) / total)

    def combine(self, weights: Sequence[Any], V: Rows) -> Sequence[Any]:
        """The weighted sum of the rows of V."""
        return tuple(self._array(weights) @ self._array(V))

    def settle(self, kind: str, value: Any) -> Any:  # noqa: ARG002  (every operation has rounded already)
        """The float itself."""
        return value
