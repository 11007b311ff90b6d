"""A report as text: a line for each finding with its source under it, the story, and a summary.

Arrives: a report. Leaves: text, with the colours of a terminal only where they were asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from symattn.documents.report import Checked, Claim, Report
from symattn.errors import one_line
from symattn.rendering.verifying.excerpt import excerpt
from symattn.rendering.verifying.sentences import SHOWN, told_stories
from symattn.rendering.verifying.told import OPEN, Telling, mark, remarks, spot

Line = tuple[tuple[str, str], ...]
"""Pieces of text, each with its style (empty for none)."""

STYLES: Final = {"✗": "bold red", "~": "yellow", "✓": "green"}
INDENT: Final = "    "


def report_text(report: Report, telling: Telling, *, color: bool = False) -> str:
    """The report as text."""
    documents = tuple(report)
    lines: list[Line] = []
    for checked in documents:
        lines += _document(checked, telling, several=len(documents) > 1)
    if len(documents) > 1:
        lines.append(_plain(telling.total(documents)))
    write = _colored if color else _uncolored
    return "".join(f"{write(line).rstrip()}\n" for line in lines)


def _document(checked: Checked, telling: Telling, *, several: bool) -> Iterator[Line]:
    path = one_line(checked.document.path, 200)
    shown = checked.claims if telling.verbose else checked.findings
    for claim in shown:
        yield from _claim(checked, claim, path, telling)
    if not telling.verbose:
        yield from _open(checked, path, telling)
    told = remarks(checked, minor=telling.verbose)
    for remark in told:
        message = telling.remark(remark)
        yield ((f"{path}:{remark.line}  ", ""), (telling.words("remark"), "cyan"), (f"  {message}", ""))
    if told:
        yield ()
    yield from _story(checked, path, telling)
    yield _plain(f"{path}: {telling.summary(checked)}" if several else telling.summary(checked))
    if several:
        yield ()


def _claim(checked: Checked, claim: Claim, path: str, telling: Telling) -> Iterator[Line]:
    style = STYLES[mark(claim)]
    extra = [telling.reason(claim)]
    if claim.finding and claim.root_cause is not None and claim.root_cause != claim.place:
        extra.append(telling.words("explained_by", place=spot(claim.root_cause)))
    extra += [telling.carried(claim), *telling.notes(claim)]
    told = telling.words("semicolon").join(part for part in extra if part)
    yield (
        (f"{path}:{spot(claim.place)}", ""),
        (f"  {telling.verdict(claim.verdict)}", style),
        (f"  {telling.change(claim)}", "bold" if claim.finding else ""),
        (f"   {told}", ""),
    )
    if claim.finding:
        piece = excerpt(checked.document, claim.place)
        yield ((INDENT + piece.before, "dim"), (piece.marked, style), (piece.after, "dim"))
        yield ((INDENT + piece.underline, style),)
        yield ()


def _open(checked: Checked, path: str, telling: Telling) -> Iterator[Line]:
    left = [claim for claim in checked.claims if claim.verdict in OPEN]
    for claim in left[:SHOWN]:
        yield from _claim(checked, claim, path, telling)
    if len(left) > SHOWN:
        yield _plain(f"{path}: {telling.words('more_open', n=str(len(left) - SHOWN))}")
    if left:
        yield ()


def _story(checked: Checked, path: str, telling: Telling) -> Iterator[Line]:
    told = told_stories(checked, telling)
    if not told:
        return
    yield ((f"{path}: {telling.words('story')}", "bold"),)
    for _, (first, *rest) in told:
        yield _plain(f"  {first}")
        for line in rest:
            yield _plain(f"{INDENT}{line}")
    yield ()


def _plain(text: str) -> Line:
    return ((text, ""),)


def _uncolored(line: Line) -> str:
    return "".join(text for text, _ in line)


def _colored(line: Line) -> str:
    from rich.color import ColorSystem
    from rich.style import Style

    return "".join(
        Style.parse(style).render(text, color_system=ColorSystem.STANDARD) if style and text else text
        for text, style in line
    )
