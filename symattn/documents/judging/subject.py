"""What a claim is about: its stage, its row, and the names that take its value.

Arrives: a statement and the parts of its chain before a result. Leaves: a subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from symattn.documents.judging.desk import Desk
from symattn.documents.judging.stages import (
    GIVEN,
    row_of_words,
    stage_of,
    stage_of_words,
)
from symattn.documents.judging.statements import Statement
from symattn.documents.reading.tree import (
    Chain,
    Indexed,
    Name,
    Node,
    Text,
    walk,
)

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
    is restated without working, so that a contradiction is no slip of arithmetic.
    """

    stage: str = ""
    row: int | None = None
    names: tuple[Name | Text, ...] = ()
    inconsistent: bool = False
    entry: tuple[int, ...] | None = None
    scalar: bool = False


def subject_of(desk: Desk, said: Statement, before: Sequence[Part]) -> Subject:
    """The subject of a result, from what stands before it in its chain and in its sentence."""
    names = tuple(part.node for part in before if isinstance(part.node, (Name, Text)))
    found = [stage_of(part.node) for part in before if part.node not in names]
    found += [stage_of(name) for name in names]
    stage = next((one for one in found if one and not one.endswith("^T")), "")
    words = f"{said.words} {' '.join(n.text for n in names if isinstance(n, Text))}"
    if not stage and (not before or all(isinstance(n, Text) for n in names)):
        stage = stage_of_words(said.words)
    row, entry = None, None
    for name in names:
        if isinstance(name, Name) and name.indices:
            indices = indices_of(name)
            row = desk.memory.index(indices[0], 1_000_000)
            column = desk.memory.index(indices[1], 1_000_000) if len(indices) > 1 else None
            entry = (row, column) if row is not None and column is not None else None
    for part in before:
        if row is None and isinstance(part.node, Indexed):
            row = desk.memory.index(part.node.sub.strip("[]{} "), 1_000_000)
    if row is None:
        texts = " ".join(t.text for part in before for t in walk(part.node) if isinstance(t, Text))
        row = row_of_words(texts) if texts else None
    if row is None:
        row = row_of_words(words)
    return Subject(stage, row, names, entry=entry)


def parts_of(chain: Chain) -> Iterator[Part]:
    """The things of a chain, each with the relation before it."""
    if chain.first is not None:
        yield Part(chain.first, "")
    for link in chain.links:
        yield Part(link.item, link.relation, link.operation)


def names_of(parts: Sequence[Part]) -> tuple[Name | Text, ...]:
    """The names among the things of a chain."""
    return tuple(part.node for part in parts if isinstance(part.node, (Name, Text)))


def is_definition(subject: Subject, before: Sequence[Part]) -> bool:
    """Whether names of what is always given stand alone before a value."""
    return bool(subject.names) and len(subject.names) == len(before) and subject.stage in {*GIVEN, "d_k", "mask"}


def indices_of(name: Name) -> tuple[str, ...]:
    """The row and the column of S_{2,1} and of S_{11}."""
    indices = name.indices
    if len(indices) == 1 and len(indices[0]) == 2 and indices[0].isdigit() and "0" not in indices[0]:
        return indices[0][0], indices[0][1]
    return indices
