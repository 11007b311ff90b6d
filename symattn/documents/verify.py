"""verify: a document in, a verdict on every number out.

Arrives: text or a path. Leaves: a frozen report. There is no state between calls.
"""

from __future__ import annotations

from pathlib import Path

from symattn.documents.formats.document import Document, Format
from symattn.documents.formats.load import load_document
from symattn.documents.judging.engine import LONGEST_FORMULA, MOST_CLAIMS, judged_document
from symattn.documents.literals import uses_decimal_comma
from symattn.documents.report import Checked, Report


def check(document: Document, *, most_claims: int = MOST_CLAIMS, longest_formula: int = LONGEST_FORMULA) -> Checked:
    """A document with its claims, within limits."""
    return judged_document(
        document,
        decimal_comma=uses_decimal_comma(document),
        most_claims=most_claims,
        longest_formula=longest_formula,
    )


def verify(source: str | Path, *, format: Format | None = None) -> Report:  # noqa: A002  (the contract's word)
    """A verdict on every number of a document, given as text or as a path.

    Raises: ReadError where there is no such file, or it is no text.
    """
    return Report((check(load_document(source, format=format)),))
