"""Which findings follow from an earlier one: with that one corrected they are none any more.

Arrives: the claims of a document, and a way to judge it anew with some of its numbers corrected. Leaves: the claims,
the findings that one slip explains naming the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.cells import digits_of, is_number, substituted
from symattn.documents.judging.memory import Memory
from symattn.documents.judging.statements import Statement
from symattn.documents.reading.tree import Neg, Node, Number
from symattn.documents.report import Claim
from symattn.numbers.rounding import Digits, plain_digits

Span = tuple[int, int]
Corrections = Mapping[Span, Digits]
"""Numbers by their place in the source, with the digits that are right there."""

MOST_TRIES: Final = 10
"""Findings of a document that are corrected to see what follows from them."""

ROUNDINGS: Final = frozenset({Verdict.TRUNCATED, Verdict.LAST_DIGIT})


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement with its claims, and what was known before it where there is a finding among them."""

    said: Statement
    claims: tuple[Claim, ...]
    known: Memory | None


def traced(
    claims: Sequence[Claim],
    told: Sequence[Judged],
    judge: Callable[[Memory, Sequence[Statement]], Sequence[Claim]],
) -> list[Claim]:
    """The claims, each finding that is none once an earlier one is corrected with that one as its root cause."""
    found = list(claims)
    stands = {claim.span: n for n, one in enumerate(told) for claim in one.claims}
    tries = MOST_TRIES
    # a slip of a unit explains little: those come last
    order = sorted(range(len(found)), key=lambda k: (found[k].verdict in ROUNDINGS, k))
    for k in order:
        slip = found[k]
        start = stands.get(slip.span)
        if not _is_open(slip) or start is None:
            continue
        for right in _hypotheses(slip, [found[j] for j in range(k, len(found)) if stands.get(found[j].span) == start]):
            later = [
                j
                for j in range(k + 1, len(found))
                if _is_open(found[j]) and found[j].span not in right and stands.get(found[j].span, -1) >= start
            ]
            known = told[start].known
            if not later or known is None:
                break
            if tries <= 0:
                return found
            tries -= 1
            end = max(stands[found[j].span] for j in later)
            anew = judge(known, [corrected(one.said, right) for one in told[start : end + 1]])
            verdicts = {claim.span: claim.verdict for claim in reversed(anew)}
            for j in later if _is_no_finding(verdicts.get(slip.span)) else ():
                if _is_no_finding(verdicts.get(found[j].span)):
                    found[j] = replace(found[j], root_cause=slip.place)
    return found


def _hypotheses(slip: Claim, beside: Sequence[Claim]) -> list[Corrections]:
    """What may be right instead: a number with those of the same slip, at full precision too; all of its result."""
    findings = [claim for claim in beside if claim.finding]
    mine = [claim for claim in findings if claim is slip or claim.root_cause == slip.place]
    ways = [
        {claim.span: plain_digits(claim.expected or "") for claim in mine},
        {claim.span: plain_digits(claim.from_givens or claim.expected or "") for claim in mine},
        {claim.span: plain_digits(claim.expected or "") for claim in findings},
    ]
    out: list[Corrections] = []
    for way in ways:
        right = {span: digits for span, digits in way.items() if digits is not None}
        if slip.span in right and right not in out:
            out.append(right)
    return out


def _is_open(claim: Claim) -> bool:
    """Whether a finding is not explained by another."""
    return claim.finding and claim.root_cause is None


def _is_no_finding(verdict: Verdict | None) -> bool:
    """Whether a number is right, or only says again what stands before it."""
    return verdict is None or verdict in {Verdict.EXACT, Verdict.ROUNDED}


def corrected(said: Statement, right: Corrections) -> Statement:
    """A statement with the numbers that are corrected in it."""
    offsets = said.region.offsets
    start, end = offsets.span(said.chain.start, said.chain.end)
    mine = {span: digits for span, digits in right.items() if start <= span[0] and span[1] <= end}
    if not mine or said.did is not None:
        return said

    def put(node: Node) -> Node | None:
        if not is_number(node) or digits_of(node) is None:
            return None
        digits = mine.get(offsets.span(node.start, node.end))
        return None if digits is None else _number(node, digits)

    return replace(said, chain=substituted(said.chain, put))


def _number(node: Node, digits: Digits) -> Node:
    """A number in the place of another."""
    size = Digits(abs(digits.units), digits.places)
    number = Number(node.start, node.end, size.text, size.value, size)
    return Neg(node.start, node.end, number) if digits.units < 0 else number
