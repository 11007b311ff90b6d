"""The command line: paths and printing. Everything else is done by the public names of the package."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer

from symattn.errors import OptionError, SymattnError, one_line, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from symattn import Derivation, Spec

FORMATS: Final = ("md", "tex", "html", "pdf")
KINDS: Final = ("exact", "free-dk", "as-written")
LANGUAGES: Final = ("zh", "en")
STDOUT: Final = "-"

app = typer.Typer(
    name="symattn",
    help="Self-attention worked out exactly: matrices in, a hand-worked LaTeX derivation out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Expand(StrEnum):
    """How much is worked element by element."""

    none = "none"
    first = "first"
    all = "all"


class NotationName(StrEnum):
    """The notations."""

    document = "document"
    paper = "paper"


def _version(wanted: bool) -> None:  # noqa: FBT001  (typer calls it so)
    if wanted:
        from importlib.metadata import version

        typer.echo(f"symattn {version('symattn')}")
        raise typer.Exit


@app.callback()
def _symattn(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Self-attention worked out exactly: matrices in, a hand-worked LaTeX derivation out."""


@app.command(
    epilog="Examples:\n\n"
    "symattn derive\n\n"
    "symattn derive lesson.toml --as-written --lang en --to md,pdf\n\n"
    "symattn derive lesson.toml --exact -o - > lesson.md"
)
def derive(
    spec: Annotated[
        str | None, typer.Argument(metavar="SPEC", help="A TOML file; the bundled example when left out.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Folder for the documents (output/NAME), or - for standard output.",
        ),
    ] = None,
    as_written: Annotated[bool, typer.Option("--as-written", help="As a hand writes it, rounding on the way.")] = False,
    free_dk: Annotated[bool, typer.Option("--free-dk", help="With d_k as a letter.")] = False,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Exactly, with d_k as given. Without any of the three: all that apply."),
    ] = False,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Take X times the weights even where Q, K or V is given.")
    ] = False,
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="zh,en", help="Languages; the spec's own when left out.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="md,tex,html,pdf", help="Formats; md,tex,html when left out."),
    ] = None,
    rounding: Annotated[
        list[str] | None,
        typer.Option(
            "--round",
            metavar="KIND=RULE",
            help="How the hand rounds, such as weights=3,half-even or root=1.7 or outputs=exact; may be repeated.",
        ),
    ] = None,
    places: Annotated[int, typer.Option(help="Decimals after ≈ in exact results.")] = 4,
    expand: Annotated[Expand, typer.Option(help="Work element by element: nothing, the first token, or all.")] = (
        Expand.first
    ),
    stage: Annotated[
        list[str] | None,
        typer.Option(
            "--stage",
            metavar="STAGE",
            help="Only this section: embedding, projection, scores, softmax, output, summary; may be repeated.",
        ),
    ] = None,
    notation: Annotated[NotationName, typer.Option(help="The style of the formulas.")] = NotationName.document,
    worksheet: Annotated[
        bool, typer.Option("--worksheet", help="Leave the results blank, with an answer key beside it.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Print big matrices without dots.")] = False,
) -> None:
    """Work a spec out, stage by stage, and write the derivation as Markdown, TeX, HTML or PDF."""
    from symattn import load_spec

    with _progress() as tell:
        tell("reading the spec")
        loaded = load_spec(spec)
        if rounding:
            loaded = loaded.with_rounding(rounding)
        to_stdout = out == STDOUT
        choices: dict[str, Any] = {
            "places": places,
            "expand": expand.value,
            "notation": notation.value,
            "full": full,
        }
        if stage:
            choices["stages"] = tuple(part for text in stage for part in _listed(text, None, "--stage"))
        formats = _listed(to or ("md" if to_stdout else "md,tex,html"), FORMATS, "--to")
        languages = _languages(lang, loaded, bundled=spec is None and not to_stdout)
        kinds = [kind for kind, asked in zip(KINDS, (exact, free_dk, as_written), strict=True) if asked]
        if to_stdout:
            kinds, languages, formats = (kinds or ["exact"])[:1], languages[:1], formats[:1]
        remarks: list[str] = []
        documents = list(
            _documents(
                _derivations(loaded, kinds, remarks, recompute=recompute, tell=tell),
                languages,
                formats,
                choices,
                sheets=(("blank",) if to_stdout else ("blank", "key")) if worksheet else ("",),
                tell=tell,
            )
        )
    if to_stdout:
        _print_document(documents[0][1])
        _warn(remarks)
        return
    from symattn import write_whole

    folder = Path(out) if out else Path("output") / loaded.name
    for name, data in documents:
        write_whole(folder / name, data)
        typer.echo(folder / name)
    _warn(remarks)


def _listed(text: str, known: tuple[str, ...] | None, option: str) -> list[str]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        if known is not None and part not in known:
            raise OptionError(f"{option}: found {quoted(part)}", expected=f"some of {', '.join(known)}")
    if not parts:
        raise OptionError(f"{option} is empty", expected=f"some of {', '.join(known or ())}")
    return list(dict.fromkeys(parts))


def _languages(text: str | None, spec: Spec, *, bundled: bool) -> list[str]:
    if text is not None:
        return _listed(text, LANGUAGES, "--lang")
    return list(LANGUAGES) if bundled else [spec.language]


def _derivations(
    spec: Spec, kinds: list[str], remarks: list[str], *, recompute: bool, tell: Callable[[str], None]
) -> Iterator[tuple[str, Derivation]]:
    """The derivations asked for; with none asked for, every kind that the spec allows. Remarks are collected."""
    from symattn import Exact, Written
    from symattn import derive as work_out

    made = {
        "exact": lambda: Exact(),
        "free-dk": lambda: Exact(free_d_k=True),
        "as-written": lambda: Written(spec.policy),
    }
    for kind in kinds or [kind for kind in KINDS if kind != "exact" or not spec.free]:
        tell(f"working out: {kind}")
        try:
            derivation = work_out(spec, made[kind](), recompute=recompute)
        except OptionError as error:
            if kinds or kind != "as-written":
                raise
            remarks.append(f"no document as written: {error}")
            continue
        remarks += [line for line in derivation.remarks() if line not in remarks]
        yield kind, derivation


def _documents(
    derivations: Iterator[tuple[str, Derivation]],
    languages: list[str],
    formats: list[str],
    choices: dict[str, Any],
    *,
    sheets: tuple[str, ...],
    tell: Callable[[str], None],
) -> Iterator[tuple[str, str | bytes]]:
    """Names and contents of all documents, made before any file is touched."""
    from symattn import render, to_pdf

    names = {"": "", "blank": ".worksheet", "key": ".key"}
    for kind, derivation in derivations:
        for language in languages:
            for sheet in sheets:
                for to in formats:
                    name = f"{kind}.{language}{names[sheet]}.{to}"

                    def told(step: str, name: str = name) -> None:
                        tell(f"writing {name}: {step}")

                    text = render(
                        derivation,
                        "tex" if to == "pdf" else to,
                        language=language,
                        worksheet=sheet,
                        progress=told,
                        **choices,
                    )
                    if to == "pdf":
                        told("running TeX")
                    yield name, to_pdf(text) if to == "pdf" else text


def _print_document(data: str | bytes) -> None:
    sys.stdout.buffer.write(data.encode("utf-8") if isinstance(data, str) else data)
    sys.stdout.buffer.flush()


def _warn(remarks: list[str]) -> None:
    for remark in remarks:
        typer.echo(f"note: {one_line(remark)}", err=True)


@contextmanager
def _progress(after: float = 1.0) -> Iterator[Callable[[str], None]]:
    """Tell what is being done, on a terminal, once the work has taken longer than `after` seconds."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    began = time.monotonic()
    status = Console(stderr=True).status("")
    running = False

    def tell(text: str) -> None:
        nonlocal running
        if time.monotonic() - began < after:
            return
        status.update(one_line(text, 100))
        if not running:
            status.start()
            running = True

    try:
        yield tell
    finally:
        if running:
            status.stop()


def main() -> NoReturn:
    """Run the command line: exit 0 when it worked, 2 with one clear line when it could not."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit code of one run; errors go to standard error as one line."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=arguments, prog_name="symattn", standalone_mode=False)
    except SymattnError as error:
        typer.echo(f"error: {error}", err=True)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        return 130
    except Exception as error:
        if not hasattr(error, "format_message"):  # no usage error of the option parser
            raise
        typer.echo(f"error: {one_line(error.format_message())} (see symattn --help)", err=True)
        return 2
    return code if isinstance(code, int) else 0
