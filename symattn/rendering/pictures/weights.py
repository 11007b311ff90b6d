"""Exact and written attention weights as two maps, with the numbers in the cells.

Arrives: a comparison. Leaves: the two maps side by side, or one above the other where there are many tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from symattn.comparison.compare import Comparison
from symattn.errors import OptionError
from symattn.rendering.language import Language
from symattn.rendering.pictures import style
from symattn.rendering.pictures.curves import nearest
from symattn.rendering.pictures.fonts import Fonts, cut
from symattn.rendering.pictures.told import Told, minus, word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_TOKENS: Final = 16
BESIDE: Final = 7
"""Up to so many tokens the maps stand side by side."""

TOLD: Final = 5
"""Up to so many tokens every cell is told in the description; beyond, the largest of each row."""

NARROWEST: Final = 4.0
PLACES: Final = 4
LONGEST: Final = 0.95
"""Inches of a tick label."""


def drawn(comparison: Comparison, language: Language, fonts: Fonts, labels: Sequence[str] = ()) -> style.Drawn:
    """The picture."""
    if labels:
        raise OptionError("the picture of the weights shows all of them", expected="no labels")
    tokens = comparison.exact.spec.tokens
    n = min(len(tokens), MAX_TOKENS)
    told = Told()
    exact = [list(row[:n]) for row in comparison.exact.trace.attention_weights[:n]]
    written = [list(row[:n]) for row in comparison.written.trace.attention_weights[:n]]
    texts = [[told.decimal(w, PLACES) for w in row] for row in exact]
    noted = [[minus(cut(w.text, 7)) for w in row] for row in written]
    names = [style.fitted(fonts.name(token), LONGEST) for token in tokens[:n]]
    maps = [
        (language.words("picture_exact"), [[nearest(w) for w in row] for row in exact], texts),
        (language.words("picture_written"), [[nearest(w) for w in row] for row in written], noted),
    ]
    beside, longest = n <= BESIDE, max(map(style.inches, names))
    margin = 0.45 + max(0.3, longest)
    room = (style.WIDTH - margin - 0.2) / 2 - 0.1 if beside else style.WIDTH - margin - 0.3
    cell = min(1.1, max(0.42, room / n))
    across, down = cell * n, min(0.5, max(0.27, 2.2 / n)) * n
    slanted = longest > cell - 0.05
    foot = 0.35 + (0.65 * longest + 0.15 if slanted else 0.2)
    width = margin + (2 if beside else 1) * (across + 0.2)
    more = [language.words("picture_some_tokens", shown=str(n), count=str(len(tokens)))] * (len(tokens) > n)
    height = (0.4 + down + foot) * (1 if beside else 2) + 0.2 * len(more)
    page = style.figure(max(width, NARROWEST), height)
    for k, (title, values, cells) in enumerate(maps):
        left = margin + (k * (across + 0.2) if beside else 0.0)
        top = 0.4 + (0.0 if beside else k * (0.4 + down + foot))
        axes = style.panel(page, left, top, across, down)
        style.note(page, title, left, top - 0.16, fontsize=style.SIZE)
        _map(axes, values, cells, names, language, slanted=slanted)
        if beside and k:
            axes.set_yticks([])
        else:
            axes.set_ylabel(language.words("picture_query"))
    for text in more:
        style.note(page, text, margin, height - 0.13, color=style.QUIET)
    words = [word(token) for token in tokens[:n]]
    rows = language.words("join").join(_told(words[i], words, texts[i], noted[i], language) for i in range(n))
    alt = language.words("picture_weights_alt", rows=rows)
    return style.Drawn(page, language.words("join").join([alt, *more]))


def _map(
    axes: Axes,
    values: Sequence[Sequence[float]],
    cells: Sequence[Sequence[str]],
    names: Sequence[str],
    language: Language,
    *,
    slanted: bool,
) -> None:
    import matplotlib as mpl

    colours = mpl.colormaps["Blues"]
    n = len(names)
    edges = list(range(n + 1))
    axes.pcolormesh(edges, edges, values, cmap=colours, vmin=0, vmax=1, edgecolors="white", linewidth=0.8, gid="map")
    size = style.SIZE if n <= 3 else 7.5 if n <= 5 else 6.8
    for i, row in enumerate(cells):
        for j, text in enumerate(row):
            ink = readable(colours(min(max(values[i][j], 0.0), 1.0))[:3])
            axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=size, color=ink, gid="cell")
    axes.set_ylim(n, 0)
    middles = [k + 0.5 for k in range(n)]
    axes.set_yticks(middles, names)
    axes.set_xticks(middles, names)
    if slanted:
        for label in axes.get_xticklabels():
            label.set(rotation=40, rotation_mode="anchor", ha="right", va="center")
    axes.tick_params(length=0)
    axes.set_xlabel(language.words("picture_key"))
    for spine in axes.spines.values():
        spine.set_visible(False)


def readable(colour: Sequence[float]) -> str:
    """Black or white, whichever stands out more from a colour (red, green and blue from 0 to 1).

    Source: WCAG 2.2, relative luminance and contrast ratio.

    >>> readable((1.0, 1.0, 1.0)), readable((0.03, 0.19, 0.42))
    ('black', 'white')
    """
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def _told(token: str, names: Sequence[str], texts: Sequence[str], noted: Sequence[str], language: Language) -> str:
    cells = [
        language.words("picture_cell_alt", token=name, exact=text, written=note)
        for name, text, note in zip(names, texts, noted, strict=True)
    ]
    if len(cells) <= TOLD:
        return language.words(
            "picture_weights_row_alt", token=token, cells=language.words("picture_separator").join(cells)
        )
    most = max(range(len(cells)), key=lambda j: (texts[j], -j))
    return language.words("picture_weights_most_alt", token=token, cells=cells[most])
