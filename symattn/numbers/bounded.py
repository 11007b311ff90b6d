"""Exact arithmetic within bounds: what values from outside may grow to while they are read.

Arrives: rationals and real SymPy expressions, operation by operation. Leaves: a `fmpq` for everything rational, else
an expression of a few known node types. Every bound is checked before the work that it bounds, and no float takes part.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from keyword import iskeyword
from math import isqrt, log2
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flint import arb, fmpq, fmpz

from symattn.errors import ReadError, quoted
from symattn.numbers.working import at_bits

if TYPE_CHECKING:
    from collections.abc import Callable

    import sympy

    Value: TypeAlias = fmpq | sympy.Expr

MAX_DEPTH: Final = 50
MAX_BITS: Final = 4_096
MAX_ROOT_BITS: Final = 1_024
"""Of a number under an irrational root: SymPy looks for its square factors."""
MAX_INNER_DEGREE: Final = 8
MAX_INNER_EXPONENT: Final = 100
"""Of letters and of e in a root or an exponential of letters: SymPy solves polynomials to learn about signs."""
MAX_NODES: Final = 5_000
EXPECTED: Final = 'a number such as 2, 0.1, "1/3", "sqrt(2)", or a letter'

GREEK: Final = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
_NOT_NAMES: Final = frozenset({"nan", "inf", "infinity", "oo", "true", "false", "none", "null", "sqrt", "exp"})
_ANY_SIGN: Final = frozenset({-1, 0, 1})
_NAME: Final = re.compile(r"[A-Za-z]+[0-9]*(?:_[A-Za-z0-9]+)?")


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
        return bounded(left + right)
    return _settle(as_sympy(left) + as_sympy(right))


def multiply(left: Value, right: Value) -> Value:
    """The product of two values, within the bounds."""
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return bounded(left * right)
    return _settle(as_sympy(left) * as_sympy(right))


def divide(left: Value, right: Value) -> Value:
    """The quotient of two values; a divisor that is zero, or cannot be told from it, is refused."""
    return multiply(left, power(right, fmpq(-1)))


def power(base: Value, exponent: Value) -> Value:
    """The base to a whole or half exponent, or the exponential when the base is e; bounded beforehand."""
    if not isinstance(base, fmpq) and base == e_constant():
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
        return bounded(base**times)
    return _settle(base**times)


def _sqrt(value: sympy.Expr) -> sympy.Expr:
    import sympy

    return sympy.sqrt(value)


def _exp_class() -> type[Any]:
    import sympy

    return sympy.exp  # type: ignore[no-any-return]


def pi_constant() -> sympy.Expr:
    """π."""
    import sympy

    return sympy.pi


def e_constant() -> sympy.Expr:
    """The base of the natural exponential."""
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
        return _settle(_sqrt(as_sympy(bounded(value, MAX_ROOT_BITS))))
    signs = signs_of(value)
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

    from symattn.numbers.symbolic import ball_of

    expression = as_sympy(value)
    if not expression.free_symbols:
        with at_bits(64):
            ball = ball_of(expression)
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
        return bounded(fmpq(int(node.p), int(node.q)))
    if node.is_Float:
        return decimal_value(node, Decimal(str(node)))
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
        return bounded(fmpq(int(expression.p), int(expression.q)))
    if expression.has(sympy.I):
        raise ReadError("the square root of a negative number")
    if expression.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise ReadError("division by zero")
    for number in expression.atoms(sympy.Rational):
        bounded(fmpq(int(number.p), int(number.q)))
    for node in expression.atoms(sympy.Pow):
        if node.base.is_Rational and not node.exp.is_Integer:
            bounded(fmpq(int(node.base.p), int(node.base.q)), MAX_ROOT_BITS)
    return expression


def bounded(value: fmpq, bits: int = MAX_BITS) -> fmpq:
    """The value, once it is known to have no more than so many bits."""
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
    from symattn.numbers.symbolic import ball_of

    if _degree(value) > MAX_INNER_DEGREE:
        raise ReadError(f"a root or an exponential of letters to a power beyond {MAX_INNER_DEGREE}")
    with at_bits(64):
        for node in value.atoms(_exp_class()):
            if not node.free_symbols and not abs(ball_of(node.exp)) < MAX_INNER_EXPONENT:
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
        if sign_of(value) is None:
            raise ReadError("a divisor that cannot be told from zero")
    elif not _somewhere_nonzero(value):
        raise ReadError("division by zero, whatever the letters are")


# balls: signs are proven, never guessed


def sign_of(value: sympy.Expr) -> int | None:
    """The sign of a number without letters, 1 or -1; None when 4,096 bits do not tell it from zero."""
    from symattn.numbers.symbolic import ball_of

    for bits in (64, 512, MAX_BITS):
        with at_bits(bits):
            ball = ball_of(value)
            if ball > 0:
                return 1
            if ball < 0:
                return -1
    return None


def signs_of(node: Any) -> frozenset[int]:
    """The signs that an expression may have, letters being any real or positive numbers; too many if in doubt.

    SymPy's own `is_positive` factors polynomials on the way, which can take minutes.
    """
    if node.is_Symbol:
        return frozenset({1}) if node.is_positive else _ANY_SIGN
    if not node.free_symbols:
        sign = sign_of(node)
        return _ANY_SIGN if sign is None else frozenset({sign})
    if node.is_Pow:
        signs = signs_of(node.base)
        # a root is only taken of what is not negative
        return signs if node.exp.is_Integer and node.exp.is_odd else frozenset(sign * sign for sign in signs)
    if node.is_Mul or node.is_Add:
        return reduce(_product_signs if node.is_Mul else _sum_signs, map(signs_of, node.args))
    absolute = not isinstance(node, _exp_class())
    return frozenset(abs(sign) for sign in signs_of(node.args[0])) if absolute else frozenset({1})


def _product_signs(left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
    return frozenset(x * y for x in left for y in right)


def _sum_signs(left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
    return frozenset().union(*(_ANY_SIGN if x * y < 0 else {x or y} for x in left for y in right))


def _somewhere_nonzero(value: sympy.Expr) -> bool:
    """Whether some rational values of the letters provably make the expression other than zero."""
    from symattn.numbers.symbolic import ball_of

    letters = sorted(value.free_symbols, key=str)
    with at_bits(512):
        for shift in range(6):
            points = [fmpq((37 * i + 17 * shift + 5) % 101 + 1, 7 + 2 * shift) for i in range(len(letters))]
            at = {
                letter: arb(point if shift % 2 == 0 or letter.is_positive else -point)
                for letter, point in zip(letters, points, strict=True)
            }
            ball = ball_of(value, at)
            if ball > 0 or ball < 0:
                return True
    return False


def decimal_value(found: object, value: Decimal) -> fmpq:
    """The exact value of a decimal; `found` is what a refusal names."""
    if not value.is_finite():
        raise refusal(found, "it is not finite")
    _, digits, exponent = value.as_tuple()
    # 10**n has 3.33 n bits; the value itself is not built before this test
    if len(digits) > MAX_BITS or abs(int(exponent)) * 10 > MAX_BITS * 3:
        raise refusal(found, f"it needs more than {MAX_BITS} bits")
    return fmpq(*value.as_integer_ratio())


# messages


def checked(found: object, make: Callable[[], Value]) -> Value:
    """What `make` gives; its refusals told with what was found in front."""
    try:
        return make()
    except ReadError as error:
        if error.expected:
            raise
        raise ReadError(f"{shown(found)}: {error.problem}", expected=EXPECTED) from None


def shown(found: object) -> str:
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
        return shown(fmpq(int(found.p), int(found.q)))  # type: ignore[attr-defined]
    return quoted(found) if getattr(found, "is_Atom", False) else f"a {type(found).__name__}"


def _ratio(found: int | fmpz | Fraction) -> tuple[Any, int]:
    return (found.numerator, found.denominator) if isinstance(found, Fraction) else (found, 1)


def refusal(found: object, why: str, column: int = 0) -> ReadError:
    """The error for something that is no value."""
    place = f"Column {column}: " if column else ""
    reason = place + why
    return ReadError(
        f"{shown(found)} is not a number or a name",
        expected=EXPECTED,
        hint=f"{reason[:1].upper()}{reason[1:]}.",
    )
