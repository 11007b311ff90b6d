"""The error of each output taken apart: what each rounding changed, one after another, and the total.

Arrives: a comparison, and which outputs. Leaves: one panel an output: a bar a rounding, each beginning where the one
before it ended, with the numbers beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from symattn.comparison.compare import Comparison
from symattn.comparison.losses import Loss
from symattn.comparison.quantities import LABELS
from symattn.errors import OptionError, quoted
from symattn.numbers.rounding import KINDS
from symattn.rendering.language import Language
from symattn.rendering.pictures import style
from symattn.rendering.pictures.curves import nearest
from symattn.rendering.pictures.fonts import Fonts
from symattn.rendering.pictures.told import Told, times

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_PANELS: Final = 6
SMALLEST: Final = -3
"""Exponent of ten below which the numbers of a panel are told in units of a power of ten."""

ROW: Final = 0.24
"""Inches a bar."""

PHRASES: Final = MappingProxyType(
    {
        "inputs": "picture_kind_inputs",
        "projections": "picture_kind_projections",
        "scores": "picture_kind_scores",
        "root": "picture_kind_root",
        "scaled_scores": "picture_kind_scaled_scores",
        "exponentials": "picture_kind_exponentials",
        "row_sums": "picture_kind_row_sums",
        "weights": "picture_kind_weights",
        "outputs": "picture_kind_outputs",
    }
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A rounding: its kind (empty for the total), and where its bar begins and ends."""

    kind: str
    start: float
    end: float


def label_of(loss: Loss) -> str:
    """The label of the output."""
    return f"{LABELS['outputs']}[{loss.place[0] + 1},{loss.place[1] + 1}]"


def bars(loss: Loss) -> tuple[Bar, ...]:
    """The bars of an output, the total last.

    >>> from symattn import load_spec
    >>> from symattn.comparison.losses import losses
    >>> [(bar.kind, round(bar.end, 4)) for bar in bars(losses(load_spec())[0])]
    [('root', 0.033), ('scaled_scores', 0.0283), ('exponentials', 0.0261), ('weights', 0.0026), ('', 0.0026)]
    """
    ends = list(accumulate((nearest(part.error) for part in loss.parts), initial=0.0))
    made = [Bar(part.kind, *span) for part, span in zip(loss.parts, pairwise(ends), strict=True)]
    return (*made, Bar("", 0.0, nearest(loss.total)))


def chosen(comparison: Comparison, labels: Sequence[str] = ()) -> list[Loss]:
    """The outputs of some labels; by default those that lost something on the way.

    Raises: OptionError for a label that is no output.
    """
    known = {label_of(loss): loss for loss in comparison.losses}
    for label in labels:
        if label not in known:
            raise OptionError(f"no losses of {quoted(label)}", expected="an output")
    if labels:
        return [known[label] for label in labels]
    return [loss for loss in comparison.losses if loss.parts]


def drawn(comparison: Comparison, language: Language, fonts: Fonts, labels: Sequence[str] = ()) -> style.Drawn:  # noqa: ARG001
    """The picture: a panel an output, three to a row."""
    every = chosen(comparison, labels)
    shown = every[:MAX_PANELS]
    if not shown:
        return style.message(language.words("picture_losses_none"))
    told = Told()
    present = {part.kind for loss in shown for part in loss.parts}
    kinds = [kind for kind in KINDS if kind in present]
    columns = min(len(shown), 3)
    lines = -(-len(shown) // columns)
    head, body, foot = 0.35, ROW * (len(kinds) + 1), 0.3
    notes = [language.words("picture_some_panels", shown=str(len(shown)), count=str(len(every)))] * (
        len(every) > len(shown)
    )
    page = style.figure(style.WIDTH, lines * (head + body + foot) + 0.3 + 0.2 * len(notes))
    margin, number = 1.2, 0.62
    width = (style.WIDTH - margin - 0.1) / columns
    alts = []
    for place, loss in enumerate(shown):
        line, column = divmod(place, columns)
        left, top = margin + column * width, line * (head + body + foot)
        axes = style.panel(page, left, top + head, width - number - 0.15, body)
        title = f"{label_of(loss)} {times(told.exponent(_largest(loss), SMALLEST))}"
        style.note(page, title.strip(), left, top + 0.2, fontsize=style.SIZE)
        alts.append(_draw(axes, loss, kinds, language, told, named=column == 0))
    down = page.get_size_inches()[1]
    style.note(page, language.words("picture_losses_axis"), margin, down - 0.13 - 0.2 * len(notes))
    for text in notes:
        style.note(page, text, margin, down - 0.12, color=style.QUIET)
    return style.Drawn(page, language.words("join").join([*alts, *notes]))


def _draw(axes: Axes, loss: Loss, kinds: Sequence[str], language: Language, told: Told, *, named: bool) -> str:
    rows = {kind: k for k, kind in enumerate([*kinds, ""])}
    made = bars(loss)
    largest = _largest(loss)
    exponent = told.exponent(largest, SMALLEST)
    places = max(told.places(largest, 3, exponent), told.places(loss.total, 1, exponent))
    words = []
    for bar, error in zip(made, [*(part.error for part in loss.parts), loss.total], strict=True):
        row, text = rows[bar.kind], told.signed(error, places, exponent)
        axes.barh(row, bar.end - bar.start, left=bar.start, height=0.62, gid="bar", zorder=2, **_look(bar))
        axes.text(1.04, row, text, transform=axes.get_yaxis_transform(), va="center", fontsize=style.SMALL)
        if bar.kind:
            name = language.words(PHRASES[bar.kind])
            words.append(language.words("picture_pair", name=name, value=told.significant(error)))
    _connected(axes, made, rows)
    axes.axvline(0, color=style.QUIET, linewidth=0.6, zorder=1)
    axes.axhline(len(kinds) - 0.5, color=style.PALE, linewidth=0.6, zorder=1)
    axes.set_ylim(len(kinds) + 0.6, -0.6)
    points = [0.0, *(bar.end for bar in made)]
    room = (max(points) - min(points)) * 0.06 or 1.0
    axes.set_xlim(min(points) - room, max(points) + room)
    style.plain_ticks(axes.xaxis, 2, 10.0**exponent)
    names = [*(language.words(PHRASES[kind]) for kind in kinds), language.words("picture_total")]
    axes.set_yticks(range(len(names)), names if named else [""] * len(names))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return language.words(
        "picture_loss_alt",
        label=label_of(loss),
        total=told.significant(loss.total),
        parts=language.words("picture_separator").join(words) or "0",
    )


def _largest(loss: Loss) -> Any:
    """The largest of the parts, which the others are written like."""
    return max((part.error for part in loss.parts), key=lambda error: abs(nearest(error)), default=loss.total)


def _look(bar: Bar) -> dict[str, Any]:
    """Up, down and total: in different hatches."""
    if not bar.kind:
        return {"facecolor": style.INK, "edgecolor": style.INK, "linewidth": 0.6}
    if bar.end > bar.start:
        return {"facecolor": style.UP, "edgecolor": style.INK, "linewidth": 0.6}
    return {"facecolor": style.DOWN, "edgecolor": style.INK, "linewidth": 0.6, "hatch": "////"}


def _connected(axes: Axes, made: Sequence[Bar], rows: dict[str, int]) -> None:
    """A thin line from the end of each bar to the beginning of the next."""
    for bar, after in pairwise(made):
        height = [rows[bar.kind] + 0.31, rows[after.kind] + (0.31 if not after.kind else -0.31)]
        axes.plot([bar.end, bar.end], height, color=style.QUIET, linewidth=0.6, zorder=1)
