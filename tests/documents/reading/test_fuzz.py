"""Random text never breaks a reader: it gives chains that stand inside the text, or refusals."""

from __future__ import annotations

from contextlib import suppress

from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.documents.reading.chains import read_math
from symattn.documents.reading.code import read_code, read_prose, read_source
from symattn.documents.reading.outline import outline
from symattn.documents.reading.tree import Chain, Number, Unread, walk
from symattn.documents.reading.value import evaluate
from symattn.errors import SymattnError

LATEX_PIECES = r"""
1 2.5 0 x K Q d_k e \alpha \text{sum} \text{softmax} W^Q K^T + - = \approx \cdot \times / \frac{1}{2} \sqrt{2}
\sqrt \frac { } ( ) [ ] , ; : . & \\ \quad ^ _ ' | \left( \right) \begin{bmatrix} \end{bmatrix} \begin{aligned}
\end{aligned} \begin{array}{cc} \end{array} \{ \} \xrightarrow{\div2} \boxed{ \infty \cdots \max( ! \foo \over
^{2} _{1} ^T \hat \overset \text{ \ 1{,}024 0.\overline{3} % ~ \underbrace{ \leftarrow \to $
\begin{cases} \end{cases} \label{ \phantom{1} | \langle \rangle \mathrm{softmax} \prime ᵀ ₁ ²
"""
PLAIN_PIECES = """
1 2.5 0. x Q1 QK^T Kᵀ W_Q e^0.7 softmax( exp( np.array( [[1 2] [3 4]] [1, 2] sum the 权重 é + - = ≈ → · × / √2
( ) [ ] { } , ; : . | * ** ^ _ ___ ' " # - 1. 2) >>> ← // % ... ? ! 2E 1e9 1e999 2x3 K.T a.b http://x ½ १
⎡1 1⎤ d_k=2 ² ᵀ V1=[1,2] | 1 | of and : Row
"""


def soup(pieces: str, *others: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*pieces.split(), *others]), max_size=14).map(" ".join)


LATEX = soup(LATEX_PIECES)
PLAIN = soup(PLAIN_PIECES, "\n", "\n\n", "\x00", "\ud800", "  ", "\n[1 2]")


def check(text: str, chains: tuple[Chain, ...]) -> None:
    for chain in chains:
        outline(chain)
        for node in walk(chain):
            assert 0 <= node.start <= node.end <= len(text)
            if isinstance(node, Number):
                assert text[node.start : node.end] == node.text
                assert isinstance(node.value, fmpq)
            if isinstance(node, Unread):
                assert node.reason
        for item in chain.items:
            with suppress(SymattnError):
                evaluate(item, {"x": fmpq(2), "Q": fmpq(1)})


@given(LATEX)
def test_latex(text: str) -> None:
    check(text, read_math(text))


@given(PLAIN)
def test_plain_text(text: str) -> None:
    for read in (read_code, read_prose, read_source):
        check(text, read(text))


@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    for read in (read_math, read_code, read_prose, read_source):
        check(text, read(text))
