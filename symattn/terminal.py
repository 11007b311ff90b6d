"""What the commands share: options read, documents and errors printed, progress told.

Arrives: texts of options, documents, remarks. Leaves: values; and what was printed.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import typer

from symattn.errors import OutputError, one_line, quoted


def whole(text: str | int) -> int:
    """A whole number, as an option takes it.

    Raises: typer.BadParameter for anything else.

    >>> whole("12")
    12
    """
    if not re.fullmatch(r"[+-]?\d{1,400}", str(text), re.ASCII):
        raise typer.BadParameter(f"found {quoted(text)}; expected a whole number, such as 4")
    return int(text)


def one_of(known: tuple[str, ...]) -> Callable[[str], str]:
    """A reader of an option that takes one of some words.

    >>> one_of(("a", "b"))("b")
    'b'
    """

    def chosen(text: str) -> str:
        if text not in known:
            raise typer.BadParameter(f"found {quoted(text)}; expected one of {', '.join(known)}")
        return text

    return chosen


def print_document(data: str | bytes) -> None:
    """Nothing; the document stands on standard output, text as UTF-8.

    Raises: OutputError where it cannot be written there.
    """
    if not sys.stdout:  # closed by the caller
        raise OutputError("cannot write to standard output: it is closed")
    _print(data.encode("utf-8") if isinstance(data, str) else data)


def list_files(paths: Iterable[Path]) -> None:
    """Nothing; the names of written files stand on standard output, one a line."""
    for path in paths if sys.stdout else ():
        _print(os.fsencode(path) + b"\n")  # as bytes: a name need not be text in the encoding of the terminal


def _print(raw: bytes) -> None:
    """Put bytes on standard output; a reader that has stopped listening is no error."""
    stream = getattr(sys.stdout, "buffer", None)
    try:
        if stream is None:  # a notebook, an IDE
            sys.stdout.write(raw.decode("utf-8", "replace"))
            return
        sys.stdout.flush()
        stream.write(raw)
        stream.flush()
    except OSError as error:
        # what is still buffered would be tried again at exit
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"cannot write to standard output: {error.strerror or error}") from error


def warn(remarks: Iterable[str]) -> None:
    """Nothing; each remark is one line on standard error."""
    for remark in remarks:
        typer.echo(f"note: {one_line(remark)}", err=True)


@contextmanager
def progress(after: float = 1.0) -> Iterator[Callable[[str], None]]:
    """Tell what is being done, on a terminal, once the work has taken longer than `after` seconds.

    What was told last is shown then, though nothing more is told: one long step is as long as many.
    """
    if not sys.stderr or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    began = time.monotonic()
    status = Console(stderr=True).status("")
    lock = threading.Lock()
    running = over = False

    def start() -> None:
        nonlocal running
        with lock:
            if not running and not over:
                status.start()
                running = True

    def tell(text: str) -> None:
        status.update(one_line(text, 100))
        if time.monotonic() - began >= after:
            start()

    timer = threading.Timer(after, start)
    timer.daemon = True
    timer.start()
    try:
        yield tell
    finally:
        timer.cancel()
        with lock:
            over = True
        if running:
            status.stop()


def complain(text: str) -> int:
    """The exit code 2; the error is one line on standard error."""
    typer.echo(f"error: {one_line(text)}", err=True)
    return 2
