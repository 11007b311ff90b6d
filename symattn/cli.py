"""The command line: paths and printing. Everything else is done by the public names of the package.

Arrives: arguments. Leaves: files or one document on standard output, notes and one-line errors on standard error, and
an exit code: 0 when it worked, 2 when it could not.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer

from symattn import cli_extract, cli_verify
from symattn.errors import OptionError, SymattnError, UndecidedError, quoted
from symattn.terminal import complain as _complain
from symattn.terminal import list_files as _list_files
from symattn.terminal import one_of as _one_of
from symattn.terminal import print_document as _print_document
from symattn.terminal import progress as _progress
from symattn.terminal import warn as _warn
from symattn.terminal import whole as _whole

if TYPE_CHECKING:
    from symattn import Asked, Beside, Comparison, Derivation, FreeDk, Spec
    from symattn.rendering.blocks import Picture

FORMATS: Final = ("md", "tex", "html", "pdf")
KINDS: Final = ("exact", "free-dk", "as-written")
LANGUAGES: Final = ("zh", "en")
EXPANSIONS: Final = ("none", "first", "all")
NOTATIONS: Final = ("document", "paper")
COMPARISONS: Final = ("text", "md", "tex", "html", "json", "csv")
STDOUT: Final = "-"

app = typer.Typer(
    name="symattn",
    help="Self-attention worked out exactly: matrices in, a hand-worked LaTeX derivation out.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass(frozen=True, slots=True)
class _Order:
    """The documents to be made: `kinds` is empty where none was named, so that all that apply are made."""

    kinds: tuple[str, ...]
    languages: tuple[str, ...]
    formats: tuple[str, ...]
    sheets: tuple[str, ...]
    choices: dict[str, Any]
    recompute: bool


def _version(wanted: bool) -> None:  # noqa: FBT001  (typer calls it so)
    if wanted:
        from importlib.metadata import version

        typer.echo(f"symattn {version('symattn')}")
        raise typer.Exit


@app.callback(
    epilog="Examples:\n\n"
    "symattn derive    (the bundled example, into output/time-machine/)\n\n"
    "symattn derive lesson.toml --exact -o - > lesson.md\n\n"
    "symattn derive --help    (all options)"
)
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
        str | None,
        typer.Argument(
            metavar="SPEC",
            help="A TOML file, or a document that gives the matrices; the bundled example when left out.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Folder for the documents (output/NAME when left out), or - to print one document.",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Exactly, with d_k as given. With none of these three: all that apply."),
    ] = False,
    free_dk: Annotated[bool, typer.Option("--free-dk", help="Exactly, with d_k as a letter.")] = False,
    as_written: Annotated[bool, typer.Option("--as-written", help="As a hand writes it, rounding on the way.")] = False,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Take X times the weights even where Q, K or V is given.")
    ] = False,
    lang: Annotated[
        str | None,
        typer.Option(
            "--lang",
            metavar="zh,en",
            help="Languages; the spec's own when left out, and both for the bundled example.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="md,tex,html,pdf",
            help="Formats; md,tex,html when left out, md for -o -. PDF needs latexmk, tectonic or xelatex.",
        ),
    ] = None,
    rounding: Annotated[
        list[str] | None,
        typer.Option(
            "--round",
            metavar="KIND=RULE",
            help="How the hand rounds, over the spec's own rules, such as weights=3,half-even or root=1.7 or "
            "outputs=exact; may be repeated. Kinds: inputs, projections, scores, root, scaled_scores, exponentials, "
            "row_sums, weights, outputs. Modes: half-up, half-even, truncate, ceiling, floor.",
        ),
    ] = None,
    places: Annotated[
        int, typer.Option(metavar="N", parser=_whole, help="Decimals after ≈ in exact results, 0 to 1000.")
    ] = 4,
    expand: Annotated[
        str,
        typer.Option(
            metavar="|".join(EXPANSIONS),
            parser=_one_of(EXPANSIONS),
            help="Work element by element: nothing, the first token, or all.",
        ),
    ] = "first",
    stage: Annotated[
        list[str] | None,
        typer.Option(
            "--stage",
            metavar="STAGE",
            help="Only this section: embedding, projection, scores, softmax, output, summary; may be repeated.",
        ),
    ] = None,
    notation: Annotated[
        str,
        typer.Option(
            metavar="|".join(NOTATIONS),
            parser=_one_of(NOTATIONS),
            help="The style of the formulas: names as in the bundled document, or as in papers.",
        ),
    ] = "document",
    worksheet: Annotated[
        bool, typer.Option("--worksheet", help="Leave the results blank, with an answer key beside it.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Print big matrices without dots.")] = False,
) -> None:
    """Work a spec out, stage by stage, and write the derivation as Markdown, TeX, HTML or PDF."""
    from symattn import Options, write_all

    if out == "":
        raise OptionError("--out is empty", expected="a folder, or - for standard output")
    to_stdout = out == STDOUT
    choices: dict[str, Any] = {"places": places, "expand": expand, "notation": notation, "full": full}
    if stage:
        choices["stages"] = tuple(part for text in stage for part in _parts(text, Options().stages, "--stage"))
    Options(**choices)  # refused before any work is done
    remarks: list[str] = []
    with _progress() as tell:
        tell("reading the spec")
        found, said = cli_extract.spec_of_source(spec)
        loaded = found.with_rounding(rounding or ())
        remarks += said
        order = _Order(
            kinds=tuple(kind for kind, asked in zip(KINDS, (exact, free_dk, as_written), strict=True) if asked),
            languages=_languages(lang, loaded, bundled=spec is None and not to_stdout),
            formats=_listed("md" if to_stdout else "md,tex,html", FORMATS, "--to", to),
            sheets=(("blank",) if to_stdout else ("blank", "key")) if worksheet else ("",),
            choices=choices,
            recompute=recompute,
        )
        documents = _documents(loaded, _single(order) if to_stdout else order, remarks, tell)
    if to_stdout:
        _print_document(*documents.values())
    else:
        folder = Path(out) if out else Path("output") / loaded.name
        files = {folder / name: data for name, data in documents.items()}
        write_all(files)
        _list_files(files)
    _warn(remarks)


@app.command(
    epilog="Examples:\n\n"
    "symattn compare --lang en\n\n"
    "symattn compare lesson.toml --root 1.7 --root 7/4 --round weights=3 -o comparison\n\n"
    "symattn compare lesson.toml --d-k free --to md\n\n"
    "symattn compare given.toml corrected.toml"
)
def compare(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SPEC [SPEC]]",
            help="A TOML file, exact beside written; or two, one derivation beside the other. The bundled example when "
            "left out.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", metavar="DIR", help="Folder for the comparison; standard output when left out."),
    ] = None,
    root: Annotated[
        list[str] | None,
        typer.Option("--root", metavar="R", help="Is this value of √d_k safe? 1.7, 7/4, ...; may be repeated."),
    ] = None,
    rounding: Annotated[
        list[str] | None,
        typer.Option("--round", metavar="KIND=RULE", help="How the hand rounds, as in derive; may be repeated."),
    ] = None,
    d_k: Annotated[
        str | None,
        typer.Option("--d-k", metavar="N|free", help="Another d_k than the spec's; free to see what d_k does."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="N,N,...", help="The d_k of the table; 1,2,3,4,8,16,64,128 when left out."),
    ] = None,
    enough: Annotated[
        str,
        typer.Option(
            "--enough", metavar="N[,MODE]", help="How many places suffice for outputs right at N places in this mode."
        ),
    ] = "2,half-up",
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Q, K and V as given beside X times the weights.")
    ] = False,
    lang: Annotated[
        str | None,
        typer.Option(
            "--lang",
            metavar="zh,en",
            help="Languages; the spec's own when left out, and both for the bundled example in a folder.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar=",".join(COMPARISONS),
            help="Formats; text when left out, all but text for a folder.",
        ),
    ] = None,
    places: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=_whole,
            help="Decimals, 0 to 1000; in documents four more than were written when left out, in data 50.",
        ),
    ] = None,
    pictures: Annotated[
        bool | None,
        typer.Option(
            "--pictures/--no-pictures", help="Pictures beside the documents of a folder; they need matplotlib."
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Leave no row of a table out.")] = False,
) -> None:
    """Put exact beside written: what rounding cost, where, and how far one may round √d_k."""
    from symattn import load_spec, write_all

    if out == "":
        raise OptionError("--out is empty", expected="a folder, or - for standard output")
    folder = None if out in {None, STDOUT} else Path(str(out))
    given = specs or []
    if len(given) > 2:
        raise OptionError(f"found {len(given)} specs", expected="one, or two to put beside each other")
    asked = _asked(root, table, enough)
    remarks: list[str] = []
    with _progress() as tell:
        tell("reading the spec")
        loaded = [_with_d_k(load_spec(name).with_rounding(rounding or ()), d_k) for name in given or (None,)]
        formats = _listed("text" if folder is None else ",".join(COMPARISONS[1:]), COMPARISONS, "--to", to)
        languages = _languages(lang, loaded[0], bundled=not given and folder is not None)
        _one_document(folder, languages, formats)
        tell("comparing")
        made = _compared(loaded, asked, remarks, recompute=recompute)
        files: dict[str, str | bytes] = {}
        drawn = folder is not None and pictures is not False and bool({"md", "tex", "html"} & set(formats))
        for language in languages:
            shown = _pictures(made, language, files, remarks, tell, wanted=pictures) if drawn else ()
            for to_format in formats:
                tell(f"writing {to_format}")
                name = _comparison_name(language, to_format)
                choices: dict[str, Any] = {"language": language, "places": places, "full": full, "pictures": shown}
                files.setdefault(name, _comparison_text(made, to_format, choices))
    if folder is None:
        _print_document(*files.values())
    else:
        placed = {folder / name: data for name, data in files.items()}
        write_all(placed)
        _list_files(placed)
    _warn(remarks)


app.command(epilog=cli_verify.EPILOG)(cli_verify.verify)
app.command(epilog=cli_extract.EPILOG)(cli_extract.extract)


def _asked(root: list[str] | None, table: str | None, enough: str) -> Asked:
    from symattn import Asked
    from symattn.numbers.rounding import Mode

    digits, _, mode = enough.partition(",")
    known = [one.value for one in Mode]
    if not re.fullmatch(r"\d{1,4}", digits.strip(), re.ASCII) or (mode.strip() or "half-up") not in known:
        raise OptionError(
            f"--enough: found {quoted(enough)}",
            expected=f"a number of places, and one of {', '.join(known)}: 2,truncate",
        )
    choices: dict[str, Any] = {"places": int(digits), "mode": Mode(mode.strip() or "half-up")}
    if root:
        choices["roots"] = tuple(root)
    if table is not None:
        choices["d_ks"] = tuple(_positive(part, "--table") for part in table.split(","))
    return Asked(**choices)


def _positive(text: str, option: str) -> Any:
    from symattn.numbers.rounding import plain_value

    value = plain_value(text.strip())
    if value is None or value <= 0:
        raise OptionError(f"{option}: found {quoted(text)}", expected="a positive number, such as 3 or 7/2")
    return value


def _with_d_k(spec: Spec, d_k: str | None) -> Spec:
    if d_k is None:
        return spec
    from symattn.numbers.arithmetic import Letter

    return replace(spec, d_k=Letter() if d_k == "free" else _positive(d_k, "--d-k"))


def _one_document(folder: Path | None, *several: tuple[str, ...]) -> None:
    for found in several if folder is None else ():
        if len(found) > 1:
            raise OptionError(
                f"standard output takes one document, found {', '.join(found)}", hint="Name a folder with -o."
            )


def _compared(loaded: list[Spec], asked: Asked, remarks: list[str], *, recompute: bool) -> Comparison | FreeDk | Beside:
    from symattn import Exact, Written, beside, free_d_k
    from symattn import compare as put_beside
    from symattn import derive as work_out

    if len(loaded) == 2 or recompute:
        left = work_out(loaded[0], Exact(), recompute=False)
        right = work_out(loaded[-1], Exact(), recompute=recompute)
        return beside(left, right)
    spec = loaded[0]
    exact = work_out(spec, Exact())
    remarks += exact.remarks()
    if spec.free:
        return free_d_k(exact, d_ks=asked.d_ks)
    return put_beside(exact, work_out(spec, Written(spec.policy, letters=True)), asked)


def _pictures(
    made: Comparison | FreeDk | Beside,
    language: str,
    files: dict[str, str | bytes],
    remarks: list[str],
    tell: Callable[[str], None],
    *,
    wanted: bool | None,
) -> tuple[Picture, ...]:
    """The pictures of a comparison for its documents; their files are added to the others."""
    from symattn import Comparison, draw
    from symattn.rendering.blocks import Picture
    from symattn.rendering.pictures import PICTURES

    if not isinstance(made, Comparison) or not made.rational:
        return ()
    shown = []
    for name in PICTURES:
        tell(f"drawing {name}")
        try:
            svg, png = (draw(made, name, language, kind) for kind in ("svg", "png"))
        except (OptionError, UndecidedError) as error:
            if wanted:
                raise
            remark = f"no pictures: {error}"
            remarks += [remark] if remark not in remarks else []
            break
        stem = f"{name}.{language}"
        files |= {f"{stem}.svg": svg.data, f"{stem}.png": png.data}
        shown.append(Picture(stem, svg.alt, svg.data))
    return tuple(shown)


def _comparison_name(language: str, to: str) -> str:
    return f"comparison.{to}" if to in {"json", "csv"} else f"comparison.{language}.{'txt' if to == 'text' else to}"


def _comparison_text(made: Comparison | FreeDk | Beside, to: str, choices: dict[str, Any]) -> str:
    from symattn import render_comparison

    return render_comparison(made, to, **choices)


def _parts(text: str, known: tuple[str, ...], option: str) -> tuple[str, ...]:
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise OptionError(f"{option} is empty", expected=f"some of {', '.join(known)}")
    return parts


def _listed(default: str, known: tuple[str, ...], option: str, text: str | None) -> tuple[str, ...]:
    parts = _parts(default if text is None else text, known, option)
    for part in parts:
        if part not in known:
            raise OptionError(f"{option}: found {quoted(part)}", expected=f"some of {', '.join(known)}")
    return parts


def _languages(text: str | None, spec: Spec, *, bundled: bool) -> tuple[str, ...]:
    return _listed(",".join(LANGUAGES) if bundled else spec.language, LANGUAGES, "--lang", text)


def _single(order: _Order) -> _Order:
    """The order of one document for standard output; what asks for more is refused, not dropped."""
    kinds = order.kinds or ("exact",)
    asked = (tuple(f"--{kind}" for kind in kinds), order.languages, order.formats)
    for several, word in zip(asked, ("kind", "language", "format"), strict=True):
        if len(several) > 1:
            raise OptionError(f"-o - prints one document, found {', '.join(several)}", expected=f"one {word}")
    return replace(order, kinds=kinds)


def _documents(spec: Spec, order: _Order, remarks: list[str], tell: Callable[[str], None]) -> dict[str, str | bytes]:
    """Names and contents of all documents, made before any file is touched. Remarks are collected.

    With no kind named, a hand calculation that cannot be written is a remark, and the other documents are made.
    """
    documents: dict[str, str | bytes] = {}
    for kind in order.kinds or [kind for kind in KINDS if kind != "exact" or not spec.free]:
        try:
            documents |= _documents_of(kind, spec, order, remarks, tell)
        except (OptionError, UndecidedError) as error:
            if order.kinds or kind != "as-written":
                raise
            remarks.append(f"no document as written: {error}")
    return documents


def _documents_of(
    kind: str, spec: Spec, order: _Order, remarks: list[str], tell: Callable[[str], None]
) -> dict[str, str | bytes]:
    from symattn import Exact, Written
    from symattn import derive as work_out

    tell(f"working out: {kind}")
    arithmetic = Written(spec.policy) if kind == "as-written" else Exact(free_d_k=kind == "free-dk")
    derivation = work_out(spec, arithmetic, recompute=order.recompute)
    documents: dict[str, str | bytes] = {}
    names = {"": "", "blank": ".worksheet", "key": ".key"}
    for language in order.languages:
        for sheet in order.sheets:
            for to in order.formats:
                name = f"{kind}.{language}{names[sheet]}.{to}"

                def told(step: str, name: str = name) -> None:
                    tell(f"writing {name}: {step}")

                choices = {**order.choices, "language": language, "worksheet": sheet}
                documents[name] = _document(derivation, to, choices, told)
    remarks += [line for line in derivation.remarks() if line not in remarks]
    return documents


def _document(derivation: Derivation, to: str, choices: dict[str, Any], told: Callable[[str], None]) -> str | bytes:
    from symattn import render, to_pdf

    text: str = render(derivation, "tex" if to == "pdf" else to, progress=told, **choices)
    if to != "pdf":
        return text
    told("running TeX")
    made: bytes = to_pdf(text)
    return made


def main() -> NoReturn:
    """Run the command line: exit 0 when it worked, 2 with one clear line when it could not."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # the help holds signs that not every terminal has
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit code of one run; errors go to standard error as one line. Without arguments the help is shown.

    >>> run(["--version"])  # doctest: +ELLIPSIS
    symattn ...
    0
    """
    command = typer.main.get_command(app)
    try:
        code = command.main(args=arguments or ["--help"], prog_name="symattn", standalone_mode=False)
    except SymattnError as error:
        return _complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted")
        return 130
    except OSError as error:  # no folder for temporary files, for instance
        return _complain(str(error))
    except Exception as error:
        if not hasattr(error, "format_message"):  # no usage error of the option parser
            raise
        return _complain(f"{error.format_message()} (see symattn --help)")
    return code if isinstance(code, int) else 0
