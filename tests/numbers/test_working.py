"""The precision of balls belongs to the thread that set it, and is put back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from flint import arb, ctx, fmpq

from symattn.numbers.certified import Decimals
from symattn.numbers.working import at_bits


def fails(bits: int) -> None:
    with at_bits(bits):
        assert ctx.prec == bits
        raise ZeroDivisionError


def test_it_is_put_back_after_an_error() -> None:
    before = ctx.prec
    with pytest.raises(ZeroDivisionError):
        fails(before + 100)
    assert ctx.prec == before


def test_threads_find_their_own() -> None:
    before = ctx.prec

    def work(bits: int) -> bool:
        for _ in range(200):
            with at_bits(bits):
                ball = arb(2).sqrt()
                if ctx.prec != bits or not (ball * ball).contains(2):
                    return False
                with at_bits(2 * bits):
                    if ctx.prec != 2 * bits:
                        return False
            Decimals(4096).round(fmpq(1, 3), 20)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64, 64 + 8 * 37, 37)))
    assert ctx.prec == before
