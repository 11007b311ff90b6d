"""Every quantity of a calculation, exact beside written: errors, correct digits, ulps and the verdict.

Arrives: an exact trace and one as written. Leaves: one frozen record a quantity. What has letters is compared
symbolically, and what cannot be decided says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from flint import arb, fmpq

from symattn.attention.pipeline import Trace
from symattn.comparison.losses import Difference
from symattn.comparison.verdicts import Judgement, judge
from symattn.errors import UndecidedError
from symattn.numbers.arithmetic import Rows
from symattn.numbers.certified import Decimals, Precision, enclosure, rational_of
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
    """The absolute value of one exact number over another, not 0."""

    above: Any
    below: Any

    @property
    def rational(self) -> fmpq | None:
        """The rational value, where both are rational or the upper one is 0."""
        a, b = rational_of(self.above), rational_of(self.below)
        if a is not None and b is not None:
            return abs(a / b)
        return fmpq(0) if a == 0 else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the ratio."""
        return abs(enclosure(self.above, precision.bits) / enclosure(self.below, precision.bits))


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
    relation: Literal["equal", "different", "undecided"]
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
                others.append(Lettered(kind, label, place, number, noted, "undecided", str(error)))
    return tuple(numbers), tuple(others)


def _lettered(kind: str, label: str, place: tuple[int, ...], exact: Any, written: Any) -> Lettered:
    from symattn.numbers.symbolic import differ

    different = differ(exact, written)
    if different is None:
        return Lettered(kind, label, place, exact, written, "undecided", "the difference has letters in exponents")
    return Lettered(kind, label, place, exact, written, "different" if different else "equal")


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
