"""Languages: phrases as data, with places for formulas and words.

Arrives: a language's table (TOML). Leaves: runs of text and inlines. A phrase with an unknown place, or a place left
without a filling, raises.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Formatter
from typing import Final

from symattn.errors import OptionError, quoted
from symattn.formulas import Formula
from symattn.rendering.blocks import Inline, Inlines, Math

LANGUAGES: Final = ("zh", "en")


@dataclass(frozen=True, slots=True)
class Language:
    """A language's phrases by key."""

    key: str
    phrases: Mapping[str, str]

    def say(self, key: str, /, **places: Inline | Formula | Inlines) -> Inlines:
        """A phrase with its places filled in.

        >>> language("en").say("row_sum", total="6.8")
        ('The sum is ', '6.8', '.')
        """
        out: list[Inline] = []
        for text, name, _, _ in Formatter().parse(self.phrases[key]):
            if text:
                out.append(text)
            if name is not None:
                filling = places[name]
                if isinstance(filling, tuple):
                    out.extend(filling)
                else:
                    out.append(Math(filling) if isinstance(filling, Formula) else filling)
        return tuple(out)

    def words(self, key: str, /, **places: str) -> str:
        """A phrase of plain text."""
        return self.phrases[key].format(**places)


@cache
def language(key: str) -> Language:
    """The language of a key, zh or en."""
    if key not in LANGUAGES:
        raise OptionError(f"unknown language {quoted(key)}", expected=f"one of {', '.join(LANGUAGES)}")
    text = (resources.files("symattn.rendering.languages") / f"{key}.toml").read_text("utf-8")
    return Language(key, tomllib.loads(text))
