"""The JSON of the contract: its keys, in its order, and what they hold."""

from __future__ import annotations

import json

from symattn.documents.report import Report
from symattn.rendering.verifying import render_report

CLAIM_KEYS = [
    "line", "column", "end_line", "end_column", "text", "label", "stage", "relation", "route", "verdict", "right",
    "expected", "exact", "decimal", "from_givens", "from_definitions", "carried", "cause", "tie", "message",
]  # fmt: skip


def test_a_lesson(report: Report) -> None:
    made = json.loads(render_report(report, "json"))
    assert list(made) == ["schema", "documents"]
    assert made["schema"] == "symattn/verify/1"
    (document,) = made["documents"]
    assert list(document) == ["path", "format", "claims", "notes", "summary"]
    assert (document["path"], document["format"]) == ("lesson.md", "markdown")
    assert document["summary"] == {"claims": 9, "right": 5, "findings": 3, "undecided": 1, "unreadable": 0}
    assert document["notes"] == [
        {"line": 7, "column": 8, "kind": "constant", "message": "1.7 is taken for a root first written 1.73"}
    ]
    assert all(list(claim)[: len(CLAIM_KEYS)] == CLAIM_KEYS for claim in document["claims"])
    assert document["claims"][3] == {
        "line": 7, "column": 39, "end_line": 7, "end_column": 43, "text": "1.17", "label": "Scaled[2,1]",
        "stage": "scaled_scores", "relation": "≈", "route": "written", "verdict": "truncated", "right": False,
        "expected": "1.18", "exact": "20/17", "decimal": "1.176470588235", "from_givens": None,
        "from_definitions": None, "carried": None, "cause": None, "tie": False,
        "message": "2/1.7 = 1.1764… rounds to 1.18; 1.17 is cut off", "working": "2/1.7", "root_cause": None,
        "origin": None, "notes": [],
    }  # fmt: skip
    assert document["claims"][4]["root_cause"] == {"line": 7, "column": 39}
    assert document["claims"][1]["origin"] == {"line": 3, "column": 31}


def test_the_language_changes_nothing(report: Report) -> None:
    assert render_report(report, "json", language="zh") == render_report(report, "json")


def test_words_from_outside_come_back(nasty: tuple[str, Report]) -> None:
    word, report = nasty
    (document,) = json.loads(render_report(report, "json").encode("utf-8"))["documents"]
    shown = word.replace("\ud800", "\ufffd")
    assert document["path"] == f"folder/{shown}.md"
    assert document["claims"][1]["label"] == document["claims"][1]["cause"] == shown


def test_nothing_found(silent: Report) -> None:
    (document,) = json.loads(render_report(silent, "json"))["documents"]
    assert document["claims"] == []
    assert document["summary"]["claims"] == 0
