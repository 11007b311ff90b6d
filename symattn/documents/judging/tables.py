"""What tables of numbers say: a grid under a name is a matrix, columns under the names of stages are those stages.

Arrives: the grid of a table and the regions right before it. Leaves: chains, each with its region and the words that
speak of it. A column whose header is a formula of another column is worked out from it; a last row or column of sums
is the sum of what it stands by.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from symattn.comparison.verdicts import judge
from symattn.documents.formats.document import Region
from symattn.documents.givens.roles import role_of_words, word_of
from symattn.documents.judging.cells import digits_of, grid_of, is_entry, is_literal
from symattn.documents.judging.grids import Entry, Grid, placeless
from symattn.documents.judging.stages import PROJECTIONS, stage_of, stage_of_words
from symattn.documents.reading.chains import read_math
from symattn.documents.reading.code import read_code
from symattn.documents.reading.tree import (
    Blank,
    Bracketed,
    Call,
    Chain,
    Constant,
    Elided,
    Link,
    List,
    Matrix,
    Name,
    Node,
    Number,
    Operation,
    Power,
    Quotient,
    Sum,
    Text,
    Transpose,
    walk,
)
from symattn.documents.reading.value import Infinite, Table, evaluate
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import Decimals

Said = tuple[Chain, Region, str]
Key = tuple[str, ...]
MOST_ROWS: Final = 256
NEAR: Final = 3
"""Units of the last digit that a column may be off and still be told by the column that it comes from."""
LONGEST_LINE: Final = 300
SHORT: Final = 60
"""Characters of words that are a caption and no sentence."""

_GIVEN: Final = (*PROJECTIONS, "X")
_INDEXED: Final = re.compile(r"\s*\$?([A-Za-z])[\s_]*\{?\s*(\d{1,4})\}?\$?\s*")
_DIMENSION: Final = re.compile(
    r"\s*(?:dim(?:ension)?|d|维度?|維度?|차원|次元|f|feature|e|component)?[\s_.-]*\{?\d{1,4}\}?\s*", re.IGNORECASE
)
_SUM: Final = re.compile(
    r"\s*(?:[Σ∑]|sum|sums|row sums?|total|合计|总和|合計|总计|小计|合|сумма|итого|tổng|somme|suma|summe|soma|somma"
    r"|toplam|합계)\s*[:：=]?\s*",
    re.IGNORECASE,
)
_DIVIDED: Final = re.compile(
    r"divid|geteilt|divis|÷|除|делен|делён|раздел|나누|割|chia|/\s*√|/\s*\\sqrt", re.IGNORECASE
)
_SHARE: Final = re.compile(r"\bshare|anteil|доля|доли|占比|比例|비율|割合|tỷ lệ|tỉ lệ|probabilit|概率", re.IGNORECASE)
_DIVISOR: Final = re.compile(r"[÷/]\s*(√\s*(?:\([\w.]+\)|[\w.]+)|\d+(?:\.\d+)?)")
_DOT: Final = re.compile(
    r"dot|скалярн|内积|点积|內積|點積|내적|内積|skalarprodukt|produit scalaire|tích vô hướng", re.IGNORECASE
)
_PRINT: Final = re.compile(r"(?:print|display)\s*\((.*)\)\s*;?\s*$")
_ROUNDED: Final = re.compile(
    r"(?:np\.round|round)\((.*?),\s*(?:decimals=)?\d+\)$|(.*?)\.(?:round|head|to_string)\([^()]*\)$"
)
_CLAUSE: Final = re.compile(r"[.。;；!！?？]\s+(?=\S)|\n")


@dataclass(frozen=True, slots=True)
class Title:
    """What a table is called: the formulas that name it, the words, and whether that is said of this very table."""

    items: tuple[Node, ...] = ()
    words: str = ""
    sure: bool = True


def said_of(grid: Grid, before: Sequence[Region], shown: Collection[Key] = ()) -> tuple[list[Said], bool]:
    """The statements of a grid, and whether the chains in its cells are among them.

    `before` are the regions of the block right before it, `shown` the rows that the document has worked out already:
    a table of nothing else sums up and claims nothing.
    """
    table = _Table(grid, before)
    whole = table.matrix()
    found = whole or list(table.columns())
    return [said for said in found if not _sums_up(said[0], shown)], bool(whole)


def result_key(chain: Chain) -> Key | None:
    """The numbers of a row that a chain ends with, to know them where they stand again; None for anything else.

    >>> from symattn.documents.reading.code import read_code
    >>> result_key(read_code("0.5*[1, 0] + 0.5*[0, 1] = [0.5, 0.5]")[0]), result_key(read_code("q = [1, 0]")[0])
    (('0.5', '0.5'), None)
    """
    return _row_key(chain.items[-1]) if chain.links else None


def _row_key(node: Node) -> Key | None:
    laid = grid_of(node)
    if laid is None or len(laid[0]) != 1 or len(laid[0][0]) < 2:
        return None
    told = tuple("".join(part.text if isinstance(part, Number) else "-" for part in walk(cell)) for cell in laid[0][0])
    return told if any("." in text for text in told) else None  # whole numbers are alike too often


def _sums_up(chain: Chain, shown: Collection[Key]) -> bool:
    """Whether a table names rows that were all worked out before it."""
    whole = chain.items[-1]
    if not isinstance(whole, Matrix) or not shown:
        return False
    return all(_row_key(List(whole.start, whole.end, row)) in shown for row in whole.rows)


@dataclass
class _Column:
    """A column: its header, what its cells say, and what the header names."""

    header: Entry | None
    cells: tuple[Entry, ...]
    name: Node | None = None
    tree: Node | None = None
    stage: str = ""

    @property
    def are_numbers(self) -> bool:
        return all(cell.is_number for cell in self.cells) and any(cell.kind != "blank" for cell in self.cells)

    @property
    def are_lists(self) -> bool:
        return all(isinstance(cell.value, List) for cell in self.cells)


class _Table:
    def __init__(self, grid: Grid, before: Sequence[Region]) -> None:
        self.region = grid.region
        self.before = before
        self.rows = grid.rows
        self.labelled = self._has_labels()
        self.headed = self._has_header()

    # ---- what is beside the numbers

    def _has_labels(self) -> bool:
        first = [row[0] for row in self.rows[1:]]
        if len(self.rows[0]) < 2:
            return False
        if all(cell.header for cell in first) or any(cell.kind == "words" for cell in first):
            return True
        corner = self.rows[0][0]
        return _counted(first) and not corner.is_number and not _names_stage(corner)

    def _has_header(self) -> bool:
        head = self.rows[0][1 if self.labelled else 0 :]
        if any(cell.kind in {"words", "formula"} for cell in head):
            return True
        whole = self.rows[0]
        if self.labelled and not whole[0].text:
            return _counted(head) or all(cell.header for cell in whole)
        if not all(cell.header for cell in whole):
            return False
        # a table in Markdown has to have a header: 1, 2 above decimals count the columns, above 3, 4 they are a row
        decimals = any("." in cell.text or "," in cell.text for row in self.rows[1:] for cell in row)
        return self.labelled or (_counted(head) and decimals)

    @property
    def heads(self) -> tuple[Entry, ...]:
        return self.rows[0][1 if self.labelled else 0 :] if self.headed else ()

    @property
    def corner(self) -> Entry | None:
        return self.rows[0][0] if self.headed and self.labelled else None

    @property
    def labels(self) -> tuple[Entry, ...]:
        return tuple(row[0] for row in self.rows[1 if self.headed else 0 :]) if self.labelled else ()

    @property
    def body(self) -> list[tuple[Entry, ...]]:
        return [row[1 if self.labelled else 0 :] for row in self.rows[1 if self.headed else 0 :]]

    # ---- one matrix

    def matrix(self) -> list[Said]:
        """The table as one matrix, with its sums."""
        body, labels, heads = self.body, list(self.labels), list(self.heads)
        below: tuple[Entry, ...] = ()
        beside: list[Entry] = []
        if labels and len(body) > 2 and _SUM.fullmatch(labels[-1].text):
            below, body, labels = body[-1], body[:-1], labels[:-1]
        if len(heads) > 2 and _SUM.fullmatch(heads[-1].text):
            beside = [row[-1] for row in body]
            body, heads = [row[:-1] for row in body], heads[:-1]
        if not body or not all(cell.is_number for row in body for cell in row):
            return []
        letter = _letter(heads) if _are_dimensions(labels) else ""
        if not letter and self._has_stages(heads, labels):
            return []
        by_rows = _letter(labels) if _are_dimensions(heads) else ""
        title = self._title(letter or by_rows, plain=_alike(heads, labels))
        if title is None:
            return []
        turned = bool(letter) or self._is_turned(heads, labels, title)
        rows = [[cell.node for cell in row if cell.node is not None] for row in body]
        rows = [list(row) for row in zip(*rows, strict=True)] if turned else rows
        out = [self._named(title, rows, heads if turned or not labels else labels)]
        for row, total in zip(body, beside, strict=bool(beside)):
            out += self._sum(row, total, stage="")
        for column, total in zip(zip(*body, strict=True), below, strict=False):
            out += self._sum(column, total, stage="")
        return out

    def _named(self, title: Title, rows: Sequence[Sequence[Node]], labels: Sequence[Entry]) -> Said:
        tokens = tuple(_text(entry) for entry in labels if entry.text and not _is_index(entry.text))
        first, end = rows[0][0], max(cell.end for row in rows for cell in row)
        whole = Matrix(first.start, end, tuple(map(tuple, rows)), labels=tokens if len(tokens) == len(rows) else ())
        return _chain(title.items, whole), self.region, title.words

    def _sum(self, cells: Sequence[Entry], total: Entry, stage: str) -> list[Said]:
        """The sum of cells as it is written beside them."""
        values = [cell.value for cell in cells if cell.kind != "blank"]
        if total.value is None or total.kind == "blank" or len(values) < 2 or any(value is None for value in values):
            return []
        terms = tuple(value for value in values if value is not None)
        tree = _added(terms)
        # exponentials are remembered: their sum may be of the exact ones
        named = Text(0, 0, "sum") if stage == "exponentials" else tree
        return [(_chain((named,), total.value), self.region, "")]

    def _has_stages(self, heads: Sequence[Entry], labels: Sequence[Entry]) -> bool:
        """Whether columns or rows are stages, each for itself."""
        if heads and [head.text.lower() for head in heads] == [label.text.lower() for label in labels]:
            return False
        formulas = [
            head for head in heads if any(not isinstance(c.first, (Name, Text)) for c in head.chains if c.first)
        ]
        if any(not head.is_number for head in formulas):
            return True
        named = [_stage_of_head(head) for head in heads]
        if sum(map(bool, named)) * 2 >= len(named) and any(named):
            return True
        return len({stage for label in labels if (stage := _stage_of_head(label))}) > 1

    def _is_turned(self, heads: Sequence[Entry], labels: Sequence[Entry], title: Title) -> bool:
        """Whether the tokens stand over the columns of a matrix that has them as its rows."""
        if not labels or not heads or not _are_dimensions(labels) or _are_dimensions(heads):
            return False
        return bool(title.items) and stage_of(title.items[0]) in (*_GIVEN, "outputs")

    # ---- what it is called

    def _title(self, letter: str, *, plain: bool) -> Title | None:
        if letter:
            return Title((Name(0, 0, letter.upper()),), "")
        found = self._corner_title() or _title_before(self.before)
        if found is not None:
            return found
        if not plain:
            return None
        heading = self.region.headings[-1] if self.region.headings else ""
        title = _titled(heading, read_code(heading)) if heading else None
        if title is not None and title.items and not isinstance(title.items[0], (Text, Name)):
            return title
        return Title((), heading, sure=False)

    def _corner_title(self) -> Title | None:
        corner = self.corner
        if corner is None or not corner.text or re.search(r"[\\↓→]|\s/\s", corner.text.replace("\\", "")):
            return None
        if len(corner.text) == 1 and corner.text.islower() and corner.text.isascii():
            return None
        found = _formulas(corner.chains)
        if found:
            return Title(found, corner.text)
        stage = stage_of_words(corner.text)
        return Title((Text(0, 0, corner.text),), corner.text) if stage else None

    # ---- columns

    def columns(self) -> Iterator[Said]:
        """Each column that says something, in order."""
        if not self.headed or len(self.rows) > MOST_ROWS:
            return
        heads, body = list(self.rows[0]), [list(row) for row in self.rows[1:]]
        told = [_stage_of_head(label) for label in self.labels]
        if len({stage for stage in told if stage}) > 1 and not any(map(_stage_of_head, heads[1:])):
            whole = [list(row) for row in zip(*([heads, *body]), strict=True)]
            heads, body = whole[0], whole[1:]
        totals: list[Entry] | None = None
        if len(body) > 2 and _SUM.fullmatch(body[-1][0].text):
            totals, body = body[-1], body[:-1]
        known: list[_Column] = []
        words = self._words()
        columns = [
            _column(head, [row[j] for row in body], first=j == 0 and self.labelled) for j, head in enumerate(heads)
        ]
        others = columns[1 if self.labelled else 0 :]
        lone = sum(column.are_lists for column in others) == 1
        for j, column in enumerate(columns):
            if j or not self.labelled:
                found = list(self._column(column, known, words, title=lone))
                yield from found if _speaks(column, others) else ()
                if totals is not None:
                    yield from self._sum(column.cells, totals[j], column.stage)
            known.append(column)

    def _words(self) -> str:
        """The words right before, which may say which row is meant."""
        text = "".join(region.text if region.kind not in {"code", "output"} else "" for region in self.before)
        return _CLAUSE.split(text.strip())[-1][-SHORT:] if text.strip() else ""

    def _column(self, column: _Column, known: list[_Column], words: str, *, title: bool) -> Iterator[Said]:
        if any(cell.kind == "chain" for cell in column.cells):
            return  # each is judged by itself
        if not column.are_numbers and not column.are_lists:
            return
        values = [cell.value for cell in column.cells]
        worked = _worked(column, known)
        if worked is not None:
            column.stage = column.stage or stage_of(column.tree)
            for chain in worked:
                yield chain, self.region, words
            return
        name = column.name
        if name is None and title and column.are_lists:
            found = _title_before(self.before)
            name = found.items[0] if found is not None and found.items else None
        if name is None or (column.are_numbers and not self.labelled):
            return  # numbers that belong to no token are examples of entries
        start, end = _ends(values)
        if column.are_lists:
            rows = tuple(value.items for value in values if isinstance(value, List))
            if len({len(row) for row in rows}) == 1:
                yield _chain((name,), Matrix(start, end, rows)), self.region, words
            return
        items = tuple(value for value in values if value is not None)
        if stage_of(name) in _GIVEN:
            yield _chain((name,), Matrix(start, end, tuple((item,) for item in items))), self.region, words
        else:
            yield _chain((name,), List(start, end, items)), self.region, words


def _speaks(column: _Column, columns: Sequence[_Column]) -> bool:
    """Whether a column of numbers speaks of attention: one word above it is not enough beside other numbers.

    `| model | accuracy | F1 score |` is a table of something else.
    """
    if not isinstance(column.name, Text) or not column.are_numbers:
        return True
    numbers = [other for other in columns if other.are_numbers]
    told = {other.stage for other in columns if other.stage}
    return len(told) > 1 or (len(numbers) == 1 and len(column.name.text.split()) == 1)


# ---- what headers name ---------------------------------------------------------------------------------------------


def _column(head: Entry, cells: Sequence[Entry], *, first: bool) -> _Column:
    tree = next((chain.items[-1] for chain in head.chains if chain.items and not chain.unread), None)
    stage = _stage_of_head(head) or stage_of(tree)
    name: Node | None = tree if isinstance(tree, Name) and (stage or head.math) else None
    role = "" if first else role_of_words(head.text)
    if isinstance(name, Name) and stage_of(name) in _GIVEN:
        name = replace(name, sub="", base=name.base.upper() if name.base in "qkv" else name.base)
    elif isinstance(name, Name) and len(name.sub) == 1:
        name = replace(name, sub="")  # α_i runs over the rows
    elif name is None and role and tree is None:
        name = Name(0, 0, role.split("_")[0], role.partition("_")[2])
    elif name is None and tree is not None and stage and head.math:
        name = tree
    elif name is None and stage:
        name = Text(0, 0, head.text if stage_of_words(head.text) == stage else stage)
    return _Column(head, tuple(cells), name, tree, stage)


def _stage_of_head(head: Entry) -> str:
    """The stage that a header speaks of: by its formula, or by its words; Q1 and K2 are tokens."""
    if _INDEXED.fullmatch(head.text):
        return ""
    for chain in head.chains:
        for item in chain.items:
            if isinstance(item, Name) and not head.math and len(head.text) == 1 and head.text.isascii():
                continue  # a letter may be a token
            stage = stage_of(item)
            if stage:
                return stage
    if head.kind != "words" or _SUM.fullmatch(head.text):
        return ""
    role = role_of_words(head.text) if len(head.text) > 1 else ""
    stage = role or stage_of_words(head.text)
    return stage or ("weights" if _SHARE.search(head.text) else "scores" if _DOT.search(head.text) else "")


def _names_stage(entry: Entry) -> bool:
    return bool(_stage_of_head(entry))


def _letter(entries: Sequence[Entry]) -> str:
    """The Q of Q1, Q2, ...; empty where these are no rows of one given matrix."""
    matches = [_INDEXED.fullmatch(entry.text) for entry in entries]
    found = {match[1].upper() for match in matches if match}
    counted = [int(match[2]) for match in matches if match] == list(range(1, len(entries) + 1))
    return found.pop() if len(found) == 1 and all(matches) and counted and found <= set(_GIVEN) else ""


def _are_dimensions(entries: Sequence[Entry]) -> bool:
    return all(not entry.text or _DIMENSION.fullmatch(entry.text) for entry in entries)


def _is_index(text: str) -> bool:
    return bool(_DIMENSION.fullmatch(text) or _INDEXED.fullmatch(text))


def _alike(heads: Sequence[Entry], labels: Sequence[Entry]) -> bool:
    """Whether what stands around a grid says that it is a matrix: nothing, the same words twice, or indices."""
    if [head.text.lower() for head in heads] == [label.text.lower() for label in labels]:
        return True
    return all(map(_is_index, [entry.text for entry in (*heads, *labels) if entry.text])) or (
        _are_dimensions(heads) and bool(heads)
    )


def _counted(entries: Sequence[Entry]) -> bool:
    """Whether cells count: 1, 2, 3 or 0, 1, 2."""
    told = [entry.text for entry in entries]
    return len(told) > 1 and told in ([str(i) for i in range(len(told))], [str(i + 1) for i in range(len(told))])


def _text(entry: Entry) -> Text:
    return Text(0, 0, word_of(entry.text))


# ---- titles --------------------------------------------------------------------------------------------------------


def _formulas(chains: Sequence[Chain]) -> tuple[Node, ...]:
    """The formulas of a stage among chains, without places; a relation at their end leads to the table."""
    for chain in reversed(chains):
        items = [item for item in chain.items if not isinstance(item, Blank)]
        if not items or chain.unread or any(is_literal(item) or isinstance(item, Operation) for item in items):
            continue
        stages = [stage_of(item) for item in items if any(isinstance(part, Name) for part in walk(item))]
        if any(stage and (not stage.endswith("^T") or isinstance(items[0], Transpose)) for stage in stages):
            return tuple(placeless(item) for item in items)
    return ()


def _titled(text: str, chains: Sequence[Chain]) -> Title | None:
    found = _formulas(chains)
    if found:
        return Title(found, text)
    role = role_of_words(text)
    if role:
        return Title((Name(0, 0, role.split("_")[0], role.partition("_")[2]),), text)
    return Title((Text(0, 0, text),), text) if stage_of_words(text) else None


def _title_before(before: Sequence[Region]) -> Title | None:
    """The title in the paragraph right before, or in the line of code that printed."""
    told = [region for region in before if region.text.strip()]
    if not told:
        return None
    if told[-1].kind == "code":
        return _printed_title(told[-1].text)
    if told[-1].kind in {"output", "table", "heading", "comment"}:
        return None
    text = "".join(region.text for region in told).strip()
    leads = text.rstrip("*_ ").endswith((":", "：", "=")) or told[-1].kind in {"math_inline", "math_display"}
    if not leads and len(text) > SHORT:
        return None
    clause = _CLAUSE.split(text)[-1].strip()
    chains: list[Chain] = []
    for region in told:
        if region.kind in {"math_inline", "math_display"}:
            chains += read_math(region.text) if region.text.strip("$ \n") and region.text.strip() in clause else ()
        elif len(clause) <= SHORT and region is told[-1]:
            chains += read_code(clause.rstrip(":：= ") if len(told) == 1 else region.text.rstrip(":：= \n"))
    return _titled(clause, chains)


def _printed_title(code: str) -> Title | None:
    """What the last line of a program printed: print(scores.round(3))."""
    lines = [line.strip() for line in code.splitlines() if line.strip() and not line.strip().startswith("#")]
    line = lines[-1] if lines else ""
    match = _PRINT.fullmatch(line)
    inner = match[1].strip() if match else line
    if len(inner) > LONGEST_LINE:
        return None
    for _ in range(3):
        rounded = _ROUNDED.fullmatch(inner)
        inner = (rounded[1] or rounded[2]).strip() if rounded else inner
    if "=" in inner or not inner:
        return None
    found = _formulas(read_code(inner))
    if found:
        return Title(found, "")
    if re.fullmatch(r"\w+", inner) and stage_of_words(inner.replace("_", " ")):
        return Title((Text(0, 0, inner.replace("_", " ")),), "")
    return None


# ---- columns worked out from others --------------------------------------------------------------------------------


def _worked(column: _Column, known: Sequence[_Column]) -> list[Chain] | None:
    """The chains of a column whose header is a formula of other columns, or that is a step from the one before it."""
    values = [cell.value for cell in column.cells]
    before = known[-1] if known and _is_formula(known[-1]) else None
    if before is not None and column.are_numbers and (not before.stage or column.stage in {"", before.stage}):
        return [
            _chain((cell.node,), value)
            for cell, value in zip(before.cells, values, strict=True)
            if cell.node is not None and value is not None and not isinstance(value, Blank)
        ]
    tree = column.tree
    if isinstance(tree, (Name, Text)):
        tree = None
    if tree is not None and not isinstance(tree, Operation) and (found := _by_formula(tree, column, known)):
        return found
    numbers = [other for other in known if other.are_numbers]
    if not column.are_numbers or not numbers:
        return None
    if isinstance(tree, Operation) or (column.header is not None and _DIVIDED.search(column.header.text)):
        return _by_operation(column, numbers)
    numbers = [other for other in numbers if other.stage or (other.header is not None and other.header.math)]
    return _by_step(column, numbers)


def _is_formula(column: _Column) -> bool:
    """Whether the cells are workings: 3.32/5.46."""
    return all(cell.kind in {"formula", "number"} for cell in column.cells) and any(
        cell.kind == "formula" or isinstance(cell.node, Quotient) for cell in column.cells
    )


def _by_formula(tree: Node, column: _Column, known: Sequence[_Column]) -> list[Chain] | None:
    """The header's formula with the cells of each row in the place of the columns that it names."""
    numbers = [other for other in known if other.are_numbers and not any(cell.kind == "blank" for cell in other.cells)]
    lists: dict[Any, Node] = {key: _listed(other) for other in numbers for key, _ in _keys(other, 0)}
    made, changed = _put(tree, lists)
    if changed and stage_of(tree) == "exponentials" and column.are_numbers:
        return _listed_chain(column, (made,))
    chains = []
    for i, cell in enumerate(column.cells):
        put = {key: value for other in known for key, value in _keys(other, i)}
        made, changed = _put(tree, put)
        if not changed:
            return None
        if cell.value is not None and not isinstance(cell.value, (Blank, Elided)):
            chains.append(_chain((made,), cell.value))
    return chains


def _keys(column: _Column, i: int) -> Iterator[tuple[Any, Node]]:
    value = column.cells[i].value
    if value is None or isinstance(value, (Blank, Elided)):
        return
    shown: Node = value
    if column.tree is not None:
        yield placeless(column.tree), shown
        if isinstance(column.tree, Name) and len(column.tree.sub) <= 1:
            yield column.tree.base + "'" * column.tree.primes, shown
    elif column.name is not None and isinstance(column.name, Name):
        yield column.name.base, shown
    if column.header is not None and column.header.text:
        yield column.header.text.lower(), shown


def _put(node: Node, put: dict[Any, Node]) -> tuple[Node, bool]:
    """A formula with values in the places of what is named, and whether any was put."""
    found = put.get(placeless(node)) if not isinstance(node, (Number, Constant)) else None
    if found is None and isinstance(node, Name) and len(node.sub) <= 1:
        base = node.base + "'" * node.primes
        found = put.get(base) or put.get(base.upper() if base in "qkv" else base)
    if found is None and isinstance(node, Text):
        found = put.get(node.text.lower())
    if found is not None:
        negative = not isinstance(found, (Number, List))
        return (Bracketed(found.start, found.end, found) if negative else found), True
    changed: dict[str, Any] = {}
    for one in fields(node):
        old = getattr(node, one.name)
        if isinstance(old, Node):
            new, did = _put(old, put)
        elif isinstance(old, tuple) and any(isinstance(item, Node) for item in old):
            pairs = [_put(item, put) if isinstance(item, Node) else (item, False) for item in old]
            new, did = tuple(item for item, _ in pairs), any(did for _, did in pairs)  # type: ignore[assignment]
        else:
            continue
        if did:
            changed[one.name] = new
    return (replace(node, **changed), True) if changed else (node, False)


def _by_operation(column: _Column, numbers: Sequence[_Column]) -> list[Chain] | None:
    """A column divided by something: ÷ 2, divided by √3."""
    assert column.header is not None  # noqa: S101
    chains = column.header.chains
    below: Node | None = None
    divisor = _DIVISOR.search(column.header.text)
    if isinstance(column.tree, Operation) and column.tree.sign == "/":
        below = column.tree.operand
    elif divisor is not None and not _formula_in(divisor[1]):
        return None
    elif divisor is not None:
        below = placeless(_formula_in(divisor[1])[0])
    elif chains and not chains[-1].unread:
        below = chains[-1].items[-1] if chains[-1].items else None
        below = below.below if isinstance(below, Quotient) else below
    if below is None or isinstance(below, Operation):
        return None
    column.stage = "scaled_scores"
    source = _listed(numbers[-1])
    tree = Quotient(source.start, source.end, source, below)
    return _listed_chain(column, (tree,))


def _by_step(column: _Column, numbers: Sequence[_Column]) -> list[Chain] | None:
    """Exponentials and weights from a column before them, where at least half of the numbers come out so."""
    if column.stage not in {"exponentials", "weights"}:
        return None
    for other in reversed(numbers):
        source = _listed(other)
        tree: Node
        if any(isinstance(item, (Blank, Elided)) for item in source.items):
            continue
        if column.stage == "exponentials":
            tree = Power(source.start, source.end, Constant(source.start, source.start, "e"), source)
        elif other.stage == "exponentials":
            terms = _added(source.items)
            tree = Quotient(source.start, source.end, source, Bracketed(source.start, source.end, terms))
        else:
            tree = Call(source.start, source.end, "softmax", (source,))
        if _fits(tree, column):
            named = (column.name,) if column.name is not None and column.stage == "weights" else ()
            return _listed_chain(column, (*named, tree))
    return None


def _added(terms: Sequence[Node]) -> Sum:
    return Sum(terms[0].start, terms[-1].end, tuple(terms), tuple("+" for _ in terms))


def _formula_in(text: str) -> tuple[Node, ...]:
    """The one formula that a text is, if it is one."""
    return tuple(c.first for c in read_code(text) if c.first is not None and not c.links and not c.unread)[:1]


def _fits(tree: Node, column: _Column) -> bool:
    try:
        value = evaluate(tree, {})
    except (ShapeError, UndecidedError):
        return False
    if not isinstance(value, Table) or len(value.rows[0]) != len(column.cells):
        return False
    right = told = 0
    decimals = Decimals(1 << 10)
    for cell, exact in zip(column.cells, value.rows[0], strict=True):
        digits = digits_of(cell.value) if cell.value is not None and is_entry(cell.value) else None
        if digits is None or isinstance(exact, Infinite):
            continue
        told += 1
        try:
            right += abs(judge(exact, digits, decimals).expected.units - digits.units) <= NEAR
        except UndecidedError:
            return False
    return told > 0 and right * 2 >= told


def _listed(column: _Column) -> List:
    items = tuple(cell.value for cell in column.cells if cell.value is not None)
    start, end = _ends(items)
    return List(start, end, items)


def _listed_chain(column: _Column, items: tuple[Node, ...]) -> list[Chain]:
    return [_chain(items, _listed(column))]


def _ends(values: Sequence[Node | None]) -> tuple[int, int]:
    found = [value for value in values if value is not None]
    return min(value.start for value in found), max(value.end for value in found)


def _chain(items: Sequence[Node], result: Node) -> Chain:
    """Items and a result, joined by equals signs; a result alone stands alone."""
    if not items:
        return Chain(result.start, result.end, result)
    links = tuple(Link(result.start, result.start, "=", item) for item in (*items[1:], result))
    return Chain(result.start, result.end, items[0], links)
