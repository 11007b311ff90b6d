"""The written arithmetic with only some of its roundings switched on; everything else stays exact.

Arrives: rational input, a numeric d_k, a policy and how many kinds are rounded. Leaves: exact numbers. Kinds are
switched on in the order of the pipeline: what is rounded late never meets a number that was not rounded before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flint import fmpq

from symattn.errors import OptionError
from symattn.numbers.arithmetic import Letter, Operations, Rows
from symattn.numbers.exact import Exponentials, SquareRoot
from symattn.numbers.expsum import CONSTANT, ZERO, ExactValue, ExpSum, Scale, Scaled
from symattn.numbers.rounding import KINDS, Policy
from symattn.numbers.written import Hand, vanished

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True, slots=True)
class Partly:
    """The choice: the policy, and how many of the kinds (in the order of KINDS) it rounds.

    `root` puts another value in the place of √d_k, exactly.

    >>> Partly(Policy(), 4).rounded
    ('inputs', 'projections', 'scores', 'root')
    """

    policy: Policy = field(default_factory=Policy)
    count: int = len(KINDS)
    root: fmpq | None = None

    @property
    def name(self) -> str:
        """`partly-written`."""
        return "partly-written"

    @property
    def rounded(self) -> tuple[str, ...]:
        """The kinds that are rounded."""
        return KINDS[: self.count]

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
        return Scaled.of(ZERO, score / root, self.exact.d_k_scale)

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
        return self.exact.combine(weights, V)

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
