"""Rounding: exact rationals in, decimals with a stated number of digits out.

Arrives: exact rationals and rounding rules. Leaves: `Digits` (whole units of 10**-places, so written digits are
kept) and the policy that names a rule for each kind of quantity. Floats never appear here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from flint import fmpq, fmpz

from symattn.errors import OptionError, quoted

MAX_PLACES: Final = 10_000

MAX_STR: Final = 10**600
"""Python's own str is faster, but stops at 4,300 digits, or at 640 where it is told to."""

MAX_EXPONENT: Final = 1 << 20
"""Of the powers of ten that are worked out; FLINT ends the process at a power that memory cannot hold."""


class Mode(StrEnum):
    """How a digit is settled. The half modes go to the nearest and differ at ties only."""

    HALF_UP = "half-up"  # ties away from zero, as at school
    HALF_EVEN = "half-even"
    TRUNCATE = "truncate"  # toward zero
    CEILING = "ceiling"
    FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class Digits:
    """A decimal as it is written: `units` times 10**-places. 1.70 is Digits(170, 2).

    >>> Digits(170, 2).text, Digits(170, 2).value, Digits(-5, 3).text, Digits(12, -2).text
    ('1.70', 17/10, '-0.005', '1200')
    """

    units: int
    places: int

    @property
    def value(self) -> fmpq:
        """The exact rational."""
        return fmpq(self.units) / power_of_ten(self.places)

    @property
    def text(self) -> str:
        """The decimal with every written digit."""
        sign = "-" if self.units < 0 else ""
        size = abs(self.units)
        digits = str(size) if size < MAX_STR else str(fmpz(size))
        if self.places <= 0:
            return sign + digits + ("0" * -self.places if self.units else "")
        digits = digits.rjust(self.places + 1, "0")
        return f"{sign}{digits[: -self.places]}.{digits[-self.places :]}"

    @property
    def stripped(self) -> str:
        """The decimal without trailing zeros: 0.50 as 0.5."""
        return self.text.rstrip("0").rstrip(".") if self.places > 0 else self.text


def power_of_ten(exponent: int) -> fmpq:
    """10**exponent, exactly, for exponents of either sign; one beyond MAX_EXPONENT raises OptionError.

    >>> power_of_ten(-2)
    1/100
    """
    if abs(exponent) > MAX_EXPONENT:
        raise OptionError(f"{abs(exponent)} decimal places", expected=f"at most {MAX_EXPONENT}")
    power = fmpq(fmpz(10) ** abs(exponent))
    return power if exponent >= 0 else 1 / power


def rounded_quotient(above: fmpz, below: fmpz, mode: Mode) -> int:
    """above/below (below > 0) rounded to a whole number.

    >>> [rounded_quotient(fmpz(n), fmpz(2), Mode.HALF_UP) for n in (-3, -1, 1, 3)]
    [-2, -1, 1, 2]
    >>> [rounded_quotient(fmpz(n), fmpz(2), Mode.HALF_EVEN) for n in (-3, -1, 1, 3)]
    [-2, 0, 0, 2]
    """
    whole, rest = divmod(above, below)  # floor division: 0 <= rest < below
    if rest == 0 or mode is Mode.FLOOR:
        return int(whole)
    if mode is Mode.CEILING:
        return int(whole) + 1
    if mode is Mode.TRUNCATE:
        return int(whole) + (1 if above < 0 else 0)
    twice = 2 * rest
    if twice != below:
        up = twice > below
    elif mode is Mode.HALF_EVEN:
        up = whole % 2 == 1
    else:
        up = above > 0
    return int(whole) + int(up)


def round_rational(value: fmpq, places: int, mode: Mode = Mode.HALF_UP) -> Digits:
    """`value` rounded to `places` decimals.

    >>> round_rational(fmpq(1, 40), 2).text, round_rational(fmpq(1, 40), 2, Mode.HALF_EVEN).text
    ('0.03', '0.02')
    """
    scaled = value * power_of_ten(places)
    return Digits(rounded_quotient(scaled.p, scaled.q, mode), places)


def magnitude(value: fmpq) -> int:
    """The exponent of the first digit: 0 for 5.8, -1 for 0.5, 3 for 1234. Zero has magnitude 0.

    >>> magnitude(fmpq(1234)), magnitude(fmpq(1, 2)), magnitude(fmpq(0))
    (3, -1, 0)
    """
    if value == 0:
        return 0
    size = abs(value)
    guess = len(str(size.p)) - len(str(size.q))
    return guess if size >= power_of_ten(guess) else guess - 1


def round_significant(value: fmpq, digits: int, mode: Mode = Mode.HALF_UP) -> Digits:
    """`value` rounded to `digits` significant digits; fewer than one raises OptionError.

    >>> round_significant(fmpq(1234), 2).text, round_significant(fmpq(999, 100), 2).text
    ('1200', '10')
    """
    require_digits(digits)
    out = round_rational(value, digits - 1 - magnitude(value), mode)
    return trim_carry(out, digits)


def require_digits(digits: int) -> None:
    """Nothing; fewer than one significant digit raises OptionError."""
    if digits < 1:
        raise OptionError(f"{digits} significant digits", expected="at least 1")


def trim_carry(out: Digits, digits: int) -> Digits:
    """9.99 to two digits carries to 10.0, which claims three: drop the last zero."""
    if abs(out.units) >= fmpz(10) ** digits:
        return Digits(out.units // 10, out.places - 1)
    return out


def terminating_digits(value: fmpq) -> Digits | None:
    """The finite decimal of a rational, without trailing zeros; None where it has none.

    >>> terminating_digits(fmpq(7, 2)).text, terminating_digits(fmpq(1, 3))
    ('3.5', None)
    """
    below, places = value.q, 0
    twos = fives = 0
    while below % 2 == 0:
        below //= 2
        twos += 1
    while below % 5 == 0:
        below //= 5
        fives += 1
    if below != 1:
        return None
    places = max(twos, fives)
    return Digits(int((value * power_of_ten(places)).p), places)


KINDS: Final = (
    "inputs",
    "projections",
    "scores",
    "root",
    "scaled_scores",
    "exponentials",
    "row_sums",
    "weights",
    "outputs",
)
"""What a pipeline makes, in order; each kind may have its own rule."""

KEPT_EXACT: Final = frozenset({"inputs", "projections", "scores"})
"""Kinds that a hand keeps exact where they are rational, unless the policy has a rule for them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How one kind of quantity is rounded: to places, to significant digits, or replaced by a value.

    `shown` is the number printed beside the one used (√3 shown as 1.73, used as 1.7); `padded` keeps trailing
    zeros in the matrix (0.50).
    """

    places: int | None = 2
    digits: int | None = None
    mode: Mode = Mode.HALF_UP
    padded: bool = False
    exact: bool = False
    value: fmpq | None = None
    value_text: str = ""
    shown: str = ""

    def apply(self, value: fmpq) -> Digits:
        """A rational rounded by this rule."""
        if self.digits is not None:
            return round_significant(value, self.digits, self.mode)
        return round_rational(value, self.places or 0, self.mode)


_DEFAULT: Final = Rule()


@dataclass(frozen=True, slots=True)
class Policy:
    """A rule for each kind of quantity; what is not named is rounded to 2 places, half-up.

    Rational inputs, projections and scores are kept exact unless they are named.

    >>> Policy().rule("weights").places, Policy.parse(["weights=3,truncate"]).rule("weights").mode.value
    (2, 'truncate')
    """

    rules: Mapping[str, Rule] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(tuple(self.rules.items()))

    def rule(self, kind: str) -> Rule:
        """The rule of a kind; an unknown kind raises OptionError."""
        if kind not in KINDS:
            raise OptionError(f"unknown kind of quantity {quoted(kind)}", expected=f"one of {', '.join(KINDS)}")
        return self.rules.get(kind, _DEFAULT)

    def with_rules(self, rules: Mapping[str, Rule]) -> Policy:
        """The policy with some rules put in the place of others."""
        for kind in rules:
            self.rule(kind)
        return Policy({**self.rules, **rules})

    @classmethod
    def parse(cls, texts: list[str], base: Policy | None = None) -> Policy:
        """Rules as the command line writes them: `weights=2,half-up`, `root=1.7`, `outputs=exact`."""
        policy = base or cls()
        for text in texts:
            kind, rule = parse_rule(text, policy)
            policy = policy.with_rules({kind: rule})
        return policy


_WORD = re.compile(r"(?:(places|digits|value|shown):)?(.+)", re.ASCII)


def parse_rule(text: str, base: Policy | None = None) -> tuple[str, Rule]:
    """A kind and its rule from `KIND=WORD,WORD...`.

    Words: a whole number (places), `digits:3`, a decimal or fraction (a value that replaces the computed one), a
    mode, `padded`, `exact`, `shown:1.73`.

    >>> parse_rule("root=1.7,shown:1.73")[1].value
    17/10
    >>> parse_rule("weights=2,half-even")[1].mode.value
    'half-even'
    """
    kind, equals, body = text.partition("=")
    kind = kind.strip()
    usage = "KIND=PLACES[,MODE], KIND=digits:N, KIND=VALUE or KIND=exact, such as weights=2,half-up or root=1.7"
    if not equals or not body.strip():
        raise OptionError(f"cannot read the rounding rule {quoted(text)}", expected=usage)
    rule = replace((base or Policy()).rule(kind), exact=False, value=None, value_text="")
    for raw in body.split(","):
        word = raw.strip()
        match = _WORD.fullmatch(word)
        label, content = (match[1], match[2].strip()) if match else (None, word)
        if content in {mode.value for mode in Mode} and label is None:
            rule = replace(rule, mode=Mode(content))
        elif content == "padded" and label is None:
            rule = replace(rule, padded=True)
        elif content == "exact" and label is None:
            rule = replace(rule, exact=True)
        elif label == "shown" and re.fullmatch(r"\d{1,50}(\.\d{1,50})?", content, re.ASCII):
            rule = replace(rule, shown=content)
        elif label in {None, "places", "digits"} and re.fullmatch(r"\d{1,5}", content, re.ASCII):
            rule = with_count(rule, label or "places", int(content), text)
        elif label in {None, "value"} and (value := plain_value(content)) is not None:
            rule = replace(rule, value=value, value_text=content)
        else:
            raise OptionError(f"cannot read {quoted(word)} in the rounding rule {quoted(text)}", expected=usage)
    return kind, rule


def with_count(rule: Rule, label: str, count: int, where: str) -> Rule:
    """The rule with its number of places or digits set; out of range raises OptionError."""
    low = 1 if label == "digits" else 0
    if not low <= count <= MAX_PLACES:
        raise OptionError(f"{count} {label} in {quoted(where)}", expected=f"{low} to {MAX_PLACES}")
    if label == "digits":
        return replace(rule, digits=count, places=None)
    return replace(rule, places=count, digits=None)


def plain_value(text: str) -> fmpq | None:
    """A decimal or a fraction of decimals, exactly; None for anything else.

    >>> plain_value("1.7"), plain_value("7/4"), plain_value("1e5"), plain_value("1/0")
    (17/10, 7/4, None, None)
    """
    match = re.fullmatch(r"([+-]?\d{1,400}(?:\.\d{1,400})?)(?:/(\d{1,400}(?:\.\d{1,400})?))?", text, re.ASCII)
    if not match:
        return None
    above, below = decimal_text(match[1]), decimal_text(match[2] or "1")
    return None if below == 0 else above / below


def plain_digits(text: str) -> Digits | None:
    """The digits of a plain decimal as it is written; None for anything else.

    >>> plain_digits("1.70"), plain_digits("1/3")
    (Digits(units=170, places=2), None)
    """
    if not re.fullmatch(r"-?\d{1,4000}(\.\d{1,4000})?", text, re.ASCII):
        return None
    whole, _, fraction = text.partition(".")
    return Digits(int(fmpz(whole + fraction)), len(fraction))  # Python's own int stops at 4,300 digits


def decimal_text(text: str) -> fmpq:
    """The rational that plain decimal digits stand for.

    >>> decimal_text("-1.25")
    -5/4
    """
    whole, _, fraction = text.partition(".")
    return fmpq(fmpz((whole + fraction).removeprefix("+"))) / power_of_ten(len(fraction))
