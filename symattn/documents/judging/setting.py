"""The setting of a document: whether scores are masked, how the tokens lie, and which head it speaks of.

Arrives: a statement with its parts. Leaves: the memory, turned to that setting.
"""

from __future__ import annotations

from collections.abc import Sequence

from symattn.documents.judging.desk import Desk
from symattn.documents.judging.stages import GIVEN, PIPELINE, head_of, layout_of, stage_of, stage_of_words
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part
from symattn.documents.reading.tree import Matrix, Name, Text


def masks(desk: Desk, said: Statement) -> None:
    """Whether the document has come to speak of a mask."""
    text = f"{' '.join(said.headings)} {said.words}"
    if stage_of_words(text) in {"masked_scores", "mask"} or "causal" in text.lower() or "因果" in text:
        desk.memory.masked = True


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
