"""Dimensions that a document states are compared with its matrices."""

from __future__ import annotations

import pytest

from symattn.documents.verify import verify

MATRIX = r"$Q = \begin{pmatrix}1&2\\0&1\\1&1\end{pmatrix}$, $K = \begin{pmatrix}1&0\\1&1\end{pmatrix}$"

STATED = [
    (rf"{MATRIX}. $Q \in \mathbb{{R}}^{{3 \times 2}}$", []),
    (rf"{MATRIX}. $Q \in \mathbb{{R}}^{{2 \times 3}}$", ["Q is 3x2, but what is written is 2x3"]),
    (rf"$Q \in \mathbb{{R}}^{{2 \times 3}}$ below. {MATRIX}", ["Q is 3x2, but what is written is 2x3"]),
    (rf"{MATRIX}. So $QK^T$ is a $3\times 2$ matrix.", []),
    (rf"{MATRIX}. So $QK^T$ is a $2\times 3$ matrix.", ["Q·Kᵀ is 3x2, but what is written is 2x3"]),
    (f"{MATRIX}. `Q` has shape (3, 3).", ["Q is 3x2, but what is written is 3x3"]),
    (f"{MATRIX}. `Q.T` tem forma (3, 2).", ["Qᵀ is 2x3, but what is written is 3x2"]),
    ("Shapes: (2×3)·(3×4) → 2×4", []),
    ("Shapes: (2×3)·(3×4) → 3×4", ["(2x3)·(3x4) is 2x4, but what is written is 3x4"]),
    ("Shapes: (2×3)·(4×3) → 2×3", ["(2x3)·(4x3) is not defined for these shapes"]),
    (f"{MATRIX}. K.T has shape (2, 2), so Q @ K.T has shape (2, 3).", ["Q·Kᵀ is 3x2, but what is written is 2x3"]),
    # those of a whole model, beside a small example
    (rf"{MATRIX}. In the paper $Q \in \mathbb{{R}}^{{512 \times 64}}$.", []),
    # arithmetic
    (r"$(2 \times 3) \cdot (3 \times 2) = 36$", []),
]


@pytest.mark.parametrize(("text", "findings"), STATED, ids=[text[-40:] for text, _ in STATED])
def test_stated_dimensions(text: str, findings: list[str]) -> None:
    (found,) = verify(text).documents
    assert [claim.message for claim in found.findings] == findings
    assert all(claim.verdict.value == "shape" for claim in found.findings)
