"""Exponential sums: exact numbers built from e**(a/√d_k + b), with equality decided.

Arrives: rational scores and a d_k that is a positive rational or free. Leaves: scaled scores, exponential sums and
their quotients. A sum is a dictionary {(a, b): c} that stands for Σ c·e**(a/√d_k + b) with rational a, b, c.
For an algebraic d_k > 0 the exponentials of distinct exponents are linearly independent over the rationals
(Lindemann-Weierstrass), and for a free d_k too, so two sums are equal exactly when their dictionaries are, and two
quotients when their cross products are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from sys import hash_info
from typing import TYPE_CHECKING, Any, Self

from flint import arb, fmpq, fmpz

from symattn.numbers.bounded import as_sympy
from symattn.numbers.certified import Precision

if TYPE_CHECKING:
    import sympy

ZERO = fmpq(0)
ONE = fmpq(1)


def rational_hash(number: fmpq) -> int:
    """hash(number), which Python defines for rationals of every type, without building a Fraction on the way.

    >>> all(rational_hash(q) == hash(q) for q in (fmpq(-7, 4), fmpq(3), fmpq(1, 2**61 - 1), fmpq(-(10**40), 3)))
    True
    """
    below = number.q
    if below == 1:
        return hash(number.p)
    if below % hash_info.modulus == 0:
        return hash(number)
    above = int(number.p)
    found = hash(hash(abs(above)) * pow(int(below), -1, hash_info.modulus))
    return hash(found if above >= 0 else -found)


class Key(tuple[fmpq, fmpq]):
    """The exponent a/√d_k + b of a term, as the pair (a, b).

    A pair that hashes itself once: hashing a fmpq costs more than adding two of them, and the dictionaries of a
    derivation look the same few exponents up over and over.
    """

    _hash: int

    def __new__(cls, a: fmpq, b: fmpq) -> Self:
        """The pair, hashed."""
        made = super().__new__(cls, (a, b))
        made._hash = hash((rational_hash(a), rational_hash(b)))
        return made

    def __hash__(self) -> int:
        return self._hash

    def __getnewargs__(self) -> tuple[fmpq, fmpq]:
        return self[0], self[1]


Terms = Mapping[Key, fmpq]
CONSTANT = Key(ZERO, ZERO)


@dataclass(frozen=True)
class Scale:
    """What 1/√d_k is: free, or factor/√radicand with a rational factor and a square-free whole radicand.

    >>> Scale(fmpq(12)).factor, Scale(fmpq(12)).radicand, Scale(fmpq(9, 4)).factor
    (1/2, 3, 2/3)
    """

    d_k: fmpq | None = None
    name: str = "d_k"

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.d_k, self.name))

    @cached_property
    def _split(self) -> tuple[fmpq, int]:
        if self.d_k is None:
            return ONE, 0
        # √(p/q) = √(pq)/q = k√m/q, hence 1/√(p/q) = (q/k)/√m
        square, rest = square_part(int(self.d_k.p) * int(self.d_k.q))
        return fmpq(self.d_k.q, square), rest

    @property
    def factor(self) -> fmpq:
        """The rational factor of 1/√d_k."""
        return self._split[0]

    @property
    def radicand(self) -> int:
        """The square-free number under the root: 1 for a square d_k, 0 when d_k is free."""
        return self._split[1]

    def key(self, a: fmpq, b: fmpq) -> Key:
        """The exponent a/√d_k + b, with what is rational moved into b."""
        return Key(ZERO, b + a * self.factor) if self.radicand == 1 else Key(a, b)

    def number(self, key: Key) -> tuple[str, fmpq, fmpq]:
        """What the exponent is as a number: the same for equal exponents over different d_k.

        >>> Scale(fmpq(3)).number(Key(ONE, ZERO)) == Scale(fmpq(12)).number(Key(fmpq(2), ZERO))
        True
        """
        a, b = key
        if self.d_k is None:
            return (self.name if a != 0 else "", a, b)
        return "", a * abs(a) / self.d_k, b

    def ratio(self, other: Scale) -> fmpq | None:
        """The rational r with 1/√other = r/√self, None where there is none."""
        if self == other:
            return ONE
        if self.d_k is None or other.d_k is None:
            return None
        squared = self.d_k / other.d_k
        root = fmpq(isqrt(int(squared.p)), isqrt(int(squared.q)))
        return root if root * root == squared else None

    def exponent(self, key: Key, precision: Precision) -> arb:
        """A ball around the exponent."""
        a, b = key
        if a == 0:
            return arb(b)
        if self.d_k is None:
            from symattn.errors import UndecidedError

            raise UndecidedError(f"{self.name} is free", hint=f"Give {self.name} a number to get decimals.")
        rsqrt = precision.once(self, lambda: arb(self.radicand).rsqrt() * self.factor)
        return rsqrt * a + b

    def exp(self, key: Key, precision: Precision) -> arb:
        """A ball around the exponential of the exponent."""
        return self.exponent(key, precision).exp()

    def sympy_root(self) -> sympy.Expr:
        """√d_k as a SymPy expression."""
        import sympy

        if self.d_k is None:
            return sympy.sqrt(sympy.Symbol(self.name, positive=True))
        return sympy.sqrt(as_sympy(self.d_k))

    def sympy_exponent(self, key: Key) -> sympy.Expr:
        """The exponent as a SymPy expression."""
        return as_sympy(key[0]) / self.sympy_root() + as_sympy(key[1])


def square_part(number: int) -> tuple[int, int]:
    """K and m with number = k²·m, m square-free as far as trial division to a bound can tell.

    A square whose root is prime and beyond the bound still counts: the rest is tested for being one.

    >>> square_part(12), square_part(49), square_part(1)
    ((2, 3), (7, 1), (1, 1))
    """
    square, rest, factor = 1, number, 2
    while factor * factor <= rest and factor < 20_000:
        while rest % (factor * factor) == 0:
            rest //= factor * factor
            square *= factor
        factor += 1
    root = isqrt(rest)
    return (square * root, 1) if root * root == rest else (square, rest)


@dataclass(frozen=True, slots=True)
class Scaled:
    """A scaled score: a/√d_k + b.

    >>> Scaled.of(fmpq(2), ZERO, Scale(fmpq(4))).rational
    1
    """

    key: Key
    scale: Scale

    @classmethod
    def of(cls, a: fmpq, b: fmpq, scale: Scale) -> Scaled:
        """The scaled score in normal form."""
        return cls(scale.key(a, b), scale)

    @property
    def rational(self) -> fmpq | None:
        """The rational value, None when √d_k stays in it."""
        return self.key[1] if self.key[0] == 0 else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the value."""
        return self.scale.exponent(self.key, precision)

    def fill(self, scale: Scale) -> Scaled:
        """The same score with d_k filled in."""
        return Scaled.of(*self.key, scale)

    def to_sympy(self) -> sympy.Expr:
        """The value as a SymPy expression."""
        return self.scale.sympy_exponent(self.key)


class ExpSum:
    """Σ c·e**(a/√d_k + b), as the dictionary {(a, b): c} without zero coefficients.

    Sums are equal when they are the same number, over different d_k too; arithmetic needs one d_k.

    >>> x = exponential(fmpq(3), scale=Scale())
    >>> (x + x == 2 * x), (x * x).terms == {(fmpq(6), ZERO): 1}
    (True, True)
    """

    __slots__ = ("_hash", "scale", "terms")

    def __init__(self, terms: Terms, scale: Scale) -> None:
        self.terms: Terms = terms
        self.scale = scale
        self._hash: int | None = None

    @classmethod
    def collect(cls, pairs: Iterable[tuple[Key, fmpq]], scale: Scale) -> ExpSum:
        """A sum from exponents and coefficients: like terms are added, zeros dropped."""
        terms: dict[Key, fmpq] = {}
        for key, c in pairs:
            terms[key] = terms[key] + c if key in terms else c
        return cls({key: c for key, c in terms.items() if c != 0}, scale)

    def __add__(self, other: ExpSum) -> ExpSum:
        return ExpSum.collect([*self.terms.items(), *other.terms.items()], self._common(other))

    def __sub__(self, other: ExpSum) -> ExpSum:
        return self + -1 * other

    def __mul__(self, other: ExpSum) -> ExpSum:
        scale = self._common(other)
        return ExpSum.collect(
            (
                (scale.key(a + a2, b + b2), c * c2)
                for (a, b), c in self.terms.items()
                for (a2, b2), c2 in other.terms.items()
            ),
            scale,
        )

    def __rmul__(self, factor: fmpq | int) -> ExpSum:
        return ExpSum({key: c * factor for key, c in self.terms.items()} if factor != 0 else {}, self.scale)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExpSum):
            return NotImplemented
        if self.scale == other.scale:
            return self.terms == other.terms
        return self._numbers() == other._numbers()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._numbers().items()))
        return self._hash

    def _numbers(self) -> dict[tuple[str, fmpq, fmpq], fmpq]:
        return {self.scale.number(key): c for key, c in self.terms.items()}

    def __repr__(self) -> str:
        return f"ExpSum({dict(self.terms)}, d_k={self.scale.d_k or 'free'})"

    def _common(self, other: ExpSum) -> Scale:
        if self.scale != other.scale:
            raise ValueError("exponential sums over two different d_k")
        return self.scale

    @property
    def rational(self) -> fmpq | None:
        """The rational value, None when an exponential stays in it."""
        if not self.terms:
            return ZERO
        return self.terms.get(CONSTANT) if len(self.terms) == 1 else None

    def enclose(self, precision: Precision) -> arb:
        """A ball around the value."""
        known = precision.table(self.scale)
        total = arb(0)
        for key, c in self.terms.items():
            power = known.get(key)
            if power is None:
                power = known[key] = self.scale.exp(key, precision)
            total += power * c
        return total

    def fill(self, scale: Scale) -> ExpSum:
        """The same sum with d_k filled in: exponents that coincide are merged."""
        return ExpSum.collect(((scale.key(a, b), c) for (a, b), c in self.terms.items()), scale)

    def shifted(self, by: Key) -> ExpSum:
        """The sum divided by e**by."""
        if by == CONSTANT:
            return self
        return ExpSum({Key(a - by[0], b - by[1]): c for (a, b), c in self.terms.items()}, self.scale)

    def to_sympy(self) -> sympy.Expr:
        """The value as a SymPy expression."""
        import sympy

        return sympy.Add(*(as_sympy(c) * sympy.exp(self.scale.sympy_exponent(key)) for key, c in self.terms.items()))


def exponential(a: fmpq, b: fmpq = ZERO, scale: Scale | None = None) -> ExpSum:
    """e**(a/√d_k + b). Without a scale, e**a.

    >>> exponential(fmpq(0)).rational
    1
    """
    scale = scale or Scale(ONE)
    return ExpSum({scale.key(a, b): ONE}, scale)


@dataclass(frozen=True, eq=False, slots=True)
class ExpQuotient:
    """An irrational quotient of exponential sums, num/(factor·den), in lowest form.

    The smallest exponent of the denominator is 0, all coefficients are whole, den is primitive and num is free of
    common factors with `factor`. Quotients are equal when they are the same number. Rationals are never built as
    quotients: `quotient` returns them as fmpq, since a quotient is rational exactly when its two sums are
    proportional.
    """

    num: ExpSum
    den: ExpSum
    factor: fmpz

    @property
    def rational(self) -> fmpq | None:
        """None: the value is proven irrational."""
        return None

    @property
    def scale(self) -> Scale:
        """The d_k of the quotient."""
        return self.den.scale

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ExpQuotient):
            if self.scale != other.scale:
                return _same_number(self, other)
            if self.den.terms == other.den.terms:
                return self.factor == other.factor and self.num.terms == other.num.terms
            return fmpq(other.factor) * (self.num * other.den) == fmpq(self.factor) * (other.num * self.den)
        if isinstance(other, (int, fmpq, fmpz)):
            return False
        return NotImplemented

    def __hash__(self) -> int:
        # equal quotients may have different sums, and different d_k
        return hash(ExpQuotient)

    def enclose(self, precision: Precision) -> arb:
        """A ball around the value."""
        below = precision.once(self.den, lambda: self.den.enclose(precision))
        return self.num.enclose(precision) / (below * self.factor)

    def fill(self, scale: Scale) -> ExpQuotient | fmpq:
        """The same quotient with d_k filled in."""
        return quotient(self.num.fill(scale), fmpq(self.factor) * self.den.fill(scale))

    def to_sympy(self) -> sympy.Expr:
        """The value as a SymPy expression."""
        return self.num.to_sympy() / (int(self.factor) * self.den.to_sympy())


def _same_number(first: ExpQuotient, second: ExpQuotient) -> bool:
    """Whether two quotients over different d_k are equal, by their cross products.

    Where the roots are no rational multiples of one another, their parts of an exponent stay apart.
    """
    ratio = first.scale.ratio(second.scale)

    def crossed(mine: ExpSum, theirs: ExpSum, factor: fmpz) -> dict[tuple[fmpq, fmpq, fmpq], fmpq]:
        products: dict[tuple[fmpq, fmpq, fmpq], fmpq] = {}
        for (a, b), c in mine.terms.items():
            for (a2, b2), c2 in theirs.terms.items():
                key = (a, a2, b + b2) if ratio is None else (a + ratio * a2, ZERO, b + b2)
                products[key] = products.get(key, ZERO) + c * c2 * factor
        return {key: c for key, c in products.items() if c != 0}

    return crossed(first.num, second.den, second.factor) == crossed(first.den, second.num, first.factor)


ExactValue = fmpq | ExpQuotient


class Divisor:
    """A row sum made ready to divide by: shifted, primitive, and shared by every quotient of its row.

    >>> row = [exponential(fmpq(s), scale=Scale()) for s in (3, 0)]
    >>> Divisor(row[0] + row[1]).divide(row[1]).den.terms == (row[0] + row[1]).terms
    True
    """

    __slots__ = ("_moved", "content", "den", "shift")

    def __init__(self, total: ExpSum) -> None:
        if not total.terms:
            raise ZeroDivisionError("the row sum is 0")
        self.shift = min(total.terms)
        shifted = total.shifted(self.shift)
        self._moved = dict(zip(total.terms, shifted.terms, strict=True))
        self.content = content(shifted.terms.values())
        self.den = ExpSum({key: c / self.content for key, c in shifted.terms.items()}, total.scale)

    def divide(self, num: ExpSum | Terms) -> ExactValue:
        """Num divided by the row sum; a rational comes back as fmpq."""
        terms = num.terms if isinstance(num, ExpSum) else num
        if not terms:
            return ZERO
        if self.shift != CONSTANT:
            moved = self._moved
            terms = {
                moved.get(key) or Key(key[0] - self.shift[0], key[1] - self.shift[1]): c for key, c in terms.items()
            }
        den = self.den
        if len(terms) == len(den.terms):
            ratio = proportion(terms, den.terms)
            if ratio is not None:
                return ratio / self.content
        inner = content(terms.values())
        outer = inner / self.content  # value = outer · (num/inner) / den
        above = fmpq(outer.p)
        unit = above / inner
        if unit != 1:
            terms = {key: c * unit for key, c in terms.items()}
        return ExpQuotient(ExpSum(terms, den.scale), den, outer.q)

    def _shifted(self, key: Key) -> Key:
        return self._moved.get(key) or Key(key[0] - self.shift[0], key[1] - self.shift[1])


def quotient(num: ExpSum, den: ExpSum) -> ExactValue:
    """num/den in lowest form; a rational comes back as fmpq.

    >>> e = exponential(fmpq(1))
    >>> quotient(e + e, 3 * e)
    2/3
    """
    return Divisor(den).divide(num)


def content(coefficients: Iterable[fmpq]) -> fmpq:
    """The positive rational that leaves whole coefficients without a common factor.

    >>> content([fmpq(2, 3), fmpq(4)])
    2/3
    """
    above, below = fmpz(0), fmpz(1)
    for c in coefficients:
        if above != 1:
            above = above.gcd(c.p)
        q = c.q
        if q != 1:
            below = below.lcm(q)
    return fmpq(above, below)


def proportion(terms: Terms, others: Terms) -> fmpq | None:
    """The rational r with terms = r·others, None where there is none."""
    ratio: fmpq | None = None
    for key, c in terms.items():
        other = others.get(key)
        if other is None:
            return None
        here = c / other
        if ratio is None:
            ratio = here
        elif here != ratio:
            return None
    return ratio


def ordered(terms: Terms) -> Sequence[tuple[Key, fmpq]]:
    """The terms as people write them: by growing exponent."""
    return sorted(terms.items(), key=_first)


def _first(item: tuple[Key, Any]) -> Key:
    return item[0]
