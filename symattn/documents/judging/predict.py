"""What attention says the next stage is: predictions from what the document has given so far.

Arrives: a memory. Leaves: the value of a stage by one of the ways, or nothing where something is missing for it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from flint import fmpq

from symattn.documents.judging.memory import Memory, Way, whole_number
from symattn.documents.judging.stages import Layout
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.scalars import Infinite, Scalar
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import Node
from symattn.documents.reading.value import evaluate
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import enclosure

FORMULAS: Final = {
    "Q": r"X W",
    "K": r"X W",
    "V": r"X W",
    "scores": r"Q K^T",
    "scaled_scores": r"\frac{S}{r}",
    "exponentials": r"e^{S}",
    "weights": r"\operatorname{softmax}(S)",
    "outputs": r"A V",
}
"""Each stage from the ones before it, with tokens as rows."""

COLUMNS: Final = {
    "Q": r"W X",
    "K": r"W X",
    "V": r"W X",
    "scores": r"K^T Q",
    "weights": r"\operatorname{softmax}(S^T)^T",
    "outputs": r"V A",
}
"""What is otherwise with tokens as columns, and softmax down the columns."""

QUERIES: Final = {**COLUMNS, "scores": r"Q^T K", "weights": FORMULAS["weights"], "outputs": r"V A^T"}
"""What is otherwise with tokens as columns, and the scores of a query in a row."""

LAYOUTS: Final[dict[Layout, dict[str, str]]] = {
    "rows": FORMULAS,
    "columns": {**FORMULAS, **COLUMNS},
    "queries": {**FORMULAS, **QUERIES},
}


@cache
def _tree(stage: str, layout: Layout = "rows") -> Node:
    tree = read_chain(LAYOUTS[layout][stage]).first
    assert tree is not None  # noqa: S101
    return tree


@cache
def _root_of_name() -> Node:
    tree = read_chain(r"\sqrt{d}").first
    assert tree is not None  # noqa: S101
    return tree


def root_of(d_k: Value) -> Value:
    """√d_k."""
    return evaluate(_root_of_name(), {"d": d_k})


class Predictions:
    """Stages worked out from a memory; `root` is another value in the place of √d_k."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._kept: dict[tuple[str, Way, str, bool], Table | None] = {}
        self._version = -1

    def stage(self, stage: str, way: Way, root: fmpq | None = None, *, anew: bool = False) -> Table | None:
        """The table of a stage: as the document has it, unless `anew`, or as the stages before it give it."""
        if self._version != self.memory.version:
            self._kept.clear()
            self._version = self.memory.version
        known = self.memory.whole(stage)
        if known is not None and not anew:
            value = known.way(way)
            return value if isinstance(value, Table) else None
        key = (stage, way, "" if root is None else str(root), self.memory.masked)
        if key not in self._kept:
            self._kept[key] = self._worked_out(stage, way, root)
        return self._kept[key]

    def d_k(self) -> Value | None:
        """The d_k that is said, or the width of K."""
        said = self.memory.find("d_k")
        if said is not None and not isinstance(said.shown, Table):
            return said.shown
        width = self.memory.width()
        return None if width is None else fmpq(width)

    def _worked_out(self, stage: str, way: Way, root: fmpq | None) -> Table | None:
        before = "masked_scores" if self.memory.masked else "scaled_scores"
        if stage in {"masked_scores", "shifted"}:
            table = self.stage("scaled_scores" if stage == "masked_scores" else before, way, root)
            change = masked if stage == "masked_scores" else shifted
            return None if table is None else change(table)
        operands = {
            "Q": {"X": "X", "W": "W_Q"},
            "K": {"X": "X", "W": "W_K"},
            "V": {"X": "X", "W": "W_V"},
            "scores": {"Q": "Q", "K": "K"},
            "scaled_scores": {"S": "scores"},
            "exponentials": {"S": before},
            "weights": {"S": before},
            "outputs": {"A": "weights", "V": "V"},
        }.get(stage)
        names = self._named(operands, way, root) if operands is not None else {}
        if stage == "scaled_scores" and names:
            divisor = self._divisor(root)
            names = {**names, "r": divisor} if divisor is not None else {}
        return self._evaluated(_tree(stage, self.memory.layout), names) if names else None

    def _divisor(self, root: fmpq | None) -> Value | None:
        """The root that is taken, else √d_k."""
        d_k = self.d_k()
        if root is not None:
            return root
        return root_of(d_k) if d_k is not None and whole_number(d_k) is not None else self.memory.divisor

    def _named(self, wanted: dict[str, str], way: Way, root: fmpq | None) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for letter, stage in wanted.items():
            value = self.stage(stage, way, root)
            if value is None:
                return {}
            found[letter] = value
        return found

    @staticmethod
    def _evaluated(tree: Node, names: dict[str, Value]) -> Table | None:
        try:
            value = evaluate(tree, names)
        except (ShapeError, UndecidedError):
            return None
        return value if isinstance(value, Table) else None


def transition(stage: str, value: Value, root: Value | None = None) -> Value | None:
    """A stage from a row of the one before it, whatever that row is called."""
    if stage == "shifted":
        return shifted(value) if isinstance(value, Table) else None
    if stage == "scaled_scores" and root is None:
        return None
    names = {"S": value} if root is None else {"S": value, "r": root}
    try:
        return evaluate(_tree(stage), names)
    except (ShapeError, UndecidedError):
        return None


def exponential(value: Value) -> Value | None:
    """E to the power of each entry."""
    try:
        return evaluate(_tree("exponentials"), {"S": value})
    except (ShapeError, UndecidedError):
        return None


@cache
def _less() -> Node:
    tree = read_chain(r"a - b").first
    assert tree is not None  # noqa: S101
    return tree


def shifted(table: Table) -> Table | None:
    """Each row less the largest of its entries."""
    rows: list[tuple[Scalar, ...]] = []
    for row in table.rows:
        finite = [entry for entry in row if not isinstance(entry, Infinite)]
        if not finite:
            return None
        top = max(finite, key=lambda entry: float(enclosure(entry, 64).mid()))
        try:
            less = tuple(evaluate(_less(), {"a": entry, "b": top}) for entry in row)
        except (ShapeError, UndecidedError):
            return None
        if any(isinstance(entry, Table) for entry in less):
            return None
        rows.append(less)  # type: ignore[arg-type]  # no table is among them
    return Table(tuple(rows))


def masked(table: Table) -> Table | None:
    """A square table with −∞ above its diagonal."""
    if table.shape[0] != table.shape[1]:
        return None
    never: Scalar = Infinite(-1)
    rows = tuple(tuple(never if j > i else entry for j, entry in enumerate(row)) for i, row in enumerate(table.rows))
    return Table(rows)
