"""The command line as its users meet it: files, standard output, notes, and one clear line for what cannot be."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from symattn import cli
from symattn.cli import run
from symattn.errors import OutputError
from symattn.files import write_all

SMALL = 'tokens = ["a", "b"]\nQ = [[1, 2], [3, 4]]\nK = [[1, 2], [3, 4]]\nV = [[1], [2]]\n'
NOTE = "note: row 'Machine' of Q: X·W_Q gives [0, 2, 1], but the spec states [1, 2, 1]; going on with the stated row"


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lesson.toml").write_text(SMALL)
    return "lesson.toml"


def written(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_without_arguments_the_bundled_example_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["derive"]) == 0
    told = capsys.readouterr()
    names = written(tmp_path)
    assert len(names) == 18
    assert all(name.startswith("output/time-machine/") for name in names)
    assert sorted(told.out.split()) == names
    assert told.err.startswith(NOTE)
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--exact"], ["exact.en.html", "exact.en.md", "exact.en.tex"]),
        (["--free-dk", "--to", "md"], ["free-dk.en.md"]),
        (["--as-written", "--to", "tex", "--lang", "zh,en"], ["as-written.en.tex", "as-written.zh.tex"]),
        (["--exact", "--free-dk", "--to", "md", "--lang", "zh"], ["exact.zh.md", "free-dk.zh.md"]),
        (["--exact", "--to", "md", "--worksheet"], ["exact.en.key.md", "exact.en.worksheet.md"]),
    ],
)
def test_kinds_languages_and_formats_choose_the_files(arguments: list[str], names: list[str], spec: str) -> None:
    assert run(["derive", spec, "-o", "out", *arguments]) == 0
    assert written(Path("out")) == names


def test_files_go_to_a_folder_named_after_the_spec(spec: str) -> None:
    assert run(["derive", spec, "--exact", "--to", "md"]) == 0
    assert Path("output/lesson/exact.en.md").exists()


def document(spec: str, *arguments: str) -> str:
    assert run(["derive", spec, "--to", "md", "-o", "out", *arguments]) == 0
    (path,) = Path("out").iterdir()
    return path.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--exact", "--places", "20"], "1.41421356237309504880"),
        (["--exact", "--notation", "paper"], r"\begin{pmatrix}"),
        (["--exact", "--expand", "none"], "The attention weights"),
        (["--exact", "--stage", "scores"], "## Stage 3"),
        (["--exact", "--stage", "scores,output"], "## Stage 5"),
        # 5/1.5 = 3.333..., 11/1.5 = 7.333...; 11/1.5, 25/1.5 = 16.666...
        (["--as-written", "--round", "root=1.5", "--round", "scaled_scores=1"], r"3.3& 7.3\\ 7.3& 16.7"),
        (["--as-written", "--round", "root=digits:3,ceiling"], r"\sqrt{d_k}\approx 1.42"),
    ],
)  # fmt: skip
def test_options_reach_the_document(arguments: list[str], part: str, spec: str) -> None:
    assert part in document(spec, *arguments)


def test_recompute_takes_the_product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert r"\frac{1}{1+e^{1/\sqrt{3}}}" in document("time-machine", "--exact", "--recompute", "--lang", "en")


def test_full_prints_every_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [[i, 1] for i in range(12)]
    Path("big.toml").write_text(
        f"tokens = {[str(i) for i in range(12)]}\nQ = {rows}\nK = {rows}\nV = {rows}\n".replace("'", '"')
    )
    assert "ddots" in document("big.toml", "--exact")
    assert "ddots" not in document("big.toml", "--exact", "--full")


def test_a_hyphen_prints_one_document_and_nothing_else(spec: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["derive", spec, "-o", "-"]) == 0
    told = capfdbinary.readouterr()
    assert told.out.decode().startswith("# A worked example: self-attention, step by step\n")
    assert told.err == b""
    assert written(Path()) == ["lesson.toml"]


# ---- letters ----------------------------------------------------------------------------------------------------


def test_letters_leave_no_document_as_written_and_a_note_says_why(
    spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(spec).write_text(SMALL.replace("[[1], [2]]", '[["x"], [2]]'))
    assert run(["derive", spec, "--to", "md"]) == 0
    assert written(Path("output")) == ["lesson/exact.en.md", "lesson/free-dk.en.md"]
    assert capsys.readouterr().err == (
        "note: no document as written: cannot write inputs as decimals: x is free. Give it a number to get decimals.\n"
    )
    assert run(["derive", spec, "--as-written"]) == 2
    assert capsys.readouterr().err.startswith("error: cannot write inputs as decimals: x is free")


def test_a_free_d_k_has_no_second_exact_document(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(spec).write_text('d_k = "d_k"\n' + SMALL)
    assert run(["derive", spec, "--to", "md"]) == 0
    assert written(Path("output")) == ["lesson/free-dk.en.md"]
    assert "d_k is free, and a hand calculation needs its root as a decimal" in capsys.readouterr().err
    assert run(["derive", spec, "--to", "md", "--as-written", "--round", "root=1.7"]) == 0


# ---- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["derive", "nothing.toml"], "nothing.toml: cannot read the spec: No such file or directory"),
        (["derive", "--lang", "fr"], "--lang: found 'fr'; expected some of zh, en"),
        (["derive", "--lang", ","], "--lang is empty; expected some of zh, en"),
        (["derive", "--to", "doc"], "--to: found 'doc'; expected some of md, tex, html, pdf"),
        (["derive", "--stage", "sofmax"], "unknown stage 'sofmax'; expected one of embedding, projection"),
        (["derive", "--places", "-1"], "places = -1; expected 0 to 1000"),
        (["derive", "--places", "5000"], "places = 5000; expected 0 to 1000"),
        (["derive", "--places", "x"], "Invalid value for '--places'"),
        (["derive", "--notation", "x"], "Invalid value for '--notation'"),
        (["derive", "--expand", "x"], "Invalid value for '--expand'"),
        (["derive", "--round", "weights=abc"], "cannot read 'abc' in the rounding rule 'weights=abc'; expected KIND=PLACES"),
        (["derive", "--round", "weights"], "cannot read the rounding rule 'weights'; expected KIND=PLACES"),
        (["derive", "--round", "foo=1"], "unknown kind of quantity 'foo'; expected one of inputs"),
        (["derive", "--round", "weights=digits:0"], "0 digits in 'weights=digits:0'; expected 1 to 10000"),
        (["derive", "--round", "exponentials=0"], "are all rounded to 0"),
        (["derive", "-o", "lesson.toml/x"], "cannot write 'lesson.toml/x/exact.zh.md': Not a directory"),
        (["derive", "-o", "x" * 300], "File name too long. Choose another folder with -o DIR."),
        (["derive", "-o", "a\0b"], "cannot write 'a\\x00b/exact.zh.md': embedded null byte"),
        (["derive", "--bogus"], "No such option: --bogus"),
        (["derive", "a.toml", "b.toml"], "unexpected extra argument"),
        (["derivate"], "No such command 'derivate'"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)  # fmt: skip
def test_refused_with_one_line_and_nothing_written(
    arguments: list[str], message: str, spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "exponentials=0" in arguments:
        Path(spec).write_text(SMALL.replace("K = [[1, 2], [3, 4]]", "K = [[-9, -9], [-9, -9]]"))
        arguments = [arguments[0], spec, "--as-written", *arguments[1:]]
    assert run(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("error: ")
    assert told.err.count("\n") == 1
    assert message in told.err
    assert written(Path()) == [spec]


def test_a_failure_on_the_way_leaves_earlier_files_as_they_were(
    spec: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("output/lesson").mkdir(parents=True)
    Path("output/lesson/exact.en.md").write_text("earlier")
    monkeypatch.setenv("PATH", "")
    assert run(["derive", spec, "--exact", "--to", "md,pdf"]) == 2
    assert "no TeX engine on PATH; expected one of latexmk, tectonic, xelatex." in capsys.readouterr().err
    assert Path("output/lesson/exact.en.md").read_text() == "earlier"
    assert written(Path("output")) == ["lesson/exact.en.md"]


def test_files_are_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a" / "b.txt"
    write_all({path: "one"})
    write_all({path: "zwei ≈ 2"})
    assert path.read_text("utf-8") == "zwei ≈ 2"

    def fails(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OutputError, match="No space left on device"):
        write_all({path: "three"})
    assert path.read_text("utf-8") == "zwei ≈ 2"
    assert written(tmp_path) == ["a/b.txt"]


# ---- help, version, processes -----------------------------------------------------------------------------------


def test_help_explains_every_option_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["derive", "--help"]) == 0
    told = re.sub(r"[\s│]+", " ", capsys.readouterr().out)
    for part in ("--as-written", "--free-dk", "--recompute", "--lang", "--to", "--round", "--places", "--expand",
                 "--stage", "--notation", "--worksheet", "--full", "symattn derive lesson.toml --as-written"):  # fmt: skip
        assert part in told


def test_alone_it_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    run([])
    told = capsys.readouterr()
    assert "derive" in told.out + told.err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert re.fullmatch(r"symattn \d+\.\d+\.\d+\n", capsys.readouterr().out)


def process(*arguments: str, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "symattn", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **options)


def test_a_reader_that_stops_early_sees_no_traceback() -> None:
    with process("derive", "-o", "-", "--full", "--expand", "all", "--places", "1000") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert b"Traceback" not in running.stderr.read()


def test_a_folder_called_gen_or_tests_is_not_imported(tmp_path: Path) -> None:
    for name in ("gen", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("open('PWNED', 'w')")
    (tmp_path / "s.toml").write_text(SMALL.replace("[[1], [2]]", r"[['\frac{1}{3}'], ['\sqrt{2}']]"))
    with process("derive", "s.toml", "--exact", "--to", "md", cwd=tmp_path) as running:
        out, error = running.communicate()
    assert running.returncode == 0, error.decode()
    assert b"exact.en.md" in out
    assert not (tmp_path / "PWNED").exists()


# ---- progress ---------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_once_the_work_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with cli._progress(after=3600) as tell:
        tell("quick work")
    assert terminal.getvalue() == ""
    with cli._progress(after=0) as tell:
        tell("long work")
    assert "long work" in terminal.getvalue()


def test_progress_is_silent_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with cli._progress(after=0) as tell:
        tell("long work")
    assert stream.getvalue() == ""


def test_a_document_is_derived_from_the_matrices_that_it_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lesson = Path(__file__).parent / "corpus" / "00-zh-seed-array-arrows.md"
    assert run(["derive", str(lesson), "--exact", "--lang", "en", "-o", "-", "--stage", "output"]) == 0
    told = capsys.readouterr()
    assert r"\frac{5+2e^{\sqrt{3}}}{1+e^{\sqrt{3}}}" in told.out
    assert "X·W_Q gives [0, 2, 1], but the spec states [1, 2, 1]" in told.err
    assert run(["extract", str(lesson), "-o", str(tmp_path / "lesson.toml")]) == 0
    assert (
        run(["derive", str(tmp_path / "lesson.toml"), "--exact", "--lang", "en", "-o", "-", "--stage", "output"]) == 0
    )
