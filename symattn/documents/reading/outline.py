"""Trees on one line, to be read by people: every bracket shown that the tree has.

Arrives: a node or a chain. Leaves: text such as `S_11 = {2·1}+{0·1} = 2`. It is for messages, tests and looking at
what was read; it is not read back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from symattn.documents.reading.tree import (
    Absolute,
    Blank,
    Bracketed,
    Call,
    Chain,
    Constant,
    Elided,
    Indexed,
    Infinity,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Number,
    Operation,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Text,
    Transpose,
    Unread,
)


def outline(node: Node | None) -> str:
    r"""A tree on one line; what is not there is ∅, factors side by side are joined by ⁀.

    >>> from symattn.documents.reading.chains import read_chain
    >>> outline(read_chain(r"\frac{QK^\top}{\sqrt{d_k}} \approx \begin{bmatrix} 1 & 2 \end{bmatrix}"))
    '({Q⁀Kᵀ} / √d_k) ≈ [1, 2]'
    """
    if node is None:
        return "∅"
    return _OUTLINES[type(node)](node)


def _sum(node: Sum) -> str:
    return "".join(sign * (i > 0) + outline(t) for i, (sign, t) in enumerate(zip(node.signs, node.terms, strict=True)))


def _product(node: Product) -> str:
    first, *others = node.factors
    parts = [(sign or "⁀") + outline(factor) for sign, factor in zip(node.signs, others, strict=True)]
    return "{" + outline(first) + "".join(parts) + "}"


def _call(node: Call) -> str:
    sub = f"_{node.sub}" if node.sub else ""
    return f"{node.function}{sub}({', '.join(map(outline, node.arguments))})"


def _matrix(node: Matrix) -> str:
    opening, closing = (node.delimiters[0], node.delimiters[-1]) if node.delimiters else ("⌈", "⌋")
    rows = "; ".join(", ".join(map(outline, row)) for row in node.rows)
    labels = f" <{' | '.join(label.text for label in node.labels)}>" if node.labels else ""
    return f"{opening}{rows}{closing}{labels}"


def _list(node: List) -> str:
    return f"{node.delimiters[0]}{', '.join(map(outline, node.items))},{node.delimiters[-1]}"


def _chain(node: Chain) -> str:
    label = f"<{node.label.key}> " if node.label else ""
    out = label + outline(node.first)
    for link in node.links:
        over = f"[{outline(link.operation)}]" if link.operation else ""
        out += f" {link.relation}{over} {outline(link.item)}"
    return out


_OUTLINES: Final[dict[type, Callable[[Any], str]]] = {
    Number: lambda node: node.text,
    Constant: lambda node: node.name,
    Infinity: lambda _: "∞",
    Name: lambda node: node.key,
    Text: lambda node: f"'{node.key}'",
    Sum: _sum,
    Neg: lambda node: f"-{outline(node.inner)}",
    Product: _product,
    Quotient: lambda node: f"({outline(node.above)} / {outline(node.below)})",
    Power: lambda node: f"{outline(node.base)}^{outline(node.exponent)}",
    Root: lambda node: (outline(node.index) if node.index else "") + f"√{outline(node.inner)}",
    Call: _call,
    Transpose: lambda node: f"{outline(node.inner)}ᵀ",
    Absolute: lambda node: f"‖{outline(node.inner)}‖" if node.norm else f"|{outline(node.inner)}|",
    Indexed: lambda node: f"{outline(node.inner)}⟦{node.sub}⟧",
    Matrix: _matrix,
    List: _list,
    Bracketed: lambda node: f"({outline(node.inner)})",
    Elided: lambda _: "…",
    Blank: lambda _: "□",
    Operation: lambda node: f"{'÷' if node.sign == '/' else '×'}{outline(node.operand)}",
    Unread: lambda node: f"?{node.reason}?",
    Chain: _chain,
}
