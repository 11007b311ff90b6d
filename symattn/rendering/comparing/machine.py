"""What a machine gives: the same calculation in float64 and float32, with its error in ulps."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.comparison.compare import Comparison
from symattn.comparison.floats import Worst, worst
from symattn.formulas import Decimal
from symattn.rendering.blocks import Block, Heading, Inlines, Math, Paragraph, Table
from symattn.rendering.comparing.told import Telling


def machine(telling: Telling, made: Comparison) -> Iterator[Block]:
    """The whole section."""
    found = worst(made.floats)
    if not found:
        return
    yield Heading(2, telling.say("machine_heading"))
    yield Paragraph(telling.say("machine_intro"))
    formats = tuple(dict.fromkeys(item.dtype for item in found))
    kinds = [
        kind
        for kind in dict.fromkeys(item.kind for item in found)
        if any(_off(item) for item in found if item.kind == kind)
    ]
    if not kinds:
        yield Paragraph(telling.say("machine_exact"))
        return
    by_place = {(item.kind, item.dtype): item for item in found}
    header: list[Inlines] = list(telling.head("quantity"))
    for dtype in formats:
        header += [telling.say("column_worst", dtype=dtype), *telling.head("nearest")]
    rows = tuple(
        ((telling.kind(kind),), *(cell for dtype in formats for cell in _cells(by_place[kind, dtype])))
        for kind in kinds
    )
    yield Table(tuple(header), rows, "l" + "rr" * len(formats))


def _off(item: Worst) -> bool:
    return item.correct < item.count or item.ulps is None or item.ulps.units > 0


def _cells(item: Worst) -> tuple[Inlines, Inlines]:
    bound: Inlines = ("–",) if item.ulps is None else (Math(Decimal(item.ulps.text)),)
    return bound, (f"{item.correct}/{item.count}",)
