"""Results without working: restated, placed by the value that fits, or given."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from flint import fmpq

from symattn.documents.judging.candidates import WAYS, formula_of, predicted, sums
from symattn.documents.judging.cells import (
    Candidate,
    digits_of,
    grid_of,
    last,
)
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.fitting import HALF, fit
from symattn.documents.judging.functions import behind_the_hidden_layer
from symattn.documents.judging.giving import give, stand
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.predict import root_of, transition
from symattn.documents.judging.restating import restated
from symattn.documents.judging.settling import settle
from symattn.documents.judging.spelling import spelt
from symattn.documents.judging.stages import (
    GIVEN,
    NEAR,
    PIPELINE,
    PROJECTIONS,
    WEAK,
    row_of_words,
    stage_of,
    stage_of_words,
)
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import (
    Part,
    Subject,
    is_weak,
)
from symattn.documents.reading.scalars import Infinite
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import (
    Blank,
    Elided,
    Infinity,
    List,
    Matrix,
    Name,
    Node,
    Number,
    Power,
    walk,
)

FEW: Final = 5
_HIDDEN: Final = "hidden"

_CONTRAST: Final = re.compile(
    r"\u2063[^\u2063]*(?:\b(?:but|not|instead of|rather than|mais|aber|statt|pero|mas|но|а не)\b"
    r"|却|但|而不是|nhưng|ではなく|아니라)[^\u2063]*$",
    re.IGNORECASE,
)
"""A formula, and then words that set another value against it."""


def bare(desk: Desk, said: Statement, part: Part) -> None:
    """A value that stands alone: a restatement, the input of the next step, a result, or a given."""
    node = part.node
    laid = grid_of(node)
    if laid is None:
        return
    grid, _ = laid
    if all(isinstance(last(cell), (Blank, Elided)) for row in grid for cell in row) or _is_mask(desk, node):
        return
    size = len(grid) * len(grid[0])
    hint = stage_of_words(said.words)
    row = row_of_words(said.words, said.first)
    subject = Subject(hint, said.row if row is None else row)
    if size == 1 and not isinstance(node, Matrix):
        _number(desk, said, part, subject)
        return
    told = hint in PIPELINE
    if (
        _of_function(desk, said, part)
        or restated(desk, replace(subject, stage=""), node)
        or by_value(desk, said, part, subject, sure=told)
    ):
        return
    value = desk.value(node, "shown")
    if isinstance(value, Table):
        quantity = Quantity(value, value, None, hint)
        if value.flat:
            desk.memory.input = quantity
        if hint in (*GIVEN, *PIPELINE) and hint not in desk.memory.stages:
            desk.memory.place(hint, quantity)


def _number(desk: Desk, said: Statement, part: Part, subject: Subject) -> None:
    """Judge a number that stands alone: a sum, or an entry of an output."""
    if subject.stage == "row_sums" and desk.memory.exponentials:
        settle(desk, said, part, sums(desk, subject.row), subject)
    elif (
        subject.stage == "outputs" and part.relation == "" and not restated(desk, replace(subject, stage=""), part.node)
    ):
        by_value(desk, said, part, subject, sure=False)


def _of_function(desk: Desk, said: Statement, part: Part) -> bool:
    """Judge what comes behind the hidden layer of a function that the document defines: the output of an FFN."""
    hidden = desk.memory.input
    if hidden is None or not desk.memory.functions:
        return False
    layer = Name(part.node.start, part.node.start, _HIDDEN)
    for body in behind_the_hidden_layer(desk.memory.functions, layer):
        value = desk.value(body, "shown", {_HIDDEN: hidden.shown})
        found = [Candidate(value, "written", spelt(body))] if value is not None else []
        score = fit(desk, part.node, found, None) if found else None
        if score is not None and score >= HALF:
            settle(desk, said, part, found, Subject(""))
            return True
    return False


def _is_mask(desk: Desk, node: Node) -> bool:
    """Whether a table holds nothing but 0 and −∞: it is given, and no result."""
    value = desk.value(node, "shown")
    if not isinstance(value, Table):
        return False
    entries = [entry for row in value.rows for entry in row]
    least = fmpq(-(10**8))  # -1e9 is written for −∞ too
    never = [isinstance(entry, Infinite) or (isinstance(entry, fmpq) and entry < least) for entry in entries]
    return any(never) and all(one or entry == 0 for one, entry in zip(never, entries, strict=True))


def becomes(desk: Desk, said: Statement, before: Node, part: Part, subject: Subject) -> None:
    """A row of numbers that an arrow turns into another one: the step that most of its entries bear out."""
    given = {way: desk.value(before, way) for way, _ in WAYS}
    d_k = desk.predictions.d_k()
    roots: list[Value] = [root for root, _ in reversed(desk.memory.roots)]
    roots += [root_of(d_k)] if d_k is not None else []
    roots += [desk.memory.divisor] if desk.memory.divisor is not None else []
    hints = {stage_of_words(text) for text in (said.words, *said.headings[-1:])}
    best: tuple[float, Subject, list[Candidate]] | None = None
    for stage in ("scaled_scores", "weights", "exponentials", "shifted"):
        found = [
            Candidate(made, route, formula_of(stage), approximate=isinstance(root, fmpq))
            for root in (roots if stage == "scaled_scores" else [None])
            for way, route in WAYS
            if (value := given[way]) is not None and (made := transition(stage, value, root)) is not None
        ]
        placed = replace(subject, stage=stage)
        score = fit(desk, part.node, found, None) if found else None
        if score is not None and score >= (0.5 if stage in hints else 0.6) and (best is None or score > best[0]):
            best = score, placed, found
    if best is None:
        bare(desk, said, replace(part, relation=""))
    else:
        settle(desk, said, part, best[2], best[1])


def unplaced(desk: Desk, said: Statement, part: Part, subject: Subject) -> bool:
    """A result without a prediction: a given, or placed by the value that fits; whether it was placed."""
    node = part.node
    if subject.stage in (*GIVEN, *PROJECTIONS, "d_k"):
        give(desk, subject.names, node)
        return True
    if by_value(desk, said, part, subject, sure=bool(subject.names)):
        return True
    if subject.names:
        give(desk, subject.names, node)
    elif subject.stage in PIPELINE and isinstance(node, Matrix):
        stand(desk, subject.stage, node)
    elif subject.stage == "scores" and isinstance(node, Number):
        told = Quantity(node.value, node.value, None, "scores")
        desk.memory.remember(node.text, told)
        if subject.entry is not None and len(subject.entry) == 2 and "scores" not in desk.memory.stages:
            desk.memory.place_entry("scores", (subject.entry[0], subject.entry[1]), told)
    return False


def by_value(desk: Desk, said: Statement, part: Part, subject: Subject, *, sure: bool) -> bool:
    """Judge a value by the stage that it fits best; whether one was found."""
    best: tuple[float, Subject, list[Candidate]] | None = None
    stages = [subject.stage] if subject.stage in (*PIPELINE, "exponentials") else []
    stages += ["shifted"] if _may_be_shifted(part.node) else []
    stages += [stage for stage in (*reversed(PIPELINE), "exponentials") if stage not in stages]
    own: list[Candidate] = []
    for stage in stages:
        if stage == "exponentials" and part.relation == "" and subject.stage != stage and not _may_be_powers(part.node):
            continue
        if stage == "masked_scores" and not (desk.memory.masked or subject.stage == stage or _hides(part.node)):
            continue
        placed = replace(subject, stage=stage)
        candidates = predicted(desk, placed, part.node, worked=False)
        guessed = stage != subject.stage
        own = own if guessed else candidates
        score = fit(desk, part.node, candidates, subject.row, whole_exactly=guessed)
        if score is None and subject.row is not None:
            score = fit(desk, part.node, candidates, None, whole_exactly=guessed)
        if score is not None and (best is None or score > best[0]):
            best = score, placed, candidates
    unknown = bool(subject.names) and subject.stage not in PIPELINE
    nameless = part.relation == "" and not subject.stage and _are_few_and_whole(part.node)
    sure = sure or (best is not None and best[1].stage == subject.stage)
    # decimals that fit what comes next, in a row that is told or in a table, are no chance
    telling = best is not None and best[1].stage not in desk.memory.stages and _has_decimals(part.node)
    sure = sure or (telling and subject.row is not None)
    unknown = unknown and not (telling and isinstance(part.node, Matrix))
    other = best is not None and subject.stage in PIPELINE and best[1].stage != subject.stage and not is_weak(subject)
    unlikely = unknown or nameless or (other and not own)
    sure = sure and not (other and best is not None and _comes_before(best[1].stage, subject.stage))
    if best is None or best[0] < (1 if unlikely else 0.5 if sure else 0.6):
        return not unknown and _by_heading(desk, said, part, subject)
    if best[0] < 1 and part.relation == "" and best[1].stage in desk.memory.stages and _CONTRAST.search(said.words):
        return True  # quoted beside what the document itself says: "it gives [0, 2, 1], but the example states ..."
    settle(desk, said, part, best[2], best[1])
    return True


def _comes_before(stage: str, other: str) -> bool:
    """Whether a stage is one that the other is worked out from: what words call the later one is hardly the earlier."""
    return stage in PIPELINE and PIPELINE.index(stage) < PIPELINE.index(other)


def _are_few_and_whole(node: Node) -> bool:
    """Whether there are few numbers, all of them whole: those fit the rows of a small example by chance."""
    laid = grid_of(node)
    digits = [digits_of(last(cell)) for row in laid[0] for cell in row] if laid is not None else []
    return len(digits) <= FEW and all(one is not None and one.places <= 0 for one in digits)


def _hides(node: Node) -> bool:
    """Whether something in a table is hidden by a mask."""
    return any(isinstance(one, (Infinity, Power)) for one in walk(node))


def _has_decimals(node: Node) -> bool:
    """Whether most numbers are no whole ones."""
    laid = grid_of(node)
    digits = [digits_of(last(cell)) for row in laid[0] for cell in row] if laid is not None else []
    told = sum(one is not None and one.units % 10 ** max(0, one.places) != 0 for one in digits)
    return bool(2 * told >= len(digits) > 1)


def _may_be_shifted(node: Node) -> bool:
    """Whether numbers may be less the largest of them: none above 0, one of them 0, and others below."""
    laid = grid_of(node)
    digits = [digits_of(last(cell)) for row in laid[0] for cell in row] if laid is not None else []
    units = [one.units for one in digits if one is not None]
    return len(units) > 1 and max(units) == 0 and min(units) < 0


def _may_be_powers(node: Node) -> bool:
    """Whether numbers that nobody calls so may be exponentials: positive, and not all of them whole numbers."""
    laid = grid_of(node)
    digits = [digits_of(last(cell)) for row in laid[0] for cell in row] if laid is not None else []
    told = [one for one in digits if one is not None]
    return all(one.units > 0 for one in told) and any(one.places > 0 for one in told)


def _by_heading(desk: Desk, said: Statement, part: Part, subject: Subject) -> bool:
    """Judge a matrix by the stage that its sentence or its heading names, where that stage has not come yet."""
    told = (said.words, *said.headings[-1:])
    stage = next((one for text in told if (one := stage_of_words(text)) in PIPELINE), "")
    if not stage or stage in desk.memory.stages or not isinstance(part.node, (List, Matrix)):
        return False
    placed = replace(subject, stage=stage, told=True)
    candidates = predicted(desk, placed, part.node, worked=False)
    if fit(desk, part.node, candidates, None) is None:
        return False
    single = (desk.height("Q") or 1) == 1 and not desk.memory.scored and all(_is_row(one.value) for one in candidates)
    if isinstance(part.node, List) and not (single and _is_softmax(said, stage)):
        return False  # which row it is would be a guess
    settle(desk, said, part, candidates, placed)
    return True


def _is_softmax(said: Statement, stage: str) -> bool:
    """Whether the words right before weights call them so."""
    return stage == "weights" == stage_of_words(said.words[-NEAR:])


def _is_row(value: Value) -> bool:
    """Whether a value is one row."""
    return isinstance(value, Table) and len(value.rows) == 1


def sure(subject: Subject) -> bool:
    """Whether a name or a formula says for certain what a value is."""
    return subject.stage in (*PIPELINE, "shifted", "row_sums", "exponentials") and any(
        stage_of(name) == subject.stage and not (isinstance(name, Name) and name.base.lower() in WEAK)
        for name in subject.names
    )
