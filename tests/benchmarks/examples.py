"""Random worked examples whose scores lie in −9…9: integers throughout, the same for the same seed.

Integers of −3…3 straight through give scores of thousands and weights of 0 and 1. So Q and K are drawn first, ever sparser
until no score is beyond ±9, and the weights follow from them through an identity block in X.
"""

from __future__ import annotations

import numpy as np


def example(tokens: int, d_model: int, d_k: int, seed: int = 0) -> dict[str, object]:
    """A spec as a dict, for tokens <= d_model."""
    rng = np.random.default_rng(seed)
    density = 1.0

    def small(rows: int, columns: int) -> np.ndarray:
        return rng.choice([-1, 1], (rows, columns)) * (rng.random((rows, columns)) < density)

    while True:
        Q, K = small(tokens, d_k), small(tokens, d_k)
        if np.abs(Q @ K.T).max() <= 9:
            break
        density *= 0.98
    rest = d_model - tokens
    beside = rng.integers(-1, 2, (tokens, rest)) * (rng.random((tokens, rest)) < 4 / max(rest, 4))

    def weights(target: np.ndarray) -> list[list[int]]:
        lower = rng.integers(-1, 2, (rest, d_k))
        return np.vstack([target - beside @ lower, lower]).tolist()

    return {
        "title": f"{tokens}/{d_model}/{d_k}",
        "tokens": [f"word{i}" for i in range(1, tokens + 1)],
        "X": np.hstack([np.eye(tokens, dtype=int), beside]).tolist(),
        "W_Q": weights(Q),
        "W_K": weights(K),
        "W_V": weights(rng.integers(-3, 4, (tokens, d_k))),
    }
