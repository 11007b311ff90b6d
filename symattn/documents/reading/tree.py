"""Trees of what a document writes: every node knows its place, every number keeps its digits.

Arrives: nothing. Leaves: the nodes that the reader builds and that everything behind it looks at. A place is a pair of
offsets into the text that was read. Nothing is evaluated or simplified: the tree says what stands there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import Literal

from flint import fmpq

from symattn.numbers.rounding import Digits

RelationKind = Literal["=", "≈", "≡", ":=", "→", "←", "∈", "<", ">", "≤", "≥", "≠", "∝", "∼"]
ProductSign = Literal["", "·", "×", "*", "@", "⊙"]


@dataclass(frozen=True, slots=True)
class Node:
    """Base of every node: the place from `start` up to `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A decimal as it is written: its text, its exact value, and the digits that it claims.

    `digits` are those of the value (85% is 0.85, Digits(85, 2)); None for a repeating decimal, which is exact.
    """

    text: str
    value: fmpq
    digits: Digits | None
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """The base of the natural exponential, or π."""

    name: Literal["e", "pi"]


@dataclass(frozen=True, slots=True)
class Infinity(Node):
    """∞ without its sign."""


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A named quantity without its fonts; `words` when it was written as a word, such as Scores_{12}."""

    base: str
    sub: str = ""
    sup: str = ""
    primes: int = 0
    accent: str = ""
    words: bool = False

    @property
    def key(self) -> str:
        """One spelling for all ways to write the name: W^Q, W_Q and W_{Q} are W_Q; S'_{2,1} is S'_2,1."""
        scripts = [part for part in (self.sup, self.sub) if part]
        if self.base in ("W", "w"):
            scripts = [part.upper() if part.lower() in ("q", "k", "v", "o") else part for part in scripts]
        accent = f"~{self.accent}" if self.accent else ""
        return "_".join([self.base + accent + "'" * self.primes, *scripts])

    @property
    def indices(self) -> tuple[str, ...]:
        """The parts of the subscript: 2 and 1 of S_{2,1}; a subscript without commas is one part."""
        return tuple(part.strip() for part in self.sub.split(",")) if self.sub else ()


@dataclass(frozen=True, slots=True)
class Text(Node):
    """Words inside a formula, or before one in prose."""

    text: str

    @property
    def key(self) -> str:
        """The words with single spaces and without punctuation around them."""
        return " ".join(self.text.split()).strip(" :：,，.。;；")


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """Terms, each with the sign before it: `+` or `-` (the first is `+`; a leading minus is a Neg)."""

    terms: tuple[Node, ...]
    signs: tuple[Literal["+", "-"], ...]


@dataclass(frozen=True, slots=True)
class Neg(Node):
    """Minus something."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Product(Node):
    """Factors, with the sign between each two: empty where they stand side by side."""

    factors: tuple[Node, ...]
    signs: tuple[ProductSign, ...]


@dataclass(frozen=True, slots=True)
class Quotient(Node):
    """A quotient: a fraction, or on the line (`inline`)."""

    above: Node
    below: Node
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Power(Node):
    """A power."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Root(Node):
    """A root: square unless `index` says otherwise."""

    inner: Node
    index: Node | None = None


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of arguments: exp, ln, log, softmax, max, or any word before a bracket (`known` is False then).

    `sub` is what stands below it: the base of a logarithm, the axis of a softmax.
    """

    function: str
    arguments: tuple[Node, ...]
    sub: str = ""
    known: bool = True


@dataclass(frozen=True, slots=True)
class Transpose(Node):
    """A transposed matrix."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Absolute(Node):
    """|x|, or ‖x‖ when `norm`."""

    inner: Node
    norm: bool = False


@dataclass(frozen=True, slots=True)
class Indexed(Node):
    """An entry or a part of something that is no name: (QK)_{ij}, softmax(S)[0]."""

    inner: Node
    sub: str


@dataclass(frozen=True, slots=True)
class Matrix(Node):
    """Rows of cells, all of one length, with what stands around them and the words beside its rows.

    A cell may be a Chain (`1·1+0·0 = 1`). `notes` are words inside the cells.
    """

    rows: tuple[tuple[Node, ...], ...]
    delimiters: str = ""
    labels: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.rows), len(self.rows[0])


@dataclass(frozen=True, slots=True)
class List(Node):
    """Things with commas or spaces between them: a row vector [a, b], a tuple (a, b), a set {a, b}."""

    items: tuple[Node, ...]
    delimiters: str = "[]"


@dataclass(frozen=True, slots=True)
class Bracketed(Node):
    """Round brackets around one thing."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Elided(Node):
    """Dots for what is left out."""


@dataclass(frozen=True, slots=True)
class Blank(Node):
    """A place to be filled in."""


@dataclass(frozen=True, slots=True)
class Operation(Node):
    """What is done to the value before: `÷√2` on an arrow or between two."""

    sign: Literal["+", "-", "*", "/"]
    operand: Node


@dataclass(frozen=True, slots=True)
class Unread(Node):
    """What could not be read, and why; `formula` when it is mathematics that is never worked out here."""

    text: str
    reason: str
    formula: bool = False


@dataclass(frozen=True, slots=True)
class Link(Node):
    """A relation and what stands behind it; the place is that of the relation.

    `operation` is what is written over an arrow.
    """

    relation: RelationKind
    item: Node
    operation: Node | None = None


@dataclass(frozen=True, slots=True)
class Chain(Node):
    """Things joined by relations: first = item ≈ item.

    `first` is None where the text begins with a relation. A chain without links is one thing that stands alone.
    `label` are the words before it, `notes` the words behind and between.
    """

    first: Node | None
    links: tuple[Link, ...] = ()
    label: Text | None = None
    notes: tuple[Text, ...] = ()

    @property
    def items(self) -> tuple[Node, ...]:
        """Everything between the relations, in order."""
        first = () if self.first is None else (self.first,)
        return first + tuple(link.item for link in self.links)

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What was not read, cells included."""
        return tuple(node for node in walk(self) if isinstance(node, Unread))


def unbracketed(node: Node) -> Node:
    """What stands in brackets, however many there are."""
    while isinstance(node, Bracketed):
        node = node.inner
    return node


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in the order of the text.

    >>> [type(n).__name__ for n in walk(Neg(0, 2, Infinity(1, 2)))]
    ['Neg', 'Infinity']
    """
    stack = [node]
    while stack:
        at = stack.pop()
        yield at
        stack.extend(reversed(list(children(at))))


def children(node: Node) -> Iterator[Node]:
    """The nodes right below a node."""
    for name in _below(type(node)):  # type: ignore[arg-type]  # a class has a hash
        yield from _nodes(getattr(node, name))


@cache
def _below(kind: type[Node]) -> tuple[str, ...]:
    """The fields in which other nodes may stand."""
    return tuple(field.name for field in fields(kind) if field.name not in {"start", "end"})


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for inner in value:
            yield from _nodes(inner)
