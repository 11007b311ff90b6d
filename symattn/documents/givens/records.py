"""The records of what a document gives.

Arrives: nothing. Leaves: `Given` and `Noted`, frozen.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from symattn.documents.formats.document import Place
from symattn.documents.givens.entries import Rows


@dataclass(frozen=True, slots=True)
class Given:
    """A matrix (or a vector of one: `index` says which row) of a role such as Q or W_K, and where it stands.

    `rank`: 0 under its own name, 1 as an operand shown in a product, 2 by the words before it. `head` tells several
    heads apart; `computed` is said of what stands behind its own product; `labels` are the words beside the rows.
    """

    role: str
    rows: Rows
    place: Place
    rank: int = 0
    index: str = ""
    head: str = ""
    labels: tuple[str, ...] = ()
    computed: bool = False
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """What else a document says: d_k, the root it shows, the root it divides by, W before X, a mask."""

    d_ks: tuple[tuple[fmpq, Place], ...] = ()
    roots: tuple[fmpq, ...] = ()
    shown: tuple[tuple[fmpq, str], ...] = ()
    divisors: tuple[tuple[fmpq, str], ...] = ()
    columns: frozenset[str] = frozenset()
