"""The stories of a document in sentences, as every format tells them.

Arrives: a checked document. Leaves: its stories, each with the sentences that tell it, the first of them the fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from symattn.documents.report import Checked, Claim
from symattn.errors import one_line
from symattn.rendering.verifying.story import Story, stories
from symattn.rendering.verifying.told import LONG, Telling, spot, would_be

SHOWN: Final = 5
"""Entries of a list in a sentence, beyond which only their number is told."""


def told_stories(checked: Checked, telling: Telling) -> tuple[tuple[Story, tuple[str, ...]], ...]:
    """The first fault, and every other one that was carried on, with the sentences that tell them."""
    found = stories(checked)
    carried = tuple(story for story in found if story.explains or story.inherited)
    told = found if telling.verbose else carried or found[:1]
    return tuple((story, tuple(_sentences(story, telling))) for story in told)


def _sentences(story: Story, telling: Telling) -> Iterator[str]:
    first = story.first
    label = f"{one_line(first.label, LONG)} " if first.label else ""
    yield telling.words(
        "story_first", place=spot(first.place), change=label + telling.change(first), reason=telling.reason(first)
    )
    if story.explains:
        yield telling.words(
            "story_explains", claims=_listed((_at(claim, telling) for claim in story.explains), telling)
        )
    if story.inherited:
        shown = story.inherited if telling.verbose else story.inherited[:1]
        more = len(story.inherited) - len(shown)
        yield telling.words(
            "story_inherited",
            count=telling.count("numbers", len(story.inherited)),
            claims=telling.words("comma").join(_inherited(claim, telling) for claim in shown),
        ) + (telling.words("story_more", n=str(more)) if more else "")
    if story.results:
        yield telling.words("story_results", results=_listed((_result(c, telling) for c in story.results), telling))


def _at(claim: Claim, telling: Telling) -> str:
    return f"{telling.named(claim)} ({spot(claim.place)})"


def _inherited(claim: Claim, telling: Telling) -> str:
    would = would_be(claim)
    told = telling.words("story_would_be", value=would) if would and would != claim.text else ""
    return f"{_at(claim, telling)}{told}"


def _result(claim: Claim, telling: Telling) -> str:
    label = f"{one_line(claim.label, LONG)} = " if claim.label else ""
    return telling.words("story_result", now=f"{label}{would_be(claim)}", written=one_line(claim.text, LONG))


def _listed(parts: Iterable[str], telling: Telling) -> str:
    every = list(parts)
    if len(every) > SHOWN and not telling.verbose:
        every = [*every[:SHOWN], telling.words("and_more", n=str(len(every) - SHOWN))]
    return telling.words("comma").join(every)
