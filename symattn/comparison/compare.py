"""compare: an exact derivation beside a written one, quantity by quantity, in one frozen record.

Arrives: two derivations of one spec and the roots that somebody might use. Leaves: for each quantity its error and its
verdict, for each output where the error came from, and for each weight and output how far √d_k may be rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from symattn.attention.derive import derive
from symattn.attention.pipeline import Trace
from symattn.attention.trace import Derivation
from symattn.comparison.losses import Loss, losses
from symattn.comparison.quantities import Compared, Lettered, side_by_side
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
from symattn.errors import OptionError
from symattn.numbers.arithmetic import Rows, transpose
from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.partly import Partly
from symattn.numbers.rounding import KINDS, Digits, Mode, plain_value
from symattn.numbers.written import WrittenNumber


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

    `alone` is the exact number that the root used gives with nothing else rounded; `mended_by` the kind of quantity
    whose rounding brought the right digits back (empty where none did alone), and `mended_with` what was written for
    it in this row.
    """

    label: str
    root: WrittenNumber
    alone: Any
    mended_by: str
    mended_with: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two derivations of one spec, side by side.

    `together` holds the roots that keep every written quantity at once, `results_together` those that keep the weights
    and the outputs.
    """

    exact: Derivation
    written: Derivation
    quantities: tuple[Compared, ...]
    lettered: tuple[Lettered, ...]
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

    With `Written(policy, letters=True)` what has letters is compared symbolically. Losses and safe roots need rational
    scores; where letters, roots or π stand instead they are left out.
    Raises: OptionError where the two are not exact and as written.

    >>> from symattn import Written, derive, load_spec
    >>> spec = load_spec()
    >>> made = compare(derive(spec), derive(spec, Written(spec.policy)))
    >>> made["Weights[1,1]"].judgement.verdict.value, made["Scaled[2,1]"].judgement.verdict.value
    ('rounded', 'wrong')
    """
    if exact.arithmetic.name != "exact" or written.arithmetic.name != "as-written" or exact.spec != written.spec:
        raise OptionError("found two other derivations", expected="an exact one and one as written, of the same spec")
    decimals = Decimals()
    quantities, lettered = side_by_side(exact.trace, written.trace, decimals)
    safe = tuple(_safe(exact, quantities, roots, decimals))
    rational = exact.spec.rational and isinstance(exact.trace.root, SquareRoot)
    lost = losses(exact.spec, recompute=exact.recompute) if rational else ()
    lucky = tuple(_lucky(exact, written, quantities, safe, decimals)) if rational else ()
    everything = together(item.roots for item in safe)
    results = together(item.roots for item in safe if item.kind in {"weights", "outputs"})
    return Comparison(exact, written, quantities, lettered, lost, safe, everything, results, lucky)


def _safe(
    exact: Derivation, quantities: Sequence[Compared], roots: Sequence[str], decimals: Decimals
) -> Iterator[SafeRoot]:
    """The safe roots of every quantity that the root has a part in."""
    trace, policy = exact.trace, exact.spec.policy
    scores, columns = _rational(trace.scores), _rational(transpose(trace.V))
    for quantity in quantities:
        function = _of_root(quantity, scores, columns)
        if function is not None:
            found = safe_roots(function, quantity.digits, policy.rule(quantity.kind).mode)
            inside = tuple((text, found.contains(parse_root(text))) for text in roots)
            yield SafeRoot(
                quantity.kind, quantity.label, found, inside, found.simplest(), _shortest(found, trace.root, decimals)
            )


def _rational(rows: Rows) -> list[tuple[fmpq, ...] | None]:
    """The rows that are rational all through, None in the place of the others."""
    found = [tuple(map(rational_of, row)) for row in rows]
    return [None if None in row else row for row in found]  # type: ignore[misc]  # no None is left in the row


def _of_root(
    quantity: Compared, scores: Sequence[tuple[fmpq, ...] | None], columns: Sequence[tuple[fmpq, ...] | None]
) -> OfRoot | None:
    """The quantity as a function of the root, with nothing else rounded.

    None where the root has no part in it, or where a letter, a root or π has.
    """
    if quantity.kind == "root":
        return Itself()
    if quantity.kind in {"projections", "scores"} or (row := scores[quantity.place[0]]) is None:
        return None
    if quantity.kind == "row_sums":
        return Total(row)
    j = quantity.place[1]
    if quantity.kind == "scaled_scores":
        return ScaledScore(row[j])
    if quantity.kind == "exponentials":
        return Total((row[j],))
    if quantity.kind == "weights":
        return Weighted(row, tuple(fmpq(int(k == j)) for k in range(len(row))))
    column = columns[j]
    return None if column is None else Weighted(row, column)


def _lucky(
    exact: Derivation, written: Derivation, quantities: Sequence[Compared], safe: Sequence[SafeRoot], decimals: Decimals
) -> Iterator[Lucky]:
    """The results that are right only because of what was rounded after the root."""
    root = written.trace.root
    unsafe = {item.label for item in safe if not item.roots.contains(root.value)}
    lucky = [q for q in quantities if q.label in unsafe and q.kind != "root" and q.judgement.right]
    if not lucky:
        return

    def run(count: int, root: fmpq | None = None) -> Trace:
        return derive(exact.spec, Partly(exact.spec.policy, count, root), recompute=exact.recompute).trace

    alone, first = run(0, root.value), KINDS.index("root") + 1
    rounded = [run(count) for count in range(first, len(KINDS) + 1)]  # the root alone, then one kind more each
    for quantity in lucky:
        expected = quantity.judgement.expected
        right = [decimals.round(_entry(trace, quantity), expected.places) == expected for trace in rounded]
        mended = [KINDS[first + k - 1] for k in range(1, len(right)) if right[k] and not right[k - 1]]
        kind = mended[-1] if mended else ""
        noted = _noted(written.trace, kind, quantity.place) if kind else ()
        yield Lucky(quantity.label, root, _entry(alone, quantity), kind, noted)


def _noted(trace: Trace, kind: str, place: tuple[int, ...]) -> tuple[str, ...]:
    """What was written for a kind of quantity in the row of a place."""
    row = _rows_of(trace, kind)[place[0]]
    return tuple(number.text for number in row) if isinstance(row, tuple) else (row.text,)


def _rows_of(trace: Trace, kind: str) -> Any:
    return getattr(trace, {"weights": "attention_weights", "outputs": "output"}.get(kind, kind))


def _entry(trace: Trace, quantity: Compared) -> Any:
    """The number that another run has in the place of a quantity."""
    found = _rows_of(trace, quantity.kind)
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
