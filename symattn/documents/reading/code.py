"""Plain text and code: the same chains out of `e^1.76 ≈ 5.8`, `Q = [[1, 0], [0, 1]]`, prints of NumPy, and prose.

Arrives: lines of a code block, inline code, a sentence, or the source of a program. Leaves: chains. Prose around a
formula becomes its label or a note; dates, versions, headings and numbered lists are no formulas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from symattn.documents.reading.chains import chains_of
from symattn.documents.reading.plain import plain_tokens
from symattn.documents.reading.settled import (
    closed,
    columns,
    lines_joined,
    listed,
    of_tokens,
    opened_and_closed,
    stacked,
    words_settled,
)
from symattn.documents.reading.tokens import MAX_TEXT, Token, is_letter
from symattn.documents.reading.told import told
from symattn.documents.reading.tree import Chain, Infinity, List, Matrix, Name, Neg, Node, Number, Text, Unread, walk

if TYPE_CHECKING:
    pass

_AFTER_LABEL: Final = " \t\r\n\u3000:：(（"
_CLAUSE_ENDS: Final = ".。;；!！?？,，、:：)）(（|\n"


def read_code(text: str, *, decimal_comma: bool = False) -> tuple[Chain, ...]:
    r"""The chains of a code block, of inline code, or of what a program printed.

    Matrices may go over several lines, stand side by side, or be printed without commas.

    >>> [chain.first.key for chain in read_code("Q = [[1 0]\n [0 1]]\ndₖ = 2")]
    ['Q', 'd_k']
    """
    return _read(text, prose=False, decimal_comma=decimal_comma)


def read_prose(text: str, *, decimal_comma: bool = False) -> tuple[Chain, ...]:
    """The chains in a sentence or a paragraph: what stands at relations, and lists of numbers.

    >>> chain, = read_prose("So the row sum = 4.954, see section 3.2 of 2017-06-12.")
    >>> chain.first.text, chain.items[-1].text
    ('So the row sum', '4.954')
    """
    chains = _read(text, prose=True, decimal_comma=decimal_comma)
    return tuple(chain for chain in chains if len(text) > MAX_TEXT or _is_formula(chain))


def read_source(text: str) -> tuple[Chain, ...]:
    r"""The literals that a program gives names to: `Q = np.array([[1.0, 0.0]])`.

    Nothing is run; the rest is passed over.

    >>> [chain.first.key for chain in read_source("import numpy as np\nQ = np.array([[1, 0]])\nS = Q @ K.T")]
    ['Q']
    """
    if len(text) > MAX_TEXT:
        return ()
    chains = chains_of(text, _tokens(text, prose=False, source=True, decimal_comma=False), plain=True)
    return tuple(chain for chain in chains if _is_given(chain))


def _is_given(chain: Chain) -> bool:
    """Whether a chain gives one name the value of a literal."""
    named = isinstance(chain.first, (Name, Text)) and len(chain.links) == 1 and chain.links[0].relation == "="
    return named and _is_literal(chain.links[0].item)


def _is_literal(node: Node) -> bool:
    if isinstance(node, Neg):
        return _is_literal(node.inner)
    if isinstance(node, Matrix):
        return all(_is_literal(cell) for row in node.rows for cell in row)
    if isinstance(node, List):
        return all(map(_is_literal, node.items))
    return isinstance(node, (Number, Infinity))


def words_before(text: str) -> Text | None:
    """The words at the end of prose, which say what the formula behind it is; None where there are none.

    >>> words_before("e^0 is 1. The sum ").key, words_before("第一行: 权重"), words_before("(see 3)")
    ('The sum', Text(start=5, end=7, text='权重'), None)
    """
    end = len(text.rstrip(_AFTER_LABEL))
    start = max(text.rfind(mark, 0, end) for mark in _CLAUSE_ENDS) + 1
    start += len(text[start:end]) - len(text[start:end].lstrip())
    found = text[start:end]
    return Text(start, end, found) if any(map(is_letter, found)) else None


def _read(text: str, *, prose: bool, decimal_comma: bool) -> tuple[Chain, ...]:
    if len(text) > MAX_TEXT:
        reason = f"a text of more than {MAX_TEXT} characters"
        return (Chain(0, len(text), Unread(0, len(text), text[:80], reason)),)
    tokens = _tokens(text, prose=prose, source=False, decimal_comma=decimal_comma)
    chains = chains_of(text, tokens, plain=True)
    return tuple(chain for chain in chains if chain.links or not isinstance(chain.first, (Text, type(None))))


def _is_formula(chain: Chain) -> bool:
    """Whether a chain out of prose says something: a relation with digits near it, or a list of numbers."""
    if not chain.links:
        first = chain.first
        return isinstance(first, (List, Matrix)) and sum(isinstance(node, Number) for node in walk(first)) >= 2
    unread = [item.text for item in chain.items if isinstance(item, Unread)]
    if unread and not any(character.isdecimal() for text in unread for character in text):
        return any(isinstance(node, Number) for node in walk(chain))
    return True


def _tokens(text: str, *, prose: bool, source: bool, decimal_comma: bool) -> list[Token]:
    tokens = plain_tokens(text, prose=prose, source=source, decimal_comma=decimal_comma)
    tokens = columns(text, words_settled(of_tokens(closed(tokens))))
    tokens = stacked(text, tokens)
    if not prose and not source:
        tokens = listed(tokens)
    elif prose:
        tokens = told(opened_and_closed(tokens))
    return lines_joined(tokens, prose=prose)
