"""How long something takes: the fastest of some runs, of a function or of a whole process."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable


def best(work: Callable[[], object], runs: int = 5, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of the fastest of some runs, of this process alone: others on the machine do not count."""
    times = []
    for _ in range(runs):
        began = clock()
        work()
        times.append(clock() - began)
    return min(times)


def process(*command: str, folder: str, codes: tuple[int, ...] = (0,)) -> float:
    """Seconds of a whole process, which must end with one of the exit codes."""

    def work() -> None:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")

    return best(work, clock=time.perf_counter)
