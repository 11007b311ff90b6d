"""Values that a document gives: bound to their names and their stages without being judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from symattn.documents.givens.roles import role_of_words
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.stages import (
    GIVEN,
    PIPELINE,
    stage_of,
)
from symattn.documents.judging.subject import (
    Part,
)
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import (
    Matrix,
    Name,
    Node,
    Text,
    Transpose,
)
from symattn.documents.reading.value import evaluate
from symattn.errors import ShapeError, UndecidedError

_TOKEN: Final = re.compile(r"[^\W\d_][^\W\d_]+|[\u2e80-\uffff]")
_NO_TOKENS: Final = frozenset(
    ["in", "out", "input", "output", "pos", "pe", "emb", "new", "final", "total", "model", "norm"]
)
"""Words beside a vector that tell what it is, not whose."""


def give(desk: Desk, names: Sequence[Name | Text], node: Node) -> None:
    """A value that the document gives."""
    try:
        value = evaluate(node, {})
    except (ShapeError, UndecidedError):
        return
    if isinstance(node, Matrix) and node.labels:
        desk.memory.labels = tuple(label.key for label in node.labels)
    for name in names:
        stage = stage_of(name)
        if not stage and isinstance(name, Text) and isinstance(node, Matrix):
            stage = role_of_words(name.text)  # the K cache
        bind(desk, name, Quantity(value, value, None, stage), claimed=False)


def bind(desk: Desk, name: Name | Text, quantity: Quantity, *, claimed: bool) -> None:
    """A name takes a value, and so does the stage or the row that it stands for."""
    desk.memory.bind(name.key, replace(quantity, claimed=claimed))
    stage = quantity.stage
    if stage == "d_k":
        desk.memory.bind("d_k", quantity)
        return
    if stage not in (*GIVEN, *PIPELINE) or not isinstance(quantity.shown, Table):
        return
    if isinstance(name, Name):
        learn(desk, name, quantity)
    row = desk.memory.index(name.indices[0], 1_000_000) if isinstance(name, Name) and name.indices else None
    if quantity.shown.flat and isinstance(name, Name) and name.indices and row is None:
        return  # the vector of one token, x_cat: no row that can be told, and not the whole
    if stage in GIVEN and stage != "X":
        row = None
    if row is not None and isinstance(name, Name) and name.base.islower() and quantity.shown.shape[1] == 1:
        desk.memory.place_row(stage, row, quantity.upright(), 0)  # the column of one token
    elif quantity.shown.flat and row is not None:
        desk.memory.place_row(stage, row, quantity, 0)
    else:
        desk.memory.place(stage, replace(quantity, claimed=claimed))


def is_of_token(name: Name) -> bool:
    """Whether a name is that of one token: x_cat."""
    word = name.indices[0] if len(name.indices) == 1 else ""
    return _TOKEN.fullmatch(word) is not None and word.lower() not in _NO_TOKENS


def learn(desk: Desk, name: Name, quantity: Quantity) -> None:
    """The vector of one more token: x_cat. Its place among the tokens is that in which they come."""
    memory, table = desk.memory, quantity.shown
    if quantity.stage not in {"X", "K"} or not isinstance(table, Table) or min(table.shape) != 1:
        return
    if not is_of_token(name):
        return
    rest = [stage for stage in ("X", "K") if stage in memory.stages]
    if rest or not memory.meets_tokens or memory.index(name.indices[0], 1_000_000) is not None:
        return
    memory.meet(name.indices)
    row = len(memory.told) - 1
    for key, known in list(memory.names.items()):  # the query of the same token came before its key
        if known.stage in PIPELINE and key.partition("_")[2] == name.indices[0] and isinstance(known.shown, Table):
            memory.place_row(known.stage, row, known if known.shown.flat else known.upright(), 0)


def give_transposed(desk: Desk, before: Sequence[Part], node: Node) -> bool:
    """Kᵀ = ... where K is not known: K is what is turned."""
    if len(before) != 1 or not isinstance(before[0].node, Transpose) or not isinstance(before[0].node.inner, Name):
        return False
    if desk.memory.find(before[0].node.inner.key) is not None:
        return False
    give(desk, (before[0].node.inner,), Transpose(node.start, node.end, node))
    return True


def stand(desk: Desk, stage: str, node: Node) -> None:
    """What is written stands for its stage, whatever was wrong with it: later steps go on from there."""
    value = desk.value(node, "shown")
    if stage in PIPELINE and isinstance(value, Table):
        desk.memory.place(stage, Quantity(value, value, None, stage, claimed=True))
