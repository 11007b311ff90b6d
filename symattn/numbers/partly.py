"""The written arithmetic with only some of its roundings switched on; everything else stays exact.

Arrives: rational input, a numeric d_k, a policy and which kinds are rounded. Leaves: exact numbers. Kinds are switched
on in the order of the pipeline, or only the ones that are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flint import fmpq

from symattn.errors import OptionError
from symattn.numbers.arithmetic import Letter, Operations, Rows, added, transpose
from symattn.numbers.exact import Exponentials, SquareRoot
from symattn.numbers.expsum import CONSTANT, ONE, ZERO, ExactValue, ExpQuotient, ExpSum, Scale, Scaled, quotient
from symattn.numbers.rounding import KINDS, Policy
from symattn.numbers.written import Hand, WrittenNumber, vanished

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True, slots=True)
class Partly:
    """The choice: the policy, and how many of the kinds (in the order of KINDS) it rounds.

    `root` puts another value in the place of √d_k, exactly. `only` names the kinds to round, whatever the count.

    >>> Partly(Policy(), 4).rounded, Partly(Policy(), only=frozenset({"weights", "root"})).rounded
    (('inputs', 'projections', 'scores', 'root'), ('root', 'weights'))
    """

    policy: Policy = field(default_factory=Policy)
    count: int = len(KINDS)
    root: fmpq | None = None
    only: frozenset[str] | None = None

    @property
    def name(self) -> str:
        """`partly-written`."""
        return "partly-written"

    @property
    def rounded(self) -> tuple[str, ...]:
        """The kinds that are rounded, in the order of the pipeline."""
        return KINDS[: self.count] if self.only is None else tuple(kind for kind in KINDS if kind in self.only)

    def start(self, *, d_k: fmpq | sympy.Expr | Letter, rational: bool) -> Operations:
        """The operations; letters and roots in the input are refused."""
        if not rational or not isinstance(d_k, fmpq):
            raise OptionError("roundings can be told apart only where every input and d_k is rational")
        return PartlyExact(Exponentials(Scale(d_k)), Hand(self.policy, d_k), frozenset(self.rounded), self.root)


@dataclass(frozen=True, slots=True)
class PartlyExact:
    """The exact operations, with the hand settling the kinds that are rounded."""

    exact: Exponentials
    hand: Hand
    rounded: frozenset[str]
    other_root: fmpq | None

    def number(self, value: fmpq) -> fmpq:
        """An input, rounded where inputs are."""
        return self.exact.number(value)

    def multiply(self, left: Rows, right: Rows) -> Rows:
        """The exact matrix product."""
        return self.exact.multiply(left, right)

    def root(self) -> Any:
        """√d_k, or the value put in its place."""
        return self.exact.root() if self.other_root is None else self.other_root

    def scale(self, score: fmpq, root: Any) -> Scaled:
        """score/√d_k, over a root that is exact or was rounded to a rational."""
        if isinstance(root, SquareRoot):
            return self.exact.scale(score, root)
        # the hand's own division: it refuses a root that was rounded to 0
        return Scaled.of(ZERO, self.hand.scale(WrittenNumber(score, ""), WrittenNumber(root, "")), self.exact.d_k_scale)

    def exponentials(self, row: Sequence[Scaled]) -> Sequence[ExpSum]:
        """One exponential for each scaled score."""
        return self.exact.exponentials(row)

    def total(self, row: Sequence[ExpSum]) -> ExpSum:
        """The row sum."""
        return self.exact.total(row)

    def shares(self, row: Sequence[ExpSum], total: ExpSum) -> Sequence[ExactValue]:
        """Each exponential over the row sum."""
        if not total.terms:
            raise vanished()
        return self.exact.shares(row, total)

    def combine(self, weights: Sequence[ExactValue], V: Rows) -> Sequence[ExactValue]:
        """The weighted sum of the rows of V."""
        if len({isinstance(weight, ExpQuotient) for weight in weights}) == 1:
            return self.exact.combine(weights, V)
        # exact exponentials over a rounded sum: only those with the exponent 0 are rational
        sums = [self._as_sum(weight) for weight in weights]
        one = ExpSum({CONSTANT: ONE}, self.exact.d_k_scale)
        return tuple(
            quotient(added([v * part for v, part in zip(column, sums, strict=True)]), one) for column in transpose(V)
        )

    def _as_sum(self, weight: ExactValue) -> ExpSum:
        """A weight over a rational sum, as an exponential sum."""
        if isinstance(weight, ExpQuotient):
            return 1 / (weight.factor * weight.den.terms[CONSTANT]) * weight.num
        return ExpSum({CONSTANT: weight}, self.exact.d_k_scale)

    def settle(self, kind: str, value: Any) -> Any:
        """The value itself, or the rational that the hand writes down for it."""
        if kind not in self.rounded or (kind == "root" and self.other_root is not None):
            return value
        written = self.hand.settle(kind, value).value
        if kind == "scaled_scores":
            return Scaled.of(ZERO, written, self.exact.d_k_scale)
        if kind in {"exponentials", "row_sums"}:
            return ExpSum({CONSTANT: written} if written != 0 else {}, self.exact.d_k_scale)
        return written
