r"""How far one may round √d_k: the exact set of roots r for which a result keeps its written digits.

Arrives: what a quantity is as a function of the root, and a written decimal. Leaves: intervals whose ends are exact.
With nothing else rounded, a scaled score is s/r, an exponential e^(s/r), a row sum Σ e^(s/r), a weight or an output
Σ v·e^(s/r) / Σ e^(s/r); each reaches a bound at finitely many roots, all of which are found.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Protocol

from flint import fmpq

from symattn.comparison.crossings import Balance, Point, between, in_order, order
from symattn.numbers.rounding import Digits, Mode, power_of_ten


class OfRoot(Protocol):
    """A quantity f(r) of the root r > 0, with nothing rounded but the root."""

    def crossings(self, bound: fmpq) -> Sequence[Point]:
        """Every root r at which f reaches the bound and is not constant."""

    def side(self, root: fmpq, bound: fmpq) -> int:
        """The sign of f(root) − bound."""


@dataclass(frozen=True, slots=True)
class Itself:
    """f(r) = r."""

    def crossings(self, bound: fmpq) -> Sequence[Point]:
        """The bound, where it is positive."""
        return [bound] if bound > 0 else []

    def side(self, root: fmpq, bound: fmpq) -> int:
        """The sign of root − bound."""
        return order(root, bound)


@dataclass(frozen=True, slots=True)
class ScaledScore:
    """f(r) = s/r."""

    score: fmpq

    def crossings(self, bound: fmpq) -> Sequence[Point]:
        """s/bound, where it is positive."""
        return [self.score / bound] if bound != 0 and self.score / bound > 0 else []

    def side(self, root: fmpq, bound: fmpq) -> int:
        """The sign of s/root − bound."""
        return order(self.score / root, bound)


@dataclass(frozen=True, slots=True)
class Total:
    """f(r) = Σ e^(s/r): an exponential where there is one score, a row sum where there are more."""

    scores: tuple[fmpq, ...]

    def _balance(self, bound: fmpq) -> Balance:
        return Balance.of([*((s, fmpq(1)) for s in self.scores), (fmpq(0), -bound)])

    def crossings(self, bound: fmpq) -> Sequence[Point]:
        """Every root r at which the sum is the bound."""
        return self._balance(bound).crossings()

    def side(self, root: fmpq, bound: fmpq) -> int:
        """The sign of f(root) − bound."""
        return self._balance(bound).sign(root)


@dataclass(frozen=True, slots=True)
class Weighted:
    """f(r) = Σ v·e^(s/r) / Σ e^(s/r): an output, or a weight where one v is 1 and the others are 0."""

    scores: tuple[fmpq, ...]
    values: tuple[fmpq, ...]

    def _balance(self, bound: fmpq) -> Balance:
        return Balance.of((s, v - bound) for s, v in zip(self.scores, self.values, strict=True))

    def crossings(self, bound: fmpq) -> Sequence[Point]:
        """Every root r at which f is the bound."""
        return self._balance(bound).crossings()

    def side(self, root: fmpq, bound: fmpq) -> int:
        """The sign of f(root) − bound."""
        return self._balance(bound).sign(root)


@dataclass(frozen=True, slots=True)
class Interval:
    """A set of roots between two ends; a `low` of None is 0, a `high` of None is infinity, both never reached."""

    low: Point | None
    high: Point | None
    low_closed: bool
    high_closed: bool

    def side(self, root: Point) -> int:
        """-1, 0 or 1 as a root lies below the interval, inside or above it."""
        above = 1 if self.low is None else order(root, self.low)
        if above < 0 or (above == 0 and not self.low_closed):
            return -1
        below = -1 if self.high is None else order(root, self.high)
        return 0 if below < 0 or (below == 0 and self.high_closed) else 1

    def contains(self, root: Point) -> bool:
        """Whether a root is inside."""
        return self.side(root) == 0


@dataclass(frozen=True, slots=True)
class RootSet:
    """A set of roots, as intervals by growing root."""

    sets: tuple[Interval, ...]

    def contains(self, root: Point) -> bool:
        """Whether the root is inside."""
        return any(interval.contains(root) for interval in self.sets)

    def simplest(self) -> fmpq | None:
        """The fraction of least denominator, then least numerator, inside; None where there is none."""
        found = [q for q in map(simplest_between, self.sets) if q is not None]
        return min(found, key=lambda q: (q.q, q.p)) if found else None


def all_roots() -> RootSet:
    """The set of every root r > 0.

    >>> all_roots().simplest()
    1
    """
    return RootSet((Interval(None, None, low_closed=False, high_closed=False),))


@dataclass(frozen=True, slots=True)
class SafeRoots(RootSet):
    """The roots that keep one written result: the digits, the mode, and the intervals by growing root."""

    written: Digits
    mode: Mode


def safe_roots(quantity: OfRoot, written: Digits, mode: Mode) -> SafeRoots:
    """The roots r > 0 for which a quantity, otherwise exact, is written with these digits.

    Raises: UndecidedError where the polynomial of a crossing is of too high a degree.

    >>> weight = Weighted((fmpq(3), fmpq(0)), (fmpq(1), fmpq(0)))
    >>> found = safe_roots(weight, Digits(85, 2), Mode.HALF_UP)
    >>> found.contains(fmpq(17, 10)), found.sets[0].low.closed, found.sets[0].high.closed
    (True, (3, 171/29), (3, 169/31))
    >>> [scaled] = safe_roots(ScaledScore(fmpq(3)), Digits(176, 2), Mode.TRUNCATE).sets
    >>> scaled.low, scaled.high, scaled.low_closed, scaled.high_closed
    (100/59, 75/44, False, True)
    """
    low, high, low_closed, high_closed = bounds(written, mode)

    def inside(root: fmpq) -> bool:
        under, over = quantity.side(root, low), quantity.side(root, high)
        return (under > 0 or (under == 0 and low_closed)) and (over < 0 or (over == 0 and high_closed))

    ends: list[tuple[Point, bool]] = [(point, low_closed) for point in quantity.crossings(low)]
    ends += [(point, high_closed) for point in quantity.crossings(high)]  # f is never at both bounds
    ends.sort(key=cmp_to_key(_by_point))
    return SafeRoots(_intervals(ends, inside), written, mode)


def _by_point(a: tuple[Point, bool], b: tuple[Point, bool]) -> int:
    return order(a[0], b[0])


def together(sets: Iterable[RootSet]) -> RootSet:
    """The roots that are in every one of the sets.

    >>> weight = Weighted((fmpq(3), fmpq(0)), (fmpq(1), fmpq(0)))
    >>> output = Weighted((fmpq(3), fmpq(0)), (fmpq(2), fmpq(5)))
    >>> both = together(
    ...     [safe_roots(weight, Digits(85, 2), Mode.HALF_UP), safe_roots(output, Digits(245, 2), Mode.HALF_UP)]
    ... )
    >>> [(interval.low.closed, interval.high.closed) for interval in both.sets]
    [((3, 511/89), (3, 509/91))]
    """
    kept = tuple(sets)
    ends = in_order(
        end for one in kept for interval in one.sets for end in (interval.low, interval.high) if end is not None
    )

    def inside(root: Point) -> bool:
        return all(one.contains(root) for one in kept)

    return RootSet(_intervals([(end, inside(end)) for end in ends], inside))


def _intervals(ends: Sequence[tuple[Point, bool]], inside: Callable[[fmpq], bool]) -> tuple[Interval, ...]:
    """The set that changes only at the ends: each end is given with whether it is in the set."""
    edges: list[tuple[Point | None, bool]] = [(None, False), *ends, (None, False)]
    sets: list[Interval] = []
    opened: tuple[Point | None, bool] | None = None  # where the run of inside points began, and if with its end
    for (left, _), (right, included) in itertools.pairwise(edges):
        # between neighbouring ends nothing changes: one sample decides
        if inside(between(left, right)):
            opened = opened or (left, False)
        elif opened is not None:
            sets.append(Interval(opened[0], left, opened[1], high_closed=True))
            opened = None
        if right is not None and included:
            opened = opened or (right, True)
        elif opened is not None:
            sets.append(Interval(opened[0], right, opened[1], high_closed=False))
            opened = None
    return tuple(sets)


def simplest_between(interval: Interval) -> fmpq | None:
    """The fraction with the least denominator inside, found by a walk down the Stern-Brocot tree.

    None for a single irrational point.

    >>> output = Weighted((fmpq(3), fmpq(0)), (fmpq(2), fmpq(5)))
    >>> simplest_between(safe_roots(output, Digits(245, 2), Mode.HALF_UP).sets[0])
    19/11
    """
    if interval.low is not None and interval.high is not None and order(interval.low, interval.high) == 0:
        return interval.low if isinstance(interval.low, fmpq) else None
    left, right = (0, 1), (1, 0)  # the walk keeps left < interval < right
    while True:
        middle = _stepped(left, right, 1)
        side = interval.side(fmpq(*middle))
        if side == 0:
            return fmpq(*middle)
        near, far = (left, right) if side < 0 else (right, left)
        # as many steps the same way as stay on this side, by doubling: a walk to 10^9 takes 60 looks
        many = 2
        while interval.side(fmpq(*_stepped(near, far, many))) == side:
            many *= 2
        few = many // 2
        while many - few > 1:
            between_them = (few + many) // 2
            if interval.side(fmpq(*_stepped(near, far, between_them))) == side:
                few = between_them
            else:
                many = between_them
        left, right = _stepped(near, far, few), _stepped(near, far, many)
        if interval.side(fmpq(*right)) == 0:
            return fmpq(*right)
        if side > 0:
            left, right = right, left


def _stepped(near: tuple[int, int], far: tuple[int, int], count: int) -> tuple[int, int]:
    """The fraction `count` steps down the tree from `near` towards `far`."""
    return near[0] + count * far[0], near[1] + count * far[1]


def bounds(written: Digits, mode: Mode) -> tuple[fmpq, fmpq, bool, bool]:
    """The values that are written with these digits: low, high, and which of the two belongs to them."""
    value, unit = written.value, 1 / power_of_ten(written.places)
    if mode in {Mode.HALF_UP, Mode.HALF_EVEN}:
        low, high = value - unit / 2, value + unit / 2
        if mode is Mode.HALF_EVEN:
            even = written.units % 2 == 0
            return low, high, even, even
        if written.units == 0:
            return low, high, False, False
        return low, high, value > 0, value < 0
    if mode is Mode.FLOOR or (mode is Mode.TRUNCATE and value > 0):
        return value, value + unit, True, False
    if mode is Mode.CEILING or (mode is Mode.TRUNCATE and value < 0):
        return value - unit, value, False, True
    return -unit, unit, False, False
