"""The positive roots of a polynomial with whole coefficients: isolated exactly, enclosed to any relative precision.

Arrives: square-free polynomials that do not vanish at 0. Leaves: brackets with one root each, and balls.
Source: the method of Vincent, Collins and Akritas (Descartes' rule of signs on halved intervals), and Newton's method
on balls, which keep the root by the mean value theorem.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from flint import arb, fmpq, fmpz_poly

from symattn.errors import UndecidedError
from symattn.numbers.working import at_bits

Bracket = tuple[fmpq, fmpq]
"""Two rationals with one root between them, neither of them a root; or twice the same, which is a root then."""

MAX_GUARD: Final = 1 << 16

_ONE_MORE: Final = fmpz_poly([1, 1])


def shifted(polynomial: fmpz_poly) -> fmpz_poly:
    """P(1 + y).

    >>> shifted(fmpz_poly([0, 0, 1]))
    x^2 + 2*x + 1
    """
    return polynomial(_ONE_MORE)


def positive_roots(polynomial: fmpz_poly) -> tuple[Bracket, ...]:
    """A bracket around each positive root, from the largest; two brackets have at most an end in common.

    >>> [(low < 3 < high, low > 2) for low, high in positive_roots(fmpz_poly([-3, 1]))]
    [(True, False)]
    >>> len(positive_roots(fmpz_poly([6, -5, 1]))), positive_roots(fmpz_poly([6, 5, 1]))
    (2, ())
    """
    if _variations(polynomial) == 0:
        return ()
    exponent = _bound(polynomial)
    # (low, width, R): the roots of R between 0 and 1 are those of the polynomial between low and low + width
    width = fmpq(2) ** exponent
    todo = [(fmpq(0), width, _scaled(polynomial, exponent))]
    found: list[Bracket] = []
    while todo:
        low, width, R = todo.pop()
        # z = 1/(1 + y) takes y > 0 to 0 < z < 1
        count = _variations(shifted(fmpz_poly(R.coeffs()[::-1])))
        if count == 1:
            found.append(_trimmed(polynomial, low, low + width))
        elif count > 1:
            left = _scaled(R, -1)
            right, middle = shifted(left), low + width / 2
            if right[0] == 0:
                found.append((middle, middle))
                right = fmpz_poly(right.coeffs()[1:])
            todo += [(low, width / 2, left), (middle, width / 2, right)]
    return tuple(sorted(found, reverse=True))


def samples(brackets: Sequence[Bracket]) -> tuple[fmpq, ...]:
    """A rational between each two neighbouring roots, from the largest.

    >>> samples(positive_roots(fmpz_poly([6, -5, 1]))) > (2,)
    True
    """
    return tuple((above[0] + below[1]) / 2 for above, below in pairwise(brackets))


def enclosed(polynomial: fmpz_poly, bracket: Bracket, bits: int) -> arb:
    """A ball around the root in the bracket, to a relative precision of `bits`.

    >>> root = enclosed(fmpz_poly([-2, 0, 1]), (fmpq(1), fmpq(2)), 64)
    >>> (root**2).contains(2), 1.41421356 < root < 1.41421357
    (True, True)
    """
    low, high = bracket
    slope, guard = polynomial.derivative(), 64
    while guard <= MAX_GUARD:
        with at_bits(bits + guard):
            if low == high:
                return arb(low)
            ball = _newton(polynomial, slope, arb(low).union(arb(high)))
            if ball is not None and ball > 0 and ball.rel_accuracy_bits() >= bits:
                return ball
        # the interval may be too wide for Newton's method, or the precision too low for roots that lie so close
        for _ in range(guard // 8):
            low, high = _half(polynomial, low, high)
        guard += guard // 4
    raise UndecidedError(f"a root could not be enclosed with {MAX_GUARD} bits more than it is asked for")


def _newton(polynomial: fmpz_poly, slope: fmpz_poly, ball: arb) -> arb | None:
    """The ball made smaller as long as each step halves it; None where the slope may be 0 in it."""
    while True:
        steepness = slope(ball)
        if steepness.contains(0):
            return None
        middle = ball.mid()
        after = (middle - polynomial(middle) / steepness).intersection(ball)
        if not 2 * after.rad() < ball.rad():
            return after
        ball = after


def _half(polynomial: fmpz_poly, low: fmpq, high: fmpq) -> Bracket:
    """The half of an interval with one root inside that has it; the ends may be roots too."""
    middle = (low + high) / 2
    here = polynomial(middle)
    if here == 0 or low == high:
        return middle, middle
    start = polynomial(low) or polynomial.derivative()(low)  # the sign just beyond a simple root is that of the slope
    return (middle, high) if (here > 0) == (start > 0) else (low, middle)


def _trimmed(polynomial: fmpz_poly, low: fmpq, high: fmpq) -> Bracket:
    while low != high and (polynomial(low) == 0 or polynomial(high) == 0):
        low, high = _half(polynomial, low, high)
    return low, high


def _variations(polynomial: fmpz_poly) -> int:
    """The changes of sign in the coefficients: as many as positive roots, or an even number more."""
    signs = [c > 0 for c in polynomial.coeffs() if c != 0]
    return sum(a != b for a, b in pairwise(signs))


def _bound(polynomial: fmpz_poly) -> int:
    """An e with every positive root below 2^e.

    Where M^(n-i) is at least |c_i/c_n| for every c_i of the other sign than c_n, no root reaches 2M.
    """
    coefficients = polynomial.coeffs()
    lead, n = coefficients[-1], len(coefficients) - 1
    powers = [
        -((lead.bit_length() - c.bit_length() - 1) // (n - i))  # rounded up
        for i, c in enumerate(coefficients[:-1])
        if c * lead < 0
    ]
    return max(powers) + 1


def _scaled(polynomial: fmpz_poly, exponent: int) -> fmpz_poly:
    """P(2^e·z), times a power of two that keeps the coefficients whole."""
    n = polynomial.degree()
    powers = range(n + 1) if exponent >= 0 else range(n, -1, -1)
    return fmpz_poly([c << abs(exponent) * i for c, i in zip(polynomial.coeffs(), powers, strict=True)])
