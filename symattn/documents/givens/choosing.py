"""Which of the matrices that a document gives make up its example.

Arrives: `Given`s in the order of the document. Leaves: choices, the best first; each has one matrix for a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from flint import fmpq

from symattn.attention.spec import GIVEN
from symattn.attention.spec_toml import plain
from symattn.documents.givens.entries import Rows, turned
from symattn.documents.givens.records import Given, Noted

MAX_EXAMPLES: Final = 100


@dataclass(frozen=True, slots=True)
class Chosen:
    """The matrices of an example, one for each name, and what is to be remarked about them."""

    matrices: Mapping[str, Given]
    remarks: tuple[str, ...] = ()


def examples(found: Sequence[Given]) -> Iterator[list[Given]]:
    """The examples of a document one by one, then all together: one begins where a name comes again."""
    groups: list[list[Given]] = [[]]
    seen: dict[tuple[str, str, str], Rows] = {}
    for given in found:
        key = (given.role, given.index, given.head)
        if given.rank == 0 and not given.computed and seen.get(key, given.rows) != given.rows:
            groups.append([])
            seen = {}
        if given.rank == 0:
            seen.setdefault(key, given.rows)
        groups[-1].append(given)
    yield from groups[:MAX_EXAMPLES]
    if len(groups) > 1:
        yield list(found)


def choices(givens: Sequence[Given], noted: Noted) -> Iterator[Chosen]:
    """The ways to take an example: with X and the weights, without them, without Q, K and V."""
    full = first_of_each(givens)
    if "matrix" in noted.columns:
        flipped = {name: _turned(given) for name, given in full.items()}
        remark = "vectors stand in columns there (W before X): X, the weights, Q, K and V are transposed"
        yield from _variants(flipped, (remark,))
    elif "vectors" in noted.columns:
        remark = "the weights stand before the vectors there: they are transposed"
        flipped = {name: _turned(given) if name.startswith("W_") else given for name, given in full.items()}
        yield from _variants(flipped, (remark,))
    yield from _variants(full, ())


def _variants(full: dict[str, Given], remarks: tuple[str, ...]) -> Iterator[Chosen]:
    derived: dict[str, Given] = dict(full)
    told = list(remarks)
    for letter in "QKV":
        given, weight, x = full.get(letter), full.get(f"W_{letter}"), full.get("X")
        if given is None or weight is None or x is None or not given.computed:
            continue
        product = _product(x.rows, weight.rows)
        if product is not None:
            del derived[letter]
            if product[: len(given.rows)] != given.rows:
                told.append(f"{letter} of line {given.place.line} is not X·W_{letter}: it is worked out anew")
    yield Chosen(derived, tuple(told))
    if len(derived) < len(full):
        yield Chosen(full, remarks)
    inner = {name: given for name, given in full.items() if name in ("Q", "K", "V")}
    if len(inner) == 3 and len(inner) < len(full):
        yield Chosen(inner, (*remarks, "X and the weights do not fit Q, K and V and are left out"))
    outer = {name: given for name, given in full.items() if name not in ("Q", "K", "V")}
    if len(outer) < len(full):
        yield Chosen(outer, (*remarks, "Q, K and V do not fit X and the weights and are left out"))


def _turned(given: Given) -> Given:
    return replace(given, rows=turned(given.rows))


def first_of_each(givens: Sequence[Given]) -> dict[str, Given]:
    """The first matrix of each name: under its own name, of its vectors, as an operand, by the words before it."""
    out: dict[str, Given] = {}
    for name in GIVEN:
        of_name = [given for given in givens if given.role == name]
        whole = [given for given in of_name if not given.index and not given.head]
        heads = sorted({given.head for given in of_name if given.head and not given.index})
        rows = stacked([given for given in of_name if given.index])
        ranked = sorted(
            (given for given in whole if given.rank < 2 or not rows), key=lambda given: (given.rank, given.turned)
        )
        if ranked and (ranked[0].rank == 0 or rows is None):
            out[name] = ranked[0]
        elif rows is not None:
            out[name] = rows
        elif heads:
            out[name] = next(given for given in of_name if given.head == heads[0] and not given.index)
    return out


def stacked(vectors: Sequence[Given]) -> Given | None:
    """The matrix of vectors x_1, x_2, ...: all from the first on, none left out."""
    by_index: dict[str, Given] = {}
    for vector in vectors:
        by_index.setdefault(vector.index, vector)
    if not by_index:
        return None
    order = list(by_index)
    if all(index.isascii() and index.isdigit() and len(index) < 6 for index in order):
        order.sort(key=int)
        if [int(index) for index in order] not in (
            list(range(1, len(order) + 1)),
            list(range(len(order))),
        ):
            return None
    elif any(index.isdigit() for index in order):
        return None
    chosen = [by_index[index] for index in order]
    if len({len(vector.rows[0]) for vector in chosen}) > 1:
        return None
    labels = tuple(_label(vector) for vector in chosen)
    rows = tuple(vector.rows[0] for vector in chosen)
    computed = any(vector.computed for vector in chosen)
    return replace(chosen[0], rows=rows, index="", labels=labels if all(labels) else (), computed=computed)


def _label(vector: Given) -> str:
    if vector.labels:
        return vector.labels[0]
    return "" if vector.index.isdigit() else vector.index


def _product(left: Rows, right: Rows) -> Rows | None:
    """The exact product, None where an entry is no rational or the shapes do not fit."""
    if len(left[0]) != len(right) or any(
        isinstance(e, str) and "/" not in e for rows in (left, right) for r in rows for e in r
    ):
        return None
    try:
        a, b = ([[_rational(entry) for entry in row] for row in rows] for rows in (left, right))
    except ValueError:
        return None
    columns = list(zip(*b, strict=True))
    made = (tuple(plain(sum((x * y for x, y in zip(row, c, strict=True)), fmpq(0))) for c in columns) for row in a)
    return tuple(made)


def _rational(entry: int | fmpq | str) -> fmpq:
    if isinstance(entry, str):
        above, _, below = entry.partition("/")
        return fmpq(int(above), int(below))
    return fmpq(entry)
