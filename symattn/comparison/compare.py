"""compare: an exact derivation beside a written one, quantity by quantity, in one frozen record.

Arrives: two derivations of one spec and the roots that somebody might use. Leaves: for each quantity its error and its
verdict, for each output where the error came from, and for each weight and output how far √d_k may be rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from flint import fmpq

from symattn.attention.trace import Derivation
from symattn.comparison.floats import InFloat, in_floats
from symattn.comparison.free import D_KS, FreeDk, Result, free_d_k
from symattn.comparison.losses import Loss, losses
from symattn.comparison.quantities import Compared, Lettered, side_by_side
from symattn.comparison.safe_roots import RootSet
from symattn.comparison.sensitivities import Cancelled, Prediction, cancelled, predictions
from symattn.comparison.sufficient import Sufficiency, sufficient
from symattn.comparison.written_roots import (
    Lucky,
    SafeRoot,
    Unsearched,
    all_together,
    lucky_results,
    parse_root,
    roots_of_quantities,
)
from symattn.errors import OptionError
from symattn.numbers.certified import Decimals
from symattn.numbers.exact import SquareRoot
from symattn.numbers.rounding import Mode


@dataclass(frozen=True, slots=True)
class Asked:
    """What a comparison is asked about besides the written numbers.

    `roots` are values somebody might take for √d_k; `d_ks` the rows of the table over d_k; `places` and `mode` how the
    outputs are to come out right when it is asked how many places suffice.

    >>> Asked(roots=("0",))
    Traceback (most recent call last):
    symattn.errors.OptionError: --root: found '0'; expected a positive decimal or fraction, such as 1.7 or 7/4
    """

    roots: tuple[str, ...] = ("1.7", "1.73")
    d_ks: tuple[fmpq | int, ...] = D_KS
    places: int = 2
    mode: Mode = Mode.HALF_UP

    def __post_init__(self) -> None:
        for text in self.roots:
            parse_root(text)


@dataclass(frozen=True)
class Comparison:
    """Two derivations of one spec, side by side.

    Losses, safe roots and what follows from them need rational input and scores; `lettered` holds what is compared as
    expressions instead. Everything is worked out when it is first looked at, and kept.
    """

    exact: Derivation
    written: Derivation
    asked: Asked
    quantities: tuple[Compared, ...]
    lettered: tuple[Lettered, ...]
    _decimals: Decimals = field(repr=False, compare=False)

    def __getitem__(self, label: str) -> Compared:
        for quantity in self.quantities:
            if quantity.label == label:
                return quantity
        raise OptionError(f"no quantity is called {label!r}", expected="a label such as Weights[1,2]")

    @property
    def rational(self) -> bool:
        """Whether every input and d_k is rational, so that everything can be asked."""
        return self.exact.spec.rational and isinstance(self.exact.trace.root, SquareRoot)

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """The error of each output taken apart by rounding step."""
        return losses(self.exact.spec, recompute=self.exact.recompute) if self.rational else ()

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """What first-order sensitivities predict for each part of a loss."""
        return predictions(self.exact, self.losses) if self.rational else ()

    @cached_property
    def cancelled(self) -> tuple[Cancelled, ...]:
        """Errors that worked against each other."""
        return tuple(found for loss in self.losses if (found := cancelled(loss)) is not None)

    @cached_property
    def _roots(self) -> tuple[SafeRoot | Unsearched, ...]:
        return tuple(roots_of_quantities(self.exact, self.quantities, self.asked.roots, self._decimals))

    @property
    def safe_roots(self) -> tuple[SafeRoot, ...]:
        """How far √d_k may be rounded for each written quantity that it has a part in."""
        return tuple(item for item in self._roots if isinstance(item, SafeRoot))

    @property
    def unsearched(self) -> tuple[Unsearched, ...]:
        """The quantities whose safe roots were not found."""
        return tuple(item for item in self._roots if isinstance(item, Unsearched))

    @cached_property
    def together(self) -> RootSet | None:
        """The roots that keep every written quantity at once, None where that was not found."""
        return all_together(self._roots)

    @cached_property
    def results_together(self) -> RootSet | None:
        """The roots that keep the weights and the outputs at once, None where that was not found."""
        return all_together(item for item in self._roots if item.kind in {"weights", "outputs"})

    @cached_property
    def lucky(self) -> tuple[Lucky, ...]:
        """The results that are right only because of what was rounded after the root."""
        if not self.rational:
            return ()
        return tuple(lucky_results(self.exact, self.written, self.quantities, self.safe_roots, self._decimals))

    @cached_property
    def sufficiency(self) -> Sufficiency | None:
        """How many places suffice."""
        if not self.rational:
            return None
        return sufficient(self.exact, self.exact.spec.policy, places=self.asked.places, mode=self.asked.mode)

    @cached_property
    def floats(self) -> tuple[InFloat, ...]:
        """Every quantity as NumPy computes it, in float64 and float32."""
        if not self.rational:
            return ()
        return (*in_floats(self.exact, "float64"), *in_floats(self.exact, "float32"))

    @cached_property
    def free_d_k(self) -> FreeDk | None:
        """What d_k does to the weights and outputs."""
        if not self.rational:
            return None
        policy = self.exact.spec.policy
        results: list[Result] = [
            (
                "weights" if q.kind == "weights" else "outputs",
                (q.place[0], q.place[1]),
                q.digits,
                policy.rule(q.kind).mode,
            )
            for q in self.quantities
            if q.kind in {"weights", "outputs"}
        ]
        return free_d_k(self.exact, results, self.asked.d_ks)


def compare(exact: Derivation, written: Derivation, asked: Asked | None = None) -> Comparison:
    """The comparison of an exact derivation with one as written, for the same spec.

    With `Written(policy, letters=True)` what has letters is compared as expressions.
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
    return Comparison(exact, written, asked or Asked(), quantities, lettered, decimals)
