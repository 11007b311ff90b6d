"""How two exact numbers stand: equal, different, or undecided with a reason.

Arrives: two numbers of the exact arithmetics, over one d_k or two, or SymPy values with letters, roots and π. Leaves: a
relation. Exponential sums are decided by their dictionaries; of SymPy values some are proven by its rules, others
refuted by balls, and the rest stays undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from flint import arb, fmpq

from symattn.errors import UndecidedError
from symattn.numbers.certified import Precision, enclosure, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import ExpQuotient, ExpSum, Scale, Scaled
from symattn.numbers.working import at_bits

if TYPE_CHECKING:
    import sympy

BITS: Final = 256
"""Of the balls that refute an equality."""

MAX_TERMS: Final = 10_000
"""Cross products of SymPy quotients with more terms are not worked out."""


class Relation(StrEnum):
    """How two quantities stand. With letters, different means not equal for all values of the letters."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


def letters_of(number: Any) -> frozenset[str]:
    """The names of the letters that are free in an exact number.

    >>> from symattn.numbers.expsum import Scale
    >>> sorted(letters_of(SquareRoot(Scale()))), sorted(letters_of(fmpq(1, 2)))
    (['d_k'], [])
    """
    scale = getattr(number, "scale", None)
    if scale is not None:  # what is not rational over a free d_k depends on it
        return frozenset({scale.name} if scale.d_k is None and rational_of(number) is None else ())
    return frozenset(letter.name for letter in getattr(number, "free_symbols", ()))


def relation_of(left: Any, right: Any, balls: Precision | None = None) -> tuple[Relation, str]:
    """How two exact numbers stand, and why that is undecided.

    >>> from symattn.numbers.expsum import Scale, exponential
    >>> relation_of(exponential(fmpq(2), scale=Scale(fmpq(12))), exponential(fmpq(1), scale=Scale(fmpq(3))))[0].value
    'equal'
    """
    values = rational_of(left), rational_of(right)
    if None not in values:
        return said(equal=values[0] == values[1])
    if isinstance(left, _DECIDED) and isinstance(right, _DECIDED):
        # without a rational value such a number is proven irrational, or depends on a free d_k
        return said(equal=values[0] is values[1] is None and _same(left, right, balls or Precision(BITS)))
    return _symbolic_relation(left, right)


_DECIDED: Final = (fmpq, SquareRoot, Scaled, ExpSum, ExpQuotient)
"""Numbers whose equality is decided."""


def said(*, equal: bool) -> tuple[Relation, str]:
    """The relation of two numbers of which it is decided whether they are equal."""
    return (Relation.EQUAL if equal else Relation.DIFFERENT), ""


def _same(left: Any, right: Any, balls: Precision) -> bool:
    """Whether two irrational numbers of one kind are the same, over different d_k too."""
    if isinstance(left, Scaled) and isinstance(right, Scaled):
        return left.scale.number(left.key) == right.scale.number(right.key)
    if isinstance(left, ExpQuotient) and isinstance(right, ExpQuotient):
        # cross products have as many terms as the squares of rows: first what is cheaper, and as certain
        if left.scale == right.scale and left.den == right.den:
            return _same_share(left, right)
        with at_bits(balls.bits):
            if not _ball(left, balls).overlaps(_ball(right, balls)):
                return False
        if left.den == right.den:
            return _same_share(left, right)
    return bool(left == right)


def _same_share(left: ExpQuotient, right: ExpQuotient) -> bool:
    """Whether two quotients over one row sum are equal."""
    return fmpq(right.factor) * left.num == fmpq(left.factor) * right.num


def _ball(number: ExpQuotient, balls: Precision) -> arb:
    """A ball around a quotient; a free d_k stands at 7, since what differs there is not equal for all d_k."""
    if number.scale.d_k is not None:
        return number.enclose(balls)
    at = Scale(fmpq(7))
    below = balls.once(number.den, lambda: number.den.fill(at).enclose(balls))
    return number.num.fill(at).enclose(balls) / (below * number.factor)


def perhaps_zero(number: Any) -> bool:
    """Whether a number without letters is 0 or cannot be told from it."""
    if isinstance(number, _DECIDED):
        return rational_of(number) == 0
    return bool(enclosure(number, BITS).contains(0))


def _symbolic_relation(left: Any, right: Any) -> tuple[Relation, str]:
    """How two numbers stand of which one is a SymPy value: proven by its rules, refuted by balls, or undecided."""
    from symattn.numbers.symbolic import differ

    here, there = expressions(left, right)
    if here == there:
        return Relation.EQUAL, ""
    letters = sorted(here.free_symbols | there.free_symbols, key=str)
    if any(_refuted(here, there, letters, first) for first in (1, 100)):
        return Relation.DIFFERENT, ""
    differs = differ(here, there)
    if differs is None and _equal_crosswise(here, there):
        differs = False
    if differs is not None:
        return said(equal=not differs)
    if letters:
        return Relation.UNDECIDED, f"not proven equal for all {', '.join(map(str, letters))}, and not refuted"
    return Relation.UNDECIDED, f"not proven equal, and not told apart with {BITS} bits"


def expressions(left: Any, right: Any) -> tuple[sympy.Expr, sympy.Expr]:
    """Both numbers as SymPy expressions, in which one name is one letter.

    A letter is positive as d_k and real elsewhere, and the two are no longer the same to SymPy.
    """
    from symattn.numbers.symbolic import to_sympy

    here, there = to_sympy(left), to_sympy(right)
    letters = here.free_symbols | there.free_symbols
    positive = {letter.name: letter for letter in letters if letter.is_positive}
    one = {letter: positive[letter.name] for letter in letters if positive.get(letter.name, letter) != letter}
    return here.xreplace(one), there.xreplace(one)


def _refuted(left: sympy.Expr, right: sympy.Expr, letters: Sequence[sympy.Symbol], first: int) -> bool:
    """Whether balls tell two expressions apart, their letters standing at positive rationals from `first` on."""
    from symattn.numbers.symbolic import ball_of

    with at_bits(BITS):
        at = {letter: arb(fmpq(7 * first + 2 * i, 5 + 4 * i)) for i, letter in enumerate(letters)}
        try:
            here, there = ball_of(left, at), ball_of(right, at)
        except UndecidedError:
            return False
        return bool(here.is_finite() and there.is_finite() and not here.overlaps(there))


def _equal_crosswise(left: sympy.Expr, right: sympy.Expr) -> bool:
    """Whether the cross products of two quotients are proven equal, as those of two softmax rows may be."""
    import sympy

    (above, below), (above2, below2) = (sympy.fraction(sympy.together(value)) for value in (left, right))
    products = ((above, below2), (above2, below))
    if max(len(sympy.Add.make_args(a)) * len(sympy.Add.make_args(b)) for a, b in products) > MAX_TERMS:
        return False
    gap = sympy.Add(*(sign * sympy.expand(a * b) for sign, (a, b) in zip((1, -1), products, strict=True)))
    return bool(sympy.expand(gap) == 0)
