"""Tables of exact numbers, and what is done with them entry by entry and row by column.

Arrives: tables and numbers. Leaves: tables and numbers; ShapeError for two shapes that do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final, TypeAlias

from flint import fmpq

from symattn.documents.reading import closed
from symattn.documents.reading.scalars import Scalar, over, plus, times
from symattn.errors import ShapeError, UndecidedError

if TYPE_CHECKING:
    pass

MAX_CELLS: Final = 250_000


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


Value: TypeAlias = "Scalar | Table"


def entries_of(table: Table) -> tuple[Scalar, ...]:
    """The entries, row by row."""
    return tuple(entry for row in table.rows for entry in row)


def entry_by_entry(rule: Callable[[Scalar], Scalar], value: Value) -> Value:
    """A rule for each entry."""
    if not isinstance(value, Table):
        return rule(value)
    return Table(tuple(tuple(map(rule, row)) for row in value.rows), value.flat, value.turned)


def scaled(factor: Scalar, value: Value) -> Value:
    """A number times each entry."""
    return entry_by_entry(lambda x: times(factor, x), value)


def _shape(table: Table) -> str:
    return f"{table.shape[0]}x{table.shape[1]}"


def add(left: Value, right: Value) -> Value:
    """The sum. Raises: ShapeError."""
    if not isinstance(left, Table) or not isinstance(right, Table):
        if isinstance(left, Table):
            return entry_by_entry(lambda x: plus(x, right), left)  # type: ignore[arg-type]
        if isinstance(right, Table):
            first: Scalar = left
            return entry_by_entry(lambda x: plus(first, x), right)
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


def multiply(left: Value, right: Value, sign: str) -> Value:
    """The product, with the sign that stands between the two. Raises: ShapeError."""
    if not isinstance(left, Table):
        return scaled(left, right)
    if not isinstance(right, Table):
        return scaled(right, left)
    if sign == "⊙":
        left, right = _fitted(left, right)
        rows = tuple(tuple(map(times, a, b)) for a, b in zip(left.rows, right.rows, strict=True))
        return Table(rows, left.flat and right.flat)
    if (left.flat and right.flat) or (left.turned and right.flat and left.shape[0] == right.shape[1]):
        return _dot(left, right)
    if right.flat and left.shape[1] != 1 and left.shape[1] == right.shape[1]:
        column = Table(tuple((x,) for x in right.rows[0]))
        product = _matrix_product(left, column)
        return product.rows[0][0] if product.shape == (1, 1) else Table((entries_of(product),), flat=True)
    if left.shape[1] != right.shape[0]:
        raise ShapeError(f"a product of {_shape(left)} and {_shape(right)}", expected="as many columns as rows")
    product = _matrix_product(left, right)
    if left.flat or right.flat or right.turned:
        if product.shape == (1, 1):
            return product.rows[0][0]
        return Table(product.rows, flat=left.flat and product.shape[0] == 1)
    return product


def _dot(left: Table, right: Table) -> Scalar:
    first, second = entries_of(left), entries_of(right)
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


def divide(left: Value, right: Value) -> Value:
    """The quotient. Raises: UndecidedError where it is divided by a table."""
    if isinstance(right, Table):
        if right.shape == (1, 1):
            right = right.rows[0][0]
        else:
            raise UndecidedError("a division by a table")
    divisor: Scalar = right
    return entry_by_entry(lambda x: over(x, divisor), left)


def beside(blocks: Sequence[Value]) -> Table:
    """Tables side by side; vectors one after another."""
    tables = [block if isinstance(block, Table) else Table(((block,),), flat=True) for block in blocks]
    if sum(len(table.rows) * len(table.rows[0]) for table in tables) > MAX_CELLS:
        raise UndecidedError(f"a matrix of more than {MAX_CELLS} cells")
    if len({len(table.rows) for table in tables}) != 1:
        raise ShapeError("tables of different heights do not stand side by side: " + ", ".join(map(_shape, tables)))
    rows = tuple(sum(parts, ()) for parts in zip(*(table.rows for table in tables), strict=True))
    return Table(rows, flat=all(table.flat for table in tables))


def stacked(tables: Sequence[Table]) -> Table:
    """Tables one above another."""
    if sum(len(table.rows) * len(table.rows[0]) for table in tables) > MAX_CELLS:
        raise UndecidedError(f"a matrix of more than {MAX_CELLS} cells")
    if len({table.shape[1] for table in tables}) != 1:
        raise ShapeError("tables of different widths do not stand one above another: " + ", ".join(map(_shape, tables)))
    return Table(sum((table.rows for table in tables), ()), flat=len(tables) == 1 and tables[0].flat)


def one_table(arguments: tuple[Value, ...]) -> Table:
    """The arguments as one table."""
    if len(arguments) == 1 and isinstance(arguments[0], Table):
        return arguments[0]
    numbers = tuple(x for x in arguments if not isinstance(x, Table))
    if len(numbers) != len(arguments):
        raise UndecidedError("a function of several tables")
    return Table((numbers,), flat=True)
