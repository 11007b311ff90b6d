"""Where exponential sums of 1/√d_k change sign, with a bound on the work, and the d_k that belong to roots.

Arrives: balances and sets of roots r = √d_k. Leaves: their zeros with the signs between them, or why they were not
searched; d_k as r², and the whole numbers among them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from flint import arb, fmpq, fmpz

from symattn.comparison.crossings import Balance, Crossing, Point, decided
from symattn.comparison.safe_roots import RootSet
from symattn.errors import UndecidedError
from symattn.numbers.certified import Precision, enclosure
from symattn.numbers.working import at_bits

MAX_WORK: Final = 1 << 23
"""The sum of the squares of the degrees of all polynomials that one `Searches` looks for roots of."""

Signs = tuple[tuple[Crossing, ...], tuple[int, ...]]
"""Every root at which a balance is 0, and its sign before, between and after them."""

Range = tuple[int, int | None]
"""Whole numbers from the first to the second, both among them; None for no end."""


@dataclass(frozen=True, slots=True)
class Squared:
    """The d_k whose root a point is.

    >>> Squared(fmpq(3, 2)).rational
    9/4
    """

    root: Point

    @property
    def rational(self) -> fmpq | None:
        """The rational value; None for a crossing, which is transcendental, and so is its square."""
        return self.root**2 if isinstance(self.root, fmpq) else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the value."""
        return enclosure(self.root, precision.bits) ** 2  # at the working precision of the caller


class Searches:
    """Searches for signs that are made once each, as long as the work stays within a bound.

    >>> found = Searches().signs(Balance.of([(fmpq(3), fmpq(29)), (fmpq(0), fmpq(-171))]))
    >>> [point.closed for point in found[0]], found[1]
    ([(3, 171/29)], (1, -1))
    """

    def __init__(self, max_work: int = MAX_WORK) -> None:
        self._left = max_work
        self._max = max_work
        self._known: dict[str, Signs] = {}

    def spend(self, degree: int) -> None:
        """Nothing; raises UndecidedError once more work was asked for than the bound allows."""
        if degree**2 > self._left:
            raise UndecidedError(f"more than {self._max} steps of root finding are not made")
        self._left -= degree**2

    def signs(self, balance: Balance) -> Signs:
        """`Balance.signs`, within the bound.

        Raises: UndecidedError where the polynomial is of too high a degree or the bound on the work is reached.
        """
        if not balance.terms or balance.one_sign() != 0:
            return balance.signs()
        lead = next(reversed(balance.terms.values()))
        # complementary weights, and columns that are multiples of one another, share a search
        primitive = [(s, c / lead) for s, c in balance.terms.items()]
        key = str(primitive)  # cheaper than to hash every fmpq
        found = self._known.get(key)
        if found is None:
            self.spend(balance.degree)
            found = self._known[key] = Balance(dict(primitive)).signs()
        points, signs = found
        return points, signs if lead > 0 else tuple(-sign for sign in signs)


def whole_d_ks(roots: RootSet) -> tuple[Range, ...]:
    """Every whole d_k ≥ 1 whose root is in the set, as ranges that do not touch.

    >>> from symattn.comparison.safe_roots import ScaledScore, safe_roots
    >>> from symattn.numbers.rounding import Digits, Mode
    >>> whole_d_ks(safe_roots(ScaledScore(fmpq(6)), Digits(20, 1), Mode.TRUNCATE))  # 2.0 ≤ 6/√d_k < 2.1
    ((9, 9),)
    """
    found: list[Range] = []
    for interval in roots.sets:
        low = 1 if interval.low is None else _least(interval.low, closed=interval.low_closed)
        high = None if interval.high is None else _greatest(interval.high, closed=interval.high_closed)
        if high is not None and high < low:
            continue
        if found and found[-1][1] is not None and found[-1][1] + 1 >= low:  # no whole number lies in the gap
            low = found.pop()[0]
        found.append((low, high))
    return tuple(found)


def _least(root: Point, *, closed: bool) -> int:
    if isinstance(root, fmpq):
        d_k = root**2
        return max(1, int(d_k.ceil()) if closed else int(d_k.floor()) + 1)
    return max(1, int(_floor(root)) + 1)


def _greatest(root: Point, *, closed: bool) -> int:
    if isinstance(root, fmpq):
        d_k = root**2
        return int(d_k.floor()) if closed else int(d_k.ceil()) - 1
    return int(_floor(root))


def _floor(root: Crossing) -> fmpz:
    """The whole number below r², which is transcendental and so never whole."""

    def attempt(bits: int) -> fmpz | None:
        with at_bits(bits):
            return enclosure(Squared(root), bits).floor().unique_fmpz()

    return decided(attempt, "the square of a root could not be told from a whole number")


def whole(ranges: Iterable[Range], d_k: int) -> bool:
    """Whether a whole number is in one of the ranges.

    >>> whole([(2, 3), (7, None)], 9), whole([(2, 3), (7, None)], 4)
    (True, False)
    """
    return any(low <= d_k and (high is None or d_k <= high) for low, high in ranges)
