"""Markdown for a comment: a table and the story, read back by a Markdown reader."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Report
from symattn.rendering.verifying import render_report
from symattn.rendering.words import visible


def test_a_lesson(report: Report) -> None:
    made = render_report(report, "markdown")
    lines = made.splitlines()
    assert lines[0] == "### lesson.md"
    assert lines[2] == "**9 claims, 5 right, 3 findings, 1 undecided, 0 unreadable**"
    assert "| 7:39 | ✗ truncated | 1.17 | 1.18 | 2/1.7 = 1.1764… |" in lines
    assert r"- 7\:39  Scaled\[2,1\] 1.17 → 1.18\: 2/1.7 = 1.1764…" in lines
    assert "<details><summary>Not judged (1)</summary>" in lines
    assert "- 9:17 undecided 0.40: what these are weights of is not said" in lines
    assert "- 7: 1.7 is taken for a root first written 1.73" in lines
    html = MarkdownIt("commonmark").enable("table").render(made)
    assert html.count("<tr>") == 4


def test_verbose_and_several(report: Report, silent: Report) -> None:
    made = render_report(Report((*report, *silent)), "markdown", verbose=True, language="zh")
    assert sum(line.startswith("| ") for line in made.splitlines()) == 10
    assert "| 11:12 | ✓ 精确 | 3.5 |" not in made
    assert re.search(r"\| 11:12 \| \\?~ 精确 \| 3\.5 \|", made)
    assert "**没有找到可以检查的数。**" in made
    assert made.endswith("**2 份文档：9 个结论，5 个正确，3 处问题，1 个无法判定，0 个无法读取**\n")


def test_words_from_outside_are_only_words(nasty: tuple[str, Report]) -> None:
    word, report = nasty
    made = render_report(report, "markdown")
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(made)
    rows = [t for t in tokens if t.type == "tr_open"]
    cells = [t for t in tokens if t.type in {"td_open", "th_open"}]
    assert (len(rows), len(cells)) == (2, 10)
    inside = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inside} <= {"text", "strong_open", "strong_close", "softbreak", "text_special"}
    blocks = {token.content.strip() for token in tokens if token.type == "html_block"}
    assert all(re.fullmatch(r"</?details>(<summary>[\w ]+ \(\d\)</summary>)?", block) for block in blocks)
    text = "".join(child.content for child in inside)
    assert visible(f"folder/{word}.md").replace("\ud800", "\ufffd") in text.replace("\u2068", "").replace("\u2069", "")


def test_a_long_table_is_cut(claim) -> None:  # type: ignore[no-untyped-def]
    document = read_document(" ".join(str(i) for i in range(1000, 1150)), path="a.md")
    claims = tuple(claim(document, str(i), Verdict.WRONG) for i in range(1000, 1150))
    made = render_report(Report((Checked(document, claims),)), "markdown")
    assert sum("✗" in line for line in made.splitlines()) == 100
    assert "… and 50 more." in made
