"""Matrices that are written out, as a spec takes them.

Arrives: trees. Leaves: rows of whole numbers, rationals and texts; nothing for blanks, dots and infinities.
"""

from __future__ import annotations

from typing import Final

from flint import fmpq

from symattn.attention.spec_toml import plain
from symattn.documents.reading.tree import (
    Bracketed,
    Call,
    Chain,
    Constant,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Transpose,
)
from symattn.documents.reading.value import evaluate
from symattn.errors import SymattnError
from symattn.numbers.reader import read_number

Entry = int | fmpq | str
Rows = tuple[tuple[Entry, ...], ...]
MAX_ENTRIES: Final = 250_000
MAX_SPELLED: Final = 900


def table_of(node: Node) -> tuple[Rows, bool] | None:
    """The entries of a matrix or a list that is written out, and whether it is a list; None for all else."""
    if isinstance(node, Bracketed):
        return table_of(node.inner)
    if isinstance(node, Transpose):
        inner = table_of(node.inner)
        return None if inner is None else (turned(inner[0]), False)
    if isinstance(node, List) and node.delimiters != "{}":
        cells: tuple[tuple[Node, ...], ...] = (node.items,)
    elif isinstance(node, Matrix):
        cells = node.rows
    else:
        return None
    if not cells or not cells[0] or len(cells) * len(cells[0]) > MAX_ENTRIES:
        return None
    rows = []
    for row in cells:
        entries = [entry_of(cell) for cell in row]
        if any(entry is None for entry in entries):
            return None
        rows.append(tuple(entry for entry in entries if entry is not None))
    return tuple(rows), isinstance(node, List)


def turned(rows: Rows) -> Rows:
    """The transpose.

    >>> turned(((1, 2),))
    ((1,), (2,))
    """
    return tuple(zip(*rows, strict=True))


def entry_of(node: Node) -> Entry | None:
    r"""A number, root or letter as a spec takes it; None for what is none.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [entry_of(read_chain(text).first) for text in ("0.50", r"\frac{1}{3}", r"-\sqrt{2}", "a", r"-\infty")]
    [1/2, '1/3', '-(sqrt(2))', 'a', None]
    """
    if isinstance(node, Chain):
        return entry_of(node.items[-1]) if node.items else None
    if isinstance(node, Number):
        return plain(node.value)
    try:
        value = evaluate(node, {})
        if isinstance(value, fmpq):
            return plain(value)
    except SymattnError:
        pass
    text = _spelled(node)
    try:
        if text is not None:
            read_number(text)
    except SymattnError:
        return None
    return text


def _spelled(node: Node) -> str | None:
    """A formula in the grammar of a spec's values, with brackets around everything."""
    parts = _parts(node)
    if parts is None:
        return None
    spelled = [part if isinstance(part, str) else _spelled(part) for part in parts]
    texts = [part for part in spelled if part is not None]
    text = "".join(texts)
    return text if len(texts) == len(parts) and len(text) <= MAX_SPELLED else None


def _parts(node: Node) -> list[str | Node] | None:
    """A formula as texts and the formulas between them."""
    if isinstance(node, (Number, Constant, Name)):
        return [_leaf(node)]
    if isinstance(node, Sum):
        return [part for term, sign in zip(node.terms, node.signs, strict=True) for part in (sign, "(", term, ")")]
    if isinstance(node, Product):
        return [part for i, factor in enumerate(node.factors) for part in ("*(" if i else "(", factor, ")")]
    return _around(node)


def _leaf(node: Number | Constant | Name) -> str:
    if isinstance(node, Number):
        return str(node.value.p) if node.value.q == 1 else f"{node.value.p}/{node.value.q}"
    if isinstance(node, Constant):
        return node.name
    return f"{node.base}_{node.sub}" if node.sub else node.base


def _around(node: Node) -> list[str | Node] | None:
    match node:
        case Bracketed():
            return [node.inner]
        case Neg():
            return ["-(", node.inner, ")"]
        case Quotient():
            return ["(", node.above, ")/(", node.below, ")"]
        case Root() if node.index is None:
            return ["sqrt(", node.inner, ")"]
        case Power():
            return ["(", node.base, ")^(", node.exponent, ")"]
        case Call() if node.function in ("exp", "sqrt") and len(node.arguments) == 1:
            return [f"{node.function}(", node.arguments[0], ")"]
    return None
