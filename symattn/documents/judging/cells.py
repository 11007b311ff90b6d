"""One number on paper against the values that it may stand for.

Arrives: the node of a number and candidate values, each by a route. Leaves: a verdict with the right digits; and values
laid over the cells of what was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from flint import arb, fmpq

from symattn.comparison.verdicts import Judgement, Verdict, judge
from symattn.documents.reading.scalars import Infinite, Scalar, same
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import (
    Blank,
    Bracketed,
    Chain,
    Elided,
    Infinity,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Text,
    Transpose,
    unbracketed,
    walk,
)
from symattn.documents.reading.value import evaluate
from symattn.documents.report import Route
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import Decimals, Precision, enclosure, rational_of
from symattn.numbers.rounding import Digits, power_of_ten

MASKS: Final = -(10**4)
"""Numbers up to this one stand for −∞ in a mask."""

Grid = tuple[tuple[Node, ...], ...]
Shape = tuple[int, int]
LARGEST_DIMENSION: Final = 1_000_000
BITS: Final = 128
MOST_TENS: Final = 300
"""The largest power of ten that a result is written with."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that a number may stand for: by which route, what was worked out in words, and its formula.

    `other` marks another reading of the whole, such as a mask where none was told: it counts for all cells or for none.
    `loose` marks what full precision gives where the author went on from numbers that do not round to it, such as those
    of 1.7 for √3: it is told, and makes nothing right.
    """

    value: Value
    route: Route
    working: str = ""
    approximate: bool = False
    tree: Node | None = None
    other: bool = False
    loose: bool = False


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """The verdict on a cell, the candidate that it rests on, its value, and the digits that would be right."""

    verdict: Verdict
    candidate: Candidate
    value: Scalar
    expected: str | None
    tie: bool = False
    reason: str = ""

    @property
    def right(self) -> bool:
        """Whether the number is right."""
        return self.verdict in {Verdict.EXACT, Verdict.ROUNDED}


def is_number(node: Node) -> bool:
    """Whether a node is one number on paper, with its sign."""
    if isinstance(node, Neg):
        node = node.inner.inner if isinstance(node.inner, Bracketed) else node.inner
    return isinstance(node, (Number, Infinity)) or power_of_ten_in(node) is not None


def power_of_ten_in(node: Node) -> tuple[Number | None, int] | None:
    """The digits and the power of a number such as 6.1·10⁻⁶; without digits for 10⁻⁶ alone."""
    before: Number | None = None
    if isinstance(node, Product) and len(node.factors) == 2 and isinstance(node.factors[0], Number):
        before, node = node.factors[0], node.factors[1]
    if not isinstance(node, Power) or not isinstance(node.base, Number) or node.base.value != 10:
        return None
    exponent = node.exponent
    exponent = unbracketed(exponent)
    sign = -1 if isinstance(exponent, Neg) else 1
    size = exponent.inner if isinstance(exponent, Neg) else exponent
    if not isinstance(size, Number) or size.value.q != 1 or not 0 <= size.value <= MOST_TENS:
        return None
    return before, sign * int(size.value)


def is_fraction(node: Node) -> bool:
    """Whether a node is a fraction of two whole numbers, which people write as a result."""
    if isinstance(node, Neg):
        return is_fraction(node.inner)
    if not isinstance(node, Quotient) or not isinstance(node.above, Number) or not isinstance(node.below, Number):
        return False
    return node.above.value.q == 1 and node.below.value.q == 1 and "." not in node.above.text + node.below.text


def is_entry(node: Node) -> bool:
    """Whether a node is a result on paper, or nothing that could be one."""
    return is_number(node) or is_fraction(node) or isinstance(node, (Blank, Elided))


def grid_of(node: Node) -> tuple[Grid, bool] | None:
    """The cells of a number, a list or a matrix, and whether it is flat; None for anything else."""
    if isinstance(node, Bracketed):
        return grid_of(node.inner)
    if isinstance(node, Transpose):
        inner = grid_of(node.inner)
        if inner is None:
            return None
        return tuple(zip(*inner[0], strict=True)), False
    if isinstance(node, Matrix):
        return node.rows, False
    if isinstance(node, List):
        if any(isinstance(item, (List, Matrix)) for item in node.items):
            return None
        return (node.items,), True
    return (((node,),), True) if is_entry(node) else None


def is_literal(node: Node) -> bool:
    """Whether a node is nothing but results on paper."""
    found = grid_of(node)
    return found is not None and all(is_entry(last(cell)) for row in found[0] for cell in row)


def last(cell: Node) -> Node:
    """The last thing of a chain in a cell, or the cell."""
    return cell.items[-1] if isinstance(cell, Chain) and cell.items else cell


def has_names(node: Node) -> bool:
    """Whether names stand in a formula."""
    return any(isinstance(part, (Name, Text)) for part in walk(node))


def laid_over(value: Value, grid: Grid, *, flat: bool) -> list[tuple[tuple[tuple[Scalar, ...], ...], int | None]]:
    """The ways in which a value has the shape of what is written: its entries, and the row where only one is meant."""
    n, m = len(grid), len(grid[0])
    if not isinstance(value, Table):
        return [(((value,),), None)] if (n, m) == (1, 1) else []
    if value.shape == (n, m):
        return [(value.rows, None)]
    turned = tuple(zip(*value.rows, strict=True))
    if 1 in value.shape and (len(turned), len(turned[0])) == (n, m) and (flat or value.flat):
        return [(turned, None)]
    if n == 1 and flat and value.shape[1] == m and not value.flat:
        return [((row,), i) for i, row in enumerate(value.rows)]
    return []


def digits_of(node: Node) -> Digits | None:
    """The digits that a number claims; None for an exact one, such as a repeating decimal."""
    if isinstance(node, Bracketed):
        return digits_of(node.inner)
    if isinstance(node, Neg):
        inner = digits_of(node.inner)
        return None if inner is None else Digits(-inner.units, inner.places)
    if (found := power_of_ten_in(node)) is not None and found[0] is not None:
        inner = digits_of(found[0])
        return None if inner is None else Digits(inner.units, inner.places - found[1])
    return node.digits if isinstance(node, Number) else None


def judged(cell: Node, candidates: Sequence[Candidate], values: Sequence[Scalar], decimals: Decimals) -> CellVerdict:
    """The verdict on a number: by the first candidate that makes it right, else by the first one."""
    first: CellVerdict | None = None
    for candidate, value in zip(candidates, values, strict=True):
        if candidate.loose and first is not None:
            continue
        found = _judged(cell, candidate, value, decimals)
        if found.right:
            return found
        if first is None or (first.verdict is Verdict.UNDECIDED and found.verdict is not Verdict.UNDECIDED):
            first = found
    assert first is not None  # noqa: S101  (there is at least one candidate)
    return first


def _judged(cell: Node, candidate: Candidate, value: Scalar, decimals: Decimals) -> CellVerdict:
    digits = digits_of(cell)
    if isinstance(value, Infinite) or digits is None:
        return _exactly(cell, candidate, value)
    try:
        found: Judgement = judge(value, digits, decimals)
    except UndecidedError as error:
        return CellVerdict(Verdict.UNDECIDED, candidate, value, None, reason=str(error))
    return CellVerdict(found.verdict, candidate, value, found.expected.text, found.tie)


def _exactly(cell: Node, candidate: Candidate, value: Scalar) -> CellVerdict:
    """The verdict on what is written without rounding: a fraction, an infinity."""
    try:
        written = evaluate(cell, {})
    except (ShapeError, UndecidedError) as error:
        return CellVerdict(Verdict.UNDECIDED, candidate, value, None, reason=str(error))
    if isinstance(written, Table):
        return CellVerdict(Verdict.UNDECIDED, candidate, value, None, reason="a table in the place of a number")
    if isinstance(written, Infinite) or isinstance(value, Infinite):
        alike = isinstance(written, Infinite) and isinstance(value, Infinite) and written.sign == value.sign
        alike = alike or _masks(written, value)
        exact = rational_of(value) if not isinstance(value, Infinite) else None
        expected = ("-" if getattr(value, "sign", 1) < 0 else "") + "∞" if isinstance(value, Infinite) else exact
        return CellVerdict(Verdict.EXACT if alike else Verdict.WRONG, candidate, value, str(expected or "") or None)
    alike_ = same(written, value)
    if alike_ is None:
        return CellVerdict(Verdict.UNDECIDED, candidate, value, None, reason="equality could not be decided")
    found = rational_of(value)
    expected = str(found) if found is not None else decimals_of(value)
    return CellVerdict(Verdict.EXACT if alike_ else Verdict.WRONG, candidate, value, expected)


def _masks(written: Scalar, value: Scalar) -> bool:
    """Whether a number such as −10⁹ stands for −∞, as in masks."""
    known = rational_of(written) if not isinstance(written, Infinite) else None
    return known is not None and known <= MASKS and isinstance(value, Infinite) and value.sign < 0


def decimals_of(value: Any, places: int = 12) -> str | None:
    """The certified decimal of a value, None where there is none."""
    if isinstance(value, (Table, Infinite)):
        return None
    try:
        return Decimals(1 << 14).round(value, places).text
    except UndecidedError:
        return None


@dataclass(frozen=True, slots=True)
class Around:
    """A number that was rounded to the digits on paper: anything within half a unit of the last of them."""

    digits: Digits

    @property
    def rational(self) -> None:
        """None: it is not known."""

    def enclose(self, precision: Precision) -> arb:  # noqa: ARG002  (as wide at every precision)
        """A ball around it."""
        return arb(self.digits.value, 1 / power_of_ten(self.digits.places) / 2)


def may_be(cell: Node, value: Value) -> bool:
    """Whether a formula of rounded numbers may stand for a value: each number may be off by half a unit."""
    extra: dict[str, Any] = {}
    tree = replaced(cell, extra)
    try:
        found = evaluate(tree, extra)
        if isinstance(found, Table) and isinstance(value, Table) and found.shape == value.shape:
            pairs = zip(sum(found.rows, ()), sum(value.rows, ()), strict=True)
            return all(
                a == b if isinstance(a, Infinite) else enclosure(a, BITS).overlaps(enclosure(b, BITS)) for a, b in pairs
            )
        if isinstance(found, (Table, Infinite)) or isinstance(value, (Table, Infinite)):
            return found == value
        return bool(enclosure(found, BITS).overlaps(enclosure(value, BITS)))
    except (ShapeError, UndecidedError):
        return True


def replaced(node: Node, extra: dict[str, Any]) -> Node:
    """The formula with each decimal as a name of its own, whose value is anything that rounds to it."""

    def name(number: Node) -> Node | None:
        if not isinstance(number, Number) or number.digits is None or number.digits.places <= 0:
            return None
        key = f"\u00a7{number.start}"
        extra[key] = Around(number.digits)
        return Name(number.start, number.end, key)

    return substituted(node, name)


def substituted(node: Node, put: Any) -> Node:
    """The tree with some of its nodes put in another way; `put` gives None for those that stay."""
    from dataclasses import fields, replace

    if (other := put(node)) is not None:
        return cast("Node", other)
    changed: dict[str, Any] = {}
    for one in fields(node):
        old = getattr(node, one.name)
        new = _substituted(old, put)
        if new is not old:
            changed[one.name] = new
    return replace(node, **changed) if changed else node


def _substituted(value: Any, put: Any) -> Any:
    if isinstance(value, Node):
        return substituted(value, put)
    if isinstance(value, tuple):
        new = tuple(_substituted(item, put) for item in value)
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    return value


def plain_value(value: Any) -> str | None:
    """A short exact form of a value: a whole number or a fraction."""
    found = rational_of(value) if not isinstance(value, (Table, Infinite)) else None
    return None if found is None else str(found)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number."""
    found = rational_of(value) if not isinstance(value, (Table, Infinite)) else None
    return isinstance(found, fmpq) and found.q == 1


def same_number(cell: Node, value: Any) -> bool:
    """Whether a number on paper is exactly a value."""
    try:
        found = evaluate(cell, {})
    except (ShapeError, UndecidedError):
        return False
    return bool(not isinstance(found, Table) and found == value)


def size_of(value: Value) -> str:
    """The shape of a value in words: 2x3."""
    return f"{value.shape[0]}x{value.shape[1]}" if isinstance(value, Table) else "1x1"


def shape_told(node: Node | None) -> Shape | None:
    r"""The shape that 2×3, (2×3), [2×3] and (2, 3) state, None for anything else.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [shape_told(read_chain(text).first) for text in (r"2 \times 3", r"(2 \times 3)", "(2, 3)", "Q")]
    [(2, 3), (2, 3), (2, 3), None]
    """
    while isinstance(node, Bracketed) or (isinstance(node, List) and len(node.items) == 1):
        node = node.inner if isinstance(node, Bracketed) else node.items[0]
    if isinstance(node, List) and node.delimiters == "()":
        told: Sequence[Node] = node.items
    elif isinstance(node, Product) and all(sign == "×" for sign in node.signs):
        told = node.factors
    else:
        return None
    sizes = [_size(one) for one in told]
    return (sizes[0], sizes[1]) if len(sizes) == 2 and sizes[0] and sizes[1] else None


def _size(node: Node) -> int | None:
    """A whole number that may be a dimension."""
    whole = isinstance(node, Number) and node.text.isdecimal() and node.value <= LARGEST_DIMENSION
    return int(node.text) if whole and isinstance(node, Number) else None
