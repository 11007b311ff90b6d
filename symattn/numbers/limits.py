"""Limits for d_k → 0⁺ and d_k → ∞, and fast NumPy functions of d_k.

Arrives: exact numbers over a free d_k. Leaves: exact numbers, an infinity, or a function of NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

from flint import fmpq

from symattn.errors import OptionError, UndecidedError
from symattn.numbers.certified import MAX_BITS, enclosure, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import CONSTANT, ONE, ZERO, ExpQuotient, ExpSum, Key, Scale, Scaled, quotient
from symattn.numbers.machine import nearest_float

if TYPE_CHECKING:
    import numpy as np
    import sympy

End = Literal["0+", "oo"]


@dataclass(frozen=True, slots=True)
class Infinity:
    """Plus or minus infinity, as a limit."""

    positive: bool = True

    @property
    def rational(self) -> None:
        """None: it is no number."""

    def to_sympy(self) -> sympy.Expr:
        """∞ or −∞ as SymPy writes it."""
        import sympy

        return sympy.oo if self.positive else -sympy.oo


def limit(number: Any, end: End, letter: str = "d_k") -> Any:
    """The limit of an exact number as d_k goes to 0 from above ("0+") or to infinity ("oo").

    In a SymPy expression d_k is the positive symbol of the given letter.
    Raises: OptionError for another end; UndecidedError where SymPy finds no limit, such as one that depends on the
    sign of a letter.

    >>> from symattn.numbers.expsum import exponential
    >>> e3, one = exponential(fmpq(3), scale=Scale()), exponential(fmpq(0), scale=Scale())
    >>> limit(quotient(e3, e3 + one), "0+"), limit(quotient(e3, e3 + one), "oo")
    (1, 1/2)
    """
    if end not in {"0+", "oo"}:
        raise OptionError(f"unknown end {end!r}", expected='"0+" or "oo"')
    if isinstance(number, SquareRoot):
        return Infinity() if end == "oo" else ZERO
    if isinstance(number, Scaled):
        a, b = number.key
        return b if end == "oo" or a == 0 else Infinity(positive=bool(a > 0))
    if isinstance(number, (ExpSum, ExpQuotient)):
        above, below = _sums(number)
        return _limit_at_infinity(above, below) if end == "oo" else _limit_at_zero(above, below)
    return _symbolic_limit(number, end, letter) if hasattr(number, "free_symbols") else number


def _sums(number: ExpSum | ExpQuotient) -> tuple[ExpSum, ExpSum]:
    if isinstance(number, ExpSum):
        return number, ExpSum({CONSTANT: ONE}, number.scale)
    return number.num, fmpq(number.factor) * number.den


def _limit_at_infinity(above: ExpSum, below: ExpSum) -> Any:
    scale = Scale(ONE)  # 1/√d_k goes to 0: only the rational parts of the exponents stay

    def flat(total: ExpSum) -> ExpSum:
        return ExpSum.collect(((Key(ZERO, b), c) for (_, b), c in total.terms.items()), scale)

    return quotient(flat(above), flat(below))


def _limit_at_zero(above: ExpSum, below: ExpSum) -> Any:
    if not above.terms:
        return ZERO
    scale = Scale(ONE)  # 1/√d_k goes to ∞: the largest coefficients of 1/√d_k win

    def leading(total: ExpSum) -> tuple[fmpq, ExpSum]:
        top = max(a for a, _ in total.terms)
        kept = ((Key(ZERO, b), c) for (a, b), c in total.terms.items() if a == top)
        return top, ExpSum.collect(kept, scale)

    (high, num), (low, den) = leading(above), leading(below)
    if high < low:
        return ZERO
    if high > low:
        return Infinity(positive=_positive(num) == _positive(den))
    return quotient(num, den)


def _positive(total: ExpSum) -> bool:
    """Whether a sum that is not 0 is positive."""
    bits = 64
    while (ball := enclosure(total, bits)).contains(0):
        if bits >= MAX_BITS:
            raise UndecidedError(f"a sign could not be decided with {MAX_BITS} bits")
        bits *= 2
    return bool(ball > 0)


def _symbolic_limit(number: sympy.Expr, end: End, letter: str) -> sympy.Expr:
    import sympy

    symbol = sympy.Symbol(letter, positive=True)
    try:
        found = sympy.limit(number, symbol, 0, "+") if end == "0+" else sympy.limit(number, symbol, sympy.oo)
    except (NotImplementedError, ValueError, sympy.PoleError) as error:
        raise UndecidedError(f"the limit for {letter} could not be found: {error}") from error
    if found.has(sympy.Limit, sympy.AccumBounds, sympy.nan):
        raise UndecidedError(f"the limit for {letter} could not be found")
    return found


Terms = Sequence[tuple[Any, Any]]
"""Coefficients and exponents, as floats, arrays or SymPy expressions: Σ c·e**x."""


def numpy_function(rows: Sequence[Sequence[Any]], letter: str = "d_k") -> Callable[..., np.ndarray[Any, Any]]:
    """A NumPy function for a matrix of numbers.

    It takes d_k outright, or every free letter by its name: floats or arrays that broadcast to a shape s. It returns
    shape s + (n, m). Exponents are shifted by their largest, so softmax does not overflow. `letter` is the name of
    d_k, empty where d_k is a number.
    The function raises OptionError for a letter that is missing or unknown, and for a d_k that is not positive.

    >>> numpy_function([[Scaled.of(fmpq(3), ZERO, Scale())]])(9.0)
    array([[1.]])
    """
    symbolic = any(hasattr(entry, "free_symbols") for row in rows for entry in row)
    names, cells = _symbolic_cells(rows) if symbolic else _exponential_cells(rows, letter)
    known = {*names, letter} - {""}

    def evaluate(d_k: Any = None, /, **values: Any) -> np.ndarray[Any, Any]:
        import numpy as np

        given = values if d_k is None else {letter or "d_k": d_k, **values}
        if not set(names) <= given.keys() <= known:
            raise OptionError(
                f"got {', '.join(given) or 'nothing'}", expected=f"the letters {', '.join(names) or '(none)'}"
            )
        points = {name: np.asarray(value, dtype=float) for name, value in given.items()}
        if letter in points and not np.all(points[letter] > 0):
            raise OptionError(f"{letter} is not positive")
        shape = np.broadcast_shapes(*(point.shape for point in points.values()))
        made = [[np.broadcast_to(_divided(*cell), shape) for cell in row] for row in cells(points)]
        return np.stack([np.stack(row, axis=-1) for row in made], axis=-2)

    return evaluate


def _divided(above: Terms, below: Terms) -> Any:
    """Σ c·e**x over another such sum, every exponent less the largest."""
    import numpy as np

    top = reduce(np.maximum, (x for _, x in (*above, *below)))
    num, den = (sum(c * np.exp(x - top) for c, x in terms) for terms in (above, below))
    return num / den


Cells = Callable[[Mapping[str, Any]], Iterable[Sequence[tuple[Terms, Terms]]]]


def _exponential_cells(rows: Sequence[Sequence[Any]], letter: str) -> tuple[Sequence[str], Cells]:
    free = any(_free(entry) for row in rows for entry in row)
    makers = [[_cell(entry) for entry in row] for row in rows]

    def cells(points: Mapping[str, Any]) -> Iterable[Sequence[tuple[Terms, Terms]]]:
        t = 1 / points[letter] ** 0.5 if letter in points else 0.0
        return [[make(t) for make in row] for row in makers]

    return [letter] if free else [], cells


def _free(number: Any) -> bool:
    return isinstance(number, (Scaled, ExpQuotient)) and number.scale.d_k is None and number.rational is None


ONCE: Terms = ((1.0, 0.0),)


def _cell(number: Any) -> Callable[[Any], tuple[Terms, Terms]]:
    """The two sums of a number, as a function of 1/√d_k."""
    if isinstance(number, Scaled):
        a, b = _line(number.key, number.scale)
        return lambda t: (((a * t + b, 0.0),), ONCE)
    if not isinstance(number, ExpQuotient):
        exact = rational_of(number)
        value = float(enclosure(number)) if exact is None else nearest_float(exact)
        return lambda t: (((value, 0.0),), ONCE)  # noqa: ARG005  (the same for every d_k)
    above = [(nearest_float(c / number.factor), *_line(key, number.scale)) for key, c in number.num.terms.items()]
    below = [(nearest_float(c), *_line(key, number.scale)) for key, c in number.den.terms.items()]
    return lambda t: ([(c, a * t + b) for c, a, b in above], [(c, a * t + b) for c, a, b in below])


def _line(key: Key, scale: Scale) -> tuple[float, float]:
    """Exponent coefficients as floats. With d_k a number, 1/√d_k is folded in."""
    if scale.d_k is None:
        return nearest_float(key[0]), nearest_float(key[1])
    return 0.0, float(enclosure(Scaled(key, scale)))


def _symbolic_cells(rows: Sequence[Sequence[Any]]) -> tuple[Sequence[str], Cells]:
    import sympy

    from symattn.numbers.symbolic import to_sympy

    sums = [[tuple(map(_terms, sympy.fraction(to_sympy(entry)))) for entry in row] for row in rows]
    flat = sympy.Tuple(*(part for row in sums for cell in row for terms in cell for term in terms for part in term))
    letters = sorted(flat.free_symbols, key=lambda symbol: str(symbol.name))
    # names may be words of Python, so the code is written over x0, x1, ...
    stand_ins = [sympy.Symbol(f"x{i}", positive=symbol.is_positive) for i, symbol in enumerate(letters)]
    function = sympy.lambdify(
        stand_ins, list(flat.xreplace(dict(zip(letters, stand_ins, strict=True)))), modules="numpy", cse=True
    )
    names = [str(symbol.name) for symbol in letters]

    def cells(points: Mapping[str, Any]) -> Iterable[Sequence[tuple[Terms, Terms]]]:
        parts = iter(function(*(points[name] for name in names)))
        return [[(_paired(parts, above), _paired(parts, below)) for above, below in row] for row in sums]

    return names, cells


def _terms(total: sympy.Expr) -> Terms:
    """The terms of a SymPy sum, each as what stands before its exponential and the exponent."""
    import sympy

    out = []
    for term in sympy.Add.make_args(total):
        coefficient, exponent = term.as_independent(sympy.exp, as_Add=False)
        powers = sympy.Mul.make_args(exponent)
        if all(isinstance(power, sympy.exp) for power in powers):
            out.append((coefficient, sympy.Add(*(power.exp for power in powers))))
        else:
            out.append((term, sympy.S.Zero))
    return out


def _paired(parts: Iterator[Any], terms: Terms) -> Terms:
    return [(next(parts), next(parts)) for _ in terms]
