"""How far √d_k may be rounded for what was written, and which results are right only by luck.

Arrives: an exact derivation, the written quantities, and roots that somebody might use. Leaves: for each quantity that
the root has a part in the exact set of roots that keep its digits, and the results that only a later rounding mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from symattn.attention.derive import derive
from symattn.attention.pipeline import Trace
from symattn.attention.trace import Derivation
from symattn.comparison.fractions import SafeConvergents, safe_convergents
from symattn.comparison.quantities import Compared
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
from symattn.errors import OptionError, UndecidedError
from symattn.numbers.arithmetic import Rows, transpose
from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.partly import Partly
from symattn.numbers.rounding import KINDS, Digits, Mode, plain_value
from symattn.numbers.written import WrittenNumber


@dataclass(frozen=True, slots=True)
class SafeRoot:
    """How far √d_k may be rounded for one written result.

    `contains` says for each root asked about whether it is inside; `decimal` is the shortest rounding of √d_k that is,
    `convergents` says which of its convergents are.
    """

    kind: str
    label: str
    roots: SafeRoots
    contains: tuple[tuple[str, bool], ...]
    simplest: fmpq | None
    decimal: Digits | None
    convergents: SafeConvergents | None


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
class Unsearched:
    """A quantity whose safe roots were not found, and why."""

    kind: str
    label: str
    reason: str


def roots_of_quantities(
    exact: Derivation, quantities: Sequence[Compared], roots: Sequence[str], decimals: Decimals
) -> Iterator[SafeRoot | Unsearched]:
    """The safe roots of every quantity that the root has a part in, or why they were not found.

    `roots` are the ones asked about, as text.
    """
    trace, policy = exact.trace, exact.spec.policy
    scores, columns = _rational(trace.scores), _rational(transpose(trace.V))
    for quantity in quantities:
        function = _of_root(quantity, scores, columns)
        if function is None:
            continue
        try:
            found = safe_roots(function, quantity.digits, policy.rule(quantity.kind).mode)
            inside = tuple((text, found.contains(parse_root(text))) for text in roots)
            shortest = _shortest(found, trace.root, decimals)
            near = safe_convergents(found, exact.spec.d_k) if isinstance(exact.spec.d_k, fmpq) else None
            yield SafeRoot(quantity.kind, quantity.label, found, inside, found.simplest(), shortest, near)
        except UndecidedError as error:
            yield Unsearched(quantity.kind, quantity.label, str(error))


def all_together(found: Iterable[SafeRoot | Unsearched]) -> RootSet | None:
    """The roots that keep all quantities at once; None where one was not searched, or two ends not told apart."""
    sets = []
    for item in found:
        if isinstance(item, Unsearched):
            return None
        sets.append(item.roots)
    try:
        return together(sets)
    except UndecidedError:
        return None


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


def lucky_results(
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
