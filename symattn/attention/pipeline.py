"""Attention, once: five stages over any arithmetic.

Arrives: a spec's matrices and the operations of an arithmetic. Leaves: a `Trace` of every quantity on the way.
Source: Vaswani et al. 2017, equation 1: Attention(Q, K, V) = softmax(Q·K^T / √d_k)·V.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symattn.formulas import LazyRows
from symattn.numbers.arithmetic import Operations, Rows, transpose


@dataclass(frozen=True, slots=True)
class Trace:
    """Every quantity of one run, in the numbers of its arithmetic.

    Shapes: X (n, d_model) or None, Q and K (n, d_k), V (n, d_v), scores, scaled_scores, exponentials and
    attention_weights (n, n), row_sums (n,), output (n, d_v). Rows after the scores are made when looked at.
    """

    X: Rows | None
    weight_matrices: Mapping[str, Rows]
    Q: Rows
    K: Rows
    V: Rows
    scores: Rows
    root: Any
    scaled_scores: Rows
    exponentials: Rows
    row_sums: Sequence[Any]
    attention_weights: Rows
    output: Rows


def attend(given: Mapping[str, Rows], ops: Operations, *, recompute: bool = False) -> Trace:
    """The trace of attention over the given matrices.

    A given Q, K or V is taken as it is; with `recompute`, or where it is missing, X times its weight matrix is.
    """
    numbers: dict[str, Rows] = {
        name: tuple(tuple(ops.number(x) for x in row) for row in rows) for name, rows in given.items()
    }
    X = numbers.get("X")

    # projection: (n, d_model) times (d_model, d_k) -> (n, d_k)
    def projected(letter: str) -> Rows:
        weight = numbers.get(f"W_{letter}")
        if X is not None and weight is not None and (recompute or letter not in numbers):
            return settled("projections", ops.multiply(X, weight))
        return numbers[letter]

    def settled(kind: str, rows: Rows) -> Rows:
        return tuple(tuple(ops.settle(kind, value) for value in row) for row in rows)

    Q, K, V = projected("Q"), projected("K"), projected("V")

    # scores: (n, d_k) times (d_k, n) -> (n, n)
    scores = settled("scores", ops.multiply(Q, transpose(K)))

    # scaling and softmax, each row for itself: (n, n) -> (n, n)
    n = len(scores)
    root = ops.settle("root", ops.root())
    scaled = LazyRows(n, lambda i: tuple(ops.settle("scaled_scores", ops.scale(s, root)) for s in scores[i]))
    exponentials = LazyRows(n, lambda i: tuple(ops.settle("exponentials", e) for e in ops.exponentials(scaled[i])))
    row_sums = LazyRows(n, lambda i: ops.settle("row_sums", ops.total(exponentials[i])))
    weights = LazyRows(n, lambda i: tuple(ops.settle("weights", w) for w in ops.shares(exponentials[i], row_sums[i])))

    # weighted sum: (n, n) times (n, d_v) -> (n, d_v)
    output = LazyRows(n, lambda i: tuple(ops.settle("outputs", o) for o in ops.combine(weights[i], V)))
    return Trace(
        X=X,
        weight_matrices={name: numbers[name] for name in ("W_Q", "W_K", "W_V") if name in numbers},
        Q=Q,
        K=K,
        V=V,
        scores=scores,
        root=root,
        scaled_scores=scaled,
        exponentials=exponentials,
        row_sums=row_sums,
        attention_weights=weights,
        output=output,
    )
