"""A comparison as data: JSON and CSV, every number a certified decimal in a string."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any, Final

from symattn.comparison.compare import Comparison
from symattn.comparison.crossings import Point
from symattn.comparison.floats import worst
from symattn.comparison.fractions import SafeConvergents
from symattn.comparison.free import Behaviour, FreeDk
from symattn.comparison.quantities import LABELS, Compared, Lettered
from symattn.comparison.safe_roots import Interval, RootSet
from symattn.comparison.sufficient import Places, Replayed
from symattn.comparison.written_roots import SafeRoot
from symattn.errors import OptionError, UndecidedError
from symattn.numbers.certified import Decimals
from symattn.numbers.limits import Infinity
from symattn.numbers.rounding import Mode
from symattn.rendering.latex import LatexWriter
from symattn.rendering.plain import plain

SCHEMA: Final = "symattn/compare/1"
MAX_PLACES: Final = 1000
PLACES: Final = 50


def comparison_json(made: Comparison, places: int = PLACES) -> str:
    """The comparison as JSON; errors and ends are certified decimals in strings.

    Raises: OptionError for places out of range.
    """
    told = Told(places)
    document = {
        "schema": SCHEMA,
        "spec": made.exact.spec.source,
        "quantities": [told.quantity(q) for q in made.quantities] + [told.lettered(q) for q in made.lettered],
        "losses": [
            {
                "output": label("outputs", loss.place),
                "total": told.decimal(loss.total),
                "parts": [{"kind": part.kind, "error": told.decimal(part.error)} for part in loss.parts],
            }
            for loss in made.losses
        ],
        "predictions": [
            {
                "output": label("outputs", item.place),
                "kind": item.kind,
                "predicted": told.decimal(item.predicted),
                "error": told.decimal(item.true),
            }
            for item in made.predictions
        ],
        "cancelled": [
            {
                "output": label("outputs", item.place),
                "size": told.decimal(item.size),
                "kinds": [part.kind for part in item.parts],
            }
            for item in made.cancelled
        ],
        "safe_roots": [told.safe(safe) for safe in made.safe_roots],
        "unsearched_roots": [{"label": item.label, "reason": item.reason} for item in made.unsearched],
        "safe_together": {
            "all": None if made.together is None else told.roots(made.together),
            "results": None if made.results_together is None else told.roots(made.results_together),
        },
        "lucky": [
            {
                "label": lucky.label,
                "root": lucky.root.text,
                "alone": told.decimal(lucky.alone),
                "mended_by": lucky.mended_by or None,
                "mended_with": list(lucky.mended_with),
            }
            for lucky in made.lucky
        ],
        "sufficient": told.sufficient(made),
        "floats": [
            {
                "kind": item.kind,
                "label": item.label,
                "dtype": item.dtype,
                "float": item.text,
                "error": None if item.error is None else told.decimal(item.error),
                "ulps": None if item.ulps is None else told.decimal(item.ulps),
                "nearest": item.correctly_rounded,
            }
            for item in made.floats
        ],
        "worst_ulps": [
            {"kind": item.kind, "dtype": item.dtype, "at_most": item.ulps and item.ulps.text, "label": item.label}
            for item in worst(made.floats)
        ],
        "free_d_k": None if made.free_d_k is None else told.free(made.free_d_k),
    }
    return as_json(document)


def free_json(found: FreeDk, places: int = PLACES) -> str:
    """What a free d_k does, as JSON."""
    return as_json({"schema": SCHEMA, "spec": found.derivation.spec.source, "free_d_k": Told(places).free(found)})


def comparison_csv(made: Comparison, places: int = PLACES) -> str:
    """The quantities as CSV, one a line, in the columns of the JSON."""
    told = Told(places)
    rows = [told.quantity(q) for q in made.quantities] + [told.lettered(q) for q in made.lettered]
    return as_csv(rows)


def free_csv(found: FreeDk, places: int = PLACES) -> str:
    """The table over d_k as CSV, one value a line."""
    told = Told(places)
    return as_csv([{"d_k": str(row["d_k"]), **value} for row in told.free(found)["table"] for value in row["values"]])


def as_json(document: dict[str, Any]) -> str:
    """The document as indented JSON."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as CSV, with a header."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def label(kind: str, place: tuple[int, ...]) -> str:
    """The label of an entry of a kind, by its place from 0.

    >>> label("outputs", (0, 1))
    'Output[1,2]'
    """
    return f"{LABELS[kind]}[{','.join(str(i + 1) for i in place)}]"


class Told:
    """Numbers as text, with one store of balls."""

    def __init__(self, places: int) -> None:
        if not 0 <= places <= MAX_PLACES:
            raise OptionError(f"places = {places}", expected=f"0 to {MAX_PLACES}")
        self.places = places
        self.decimals = Decimals()
        self.writer = LatexWriter(limit=None)

    def decimal(self, number: Any) -> str:
        """A certified decimal, or why there is none."""
        try:
            return self.decimals.round(number, self.places, Mode.HALF_UP).text
        except UndecidedError as error:
            return f"undecided: {error}"

    def quantity(self, quantity: Compared) -> dict[str, Any]:
        """One quantity, exact beside written."""
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
            "correct_digits": quantity.correct_digits,
            "ulps": self.decimal(quantity.ulps),
            "verdict": quantity.judgement.verdict.value,
            "tie": quantity.judgement.tie,
            "difference": None,
            "reason": None,
        }

    def lettered(self, quantity: Lettered) -> dict[str, Any]:
        """One quantity with letters: no decimals, but a difference as an expression."""
        return {
            "kind": quantity.kind,
            "label": quantity.label,
            "exact": plain(quantity.exact),
            "latex": self.writer.number(quantity.exact),
            "decimal": None,
            "written": plain(quantity.written),
            "expected": None,
            "absolute_error": None,
            "relative_error": None,
            "correct_digits": None,
            "ulps": None,
            "verdict": {"equal": "exact"}.get(quantity.relation.value, quantity.relation.value),
            "tie": False,
            "difference": str(quantity.error),
            "reason": quantity.reason or None,
        }

    def safe(self, item: SafeRoot) -> dict[str, Any]:
        """How far √d_k may be rounded for one result."""
        return {
            "label": item.label,
            "written": item.roots.written.text,
            "mode": item.roots.mode.value,
            "sets": self.roots(item.roots),
            "contains": dict(item.contains),
            "simplest": None if item.simplest is None else str(item.simplest),
            "shortest_decimal": None if item.decimal is None else item.decimal.text,
            "convergents": _convergents(item.convergents),
        }

    def roots(self, found: RootSet) -> list[dict[str, Any]]:
        """A set of roots, as intervals."""
        return [self._interval(interval) for interval in found.sets]

    def _interval(self, interval: Interval) -> dict[str, Any]:
        out: dict[str, Any] = {}
        ends = (("low", interval.low, interval.low_closed), ("high", interval.high, interval.high_closed))
        for name, end, closed in ends:
            out[name] = self._end(end, name)
            out[f"{name}_decimal"] = None if end is None else self.decimal(end)
            out[f"{name}_closed"] = closed
        return out

    @staticmethod
    def _end(end: Point | None, name: str) -> str:
        return ("0" if name == "low" else "oo") if end is None else plain(end)

    def sufficient(self, made: Comparison) -> dict[str, Any] | None:
        """How many places suffice."""
        found = made.sufficiency
        if found is None:
            return None
        kinds = [
            {
                "kind": item.kind,
                "mode": item.mode.value,
                "guaranteed": _places(item.guaranteed),
                "replayed": _replayed(item.replayed),
            }
            for item in found.kinds
        ]
        return {
            "places": found.places,
            "mode": found.mode.value,
            "kinds": kinds,
            "together": _replayed(found.together),
        }

    def free(self, found: FreeDk) -> dict[str, Any]:
        """What d_k does."""
        return {
            "results": [self._behaviour(item) for item in found.behaviours],
            "swaps": [
                {
                    "first": swap.labels[0],
                    "second": swap.labels[1],
                    "d_k": [self.decimal(d_k) for d_k in swap.d_ks],
                    "larger": [{1: swap.labels[0], -1: swap.labels[1], 0: None}[sign] for sign in swap.leaders],
                    "reason": swap.bounded or None,
                }
                for swap in found.swaps
            ],
            "unsearched_pairs": found.unsearched,
            "kept": [
                {
                    "label": item.label,
                    "written": item.written.text,
                    "mode": item.mode.value,
                    "whole_d_k": [list(one) for one in item.ranges],
                    "reason": item.bounded or None,
                }
                for item in found.kept
            ],
            "table": [
                {
                    "d_k": str(row.d_k),
                    "values": [
                        {"label": label(kind, (i, j)), "decimal": self.decimal(number)}
                        for kind, rows in (("weights", row.weights), ("outputs", row.outputs))
                        for i, entries in enumerate(rows)
                        for j, number in enumerate(entries)
                    ],
                }
                for row in found.table
            ],
        }

    def _behaviour(self, item: Behaviour) -> dict[str, Any]:
        return {
            "label": item.label,
            "exact": plain(item.closed_form),
            "latex": self.writer.number(item.closed_form),
            "at_zero": _limit(item.at_zero),
            "at_infinity": _limit(item.at_infinity),
            "motions": [
                {
                    "direction": motion.direction,
                    "low": None if motion.d_ks[0] is None else self.decimal(motion.d_ks[0]),
                    "high": None if motion.d_ks[1] is None else self.decimal(motion.d_ks[1]),
                }
                for motion in item.motions
            ],
            "reason": item.bounded or None,
        }


def _limit(number: Any) -> str:
    return ("oo" if number.positive else "-oo") if isinstance(number, Infinity) else plain(number)


def _places(places: Places) -> dict[str, Any]:
    where = None if places.place is None else label("outputs", places.place)
    return {"places": places.number, "never": places.never, "searched": places.searched, "output": where}


def _convergents(near: SafeConvergents | None) -> dict[str, Any] | None:
    if near is None:
        return None
    inside = [str(one.value) for one in near.convergents if one.inside]
    return {"inside": inside, "searched": len(near.convergents), "all_from": near.settled}


def _replayed(replayed: Replayed) -> dict[str, Any]:
    return {"first": _places(replayed.first), "onwards": _places(replayed.onwards)}
