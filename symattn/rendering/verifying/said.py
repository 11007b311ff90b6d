"""What the judge says, in the language of the report.

Arrives: a sentence of the judge, which is English. Leaves: the same sentence by the phrases of another language. The
English phrases are the patterns; what none of them matches is shown as it is.
"""

from __future__ import annotations

import re
from functools import cache
from string import Formatter
from typing import Final

from symattn.rendering.language import Language, language

PREFIX: Final = "verify_said_"
INNER: Final = frozenset({"reason", "working"})
"""Places of a phrase that hold what the judge says too."""


def said(text: str, into: Language) -> str:
    """A sentence of the judge in another language.

    >>> said("row 2 of the weights sums to 0.98", language("zh"))
    '权重第 2 行的和是 0.98'
    >>> said("something new", language("zh"))
    'something new'
    """
    if into.key == "en":
        return text
    for key, pattern in _patterns():
        match = pattern.fullmatch(text)
        if match is not None:
            places = {name: said(part, into) if name in INNER else part for name, part in match.groupdict().items()}
            return into.words(key, **places)
    return text


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The phrases of the judge, the longest first: what is said more closely goes before."""
    phrases = {key: text for key, text in language("en").phrases.items() if key.startswith(PREFIX)}
    ordered = sorted(phrases.items(), key=lambda item: -len(item[1]))
    return tuple((key, re.compile(_pattern(text), re.DOTALL)) for key, text in ordered)


def _pattern(phrase: str) -> str:
    """A phrase as a regular expression, its places as groups."""
    parts = [
        re.escape(text) + (f"(?P<{name}>.+?)" if name is not None else "")
        for text, name, _, _ in Formatter().parse(phrase)
    ]
    return "".join(parts)
