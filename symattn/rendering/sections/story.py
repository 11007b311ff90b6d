"""What every section needs to know: the derivation, the language, and how results are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from symattn.attention.trace import Derivation, OtherWidth
from symattn.errors import UndecidedError
from symattn.formulas import (
    Answer,
    Chain,
    Decimal,
    Formula,
    Indexed,
    LazyRows,
    Matrix,
    Name,
    Product,
    Relation,
    Row,
    Sum,
    Value,
    Words,
)
from symattn.numbers.arithmetic import Letter
from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.rounding import Digits, Mode, magnitude, terminating_digits
from symattn.numbers.written import WrittenNumber
from symattn.rendering.blocks import Inlines, Token
from symattn.rendering.language import Language
from symattn.rendering.latex import shown_places
from symattn.rendering.options import Options

HUGE = 9
"""Numbers with more digits than this before the point are told by a power of ten."""


@dataclass(frozen=True)
class Story:
    """A derivation about to be told."""

    derivation: Derivation
    language: Language
    options: Options
    limit: int | None
    digits: Decimals = field(default_factory=Decimals)
    _decimals: dict[int, tuple[Any, Decimal | None]] = field(default_factory=dict, repr=False)

    # ---- the example -------------------------------------------------------------------------------------------

    @property
    def tokens(self) -> Sequence[str]:
        """The tokens of the sentence."""
        return self.derivation.spec.tokens

    @property
    def written(self) -> bool:
        """Whether the story is a hand calculation."""
        return self.derivation.arithmetic.name == "as-written"

    @property
    def free(self) -> bool:
        """Whether d_k stays a letter."""
        return self.derivation.arithmetic.name == "free-dk" or (isinstance(self.d_k, Letter) and not self.written)

    @property
    def d_k(self) -> Any:
        """d_k as given: a rational, a SymPy expression or a letter."""
        return self.derivation.spec.d_k

    @property
    def other_width(self) -> OtherWidth | None:
        """The note of a numeric d_k that is not the width of K, where there is one."""
        notes = [note for note in self.derivation.notes if isinstance(note, OtherWidth)]
        return notes[0] if notes and not self.free else None

    @property
    def labels(self) -> tuple[Formula, ...]:
        """A label for each row of a matrix."""
        return tuple(Words(token) for token in self.tokens)

    def places(self) -> list[int | None]:
        """The tokens that are told about one by one; None stands for the rest."""
        return shown_places(len(self.tokens), self.limit)

    def token_places(self) -> Iterator[int]:
        """The same without the dots."""
        return (i for i in self.places() if i is not None)

    def say(self, key: str, /, **places: Any) -> Inlines:
        """A phrase of the language."""
        return self.language.say(key, **places)

    def joined(self, *parts: Inlines) -> Inlines:
        """Sentences one after the other, with the space that the language puts between them."""
        out: list[Any] = []
        for part in parts:
            if part:
                out += [self.language.words("join"), *part] if out else part
        return tuple(out)

    # ---- how results are told ----------------------------------------------------------------------------------

    def relation(self, numbers: Sequence[Any]) -> Relation:
        """`=` where every number is exact, `≈` where one was rounded in being written down."""
        return "≈" if any(isinstance(n, WrittenNumber) and n.rounded for n in numbers) else "="

    def decimal(self, number: Any) -> Decimal | None:
        """The certified decimal worth printing beside an exact number, None where there is none."""
        # by identity, the number kept beside it: a cell is asked about several times on its way into a document
        kept = self._decimals.get(id(number))
        if kept is None:
            kept = self._decimals[id(number)] = (number, self._made_decimal(number))
        return kept[1]

    def _made_decimal(self, number: Any) -> Decimal | None:
        if isinstance(number, WrittenNumber):
            return None
        value = rational_of(number)
        places = self.options.places
        if value is not None:
            digits = terminating_digits(value)
            if value.q == 1 or (digits is not None and digits.places <= places):
                return None
        try:
            leading = self.digits.round_significant(number, places + 1, Mode.HALF_UP)
            exponent = magnitude(leading.value)
            if not -max(places, 1) <= exponent < HUGE:
                return scientific(leading, exponent)
            return Decimal(self.digits.round(number, places, Mode.HALF_UP).text)
        except UndecidedError:
            return None

    def decimal_or_value(self, number: Any) -> Formula:
        """The certified decimal of a number, or the number itself where it is a short decimal."""
        return self.decimal(number) or short_decimal(number) or Value(number)

    def about(self, number: Any) -> Formula:
        """A number as prose mentions it: exactly where that is short, else ≈ and its decimal."""
        decimal = self.decimal(number)
        return self.decimal_or_value(number) if decimal is None else Chain(None, (("≈", decimal),))

    def about_row(self, numbers: Sequence[Any]) -> Formula:
        """The same for a row."""
        row = Row(self.decimal_row(numbers))
        shown = [numbers[i] for i in shown_places(len(numbers), self.limit) if i is not None]
        return Chain(None, (("≈", row),)) if any(self.decimal(number) for number in shown) else row

    def result(self, first: Formula | None, number: Any) -> Chain:
        """A worked result: first = number, with ≈ and a decimal where that helps."""
        links: list[tuple[Relation, Formula]] = [(self.relation([number]), Answer(Value(number)))]
        decimal = self.decimal(number)
        if decimal is not None:
            links.append(("≈", Answer(decimal)))
        return Chain(first, tuple(links))

    def row_result(self, first: Formula | None, numbers: Sequence[Any]) -> Chain:
        """The same for a row of numbers."""
        links: list[tuple[Relation, Formula]] = [(self.relation(numbers), Answer(Row(numbers)))]
        shown = [numbers[i] for i in shown_places(len(numbers), self.limit) if i is not None]
        decimals = [self.decimal(number) for number in shown]
        if any(decimals) and self.can_be_decimal(shown):
            links.append(("≈", Answer(Row(self.decimal_row(numbers)))))
        return Chain(first, tuple(links))

    def can_be_decimal(self, numbers: Sequence[Any]) -> bool:
        """Whether every number has a decimal to print."""
        return all(not isinstance(self.decimal_or_value(n), Value) for n in numbers)

    def decimal_row(self, numbers: Sequence[Any]) -> Sequence[Formula]:
        """Decimals of a row, made for the places that are shown."""
        return LazyRows(len(numbers), lambda i: self.decimal_or_value(numbers[i]))

    def matrix(self, rows: Sequence[Sequence[Any]], *, labels: bool = False, answer: bool = False) -> Formula:
        """A matrix with or without the tokens beside it."""
        out = Matrix(rows, self.labels if labels else ())
        return Answer(out) if answer else out

    def named_matrix(self, name: str, rows: Sequence[Sequence[Any]], *, kind: str, labels: bool = False) -> Chain:
        """Name = matrix, padded where the hand pads, with a decimal matrix beside an exact irrational one."""
        padded = self._padding(kind)
        made = Matrix(rows, self.labels if labels else (), padded)
        links: list[tuple[Relation, Formula]] = [("=", Answer(made))]
        decimals = self.decimal_matrix(rows)
        if decimals is not None:
            links.append(("≈", Answer(decimals)))
        return Chain(Name(name), tuple(links))

    def shown_entries(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """The entries of a matrix that are printed, so that no other row need be made."""
        shown = [rows[i] for i in shown_places(len(rows), self.limit) if i is not None]
        return [row[j] for row in shown for j in shown_places(len(row), self.limit) if j is not None]

    def decimal_matrix(self, rows: Sequence[Sequence[Any]]) -> Matrix | None:
        """The certified decimals of a matrix, None where it has none or is short already."""
        shown = self.shown_entries(rows)
        if not self.can_be_decimal(shown) or not any(self.decimal(number) for number in shown):
            return None
        return Matrix(LazyRows(len(rows), lambda i: self.decimal_row(rows[i])))

    def _padding(self, kind: str) -> int | None:
        if not self.written:
            return None
        rule = self.derivation.spec.policy.rule(kind)
        return rule.places if rule.padded else None

    def dot_product(self, left: Sequence[Any], right: Sequence[Any], sign: Any = "times") -> Sum:
        """The sum of products of two rows, written out: 2×1+0×0+1×1."""
        return Sum(tuple(Product((_as_value(a), _as_value(b)), sign) for a, b in zip(left, right, strict=True)))

    def token(self, i: int, seen_from: int | None = None) -> Any:
        """A token in running text; "itself" where it is the one that the sentence is about."""
        return self.language.words("itself") if i == seen_from else Token(self.tokens[i])


def _as_value(number: Any) -> Formula:
    return number if isinstance(number, Formula) else Value(number)


def scientific(leading: Digits, exponent: int) -> Decimal:
    r"""A number beyond the size that is read at a glance, by its leading digits and a power of ten.

    >>> scientific(Digits(12345, -10), 14).text
    '1.2345\\times 10^{14}'
    """
    return Decimal(rf"{Digits(leading.units, leading.places + exponent).text}\times 10^{{{exponent}}}")


def short_decimal(number: Any) -> Decimal | None:
    """A rational as its finite decimal, where it has one: 7/2 as 3.5.

    >>> from flint import fmpq
    >>> short_decimal(fmpq(7, 2)).text
    '3.5'
    """
    value = rational_of(number)
    digits = terminating_digits(value) if value is not None else None
    return Decimal(digits.text) if digits is not None else None


def indexed(name: str, index: int | str) -> Indexed:
    """x_1, q_Time."""
    below: Formula = Decimal(str(index)) if isinstance(index, int) else Words(index)
    return Indexed(Name(name), below)
