"""Products written out term by term: 1·0 + 1·1 + 1·3 for q·k where k is [0, 1, 2].

Arrives: a chain whose first formula writes out a product of what the document has displayed. Leaves: a claim where
exactly one of its numbers is another one there: it was copied wrong, and what follows goes on from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.cells import (
    Candidate,
    digits_of,
    grid_of,
    is_literal,
    is_number,
    judged,
    last,
    substituted,
)
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.fitting import fit
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part, Subject, subject_of
from symattn.documents.reading.scalars import Scalar
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import (
    Bracketed,
    List,
    Matrix,
    Name,
    Node,
    Number,
    Product,
    Sum,
    Text,
    Transpose,
    unbracketed,
)
from symattn.numbers.rounding import plain_digits

LEAST: Final = 4
"""So many numbers a product has at least for one of them to be told from the others."""

Expected = tuple[Scalar, Scalar]
"""A number as it was displayed, and at full precision."""
Vector = list[Expected]


def copied(desk: Desk, said: Statement, parts: Sequence[Part]) -> None:
    """Judge the numbers of a product that is written out by those of its factors."""
    at = next((k for k, part in enumerate(parts) if not _is_named(part.node)), None)
    if not at or is_literal(parts[at].node) or parts[at].relation not in {"=", "≈", "→"}:
        return
    written = parts[at].node
    for left, right in _factors(desk, parts[:at], subject_of(desk, said, parts[:at])):
        off = _different(desk, written, left, right)
        if off is not None and len(off) == 1:
            (node, expected), result = off[0], parts[at + 1 : at + 2]
            if not result or not _is_meant(desk, written, result[0].node, node, expected):
                _tell(desk, said, node, expected, parts[at].relation)
        if off is not None:
            return


def _is_named(node: Node) -> bool:
    """Whether a formula is a name, or a product of names."""
    if isinstance(node, Bracketed):
        return _is_named(node.inner)
    if isinstance(node, Product):
        return len(node.factors) == 2 and all(map(_is_named, node.factors))
    return isinstance(node, (Name, Text)) or (isinstance(node, Transpose) and _is_named(node.inner))


def _factors(desk: Desk, parts: Sequence[Part], subject: Subject) -> Iterator[tuple[Vector, list[Vector]]]:
    """What may be written out: a row, and the rows of the table that it is multiplied by."""
    for part in parts:
        node = part.node
        node = unbracketed(node)
        if isinstance(node, Product) and len(node.factors) == 2:
            left, right = (_displayed(desk, factor) for factor in node.factors)
            row = _vector(left)
            if row is None or right is None:
                continue
            column = _vector(right)
            yield row, [[one] for one in column] if column is not None else _rows(right)
    if subject.stage == "scores" and subject.entry is not None and len(subject.entry) == 2:
        query, key = (_row_of(desk, stage, k) for stage, k in zip(("Q", "K"), subject.entry, strict=True))
        if query is not None and key is not None:
            yield query, [[one] for one in key]
    row = _vector(_weights(desk, subject.row)) if subject.stage == "outputs" and subject.row is not None else None
    values = desk.memory.whole("V")
    if row is not None and values is not None:
        rows = _rows(values)
        yield row, [list(column) for column in zip(*rows, strict=True)] if desk.memory.has_columns("V") else rows


def _row_of(desk: Desk, stage: str, k: int) -> Vector | None:
    """The vector of one token."""
    whole = desk.memory.whole(stage)
    if whole is None or whole.derived or desk.memory.has_columns(stage) or not isinstance(whole.shown, Table):
        return None
    return _vector(whole.row(k)) if k < len(whole.shown.rows) else None


def _weights(desk: Desk, row: int) -> Quantity | None:
    """The weights of one query."""
    known, whole = desk.memory.rows.get("weights", {}).get(row), desk.memory.stages.get("weights")
    if known is not None or whole is None or desk.memory.has_columns("weights"):
        return known
    return whole.row(row)


def _displayed(desk: Desk, node: Node) -> Quantity | None:
    """What stands in the document for a name."""
    name = node.inner if isinstance(node, Transpose) else node
    known = desk.memory.find(name.key) if isinstance(name, Name) else None
    if known is None or known.derived or not isinstance(known.shown, Table):
        return None
    return known


def _vector(known: Quantity | None) -> Vector | None:
    """The entries of a row or of a column."""
    rows = _rows(known) if known is not None else []
    if not rows or min(len(rows), len(rows[0])) != 1:
        return None
    return [entry for row in rows for entry in row]


def _rows(known: Quantity) -> list[Vector]:
    shown, exact = known.way("shown"), known.way("exact")
    if not isinstance(shown, Table) or not isinstance(exact, Table) or shown.shape != exact.shape:
        return []
    return [list(zip(*both, strict=True)) for both in zip(shown.rows, exact.rows, strict=True)]


def _different(desk: Desk, written: Node, left: Vector, right: list[Vector]) -> list[tuple[Node, Expected]] | None:
    """The numbers that are others than those of the factors; None where something else is written out."""
    written = unbracketed(written)
    if len(left) != len(right):
        return None
    pairs = _pairs(written, left, right)
    if pairs is None or 2 * len(pairs) < LEAST:
        return None
    ways = [[(a, x) for a, x, *_ in pairs] + [(b, y) for *_, b, y in pairs]]
    if all(is_number(b) for _, _, b, _ in pairs):  # the factors in the other order
        ways.append([(a, y) for a, _, _, y in pairs] + [(b, x) for _, x, b, _ in pairs])
    found = [[(node, value) for node, value in way if not _is(desk, node, value)] for way in ways]
    return min((list({id(node): (node, value) for node, value in way}.values()) for way in found), key=len)


def _pairs(written: Node, left: Vector, right: list[Vector]) -> list[tuple[Node, Expected, Node, Expected]] | None:
    """The two factors of each term, with what they should be."""
    vectors = _of_vectors(written, left, right)
    if vectors is not None:
        return vectors
    laid = grid_of(written) if isinstance(written, (List, Matrix)) else (((written,),), True)
    if laid is None or (len(laid[0]) > 1 and len(laid[0][0]) > 1):
        return None
    cells = [last(cell) for row in laid[0] for cell in row]
    if len(cells) != len(right[0]):
        return None
    out: list[tuple[Node, Expected, Node, Expected]] = []
    for j, cell in enumerate(cells):
        terms = [_two(term) for term in _terms(cell)]
        if len(terms) != len(left):
            return None
        for k, term in enumerate(terms):
            if term is None or not is_number(term[0]) or not is_number(term[1]):
                return None
            out.append((term[0], left[k], term[1], right[k][j]))
    return out


def _of_vectors(written: Node, left: Vector, right: list[Vector]) -> list[tuple[Node, Expected, Node, Expected]] | None:
    """The same for 0.4·[1, 0] + 0.6·[0, 1]: each factor with each entry of its vector."""
    terms = [_two(term) for term in _terms(written)]
    if len(terms) != len(left):
        return None
    out: list[tuple[Node, Expected, Node, Expected]] = []
    for k, term in enumerate(terms):
        laid = grid_of(term[1]) if term is not None and isinstance(term[1], (List, Matrix)) else None
        cells = [last(cell) for row in laid[0] for cell in row] if laid is not None else []
        if term is None or len(cells) != len(right[k]) or not all(map(is_number, (term[0], *cells))):
            return None
        out += [(term[0], left[k], cell, value) for cell, value in zip(cells, right[k], strict=True)]
    return out


def _terms(node: Node) -> tuple[Node, ...]:
    node = unbracketed(node)
    if isinstance(node, Sum):
        return node.terms if all(sign == "+" for sign in node.signs) else ()
    return (node,)


def _two(term: Node) -> tuple[Node, Node] | None:
    """The two factors of a term, without brackets around them."""
    term = unbracketed(term)
    if not isinstance(term, Product) or len(term.factors) != 2:
        return None
    a, b = (factor.inner if isinstance(factor, Bracketed) else factor for factor in term.factors)
    return a, b


def _is(desk: Desk, node: Node, value: Expected) -> bool:
    """Whether a number is what was displayed, or a rounding of it."""
    ways = [Candidate(one, "written") for one in value]
    return judged(node, ways, list(value), desk.decimals).right


def _is_meant(desk: Desk, written: Node, result: Node, node: Node, expected: Expected) -> bool:
    """Whether the result goes on from the right number: only the formula has another one, which is remarked there."""
    digits = digits_of(node)
    known = desk.rounded(expected[0], digits)
    right = plain_digits(known) if known is not None else None
    if right is None or not is_literal(result):
        return False
    other = Number(node.start, node.end, right.text, right.value, right)
    values = [
        desk.value(tree, "shown")
        for tree in (written, substituted(written, lambda part: other if part is node else None))
    ]
    as_written, as_meant = (
        value is not None and fit(desk, result, [Candidate(value, "written")], None) == 1 for value in values
    )
    return as_meant and not as_written


def _tell(desk: Desk, said: Statement, node: Node, expected: Expected, relation: str) -> None:
    """The finding on a number that was copied wrong."""
    known = desk.rounded(expected[0], digits_of(node))
    text = said.region.text[node.start : node.end]
    desk.add(
        said.region,
        node,
        Verdict.INCONSISTENT,
        f"{text} stands in this formula; {known} was stated before",
        relation=relation,
        route="written",
        expected=known,
    )
