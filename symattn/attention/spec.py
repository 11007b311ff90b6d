"""A worked example as it is given: tokens, matrices, d_k and a rounding policy.

Arrives: values that were read and checked. Leaves: the frozen `Spec` that everything else works on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from flint import fmpq

from symattn.numbers.arithmetic import Letter
from symattn.numbers.rounding import Policy

if TYPE_CHECKING:
    import sympy

GIVEN: Final = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V")

Matrix = tuple[tuple[Any, ...], ...]
Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Spec:
    """A worked example, exact and checked.

    `matrices` holds what was given of X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v),
    Q and K (n, d_k), V (n, d_v). Entries are fmpq, or SymPy expressions where letters, roots or π stand.
    """

    tokens: tuple[str, ...]
    matrices: Mapping[str, Matrix]
    d_k: fmpq | sympy.Expr | Letter
    title: str = ""
    language: Language = "en"
    policy: Policy = field(default_factory=Policy)
    source: str = "spec"

    def __hash__(self) -> int:
        return hash((self.tokens, self.title, self.source))

    def get(self, name: str) -> Matrix | None:
        """A given matrix, or None."""
        return self.matrices.get(name)

    @property
    def rational(self) -> bool:
        """Whether every entry is rational."""
        return all(isinstance(entry, fmpq) for rows in self.matrices.values() for row in rows for entry in row)

    @property
    def free(self) -> bool:
        """Whether d_k stays a letter."""
        return isinstance(self.d_k, Letter)

    def with_rounding(self, rules: Sequence[str]) -> Spec:
        """The spec with rounding rules such as `weights=3,half-even` laid over its own.

        >>> Spec((), {}, Letter()).with_rounding(["weights=3"]).policy.rule("weights").places
        3
        """
        return replace(self, policy=Policy.parse(list(rules), self.policy))

    @property
    def name(self) -> str:
        """A name for files: letters, digits, dots and hyphens only.

        >>> Spec((), {}, Letter(), source="../My lesson.toml").name
        'My-lesson'
        """
        stem = Path(self.source).stem or "spec"
        plain = re.sub(r"[^\w.-]+", "-", stem).strip(".-")[:80]
        # file systems count bytes, 255 at most, and a letter may take four
        return plain.encode()[:240].decode(errors="ignore") or "spec"


def key_width(matrices: Mapping[str, Matrix]) -> int:
    """The number of columns of K, given or to be computed."""
    return len((matrices.get("K") or matrices["W_K"])[0])
