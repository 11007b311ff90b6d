"""How a written decimal stands to the exact number: the one judge of digits.

Arrives: an exact number and the digits that somebody wrote. Leaves: a verdict with the digits that would be right.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.rounding import Digits, Mode


class Verdict(StrEnum):
    """What can be said of a written number; `judge` gives one of the first five, documents need the others too."""

    EXACT = "exact"
    ROUNDED = "rounded"
    TRUNCATED = "truncated"
    LAST_DIGIT = "last_digit"
    WRONG = "wrong"
    WRONG_STEP = "wrong_step"
    SHAPE = "shape"
    INCONSISTENT = "inconsistent"
    UNDECIDED = "undecided"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, the right digits (half-up, as many as were written), and whether the exact number is at a tie."""

    verdict: Verdict
    expected: Digits
    tie: bool = False

    @property
    def right(self) -> bool:
        """Whether what was written is right."""
        return self.verdict in {Verdict.EXACT, Verdict.ROUNDED}


def judge(exact: Any, written: Digits, decimals: Decimals | None = None) -> Judgement:
    """The verdict on digits that stand for an exact number. At a tie half-up and half-even are both right.

    Raises: UndecidedError where a digit cannot be told or a letter is free.

    >>> from flint import fmpq
    >>> judge(fmpq(20, 17), Digits(117, 2)).verdict.value, judge(fmpq(1, 8), Digits(12, 2)).tie
    ('truncated', True)
    """
    rounding = decimals or Decimals()
    up, even, cut = (
        rounding.round(exact, written.places, mode) for mode in (Mode.HALF_UP, Mode.HALF_EVEN, Mode.TRUNCATE)
    )
    tie = up != even
    if rational_of(exact) == written.value:
        return Judgement(Verdict.EXACT, up)
    if written in {up, even}:
        return Judgement(Verdict.ROUNDED, up, tie)
    if written == cut:
        return Judgement(Verdict.TRUNCATED, up, tie)
    # one unit off a number that could have been written exactly is no matter of rounding
    if abs(written.units - up.units) == 1 and rational_of(exact) != up.value:
        return Judgement(Verdict.LAST_DIGIT, up, tie)
    return Judgement(Verdict.WRONG, up, tie)
