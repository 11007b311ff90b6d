"""The process of latex2sympy2: it answers, it is killed when it is late, and it leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from symattn.errors import UndecidedError
from symattn.numbers import latex_worker
from symattn.numbers.latex_leaves import plain_leaf
from symattn.numbers.latex_worker import MOST_KILLED, Worker

READY = "print('ready', flush=True)\n"
HANGS = [sys.executable, "-I", "-c", READY + "while True: pass"]
SILENT = [sys.executable, "-I", "-c", "import time; time.sleep(600)"]
ENDS = [sys.executable, "-I", "-c", READY + "input()"]
BABBLES = [sys.executable, "-I", "-c", READY + "while True: input(); print('{', flush=True)"]
LISTS = [sys.executable, "-I", "-c", READY + "while True: input(); print('[1]', flush=True)"]
PIECES = {"q0": r"\tan(1)"}


@pytest.fixture(scope="module")
def real() -> Iterator[Worker]:
    worker = Worker(seconds=60)
    yield worker
    worker.close()


def test_it_starts_with_the_first_question_and_answers_more_than_one(real: Worker) -> None:
    assert not real.running
    assert real.trees(PIECES) == {"q0": ["tan", ["number", "1"]]}
    process = real._process
    plain = plain_leaf(r"\lfloor 2.5 \rfloor + \tan(0.5)")
    assert real.trees(plain.pieces)[plain.whole][0] == "+"
    assert real._process is process


def test_a_refusal_is_told_and_the_next_question_is_answered(real: Worker) -> None:
    with pytest.raises(UndecidedError, match="latex2sympy2 cannot read this"):
        real.trees({"q0": "1+2)+100"})
    with pytest.raises(UndecidedError, match="Sum is not one of the operations that are read"):
        real.trees({"q0": r"\sum_{n=1}^{3} n"})
    assert real.trees({"q0": "2"}) == {"q0": ["number", "2"]}


def test_nothing_is_remembered_from_one_question_to_the_next(real: Worker) -> None:
    with pytest.raises(UndecidedError):
        real.trees({"q0": "z=3"})
    assert real.trees({"q0": "z"})["q0"] == ["name", "z"]


def test_a_process_that_was_killed_from_outside_is_started_anew() -> None:
    worker = Worker(seconds=60)
    worker.trees(PIECES)
    process = worker._process
    assert process is not None
    process.kill()
    process.wait()
    assert worker.trees(PIECES) == {"q0": ["tan", ["number", "1"]]}
    worker.close()
    assert not worker.running


@pytest.mark.parametrize("command", [HANGS, ENDS, BABBLES], ids=["hangs", "ends", "babbles"])
def test_one_that_gives_no_answer_is_killed(command: list[str]) -> None:
    worker = Worker(command, seconds=0.3)
    for _ in range(MOST_KILLED):
        with pytest.raises(UndecidedError, match=r"latex2sympy2 gave no answer within 0\.3 seconds"):
            worker.trees(PIECES)
        assert not worker.running
    with pytest.raises(UndecidedError, match="gave no answer 3 times and is not asked again"):
        worker.trees(PIECES)


def test_the_process_that_hangs_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def recorded(*arguments: object, **options: object) -> subprocess.Popen[str]:
        started.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr(latex_worker.subprocess, "Popen", recorded)
    with pytest.raises(UndecidedError, match="no answer within"):
        Worker(HANGS, seconds=0.3).trees(PIECES)
    assert [process.returncode is not None for process in started] == [True]


def test_one_that_never_gets_ready_is_killed() -> None:
    worker = Worker(SILENT, start_seconds=0.3)
    with pytest.raises(UndecidedError, match="could not be loaded in a process of its own"):
        worker.trees(PIECES)
    assert not worker.running


def test_one_that_cannot_be_started_says_so() -> None:
    with pytest.raises(UndecidedError, match="latex2sympy2 cannot be started"):
        Worker(["/nowhere/python"]).trees(PIECES)


def test_an_answer_of_another_kind_is_none() -> None:
    worker = Worker(LISTS, seconds=60)
    with pytest.raises(UndecidedError, match="latex2sympy2 gave no answer"):
        worker.trees(PIECES)
    worker.close()


def test_a_folder_named_like_a_library_is_not_imported(tmp_path: Path) -> None:
    for name in ("gen", "tests", "sympy", "json"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("open('PWNED', 'w').close()\n", encoding="utf-8")
    code = (
        "from symattn.numbers.latex_worker import Worker\n"
        r"assert Worker(seconds=60).trees({'q0': r'\tan(1)'}) == {'q0': ['tan', ['number', '1']]}"
    )
    subprocess.run([sys.executable, "-P", "-W", "error", "-c", code], cwd=tmp_path, check=True)
    assert not (tmp_path / "PWNED").exists()


def test_the_memory_of_the_process_is_bounded() -> None:
    resource = pytest.importorskip("resource")
    code = (
        "import resource, sys\nsys.path[:] = sys.argv[1:]\n"
        "from symattn.numbers.latex_worker import _bound_memory, MEMORY\n_bound_memory()\n"
        "assert resource.getrlimit(resource.RLIMIT_AS)[0] <= MEMORY\n"
    )
    assert resource.RLIMIT_AS is not None
    subprocess.run([sys.executable, "-I", "-c", code, *filter(None, sys.path)], check=True)
