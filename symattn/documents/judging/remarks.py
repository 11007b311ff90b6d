"""What is to be said of a document beyond its single numbers: rows that do not sum to 1, widths that do not fit."""

from __future__ import annotations

from flint import fmpq

from symattn.documents.formats.document import Region
from symattn.documents.judging.cells import Grid, decimals_of, digits_of, last
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.memory import whole_number
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Node
from symattn.documents.report import Remark
from symattn.numbers.rounding import power_of_ten


def row_sums(desk: Desk, region: Region, node: Node, grid: Grid) -> None:
    """Rows of weights that do not sum to 1, by more than rounding explains or by as much."""
    downwards = desk.memory.has_columns("weights") and len(grid) > 1
    line = "column" if downwards else "row"
    for i, row in enumerate(zip(*grid, strict=True) if downwards else grid):
        digits = [digits_of(last(cell)) for cell in row]
        known = [one for one in digits if one is not None]
        if len(known) < 2 or len(known) < len(row):
            continue
        total = sum((one.value for one in known), fmpq(0))
        room = sum((1 / power_of_ten(one.places) / 2 for one in known), fmpq(0))
        if total == 1:
            continue
        told = (decimals_of(total, max(one.places for one in known)) or str(total)).rstrip()
        which = f"{line} {i + 1} of the weights" if len(grid) > 1 else "this row of weights"
        minor = abs(total - 1) <= room
        message = f"{which} sums to {told}" + (", which rounding explains" if minor else "")
        desk.remarks.append(Remark(desk.place_of(region, node), "structure", message, minor))


def widths(desk: Desk, region: Region, node: Node) -> None:
    """A stated d_k that is not the width of the keys."""
    keys, d_k = desk.memory.stages.get("K"), desk.memory.find("d_k")
    if keys is None or d_k is None or not isinstance(keys.shown, Table) or isinstance(d_k.shown, Table):
        return
    downwards = desk.memory.has_columns("K")
    width, said = keys.shown.shape[0 if downwards else 1], whole_number(d_k.shown)
    line = "row" if downwards else "column"
    if said is not None and said != width and ("d_k", width) not in desk.told:
        desk.told.add(("d_k", width))
        message = f"d_k = {said} is stated, but K has {width} {line}{'s' if width != 1 else ''}"
        desk.remarks.append(Remark(desk.place_of(region, node), "structure", message))
