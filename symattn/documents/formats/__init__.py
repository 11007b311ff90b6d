"""Documents as people write them, read into regions that know their line and column.

Arrives: Markdown, TeX, notebooks, HTML, plain text, source files. Leaves: `Document`.
"""

from symattn.documents.formats.document import Cell, Document, Note, Place, Region
from symattn.documents.formats.load import FORMATS, MAX_BYTES, load_document, read_document
from symattn.documents.formats.offsets import Offsets, Placed

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "Cell",
    "Document",
    "Note",
    "Offsets",
    "Place",
    "Placed",
    "Region",
    "load_document",
    "read_document",
]
