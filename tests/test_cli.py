"""The command line at its edges: bad files and options, streams that fail, and what is left on disk afterwards."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import cli
from symattn.cli import run
from symattn.numbers.rounding import KINDS, Mode
from symattn.rendering.notation import NOTATIONS
from symattn.rendering.options import EXPANSIONS, SECTIONS

SMALL = 'tokens = ["a", "b"]\nQ = [[1, 2], [3, 4]]\nK = [[1, 2], [3, 4]]\nV = [[1], [2]]\n'
# scores of -27 and less: e to them is 0 in two places
TINY = SMALL.replace("K = [[1, 2], [3, 4]]", "K = [[-9, -9], [-9, -9]]")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a spec and files that are none."""
    monkeypatch.chdir(tmp_path)
    Path("lesson.toml").write_text(SMALL)
    Path("tiny.toml").write_text(TINY)
    Path("folder.toml").mkdir()
    Path("binary.toml").write_bytes(bytes(range(256)))
    Path("utf16.toml").write_bytes(SMALL.encode("utf-16"))
    Path("empty.toml").write_text("")
    Path("note.md").write_text("# A lesson\n\nSome *text*.\n")
    Path("nul.toml").write_bytes(SMALL.encode() + b"\0")
    Path("bad\x1b[31m\n.toml").write_text(SMALL.replace("[[1], [2]]", "[[nan], [2]]"))
    Path("evil.toml").write_text("d_k = \"__import__('os').system('touch PWNED')\"\n" + SMALL)
    with Path("big.toml").open("wb") as file:
        file.truncate(100_000_000)
    return tmp_path


def disk(folder: Path) -> dict[str, int]:
    """Every path below a folder, with its size."""
    return {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*")}


# ---- one line, exit 2, nothing written --------------------------------------------------------------------------

REFUSED = {
    # files
    "missing": (["nothing.toml"], "nothing.toml: cannot read the spec: No such file or directory; expected a readable TOML file"),
    "a folder": (["folder.toml"], "folder.toml: cannot read the spec: Is a directory"),
    "no name": ([""], "cannot read the spec: Is a directory"),
    "below a file": (["lesson.toml/x.toml"], "lesson.toml/x.toml: cannot read the spec: Not a directory"),
    "a long name": (["x" * 300], "…: cannot read the spec: File name too long"),
    "NUL in a name": (["a\0b.toml"], r"a\x00b.toml: cannot read the spec: embedded null byte"),
    "binary": (["binary.toml"], "binary.toml:2: byte 0x80 is not UTF-8; expected TOML in UTF-8"),
    "UTF-16": (["utf16.toml"], "utf16.toml:1: byte 0xff is not UTF-8; expected TOML in UTF-8"),
    "empty": (["empty.toml"], 'empty.toml: tokens is missing; expected tokens = ["...", "..."]'),
    "a document without matrices": (
        ["note.md"],
        "no Q, K, V or X with W_Q, W_K, W_V found in note.md; expected a worked example that gives its matrices",
    ),
    "NUL in a file": (["nul.toml"], "nul.toml:"),
    "100 MB": (["big.toml"], "big.toml: the file has 100,000,000 bytes; expected at most 16,777,216 bytes"),
    "control characters in a name": (["bad\x1b[31m\n.toml"], r"bad\x1b[31m\n.toml:4: matrices.V, row 1, column 1: 'nan' is not a number"),
    "code": (["evil.toml"], "evil.toml:1: d_k: '__import__('os').system('touch PWNED')' is not a number or a name"),
    # options
    "no folder": (["-o", ""], "--out is empty; expected a folder, or - for standard output"),
    "no format": (["--to", ""], "--to is empty; expected some of md, tex, html, pdf"),
    "no language": (["--lang", ""], "--lang is empty; expected some of zh, en"),
    "no section": (["--stage", " , "], "--stage is empty; expected some of embedding, projection, scores, softmax, output, summary"),
    "places as text": (["--places", "x"], "Invalid value for '--places': found 'x'; expected a whole number"),
    "places with a point": (["--places", "1.5"], "Invalid value for '--places': found '1.5'; expected a whole number"),
    "places of other digits": (["--places", "٣"], "Invalid value for '--places': found '٣'; expected a whole number"),
    "places beyond all": (["--places", "9" * 30], f"places = {'9' * 30}; expected 0 to 1000"),
    "unknown expansion": (["--expand", "some"], "Invalid value for '--expand': found 'some'; expected one of none, first, all"),
    "unknown notation": (["--notation", "Paper"], "Invalid value for '--notation': found 'Paper'; expected one of document, paper"),
    "control characters": (["--lang", "\x1b[2J"], r"--lang: found '\x1b[2J'; expected some of zh, en"),
    "an option without its value": (["--lang"], "Option '--lang' requires an argument"),
    "a misspelt option": (["--plces", "3"], "No such option: --plces"),
    "two kinds to print": (["-o", "-", "--exact", "--as-written"], "-o - prints one document, found --exact, --as-written; expected one kind"),
    "two languages to print": (["-o", "-", "--lang", "zh,en"], "-o - prints one document, found zh, en; expected one language"),
    "two formats to print": (["-o", "-", "--to", "md,tex"], "-o - prints one document, found md, tex; expected one format"),
    # a hand calculation that cannot be, asked for
    "all exponentials 0": (["tiny.toml", "--as-written", "--round", "exponentials=2"], "are all rounded to 0"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_one_line_and_nothing_written(
    arguments: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = disk(place)
    assert run(["derive", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("error: ")
    assert message in told.err
    assert told.err.endswith("\n")
    assert told.err[:-1].isprintable()
    assert disk(place) == before


def test_a_spec_that_is_too_large_is_not_opened(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def opened(*_: object, **__: object) -> None:
        raise AssertionError("the file was opened")

    monkeypatch.setattr(Path, "open", opened)
    assert run(["derive", "big.toml"]) == 2
    assert "the file has 100,000,000 bytes" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--places", "5000"], ["--stage", "sofmax"], ["-o", ""], ["--stage", ""]])
def test_options_are_checked_before_any_work(
    option: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["derive", "nothing.toml", *option]) == 2
    assert "nothing.toml" not in capsys.readouterr().err


@settings(max_examples=60, deadline=None)
@given(
    content=st.binary(max_size=80)
    | st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace"))
    | st.tuples(st.integers(0, len(SMALL)), st.text(alphabet='[]{}"=.,#\n\\01e-nafi_\x00\x1b', max_size=4)).map(
        lambda cut: (SMALL[: cut[0]] + cut[1] + SMALL[cut[0] :]).encode()
    )
)
def test_whatever_a_file_holds_it_is_read_or_refused_in_one_line(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()) as err:
        path = Path(name) / "spec.toml"
        path.write_bytes(content)
        code = run(["derive", str(path), "--exact", "--to", "md", "-o", f"{name}/out"])
        told = err.getvalue()
        assert (code == 0) == (Path(name) / "out/exact.en.md").exists()
        if code:
            assert code == 2
            assert told.startswith(f"error: {path}")
            assert told[:-1].isprintable()


# ---- what is on disk afterwards ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "folder"),
    [("..toml", "spec"), ("-rf.toml", "rf"), (".toml", "toml"), ("a ;|$(b).toml", "a-b"), ("课.toml", "课"), ("..\\x.toml", "x")],
)  # fmt: skip
def test_the_name_of_a_spec_never_leads_outside_output(
    file: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(file).write_text(SMALL)
    assert run(["derive", f"./{file}", "--exact", "--to", "md"]) == 0
    assert sorted(disk(tmp_path)) == sorted([file, "output", f"output/{folder}", f"output/{folder}/exact.en.md"])


def test_folders_that_the_user_names_are_the_users_choice(place: Path) -> None:
    for out in ("..", str(place / "far" / "off")):
        assert run(["derive", "lesson.toml", "--exact", "--to", "md", "-o", out]) == 0
        assert (place / out / "exact.en.md").exists()
    (place.parent / "exact.en.md").unlink()


def test_one_document_in_the_way_leaves_all_earlier_ones(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out/exact.en.tex").mkdir(parents=True)
    Path("out/exact.en.md").write_text("earlier")
    before = disk(place)
    assert run(["derive", "lesson.toml", "--exact", "-o", "out"]) == 2
    told = capsys.readouterr()
    assert told.err == "error: cannot write 'out/exact.en.tex': Is a directory. Choose another folder with -o DIR.\n"
    assert told.out == ""
    assert disk(place) == before


def test_a_hand_calculation_that_cannot_be_does_not_keep_the_others_back(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["derive", "tiny.toml", "--to", "md", "-o", "out", "--round", "exponentials=2"]) == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["exact.en.md", "free-dk.en.md"]
    told = capsys.readouterr()
    assert told.err.startswith("note: no document as written: the exponentials of a row")
    assert told.err.count("\n") == 1


# ---- streams that fail ------------------------------------------------------------------------------------------


class Failing(io.BytesIO):
    """Bytes that cannot be written, for a reason."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def write(self, _: Any) -> int:
        raise OSError(self.number, os.strerror(self.number))


class Stream:
    """A standard output whose bytes go to `buffer`."""

    def __init__(self, buffer: io.BytesIO) -> None:
        self.buffer = buffer

    def flush(self) -> None:
        return None

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")

    def write(self, text: str) -> int:
        return self.buffer.write(text.encode())


@pytest.mark.parametrize("arguments", [["-o", "-"], ["-o", "out", "--exact", "--to", "md"]], ids=["print", "list"])
def test_a_full_disk_behind_standard_output_is_one_line(
    arguments: list[str], place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", Stream(Failing(errno.ENOSPC)))
    assert run(["derive", "lesson.toml", *arguments]) == 2
    assert capsys.readouterr().err == "error: cannot write to standard output: No space left on device\n"


def test_standard_output_that_is_closed(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run(["derive", "lesson.toml", "-o", "-"]) == 2
    assert capsys.readouterr().err == "error: cannot write to standard output: it is closed\n"
    assert run(["derive", "lesson.toml", "-o", "out", "--exact", "--to", "md"]) == 0
    assert Path("out/exact.en.md").exists()


def test_standard_error_that_is_closed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert run(["derive", "nothing.toml"]) == 2
    assert run(["derive", "lesson.toml", "-o", "out", "--exact", "--to", "md"]) == 0


def test_standard_output_may_be_text_only_as_in_a_notebook(place: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run(["derive", "lesson.toml", "-o", "-", "--stage", "scores"]) == 0
        assert run(["derive", "lesson.toml", "-o", "out", "--exact", "--to", "md"]) == 0
    assert out.getvalue().startswith("# A worked example")
    assert out.getvalue().endswith("exact.en.md\n")


def test_names_that_are_no_text_are_listed_as_they_are(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    cli._list_files([Path(os.fsdecode(b"\xff.md")), Path("课.md")])
    assert capfdbinary.readouterr().out == b"\xff.md\n" + "课.md\n".encode()


def process(*arguments: str, cwd: Path, stdout: int = subprocess.PIPE, **variables: str) -> tuple[int, bytes]:
    """The exit code and the standard error of the command line in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1]), **variables}
    command = [sys.executable, "-m", "symattn", *arguments]
    ended = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, cwd=cwd, env=environment, check=False)
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("arguments", [["-o", "-"], []], ids=["print", "list"])
def test_a_reader_that_is_gone_stops_no_work(arguments: list[str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        code, told = process("derive", *arguments, cwd=tmp_path, stdout=writing)
    finally:
        os.close(writing)
    assert code == 0
    assert told.startswith(b"note: row 'Machine' of Q")
    assert told.count(b"\n") == 1
    assert len(list(tmp_path.rglob("*.*"))) == (0 if arguments else 18)


def test_a_terminal_without_the_signs_of_the_help(tmp_path: Path) -> None:
    code, told = process("derive", "--help", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (code, told) == (0, b"")


# ---- unforeseen -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raised", "code", "messages"),
    [
        (KeyboardInterrupt(), 130, {"", "error: interrupted\n"}),  # typer turns it into an exit, or hands it on
        (typer.Abort(), 130, {"error: interrupted\n"}),
        (OSError(errno.EMFILE, "Too many open files"), 2, {f"error: [Errno {errno.EMFILE}] Too many open files\n"}),
    ],
    ids=["interrupted", "aborted", "no more files"],
)
def test_what_ends_a_run_from_outside(
    raised: BaseException,
    code: int,
    messages: set[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def ends(_: object) -> None:
        raise raised

    monkeypatch.setattr("symattn.attention.spec_file.load_spec", ends)
    assert run(["derive"]) == code
    assert capsys.readouterr().err in messages


def test_a_fault_of_the_program_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(_: object) -> None:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("symattn.attention.spec_file.load_spec", ends)
    with pytest.raises(ZeroDivisionError, match="a fault"):
        run(["derive"])


# ---- help -------------------------------------------------------------------------------------------------------


def test_alone_it_shows_its_help_and_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    told = capsys.readouterr()
    assert "Usage: symattn" in told.out
    assert "symattn derive lesson.toml --exact -o - > lesson.md" in told.out
    assert told.err == ""


def help_of(command: str, name: str) -> str:
    parameters = typer.main.get_command(cli.app).commands[command].params  # type: ignore[attr-defined]
    (found,) = (parameter.help for parameter in parameters if parameter.name == name)
    return str(found)


def test_every_option_is_explained() -> None:
    for parameter in typer.main.get_command(cli.app).commands["derive"].params:  # type: ignore[attr-defined]
        assert len(parameter.help) > 10, parameter.name


def test_the_help_names_every_choice_there_is() -> None:
    for kind in KINDS:
        assert kind in help_of("derive", "rounding")
    for mode in Mode:
        assert mode.value in help_of("derive", "rounding")
    for section in SECTIONS:
        assert section in help_of("derive", "stage")
    assert cli.EXPANSIONS == EXPANSIONS
    assert sorted(cli.NOTATIONS) == sorted(NOTATIONS)
    assert re.search("latexmk, tectonic or xelatex", help_of("derive", "to"))
