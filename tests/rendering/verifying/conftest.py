"""Reports built by hand: a document, and claims on what stands in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Document, Place
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Claim, Remark, Report

Maker = Callable[..., Claim]

LESSON = r"""# Two words

$Q = \begin{bmatrix} 2 & 0 \\ 1 & 2 \end{bmatrix}$

Scores $1 \cdot 1 + 2 \cdot 0 = 2$

Scaled $[3/1.7, 2/1.7] \approx [1.76, 1.17]$, again 1.17

Weights $[0.50, 0.40]$

Output [6, 3.5]
"""


def make(document: Document, text: str, verdict: Verdict = Verdict.EXACT, *, after: str = "", **facts: Any) -> Claim:
    """A claim on the first `text` behind `after`."""
    begin = document.source.index(after) + len(after) if after else 0
    start = document.source.index(text, begin)
    (line, column), end = document.place(start), start + len(text)
    end_line, end_column = document.place(end - 1)
    place = Place(line, column, end_line, end_column + 1)
    return Claim(place, (start, end), text, verdict, facts.pop("message", ""), **facts)


@pytest.fixture(scope="session")
def claim() -> Maker:
    return make


@pytest.fixture
def lesson() -> Checked:
    """A slip in Q that was inherited to the output, one number cut off twice, one that nobody can judge, a remark."""
    document = read_document(LESSON, path="lesson.md")
    q = make(
        document, "1", Verdict.INCONSISTENT, after=r"0 \\ ", message="row 2 of X·W_Q is [0, 2], but Q[2,1] is 1",
        label="Q[2,1]", stage="projection", route="givens", expected="0", exact="0", decimal="0",
    )  # fmt: skip
    inherited: dict[str, Any] = {"carried": "inherited", "origin": q.place, "route": "written"}
    score = make(
        document, "2", after="0 = ", label="Scores[2,1]", stage="scores", working="1·1 + 2·0", exact="2", decimal="2",
        expected="2", from_definitions="1", **inherited,
    )  # fmt: skip
    cut: dict[str, Any] = {
        "message": "2/1.7 = 1.1764… rounds to 1.18; 1.17 is cut off", "stage": "scaled_scores", "relation": "≈",
        "route": "written", "expected": "1.18", "exact": "20/17", "decimal": "1.176470588235", "working": "2/1.7",
    }  # fmt: skip
    first = make(document, "1.17", Verdict.TRUNCATED, label="Scaled[2,1]", **cut)
    claims = (
        q,
        score,
        make(document, "1.76", Verdict.ROUNDED, message="3/1.7 = 1.7647… rounds to 1.76", label="Scaled[1,1]",
             stage="scaled_scores", relation="≈", route="written", expected="1.76", exact="30/17",
             decimal="1.764705882353", working="3/1.7", from_definitions="1.73", carried="stated_approximation"),
        first,
        replace(make(document, "1.17", Verdict.TRUNCATED, after="again ", **cut), root_cause=first.place),
        make(document, "0.50", label="Weights[2,1]", stage="attention_weights", exact="1/2", decimal="0.500000000000",
             expected="0.50", route="written"),
        make(document, "0.40", Verdict.UNDECIDED, message="what these are weights of is not said"),
        make(document, "6", after="Output ", label="Output[2,1]", stage="output", working="(10 + 2)/2", exact="6",
             decimal="6", expected="6", from_definitions="5", **inherited),
        make(document, "3.5", label="Output[2,2]", stage="output", working="(2 + 5)/2", exact="7/2", decimal="3.5",
             expected="3.5", from_definitions="3.9", **inherited),
    )  # fmt: skip
    remark = Remark(Place(7, 8, 7, 9), "constant", "1.7 is taken for a root first written 1.73")
    return Checked(document, claims, (remark,))


@pytest.fixture
def report(lesson: Checked) -> Report:
    return Report((lesson,))


@pytest.fixture
def silent() -> Report:
    """A document without a number."""
    return Report((Checked(read_document("Hello.", path="silent.md"), ()),))


NASTY = (
    "a|b", "<script>alert(1)</script>", "*x* `y` [z](javascript:1) @all #1", "50%,a:b", "line\nbreak\r\nand::error::x",
    "\u202eevil\x00\x1b[31m", "]]>", "{brace} %s \\", "&amp;", "é\u0301 词 👩‍👩‍👧", "\ud800",
)  # fmt: skip
"""Words from outside that no format may take for its own."""


@pytest.fixture(params=NASTY, ids=[f"nasty{i}" for i in range(len(NASTY))])
def nasty(request: pytest.FixtureRequest) -> tuple[str, Report]:
    """A word from outside, and a report that has it everywhere where a document can put it."""
    word: str = request.param
    document = read_document(f"x = 1.16 {word}\n", path=f"folder/{word}.md", format="markdown")
    facts: dict[str, Any] = {"label": word, "working": word, "exact": word, "cause": word, "notes": (word,)}
    wrong = make(document, "1.16", Verdict.WRONG, message=word, expected="1.18", decimal="1.18", **facts)
    odd = make(document, "x", Verdict.UNREADABLE, message=word)
    return word, Report((Checked(document, (odd, wrong), (Remark(Place(1, 1, 1, 2), "reading", word),)),))
