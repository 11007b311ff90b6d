"""The written arithmetic: decimals as a hand writes them, rounded by a policy.

Arrives: exact inputs and a rounding policy. Leaves: `Written` numbers that keep their text: 0.50 is not 0.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from symattn.errors import OptionError, UndecidedError
from symattn.numbers.arithmetic import Letter, Operations, Rows, added, dot, transpose
from symattn.numbers.bounded import as_sympy
from symattn.numbers.certified import Decimals, Precision, rational_of
from symattn.numbers.expsum import ExpSum, exponential
from symattn.numbers.rounding import KEPT_EXACT, Digits, Policy, Rule, terminating_digits

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True, slots=True)
class Written:
    """The choice of the written arithmetic, with its policy.

    With `letters`, what has a letter in it stays symbolic; a letter is refused otherwise.

    >>> Written().name
    'as-written'
    """

    policy: Policy = field(default_factory=Policy)
    letters: bool = False

    @property
    def name(self) -> str:
        """`as-written`."""
        return "as-written"

    def start(self, *, d_k: fmpq | sympy.Expr | Letter, rational: bool) -> Operations:
        """The operations; a d_k that stays free is refused, since its root has no decimal."""
        if isinstance(d_k, Letter) and self.policy.rule("root").value is None:
            raise OptionError(
                f"{d_k.name} is free, and a hand calculation needs its root as a decimal",
                hint=f"Give {d_k.name} a number in the spec, or the root with --round root=1.7.",
            )
        hand = Hand(self.policy, d_k)
        if rational or not self.letters:
            return hand
        from symattn.numbers.lettered import LetteredHand
        from symattn.numbers.symbolic import Symbolic

        return LetteredHand(hand, Symbolic(d_k))


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number on paper: its exact value, its text, and whether writing it down rounded it."""

    value: fmpq
    text: str
    rounded: bool = False
    shown: str = ""

    @classmethod
    def exact(cls, value: fmpq) -> WrittenNumber:
        """A rational written without rounding: a finite decimal, or a fraction where it has none.

        >>> WrittenNumber.exact(fmpq(1, 2)).text, WrittenNumber.exact(fmpq(-1, 3)).text
        ('0.5', '-1/3')
        """
        digits = terminating_digits(value)
        return cls(value, digits.text if digits else str(value))

    @property
    def rational(self) -> fmpq:
        """The exact value of what is written."""
        return self.value

    def enclose(self, precision: Precision) -> arb:  # noqa: ARG002  (the value is rational)
        """A ball around the value."""
        return arb(self.value)

    def to_sympy(self) -> sympy.Expr:
        """The exact value of what is written, as a SymPy rational."""
        return as_sympy(self.value)

    def padded(self, places: int) -> str:
        """The text with zeros up to `places` decimals where it is a shorter decimal.

        >>> WrittenNumber.exact(fmpq(1, 2)).padded(2)
        '0.50'
        """
        digits = terminating_digits(self.value)
        if digits is None or digits.places > places:
            return self.text
        return Digits(digits.units * 10 ** (places - digits.places), places).text


def vanished() -> OptionError:
    """The error for a row whose exponentials or whose sum were rounded to nothing."""
    return OptionError(
        "the exponentials of a row, or their sum, are all rounded to 0",
        hint="Keep more digits, such as --round exponentials=digits:3 --round row_sums=digits:3.",
    )


@dataclass(frozen=True, slots=True)
class Hand:
    """The operations of the written arithmetic."""

    policy: Policy
    d_k: Any
    decimals: Decimals = field(default_factory=Decimals)

    def number(self, value: Any) -> WrittenNumber:
        """An input as it is written down; roots and π are rounded, letters refused."""
        return self.settle("inputs", value)

    def multiply(self, left: Rows, right: Rows) -> Rows:
        """The matrix product of the written numbers, without rounding."""
        columns = [[number.value for number in column] for column in transpose(right)]
        return tuple(tuple(dot([n.value for n in row], column) for column in columns) for row in left)

    def root(self) -> Any:
        """√d_k before it is rounded; 0 where the policy replaces it."""
        if isinstance(self.d_k, Letter):
            return fmpq(0)
        if isinstance(self.d_k, fmpq):
            from symattn.numbers.exact import SquareRoot
            from symattn.numbers.expsum import Scale

            return SquareRoot(Scale(self.d_k))
        import sympy

        return sympy.sqrt(self.d_k)

    def scale(self, score: WrittenNumber, root: WrittenNumber) -> fmpq:
        """The quotient of the two written numbers; a root that was rounded to 0 is refused."""
        if root.value == 0:
            raise OptionError(
                "the root is written as 0, and nothing can be divided by it",
                hint="Keep more digits, such as --round root=digits:3.",
            )
        return score.value / root.value

    def exponentials(self, row: Sequence[WrittenNumber]) -> Sequence[ExpSum]:
        """E to the power of each written score, not yet rounded."""
        return tuple(exponential(score.value) for score in row)

    def total(self, row: Sequence[WrittenNumber]) -> fmpq:
        """The sum of the written exponentials."""
        return added([part.value for part in row])

    def shares(self, row: Sequence[WrittenNumber], total: WrittenNumber) -> Sequence[fmpq]:
        """Written exponential over written sum."""
        if total.value == 0:
            raise vanished()
        return tuple(part.value / total.value for part in row)

    def combine(self, weights: Sequence[WrittenNumber], V: Rows) -> Sequence[fmpq]:
        """The rows of V weighted with the written weights."""
        return tuple(dot([weight.value for weight in weights], [v.value for v in column]) for column in transpose(V))

    def settle(self, kind: str, value: Any) -> WrittenNumber:
        """A quantity written down by the rule of its kind."""
        rule = self.policy.rule(kind)
        if rule.value is not None:
            return WrittenNumber(rule.value, rule.value_text, rounded=True, shown=rule.shown)
        exact = rational_of(value)
        if exact is not None and (rule.exact or (kind in KEPT_EXACT and kind not in self.policy.rules)):
            return WrittenNumber.exact(exact)
        try:
            digits = self._round(kind, value, rule)
        except UndecidedError as error:
            raise OptionError(f"cannot write {kind} as decimals: {error}") from error
        if exact is not None and digits.value == exact:
            return WrittenNumber(exact, digits.stripped, shown=rule.shown)
        return WrittenNumber(digits.value, digits.text, rounded=True, shown=rule.shown)

    def _round(self, kind: str, value: Any, rule: Rule) -> Digits:
        if rule.exact:
            raise OptionError(
                f"cannot keep {kind} exact: an irrational number has no exact decimal", expected="a number of places"
            )
        if rule.digits is not None:
            return self.decimals.round_significant(value, rule.digits, rule.mode)
        return self.decimals.round(value, rule.places or 0, rule.mode)
