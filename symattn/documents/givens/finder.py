"""A document searched for what it gives, block by block.

Arrives: a document. Leaves: `Given`s in the order of the document, and what is said of d_k and its root.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from flint import fmpq

from symattn.documents.formats.document import Document, Place, Region
from symattn.documents.givens.entries import Rows, table_of, turned
from symattn.documents.givens.records import Given, Noted
from symattn.documents.givens.roles import role_of, role_of_words, word_of
from symattn.documents.givens.tables import table_givens
from symattn.documents.literals import chains_of, uses_decimal_comma
from symattn.documents.reading.chains import read_chain
from symattn.documents.reading.tree import (
    Bracketed,
    Chain,
    List,
    Matrix,
    Name,
    Node,
    Number,
    Operation,
    Product,
    Quotient,
    Root,
    Sum,
    Text,
    Transpose,
    walk,
)

_PAIR = r"(\"[^\"\n]{1,60}\"|'[^'\n]{1,60}')\s*:\s*(?:[A-Za-z_.]{1,20}\()?(\[[-0-9., \n]{1,2000}\])\)?"
_DICTIONARY: Final = re.compile(r"([A-Za-z_]\w{0,60})\s*=\s*\{([^{}]{1,20000})\}")
_PAIRS: Final = re.compile(_PAIR)


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
    """A name with an index that stands alone, the words before it, and how much its block had said."""

    role: str = ""
    index: str = ""
    words: str = ""
    said: int = 0


WORDS: Final = 200
"""Characters of the words before something that are looked at."""
MAX_GAP: Final = 40
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
        self.words = ""
        self.said = 0

    def block(self, block: Sequence[Region]) -> None:
        self.words, self.said = "", 0
        named = _NOTHING
        pending = len(self.items)
        for region in block:
            if region.kind == "table":
                self.end_list()
                said = self.role_before(region, "")
                self.found += table_givens(self.document, region, said, decimal_comma=self.decimal_comma)
                self.before = ""
                continue
            if region.kind == "code":
                self.dictionary(region)
            for chain in self.chains(region):
                named = self.chain(region, chain, named)
            if region.kind not in ("math_inline", "math_display"):
                self.words = (self.words + region.text)[-WORDS:]
                self.said += len(region.text)
        if len(self.items) == pending:
            self.end_list()
            self.before = "".join(region.text[-WORDS:] for region in block[-20:])[-WORDS:]

    def words_before(self, region: Region, chain: Chain) -> tuple[str, int]:
        """The words before a chain, and how many characters the block has said so far."""
        label = chain.label.text if chain.label else ""
        inner = region.text[: chain.items[0].start] if region.kind in _WORDY else label
        return (self.words + inner[-WORDS:])[-WORDS:], self.said + len(inner)

    def dictionary(self, region: Region) -> None:
        """{"cat": [1, 0], "sat": [0, 1]} of a program: the vectors of tokens."""
        for match in _DICTIONARY.finditer(region.text):
            pairs = [(m[1], read_chain(m[2]).first) for m in _PAIRS.finditer(match[2])]
            tables = [table_of(node) for _, node in pairs if node is not None]
            rows = tuple(table[0][0] for table in tables if table is not None and len(table[0]) == 1)
            role = role_of_words(match[1].replace("_", " "))
            if role and len(rows) == len(pairs) > 1 and len({len(row) for row in rows}) == 1:
                labels = tuple(word_of(word.strip("\"'")) for word, _ in pairs)
                place = self.document.locate(region, match.start(), match.end())
                self.found.append(Given(role, rows, place, rank=2, labels=labels))

    def chains(self, region: Region) -> tuple[Chain, ...]:
        return chains_of(region, decimal_comma=self.decimal_comma)

    def place(self, region: Region, node: Node) -> Place:
        return self.document.locate(region, node.start, node.end)

    def chain(self, region: Region, chain: Chain, named: _Named) -> _Named:
        """Take in a chain; the name that stands alone, for the list right behind it."""
        if not chain.items:
            return named
        self.note(region, chain)
        if not chain.links:
            words, said = self.words_before(region, chain)
            return self.alone(region, chain.items[0], _Named("", "", words, said), named)
        self.named(region, chain)
        self.operands(region, chain)
        first = chain.first
        if len(chain.items) == 2 and isinstance(first, (Text, Name)) and not role_of(first)[0]:
            word = first.text if isinstance(first, Text) else first.key
            if isinstance(chain.items[1], List):
                self.alone(region, chain.items[1], _Named(words=word), _NOTHING)
        return _NOTHING

    def alone(self, region: Region, item: Node, here: _Named, named: _Named) -> _Named:
        """Take in what stands alone behind the words of `here`, perhaps right behind a name."""
        role, index = role_of(item)
        words = here.words
        if role and index and role != "d_k":
            return _Named(role, index, words, here.said)
        table = table_of(item)
        if table is None:
            return named
        rows, is_list = table
        place = self.place(region, item)
        gap = here.said - named.said
        between = words[len(words) - gap :] if 0 <= gap <= MAX_GAP else "far"
        if named.role and len(rows) == 1 and _BETWEEN.fullmatch(between):
            label = word_of(named.words)
            self.found.append(Given(named.role, rows, place, index=named.index, labels=(label,) if label else ()))
        elif is_list and word_of(words) and len(rows[0]) > 1:
            self.items.append(_Item(word_of(words), rows, place, self.role_before(region, "")))
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
        shown = self.shown_value(region, chain)
        if shown is None:
            if len(names) > 1 and role_of(chain.items[-1])[0]:
                self.alias(names, self.place(region, chain))
            return
        computed = any(isinstance(item, (Product, Sum)) for item in chain.items)
        for role, index, flipped in names:
            rows = turned(shown.rows) if flipped else shown.rows
            given = replace(shown, role=role, rows=rows, computed=computed, turned=flipped)
            vector = len(rows) == 1 or (len(rows[0]) == 1 and index.isdigit())
            if index and vector and not role.startswith("W"):
                given = replace(given, rows=rows if len(rows) == 1 else turned(rows), index=index, labels=())
            else:
                given = replace(given, head=index)
            self.found.append(given)

    def shown_value(self, region: Region, chain: Chain) -> Given | None:
        """The last matrix of a chain that is written out, under no role yet."""
        found = None
        for link in chain.links:
            if link.relation in ("=", "≈", ":=", "≡", "→") and (table := table_of(link.item)) is not None:
                found = Given("", table[0], self.place(region, link.item), labels=_labels(link.item))
        return found

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
        for (left, _), (right, index) in pairwise(roles):
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
            under = [
                item.inner.value for item in chain.items if isinstance(item, Root) and isinstance(item.inner, Number)
            ]
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


def _literal_factors(item: Node) -> tuple[Node, ...] | None:
    if not isinstance(item, Product) or len(item.factors) != 2:
        return None
    return item.factors if all(table_of(factor) is not None for factor in item.factors) else None


def _labels(node: Node) -> tuple[str, ...]:
    inner = node.inner if isinstance(node, (Bracketed, Transpose)) else node
    return tuple(word_of(label.text) for label in inner.labels) if isinstance(inner, Matrix) and inner is node else ()
