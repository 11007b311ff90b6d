"""derive: a spec in, a derivation out, with what contradicts and what is missing said."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq

from symattn.attention.pipeline import attend
from symattn.attention.recover import Repair, WeightFamily, smallest_repair, solve_weights
from symattn.attention.spec import Matrix, Spec, key_width
from symattn.attention.trace import Contradiction, Derivation, MissingWeights, Note, OtherWidth, stages_of
from symattn.numbers.arithmetic import Arithmetic, Letter
from symattn.numbers.exact import Exact, rational_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

SEARCHED_ENTRIES: Final = 4096
"""Weight matrices with more entries are not solved for."""


def derive(spec: Spec, arithmetic: Arithmetic | None = None, *, recompute: bool = False) -> Derivation:
    """The derivation of a spec over an arithmetic, exact unless another one is asked for.

    Shapes: see `Trace`. With `recompute`, X times the weight matrix is taken where Q, K or V is given too.
    Raises: OptionError where the arithmetic cannot work with the spec (a letter in a hand calculation).

    >>> from symattn.attention.spec_file import load_spec
    >>> derive(load_spec())["output"].rows[1]
    (6, 7/2, 4)
    """
    chosen = arithmetic or Exact()
    ops = chosen.start(d_k=spec.d_k, rational=spec.rational)
    trace = attend(spec.matrices, ops, recompute=recompute)
    return Derivation(spec, chosen, trace, stages_of(trace), _notes(spec, recompute=recompute), recompute)


@lru_cache(maxsize=4)  # the searches depend on the spec alone, and a spec is derived over several arithmetics
def _notes(spec: Spec, *, recompute: bool) -> tuple[Note, ...]:
    notes: list[Note] = []
    X = spec.get("X")
    for letter in "QKV":
        given, weight = spec.get(letter), spec.get(f"W_{letter}")
        if X is None or given is None:
            continue
        if weight is None:
            notes.append(MissingWeights(letter, _family(X, given)))
        else:
            found = _contradiction(letter, X, weight, given, recompute=recompute)
            if found is not None:
                notes.append(found)
    width = key_width(spec.matrices)
    if not isinstance(spec.d_k, Letter) and spec.d_k != width:
        notes.append(OtherWidth(width))
    return tuple(notes)


def _searchable(*matrices: Matrix) -> bool:
    rational = all(isinstance(entry, fmpq) for rows in matrices for row in rows for entry in row)
    return rational and max(len(rows) * len(rows[0]) for rows in matrices) <= SEARCHED_ENTRIES


def _family(X: Matrix, given: Matrix) -> WeightFamily | None:
    return solve_weights(X, given) if _searchable(X, given) else None


def _contradiction(letter: str, X: Matrix, weight: Matrix, given: Matrix, *, recompute: bool) -> Contradiction | None:
    product = _product(X, weight)
    differing, undecided = [], []
    for i, (computed, stated) in enumerate(zip(product, given, strict=True)):
        if all(a == b for a, b in zip(computed, stated, strict=True)):
            continue
        verdicts = [_differ(a, b) for a, b in zip(computed, stated, strict=True)]
        if True in verdicts:
            differing.append((i, tuple(computed), tuple(stated)))
        elif None in verdicts:
            undecided.append(i)
    if not differing and not undecided:
        return None
    repair: Repair | None = None
    if differing and _searchable(X, weight, given):
        repair = smallest_repair(X, weight, given)
    return Contradiction(letter, tuple(differing), tuple(undecided), repair, recompute)


def _product(X: Matrix, weight: Matrix) -> Sequence[Sequence[Any]]:
    if all(isinstance(entry, fmpq) for rows in (X, weight) for row in rows for entry in row):
        return (rational_matrix(X) * rational_matrix(weight)).table()
    from symattn.numbers.symbolic import Symbolic, to_sympy

    left, right = ([[to_sympy(entry) for entry in row] for row in rows] for rows in (X, weight))
    return Symbolic(None).multiply(left, right)


def _differ(a: Any, b: Any) -> bool | None:
    """Whether two exact values differ; None where it cannot be decided."""
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return bool(a != b)
    from symattn.numbers.symbolic import differ

    return differ(a, b)
