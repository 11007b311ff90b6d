r"""Matrices and lists in every notation: environments, brackets in brackets, rows with semicolons, prints of NumPy.

Arrives: a parser that stands at a bracket or an environment. Leaves: a Matrix, a List, or something in brackets. Rows
of different lengths, cells left empty among full ones and brackets that do not fit are refused, naming the row.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from symattn.documents.reading import parser as parsing
from symattn.documents.reading.names import LINE_ENVIRONMENTS, MATRIX_ENVIRONMENTS
from symattn.documents.reading.tree import (
    Blank,
    Bracketed,
    Chain,
    Elided,
    Infinity,
    Link,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from symattn.documents.reading.parser import Parser
    from symattn.documents.reading.tokens import Token

Range = tuple[int, int]
MAX_CELLS: Final = 100_000


def split(tokens: Sequence[Token], partner: Sequence[int], low: int, high: int, kinds: Collection[str]) -> list[Range]:
    """The ranges between tokens of these kinds, brackets and environments being passed over."""
    out = []
    start = at = low
    while at < high:
        if tokens[at].kind in kinds:
            out.append((start, at))
            start = at + 1
        at = partner[at] + 1 if partner[at] > at else at + 1
    out.append((start, high))
    return out


def environment(parser: Parser, begin: int, end: int) -> Node:
    """The matrix of an environment whose `begin` and `end` tokens are these."""
    tokens, partner = parser.tokens, parser.partner
    name = tokens[begin].value
    if "cases" in name:
        raise parsing.Failure("values under conditions are not worked out", formula=True)
    if name in LINE_ENVIRONMENTS:
        return parser.within(begin + 1, end, parser.expression)
    rows = [_cells(parser, low, high) for low, high in _rows(tokens, partner, begin + 1, end)]
    rows = [row for row in rows if len(row) > 1 or row[0][0] < row[0][1]]
    if rows and all(len(row) == 1 for row in rows):
        commas = [split(tokens, partner, *row[0], {","}) for row in rows]
        if any(len(cells) > 1 for cells in commas):
            rows = commas
    matrix = _matrix(parser, rows, begin, end, MATRIX_ENVIRONMENTS[name])
    return _labelled(parser, matrix)


def _rows(tokens: Sequence[Token], partner: Sequence[int], low: int, high: int) -> list[Range]:
    rows = split(tokens, partner, low, high, {"row"})
    if len(rows) > 1:
        return rows
    # Markdown eats one of two backslashes: `1 & 0 \ 0 & 1`
    cuts = []
    at = low
    while at < high:
        if tokens[at].gap == 3 and at > low:
            cuts.append(at)
        at = partner[at] + 1 if partner[at] > at else at + 1
    if not cuts:
        return rows
    bounds = [low, *cuts, high]
    pieces = list(pairwise(bounds))
    lengths = {len(split(tokens, partner, *piece, {"&"})) for piece in pieces}
    edges = [tokens[i] for piece in pieces for i in (piece[0], piece[1] - 1)]
    if len(lengths) == 1 and not any(t.kind == "operator" and t.value not in "+-" for t in edges):
        return pieces
    return rows


def _cells(parser: Parser, low: int, high: int) -> list[Range]:
    return split(parser.tokens, parser.partner, low, high, {"&"})


def _matrix(parser: Parser, rows: Sequence[Sequence[Range]], begin: int, end: int, delimiters: str) -> Matrix:
    tokens = parser.tokens
    place = tokens[begin].start, tokens[end].end
    if not rows:
        raise parsing.Failure("a matrix without rows")
    if sum(map(len, rows)) > MAX_CELLS:
        raise parsing.Failure(f"a matrix of more than {MAX_CELLS} cells")
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        # a last & ends a row of some authors
        cells = row[:-1] if len(row) == width + 1 and row[-1][0] >= row[-1][1] else row
        if len(cells) != width:
            raise parsing.Failure(f"row {number} of a matrix has {_entries(len(cells))}, row 1 has {width}")
    notes: list[Text] = []
    read = [[_cell(parser, low, high, place[0], notes) for low, high in row[:width]] for row in rows]
    labels: list[Text] = []
    read = _without_heads(parser, read, labels, notes)
    _require_full(read)
    made = tuple(tuple(cell if cell is not None else Blank(*place) for cell in row) for row in read)
    return Matrix(*place, made, delimiters, tuple(labels), tuple(notes))


def _without_heads(
    parser: Parser, rows: list[list[Node | None]], labels: list[Text], notes: list[Text]
) -> list[list[Node | None]]:
    """The rows without what heads the columns and begins the rows: words, or names around an empty corner."""
    corner = rows[0][0]
    heads = (Text, Name) if corner is None or isinstance(corner, Blank) else Text
    headed = len(rows) > 1 and len(rows[0]) > 1 and all(isinstance(cell, heads) for cell in rows[0][1:])
    if headed and (corner is None or isinstance(corner, (Text, Blank))):
        notes.extend(_said(parser, cell) for cell in rows[0] if isinstance(cell, heads))
        rows = rows[1:]
    if len(rows[0]) > 1 and all(isinstance(row[0], heads) for row in rows):
        labels.extend(_said(parser, row[0]) for row in rows if row[0] is not None)
        rows = [row[1:] for row in rows]
    return rows


def _said(parser: Parser, node: Node) -> Text:
    return node if isinstance(node, Text) else Text(node.start, node.end, parser.text[node.start : node.end])


def _entries(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _require_full(rows: Sequence[Sequence[Node | None]]) -> None:
    """Refuse a cell left empty, unless the whole matrix is a form to fill in."""
    cells = [cell for row in rows for cell in row]
    if all(cell is None or isinstance(cell, (Blank, Elided, Infinity, Neg)) for cell in cells):
        return
    for number, row in enumerate(rows, 1):
        if any(cell is None for cell in row):
            raise parsing.Failure(f"row {number} of a matrix has an empty cell")


def _cell(parser: Parser, low: int, high: int, start: int, notes: list[Text]) -> Node | None:
    """One cell: an expression, a chain of them, words, or None where nothing stands."""
    tokens, partner = parser.tokens, parser.partner
    padded = low < high and tokens[low].kind == "quad"
    while low < high and tokens[low].kind == "quad":
        low += 1
    (low, high), *beside = split(tokens, partner, low, high, {"quad"})
    for first, last in beside:
        if first < last:
            notes.append(_beside(parser, first, last))
    while low < high and tokens[high - 1].kind in (",", ";", "."):
        high -= 1
    if low >= high:
        return Blank(start, start) if padded else None
    if low + 1 == high and tokens[low].kind == "operator" and tokens[low].value in ("*", "·", "-"):
        return Elided(tokens[low].start, tokens[low].end)  # a sign alone stands for "anything"
    pieces = split(tokens, partner, low, high, {"relation"})
    if len(pieces) == 1:
        return parser.within(low, high, parser.expression)
    if pieces[0][0] == pieces[0][1]:
        return _words(parser, low, high)  # ← row one
    head, *rest = [parser.within(*piece, parser.expression) for piece in pieces]
    signs = [tokens[end] for _, end in pieces[:-1]]
    links = tuple(Link(sign.start, sign.end, sign.value[0], item) for sign, item in zip(signs, rest, strict=True))
    return Chain(tokens[low].start, tokens[high - 1].end, head, links)


def _words(parser: Parser, low: int, high: int) -> Text:
    start, end = parser.tokens[low].start, parser.tokens[high - 1].end
    return Text(start, end, parser.text[start:end])


def _beside(parser: Parser, low: int, high: int) -> Text:
    """Words beside a cell; another value there is refused."""
    words = _words(parser, low, high)
    if not any(token.kind in ("text", "function") for token in parser.tokens[low:high]):
        raise parsing.Failure(f"{words.text} stands beside a cell without a sign between")
    return words


def _labelled(parser: Parser, matrix: Matrix) -> Node:
    """The matrix with the words of an array beside it; an array of arrows alone has none to stand beside."""
    follows = parser.next
    if follows is None or follows.kind != "begin" or not is_labels(parser.tokens, parser.partner, parser.at):
        return matrix
    begin, end = parser.at, parser.partner[parser.at]
    parser.at = end + 1
    return with_labels(parser, matrix, begin, end)


def is_labels(tokens: Sequence[Token], partner: Sequence[int], begin: int) -> bool:
    """Whether an environment holds nothing but arrows and words."""
    inside = tokens[begin + 1 : partner[begin]]
    arrows = any(t.kind == "relation" and t.value[0] in ("←", "→") for t in inside)
    words = [t for t in inside if t.kind in ("text", "function")]
    return (
        MATRIX_ENVIRONMENTS.get(tokens[begin].value) == ""
        and bool(words)
        and (arrows or all(t.kind in ("text", "row", "function", "number", "quad", ",") for t in inside))
    )


def with_labels(parser: Parser, matrix: Matrix, begin: int, end: int) -> Matrix:
    """The matrix with the words between these tokens as labels of its rows."""
    labels = []
    for low, high in split(parser.tokens, parser.partner, begin + 1, end, {"row"}):
        kept = [t for t in parser.tokens[low:high] if t.kind not in ("relation", "quad", "&")]
        if kept:
            words = " ".join(t.text.strip() for t in kept)
            labels.append(Text(kept[0].start, kept[-1].end, words))
    place = matrix.start, parser.tokens[end].end
    return Matrix(*place, matrix.rows, matrix.delimiters, tuple(labels), matrix.notes)


def bracket(parser: Parser, begin: int, end: int) -> Node:
    """What stands in brackets: one thing, a list, or a matrix."""
    tokens, partner = parser.tokens, parser.partner
    opening = tokens[begin]
    delimiters = opening.text.removeprefix("\\") + tokens[end].text.removeprefix("\\")
    place = opening.start, tokens[end].end
    low, high = begin + 1, end
    while low < high and tokens[low].kind == "quad":
        low += 1
    while low < high and tokens[high - 1].kind == "quad":
        high -= 1
    if low == high:
        if opening.text == "[" or end > begin + 1:
            return List(*place, (Blank(*place),), delimiters)
        raise parsing.Failure("() is empty")
    labels: list[Text] = []
    rows = split(tokens, partner, low, high, {";", "row"})
    if len(rows) > 1 and rows[-1][0] == rows[-1][1]:
        rows.pop()
    if len(rows) > 1 and opening.text != "\\{":
        cells = [_items(parser, *row, labels) for row in rows]
        return _labelled_grid(parser, _grid(cells, place, delimiters), labels)
    items = _items(parser, low, high, labels)
    if len(items) == 1:
        return _alone(parser, items[0], opening, place, delimiters, comma=tokens[high - 1].kind == ",")
    rowed = all(isinstance(item, List) and item.delimiters in ("[]", "()") for item in items)
    if rowed and (opening.text == "[" or (opening.text == "(" and len(items) > 1)):
        return _labelled_grid(parser, _nested(items, place, delimiters), labels)
    return List(*place, tuple(items), delimiters)


def _labelled_grid(parser: Parser, matrix: Node, labels: list[Text]) -> Node:
    if isinstance(matrix, Matrix):
        if labels:
            matrix = Matrix(matrix.start, matrix.end, matrix.rows, matrix.delimiters, tuple(labels))
        return _labelled(parser, matrix)
    return matrix


def _alone(parser: Parser, item: Node, opening: Token, place: Range, delimiters: str, *, comma: bool) -> Node:
    if isinstance(item, Matrix) and not item.delimiters:
        # \left[\begin{array}...\end{array}\right]
        made = Matrix(*place, item.rows, delimiters, item.labels, item.notes)
        return _labelled(parser, made)
    if opening.text == "[" and isinstance(item, List) and item.delimiters == "[]":
        return _nested([item], place, delimiters)
    if opening.text == "[" and isinstance(item, Matrix) and item.delimiters == "[]" and parser.plain:
        return List(*place, (item,), delimiters)  # one more dimension: a batch of one
    if opening.text == "(" and not comma:
        return Bracketed(*place, item)
    return List(*place, (item,), delimiters)


def _items(parser: Parser, low: int, high: int, labels: list[Text]) -> list[Node]:
    """The things between commas, or between spaces where there are no commas."""
    tokens, partner = parser.tokens, parser.partner
    parts = split(tokens, partner, low, high, {","})
    if len(parts) == 1:
        if tokens[low - 1].text != "(":
            parts = _spaced(parser, low, high)
    elif parts[-1][0] == parts[-1][1] and parser.plain:
        parts.pop()  # a last comma, as Python allows
    items = []
    for first, last in parts:
        first, last = _without_labels(parser, first, last, labels)
        if first >= last:
            raise parsing.Failure("a comma with nothing beside it")
        items.append(parser.within(first, last, parser.expression))
    return items


def _without_labels(parser: Parser, low: int, high: int, labels: list[Text]) -> Range:
    """The range without remarks beside a row, which the tokens of plain text mark."""
    while low < high and parser.tokens[low].kind == "remark":
        token = parser.tokens[low]
        labels.append(Text(token.start, token.end, str(token.value)))
        low += 1
    while low < high and parser.tokens[high - 1].kind == "remark":
        token = parser.tokens[high - 1]
        labels.append(Text(token.start, token.end, str(token.value)))
        high -= 1
    return low, high


def _spaced(parser: Parser, low: int, high: int) -> list[Range]:
    r"""Entries with spaces between them, as NumPy prints them; with spacing commands or \quad in LaTeX."""
    tokens, partner = parser.tokens, parser.partner
    cuts = []
    at = low
    while at < high:
        token = tokens[at]
        if at > low and token.kind == "quad":
            cuts.append((at, at + 1))
        elif at > low and token.gap >= (1 if parser.plain else 2):
            before = tokens[at - 1]
            signed = token.kind == "operator" and token.value in "+-" and at + 1 < high and tokens[at + 1].gap == 0
            entry = token.kind in parsing.OPERANDS or signed or token.kind == "remark"
            if entry and before.kind in parsing.OPERAND_ENDS | {"remark"} and tokens[low].kind != "text":
                cuts.append((at, at))
        at = partner[at] + 1 if partner[at] > at else at + 1
    if not cuts:
        return [(low, high)]
    starts = [low, *(after for _, after in cuts)]
    ends = [*(before for before, _ in cuts), high]
    parts = [(first, last) for first, last in zip(starts, ends, strict=True) if first < last]
    joined: list[Range] = []
    for first, last in parts:
        # a remark belongs to the row before it
        if joined and all(token.kind == "remark" for token in tokens[first:last]):
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def _nested(rows: Sequence[Node], place: Range, delimiters: str) -> Node:
    cells = [list(row.items) for row in rows if isinstance(row, List)]
    if all(isinstance(cell, (List, Matrix)) for row in cells for cell in row):
        return List(*place, tuple(rows), delimiters)
    return _grid(cells, place, delimiters)


def _grid(cells: Sequence[Sequence[Node]], place: Range, delimiters: str) -> Matrix:
    width = len(cells[0])
    for number, row in enumerate(cells, 1):
        if len(row) != width:
            raise parsing.Failure(f"row {number} of a matrix has {_entries(len(row))}, row 1 has {width}")
    return Matrix(*place, tuple(tuple(row) for row in cells), delimiters)
