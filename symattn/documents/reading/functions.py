"""The functions that formulas may name: exp, ln, softmax, max, mean, the angles.

Arrives: the values of the arguments. Leaves: the value, or UndecidedError with the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Final

from flint import fmpq

from symattn.documents.reading import closed
from symattn.documents.reading.scalars import (
    Infinite,
    Scalar,
    absolute,
    exponential,
    larger,
    lazy,
    logarithm,
    over,
    plus,
    root,
    sign_of,
    smaller,
    times,
)
from symattn.documents.reading.tables import (
    Table,
    Value,
    beside,
    divide,
    entries_of,
    entry_by_entry,
    multiply,
    one_table,
)
from symattn.errors import UndecidedError
from symattn.numbers.certified import enclosure
from symattn.numbers.working import at_bits

if TYPE_CHECKING:
    pass


def _softmax_row(row: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    if any(isinstance(x, Infinite) and x.sign > 0 for x in row):
        raise UndecidedError("a softmax of ∞")
    if all(isinstance(x, Infinite) for x in row):
        raise UndecidedError("a softmax of a row that is masked throughout")
    powers = [exponential(x) for x in row]
    total = reduce(plus, powers)
    return tuple(over(power, total) for power in powers)


def _softmax(arguments: tuple[Value, ...], _sub: str) -> Value:
    table = one_table(arguments)
    if table.shape[1] == 1 and table.shape[0] > 1:
        return Table(tuple((x,) for x in _softmax_row(entries_of(table))), turned=table.turned)
    return Table(tuple(map(_softmax_row, table.rows)), table.flat)


def _folded(rule: Callable[[Scalar, Scalar], Scalar]) -> Callable[[tuple[Value, ...], str], Value]:
    def fold(arguments: tuple[Value, ...], _sub: str) -> Value:
        if len(arguments) == 2 and sum(isinstance(one, Table) for one in arguments) == 1:
            return _entrywise(rule, *arguments)
        table = one_table(arguments)
        if min(table.shape) > 1:
            raise UndecidedError("over rows or columns of a matrix? that is not said")
        return reduce(rule, entries_of(table))

    return fold


def _entrywise(rule: Callable[[Scalar, Scalar], Scalar], left: Value, right: Value) -> Value:
    """A rule between a number and each entry of a table: max(0, x)."""
    if isinstance(right, Table):
        return _entrywise(lambda a, b: rule(b, a), right, left) if not isinstance(left, Table) else right
    return entry_by_entry(lambda entry: rule(entry, right), left)


def _elementwise(rule: Callable[[Scalar], Scalar]) -> Callable[[tuple[Value, ...], str], Value]:
    def each(arguments: tuple[Value, ...], _sub: str) -> Value:
        if len(arguments) != 1:
            raise UndecidedError("a function of several values")
        return entry_by_entry(rule, arguments[0])

    return each


def _tanh(value: Scalar) -> Scalar:
    if isinstance(value, Infinite):
        return fmpq(value.sign)
    power = exponential(times(fmpq(2), value))
    return over(plus(power, fmpq(-1)), plus(power, fmpq(1)))


def _sigmoid(value: Scalar) -> Scalar:
    if isinstance(value, Infinite):
        return fmpq(int(value.sign > 0))
    return over(fmpq(1), plus(fmpq(1), exponential(times(fmpq(-1), value))))


def _relu(value: Scalar) -> Scalar:
    return larger(value, fmpq(0))


def _log(arguments: tuple[Value, ...], sub: str) -> Value:
    base = fmpq(int(sub)) if sub.isdecimal() and len(sub) < 5 else None
    if sub and sub != "e" and (base is None or base < 2):
        raise UndecidedError(f"a logarithm to the base {sub}")
    return _elementwise(lambda x: logarithm(x) if base is None else _log_to(x, base))(arguments, sub)


def _log_to(value: Scalar, base: fmpq) -> Scalar:
    if isinstance(value, fmpq) and value > 0:
        for power in range(-64, 65):
            if base**power == value:
                return fmpq(power)
    return over(logarithm(value), logarithm(base))


def _mean(arguments: tuple[Value, ...], sub: str) -> Value:
    total = _folded(plus)(arguments, sub)
    return divide(total, fmpq(len(entries_of(one_table(arguments)))))


def dot_product(arguments: tuple[Value, ...], _sub: str) -> Value:
    """The product of two, of two columns their inner product."""
    if len(arguments) != 2:
        raise UndecidedError("a product of two is meant, of other many it is not worked out")
    left, right = arguments
    if isinstance(left, Table) and isinstance(right, Table) and left.shape == right.shape and left.shape[1] == 1:
        left = Table(tuple(zip(*left.rows, strict=True)))  # two columns
    return multiply(left, right, "·")


def _bare(name: str) -> Callable[[Scalar], Scalar]:
    def rule(value: Scalar) -> Scalar:
        if isinstance(value, Infinite):
            raise UndecidedError(f"{name} of ∞")
        return _AT_ZERO[name] if value == 0 else lazy(name, value)

    return rule


_AT_ZERO: Final = {**dict.fromkeys(("sin", "tan", "arcsin", "arctan", "arsinh", "artanh"), fmpq(0)), "cos": fmpq(1)}


def _inverse(name: str, low: int | None, high: int | None) -> Callable[[Scalar], Scalar]:
    """An inverse function, within the real numbers from `low` to `high`."""

    def rule(value: Scalar) -> Scalar:
        if isinstance(value, Infinite):
            raise UndecidedError(f"{name} of ∞")
        below = low is not None and sign_of(plus(value, fmpq(-low))) < 0
        if below or (high is not None and sign_of(plus(value, fmpq(-high))) > 0):
            raise UndecidedError(f"{name} of such a number is not real")
        if value == 1 and name in ("arccos", "arcosh"):
            return fmpq(0)
        return _AT_ZERO[name] if value == 0 and name in _AT_ZERO else lazy(name, value)

    return rule


def _one_over(rule: Callable[[Scalar], Scalar]) -> Callable[[Scalar], Scalar]:
    return lambda value: over(fmpq(1), rule(value))


def _hyperbolic(sign: int) -> Callable[[Scalar], Scalar]:
    """The hyperbolic cosine for 1, the sine for -1: half of e^x and e^-x together."""

    def rule(value: Scalar) -> Scalar:
        if isinstance(value, Infinite):
            raise UndecidedError("a hyperbolic function of ∞")
        opposite = exponential(times(fmpq(-1), value))
        return times(fmpq(1, 2), plus(exponential(value), times(fmpq(sign), opposite)))

    return rule


def _stepped(up: int) -> Callable[[Scalar], Scalar]:
    """The whole number at or below, or at or above for 1; proven."""

    def rule(value: Scalar) -> Scalar:
        if isinstance(value, Infinite):
            raise UndecidedError("∞ has no whole number beside it")
        if isinstance(value, fmpq):
            return fmpq(value.ceil() if up else value.floor())
        for bits in (64, 512, 4096):
            ball = enclosure(value, bits)
            with at_bits(bits):
                whole = (ball.ceil() if up else ball.floor()).unique_fmpz()
            if whole is not None:
                return closed.bounded(fmpq(whole))
        raise UndecidedError("between which whole numbers a number stands cannot be told")

    return rule


FUNCTIONS: Final[dict[str, Callable[[tuple[Value, ...], str], Value]]] = {
    "exp": _elementwise(exponential),
    "ln": _log,
    "log": _log,
    "log2": lambda arguments, _sub: _log(arguments, "2"),
    "log10": lambda arguments, _sub: _log(arguments, "10"),
    "sqrt": _elementwise(lambda x: root(x, 2)),
    "softmax": _softmax,
    "max": _folded(larger),
    "min": _folded(smaller),
    "sum": _folded(plus),
    "mean": _mean,
    "tanh": _elementwise(_tanh),
    "sigmoid": _elementwise(_sigmoid),
    "relu": _elementwise(_relu),
    "abs": _elementwise(absolute),
    "sin": _elementwise(_bare("sin")),
    "cos": _elementwise(_bare("cos")),
    "tan": _elementwise(_bare("tan")),
    "cot": _elementwise(_one_over(_bare("tan"))),
    "sec": _elementwise(_one_over(_bare("cos"))),
    "csc": _elementwise(_one_over(_bare("sin"))),
    "sinh": _elementwise(_hyperbolic(-1)),
    "cosh": _elementwise(_hyperbolic(1)),
    "arcsin": _elementwise(_inverse("arcsin", -1, 1)),
    "arccos": _elementwise(_inverse("arccos", -1, 1)),
    "arctan": _elementwise(_bare("arctan")),
    "arsinh": _elementwise(_bare("arsinh")),
    "arcosh": _elementwise(_inverse("arcosh", 1, None)),
    "artanh": _elementwise(_inverse("artanh", -1, 1)),
    "floor": _elementwise(_stepped(0)),
    "ceil": _elementwise(_stepped(1)),
    "dot": dot_product,
    "matmul": dot_product,
    "concat": lambda arguments, _sub: beside(arguments),
}
"""The functions that are worked out; all others are known by name only."""


WORKED_OUT: Final = frozenset(FUNCTIONS)
