"""How many places suffice: the fewest to keep of each kind of quantity, so that every output comes out right.

Arrives: an exact derivation, and how its outputs are to be rounded. Leaves: for each kind the fewest places that are
enough whatever the roundings do, the fewest with which the calculation done comes out right, and from where on.

Both look at one kind at a time: only its quantities are rounded, everything after them is exact. At worst each of them
is moved by itself, even where two are equal. What a rounding to p places may do at worst only shrinks as p grows (a
number with no more than p decimals is not moved at all, and then at p + 1 neither), so places that are enough stay
enough, and the search goes up from 0. A calculation done may come out right by luck, so there each number of places is
tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from flint import arb, fmpq

from symattn.attention.derive import derive
from symattn.attention.trace import Derivation
from symattn.comparison.guarantee import (
    Cell,
    Exps,
    Movable,
    Moved,
    Part,
    RootPart,
    Row,
    RowSums,
    ScaledScores,
    Vertices,
    Weights,
)
from symattn.errors import OptionError, quoted
from symattn.numbers.arithmetic import Rows, transpose
from symattn.numbers.certified import Decimals, enclosure
from symattn.numbers.partly import Partly
from symattn.numbers.rounding import Digits, Mode, Policy, Rule, power_of_ten
from symattn.numbers.working import at_bits

ROUNDED: Final = ("root", "scaled_scores", "exponentials", "row_sums", "weights")
"""The kinds that are asked about."""

MOVED: Final[Mapping[str, Callable[[Row], Moved]]] = {
    "scaled_scores": ScaledScores,
    "exponentials": Exps,
    "row_sums": RowSums,
    "weights": Weights,
}

MAX_OUTPUT_PLACES: Final = 1000

SEARCHED: Final = 60
"""How many more places than those of the outputs are looked at before it is said to be more."""

TRIED: Final = 20
"""How many more places than those of the outputs are tried where no guarantee ends the search."""


@dataclass(frozen=True, slots=True)
class Places:
    """A number of places, or why there is none.

    | number | never | searched | read |
    |---|---|---|---|
    | p | False | None | p places, proven |
    | p | False | m | p places, as far as m places were tried |
    | None | True | None | none, proven: no number of places will do |
    | None | False | m | more than m places, if any: none up to m will do |

    `place` (from 0) is the output entry that asks for the most, or that no number of places can keep.
    """

    number: int | None
    never: bool = False
    searched: int | None = None
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """The calculation done: the fewest places with which it is right, and the fewest from which on it stays right."""

    first: Places
    onwards: Places


@dataclass(frozen=True, slots=True)
class Sufficient:
    """One kind of quantity: the rounding mode of its quantities, the guarantee, and the calculation done."""

    kind: str
    mode: Mode
    guaranteed: Places
    replayed: Replayed


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """How many places suffice for outputs right at `places` in `mode`: each kind alone, and all kinds at once."""

    exact: Derivation
    places: int
    mode: Mode
    kinds: tuple[Sufficient, ...]
    together: Replayed

    def __getitem__(self, kind: str) -> Sufficient:
        for found in self.kinds:
            if found.kind == kind:
                return found
        raise OptionError(f"unknown kind of quantity {quoted(kind)}", expected=f"one of {', '.join(ROUNDED)}")


def sufficient(
    exact: Derivation, policy: Policy | None = None, *, places: int = 2, mode: Mode = Mode.HALF_UP
) -> Sufficiency:
    """How many places of each kind suffice for every output to be right at `places` decimals in `mode`.

    The quantities of a kind are rounded in the mode of its rule in the policy, without one in `mode` too.
    Raises: OptionError where the derivation is not exact, or the input or d_k is not rational; UndecidedError where
    a digit cannot be told.

    >>> from symattn import load_spec
    >>> found = sufficient(derive(load_spec()))
    >>> [(each.kind, each.guaranteed.number, each.replayed.first.number) for each in found.kinds]
    [('root', 3, 2), ('scaled_scores', 3, 2), ('exponentials', 3, 2), ('row_sums', 3, 2), ('weights', 4, 2)]
    >>> sufficient(derive(load_spec()), mode=Mode.TRUNCATE)["exponentials"].guaranteed.never
    True
    """
    asked = _Asked.of(exact, policy, places, mode)
    kinds = tuple(_kind(asked, kind) for kind in ROUNDED)
    most = places + TRIED
    settled = next((kept for kept in range(most + 1) if asked.settled(kept)), None)
    return Sufficiency(exact, places, mode, kinds, _replayed(partial(asked.right, ROUNDED), settled, most))


def _kind(asked: _Asked, kind: str) -> Sufficient:
    """What is found for one kind."""
    pairs = asked.pairs(kind)
    guaranteed = _guaranteed(pairs, asked.places + SEARCHED)
    lost = next((cell.place for part, cell in pairs if part.always_wrong(cell)), None)
    if lost is None:
        replayed = _replayed(partial(asked.right, (kind,)), guaranteed.number, asked.places + TRIED)
    else:
        none = Places(None, never=True, place=lost)
        replayed = Replayed(none, none)
    return Sufficient(kind, asked.modes[kind], guaranteed, replayed)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question: an exact derivation, the digits of its outputs, and the mode of each kind."""

    exact: Derivation
    places: int
    mode: Mode
    modes: Mapping[str, Mode]
    digits: list[list[Digits]]
    cells: list[list[Cell]]
    rows: list[Row]
    decimals: Decimals

    @classmethod
    def of(cls, exact: Derivation, policy: Policy | None, places: int, mode: Mode) -> _Asked:
        """The question, checked."""
        if exact.arithmetic.name != "exact":
            raise OptionError(f"found a derivation that is {exact.arithmetic.name}", expected="an exact one")
        if not exact.spec.rational or not isinstance(exact.spec.d_k, fmpq):
            raise OptionError("places are counted only where every input and d_k is rational")
        if not 0 <= places <= MAX_OUTPUT_PLACES:
            raise OptionError(f"places = {places}", expected=f"0 to {MAX_OUTPUT_PLACES}")
        trace, decimals = exact.trace, Decimals()
        columns = transpose(trace.V)
        digits = _rounded(trace.output, places, mode, decimals)
        cells = [
            [Cell.of((i, j), columns[j], number, digits[i][j], mode) for j, number in enumerate(row)]
            for i, row in enumerate(trace.output)
        ]
        parts = trace.scores, trace.scaled_scores, trace.exponentials, trace.row_sums, trace.attention_weights
        rows = [Row(*part) for part in zip(*parts, strict=True)]
        modes = {kind: mode if policy is None else policy.rule(kind).mode for kind in ROUNDED}
        return cls(exact, places, mode, modes, digits, cells, rows, decimals)

    def pairs(self, kind: str) -> list[tuple[Part, Cell]]:
        """Each output with the kind in its row."""
        mode, parts = self.modes[kind], list[Part]()
        if kind == "root":
            root = Movable.of(self.exact.trace.root)
            parts += [RootPart(row, root, mode) for row in self.rows]
        else:
            parts += [Vertices.of(MOVED[kind](row), row.top, mode, self.decimals) for row in self.rows]
        return [(part, cell) for part, cells in zip(parts, self.cells, strict=True) for cell in cells]

    def right(self, kinds: Sequence[str], kept: int) -> bool:
        """Whether every output comes out right with some kinds rounded to `kept` places."""
        policy = Policy({kind: Rule(places=kept, mode=self.modes[kind]) for kind in kinds})
        arithmetic = Partly(policy, only=frozenset(kinds))
        try:
            output = derive(self.exact.spec, arithmetic, recompute=self.exact.recompute).trace.output
            return _rounded(output, self.places, self.mode, self.decimals) == self.digits
        except OptionError as error:
            if error.__cause__ is not None:  # a digit that could not be told
                raise
            return False  # a root, or a row of exponentials, that was rounded to 0

    def settled(self, kept: int) -> bool:
        """Whether all kinds rounded to `kept` places, in any mode, are proven to leave every output its digits.

        Every quantity is taken to be anywhere within a unit of the last place of where it could be, by intervals. They
        shrink as the places grow, so what is settled stays settled.
        """
        bits = 96 + 4 * kept
        at = enclosure(self.exact.trace.root, bits)
        with at_bits(bits):
            loose = arb(0, 1 / power_of_ten(kept))
            root = at + loose
            for row, cells in zip(self.rows, self.cells, strict=True):
                exponentials = [(s / root + loose).exp() + loose for s in row.scores]
                total = sum(exponentials, arb(0)) + loose
                weights = [x / total + loose for x in exponentials]
                for cell in cells:
                    output = sum((w * v for w, v in zip(weights, cell.values, strict=True)), arb(0))
                    if not (output > cell.low and output < cell.high):
                        return False
        return True


def _rounded(output: Rows, places: int, mode: Mode, decimals: Decimals) -> list[list[Digits]]:
    return [[decimals.round(number, places, mode) for number in row] for row in output]


def _guaranteed(pairs: Sequence[tuple[Part, Cell]], most: int) -> Places:
    """The fewest places that are enough for every output."""
    for part, cell in pairs:
        if part.never(cell):
            return Places(None, never=True, place=cell.place)
    fewest, hardest = 0, None
    for part, cell in pairs:
        while not part.enough(cell, fewest):
            fewest, hardest = fewest + 1, cell.place
            if fewest > most:
                return Places(None, searched=most, place=cell.place)
    return Places(fewest, place=hardest)


def _replayed(right: Callable[[int], bool], guaranteed: int | None, most: int) -> Replayed:
    """The fewest places that are right, every number of them tried: up to the guarantee, or else up to `most`."""
    last = most if guaranteed is None else guaranteed - 1
    outcomes = [right(kept) for kept in range(last + 1)] + [True] * (guaranteed is not None)
    searched = most if guaranteed is None else None
    first = Places(outcomes.index(True)) if True in outcomes else Places(None, searched=searched)
    wrong = [kept for kept, good in enumerate(outcomes) if not good]
    onwards = wrong[-1] + 1 if wrong else 0
    return Replayed(first, Places(onwards if onwards < len(outcomes) else None, searched=searched))
