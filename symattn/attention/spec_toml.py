"""Specs written as TOML, to be read back as the same specs.

Arrives: a `Spec`, or the table that `load_spec` takes. Leaves: TOML text. Every value is exact: whole numbers, finite
decimals, and texts such as "1/3" or "sqrt(2)"; words and titles are quoted so that no character in them can end them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq

from symattn.errors import SpecError, quoted
from symattn.numbers.arithmetic import Letter
from symattn.numbers.reader import read_number
from symattn.numbers.rounding import Mode, plain_value, terminating_digits

if TYPE_CHECKING:
    import sympy

    from symattn.attention.spec import Spec
    from symattn.numbers.rounding import Rule

WIDTH: Final = 100
"""A matrix of more characters has a line for each row."""
MAX_WHOLE: Final = 10**600
_BARE: Final = re.compile(r"[A-Za-z0-9_-]{1,80}")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def spec_toml(spec: Spec) -> str:
    """The TOML text of a spec, which `load_spec` reads back to the same tokens, matrices, d_k, title and rounding.

    Raises: SpecError for an entry that no text stands for.

    >>> from symattn import load_spec
    >>> print(spec_toml(load_spec({"tokens": ["a"], "Q": [["1/3"]], "K": [[0.5]], "V": [["x"]], "d_k": 2})), end="")
    tokens = ["a"]
    d_k = 2
    <BLANKLINE>
    [matrices]
    Q = [["1/3"]]
    K = [[0.5]]
    V = [["x"]]
    """
    return table_toml(spec_table(spec))


def spec_table(spec: Spec) -> dict[str, Any]:
    """The table of a spec, as `load_spec` takes it.

    >>> from symattn import load_spec
    >>> load_spec(spec_table(load_spec())) == load_spec(spec_table(load_spec()))
    True
    """
    table: dict[str, Any] = {"title": spec.title} if spec.title else {}
    if spec.language != "en":
        table["language"] = spec.language
    table["tokens"] = list(spec.tokens)
    table["d_k"] = spec.d_k.name if isinstance(spec.d_k, Letter) else plain(spec.d_k)
    table["matrices"] = {name: [[plain(x) for x in row] for row in rows] for name, rows in spec.matrices.items()}
    rounding = {kind: _rule(rule) for kind, rule in spec.policy.rules.items()}
    if rounding:
        table["rounding"] = rounding
    return table


def table_toml(table: Mapping[str, Any], remarks: Iterable[str] = ()) -> str:
    r"""The TOML text of a table that `load_spec` takes; `remarks` become comments above it.

    >>> print(table_toml({"tokens": ["a"], "V": [[fmpq(1, 3)]]}, ["V of line 3"]), end="")
    # V of line 3
    tokens = ["a"]
    V = [["1/3"]]
    """
    lines = [f"# {_comment(remark)}" for remark in remarks]
    plain_keys = [key for key, value in table.items() if not isinstance(value, Mapping)]
    lines += [f"{_key(key)} = {_value(table[key])}" for key in plain_keys]
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{_key(key)}]", *(f"{_key(name)} = {_value(inner)}" for name, inner in value.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def plain(value: Any) -> int | str | fmpq:
    """An exact value as a table holds it: a whole number, a fmpq with a finite decimal, or a text.

    Raises: SpecError for what no text stands for.

    >>> plain(fmpq(3)), plain(fmpq(1, 4)), plain(fmpq(1, 3))
    (3, 1/4, '1/3')
    """
    if isinstance(value, fmpq):
        if value.q == 1:
            return int(value.p) if abs(value.p) < MAX_WHOLE else _fraction(value)
        return value if _decimal(value) else _fraction(value)
    text = _expression(value)
    if read_number(text) != value and _without_signs(read_number(text)) != _without_signs(value):
        raise SpecError(f"no text stands for {quoted(value)}", expected="numbers, roots, e, pi and letters")
    return text


def string(text: str) -> str:
    r"""A text in quotes, as TOML reads it back.

    >>> print(string('a "b" \\ c\x7f'))
    "a \"b\" \\ c\u007F"
    """
    return '"' + "".join(map(_character, text)) + '"'


# the pieces of a text


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        raise SpecError(f"half a character, U+{code:04X}", expected="text")
    # Unicode's marks of direction and line ends would show another text than the one that is read
    if character.isprintable() or character in "\u200d\ufe0f":
        return character
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _comment(remark: str) -> str:
    return "".join(c if c.isprintable() else " " for c in remark)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else string(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, fmpq):
        made = plain(value)
        return _decimal(value) if isinstance(made, fmpq) else _value(made)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(inner)}" for name, inner in value.items()) + " }"
    if isinstance(value, Sequence):
        return _list(value)
    return _value(plain(value))


def _list(items: Sequence[Any]) -> str:
    texts = [_value(item) for item in items]
    line = f"[{', '.join(texts)}]"
    if len(line) <= WIDTH or not any(isinstance(item, Sequence) and not isinstance(item, str) for item in items):
        return line
    return "[\n" + "".join(f"    {text},\n" for text in texts) + "]"


def _decimal(value: fmpq) -> str:
    """The finite decimal of a number, empty where there is none, or none of a sensible length."""
    digits = terminating_digits(value)
    return digits.text if digits and digits.places <= 200 and abs(value.p) < MAX_WHOLE else ""


def _fraction(value: fmpq) -> str:
    return f"{value.p}/{value.q}" if value.q != 1 else str(value.p)


def _rule(rule: Rule) -> dict[str, Any]:
    table: dict[str, Any] = {}
    if rule.value is not None:
        table["value"] = rule.value_text if plain_value(rule.value_text) == rule.value else _fraction(rule.value)
    if rule.shown:
        table["shown"] = rule.shown
    if rule.digits is not None:
        table["digits"] = rule.digits
    elif rule.places is not None and (rule.places != 2 or (rule.value is None and not rule.exact)):
        table["places"] = rule.places
    if rule.mode is not Mode.HALF_UP:
        table["mode"] = rule.mode.value
    table |= {name: True for name in ("padded", "exact") if getattr(rule, name)}
    return table


# expressions, in the grammar of the reader


def _without_signs(value: Any) -> Any:
    """A value with letters that are known by their names alone."""
    if isinstance(value, fmpq):
        return value
    import sympy

    return value.xreplace({symbol: sympy.Symbol(symbol.name) for symbol in value.free_symbols})


def _expression(value: sympy.Expr) -> str:
    import sympy

    if value.is_Rational:
        return f"{value.p}/{value.q}" if value.q != 1 else str(value.p)
    if value.is_Symbol:
        return str(value.name)
    named = {sympy.E: "e", sympy.pi: "pi"}.get(value)
    if named:
        return named
    if value.is_Add:
        return " + ".join(_factor(term) if term.is_Add else _expression(term) for term in value.args)
    if value.is_Mul:
        return "*".join(map(_factor, value.args))
    if isinstance(value, sympy.exp):
        return f"exp({_expression(value.args[0])})"
    if value.is_Pow:
        if value.exp.is_Rational and value.exp.q == 2:
            root = f"sqrt({_expression(value.base)})"
            return root if value.exp.p == 1 else f"{root}^{_bracketed(sympy.Integer(value.exp.p))}"
        return f"{_bracketed(value.base)}^{_bracketed(value.exp)}"
    raise SpecError(f"no text stands for {quoted(value)}", expected="numbers, roots, e, pi and letters")


def _factor(value: sympy.Expr) -> str:
    text = _expression(value)
    return f"({text})" if value.is_Add or text.startswith("-") or "/" in text else text


def _bracketed(value: sympy.Expr) -> str:
    text = _expression(value)
    return text if value.is_Symbol or (value.is_Integer and value >= 0) else f"({text})"
