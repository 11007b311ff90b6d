"""Where each output lost its digits: the total error taken apart by rounding step.

Arrives: a spec with a rounding policy. Leaves: for each output entry its total error and one part a step, which add up
to the total exactly: the roundings are switched on one after another, and a part is what the switch changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from symattn.attention.derive import derive
from symattn.attention.spec import Spec
from symattn.numbers.certified import Precision, enclosure, rational_of
from symattn.numbers.partly import Partly
from symattn.numbers.rounding import KINDS


@dataclass(frozen=True, slots=True)
class Difference:
    """One exact number less another.

    >>> Difference(fmpq(1, 2), fmpq(1, 3)).rational
    1/6
    """

    minuend: Any
    subtrahend: Any

    @property
    def rational(self) -> fmpq | None:
        """The rational value; 0 where the two are decided to be equal."""
        a, b = rational_of(self.minuend), rational_of(self.subtrahend)
        if a is not None and b is not None:
            return a - b
        return fmpq(0) if a is None and b is None and self.minuend == self.subtrahend else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the difference."""
        return enclosure(self.minuend, precision.bits) - enclosure(self.subtrahend, precision.bits)


@dataclass(frozen=True, slots=True)
class Part:
    """What one kind of rounding changed in an output entry."""

    kind: str
    error: Difference


@dataclass(frozen=True, slots=True)
class Loss:
    """One output entry: place from 0, total error (written less exact) and its parts in the order of the pipeline."""

    place: tuple[int, int]
    total: Difference
    parts: tuple[Part, ...]


def losses(spec: Spec, *, recompute: bool = False) -> tuple[Loss, ...]:
    """The error of every output entry, taken apart.

    Raises: OptionError where the input or d_k is not rational.

    >>> from symattn import load_spec
    >>> [part.kind for part in losses(load_spec())[0].parts]
    ['root', 'scaled_scores', 'exponentials', 'weights']
    """
    states: list[Sequence[Sequence[Any]]] = [
        tuple(derive(spec, Partly(spec.policy, count), recompute=recompute)["output"].rows)
        for count in range(len(KINDS) + 1)
    ]
    out = []
    for i, row in enumerate(states[0]):
        for j in range(len(row)):
            values = [state[i][j] for state in states]
            steps = zip(KINDS, values, values[1:], strict=False)
            parts = [Part(kind, Difference(after, before)) for kind, before, after in steps]
            kept = tuple(part for part in parts if part.error.rational != 0)
            out.append(Loss((i, j), Difference(values[-1], values[0]), kept))
    return tuple(out)
