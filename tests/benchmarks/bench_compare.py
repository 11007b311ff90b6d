"""How fast comparisons are, as ratios in one run against what a user would write instead.

Run: python tests/benchmarks/bench_compare.py
Each figure is the fastest of some runs: of processor time in this process (twenty of ours; three of SymPy's, whose cache
is emptied before each), of the clock for whole processes (five). Both sides get decimals as text; what both are given is
made before. SymPy's functions are made outside the clock, ours has nothing to prepare.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import sympy
from examples import example
from flint import fmpq
from measure import best, process
from rich.console import Console
from rich.table import Table
from sympy.core.cache import clear_cache

from symattn import Derivation, Exact, derive, load_spec
from symattn.attention.pipeline import Trace
from symattn.comparison.sweep import sweep
from symattn.numbers.certified import Decimals

PLACES: Final = 50
ROOTS: Final = np.linspace(1.0, 4.0, 10_000)

Rows = Sequence[Sequence[Any]]


def sympy_rows(rows: Rows) -> list[list[sympy.Rational]]:
    """Rationals as SymPy's."""
    return [[sympy.Rational(int(entry.p), int(entry.q)) for entry in row] for row in rows]


def sympy_quantities(scores: Rows, V: Rows, root: sympy.Expr) -> dict[str, list[sympy.Expr]]:
    """What a plain SymPy script makes of the scores, for each kind."""
    scaled = [[score / root for score in row] for row in scores]
    powers = [[sympy.exp(entry) for entry in row] for row in scaled]
    sums = [sympy.Add(*row) for row in powers]
    weights = [[entry / total for entry in row] for row, total in zip(powers, sums, strict=True)]
    outputs = [
        [sympy.Add(*(w * v[j] for w, v in zip(row, V, strict=True))) for j in range(len(V[0]))] for row in weights
    ]
    kinds = {
        "scaled scores": scaled,
        "exponentials": powers,
        "row sums": [sums],
        "weights": weights,
        "outputs": outputs,
    }
    return {kind: [entry for row in rows for entry in row] for kind, rows in kinds.items()}


def our_quantities(scores: Rows, V: Rows, d_k: fmpq) -> dict[str, list[Any]]:
    """The same from the exact arithmetic."""
    ops = Exact().start(d_k=d_k, rational=True)
    root = ops.root()
    scaled = [[ops.scale(score, root) for score in row] for row in scores]
    powers = [ops.exponentials(row) for row in scaled]
    sums = [ops.total(row) for row in powers]
    weights = [ops.shares(row, total) for row, total in zip(powers, sums, strict=True)]
    outputs = [ops.combine(row, V) for row in weights]
    kinds = {
        "scaled scores": scaled,
        "exponentials": powers,
        "row sums": [sums],
        "weights": weights,
        "outputs": outputs,
    }
    return {kind: [entry for row in rows for entry in row] for kind, rows in kinds.items()}


def our_digits(kinds: dict[str, list[Any]]) -> list[str]:
    """Certified decimals, written out."""
    decimals = Decimals()
    return [decimals.round(number, PLACES).text for numbers in kinds.values() for number in numbers]


def sympy_digits(kinds: dict[str, list[sympy.Expr]]) -> list[str]:
    """SymPy's decimals, written out."""
    return [str(entry.evalf(PLACES)) for entries in kinds.values() for entry in entries]


def fresh(work: Callable[[], object]) -> float:
    """Seconds of SymPy's fastest of three runs that remember nothing of one another."""
    times = []
    for _ in range(3):
        clear_cache()
        times.append(best(work, runs=1))
    return min(times)


def swept(exact: Derivation) -> None:
    """Values and bounds of every weight and output at every root, each let go once computed."""
    made, trace = sweep(exact, ROOTS), exact.trace
    for i in range(len(trace.scores)):
        for entry in (
            *(made.weights(i, j) for j in range(len(trace.V))),
            *(made.outputs(i, j) for j in range(len(trace.V[0]))),
        ):
            _ = entry.values, entry.bounds


def looped(function: Callable[[Any], Any], roots: Sequence[float]) -> None:
    """The function at every root, each result let go."""
    for root in roots:
        function(root)


def lambdified(trace: Trace, modules: str, *, cse: bool) -> Callable[[Any], Any]:
    """SymPy's function of the root for every weight and output."""
    root = sympy.Symbol("r", positive=True)
    kinds = sympy_quantities(sympy_rows(trace.scores), sympy_rows(trace.V), root)
    function: Callable[[Any], Any] = sympy.lambdify(
        root, [*kinds["weights"], *kinds["outputs"]], modules=modules, cse=cse
    )
    return function


Line = tuple[str, float, float]
"""What was done, our seconds, the other's."""


def processes() -> Iterator[Line]:
    """Whole processes, against the time that importing SymPy takes."""
    with tempfile.TemporaryDirectory() as folder:
        imported = process(sys.executable, "-c", "import sympy", folder=folder)
        for options in ((), ("--to", "json")):
            ours = process(sys.executable, "-m", "symattn", "compare", *options, folder=folder)
            yield f"symattn {' '.join(['compare', *options])}, whole process, against import sympy", ours, imported


def decimals() -> Iterator[Line]:
    """All quantities of one example, to 50 digits."""
    d_k = fmpq(16)
    trace = derive(load_spec(example(16, 64, 16))).trace
    given = sympy_rows(trace.scores), sympy_rows(trace.V), sympy.sqrt(16)
    theirs, ours = sympy_quantities(*given), our_quantities(trace.scores, trace.V, d_k)
    for kind, numbers in ours.items():
        yield (
            f"16/64/16: {len(numbers)} {kind} to {PLACES} digits, against evalf",
            best(lambda kind=kind: our_digits({kind: ours[kind]}), runs=20),
            fresh(lambda kind=kind: sympy_digits({kind: theirs[kind]})),
        )
    count = sum(map(len, ours.values()))
    yield (
        f"16/64/16: all {count} quantities, from the exact numbers to {PLACES} digits",
        best(lambda: our_digits(ours), runs=20),
        fresh(lambda: sympy_digits(theirs)),
    )
    yield (
        f"16/64/16: all {count} quantities, from the scores to {PLACES} digits",
        best(lambda: our_digits(our_quantities(trace.scores, trace.V, d_k)), runs=20),
        fresh(lambda: sympy_digits(sympy_quantities(*given))),
    )


def sweeps(name: str, exact: Derivation) -> Iterator[Line]:
    """All weights and outputs at 10,000 roots, against loops and whole arrays of lambdified functions."""
    roots = ROOTS.tolist()
    ours = best(lambda: swept(exact), runs=20)
    what = f"{name}: {len(roots)} roots with bounds"
    for modules, cse in (("math", False), ("numpy", False), ("math", True), ("numpy", True)):
        function = lambdified(exact.trace, modules, cse=cse)
        how = f"lambdify({modules!r}{', cse=True' if cse else ''})"
        loop = best(lambda function=function: looped(function, roots), runs=3)
        yield f"{what}, against a loop of {how}", ours, loop
        if modules == "numpy":
            whole = best(lambda function=function: function(ROOTS), runs=20)
            yield f"{what}, against one call of {how}, without bounds", ours, whole


def main() -> None:
    """Measure and print the table."""
    table = Table("what", "symattn", "instead", "ratio", title="symattn compare against plain SymPy", expand=True)
    bundled, six = derive(load_spec()), derive(load_spec(example(6, 16, 4)))
    for part in (processes(), decimals(), sweeps("bundled example", bundled), sweeps("6 tokens", six)):
        for what, ours, theirs in part:
            table.add_row(
                what,
                f"{ours * 1000:.2f} ms",
                f"{theirs * 1000:.2f} ms",
                f"{theirs / ours:.2g}x" if theirs < 10 * ours else f"{theirs / ours:.0f}x",
            )
        table.add_section()
    Console(width=132).print(table)


if __name__ == "__main__":
    main()
