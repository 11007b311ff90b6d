r"""The only door to latex2sympy2: LaTeX of one real number in, its exact value out.

Arrives: a formula such as `\frac{e^{\sqrt{3}}}{2}`. Leaves: a real SymPy expression, or a refusal that names the
place. The formula is first read here against an allow-list and written out again with nothing left to guess: every
product has its sign, every argument its braces, every name and e are placeholders, and so is every bracket, whose
inside is a formula of its own. latex2sympy2 turns each of these short formulas into an unevaluated tree, and the
trees are evaluated, innermost first, within the bounds of `symattn.numbers.bounded`. `latex_leaves` admits more
functions by the same steps, and leaves the trees to others.
"""

from __future__ import annotations

import re
import sys
import unicodedata
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import md5
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import module_from_spec, spec_from_file_location
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Final, TextIO

from symattn.errors import ReadError, quoted
from symattn.numbers.bounded import GREEK, as_sympy, is_name, rebuild, symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import sympy

    from symattn.numbers.bounded import Value

MAX_TEXT: Final = 4_000
MAX_DEPTH: Final = 60
MAX_DIGITS: Final = 1_300
MAX_PIECES: Final = 2_500
MAX_TERMS: Final = 300
EXPECTED: Final = r"LaTeX of a number, such as \frac{1}{3}, 2\sqrt{3} or e^{-1/2}"

_SPACING: Final = frozenset({r"\,", r"\;", r"\:", r"\!", "\\ ", "\\\n"})
_FRACTIONS: Final = frozenset({r"\frac", r"\tfrac", r"\dfrac"})
_TIMES: Final = frozenset({r"\cdot", r"\times", "*"})
_SINGLE: Final = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\\variable\{\w+\}|\\pi )")
_CDOT: Final = r"\cdot"
_OVER: Final = frozenset({r"\div", "/"})
_UPRIGHT: Final = frozenset({r"\mathrm", r"\mathit"})
_IN_SUBSCRIPT: Final = _UPRIGHT | {r"\text"}
_GREEK: Final = frozenset("\\" + name for name in GREEK if name not in ("pi", "omicron")) | frozenset(
    "\\" + name.capitalize()
    for name in ("gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega")
)
INDEXED_ROOT: Final = r"\sqrt[]"
_COMMANDS: Final = (
    _FRACTIONS | _TIMES | _OVER | _IN_SUBSCRIPT | _GREEK | {r"\sqrt", r"\pi", r"\exp", r"\left", r"\right"}
)
_SAME: Final = str.maketrans({"−": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/"})


def read_latex(text: str) -> sympy.Expr:
    r"""The exact value of LaTeX for one real number; letters stay symbols, `d_k` a positive one.

    Letters side by side multiply. A mixed number, a power of a power, digits side by side, a product without a sign
    after a slash, and every command that is not listed are refused.
    Raises: ReadError, naming the column, for what cannot be read, has no finite real value, or passes the bounds.

    >>> read_latex(r"\frac{2+10e^{\sqrt{3}}}{1+e^{\sqrt{3}}}")
    (2 + 10*exp(sqrt(3)))/(1 + exp(sqrt(3)))
    """
    if len(text) > MAX_TEXT:
        raise ReadError(f"a formula of {len(text)} characters", expected=f"at most {MAX_TEXT}")
    plain = Rewriter(text).rewrite()
    values = {hashed(place): _value_of(name) for place, name in plain.names.items()}
    try:
        for place, piece in plain.pieces.items():
            values[hashed(place)] = rebuild(unevaluated(piece), values)
        return as_sympy(values[hashed(plain.whole)])
    except ReadError as error:
        raise ReadError(f"{quoted(text)}: {error.problem}", expected=EXPECTED) from None
    except RecursionError as error:
        raise refusal(text, "latex2sympy2 cannot read this") from error


def unevaluated(piece: str) -> Any:
    r"""The tree that latex2sympy2 makes of one piece that a `Rewriter` wrote, not evaluated; ReadError for none.

    >>> unevaluated(r"\frac{1}{2}").args
    (1, 1/2)
    """
    try:
        return _library().tree(piece)
    except (_Unread, RecursionError) as error:
        raise ReadError("latex2sympy2 cannot read this") from error


# Tokens


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of LaTeX: kind `number`, `letter`, `command`, `end`, or the sign itself; `spaced` if after a space."""

    kind: str
    text: str
    column: int
    spaced: bool = False


_TOKEN: Final = re.compile(
    r"(?P<number>[1-9][0-9]{0,2}(?:(?:\{,\}|\\,)[0-9]{3}(?![0-9]))+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<letter>[A-Za-zπ])"
    r"|(?P<command>\\(?:[A-Za-z]+|.))"
    r"|(?P<sign>[-+*/^_(){}|])",
    re.DOTALL,
)
_GROUPING: Final = re.compile(r"\{,\}|\\,")
_INDEX: Final = re.compile(r"\s{0,3}\[\s{0,3}([0-9]{1,2})\s{0,3}\]")


def _tokens(text: str, commands: frozenset[str], passed_over: frozenset[str]) -> Iterator[Token]:
    plain = text.translate(_SAME)
    at, spaced = 0, False
    while at < len(plain):
        if plain[at] in " \t\r\n\u00a0\u2009\u202f":
            at, spaced = at + 1, True
            continue
        match = _TOKEN.match(plain, at)
        if match is None:
            raise refusal(text, _unknown(plain[at]), at + 1)
        kind, found, end = str(match.lastgroup), match.group(), match.end()
        if found == "|" and "|" not in commands:
            raise refusal(text, _unknown(found), at + 1)
        if found == r"\sqrt" and INDEXED_ROOT in commands and (index := _INDEX.match(plain, end)):
            found, end = rf"\sqrt[{index[1]}]", index.end()
        elif kind == "command" and found not in commands | passed_over:
            raise refusal(text, f"unknown command {found}", at + 1)
        if kind == "command" and found in passed_over:
            spaced = True
        else:
            yield Token(found if kind == "sign" else kind, found, at + 1, spaced)
            spaced = False
        at = end
    yield Token("end", "", len(text) + 1)


def _unknown(character: str) -> str:
    if character.isascii() and character.isprintable():
        return f"{character} has no meaning here"
    return f"{character} ({unicodedata.name(character, f'U+{ord(character):04X}')}) has no meaning here"


# Rewriting


@dataclass(frozen=True, slots=True)
class Plain:
    """A formula with nothing left to guess: what its placeholders are, names or pieces, inner ones first."""

    names: Mapping[str, str]
    pieces: Mapping[str, str]
    whole: str


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor written out, with what its neighbours need to know: its kind, and whether a bare number."""

    text: str
    kind: str = "other"


class Rewriter:
    """Recursive descent over the tokens: each rule checks what stands there and gives it back written out."""

    commands: ClassVar[frozenset[str]] = _COMMANDS
    passed_over: ClassVar[frozenset[str]] = _SPACING

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text, self.commands, self.passed_over))
        self.at = 0
        self.depth = 0
        self.names: dict[str, str] = {}
        self.pieces: dict[str, str] = {}
        self.in_exponent = False
        if len(self.tokens) > MAX_PIECES:
            raise refusal(text, f"more than {MAX_PIECES} pieces")

    @property
    def next(self) -> Token:
        """The token here, the end among them."""
        return self.tokens[self.at]

    def refuse(self, why: str, at: Token | None = None) -> ReadError:
        """The error that says why, and at which column."""
        return refusal(self.text, why, (at or self.next).column)

    def take(self, *texts: str) -> Token | None:
        """The token here if it is one of these, and go on behind it."""
        if self.next.kind == "end" or self.next.text not in texts:
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def need(self, text: str, why: str) -> None:
        """Go on behind this sign, or refuse."""
        if not self.take(text):
            raise self.refuse(why)

    def deeper(self, rule: Callable[[], str]) -> str:
        """What a rule writes one level down: as it is if it is single, else as a piece of its own."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse(f"brackets deeper than {MAX_DEPTH}")
        written = rule()
        self.depth -= 1
        return written if _SINGLE.fullmatch(written) else rf"\variable{{{self.piece(written)}}}"

    def piece(self, written: str) -> str:
        """The place of a formula that is parsed on its own: the time of the parser grows fast with the depth."""
        place = f"q{len(self.pieces)}"
        self.pieces[place] = written
        return place

    def place(self, name: str) -> str:
        r"""The placeholder of a name: `\variable` is one token to latex2sympy2, whatever stands around it."""
        return rf"\variable{{{self.names.setdefault(name, f'p{len(self.names)}')}}}"

    def rewrite(self) -> Plain:
        """The whole formula, written out; ReadError for what is left over."""
        written = self.sum()
        if self.next.kind != "end":
            raise self.refuse(f"left-over input at {quoted(self.text[self.next.column - 1 :])}")
        whole = self.piece(written)
        return Plain({place: name for name, place in self.names.items()}, self.pieces, whole)

    def sum(self) -> str:
        """Terms with signs between."""
        written = [self.product()]
        while sign := self.take("+", "-"):
            self.count(written)
            written.append(f"{sign.text} {self.product()}")
        return " ".join(written)

    def count(self, written: list[str]) -> None:
        """Refuse one part too many: latex2sympy2 descends once for each."""
        if len(written) >= MAX_TERMS:
            raise self.refuse(f"more than {MAX_TERMS} terms or factors")

    def product(self) -> str:
        """Factors with signs between, or side by side where that can only be a product."""
        left = self.signed()
        written = [left.text]
        divided = False
        while True:
            self.count(written)
            if sign := self.take(*_TIMES, *_OVER):
                divided = sign.text in _OVER
                right = self.signed()
                written.append(f"{'/' if divided else _CDOT} {right.text}")
            elif self.starts_factor():
                if divided:
                    raise self.refuse("a product without a sign after a division is ambiguous, write brackets")
                start = self.next
                right = self.powered()
                self.check_neighbours(left, right, start)
                written.append(f"{_CDOT} {right.text}")
            else:
                return " ".join(written)
            left = right

    def starts_factor(self) -> bool:
        """Whether a factor without a sign before it may begin here."""
        token = self.next
        if token.kind == "command":
            return token.text not in (r"\right", *_TIMES, *_OVER)
        return token.kind in ("number", "letter", "(", "{")

    def check_neighbours(self, left: Factor, right: Factor, start: Token) -> None:
        r"""Refuse what reads in two ways: `2 3`, `x_1 2`, `3\frac{1}{2}`, `2E`, `1.5e-3`."""
        if start.kind == "number":
            raise self.refuse("a number right after a factor: write the sign between them", start)
        if left.kind == "number" and right.kind == "ratio":
            raise self.refuse("a mixed number or a product? write + or \\cdot", start)
        if left.kind == "number" and start.text in ("e", "E") and right.kind == "letter":
            signed = self.next.kind in ("+", "-") and not self.next.spaced
            if start.text == "E" or self.next.kind == "number" or signed:
                raise self.refuse("a power of ten or a product? write \\times 10^{…} or \\cdot", start)

    def signed(self) -> Factor:
        """A factor with its signs, which are joined to one."""
        signs = ""
        while sign := self.take("+", "-"):
            signs = "" if signs == sign.text == "-" else "-" if "-" in (signs, sign.text) else ""
        factor = self.powered()
        return Factor(signs + factor.text, factor.kind)

    def powered(self) -> Factor:
        """An atom with its exponent."""
        base = self.atom()
        if self.next.kind == "_":
            raise self.refuse("a subscript belongs to a letter and is not nested")
        if self.next.kind != "^":
            return base
        hat = self.next
        self.at += 1
        natural = base.kind == "letter" and base.text == self.place("e")
        if self.in_exponent and not natural:
            raise self.refuse("a power in an exponent: a power tower is not read", hat)
        outer, self.in_exponent = self.in_exponent, self.in_exponent or not natural
        exponent = self.exponent()
        self.in_exponent = outer
        if self.next.kind == "^":
            raise self.refuse("a power of a power is ambiguous, write brackets")
        return Factor(f"{base.text}^{{{exponent}}}", "ratio" if base.kind == "ratio" else "other")

    def exponent(self) -> str:
        """What stands above: in braces, or one character."""
        return self.braced() if self.next.kind == "{" else self.single("^")

    def single(self, command: str) -> str:
        """The one character, or one letter of a command, that TeX takes as an argument without braces."""
        token = self.next
        if token.kind == "number" and len(token.text) == 1:
            self.at += 1
            return token.text
        if token.kind == "letter" or (token.kind == "command" and token.text in _GREEK | {r"\pi"}):
            return self.letter()
        raise self.refuse(f"{command} without braces takes one character: write {command}{{…}}")

    def braced(self) -> str:
        """What stands in braces."""
        self.need("{", "a brace { is missing")
        written = self.deeper(self.sum)
        self.need("}", "a brace } is missing")
        return written

    def atom(self) -> Factor:
        """A number, a letter, a bracket, a fraction, a root or an exponential."""
        token = self.next
        if token.kind == "number":
            return self.number()
        if token.kind == "letter" or (token.kind == "command" and token.text in _GREEK | _UPRIGHT | {r"\pi"}):
            return self.word()
        if token.kind == "{":
            return self.braced_letter()
        if token.kind == "(" or token.text == r"\left":
            return Factor(self.bracket(), "bracket")
        if token.text in _FRACTIONS:
            return self.fraction()
        if self.take(r"\sqrt"):
            inner = self.argument(r"\sqrt")
            return Factor(rf"\sqrt{{{inner}}}")
        if self.take(r"\exp"):
            inner = self.braced() if self.next.kind == "{" else self.bracket()
            return Factor(f"({self.place('e')}^{{{inner}}})")
        raise self.refuse("something is missing" if token.kind == "end" else f"{token.text} is misplaced")

    def number(self) -> Factor:
        """A number without what groups its digits."""
        token = self.next
        self.at += 1
        digits = _GROUPING.sub("", token.text)
        if len(digits) > MAX_DIGITS:
            raise self.refuse(f"a number of {len(digits)} digits", token)
        return Factor("0" + digits if digits.startswith(".") else digits, "number")

    def word(self) -> Factor:
        """One letter, where letters side by side are a product, but three of them, or two before a bracket, a word."""
        run = 0
        while self.tokens[self.at + run].kind == "letter" and not (run and self.tokens[self.at + run].spaced):
            run += 1
        after = self.tokens[self.at + run]
        if run > 2 or (run == 2 and (after.kind == "(" or after.text == r"\left")):
            word = "".join(token.text for token in self.tokens[self.at : self.at + run])
            raise self.refuse(f"{word} is a word, no product")
        upright = self.next.text in _UPRIGHT
        factor = Factor(self.letter(), "letter")
        if upright and (self.next.kind == "(" or self.next.text == r"\left"):
            raise self.refuse("a function that is not read, or a product? write \\cdot")
        return factor

    def letter(self) -> str:
        """One letter with its subscript, as a placeholder, or pi."""
        token = self.next
        self.at += 1
        upright = token.text in _UPRIGHT
        name = self.letters_in_braces(token.text) if upright else token.text.removeprefix("\\")
        if name in ("pi", "π"):
            if self.next.kind == "_":
                raise self.refuse("pi takes no subscript")
            return r"\pi "
        return self.place(self.subscripted(name, token))

    def subscripted(self, name: str, token: Token) -> str:
        """A name with its subscript."""
        if self.next.kind == "_":
            self.at += 1
            name = f"{name}_{self.subscript()}"
        # a plain e is the base of the exponential; e_1 is a name
        if name != "e" and not is_name(name):
            raise self.refuse(f"{name} is no name", token)
        return name

    def subscript(self) -> str:
        """A subscript: letters and digits, nothing nested."""
        token = self.next
        if token.kind == "{":
            return self.letters_in_braces("_")
        if token.kind == "letter" or (token.kind == "number" and token.text.isdigit() and len(token.text) == 1):
            self.at += 1
            return token.text
        if token.text in _IN_SUBSCRIPT:
            self.at += 1
            return self.letters_in_braces(token.text)
        raise self.refuse("_ without braces takes one character: write _{…}")

    def letters_in_braces(self, command: str) -> str:
        """The letters and digits in braces behind a command."""
        self.need("{", f"{command} needs {{…}}")
        if command == "_" and self.next.text in _IN_SUBSCRIPT:
            self.at += 1
            inner = self.letters_in_braces(self.tokens[self.at - 1].text)
        else:
            inner = ""
            while self.next.kind in ("letter", "number"):
                inner += self.next.text
                self.at += 1
        self.need("}", "only letters and digits stand here, and nothing is nested")
        if not re.fullmatch("[A-Za-z0-9]+", inner):
            raise self.refuse("only letters and digits stand here")
        return inner

    def braced_letter(self) -> Factor:
        """A letter in braces of its own, with a subscript behind them."""
        self.need("{", "a brace { is missing")
        if self.next.kind not in ("letter", "command"):
            raise self.refuse("braces around anything but one letter do not show: write ( )")
        token = self.next
        self.at += 1
        if token.kind == "command" and token.text not in _GREEK:
            raise self.refuse("braces around anything but one letter do not show: write ( )", token)
        self.need("}", "braces around anything but one letter do not show: write ( )")
        name = token.text.removeprefix("\\")
        if name == "π":
            return Factor(r"\pi ", "letter")
        return Factor(self.place(self.subscripted(name, token)), "letter")

    def bracket(self) -> str:
        """What stands in round brackets, of any size."""
        tall = bool(self.take(r"\left"))
        self.need("(", "only ( ) brackets are read" if tall else "a bracket ( is missing")
        inner = self.deeper(self.sum)
        if tall:
            self.need(r"\right", r"\left( is closed by \right)")
        self.need(")", "a bracket is not closed")
        return f"({inner})"

    def fraction(self) -> Factor:
        """A fraction."""
        self.at += 1
        if self.next.kind == "number" and not self.next.spaced and len(self.next.text) > 1:
            top, bottom = self.two_digits()
        else:
            top, bottom = self.argument(r"\frac"), self.argument(r"\frac")
        whole = top.isdigit() and bottom.isdigit()
        return Factor(rf"\frac{{{top}}}{{{bottom}}}", "ratio" if whole else "other")

    def two_digits(self) -> tuple[str, str]:
        r"""The numerator and the denominator of `\frac12`."""
        token = self.next
        if not (token.text.isdigit() and len(token.text) == 2):
            raise self.refuse(r"\frac without braces takes two characters: write \frac{…}{…}")
        self.at += 1
        return token.text[0], token.text[1]

    def argument(self, command: str) -> str:
        """The argument of a command: in braces, or one character."""
        if self.next.kind == "{":
            return self.braced()
        if self.next.kind == "(":
            raise self.refuse(f"{command} needs {{…}}")
        return self.single(command)


def _value_of(name: str) -> Value:
    import sympy

    return sympy.E if name == "e" else symbol(name)


# latex2sympy2


class _Unread(Exception):  # noqa: N818
    """The grammar did not fit; never leaves this module."""


def hashed(place: str) -> str:
    r"""The name of the symbol that latex2sympy2 makes of `\variable{place}`."""
    return place + md5(place.encode(), usedforsecurity=False).hexdigest()


_LOCK: Final = RLock()
"""One at a time: loading borrows names in `sys.modules`, and the parser shares its cache."""


class _Library:
    """A copy of latex2sympy2 of our own: nothing that others make it remember reaches us, nor the other way."""

    PARSES_PER_CACHE: Final = 2_000
    """The parser's cache speeds it up fifty-fold, but grows for ever: it is dropped now and then."""

    def __init__(self, converter: ModuleType) -> None:
        import antlr4

        self._convert = converter.convert_expr
        self._lexer = converter.PSLexer
        self._parser = converter.PSParser
        self._antlr = antlr4
        self._parses = 0
        self._cache: tuple[Any, Any] = (None, None)

    def tree(self, written: str) -> Any:
        """The unevaluated tree of a formula; raises _Unread unless all of it was consumed."""
        with _LOCK:
            listener = _listener()
            lexer = self._lexer(self._antlr.InputStream(written))
            tokens = self._antlr.CommonTokenStream(lexer)
            parser = self._parser(tokens)
            for part in (lexer, parser):
                part.removeErrorListeners()
                part.addErrorListener(listener)
            parser._interp = self._simulator(parser)  # noqa: SLF001
            found = parser.expr()
            if tokens.LA(1) != self._antlr.Token.EOF:
                raise _Unread
            return self._convert(found)

    def _simulator(self, parser: Any) -> Any:
        from antlr4.atn.ParserATNSimulator import ParserATNSimulator
        from antlr4.atn.PredictionMode import PredictionMode
        from antlr4.dfa.DFA import DFA
        from antlr4.PredictionContext import PredictionContextCache

        if self._parses % self.PARSES_PER_CACHE == 0:
            states = [DFA(state, i) for i, state in enumerate(parser.atn.decisionToState)]
            self._cache = (states, PredictionContextCache())
        self._parses += 1
        simulator = ParserATNSimulator(parser, parser.atn, *self._cache)
        # the full mode takes quadratic time; what the rewriter writes does not need its lookahead
        simulator.predictionMode = PredictionMode.SLL
        return simulator


def _listener() -> Any:
    from antlr4.error.ErrorListener import ErrorListener

    class Listener(ErrorListener):  # type: ignore[misc]
        def syntaxError(self, *_: object) -> None:
            raise _Unread

    return Listener()


@cache
def _library() -> _Library:
    """The library, loaded once from its own place.

    Its wheel installs a top-level package `gen`: an ordinary import would run a folder of that name in the current
    directory instead. Nothing of it stays in `sys.modules`.
    """
    with _LOCK:
        return _Library(_loaded(_home()))


def _loaded(home: Path) -> ModuleType:
    gen = _module("gen", home / "gen" / "__init__.py", package=True)
    converter = _module("latex2sympy2", home / "latex2sympy2.py")
    # antlr 4.7.2 imports typing.io, gone in Python 3.13 and deprecated before
    typing_io = ModuleType("typing.io")
    typing_io.TextIO = TextIO  # type: ignore[attr-defined]
    with _standing_in({"gen": gen, "typing.io": typing_io}):
        for module in (gen, converter):
            _run(module)
    return converter


def _home() -> Path:
    from pathlib import Path

    try:
        return Path(str(distribution("latex2sympy2").locate_file("")))
    except PackageNotFoundError as error:
        raise ReadError("latex2sympy2 is not installed", hint="Run pip install latex2sympy2==1.9.1.") from error


def _module(name: str, path: Path, *, package: bool = False) -> ModuleType:
    inside = [str(path.parent)] if package else None
    spec = spec_from_file_location(name, path, submodule_search_locations=inside)
    if spec is None:
        raise ReadError(f"{name} cannot be loaded")
    return module_from_spec(spec)


def _run(module: ModuleType) -> None:
    spec = module.__spec__
    if spec is None or spec.loader is None:
        raise ReadError(f"{module.__name__} cannot be loaded")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in its strings
        spec.loader.exec_module(module)


@contextmanager
def _standing_in(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """These modules, and no submodules of others with their names, for as long as the block runs."""

    def ours(name: str) -> bool:
        return any(name == known or name.startswith(known + ".") for known in modules)

    kept = {name: sys.modules.pop(name) for name in [*sys.modules] if ours(name)}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in [*sys.modules]:
            if ours(name):
                del sys.modules[name]
        sys.modules.update(kept)


def refusal(text: str, why: str, column: int = 0) -> ReadError:
    """The error for a formula that is not read, with the column where that is known."""
    place = f" at column {column}" if column else ""
    return ReadError(f"{quoted(text)}: {why}{place}", expected=EXPECTED)
