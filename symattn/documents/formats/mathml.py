r"""MathML turned into the TeX that says the same, or the TeX that it carries along.

Arrives: the element `math` as a small tree. Leaves: placed TeX, or the reason why there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from symattn.documents.formats.offsets import Placed, Weaver

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH: Final = 60

_IGNORED: Final = frozenset({"\u2061", "\u2062", "\u2063", "\u2064", "\u200b"})
"""Applied to, times, separated by, plus: signs that are not drawn."""
_ACCENTS: Final = {
    "^": "\\hat",
    "ˆ": "\\hat",
    "~": "\\tilde",
    "˜": "\\tilde",
    "¯": "\\bar",
    "‾": "\\bar",
    "→": "\\vec",
    "⃗": "\\vec",
}
_FUNCTIONS: Final = frozenset({"lim", "max", "min", "exp", "ln", "log", "tanh", "sin", "cos", "det", "sup", "inf"})
_RELATIONS: Final = frozenset("=≈≃≅≡<>≤≥")
_OPENING: Final = {"[": "[", "(": "(", "{": "\\{", "|": "|"}
_CLOSING: Final = {"]": "]", ")": ")", "}": "\\}", "|": "|"}


@dataclass(slots=True)
class Node:
    """An element of MathML: its name, attributes, place, and what stands in it."""

    name: str
    attributes: dict[str, str]
    start: int
    end: int
    children: list[Node | Placed] = field(default_factory=list)

    @property
    def elements(self) -> list[Node]:
        """The elements in it."""
        return [child for child in self.children if isinstance(child, Node)]

    @property
    def words(self) -> Placed:
        """The text in it."""
        out = Weaver()
        for child in self.children:
            if isinstance(child, Placed):
                out.copy(child)
        return out.finish().strip()


class _Unknown(Exception):  # noqa: N818
    """Something that is not turned into TeX."""


def to_tex(node: Node, page: Placed) -> tuple[Placed, str]:
    """The TeX of a `math` element, and an empty reason; or the reason why it is not read.

    >>> from symattn.documents.formats.offsets import whole
    >>> page = whole("<math><mn>3</mn></math>")
    >>> digit = Node("mn", {}, 6, 10, [page.slice(10, 11)])
    >>> to_tex(Node("math", {}, 0, 6, [digit]), page)[0].text.strip()
    '3'
    """
    try:
        carried = _annotation(node)
        if carried is not None:
            return carried, ""
        writer = _Writer(page)
        writer.write(node, 0)
        return writer.out.finish().strip(), ""
    except _Unknown as unknown:
        return page.slice(node.start, node.end), str(unknown)


def _annotation(node: Node) -> Placed | None:
    """The TeX that stands beside a formula as its annotation."""
    waiting = [(node, 0)]
    while waiting:
        inner, depth = waiting.pop()
        if inner.name == "annotation" and "tex" in inner.attributes.get("encoding", "").lower():
            return inner.words
        if depth < 4:
            waiting.extend((child, depth + 1) for child in inner.elements)
    return None


class _Writer:
    def __init__(self, page: Placed) -> None:
        self.page = page
        self.out = Weaver()

    def put(self, text: str, node: Node) -> None:
        self.out.put(text, *self.page.span(node.start, node.end))

    def write(self, node: Node, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise _Unknown(f"MathML more than {MAX_DEPTH} elements deep")
        if node.name in _LEAVES:
            self.leaf(node)
        elif node.name in _WRITERS:
            _WRITERS[node.name](self, node, depth)
        elif node.name == "mspace" and "border" in node.attributes.get("style", ""):
            self.put("\\underline{\\quad}", node)  # a place to be filled in
        elif node.name in ("annotation", "annotation-xml", "mspace", "mphantom", "maligngroup", "malignmark"):
            self.put(" ", node)
        elif node.name in _ROWS:
            self.row(node, depth)
        else:
            raise _Unknown(f"<{node.name}> is not read in MathML")

    def row(self, node: Node, depth: int) -> None:
        elements = node.elements
        for number, child in enumerate(elements):
            sign = child.words.text if child.name == "mo" else ""
            following = elements[number + 1].name if number + 1 < len(elements) else ""
            before = elements[number - 1].name if number else ""
            if sign in _OPENING and following == "mtable":
                self.put(f"\\left{_OPENING[sign]}", child)
            elif sign in _CLOSING and before == "mtable":
                self.put(f"\\right{_CLOSING[sign]}", child)
            else:
                self.write(child, depth + 1)

    def leaf(self, node: Node) -> None:
        words = node.words
        if node.elements:
            raise _Unknown(f"<{node.name}> holds elements")
        if words.text in _IGNORED or not words.text:
            self.put(" ", node)
        elif node.name in ("mtext", "ms"):
            self.put("\\text{", node)
            self.out.copy(words)
            self.put("}", node)
        elif words.text in _FUNCTIONS:
            self.put("\\", node)
            self.out.copy(words)
            self.put(" ", node)
        elif node.name == "mi" and len(words.text) > 1 and words.text.isascii() and words.text.isalpha():
            self.put("\\mathrm{", node)
            self.out.copy(words)
            self.put("}", node)
        elif words.text in ("{", "}", "%", "#", "&", "_", "$"):
            self.put("\\" + words.text, node)
        else:
            self.out.copy(words)
            if node.name == "mo" and words.text in ("=", "≈", "+", "−", "×", "·", "⋅", ","):
                self.put(" ", node)

    def group(self, node: Node, depth: int) -> None:
        self.put("{", node)
        self.write(node, depth + 1)
        self.put("}", node)

    def parts(self, node: Node, count: int) -> list[Node]:
        elements = node.elements
        if len(elements) != count:
            raise _Unknown(f"<{node.name}> with {len(elements)} parts instead of {count}")
        return elements

    def fraction(self, node: Node, depth: int) -> None:
        top, bottom = self.parts(node, 2)
        self.put("\\frac", node)
        self.group(top, depth)
        self.group(bottom, depth)

    def square_root(self, node: Node, depth: int) -> None:
        self.put("\\sqrt{", node)
        self.row(node, depth)
        self.put("}", node)

    def any_root(self, node: Node, depth: int) -> None:
        inner, degree = self.parts(node, 2)
        self.put("\\sqrt[", node)
        self.write(degree, depth + 1)
        self.put("]", node)
        self.group(inner, depth)

    def scripts(self, node: Node, depth: int) -> None:
        signs = {"msub": "_", "msup": "^"}.get(node.name, "_^")
        base, *others = self.parts(node, 1 + len(signs))
        if base.name in ("mrow", "mfrac", "mstyle") and len(base.elements) > 1 and not _is_fenced(base):
            self.group(base, depth)
        else:
            self.write(base, depth + 1)
        for sign, other in zip(signs, others, strict=True):
            self.put(sign, other)
            self.group(other, depth)

    def accent(self, node: Node, depth: int) -> None:
        base, other = self.parts(node, 2)
        accent = _ACCENTS.get(other.words.text) if node.name == "mover" else None
        if accent is None:  # a limit
            self.write(base, depth + 1)
            self.put("^" if node.name == "mover" else "_", other)
            self.group(other, depth)
        else:
            self.put(accent, node)
            self.group(base, depth)

    def fenced(self, node: Node, depth: int) -> None:
        self.put(node.attributes.get("open", "("), node)
        separator = node.attributes.get("separators", ",").strip()[:1]
        for number, child in enumerate(node.elements):
            if number:
                self.put(separator, child)
            self.write(child, depth + 1)
        self.put(node.attributes.get("close", ")"), node)

    def table(self, node: Node, depth: int) -> None:
        kind = "aligned" if _is_aligned(node) else "matrix"
        self.put(f"\\begin{{{kind}}}", node)
        for row, line in enumerate(node.elements):
            if line.name not in ("mtr", "mlabeledtr"):
                raise _Unknown(f"<{line.name}> in <mtable>")
            if row:
                self.put(" \\\\ ", line)
            for column, cell in enumerate(line.elements):
                if column:
                    self.put(" & ", cell)
                self.row(cell, depth + 1)
        self.put(f"\\end{{{kind}}}", node)


def _is_aligned(table: Node) -> bool:
    """Whether a table sets the lines of one chain below each other: its second cells begin with a relation."""
    starts = [_first_text(line.elements[1]) for line in table.elements if len(line.elements) == 2]
    return bool(starts) and len(starts) == len(table.elements) and all(text in _RELATIONS for text in starts)


def _first_text(node: Node) -> str:
    while node.elements:
        node = node.elements[0]
    return node.words.text.strip()


def _is_fenced(node: Node) -> bool:
    elements = node.elements
    return elements[0].words.text in _OPENING and elements[-1].words.text in _CLOSING


_LEAVES: Final = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_ROWS: Final = frozenset({"math", "mrow", "mstyle", "semantics", "mpadded", "merror", "menclose"})
_WRITERS: Final[dict[str, Callable[[_Writer, Node, int], None]]] = {
    "mfrac": _Writer.fraction,
    "msqrt": _Writer.square_root,
    "mroot": _Writer.any_root,
    "msub": _Writer.scripts,
    "msup": _Writer.scripts,
    "msubsup": _Writer.scripts,
    "munderover": _Writer.scripts,
    "mover": _Writer.accent,
    "munder": _Writer.accent,
    "mfenced": _Writer.fenced,
    "mtable": _Writer.table,
}
