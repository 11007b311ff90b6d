"""What a tree is worth: exact values of formulas, over the names that are given.

Arrives: trees and the values of names. Leaves: exact numbers, tables of them, or the reason why there is no value:
`ShapeError` for two shapes that do not fit, `UndecidedError` for all else. Rationals are fmpq; roots and exponentials
are closed forms with decided equality; logarithms and what is made of them can be enclosed, and are equal to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flint import arb, fmpq, fmpz

from symattn.documents.reading import closed
from symattn.documents.reading.closed import Closed, TooLongError
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
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import enclosure
from symattn.numbers.working import at_bits

if TYPE_CHECKING:
    from symattn.documents.reading.closed import Exact
    from symattn.numbers.certified import Precision

MAX_CELLS: Final = 250_000
MAX_POWER: Final = 64
"""Of an irrational number."""
MAX_ORDER: Final = 12
"""Of a root."""
MAX_LAZY: Final = 150
"""Of steps in one another that only enclosures follow."""
MAX_EXPONENT: Final = 1 << 40
"""Of e."""


@dataclass(frozen=True, slots=True)
class Lazy:
    """A real number that is known by enclosures alone: whether it is rational cannot be told."""

    function: str
    arguments: tuple[Any, ...]
    depth: int = 1

    @property
    def rational(self) -> fmpq | None:
        """None: it cannot be told."""
        return None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the number."""
        return precision.once(self, lambda: _BALLS[self.function](*(_ball(x, precision) for x in self.arguments)))


@dataclass(frozen=True, slots=True)
class Infinite:
    """∞ or −∞, as masks write it."""

    sign: int

    @property
    def rational(self) -> fmpq | None:
        """None: no number is this."""
        return None

    def enclose(self, precision: Precision) -> arb:  # noqa: ARG002  (at no precision)
        """Nothing: no ball holds it. Raises: UndecidedError."""
        raise UndecidedError("∞ has no decimals")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of numbers. `flat` for a list, which is a row, and a column where only that fits.

    `turned` marks a named list that was transposed: vᵀ·w is its dot product with w.
    """

    rows: tuple[tuple[Scalar, ...], ...]
    flat: bool = False
    turned: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0


Scalar: TypeAlias = "fmpq | Closed | Lazy | Infinite"
Value: TypeAlias = "Scalar | Table"


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
    return _divide(value, operand) if operation.sign == "/" else _multiply(value, operand, "·")


def same(left: Scalar, right: Scalar, bits: int = 512) -> bool | None:
    """Whether two numbers are equal; None where that cannot be told.

    >>> same(fmpq(1, 2), fmpq(2, 4)), same(closed.root(fmpq(2)), fmpq(7, 5))
    (True, False)
    """
    if isinstance(left, Infinite) or isinstance(right, Infinite):
        return left == right
    if isinstance(left, (fmpq, Closed)) and isinstance(right, (fmpq, Closed)):
        return bool(left == right)
    if not enclosure(left, bits).overlaps(enclosure(right, bits)):
        return False
    return True if left == right else None


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
            return _exp(fmpq(1))
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
            total = _add(total, _scale(fmpq(-1), value) if sign == "-" else value)
        return total

    def negative(self, node: Neg) -> Value:
        return _scale(fmpq(-1), self.value(node.inner))

    def product(self, node: Product) -> Value:
        total = self.value(node.factors[0])
        for sign, factor in zip(node.signs, node.factors[1:], strict=True):
            total = _multiply(total, self.value(factor), sign)
        return total

    def quotient(self, node: Quotient) -> Value:
        return _divide(self.value(node.above), self.value(node.below))

    def power(self, node: Power) -> Value:
        often, argument = _logarithm(node.exponent)
        if argument is not None and isinstance(node.base, Constant) and node.base.name == "e":
            return self.power(Power(node.start, node.end, argument, often))  # e^{2·ln 3} is 3^2
        exponent = self.value(node.exponent)
        if isinstance(node.base, Constant) and node.base.name == "e":
            return _each(_exp, exponent)
        if isinstance(exponent, Table):
            raise UndecidedError("a table as an exponent")
        base = self.value(node.base)
        if isinstance(base, Table):
            raise UndecidedError("a power of a table")
        return _power(base, exponent)

    def root(self, node: Root) -> Value:
        index = fmpq(2) if node.index is None else self.value(node.index)
        if not isinstance(index, fmpq) or index.q != 1 or not 2 <= index <= MAX_ORDER:
            raise UndecidedError("a root of an order that is no small whole number")
        order = int(index.p)
        return _each(lambda x: _root(x, order), self.value(node.inner))

    def absolute(self, node: Absolute) -> Value:
        inner = self.value(node.inner)
        if node.norm or isinstance(inner, Table):
            if not isinstance(inner, Table) or min(inner.shape) > 1:
                raise UndecidedError("the norm of something that is no vector")
            entries = _entries(inner)
            return _root(reduce(plus, (times(x, x) for x in entries)), 2)
        return _absolute(inner)

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
            return _stacked([_beside(row) for row in rows])
        return Table(tuple(tuple(cell for cell in row if not isinstance(cell, Table)) for row in rows))

    def listed(self, node: List) -> Value:
        if node.delimiters == "⟨⟩" and len(node.items) == 2:
            return _two((self.value(node.items[0]), self.value(node.items[1])), "")
        return Table((tuple(self.scalar(item) for item in node.items),), flat=True)

    def scalar(self, node: Node) -> Scalar:
        value = self.value(node)
        if isinstance(value, Table):
            raise UndecidedError("a table inside a table")
        return value

    def call(self, node: Call) -> Value:
        rule = _FUNCTIONS.get(node.function) if node.known else None
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


# numbers


def _ball(value: Any, precision: Precision) -> arb:
    return arb(value) if isinstance(value, fmpq) else value.enclose(precision)


_BALLS: Final[dict[str, Callable[..., arb]]] = {
    "+": lambda x, y: x + y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "exp": lambda x: x.exp(),
    "ln": lambda x: x.log(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tan": lambda x: x.tan(),
    "arcsin": lambda x: x.asin(),
    "arccos": lambda x: x.acos(),
    "arctan": lambda x: x.atan(),
    "arsinh": lambda x: x.asinh(),
    "arcosh": lambda x: x.acosh(),
    "artanh": lambda x: x.atanh(),
    "root": lambda x, n: x.root(int(n.unique_fmpz())),
    "pi": lambda: arb.pi(),
    "itself": lambda x: x,
}


def _lazy(function: str, *arguments: Scalar) -> Lazy:
    depth = 1 + max(x.depth if isinstance(x, Lazy) else 0 for x in arguments)
    if depth > MAX_LAZY:
        raise UndecidedError(f"a formula of more than {MAX_LAZY} steps without a closed form")
    return Lazy(function, arguments, depth)


def _worked(rule: Callable[[Exact, Exact], Exact], sign: str, left: Exact, right: Exact) -> Scalar:
    """A closed form, or what encloses the number where it would be too long."""
    try:
        return rule(left, right)
    except TooLongError:
        return _lazy(sign, left, right)


def plus(left: Scalar, right: Scalar) -> Scalar:
    """The sum of two numbers; UndecidedError for ∞ − ∞.

    >>> plus(fmpq(1, 2), fmpq(1, 3))
    5/6
    """
    if isinstance(left, Infinite) or isinstance(right, Infinite):
        signs = {value.sign for value in (left, right) if isinstance(value, Infinite)}
        if len(signs) > 1:
            raise UndecidedError("∞ − ∞")
        return Infinite(signs.pop())
    if isinstance(left, Lazy) or isinstance(right, Lazy):
        if left == 0 or right == 0:
            return right if left == 0 else left
        return _lazy("+", left, right)
    return _worked(closed.add, "+", left, right)


def times(left: Scalar, right: Scalar) -> Scalar:
    """The product of two numbers; UndecidedError for zero times ∞.

    >>> times(fmpq(2, 3), fmpq(3, 4))
    1/2
    """
    if isinstance(left, Infinite) or isinstance(right, Infinite):
        sign = _sign(left) * _sign(right)
        if sign == 0:
            raise UndecidedError("zero times ∞")
        return Infinite(sign)
    if isinstance(left, Lazy) or isinstance(right, Lazy):
        if left == 0 or right == 0:
            return fmpq(0)
        if left == 1 or right == 1:
            return right if left == 1 else left
        return _lazy("*", left, right)
    return _worked(closed.multiply, "*", left, right)


def over(left: Scalar, right: Scalar) -> Scalar:
    """The quotient of two numbers; UndecidedError for a divisor that is 0 or not told from it.

    >>> over(fmpq(1), fmpq(3))
    1/3
    """
    if isinstance(right, Infinite):
        if isinstance(left, Infinite):
            raise UndecidedError("∞ divided by ∞")
        return fmpq(0)
    if isinstance(left, Infinite):
        sign = _sign(right)
        if sign == 0:
            raise UndecidedError("division by zero")
        return Infinite(left.sign * sign)
    if isinstance(left, Lazy) or isinstance(right, Lazy):
        if _sign(right) == 0:
            raise UndecidedError("division by zero")
        return _lazy("/", left, right)
    return _worked(closed.divide, "/", left, right)


def _sign(value: Scalar) -> int:
    """The sign, proven; UndecidedError where balls of 4,096 bits do not tell it."""
    if isinstance(value, Infinite):
        return value.sign
    if isinstance(value, fmpq):
        return int(value > 0) - int(value < 0)
    for bits in (64, 512, 4096):
        ball = enclosure(value, bits)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
    raise UndecidedError("the sign of a number cannot be told")


def _exp(value: Scalar) -> Scalar:
    if isinstance(value, Infinite):
        return fmpq(0) if value.sign < 0 else value
    if not abs(enclosure(value, 64)) < MAX_EXPONENT:
        raise UndecidedError(f"e to a power beyond {MAX_EXPONENT}")
    made = None if isinstance(value, Lazy) else closed.exponential(value)
    return (
        _lazy(
            "exp",
            value,
        )
        if made is None
        else made
    )


def _ln(value: Scalar) -> Scalar:
    if isinstance(value, Infinite):
        raise UndecidedError("the logarithm of ∞")
    if _sign(value) <= 0:
        raise UndecidedError("the logarithm of a number that is not positive")
    if value == 1:
        return fmpq(0)
    if isinstance(value, Closed) and value.below == {closed.PLAIN: 1} and len(value.above) == 1:
        (((m, exponent), c),) = value.above.items()
        if m == 1 and c == 1 and len(exponent) == 1 and exponent[0][0] == 1:
            return fmpq(exponent[0][1], exponent[0][2])  # ln(e^r)
    return _lazy(
        "ln",
        value,
    )


def _root(value: Scalar, order: int) -> Scalar:
    if isinstance(value, Infinite) or _sign(value) < 0:
        raise UndecidedError("a root of a negative number is not real")
    if isinstance(value, fmpq):
        if order == 2:
            made = closed.root(value)
            if made is not None:
                return made
        p, exact_p = value.p.root(order), value.q.root(order)
        if p**order == value.p and exact_p**order == value.q:
            return fmpq(p, exact_p)
    if value == 0:
        return fmpq(0)
    return _lazy("root", value, fmpq(order))


def _power(base: Scalar, exponent: Scalar) -> Scalar:
    if isinstance(base, Infinite) or isinstance(exponent, Infinite):
        raise UndecidedError("a power with ∞")
    if not isinstance(exponent, fmpq) or exponent.q > MAX_ORDER:
        if _sign(base) <= 0:
            raise UndecidedError("a power of a number that is not positive")
        return _exp(times(exponent, _ln(base)))
    if exponent.q != 1:
        return _power(_root(base, int(exponent.q)), fmpq(exponent.p))
    if exponent < 0:
        return over(fmpq(1), _power(base, -exponent))
    if exponent == 0:
        if _sign(base) == 0:
            raise UndecidedError("zero to the power zero")
        return fmpq(1)
    return _whole_power(base, exponent)


def _whole_power(base: Scalar, exponent: fmpq) -> Scalar:
    if isinstance(base, fmpq):
        if base in (0, 1, -1):
            return base if exponent.p % 2 else base * base
        if exponent > closed.MAX_BITS or int(exponent.p) * base.height_bits() > closed.MAX_BITS + 64:
            raise UndecidedError(f"a power of more than {closed.MAX_BITS} bits is not worked out")
        return closed.bounded(base ** int(exponent.p))
    if exponent > MAX_POWER:
        raise UndecidedError(f"a power beyond {MAX_POWER} is not worked out")
    return _squared(base, int(exponent.p))


def _squared(base: Scalar, exponent: int) -> Scalar:
    out: Scalar = fmpq(1)
    while exponent:
        if exponent & 1:
            out = times(out, base)
        exponent >>= 1
        if exponent:
            base = times(base, base)
    return out


def _absolute(value: Scalar) -> Scalar:
    return times(fmpq(-1), value) if _sign(value) < 0 else value


def larger(left: Scalar, right: Scalar) -> Scalar:
    """The larger of two numbers; UndecidedError where balls do not tell it.

    >>> larger(fmpq(1, 2), fmpq(1, 3))
    1/2
    """
    if left == right:
        return left
    if isinstance(left, Infinite) or isinstance(right, Infinite):
        first = left if isinstance(left, Infinite) else right
        other = right if first is left else left
        return first if isinstance(first, Infinite) and first.sign > 0 else other
    return left if _sign(plus(left, times(fmpq(-1), right))) >= 0 else right


# tables


def _entries(table: Table) -> tuple[Scalar, ...]:
    return tuple(entry for row in table.rows for entry in row)


def _each(rule: Callable[[Scalar], Scalar], value: Value) -> Value:
    if not isinstance(value, Table):
        return rule(value)
    return Table(tuple(tuple(map(rule, row)) for row in value.rows), value.flat, value.turned)


def _scale(factor: Scalar, value: Value) -> Value:
    return _each(lambda x: times(factor, x), value)


def _shape(table: Table) -> str:
    return f"{table.shape[0]}x{table.shape[1]}"


def _add(left: Value, right: Value) -> Value:
    if not isinstance(left, Table) or not isinstance(right, Table):
        if isinstance(left, Table):
            return _each(lambda x: plus(x, right), left)  # type: ignore[arg-type]
        if isinstance(right, Table):
            first: Scalar = left
            return _each(lambda x: plus(first, x), right)
        return plus(left, right)
    left, right = _fitted(left, right)
    rows = tuple(tuple(map(plus, a, b)) for a, b in zip(left.rows, right.rows, strict=True))
    return Table(rows, left.flat and right.flat)


def _fitted(left: Table, right: Table) -> tuple[Table, Table]:
    """The two with one shape: a list is turned, or repeated for every row, where that fits."""
    if left.shape == right.shape:
        return left, right
    if left.flat and not right.flat:
        right, left = _fitted(right, left)
        return left, right
    if right.flat and left.shape == (right.shape[1], 1):
        return left, Table(tuple((x,) for x in right.rows[0]))
    if right.shape == (1, left.shape[1]):
        return left, Table(right.rows * left.shape[0])
    raise ShapeError(f"a sum of {_shape(left)} and {_shape(right)}", expected="equal shapes")


def _multiply(left: Value, right: Value, sign: str) -> Value:
    if not isinstance(left, Table):
        return _scale(left, right)
    if not isinstance(right, Table):
        return _scale(right, left)
    if sign == "⊙":
        left, right = _fitted(left, right)
        rows = tuple(tuple(map(times, a, b)) for a, b in zip(left.rows, right.rows, strict=True))
        return Table(rows, left.flat and right.flat)
    if (left.flat and right.flat) or (left.turned and right.flat and left.shape[0] == right.shape[1]):
        return _dot(left, right)
    if right.flat and left.shape[1] != 1 and left.shape[1] == right.shape[1]:
        column = Table(tuple((x,) for x in right.rows[0]))
        product = _matrix_product(left, column)
        return product.rows[0][0] if product.shape == (1, 1) else Table((_entries(product),), flat=True)
    if left.shape[1] != right.shape[0]:
        raise ShapeError(f"a product of {_shape(left)} and {_shape(right)}", expected="as many columns as rows")
    product = _matrix_product(left, right)
    if left.flat or right.flat or right.turned:
        if product.shape == (1, 1):
            return product.rows[0][0]
        return Table(product.rows, flat=left.flat and product.shape[0] == 1)
    return product


def _dot(left: Table, right: Table) -> Scalar:
    first, second = _entries(left), _entries(right)
    if len(first) != len(second):
        raise ShapeError(f"a product of lists of {len(first)} and {len(second)}", expected="equal lengths")
    return reduce(plus, map(times, first, second))


def _matrix_product(left: Table, right: Table) -> Table:
    if left.shape[0] * left.shape[1] * right.shape[1] > MAX_CELLS:
        raise UndecidedError(f"a product of more than {MAX_CELLS} multiplications")
    columns = list(zip(*right.rows, strict=True))
    return Table(tuple(tuple(_dotted(row, column) for column in columns) for row in left.rows))


def _dotted(row: tuple[Scalar, ...], column: tuple[Scalar, ...]) -> Scalar:
    # a mask meets zeros only: 0·(−∞) is no sum of a weighted mean
    if all(isinstance(x, fmpq) for x in row) and all(isinstance(x, fmpq) for x in column):
        total = fmpq(0)
        for x, y in zip(row, column, strict=True):
            total += x * y  # type: ignore[operator]
        return closed.bounded(total)
    return reduce(plus, map(times, row, column))


def _divide(left: Value, right: Value) -> Value:
    if isinstance(right, Table):
        if right.shape == (1, 1):
            right = right.rows[0][0]
        else:
            raise UndecidedError("a division by a table")
    divisor: Scalar = right
    return _each(lambda x: over(x, divisor), left)


# functions


def _beside(blocks: Sequence[Value]) -> Table:
    """Tables side by side; vectors one after another."""
    tables = [block if isinstance(block, Table) else Table(((block,),), flat=True) for block in blocks]
    if sum(len(table.rows) * len(table.rows[0]) for table in tables) > MAX_CELLS:
        raise UndecidedError(f"a matrix of more than {MAX_CELLS} cells")
    if len({len(table.rows) for table in tables}) != 1:
        raise ShapeError("tables of different heights do not stand side by side: " + ", ".join(map(_shape, tables)))
    rows = tuple(sum(parts, ()) for parts in zip(*(table.rows for table in tables), strict=True))
    return Table(rows, flat=all(table.flat for table in tables))


def _stacked(tables: Sequence[Table]) -> Table:
    """Tables one above another."""
    if sum(len(table.rows) * len(table.rows[0]) for table in tables) > MAX_CELLS:
        raise UndecidedError(f"a matrix of more than {MAX_CELLS} cells")
    if len({table.shape[1] for table in tables}) != 1:
        raise ShapeError("tables of different widths do not stand one above another: " + ", ".join(map(_shape, tables)))
    return Table(sum((table.rows for table in tables), ()), flat=len(tables) == 1 and tables[0].flat)


def _softmax_row(row: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    if any(isinstance(x, Infinite) and x.sign > 0 for x in row):
        raise UndecidedError("a softmax of ∞")
    if all(isinstance(x, Infinite) for x in row):
        raise UndecidedError("a softmax of a row that is masked throughout")
    powers = [_exp(x) for x in row]
    total = reduce(plus, powers)
    return tuple(over(power, total) for power in powers)


def _softmax(arguments: tuple[Value, ...], _sub: str) -> Value:
    table = _one_table(arguments)
    if table.shape[1] == 1 and table.shape[0] > 1:
        return Table(tuple((x,) for x in _softmax_row(_entries(table))), turned=table.turned)
    return Table(tuple(map(_softmax_row, table.rows)), table.flat)


def _one_table(arguments: tuple[Value, ...]) -> Table:
    if len(arguments) == 1 and isinstance(arguments[0], Table):
        return arguments[0]
    numbers = tuple(x for x in arguments if not isinstance(x, Table))
    if len(numbers) != len(arguments):
        raise UndecidedError("a function of several tables")
    return Table((numbers,), flat=True)


def _folded(rule: Callable[[Scalar, Scalar], Scalar]) -> Callable[[tuple[Value, ...], str], Value]:
    def fold(arguments: tuple[Value, ...], _sub: str) -> Value:
        if len(arguments) == 2 and sum(isinstance(one, Table) for one in arguments) == 1:
            return _entrywise(rule, *arguments)
        table = _one_table(arguments)
        if min(table.shape) > 1:
            raise UndecidedError("over rows or columns of a matrix? that is not said")
        return reduce(rule, _entries(table))

    return fold


def _logarithm(exponent: Node) -> tuple[Node, Node | None]:
    """How often the logarithm of what an exponent is, None for the latter where it is no logarithm."""
    once = Number(exponent.start, exponent.start, "1", fmpq(1), None)
    while isinstance(exponent, Bracketed):
        exponent = exponent.inner
    if isinstance(exponent, Call) and exponent.function in {"ln", "log"} and len(exponent.arguments) == 1:
        return once, exponent.arguments[0] if not exponent.sub or exponent.sub == "e" else None
    if isinstance(exponent, Product) and len(exponent.factors) == 2 and isinstance(exponent.factors[0], Number):
        return exponent.factors[0], _logarithm(exponent.factors[1])[1]
    return once, None


def _entrywise(rule: Callable[[Scalar, Scalar], Scalar], left: Value, right: Value) -> Value:
    """A rule between a number and each entry of a table: max(0, x)."""
    if isinstance(right, Table):
        return _entrywise(lambda a, b: rule(b, a), right, left) if not isinstance(left, Table) else right
    return _each(lambda entry: rule(entry, right), left)


def _elementwise(rule: Callable[[Scalar], Scalar]) -> Callable[[tuple[Value, ...], str], Value]:
    def each(arguments: tuple[Value, ...], _sub: str) -> Value:
        if len(arguments) != 1:
            raise UndecidedError("a function of several values")
        return _each(rule, arguments[0])

    return each


def _tanh(value: Scalar) -> Scalar:
    if isinstance(value, Infinite):
        return fmpq(value.sign)
    power = _exp(times(fmpq(2), value))
    return over(plus(power, fmpq(-1)), plus(power, fmpq(1)))


def _sigmoid(value: Scalar) -> Scalar:
    if isinstance(value, Infinite):
        return fmpq(int(value.sign > 0))
    return over(fmpq(1), plus(fmpq(1), _exp(times(fmpq(-1), value))))


def _relu(value: Scalar) -> Scalar:
    return larger(value, fmpq(0))


def _log(arguments: tuple[Value, ...], sub: str) -> Value:
    base = fmpq(int(sub)) if sub.isdecimal() and len(sub) < 5 else None
    if sub and sub != "e" and (base is None or base < 2):
        raise UndecidedError(f"a logarithm to the base {sub}")
    return _elementwise(lambda x: _ln(x) if base is None else _log_to(x, base))(arguments, sub)


def _log_to(value: Scalar, base: fmpq) -> Scalar:
    if isinstance(value, fmpq) and value > 0:
        for power in range(-64, 65):
            if base**power == value:
                return fmpq(power)
    return over(_ln(value), _ln(base))


def _mean(arguments: tuple[Value, ...], sub: str) -> Value:
    total = _folded(plus)(arguments, sub)
    return _divide(total, fmpq(len(_entries(_one_table(arguments)))))


def _two(arguments: tuple[Value, ...], _sub: str) -> Value:
    if len(arguments) != 2:
        raise UndecidedError("a product of two is meant, of other many it is not worked out")
    left, right = arguments
    if isinstance(left, Table) and isinstance(right, Table) and left.shape == right.shape and left.shape[1] == 1:
        left = Table(tuple(zip(*left.rows, strict=True)))  # two columns
    return _multiply(left, right, "·")


def _bare(name: str) -> Callable[[Scalar], Scalar]:
    def rule(value: Scalar) -> Scalar:
        if isinstance(value, Infinite):
            raise UndecidedError(f"{name} of ∞")
        return _AT_ZERO[name] if value == 0 else _lazy(name, value)

    return rule


_AT_ZERO: Final = {**dict.fromkeys(("sin", "tan", "arcsin", "arctan", "arsinh", "artanh"), fmpq(0)), "cos": fmpq(1)}


def _inverse(name: str, low: int | None, high: int | None) -> Callable[[Scalar], Scalar]:
    """An inverse function, within the real numbers from `low` to `high`."""

    def rule(value: Scalar) -> Scalar:
        if isinstance(value, Infinite):
            raise UndecidedError(f"{name} of ∞")
        below = low is not None and _sign(plus(value, fmpq(-low))) < 0
        if below or (high is not None and _sign(plus(value, fmpq(-high))) > 0):
            raise UndecidedError(f"{name} of such a number is not real")
        if value == 1 and name in ("arccos", "arcosh"):
            return fmpq(0)
        return _AT_ZERO[name] if value == 0 and name in _AT_ZERO else _lazy(name, value)

    return rule


def _one_over(rule: Callable[[Scalar], Scalar]) -> Callable[[Scalar], Scalar]:
    return lambda value: over(fmpq(1), rule(value))


def _hyperbolic(sign: int) -> Callable[[Scalar], Scalar]:
    """The hyperbolic cosine for 1, the sine for -1: half of e^x and e^-x together."""

    def rule(value: Scalar) -> Scalar:
        if isinstance(value, Infinite):
            raise UndecidedError("a hyperbolic function of ∞")
        opposite = _exp(times(fmpq(-1), value))
        return times(fmpq(1, 2), plus(_exp(value), times(fmpq(sign), opposite)))

    return rule


def _stepped(up: int) -> Callable[[Scalar], Scalar]:
    """The whole number at or below, or at or above for 1; proven."""

    def rule(value: Scalar) -> Scalar:
        if isinstance(value, Infinite):
            raise UndecidedError("∞ has no whole number beside it")
        if isinstance(value, fmpq):
            return fmpq(value.ceil() if up else value.floor())
        for bits in (64, 512, 4096):
            ball = enclosure(value, bits)
            with at_bits(bits):
                whole = (ball.ceil() if up else ball.floor()).unique_fmpz()
            if whole is not None:
                return closed.bounded(fmpq(whole))
        raise UndecidedError("between which whole numbers a number stands cannot be told")

    return rule


def _smaller(left: Scalar, right: Scalar) -> Scalar:
    return left if larger(left, right) is right else right


_FUNCTIONS: Final[dict[str, Callable[[tuple[Value, ...], str], Value]]] = {
    "exp": _elementwise(_exp),
    "ln": _log,
    "log": _log,
    "log2": lambda arguments, _sub: _log(arguments, "2"),
    "log10": lambda arguments, _sub: _log(arguments, "10"),
    "sqrt": _elementwise(lambda x: _root(x, 2)),
    "softmax": _softmax,
    "max": _folded(larger),
    "min": _folded(_smaller),
    "sum": _folded(plus),
    "mean": _mean,
    "tanh": _elementwise(_tanh),
    "sigmoid": _elementwise(_sigmoid),
    "relu": _elementwise(_relu),
    "abs": _elementwise(_absolute),
    "sin": _elementwise(_bare("sin")),
    "cos": _elementwise(_bare("cos")),
    "tan": _elementwise(_bare("tan")),
    "cot": _elementwise(_one_over(_bare("tan"))),
    "sec": _elementwise(_one_over(_bare("cos"))),
    "csc": _elementwise(_one_over(_bare("sin"))),
    "sinh": _elementwise(_hyperbolic(-1)),
    "cosh": _elementwise(_hyperbolic(1)),
    "arcsin": _elementwise(_inverse("arcsin", -1, 1)),
    "arccos": _elementwise(_inverse("arccos", -1, 1)),
    "arctan": _elementwise(_bare("arctan")),
    "arsinh": _elementwise(_bare("arsinh")),
    "arcosh": _elementwise(_inverse("arcosh", 1, None)),
    "artanh": _elementwise(_inverse("artanh", -1, 1)),
    "floor": _elementwise(_stepped(0)),
    "ceil": _elementwise(_stepped(1)),
    "dot": _two,
    "matmul": _two,
    "concat": lambda arguments, _sub: _beside(arguments),
}
"""The functions that are worked out; all others are known by name only."""

WORKED_OUT: Final = frozenset(_FUNCTIONS)
