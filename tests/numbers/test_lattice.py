"""Integer solutions and shortest vectors, against every vector of a small box."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.numbers.lattice import MAX_REDUCED, integer_system, lattice, reading_order

ENTRY = st.integers(-4, 4)


def matrices(rows=(1, 3), columns=(1, 4), entry=ENTRY):
    shapes = st.tuples(st.integers(*rows), st.integers(*columns))
    return shapes.flatmap(
        lambda shape: st.lists(
            st.lists(entry, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        )
    )


def times(A, w):
    return [sum(a * x for a, x in zip(row, w, strict=True)) for row in A]


def rank(A):
    rows, found = [[Fraction(x) for x in row] for row in A], 0
    for column in range(len(A[0])):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            continue
        rows = [
            [x - row[column] / pivot[column] * p for x, p in zip(row, pivot, strict=True)]
            for row in rows
            if row is not pivot
        ]
        found += 1
    return found


@given(matrices(), st.data())
def test_every_right_hand_side_that_has_a_solution_gets_one(A, data):
    w = data.draw(st.lists(st.integers(-50, 50), min_size=len(A[0]), max_size=len(A[0])))
    found = integer_system(A).solution(times(A, w))
    assert found is not None
    assert times(A, found) == times(A, w)


@given(matrices(columns=(1, 3)), st.data())
def test_what_has_no_solution_has_none_in_a_box(A, data):
    right = data.draw(st.lists(ENTRY, min_size=len(A), max_size=len(A)))
    found = integer_system(A).solution(right)
    if found is None:
        assert not any(times(A, w) == right for w in product(range(-9, 10), repeat=len(A[0])))
    else:
        assert times(A, found) == right


@given(matrices(columns=(1, 3)))
def test_the_kernel_spans_every_integer_vector_that_goes_to_zero(A):
    system = integer_system(A)
    assert len(system.kernel) == len(A[0]) - rank(A)
    assert all(not any(times(A, v)) for v in system.kernel)
    assert all(next(x for x in v if x) > 0 for v in system.kernel)
    if system.kernel:
        within = integer_system(list(zip(*system.kernel, strict=True)))
        for w in product(range(-4, 5), repeat=len(A[0])):
            if not any(times(A, w)):
                assert within.solution(w) is not None


UNSOLVABLE = [
    ("odd from even", [[2]], [1]),
    ("common factor over two cells", [[4, 6]], [3]),
    ("zero row", [[1, 1], [0, 0]], [1, 1]),
    ("contradicting rows", [[1, 2], [2, 4]], [1, 3]),
    ("each row alone can, both cannot", [[1, 1], [1, -1]], [0, 1]),
]


@pytest.mark.parametrize(("A", "right"), [case[1:] for case in UNSOLVABLE], ids=[c[0] for c in UNSOLVABLE])
def test_no_integer_solution(A, right):
    assert integer_system(A).solution(right) is None


@settings(deadline=None)
@given(st.integers(1, 3).flatmap(lambda n: st.tuples(matrices((1, n), (n, n)), st.tuples(*[ENTRY] * n))))
def test_the_least_is_the_first_of_the_shortest_in_a_box(case):
    basis, start = case
    if rank(basis) < len(basis):
        return
    found = lattice(tuple(map(tuple, basis))).least(start, max_nodes=10**6)
    assert found.proven
    # Nothing as short as start lies outside a box of that radius.
    radius = int(sum(x * x for x in start) ** 0.5) + 1
    system = integer_system(list(zip(*basis, strict=True)))
    coset = [
        w
        for w in product(range(-radius, radius + 1), repeat=len(start))
        if system.solution([a - b for a, b in zip(w, start, strict=True)]) is not None
    ]
    assert found.vector == min(coset, key=lambda w: (sum(x * x for x in w), reading_order(w)))


TIES = [
    ("weight in the earlier cell", ((1, -1),), (0, 1), (1, 0)),
    ("positive first", ((2, 0),), (-1, 0), (1, 0)),
    ("larger size before sign", ((3, -1),), (-1, 2), (2, 1)),
    ("nothing is shorter", ((1, 0), (0, 1)), (7, -9), (0, 0)),
    ("a negative one in the earlier cell", ((1, 1),), (0, 1), (-1, 0)),
]


@pytest.mark.parametrize(("basis", "start", "least"), [c[1:] for c in TIES], ids=[c[0] for c in TIES])
def test_ties(basis, start, least):
    found = lattice(basis).least(start, max_nodes=1000)
    equal = [v for v in box_of(basis, start) if sum(x * x for x in v) == sum(x * x for x in found.vector)]
    assert found.vector == min(equal, key=reading_order) == least


def box_of(basis, start):
    for factors in product(range(-20, 21), repeat=len(basis)):
        yield tuple(s + sum(f * b[i] for f, b in zip(factors, basis, strict=True)) for i, s in enumerate(start))


def test_no_basis_leaves_the_start():
    found = lattice(()).least((3, -4), max_nodes=1)
    assert (found.vector, found.proven) == ((3, -4), True)


def test_the_bound_leaves_the_first_vector_reached():
    basis = integer_system([[1] * 12]).kernel
    found = lattice(basis).least((6, *[0] * 11), max_nodes=1)
    assert not found.proven
    assert sum(found.vector) == 6
    assert max(found.vector) <= 2


def test_huge_numbers_stay_exact():
    big = 10**60
    found = lattice(((big, 1), (-1, big))).least((7 * big - 3 + 2, 7 + 3 * big - 5), max_nodes=1000)
    assert (found.vector, found.proven) == ((2, -5), True)


def test_too_many_dimensions_are_not_searched():
    width = MAX_REDUCED + 2
    system = integer_system([[1] * width])
    assert len(system.kernel) == width - 1
    found = lattice(system.kernel).least(tuple([1] * width), max_nodes=1000)
    assert (found.vector, found.proven) == ((1,) * width, False)
