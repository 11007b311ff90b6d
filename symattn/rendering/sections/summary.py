"""The closing summary: how the data flowed, told along the first token."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.formulas import Call, Formula, Listed, Name, Product, Quotient, Root, Row, Transposed, equal
from symattn.rendering.blocks import Block, Bullets, Display, Heading, Inlines, Paragraph, Token
from symattn.rendering.sections.readings import d_k_formula, reading
from symattn.rendering.sections.story import Story


def summary(story: Story) -> Iterator[Block]:
    """The whole section; a worksheet goes without, since it would give the answers away."""
    if story.options.worksheet == "blank":
        return
    trace = story.derivation.trace
    token = Token(story.tokens[0])
    items: list[tuple[Inlines, tuple[Formula, ...]]] = []
    small = Listed((Name("q"), Name("k"), Name("v")))
    if trace.X is not None:
        items.append((story.say("summary_embedding", token=token, vector=Row(trace.X[0])), ()))
        weights = Listed(tuple(Name(f"W_{letter}") for letter in "QKV"))
        items.append((story.say("summary_projection", weights=weights, qkv=small), ()))
    else:
        items.append((story.say("summary_given", qkv=small), ()))
    compared = story.say("summary_attention", q=Name("q"), k=Name("k"))
    items.append((story.joined(compared, reading(story, 0)), ()))
    items.append((story.say("summary_output", v=Name("v"), token=token, vector=story.about_row(trace.output[0])), ()))
    yield Heading(2, story.say("summary_heading"))
    yield Bullets(tuple(items), "number")
    scores = Product((Name("Q"), Transposed(Name("K"))), "matrix")
    weights_formula = Call("softmax", Quotient(scores, Root(d_k_formula(story))))
    yield Paragraph(story.say("summary_formula"))
    yield Display(equal(Name("output"), Product((weights_formula, Name("V")), "matrix")))
    yield Paragraph(story.say("summary_close"))
