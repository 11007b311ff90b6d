"""What a claim is about: stage, row, entry and names, from its chain and its sentence."""

from __future__ import annotations

import pytest

from symattn.documents.formats.load import load_document
from symattn.documents.judging.desk import Desk, label_of
from symattn.documents.judging.statements import statements
from symattn.documents.judging.subject import Subject, indices_of, is_definition, parts_of, subject_of
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.tree import Name


def subjects(text: str, format: str = "markdown") -> list[tuple[Subject, bool]]:  # noqa: A002
    """The subject of the last result of each statement, and whether it is a definition."""
    document = load_document(text, format=format)  # type: ignore[arg-type]
    desk = Desk(document)
    found = []
    for said in statements(document):
        parts = list(parts_of(said.chain))
        about = subject_of(desk, said, parts[:-1])
        found.append((about, is_definition(about, parts[:-1])))
    return found


TOLD: dict[str, tuple[str, str, int | None, tuple[int, ...] | None, bool]] = {
    # text: stage, row, entry, definition
    "a name": (r"$A = [0.85, 0.15]$", "weights", None, None, False),
    "a formula": (r"$\frac{QK^T}{\sqrt{d_k}} \approx [1.2, 0]$", "scaled_scores", None, None, False),
    "the formula goes before the name": (r"$A = \operatorname{softmax}(S) = [0.5, 0.5]$", "weights", None, None, False),
    "an entry": (r"$S_{2,1} = 2 = 2$", "scores", 1, (1, 0), False),
    "an entry with two digits": (r"$S_{21} = 2 = 2$", "scores", 1, (1, 0), False),
    "a row by its index": (r"$\alpha_2 = [0.5, 0.5]$", "weights", 1, None, False),
    "words of the sentence": ("The weights of row 2 are: $= [0.5, 0.5]$", "weights", 1, None, False),
    "words in Chinese": ("第二行的权重为 $= [0.5, 0.5]$", "weights", 1, None, False),
    "words in Russian": ("Веса, строка 1: $= [0.5, 0.5]$", "weights", 0, None, False),
    "what is given": ("$W = 3$ and $X = [[1, 0], [0, 1]]$", "X", None, None, True),
    "given, but worked out": ("$X = 2 + 1 = 3$", "X", None, None, False),
    "a transpose is no stage of its own": ("$K^T = [1, 2]$", "", None, None, False),
    "words before a formula without a name": ("The output: $2 + 1 = 3$", "outputs", None, None, False),
    "a name of its own goes before words": ("The output: $B = 2 + 1 = 3$", "", None, None, False),
}


@pytest.mark.parametrize(("text", "stage", "row", "entry", "definition"), TOLD.values(), ids=TOLD)
def test_the_subject(text: str, stage: str, row: int | None, entry: tuple[int, ...] | None, definition: bool) -> None:
    about, defined = subjects(text)[-1]
    assert (about.stage, about.row, about.entry, defined) == (stage, row, entry, definition)


@pytest.mark.parametrize("text", ["$W_Q = [[1, 0], [0, 1]]$", "$W^K = [[1, 0], [0, 1]]$", "$d_k = 3$"])
def test_what_is_given_is_no_claim(text: str) -> None:
    assert [defined for _, defined in subjects(text)] == [True]


def test_names_that_take_the_value() -> None:
    about, _ = subjects(r"$S = QK^T = [1, 2]$")[-1]
    assert [name.key for name in about.names] == ["S"]


@pytest.mark.parametrize(
    ("text", "indices"),
    [("S_{11}", ("1", "1")), ("S_{2,1}", ("2", "1")), ("S_{10}", ("10",)), ("S_3", ("3",)), ("S_{123}", ("123",))],
)
def test_indices(text: str, indices: tuple[str, ...]) -> None:
    name = read_chain(text).first
    assert isinstance(name, Name)
    assert indices_of(name) == indices


def test_parts_keep_their_relations() -> None:
    parts = list(parts_of(read_chain(r"\frac{2}{1.7} \approx 1.18 = 1.2")))
    assert [part.relation for part in parts] == ["", "≈", "="]


@pytest.mark.parametrize(
    ("stage", "place", "label"),
    [
        ("scores", (0, 1), "Scores[1,2]"), ("row_sums", (1,), "Sum[2]"), ("weights", (), "Weights"), ("", (0, 0), ""),
        ("d_k", (), ""),
    ],
)  # fmt: skip
def test_labels(stage: str, place: tuple[int, ...], label: str) -> None:
    assert label_of(stage, place) == label
