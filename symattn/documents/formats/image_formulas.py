"""Formulas that were published as pictures, their TeX written in the picture's address.

Arrives: a placed address. Leaves: the placed TeX, or nothing for any other address. No address is ever opened.
"""

from __future__ import annotations

import re
from typing import Final

from symattn.documents.formats.offsets import Placed, Weaver

_SERVICES: Final = re.compile(
    r"(?:https?:)?//(?:[\w.-]*\.)?(?:"
    r"latex\.codecogs\.com/(?:[a-z]+\.)?(?:latex|image|download)?\?"
    r"|codecogs\.com/[\w./]*\?"
    r"|zhihu\.com/equation\?(?:\w+=\w*&(?:amp;)?)*tex="
    r"|render\.githubusercontent\.com/render/math\?(?:\w+=\w*&(?:amp;)?)*math="
    r"|math\.vercel\.app/?\?(?:\w+=\w*&(?:amp;)?)*from="
    r"|chart\.(?:googleapis|apis\.google)\.com/chart\?(?:\w+=\w*&(?:amp;)?)*chl=)"
)
_PERCENT = re.compile(r"((?:%[0-9A-Fa-f]{2})+)|\+")
_LOOKS = re.compile(r"^(?:\s*\\(?:dpi|bg_|fg_|large|small|inline|huge|tiny)(?:\{\w+\}|\w+)?)+|&(?:amp;)?\w+=\w*$")


def formula_of(address: Placed) -> Placed | None:
    """The TeX in the address of a picture, decoded; None if there is none.

    >>> from symattn.documents.formats.offsets import whole
    >>> found = formula_of(whole("https://latex.codecogs.com/svg.latex?e%5E%7B0.7%7D"))
    >>> found.text, found.span(3, 6)
    ('e^{0.7}', (44, 47))
    """
    match = _SERVICES.match(address.text)
    if match is None:
        return None
    out = Weaver()
    at = match.end()
    for escape in _PERCENT.finditer(address.text, at):
        out.copy(address, at, escape.start())
        at = escape.end()
        if not escape[1]:
            out.put("+" if "%20" in address.text else " ", *address.span(escape.start(), at))
            continue
        meaning = bytes.fromhex(escape[1].replace("%", "")).decode("utf-8", "replace")
        if meaning.isascii():
            for number, character in enumerate(meaning):
                place = escape.start() + 3 * number
                out.put(character, *address.span(place, place + 3))
        else:
            out.put(meaning, *address.span(escape.start(), at))
    out.copy(address, at)
    formula = out.finish()
    looks = _LOOKS.match(formula.text)
    return formula.slice(looks.end() if looks else 0, len(formula.text)).strip()
