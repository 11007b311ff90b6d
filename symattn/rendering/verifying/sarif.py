"""A report as SARIF 2.1.0, the format that code scanners exchange.

Arrives: a report. Leaves: one run whose rules are the verdicts and whose results are the findings and what stayed open.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Document, Place
from symattn.documents.report import Checked, Claim, Report
from symattn.numbers.rounding import plain_digits
from symattn.rendering.comparing.data import as_json
from symattn.rendering.verifying.data import claim_data
from symattn.rendering.verifying.told import OPEN, Telling, Told, remarks

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
RULES: Final = tuple(Verdict)
"""A verdict's place here is the index of its rule."""

SNIPPET: Final = 400
"""Characters of a source line beyond which it is not quoted."""


def report_sarif(report: Report, telling: Telling) -> str:
    """The report as SARIF."""
    documents = tuple(report)
    run = {
        "tool": {
            "driver": {
                "name": "symattn",
                "version": version("symattn"),
                "rules": [_rule(verdict, telling) for verdict in RULES],
            }
        },
        "language": telling.language.key,
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "artifacts": [{"location": _location(checked.document)} for checked in documents],
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    notification
                    for index, checked in enumerate(documents)
                    for notification in _notifications(checked, index, telling)
                ],
            }
        ],
        "results": [
            _result(checked.document, index, claim, telling)
            for index, checked in enumerate(documents)
            for claim in checked.claims
            if claim.finding or claim.verdict in OPEN or telling.verbose
        ],
    }
    return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(verdict: Verdict, telling: Telling) -> dict[str, Any]:
    finding = verdict not in {Verdict.EXACT, Verdict.ROUNDED, *OPEN}
    told = telling.words(f"rule_{verdict.value}")
    return {
        "id": verdict.value,
        "name": "".join(part.title() for part in verdict.value.split("_")),
        "shortDescription": {"text": telling.verdict(verdict)},
        "fullDescription": {"text": told},
        "defaultConfiguration": {"level": "error" if finding else "none"},
    }


def _result(document: Document, index: int, claim: Claim, telling: Telling) -> dict[str, Any]:
    # only what failed has a level: the format wants "none" for what passed and for what stayed open
    kind = "fail" if claim.finding else "open" if claim.verdict in OPEN else "pass"
    data = claim_data(claim)
    parts = (telling.message(claim), telling.cause(claim), telling.carried(claim), *telling.notes(claim))
    result: dict[str, Any] = {
        "ruleId": claim.verdict.value,
        "ruleIndex": RULES.index(claim.verdict),
        "kind": kind,
        "level": "error" if kind == "fail" else "none",
        "message": {"text": telling.words("semicolon").join(part for part in parts if part)},
        "locations": [_physical(document, index, claim.place, snippet=True)],
        "properties": {name: data[name] for name in _PROPERTIES if data[name] not in (None, [])},
    }
    back = claim.root_cause if claim.finding else claim.origin
    if back is not None and back != claim.place:
        text = telling.words("explained_by", place=f"{back.line}:{back.column}")
        result["relatedLocations"] = [{**_physical(document, index, back), "message": {"text": text}}]
    # digits in another notation, such as 0{,}67, are not replaced by plain ones
    if claim.certain and plain_digits(claim.text) is not None:
        replacement = {
            "deletedRegion": _region(claim.place),
            "insertedContent": {"text": claim.expected},
        }
        change = {"artifactLocation": _location(document, index), "replacements": [replacement]}
        result["fixes"] = [{"description": {"text": telling.change(claim)}, "artifactChanges": [change]}]
    return result


_PROPERTIES: Final = (
    "text", "label", "stage", "relation", "route", "expected", "exact", "decimal", "working", "from_givens",
    "from_definitions", "carried", "cause", "tie", "notes",
)  # fmt: skip


def _notifications(checked: Checked, index: int, telling: Telling) -> list[dict[str, Any]]:
    told = [_notification(checked.document, index, note, telling) for note in remarks(checked)]
    if not checked.claims:
        told.append(_notification(checked.document, index, Told(1, 1, "reading", telling.words("nothing")), telling))
    return told


def _notification(document: Document, index: int, note: Told, telling: Telling) -> dict[str, Any]:
    place = Place(note.line, note.column, note.line, note.column)
    return {
        "level": "note",
        "message": {"text": telling.remark(note)},
        "locations": [_physical(document, index, place)],
        "properties": {"kind": note.kind},
    }


def _physical(document: Document, index: int, place: Place, *, snippet: bool = False) -> dict[str, Any]:
    region = _region(place)
    line = document.line(place.line)
    if snippet and place.line == place.end_line and len(line) <= SNIPPET:
        region["snippet"] = {"text": line[place.column - 1 : place.end_column - 1]}
    return {"physicalLocation": {"artifactLocation": _location(document, index), "region": region}}


def _region(place: Place) -> dict[str, Any]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _location(document: Document, index: int | None = None) -> dict[str, Any]:
    """The document's address: relative where its path is."""
    path = Path(document.path)
    try:
        raw = path.as_posix().encode("utf-8", "surrogateescape")  # the bytes of a name that is no text
    except UnicodeEncodeError:
        raw = path.as_posix().encode("utf-8", "replace")
    root = ("file://" if raw.startswith(b"/") else "file:///") if path.is_absolute() else ""
    uri = root + quote(raw, safe="/:" if root else "/")
    return {"uri": uri} if index is None else {"uri": uri, "index": index}
