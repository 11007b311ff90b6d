"""Weights recovered and repaired, against every matrix of a small box and plain fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest
from flint import fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symattn.attention.recover import smallest_repair, solve_weights
from symattn.errors import OptionError, ShapeError

ENTRY = st.integers(-3, 3)


def exact(rows):
    def number(x):
        fraction = Fraction(x)
        return fmpq(fraction.numerator, fraction.denominator)

    return tuple(tuple(number(x) for x in row) for row in rows)


def fractions(rows):
    return [[Fraction(int(x.p), int(x.q)) for x in row] for row in rows]


def times(A, B):
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*B, strict=True)] for row in A]


def order(w):
    return [(-abs(x), x < 0) for x in w]


def matrix(rows, columns, entry=ENTRY):
    return st.lists(st.lists(entry, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


X = [[1, 0, 1, 0], [0, 2, 0, 1]]
Q, K, V = [[2, 0, 1], [1, 2, 1]], [[1, 0, 1], [0, 1, 0]], [[10, 2, 0], [2, 5, 8]]
W_Q = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]]


def least_in_box(X, column, size):
    box = [
        w
        for w in product(range(-size, size + 1), repeat=len(X[0]))
        if [y for (y,) in times(X, [[x] for x in w])] == list(column)
    ]
    return min(box, key=lambda w: (sum(x * x for x in w), order(w)), default=None)


@pytest.mark.parametrize("target", [Q, K, V], ids=["Q", "K", "V"])
def test_the_integral_weights_of_the_example(target):
    family = solve_weights(exact(X), exact(target))
    # (5, 1, 5, 0) gives (10, 2): nothing as short has an entry beyond 7.
    expected = list(zip(*(least_in_box(X, column, 7) for column in zip(*target, strict=True)), strict=True))
    assert family.integer == exact(expected)
    assert family.exists
    assert family.integral
    assert family.proven
    assert times(X, fractions(family.particular)) == target


def test_the_key_weights_and_the_kernel_in_full():
    family = solve_weights(exact(X), exact(K))
    assert family.integer == exact([[1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0]])
    assert family.particular == exact([[1, 0, 1], [0, "1/2", 0], [0, 0, 0], [0, 0, 0]])
    assert family.kernel == exact([[1, 0, -1, 0], [0, 1, 0, -2]])


INTEGRAL = [
    ("a tie: the weight in the earlier cell", [[1, 1]], [[1]], [[1], [0]]),
    ("a tie of signs", [[1, 1], [1, 1]], [[0, 1], [0, 1]], [[0, 1], [0, 0]]),
    ("three cells, two to fill", [[1, 1, 1]], [[2]], [[1], [1], [0]]),
    ("positive before negative", [[1, -1]], [[1]], [[1], [0]]),
    ("full column rank", [[1, 2], [3, 4], [4, 6]], [[5], [11], [16]], [[1], [2]]),
    ("X is zero", [[0, 0]], [[0, 0]], [[0, 0], [0, 0]]),
    ("a zero row", [[0, 0], [1, 2]], [[0], [2]], [[0], [1]]),
    ("rationals", [["1/2", "1/3"]], [["7/6"]], [[1], [2]]),
    ("decimals", [["0.5", "0.25"], ["0.1", "0"]], [["1"], ["0.2"]], [[2], [0]]),
]


@pytest.mark.parametrize(("X", "target", "integer"), [c[1:] for c in INTEGRAL], ids=[c[0] for c in INTEGRAL])
def test_integral_weights(X, target, integer):
    family = solve_weights(exact(X), exact(target))
    assert (family.integer, family.proven) == (exact(integer), True)


NONE_IS_INTEGRAL = [
    ("half", [[2]], [[1]], [["1/2"]]),
    ("one column of two", [[2]], [[2, 1]], [[1, "1/2"]]),
    ("target with a denominator X has not", [[1, 1]], [["1/3"]], [["1/3"], [0]]),
    ("common factor", [[2, 4]], [[3]], [["3/2"], [0]]),
    ("rationals", [["1/2", "1/4"]], [["1/8"]], [["1/4"], [0]]),
]


@pytest.mark.parametrize(
    ("X", "target", "particular"), [c[1:] for c in NONE_IS_INTEGRAL], ids=[c[0] for c in NONE_IS_INTEGRAL]
)
def test_none_is_integral(X, target, particular):
    family = solve_weights(exact(X), exact(target))
    assert (family.exists, family.integral, family.integer, family.proven) == (True, False, None, True)
    assert family.particular == exact(particular)


UNSOLVABLE = [
    ("twice the row above", [[1, 2], [2, 4]], [[1], [3]], 1, [-2, 1]),
    ("a zero row first", [[0, 0], [1, 0]], [[1], [1]], 0, [1, 0]),
    ("a zero row later", [[1, 0], [0, 0]], [[1], [1]], 1, [0, 1]),
    ("the same word, two queries", [[1, 0], [0, 1], [1, 0]], [[1, 1], [2, 2], [1, 2]], 2, [-1, 0, 1]),
    ("one row is fine, the next is not", [[1], [2], [3]], [[1], [2], [4]], 2, [-3, 0, 1]),
    ("factors cleared of denominators", [[2, 0], [1, 0]], [[2], [2]], 1, [-1, 2]),
]


@pytest.mark.parametrize(("X", "target", "row", "factors"), [c[1:] for c in UNSOLVABLE], ids=[c[0] for c in UNSOLVABLE])
def test_unsolvable(X, target, row, factors):
    family = solve_weights(exact(X), exact(target))
    assert (family.exists, family.integral, family.particular, family.integer) == (False, False, None, None)
    assert (family.inconsistent_row, family.contradiction) == (row, exact([factors])[0])
    assert not any(times([factors], X)[0])
    assert any(times([factors], target)[0])


SMALL = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2))


@settings(deadline=None)
@given(SMALL.flatmap(lambda s: st.tuples(matrix(s[0], s[1]), matrix(s[1], s[2], st.integers(-2, 2)))))
def test_the_least_integral_weights_by_brute_force(case):
    X, W = case
    target = times(X, W)
    family = solve_weights(exact(X), exact(target))
    # A column at least as short as that of W has no entry beyond 3: 3·2² < 4².
    expected = list(zip(*(least_in_box(X, column, 3) for column in zip(*target, strict=True)), strict=True))
    assert (family.integer, family.proven) == (exact(expected), True)
    assert times(X, fractions(family.particular)) == target
    assert all(not any(y for (y,) in times(X, [[Fraction(int(x))] for x in v])) for v in family.kernel)


@given(st.tuples(matrix(2, 3), matrix(2, 2)), st.integers(1, 6), st.integers(1, 6))
def test_scaling_a_row_changes_nothing(case, numerator, denominator):
    X, target = case
    scale = Fraction(numerator, denominator)
    scaled = [[[scale * x for x in A[0]], *A[1:]] for A in (X, target)]
    plain, other = solve_weights(exact(X), exact(target)), solve_weights(*map(exact, scaled))
    assert (plain.particular, plain.integer) == (other.particular, other.integer)
    assert (plain.inconsistent_row, plain.proven) == (other.inconsistent_row, other.proven)


def wide(n, d_model, d_k, seed=5):
    draw = Random(seed).randint  # noqa: S311
    X = [[draw(-9, 9) for _ in range(d_model)] for _ in range(n)]
    return X, [[draw(-2, 2) for _ in range(d_k)] for _ in range(d_model)]


def test_a_search_that_stops_at_its_bound_still_answers():
    X, W = wide(16, 64, 3)
    family = solve_weights(exact(X), exact(times(X, W)), max_nodes=2000)
    assert not family.proven
    assert times(X, fractions(family.integer)) == times(X, W)
    assert len(family.kernel) == 48
    assert max(abs(x) for row in fractions(family.integer) for x in row) < 20


def test_many_ties_stop_at_the_bound():
    family = solve_weights(exact([[1] * 24]), exact([[12]]), max_nodes=500)
    assert not family.proven
    assert sorted(x for (x,) in fractions(family.integer)) == [0] * 12 + [1] * 12


def test_the_repair_of_the_example():
    repair = smallest_repair(exact(X), exact(W_Q), exact(Q))
    assert repair.cells == ((3, 0, 0, 1),)
    assert repair.matrix == exact([*W_Q[:3], [1, 0, 1]])
    assert repair.proven


REPAIRS = [
    ("nothing to change", [[1, 2]], [[1], [1]], [[3]], []),
    ("integers before the first cell", [[2, 1]], [[0], [0]], [[1]], [(1, 0, 0, 1)]),
    ("a new value is integral though the change is not", [[2, 1]], [["1/2"], [0]], [[0]], [(0, 0, "1/2", 0)]),
    ("least change", [[1, 2]], [[0], [0]], [[2]], [(1, 0, 0, 1)]),
    ("reading order", [[1, 1]], [[0], [0]], [[1]], [(0, 0, 0, 1)]),
    ("a cell more is worse than a fraction", [[2, 0], [0, 0]], [[0], [0]], [[1], [0]], [(0, 0, 0, "1/2")]),
    ("two cells", [[1, 0, 1], [0, 1, 1]], [[0], [0], [0]], [[1], [2]], [(1, 0, 0, 1), (2, 0, 0, 1)]),
    (
        "two columns, told row by row",
        [[1, 0], [0, 1]],
        [[0, 0], [0, 0]],
        [[0, 1], [2, 0]],
        [(0, 1, 0, 1), (1, 0, 0, 2)],
    ),
    ("rational X", [["1/2", 0]], [[1], [1]], [["3/2"]], [(0, 0, 1, 3)]),
    ("repeated columns", [[1, 1, 0], [0, 0, 1]], [[0], [0], [0]], [[1], [1]], [(0, 0, 0, 1), (2, 0, 0, 1)]),
]


@pytest.mark.parametrize(("X", "W", "target", "cells"), [c[1:] for c in REPAIRS], ids=[c[0] for c in REPAIRS])
def test_repairs(X, W, target, cells):
    repair = smallest_repair(exact(X), exact(W), exact(target))
    assert repair.cells == tuple((i, j, *exact([values])[0]) for i, j, *values in cells)
    assert repair.proven


@pytest.mark.parametrize(("X", "target"), [c[1:3] for c in UNSOLVABLE], ids=[c[0] for c in UNSOLVABLE])
def test_no_repair_where_no_weights_give_the_target(X, target):
    W = [[1] * len(target[0]) for _ in X[0]]
    assert smallest_repair(exact(X), exact(W), exact(target)) is None


def solved(X, r, support):
    """The only change in the support that gives r, by Cramer's rule on two rows at most, or None."""
    if len(support) == 1:
        (i,) = support
        guesses = [(r[k] / X[k][i],) for k in range(len(X)) if X[k][i]]
    else:
        i, j = support
        guesses = []
        for k, m in combinations(range(len(X)), 2):
            det = X[k][i] * X[m][j] - X[k][j] * X[m][i]
            if det:
                a, b = r[k] * X[m][j] - X[k][j] * r[m], X[k][i] * r[m] - r[k] * X[m][i]
                guesses.append((a / det, b / det))
    for guess in guesses:
        if all(sum(row[i] * d for i, d in zip(support, guess, strict=True)) == y for row, y in zip(X, r, strict=True)):
            return guess
    return None


@settings(deadline=None)
@given(
    st.tuples(st.integers(1, 2), st.integers(1, 4)).flatmap(
        lambda s: st.tuples(matrix(s[0], s[1]), matrix(s[1], 1), matrix(s[1], 1))
    ),
    st.integers(1, 3),
)
def test_the_smallest_repair_by_brute_force(case, divisor):
    X, W, other = case
    W = [[Fraction(x, divisor) for x in row] for row in W]
    target = times(X, other)
    r = [y - old for (y,), (old,) in zip(target, times(X, W), strict=True)]
    assume(any(r))
    candidates = []
    for size in (1, 2):
        for support in combinations(range(len(W)), size):
            change = solved(X, r, support)
            if change is not None:
                new = [W[i][0] + d for i, d in zip(support, change, strict=True)]
                fractional = any(x.denominator > 1 for x in new)
                candidates.append((size, fractional, sum(map(abs, change)), support, new))
    _, _, _, support, new = min(candidates)
    repair = smallest_repair(exact(X), exact(W), exact(target))
    expected = [(i, 0, *exact([[W[i][0], x]])[0]) for i, x in zip(support, new, strict=True)]
    assert repair.cells == tuple(expected)
    assert times(X, fractions(repair.matrix)) == target


def test_a_repair_that_stops_at_its_bound_is_still_exact():
    X, W = wide(6, 12, 2)
    target = times(X, [[x + 1 for x in row] for row in W])
    repair = smallest_repair(exact(X), exact(W), exact(target), max_supports=40)
    assert not repair.proven
    assert times(X, fractions(repair.matrix)) == target
    assert all(old != new and repair.matrix[i][j] == new for i, j, old, new in repair.cells)


def test_a_bound_within_the_right_size_keeps_the_best_so_far():
    repair = smallest_repair(exact([[2, 1, 1]]), exact([[0], [0], [0]]), exact([[1]]), max_supports=2)
    assert (repair.cells, repair.proven) == (((1, 0, 0, 1),), False)


one = exact([[1]])
REFUSALS = [
    (
        "rows",
        lambda: solve_weights(one, exact([[1], [2]])),
        ShapeError,
        "X is 1x1 but target is 2x1; expected equally many rows",
    ),
    (
        "empty",
        lambda: solve_weights((), one),
        ShapeError,
        "X is empty; expected at least one row and one column",
    ),
    ("no columns", lambda: solve_weights(one, ((),)), ShapeError, "target is empty"),
    (
        "ragged",
        lambda: solve_weights((*exact([[1, 2]]), *one), exact([[1], [1]])),
        ShapeError,
        "row 2 of X has 1 entries; expected 2 as in row 1",
    ),
    (
        "nodes",
        lambda: solve_weights(one, one, max_nodes=0),
        OptionError,
        "found max_nodes = 0; expected at least 1",
    ),
    (
        "inner",
        lambda: smallest_repair(one, exact([[1], [2]]), one),
        ShapeError,
        "X is 1x1 but W is 2x1; expected a row of W for each column of X",
    ),
    (
        "target rows",
        lambda: smallest_repair(one, one, exact([[1], [2]])),
        ShapeError,
        "X is 1x1 but target is 2x1; expected equally many rows",
    ),
    (
        "target columns",
        lambda: smallest_repair(one, one, exact([[1, 2]])),
        ShapeError,
        "W is 1x1 but target is 1x2; expected equally many columns",
    ),
    (
        "supports",
        lambda: smallest_repair(one, one, one, max_supports=-1),
        OptionError,
        "found max_supports = -1; expected at least 1",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), [c[1:] for c in REFUSALS], ids=[c[0] for c in REFUSALS])
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()
