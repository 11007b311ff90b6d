"""Results whose shape is not that of what they should be: said once, and the document goes on from what is written."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.cells import (
    Candidate,
    grid_of,
    size_of,
)
from symattn.documents.judging.desk import Desk, kind_of, label_of
from symattn.documents.judging.giving import give, stand
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import (
    Part,
    Subject,
)
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import (
    Blank,
    Elided,
    Name,
    Node,
    Product,
    walk,
)
from symattn.numbers.certified import rational_of


def shape_failure(desk: Desk, said: Statement, parts: Sequence[Part], k: int, subject: Subject, failure: str) -> None:
    """A step that is not defined for the shapes that are displayed."""
    one_by_one = subject.stage == "outputs" and elementwise(desk, parts[k - 1].node, parts[k].node)
    desk.add(
        said.region,
        parts[k].node,
        Verdict.WRONG_STEP if one_by_one else Verdict.SHAPE,
        "entries were multiplied one by one, which is no weighted sum: " + failure if one_by_one else failure,
        label=label_of(subject.stage, ()),
        stage=kind_of(subject.stage),
        relation=parts[k].relation or "=",
        route="written",
    )
    give(desk, subject.names, parts[k].node)
    stand(desk, subject.stage, parts[k].node)


def shape_differs(desk: Desk, said: Statement, part: Part, candidate: Candidate, subject: Subject) -> None:
    """A result of another shape than the step gives."""
    laid = grid_of(part.node)
    assert laid is not None  # noqa: S101
    if all(isinstance(cell, (Blank, Elided)) for row in laid[0] for cell in row):
        return  # a relation that leads to a table, or a place to be filled in
    if said.region.kind in {"table", "output"}:
        give(desk, subject.names, part.node)
        return  # what the rows and columns of a table are is told by its words alone
    if any(isinstance(name, Name) and name.sup for name in walk(candidate.tree or part.node)):
        give(desk, subject.names, part.node)
        return  # O^{(1)} is what one head gives, where O is what was displayed
    found = f"{len(laid[0])}x{len(laid[0][0])}"
    message = f"{candidate.working} is {size_of(candidate.value)}, but what is written is {found}"
    desk.add(
        said.region,
        part.node,
        Verdict.SHAPE,
        message,
        label=label_of(subject.stage, ()),
        stage=kind_of(subject.stage),
        relation=part.relation or "=",
        route="written",
        working=candidate.working,
    )
    give(desk, subject.names, part.node)
    stand(desk, subject.stage, part.node)


def elementwise(desk: Desk, node: Node, result: Node) -> bool:
    """Whether a result is the product of two tables entry by entry."""
    if not isinstance(node, Product) or len(node.factors) != 2:
        return False
    found = [desk.value(factor, "shown") for factor in (*node.factors, result)]
    tables = [value for value in found if isinstance(value, Table)]
    if len(tables) != 3 or len({table.shape for table in tables}) != 1:
        return False
    cells = zip(*(sum(table.rows, ()) for table in tables), strict=True)
    known = [tuple(map(rational_of, cell)) for cell in cells]
    equal = [a is not None and b is not None and a * b == c for a, b, c in known]
    return sum(equal) * 2 > len(equal)
