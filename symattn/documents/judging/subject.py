"""What a claim is about: its stage, its row, and the names that take its value.

Arrives: a statement and the parts of its chain before a result. Leaves: a subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from symattn.documents.judging.cells import is_literal, shape_told
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.stages import (
    GIVEN,
    WEAK,
    row_of_words,
    stage_of,
    stage_of_words,
)
from symattn.documents.judging.statements import Statement
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import (
    Bracketed,
    Call,
    Chain,
    Constant,
    Indexed,
    List,
    Matrix,
    Name,
    Node,
    Operation,
    Power,
    Product,
    Quotient,
    Root,
    Text,
    Transpose,
    unbracketed,
    walk,
)

_PAIR: Final = re.compile(r"[\W\d]*([^\W\d_]+)\s*(?:→|->|·|×|\*|–|—|-|/|,|to|on|and|auf|à|на)\s*([^\W\d_]+)\W*")
"""Two tokens beside each other."""

EQUALITIES: Final = frozenset({"=", "≈", "≡", ":=", "→"})


@dataclass(frozen=True, slots=True)
class Part:
    """One thing of a chain, with the relation and the operation before it."""

    node: Node
    relation: str
    operation: Node | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a claim is about: its stage, the row where one is meant, and the names that take the value.

    `entry` is the place of a single entry, from 0; `scalar` says that the result is one number; `inconsistent` that it
    is restated without working, so that a contradiction is no slip of arithmetic; `told` that a heading names the
    stage.
    """

    stage: str = ""
    row: int | None = None
    names: tuple[Name | Text, ...] = ()
    inconsistent: bool = False
    entry: tuple[int, ...] | None = None
    scalar: bool = False
    told: bool = False


def subject_of(desk: Desk, said: Statement, before: Sequence[Part], at: Part | None = None) -> Subject:
    """The subject of a result, from what stands before it in its chain and in its sentence, and over its arrow."""
    names = names_of(before)
    stage = _stage_of(desk, said, before, names)
    for part in (*before, *((at,) if at is not None else ())):
        if part.operation is not None and (led := _led_to(desk, before, stage, part.operation)):
            stage, names = led, tuple(name for name in names if stage_of(name) in {"", led})
    row, entry = _place_of(desk, before, names, stage)
    if entry is None and stage in {"", "scores"} and (told := _of_tokens(desk, said, before)) is not None:
        stage, row, entry = "scores", told[0], told
    if row is None:
        row = _row_told(said, before, names)
    if row is None:
        row = said.row
    return Subject(stage, row, names, entry=entry)


def _stage_of(desk: Desk, said: Statement, before: Sequence[Part], names: tuple[Name | Text, ...]) -> str:
    """The stage that formulas and names say, else words, else the tables that are written again."""
    if any(_joins_heads(part.node) for part in before):
        return ""
    found = [stage_of(part.node) for part in before if part.node not in names]
    found += [stage_of(name) for name in names]
    stage = next((one for one in found if one and not one.endswith("^T")), "")
    if not stage and any(isinstance(part.node, Root) for part in before):
        return ""  # a root of a number is none of what its sentence speaks of
    if not stage and all(isinstance(name, Text) for name in names):
        stage = stage_of_words(said.words)
        if stage == "row_sums" and any(isinstance(part.node, Quotient) for part in before):
            stage = ""  # what is divided by a sum is none
    if stage or names:
        return stage
    stage = next((one for part in before if (one := by_operands(desk, part.node))), "")
    if not stage and any(_is_scaled(desk, part.node) for part in before):
        stage = "scaled_scores" if stage_of_words(" ".join(said.headings[-1:])) == "scaled_scores" else ""
    return stage


def function_over(operation: Node | None) -> str:
    r"""The function over an arrow: \xrightarrow{\text{softmax}}, \xrightarrow{\exp} and \xrightarrow{e^x}."""
    if isinstance(operation, Text):
        text = operation.text.strip().lower()
        return text if text in {"softmax", "exp"} else ""
    power = isinstance(operation, Power) and isinstance(operation.base, Constant) and operation.base.name == "e"
    return "exp" if power else ""


def _led_to(desk: Desk, before: Sequence[Part], stage: str, operation: Node) -> str:
    """The stage that an operation over an arrow leads to from a stage; empty where it is not known."""
    if function := function_over(operation):
        return "weights" if function == "softmax" else "exponentials"
    if not isinstance(operation, Operation) or isinstance(desk.value(operation.operand, "shown"), Table):
        return ""
    scores = stage == "scores" or (not stage and any(_restates(desk, part.node) == "scores" for part in before[-1:]))
    return "scaled_scores" if scores else ""


def _place_of(
    desk: Desk, before: Sequence[Part], names: tuple[Name | Text, ...], stage: str
) -> tuple[int | None, tuple[int, ...] | None]:
    """The row and the entry that indices say."""
    row, entry = None, None
    for name in names:
        if isinstance(name, Name) and name.indices:
            indices = indices_of(name, desk.memory.first)
            row = desk.memory.index(indices[0], 1_000_000)
            column = desk.memory.index(indices[1], 1_000_000) if len(indices) > 1 else None
            entry = (row, column) if row is not None and column is not None else None
    if entry is None and stage == "scores":
        entry = next((place for part in before if (place := _dotted(desk, part.node)) is not None), None)
        row = entry[0] if entry is not None and row is None else row
    for part in before:
        if row is None and isinstance(part.node, Indexed):
            row = desk.memory.index(part.node.sub.strip("[]{} "), 1_000_000)
    return row, entry


def _of_tokens(desk: Desk, said: Statement, before: Sequence[Part]) -> tuple[int, int] | None:
    """The place of "cat → sat: ...", of cat·sat and of score(cat, sat) among the scores, where the tokens are known."""
    texts = pair_of_tokens(said, before)
    places = [desk.memory.index(text, len(desk.memory.labels)) for text in texts if not text.isdigit()]
    known = [place for place in places if place is not None]
    return (known[0], known[1]) if len(known) == len(texts) == 2 and desk.memory.labels else None


def pair_of_tokens(said: Statement, before: Sequence[Part]) -> tuple[str, ...]:
    """The two tokens that a formula or the label before it sets beside each other; none where there are not two."""
    texts: list[str] = []
    for part in before[:1]:
        inner = part.node.factors if isinstance(part.node, Product) else ()
        if isinstance(part.node, Call) and part.node.function in {"score", "scores", "dot", "s"}:
            inner = part.node.arguments
        texts = [one.key for one in inner if isinstance(one, (Name, Text))] if len(inner) == 2 else []
    label = said.chain.label
    if not texts and label is not None and (found := _PAIR.fullmatch(label.key)) is not None:
        texts = [found[1], found[2]]
    return tuple(texts) if len(texts) == 2 else ()


def _row_told(said: Statement, before: Sequence[Part], names: tuple[Name | Text, ...]) -> int | None:
    """The row that words say: those of the formulas, else those of the sentence."""
    texts = " ".join(node.text for part in before for node in walk(part.node) if isinstance(node, Text))
    row = row_of_words(texts, said.first) if texts else None
    if row is not None:
        return row
    named = " ".join(name.text for name in names if isinstance(name, Text))
    return row_of_words(f"{said.words} {named}", said.first)


def by_operands(desk: Desk, node: Node) -> str:
    """The stage that a formula with displayed tables is: the table of the scores over a number is scaled scores."""
    if isinstance(node, Quotient):
        return "scaled_scores" if _restates(desk, node.above) == "scores" else ""
    if not isinstance(node, Product) or len(node.factors) != 2:
        return ""
    stages = [_restates(desk, factor) for factor in node.factors]
    if "scores" in stages and "" in stages:
        other = desk.value(node.factors[stages.index("")], "shown")
        return "scaled_scores" if other is not None and not isinstance(other, Table) else ""
    return "outputs" if stages == ["weights", "V"] else ""


def _is_scaled(desk: Desk, node: Node) -> bool:
    """Whether a table is multiplied by a number or divided by it."""
    parts = (
        node.factors if isinstance(node, Product) else (node.above, node.below) if isinstance(node, Quotient) else ()
    )
    values = [desk.value(part, "shown") for part in parts]
    return len(values) == 2 and sum(isinstance(value, Table) for value in values) == 1 and None not in values


def _restates(desk: Desk, node: Node) -> str:
    """The stage whose table is written again."""
    node = unbracketed(node)
    if not isinstance(node, Matrix) or not is_literal(node):
        return ""
    value = desk.value(node, "shown")
    for stage in ("scores", "weights", "V"):
        known = desk.memory.stages.get(stage)
        shown = known.shown if known is not None else None
        if isinstance(value, Table) and isinstance(shown, Table) and shown.rows == value.rows:
            return stage
    return ""


def _dotted(desk: Desk, node: Node) -> tuple[int, int] | None:
    """The place of q_i·k_j among the scores; a query without an index is the only one."""
    if not isinstance(node, Product) or len(node.factors) != 2:
        return None
    query, key = node.factors
    key = key.inner if isinstance(key, Transpose) else key
    if not isinstance(query, Name) or not isinstance(key, Name) or not key.indices:
        return None
    row = desk.memory.index(query.indices[0], 1_000_000) if query.indices else 0
    column = desk.memory.index(key.indices[0], 1_000_000)
    return (row, column) if row is not None and column is not None else None


def _joins_heads(node: Node) -> bool:
    """Whether a formula goes on from the outputs of heads: they stand side by side, or W_O is applied to them."""
    if isinstance(node, Matrix):
        return any(isinstance(cell, (Name, Text)) and stage_of(cell) == "outputs" for row in node.rows for cell in row)
    return any(
        (isinstance(part, Call) and part.function == "concat")
        or (isinstance(part, Name) and part.base in {"W", "w"} and "O" in part.key)
        for part in walk(node)
    )


def parts_of(chain: Chain) -> Iterator[Part]:
    """The things of a chain, each with the relation before it; an operation between two arrows stands over them."""
    if chain.first is not None:
        yield from _with_shape(Part(chain.first, ""))
    between: Node | None = None
    for link in chain.links:
        operates = isinstance(link.item, Operation) or function_over(link.item)
        if operates and link.relation == "→" and link is not chain.links[-1]:
            between = link.item
            continue
        yield from _with_shape(Part(link.item, link.relation, link.operation if between is None else between))
        between = None


def _with_shape(part: Part) -> Iterator[Part]:
    """A matrix and the shape in brackets behind it, which is no factor: [1 0; 0 1] (2×2)."""
    node = part.node
    if not isinstance(node, Product) or not isinstance(node.factors[-2], (List, Matrix)):
        yield part
        return
    behind = node.factors[-1]
    if not isinstance(behind, Bracketed) or shape_told(behind) is None:
        yield part
        return
    one = len(node.factors) == 2
    rest = node.factors[0] if one else replace(node, factors=node.factors[:-1], signs=node.signs[:-1])
    yield replace(part, node=rest)
    yield Part(behind, "∈")


def names_of(parts: Sequence[Part]) -> tuple[Name | Text, ...]:
    """The names among the things of a chain."""
    return tuple(part.node for part in parts if isinstance(part.node, (Name, Text)))


def is_definition(subject: Subject, before: Sequence[Part]) -> bool:
    """Whether names of what is always given stand alone before a value."""
    return bool(subject.names) and len(subject.names) == len(before) and subject.stage in {*GIVEN, "d_k", "mask"}


def is_weak(subject: Subject) -> bool:
    """Whether nothing but a letter that often means something else says what a result is."""
    letters = [name.base.lower() for name in subject.names if isinstance(name, Name)]
    return bool(letters) and len(letters) == len(subject.names) and all(letter in WEAK for letter in letters)


def indices_of(name: Name, first: int = 1) -> tuple[str, ...]:
    """The row and the column of S_{2,1} and of S_{11}, and of S_{10} where the `first` index is 0."""
    indices = name.indices
    if len(indices) == 1 and len(indices[0]) == 2 and indices[0].isdigit() and (first == 0 or "0" not in indices[0]):
        return indices[0][0], indices[0][1]
    return indices
