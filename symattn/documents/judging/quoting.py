"""Wrong answers that a document quotes: they are told to be wrong, and are no claims of its author.

Arrives: a statement in its sentence. Leaves: whether the sentence calls it wrong, or somebody else's.
"""

from __future__ import annotations

import re
from typing import Final

from symattn.documents.judging.desk import Desk
from symattn.documents.judging.statements import Statement
from symattn.documents.reading.tree import Number

LOOK: Final = 160
"""Characters before and after a statement that are looked at."""

_START: Final = re.compile(r"[.!?]\s+(?=\S)|[。！？]|\n\s*\n|\n\s*(?:[-*+•#>]|\d+[.)])\s")
_END: Final = re.compile(r"[.!?](?=\s)\s*(?=[^\s✗✘❌])|[。！？](?=[^✗✘❌])|\n\s*\n|\n\s*(?:[-*+•#>]|\d+[.)])\s")
_BEFORE: Final = re.compile(
    r"\b(?:wrote|writes|answered|claims|claimed|(?:might|may|could) (?:think|say|write|conclude)|mistake|mistakenly"
    r"|wrong|wrongly|incorrect|incorrectly|false|falsely|erroneous|buggy)\b"
    r"|\bif (?:we|you|one|I) (?:had )?(?:forgot|forgotten|forget)\b|\bnot\W{0,4}$|[✗✘❌]"
    r"|もし[^。]{0,24}(?:忘れ|しなけれ|しない)"
    r"|(?:如果|若)(?:忘|不缩放|没有?缩放)|错误|错误地|误以为|误写|写错|算错|错写|誤|間違|まちが"
    r"|\b(?:falsch|fälschlich|faux|à tort|erron\w+|incorrect[ao]s?|errad[ao]s?|sbagliat\w+|equivocad\w+)\b"
    r"|неверн|неправильн|ошибочн|틀린|잘못|\bsai\b",
    re.IGNORECASE,
)
_SECTION: Final = re.compile(
    r"(?:common|typical|frequent|classic(?:al)?) (?:mistakes|errors)"
    r"|(?:fautes|erreurs) (?:classiques|fréquentes|relevées)|(?:häufige|typische) fehler"
    r"|(?:errores|erros|errori) (?:comun|frecuent|frequent)"
    r"|типичные ошибки|常见错误|常見錯誤|よくある(?:間違い|誤り)|흔한 실수",
    re.IGNORECASE,
)
"""A heading over wrong answers."""
_CORRECTED: Final = re.compile(
    r"\b(?:is|are|was|were)\s+(?:wrong|incorrect|false)\s*[:;]\W*$"
    r"|\b(?:ist falsch|est faux|es incorrecto|está errado|è sbagliato|неверно)\s*[:;]\W*$"
    r"|(?:是错的|不对|不正确)\s*[：；:;]\W*$",
    re.IGNORECASE,
)
"""What is right begins right behind it: "wrote 0.7, which is wrong: ..."."""
_AFTER: Final = re.compile(
    r"^[\s$`*_.)\]]*[✗✘❌]"
    r"|\b(?:is|are|was|were|would be|looks?)\s+(?:wrong|incorrect|false|not (?:right|true|correct)|a mistake)\b"
    r"|^[\s$`*_)\]]*\?\s*(?:no|nein|non|нет|不|いいえ|아니)\b"
    r"|\b(?:ist falsch|est faux|es incorrecto|está errado|è sbagliato|неверно)\b|是错|错误|是不对|不正确|は誤り|は間違",
    re.IGNORECASE,
)


def is_quoted(desk: Desk, said: Statement) -> bool:
    """Whether the sentence around a statement speaks of a wrong answer."""
    source = desk.document.source
    a, b = said.region.offsets.span(said.chain.start, said.chain.end)
    before = source[max(0, a - LOOK) : a]
    cuts = [match.end() for match in _START.finditer(before)]
    before = before[cuts[-1] :] if cuts else before
    after = source[b : b + LOOK]
    end = _END.search(after)
    after = after[: end.start()] if end is not None else after
    wrong = any(_SECTION.search(heading) for heading in said.headings[-1:])
    wrong = wrong or (_BEFORE.search(before) is not None and _CORRECTED.search(before) is None)
    return wrong or _AFTER.search(after) is not None


def is_key(said: Statement) -> bool:
    """Whether whole numbers are told to stand for others, as in "5 = good, 4 = fair"."""
    if said.region.kind != "prose":
        return False
    items = [said.chain.first, *(link.item for link in said.chain.links)]
    return all(isinstance(item, Number) and item.digits is not None and item.digits.places <= 0 for item in items)
