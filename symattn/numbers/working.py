"""The working precision of balls: python-flint keeps one for the whole process, so a thread that sets it holds it.

Arrives: a number of bits. Leaves: a block of work at that precision, and the precision before restored.
"""

from __future__ import annotations

from threading import RLock
from types import TracebackType
from typing import Final

from flint import ctx

HELD: Final = RLock()
"""Held by the thread whose precision it is."""


class at_bits:  # noqa: N801  (used like a function)
    """Work at a precision in a with block; other threads wait, and find their own precision again.

    >>> before = ctx.prec
    >>> with at_bits(200):
    ...     print(ctx.prec)
    200
    >>> ctx.prec == before
    True
    """

    __slots__ = ("_before", "_bits")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        HELD.acquire()
        self._before, ctx.prec = ctx.prec, self._bits

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ctx.prec = self._before
        HELD.release()
