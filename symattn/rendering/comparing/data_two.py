"""Two derivations side by side as data: JSON and CSV, every difference a certified decimal in a string."""

from __future__ import annotations

from typing import Any

from symattn.comparison.beside import Beside, Pair
from symattn.comparison.relations import Relation, letters_of
from symattn.numbers.expsum import ExpQuotient, ExpSum
from symattn.rendering.comparing.data import PLACES, SCHEMA, Told, as_csv, as_json
from symattn.rendering.plain import plain


def beside_json(beside: Beside, places: int = PLACES) -> str:
    """The two derivations as JSON.

    Where letters are free the decimals are null, and `difference_exact` holds the difference as an expression.
    Raises: OptionError for places out of range.

    >>> import json
    >>> from symattn import beside, derive, load_spec
    >>> made = beside(derive(load_spec()), derive(load_spec(), recompute=True))
    >>> json.loads(beside_json(made))["first_difference"]
    {'kind': 'projections', 'label': 'Q[2,1]'}
    """
    told = Told(places)
    first = beside.first_difference
    document = {
        "schema": SCHEMA,
        "specs": [side.spec.source for side in (beside.left, beside.right)],
        "recompute": [side.recompute for side in (beside.left, beside.right)],
        "inputs": [
            {"name": one.name, "relation": one.relation.value, "left": _given(one.left), "right": _given(one.right)}
            for one in beside.inputs
        ],
        "quantities": [_pair(told, pair) for pair in beside.quantities],
        "counts": [
            {"kind": count.kind, "equal": count.equal, "different": count.different, "undecided": count.undecided}
            for count in beside.counts
        ],
        "first_difference": None if first is None else {"kind": first.kind, "label": first.label},
        "remarks": list(beside.remarks),
    }
    return as_json(document)


def beside_csv(beside: Beside, places: int = PLACES) -> str:
    """The quantities as CSV, one a line, in the columns of the JSON.

    Raises: OptionError for places out of range.

    >>> from symattn import beside, derive, load_spec
    >>> beside_csv(beside(derive(load_spec()), derive(load_spec())), 2).splitlines()[1]
    'inputs,"X[1,1]",1,1.00,1,1.00,equal,0.00,0,0.00,'
    """
    told = Told(places)
    return as_csv([_pair(told, pair) for pair in beside.quantities])


def _given(value: Any) -> str | None:
    """A matrix as its shape, d_k as it is, None for what is not given."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return f"{len(value)}x{len(value[0])}"
    return str(getattr(value, "name", value))


def _decimal(told: Told, number: Any) -> str | None:
    """A certified decimal, None where letters are free."""
    return None if number is None or letters_of(number) else told.decimal(number)


def _pair(told: Told, pair: Pair) -> dict[str, str | None]:
    """The row of a quantity, the same columns in JSON and in CSV."""
    return {
        "kind": pair.kind,
        "label": pair.label,
        "left": plain(pair.left),
        "left_decimal": _decimal(told, pair.left),
        "right": plain(pair.right),
        "right_decimal": _decimal(told, pair.right),
        "relation": pair.relation.value,
        "difference": _decimal(told, pair.difference),
        "difference_exact": _exact_gap(pair),
        "relative_difference": _decimal(told, pair.relative_difference),
        "reason": pair.reason or None,
    }


def _exact_gap(pair: Pair) -> str | None:
    """Right less left as text, where it is rational or has letters; else decimals tell it."""
    if pair.letters:
        if pair.relation is not Relation.EQUAL and isinstance(pair.right, (ExpSum, ExpQuotient)):
            return f"{plain(pair.right)}-({plain(pair.left)})"  # rows of sums take SymPy long
        return str(pair.symbolic_difference)
    value = pair.difference.rational if pair.difference is not None else None
    return None if value is None else str(value)
