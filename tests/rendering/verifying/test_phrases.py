"""The phrases of the reports: the same in both languages, none missing, none left over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from string import Formatter
from typing import Any

from symattn.comparison.verdicts import Verdict
from symattn.documents.report import Checked, Report
from symattn.rendering.language import LANGUAGES, language
from symattn.rendering.verifying import FORMATS, render_report
from symattn.rendering.verifying.said import PREFIX
from symattn.rendering.verifying.told import Telling
from symattn.rendering.verifying.working import explained

CAUSES = (
    "unscaled", "scaled_twice", "scaled_by_d_k", "d_model_for_d_k", "transposed", "missing_term", "forced_sum",
    "wrong_axis", "softmax_as_ratio", "other_base", "wrong_root", "swapped_cells", "wrong_operand", "sign",
)  # fmt: skip
NOTES = ("equals_for_rounded", "within_tolerance", "truncation_allowed")
COMMAND = {"verify_fixed", "verify_refused"}
"""Told by the command itself."""


def phrases(key: str) -> dict[str, str]:
    return {name: text for name, text in language(key).phrases.items() if name.startswith("verify_")}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_both_languages_have_the_same_phrases_with_the_same_places() -> None:
    zh, en = (phrases(key) for key in LANGUAGES)
    assert list(zh) == list(en)
    for name, text in en.items():
        assert places(zh[name]) == places(text), name
    same = {name for name in en if zh[name] == en[name]}
    assert same == {"verify_fixed"} & same, same


class Heard(dict[str, str]):
    """Phrases that remember which of them were asked for."""

    def __init__(self, phrases: Any) -> None:
        super().__init__(phrases)
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> str:
        self.asked.add(key)
        return super().__getitem__(key)


def every_kind(lesson: Checked) -> Iterator[Report]:
    """Reports that have each verdict, cause, note, route and way of being carried, once and often."""
    yield Report((lesson,))
    yield Report((lesson, Checked(lesson.document, ())))
    yield Report((lesson, replace(lesson, claims=lesson.claims * 40)))
    yield Report((replace(lesson, claims=lesson.claims[:2]),))
    finding = lesson.claims[3]
    for verdict in Verdict:
        yield Report((replace(lesson, claims=(replace(finding, verdict=verdict, message="", tie=True),)),))
    for cause in CAUSES:
        yield Report((replace(lesson, claims=(replace(finding, cause=cause, notes=NOTES),)),))
    routes: Any = ("written", "givens", "definitions")
    for route in routes:
        carried: Any = "early_rounding"
        yield Report((replace(lesson, claims=(replace(finding, route=route, from_givens="1", carried=carried),)),))


def test_every_phrase_is_used(lesson: Checked) -> None:
    for key in LANGUAGES:
        heard = Heard(language(key).phrases)
        spoken = replace(language(key), phrases=heard)
        for report in every_kind(lesson):
            for verbose in (False, True):
                for write in FORMATS.values():
                    write(report, Telling(spoken, verbose))
            for line in (1, 3, 7):
                explained(report, line, Telling(spoken))
        asked = {phrase for phrase in phrases(key) if not phrase.startswith(PREFIX)}  # test_said.py asks for the others
        assert asked - heard.asked - COMMAND == set()


def test_no_place_is_left_in_any_report(report: Report) -> None:
    for to in ("text", "github", "markdown"):
        for key in LANGUAGES:
            assert "{" not in render_report(report, to, language=key).replace(r"\begin{bmatrix}", "").replace(
                r"\end{bmatrix}", ""
            )
