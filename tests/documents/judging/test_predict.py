"""Stages worked out from what a document has given so far, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import fmpq

from symattn.documents.judging.memory import Memory, Quantity
from symattn.documents.judging.predict import Predictions, exponential, masked, root_of, shifted
from symattn.documents.reading.closed import root
from symattn.documents.reading.scalars import Infinite
from symattn.documents.reading.tables import Table
from symattn.numbers.certified import enclosure

X = np.array([[1, 0, 1, 0], [0, 2, 0, 1]])
W_Q = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]])
W_K = np.array([[0, 1, 0], [1, 0, 1], [1, 1, 0], [0, 2, 0]])
W_V = np.array([[1, 2], [3, 0], [0, 1], [2, 2]])


def quantity(rows: Any, stage: str) -> Quantity:
    return Quantity(Table(tuple(tuple(fmpq(int(x)) for x in row) for row in rows)), stage=stage)


@pytest.fixture
def memory() -> Memory:
    made = Memory()
    for name, rows in (("X", X), ("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V)):
        made.place(name, quantity(rows, name))
    made.bind("d_k", Quantity(fmpq(3)))
    return made


def floats(table: Table | None) -> np.ndarray:
    assert table is not None
    return np.array(
        [[-np.inf if isinstance(x, Infinite) else float(enclosure(x).mid()) for x in row] for row in table.rows]
    )


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def expected(*, causal: bool = False, divisor: float = 3**0.5) -> dict[str, np.ndarray]:
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (2, 3), (2, 3), (2, 2)
    scores = Q @ K.T
    scaled = scores / divisor
    hidden = np.where(np.tri(2) > 0, scaled, -np.inf)
    used = hidden if causal else scaled
    weights = softmax(used)
    return {
        "Q": Q, "K": K, "V": V, "scores": scores, "scaled_scores": scaled, "masked_scores": hidden,
        "shifted": used - used.max(axis=1, keepdims=True), "weights": weights, "outputs": weights @ V,
    }  # fmt: skip


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("stage", expected())
def test_every_stage_from_the_definitions(memory: Memory, stage: str, causal: bool) -> None:
    memory.masked = causal
    np.testing.assert_allclose(
        floats(Predictions(memory).stage(stage, "source")), expected(causal=causal)[stage], rtol=1e-12
    )


def test_the_exponentials_are_those_of_the_scaled_scores(memory: Memory) -> None:
    np.testing.assert_allclose(
        floats(Predictions(memory).stage("exponentials", "shown")), np.exp(expected()["scaled_scores"]), rtol=1e-12
    )


def test_another_root(memory: Memory) -> None:
    found = Predictions(memory).stage("weights", "shown", fmpq(17, 10))
    np.testing.assert_allclose(floats(found), expected(divisor=1.7)["weights"], rtol=1e-12)


def test_what_the_document_has_counts_unless_it_is_worked_out_anew(memory: Memory) -> None:
    memory.place("scores", Quantity(Table(((fmpq(1), fmpq(2)), (fmpq(3), fmpq(4)))), stage="scores"))
    made = Predictions(memory)
    assert floats(made.stage("scores", "shown")).tolist() == [[1, 2], [3, 4]]
    np.testing.assert_array_equal(floats(made.stage("scores", "shown", anew=True)), expected()["scores"])
    np.testing.assert_allclose(floats(made.stage("weights", "shown")), softmax(np.array([[1, 2], [3, 4]]) / 3**0.5))


def test_nothing_where_something_is_missing() -> None:
    memory = Memory()
    made = Predictions(memory)
    assert [made.stage(stage, "shown") for stage in ("Q", "scores", "scaled_scores", "weights", "outputs", "foo")] == [
        None
    ] * 6
    memory.place("Q", quantity([[1, 2]], "Q"))
    memory.place("K", quantity([[1, 2, 3]], "K"))
    assert made.stage("scores", "shown") is None  # 1x2 times 3x1: no product


def test_what_is_kept_is_forgotten_when_something_changes(memory: Memory) -> None:
    made = Predictions(memory)
    before = floats(made.stage("scores", "shown"))
    memory.place("Q", quantity([[0, 0, 0], [0, 0, 0]], "Q"))
    assert floats(made.stage("scores", "shown")).tolist() == [[0, 0], [0, 0]]
    assert before.tolist() != [[0, 0], [0, 0]]


def test_d_k_is_the_one_that_is_said_else_the_width_of_the_keys() -> None:
    memory = Memory()
    made = Predictions(memory)
    assert made.d_k() is None
    memory.place("K", quantity([[1, 2, 3]], "K"))
    assert made.d_k() == 3
    memory.bind("d_k", Quantity(fmpq(64)))
    assert made.d_k() == 64
    assert root_of(fmpq(64)) == 8
    assert root_of(fmpq(3)) == root(fmpq(3))


def test_a_mask_hides_what_comes_later() -> None:
    square = Table(tuple(tuple(fmpq(3 * i + j) for j in range(3)) for i in range(3)))
    hidden = masked(square)
    assert hidden is not None
    assert floats(hidden).tolist() == [[0, -np.inf, -np.inf], [3, 4, -np.inf], [6, 7, 8]]
    assert masked(Table(((fmpq(1), fmpq(2)),))) is None


def test_shifted_rows_have_a_largest_entry_of_zero() -> None:
    found = shifted(Table(((fmpq(1), fmpq(4), Infinite(-1)), (fmpq(5), fmpq(2), fmpq(5)))))
    assert floats(found).tolist() == [[-3, 0, -np.inf], [0, -3, 0]]
    assert shifted(Table(((Infinite(-1), Infinite(-1)),))) is None


def test_powers_of_a_row() -> None:
    found = exponential(Table(((fmpq(0), fmpq(1)),), flat=True))
    assert isinstance(found, Table)
    np.testing.assert_allclose(floats(found), [[1, np.e]])
