"""What a notebook or a session printed is judged by the expression that was printed, and by nothing else."""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any

import numpy as np
import pytest

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.load import load_document
from symattn.documents.judging.engine import judged_document
from symattn.documents.report import Checked

GIVEN = """import numpy as np
Q = np.array([[1., 0.], [0., 2.]])
K = np.array([[4., 0.], [1., 2.]])
V = np.array([[1., 2.], [3., 4.]])"""
SCORES = "S = Q @ K.T\n"


def cell(source: str, printed: str = "", result: str = "") -> dict[str, Any]:
    outputs: list[dict[str, Any]] = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if result:
        outputs.append({"output_type": "execute_result", "data": {"text/plain": result}, "metadata": {}})
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": outputs}


def words(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def checked(*cells: dict[str, Any], sort: bool = False) -> Checked:
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    text = json.dumps(notebook, indent=1, sort_keys=sort)
    return judged_document(load_document(text, format="notebook"))


def told(*cells: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return [(claim.text, claim.verdict.value, claim.expected) for claim in checked(cell(GIVEN), *cells).claims]


def right(*cells: dict[str, Any]) -> list[str]:
    """The numbers that are claims, all of them right."""
    found = checked(cell(GIVEN), *cells)
    assert found.findings == ()
    assert not any(claim.verdict is Verdict.UNDECIDED for claim in found.claims)
    return [claim.text for claim in found.claims]


def test_a_row_sum_is_no_stage() -> None:
    made = "A = np.array([[.5, .5], [.25, .75]])\n"
    assert right(cell(made + "A.sum(axis=1)", result="array([1., 1.])")) == ["1.", "1."]
    assert told(cell(made + "A.sum(axis=0)", result="array([0.75, 1.  ])")) == [
        ("0.75", "exact", "0.75"),
        ("1.", "wrong", "1.25"),
    ]
    assert told(cell(made + "A.sum(axis=0)", result="array([1., 1.])"))[0] == ("1.", "wrong", "0.750")


def test_softmax_of_rows_that_are_no_stage() -> None:
    printed = "[[0.73105858 0.26894142]\n [0.04742587 0.95257413]]\n"
    assert len(right(cell("rows = np.array([[1., 0.], [0., 3.]])\nprint(softmax(rows))", printed))) == 4


def test_a_given_printed_is_no_claim() -> None:
    assert right(cell("w = np.array([3., 4.])\nw", result="array([3., 4.])")) == []
    assert told(cell("w = np.array([3., 4.])\nw", result="array([3., 5.])"))[-1] == ("5.", "inconsistent", "4")


def test_a_name_takes_its_last_value() -> None:
    doubled = cell("Q = Q * 2\nprint(Q)", "[[2. 0.]\n [0. 4.]]\n")
    assert right(doubled, cell("print(Q @ K.T)", "[[8. 2.]\n [0. 8.]]\n"))[4:] == ["8.", "2.", "0.", "8."]
    old = told(doubled, cell("print(Q @ K.T)", "[[4. 1.]\n [0. 4.]]\n"))[4:]
    assert old == [("4.", "wrong", "8"), ("1.", "wrong", "2"), ("0.", "exact", "0"), ("4.", "wrong", "8")]


def test_prints_before_and_after_a_change_in_one_cell() -> None:
    source = "print(Q @ K.T)\nQ = Q * 2\nprint(Q @ K.T)"
    found = right(cell(source, "[[4. 1.]\n [0. 4.]]\n[[8. 2.]\n [0. 8.]]\n"))
    assert found == ["4.", "1.", "0.", "4.", "8.", "2.", "8."]  # the 0 stands there already


@pytest.mark.parametrize(
    ("source", "printed", "result"),
    [
        ("np.dot(Q[0], K[0]) - 1", "", "np.float64(3.0)"),
        ("print(Q[0] @ K[0])", "4.0\n", ""),
        (SCORES + 'print("S", S)', "S [[4. 1.]\n [0. 4.]]\n", ""),
        (SCORES + 'print("S =\\n", S)', "S =\n [[4. 1.]\n [0. 4.]]\n", ""),
        (SCORES + "np.exp(S)", "", "array([[54.59815003,  2.71828183],\n       [ 1.        , 54.59815003]])"),
        ('print(f"sum = {V.sum():.2f}, max {V.max()}")', "sum = 10.00, max 4.0\n", ""),
        ('print("%.3f of %d" % (V[0, 1] / 3, 4))', "0.667 of 4\n", ""),
        ('print("{:.3f}: {x}".format(V[0, 1] / 3, x=Q[0] @ K[0]))', "0.667: 4.0\n", ""),
        ("print(S := 1)\nprint(Q.transpose() @ V)", "1\n[[1. 2.]\n [6. 8.]]\n", ""),
        ("print(V / V.sum(axis=1, keepdims=True))", "[[0.33333333 0.66666667]\n [0.42857143 0.57142857]]\n", ""),
        ("print(V - V.max(axis=-1, keepdims=True))", "[[-1.  0.]\n [-1.  0.]]\n", ""),
        ("d_k = Q.shape[1]\nprint(np.round(Q @ K.T / np.sqrt(d_k), 3))", "[[2.828 0.707]\n [0.    2.828]]\n", ""),
        ("n, d = Q.shape\nprint(n, d, Q.shape, Q @ K.T / d ** 0.5)", "2 2 (2, 2) [[2.83 0.71]\n [0.   2.83]]\n", ""),
        ("print((V / 3).tolist())", "[[0.3333333333333333, 0.6666666666666666], [1.0, 1.3333333333333333]]\n", ""),
        ("print(np.matmul(V, np.eye(2)), np.mean(V))", "[[1. 2.]\n [3. 4.]] 2.5\n", ""),
        ("print(softmax(np.cumsum(Q, 1)))\nprint(Q[0] @ K[0])", "[[0.1 0.9]\n [0.1 0.9]]\n4.0\n", ""),
    ],
)
def test_what_is_printed_is_what_its_expression_is_worth(source: str, printed: str, result: str) -> None:
    found = checked(cell(GIVEN), cell(source, printed, result))
    assert found.findings == ()
    assert any(claim.verdict.value in {"exact", "rounded"} for claim in found.claims)


def test_wrong_numbers_are_found_at_their_place() -> None:
    found = checked(cell(GIVEN), cell(SCORES + 'print("S", S)', "S [[4. 1.]\n [0. 5.]]\n"))
    (claim,) = found.findings
    assert (claim.text, claim.expected, claim.label) == ("5.", "4", "Scores[2,2]")
    line = found.document.line(claim.place.line)
    assert line[claim.place.column - 1 : claim.place.end_column - 1] == "5."
    assert line.strip() == r'" [0. 5.]]\n"'


def test_the_working_is_the_expression_of_the_program() -> None:
    (claim,) = checked(cell(GIVEN), cell("print(Q[0] @ K[0])", "5.0\n")).claims
    assert (claim.verdict, claim.expected, claim.working) == (Verdict.WRONG, "4.0", "Q[0] @ K[0]")


def test_keys_in_the_order_of_nbformat() -> None:
    """nbformat writes the outputs of a cell before its source."""
    cells = cell(GIVEN), cell("print(Q @ K.T)", "[[4. 1.]\n [0. 5.]]\n")
    assert [claim.text for claim in checked(*cells, sort=True).findings] == ["5."]


def test_what_is_not_understood_is_never_the_stage_that_fits() -> None:
    assert told(cell("print(secret(Q, K))", "[[4. 1.]\n [0. 4.]]\n")) == [("[[4. 1.]\n [0. 4.]]", "undecided", None)]
    assert told(cell("for q in secret(Q):\n    print(q @ K.T)", "[4. 1.]\n[0. 4.]\n")) == []
    assert told(cell("print(np.__version__)", "2.1.3\n")) == []
    assert told(cell("%run other.py\n", "[[4. 1.]\n [0. 4.]]\n")) == []
    assert told(cell("print 'no Python 3'", "[[4. 1.]\n [0. 4.]]\n")) == []


def test_a_label_finds_the_way_after_a_loop() -> None:
    source = 'for i in range(2):\n    print("row", i, Q[i])\nprint("S =", Q @ K.T)'
    assert told(cell(source, "row 0 [1. 0.]\nrow 1 [0. 2.]\nS = [[4. 1.]\n [0. 5.]]\n"))[-1] == ("5.", "wrong", "4")


def test_arrays_that_are_changed_in_their_place() -> None:
    changed = cell("S = Q @ K.T\nS[0, 1] = -np.inf\nprint(S)", "[[4. -inf]\n [0. 4.]]\n")
    assert told(changed) == []
    assert [claim[1] for claim in told(cell("R = Q\nR[0, 0] = 7\nprint(Q @ K.T)", "[[28. 7.]\n [0. 4.]]\n"))] == [
        "undecided"
    ]
    assert told(cell("T = K.T\nT *= 2\nprint(K)", "[[8. 0.]\n [2. 4.]]\n")) == []


def test_functions_of_the_notebook() -> None:
    body = 'def softmax(x, t=1.0):\n    """Of rows.\n\n    Shifted."""\n    # no overflow\n'
    body += "    x = x / t\n    e = np.exp(x - np.max(x, axis=-1, keepdims=True))\n"
    body += "    return e / e.sum(axis=-1, keepdims=True)\n"
    printed = "[[0.881 0.119]\n [0.269 0.731]]\n"
    assert len(right(cell(body), cell("print(softmax(Q * [[2, 2], [1, 0.5]]).round(3))", printed))) == 4
    warm = np.exp([1 / 2, 0]) / np.exp([1 / 2, 0]).sum()
    assert len(right(cell(body), cell("print(softmax(Q[0], t=2))", f"{warm}\n"))) == 2


def test_a_softmax_over_everything_is_judged_as_that() -> None:
    body = "def softmax(x):\n    e = np.exp(x)\n    return e / e.sum()\n"
    whole = np.exp([[1.0, 0.0], [0.0, 2.0]])
    assert len(right(cell(body), cell("print(softmax(Q))", f"{whole / whole.sum()}\n"))) == 4


def test_what_a_machine_adds_is_no_slip() -> None:
    found = right(
        cell("print(0.1 + 0.2, V.sum() / 3 * 0.3)\nw = softmax(Q)", "0.30000000000000004 0.9999999999999999\n")
    )
    assert found == ["0.30000000000000004", "0.9999999999999999"]
    assert told(cell("print(V.sum() / 3)", "3.3333333333433335\n"))[0][1] == "wrong"
    source = "import torch\nx = torch.tensor([[1., 2.], [3., 5.]])\nprint((x / 3)[0, 1].item())"
    assert right(cell(source, "0.6666666865348816\n")) == ["0.6666666865348816"]


def test_pytorch() -> None:
    source = "import torch\nimport torch.nn.functional as F\nx = torch.tensor([[1., 2.], [3., 5.]])\n"
    columns = "tensor([[0.1192, 0.0474],\n        [0.8808, 0.9526]], grad_fn=<SoftmaxBackward0>)\n"
    assert (
        len(right(cell(source + "print(F.softmax(x, dim=0))\nprint(x.shape)", columns + "torch.Size([2, 2])\n"))) == 4
    )
    assert told(cell(source + "print(x.softmax(-1))", columns))[0] == ("0.1192", "wrong", "0.2689")


def test_a_wrong_print_is_not_carried_on() -> None:
    """A program goes on with its values, whatever is said of them."""
    first = cell(SCORES + "print(S)", "[[4. 1.]\n [0. 5.]]\n")
    assert [
        claim[0] for claim in told(first, cell("print(S / 2)", "[[2.  0.5]\n [0.  2. ]]\n")) if "wrong" in claim
    ] == ["5."]


def test_words_go_on_from_what_was_printed() -> None:
    by_hand = words("The first weight is $e^{2.828}/(e^{2.828}+e^{0.707}) = 0.893$, and $0.893 + 0.107 = 1.1$.")
    found = checked(
        cell(GIVEN),
        cell("scaled = Q @ K.T / 2 ** .5\nprint(scaled.round(3))", "[[2.828 0.707]\n [0.    2.828]]\n"),
        by_hand,
    )
    assert [(claim.text, claim.expected) for claim in found.findings] == [("1.1", "1.0")]


def test_a_function_that_returns_two_arrays() -> None:
    body = "def attention(Q, K, V, mask=None):\n    S = Q @ K.T / np.sqrt(Q.shape[-1])\n    if mask is not None:\n"
    body += "        S = S + mask\n    w = softmax(S)\n    return w @ V, w\noutput, w = attention(Q, K, V)\nprint(w.round(3))\noutput"
    found = checked(
        cell(GIVEN),
        cell(body, "[[0.893 0.107]\n [0.056 0.944]]\n", "array([[1.21408360, 2.21408360],\n       [2.88838556, 3.8]])"),
    )
    assert [(claim.text, claim.expected, claim.label) for claim in found.findings] == [
        ("3.8", "3.88838556", "Output[2,2]")
    ]
    assert [claim.label for claim in found.claims[:4]] == [""] * 4


PROGRAMS = [
    "print(Q @ K.T)\nprint((Q @ K.T / np.sqrt(Q.shape[1])).round(4))",
    """S = Q @ K.T / np.sqrt(len(Q[0]))
E = np.exp(S - S.max(axis=1, keepdims=True))
A = E / E.sum(axis=1, keepdims=True)
print('A =', A)
print('O:', A @ V, sep='\\n')
print(A.sum(axis=1))""",
    "print(Q * K, Q + K[0], Q / 3, -V)\nprint(V.mean(axis=0), V.sum(), V.min(axis=1))",
    "for i in range(2):\n    q = Q[i]\nprint('all', np.maximum(Q, K), Q[1] @ V[:, 0], Q[:, 1], V[-1], V[0:1])",
    "x = Q.dot(K.T)\nx -= 1\nprint(x, x.T[0])\nprint(np.tril(np.ones((2, 2))) * x, np.triu(x, k=1))",
    "a = [1, 2]\nb = np.array(a) / 7\nprint(b, b.tolist(), f'{b[0]:.3f} and {b @ b}')",
    "print(np.exp(Q / 10).sum(axis=0), np.log(np.abs(V) + 1), np.sqrt(V ** 2), Q.T @ V)",
]


@pytest.mark.parametrize("source", PROGRAMS)
@pytest.mark.parametrize("seed", range(3))
def test_what_numpy_prints_is_right_and_a_changed_digit_is_not(source: str, seed: int) -> None:
    """The programs are run here, by NumPy; what they print has no finding."""
    random = np.random.default_rng(seed)
    made = [random.integers(-9, 10, (2, 2)) / 4 for _ in range(3)]
    given = "import numpy as np\n" + "\n".join(
        f"{name} = np.array({value.tolist()})" for name, value in zip("QKV", made, strict=True)
    )
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(given + "\n" + source, {})  # noqa: S102
    printed = out.getvalue()
    found = checked(cell(given), cell(source, printed))
    assert [(claim.text, claim.message) for claim in found.findings] == []
    assert len(found.claims) >= 4
    assert not any(claim.verdict is Verdict.UNDECIDED for claim in found.claims)
    last = found.claims[-1]
    at = printed.rindex(last.text)
    digit = next(k for k in range(at, at + len(last.text)) if printed[k].isdigit())
    changed = printed[:digit] + str((int(printed[digit]) + 3) % 10) + printed[digit + 1 :]
    assert len(checked(cell(given), cell(source, changed)).findings) == 1


SESSION = """# By hand

{fence}
>>> import numpy as np
>>> Q = np.array([[1., 0.],
...               [0., 2.]])
>>> # with itself
>>> Q @ Q.T
array([[1., 0.],
       [0., {last}]])
>>> print("sum", Q.sum()); Q[0] @ Q[0]
sum 3.0
{product}
```
"""


@pytest.mark.parametrize("fence", ["```python", "```pycon", "```"])
def test_sessions(fence: str) -> None:
    found = judged_document(load_document(SESSION.format(fence=fence, last="4.", product="1.0")))
    assert [claim.text for claim in found.claims] == ["1.", "0.", "0.", "4.", "3.0", "1.0"]
    assert found.findings == ()
    wrong = judged_document(load_document(SESSION.format(fence=fence, last="2.", product="2.0")))
    assert [(c.text, c.expected, c.place.line) for c in wrong.findings] == [("2.", "4", 10), ("2.0", "1.0", 13)]


def test_names_inside_of_a_class_are_its_own() -> None:
    body = "class Head:\n    def run(self):\n        Q = 3\n        self.Q = Q\n        return Q\n"
    assert len(right(cell(body), cell("print(Q @ K.T)", "[[4. 1.]\n [0. 4.]]\n"))) == 4


def test_code_without_end_is_passed_over() -> None:
    deep = "x = " + "-" * 5000 + "1\nprint(" + "+".join(["1"] * 30_000) + ")"
    assert checked(cell(deep, "30000\n")).findings == ()
    assert told(cell("def f(x):\n    return f(x) + f(x)\nprint(f(Q))", "[[1. 2.]]\n"))[0][1] == "undecided"
    assert told(cell("print(Q[::0])", "[[1. 2.]]\n"))[0][1] == "undecided"
    assert told(cell("print(Q[0, 0] * 10 ** 10 ** 10)", "1.0\n")) == []


def test_quotes_that_are_no_session() -> None:
    text = "```\n>>> as she said before: see below\nx = 2/1.7 = 1.17\n```\n"
    assert [claim.expected for claim in judged_document(load_document(text)).findings] == ["1.18"]
