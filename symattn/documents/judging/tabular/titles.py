"""What a table is called: by the paragraph or the caption before it, or the line of a program that printed it.

Arrives: the regions right before a table. Leaves: a `Title`: the formulas that name it, and its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from symattn.documents.formats.document import Document, Region
from symattn.documents.givens.roles import role_of_words
from symattn.documents.judging.cells import is_literal
from symattn.documents.judging.stages import stage_of, stage_of_words
from symattn.documents.judging.tabular.grids import placeless
from symattn.documents.judging.tabular.headers import DIVIDED, stage_said
from symattn.documents.reading.chains import read_math
from symattn.documents.reading.code import read_code
from symattn.documents.reading.tree import (
    Blank,
    Chain,
    Name,
    Node,
    Operation,
    Text,
    Transpose,
    walk,
)

LONGEST_LINE: Final = 300
SHORT: Final = 60
"""Characters of words that are a caption and no sentence."""
_PRINT: Final = re.compile(r"(?:print|display)\s*\((.*)\)\s*;?\s*$")
_ROUNDED: Final = re.compile(
    r"(?:np\.round|round)\((.*?),\s*(?:decimals=)?\d+\)$|(.*?)\.(?:round|head|to_string)\([^()]*\)$"
)
_CAPTION: Final = re.compile(r"(?:\\caption(?:\[[^\]]*\])?\{|<figcaption[^>]*>)\s*\$?$")
CLAUSE: Final = re.compile(r"[.。;；!！?？]\s+(?=\S)|\n")


@dataclass(frozen=True, slots=True)
class Title:
    """What a table is called: the formulas that name it, the words, and whether that is said of this very table."""

    items: tuple[Node, ...] = ()
    words: str = ""
    sure: bool = True


def formulas_of(chains: Sequence[Chain]) -> tuple[Node, ...]:
    """The formulas of a stage among chains, without places; a relation at their end leads to the table."""
    for chain in reversed(chains):
        items = [item for item in chain.items if not isinstance(item, Blank)]
        if not items or chain.unread or any(is_literal(item) or isinstance(item, Operation) for item in items):
            continue
        stages = [stage_of(item) for item in items if any(isinstance(part, Name) for part in walk(item))]
        if any(stage and (not stage.endswith("^T") or isinstance(items[0], Transpose)) for stage in stages):
            return tuple(placeless(item) for item in items)
    return ()


def titled(text: str, chains: Sequence[Chain]) -> Title | None:
    """The title that words and the formulas among them are, None where they speak of no stage."""
    found = formulas_of(chains)
    if found:
        return Title(found, text)
    role = role_of_words(text)
    if role:
        return Title((Name(0, 0, role.split("_")[0], role.partition("_")[2]),), text)
    if stage_of_words(text):
        return Title((Text(0, 0, text),), text)
    stage = stage_said(text) or ("scaled_scores" if DIVIDED.search(text) else "")
    return Title((Text(0, 0, stage.replace("_", " ")),), text) if stage else None


def title_before(before: Sequence[Region]) -> Title | None:
    """The title in the paragraph right before, or in the line of code that printed."""
    told = [region for region in before if region.text.strip()]
    if not told:
        return None
    if told[-1].kind == "code":
        return _printed_title(told[-1].text)
    if told[-1].kind in {"output", "table", "heading", "comment"}:
        return None
    text = "".join(region.text for region in told).strip()
    leads = text.rstrip("*_ ").endswith((":", "：", "=")) or told[-1].kind in {"math_inline", "math_display"}
    clause = CLAUSE.split(text)[-1].strip()
    if not leads and len(clause) > SHORT:
        return None
    chains: list[Chain] = []
    for region in told:
        if region.kind in {"math_inline", "math_display"}:
            chains += read_math(region.text) if region.text.strip("$ \n") and region.text.strip() in clause else ()
        elif len(clause) <= SHORT and region is told[-1]:
            chains += read_code(clause.rstrip(":：= ") if len(told) == 1 else region.text.rstrip(":：= \n"))
    return titled(clause, chains)


def caption_behind(document: Document, blocks: Sequence[Sequence[Region]], at: int) -> Sequence[Region]:
    """The regions of the caption that the source gives the block at a place behind it; none where it has no such."""
    behind = blocks[at + 1] if at + 1 < len(blocks) else ()
    if not behind:
        return ()
    start = behind[0].offsets.start(0)
    return behind if _CAPTION.search(document.source[max(0, start - LONGEST_LINE) : start]) else ()


def _printed_title(code: str) -> Title | None:
    """What the last line of a program printed: print(scores.round(3))."""
    lines = [line.strip() for line in code.splitlines() if line.strip() and not line.strip().startswith("#")]
    line = lines[-1] if lines else ""
    match = _PRINT.fullmatch(line)
    inner = match[1].strip() if match else line
    if len(inner) > LONGEST_LINE:
        return None
    for _ in range(3):
        rounded = _ROUNDED.fullmatch(inner)
        inner = (rounded[1] or rounded[2]).strip() if rounded else inner
    if "=" in inner or not inner:
        return None
    found = formulas_of(read_code(inner))
    if found:
        return Title(found, "")
    if re.fullmatch(r"\w+", inner) and stage_of_words(inner.replace("_", " ")):
        return Title((Text(0, 0, inner.replace("_", " ")),), "")
    return None
