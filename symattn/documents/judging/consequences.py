"""Which findings follow from an earlier one: with that one corrected they are none any more.

Arrives: the claims of a document, and a way to judge it anew with some of its numbers corrected. Leaves: the claims,
the findings that one slip explains naming the first of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.cells import digits_of, is_number, substituted
from symattn.documents.judging.memory import Memory
from symattn.documents.judging.statements import Statement
from symattn.documents.reading.tree import Chain, Neg, Node, Number, walk
from symattn.documents.report import Claim
from symattn.numbers.rounding import Digits, plain_digits

Span = tuple[int, int]
Corrections = Mapping[Span, Digits]
"""Numbers by their place in the source, with the digits that are right there."""

MOST_ANEW: Final = 6_000
"""Statements and claims that are judged anew for it."""

MOST_BESIDE: Final = 4
"""Findings of one statement that are corrected one after the other."""

FEW: Final = 8
"""Findings of a document that each may follow from each."""

MOST_TRIES: Final = 24
"""Findings of a document that are corrected to see what follows from them."""

_WORDS: Final = re.compile(r"[^\W\d_]+")
_FUNCTIONS: Final = frozenset(("e", "exp", "ln", "log", "max", "min", "softmax", "sqrt", "tanh"))

Judge = Callable[[Memory, Sequence[Statement]], Sequence[Claim]]
"""Judges statements by what was known before them, which changes with them."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement with its claims, and what was known before it where there is a finding among them."""

    said: Statement
    claims: tuple[Claim, ...]
    known: Memory | None


def traced(claims: Sequence[Claim], told: Sequence[Judged], judge: Judge) -> list[Claim]:
    """The claims, each finding that is none once an earlier one is corrected with that one as its root cause."""
    found, left = list(claims), MOST_ANEW

    def bounded(known: Memory, said: Sequence[Statement]) -> Sequence[Claim]:
        nonlocal left
        if left <= 0:
            raise _EnoughError
        anew = judge(known, said)
        left -= len(anew) + len(said)
        return anew

    with suppress(_EnoughError):
        _trace(found, told, bounded)
    return found


class _EnoughError(Exception):
    """So much was judged anew that the rest stays as it is."""


def _trace(found: list[Claim], told: Sequence[Judged], judge: Judge) -> None:
    """Name the root causes among the claims."""
    stands = {claim.span: n for n, one in enumerate(told) for claim in one.claims}
    following = _following([claim for claim in found if _is_open(claim) and claim.span in stands], told, judge)
    slips = [k for k, claim in enumerate(found) if _is_open(claim) and claim.span in stands]
    slips.sort(key=lambda k: (found[k].span in following, stands[found[k].span], k))
    tries = MOST_TRIES
    for k in slips:
        slip, start = found[k], stands[found[k].span]
        beside = [claim for claim in found if claim.finding and stands.get(claim.span) == start]
        for right in _hypotheses(slip, beside) if _is_open(slip) else ():
            later = [
                j
                for j, claim in enumerate(found)
                if _is_open(claim) and claim.span in following and claim.span not in right
                if (stands[claim.span], j) > (start, k) or _holds(claim, slip, stands)
            ]
            known = told[start].known
            if not later or known is None or tries <= 0:
                break
            tries -= 1
            end = max(stands[found[j].span] for j in later)
            verdicts = _verdicts(judge(known.copy(), [corrected(one.said, right) for one in told[start : end + 1]]))
            if not _is_no_finding(verdicts.get(slip.span)):
                continue
            gone = {found[j].place for j in later if _is_no_finding(verdicts.get(found[j].span))}
            for j, claim in enumerate(found):
                # what another one of them was the root of goes back to the first of all
                follows = claim.finding and (claim.root_cause or claim.place) in gone
                if follows and _is_no_finding(verdicts.get(claim.span)):
                    found[j] = replace(claim, root_cause=slip.place)


def _following(slips: Sequence[Claim], told: Sequence[Judged], judge: Judge) -> set[Span]:
    """The findings that are none where all before them are corrected, those of their statement one by one."""
    spans = {claim.span for claim in slips}
    dependent = {claim.span for k, claim in enumerate(slips) if _may_follow(claim, slips[:k])}
    if not dependent:
        return set()
    first = next((n for n, one in enumerate(told) if any(claim.span in spans for claim in one.claims)), None)
    known = told[first].known if first is not None else None
    if len(slips) <= FEW or first is None or known is None:
        return spans if len(slips) > 1 else set()
    known, found = known.copy(), set()
    last = max(n for n, one in enumerate(told) if any(claim.span in dependent for claim in one.claims))
    for one in told[first : last + 1]:
        mine = [claim for claim in one.claims if claim.span in spans]
        right: dict[Span, Digits] = {}
        rest: dict[Span, Digits] = {}
        for _ in range(MOST_BESIDE) if mine else ():
            anew = {claim.span: claim for claim in reversed(judge(known.copy(), [corrected(one.said, right)]))}
            open_ = [claim.span for claim in mine if claim.span not in right]
            found |= {span for span in open_ if span not in anew or _is_no_finding(anew[span].verdict)}
            # what is right may be another number now than it was
            fresh = {span: plain_digits(anew[span].expected or "") for span in open_ if span not in found}
            rest = {span: digits for span, digits in fresh.items() if digits is not None}
            if not rest:
                break
            slip = next(iter(rest))
            right[slip] = rest[slip]
            found |= {claim.span for claim in mine if _covers(claim.span, slip)}
        judge(known, [corrected(one.said, rest | right)])
    return found


def _may_follow(claim: Claim, before: Sequence[Claim]) -> bool:
    """Whether a finding can rest on an earlier one: on a name, on a stage, or on a number that is written again."""
    if not before:
        return False
    words = set(_WORDS.findall(claim.working)) - _FUNCTIONS
    return not claim.working or bool(words) or any(slip.text in claim.working for slip in before)


def _hypotheses(slip: Claim, beside: Sequence[Claim]) -> list[Corrections]:
    """What may be right instead: a number with those of the same slip, at full precision too; all of its result."""
    mine = [claim for claim in beside if claim is slip or claim.root_cause == slip.place]
    ways = [
        {claim.span: plain_digits(claim.expected or "") for claim in mine},
        {claim.span: plain_digits(claim.from_givens or claim.expected or "") for claim in mine},
        {claim.span: plain_digits(claim.expected or "") for claim in beside},
    ]
    out: list[Corrections] = []
    for way in ways:
        right = {span: digits for span, digits in way.items() if digits is not None}
        if slip.span in right and right not in out:
            out.append(right)
    return out


def _verdicts(claims: Sequence[Claim]) -> dict[Span, Verdict]:
    """The verdicts by their place, the first one where there are several."""
    return {claim.span: claim.verdict for claim in reversed(claims)}


def _covers(outer: Span, inner: Span) -> bool:
    """Whether a place lies within another."""
    return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]


def _holds(claim: Claim, slip: Claim, stands: Mapping[Span, int]) -> bool:
    """Whether a finding is on a formula that a slip is a part of."""
    return stands[claim.span] == stands[slip.span] and _covers(claim.span, slip.span)


def _is_open(claim: Claim) -> bool:
    """Whether a finding is not explained by another."""
    return claim.finding and claim.root_cause is None


def _is_no_finding(verdict: Verdict | None) -> bool:
    """Whether a number is right, or only says again what stands before it."""
    return verdict is None or verdict in {Verdict.EXACT, Verdict.ROUNDED}


def corrected(said: Statement, right: Corrections) -> Statement:
    """A statement with the numbers that are corrected in it."""
    if said.did is not None or not right:
        return said
    offsets = said.region.offsets

    def put(node: Node) -> Node | None:
        if not is_number(node) or digits_of(node) is None:
            return None
        digits = right.get(offsets.span(node.start, node.end))
        return None if digits is None else _number(node, digits)

    chain = substituted(said.chain, put)
    return replace(said, chain=chain) if isinstance(chain, Chain) else said


def _number(node: Node, digits: Digits) -> Node:
    """A number in the place of another."""
    size = Digits(abs(digits.units), digits.places)
    signs = (sign for part in walk(node) if isinstance(part, Number) for sign in ("{,}", ",") if sign in part.text)
    text = size.text.replace(".", next(signs, "."))  # it is looked up as the author writes it
    number = Number(node.start, node.end, text, size.value, size)
    return Neg(node.start, node.end, number) if digits.units < 0 else number
