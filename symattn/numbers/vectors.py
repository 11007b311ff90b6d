"""Proven float64 arithmetic over whole arrays: softmax at thousands of roots, every number with a bound of its error.

Arrives: rationals and arrays of float64. Leaves: `Bounded`, arrays of floats with proven bounds.

The proofs rest on this alone: NumPy's elementwise +, −, × and ÷ of float64 are those of IEEE 754, rounded to nearest.
With u = 2⁻⁵³ a result is then (x∘y)(1 + δ) + η with |δ| ≤ u and |η| ≤ 2⁻¹⁰²², which leaves room for machines that
flush what is below the normal floats to 0. NumPy's own exp promises no bound, so the exponential is made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, inf, isfinite, prod
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq

from symattn.errors import OptionError
from symattn.numbers.bounded import shown
from symattn.numbers.machine import nearest_float
from symattn.numbers.rounding import power_of_ten

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

U: Final = 2.0**-53
SPARE: Final = 1.02
"""More than what bounds lose by being computed in floats themselves."""
TINY: Final = 2.0**-1000
"""More than all that underflows: below 2¹² numbers of at most 2⁻¹⁰²², and exponentials that count as 0."""
MAX_TERMS: Final = 4000
MAX_SIZE: Final = fmpq(2**900)
"""Of a coefficient, so that nothing overflows."""
SPAN: Final = 1 << 15
"""Of floats that are worked on at a time: as many as a near cache holds."""
PIECE: Final = 1 << 19
"""Of floats taken from the system at a time. NumPy asks for large pages from half of it on."""
MIN_GAP: Final = fmpq(1, 2**1022)
MAX_PLACES: Final = 280
FAR: Final = 700.0
"""e^−t of a larger t counts as 0: it is below 2⁻¹⁰⁰⁹."""


@dataclass(frozen=True, eq=False, slots=True)
class Bounded:
    """An array of floats: each true number is within relative·|value| + absolute of its value.

    >>> import numpy as np
    >>> made = Bounded(np.array([0.5, -4.0]), 0.25, 0.125)
    >>> made.bounds, made.low <= [0.25, -5.125], made.high >= [0.75, -2.875]
    (array([0.25 , 1.125]), array([ True,  True]), array([ True,  True]))
    """

    values: Floats
    relative: float
    absolute: float

    @property
    def bounds(self) -> Floats:
        """The bound of each value: what it may be off by at most."""
        import numpy as np

        bounds = np.abs(self.values)
        bounds *= self.relative
        bounds += self.absolute
        return bounds

    @property
    def low(self) -> Floats:
        """Floats that the true numbers are above."""
        import numpy as np

        return np.nextafter(self.values - self.bounds, -inf)

    @property
    def high(self) -> Floats:
        """Floats that the true numbers are below."""
        import numpy as np

        return np.nextafter(self.values + self.bounds, inf)

    def in_units(self, places: int, shift: float) -> Bounded:
        """The numbers times 10**places, plus a shift of 0 or 1/2; at most MAX_PLACES either way.

        With F the float of 10**places, off by u·F, the product is rounded once and the sum y once, so that the error
        is below bound·F(1 + 2u) + 3 u|value|F + u/2, and |value|F is below |y| + 1/2 but for their roundings.

        >>> import numpy as np
        >>> Bounded(np.array([0.25]), 0.0, 0.0).in_units(2, 0.5).values
        array([25.5])
        """
        factor = nearest_float(power_of_ten(places))
        relative = self.relative + 4 * U
        return Bounded(self.values * factor + shift, SPARE * relative, SPARE * (self.absolute * factor + relative))


class Room:
    """Room for arrays, in large pieces from the system: touching a page first costs more than the arithmetic on it.

    >>> Room().take(2, 3).shape
    (2, 3)
    """

    __slots__ = ("_piece", "_used", "scratch")

    def __init__(self) -> None:
        import numpy as np

        self._piece: Floats = np.empty(PIECE)
        self._used = 0
        self.scratch: Floats = self.take(4, SPAN)

    def take(self, *shape: int) -> Floats:
        """An array of this shape, of numbers not yet set."""
        import numpy as np

        size = prod(shape)
        if size > self._piece.size - self._used:
            self._piece, self._used = np.empty(max(PIECE, size)), 0
        self._used += size
        return self._piece[self._used - size : self._used].reshape(shape)


def floats(numbers: Any) -> Floats:
    """Positive numbers as the float64 array that NumPy makes of them: of one dimension, not to be written to.

    Raises: OptionError for anything else, and for numbers that are not positive and finite.

    >>> floats([1, 1.5])
    array([1. , 1.5])
    """
    import numpy as np

    try:
        array = np.array(numbers, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise OptionError(f"the roots cannot be read as floats: {error}") from error
    if array.ndim != 1 or not array.size:
        raise OptionError(f"roots of shape {array.shape}", expected="a list of at least one")
    wrong = array[~((array > 0) & (array < inf))]
    if wrong.size:
        raise OptionError(f"a root of {wrong[0]}", expected="positive finite numbers")
    array.flags.writeable = False
    return array


# ln 2 = LN2_HIGH + LN2_LOW + an error below 2⁻⁹⁵. LN2_HIGH is a multiple of 2⁻⁴² below 1, so that times a whole number
# below 2¹⁰ it is a float, exactly.
LN2_HIGH: Final = 0x2C5C85FDF47 / 2.0**42
LN2_LOW: Final = float.fromhex("0x1.ef35793c76730p-45")
LOG2_E: Final = 1.4426950408889634
DEGREE: Final = 13


def decay(gap: fmpq, roots: Floats, room: Room | None = None) -> Bounded:
    r"""e^(−g/r) for a gap g > 0 at every root r, from `floats`.

    Raises: OptionError for a gap beyond the normal floats.

    With t the float of g/r and k the whole number nearest to t/ln 2, e^−t = 2^−k·e^w with w = k·ln 2 − t, |w| < 0.35.
    The bound, for t ≤ 700, thus k ≤ 1010 (errors relative to e^−t, in units of u):

    - Reduction. k·LN2_HIGH is exact. t − k·LN2_HIGH and the last subtraction are each off by u·0.351 at most,
      k·LN2_LOW by u·2⁻³², and what is left of ln 2 by 2¹⁰·2⁻⁹⁵. So w is off by 0.71 u, and e^w by 0.72 u of itself.
    - Truncation. The Taylor polynomial of degree 13 leaves out at most 1.03·0.35¹⁴/14! < 5.0e-18, of at least
      e^−0.35 > 0.704: below 0.07 u.
    - Evaluation, as 1 + w·q with q by Horner's rule, degree 12. Each coefficient is rounded once and goes through 24
      roundings, so q is off by γ₂₅·(e^0.35 − 1)/0.35 < 30 u. w·q is then off by 0.35·30 u + 0.42 u < 11 u, and the
      sum, of at most 1.42, by 12.43 u, of at least 0.704: below 17.7 u.
    - 2^−k is an exact factor, since the result is at least 0.7·2⁻¹⁰¹⁰ and so a normal float.

    Together that is below 19 u, and below 20 u of the computed value: 32 u is used. Also t is off from g/r by u·t for
    the division, by as much where g is no float, and by 2⁻¹⁰²¹ where t underflows: together by δ < 2⁻⁴¹, for which
    e^δ − 1 < 1.001 δ. 2.25 u·t is used for it, at the largest t.

    >>> made = decay(fmpq(1), floats([1.0, 1e-3]))
    >>> made.values.tolist(), made.relative < 2**-42, decay(fmpq(1), floats([1.0])).relative < 2**-47
    ([0.36787944117144233, 0.0], True, True)
    """
    near = nearest_float(gap)
    if gap < MIN_GAP or not isfinite(near):
        raise OptionError(
            f"two scores of a row are {shown(gap)} apart", expected="0 or a difference within the normal floats"
        )
    room = room or Room()
    made = room.take(roots.size)
    for start in range(0, roots.size, SPAN):
        here = slice(start, start + SPAN)
        _decay(near, roots[here], made[here], room.scratch)
    made.flags.writeable = False
    most = min(near / float(roots.min(axis=0)), FAR)
    return Bounded(made, 32 * U + 2.25 * U * most, TINY)


def _decay(gap: float, roots: Floats, values: Floats, scratch: Floats) -> None:
    """The floats of e^(−g/r), as `decay` tells, into `values`; t, k and w by its names."""
    import numpy as np

    t, k, w, spare = scratch[:, : roots.size]
    with np.errstate(over="ignore", under="ignore"):
        np.divide(gap, roots, out=t)
    far = t > FAR
    np.minimum(t, FAR, out=t)
    np.multiply(t, LOG2_E, out=k)
    np.rint(k, out=k)
    np.multiply(k, LN2_HIGH, out=w)
    w -= t
    w += np.multiply(k, LN2_LOW, out=spare)
    np.multiply(w, 1 / factorial(DEGREE), out=values)
    for n in range(DEGREE - 1, 0, -1):
        values += 1 / factorial(n)
        values *= w
    values += 1
    power = spare.view(np.int64)  # the float 2^−k, by its bits
    power[:] = k
    np.subtract(1023, power, out=power)
    power <<= 52
    values *= spare
    if far.any():
        values[far] = 0.0


def averages(
    coefficients: Sequence[Sequence[fmpq]],
    counts: Sequence[int],
    decays: Sequence[Bounded],
    size: int,
    room: Room | None = None,
) -> tuple[list[Bounded], list[Bounded]]:
    r"""Weighted averages of exponentials: E_g/T for each g, and Σ_g c_g·E_g/T for each column of coefficients.

    E_0 = 1, the other E_g are the decays in order, and T = Σ_g n_g·E_g with the counts n_g ≥ 1.
    Shapes: coefficients (m, q), m counts, m − 1 decays (N,) -> m and q arrays (N,), N being `size`.
    Raises: OptionError for coefficients beyond 2**900 and for more than 4,000 counts.

    With ρ the largest relative bound of the decays (at most 2⁻⁴²) and A = Σ |c|·E: a term goes through one product
    and m − 1 sums at most, and the float of c is off by u·c, so that the numerator is off by (ρ + (m + 1)u)·A, and
    T by (ρ + mu)·T; the products of these (γ_m is not mu, nor E its value) are below 2⁻⁹ of that. The quotient, of at
    most A/T, is rounded once. Altogether it is off by (2ρ + (2m + 2)u)·A/T. Where the c have one sign, A/T is the
    size of the quotient; else it is a weighted average of the |c|/n, and at most the largest. What underflowed is
    added: TINY for each unit of a coefficient, as T ≥ 1.

    >>> weights, [half] = averages([[fmpq(2)], [fmpq(3)]], [1, 1], [decay(fmpq(1, 10**9), floats([1.0]))], 1)
    >>> half.values.round(6), bool(half.bounds.max() < 1e-13), weights[1].values.round(6)
    (array([2.5]), True, array([0.5]))
    """
    import numpy as np

    m, q = len(coefficients), len(coefficients[0])
    if m > MAX_TERMS:
        raise OptionError(f"{m} different scores in a row of a sweep", expected=f"at most {MAX_TERMS}")
    rows = [list(map(_coefficient, row)) for row in coefficients]
    room = room or Room()
    # without decays all is the same at every root
    made = room.take(m + q, size if decays else 1)
    step = max(64, SPAN // (q + 1))
    scratch = room.scratch if (q + 1) * step <= SPAN else np.empty((2, (q + 1) * step))
    sums, product = scratch[:2, : (q + 1) * step].reshape(2, q + 1, step)
    factors = np.array([[n, *row] for n, row in zip(counts, rows, strict=True)])[:, :, np.newaxis]
    with np.errstate(under="ignore"):
        for start in range(0, made.shape[1], step):
            here = slice(start, start + step)
            out = made[:, here]
            total, times = sums[:, : out.shape[1]], product[:, : out.shape[1]]
            total[:] = factors[0]
            for row, part in zip(factors[1:], decays, strict=True):
                total += np.multiply(row, part.values[here], out=times)
            np.divide(1.0, total[0], out=out[0])
            for g, part in enumerate(decays, 1):
                np.divide(part.values[here], total[0], out=out[g])
            np.divide(total[1:], total[0], out=out[m:])
    made.flags.writeable = False
    relative = SPARE * (2 * max((part.relative for part in decays), default=0.0) + (2 * m + 4) * U)
    if not decays:
        made = np.broadcast_to(made, (m + q, size))
    weights = [Bounded(values, relative, TINY) for values in made[:m]]
    averaged = []
    for values, column in zip(made[m:], zip(*rows, strict=True), strict=True):
        tiny = TINY * (1 + sum(map(abs, column)))
        if min(column) < 0 < max(column):
            largest = max(abs(c) / n for c, n in zip(column, counts, strict=True))
            averaged.append(Bounded(values, 0.0, SPARE * relative * largest + tiny))
        else:
            averaged.append(Bounded(values, relative, tiny))
    return weights, averaged


def _coefficient(number: fmpq) -> float:
    if abs(number) > MAX_SIZE:
        raise OptionError(f"{shown(number)} is beyond the floats of a sweep", expected="at most 2**900 in size")
    return nearest_float(number)
