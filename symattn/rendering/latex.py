r"""Formula trees and numbers as LaTeX: the only place where LaTeX is written.

Arrives: neutral trees and a notation. Leaves: LaTeX that TeX, KaTeX and MathJax read alike. Numbers of every
arithmetic are written as people write them: e^{\sqrt{3}}, never a float.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from flint import fmpq

from symattn import formulas as f
from symattn.comparison.crossings import Crossing
from symattn.errors import OptionError
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import ExpQuotient, ExpSum, Key, Scale, Scaled, ordered
from symattn.numbers.limits import Infinity
from symattn.numbers.written import WrittenNumber
from symattn.rendering.notation import DOCUMENT, Notation
from symattn.rendering.sympy_latex import letter_latex, sympy_latex
from symattn.rendering.words import Target, math_words

RELATIONS: Final = {"=": "=", "≈": r"\approx ", "→": r"\to ", "<": "<", "≤": r"\le "}
BLANK: Final = r"\underline{\hspace{3em}}"
HEAD: Final = 3
LIMIT: Final = 8


def shown_places(size: int, limit: int | None) -> list[int | None]:
    """The places of a long row that are shown; None stands for the dots.

    >>> shown_places(4, 8), shown_places(20, 8)
    ([0, 1, 2, 3], [0, 1, 2, None, 19])
    """
    if limit is None or size <= limit:
        return list(range(size))
    return [*range(HEAD), None, size - 1]


@dataclass(frozen=True)
class LatexWriter:
    """Writes formulas in one notation.

    `limit` is the size beyond which rows, columns and sums are elided (None prints all); `blank` leaves answers
    out; `target` xelatex wraps scripts that need another font.
    """

    notation: Notation = DOCUMENT
    limit: int | None = LIMIT
    blank: bool = False
    target: Target = "portable"
    _powers: dict[int, tuple[Scale, dict[Key, str]]] = field(default_factory=dict, repr=False)
    _denominators: dict[int, tuple[ExpSum, str]] = field(default_factory=dict, repr=False)
    _symbolic: dict[Any, str] = field(default_factory=dict, repr=False)

    def write(self, formula: f.Formula) -> str:
        r"""The LaTeX of a formula.

        >>> LatexWriter().write(f.equal(f.Name("Q"), f.Product((f.Name("X"), f.Name("W_Q")))))
        'Q=X\\cdot W^Q'
        """
        return _WRITERS[type(formula)](self, formula)

    # ---- numbers -----------------------------------------------------------------------------------------------

    def number(self, number: Any, *, inline: bool = False) -> str:
        """The LaTeX of a number of any arithmetic; `inline` writes fractions on the line, as in exponents."""
        write = _NUMBERS.get(type(number))
        if write is not None:
            return write(self, number, inline)
        return self.symbolic(number) if hasattr(number, "free_symbols") else str(number)

    def symbolic(self, expr: Any) -> str:
        """A SymPy expression; many entries repeat the same ones."""
        kept = self._symbolic.get(expr)
        if kept is None:
            kept = self._symbolic[expr] = sympy_latex(expr)
        return kept

    def written(self, number: WrittenNumber, *, inline: bool = False) -> str:
        """A number on paper, by its text."""
        return self.rational(number.value, inline=inline) if "/" in number.text else number.text

    def rational(self, value: fmpq, *, inline: bool = False) -> str:
        """A rational as a fraction."""
        if value.q == 1:
            return str(value.p)
        if inline:
            return f"{value.p}/{value.q}"
        sign = "-" if value < 0 else ""
        return rf"{sign}\frac{{{abs(value.p)}}}{{{value.q}}}"

    def root(self, scale: Scale) -> str:
        """√d_k in simplest form."""
        if scale.d_k is None:
            return rf"\sqrt{{{letter_latex(scale.name)}}}"
        above, below = 1 / scale.factor, scale.radicand  # √d_k = √m · m-free part
        if below == 1:
            return self.rational(above)
        return self._surd(fmpq(above.p), fmpq(above.q), below, inline=False)

    def _surd(self, above: fmpq, below: fmpq, radicand: int, *, inline: bool) -> str:
        """above·√radicand/below."""
        body = rf"\sqrt{{{radicand}}}" if above in {1, -1} else rf"{abs(above)}\sqrt{{{radicand}}}"
        sign = "-" if above < 0 else ""
        if below == 1:
            return sign + body
        return f"{sign}{body}/{below}" if inline else rf"{sign}\frac{{{body}}}{{{below}}}"

    def exponent(self, key: Key, scale: Scale, *, inline: bool = False) -> str:
        r"""a/√d_k + b as people write it: \sqrt{3} for 3/√3, 2/\sqrt{3}, 3/\sqrt{d_k}."""
        a, b = key
        if a == 0:
            return self.rational(b, inline=inline)
        if scale.d_k is None:
            text = self._over_root(a, rf"\sqrt{{{letter_latex(scale.name)}}}", inline=inline)
        else:
            value, m = a * scale.factor, scale.radicand  # value/√m
            if int(value.p) % m == 0:
                text = self._surd(value / m * value.q, fmpq(value.q), m, inline=inline)
            else:
                text = self._over_root(value, rf"\sqrt{{{m}}}", inline=inline)
        if b == 0:
            return text
        rest = self.rational(b, inline=inline)
        return text + (rest if rest.startswith("-") else "+" + rest)

    @staticmethod
    def _over_root(value: fmpq, root: str, *, inline: bool) -> str:
        sign = "-" if value < 0 else ""
        below = root if value.q == 1 else f"{value.q}{root}"
        if inline:
            return f"{sign}{abs(value.p)}/{below}" if value.q == 1 else f"{sign}{abs(value.p)}/({below})"
        return rf"{sign}\frac{{{abs(value.p)}}}{{{below}}}"

    def sum(self, total: ExpSum) -> str:
        r"""An exponential sum by growing exponent: 2+10e^{\sqrt{3}}."""
        terms = ordered(total.terms)
        parts: list[str] = []
        for place in shown_places(len(terms), self.limit):
            text = r"\cdots" if place is None else self._term(*terms[place], total.scale)
            parts.append(text if not parts or text.startswith("-") else "+" + text)
        return "".join(parts) or "0"

    def _denominator(self, total: ExpSum) -> str:
        """The same for a row sum, which every entry of its row shares: written once."""
        kept = self._denominators.get(id(total))
        if kept is None:
            kept = self._denominators[id(total)] = (total, self.sum(total))
        return kept[1]

    def _term(self, key: Key, c: fmpq, scale: Scale) -> str:
        a, b = key
        if a == 0 and b == 0:
            return self.rational(c)
        # by identity: hashing a scale costs more than writing the term
        powers = self._powers.setdefault(id(scale), (scale, {}))[1]
        power = powers.get(key)
        if power is None:
            before, after = self.notation.exp
            exponent = self.exponent(key, scale, inline=True)
            power = self.notation.exp_of_one if exponent == "1" else before + exponent + after
            powers[key] = power
        if c.q == 1:
            whole = str(c.p)
            if whole == "1":
                return power
            if whole == "-1":
                return "-" + power
            # 2e-3 could be read as a power of ten: the braces show nothing and keep them apart
            return whole + ("{e}" if power == "e" else power)
        return self.rational(c) + power

    def quotient(self, value: ExpQuotient, *, inline: bool = False) -> str:
        """A quotient of exponential sums as a fraction."""
        above, below = self.sum(value.num), self._denominator(value.den)
        if value.factor != 1:
            below = rf"{value.factor}\left({below}\right)"
        if inline:
            return rf"\left({above}\right)/\left({below}\right)"
        if above.startswith("-") and len(value.num.terms) == 1:
            return rf"-\frac{{{above[1:]}}}{{{below}}}"
        return rf"\frac{{{above}}}{{{below}}}"

    def crossing(self, value: Crossing) -> str:
        r"""A root at which a result crosses a bound, in closed form: \frac{3}{\ln(171/29)}."""
        if value.closed is None:
            raise OptionError("a crossing without a closed form has only decimals")
        s, q = value.closed
        return rf"\frac{{{self.rational(s, inline=True)}}}{{\ln({self.rational(q, inline=True)})}}"

    # ---- parts of formulas --------------------------------------------------------------------------------------

    def entry(self, entry: Any) -> str:
        """An entry of a matrix or row: a number or a formula."""
        return self.write(entry) if isinstance(entry, f.Formula) else self.number(entry)

    def told(self, formula: f.Formula) -> f.Formula:
        """The formula that is written: an answer's inner one, except on a worksheet."""
        return formula.inner if isinstance(formula, f.Answer) and not self.blank else formula

    def factor(self, factor: f.Formula, *, first: bool = False) -> str:
        """A factor of a product, in brackets where the product would tear it apart."""
        inner = self.told(factor)
        text = self.write(inner)
        is_sum = isinstance(inner, f.Sum) or (isinstance(inner, f.Value) and _is_open_sum(inner.number, text))
        return f"({text})" if is_sum or (text.startswith("-") and not first) else text


def _is_open_sum(number: Any, text: str) -> bool:
    if isinstance(number, ExpSum):
        return len(number.terms) > 1
    return bool(getattr(number, "is_Add", False)) and not text.startswith("\\frac")


def _matrix(writer: LatexWriter, matrix: f.Matrix) -> str:
    rows = matrix.rows
    across = shown_places(len(rows[0]), writer.limit)
    down = shown_places(len(rows), writer.limit)
    open_, close = writer.notation.matrix
    lines = []
    for i in down:
        if i is None:
            lines.append("& ".join(r"\ddots" if j is None else r"\vdots" for j in across))
            continue
        row = rows[i]
        lines.append("& ".join(r"\cdots" if j is None else _cell(writer, matrix, row[j]) for j in across))
    body = open_.replace("COLUMNS", "c" * len(across)) + "\\\\ ".join(lines) + close
    if not matrix.labels or not writer.notation.row_labels:
        return body
    labels = [r"\vdots" if i is None else r"\leftarrow " + writer.write(matrix.labels[i]) for i in down]
    return body + r"\begin{array}{c}" + "\\\\ ".join(labels) + r"\end{array}"


def _cell(writer: LatexWriter, matrix: f.Matrix, entry: Any) -> str:
    if matrix.padded is not None and isinstance(entry, WrittenNumber) and "/" not in entry.text:
        return entry.padded(matrix.padded)
    return writer.entry(entry)


def _row(writer: LatexWriter, row: f.Row) -> str:
    items = [r"\cdots" if i is None else writer.entry(row.items[i]) for i in shown_places(len(row.items), writer.limit)]
    body = ",".join(items)
    return rf"\left[{body}\right]" if r"\frac" in body else f"[{body}]"


def _sum(writer: LatexWriter, total: f.Sum) -> str:
    parts: list[str] = []
    for i in shown_places(len(total.terms), writer.limit):
        text = r"\cdots" if i is None else writer.write(total.terms[i])
        parts.append(text if not parts or text.startswith("-") else "+" + text)
    return "".join(parts)


def _product(writer: LatexWriter, product: f.Product) -> str:
    sign = writer.notation.signs[product.sign]
    return sign.join(writer.factor(factor, first=i == 0) for i, factor in enumerate(product.factors))


def _quotient(writer: LatexWriter, quotient: f.Quotient) -> str:
    above, below = writer.write(quotient.above), writer.write(quotient.below)
    if not quotient.inline:
        return rf"\frac{{{above}}}{{{below}}}"
    if "\\frac" in above:
        above = rf"\left({above}\right)"
    return f"{above}/{below}"


def _exp(writer: LatexWriter, power: f.Exp) -> str:
    inner = writer.told(power.exponent)
    text = writer.number(inner.number, inline=True) if isinstance(inner, f.Value) else writer.write(inner)
    if text in {"0", "1"}:
        return writer.notation.exp_of_zero if text == "0" else writer.notation.exp_of_one
    before, after = writer.notation.exp
    return before + text + after


def _transposed(writer: LatexWriter, transposed: f.Transposed) -> str:
    inner = writer.write(transposed.inner)
    style = writer.notation.transposed_power if "^" in inner else writer.notation.transposed
    return style.replace("{}", inner, 1)


def _call(writer: LatexWriter, call: f.Call) -> str:
    name = writer.notation.functions.get(call.function)
    if name is None:
        raise OptionError(f"the notation {writer.notation.key} has no function {call.function!r}")
    return rf"{name}\left({writer.write(call.argument)}\right)"


def _limit(writer: LatexWriter, limit: f.Limit) -> str:
    to = {"0+": "0^{+}", "oo": r"\infty"}[limit.to]
    return rf"\lim_{{{writer.write(limit.variable)}\to {to}}}{writer.write(limit.inner)}"


def _chain(writer: LatexWriter, chain: f.Chain) -> str:
    first = writer.write(chain.first) if chain.first is not None else ""
    links = [RELATIONS[relation] + writer.write(formula) for relation, formula in chain.links]
    if not chain.stacked:
        return first + "".join(links)
    lines = [f"{first if i == 0 else ''}& {link}" for i, link in enumerate(links)]
    return r"\begin{array}{rl}" + "\\\\ ".join(lines) + r"\end{array}"


def _answer(writer: LatexWriter, answer: f.Answer) -> str:
    if not writer.blank:
        return writer.write(answer.inner)
    if isinstance(answer.inner, f.Matrix):
        blanks = [[f.Decimal(BLANK)] * len(row) for row in _shown_rows(answer.inner.rows, writer.limit)]
        return writer.write(f.Matrix(blanks, answer.inner.labels))
    if isinstance(answer.inner, f.Row):
        return writer.write(f.Row([f.Decimal(BLANK)] * len(answer.inner.items)))
    return BLANK


def _shown_rows(rows: Sequence[Sequence[Any]], limit: int | None) -> Sequence[Sequence[Any]]:
    shown = [i for i in shown_places(len(rows), limit) if i is not None]
    width = len(rows[shown[0]])
    return f.LazyRows(len(rows), lambda _: range(width))


_NUMBERS: Final[dict[type, Callable[[LatexWriter, Any, bool], str]]] = {
    fmpq: lambda w, x, inline: w.rational(x, inline=inline),
    ExpQuotient: lambda w, x, inline: w.quotient(x, inline=inline),
    WrittenNumber: lambda w, x, inline: w.written(x, inline=inline),
    Scaled: lambda w, x, inline: w.exponent(x.key, x.scale, inline=inline),
    ExpSum: lambda w, x, _: w.sum(x),
    SquareRoot: lambda w, x, _: w.root(x.scale),
    Crossing: lambda w, x, _: w.crossing(x),
    Infinity: lambda _, x, __: r"\infty" if x.positive else r"-\infty",
}

_WRITERS: Final[dict[type[f.Formula], Callable[[LatexWriter, Any], str]]] = {
    f.Name: lambda w, x: w.notation.name(x.key),
    f.Indexed: lambda w, x: f"{{{w.write(x.base)}}}_{{{w.write(x.index)}}}",
    f.Words: lambda w, x: math_words(x.text, w.target),
    f.Value: lambda w, x: w.number(x.number),
    f.Decimal: lambda _, x: x.text,
    f.Matrix: _matrix,
    f.Row: _row,
    f.Product: _product,
    f.Sum: _sum,
    f.Quotient: _quotient,
    f.Bracketed: lambda w, x: f"({w.write(x.inner)})",
    f.Root: lambda w, x: rf"\sqrt{{{w.write(x.inner)}}}",
    f.Exp: _exp,
    f.Transposed: _transposed,
    f.Call: _call,
    f.Derivative: lambda w, x: rf"\frac{{\partial {w.write(x.of)}}}{{\partial {w.write(x.by)}}}",
    f.Limit: _limit,
    f.Listed: lambda w, x: ",".join(w.write(item) for item in x.items),
    f.Chain: _chain,
    f.Answer: _answer,
}
