"""The setting of a document: whether scores are masked, how the tokens lie, and which head it speaks of.

Arrives: a statement with its parts. Leaves: the memory, turned to that setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from symattn.documents.judging.candidates import rounds_to
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.predict import root_of
from symattn.documents.judging.stages import GIVEN, PIPELINE, WEAK, head_of, layout_of, stage_of, stage_of_words
from symattn.documents.judging.statements import MATH, Statement
from symattn.documents.judging.subject import Part, pair_of_tokens
from symattn.documents.judging.tabular.headers import DIVIDED
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Matrix, Name, Node, Number, Quotient, Root, Sum, Text, walk


def masks(desk: Desk, said: Statement) -> None:
    """Whether the document has come to speak of a mask."""
    text = f"{' '.join(said.headings)} {said.words}"
    if stage_of_words(text) in {"masked_scores", "mask"} or "causal" in text.lower() or "因果" in text:
        desk.memory.masked = True


def counted(desk: Desk, said: Statement, parts: Sequence[Part]) -> None:
    """Whether indices begin with 0; formulas and what is written as code may each count in their own way."""
    kind = "formulas" if said.region.kind in MATH else "code"
    memory = desk.memory
    if kind not in memory.from_zero and any(_is_zeroth(node) for part in parts for node in walk(part.node)):
        memory.from_zero.add(kind)
    first = 0 if kind in memory.from_zero else 1
    if first != memory.first:
        memory.first = first
        memory.version += 1


def _is_zeroth(node: Node) -> bool:
    """Whether a name has the index of a first row or entry that is 0: q_0, scores[0][1]."""
    if not isinstance(node, Name) or node.sup or node.base.lower() in WEAK:
        return False
    if "0" not in node.indices and not (len(node.sub) == 2 and node.sub.isdigit() and node.sub[0] == "0"):
        return False
    if node.base.lower() == "s" and node.sub == "0":
        return False  # the state before the first
    return stage_of(node) in ("X", *PIPELINE)


def tokens(desk: Desk, said: Statement, parts: Sequence[Part]) -> None:
    """Take the tokens of the scores in the order in which they come: "cat → cat: ...", "cat → sat: ..."."""
    memory, pair = desk.memory, pair_of_tokens(said, parts)
    queries = memory.whole("Q")
    if not pair or not memory.meets_tokens or queries is None or not isinstance(queries.shown, Table):
        return
    sums = [part.node for part in parts if isinstance(part.node, Sum)]
    new = [word for word in dict.fromkeys(pair) if not word.isdigit() and len(word) > 1 and word not in memory.told]
    if sums and len(memory.told) + len(new) <= len(queries.shown.rows) and not any(map(_is_vector, pair)):
        memory.meet(new)


def _is_vector(word: str) -> bool:
    return "_" in word or word.lower() in {"query", "key", "value"}


def divides(desk: Desk, said: Statement, parts: Sequence[Part]) -> None:
    """What the scores are divided by, where a formula tells it: scores/√2, or √3 ≈ 1.73 where d_k is 3."""
    for part, behind in pairwise(parts):
        root, taken = part.node, behind.node
        if not isinstance(root, Root) or not isinstance(root.inner, Number) or not isinstance(taken, Number):
            continue
        d_k = desk.predictions.d_k()
        scored = desk.memory.scored or desk.memory.entries.get("scores")
        told = d_k is None and scored and DIVIDED.search(said.words)  # "divide them by √3 ≈ 1.73"
        if told:
            _divided_by(desk, root)
        if told or d_k == root.inner.value:
            _takes(desk, taken)
    for part in parts:
        node = part.node
        if isinstance(node, Quotient) and isinstance(node.below, Number) and _is_score(desk, node.above):
            d_k = desk.predictions.d_k()
            exact = root_of(d_k) if d_k is not None else None
            if exact is not None and not isinstance(exact, Table) and rounds_to(desk, exact, node.below):
                _takes(desk, node.below)
        if isinstance(node, Quotient) and stage_of(node) == "scaled_scores" and isinstance(node.below, Root):
            _divided_by(desk, node.below)


def _divided_by(desk: Desk, root: Root) -> None:
    """What the scores are divided by from here on, where no d_k is given."""
    found = desk.value(root, "shown")
    if found is not None and not isinstance(found, Table):
        desk.memory.divisor = found
        desk.memory.version += 1


def _takes(desk: Desk, taken: Number) -> None:
    """The decimals that the document takes for √d_k from here on."""
    if taken.digits is not None and taken.digits.places > 0:
        known = [one for one in desk.memory.roots if one[0] != taken.value]
        desk.memory.roots[:] = [*known, (taken.value, taken.text)]


def _is_score(desk: Desk, node: Node) -> bool:
    """Whether a number on paper may be one of the scores: an exponential is none."""
    if not isinstance(node, Number):
        return stage_of(node) == "scores"
    return not any(one.stage == "exponentials" for one in desk.memory.numbers.get(node.text, []))


def turned(desk: Desk, parts: Sequence[Part]) -> None:
    """Turn the memory to the mask, the layout and the head that the parts of a chain tell."""
    for part in parts:
        if isinstance(part.node, (Name, Text)) and stage_of(part.node) in {"masked_scores", "mask"}:
            desk.memory.masked = True
        if (layout := layout_of(part.node)) is not None:
            desk.memory.lay(layout)
    if not any(
        isinstance(part.node, Matrix) and min(len(part.node.rows), len(part.node.rows[0])) > 1 for part in parts
    ):
        return  # the index of a vector is a token
    for part in parts:
        name = part.node
        if isinstance(name, Name) and stage_of(name) in (*GIVEN, *PIPELINE) and (head := head_of(name)):
            desk.memory.turn_to(head)
            return
