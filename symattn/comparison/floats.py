r"""What a machine would give, beside the exact numbers: NumPy's floats, their errors and their ulps.

Arrives: an exact derivation with rational entries and d_k, and a floating-point format. Leaves: for every quantity
the float, its exact error, how many units in the last place that is, and whether it is the float nearest to the exact
number. NumPy's softmax takes the largest scaled score of the row away first, so its exponentials and row sums are put
beside e^((s − max)/√d_k) and the sum of those, not beside e^(s/√d_k). Nothing is decided by a float.
Source: IEEE 754-2019, 3.3 (formats) and 4.3.1 (ties to even).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from flint import fmpq, fmpz

from symattn.attention.derive import derive
from symattn.attention.pipeline import Trace
from symattn.attention.trace import Derivation
from symattn.comparison.crossings import decided
from symattn.comparison.losses import Difference
from symattn.comparison.quantities import LABELS, Ratio
from symattn.errors import OptionError, UndecidedError
from symattn.numbers.certified import enclosure, exact_end, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import CONSTANT, ExpQuotient, ExpSum
from symattn.numbers.machine import Float
from symattn.numbers.rounding import Digits
from symattn.numbers.working import at_bits

Dtype = Literal["float64", "float32"]

ENOUGH_BITS: Final = 2048
"""At this precision a bound is taken that may be one unit above the least one."""


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format: bits of the significand, and the exponents of its normal numbers.

    >>> FORMATS["float32"].unit(fmpq(1)), FORMATS["float32"].unit(fmpq(0)) == power_of_two(-149)
    (1/8388608, True)
    """

    bits: int
    least: int
    most: int

    @property
    def beyond(self) -> fmpq:
        """The least number that is rounded to infinity: halfway from the largest float to the next power of two."""
        return power_of_two(self.most + 1) - power_of_two(self.most - self.bits)

    def unit(self, number: Any) -> fmpq:
        """The unit in the last place at an exact number, 2^(e + 1 − bits) with 2^e ≤ |number| < 2^(e + 1).

        Below the normal numbers, and at 0, it is the smallest float; beyond the largest float it is that float's.
        Raises: UndecidedError where the number cannot be told from a power of two.
        """
        return power_of_two(self._exponent(number) + 1 - self.bits)

    def _exponent(self, number: Any) -> int:
        value = rational_of(number)
        if value is not None:
            size = abs(value)
            if size < power_of_two(self.least):
                return self.least
            return min(_log2(size), self.most)
        low, high = power_of_two(self.least), power_of_two(self.most)

        def attempt(bits: int) -> tuple[int, int] | None:
            ball = abs(enclosure(number, bits))
            if ball < low:
                return self.least, self.least
            if ball > high:
                return self.most, self.most
            ends = [max(_log2(exact_end(end)), self.least) for end in (ball.abs_lower(), ball.abs_upper()) if end > 0]
            return (ends[0], ends[1]) if len(ends) == 2 and ends[1] - ends[0] <= 1 else None

        small, large = decided(attempt, "a number could not be told from 0")
        if small == large:
            return small
        # the ball lies across 2^large; the number is irrational, so it is on one side
        side = _order(number, fmpq(0))
        return large if side * _order(number, side * power_of_two(large)) > 0 else small


FORMATS: Final = {"float64": Format(53, -1022, 1023), "float32": Format(24, -126, 127)}


@dataclass(frozen=True, slots=True)
class InFloat:
    """One quantity as a float beside the exact number: kind, label, place from 0, and the float as NumPy writes it.

    `text` is the shortest decimal that reads back as the same float. `value` is the float exactly; it, the error
    (float less exact) and the ulps are None for a float that is infinite or not a number. `correctly_rounded` says
    whether it is the float nearest to the exact number, of two equally near ones the even one; infinity is, for an
    exact number beyond the format.
    """

    kind: str
    label: str
    place: tuple[int, ...]
    dtype: Dtype
    exact: Any
    text: str
    value: fmpq | None
    error: Difference | None
    ulps: Ratio | None
    correctly_rounded: bool


@dataclass(frozen=True, slots=True)
class Worst:
    """The largest error of one kind in one format, as a bound in ulps, with the label of the quantity.

    Shapes: `count` quantities, of which `correct` are correctly rounded and `infinite` have no finite value; `ulps`
    and `label` are of the finite ones, None and empty where there are none.
    """

    kind: str
    dtype: Dtype
    ulps: Digits | None
    label: str
    count: int
    correct: int
    infinite: int


def in_floats(exact: Derivation, dtype: Dtype = "float64") -> tuple[InFloat, ...]:
    """Every quantity of a derivation as NumPy computes it in one format, in the order of the pipeline.

    Overflow gives a record without a value and with the text `inf`, `-inf` or `nan`, and no warning.
    Raises: OptionError where the derivation is not exact with rational input and d_k, or an input is beyond the
    format; UndecidedError where a number cannot be told from a float or a power of two.

    >>> from symattn import certified, derive, load_spec
    >>> made = {item.label: item for item in in_floats(derive(load_spec()))}
    >>> made["Root"].text, made["Root"].correctly_rounded, certified(made["Root"].ulps, 4)
    ('1.7320508075688772', True, '0.4519')
    >>> made["Exp[1,1]"].text, made["Weights[2,1]"].text, made["Weights[2,1]"].ulps.rational
    ('1.0', '0.5', 0)
    """
    if exact.arithmetic.name != "exact" or not exact.spec.rational or not isinstance(exact.trace.root, SquareRoot):
        raise OptionError("floats beside another derivation", expected="an exact one, with rational entries and d_k")
    if dtype not in FORMATS:
        raise OptionError(f"unknown format {dtype!r}", expected=f"one of {', '.join(FORMATS)}")
    import numpy as np

    with np.errstate(all="ignore"):  # what overflows is told by its record
        made = derive(exact.spec, Float(dtype), recompute=exact.recompute).trace
        pairs = tuple(_pairs(exact.trace, made))
    return tuple(_beside(kind, label, place, dtype, number, found) for kind, label, place, number, found in pairs)


def worst(records: Iterable[InFloat], places: int = 2) -> tuple[Worst, ...]:
    """The largest ulps of each kind and format, each a proven upper bound rounded up to `places` decimals.

    >>> from symattn import derive, load_spec
    >>> found = worst(in_floats(derive(load_spec()), "float32"))
    >>> [(item.kind, item.ulps.text, item.correct, item.count) for item in found if item.kind in {"root", "scores"}]
    [('scores', '0.00', 4, 4), ('root', '0.27', 1, 1)]
    """
    groups: dict[tuple[str, Dtype], list[InFloat]] = {}
    for record in records:
        groups.setdefault((record.kind, record.dtype), []).append(record)
    out = []
    for (kind, dtype), group in groups.items():
        bounds = [(_bound(item.ulps, places), item.label) for item in group if item.ulps is not None]
        units, label = max(bounds, key=lambda bound: bound[0], default=(None, ""))
        digits = None if units is None else Digits(units, places)
        correct = sum(item.correctly_rounded for item in group)
        out.append(Worst(kind, dtype, digits, label, len(group), correct, len(group) - len(bounds)))
    return tuple(out)


def power_of_two(exponent: int) -> fmpq:
    """2^exponent, exactly, for exponents of either sign.

    >>> power_of_two(-3)
    1/8
    """
    power = fmpq(fmpz(1) << abs(exponent))
    return power if exponent >= 0 else 1 / power


def _log2(value: fmpq) -> int:
    """The whole e with 2^e ≤ value < 2^(e + 1), for a positive rational."""
    guess = value.p.bit_length() - value.q.bit_length()
    return guess if value >= power_of_two(guess) else guess - 1


_Pair = tuple[str, str, tuple[int, ...], Any, Any]
"""Kind, label, place from 0, exact number, float."""


def _pairs(exact: Trace, made: Trace) -> Iterator[_Pair]:
    """Every quantity of every stage; exponentials and row sums shifted as the floats are."""
    for letter in "QKV":
        yield from _cells("projections", letter, getattr(exact, letter), getattr(made, letter))
    yield from _cells("scores", "scores", exact.scores, made.scores)
    yield "root", LABELS["root"], (), exact.root, made.root
    yield from _cells("scaled_scores", "scaled_scores", exact.scaled_scores, made.scaled_scores)
    shifted, sums = _shifted(exact)
    yield from _cells("exponentials", "exponentials", shifted, made.exponentials)
    for i, (number, found) in enumerate(zip(sums, made.row_sums, strict=True)):
        yield "row_sums", f"{LABELS['row_sums']}[{i + 1}]", (i,), number, found
    yield from _cells("weights", "weights", exact.attention_weights, made.attention_weights)
    yield from _cells("outputs", "outputs", exact.output, made.output)


def _cells(kind: str, name: str, exact: Iterable[Any], made: Iterable[Any]) -> Iterator[_Pair]:
    for i, (row, floats) in enumerate(zip(exact, made, strict=True)):
        for j, (number, found) in enumerate(zip(row, floats, strict=True)):
            yield kind, f"{LABELS[name]}[{i + 1},{j + 1}]", (i, j), number, found


def _shifted(exact: Trace) -> tuple[list[list[ExpSum]], list[ExpSum]]:
    """The exponentials and the row sums, divided by the largest exponential of their row."""
    rows, sums = [], []
    for i, scores in enumerate(exact.scores):
        top = exact.scaled_scores[i][max(range(len(scores)), key=lambda j: scores[j])].key
        rows.append([power.shifted(top) for power in exact.exponentials[i]])
        sums.append(exact.row_sums[i].shifted(top))
    return rows, sums


def _beside(kind: str, label: str, place: tuple[int, ...], dtype: Dtype, exact: Any, found: Any) -> InFloat:
    text = str(found)
    try:
        value = rational_of(found)
    except UndecidedError:
        side = {"inf": 1, "-inf": -1}.get(text, 0)
        right = side != 0 and side * _order(exact, side * FORMATS[dtype].beyond) >= 0
        return InFloat(kind, label, place, dtype, exact, text, None, None, None, right)
    assert value is not None  # noqa: S101  (a finite float)
    steady = _steady(exact)
    unit, error = FORMATS[dtype].unit(steady), Difference(value, steady)
    ulps, nearest = Ratio(error, unit), _nearest(value, steady, unit)
    return InFloat(kind, label, place, dtype, exact, text, value, error, ulps, nearest)


def _steady(exact: Any) -> Any:
    """The same number without large exponentials: e^1000/(e^1000 + 1) as 1/(1 + e^-1000)."""
    if not isinstance(exact, ExpQuotient):
        return exact
    top = max(exact.den.terms)  # keys are in the order of their exponents: √d_k is in all of them or in none
    return ExpQuotient(exact.num.shifted(top), exact.den.shifted(top), exact.factor)


def _nearest(value: fmpq, exact: Any, unit: fmpq) -> bool:
    """Whether a float is the one nearest to an exact number, at which the floats are `unit` apart."""
    units = value / unit
    if units.q != 1:  # it lies where floats are closer together, below the exact number's own power of two
        return False
    above, below = _order(exact, value - unit / 2), _order(exact, value + unit / 2)
    if above == 0 or below == 0:
        return bool(units.p % 2 == 0)
    return above > 0 > below


def _order(exact: Any, bound: fmpq) -> int:
    """The sign of an exact number less a rational bound, proven."""
    value = rational_of(exact)
    if value is not None:
        return int(value > bound) - int(value < bound)
    gap: Any = Difference(exact, bound)
    if isinstance(exact, ExpQuotient):
        # the row sum is positive; e^1000 − 1·(e^1000 + 1) is −1, where the quotient needs 1443 bits to be below 1
        gap = exact.num - (bound * exact.factor) * exact.den
    elif isinstance(exact, ExpSum):
        gap = exact - ExpSum.collect([(CONSTANT, bound)], exact.scale)

    def attempt(bits: int) -> int | None:
        ball = enclosure(gap, bits)
        return 1 if ball > 0 else -1 if ball < 0 else None

    return decided(attempt, "a number could not be told from a float")


def _bound(ulps: Ratio, places: int) -> int:
    """A whole number of 10^-places that the ulps do not exceed, the least one unless they are too near to tell."""
    scale = fmpq(fmpz(10) ** places)
    value = ulps.rational
    if value is not None:
        return int((value * scale).ceil())
    bits = 128
    while True:
        with at_bits(bits):
            ball = enclosure(ulps, bits) * scale
            whole = ball.ceil().unique_fmpz()
            if whole is not None:
                return int(whole)
            if bits >= ENOUGH_BITS:
                return int(exact_end(ball.upper().ceil()).p)
        bits *= 4
