"""Comparisons rendered: exact beside written, what a free d_k does, two derivations; as documents, text and data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from symattn.comparison.beside import Beside
from symattn.comparison.compare import Comparison
from symattn.comparison.free import FreeDk
from symattn.errors import OptionError, quoted
from symattn.rendering.language import language as language_of

if TYPE_CHECKING:
    from symattn.rendering.blocks import Block, Picture
    from symattn.rendering.comparing.told import Telling

Made = Comparison | FreeDk | Beside

DOCUMENTS: Final = ("text", "md", "tex", "html")
DATA: Final = ("json", "csv")
MAX_PLACES: Final = 1000


def render_comparison(
    made: Made,
    to: str = "text",
    *,
    language: str = "",
    places: int | None = None,
    full: bool = False,
    pictures: Sequence[Picture] = (),
) -> str:
    """A comparison as text, Markdown ("md"), TeX ("tex"), HTML ("html"), JSON or CSV.

    `made` is what `compare`, `free_d_k` or `beside` found. `language` is zh or en (the spec's own by default). Without
    `places` documents give each decimal the written digits and four more, and data 50. `full` leaves no row out.
    `pictures` are placed in documents; their files are the caller's.
    Raises: OptionError for an unknown format or language, or places out of range.

    >>> from symattn import Written, compare, derive, load_spec
    >>> spec = load_spec()
    >>> made = compare(derive(spec), derive(spec, Written(spec.policy)))
    >>> '"simplest": "19/11"' in render_comparison(made, "json")
    True
    >>> render_comparison(made, language="en").splitlines()[0]
    'Time Machine: exact beside written'
    """
    if to not in (*DOCUMENTS, *DATA):
        raise OptionError(f"unknown format {quoted(to)}", expected=f"one of {', '.join((*DOCUMENTS, *DATA))}")
    if places is not None and not 0 <= places <= MAX_PLACES:
        raise OptionError(f"places = {places}", expected=f"0 to {MAX_PLACES}")
    if to in DATA:
        return _data(made, to, places)
    return _document(made, to, language or _spec(made).language, places, full=full, pictures=pictures)


def _data(made: Made, to: str, places: int | None) -> str:
    from symattn.rendering.comparing import data, data_two

    write: Any = {
        (Comparison, "json"): data.comparison_json,
        (Comparison, "csv"): data.comparison_csv,
        (FreeDk, "json"): data.free_json,
        (FreeDk, "csv"): data.free_csv,
        (Beside, "json"): data_two.beside_json,
        (Beside, "csv"): data_two.beside_csv,
    }[type(made), to]
    return str(write(made, data.PLACES if places is None else places))


def _document(made: Made, to: str, key: str, places: int | None, *, full: bool, pictures: Sequence[Picture]) -> str:
    from symattn.rendering import FORMATS
    from symattn.rendering.comparing.told import LINES, Telling
    from symattn.rendering.latex import LatexWriter
    from symattn.rendering.text import text

    spoken = language_of(key)
    blocks = _blocks(Telling(spoken, places, None if full else LINES), made, pictures)
    if to == "text":
        return text(blocks)
    return FORMATS[to](blocks, LatexWriter(limit=None, target="xelatex" if to == "tex" else "portable"), spoken)


def _blocks(telling: Telling, made: Made, pictures: Sequence[Picture]) -> Iterator[Block]:
    from symattn.rendering.comparing import document

    if isinstance(made, Comparison):
        return document.comparison_blocks(telling, made, pictures)
    if isinstance(made, FreeDk):
        return document.free_blocks(telling, made)
    return document.beside_blocks(telling, made)


def _spec(made: Made) -> Any:
    if isinstance(made, Comparison):
        return made.exact.spec
    return made.derivation.spec if isinstance(made, FreeDk) else made.left.spec
