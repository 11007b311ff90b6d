"""The statements of a document, in its order, each with the words before it."""

from __future__ import annotations

import pytest

from symattn.documents.formats.load import load_document
from symattn.documents.judging.spelling import spelt
from symattn.documents.judging.statements import Statement, statements
from symattn.documents.judging.subject import parts_of


def said(text: str, format: str = "markdown") -> list[Statement]:  # noqa: A002
    return list(statements(load_document(text, format=format)))  # type: ignore[arg-type]


def shown(statement: Statement) -> str:
    return " ".join(
        f"{part.relation}{' ' if part.relation else ''}{spelt(part.node)}" for part in parts_of(statement.chain)
    )


CHAINS: dict[str, tuple[str, str, list[str]]] = {
    "formulas in their order": ("markdown", "a $1+1=2$ b\n\n$$2+2=4$$\n", ["1+1 = 2", "2+2 = 4"]),
    "a chain of several links": ("markdown", r"$\frac{2}{1.7} = 1.17 \approx 1.2$", ["2/1.7 = 1.17 ≈ 1.2"]),
    "prose": ("markdown", "so e^1.76 ≈ 5.8 here\n", ["e^1.76 ≈ 5.8"]),
    "code": ("markdown", "```\nsum = 5.8 + 1 = 6.8\n```\n", ["sum = 5.8+1 = 6.8"]),
    "a relation at the end of the words": ("markdown", "The output = $[8.8, 2.45]$\n", ["= [8.8, 2.45]"]),
    "a relation behind a name": ("markdown", "权重 ≈ $[0.85, 0.15]$\n", ["≈ [0.85, 0.15]"]),
    "TeX": ("tex", "text $1+1=2$ more \\[ 2+2=4 \\]\n", ["1+1 = 2", "2+2 = 4"]),
    "plain text": ("text", "1 + 1 = 2\n", ["1+1 = 2"]),
    "nothing": ("markdown", "Only words here.\n", []),
}


@pytest.mark.parametrize(("format", "text", "chains"), CHAINS.values(), ids=CHAINS)
def test_chains(format: str, text: str, chains: list[str]) -> None:  # noqa: A002
    found = [shown(statement) for statement in said(text, format) if statement.chain.links]
    assert [chain for chain in found if "…" not in chain] == chains  # words before a relation are no formula


def test_the_words_before_a_chain_are_those_of_its_sentence() -> None:
    (statement,) = [s for s in said("These are scores. Now the weights of row 2: $A=[1]$\n") if s.chain.links]
    assert "weights of row 2" in statement.words
    assert "scores" not in statement.words


def test_the_headings_above_come_along() -> None:
    (statement,) = said("# Attention\n\n## Scores\n\n$1+1=2$\n")
    assert statement.headings == ("Attention", "Scores")


def test_a_formula_between_is_marked_in_the_words() -> None:
    statements_ = said("the row $x$ gives weights $A=[1]$\n")
    assert "\u2063" in statements_[-1].words
    assert statements_[-1].words.endswith("gives weights")


def test_chains_in_the_cells_of_a_table() -> None:
    text = "| step | value |\n|---|---|\n| sum | $5.8+1=6.8$ |\n| share | $5.8/6.8=0.85$ |\n"
    found = [(shown(statement), statement.words.strip()) for statement in said(text) if statement.chain.links]
    assert found == [("5.8+1 = 6.8", "sum"), ("5.8/6.8 = 0.85", "share")]


def test_columns_of_rows_under_a_name_are_a_matrix() -> None:
    text = "| token | $q$ | $k$ |\n|---|---|---|\n| the | $[1, 0]$ | $[2, 1]$ |\n| cat | $[0, 3]$ | $[1, 1]$ |\n"
    assert [shown(statement) for statement in said(text)] == ["Q = [1, 0; 0, 3]", "K = [2, 1; 1, 1]"]


def test_a_decimal_comma_where_the_document_has_it() -> None:
    document = load_document("1,5 + 1 = 2,5\n", format="text")
    (statement,) = statements(document, decimal_comma=True)
    assert shown(statement) == "1,5+1 = 2,5"
