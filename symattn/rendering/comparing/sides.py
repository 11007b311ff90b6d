"""Exact beside written: the opening, what is right only by luck, and a table for each kind of quantity."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from symattn.comparison.compare import Comparison
from symattn.comparison.quantities import Compared, Lettered
from symattn.comparison.verdicts import Verdict
from symattn.formulas import Chain, Decimal, Name, Root, Row, Value
from symattn.rendering.blocks import Block, Bullets, Heading, Inlines, Math, Note, Outside, Paragraph, Table
from symattn.rendering.comparing.told import GUARD, Telling, kept, written_places

FINDINGS = 8


def opening(telling: Telling, made: Comparison) -> Iterator[Block]:
    """The title and what matters most."""
    spec = made.exact.spec
    title = Outside(spec.title) if spec.title else telling.language.words("untitled")
    yield Heading(1, telling.say("title", title=title))
    yield Paragraph(telling.say("intro"))
    right = [q for q in made.quantities if q.judgement.right]
    yield Paragraph(telling.say("count", right=str(len(right)), count=str(len(made.quantities))))
    wrong = [q for q in made.quantities if not q.judgement.right]
    items = [(_finding(telling, q), ()) for q in wrong[:FINDINGS]]
    if len(wrong) > FINDINGS:
        items.append((telling.say("more_findings", count=str(len(wrong) - FINDINGS)), ()))
    if items:
        yield Bullets(tuple(items))
    for lucky in made.lucky:
        quantity = made[lucky.label]
        places = written_places(quantity) + 2
        told = {
            "name": telling.name(quantity.label),
            "written": Decimal(quantity.written.text),
            "root": Chain(Root(Name("d_k")), (("≈", Decimal(lucky.root.text)),)),
            "alone": Chain(None, (("≈", telling.decimal(lucky.alone, places)),)),
            "exact": Chain(None, (("≈", telling.decimal(quantity.exact, places)),)),
        }
        if lucky.mended_by:
            row = Row([Decimal(text) for text in lucky.mended_with])
            yield Note(telling.say("lucky", kind=telling.kind(lucky.mended_by), row=row, **told))
        else:
            yield Note(telling.say("lucky_later", **told))


def _finding(telling: Telling, quantity: Compared) -> Inlines:
    return telling.say(
        f"finding_{quantity.judgement.verdict.value}",
        name=telling.name(quantity.label),
        written=Decimal(quantity.written.text),
        expected=Decimal(quantity.judgement.expected.text),
    )


def side_by_side(telling: Telling, made: Comparison) -> Iterator[Block]:
    """A table for each kind; what is written exactly is told in one line."""
    yield Heading(2, telling.say("sides_heading"))
    key, places = ("sides_intro", GUARD) if telling.places is None else ("sides_intro_places", telling.places)
    yield Paragraph(telling.say(key, places=str(places)))
    whole: list[str] = []
    for kind, group in groupby(made.quantities, key=lambda q: q.kind):
        quantities = list(group)
        off = [q for q in quantities if q.judgement.verdict is not Verdict.EXACT]
        shown = kept(off, telling.limit, lambda q: not q.judgement.right)
        if not off:
            whole.append(telling.kind(kind))
            continue
        if whole:
            yield Paragraph(telling.say("all_exact", kinds=telling.language.words("list_separator").join(whole)))
            whole = []
        yield Heading(3, (telling.kind(kind),))
        yield Table(
            telling.head("quantity", "exact", "decimal", "written", "error", "relative", "correct", "ulps", "verdict"),
            tuple(tuple(_row(telling, q)) for q in shown),
            "lllrrrrrl",
        )
        if len(shown) < len(off):
            left_out = sum(q.judgement.right for q in off) - sum(q.judgement.right for q in shown)
            key = "more_rows_right" if left_out == len(off) - len(shown) else "more_rows"
            yield Paragraph(telling.say(key, count=str(len(off) - len(shown))))
        yield from _exactly(telling, [q for q in quantities if q.judgement.verdict is Verdict.EXACT])
    if whole:
        yield Paragraph(telling.say("all_exact", kinds=telling.language.words("list_separator").join(whole)))
    yield from _letters(telling, made)


def _exactly(telling: Telling, same: list[Compared]) -> Iterator[Block]:
    if len(same) > FINDINGS:
        yield Paragraph(telling.say("more_exact", count=str(len(same))))
    elif same:
        names: list[Inlines] = [(Math(Chain(telling.name(q.label), (("=", Value(q.exact)),))),) for q in same]
        yield Paragraph(telling.say("others_exact", names=telling.joined(names)))


def _row(telling: Telling, quantity: Compared) -> Iterator[Inlines]:
    yield (Math(telling.name(quantity.label)),)
    yield (Math(telling.form(quantity.exact)),)
    yield (Math(telling.decimal(quantity.exact, written_places(quantity) + GUARD)),)
    yield (Math(Decimal(quantity.written.text)),)
    relative = quantity.relative_error
    yield (Math(telling.at_most(quantity.error)),)
    yield (Math(telling.at_most(relative)),) if relative is not None else ("–",)
    yield (str(quantity.correct_digits),) if quantity.correct_digits is not None else ("–",)
    yield (Math(telling.at_most(quantity.ulps)),)
    verdict = telling.language.words(f"compare_verdict_{quantity.judgement.verdict.value}")
    yield (verdict,)


def _letters(telling: Telling, made: Comparison) -> Iterator[Block]:
    if not made.lettered:
        return
    yield Heading(3, telling.say("letters_heading"))
    yield Paragraph(telling.say("letters_intro"))
    yield Table(
        telling.head("quantity", "exact", "written", "difference", "verdict"),
        tuple(tuple(_lettered_row(telling, q)) for q in made.lettered),
        "lllll",
    )


def _lettered_row(telling: Telling, quantity: Lettered) -> Iterator[Inlines]:
    yield (Math(telling.name(quantity.label)),)
    yield (Math(Value(quantity.exact)),)
    yield (Math(Value(quantity.written)),)
    yield (Math(Value(quantity.error)),)
    yield telling.say(f"relation_{quantity.relation.value}", reason=quantity.reason)
