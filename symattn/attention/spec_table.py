"""A spec's table, from TOML or Python, checked entry by entry and turned into a `Spec`.

Arrives: a dict. Leaves: a `Spec`, or one error that names the place, what was found and what was expected.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
from flint import fmpq

from symattn.attention.places import Place
from symattn.attention.shapes import check_shapes
from symattn.attention.spec import GIVEN, Language, Matrix, Spec, key_width
from symattn.errors import ReadError, ShapeError, SpecError, SymattnError, quoted
from symattn.numbers.arithmetic import Letter
from symattn.numbers.reader import read_number, read_positive
from symattn.numbers.rounding import KINDS, MAX_PLACES, Mode, Policy, Rule, plain_value

MAX_TOKENS: Final = 4096
MAX_ENTRIES: Final = 4_000_000
MAX_TOKEN_LENGTH: Final = 200
MAX_TITLE_LENGTH: Final = 1_000


class _RuleTable(msgspec.Struct, forbid_unknown_fields=True):
    places: int | None = None
    digits: int | None = None
    mode: str = Mode.HALF_UP.value
    padded: bool = False
    exact: bool = False
    value: Any = None
    shown: Any = None


class _SpecTable(msgspec.Struct, forbid_unknown_fields=True):
    tokens: list[str]
    title: str = ""
    language: Language = "en"
    d_k: Any = None
    embedding: dict[str, Any] | None = None
    matrices: dict[str, Any] = {}
    rounding: dict[str, Any] = {}


WANTED: Final = {
    _SpecTable: "one of tokens, title, language, d_k, X, embedding, matrices, rounding",
    _RuleTable: f"some of {', '.join(_RuleTable.__struct_fields__)}",
    list[Any]: "a list of numbers, as in [1, 0]",
    list[list[Any]]: "a list of rows, as in [[1, 0], [0, 1]]",
}
KINDS_OF_TOML: Final = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
    "decimal": "a number",
}


def spec_of(table: dict[str, Any], place: Place) -> Spec:
    """The spec that a table describes; the table is left as it was.

    Raises: SpecError, ShapeError or ReadError with the place of what was found.
    """
    for key, value in table.items():
        if isinstance(value, (set, frozenset)):
            raise SpecError("found a set, which has no order", where=place.at(str(key)), expected="a list")
    given = {name: table[name] for name in GIVEN if name in table}
    rest = {name: value for name, value in table.items() if name not in GIVEN}
    parsed = _converted(rest, _SpecTable, place, "")
    _check_tokens(parsed.tokens, place)
    if len(parsed.title) > MAX_TITLE_LENGTH:
        problem = f"a title of {len(parsed.title):,} characters"
        raise SpecError(problem, where=place.at("title"), expected=f"at most {MAX_TITLE_LENGTH:,}")
    _check_text(parsed.title, place.at("title"), "the title")
    if twice := given.keys() & parsed.matrices.keys():
        name = min(twice)
        raise SpecError(f"{name} is given twice", where=place.at(f"matrices.{name}"), expected="one of them")
    matrices = {name: _matrix(name, rows, place) for name, rows in {**given, **parsed.matrices}.items()}
    if parsed.embedding is not None:
        if "X" in matrices:
            raise SpecError("X is given beside an embedding", where=place.at("matrices.X"), expected="one of them")
        matrices["X"] = _looked_up(parsed.tokens, parsed.embedding, place)
    check_shapes(parsed.tokens, matrices, place)
    d_k = _read_d_k(parsed.d_k, matrices, place)
    return Spec(
        tokens=tuple(parsed.tokens),
        matrices=_with_one_letter(matrices, d_k) if isinstance(d_k, Letter) else matrices,
        d_k=d_k,
        title=parsed.title,
        language=parsed.language,
        policy=_read_policy(parsed.rounding, place),
        source=place.source,
    )


def _converted(found: Any, wanted: Any, place: Place, key: str) -> Any:
    """What was found, as the type that is wanted there."""
    try:
        return msgspec.convert(found, wanted)
    except msgspec.ValidationError as error:
        raise _restated(str(error), wanted, place, key) from error


def _matrix(name: str, rows: Any, place: Place) -> Matrix:
    key = f"matrices.{name}"
    if name not in GIVEN:
        raise _unknown("unknown matrix", name, GIVEN, place.at(key))
    try:
        plain = _plain_rows(rows)
    except ShapeError as error:
        raise error.within(place.at(key)) from error
    return _read_matrix(_converted(plain, list[list[Any]], place, key), place, key)


def _unknown(problem: str, name: str, known: Sequence[str], where: str) -> SpecError:
    close = difflib.get_close_matches(name, known, 1)
    hint = f"Did you mean {close[0]}?" if close else ""
    return SpecError(problem, where=where, expected=f"one of {', '.join(known)}", hint=hint)


def _plain_rows(rows: Any) -> Any:
    """Lists of rows from NumPy arrays and SymPy matrices, entries untouched."""
    if hasattr(rows, "shape") and hasattr(rows, "tolist"):
        if len(rows.shape) != 2:
            raise ShapeError(f"an array of shape {tuple(rows.shape)} is no matrix", expected="two dimensions")
        return [[rows[i, j] for j in range(rows.shape[1])] for i in range(rows.shape[0])]
    if isinstance(rows, Sequence) and not isinstance(rows, str):
        return [_plain_row(row) for row in rows]
    return rows


def _plain_row(row: Any) -> Any:
    """A row as a list: of a tuple, a one-dimensional array, a SymPy row."""
    if isinstance(row, (set, frozenset)):
        raise ShapeError("found a set, which has no order", expected="a list")
    if hasattr(row, "tolist") and hasattr(row, "shape"):
        return [row[i] for i in range(row.shape[0])] if len(row.shape) == 1 else list(row)
    return list(row) if isinstance(row, Sequence) and not isinstance(row, str) else row


def _restated(message: str, wanted: Any, place: Place, key: str) -> SpecError:
    """Msgspec's message in the words of a spec."""
    text, _, path = message.partition(" - at ")
    if path.startswith("`key` in "):
        inner = path.removeprefix("`key` in ").strip("`").removeprefix("$").lstrip(".")
        return SpecError("a key is no text", where=place.at(inner) if inner else place.source, expected="names as keys")
    inner = path.strip("`").removeprefix("$").lstrip(".")
    full = f"{key}.{inner}".strip(".") if not inner.startswith("[") else key + inner
    where = place.at(full.split("[")[0], _position(full)) if full else place.source
    if unknown := re.search(r"unknown field `([^`]*)`", text):
        names = [*wanted.__struct_fields__, *(GIVEN if wanted is _SpecTable else ())]
        return _unknown("unknown key", unknown[1], names, place.at(f"{key}.{unknown[1]}".strip(".")))
    if missing := re.search(r"missing required field `([^`]*)`", text):
        return SpecError(f"{missing[1]} is missing", where=where, expected=f'{missing[1]} = ["...", "..."]')
    if simple := re.fullmatch(r"Expected `([^`]+)`, got `([^`]+)`", text):
        expected = WANTED.get(wanted, "") if not inner or wanted not in {_SpecTable, _RuleTable} else ""
        names_of = [KINDS_OF_TOML.get(name, name) for name in simple[1].split(" | ") if name != "null"]
        return SpecError(
            f"found {KINDS_OF_TOML.get(simple[2], simple[2])}", where=where, expected=expected or " or ".join(names_of)
        )
    if invalid := re.fullmatch(r"Invalid enum value (.+)", text):
        return SpecError(f"found {invalid[1]}", where=where, expected="zh or en")
    return SpecError(text, where=where)


def _position(path: str) -> str:
    """`[0][2]` of a path as words."""
    indices = [int(index) + 1 for index in re.findall(r"\[(\d+)\]", path)]
    if not indices:
        return ""
    return f", entry {indices[0]}" if path.startswith("tokens") else f", row {indices[0]}"


def _check_tokens(tokens: Sequence[str], place: Place) -> None:
    if not tokens:
        raise SpecError("no tokens", where=place.at("tokens"), expected="at least one word")
    if len(tokens) > MAX_TOKENS:
        raise SpecError(f"{len(tokens):,} tokens", where=place.at("tokens"), expected=f"at most {MAX_TOKENS:,}")
    for number, token in enumerate(tokens, 1):
        where = place.at("tokens", f", word {number}")
        if len(token) > MAX_TOKEN_LENGTH:
            raise SpecError(f"a word of {len(token):,} characters", where=where, expected=f"at most {MAX_TOKEN_LENGTH}")
        _check_text(token, where, "the word")


def _check_text(text: str, where: str, what: str) -> None:
    for character in text:
        if unicodedata.category(character) in {"Cc", "Cs"}:
            raise SpecError(
                f"{what} holds the control character U+{ord(character):04X}",
                where=where,
                expected="printable text",
            )


def _read_matrix(rows: Sequence[Sequence[Any]], place: Place, key: str) -> Matrix:
    if not rows or not rows[0]:
        raise ShapeError("the matrix is empty", where=place.at(key), expected="at least one row and one column")
    width = len(rows[0])
    if len(rows) * width > MAX_ENTRIES:
        raise SpecError(
            f"{len(rows)} x {width} entries", where=place.at(key), expected=f"at most {MAX_ENTRIES:,} entries"
        )
    out = []
    for i, row in enumerate(rows, 1):
        if len(row) != width:
            raise ShapeError(
                f"row {i} has {_counted(len(row))}, row 1 has {width}",
                where=place.at(key),
                expected="rows of equal length",
            )
        out.append(_read_row(row, place, key, f", row {i}"))
    return tuple(out)


def _counted(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries} entries"


def _read_row(row: Sequence[Any], place: Place, key: str, detail: str) -> tuple[Any, ...]:
    out = []
    for j, found in enumerate(row, 1):
        if type(found) is int and -(1 << 62) < found < 1 << 62:  # most entries: no need for the reader
            out.append(fmpq(found))
            continue
        try:
            out.append(read_number(found))
        except SymattnError as error:
            raise error.within(place.at(key, f"{detail}, column {j}")) from error
    return tuple(out)


def _looked_up(tokens: Sequence[str], table: Mapping[str, Any], place: Place) -> Matrix:
    widths: dict[int, str] = {}
    rows: dict[str, tuple[Any, ...]] = {}
    for word, found in table.items():
        key = f"embedding.{word}"
        try:
            vector = _converted(_plain_row(found), list[Any], place, key)
        except ShapeError as error:
            raise error.within(place.at(key)) from error
        widths.setdefault(len(vector), word)
        rows[word] = _read_row(vector, place, key, "")
    if len(widths) > 1:
        (first, word), (other, second) = list(widths.items())[:2]
        raise ShapeError(
            f"{quoted(second)} has {_counted(other)}, {quoted(word)} has {first}",
            where=place.at(f"embedding.{second}"),
            expected="vectors of equal length",
        )
    if 0 in widths:
        raise ShapeError("the vectors are empty", where=place.at("embedding"), expected="at least one entry")
    for token in tokens:
        if token not in rows:
            known = ", ".join(quoted(word) for word in list(rows)[:8]) or "none"
            raise SpecError(
                f"no vector for the word {quoted(token)}",
                where=place.at("embedding"),
                expected=f"one for each token (there are: {known})",
            )
    return tuple(rows[token] for token in tokens)


def _read_d_k(found: Any, matrices: Mapping[str, Matrix], place: Place) -> Any:
    if found is None:
        return fmpq(key_width(matrices))
    try:
        value = read_positive(found)
    except SymattnError as error:
        raise error.within(place.at("d_k")) from error
    if not isinstance(value, fmpq) and value.is_Symbol:
        return Letter(str(value.name))
    return value


def _with_one_letter(matrices: Mapping[str, Matrix], d_k: Letter) -> Mapping[str, Matrix]:
    """The matrices with the letter of d_k as positive as it is there: one name is one symbol."""

    def same(entry: Any) -> Any:
        if isinstance(entry, fmpq):
            return entry
        return entry.xreplace({symbol: d_k.to_sympy() for symbol in entry.free_symbols if symbol.name == d_k.name})

    return {name: tuple(tuple(map(same, row)) for row in rows) for name, rows in matrices.items()}


def _read_policy(tables: Mapping[str, Any], place: Place) -> Policy:
    rules: dict[str, Rule] = {}
    for kind, found in tables.items():
        key = f"rounding.{kind}"
        where = place.at(key)
        if kind not in KINDS:
            raise _unknown("unknown kind of quantity", kind, KINDS, where)
        rules[kind] = _read_rule(_converted(found, _RuleTable, place, key), where)
    return Policy().with_rules(rules)


def _read_rule(table: _RuleTable, where: str) -> Rule:
    if table.places is not None and table.digits is not None:
        raise SpecError("both places and digits", where=where, expected="one of them")
    for label, count, low in (("places", table.places, 0), ("digits", table.digits, 1)):
        if count is not None and not low <= count <= MAX_PLACES:
            raise SpecError(f"{label} = {count}", where=where, expected=f"{low} to {MAX_PLACES}")
    if table.mode not in {mode.value for mode in Mode}:
        raise SpecError(
            f"mode = {quoted(table.mode)}",
            where=where,
            expected=f"one of {', '.join(mode.value for mode in Mode)}",
        )
    rule = Rule(
        places=None if table.digits is not None else 2 if table.places is None else table.places,
        digits=table.digits,
        mode=Mode(table.mode),
        padded=table.padded,
        exact=table.exact,
        shown=_decimal(table.shown, where, "shown") if table.shown is not None else "",
    )
    if table.value is None:
        return rule
    text = _decimal(table.value, where, "value")
    value = plain_value(text)
    if value is None:
        raise ReadError(f"value = {quoted(text)}", where=where, expected='a decimal or a fraction, such as "1.7"')
    return replace(rule, value=value, value_text=text)


def _decimal(found: Any, where: str, label: str) -> str:
    text = str(found)
    value = None if isinstance(found, bool) else plain_value(text)
    if value is None or value <= 0:
        raise ReadError(
            f"{label} = {quoted(text)}", where=where, expected='a positive decimal or fraction, such as "1.7"'
        )
    return text
