"""Findings that somebody is willing to let pass: a report judged less strictly than by correct rounding.

Arrives: a report. Leaves: the same report in which what is near enough is right, with a note that says so.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from flint import fmpq, fmpz

from symattn.comparison.verdicts import Verdict
from symattn.documents.report import Checked, Claim, Report
from symattn.numbers.rounding import Digits, plain_digits

WITHIN: Final = "within_tolerance"
CUT: Final = "truncation_allowed"

_BY_DISTANCE: Final = frozenset({Verdict.TRUNCATED, Verdict.LAST_DIGIT, Verdict.WRONG})
_SCIENTIFIC = re.compile(r"(.+?)[eE]([+-]?\d{1,4})", re.ASCII)
_SPELLINGS: Final = (("−", "-"), ("{,}", "."), ("\\,", ""), ("\\%", ""), ("%", ""), (" ", ""), ("$", ""))


def tolerated(report: Report, ulps: int = 0, *, allow_truncation: bool = False) -> Report:
    """The report in which numbers at most `ulps` units of their last digit from the right one are right.

    With `allow_truncation` so are numbers that were cut off instead of rounded. The distance is that of whole units,
    between the digits that were written and those that would be right, so nothing is estimated. Only numbers that are
    wrong as numbers are meant: a wrong step, a contradiction or a shape stays a finding however near it is. A finding
    that a tolerated one explained stands alone.

    >>> from symattn.documents.formats.load import load_document
    >>> from symattn.documents.formats.document import Place
    >>> claim = Claim(Place(1, 5, 1, 9), (4, 8), "1.16", Verdict.WRONG, "", expected="1.18")
    >>> report = Report((Checked(load_document("x = 1.16"), (claim,)),))
    >>> [len(tolerated(report, ulps).findings) for ulps in (1, 2)]
    [1, 0]
    """
    return Report(tuple(_tolerated(checked, ulps, allow_truncation) for checked in report))


def _tolerated(checked: Checked, ulps: int, allow_truncation: bool) -> Checked:  # noqa: FBT001  (private)
    passed: dict[int, str] = {}
    for number, claim in enumerate(checked.claims):
        if claim.verdict is Verdict.TRUNCATED and allow_truncation:
            passed[number] = CUT
        elif claim.verdict in _BY_DISTANCE and near(claim, ulps):
            passed[number] = WITHIN
    places = {checked.claims[number].place for number in passed}
    claims = []
    for number, claim in enumerate(checked.claims):
        if number in passed:
            claims.append(
                replace(claim, verdict=Verdict.ROUNDED, root_cause=None, notes=(*claim.notes, passed[number]))
            )
        elif claim.root_cause in places:
            claims.append(replace(claim, root_cause=None))
        else:
            claims.append(claim)
    return replace(checked, claims=tuple(claims))


def near(claim: Claim, ulps: int) -> bool:
    """Whether a number is at most so many units of its last digit from the right one; never where that is unknown."""
    written, right = digits_of(claim.text), digits_of(claim.expected or "")
    if written is None or right is None or ulps <= 0 or ("%" in claim.text) != ("%" in (claim.expected or "")):
        return False
    unit = fmpq(1, fmpz(10) ** written.places) if written.places >= 0 else fmpq(fmpz(10) ** -written.places)
    return bool(abs(written.value - right.value) <= ulps * unit)


def digits_of(text: str) -> Digits | None:
    r"""The digits of a decimal in the spellings of documents; None for a fraction, or anything else.

    >>> digits_of("−1{,}17"), digits_of("1.2e-3"), digits_of("20/17")
    (Digits(units=-117, places=2), Digits(units=12, places=4), None)
    """
    for spelling, plain in _SPELLINGS:
        text = text.replace(spelling, plain)
    match = _SCIENTIFIC.fullmatch(text)
    digits = plain_digits((match[1] if match else text).removeprefix("+"))
    if digits is None or match is None:
        return digits
    return Digits(digits.units, digits.places - int(match[2]))
