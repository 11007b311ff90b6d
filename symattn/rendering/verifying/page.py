"""A report as one self-contained page: the document itself, each of its numbers marked, with what is to be said of it.

Arrives: a report. Leaves: HTML that asks nothing of the network. The source is shown as it stands, line by line; what
is added to it (marks, line numbers) is added by styles, so that the text of the page is the text of the document.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from symattn.documents.report import Checked, Claim, Report
from symattn.errors import one_line
from symattn.rendering.templates import template
from symattn.rendering.verifying.sentences import told_stories
from symattn.rendering.verifying.told import OPEN, Mark, Telling, mark, remarks, spot
from symattn.rendering.verifying.working import facts
from symattn.rendering.words import visible

CLASSES: Final[dict[Mark, str]] = {"✓": "good", "~": "open", "✗": "bad"}
WORST: Final[tuple[Mark, ...]] = ("✗", "~", "✓")

TOLD: Final = ("quantity", "written", "verdict", "working", "exact", "decimal", "expected", "from_givens",
               "from_definitions", "cause", "root_cause", "carried", "notes")  # fmt: skip
"""What is said of a number on the page, in this order."""

LONG: Final = 300
"""Characters of a fact beyond which it is cut on the page."""

SHOWN: Final = 50
"""Entries of a list above the document beyond which only their number is told; each number is marked in any case."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of one line: unmarked where no claim stands on it. `heads` are the claims that begin here."""

    text: str
    claims: tuple[int, ...] = ()
    mark: Mark = "✓"
    heads: tuple[int, ...] = ()

    @property
    def style(self) -> str:
        """The class of the mark."""
        return CLASSES[self.mark]


def report_html(report: Report, telling: Telling) -> str:
    """The report as a page."""
    documents = tuple(report)
    if len(documents) == 1:
        title = telling.words("title", path=_name(documents[0]))
    else:
        title = telling.words("title_several", count=telling.count("documents", len(documents)))
    return template("verify.html.j2").render(
        title=title,
        language={"zh": "zh-Hans", "en": "en"}[telling.language.key],
        say=telling.words,
        documents=[_document(checked, f"d{number}", telling) for number, checked in enumerate(documents, 1)],
        several=len(documents) > 1,
        digits=len(str(max((len(checked.document.line_starts) for checked in documents), default=1))),
        summary=telling.summary(*documents),
    )


def _name(checked: Checked) -> str:
    return visible(one_line(checked.document.path, 200))


def _document(checked: Checked, key: str, telling: Telling) -> dict[str, Any]:
    left = [claim for claim in checked.claims if claim.verdict in OPEN]
    told = remarks(checked, minor=telling.verbose)
    lines = pieces(checked)
    targets = _targets(checked, key, lines)
    return {
        "key": key,
        "path": _name(checked),
        "summary": telling.summary(checked),
        "story": [
            {
                "target": targets[id(story.first)],
                "first": first,
                "rest": rest,
                "links": [
                    (targets[id(claim)], telling.named(claim)) for claim in (*story.explains, *story.inherited)[:SHOWN]
                ],
            }
            for story, (first, *rest) in told_stories(checked, telling)
        ],
        "findings": [_entry(claim, targets, telling) for claim in checked.findings[:SHOWN]],
        "more_findings": max(0, len(checked.findings) - SHOWN),
        "open": [_entry(claim, targets, telling) for claim in left[:SHOWN]],
        "more_open": max(0, len(left) - SHOWN),
        "remarks": [(note.line, f"{key}l{note.line}", telling.remark(note)) for note in told[:SHOWN]],
        "more_remarks": max(0, len(told) - SHOWN),
        "lines": lines,
        "tips": [_tip(claim, telling) for claim in checked.claims],
    }


def _targets(checked: Checked, key: str, lines: list[list[Piece]]) -> dict[int, str]:
    """The anchor of each claim, by its identity: the piece where it begins, else its line."""
    anchors = {number: piece.heads[0] for line in lines for piece in line for number in piece.heads}
    return {
        id(claim): f"{key}c{anchors[number]}" if number in anchors else f"{key}l{claim.place.line}"
        for number, claim in enumerate(checked.claims)
    }


def _entry(claim: Claim, targets: dict[int, str], telling: Telling) -> dict[str, str]:
    why = (telling.reason(claim), *telling.notes(claim))
    return {
        "target": targets[id(claim)],
        "spot": spot(claim.place),
        "mark": mark(claim),
        "style": CLASSES[mark(claim)],
        "verdict": telling.verdict(claim.verdict),
        "change": telling.change(claim),
        "why": telling.words("semicolon").join(part for part in why if part),
    }


def _tip(claim: Claim, telling: Telling) -> dict[str, Any]:
    told = {name: one_line(text, LONG) for name, text in facts(claim, telling) if text}
    if claim.right and told.get("expected") == claim.text:
        del told["expected"]
    if told.get("decimal") == told.get("exact"):
        told.pop("decimal", None)
    rows = [(telling.words(f"label_{name}"), told[name]) for name in TOLD if name in told]
    return {"mark": mark(claim), "style": CLASSES[mark(claim)], "facts": rows}


def pieces(checked: Checked) -> list[list[Piece]]:
    """The lines of the source, each cut where a claim begins or ends; what is marked by several takes the worst mark.

    Claims may overlap or lie in one another; an empty one marks the character behind it, else the one before.
    """
    document = checked.document
    spans = [_span(claim.span, len(document.source)) for claim in checked.claims]
    marks = [mark(claim) for claim in checked.claims]
    # what ends at an offset goes before what begins there
    events = deque(
        sorted((at, begins, number) for number, span in enumerate(spans) for begins, at in enumerate(reversed(span)))
    )
    cuts = deque(sorted({at for span in spans for at in span}))
    active: dict[int, bool] = {}  # the claims that stand here: whether a piece of them was told yet
    out = []
    for number, start in enumerate(document.line_starts, 1):
        end = start + len(document.line(number))
        line: list[Piece] = []
        while start < end:
            while events and events[0][0] <= start:
                _, begins, claim = events.popleft()
                if begins:
                    active[claim] = False
                else:
                    del active[claim]
            while cuts and cuts[0] <= start:
                cuts.popleft()
            stop = min(end, cuts[0]) if cuts else end
            heads = tuple(claim for claim, told in active.items() if not told)
            worst = next((sign for sign in WORST if any(marks[claim] == sign for claim in active)), WORST[-1])
            line.append(Piece(_shown(document.source[start:stop]), tuple(active), worst, heads))
            active = dict.fromkeys(active, True)
            start = stop
        out.append(line)
    return out


def _span(span: tuple[int, int], length: int) -> tuple[int, int]:
    start, end = max(0, min(span[0], length)), max(0, min(span[1], length))
    if end > start:
        return start, end
    return (start, start + 1) if start < length else (max(0, start - 1), start)


def _shown(text: str) -> str:
    """Text of one line in which tabs stay and characters that act unseen are named."""
    return "\t".join(map(visible, text.split("\t")))
