"""Numbers in a formula that restate an earlier result, and are not it: 5.9 in 5.9/(5.8 + 1) where e^1.76 was 5.8.

Arrives: a formula and the result that was written behind it. Leaves: remarks. It is said only of a number that stands
nowhere else, one digit away from a result that makes what is written behind the formula right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from flint import fmpq

from symattn.documents.formats.document import Place
from symattn.documents.judging.cells import Candidate, substituted
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.fitting import fit
from symattn.documents.judging.restating import everything
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Name, Node, Number, Text, walk
from symattn.documents.report import Remark

MOST_OPERANDS: Final = 64
"""Numbers of a formula that are looked at."""


def misquoted(desk: Desk, said: Statement, tree: Node, result: Node) -> bool:
    """Whether numbers of a formula contradict the result that they restate, which is remarked."""
    if not desk.naming:
        return False
    told = False
    numbers = [part for part in walk(tree) if isinstance(part, Number) and _is_telling(part)]
    for number in numbers[:MOST_OPERANDS]:
        if number.text in desk.memory.numbers or number.value in (root for root, _ in desk.memory.roots):
            continue
        meant = next((text for text in _alike(number.text) if _is_result(desk, text)), None)
        if meant is None or _stands(desk, number) or not _makes_right(desk, tree, number, meant, result):
            continue
        place = desk.place_of(said.region, number)
        remark = Remark(place, "structure", f"{number.text} stands in this formula; {meant} was stated before")
        if remark not in desk.remarks:
            desk.remarks.append(remark)
        told = True
    return told


def together(desk: Desk, first: int) -> None:
    """The findings of a result from a number that was misquoted have one cause: they name the first of them."""
    root: Place | None = None
    for k in range(first, len(desk.claims)):
        claim = desk.claims[k]
        if claim.finding and claim.root_cause is None:
            desk.claims[k] = replace(claim, root_cause=root)
            root = root or claim.place


def is_first(parts: Sequence[Part], tree: Node) -> bool:
    """Whether a formula is the first of its chain: the numbers of later ones were worked out on the way."""
    first = next((part.node for part in parts if not isinstance(part.node, (Name, Text))), None)
    return first is not None and any(part is tree for part in walk(first))


def _is_telling(number: Number) -> bool:
    """Whether a number has decimals, and two digits that say something."""
    digits = number.digits
    return digits is not None and digits.places > 0 and len(str(abs(digits.units))) > 1


def _alike(text: str) -> Iterator[str]:
    """The texts of numbers with as many places: a unit more or less, another digit, two digits in turn."""
    at = [k for k, sign in enumerate(text) if sign.isdigit()]
    digits = "".join(text[k] for k in at)

    def put(other: str) -> str:
        signs = list(text)
        for k, digit in zip(at, other, strict=True):
            signs[k] = digit
        return "".join(signs)

    for other in (int(digits) + 1, int(digits) - 1):
        if len(str(other)) <= len(digits) and other >= 0:
            yield put(str(other).zfill(len(digits)))
    for k in reversed(range(len(digits) - 1)):
        if digits[k] != digits[k + 1]:
            yield put(digits[:k] + digits[k + 1] + digits[k] + digits[k + 2 :])
    for k in reversed(range(len(digits))):
        yield from (put(digits[:k] + digit + digits[k + 1 :]) for digit in "0123456789" if digit != digits[k])


def _is_result(desk: Desk, text: str) -> bool:
    """Whether a number was worked out before."""
    return any(known.claimed for known in desk.memory.numbers.get(text, ()))


def _stands(desk: Desk, number: Number) -> bool:
    """Whether a number is among what the document has, with either sign."""
    for known, _ in everything(desk):
        rows = known.shown.rows if isinstance(known.shown, Table) else ((known.shown,),)
        if any(value in (number.value, -number.value) for row in rows for value in row):
            return True
    return False


def _makes_right(desk: Desk, tree: Node, number: Number, meant: str, result: Node) -> bool:
    """Whether what is written behind a formula is right with another number in it."""
    known = desk.memory.numbers[meant][-1].shown
    if not isinstance(known, fmpq):
        return False
    other = Number(number.start, number.end, meant, known, number.digits)
    value = desk.value(substituted(tree, lambda part: other if part is number else None), "shown")
    return value is not None and fit(desk, result, [Candidate(value, "written")], None) == 1
