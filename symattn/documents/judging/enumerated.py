"""Numbers told one after the other in a sentence: the weights $0.81$ and $0.19$ are a row.

Arrives: the regions of a paragraph. Leaves: the same, with such numbers as one formula.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from symattn.documents.formats.document import Region
from symattn.documents.formats.offsets import Placed, Weaver
from symattn.documents.judging.stages import PIPELINE, stage_of_words

_DECIMAL: Final = re.compile(r"\s*[-−]?\d*(?:\.|,|\{,\})\d+\s*")
_AND: Final = re.compile(
    r"\s*(?:[,，、;；]?\s*(?:and|et|und|y|e|i|и|和|与|及|と|와|과|và|ve|og|och|en|और)|[,，、;；])\s*", re.IGNORECASE
)
_SENTENCE: Final = re.compile(r"[。!?！？;；]|\.(?!\d)")
NEAR: Final = 6
"""Regions before an enumeration that are looked at."""
MOST: Final = 64
"""Numbers of one enumeration."""


def enumerated(block: Sequence[Region]) -> list[Region]:
    """The regions of a paragraph, the decimals that its words enumerate as a stage put together as a list."""
    out: list[Region] = []
    at = 0
    while at < len(block):
        places = _run(block, at)
        if len(places) > 1 and _speaks(block[:at]):
            out.append(_together([block[k] for k in places]))
            at = places[-1] + 1
        else:
            out.append(block[at])
            at += 1
    return out


def _run(block: Sequence[Region], at: int) -> list[int]:
    """Where the decimals stand that are told from a place on, with nothing but a comma or an "and" between them."""
    places: list[int] = []
    while at < len(block) and len(places) < MOST and _is_decimal(block[at]):
        places.append(at)
        if at + 1 >= len(block) or block[at + 1].kind != "prose" or not _AND.fullmatch(block[at + 1].text):
            break
        at += 2
    return places


def _is_decimal(region: Region) -> bool:
    return region.kind == "math_inline" and not region.unreadable and bool(_DECIMAL.fullmatch(region.text))


def _speaks(before: Sequence[Region]) -> bool:
    """Whether the words right before speak of a stage."""
    if not before or before[-1].kind != "prose":
        return False
    text = "".join(region.text for region in before[-NEAR:])
    return stage_of_words(_SENTENCE.split(text)[-1]) in (*PIPELINE, "exponentials")


def _together(regions: Sequence[Region]) -> Region:
    weaver = Weaver()
    sign = "; " if any("," in region.text.replace("{,}", "") for region in regions) else ", "
    start = regions[0].offsets.span(0, 0)[0]
    weaver.put("[", start, start)
    for number, region in enumerate(regions):
        if number:
            place = region.offsets.span(0, 0)[0]
            weaver.put(sign, place, place)
        weaver.copy(Placed(region.text, region.offsets))
    end = regions[-1].offsets.span(0, len(regions[-1].text))[1]
    weaver.put("]", end, end)
    woven = weaver.finish()
    return replace(regions[0], text=woven.text, offsets=woven.offsets)
