"""The scores: each pair's dot product, and the matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symattn.formulas import Answer, Chain, Formula, Name, Product, Transposed, Value
from symattn.numbers.certified import rational_of
from symattn.rendering.blocks import Block, Bullets, Display, Heading, Inlines, Paragraph, Token
from symattn.rendering.latex import shown_places
from symattn.rendering.sections.story import Story


def scores(story: Story) -> Iterator[Block]:
    """The whole stage."""
    trace = story.derivation.trace
    factors = (Name("Q"), Transposed(Name("K")))
    yield Heading(2, story.say("scores_heading", formula=Product(factors, "matrix")))
    yield Paragraph(story.say("scores_intro", formula=Product(factors, "times")))
    if story.options.expand != "none":
        for i in story.places():
            if i is None:
                yield Paragraph(story.say("more_rows"))
                continue
            yield Paragraph(story.say("scores_row", token=Token(story.tokens[i]), row=str(i + 1)))
            yield Bullets(tuple(_pairs(story, i)))
    yield Paragraph(story.say("scores_matrix"))
    yield Display(Chain(Name("scores"), (("=", Answer(story.matrix(trace.scores))),)))


def _pairs(story: Story, i: int) -> Iterator[tuple[Inlines, tuple[Formula, ...]]]:
    trace = story.derivation.trace
    for j in shown_places(len(story.tokens), story.limit):
        if j is None:
            yield (("…",), ())
            continue
        score = trace.scores[i][j]
        work = story.dot_product(trace.Q[i], trace.K[j])
        formula = Chain(work, ((story.relation([score]), Answer(Value(score))),))
        query, key = Token(story.tokens[i]), Token(story.tokens[j])
        said = story.say("scores_pair", query=query, key=key, formula=formula)
        if i != j and _unrelated(trace.Q[i], trace.K[j]) and story.options.worksheet != "blank":
            said = story.joined(said, story.say("scores_zero", query=query, key=key))
        yield (said, ())


def _unrelated(query: Sequence[Any], key: Sequence[Any]) -> bool:
    """Whether every single product is 0: the query asks for nothing that the key offers."""
    return all(rational_of(q) == 0 or rational_of(k) == 0 for q, k in zip(query, key, strict=True))
