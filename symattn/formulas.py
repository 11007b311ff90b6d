"""Formulas as neutral trees: what is written, never how it looks.

Arrives: names of quantities, words and numbers. Leaves: small frozen trees that a stage carries along and that
`rendering/` alone turns into LaTeX. A leaf `Value` holds any number of any arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, overload

T = TypeVar("T")
Relation = Literal["=", "≈", "→", "<", "≤"]
Sign = Literal["dot", "times", "matrix"]


class Formula:
    """Base of every node."""

    __slots__ = ()


class LazyRows(Sequence[T], Generic[T]):
    """Rows that are made when they are first looked at, and kept.

    A derivation of 256 tokens of which five rows are printed computes five rows.

    >>> rows = LazyRows(3, lambda i: i * i)
    >>> rows[2], len(rows), list(rows)
    (4, 3, [0, 1, 4])
    """

    __slots__ = ("_made", "_make", "_size")

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        self._size = size
        self._make = make
        self._made: dict[int, T] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self._size)))
        place = index + self._size if index < 0 else index
        if not 0 <= place < self._size:
            raise IndexError(index)
        if place not in self._made:
            self._made[place] = self._make(place)
        return self._made[place]

    def __iter__(self) -> Iterator[T]:
        return (self[i] for i in range(self._size))


@dataclass(frozen=True, slots=True)
class Name(Formula):
    """A named quantity (`Q`, `W_Q`, `d_k`, `scores`); a notation gives it its letters."""

    key: str


@dataclass(frozen=True, slots=True)
class Indexed(Formula):
    """A base with an index below: x_1, q_Time."""

    base: Formula
    index: Formula


@dataclass(frozen=True, slots=True)
class Words(Formula):
    """Text inside a formula. It may come from outside, so writers escape every character of it."""

    text: str


@dataclass(frozen=True, slots=True)
class Value(Formula):
    """A number of any arithmetic."""

    number: Any


@dataclass(frozen=True, slots=True)
class Decimal(Formula):
    """A decimal that is already text, such as a certified expansion."""

    text: str


@dataclass(frozen=True, slots=True)
class Matrix(Formula):
    """A matrix of numbers or formulas, with a label for each row where there are any."""

    rows: Sequence[Sequence[Any]]
    labels: tuple[Formula, ...] = ()
    padded: int | None = None


@dataclass(frozen=True, slots=True)
class Row(Formula):
    """A row vector in running text: [1,0,1,0]."""

    items: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Product(Formula):
    """Factors joined by a sign: a dot, a cross, or what a notation puts between matrices."""

    factors: tuple[Formula, ...]
    sign: Sign = "dot"


@dataclass(frozen=True, slots=True)
class Sum(Formula):
    """Terms joined by plus signs."""

    terms: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Quotient(Formula):
    """A quotient, as a fraction or written on the line (3/1.7)."""

    above: Formula
    below: Formula
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Bracketed(Formula):
    """Round brackets around a formula."""

    inner: Formula


@dataclass(frozen=True, slots=True)
class Root(Formula):
    """A square root."""

    inner: Formula


@dataclass(frozen=True, slots=True)
class Exp(Formula):
    """The exponential of a formula."""

    exponent: Formula


@dataclass(frozen=True, slots=True)
class Transposed(Formula):
    """A transposed matrix."""

    inner: Formula


@dataclass(frozen=True, slots=True)
class Call(Formula):
    """A named function of a formula: softmax."""

    function: str
    argument: Formula


@dataclass(frozen=True, slots=True)
class Derivative(Formula):
    """The partial derivative of one quantity by another."""

    of: Formula
    by: Formula


@dataclass(frozen=True, slots=True)
class Limit(Formula):
    """The limit of a formula as a named quantity goes to `to` ("0+" or "oo")."""

    variable: Formula
    to: Literal["0+", "oo"]
    inner: Formula


@dataclass(frozen=True, slots=True)
class Listed(Formula):
    """Formulas with commas between them: q,k,v."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Chain(Formula):
    """A chain of relations, on one line or one link a line.

    `first` may be left out: a chain may begin with its relation, as in "weights ≈ [0.85,0.15]".
    """

    first: Formula | None
    links: tuple[tuple[Relation, Formula], ...]
    stacked: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Answer(Formula):
    """A result that a worksheet leaves blank."""

    inner: Formula


def equal(first: Formula | None, *others: Formula) -> Chain:
    """A chain of equalities: first = other = ...

    >>> equal(Name("Q"), Product((Name("X"), Name("W_Q")))).links[0][0]
    '='
    """
    return Chain(first, tuple(("=", other) for other in others))
