"""Exact numbers as plain text that SymPy, Python readers and people read alike: 1/(1+exp(sqrt(3)))."""

from __future__ import annotations

from typing import Any

from symattn.comparison.crossings import Crossing
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import ExpQuotient, ExpSum, Key, Scale, Scaled, ordered
from symattn.numbers.written import WrittenNumber


def plain(number: Any) -> str:
    """A number of the exact arithmetics as text.

    >>> from flint import fmpq
    >>> plain(SquareRoot(Scale(fmpq(3)))), plain(fmpq(-1, 2))
    ('sqrt(3)', '-1/2')
    """
    if isinstance(number, ExpQuotient):
        below = _sum(number.den)
        if number.factor != 1:
            below = f"{number.factor}*({below})"
        above = _sum(number.num)
        return f"{above if len(number.num.terms) == 1 else f'({above})'}/({below})"
    if isinstance(number, ExpSum):
        return _sum(number)
    if isinstance(number, Scaled):
        return _exponent(number.key, number.scale)
    if isinstance(number, SquareRoot):
        return _root(number.scale)
    if isinstance(number, WrittenNumber):
        return number.text
    if isinstance(number, Crossing):
        return _crossing(number)
    return str(number)


def _root(scale: Scale) -> str:
    if scale.d_k is None:
        return f"sqrt({scale.name})"
    return str(1 / scale.factor) if scale.radicand == 1 else f"sqrt({scale.d_k})"


def _exponent(key: Key, scale: Scale) -> str:
    a, b = key
    if a == 0:
        return str(b)
    root = _root(scale)
    text = f"{a}/{root}" if a.q == 1 else f"({a})/{root}"
    if scale.d_k is not None and a == scale.d_k:
        text = root  # 3/√3
    return text if b == 0 else f"{text}+{b}" if b > 0 else f"{text}{b}"


def _sum(total: ExpSum) -> str:
    out = ""
    for key, c in ordered(total.terms):
        if key[0] == 0 and key[1] == 0:
            text = str(c)
        else:
            power = f"exp({_exponent(key, total.scale)})"
            text = power if c == 1 else f"-{power}" if c == -1 else f"{c}*{power}"
        out += text if not out or text.startswith("-") else f"+{text}"
    return out or "0"


def _crossing(crossing: Crossing) -> str:
    if crossing.closed is None:
        above, below = crossing.step.p, crossing.step.q
        where = f"x root {crossing.number + 1} beyond 1 of {crossing.polynomial}"
        return f"{above}/({below}*log(x)), {where}" if below != 1 else f"{above}/log(x), {where}"
    s, q = crossing.closed
    return f"{s}/log({q})"
