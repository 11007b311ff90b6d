"""One result of a chain: what it may stand for, and how it is judged.

Arrives: a chain with the place of a result in it. Leaves: claims on the desk, or a value that the document gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flint import fmpq

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.candidates import (
    as_displayed,
    masked_before_scaling,
    predicted,
    restates,
    share_of,
    shares,
    sums,
    unworked,
    values_before,
)
from symattn.documents.judging.cells import Candidate, digits_of, grid_of, is_literal, laid_over
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.fitting import HALF, fit
from symattn.documents.judging.giving import give, give_transposed
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.missteps import amiss, misstep
from symattn.documents.judging.operands import is_first, misquoted, together
from symattn.documents.judging.placing import sure, unplaced
from symattn.documents.judging.restating import contradicted, restated
from symattn.documents.judging.settling import settle
from symattn.documents.judging.shapes import shape_failure
from symattn.documents.judging.stages import NEAR, PIPELINE, PROJECTIONS, stage_of, stage_of_words
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part, Subject, is_definition, is_weak, names_of, subject_of
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Call, Infinity, List, Matrix, Name, Neg, Node, Number, Text, Unread, walk
from symattn.numbers.rounding import plain_digits

SOME: Final = 5
"""A fifth of a sum: what is written and off by less may be meant to be it."""


def claim(desk: Desk, said: Statement, parts: Sequence[Part], k: int) -> None:
    """The result at place k of a chain."""
    before, part = parts[:k], parts[k]
    subject = subject_of(desk, said, before, part)
    if _is_given(desk, said, before, part, subject):
        return
    worked, failure = values_before(desk, before, part)
    if failure is not None and not worked:
        shape_failure(desk, said, parts, k, subject, failure)
    elif worked:
        _by_working(desk, said, before, part, subject, worked)
    else:
        _by_prediction(desk, said, before, part, subject)


def _is_given(desk: Desk, said: Statement, before: Sequence[Part], part: Part, subject: Subject) -> bool:
    """Whether a value is given, recalled from before, or that of a limit: then nothing is worked out for it."""
    names = names_of(before)
    known = contradicted(desk, said, subject, part.node) if names and len(names) == len(before) else None
    if known is not None and not restated(desk, subject, part.node):
        told = Candidate(known.shown, "written", "what was given before")
        settle(desk, said, part, [told], replace(subject, inconsistent=True))
        return True
    if is_definition(subject, before):
        give(desk, subject.names, part.node)
        return True
    return give_transposed(desk, before, part.node) or _of_limit(desk, said, before, part)


def _by_working(
    desk: Desk, said: Statement, before: Sequence[Part], part: Part, subject: Subject, worked: list[Candidate]
) -> None:
    """Judge a result by the formula before it; at full precision it may be right too."""
    tree = worked[0].tree
    slip = misstep(desk, said, tree, subject) if tree is not None and not _is_variant(desk, subject) else None
    if slip is not None:
        amiss(desk, said, part, subject, slip)
        return
    candidates = list(worked)
    if tree is None or restates(desk, tree, subject.stage):
        candidates += predicted(desk, subject, part.node, worked=True)
    named = not any(isinstance(node, (List, Matrix)) for one in before for node in walk(one.node))
    if named and subject.stage in {"scaled_scores", "weights", "outputs"}:
        # names stand for what was displayed last: the scores as written, not Q and K anew
        candidates = [*as_displayed(desk, subject.stage), *candidates]
    misread = tree is not None and is_first(before, tree) and misquoted(desk, said, tree, part.node)
    first = len(desk.claims)
    settle(desk, said, part, candidates, subject)
    if misread:
        together(desk, first)
    _joined_heads(desk, before, part.node)


def _by_prediction(desk: Desk, said: Statement, before: Sequence[Part], part: Part, subject: Subject) -> None:
    """Judge a result without working by what its stage should be; what cannot be placed says why."""
    node = part.node
    if subject.stage == "row_sums" and not desk.memory.is_summing and _is_about_one(node):
        return  # a sum of weights, of which the row itself says what it is
    summed = (not subject.stage or is_weak(subject)) and _is_sum(desk, said, subject, node)
    if summed:
        subject = replace(subject, stage="row_sums")
    if (in_turn := _told_in_turn(desk, said, subject, node)) is not None:
        settle(desk, said, part, in_turn, replace(subject, stage=""))
        return
    candidates = predicted(desk, subject, node, worked=False)
    entries = _of_entry(desk, subject, node, candidates)
    named = all(isinstance(one.node, (Name, Text)) or is_literal(one.node) for one in before)
    # after the exponentials of the next row and their sum, weights like those of another row are new ones
    new = subject.stage == "weights" and desk.memory.total is not None and bool(shares(desk, node))
    new = new or (subject.stage == "row_sums" and desk.memory.is_summing)
    if named and not entries and not new and restated(desk, subject, node):
        return
    candidates += entries
    subject, candidates = _next_stage(desk, subject, node, candidates)
    if not candidates:
        reason = "" if unplaced(desk, said, part, subject) else unworked(desk, before, tables=isinstance(node, Matrix))
        if reason:
            desk.add(said.region, node, Verdict.UNDECIDED, reason, relation=part.relation or "=")
        return
    fitting = fit(desk, node, candidates, subject.row)
    if _is_variant(desk, subject) and (fitting is None or fitting <= HALF):
        give(desk, subject.names, node)
        return
    told = summed or sure(subject)
    if fitting is None or (fitting < HALF and not told and not _is_told(desk, said, before, subject)):
        unplaced(desk, said, part, subject)
        return
    if subject.stage in (*PROJECTIONS, "masked_scores") or _is_known(desk, subject, node):
        subject = replace(subject, inconsistent=True)
    settle(desk, said, part, candidates, subject)
    _joined_heads(desk, before, node)


def _told_in_turn(desk: Desk, said: Statement, subject: Subject, node: Node) -> list[Candidate] | None:
    """What the next weight is, where they are told one after the other: π_A = 0.118, π_B = 0.211."""
    at, digits = desk.memory.shared, digits_of(node)
    if subject.stage or not subject.names or digits is None or digits.places < 1:
        return None
    if desk.memory.total is None or not max(at, 1) < len(desk.memory.exponentials):
        return None
    if not any(stage_of_words(text) == "weights" for text in (said.words, *said.headings[-1:])):
        return None
    found = share_of(desk, at)
    right = [plain_digits(desk.rounded(one.value, digits) or "") for one in found if not isinstance(one.value, Table)]
    if not any(one is not None and abs(one.units - digits.units) <= 1 for one in right):
        return None
    desk.memory.shared += 1
    return found


def _is_variant(desk: Desk, subject: Subject) -> bool:
    """Whether a name is another one of a stage that is known: A' and Ã beside A may be anything."""
    marked = [isinstance(name, Name) and bool(name.primes or name.accent) for name in subject.names]
    return bool(marked) and all(marked) and desk.memory.whole(subject.stage) is not None


def _is_about_one(node: Node) -> bool:
    return isinstance(node, Number) and abs(node.value - 1) < fmpq(1, 10)


def _is_sum(desk: Desk, said: Statement, subject: Subject, node: Node) -> bool:
    """Whether a name that says nothing is the sum of the exponentials before it: Z_1 = 1.74, near it, or called so."""
    named = all(
        isinstance(name, Name) and (len(name.base) == 1 or name.base.lower() == "sigma") for name in subject.names
    )
    if not desk.memory.is_summing or not named or not subject.names or not isinstance(node, Number):
        return False
    found = [one.value for one in sums(desk, subject.row) if isinstance(one.value, fmpq)]
    called = any(stage_of_words(text) == "row_sums" for text in (said.words, *said.headings[-1:]))
    return any(total == node.value or (called and abs(total - node.value) < total / SOME) for total in found)


def _of_entry(desk: Desk, subject: Subject, node: Node, candidates: Sequence[Candidate]) -> list[Candidate]:
    """What S_{12} is where the whole of its stage can be worked out; authors may also write the key's index first."""
    entry = subject.entry
    headed = any(isinstance(name, Name) and name.sup for name in subject.names)
    if entry is None or len(entry) != 2 or not isinstance(node, (Number, Neg)) or headed or desk.memory.head:
        return []
    if subject.stage == "weights" and desk.memory.total is not None and entry[1] < len(desk.memory.exponentials):
        return share_of(desk, entry[1])
    tables = [(one, one.value.rows) for one in candidates if isinstance(one.value, Table) and len(one.value.rows) > 1]
    return [
        replace(one, value=rows[i][j])
        for i, j in dict.fromkeys((entry, entry[::-1]))
        for one, rows in tables
        if i < len(rows) and j < len(rows[0])
    ]


def _next_stage(
    desk: Desk, subject: Subject, node: Node, candidates: list[Candidate]
) -> tuple[Subject, list[Candidate]]:
    """The scaled scores, where a name of scores is given to them after the scores themselves: S = QKᵀ, then S again.

    A mask may also be put on the scores before they are scaled: then it is the scores that go on masked.
    """
    hidden = isinstance(node, Matrix) and any(isinstance(part, Infinity) for part in walk(node))
    if hidden and subject.stage == "scaled_scores" and "scores" not in desk.memory.stages:
        desk.memory.masked = True
        subject = replace(subject, stage="masked_scores")
        return subject, predicted(desk, subject, node, worked=False)
    if hidden and subject.stage == "scores" and "scores" not in desk.memory.stages:
        desk.memory.masked = True
        return subject, masked_before_scaling(desk)
    if not isinstance(node, Matrix) or "scores" not in desk.memory.stages:
        return subject, candidates
    if subject.stage == "scaled_scores" and any(isinstance(part, Infinity) for part in walk(node)):
        desk.memory.masked = True  # what is scaled is masked too
        scaled = replace(subject, stage="masked_scores")
        others = predicted(desk, scaled, node, worked=False)
    elif subject.stage == "scores":
        scaled = replace(subject, stage="scaled_scores")
        others = predicted(desk, scaled, node, worked=False)
    elif subject.stage == "masked_scores" and "scaled_scores" not in desk.memory.stages:
        scaled, others = replace(subject, stage="scores"), masked_before_scaling(desk)
    else:
        return subject, candidates
    fitting, other = fit(desk, node, candidates, subject.row), fit(desk, node, others, subject.row)
    if other is None or other < HALF or (fitting is not None and fitting >= other):
        return subject, candidates
    return scaled, others


def _is_told(desk: Desk, said: Statement, before: Sequence[Part], subject: Subject) -> bool:
    """Whether a formula says the stage, or the words right before the relation: "Sum = 6.8" after exponentials."""
    if any(not isinstance(one.node, (Name, Text)) and stage_of(one.node) == subject.stage for one in before):
        return subject.stage in (*PIPELINE, "exponentials")  # the formula of the stage itself
    if before or stage_of_words(said.words[-NEAR:]) != subject.stage:
        return False
    return subject.stage != "row_sums" or desk.memory.is_summing


def _is_known(desk: Desk, subject: Subject, node: Node) -> bool:
    """Whether one of the names has a value already that was judged, of the shape that is written."""
    laid = grid_of(node)
    if laid is None or subject.stage not in PIPELINE:
        return False
    known = [one for name in subject.names if (one := desk.memory.names.get(name.key)) is not None]
    return any(
        one.claimed and one.stage == subject.stage and laid_over(one.shown, laid[0], flat=laid[1]) for one in known
    )


def _joined_heads(desk: Desk, before: Sequence[Part], node: Node) -> None:
    """What Concat(head_1, head_2) is goes on as Concat; with W_O applied to it, it is the output of them all."""
    value = desk.value(node, "shown")
    if not isinstance(value, Table):
        return
    if any(isinstance(part.node, Call) and part.node.function == "concat" for part in before):
        desk.memory.bind("Concat", Quantity(value, claimed=True))
    if desk.memory.heads and any(
        isinstance(one, Name) and one.key == "W_O" for part in before for one in walk(part.node)
    ):
        desk.memory.joined = Quantity(value, stage="outputs", claimed=True)


def _of_limit(desk: Desk, said: Statement, before: Sequence[Part], part: Part) -> bool:
    """Whether a result is that of a limit, which is never worked out: no value of another thing is meant."""
    limit = before[0].node if len(before) == 1 else None
    if not isinstance(limit, Unread) or not limit.reason.startswith("a limit"):
        return False
    desk.add(said.region, part.node, Verdict.UNDECIDED, limit.reason, relation=part.relation)
    return True
