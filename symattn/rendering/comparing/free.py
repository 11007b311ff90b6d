"""What d_k does: closed forms, limits, the way each result goes, where outputs swap, and a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import fmpq

from symattn.comparison.free import Behaviour, FreeDk, KeptFor, Motion, Row, Swap
from symattn.formulas import Chain, Decimal, Formula, Name, Value, equal
from symattn.numbers.certified import rational_of
from symattn.numbers.limits import Infinity
from symattn.rendering.blocks import Block, Bullets, Heading, Inlines, Math, Paragraph, Table
from symattn.rendering.comparing.told import GUARD, Telling, kept, named

MOST_COLUMNS = 8
"""Results beside each other in the table over d_k."""


def free_d_k(telling: Telling, found: FreeDk) -> Iterator[Block]:
    """The whole section."""
    yield Heading(2, telling.say("free_heading"))
    yield Paragraph(telling.say("free_intro"))
    changing = [
        item
        for item in found.behaviours
        if any(motion.direction != "constant" for motion in item.motions) or item.bounded
    ]
    shown = kept(changing, telling.limit, lambda item: item.kind == "outputs")
    if shown:
        yield Table(
            telling.head("result", "form", "at_zero", "at_infinity", "motion"),
            tuple(tuple(_behaviour(telling, item)) for item in shown),
            "lllll",
        )
    if len(shown) < len(changing):
        yield Paragraph(telling.say("more_left_out", count=str(len(changing) - len(shown))))
    if len(changing) < len(found.behaviours):
        yield Paragraph(telling.say("free_constant", count=str(len(found.behaviours) - len(changing))))
    yield from _swaps(telling, found)
    yield from _kept_for(telling, found)
    yield from _table(telling, found, changing)


def _behaviour(telling: Telling, item: Behaviour) -> Iterator[Inlines]:
    yield (Math(named(item.kind, item.place)),)
    yield (Math(telling.form(item.closed_form)),)
    yield (Math(_limit(telling, item.at_zero)),)
    yield (Math(_limit(telling, item.at_infinity)),)
    if item.bounded:
        yield telling.say("bounded", reason=item.bounded)
    else:
        yield telling.joined([_motion(telling, motion) for motion in item.motions])


def _limit(telling: Telling, number: Any) -> Formula:
    if isinstance(number, Infinity) or rational_of(number) is not None:
        return Value(number)
    return Chain(Value(number), (("≈", telling.decimal(number)),))


def _motion(telling: Telling, motion: Motion) -> Inlines:
    low, high = motion.d_ks
    words = telling.say(f"motion_{motion.direction}")
    if low is None and high is None:
        return words
    places = {"words": words}
    if low is None:
        return telling.say("motion_up_to", high=telling.point(high), **places)
    if high is None:
        return telling.say("motion_from", low=telling.point(low), **places)
    return telling.say("motion_between", low=telling.point(low), high=telling.point(high), **places)


def _swaps(telling: Telling, found: FreeDk) -> Iterator[Block]:
    told = [swap for swap in found.swaps if not swap.always]
    yield Heading(3, telling.say("swaps_heading"))
    if not told:
        yield Paragraph(telling.say("no_swap"))
    else:
        shown = told[: telling.limit]
        items: list[tuple[Inlines, tuple[Formula, ...]]] = [(_swap(telling, swap), ()) for swap in shown]
        if len(shown) < len(told):
            items.append((telling.say("more_left_out", count=str(len(told) - len(shown))), ()))
        yield Bullets(tuple(items))
    if found.unsearched:
        yield Paragraph(telling.say("swaps_unsearched", count=str(found.unsearched)))


def _swap(telling: Telling, swap: Swap) -> Inlines:
    first, second = (named(swap.kind, place) for place in (swap.first, swap.second))
    if swap.bounded:
        return telling.say("swap_bounded", first=first, second=second, reason=swap.bounded)
    at = telling.joined([(Math(telling.point(d_k)),) for d_k in swap.d_ks])
    larger = first if swap.leaders[0] > 0 else second
    return telling.say("swap", first=first, second=second, at=at, larger=larger)


def _kept_for(telling: Telling, found: FreeDk) -> Iterator[Block]:
    told = [item for item in found.kept if item.bounded or item.ranges != ((1, None),)]
    if not told:
        return
    yield Heading(3, telling.say("kept_heading"))
    shown = told[: telling.limit]
    yield Bullets(tuple((_kept(telling, item), ()) for item in shown))


def _kept(telling: Telling, item: KeptFor) -> Inlines:
    quantity = telling.name(item.label)
    places: dict[str, Any] = {"name": quantity, "written": Decimal(item.written.text)}
    if item.bounded:
        return telling.say("kept_bounded", reason=item.bounded, **places)
    if not item.ranges:
        return telling.say("kept_none", **places)
    ranges = telling.joined([_range(*one) for one in item.ranges])
    return telling.say("kept_for", ranges=ranges, **places)


def _range(low: int, high: int | None) -> Inlines:
    d_k = Name("d_k")
    if high == low:
        return (Math(equal(d_k, Value(fmpq(low)))),)
    if high is None:
        return (Math(Chain(Value(fmpq(low)), (("≤", d_k),))),)
    return (Math(Chain(Value(fmpq(low)), (("≤", d_k), ("≤", Value(fmpq(high)))))),)


def _table(telling: Telling, found: FreeDk, changing: list[Behaviour]) -> Iterator[Block]:
    most = None if telling.limit is None else MOST_COLUMNS
    columns = kept(changing, most, lambda item: item.kind == "outputs")
    if not columns or not found.table:
        return
    yield Heading(3, telling.say("table_heading"))
    for start in range(0, len(columns), MOST_COLUMNS):
        beside = columns[start : start + MOST_COLUMNS]
        header = ((Math(Name("d_k")),), *((Math(named(item.kind, item.place)),) for item in beside))
        yield Table(header, tuple(_values(telling, row, beside) for row in found.table), "r" * len(header))
    if len(columns) < len(changing):
        yield Paragraph(telling.say("more_left_out", count=str(len(changing) - len(columns))))


def _values(telling: Telling, row: Row, columns: list[Behaviour]) -> tuple[Inlines, ...]:
    cells: list[Inlines] = [(Math(Value(row.d_k)),)]
    for item in columns:
        i, j = item.place
        number = (row.weights if item.kind == "weights" else row.outputs)[i][j]
        cells.append((Math(telling.decimal(number, GUARD)),))
    return tuple(cells)
