"""Programs that are run here, by Python and NumPy themselves: what they print is right, and a changed digit is found."""

from __future__ import annotations

import ast
import contextlib
import io
import random
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import nbformat
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.load import load_document
from symattn.documents.report import Checked
from symattn.documents.verify import check

Output = tuple[str, str | None]

EMBEDDED = """import numpy as np
X = np.array([[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]])
W_q = np.array([[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]])
W_k = np.array([[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]])
W_v = np.array([[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]])
"""
PROJECTED = "Q = X @ W_q\nK = X @ W_k\nV = X @ W_v"
SOFTMAX = """def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
SMALL = "import numpy as np\nQ = np.array([[1.0, 2.0], [0.0, 3.0]])\nK = np.array([[2.0, 1.0], [1.0, 0.0]])\n"


def ran(cells: Sequence[str]) -> list[Output]:
    """What the cells print, and the representation of what the last line of each is worth."""
    names: dict[str, object] = {}
    outputs: list[Output] = []
    with np.printoptions(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in cells:
            body = ast.parse(source).body
            last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
            result = None
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102
                if isinstance(last, ast.Expr):
                    result = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
            outputs.append((out.getvalue(), None if result is None else repr(result)))
    return outputs


def judged(tmp_path: Path, cells: Sequence[str], outputs: Sequence[Output]) -> Checked:
    notebook = nbformat.v4.new_notebook(metadata={"language_info": {"name": "python"}})
    for source, (text, result) in zip(cells, outputs, strict=True):
        cell = nbformat.v4.new_code_cell(source)
        if text:
            cell.outputs.append(nbformat.v4.new_output("stream", name="stdout", text=text))
        if result is not None:
            data = {"text/plain": result}
            cell.outputs.append(nbformat.v4.new_output("execute_result", data=data, execution_count=1))
        notebook.cells.append(cell)
    path = tmp_path / "cells.ipynb"
    nbformat.write(notebook, path)
    return check(load_document(path))


def changed(outputs: Sequence[Output], old: str, new: str) -> list[Output]:
    """The outputs with a slip in the place where `old` stands, which is one place."""
    assert sum(text.count(old) + (result or "").count(old) for text, result in outputs) == 1
    return [(text.replace(old, new), None if result is None else result.replace(old, new)) for text, result in outputs]


def told(checked: Checked) -> list[tuple[str, str]]:
    return [(claim.text, claim.message) for claim in checked.findings]


PIPELINE = (
    EMBEDDED,
    PROJECTED + "\nprint(Q)\nprint('K:', K)\nprint(f'V =\\n{V}')",
    "d_k = K.shape[1]\nscores = Q @ K.T\nscores",
    "scaled = scores / np.sqrt(d_k)\nscaled",
    SOFTMAX + "weights = softmax(scaled)\nprint(weights)\nweights.sum(axis=1)",
    "output = weights @ V\nprint('output', output.round(3), sep='\\n')\noutput[1]",
)
PROGRAMS = {
    "the whole of attention": PIPELINE,
    "four digits": ("import numpy as np\nnp.set_printoptions(precision=4, suppress=True)", *PIPELINE),
    "powers of ten": (SMALL, "w = np.exp(9 * Q) / np.exp(9 * Q).sum(axis=1, keepdims=True)\nprint(w)"),
    "products": (SMALL, "print(Q.dot(K.T))\nprint(np.dot(Q, K.transpose()))\nprint(np.matmul(Q, K))\nQ @ K[0]"),
    "roots": (
        SMALL + "import math",
        "S = Q @ K.T\nprint(S / math.sqrt(3))\nprint(S * 3 ** -0.5)\nprint(S / 3**0.5)\nS / np.sqrt(3)",
    ),
    "entries": (SMALL, "S = Q @ K.T / np.sqrt(2)\nprint(S[0])\nprint(S[1, 0])\nprint(S[:, 1])\nprint(S[-1])\nS[0][1]"),
    "bound again": (SMALL, "S = Q @ K.T\nprint(S)", "S = S / np.sqrt(7)\nprint(S)", "S = S * 2\nS"),
    "rounded": (SMALL, "S = Q @ K.T / 7\nprint(S.round(2))\nprint(np.round(S, 3))\nprint(np.round(S[0, 0], 4))"),
    "words and numbers": (
        SMALL,
        "s = Q[0] @ K[0]\nprint('score:', s)\nprint(f'scaled {s / 3:.4f}, twice {2 * s / 3:.2f}')",
        "print('%.3f and %d' % (s / 7, s))\nprint('{:.5f}'.format(s / 7))\nprint(s / 7)",
    ),
    "sums": (
        SMALL,
        "E = np.exp(Q)\nprint(E.sum(axis=1))\nprint(E.sum(-1))\nprint(E.sum(0))\nprint(E.sum())\nnp.sum(E, axis=0)",
    ),
    "over the columns": (
        SMALL,
        "def softmax(z):\n    e = np.exp(z)\n    return e / e.sum(axis=0)\n",
        "softmax(Q @ K.T)",
    ),
    "over everything": (
        SMALL,
        "def softmax(z):\n    e = np.exp(z - z.max())\n    return e / e.sum()\n",
        "softmax(Q @ K.T)",
    ),
    "causal": (
        SMALL + SOFTMAX,
        "S = Q @ K.T / np.sqrt(2)\nM = np.where(np.tril(np.ones((2, 2))) == 1, S, -np.inf)\nprint(M)\nprint(softmax(M))",
    ),
    "masks of truths": (
        SMALL + SOFTMAX,
        (
            "S = Q @ K.T / np.sqrt(2)\nhidden = np.triu(np.ones((2, 2), dtype=bool), k=1)\nM = np.where(hidden, -1e9, S)\n"
            "print(softmax(M))\nN = np.where(~hidden, S, 0.5)\nprint(N)\nprint(np.where(Q != 0, Q / 3, 1))"
        ),
    ),
    "lists": (
        "import math\nq = [1, 2]\nk = [3, 1]\ns = q[0] * k[0] + q[1] * k[1]\nprint(s)\nw = math.exp(s / 7)\nprint(w)\nprint(w / (1 + w))",
    ),
    "noise of the machine": (
        SMALL,
        "w = np.exp(Q) / np.exp(Q).sum(axis=1, keepdims=True)\nprint(w.sum(axis=1) - 1)\nprint(w[0].sum() - 1)\nprint(0.1 + 0.2)",
    ),
}


@pytest.mark.parametrize("cells", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_what_numpy_prints_is_right(tmp_path: Path, cells: Sequence[str]) -> None:
    found = judged(tmp_path, cells, ran(cells))
    assert found.claims
    assert told(found) == []


SLIPS = [
    ("the whole of attention", "[2 1 3]", "[2 1 4]", "4", "3"),
    ("the whole of attention", "12, 10]", "12, 11]", "11", "10"),
    ("the whole of attention", "7.54707581e-01", "7.54770581e-01", "7.54770581e-01", "0.754707581"),
    ("the whole of attention", "[[1.864", "[[1.863", "1.863", "1.864"),
    ("the whole of attention", "array([1., 1., 1.])", "array([1., 2., 1.])", "2.", "1"),
    ("four digits", "6.9282, 5.7735", "6.9282, 5.7753", "5.7753", "5.7735"),
    ("powers of ten", "9.99876605e-01", "9.98876605e-01", "9.98876605e-01", "0.999876605"),
    ("entries", "[2.82842712 0.70710678]", "[2.82842712 0.70701678]", "0.70701678", "0.70710678"),
    ("rounded", "[0.571 0.143]", "[0.571 0.142]", "0.142", "0.143"),
    ("words and numbers", "twice 2.67", "twice 2.76", "2.76", "2.67"),
    ("words and numbers", "score: 4.0", "score: 5.0", "5.0", "4.0"),
    ("sums", "31.19287485057736", "31.19827485057736", "31.19827485057736", "31.19287485057736"),
    ("over the columns", "0.73105858, 0.73105858", "0.73105858, 0.73150858", "0.73150858", "0.73105858"),
    ("lists", "2.0427270702661", "2.0247270702661", "2.0247270702661", "2.0427270702661"),
]


@pytest.mark.parametrize(("program", "old", "new", "written", "right"), SLIPS)
def test_a_slip_in_an_output_is_the_one_finding(
    tmp_path: Path, program: str, old: str, new: str, written: str, right: str
) -> None:
    cells = PROGRAMS[program]
    found = judged(tmp_path, cells, changed(ran(cells), old, new))
    (claim,) = found.findings
    assert claim.text.startswith(written)
    assert claim.expected is not None
    assert float(claim.expected) == pytest.approx(float(right), abs=1e-13)
    line = found.document.line(claim.place.line)
    assert line[claim.place.column - 1 : claim.place.end_column - 1] == claim.text
    assert written in line


def test_each_digit_counts(tmp_path: Path) -> None:
    """Of every program a few of the numbers that were judged, each with one digit changed, are found there and right."""
    chance = random.Random(7)  # noqa: S311
    for cells in PROGRAMS.values():
        found = judged(tmp_path, cells, ran(cells))
        source = found.document.source
        right = [claim for claim in found.claims if claim.right and abs(float(claim.text)) > 1e-6]
        for claim in chance.sample(right, min(3, len(right))):
            start, end = claim.span
            places = [match.start() for match in re.finditer(r"[0-9]", source[start:end].partition("e")[0])][:4]
            at = start + chance.choice(places)
            slip = source[:at] + str((int(source[at]) + chance.randint(2, 8)) % 10) + source[at + 1 :]
            path = tmp_path / "slip.ipynb"
            path.write_text(slip, "utf-8")
            (finding,) = check(load_document(path)).findings
            assert finding.span == claim.span
            assert finding.expected is not None
            assert finding.decimal == claim.decimal


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_any_attention_that_numpy_prints_is_right(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    n, d = chance.randint(1, 4), chance.randint(1, 4)

    def matrix(rows: int, columns: int) -> str:
        digits = chance.choice([0, 1, 2])
        rows_ = [[round(chance.uniform(-3, 3), digits) for _ in range(columns)] for _ in range(rows)]
        return f"np.array({rows_})"

    cells = [
        f"import numpy as np\nQ = {matrix(n, d)}\nK = {matrix(n, d)}\nV = {matrix(n, d)}\n{SOFTMAX}",
        "scores = Q @ K.T\nprint(scores)",
        f"scaled = scores / np.sqrt({d})\nscaled",
        "weights = softmax(scaled)\nprint(weights)\nprint(weights.sum(axis=-1))",
        "print('output', weights @ V)\nprint((weights @ V).round(2))\nprint(f'{scaled[0, 0]:.3f}')\nweights[0, -1]",
    ]
    found = judged(tmp_path_factory.mktemp("any"), cells, ran(cells))
    assert told(found) == []


GIVEN = """
import numpy as np
import math
Q = np.array([[1.0, 2.0], [0.0, 3.0]])
K = np.array([[2.0, 1.0], [1.0, 0.0]])
I = np.array([[1, 2], [3, 4]])
x = np.array([0.5, 1.5, 2.5])
"""
LINES = [
    """
print(f"{2.675:.2f}")
print(f"{x[0]/4:.2f}")
print(round(2.675, 2))
print(round(0.125,2))
print(np.round(x))
""",
    """
print(f"{Q[0,1]/3:8.3f}|{Q[0,1]/3:>12}|{Q[0,1]/3!r}|{Q[0,1]/3:.3g}|{Q[0,1]/3:e}|{1234567.5:,}|{Q[0,1]:+.2f}|{Q[0,1]/3=}")
""",
    'print(f"{x.sum():.0%} and {x[0]/3:.1%}")',
    'print(Q, K, sep=", ")\nprint(*Q)\nprint()\nprint(Q[0], end="")\nprint(K[0], end=" | ")\nprint(K[1])',
    """
print(Q.tolist())
print((Q@K).tolist())
print(tuple(x*2))
print(list(x*2))
print(Q.shape, (Q@K).shape)
print(type(Q))
print(np.allclose(Q,K), Q[0,0]==1, None)
""",
    """
print(I * 0.5)
print(I ** 2)
print(I / I.sum())
print(I.T * x[:2])
print(I * x[:2, None])
print(np.outer(x, x))
print(np.multiply(I, I))
""",
    """
print(np.sum(Q, 1))
print(np.max(Q, 0))
print(Q.max(), Q.min(), Q.mean(), Q.std())
print(np.mean(Q, axis=0))
print(sum([1,2,3]), max(1,2), abs(-3), min([4,2]))
""",
    """
R = np.array([1.7, 2.2])
print(R.astype(int))
print(np.array([1.7, 2.2], dtype=int))
print(R // 1)
print(R % 1)
print(-R)
print(-7 // 2)
print(7 // 2, 7 % 3, 2**-1, 2**0.5)
""",
    "B = Q.T\nB[0, 0] = 9\nprint(Q)\nprint(Q @ K)",
    "B = Q.reshape(4)\nB[0] = 9\nprint(Q @ K)",
    "B = np.asarray(Q)\nB[0] = 9\nprint(Q @ K)",
    "B = Q.copy()\nB[0] = 9\nprint(Q @ K)\nprint(B @ K)",
    "np.add(Q, 1, out=Q)\nprint(Q @ K)",
    "np.fill_diagonal(Q, 5)\nprint(Q @ K)",
    "L = [1, 2, 3]\nM = L\nM.append(4)\nprint(sum(L))\nprint(L)",
    "L = [1, 2, 3]\nL += [4]\nprint(sum(L))\nprint(L, L * 2, L + L)",
    "L = [[1, 2], [3, 4]]\nL[0][0] = 7\nprint(np.array(L) @ Q)",
    "L = [Q, K]\nL[0][0, 0] = 100\nprint(Q @ K)",
    'D = {"q": Q}\nD["q"] *= 2\nprint(Q @ K)\nprint(D["q"] @ K)',
    "for row in Q:\n    row[0] = 5\nprint(Q @ K)",
    "[r.fill(2) for r in Q]\nprint(Q @ K)",
    "S = Q @ K\ndef f(a, s=S):\n    return a + s\nS = S * 2\nprint(f(Q))",
    "def g(a):\n    return a @ K\nprint(g(Q))\nK = K * 2\nprint(g(Q))",
    "Q, K = K, Q\nprint(Q @ K)",
    "a = b = Q @ K\na += 1\nprint(b)\nprint(a)",
    "print((y := Q @ K))\nprint(y * 2)",
    "np = 5\nprint(np * 2)",
    "sum = 3\nprint(sum * 2)\nmax = lambda *a: 0\nprint(max(1, 2))",
    "def sqrt(x):\n    return x * 100\nprint(sqrt(4))\nprint(Q / sqrt(4))",
    "from math import sqrt\nprint(Q / sqrt(2))\ndef sqrt(x):\n    return x\nprint(Q / sqrt(2))",
    "class A:\n    v = 3\nprint(A.v * 2)\nA.v = 5\nprint(A.v)",
    "print(Q @ K if Q.sum() > 100 else Q + K)",
    'print([round(float(v), 2) for v in x / 3])\nprint([f"{v:.2f}" for v in x])',
    "w = {i: v for i, v in enumerate(x / 3)}\nprint(w)\nprint(w[0])",
    """
import numpy as np
print(np.float32(1) / 3)
print(Q.astype(np.float32) / 3)
print(np.float16(1) / 3)
print((Q / 3).astype(np.float16))
""",
    """
big = np.arange(2000) * 0.5
print(big)
print(big.sum())
print(np.arange(4) * 0.5)
print(np.linspace(0, 1, 5))
""",
    "print(np.exp(x * 300))\nprint(np.exp(-x * 300))\nprint(1e20 * x)\nprint(x * 1e-9)",
    "print(np.array([1e-3, 1e5]) * 1.0)\nprint(np.array([1e-3, 123456.789]) / 1.0)\nprint(np.array([1, 1e10]) / 3)",
    """
print(0.1 * 3, 0.1 + 0.2, 1 - 0.9)
print(np.array([0.1, 0.2]) * 3 - np.array([0.3, 0.6]))
print(math.sqrt(2) ** 2 - 2)
print(1e16 + 1 - 1e16)
""",
    SOFTMAX + "w = softmax(Q * 50)\nprint(w)\nprint(w.sum(-1))\nprint(1 - w)\nprint(np.log(w))",
    SOFTMAX
    + """
print(softmax(np.array([1000., 1001., 1002.])))
print(softmax(x))
print(softmax(x[None]))
print(softmax(Q.T).T)
""",
    """
e = np.exp(Q)
print(e / e.sum(axis=1))
print(e / e.sum(axis=1)[:, None])
print(e / e.sum(axis=1).reshape(-1, 1))
print((e.T / e.sum(axis=1)).T)
""",
    "with np.printoptions(precision=2):\n    print(Q / 3)\nprint(Q / 3)",
    "np.set_printoptions(precision=3)\nprint(Q / 3)\nprint(Q / 30000)",
    'np.set_printoptions(formatter={"float": "{:0.2f}".format})\nprint(Q / 3)\nprint(Q/2000)',
    "np.set_printoptions(suppress=True, precision=2)\nprint(Q / 300)\nprint(np.array([3., 3.4]) / 2)\nQ / 3",
    'np.set_printoptions(sign="+")\nprint(Q / 3)',
    'np.set_printoptions(floatmode="fixed", precision=3)\nprint(Q / 2)',
    'print(str(Q @ K))\nprint(repr(Q @ K))\nprint(np.array2string(Q / 3, precision=3))\nprint("S: " + str(Q @ K))',
    """
print("a", "b", 3, Q[0] @ K[0], "c")
print("step 1: 3 x 4 = ", 3 * 4)
print("shape (2, 2)", Q.shape)
print("-" * 20)
print("=" * 20, "done")
""",
    'print("Row 1 =", Q[0] @ K)\nprint("Row 2 =", Q[1] @ K)',
    'for i in range(2):\n    print(f"row {i}: {Q[i] @ K}")\nprint("S = ", Q @ K)',
    'for i, (q, k) in enumerate(zip(Q, K)):\n    s = q @ k\n    print(f"q_{i} . k_{i} = {s:.1f}")\nprint(s)',
    'for i in range(2):\n    for j in range(2):\n        print(f"S[{i},{j}] = {Q[i] @ K[j]}")',
    'for i in range(2):\n    for j in range(2):\n        print(f"S_{i+1}{j+1} = {Q[i] @ K[j]}")',
    "assert Q.shape == (2, 2)\nprint(Q @ K); print(K @ Q)",
    "Q @ K;",
    "Q @ K, K @ Q",
    "(Q @ K).shape",
    "x.argmax(), np.argmax(Q, axis=1)",
    "print(Q[:, 0], Q[1:], Q[:1, 1], Q[-1, -1], Q[..., 0], Q[None].shape, Q[[1, 0]], Q[Q > 1])",
    """
print(np.concatenate([Q, K], axis=1))
print(np.vstack([Q, K]))
print(np.hstack([Q[:, :1], K]))
print(np.concatenate([Q[:, :1] * 2, K[:, 1:] / 3], axis=-1))
""",
    """
print(np.einsum("ij,kj->ik", Q, K))
print(np.tensordot(Q, K, axes=1))
print(np.inner(Q, K))
print(np.vdot(Q, K))
print(np.linalg.norm(x))
""",
    "S = Q @ K.T\nS -= S.max()\nprint(S)\nS = S - S.min(axis=0)\nprint(S)",
    """
S = Q @ K.T
m = np.tril(np.ones((2, 2)))
S = np.where(m == 0, -1e9, S)
print(S)
S = S + (1 - m) * -1e9
print(S)
""",
    """
out = np.zeros((2, 2))
for i in range(2):
    for j in range(2):
        out[i, j] = Q[i] @ K[j]
print(out)
""",
    """
def attention(Q, K, V, scale=True):
    s = Q @ K.T
    if scale:
        s = s / np.sqrt(Q.shape[-1])
    return s @ V
print(attention(Q, K, I))
print(attention(Q, K, I, scale=False))
""",
    """
def attention(Q, K, V):
    s = Q @ K.T / math.sqrt(K.shape[-1])
    w = np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)
    return w @ V, w
o, w = attention(Q, K, I)
print(o)
print(w)
""",
    "d = 2\ndef f(z):\n    d = 9\n    return z / d\nprint(f(Q))\nprint(d)",
    "def f(z):\n    z = z * 2\n    return z\nz = Q\nprint(f(z))\nprint(z)",
    """
from functools import reduce
print(reduce(lambda a, b: a + b, [1, 2, 3]))
f = lambda a: a * 2
print(f(Q))
f = lambda a: a * 3
print(f(Q))
""",
    """
q, k = Q[0], K[0]
print(q * k)
print((q * k).sum())
print(sum(q * k))
print(sum(a * b for a, b in zip(q, k)))
print(q.dot(k) / len(q) ** .5)
""",
    "print(x.round(), x.round(1), np.around(x / 7, 2), round(x[0] / 7, 3), np.round(-x), np.floor(x), np.ceil(x))",
    'print(f"weights: {np.round(x / x.sum(), 2)} sum {np.round(x / x.sum(), 2).sum()}")',
    "W = np.round(np.exp(x) / np.exp(x).sum(), 2)\nprint(W)\nprint(W @ x)\nprint(W.sum())",
    "a = 5\na /= 2\nprint(a)\na **= 2\nprint(a)\na //= 1\nprint(a)",
    "del Q\nQ = K * 2\nprint(Q)",
    """
import numpy
print(numpy.exp(1), np.e, np.pi, math.pi, math.e, math.exp(1), math.log(10), np.log2(8), np.log10(5), math.log(8, 2), math.pow(2, 3))
""",
    """
print(1 / (1 + np.exp(-x)))
print(np.tanh(x))
print(np.maximum(0, x - 1))
print(np.clip(x, 0, 1))
print(np.cumsum(x))
""",
    "print(3 > 2, not True, 3 & 1, 1 << 3, ~1)",
    """
print("%.2f %s %5.1f %d%%" % (x[0] / 3, Q[0], 2.5, 50))
print("{0:.2f} {1} {0}".format(x[0] / 3, Q[0]))
print("{a:.1f}".format(a=x[2]))
""",
    "print(np.float64(0.1) + 0.2)\nnp.float64(3)",
    "print(-0.0, np.array([-0.0, 0.0]) * 1, -Q)",
    "print(np.array([[1, 2], [3, 4]]).sum(axis=0) / 2, np.array([5]) / 2, np.array([[5]]) / 2, np.array(5) / 2)",
    """
print(Q.flatten() * 2, Q.ravel(), Q.reshape(1, 4), Q.reshape(-1), Q.squeeze(), Q.diagonal(), np.trace(Q), np.diag(x))
""",
    "print(10**20, 10**20 / 3, 2**100, 1_000_000 / 7, 0x10, 1e3, 5e-324)",
    """
S = Q @ K.T
print("scores:\\n%s" % S)
print("scores:\\n{}".format(S))
print(f"max score = {S.max()}, min = {S.min()}")
""",
    "import random\nrandom.seed(0)\nv = random.random()\nprint(v)\nprint(v * 2)",
    "print(1)\nprint(2.50)\nprint(0.1)",
    'raise_it = lambda: 1/0\nprint("ok", 4 / 2)',
    """
t = (1, 2)
a, b = t
print(a / b, t[1] / 3)
(a, b), c = (1, 2), 3
print(a + b + c)
a, *r = [1, 2, 3]
print(a, r)
""",
    "I2 = I\nI2 = I2 * 2\nprint(I, I2)",
    "Z = np.array([[1, 2], [3, 4]])\nZ = Z / 2\nZ[0] = Z[1]\nprint(Z)\nprint(Z @ Q)",
    "s = 0\nfor v in x:\n    s += math.exp(v)\nprint(s)\nprint([math.exp(v) / s for v in x])",
    "if True:\n    y = Q @ K\n    print(y)\nelse:\n    y = 3\nprint(y * 2)",
    'try:\n    y = Q @ x\nexcept ValueError as e:\n    print("error:", e)\nprint(Q @ K)',
    'import sys\nprint("to stderr 5", file=sys.stderr)\nprint(Q @ K)',
    'print("""S =\n 2""")\nprint(Q[0] @ K[0])',
    """
import warnings; warnings.filterwarnings("ignore")
print(np.log(np.array([0., 1.])))
print(np.array([0., 1.]) / 0)
""",
]


@pytest.mark.parametrize("number", range(len(LINES)))
def test_nothing_that_python_prints_is_wrong(tmp_path: Path, number: int) -> None:
    cells = (GIVEN, LINES[number])
    assert told(judged(tmp_path, cells, ran(cells))) == []


LOOPS = [
    'for i in range(2):\n    for j in range(2):\n        print(f"q{i}.k{j} = {Q[i] @ K[j] / 7}")',
    'for i in range(2):\n    print(f"Row {i}: weights = {(np.exp(Q[i]) / np.exp(Q[i]).sum()).round(3)}")',
    'for i, q in enumerate(Q):\n    s = q @ K.T\n    print(f"token {i}: sum = {s.sum() / 7:.3f}, scores = {s / 7}")',
    'for i, (q, k) in enumerate(zip(Q, K), 1):\n    print("pair", i, q @ k / 7)\nprint("all", Q @ K.T / 3)',
    "for n in range(1, 3):\n    print(n, Q[n - 1] / 7)",
]


@pytest.mark.parametrize("loop", LOOPS)
def test_the_turns_of_a_loop(tmp_path: Path, loop: str) -> None:
    outputs = ran((GIVEN, loop))
    found = judged(tmp_path, (GIVEN, loop), outputs)
    assert told(found) == []
    assert len(found.claims) >= 4
    last = [claim for claim in found.claims if len(claim.text.partition(".")[2]) > 2][-1].text
    new = last[:4] + str((int(last[4]) + 5) % 10) + last[5:]
    printed = new.join(outputs[1][0].rsplit(last, 1))
    (finding,) = judged(tmp_path, (GIVEN, loop), [outputs[0], (printed, None)]).findings
    assert finding.text == new


MARKDOWN = """# Scores

We multiply.

```python
import numpy as np
Q = np.array([[1, 0, 2], [2, 1, 0]])
K = np.array([[1, 1, 0], [0, 2, 1]])
print(Q @ K.T)  # every query with every key
print(Q @ K.T / np.sqrt(3))
```

BETWEEN

```PLAIN
[[1 2]
 [3 2]]
[[0.57735027 1.15470054]
 [1.73205081 1.15470054]]
```
"""


@pytest.mark.parametrize(("between", "plain"), [("", ""), ("Output:", "text"), ("das ergibt", "output")])
def test_code_and_output_in_markdown(tmp_path: Path, between: str, plain: str) -> None:
    path = tmp_path / "scores.md"
    text = MARKDOWN.replace("BETWEEN", between).replace("PLAIN", plain)
    path.write_text(text, "utf-8")
    found = check(load_document(path))
    assert len(found.claims) == 8
    assert told(found) == []
    path.write_text(text.replace("[3 2]", "[3 4]").replace("1.73205081", "1.73250081"), "utf-8")
    found = check(load_document(path))
    assert [(c.text, c.expected, c.place.line) for c in found.findings] == [
        ("4", "2", 17),
        ("1.73250081", "1.73205081", 19),
    ]


def test_a_block_far_from_code_is_no_output(tmp_path: Path) -> None:
    path = tmp_path / "scores.md"
    far = "The next table is what another group found with other vectors, and with a mask; see there."
    path.write_text(MARKDOWN.replace("BETWEEN", far).replace("PLAIN", "").replace("[3 2]", "[3 4]"), "utf-8")
    assert not any("@" in claim.working for claim in check(load_document(path)).claims)


def test_a_comment_in_a_session(tmp_path: Path) -> None:
    path = tmp_path / "session.md"
    prompts = ">>> a = 7  # given\n>>> a / 3  # a third\n2.3333333333333335\n>>> a * 3\n22\n"
    path.write_text(f"```python\n{prompts}```\n", "utf-8")
    found = check(load_document(path))
    assert [(c.text, c.verdict.value, c.expected) for c in found.claims][1:] == [("22", "wrong", "21")]
    assert found.claims[0].right


UNKNOWN = {
    "chance": (SMALL, "R = np.random.default_rng(1).normal(size=(2, 2))\nprint(R)\nprint(Q @ R)"),
    "an alias": (SMALL, "B = Q\nB[0] = 7\nprint(Q)\nprint(Q @ K.T)"),
    "a view": (SMALL, "row = Q[0]\nrow += 5\nprint(Q)"),
    "changed in its place": (SMALL, "B = Q\nB *= 2\nprint(Q)\nprint(B)"),
    "changed by a function": (SMALL, "def change(m):\n    m -= 1\nchange(Q)\nprint(Q)"),
    "a global": (SMALL, "def twice():\n    global Q\n    Q = Q * 2\ntwice()\nprint(Q @ K.T)"),
    "a condition": (SMALL, "if Q.sum() > 3:\n    Q = Q * 2\nprint(Q @ K.T)"),
    "a loop": (SMALL, "while Q.sum() < 100:\n    Q = Q * 2\nprint(Q)"),
    "a mask": (SMALL, "S = Q @ K.T\nS[0, 1] = -np.inf\nprint(S)"),
    "whole numbers": (SMALL, "print((Q / 3).astype(int))\nprint(Q // 2)\nprint(Q % 2)"),
    "three axes": (SMALL, "print(np.stack([Q, K]).sum(axis=0))\nprint((Q[:, None, :] * K[None]).sum(-1))"),
}


@pytest.mark.parametrize("cells", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_nothing_is_guessed(tmp_path: Path, cells: Sequence[str]) -> None:
    assert told(judged(tmp_path, cells, ran(cells))) == []


HOSTILE = [
    "__import__('os').system('touch {path}')",
    "print(__import__('pathlib').Path('{path}').touch())",
    "exec(\"open('{path}', 'w')\")\nprint(1)",
    "9**9**9",
    "x = 9**9**9\nprint(x)",
    "x = 2\n" + "x = x**x\n" * 9 + "print(x)",
    "np.zeros(10**9)",
    "x = [1] * 10**9\nprint(x)",
    "print('a' * 10**9)",
    "print(f'{{1.5:.999999999f}}')",
    "A = np.array([[1., 2.], [3., 4.]])\n" + "A = A @ A\n" * 60 + "print(A)",
    "A = np.array([[1., 2.], [3., 4.]])\n" + "A = np.exp(A)\n" * 40 + "print(A)",
    "A = np.array([[1., 2.], [3., 4.]])\nprint(A[::0])\nprint(A[10**100])",
    "def f(n):\n    return f(n) + f(n)\nprint(f(3))",
    "x = " + "(" * 500 + "1" + ")" * 500 + "\nprint(x)",
    "x = " + "1+" * 8000 + "1\nprint(x)",
    "x = " + "-" * 15000 + "1\nprint(x)",
    "x = " + "9" * 5000 + "\nprint(x * x)",
    "x = 1e-400000\nprint(x)",
    "print(1 / 0)",
    "print(",
]


@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_code_does_nothing(tmp_path: Path, source: str) -> None:
    touched = tmp_path / "touched"
    source = source.format(path=touched)
    found = judged(tmp_path, [source], [("[[1. 2.]\n [3. 4.]]\n", "array([5., 6.])")])
    assert not touched.exists()
    assert all(claim.verdict is Verdict.UNDECIDED for claim in found.claims)
