"""The report for people, in both languages, plain and coloured."""

from __future__ import annotations

import re

import pytest

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Report
from symattn.errors import OptionError
from symattn.rendering.verifying import render_report

LESSON = r"""
lesson.md:3:31  inconsistent  1 → 0   row 2 of X·W_Q is [0, 2], but Q[2,1] is 1
    $Q = \begin{bmatrix} 2 & 0 \\ 1 & 2 \end{bmatrix}$
                                  ^

lesson.md:7:39  truncated  1.17 → 1.18   2/1.7 = 1.1764…
    Scaled $[3/1.7, 2/1.7] \approx [1.76, 1.17]$, again 1.17
                                          ^^^^

lesson.md:7:53  truncated  1.17 → 1.18   2/1.7 = 1.1764…; explained by 7:39
    Scaled $[3/1.7, 2/1.7] \approx [1.76, 1.17]$, again 1.17
                                                        ^^^^

lesson.md:9:17  undecided  0.40   what these are weights of is not said

lesson.md:7  note  1.7 is taken for a root first written 1.73

lesson.md: the story in one place
  3:31  Q[2,1] 1 → 0: row 2 of X·W_Q is [0, 2], but Q[2,1] is 1
    carried into 3 numbers that are right in themselves: Scores[2,1] 2 (5:33), which the definitions give as 1, and 2 more
    the results would be: Output[2,1] = 5 (not 6), Output[2,2] = 3.9 (not 3.5)
  7:39  Scaled[2,1] 1.17 → 1.18: 2/1.7 = 1.1764…
    explains 1.17 (7:53)
    the results would be: 1.18 (not 1.17)

9 claims, 5 right, 3 findings, 1 undecided, 0 unreadable
"""


def test_a_lesson(report: Report) -> None:
    assert render_report(report) == LESSON.lstrip("\n")


def test_in_chinese(report: Report) -> None:
    made = render_report(report, language="zh")
    assert "lesson.md:7:53  截断  1.17 → 1.18   2/1.7 = 1.1764…；由 7:39 引起\n" in made
    assert "lesson.md: 来龙去脉\n" in made
    assert "它传到了 3 个就其自身而言正确的数：Scores[2,1] 2 (5:33)（按定义是 1），另有 2 个\n" in made
    assert "结果本应是：Output[2,1] = 5（而不是 6），Output[2,2] = 3.9（而不是 3.5）\n" in made
    assert made.endswith("9 个结论，5 个正确，3 处问题，1 个无法判定，0 个无法读取\n")


def test_verbose_tells_every_claim_and_every_link(report: Report) -> None:
    made = render_report(report, verbose=True)
    places = re.findall(r"^lesson\.md:(\d+:\d+)  ", made, re.MULTILINE)
    assert places == ["3:31", "5:33", "7:33", "7:39", "7:53", "9:11", "9:17", "11:9", "11:12"]
    assert "exact  3.5   (2 + 5)/2 = 3.5; inherited from an earlier finding (3:31)\n" in made
    assert "rounded  1.76   3/1.7 = 1.7647…; differs from the definitions by a stated approximation" in made
    assert "Scores[2,1] 2 (5:33), which the definitions give as 1, Output[2,1] 6 (11:9), which" in made


def test_colours_only_where_asked(report: Report) -> None:
    plain, colored = render_report(report), render_report(report, color=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31m1.17\x1b[0m" in colored
    stripped = re.sub(r"\x1b\[[\d;]*m", "", colored)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


def test_nothing_to_check_is_never_all_right(silent: Report) -> None:
    assert render_report(silent) == "Nothing was found that could be checked.\n"
    assert render_report(silent, language="zh") == "没有找到可以检查的数。\n"


def test_several_documents_are_summed_up(report: Report, silent: Report) -> None:
    made = render_report(Report((*report, *silent)))
    assert "lesson.md: 9 claims, 5 right, 3 findings, 1 undecided, 0 unreadable\n" in made
    assert "silent.md: Nothing was found that could be checked.\n" in made
    assert made.endswith("2 documents: 9 claims, 5 right, 3 findings, 1 undecided, 0 unreadable\n")


def test_one_of_a_kind(claim) -> None:  # type: ignore[no-untyped-def]
    document = read_document("x = 2", path="a.md")
    made = Report((Checked(document, (claim(document, "2", Verdict.WRONG),)),))
    assert render_report(made).endswith("1 claim, 0 right, 1 finding, 0 undecided, 0 unreadable\n")


def test_many_open_ones_are_counted(claim) -> None:  # type: ignore[no-untyped-def]
    document = read_document("0 1 2 3 4 5 6 7 8 9", path="a.md")
    claims = tuple(claim(document, str(i), Verdict.UNDECIDED, message="why") for i in range(10))
    made = render_report(Report((Checked(document, claims),)))
    assert made.count("undecided  ") == 5
    assert "a.md: 5 more could not be judged (-v lists them)\n" in made
    assert render_report(Report((Checked(document, claims),)), verbose=True).count("undecided  ") == 10


def test_words_from_outside_stay_on_their_line(nasty: tuple[str, Report]) -> None:
    made = render_report(nasty[1], verbose=True)
    assert "\x1b" not in made
    assert "\u202e" not in made
    assert "\r" not in made
    assert not any(line.startswith("and::error") for line in made.splitlines())
    assert made.encode("utf-8")


def test_unknown_choices_are_refused(report: Report) -> None:
    with pytest.raises(
        OptionError, match="unknown format 'pdf'; expected one of text, json, github, sarif, html, markdown"
    ):
        render_report(report, "pdf")
    with pytest.raises(OptionError, match="unknown language 'fr'; expected one of zh, en"):
        render_report(report, language="fr")
