"""What a derivation leaves: stages that carry their own formulas, and notes on what did not fit.

Arrives: a spec, an arithmetic and a `Trace`. Leaves: frozen records for `rendering/` and for Python users.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from symattn.attention.pipeline import Trace
from symattn.attention.spec import Spec
from symattn.errors import OptionError, quoted
from symattn.formulas import Call, Formula, Matrix, Name, Product, Quotient, Root, Transposed, Value
from symattn.numbers.arithmetic import Arithmetic, Rows
from symattn.numbers.certified import Decimals
from symattn.numbers.exact import SquareRoot
from symattn.numbers.rounding import Mode

if TYPE_CHECKING:
    import numpy as np
    import sympy

    from symattn.attention.recover import Repair, WeightFamily
    from symattn.numbers.limits import End


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number written down on the way: its kind, its place (1-based) and its value."""

    kind: str
    place: tuple[int, ...]
    number: Any


@dataclass(frozen=True, slots=True)
class Stage:
    """One named step: the formula in symbols, the same with numbers in, what was written down, and the result.

    `letter` is the name of a d_k that stays free, empty where d_k is a number.
    """

    name: str
    symbols: Formula
    substituted: Formula
    rows: Rows
    written_down: Callable[[], Sequence[Quantity]] = tuple
    letter: str = ""

    @property
    def quantities(self) -> Sequence[Quantity]:
        """What was written down on the way, in order."""
        return self.written_down()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the result."""
        return len(self.rows), len(self.rows[0])

    @property
    def value(self) -> sympy.ImmutableMatrix:
        """The result as a SymPy matrix: exact, or floats where the arithmetic has no exact values."""
        import sympy

        from symattn.numbers.symbolic import to_sympy

        return sympy.ImmutableMatrix([[to_sympy(number) for number in row] for row in self.rows])

    def decimals(self, places: int = 50, mode: Mode = Mode.HALF_UP) -> tuple[tuple[str, ...], ...]:
        """The result as certified decimals, every digit proven.

        Raises: UndecidedError where a letter is free or a digit cannot be told.
        """
        digits = Decimals()
        return tuple(tuple(digits.round(number, places, mode).text for number in row) for row in self.rows)

    def limit(self, end: End) -> sympy.ImmutableMatrix:
        """The result as d_k goes to 0 from above ("0+") or to infinity ("oo").

        Raises: OptionError where d_k is a number; UndecidedError where SymPy finds no limit.
        """
        if not self.letter:
            raise OptionError(
                "d_k is a number here, and a limit needs it free", hint="Derive with Exact(free_d_k=True)."
            )
        import sympy

        from symattn.numbers.limits import limit
        from symattn.numbers.symbolic import to_sympy

        return sympy.ImmutableMatrix(
            [[to_sympy(limit(number, end, self.letter)) for number in row] for row in self.rows]
        )

    def lambdify(self) -> Callable[..., np.ndarray[Any, Any]]:
        """A NumPy function of d_k, and of the free letters by name, that returns the result.

        Shapes: numbers or arrays that broadcast to a shape s -> s + (n, m). It raises OptionError for a letter that
        is missing or unknown.
        """
        from symattn.numbers.limits import numpy_function

        return numpy_function(self.rows, self.letter)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A given Q, K or V that is not X times its weight matrix.

    `differing` holds (row, product row, given row) from 0; `undecided` the rows that could not be decided;
    `repair` is the smallest change of the weight matrix that would mend it.
    """

    letter: str
    differing: tuple[tuple[int, tuple[Any, ...], tuple[Any, ...]], ...]
    undecided: tuple[int, ...]
    repair: Repair | None
    recomputed: bool


@dataclass(frozen=True, slots=True)
class MissingWeights:
    """A projection given without its weight matrix, and all weights that would give it.

    `family` is None where the matrices are too large to search or not rational.
    """

    letter: str
    family: WeightFamily | None

    @property
    def impossible(self) -> bool:
        """Whether it is proven that no weight matrix gives the projection."""
        return self.family is not None and not self.family.exists


@dataclass(frozen=True, slots=True)
class OtherWidth:
    """A numeric d_k that is not the width of K."""

    width: int


Note = Contradiction | MissingWeights | OtherWidth


@dataclass(frozen=True)
class Derivation:
    """A worked example: `derivation["output"].value` is its result.

    It shows itself in a notebook, as LaTeX and as a page.
    """

    spec: Spec
    arithmetic: Arithmetic
    trace: Trace
    stages: tuple[Stage, ...]
    notes: tuple[Note, ...]
    recompute: bool = False

    def __getitem__(self, name: str) -> Stage:
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise OptionError(
            f"unknown stage {name!r}", expected=f"one of {', '.join(stage.name for stage in self.stages)}"
        )

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def remarks(self) -> tuple[str, ...]:
        """What does not fit in the spec, a plain line each, in English.

        >>> from symattn import derive, load_spec
        >>> derive(load_spec()).remarks()[0].split("; ")[0]
        "row 'Machine' of Q: X·W_Q gives [0, 2, 1], but the spec states [1, 2, 1]"
        """
        lines: list[str] = []
        for note in self.notes:
            if isinstance(note, Contradiction):
                lines += _contradiction_lines(note, self.spec)
            elif isinstance(note, MissingWeights) and note.impossible:
                row = note.family.inconsistent_row if note.family is not None else None
                token = quoted(self.spec.tokens[row or 0])
                lines.append(f"no W_{note.letter} gives {note.letter}: row {token} does not fit the rows above it")
            elif isinstance(note, OtherWidth):
                lines.append(f"the scaling uses d_k = {self.spec.d_k}, although the width of K is {note.width}")
        return tuple(lines)

    def _repr_latex_(self) -> str:
        from symattn.rendering.notebook import (
            latex_of,  # the one look upward: a notebook asks the object itself
        )

        return latex_of(self)

    def _repr_html_(self) -> str:
        from symattn.rendering.notebook import html_of

        return html_of(self)


def stages_of(trace: Trace) -> tuple[Stage, ...]:
    """The stages of a trace, as tutorials print them."""
    stages = []
    if trace.X is not None:
        stages.append(Stage("embedding", Name("X"), Matrix(trace.X), trace.X))
    for name, letter in (("query", "Q"), ("key", "K"), ("value", "V")):
        rows = getattr(trace, letter)
        weight = trace.weight_matrices.get(f"W_{letter}")
        if trace.X is not None and weight is not None:
            symbols: Formula = Product((Name("X"), Name(f"W_{letter}")), "matrix")
            substituted: Formula = Product((Matrix(trace.X), Matrix(weight)), "matrix")
        else:
            symbols, substituted = Name(letter), Matrix(rows)
        stages.append(Stage(name, symbols, substituted, rows))
    stages.append(
        Stage(
            "scores",
            Product((Name("Q"), Transposed(Name("K"))), "matrix"),
            Product((Matrix(trace.Q), Transposed(Matrix(trace.K))), "matrix"),
            trace.scores,
        )
    )
    stages.append(
        Stage(
            "scaled_scores",
            Quotient(Name("scores"), Root(Name("d_k"))),
            Quotient(Matrix(trace.scores), Value(trace.root)),
            trace.scaled_scores,
            lambda: (Quantity("root", (), trace.root),),
        )
    )
    stages.append(
        Stage(
            "attention_weights",
            Call("softmax", Name("scaled_scores")),
            Call("softmax", Matrix(trace.scaled_scores)),
            trace.attention_weights,
            lambda: _softmax_quantities(trace),
        )
    )
    stages.append(
        Stage(
            "output",
            Product((Name("attention_weights"), Name("V")), "matrix"),
            Product((Matrix(trace.attention_weights), Matrix(trace.V)), "matrix"),
            trace.output,
        )
    )
    letter = _free_letter(trace.root)
    return tuple(replace(stage, letter=letter) for stage in stages)


def _free_letter(root: Any) -> str:
    """The name of d_k where the root of the trace is the root of a letter, else nothing."""
    if isinstance(root, SquareRoot):
        return root.scale.name if root.scale.d_k is None else ""
    base: Any = getattr(root, "base", None)  # of a SymPy power
    return str(base.name) if getattr(base, "is_Symbol", False) else ""


def _softmax_quantities(trace: Trace) -> tuple[Quantity, ...]:
    out = []
    for i, row in enumerate(trace.exponentials, 1):
        out += [Quantity("exponentials", (i, j), number) for j, number in enumerate(row, 1)]
        out.append(Quantity("row_sums", (i,), trace.row_sums[i - 1]))
    return tuple(out)


TOLD_ROWS: Final = 3


def _contradiction_lines(note: Contradiction, spec: Spec) -> Iterator[str]:
    letter, weight = note.letter, f"W_{note.letter}"
    chosen = "the product" if note.recomputed else "the stated row"
    mend = ""
    if note.repair is not None and note.repair.cells:
        i, j, old, new = note.repair.cells[0]
        rest = len(note.repair.cells) - 1
        more = f" and {rest} more" if rest else ""
        mend = f" ({weight} row {i + 1}, column {j + 1}: {old} to {new}{more} would mend it)"
    for i, computed, given in note.differing[:TOLD_ROWS]:
        yield (
            f"row {quoted(spec.tokens[i])} of {letter}: X·{weight} gives {_plain_row(computed)}, "
            f"but the spec states {_plain_row(given)}; going on with {chosen}{mend}"
        )
        mend = ""
    if len(note.differing) > TOLD_ROWS:
        yield f"{len(note.differing) - TOLD_ROWS} more rows of {letter} differ from X·{weight}"
    for i in note.undecided[:TOLD_ROWS]:
        yield f"row {quoted(spec.tokens[i])} of {letter}: whether it is X·{weight} could not be decided"


def _plain_row(row: Sequence[Any]) -> str:
    return "[" + ", ".join(str(entry) for entry in row) + "]"
