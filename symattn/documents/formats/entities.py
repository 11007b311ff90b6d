"""Character references of HTML (`&amp;`, `&#215;`, `&nbsp;`) decoded, each character still knowing where it came from.

Arrives: placed text. Leaves: the same, decoded. What is no reference stays as it stands.
"""

from __future__ import annotations

import html
import re
import unicodedata

from symattn.documents.formats.offsets import Placed, Weaver

REFERENCE = re.compile(
    r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,7};?|[A-Za-z][A-Za-z0-9]{0,31};|(?:amp|lt|gt|nbsp|times)\b)"
)


def decode(placed: Placed) -> Placed:
    """The text with its character references decoded; a no-break space becomes a plain one.

    >>> from symattn.documents.formats.offsets import whole
    >>> decoded = decode(whole("0 &amp; 1"))
    >>> decoded.text, decoded.span(2, 3), decoded.span(4, 5)
    ('0 & 1', (2, 7), (8, 9))
    """
    if "&" not in placed.text:
        return placed
    out = Weaver()
    at = 0
    for match in REFERENCE.finditer(placed.text):
        meaning = html.unescape(match[0])
        if meaning == match[0]:
            continue
        out.copy(placed, at, match.start())
        out.put(shown(meaning), *placed.span(match.start(), match.end()))
        at = match.end()
    out.copy(placed, at)
    return out.finish(at=placed.offsets.start(0))


def shown(meaning: str) -> str:
    """What a character reference stands for in running text.

    >>> shown(chr(0xA0)), shown("×"), shown(chr(0))
    (' ', '×', '�')
    """
    return "".join(" " if c == "\u00a0" else "\ufffd" if _is_unreadable(c) else c for c in meaning)


def _is_unreadable(character: str) -> bool:
    """Control characters, halves of characters, those that mean nothing or something private."""
    return unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn") and character not in "\n\t"
