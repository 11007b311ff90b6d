"""A report as Markdown, for a comment on a pull request: a table of the findings, and the story.

Arrives: a report. Leaves: Markdown in which everything that came from a document is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from symattn.documents.report import Checked, Claim, Report
from symattn.rendering.verifying.sentences import told_stories
from symattn.rendering.verifying.told import OPEN, Telling, mark, remarks, spot
from symattn.rendering.words import isolated, markdown_words

ROWS: Final = 100
"""Rows of a table beyond which only their number is told: comments have a limit of 65,536 characters."""

COLUMNS: Final = ("place", "verdict", "written", "expected", "why")


def report_markdown(report: Report, telling: Telling) -> str:
    """The report as Markdown."""
    documents = tuple(report)
    lines: list[str] = []
    for checked in documents:
        lines += _document(checked, telling)
    if len(documents) > 1:
        lines.append(f"**{telling.total(documents)}**")
    return "\n".join(lines).rstrip("\n") + "\n"


def _document(checked: Checked, telling: Telling) -> Iterator[str]:
    yield f"### {_words(checked.document.path)}"
    yield ""
    yield f"**{telling.summary(checked)}**"
    yield ""
    yield from _table(checked.claims if telling.verbose else checked.findings, telling)
    for _, (first, *rest) in told_stories(checked, telling):
        yield f"- {_words(first)}"
        yield from (f"  - {_words(line)}" for line in rest)
    if checked.findings:
        yield ""
    if not telling.verbose:
        left = [claim for claim in checked.claims if claim.verdict in OPEN]
        yield from _section(telling.words("open"), (_open(claim, telling) for claim in left), len(left), telling)
    told = remarks(checked, minor=telling.verbose)
    notes = (f"{note.line}: {_words(telling.remark(note))}" for note in told)
    yield from _section(telling.words("remarks"), notes, len(told), telling)


def _table(claims: tuple[Claim, ...], telling: Telling) -> Iterator[str]:
    if not claims:
        return
    yield _row(telling.words(f"column_{name}") for name in COLUMNS)
    yield "|---|---|---|---|---|"
    for claim in claims[:ROWS]:
        why = (telling.reason(claim), telling.carried(claim), *telling.notes(claim))
        verdict = f"{_words(mark(claim))} {_words(telling.verdict(claim.verdict))}"
        texts = (claim.text, claim.expected or "", telling.words("semicolon").join(part for part in why if part))
        yield _row((spot(claim.place), verdict, *map(_words, texts)))
    yield ""
    if len(claims) > ROWS:
        yield telling.words("more_rows", n=str(len(claims) - ROWS))
        yield ""


def _section(title: str, items: Iterable[str], count: int, telling: Telling) -> Iterator[str]:
    if not count:
        return
    yield f"<details><summary>{title} ({count})</summary>"
    yield ""
    for shown, item in enumerate(items):
        if shown == ROWS:
            yield f"- {telling.words('more_rows', n=str(count - ROWS))}"
            break
        yield f"- {item}"
    yield ""
    yield "</details>"
    yield ""


def _open(claim: Claim, telling: Telling) -> str:
    verdict = _words(telling.verdict(claim.verdict))
    return f"{spot(claim.place)} {verdict} {_words(claim.text)}: {_words(telling.message(claim))}"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _words(text: str) -> str:
    return isolated(markdown_words(text))
