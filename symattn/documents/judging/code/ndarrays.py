"""Arrays of exact numbers by the rules of NumPy: products, sums over axes, and entry by entry with rows repeated.

Arrives: numbers; tables, flat ones for arrays of one dimension. Leaves: the same. Where NumPy would raise an error or
go beyond two dimensions, the value is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final

from flint import fmpq

from symattn.documents.reading.scalars import Scalar, larger, over, plus, times
from symattn.documents.reading.tables import MAX_CELLS, Table, Value
from symattn.documents.reading.tree import Call, Name, Node, Power, Root
from symattn.documents.reading.value import evaluate
from symattn.errors import UndecidedError


def flat_of(entries: tuple[Scalar, ...]) -> Table:
    """The array of one dimension.

    >>> flat_of((fmpq(1), fmpq(2))).flat
    True
    """
    return table_of([entries], flat=True)


def table_of(rows: Sequence[tuple[Scalar, ...]], *, flat: bool = False) -> Table:
    """The array of rows, not empty and not too large.

    Raises: UndecidedError.

    >>> table_of([(fmpq(1), fmpq(2))]).shape
    (1, 2)
    """
    if not rows or not rows[0]:
        raise UndecidedError("an empty array")
    if len(rows) * len(rows[0]) > MAX_CELLS:
        raise UndecidedError(f"an array of more than {MAX_CELLS} numbers")
    return Table(tuple(rows), flat=flat)


def shape_of(value: Value) -> tuple[int, ...]:
    """The shape as NumPy has it: () for a number, (3,) for an array of one dimension.

    >>> shape_of(fmpq(2)), shape_of(Table(((fmpq(1), fmpq(2)),), flat=True))
    ((), (2,))
    """
    if not isinstance(value, Table):
        return ()
    return (value.shape[1],) if value.flat else value.shape


def transposed(value: Value) -> Value:
    """The transpose; an array of one dimension is its own."""
    if not isinstance(value, Table) or value.flat:
        return value
    return Table(tuple(zip(*value.rows, strict=True)))


def product(left: Value, right: Value) -> Value:
    """The product `@`.

    Raises: UndecidedError where NumPy has none.
    """
    if not isinstance(left, Table) or not isinstance(right, Table):
        raise UndecidedError("a product @ with a number")
    columns = right.rows if right.flat else tuple(zip(*right.rows, strict=True))
    if len(left.rows[0]) != len(columns[0]):
        raise UndecidedError(f"a product of {shape_of(left)} and {shape_of(right)}")
    if left.shape[0] * left.shape[1] * len(columns) > MAX_CELLS:
        raise UndecidedError(f"a product of more than {MAX_CELLS} multiplications")
    rows = [tuple(reduce(plus, map(times, row, column)) for column in columns) for row in left.rows]
    if left.flat and right.flat:
        return rows[0][0]
    if left.flat:
        return flat_of(rows[0])
    return flat_of(tuple(row[0] for row in rows)) if right.flat else table_of(rows)


def softmax(value: Value, axis: int) -> Value:
    """The softmax over an axis."""
    if not isinstance(value, Table) or axis not in {-2, -1, 0, 1} or (value.flat and axis not in {-1, 0}):
        raise UndecidedError("a softmax over an axis that is not there")
    if axis in {-2, 0} and not value.flat:
        return transposed(softmax(transposed(value), -1))
    rows = []
    for row in value.rows:
        found = evaluate(Call(0, 0, "softmax", (Name(0, 0, "x"),)), {"x": Table((row,), flat=True)})
        assert isinstance(found, Table)  # noqa: S101
        rows.append(found.rows[0])
    return table_of(rows, flat=value.flat)


def folded(rule: Callable[[tuple[Scalar, ...]], Scalar], value: Value, axis: int | None, *, keep: bool) -> Value:
    """A rule over an axis of an array; with `keep` the axis stays, one wide.

    >>> table = Table(((fmpq(1), fmpq(2)), (fmpq(3), fmpq(4))))
    >>> folded(lambda row: reduce(plus, row), table, 1, keep=False).rows
    ((3, 7),)
    """
    if not isinstance(value, Table):
        return value
    dimensions = 1 if value.flat else 2
    if axis is None:
        total = rule(tuple(entry for row in value.rows for entry in row))
        return total if not keep else Table(((total,),), flat=value.flat)
    if not -dimensions <= axis < dimensions:
        raise UndecidedError("an axis that is not there")
    if value.flat:
        return flat_of((rule(value.rows[0]),)) if keep else rule(value.rows[0])
    along_rows = axis % 2 == 1
    totals = [rule(row) for row in (value.rows if along_rows else zip(*value.rows, strict=True))]
    if not keep:
        return flat_of(tuple(totals))
    return table_of([(total,) for total in totals]) if along_rows else table_of([tuple(totals)])


def both(rule: Callable[[Scalar, Scalar], Scalar], left: Value, right: Value) -> Value:
    """A rule entry by entry; what is one wide is repeated.

    >>> both(plus, Table(((fmpq(1),), (fmpq(2),))), Table(((fmpq(10), fmpq(20)),), flat=True)).rows
    ((11, 21), (12, 22))
    """
    if not isinstance(left, Table) and not isinstance(right, Table):
        return rule(left, right)
    first = left.rows if isinstance(left, Table) else ((left,),)
    second = right.rows if isinstance(right, Table) else ((right,),)
    n, m = max(len(first), len(second)), max(len(first[0]), len(second[0]))
    if not {len(first), len(second)} <= {1, n} or not {len(first[0]), len(second[0])} <= {1, m}:
        raise UndecidedError("shapes that do not go together")
    if n * m > MAX_CELLS:
        raise UndecidedError(f"an array of more than {MAX_CELLS} numbers")
    rows = [
        tuple(
            rule(first[i % len(first)][j % len(first[0])], second[i % len(second)][j % len(second[0])])
            for j in range(m)
        )
        for i in range(n)
    ]
    flat = all(not isinstance(each, Table) or each.flat for each in (left, right))
    return table_of(rows, flat=flat)


def minus(left: Scalar, right: Scalar) -> Scalar:
    """The difference of two numbers.

    >>> minus(fmpq(3), fmpq(1, 2))
    5/2
    """
    return plus(left, times(fmpq(-1), right))


def power(base: Scalar, exponent: Scalar) -> Scalar:
    """The power of a number.

    >>> power(fmpq(4), fmpq(1, 2))
    2
    """
    return _scalar(Power(0, 0, Name(0, 0, "x"), Name(0, 0, "y")), {"x": base, "y": exponent})


def _scalar(tree: Node, names: Mapping[str, Any]) -> Scalar:
    value = evaluate(tree, names)
    assert not isinstance(value, Table)  # noqa: S101
    return value


def _called(function: str) -> Callable[[Scalar], Scalar]:
    return lambda value: _scalar(Call(0, 0, function, (Name(0, 0, "x"),)), {"x": value})


def _mean(row: tuple[Scalar, ...]) -> Scalar:
    return over(reduce(plus, row), fmpq(len(row)))


def _smaller(left: Scalar, right: Scalar) -> Scalar:
    return left if larger(left, right) is right else right


PAIRS: Final[dict[str, Callable[[Scalar, Scalar], Scalar]]] = {
    "add": plus,
    "subtract": minus,
    "multiply": times,
    "mul": times,
    "divide": over,
    "div": over,
    "true_divide": over,
    "power": power,
    "pow": power,
    "maximum": larger,
    "minimum": _smaller,
}
FOLDS: Final[dict[str, Callable[[tuple[Scalar, ...]], Scalar]]] = {
    "sum": lambda row: reduce(plus, row),
    "mean": _mean,
    "max": lambda row: reduce(larger, row),
    "amax": lambda row: reduce(larger, row),
    "min": lambda row: reduce(_smaller, row),
    "amin": lambda row: reduce(_smaller, row),
}
EACH: Final[dict[str, Callable[[Scalar], Scalar]]] = {
    "exp": _called("exp"),
    "log": _called("ln"),
    "sqrt": lambda value: _scalar(Root(0, 0, Name(0, 0, "x")), {"x": value}),
    "tanh": _called("tanh"),
    "sigmoid": _called("sigmoid"),
    "relu": _called("relu"),
    "abs": _called("abs"),
    "absolute": _called("abs"),
    "square": lambda value: times(value, value),
    "negative": lambda value: times(fmpq(-1), value),
}
