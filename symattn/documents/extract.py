"""A spec out of a document: the matrices that it gives, its tokens, its d_k, and how its hand rounds.

Arrives: a document. Leaves: the table that `load_spec` takes, remarks on what was chosen, and where each piece stands.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from flint import fmpq

from symattn.attention.places import Place as SpecPlace
from symattn.attention.spec import GIVEN, Spec
from symattn.attention.spec_table import MAX_TITLE_LENGTH, MAX_TOKEN_LENGTH, spec_of
from symattn.attention.spec_toml import plain, table_toml
from symattn.documents.formats.document import Document, Place
from symattn.documents.formats.load import load_document
from symattn.documents.givens.choosing import Chosen, choices, examples, first_of_each, stacked
from symattn.documents.givens.entries import turned
from symattn.documents.givens.finder import defined
from symattn.documents.givens.records import Given, Noted
from symattn.documents.judging.stages import stage_of
from symattn.documents.literals import chains_of, pieces, uses_decimal_comma
from symattn.documents.reading.tree import Call, Constant, List, Matrix, Node, Number, Power, walk
from symattn.errors import ShapeError, SpecError, SymattnError, one_line

_MASK: Final = re.compile(r"causal|\bmask|掩码|遮蔽|因果|маск|マスク|마스크", re.IGNORECASE)
_TOKENS: Final = re.compile(
    r"\b(?:tokens|words|sentence|labels)\s*=\s*\[\s*((?:\"[^\"\n]{1,100}\"|'[^'\n]{1,100}')"
    r"(?:\s*,\s*(?:\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'))*)\s*,?\s*\]"
)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_OTHER_SCRIPTS: Final = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_STEP: Final = re.compile(
    r"(?:step|part|section|étape|schritt|paso|шаг|단계|第)?\s*[\d一二三四五六七八九十.]*\s*(?:步|단계|部分)?[:：.]?",
    re.IGNORECASE,
)
KINDS: Final = {"scaled_scores": "scaled_scores", "weights": "weights"}


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document gives as a spec: the table, what was chosen or left out, and the place of each piece."""

    table: dict[str, Any]
    remarks: tuple[str, ...]
    places: Mapping[str, Place] = field(default_factory=dict)
    path: str = "document"

    def spec(self) -> Spec:
        """The spec; its source is the document.

        Raises: SpecError or ShapeError with the line of the document.
        """
        return spec_of(self.table, self._place())

    def toml(self) -> str:
        """The spec as TOML, the remarks as comments above it."""
        return table_toml(self.table, self.remarks)

    def _place(self) -> SpecPlace:
        return _spec_place(self.path, self.places)


def spec_from(source: str | os.PathLike[str]) -> tuple[Spec, tuple[str, ...]]:
    """The spec of a document given by its path (or text), and the remarks on it.

    Raises: ReadError where it cannot be read, SpecError where it gives no complete example.

    >>> spec_from("$Q = [[1, 0]]$, $K = [[2, 1]]$, $V = [[3, 4]]$")[0].tokens
    ('x_1',)
    """
    made = extract(load_document(source))
    return made.spec(), made.remarks


def is_document(path: str) -> bool:
    """Whether a path is read as a document rather than as a spec: by its suffix, which is not .toml.

    >>> is_document("lesson.md"), is_document("lesson.toml"), is_document("time-machine")
    (True, False, False)
    """
    return Path(path).suffix.lower() not in ("", ".toml")


def extract(document: Document) -> Extracted:
    r"""The spec that a document gives.

    The first definition of a name wins; of several examples the first that is complete. What was computed from X and
    a weight matrix is left out where both are given, so that it is derived anew.

    Raises: SpecError when the document gives no complete example, saying what is missing.

    >>> from symattn.documents.formats import load_document
    >>> lesson = r"$Q = \begin{bmatrix}1&0\end{bmatrix}$, $K^T = \begin{bmatrix}2\\1\end{bmatrix}$, $V = [3, 4]$"
    >>> extract(load_document(lesson)).table["matrices"]
    {'Q': [[1, 0]], 'K': [[2, 1]], 'V': [[3, 4]]}
    """
    found, noted = defined(document)
    path = document.path if document.path != "-" else "document"
    errors: list[SymattnError] = []
    for number, givens in enumerate(examples(found)):
        for chosen in choices(givens, noted):
            error = _problem(chosen, path)
            if error is None:
                made = _made(document, chosen, givens, noted, path)
                made.spec()
                return _remarked(made, chosen, found, document, first=number == 0)
            errors.append(error)
    raise _refusal(found, errors, path)


def _problem(chosen: Chosen, path: str) -> SymattnError | None:
    """Why the matrices are no spec, None if they are one."""
    matrices = chosen.matrices
    table = {"tokens": _numbered(_count(matrices)), "matrices": {name: given.rows for name, given in matrices.items()}}
    try:
        spec_of(table, _spec_place(path, {name: given.place for name, given in matrices.items()}))
    except SymattnError as error:
        return error
    return None


def _count(matrices: Mapping[str, Given]) -> int:
    return next((len(matrices[name].rows) for name in ("Q", "X", "K", "V") if name in matrices), 1)


def _numbered(count: int) -> list[str]:
    return [f"x_{i}" for i in range(1, count + 1)]


# making


def _made(document: Document, chosen: Chosen, givens: Sequence[Given], noted: Noted, path: str) -> Extracted:
    matrices = chosen.matrices
    table: dict[str, Any] = {}
    places: dict[str, Place] = {}
    if title := _title(document):
        table["title"] = title
    if _language(document) == "zh":
        table["language"] = "zh"
    remarks = list(chosen.remarks)
    count = _count(matrices)
    tokens = _tokens(document, matrices, givens, count)
    if not tokens:
        tokens = _numbered(count)
        remarks.append(f"no tokens are named: they are called {', '.join(tokens[:3])}{', …' if count > 3 else ''}")
    table["tokens"] = tokens
    d_k = _d_k(noted, matrices, remarks, places)
    if d_k is not None:
        table["d_k"] = plain(d_k)
    table["matrices"] = {name: [list(row) for row in matrices[name].rows] for name in GIVEN if name in matrices}
    places |= {name: given.place for name, given in matrices.items()}
    rounding = _rounding(document, noted, d_k, matrices)
    if rounding:
        table["rounding"] = rounding
    for name, given in matrices.items():
        if given.rank == 2:
            remarks.append(f"{name} of line {given.place.line} is taken for it by the words before it")
        if given.head:
            remarks.append(f"{name} is that of head {given.head}, the first")
    return Extracted(table, tuple(remarks), places, path)


def _remarked(made: Extracted, chosen: Chosen, found: Sequence[Given], document: Document, *, first: bool) -> Extracted:
    remarks = list(made.remarks)
    for name, given in chosen.matrices.items():
        others = [
            other
            for other in found
            if (other.role, other.index, other.head, other.rank) == (name, "", given.head, 0)
            and other.rows not in (given.rows, turned(given.rows))
            and not given.index
        ]
        if others and given.rank == 0:
            taken = "the first is taken" if first else f"that of line {given.place.line}, which is complete, is taken"
            remarks.append(f"{name} is given again with other values in line {others[0].place.line}: {taken}")
    if _MASK.search(document.source):
        remarks.append("a mask is spoken of: a spec has none, so every token sees all")
    return replace(made, remarks=tuple(remarks))


def _title(document: Document) -> str:
    """The first heading that is more than the number of a step."""
    texts = (_printable(region.text, MAX_TITLE_LENGTH) for region in document.regions if region.kind == "heading")
    return next((text for text in texts if text and not _STEP.fullmatch(text)), "")


def _printable(text: str, limit: int) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:limit]


def _language(document: Document) -> str:
    text = "".join(r.text for r in document.regions if r.kind in ("prose", "heading", "comment"))[:20_000]
    letters = sum(c.isalpha() for c in text)
    han = len(_HAN.findall(text))
    return "zh" if han * 5 > letters and len(_OTHER_SCRIPTS.findall(text)) * 4 < han else "en"


def _tokens(document: Document, matrices: Mapping[str, Given], givens: Sequence[Given], count: int) -> list[str]:
    """The words beside the rows of a matrix, before vectors, in a table, or in a list of a program."""
    vectors = [rows for name in GIVEN if (rows := stacked([g for g in givens if g.role == name and g.index]))]
    for given in (*(matrices[name] for name in GIVEN if name in matrices), *vectors, *givens):
        words = [_printable(label, MAX_TOKEN_LENGTH) for label in given.labels]
        if len(words) == count and all(words) and not given.role.startswith("W"):
            return words
    for region in pieces(document):
        if region.kind in ("code", "code_inline") and (match := _TOKENS.search(region.text)):
            words = [_printable(word[1:-1], MAX_TOKEN_LENGTH) for word in re.findall(r"\"[^\"]*\"|'[^']*'", match[1])]
            if len(words) == count and all(words):
                return words
    return []


def _d_k(noted: Noted, matrices: Mapping[str, Given], remarks: list[str], places: dict[str, Place]) -> fmpq | None:
    """What is said of d_k, or what stands under the root; None to leave it to the width of K."""
    key = matrices.get("K") or matrices.get("W_K")
    width = fmpq(len(key.rows[0])) if key else None
    if noted.d_ks:
        value, place = noted.d_ks[0]
        places["d_k"] = place
    elif len(set(noted.roots)) == 1:
        value = noted.roots[0]
    else:
        return None
    if value <= 0:
        return None
    if width is not None and value != width:
        remarks.append(f"d_k = {value} is kept, though K has {width} columns")
    return value


def _rounding(document: Document, noted: Noted, d_k: fmpq | None, matrices: Mapping[str, Given]) -> dict[str, Any]:
    """The rules of rounding that can be seen: the root divided by, and places that are the same all through."""
    key = matrices.get("K") or matrices.get("W_K")
    square = d_k if d_k is not None else fmpq(len(key.rows[0])) if key else fmpq(0)
    near = [(value, text) for value, text in noted.divisors if _is_near(value, square) and _is_plain(text)]
    rules: dict[str, Any] = {}
    if near:
        value, text = near[0]
        rules["root"] = {"value": text}
        shown = [t for v, t in noted.shown if _is_near(v, square) and v != value and _is_plain(t)]
        if shown:
            rules["root"]["shown"] = shown[0]
    for kind, numbers in _seen(document).items():
        places = {n.digits.places for n in numbers if n.digits is not None and n.digits.places > 0}
        if len(places) == 1 and len(numbers) > 1:
            rules[kind] = {"places": places.pop()}
            if kind == "weights" and any(n.text.endswith("0") and n.digits and n.digits.places for n in numbers):
                rules[kind]["padded"] = True
    return rules


def _is_near(value: fmpq, square: fmpq) -> bool:
    return square > 0 and value > 0 and abs(value * value - square) <= square / 8


def _is_plain(text: str) -> bool:
    return bool(re.fullmatch(r"\d{1,50}\.\d{1,50}", text, re.ASCII))


def _seen(document: Document) -> dict[str, list[Number]]:
    """The decimals that stand behind exponentials, and in what is named scaled scores or weights."""
    out: dict[str, list[Number]] = {"scaled_scores": [], "exponentials": [], "weights": []}
    decimal_comma = uses_decimal_comma(document)
    for region in pieces(document):
        for chain in chains_of(region, decimal_comma=decimal_comma):
            if not chain.links:
                continue
            last = chain.items[-1]
            if _is_exponential(chain.first) and isinstance(last, Number):
                out["exponentials"].append(last)
            stage = stage_of(chain.first)
            if stage in KINDS and isinstance(last, (List, Matrix)):
                out[stage] += [node for node in walk(last) if isinstance(node, Number)]
    return out


def _is_exponential(node: Node | None) -> bool:
    if isinstance(node, Power):
        return isinstance(node.base, Constant) and node.base.name == "e"
    return isinstance(node, Call) and node.function == "exp"


# refusing


def _spec_place(path: str, places: Mapping[str, Place]) -> SpecPlace:
    lines = {name if name == "d_k" else f"matrices.{name}": place.line for name, place in places.items()}
    return SpecPlace(path, lines)


def _refusal(found: Sequence[Given], errors: Iterable[SymattnError], path: str) -> SpecError:
    names = {name: given for name in GIVEN for given in first_of_each(found).values() if given.role == name}
    told = ", ".join(f"{name} (line {given.place.line})" for name, given in names.items())
    complete = all(letter in names or ("X" in names and f"W_{letter}" in names) for letter in "QKV")
    shaped = next((error for error in errors if isinstance(error, (ShapeError, SpecError))), None)
    heights = {letter: len(names[letter].rows) for letter in "QKV" if letter in names}
    if complete and len(heights) == 3 and len(set(heights.values())) > 1:
        problem = ", ".join(f"{letter} has {_counted(n)}" for letter, n in heights.items())
        return SpecError(problem, where=path, expected="a row for each token in all three", hint=_only(told))
    if complete and shaped is not None:
        return SpecError(shaped.problem, where=shaped.where, expected=shaped.expected, hint=shaped.hint)
    return SpecError(
        f"no Q, K, V or X with W_Q, W_K, W_V found in {one_line(path, 200)}",
        expected="a worked example that gives its matrices",
        hint=f"There is only {told}." if told else "",
    )


def _only(told: str) -> str:
    return f"There are {told}."


def _counted(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows} rows"
