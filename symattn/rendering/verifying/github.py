"""A report as annotations of a GitHub workflow: one command a line, in the escapes that its runner undoes.

Arrives: a report. Leaves: `::error` for findings, `::notice` for what stayed open and for notes on the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from symattn.documents.formats.document import Document, Place
from symattn.documents.report import Checked, Claim, Report
from symattn.rendering.verifying.told import OPEN, Telling, remarks

_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def report_github(report: Report, telling: Telling) -> str:
    """The report as workflow commands; empty where there is nothing to say."""
    return "".join(f"{line}\n" for checked in report for line in _document(checked, telling))


def _document(checked: Checked, telling: Telling) -> Iterator[str]:
    document = checked.document
    for claim in checked.claims:
        if claim.finding or claim.verdict in OPEN or telling.verbose:
            yield _claim(document, claim, telling)
    for remark in remarks(checked, minor=telling.verbose):
        place = Place(remark.line, remark.column, remark.line, remark.column + 1)
        yield _command("notice", document, place, telling.words("remark"), telling.remark(remark))
    if not checked.claims:
        yield _command("notice", document, None, "symattn", telling.words("nothing"))


def _claim(document: Document, claim: Claim, telling: Telling) -> str:
    title = f"{telling.verdict(claim.verdict)}{telling.words('colon')}{telling.change(claim)}"
    parts = (telling.message(claim), telling.cause(claim), telling.carried(claim), *telling.notes(claim))
    message = telling.words("semicolon").join(part for part in parts if part)
    return _command("error" if claim.finding else "notice", document, claim.place, title, message)


def _command(kind: str, document: Document, place: Place | None, title: str, message: str) -> str:
    properties: dict[str, str] = {}
    if document.path != "-":
        properties["file"] = document.path
    if place is not None:
        properties["line"] = str(place.line)
        if place.line == place.end_line:  # columns are refused where a place runs over several lines
            properties["col"] = str(place.column)
        properties["endLine"] = str(place.end_line)
        if place.line == place.end_line:
            properties["endColumn"] = str(place.end_column)
    properties["title"] = title
    told = ",".join(f"{name}={text.translate(_PROPERTY)}" for name, text in properties.items())
    return f"::{kind} {told}::{message.translate(_DATA)}"
