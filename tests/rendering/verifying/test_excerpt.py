"""The source line under a finding: the underline stands under the number, whatever stands before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from symattn.documents.formats.document import Document, Place
from symattn.documents.formats.load import read_document
from symattn.rendering.verifying.excerpt import WIDTH, excerpt


def text(source: str) -> Document:
    return read_document(source, path="a.txt")


def marking(source: str, what: str, width: int = WIDTH) -> tuple[str, str]:
    """The shown line and its underline, for the first `what` in a source."""
    document = text(source)
    start = document.source.index(what)
    (line, column), (end_line, end) = document.place(start), document.place(start + len(what) - 1)
    made = excerpt(document, Place(line, column, end_line, end + 1), width)
    return made.before + made.marked + made.after, made.underline


CASES = [
    ("plain", "a = 1.17 b", "1.17", "a = 1.17 b", "    ^^^^"),
    ("indented", "\t  a = 1.17", "1.17", "a = 1.17", "    ^^^^"),
    ("tab between", "a\t1.17", "1.17", "a    1.17", "     ^^^^"),
    ("wide characters", "总和 = 6.8", "6.8", "总和 = 6.8", "       ^^^"),
    ("wide and marked", "a 总和 b", "总和", "a 总和 b", "  ^^^^"),
    ("combining", "e\u0301 = 1", "1", "e\u0301 = 1", "    ^"),
    ("unseen", "a\u202eb 1", "1", "aU+202Eb 1", "         ^"),
    ("CRLF", "a\r\nb 1\r\nc", "1", "b 1", "  ^"),
    ("over two lines", "ab\ncd", "b\nc", "ab", " ^"),
]


@pytest.mark.parametrize(("source", "what", "line", "underline"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_underlined(source: str, what: str, line: str, underline: str) -> None:
    assert marking(source, what) == (line, underline)


def test_a_place_on_an_empty_line_or_behind_its_end_has_one_caret() -> None:
    assert excerpt(text("\n\n"), Place(2, 1, 2, 1)).underline == "^"
    made = excerpt(text("ab"), Place(1, 9, 1, 12))
    assert (made.before, made.marked, made.underline) == ("ab", "", "  ^")


def test_long_lines_are_cut_around_the_number() -> None:
    line, underline = marking("a" * 500 + " 1.17 " + "b" * 500, "1.17")
    assert line.startswith("…")
    assert line.endswith("…")
    assert "aaaa 1.17 bbbb" in line
    assert line[underline.index("^") :].startswith("1.17")
    # what is not needed on one side is there for the other
    assert marking("1.17 " + "b" * 500, "1.17")[0].startswith("1.17 bbb")
    assert len(marking("1.17 " + "b" * 500, "1.17")[0]) > WIDTH - 3
    assert marking("a" * 500 + " 1.17", "1.17")[0].endswith("a 1.17")


def test_a_long_number_is_cut_itself() -> None:
    line, underline = marking("x = " + "7" * 5000, "7" * 5000)
    assert line.startswith("x = 777")
    assert underline == "    " + "^" * (WIDTH // 2)


@given(
    st.text(alphabet="ab \t&总é\u0301👩\u200d\x07", max_size=300),
    st.text(alphabet="0123456789.总", min_size=1, max_size=80),
    st.text(alphabet="ab \t&总é\u0301👩\u200d\x07", max_size=300),
)
def test_never_wider_than_asked_and_the_mark_is_there(before: str, number: str, after: str) -> None:
    document = text(before + number + after)
    made = excerpt(document, Place(1, len(before) + 1, 1, len(before) + len(number) + 1))
    # parts are measured one by one: a joined picture may be narrower, never wider
    assert cell_len(made.before) + cell_len(made.marked) + cell_len(made.after) <= WIDTH + 2
    assert made.marked == number or (made.marked.endswith("…") and number.startswith(made.marked[:-1]))
    assert "\t" not in made.before + made.after
    assert made.underline.lstrip(" ") == "^" * cell_len(made.marked)
