"""The command `symattn verify`: documents in, a report on their numbers out.

Arrives: names of files, options. Leaves: a report, a patch or corrected files; one line of error for each file that
could not be read; and an exit code: 0 without a finding, 1 with findings, 2 where something could not be done.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from symattn.errors import OptionError, ReadError, SymattnError, one_line, quoted
from symattn.terminal import complain, list_files, print_document, progress, warn, whole

if TYPE_CHECKING:
    from symattn.documents.fix import Fixed
    from symattn.documents.formats.document import Document, Format
    from symattn.documents.report import Checked

FORMATS: Final = ("text", "json", "github", "sarif", "html", "markdown")
LANGUAGES: Final = ("zh", "en")
STDIN: Final = "-"
STDIN_FORMATS: Final[dict[str, Format]] = {
    "md": "markdown",
    "tex": "tex",
    "ipynb": "notebook",
    "html": "html",
    "txt": "text",
    "py": "code",
}
MAX_JOBS: Final = 64
MAX_MB: Final = 1000
MAX_FORMULA: Final = 1_000_000
MAX_CLAIMS: Final = 1_000_000
MAX_TOLERANCE: Final = 1_000_000

EPILOG: Final = (
    "Examples:\n\n"
    "symattn verify lesson.md\n\n"
    "symattn verify lesson.md --diff    (the corrections that are certain, as a patch)\n\n"
    "symattn verify notes/*.md --format html --jobs 4 -o report.html\n\n"
    "symattn verify - --stdin-format tex < lesson.tex\n\n"
    "Exit code: 0 without a finding, 1 with findings, 2 where something could not be read or written."
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds the work on one document, and how strictly it is judged. Travels to the workers."""

    max_bytes: int
    max_claims: int
    max_formula: int
    tolerance: int
    allow_truncation: bool


@dataclass(frozen=True, slots=True)
class _Task:
    """A document to be judged: its name; for standard input also its content, and its format if that was told."""

    path: str
    limits: Limits
    content: bytes | None = None
    format: Format | None = None


@dataclass(frozen=True, slots=True)
class _Order:
    """What is to be made of the report."""

    format: str
    language: str
    verbose: bool
    strict: bool
    out: Path | None


def verify(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Markdown, TeX, notebooks, HTML, plain text or source code; - is standard input.",
            show_default=False,
        ),
    ],
    to: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="What is printed.", show_default=True)
    ] = "text",
    lang: Annotated[str, typer.Option("--lang", metavar="zh|en", help="Language of the report.")] = "en",
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Put the corrections that are certain into the files, carry them on, and report on what remains. What "
            "comes from standard input goes, corrected, to standard output.",
        ),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print these corrections as a patch, and write nothing.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit 1 also where something stayed open, or nothing was found to check."),
    ] = False,
    jobs: Annotated[
        int, typer.Option(metavar="N", parser=whole, help=f"Processes that work side by side, 1 to {MAX_JOBS}.")
    ] = 1,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="List every claim, right ones too.")] = False,
    explain: Annotated[
        int | None,
        typer.Option("--explain", metavar="LINE", parser=whole, help="The exact working of the claims on a line."),
    ] = None,
    tolerance: Annotated[
        int,
        typer.Option(
            metavar="ULPS", parser=whole, help="Let pass what is at most so many units of its last digit away."
        ),
    ] = 0,
    allow_truncation: Annotated[
        bool, typer.Option("--allow-truncation", help="Let pass what was cut off instead of rounded.")
    ] = False,
    stdin_format: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(STDIN_FORMATS), help="What standard input is; told from its content when left out."
        ),
    ] = None,
    max_mb: Annotated[
        int, typer.Option(metavar="N", parser=whole, help="Megabytes beyond which a document is refused.")
    ] = 16,
    max_claims: Annotated[
        int, typer.Option(metavar="N", parser=whole, help="Claims of a document beyond which no more are judged.")
    ] = 100_000,
    max_formula: Annotated[
        int, typer.Option(metavar="N", parser=whole, help="Characters of a formula beyond which it is not judged.")
    ] = 100_000,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="FILE", help="File for the report; standard output when left out."),
    ] = None,
) -> int:
    """Judge every number of other people's worked examples: what is wrong, why, and what would be right."""
    _chosen("--format", to, FORMATS)
    _chosen("--lang", lang, LANGUAGES)
    limits = Limits(
        max_bytes=_within("--max-mb", max_mb, 1, MAX_MB) * 1_000_000,
        max_claims=_within("--max-claims", max_claims, 1, MAX_CLAIMS),
        max_formula=_within("--max-formula", max_formula, 1, MAX_FORMULA),
        tolerance=_within("--tolerance", tolerance, 0, MAX_TOLERANCE),
        allow_truncation=allow_truncation,
    )
    _within("--jobs", jobs, 1, MAX_JOBS)
    order = _Order(to, lang, verbose, strict, _target(out, files))
    _compatible(files, order, fix=fix, diff=diff, explain=explain is not None, stdin_format=stdin_format)
    if stdin_format is not None:
        _chosen("--stdin-format", stdin_format, tuple(STDIN_FORMATS))
    with progress() as tell:
        tasks = [_task(path, limits, stdin_format) for path in files]
        judged = list(_judged(tasks, jobs, tell))
        checked = [found for found in judged if not isinstance(found, SymattnError)]
        errors = [found for found in judged if isinstance(found, SymattnError)]
        fixed = _fixed(checked, limits, tell, errors) if fix or diff else []
    for error in errors:
        complain(str(error))
    code = 0
    if diff:
        code = _patch(fixed, order)
    elif fix:
        code = _put_right(fixed, order)
    elif checked:
        code = _report(checked, order, explain)
    return 2 if errors else code


# options


def _chosen(option: str, text: str, known: Sequence[str]) -> None:
    if text not in known:
        raise OptionError(f"{option}: found {quoted(text)}", expected=f"one of {', '.join(known)}")


def _within(option: str, number: int, low: int, high: int) -> int:
    if not low <= number <= high:
        raise OptionError(f"{option}: found {quoted(number)}", expected=f"{low} to {high}")
    return number


def _target(out: str | None, files: Sequence[str]) -> Path | None:
    if out == "":
        raise OptionError("--out is empty", expected="a file, or - for standard output")
    if out in {None, STDIN}:
        return None
    target = Path(str(out))
    for path in files:
        if path != STDIN and _same(target, Path(path)):
            raise OptionError(f"--out {quoted(str(out), 160)} is one of the documents", hint="--fix corrects in place.")
    return target


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return one == other


def _compatible(
    files: Sequence[str], order: _Order, *, fix: bool, diff: bool, explain: bool, stdin_format: str | None
) -> None:
    """Nothing; options that would be ignored beside each other are refused."""
    if files.count(STDIN) > 1:
        raise OptionError("- stands for standard input twice", expected="it once")
    if stdin_format is not None and STDIN not in files:
        raise OptionError("--stdin-format without standard input", expected="- among the files")
    if fix and diff:
        raise OptionError("--fix and --diff together", expected="one of them")
    if explain and (fix or diff or order.format != "text" or len(files) > 1):
        raise OptionError("--explain takes one file and tells its line as text", expected="no other order beside it")
    if diff and order.format != "text":
        raise OptionError(f"--diff prints a patch, not {order.format}", expected="one of the two options")
    if fix and STDIN in files and (len(files) > 1 or order.format != "text"):
        raise OptionError("--fix prints standard input corrected", expected="- alone, and no --format")


# judging


def _task(path: str, limits: Limits, stdin_format: str | None) -> _Task:
    if path != STDIN:
        return _Task(path, limits)
    if not sys.stdin:
        raise ReadError("cannot read standard input: it is closed")
    stream = getattr(sys.stdin, "buffer", None)
    try:  # a character more than allowed is enough to know that there is too much
        content = sys.stdin.read(limits.max_bytes + 1).encode() if stream is None else stream.read(limits.max_bytes + 1)
    except OSError as error:
        raise ReadError(f"cannot read standard input: {error.strerror or error}") from error
    return _Task(path, limits, content, STDIN_FORMATS[stdin_format] if stdin_format else None)


def _judged(tasks: Sequence[_Task], jobs: int, tell: Callable[[str], None]) -> Iterator[Checked | SymattnError]:
    """Each document judged, or why it was not, in the order of the tasks."""
    jobs = min(jobs, len(tasks))
    if jobs == 1:
        for number, task in enumerate(tasks, 1):
            tell(f"verifying {task.path} ({number} of {len(tasks)})")
            yield judge(task)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # started afresh: a copy of a process in which another thread is at work may hang
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(judge, task) for task in tasks]
        try:
            for number, (task, future) in enumerate(zip(tasks, futures, strict=True), 1):
                tell(f"verifying {task.path} ({number} of {len(tasks)})")
                try:
                    yield future.result()
                except BrokenProcessPool:
                    yield ReadError("not judged: a worker ended, out of memory perhaps", where=one_line(task.path, 200))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def judge(task: _Task) -> Checked | SymattnError:
    """A document judged, within its limits; or why it could not be read."""
    from symattn.documents.formats.load import load_document, read_document

    limits = task.limits
    try:
        if task.content is None:
            document = load_document(Path(task.path), max_bytes=limits.max_bytes)
        else:
            document = read_document(task.content, format=task.format, max_bytes=limits.max_bytes)
        return _check(document, limits)
    except SymattnError as error:
        return error
    except (RecursionError, MemoryError):
        where = "" if task.path == STDIN else one_line(task.path, 200)
        return ReadError("too large or too deeply nested to be judged", where=where)


def _check(document: Document, limits: Limits) -> Checked:
    from symattn.documents.report import Report
    from symattn.documents.tolerance import tolerated
    from symattn.documents.verify import check

    checked = check(document, most_claims=limits.max_claims, longest_formula=limits.max_formula)
    if not limits.tolerance and not limits.allow_truncation:
        return checked
    (let_pass,) = tolerated(Report((checked,)), limits.tolerance, allow_truncation=limits.allow_truncation).documents
    return let_pass


# reports


def _report(checked: Sequence[Checked], order: _Order, line: int | None = None) -> int:
    from symattn.documents.report import Report
    from symattn.rendering.verifying import explain, render_report

    report = Report(tuple(checked))
    if line is not None:
        made = explain(report, line, language=order.language)
    else:
        made = render_report(
            report,
            order.format,
            language=order.language,
            verbose=order.verbose,
            color=order.out is None and _colored(),
        )
    _deliver(made, order)
    return report.exit_code(strict=order.strict)


def _colored() -> bool:
    """Whether standard output is a terminal that shows colours, and nobody asked for none."""
    if not sys.stdout or not sys.stdout.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _deliver(text: str, order: _Order) -> None:
    from symattn.files import write_all

    if order.out is None:
        print_document(text)
        return
    write_all({order.out: text})
    list_files([order.out])


# corrections


def _fixed(
    checked: Sequence[Checked], limits: Limits, tell: Callable[[str], None], errors: list[SymattnError]
) -> list[tuple[Checked, Fixed]]:
    """Each document with its correction; a document that cannot be corrected is one more error."""
    from symattn.documents.fix import fix
    from symattn.documents.formats.load import read_document

    out = []
    for one in checked:
        document = one.document

        def again(text: str, document: Document = document) -> Checked:
            # a correction may make a text longer, and must not fail for that
            return _check(
                read_document(text, path=document.path, format=document.format, max_bytes=2 * limits.max_bytes), limits
            )

        tell(f"correcting {document.path}")
        try:
            out.append((one, fix(one, again)))
        except SymattnError as error:
            errors.append(error)
    return out


def _patch(fixed: Sequence[tuple[Checked, Fixed]], order: _Order) -> int:
    from symattn.documents.fix import file_text, unified_diff
    from symattn.documents.report import Report

    patches = [
        unified_diff(
            checked.document.path,
            file_text(checked.document, checked.document.source),
            file_text(checked.document, done.text),
        )
        for checked, done in fixed
    ]
    _deliver("".join(patches), order)
    warn(note for checked, done in fixed for note in _refused(checked, done, order.language))
    return Report(tuple(checked for checked, _ in fixed)).exit_code(strict=order.strict)


def _put_right(fixed: Sequence[tuple[Checked, Fixed]], order: _Order) -> int:
    """The exit code of what remains; the files are corrected, all of them or none."""
    from symattn.documents.fix import file_text

    if not fixed:
        return 0
    notes = [note for checked, done in fixed for note in _told(checked, done, order.language)]
    if fixed[0][0].document.path == STDIN:
        checked, done = fixed[0]
        _deliver(file_text(checked.document, done.text), order)
        warn(notes)
        from symattn.documents.report import Report

        return Report((done.checked,)).exit_code(strict=order.strict)
    _rewrite(fixed)
    warn(notes)
    return _report([done.checked for _, done in fixed], order)


def _rewrite(fixed: Sequence[tuple[Checked, Fixed]]) -> None:
    from symattn.documents.fix import file_bytes
    from symattn.files import write_all

    contents: dict[Path, str | bytes] = {}
    modes = {}
    for checked, done in fixed:
        document = checked.document
        if done.text == document.source:
            continue
        try:
            path = Path(document.path).resolve()  # a link stays one
            modes[path] = path.stat().st_mode
            contents[path] = file_bytes(path.read_bytes(), document, done.text)
        except OSError as error:
            raise ReadError(f"cannot be read again: {error.strerror or error}", where=document.path) from error
    write_all(contents)
    for path, mode in modes.items():
        path.chmod(mode & 0o7777)


def _told(checked: Checked, done: Fixed, language: str) -> Iterator[str]:
    from symattn.rendering.language import language as language_of

    for change in done.applied:
        yield language_of(language).words(
            "verify_fixed",
            path=checked.document.path,
            place=f"{change.place.line}:{change.place.column}",
            written=change.old,
            expected=change.new,
        )
    yield from _refused(checked, done, language)


def _refused(checked: Checked, done: Fixed, language: str) -> Iterator[str]:
    from symattn.rendering.language import language as language_of

    for claim, reason in done.refused:
        yield language_of(language).words(
            "verify_refused",
            path=checked.document.path,
            place=f"{claim.place.line}:{claim.place.column}",
            written=claim.text,
            reason=reason,
        )
