"""Layer normalisation and feed-forward networks by hand, the numbers recomputed with NumPy."""

from __future__ import annotations

import numpy as np

from symattn.documents.verify import verify

H = np.array([[1.69, 3.69, 0.93, 2.31], [0.40, 2.40, 4.80, 3.60]])

NORM = r"""## LayerNorm

$$H = \begin{bmatrix} 1.69 & 3.69 & 0.93 & 2.31 \\ 0.40 & 2.40 & 4.80 & 3.60 \end{bmatrix}$$

- $\mu_1 = 2.155$, $\sigma_1^2 \approx 1.024$, $\sigma_1 \approx 1.012$
- $\mu_2 = 2.800$, $\sigma_2^2 \approx 2.640$, $\sigma_2 \approx 1.625$

$$N = \begin{bmatrix} -0.459 & 1.517 & -1.210 & 0.153 \\ -1.477 & -0.246 & 1.231 & 0.492 \end{bmatrix}$$
"""

FFN = r"""## FFN

$$\text{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2$$

$W_1 = \begin{bmatrix} 1 & -1 \\ 0 & 1 \\ 2 & 0 \end{bmatrix}$, $b_1 = [0.1, 0]$,
$W_2 = \begin{bmatrix} 0.5 & 1 & -1 \\ 1 & 0 & 2 \end{bmatrix}$, $b_2 = [0, 0.2, 0]$

$n = [1.16, -1.27, 0.16]$

- $nW_1 + b_1 = [1.58, -2.43]$
- ReLU: $[1.58, 0]$
- Output: $[0.79, 1.78, -1.58]$

$\text{FFN}(n) = [0.79, 1.78, -1.58]$
"""


def slips(text: str) -> list[tuple[str, str | None]]:
    (found,) = verify(text, format="markdown").documents
    return [(claim.text, claim.expected) for claim in found.findings]


def right(text: str) -> int:
    (found,) = verify(text, format="markdown").documents
    return sum(claim.right for claim in found.claims)


def test_the_numbers_of_the_example() -> None:
    means, variances = H.mean(axis=1), H.var(axis=1)
    assert means.round(3).tolist() == [2.155, 2.8]
    assert variances.round(3).tolist() == [1.024, 2.64]
    normal = (H - means.round(3)[:, None]) / np.sqrt(variances).round(3)[:, None]
    assert normal.round(3).tolist() == [[-0.459, 1.517, -1.21, 0.153], [-1.477, -0.246, 1.231, 0.492]]


def test_moments_and_rows_that_are_right() -> None:
    assert slips(NORM) == []
    assert right(NORM) == 2 * 3 + 8


def test_a_mean_a_variance_a_deviation_and_an_entry_that_are_wrong() -> None:
    assert slips(NORM.replace("2.155", "2.156")) == [("2.156", "2.155")]
    # divided by 3 in place of 4
    assert slips(NORM.replace("2.640", "3.520"))[0] == ("3.520", "2.640")
    assert slips(NORM.replace("1.625", "1.725"))[0] == ("1.725", "1.625")
    assert slips(NORM.replace("-1.210", "-1.120")) == [("-1.120", "-1.210")]


def test_moments_of_nothing_that_was_displayed_are_not_judged() -> None:
    assert slips("## LayerNorm\n\n$\\mu = 0.5$ and $\\sigma^2 = 0.25$ are learned.\n") == []


def test_a_feed_forward_network_that_the_document_defines() -> None:
    assert slips(FFN) == []
    assert slips(FFN.replace("Output: $[0.79, 1.78", "Output: $[0.79, 1.68")) == [("1.68", "1.78")]
    assert slips(FFN.replace("FFN}(n) = [0.79, 1.78", "FFN}(n) = [0.79, 1.68")) == [("1.68", "1.78")]


def test_a_function_may_be_defined_anew() -> None:
    text = "$\\text{f}(x) = 2x$, $\\text{f}(3) = 6$. $\\text{f}(x) = 3x$, $\\text{f}(3) = 9$, $\\text{f}(4) = 11$\n"
    assert slips(text) == [("11", "12")]
