r"""Where exponential sums of 1/r vanish: every root r > 0 of Σ c·e^(s/r), proven and in order.

Arrives: rational exponents s and coefficients c. Leaves: crossings that can be enclosed to any precision and put in
order. With x = e^(1/(D·r)), D the common denominator of the exponents, the sum is a polynomial in x; all its roots
beyond 1 are isolated, so no crossing is missed. Where only two exponents are left, r has a closed form, s/ln q.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Final, TypeVar, cast

from flint import acb, arb, ctx, fmpq, fmpz_poly

from symattn.errors import UndecidedError
from symattn.numbers.certified import Precision, enclosure, exact_end
from symattn.numbers.expsum import ExpSum, Key, Scale

T = TypeVar("T")

MAX_DEGREE: Final = 400
MAX_BITS: Final = 1 << 14
ALIKE_BITS: Final = 512
"""Where two crossings still look alike at this precision, it is decided whether they are the same."""


def decided(attempt: Callable[[int], T | None], failure: str) -> T:
    """What the first precision that is high enough decides; past the last one it is said that nothing was.

    >>> decided(lambda bits: bits if bits > 100 else None, "never")
    128
    """
    bits = 64
    while bits <= MAX_BITS:
        out = attempt(bits)
        if out is not None:
            return out
        bits *= 2
    raise UndecidedError(f"{failure} with {MAX_BITS} bits")


@dataclass(frozen=True, slots=True)
class Crossing:
    """A root r = 1/(D·ln x), x the `number`-th root of a polynomial beyond 1, counted from the largest.

    `closed` is (s, q) where r = s/ln(q).
    """

    polynomial: fmpz_poly
    denominator: int
    number: int
    closed: tuple[fmpq, fmpq] | None = None

    @property
    def rational(self) -> fmpq | None:
        """None: ln x is transcendental for an algebraic x other than 1, and so is r."""
        return None

    def enclose(self, precision: Precision) -> arb:  # noqa: ARG002  (the working precision is set by the caller)
        """A ball around r."""
        if self.closed is not None:
            s, q = self.closed
            return arb(s) / arb(q).log()
        return 1 / (_roots_beyond_one(self.polynomial)[self.number].log() * self.denominator)


Point = fmpq | Crossing
"""A root r > 0: a rational one, or a crossing, which is irrational."""


def order(a: Point, b: Point) -> int:
    """-1, 0 or 1 as the first point lies below, at or above the second.

    >>> found = Balance.of([(fmpq(3), fmpq(29)), (fmpq(0), fmpq(-171))]).crossings()[0]
    >>> order(found, fmpq(17, 10)), order(fmpq(2), found), order(found, found)
    (-1, 1, 0)
    """
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return (a > b) - (a < b)
    if a is b:
        return 0

    def attempt(bits: int) -> int | None:
        here, there = enclosure(a, bits), enclosure(b, bits)
        if here < there:
            return -1
        if here > there:
            return 1
        if bits >= ALIKE_BITS and isinstance(a, Crossing) and isinstance(b, Crossing) and _same(a, b, bits):
            return 0
        return None

    return decided(attempt, "two roots could not be told apart")


def _same(a: Crossing, b: Crossing, bits: int) -> bool:
    """Whether two crossings whose balls overlap are one: both are then roots of a common divisor."""
    whole = math.lcm(a.denominator, b.denominator)
    powers = [_stretched(c.polynomial, whole // c.denominator) for c in (a, b)]
    common = powers[0].gcd(powers[1])
    if common.degree() < 1:
        return False
    with ctx.workprec(bits):
        shared = [1 / (root.log() * whole) for root in _roots_beyond_one(common)]
        # a root of the divisor is a root of each polynomial; theirs are isolated from each other, so the one that
        # touches the ball of a crossing, and no other ball of its polynomial, is that crossing
        return any(_is_only(root, a) and _is_only(root, b) for root in shared)


def _is_only(ball: arb, crossing: Crossing) -> bool:
    balls = [1 / (root.log() * crossing.denominator) for root in _roots_beyond_one(crossing.polynomial)]
    return [i for i, other in enumerate(balls) if other.overlaps(ball)] == [crossing.number]


def _stretched(polynomial: fmpz_poly, by: int) -> fmpz_poly:
    """P(x^by)."""
    coefficients = [0] * (polynomial.degree() * by + 1)
    for n in range(polynomial.degree() + 1):
        coefficients[n * by] = int(polynomial[n])
    return fmpz_poly(coefficients)


def in_order(points: Iterable[Point]) -> list[Point]:
    """The points by growing size, equal ones once."""
    out: list[Point] = []
    for point in sorted(points, key=cmp_to_key(order)):
        if not out or order(out[-1], point) != 0:
            out.append(point)
    return out


def between(low: Point | None, high: Point | None) -> fmpq:
    """A rational strictly between two different points; None stands for 0 and for infinity.

    >>> between(None, None), between(fmpq(1), fmpq(2))
    (1, 3/2)
    """

    def attempt(bits: int) -> fmpq | None:
        under = fmpq(0) if low is None else _end(low, bits, upper=True)
        if high is None:
            return under + 1
        over = _end(high, bits, upper=False)
        return (under + over) / 2 if under < over else None

    return decided(attempt, "two roots could not be told apart")


def _end(point: Point, bits: int, *, upper: bool) -> fmpq:
    if isinstance(point, fmpq):
        return point
    ball = enclosure(point, bits)
    return exact_end(ball.upper() if upper else ball.lower())


@dataclass(frozen=True, slots=True)
class Balance:
    """b(r) = Σ c·e^(s/r), as {s: c} without zero coefficients."""

    terms: Mapping[fmpq, fmpq]

    @classmethod
    def of(cls, pairs: Iterable[tuple[fmpq, fmpq]]) -> Balance:
        """The sum of the terms (s, c), equal exponents taken together."""
        terms: dict[fmpq, fmpq] = {}
        for s, c in pairs:
            terms[s] = terms.get(s, fmpq(0)) + c
        return cls({s: c for s, c in sorted(terms.items()) if c != 0})

    def crossings(self) -> tuple[Crossing, ...]:
        """Every r > 0 with b(r) = 0, by growing r; none for the sum that is 0 everywhere.

        Raises: UndecidedError where the polynomial is of too high a degree.

        >>> [found] = Balance.of([(fmpq(3), fmpq(29)), (fmpq(0), fmpq(-171))]).crossings()
        >>> found.closed
        (3, 171/29)
        """
        if len(self.terms) < 2:
            return ()
        lowest = min(self.terms)
        denominator = math.lcm(*(int((s - lowest).q) for s in self.terms))
        powers = {int(((s - lowest) * denominator).p): c for s, c in self.terms.items()}
        if max(powers) > MAX_DEGREE:
            raise UndecidedError(f"a polynomial of degree {max(powers)} is not searched for crossings")
        whole = math.lcm(*(int(c.q) for c in powers.values()))
        polynomial = _square_free(fmpz_poly([int((powers.get(n, fmpq(0)) * whole).p) for n in range(max(powers) + 1)]))
        with ctx.workprec(64):
            count = len(_roots_beyond_one(polynomial))
        closed = None
        if len(self.terms) == 2:
            (s1, c1), (s2, c2) = self.terms.items()
            closed = (s2 - s1, -c1 / c2)
        return tuple(Crossing(polynomial, denominator, number, closed) for number in range(count))

    def sign(self, root: fmpq) -> int:
        """The sign of b(root), decided."""
        total = ExpSum.collect(((Key(fmpq(0), s / root), c) for s, c in self.terms.items()), Scale(fmpq(1)))
        if not total.terms:
            return 0

        def attempt(bits: int) -> int | None:
            ball = enclosure(total, bits)
            return 1 if ball > 0 else -1 if ball < 0 else None

        return decided(attempt, "a sign could not be told")


def _square_free(polynomial: fmpz_poly) -> fmpz_poly:
    """The polynomial with each of its roots once, and without the root 1, which stands for r = ∞."""
    divisor = polynomial.gcd(polynomial.derivative())
    simple = polynomial // divisor
    return simple // fmpz_poly([-1, 1]) if simple(1) == 0 else simple


def _roots_beyond_one(polynomial: fmpz_poly) -> list[arb]:
    """Balls around the real roots beyond 1, from the largest (the smallest r), at the working precision."""
    roots: list[arb] = []
    for root, _ in cast("list[tuple[acb, int]]", polynomial.complex_roots()):
        if root.imag.is_zero():
            roots.append(root.real)
    return sorted((root for root in roots if root > 1), key=lambda root: float(root.mid()), reverse=True)
