"""Values that stand in the document already: written again they are no claims."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from symattn.documents.judging.cells import (
    grid_of,
    laid_over,
    last,
    same_number,
)
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.stages import PIPELINE
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import (
    Subject,
)
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import (
    Node,
)

_RECALL: Final = re.compile(
    r"\b(?:recall|remember|again|earlier|still|as (?:before|above)|(?:from|seen) (?:above|before))\b"
    r"|回顾|回忆|前面|上面|之前|如前|再掲|先ほど|다시|앞에서|nhắc lại|напомн|вспомн|снова"
    r"|\b(?:nochmals?|wie oben|zur erinnerung|rappel\w*|ci-dessus|record\w+|como antes|lembr\w+|ricord\w+)\b",
    re.IGNORECASE,
)


def restated(desk: Desk, subject: Subject, node: Node) -> bool:
    """Whether a value stands in the document already, with the same digits or exactly."""
    laid = grid_of(node)
    if laid is None:
        return False
    grid, flat = laid
    for quantity, of in everything(desk):
        if subject.stage not in {"", quantity.stage} or quantity.derived:
            continue
        for rows, i in laid_over(quantity.shown, grid, flat=flat):
            if _is_other_row(desk, subject, of if i is None else i):
                continue
            if all(
                same_number(last(cell), value)
                for row, values in zip(grid, rows, strict=True)
                for cell, value in zip(row, values, strict=True)
            ):
                _rename(desk, subject, quantity if i is None else quantity.row(i))
                if flat and len(grid[0]) > 1:
                    desk.memory.input = Quantity(Table(rows, flat=True), None, None, quantity.stage)
                return True
    return False


def contradicted(desk: Desk, said: Statement, subject: Subject, node: Node) -> Quantity | None:
    """What a name stood for, where the words recall it and another value of that shape is written."""
    laid = grid_of(node)
    if laid is None or not _RECALL.search(said.words):
        return None
    for name in subject.names:
        known = desk.memory.names.get(name.key)
        if known is not None and laid_over(known.shown, laid[0], flat=laid[1]):
            return known
    return None


def _rename(desk: Desk, subject: Subject, quantity: Quantity) -> None:
    for name in subject.names:
        if name.key not in desk.memory.names:
            desk.memory.bind(name.key, quantity)


def _is_other_row(desk: Desk, subject: Subject, of: int | str | None) -> bool:
    """Whether what stands in the document is another row than the one that is meant: alike is not the same."""
    if subject.row is None or of is None:
        return False
    if isinstance(of, int):
        return of != subject.row
    keys = {name.key for name in subject.names}
    return of not in keys and subject.stage in PIPELINE and isinstance(desk.memory.names[of].shown, Table)


def everything(desk: Desk) -> Iterator[tuple[Quantity, int | str | None]]:
    """Every quantity that the document has so far, with the row or the name that it is known by."""
    memory = desk.memory
    for rows in memory.rows.values():
        for i, quantity in rows.items():
            yield quantity, i
    for stage in memory.entries:
        if stage not in memory.stages and (whole := memory.whole(stage)) is not None:
            yield whole, None
    for name, quantity in memory.names.items():
        yield quantity, name
    for quantity in (*memory.stages.values(), *((memory.joined,) if memory.joined is not None else ())):
        yield quantity, None
