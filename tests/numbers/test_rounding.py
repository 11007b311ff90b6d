"""Rounding against Python's decimal module, and every word and message of the rounding rules."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import OptionError
from symattn.numbers.rounding import (
    KINDS,
    MAX_EXPONENT,
    Digits,
    Mode,
    Policy,
    Rule,
    decimal_text,
    magnitude,
    parse_rule,
    plain_digits,
    plain_value,
    power_of_ten,
    round_rational,
    round_significant,
    rounded_quotient,
    terminating_digits,
)

DECIMAL = {
    Mode.HALF_UP: decimal.ROUND_HALF_UP,
    Mode.HALF_EVEN: decimal.ROUND_HALF_EVEN,
    Mode.TRUNCATE: decimal.ROUND_DOWN,
    Mode.CEILING: decimal.ROUND_CEILING,
    Mode.FLOOR: decimal.ROUND_FLOOR,
}
MODES = [Mode.HALF_UP, Mode.HALF_EVEN, Mode.TRUNCATE, Mode.CEILING, Mode.FLOOR]


def rational(text: str) -> Any:
    value = Fraction(text)
    return fmpq(value.numerator, value.denominator)


def signless(number: Decimal) -> str:
    """The digits of a decimal; minus zero is written as zero here."""
    return format(abs(number) if number == 0 else number, "f")


# places, one row for all modes: half-up, half-even, truncate, ceiling, floor
TABLE: dict[str, tuple[str, int, list[str]]] = {
    "half-way, even below": ("0.125", 2, ["0.13", "0.12", "0.12", "0.13", "0.12"]),
    "half-way, odd below": ("0.135", 2, ["0.14", "0.14", "0.13", "0.14", "0.13"]),
    "just under half-way": ("0.12499", 2, ["0.12", "0.12", "0.12", "0.13", "0.12"]),
    "just over half-way": ("0.12501", 2, ["0.13", "0.13", "0.12", "0.13", "0.12"]),
    "negative half-way": ("-0.125", 2, ["-0.13", "-0.12", "-0.12", "-0.12", "-0.13"]),
    "negative just under": ("-0.12499", 2, ["-0.12", "-0.12", "-0.12", "-0.12", "-0.13"]),
    "negative just over": ("-0.12501", 2, ["-0.13", "-0.13", "-0.12", "-0.12", "-0.13"]),
    "zero": ("0", 2, ["0.00"] * 5),
    "already there": ("1.70", 1, ["1.7"] * 5),
    "filled up with zeros": ("1.7", 3, ["1.700"] * 5),
    "nothing is left": ("0.001", 2, ["0.00", "0.00", "0.00", "0.01", "0.00"]),
    "negative, nothing is left": ("-0.001", 2, ["0.00", "0.00", "0.00", "0.00", "-0.01"]),
    "no places": ("2.5", 0, ["3", "2", "2", "3", "2"]),
    "tens": ("1250", -2, ["1300", "1200", "1200", "1300", "1200"]),
    "tens, nothing is left": ("49", -2, ["0", "0", "0", "100", "0"]),
    "negative tens": ("-1350", -2, ["-1400", "-1400", "-1300", "-1300", "-1400"]),
    "carry": ("0.995", 2, ["1.00", "1.00", "0.99", "1.00", "0.99"]),
    "no finite decimal": ("20/17", 2, ["1.18", "1.18", "1.17", "1.18", "1.17"]),
    "smallest tie": ("1/2", 0, ["1", "0", "0", "1", "0"]),
    "smallest negative tie": ("-1/2", 0, ["-1", "0", "0", "0", "-1"]),
}


@pytest.mark.parametrize(("text", "places", "expected"), TABLE.values(), ids=TABLE)
def test_each_mode(text: str, places: int, expected: list[str]) -> None:
    assert [round_rational(rational(text), places, mode).text for mode in MODES] == expected


decimals = st.builds(
    lambda units, places: Decimal(units).scaleb(-places), st.integers(-(10**12), 10**12), st.integers(0, 8)
)


@settings(deadline=None)
@given(decimals, st.integers(-4, 8), st.sampled_from(MODES))
def test_places_as_the_decimal_module_rounds(number: Decimal, places: int, mode: Mode) -> None:
    made = round_rational(rational(str(Fraction(number))), places, mode)
    expected = number.quantize(Decimal(1).scaleb(-places), rounding=DECIMAL[mode])
    assert made.text == signless(expected)
    assert made.places == places


@settings(deadline=None)
@given(st.fractions(max_denominator=10**6), st.integers(-3, 30), st.sampled_from(MODES))
def test_the_error_is_within_the_mode(number: Fraction, places: int, mode: Mode) -> None:
    made = round_rational(fmpq(number.numerator, number.denominator), places, mode).value
    error = (Fraction(int(made.p), int(made.q)) - number) * Fraction(10) ** places
    assert abs(error) <= Fraction(1, 2) or mode not in {Mode.HALF_UP, Mode.HALF_EVEN}
    assert abs(error) < 1
    assert error <= 0 or mode is not Mode.FLOOR
    assert error >= 0 or mode is not Mode.CEILING
    assert error * number <= 0 or mode is not Mode.TRUNCATE


@settings(deadline=None)
@given(decimals.filter(bool), st.integers(1, 12), st.sampled_from(MODES))
def test_significant_digits_as_the_decimal_module_rounds(number: Decimal, digits: int, mode: Mode) -> None:
    made = round_significant(rational(str(Fraction(number))), digits, mode)
    expected = decimal.Context(prec=digits, rounding=DECIMAL[mode]).plus(number)
    assert Decimal(made.text) == expected
    assert len(str(abs(made.units))) == digits


SIGNIFICANT: dict[str, tuple[str, int, str]] = {
    "carry": ("9.99", 2, "10"),
    "negative carry": ("-9.99", 2, "-10"),
    "carry to the point": ("99.9", 2, "100"),
    "carry below one": ("0.0999", 2, "0.10"),
    "whole hundreds": ("1234", 2, "1200"),
    "zeros that count": ("0.5", 3, "0.500"),
    "one digit": ("0.95", 1, "1"),
    "zero": ("0", 2, "0.0"),
    "small": ("0.000123", 2, "0.00012"),
}


@pytest.mark.parametrize(("text", "digits", "expected"), SIGNIFICANT.values(), ids=SIGNIFICANT)
def test_significant_digits(text: str, digits: int, expected: str) -> None:
    assert round_significant(rational(text), digits).text == expected


def test_more_digits_than_python_prints() -> None:
    assert round_significant(fmpq(1, 3), 6000).text == "0." + "3" * 6000
    assert round_rational(fmpq(2, 3), 6000).text == "0." + "6" * 5999 + "7"
    assert round_significant(fmpq(10**6000 - 1, 10**3000), 5000).text == "1" + "0" * 3000 + "." + "0" * 1999


@pytest.mark.parametrize("digits", [0, -3])
def test_at_least_one_significant_digit(digits: int) -> None:
    with pytest.raises(OptionError, match=f"{digits} significant digits; expected at least 1"):
        round_significant(fmpq(1), digits)


@pytest.mark.parametrize("places", [10**12, -(10**12), MAX_EXPONENT + 1])
def test_powers_of_ten_are_bounded(places: int) -> None:
    with pytest.raises(OptionError, match=f"{abs(places)} decimal places; expected at most {MAX_EXPONENT}"):
        power_of_ten(places)
    with pytest.raises(OptionError, match="decimal places"):
        round_rational(fmpq(1, 3), places)


@settings(deadline=None)
@given(st.integers(-(10**9), 10**9), st.integers(1, 10**9), st.sampled_from(MODES))
def test_whole_quotients(above: int, below: int, mode: Mode) -> None:
    expected = decimal.Context(prec=50).divide(Decimal(above), Decimal(below))
    exact = Fraction(above, below)
    if exact.denominator not in (1, 2):  # fifty digits tell every other quotient from a tie
        assert rounded_quotient(fmpz(above), fmpz(below), mode) == int(expected.to_integral_value(DECIMAL[mode]))
    else:
        assert rounded_quotient(fmpz(above), fmpz(below), mode) == int(
            Decimal(float(exact)).to_integral_value(DECIMAL[mode])
        )


@settings(deadline=None)
@given(decimals.filter(bool))
def test_magnitude_is_the_exponent_of_the_first_digit(number: Decimal) -> None:
    assert magnitude(rational(str(Fraction(number)))) == number.adjusted()


@pytest.mark.parametrize("exponent", [-400, -1, 0, 1, 400])
def test_magnitude_at_powers_of_ten(exponent: int) -> None:
    power = power_of_ten(exponent)
    assert magnitude(power) == exponent
    assert magnitude(-power) == exponent
    assert magnitude(power * fmpq(9999, 10000)) == exponent - 1


# ---- digits as they are written ----------------------------------------------------------------------------------

TEXTS: dict[str, tuple[Digits, str, str]] = {
    "two places": (Digits(170, 2), "1.70", "1.7"),
    "below one": (Digits(5, 3), "0.005", "0.005"),
    "negative below one": (Digits(-5, 3), "-0.005", "-0.005"),
    "whole": (Digits(12, 0), "12", "12"),
    "whole zeros stay": (Digits(120, 0), "120", "120"),
    "hundreds": (Digits(12, -2), "1200", "1200"),
    "zero hundreds": (Digits(0, -2), "0", "0"),
    "zero": (Digits(0, 2), "0.00", "0"),
    "only zeros after the point": (Digits(300, 2), "3.00", "3"),
}


@pytest.mark.parametrize(("digits", "text", "stripped"), TEXTS.values(), ids=TEXTS)
def test_texts(digits: Digits, text: str, stripped: str) -> None:
    assert digits.text == text
    assert digits.stripped == stripped
    assert digits.value == rational(text)


@settings(deadline=None)
@given(st.integers(-(10**12), 10**12), st.integers(0, 12))
def test_digits_read_back(units: int, places: int) -> None:
    digits = Digits(units, places)
    assert plain_digits(digits.text) == digits
    assert Fraction(digits.text) == Fraction(units, 10**places)


@settings(deadline=None)
@given(st.integers(-(10**9), 10**9), st.integers(0, 12), st.integers(0, 12))
def test_terminating_decimals(units: int, twos: int, fives: int) -> None:
    number = Fraction(units, 2**twos * 5**fives)
    digits = terminating_digits(fmpq(number.numerator, number.denominator))
    assert digits is not None
    assert Fraction(digits.text) == number
    assert digits.stripped == digits.text


@settings(deadline=None)
@given(st.integers(-(10**6), 10**6).filter(lambda n: n % 3), st.integers(1, 10**4))
def test_other_rationals_have_no_finite_decimal(above: int, below: int) -> None:
    assert terminating_digits(fmpq(above, 3 * below)) is None


PLAIN_VALUES: dict[str, Any] = {
    "1.7": fmpq(17, 10),
    "+2": fmpq(2),
    "-0.50": fmpq(-1, 2),
    "7/4": fmpq(7, 4),
    "1.5/2.5": fmpq(3, 5),
    "-3/1.5": fmpq(-2),
    "1/0": None,
    "1/0.0": None,
    "0/0": None,
    "1e5": None,
    "": None,
    ".5": None,
    "5.": None,
    "1/-2": None,
    "1/2/3": None,
    "1 000": None,
    "1_000": None,
    "nan": None,
    "١": None,
    "1\n": None,
    "9" * 401: None,
}


@pytest.mark.parametrize(("text", "value"), PLAIN_VALUES.items(), ids=lambda v: str(v)[:12])
def test_plain_values(text: str, value: Any) -> None:
    assert plain_value(text) == value


@pytest.mark.parametrize("text", ["", "+1", "1/3", ".5", "5.", "1e3", "1.2.3", "٣", "1\n", "-", "- 1"])
def test_plain_digits_refuse(text: str) -> None:
    assert plain_digits(text) is None


def test_long_plain_digits() -> None:
    digits = plain_digits("1" * 4000 + "." + "2" * 4000)
    assert digits is not None
    assert digits.text == "1" * 4000 + "." + "2" * 4000
    assert plain_digits("1" * 4001) is None
    assert decimal_text("-0." + "0" * 5000 + "1") == -power_of_ten(-5001)


# ---- rules and policies ------------------------------------------------------------------------------------------

RULES: dict[str, tuple[str, Rule]] = {
    "weights=3": ("weights", Rule(places=3)),
    "weights=0": ("weights", Rule(places=0)),
    "weights=places:4": ("weights", Rule(places=4)),
    "weights=digits:3": ("weights", Rule(places=None, digits=3)),
    "weights=half-up": ("weights", Rule(mode=Mode.HALF_UP)),
    "weights=half-even": ("weights", Rule(mode=Mode.HALF_EVEN)),
    "weights=truncate": ("weights", Rule(mode=Mode.TRUNCATE)),
    "weights=ceiling": ("weights", Rule(mode=Mode.CEILING)),
    "weights=floor": ("weights", Rule(mode=Mode.FLOOR)),
    "weights=1,floor,padded": ("weights", Rule(places=1, mode=Mode.FLOOR, padded=True)),
    "outputs=exact": ("outputs", Rule(exact=True)),
    "root=1.7": ("root", Rule(value=fmpq(17, 10), value_text="1.7")),
    "root=7/4": ("root", Rule(value=fmpq(7, 4), value_text="7/4")),
    "root=value:2": ("root", Rule(value=fmpq(2), value_text="2")),
    "root=1.7,shown:1.73": ("root", Rule(value=fmpq(17, 10), value_text="1.7", shown="1.73")),
    " weights = 3 , truncate ": ("weights", Rule(places=3, mode=Mode.TRUNCATE)),
    "weights=places:10000": ("weights", Rule(places=10000)),
}


@pytest.mark.parametrize(("text", "expected"), RULES.items(), ids=RULES)
def test_rules(text: str, expected: tuple[str, Rule]) -> None:
    assert parse_rule(text) == expected


USAGE = (
    "expected KIND=PLACES\\[,MODE\\], KIND=digits:N, KIND=VALUE or KIND=exact, such as weights=2,half-up or root=1.7"
)
BAD_RULES: dict[str, str] = {
    "weights": f"cannot read the rounding rule 'weights'; {USAGE}",
    "weights=": f"cannot read the rounding rule 'weights='; {USAGE}",
    "": f"cannot read the rounding rule ''; {USAGE}",
    "weights=up": f"cannot read 'up' in the rounding rule 'weights=up'; {USAGE}",
    "weights=2,": "cannot read '' in the rounding rule 'weights=2,'",
    "weights=1e5": "cannot read '1e5' in the rounding rule",
    "weights=1/0": "cannot read '1/0' in the rounding rule",
    "weights=shown:x": "cannot read 'shown:x' in the rounding rule",
    "weights=shown:-1": "cannot read 'shown:-1' in the rounding rule",
    "weights=digits:x": "cannot read 'digits:x' in the rounding rule",
    "weights=value:": "cannot read 'value:' in the rounding rule",
    "weights=places:half-up": "cannot read 'places:half-up' in the rounding rule",
    "weights=digits:0": "0 digits in 'weights=digits:0'; expected 1 to 10000",
    "weights=10001": "10001 places in 'weights=10001'; expected 0 to 10000",
    "weights=digits:10001": "10001 digits in 'weights=digits:10001'; expected 1 to 10000",
    "weight=2": f"unknown kind of quantity 'weight'; expected one of {', '.join(KINDS)}",
    "=2": "unknown kind of quantity ''; expected one of inputs",
}


@pytest.mark.parametrize(("text", "message"), BAD_RULES.items(), ids=BAD_RULES)
def test_bad_rules(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_rule(text)


def test_a_policy_rounds_to_two_places_unless_told() -> None:
    for kind in KINDS:
        rule = Policy().rule(kind)
        assert (rule.places, rule.digits, rule.mode, rule.value, rule.exact) == (2, None, Mode.HALF_UP, None, False)


def test_rules_are_laid_over_a_policy() -> None:
    base = Policy.parse(["root=1.7,shown:1.73", "weights=3,truncate"])
    later = Policy.parse(["weights=half-even", "root=3", "outputs=exact"], base)
    assert later.rule("weights") == Rule(places=3, mode=Mode.HALF_EVEN)
    assert later.rule("root") == Rule(places=3, shown="1.73")
    assert later.rule("outputs").exact
    assert base.rule("weights").mode is Mode.TRUNCATE
    assert not Policy.parse(["outputs=2"], later).rule("outputs").exact


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(OptionError, match="unknown kind of quantity 'softmax'; expected one of inputs, projections"):
        Policy().rule("softmax")
    with pytest.raises(OptionError, match="unknown kind of quantity 'softmax'"):
        Policy().with_rules({"softmax": Rule()})


@pytest.mark.parametrize(
    ("rule", "text"),
    [(Rule(), "1.18"), (Rule(places=0), "1"), (Rule(digits=2), "1.2"), (Rule(places=3, mode=Mode.TRUNCATE), "1.176")],
)
def test_a_rule_rounds(rule: Rule, text: str) -> None:
    assert rule.apply(fmpq(20, 17)).text == text
