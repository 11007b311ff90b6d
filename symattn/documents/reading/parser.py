"""The parser: tokens in, trees out, by operator precedence, left to right, within a depth.

Arrives: the tokens of one thing between two relations. Leaves: its tree, or a `Failure` that says why there is none.
Nothing ambiguous is settled in silence: two numbers side by side, a mixed number, a power of a power, a product
without a sign after a slash are refused.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from symattn.documents.reading import matrices
from symattn.documents.reading.names import BARE_FUNCTIONS, NUMBERED, WRAPPERS, is_transpose
from symattn.documents.reading.tokens import MAX_DEPTH, Token, number_token
from symattn.documents.reading.tree import (
    Absolute,
    Blank,
    Bracketed,
    Call,
    Constant,
    Elided,
    Indexed,
    Infinity,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Number,
    Operation,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Text,
    Transpose,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from symattn.documents.reading.tree import ProductSign

OPERANDS: Final = frozenset(
    [
        "number",
        "name",
        "constant",
        "infinity",
        "open",
        "{",
        "begin",
        "command",
        "dots",
        "blank",
        "text",
        "function",
        "sum",
        "stray",
        "bar",
    ]
)
"""Kinds that may begin an operand."""
OPERAND_ENDS: Final = frozenset(
    ["number", "name", "constant", "infinity", "close", "}", "end", "prime", "script", "dots", "blank", "text", "bar"]
)
"""Kinds that may end one."""
MAX_NESTED: Final = 3
"""Of subscripts in one another."""
MAX_CALLS: Final = 10
"""Of functions in one another."""
_NEVER: Final = frozenset(
    {"zeros", "ones", "eye", "rand", "randn", "arange", "linspace", "factorial", "range", "eval", "exec"}
)
_TIMES: Final = frozenset({"·", "×", "*", "@", "⊙"})
_BIG: Final = (Matrix, List)

_NUMBERED: Final = re.compile(r"\(\d{1,2}\)")
"""The number of a head over a word: concat^{(1)}."""


class Failure(Exception):  # noqa: N818 - it never leaves the reader
    """Something is not read: the reason, and whether it is mathematics that is never worked out here."""

    def __init__(self, reason: str, *, formula: bool = False) -> None:
        self.reason = reason
        self.formula = formula
        super().__init__(reason)


class Parser:
    """Trees of the tokens from `at` up to `end`; `plain` for plain text and code.

    `notes` collects words that stand beside values; they are no part of them.
    """

    def __init__(self, text: str, tokens: Sequence[Token], partner: Sequence[int], *, plain: bool = False) -> None:
        self.text = text
        self.tokens = tokens
        self.partner = partner
        self.plain = plain
        self.at = 0
        self.end = len(tokens)
        self.depth = 0
        self.calls = 0
        self.notes: list[Text] = []

    # moving

    @property
    def next(self) -> Token | None:
        """The token here, None at the end."""
        return self.tokens[self.at] if self.at < self.end else None

    def peek(self, kind: str) -> bool:
        """Whether the token here is of this kind."""
        return self.at < self.end and self.tokens[self.at].kind == kind

    def within(self, low: int, high: int, rule: Callable[[], Node]) -> Node:
        """What the rule makes of the tokens from `low` up to `high`, all of them; the place is kept."""
        kept = self.at, self.end
        self.at, self.end = low, high
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Failure(f"brackets deeper than {MAX_DEPTH}")
        while self.at < self.end and self.tokens[self.end - 1].kind == "quad":
            self.end -= 1
        if self.at >= self.end:
            raise Failure("something is missing between brackets")
        node = rule()
        if self.at < self.end:
            raise self.misplaced()
        self.depth -= 1
        self.at, self.end = kept
        return node

    def misplaced(self) -> Failure:
        """The failure that the token here is."""
        token = self.next
        if token is None:
            return Failure("something is missing at the end")
        if token.kind == "stray":
            return Failure(str(token.value))
        if token.kind == "sum":
            return Failure(f"{token.value} is not worked out", formula=True)
        if token.kind == ",":
            return Failure("a comma outside a list: a decimal sign, or two numbers?")
        if token.kind == "!":
            return Failure("a factorial is not worked out", formula=True)
        return Failure(f"{token.text.strip() or token.kind} is misplaced")

    # rules, loosest first

    def item(self, low: int, high: int) -> Node:
        """The thing between two relations: an expression, or an operation such as ÷√2."""
        token = self.tokens[low]
        if token.kind == "operator" and token.value in {"/", *_TIMES} and high > low + 1:
            operand = self.within(low + 1, high, self.expression)
            return Operation(token.start, operand.end, "/" if token.value == "/" else "*", operand)
        return self.within(low, high, self.expression)

    def expression(self) -> Node:
        """Terms with plus and minus signs between."""
        first = self.term()
        terms, signs = [first], ["+"]
        while (token := self.next) and token.kind == "operator" and token.value in ("+", "-"):
            self.at += 1
            signs.append(token.value)
            terms.append(self.term())
        if self.next and self.next.kind == "operator" and self.next.value not in _TIMES | {"/"}:
            raise Failure(f"{self.next.text} is no operation that is read")
        if len(terms) == 1:
            return first
        return Sum(first.start, terms[-1].end, tuple(terms), tuple(signs))  # type: ignore[arg-type]

    def term(self) -> Node:
        """Factors with signs of products and quotients between, or side by side."""
        left = self.factor()
        slash = False  # a quotient on the line stands at the left
        nested = 0
        while (token := self.next) is not None:
            if token.kind == "operator" and token.value in _TIMES:
                self.at += 1
                left = _times(left, self.factor(), token.value)
                slash = False
            elif token.kind == "operator" and token.value == "/":
                self.at += 1
                nested += 1
                if nested > MAX_DEPTH:
                    raise Failure(f"more than {MAX_DEPTH} quotients in a row")
                right = self.factor()
                left = Quotient(left.start, right.end, left, right, inline=True)
                slash = True
            elif token.kind in OPERANDS and not (token.kind == "bar" and self.partner[self.at] < self.at):
                left = self.beside(left, token, slash=slash)
            else:
                break
        return left

    def beside(self, left: Node, token: Token, *, slash: bool) -> Node:
        """The product of two things side by side, where that is what it can only mean."""
        if self.is_note(left, token):
            self.note()
            return left
        self.require_sign(left, token)
        right = self.postfix(self.atom())
        if isinstance(left, Bracketed) and isinstance(right, Number):
            raise Failure(f"{token.text} follows without a sign")
        if _is_mixed(left, right):
            raise Failure("a whole number beside a fraction: a mixed number, or a product?")
        if slash and not any(isinstance(node, _BIG) for node in walk(right)):
            raise Failure(f"{token.text} after a slash without a sign: is it divided by as well?")
        if isinstance(left, Text) and isinstance(right, Text):
            return Text(left.start, right.end, self.text[left.start : right.end])
        return _times(left, right, "")

    def require_sign(self, left: Node, token: Token) -> None:
        """Refuse what needs a sign between: two numbers, a number behind a name, in plain text a name after a space."""
        before = self.tokens[self.at - 1]
        if token.kind == "number":
            if before.kind == "number":
                raise Failure(f"{before.text} {token.text}: two numbers side by side")
            if not (before.kind in ("close", "end") and token.gap == 0) and not isinstance(left, _BIG):
                raise Failure(f"{token.text} follows without a sign")
        if self.plain and token.gap and isinstance(left, Number) and token.kind in ("name", "constant", "function"):
            raise Failure(f"{before.text} {token.text}: a product without a sign")

    def is_note(self, left: Node, token: Token) -> bool:
        r"""Whether what stands beside is words about the value: `2.03 \text{ (three times)}`, `0.85 (85%)`."""
        if token.kind == "text":
            return not isinstance(left, Text) and self.is_prose(left, token)
        if token.kind != "open" or token.text != "(":
            return False
        inside = self.tokens[self.at + 1 : self.partner[self.at]]
        if len(inside) == 1 and inside[0].kind == "number":
            return bool(inside[0].value.percent)
        words = bool(inside) and inside[0].kind == "text" and not any(t.kind in ("operator", "_", "^") for t in inside)
        return words and not isinstance(left, (Name, Text)) and self.tokens[self.at - 1].kind != "operator"

    def is_prose(self, left: Node, token: Token) -> bool:
        """Whether words beside a value are no factor: neither a letter nor a word with a script or a bracket."""
        follows = self.tokens[self.at + 1] if self.at + 1 < self.end else None
        if follows and (follows.kind in ("_", "^", "prime") or (follows.kind == "open" and follows.gap == 0)):
            return False
        stripped = token.text.strip()
        if len(stripped) == 1 and stripped.isascii():
            return False
        return stripped != token.text or not stripped.isidentifier() or isinstance(left, Number) or self.plain

    def note(self) -> None:
        """Keep the words here as a note, and go on behind them."""
        token = self.tokens[self.at]
        end = self.at if token.kind == "text" else self.partner[self.at]
        self.notes.append(Text(token.start, self.tokens[end].end, self.text[token.start : self.tokens[end].end]))
        self.at = end + 1

    def factor(self) -> Node:
        """An operand with its signs."""
        signs: list[Token] = []
        while (token := self.next) and token.kind == "operator" and token.value in ("+", "-"):
            signs.append(token)
            self.at += 1
        if len(signs) > 2:
            raise Failure("more than two signs in a row")
        node = self.postfix(self.atom())
        for sign in reversed(signs):
            if sign.value == "-":
                node = Neg(sign.start, node.end, node)
        return node

    # atoms

    def atom(self) -> Node:
        """The smallest thing: a leaf, words, a function, a command, a group."""
        token = self.next
        if token is None or token.kind not in OPERANDS:
            raise self.misplaced()
        if token.kind in ("stray", "sum"):
            raise self.misplaced()
        simple = self.leaf(token)
        if simple is not None:
            self.at += 1
            return simple
        if token.kind == "text":
            return self.words(token)
        if token.kind == "function":
            return self.function(token)
        if token.kind == "command":
            return self.command(token)
        return self.group(token)

    def leaf(self, token: Token) -> Node | None:
        """A number, a name, a constant; None for a token that needs more."""
        place = token.start, token.end
        if token.kind == "number":
            return token.value  # type: ignore[no-any-return]
        if token.kind == "name":
            return token.value if isinstance(token.value, Node) else Name(*place, str(token.value))
        if token.kind == "constant":
            return Constant(*place, token.value)
        if token.kind == "infinity":
            return Infinity(*place)
        if token.kind == "dots":
            return Elided(*place)
        if token.kind == "blank":
            return Blank(*place)
        return None

    def group(self, token: Token) -> Node:
        """What stands in brackets, in braces, between bars, or in an environment."""
        low, close = self.at + 1, self.partner[self.at]
        last = self.tokens[close]
        self.at = close + 1
        if token.kind == "{":
            if low == close:
                raise Failure("{} is empty")
            return self.within(low, close, self.over)
        if token.kind == "bar":
            inner = self.within(low, close, self.expression)
            return Absolute(token.start, last.end, inner, norm=token.text == "‖")
        if token.kind == "begin":
            return matrices.environment(self, low - 1, close)
        return matrices.bracket(self, low - 1, close)

    def over(self) -> Node:
        r"""An expression, or {a \over b}."""
        for at in range(self.at, self.end):
            if self.tokens[at].kind == "command" and self.tokens[at].value == "over":
                low, high = self.at, self.end
                above = self.within(low, at, self.expression)
                below = self.within(at + 1, high, self.expression)
                self.at = high
                return Quotient(above.start, below.end, above, below)
            if self.partner[at] > at and at > self.at:
                continue
        return self.expression()

    def words(self, token: Token) -> Node:
        """Words, or a name or a function that is written as a word."""
        self.at += 1
        follows = self.next
        if follows is not None and follows.kind in ("_", "^", "prime", "script"):
            return Name(token.start, token.end, token.text.strip(), words=True)
        if follows is not None and follows.kind == "open":
            index = self.index()
            if index is not None:
                close = self.partner[self.at]
                self.at = close + 1
                return Name(token.start, self.tokens[close].end, token.text.strip(), sub=index, words=True)
            stripped = token.text.strip()
            if follows.text == "(" and (pair := self.pair(token)) is not None:
                return pair
            if follows.text == "(" and follows.gap == 0 and stripped.replace("_", "").replace(" ", "").isalnum():
                arguments, end = self.arguments()
                if stripped in WRAPPERS:
                    return arguments[0]
                return Call(token.start, end, stripped, arguments, known=False)
        return Text(token.start, token.end, token.text)

    def pair(self, token: Token) -> Text | None:
        """Words with two things and an arrow in their bracket, Score(the → cat), as words; None for other brackets."""
        close = self.partner[self.at]
        inside = self.tokens[self.at + 1 : close]
        if not any(t.kind == "relation" and t.value[0] == "→" for t in inside):
            return None
        self.at = close + 1
        end = self.tokens[close].end
        return Text(token.start, end, self.text[token.start : end])

    def index(self) -> str | None:
        """The whole numbers in square brackets right here: [1], or [0, 1] in plain text; None where there are none."""
        token = self.next
        if token is None or token.kind != "open" or token.text != "[" or token.gap:
            return None
        inside = self.tokens[self.at + 1 : self.partner[self.at]]
        allowed = 3 if self.plain else 1
        if not inside or len(inside) > allowed:
            return None
        parts = [t.text for t in inside]
        fits = all(t.kind == ("," if i % 2 else "number") for i, t in enumerate(inside))
        return ",".join(parts[::2]) if fits and all(part.isdecimal() for part in parts[::2]) else None

    def function(self, token: Token) -> Node:
        """A known function of what follows; its bare name where nothing does."""
        self.at += 1
        sub, numbered = self.scripts(token)
        end = self.tokens[self.at - 1].end
        follows = self.next
        if numbered:
            if follows is not None and follows.kind == "open":
                raise Failure(f"a power of the function {token.text}")
            return Name(token.start, end, token.text, sub, numbered)  # concat^{(1)}: that of one of them
        if follows is not None and follows.kind == "open" and follows.text in ("(", "\\{"):
            if (pair := self.pair(token)) is not None:
                return pair
            arguments, end = self.arguments()
            if token.value in WRAPPERS:
                return arguments[0]
            if token.value == "sqrt" and len(arguments) == 1:
                return Root(token.start, end, arguments[0])
            return Call(token.start, end, token.value, arguments, sub)
        if follows is not None and self.applies(token, follows):
            return self.applied(token, sub)
        if sub:
            return Name(token.start, end, token.text, sub=sub, words=True)
        return Text(token.start, end, token.text)

    def scripts(self, token: Token) -> tuple[str, str]:
        """The subscript of a function, and the number of a head that stands over it."""
        sub = numbered = ""
        while (follows := self.next) is not None and follows.kind in ("_", "^"):
            low, high = self.script()
            told = script_text(self.tokens[low:high])
            if follows.kind == "^" and not _NUMBERED.fullmatch(told):
                raise Failure(f"a power of the function {token.text}")
            sub, numbered = (sub, told) if follows.kind == "^" else (told, numbered)
        return sub, numbered

    def applies(self, token: Token, follows: Token) -> bool:
        """Whether a function without a bracket reaches over what follows: ln 2, softmax [1, 0], max of a matrix."""
        if follows.kind == "open":
            return token.value in BARE_FUNCTIONS | {"sum", "mean"}
        if follows.kind in ("begin", "command", "{", "bar"):
            return True
        return token.value in BARE_FUNCTIONS and follows.kind in OPERANDS - {"text"}

    def applied(self, token: Token, sub: str) -> Node:
        """A function of the one operand behind it."""
        argument = self.deeper(lambda: self.postfix(self.atom()))
        if token.value == "sqrt":
            return Root(token.start, argument.end, argument)
        follows = self.next
        if follows is not None and follows.kind in ("name", "constant", "function") and token.value != "softmax":
            raise Failure(f"how far {token.text} reaches is not shown: write brackets")
        return Call(token.start, argument.end, token.value, (argument,), sub)

    def deeper(self, rule: Callable[[], Node]) -> Node:
        """What the rule makes one level down."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Failure(f"brackets deeper than {MAX_DEPTH}")
        node = rule()
        self.depth -= 1
        return node

    def arguments(self) -> tuple[tuple[Node, ...], int]:
        """What stands in the brackets here, without what is said by keyword (shape=(2, 2))."""
        low, close = self.at + 1, self.partner[self.at]
        name = self.tokens[low - 2].text.strip() if low > 1 else ""
        if name in _NEVER:
            raise Failure(f"{name}(…) is not worked out", formula=True)
        end = self.tokens[close].end
        self.at = close + 1
        if low == close:
            raise Failure("a function of nothing")
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise Failure(f"more than {MAX_CALLS} functions in one another")
        parts = matrices.split(self.tokens, self.partner, low, close, {",", ";"} if not self.plain else {","})
        arguments: list[Node] = []
        for start, stop in parts:
            if stop > start + 1 and self.tokens[start].kind in ("name", "text") and self.tokens[start + 1].text == "=":
                continue
            if start == stop and self.plain and arguments:
                continue  # a last comma
            arguments.append(self._anything(start, stop) or self.within(start, stop, self.expression))
        self.calls -= 1
        if not arguments:
            raise Failure("a function of nothing")
        return tuple(arguments), end

    def _anything(self, start: int, stop: int) -> Node | None:
        r"""The dot of softmax(\cdot), which stands for whatever the function is applied to."""
        token = self.tokens[start]
        if stop != start + 1 or token.kind != "operator" or token.value != "·":
            return None
        return Elided(token.start, token.end)

    # commands

    def command(self, token: Token) -> Node:
        """A command with its arguments."""
        self.at += 1
        if token.value == "frac":
            try:
                above = self.argument("\\frac")
                below = self.argument("\\frac")
            except _TwoDigits as digits:
                above, below = digits.pair
            return Quotient(token.start, self.tokens[self.at - 1].end, above, below)
        if token.value == "sqrt":
            return self.root(token)
        if token.value == "boxed":
            return self.argument("\\boxed")
        if token.value in ("underbrace", "overbrace"):
            inner = self.argument(token.text)
            while (follows := self.next) is not None and follows.kind in ("_", "^"):
                low, high = self.script()
                words = self.text[self.tokens[low].start : self.tokens[high - 1].end]
                self.notes.append(Text(self.tokens[low].start, self.tokens[high - 1].end, words))
            return inner
        if token.value in ("overset", "underset", "stackrel"):
            beside = self.argument(token.text)
            self.notes.append(Text(beside.start, beside.end, self.text[beside.start : beside.end]))
            return self.argument(token.text)
        if isinstance(token.value, tuple) and token.value[0] == "accent":
            return self.accent(token)
        raise Failure(f"{token.text} is misplaced")

    def accent(self, token: Token) -> Node:
        """A name with a hat, a tilde or a bar."""
        inner = self.argument(token.text)
        end = self.tokens[self.at - 1].end
        if isinstance(inner, Name) and not inner.accent:
            name = token.value[1].removeprefix("wide")
            return Name(token.start, end, inner.base, inner.sub, inner.sup, inner.primes, name, inner.words)
        if isinstance(inner, Text):
            return Name(token.start, end, inner.key, accent=token.value[1], words=True)
        raise Failure(f"{token.text} over something that is no name")

    def root(self, token: Token) -> Node:
        """A root, over a group in LaTeX, over one operand behind √."""
        index = None
        follows = self.next
        if follows is not None and follows.kind == "open" and follows.text == "[" and token.text == "\\sqrt":
            close = self.partner[self.at]
            index = self.within(self.at + 1, close, self.expression)
            self.at = close + 1
            follows = self.next
        if token.text == "\\sqrt":
            if follows is not None and follows.kind == "open":
                raise Failure("\\sqrt needs {..}")
            inner = self.argument("\\sqrt")
            if isinstance(inner, Name) and not inner.sub and follows is not None and follows.kind == "name":
                inner = self.postfix(inner)
        else:
            inner = self.deeper(lambda: self.postfix(self.atom(), power=False))
        return Root(token.start, self.tokens[self.at - 1].end, inner, index)

    def argument(self, command: str) -> Node:
        """A group in braces, or the one sign that TeX takes without them."""
        token = self.next
        if token is None:
            raise Failure(f"{command} needs {{..}}")
        if token.kind == "{":
            close = self.partner[self.at]
            low, self.at = self.at + 1, close + 1
            if low == close:
                return Blank(token.start, self.tokens[close].end)
            return self.within(low, close, self.over)
        if token.kind == "number" or (token.kind == "stray" and token.text.isdecimal()):
            return self.one_digit(token, command)  # \frac05 holds no number 05
        if token.kind in ("name", "constant", "infinity", "blank", "text"):
            self.at += 1
            leaf = self.leaf(token)
            return leaf if leaf is not None else Text(token.start, token.end, token.text)
        if token.kind == "command":
            return self.deeper(lambda: self.command(token))
        raise Failure(f"{command} needs {{..}}")

    def one_digit(self, token: Token, command: str) -> Node:
        r"""The one digit that TeX takes: \frac12 is a half; more digits are refused as ambiguous."""
        self.at += 1
        if len(token.text) == 1:
            return token.value  # type: ignore[no-any-return]
        if command == "\\frac" and len(token.text) == 2 and token.text.isdecimal():
            above, below = token.text[0], token.text[1]
            first = number_token(above, token.start, token.start + 1, 0, above).value
            second = number_token(below, token.start + 1, token.end, 0, below).value
            raise _TwoDigits(first, second)
        raise Failure(f"{command}{token.text}: which digits belong to it is not shown")

    # what follows an atom

    def postfix(self, node: Node, *, power: bool = True) -> Node:
        """The node with the primes, scripts and indices behind it; without its power where that is not its own."""
        powered = scripted = False
        while (token := self.next) is not None:
            if token.kind == "_":
                if scripted:
                    raise Failure("two subscripts")
                node, scripted = self.subscript(node), True
            elif token.kind == "^":
                if not power:
                    break
                if powered:
                    raise Failure("two superscripts: a power of a power is ambiguous, write brackets")
                node, powered = self.superscript(node), True
            elif token.kind == "!":
                raise self.misplaced()
            else:
                behind = self.small(node, token)
                if behind is None:
                    break
                node = behind
        return node

    def small(self, node: Node, token: Token) -> Node | None:
        """The node with a prime, a Unicode script, a transpose or an index; None where none of them follows."""
        if token.kind == "prime":
            if not isinstance(node, Name):
                raise Failure("a prime behind something that is no name")
            self.at += 1
            return replace(node, end=token.end, primes=node.primes + token.value)
        if token.kind == "script":
            self.at += 1
            return self.unicode_script(node, token)
        if token.kind == "transpose":
            self.at += 1
            return Transpose(node.start, token.end, node)
        if token.kind == "open" and isinstance(node, (Name, Indexed, Transpose)):
            index = self.index()
            if index is not None:
                close = self.partner[self.at]
                self.at = close + 1
                return self.indexed(node, index, self.tokens[close].end)
        return None

    def indexed(self, node: Node, index: str, end: int) -> Node:
        """The entry that an index in square brackets names."""
        if isinstance(node, Name) and self.plain and node.sub.replace(",", "").isdecimal():
            return replace(node, end=end, sub=f"{node.sub},{index}")
        if isinstance(node, Name) and not node.sub:
            return replace(node, end=end, sub=index)
        return Indexed(node.start, end, node, index)

    def script(self) -> tuple[int, int]:
        """The tokens of the script that begins here, braces left out; the place moves behind them."""
        self.at += 1
        token = self.next
        if token is None:
            raise Failure("a script is missing")
        low = self.at
        if token.kind == "{":
            close = self.partner[self.at]
            self.at = close + 1
            if low + 1 == close:
                raise Failure("a script is empty")
            return low + 1, close
        if token.kind == "operator" and token.value in ("+", "-", "*"):
            self.at += 1  # e^-0.5; W^* is a name
            if token.value == "*" or self.next is None or self.next.kind not in ("number", "name", "open", "{"):
                return low, self.at
            token = self.tokens[self.at]
        self.one_script(token)
        return low, self.at

    def one_script(self, token: Token) -> None:
        """Move behind a script without braces: one sign in LaTeX, one operand in plain text."""
        if token.kind == "{" or (token.kind == "open" and self.plain):
            self.at = self.partner[self.at] + 1
        elif token.kind == "open":
            raise Failure(f"^{token.text}: a script without braces")
        elif token.kind in ("command", "function"):
            self.deeper(lambda: self.postfix(self.atom(), power=False))
        elif token.kind in ("number", "name", "constant", "text", "infinity", "prime", "dots"):
            self.at += 1
            while token.kind == "prime" and self.peek("prime"):
                self.at += 1
            if self.plain and self.peek("script"):
                self.at += 1
        else:
            raise Failure("a script is missing")

    def subscript(self, node: Node) -> Node:
        """The node with the subscript here."""
        low, high = self.script()
        end = self.tokens[self.at - 1].end
        if sum(token.kind == "_" for token in self.tokens[low:high]) > MAX_NESTED:
            raise Failure("subscripts of subscripts of subscripts")
        sub = script_text(self.tokens[low:high])
        if isinstance(node, Constant):
            return Name(node.start, end, node.name, sub)
        if isinstance(node, Text):
            return Name(node.start, end, node.key, sub, words=True)
        if isinstance(node, Name):
            if node.sub:
                raise Failure("two subscripts")
            return replace(node, end=end, sub=sub)
        if isinstance(node, Transpose) and isinstance(node.inner, Name) and not node.inner.sub:
            return Transpose(node.start, end, replace(node.inner, end=end, sub=sub))
        if isinstance(node, Power):
            if isinstance(node.base, Name) and not node.base.sub:
                return replace(node, end=end, base=replace(node.base, end=end, sub=sub))
            raise Failure("a subscript behind a power")
        return _with_shape_or_index(node, sub, end)

    def superscript(self, node: Node) -> Node:
        """The node with the superscript here: transposed, a name with a label, or a power."""
        low, high = self.script()
        end = self.tokens[self.at - 1].end
        inside = self.tokens[low:high]
        label = script_text(inside)
        self.require_braces(low, inside)
        if not isinstance(node, (Number, Constant)) and is_transpose(label):
            return Transpose(node.start, end, node)
        if label in ("t", "⊺") and isinstance(node, _BIG):
            return Transpose(node.start, end, node)
        if isinstance(node, Text):
            node = Name(node.start, node.end, node.key, words=True)
        if isinstance(node, Name) and (named := self.name_superscript(node, low, high, end)) is not None:
            return named
        return self.power(node, low, high, end)

    def require_braces(self, low: int, inside: Sequence[Token]) -> None:
        """Refuse x^10 in LaTeX, where one digit is raised; e^0.7 is clear, since nobody writes .7 as a factor."""
        braced = self.tokens[low - 1].kind == "{"
        last = inside[-1]
        if not self.plain and not braced and last.kind == "number" and len(last.text) > 1 and "." not in last.text:
            raise Failure(f"^{last.text} without braces raises one digit only")

    def name_superscript(self, node: Name, low: int, high: int, end: int) -> Node | None:
        """The name with a label or primes above it, transposed if the last of them is a T; None for an exponent."""
        inside = self.tokens[low:high]
        if all(t.kind == "prime" for t in inside):
            return replace(node, end=end, primes=node.primes + sum(t.value for t in inside))
        if len(inside) > 1 and inside[-1].kind == "name" and inside[-1].value in ("T", "⊤"):
            if all(t.kind == "prime" for t in inside[:-1]):
                primes = node.primes + sum(t.value for t in inside[:-1])
                return Transpose(node.start, end, replace(node, end=end, primes=primes))
            if _labels(node, inside[:-1]):
                return Transpose(node.start, end, replace(node, end=end, sup=script_text(inside[:-1])))
        bracketed = inside[0].kind == "open" and inside[0].text == "(" and self.partner[low] == high - 1
        if bracketed and self.plain and inside[1].kind == "number":
            return None
        label = inside[1:-1] if bracketed else inside
        if node.sup or not _labels(node, label):
            return None
        if not bracketed and all(t.kind == "number" for t in inside) and node.base not in NUMBERED:
            return None
        return replace(node, end=end, sup=script_text(label))

    def power(self, base: Node, low: int, high: int, end: int) -> Node:
        """The power of a base; a tower of them is refused."""
        exponent = self.within(low, high, self.over)
        below = [node for node in walk(exponent) if isinstance(node, Power)]
        tall = any(isinstance(node, Power) for power in below for node in walk(power.exponent))
        if tall or (below and not isinstance(base, Constant)):
            raise Failure("a tower of powers")
        return Power(base.start, end, base, exponent)

    def unicode_script(self, node: Node, token: Token) -> Node:
        """The node with a script of Unicode letters: Kᵀ, x₁, 10⁻³."""
        where, label = token.value
        if where == "_":
            if isinstance(node, Constant):
                return Name(node.start, token.end, node.name, label)
            if isinstance(node, Text):
                return Name(node.start, token.end, node.key, label, words=True)
            if isinstance(node, Name):
                return replace(node, end=token.end, sub=node.sub + label)
            return Indexed(node.start, token.end, node, label)
        if label == "T" or (label == "t" and isinstance(node, _BIG)):
            return Transpose(node.start, token.end, node)
        digits = label.lstrip("+-")
        if digits.isdecimal() and len(label) <= len(digits) + 1:
            start = token.end - len(digits)
            made = number_token(self.text[start : token.end], start, token.end, 0, digits)
            if made.kind == "stray":
                raise Failure(str(made.value))
            exponent = made.value if label[0] != "-" else Neg(token.start, token.end, made.value)
            return Power(node.start, token.end, node, exponent)
        if isinstance(node, Name) and not node.sup:
            return replace(node, end=token.end, sup=label)
        raise Failure(f"the superscript {token.text} is not read")


class _TwoDigits(Failure):
    r"""The two arguments of \frac12, which are one number among the tokens."""

    def __init__(self, first: Node, second: Node) -> None:
        self.pair = first, second
        super().__init__("\\frac needs {..}")


def _with_shape_or_index(node: Node, sub: str, end: int) -> Node:
    """A matrix with its shape below it, as it is; an entry of something else."""
    if isinstance(node, Matrix) and sub == f"{node.shape[0]}×{node.shape[1]}":
        return node
    if isinstance(node, Number):
        raise Failure("a subscript behind a number")
    return Indexed(node.start, end, node, sub)


def _is_mixed(left: Node, right: Node) -> bool:
    """Whether a whole number stands beside a fraction of numbers."""
    fraction = isinstance(right, Quotient) and isinstance(right.above, Number) and isinstance(right.below, Number)
    return fraction and isinstance(left, Number) and bool(left.value.q == 1)


def _times(left: Node, right: Node, sign: ProductSign) -> Node:
    if isinstance(left, Product):
        return Product(left.start, right.end, (*left.factors, right), (*left.signs, sign))
    return Product(left.start, right.end, (left, right), (sign,))


def _is_label(inside: Sequence[Token]) -> bool:
    return (
        bool(inside)
        and all(t.kind in ("name", "text", "number", ",", "function", "constant") for t in inside)
        and (inside[0].kind != "constant" or len(inside) > 1)
    )


def _labels(node: Name, inside: Sequence[Token]) -> bool:
    """Whether a script is a label of the name: letters and digits, and for a weight matrix another name, W^{Q_1}."""
    if node.base == "W" and inside and inside[0].kind in ("name", "text"):
        inside = [t for t in inside if t.kind not in ("_", "{", "}")]
    return _is_label(inside)


def script_text(tokens: Sequence[Token]) -> str:
    """A script as one spelling: fonts, spaces and braces dropped.

    >>> script_text([Token("name", "i", 0, 1, 0, "i"), Token(",", ",", 1, 2), Token("number", "2", 3, 4, 1)])
    'i,2'
    """
    parts = []
    for token in tokens:
        if token.kind in ("{", "}", "quad"):
            continue
        if token.kind == "operator":
            parts.append(str(token.value))
        elif token.kind == "name" and isinstance(token.value, str):
            parts.append(token.value)
        elif token.kind == "name" and isinstance(token.value, Name):
            parts.append(token.value.key)
        elif token.kind == "prime":
            parts.append("'")
        elif token.kind == "dots":
            parts.append("…")
        elif token.kind == "relation":
            parts.append(token.value[0])
        else:
            parts.append(token.text.strip())
    return "".join(parts)
