"""The closing summary: how the data flowed, told along the first token."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.formulas import Formula, Listed, Name, Row
from symattn.rendering.blocks import Block, Bullets, Heading, Inlines, Paragraph, Token
from symattn.rendering.sections.readings import reading
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
    told = reading(story, 0)
    items.append((story.say("summary_attention", q=Name("q"), k=Name("k"), reading=told), ()))
    items.append((story.say("summary_output", v=Name("v"), token=token, vector=story.about_row(trace.output[0])), ()))
    yield Heading(2, story.say("summary_heading"))
    yield Bullets(tuple(items), "number")
    yield Paragraph(story.say("summary_close"))
