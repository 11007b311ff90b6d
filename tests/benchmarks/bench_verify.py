"""How fast verifying is, as ratios in one run against what a user would reach for instead.

Run: python tests/benchmarks/bench_verify.py [--math-verify VENV]
Each figure is the fastest of five runs: of the clock for whole processes, of processor time for the rest. Math-Verify
pins another antlr than this project and runs in an environment of its own: the one whose folder is given, else one made
for the run, which needs the network.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from measure import best, process
from rich.console import Console
from rich.table import Table

from symattn import verify
from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.load import load_document
from symattn.documents.judging.cells import grid_of, has_names, is_entry, is_number, last
from symattn.documents.judging.statements import MATH, statements
from symattn.documents.reading.tree import Chain, Node

CORPUS: Final = Path(__file__).parents[1] / "corpus"
REFERENCE: Final = CORPUS / "00-zh-seed-array-arrows.md"
DOCUMENTS: Final = sorted(
    path for path in CORPUS.iterdir() if path.suffix in {".md", ".tex", ".html", ".ipynb"} and path.stem != "README"
)
TIMES: Final = 10

MATH_VERIFY: Final = r"""
import json, sys, time, warnings, logging
logging.disable(logging.CRITICAL)
from importlib.metadata import version
from math_verify import LatexExtractionConfig, parse, verify

pairs = json.load(open(sys.argv[1], encoding="utf-8"))
how = [LatexExtractionConfig()]

def one(left, claimed, places):
    gold, answer = parse(f"${left}$", extraction_config=how), parse(f"${claimed}$", extraction_config=how)
    return len(gold) > 0, verify(gold, answer, float_rounding=max(places, 0))

told = [one(*pair) for pair in pairs]
times = []
for _ in range(5):
    began = time.process_time()
    for pair in pairs:
        one(*pair)
    times.append(time.process_time() - began)
print(json.dumps({"version": version("math-verify"), "seconds": min(times),
                  "read": sum(a for a, _ in told), "equal": sum(b for _, b in told)}))
"""
"""What is timed there: warm, each claim parsed from LaTeX and compared at the author's digits."""

Pair = tuple[str, str, int]
"""The LaTeX of a left-hand side, the number claimed for it, and its decimal places."""


def scalar_claims() -> list[Pair]:
    """Every number of the corpus that follows a scalar formula without names, in a chain or cell over cell."""
    found: dict[Pair, None] = {}
    for path in DOCUMENTS:
        for said in statements(load_document(path)):
            if said.region.kind in MATH:
                found |= dict.fromkeys(_of_chain(said.chain, said.region.text))
    return list(found)


def _of_chain(chain: Chain, text: str) -> Iterator[Pair]:
    items = [*([chain.first] if chain.first is not None else []), *(link.item for link in chain.links)]
    for item in items:
        laid = grid_of(item)
        for row in laid[0] if laid is not None else ():
            for cell in row:
                if isinstance(cell, Chain):
                    yield from _of_chain(cell, text)
    for left, right in pairwise(items):
        over, under = grid_of(left), grid_of(right)
        if over is None:
            yield from _pair(left, right, text)
        elif under is not None and [len(row) for row in over[0]] == [len(row) for row in under[0]]:
            for row, claimed in zip(over[0], under[0], strict=True):
                for a, b in zip(row, claimed, strict=True):
                    yield from _pair(last(a), last(b), text)


def _pair(left: Node, right: Node, text: str) -> Iterator[Pair]:
    formula = grid_of(left) is None and not is_entry(left) and not has_names(left)
    if formula and is_number(right):
        claimed = text[right.start : right.end]
        yield text[left.start : left.end], claimed, len(claimed.partition(".")[2])


def environment(folder: str) -> Path:
    """The Python of an environment with Math-Verify in it, made in a folder."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
    python = Path(folder) / "bin" / "python"
    command = [python, "-m", "pip", "install", "--quiet", "math-verify"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError("pip could not install math-verify: " + (done.stderr.strip().splitlines() or ["?"])[-1])
    return python


def math_verify(pairs: list[Pair], venv: str | None) -> dict[str, object]:
    """What Math-Verify needs for the same claims, in its own environment.

    Raises: RuntimeError where the environment could not be made or does not run.
    """
    with tempfile.TemporaryDirectory() as folder:
        python = Path(venv) / "bin" / "python" if venv else environment(str(Path(folder) / "venv"))
        claims = Path(folder) / "claims.json"
        claims.write_text(json.dumps(pairs), "utf-8")
        command = [python, "-c", MATH_VERIFY, claims]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"Math-Verify in {python}: " + (done.stderr.strip().splitlines() or ["?"])[-1])
        told: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return told


def as_one_document(times: int) -> str:
    """The Markdown documents of the corpus in one, so many times over."""
    once = "\n\n".join(path.read_text("utf-8") for path in DOCUMENTS if path.suffix == ".md")
    return "\n\n".join([once] * times)


def paragraph(claims: int) -> str:
    """One paragraph with a sum on each of its lines."""
    return "\n".join(f"Two and {i} is $2+{i}={i + 2}$ here." for i in range(claims))


def chain(claims: int) -> str:
    """One formula that goes on and on."""
    return "$$1+1" + "=2" * claims + "$$"


def table(claims: int) -> str:
    """One table with a sum in each of its rows."""
    return "| number | sum |\n|---|---|\n" + "\n".join(f"| {i} | $2+{i}={i + 2}$ |" for i in range(claims))


def listing(claims: int) -> str:
    """One code block with a sum on each of its lines."""
    return "```\n" + "\n".join(f"2 + {i} = {i + 2}" for i in range(claims)) + "\n```"


LONG: Final[dict[Callable[[int], str], int]] = {paragraph: 300, chain: 100, table: 300, listing: 300}
"""Documents that are one long thing, and how many claims they are measured with, and with so many times as many."""


def claims_of(text: str) -> int:
    """How many claims a Markdown text has."""
    return sum(len(checked.claims) for checked in verify(text, format="markdown"))


def main() -> None:
    """Measure and print the shown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--math-verify", metavar="VENV", help="an environment that has math-verify")
    venv = parser.parse_args().math_verify
    shown = Table("what", "symattn", "instead", "ratio", "target", title="symattn verify", expand=True)

    with tempfile.TemporaryDirectory() as folder:
        imported = process(sys.executable, "-c", "import sympy", folder=folder)
        for options in ((), ("--format", "json"), ("--format", "html")):
            command = (sys.executable, "-m", "symattn", "verify", str(REFERENCE), *options)
            ours = process(*command, folder=folder, codes=(1,))
            what = f"the reference document{' as ' + options[1] if options else ''}, whole process, to import sympy"
            shown.add_row(what, f"{ours:.3f} s", f"{imported:.3f} s", f"{ours / imported:.2f}x", "at most 3x")
    shown.add_section()

    count = sum(len(checked.claims) for path in DOCUMENTS for checked in verify(path))
    seconds = best(lambda: [verify(path) for path in DOCUMENTS])
    rate = f"{count / seconds:.0f} claims/s"
    shown.add_row(f"the corpus, {count} claims in {len(DOCUMENTS)} documents", f"{seconds:.3f} s", "", rate, "100 /s")

    texts = {times: as_one_document(times) for times in (1, TIMES)}
    counts = {times: claims_of(text) for times, text in texts.items()}
    once, often = (best(lambda text=text: claims_of(text), runs=3) for text in texts.values())
    what = f"{TIMES} times the corpus in one Markdown file ({counts[TIMES]} claims), to once ({counts[1]})"
    shown.add_row(what, f"{often:.2f} s", f"{once:.2f} s", f"{often / once:.1f}x", f"at most {TIMES + 1}x")
    shown.add_section()

    for make, count in LONG.items():
        texts = {times: make(times * count) for times in (1, TIMES)}
        if any(claims_of(text) != times * count for times, text in texts.items()):
            raise RuntimeError(f"of one long {make.__name__} not every claim was judged")
        once, often = (best(lambda text=text: claims_of(text), runs=3) for text in texts.values())
        what = f"one long {make.__name__} with {TIMES * count} claims, to {count}"
        shown.add_row(what, f"{often:.2f} s", f"{once:.2f} s", f"{often / once:.1f}x", f"at most {TIMES + 1}x")
    shown.add_section()

    pairs = scalar_claims()
    each = [f"$${left} \\approx {claimed}$$\n" for left, claimed, _ in pairs]
    judged = sum(
        len(checked.claims) == 1 and not checked.count(Verdict.UNDECIDED) for t in each for checked in verify(t)
    )
    single = best(lambda: [verify(text) for text in each]) / len(pairs)
    whole = best(lambda: verify("\n".join(each))) / len(pairs)
    try:
        other = math_verify(pairs, venv)
        theirs = float(str(other["seconds"])) / len(pairs)
        read = f"{other['read']} read, {other['equal']} found equal by Math-Verify {other['version']}"
    except RuntimeError as error:
        theirs, read = None, f"not compared: {error}"
    for what, ours in (("a document each", single), ("all in one document", whole)):
        told = ("", "") if theirs is None else (f"{theirs * 1e3:.2f} ms", f"{theirs / ours:.1f}x as fast")
        shown.add_row(f"a scalar claim, {what} ({len(pairs)} claims)", f"{ours * 1e3:.2f} ms", *told, "3x as fast")
    shown.caption = f"of the {len(pairs)} scalar claims: {judged} judged by symattn; {read}"
    Console(width=140).print(shown)


if __name__ == "__main__":
    main()
