"""How fast a derivation is, as ratios in one run against what a user would write instead.

Run: python tests/benchmarks/bench_derive.py [--quick]
The plain script does the same work with SymPy matrices, `sympy.latex` and `evalf`. Each of our figures is the best
of five runs in this process, the plain script's a single run; whole processes are the best of five, interpreter
start and imports included.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import sympy
from examples import example
from measure import best, process
from rich.console import Console
from rich.table import Table

from symattn import Exact, derive, load_spec, render
from symattn.formulas import Matrix
from symattn.numbers.expsum import ExpQuotient
from symattn.rendering.latex import LatexWriter

SIZES = ((2, 4, 3), (8, 16, 8), (16, 64, 16))
PLACES = 50


def plain_stages(given: dict[str, object], *, free: bool) -> list[sympy.Matrix]:
    """The stages as a plain SymPy script makes them."""
    X, W_Q, W_K, W_V = (sympy.Matrix(given[name]) for name in ("X", "W_Q", "W_K", "W_V"))
    Q, K, V = X * W_Q, X * W_K, X * W_V
    scores = Q * K.T
    d_k = sympy.Symbol("d_k", positive=True) if free else K.cols
    scaled = scores / sympy.sqrt(d_k)
    exponentials = scaled.applyfunc(sympy.exp)
    weights = sympy.Matrix(
        scores.rows, scores.cols, lambda i, j: exponentials[i, j] / sum(exponentials[i, k] for k in range(scores.cols))
    )
    return [X, Q, K, V, scores, scaled, weights, weights * V]


def our_latex(given: dict[str, object], *, free: bool = False) -> str:
    """The exact derivation with the LaTeX of every stage, nothing elided."""
    writer = LatexWriter(limit=None)
    return "".join(writer.write(Matrix(stage.rows)) for stage in derive(load_spec(given), Exact(free_d_k=free)))


def emitted_terms(given: dict[str, object]) -> int:
    """How many exponential terms the LaTeX of the weights and the output has."""
    derivation = derive(load_spec(given))
    rows = [*derivation["attention_weights"].rows, *derivation["output"].rows]
    return sum(len(x.num.terms) + len(x.den.terms) for row in rows for x in row if isinstance(x, ExpQuotient))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave the slowest plain script out")
    quick = parser.parse_args().quick
    table = Table("what", "symattn", "instead", "ratio", title="symattn against plain SymPy", expand=True)

    def row(what: str, ours: float, theirs: float) -> None:
        table.add_row(what, f"{ours:.4f} s", f"{theirs:.3f} s", f"{theirs / ours:.1f}x")

    for size in SIZES[: 2 if quick else 3]:
        given = example(*size)
        name = "/".join(map(str, size))
        stages: list[sympy.Matrix] = []
        for free, label in ((True, "d_k free"), (False, "d_k a number")):

            def plain(given: dict[str, object] = given, stages: list[sympy.Matrix] = stages, free: bool = free) -> None:
                stages[:] = plain_stages(given, free=free)
                for stage in stages:
                    sympy.latex(stage)

            theirs = best(plain, runs=1)
            row(
                f"{name}, {label}: exact, all LaTeX of the stages",
                best(lambda given=given, free=free: our_latex(given, free=free)),
                theirs,
            )
        row(
            f"{name}: the whole worked document, nothing elided",
            best(lambda g=given: render(derive(load_spec(g)), full=True)),
            theirs,
        )
        output = derive(load_spec(given))["output"]
        row(
            f"{name}: the output to {PLACES} places",
            best(lambda output=output: output.decimals(PLACES)),
            best(lambda stages=stages: stages[-1].evalf(PLACES + 2), runs=1),
        )

    terms = []
    for n in (16, 32, 64):
        given = example(n, 64, 16)
        terms.append((n, best(lambda g=given: our_latex(g)) / emitted_terms(given)))
    for n, cost in terms:
        table.add_row(
            f"cost of an emitted exponential term at n = {n}",
            f"{cost * 1e6:.2f} µs",
            "",
            f"{cost / terms[0][1]:.2f} of n = 16",
        )

    with tempfile.TemporaryDirectory() as folder:
        big = example(256, 768, 64)
        lines = [f"tokens = {big['tokens']!r}".replace("'", '"')]
        lines += [f"{name} = {big[name]!r}" for name in ("X", "W_Q", "W_K", "W_V")]
        (Path(folder) / "big.toml").write_text("\n".join(lines))
        command = (sys.executable, "-m", "symattn")
        imported = process(sys.executable, "-c", "import sympy", folder=folder)
        row("symattn --help, against import sympy", process(*command, "--help", folder=folder), imported)
        row("symattn derive, against import sympy", process(*command, "derive", folder=folder), imported)
        elided = process(*command, "derive", "big.toml", "--exact", folder=folder)
        table.add_row("256/768/64, elided, md + tex + html, whole process", f"{elided:.2f} s", "", "")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
