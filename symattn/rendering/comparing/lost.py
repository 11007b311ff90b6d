"""Where it was lost: the error of each output taken apart by rounding step."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.comparison.compare import Comparison
from symattn.comparison.losses import Loss
from symattn.comparison.sensitivities import row_sensitivities
from symattn.formulas import Chain, Derivative, Formula, Name, Relation, Root
from symattn.numbers.certified import rational_of
from symattn.numbers.rounding import KINDS
from symattn.rendering.blocks import Block, Bullets, Display, Heading, Inlines, Math, Paragraph, Table
from symattn.rendering.comparing.told import Telling, named


def losses(telling: Telling, made: Comparison) -> Iterator[Block]:
    """The whole section."""
    lost = [loss for loss in made.losses if loss.parts]
    if not made.losses:
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
    yield from _cancelled(telling, made)
    yield from _predicted(telling, made, shown, kinds)


def _row(telling: Telling, loss: Loss, kinds: list[str]) -> Iterator[Inlines]:
    parts = {part.kind: part.error for part in loss.parts}
    yield (Math(named("outputs", loss.place)),)
    yield (Math(telling.signed(loss.total)),)
    for kind in kinds:
        yield (Math(telling.signed(parts[kind])),) if kind in parts else ("–",)


def _cancelled(telling: Telling, made: Comparison) -> Iterator[Block]:
    """Errors that worked against each other."""
    items: list[tuple[Inlines, tuple[Formula, ...]]] = []
    for found in made.cancelled[: telling.limit]:
        kinds = telling.joined([(telling.kind(part.kind),) for part in found.parts])
        items.append(
            (
                telling.say(
                    "cancelled", output=named("outputs", found.place), kinds=kinds, size=telling.size(found.size)
                ),
                (),
            )
        )
    if items:
        yield Bullets(tuple(items))


def _predicted(telling: Telling, made: Comparison, shown: list[Loss], kinds: list[str]) -> Iterator[Block]:
    """What the derivatives predict, beside what each rounding changed; the derivatives of the first output."""
    known = {(item.place, item.kind): item for item in made.predictions}
    if not known:
        return
    steps = [kind for kind in kinds if any(kind == other for _, other in known)]
    yield Heading(3, telling.say("predicted_heading"))
    yield Paragraph(telling.say("predicted_intro"))
    rows = []
    for loss in shown:
        for kind in steps:
            item = known.get((loss.place, kind))
            if item is not None:
                numbers = (item.true, item.predicted, item.rest)
                cells: list[Inlines] = [(Math(named("outputs", loss.place)),), (telling.kind(kind),)]
                cells += [(Math(telling.signed(number)),) for number in numbers]
                rows.append(tuple(cells))
    yield Table(telling.head("output", "kind", "error_signed", "first_order", "rest"), tuple(rows), "llrrr")
    yield from _derivatives(telling, made, shown[0])


def _derivatives(telling: Telling, made: Comparison, loss: Loss) -> Iterator[Block]:
    i, c = loss.place
    output = ("outputs", loss.place)
    found = {(item.of, item.to): item.value for item in row_sensitivities(made.exact, i)}
    wanted: list[tuple[str, tuple[int, ...], str, tuple[int, ...]]] = [
        ("weights", (i, 0), "root", ()),
        ("outputs", (i, c), "root", ()),
    ]
    wanted += [("outputs", (i, c), kind, (i, 0)) for kind in ("scaled_scores", "exponentials", "weights")]
    told = []
    for of, place, to, spot in wanted:
        value = found.get(((of, place), (to, spot)))
        if value is None:
            continue
        by = Root(Name("d_k")) if to == "root" else named(to, spot)
        chain: list[tuple[Relation, Formula]] = [("=", telling.form(value))]
        if rational_of(value) is None:
            chain.append(("≈", telling.size(value)))
        told.append(Chain(Derivative(named(of, place), by), tuple(chain)))
    if told:
        yield Paragraph(telling.say("derivatives", output=named(*output)))
        for formula in told:
            yield Display(formula)
