"""SARIF, held against its schema."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Report
from symattn.rendering.verifying import render_report

SCHEMA = json.loads((Path(__file__).parents[2] / "data" / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))


def run_of(report: Report, **choices: Any) -> dict[str, Any]:
    """The run of a report whose SARIF is valid."""
    made = json.loads(render_report(report, "sarif", **choices).encode("utf-8"))
    jsonschema.Draft4Validator(SCHEMA).validate(made)
    (run,) = made["runs"]
    assert all(run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    return run


def test_the_schema_refuses_what_is_none() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SCHEMA).validate({"version": "2.1.0", "runs": [{}]})


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("verbose", [False, True])
def test_a_lesson_is_valid(report: Report, silent: Report, language: str, verbose: bool) -> None:
    run = run_of(Report((*report, *silent)), language=language, verbose=verbose)
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [verdict.value for verdict in Verdict]
    kinds = [result["kind"] for result in run["results"]]
    assert (kinds.count("fail"), kinds.count("open"), kinds.count("pass")) == (3, 1, 5 if verbose else 0)
    assert all((result["level"] == "error") == (result["kind"] == "fail") for result in run["results"])


def test_a_result(report: Report) -> None:
    result = run_of(report)["results"][2]
    assert result["message"]["text"] == "2/1.7 = 1.1764… rounds to 1.18; 1.17 is cut off"
    (location,) = result["locations"]
    region = {"startLine": 7, "startColumn": 53, "endLine": 7, "endColumn": 57}
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "lesson.md", "index": 0},
        "region": {**region, "snippet": {"text": "1.17"}},
    }
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"]["startColumn"] == 39
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "1.18"}}]
    assert result["properties"]["exact"] == "20/17"


def test_notes_and_empty_documents_are_notifications(report: Report, silent: Report) -> None:
    (invocation,) = run_of(Report((*report, *silent)))["invocations"]
    told = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    assert told == ["1.7 is taken for a root first written 1.73", "Nothing was found that could be checked."]
    places = [note["locations"][0]["physicalLocation"] for note in invocation["toolExecutionNotifications"]]
    assert [place["artifactLocation"]["uri"] for place in places] == ["lesson.md", "silent.md"]


def test_words_from_outside_are_only_words(nasty: tuple[str, Report]) -> None:
    run = run_of(nasty[1])
    (artifact,) = run["artifacts"]
    assert artifact["location"]["uri"].startswith("folder/")
    assert artifact["location"]["uri"].isascii()
    assert run["results"][1]["properties"]["label"] == nasty[0].replace("\ud800", "\ufffd")


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("-", "-"),
        ("a b/c#1?.md", "a%20b/c%231%3F.md"),
        ("/home/词.md", "file:///home/%E8%AF%8D.md"),
        ("\udcff.md", "%FF.md"),
    ],
)
def test_addresses(lesson: Checked, path: str, uri: str) -> None:
    run = run_of(Report((replace(lesson, document=replace(lesson.document, path=path)),)))
    assert run["artifacts"][0]["location"]["uri"] == uri


def test_digits_in_another_spelling_are_not_replaced_by_plain_ones(claim) -> None:  # type: ignore[no-untyped-def]
    document = read_document("x = 1{,}17", path="a.md")
    made = claim(document, "1{,}17", Verdict.TRUNCATED, expected="1.18", route="written")
    assert "fixes" not in run_of(Report((Checked(document, (made,)),)))["results"][0]
