"""`symattn compare`, as a user runs it: what is printed, which files are made, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from symattn.cli import run

LESSON = """
title = "Lesson"
tokens = ["s", "t"]
d_k = {d_k}
[matrices]
Q = [[3], [0]]
K = [[1], [0]]
V = [[{v}, 2], [1, 5]]
"""


def lesson(folder: Path, name: str = "lesson", d_k: str = "3", v: str = "7") -> str:
    path = folder / f"{name}.toml"
    path.write_text(LESSON.format(d_k=d_k, v=v), "utf-8")
    return str(path)


def printed(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> str:
    assert run(["compare", *arguments]) == 0
    return capfdbinary.readouterr().out.decode()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--root", "0"], "--root: found '0'; expected a positive decimal or fraction, such as 1.7 or 7/4"),
        (["--root", "-1.7"], "--root: found '-1.7'; expected a positive decimal"),
        (["--root", "1e999"], "--root: found '1e999'; expected a positive decimal"),
        (["--root", "9" * 5000], "--root: found '999"),
        (["--root", "nan"], "--root: found 'nan'; expected a positive decimal"),
        (["--places", "-1"], "places = -1; expected 0 to 1000"),
        (["--places", "1001"], "places = 1001; expected 0 to 1000"),
        (["--to", "pdf"], "--to: found 'pdf'; expected some of text, md, tex, html, json, csv"),
        (["--to", "json,csv"], "standard output takes one document, found json, csv. Name a folder with -o."),
        (["--lang", "zh,en"], "standard output takes one document, found zh, en. Name a folder with -o."),
        (["--lang", "fr"], "--lang: found 'fr'; expected some of zh, en"),
        (["--round", "colour=1"], "unknown kind of quantity 'colour'; expected one of inputs"),
        (["--d-k", "0"], "--d-k: found '0'; expected a positive number, such as 3 or 7/2"),
        (["--d-k", "-3"], "--d-k: found '-3'; expected a positive number"),
        (["--d-k", "three"], "--d-k: found 'three'; expected a positive number"),
        (["--table", "1,,2"], "--table: found ''; expected a positive number"),
        (["--table", "0"], "--table: found '0'; expected a positive number"),
        (["--enough", "two"], "--enough: found 'two'; expected a number of places, and one of half-up"),
        (["--enough", "2,up"], "--enough: found '2,up'; expected a number of places, and one of half-up"),
        (["--enough", "2000"], "places = 2000; expected 0 to 1000"),
        (["-o", ""], "--out is empty; expected a folder, or - for standard output"),
        (["a.toml", "b.toml", "c.toml"], "found 3 specs; expected one, or two to put beside each other"),
        (["nowhere.toml"], "nowhere.toml"),
    ],
)
def test_refused_with_one_line(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["compare", *arguments]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert message in told.err


def test_specs_that_do_not_line_up_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wider = tmp_path / "wider.toml"
    wider.write_text('tokens = ["s", "t"]\n[matrices]\nQ = [[3, 1], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[1], [2]]\n')
    assert run(["compare", lesson(tmp_path), str(wider)]) == 2
    told = capfd.readouterr()
    assert "Q is 2x1 on the left but 2x2 on the right; two derivations are compared entry by entry" in told.err
    assert told.err.count("\n") == 1


def test_text_says_what_matters(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    text = " ".join(printed(capfdbinary, "--lang", "en", "--root", "1.7", "--root", "7/4").split())
    assert "37 of 43 written numbers are right." in text
    assert (
        "Output[1,2]: the written 2.45 is right only because the weights were then rounded, to [0.85, 0.15]. "
        "With √d_k ≈ 1.7 and nothing else rounded it would be ≈ 2.4386; the exact value is ≈ 2.4510."
    ) in text
    assert "2.45 3/log(511/89) = 1.7165… ≤ r < 3/log(509/91) outside outside 19/11 1.73" in text
    assert "Output[1,2] and Output[1,3] are equal at d_k = 54.7438…" in text  # 5 − 3w = 8 − 8w at w = 0.6
    assert "Weights[1,1] is written 0.85 for d_k = 3." in text
    assert "Output[1,2]: errors cancelled." in text


def test_text_is_told_in_the_language_of_the_spec(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    assert printed(capfdbinary).startswith("Time Machine：精确值与手写值对照\n")
    assert printed(capfdbinary, lesson(tmp_path)).startswith("Lesson: exact beside written\n")


def test_a_folder_takes_every_format_in_both_languages(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    names = printed(capfdbinary, "-o", str(tmp_path), "--no-pictures", "--places", "5").splitlines()
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == [
        "comparison.csv",
        *(f"comparison.en.{to}" for to in ("html", "md", "tex")),
        "comparison.json",
        *(f"comparison.zh.{to}" for to in ("html", "md", "tex")),
    ]
    assert sorted(Path(name).name for name in names) == made
    rows = list(csv.DictReader(io.StringIO((tmp_path / "comparison.csv").read_text("utf-8"))))
    (row,) = [row for row in rows if row["label"] == "Weights[1,1]"]
    assert (row["decimal"], row["written"], row["verdict"], row["correct_digits"]) == (
        "0.84967",
        "0.85",
        "rounded",
        "3",
    )
    assert json.loads((tmp_path / "comparison.json").read_text("utf-8"))["schema"] == "symattn/compare/1"


def test_another_d_k(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    made = json.loads(printed(capfdbinary, "--d-k", "4", "--to", "json", "--round", "root=exact"))
    (root,) = [row for row in made["quantities"] if row["label"] == "Root"]
    assert (root["exact"], root["written"], root["verdict"]) == ("2", "2", "exact")


def test_a_free_d_k_is_told_as_functions(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    told = printed(capfdbinary, "--d-k", "free", "--lang", "en")
    assert told.startswith("Time Machine: what d_k does\n")
    assert "Weights[1,1]   exp(3/sqrt(d_k))/(1+exp(3/sqrt(d_k)))" in told
    same = printed(capfdbinary, lesson(tmp_path, d_k='"d_k"'))
    assert same.startswith("Lesson: what d_k does\n")
    data = json.loads(printed(capfdbinary, "--d-k", "free", "--to", "json", "--table", "3,12"))
    assert [row["d_k"] for row in data["free_d_k"]["table"]] == ["3", "12"]
    rows = list(csv.DictReader(io.StringIO(printed(capfdbinary, "--d-k", "free", "--to", "csv", "--table", "3"))))
    assert rows[0]["label"] == "Weights[1,1]"
    assert rows[0]["decimal"].startswith("0.849674553089838574528717157")


def test_two_specs_are_lined_up(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    told = printed(capfdbinary, lesson(tmp_path, "one"), lesson(tmp_path, "other", v="8"))
    assert "They first differ at V[1,1]: 7 on the left, 8 on the right." in told
    assert "Nothing differs: all" in printed(capfdbinary, lesson(tmp_path, "one"), lesson(tmp_path, "same"))


def test_recompute_is_the_short_form_of_two_specs(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    made = json.loads(printed(capfdbinary, "--recompute", "--to", "json"))
    found = {row["label"]: row for row in made["quantities"]}
    assert [found[f"Output[2,{j}]"]["left"] for j in (1, 2, 3)] == ["6", "7/2", "4"]
    starts = ("4.876340194554", "3.921372427041882", "5.123659805445")
    for j, start in enumerate(starts, 1):
        assert found[f"Output[2,{j}]"]["right_decimal"].startswith(start)
    assert made["first_difference"] == {"kind": "projections", "label": "Q[2,1]"}


def test_letters_are_told(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    told = printed(capfdbinary, lesson(tmp_path, v='"a"'))
    assert "With letters" in told
    (line,) = [line for line in told.splitlines() if line.startswith("Output[2,1]")]
    assert line.endswith("equal")
    data = json.loads(printed(capfdbinary, lesson(tmp_path, v='"a"'), "--to", "json"))
    (row,) = [row for row in data["quantities"] if row["label"] == "Output[1,1]"]
    assert (row["decimal"], row["verdict"]) == (None, "different")
    assert "a" in row["difference"]


def test_a_limit_is_said_and_full_lifts_it(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    n = 6
    path = tmp_path / "six.toml"
    rows = [[(3 * i + 5 * j) % 7 for j in range(2)] for i in range(n)]
    path.write_text(f"tokens = {list('abcdef')}\n[matrices]\nQ = {rows}\nK = {rows}\nV = {rows}\n", "utf-8")
    short, whole = printed(capfdbinary, str(path)), printed(capfdbinary, str(path), "--full")
    assert "more, some of them not right; the JSON and the CSV have all." in short
    assert "the JSON" not in whole
    assert len(whole.splitlines()) > len(short.splitlines())
