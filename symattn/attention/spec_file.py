"""load_spec: a TOML file, a dict or the bundled example in, a checked `Spec` out.

Everything in a file is untrusted: it is bounded, checked and read without evaluating.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any, Final

from symattn.attention.places import Place, key_lines
from symattn.attention.spec import Spec
from symattn.attention.spec_table import spec_of
from symattn.errors import ReadError, SpecError, one_line, system_reason

MAX_BYTES: Final = 16 * 1024 * 1024
BUNDLED: Final = "time-machine"


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
        return spec_of(dict(source), Place("spec"))
    if source is None or (str(source) == BUNDLED and not Path(BUNDLED).exists()):
        name = f"{BUNDLED}.toml"
        return parse_spec((resources.files("symattn.examples") / name).read_text("utf-8"), name)
    if not isinstance(source, (str, Path)):
        raise SpecError(f"found a {type(source).__name__}", where="spec", expected="a path, a dict or a Spec")
    path = Path(source)
    return parse_spec(_read_text(path), str(path))


def parse_spec(text: str, source: str = "spec") -> Spec:
    """The spec written in a TOML text; `source` is the name that errors give it."""
    try:
        table = tomllib.loads(text, parse_float=_read_float)
    except tomllib.TOMLDecodeError as error:
        raise _restated(str(error), text, source) from error
    except ValueError as error:  # Python reads no whole number of more than 4,300 digits
        raise ReadError("a whole number has more than 4,300 digits", where=source) from error
    except RecursionError as error:
        raise SpecError("values are nested too deeply", where=source, expected="matrices as lists of rows") from error
    return spec_of(table, Place(source, key_lines(text)))


def _read_float(text: str) -> Decimal | float | str:
    """A float of a TOML file, exactly: a text would pass for a word. nan and inf are refused where they stand."""
    try:
        value = Decimal(text)
    except ArithmeticError:  # an exponent of more than 18 digits: the reader refuses the text
        return text
    return value if value.is_finite() else float(text)


def _restated(problem: str, text: str, source: str) -> SpecError:
    """The message of the TOML parser, with its place where the places of all other messages stand."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", problem, re.DOTALL)
    place = f"{source}:{found[2]}:{found[3]}" if found and found[2] else source
    told = found[1] if found else problem
    if found and not found[2]:
        told += " at the end"
    if re.match(r"Cannot (overwrite|declare|mutate|redefine)", told):
        told = f"{told} (a key or a table stands twice)"
    if not re.search(r"^\s*[\w\[\"'][^\n]*[=\]]", text, re.MULTILINE):
        told += " (is this a TOML file?)"
    return SpecError(told, where=place, expected='TOML, as in `tokens = ["a", "b"]`')


def _read_text(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise SpecError(f"the file has {size:,} bytes", where=str(path), expected=f"at most {MAX_BYTES:,} bytes")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = system_reason(error)
        raise SpecError(
            f"cannot read the spec: {reason}", where=one_line(str(path), 160), expected="a readable TOML file"
        ) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError(
            f"byte 0x{data[error.start]:02x} is not UTF-8", where=f"{path}:{line}", expected="TOML in UTF-8"
        ) from error
