"""What a tree is worth: exact values of formulas, over the names that are given.

Arrives: trees and the values of names. Leaves: exact numbers, tables of them, or the reason why there is no value:
`ShapeError` for two shapes that do not fit, `UndecidedError` for all else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq, fmpz

from symattn.documents.reading import closed
from symattn.documents.reading.closed import Closed
from symattn.documents.reading.functions import FUNCTIONS, dot_product
from symattn.documents.reading.scalars import (
    MAX_ORDER,
    Infinite,
    Lazy,
    Scalar,
    absolute,
    exponential,
    plus,
    power,
    root,
    times,
)
from symattn.documents.reading.tables import (
    MAX_CELLS,
    Table,
    Value,
    add,
    beside,
    divide,
    entries_of,
    entry_by_entry,
    multiply,
    scaled,
    stacked,
)
from symattn.documents.reading.tree import (
    Absolute,
    Blank,
    Bracketed,
    Call,
    Chain,
    Constant,
    Elided,
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
from symattn.errors import UndecidedError

if TYPE_CHECKING:
    pass


def evaluate(tree: Node, names: Mapping[str, Any]) -> Value:
    r"""The exact value of a tree, where `names` gives what each key of a name is worth.

    Raises: ShapeError, naming both shapes, where a product or a sum of tables is not defined; UndecidedError for a
    name without a value, division by zero, roots of negative numbers, words, blanks, and beyond the bounds.

    >>> from symattn.documents.reading.chains import read_chain
    >>> claim = read_chain(r"q_1 \cdot [1, 2] = 2 \cdot 1 + 1 \cdot 2")
    >>> q_1 = Table(((fmpq(2), fmpq(1)),), flat=True)
    >>> [evaluate(item, {"q_1": q_1}) for item in claim.items]
    [4, 4]
    """
    return _Evaluator(names).value(tree)


def apply(operation: Operation, value: Value, names: Mapping[str, Any]) -> Value:
    r"""What an operation such as ÷√2 makes of the value before it."""
    evaluator = _Evaluator(names)
    operand = evaluator.value(operation.operand)
    return divide(value, operand) if operation.sign == "/" else multiply(value, operand, "·")


class _Evaluator:
    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names

    def value(self, node: Node) -> Value:
        rule = _RULES.get(type(node))
        if rule is None:
            raise UndecidedError(f"a {type(node).__name__} has no value")
        return rule(self, node)

    def number(self, node: Number) -> Value:
        return closed.bounded(node.value)

    def constant(self, node: Constant) -> Value:
        if node.name == "e":
            return exponential(fmpq(1))
        return Lazy("pi", ())

    def infinity(self, _node: Infinity) -> Value:
        return Infinite(1)

    def named(self, node: Name | Text) -> Value:
        found = self.names.get(node.key)
        if found is None:
            raise UndecidedError(f"{node.key} is not given")
        return _taken(found)

    def missing(self, node: Node) -> Value:
        what = {Blank: "a blank", Elided: "an ellipsis"}.get(type(node), "this")
        raise UndecidedError(f"{what} has no value")

    def unread(self, node: Unread) -> Value:
        raise UndecidedError(node.reason)

    def chain(self, node: Chain) -> Value:
        return self.value(node.items[-1])

    def sum(self, node: Sum) -> Value:
        total = self.value(node.terms[0])
        for sign, term in zip(node.signs[1:], node.terms[1:], strict=True):
            value = self.value(term)
            total = add(total, scaled(fmpq(-1), value) if sign == "-" else value)
        return total

    def negative(self, node: Neg) -> Value:
        return scaled(fmpq(-1), self.value(node.inner))

    def product(self, node: Product) -> Value:
        total = self.value(node.factors[0])
        for sign, factor in zip(node.signs, node.factors[1:], strict=True):
            total = multiply(total, self.value(factor), sign)
        return total

    def quotient(self, node: Quotient) -> Value:
        return divide(self.value(node.above), self.value(node.below))

    def power(self, node: Power) -> Value:
        exponent = self.value(node.exponent)
        if isinstance(node.base, Constant) and node.base.name == "e":
            return entry_by_entry(exponential, exponent)
        if isinstance(exponent, Table):
            raise UndecidedError("a table as an exponent")
        base = self.value(node.base)
        if isinstance(base, Table):
            raise UndecidedError("a power of a table")
        return power(base, exponent)

    def root(self, node: Root) -> Value:
        index = fmpq(2) if node.index is None else self.value(node.index)
        if not isinstance(index, fmpq) or index.q != 1 or not 2 <= index <= MAX_ORDER:
            raise UndecidedError("a root of an order that is no small whole number")
        order = int(index.p)
        return entry_by_entry(lambda x: root(x, order), self.value(node.inner))

    def absolute(self, node: Absolute) -> Value:
        inner = self.value(node.inner)
        if node.norm or isinstance(inner, Table):
            if not isinstance(inner, Table) or min(inner.shape) > 1:
                raise UndecidedError("the norm of something that is no vector")
            entries = entries_of(inner)
            return root(reduce(plus, (times(x, x) for x in entries)), 2)
        return absolute(inner)

    def transposed(self, node: Transpose) -> Value:
        inner = self.value(node.inner)
        if not isinstance(inner, Table):
            return inner  # a number is its own transpose
        rows = tuple(zip(*inner.rows, strict=True))
        return Table(rows, turned=inner.flat and isinstance(node.inner, Name))

    def bracketed(self, node: Bracketed) -> Value:
        return self.value(node.inner)

    def matrix(self, node: Matrix) -> Value:
        if len(node.rows) * len(node.rows[0]) > MAX_CELLS:
            raise UndecidedError(f"a matrix of more than {MAX_CELLS} cells")
        rows = [[self.value(cell) for cell in row] for row in node.rows]
        if any(isinstance(cell, Table) for row in rows for cell in row):
            return stacked([beside(row) for row in rows])
        return Table(tuple(tuple(cell for cell in row if not isinstance(cell, Table)) for row in rows))

    def listed(self, node: List) -> Value:
        if node.delimiters == "⟨⟩" and len(node.items) == 2:
            return dot_product((self.value(node.items[0]), self.value(node.items[1])), "")
        return Table((tuple(self.scalar(item) for item in node.items),), flat=True)

    def scalar(self, node: Node) -> Scalar:
        value = self.value(node)
        if isinstance(value, Table):
            raise UndecidedError("a table inside a table")
        return value

    def call(self, node: Call) -> Value:
        rule = FUNCTIONS.get(node.function) if node.known else None
        if rule is None:
            raise UndecidedError(f"the function {node.function} is not worked out")
        return rule(tuple(self.value(argument) for argument in node.arguments), node.sub)


_RULES: Final[dict[type, Callable[[_Evaluator, Any], Value]]] = {
    Number: _Evaluator.number,
    Constant: _Evaluator.constant,
    Infinity: _Evaluator.infinity,
    Name: _Evaluator.named,
    Text: _Evaluator.named,
    Blank: _Evaluator.missing,
    Elided: _Evaluator.missing,
    Unread: _Evaluator.unread,
    Chain: _Evaluator.chain,
    Sum: _Evaluator.sum,
    Neg: _Evaluator.negative,
    Product: _Evaluator.product,
    Quotient: _Evaluator.quotient,
    Power: _Evaluator.power,
    Root: _Evaluator.root,
    Absolute: _Evaluator.absolute,
    Transpose: _Evaluator.transposed,
    Bracketed: _Evaluator.bracketed,
    Matrix: _Evaluator.matrix,
    List: _Evaluator.listed,
    Call: _Evaluator.call,
}


def _taken(found: Any) -> Value:
    """A value from outside: numbers of the project's arithmetics are enclosed as they are."""
    if isinstance(found, (fmpq, Closed, Lazy, Infinite, Table)):
        return found
    if isinstance(found, (int, fmpz)) and not isinstance(found, bool):
        return fmpq(found)
    if hasattr(found, "enclose"):
        rational = found.rational
        return rational if rational is not None else Lazy("itself", (found,))
    raise UndecidedError(f"a {type(found).__name__} is no value of a name")
