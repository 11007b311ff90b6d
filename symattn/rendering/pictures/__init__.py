"""Pictures of a comparison, as SVG or PNG, each with a description in words.

Arrives: a comparison. Leaves: bytes and an alternative text. matplotlib is needed, and loaded only when a picture is
drawn; its settings outside are left as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from flint import fmpq

from symattn.comparison.compare import Comparison
from symattn.errors import OptionError, quoted
from symattn.rendering.language import Language
from symattn.rendering.language import language as language_of
from symattn.rendering.pictures import by_d_k, error_by_root, losses, style, weights
from symattn.rendering.pictures.fonts import Fonts, fonts_for

Drawing = Callable[[Comparison, Language, Fonts, Sequence[str]], style.Drawn]

PICTURES: Final[Mapping[str, Drawing]] = MappingProxyType(
    {
        "error-by-root": error_by_root.drawn,
        "losses": losses.drawn,
        "by-d_k": by_d_k.drawn,
        "weights": weights.drawn,
    }
)
"""The function that draws each picture."""

TYPES: Final = ("svg", "png")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its name, the bytes of an SVG or a PNG, and what it shows in words."""

    name: str
    data: bytes
    alt: str


def draw(
    comparison: Comparison, name: str, language: str = "en", to: str = "svg", *, labels: Sequence[str] = ()
) -> Picture:
    """One picture of a comparison: "error-by-root", "losses", "by-d_k" or "weights", as "svg" or "png".

    `labels` chooses what is shown where a picture shows a part: weights and outputs for error-by-root, outputs for
    losses, and the row of the first for by-d_k.
    Raises: OptionError for an unknown name, language, type or label, where matplotlib is missing, and where no font
    has the letters of the language; UndecidedError where a number cannot be told within the bound on the precision.

    >>> from symattn import Written, compare, derive, load_spec
    >>> spec = load_spec()
    >>> made = compare(derive(spec), derive(spec, Written(spec.policy)))
    >>> draw(made, "pie")
    Traceback (most recent call last):
    symattn.errors.OptionError: unknown picture 'pie'; expected one of error-by-root, losses, by-d_k, weights
    """
    for what, found, known in (("picture", name, tuple(PICTURES)), ("type of picture", to, TYPES)):
        if found not in known:
            raise OptionError(f"unknown {what} {quoted(found)}", expected=f"one of {', '.join(known)}")
    phrases = language_of(language)
    spec = comparison.exact.spec
    if not spec.rational or not isinstance(spec.d_k, fmpq):
        raise OptionError("letters, roots or π cannot be drawn", expected="rational entries and d_k")
    style.require_matplotlib()
    fonts = fonts_for(phrases, spec.tokens)
    with style.look(fonts):
        made = PICTURES[name](comparison, phrases, fonts, labels)
        return Picture(name, style.encoded(made.figure, to), made.alt)


def pictures(comparison: Comparison, language: str = "en", to: str = "svg") -> tuple[Picture, ...]:
    """Every picture of a comparison, in the order of `PICTURES`.

    Raises: as `draw` does.
    """
    return tuple(draw(comparison, name, language, to) for name in PICTURES)
