"""What every section of a comparison needs to know: the language, and how names, numbers and sets are told.

Arrives: exact numbers, differences and roots. Leaves: formulas. Decimals are certified, errors are told as proven upper
bounds of three digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from flint import fmpq

from symattn.comparison.crossings import Crossing, Point
from symattn.comparison.quantities import LABELS, Compared
from symattn.comparison.safe_roots import Interval, RootSet
from symattn.formulas import Chain, Decimal, Formula, Indexed, Listed, Name, Relation, Root, Value
from symattn.numbers.certified import Decimals, enclosure, exact_end, rational_of
from symattn.numbers.rounding import Mode, magnitude, plain_digits, terminating_digits
from symattn.rendering.blocks import Inlines, Math
from symattn.rendering.language import Language
from symattn.rendering.latex import LatexWriter
from symattn.rendering.sections.story import scientific

T = TypeVar("T")

GUARD: Final = 4
"""Digits after those that were written."""

BALL: Final = 256
"""Bits of the balls that errors are bounded with."""

DIGITS: Final = 3
"""Digits of an error."""

NAMES: Final = {"weights": "attention_weights", "outputs": "output"}
"""Where the name of a kind of quantity is not that of its matrix."""

LINES: Final = 24
"""Rows of a table beyond which those of right numbers are left out."""

LONG: Final = 96
"""Characters beyond which an exact form is left to its decimal."""


@dataclass(frozen=True)
class Telling:
    """How a comparison is told: `places` None gives each decimal its written digits and some more.

    `limit` is the number of rows of a table beyond which rows are left out, and said to be (None leaves none out).
    """

    language: Language
    places: int | None = None
    limit: int | None = LINES
    decimals: Decimals = field(default_factory=Decimals)

    def say(self, key: str, /, **places: Any) -> Inlines:
        """A phrase of the language; d_k is known to every phrase."""
        return self.language.say(f"compare_{key}", **{"d_k": Name("d_k"), **places})

    def head(self, *keys: str) -> tuple[Inlines, ...]:
        """The header of a table."""
        return tuple(self.say(f"column_{key}") for key in keys)

    def kind(self, kind: str) -> str:
        """The name of a kind of quantity."""
        return self.language.words(f"compare_kind_{kind}")

    def joined(self, parts: Sequence[Inlines]) -> Inlines:
        """Things one after the other, with the commas of the language."""
        out: list[Any] = []
        for i, part in enumerate(parts):
            out += [self.language.words("list_separator"), *part] if i else part
        return tuple(out)

    # ---- names ---------------------------------------------------------------------------------------------------

    @staticmethod
    def name(label: str) -> Formula:
        r"""The letters of a quantity by its label: \\sqrt{d_k} for Root."""
        base, _, place = label.rstrip("]").partition("[")
        if base == LABELS["root"]:
            return Root(Name("d_k"))
        indices = tuple(map(Decimal, place.split(",")))
        key = next((NAMES.get(kind, kind) for kind, name in LABELS.items() if name == base), base)
        return Indexed(Name(key), indices[0] if len(indices) == 1 else Listed(indices))

    def form(self, number: Any) -> Formula:
        """The exact form; dots where it is too long for a table."""
        latex = LatexWriter(limit=None).number(number)
        return Value(number) if len(latex) <= LONG else Decimal(r"\ldots")

    # ---- numbers -------------------------------------------------------------------------------------------------

    def decimal(self, number: Any, places: int | None = None) -> Decimal:
        """The certified decimal of a number."""
        asked = self.places if self.places is not None else places if places is not None else GUARD
        value = rational_of(number)
        short = terminating_digits(value) if value is not None else None
        if short is not None and short.places <= asked:
            return Decimal(short.text)
        return Decimal(self.decimals.round(number, asked).text)

    def size(self, number: Any, mode: Mode = Mode.HALF_UP) -> Decimal:
        """A small number by its leading digits; rationals that are short are told whole."""
        value = rational_of(number)
        short = terminating_digits(value) if value is not None else None
        if value == 0 or (short is not None and len(str(abs(short.units))) <= DIGITS and short.places <= GUARD):
            return Decimal(short.text if short is not None else "0")
        leading = self.decimals.round_significant(number, DIGITS, mode)
        exponent = magnitude(leading.value)
        return scientific(leading, exponent) if not -4 <= exponent < 6 else Decimal(leading.text)

    def at_most(self, number: Any) -> Decimal:
        """A proven upper bound of three digits for the size of a number."""
        value = rational_of(number)
        if value is None:
            # whether an irrational-looking number is one of three digits exactly need not be decidable
            value = exact_end(abs(enclosure(number, BALL)).upper())
        return self.size(abs(value), Mode.CEILING)

    def signed(self, number: Any) -> Decimal:
        """A number with its sign."""
        text = self.size(number).text
        return Decimal(text if text.startswith("-") or text == "0" else "+" + text)

    # ---- sets of roots -------------------------------------------------------------------------------------------

    def roots(self, found: RootSet, places: int = GUARD) -> Inlines:
        """A set of roots, as chains of relations."""
        if not found.sets:
            return self.say("no_root")
        out: list[Any] = []
        for interval in found.sets:
            if out:
                out.append(self.language.words("compare_or"))
            out.append(Math(self.interval(interval, places)) if _bounded(interval) else self.say("any_root")[0])
        return tuple(out)

    def interval(self, interval: Interval, places: int = GUARD) -> Formula:
        """The chain low < r ≤ high, each end in closed form with its decimal."""
        if interval.low is not None and interval.low is interval.high:
            return Chain(Name("r"), (("=", self.end(interval.low, places)),))
        low: Relation = "≤" if interval.low_closed else "<"
        high: Relation = "≤" if interval.high_closed else "<"
        links: list[tuple[Relation, Formula]] = [(low, Name("r"))]
        if interval.high is not None:
            links.append((high, self.end(interval.high, places)))
        return Chain(Value(fmpq(0)) if interval.low is None else self.end(interval.low, places), tuple(links))

    def point(self, number: Any) -> Formula:
        """A rational as it is, another number by its first decimals."""
        value = rational_of(number)
        if value is not None:
            return Value(value)
        return Decimal(self.decimals.round(number, GUARD, Mode.TRUNCATE).text + r"\ldots")

    def end(self, point: Point, places: int = GUARD) -> Formula:
        """An end: its closed form where there is one, and its decimal."""
        value = rational_of(point)
        decimal = Decimal(self.decimals.round(point, places, Mode.TRUNCATE).text + r"\ldots")
        if isinstance(point, Crossing) and point.closed is None:
            return decimal
        if value is not None and terminating_digits(value) is not None:
            return self.decimal(value, 12)
        return Chain(Value(point), (("=", decimal),))


def named(kind: str, place: tuple[int, ...]) -> Formula:
    """The letters of an entry of a kind, by its place from 0."""
    return Telling.name(f"{LABELS[kind]}[{','.join(str(i + 1) for i in place)}]")


def _bounded(interval: Interval) -> bool:
    return interval.low is not None or interval.high is not None


def written_places(quantity: Compared) -> int:
    """The decimals that were written."""
    digits = plain_digits(quantity.written.text)
    return max(0, digits.places) if digits is not None else 0


def kept(items: Sequence[T], limit: int | None, first: Callable[[T], bool]) -> list[T]:
    """The items that a table has room for, in order: those that must be seen first, then as many others as fit.

    >>> kept([1, 2, 3, 4], 2, lambda n: n == 4)
    [1, 4]
    """
    if limit is None or len(items) <= limit:
        return list(items)
    must = [i for i, item in enumerate(items) if first(item)][:limit]
    others = [i for i, item in enumerate(items) if not first(item)][: limit - len(must)]
    return [items[i] for i in sorted(must + others)]
