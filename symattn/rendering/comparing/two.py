"""Two derivations side by side: what differs first, how many quantities of each stage do, and which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symattn.attention.trace import Derivation
from symattn.comparison.beside import Beside, Input, Pair
from symattn.comparison.relations import Relation, letters_of
from symattn.formulas import Chain, Formula, Name, Value
from symattn.numbers.certified import rational_of
from symattn.rendering.blocks import Block, Bullets, Heading, Inlines, Math, Note, Outside, Paragraph, Table
from symattn.rendering.comparing.told import GUARD, Telling, kept

TOLD_ENTRIES = 5


def two_sides(telling: Telling, made: Beside) -> Iterator[Block]:
    """The whole document."""
    yield Heading(1, telling.say("two_title"))
    items: list[tuple[Inlines, tuple[Formula, ...]]] = []
    for key, side in (("left", made.left), ("right", made.right)):
        items.append((telling.say(f"two_{key}", spec=_side(telling, side)), ()))
    items += [(_input(telling, one), ()) for one in made.inputs]
    items += [((Outside(remark[:1].upper() + remark[1:] + "."),), ()) for remark in made.remarks]
    yield Bullets(tuple(items))
    yield _first(telling, made)
    header = (
        (telling.say("column_kind")),
        *(telling.say(f"relation_{relation.value}", reason="") for relation in Relation),
    )
    counts = tuple(
        ((telling.kind(count.kind),), *((str(n),) for n in (count.equal, count.different, count.undecided)))
        for count in made.counts
    )
    yield Heading(2, telling.say("two_counts"))
    yield Table(header, counts, "lrrr")
    shown = [pair for pair in made.quantities if telling.limit is None or pair.relation is not Relation.EQUAL]
    if not shown:
        return
    yield Heading(2, telling.say("two_quantities"))
    rows = kept(shown, telling.limit, lambda pair: pair.kind == "outputs")
    yield Table(
        telling.head("quantity", "left", "right", "difference", "relative_difference"),
        tuple(tuple(_row(telling, pair)) for pair in rows),
        "lllrr",
    )
    if len(rows) < len(shown):
        yield Paragraph(telling.say("more_left_out", count=str(len(shown) - len(rows))))
    for pair in rows:
        if pair.reason:
            yield Paragraph(telling.say("two_undecided", name=telling.name(pair.label), reason=pair.reason))


def _side(telling: Telling, side: Derivation) -> Inlines:
    parts: list[Inlines] = [(Outside(side.spec.source),)]
    if side.recompute:
        parts.append(telling.say("two_recomputed"))
    if side.stages[0].letter:
        parts.append(telling.say("two_free"))
    return telling.joined(parts)


def _first(telling: Telling, made: Beside) -> Block:
    first = made.first_difference
    if first is not None:
        left, right = telling.form(first.left), telling.form(first.right)
        return Note(telling.say("two_first", name=telling.name(first.label), left=left, right=right))
    if any(count.undecided for count in made.counts):
        return Paragraph(telling.say("two_undecided_all"))
    return Paragraph(telling.say("two_equal", count=str(len(made.quantities))))


def _input(telling: Telling, one: Input) -> Inlines:
    name = Name(one.name)
    if one.relation is Relation.UNDECIDED:
        return telling.say("two_input_undecided", name=name)
    if one.places:
        entries = telling.joined([(f"[{i + 1},{j + 1}]",) for i, j in one.places[:TOLD_ENTRIES]])
        more = " …" if len(one.places) > TOLD_ENTRIES else ""
        return telling.say("two_input_entries", name=name, entries=(*entries, more))
    left, right = (_given(telling, side) for side in (one.left, one.right))
    return telling.say("two_input", name=name, left=left, right=right)


def _given(telling: Telling, value: Any) -> Inlines:
    if value is None:
        return telling.say("two_not_given")
    if isinstance(value, tuple):
        return (f"{len(value)}×{len(value[0])}",)
    return (Math(Name("d_k") if hasattr(value, "name") else Value(value)),)


def _row(telling: Telling, pair: Pair) -> Iterator[Inlines]:
    yield (Math(telling.name(pair.label)),)
    yield (Math(_number(telling, pair.left)),)
    yield (Math(_number(telling, pair.right)),)
    if pair.relation is not Relation.DIFFERENT:
        yield telling.say(f"relation_{pair.relation.value}", reason="")
        yield ("–",)
        return
    if pair.letters:
        yield (Math(telling.form(pair.symbolic_difference)),)
    else:
        yield (Math(telling.signed(pair.difference)),) if pair.difference is not None else ("–",)
    relative = pair.relative_difference
    yield (Math(telling.at_most(relative)),) if relative is not None else ("–",)


def _number(telling: Telling, number: Any) -> Formula:
    """A number by its exact form and its decimal."""
    form = telling.form(number)
    value = rational_of(number)
    if (value is not None and value.q == 1) or letters_of(number):
        return form
    return Chain(form, (("≈" if value is None else "=", telling.decimal(number, GUARD)),))
