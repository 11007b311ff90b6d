"""What d_k does to attention: every weight and output as a function of a free d_k.

Arrives: an exact derivation with rational scores. Leaves: for each weight and output its closed form, its limits and
how it moves as d_k grows; where two outputs change order; the whole d_k that keep a written result; a table over
chosen d_k. With r = √d_k every such number is f(r) = N/S, N = Σ v·e^(s/r) and S = Σ e^(s/r), and r grows with d_k.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import lcm
from operator import itemgetter
from typing import Any, Final, Literal

from flint import fmpq

from symattn.attention.derive import derive
from symattn.attention.trace import Derivation
from symattn.comparison.crossings import Balance, Point
from symattn.comparison.quantities import LABELS
from symattn.comparison.safe_roots import SafeRoots, Weighted, safe_roots
from symattn.comparison.signs import Range, Searches, Squared, whole_d_ks
from symattn.errors import OptionError, UndecidedError
from symattn.formulas import LazyRows
from symattn.numbers.arithmetic import Rows, transpose
from symattn.numbers.exact import Exact
from symattn.numbers.expsum import Scale
from symattn.numbers.limits import limit
from symattn.numbers.rounding import Digits, Mode

D_KS: Final = (1, 2, 3, 4, 8, 16, 64, 128)

MAX_ENTRIES: Final = 512
"""So many weights, and so many outputs, are followed; the others have their closed forms and limits only."""

MAX_PAIRS: Final = 1000
"""So many pairs of outputs of one token, and so many of one column, are compared."""

MAX_PRODUCTS: Final = 1 << 20
"""Fewer are, and fewer entries are followed, where they would take more products of terms than that."""

Kind = Literal["weights", "outputs"]
Place = tuple[int, int]
Direction = Literal["increasing", "decreasing", "constant"]
DIRECTIONS: Final[dict[int, Direction]] = {1: "increasing", -1: "decreasing", 0: "constant"}

Result = tuple[Kind, Place, Digits, Mode]
"""A written weight or output: its kind, its place from 0, its digits and how they were rounded."""


@dataclass(frozen=True, slots=True)
class Motion:
    """An interval of roots r = √d_k on which a number goes one way; None stands for 0 and for infinity."""

    low: Point | None
    high: Point | None
    direction: Direction

    @property
    def d_ks(self) -> tuple[Squared | None, Squared | None]:
        """The ends as d_k."""
        return _squared(self.low), _squared(self.high)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How one weight or output goes with d_k.

    The motions are as long as they can be and cover every d_k > 0; where they were not searched, `bounded` says why.
    """

    kind: Kind
    place: Place
    closed_form: Any
    at_zero: Any
    at_infinity: Any
    motions: tuple[Motion, ...]
    bounded: str = ""

    @property
    def label(self) -> str:
        """`Weights[1,1]`."""
        return _label(self.kind, self.place)

    @property
    def turns(self) -> tuple[Squared, ...]:
        """The d_k at which it turns, a maximum or a minimum each."""
        return tuple(Squared(motion.high) for motion in self.motions[:-1] if motion.high is not None)


@dataclass(frozen=True, slots=True)
class Swap:
    """Two outputs that are equal for some d_k.

    `at` holds every root r = √d_k at which they are equal. `leaders` has one entry more: before, between and after
    those points it is 1 where the first is larger and -1 where the second is. A pair that is equal for every d_k has
    no points and the one leader 0. Where a pair was not searched, `bounded` says why.
    """

    kind: Kind
    first: Place
    second: Place
    at: tuple[Point, ...]
    leaders: tuple[int, ...]
    bounded: str = ""

    @property
    def labels(self) -> tuple[str, str]:
        """The labels of the two."""
        return _label(self.kind, self.first), _label(self.kind, self.second)

    @property
    def d_ks(self) -> tuple[Squared, ...]:
        """The d_k at which the two are equal."""
        return tuple(map(Squared, self.at))

    @property
    def always(self) -> bool:
        """Whether the two are equal for every d_k."""
        return self.leaders == (0,)


@dataclass(frozen=True, slots=True)
class KeptFor:
    """The whole d_k ≥ 1 for which a result is written with the same digits, nothing before it rounded.

    `roots` is the set of all √d_k that do, whole d_k or not; None where it was not searched, and `bounded` says why.
    """

    label: str
    ranges: tuple[Range, ...]
    written: Digits
    mode: Mode
    roots: SafeRoots | None
    bounded: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The exact weights (n, n) and outputs (n, d_v) for one d_k."""

    d_k: fmpq
    weights: Rows
    outputs: Rows


@dataclass(frozen=True, slots=True)
class FreeDk:
    """What d_k does. `unsearched` counts the pairs of outputs beyond those that were compared."""

    behaviours: tuple[Behaviour, ...]
    swaps: tuple[Swap, ...]
    kept: tuple[KeptFor, ...]
    table: tuple[Row, ...]
    unsearched: int
    derivation: Derivation

    def __getitem__(self, label: str) -> Behaviour:
        for behaviour in self.behaviours:
            if behaviour.label == label:
                return behaviour
        raise OptionError(f"no quantity is called {label!r}", expected="a label such as Weights[1,2]")


def free_d_k(exact: Derivation, written: Sequence[Result] = (), d_ks: Sequence[fmpq | int] = D_KS) -> FreeDk:
    """What d_k does to the weights and outputs of a derivation, whether its own d_k is a number or free.

    The table has a row for each of the given d_k, and one for the spec's own. The weights of one row never change
    order, so no swap is told of them: e^(s/r) grows with s for every r, and equal scores give equal weights.
    Raises: OptionError where the scores are not rational, a d_k is not positive or a written result has no place.

    >>> from symattn import derive, load_spec
    >>> found = free_d_k(derive(load_spec()), [("weights", (0, 0), Digits(85, 2), Mode.HALF_UP)])
    >>> weight = found["Weights[1,1]"]
    >>> weight.at_zero, weight.at_infinity, [motion.direction for motion in weight.motions]
    (1, 1/2, ['decreasing'])
    >>> found.kept[0].ranges
    ((3, 3),)
    """
    if exact.arithmetic.name not in {"exact", "free-dk"}:
        raise OptionError(f"found a derivation {exact.arithmetic.name}", expected="an exact one")
    if not exact.spec.rational:
        raise OptionError("letters, roots or π in the input: d_k is not followed", expected="rational entries")
    free = derive(exact.spec, Exact(free_d_k=True), recompute=exact.recompute)
    functions = _Functions.of(free)
    asked, searches = Searches(), Searches()  # what was asked for has a bound of its own
    kept = tuple(_kept(functions, result, asked) for result in written)
    behaviours = tuple(_behaviours(free, functions, searches))
    swaps, unsearched = _swaps(functions, searches)
    chosen = {fmpq(d_k) for d_k in d_ks} | ({exact.spec.d_k} if isinstance(exact.spec.d_k, fmpq) else set())
    return FreeDk(behaviours, swaps, kept, tuple(_row(free, d_k) for d_k in sorted(chosen)), unsearched, free)


Sum = dict[int, fmpq]
"""Σ c·e^(unit·n/r) as {n: c}; whole numbers are quicker to hash than rationals."""


@dataclass(frozen=True, slots=True)
class _Functions:
    """Scores (n, n) and the columns of V (d_v, n): all that the weights and outputs are made of."""

    scores: Rows
    columns: Rows
    unit: fmpq
    multiples: Sequence[Sequence[int]]

    @classmethod
    def of(cls, free: Derivation) -> _Functions:
        """The scores as multiples of their common unit too."""
        scores = free.trace.scores
        whole = lcm(*(int(s.q) for row in scores for s in row))
        multiples = [[int((s * whole).p) for s in row] for row in scores]
        return cls(scores, transpose(free.trace.V), fmpq(1, whole), multiples)

    def values(self, kind: Kind, j: int) -> Sequence[fmpq]:
        """The v of f(r) = Σ v·e^(s/r) / Σ e^(s/r)."""
        return self.columns[j] if kind == "outputs" else [fmpq(int(k == j)) for k in range(len(self.scores))]

    def width(self, kind: Kind) -> int:
        """How many entries of the kind each row has."""
        return len(self.columns) if kind == "outputs" else len(self.scores)

    def above(self, i: int, a: int) -> Sum:
        """The N of the output of token i in column a."""
        return _collected(zip(self.multiples[i], self.columns[a], strict=True))

    def below(self, i: int) -> Sum:
        """The S of token i."""
        return _collected((n, fmpq(1)) for n in self.multiples[i])

    def balance(self, one: Sum, other: Sum) -> Balance:
        """One sum less another."""
        left = _collected([*one.items(), *((n, -c) for n, c in other.items())])
        return Balance.of((self.unit * n, c) for n, c in left.items() if c != 0)


def _collected(pairs: Iterable[tuple[int, fmpq]]) -> Sum:
    terms: Sum = {}
    for n, c in pairs:
        terms[n] = terms[n] + c if n in terms else c
    return terms


def _times(one: Sum, other: Sum) -> Sum:
    return _collected((n + m, c * d) for n, c in one.items() for m, d in other.items())


def rise(scores: Sequence[fmpq], values: Sequence[fmpq]) -> Balance:
    """A balance with the sign of df/dr for f(r) = Σ v·e^(s/r) / Σ e^(s/r).

    With t = 1/r, df/dt = (Σ v·s·e^(st)·S − N·Σ s·e^(st))/S² = Σ_(i<j) (v_i − v_j)(s_i − s_j)·e^((s_i+s_j)t)/S², and
    dt/dr = −1/r² turns the sign. Equal scores s are taken together: count n_s, sum of values V_s.

    >>> rise([fmpq(3), fmpq(0)], [fmpq(1), fmpq(0)]).terms
    {3: -3}
    """
    known: list[tuple[fmpq, int, fmpq]] = []
    for s, v in sorted(zip(scores, values, strict=True), key=itemgetter(0)):
        if known and known[-1][0] == s:
            known[-1] = s, known[-1][1] + 1, known[-1][2] + v
        else:
            known.append((s, 1, v))
    return Balance.of(
        (s + t, (v * m - w * n) * (t - s)) for (s, n, v), (t, m, w) in combinations(known, 2) if v != 0 or w != 0
    )


def _behaviours(free: Derivation, functions: _Functions, searches: Searches) -> Iterator[Behaviour]:
    kinds: tuple[tuple[Kind, Rows], ...] = (
        ("weights", free.trace.attention_weights),
        ("outputs", free.trace.output),
    )
    for kind, rows in kinds:
        width = functions.width(kind)
        values = [functions.values(kind, j) for j in range(width)]
        most = min(MAX_ENTRIES, _most(len(rows)))
        for i, row in enumerate(rows):
            for j, number in enumerate(row):
                if i * width + j < most:
                    motions, bounded = _motions(rise(functions.scores[i], values[j]), searches)
                else:
                    motions, bounded = (), f"only {most} {kind} are followed"
                yield Behaviour(kind, (i, j), number, limit(number, "0+"), limit(number, "oo"), motions, bounded)


def _motions(balance: Balance, searches: Searches) -> tuple[tuple[Motion, ...], str]:
    """The longest intervals of one direction, or why there are none."""
    try:
        points, signs = searches.signs(balance)
    except UndecidedError as error:
        return (), str(error)
    motions: list[Motion] = []
    low: Point | None = None
    for n, sign in enumerate(signs):
        high = points[n] if n < len(points) else None
        if high is None or signs[n + 1] != sign:  # it may stand still at a point and go on the same way
            motions.append(Motion(low, high, DIRECTIONS[sign]))
            low = high
    return tuple(motions), ""


def _swaps(functions: _Functions, searches: Searches) -> tuple[tuple[Swap, ...], int]:
    """The pairs of outputs that are equal somewhere, and how many pairs were not looked at."""
    n, width = len(functions.scores), len(functions.columns)
    rows = (((i, a), (i, b)) for i in range(n) for a, b in combinations(range(width), 2))
    columns = (((i, a), (k, a)) for a in range(width) for i, k in combinations(range(n), 2))
    below = [functions.below(i) for i in range(n)]
    swaps: list[Swap] = []
    for first, second in islice(rows, MAX_PAIRS):
        balance = functions.balance(functions.above(*first), functions.above(*second))
        swaps += _swap(first, second, balance, searches)
    most = min(MAX_PAIRS, _most(n))
    for first, second in islice(columns, most):
        # N_i/S_i − N_k/S_k has the sign of N_i·S_k − N_k·S_i
        one = _times(functions.above(*first), below[second[0]])
        other = _times(functions.above(*second), below[first[0]])
        swaps += _swap(first, second, functions.balance(one, other), searches)
    of_rows, of_columns = n * width * (width - 1) // 2, width * n * (n - 1) // 2
    return tuple(swaps), max(0, of_rows - MAX_PAIRS) + max(0, of_columns - most)


def _most(n: int) -> int:
    """How many entries or pairs of n² products each stay within the bound."""
    return max(1, MAX_PRODUCTS // n**2)


def _swap(first: Place, second: Place, balance: Balance, searches: Searches) -> Iterator[Swap]:
    """The swap of two outputs whose difference has the sign of the balance; none where they are never equal."""
    try:
        points, signs = searches.signs(balance)
    except UndecidedError as error:
        yield Swap("outputs", first, second, (), (), str(error))
        return
    if points or signs == (0,):
        yield Swap("outputs", first, second, points, signs)


def _kept(functions: _Functions, result: Result, searches: Searches) -> KeptFor:
    kind, (i, j), digits, mode = result
    if kind not in {"weights", "outputs"}:
        raise OptionError(f"found a written result of {kind!r}", expected="weights or outputs")
    label = _label(kind, (i, j))
    if not (0 <= i < len(functions.scores) and 0 <= j < functions.width(kind)):
        raise OptionError(f"there is no {label}")
    try:
        for _ in range(2):  # one polynomial for each bound of the digits
            searches.spend(Balance.of((s, fmpq(1)) for s in functions.scores[i]).degree)
        found = safe_roots(Weighted(tuple(functions.scores[i]), tuple(functions.values(kind, j))), digits, mode)
        return KeptFor(label, whole_d_ks(found), digits, mode, found)
    except UndecidedError as error:
        return KeptFor(label, (), digits, mode, None, str(error))


def _row(free: Derivation, d_k: fmpq) -> Row:
    """The weights and outputs with d_k filled in, each row when it is looked at."""
    if d_k <= 0:
        raise OptionError(f"d_k = {d_k}", expected="positive numbers")
    scale = Scale(d_k)

    def filled(rows: Rows) -> Rows:
        return LazyRows(
            len(rows), lambda i: tuple(number if isinstance(number, fmpq) else number.fill(scale) for number in rows[i])
        )

    return Row(d_k, filled(free.trace.attention_weights), filled(free.trace.output))


def _squared(point: Point | None) -> Squared | None:
    return None if point is None else Squared(point)


def _label(kind: Kind, place: Place) -> str:
    return f"{LABELS[kind]}[{place[0] + 1},{place[1] + 1}]"
