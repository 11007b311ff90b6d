"""Functions that a document defines by a formula: FFN(x) = max(0, x·W_1 + b_1)·W_2 + b_2.

Arrives: the formulas of a chain. Leaves: the function in the memory; formulas with its body in the place of its calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from symattn.documents.judging.cells import substituted
from symattn.documents.reading.functions import WORKED_OUT
from symattn.documents.reading.tree import Bracketed, Call, List, Name, Node, Number, Product, walk

if TYPE_CHECKING:
    from symattn.documents.judging.memory import Memory

Functions = Mapping[str, tuple[tuple[str, ...], Node]]
"""The parameters and the body of each function."""

DEPTH: Final = 3
"""Functions within functions that are put in."""


def define(memory: Memory, items: Sequence[Node]) -> None:
    """Remember what a function of names is, where a chain says it."""
    call = items[0] if len(items) > 1 else None
    if not isinstance(call, Call) or call.function in WORKED_OUT or not call.arguments:
        return
    if not all(isinstance(one, Name) for one in call.arguments):
        return
    if any(isinstance(part, Call) and part.function == call.function for part in walk(items[1])):
        return
    memory.functions[call.function] = tuple(one.key for one in call.arguments if isinstance(one, Name)), items[1]


def called(node: Node, functions: Functions) -> Node:
    r"""A formula with the bodies of its functions.

    >>> from symattn.documents.judging.memory import Memory
    >>> from symattn.documents.judging.spelling import spelt
    >>> from symattn.documents.reading.chains import read_chain
    >>> memory = Memory()
    >>> define(memory, read_chain(r"\text{twice}(x) = 2x").items)
    >>> spelt(called(read_chain(r"\text{twice}(a + 1)").first, memory.functions))
    '2·(a+1)'
    """
    for _ in range(DEPTH if functions else 0):
        other = substituted(node, lambda part: _body(part, functions))
        if other is node:
            break
        node = other
    return node


def with_softmax(node: Node) -> Node:
    """A formula with σ(1.5, 0.5) read as the softmax that it can only be: of several numbers, not of one."""

    def put(part: Node) -> Node | None:
        factors = part.factors if isinstance(part, Product) and len(part.factors) == 2 else ()
        if (
            not factors
            or not isinstance(factors[1], List)
            or factors[1].delimiters != "()"
            or len(factors[1].items) < 2
        ):
            return None
        named = isinstance(factors[0], Name) and factors[0].key in {"sigma", "σ", "SM"}
        return Call(part.start, part.end, "softmax", (factors[1],)) if named else None

    return substituted(node, put)


def behind_the_hidden_layer(functions: Functions, hidden: Node) -> Iterator[Node]:
    """The bodies of functions, with something in the place of what is cut off below 0: hidden·W_2 + b_2."""
    for _, body in functions.values():
        cut = [part for part in walk(body) if isinstance(part, Call) and _cuts_off(part)]
        if len(cut) == 1 and cut[0] is not body:
            layer = cut[0]
            yield substituted(body, lambda part, layer=layer: hidden if part is layer else None)


def _cuts_off(call: Call) -> bool:
    zero = any(isinstance(one, Number) and one.value == 0 for one in call.arguments)
    return call.function == "relu" or (call.function == "max" and len(call.arguments) == 2 and zero)


def _body(part: Node, functions: Functions) -> Node | None:
    found = functions.get(part.function) if isinstance(part, Call) else None
    if found is None or not isinstance(part, Call) or len(found[0]) != len(part.arguments):
        return None
    given = {key: Bracketed(one.start, one.end, one) for key, one in zip(found[0], part.arguments, strict=True)}
    return substituted(found[1], lambda inner: given.get(inner.key) if isinstance(inner, Name) else None)
