"""A root sweep: every weight and output at thousands of roots, with proven bounds and decided digits.

Arrives: an exact derivation and an array of roots r, each the rational that its float is. Leaves: for each weight and
output f(r) = Σ v·e^(s/r) / Σ e^(s/r) its float64 values with bounds of their errors, and the digits that it is written
with, which are decided by exact numbers wherever the floats leave them open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq

from symattn.attention.pipeline import Trace
from symattn.attention.trace import Derivation
from symattn.comparison.safe_roots import Weighted
from symattn.errors import OptionError
from symattn.formulas import LazyRows
from symattn.numbers.certified import rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.rounding import Digits, Mode, power_of_ten, round_rational
from symattn.numbers.vectors import MAX_PLACES, Bounded, Room, averages, decay, floats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symattn.numbers.vectors import Floats

MAX_UNITS: Final = 2**62
"""Of a written result, in units of its last place: they are kept as 64-bit whole numbers."""

MAX_KEPT: Final = 1 << 24
"""Of the numbers of exponentials that rows share."""


@dataclass(frozen=True, eq=False, slots=True)
class Rounded:
    """What a result is written with at each root: whole units of 10**-places.

    `by_floats` says where the bounds decided it; elsewhere exact numbers did.
    """

    units: NDArray[np.int64]
    places: int
    by_floats: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class _Row:
    """A row of the result at every root. Equal scores share one weight."""

    weights: Sequence[Bounded]
    outputs: Sequence[Bounded]


@dataclass(frozen=True, eq=False, slots=True)
class Sweep:
    """The weights and outputs of an exact derivation over an array of roots; a row is computed when first asked for.

    Places count from 0. `kind` is "weights" or "outputs".
    """

    exact: Derivation
    roots: Floats
    _rows: Sequence[_Row]

    def weights(self, i: int, j: int) -> Bounded:
        """The weight of row i and column j at every root. Shape: (N,)."""
        self._require("weights", i, j)
        return self._rows[i].weights[j]

    def outputs(self, i: int, j: int) -> Bounded:
        """The output of row i and column j at every root. Shape: (N,)."""
        self._require("outputs", i, j)
        return self._rows[i].outputs[j]

    def written(self, kind: str, i: int, j: int, places: int, mode: Mode = Mode.HALF_UP) -> Rounded:
        """The digits at every root, with nothing rounded but the result itself.

        Raises: OptionError where the digits do not fit into 64-bit whole numbers; UndecidedError where a root is so
        near to a change of digits that the bound on the precision is reached.

        >>> from symattn import derive, load_spec
        >>> made = sweep(derive(load_spec()), [1.7, 1.73, 1.75])
        >>> made.written("outputs", 0, 1, 2).units
        array([244, 245, 246])
        """
        self._require(kind, i, j)
        import numpy as np

        trace = self.exact.trace
        values = _values(trace, kind, j)
        if abs(places) > MAX_PLACES or max(map(abs, values)) * power_of_ten(places) >= MAX_UNITS:
            raise OptionError(f"{kind} to {places} places in a sweep", expected="at most 18 digits")
        constant = rational_of((trace.attention_weights if kind == "weights" else trace.output)[i][j])
        if constant is not None:
            digits = round_rational(constant, places, mode)
            return Rounded(np.full(self.roots.shape, digits.units), places, np.ones(self.roots.shape, dtype=bool))
        # f is not constant, so at a rational root it is irrational, thus never at a tie: all modes are floors
        shift = 0.5 if mode in {Mode.HALF_UP, Mode.HALF_EVEN} else 0.0
        scaled = (self.weights(i, j) if kind == "weights" else self.outputs(i, j)).in_units(places, shift)
        units = np.floor(scaled.low).astype(np.int64)
        last = np.floor(scaled.high).astype(np.int64)
        certain = units == last
        half = fmpq(*shift.as_integer_ratio())
        f = Weighted(tuple(trace.scores[i]), values)
        for place in np.flatnonzero(~certain):
            root = fmpq(*float(self.roots[place]).as_integer_ratio())
            low, high = int(units[place]), int(last[place])
            while low < high:
                middle = (low + high + 1) // 2
                if f.side(root, (middle - half) / power_of_ten(places)) > 0:
                    low = middle
                else:
                    high = middle - 1
            units[place] = low
        if mode is Mode.CEILING:
            units += 1
        elif mode is Mode.TRUNCATE:
            units += units < 0
        return Rounded(units, places, certain)

    def keeps(self, kind: str, i: int, j: int, digits: Digits, mode: Mode = Mode.HALF_UP) -> NDArray[np.bool_]:
        """Whether the result is written with these digits, for every root. Raises: as `written` does.

        >>> from symattn import derive, load_spec
        >>> made = sweep(derive(load_spec()), [1.7, 1.73, 1.75])
        >>> made.keeps("outputs", 0, 1, Digits(245, 2)).tolist()
        [False, True, False]
        """
        kept: NDArray[np.bool_] = self.written(kind, i, j, digits.places, mode).units == digits.units
        return kept

    def _require(self, kind: str, i: int, j: int) -> None:
        if kind not in {"weights", "outputs"}:
            raise OptionError(f"a sweep of {kind}", expected="weights or outputs")
        trace = self.exact.trace
        height, width = len(trace.scores), len(trace.scores[0] if kind == "weights" else trace.V[0])
        if not (0 <= i < height and 0 <= j < width):
            raise OptionError(f"{kind} of row {i} and column {j}", expected=f"a place in {height}x{width}, from 0")


def sweep(exact: Derivation, roots: Any) -> Sweep:
    """The weights and outputs of an exact derivation over a list or an array of roots, in the place of √d_k.

    Shapes: N roots -> N values and N bounds for each entry. `numpy.linspace` makes an evenly spaced range.
    Raises: OptionError for roots that are not positive finite numbers, for a derivation that is not exact or not over
    rationals, and, when a row is computed, for entries of V or differences of scores beyond the floats.

    >>> from symattn import derive, load_spec
    >>> made = sweep(derive(load_spec()), [1.7, 1.75])
    >>> made.outputs(0, 1).values.round(4), bool(made.outputs(0, 1).bounds.max() < 1e-13)
    (array([2.4386, 2.4578]), True)
    """
    if exact.arithmetic.name not in {"exact", "free-dk"} or not isinstance(exact.trace.root, SquareRoot):
        raise OptionError("letters, roots or π, or another arithmetic, cannot be swept", expected="an exact derivation")
    at = floats(roots)
    trace = exact.trace
    room = Room()
    known: dict[fmpq, Bounded] = {}

    def power(gap: fmpq) -> Bounded:
        made = known.get(gap)
        if made is not None:
            return made
        made = decay(gap, at, room)
        if len(known) * at.size < MAX_KEPT:
            known[gap] = made
        return made

    return Sweep(exact, at, LazyRows(len(trace.scores), lambda i: _row(trace, i, at, power, room)))


def _values(trace: Trace, kind: str, j: int) -> tuple[fmpq, ...]:
    """What the exponentials are weighted with: column j of V, or of the identity."""
    if kind == "outputs":
        return tuple(row[j] for row in trace.V)
    return tuple(fmpq(int(k == j)) for k in range(len(trace.V)))


def _row(trace: Trace, i: int, roots: Floats, power: Callable[[fmpq], Bounded], room: Room) -> _Row:
    """Row i: the exponents are shifted by the largest score, and columns of equal scores taken together."""
    top = max(trace.scores[i])
    gaps = [top - score for score in trace.scores[i]]
    groups: list[fmpq] = []
    counts: list[int] = []
    sums: list[list[fmpq]] = []
    places = [0] * len(gaps)
    for column in sorted(range(len(gaps)), key=gaps.__getitem__):
        entries = trace.V[column]
        if groups and groups[-1] == gaps[column]:
            counts[-1] += 1
            sums[-1] = [c + v for c, v in zip(sums[-1], entries, strict=True)]
        else:
            groups.append(gaps[column])
            counts.append(1)
            sums.append(list(entries))
        places[column] = len(groups) - 1
    weights, outputs = averages(sums, counts, [*map(power, groups[1:])], roots.size, room)
    return _Row([weights[place] for place in places], outputs)
