"""The choices of a rendering, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from symattn.errors import OptionError, quoted
from symattn.rendering.language import LANGUAGES
from symattn.rendering.notation import NOTATIONS

SECTIONS: Final = ("embedding", "projection", "scores", "softmax", "output", "summary")
EXPANSIONS: Final = ("none", "first", "all")
WORKSHEETS: Final = ("", "blank", "key")
MAX_PLACES: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a derivation is told.

    `language` is zh or en (the spec's own by default), `notation` document or paper, `expand` how much is worked
    element by element (none, first, all), `places` the decimals after ≈ in exact results, `stages` the sections to
    keep (all by default), `worksheet` blank or key, `full` prints big matrices without dots.

    >>> Options(places=-1)
    Traceback (most recent call last):
    symattn.errors.OptionError: places = -1; expected 0 to 1000
    """

    language: str = ""
    notation: str = "document"
    expand: str = "first"
    places: int = 4
    stages: tuple[str, ...] = SECTIONS
    worksheet: str = ""
    full: bool = False

    def __post_init__(self) -> None:
        _one_of("language", self.language, ("", *LANGUAGES))
        _one_of("notation", self.notation, tuple(NOTATIONS))
        _one_of("expand", self.expand, EXPANSIONS)
        _one_of("worksheet", self.worksheet, WORKSHEETS)
        for stage in self.stages:
            _one_of("stage", stage, SECTIONS)
        if not isinstance(self.places, int) or not 0 <= self.places <= MAX_PLACES:
            raise OptionError(f"places = {self.places}", expected=f"0 to {MAX_PLACES}")


def _one_of(name: str, found: Any, known: tuple[str, ...]) -> None:
    if found not in known:
        raise OptionError(
            f"unknown {name} {quoted(found)}", expected=f"one of {', '.join(word for word in known if word)}"
        )
