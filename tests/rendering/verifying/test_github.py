"""Annotations: one command a line, and nothing from outside becomes a command or a property."""

from __future__ import annotations

import re

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Report
from symattn.rendering.verifying import render_report


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """A command as the runner reads it: split first, unescaped then."""
    match = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
    assert match, line
    properties = {}
    for part in match[2].split(","):
        name, _, text = part.partition("=")
        for code, sign in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            text = text.replace(code, sign)
        properties[name] = text
    message = match[3].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
    return match[1], properties, message


def test_a_lesson(report: Report) -> None:
    made = [parsed(line) for line in render_report(report, "github").splitlines()]
    assert [kind for kind, _, _ in made] == ["error", "error", "error", "notice", "notice"]
    assert made[1] == (
        "error",
        {
            "file": "lesson.md",
            "line": "7",
            "col": "39",
            "endLine": "7",
            "endColumn": "43",
            "title": "truncated: 1.17 → 1.18",
        },
        "2/1.7 = 1.1764… rounds to 1.18; 1.17 is cut off",
    )
    assert made[3][1]["title"] == "undecided: 0.40"
    assert made[4][2] == "1.7 is taken for a root first written 1.73"


def test_the_text_of_a_line(report: Report) -> None:
    assert render_report(report, "github", language="zh").splitlines()[1] == (
        "::error file=lesson.md,line=7,col=39,endLine=7,endColumn=43,title=截断：1.17 → 1.18"
        "::2/1.7 = 1.1764…，舍入为 1.18；1.17 是截断"
    )


def test_words_from_outside_are_only_words(nasty: tuple[str, Report]) -> None:
    word, report = nasty
    lines = render_report(report, "github").split("\n")
    assert lines.pop() == ""
    assert len(lines) >= 3  # the reader of the document may have a note of its own
    for line in lines:
        _, properties, _ = parsed(line)
        assert list(properties) == ["file", "line", "col", "endLine", "endColumn", "title"]
        assert properties["file"] == f"folder/{word}.md".replace("\ud800", "\ufffd")


def test_columns_are_left_out_over_several_lines_and_the_file_for_standard_input(claim) -> None:  # type: ignore[no-untyped-def]
    document = read_document("a 1\n2 b")
    made = Report((Checked(document, (claim(document, "1\n2", Verdict.UNREADABLE, message="no"),)),))
    assert render_report(made, "github") == "::notice line=1,endLine=2,title=unreadable%3A 1\\n2::no\n"


def test_nothing_found_is_said_and_verbose_tells_right_ones(silent: Report, report: Report) -> None:
    assert render_report(silent, "github") == (
        "::notice file=silent.md,title=symattn::Nothing was found that could be checked.\n"
    )
    assert len(render_report(report, "github", verbose=True).splitlines()) == 10
