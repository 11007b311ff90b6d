"""The judge of a document: statement by statement, each number against what it should be.

Arrives: a document. Leaves: claims and remarks. A number that follows a worked formula is judged by that formula; one
that stands for a stage of attention by what the stages before it give; one without a name by the value that fits.
What cannot be placed is undecided, never guessed into a wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Document, Region
from symattn.documents.judging.cells import grid_of, is_literal
from symattn.documents.judging.claiming import claim
from symattn.documents.judging.code.running import run
from symattn.documents.judging.consequences import Judged, traced
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.dimensions import dimensions, left_over, now_known
from symattn.documents.judging.expansions import copied
from symattn.documents.judging.functions import called, define, with_softmax
from symattn.documents.judging.giving import bind
from symattn.documents.judging.memory import Memory, Quantity
from symattn.documents.judging.normalising import normalised, note
from symattn.documents.judging.placing import bare, becomes
from symattn.documents.judging.quoting import is_key, is_quoted
from symattn.documents.judging.setting import counted, divides, masks, tokens, turned
from symattn.documents.judging.stages import stage_of
from symattn.documents.judging.statements import MATH, Statement, statements
from symattn.documents.judging.steps import continued, inside, step, surd, terms, within_softmax
from symattn.documents.judging.subject import EQUALITIES, Part, parts_of, subject_of
from symattn.documents.reading.tree import Chain, Matrix, Name, Node, Product, Text, Unread, walk
from symattn.documents.report import Checked, Claim, Remark
from symattn.errors import OptionError, ShapeError, UndecidedError
from symattn.numbers.rounding import Digits, plain_digits

_CLAIMS: Final = re.compile(r"[=≈≃≅]|\\(?:approx|simeq|cong|to|rightarrow|xrightarrow)\b")
"""What a formula that claims something is written with."""

_CODE_CLAIMS: Final = re.compile(r"(?:[=≈≃≅→]|->|=>)\s*[-−+]?\s*[\d.\[(√\\{]|[\d)\]]\s*[=≈≃≅]")
"""The same in words and in code, where = does much else."""

_PERCENT: Final = re.compile(r"^%|(?:%|\uff05|&percnt;)\s*$")

UNDECIDED: Final = frozenset({Verdict.UNDECIDED, Verdict.UNREADABLE})

MOST_CLAIMS: Final = 100_000
"""Claims of a document beyond which no more are judged."""

_ARGUMENTS: Final = re.compile(r"(?<=\w)\([^()]*\)")
"""Arguments of a function, which claim nothing: precision=4."""

_VERSION: Final = re.compile(r"\d+(?:\.\d+){2,}")
"""A number of a version: torch==2.2.1."""

LONGEST_FORMULA: Final = 100_000
"""Characters of a formula beyond which it is not judged."""

MOST_TRACED: Final = 400
"""Statements of a document among which it is traced what a slip explains."""

NEAREST: Final = 6
"""Of a long chain so many things before a result count, and so many at its beginning."""


def judged_statement(desk: Desk, said: Statement) -> None:
    """Judge a statement; one that its sentence quotes as wrong leaves nothing behind if it is."""
    if is_key(said):
        return
    if not is_quoted(desk, said):
        statement(desk, said)
        return
    claims, remarks, memory = len(desk.claims), len(desk.remarks), desk.memory.copy()
    statement(desk, said)
    if any(claim.finding for claim in desk.claims[claims:]):
        del desk.claims[claims:], desk.remarks[remarks:]
        desk.forget(memory)


def statement(desk: Desk, said: Statement) -> None:
    """Judge what one chain claims, and remember what it gives."""
    masks(desk, said)
    if said.did is not None:
        run(desk, said, said.did)
        return
    parts = _with_the_last(desk, said)
    if not parts:
        return
    counted(desk, said, parts)
    tokens(desk, said, parts)
    divides(desk, said, parts)
    turned(desk, parts)
    _look_inside(desk, said, parts)
    if normalised(desk, said, parts):
        return
    note(desk, said, parts)
    if len(parts) == 1 and parts[0].relation == "":
        if is_literal(parts[0].node):
            bare(desk, said, parts[0])
        return
    if dimensions(desk, said, parts) or continued(desk, said, parts):
        return
    if not any(is_literal(part.node) for part in parts):
        formula(desk, parts)
    copied(desk, said, parts)
    for k in range(len(parts)):
        if _is_result(parts, k):
            _result(desk, said, parts, k)
    now_known(desk)


def _look_inside(desk: Desk, said: Statement, parts: Sequence[Part]) -> None:
    for part in parts:
        if isinstance(part.node, Matrix):
            inner_chains(desk, said, part.node)
        if isinstance(part.node, Unread) and not part.node.formula and _may_claim(said):
            unreadable(desk, said, part.node)


def _may_claim(said: Statement) -> bool:
    """Whether words or code that cannot be read seem to say what something is; formulas are meant to say something."""
    if said.region.kind in MATH:
        return bool(said.chain.links) or any(map(str.isdigit, said.region.text))  # a sign alone says nothing
    line = _ARGUMENTS.sub("", said.region.text[said.chain.start : said.chain.end])
    if any(_VERSION.search(node.text) for node in said.chain.unread):
        return False
    return _CODE_CLAIMS.search(line) is not None


def _with_the_last(desk: Desk, said: Statement) -> list[Part]:
    """The parts of a chain; a display that begins with a relation goes on with the one before."""
    parts = list(parts_of(said.chain))
    if not parts:
        return parts
    last, desk.memory.last = desk.memory.last, parts[-1].node
    if said.chain.first is None and said.region.kind == "math_display" and not said.words and last is not None:
        parts.insert(0, Part(last, ""))
    parts = _answer_last([replace(part, node=with_softmax(part.node)) for part in parts])
    functions = desk.memory.functions
    if not functions or not any(is_literal(part.node) for part in parts):
        return parts
    return [replace(part, node=called(part.node, functions)) for part in parts]


def _answer_last(parts: list[Part]) -> list[Part]:
    """A result and then its working, 2.45 = 0.85·2 + 0.15·5, the other way round."""
    if len(parts) != 2 or parts[1].relation not in {"=", "≈"}:
        return parts
    result, working = parts
    names = any(isinstance(one, (Name, Text)) for one in walk(working.node))
    if names or not is_literal(result.node) or is_literal(working.node):
        return parts
    return [Part(working.node, ""), Part(result.node, working.relation)]


def _is_result(parts: Sequence[Part], k: int) -> bool:
    part = parts[k]
    if part.relation not in EQUALITIES:
        return False
    # "0 → 1" tells a change
    return not (
        part.relation == "→" and part.operation is None and k and _is_one(parts[k - 1].node) and _is_one(part.node)
    )


def _result(desk: Desk, said: Statement, parts: Sequence[Part], k: int) -> None:
    node = parts[k].node
    if k > 2 * NEAREST:
        parts, k = (*parts[:NEAREST], *parts[k - NEAREST : k + 1]), 2 * NEAREST
    if k and _turns_into(parts[k - 1], parts[k]):
        becomes(desk, said, parts[k - 1].node, parts[k], subject_of(desk, said, parts[:k]))
    elif is_literal(node):
        claim(desk, said, parts, k)
    elif grid_of(node) is not None:
        step(desk, said, parts, k)
    elif not (isinstance(node, Product) and inside(desk, said, parts, k)):
        within_softmax(desk, said, parts[k])
        terms(desk, said, parts, k)
        surd(desk, said, parts, k)


def _turns_into(before: Part, part: Part) -> bool:
    """Whether an arrow leads from a row or a table on paper to another one: [1, 2] → [0.71, 1.41]."""
    if part.relation != "→" or part.operation is not None:
        return False
    return is_literal(before.node) and is_literal(part.node) and not _is_one(before.node)


def _is_one(node: Node) -> bool:
    laid = grid_of(node)
    return is_literal(node) and laid is not None and len(laid[0]) == len(laid[0][0]) == 1


def inner_chains(desk: Desk, said: Statement, matrix: Matrix) -> None:
    """The chains inside the cells of a matrix, each for itself."""
    for row in matrix.rows:
        for cell in row:
            if isinstance(cell, Chain) and cell.links:
                statement(desk, replace(said, chain=cell))


def unreadable(desk: Desk, said: Statement, node: Unread) -> None:
    """Something that should have been a formula and is none."""
    desk.add(said.region, node, Verdict.UNREADABLE, f"cannot read {node.text[:60]!r}: {node.reason}")


def formula(desk: Desk, parts: Sequence[Part]) -> None:
    """What a name stands for, and its value where that can be worked out."""
    define(desk.memory, [part.node for part in parts])
    names = [part.node for part in parts if isinstance(part.node, (Name, Text))]
    worked = [part.node for part in parts if not isinstance(part.node, (Name, Text)) and part.relation != "∈"]
    if not names:
        return
    if worked:
        for name in names:
            desk.memory.formulas[name.key] = worked[-1]
    elif len(names) > 1 and isinstance(names[-1], Name) and desk.memory.find(names[-1].key) is None:
        desk.memory.formulas.update({name.key: names[-1] for name in names[:-1]})  # V = X, where X comes later
    source = worked[-1] if worked else names[-1]
    shown = desk.value(source, "shown")
    if shown is None:
        return
    exact = desk.value(source, "exact")
    for name in names if worked else names[:-1]:
        if name.key not in desk.memory.names:
            known = Quantity(shown, exact, desk.value(source, "source"), stage_of(name), derived=bool(worked))
            bind(desk, name, known, claimed=False)


def regions_of(document: Document) -> Iterator[Region]:
    """The regions of a document, and those inside the cells of its tables."""
    for region in document.regions:
        yield region
        for row in region.rows:
            for cell in row:
                yield from cell.regions


def judged_document(
    document: Document,
    *,
    decimal_comma: bool = False,
    most_claims: int = MOST_CLAIMS,
    longest_formula: int = LONGEST_FORMULA,
) -> Checked:
    r"""A document with its claims, in the order of the source.

    Of a document with more than `most_claims` only so many are judged, and a remark says so; a formula of more than
    `longest_formula` characters is unreadable.

    >>> from symattn.documents.formats.load import load_document
    >>> found = judged_document(load_document("$2/1.7 = 1.17$\n"))
    >>> [(claim.text, claim.verdict.value, claim.expected) for claim in found.claims]
    [('1.17', 'truncated', '1.18')]
    """
    told: list[Judged] = []
    desk = Desk(document, decimal_comma)
    for said in statements(document, decimal_comma=decimal_comma):
        if len(desk.claims) >= most_claims:
            desk.remarks.append(_stopped(desk, most_claims))
            del desk.claims[most_claims:]
            break
        if said.chain.end - said.chain.start > longest_formula and _claims(said.chain):
            reason = f"more than {longest_formula:,} characters long"
            desk.add(said.region, said.chain, Verdict.UNREADABLE, reason)
            continue
        known, first = desk.memory.copy() if len(told) < MOST_TRACED else None, len(desk.claims)
        _judge_safely(desk, said)
        if known is not None:
            mine = tuple(desk.claims[first:])
            told.append(Judged(said, mine, known if any(claim.finding for claim in mine) else None))
    left_over(desk)
    for region in regions_of(document):
        if region.unreadable and _CLAIMS.search(region.text):
            whole = Unread(0, len(region.text), region.text, region.unreadable)
            desk.add(region, whole, Verdict.UNREADABLE, region.unreadable)

    def anew(known: Memory, said: Sequence[Statement]) -> list[Claim]:
        other = Desk(document, decimal_comma, naming=False)
        other.forget(known)
        for one in said:
            _judge_safely(other, one)
        return other.claims

    claims = traced(list(_once(desk.claims)), told, anew)
    return Checked(document, tuple(_as_written(claim) for claim in claims), tuple(desk.remarks))


def _as_written(claim: Claim) -> Claim:
    """A claim whose right values are percents, where what is written is one."""
    if _PERCENT.search(claim.text) is None:
        return claim
    return replace(
        claim,
        expected=_in_percent(claim.expected),
        from_givens=_in_percent(claim.from_givens),
        from_definitions=_in_percent(claim.from_definitions),
    )


def _in_percent(text: str | None) -> str | None:
    """A decimal in percent: 0.787 as 78.7%."""
    digits = plain_digits(text) if text is not None else None
    return text if digits is None else f"{Digits(digits.units, digits.places - 2).text}%"


def _judge_safely(desk: Desk, said: Statement) -> None:
    """Judge a statement; one that cannot be judged is undecided."""
    try:
        judged_statement(desk, said)
    except (UndecidedError, ShapeError, OptionError, RecursionError) as error:
        desk.add(said.region, said.chain, Verdict.UNDECIDED, f"this was not judged: {error}")
    except Exception as error:  # the rest of the document is still to be judged
        told = f"a fault of this program: {type(error).__name__}: {error}"
        desk.add(said.region, said.chain, Verdict.UNDECIDED, told)


def _claims(chain: Chain) -> bool:
    """Whether a chain says that something equals something."""
    return any(link.relation in EQUALITIES for link in chain.links)


def _stopped(desk: Desk, most_claims: int) -> Remark:
    """The remark that no more was judged."""
    message = f"only the first {most_claims:,} claims were judged; --max-claims allows more"
    return Remark(desk.claims[most_claims - 1].place, "reading", message)


def _once(claims: Sequence[Claim]) -> Iterator[Claim]:
    """The claims in the order of the source, each number once: by the first verdict that decides it."""
    ordered = sorted(claims, key=lambda one: (one.span, one.verdict in UNDECIDED))
    for one, before in zip(ordered, [None, *ordered], strict=False):
        if before is None or one.span != before.span:
            yield one
