"""Fonts that have every letter of a picture.

Arrives: a language and names from outside. Leaves: font families in the order in which they are asked for a letter,
and those names as they can be shown: a letter that no font has is named by its number, never drawn as a box.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from symattn.errors import OptionError
from symattn.rendering.language import Language
from symattn.rendering.words import visible

if TYPE_CHECKING:
    from matplotlib.font_manager import FontEntry

LATIN: Final = "DejaVu Sans"
"""The family that comes with matplotlib."""

CHINESE: Final = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "Source Han Sans",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "SimHei",
    "Noto Serif CJK SC",
    "Noto Sans CJK JP",
)
SIGNS: Final = "".join(map(chr, range(0x20, 0x7F))) + "√−≈…→∞×⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
REGULAR: Final = 400
MAX_LETTERS: Final = 14
"""Longer names are cut; a Chinese letter counts twice."""


@dataclass(frozen=True, slots=True)
class Fonts:
    """Families, and the letters that none of them has."""

    families: tuple[str, ...]
    missing: frozenset[str] = field(default_factory=frozenset)

    def name(self, text: str, limit: int = MAX_LETTERS) -> str:
        r"""A name from outside as a picture shows it.

        >>> Fonts(("DejaVu Sans",), frozenset("🙂")).name("a🙂\n"), Fonts(()).name("x" * 60, 5)
        ('aU+1F642U+000A', 'xxxx…')
        """
        return cut("".join(self._shown(c) for c in visible(text)), limit)

    def _shown(self, character: str) -> str:
        if character not in self.missing:
            return character
        # joiners and selectors only act on what stands beside them
        return "" if _unseen(character) else f"U+{ord(character):04X}"


def cut(text: str, limit: int) -> str:
    """A text of at most `limit` widths of a letter, with … in the place of its end.

    >>> cut("abcd", 4), cut("abcde", 4), cut("注意力", 4)
    ('abcd', 'abc…', '注…')
    """
    if sum(map(_width, text)) <= limit:
        return text
    out, used = "", 1
    for character in text:
        used += _width(character)
        if used > limit:
            break
        out += character
    return out + "…"


def _width(character: str) -> int:
    if unicodedata.combining(character) or _unseen(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _unseen(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or 0xFE00 <= ord(character) <= 0xFE0F


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing is logged about fonts meanwhile: that a fallback family has no regular face is no news."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)


def fonts_for(language: Language, names: Iterable[str]) -> Fonts:
    """The fonts for the phrases of a language and for names from outside.

    Raises: OptionError where no installed font has the letters of the language.
    """
    phrases = {c for key, text in language.phrases.items() if key.startswith("picture_") for c in text}
    outside = {c for name in names for c in visible(name)}
    with quiet():
        families, missing = _covering(frozenset(phrases | outside | set(SIGNS)))
    if missing & phrases:
        raise OptionError(
            f"pictures in {language.key} need a font with letters such as {min(missing & phrases)}",
            hint="Install one, such as Noto Sans CJK SC (package fonts-noto-cjk).",
        )
    return Fonts(families, missing)


@lru_cache(maxsize=8)  # the pictures of a comparison have the same letters
def _covering(letters: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Families that have the letters, and the letters that none has."""
    chosen: list[str] = []
    wanted = set(letters)
    for family, has in _faces([LATIN, *CHINESE]):
        found = {c for c in wanted if has(c)}
        if found or family == LATIN:
            chosen.append(family)
            wanted -= found
    chosen += _others(wanted)
    return tuple(chosen), frozenset(wanted)


def _faces(families: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The installed ones of some families, each with a test for its letters."""
    from matplotlib.font_manager import FontProperties, fontManager, get_font

    installed = {entry.name for entry in fontManager.ttflist}
    for family in families:
        if family in installed:
            font = get_font(fontManager.findfont(FontProperties(family=[family])))
            yield family, lambda c, font=font: font.get_char_index(ord(c)) != 0


def _others(wanted: set[str]) -> list[str]:
    """Further families for letters that the usual ones lack; what they have is taken out of `wanted`."""
    from matplotlib.font_manager import fontManager

    def order(entry: FontEntry) -> tuple[bool, bool, str]:
        return not entry.name.startswith("Noto Sans"), not entry.name.startswith("Noto"), entry.name

    chosen = []
    for family, has in _faces(list(dict.fromkeys(entry.name for entry in _upright(fontManager.ttflist, order)))):
        if not wanted:
            break
        found = {c for c in wanted if has(c)}
        if found:
            chosen.append(family)
            wanted -= found
    return chosen


def _upright(entries: Iterable[FontEntry], order: Any) -> list[FontEntry]:
    """Upright text faces by name; the font of last resort has every letter, and each as a box."""
    kept = (entry for entry in entries if entry.style == "normal" and entry.weight == REGULAR)
    return sorted((entry for entry in kept if not entry.name.startswith("Last Resort")), key=order)
