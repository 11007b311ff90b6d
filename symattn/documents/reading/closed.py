"""Closed forms: numbers made of rationals, square roots and exponentials, with equality decided.

Arrives: rationals. Leaves: fmpq for everything rational, else a `Closed`, a quotient of sums of terms c·√m·e^E with
rational c, square-free m and exponents E = Σ r·√n. The √m are linearly independent over the rationals, and the
exponentials of distinct algebraic exponents over the algebraic numbers (Lindemann-Weierstrass), so a sum is zero
exactly when it has no terms, and equality of quotients is decided by cross products.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, isqrt
from typing import TYPE_CHECKING, Final

from flint import arb, fmpq, fmpz

from symattn.errors import UndecidedError
from symattn.numbers.expsum import square_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from symattn.numbers.certified import Precision

MAX_BITS: Final = 4_096
"""Of a rational that is worked out."""
MAX_TERMS: Final = 2_000
"""Of a sum that is multiplied out."""
MAX_RADICAND: Final = 800_000_000
"""Below 2·20,000² trial division to 20,000 and a test for squares find every square factor."""

Surd = tuple[tuple[int, int, int], ...]
"""Σ p/q·√n as (n, p, q) in lowest terms, sorted by n; √1 carries the rational part. Whole numbers hash fast."""
Term = tuple[int, Surd]
Sum = dict[Term, fmpq]

PLAIN: Final[Term] = (1, ())


class TooLongError(UndecidedError):
    """A sum has too many terms to be written out; balls can still enclose it."""


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """An irrational quotient of two sums; equal to another exactly when it is the same number."""

    above: Mapping[Term, fmpq]
    below: Mapping[Term, fmpq]

    @property
    def rational(self) -> fmpq | None:
        """None: the number is proven irrational."""
        return None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the number."""
        above = _ball(self.above, precision)
        return above if self.below == {PLAIN: 1} else above / _ball(self.below, precision)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Closed):
            return _times(self.above, other.below) == _times(other.above, self.below)
        return False if isinstance(other, (int, fmpq)) else NotImplemented

    def __hash__(self) -> int:
        return hash(Closed)


Exact = fmpq | Closed


def bounded(value: fmpq) -> fmpq:
    """The rational, once it is known to be small enough; else UndecidedError."""
    if value.height_bits() > MAX_BITS:
        raise UndecidedError(f"a number of more than {MAX_BITS} bits is not worked out")
    return value


def add(left: Exact, right: Exact) -> Exact:
    """The sum.

    >>> add(root(fmpq(2)), root(fmpq(8))) == root(fmpq(18))
    True
    """
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return bounded(left + right)
    (a, b), (c, d) = _parts(left), _parts(right)
    if b == d:
        return _made(_plus(a, c), b)
    return _made(_plus(_times(a, d), _times(c, b)), _times(b, d))


def multiply(left: Exact, right: Exact) -> Exact:
    """The product.

    >>> multiply(root(fmpq(2)), root(fmpq(1, 2)))
    1
    """
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return bounded(left * right)
    (a, b), (c, d) = _parts(left), _parts(right)
    return _made(_times(a, c), _times(b, d))


def divide(left: Exact, right: Exact) -> Exact:
    """The quotient; UndecidedError for a divisor that is zero.

    >>> e = exponential(fmpq(1))
    >>> divide(multiply(fmpq(2), e), e)
    2
    """
    if isinstance(right, fmpq):
        if right == 0:
            raise UndecidedError("division by zero")
        return multiply(left, 1 / right)
    (a, b), (c, d) = _parts(left), _parts(right)
    return _made(_times(a, d), _times(b, c))


def root(value: fmpq) -> Exact | None:
    """The square root of a rational; None where it cannot be taken apart, UndecidedError below zero.

    >>> root(fmpq(9, 4)), root(fmpq(1, 2)).above
    (3/2, {(2, ()): 1/2})
    """
    if value < 0:
        raise UndecidedError("the square root of a negative number is not real")
    p, q = int(value.p), int(value.q)
    if isqrt(p) ** 2 == p and isqrt(q) ** 2 == q:
        return fmpq(isqrt(p), isqrt(q))
    if p.bit_length() + q.bit_length() > 256:
        return None
    square, rest = square_part(p * q)
    if rest >= MAX_RADICAND:
        return None
    return Closed({(rest, ()): fmpq(square, q)}, {PLAIN: fmpq(1)})


def exponential(value: Exact) -> Exact | None:
    """The exponential of a rational or of a sum of square roots; None for another exponent.

    >>> exponential(fmpq(0))
    1
    """
    if isinstance(value, fmpq):
        if value == 0:
            return fmpq(1)
        exponent: Surd = ((1, int(value.p), int(value.q)),)
    elif value.below == {PLAIN: 1} and all(term[1] == () for term in value.above):
        exponent = tuple(sorted((term[0], int(c.p), int(c.q)) for term, c in value.above.items()))
    else:
        return None
    return Closed({(1, exponent): fmpq(1)}, {PLAIN: fmpq(1)})


def _parts(value: Exact) -> tuple[Mapping[Term, fmpq], Mapping[Term, fmpq]]:
    if isinstance(value, fmpq):
        return ({PLAIN: value} if value != 0 else {}), {PLAIN: fmpq(1)}
    return value.above, value.below


def _made(above: Mapping[Term, fmpq], below: Mapping[Term, fmpq]) -> Exact:
    """The quotient; rational exactly when the two sums are proportional."""
    if not above:
        return fmpq(0)
    if len(below) == 1:
        # one term below goes up: 1/(c·√m·e^E) = √m·e^-E/(c·m)
        (((m, exponent), c),) = below.items()
        inverse = {(m, tuple((n, -p, q) for n, p, q in exponent)): 1 / (c * m)}
        above, below = _times(above, inverse), {PLAIN: fmpq(1)}
    if len(above) == len(below) and above.keys() == below.keys():
        ratios = {above[key] / below[key] for key in below}
        if len(ratios) == 1:
            return bounded(ratios.pop())
    return Closed(above, below)


def _plus(left: Mapping[Term, fmpq], right: Mapping[Term, fmpq]) -> Sum:
    return _collected([*left.items(), *right.items()])


def _times(left: Mapping[Term, fmpq], right: Mapping[Term, fmpq]) -> Mapping[Term, fmpq]:
    if len(left) * len(right) > MAX_TERMS:
        raise TooLongError(f"a product of more than {MAX_TERMS} terms is not worked out")
    for one, other in ((left, right), (right, left)):
        if len(one) == 1 and one.get(PLAIN) == 1:
            return other
    return _collected(
        ((m * n // gcd(m, n) ** 2, _joined(e, f)), c * d * gcd(m, n))
        for (m, e), c in left.items()
        for (n, f), d in right.items()
    )


def _joined(left: Surd, right: Surd) -> Surd:
    if not left or not right:
        return left or right
    if len(left) == len(right) == 1 and left[0][0] == right[0][0]:
        (n, a, b), (_, c, d) = left[0], right[0]
        return _lowest(n, a * d + c * b, b * d)
    out = {n: fmpq(p, q) for n, p, q in left}
    for n, p, q in right:
        out[n] = out.get(n, fmpq(0)) + fmpq(p, q)
    return tuple(sorted((n, int(r.p), int(r.q)) for n, r in out.items() if r != 0))


def _lowest(n: int, p: int, q: int) -> Surd:
    common = gcd(p, q)
    return ((n, p // common, q // common),) if p else ()


def _collected(pairs: Iterable[tuple[Term, fmpq]]) -> Sum:
    out: Sum = {}
    for key, c in pairs:
        known = out.get(key)
        out[key] = c if known is None else known + c
    empty = [key for key, c in out.items() if bounded(c) == 0]
    for key in empty:
        del out[key]
    return out


def _ball(terms: Mapping[Term, fmpq], precision: Precision) -> arb:
    known = precision.table("closed forms")
    total = arb(0)
    for (m, exponent), c in terms.items():
        power = known.get((m, exponent))
        if power is None:
            inner = arb(0)
            for n, p, q in exponent:
                inner += arb(fmpz(n)).sqrt() * fmpq(p, q) if n != 1 else arb(fmpq(p, q))
            power = arb(fmpz(m)).sqrt() * inner.exp()
            known[m, exponent] = power
        total += power * c
    return total
