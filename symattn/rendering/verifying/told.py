"""How a verdict is told: the words of a language, short decimals, marks, and what is to be said of one claim.

Arrives: claims. Leaves: short texts without line breaks; escaping them for a format is left to the format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.judging.causes import TOLD
from symattn.documents.report import Checked, Claim
from symattn.errors import one_line
from symattn.numbers.rounding import plain_digits, plain_value
from symattn.rendering.language import Language
from symattn.rendering.verifying.said import said

Mark = Literal["✓", "~", "✗"]

GUARD: Final = 2
"""Digits of an exact value that are shown after those that the author wrote."""

LONG: Final = 120
"""Characters beyond which a working or an exact form is cut."""

SHORT: Final = 48
"""The same, for what is written: a whole matrix may be."""

OPEN: Final = (Verdict.UNDECIDED, Verdict.UNREADABLE)
BY_DIGITS: Final = frozenset({Verdict.EXACT, Verdict.ROUNDED, Verdict.TRUNCATED, Verdict.LAST_DIGIT, Verdict.WRONG})
"""Verdicts that the number, its exact value and the right digits explain; the others need the judge's own words."""

COUNTS: Final = ("claims", "right", "findings", "undecided", "unreadable")


def mark(claim: Claim) -> Mark:
    """✗ for a finding; ~ for what stayed open, or is right in itself but not what the definitions give; else ✓."""
    if claim.finding:
        return "✗"
    return "✓" if claim.right and claim.carried is None else "~"


def counts(*documents: Checked) -> dict[str, int]:
    """How many claims there are, and how they were judged, by the names of `COUNTS`."""
    return {
        "claims": sum(len(checked.claims) for checked in documents),
        "right": sum(claim.right for checked in documents for claim in checked.claims),
        "findings": sum(len(checked.findings) for checked in documents),
        "undecided": sum(checked.count(Verdict.UNDECIDED) for checked in documents),
        "unreadable": sum(checked.count(Verdict.UNREADABLE) for checked in documents),
    }


@dataclass(frozen=True, slots=True)
class Told:
    """A remark as it is told: what the reader of the document noted, or what was seen in the document as a whole."""

    line: int
    column: int
    kind: str
    message: str


def remarks(checked: Checked, *, minor: bool = True) -> tuple[Told, ...]:
    """The remarks on a document, in the order of its lines, each told once; minor ones where they are asked for."""
    document = checked.document
    told = [
        Told(item.place.line, item.place.column, item.kind, item.message)
        for item in checked.remarks
        if minor or not item.minor
    ]
    known = {(item.line, item.message) for item in told}
    for note in document.notes:
        line, column = document.place(note.offset)
        if (line, note.message) not in known:
            told.append(Told(line, column, note.kind, note.message))
    return tuple(sorted(told, key=lambda item: (item.line, item.column)))


def leading(claim: Claim) -> tuple[str, str]:
    """A relation and the first digits of the exact value: "=" with dots where it goes on; empty where there is none.

    Digits are cut, not rounded, so that what is shown stands in the certified decimal; a decimal that may have been
    carried up to zeros is told as "≈".
    """
    if claim.decimal is None:
        return "", ""
    match = re.fullmatch(r"(-?\d+)(?:\.(\d+))?", claim.decimal, re.ASCII)
    exact = None if claim.exact is None else plain_value(claim.exact)
    if not match or (exact is not None and exact == plain_value(claim.decimal)):
        return "=", plain(claim.decimal)
    whole, fraction = match[1], match[2] or ""
    written = plain_digits(claim.expected or claim.text)
    cut = (max(written.places, 0) if written else GUARD) + GUARD
    if not fraction[cut:].strip("0"):
        return "≈", claim.decimal
    return "=", f"{whole}.{fraction[:cut]}…"


def plain(decimal: str) -> str:
    """A decimal without trailing zeros.

    >>> plain("3.500"), plain("120")
    ('3.5', '120')
    """
    digits = plain_digits(decimal)
    return decimal if digits is None else digits.stripped


def _without_cause(claim: Claim) -> str:
    """The message without the slip, which is told beside it."""
    return claim.message.removesuffix(f": {TOLD[claim.cause]}") if claim.cause in TOLD else claim.message


def would_be(claim: Claim) -> str:
    """What stands there once everything before it is mended."""
    return _like(claim.from_definitions or claim.expected or "", claim.text)


def _like(expected: str, written: str) -> str:
    """A decimal with the decimal sign that the author writes.

    >>> _like("1.18", "1,17"), _like("1.18", "1{,}17"), _like("1.18", "1.17")
    ('1,18', '1,18', '1.18')
    """
    return expected.replace(".", ",") if re.fullmatch(r"[^.]*\d\{?,\}?\d[^.]*", written) else expected


def spot(place: Place) -> str:
    """A place as line and column."""
    return f"{place.line}:{place.column}"


@dataclass(frozen=True, slots=True)
class Telling:
    """How a report is told: in which language, and whether nothing is left out."""

    language: Language
    verbose: bool = False

    def words(self, key: str, /, **places: str) -> str:
        """A phrase of the reports."""
        return self.language.words(f"verify_{key}", **places)

    def count(self, key: str, number: int) -> str:
        """A number of things: "1 claim", "2 claims"."""
        return self.words(f"n_{key}_one" if number == 1 else f"n_{key}", n=str(number))

    def summary(self, *documents: Checked) -> str:
        """The line of numbers; where nothing was found to check, that is what it says."""
        found = counts(*documents)
        if not found["claims"]:
            return self.words("nothing")
        return self.words("comma").join(self.count(key, found[key]) for key in COUNTS)

    def total(self, documents: tuple[Checked, ...]) -> str:
        """The numbers of several documents together."""
        return self.words("colon").join((self.count("documents", len(documents)), self.summary(*documents)))

    def verdict(self, verdict: Verdict) -> str:
        """The name of a verdict."""
        return self.words(f"verdict_{verdict.value}")

    def change(self, claim: Claim) -> str:
        """What is written, and what is right: "1.17 → 1.18"."""
        written = one_line(claim.text, SHORT)
        return f"{written} → {_like(claim.expected, claim.text)}" if claim.expected and not claim.right else written

    def named(self, claim: Claim) -> str:
        """The label of a claim, if it has one, and what is written."""
        return f"{one_line(claim.label, LONG)} {one_line(claim.text, SHORT)}".strip()

    def value(self, claim: Claim) -> str:
        """What was worked out and its first digits: "2/1.7 = 1.1764…"; as much of it as is known.

        Where a whole matrix was worked out, the entry is named in its place.
        """
        relation, digits = leading(claim)
        table = ";" in claim.working or claim.working.startswith("[")
        working = said(claim.working, self.language)
        head = one_line((claim.label if table else "") or working or claim.exact or "", LONG)
        if head and digits and head != digits:
            return f"{head} {relation} {digits}"
        return head or digits

    def message(self, claim: Claim) -> str:
        """What the judge says; in another language than his, what the numbers say, where that is all of it."""
        shown = self.value(claim)
        if claim.message and (self.language.key == "en" or claim.verdict not in BY_DIGITS or not shown):
            return said(one_line(_without_cause(claim)), self.language)
        if claim.verdict in BY_DIGITS and shown and claim.expected:
            return self.words(
                f"message_{claim.verdict.value}",
                value=shown,
                expected=claim.expected,
                text=one_line(claim.text, LONG),
            )
        return shown or self.verdict(claim.verdict)

    def remark(self, remark: Told) -> str:
        """What was seen in a document as a whole."""
        return said(one_line(remark.message), self.language)

    def reason(self, claim: Claim) -> str:
        """Why, short enough for one line: what was worked out, or the message; and the slip behind it."""
        explained = claim.verdict in BY_DIGITS or (claim.verdict is Verdict.WRONG_STEP and claim.cause)
        by_value = explained and claim.working and claim.decimal
        why = self.value(claim) if by_value else self.message(claim)
        return self.words("comma").join(part for part in (why, self.cause(claim)) if part)

    def cause(self, claim: Claim) -> str:
        """The slip that gives the author's number; empty where none is known."""
        return self._known("cause", claim.cause)

    def carried(self, claim: Claim) -> str:
        """Why a right claim is not what the definitions give; empty where it is."""
        if claim.carried is None:
            return ""
        told = self._known("carried", claim.carried)
        return f"{told} ({spot(claim.origin)})" if claim.origin else told

    def notes(self, claim: Claim) -> tuple[str, ...]:
        """The notes on a claim, and that it stands at a tie."""
        return (
            *(self._known("note", note) for note in claim.notes),
            *((self.words("note_tie"),) if claim.tie else ()),
        )

    def _known(self, group: str, name: str | None) -> str:
        """The phrase for a name; a name that has none is shown as it is."""
        if not name:
            return ""
        key = f"verify_{group}_{name}"
        return self.language.words(key) if key in self.language.phrases else one_line(name, LONG)
