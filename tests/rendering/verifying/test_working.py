"""The working of a line, whole."""

from __future__ import annotations

import pytest

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Report
from symattn.errors import OptionError
from symattn.rendering.verifying import explain

SECOND = r"""
lesson.md:7:39
    Scaled $[3/1.7, 2/1.7] \approx [1.76, 1.17]$, again 1.17
                                          ^^^^
  quantity                    Scaled[2,1]
  written                     ≈ 1.17
  verdict                     truncated: 2/1.7 = 1.1764… rounds to 1.18; 1.17 is cut off
  working                     2/1.7
  exact                       20/17
  decimal                     ≈ 1.176470588235
  right at these digits       1.18
  rounding                    1.18 half-up, 1.18 half-even, 1.17 cut off
  judged by                   the numbers displayed just before
  from the numbers displayed  1.18
"""


def test_a_line_with_three(report: Report) -> None:
    parts = explain(report, 7).split("\n\n")
    assert len(parts) == 3
    assert parts[1] == SECOND.strip("\n")
    assert "from the definitions        1.73" in parts[0]
    assert parts[2].rstrip().endswith("explained by                7:39")


def test_in_chinese(report: Report) -> None:
    made = explain(report, 11, language="zh")
    assert "  精确值              7/2\n" in made
    assert "  传递                继承自前面的问题 (3:31)\n" in made


def test_a_tie_shows_both_roundings(claim) -> None:  # type: ignore[no-untyped-def]
    document = read_document("x = 0.12", path="a.md")
    made = claim(document, "0.12", Verdict.ROUNDED, exact="1/8", decimal="0.125", expected="0.13", tie=True)
    told = explain(Report((Checked(document, (made,)),)), 1)
    assert "0.13 half-up, 0.12 half-even, 0.12 cut off" in told
    assert "at a tie half-up and half-even are both right" in told
    assert "  decimal                0.125\n" in told


def test_a_claim_over_several_lines_is_on_each_of_them(claim) -> None:  # type: ignore[no-untyped-def]
    document = read_document("a\n1\n2\nb", path="a.md")
    report = Report((Checked(document, (claim(document, "1\n2", Verdict.UNREADABLE, message="no"),)),))
    assert explain(report, 3).startswith("a.md:2:1\n    1\n    ^\n")
    assert explain(report, 4) == "a.md:4: no number on this line was taken for a claim.\n"


@pytest.mark.parametrize("line", [0, -1, 13])
def test_a_line_that_is_none_is_refused(report: Report, line: int) -> None:
    with pytest.raises(OptionError, match=f"line {line}; expected 1 to 12"):
        explain(report, line)
