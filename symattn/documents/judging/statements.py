"""The statements of a document: every chain of relations in its order, with the words before it.

Arrives: a document as regions. Leaves: statements; tables of a document become statements too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from symattn.documents.formats.document import Document, Region
from symattn.documents.judging.cells import is_literal, shape_told
from symattn.documents.judging.code.printed import Did, Told, programs
from symattn.documents.judging.enumerated import enumerated
from symattn.documents.judging.stages import counts_from_zero, layout_of, row_of_words, stage_of, stage_of_words
from symattn.documents.judging.tabular.derived import chain_of
from symattn.documents.judging.tabular.grids import Grid, grid_of_table, printed_grids
from symattn.documents.judging.tabular.headers import SUM
from symattn.documents.judging.tabular.tables import Key, result_key, said_of
from symattn.documents.judging.tabular.titles import caption_behind
from symattn.documents.reading.chains import read_math
from symattn.documents.reading.code import read_code, read_prose, read_source
from symattn.documents.reading.tree import (
    Call,
    Chain,
    Link,
    List,
    Matrix,
    Name,
    Node,
    Power,
    Product,
    Quotient,
    RelationKind,
    Text,
    Transpose,
    walk,
)

MATH: Final = frozenset({"math_inline", "math_display"})
CODE: Final = frozenset({"code", "code_inline", "output"})
SOURCES: Final = frozenset(
    [
        "python",
        "py",
        "ipython",
        "python3",
        "julia",
        "r",
        "matlab",
        "rust",
        "rs",
        "c",
        "cpp",
        "c++",
        "java",
        "javascript",
        "js",
        "typescript",
        "ts",
        "go",
        "kotlin",
        "swift",
        "csharp",
        "scala",
        "php",
        "ruby",
        "rb",
        "lua",
        "perl",
        "haskell",
    ]
)
DATA: Final = frozenset(
    (
        "toml",
        "json",
        "jsonc",
        "yaml",
        "yml",
        "ini",
        "cfg",
        "xml",
        "css",
        "bash",
        "sh",
        "shell",
        "zsh",
        "diff",
        "sql",
        "make",
    )
)
"""Languages of code blocks in which = and numbers claim nothing."""

WORDS: Final = 90
"""Characters of the words before a formula that are looked at."""

_ENDS_WITH_RELATION: Final = re.compile(r"(=|≈|≃|≅|:=|→|⇒|->|=>|~=)\s*$")
_BETWEEN: Final = re.compile(r"\u2063\s*(?:=|≈|≃|≅|:=|→|⇒|->|=>|~=)\s*$")
"""A formula, and then nothing but a relation."""
_CALLED: Final = re.compile(
    r"\u2063\s*[)）]?\s*(?:[:：]|\bis\b|ist|est|es|é|è|là|为|為|是|は)\s*[)）]?[:：]?\s*$", re.IGNORECASE
)
"""A formula, and then a colon or a word that says what it is."""
_SHAPED: Final = re.compile(
    r"\u2063\s*(?:(?:is|are|becomes?|est|ist|es|é|è)\b(?: (?:an?|une?|einen?|una|um|uma))?|是|為|为|는|은|は|это|—)\s*$"
    r"|\u2063[^\u2063.;。；\n]{0,24}(?:shape|size|dimension|形状|形狀|维度|維度|尺寸|大小|形は|크기|차원|모양|\bform\b|forma|dimens\w+|forme|taille"
    r"|größe|размер\w*|форм\w*|kích thước|boyut\w*)[^\u2063.;。；\n\d]{0,12}$",
    re.IGNORECASE,
)
"""A formula, and then words that say which shape it has."""
_NAMED_SHAPE: Final = re.compile(
    r"(?<![\w.])([A-Z](?:_\w{1,3})?(?:\.T|ᵀ)?(?:\s*[@·*×]?\s*[A-Z](?:_\w{1,3})?(?:\.T|ᵀ)?)?)\s+"
    r"(?:has|is of|has the|tem|hat|a|tiene|имеет)\s+(?:the |la |a |die )?(?:shape|size|dimensions?|forma|forme|form"
    r"|размер\w*)$"
)
"""A name or a product in a sentence, and then words that say which shape it has."""
_SHAPE: Final = re.compile(
    r"shape|size|dimension|形状|形狀|维度|維度|尺寸|大小|크기|차원|모양|\bforma?\b|forme|taille|größe|размер"
    r"|kích thước|boyut",
    re.IGNORECASE,
)
"""A header over shapes."""
_KEYS_FIRST: Final = re.compile(r"K[^\n=]{1,24}Q")
_SENTENCE_END: Final = re.compile(r"(?:[。!?！？;；\n]|\.(?!\d))\s*(?=\S)")
_OPENING: Final = re.compile(r"[^\n:：.。;；]{1,60}[:：]")
_TOKEN: Final = re.compile(r"\W{0,4}([^\W\d_]{2,24}|[\u2e80-\uffff]{1,8})\W{0,3}[:：]")
_VECTORS: Final = frozenset("xqkv")
_SIGNS: Final[dict[str, RelationKind]] = {"=": "=", "≈": "≈", "≃": "≈", "≅": "≈", "~=": "≈", ":=": ":="}

_FORMULAS: Final = (Name, Power, Product, Quotient, Call, Transpose)
"""What a list may be the value of."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A chain, the region that it stands in, the words before it, and the headings above.

    `did` is what a program did there: the chain is then only its place. `row` is what the paragraph begins with, and
    `first` the number that words give to the first row.
    """

    chain: Chain
    region: Region
    words: str
    headings: tuple[str, ...] = ()
    did: Did | None = None
    row: int | None = None
    first: int = 1


def statements(document: Document, *, decimal_comma: bool = False) -> Iterator[Statement]:
    """The statements in the order of the document."""
    told = programs(document)
    before: Sequence[Region] = ()
    shown: set[Key] = set()
    columns: bool | None = None
    blocks = list(document.blocks())
    first = 0 if counts_from_zero(region.text for region in document.regions) else 1
    for at, block in enumerate(blocks):
        words = _leading(before) if [region.kind for region in block] == ["code"] else ""
        row, token = _row_of(block, first), _token_of(block)
        last: Node | None = None  # what the formula right before ends with
        for region in enumerated(block):
            if region.unreadable:
                continue
            if region.kind == "table":
                caption = caption_behind(document, blocks, at)
                columns = _lies_in_columns(document) if columns is None else columns
                found = _table(region, caption or before, shown, decimal_comma=decimal_comma, columns=columns)
                yield from found
                words = ""
                continue
            program = told.get(id(region))
            printed, left = _printed(region, program, before, shown)
            yield from printed
            for chain in () if program and program.is_code else _implied(_chains(left, decimal_comma=decimal_comma)):
                if program is not None and not program.keeps(chain):
                    continue
                said, chain = _before(words, region, chain), _of_token(chain, token)
                yield Statement(_joined(chain, words, said, last), region, said, region.headings, row=row, first=first)
                words = "" if region.kind == "math_display" else words
                if (key := result_key(chain)) is not None:
                    shown.add(key)
            if region.kind in MATH or region.kind == "code_inline":
                words += " \u2063 "  # a formula stood here
                last = _end_of(left, decimal_comma=decimal_comma)
            else:
                words += region.text
            words = words[-WORDS:]
        before = block


def _leading(before: Sequence[Region]) -> str:
    """The words of a paragraph that leads to the code behind it, without its formulas."""
    if any(region.kind not in {"prose", "code_inline", "math_inline"} for region in before):
        return ""
    text = "".join(region.text if region.kind == "prose" else " \u2063 " for region in before).strip()
    return f"{text[-WORDS:]} " if text.endswith((":", "：")) else ""


def _row_of(block: Sequence[Region], first_row: int) -> int | None:
    """The row that the words before the first colon of a paragraph speak of."""
    first = next(iter(block), None)
    if first is None or first.kind != "prose":
        return None
    opening = _OPENING.match(first.text)
    return row_of_words(opening[0], first_row) if opening else None


def _token_of(block: Sequence[Region]) -> str:
    """The one word before the first colon of an item in a list: "- cat: q = (0, 1), k = (0, 2)"."""
    first = next(iter(block), None)
    item = first is not None and first.kind == "prose" and "list" in first.within
    found = _TOKEN.match(first.text) if first is not None and item else None
    return found[1] if found is not None and not stage_of_words(found[1]) else ""


def _of_token(chain: Chain, token: str) -> Chain:
    """A chain about the vector of a token, which is named after it."""
    name = chain.first
    if not token or not isinstance(name, Name) or name.base not in _VECTORS or len(name.key) > 1:
        return chain
    return replace(chain, first=replace(name, sub=token))


def _chains(region: Region, *, decimal_comma: bool) -> tuple[Chain, ...]:
    if region.kind in MATH:
        return read_math(region.text, decimal_comma=decimal_comma)
    if region.kind in CODE:
        info = region.info.split()[0].lower() if region.info.split() else ""
        if info in DATA:
            return ()
        if info in SOURCES or (region.kind == "code" and info.startswith("python")):
            return read_source(region.text)
        return read_code(region.text, decimal_comma=decimal_comma)
    return read_prose(region.text, decimal_comma=decimal_comma)


def _implied(chains: Sequence[Chain]) -> Iterator[Chain]:
    """The chains, cut where an arrow leads from a result to another equation: S = [..] ⇒ A = [..]."""
    for chain in chains:
        at = next((i for i in range(1, len(chain.links)) if _is_implied(chain, i)), None)
        if at is None:
            yield chain
            continue
        first, behind = chain.links[at].item, chain.links[at + 1 :]
        yield replace(chain, links=chain.links[:at], end=chain.links[at - 1].item.end)
        yield from _implied([replace(chain, start=first.start, first=first, links=behind, label=None)])


def _is_implied(chain: Chain, at: int) -> bool:
    """Whether a link begins another equation: what a name or a formula of names is, after a value."""
    link, behind = chain.links[at], chain.links[at + 1 : at + 2]
    if link.relation != "→" or link.operation is not None or not behind or behind[0].relation == "→":
        return False
    return any(isinstance(part, Name) for part in walk(link.item)) and is_literal(chain.links[at - 1].item)


def _before(words: str, region: Region, chain: Chain) -> str:
    """The words of the same sentence before a chain."""
    inside = region.text[max(0, chain.start - WORDS) : chain.start] if region.kind not in MATH else ""
    said = (words + inside)[-WORDS:]
    cut = 0
    for match in _SENTENCE_END.finditer(said):
        cut = match.end()
    label = chain.label.text if chain.label is not None else ""
    return (said[cut:] + " " + label).strip()


def _end_of(region: Region, *, decimal_comma: bool) -> Node | None:
    """What the one chain of a formula ends with."""
    chains = _chains(region, decimal_comma=decimal_comma)
    return chains[0].items[-1] if len(chains) == 1 and chains[0].items and not chains[0].unread else None


def _joined(chain: Chain, words: str, said: str, last: Node | None) -> Chain:
    """A chain whose first relation stands in the words before it: 'vector = ' and the formula [8.8, 2.45].

    Where nothing but the relation stands between two formulas, the chain goes on from what the first one ends with.
    """
    if chain.first is None and chain.links and last is not None and said.endswith("\u2063"):
        return replace(chain, first=last)  # the relation stands right behind a formula
    found = _ENDS_WITH_RELATION.search(words)
    if found is None and isinstance(last, _FORMULAS) and _is_vector(chain) and _CALLED.search(said) is not None:
        return replace(chain, first=last, links=(Link(chain.start, chain.start, "=", chain.items[0]),), label=None)
    if not chain.links and shape_told(chain.first) and (named := _NAMED_SHAPE.search(said)):
        last, said = _named(named[1]), "\u2063 is"
    if found is None and last is not None and not chain.links and shape_told(chain.first) and _SHAPED.search(said):
        return replace(chain, first=last, links=(Link(chain.start, chain.start, "∈", chain.items[0]),), label=None)
    if found is None or chain.first is None or chain.links:
        return chain
    relation = _SIGNS.get(found[1], "→")
    before = last if _BETWEEN.search(words) is not None else None
    return replace(chain, first=before, links=(Link(chain.start, chain.start, relation, chain.first),))


def _named(text: str) -> Node | None:
    """What a short formula in a sentence is: Q, or Q @ K.T."""
    chains = read_code(text)
    return chains[0].first if len(chains) == 1 and not chains[0].links else None


def _is_vector(chain: Chain) -> bool:
    """Whether a chain is nothing but a list of numbers."""
    return not chain.links and isinstance(chain.first, (List, Matrix)) and is_literal(chain.first)


# ---- tables --------------------------------------------------------------------------------------------------------


def _lies_in_columns(document: Document) -> bool:
    """Whether a formula of the document says that the tokens are columns: KᵀQ."""
    told = (region for region in document.regions if _KEYS_FIRST.search(region.text) and not region.unreadable)
    chains = (chain for region in told for chain in _chains(region, decimal_comma=False))
    return any(layout_of(item) == "columns" for chain in chains for item in chain.items)


def _table(
    region: Region, before: Sequence[Region], shown: set[Key], *, decimal_comma: bool, columns: bool
) -> Iterator[Statement]:
    """What the cells say one by one, then what the table says as a whole."""
    grid = grid_of_table(region, decimal_comma=decimal_comma)
    yield from _shapes(region)
    found, whole = said_of(grid, before, shown, columns=columns) if grid is not None else ([], False)
    total = _column_of_sums(grid) if grid is not None and not whole else None
    for at, row in enumerate(region.rows if not whole else ()):
        said, powers = "", False
        for cell in row:
            for inner in cell.regions:
                chains = _chains(inner, decimal_comma=decimal_comma) if not inner.unreadable else ()
                powers = powers or any(stage_of(chain.first) == "exponentials" for chain in chains if chain.links)
                yield from (Statement(chain, inner, said, region.headings) for chain in chains if chain.links)
            said += " " + cell.text
        if powers and grid is not None and total is not None and (node := grid.rows[at][total].value) is not None:
            yield Statement(chain_of((Text(0, 0, "sum"),), node), grid.region, "sum", region.headings)
    for chain, joined, words in found:
        yield Statement(chain, joined, words, region.headings)


def _column_of_sums(grid: Grid) -> int | None:
    """The column whose header says that it holds the sums of what the other cells of a row work out."""
    return next((j for j, head in enumerate(grid.rows[0]) if head.text and SUM.fullmatch(head.text)), None)


def _shapes(region: Region) -> Iterator[Statement]:
    r"""The shapes that a table states: | $Q$ | $2 \\times 3$ | under a header that calls them so."""
    heads = [cell.text for cell in region.rows[0]] if region.rows else []
    at = next((j for j, head in enumerate(heads) if j and _SHAPE.search(head)), None)
    for row in region.rows[1:] if at is not None else ():
        cells = [row[0].regions, row[at].regions] if at is not None and at < len(row) else []
        if len(cells) < 2 or any(len(inner) != 1 or inner[0].kind not in {*MATH, "code_inline"} for inner in cells):
            continue
        (what,), (shape,) = (_chains(inner[0], decimal_comma=False) or (Chain(0, 0, None),) for inner in cells)
        if what.first is not None and shape_told(shape.first):
            chain = replace(shape, first=what.first, links=(Link(shape.start, shape.start, "∈", shape.items[0]),))
            yield Statement(chain, cells[1][0], "", region.headings)


def _printed(
    region: Region, program: Told | None, before: Sequence[Region], shown: set[Key]
) -> tuple[list[Statement], Region]:
    """The frames that stand in a region, what its program did beside them, and what is left of the region."""
    if region.kind not in {"code", "output"}:
        return [], region
    grids, left = printed_grids(region)
    frames = [said for grid in grids for said in said_of(grid, before, shown)[0]]
    framed = [chain for chain, _, _ in frames]
    found = [Statement(chain, region, words, region.headings) for chain, _, words in frames]
    for did in program.done if program is not None else ():
        place = did.chain
        if did.region is region and any(one.start < place.end and place.start < one.end for one in framed):
            continue  # the frame says it
        found.append(Statement(place, did.region, "", region.headings, did=did))
    return found, left
