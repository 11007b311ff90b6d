"""The title, what kind of derivation it is, the sentence and its dimensions, and the embedding."""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from symattn.formulas import Chain, Formula, Listed, Name, Row, Value, equal
from symattn.numbers.arithmetic import Letter
from symattn.rendering.blocks import Block, Bullets, Display, Heading, Inlines, Outside, Paragraph, Token
from symattn.rendering.sections.readings import d_k_formula
from symattn.rendering.sections.story import Story, indexed

MAX_SENTENCE = 12


def opening(story: Story) -> Iterator[Block]:
    """The title and the dimensions."""
    spec, trace = story.derivation.spec, story.derivation.trace
    title = Outside(spec.title) if spec.title else story.language.words("untitled")
    yield Heading(1, story.say("document_title", title=title))
    kind = "kind_" + story.derivation.arithmetic.name.replace("-", "_")
    yield Paragraph(story.say(kind, d_k=d_k_formula(story)) if "free" in kind else story.say(kind))
    if story.options.worksheet:
        yield Paragraph(story.say("worksheet" if story.options.worksheet == "blank" else "answer_key"))
    items: list[tuple[Inlines, tuple[Formula, ...]]] = [(_sentence(story), ())]
    if trace.X is not None:
        width = equal(Name("d_model"), Value(fmpq(len(trace.X[0]))))
        items.append((story.say("dimensions_model", formula=width), ()))
    d_v = equal(Name("d_v"), Value(fmpq(len(trace.V[0]))))
    if story.free or isinstance(story.d_k, Letter):
        items.append((story.say("dimensions_free", d_k=d_k_formula(story), formula=d_v), ()))
    elif story.other_width is not None:
        scaling = equal(Name("d_k"), Value(story.d_k))
        said = story.say("dimensions_other", width=str(story.other_width.width), d_k=scaling, formula=d_v)
        items.append((said, ()))
    else:
        items.append((story.say("dimensions_key", formula=_widths(story, d_v)), ()))
    yield Heading(2, story.say("overview"))
    yield Bullets(tuple(items))


def _sentence(story: Story) -> Inlines:
    tokens = story.tokens
    if len(tokens) == 1:
        return story.say("sentence_one", sentence=Token(tokens[0]))
    shown = " ".join(tokens[:MAX_SENTENCE]) + (" …" if len(tokens) > MAX_SENTENCE else "")
    return story.say("sentence", sentence=Token(shown), count=str(len(tokens)))


def _widths(story: Story, d_v: Formula) -> Formula:
    trace = story.derivation.trace
    width = len(trace.K[0])
    if width == len(trace.V[0]):
        return equal(Listed((Name("d_k"), Name("d_v"))), Value(fmpq(width)))
    return Listed((equal(Name("d_k"), Value(fmpq(width))), d_v))


def embedding(story: Story) -> Iterator[Block]:
    """Each token's vector, and X."""
    X = story.derivation.trace.X
    if X is None:
        return
    yield Heading(2, story.say("embedding_heading"))
    yield Paragraph(story.say("embedding_intro"))
    items: list[tuple[Inlines, tuple[Formula, ...]]] = []
    for i in story.places():
        if i is None:
            items.append((story.say("more_tokens", token=Token(story.tokens[-1])), ()))
        else:
            token = Token(story.tokens[i])
            items.append((story.say("token_vector", token=token, name=indexed("x", i + 1), vector=Row(X[i])), ()))
    yield Bullets(tuple(items))
    yield Paragraph(story.say("embedding_matrix", X=Name("X")))
    yield Display(Chain(Name("X"), (("=", story.matrix(X, labels=True)),)))
