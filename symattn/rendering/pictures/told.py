"""Numbers of a picture in words: certified decimals, short exact values.

Arrives: exact numbers. Leaves: short texts.
"""

from __future__ import annotations

from typing import Any, Final

from flint import fmpq

from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.rounding import Digits, Mode, magnitude
from symattn.rendering.pictures.fonts import MAX_LETTERS, cut
from symattn.rendering.words import isolated, visible

SMALLEST: Final = -6
LARGEST: Final = 5
"""Exponents of ten between which numbers are told without a power of ten."""

RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Told:
    """Numbers as text, with one store of balls.

    >>> told = Told()
    >>> told.decimal(fmpq(-1, 3)), told.signed(fmpq(1, 8), 2), told.signed(fmpq(1, 10**9), 2), told.signed(fmpq(0), 2)
    ('−0.3333', '+0.13', '≈ 0.00', '0')
    """

    def __init__(self) -> None:
        self._decimals = Decimals()

    def decimal(self, number: Any, places: int = 4) -> str:
        """A certified decimal."""
        return minus(self._decimals.round(number, places, Mode.HALF_UP).text)

    def signed(self, number: Any, places: int, exponent: int = 0) -> str:
        """A certified decimal with its sign, in units of a power of ten; 0 has no sign."""
        if rational_of(number) == 0:
            return "0"
        digits = Digits(self._decimals.round(number, places - exponent, Mode.HALF_UP).units, places)
        if digits.units == 0:
            return f"≈ {digits.text}"
        return minus(digits.text if digits.units < 0 else f"+{digits.text}")

    def significant(self, number: Any, digits: int = 3) -> str:
        """A certified decimal with a sign and some significant digits.

        >>> Told().significant(fmpq(-1, 81)), Told().significant(fmpq(1, 3 * 10**9))
        ('−0.0123', '+3.33×10⁻¹⁰')
        """
        exponent = self.exponent(number)
        return self.signed(number, self.places(number, digits, exponent), exponent) + times(exponent)

    def places(self, number: Any, digits: int = 3, exponent: int = 0) -> int:
        """The decimal places at which a number, in units of a power of ten, has so many significant digits."""
        return max(digits - 1 - self._magnitude(number) + exponent, 0)

    def exponent(self, number: Any, smallest: int = SMALLEST) -> int:
        """The power of ten that a number is told in: 0 unless it is very small or very large."""
        found = self._magnitude(number)
        return 0 if smallest <= found <= LARGEST else found

    def short(self, number: Any, longest: int = 9) -> str:
        """A certified decimal of 4 places, or of 3 significant digits where that is too long.

        >>> Told().short(fmpq(7, 2)), Told().short(fmpq(10**9, 3))
        ('3.5000', '3.33×10⁸')
        """
        text = self.decimal(number)
        return text if len(text) <= longest else self.significant(number).removeprefix("+")

    def exact(self, number: Any, longest: int = 7) -> str:
        """A rational as it is where that is short, and otherwise its decimal.

        >>> Told().exact(fmpq(-7, 2)), Told().exact(fmpq(10**9, 3))
        ('−7/2', '≈ 3.33×10⁸')
        """
        value = rational_of(number)
        if value is not None and len(str(value)) <= longest:
            return minus(str(value))
        return f"≈ {self.short(number)}"

    def _magnitude(self, number: Any) -> int:
        if rational_of(number) == 0:
            return 0
        return magnitude(self._decimals.round_significant(number, 3, Mode.HALF_UP).value)


def times(exponent: int) -> str:
    """A power of ten as a factor, nothing for 1.

    >>> times(-10), times(0)
    ('×10⁻¹⁰', '')
    """
    return "×10" + str(exponent).translate(RAISED) if exponent else ""


def word(text: str) -> str:
    r"""A name from outside in a description: short, and kept apart from the words around it.

    >>> word("a\n"), word("שלום") == "\u2068שלום\u2069"
    ('aU+000A', True)
    """
    return isolated(cut(visible(text), MAX_LETTERS))


def minus(text: str) -> str:
    """The text with a true minus sign."""
    return text.replace("-", "−")


def root_text(root: SquareRoot) -> str:
    """√d_k as people write it.

    >>> from symattn.numbers.expsum import Scale
    >>> [root_text(SquareRoot(Scale(fmpq(*d_k)))) for d_k in ((3,), (9, 4), (1, 2))]
    ['√3', '3/2', '√(1/2)']
    """
    if root.rational is not None:
        return str(root.rational)
    d_k = root.scale.d_k
    return f"√{d_k}" if isinstance(d_k, fmpq) and d_k.q == 1 else f"√({d_k})"
