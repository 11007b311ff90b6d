"""Every quantity of a calculation, exact beside written: errors, correct digits, ulps and the verdict.

Arrives: an exact trace and one as written. Leaves: one frozen record a quantity. What has letters is compared
symbolically, and what cannot be decided says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from flint import arb, fmpq

from symattn.attention.pipeline import Trace
from symattn.comparison.losses import Difference
from symattn.comparison.relations import Relation, relation_of
from symattn.comparison.verdicts import Judgement, judge
from symattn.errors import UndecidedError
from symattn.numbers.arithmetic import Rows
from symattn.numbers.certified import Decimals, Precision, enclosure, rational_of
from symattn.numbers.expsum import ExpQuotient, ExpSum, Scale, Scaled, proportion
from symattn.numbers.rounding import Digits, Mode, magnitude, plain_digits, power_of_ten
from symattn.numbers.written import WrittenNumber

LABELS: Final = {
    "Q": "Q",
    "K": "K",
    "V": "V",
    "scores": "Scores",
    "root": "Root",
    "scaled_scores": "Scaled",
    "exponentials": "Exp",
    "row_sums": "Sum",
    "weights": "Weights",
    "outputs": "Output",
}


_Pair = tuple[str, str, tuple[int, ...], Any, Any]
"""Kind, label, place from 0, exact number, what was written."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The absolute value of one exact number over another, not 0.

    >>> root = Scaled.of(fmpq(2), fmpq(0), Scale(fmpq(3)))
    >>> Ratio(Difference(root, Scaled.of(fmpq(1), fmpq(0), Scale(fmpq(3)))), root).rational
    1/2
    """

    above: Any
    below: Any

    @property
    def rational(self) -> fmpq | None:
        """The rational value; None where the two are not proven to be proportional."""
        a, b = rational_of(self.above), rational_of(self.below)
        if a is not None and b is not None:
            return abs(a / b)
        if a == 0:
            return fmpq(0)
        common = _proportion(_as_sum(self.above), _as_sum(self.below)) if a is None and b is None else None
        return None if common is None else abs(common)

    def enclose(self, precision: Precision) -> arb:
        """A ball around the ratio."""
        return abs(enclosure(self.above, precision.bits) / enclosure(self.below, precision.bits))


_Sum = tuple[Scale, dict[Any, fmpq]]
"""Rational multiples of numbers."""


def _as_sum(number: Any) -> _Sum | None:
    """A number, or a difference of two, as rational multiples of irrational ones; None where it is none of those."""
    if isinstance(number, Difference):
        left, right = _as_sum(number.minuend), _as_sum(number.subtrahend)
        if left is None or right is None or left[0] != right[0]:
            return None
        scale, terms = left[0], dict(left[1])
        for key, c in right[1].items():
            terms[key] = terms.get(key, fmpq(0)) - c
        return scale, {key: c for key, c in terms.items() if c != 0}
    if isinstance(number, Scaled):
        return number.scale, {key: c for key, c in zip(("root", "one"), number.key, strict=True) if c != 0}
    if isinstance(number, ExpSum):
        return number.scale, dict(number.terms)
    if isinstance(number, ExpQuotient):
        whole = fmpq(number.factor)
        return number.scale, {(key, number.den): c / whole for key, c in number.num.terms.items()}
    return None


def _proportion(above: _Sum | None, below: _Sum | None) -> fmpq | None:
    if above is None or below is None or above[0] != below[0] or above[1].keys() != below[1].keys():
        return None
    return proportion(above[1], below[1])


@dataclass(frozen=True, slots=True)
class Compared:
    """One quantity: kind, label, place from 0, the exact number, what was written, and the verdict on it."""

    kind: str
    label: str
    place: tuple[int, ...]
    exact: Any
    written: WrittenNumber
    judgement: Judgement

    @property
    def digits(self) -> Digits:
        """The written digits."""
        return plain_digits(self.written.text) or self.judgement.expected

    @property
    def error(self) -> Difference:
        """Written less exact, exactly."""
        return Difference(self.written.value, self.exact)

    @property
    def relative_error(self) -> Ratio | None:
        """|error/exact|, None where the exact number is 0."""
        return None if rational_of(self.exact) == 0 else Ratio(self.error, self.exact)

    @property
    def correct_digits(self) -> int | None:
        """How many significant digits are right: the error is at most half a unit of the last of them.

        None where the written number is exact, or the exact one is 0 and has no significant digits.
        """
        decimals, twice = Decimals(), Ratio(self.error, fmpq(1, 2))
        if self.error.rational == 0 or rational_of(self.exact) == 0:
            return None
        first = magnitude(decimals.round_significant(self.exact, 1, Mode.TRUNCATE).value)
        error = magnitude(decimals.round_significant(twice, 1, Mode.TRUNCATE).value)
        at_most = twice.rational == power_of_ten(error)
        return max(0, first - error + at_most)

    @property
    def ulps(self) -> Ratio:
        """|error| in units of the last written digit."""
        return Ratio(self.error, 1 / power_of_ten(self.digits.places))


@dataclass(frozen=True, slots=True)
class Lettered:
    """One quantity that is no decimal on paper: it has letters, or its digits cannot be told.

    `relation` says how what was written stands to the exact expression, decided exactly; `reason` why it is undecided.
    """

    kind: str
    label: str
    place: tuple[int, ...]
    exact: Any
    written: Any
    relation: Relation
    reason: str = ""

    @property
    def error(self) -> Any:
        """Written less exact, as a SymPy expression."""
        import sympy

        from symattn.numbers.symbolic import to_sympy

        return sympy.expand(to_sympy(self.written) - to_sympy(self.exact))


def side_by_side(exact: Trace, written: Trace, decimals: Decimals) -> tuple[tuple[Compared, ...], tuple[Lettered, ...]]:
    """The quantities that are decimals on paper, and those that are not."""
    numbers: list[Compared] = []
    others: list[Lettered] = []
    for kind, label, place, number, noted in _pairs(exact, written):
        if not isinstance(noted, WrittenNumber):
            others.append(_lettered(kind, label, place, number, noted))
        elif (digits := plain_digits(noted.text)) is not None:
            try:
                numbers.append(Compared(kind, label, place, number, noted, judge(number, digits, decimals)))
            except UndecidedError as error:
                others.append(Lettered(kind, label, place, number, noted, Relation.UNDECIDED, str(error)))
    return tuple(numbers), tuple(others)


def _lettered(kind: str, label: str, place: tuple[int, ...], exact: Any, written: Any) -> Lettered:
    return Lettered(kind, label, place, exact, written, *relation_of(exact, written))


def _pairs(exact: Trace, written: Trace) -> Iterator[_Pair]:
    """Every quantity of every stage that both runs have."""
    for letter in "QKV":
        yield from _cells("projections", letter, getattr(exact, letter), getattr(written, letter))
    yield from _cells("scores", "scores", exact.scores, written.scores)
    yield "root", LABELS["root"], (), exact.root, written.root
    yield from _cells("scaled_scores", "scaled_scores", exact.scaled_scores, written.scaled_scores)
    yield from _cells("exponentials", "exponentials", exact.exponentials, written.exponentials)
    for i, (number, noted) in enumerate(zip(exact.row_sums, written.row_sums, strict=True)):
        yield "row_sums", f"{LABELS['row_sums']}[{i + 1}]", (i,), number, noted
    yield from _cells("weights", "weights", exact.attention_weights, written.attention_weights)
    yield from _cells("outputs", "outputs", exact.output, written.output)


def _cells(kind: str, name: str, exact: Rows, written: Rows) -> Iterator[_Pair]:
    for i, (row, noted) in enumerate(zip(exact, written, strict=True)):
        for j, (number, text) in enumerate(zip(row, noted, strict=True)):
            yield kind, f"{LABELS[name]}[{i + 1},{j + 1}]", (i, j), number, text
