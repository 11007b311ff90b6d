"""The values of a spec, read safely: what a number, a root, a letter stands for.

Arrives: anything that a spec file or a caller may hold as a value: numbers of every library, text, SymPy
expressions. Leaves: a `fmpq` for everything rational, else a real SymPy expression of a few known node types.
Nothing is evaluated as code, no float takes part, and every bound is checked before the work that it bounds.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq, fmpz

from symattn.errors import ReadError, quoted
from symattn.numbers.bounded import (
    EXPECTED,
    GREEK,
    MAX_BITS,
    MAX_DEPTH,
    add,
    bounded,
    checked,
    decimal_value,
    divide,
    e_constant,
    exponential,
    is_name,
    multiply,
    pi_constant,
    power,
    rebuild,
    refusal,
    root,
    shown,
    signs_of,
    symbol,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from symattn.numbers.bounded import Value

MAX_TEXT: Final = 1_000
MAX_EXPONENT_DIGITS: Final = 6

_GREEK_LETTERS: Final = {
    **{chr(0x3B1 + i + (i > 16)): name for i, name in enumerate(GREEK)},
    **{chr(0x391 + i + (i > 16)): name.capitalize() for i, name in enumerate(GREEK)},
    "ς": "sigma", "ϵ": "epsilon", "ϑ": "theta", "ϕ": "phi", "ϱ": "rho",
}  # fmt: skip


def read_number(found: object) -> Value:
    r"""The exact value of `found`: a `fmpq` when it is rational, else a real SymPy expression.

    Text follows a small grammar: + - * / ^ ** ( ), decimals, sqrt, √, exp, e, pi and names. Python and NumPy
    floats count as the decimal that they print. `d_k` is a positive symbol, every other name a real one. Text
    with a backslash is read as LaTeX.
    Raises: ReadError for anything else, for a value that is no finite real number, and beyond the bounds.

    >>> read_number("1/3"), read_number(0.1), read_number("sqrt(9/4)"), read_number("2*sqrt(3)/3")
    (1/3, 1/10, 3/2, 2*sqrt(3)/3)
    """
    if isinstance(found, str):
        return _read_text(str(found))
    if (rational := _read_rational(found)) is not None:
        return checked(found, lambda: bounded(rational))
    # a SymPy object cannot arrive before SymPy was imported: do not import it to ask
    library = sys.modules.get("sympy")
    if library is not None and isinstance(found, library.Basic):
        return checked(found, lambda: rebuild(found))
    raise refusal(found, f"a {type(found).__name__} is none")


def read_positive(found: object) -> Value:
    """The exact value of `found`, proven to be positive; a bare letter becomes a positive symbol of its name.

    Raises: ReadError as `read_number` does, when the value is not positive, and when that cannot be decided.

    >>> read_positive("n").is_positive, read_positive(64)
    (True, 64)
    """
    expected = "a positive number"
    value = read_number(found)
    if isinstance(value, fmpq):
        if value > 0:
            return value
        raise ReadError(f"found {shown(found)}", expected=expected)
    if value.is_Symbol:
        return symbol(value.name, positive=True)
    signs = signs_of(value)
    if signs == {1}:
        return value
    if 1 in signs:
        hint = "Write it another way, or give a number."
        raise ReadError(f"whether {shown(found)} is positive is undecided", expected=expected, hint=hint)
    raise ReadError(f"found {shown(found)}", expected=expected)


# numbers of other libraries


def _read_rational(found: object) -> fmpq | None:
    """The value of a rational number of Python, flint or NumPy; None for other objects."""
    if isinstance(found, bool):
        raise refusal(found, "true and false are none")
    if isinstance(found, (int, fmpz)):
        return fmpq(found)
    if isinstance(found, fmpq):
        return found
    if isinstance(found, Fraction):
        return fmpq(found.numerator, found.denominator)
    if isinstance(found, Decimal):
        return decimal_value(found, found)
    if isinstance(found, float):
        return decimal_value(found, Decimal(float.__repr__(found)))
    if any(base.__module__ == "numpy" and base.__name__ == "generic" for base in type(found).__mro__):
        return _read_numpy(found)
    return None


def _read_numpy(found: Any) -> fmpq | None:
    inner = found.item()
    if isinstance(inner, (bool, int)):
        return _read_rational(inner)
    kind = found.dtype.kind
    # float32(0.1).item() is the double 0.10000000149…; its own text is the shortest one, 0.1
    return decimal_value(found, Decimal(str(found))) if kind == "f" else None


# text


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: its kind is `number`, `name`, `end`, or the sign itself."""

    kind: str
    text: str
    column: int


_TOKEN: Final = re.compile(
    r"(?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![0-9.]))"
    r"|(?P<name>[A-Za-z]+[0-9]*(?:_[A-Za-z0-9]+)?(?![A-Za-z0-9_]))"
    r"|(?P<sign>\*\*|[-+*/^()√])"
)
_SPACES: Final = " \t\r\n\u00a0\u2009\u202f"
_SAME: Final = str.maketrans({"−": "-", "×": "*", "·": "*", "⋅": "*"})


def _read_text(text: str) -> Value:
    if len(text) > MAX_TEXT:
        raise ReadError(f"a text of {len(text)} characters", expected=f"at most {MAX_TEXT}")
    if "\\" in text:
        from symattn.numbers.latex_door import read_latex

        return read_number(read_latex(text))
    if not text.strip(_SPACES):
        raise refusal(text, "it is empty")
    return _Parser(text).read()


def _tokens(text: str) -> list[Token]:
    plain = text.translate(_SAME)
    found = []
    at = 0
    while at < len(plain):
        if plain[at] in _SPACES:
            at += 1
            continue
        # Greek letters are spelled out one by one, so that columns stay those of the text
        if plain[at] in _GREEK_LETTERS:
            tail = re.compile(r"(?:_[A-Za-z0-9]+)?").match(plain, at + 1)
            end = tail.end() if tail else at + 1
            found.append(Token("name", _GREEK_LETTERS[plain[at]] + plain[at + 1 : end], at + 1))
            at = end
            continue
        match = _TOKEN.match(plain, at)
        if match is None:
            raise refusal(text, _unknown(plain, at), at + 1)
        kind = match.group() if match.lastgroup == "sign" else str(match.lastgroup)
        found.append(Token("^" if kind == "**" else kind, match.group(), at + 1))
        at = match.end()
    return [*found, Token("end", "", len(text) + 1)]


def _unknown(text: str, at: int) -> str:
    character = text[at]
    if character == "," and (comma := re.fullmatch(r"([0-9]+),([0-9]+)", text.strip(_SPACES))):
        thousands = f", or {comma[1]}{comma[2]}" if len(comma[2]) == 3 else ""
        return f"the decimal sign is a point: write {comma[1]}.{comma[2]}{thousands}"
    if character in "0123456789.":
        return "a number has one decimal point, with digits after it"
    if character.isascii() and (character.isalpha() or character == "_"):
        return "a name is letters, digits and at most one subscript, such as x_1"
    if character.isascii() and character.isprintable():
        return f"{character} has no meaning here"
    name = unicodedata.name(character, f"U+{ord(character):04X}")
    kind = "is no digit 0 to 9" if unicodedata.category(character).startswith("N") else "has no meaning here"
    return f"{character} ({name}) {kind}"


class _Parser:
    """Recursive descent: sum, product, signed power, atom; values are built on the way, within the bounds."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self, *kinds: str) -> Token | None:
        if self.next.kind not in kinds:
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def refuse(self, why: str) -> ReadError:
        return refusal(self.text, why, self.next.column)

    def compute(self, operation: Callable[..., Value], *values: Value, at: Token) -> Value:
        try:
            return operation(*values)
        except ReadError as error:
            raise ReadError(f"{quoted(self.text)}: {error.problem} at column {at.column}", expected=EXPECTED) from None

    def read(self) -> Value:
        value = self.sum()
        if self.next.kind != "end":
            raise self.refuse("a bracket closes that was not opened")
        return value

    def sum(self) -> Value:
        value = self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            if sign.kind == "-":
                term = self.compute(multiply, fmpq(-1), term, at=sign)
            value = self.compute(add, value, term, at=sign)
        return value

    def product(self) -> Value:
        value = self.signed()
        while sign := self.take("*", "/"):
            value = self.compute(multiply if sign.kind == "*" else divide, value, self.signed(), at=sign)
        if self.next.kind in ("number", "name", "(", "√"):
            raise self.refuse(self.missing_sign())
        return value

    def missing_sign(self) -> str:
        left, right = self.tokens[self.at - 1], self.next
        if left.kind == right.kind == "number" and len(right.text) == 3 and right.text.isdigit():
            return f"write {left.text}{right.text} without the space, or {left.text}*{right.text}"
        if left.kind == "name" and right.kind == "(":
            return f"{left.text} is no function that is read here; for a product write {left.text}*("
        return f"for a product write {left.text}*{right.text}"

    def signed(self) -> Value:
        start = self.next
        negative = False
        while sign := self.take("+", "-"):
            negative ^= sign.kind == "-"
        value = self.powered()
        return self.compute(multiply, fmpq(-1), value, at=start) if negative else value

    def powered(self) -> Value:
        base = self.atom()
        if not (sign := self.take("^")):
            return base
        start = self.next
        negative = False
        while turn := self.take("+", "-"):
            negative ^= turn.kind == "-"
        exponent = self.atom()
        if self.next.kind == "^":
            raise self.refuse("a power of a power is ambiguous, write brackets")
        if negative:
            exponent = self.compute(multiply, fmpq(-1), exponent, at=start)
        return self.compute(power, base, exponent, at=sign)

    def atom(self) -> Value:
        if token := self.take("number"):
            return self.number(token)
        if token := self.take("name"):
            return self.name(token)
        if self.next.kind == "(":
            return self.bracket()
        if token := self.take("√"):
            return self.compute(root, self.deeper(self.atom), at=token)
        end = self.next.kind == "end"
        raise self.refuse("something is missing" if end else f"{self.next.text} is misplaced")

    def deeper(self, rule: Callable[[], Value]) -> Value:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse(f"brackets deeper than {MAX_DEPTH}")
        value = rule()
        self.depth -= 1
        return value

    def bracket(self) -> Value:
        self.take("(")
        value = self.deeper(self.sum)
        if not self.take(")"):
            raise self.refuse("a bracket is not closed")
        return value

    def number(self, token: Token) -> fmpq:
        exponent = token.text.lower().partition("e")[2]
        if len(exponent) > MAX_EXPONENT_DIGITS:
            raise ReadError(f"{quoted(self.text)}: a number of more than {MAX_BITS} bits", expected=EXPECTED)
        return checked(self.text, lambda: bounded(decimal_value(self.text, Decimal(token.text))))

    def name(self, token: Token) -> Value:
        if token.text in ("sqrt", "exp"):
            if self.next.kind != "(":
                raise self.refuse(f"write {token.text}(…)")
            return self.compute(root if token.text == "sqrt" else exponential, self.bracket(), at=token)
        if token.text in ("pi", "e"):
            return e_constant() if token.text == "e" else pi_constant()
        if not is_name(token.text):
            raise refusal(self.text, f"{token.text} is no name", token.column)
        return symbol(token.text)
