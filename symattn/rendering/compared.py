"""A comparison as text for a terminal, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from symattn.comparison.compare import Compared, Comparison, SafeRoot
from symattn.comparison.crossings import Point
from symattn.comparison.safe_roots import Interval
from symattn.errors import OptionError, UndecidedError, quoted
from symattn.numbers.certified import Decimals
from symattn.numbers.rounding import Mode
from symattn.rendering.latex import LatexWriter
from symattn.rendering.plain import plain

SCHEMA: Final = "symattn/compare/1"
MAX_PLACES: Final = 1000


def as_json(comparison: Comparison, places: int = 50) -> str:
    """The comparison as JSON; errors and ends are certified decimals in strings."""
    told = _Told(places)
    spec = comparison.exact.spec
    document = {
        "schema": SCHEMA,
        "spec": spec.source,
        "quantities": [told.quantity(quantity) for quantity in comparison.quantities],
        "losses": [
            {
                "output": f"Output[{loss.place[0] + 1},{loss.place[1] + 1}]",
                "total": told.decimal(loss.total),
                "parts": [{"kind": part.kind, "error": told.decimal(part.error)} for part in loss.parts],
            }
            for loss in comparison.losses
        ],
        "safe_roots": [told.safe(safe) for safe in comparison.safe_roots],
        "lucky": [
            {"label": lucky.label, "root": lucky.root.text, "alone": told.decimal(lucky.alone)}
            for lucky in comparison.lucky
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def as_csv(comparison: Comparison, places: int = 50) -> str:
    """The quantities as CSV, one a line."""
    told = _Told(places)
    stream = io.StringIO()
    rows = [told.quantity(quantity) for quantity in comparison.quantities]
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def as_text(comparison: Comparison, places: int = 50) -> str:
    """The comparison as tables for a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    told = _Told(places)
    console = Console(width=110, file=io.StringIO(), color_system=None)
    table = Table("quantity", "exact", "decimal", "written", "error", "ulps", "verdict", title="Exact beside written")
    for q in comparison.quantities:
        row = told.quantity(q)
        table.add_row(
            *(
                Text(row[key] or "")
                for key in ("label", "exact", "decimal", "written", "absolute_error", "ulps", "verdict")
            )
        )
    console.print(table)
    lost = Table("output", "total error", "where it came from", title="Where it was lost")
    for loss in comparison.losses:
        parts = ", ".join(f"{part.kind} {told.signed(part.error)}" for part in loss.parts) or "nothing was lost"
        lost.add_row(f"Output[{loss.place[0] + 1},{loss.place[1] + 1}]", told.signed(loss.total), parts)
    console.print(lost)
    safe = Table(
        "result", "written", "roots that keep it", "asked", "simplest", "shortest", title="How far √d_k may be rounded"
    )
    for item in comparison.safe_roots:
        row = told.safe(item)
        asked = ", ".join(f"{root} {'inside' if inside else 'OUTSIDE'}" for root, inside in item.contains)
        sets = " or ".join(told.interval_text(interval) for interval in item.roots.sets) or "none"
        shortest = item.decimal.text if item.decimal else "none"
        safe.add_row(item.label, row["written"], sets, asked, row["simplest"] or "none", shortest)
    console.print(safe)
    for lucky in comparison.lucky:
        quantity = comparison[lucky.label]
        console.print(
            f"{lucky.label}: the written {quantity.written.text} is right only because of what was rounded later. "
            f"With {lucky.root.text} for √d_k and nothing else rounded it would be ≈ {told.decimal(lucky.alone)}; "
            f"the exact value is ≈ {told.decimal(quantity.exact)}.",
            markup=False,
            highlight=False,
        )
    return str(console.file.getvalue())  # type: ignore[attr-defined]


class _Told:
    """Numbers of a comparison as text, with one store of balls."""

    def __init__(self, places: int) -> None:
        if not 0 <= places <= MAX_PLACES:
            raise OptionError(f"places = {places}", expected=f"0 to {MAX_PLACES}")
        self.places = places
        self.decimals = Decimals()
        self.writer = LatexWriter(limit=None)

    def decimal(self, number: Any) -> str:
        try:
            return self.decimals.round(number, self.places, Mode.HALF_UP).text
        except UndecidedError as error:
            return f"undecided: {error}"

    def cut(self, number: Any) -> str:
        """The first digits, cut off: what "…" after them promises."""
        return self.decimals.round(number, self.places, Mode.TRUNCATE).text

    def signed(self, number: Any) -> str:
        text = self.decimal(number)
        return text if text.startswith("-") else "+" + text

    def quantity(self, quantity: Compared) -> dict[str, Any]:
        relative = quantity.relative_error
        return {
            "kind": quantity.kind,
            "label": quantity.label,
            "exact": plain(quantity.exact),
            "latex": self.writer.number(quantity.exact),
            "decimal": self.decimal(quantity.exact),
            "written": quantity.written.text,
            "expected": quantity.judgement.expected.text,
            "absolute_error": self.decimal(quantity.error).removeprefix("-"),
            "relative_error": None if relative is None else self.decimal(relative),
            "ulps": self.decimal(quantity.ulps),
            "verdict": quantity.judgement.verdict.value,
            "tie": quantity.judgement.tie,
        }

    def safe(self, item: SafeRoot) -> dict[str, Any]:
        return {
            "label": item.label,
            "written": item.roots.written.text,
            "mode": item.roots.mode.value,
            "sets": [self.interval(interval) for interval in item.roots.sets],
            "contains": dict(item.contains),
            "simplest": None if item.simplest is None else str(item.simplest),
            "shortest_decimal": None if item.decimal is None else item.decimal.text,
        }

    def interval(self, interval: Interval) -> dict[str, Any]:
        out: dict[str, Any] = {}
        ends = (("low", interval.low, interval.low_closed), ("high", interval.high, interval.high_closed))
        for name, end, closed in ends:
            out[name] = self._end(end, name)
            out[f"{name}_decimal"] = None if end is None else self.decimal(end)
            out[f"{name}_closed"] = closed
        return out

    def interval_text(self, interval: Interval) -> str:
        low = "0" if interval.low is None else f"{plain(interval.low)} = {self.cut(interval.low)}…"
        high = "∞" if interval.high is None else f"{plain(interval.high)} = {self.cut(interval.high)}…"
        return f"{low} {'≤' if interval.low_closed else '<'} r {'≤' if interval.high_closed else '<'} {high}"

    @staticmethod
    def _end(end: Point | None, name: str) -> str:
        return ("0" if name == "low" else "oo") if end is None else plain(end)


COMPARED: Final[Mapping[str, Callable[[Comparison, int], str]]] = MappingProxyType(
    {"text": as_text, "json": as_json, "csv": as_csv}
)


def render_comparison(comparison: Comparison, to: str = "text", *, places: int = 50) -> str:
    """The comparison as text ("text"), JSON ("json") or CSV ("csv").

    Raises: OptionError for an unknown format or places out of range.

    >>> from symattn import Written, compare, derive, load_spec
    >>> spec = load_spec()
    >>> made = compare(derive(spec), derive(spec, Written(spec.policy)))
    >>> '"simplest": "19/11"' in render_comparison(made, "json")
    True
    """
    if to not in COMPARED:
        raise OptionError(f"unknown format {quoted(to)}", expected=f"one of {', '.join(COMPARED)}")
    return COMPARED[to](comparison, places)
