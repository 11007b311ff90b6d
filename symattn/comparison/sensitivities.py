r"""How much a written result moves with each number before it, to first order, in closed form.

Arrives: an exact derivation with rational scores s and a rational d_k, and the losses of its outputs. Leaves: exact
derivatives of every quantity of a row, what they predict for each rounding step, and the errors that cancelled.

With r = √d_k, p_j = e^(s_j/r), S = Σ p_j and N = Σ v_j·p_j, an output is y = N/S; a weight is one whose values are 1
once and 0 elsewhere. Where the p_j move by d_j, y moves by (S·Σ v_j·d_j − N·Σ d_j)/S²: a scaled score moves its p_j by
p_j, and the root moves each by −s_j·p_j/d_k. Since r² = d_k is rational, every derivative is a quotient of exponential
sums, and whether it is 0 is decided. What is computed from a quantity moves with it: the row sum with an exponential,
but no exponential with the row sum, so that ∂y/∂S = −N/S².
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from flint import arb, fmpq

from symattn.attention.derive import derive
from symattn.attention.pipeline import Trace
from symattn.attention.trace import Derivation
from symattn.comparison.crossings import decided
from symattn.comparison.losses import Difference, Loss, Part
from symattn.errors import OptionError
from symattn.numbers.arithmetic import added, transpose
from symattn.numbers.certified import Precision, enclosure, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import CONSTANT, ONE, ZERO, Divisor, ExactValue, ExpSum, Scale
from symattn.numbers.partly import Partly
from symattn.numbers.rounding import KINDS

Spot = tuple[str, tuple[int, ...]]
"""A quantity: its kind and its place from 0."""

STEPS: Final = KINDS[KINDS.index("root") :]
"""The rounding steps that are predicted. Rounding the inputs, the projections or the scores is not."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The derivative of one quantity by another one before it, at the exact calculation."""

    of: Spot
    to: Spot
    value: Any


@dataclass(frozen=True, slots=True)
class Product:
    """A quotient of exponential sums times an algebraic number, such as the error of a rounded √d_k.

    >>> Product(fmpq(2), Difference(fmpq(1, 2), fmpq(1, 3))).rational
    1/3
    """

    left: Any
    right: Any

    @property
    def rational(self) -> fmpq | None:
        """The rational value, None where the product is irrational.

        An irrational quotient of exponential sums is transcendental: no algebraic number but 0 makes it rational.
        """
        a, b = rational_of(self.left), rational_of(self.right)
        if a is not None and b is not None:
            return a * b
        return ZERO if a == 0 or b == 0 else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the product."""
        return enclosure(self.left, precision.bits) * enclosure(self.right, precision.bits)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the derivatives predict that a rounding step changed in an output (place from 0), and what it did change."""

    place: tuple[int, int]
    kind: str
    predicted: Any
    true: Difference

    @property
    def rest(self) -> Difference:
        """What the first order does not explain: true less predicted."""
        return Difference(self.true, self.predicted)


@dataclass(frozen=True, slots=True)
class Added:
    """The sum of the absolute values of numbers that have one sign."""

    terms: tuple[Difference, ...]

    @property
    def rational(self) -> fmpq | None:
        """The rational value where each term has one, else None."""
        values = [term.rational for term in self.terms]
        known = [value for value in values if value is not None]
        return abs(sum(known, ZERO)) if len(known) == len(values) else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the sum."""
        return abs(added([enclosure(term, precision.bits) for term in self.terms]))


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The parts of a loss that worked against its total, and how much of the error they cancelled.

    `size` is (Σ|part| − |total|)/2. Where the total is 0 every part was cancelled by the others.
    """

    place: tuple[int, int]
    parts: tuple[Part, ...]
    size: Added


@dataclass(frozen=True, slots=True)
class _Row:
    """One row: its scores s_j, p_j = e^(s_j/√d_k), their sum S, and a divisor by S²."""

    scores: Sequence[fmpq]
    powers: Sequence[ExpSum]
    total: ExpSum
    by_square: Divisor
    scale: Scale
    d_k: fmpq

    @classmethod
    def of(cls, exact: Derivation, i: int) -> _Row:
        scale, d_k = _require_exact(exact)
        trace, total = exact.trace, exact.trace.row_sums[i]
        return cls(trace.scores[i], trace.exponentials[i], total, Divisor(total * total), scale, d_k)

    @property
    def by_root(self) -> list[ExpSum]:
        """The derivatives of the p_j by the root."""
        return [-s / self.d_k * power for s, power in zip(self.scores, self.powers, strict=True)]

    def sum(self, parts: Sequence[ExpSum], factors: Sequence[fmpq] | None = None) -> ExpSum:
        """The sum of the parts, each times its factor where there are any."""
        by = [ONE] * len(parts) if factors is None else factors
        pairs = ((key, c * f) for part, f in zip(parts, by, strict=True) for key, c in part.terms.items())
        return ExpSum.collect(pairs, self.scale)

    def along(self, values: Sequence[fmpq], moves: Sequence[ExpSum]) -> ExactValue:
        """How Σ v_j·p_j/S moves where the p_j move."""
        upper = self.sum(self.powers, values)
        return self.by_square.divide(self.sum(moves, values) * self.total - upper * self.sum(moves))

    def along_one(self, values: Sequence[fmpq], j: int, move: ExpSum) -> ExactValue:
        """How Σ v_j·p_j/S moves where one p_j moves."""
        upper = self.sum(self.powers, values)
        return self.by_square.divide((values[j] * self.total - upper) * move)

    def along_total(self, values: Sequence[fmpq], move: ExpSum) -> ExactValue:
        """How Σ v_j·p_j/S moves where S moves alone."""
        return self.by_square.divide(-1 * self.sum(self.powers, values) * move)


def _require_exact(exact: Derivation) -> tuple[Scale, fmpq]:
    """The scale and d_k of an exact derivation over exponential sums."""
    root = exact.trace.root
    if exact.arithmetic.name != "exact" or not exact.spec.rational or not isinstance(root, SquareRoot):
        raise OptionError("sensitivities of another derivation", expected="an exact one, with rational entries and d_k")
    d_k = root.scale.d_k
    if d_k is None:
        raise OptionError(f"{root.scale.name} is free, and sensitivities need a number")
    return root.scale, d_k


def sensitivities(exact: Derivation) -> tuple[Sensitivity, ...]:
    """The derivatives of every row, one row after another; see `row_sensitivities`.

    >>> from symattn import derive, load_spec
    >>> len(sensitivities(derive(load_spec())))
    94
    """
    return tuple(item for i in range(len(exact.trace.scores)) for item in row_sensitivities(exact, i))


def row_sensitivities(exact: Derivation, i: int) -> tuple[Sensitivity, ...]:
    """The derivatives of every quantity of row i (from 0) by the quantities before it, in the pipeline's order.

    What does not depend on a quantity at all is left out: the scaled score 1 has no entry for the scaled score 2.
    Values: fmpq, or `ExpSum` and `ExpQuotient` where they are irrational.
    Raises: OptionError where the derivation is not exact with rational input and d_k.

    With w = e^√3/(1+e^√3) the first weight of the bundled example is w, its derivative by √d_k = √3 is
    (w/3)·(3w − 3) = −e^√3/(1+e^√3)², and the second output is 5 − 3w.

    >>> from symattn import certified, derive, load_spec
    >>> made = {(item.of, item.to): item.value for item in row_sensitivities(derive(load_spec()), 0)}
    >>> root = ("root", ())
    >>> certified(made[("weights", (0, 0)), root], 20), certified(made[("outputs", (0, 1)), root], 20)
    ('-0.12772770692142166421', '0.38318312076426499263')
    >>> made[("scaled_scores", (0, 0)), root], made[("outputs", (0, 1)), ("weights", (0, 0))]
    (-1, 2)
    """
    row = _Row.of(exact, i)
    n, one = len(row.scores), ExpSum({CONSTANT: ONE}, row.scale)
    root: Spot = ("root", ())
    total: Spot = ("row_sums", (i,))
    scaled, powers, weights = (_spots(kind, i, n) for kind in ("scaled_scores", "exponentials", "weights"))
    made = [Sensitivity(at, root, -s / row.d_k) for at, s in zip(scaled, row.scores, strict=True)]  # d(s/r)/dr = −s/r²
    for at, to, power, move in zip(powers, scaled, row.powers, row.by_root, strict=True):
        made += [Sensitivity(at, root, _plain(move)), Sensitivity(at, to, _plain(power))]
    made.append(Sensitivity(total, root, _plain(row.sum(row.by_root))))
    made += [Sensitivity(total, to, _plain(power)) for to, power in zip(scaled, row.powers, strict=True)]
    made += [Sensitivity(total, to, ONE) for to in powers]

    def shared(at: Spot, values: Sequence[fmpq]) -> Iterator[Sensitivity]:
        yield Sensitivity(at, root, row.along(values, row.by_root))
        for j, (to, power) in enumerate(zip(scaled, row.powers, strict=True)):
            yield Sensitivity(at, to, row.along_one(values, j, power))
        for j, to in enumerate(powers):
            yield Sensitivity(at, to, row.along_one(values, j, one))
        yield Sensitivity(at, total, row.along_total(values, one))

    for j, at in enumerate(weights):
        made += shared(at, [fmpq(int(k == j)) for k in range(n)])
    for c, values in enumerate(transpose(exact.trace.V)):
        at = ("outputs", (i, c))
        made += shared(at, values)
        made += [Sensitivity(at, to, value) for to, value in zip(weights, values, strict=True)]
    return tuple(made)


def _spots(kind: str, i: int, n: int) -> list[Spot]:
    return [(kind, (i, j)) for j in range(n)]


def _plain(total: ExpSum) -> ExpSum | fmpq:
    """The sum, as a rational where it is one."""
    value = total.rational
    return total if value is None else value


def predictions(exact: Derivation, lost: Sequence[Loss]) -> tuple[Prediction, ...]:
    """For each loss and each step that rounded something in its row: the predicted part beside the true one.

    `lost` is what `losses` gives for the same spec. The rounding error that a step made in a quantity is its value
    with that step's rounding switched on less its value with it not yet switched on (see `Partly`); the prediction
    is Σ ∂output/∂quantity · error over the quantities of that kind in the row, the derivatives taken at the exact
    calculation. A step that rounded nothing in the row has no prediction. For outputs the prediction is the part
    itself, and for weights too, unless the policy rounds V. It may be 0 by a proof: then `.rational` is 0.
    Raises: OptionError where the derivation is not exact with rational input and d_k.

    In the bundled example √3 is used as 1.7: 3·e^√3/(1+e^√3)²·(1.7 − √3) is predicted for the second output.

    >>> from symattn import certified, derive, load_spec
    >>> from symattn.comparison.losses import losses
    >>> exact = derive(load_spec())
    >>> for item in predictions(exact, losses(exact.spec))[4:8]:
    ...     print(item.place, item.kind, certified(item.predicted, 9), certified(item.true, 9))
    (0, 1) root -0.012281328 -0.012370520
    (0, 1) scaled_scores 0.001803215 0.001765198
    (0, 1) exponentials 0.000843171 0.000805451
    (0, 1) weights 0.008823529 0.008823529
    """
    _require_exact(exact)
    first = KINDS.index(STEPS[0])
    policy = exact.spec.policy
    runs = [
        derive(exact.spec, Partly(policy, count), recompute=exact.recompute).trace
        for count in range(first, len(KINDS) + 1)
    ]
    rows: dict[int, _Row] = {}
    columns = transpose(exact.trace.V)
    made = []
    for loss in lost:
        i, c = loss.place
        if i not in rows:
            rows[i] = _Row.of(exact, i)
        true = {part.kind: part.error for part in loss.parts}
        for kind, (before, after) in zip(STEPS, pairwise(runs), strict=True):
            errors = _errors(kind, loss.place, before, after)
            if any(error.rational != 0 for error in errors):
                predicted = _predicted(rows[i], columns[c], kind, errors)
                made.append(Prediction(loss.place, kind, predicted, true.get(kind, Difference(ZERO, ZERO))))
    return tuple(made)


def _errors(kind: str, place: tuple[int, int], before: Trace, after: Trace) -> list[Difference]:
    """The rounding errors of a step in the quantities of its kind that an output depends on."""
    i, c = place

    def values(trace: Trace) -> Sequence[Any]:
        if kind == "root":
            return [trace.root]
        if kind == "row_sums":
            return [trace.row_sums[i]]
        if kind == "outputs":
            return [trace.output[i][c]]
        rows = {
            "scaled_scores": trace.scaled_scores,
            "exponentials": trace.exponentials,
            "weights": trace.attention_weights,
        }
        return rows[kind][i]

    return [Difference(new, old) for new, old in zip(values(after), values(before), strict=True)]


def _predicted(row: _Row, values: Sequence[fmpq], kind: str, errors: Sequence[Difference]) -> Any:
    """Σ ∂output/∂quantity · error."""
    if kind == "outputs":
        return errors[0]
    if kind == "root":
        error = errors[0].rational
        if error is None:
            return Product(row.along(values, row.by_root), errors[0])
        return row.along(values, [error * move for move in row.by_root])
    exact = [_exact_error(error, row.scale) for error in errors]
    if kind == "weights":
        return _plain(row.sum(exact, values))
    if kind == "row_sums":
        return row.along_total(values, exact[0])
    by_score = kind == "scaled_scores"
    return row.along(values, [p * e for p, e in zip(row.powers, exact, strict=True)] if by_score else exact)


def _exact_error(error: Difference, scale: Scale) -> ExpSum:
    """An error as an exponential sum: only e to a written power is irrational once the root is written."""

    def summed(number: Any) -> ExpSum:
        if isinstance(number, ExpSum):
            return number
        value = rational_of(number)
        assert value is not None  # noqa: S101  (see above)
        return ExpSum.collect([(CONSTANT, value)], scale)

    return summed(error.minuend) - summed(error.subtrahend)


def cancelled(loss: Loss) -> Cancelled | None:
    """The parts of a loss whose sign is not its total's, and how much they cancelled; None where nothing did.

    Raises: UndecidedError where a sign cannot be proven.

    In the bundled example the root lowers the second output by 0.01237…, and the later steps raise it by 0.01139…, so
    that 2.45 is only 0.00097… below the exact 2.45097….

    >>> from symattn import certified, load_spec
    >>> from symattn.comparison.losses import losses
    >>> found = cancelled(losses(load_spec())[1])
    >>> [part.kind for part in found.parts], certified(found.size, 9)
    (['scaled_scores', 'exponentials', 'weights'], '0.011394179')
    """
    total = _sign(loss.total)
    signs = [_sign(part.error) for part in loss.parts]
    against = [part for part, sign in zip(loss.parts, signs, strict=True) if sign not in {0, total}]
    if not against:
        return None
    # Σ|part| − |total| counts what worked against the total twice; a total of 0 leaves as much below 0 as above it
    terms = [part.error for part, sign in zip(loss.parts, signs, strict=True) if sign == -(total or 1)]
    return Cancelled(loss.place, tuple(against), Added(_joined(terms)))


def _joined(terms: Sequence[Difference]) -> tuple[Difference, ...]:
    """The same sum with neighbours taken together: what ends one part begins the next."""
    joined: list[Difference] = []
    for term in terms:
        if joined and (joined[-1].minuend is term.subtrahend or joined[-1].minuend == term.subtrahend):
            joined.append(Difference(term.minuend, joined.pop().subtrahend))
        else:
            joined.append(term)
    return tuple(joined)


def _sign(number: Difference) -> int:
    """The sign of a number, proven."""
    ball = enclosure(number, 64)  # most are told at once; comparing two quotients exactly takes longer
    if ball > 0 or ball < 0:
        return 1 if ball > 0 else -1
    value = number.rational
    if value is not None:
        return int(value > 0) - int(value < 0)

    def attempt(bits: int) -> int | None:
        ball = enclosure(number, bits)
        return 1 if ball > 0 else -1 if ball < 0 else None

    return decided(attempt, "a sign could not be told")
