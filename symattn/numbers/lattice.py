"""Whole numbers that solve linear equations, and the shortest of them.

Arrives: an integer matrix and right-hand sides, as Python integers. Leaves: an integer solution or the proof
that there is none, the lattice of all of them, and the one with the least sum of squares. No float decides
anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from flint import fmpz_mat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Vector: TypeAlias = tuple[int, ...]

FRACTION_BITS = 64
"""Partial sums of squares are rounded down to this many binary places, so pruning never cuts too much."""

MAX_REDUCED = 96
"""Kernels of more dimensions than this are neither reduced nor searched: that alone would take seconds."""


@dataclass(frozen=True, slots=True)
class IntegerSystem:
    """All that is needed to solve A·w = b in integers, for any b.

    `echelon` (rank x n) is the Hermite form of A transposed, without its zero rows; `images` (rank x m) are
    the w that A maps to these rows; `kernel` is a basis of the lattice {w : A·w = 0}, reduced up to
    `MAX_REDUCED` dimensions.
    """

    width: int
    echelon: tuple[Vector, ...]
    images: tuple[Vector, ...]
    kernel: tuple[Vector, ...]

    def solution(self, right: Sequence[int]) -> Vector | None:
        """One integer w (length m) with A·w = right (length n), or None: proven that there is none.

        >>> system = integer_system([[2, 3]])
        >>> sum(a * w for a, w in zip((2, 3), system.solution([7])))
        7
        >>> integer_system([[2, 4]]).solution([7]) is None
        True
        """
        rest, found = list(right), [0] * self.width
        for row, image in zip(self.echelon, self.images, strict=True):
            pivot = _first_nonzero(row)
            factor, remainder = divmod(rest[pivot], row[pivot])
            if remainder:
                return None
            rest = [r - factor * h for r, h in zip(rest, row, strict=True)]
            found = [w + factor * u for w, u in zip(found, image, strict=True)]
        return None if any(rest) else tuple(found)


def integer_system(A: Sequence[Sequence[int]]) -> IntegerSystem:
    """A (n x m, neither zero) made ready for solving A·w = b in integers.

    Failures: none for a rectangular A.

    >>> integer_system([[1, 0, 1, 0], [0, 2, 0, 1]]).kernel
    ((1, 0, -1, 0), (0, 1, 0, -2))
    """
    hermite, transform = fmpz_mat([list(row) for row in A]).transpose().hnf(True)  # noqa: FBT003
    echelon = tuple(row for row in _vectors(hermite) if any(row))
    images = _vectors(transform)
    rank = len(echelon)
    kernel = images[rank:]
    if 0 < len(kernel) <= MAX_REDUCED:
        kernel = _vectors(fmpz_mat([list(vector) for vector in kernel]).lll())
    signed = tuple(v if v[_first_nonzero(v)] > 0 else tuple(-x for x in v) for v in kernel)
    return IntegerSystem(len(images), echelon, images[:rank], signed)


@dataclass(frozen=True, slots=True)
class Least:
    """The shortest vector found, how many nodes the search took, and whether it is proven the shortest."""

    vector: Vector
    nodes: int
    proven: bool


@dataclass(frozen=True, slots=True)
class Lattice:
    """A basis with its Gram-Schmidt numbers kept integral.

    Row k of `shadows` is d_0·μ_k0, …, d_(k-1)·μ_k(k-1), d_k, where d_k is the Gram determinant of the basis
    vectors 0 to k: integers all of them, so the search below needs no fractions.
    """

    basis: tuple[Vector, ...]
    shadows: tuple[Vector, ...]

    def least(self, start: Vector, *, max_nodes: int) -> Least:
        """The vector of least sum of squares in start + lattice; of equals, the first in `reading_order`.

        Branch and bound (Fincke and Pohst, in Schnorr and Euchner's order). The first vector reached is
        Babai's, so there always is one; after max_nodes the best so far is handed out with proven False.
        Reaching a vector counts as many nodes as the basis has vectors, for it takes that much longer.

        >>> lattice(((2, 1),)).least((5, 3), max_nodes=100)
        Least(vector=(-1, 0), nodes=1, proven=True)
        """
        if not self.basis or len(self.basis) > MAX_REDUCED:
            return Least(start, 0, proven=not self.basis)
        size = len(self.basis)
        minors = (1, *(shadow[-1] for shadow in self.shadows))
        *offsets, outside = _shadow(self.basis, self.shadows, start)
        floor = (outside << FRACTION_BITS) // minors[-1]
        # A frame is a level of the tree: the offsets of the levels still open, this one last; the least that
        # the levels before it cost; the factors still to try here.
        frames = [(offsets, floor, _nearest_first(-offsets[-1], minors[-1]))]
        factors = [0] * size
        best, bound, nodes = start, -1, 0
        while frames:
            offsets, floor, choices = frames[-1]
            level = len(offsets) - 1
            z = factors[level] = next(choices)
            distance = offsets[level] + z * minors[level + 1]
            floor += (distance * distance << FRACTION_BITS) // (minors[level + 1] * minors[level])
            if bound >= 0 and floor > bound << FRACTION_BITS:
                frames.pop()
            elif bound >= 0 and nodes >= max_nodes:
                return Least(best, nodes, proven=False)
            elif level:
                nodes += 1
                shadow = self.shadows[level]
                offsets = [o + z * s for o, s in zip(offsets[:-1], shadow, strict=False)] if z else offsets[:-1]
                frames.append((offsets, floor, _nearest_first(-offsets[-1], minors[level])))
            else:
                nodes += size
                found = self._combined(start, factors)
                norm = _dot(found, found)
                if bound < 0 or (norm, reading_order(found)) < (bound, reading_order(best)):
                    best, bound = found, norm
        return Least(best, nodes, proven=True)

    def _combined(self, start: Vector, factors: Sequence[int]) -> Vector:
        """The start plus the basis vectors times their factors."""
        for factor, vector in zip(factors, self.basis, strict=True):
            if factor:
                start = tuple(x + factor * y for x, y in zip(start, vector, strict=True))
        return start


def lattice(basis: tuple[Vector, ...]) -> Lattice:
    """The lattice spanned by independent vectors of equal length, ready to be searched.

    >>> lattice(((1, 1), (1, 2))).shadows
    ((2,), (3, 1))
    """
    shadows: list[Vector] = []
    if len(basis) <= MAX_REDUCED:
        for vector in basis:
            shadows.append(tuple(_shadow(basis, shadows, vector)))
    return Lattice(basis, tuple(shadows))


def reading_order(vector: Sequence[int]) -> tuple[tuple[int, bool], ...]:
    """A sorting key: where two vectors first differ, the larger size comes first, then the positive one.

    >>> sorted([(0, 1), (-1, 0), (1, 0)], key=reading_order)
    [(1, 0), (-1, 0), (0, 1)]
    """
    return tuple((-abs(x), x < 0) for x in vector)


def _shadow(basis: Sequence[Vector], shadows: Sequence[Vector], vector: Vector) -> list[int]:
    """The integral Gram-Schmidt row of a vector against the basis vectors that have a row in shadows already.

    Every division is exact (Cohen, A Course in Computational Algebraic Number Theory, algorithm 2.6.7).
    """
    minors = [shadow[-1] for shadow in shadows]
    row: list[int] = []
    for other, theirs in (*zip(basis, shadows, strict=False), (vector, row)):
        value, before = _dot(vector, other), 1
        for mine, their, minor in zip(row, theirs, minors, strict=False):
            value = (minor * value - mine * their) // before
            before = minor
        row.append(value)
    return row


def _nearest_first(numerator: int, denominator: int) -> Iterator[int]:
    """All integers, those nearest to numerator/denominator first; the denominator is positive."""
    nearest = (2 * numerator + denominator) // (2 * denominator)
    side = 1 if numerator >= nearest * denominator else -1
    yield nearest
    away = 1
    while True:
        yield nearest + side * away
        yield nearest - side * away
        away += 1


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _first_nonzero(vector: Sequence[int]) -> int:
    return next(index for index, x in enumerate(vector) if x)


def _vectors(matrix: fmpz_mat) -> tuple[Vector, ...]:
    return tuple(tuple(int(x) for x in row) for row in matrix.tolist())
