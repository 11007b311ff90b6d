"""The error of a result as a function of the root that is put in the place of √d_k, nothing else rounded.

Arrives: a comparison, and which results. Leaves: one panel a result: the curve, the safe roots as a band, the roots
asked for and √d_k as marks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq

from symattn.attention.derive import derive
from symattn.comparison.compare import Comparison
from symattn.comparison.safe_roots import Interval
from symattn.comparison.written_roots import SafeRoot, parse_root
from symattn.errors import OptionError, quoted
from symattn.numbers.exact import Exact, SquareRoot
from symattn.numbers.rounding import magnitude, power_of_ten
from symattn.rendering.language import Language
from symattn.rendering.pictures import style
from symattn.rendering.pictures.curves import At, curve, nearest
from symattn.rendering.pictures.fonts import Fonts, cut
from symattn.rendering.pictures.told import Told, minus, root_text, times

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_PANELS: Final = 4
MAX_MARKS: Final = 5
STEPS: Final = 160
MAX_PLACES: Final = 40
REACH: Final = 4
"""Roots asked for beyond √d_k/4 and 4·√d_k are named, not drawn."""

SMALLEST: Final = -3
"""Exponent of ten below which the numbers of an axis are told in units of a power of ten."""

ROW: Final = 0.17
"""Inches between labels of marks."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A root that was asked for: its text, its value, whether it is safe, and the error with it, an exact number."""

    text: str
    root: fmpq
    inside: bool
    error: At


@dataclass(frozen=True, slots=True)
class Panel:
    """One result: the window of roots, the points of the curve, the safe intervals and the marks by growing root."""

    safe: SafeRoot
    low: fmpq
    high: fmpq
    roots: tuple[float, ...]
    errors: tuple[float, ...]
    marks: tuple[Mark, ...]
    beyond: tuple[Mark, ...]


def panels(comparison: Comparison, labels: Sequence[str] = ()) -> tuple[Panel, ...]:
    """The chosen results, worked out; by default the outputs for which a root asked about is not safe.

    Raises: OptionError for a label that is no weight and no output.

    >>> from symattn import Written, compare, derive, load_spec
    >>> spec = load_spec()
    >>> made = panels(compare(derive(spec), derive(spec, Written(spec.policy))))
    >>> [(panel.safe.label, panel.low, panel.high) for panel in made]
    [('Output[1,2]', 3/2, 39/20)]
    """
    free = derive(comparison.exact.spec, Exact(free_d_k=True), recompute=comparison.exact.recompute).trace
    rows = {"weights": free.attention_weights, "outputs": free.output}
    root = comparison.exact.trace.root
    out = []
    for safe in _chosen(comparison, labels)[:MAX_PANELS]:
        quantity = comparison[safe.label]
        i, j = quantity.place
        number, exact = rows[quantity.kind][i][j], quantity.exact
        asked = [
            Mark(text, value, inside, At(number, 1 / value, exact))
            for text, inside in safe.contains
            for value in [parse_root(text)]
        ]
        asked.sort(key=lambda mark: mark.root)
        d_k = root.scale.d_k
        near = [mark for mark in asked if d_k <= (REACH * mark.root) ** 2 and mark.root**2 <= REACH**2 * d_k]
        low, high = _window(root, safe, near)
        grid = [low + (high - low) * fmpq(k, STEPS) for k in range(STEPS + 1)]
        # the marks stand on the curve
        grid = sorted({*grid, *(mark.root for mark in near)})
        (errors,) = curve([number], [1 / r for r in grid], [exact])
        out.append(
            Panel(
                safe,
                low,
                high,
                tuple(map(nearest, grid)),
                errors,
                tuple(near),
                tuple(mark for mark in asked if mark not in near),
            )
        )
    return tuple(out)


def _chosen(comparison: Comparison, labels: Sequence[str]) -> list[SafeRoot]:
    known = {safe.label: safe for safe in comparison.safe_roots if safe.kind in {"weights", "outputs"}}
    for label in labels:
        if label not in known:
            raise OptionError(f"no safe roots for {quoted(label)}", expected="a weight or an output")
    if labels:
        return [known[label] for label in labels]
    outputs = [safe for safe in known.values() if safe.kind == "outputs"]
    unsafe = [safe for safe in outputs if not all(inside for _, inside in safe.contains)]
    return unsafe or outputs[:1] or list(known.values())[:1]


def _window(root: SquareRoot, safe: SafeRoot, near: Sequence[Mark]) -> tuple[fmpq, fmpq]:
    """Round ends around √d_k, the marks and the ends of safe intervals nearby, with room for labels to the right."""
    own = nearest(root)
    ends = [nearest(end) for interval in safe.roots.sets for end in (interval.low, interval.high) if end is not None]
    places = [own, *(nearest(mark.root) for mark in near), *(end for end in ends if own / 2 < end < own * 2)]
    first, last = min(places), max(places)
    room = max((last - first) * 0.4, own * 0.1)
    high = max(last + room, first - room + (last - first + room) / 0.7)
    # floats only choose what is looked at
    least = high - first + room
    step = power_of_ten(magnitude(fmpq(*(least / 5).as_integer_ratio())))
    step *= next(m for m in (5, 2, 1) if nearest(step * m) <= least / 5)
    low = step * max(math.floor((first - room) / nearest(step)), 0)
    return (low if low > 0 else step / 10), step * math.ceil(high / nearest(step))


def drawn(comparison: Comparison, language: Language, fonts: Fonts, labels: Sequence[str] = ()) -> style.Drawn:  # noqa: ARG001
    """The picture: a panel a result, two to a row."""
    told = Told()
    made = panels(comparison, labels)
    if not made:
        return style.message(language.words("picture_error_none"))
    count = len(_chosen(comparison, labels))
    columns = min(len(made), 2)
    marked = max(len(item.marks[:MAX_MARKS]) for item in made) + 1
    sets = [_sets(item.safe, told, language, most=2) for item in made]
    most = max(map(len, sets))
    head, body = 0.32 + ROW * (most + marked), 2.6 if len(made) == 1 else 1.9
    lines = -(-len(made) // columns)
    foot, notes = 0.55, _notes(made, count, language)
    page = style.figure(style.WIDTH, lines * (head + body + foot) + 0.2 * len(notes))
    width = (style.WIDTH - 0.25) / columns
    root = root_text(comparison.exact.trace.root)
    alts = []
    for place, item in enumerate(made):
        line, column = divmod(place, columns)
        left, top = column * width + 0.85, line * (head + body + foot)
        axes = style.panel(page, left, top + head, width - 0.95, body)
        alts.append(_draw(axes, item, root, nearest(comparison.exact.trace.root), body, language, told))
        written = comparison[item.safe.label].written.text
        title = language.words("picture_panel", label=item.safe.label, written=_short(written, 20))
        style.note(page, title, left, top + 0.15, fontsize=style.SIZE)
        for k, text in enumerate(sets[place]):
            style.note(page, style.fitted(text.lstrip(" ，"), width - 0.85 - 0.3), left + 0.28, top + 0.37 + ROW * k)
        if item.safe.roots.sets:
            _swatch(axes, width - 0.95, body, head - 0.37)
    for k, text in enumerate(reversed(notes)):
        style.note(page, text, 0.85, page.get_size_inches()[1] - 0.12 - 0.2 * k, color=style.QUIET)
    return style.Drawn(page, language.words("join").join([*alts, *notes]))


def _draw(axes: Axes, item: Panel, root: str, own: float, body: float, language: Language, told: Told) -> str:
    from matplotlib.transforms import blended_transform_factory

    low, high = nearest(item.low), nearest(item.high)
    axes.set_xlim(low, high)
    for interval in item.safe.roots.sets:
        left = low if interval.low is None else max(nearest(interval.low), low)
        right = high if interval.high is None else min(nearest(interval.high), high)
        if left <= right:
            axes.axvspan(left, right, zorder=0, gid="safe", **_BAND)
    axes.axhline(0, color=style.QUIET, linewidth=0.6, zorder=1)
    axes.plot(item.roots, item.errors, color=style.CURVES[0][0], zorder=3, gid="curve")
    if not any(item.errors):
        unit = nearest(power_of_ten(-item.safe.roots.written.places))
        axes.set_ylim(-unit, unit)
    across, upward = told.exponent(item.high, SMALLEST), told.exponent(max(map(abs, item.errors)), SMALLEST)
    style.plain_ticks(axes.xaxis, 6, 10.0**across)
    style.plain_ticks(axes.yaxis, 5, 10.0**upward)
    axes.set_xlabel((language.words("picture_root_axis") + " " + times(across)).strip())
    axes.set_ylabel((language.words("picture_error_axis") + " " + times(upward)).strip())
    labelled: list[tuple[float, float, str, dict[str, Any]]] = [
        (own, 0.0, language.words("picture_exact_mark", root=root), {"marker": ""})
    ]
    for mark in item.marks[:MAX_MARKS]:
        key = "picture_inside" if mark.inside else "picture_outside"
        look: dict[str, Any] = {"marker": "o", "markersize": 5} if mark.inside else {"marker": "X", "markersize": 6.5}
        text = language.phrases[key].format(root=_short(mark.text))
        labelled.append((nearest(mark.root), nearest(mark.error), text, look))
    labelled.sort(key=lambda part: part[0])
    both = blended_transform_factory(axes.transData, axes.transAxes)
    for k, (x, y, text, look) in enumerate(labelled):
        # the leftmost label stands highest, so no line runs through a label
        height = 1 + (len(labelled) - k - 0.5) * ROW / body
        axes.plot([x, x], [0, height], transform=both, clip_on=False, color=style.INK, linewidth=0.7, zorder=2)
        axes.plot([x], [y], color=style.INK, markeredgecolor="white", markeredgewidth=0.7, zorder=4, gid="mark", **look)
        axes.annotate(
            text,
            (x, height),
            xycoords=both,
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=style.SMALL,
            annotation_clip=False,
        )
    return _alt(item, root, language, told)


def _alt(item: Panel, root: str, language: Language, told: Told) -> str:
    marks = []
    for mark in (*item.marks, *item.beyond):
        key = "picture_mark_inside_alt" if mark.inside else "picture_mark_outside_alt"
        marks.append(language.phrases[key].format(root=_short(mark.text), error=told.significant(mark.error)))
    return language.words(
        "picture_error_alt",
        label=item.safe.label,
        written=_short(item.safe.roots.written.text, 20),
        low=style.plain_number(nearest(item.low)),
        high=style.plain_number(nearest(item.high)),
        root=root,
        safe="".join(_sets(item.safe, told, language)),
        marks=language.words("picture_separator").join(marks),
    )


def _notes(made: Sequence[Panel], count: int, language: Language) -> list[str]:
    notes = []
    beyond = dict.fromkeys(_short(mark.text) for item in made for mark in item.beyond)
    if beyond:
        roots = language.words("picture_separator").join(list(beyond)[:MAX_MARKS])
        notes.append(language.words("picture_beyond", roots=roots + language.words("picture_end")))
    most = max(len(item.marks) for item in made)
    if most > MAX_MARKS:
        notes.append(language.words("picture_some_marks", shown=str(MAX_MARKS), count=str(most)))
    if count > len(made):
        notes.append(language.words("picture_some_panels", shown=str(len(made)), count=str(count)))
    return notes


def _sets(safe: SafeRoot, told: Told, language: Language, most: int = 8) -> list[str]:
    """The safe roots in words, a line an interval, their ends as certified decimals."""
    sets = safe.roots.sets
    if not sets:
        return [language.words("picture_safe_none")]
    if sets[0].low is None and sets[0].high is None:
        return [language.words("picture_safe_every")]
    parts = [_interval(interval, told, language) for interval in sets[:most]]
    if len(sets) > most:
        parts[-1] += " …"
    first, *rest = parts
    return [language.words("picture_safe", sets=first), *(language.words("picture_or", set=part) for part in rest)]


def _interval(interval: Interval, told: Told, language: Language) -> str:
    places = 4
    while True:
        low, high = (None if end is None else told.decimal(end, places) for end in (interval.low, interval.high))
        if low != high or places >= MAX_PLACES:
            break
        places += 1  # until the ends of a narrow interval differ
    if low is None:
        return language.words("picture_safe_below", high=str(high))
    if high is None:
        return language.words("picture_safe_above", low=low)
    return language.words("picture_safe_between", low=low, high=high)


_BAND: Final[dict[str, Any]] = {
    "facecolor": style.SAFE,
    "edgecolor": style.SAFE_HATCH,
    "hatch": "///",
    "linewidth": 0.8,
}


def _swatch(axes: Axes, across: float, body: float, above: float) -> None:
    """The key of the band, in front of the words about safe roots."""
    from matplotlib.patches import Rectangle

    corner = 0, 1 + (above - 0.05) / body
    axes.add_patch(
        Rectangle(corner, 0.2 / across, 0.1 / body, transform=axes.transAxes, clip_on=False, gid="key", **_BAND)
    )


def _short(text: str, limit: int = 12) -> str:
    return minus(cut(text, limit))
