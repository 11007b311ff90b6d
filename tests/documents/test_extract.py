"""Specs out of documents: every notation of the corpus, others beside it, and what is refused."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import derive, load_spec
from symattn.attention.spec_file import parse_spec
from symattn.cli_extract import extract as command
from symattn.cli_extract import spec_of_source
from symattn.documents.extract import Extracted, extract
from symattn.documents.formats import load_document, read_document
from symattn.documents.givens.entries import entry_of
from symattn.documents.givens.roles import role_of_words
from symattn.documents.reading.chains import read_chain
from symattn.errors import SpecError, SymattnError

CORPUS = Path(__file__).parents[1] / "corpus"


def corpus(slug: str) -> Extracted:
    path = next(p for p in sorted(CORPUS.glob(f"{slug}-*")) if not p.name.endswith(".json"))
    return extract(load_document(path))


def taken(text: str, kind: Any = "markdown") -> Extracted:
    return extract(read_document(text, format=kind))


def matrices(text: str, kind: Any = "markdown") -> dict[str, list[list[Any]]]:
    return taken(text, kind).table["matrices"]  # type: ignore[no-any-return]


# the corpus: scores as the document prints them, or as it should (from the numbers that it gives), with 36 and 37 mended

SCORES: dict[str, list[list[int | str]]] = {
    "00": [[3, 0], [2, 2]],
    "05": [[2, 4, 2], [2, 2, 3], [3, 2, 5]],
    "07": [[1, 0, "1/2"], [0, 1, "1/2"], [1, 1, 1]],
    "09": [[1, 0, 1], [1, 1, 2], [2, 1, 3]],
    "13": [[1, 0, 1], [0, 1, 1], [1, 1, 2]],
    "17": [[1, 0, 1], [2, 4, 4], [2, 2, 3]],
    "22": [[1, 0], [0, 1]],
    "25": [[1, 1, 0], [0, 1, 1], [1, 2, 1]],
    "34": [[1, 0], [0, 1]],
    "36": [[1, 0, 1], [0, 1, 1], [1, 1, 2]],
    "37": [[3, 2, 4, 6], [8, 8, 12, 4], [7, 6, 10, 8], [10, 4, 12, 8]],
    "44": [[1, 3], [2, 6]],
    "47": [[1, 2], [1, 1]],
}


@pytest.mark.parametrize(("slug", "scores"), SCORES.items(), ids=SCORES)
def test_the_scores_derived_from_a_document_are_its_own(slug: str, scores: list[list[Any]]) -> None:
    made = corpus(slug)
    found = derive(made.spec())["scores"].value.tolist()
    assert [[str(entry) for entry in row] for row in found] == [[str(entry) for entry in row] for row in scores]


D_K = {"00": 3, "03": 3, "05": 2, "09": 2, "10": None, "13": 2, "19": 4, "22": 2, "30": 2, "37": 3, "44": 1, "47": 3}


@pytest.mark.parametrize(("slug", "d_k"), [pair for pair in D_K.items() if pair[1]], ids=str)
def test_d_k_is_what_is_said_or_stands_under_the_root(slug: str, d_k: int) -> None:
    assert corpus(slug).spec().d_k == d_k


@pytest.mark.parametrize("slug", ["00", "03", "05", "07", "09", "13", "17", "19", "22", "25", "30", "34", "36", "37", "44", "47"])  # fmt: skip
def test_the_toml_of_a_document_is_read_back(slug: str) -> None:
    made = corpus(slug)
    spec = made.spec()
    assert replace(parse_spec(made.toml()), source=spec.source) == spec
    for remark in made.remarks:
        assert f"# {remark}\n" in made.toml()


def test_the_reference_lesson_is_the_bundled_example_again() -> None:
    made = corpus("00")
    bundled = load_spec()
    spec = made.spec()
    assert spec.tokens == ("甲", "乙")
    assert spec.matrices == bundled.matrices
    assert (spec.d_k, spec.language, spec.title) == (3, "zh", "双词例子")
    assert spec.policy.rule("root") == bundled.policy.rule("root")
    assert spec.policy.rule("weights") == bundled.policy.rule("weights")
    assert spec.policy.rule("exponentials") == bundled.policy.rule("exponentials")
    assert {name: place.line for name, place in made.places.items()} == {
        "X": 6, "W_Q": 8, "Q": 14, "K": 16, "V": 16, "d_k": 30,
    }  # fmt: skip
    assert made.remarks == ()


NOTHING = "no Q, K, V or X with W_Q, W_K, W_V found in "
INCOMPLETE = {
    "10": ("Q has 1 row, K has 3 rows, V has 3 rows; expected a row for each token in all three. There are Q (line 4), K (line 4), V (line 4)."),
    "11": "There is only Q (line 1), K (line 1).",
    "21": NOTHING,
    "27": NOTHING,
    "42": "There is only Q (line 10), K (line 14).",
    "49": "There is only W_K (line 2), K (line 2).",
}  # fmt: skip


@pytest.mark.parametrize(("slug", "told"), INCOMPLETE.items(), ids=INCOMPLETE)
def test_what_is_missing_is_told(slug: str, told: str) -> None:
    with pytest.raises(SpecError) as error:
        corpus(slug)
    assert told in str(error.value)
    assert f"{slug}-" in str(error.value)


# notations beside the corpus

KV = "\n\n$K = [[1, 1], [1, 0]]$\n\n$V = [[5, 6], [7, 8]]$\n"
I2 = [[1, 0], [0, 1]]

Q_WRITTEN = {
    "bmatrix": r"$Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}$",
    "array": r"$$\mathbf{Q}=\left[\begin{array}{cc}1&0\\0&1\end{array}\right]$$",
    "vectors": r"$q_1 = [1, 0]$, $q_2 = (0, 1)$",
    "columns": r"$\vec q_1 = \begin{pmatrix}1\\0\end{pmatrix}$ and $\vec q_2 = \begin{pmatrix}0\\1\end{pmatrix}$",
    "words": r"$q_{\text{cat}} = [1, 0]$, $q_{\text{sat}} = [0, 1]$",
    "a word": r"$\text{Query} = \begin{bmatrix}1&0\\0&1\end{bmatrix}$",
    "a heading": "### Query matrix\n\n$$\\begin{bmatrix}1&0\\\\0&1\\end{bmatrix}$$\n\n### Others",
    "words before": "The query matrix is\n\n$$\\begin{bmatrix}1&0\\\\0&1\\end{bmatrix}$$\n\nand the others:",
    "transposed": r"$Q^\top = \begin{bmatrix}1&0\\0&1\end{bmatrix}^T$",
    "code": "```python\nimport numpy as np\nQ = np.array([[1., 0.],\n              [0., 1.]])\n```",
    "code print": "```\nQ =\n[[1. 0.]\n [0. 1.]]\n```",
    "shape first": r"$Q \in \mathbb{R}^{2 \times 2} = \begin{bmatrix}1&0\\0&1\end{bmatrix}$",
    "working": r"$Q = \begin{bmatrix}2-1&0\cdot 3\\0&1\cdot1\end{bmatrix} = \begin{bmatrix}1&0\\0&1\end{bmatrix}$",
    "a table of rows": "Q:\n\n| | d1 | d2 |\n|---|---|---|\n| cat | 1 | 0 |\n| sat | 0 | 1 |\n",
    "a table of columns": "Q:\n\n| | cat | sat |\n|---|---|---|\n| dim1 | 1 | 0 |\n| dim2 | 0 | 1 |\n",
    "an indexed table": "| | q1 | q2 |\n|---|---|---|\n| dim1 | 1 | 0 |\n| dim2 | 0 | 1 |\n",
    "rows of a table": "| | 1 | 2 |\n|---|---|---|\n| $q_1$ | 1 | 0 |\n| $q_2$ | 0 | 1 |\n",
    "by its product only": r"$QK^T = \begin{bmatrix}1&0\\0&1\end{bmatrix}\begin{bmatrix}1&1\\1&0\end{bmatrix}$",
}  # fmt: skip


@pytest.mark.parametrize("text", Q_WRITTEN.values(), ids=Q_WRITTEN)
def test_a_matrix_is_found_however_it_is_written(text: str) -> None:
    made = taken(text + KV)
    assert made.table["matrices"] == {"Q": I2, "K": [[1, 1], [1, 0]], "V": [[5, 6], [7, 8]]}
    line = made.places["Q"].line
    assert text.splitlines()[line - 1 :]
    assert made.spec().get("Q") == ((fmpq(1), fmpq(0)), (fmpq(0), fmpq(1)))


@pytest.mark.parametrize("name", ["words", "a table of rows", "a table of columns"])
def test_tokens_are_the_words_beside_the_rows(name: str) -> None:
    assert taken(Q_WRITTEN[name] + KV).table["tokens"] == ["cat", "sat"]


def test_html_tables_and_entities() -> None:
    text = "<p>Q<sub>1</sub> = [1, 0], Q<sub>2</sub> = [0, 1]; K = [[&minus;1, 1], [1, 0]], V = [[5, 6], [7, 8]]</p>"
    assert matrices(text, "html") == {"Q": I2, "K": [[-1, 1], [1, 0]], "V": [[5, 6], [7, 8]]}


def test_tex_with_macros() -> None:
    text = (
        "\\newcommand{\\mat}[1]{\\begin{bmatrix}#1\\end{bmatrix}}\n\\[ Q = \\mat{1&0\\\\0&1},\\quad K^\\top = "
        "\\mat{1&2\\\\3&4}, \\quad V = \\mat{5\\\\6} \\]"
    )
    assert matrices(text, "tex") == {"Q": I2, "K": [[1, 3], [2, 4]], "V": [[5], [6]]}


def test_values_stay_exact() -> None:
    text = r"$Q = \begin{bmatrix}\frac13 & \sqrt{2}\end{bmatrix}$, $K = [0.10, -a]$, $V = [\frac{1}{\sqrt{2}}, 2]$"
    made = taken(text)
    assert made.table["matrices"]["K"][0][0] == fmpq(1, 10)
    spec = made.spec()
    assert str(spec.get("Q")) == "((1/3, sqrt(2)),)"
    assert str(spec.get("V")) == "((sqrt(2)/2, 2),)"
    assert replace(parse_spec(made.toml()), source=spec.source) == spec


X = r"$x_1 = [1, 2]$, $x_2 = [3, 4]$"
W = r"$W_Q = \begin{bmatrix}1&1\\0&1\end{bmatrix}$, $W^K = \begin{bmatrix}1&0\\0&1\end{bmatrix}$, $W_v = W^K$"


def test_embeddings_and_weights() -> None:
    assert matrices(f"{X}\n\n{W}") == {
        "X": [[1, 2], [3, 4]], "W_Q": [[1, 1], [0, 1]], "W_K": I2, "W_V": I2,
    }  # fmt: skip


def test_embeddings_in_a_list_with_words() -> None:
    made = taken(f"Embeddings:\n\n- **cat**: [1, 2]\n- sat: $[3, 4]$\n\n{W}")
    assert made.table["matrices"]["X"] == [[1, 2], [3, 4]]
    assert made.table["tokens"] == ["cat", "sat"]
    assert "X of line 3 is taken for it by the words before it" in made.remarks


def test_embeddings_and_tokens_of_a_program() -> None:
    code = 'emb = {\n  "cat": [1, 2],\n  "sat": [3, 4],\n}\nembedding = {"cat": [1, 2], "sat": np.array([3, 4])}\n'
    made = taken(f"```python\n{code}```\n\n{W}")
    assert (made.table["matrices"]["X"], made.table["tokens"]) == ([[1, 2], [3, 4]], ["cat", "sat"])
    code = "tokens = ['cat', \"sat\"]\nX = [[1, 2], [3, 4]]\n"
    made = taken(f"```python\n{code}```\n\n{W}")
    assert (made.table["matrices"]["X"], made.table["tokens"]) == ([[1, 2], [3, 4]], ["cat", "sat"])


def test_what_was_computed_wrongly_is_worked_out_anew() -> None:
    product = (
        r"$Q = X W_Q = \begin{bmatrix}1&2\\3&4\end{bmatrix}\begin{bmatrix}1&1\\0&1\end{bmatrix}"
        r" = \begin{bmatrix}1&3\\3&8\end{bmatrix}$"
    )
    made = taken(f"{X}\n\n{W}\n\n{product}")
    assert "Q" not in made.table["matrices"]
    assert "Q of line 5 is not X·W_Q: it is worked out anew" in made.remarks
    assert str(derive(made.spec())["scores"].value) == "Matrix([[7, 15], [17, 37]])"


def test_a_stated_matrix_is_kept_beside_its_product() -> None:
    made = taken(f"{X}\n\n{W}\n\n$Q = [[1, 3], [3, 8]]$")
    assert made.table["matrices"]["Q"] == [[1, 3], [3, 8]]
    assert "X·W_Q gives [3, 7]" in " ".join(derive(made.spec()).remarks())


def test_columns_are_turned() -> None:
    text = r"""$X = \begin{bmatrix}1&3\\2&4\end{bmatrix}$, $W_Q = \begin{bmatrix}1&0\\1&1\end{bmatrix}$,
$W_K = \begin{bmatrix}1&0\\0&1\end{bmatrix}$, $W_V = \begin{bmatrix}1&0\\0&1\end{bmatrix}$, $Q = W_Q X$"""
    made = taken(text)
    assert made.table["matrices"]["X"] == [[1, 2], [3, 4]]
    assert made.table["matrices"]["W_Q"] == [[1, 1], [0, 1]]
    assert "X, the weights, Q, K and V are transposed" in made.remarks[0]


EMBEDDINGS = {
    "arrows": "Embeddings:\n\n- cat → [1, 2]\n- sat → [3, 4]\n",
    "code": "Token vectors:\n\n```\ncat = [1, 2]\nsat = [3, 4]\n```\n",
    "a table of vectors": "| Token | Embedding |\n|---|---|\n| cat | [1, 2] |\n| sat | $[3, 4]$ |\n",
    "a table of components": "| Token | x1 | x2 |\n|---|---|---|\n| cat | 1 | 2 |\n| sat | 3 | 4 |\n",
    "aligned": "$$\\begin{aligned} E_{cat} &= [1,2] \\\\ E_{sat} &= [3,4]\\end{aligned}$$",
    "names in brackets": "- cat ($x_1$): [1, 2]\n- sat ($x_2$): [3, 4]\n",
}


@pytest.mark.parametrize("text", EMBEDDINGS.values(), ids=EMBEDDINGS)
def test_embeddings_are_found_with_their_words(text: str) -> None:
    made = taken(f"{text}\n\n{W}")
    assert made.table["matrices"]["X"] == [[1, 2], [3, 4]]
    assert made.table["tokens"] == ["cat", "sat"]


def test_vectors_that_stand_behind_weights_are_columns() -> None:
    text = r"""$x_1=\begin{bmatrix}1\\2\end{bmatrix}$, $x_2=\begin{bmatrix}3\\4\end{bmatrix}$,
$W_Q=\begin{bmatrix}1&0\\1&1\end{bmatrix}$, $W_K=W_V=\begin{bmatrix}1&0\\0&1\end{bmatrix}$,
$q_1 = W_Q x_1 = \begin{bmatrix}1\\3\end{bmatrix}$"""
    made = taken(text)
    assert made.table["matrices"] == {"X": [[1, 2], [3, 4]], "W_Q": [[1, 1], [0, 1]], "W_K": I2, "W_V": I2}
    assert made.remarks[0] == "the weights stand before the vectors there: they are transposed"
    assert len(made.remarks) == 2


def test_numbers_about_a_token_are_not_its_vector() -> None:
    text = "For token $x_1$ the weights are [0.5, 0.5]."
    assert "X" not in matrices(f"{text}\n\n$Q = [[1, 2]]$, $K = [[3, 4]]$, $V = [[9, 1]]$")


def test_of_several_heads_the_first_is_taken() -> None:
    heads = "".join(f"$W_{i}^{n} = [[{i}, 0], [0, 1]]$\n\n" for i in (1, 2) for n in "QKV")
    made = taken(f"{X}\n\n{heads}")
    assert made.table["matrices"]["W_K"] == I2
    assert "W_K is that of head 1, the first" in made.remarks


def test_of_several_examples_the_first_complete_one_is_taken() -> None:
    first = "# One\n\n$Q = [[1, 2]]$, $K = [[3, 4]]$\n\n"
    second = "# Two\n\n$Q = [[5, 6]]$, $K = [[7, 8]]$, $V = [[9, 1]]$\n\n"
    third = "# Three\n\n$Q = [[1, 1]]$, $K = [[1, 1]]$, $V = [[1, 1]]$\n\n"
    made = taken(second + third)
    assert made.table["matrices"]["Q"] == [[5, 6]]
    assert "Q is given again with other values in line 7: the first is taken" in made.remarks
    made = taken(first + second + third)
    assert made.table["matrices"] == {"Q": [[5, 6]], "K": [[7, 8]], "V": [[9, 1]]}
    assert "Q is given again with other values in line 3: that of line 7, which is complete, is taken" in made.remarks


def test_pieces_of_one_example_that_comes_again_in_part_are_put_together() -> None:
    made = taken("$Q = [[1, 2]]$, $K = [[3, 4]]$\n\n$Q = [[1, 3]]$, $V = [[9, 1]]$")
    assert made.table["matrices"] == {"Q": [[1, 2]], "K": [[3, 4]], "V": [[9, 1]]}
    assert made.remarks[-1] == (
        "Q is given again with other values in line 3: that of line 1, which is complete, is taken"
    )


def test_a_d_k_that_does_not_fit_is_told() -> None:
    made = taken("$d_k = 64$, $Q = [[1, 2]]$, $K = [[3, 4]]$, $V = [[9, 1]]$")
    assert made.table["d_k"] == 64
    assert "d_k = 64 is kept, though K has 2 columns" in made.remarks


def test_masks_are_told() -> None:
    made = taken("With a causal mask: $Q = [[1, 2]]$, $K = [[3, 4]]$, $V = [[9, 1]]$")
    assert made.remarks[-1] == "a mask is spoken of: a spec has none, so every token sees all"


WRONG = {
    "widths": ("$Q = [[1, 2, 3]]$\n\n$K = [[3, 4]]$\n\n$V = [[9, 1]]$", "lesson.md:3: matrices.K: Q is 1x3 but K is 1x2; expected equal widths"),
    "blank": (r"$Q = \begin{bmatrix}\quad&\quad\end{bmatrix}$, $K = [[3, 4]]$, $V = [[9, 1]]$", "found in lesson.md; expected a worked example that gives its matrices. There is only K (line 1), V (line 1)."),
    "dots": (r"$Q = [1, \dots, 2]$, $K = [[3, 4]]$, $V = [[9, 1]]$", "There is only K (line 1), V (line 1)."),
    "infinite": (r"$Q = [1, -\infty]$, $K = [[3, 4]]$, $V = [[9, 1]]$", "There is only K (line 1), V (line 1)."),
    "half of the vectors": ("$q_2 = [1, 2]$, $K = [[3, 4]]$, $V = [[9, 1]]$", "There is only K (line 1), V (line 1)."),
    "prose": ("Attention is all you need.", "no Q, K, V or X with W_Q, W_K, W_V found in lesson.md; expected a worked example"),
    "empty": ("", "no Q, K, V or X with W_Q, W_K, W_V found in lesson.md"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "told"), WRONG.values(), ids=WRONG)
def test_what_is_no_example_is_refused_in_one_line(text: str, told: str) -> None:
    with pytest.raises(SpecError) as error:
        extract(read_document(text, path="lesson.md"))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_hostile_words_stay_words() -> None:
    text = 'Q:\n\n| | d1 | d2 |\n|---|---|---|\n| "]\\\\ x = 1 | 1 | 0 |\n| \u202eevil | 0 | 1 |\n' + KV
    made = taken(text)
    spec = made.spec()
    assert "\u202e" not in made.toml()
    assert parse_spec(made.toml()).tokens == spec.tokens == ("\\ x = 1", "evil")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["$Q = ", "[[1, 2]]", "$", "\\begin{bmatrix}", "1 & 2", "\\\\", "\\end{bmatrix}", "$K = [[1, 2]]$", "\n\n", "| a | 1 |\n",
             "|---|---|\n", "W_Q", "$x_1$", ": [1, 2]", "$V = [[3]]$", "- ", "^T", "\x00", "# Q\n", "```\n", "9" * 50, "e^{", "{", "}",
             '"cat": [1]', "$d_k = 0$", "\\sqrt{d_k} = \\sqrt{2}"]
        ),
        max_size=25,
    ).map("".join)
)  # fmt: skip
def test_any_text_gives_a_spec_that_can_be_read_back_or_one_clear_line(text: str) -> None:
    try:
        made = taken(text)
    except SymattnError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    spec = made.spec()
    assert replace(parse_spec(made.toml()), source=spec.source) == spec


def test_the_same_document_gives_the_same_spec_at_ten_times_the_size() -> None:
    path = CORPUS / "09-zhtw-cdot-braces-table-qkv.md"
    text = path.read_text("utf-8")
    assert matrices(text * 10) == matrices(text)


# words and entries


@pytest.mark.parametrize(
    ("text", "entry"),
    [("0.50", fmpq(1, 2)), ("3", 3), (r"\frac{2}{4}", fmpq(1, 2)), (r"\frac13", "1/3"), ("-2.5", fmpq(-5, 2)), (r"\sqrt{4}", 2), (r"1 + 1", 2), ("a", "a"), (r"\text{x}", None), (r"\square", None), ("9^{9^{9^9}}", None), (r"\infty", None)],
)  # fmt: skip
def test_an_entry_is_exact_or_none(text: str, entry: Any) -> None:
    node = read_chain(text).first
    assert node is not None
    assert entry_of(node) == entry


@pytest.mark.parametrize(
    ("words", "role"),
    [("查询矩阵", "Q"), ("Keys:", "K"), ("the value weight W_V", "W_V"), ("Q, K and V", ""), ("Scores $QK^T$", ""), ("Word embeddings", "X"), ("Anything", "")],
)  # fmt: skip
def test_words_speak_of_one_matrix_or_none(words: str, role: str) -> None:
    assert role_of_words(words) == role


# the command


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, stdin: bytes = b"") -> None:
    app = typer.Typer()
    app.command()(command)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    typer.main.get_command(app).main(args=list(arguments), standalone_mode=False)


def test_the_command_prints_toml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "lesson.md"
    path.write_text("Mask: $Q = [[1, 2]]$, $K = [[3, 4]]$, $V = [[9, 1]]$", "utf-8")
    run(monkeypatch, str(path))
    out, err = capfdbinary.readouterr()
    assert load_spec(spec_file(tmp_path, out)).get("V") == ((fmpq(9), fmpq(1)),)
    assert err.startswith(b"note: no tokens are named")
    run(monkeypatch, "-", "-o", str(tmp_path / "made.toml"), stdin=path.read_bytes())
    assert load_spec(tmp_path / "made.toml").get("Q") == ((fmpq(1), fmpq(2)),)


def spec_file(folder: Path, content: bytes) -> Path:
    path = folder / "printed.toml"
    path.write_bytes(content)
    return path


def test_a_spec_is_read_from_either(tmp_path: Path) -> None:
    lesson = CORPUS / "09-zhtw-cdot-braces-table-qkv.md"
    spec, remarks = spec_of_source(str(lesson))
    assert (spec.tokens, remarks, spec.name) == (("甲", "乙", "丙"), (), "09-zhtw-cdot-braces-table-qkv")
    path = tmp_path / "lesson.toml"
    path.write_text(extract(load_document(lesson)).toml(), "utf-8")
    assert spec_of_source(str(path))[0].matrices == spec.matrices
