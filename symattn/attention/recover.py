"""What a worked example leaves out: the weights behind a projection, and the smallest mend of wrong ones.

Arrives: matrices of exact rationals, X with a projection X·W that an example states. Leaves: every W that
gives it, the simplest integral one among them, or the fewest cells of a given W to change.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING, TypeAlias

from flint import fmpq, fmpq_mat

from symattn.errors import OptionError, ShapeError
from symattn.numbers.lattice import Vector, integer_system, lattice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Row: TypeAlias = tuple[fmpq, ...]
Matrix: TypeAlias = tuple[Row, ...]
Cell: TypeAlias = tuple[int, int, fmpq, fmpq]
Column: TypeAlias = tuple[int, Vector]


@dataclass(frozen=True, slots=True)
class WeightFamily:
    """All W with X·W = target: `particular` plus any combination of `kernel` in each column.

    `particular` (d_model x d_k) has zeros in the rows that X leaves free. It is None when there is no W at
    all; then `contradiction` (n numbers) combines the rows of X to zero but those of target to something
    else, and `inconsistent_row` (from 0) is the first row that cannot be had together with those above it.
    `kernel` vectors are integers without a common factor. `integer` is the integral W of least sum of squares
    (the best found, when `proven` is False); None when it is proven that there is none.
    """

    particular: Matrix | None
    kernel: tuple[Row, ...]
    integer: Matrix | None = None
    proven: bool = True
    inconsistent_row: int | None = None
    contradiction: Row | None = None

    @property
    def exists(self) -> bool:
        """Whether any W gives the target."""
        return self.particular is not None

    @property
    def integral(self) -> bool:
        """Whether an integral W gives the target; False is a proof that none is integral."""
        return self.integer is not None


@dataclass(frozen=True, slots=True)
class Repair:
    """The cells to change, as (row, column, old, new) from 0 in reading order, and W with them changed.

    `proven` is False when the search stopped at its bound, so that a smaller repair may exist.
    """

    cells: tuple[Cell, ...]
    matrix: Matrix
    proven: bool


def solve_weights(X: Matrix, target: Matrix, *, max_nodes: int = 200_000) -> WeightFamily:
    """The family of all W (d_model x d_k) with X·W = target, and the integral one of least sum of squares.

    Shapes: X (n, d_model), target (n, d_k). Equal sums of squares: the first in reading order, a larger size
    before a smaller one, a positive number before its negative.
    Raises: ShapeError for shapes that do not fit, OptionError for max_nodes below 1.

    >>> one, two = fmpq(1), fmpq(2)
    >>> family = solve_weights(((one, two),), ((two,),))
    >>> family.particular, family.integer, family.kernel
    (((2,), (0,)), ((0,), (1,)), ((2, -1),))
    """
    _check_bound("max_nodes", max_nodes)
    n, d_model = _shape("X", X)
    _check_fit("X", (n, d_model), "target", _shape("target", target), same="rows")
    scales = [lcm(*(int(x.q) for x in row)) for row in X]
    whole = [[int((x * scale).p) for x in row] for row, scale in zip(X, scales, strict=True)]
    system = integer_system(whole)
    kernel = tuple(tuple(fmpq(x) for x in vector) for vector in system.kernel)
    particular = _solution(X, target)
    if particular is None:
        row, contradiction = _contradiction(X, target)
        return WeightFamily(None, kernel, inconsistent_row=row, contradiction=contradiction)
    search = lattice(system.kernel)
    columns: list[Vector] = []
    proven, left, width = True, max_nodes, len(target[0])
    for place, column in enumerate(zip(*target, strict=True)):
        right = [y * scale for y, scale in zip(column, scales, strict=True)]
        start = system.solution([int(y.p) for y in right]) if all(y.q == 1 for y in right) else None
        if start is None:
            return WeightFamily(particular, kernel)
        least = search.least(start, max_nodes=max(left // (width - place), 1))
        left -= least.nodes
        proven = proven and least.proven
        columns.append(least.vector)
    integer = tuple(tuple(fmpq(x) for x in row) for row in zip(*columns, strict=True))
    return WeightFamily(particular, kernel, integer, proven)


def smallest_repair(X: Matrix, W: Matrix, target: Matrix, *, max_supports: int = 50_000) -> Repair | None:
    """The smallest change of W that makes X·W = target; None when no W gives target.

    Smallest in each column: fewest cells, then new values that are all integers, then the least sum of
    absolute changes, then the cells that come first in reading order.
    Shapes: X (n, d_model), W (d_model, d_k), target (n, d_k).
    Raises: ShapeError for shapes that do not fit, OptionError for max_supports below 1.

    >>> one, two = fmpq(1), fmpq(2)
    >>> smallest_repair(((one, one),), ((one,), (two,)), ((two,),)).cells
    ((0, 0, 1, 0),)
    """
    _check_bound("max_supports", max_supports)
    x_shape, w_shape, target_shape = _shape("X", X), _shape("W", W), _shape("target", target)
    if x_shape[1] != w_shape[0]:
        raise ShapeError(
            f"X is {_times(x_shape)} but W is {_times(w_shape)}", expected="a row of W for each column of X"
        )
    _check_fit("X", x_shape, "target", target_shape, same="rows")
    _check_fit("W", w_shape, "target", target_shape, same="columns")
    residuals = (fmpq_mat(target) - fmpq_mat(X) * fmpq_mat(W)).transpose().tolist()
    wrong = [column for column, residual in enumerate(residuals) if any(residual)]
    cells: list[Cell] = []
    proven, left = True, max_supports
    for place, column in enumerate(wrong):
        old = [row[column] for row in W]
        share = max(left // (len(wrong) - place), 1)
        mend = _mended_column(X, old, residuals[column], share)
        if mend is None:
            return None
        left -= mend.tried
        proven = proven and mend.proven
        cells += [(row, column, old[row], old[row] + delta) for row, delta in mend.deltas]
    cells.sort(key=lambda cell: cell[:2])
    new = {(row, column): value for row, column, _, value in cells}
    repaired = tuple(tuple(new.get((i, j), x) for j, x in enumerate(row)) for i, row in enumerate(W))
    return Repair(tuple(cells), repaired, proven)


@dataclass(frozen=True, slots=True)
class _Mend:
    deltas: tuple[tuple[int, fmpq], ...]
    tried: int
    proven: bool


def _mended_column(X: Matrix, old: Sequence[fmpq], residual: Sequence[fmpq], bound: int) -> _Mend | None:
    """The smallest delta with X·delta = residual (not zero); None when there is none.

    Supports of one cell are tried before those of two, and so on. Of the first size that works each support
    has a single delta, for a dependent one would contain a smaller support that works.
    """
    unbounded = _deltas(X, residual, range(len(old)))
    if unbounded is None:
        return None
    *columns, right = zip(*(_whole((*row, r)) for row, r in zip(X, residual, strict=True)), strict=True)
    best: tuple[bool, fmpq, tuple[tuple[int, fmpq], ...]] | None = None
    tried = size = 0
    while best is None:
        size += 1
        for support, fits in _supports(list(enumerate(columns)), right, size):
            if tried >= bound:
                return _Mend(best[2] if best else unbounded, tried, proven=False)
            tried += 1
            deltas = _deltas(X, residual, support) if fits else None
            if deltas is not None:
                fractional = any((old[row] + delta).q != 1 for row, delta in deltas)
                amount = sum((abs(delta) for _, delta in deltas), fmpq(0))
                if best is None or (fractional, amount) < best[:2]:
                    best = (fractional, amount, deltas)
    return _Mend(best[2], tried, proven=True)


def _deltas(X: Matrix, residual: Sequence[fmpq], support: Sequence[int]) -> tuple[tuple[int, fmpq], ...] | None:
    """Changes of the cells in support that add up to the residual, those that are zero left out."""
    found = _solution([[row[i] for i in support] for row in X], [(r,) for r in residual])
    if found is None:
        return None
    return tuple((i, delta) for i, (delta,) in zip(support, found, strict=True) if delta != 0)


def _supports(columns: list[Column], right: Vector, size: int) -> Iterator[tuple[tuple[int, ...], bool]]:
    """Each choice of that many columns, in reading order, and whether right is a combination of them.

    No smaller choice may give right. A choice that begins with dependent columns is told once, cut short.
    """
    for place, (index, column) in enumerate(columns[: len(columns) - size + 1]):
        pivot = next((i for i, x in enumerate(column) if x), None)
        if pivot is None:
            yield (index,), False
        elif size == 1:
            yield (
                (index,),
                all(r * column[pivot] == right[pivot] * c for r, c in zip(right, column, strict=True)),
            )
        else:
            rest = [(i, _eliminated(other, column, pivot)) for i, other in columns[place + 1 :]]
            for support, fits in _supports(rest, _eliminated(right, column, pivot), size - 1):
                yield (index, *support), fits


def _eliminated(vector: Vector, column: Vector, pivot: int) -> Vector:
    """The vector with its entry at the pivot taken away by means of column, without fractions."""
    keep, take = column[pivot], vector[pivot]
    return tuple(keep * v - take * c for v, c in zip(vector, column, strict=True))


def _solution(A: Sequence[Sequence[fmpq]], B: Sequence[Sequence[fmpq]]) -> Matrix | None:
    """The Y with A·Y = B whose free rows are zero, or None."""
    width = len(A[0])
    reduced, rank = fmpq_mat([[*a, *b] for a, b in zip(A, B, strict=True)]).rref()
    found: list[Row] = [(fmpq(0),) * len(B[0])] * width
    for row in reduced.tolist()[:rank]:
        pivot = next(index for index, x in enumerate(row) if x != 0)
        if pivot >= width:
            return None
        found[pivot] = tuple(row[width:])
    return tuple(found)


def _contradiction(X: Matrix, target: Matrix) -> tuple[int, Row]:
    """The first row that contradicts those above it, and the factors of all rows that show it."""
    told = ((row, _dependence(X, row)) for row in range(len(X)))
    return next((row, y) for row, y in told if y is not None and fmpq_mat([y]) * fmpq_mat(target))


def _dependence(X: Matrix, row: int) -> Row | None:
    """Whole factors (n) of that row and of those above it that add up to zero, or None."""
    if row == 0:
        return None if any(X[0]) else (fmpq(1), *[fmpq(0)] * (len(X) - 1))
    above = _solution(list(zip(*X[:row], strict=True)), [(x,) for x in X[row]])
    if above is None:
        return None
    factors = [*(-factor for (factor,) in above), fmpq(1), *[fmpq(0)] * (len(X) - row - 1)]
    return tuple(fmpq(x) for x in _whole(factors))


def _whole(row: Sequence[fmpq]) -> Vector:
    """The row times the common denominator of its entries."""
    scale = lcm(*(int(x.q) for x in row))
    return tuple(int((x * scale).p) for x in row)


def _shape(name: str, matrix: Matrix) -> tuple[int, int]:
    if not matrix or not matrix[0]:
        raise ShapeError(f"{name} is empty", expected="at least one row and one column")
    for index, row in enumerate(matrix):
        if len(row) != len(matrix[0]):
            raise ShapeError(
                f"row {index + 1} of {name} has {len(row)} entries", expected=f"{len(matrix[0])} as in row 1"
            )
    return len(matrix), len(matrix[0])


def _check_fit(a: str, a_shape: tuple[int, int], b: str, b_shape: tuple[int, int], *, same: str) -> None:
    axis = ("rows", "columns").index(same)
    if a_shape[axis] != b_shape[axis]:
        raise ShapeError(f"{a} is {_times(a_shape)} but {b} is {_times(b_shape)}", expected=f"equally many {same}")


def _times(shape: tuple[int, int]) -> str:
    return f"{shape[0]}x{shape[1]}"


def _check_bound(name: str, value: int) -> None:
    if value < 1:
        raise OptionError(f"found {name} = {value}", expected="at least 1")
