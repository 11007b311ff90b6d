"""Blocks as text for a terminal: formulas on one line, tables drawn by rich.

Arrives: blocks whose formulas fit on a line. Leaves: text without colours, as wide as was asked.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from symattn import formulas as f
from symattn.rendering.blocks import Block, Bullets, Display, Heading, Inlines, Math, Note, Picture, Table, Token
from symattn.rendering.plain import plain
from symattn.rendering.words import visible

if TYPE_CHECKING:
    from rich.console import Console

WIDTH: Final = 110
LABELS: Final = {
    "scores": "Scores",
    "scaled_scores": "Scaled",
    "exponentials": "Exp",
    "row_sums": "Sum",
    "attention_weights": "Weights",
    "output": "Output",
}
"""The names of quantities as the JSON has them; other names stand for themselves."""

LATEX_SIGNS: Final = {r"\ldots": "…", r"\times": "×", r"\infty": "∞"}


def text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """The document as text.

    >>> print(text([Heading(2, ("Scores ", Math(f.Name("Q"))))]), end="")
    Scores Q
    ────────
    """
    from rich.console import Console

    console = Console(width=width, file=io.StringIO(), color_system=None, highlight=False, markup=False, emoji=False)
    for block in blocks:
        _print(console, block)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def _print(console: Console, block: Block) -> None:
    if isinstance(block, Heading):
        _heading(console, block)
    elif isinstance(block, Table):
        _table(console, block)
    elif isinstance(block, Bullets):
        for number, (inlines, formulas) in enumerate(block.items, 1):
            mark = f"{number}." if block.style == "number" else "-"
            console.print(f"{mark} {plain_inlines(inlines)}")
            for formula in formulas:
                console.print(f"    {plain_formula(formula)}")
        console.print()
    elif isinstance(block, Display):
        console.print(f"    {plain_formula(block.formula)}\n")
    elif isinstance(block, Note):
        console.print(f"! {plain_inlines(block.inlines)}\n")
    elif not isinstance(block, Picture):
        console.print(f"{plain_inlines(block.inlines)}\n")


def _heading(console: Console, heading: Heading) -> None:
    from rich.cells import cell_len

    title = plain_inlines(heading.inlines)
    console.print(title)
    if heading.level < 3:
        console.print(("═" if heading.level == 1 else "─") * min(cell_len(title), console.width))
    console.print()


def _table(console: Console, table: Table) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for cell, letter in zip(table.header, table.align, strict=True):
        # a number is never cut: what is too long goes on in the next line
        drawn.add_column(
            Text(plain_inlines(cell)),
            justify="right" if letter == "r" else "left",
            overflow="fold",
        )
    for row in table.rows:
        drawn.add_row(*(Text(plain_inlines(cell)) for cell in row))
    console.print(drawn)
    console.print()


def plain_inlines(inlines: Inlines) -> str:
    """Running text, with its formulas on the line."""
    parts = []
    for inline in inlines:
        if isinstance(inline, str):
            parts.append(inline)
        elif isinstance(inline, Math):
            parts.append(plain_formula(inline.formula))
        else:
            word = visible(inline.text)
            parts.append(f"“{word}”" if isinstance(inline, Token) else word)
    return "".join(parts)


def plain_formula(formula: f.Formula) -> str:
    """A formula on one line.

    >>> plain_formula(f.Chain(f.Root(f.Name("d_k")), (("≈", f.Decimal("1.7")),)))
    '√d_k ≈ 1.7'
    """
    return _WRITERS[type(formula)](formula)


def _number(entry: Any) -> str:
    return plain_formula(entry) if isinstance(entry, f.Formula) else plain(entry)


def _decimal(decimal: f.Decimal) -> str:
    shown = decimal.text
    for latex, sign in LATEX_SIGNS.items():
        shown = shown.replace(latex, sign)
    return shown.replace("× 10^{", "·10^").replace("}", "") if "10^{" in shown else shown


def _chain(chain: f.Chain) -> str:
    first = "" if chain.first is None else plain_formula(chain.first)
    return (first + "".join(f" {relation} {plain_formula(other)}" for relation, other in chain.links)).strip()


def _quotient(quotient: f.Quotient) -> str:
    above, below = plain_formula(quotient.above), plain_formula(quotient.below)
    return f"{above}/({below})" if any(sign in below for sign in "+-·/ ") else f"{above}/{below}"


def _factor(factor: f.Formula) -> str:
    shown = plain_formula(factor)
    return f"({shown})" if isinstance(factor, f.Sum) or shown.startswith("-") else shown


_WRITERS: Final[dict[type[f.Formula], Callable[[Any], str]]] = {
    f.Name: lambda x: LABELS.get(x.key, x.key),
    f.Indexed: lambda x: f"{plain_formula(x.base)}[{plain_formula(x.index)}]",
    f.Words: lambda x: visible(x.text),
    f.Value: lambda x: plain(x.number),
    f.Decimal: _decimal,
    f.Row: lambda x: "[" + ", ".join(map(_number, x.items)) + "]",
    f.Listed: lambda x: ",".join(map(plain_formula, x.items)),
    f.Chain: _chain,
    f.Root: lambda x: f"√{plain_formula(x.inner)}",
    f.Bracketed: lambda x: f"({plain_formula(x.inner)})",
    f.Product: lambda x: "·".join(map(_factor, x.factors)),
    f.Sum: lambda x: " + ".join(map(plain_formula, x.terms)),
    f.Quotient: _quotient,
    f.Exp: lambda x: f"e^({plain_formula(x.exponent)})",
    f.Derivative: lambda x: f"∂{plain_formula(x.of)}/∂{plain_formula(x.by)}",
    f.Call: lambda x: f"{x.function}({plain_formula(x.argument)})",
    f.Answer: lambda x: plain_formula(x.inner),
}
