"""Hostile documents: one clear verdict or one clear error, the rest of the document still judged, no code run."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from symattn.documents.formats.document import Format
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked
from symattn.documents.verify import check, verify
from symattn.errors import ReadError

CORPUS: Final = Path(__file__).parents[1] / "corpus"
CANARY: Final = "$1 + 1 = 3$"


def judged(text: str, format: Format = "markdown") -> Checked:  # noqa: A002
    (found,) = verify(text, format=format).documents
    return found


def told(text: str, format: Format = "markdown") -> list[tuple[str, str | None]]:  # noqa: A002
    return [(claim.verdict.value, claim.expected) for claim in judged(text, format).claims]


REFUSED: Final = (
    r"$2 \cdot 500 = 1 000$",
    "$4+3 = 4,3$",
    "$5 = 2 3$",
    r"$7/2 = 3\frac{1}{2}$",
    "$1+1 = 1.2.3$",
    "$2 = 2E$",
    "$3 = 1+2)+100$",
    "$7 = 3 & 4$",
    r"$A=\begin{bmatrix}1&2\\3\end{bmatrix}$",
    r"$\begin{bmatrix}1&\\3&4\end{bmatrix}\begin{bmatrix}1\\1\end{bmatrix} = \begin{bmatrix}1\\7\end{bmatrix}$",
    r"$A=\begin{bmatrix}1&2\end{pmatrix}$",
    "$9^{9^{9^9}} = 1$",
    "$10^{10^8} = 1$",
    "$1E100000000 = 1$",
    "$" + "(" * 1000 + "1" + ")" * 1000 + " = 1$",
    "$" + "a_{" * 20 + "1" + "}" * 20 + " = 1$",
    "$" + r"\max(" * 12 + "1" + ")" * 12 + " = 1$",
    "$" + r"\sqrt{" * 500 + "2" + "}" * 500 + " = 1$",
    "$1 = " + "1" * 10**6 + "$",
    "1/3 = 0." + "3" * 10**6,
    "$2^10 = 1024$",
    "$2^3^2 = 512$",
    "$6/2(1+2) = 9$",
    "6/2(1+2) = 1",
    "١ + ١ = ٣",
    r"$\rule{999em}{999em} = 1$",
    "\\newcommand{\\a}{\\a\\a}\n\n$\\a = 1$",
    "\\newcommand{\\a}{\\b\\b}\\newcommand{\\b}{\\a}\n\n$\\a = 1$",
)


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:24])
def test_what_cannot_be_read_is_refused_with_its_place_and_the_rest_is_judged(text: str) -> None:
    found = judged(f"{text}\n\n{CANARY}\n")
    refused = [claim for claim in found.claims if claim.verdict.value == "unreadable"]
    assert refused
    assert all(claim.message and claim.place.line >= 1 and claim.place.column >= 1 for claim in refused)
    assert [(claim.text, claim.expected) for claim in found.findings] == [("3", "2")]


SILENT: Final = (
    "$1/0 = 1$",
    "$0/0 = 1$",
    r"$\sqrt{-1} = 1$",
    "$10^{1000000000000} = 1$",
    "$(10^9)! = 1$",
    r"$\binom{10^8}{5} = 1$",
    r"$\sum_{n=1}^{10^9}1 = 10^9$",
    "`zeros(100000) = 1`",
    r"$\input{/etc/passwd} = 1$",
    r"$QK^\top = \begin{bmatrix}1\end{bmatrix}$",
)


@pytest.mark.parametrize("text", SILENT, ids=lambda text: text[:24])
def test_a_result_that_cannot_be_judged_is_never_skipped_in_silence(text: str) -> None:
    found = judged(f"{text}\n\n{CANARY}\n")
    assert [claim.verdict.value for claim in found.claims][:-1] in (["undecided"], ["unreadable"])


@pytest.mark.parametrize("text", SILENT, ids=lambda text: text[:24])
def test_what_cannot_be_judged_is_no_finding_and_the_rest_is_judged(text: str) -> None:
    found = judged(f"{text}\n\n{CANARY}\n")
    assert [(claim.text, claim.expected) for claim in found.findings] == [("3", "2")]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (r"$2 \cdot 500 = 1\,000$", [("exact", "1000")]),
        (r"$2 \cdot 512 = 1{,}024$", [("exact", "1024")]),
        (r"$\frac12 = 0.5$", [("exact", "0.5")]),
        (r"$q_k = 4$ gives $\frac{1}{2}{q}_{k}+3 = 5$", [("exact", "5")]),
        (r"$A = \begin{bmatrix}1&2\end{bmatrix}$, $-A = \begin{bmatrix}-1&-2\end{bmatrix}$", [("exact", "-1"), ("exact", "-2")]),
        (r"$\begin{bmatrix}1&2\end{bmatrix}\begin{bmatrix}1&2\end{bmatrix} = 5$", [("shape", None)]),
        ("$1+1=2=3$", [("exact", "2"), ("wrong", "2")]),
        (r"$4/3\approx 1.33\approx 1.3$", [("rounded", "1.33"), ("rounded", "1.3")]),
        ("2 \u2212 3 = \u22121, 2 \u00d7 3 = 6, 2\u00a0\u00b7\u00a03 = 7", [("exact", "-1"), ("exact", "6"), ("wrong", "6")]),
        (r"$\mathrm{softmax}([1000, 999]) = [0.7310585786, 0.2689414215]$", [("rounded", "0.7310585786"), ("last_digit", "0.2689414214")]),
        ("$" + "+".join(["1"] * 1000) + " = 1001$", [("wrong", "1000")]),
        ("$1+1=3$\r\n\r\n$2+2=4$\r\n", [("wrong", "2"), ("exact", "4")]),
        ("\ufeff$1+1=3$", [("wrong", "2")]),
        ("1 + 1 = 3\x00 and $1+1=3$", [("wrong", "2"), ("wrong", "2")]),
        ("", []),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)  # fmt: skip
def test_what_can_be_read_is_judged(text: str, verdicts: list[tuple[str, str | None]]) -> None:
    assert told(text) == verdicts


FLOODS: Final[tuple[tuple[Format, str], ...]] = (
    ("markdown", "$" * 50_000),
    ("markdown", "$1+" * 50_000),
    ("markdown", "\\(" * 50_000),
    ("markdown", "\\[" * 50_000),
    ("markdown", "\\begin{bmatrix}" * 20_000),
    ("markdown", "*" * 50_000),
    ("markdown", "_a " * 30_000),
    ("markdown", "[" * 20_000),
    ("markdown", "[a](" * 10_000),
    ("markdown", "```\n" * 9_999 + "```\n"),
    ("markdown", ">" * 5_000),
    ("html", "<a " * 40_000),
    ("html", "<p>" * 50_000),
    ("html", "<table><tr><td>" * 3_000),
    ("html", "<math>" + "<mrow>" * 5_000),
    ("html", "&amp;" * 50_000 + "&#xffffffffff;&#0;&#xd800;"),
    ("html", "<" * 50_000),
    ("html", "<table><tr><td colspan=100000000 rowspan=100000000>1</td></tr></table>"),
    ("tex", "\\begin{align}" * 20_000),
    ("tex", "{" * 50_000),
    ("tex", "\\csname a" * 10_000),
)


@pytest.mark.parametrize(("format", "text"), FLOODS, ids=lambda value: value[:12])
def test_a_flood_of_openers_claims_nothing_and_says_so(format: Format, text: str) -> None:  # noqa: A002
    found = judged(text, format)
    assert not found.claims


BOMB: Final = "".join(
    "\\newcommand{\\" + own + "}{" + f"\\{inner}" * 10 + "}" for own, inner in pairwise("abcdefghijklm")
)


@pytest.mark.parametrize(
    "text",
    [
        "\\input{\\input{\\input{x}}}\\begin{document}$1+1=3$\\end{document}",
        "\\def\\a{\\a}\\a $1+1=3$",
        BOMB + "$\\a = 1$ $1+1=3$",
        "\\loop\\iftrue\\repeat $1+1=3$",
        "%" * 50_000 + "\n$1+1=3$",
        "\\immediate\\write18{touch PWNED} $1+1=3$",
        "\\begin{filecontents}{PWNED}x\\end{filecontents} $1+1=3$",
    ],
    ids=lambda text: text[:16],
)  # fmt: skip
def test_tex_runs_nothing_and_the_rest_is_judged(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ("wrong", "2") in told(text, "tex")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"cells": [', "not a notebook"),
        ("{}", "no nbformat"),
        ("[]", "no nbformat"),
        ("[" * 100_000, "nested too deep"),
        ('{"cells":' * 5_000 + "1" + "}" * 5_000, "nested too deep"),
        ('{"cells": [], "nbformat": 99, "metadata": {}}', "nbformat 99"),
        ('{"cells": [1, null], "nbformat": 4}', "cell 1 of the notebook has no cell_type"),
        ('{"cells": NaN, "nbformat": 4}', "without a list of cells"),
        ('{"cells": [], "nbformat": ' + "9" * 100_000 + "}", "not a notebook"),
    ],
    ids=lambda value: value[:20],
)
def test_a_broken_notebook_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        verify(text, format="notebook")
    assert "\n" not in str(caught.value)


def test_a_notebook_whose_print_is_a_flood_of_brackets_is_still_read() -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "[[" * 20_000 + "\n"}
    cells = [
        {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "print(x)", "outputs": [output]},
        {"cell_type": "markdown", "metadata": {}, "source": CANARY},
    ]
    found = judged(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}), "notebook")
    assert [(claim.text, claim.expected) for claim in found.findings] == [("3", "2")]


def test_a_value_of_one_document_is_unknown_in_the_next() -> None:
    first = r"$Q = \begin{bmatrix}1&2\end{bmatrix}$, $K = \begin{bmatrix}3&4\end{bmatrix}$"
    assert told(f"{first}, $QK^T = 11$") == [("exact", "11")]
    assert not [
        claim for claim in judged("$QK^T = 12$").claims if claim.verdict.value not in {"undecided", "unreadable"}
    ]


PIECES: Final = (
    r"\frac{", "}", "$", "$$", r"\begin{bmatrix}", r"\end{bmatrix}", "&", r"\\", "=", "≈", "^", "_", "[", "]", "(", ")",
    "softmax", "0", "-", r"\sqrt{", "|", "\n\n", "```", "1e9", "∞", r"-\infty", "QK^T", "√", ",", ";", "%",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_a_mutilated_document_is_judged(seed: int) -> None:
    drawn = random.Random(seed)  # noqa: S311  (texts, no secrets)
    documents = sorted(path for path in CORPUS.iterdir() if path.suffix in {".md", ".tex", ".html"})
    for _ in range(15):
        path = drawn.choice(documents)
        text = path.read_text("utf-8")
        for _ in range(drawn.randint(1, 6)):
            at, end = sorted((drawn.randrange(len(text) + 1), drawn.randrange(len(text) + 1)))
            change = drawn.choice(("put", "drop", "move"))
            if change == "put":
                text = text[:at] + drawn.choice(PIECES) + text[at:]
            elif change == "drop":
                text = text[:at] + text[min(end, at + drawn.randint(1, 12)) :]
            else:
                text = text[:at] + text[at : min(end, at + 40)] + text[at:]
        found = check(read_document(text, path=path.name))
        assert all(claim.place.line >= 1 and claim.message for claim in found.claims)
        assert not any("fault of this program" in claim.message for claim in found.claims)


def test_a_fault_of_ours_leaves_the_rest_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr("symattn.documents.judging.steps.restated", fails)
    found = judged(f"$e^1 + e^2 = 2.7 + 7.4$\n\n{CANARY}")
    assert "a fault of this program: ZeroDivisionError: on purpose" in [claim.message for claim in found.claims]
    assert [(claim.text, claim.expected) for claim in found.findings] == [("3", "2")]


def test_an_infinity_among_the_terms_of_a_wrong_sum() -> None:
    assert [claim.expected for claim in judged(r"$-\infty + 1 = 3$").findings] == ["-∞"]
