r"""Whether a number of places is enough, whatever the roundings do: the worst case, decided exactly.

Arrives: the exact quantities of a row and the digits its outputs must keep. Leaves: yes or no for a number of places,
and the proof that no number of places will do.

The quantities of one kind are moved independently, each as far as its own rounding may move it: a `Box`. An output
keeps its digits on the whole box where it stays between two bounds c, and output − c has the sign of a sum
L = Σ k·q + rest over the moved quantities q: Σ v·w − c for weights w; Σ (v − c)·x for exponentials x; the same with
x = e^z for scaled scores z; Σ v·x − c·S for the row sum S. L is greatest and least at a vertex, q at one end or the
other by the sign of k, and its sign there is decided, since it is an exponential sum. Only the root moves all scaled
scores together, and is bisected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from flint import arb, fmpq

from symattn.comparison.crossings import decided
from symattn.comparison.safe_roots import bounds
from symattn.numbers.certified import Decimals, enclosure, rational_of
from symattn.numbers.expsum import CONSTANT, ONE, ZERO, ExpSum, Key, Scaled
from symattn.numbers.rounding import Digits, Mode, power_of_ten, terminating_digits
from symattn.numbers.working import at_bits

HALF: Final = frozenset({Mode.HALF_UP, Mode.HALF_EVEN})

MAX_PIECES: Final = 4000
"""Of a set of roots that is bisected, at one precision."""


# ---- how far a rounding may move a number -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class End:
    """How far a number may go: by `shift`, or to 0 where that is None; `reached` says whether it gets there."""

    shift: fmpq | None
    reached: bool = True


STILL: Final = End(ZERO)
AT_ZERO: Final = End(None)


@dataclass(frozen=True, slots=True)
class Box:
    """Where a number may go, from `low` to `high`."""

    low: End = STILL
    high: End = STILL


@dataclass(frozen=True, slots=True)
class Movable:
    """An exact number that will be rounded: its sign, and its places where it is a finite decimal."""

    number: Any
    sign: int
    places: int | None

    @classmethod
    def of(cls, number: Any) -> Movable:
        """What must be known of a number.

        >>> Movable.of(fmpq(-1, 8)).places, Movable.of(fmpq(1, 3)).places
        (3, None)
        """
        value = rational_of(number)
        if value is not None:
            digits = terminating_digits(value)
            return cls(number, (value > 0) - (value < 0), None if digits is None else digits.places)

        def attempt(bits: int) -> int | None:
            ball = enclosure(number, bits)
            return 1 if ball > 0 else -1 if ball < 0 else None

        return cls(number, decided(attempt, "a sign could not be told"), None)

    def directions(self, mode: Mode) -> tuple[int, ...]:
        """The directions in which a rounding may move the number while it is no finite decimal."""
        if mode in HALF:
            return (-1, 1)
        down = mode is Mode.FLOOR or (mode is Mode.TRUNCATE and self.sign > 0)
        return (-1,) if down else (1,)

    def box(self, places: int, mode: Mode) -> Box:
        """Where a rounding to `places` decimals may move the number.

        By half a unit with the half modes, by less than a unit to one side with the others, never across 0, and not
        at all where the number has no more decimals.

        >>> Movable.of(fmpq(1, 3)).box(1, Mode.TRUNCATE)
        Box(low=End(shift=-1/10, reached=False), high=End(shift=0, reached=True))
        >>> Movable.of(fmpq(1, 3)).box(0, Mode.TRUNCATE).low, Movable.of(fmpq(1, 2)).box(1, Mode.TRUNCATE) == Box()
        (End(shift=None, reached=True), True)
        """
        if self.places is not None and self.places <= places:
            return Box()
        unit = 1 / power_of_ten(places)
        if mode in HALF:
            below = above = End(unit / 2)
        else:
            down = self.directions(mode) == (-1,)
            below, above = (End(unit, reached=False), STILL) if down else (STILL, End(unit, reached=False))
        inward = below if self.sign > 0 else above
        crosses = inward.shift != 0 and self._within(inward.shift or ZERO)
        low = AT_ZERO if crosses and self.sign > 0 else End(-(below.shift or ZERO), below.reached)
        return Box(low, AT_ZERO if crosses and self.sign < 0 else above)

    def _within(self, reach: fmpq) -> bool:
        """Whether the number is no further from 0 than `reach`."""
        value = rational_of(self.number)
        if value is not None:
            return bool(abs(value) <= reach)

        def attempt(bits: int) -> bool | None:
            size = abs(enclosure(self.number, bits))
            return True if size < reach else False if size > reach else None

        return decided(attempt, "a size could not be told")


# ---- what the outputs make of it --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cell:
    """An output that must keep its digits: its place from 0, its column of V, and the bounds of its digits.

    `tie` is the exact output where it is one of the bounds: -1 or 1 as it is the lower or the upper one, else 0.
    """

    place: tuple[int, int]
    values: tuple[fmpq, ...]
    low: fmpq
    high: fmpq
    low_closed: bool
    high_closed: bool
    tie: int

    @classmethod
    def of(cls, place: tuple[int, int], values: Sequence[fmpq], exact: Any, digits: Digits, mode: Mode) -> Cell:
        """The cell around an exact output that is written with these digits."""
        low, high, low_closed, high_closed = bounds(digits, mode)
        value = rational_of(exact)
        tie = -1 if value == low else 1 if value == high else 0
        return cls(place, tuple(values), low, high, low_closed, high_closed, tie)

    @property
    def sides(self) -> tuple[tuple[fmpq, int, bool], ...]:
        """Each bound, on which side it is, and whether it may be reached."""
        return (self.low, -1, self.low_closed), (self.high, 1, self.high_closed)


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one token: scores, scaled scores, exponentials, their sum and the weights."""

    scores: Sequence[fmpq]
    scaled: Sequence[Scaled]
    exponentials: Sequence[ExpSum]
    total: ExpSum
    weights: Sequence[Any]

    @property
    def top(self) -> Key:
        """The exponent of the largest score: sums are divided by its exponential, so that none is huge."""
        return self.scaled[max(range(len(self.scores)), key=self.scores.__getitem__)].key


class Moved(Protocol):
    """One kind of quantity in one row: what moves, and what the outputs make of it."""

    def moves(self) -> Sequence[Any]:
        """The exact quantities."""

    def factors(self, values: Sequence[fmpq], bound: fmpq) -> Sequence[fmpq]:
        """The factor of each quantity in L."""

    def at(self, index: int, end: End) -> ExpSum:
        """What a quantity brings to L at an end of its box, before its factor."""

    def rest(self, values: Sequence[fmpq], bound: fmpq) -> ExpSum:
        """What stays in L."""

    def defined(self, boxes: Sequence[Box]) -> bool:
        """Whether nothing is divided by 0 anywhere in the boxes."""


def _added(parts: Iterable[tuple[fmpq, ExpSum]], like: ExpSum) -> ExpSum:
    return ExpSum.collect(((key, f * c) for f, part in parts for key, c in part.terms.items()), like.scale)


def _shifted(exact: ExpSum, by: fmpq | None) -> ExpSum:
    """An exponential sum and a rational, or 0."""
    if by is None:
        return ExpSum({}, exact.scale)
    return ExpSum.collect([*exact.terms.items(), (CONSTANT, by)], exact.scale)


@dataclass(frozen=True, slots=True)
class Weights:
    """L = (Σ v·w − c)·S, with w·S the exponential."""

    row: Row

    def moves(self) -> Sequence[Any]:
        """The weights."""
        return self.row.weights

    def factors(self, values: Sequence[fmpq], bound: fmpq) -> Sequence[fmpq]:  # noqa: ARG002  (the sum stays 1)
        """The values."""
        return values

    def at(self, index: int, end: End) -> ExpSum:
        """The moved weight times S."""
        exact = self.row.exponentials[index]
        if end.shift is None:
            return ExpSum({}, exact.scale)
        return _added([(ONE, exact), (end.shift, self.row.total)], exact)

    def rest(self, values: Sequence[fmpq], bound: fmpq) -> ExpSum:  # noqa: ARG002
        """−c·S."""
        return -bound * self.row.total

    def defined(self, boxes: Sequence[Box]) -> bool:  # noqa: ARG002
        """True: nothing is divided by a weight."""
        return True


@dataclass(frozen=True, slots=True)
class RowSums:
    """L = Σ v·x − c·S."""

    row: Row

    def moves(self) -> Sequence[Any]:
        """The sum."""
        return (self.row.total,)

    def factors(self, values: Sequence[fmpq], bound: fmpq) -> Sequence[fmpq]:  # noqa: ARG002
        """−c."""
        return (-bound,)

    def at(self, index: int, end: End) -> ExpSum:  # noqa: ARG002
        """The moved sum."""
        return _shifted(self.row.total, end.shift)

    def rest(self, values: Sequence[fmpq], bound: fmpq) -> ExpSum:  # noqa: ARG002
        """Σ v·x."""
        return _added(zip(values, self.row.exponentials, strict=True), self.row.total)

    def defined(self, boxes: Sequence[Box]) -> bool:
        """Whether the sum stays off 0."""
        return boxes[0].low.shift is not None


@dataclass(frozen=True, slots=True)
class Exps:
    """L = Σ (v − c)·x."""

    row: Row

    def moves(self) -> Sequence[Any]:
        """The exponentials."""
        return self.row.exponentials

    def factors(self, values: Sequence[fmpq], bound: fmpq) -> Sequence[fmpq]:
        """Each v − c."""
        return [v - bound for v in values]

    def at(self, index: int, end: End) -> ExpSum:
        """The moved exponential."""
        return _shifted(self.row.exponentials[index], end.shift)

    def rest(self, values: Sequence[fmpq], bound: fmpq) -> ExpSum:  # noqa: ARG002
        """Nothing."""
        return ExpSum({}, self.row.total.scale)

    def defined(self, boxes: Sequence[Box]) -> bool:
        """Whether one exponential at least stays off 0."""
        return any(box.low.shift is not None for box in boxes)


@dataclass(frozen=True, slots=True)
class ScaledScores:
    """L = Σ (v − c)·e^z."""

    row: Row

    def moves(self) -> Sequence[Any]:
        """The scaled scores."""
        return self.row.scaled

    def factors(self, values: Sequence[fmpq], bound: fmpq) -> Sequence[fmpq]:
        """Each v − c."""
        return [v - bound for v in values]

    def at(self, index: int, end: End) -> ExpSum:
        """The exponential of the moved score."""
        (a, b), scale = self.row.scaled[index].key, self.row.total.scale
        return ExpSum({CONSTANT if end.shift is None else Key(a, b + end.shift): ONE}, scale)

    def rest(self, values: Sequence[fmpq], bound: fmpq) -> ExpSum:  # noqa: ARG002
        """Nothing."""
        return ExpSum({}, self.row.total.scale)

    def defined(self, boxes: Sequence[Box]) -> bool:  # noqa: ARG002
        """True: no exponential is 0."""
        return True


class Part(Protocol):
    """One kind in one row, as a question that can be put for any number of places."""

    def never(self, cell: Cell) -> bool:
        """Whether no number of places is enough for an output."""

    def always_wrong(self, cell: Cell) -> bool:
        """Whether it is proven that rounding to any number of places takes the output out of its cell."""

    def enough(self, cell: Cell, places: int) -> bool:
        """Whether a number of places is enough for an output."""


@dataclass(frozen=True, slots=True)
class Vertices:
    """A kind whose quantities move independently."""

    moved: Moved
    top: Key
    mode: Mode
    movable: tuple[Movable, ...]
    decimals: Decimals

    @classmethod
    def of(cls, moved: Moved, top: Key, mode: Mode, decimals: Decimals) -> Vertices:
        """The question, with what must be known of each quantity."""
        return cls(moved, top, mode, tuple(map(Movable.of, moved.moves())), decimals)

    def never(self, cell: Cell) -> bool:
        """Whether the output is exactly at an end of its digits, and at every number of places a quantity may leave it.

        L is 0 there. A quantity that is no finite decimal may move, however many places are kept, and moving alone it
        makes L change with the sign of its factor times its move, however small.
        """
        return any(cell.tie in pushes for movable, pushes in self._pushes(cell) if movable.places is None)

    def always_wrong(self, cell: Cell) -> bool:
        """Whether every move of every quantity pushes the output out, and one moves at every number of places.

        A quantity that is whole never moves.
        """
        pushed = [pushes for movable, pushes in self._pushes(cell) if movable.places != 0]
        return self.never(cell) and all(pushes <= {0, cell.tie} for pushes in pushed)

    def _pushes(self, cell: Cell) -> Iterator[tuple[Movable, set[int]]]:
        """Each quantity with the signs of what its moves make of L; nothing where the output is at no end.

        One-sided roundings move a number that is no finite decimal at every number of places.
        """
        if cell.tie == 0:
            return
        factors = self.moved.factors(cell.values, cell.low if cell.tie < 0 else cell.high)
        for movable, factor in zip(self.movable, factors, strict=True):
            sign = (factor > 0) - (factor < 0)
            yield movable, {sign * direction for direction in movable.directions(self.mode)}

    def enough(self, cell: Cell, places: int) -> bool:
        """Whether the output keeps its digits on the whole of the boxes, decided at two vertices."""
        boxes = [movable.box(places, self.mode) for movable in self.movable]
        return self.moved.defined(boxes) and all(self._keeps(cell, boxes, *side) for side in cell.sides)

    def _keeps(self, cell: Cell, boxes: Sequence[Box], bound: fmpq, side: int, closed: bool) -> bool:  # noqa: FBT001
        """Whether the output stays on the inner side of a bound: below the upper one, above the lower one."""
        factors = self.moved.factors(cell.values, bound)
        ends = [box.high if f * side > 0 else box.low for box, f in zip(boxes, factors, strict=True)]
        parts = [(f, self.moved.at(i, end)) for i, (f, end) in enumerate(zip(factors, ends, strict=True)) if f != 0]
        rest = self.moved.rest(cell.values, bound)
        beyond = side * self._sign(_added([(ONE, rest), *parts], rest))
        reached = all(end.reached for f, end in zip(factors, ends, strict=True) if f != 0)
        return beyond < 0 or (beyond == 0 and (closed or not reached))

    def _sign(self, total: ExpSum) -> int:
        """The sign of an exponential sum; one with terms is not 0, and an irrational one is no whole number."""
        total = total.shifted(self.top)
        value = total.rational
        if value is not None:
            return (value > 0) - (value < 0)
        return 1 if self.decimals.round(total, 0, Mode.FLOOR).units >= 0 else -1


# ---- the root: every scaled score moves with it -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RootPart:
    """The root in one row: an output is Σ v·e^(s/r) / Σ e^(s/r)."""

    row: Row
    root: Movable
    mode: Mode

    def never(self, cell: Cell) -> bool:  # noqa: ARG002
        """False: an output that is rational is the same for every root, and an irrational one is at no end.

        For √d_k algebraic, Σ (v − c)·e^(s/√d_k) = 0 makes the factors of equal scores add up to 0.
        """
        return False

    def always_wrong(self, cell: Cell) -> bool:  # noqa: ARG002
        """False, as above."""
        return False

    def enough(self, cell: Cell, places: int) -> bool:
        """Whether the output keeps its digits at every root of the box."""
        box = self.root.box(places, self.mode)
        if box.low.shift is None:  # a root of 0
            return False
        return box == Box() or all(self._keeps(cell, box, bound, side) for bound, side, _ in cell.sides)

    def _keeps(self, cell: Cell, box: Box, bound: fmpq, side: int) -> bool:
        """Whether the output stays on the inner side of a bound.

        It never is the bound at an end of the box, since the ends are algebraic; so it does not matter which of
        them are reached.
        """
        grouped: dict[fmpq, fmpq] = {}
        for s, v in zip(self.row.scores, cell.values, strict=True):
            grouped[s] = grouped.get(s, ZERO) + (bound - v) * side
        top = max(grouped)
        terms = [(s - top, c) for s, c in grouped.items() if c != 0]  # the largest score divided out
        low, high = box.low.shift or ZERO, box.high.shift or ZERO
        return not terms or _positive(terms, self.root.number, low, high)


def _positive(terms: Sequence[tuple[fmpq, fmpq]], root: Any, low: fmpq, high: fmpq) -> bool:
    """Whether Σ c·e^(s·z) is above 0 for all z from 1/(root + high) to 1/(root + low).

    Pieces of z are proven with the mean value form, or refuted at a point, or halved.
    Raises: UndecidedError where the sum touches 0 without crossing it.
    """
    slopes = [(s, c * s) for s, c in terms]

    def attempt(bits: int) -> bool | None:
        at = enclosure(root, bits)
        with at_bits(bits):
            first, last = 1 / (at + high), 1 / (at + low)
            if not (first.is_finite() and last.is_finite()):
                return None
            at_ends = [_sum(terms, end) for end in (first, last)]
            if any(value < 0 for value in at_ends):
                return False
            if not all(value > 0 for value in at_ends):
                return None
            pieces = [(first.lower(), last.upper())]
            for _ in range(MAX_PIECES):
                if not pieces:
                    return True
                under, over = pieces.pop()
                piece = under.union(over)
                middle = piece.mid()
                value = _sum(terms, middle)
                if value < 0 and first < middle < last:
                    return False
                if not value > 0:  # the sum is 0 at no such point: more bits are needed
                    return None
                if value + _sum(slopes, piece) * (piece - middle) > 0:
                    continue
                pieces += [(under, middle), (middle, over)]
            return None

    return decided(attempt, "a set of roots could not be told to keep the digits")


def _sum(terms: Sequence[tuple[fmpq, fmpq]], z: arb) -> arb:
    return sum(((z * s).exp() * c for s, c in terms), arb(0))
