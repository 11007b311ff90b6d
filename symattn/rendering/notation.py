"""Notations: how each named thing is written, as tables. A house style is another `Notation`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from symattn.errors import OptionError, quoted


@dataclass(frozen=True, slots=True)
class Notation:
    """One style. `{}` stands for what is inside; `COLUMNS` for one letter c a column."""

    key: str
    names: Mapping[str, str]
    functions: Mapping[str, str]
    matrix: tuple[str, str]
    row_labels: bool
    signs: Mapping[str, str]
    transposed: str
    transposed_power: str
    exp: tuple[str, str]
    exp_of_zero: str
    exp_of_one: str

    def name(self, key: str) -> str:
        """The letters of a named quantity; an unknown name raises OptionError."""
        if key not in self.names:
            raise OptionError(f"the notation {self.key} has no name for {quoted(key)}")
        return self.names[key]


_LETTERS: Final = {letter: letter for letter in ("X", "Q", "K", "V", "q", "k", "v", "x", "r", "d_k", "d_v")}

DOCUMENT: Final = Notation(
    key="document",
    names={
        **_LETTERS,
        "d_model": "d_{model}",
        "W_Q": "W^Q",
        "W_K": "W^K",
        "W_V": "W^V",
        "scores": r"\text{Scores}",
        "scaled_scores": r"\text{Scaled}",
        "exponentials": r"\text{Exp}",
        "row_sums": r"\text{Sum}",
        "attention_weights": r"\text{Weights}",
        "weights_letter": "W",
        "output": r"\text{Output}",
    },
    functions={"softmax": r"\text{softmax}"},
    matrix=(r"\left[\begin{array}{COLUMNS}", r"\end{array}\right]"),
    row_labels=True,
    signs={"dot": r"\cdot ", "times": r"\times ", "matrix": r"\cdot "},
    transposed="{}^T",
    transposed_power=r"\left({}\right)^T",
    exp=("e^{", "}"),
    exp_of_zero="e^0",
    exp_of_one="e",
)

PAPER: Final = Notation(
    key="paper",
    names={
        **_LETTERS,
        "d_model": r"d_{\text{model}}",
        "W_Q": "W_Q",
        "W_K": "W_K",
        "W_V": "W_V",
        "scores": "S",
        "scaled_scores": r"\tilde{S}",
        "exponentials": "E",
        "row_sums": "Z",
        "attention_weights": "A",
        "weights_letter": "A",
        "output": "O",
    },
    functions={"softmax": r"\operatorname{softmax}"},
    matrix=(r"\begin{pmatrix}", r"\end{pmatrix}"),
    row_labels=False,
    signs={"dot": r"\cdot ", "times": r"\cdot ", "matrix": " "},
    transposed=r"{}^{\top}",
    transposed_power=r"\left({}\right)^{\top}",
    exp=(r"\exp\left(", r"\right)"),
    exp_of_zero=r"\exp\left(0\right)",
    exp_of_one="e",
)

NOTATIONS: Final[Mapping[str, Notation]] = {notation.key: notation for notation in (DOCUMENT, PAPER)}


def notation_named(key: str) -> Notation:
    """The notation of a name.

    >>> notation_named("paper").name("W_Q")
    'W_Q'
    """
    if key not in NOTATIONS:
        raise OptionError(f"unknown notation {quoted(key)}", expected=f"one of {', '.join(NOTATIONS)}")
    return NOTATIONS[key]
