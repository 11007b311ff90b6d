"""The weighted sum: each output dimension worked out, or the mean where a row's weights are equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import fmpq

from symattn.errors import UndecidedError
from symattn.formulas import (
    Answer,
    Bracketed,
    Chain,
    Formula,
    Name,
    Product,
    Quotient,
    Relation,
    Row,
    Sum,
    Value,
    Words,
)
from symattn.formulas import Matrix as MatrixFormula
from symattn.numbers.arithmetic import transpose
from symattn.numbers.certified import rational_of
from symattn.numbers.written import WrittenNumber
from symattn.rendering.blocks import Block, Bullets, Display, Heading, Inlines, Paragraph, Token
from symattn.rendering.latex import shown_places
from symattn.rendering.sections.readings import size
from symattn.rendering.sections.softmax import shared_equally
from symattn.rendering.sections.story import Story


def output(story: Story) -> Iterator[Block]:
    """The whole stage."""
    trace = story.derivation.trace
    letter = Product((Name("weights_letter"), Name("V")), "matrix")
    yield Heading(2, story.say("output_heading", formula=letter))
    yield Paragraph(story.say("output_intro"))
    if story.options.expand != "none":
        yield Paragraph(story.say("recall_value"))
        labels = tuple(Words(story.language.words("value_label", token=token)) for token in story.tokens)
        yield Display(Chain(Name("V"), (("=", MatrixFormula(trace.V, labels)),)))
        for i in story.places():
            if i is None:
                yield Paragraph(story.say("more_rows"))
            else:
                yield from _token(story, i)
    yield Paragraph(story.say("output_matrix"))
    yield Display(story.named_matrix("output", trace.output, kind="outputs", labels=True))


def _token(story: Story, i: int) -> Iterator[Block]:
    trace = story.derivation.trace
    token = Token(story.tokens[i])
    weights, result = trace.attention_weights[i], trace.output[i]
    yield Heading(3, story.say("output_token", token=token, row=str(i + 1)))
    yield Paragraph(story.say("output_mix", formula=_mix(story, weights)))
    if _can_average(trace.scaled_scores[i], weights):
        said = story.say("output_average", formula=_average(story, result))
        yield Bullets(((said, ()),))
    else:
        yield Bullets(tuple(_dimensions(story, i)))
    formula: Formula = Answer(Row(result))
    yield Paragraph(story.say("output_vector", token=token, formula=formula))
    if story.options.worksheet != "blank":
        change = _change(story, i)
        if change:
            yield Paragraph(story.say("output_was", original=Row(trace.V[i]), change=change))


def _mix(story: Story, weights: Sequence[Any]) -> Sum:
    """w₁×(V of the first token) + w₂×(V of the second) + ..."""
    return Sum(
        tuple(
            Product((Answer(Value(weight)), Bracketed(Words(story.language.words("value_of", token=token)))), "times")
            for weight, token in zip(weights, story.tokens, strict=True)
        )
    )


def _can_average(scaled: Sequence[Any], weights: Sequence[Any]) -> bool:
    """Whether the row is a plain mean: equal scores, and weights that add up to exactly 1 as they are written."""
    share = rational_of(weights[0]) if shared_equally(scaled, weights) else None
    return share is not None and share * len(weights) == 1


def _average(story: Story, result: Sequence[Any]) -> Chain:
    count = Value(fmpq(len(story.tokens)))
    cells = [
        Quotient(Bracketed(Sum(tuple(Value(v) for v in column))), count, inline=True)
        for column in transpose(story.derivation.trace.V)
    ]
    return story.row_result(Row(cells), result)


def _dimensions(story: Story, i: int) -> Iterator[tuple[Inlines, tuple[Formula, ...]]]:
    trace = story.derivation.trace
    weights, result = trace.attention_weights[i], trace.output[i]
    columns = transpose(trace.V)
    for d in shown_places(len(result), story.limit):
        if d is None:
            yield (("…",), ())
            continue
        formula = _dimension(story, weights, columns[d], result[d])
        yield (story.say("output_dimension", number=str(d + 1), formula=formula), ())


def _dimension(story: Story, weights: Sequence[Any], column: Sequence[Any], number: Any) -> Chain:
    work = story.dot_product([Answer(Value(weight)) for weight in weights], column)
    if not isinstance(number, WrittenNumber):
        return story.result(work, number)
    products = Sum(tuple(Value(_written_product(w, v)) for w, v in zip(weights, column, strict=True)))
    links: list[tuple[Relation, Formula]] = [("=", Answer(products))] if len(weights) > 1 else []
    links.append((story.relation([number]), Answer(Value(number))))
    return Chain(work, tuple(links))


def _written_product(weight: WrittenNumber, value: WrittenNumber) -> WrittenNumber:
    return WrittenNumber.exact(weight.value * value.value)


def _change(story: Story, i: int) -> Inlines:
    """The dimension in which the token's own vector changed most, and the token that pulled it there."""
    trace = story.derivation.trace
    own, new, weights = trace.V[i], trace.output[i], trace.attention_weights[i]
    if all(_same(a, b) for a, b in zip(own, new, strict=True)):
        return story.say("output_unchanged")
    try:
        before, after = ([size(story, number) for number in row] for row in (own, new))
        shares = [size(story, weight) for weight in weights]
        moves = [a - b for a, b in zip(after, before, strict=True)]
        d = max(range(len(moves)), key=lambda k: (abs(moves[k]), k))
        sign = 1 if moves[d] > 0 else -1
        pulls = [shares[j] * (size(story, row[d]) - before[d]) * sign for j, row in enumerate(trace.V)]
    except UndecidedError:
        return ()
    return story.say(
        "output_change",
        source=Token(story.tokens[max(range(len(pulls)), key=lambda j: (pulls[j], -j))]),
        number=str(d + 1),
        before=story.about(own[d]),
        after=story.about(new[d]),
    )


def _same(a: Any, b: Any) -> bool:
    """Whether two numbers of one arithmetic are decided to be equal."""
    return bool(rational_of(a) == rational_of(b)) if rational_of(a) is not None else bool(a == b)
