"""How far √d_k may be rounded: the safe roots of each written quantity, and of all together."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.comparison.compare import Comparison
from symattn.comparison.written_roots import SafeRoot
from symattn.formulas import Decimal, Formula, Listed, Value
from symattn.rendering.blocks import Block, Bullets, Heading, Inlines, Math, Paragraph, Table
from symattn.rendering.comparing.told import Telling, kept

DEPENDS = ("weights", "outputs", "scaled_scores", "exponentials", "row_sums", "root")
"""Results first: they are what a reader asks about."""

CONVERGENTS = 8


def safe_roots(telling: Telling, made: Comparison) -> Iterator[Block]:
    """The whole section."""
    if not made.safe_roots and not made.unsearched:
        return
    yield Heading(2, telling.say("roots_heading"))
    yield Paragraph(telling.say("roots_intro"))
    bound = [item for item in made.safe_roots if not _everything(item)]
    ordered = sorted(bound, key=lambda item: DEPENDS.index(item.kind))
    lucky = {item.label for item in made.lucky}
    asked = made.asked.roots
    header = (*telling.head("result", "written", "roots"), *((Math(Decimal(text)),) for text in asked))
    header += telling.head("simplest", "shortest")
    if ordered:
        shown = kept(ordered, telling.limit, lambda item: item.label in lucky)
        rows = tuple(tuple(_row(telling, item)) for item in shown)
        yield Table(header, rows, "lrl" + "l" * len(asked) + "rr")
        if len(shown) < len(ordered):
            yield Paragraph(telling.say("more_left_out", count=str(len(ordered) - len(shown))))
    yield from _convergents(telling, ordered[: telling.limit])
    if len(bound) < len(made.safe_roots):
        yield Paragraph(telling.say("roots_any", count=str(len(made.safe_roots) - len(bound))))
    for missing in made.unsearched[: telling.limit]:
        yield Paragraph(telling.say("roots_unsearched", name=telling.name(missing.label), reason=missing.reason))
    for key, found in (("results_together", made.results_together), ("all_together", made.together)):
        if found is None:
            yield Paragraph(telling.say(f"{key}_unknown"))
        elif found.sets:
            simplest = found.simplest()
            inside = () if simplest is None else telling.say("simplest_inside", fraction=Value(simplest))
            yield Paragraph((*telling.say(key, roots=telling.roots(found)), *inside))
        else:
            yield Paragraph(telling.say(f"{key}_none"))


def _everything(item: SafeRoot) -> bool:
    return any(interval.low is None and interval.high is None for interval in item.roots.sets)


def _row(telling: Telling, item: SafeRoot) -> Iterator[Inlines]:
    yield (Math(telling.name(item.label)),)
    yield (Math(Decimal(item.roots.written.text)),)
    yield telling.roots(item.roots)
    for _, inside in item.contains:
        yield telling.say("inside" if inside else "outside")
    yield (Math(Value(item.simplest)),) if item.simplest is not None else ("–",)
    yield (Math(Decimal(item.decimal.text)),) if item.decimal is not None else ("–",)


def _convergents(telling: Telling, items: list[SafeRoot]) -> Iterator[Block]:
    """The convergents of √d_k, and from which on they keep which results."""
    near = [(item, item.convergents) for item in items if item.convergents is not None]
    if not near:
        return
    fractions = [one.value for one in near[0][1].convergents]
    shown: list[Formula] = [Value(value) for value in fractions[:CONVERGENTS]]
    if len(fractions) > CONVERGENTS:
        shown.append(Decimal(r"\ldots"))
    yield Paragraph(telling.say("convergents", fractions=Listed(tuple(shown))))
    groups: dict[int, list[Inlines]] = {}
    for item, found in near:
        if found.settled is not None:
            groups.setdefault(found.settled, []).append((Math(telling.name(item.label)),))
    lines: list[tuple[Inlines, tuple[Formula, ...]]] = []
    for settled, names in sorted(groups.items()):
        if settled < len(fractions):
            told = telling.joined(names)
            lines.append((telling.say("convergents_from", fraction=Value(fractions[settled]), names=told), ()))
    if lines:
        yield Bullets(tuple(lines))
