r"""How far one may round √d_k: the exact set of roots r for which a result keeps its written digits.

Arrives: scores, values and a written decimal. Leaves: intervals whose ends are exact. With nothing else rounded, a
weight or an output is f(r) = Σ v·e^(s/r) / Σ e^(s/r), and f(r) = c where Σ (v − c)·e^(s/r) = 0. With x = e^(1/(D·r)),
D the common denominator of the scores, that is a polynomial in x: all its roots beyond 1 are isolated, so every
crossing is found. Where only two different scores are left, the crossing has a closed form, s/ln q.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Final, TypeVar, cast

from flint import acb, arb, ctx, fmpq, fmpz_poly

from symattn.errors import UndecidedError
from symattn.numbers.certified import Precision, enclosure, exact_end
from symattn.numbers.expsum import ExpSum, Key, Scale
from symattn.numbers.rounding import Digits, Mode, power_of_ten

T = TypeVar("T")

MAX_DEGREE: Final = 400
MAX_BITS: Final = 1 << 14
MAX_STEPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Crossing:
    """A root r = 1/(D·ln x) at which f reaches a bound, x the `number`-th root of a polynomial beyond 1.

    `closed` is (s, q) where r = s/ln(q); `included` says whether the bound itself is written with the digits.
    """

    polynomial: fmpz_poly
    denominator: int
    number: int
    included: bool
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

    def below(self, other: fmpq | Crossing) -> bool:
        """Whether this crossing lies below another one or a rational root. The two are never equal."""

        def attempt(bits: int) -> bool | None:
            here, there = enclosure(self, bits), enclosure(other, bits)
            return bool(here < there) if here < there or here > there else None

        return _decided(attempt, "two crossings could not be told apart")


@dataclass(frozen=True, slots=True)
class Interval:
    """A set of roots between two ends; a `low` of None is 0, a `high` of None is infinity, both never reached."""

    low: Crossing | None
    high: Crossing | None
    low_closed: bool
    high_closed: bool

    def contains(self, root: fmpq) -> bool:
        """Whether a rational root is inside. It never is an end: ends are irrational."""
        return (self.low is None or self.low.below(root)) and (self.high is None or not self.high.below(root))


@dataclass(frozen=True, slots=True)
class SafeRoots:
    """The roots that keep one written result: the digits, the mode, and the intervals by growing root."""

    written: Digits
    mode: Mode
    sets: tuple[Interval, ...]

    def contains(self, root: fmpq) -> bool:
        """Whether the result keeps its written digits with this root."""
        return any(interval.contains(root) for interval in self.sets)

    def simplest(self) -> fmpq | None:
        """The fraction of least denominator, then least numerator, inside; None where there is none."""
        found = [simplest_between(interval) for interval in self.sets]
        return min(found, key=lambda q: (q.q, q.p)) if found else None


def _decided(attempt: Callable[[int], T | None], failure: str) -> T:
    """What the first precision that is high enough decides; past the last one it is said that nothing was."""
    bits = 64
    while bits <= MAX_BITS:
        out = attempt(bits)
        if out is not None:
            return out
        bits *= 2
    raise UndecidedError(f"{failure} with {MAX_BITS} bits")


def safe_roots(scores: Sequence[fmpq], values: Sequence[fmpq], written: Digits, mode: Mode) -> SafeRoots:
    """The roots r > 0 for which Σ v·e^(s/r)/Σ e^(s/r), otherwise exact, is written with these digits.

    Raises: UndecidedError where the polynomial of a crossing is of too high a degree.

    >>> found = safe_roots([fmpq(3), fmpq(0)], [fmpq(1), fmpq(0)], Digits(85, 2), Mode.HALF_UP)
    >>> found.contains(fmpq(17, 10)), found.sets[0].low.closed, found.sets[0].high.closed
    (True, (3, 171/29), (3, 169/31))
    """
    low, high, low_closed, high_closed = _bounds(written, mode)
    function = _Weighted(tuple(scores), tuple(values))
    crossings = [*function.crossings(low, included=low_closed), *function.crossings(high, included=high_closed)]
    ends: list[Crossing] = sorted(crossings, key=cmp_to_key(_by_size))
    edges: list[Crossing | None] = [None, *ends, None]
    sets: list[Interval] = []
    opened: tuple[Crossing | None, bool] | None = None  # where the run of inside points began, and if with its end
    for left, right in itertools.pairwise(edges):
        # between neighbouring crossings f stays on one side of both bounds: one sample decides
        at = function.place(_between(left, right), low, high)
        inside = low_closed if at == "low" else high_closed if at == "high" else at == "inside"
        if inside and opened is None:
            opened = left, False
        if not inside and opened is not None:
            sets.append(Interval(opened[0], left, opened[1], left is not None and left.included))
            opened = None
        if right is None:
            continue
        if right.included and opened is None:
            opened = right, True
        elif not right.included and opened is not None:
            sets.append(Interval(opened[0], right, opened[1], high_closed=False))
            opened = None
    if opened is not None:
        sets.append(Interval(opened[0], None, opened[1], high_closed=False))
    return SafeRoots(written, mode, tuple(sets))


def _by_size(a: Crossing, b: Crossing) -> int:
    return -1 if a.below(b) else 1


@dataclass(frozen=True, slots=True)
class _Weighted:
    """f(r) = Σ v·e^(s/r) / Σ e^(s/r)."""

    scores: tuple[fmpq, ...]
    values: tuple[fmpq, ...]

    def _terms(self, bound: fmpq) -> dict[fmpq, fmpq]:
        """Σ (v − c)·e^(s/r) with equal scores taken together, scores from 0 up."""
        least = min(self.scores)
        terms: dict[fmpq, fmpq] = {}
        for score, value in zip(self.scores, self.values, strict=True):
            terms[score - least] = terms.get(score - least, fmpq(0)) + value - bound
        return {score: c for score, c in terms.items() if c != 0}

    def crossings(self, bound: fmpq, *, included: bool) -> Iterator[Crossing]:
        """Every root r at which f(r) is the bound."""
        terms = self._terms(bound)
        if len(terms) < 2:
            return
        lowest = min(terms)
        denominator = math.lcm(*(int(score.q) for score in terms))
        powers = {int(((score - lowest) * denominator).p): c for score, c in terms.items()}
        if max(powers) > MAX_DEGREE:
            raise UndecidedError(f"a polynomial of degree {max(powers)} is not searched for crossings")
        whole = math.lcm(*(int(c.q) for c in powers.values()))
        polynomial = _square_free(fmpz_poly([int((powers.get(n, fmpq(0)) * whole).p) for n in range(max(powers) + 1)]))
        with ctx.workprec(64):
            count = len(_roots_beyond_one(polynomial))
        closed = None
        if len(terms) == 2:
            (s1, c1), (s2, c2) = sorted(terms.items())
            closed = (s2 - s1, -c1 / c2)
        for number in range(count):
            yield Crossing(polynomial, denominator, number, included, closed)

    def place(self, root: fmpq, low: fmpq, high: fmpq) -> str:
        """Where f(root) is: "below", "low", "inside", "high" or "above"; the bounds only for a constant f."""
        signs = [self._sign(root, bound) for bound in (low, high)]
        if 0 in signs:
            return "low" if signs[0] == 0 else "high"
        return "below" if signs[0] < 0 else "above" if signs[1] > 0 else "inside"

    def _sign(self, root: fmpq, bound: fmpq) -> int:
        """The sign of f(root) − bound."""
        difference = ExpSum.collect(
            ((Key(fmpq(0), s / root), c) for s, c in self._terms(bound).items()), Scale(fmpq(1))
        )
        if not difference.terms:
            return 0

        def attempt(bits: int) -> int | None:
            ball = enclosure(difference, bits)
            return 1 if ball > 0 else -1 if ball < 0 else None

        return _decided(attempt, "a side could not be told")


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


def _between(left: Crossing | None, right: Crossing | None) -> fmpq:
    """A rational root between two neighbouring crossings."""

    def attempt(bits: int) -> fmpq | None:
        low = fmpq(0) if left is None else exact_end(enclosure(left, bits).upper())
        if right is None:
            return low + 1
        high = exact_end(enclosure(right, bits).lower())
        return (low + high) / 2 if low < high else None

    return _decided(attempt, "two crossings could not be told apart")


def simplest_between(interval: Interval) -> fmpq:
    """The fraction with the least denominator inside, found by a walk down the Stern-Brocot tree.

    >>> found = safe_roots([fmpq(3), fmpq(0)], [fmpq(2), fmpq(5)], Digits(245, 2), Mode.HALF_UP)
    >>> simplest_between(found.sets[0])
    19/11
    """
    (a, b), (c, d) = (0, 1), (1, 0)
    for _ in range(MAX_STEPS):
        mediant = fmpq(a + c, b + d)
        if interval.low is not None and not interval.low.below(mediant):
            a, b = a + c, b + d
        elif interval.high is not None and interval.high.below(mediant):
            c, d = a + c, b + d
        else:
            return mediant
    raise UndecidedError(f"no simple fraction found in {MAX_STEPS} steps")


def _bounds(written: Digits, mode: Mode) -> tuple[fmpq, fmpq, bool, bool]:
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
