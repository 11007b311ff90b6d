r"""Where exponential sums of 1/r vanish: every root r > 0 of Σ c·e^(s/r), proven and in order.

Arrives: rational exponents s and coefficients c. Leaves: crossings that can be enclosed to any precision and put in
order. With x = e^(g/r), g the greatest rational that all differences of the exponents are whole multiples of, the sum
is a polynomial in x; all its roots beyond 1 are isolated, so no crossing is missed. Where that polynomial is linear, as
it is for two exponents, r has a closed form, g/ln q.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cmp_to_key
from operator import itemgetter
from typing import Final, TypeVar

from flint import arb, fmpq, fmpz, fmpz_poly

from symattn.comparison.real_roots import Bracket, enclosed, positive_roots, samples, shifted
from symattn.errors import UndecidedError
from symattn.numbers.certified import Precision, enclosure, exact_end
from symattn.numbers.expsum import ExpSum, Key, Scale
from symattn.numbers.working import at_bits

T = TypeVar("T")

MAX_DEGREE: Final = 400
MAX_BITS: Final = 1 << 14
MAX_STRETCHED: Final = 1 << 14
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
    """A root r = step/ln x, x the `number`-th root of a polynomial beyond 1, counted from the largest.

    `closed` is (s, q) where r = s/ln(q).
    """

    polynomial: fmpz_poly
    step: fmpq
    number: int
    bracket: Bracket  # of x − 1
    closed: tuple[fmpq, fmpq] | None = None

    @property
    def rational(self) -> fmpq | None:
        """None: ln x is transcendental for an algebraic x other than 1, and so is r."""
        return None

    def enclose(self, precision: Precision) -> arb:
        """A ball around r."""
        if self.closed is not None:
            s, q = self.closed
            return arb(s) / arb(q).log()
        return _root(shifted(self.polynomial), self.bracket, self.step, precision.bits)


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
    if a is b or a == b:
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
    step = _common_step((a.step, b.step))
    stretches = [int((c.step / step).p) for c in (a, b)]
    if max(c.polynomial.degree() * by for c, by in zip((a, b), stretches, strict=True)) > MAX_STRETCHED:
        return False  # a higher precision may tell them apart; if none does, that is said
    powers = [_stretched(c.polynomial, by) for c, by in zip((a, b), stretches, strict=True)]
    common = powers[0].gcd(powers[1])
    if common.degree() < 1:
        return False
    with at_bits(bits):
        shared = _roots(common, step, bits)
        # a root of the divisor is a root of each polynomial; theirs are isolated from each other, so the one that
        # touches the ball of a crossing, and no other ball of its polynomial, is that crossing
        return any(_is_only(root, a, bits) and _is_only(root, b, bits) for root in shared)


def _is_only(ball: arb, crossing: Crossing, bits: int) -> bool:
    balls = _roots(crossing.polynomial, crossing.step, bits)
    return [i for i, other in enumerate(balls) if other.overlaps(ball)] == [crossing.number]


def _roots(polynomial: fmpz_poly, step: fmpq, bits: int) -> list[arb]:
    """Balls around every r = step/ln x for a root x > 1, by growing r."""
    of_rest = shifted(polynomial)
    return [_root(of_rest, bracket, step, bits) for bracket in positive_roots(of_rest)]


def _root(of_rest: fmpz_poly, bracket: Bracket, step: fmpq, bits: int) -> arb:
    """A ball around step/ln(1 + y), y the root in the bracket: y keeps its digits where 1 + y would lose them."""
    return arb(step) / enclosed(of_rest, bracket, bits).log1p()


def _stretched(polynomial: fmpz_poly, by: int) -> fmpz_poly:
    """P(x^by)."""
    coefficients = [0] * (polynomial.degree() * by + 1)
    for n in range(polynomial.degree() + 1):
        coefficients[n * by] = int(polynomial[n])
    return fmpz_poly(coefficients)


def _common_step(steps: Iterable[fmpq]) -> fmpq:
    """The greatest rational that each of the rationals is a whole multiple of."""
    known = tuple(steps)
    whole = math.lcm(*(int(step.q) for step in known))
    return fmpq(math.gcd(*(int((step * whole).p) for step in known)), whole)


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
        if under is None or high is None:
            return None if under is None else under + 1
        over = _end(high, bits, upper=False)
        return (under + over) / 2 if over is not None and under < over else None

    return decided(attempt, "two roots could not be told apart")


def _end(point: Point, bits: int, *, upper: bool) -> fmpq | None:
    if isinstance(point, fmpq):
        return point
    ball = enclosure(point, bits)
    if not ball.is_finite():
        return None
    with at_bits(bits):  # an end is rounded outwards to the working precision
        return exact_end(ball.upper() if upper else ball.lower())


@dataclass(frozen=True, slots=True)
class Balance:
    """b(r) = Σ c·e^(s/r), as {s: c} without zero coefficients."""

    terms: dict[fmpq, fmpq]  # by growing s

    @classmethod
    def of(cls, pairs: Iterable[tuple[fmpq, fmpq]]) -> Balance:
        """The sum of the terms (s, c), equal exponents taken together."""
        merged: list[tuple[fmpq, fmpq]] = []
        for s, c in sorted(pairs, key=itemgetter(0)):  # hashing a fmpq costs more than comparing two
            if merged and merged[-1][0] == s:
                merged[-1] = s, merged[-1][1] + c
            else:
                merged.append((s, c))
        return cls({s: c for s, c in merged if c != 0})

    def crossings(self) -> tuple[Crossing, ...]:
        """Every r > 0 with b(r) = 0, by growing r; none for the sum that is 0 everywhere.

        Raises: UndecidedError where the polynomial is of too high a degree.

        >>> [found] = Balance.of([(fmpq(3), fmpq(29)), (fmpq(0), fmpq(-171))]).crossings()
        >>> found.closed
        (3, 171/29)
        """
        return self.signs()[0]

    def signs(self) -> tuple[tuple[Crossing, ...], tuple[int, ...]]:
        """The crossings, and the sign of b before, between and after them: one sign more than crossings.

        A balance that is 0 everywhere has the one sign 0.
        Raises: UndecidedError where the polynomial is of too high a degree.

        >>> Balance.of([(fmpq(2), fmpq(1)), (fmpq(1), fmpq(-4)), (fmpq(0), fmpq(4))]).signs()[1]  # (x − 2)²
        (1, 1)
        """
        if not self.terms or (one := self.one_sign()) != 0:
            return (), (one if self.terms else 0,)
        degree = self.degree
        if degree > MAX_DEGREE:
            raise UndecidedError(f"a polynomial of degree {degree} is not searched for crossings")
        lowest, step = next(iter(self.terms)), self._step
        whole = math.lcm(*(int(c.q) for c in self.terms.values()))
        coefficients = [fmpz(0)] * (degree + 1)
        for s, c in self.terms.items():
            coefficients[int(((s - lowest) / step).p)] = (c * whole).p
        polynomial = fmpz_poly(coefficients)
        simple = _square_free(polynomial)
        brackets = positive_roots(shifted(simple))
        closed = (step, fmpq(-simple[0], simple[1])) if simple.degree() == 1 else None
        points = tuple(Crossing(simple, step, number, bracket, closed) for number, bracket in enumerate(brackets))
        # for x → ∞ the highest term decides, for x → 1 the lowest one of P(1 + y)
        of_rest = shifted(polynomial)
        lead, last = polynomial.coeffs()[-1], next(c for c in of_rest.coeffs() if c != 0)
        values = [fmpq(lead), *(of_rest(y) for y in samples(brackets)), fmpq(last)] if brackets else [fmpq(lead)]
        return points, tuple(1 if value > 0 else -1 for value in values)

    @property
    def _step(self) -> fmpq:
        """The g of x = e^(g/r), 0 for fewer than two terms."""
        lowest = next(iter(self.terms), fmpq(0))
        return _common_step(s - lowest for s in self.terms)

    @property
    def degree(self) -> int:
        """The degree of the sum as a polynomial in x.

        >>> Balance.of([(fmpq(500), fmpq(1)), (fmpq(250), fmpq(-3)), (fmpq(0), fmpq(1))]).degree
        2
        """
        step = self._step
        return int(((next(reversed(self.terms)) - next(iter(self.terms))) / step).p) if step != 0 else 0

    def one_sign(self) -> int:
        """The sign that b has for every r > 0 where the coefficients show it at once, else 0.

        With T_k = c_k + c_(k+1) + … the sum is e^(s_0/r)·T_0 + Σ T_k·(e^(s_k/r) − e^(s_(k-1)/r)), and each bracket is
        positive: it has no crossing where no two T_k are of opposite signs.

        >>> Balance.of([(fmpq(3), fmpq(2)), (fmpq(1), fmpq(-1)), (fmpq(0), fmpq(-1))]).one_sign()
        1
        """
        tails = tuple(itertools.accumulate(reversed(self.terms.values())))
        positive, negative = any(tail > 0 for tail in tails), any(tail < 0 for tail in tails)
        return positive - negative

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
    """The polynomial with each of its roots once, and without the root 1, which stands for r = ∞.

    Its coefficients have no common factor and the first is positive: complementary weights have the same crossings.
    """
    divisor = polynomial.gcd(polynomial.derivative())
    simple = polynomial // divisor
    if simple(1) == 0:
        simple //= fmpz_poly([-1, 1])
    common = simple.content()
    return simple // (common if simple.coeffs()[-1] > 0 else -common)
