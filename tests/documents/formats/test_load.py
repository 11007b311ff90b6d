from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symattn.documents.formats import load_document, read_document
from symattn.errors import OptionError, ReadError

TEXT = "权重 = 0.85\n\n$a$\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8"),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), "utf-16-le"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16-be"),
        (b"\xff\xfe\0\0" + TEXT.encode("utf-32-le"), "utf-32-le"),
        (("a = 0.85\n" * 9 + TEXT).encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, encoding: str) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(content)
    document = load_document(path)
    assert document.encoding == encoding
    assert document.source.endswith(TEXT)
    assert document.regions[-1].text == "a"
    assert document.notes == ()
    assert ("\ufeff" * document.bom + document.source).encode(encoding) == content  # as it would be written back


def test_line_breaks_keep_their_places(read: Callable) -> None:
    for line_break in ("\n", "\r\n", "\r"):
        document = read(line_break.join(["a", "", "$$", "b", "= 1.17", "$$"]), "markdown")
        region = document.regions[-1]
        assert region.text == "b\n= 1.17"
        at = region.text.index("1.17")
        assert document.locate(region, at, at + 4).line == 5
        assert document.locate(region, at, at + 4).column == 3
        assert document.line(5) == "= 1.17"


NOTED = [
    ("invalid byte", b"a = 1\nb\xff = 2", "1 character is no UTF-8, the first at byte 7 (0xff)", (2, 2)),
    ("two", b"a\xe9 = 1 \xe9", "2 characters are no UTF-8, the first at byte 1 (0xe9)", (1, 2)),
    ("NUL", b"a = 1\n\0b = 2", "the character NUL was taken as unreadable", (2, 1)),
]


@pytest.mark.parametrize(("content", "message", "place"), [c[1:] for c in NOTED], ids=[c[0] for c in NOTED])
def test_stray_bytes_are_noted_and_the_rest_is_read(
    read: Callable, content: bytes, message: str, place: tuple[int, int]
) -> None:
    document = read(content, "text")
    (note,) = document.notes
    assert (note.kind, note.message, document.place(note.offset)) == ("encoding", message, place)
    assert "\ufffd" in document.regions[0].text


def test_half_characters_of_a_string_are_replaced(read: Callable) -> None:
    document = read("a\ud800 = 1\ue000", "markdown")
    assert document.regions[0].text == "a\ufffd = 1\ufffd"
    assert [note.message for note in document.notes] == [
        "the character U+D800 was taken as unreadable",
        "the character U+E000 was taken as unreadable",
    ]
    document.source.encode("utf-8")


REFUSALS = [
    ("latin-1", "ÄÖÜ äöü ÄÖÜ".encode("latin-1"), "not UTF-8: 0xc4 at byte 0; expected UTF-8, or UTF-16 with its mark. Save it as UTF-8."),
    ("broken UTF-16", b"\xff\xfea\x00b", "not UTF-16-LE: 0x62 at byte 4; expected UTF-8, or UTF-16 with its mark. Save it as UTF-8."),
    ("PDF", b"%PDF-1.7\n", "not a text but a PDF file; expected Markdown, TeX, a notebook, HTML or plain text"),
    ("PNG", b"\x89PNG\r\n", "not a text but a PNG image; expected Markdown, TeX, a notebook, HTML or plain text"),
    ("program", bytes(range(256)) * 40, "not a text but a binary file: NUL at byte 0; expected UTF-8 or UTF-16"),
    ("controls", b"\x01\x02\x03" * 9, "not a text but a binary file: it is full of control characters; expected UTF-8"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), [c[1:] for c in REFUSALS], ids=[c[0] for c in REFUSALS])
def test_what_is_no_text_is_refused_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(content)
    with pytest.raises(ReadError) as error:
        load_document(path)
    assert str(error.value) == f"{path}: {message}"


def test_files_that_are_not_there_or_too_long(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"none\.md: cannot be read: No such file or directory$"):
        load_document(tmp_path / "none.md")
    with pytest.raises(ReadError, match=r"cannot be read: Is a directory$"):
        load_document(tmp_path)
    with pytest.raises(ReadError, match=r"cannot be read: embedded null byte$"):
        load_document(Path("a\0.md"))
    path = tmp_path / "long.md"
    with path.open("wb") as file:
        file.truncate(50_000_000)  # 50 MB that are never read
    with pytest.raises(
        ReadError, match=r"long\.md: 50\.0 MB long; expected at most 16\.0 MB\. max_bytes allows more\.$"
    ):
        load_document(path)
    with pytest.raises(ReadError, match=r"^5 bytes long; expected at most 4 bytes"):
        read_document("12345", max_bytes=4)
    with pytest.raises(
        OptionError, match=r"^unknown format 'pdf'; expected one of markdown, tex, notebook, html, text, code"
    ):
        read_document("a", format="pdf")  # type: ignore[arg-type]


@pytest.mark.parametrize("content", ["", "\ufeff", " \n\t\n", b"", b"\xef\xbb\xbf", b"\xff\xfe"])
@pytest.mark.parametrize("name", ["a.md", "a.tex", "a.ipynb", "a.html", "a.txt", "a.py", "-"])
def test_empty_documents_have_no_regions(read: Callable, content: str | bytes, name: str) -> None:
    assert read(content, path=name).regions == ()


GUESSES = [
    ("markdown", "# A\n\n$a$"),
    ("markdown", "a = 1"),
    ("markdown", "\\[ a \\]"),
    ("markdown", "<details>\n\n$a$\n"),
    ("tex", "\\documentclass{article}\n"),
    ("tex", "\\section{A}\n$a$"),
    ("html", "<!DOCTYPE html><p>a"),
    ("html", "<p>a</p>"),
    ("html", "a <p>b</p> <ul><li>c</li><li>d</li></ul>"),
    ("notebook", '{"cells": [], "nbformat": 4}'),
]


@pytest.mark.parametrize(("format", "source"), GUESSES)
def test_the_format_of_a_text_without_a_name(read: Callable, format: str, source: str) -> None:  # noqa: A002
    assert read(source).format == format


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.MD", "markdown"), ("a.tex", "tex"), ("a.htm", "html"), ("a.txt", "text"), ("a.py", "code"), ("a", "markdown")],
)
def test_the_format_by_name(read: Callable, name: str, format: str) -> None:  # noqa: A002
    assert read("a = 1", path=name).format == format


def test_a_path_or_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text("from the file", "utf-8")
    assert load_document("a.md").regions[0].text == "from the file"
    assert load_document("a.md", format="text").format == "text"
    assert load_document("a = 1").path == "-"
    assert load_document(b"a = 1").regions[0].text == "a = 1"
    with pytest.raises(ReadError, match=r"^b\.md: cannot be read"):
        load_document("b.md")


def test_documents_share_nothing() -> None:
    assert read_document("$\\newcommand{\\a}{1}\\a$").regions[0].text == "1"
    assert read_document("$\\a$").regions[0].text == "\\a"
    assert read_document("$\\a$") == read_document("$\\a$")
