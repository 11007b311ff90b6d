"""The page: the text in it is the document's own, each number is marked and can be reached, nothing comes from outside."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.formats.load import read_document
from symattn.documents.report import Checked, Claim, Report
from symattn.rendering.verifying import render_report
from symattn.rendering.verifying.page import pieces
from symattn.rendering.words import visible

VOID = {"meta", "br"}


class Page(HTMLParser):
    """A page as an independent parser reads it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.marks: list[tuple[dict[str, str], str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: text or "" for name, text in attrs}
        self.elements.append((tag, found))
        if tag not in VOID:
            self.open.append(tag)
        if "data-t" in found:
            self.marks.append((found, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        where = "pre" if "pre" in self.open else self.open[-1] if self.open else ""
        self.texts.append((where, data))
        if where == "pre" and len(self.open) > self.open.index("pre") + 2:  # in a mark of a line
            self.marks[-1] = (self.marks[-1][0], self.marks[-1][1] + data)

    def text(self, tag: str) -> str:
        return "".join(text for where, text in self.texts if where == tag)

    def ids(self) -> list[str]:
        return [found["id"] for _, found in self.elements if "id" in found]


def page(report: Report, **choices: Any) -> Page:
    return Page(render_report(report, "html", **choices))


def shown(source: str) -> str:
    """A source as the page may show it: lines end with line feeds, and what acts unseen is named."""
    lines = re.split(r"\r\n|\n|\r", source)
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines)


@pytest.mark.parametrize(("language", "code"), [("en", "en"), ("zh", "zh-Hans")])
def test_a_lesson(report: Report, language: str, code: str) -> None:
    made = page(report, language=language)
    assert made.open == []
    assert ("html", {"lang": code}) in made.elements
    assert made.text("pre") == report.documents[0].document.source
    assert [text for _, text in made.marks] == ["1", "2", "1.76", "1.17", "1.17", "0.50", "0.40", "6", "3.5"]
    assert [found["class"] for found, _ in made.marks] == [
        "c bad h", "c open h", "c open h", "c bad h", "c bad h", "c good h", "c open h", "c open h", "c open h",
    ]  # fmt: skip


def test_every_mark_can_be_reached_and_says_what_is_known(report: Report) -> None:
    made = page(report)
    ids = made.ids()
    assert len(ids) == len(set(ids))
    for found, _ in made.marks:
        assert found["tabindex"] == "0"
        assert found["aria-describedby"] == found["data-t"]
        assert set(found["data-t"].split()) <= set(ids)
    tips = "".join(text for where, text in made.texts if where in {"dd", "dt"})
    for told in ("20/17", "≈ 1.176470588235", "1.18", "2/1.7 = 1.1764… rounds to 1.18; 1.17 is cut off", "1.73"):
        assert told in tips


def test_links_lead_to_places_on_the_page(report: Report, silent: Report) -> None:
    made = page(Report((*report, *silent)))
    targets = [found["href"] for tag, found in made.elements if tag == "a"]
    assert len(targets) > 10
    assert all(target.startswith("#") and target[1:] in made.ids() for target in targets)


def test_the_page_may_ask_nothing_of_the_network(report: Report) -> None:
    text = render_report(report, "html")
    made = Page(text)
    policies = [found["content"] for tag, found in made.elements if tag == "meta" and "http-equiv" in found]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"]
    assert not re.search(r"https?://|@import|url\(", text)
    assert not any(name in found for _, found in made.elements for name in ("src", "srcset", "style"))
    assert not any(name.startswith("on") for _, found in made.elements for name in found)


def test_words_from_outside_are_only_words(nasty: tuple[str, Report], report: Report) -> None:
    _, made = nasty
    read = page(made)
    assert read.open == []
    assert {tag for tag, _ in read.elements} <= {tag for tag, _ in page(report).elements} | {"ol"}
    assert [tag for tag, _ in read.elements].count("script") == 1
    assert read.text("pre") == shown(made.documents[0].document.source)
    assert "folder/" in read.text("title")


def test_nothing_found_is_said_and_the_document_is_there(silent: Report) -> None:
    made = page(silent)
    assert made.text("pre") == "Hello."
    assert "Nothing was found that could be checked." in made.text("p")
    assert made.marks == []


def test_several_documents_have_their_own_places(report: Report) -> None:
    made = page(Report((*report, *report)))
    assert len(made.ids()) == len(set(made.ids()))
    assert made.text("pre") == 2 * report.documents[0].document.source


def test_long_lists_are_cut_and_every_number_is_marked(claim) -> None:  # type: ignore[no-untyped-def]
    numbers = [str(i) for i in range(1000, 1070)]
    document = read_document(" ".join(numbers), path="a.md")
    made = page(Report((Checked(document, tuple(claim(document, n, Verdict.WRONG) for n in numbers)),)))
    assert len(made.marks) == 70
    assert "… and 20 more." in made.text("p")


# ---- claims over and in one another ------------------------------------------------------------------------------


def cut(source: str, *spans: tuple[int, int, Verdict]) -> list[list[tuple[str, tuple[int, ...], str, tuple[int, ...]]]]:
    place = Place(1, 1, 1, 2)
    claims = tuple(Claim(place, (start, end), "", verdict, "") for start, end, verdict in spans)
    checked = Checked(read_document(source, path="a.txt"), claims)
    return [[(p.text, p.claims, p.mark if p.claims else "", p.heads) for p in line] for line in pieces(checked)]


GOOD, BAD, OPEN = Verdict.EXACT, Verdict.WRONG, Verdict.UNDECIDED
CUTS = [
    ("apart", "a 1 b", [(2, 3, GOOD)], [[("a ", (), "", ()), ("1", (0,), "✓", (0,)), (" b", (), "", ())]]),
    ("side by side", "12", [(0, 1, GOOD), (1, 2, BAD)], [[("1", (0,), "✓", (0,)), ("2", (1,), "✗", (1,))]]),
    ("overlapping", "123", [(0, 2, GOOD), (1, 3, OPEN)],
     [[("1", (0,), "✓", (0,)), ("2", (0, 1), "~", (1,)), ("3", (1,), "~", ())]]),
    ("nested", "[12]", [(0, 4, BAD), (1, 2, GOOD)],
     [[("[", (0,), "✗", (0,)), ("1", (0, 1), "✗", (1,)), ("2]", (0,), "✗", ())]]),
    ("the same", "1", [(0, 1, GOOD), (0, 1, BAD)], [[("1", (0, 1), "✗", (0, 1))]]),
    ("over lines", "a1\n\n2b", [(1, 5, GOOD)],
     [[("a", (), "", ()), ("1", (0,), "✓", (0,))], [], [("2", (0,), "✓", ()), ("b", (), "", ())]]),
    ("from a line break", "a\n1", [(1, 3, GOOD)], [[("a", (), "", ())], [("1", (0,), "✓", (0,))]]),
    ("only a line break", "a\nb", [(1, 2, GOOD)], [[("a", (), "", ())], [("b", (), "", ())]]),
    ("empty", "ab", [(1, 1, BAD)], [[("a", (), "", ()), ("b", (0,), "✗", (0,))]]),
    ("empty at the end", "ab", [(2, 2, BAD)], [[("a", (), "", ()), ("b", (0,), "✗", (0,))]]),
    ("out of range", "ab", [(1, 99, BAD)], [[("a", (), "", ()), ("b", (0,), "✗", (0,))]]),
    ("an empty source", "", [(0, 0, BAD)], [[]]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "spans", "made"), [c[1:] for c in CUTS], ids=[c[0] for c in CUTS])
def test_cut(source: str, spans: Any, made: Any) -> None:
    assert cut(source, *spans) == made


@given(
    st.text(alphabet="a1\n\r\t<&\u202e词", max_size=40),
    st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45), st.sampled_from([GOOD, BAD, OPEN])), max_size=8),
)
def test_no_claim_changes_the_text(source: str, spans: list[tuple[int, int, Verdict]]) -> None:
    document = read_document(source, path="a.txt")
    claims = tuple(Claim(Place(1, 1, 1, 2), (a, b), "1", verdict, "m") for a, b, verdict in spans)
    made = page(Report((Checked(document, claims),)))
    assert made.open == []
    assert made.text("pre") == shown(source)
    assert len(made.ids()) == len(set(made.ids()))
    # each claim that stands on anything but line breaks begins exactly once, at its first character
    lines = pieces(Checked(document, claims))
    begun = [number for line in lines for piece in line for number in piece.heads]
    assert len(begun) == len(set(begun))
    for number, (a, b, _) in enumerate(spans):
        if source[min(a, len(source)) : min(b, len(source))].strip("\r\n"):
            assert number in begun
