"""beside: two exact derivations side by side, of one spec or of two, entry by entry.

Arrives: two exact derivations of equal shapes; d_k may be free, and letters, roots and π may stand in them. Leaves:
one frozen record that says of each quantity whether both sides are equal, where they first differ, and by how much.
Exponential sums are decided by their dictionaries, over different d_k too; of SymPy values some stay undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flint import arb, fmpq

from symattn.attention.spec import GIVEN
from symattn.attention.trace import Derivation
from symattn.comparison.losses import Difference
from symattn.comparison.quantities import LABELS, Ratio
from symattn.comparison.relations import BITS, Relation, expressions, letters_of, perhaps_zero, relation_of, said
from symattn.errors import OptionError, ShapeError, quoted
from symattn.numbers.arithmetic import Letter, Rows
from symattn.numbers.certified import Precision, enclosure, rational_of
from symattn.numbers.rounding import KINDS

if TYPE_CHECKING:
    import sympy

    from symattn.attention.pipeline import Trace

TOLD_ROWS: Final = 3

_STAGES: Final = (
    ("inputs", "X", "X"),
    ("projections", "Q", "Q"),
    ("projections", "K", "K"),
    ("projections", "V", "V"),
    ("scores", "scores", "scores"),
    ("root", "root", "root"),
    ("scaled_scores", "scaled_scores", "scaled_scores"),
    ("exponentials", "exponentials", "exponentials"),
    ("row_sums", "row_sums", "row_sums"),
    ("weights", "weights", "attention_weights"),
    ("outputs", "outputs", "output"),
)
"""Kind, name in the labels, and name in the trace, in the order of the pipeline."""


@dataclass(frozen=True, slots=True)
class Apart(Difference):
    """The difference of two numbers that were compared and not found to be equal: they are not compared again.

    >>> Apart(fmpq(1, 2), fmpq(1, 3)).rational
    1/6
    """

    @property
    def rational(self) -> fmpq | None:
        """The rational value where both numbers have one."""
        a, b = rational_of(self.minuend), rational_of(self.subtrahend)
        return None if a is None or b is None else a - b

    def enclose(self, precision: Precision) -> arb:
        """A ball around the difference, of parts that other numbers share."""
        return _enclosed(self.minuend, precision) - _enclosed(self.subtrahend, precision)


def _enclosed(number: Any, precision: Precision) -> arb:
    return number.enclose(precision) if hasattr(number, "enclose") else enclosure(number, precision.bits)


@dataclass(frozen=True, slots=True)
class Pair:
    """One quantity on both sides: kind, label, place from 0, two exact numbers, and how they stand.

    `reason` says why a relation is undecided, and is empty otherwise.
    """

    kind: str
    label: str
    place: tuple[int, ...]
    left: Any
    right: Any
    relation: Relation
    reason: str = ""

    @property
    def letters(self) -> frozenset[str]:
        """The names of the letters that are free in either number."""
        return letters_of(self.left) | letters_of(self.right)

    @property
    def difference(self) -> Difference | None:
        """Right less left, exactly; None where letters are free."""
        if self.letters:
            return None
        if self.relation is Relation.EQUAL:  # over two d_k they do not look alike: one of them stands for both
            return Difference(self.left, self.left)
        return Apart(self.right, self.left)

    @property
    def relative_difference(self) -> Ratio | None:
        """|difference/left|; None where letters are free and where the left number is 0, or cannot be told from it."""
        difference = self.difference
        if difference is None or perhaps_zero(self.left):
            return None
        return Ratio(difference, self.left)

    @property
    def symbolic_difference(self) -> sympy.Expr | None:
        """Right less left as a SymPy expression where letters are free, else None."""
        if not self.letters:
            return None
        import sympy

        if self.relation is Relation.EQUAL:
            return sympy.Integer(0)
        here, there = expressions(self.left, self.right)
        (above, below), (above2, below2) = sympy.fraction(here), sympy.fraction(there)
        if below != below2:
            return there - here
        return sympy.expand(above2 - above, power_exp=False) / below


@dataclass(frozen=True, slots=True)
class Input:
    """A given matrix, or d_k, that is not proven to be the same on both sides; None on a side that does not give it.

    `places` holds, from 0, the entries of two matrices of one shape that are not proven to be equal.
    """

    name: str
    left: Any
    right: Any
    relation: Relation
    places: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """How many quantities of a kind are equal, different and undecided."""

    kind: str
    equal: int
    different: int
    undecided: int


@dataclass(frozen=True, slots=True)
class Beside:
    """Two derivations, entry by entry: quantities in the order of the pipeline, inputs that differ, and remarks."""

    left: Derivation
    right: Derivation
    quantities: tuple[Pair, ...]
    inputs: tuple[Input, ...]
    remarks: tuple[str, ...]

    def __getitem__(self, label: str) -> Pair:
        for pair in self.quantities:
            if pair.label == label:
                return pair
        raise OptionError(f"no quantity is called {quoted(label)}", expected="a label such as Weights[1,2]")

    @property
    def first_difference(self) -> Pair | None:
        """The first quantity of the earliest stage at which anything is proven to differ."""
        return next((pair for pair in self.quantities if pair.relation is Relation.DIFFERENT), None)

    @property
    def counts(self) -> tuple[Count, ...]:
        """What was found at each stage that both sides have, in the order of the pipeline."""
        found = {kind: [pair.relation for pair in self.quantities if pair.kind == kind] for kind in KINDS}
        return tuple(Count(kind, *map(of.count, Relation)) for kind, of in found.items() if of)


def beside(left: Derivation, right: Derivation) -> Beside:
    """Every quantity that two exact derivations both have, side by side.

    Shapes: those of `Trace`, the same on both sides; X is left out where one side has none.
    Raises: ShapeError where shapes do not line up; OptionError for a derivation that is not exact.

    >>> from symattn import derive, load_spec
    >>> made = beside(derive(load_spec()), derive(load_spec(), recompute=True))
    >>> made.first_difference.label, made["Output[2,1]"].relation.value, made["Output[1,1]"].relation.value
    ('Q[2,1]', 'different', 'equal')
    """
    for side, derivation in (("left", left), ("right", right)):
        if derivation.arithmetic.name not in {"exact", "free-dk"}:
            raise OptionError(f"the derivation on the {side} is {derivation.arithmetic.name}", expected="an exact one")
    _check_shapes(left, right)
    embedded = left.trace.X is not None and right.trace.X is not None
    rows = zip(_quantities(left.trace, embedded), _quantities(right.trace, embedded), strict=True)
    free = _letter(left), _letter(right)
    balls = Precision(BITS)
    pairs = tuple(
        Pair(kind, label, place, here, there, *_relation(here, there, free, balls))
        for (kind, label, place, here), (*_, there) in rows
    )
    return Beside(left, right, pairs, tuple(_inputs(left, right)), tuple(_remarks(left, right)))


def _quantities(trace: Trace, embedded: bool) -> Iterator[tuple[str, str, tuple[int, ...], Any]]:  # noqa: FBT001
    """Kind, label, place from 0 and number of every quantity; X only where it is asked for."""
    names = {"X": "X", **LABELS}
    for kind, name, attribute in _STAGES:
        found = getattr(trace, attribute)
        if name == "X" and not embedded:
            continue
        if name == "root":
            yield kind, names[name], (), found
        elif name == "row_sums":
            for i, number in enumerate(found):
                yield kind, f"{names[name]}[{i + 1}]", (i,), number
        else:
            for i, row in enumerate(found):
                for j, number in enumerate(row):
                    yield kind, f"{names[name]}[{i + 1},{j + 1}]", (i, j), number


def _check_shapes(left: Derivation, right: Derivation) -> None:
    counts = len(left.spec.tokens), len(right.spec.tokens)
    if counts[0] != counts[1]:
        raise ShapeError(
            f"{counts[0]} tokens on the left but {counts[1]} on the right; two derivations are compared entry by entry",
            hint="Give both specs as many tokens.",
        )
    for name in ("X", "Q", "K", "V"):
        here, there = getattr(left.trace, name), getattr(right.trace, name)
        if here is not None and there is not None and _shape(here) != _shape(there):
            mend = "Leave X out of one spec." if name == "X" else f"Give both specs {name} in one shape."
            raise ShapeError(
                f"{name} is {_shape(here)} on the left but {_shape(there)} on the right; "
                "two derivations are compared entry by entry",
                hint=mend,
            )


def _shape(rows: Rows) -> str:
    return f"{len(rows)}x{len(rows[0])}"


def _letter(derivation: Derivation) -> str:
    """The name of a d_k that stays free, else nothing."""
    return derivation.stages[0].letter


def _relation(left: Any, right: Any, free: tuple[str, str], balls: Precision) -> tuple[Relation, str]:
    """How two numbers stand, and why that is undecided; `free` names a free d_k on each side."""
    for letter, other, mine, theirs, side in ((*free, left, right, "left"), (*free[::-1], right, left, "right")):
        if letter and not other and letter in letters_of(mine) - letters_of(theirs):
            return Relation.UNDECIDED, f"{letter} is free on the {side}"
    return relation_of(left, right, balls)


# ---- what was given ----------------------------------------------------------------------------------------------


def _inputs(left: Derivation, right: Derivation) -> Iterator[Input]:
    """The given matrices and d_k that are not proven to be the same."""
    for name in GIVEN:
        here, there = left.spec.get(name), right.spec.get(name)
        if here is None and there is None:
            continue
        if here is None or there is None or _shape(here) != _shape(there):
            yield Input(name, here, there, Relation.DIFFERENT)
            continue
        apart = _unequal_entries(here, there)
        if apart:
            proven = Relation.DIFFERENT in apart.values()
            yield Input(name, here, there, Relation.DIFFERENT if proven else Relation.UNDECIDED, tuple(apart))
    mine, theirs = _d_k(left), _d_k(right)
    if isinstance(mine, Letter) or isinstance(theirs, Letter):
        relation, _ = said(equal=mine == theirs)
    else:
        relation, _ = relation_of(mine, theirs)
    if relation is not Relation.EQUAL:
        yield Input("d_k", mine, theirs, relation)


def _unequal_entries(left: Rows, right: Rows) -> dict[tuple[int, int], Relation]:
    """The entries that are not proven to be equal, by place."""
    found = {
        (i, j): relation_of(here, there)[0]
        for i, (row, other) in enumerate(zip(left, right, strict=True))
        for j, (here, there) in enumerate(zip(row, other, strict=True))
    }
    return {place: relation for place, relation in found.items() if relation is not Relation.EQUAL}


def _d_k(derivation: Derivation) -> Any:
    letter = _letter(derivation)
    return Letter(letter) if letter else derivation.spec.d_k


def _remarks(left: Derivation, right: Derivation) -> Iterator[str]:
    """What else does not match, a line each."""
    renamed = [(i, a, b) for i, (a, b) in enumerate(zip(left.spec.tokens, right.spec.tokens, strict=True), 1) if a != b]
    for i, a, b in renamed[:TOLD_ROWS]:
        yield f"token {i} is {quoted(a)} on the left and {quoted(b)} on the right"
    if len(renamed) > TOLD_ROWS:
        yield f"{len(renamed) - TOLD_ROWS} more tokens differ"
    if (left.trace.X is None) != (right.trace.X is None):
        yield f"only the {'left' if right.trace.X is None else 'right'} has X, so X is left out"
    for letter in "QKV":
        here, there = (_taken(side, letter) for side in (left, right))
        if here != there:
            yield f"{letter} is {here} on the left and {there} on the right"


def _taken(derivation: Derivation, letter: str) -> str:
    """Where Q, K or V came from."""
    given = derivation.spec.matrices
    product = "X" in given and f"W_{letter}" in given and (derivation.recompute or letter not in given)
    return f"X·W_{letter}" if product else "as given"
