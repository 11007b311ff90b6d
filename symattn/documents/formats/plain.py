"""Plain text read into regions: paragraphs between blank lines, with the formulas that stand in them.

Arrives: the placed text of a file. Leaves: prose and formulas in the collector.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from symattn.documents.formats.flow import read_flow

if TYPE_CHECKING:
    from symattn.documents.formats.collect import Collector
    from symattn.documents.formats.offsets import Placed

_BREAK = re.compile(r"\n[ \t]*\n\s*")
_ESCAPE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")


def read_plain(placed: Placed, collector: Collector) -> None:
    r"""Add the paragraphs of a plain text to the collector.

    >>> from symattn.documents.formats.collect import Collector
    >>> from symattn.documents.formats.offsets import whole
    >>> collector = Collector()
    >>> read_plain(whole("sum = 3\n\n\\(a\\) is 2"), collector)
    >>> [(region.kind, region.text, region.block) for region in collector.regions]
    [('prose', 'sum = 3', 1), ('math_inline', 'a', 2), ('prose', ' is 2', 2)]
    """
    at = 0
    ends = [*((match.start(), match.end()) for match in _BREAK.finditer(placed.text)), (len(placed.text),) * 2]
    for end, following in ends:
        collector.open_block()
        read_flow(placed.slice(at, end), collector)
        at = following


def read_output(placed: Placed, collector: Collector, info: str) -> None:
    """Add what a program printed, its colours taken away: kept in one piece, so that matrices stay whole."""
    from symattn.documents.formats.offsets import Weaver

    if "\x1b" in placed.text:
        out = Weaver()
        at = 0
        for match in _ESCAPE.finditer(placed.text):
            out.copy(placed, at, match.start())
            at = match.end()
        out.copy(placed, at)
        placed = out.finish()
    collector.open_block()
    collector.add("output", placed, info=info)
