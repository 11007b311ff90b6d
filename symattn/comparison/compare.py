"""compare: an exact derivation beside a written one, quantity by quantity, in one frozen record.

Arrives: two derivations of one spec and the roots that somebody might use. Leaves: for each quantity its error and its
verdict, for each output where the error came from, and for each weight and output how far √d_k may be rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flint import arb, fmpq

from symattn.attention.derive import derive
from symattn.attention.pipeline import Trace
from symattn.attention.trace import Derivation
from symattn.comparison.losses import Difference, Loss, losses
from symattn.comparison.safe_roots import (
    Itself,
    OfRoot,
    RootSet,
    SafeRoots,
    ScaledScore,
    Total,
    Weighted,
    safe_roots,
    together,
)
from symattn.comparison.verdicts import Judgement, judge
from symattn.errors import OptionError
from symattn.numbers.arithmetic import Rows, transpose
from symattn.numbers.certified import Decimals, Precision, enclosure, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.partly import Partly
from symattn.numbers.rounding import Digits, Mode, magnitude, plain_digits, plain_value, power_of_ten
from symattn.numbers.written import WrittenNumber

LABELS: Final = {
    "Q": "Q",
    "K": "K",
    "V": "V",
    "scores": "Scores",
    "root": "Root",
    "scaled_scores": "Scaled",
    "exponentials": "Exp",
    "row_sums": "Sum",
    "weights": "Weights",
    "outputs": "Output",
}


_Pair = tuple[str, str, tuple[int, ...], Any, WrittenNumber]
"""Kind, label, place from 0, exact number, written number."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The absolute value of one exact number over another, not 0."""

    above: Any
    below: Any

    @property
    def rational(self) -> fmpq | None:
        """The rational value, where both are rational or the upper one is 0."""
        a, b = rational_of(self.above), rational_of(self.below)
        if a is not None and b is not None:
            return abs(a / b)
        return fmpq(0) if a == 0 else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the ratio."""
        return abs(enclosure(self.above, precision.bits) / enclosure(self.below, precision.bits))


@dataclass(frozen=True, slots=True)
class Compared:
    """One quantity: kind, label, place from 0, the exact number, what was written, and the verdict on it."""

    kind: str
    label: str
    place: tuple[int, ...]
    exact: Any
    written: WrittenNumber
    judgement: Judgement

    @property
    def digits(self) -> Digits:
        """The written digits."""
        return plain_digits(self.written.text) or self.judgement.expected

    @property
    def error(self) -> Difference:
        """Written less exact, exactly."""
        return Difference(self.written.value, self.exact)

    @property
    def relative_error(self) -> Ratio | None:
        """|error/exact|, None where the exact number is 0."""
        return None if rational_of(self.exact) == 0 else Ratio(self.error, self.exact)

    @property
    def correct_digits(self) -> int | None:
        """How many significant digits are right: the error is at most half a unit of the last of them.

        None where the written number is exact, or the exact one is 0 and has no significant digits.
        """
        decimals, twice = Decimals(), Ratio(self.error, fmpq(1, 2))
        if self.error.rational == 0 or rational_of(self.exact) == 0:
            return None
        first = magnitude(decimals.round_significant(self.exact, 1, Mode.TRUNCATE).value)
        error = magnitude(decimals.round_significant(twice, 1, Mode.TRUNCATE).value)
        at_most = twice.rational == power_of_ten(error)
        return max(0, first - error + at_most)

    @property
    def ulps(self) -> Ratio:
        """|error| in units of the last written digit."""
        return Ratio(self.error, 1 / power_of_ten(self.digits.places))


@dataclass(frozen=True, slots=True)
class SafeRoot:
    """How far √d_k may be rounded for one written result.

    `contains` says for each root asked about whether it is inside; `decimal` is the shortest rounding of √d_k that is.
    """

    kind: str
    label: str
    roots: SafeRoots
    contains: tuple[tuple[str, bool], ...]
    simplest: fmpq | None
    decimal: Digits | None


@dataclass(frozen=True, slots=True)
class Lucky:
    """A written result that is right although its root is not safe: a later rounding happened to mend it.

    `alone` is the exact number that the root used gives with nothing else rounded.
    """

    label: str
    root: WrittenNumber
    alone: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two derivations of one spec, side by side.

    `together` holds the roots that keep every written quantity at once, `results_together` those that keep the weights
    and the outputs.
    """

    exact: Derivation
    written: Derivation
    quantities: tuple[Compared, ...]
    losses: tuple[Loss, ...]
    safe_roots: tuple[SafeRoot, ...]
    together: RootSet
    results_together: RootSet
    lucky: tuple[Lucky, ...]

    def __getitem__(self, label: str) -> Compared:
        for quantity in self.quantities:
            if quantity.label == label:
                return quantity
        raise OptionError(f"no quantity is called {label!r}", expected="a label such as Weights[1,2]")


def compare(exact: Derivation, written: Derivation, *, roots: Sequence[str] = ("1.7", "1.73")) -> Comparison:
    """The comparison of an exact derivation with one as written, for the same spec.

    Raises: OptionError where the two are not exact and as written, or the input or d_k is not rational.

    >>> from symattn import Written, derive, load_spec
    >>> spec = load_spec()
    >>> made = compare(derive(spec), derive(spec, Written(spec.policy)))
    >>> made["Weights[1,1]"].judgement.verdict.value, made["Scaled[2,1]"].judgement.verdict.value
    ('rounded', 'wrong')
    """
    if exact.arithmetic.name != "exact" or written.arithmetic.name != "as-written" or exact.spec != written.spec:
        raise OptionError("found two other derivations", expected="an exact one and one as written, of the same spec")
    if not exact.spec.rational or not isinstance(exact.trace.root, SquareRoot):
        raise OptionError("letters, roots or π in the input cannot be compared", expected="rational entries and d_k")
    decimals = Decimals()
    quantities = tuple(
        Compared(kind, label, place, number, noted, judge(number, plain_digits(noted.text) or Digits(0, 0), decimals))
        for kind, label, place, number, noted in _pairs(exact.trace, written.trace)
        if plain_digits(noted.text) is not None
    )
    safe = tuple(_safe(exact, quantities, roots, decimals))
    lost = losses(exact.spec, recompute=exact.recompute)
    lucky = tuple(_lucky(exact, written.trace.root, quantities, safe))
    everything = together(item.roots for item in safe)
    results = together(item.roots for item in safe if item.kind in {"weights", "outputs"})
    return Comparison(exact, written, quantities, lost, safe, everything, results, lucky)


def _pairs(exact: Trace, written: Trace) -> Iterator[_Pair]:
    """Every quantity of every stage."""
    for letter in "QKV":
        yield from _cells("projections", letter, getattr(exact, letter), getattr(written, letter))
    yield from _cells("scores", "scores", exact.scores, written.scores)
    yield "root", LABELS["root"], (), exact.root, written.root
    yield from _cells("scaled_scores", "scaled_scores", exact.scaled_scores, written.scaled_scores)
    yield from _cells("exponentials", "exponentials", exact.exponentials, written.exponentials)
    for i, (number, noted) in enumerate(zip(exact.row_sums, written.row_sums, strict=True)):
        yield "row_sums", f"{LABELS['row_sums']}[{i + 1}]", (i,), number, noted
    yield from _cells("weights", "weights", exact.attention_weights, written.attention_weights)
    yield from _cells("outputs", "outputs", exact.output, written.output)


def _cells(kind: str, name: str, exact: Rows, written: Rows) -> Iterator[_Pair]:
    for i, (row, noted) in enumerate(zip(exact, written, strict=True)):
        for j, (number, text) in enumerate(zip(row, noted, strict=True)):
            yield kind, f"{LABELS[name]}[{i + 1},{j + 1}]", (i, j), number, text


def _safe(
    exact: Derivation, quantities: Sequence[Compared], roots: Sequence[str], decimals: Decimals
) -> Iterator[SafeRoot]:
    """The safe roots of every quantity that the root has a part in."""
    trace, policy = exact.trace, exact.spec.policy
    values = transpose(trace.V)
    for quantity in quantities:
        function = _of_root(quantity, trace.scores, values)
        if function is not None:
            found = safe_roots(function, quantity.digits, policy.rule(quantity.kind).mode)
            inside = tuple((text, found.contains(parse_root(text))) for text in roots)
            yield SafeRoot(
                quantity.kind, quantity.label, found, inside, found.simplest(), _shortest(found, trace.root, decimals)
            )


def _of_root(quantity: Compared, scores: Rows, values: Rows) -> OfRoot | None:
    """The quantity as a function of the root, with nothing else rounded; None where the root has no part in it."""
    if quantity.kind == "root":
        return Itself()
    if quantity.kind in {"projections", "scores"}:
        return None
    row = tuple(scores[quantity.place[0]])
    if quantity.kind == "row_sums":
        return Total(row)
    j = quantity.place[1]
    if quantity.kind == "scaled_scores":
        return ScaledScore(row[j])
    if quantity.kind == "exponentials":
        return Total((row[j],))
    if quantity.kind == "weights":
        return Weighted(row, tuple(fmpq(int(k == j)) for k in range(len(row))))
    return Weighted(row, tuple(values[j]))


def _lucky(
    exact: Derivation, root: WrittenNumber, quantities: Sequence[Compared], safe: Sequence[SafeRoot]
) -> Iterator[Lucky]:
    """The results that are right only because of what was rounded after the root."""
    other = derive(exact.spec, Partly(exact.spec.policy, 0, root.value), recompute=exact.recompute).trace
    unsafe = {item.label for item in safe if not item.roots.contains(root.value)}
    for quantity in quantities:
        if quantity.label in unsafe and quantity.kind != "root" and quantity.judgement.right:
            yield Lucky(quantity.label, root, _entry(other, quantity))


def _entry(trace: Trace, quantity: Compared) -> Any:
    """The number that another run has in the place of a quantity."""
    found: Any = getattr(trace, {"weights": "attention_weights", "outputs": "output"}.get(quantity.kind, quantity.kind))
    for index in quantity.place:
        found = found[index]
    return found


def parse_root(text: str) -> fmpq:
    """A root as the command line gives it, positive and rational.

    >>> parse_root("7/4")
    7/4
    """
    value = plain_value(text)
    if value is None or value <= 0:
        raise OptionError(f"--root: found {text[:40]!r}", expected="a positive decimal or fraction, such as 1.7 or 7/4")
    return value


def _shortest(found: SafeRoots, root: Any, decimals: Decimals) -> Digits | None:
    """√d_k at the fewest places that keep the digits; None where 30 places do not."""
    for places in range(31):
        digits = decimals.round(root, places, Mode.HALF_UP)
        if digits.units > 0 and found.contains(digits.value):
            return digits
    return None
