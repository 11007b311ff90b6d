"""Certified decimals: any enclosable number in, digits that are proven out.

A number is enclosable when it can say its exact rational value, if it has one, and lay a ball around itself at a
given precision. The precision is raised until the rounding is certain; a tie can only be a rational, and those are
rounded exactly. Nothing here trusts a float.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol, cast

from flint import arb, ctx, fmpq, fmpz

from symattn.errors import UndecidedError
from symattn.numbers.rounding import (
    Digits,
    Mode,
    magnitude,
    power_of_ten,
    require_digits,
    round_rational,
    round_significant,
    trim_carry,
)
from symattn.numbers.working import HELD, at_bits

MAX_BITS: Final = 1 << 20
"""Beyond this precision a digit is reported as undecided."""

MAX_DIGITS: Final = 1000
"""Longer numbers are not written out before the point."""

SHORT: Final = 10**MAX_DIGITS
HALF: Final = fmpq(1, 2)

ENOUGH_BITS: Final = 8 * 3322
"""A precision at which a number that still may have more digits than that is taken to have them."""


class Precision:
    """A working precision in bits, with the balls already computed at it.

    Rows share denominators and cells share exponentials, so a matrix is evaluated through one `Precision`.
    """

    __slots__ = ("_kept", "_tables", "bits")

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._kept: dict[int, tuple[object, arb]] = {}
        self._tables: dict[Hashable, dict[Any, arb]] = {}

    def table(self, key: Hashable) -> dict[Any, arb]:
        """The table under `key`, for balls that are looked up in a tight loop."""
        return self._tables.setdefault(key, {})

    def once(self, owner: object, make: Callable[[], arb]) -> arb:
        """The ball that belongs to this very object, made the first time it is asked for."""
        kept = self._kept.get(id(owner))
        if kept is None:
            kept = self._kept[id(owner)] = owner, make()  # holding the owner keeps its id its own
        return kept[1]


class Enclosable(Protocol):
    """A real number that can be decided rational or not, and enclosed in a ball."""

    @property
    def rational(self) -> fmpq | None:
        """The exact rational value, None when the number is proven irrational or cannot be told."""

    def enclose(self, precision: Precision) -> arb:
        """A ball that contains the number, computed at `precision`."""


def rational_of(number: Any) -> fmpq | None:
    """The exact rational value of a number of any arithmetic, or None.

    Raises: UndecidedError for a float that is infinite or not a number.

    >>> rational_of(0.5), rational_of(arb(1) / 3)
    (1/2, None)
    """
    if isinstance(number, fmpq):
        return number
    if isinstance(number, arb):
        return exact_end(number) if number.is_exact() else None
    if hasattr(number, "enclose"):
        return cast("Enclosable", number).rational
    if isinstance(number, fmpz):
        return fmpq(number)
    if hasattr(number, "as_integer_ratio"):  # whole numbers and floats, NumPy's among them
        return _ratio(number)
    return rational_of(_symbolic(number))


def _ratio(number: Any) -> fmpq:
    try:
        return fmpq(*map(int, number.as_integer_ratio()))
    except (OverflowError, ValueError) as error:
        raise UndecidedError(f"{number} has no decimals") from error


def enclosure(number: Any, bits: int = 128) -> arb:
    """A ball around a number of any arithmetic, computed with `bits` bits.

    >>> enclosure(fmpq(1, 3), 20).contains(fmpq(1, 3))
    True
    """
    with at_bits(bits):
        return _enclose(number, Precision(bits))


def _enclose(number: Any, precision: Precision) -> arb:
    if isinstance(number, (fmpq, fmpz, arb)):
        return arb(number)
    if hasattr(number, "enclose"):
        return cast("Enclosable", number).enclose(precision)
    if hasattr(number, "as_integer_ratio"):
        return arb(_ratio(number))
    return _symbolic(number).enclose(precision)


def _symbolic(number: Any) -> Enclosable:
    from symattn.numbers.symbolic import SymbolicNumber

    return SymbolicNumber(number)


class Decimals:
    """Certified rounding of many numbers that share their parts.

    >>> from symattn.numbers.expsum import exponential
    >>> Decimals().round(exponential(fmpq(176, 100)), 1).text
    '5.8'
    """

    def __init__(self, max_bits: int = MAX_BITS) -> None:
        self._precisions: dict[int, Precision] = {}
        self._powers: dict[int, fmpq] = {}
        self._max_bits = max_bits

    def round(self, number: Any, places: int, mode: Mode = Mode.HALF_UP) -> Digits:
        """`number` rounded to `places` decimals, every digit proven.

        Raises: UndecidedError beyond the bound on the precision; OptionError for places beyond MAX_EXPONENT.
        """
        value = rational_of(number)
        if value is not None:
            return round_rational(value, places, mode)
        scale = self._powers.get(places)
        if scale is None:
            scale = self._powers[places] = power_of_ten(places)

        def attempt(ball: arb) -> Digits | None:
            units = _whole(ball * scale, mode)
            if units is None or places < 0 or not -SHORT < units < SHORT:
                most = power_of_ten(MAX_DIGITS)
                if abs(ball) > most or (ctx.prec > ENOUGH_BITS and not abs(ball) < most):
                    raise UndecidedError(f"a number of more than {MAX_DIGITS} digits is not written out")
            return None if units is None else Digits(units, places)

        return self._settle(number, int(max(0, places) * 3.33) + 64, attempt)

    def round_significant(self, number: Any, digits: int, mode: Mode = Mode.HALF_UP) -> Digits:
        """`number` rounded to `digits` significant digits, every digit proven.

        Raises: UndecidedError as `round` does; OptionError for fewer than one digit.
        """
        require_digits(digits)
        value = rational_of(number)
        if value is not None:
            return round_significant(value, digits, mode)

        def attempt(ball: arb) -> Digits | None:
            low, high = map(exact_end, (ball.abs_lower(), ball.abs_upper()))
            if low == 0 or magnitude(low) != magnitude(high):
                return None
            places = digits - 1 - magnitude(low)
            units = _whole(ball * power_of_ten(places), mode)
            return None if units is None else trim_carry(Digits(units, places), digits)

        return self._settle(number, int(digits * 3.33) + 64, attempt)

    def _settle(self, number: Any, bits: int, attempt: Callable[[arb], Digits | None]) -> Digits:
        while bits <= self._max_bits:
            precision = self._precisions.get(bits)
            if precision is None:
                precision = self._precisions[bits] = Precision(bits)
            HELD.acquire()  # as at_bits does, by hand: it is done for every number
            before, ctx.prec = ctx.prec, bits
            try:
                out = attempt(_enclose(number, precision))
            finally:
                ctx.prec = before
                HELD.release()
            if out is not None:
                return out
            bits *= 2
        raise UndecidedError(
            f"a digit could not be decided with {self._max_bits} bits",
            hint="Ask for fewer places.",
        )


def exact_end(end: arb) -> fmpq:
    """The rational that an exact ball is, such as the end of another one.

    Raises: UndecidedError for an infinite one, and beyond the bound on the precision.

    >>> exact_end(arb(3) / 4)
    3/4
    """
    if not end.is_finite():
        raise UndecidedError("a number beyond every bound has no decimals here")
    mantissa, exponent = end.man_exp()
    if abs(int(exponent)) > MAX_BITS:
        raise UndecidedError(f"a number of more than {MAX_BITS} bits has no decimals here")
    power = fmpz(2) ** abs(int(exponent))
    return fmpq(mantissa * power) if exponent >= 0 else fmpq(mantissa, power)


def _whole(ball: arb, mode: Mode) -> int | None:
    """The whole number that an irrational in `ball` rounds to, when the ball decides it.

    An irrational is never at a tie, so the half modes agree.
    """
    if mode in {Mode.HALF_UP, Mode.HALF_EVEN}:
        units = (ball + HALF).floor().unique_fmpz()
    elif mode is Mode.CEILING:
        units = ball.ceil().unique_fmpz()
    elif mode is Mode.FLOOR or ball > 0:
        units = ball.floor().unique_fmpz()
    elif ball < 0:
        units = ball.ceil().unique_fmpz()
    else:
        return None
    return None if units is None else int(units)


def certified(number: Any, places: int, mode: Mode = Mode.HALF_UP) -> str:
    """The decimal expansion of one number to `places` decimals, every digit proven.

    Raises: UndecidedError when the digits cannot be told within the bound, and for a free letter.

    >>> from symattn.numbers.expsum import exponential
    >>> certified(exponential(fmpq(1)), 20)
    '2.71828182845904523536'
    """
    return Decimals().round(number, places, mode).text
