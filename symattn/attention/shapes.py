"""Whether the given matrices fit together.

Arrives: tokens and matrices. Leaves: nothing, or the `ShapeError` that names both shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symattn.attention.places import Place
from symattn.attention.spec import Matrix
from symattn.errors import ShapeError, SpecError


def check_shapes(tokens: Sequence[str], matrices: Mapping[str, Matrix], place: Place) -> None:
    """Raise ShapeError where two shapes do not fit, SpecError where Q, K or V cannot be worked out."""
    shapes = {name: (len(rows), len(rows[0])) for name, rows in matrices.items()}

    def text(name: str) -> str:
        return f"{name} is {shapes[name][0]}x{shapes[name][1]}"

    for name in ("X", "Q", "K", "V"):
        if name in shapes and shapes[name][0] != len(tokens):
            raise ShapeError(
                text(name),
                where=place.at(f"matrices.{name}"),
                expected=f"a row for each of the {len(tokens)} tokens",
            )
    widths: dict[str, int] = {}
    for letter in "QKV":
        weight = f"W_{letter}"
        if weight in shapes and "X" in shapes and shapes[weight][0] != shapes["X"][1]:
            raise ShapeError(
                f"{text('X')} but {text(weight)}",
                where=place.at(f"matrices.{weight}"),
                expected=f"{weight} with a row for each of the {shapes['X'][1]} columns of X (d_model)",
            )
        if letter in shapes and weight in shapes and shapes[letter][1] != shapes[weight][1]:
            raise ShapeError(
                f"{text(letter)} but {text(weight)}",
                where=place.at(f"matrices.{letter}"),
                expected="as many columns in both",
            )
        if letter in shapes:
            widths[letter] = shapes[letter][1]
        elif weight in shapes and "X" in shapes:
            widths[letter] = shapes[weight][1]
        else:
            raise SpecError(
                f"{letter} cannot be worked out",
                where=place.source,
                expected=f"{letter}, or X (or an embedding) and {weight}",
            )
    if widths["Q"] != widths["K"]:
        q, k = ((name if name in shapes else f"W_{name}") for name in "QK")
        raise ShapeError(
            f"{text(q)} but {text(k)}",
            where=place.at(f"matrices.{k}"),
            expected="equal widths (d_k), since the scores are Q times K transposed",
        )
