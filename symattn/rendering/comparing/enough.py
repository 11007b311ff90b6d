"""How many places suffice: proven for any rounding, and with the roundings replayed."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.comparison.compare import Comparison
from symattn.comparison.sufficient import Places
from symattn.rendering.blocks import Block, Heading, Inlines, Math, Paragraph, Table
from symattn.rendering.comparing.told import Telling, named


def enough(telling: Telling, made: Comparison) -> Iterator[Block]:
    """The whole section."""
    found = made.sufficiency
    if found is None:
        return
    mode = telling.language.words(f"compare_mode_{found.mode.value}")
    yield Heading(2, telling.say("enough_heading"))
    yield Paragraph(telling.say("enough_intro", places=str(found.places), mode=mode))
    rows = [
        (
            (telling.kind(item.kind),),
            telling.say(f"mode_{item.mode.value}"),
            _told(telling, item.guaranteed),
            _told(telling, item.replayed.first),
            _told(telling, item.replayed.onwards),
        )
        for item in found.kinds
    ]
    everything: tuple[Inlines, ...] = (
        telling.say("all_kinds"),
        ("–",),
        ("–",),
        _told(telling, found.together.first),
        _told(telling, found.together.onwards),
    )
    yield Table(telling.head("kind", "mode", "guaranteed", "first_right", "onwards"), (*rows, everything), "llrrr")


def _told(telling: Telling, places: Places) -> Inlines:
    if places.number is not None:
        return (
            (str(places.number),)
            if places.searched is None
            else telling.say("places_tried", number=str(places.number), most=str(places.searched))
        )
    where = () if places.place is None else (Math(named("outputs", places.place)),)
    if places.never:
        return telling.say("places_never", output=where) if where else telling.say("none")
    return telling.say("places_beyond", most=str(places.searched))
