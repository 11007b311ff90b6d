"""One look for every picture: sizes, greys and colours, and how a figure becomes bytes.

Arrives: a drawn figure. Leaves: SVG or PNG, the same bytes each time. Nothing is told by colour alone: lines differ by
dash and marker, bars and bands by hatch.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from symattn.errors import OptionError
from symattn.rendering.pictures.fonts import quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from symattn.rendering.pictures.fonts import Fonts

WIDTH: Final = 7.0
"""Inches."""

DPI: Final = 150
SIZE: Final = 9.0
SMALL: Final = 8.0
"""Points."""

INK: Final = "#1a1a1a"
QUIET: Final = "#5c5c5c"
PALE: Final = "#c8c8c8"
SAFE: Final = "#d7e8d4"
SAFE_HATCH: Final = "#9dbf97"
UP: Final = "#b5532a"
DOWN: Final = "#a9cce3"
CURVES: Final = (
    ("#0b3c5d", "-", "o"),
    ("#b5532a", "--", "s"),
    ("#3b7a57", "-.", "^"),
    ("#7d5ba6", ":", "D"),
    ("#8c6d1f", (0, (7, 2)), "v"),
    ("#444444", (0, (3, 1, 1, 1, 1, 1)), "P"),
)
"""Colour, dash and marker of each curve of a panel."""

LOOK: Final = MappingProxyType(
    {
        "font.size": SIZE,
        "axes.titlesize": SIZE,
        "axes.labelsize": SMALL,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        "axes.labelcolor": INK,
        "axes.edgecolor": QUIET,
        "text.color": INK,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.minor.size": 0,
        "ytick.minor.size": 0,
        "lines.linewidth": 1.4,
        "hatch.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.parse_math": False,  # a $ in a name is a dollar
        "text.usetex": False,
        "svg.fonttype": "path",  # a reader needs no fonts
        "svg.hashsalt": "symattn",
        "figure.dpi": DPI,
        "savefig.dpi": DPI,
    }
)

_COMMENT = re.compile(rb"\s*<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure and what it shows, in words."""

    figure: Figure
    alt: str


def require_matplotlib() -> None:
    """Nothing; OptionError where matplotlib is not installed."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        raise OptionError("pictures need matplotlib", hint="pip install 'symattn[pictures]'") from error


@contextmanager
def look(fonts: Fonts) -> Iterator[None]:
    """The settings of every picture, whatever the user's own are; those come back afterwards."""
    import matplotlib.style

    with quiet(), matplotlib.style.context(["default", {**LOOK, "font.family": list(fonts.families)}]):
        yield


def figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), facecolor="white")


def panel(page: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes at a place in inches, counted from the upper left corner."""
    across, down = page.get_size_inches()
    made: Axes = page.add_axes((left / across, 1 - (top + height) / down, width / across, height / down))
    return made


def note(page: Figure, text: str, left: float, top: float, **how: Any) -> None:
    """A line of text at a place in inches, counted from the upper left corner."""
    across, down = page.get_size_inches()
    page.text(left / across, 1 - top / down, text, **{"fontsize": SMALL, "va": "center", **how})


def message(text: str) -> Drawn:
    """A picture of one sentence, where there is nothing to draw."""
    page = figure(WIDTH, 0.6)
    note(page, text, 0.2, 0.3, fontsize=SIZE)
    return Drawn(page, text)


def inches(text: str, size: float = SMALL) -> float:
    """How wide a text is, in the fonts of the look."""
    from matplotlib.backends import backend_agg
    from matplotlib.font_manager import FontProperties

    fine = 720.0  # dots an inch: no rounding to speak of
    untyped: Any = backend_agg
    paper = untyped.RendererAgg(1, 1, fine)
    width, _, _ = paper.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(width) / fine


def fitted(text: str, room: float, size: float = SMALL) -> str:
    """A text that is at most so many inches wide, with … in the place of its end."""
    if inches(text, size) <= room:
        return text
    kept = text.removesuffix("…")
    while kept and inches(kept + "…", size) > room:
        kept = kept[:-1]
    return kept + "…"


def plain_ticks(axis: Any, count: int = 5, unit: float = 1.0) -> None:
    """Round numbers on an axis, in plain notation and in a unit."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain_number(value / unit)))


def plain_number(value: float) -> str:
    """A short decimal without an exponent, for a tick.

    >>> plain_number(1.7000000000000002), plain_number(-0.00005), plain_number(0.0), plain_number(2500000.0)
    ('1.7', '−0.00005', '0', '2500000')
    """
    from decimal import Decimal

    text = format(Decimal(f"{value:.10g}"), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", "0"} else text.replace("-", "−")


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels as near as can be to the wanted ones, `gap` apart and between two ends where they fit.

    >>> spread([0.0, 0.0, 1.0], 0.25, 0.0, 1.0)
    [0.0, 0.25, 1.0]
    """
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    out = list(places)
    floor = low
    for i in order:
        out[i] = floor = max(out[i], floor)
        floor += gap
    ceiling = high
    for i in reversed(order):
        out[i] = ceiling = min(out[i], ceiling)
        ceiling -= gap
    return out


def encoded(page: Figure, to: str) -> bytes:
    """The figure as SVG or PNG, without dates and names of programs: the same bytes for the same figure."""
    stream = io.BytesIO()
    if to == "png":
        page.savefig(stream, format="png", metadata={"Software": None})
        return stream.getvalue()
    page.savefig(stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    # matplotlib notes each text in a comment beside its outlines
    return _COMMENT.sub(b"", stream.getvalue())
