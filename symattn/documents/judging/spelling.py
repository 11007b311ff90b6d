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


def entry_terms(tree: t.Node, i: int, j: int) -> tuple[t.Node, ...]:
    """What an entry of a worked formula is the sum of: the products of a row and a column, or the cell itself.

    Nothing where the entry cannot be told from the formula.
    """
    cells = _cells(tree)
    if cells is not None:
        if i >= len(cells) or j >= len(cells[0]):
            return ()
        cell = cells[i][j]
        return _signed_terms(cell) if isinstance(cell, t.Sum) else (cell,)
    if isinstance(tree, t.Sum):
        return _signed_terms(tree)
    if not isinstance(tree, t.Product) or len(tree.factors) != 2:
        return ()
    left, right = map(_cells, tree.factors)
    if left is not None and right is not None and len(left[0]) == len(right) and i < len(left) and j < len(right[0]):
        pairs = zip(left[i], (row[j] for row in right), strict=True)
        return tuple(t.Product(a.start, b.end, (a, b), ("·",)) for a, b in pairs)
    if left is None and right is not None and i < len(right) and j < len(right[0]):
        scalar, cell = tree.factors[0], right[i][j]
        return (t.Product(scalar.start, cell.end, (scalar, cell), ("·",)),)
    return ()


def entry_spelt(tree: t.Node, i: int, j: int) -> str:
    r"""An entry of a worked formula in words; nothing where it cannot be told.

    >>> from symattn.documents.reading.chains import read_chain
    >>> entry_spelt(read_chain(r"\begin{pmatrix}1 & 2\end{pmatrix}\begin{pmatrix}3\\4\end{pmatrix}").first, 0, 0)
    '1·3+2·4'
    >>> [entry_spelt(read_chain(text).first, 0, 1) for text in (r"\frac{[4, 6]}{\sqrt{3}}", "e^{[4, 6]}")]
    ['6/√3', 'e^6']
    """
    text = "+".join(map(_factor_of_sum, entry_terms(tree, i, j) or _of_each(tree, i, j)))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _of_each(tree: t.Node, i: int, j: int) -> tuple[t.Node, ...]:
    """The entry of a table over a number, or of a number to the power of a table."""
    if isinstance(tree, t.Quotient) and _cells(tree.below) is None:
        cells = _cells(tree.above)
        if cells is not None and i < len(cells) and j < len(cells[i]):
            return (t.Quotient(tree.start, tree.end, cells[i][j], tree.below, inline=True),)
    if isinstance(tree, t.Power) and _cells(tree.base) is None:
        cells = _cells(tree.exponent)
        if cells is not None and i < len(cells) and j < len(cells[i]):
            return (t.Power(tree.start, tree.end, tree.base, cells[i][j]),)
    return ()


def _factor_of_sum(node: t.Node) -> str:
    text = _spelt(node)
    return f"({text})" if text.startswith("−") else text


def _signed_terms(total: t.Sum) -> tuple[t.Node, ...]:
    return tuple(
        t.Neg(term.start, term.end, term) if sign == "-" else term
        for sign, term in zip(total.signs, total.terms, strict=True)
    )


def _cells(node: t.Node) -> tuple[tuple[t.Node, ...], ...] | None:
    if isinstance(node, t.Bracketed):
        return _cells(node.inner)
    if isinstance(node, t.Transpose):
        inner = _cells(node.inner)
        return None if inner is None else tuple(zip(*inner, strict=True))
    if isinstance(node, t.Matrix):
        return node.rows
    return (node.items,) if isinstance(node, t.List) else None


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
