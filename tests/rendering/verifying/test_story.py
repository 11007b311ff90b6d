"""The story: which finding is the first fault of what, over any number of steps, and without an end to none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Claim
from symattn.rendering.verifying.story import stories

DOCUMENT = read_document("0123456789", path="a.md")


def claim(at: int, verdict: Verdict = Verdict.EXACT, **facts: Any) -> Claim:
    return Claim(Place(1, at + 1, 1, at + 2), (at, at + 1), str(at), verdict, "", **facts)


def told(*claims: Claim) -> list[tuple[str, str, str]]:
    """Each story as the digits of its first fault, of what that explains, and of what inherited it."""
    return [
        (story.first.text, "".join(c.text for c in story.explains), "".join(c.text for c in story.inherited))
        for story in stories(Checked(DOCUMENT, claims))
    ]


def test_a_lesson_is_told_by_its_first_faults(lesson: Checked) -> None:
    first, second = stories(lesson)
    assert (first.first.label, [c.label for c in first.inherited], first.explains) == (
        "Q[2,1]",
        ["Scores[2,1]", "Output[2,1]", "Output[2,2]"],
        (),
    )
    assert [c.label for c in first.results] == ["Output[2,1]", "Output[2,2]"]
    assert (second.first.label, len(second.explains), second.inherited) == ("Scaled[2,1]", 1, ())
    assert [c.place.column for c in second.results] == [53]


def test_chains_lead_back_to_their_beginning() -> None:
    a = claim(0, Verdict.WRONG)
    b = claim(1, Verdict.WRONG, root_cause=a.place)
    c = claim(2, carried="inherited", origin=b.place)
    d = claim(3, carried="inherited", origin=c.place)
    assert told(a, b, c, d) == [("0", "1", "23")]


def test_a_circle_ends() -> None:
    a = claim(0, Verdict.WRONG, root_cause=Place(1, 2, 1, 3))
    b = claim(1, Verdict.WRONG, root_cause=Place(1, 1, 1, 2))
    assert told(a, b) == [("0", "1", "")]
    own = claim(4, Verdict.WRONG, root_cause=Place(1, 5, 1, 6))
    assert told(own) == [("4", "", "")]


def test_a_cause_that_is_no_claim_or_no_finding_leaves_the_finding_alone() -> None:
    right = claim(0)
    assert told(right, claim(1, Verdict.WRONG, root_cause=right.place)) == [("1", "", "")]
    assert told(claim(1, Verdict.WRONG, root_cause=Place(9, 9, 9, 10))) == [("1", "", "")]
    assert told(claim(1, carried="inherited", origin=Place(9, 9, 9, 10))) == []
    assert told(claim(1, carried="inherited")) == []


def test_the_first_of_two_claims_at_one_place_has_the_story() -> None:
    a = claim(0, Verdict.WRONG)
    assert told(a, replace(a, verdict=Verdict.SHAPE), claim(1, carried="inherited", origin=a.place)) == [("0", "", "1")]


def test_only_what_would_be_another_number_is_a_result() -> None:
    a = claim(0, Verdict.WRONG, stage="scores")
    same = claim(1, carried="inherited", origin=a.place, stage="output", from_definitions="1")
    other = claim(2, carried="inherited", origin=a.place, stage="output", from_definitions="7")
    (story,) = stories(Checked(DOCUMENT, (a, same, other)))
    assert [c.text for c in story.results] == ["2"]
