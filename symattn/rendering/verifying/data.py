"""A report as data: the JSON that other programs rely on.

Arrives: a report. Leaves: JSON with every claim, whether right or not.
"""

from __future__ import annotations

from typing import Any, Final

from symattn.documents.formats.document import Place
from symattn.documents.report import Checked, Claim, Report
from symattn.rendering.comparing.data import as_json
from symattn.rendering.verifying.told import counts, remarks

SCHEMA: Final = "symattn/verify/1"


def report_json(report: Report) -> str:
    """The report as JSON; exact values, decimals and right digits are strings, or null."""
    return as_json({"schema": SCHEMA, "documents": [_document(checked) for checked in report]})


def _document(checked: Checked) -> dict[str, Any]:
    return {
        "path": checked.document.path,
        "format": checked.document.format,
        "claims": [claim_data(claim) for claim in checked.claims],
        "notes": [
            {"line": note.line, "column": note.column, "kind": note.kind, "message": note.message}
            for note in remarks(checked)
        ],
        "summary": counts(checked),
    }


def claim_data(claim: Claim) -> dict[str, Any]:
    """One claim, in the names of the contract and some more."""
    return {
        "line": claim.place.line,
        "column": claim.place.column,
        "end_line": claim.place.end_line,
        "end_column": claim.place.end_column,
        "text": claim.text,
        "label": claim.label or None,
        "stage": claim.stage or None,
        "relation": claim.relation,
        "route": claim.route or None,
        "verdict": claim.verdict.value,
        "right": claim.right,
        "expected": claim.expected,
        "exact": claim.exact,
        "decimal": claim.decimal,
        "from_givens": claim.from_givens,
        "from_definitions": claim.from_definitions,
        "carried": claim.carried,
        "cause": claim.cause,
        "tie": claim.tie,
        "message": claim.message,
        "working": claim.working or None,
        "root_cause": _spot(claim.root_cause),
        "origin": _spot(claim.origin),
        "notes": list(claim.notes),
    }


def _spot(place: Place | None) -> dict[str, int] | None:
    return None if place is None else {"line": place.line, "column": place.column}
