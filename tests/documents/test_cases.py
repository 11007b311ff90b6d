"""More worked examples, in many notations and languages: every planted slip is found, and nothing right is called wrong.

Each case is a document and beside it what a careful person finds there, in the form of the corpus.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symattn.documents.report import Claim
from symattn.documents.verify import verify

CASES = sorted((Path(__file__).parent / "cases").glob("*.expect.json"))


def plain(text: str) -> str:
    """A number as it is written with a decimal point and a hyphen."""
    return text.replace("−", "-").replace("{,}", ".").replace(",", ".").replace("\\%", "%").strip("$ ")


def number(text: str | None) -> Fraction | None:
    match = re.fullmatch(r"(-?\d+(?:\.\d+)?)\s*(%?)", plain(text)) if text else None
    return Fraction(match[1]) / (100 if match[2] else 1) if match else None


def is_whole(entry: dict[str, Any]) -> bool:
    """Whether an entry stands for a matrix or a statement, told in words."""
    return any(sign in text for text in (entry["claimed"], entry["correct"]) for sign in " [")


def belongs(claim: Claim, entry: dict[str, Any]) -> bool:
    if claim.place.line != entry["line"]:
        return False
    return is_whole(entry) or plain(claim.text) == plain(entry["claimed"])


def is_corrected(claim: Claim, entry: dict[str, Any]) -> bool:
    return is_whole(entry) or (claim.expected is not None and number(claim.expected) == number(entry["correct"]))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name.removesuffix(".expect.json"))
def test_every_slip_is_found_and_nothing_else(case: Path) -> None:
    listed = json.loads(case.read_text("utf-8"))
    (found,) = verify(case.with_name(listed["input"])).documents
    assert found.claims or not listed["claims"], "nothing was found to check"
    unexplained = list(found.findings)
    for entry in listed["wrong"]:
        mine = [claim for claim in unexplained if belongs(claim, entry)]
        assert mine, f"{entry['where']}: {entry['claimed']} for {entry['correct']} was not found"
        right = [claim for claim in mine if is_corrected(claim, entry)]
        assert right, f"{entry['where']}: {entry['correct']} is right, not {[claim.expected for claim in mine]}"
        unexplained = [claim for claim in unexplained if claim not in (mine if is_whole(entry) else right[:1])]
    assert [(claim.place.line, claim.text, claim.message) for claim in unexplained] == []
