"""Layer normalisation worked out by hand: the mean of a row, its variance, its deviation, and the row normalised.

Arrives: a statement that gives one of them without working. Leaves: claims on the desk, and what is known of the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final

from flint import fmpq

from symattn.documents.judging.cells import Candidate, is_literal
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.fitting import HALF, fit
from symattn.documents.judging.memory import Moments
from symattn.documents.judging.settling import settle
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part, Subject
from symattn.documents.reading.scalars import Scalar, over, plus, times
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import List, Matrix, Name, Neg, Node, Number, Power, Root, Text
from symattn.documents.reading.value import evaluate
from symattn.errors import ShapeError, UndecidedError

RECENT: Final = 4
"""Tables displayed last that a mean may be of."""

_CLAUSE: Final = re.compile(r"[.,;:，。；：\u2063]")
_NORM: Final = re.compile(r"layer[ -]?norm|\bLN\b|normali[sz]|归一化|正規化|정규화|нормализ|nrmlz", re.IGNORECASE)
_MEAN: Final = re.compile(
    r"\b(?:mean|average|moyenne|media|média|mittelwert|ortalama)\b|均值|平均|평균|средн|trung bình", re.IGNORECASE
)
_VARIANCE: Final = re.compile(
    r"\bvar(?:iance|ianz|ianza|iância|yans)?\b|方差|分散|분산|дисперси|phương sai", re.IGNORECASE
)
_DEVIATION: Final = re.compile(
    r"\b(?:std|standard deviation|deviation|écart[- ]type|standardabweichung|desvia\w+|deviazione)\b"
    r"|标准差|標準差|標準偏差|표준편차|отклонени|độ lệch",
    re.IGNORECASE,
)


Entries = tuple[Scalar, ...]


def normalised(desk: Desk, said: Statement, parts: Sequence[Part]) -> bool:
    """Judge a mean, a variance, a deviation or a normalised row without working; whether it was one."""
    kind, index = _kind(said, parts)
    part = parts[-1]
    if kind and len(parts) <= 2 and isinstance(part.node, (Number, Neg)):
        found = [one for _, one in _candidates(desk, part.node, kind, index)]
        if found:
            settle(desk, said, part, found, Subject(""))
            note(desk, said, parts)
        return bool(found)
    if len(parts) > 2 or not _is_normal(said) or not isinstance(part.node, (List, Matrix)) or not is_literal(part.node):
        return False
    for candidates in _of_rows(desk):
        score = fit(desk, part.node, candidates, None)
        if score is not None and score >= HALF:
            settle(desk, said, part, candidates, Subject(""))
            return True
    return False


def note(desk: Desk, said: Statement, parts: Sequence[Part]) -> None:
    """Remember the table that a chain ends with, or the moment of a row that it gives."""
    node = parts[-1].node
    if not is_literal(node):
        return
    if isinstance(node, (List, Matrix)):
        desk.memory.recent = (*desk.memory.recent, node)[-RECENT:]
        return
    kind, index = _kind(said, parts)
    value, moments = desk.value(node, "shown") if kind else None, desk.memory.moments
    if value is None or isinstance(value, Table):
        return
    known = moments.get(index or 0)
    if kind == "mean":
        row = next((row for row, _ in _candidates(desk, node, kind, index)), None)
        moments.update({index or 0: Moments(row, value)} if row is not None else {})
    elif known is not None:
        both = (value, known.deviation) if kind == "variance" else (known.variance, value)
        moments[index or 0] = Moments(known.entries, known.mean, *both)


def _kind(said: Statement, parts: Sequence[Part]) -> tuple[str, int | None]:
    """What the name or the words before a number say that it is, and of which row."""
    before = parts[0].node if len(parts) > 1 else None
    name = before.base if isinstance(before, Power) else before
    if isinstance(name, Name):
        squared = isinstance(before, Power) and isinstance(before.exponent, Number) and before.exponent.value == 2
        index = int(name.sub) - said.first if name.sub.isdecimal() and len(name.sub) < 3 else None
        letter = {"mu": "mean", "sigma": "variance" if squared or name.sup == "2" else "deviation"}.get(name.base, "")
        return (letter if squared or before is name else ""), index
    text = name.text if isinstance(name, Text) else said.words if before is None else ""
    text = _CLAUSE.split(text.rstrip(" :：,，"))[-1]
    kinds = (("deviation", _DEVIATION), ("variance", _VARIANCE), ("mean", _MEAN))
    return next((kind for kind, pattern in kinds if pattern.search(text)), "") if _is_normal(said) else "", None


def _is_normal(said: Statement) -> bool:
    """Whether the heading or the words speak of normalisation."""
    return any(_NORM.search(text) for text in (said.words, *said.headings[-1:]))


def _candidates(desk: Desk, node: Node, kind: str, index: int | None) -> list[tuple[Entries, Candidate]]:
    """What a moment may be, with the row that it is of; for a mean that of the row which it fits, if there is one."""
    known = desk.memory.moments.get(index or 0)
    if kind == "mean":
        rows = list(_rows(desk, index))
        means = [(row, Candidate(_mean(row), "written", "the mean of the row")) for row in rows]
        fitting = [(row, one) for row, one in means if fit(desk, node, [one], None) == 1]
        return fitting[:1] or means[:1]
    if known is None:
        return []
    told = known.mean if known.mean is not None else _mean(known.entries)
    variances = [_variance(known.entries, told), _variance(known.entries, _mean(known.entries))]
    if kind == "variance":
        return [(known.entries, Candidate(one, "written", "the variance of the row")) for one in variances]
    before = [known.variance, *variances] if known.variance is not None else variances
    roots = [root for one in before if (root := _root(one)) is not None]
    return [(known.entries, Candidate(root, "written", "the root of the variance")) for root in roots]


def _rows(desk: Desk, index: int | None) -> Iterator[Entries]:
    """The rows of the tables displayed last, the latest first; of one row a table with as many rows."""
    for node in reversed(desk.memory.recent):
        table = desk.value(node, "shown")
        if not isinstance(table, Table):
            continue
        rows = tuple(zip(*table.rows, strict=True)) if table.shape[1] == 1 else table.rows
        if index is None or len(rows) == 1:
            yield from rows if len(rows) == 1 else ()
        elif 0 <= index < len(rows):
            yield rows[index]


def _of_rows(desk: Desk) -> Iterator[list[Candidate]]:
    """The rows less their means, and over their deviations too: of all rows, or of the one whose moments came last."""
    moments = desk.memory.moments
    groups = [[moments[k] for k in sorted(moments)], *([one] for one in reversed(list(moments.values())))]
    for group in groups:
        for divided in (True, False):
            rows = [[_less(one, divided=divided, exactly=exactly) for one in group] for exactly in (False, True)]
            tables = [tuple(row for row in way if row is not None) for way in rows]
            found = [Table(way, flat=len(way) == 1) for way in tables if len(way) == len(group) > 0]
            words = "the normalised row" if divided else "the row less its mean"
            if found and len({len(row) for row in found[0].rows}) == 1:
                yield [Candidate(table, "written", words) for table in found]


def _less(known: Moments, *, divided: bool, exactly: bool) -> Entries | None:
    entries = known.entries
    mean = known.mean if known.mean is not None and not exactly else _mean(entries)
    deviation = known.deviation if not exactly else _root(_variance(entries, mean))
    if divided and (deviation is None or deviation == 0):
        return None
    made = tuple(plus(entry, times(fmpq(-1), mean)) for entry in entries)
    return tuple(over(entry, deviation) for entry in made) if divided and deviation is not None else made


def _mean(entries: Entries) -> Scalar:
    return over(reduce(plus, entries), fmpq(len(entries)))


def _variance(entries: Entries, mean: Scalar) -> Scalar:
    off = [plus(entry, times(fmpq(-1), mean)) for entry in entries]
    return over(reduce(plus, [times(one, one) for one in off]), fmpq(len(entries)))


def _root(value: Scalar) -> Scalar | None:
    try:
        found = evaluate(Root(0, 0, Name(0, 0, "v")), {"v": value})
    except (ShapeError, UndecidedError):
        return None
    return None if isinstance(found, Table) else found
