"""Words from outside in Markdown: a reader of CommonMark shows them as they are, and acts on none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from symattn.formulas import Name, Words, equal
from symattn.rendering.blocks import Block, Bullets, Display, Heading, Math, Note, Outside, Paragraph, Token
from symattn.rendering.latex import LatexWriter
from symattn.rendering.markdown import markdown
from symattn.rendering.words import visible

if TYPE_CHECKING:
    from markdown_it.token import Token as Piece

ACTIVE = {"html_inline", "html_block", "link_open", "image", "code_inline", "code_block", "fence", "em_open"}
READERS = [MarkdownIt("commonmark"), MarkdownIt("commonmark").enable(["table", "strikethrough"])]


def pieces(text: str, reader: MarkdownIt) -> Iterator[Piece]:
    for block in reader.parse(text):
        yield block
        yield from block.children or ()


def shown(text: str, reader: MarkdownIt) -> str:
    return "".join(piece.content for piece in pieces(text, reader) if piece.type in {"text", "text_special"})


def written(*blocks: Block) -> str:
    return markdown(blocks, LatexWriter())


def unmarked(text: str) -> str:
    return text.replace("\u2068", "").replace("\u2069", "")


@pytest.mark.parametrize("reader", READERS, ids=["commonmark", "tables"])
def test_tokens_are_shown_verbatim_and_inert(hostile: dict[str, str], reader: MarkdownIt) -> None:
    for name, token in hostile.items():
        text = written(Paragraph(("before ", Token(token), " after")))
        assert unmarked(shown(text, reader)) == f"before “{visible(token)}” after", name
        assert not {piece.type for piece in pieces(text, reader)} & ACTIVE, name


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=20))
def test_any_token_is_shown_verbatim(token: str) -> None:
    text = written(Note(("Row ", Token(token), ".")))
    assert unmarked(shown(text, READERS[0])) == f"Row “{unmarked(visible(token))}”."
    assert not {piece.type for piece in pieces(text, READERS[0])} & ACTIVE


def test_titles_are_inert(hostile: dict[str, str]) -> None:
    for name, title in hostile.items():
        text = written(Heading(1, (Outside(title), ": step by step")))
        kinds = [piece.type for piece in pieces(text, READERS[0])]
        assert not set(kinds) & ACTIVE, name
        assert kinds[0] == "heading_open", name
        assert kinds.count("heading_open") == 1, name


def test_names_in_formulas_are_inert_where_a_reader_knows_no_mathematics(hostile: dict[str, str]) -> None:
    for name, token in hostile.items():
        text = written(Display(equal(Name("Q"), Words(token))), Paragraph((Math(Words(token)), " and ", Token(token))))
        active = {"html_inline", "html_block", "link_open", "image", "code_inline", "fence"}
        assert not {piece.type for piece in pieces(text, READERS[0])} & active, name


def test_the_shape_of_a_document() -> None:
    made = written(
        Heading(2, ("Scores ", Math(Name("Q")))),
        Display(Name("K")),
        Bullets((((Token("a"), ": "), (Name("V"),)), (("b",), ())), "number"),
        Bullets(((("c",), ()),)),
        Note(("d",)),
    )
    assert made == "## Scores $Q$\n\n$$\nK\n$$\n\n1. “a”: \n  $$\n  V\n  $$\n2. b\n\n- c\n\n> d\n"


def test_right_to_left_words_leave_the_line_in_order() -> None:
    assert written(Paragraph((Token("שלום"), ": 1"))) == "“\u2068שלום\u2069”: 1\n"
