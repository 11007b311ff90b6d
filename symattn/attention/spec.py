"""A worked example as it is given: tokens, matrices, d_k and a rounding policy.

Arrives: a TOML file, or the same from Python as a dict of lists, NumPy arrays or SymPy matrices. Leaves: a frozen
`Spec` of exact values. Everything in a file is untrusted: it is bounded, checked and read without evaluating.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from flint import fmpq

from symattn.errors import ReadError, ShapeError, SpecError, SymattnError, quoted
from symattn.numbers.arithmetic import Letter
from symattn.numbers.reader import read_number, read_positive
from symattn.numbers.rounding import KINDS, MAX_PLACES, Mode, Policy, Rule, plain_value

if TYPE_CHECKING:
    import sympy

MAX_BYTES: Final = 16 * 1024 * 1024
MAX_TOKENS: Final = 4096
MAX_ENTRIES: Final = 4_000_000
MAX_TOKEN_LENGTH: Final = 200
GIVEN: Final = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V")
BUNDLED: Final = "time-machine"

Matrix = tuple[tuple[Any, ...], ...]
Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Spec:
    """A worked example, exact and checked.

    `matrices` holds what was given of X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v),
    Q and K (n, d_k), V (n, d_v). Entries are fmpq, or SymPy expressions where letters, roots or π stand.
    """

    tokens: tuple[str, ...]
    matrices: Mapping[str, Matrix]
    d_k: fmpq | sympy.Expr | Letter
    title: str = ""
    language: Language = "en"
    policy: Policy = field(default_factory=Policy)
    source: str = "spec"

    def get(self, name: str) -> Matrix | None:
        """A given matrix, or None."""
        return self.matrices.get(name)

    @property
    def rational(self) -> bool:
        """Whether every entry is rational."""
        return all(isinstance(entry, fmpq) for rows in self.matrices.values() for row in rows for entry in row)

    @property
    def free(self) -> bool:
        """Whether d_k stays a letter."""
        return isinstance(self.d_k, Letter)

    def with_rounding(self, rules: Sequence[str]) -> Spec:
        """The spec with rounding rules such as `weights=3,half-even` laid over its own.

        >>> load_spec().with_rounding(["weights=3"]).policy.rule("weights").places
        3
        """
        return replace(self, policy=Policy.parse(list(rules), self.policy))

    @property
    def name(self) -> str:
        """A name for files: letters, digits, dots and hyphens only.

        >>> Spec((), {}, Letter(), source="../My lesson.toml").name
        'My-lesson'
        """
        stem = Path(self.source).stem or "spec"
        return re.sub(r"[^\w.-]+", "-", stem).strip(".-")[:80] or "spec"


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
    embedding: dict[str, list[Any]] | None = None
    matrices: dict[str, list[list[Any]]] = {}
    rounding: dict[str, _RuleTable] = {}


def load_spec(source: str | Path | Mapping[str, Any] | Spec | None = None) -> Spec:
    """The spec of a TOML file, of a dict, or of the bundled example.

    Shapes: X (n, d_model), W_Q (d_model, d_k), Q (n, d_k) and so on, n the number of tokens.
    Raises: SpecError, ShapeError or ReadError, naming the file, the place, what was found and what was expected.

    >>> load_spec().tokens
    ('Time', 'Machine')
    >>> load_spec({"tokens": ["a"], "Q": [["1/2"]], "K": [[2]], "V": [["x"]]}).get("Q")
    ((1/2,),)
    """
    if isinstance(source, Spec):
        return source
    if isinstance(source, Mapping):
        return _from_table(dict(source), "spec", {})
    if source is None or (str(source) == BUNDLED and not Path(BUNDLED).exists()):
        name = f"{BUNDLED}.toml"
        return parse_spec((resources.files("symattn.examples") / name).read_text("utf-8"), name)
    path = Path(source)
    return parse_spec(_read_text(path), str(path))


def parse_spec(text: str, source: str = "spec") -> Spec:
    """The spec written in a TOML text; `source` is the name that errors give it."""
    try:
        table = tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
        if not re.search(r"^\s*[\w\[]", text):
            problem += " (is this a TOML file?)"
        raise SpecError(problem, where=source, expected='TOML, as in `tokens = ["a", "b"]`') from error
    except RecursionError as error:
        raise SpecError("values are nested too deeply", where=source, expected="matrices as lists of rows") from error
    return _from_table(table, source, _key_lines(text))


def _read_text(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise SpecError(f"the file has {size:,} bytes", where=str(path), expected=f"at most {MAX_BYTES:,} bytes")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError(
            f"cannot read the spec: {reason}", where=quoted(str(path), 120), expected="a readable TOML file"
        ) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError(
            f"byte 0x{data[error.start]:02x} is not UTF-8", where=f"{path}:{line}", expected="TOML in UTF-8"
        ) from error


_TABLE = re.compile(r"\[\s*([\w-]{1,80})\s*\]")
_KEY = re.compile(r"([\w-]{1,80}|\"[^\"]{1,200}\")\s*=")


def _key_lines(text: str) -> dict[str, int]:
    """The line on which each key of a spec stands, for messages."""
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()[:300]
        if match := _TABLE.match(stripped):
            table = match[1] + "."
            lines.setdefault(match[1], number)
        elif match := _KEY.match(stripped):
            lines.setdefault(table + match[1].strip('"'), number)
    return lines


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a spec something stands."""

    source: str
    lines: Mapping[str, int]

    def at(self, key: str, detail: str = "") -> str:
        line = self.lines.get(key) or self.lines.get(key.split(".")[-1])
        place = f"{self.source}:{line}" if line else self.source
        return f"{place}: {key}{detail}"


def _from_table(table: dict[str, Any], source: str, lines: Mapping[str, int]) -> Spec:
    place = _Place(source, lines)
    given = {name: table.pop(name) for name in GIVEN if name in table}
    inner = table.get("matrices", {})
    if not isinstance(inner, Mapping):
        raise SpecError(f"found {quoted(inner)}", where=place.at("matrices"), expected="a table of matrices")
    table["matrices"] = {name: _plain_rows(rows) for name, rows in {**given, **inner}.items()}
    try:
        parsed = msgspec.convert(table, _SpecTable)
    except msgspec.ValidationError as error:
        raise _restated(str(error), place) from error
    _check_tokens(parsed.tokens, place)
    matrices = {
        name: _read_matrix(rows, place, f"matrices.{name}")
        for name, rows in _known_matrices(parsed.matrices, place).items()
    }
    if parsed.embedding is not None:
        if "X" in matrices:
            raise SpecError(
                "X is given beside an embedding table", where=place.at("matrices.X"), expected="one of them"
            )
        matrices["X"] = _looked_up(parsed.tokens, parsed.embedding, place)
    _check_shapes(parsed.tokens, matrices, place)
    return Spec(
        tokens=tuple(parsed.tokens),
        matrices=matrices,
        d_k=_read_d_k(parsed.d_k, matrices, place),
        title=parsed.title,
        language=parsed.language,
        policy=_read_policy(parsed.rounding, place),
        source=source,
    )


def _plain_rows(rows: Any) -> Any:
    """Lists of rows from NumPy arrays and SymPy matrices, entries untouched."""
    if hasattr(rows, "shape") and hasattr(rows, "tolist"):
        if len(rows.shape) != 2:
            raise ShapeError(f"an array of shape {tuple(rows.shape)} is no matrix", expected="two dimensions")
        return [[rows[i, j] for j in range(rows.shape[1])] for i in range(rows.shape[0])]
    if isinstance(rows, Sequence) and not isinstance(rows, str):
        return [list(row) if isinstance(row, Sequence) and not isinstance(row, str) else row for row in rows]
    return rows


def _restated(message: str, place: _Place) -> SpecError:
    """Msgspec's message in the words of a spec."""
    text, _, path = message.partition(" - at ")
    key = path.strip("`").removeprefix("$").lstrip(".")
    unknown = re.search(r"unknown field `([^`]*)`", text)
    if unknown:
        known = _RuleTable if key.startswith("rounding") else _SpecTable
        names = list(known.__struct_fields__)
        close = difflib.get_close_matches(unknown[1], names, 1)
        full = f"{key}.{unknown[1]}".lstrip(".")
        hint = f"Did you mean {close[0]}?" if close else ""
        return SpecError("unknown key", where=place.at(full), expected=f"one of {', '.join(names)}", hint=hint)
    missing = re.search(r"missing required field `([^`]*)`", text)
    if missing:
        return SpecError(f"{missing[1]} is missing", where=place.source, expected=f"{missing[1]} = [...]")
    simple = re.fullmatch(r"Expected `(.+)`, got `(.+)`", text)
    if simple:
        return SpecError(f"found {simple[2]}", where=place.at(key or "spec"), expected=simple[1])
    return SpecError(text, where=place.at(key or "spec"))


def _check_tokens(tokens: Sequence[str], place: _Place) -> None:
    if not tokens:
        raise SpecError("no tokens", where=place.at("tokens"), expected="at least one word")
    if len(tokens) > MAX_TOKENS:
        raise SpecError(f"{len(tokens):,} tokens", where=place.at("tokens"), expected=f"at most {MAX_TOKENS:,}")
    for number, token in enumerate(tokens, 1):
        where = place.at("tokens", f", word {number}")
        if len(token) > MAX_TOKEN_LENGTH:
            raise SpecError(f"a word of {len(token):,} characters", where=where, expected=f"at most {MAX_TOKEN_LENGTH}")
        for character in token:
            if ord(character) < 32 or 0x7F <= ord(character) < 0xA0 or 0xD800 <= ord(character) < 0xE000:
                raise SpecError(
                    f"the word holds the control character U+{ord(character):04X}",
                    where=where,
                    expected="printable text",
                )


def _known_matrices(matrices: Mapping[str, list[list[Any]]], place: _Place) -> Mapping[str, list[list[Any]]]:
    for name in matrices:
        if name not in GIVEN:
            close = difflib.get_close_matches(name, GIVEN, 1)
            raise SpecError(
                "unknown matrix",
                where=place.at(f"matrices.{name}"),
                expected=f"one of {', '.join(GIVEN)}",
                hint=f"Did you mean {close[0]}?" if close else "",
            )
    return matrices


def _read_matrix(rows: Sequence[Sequence[Any]], place: _Place, key: str) -> Matrix:
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


def _read_row(row: Sequence[Any], place: _Place, key: str, detail: str) -> tuple[Any, ...]:
    out = []
    for j, found in enumerate(row, 1):
        if type(found) is int and -(1 << 62) < found < 1 << 62:  # most entries: no need for the reader
            out.append(fmpq(found))
            continue
        try:
            out.append(read_number(found, latex=_latex))
        except SymattnError as error:
            raise error.within(place.at(key, f"{detail}, column {j}")) from error
    return tuple(out)


def _latex(text: str) -> Any:
    from symattn.documents.latex_door import read_latex

    return read_latex(text)


def _looked_up(tokens: Sequence[str], table: Mapping[str, list[Any]], place: _Place) -> Matrix:
    widths: dict[int, str] = {}
    rows: dict[str, tuple[Any, ...]] = {}
    for word, vector in table.items():
        widths.setdefault(len(vector), word)
        rows[word] = _read_row(vector, place, f"embedding.{word}", "")
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


def _check_shapes(tokens: Sequence[str], matrices: Mapping[str, Matrix], place: _Place) -> None:
    shapes = {name: (len(rows), len(rows[0])) for name, rows in matrices.items()}

    def text(name: str) -> str:
        return f"{name} is {shapes[name][0]}x{shapes[name][1]}"

    for name in ("X", "Q", "K", "V"):
        if name in shapes and shapes[name][0] != len(tokens):
            raise ShapeError(
                text(name),
                where=place.at(f"matrices.{name}"),
                expected=f"a row for each of the {len(tokens)} tokens",
            )
    widths: dict[str, int] = {}
    for letter in "QKV":
        weight = f"W_{letter}"
        if weight in shapes and "X" in shapes and shapes[weight][0] != shapes["X"][1]:
            raise ShapeError(
                f"{text('X')} but {text(weight)}",
                where=place.at(f"matrices.{weight}"),
                expected=f"{weight} with a row for each of the {shapes['X'][1]} columns of X (d_model)",
            )
        if letter in shapes and weight in shapes and shapes[letter][1] != shapes[weight][1]:
            raise ShapeError(
                f"{text(letter)} but {text(weight)}",
                where=place.at(f"matrices.{letter}"),
                expected="as many columns in both",
            )
        if letter in shapes:
            widths[letter] = shapes[letter][1]
        elif weight in shapes and "X" in shapes:
            widths[letter] = shapes[weight][1]
        else:
            raise SpecError(
                f"{letter} cannot be worked out",
                where=place.source,
                expected=f"{letter}, or X (or an embedding) and {weight}",
            )
    if widths["Q"] != widths["K"]:
        q, k = ((name if name in shapes else f"W_{name}") for name in "QK")
        raise ShapeError(
            f"{text(q)} but {text(k)}",
            where=place.at(f"matrices.{k}"),
            expected="equal widths (d_k), since the scores are Q times K transposed",
        )


def key_width(matrices: Mapping[str, Matrix]) -> int:
    """The number of columns of K, given or to be computed."""
    return len((matrices.get("K") or matrices["W_K"])[0])


def _read_d_k(found: Any, matrices: Mapping[str, Matrix], place: _Place) -> Any:
    if found is None:
        return fmpq(key_width(matrices))
    try:
        value = read_positive(found)
    except SymattnError as error:
        raise error.within(place.at("d_k")) from error
    if not isinstance(value, fmpq) and value.is_Symbol:
        return Letter(str(value.name))
    return value


def _read_policy(tables: Mapping[str, _RuleTable], place: _Place) -> Policy:
    rules: dict[str, Rule] = {}
    for kind, table in tables.items():
        where = place.at(f"rounding.{kind}")
        if kind not in KINDS:
            close = difflib.get_close_matches(kind, KINDS, 1)
            raise SpecError(
                "unknown kind of quantity",
                where=where,
                expected=f"one of {', '.join(KINDS)}",
                hint=f"Did you mean {close[0]}?" if close else "",
            )
        rules[kind] = _read_rule(table, where)
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
