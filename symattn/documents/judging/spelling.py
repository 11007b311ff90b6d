"""Trees as short plain text, for messages: 2/1.7, e^1.76, Q·Kᵀ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from symattn.documents.reading import tree as t

LONGEST: Final = 60


def spelt(node: t.Node) -> str:
    r"""A formula on one line, dots where it is long.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [spelt(read_chain(text).first) for text in (r"\frac{2}{1.7}", r"e^{1.76}", r"QK^T", r"\sqrt{d_k}")]
    ['2/1.7', 'e^1.76', 'Q·Kᵀ', '√d_k']
    """
    text = _spelt(node)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _spelt(node: t.Node) -> str:
    write = _WRITERS.get(type(node))
    return write(node) if write is not None else "…"


def _factor(node: t.Node) -> str:
    text = _spelt(node)
    return f"({text})" if isinstance(node, (t.Sum, t.Neg)) else text


def _sum(node: t.Sum) -> str:
    parts = [_spelt(node.terms[0])]
    parts += [
        f"{'+' if sign == '+' else '−'}{_spelt(term)}"
        for sign, term in zip(node.signs[1:], node.terms[1:], strict=True)
    ]
    return "".join(parts)


def _quotient(node: t.Quotient) -> str:
    below = _spelt(node.below)
    return f"{_factor(node.above)}/{f'({below})' if isinstance(node.below, (t.Sum, t.Product, t.Quotient)) else below}"


def _table(node: t.Matrix) -> str:
    return "[" + "; ".join(", ".join(map(_spelt, row)) for row in node.rows) + "]"


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    t.Number: lambda x: x.text,
    t.Constant: lambda x: "π" if x.name == "pi" else "e",
    t.Infinity: lambda _: "∞",
    t.Name: lambda x: x.key,
    t.Text: lambda x: x.key,
    t.Sum: _sum,
    t.Neg: lambda x: f"−{_factor(x.inner)}",
    t.Product: lambda x: "·".join(map(_factor, x.factors)),
    t.Quotient: _quotient,
    t.Power: lambda x: f"{_factor(x.base)}^{_factor(x.exponent)}",
    t.Root: lambda x: f"√{_factor(x.inner)}",
    t.Call: lambda x: f"{x.function}({', '.join(map(_spelt, x.arguments))})",
    t.Transpose: lambda x: f"{_factor(x.inner)}ᵀ",
    t.Matrix: _table,
    t.List: lambda x: "[" + ", ".join(map(_spelt, x.items)) + "]",
    t.Bracketed: lambda x: f"({_spelt(x.inner)})",
    t.Chain: lambda x: " = ".join(map(_spelt, x.items)),
}
