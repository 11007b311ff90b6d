r"""A number written anew in its author's own way: sign, decimal sign, grouping, padding, percent.

Arrives: a source, the place of a number in it, and the decimal that belongs there. Leaves: what to put in its place, or
the reason why that is not certain. Decimal points may be `.`, `,` or `{,}`; groups of three may be parted by commas,
spaces, `\,`, apostrophes; signs may be `-`, `−` or an entity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from flint import fmpq

from symattn.errors import quoted
from symattn.numbers.rounding import Digits, plain_digits, power_of_ten

_MINUS: Final = r"(?:[-\u2212\u2013\ufe63\uff0d]|&minus;|&#8722;|&#[xX]2212;|\\u2212)"
_SPACE: Final = r"(?:[ \t\u00a0\u2007\u2009\u202f]|\{\}|&(?:nbsp|thinsp|#160|#8201|#8239);)"
_SEPARATOR: Final = (
    r"\{,\}|\{\.\}|\{\\,\}|~|\\{1,2}[,;:! ]|&(?:nbsp|thinsp|#160|#8201|#8239|#[xX]202[fF]);|\\u(?:00a0|2009|202f)"
    r"|[.,'\u2019_ \u00a0\u2007\u2009\u202f]"
)
_NUMBER: Final = re.compile(
    rf"(?P<sign>\+|{_MINUS})?(?P<gap>{_SPACE}*)(?P<body>[0-9]*(?:(?:{_SEPARATOR})[0-9]+)*(?P<point>\.)?)"
    rf"(?P<exponent>[eE][+-]?[0-9]{{1,3}})?(?P<tail>(?:{_SPACE}|~|\\{{1,2}}[,;: ])*(?:\\{{0,2}}%|\uff05|&percnt;))?"
)
_RUN: Final = re.compile(rf"({_SEPARATOR})([0-9]+)")
_OUTSIDE: Final = re.compile(rf"{_MINUS}{_SPACE}*$")
_OPENS: Final = re.compile(
    r"(?:^|[\n$=\u2248\u2192(\[{,&:;|>\u3010\uff1a\uff0c]|\\(?:approx|to|quad|qquad|simeq|rightarrow|Rightarrow)|\\\\)\s*$"
)
_POINTS: Final = frozenset({".", "{.}"})
_EITHER: Final = frozenset({",", "{,}"})
MAX_LENGTH: Final = 1_500


@dataclass(frozen=True, slots=True)
class Respelt:
    """What stands at source[start:end] afterwards."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read a number: its digits, and how its author wrote them."""

    units: int
    places: int
    decimal: str
    group: str
    bare: bool
    """Whether nothing stands before the decimal sign."""

    def written(self, digits: Digits) -> str:
        """A number that is not negative, in this style."""
        whole, _, fraction = digits.text.partition(".")
        if self.group:
            head = len(whole) % 3
            parts = ([whole[:head]] if head else []) + [whole[i : i + 3] for i in range(head, len(whole), 3)]
            whole = self.group.join(parts)
        if self.bare and whole == "0" and fraction:
            whole = ""
        point = self.decimal or ("." if fraction else "")
        return whole + point + fraction


def respell(source: str, span: tuple[int, int], text: str, expected: str) -> Respelt | str:
    r"""The number at `span`, which was read as `text`, written anew with the value `expected`; or why it is not done.

    >>> respell("= 1.17$", (2, 6), "1.17", "1.18").text, respell(r"8{,}886", (0, 7), "8886", "8887").text
    ('1.18', '8{,}887')
    >>> respell(r"\a", (0, 2), "1.17", "1.18")
    "the file writes it as '\\a'"
    """
    start, end = span
    raw = source[start:end]
    found = _parsed(raw)
    same = _digits_of(raw) == _digits_of(text)
    if found is None or not same:
        return f"the file writes it as {quoted(raw)}"
    match, readings = found
    percent, exponent = match["tail"] or "", match["exponent"] or ""
    target = _target(expected)
    if target is None:
        return f"{quoted(expected)} is no plain decimal"
    fitting = _fitting(readings, target, percent=bool(percent) and "%" not in expected, exponent=exponent)
    if isinstance(fitting, str):
        return fitting
    reading, digits = fitting
    body = reading.written(Digits(abs(digits.units), digits.places))
    return _signed(source, span, match, body + exponent + percent, text, negative=digits.units < 0, reading=reading,
                   size=abs(digits.units))  # fmt: skip


def _parsed(raw: str) -> tuple[re.Match[str], list[_Reading]] | None:
    match = _NUMBER.fullmatch(raw) if len(raw) <= MAX_LENGTH else None
    if match is None or not any(c.isdigit() for c in match["body"]):
        return None
    readings = _readings(match["body"])
    return (match, readings) if readings else None


def _readings(body: str) -> list[_Reading]:
    """The ways to read digits with signs between them: the last one may be decimal, those before part groups."""
    point = body.endswith(".")
    first = re.match(r"[0-9]*", body)
    head = first[0] if first else ""
    runs = _RUN.findall(body, len(head))
    signs = [sign for sign, _ in runs]
    whole_digits = head + "".join(digits for _, digits in runs)
    out = []
    grouped = bool(head) and len(head) <= 3 and all(len(digits) == 3 for _, digits in runs)
    if not runs or (grouped and len(set(signs)) == 1 and signs[0] not in _POINTS):
        out.append(_Reading(int(whole_digits), 0, "." if point else "", signs[0] if signs else "", bare=False))
    if runs and not point:
        sign, fraction = runs[-1]
        others = runs[:-1]
        parted = (
            not others
            or (bool(head) and len(head) <= 3 and len({s for s, _ in others}) == 1 and others[0][0] != sign
                and all(len(digits) == 3 for _, digits in others))
        )  # fmt: skip
        if sign in _POINTS | _EITHER and parted and (head or not others):
            group = others[0][0] if others else ""
            out.append(_Reading(int(whole_digits), len(fraction), sign, group, bare=not head))
    return out


def _digits_of(text: str) -> str:
    plain = re.sub(r"&#?[A-Za-z0-9]{1,8};|\\u[0-9a-fA-F]{4}|[eE][+-]?[0-9]+$", "", text)
    return "".join(c for c in plain if c in "0123456789")


def _target(expected: str) -> Digits | None:
    plain = expected.strip().replace("\u2212", "-").rstrip("%").rstrip("\\").strip()
    return plain_digits(plain)


def _fitting(
    readings: list[_Reading], target: Digits, *, percent: bool, exponent: str
) -> tuple[_Reading, Digits] | str:
    """The reading that has as many places as the target, and the target's digits in its unit."""
    power = (int(exponent[1:]) if exponent else 0) - (2 if percent else 0)
    shifted = Digits(target.units, target.places + power)
    choices = [(reading, shifted) for reading in readings if reading.places == max(shifted.places, 0)]
    if not choices and percent:
        # 85 beside 86: the decimal was given in percent already
        choices = [(reading, target) for reading in readings if reading.places == target.places]
    if not choices and len(readings) == 1 and not percent:
        choices = [(readings[0], shifted)]
    if len(choices) != 1:
        return "its decimal sign or its unit is not certain"
    reading, digits = choices[0]
    places = max(digits.places, reading.places, 0)
    units = digits.value * power_of_ten(places)
    return (reading, Digits(int(units.p), places)) if units.q == 1 else "its digits do not fit"


def _signed(
    source: str, span: tuple[int, int], match: re.Match[str], number: str, text: str, *, negative: bool,
    reading: _Reading, size: int,
) -> Respelt | str:  # fmt: skip
    """The number with its sign, which may stand before the span."""
    start, end = span
    sign, gap = match["sign"] or "", match["gap"]
    if sign == "+" and negative:
        return Respelt(start, end, "-" + gap + number)
    if sign == "+":
        return Respelt(start, end, sign + gap + number)
    if sign:
        return Respelt(start, end, (sign + gap if negative else "") + number)
    before = source[max(0, start - 40) : start]
    outside = _OUTSIDE.search(before)
    minus = start - len(before) + outside.start() if outside else start
    unary = bool(outside) and bool(_OPENS.search(source[max(0, minus - 40) : minus]))
    if outside and (negative or not (_is_negative(text) or (size == reading.units and unary))):
        return Respelt(start, end, number)
    if outside:
        return Respelt(minus, end, number) if unary else "its sign changes inside of a sum"
    if not negative:
        return Respelt(start, end, number)
    if not _OPENS.search(before):
        return "its sign changes inside of a sum"
    return Respelt(start, end, _minus_of(source) + number)


def _is_negative(text: str) -> bool:
    return bool(re.match(rf"\s*{_MINUS}", text))


def _minus_of(source: str) -> str:
    return "\u2212" if re.search(r"\u2212\s?[0-9]", source) and not re.search(r"-[0-9]", source) else "-"


def value_of(expected: str) -> fmpq | None:
    """The value of a decimal as it is expected; None for what is none.

    >>> value_of("1.18"), value_of("85%"), value_of("1/3")
    (59/50, 17/20, None)
    """
    digits = _target(expected)
    if digits is None:
        return None
    return digits.value / 100 if "%" in expected else digits.value
