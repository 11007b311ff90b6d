"""latex2sympy2 in a process of its own, which can be killed: pieces of plain formulas in, their trees out.

Arrives: pieces that `latex_leaves` admitted. Leaves: their trees, or an `UndecidedError` that says why there are
none. The process starts with the first question, has bounds on time and memory, and keeps nothing between questions
but the parser's cache. It is killed when it is late, and a new one starts with the next question.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from functools import cache
from threading import Lock, Timer
from typing import IO, TYPE_CHECKING, Any, Final
from weakref import finalize

from symattn.errors import ReadError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from symattn.numbers.latex_leaves import Tree

SECONDS: Final = 2.0
"""For the trees of one formula."""
START_SECONDS: Final = 20.0
"""Until the process is ready: it loads SymPy and latex2sympy2."""
MEMORY: Final = 1 << 30
"""Bytes of address space of the process, where the system can bound it."""
MOST_KILLED: Final = 3
"""Processes in a row that gave no answer; then none is started any more."""

_READY: Final = "ready"
_CODE: Final = "import sys; sys.path[:] = sys.argv[1:]; from symattn.numbers.latex_worker import serve; serve()"


class Worker:
    """A process that takes formulas apart; `command` starts it.

    It is started with the paths of this one and nothing else (`-I`), so that no folder of the current directory is
    imported instead of a library.
    """

    def __init__(
        self, command: Sequence[str] = (), *, seconds: float = SECONDS, start_seconds: float = START_SECONDS
    ) -> None:
        self._command = list(command)
        self._seconds = seconds
        self._start_seconds = start_seconds
        self._process: subprocess.Popen[str] | None = None
        self._killed = 0
        self._lock = Lock()
        self._finalizer: Any = None

    @property
    def running(self) -> bool:
        """Whether there is a process now."""
        return self._process is not None

    def trees(self, pieces: Mapping[str, str]) -> dict[str, Tree]:
        """The tree of each piece.

        Raises: UndecidedError when latex2sympy2 refuses a piece, takes too long, or cannot be started.
        """
        with self._lock:
            answer = self._asked(json.dumps(dict(pieces)))
        if "trees" not in answer:
            raise UndecidedError(str(answer.get("refused", "latex2sympy2 gave no answer")))
        trees: dict[str, Tree] = answer["trees"]
        return trees

    def close(self) -> None:
        """Kill the process, if there is one."""
        if self._finalizer is not None:
            self._finalizer()
        self._process = None

    def _asked(self, question: str) -> dict[str, Any]:
        process = self._started()
        stdin, stdout = _pipes(process)
        try:
            stdin.write(question + "\n")
            stdin.flush()
            answer = json.loads(self._line(process, stdout, self._seconds))
        except (OSError, ValueError):  # a broken pipe, or no line at all
            raise self._failed(f"latex2sympy2 gave no answer within {self._seconds:g} seconds") from None
        self._killed = 0
        return answer if isinstance(answer, dict) else {}

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        if self._killed >= MOST_KILLED:
            raise UndecidedError(f"latex2sympy2 gave no answer {MOST_KILLED} times and is not asked again")
        command = self._command or [sys.executable, "-I", "-c", _CODE, *filter(None, sys.path)]
        try:
            process = subprocess.Popen(  # noqa: S603  (this interpreter, or what a test gives)
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            self._killed += 1
            raise UndecidedError(f"latex2sympy2 cannot be started: {error}") from None
        self._process = process
        self._finalizer = finalize(self, _end, process)
        if self._line(process, _pipes(process)[1], self._start_seconds).strip() != _READY:
            raise self._failed("latex2sympy2 could not be loaded in a process of its own")
        return process

    @staticmethod
    def _line(process: subprocess.Popen[str], stdout: IO[str], seconds: float) -> str:
        """The next line, empty when the process ended or had to be killed."""
        timer = Timer(seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            return stdout.readline()
        finally:
            timer.cancel()

    def _failed(self, reason: str) -> UndecidedError:
        self._killed += 1
        self.close()
        return UndecidedError(reason)


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    if process.stdin is None or process.stdout is None:
        raise OSError("a process without pipes")
    return process.stdin, process.stdout


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not written yet
                pipe.close()


@cache
def worker() -> Worker:
    """The one worker of this process; it has not started anything yet."""
    return Worker()


# in the process


def serve() -> None:
    """Answer one question a line until there are no more; this is what the process does."""
    from symattn.numbers.latex_leaves import trees_of

    questions, answers = sys.stdin, sys.stdout
    sys.stdout = sys.stderr  # whatever a library prints is no answer
    trees_of({"q0": "1"})
    _bound_memory()
    answers.write(_READY + "\n")
    answers.flush()
    for question in questions:
        answers.write(json.dumps(_answer(json.loads(question))) + "\n")
        answers.flush()


def _answer(pieces: dict[str, str]) -> dict[str, Any]:
    from symattn.numbers.latex_leaves import trees_of

    try:
        return {"trees": trees_of(pieces)}
    except ReadError as error:
        return {"refused": error.problem}
    except MemoryError:
        return {"refused": "latex2sympy2 needs too much memory"}


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows; the time is bounded everywhere
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    with suppress(OSError, ValueError):  # not on every system
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
