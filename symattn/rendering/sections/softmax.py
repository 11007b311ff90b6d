"""Scaling cell by cell, each row's softmax, the weights, and with a free d_k their two extremes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import fmpq

from symattn.formulas import (
    Answer,
    Call,
    Chain,
    Decimal,
    Exp,
    Formula,
    LazyRows,
    Limit,
    Matrix,
    Name,
    Quotient,
    Relation,
    Root,
    Row,
    Sum,
    Value,
    equal,
)
from symattn.numbers.arithmetic import Letter
from symattn.numbers.certified import rational_of
from symattn.numbers.expsum import ExpQuotient
from symattn.numbers.rounding import plain_digits, power_of_ten
from symattn.numbers.written import WrittenNumber
from symattn.rendering.blocks import Block, Bullets, Display, Heading, Inlines, Math, Paragraph, Token
from symattn.rendering.latex import shown_places
from symattn.rendering.sections.readings import d_k_formula, reading
from symattn.rendering.sections.story import Story


def softmax(story: Story) -> Iterator[Block]:
    """The whole stage."""
    trace = story.derivation.trace
    yield Heading(2, story.say("softmax_heading"))
    yield Heading(3, story.say("scaling_heading"))
    yield Paragraph(_root(story))
    yield Display(_scaled(story))
    yield Heading(3, story.say("softmax_steps"))
    yield Paragraph(story.say("softmax_intro"))
    yield Display(equal(Name("attention_weights"), Call("softmax", Name("scaled_scores"))))
    if story.options.expand != "none":
        yield Bullets(tuple(_rows(story)))
    yield Paragraph(story.say("weights_matrix"))
    yield Display(story.named_matrix("attention_weights", trace.attention_weights, kind="weights"))
    yield from _extremes(story)


def _root(story: Story) -> Inlines:
    trace = story.derivation.trace
    root: Formula = Root(d_k_formula(story))
    if story.free:
        return story.say("scaling_free", root=root)
    number = trace.root
    if not isinstance(number, WrittenNumber):
        links: list[tuple[Relation, Formula]] = [("=", Answer(Value(number)))]
        decimal = story.decimal(number)
        if decimal is not None:
            links.append(("≈", Answer(decimal)))
    else:
        relation: Relation = "≈" if number.rounded else "="
        links = [(relation, Answer(Decimal(number.shown or number.text)))]
    chain = Chain(root, tuple(links))
    if isinstance(story.d_k, Letter):
        return story.say("scaling_free", root=chain)
    said = story.say("scaling_number", d_k=equal(d_k_formula(story), Value(story.d_k)), root=chain)
    if isinstance(number, WrittenNumber) and number.shown and number.shown != number.text:
        said = story.joined(said, story.say("scaling_rounded", value=Value(number)))
    return said


def _scaled(story: Story) -> Chain:
    """The scores over the root, cell by cell."""
    trace = story.derivation.trace
    root: Formula = Value(trace.root)
    if not story.written and not story.free:
        root = Answer(root)
    n = len(trace.scores)
    cells = LazyRows(
        n, lambda i: tuple(Quotient(Answer(Value(score)), root, inline=story.written) for score in trace.scores[i])
    )
    links: list[tuple[Relation, Formula]] = [("=", Matrix(cells))]
    if not story.free:
        shown = story.shown_entries(trace.scaled_scores)
        links.append((story.relation(shown), Answer(story.matrix(trace.scaled_scores))))
        decimals = story.decimal_matrix(trace.scaled_scores)
        if decimals is not None:
            links.append(("≈", Answer(decimals)))
    return Chain(Name("scaled_scores"), tuple(links))


def _rows(story: Story) -> Iterator[tuple[Inlines, tuple[Formula, ...]]]:
    for i in story.places():
        if i is None:
            yield (story.say("more_rows"), ())
            continue
        yield (_row(story, i), ())


def _row(story: Story, i: int) -> Inlines:
    trace = story.derivation.trace
    scaled, weights = trace.scaled_scores[i], trace.attention_weights[i]
    head = story.say("softmax_row", row=str(i + 1), token=Token(story.tokens[i]))
    told: tuple[Inlines, ...]
    if shared_equally(scaled, weights):
        told = (story.say("softmax_shortcut", row=Answer(Row(scaled)), weights=story.row_result(None, weights)),)
    else:
        told = (
            story.say("softmax_input", row=Answer(Row(scaled))),
            story.say("softmax_exponentials", list=_exponentials(story, i)),
            story.say("row_sum", total=_total(story, i)),
            story.say("softmax_weights", weights=story.row_result(None, weights)),
        )
    tail = story.say("blank_reading") if story.options.worksheet == "blank" else reading(story, i)
    return story.joined(head, *told, tail)


def shared_equally(scaled: Any, weights: Any) -> bool:
    """Whether a row's scores are all equal, and its weights 1/n each, exactly or as far as they are written."""
    alike = len(weights) > 1 and all(s == scaled[0] for s in scaled) and all(w == weights[0] for w in weights)
    return alike and _is_share(weights[0], len(weights))


def _is_share(weight: Any, n: int) -> bool:
    """Whether a weight is 1/n, or written less than a unit of its last digit away: a rounded sum may bring another."""
    digits = plain_digits(weight.text) if isinstance(weight, WrittenNumber) else None
    return digits is None or abs(digits.value - fmpq(1, n)) * power_of_ten(digits.places) < 1


def _exponentials(story: Story, i: int) -> Inlines:
    trace = story.derivation.trace
    out: list[Any] = []
    for n, j in enumerate(shown_places(len(trace.scores), story.limit)):
        if n:
            out.append(story.language.words("separator"))
        if j is None:
            out.append("…")
            continue
        out.append(Math(_exponential(story, trace.scaled_scores[i][j], trace.exponentials[i][j])))
    return tuple(out)


def _exponential(story: Story, scaled: Any, number: Any) -> Formula:
    power = Exp(Answer(Value(scaled)))
    if isinstance(number, WrittenNumber) or rational_of(number) is not None:
        return Chain(power, ((story.relation([number]), Answer(Value(number))),))
    decimal = story.decimal(number)
    return power if decimal is None else Chain(power, (("≈", Answer(decimal)),))


def _total(story: Story, i: int) -> Formula:
    """The row sum; a hand adds what it has written down."""
    trace = story.derivation.trace
    total = trace.row_sums[i]
    if isinstance(total, WrittenNumber) and len(trace.scores) > 1:
        parts = Answer(Sum(tuple(Value(number) for number in trace.exponentials[i])))
        return Chain(parts, ((story.relation([total]), Answer(Value(total))),))
    decimal = story.decimal(total)
    if decimal is None:
        return Answer(Value(total))
    return Chain(Answer(Value(total)), (("≈", Answer(decimal)),))


def _extremes(story: Story) -> Iterator[Block]:
    """With a free d_k: the weights for d_k → 0⁺ and d_k → ∞."""
    weights = story.derivation.trace.attention_weights
    shown = list(story.token_places())
    if not story.free or story.options.worksheet == "blank":
        return
    if not all(isinstance(number, (fmpq, ExpQuotient)) for i in shown for number in weights[i]):
        return
    from symattn.numbers.limits import limit

    yield Heading(3, story.say("limits_heading"))
    yield Paragraph(story.say("limits_intro", d_k=d_k_formula(story)))
    for end in ("0+", "oo"):
        rows = LazyRows(len(weights), lambda i, end=end: tuple(limit(w, end) for w in weights[i]))  # type: ignore[misc]
        goes = Limit(d_k_formula(story), end, Name("attention_weights"))
        yield Display(Chain(goes, (("=", Matrix(rows)),)))
