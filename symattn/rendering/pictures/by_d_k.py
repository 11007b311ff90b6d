"""The weights and the outputs of one row as functions of d_k, with their limits.

Arrives: a comparison, and which row. Leaves: two panels over a logarithmic axis: the curves, their limits as dashed
lines with exact labels, and the values at the d_k of the spec.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flint import fmpq

from symattn.attention.derive import derive
from symattn.comparison.compare import Comparison
from symattn.comparison.quantities import LABELS
from symattn.errors import OptionError
from symattn.numbers.certified import rational_of
from symattn.numbers.exact import Exact
from symattn.numbers.limits import limit
from symattn.numbers.rounding import magnitude, power_of_ten
from symattn.rendering.language import Language
from symattn.rendering.pictures import style
from symattn.rendering.pictures.curves import curve, nearest
from symattn.rendering.pictures.fonts import Fonts, cut
from symattn.rendering.pictures.told import Told, times, word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CURVES: Final = 6
STEPS: Final = 120
HEIGHT: Final = 1.55
GAP: Final = 0.8
LEFT, ACROSS, LIMITS, VALUE = 0.95, 3.2, 0.95, 1.85
"""Inches: of the limits on the left, the axes, the limits on the right, and the key as far as its values."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One weight or output: its name, heights, exact limits for d_k → 0⁺ and ∞, and its exact value at the own d_k."""

    name: str
    heights: tuple[float, ...]
    at_zero: Any
    at_infinity: Any
    own: Any


@dataclass(frozen=True, slots=True)
class Sweep:
    """The curves of a row: the exponents of ten of its ends, the d_k of the points, weights and outputs.

    `weights` and `outputs` hold at most MAX_CURVES curves; the counts say of how many.
    """

    row: int
    low: int
    high: int
    points: tuple[float, ...]
    weights: tuple[Curve, ...]
    outputs: tuple[Curve, ...]
    n: int
    d_v: int


def sweep(comparison: Comparison, labels: Sequence[str] = ()) -> Sweep:
    """The row of the first label, by default the first whose weights depend on d_k, worked out.

    Raises: OptionError for an unknown label, or one without a row.

    >>> from symattn import Written, compare, derive, load_spec
    >>> spec = load_spec()
    >>> made = sweep(compare(derive(spec), derive(spec, Written(spec.policy))))
    >>> made.row, [(c.at_zero, c.at_infinity) for c in made.outputs]
    (0, [(10, 6), (2, 7/2), (0, 4)])
    """
    exact = comparison.exact
    free = derive(exact.spec, Exact(free_d_k=True), recompute=exact.recompute).trace
    row = _row(comparison, free.attention_weights, labels)
    own = exact.trace.attention_weights[row]
    order = sorted(range(len(own)), key=lambda j: (-nearest(own[j]), j))[:MAX_CURVES]
    columns = range(len(exact.trace.output[row]))[:MAX_CURVES]
    d_k: Any = exact.spec.d_k
    low, high = min(-1, magnitude(d_k) - 1), max(3, magnitude(d_k) + 2)
    # rational t = 1/√d_k, an even step of the logarithm apart: t² is exact, and so is the place of the point
    ts = [fmpq(*(10 ** (-(low + (high - low) * k / STEPS) / 2)).as_integer_ratio()) for k in range(STEPS + 1)]

    def curves(named: Sequence[tuple[int, str]], numbers: Sequence[Any], values: Sequence[Any]) -> tuple[Curve, ...]:
        heights = curve([numbers[j] for j, _ in named], ts)
        return tuple(
            Curve(name, points, limit(numbers[j], "0+"), limit(numbers[j], "oo"), values[j])
            for (j, name), points in zip(named, heights, strict=True)
        )

    tokens = exact.spec.tokens
    return Sweep(
        row,
        low,
        high,
        tuple(nearest(1 / (t * t)) for t in ts),
        curves([(j, tokens[j]) for j in sorted(order)], free.attention_weights[row], own),
        curves(
            [(j, f"{LABELS['outputs']}[{row + 1},{j + 1}]") for j in columns], free.output[row], exact.trace.output[row]
        ),
        len(own),
        len(exact.trace.output[row]),
    )


def _row(comparison: Comparison, weights: Any, labels: Sequence[str]) -> int:
    if labels:
        place = comparison[labels[0]].place
        if not place:
            raise OptionError(f"{labels[0]} has no row", expected="a weight or an output")
        return place[0]
    n = len(comparison.exact.spec.tokens)
    return next((i for i in range(n) if any(rational_of(w) is None for w in weights[i])), 0)


def drawn(comparison: Comparison, language: Language, fonts: Fonts, labels: Sequence[str] = ()) -> style.Drawn:
    """The picture: weights above, outputs below, over the same axis."""
    made, told = sweep(comparison, labels), Told()
    tokens = comparison.exact.spec.tokens
    row, token = str(made.row + 1), tokens[made.row]
    parts = [
        ("picture_row_weights", made.weights, made.n),
        ("picture_row_outputs", made.outputs, made.d_v),
    ]
    page = style.figure(style.WIDTH, 2 * (HEIGHT + GAP) + 0.3)
    d_k = comparison.exact.spec.d_k
    own = cut(str(d_k), 10)
    alts = []
    for k, (key, curves, count) in enumerate(parts):
        title = language.phrases[key].format(row=row, token=fonts.name(token))
        top = 0.5 + k * (HEIGHT + GAP)
        axes = style.panel(page, LEFT, top, ACROSS, HEIGHT)
        style.note(page, title, LEFT, top - 0.36, fontsize=style.SIZE)
        style.note(page, "d_k → 0", LEFT - 0.08, top - 0.14, ha="right", color=style.QUIET)
        style.note(page, "d_k → ∞", LEFT + ACROSS + 0.08, top - 0.14, color=style.QUIET)
        style.note(page, f"d_k = {own}", LEFT + ACROSS + LIMITS + VALUE, top - 0.14, ha="right", color=style.QUIET)
        _draw(axes, made, curves, nearest(d_k), f"d_k = {own}", told)
        _key(axes, curves, fonts, told)
        if count > len(curves):
            text = language.words("picture_some_curves", shown=str(len(curves)), count=str(count))
            style.note(page, text, LEFT + ACROSS + LIMITS, top + HEIGHT + 0.12, color=style.QUIET)
        alts.append(
            language.words(
                "picture_d_k_alt",
                panel=language.phrases[key].format(row=row, token=word(token)),
                low=_power(made.low),
                high=_power(made.high),
                curves=language.words("picture_separator").join(_told(c, own, told, language) for c in curves),
            )
        )
    axes.set_xlabel(language.words("picture_d_k_axis"))
    return style.Drawn(page, language.words("join").join(alts))


def _draw(axes: Axes, made: Sweep, curves: Sequence[Curve], own: float, text: str, told: Told) -> None:
    from matplotlib.ticker import NullFormatter, NullLocator

    axes.set_xscale("log")
    axes.set_xlim(nearest(power_of_ten(made.low)), nearest(power_of_ten(made.high)))
    heights = [h for c in curves for h in (*c.heights, nearest(c.at_zero), nearest(c.at_infinity))]
    room = (max(heights) - min(heights)) * 0.07 or 0.5
    axes.set_ylim(min(heights) - room, max(heights) + room)
    axes.axvline(own, color=style.INK, linewidth=0.7, zorder=1)
    axes.text(own, 1 + 0.14 / HEIGHT, text, transform=axes.get_xaxis_transform(), **_ABOVE)
    _limits(axes, [c.at_zero for c in curves], told, left=True)
    _limits(axes, [c.at_infinity for c in curves], told, left=False)
    for c, (colour, dash, marker) in zip(curves, style.CURVES, strict=False):
        axes.plot(made.points, c.heights, color=colour, linestyle=dash, zorder=3, gid="curve")
        axes.plot([own], [nearest(c.own)], color=colour, marker=marker, zorder=4, **_DOT)
    step = 1 if made.high - made.low <= 6 else 2
    powers = range(made.low, made.high + 1, step)
    axes.set_xticks([nearest(power_of_ten(p)) for p in powers], [_power(p) for p in powers])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks([])
    axes.spines["right"].set_visible(True)


_ABOVE: Final[dict[str, Any]] = {"ha": "center", "va": "center", "fontsize": style.SMALL, "color": style.QUIET}
_DOT: Final[dict[str, Any]] = {"markersize": 6, "markeredgecolor": "white", "markeredgewidth": 0.7, "gid": "own"}


def _limits(axes: Axes, limits: Sequence[Any], told: Told, *, left: bool) -> None:
    """Dashed lines towards one end, labelled beside the axes."""
    values = sorted({nearest(value): value for value in limits}.items())
    low, high = axes.get_ylim()
    gap = (high - low) * 0.125 / HEIGHT
    places = style.spread([height for height, _ in values], gap, low, high)
    across = axes.get_yaxis_transform()
    side = -1 if left else 1
    edge = 0.0 if left else 1.0
    for (height, value), place in zip(values, places, strict=True):
        span = (0.0, 0.3) if left else (0.7, 1.0)
        axes.plot(span, [height, height], transform=across, color=style.QUIET, lw=0.8, ls=(0, (4, 3)), gid="limit")
        tick = [edge, edge + side * 0.012, edge + side * 0.02]
        axes.plot(tick, [height, place, place], transform=across, color=style.QUIET, lw=0.6, clip_on=False)
        axes.text(
            edge + side * 0.027,
            place,
            told.exact(value),
            transform=across,
            ha="right" if left else "left",
            va="center",
            fontsize=style.SMALL,
        )


def _key(axes: Axes, curves: Sequence[Curve], fonts: Fonts, told: Told) -> None:
    """Which curve is which, and its value at the own d_k, to the right of the axes."""
    for k, (c, (colour, dash, marker)) in enumerate(zip(curves, style.CURVES, strict=False)):
        height = 1 - (0.11 + k * 0.235) / HEIGHT
        left = 1 + LIMITS / ACROSS

        def at(inches: float, left: float = left) -> float:
            return left + inches / ACROSS

        how: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
        axes.plot([at(0), at(0.36)], [height] * 2, color=colour, linestyle=dash, **how)
        axes.plot([at(0.18)], [height], color=colour, marker=marker, **{**_DOT, **how, "gid": "key"})
        words: dict[str, Any] = {"transform": axes.transAxes, "va": "center", "fontsize": style.SMALL}
        axes.text(at(0.43), height, style.fitted(fonts.name(c.name), 0.85), **words)
        axes.text(at(VALUE), height, told.short(c.own), ha="right", **words)


def _told(c: Curve, own: str, told: Told, language: Language) -> str:
    name, value = word(c.name), told.short(c.own)
    if rational_of(c.own) is not None and c.at_zero == c.at_infinity == rational_of(c.own):
        return language.words("picture_curve_flat_alt", name=name, own=told.exact(c.own))
    return language.words(
        "picture_curve_alt",
        name=name,
        zero=told.exact(c.at_zero),
        own=value,
        d_k=own,
        infinity=told.exact(c.at_infinity),
    )


def _power(exponent: int) -> str:
    """A power of ten in plain notation, where that is short."""
    return style.plain_number(10.0**exponent) if -4 <= exponent <= 6 else times(exponent).removeprefix("×")
