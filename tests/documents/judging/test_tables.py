"""Tables of numbers: what they say, and that every number is judged at its own place in the file."""

from __future__ import annotations

import pytest

from symattn.documents.formats.load import load_document
from symattn.documents.judging.spelling import spelt
from symattn.documents.judging.statements import statements
from symattn.documents.judging.subject import parts_of
from symattn.documents.judging.tabular.grids import grid_of_table, moved, placeless, printed_grids
from symattn.documents.reading.code import read_code
from symattn.documents.reading.tree import Matrix, Number, walk
from symattn.documents.report import Checked
from symattn.documents.verify import check

GIVEN = "Q = [[1,0],[0,1]], K = [[1,0],[2,1]], V = [[1,2],[3,4]]\n\n"
"""QKᵀ is [[1, 2], [0, 1]]; over √2 and through the softmax both rows are [0.3302, 0.6698]."""


def checked(text: str, format: str = "markdown") -> Checked:  # noqa: A002
    return check(load_document(text, format=format))  # type: ignore[arg-type]


def findings(found: Checked) -> list[tuple[int, str, str, str | None]]:
    return [(claim.place.line, claim.text, claim.verdict.value, claim.expected) for claim in found.findings]


def labels(found: Checked) -> list[str]:
    return [claim.label for claim in found.claims]


def said(text: str, format: str = "markdown") -> list[str]:  # noqa: A002
    return [
        " ".join(f"{part.relation}{' ' if part.relation else ''}{spelt(part.node)}" for part in parts_of(one.chain))
        for one in statements(load_document(text, format=format))  # type: ignore[arg-type]
    ]


def pipes(*rows: str) -> str:
    head, *body = rows
    return "\n".join([f"| {head} |", "|" + "---|" * (head.count("|") + 1), *(f"| {row} |" for row in body)]) + "\n"


# ---- what is read: (table, the chains that it says)

SAID: dict[str, tuple[str, list[str]]] = {
    "corner": (pipes("QKᵀ | a | b", "a | 1 | 2", "b | 0 | 1"), ["Q·Kᵀ = [1, 2; 0, 1]"]),
    "corner with a root": (pipes("QKᵀ/√2 | a | b", "a | 0.7 | 1", "b | 0 | 1"), ["Q·Kᵀ/√2 = [0.7, 1; 0, 1]"]),
    "corner of words": (pipes("softmax | a | b", "a | 0.7 | 0.3", "b | 0 | 1"), ["softmax = [0.7, 0.3; 0, 1]"]),
    "a letter": (pipes("A | a | b", "a | 0.7 | 0.3", "b | 0 | 1"), ["A = [0.7, 0.3; 0, 1]"]),
    "the paragraph before": (
        "**Pesos** (softmax por filas)\n\n" + pipes(" | a | b", "a | 0.7 | 0.3", "b | 0 | 1"),
        ["Pesos (softmax por filas) = [0.7, 0.3; 0, 1]"],
    ),
    "a formula before": (
        "The weights are $A =$\n\n" + pipes(" | a | b", "a | 0.7 | 0.3", "b | 0 | 1"),
        ["A = …", "A = [0.7, 0.3; 0, 1]"],
    ),
    "the role before": ("The query matrix:\n\n" + pipes(" | d1 | d2", "a | 1 | 2"), ["Q = [1, 2]"]),
    "no name": (pipes(" | a | b", "a | 1 | 2", "b | 0 | 1"), ["[1, 2; 0, 1]"]),
    "Q1 and Q2 over the columns": (pipes(" | Q1 | Q2", "dim1 | 1 | 3", "dim2 | 2 | 4"), ["Q = [1, 2; 3, 4]"]),
    "K1 and K2 before the rows": (pipes(" | d1 | d2", "K1 | 1 | 3", "K2 | 2 | 4"), ["K = [1, 3; 2, 4]"]),
    "tokens over the columns": (
        "K:\n\n" + pipes(" | cat | sat", "d1 | 1 | 3", "d2 | 2 | 4"),
        ["K = [1, 2; 3, 4]"],
    ),
    "vectors in cells": (
        pipes("token | Q | K", "a | [1, 0] | [2, 1]", "b | [0, 1] | [1, 1]"),
        ["Q = [1, 0; 0, 1]", "K = [2, 1; 1, 1]"],
    ),
    "one column of vectors": (pipes("word | salida", "a | [1, 0]", "b | [0, 1]"), ["salida = [1, 0; 0, 1]"]),
    "numbers alone": ("W_Q:\n\n" + pipes("1 | 2", "3 | 4"), ["W_Q = [1, 2; 3, 4]"]),
    "a row of sums": (
        pipes("A | a | b | sum", "a | 0.7 | 0.3 | 1.0", "b | 0 | 1 | 1"),
        ["A = [0.7, 0.3; 0, 1]", "0.7+0.3 = 1.0", "0+1 = 1"],
    ),
    "columns of one query": (
        pipes("token | score | ÷ 2 | exp", "a | 4 | 2 | 7.39", "b | 2 | 1 | 2.72", "合计 | | | 10.11"),
        [
            "[4, 2]",
            "[4, 2]/2 = [2, 1]",
            "e^[4/2, 2/2] ∼ e^[2, 1] = [7.39, 2.72]",
            "sum = e^4/2+e^2/2 ∼ 7.39+2.72 = 10.11",
        ],
    ),
    "rows of one query": (
        pipes(" | k1 | k2", "score | 2 | 1", "exp | 7.39 | 2.72"),
        ["[2, 1]", "e^[2, 1] = [7.39, 2.72]"],
    ),
    "a formula of the column before": (
        pipes("$S'$ entry | $e^{S'}$", "$1.4$ | $4.06$", "$0$ | $1$"),
        ["e^[1.4, 0] = [4.06, 1]"],
    ),
    "formulas beside their values": (
        pipes("word | step | share", "a | 3/5 | 0.6", "b | 2/5 | 0.4"),
        ["3/5 = 0.6", "2/5 = 0.4"],
    ),
    "weighted vectors": (
        pipes("token | weight | V | weight × V", "a | 0.6 | [1, 0] | [0.6, 0]"),
        ["weight = [0.6]", "V = [1, 0]", "0.6·[1, 0] = [0.6, 0]"],
    ),
    "something else": (pipes("model | accuracy | F1 score", "A | 0.9 | 0.8", "B | 0.8 | 0.7"), []),
    "settings": ("Hyperparameters:\n\n" + pipes(" | small | large", "layers | 6 | 12", "heads | 8 | 16"), []),
    "units": (pipes("n | time", "64 | 12.1 ms", "512 | 801 ms"), []),
    "ragged": ("| QKᵀ | a |\n|---|---|\n| a | 1 | 2 |\n", []),
}


@pytest.mark.parametrize(("text", "chains"), SAID.values(), ids=SAID)
def test_what_a_table_says(text: str, chains: list[str]) -> None:
    assert said(text) == chains


def test_token_names_become_labels() -> None:
    (one,) = statements(load_document(pipes("K | d1 | d2", "**cat** | 1 | 2", "sat | 0 | 1"), format="markdown"))
    matrix = one.chain.items[-1]
    assert isinstance(matrix, Matrix)
    assert [label.key for label in matrix.labels] == ["cat", "sat"]
    (other,) = statements(load_document("K:\n\n" + pipes(" | cat | sat", "d1 | 1 | 2"), format="markdown"))
    turned = other.chain.items[-1]
    assert isinstance(turned, Matrix)
    assert ([label.key for label in turned.labels], turned.shape) == (["cat", "sat"], (2, 1))


# ---- places


def test_every_number_stands_at_its_place_in_markdown() -> None:
    text = GIVEN + pipes("QKᵀ | the | cat", "**the** | 1 | $2$", "**cat** | 0 | 7")
    found = checked(text)
    assert findings(found) == [(6, "7", "wrong", "1")]
    assert labels(found) == ["Scores[1,1]", "Scores[1,2]", "Scores[2,1]", "Scores[2,2]"]
    source = found.document.source
    assert [source[slice(*claim.span)] for claim in found.claims] == ["1", "2", "0", "7"]
    assert [(claim.place.line, claim.place.column) for claim in found.claims] == [(5, 13), (5, 18), (6, 13), (6, 17)]


def test_entities_and_tags_keep_their_places_in_html() -> None:
    text = (
        "<p>Q = [[1,0],[0,1]], K = [[1,0],[2,1]]</p>\n<table><caption>QK<sup>T</sup></caption>\n"
        "<tr><th></th><th>a</th><th>b</th></tr>\n<tr><th>a</th><td><b>1</b></td><td>&#50;</td></tr>\n"
        "<tr><th>b</th><td>0</td><td>&minus;1</td></tr></table>"
    )
    found = checked(text, "html")
    assert findings(found) == [(5, "−1", "wrong", "1")]
    source = found.document.source
    assert [source[slice(*claim.span)] for claim in found.claims] == ["1", "&#50;", "0", "&minus;1"]


def test_moved_trees_keep_everything_but_their_places() -> None:
    chain = read_code("[1·1 + 2·0, 3/√2] = [1, 2.12]")[0]
    away = moved(chain, lambda at: at + 7)
    assert [node.start - 7 for node in walk(away)] == [node.start for node in walk(chain)]
    assert [node.end - 7 for node in walk(away)] == [node.end for node in walk(chain)]
    assert placeless(away) == placeless(chain)


def test_the_text_of_a_grid_is_the_text_of_its_cells() -> None:
    document = load_document(pipes("A | a | b", "a | 0.7 | $0.3$", "b | - | 1"), format="markdown")
    (table,) = [region for region in document.regions if region.kind == "table"]
    grid = grid_of_table(table)
    assert grid is not None
    assert [[entry.kind for entry in row] for row in grid.rows] == [
        ["words", "words", "words"],
        ["words", "number", "number"],
        ["words", "blank", "number"],
    ]
    for row in grid.rows:
        for entry in row:
            if entry.kind == "number" and isinstance(entry.node, Number):
                assert grid.region.text[entry.node.start : entry.node.end] == entry.node.text
                start, end = grid.region.offsets.span(entry.node.start, entry.node.end)
                assert document.source[start:end] == entry.node.text


# ---- what is judged: the exact values are worked out by hand beside GIVEN and in the comments

JUDGED: dict[str, tuple[str, list[tuple[int, str, str, str | None]]]] = {
    "all right": (
        GIVEN
        + pipes("QKᵀ | a | b", "a | 1 | 2", "b | 0 | 1")
        + "\n"
        + pipes("softmax | a | b", "a | 0.33 | 0.67", "b | 0.33 | 0.67"),
        [],
    ),
    "a weight": (
        GIVEN + "Attention weights\n\n" + pipes(" | a | b", "a | 0.33 | 0.67", "b | 0.33 | 0.76"),
        [(8, "0.76", "wrong", "0.67")],
    ),
    "percents": (
        GIVEN + "Attention weights\n\n" + pipes(" | a | b", "a | 33% | 67%", "b | 33% | 76%"),
        [(8, "76%", "wrong", "67%")],
    ),
    "a sum beside a row": (
        GIVEN + pipes("softmax | a | b | sum", "a | 0.33 | 0.67 | 1.00", "b | 0.33 | 0.67 | 1.10"),
        [(6, "1.10", "wrong", "1.00")],
    ),
    # 0.33·1 + 0.67·3 = 2.34, 0.33·2 + 0.67·4 = 3.34
    "outputs as lists": (
        GIVEN
        + pipes("softmax | a | b", "a | 0.33 | 0.67", "b | 0.33 | 0.67")
        + "\n"
        + pipes("token | output", "a | [2.34, 3.34]", "b | [2.34, 4.34]"),
        [(11, "4.34", "wrong", "3.34")],
    ),
    "decimal commas": (
        "$d_k = 4$\n\n"
        + pipes("token | Q | K", "a | [1, 0] | [1, 1]", "b | [0, 3] | [0, 1]")
        + "\n"
        + pipes("QKᵀ/2 | a | b", "a | 0,5 | 0,0", "b | 1,5 | 1,6"),
        [(11, "1,6", "wrong", "1.5")],
    ),
    # e^1.41 = 4.0960, e^0.71 = 2.0340; 4.10 + 2.03 + 1 = 7.13; 4.10/7.13 = 0.575, 2.03/7.13 = 0.285, 1/7.13 = 0.140
    "one query": (
        pipes(
            "token | score | scaled (÷√2) | exp | weight",
            "a | 2 | 1.41 | 4.10 | 0.58",
            "b | 1 | 0.71 | 2.03 | 0.28",
            "c | 0 | 0 | 1 | 0.41",
            "sum | | | 8.13 | 1.27",
        ),
        [(5, "0.41", "wrong", "0.14"), (6, "8.13", "wrong", "7.13")],
    ),
    "the softmax of what stands there": (  # softmax(2, 1, 0) = 0.6652, 0.2447, 0.0900
        pipes("word | score | weight", "a | 2 | 0.665", "b | 1 | 0.245", "c | 0 | 0.9"),
        [(5, "0.9", "wrong", "0.1")],
    ),
    "a formula as header": (
        pipes("$S'$ entry | $e^{S'}$", "$1.414214$ | $4.113250$", "$0$ | $1.5$", "$1$ | $2.72$"),
        [(3, "4.113250", "wrong", "4.113252"), (4, "1.5", "wrong", "1.0")],
    ),
    "a column of sums of exponentials": (  # 4.48 + 7.39 + 4.48 = 16.35; the slip is in the column, not in its sum
        pipes("w | $s$ | $e^{s}$", "a | 1.5 | 4.48", "b | 2 | 7.99", "c | 1.5 | 4.48", "Summe | | 16.35"),
        [(4, "7.99", "wrong", "7.39")],
    ),
    "weighted vectors and their sum": (
        pipes(
            "token | weight | V | weight × V",
            "a | 0.6 | [1, 0] | [0.6, 0]",
            "b | 0.4 | [0, 2] | [0, 0.9]",
            "sum | 1.0 | | [0.6, 0.8]",
        ),
        [(4, "0.9", "wrong", "0.8")],
    ),
    "rows already worked out": (
        GIVEN
        + "0.3*[1, 2] + 0.7*[3, 4] = [2.4, 3.4]\n\n0.4*[1, 2] + 0.6*[3, 4] = [2.2, 3.2]\n\n"
        + pipes("query | output", "a | [2.4, 3.4]", "b | [2.2, 3.2]"),
        [],
    ),
    "chains in a matrix": (
        GIVEN + pipes("QKᵀ | a | b", "a | 1·1+0·0 = 1 | 1·2+0·1 = 3", "b | 0·1+1·0 = 0 | 0·2+1·1 = 1"),
        [(5, "3", "wrong", "2")],
    ),
    "a benchmark": (GIVEN + pipes("model | accuracy | F1 score", "A | 0.91 | 0.88", "B | 0.85 | 0.80"), []),
    "settings": (GIVEN + "Settings:\n\n" + pipes(" | small | large", "layers | 6 | 12", "heads | 8 | 16"), []),
    "a bill": (pipes("item | price | pieces", "a | 2.50 | 1", "b | 3.00 | 2", "Total | 6.00 | 3"), []),
    "keys and values": (GIVEN + pipes("key | value", "1 | 3", "2 | 5"), []),
}


@pytest.mark.parametrize(("text", "expected"), JUDGED.values(), ids=JUDGED)
def test_what_is_wrong_in_a_table(text: str, expected: list[tuple[int, str, str, str | None]]) -> None:
    assert findings(checked(text)) == expected


def test_columns_are_worked_out_entry_by_entry() -> None:
    found = checked(pipes("token | score | ÷√3 | exp", "a | 4 | 2.31 | 10.07", "b | 6 | 3.46 | 31.82"))
    assert [claim.working for claim in found.claims] == ["4/√3", "e^2.31", "6/√3", "e^3.46"]


# ---- what a program printed

FRAME = "         Katze  trinkt\nKatze    2.828   2.121\ntrinkt   2.828   1.414\n"


def test_a_printed_frame_is_a_matrix_at_its_places() -> None:
    document = load_document(f"Scaled scores:\n\n```\n{FRAME}```\n", format="markdown")
    (one,) = statements(document)
    matrix = one.chain.items[-1]
    assert isinstance(matrix, Matrix)
    assert [label.key for label in matrix.labels] == ["Katze", "trinkt"]
    told = [document.source[slice(*one.region.offsets.span(c.start, c.end))] for row in matrix.rows for c in row]
    assert told == ["2.828", "2.121", "2.828", "1.414"]
    assert spelt(one.chain.items[0]) == "Scaled scores"


def test_what_stands_beside_a_frame_is_left() -> None:
    document = load_document(f"```\nd_k = 2\n{FRAME}\n1 + 1 = 2\n```\n", format="markdown")
    (region,) = [region for region in document.regions if region.kind == "code"]
    grids, left = printed_grids(region)
    assert len(grids) == 1
    assert len(left.text) == len(region.text)
    assert left.text.split() == ["d_k", "=", "2", "1", "+", "1", "=", "2"]


@pytest.mark.parametrize(
    "text",
    ["a b\nc 1 2\n", "x = 1\ny 1 2\nz 1 2\n", "a b\n\nc 1 2\nd 1 2\n", "a b\nc 1 x\nd 1 2\n", "a\nb 1\nc 2\n"],
    ids=["one row", "a relation", "a gap", "a word", "one column"],
)
def test_what_is_no_frame(text: str) -> None:
    document = load_document(f"```\n{text}```\n", format="markdown")
    (region,) = [region for region in document.regions if region.kind == "code"]
    assert printed_grids(region) == ([], region)


def test_a_frame_printed_after_scores_is_judged() -> None:
    text = (
        "Scores:\n\n```\n     K1  K2\nQ1    1   2\nQ2    0   1\n```\n\nd_k = 2 and scaled:\n\n"
        "```\n      K1    K2\nQ1  0.71  1.41\nQ2  0.00  0.77\n```\n"
    )
    found = checked(text)
    assert findings(found) == [(14, "0.77", "wrong", "0.71")]
    assert labels(found) == ["Scaled[1,1]", "Scaled[1,2]", "Scaled[2,1]", "Scaled[2,2]"]


def test_a_long_table_is_not_read_as_one() -> None:
    rows = pipes("A | a", *(f"t{i} | 0.5" for i in range(10_001)))
    document = load_document(rows, format="markdown")
    (table,) = [region for region in document.regions if region.kind == "table"]
    assert grid_of_table(table) is None
