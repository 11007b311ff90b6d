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
from functools import reduce
from keyword import iskeyword
from math import isqrt, log2
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flint import arb, ctx, fmpq, fmpz

from symattn.errors import ReadError, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    import sympy

    Value: TypeAlias = fmpq | sympy.Expr

MAX_TEXT: Final = 1_000
MAX_DEPTH: Final = 50
MAX_BITS: Final = 4_096
MAX_ROOT_BITS: Final = 1_024
"""Of a number under an irrational root: SymPy looks for its square factors."""
MAX_INNER_DEGREE: Final = 8
MAX_INNER_EXPONENT: Final = 100
"""Of letters and of e in a root or an exponential of letters: SymPy solves polynomials to learn about signs."""
MAX_NODES: Final = 5_000
MAX_EXPONENT_DIGITS: Final = 6
EXPECTED: Final = 'a number such as 2, 0.1, "1/3", "sqrt(2)", or a letter'

GREEK: Final = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
_GREEK_LETTERS: Final = {
    **{chr(0x3B1 + i + (i > 16)): name for i, name in enumerate(GREEK)},
    **{chr(0x391 + i + (i > 16)): name.capitalize() for i, name in enumerate(GREEK)},
    "ς": "sigma", "ϵ": "epsilon", "ϑ": "theta", "ϕ": "phi", "ϱ": "rho",
}  # fmt: skip
_NOT_NAMES: Final = frozenset({"nan", "inf", "infinity", "oo", "true", "false", "none", "null", "sqrt", "exp"})
_ANY_SIGN: Final = frozenset({-1, 0, 1})
_NAME: Final = re.compile(r"[A-Za-z]+[0-9]*(?:_[A-Za-z0-9]+)?")


def read_number(found: object, *, latex: Callable[[str], object] | None = None) -> Value:
    r"""The exact value of `found`: a `fmpq` when it is rational, else a real SymPy expression.

    Text follows a small grammar: + - * / ^ ** ( ), decimals, sqrt, √, exp, e, pi and names. Python and NumPy
    floats count as the decimal that they print. `d_k` is a positive symbol, every other name a real one. Text
    with a backslash is handed to `latex`.
    Raises: ReadError for anything else, for a value that is no finite real number, and beyond the bounds.

    >>> read_number("1/3"), read_number(0.1), read_number("sqrt(9/4)"), read_number("2*sqrt(3)/3")
    (1/3, 1/10, 3/2, 2*sqrt(3)/3)
    """
    if isinstance(found, str):
        return _read_text(str(found), latex)
    if (rational := _read_rational(found)) is not None:
        return _checked(found, lambda: _bounded(rational))
    # a SymPy object cannot arrive before SymPy was imported: do not import it to ask
    library = sys.modules.get("sympy")
    if library is not None and isinstance(found, library.Basic):
        return _checked(found, lambda: rebuild(found))
    raise _refusal(found, f"a {type(found).__name__} is none")


def read_positive(found: object, *, latex: Callable[[str], object] | None = None) -> Value:
    """The exact value of `found`, proven to be positive; a bare letter becomes a positive symbol of its name.

    Raises: ReadError as `read_number` does, when the value is not positive, and when that cannot be decided.

    >>> read_positive("n").is_positive, read_positive(64)
    (True, 64)
    """
    expected = "a positive number"
    value = read_number(found, latex=latex)
    if isinstance(value, fmpq):
        if value > 0:
            return value
        raise ReadError(f"found {_shown(found)}", expected=expected)
    if value.is_Symbol:
        return symbol(value.name, positive=True)
    signs = _signs(value)
    if signs == {1}:
        return value
    if 1 in signs:
        hint = "Write it another way, or give a number."
        raise ReadError(f"whether {_shown(found)} is positive is undecided", expected=expected, hint=hint)
    raise ReadError(f"found {_shown(found)}", expected=expected)


# numbers of other libraries


def _read_rational(found: object) -> fmpq | None:
    """The value of a rational number of Python, flint or NumPy; None for other objects."""
    if isinstance(found, bool):
        raise _refusal(found, "true and false are none")
    if isinstance(found, (int, fmpz)):
        return fmpq(found)
    if isinstance(found, fmpq):
        return found
    if isinstance(found, Fraction):
        return fmpq(found.numerator, found.denominator)
    if isinstance(found, Decimal):
        return _decimal(found, found)
    if isinstance(found, float):
        return _decimal(found, Decimal(float.__repr__(found)))
    if any(base.__module__ == "numpy" and base.__name__ == "generic" for base in type(found).__mro__):
        return _read_numpy(found)
    return None


def _read_numpy(found: Any) -> fmpq | None:
    inner = found.item()
    if isinstance(inner, (bool, int)):
        return _read_rational(inner)
    kind = found.dtype.kind
    # float32(0.1).item() is the double 0.10000000149…; its own text is the shortest one, 0.1
    return _decimal(found, Decimal(str(found))) if kind == "f" else None


def _decimal(found: object, value: Decimal) -> fmpq:
    if not value.is_finite():
        raise _refusal(found, "it is not finite")
    _, digits, exponent = value.as_tuple()
    # 10**n has 3.33 n bits; the value itself is not built before this test
    if len(digits) > MAX_BITS or abs(int(exponent)) * 10 > MAX_BITS * 3:
        raise _refusal(found, f"it needs more than {MAX_BITS} bits")
    return fmpq(*value.as_integer_ratio())


# bounded arithmetic: exact rationals for as long as possible, SymPy afterwards


def as_sympy(value: Value) -> sympy.Expr:
    """The value as a SymPy expression.

    >>> as_sympy(fmpq(1, 2))
    1/2
    """
    if not isinstance(value, fmpq):
        return value
    import sympy

    return sympy.Rational(int(value.p), int(value.q))


def symbol(name: str, *, positive: bool = False) -> sympy.Symbol:
    """The symbol that a name stands for: positive for `d_k` or on demand, else real.

    >>> symbol("d_k").is_positive, symbol("a").is_positive
    (True, None)
    """
    import sympy

    return sympy.Symbol(name, positive=True) if positive or name == "d_k" else sympy.Symbol(name, real=True)


def is_name(name: str) -> bool:
    """Whether a symbol may have this name: letters, digits, one subscript; no keyword, no word for a number.

    >>> is_name("beta_2"), is_name("__import__"), is_name("nan"), is_name("lambda")
    (True, False, False, True)
    """
    if not _NAME.fullmatch(name) or name.lower() in _NOT_NAMES:
        return False
    return name in GREEK or not iskeyword(name)


def add(left: Value, right: Value) -> Value:
    """The sum of two values, within the bounds."""
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return _bounded(left + right)
    return _settle(as_sympy(left) + as_sympy(right))


def multiply(left: Value, right: Value) -> Value:
    """The product of two values, within the bounds."""
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return _bounded(left * right)
    return _settle(as_sympy(left) * as_sympy(right))


def divide(left: Value, right: Value) -> Value:
    """The quotient of two values; a divisor that is zero, or cannot be told from it, is refused."""
    return multiply(left, power(right, fmpq(-1)))


def power(base: Value, exponent: Value) -> Value:
    """The base to a whole or half exponent, or the exponential when the base is e; bounded beforehand."""
    if not isinstance(base, fmpq) and base == _e():
        return exponential(exponent)
    if not isinstance(exponent, fmpq) or exponent.q not in (1, 2):
        raise ReadError("an exponent must be a whole number or 1/2, unless the base is e")
    if exponent.q == 2:
        return power(root(base), fmpq(exponent.p))
    times = int(exponent.p)
    if times == 0 and base == 0:
        raise ReadError("zero to the power zero")
    if times < 0:
        _require_nonzero(base)
    if isinstance(base, fmpq) and base in (0, 1, -1):
        return base if times % 2 else base * base
    if abs(times) > MAX_BITS / _weight(base):
        raise ReadError(f"a power of more than {MAX_BITS} bits")
    if isinstance(base, fmpq):
        return _bounded(base**times)
    return _settle(base**times)


def _sqrt(value: sympy.Expr) -> sympy.Expr:
    import sympy

    return sympy.sqrt(value)


def _exp_class() -> type[Any]:
    import sympy

    return sympy.exp  # type: ignore[no-any-return]


def _pi() -> sympy.Expr:
    import sympy

    return sympy.pi


def _e() -> sympy.Expr:
    import sympy

    return sympy.E


def root(value: Value) -> Value:
    """The square root: rational where it can be; of a negative number, or of one of unknown sign, refused."""
    if isinstance(value, fmpq):
        if value < 0:
            raise ReadError("the square root of a negative number")
        p, q = int(value.p), int(value.q)
        if isqrt(p) ** 2 == p and isqrt(q) ** 2 == q:
            return fmpq(isqrt(p), isqrt(q))
        return _settle(_sqrt(as_sympy(_bounded(value, MAX_ROOT_BITS))))
    signs = _signs(value)
    if signs <= {-1, 0}:
        raise ReadError("the square root of a negative number")
    if signs == _ANY_SIGN and not value.free_symbols:
        raise ReadError("whether a square root is real is undecided")
    if value.free_symbols:
        _require_tame(value)
    return _settle(_sqrt(value))


def exponential(value: Value) -> Value:
    """The exponential of the value; a number beyond 2**64 in the exponent is refused."""
    import sympy

    expression = as_sympy(value)
    if not expression.free_symbols:
        with ctx.workprec(64):
            ball = _ball(expression, {}, {})
            if not abs(ball) < arb(2) ** 64:
                raise ReadError("an exponent of e beyond 2**64")
    else:
        _require_tame(expression)
    return _settle(sympy.exp(expression))


def rebuild(expression: sympy.Basic, values: dict[str, Value] | None = None) -> Value:
    """The value of an expression, built again node by node within the bounds; `values` replace symbols.

    The nodes may be sums, products, powers, exponentials, absolute values, numbers, pi, e and symbols.
    Raises: ReadError for another node, and as the arithmetic above does.
    """
    _require_small(expression, {}, 0)
    done: dict[sympy.Basic, Value] = {}

    def go(node: Any) -> Value:
        if node not in done:
            done[node] = _rebuilt(node, values, go)
        return done[node]

    return go(expression)


def _require_small(node: Any, sizes: dict[Any, int], depth: int) -> int:
    """The nodes that the expression has when written out: shared ones make a few objects a huge tree."""
    if node not in sizes:
        if depth > 2 * MAX_DEPTH:
            raise ReadError("an expression too deep")
        sizes[node] = 1 + sum(_require_small(inner, sizes, depth + 1) for inner in node.args)
        if sizes[node] > MAX_NODES:
            raise ReadError("an expression too long")
    return sizes[node]


def _rebuilt(node: Any, values: dict[str, Value] | None, go: Callable[[Any], Value]) -> Value:
    import sympy

    if node.is_Rational:
        return _bounded(fmpq(int(node.p), int(node.q)))
    if node.is_Float:
        return _decimal(node, Decimal(str(node)))
    if node is sympy.pi or node is sympy.E:
        return node
    if node.is_Symbol:
        return _rebuilt_symbol(node, values)
    if isinstance(node, (sympy.Add, sympy.Mul)):
        return _combine(node.func, [go(inner) for inner in node.args])
    if isinstance(node, sympy.Pow):
        return power(go(node.base), go(node.exp))
    if isinstance(node, sympy.exp):
        return exponential(go(node.exp))
    if isinstance(node, sympy.Abs):
        return _settle(sympy.Abs(as_sympy(go(node.args[0]))))
    raise ReadError(f"{type(node).__name__} is not one of the operations that are read")


def _combine(operation: Callable[..., sympy.Expr], parts: list[Value]) -> Value:
    """A sum or a product of many parts at once: the rational ones first, one by one within the bounds."""
    import sympy

    fold = add if operation is sympy.Add else multiply
    rational = reduce(fold, [part for part in parts if isinstance(part, fmpq)], fmpq(int(fold is multiply)))
    others = [part for part in parts if not isinstance(part, fmpq)]
    return _settle(operation(as_sympy(rational), *others)) if others else rational


def _rebuilt_symbol(node: Any, values: dict[str, Value] | None) -> Value:
    if values is not None and node.name in values:
        return values[node.name]
    import sympy

    if type(node) is not sympy.Symbol or not is_name(node.name):
        raise ReadError(f"{quoted(node)} is not a name")
    if node.is_real is False:
        raise ReadError(f"the symbol {quoted(node)} is not real")
    return node if node.is_real and node.name != "d_k" else symbol(node.name)


def _settle(expression: sympy.Expr) -> Value:
    """The expression as a value, once it is known to be finite, real and within the bounds."""
    import sympy

    if expression.is_Rational:
        return _bounded(fmpq(int(expression.p), int(expression.q)))
    if expression.has(sympy.I):
        raise ReadError("the square root of a negative number")
    if expression.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise ReadError("division by zero")
    for number in expression.atoms(sympy.Rational):
        _bounded(fmpq(int(number.p), int(number.q)))
    for node in expression.atoms(sympy.Pow):
        if node.base.is_Rational and not node.exp.is_Integer:
            _bounded(fmpq(int(node.base.p), int(node.base.q)), MAX_ROOT_BITS)
    return expression


def _bounded(value: fmpq, bits: int = MAX_BITS) -> fmpq:
    if value.height_bits() > bits:
        raise ReadError(f"a number of more than {bits} bits{' under a root' if bits < MAX_BITS else ''}")
    return value


def _weight(value: Value) -> float:
    """About the bits that one more factor of the value adds: those of its numbers, one for other leaves."""
    if isinstance(value, fmpq) or value.is_Rational:
        return log2(max(abs(int(value.p)), int(value.q)))
    if value.is_Pow and value.exp.is_Integer:
        return abs(int(value.exp)) * _weight(value.base)
    return max(1, sum(_weight(inner) for inner in value.args))


def _require_tame(value: sympy.Expr) -> None:
    """Refuse a root or an exponential of letters that SymPy may take minutes over."""
    if _degree(value) > MAX_INNER_DEGREE:
        raise ReadError(f"a root or an exponential of letters to a power beyond {MAX_INNER_DEGREE}")
    with ctx.workprec(64):
        for node in value.atoms(_exp_class()):
            if not node.free_symbols and not abs(_ball(node.exp, {}, {})) < MAX_INNER_EXPONENT:
                raise ReadError(f"a root or an exponential of letters beside e to a power beyond {MAX_INNER_EXPONENT}")


def _degree(node: Any) -> int:
    """How often letters are multiplied in an expression, at most."""
    if node.is_Pow and node.exp.is_Rational:
        return -int(-abs(node.exp) // 1) * _degree(node.base)
    return int(node.is_Symbol) + sum(map(_degree, node.args))


def _require_nonzero(value: Value) -> None:
    if isinstance(value, fmpq):
        if value == 0:
            raise ReadError("division by zero")
    elif not value.free_symbols:
        if _sign(value) is None:
            raise ReadError("a divisor that cannot be told from zero")
    elif not _somewhere_nonzero(value):
        raise ReadError("division by zero, whatever the letters are")


# balls: signs are proven, never guessed


def _sign(value: sympy.Expr) -> int | None:
    """The sign of a number without letters, 1 or -1; None when 4,096 bits do not tell it from zero."""
    for bits in (64, 512, MAX_BITS):
        with ctx.workprec(bits):
            ball = _ball(value, {}, {})
            if ball > 0:
                return 1
            if ball < 0:
                return -1
    return None


def _signs(node: Any) -> frozenset[int]:
    """The signs that an expression may have, letters being any real or positive numbers; too many if in doubt.

    SymPy's own `is_positive` factors polynomials on the way, which can take minutes.
    """
    if node.is_Symbol:
        return frozenset({1}) if node.is_positive else _ANY_SIGN
    if not node.free_symbols:
        sign = _sign(node)
        return _ANY_SIGN if sign is None else frozenset({sign})
    if node.is_Pow:
        signs = _signs(node.base)
        # a root is only taken of what is not negative
        return signs if node.exp.is_Integer and node.exp.is_odd else frozenset(sign * sign for sign in signs)
    if node.is_Mul or node.is_Add:
        return reduce(_product_signs if node.is_Mul else _sum_signs, map(_signs, node.args))
    absolute = not isinstance(node, _exp_class())
    return frozenset(abs(sign) for sign in _signs(node.args[0])) if absolute else frozenset({1})


def _product_signs(left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
    return frozenset(x * y for x in left for y in right)


def _sum_signs(left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
    return frozenset().union(*(_ANY_SIGN if x * y < 0 else {x or y} for x in left for y in right))


def _somewhere_nonzero(value: sympy.Expr) -> bool:
    """Whether some rational values of the letters provably make the expression other than zero."""
    letters = sorted(value.free_symbols, key=str)
    with ctx.workprec(512):
        for shift in range(6):
            points = [fmpq((37 * i + 17 * shift + 5) % 101 + 1, 7 + 2 * shift) for i in range(len(letters))]
            at = {
                letter: arb(point if shift % 2 == 0 or letter.is_positive else -point)
                for letter, point in zip(letters, points, strict=True)
            }
            ball = _ball(value, at, {})
            if ball > 0 or ball < 0:
                return True
    return False


def _ball(node: Any, at: dict[Any, arb], done: dict[Any, arb]) -> arb:
    if node not in done:
        done[node] = _fresh_ball(node, at, done)
    return done[node]


def _fresh_ball(node: Any, at: dict[Any, arb], done: dict[Any, arb]) -> arb:
    import sympy

    if node.is_Rational:
        return arb(fmpq(int(node.p), int(node.q)))
    if node.is_Symbol:
        return at[node]
    if node is sympy.pi:
        return arb.pi()
    if node is sympy.E:
        return arb(1).exp()
    parts = [_ball(inner, at, done) for inner in node.args]
    if node.is_Add or node.is_Mul:
        return sum(parts[1:], parts[0]) if node.is_Add else reduce(lambda x, y: x * y, parts)
    if isinstance(node, sympy.exp):
        return parts[0].exp()
    if isinstance(node, sympy.Abs):
        return abs(parts[0])
    base, exponent = parts[0], node.exp
    if exponent.is_Integer:
        return base ** fmpz(int(exponent))
    return base.sqrt() ** fmpz(int(2 * exponent)) if (2 * exponent).is_Integer else arb("nan")


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


def _read_text(text: str, latex: Callable[[str], object] | None) -> Value:
    if len(text) > MAX_TEXT:
        raise ReadError(f"a text of {len(text)} characters", expected=f"at most {MAX_TEXT}")
    if "\\" in text and latex is not None:
        return read_number(latex(text))
    if not text.strip(_SPACES):
        raise _refusal(text, "it is empty")
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
            raise _refusal(text, _unknown(plain, at), at + 1)
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
    if character == "\\":
        return "LaTeX is not read here"
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
        return _refusal(self.text, why, self.next.column)

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
        return _checked(self.text, lambda: _bounded(_decimal(self.text, Decimal(token.text))))

    def name(self, token: Token) -> Value:
        if token.text in ("sqrt", "exp"):
            if self.next.kind != "(":
                raise self.refuse(f"write {token.text}(…)")
            return self.compute(root if token.text == "sqrt" else exponential, self.bracket(), at=token)
        if token.text in ("pi", "e"):
            return _e() if token.text == "e" else _pi()
        if not is_name(token.text):
            raise _refusal(self.text, f"{token.text} is no name", token.column)
        return symbol(token.text)


def _checked(found: object, make: Callable[[], Value]) -> Value:
    """What `make` gives; its refusals told with what was found in front."""
    try:
        return make()
    except ReadError as error:
        if error.expected:
            raise
        raise ReadError(f"{_shown(found)}: {error.problem}", expected=EXPECTED) from None


def _shown(found: object) -> str:
    """What was found, for an error line: short, and without printing what may be huge."""
    if isinstance(found, (str, bool, float, Decimal)) or found is None:
        return quoted(found)
    if isinstance(found, (int, fmpz, fmpq, Fraction)):
        rational = found if isinstance(found, fmpq) else fmpq(*_ratio(found))
        bits = rational.height_bits()
        return quoted(found) if bits <= MAX_BITS else f"a number of {bits} bits"
    if type(found).__module__.partition(".")[0] == "numpy":
        return quoted(found) if getattr(found, "ndim", 1) == 0 else f"a {type(found).__name__}"
    if getattr(found, "is_Rational", False):
        return _shown(fmpq(int(found.p), int(found.q)))  # type: ignore[attr-defined]
    return quoted(found) if getattr(found, "is_Atom", False) else f"a {type(found).__name__}"


def _ratio(found: int | fmpz | Fraction) -> tuple[Any, int]:
    return (found.numerator, found.denominator) if isinstance(found, Fraction) else (found, 1)


def _refusal(found: object, why: str, column: int = 0) -> ReadError:
    place = f"Column {column}: " if column else ""
    reason = place + why
    return ReadError(
        f"{_shown(found)} is not a number or a name",
        expected=EXPECTED,
        hint=f"{reason[:1].upper()}{reason[1:]}.",
    )
