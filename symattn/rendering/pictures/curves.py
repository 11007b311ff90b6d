"""Curves: exact numbers over a free d_k, as coordinates.

Arrives: numbers over a free d_k, and rationals t in the place of 1/√d_k. Leaves: floats, each proven to be within an
ulp of the number: balls are refined until they are narrower than a float. A root r in the place of √d_k is t = 1/r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from flint import arb, fmpq

from symattn.errors import UndecidedError
from symattn.numbers.certified import MAX_BITS, Enclosable, Precision, enclosure, rational_of
from symattn.numbers.expsum import ZERO, ExpQuotient, ExpSum
from symattn.numbers.machine import nearest_float
from symattn.numbers.working import at_bits

FLOAT_BITS: Final = 53


@dataclass(frozen=True, eq=False, slots=True)
class At:
    """A number over a free d_k with a rational t in the place of 1/√d_k, less an exact number.

    >>> from symattn.numbers.expsum import Scale, exponential, quotient
    >>> e3, one = exponential(fmpq(3), scale=Scale()), exponential(fmpq(0), scale=Scale())
    >>> nearest(At(quotient(one, e3 + one), fmpq(1, 2)))
    0.18242552380635635
    """

    number: Any
    t: fmpq
    less: Any = ZERO

    @property
    def rational(self) -> fmpq | None:
        """The exact value where both parts are rational, or where t is the very 1/√d_k of `less`."""
        a, b = rational_of(self.number), rational_of(self.less)
        if a is not None and b is not None:
            return a - b
        if isinstance(self.less, ExpQuotient) and self.less.scale.d_k is not None:
            return fmpq(0) if self.t * self.t * self.less.scale.d_k == 1 else None
        return None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the difference."""
        if isinstance(self.less, fmpq):
            return self._ball(precision) - self.less
        return self._ball(precision) - precision.once(self.less, lambda: enclosure(self.less, precision.bits))

    def _ball(self, precision: Precision) -> arb:
        if not isinstance(self.number, ExpQuotient):
            return arb(self.number)
        known = precision.table(("1/√d_k is", self.t))

        def total(terms: ExpSum) -> arb:
            out = arb(0)
            for key, c in terms.terms.items():
                power = known.get(key)
                if power is None:
                    power = known[key] = arb(key[0] * self.t + key[1]).exp()
                out += power * c
            return out

        return total(self.number.num) / (total(self.number.den) * self.number.factor)


def nearest(number: Any, kept: dict[int, Precision] | None = None) -> float:
    """A float within an ulp of an exact number.

    Raises: UndecidedError beyond the bound on the precision.

    >>> nearest(fmpq(1, 3))
    0.3333333333333333
    """
    value = rational_of(number)
    if value is not None:
        return nearest_float(value)
    precisions: dict[int, Precision] = {} if kept is None else kept
    bits = 2 * FLOAT_BITS
    while bits <= MAX_BITS:
        precision = precisions.setdefault(bits, Precision(bits))
        with at_bits(bits):
            ball = cast("Enclosable", number).enclose(precision)
            if ball.rel_accuracy_bits() > FLOAT_BITS:
                return float(ball)
        bits *= 2
    raise UndecidedError(f"a coordinate could not be told with {MAX_BITS} bits")


def curve(numbers: Sequence[Any], ts: Sequence[fmpq], less: Sequence[Any] = ()) -> tuple[tuple[float, ...], ...]:
    """The heights of each number at each t in the place of 1/√d_k, less the exact numbers of `less` where given.

    >>> curve([fmpq(1, 2)], [fmpq(1), fmpq(2)], [fmpq(1, 4)])
    ((0.25, 0.25),)
    """
    away = less or [fmpq(0)] * len(numbers)
    heights: list[list[float]] = [[] for _ in numbers]
    kept: dict[int, Precision] = {}
    for t in ts:
        for out, number, exact in zip(heights, numbers, away, strict=True):
            out.append(nearest(At(number, t, exact), kept))
    return tuple(map(tuple, heights))
