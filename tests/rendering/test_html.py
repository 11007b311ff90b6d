"""The HTML page: names shown as they are, nothing but its own script, formulas as MathML with their LaTeX."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from symattn import derive, load_spec, render
from symattn.formulas import Name, Words, equal
from symattn.rendering.blocks import Block, Display, Heading, Math, Outside, Paragraph, Token
from symattn.rendering.html import fragment, html, mathml
from symattn.rendering.language import language
from symattn.rendering.latex import BLANK, LatexWriter
from symattn.rendering.words import math_words, visible

VOID = {"meta", "br", "hr", "link"}


class Page(HTMLParser):
    """A page read by an independent parser: its elements, their attributes, and the text in each kind of element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.append((self.open[-1], data))

    def text_of(self, tag: str) -> str:
        return "".join(text for where, text in self.texts if where == tag)

    def all_of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.elements if found == tag]


def page(*blocks: Block) -> Page:
    return Page(html(blocks, LatexWriter(), language("en")))


def test_names_are_shown_verbatim_and_inert(hostile: dict[str, str]) -> None:
    plain = {tag for tag, _ in page(Paragraph((Token("a"), Outside("a"), Math(Words("a"))))).elements}
    for name, word in hostile.items():
        made = page(Paragraph((Token(word),)), Paragraph((Math(Words(word)),)))
        assert made.open == [], name
        assert {tag for tag, _ in made.elements} <= plain, name
        assert made.text_of("bdi") == visible(word), name
        assert made.text_of("mtext") == visible(word), name
        assert [a["data-latex"] for a in made.all_of("span")] == [math_words(word)], name
        assert len(made.all_of("script")) == 1, name


def test_titles_are_shown_verbatim(hostile: dict[str, str]) -> None:
    for name, word in hostile.items():
        made = page(Heading(1, (Outside(word), ": step by step")))
        assert made.text_of("title") == f"{visible(word)}: step by step", name
        assert made.text_of("bdi") == visible(word), name


@pytest.fixture(scope="module")
def documents() -> dict[str, Page]:
    made = derive(load_spec())
    return {lang: Page(render(made, "html", language=lang)) for lang in ("zh", "en")}


@pytest.mark.parametrize(("lang", "code"), [("zh", "zh-Hans"), ("en", "en")])
def test_a_whole_page(documents: dict[str, Page], lang: str, code: str) -> None:
    made = documents[lang]
    assert made.open == []
    assert made.all_of("html") == [{"lang": code}]
    assert len(made.all_of("math")) == len(made.all_of("span"))
    assert not made.all_of("a")
    assert not made.all_of("link")
    assert not made.all_of("img")
    assert all(not key.startswith("on") for _, attributes in made.elements for key in attributes)
    assert all(not attributes.get("src") and not attributes.get("href") for _, attributes in made.elements)


def test_the_page_may_ask_nothing_of_the_network(documents: dict[str, Page]) -> None:
    policies = [a["content"] for a in documents["en"].all_of("meta") if "http-equiv" in a]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"]


def test_every_formula_can_be_reached_and_copied(documents: dict[str, Page]) -> None:
    assert all(a["data-latex"] and a["tabindex"] == "0" for a in documents["en"].all_of("span"))


def test_the_latex_to_copy_is_the_portable_one() -> None:
    made = page(Display(equal(Name("Q"), Words("50% & [x]"))))
    assert [a["data-latex"] for a in made.all_of("span")] == ["Q=" + math_words("50% & [x]")]


def test_wide_formulas_in_running_text_scroll_in_their_own_box() -> None:
    made = page(Paragraph((Math(Name("Q")), Math(Words("x" * 60)))))
    assert [a["class"] for a in made.all_of("span")] == ["m", "m w"]


def test_a_fragment_has_neither_page_nor_script() -> None:
    made = Page(fragment([Paragraph((Token("<script>"), Math(Words("<script>"))))], LatexWriter(), language("en")))
    assert {tag for tag, _ in made.elements} & {"html", "head", "style", "script"} == set()


# ---- MathML ------------------------------------------------------------------------------------------------------


def parts(latex: str, tag: str, *, display: bool = True) -> list[dict[str, Any]]:
    tree = fromstring(mathml(latex, display=display))  # noqa: S314  (our own)
    return [{**element.attrib, "": element.text or ""} for element in tree.iter(tag)]


MENDED = [
    ("blank", BLANK, "mspace", {"width": "3em", "style": "border-bottom: 1px solid"}),
    ("minus after a comma", "[1,-2]", "mo", {"": "−", "form": "prefix"}),
    ("minus after times", r"2\times -1", "mo", {"": "−", "form": "prefix"}),
    ("slash", "a/b", "mo", {"": "/", "lspace": "0", "rspace": "0"}),
    ("infinity", r"\to \infty", "mi", {"": "∞"}),
    ("left column", r"\begin{array}{rl}a& b\end{array}", "mtd", {"style": "text-align: left"}),
    ("bracket round a word", r"\left(\text{a}\right)", "mo", {"": "(", "stretchy": "false"}),
    ("bracket round a fraction", r"\left(\frac{1}{2}\right)", "mo", {"": "(", "stretchy": "true"}),
    ("space after an arrow", r"\left[\begin{array}{c}1\end{array}\right]\begin{array}{c}\leftarrow \text{a}\end{array}",
     "mspace", {"width": "0.28em"}),
]  # fmt: skip


@pytest.mark.parametrize(("latex", "tag", "part"), [c[1:] for c in MENDED], ids=[c[0] for c in MENDED])
def test_mended(latex: str, tag: str, part: dict[str, str]) -> None:
    assert any(part.items() <= found.items() for found in parts(latex, tag))


def test_a_minus_between_terms_stays_infix() -> None:
    assert all("form" not in found for found in parts("3-2", "mo"))


@pytest.mark.parametrize(("display", "tag"), [(True, "munder"), (False, "msub")])
def test_limits_stand_below_where_there_is_room(display: bool, tag: str) -> None:
    assert len(parts(r"\lim_{x\to \infty}y", tag, display=display)) == 1


def test_labels_are_as_high_as_the_rows_they_stand_by() -> None:
    latex = (
        r"\left[\begin{array}{c}\frac{1}{2}\\ 3\end{array}\right]\begin{array}{c}\leftarrow a\\ \leftarrow b\end{array}"
    )
    assert len(parts(latex, "mphantom")) == 1


@pytest.mark.parametrize("latex", [r"\text{&lt;b&gt;}", r"\text{<b>}", r"a<b", r"a>b"])
def test_no_text_becomes_markup(latex: str) -> None:
    tree = fromstring(mathml(latex, display=True))  # noqa: S314  (our own)
    assert {element.tag for element in tree.iter()} <= {"math", "mrow", "mtext", "mi", "mo"}


def test_the_stand_ins_survive_the_converter() -> None:
    every = "\\{}$%#&<>^_~[]' \"`"
    made = mathml(math_words(every, "mathml"), display=False)
    assert fromstring(made).findtext("mrow/mtext") == every  # noqa: S314  (our own)
    assert not re.search("[\ufdd0-\ufdef]", made)
