r"""Running text taken apart into prose and formulas where nothing else is marked up: HTML, plain text, comments.

Arrives: placed text of one paragraph, with a placeholder for each thing that was already read. Leaves: regions, in
the order of the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from symattn.documents.formats.delimiters import MATRICES, Formula, MathFinder, bare_end, bare_start
from symattn.documents.formats.entities import decode
from symattn.documents.formats.offsets import Placed, Weaver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from symattn.documents.formats.collect import Collector
    from symattn.documents.formats.document import Kind

HOLDER: Final = "\ue000"
"""Stands in a text for something that was read already; a document's own U+E000 is replaced when it is opened."""

_SPECIAL = re.compile(rf"\\(?:\\[()\[\]]|.)?|\$|{HOLDER}", re.DOTALL)


def read_flow(
    placed: Placed,
    collector: Collector,
    kind: Kind = "prose",
    *,
    level: int = 0,
    info: str = "",
    held: Sequence[Callable[[], None]] = (),
) -> None:
    """Add the regions of a paragraph to the collector's open block: text of the kind, formulas, and what was held.

    `held` adds in turn what each placeholder stands for.
    """
    text = placed.text
    finder = MathFinder(text)
    holders = iter(held)
    done = at = 0
    while match := _SPECIAL.search(text, at):
        at = match.start()
        if match[0] == HOLDER:
            collector.add(kind, placed.slice(done, at), level=level, info=info)
            next(holders, _nothing)()
            done = at = match.end()
            continue
        formula = finder.at(at) if at + 1 < len(text) else None
        if formula is None:
            at += 2 if text.startswith(("$$", "\\\\"), at) or (text[at] == "\\") else 1
            continue
        start, end = bare_bounds(text, formula, finder, done)
        collector.add(kind, placed.slice(done, start), level=level, info=info)
        add_formula(placed, formula, start, end, collector, level=level)
        for _ in range(text.count(HOLDER, start, end)):
            next(holders, _nothing)()
        done = at = end
    collector.add(kind, placed.slice(done, len(text)), level=level, info=info)


def add_formula(
    placed: Placed, formula: Formula, start: int, end: int, collector: Collector, *, level: int = 0
) -> None:
    """Add a formula of the text, widened to text[start:end] where it has no delimiters of its own."""
    inner = start if start < formula.start else formula.inner
    inner_end = end if end > formula.end else formula.inner_end
    content = decode(placed.slice(inner, inner_end))
    if HOLDER in content.text:
        content = _without_holders(content)
    collector.add_math(formula.kind, content, level=level, unreadable=formula.unclosed)


def bare_bounds(text: str, formula: Formula, finder: MathFinder, floor: int) -> tuple[int, int]:
    r"""Where the formula begins and ends: a matrix outside of dollars takes `Q = ` before it and what follows along."""
    name = re.match(r"\\begin[ \t]*\{([A-Za-z]+)", text[formula.start : formula.start + 40])
    if name is None or name[1] not in MATRICES or formula.unclosed:
        return formula.start, formula.end
    return bare_start(text, formula.start, floor), bare_end(text, formula.end, finder)


def _without_holders(placed: Placed) -> Placed:
    out = Weaver()
    at = 0
    for match in re.finditer(HOLDER, placed.text):
        out.copy(placed, at, match.start())
        at = match.end()
    out.copy(placed, at)
    return out.finish(at=placed.offsets.start(0))


def _nothing() -> None:
    """A placeholder that nobody filled."""
