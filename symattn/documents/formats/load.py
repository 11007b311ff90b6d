"""Documents opened: a path, or text itself, becomes a `Document` of positioned regions.

Arrives: a path, a text, or bytes. Leaves: a `Document`. This is where files are opened and decoded, where the format is
told from the name or from the content, and where what is no document is refused in one line.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from symattn.documents.formats.collect import Collector
from symattn.documents.formats.document import Document
from symattn.documents.formats.offsets import Placed, Weaver, whole
from symattn.documents.formats.source_code import SUFFIXES
from symattn.errors import OptionError, ReadError, one_line, quoted, system_reason

if TYPE_CHECKING:
    from symattn.documents.formats.document import Format

MAX_BYTES: Final = 16_000_000
FORMATS: Final = ("markdown", "tex", "notebook", "html", "text", "code")
_SUFFIXES: Final[dict[str, Format]] = {
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd", "mdwn", "myst"), "markdown"),
    **dict.fromkeys(("tex", "ltx", "latex"), "tex"),
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    "ipynb": "notebook",
    **dict.fromkeys(("txt", "text", "rst", "org", "adoc", "log"), "text"),
    **dict.fromkeys(SUFFIXES, "code"),
}
_BINARY: Final = (
    (b"%PDF-", "a PDF file"), (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive or an office document"), (b"\x1f\x8b", "a gzip archive"), (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
)  # fmt: skip
_BOMS: Final = (
    (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe\x00\x00", "utf-32-le"), (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"),
)  # fmt: skip
MAX_INVALID: Final = 0.05
"""The part of a file that may be no UTF-8 before it is refused as something else."""

_TO_REPLACE = re.compile("\r\n?|[\0\ue000\ud800-\udfff]")
_HTML = re.compile(
    r"\s*(?:<!--.*?-->\s*)?(?:<!doctype html|<html\b|<\?xml[^>]{0,200}\?>\s*<(?:!doctype )?html)", re.IGNORECASE
)
_HTML_BLOCKS = re.compile(r"</(?:p|div|table|tr|td|li|ul|ol|pre|h[1-6]|body)>", re.IGNORECASE)
_TEX = re.compile(r"\\documentclass\b|\\begin\{document\}|\\(?:sub)*section\*?\{|\\usepackage\b")
_MARKDOWN = re.compile(r"^(?:#{1,6} |```|~~~|[-*+] |\d+\. |\||> )|\$\$|\*\*|\]\(", re.MULTILINE)


def load_document(
    source: str | bytes | os.PathLike[str],
    *,
    format: Format | None = None,  # noqa: A002
    max_bytes: int = MAX_BYTES,
) -> Document:
    r"""A document, read from a path or given as text itself.

    A string is a path if it is one line that names a file, or looks like a file's name; else it is the text. For text
    without a name the format is guessed from what stands in it. `max_bytes` bounds what is read.

    Raises: ReadError if there is no such file, if it is too long, no text, or not of its format; OptionError for an
    unknown format.

    >>> document = load_document("**Sum**\n\n$$\n1 + 1 = 2\n$$\n")
    >>> document.format, [region.text for region in document.regions]
    ('markdown', ['Sum', '1 + 1 = 2'])
    """
    if isinstance(source, bytes):
        return read_document(source, format=format, max_bytes=max_bytes)
    if isinstance(source, str) and not _is_path(source):
        return read_document(source, format=format, max_bytes=max_bytes)
    path = os.fspath(source)
    return read_document(_bytes_of(path, max_bytes), path=path, format=format, max_bytes=max_bytes)


def read_document(
    content: str | bytes,
    *,
    path: str = "-",
    format: Format | None = None,  # noqa: A002
    max_bytes: int = MAX_BYTES,
) -> Document:
    """A document whose content is at hand; `path` is only its name, and `-` none.

    Raises: as `load_document`.

    >>> read_document("x = 1  # = 1", path="a.py").format
    'code'
    """
    if format is not None and format not in FORMATS:
        raise OptionError(f"unknown format {quoted(format)}", expected="one of " + ", ".join(FORMATS))
    where = "" if path == "-" else one_line(path, 200)
    try:
        return _read(content, path, format, max_bytes)
    except ReadError as error:
        raise (error.within(where) if where else error) from None


def _read(content: str | bytes, path: str, format: Format | None, max_bytes: int) -> Document:  # noqa: A002
    if len(content) > max_bytes:
        raise _too_long(len(content), max_bytes)
    collector = Collector()
    encoding, bom = "utf-8", False
    if isinstance(content, bytes):
        source, encoding, problem = decoded(content)
        bom = any(content.startswith(mark) for mark, _ in _BOMS)
        if problem is not None:
            collector.note("encoding", problem[0], problem[1])
    else:
        source = content.removeprefix("\ufeff")
    suffix = Path(path).suffix.lower().lstrip(".") if path != "-" else ""
    chosen = format or _SUFFIXES.get(suffix) or guess_format(source)
    _fill(_normal(source, collector), source, chosen, suffix, collector)
    regions, notes = tuple(collector.regions), tuple(collector.notes)
    return Document(path, chosen, _without_surrogates(source), regions, notes, encoding, bom)


def _fill(placed: Placed, source: str, chosen: Format, suffix: str, collector: Collector) -> None:
    """Let the format's reader do its work; each is imported when it is needed."""
    if not source.strip("\ufeff \t\r\n"):
        return
    if chosen == "notebook":
        from symattn.documents.formats.notebook import read_notebook

        read_notebook(_without_surrogates(source), collector)
    elif chosen == "markdown":
        from symattn.documents.formats.markdown import read_markdown

        read_markdown(placed, collector)
    elif chosen == "tex":
        from symattn.documents.formats.tex import read_tex

        read_tex(placed, collector)
    elif chosen == "html":
        from symattn.documents.formats.html import read_html

        read_html(placed, collector)
    elif chosen == "code":
        from symattn.documents.formats.source_code import is_known, read_code

        read_code(placed, suffix if is_known(suffix) else "python", collector)
    else:
        from symattn.documents.formats.plain import read_plain

        read_plain(placed, collector)


def guess_format(source: str) -> Format:
    r"""The format that a text without a name is most likely in; Markdown if in doubt, which takes formulas as TeX does.

    >>> guess_format("<!DOCTYPE html><p>"), guess_format(r"\section{A} $x$"), guess_format("# A"), guess_format("a = 1")
    ('html', 'tex', 'markdown', 'markdown')
    """
    head = source[:20_000]
    start = head.lstrip("\ufeff \t\r\n")
    if start.startswith("{") and '"nbformat"' in source and ('"cells"' in source or '"worksheets"' in source):
        return "notebook"
    if _HTML.match(start) or (start.startswith("<") and _HTML_BLOCKS.search(head)):
        return "html"
    if _TEX.search(head) and not re.search(r"^(?:#{1,6} |```)", head, re.MULTILINE):
        return "tex"
    if len(_HTML_BLOCKS.findall(head)) > 3 and not _MARKDOWN.search(head):
        return "html"
    return "markdown"


# files and bytes


def _is_path(source: str) -> bool:
    """Whether a string names a file: it exists, or it is one word with a suffix of a document."""
    if not source or len(source) > 4_096 or "\n" in source:
        return False
    try:
        if Path(source).exists():
            return True
    except (OSError, ValueError):
        pass
    suffix = source.rpartition(".")[2].lower()
    return suffix in _SUFFIXES and not re.search(r"[$=<>{}`*]|\s\S+\s\S+\s", source)


def _bytes_of(path: str, max_bytes: int) -> bytes:
    try:
        with Path(path).open("rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size > max_bytes:
                raise _too_long(status.st_size, max_bytes).within(one_line(path, 200))
            content = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        raise ReadError(f"cannot be read: {system_reason(error)}", where=one_line(path, 200)) from None
    if len(content) > max_bytes:
        raise ReadError(f"longer than {_size(max_bytes)}", where=one_line(path, 200), hint="max_bytes allows more.")
    return content


def _too_long(length: int, max_bytes: int) -> ReadError:
    return ReadError(f"{_size(length)} long", expected=f"at most {_size(max_bytes)}", hint="max_bytes allows more.")


def _size(length: int) -> str:
    return f"{length / 1e6:.1f} MB" if length >= 100_000 else f"{length:,} bytes"


def decoded(content: bytes) -> tuple[str, str, tuple[str, int] | None]:
    r"""The text of a file, the encoding that it is written in, and what was replaced in it: in words, and where.

    Raises: ReadError for a binary file, and for one that is mostly no UTF-8.

    >>> decoded(b"\xef\xbb\xbfa"), decoded(b"\xff\xfea\0")
    (('a', 'utf-8', None), ('a', 'utf-16-le', None))
    """
    for magic, name in _BINARY:
        if content.startswith(magic):
            raise ReadError(f"not a text but {name}", expected="Markdown, TeX, a notebook, HTML or plain text")
    for bom, codec in _BOMS:
        if content.startswith(bom):
            text, problem = _decode(content[len(bom) :], codec, len(bom))
            return text, codec, problem
    if b"\0" in content:
        return _with_nul(content)
    if _controls(content) > max(8, len(content) * 0.02):
        raise ReadError("not a text but a binary file: it is full of control characters", expected="UTF-8")
    text, problem = _decode(content, "utf-8", 0)
    return text, "utf-8", problem


def _controls(content: bytes) -> int:
    """How many bytes are control characters that no text holds."""
    return sum(content.count(bytes([c])) for c in range(1, 32) if c not in (9, 10, 12, 13, 27))


def _with_nul(content: bytes) -> tuple[str, str, tuple[str, int] | None]:
    """Bytes with NUL among them: UTF-16 without its mark, a text with a stray NUL, or no text."""
    even, odd = content[::2].count(0), content[1::2].count(0)
    half = len(content) / 2
    if len(content) % 2 == 0 and max(even, odd) > half * 0.4 and min(even, odd) < half * 0.05:
        codec = "utf-16-be" if even > odd else "utf-16-le"
        text, problem = _decode(content, codec, 0)
        return text, codec, problem
    if even + odd > max(8, len(content) * 0.01) or _controls(content) > max(8, len(content) * 0.02):
        at = content.index(0)
        raise ReadError(f"not a text but a binary file: NUL at byte {at:,}", expected="UTF-8 or UTF-16")
    text, problem = _decode(content, "utf-8", 0)
    return text, "utf-8", problem


def _decode(content: bytes, codec: str, before: int) -> tuple[str, tuple[str, int] | None]:
    try:
        return content.decode(codec), None
    except UnicodeDecodeError as error:
        byte = error.start + before
        text = content.decode(codec, "replace")
        place = len(content[: error.start].decode(codec, "replace"))
    replaced = text.count("\ufffd") - content.decode(codec, "ignore").count("\ufffd")
    shown = f"0x{content[byte - before]:02x}" if byte - before < len(content) else "the end"
    if codec != "utf-8" or replaced > max(3, len(text) * MAX_INVALID):
        name = codec.upper()
        raise ReadError(
            f"not {name}: {shown} at byte {byte:,}", expected="UTF-8, or UTF-16 with its mark", hint="Save it as UTF-8."
        )
    plural = "s are" if replaced > 1 else " is"
    return text, (f"{replaced} character{plural} no UTF-8, the first at byte {byte:,} ({shown})", place)


def _normal(source: str, collector: Collector) -> Placed:
    """The text with line feeds alone, and characters replaced that nothing can be read from."""
    placed = whole(source)
    if not _TO_REPLACE.search(source):
        return placed
    out = Weaver()
    at = 0
    for match in _TO_REPLACE.finditer(source):
        out.copy(placed, at, match.start())
        if match[0][0] == "\r":
            out.put("\n", match.start(), match.end())
        else:
            out.put("\ufffd", match.start(), match.end())
            name = "NUL" if match[0] == "\0" else f"U+{ord(match[0]):04X}"
            collector.note("encoding", f"the character {name} was taken as unreadable", match.start())
        at = match.end()
    out.copy(placed, at)
    return out.finish()


def _without_surrogates(source: str) -> str:
    """The text with half characters replaced, so that it can be printed."""
    return re.sub("[\ud800-\udfff]", "\ufffd", source)
