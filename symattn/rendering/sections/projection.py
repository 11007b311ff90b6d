"""Q, K and V: worked element by element, as products or as given, with what contradicts or is missing said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import fmpq

from symattn.attention.recover import Repair
from symattn.attention.trace import TOLD_ROWS, Contradiction, MissingWeights
from symattn.formulas import Answer, Bracketed, Chain, Formula, Listed, Name, Product, Relation, Row, Value, equal
from symattn.numbers.arithmetic import transpose
from symattn.rendering.blocks import Block, Display, Heading, Math, Note, Paragraph, Token
from symattn.rendering.sections.story import Story, indexed

HEADINGS = {"Q": "query_matrix", "K": "key_matrix", "V": "value_matrix"}
MAX_VECTORS = 6
MAX_INTEGER_DIGITS = 6


def projection(story: Story) -> Iterator[Block]:
    """The whole stage."""
    trace = story.derivation.trace
    yield Heading(2, story.say("projection_heading"))
    weights = list(trace.weight_matrices)
    if trace.X is None:
        yield Paragraph(story.say("projection_given"))
    else:
        names = Listed(tuple(Name(f"W_{letter}") for letter in "QKV"))
        d_model, d_k, d_v = len(trace.X[0]), len(trace.K[0]), len(trace.V[0])
        shapes = {"shape": f"{d_model} × {d_k}", "shape_V": f"{d_model} × {d_v}"}
        said = story.say("projection_intro", names=names)
        yield Paragraph(
            story.joined(said, story.say("projection_shape" if d_k == d_v else "projection_shapes", **shapes))
        )
        for name in weights:
            yield Paragraph(story.say("projection_weight", name=Name(name)))
            yield Display(equal(Name(name), story.matrix(trace.weight_matrices[name])))
    for letter in "QKV":
        yield from _letter(story, letter)
    if story.other_width is not None:
        formula = equal(Name("d_k"), Value(story.d_k))
        yield Note(story.say("other_width", formula=formula, width=str(story.other_width.width)))


def product_of(letter: str) -> Product:
    """X·W_Q."""
    return Product((Name("X"), Name(f"W_{letter}")), "matrix")


def _letter(story: Story, letter: str) -> Iterator[Block]:
    trace = story.derivation.trace
    rows = getattr(trace, letter)
    weight = trace.weight_matrices.get(f"W_{letter}")
    computed = trace.X is not None and weight is not None
    if computed:
        key = "projection_formula" + ("" if letter == "Q" else f"_{letter}")
        yield Paragraph(story.say(key, formula=equal(Name(letter), product_of(letter))))
        yield from _worked(story, letter)
    heading = story.language.words(HEADINGS[letter])
    given = story.derivation.spec.get(letter) is not None and not story.derivation.recompute
    if computed and not given:
        intro = story.say("from_product", heading=heading, formula=product_of(letter))
    elif trace.X is not None and given and not _impossible(story, letter):
        intro = story.say("taken_as_given", heading=heading, formula=product_of(letter))
    else:
        intro = story.say("simply_given", heading=heading)
    yield Paragraph(intro)
    result = story.matrix(rows, labels=True, answer=computed and not given)
    shown = story.shown_entries(rows)
    yield Display(Chain(Name(letter), ((story.relation(shown), result),)))
    for note in story.derivation.notes:
        if isinstance(note, Contradiction) and note.letter == letter:
            yield from contradiction_notes(story, note)
        if isinstance(note, MissingWeights) and note.letter == letter and not story.options.worksheet:
            yield from _missing(story, note)


def _impossible(story: Story, letter: str) -> bool:
    """Whether it is proven that no weights give the stated matrix."""
    return any(
        isinstance(note, MissingWeights) and note.letter == letter and note.impossible
        for note in story.derivation.notes
    )


def _worked(story: Story, letter: str) -> Iterator[Block]:
    """A token's vector times the weight matrix, entry by entry; for the first token, or for all."""
    trace = story.derivation.trace
    X, weight = trace.X, trace.weight_matrices[f"W_{letter}"]
    expand = story.options.expand
    if X is None or expand == "none" or (expand == "first" and letter != "Q"):
        return
    columns = transpose(weight)
    places = list(story.token_places())
    for i in places if expand == "all" else places[:1]:
        products = Row([Bracketed(story.dot_product(X[i], column, "dot")) for column in columns])
        row = _product_row(story, letter, i)
        steps: tuple[tuple[Relation, Formula], ...] = (
            ("=", Product((Row(X[i]), Name(f"W_{letter}")), "matrix")),
            ("=", products),
        )
        chain = Chain(
            indexed(letter.lower(), story.tokens[i]),
            (*steps, (story.relation(row), Answer(Row(row)))),
            stacked=True,
        )
        yield Paragraph(story.say("projection_worked", token=Token(story.tokens[i])))
        yield Display(chain)


def _product_row(story: Story, letter: str, i: int) -> Any:
    """The row that the product gives in this arithmetic, even where the derivation goes on with another."""
    derivation = story.derivation
    trace, spec = derivation.trace, derivation.spec
    assert trace.X is not None  # noqa: S101  (only products are worked out)
    ops = derivation.arithmetic.start(d_k=spec.d_k, rational=spec.rational)
    (row,) = ops.multiply([trace.X[i]], trace.weight_matrices[f"W_{letter}"])
    return [ops.settle("projections", value) for value in row]


def contradiction_notes(story: Story, note: Contradiction) -> Iterator[Block]:
    """What contradicts, with both rows, and the smallest mend."""
    chosen = story.language.words("chosen_product" if note.recomputed else "chosen_given")
    names: dict[str, Any] = {"name": Name(note.letter), "product": product_of(note.letter), "chosen": chosen}
    for i, _, given in note.differing[: None if story.options.full else TOLD_ROWS]:
        token = Token(story.tokens[i])
        computed = _product_row(story, note.letter, i)
        rows = {"computed": Answer(Row(computed)), "given": Row(given)}
        yield Note(story.say("contradiction", token=token, **rows, **names))
    if len(note.differing) > TOLD_ROWS and not story.options.full:
        yield Note(story.say("more_contradictions", count=str(len(note.differing) - TOLD_ROWS)))
    for i in note.undecided:
        yield Note(story.say("contradiction_undecided", token=Token(story.tokens[i]), **names))
    if note.differing:
        yield from _repair(story, note)


def _repair(story: Story, note: Contradiction) -> Iterator[Block]:
    name = Name(f"W_{note.letter}")
    repair: Repair | None = note.repair
    if repair is None:
        if all(isinstance(x, fmpq) for _, row, _ in note.differing for x in row):
            yield Note(story.say("repair_none", name=name))
        return
    changes = [
        {"row": str(i + 1), "column": str(j + 1), "change": Chain(Value(old), (("→", Value(new)),))}
        for i, j, old, new in repair.cells
    ]
    if len(changes) == 1:
        said = story.say("repair_one", name=name, **changes[0])
    else:
        listed: list[Any] = []
        for n, change in enumerate(changes[:MAX_VECTORS]):
            listed += [story.language.words("separator")] if n else []
            listed += story.say("repair_cell", **change)
        if len(changes) > MAX_VECTORS:
            listed.append(" …")
        said = story.say("repair_many", name=name, count=str(len(changes)), changes=tuple(listed))
    if not repair.proven:
        said = story.joined(said, story.say("repair_unproven"))
    yield Note(said)


def _missing(story: Story, note: MissingWeights) -> Iterator[Block]:
    name, family = Name(f"W_{note.letter}"), note.family
    relation = equal(product_of(note.letter), Name(note.letter))
    if family is None:
        yield Note(story.say("missing_unsearched", name=name))
        return
    if family.particular is None:
        token = Token(story.tokens[family.inconsistent_row or 0])
        yield Note(story.say("missing_impossible", name=name, formula=relation, token=token))
        return
    integer = family.integer
    if integer is not None and not family.proven and _too_long(integer):
        yield Note(story.say("missing_unsearched", name=name))
        return
    key = "missing_fraction" if integer is None else "missing_integer" if family.proven else "missing_integer_unproven"
    yield Note(story.say(key, name=name, formula=relation))
    yield Display(Chain(name, (("=", story.matrix(integer or family.particular)),)))
    if not family.kernel:
        yield Note(story.say("missing_unique"))
    else:
        vectors: list[Any] = []
        for n, vector in enumerate(family.kernel[:MAX_VECTORS]):
            vectors += [story.language.words("separator")] if n else []
            vectors.append(Math(Row(vector)))
        if len(family.kernel) > MAX_VECTORS:
            vectors.append(" …")
        yield Note(story.say("missing_family", vectors=tuple(vectors)))


def _too_long(matrix: Any) -> bool:
    return max(len(str(entry)) for row in matrix for entry in row) > MAX_INTEGER_DIGITS
