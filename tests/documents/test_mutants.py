"""Right numbers of the 22 worked examples, changed one by one: each change is found, and what was there is right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from symattn.documents.report import Checked, Claim
from symattn.documents.verify import verify

CORPUS: Final = sorted(path for path in (Path(__file__).parents[1] / "corpus").glob("[0-9]*") if path.suffix != ".json")
FIRST: Final = 3
"""Where the first change of a document stands."""

EACH: Final = 8
"""Changes of each document."""

EITHER_WAY: Final = {
    # right by another way that the document takes as well, or whole numbers that stand there without a word
    ("17", "2.828", "2.829"): "4/1.414, with the root as it is displayed",
    ("30", "0.32", "0.33"): "at full precision",
    ("30", "0.68", "0.67"): "at full precision",
    **{("27", old, new): "a bare list of whole numbers" for old in "210" for new in ("-2", "-1", "3", "2", "1")},
    **{("44", "1", new): "a bare list of whole numbers" for new in ("2", "-1")},
}
FULL_OF_ERRORS: Final = ("19", "37")
"""Documents whose later findings may follow from several slips at once."""


@dataclass(frozen=True)
class Mutant:
    """A document, one of its claims, and what is written there instead."""

    path: Path
    claim: Claim
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.name[:2]}-{self.claim.place.line}.{self.claim.place.column}-{self.kind}"


@cache
def checked(path: Path) -> Checked:
    (found,) = verify(path).documents
    return found


def changes(text: str) -> Iterator[tuple[str, str]]:
    """The number a unit off in its last digit, with another digit in the middle, and with another sign."""
    at = [k for k, sign in enumerate(text) if sign.isdigit()]
    digits = "".join(text[k] for k in at)

    def put(other: str) -> str:
        signs = list(text)
        for k, digit in zip(at, other, strict=True):
            signs[k] = digit
        return "".join(signs)

    up = str(int(digits) + 1).zfill(len(digits))
    yield "unit", put(up if len(up) == len(digits) else str(int(digits) - 1))
    if len(digits) > 2:
        k = len(digits) // 2
        yield "middle", put(digits[:k] + str((int(digits[k]) + 5) % 10) + digits[k + 1 :])
    if int(digits):
        yield "sign", text[1:] if text[0] in "-−" else f"-{text}"


def number(text: str | None) -> Fraction | None:
    return Fraction(text.replace("−", "-").replace("{,}", ".").replace(",", ".")) if text else None


def mutants(path: Path) -> list[Mutant]:
    """Some changes of a document, always the same, from all over it."""
    source = checked(path).document.source
    found = []
    for claim in checked(path).claims:
        start, end = claim.span
        is_number = re.fullmatch(r"[-−]?\d+((\.|,|\{,\})\d+)?", claim.text) is not None
        if not claim.right or claim.route != "written" or not is_number or source[start:end] != claim.text:
            continue
        for kind, text in changes(claim.text):
            either = {number(claim.from_givens), number(claim.expected), number(claim.text)}
            if number(text) not in either and (path.name[:2], claim.text, text) not in EITHER_WAY:
                found.append(Mutant(path, claim, kind, text))
    step = max(1, len(found) // EACH)
    return found[FIRST % step :: step][:EACH]


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name[:2])
def test_a_changed_number_is_found(path: Path) -> None:
    before = checked(path)
    source = before.document.source
    for mutant in mutants(path):
        start, end = mutant.claim.span
        (after,) = verify(source[:start] + mutant.text + source[end:], format=before.document.format).documents
        there = [claim for claim in after.findings if claim.span[0] <= start + 1 and start < claim.span[1]]
        assert there, (mutant, mutant.claim.text, mutant.text)
        assert number(there[0].expected) in {number(mutant.claim.text), number(mutant.claim.expected)}, mutant
        shift = len(mutant.text) - (end - start)
        known = {claim.span[0] + (shift if claim.span[0] > start else 0) for claim in before.findings}
        if path.name.startswith(FULL_OF_ERRORS):
            continue
        told = [claim for claim in after.findings if claim.root_cause is None and claim not in there]
        others = [claim for claim in told if claim.span[0] not in known]
        assert [(claim.place.line, claim.text, claim.message) for claim in others] == [], mutant


def test_most_documents_are_changed() -> None:
    assert sum(len(mutants(path)) for path in CORPUS) >= 140
