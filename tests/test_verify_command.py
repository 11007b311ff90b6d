"""`symattn verify`, as a user runs it: what is printed, which files are written, exit codes, and what is refused."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

from symattn import cli, cli_verify
from symattn.cli import run
from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Document, Place
from symattn.documents.report import Checked, Claim
from symattn.documents.verify import check
from symattn.rendering.verifying import FORMATS
from symattn.terminal import progress

RIGHT = "The sum $1 + 1 = 2$ and $2/4 = 0.5$.\n"
WRONG = "The quotient $2/1.7 \\approx 1.17$.\n"


def judged(document: Document, **_: int) -> Checked:
    """A judge that knows one thing: 2/1.7 is 1.18 at two places. A question mark is a number that it cannot judge."""
    claims = []
    for match in re.finditer(r"(?<=approx )1\.1\d|(?<== )[\d.]+(?=\$)|\?", document.source):
        line, column = document.place(match.start())
        place = Place(line, column, line, column + len(match[0]))
        verdict = Verdict.EXACT if match[0] in {"2", "0.5"} else Verdict.ROUNDED
        verdict = {"1.17": Verdict.TRUNCATED, "1.16": Verdict.WRONG, "?": Verdict.UNDECIDED}.get(match[0], verdict)
        claims.append(
            Claim(place, match.span(), match[0], verdict, "2/1.7 = 1.1764… rounds to 1.18", route="written",
                  expected="1.18", exact="20/17", decimal="1.176470588235", working="2/1.7")
        )  # fmt: skip
    return Checked(document, tuple(claims))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents, and the simple judge."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("symattn.documents.verify.check", judged)
    Path("right.md").write_text(RIGHT)
    Path("wrong.md").write_text(WRONG)
    Path("open.md").write_text("It is ?.\n")
    Path("silent.md").write_text("Hello.\n")
    Path("empty.md").write_text("")
    Path("binary.md").write_bytes(b"%PDF-1.7\n" + bytes(range(256)))
    Path("broken.ipynb").write_text("{")
    Path("folder.md").mkdir()
    return tmp_path


def said(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["verify", *arguments])
    told = capfd.readouterr()
    return code, told.out, told.err


# ---- exit codes --------------------------------------------------------------------------------------------------

CODES = [
    (["right.md"], 0),
    (["wrong.md"], 1),
    (["right.md", "wrong.md"], 1),
    (["open.md"], 0),
    (["open.md", "--strict"], 1),
    (["silent.md"], 0),
    (["silent.md", "--strict"], 1),
    (["empty.md", "--strict"], 1),
    (["right.md", "--strict"], 0),
    (["missing.md"], 2),
    (["right.md", "missing.md"], 2),
    (["wrong.md", "--tolerance", "1"], 0),
    (["wrong.md", "--allow-truncation"], 0),
    (["wrong.md", "--tolerance", "0"], 1),
    (["wrong.md", "--explain", "1"], 1),
    (["right.md", "--explain", "1"], 0),
]


@pytest.mark.parametrize(("arguments", "code"), CODES, ids=[" ".join(c[0]) for c in CODES])
@pytest.mark.parametrize("to", FORMATS)
def test_exit_codes(arguments: list[str], code: int, to: str, capfd: pytest.CaptureFixture[str]) -> None:
    if "--explain" not in arguments:
        arguments = [*arguments, "--format", to]
    assert said(capfd, *arguments)[0] == code


# ---- refusals ----------------------------------------------------------------------------------------------------

REFUSED = [
    ([], "Missing argument 'FILE...'"),
    (["missing.md"], "missing.md: cannot be read: No such file or directory"),
    (["folder.md"], "folder.md: cannot be read: Is a directory"),
    (["binary.md"], "binary.md: not a text but a PDF file"),
    (["right.md", "--format", "pdf"], "--format: found 'pdf'; expected one of text, json, github, sarif, html, markdown"),
    (["right.md", "--lang", "fr"], "--lang: found 'fr'; expected one of zh, en"),
    (["right.md", "--jobs", "0"], "--jobs: found '0'; expected 1 to 64"),
    (["right.md", "--jobs", "65"], "--jobs: found '65'; expected 1 to 64"),
    (["right.md", "--jobs", "two"], "found 'two'; expected a whole number, such as 4"),
    (["right.md", "--tolerance", "-1"], "--tolerance: found '-1'; expected 0 to 1000000"),
    (["right.md", "--tolerance", "0.5"], "found '0.5'; expected a whole number"),
    (["right.md", "--max-mb", "0"], "--max-mb: found '0'; expected 1 to 1000"),
    (["right.md", "--max-claims", "0"], "--max-claims: found '0'; expected 1 to 1000000"),
    (["right.md", "--explain", "0"], "line 0; expected 1 to 2"),
    (["right.md", "--explain", "9"], "line 9; expected 1 to 2"),
    (["right.md", "wrong.md", "--explain", "1"], "--explain takes one file and tells its line as text"),
    (["right.md", "--explain", "1", "--format", "json"], "--explain takes one file and tells its line as text"),
    (["right.md", "--explain", "1", "--fix"], "--explain takes one file and tells its line as text"),
    (["right.md", "--fix", "--diff"], "--fix and --diff together; expected one of them"),
    (["right.md", "--diff", "--format", "json"], "--diff prints a patch, not json"),
    (["-", "-"], "- stands for standard input twice; expected it once"),
    (["-", "right.md", "--fix"], "--fix prints standard input corrected; expected - alone"),
    (["-", "--fix", "--format", "json"], "--fix prints standard input corrected"),
    (["right.md", "--stdin-format", "md"], "--stdin-format without standard input; expected - among the files"),
    (["-", "--stdin-format", "doc"], "--stdin-format: found 'doc'; expected one of md, tex, ipynb, html, txt, py"),
    (["right.md", "-o", ""], "--out is empty; expected a file, or - for standard output"),
    (["right.md", "-o", "right.md"], "--out 'right.md' is one of the documents. --fix corrects in place."),
    (["right.md", "-o", "./right.md"], "--out './right.md' is one of the documents"),
    (["right.md", "-o", "folder.md"], "cannot write 'folder.md': Is a directory"),
    (["right.md", "--frmat", "json"], "No such option"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[" ".join(c[0]) or "nothing" for c in REFUSED])
def test_refused_with_one_line(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str], place: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    code, out, err = said(capfd, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert message in err
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before


def test_the_others_are_judged_where_one_cannot_be_read(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capfd, "wrong.md", "missing.md", "right.md", "binary.md", "--format", "json")
    assert code == 2
    assert [document["path"] for document in json.loads(out)["documents"]] == ["wrong.md", "right.md"]
    assert [line.partition(": ")[2].partition(":")[0] for line in err.splitlines()] == ["missing.md", "binary.md"]


def test_a_judge_that_runs_out_of_stack_or_memory_is_one_line(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for error in (RecursionError, MemoryError):

        def fails(document: Document, error: type[BaseException] = error, **_: int) -> Checked:
            if "wrong" in document.path:
                raise error
            return judged(document)

        monkeypatch.setattr("symattn.documents.verify.check", fails)
        code, out, err = said(capfd, "wrong.md", "right.md")
        assert (code, err) == (2, "error: wrong.md: too large or too deeply nested to be judged\n")
        assert out == "2 claims, 2 right, 0 findings, 0 undecided, 0 unreadable\n"


# ---- what is printed ---------------------------------------------------------------------------------------------


def test_text(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capfd, "wrong.md")
    assert (code, err) == (1, "")
    assert out.splitlines()[:3] == [
        "wrong.md:1:29  truncated  1.17 → 1.18   2/1.7 = 1.1764…",
        r"    The quotient $2/1.7 \approx 1.17$.",
        "                                ^^^^",
    ]
    assert said(capfd, "wrong.md", "--lang", "zh")[1].startswith("wrong.md:1:29  截断  1.17 → 1.18")


def test_every_claim_with_v(capfd: pytest.CaptureFixture[str]) -> None:
    assert said(capfd, "right.md")[1] == "2 claims, 2 right, 0 findings, 0 undecided, 0 unreadable\n"
    assert "right.md:1:18  exact  2 " in said(capfd, "right.md", "-v")[1]


def test_nothing_to_check_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("silent.md", "empty.md"):
        assert said(capfd, name) == (0, "Nothing was found that could be checked.\n", "")


def test_explain(capfd: pytest.CaptureFixture[str]) -> None:
    out = said(capfd, "wrong.md", "--explain", "1")[1]
    assert "  exact                       20/17\n" in out
    assert "1.18 half-up, 1.18 half-even, 1.17 cut off" in out


def test_let_pass_is_noted(capfd: pytest.CaptureFixture[str]) -> None:
    Path("off.md").write_text("$2/1.7 \\approx 1.16$")
    assert said(capfd, "off.md", "--tolerance", "1")[0] == 1
    code, out, _ = said(capfd, "off.md", "--tolerance", "2", "-v")
    assert code == 0
    assert "not the correct rounding, but within the tolerance" in out


def test_a_file_for_the_report(capfd: pytest.CaptureFixture[str]) -> None:
    assert said(capfd, "wrong.md", "--format", "html", "-o", "new/report.html") == (1, "new/report.html\n", "")
    assert "1.17" in Path("new/report.html").read_text("utf-8")
    assert said(capfd, "wrong.md", "-o", "-")[1] == said(capfd, "wrong.md")[1]


def test_limits(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symattn.documents.verify.check", check)
    Path("many.md").write_text("$1 = 2$ " * 5)
    made = json.loads(said(capfd, "many.md", "--max-claims", "3", "--format", "json")[1])["documents"][0]
    assert made["summary"]["claims"] == 3
    assert [note["message"] for note in made["notes"]] == [
        "only the first 3 claims were judged; --max-claims allows more"
    ]
    Path("long.md").write_text("$1 = 2$ and $1 + 1 + 1 + 1 = 5$ and $1 = 3$")
    made = json.loads(said(capfd, "long.md", "--max-formula", "12", "--format", "json")[1])["documents"][0]
    assert [claim["verdict"] for claim in made["claims"]] == ["wrong", "unreadable", "wrong"]
    assert made["claims"][1]["message"] == "more than 12 characters long"
    with Path("big.md").open("wb") as file:
        file.truncate(1_000_001)
    code, _, err = said(capfd, "big.md", "--max-mb", "1")
    assert (code, err) == (2, "error: big.md: 1.0 MB long; expected at most 1.0 MB. max_bytes allows more.\n")


def test_words_from_outside_stay_on_their_line(capfd: pytest.CaptureFixture[str]) -> None:
    name = "bad\x1b[31m\nerror: x,%.md"
    Path(name).write_text(WRONG)
    for to in ("text", "markdown", "github"):
        out = said(capfd, name, "--format", to)[1]
        assert not any(line.startswith("error: x") for line in out.splitlines())
        assert to == "github" or "\x1b" not in out
    Path(name).unlink()
    code, _, err = said(capfd, name)
    assert (code, err.count("\n")) == (2, 1)
    assert "\x1b" not in err


# ---- standard input ----------------------------------------------------------------------------------------------


def feed(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def test_standard_input(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, WRONG.encode("utf-16"))
    code, out, _ = said(capfd, "-", "right.md", "--format", "json")
    documents = json.loads(out)["documents"]
    assert code == 1
    assert [(document["path"], document["format"]) for document in documents] == [
        ("-", "markdown"),
        ("right.md", "markdown"),
    ]


@pytest.mark.parametrize(("name", "format_"), list(cli_verify.STDIN_FORMATS.items()))
def test_the_format_of_standard_input(
    name: str, format_: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}' if name == "ipynb" else b"x")
    out = said(capfd, "-", "--stdin-format", name, "--format", "json")[1]
    assert json.loads(out)["documents"][0]["format"] == format_


def test_standard_input_that_cannot_be_read(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"x" * 1_000_001)
    assert said(capfd, "-", "--max-mb", "1")[0] == 2
    feed(monkeypatch, b"%PDF-1.7")
    assert said(capfd, "-")[2].startswith("error: not a text but a PDF file")
    monkeypatch.setattr(sys, "stdin", None)
    assert said(capfd, "-") == (2, "", "error: cannot read standard input: it is closed\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(WRONG))  # no bytes below it, as in a notebook
    assert said(capfd, "-")[0] == 1


# ---- corrections -------------------------------------------------------------------------------------------------


def test_a_patch_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capfd, "wrong.md", "right.md", "--diff")
    assert (code, err) == (1, "")
    assert out == (
        "--- a/wrong.md\n+++ b/wrong.md\n@@ -1 +1 @@\n"
        "-The quotient $2/1.7 \\approx 1.17$.\n+The quotient $2/1.7 \\approx 1.18$.\n"
    )
    assert Path("wrong.md").read_text() == WRONG
    assert said(capfd, "right.md", "--diff") == (0, "", "")


def test_corrections_in_place(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capfd, "wrong.md", "right.md", "--fix")
    assert (code, err) == (0, "note: wrong.md:1:29: 1.17 → 1.18\n")
    assert out.endswith("2 documents: 3 claims, 3 right, 0 findings, 0 undecided, 0 unreadable\n")
    assert Path("wrong.md").read_text() == WRONG.replace("1.17", "1.18")
    assert said(capfd, "wrong.md", "--fix")[:1] == (0,)


def test_a_correction_changes_nothing_else_of_a_file(capfd: pytest.CaptureFixture[str]) -> None:
    raw = b"\xff\xfe" + WRONG.replace("\n", "\r\n").encode("utf-16-le")
    Path("real.md").write_bytes(raw)
    Path("real.md").chmod(0o640)
    Path("link.md").symlink_to("real.md")
    assert said(capfd, "link.md", "--fix")[0] == 0
    assert Path("link.md").is_symlink()
    assert Path("real.md").read_bytes() == raw.replace("7$".encode("utf-16-le"), "8$".encode("utf-16-le"))
    assert Path("real.md").stat().st_mode & 0o777 == 0o640


def test_a_correction_that_would_lose_bytes_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    raw = WRONG.encode() + b"\xff"
    Path("odd.md").write_bytes(raw)
    code, out, err = said(capfd, "odd.md", "wrong.md", "--fix")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "odd.md: the file holds bytes that are no text, and would lose them" in err
    assert Path("odd.md").read_bytes() == raw
    assert Path("wrong.md").read_text() == WRONG  # all files or none


def test_what_is_refused_is_said(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def uncertain(document: Document, **_: int) -> Checked:
        checked = judged(document)
        return replace(checked, claims=tuple(replace(claim, route="givens") for claim in checked.claims))

    monkeypatch.setattr("symattn.documents.verify.check", uncertain)
    for order in ("--fix", "--diff"):
        code, _, err = said(capfd, "wrong.md", order)
        assert code == 1
        assert err.startswith("note: wrong.md:1:29: 1.17 was left as it is: ")
    assert Path("wrong.md").read_text() == WRONG
    assert said(capfd, "wrong.md", "--diff", "--lang", "zh")[2].startswith("note: wrong.md:1:29：1.17 保持原样：")


def test_standard_input_goes_corrected_to_standard_output(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, WRONG.encode())
    code, out, err = said(capfd, "-", "--fix")
    assert (code, out) == (0, WRONG.replace("1.17", "1.18"))
    assert err == "note: -:1:29: 1.17 → 1.18\n"
    feed(monkeypatch, WRONG.encode())
    assert said(capfd, "-", "--diff")[1].startswith("--- a/stdin\n+++ b/stdin\n")


def test_what_is_let_pass_is_not_corrected(capfd: pytest.CaptureFixture[str]) -> None:
    assert said(capfd, "wrong.md", "--fix", "--tolerance", "1")[0] == 0
    assert Path("wrong.md").read_text() == WRONG


# ---- processes and terminals -------------------------------------------------------------------------------------


def test_several_processes_give_the_same_in_the_same_order(tmp_path: Path) -> None:
    names = []
    for i in range(5):
        names.append(f"{i}.md")
        Path(names[-1]).write_text(f"$1 + {i} = 2$\n")
    names.insert(2, "missing.md")

    def made(*arguments: str) -> tuple[int, Any, str]:
        environment = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])}
        done = subprocess.run(
            [sys.executable, "-m", "symattn", "verify", *names, "--format", "json", *arguments],
            capture_output=True, text=True, check=False, env=environment,
        )  # fmt: skip
        return done.returncode, json.loads(done.stdout), done.stderr

    one, two = made(), made("--jobs", "2")
    assert one == two
    assert one[0] == 2
    assert [document["path"] for document in one[1]["documents"]] == [f"{i}.md" for i in range(5)]
    verdicts = [[claim["verdict"] for claim in document["claims"]] for document in one[1]["documents"]]
    assert verdicts == [["wrong"], ["exact"], ["wrong"], ["wrong"], ["wrong"]]


class Deadly:
    """A task that ends the worker that it is handed to."""

    path = "deadly.md"

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        return os._exit, (1,)


def test_a_worker_that_ends_is_one_line() -> None:
    tasks: Any = [Deadly(), Deadly()]
    told = [str(found) for found in cli_verify._judged(tasks, 2, lambda _: None)]
    assert told == ["deadly.md: not judged: a worker ended, out of memory perhaps"] * 2


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("variables", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_on_a_terminal_only(
    variables: dict[str, str], colored: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    terminal = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", terminal)
        assert run(["verify", "wrong.md"]) == 1
    assert ("\x1b[" in terminal.getvalue()) == colored
    assert "\x1b" not in said(capfd, "wrong.md")[1]


def test_one_long_step_is_told_though_nothing_follows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress(after=0.01) as tell:
        tell("verifying a.md")
        for _ in range(500):
            if "verifying a.md" in terminal.getvalue():
                break
            time.sleep(0.01)
    assert "verifying a.md" in terminal.getvalue()


# ---- help --------------------------------------------------------------------------------------------------------


def test_every_option_is_explained_and_every_format_named() -> None:
    parameters = typer.main.get_command(cli.app).commands["verify"].params  # type: ignore[attr-defined]
    for parameter in parameters:
        assert len(parameter.help) > 10, parameter.name
    assert sorted(cli_verify.FORMATS) == sorted(FORMATS)
    (to,) = (parameter for parameter in parameters if "--format" in parameter.opts)
    assert to.metavar == "|".join(cli_verify.FORMATS)
