"""Words from outside, as each format must spell them."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.rendering.words import (
    STAND_INS,
    given_back,
    isolated,
    markdown_words,
    math_words,
    needs_cjk,
    script_runs,
    tex_words,
    visible,
)

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)

IN_FORMULAS = [
    ("plain", "Time", r"\text{Time}"),
    ("empty", "", r"\text{}"),
    ("letters of an accent", "that", r"\text{that}"),
    ("percent", "50%", r"\mathrm{50\%}"),
    ("ampersand", "a&b", r"\mathrm{a\&b}"),
    ("leading underscore", "_x", r"\mathrm{\_x}"),
    ("braces", "{}", r"\mathrm{\{\}}"),
    ("backslash", "\\", r"\mathrm{\backslash{}}"),
    ("parameter", "#1", r"\mathrm{\#1}"),
    ("dollars", "$x$", r"\mathrm{\$x\$}"),
    ("caret", "x^2", r"\mathrm{x{\hat{\ }}2}"),
    ("backtick", "`", r"\mathrm{{\grave{\ }}}"),
    ("tilde", "~", r"\mathrm{{\sim}}"),
    ("mixed", "50% off", r"\text{50}\mathrm{\%}\text{ off}"),
    ("no tag is left", "<b>", r"\mathrm{{<}b{>}}"),
    ("no link is left", "[a](b)", r"\mathrm{{[}}\text{a}\mathrm{{]}}\text{(b)}"),
    ("no dash is made", "a--b", r"\text{a-}\text{-b}"),
    ("no quotation mark is made", "''", r"\text{'}\text{'}"),
    ("spaces stay", "a  b", r"\text{a }\text{ b}"),
    ("override", "a\u202eb", r"\text{aU+202Eb}"),
    ("han", "时间", r"\text{时间}"),
]


@pytest.mark.parametrize(("text", "latex"), [c[1:] for c in IN_FORMULAS], ids=[c[0] for c in IN_FORMULAS])
def test_in_formulas(text: str, latex: str) -> None:
    assert math_words(text) == latex


IN_TEX = [
    ("plain", "Time", "Time"),
    ("specials", "%_&#{}$", r"\%\_\&\#\{\}\$"),
    ("input", r"\input{x}", r"\textbackslash{}input\{x\}"),
    ("caret notation", "^^5c", r"\textasciicircum{}\textasciicircum{}5c"),
    ("tilde", "~", r"\textasciitilde{}"),
    ("brackets of an option", "[x]", "{[}x{]}"),
    ("two spaces", "a  b", r"a \ b"),
    ("sign", "≈", r"\ensuremath{\approx}"),
    ("han", "时间", "时间"),
    ("accent composed", "e\u0301", "é"),
    ("greek", "αβ", r"\symattnglyphs{3B1,3B2}{αβ}"),
    ("scripts apart", "αж", r"\symattnglyphs{3B1}{α}\symattnglyphs{436}{ж}"),
    ("shaped", "हि", r"\symattnglyphs[dev2]{939,93F}{हि}"),
    ("emoji one by one", "🚀😀", r"\symattnglyphs{1F680}{🚀}\symattnglyphs{1F600}{😀}"),
    ("joined emoji", "👩\u200d🚀", "\\symattnglyphs{1F469,200D,1F680}{👩\u200d🚀}"),
    ("skin tone", "👋🏽", r"\symattnglyphs{1F44B,1F3FD}{👋🏽}"),
    ("variation selector", "❤\ufe0f", r"\symattnglyphs{2764}{❤}"),
    ("flags", "🇫🇷🇩🇪", r"\symattnglyphs{1F1EB,1F1F7}{🇫🇷}\symattnglyphs{1F1E9,1F1EA}{🇩🇪}"),
    ("combining on a special", "%\u0302", "\\symattnglyphs{25,302}{\\%\u0302}"),
    ("invisible alone", "a\u200bb", "ab"),
    ("hebrew", "שלום", r"\symattnrtl{\symattnglyphs[hebr]{5E9,5DC,5D5,5DD}{שלום}}"),
    ("hebrew in latin", "a ש b", r"a \symattnrtl{\symattnglyphs[hebr]{5E9}{ש}} b"),
    (
        "latin in hebrew",
        "ש a ש",
        r"\symattnrtl{\symattnglyphs[hebr]{5E9}{ש} \symattnltr{a} \symattnglyphs[hebr]{5E9}{ש}}",
    ),
    ("brackets turn", "ש(ש)", r"\symattnrtl{\symattnglyphs[hebr]{5E9}{ש})\symattnglyphs[hebr]{5E9}{ש}(}"),
]


@pytest.mark.parametrize(("text", "tex"), [c[1:] for c in IN_TEX], ids=[c[0] for c in IN_TEX])
def test_in_tex(text: str, tex: str) -> None:
    assert tex_words(text) == tex


def test_long_words_may_be_broken_in_running_text_only() -> None:
    assert tex_words("x" * 50).count(r"\allowbreak{}") == 2
    assert r"\allowbreak" not in math_words("x" * 50, "xelatex")


KNOWN = re.compile(
    r"\\(?:textbackslash|textasciicircum|textasciitilde|allowbreak)\{\}|\\[%_&#{}$ ]|"
    r"\\symattn(?:glyphs(?:\[[a-z0-9]+\])?\{[0-9A-F,]+\}|rtl|ltr)|\\ensuremath\{(?:-|\\[a-z]+)\}"
)


@given(TEXT)
def test_tex_holds_no_command_but_ours(text: str) -> None:
    left = KNOWN.sub("", tex_words(text))
    assert not set("\\%_&#$^~") & set(left)
    assert left.count("{") == left.count("}")


@given(TEXT)
def test_formulas_hold_no_command_but_ours(text: str) -> None:
    known = r"\\(?:text|mathrm|backslash|hat|grave|sim)(?![a-z])|\\[%_&#{}$ ]"
    left = re.sub(known, "", math_words(text))
    assert not set("\\%_&#$^~`") & set(left)
    assert left.count("{") == left.count("}")


@given(TEXT)
def test_stand_ins_are_given_back(text: str) -> None:
    made = math_words(text, "mathml")
    assert not set(STAND_INS) & set(made.removeprefix(r"\text{").removesuffix("}"))
    assert given_back(made) == rf"\text{{{visible(text)}}}"


@given(TEXT)
def test_runs_lose_nothing_that_can_be_seen(text: str) -> None:
    def seen(string: str) -> str:
        composed = unicodedata.normalize("NFC", string)
        return "".join(c for c in composed if unicodedata.category(c) != "Cf" and not 0xFE00 <= ord(c) <= 0xFE0F)

    assert unicodedata.normalize("NFC", seen("".join(run for _, run in script_runs(text)))) == unicodedata.normalize(
        "NFC", seen(text)
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "aU+202Eb"),
        ("a\u2069b", "aU+2069b"),
        ("a\u2028b", "aU+2028b"),
        ("a\nb", "aU+000Ab"),
        ("\ufdd0", "U+FDD0"),
        ("می\u200cروم", "می\u200cروم"),
        ("👩\u200d🚀", "👩\u200d🚀"),
    ],
)
def test_characters_that_act_unseen_are_named(text: str, shown: str) -> None:
    assert visible(text) == shown


IN_MARKDOWN = [
    ("plain", "Time Machine", "Time Machine"),
    ("emphasis", "*a* _b_", r"\*a\* \_b\_"),
    ("code", "`x`", r"\`x\`"),
    ("tag", "<b>", "&lt;b&gt;"),
    ("entity", "&lt;", "&amp;lt;"),
    ("link", "[a](b:c)", r"\[a\]\(b\:c\)"),
    ("mathematics", "$x$", r"\$x\$"),
    ("address", "http://a.b", r"http\://a.b"),
    ("bare address", "www.a.b", r"www\.a.b"),
    ("dash", "a--b", r"a\--b"),
    ("one hyphen", "a-b", "a-b"),
]


@pytest.mark.parametrize(("text", "markdown"), [c[1:] for c in IN_MARKDOWN], ids=[c[0] for c in IN_MARKDOWN])
def test_in_markdown(text: str, markdown: str) -> None:
    assert markdown_words(text) == markdown


def test_right_to_left_words_are_set_apart() -> None:
    assert isolated("שלום") == "\u2068שלום\u2069"
    assert isolated("abc مرحبا") == "\u2068abc مرحبا\u2069"
    assert isolated("Time 时间 🚀") == "Time 时间 🚀"


@pytest.mark.parametrize(("text", "needed"), [("时", True), ("カ", True), ("：", True), ("한", False), ("é", False)])
def test_chinese_fonts_are_asked_for_where_needed(text: str, needed: bool) -> None:
    assert needs_cjk(text) is needed
