"""Limits for d_k → 0⁺ and d_k → ∞, and fast NumPy functions of d_k.

Arrives: exact numbers over a free d_k. Leaves: exact numbers, an infinity, or a function of NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from flint import fmpq

from symattn.errors import OptionError
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import ONE, ZERO, ExpQuotient, ExpSum, Key, Scale, Scaled, quotient

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


def limit(number: Any, end: End) -> Any:
    """The limit of an exact number as d_k goes to 0 from above ("0+") or to infinity ("oo").

    >>> from symattn.numbers.expsum import exponential
    >>> e3, one = exponential(fmpq(3), scale=Scale()), exponential(fmpq(0), scale=Scale())
    >>> limit(quotient(e3, e3 + one), "0+"), limit(quotient(e3, e3 + one), "oo")
    (1, 1/2)
    """
    if end not in {"0+", "oo"}:
        raise OptionError(f"unknown end {end!r}", expected='"0+" or "oo"')
    if isinstance(number, fmpq):
        return number
    if isinstance(number, SquareRoot):
        return Infinity() if end == "oo" else ZERO
    if isinstance(number, Scaled):
        a, b = number.key
        return b if end == "oo" or a == 0 else Infinity(positive=bool(a > 0))
    if isinstance(number, ExpQuotient):
        return _limit_at_infinity(number) if end == "oo" else _limit_at_zero(number)
    import sympy

    symbol = sympy.Symbol("d_k", positive=True)
    return sympy.limit(number, symbol, 0, "+") if end == "0+" else sympy.limit(number, symbol, sympy.oo)


def _limit_at_infinity(number: ExpQuotient) -> Any:
    scale = Scale(ONE)  # 1/√d_k goes to 0: only the rational parts of the exponents stay

    def flat(total: ExpSum) -> ExpSum:
        return ExpSum.collect(((Key(ZERO, b), c) for (_, b), c in total.terms.items()), scale)

    return quotient(flat(number.num), fmpq(number.factor) * flat(number.den))


def _limit_at_zero(number: ExpQuotient) -> Any:
    scale = Scale(ONE)  # 1/√d_k goes to ∞: the largest coefficients of 1/√d_k win

    def leading(total: ExpSum) -> tuple[fmpq, ExpSum]:
        top = max(a for a, _ in total.terms)
        kept = ((Key(ZERO, b), c) for (a, b), c in total.terms.items() if a == top)
        return top, ExpSum.collect(kept, scale)

    (above, num), (below, den) = leading(number.num), leading(number.den)
    if above < below:
        return ZERO
    if above > below:
        return Infinity(positive=sum(num.terms.values(), ZERO) > 0)
    return quotient(num, fmpq(number.factor) * den)


def numpy_function(rows: Sequence[Sequence[Any]]) -> Callable[..., np.ndarray[Any, Any]]:
    """A NumPy function for a matrix of exact numbers.

    Over exponential sums it takes d_k (a float or an array of shape s) and returns shape s + (n, m); exponents are
    shifted by their largest, so nothing overflows. Over SymPy expressions it takes the free letters by name.

    >>> numpy_function([[Scaled.of(fmpq(3), ZERO, Scale())]])(9.0)
    array([[1.]])
    """
    symbolic = any(hasattr(entry, "free_symbols") for row in rows for entry in row)
    return _symbolic_function(rows) if symbolic else _exponential_function(rows)


def _symbolic_function(rows: Sequence[Sequence[Any]]) -> Callable[..., np.ndarray[Any, Any]]:
    import sympy

    from symattn.numbers.symbolic import to_sympy

    matrix = sympy.ImmutableMatrix([[to_sympy(entry) for entry in row] for row in rows])
    letters = sorted(matrix.free_symbols, key=lambda symbol: str(symbol.name))
    stand_ins = [sympy.Symbol(f"x{i}", positive=symbol.is_positive) for i, symbol in enumerate(letters)]
    function = sympy.lambdify(
        stand_ins, matrix.xreplace(dict(zip(letters, stand_ins, strict=True))), modules="numpy", cse=True
    )
    names = [str(symbol.name) for symbol in letters]

    def evaluate(**values: float) -> np.ndarray[Any, Any]:
        import numpy as np

        missing = [name for name in names if name not in values]
        unknown = [name for name in values if name not in names]
        if missing or unknown:
            raise OptionError(
                f"got {', '.join(values) or 'nothing'}",
                expected=f"the letters {', '.join(names) or '(none)'}",
            )
        return np.asarray(function(*(values[name] for name in names)), dtype=float)

    return evaluate


def _exponential_function(rows: Sequence[Sequence[Any]]) -> Callable[..., np.ndarray[Any, Any]]:
    cells = [[_cell_function(entry) for entry in row] for row in rows]

    def evaluate(d_k: Any = 1.0) -> np.ndarray[Any, Any]:
        import numpy as np

        t = 1 / np.sqrt(np.asarray(d_k, dtype=float))
        return np.stack([np.stack([cell(t) for cell in row], axis=-1) for row in cells], axis=-2)

    return evaluate


def _cell_function(number: Any) -> Callable[[Any], Any]:
    import numpy as np

    if isinstance(number, SquareRoot):
        return lambda t: 1 / t
    if isinstance(number, Scaled):
        a, b = _line(number.key, number.scale)
        return lambda t: a * t + b
    if not isinstance(number, ExpQuotient):
        value = float(number.p) / float(number.q)
        return lambda t: np.full_like(t, value)
    scale, factor = number.scale, float(number.factor)
    above, below = (
        [(*_line(key, scale), float(c.p) / float(c.q)) for key, c in total.terms.items()]
        for total in (number.num, number.den)
    )

    def evaluate(t: Any) -> Any:
        top = np.max([a * t + b for a, b, _ in above + below], axis=0)
        num, den = (sum(c * np.exp(a * t + b - top) for a, b, c in terms) for terms in (above, below))
        return num / (factor * den)

    return evaluate


def _line(key: tuple[fmpq, fmpq], scale: Scale) -> tuple[float, float]:
    """Exponent coefficients as floats. With d_k a number, 1/√d_k is folded in."""
    a, b = (float(part.p) / float(part.q) for part in key)
    if scale.d_k is None:
        return a, b
    return 0.0, b + a / (float(scale.d_k.p) / float(scale.d_k.q)) ** 0.5
