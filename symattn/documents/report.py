"""What verifying a document leaves: a verdict on every number that its author wrote as the result of something.

Arrives: nothing. Leaves: frozen records; rendering/ turns them into text, JSON, annotations and pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Document, Place

Route = Literal["written", "givens", "definitions", ""]
Carried = Literal["inherited", "stated_approximation", "early_rounding"]

NO_FINDING = frozenset({Verdict.EXACT, Verdict.ROUNDED, Verdict.UNDECIDED, Verdict.UNREADABLE})


@dataclass(frozen=True, slots=True)
class Claim:
    """One number on paper, and what is to be said of it.

    `span` are the offsets of the number in the document's source. `label` and `stage` name the quantity where it could
    be placed ("Scaled[2,1]", "scaled_scores"), `relation` is the sign before it. `route` is what the verdict rests on:
    the numbers displayed just before, or the quantities given earlier. `expected` is the right value, half-up, at the
    author's number of digits; `exact` its exact form; `decimal` its certified decimal; `working` what was worked out
    ("2/1.7"). `from_givens` and `from_definitions` are the right values by the other routes, at the author's digits.
    `carried` says why a right claim differs from the definitions, `origin` where that came from. `root_cause` is the
    place of the finding that explains this one. `notes` are remarks such as equals_for_rounded.
    """

    place: Place
    span: tuple[int, int]
    text: str
    verdict: Verdict
    message: str
    label: str = ""
    stage: str = ""
    relation: str = "="
    route: Route = ""
    expected: str | None = None
    exact: str | None = None
    decimal: str | None = None
    working: str = ""
    from_givens: str | None = None
    from_definitions: str | None = None
    carried: Carried | None = None
    origin: Place | None = None
    cause: str | None = None
    root_cause: Place | None = None
    tie: bool = False
    notes: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether the number is right."""
        return self.verdict in {Verdict.EXACT, Verdict.ROUNDED}

    @property
    def finding(self) -> bool:
        """Whether something is wrong with it."""
        return self.verdict not in NO_FINDING

    @property
    def certain(self) -> bool:
        """Whether a correction may be applied: cut off, one off or wrong, decided from the numbers displayed."""
        wrong = self.verdict in {Verdict.TRUNCATED, Verdict.LAST_DIGIT, Verdict.WRONG}
        return wrong and self.route == "written" and self.expected is not None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about the document as a whole, such as a row of weights that does not sum to 1.

    A `minor` one is as it should be, and told only where everything is.
    """

    place: Place
    kind: Literal["structure", "constant", "reading"]
    message: str
    minor: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """One document with its claims, in the order of the source, and remarks."""

    document: Document
    claims: tuple[Claim, ...]
    remarks: tuple[Remark, ...] = ()

    @property
    def findings(self) -> tuple[Claim, ...]:
        """The claims with something wrong."""
        return tuple(claim for claim in self.claims if claim.finding)

    def count(self, verdict: Verdict) -> int:
        """How many claims have a verdict."""
        return sum(claim.verdict is verdict for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Report:
    """The documents that were verified."""

    documents: tuple[Checked, ...]

    def __iter__(self) -> Iterator[Checked]:
        return iter(self.documents)

    @property
    def findings(self) -> tuple[Claim, ...]:
        """All findings, document by document."""
        return tuple(claim for checked in self.documents for claim in checked.findings)

    def exit_code(self, *, strict: bool = False) -> int:
        """0 without a finding, else 1; strict: 1 also where anything stayed open or nothing was checked."""
        if self.findings:
            return 1
        open_ = any(checked.count(v) for checked in self for v in (Verdict.UNDECIDED, Verdict.UNREADABLE))
        empty = any(not checked.claims for checked in self)
        return int(strict and (open_ or empty))
