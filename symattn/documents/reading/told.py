"""Numbers that a sentence tells without a relation: we get 0.58 and 1.15, together 6.35.

Arrives: the tokens of prose. Leaves: the same, with several decimals as a list, and a sum behind a relation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from symattn.documents.reading.tokens import Token

_RESULTS: Final = re.compile(
    r"^(?:gives?|giving|gets?|getting|obtains?|obtaining|yields?|yielding|become|ergibt|ergeben|erhalten|donnent?|obtient"
    r"|obtenons|obtenemos|da|dan|resultan?|obtemos|otteniamo|si ottiene|получаем|получаются|выходит|alırız|được)$"
    r"|(?:順に|依次为|依次是|得到|得出|变成|變成|分别为|分别是|分別為|分別是)$",
    re.IGNORECASE,
)
"""A word before the results of what a sentence speaks of."""
_SHARES: Final = re.compile(
    r"(?:softmax|\bscaled(?: scores?)?|缩放后?|\bweights?|权重|權重|重み|가중치|\bgewichte?|\bpoids|\bpesos?|\bpesi"
    r"|\bвеса|trọng số|\bexponenti?[ae]l\w*|指数|指數|지수|экспонент\w*)"
    r"(?: (?:are|is|sont|sind|son|são|sono|là))?\s*(?:[:：]|为|是|為|は|are|is|sont|sind|son|são|sono|là)?$",
    re.IGNORECASE,
)
"""Words before weights, or exponentials, that a sentence tells one after the other."""
_AND: Final = re.compile(r"and|&|和|与|及|與|y|et|und|и|e|と|와|과|và|ve|og|och|en", re.IGNORECASE)
_SUM: Final = re.compile(
    r"(?:\b(?:sum|total|together|in all|in total|(?:adds?|sums?) up to|sums? to|summing to|insgesamt|somme|suma|soma"
    r"|somma|summe|zusammen|en tout|juntos|toplam|сумма|всего|вместе)"
    r"|tổng|总和|总共|合计|合計|合わせて|합(?:계)?|和)\s*[:：]?$",
    re.IGNORECASE,
)
"""A word before a sum."""
WORDS: Final = 4
"""Words right before a number that are looked at."""
_BEHIND_A_SUM: Final = frozenset({",", ".", ";", ":", "row", "quad", "close"})


def told(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with what a sentence tells as its result made a list, and its sums equal to what they are.

    >>> from symattn.documents.reading.code import read_prose
    >>> from symattn.documents.reading.outline import outline
    >>> [outline(chain) for chain in read_prose("we get 0.58 and 1.15, together 1.73.")]
    ['<we get> [0.58, 1.15,]', "'together' = 1.73"]
    """
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        out.append(tokens[at])
        at += 1
        said = " ".join(token.text for token in out[-WORDS:])
        if _is_sum(out, tokens, at):
            start = tokens[at].start
            out.append(Token("relation", "", start, start, 1, ("=", ())))
            continue
        if not (out[-1].kind == "text" and _RESULTS.search(out[-1].text)) and not _SHARES.search(said):
            continue
        places = _places(tokens, at)
        behind = tokens[places[-1] + 1] if places and places[-1] + 1 < len(tokens) else None
        if len(places) < 2 or (behind is not None and behind.kind in ("relation", "operator", "^", "_", "close")):
            continue
        first, last = tokens[places[0]], tokens[places[-1]]
        out.append(Token("open", "[", first.start, first.start, 1, "]"))
        for place in places:
            out += [Token(",", ",", tokens[place].start, tokens[place].start, 0)] if place > places[0] else []
            out.append(tokens[place])
        out.append(Token("close", "]", last.end, last.end, 0))
        at = places[-1] + 1
    return out


def _places(tokens: Sequence[Token], at: int) -> list[int]:
    """Where the decimals stand that are told from a place on, with commas or an "and" between them."""
    places: list[int] = []
    while at < len(tokens) and tokens[at].kind == "row" and tokens[at].value == "line":
        at += 1  # the sentence goes on in the next line
    while at < len(tokens) and _is_decimal(tokens[at]):
        places.append(at)
        joined = tokens[at + 1 : at + 2]
        if not joined or not (joined[0].kind in (",", ";") or _AND.fullmatch(joined[0].text)):
            break
        also = "".join(token.text for token in tokens[at + 2 : at + 3])
        at += 3 if joined[0].kind == "," and _AND.fullmatch(also) else 2
        at += at < len(tokens) and tokens[at].kind == "row" and tokens[at].value == "line"
    return places


def _is_decimal(token: Token) -> bool:
    return token.kind == "number" and "." in token.value.text.replace(",", ".")


def _is_sum(out: Sequence[Token], tokens: Sequence[Token], at: int) -> bool:
    """Whether words before a decimal say that it is a sum; 和 between two numbers is an "and"."""
    if at >= len(tokens) or not _is_decimal(tokens[at]):
        return False
    end = len(out) - (out[-1].kind == ":")
    start = end
    while start > 0 and end - start < WORDS and out[start - 1].kind in ("text", "name"):
        start -= 1
    before = out[start - 1].kind if start else ""
    behind = tokens[at + 1].kind if at + 1 < len(tokens) else "."
    if before in ("number", "close", "relation", "operator") or behind not in _BEHIND_A_SUM:
        return False
    return _SUM.search(" ".join(token.text for token in out[start:end])) is not None
