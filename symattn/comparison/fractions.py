"""The fractions that approach √d_k best: its convergents, and which of them keep a written result.

Arrives: a rational d_k and a set of roots. Leaves: convergents, each with whether it is in the set, and from which on
all are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import isqrt
from typing import Final

from flint import fmpq

from symattn.comparison.crossings import Point, decided
from symattn.comparison.safe_roots import Interval, RootSet
from symattn.errors import OptionError, UndecidedError
from symattn.numbers.certified import enclosure
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import Scale

MAX_COUNT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Convergent:
    """A convergent of √d_k, its number from 0, and whether it is in the set of roots."""

    number: int
    value: fmpq
    inside: bool


@dataclass(frozen=True, slots=True)
class SafeConvergents:
    """The first convergents of √d_k, and the number from 0 of the first one from which on all are in the set.

    `settled` is None where there is none: √d_k itself is not in the set then.
    """

    convergents: tuple[Convergent, ...]
    settled: int | None


def quotients(d_k: fmpq) -> Iterator[int]:
    """The partial quotients of the continued fraction of √d_k; they end where √d_k is rational.

    Raises: OptionError for a d_k that is not positive.
    Source: Lagrange 1770; with √d_k = √D/q the complete quotients are (P + √D)/Q with whole P and Q > 0.

    >>> list(islice(quotients(fmpq(3)), 5)), list(quotients(fmpq(9, 4)))
    ([1, 1, 2, 1, 2], [1, 2])
    """
    if d_k <= 0:
        raise OptionError(f"d_k = {d_k}", expected="a positive number")
    D = int(d_k.p) * int(d_k.q)
    P, Q, whole = 0, int(d_k.q), isqrt(D)
    if whole * whole == D:
        above, below = whole, Q
        while below:
            yield above // below
            above, below = below, above % below
        return
    while True:
        a = (P + whole) // Q
        yield a
        P = a * Q - P
        Q = (D - P * P) // Q


def _convergents(d_k: fmpq) -> Iterator[fmpq]:
    p, q, p_before, q_before = 1, 0, 0, 1
    for a in quotients(d_k):
        p, q, p_before, q_before = a * p + p_before, a * q + q_before, p, q
        yield fmpq(p, q)


def convergents(d_k: fmpq, count: int) -> tuple[fmpq, ...]:
    """The first `count` convergents of √d_k, fewer where √d_k is rational: the last one is √d_k itself then.

    For d_k < 1 the first one is 0. They lie below √d_k and above it by turns, each nearer than the one before.
    Raises: OptionError for a d_k that is not positive, and for a count below 0 or beyond MAX_COUNT.

    >>> convergents(fmpq(3), 8)
    (1, 2, 5/3, 7/4, 19/11, 26/15, 71/41, 97/56)
    """
    if not 0 <= count <= MAX_COUNT:
        raise OptionError(f"{count} convergents", expected=f"0 to {MAX_COUNT}")
    return tuple(islice(_convergents(d_k), count))


def safe_convergents(roots: RootSet, d_k: fmpq, count: int = 12) -> SafeConvergents:
    """Which convergents of √d_k are in a set of roots, and from which on all of them are.

    That holds for all of them, not for the `count` that are shown: with √d_k inside an interval of the set, two
    neighbours c_k and c_(k+1) in it lie on either side of √d_k, and every later one lies between them.
    Raises: OptionError as `convergents`; UndecidedError where √d_k cannot be told from an end of the set.

    >>> from symattn.comparison.safe_roots import Weighted, safe_roots
    >>> from symattn.numbers.rounding import Digits, Mode
    >>> output = Weighted((fmpq(3), fmpq(0)), (fmpq(2), fmpq(5)))
    >>> found = safe_convergents(safe_roots(output, Digits(245, 2), Mode.HALF_UP), fmpq(3), 6)
    >>> [convergent.inside for convergent in found.convergents], found.settled
    ([False, False, False, False, True, True], 4)
    """
    shown = convergents(d_k, count)
    told = tuple(Convergent(number, value, _inside(roots, value)) for number, value in enumerate(shown))
    root = SquareRoot(Scale(d_k))
    around = [interval for interval in roots.sets if _holds(interval, root)]
    return SafeConvergents(told, _settled(roots, around[0], d_k) if around else None)


def _inside(roots: RootSet, value: fmpq) -> bool:
    return value > 0 and roots.contains(value)


def _settled(roots: RootSet, around: Interval, d_k: fmpq) -> int:
    """The number of the first convergent from which on all are in the set, which has √d_k in one interval."""
    before: list[bool] = []  # whether each one is in the set
    near = False  # whether the one before is in the interval
    for value in islice(_convergents(d_k), MAX_COUNT):
        here = value > 0 and around.contains(value)
        before.append(here or _inside(roots, value))
        if near and here:
            break
        near = here
    else:
        if len(before) == MAX_COUNT:
            raise UndecidedError(f"no two neighbours of {MAX_COUNT} convergents are in the set")
    # all from the last one on are inside, or it is √d_k itself; so are those of the run that it ends
    return max((number + 1 for number, inside in enumerate(before) if not inside), default=0)


def _holds(interval: Interval, root: SquareRoot) -> bool:
    """Whether √d_k is in the interval."""
    if root.rational is not None:
        return interval.contains(root.rational)
    return (interval.low is None or _above(root, interval.low)) and (
        interval.high is None or not _above(root, interval.high)
    )


def _above(root: SquareRoot, point: Point) -> bool:
    """Whether an irrational √d_k is above a point: it is algebraic, and a crossing is not, so they differ."""

    def attempt(bits: int) -> bool | None:
        here, there = enclosure(root, bits), enclosure(point, bits)
        return True if here > there else False if here < there else None

    return decided(attempt, "a root could not be told from √d_k")
