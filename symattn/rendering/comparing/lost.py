"""Where it was lost: the error of each output taken apart by rounding step."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.comparison.losses import Loss
from symattn.numbers.rounding import KINDS
from symattn.rendering.blocks import Block, Heading, Inlines, Math, Paragraph, Table
from symattn.rendering.comparing.told import Telling, named


def losses(telling: Telling) -> Iterator[Block]:
    """The whole section."""
    lost = [loss for loss in telling.comparison.losses if loss.parts]
    if not telling.comparison.losses:
        return
    yield Heading(2, telling.say("losses_heading"))
    if not lost:
        yield Paragraph(telling.say("nothing_lost"))
        return
    yield Paragraph(telling.say("losses_intro"))
    kinds = [kind for kind in KINDS if any(part.kind == kind for loss in lost for part in loss.parts)]
    header = (*telling.head("output", "total"), *((telling.kind(kind),) for kind in kinds))
    shown = lost[: telling.limit]
    yield Table(header, tuple(tuple(_row(telling, loss, kinds)) for loss in shown), "lr" + "r" * len(kinds))
    if len(shown) < len(lost):
        yield Paragraph(telling.say("more_left_out", count=str(len(lost) - len(shown))))


def _row(telling: Telling, loss: Loss, kinds: list[str]) -> Iterator[Inlines]:
    parts = {part.kind: part.error for part in loss.parts}
    yield (Math(named("outputs", loss.place)),)
    yield (Math(telling.signed(loss.total)),)
    for kind in kinds:
        yield (Math(telling.signed(parts[kind])),) if kind in parts else ("–",)
