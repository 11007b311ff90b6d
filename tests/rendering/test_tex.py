"""The TeX document: what it asks for, and that no word from outside is a command in it."""

from __future__ import annotations

import re

import pytest

from symattn import derive, load_spec, render
from symattn.formulas import Name, Words
from symattn.rendering.blocks import Bullets, Display, Heading, Math, Note, Outside, Paragraph, Token
from symattn.rendering.language import language
from symattn.rendering.latex import LatexWriter
from symattn.rendering.tex import tex

OURS = {
    *("begin", "end", "item", "fitted", "fittedtall", "fittedinline", "symattntitle", "section", "subsection"),
    *("symattnglyphs", "symattnrtl", "symattnltr", "allowbreak", "ensuremath", "text"),
    *("textbackslash", "textasciicircum", "textasciitilde", "approx", "surd", "to", "infty"),
}


def written(*blocks: object, lang: str = "en") -> str:
    return tex(blocks, LatexWriter(target="xelatex"), language(lang))  # type: ignore[arg-type]


def body(document: str) -> str:
    return document.partition(r"\begin{document}")[2].rpartition(r"\end{document}")[0]


def test_no_name_is_a_command(hostile: dict[str, str]) -> None:
    for name, word in hostile.items():
        made = body(
            written(Heading(1, (Outside(word),)), Paragraph((Token(word), Math(Words(word)))), Note((Token(word),)))
        )
        commands = set(re.findall(r"(?<!\\)(?:\\\\)*\\([A-Za-z]+)", made))
        assert commands <= OURS, name
        assert set(re.findall(r"\\begin\{(\w+)\}", made)) == {"symattnnote"}, name
        assert "^^" not in made, name


@pytest.mark.parametrize(
    ("word", "lang", "asked"),
    [
        ("Time", "en", set()),
        ("Time", "zh", {"ctex"}),
        ("时间", "en", {"ctex", "scheme=plain", "xeCJKDeclareCharClass"}),
        ("שלום", "en", {"TeXXeTstate", "symattnfont"}),
        ("🚀", "en", {"symattnfont"}),
        ("한국", "en", {"symattnfont"}),
    ],
    ids=["latin", "chinese document", "han in english", "hebrew", "emoji", "hangul"],
)
def test_the_preamble_asks_for_what_the_words_need(word: str, lang: str, asked: set[str]) -> None:
    preamble = written(Paragraph((Token(word),)), lang=lang).partition(r"\begin{document}")[0]
    every = {"ctex", "scheme=plain", "xeCJKDeclareCharClass", "TeXXeTstate", "symattnfont"}
    assert {part for part in every if part in preamble} == asked


def test_fonts_that_may_be_missing_are_tried_first() -> None:
    preamble = written(Paragraph((Token("🚀"),))).partition(r"\begin{document}")[0]
    assert preamble.count(r"\newfontfamily") == preamble.count(r"\IfFontExistsTF") == 1


def test_the_shape_of_a_document() -> None:
    made = body(
        written(
            Heading(1, (Outside("T"),)),
            Heading(2, ("S",)),
            Display(Name("Q")),
            Bullets((((Token("a"),), (Name("K"),)),), "number"),
            Note(("d",)),
        )
    )
    assert made.split() == [
        r"\symattntitle{T}",
        r"\section*{S}",
        r"\fitted{Q}",
        r"\begin{enumerate}",
        r"\item",
        "“a”",
        r"\fitted{K}",
        r"\end{enumerate}",
        r"\begin{symattnnote}",
        "d",
        r"\end{symattnnote}",
    ]


def test_long_formulas_in_running_text_are_fitted_and_fractions_get_room() -> None:
    made = render(derive(load_spec()), "tex", language="en")
    assert r"\fittedinline{=\left[\frac{e^{\sqrt{3}}}" in made
    assert r"\fittedtall{\text{Weights}=" in made
    assert r"\fitted{\text{Scores}=" in made
