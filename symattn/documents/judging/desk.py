"""The desk of a judge: one document, what it has said so far, and the claims made out.

Arrives: a document. Leaves: claims and remarks, put on the desk as they are found. One desk serves one document.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Document, Place, Region
from symattn.documents.judging.memory import Memory, Way
from symattn.documents.judging.predict import Predictions
from symattn.documents.judging.stages import LABELS, PROJECTIONS
from symattn.documents.reading.scalars import Infinite, Scalar
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import (
    Node,
)
from symattn.documents.reading.value import evaluate
from symattn.documents.report import Claim, Remark
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import Decimals
from symattn.numbers.rounding import Digits


@dataclass
class Desk:
    """One document being judged; `naming` where the slips behind findings are named."""

    document: Document
    decimal_comma: bool = False
    naming: bool = True
    memory: Memory = field(default_factory=Memory)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    told: set[tuple[str, int]] = field(default_factory=set)
    decimals: Decimals = field(default_factory=lambda: Decimals(1 << 14))

    def __post_init__(self) -> None:
        self.predictions = Predictions(self.memory)

    def forget(self, memory: Memory) -> None:
        """Go back to what was known before."""
        self.memory = memory
        self.predictions = Predictions(memory)

    def value(self, node: Node, way: Way, extra: dict[str, Any] | None = None) -> Value | None:
        """The value of a formula by one of the ways, None where it has none."""
        try:
            return evaluate(node, self.memory.view(way, extra))
        except (ShapeError, UndecidedError):
            return None

    def place_of(self, region: Region, node: Node) -> Place:
        """Where a node stands in the file."""
        return self.document.locate(region, node.start, node.end)

    def add(self, region: Region, node: Node, verdict: Verdict, message: str, **more: Any) -> Claim:
        """A claim about a node, put on the desk."""
        claim = Claim(
            self.place_of(region, node),
            region.offsets.span(node.start, node.end),
            region.text[node.start : node.end],
            verdict,
            message,
            **more,
        )
        self.claims.append(claim)
        return claim

    def rounded(self, value: Scalar | None, digits: Digits | None) -> str | None:
        """A value at the author's number of digits, None where there is none."""
        if value is None or digits is None or isinstance(value, Infinite):
            return None
        try:
            return self.decimals.round(value, digits.places).text
        except UndecidedError:
            return None

    def height(self, stage: str) -> int | None:
        """How many rows a stage has, as far as that is known."""
        for other in ("scores", "Q", "X", "weights") if stage not in {"K", "V"} else ("K", "X"):
            found = self.memory.stages.get(other)
            if found is not None and isinstance(found.shown, Table):
                return found.shown.shape[self._tokens_along(other)]
        return None

    def _tokens_along(self, stage: str) -> int:
        """The axis along which the tokens of a stage lie: those of the queries, or of the keys for K and V."""
        layout = self.memory.layout
        if stage in {"X", *PROJECTIONS}:
            return 0 if layout == "rows" else 1
        return 1 if layout == "columns" else 0

    def literal(self, node: Node) -> Scalar:
        """The value of a number on paper; 0 for a blank."""
        try:
            value = evaluate(node, {})
        except (ShapeError, UndecidedError):
            return fmpq(0)
        return fmpq(0) if isinstance(value, Table) else value


def kind_of(stage: str) -> str:
    """The kind of quantity that a stage is, as reports name it.

    >>> kind_of("Q"), kind_of("weights"), kind_of("d_k")
    ('projections', 'weights', '')
    """
    return "projections" if stage in PROJECTIONS else "" if stage == "d_k" else stage


def label_of(stage: str, place: tuple[int, ...]) -> str:
    """The label of a place of a stage: Scaled[2,1].

    >>> label_of("scaled_scores", (1, 0)), label_of("root", ())
    ('Scaled[2,1]', 'Root')
    """
    name = LABELS.get(stage, "")
    if not name or not place:
        return name
    return f"{name}[{','.join(str(i + 1) for i in place)}]"
