"""What tables of numbers say: a grid under a name is a matrix, columns under the names of stages are those stages.

Arrives: the grid of a table and the regions right before it. Leaves: chains, each with its region and the words that
speak of it. A column whose header is a formula of another column is worked out from it; a last row or column of sums
is the sum of what it stands by.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from flint import fmpq

from symattn.documents.formats.document import Region
from symattn.documents.givens.roles import role_of_words
from symattn.documents.judging.cells import grid_of
from symattn.documents.judging.stages import GIVEN, PROJECTIONS, stage_of, stage_of_words
from symattn.documents.judging.tabular.derived import added_up, both, chain_of, ends_of, groups_of, shown_in, worked_out
from symattn.documents.judging.tabular.grids import Entry, Grid
from symattn.documents.judging.tabular.headers import (
    INDEXED,
    SUM,
    VECTORS,
    Column,
    are_alike,
    are_counted,
    are_dimensions,
    are_shares,
    column_of,
    is_index,
    letter_of,
    names_stage,
    stage_of_head,
    text_of,
)
from symattn.documents.judging.tabular.titles import CLAUSE, SHORT, Title, formulas_of, title_before, titled
from symattn.documents.reading.code import read_code
from symattn.documents.reading.tree import (
    Chain,
    List,
    Matrix,
    Name,
    Node,
    Number,
    Text,
    walk,
)

Said = tuple[Chain, Region, str]
Key = tuple[str, ...]
MOST_ROWS: Final = 256
_LETTER: Final = re.compile(r"(?<![^\W_])(?:W[_^]?\{?)?[QKVXSAO](?![^\W_]{2})")
_KEY: Final = re.compile(r"key|schlüssel|clave|clés?\b|chave|chiave|ключ|키|キー|键|鍵|khóa|\bk\b", re.IGNORECASE)
_QUERY: Final = re.compile(
    r"query|queries|anfrage|consulta|requête|запрос|쿼리|クエリ|查询|查詢|truy vấn|\bq\b", re.IGNORECASE
)
_ELSEWHERE: Final = re.compile(
    r"another|\bother|different|trained|learne?[dt]|\b(?:BERT|GPT|T5|Llama)|ander(?:e[nrsm]?|swo)\b|trainiert|gelernt|autre"
    r"|appris|\botr[oa]s?\b|outr[oa]|друг|обучен|另一|其他|别的|別の|다른|khác",
    re.IGNORECASE,
)
"""Words before a table that is of no concern here."""
_BETWEEN: Final = re.compile(r"[\\/|↓→]")


def said_of(
    grid: Grid, before: Sequence[Region], shown: Collection[Key] = (), *, columns: bool = False
) -> tuple[list[Said], bool]:
    """The statements of a grid, and whether the chains in its cells are among them.

    `before` are the regions of the block right before it, `shown` the rows that the document has worked out already:
    a table of nothing else sums up and claims nothing. `columns` says that the tokens of its matrices are columns.
    """
    table = _Table(grid, before, columns=columns)
    whole = table.matrix()
    found = whole or list(table.columns())
    return [said for said in found if not _sums_up(said[0], shown)], bool(whole)


def _are_asked(heads: Sequence[Entry], labels: Sequence[Entry]) -> bool:
    """Whether the columns are keys and the rows queries."""
    keys = len(heads) > 1 and all(_KEY.search(head.text) for head in heads)
    return keys and bool(labels) and all(_QUERY.search(label.text) for label in labels)


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


_KEY_OF: Final = re.compile(r"(?:[a-zA-Z]\s*,?\s*)?(\d{1,2})")
"""The indices of a key under any query: i1, i,2, or 1 where each row is a query."""


def _name_of(head: Entry) -> Name:
    """The name that a header is, one without a letter where it is none."""
    names = formulas_of(head.chains)
    return names[0] if len(names) == 1 and isinstance(names[0], Name) else Name(0, 0, "")


_POWER: Final = re.compile(r"\s*(?:e\s*(?:\^|\*\*)|\\?exp\b)", re.IGNORECASE)


class _Table:
    def __init__(self, grid: Grid, before: Sequence[Region], *, columns: bool) -> None:
        self.columnwise = columns
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
        named = names_stage(corner) and (corner.math or role_of_words(corner.text) not in {"Q", "K"})
        return are_counted(first) and not corner.is_number and not named

    def _has_header(self) -> bool:
        head = self.rows[0][1 if self.labelled else 0 :]
        if any(cell.kind in {"words", "formula"} for cell in head):
            return True
        whole = self.rows[0]
        if self.labelled and not whole[0].text:
            return are_counted(head) or all(cell.header for cell in whole)
        if not all(cell.header for cell in whole):
            return False
        # a table in Markdown has to have a header: 1, 2 above decimals count the columns, above 3, 4 they are a row
        decimals = any("." in cell.text or "," in cell.text for row in self.rows[1:] for cell in row)
        return self.labelled or (are_counted(head) and decimals)

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
        if labels and len(body) > 2 and SUM.fullmatch(labels[-1].text):
            below, body, labels = body[-1], body[:-1], labels[:-1]
        if len(heads) > 2 and SUM.fullmatch(heads[-1].text):
            beside = [row[-1] for row in body]
            body, heads = [row[:-1] for row in body], heads[:-1]
        if not body or not all(cell.is_number for row in body for cell in row):
            return []
        if (
            len(heads) > 1
            and all(_POWER.match(head.text) for head in heads)
            and not any(head.is_number for head in heads)
        ):
            rows = [[cell.node for cell in row if cell.node is not None] for row in body]
            said = self._named(Title((Text(0, 0, "exp"),)), rows, labels)
            return [said, *self._sums(body, beside, below)]
        letter = letter_of(heads) if are_dimensions(labels) else ""
        asked = _are_asked(heads, labels)
        if not letter and not asked and self._has_stages(heads, labels):
            return []
        by_rows = letter_of(labels) if are_dimensions(heads) else ""
        title = self._title(letter or by_rows, plain=asked or are_alike(heads, labels))
        if title is None:
            return []
        turned = bool(letter) or self._is_turned(heads, labels, title) or self._asks_downwards()
        turned = turned and not self.columnwise
        rows = [[cell.node for cell in row if cell.node is not None] for row in body]
        rows = [list(row) for row in zip(*rows, strict=True)] if turned else rows
        said = self._named(title, rows, heads if turned or not labels else labels)
        return [said, *self._sums(body, beside, below)]

    def _sums(self, body: Sequence[Sequence[Entry]], beside: Sequence[Entry], below: Sequence[Entry]) -> Iterator[Said]:
        """The sums of the rows and of the columns."""
        for row, total in zip(body, beside, strict=bool(beside)):
            yield from self._sum(row, total)
        for column, total in zip(zip(*body, strict=True), below, strict=False):
            yield from self._sum(column, total)

    def _named(self, title: Title, rows: Sequence[Sequence[Node]], labels: Sequence[Entry]) -> Said:
        tokens = tuple(text_of(entry) for entry in labels if entry.text and not is_index(entry.text))
        first, end = rows[0][0], max(cell.end for row in rows for cell in row)
        whole = Matrix(first.start, end, tuple(map(tuple, rows)), labels=tokens if len(tokens) == len(rows) else ())
        return chain_of(title.items, whole), self.region, title.words

    def _sum(self, cells: Sequence[Entry], total: Entry, column: Column | None = None) -> list[Said]:
        """The sum of cells as it is written beside them."""
        values = [cell.value for cell in cells if cell.kind != "blank"]
        if total.value is None or total.kind == "blank" or len(values) < 2 or any(value is None for value in values):
            return []
        if column is not None and column.worked and not column.formulas and not _is_told(cells, total):
            return []
        made = added_up([value for value in values if value is not None])
        behind = added_up(shown_in(column, behind=True)) if column is not None and column.formulas else made
        # exponentials are remembered: their sum may be of the exact ones
        named = (Text(0, 0, "sum"),) if column is not None and column.stage == "exponentials" else ()
        return [(chain_of((*named, *both(behind, made)), total.value), self.region, "")]

    def _has_stages(self, heads: Sequence[Entry], labels: Sequence[Entry]) -> bool:
        """Whether columns or rows are stages, each for itself."""
        if heads and [head.text.lower() for head in heads] == [label.text.lower() for label in labels]:
            return False
        formulas = [
            head for head in heads if any(not isinstance(c.first, (Name, Text)) for c in head.chains if c.first)
        ]
        if any(not head.is_number for head in formulas):
            return True
        named = [stage_of_head(head) for head in heads]
        if sum(map(bool, named)) * 2 >= len(named) and any(named):
            return True
        return len({stage for label in labels if (stage := stage_of_head(label))}) > 1

    def _is_turned(self, heads: Sequence[Entry], labels: Sequence[Entry], title: Title) -> bool:
        """Whether the tokens stand over the columns of a matrix that has them as its rows."""
        if not labels or not heads or not are_dimensions(labels) or are_dimensions(heads):
            return False
        return bool(title.items) and stage_of(title.items[0]) in (*VECTORS, "outputs")

    def _asks_downwards(self) -> bool:
        """Whether the corner says that the keys stand before the rows: key ↓ query →."""
        text = self.corner.text if self.corner is not None else ""
        key, query = _KEY.search(text), _QUERY.search(text)
        return bool(key and query and key.start() < query.start() and _BETWEEN.search(text))

    # ---- what it is called

    def _title(self, letter: str, *, plain: bool) -> Title | None:
        if letter:
            return Title((Name(0, 0, letter.upper()),), "")
        found = self._corner_title() or title_before(self.before)
        if found is not None and _ELSEWHERE.search(found.words):
            return Title((), "", sure=False)
        if found is not None and (plain or _is_formula(found) or are_dimensions(self.labels)):
            return found
        if not plain:  # rows and columns of other words: whatever it is called, what fits says what it is
            return Title((), "", sure=False) if found is not None else None
        heading = self.region.headings[-1] if self.region.headings else ""
        title = titled(heading, read_code(heading)) if heading else None
        first = title.items[0] if title is not None and title.items else None
        named = isinstance(first, Text) or (isinstance(first, Name) and not self._stands_right_under(first))
        if title is not None and first is not None and not named:
            return title
        return Title((), heading, sure=False)

    def _stands_right_under(self, name: Name) -> bool:
        """Whether nothing stands between the table and a heading that names what is given: a section may hold more."""
        told = [region for region in self.before if region.text.strip()]
        return bool(told) and told[-1].kind == "heading" and stage_of(name) in (*GIVEN, *PROJECTIONS)

    def _corner_title(self) -> Title | None:
        corner = self.corner
        if corner is None or not corner.text or re.search(r"[\\↓→]|\s/\s", corner.text.replace("\\", "")):
            return None
        if len(corner.text) == 1 and corner.text.islower() and corner.text.isascii():
            return None
        found = formulas_of(corner.chains)
        if found:
            return Title(found, corner.text)
        stage = stage_of_words(corner.text)
        return Title((Text(0, 0, corner.text),), corner.text) if stage else None

    # ---- columns

    def columns(self) -> Iterator[Said]:
        """Each column that says something, in order."""
        if not self.headed or len(self.rows) > MOST_ROWS:
            return
        heads, *body = self._steps_as_columns()
        totals: Sequence[Entry | None] | None = None
        if len(body) > 2 and (totals := _totals(body)) is not None:
            body = body[:-1]
        groups = self._groups(heads, body)
        if groups:
            yield from groups
            return
        words = self._words()
        run, at = self._run_of_keys(heads, body)
        yield from run
        heads, body = [*heads[: at[0]], *heads[at[1] :]], [[*row[: at[0]], *row[at[1] :]] for row in body]
        if totals is not None:
            totals = [*totals[: at[0]], *totals[at[1] :]]
        columns = [
            column_of(head, [row[j] for row in body], first=j == 0 and self.labelled) for j, head in enumerate(heads)
        ]
        others = columns[1 if self.labelled else 0 :]
        lone = sum(column.are_lists for column in others) == 1
        worked: list[list[Chain] | None] = []
        for j, column in enumerate(others, len(columns) - len(others)):
            column.total = totals[j] if totals is not None else None
            worked.append(_worked(column, columns[:j]))
        for column, chains in zip(others, worked, strict=True):
            if chains is not None:
                yield from ((chain, self.region, words) for chain in chains)
            elif _speaks(column, others):
                yield from self._column(column, columns, words, title=lone)
            if column.total is not None and _adds_up(column, others):
                yield from self._sum(column.cells, column.total, column)

    def _steps_as_columns(self) -> list[list[Entry]]:
        """The rows of the table, turned where its rows are the steps."""
        told = {stage for label in self.labels if (stage := stage_of_head(label))}
        over = {stage_of_head(head) for head in self.heads} - {""}
        if len(told) > 1 and (not over or over in ({"K"}, {"V"})):  # first key, second key: the rows are the steps
            return [list(row) for row in zip(*self.rows, strict=True)]
        return [list(row) for row in self.rows]

    def _groups(self, heads: Sequence[Entry], body: Sequence[Sequence[Entry]]) -> list[Said]:
        """The matrices of a table with the headers q1, q2, k1, k2: one for each letter."""
        spanned = self._spanned(heads, body)
        if spanned:
            return spanned
        starts = [j for j, head in enumerate(heads) if (found := INDEXED.fullmatch(head.text)) and found[2] == "1"]
        parts = [(letter_of(heads[a:b]), a, b) for a, b in pairwise([*starts, len(heads)])]
        if len(parts) < 2 or not all(letter for letter, _, _ in parts) or starts[0] != int(self.labelled):
            return []
        if len({letter for letter, _, _ in parts}) < len(parts):
            return []
        turned = are_dimensions([row[0] for row in body]) if self.labelled else False
        out = []
        for letter, a, b in parts:
            rows = [[cell.node for cell in row[a:b] if cell.kind == "number" and cell.node is not None] for row in body]
            if any(len(row) < b - a for row in rows):
                return []
            rows = [list(row) for row in zip(*rows, strict=True)] if turned else rows
            out.append(self._named(Title((Name(0, 0, letter),)), rows, () if turned else [row[0] for row in body]))
        return out

    def _run_of_keys(
        self, heads: Sequence[Entry], body: Sequence[Sequence[Entry]]
    ) -> tuple[list[Said], tuple[int, int]]:
        """The matrix under the headers α_{i1}, α_{i2}, ..., and where its columns stand; none is an empty place."""
        found = [(name, _KEY_OF.fullmatch(name.sub)) for head in heads for name in (_name_of(head),)]
        at = next((j for j, (_, match) in enumerate(found) if match is not None and match[1] == "1"), None)
        if at is None:
            return [], (0, 0)
        end = at
        while end < len(found) and (match := found[end][1]) is not None and match[1] == str(end - at + 1):
            end += 1
        rows = [[cell.node for cell in row[at:end] if cell.is_number and cell.node is not None] for row in body]
        bases = {name.base for name, _ in found[at:end]}
        if found[at][0].sub == "1" and (not self.labelled or stage_of(found[at][0]) in (*VECTORS, "outputs", "")):
            return [], (0, 0)
        if end - at < 2 or len(bases) > 1 or any(len(row) < end - at for row in rows):
            return [], (0, 0)
        labels = [row[0] for row in body] if self.labelled else []
        name = found[at][0]
        return [self._named(Title((replace(name, sub=""),)), rows, labels)], (at, end)

    def _spanned(self, heads: Sequence[Entry], body: Sequence[Sequence[Entry]]) -> list[Said]:
        """The matrices of a table whose headers span several columns: | word | x | | |."""
        starts = [j for j in range(int(self.labelled), len(heads)) if heads[j].text]
        parts = [(formulas_of(heads[a].chains), a, b) for a, b in pairwise([*starts, len(heads)])]
        if not parts or starts[0] != int(self.labelled) or any(b - a < 2 or len(names) != 1 for names, a, b in parts):
            return []
        rows = [[[cell.node for cell in row[a:b] if cell.is_number and cell.node] for row in body] for _, a, b in parts]
        whole = all(len(row) == b - a for table, (_, a, b) in zip(rows, parts, strict=True) for row in table)
        if not whole or any(stage_of(names[0]) not in VECTORS for names, _, _ in parts):
            return []
        labels = [row[0] for row in body] if self.labelled else []
        return [self._named(Title(names), table, labels) for table, (names, _, _) in zip(rows, parts, strict=True)]

    def _words(self) -> str:
        """The words right before, which may say which row is meant."""
        text = "".join(region.text if region.kind not in {"code", "output"} else "" for region in self.before)
        return CLAUSE.split(text.strip())[-1][-SHORT:] if text.strip() else ""

    def _column(self, column: Column, columns: Sequence[Column], words: str, *, title: bool) -> Iterator[Said]:
        if not _is_read(column):
            return
        values = [cell.value for cell in column.cells]
        name = column.name
        if name is None and title and column.are_lists:
            found = title_before(self.before)
            name = found.items[0] if found is not None and found.items else None
        if column.are_numbers and stage_of(name) in VECTORS and not isinstance(column.tree, Name):
            name = name if any(other.worked for other in columns) else None  # | key | value |: settings
        if name is None or (column.are_numbers and not self.labelled):
            return  # numbers that belong to no token are examples of entries
        start, end = ends_of(values)
        if column.are_lists:
            rows = tuple(value.items for value in values if isinstance(value, List))
            if len({len(row) for row in rows}) == 1:
                yield chain_of((name,), Matrix(start, end, rows)), self.region, words
        elif stage_of(name) in VECTORS:
            single = tuple((value,) for value in values if value is not None)
            yield chain_of((name,), Matrix(start, end, single)), self.region, words
        else:
            told = name.text if isinstance(name, Text) and not _is_sure(column, columns) else ""
            each = [tuple(value for value in values[part] if value) for part in groups_of(column, columns[0])]
            whole = List(start, end, each[0]) if len(each) == 1 else Matrix(start, end, tuple(each))
            if len({len(row) for row in each}) == 1:
                yield chain_of(() if told else (name,), whole), self.region, told or words


def _totals(body: Sequence[Sequence[Entry]]) -> Sequence[Entry | None] | None:
    """The last row where it stands under the others: sums by its label, or beside blanks the sums of its columns."""
    *rows, found = body
    if SUM.fullmatch(found[0].text):
        return found
    full = [j for j in range(1, len(found)) if all(row[j].value is not None and row[j].kind != "blank" for row in rows)]
    blank = [j for j in full if found[j].kind == "blank"]
    if not blank or len(blank) == len(full):
        return None
    if stage_of_head(found[0]) == "outputs":
        return found
    told = [cell if _adds([row[j] for row in rows], cell) else None for j, cell in enumerate(found)]
    return told if any(told) else None


def _adds(cells: Sequence[Entry], total: Entry) -> bool:
    """Whether a number is near the sum of others: within half a unit of the last digit of each."""
    found = _off(cells, total)
    return found is not None and found[0] <= found[1] + found[2]


def _is_told(cells: Sequence[Entry], total: Entry) -> bool:
    """Whether the sum of rounded numbers tells if a total is right: it is, or it is too far off."""
    found = _off(cells, total)
    return found is not None and not found[1] < found[0] <= found[1] + found[2]


def _off(cells: Sequence[Entry], total: Entry) -> tuple[fmpq, fmpq, fmpq] | None:
    """How far a number is from the sum of others, half a unit of its own last digit, and those of the others."""
    numbers = [cell.value for cell in cells]
    given = total.value
    if not isinstance(given, Number) or given.digits is None:
        return None
    told = [one for one in numbers if isinstance(one, Number) and one.digits is not None]
    if len(told) < len(cells) or len(told) < 2:
        return None
    halves = [fmpq(1, 2) * fmpq(10) ** -one.digits.places for one in (given, *told) if one.digits is not None]
    return abs(sum((one.value for one in told), -given.value)), halves[0], sum(halves[1:], fmpq(0))


def _is_read(column: Column) -> bool:
    """Whether a column says one kind of thing; chains in its cells are each judged by themselves."""
    return (column.are_numbers or column.are_lists) and not any(cell.kind == "chain" for cell in column.cells)


def _worked(column: Column, known: Sequence[Column]) -> list[Chain] | None:
    """What a column is worked out from; its stage is known then."""
    found = worked_out(column, known) if _is_read(column) else None
    if found is not None:
        column.worked = True
        column.stage = column.stage or stage_of(column.tree)
    return found


def _speaks(column: Column, columns: Sequence[Column]) -> bool:
    """Whether a column of numbers speaks of attention: one word above it is not enough beside other numbers.

    `| model | accuracy | F1 score |` is a table of something else.
    """
    if not isinstance(column.name, Text) or not column.are_numbers:
        return True
    numbers = [other for other in columns if other.are_numbers]
    if any(other.worked for other in numbers):
        return True
    return len(column.name.text.split()) == 1 and (len(numbers) == 1 or any(map(_are_weights, columns)))


def _is_sure(column: Column, others: Sequence[Column]) -> bool:
    """Whether a word above numbers says for certain what they are: in a table that works something out.

    Scores may still be of another query or example: what fits says what they are.
    """
    return column.stage != "scores" and any(other.worked for other in others)


def _is_formula(title: Title) -> bool:
    """Whether a formula or a letter names a table, no word that may mean something else."""
    said = f" {title.words} "
    return not any(isinstance(item, Text) for item in title.items) and (not title.words or bool(_LETTER.search(said)))


def _are_weights(column: Column) -> bool:
    return column.stage == "weights" and are_shares(column)


def _adds_up(column: Column, columns: Sequence[Column]) -> bool:
    """Whether a last row of totals is the sum of this column: in a table that speaks of attention."""
    return column.are_lists or column.stage == "exponentials" or any(other.worked for other in columns)
