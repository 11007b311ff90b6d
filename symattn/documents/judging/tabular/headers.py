"""What the headers and the labels of a table name: stages, matrices, tokens, indices.

Arrives: the cells of a first row or a first column. Leaves: stages, letters, and columns with what they are called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from flint import fmpq

from symattn.documents.givens.roles import role_of_words, word_of
from symattn.documents.judging.stages import PROJECTIONS, stage_of, stage_of_words
from symattn.documents.judging.tabular.grids import Entry
from symattn.documents.reading.code import read_code
from symattn.documents.reading.tree import (
    List,
    Name,
    Node,
    Number,
    Text,
)

VECTORS: Final = (*PROJECTIONS, "X")
INDEXED: Final = re.compile(r"\s*\$?([A-Za-z])[\s_]*\{?\s*(\d{1,4})\}?\$?\s*")
_DIMENSION: Final = re.compile(
    r"\s*(?:dim(?:ension)?|d|维度?|維度?|차원|次元|f|feature|e|component)?[\s_.-]*\{?\d{1,4}\}?\s*", re.IGNORECASE
)
SUM: Final = re.compile(
    r"\s*(?:[Σ∑]|\\?(?:Sigma|sum)|sums?|(?:row|column) (?:sums?|totals?)|totals?|合计|总和|合計|總和|总计|總計|小计"
    r"|行和|列和|求和|和|合|сумма|итого|всего|tổng(?: cộng)?|somme|suma|(?:zeilen|spalten)?summe|gesamt|soma|somma"
    r"|totale|toplam|المجموع|مجموع|합계|총합|합|計)\s*[:：=]?\s*",
    re.IGNORECASE,
)
DIVIDED: Final = re.compile(
    r"divid|geteilt|divis|÷|除|делен|делён|раздел|делим|나누|割(?!合)|chia|/\s*√|/\s*\\sqrt", re.IGNORECASE
)
_SHARE: Final = re.compile(
    r"\bshare|anteil|доля|доли|占比|比例|비율|割合|確率|확률|вероятн|xác suất|tỷ lệ|tỉ lệ|\bprob|概率", re.IGNORECASE
)
_DOT: Final = re.compile(
    r"\bdot(?:[ -]products?)?\b|\blogits?\b|скалярн|балл|内积|点积|內積|點積|내적|内積|skalarprodukt|punktzahl"
    r"|produ(?:it|cto|to) escalar|produit scalaire|prodotto scalare|tích vô hướng",
    re.IGNORECASE,
)
_SIGN: Final = re.compile(r"[·⋅×∙*÷/]|\\(?:cdot|times|div)\b")


@dataclass(eq=False)
class Column:
    """A column: its header, what its cells say, and what the header names."""

    header: Entry | None
    cells: tuple[Entry, ...]
    name: Node | None = None
    tree: Node | None = None
    stage: str = ""
    total: Entry | None = None
    formulas: tuple[Node, ...] = ()
    """What each cell is at full precision, where it was worked out from other columns."""
    worked: bool = False

    @property
    def are_numbers(self) -> bool:
        """Whether every cell is a number, or is to be filled in."""
        return all(cell.is_number for cell in self.cells) and any(cell.kind != "blank" for cell in self.cells)

    @property
    def are_lists(self) -> bool:
        """Whether every cell is a row of numbers."""
        return all(isinstance(cell.value, List) for cell in self.cells)


def column_of(head: Entry, cells: Sequence[Entry], *, first: bool) -> Column:
    """A column with the name that its header gives it; `first` where its cells are labels."""
    tree = next((chain.items[-1] for chain in head.chains if chain.items and not chain.unread), None)
    if isinstance(tree, Name) and head.math and _SIGN.search(head.text):
        tree = next(iter(formula_in(head.text)), None)  # words times $v$: one formula
        return Column(head, tuple(cells), None, tree, stage_of(tree))
    stage = stage_of_head(head) or stage_of(tree)
    if isinstance(tree, Name) and _is_among_words(head, tree) and (told := stage_of_words(head.text)):
        return Column(head, tuple(cells), Text(0, 0, told), None, told)  # the score with q_1
    name: Node | None = tree if isinstance(tree, Name) and (stage or head.math) else None
    role = "" if first else role_of_words(head.text)
    if isinstance(name, Name) and stage_of(name) in VECTORS:
        name = replace(name, sub="", base=name.base.upper() if name.base in "qkv" else name.base)
    elif isinstance(name, Name) and len(name.sub) == 1:
        name = replace(name, sub="")  # α_i runs over the rows
    elif name is None and role and tree is None:
        name = Name(0, 0, role.split("_")[0], role.partition("_")[2])
    elif name is None and tree is not None and stage and head.math:
        name = tree
    elif name is None and stage:
        name = Text(0, 0, head.text if stage_of_words(head.text) == stage else stage)
    return Column(head, tuple(cells), name, tree, stage)


def _is_among_words(head: Entry, name: Node) -> bool:
    """Whether other words stand in a header beside a formula."""
    return head.math and len(head.text) > name.end - name.start + 2


def stage_of_head(head: Entry) -> str:
    """The stage that a header speaks of: by its formula, or by its words; Q1 and K2 are tokens."""
    if INDEXED.fullmatch(head.text):
        return ""
    for chain in head.chains:
        for item in chain.items:
            if isinstance(item, Name) and not head.math and len(head.text) == 1 and head.text.isascii():
                continue  # a letter may be a token
            stage = stage_of(item)
            if stage:
                return stage
    if head.kind != "words" or SUM.fullmatch(head.text):
        return ""
    role = role_of_words(head.text) if len(head.text) > 1 else ""
    return role or stage_said(head.text)


def stage_said(text: str) -> str:
    """The stage that a header or a caption speaks of, also as a share or a dot product.

    >>> stage_said("dot product"), stage_said("Anteil"), stage_said("softmax"), stage_said("a word")
    ('scores', 'weights', 'weights', '')
    """
    return stage_of_words(text) or ("weights" if _SHARE.search(text) else "scores" if _DOT.search(text) else "")


def formula_in(text: str) -> tuple[Node, ...]:
    """The one formula that a text is, with its places in that text; nothing where it is none.

    >>> len(formula_in("weight · v")), formula_in("a word")
    (1, ())
    """
    return tuple(c.first for c in read_code(text) if c.first is not None and not c.links and not c.unread)[:1]


def names_stage(entry: Entry) -> bool:
    """Whether a header speaks of a stage."""
    return bool(stage_of_head(entry))


def letter_of(entries: Sequence[Entry]) -> str:
    """The Q of Q1, Q2, ...; empty where these are no rows of one given matrix."""
    matches = [INDEXED.fullmatch(entry.text) for entry in entries]
    found = {match[1].upper() for match in matches if match}
    counted = [int(match[2]) for match in matches if match] == list(range(1, len(entries) + 1))
    return found.pop() if len(found) == 1 and all(matches) and counted and found <= set(VECTORS) else ""


def are_dimensions(entries: Sequence[Entry]) -> bool:
    """Whether cells name components: dim1, d2, 3, or nothing."""
    return all(not entry.text or _DIMENSION.fullmatch(entry.text) for entry in entries)


def is_index(text: str) -> bool:
    """Whether a label is no name of a token.

    >>> is_index("dim1"), is_index("Q2"), is_index("cat")
    (True, True, False)
    """
    return bool(_DIMENSION.fullmatch(text) or INDEXED.fullmatch(text))


def are_alike(heads: Sequence[Entry], labels: Sequence[Entry]) -> bool:
    """Whether what stands around a grid says that it is a matrix: nothing, the same words twice, or indices."""
    if [head.text.lower() for head in heads] == [label.text.lower() for label in labels]:
        return True
    return all(map(is_index, [entry.text for entry in (*heads, *labels) if entry.text])) or (
        are_dimensions(heads) and bool(heads)
    )


def are_counted(entries: Sequence[Entry]) -> bool:
    """Whether cells count: 1, 2, 3 or 0, 1, 2."""
    told = [entry.text for entry in entries]
    return len(told) > 1 and told in ([str(i) for i in range(len(told))], [str(i + 1) for i in range(len(told))])


def text_of(entry: Entry) -> Text:
    """The token that a label names."""
    return Text(0, 0, word_of(entry.text))


def are_shares(column: Column) -> bool:
    """Whether numbers are shares of one whole, as far as a slip lets them."""
    values = [cell.value.value for cell in column.cells if isinstance(cell.value, Number)]
    if not column.are_numbers or len(values) < 2:
        return False
    return all(0 <= value <= 1 for value in values) and abs(sum(values, fmpq(0)) - 1) <= fmpq(1, 4)
