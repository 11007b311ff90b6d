"""The command line of `extract`: a document in, the spec that it gives out as TOML; and specs for `derive`.

Arrives: a path, or - for standard input. Leaves: TOML on standard output or in a file, remarks on standard error.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from symattn.errors import OptionError, ReadError
from symattn.terminal import print_document, warn

if TYPE_CHECKING:
    from symattn.attention.spec import Spec
    from symattn.documents.extract import Extracted

STDIN: Final = "-"

EPILOG: Final = (
    "Examples:\n\nsymattn extract lesson.md > lesson.toml\n\n"
    "symattn derive lesson.md    (the corrected derivation at once)"
)


def extracted(source: str) -> Extracted:
    """What the document at a path gives; - is standard input.

    Raises: ReadError where it cannot be read, SpecError where it gives no complete example.
    """
    from symattn.documents.extract import extract as take_out
    from symattn.documents.formats.load import MAX_BYTES, load_document, read_document

    if source != STDIN:
        return take_out(load_document(Path(source)))
    if not sys.stdin:
        raise ReadError("standard input is closed")
    return take_out(read_document(sys.stdin.buffer.read(MAX_BYTES + 1)))


def spec_of_source(source: str | None) -> tuple[Spec, tuple[str, ...]]:
    """The spec of a TOML file, of the bundled example, or of a document, and the remarks on it.

    >>> spec_of_source(None)[0].tokens
    ('Time', 'Machine')
    """
    from symattn import load_spec
    from symattn.documents.extract import is_document

    if source is None or (source != STDIN and not is_document(source)):
        return load_spec(source), ()
    made = extracted(source)
    return made.spec(), made.remarks


def extract(
    document: Annotated[
        str,
        typer.Argument(metavar="DOC", help="Markdown, TeX, a notebook, HTML, text, a program; - for standard input."),
    ],
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FILE", help="The TOML file; standard output when left out.")
    ] = None,
) -> None:
    """Take the matrices, tokens and d_k that a document gives out of it, as a spec for derive."""
    from symattn import write_all

    if out == "":
        raise OptionError("--out is empty", expected="a file, or - for standard output")
    made = extracted(document)
    data = made.toml().encode("utf-8")
    warn(made.remarks)
    if out in (None, "-"):
        print_document(data)
    else:
        write_all({Path(str(out)): data})
