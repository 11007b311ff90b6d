"""What a document gives: matrices, vectors and d_k under their names, however they are written.

Arrives: chains of a document with the words before them, and tables. Leaves: `Given`s in the order of the document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from flint import fmpq

from symattn.attention.spec_toml import plain
from symattn.documents.formats.document import Cell, Document, Place, Region
from symattn.documents.literals import chains_of, uses_decimal_comma
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.tree import (
    Bracketed,
    Call,
    Chain,
    Constant,
    Indexed,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Number,
    Operation,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Text,
    Transpose,
    walk,
)
from symattn.documents.reading.value import evaluate
from symattn.errors import SymattnError
from symattn.numbers.reader import read_number

Entry = int | fmpq | str
Rows = tuple[tuple[Entry, ...], ...]

_LETTERS: Final = {"q": "Q", "k": "K", "v": "V", "query": "Q", "key": "K", "value": "V", "queries": "Q", "keys": "K",
                   "values": "V"}  # fmt: skip
_WORDS: Final = {
    **_LETTERS, "x": "X", "input": "X", "inputs": "X", "embedding": "X", "embeddings": "X", "emb": "X",
    "input matrix": "X", "token embeddings": "X", "input embeddings": "X", "query matrix": "Q", "key matrix": "K",
    "value matrix": "V", "输入": "X", "输入矩阵": "X", "嵌入": "X", "词嵌入": "X", "查询": "Q", "键": "K", "值": "V",
    "査询": "Q", "查询矩阵": "Q", "键矩阵": "K", "值矩阵": "V", "輸入": "X", "輸入矩陣": "X", "查詢": "Q", "鍵": "K", "值矩陣": "V",
}  # fmt: skip
_SAID: Final = (
    ("W_Q", r"\bW\s?[_^]?\{?[Qq](?:uery)?\b|query (?:weight|projection)|查询权重"),
    ("W_K", r"\bW\s?[_^]?\{?[Kk](?:ey)?\b|key (?:weight|projection)|键权重"),
    ("W_V", r"\bW\s?[_^]?\{?[Vv](?:alue)?\b|value (?:weight|projection)|值权重"),
    ("Q", r"(?<![\w_^{])Q(?![\w·*^×])|\bquer(?:y|ies)\b|查询|查詢|запрос|쿼리|クエリ|truy vấn|requête|consulta"),
    ("K", r"(?<![\w_^{])K(?![\w·*^×])|\bkeys?\b|键|鍵|ключ|키|キー|khóa|clés?\b|clave"),
    ("V", r"(?<![\w_^{])V(?![\w·*^×])|\bvalues?\b|值|значени|밸류|バリュー|giá trị|valeur|valor"),
    ("X", r"(?<![\w_^{])X(?![\w·*^×])|embedding|\binputs?\b|嵌入|输入|輸入|эмбеддинг|임베딩|埋め込み|입력"),
)
_PATTERNS: Final = tuple((role, re.compile(pattern, re.IGNORECASE)) for role, pattern in _SAID)
_INDEXED: Final = re.compile(r"\s*([A-Za-z])[\s_]*\{?\s*(\d{1,4}|[A-Za-z]\w*)\}?\s*$")
_DIMENSION: Final = re.compile(r"\s*(?:dim|d|维|維|차원|dimension|f|feature|e)?[\s_.-]*\d{1,4}\s*$", re.IGNORECASE)
MAX_ENTRIES: Final = 250_000


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


def role_of(node: Node | None) -> tuple[str, str]:
    r"""The role that a name stands for, and its index or head; two empty texts for another name.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [role_of(read_chain(text).first) for text in ("W^Q", r"\mathbf{q}_2", r"\text{Keys}", "d_k", "S", "W_1^V")]
    [('W_Q', ''), ('Q', '2'), ('K', ''), ('d_k', ''), ('', ''), ('W_V', '1')]
    """
    if isinstance(node, Bracketed):
        return role_of(node.inner)
    if isinstance(node, Indexed):
        role, index = role_of(node.inner)
        return (role, node.sub) if role and not index else ("", "")
    if isinstance(node, Text):
        return _WORDS.get(node.key.lower(), ""), ""
    if not isinstance(node, Name) or node.accent:
        return "", ""
    scripts = [part.strip("()") for part in (node.sup, node.sub) if part]
    base = node.base
    if base in ("W", "w"):
        return _weight(scripts)
    if base == "d":
        return ("d_k", "") if [part.lower() for part in scripts] in (["k"], ["head"], ["key"], ["q"]) else ("", "")
    role = base if base in ("Q", "K", "V", "X") else _LETTERS.get(base, "") if len(base) == 1 else ""
    role = role or ("X" if base in ("x", "E") else _WORDS.get(base.lower(), "") if len(base) > 1 else "")
    if not role or len(scripts) > 1:
        return "", ""
    index = scripts[0] if scripts else ""
    return (role, "" if index.lower() in ("in", "input", "emb", "0:", "matrix") else index)


def _weight(scripts: Sequence[str]) -> tuple[str, str]:
    roles = [_LETTERS[part.lower()] for part in scripts if part.lower() in _LETTERS]
    heads = [part for part in scripts if part.lower() not in _LETTERS]
    return (f"W_{roles[0]}", "".join(heads)) if len(roles) == 1 and len(heads) < 2 else ("", "")


def role_of_words(text: str) -> str:
    """The one role that words speak of; empty where there is none, or more than one.

    >>> role_of_words("the query matrix:"), role_of_words("Q and K"), role_of_words("W_Q"), role_of_words("QK^T")
    ('Q', '', 'W_Q', '')
    """
    found = {role for role, pattern in _PATTERNS if pattern.search(text)}
    weights = found & {"W_Q", "W_K", "W_V"}
    found = weights or found
    return found.pop() if len(found) == 1 else ""


# values


def table_of(node: Node) -> tuple[Rows, bool] | None:
    """The entries of a matrix or a list that is written out, and whether it is a list; None for all else."""
    if isinstance(node, Bracketed):
        return table_of(node.inner)
    if isinstance(node, Transpose):
        inner = table_of(node.inner)
        return None if inner is None else (turned(inner[0]), False)
    if isinstance(node, List) and node.delimiters != "{}":
        cells: tuple[tuple[Node, ...], ...] = (node.items,)
    elif isinstance(node, Matrix):
        cells = node.rows
    else:
        return None
    if not cells or not cells[0] or len(cells) * len(cells[0]) > MAX_ENTRIES:
        return None
    rows = []
    for row in cells:
        entries = [entry_of(cell) for cell in row]
        if any(entry is None for entry in entries):
            return None
        rows.append(tuple(entry for entry in entries if entry is not None))
    return tuple(rows), isinstance(node, List)


def turned(rows: Rows) -> Rows:
    """The transpose.

    >>> turned(((1, 2),))
    ((1,), (2,))
    """
    return tuple(zip(*rows, strict=True))


def entry_of(node: Node) -> Entry | None:
    r"""A number, root or letter as a spec takes it; None for what is none.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [entry_of(read_chain(text).first) for text in ("0.50", r"\frac{1}{3}", r"-\sqrt{2}", "a", r"-\infty")]
    [1/2, '1/3', '-(sqrt(2))', 'a', None]
    """
    if isinstance(node, Chain):
        return entry_of(node.items[-1]) if node.items else None
    if isinstance(node, Number):
        return plain(node.value)  # type: ignore[return-value]
    try:
        value = evaluate(node, {})
        if isinstance(value, fmpq):
            return plain(value)  # type: ignore[return-value]
    except SymattnError:
        pass
    text = _spelled(node)
    try:
        if text is not None:
            read_number(text)
    except SymattnError:
        return None
    return text


def _spelled(node: Node) -> str | None:
    """A formula in the grammar of a spec's values."""
    parts: list[str | None]
    if isinstance(node, Number):
        return f"{node.value.p}/{node.value.q}"
    if isinstance(node, Constant):
        return node.name
    if isinstance(node, Name):
        return f"{node.base}_{node.sub}" if node.sub else node.base
    if isinstance(node, Neg):
        parts = ["-(", _spelled(node.inner), ")"]
    elif isinstance(node, Bracketed):
        return _spelled(node.inner)
    elif isinstance(node, Quotient):
        parts = ["(", _spelled(node.above), ")/(", _spelled(node.below), ")"]
    elif isinstance(node, Root) and node.index is None:
        parts = ["sqrt(", _spelled(node.inner), ")"]
    elif isinstance(node, Power):
        parts = ["(", _spelled(node.base), ")^(", _spelled(node.exponent), ")"]
    elif isinstance(node, Sum):
        parts = [x for t, s in zip(node.terms, node.signs, strict=True) for x in (s, "(", _spelled(t), ")")]
    elif isinstance(node, Product):
        parts = [x for i, f in enumerate(node.factors) for x in ("*" if i else "", "(", _spelled(f), ")")]
    elif isinstance(node, Call) and node.function in ("exp", "sqrt") and len(node.arguments) == 1:
        parts = [f"{node.function}(", _spelled(node.arguments[0]), ")"]
    else:
        return None
    plain_parts = [part for part in parts if part is not None]
    text = "".join(plain_parts)
    if len(plain_parts) < len(parts) or len(text) > 900:
        return None
    number = re.fullmatch(r"(sqrt|exp)\((\d+)/1\)", text)
    return f"{number[1]}({number[2]})" if number else text.replace("(sqrt(2/1))", "(sqrt(2))")


# chains


def defined(document: Document) -> tuple[list[Given], Noted]:
    """All that a document gives, in its order."""
    finder = _Finder(document)
    for block in document.blocks():
        finder.block(block)
    finder.end_list()
    return finder.found, Noted(
        tuple(finder.d_ks),
        tuple(finder.roots),
        tuple(finder.shown),
        tuple(finder.divisors),
        frozenset(finder.columns),
    )


@dataclass(frozen=True, slots=True)
class _Item:
    """A list of numbers behind words: perhaps the vector of a token."""

    words: str
    rows: Rows
    place: Place
    role: str


@dataclass(frozen=True, slots=True)
class _Named:
    """A name with an index that stands alone, and the words before it."""

    role: str = ""
    index: str = ""
    words: str = ""


_NOTHING: Final = _Named()
_WORDY: Final = frozenset({"prose", "heading", "comment"})
_BETWEEN: Final = re.compile(r"[\s)\]:：=→,，（）(\u2063—-]*(?:is)?\s*")


class _Finder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.decimal_comma = uses_decimal_comma(document)
        self.found: list[Given] = []
        self.d_ks: list[tuple[fmpq, Place]] = []
        self.roots: list[fmpq] = []
        self.shown: list[tuple[fmpq, str]] = []
        self.divisors: list[tuple[fmpq, str]] = []
        self.columns: set[str] = set()
        self.items: list[_Item] = []
        self.before = ""

    def block(self, block: Sequence[Region]) -> None:
        words = ""
        named = _NOTHING
        pending = len(self.items)
        for region in block:
            if region.kind == "table":
                self.end_list()
                self.table(region)
                continue
            for chain in self.chains(region):
                label = chain.label.text if chain.label else ""
                said = words + (region.text[: chain.items[0].start] if chain.items and region.kind in _WORDY else label)
                named = self.chain(region, chain, said, named)
            if region.kind not in ("math_inline", "math_display"):
                words += region.text
        text = "".join(region.text for region in block)
        if len(self.items) == pending:
            self.end_list()
            self.before = text[-200:]

    def chains(self, region: Region) -> tuple[Chain, ...]:
        return chains_of(region, decimal_comma=self.decimal_comma)

    def place(self, region: Region, node: Node) -> Place:
        return self.document.locate(region, node.start, node.end)

    def chain(self, region: Region, chain: Chain, words: str, named: _Named) -> _Named:
        """Take in a chain; the name that stands alone, for the list right behind it."""
        if not chain.items:
            return named
        self.note(region, chain)
        if not chain.links:
            return self.alone(region, chain.items[0], words, named)
        self.named(region, chain)
        self.operands(region, chain)
        if len(chain.items) == 2 and isinstance(chain.first, Text) and not role_of(chain.first)[0]:
            self.alone(region, chain.items[1], chain.first.text, _NOTHING)
        return _NOTHING

    def alone(self, region: Region, item: Node, words: str, named: _Named) -> _Named:
        role, index = role_of(item)
        if role and index and role != "d_k":
            return _Named(role, index, words)
        table = table_of(item)
        if table is None:
            return named
        rows, is_list = table
        place = self.place(region, item)
        if named.role and len(rows) == 1 and _BETWEEN.fullmatch(words.removeprefix(named.words)):
            label = _word(named.words)
            self.found.append(Given(named.role, rows, place, index=named.index, labels=(label,) if label else ()))
        elif is_list and _word(words) and len(rows[0]) > 1:
            self.items.append(_Item(_word(words), rows, place, self.role_before(region, "")))
        elif not is_list and (role := self.role_before(region, words)):
            self.found.append(Given(role, rows, place, rank=2, labels=_labels(item)))
        return _NOTHING

    def role_before(self, region: Region, words: str) -> str:
        """What the words before, the paragraph before, or the headings above speak of."""
        for text in (words, self.before, *reversed(region.headings[-2:])):
            if role := role_of_words(text[-200:]):
                return role
        return ""

    def end_list(self) -> None:
        """Vectors behind words, one below another: the rows of a matrix if it is said of which."""
        items, self.items = self.items, []
        if len(items) < 2 or len({len(item.rows[0]) for item in items}) > 1 or not items[0].role:
            return
        rows = tuple(item.rows[0] for item in items)
        labels = tuple(item.words for item in items)
        self.found.append(Given(items[0].role, rows, items[0].place, rank=2, labels=labels))

    def named(self, region: Region, chain: Chain) -> None:
        """Q = K = [[...]], Kᵀ = [[...]], q_1 = [..]: what stands behind names."""
        names = []
        for item in chain.items:
            flipped = isinstance(item, Transpose) and role_of(item.inner)[0] != ""
            role, index = role_of(item.inner if flipped and isinstance(item, Transpose) else item)
            if role and role != "d_k":
                names.append((role, index, flipped))
            elif names or not isinstance(item, Text):
                break
        if not names:
            return
        relations = [None, *(link.relation for link in chain.links)]
        value, place = None, None
        for relation, item in zip(relations, chain.items, strict=True):
            if relation in ("=", "≈", ":=", "≡", "→") and (table := table_of(item)) is not None:
                value, place, node = table, self.place(region, item), item
        last_role = role_of(chain.items[-1])[0]
        if value is None and len(names) > 1 and last_role:
            self.alias(names, self.place(region, chain))
        if value is None or place is None:
            return
        computed = any(isinstance(item, (Product, Sum)) for item in chain.items)
        for role, index, flipped in names:
            rows = turned(value[0]) if flipped else value[0]
            is_vector = len(rows) == 1 or len(rows[0]) == 1 and index.isdigit() and role not in ("W_Q", "W_K", "W_V")
            given = Given(role, rows, place, labels=_labels(node), computed=computed, turned=flipped)
            if index and is_vector and not role.startswith("W"):
                vector = rows if len(rows) == 1 else turned(rows)
                self.found.append(replace(given, rows=vector, index=index, labels=()))
            else:
                self.found.append(replace(given, head=index))

    def alias(self, names: Sequence[tuple[str, str, bool]], place: Place) -> None:
        """W_K = W_Q: one takes the value of the other."""
        *aliases, (role, index, flipped) = names
        source = next((g for g in self.found if (g.role, g.index or g.head) == (role, index) and g.rank == 0), None)
        if source is not None:
            for other, head, turn in aliases:
                rows = turned(source.rows) if turn != flipped else source.rows
                self.found.append(replace(source, role=other, rows=rows, place=place, head=head, index=""))

    def operands(self, region: Region, chain: Chain) -> None:
        """Operands that are shown: QKᵀ = [..][..], K = [..][..]."""
        for before, item in zip((None, *chain.items), chain.items, strict=False):
            factors = _literal_factors(item)
            if factors is None:
                if isinstance(item, Product):
                    self.order(item)
                continue
            for (role, flipped), factor in zip(self.roles(before, chain.first, factors), factors, strict=True):
                table = table_of(factor)
                if role and table is not None and (len(table[0]) > 1 or not table[1]):
                    rows = turned(table[0]) if flipped else table[0]
                    place = self.place(region, factor)
                    self.found.append(Given(role, rows, place, rank=1, labels=_labels(factor), turned=flipped))

    def order(self, product: Product) -> None:
        """W before X: columns are vectors."""
        roles = [role_of(factor) for factor in product.factors]
        for (left, _), (right, index) in zip(roles, roles[1:], strict=False):
            if left.startswith("W_") and right == "X":
                self.columns.add("vectors" if index else "matrix")

    def roles(self, before: Node | None, first: Node | None, factors: Sequence[Node]) -> list[tuple[str, bool]]:
        """The roles of factors, by the names in the product before, or by the name of the result."""
        if isinstance(before, Product) and len(before.factors) == len(factors):
            out = []
            for factor in before.factors:
                flipped = isinstance(factor, Transpose)
                role, index = role_of(factor.inner if isinstance(factor, Transpose) else factor)
                out.append((role if not index else "", flipped))
            return out
        result, index = role_of(first)
        if result in ("Q", "K", "V") and not index and len(factors) == 2 and before is first:
            return [("X", False), (f"W_{result}", False)]
        return [("", False)] * len(factors)

    # d_k and its root

    def note(self, region: Region, chain: Chain) -> None:
        first = chain.first
        values = [item for item in chain.items[1:] if isinstance(item, Number)]
        if role_of(first)[0] == "d_k" and values and values[-1].value > 0:
            self.d_ks.append((values[-1].value, self.place(region, values[-1])))
        inner = first.inner if isinstance(first, Root) and first.index is None else None
        if role_of(inner)[0] == "d_k" or isinstance(inner, Number):
            under = [item.inner.value for item in chain.items if isinstance(item, Root) and isinstance(item.inner, Number)]
            if under:
                self.roots.append(under[0])
            for value in values:
                self.shown.append((value.value, value.text))
        self.divisions(chain)

    def divisions(self, node: Node) -> None:
        for at in walk(node):
            below = at.below if isinstance(at, Quotient) else at.operand if isinstance(at, Operation) else None
            if isinstance(below, Root) and isinstance(below.inner, Number) and below.index is None:
                self.roots.append(below.inner.value)
            if isinstance(below, Number) and below.value.q != 1 and below.value > 0:
                self.divisors.append((below.value, below.text))

    # tables

    def table(self, region: Region) -> None:
        rows = [row for row in region.rows if any(cell.regions for cell in row)]
        width = max((len(row) for row in rows), default=0)
        if len(rows) < 2 or width < 2 or any(len(row) != width for row in rows):
            return
        reader = _Table(self, rows, region)
        self.found.extend(reader.vectors() or reader.by_columns() or reader.by_rows() or reader.grid())
        self.before = ""


class _Table:
    """A table: vectors in columns named Q, K, V; a column or a row for each of q_1, q_2; or a matrix under a heading."""

    def __init__(self, finder: _Finder, rows: Sequence[Sequence[Cell]], region: Region) -> None:
        self.finder = finder
        self.region = region
        self.head, self.body = rows[0], rows[1:]
        self.labels = tuple(_word(row[0].text) for row in self.body)

    def place(self, cell: Cell) -> Place:
        region = cell.regions[0] if cell.regions else self.region
        return self.finder.document.locate(region, 0, len(region.text))

    def values(self, cell: Cell) -> Node | None:
        """The one formula of a cell."""
        found = [c.items[0] for r in cell.regions for c in self.finder.chains(r) if c.items and not c.links]
        texts = [r.text for r in cell.regions if r.text.strip()]
        if not found and len(texts) == 1 and re.fullmatch(r"\s*[-−]?\d{1,40}(?:\.\d{1,40})?\s*", texts[0]):
            return read_chain(texts[0]).first
        return found[0] if len(found) == 1 else None

    def vectors(self) -> list[Given]:
        """| Token | Query q_i | Key k_i |, with a vector in each cell."""
        out = []
        for column, head in enumerate(self.head[1:], 1):
            tables = [table_of(node) if (node := self.values(row[column])) else None for row in self.body]
            rows = [table[0][0] for table in tables if table is not None and len(table[0]) == 1]
            role = role_of_words(head.text)
            if role and len(rows) == len(self.body) and len({len(row) for row in rows}) == 1:
                out.append(Given(role, tuple(rows), self.place(self.body[0][column]), labels=self.labels))
        return out

    def scalars(self) -> Rows | None:
        """The cells without the first row and column, if all are numbers."""
        out = []
        for row in self.body:
            nodes = [self.values(cell) for cell in row[1:]]
            entries = [entry_of(node) if node is not None else None for node in nodes]
            if any(entry is None or isinstance(entry, str) and not entry[:1].isdigit() for entry in entries):
                return None
            out.append(tuple(entry for entry in entries if entry is not None))
        return tuple(out)

    def by_columns(self) -> list[Given]:
        return self.indexed([cell.text for cell in self.head[1:]], flip=True)

    def by_rows(self) -> list[Given]:
        return self.indexed([row[0].text for row in self.body], flip=False)

    def indexed(self, names: Sequence[str], *, flip: bool) -> list[Given]:
        """Q1, Q2, ... over the columns or before the rows."""
        matches = [_INDEXED.match(name) for name in names]
        letters = {match[1] for match in matches if match}
        scalars = self.scalars()
        if scalars is None or len(letters) != 1 or not all(matches):
            return []
        letter = letters.pop()
        role = _LETTERS.get(letter.lower()) or ("X" if letter.lower() == "x" else "")
        if not role or (letter.lower() == "d" and not flip):
            return []
        rows = turned(scalars) if flip else scalars
        return [Given(role, rows, self.place(self.body[0][1]))]

    def grid(self) -> list[Given]:
        """Numbers beside labels, under a heading or a corner that names the matrix."""
        scalars = self.scalars()
        role = role_of_words(self.head[0].text) or self.finder.role_before(self.region, "")
        if scalars is None or not role:
            return []
        heads = [cell.text for cell in self.head[1:]]
        if all(_DIMENSION.match(label) for label in self.labels) and not all(_DIMENSION.match(head) for head in heads):
            return [Given(role, turned(scalars), self.place(self.body[0][1]), 2, labels=tuple(map(_word, heads)))]
        return [Given(role, scalars, self.place(self.body[0][1]), 2, labels=self.labels)]


def _literal_factors(item: Node) -> tuple[Node, ...] | None:
    if not isinstance(item, Product) or len(item.factors) != 2:
        return None
    return item.factors if all(table_of(factor) is not None for factor in item.factors) else None


def _labels(node: Node) -> tuple[str, ...]:
    inner = node.inner if isinstance(node, (Bracketed, Transpose)) else node
    return tuple(_word(label.text) for label in inner.labels) if isinstance(inner, Matrix) and inner is node else ()


_WRAPPED: Final = re.compile(r"[xqkvXQKV]\s*[\(（](.+)[\)）]$")
_EDGES: Final = " \t\n:：,，.。;；()（）[]*_`•-–—·=→←>|\"'“”「」$"


def _word(text: str) -> str:
    """A token as words beside a row name it, without what stands around it.

    >>> _word("- **Time** ("), _word("Q(cat)"), _word("甲 (i=1)")
    ('Time', 'cat', '甲')
    """
    last = text.strip().splitlines()[-1] if text.strip() else ""
    if wrapped := _WRAPPED.match(last.strip(" ←\t")):
        last = wrapped[1]
    bare = re.sub(r"\s*[\(（][^()（）]*[\)）]?\s*[:：]?\s*$", "", last)
    word = (bare if bare.strip(_EDGES) else last).strip(_EDGES)
    return "".join(c for c in word if c.isprintable())[:100].strip()

