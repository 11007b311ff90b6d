"""Tokens: the pieces that both ways of writing, LaTeX and plain text, are cut into.

Arrives: nothing. Leaves: the token, its kinds, and how digits become numbers. A token that has no meaning carries the
reason; whoever needs it stops there, and everything beside it is still read.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq, fmpz

from symattn.documents.reading.tree import Number
from symattn.numbers.rounding import Digits, plain_digits, power_of_ten

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TEXT: Final = 200_000
"""Characters of one region."""
MAX_DEPTH: Final = 64
"""Of brackets, braces, scripts and fractions in one another."""
MAX_DIGITS: Final = 1_300
MAX_TEN: Final = 400
"""Of the exponent in 1.5e3."""

SPACES: Final = frozenset(
    " \t\r\n\v\f\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
INVISIBLE: Final = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u2061\u2062\u2063\u200e\u200f\ufe0f\ufe0e")

PUNCTUATION: Final = {
    "，": ",", "、": ",", "；": ";", "：": ":", "。": ".", "（": "(", "）": ")", "［": "[", "］": "]",
    "｛": "{", "｝": "}", "＋": "+", "－": "-", "／": "/", "＊": "*", "＝": "=", "〔": "[", "〕": "]", "【": "[",
    "】": "]", "．": ".", "＜": "<", "＞": ">", "％": "%", "＾": "^", "＿": "_",
}  # fmt: skip
"""Full-width signs that mean what their narrow ones do."""

OPERATORS: Final = {
    "+": "+", "-": "-", "−": "-", "–": "-", "﹣": "-", "*": "*", "×": "×", "·": "·", "⋅": "·",
    "∙": "·",
    "•": "·", "✕": "×", "✖": "×", "⨯": "×", "∗": "*", "@": "@", "⊙": "⊙", "∘": "⊙", "/": "/", "÷": "/", "∕": "/",
    "⁄": "/", "±": "±", "∓": "±", "⊗": "⊗", "⊕": "⊕",
}  # fmt: skip
OPENING: Final = {"(": ")", "[": "]", "⟨": "⟩", "⟦": "⟧"}
CLOSING: Final = {close: open_ for open_, close in OPENING.items()}


@dataclass(frozen=True, slots=True)
class Token:
    r"""A piece of text.

    Kinds: `number`, `name` (value: a Name's parts), `text` (words), `function`, `operator` (value: its sign),
    `relation` (value: its kind), `open` and `close`, `{` and `}`, `begin` and `end` (value: the environment), `command`
    (takes arguments), `^`, `_`, `prime`, `script` (a Unicode superscript or subscript), `,` `;` `:` `.`, `&`, `row`
    (a line's end), `quad`, `dots`, `blank`, `infinity`, `bar`, `!`, `constant`, `sum` (never worked out), `stray`
    (value: the reason). `gap` is what stood before: 0 nothing, 1 a space, 2 a spacing command.
    """

    kind: str
    text: str
    start: int
    end: int
    gap: int = 0
    value: Any = None


def find_partners(tokens: Sequence[Token]) -> tuple[list[Token], list[int]]:
    """The tokens with every unmatched bracket made a stray one, and the place of each bracket's partner (else -1).

    Braces and environments close over brackets that were left open inside them.

    >>> find_partners([Token("open", "(", 0, 1, 0, ")"), Token("close", ")", 1, 2)])[1]
    [1, 0]
    """
    pairs = _Pairs(tokens)
    for at, token in enumerate(tokens):
        if token.kind in ("open", "{", "begin"):
            pairs.open(at)
        elif token.kind in ("close", "}", "end"):
            pairs.close(at)
        elif token.kind == "bar":
            pairs.bar(at)
    pairs.leave("{} is not closed")
    return pairs.tokens, pairs.partner


class _Pairs:
    """The brackets that are open, and the pairs that were found."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = list(tokens)
        self.partner = [-1] * len(self.tokens)
        self.stack: list[int] = []

    def stray(self, at: int, reason: str) -> None:
        token = self.tokens[at]
        self.tokens[at] = Token("stray", token.text, token.start, token.end, token.gap, reason)

    def open(self, at: int) -> None:
        self.stack.append(at)
        if len(self.stack) > 4 * MAX_DEPTH:
            self.leave(f"brackets deeper than {MAX_DEPTH}")

    def leave(self, reason: str) -> None:
        for at in self.stack:
            self.stray(at, reason.format(self.tokens[at].text))
        self.stack.clear()

    def bar(self, at: int) -> None:
        if self.stack and self.fits(self.stack[-1], at):
            self.close(at)
        else:
            self.open(at)

    def close(self, at: int) -> None:
        depth = self.depth_of(at)
        if depth < 0:
            self.unopened(at)
            return
        for begun in self.stack[depth + 1 :]:
            self.stray(begun, f"{self.tokens[begun].text} is not closed")
        begun = self.stack[depth]
        del self.stack[depth:]
        self.partner[begun], self.partner[at] = at, begun

    def depth_of(self, at: int) -> int:
        """How deep the bracket is that closes here, -1 where none does: no bracket looks through a brace."""
        kind = self.tokens[at].kind
        for depth in range(len(self.stack) - 1, -1, -1):
            if self.fits(self.stack[depth], at):
                return depth
            inner = self.tokens[self.stack[depth]].kind
            if (inner in ("{", "begin") and kind in ("close", "bar")) or (inner == "begin" and kind == "}"):
                break
        return -1

    def unopened(self, at: int) -> None:
        last = self.tokens[at]
        first = self.tokens[self.stack[-1]] if self.stack else None
        if last.kind == "end" and first is not None and first.kind == "begin":
            reason = f"\\begin{{{first.value}}} is closed by \\end{{{last.value}}}"
            self.stray(self.stack.pop(), reason)
            self.stray(at, reason)
        else:
            self.stray(at, f"{last.text} closes what was not opened")

    def fits(self, begun: int, at: int) -> bool:
        first, last = self.tokens[begun], self.tokens[at]
        if last.kind == "close":
            return first.kind == "open" and bool(first.value == last.text)
        if last.kind == "end":
            return first.kind == "begin" and bool(first.value == last.value)
        if last.kind == "bar":
            return first.kind == "bar" and first.text == last.text
        return first.kind == "{"


def number_token(text: str, start: int, end: int, gap: int, plain: str, *, exponent: str = "") -> Token:
    """The token of a decimal whose digits, without what groups them, are `plain`; stray when it is none."""
    if len(plain) > MAX_DIGITS:
        return Token("stray", text, start, end, gap, f"a number of more than {MAX_DIGITS} digits")
    whole, _, fraction = plain.partition(".")
    if len(whole) > 1 and whole[0] == "0":
        return Token("stray", text, start, end, gap, "a number does not begin with 0 and another digit")
    digits = plain_digits(f"{whole or '0'}.{fraction}" if fraction else whole)
    if digits is None or (not whole and not fraction):
        return Token("stray", text, start, end, gap, "this is no decimal")
    if exponent:
        if len(exponent.lstrip("+-")) > 3 or abs(int(exponent)) > MAX_TEN:
            return Token("stray", text, start, end, gap, f"a power of ten beyond {MAX_TEN}")
        digits = Digits(digits.units, digits.places - int(exponent))
    return Token("number", text, start, end, gap, Number(start, end, text, digits.value, digits))


def percent(token: Token, text: str, end: int) -> Token:
    """The number with a percent sign behind it."""
    number = token.value
    digits = Digits(number.digits.units, number.digits.places + 2)
    value = Number(token.start, end, text, digits.value, digits, percent=True)
    return Token("number", text, token.start, end, token.gap, value)


def repeating_token(text: str, start: int, gap: int, plain: str, repeated: str) -> Token:
    r"""0.\overline{3}: the digits in front, and those that go on for ever."""
    fraction = plain.partition(".")[2]
    if len(plain) + len(repeated) > MAX_DIGITS:
        return Token("stray", text, start, start + len(text), gap, f"a number of more than {MAX_DIGITS} digits")
    tail = fmpq(fmpz(repeated), fmpz(10) ** len(repeated) - 1) / power_of_ten(len(fraction))
    head = plain_digits(plain.rstrip("."))
    value = (head.value if head else fmpq(0)) + tail
    return Token("number", text, start, start + len(text), gap, Number(start, start + len(text), text, value, None))


def unknown(character: str) -> str:
    """Why a character cannot be read, by its name."""
    if character.isascii() and character.isprintable():
        return f"{character} has no meaning here"
    name = unicodedata.name(character, f"U+{ord(character):04X}")
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    kind = "is no digit 0 to 9" if unicodedata.category(character).startswith("N") else "has no meaning here"
    return f"{shown} ({name}) {kind}"


def is_letter(character: str) -> bool:
    """Whether a character belongs to a word."""
    return character.isalpha() or unicodedata.category(character).startswith("M")
