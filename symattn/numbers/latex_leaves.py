r"""Formulas with more functions than a spec may have, taken apart by latex2sympy2 and worked out elsewhere.

Arrives: LaTeX for one real number, such as `2\tan(0.5)`. Leaves: first a `Plain` formula, admitted by a list of known
commands and written out with nothing left to guess, without latex2sympy2; then the trees of its pieces, as lists of
plain data. Nothing is evaluated on the way, so that one process can take apart what another works out.

A tree is a list: the operation, then its operands, which are trees again. `["number", "3/4"]`, `["name", "x"]`,
`["constant", "pi"]` and `["constant", "e"]` are its leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from symattn.errors import ReadError
from symattn.numbers.latex_door import INDEXED_ROOT, Factor, Plain, Rewriter, hashed, unevaluated

Tree: TypeAlias = list[Any]

MAX_LEAF: Final = 400
"""Characters of a formula."""

FUNCTIONS: Final = frozenset(
    "\\" + name
    for name in (
        *("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
        *("arsinh", "arcosh", "artanh", "ln", "log"),
    )
)
r"""What is applied to a bracket or to one factor. No `\coth`: latex2sympy2 1.9.1 reads it as `\cot` of a product."""

_AROUND: Final = {r"\lfloor": r"\rfloor", r"\lceil": r"\rceil", r"\lvert": r"\rvert", "|": "|"}
_SIZES: Final = frozenset(
    "\\" + name + side for name in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
) | {r"\left", r"\right", r"\displaystyle", r"\textstyle"}
_OPERATIONS: Final = {
    "Add": "+", "Mul": "*", "Pow": "^", "exp": "exp", "log": "log", "Abs": "abs", "floor": "floor",
    "ceiling": "ceil", "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "asinh": "arsinh", "acosh": "arcosh", "atanh": "artanh",
}  # fmt: skip
"""The nodes of SymPy that are taken, and what each is called in a tree."""


def plain_leaf(text: str) -> Plain:
    r"""A formula admitted by the list and written out; `Plain.names` are its letters.

    Sizes of brackets are passed over. `\log` without a base is the natural one, as it is everywhere here.
    Raises: ReadError, naming the column, for a command that is not listed and whatever reads in two ways.

    >>> plain_leaf(r"\sin^2(x)").pieces
    {'q0': '(\\sin((\\variable{p0})))^{2}'}
    """
    if len(text) > MAX_LEAF:
        raise ReadError(f"a formula of {len(text)} characters", expected=f"at most {MAX_LEAF}")
    return _LeafRewriter(text).rewrite()


def has_function(text: str) -> bool:
    r"""Whether a formula has one of the functions, or a bracket that rounds.

    >>> has_function(r"2\tan(1)"), has_function(r"\frac{1}{2}")
    (True, False)
    """
    return any(command in text for command in (*FUNCTIONS, r"\lfloor", r"\lceil"))


def trees_of(pieces: Mapping[str, str]) -> dict[str, Tree]:
    r"""The tree of each piece of a plain formula, taken apart by latex2sympy2; names are the places of pieces.

    Raises: ReadError for a piece that latex2sympy2 cannot read, or reads as anything that is not listed.

    >>> trees_of(plain_leaf(r"\tan(0.5)").pieces)
    {'q0': ['tan', ['number', '1/2']]}
    """
    return {place: _tree(unevaluated(piece)) for place, piece in pieces.items()}


class _LeafRewriter(Rewriter):
    commands = Rewriter.commands | FUNCTIONS | _AROUND.keys() | set(_AROUND.values()) | {INDEXED_ROOT}
    passed_over = Rewriter.passed_over | _SIZES

    def starts_factor(self) -> bool:
        # a bar side by side with something may open or close
        return super().starts_factor() and self.next.text not in _AROUND.values()

    def atom(self) -> Factor:
        token = self.next
        if token.text in FUNCTIONS:
            return self.function()
        if token.text in _AROUND and token.kind != "end":
            return self.surrounded(_AROUND[token.text])
        if token.kind == "command" and token.text.startswith(r"\sqrt["):
            return self.root()
        if token.text == r"\exp" and not self.opens(self.tokens[self.at + 1].kind):
            self.at += 1
            return Factor(f"({self.place('e')}^{{{self.argument_of(token.text)}}})")
        return super().atom()

    def function(self) -> Factor:
        name = self.next.text
        self.at += 1
        base = self.base() if name == r"\log" and self.take("_") else ""
        power = self.power_of(name) if self.take("^") else ""
        argument = self.argument_of(name)
        command = rf"\log_{{{base}}}" if base else r"\ln" if name == r"\log" else name
        written = f"{command}({argument})"
        return Factor(rf"({written})^{{{power}}}" if power else f"({written})")

    def base(self) -> str:
        written = self.braced() if self.next.kind == "{" else self.single("_")
        if not written.isdecimal() or int(written) < 2:
            raise self.refuse("the base of a logarithm is a whole number from 2 on")
        return written

    def power_of(self, name: str) -> str:
        """The exponent between a function and its argument; -1 may mean the inverse or the reciprocal."""
        written = self.exponent()
        if not written.isdecimal() or int(written) == 0:
            raise self.refuse(f"only a whole power of {name} stands before its argument")
        return written

    def argument_of(self, name: str) -> str:
        if self.next.kind == "(":
            return self.bracket()
        if self.next.kind == "{":
            written = self.braced()
            if self.next.kind == "^":
                raise self.refuse(f"how far {name} reaches is not shown: write brackets")
            return written
        if self.next.kind == "command" and self.next.text in FUNCTIONS:
            raise self.refuse(f"how far {name} reaches is not shown: write brackets")
        written = self.deeper(lambda: self.powered().text)
        if self.starts_factor() and self.next.text not in FUNCTIONS:
            raise self.refuse(f"how far {name} reaches is not shown: write brackets")
        return written

    @staticmethod
    def opens(kind: str) -> bool:
        return kind in ("(", "{")

    def surrounded(self, closing: str) -> Factor:
        opening = self.next.text
        self.at += 1
        inner = self.deeper(self.sum)
        self.need(closing, f"{opening} is closed by {closing}")
        if opening in ("|", r"\lvert"):
            return Factor(f"|{inner}|")
        return Factor(rf"{opening} {inner} {closing} ")

    def root(self) -> Factor:
        token = self.next
        order = int(token.text[len(r"\sqrt[") : -1])
        if order < 2:
            raise self.refuse("a root is of order 2 or more")
        self.at += 1
        inner = self.argument(r"\sqrt")
        return Factor(rf"\sqrt[{order}]{{{inner}}}")


def places(plain: Plain) -> dict[str, str]:
    """What the names in the trees of a plain formula are: the hashed place of each, and the place."""
    return {hashed(place): place for place in (*plain.names, *plain.pieces)}


def _tree(node: Any) -> Tree:
    import sympy

    if getattr(node, "is_Rational", False):
        return ["number", f"{int(node.p)}/{int(node.q)}" if node.q != 1 else str(int(node.p))]
    if node is sympy.pi or node is sympy.E:
        return ["constant", "pi" if node is sympy.pi else "e"]
    if type(node) is sympy.Symbol:
        return ["name", node.name]
    operation = _OPERATIONS.get(type(node).__name__)
    if operation is None or getattr(sympy, type(node).__name__, None) is not type(node):
        raise ReadError(f"{type(node).__name__} is not one of the operations that are read")
    return [operation, *map(_tree, node.args)]
