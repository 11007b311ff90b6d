r"""Formulas beyond the grammar here, such as `\tan(0.5)`: latex2sympy2 takes them apart, in a process of its own.

Arrives: LaTeX that the parser did not read. Leaves: its tree; or nothing, where a list of known commands does not
admit it; or why latex2sympy2 gave none. Neither SymPy nor latex2sympy2 is loaded here, and nothing is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from flint import fmpq

from symattn.documents.reading.tree import (
    Absolute,
    Call,
    Constant,
    Name,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Unread,
)
from symattn.errors import ReadError, UndecidedError
from symattn.numbers.latex_leaves import MAX_LEAF, has_function, places, plain_leaf
from symattn.numbers.latex_worker import worker
from symattn.numbers.rounding import terminating_digits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symattn.documents.reading.tree import ProductSign
    from symattn.numbers.latex_door import Plain
    from symattn.numbers.latex_leaves import Tree

_KEPT: Final = 256
"""Formulas whose trees are kept: a document is read more than once."""
_GROUPED: Final = "{,}"
_INVERSE: Final = fmpq(-1)
_SQUARE: Final = 2


def read_leaf(text: str, start: int = 0) -> Node | None:
    r"""The tree of a formula that the list of known commands admits, every node standing where the whole one does.

    None where it is not admitted, as is `{,}`: whether it groups digits or parts them only the document tells. An
    `Unread` with the reason where latex2sympy2 does not read the formula, or not in time.

    >>> from symattn.documents.reading.outline import outline
    >>> outline(read_leaf(r"1 + \sin^2(0.5)"))
    '1+sin(0.5)^2'
    >>> [read_leaf(text) for text in (r"2 \tan(1) 3", r"\int_0^1\tan(x)", r"1 000")]
    [None, None, None]
    """
    if len(text) > MAX_LEAF or _GROUPED in text or not has_function(text):
        return None
    try:
        plain = plain_leaf(text)
    except ReadError:
        return None
    end = start + len(text)
    trees = _trees(tuple(plain.pieces.items()))
    return Unread(start, end, text, trees) if isinstance(trees, str) else _Builder(start, end).joined(plain, trees)


@lru_cache(_KEPT)
def _trees(pieces: tuple[tuple[str, str], ...]) -> Mapping[str, Tree] | str:
    """The trees of the pieces, or why there are none: what once took too long is not tried again."""
    try:
        return worker().trees(dict(pieces))
    except UndecidedError as error:
        return error.problem


@dataclass(frozen=True, slots=True)
class _Builder:
    """Nodes of the reader made of plain trees, all at one place."""

    start: int
    end: int

    def joined(self, plain: Plain, trees: Mapping[str, Tree]) -> Node:
        """The one tree of a formula, from those of its pieces."""
        made = {place: self.name(name) for place, name in plain.names.items()}
        known = places(plain)
        for place in plain.pieces:
            made[place] = self.node(trees[place], {hashed: made[own] for hashed, own in known.items() if own in made})
        return made[plain.whole]

    def name(self, name: str) -> Node:
        base, _, sub = name.partition("_")
        return Constant(self.start, self.end, "e") if name == "e" else Name(self.start, self.end, base, sub)

    def node(self, tree: Tree, names: Mapping[str, Node]) -> Node:
        operation, *operands = tree
        if operation == "name":
            return names[operands[0]]
        if operation == "number":
            above, _, below = operands[0].partition("/")
            value = fmpq(int(above), int(below or 1))
            digits = terminating_digits(value)
            return Number(self.start, self.end, digits.text if digits else operands[0], value, digits)
        if operation == "constant":
            return Constant(self.start, self.end, operands[0])
        return self.operation(operation, tuple(self.node(operand, names) for operand in operands))

    def operation(self, operation: str, operands: tuple[Node, ...]) -> Node:
        start, end = self.start, self.end
        if operation == "+":
            plus: Literal["+"] = "+"
            return Sum(start, end, operands, (plus,) * len(operands))
        if operation == "*":
            return self.product(operands)
        if operation == "^":
            return self.power(*operands)
        if operation == "abs":
            return Absolute(start, end, operands[0])
        if operation == "log":
            inner, base = operands
            known = isinstance(base, Number)
            return Call(start, end, "log" if known else "ln", (inner,), base.text if isinstance(base, Number) else "")
        return Call(start, end, operation, operands)

    def power(self, base: Node, exponent: Node) -> Node:
        """A power, or a root, which SymPy writes as one."""
        if isinstance(exponent, Number) and exponent.value.p == 1 and exponent.value.q > 1:
            order = fmpq(exponent.value.q)
            index = Number(self.start, self.end, str(order), order, terminating_digits(order))
            return Root(self.start, self.end, base, None if order == _SQUARE else index)
        return Power(self.start, self.end, base, exponent)

    def product(self, operands: tuple[Node, ...]) -> Node:
        """A product, or a quotient where the last factor is an inverse, as SymPy writes one."""
        *factors, last = operands
        if isinstance(last, Power) and isinstance(last.exponent, Number) and last.exponent.value == _INVERSE:
            return Quotient(self.start, self.end, self.product(tuple(factors)), last.base, inline=True)
        times: ProductSign = "·"
        return Product(self.start, self.end, operands, (times,) * len(factors)) if factors else last
