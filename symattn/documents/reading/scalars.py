"""Exact numbers of formulas, and what is done with them: sums, products, powers, roots, logarithms.

Arrives: rationals, closed forms, numbers known by enclosures alone, and infinities. Leaves: the same; UndecidedError
where there is no value. Rationals are fmpq; roots and exponentials are closed forms with decided equality; logarithms
and what is made of them can be enclosed, and are equal to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flint import arb, fmpq

from symattn.documents.reading import closed
from symattn.documents.reading.closed import Closed, TooLongError
from symattn.errors import UndecidedError
from symattn.numbers.certified import enclosure

if TYPE_CHECKING:
    from symattn.documents.reading.closed import Exact
    from symattn.numbers.certified import Precision

MAX_POWER: Final = 64
"""Of an irrational number."""
MAX_ORDER: Final = 12
"""Of a root."""
MAX_LAZY: Final = 150
"""Of steps in one another that only enclosures follow."""
MAX_EXPONENT: Final = 1 << 40
"""Of e."""


@dataclass(frozen=True, slots=True)
class Lazy:
    """A real number that is known by enclosures alone: whether it is rational cannot be told."""

    function: str
    arguments: tuple[Any, ...]
    depth: int = 1

    @property
    def rational(self) -> fmpq | None:
        """None: it cannot be told."""
        return None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the number."""
        return precision.once(self, lambda: _BALLS[self.function](*(_ball(x, precision) for x in self.arguments)))


@dataclass(frozen=True, slots=True)
class Infinite:
    """∞ or −∞, as masks write it."""

    sign: int

    @property
    def rational(self) -> fmpq | None:
        """None: no number is this."""
        return None

    def enclose(self, precision: Precision) -> arb:  # noqa: ARG002  (at no precision)
        """Nothing: no ball holds it. Raises: UndecidedError."""
        raise UndecidedError("∞ has no decimals")


Scalar: TypeAlias = "fmpq | Closed | Lazy | Infinite"


def same(left: Scalar, right: Scalar, bits: int = 512) -> bool | None:
    """Whether two numbers are equal; None where that cannot be told.

    >>> same(fmpq(1, 2), fmpq(2, 4)), same(closed.root(fmpq(2)), fmpq(7, 5))
    (True, False)
    """
    if isinstance(left, Infinite) or isinstance(right, Infinite):
        return left == right
    if isinstance(left, (fmpq, Closed)) and isinstance(right, (fmpq, Closed)):
        return bool(left == right)
    if not enclosure(left, bits).overlaps(enclosure(right, bits)):
        return False
    return True if left == right else None


def _ball(value: Any, precision: Precision) -> arb:
    return arb(value) if isinstance(value, fmpq) else value.enclose(precision)


_BALLS: Final[dict[str, Callable[..., arb]]] = {
    "+": lambda x, y: x + y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "exp": lambda x: x.exp(),
    "ln": lambda x: x.log(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tan": lambda x: x.tan(),
    "arcsin": lambda x: x.asin(),
    "arccos": lambda x: x.acos(),
    "arctan": lambda x: x.atan(),
    "arsinh": lambda x: x.asinh(),
    "arcosh": lambda x: x.acosh(),
    "artanh": lambda x: x.atanh(),
    "root": lambda x, n: x.root(int(n.unique_fmpz())),
    "pi": lambda: arb.pi(),
    "itself": lambda x: x,
}


def lazy(function: str, *arguments: Scalar) -> Lazy:
    """What a function makes of numbers, followed by enclosures. Raises: UndecidedError where that goes too deep."""
    depth = 1 + max(x.depth if isinstance(x, Lazy) else 0 for x in arguments)
    if depth > MAX_LAZY:
        raise UndecidedError(f"a formula of more than {MAX_LAZY} steps without a closed form")
    return Lazy(function, arguments, depth)


def _worked(rule: Callable[[Exact, Exact], Exact], sign: str, left: Exact, right: Exact) -> Scalar:
    """A closed form, or what encloses the number where it would be too long."""
    try:
        return rule(left, right)
    except TooLongError:
        return lazy(sign, left, right)


def plus(left: Scalar, right: Scalar) -> Scalar:
    """The sum of two numbers; UndecidedError for ∞ − ∞.

    >>> plus(fmpq(1, 2), fmpq(1, 3))
    5/6
    """
    if isinstance(left, Infinite) or isinstance(right, Infinite):
        signs = {value.sign for value in (left, right) if isinstance(value, Infinite)}
        if len(signs) > 1:
            raise UndecidedError("∞ − ∞")
        return Infinite(signs.pop())
    if isinstance(left, Lazy) or isinstance(right, Lazy):
        if left == 0 or right == 0:
            return right if left == 0 else left
        return lazy("+", left, right)
    return _worked(closed.add, "+", left, right)


def times(left: Scalar, right: Scalar) -> Scalar:
    """The product of two numbers; UndecidedError for zero times ∞.

    >>> times(fmpq(2, 3), fmpq(3, 4))
    1/2
    """
    if isinstance(left, Infinite) or isinstance(right, Infinite):
        sign = sign_of(left) * sign_of(right)
        if sign == 0:
            raise UndecidedError("zero times ∞")
        return Infinite(sign)
    if isinstance(left, Lazy) or isinstance(right, Lazy):
        if left == 0 or right == 0:
            return fmpq(0)
        if left == 1 or right == 1:
            return right if left == 1 else left
        return lazy("*", left, right)
    return _worked(closed.multiply, "*", left, right)


def over(left: Scalar, right: Scalar) -> Scalar:
    """The quotient of two numbers; UndecidedError for a divisor that is 0 or not told from it.

    >>> over(fmpq(1), fmpq(3))
    1/3
    """
    if isinstance(right, Infinite):
        if isinstance(left, Infinite):
            raise UndecidedError("∞ divided by ∞")
        return fmpq(0)
    if isinstance(left, Infinite):
        sign = sign_of(right)
        if sign == 0:
            raise UndecidedError("division by zero")
        return Infinite(left.sign * sign)
    if isinstance(left, Lazy) or isinstance(right, Lazy):
        if sign_of(right) == 0:
            raise UndecidedError("division by zero")
        return lazy("/", left, right)
    return _worked(closed.divide, "/", left, right)


def sign_of(value: Scalar) -> int:
    """The sign, proven; UndecidedError where balls of 4,096 bits do not tell it."""
    if isinstance(value, Infinite):
        return value.sign
    if isinstance(value, fmpq):
        return int(value > 0) - int(value < 0)
    for bits in (64, 512, 4096):
        ball = enclosure(value, bits)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
    raise UndecidedError("the sign of a number cannot be told")


def exponential(value: Scalar) -> Scalar:
    """E to the power of a number."""
    if isinstance(value, Infinite):
        return fmpq(0) if value.sign < 0 else value
    if isinstance(value, Lazy) and (made := _of_logarithm(value)) is not None:
        return made
    if not abs(enclosure(value, 64)) < MAX_EXPONENT:
        raise UndecidedError(f"e to a power beyond {MAX_EXPONENT}")
    closed_form = None if isinstance(value, Lazy) else closed.exponential(value)
    return lazy("exp", value) if closed_form is None else closed_form


def _of_logarithm(value: Lazy) -> Scalar | None:
    """What e to the power of a logarithm is, or of a multiple of one: e^(2·ln 3) is 3^2."""
    often, inner = value.arguments if value.function == "*" else (fmpq(1), value)
    if isinstance(often, fmpq) and isinstance(inner, Lazy) and inner.function == "ln":
        return power(inner.arguments[0], often)
    return None


def logarithm(value: Scalar) -> Scalar:
    """The natural logarithm. Raises: UndecidedError where there is none."""
    if isinstance(value, Infinite):
        raise UndecidedError("the logarithm of ∞")
    if sign_of(value) <= 0:
        raise UndecidedError("the logarithm of a number that is not positive")
    if value == 1:
        return fmpq(0)
    if isinstance(value, Closed) and value.below == {closed.PLAIN: 1} and len(value.above) == 1:
        (((m, exponent), c),) = value.above.items()
        if m == 1 and c == 1 and len(exponent) == 1 and exponent[0][0] == 1:
            return fmpq(exponent[0][1], exponent[0][2])  # ln(e^r)
    return lazy("ln", value)


def root(value: Scalar, order: int) -> Scalar:
    """A root. Raises: UndecidedError where it is not real."""
    if isinstance(value, Infinite) or sign_of(value) < 0:
        raise UndecidedError("a root of a negative number is not real")
    if isinstance(value, fmpq):
        if order == 2:
            made = closed.root(value)
            if made is not None:
                return made
        p, exact_p = value.p.root(order), value.q.root(order)
        if p**order == value.p and exact_p**order == value.q:
            return fmpq(p, exact_p)
    if value == 0:
        return fmpq(0)
    return lazy("root", value, fmpq(order))


def power(base: Scalar, exponent: Scalar) -> Scalar:
    """A power. Raises: UndecidedError beyond the bounds of this module."""
    if isinstance(base, Infinite) or isinstance(exponent, Infinite):
        raise UndecidedError("a power with ∞")
    if not isinstance(exponent, fmpq) or exponent.q > MAX_ORDER:
        if sign_of(base) <= 0:
            raise UndecidedError("a power of a number that is not positive")
        return exponential(times(exponent, logarithm(base)))
    if exponent.q != 1:
        return power(root(base, int(exponent.q)), fmpq(exponent.p))
    if exponent < 0:
        return over(fmpq(1), power(base, -exponent))
    if exponent == 0:
        if sign_of(base) == 0:
            raise UndecidedError("zero to the power zero")
        return fmpq(1)
    return _whole_power(base, exponent)


def _whole_power(base: Scalar, exponent: fmpq) -> Scalar:
    if isinstance(base, fmpq):
        if base in (0, 1, -1):
            return base if exponent.p % 2 else base * base
        if exponent > closed.MAX_BITS or int(exponent.p) * base.height_bits() > closed.MAX_BITS + 64:
            raise UndecidedError(f"a power of more than {closed.MAX_BITS} bits is not worked out")
        return closed.bounded(base ** int(exponent.p))
    if exponent > MAX_POWER:
        raise UndecidedError(f"a power beyond {MAX_POWER} is not worked out")
    return _squared(base, int(exponent.p))


def _squared(base: Scalar, exponent: int) -> Scalar:
    out: Scalar = fmpq(1)
    while exponent:
        if exponent & 1:
            out = times(out, base)
        exponent >>= 1
        if exponent:
            base = times(base, base)
    return out


def absolute(value: Scalar) -> Scalar:
    """The absolute value."""
    return times(fmpq(-1), value) if sign_of(value) < 0 else value


def larger(left: Scalar, right: Scalar) -> Scalar:
    """The larger of two numbers; UndecidedError where balls do not tell it.

    >>> larger(fmpq(1, 2), fmpq(1, 3))
    1/2
    """
    if left == right:
        return left
    if isinstance(left, Infinite) or isinstance(right, Infinite):
        first = left if isinstance(left, Infinite) else right
        other = right if first is left else left
        return first if isinstance(first, Infinite) and first.sign > 0 else other
    return left if sign_of(plus(left, times(fmpq(-1), right))) >= 0 else right


def smaller(left: Scalar, right: Scalar) -> Scalar:
    """The smaller of two numbers."""
    return left if larger(left, right) is right else right
