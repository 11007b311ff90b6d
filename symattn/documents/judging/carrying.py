"""Where a number that is right in itself got its slip from: an earlier finding, or rounding on the way.

Arrives: a verdict and the place of its entry. Leaves: what was carried, and the place that it came from.
"""

from __future__ import annotations

import re

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Place
from symattn.documents.judging.cells import Candidate, CellVerdict, judged
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.stages import PIPELINE
from symattn.documents.judging.subject import Subject
from symattn.documents.reading.scalars import Scalar
from symattn.documents.reading.tree import Node, Number, walk
from symattn.documents.report import NO_FINDING, Carried


def slip_before(
    desk: Desk, cell: Node, verdict: Verdict, source: Scalar | None, subject: Subject, place: tuple[int, ...]
) -> Place | None:
    """The finding further up without which a number would be right: the definitions give it."""
    if source is None or verdict in {*NO_FINDING, Verdict.WRONG_STEP}:
        return None
    by_definition = judged(cell, [Candidate(source, "definitions")], [source], desk.decimals)
    return origin_of(desk, subject, place) if by_definition.right else None


def carried_from(
    desk: Desk,
    found: CellVerdict,
    subject: Subject,
    place: tuple[int, ...],
    from_givens: str | None,
    from_source: str | None,
) -> tuple[Carried | None, Place | None]:
    """Why a right number is not what full precision gives, and where that came from."""
    if not found.right:
        return None, None
    sourced = from_source not in {None, found.expected}
    origin = origin_of(desk, subject, place) if sourced else None
    if origin is not None:
        return "inherited", origin
    given = found.candidate.route == "written" and from_givens not in {None, found.expected}
    if given and (origin := _origin_of_operands(desk, found.candidate)) is not None:
        return "inherited", origin
    if sourced or given:
        return ("stated_approximation" if _is_approximate(desk, found.candidate) else "early_rounding"), None
    return None, None


def _is_approximate(desk: Desk, candidate: Candidate) -> bool:
    """Whether a value rests on a decimal that the document takes for the root, itself or by way of another number."""
    if candidate.approximate or any(_says(candidate.working, text) for _, text in desk.memory.roots):
        return True
    numbers = [part for part in walk(candidate.tree) if isinstance(part, Number)] if candidate.tree is not None else []
    known = [desk.memory.numbers.get(number.text) for number in numbers]
    return any(one is not None and one[-1].approximate for one in known)


def _says(working: str, number: str) -> bool:
    """Whether a number stands in a working, as a whole."""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)", working) is not None


def _origin_of_operands(desk: Desk, candidate: Candidate) -> Place | None:
    """The finding on a number that a formula goes on from."""
    for part in walk(candidate.tree) if candidate.tree is not None else ():
        known = desk.memory.numbers.get(part.text) if isinstance(part, Number) else None
        if known and (origin := known[-1].origins.get(())) is not None:
            return origin
    return None


def origin_of(desk: Desk, subject: Subject, place: tuple[int, ...]) -> Place | None:
    """The first finding that an entry was computed from."""
    order = PIPELINE[: PIPELINE.index(subject.stage)] if subject.stage in PIPELINE else ()
    row = place[0] if place else None
    for stage in order:
        quantity = desk.memory.whole(stage)
        for at, where in sorted(quantity.origins.items()) if quantity is not None else ():
            if stage in {"K", "V"} or row is None or at[0] == row:
                return where
    return None
