"""Blocks as one self-contained HTML page with MathML; each formula can be copied as LaTeX.

Arrives: blocks and a writer of formulas. Leaves: a page that asks nothing of the network, or its inner part alone for
notebooks. The MathML is taken from its converter as a tree and written out here, so that nothing in it is ever markup
that came from outside.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, tostring

import latex2mathml.converter

from symattn.formulas import Formula
from symattn.rendering.blocks import (
    Block,
    Bullets,
    Display,
    Heading,
    Inlines,
    Math,
    Note,
    Outside,
    Paragraph,
    Picture,
    Table,
    Token,
)
from symattn.rendering.language import Language
from symattn.rendering.latex import LatexWriter
from symattn.rendering.templates import template
from symattn.rendering.words import given_back, visible

INLINE: Final = 44
"""Characters of LaTeX beyond which a formula in running text may be wider than a phone, and scrolls in a box."""
OPENING: Final = frozenset("([{,;=≈→·×/+−")
SIGNS: Final = frozenset("+−-")
TALL: Final = frozenset({"mtable", "mfrac", "msqrt", "munder", "msup"})
WORDS: Final = (r"\text", r"\mathrm")


@dataclass(frozen=True, slots=True)
class _Math:
    """A formula as the page holds it: its LaTeX, and the MathML that shows it."""

    latex: str
    mathml: str


def html(blocks: Iterable[Block], writer: LatexWriter, language: Language) -> str:
    """The document as an HTML page."""
    made = list(blocks)
    return template("derivation.html.j2").render(
        blocks=[_block(block, writer) for block in made],
        title=_title(made),
        tables=any(isinstance(block, Table) for block in made),
        pictures=any(isinstance(block, Picture) for block in made),
        language={"zh": "zh-Hans", "en": "en"}[language.key],
        copy=language.words("copy"),
        copied=language.words("copied"),
        made_by=language.words("made_by"),
    )


def fragment(blocks: Iterable[Block], writer: LatexWriter, language: Language) -> str:
    """The same blocks without the page around them, for notebooks."""
    return template("fragment.html.j2").render(
        blocks=[_block(block, writer) for block in blocks], copy=language.words("copy")
    )


def mathml(latex: str, *, display: bool) -> str:
    r"""A formula as MathML.

    Words in it are those of the target "mathml". What the converter spells in a way that browsers misread is mended:
    signs before a number, limits, the alignment of columns, blanks.

    >>> mathml(r"\sqrt{3}", display=False)
    '<math display="inline"><mrow><msqrt><mrow><mn>3</mn></mrow></msqrt></mrow></math>'
    """
    return _converted(latex, display)


@lru_cache(maxsize=4096)
def _converted(latex: str, display: bool) -> str:  # noqa: FBT001  (a cache key)
    tree = latex2mathml.converter.convert_to_element(latex, display="block" if display else "inline")
    del tree.attrib["xmlns"]  # HTML knows where it is
    _mend(tree, display=display)
    return tostring(tree, encoding="unicode", short_empty_elements=False)


def _mend(element: Element, *, display: bool) -> None:
    if element.text is not None:
        element.text = given_back(unescape(element.text))
    for child in element:
        _mend(child, display=display)
    _signs(element)
    _labels(element)
    children = list(element)
    if element.tag == "msub" and display and children[0].text == "lim":
        element.tag = "munder"
    elif element.tag == "mo" and element.text == "∞":
        element.tag = "mi"
    elif element.tag == "munder" and children[0].find("mspace") is not None:
        _as_blank(element, children[0].find("mspace"))
    elif element.tag == "mrow" and len(children) > 1 and children[0].get("fence") and not _tall(element):
        for fence in (children[0], children[-1]):
            fence.set("stretchy", "false")  # a bracket that may stretch is given more room than it needs
    elif element.tag == "mtd":
        align = element.attrib.pop("columnalign", "center")
        if align != "center":  # browsers read the style, not the attribute
            element.set("style", f"text-align: {align}")


def _tall(element: Element) -> bool:
    return any(part.tag in TALL for part in element.iter())


def _signs(row: Element) -> None:
    """A sign after an opening bracket or another operator belongs to the number behind it; a slash needs no space."""
    before: Element | None = None
    for child in row:
        if child.tag == "mo" and child.text in SIGNS and before is not None and _opens(before):
            child.set("form", "prefix")
        elif child.tag == "mo" and child.text == "/":
            child.attrib.update({"lspace": "0", "rspace": "0"})
        before = child


def _opens(element: Element) -> bool:
    return element.tag == "mo" and element.text in OPENING


def _labels(row: Element) -> None:
    """Words beside the rows of a matrix: a space after each arrow, and each row as high as the one it stands by."""
    for matrix, labels in itertools.pairwise(list(row)):
        cells = labels.findall("mtr/mtd") if labels.tag == "mtable" else []
        lines = matrix.findall("mtable/mtr")
        if len(cells) != len(lines) or not any(map(_begins_with_arrow, cells)):
            continue
        for cell, line in zip(cells, lines, strict=True):
            if _begins_with_arrow(cell):
                cell.insert(1, Element("mspace", {"width": "0.28em"}))
            fraction = line.find(".//mfrac")
            if fraction is not None:
                unseen = SubElement(SubElement(cell, "mpadded", {"width": "0"}), "mphantom")
                unseen.append(fraction)


def _begins_with_arrow(cell: Element) -> bool:
    return len(cell) > 0 and cell[0].text == "←"


def _as_blank(element: Element, space: Element | None) -> None:
    """An underlined space as a space with a line under it: browsers do not stretch the converter's bar."""
    width = "" if space is None else space.get("width", "")
    for child in list(element):
        element.remove(child)
    element.tag = "mspace"
    element.attrib.update({"width": width, "height": "1em", "depth": "0.3em", "style": "border-bottom: 1px solid"})


def _math(formula: Formula, writer: LatexWriter, *, display: bool) -> _Math:
    latex = writer.write(formula)
    shown = replace(writer, target="mathml").write(formula) if any(word in latex for word in WORDS) else latex
    return _Math(latex, mathml(shown, display=display))


def _block(block: Block, writer: LatexWriter) -> dict[str, Any]:
    if isinstance(block, Heading):
        return {"kind": "heading", "level": block.level, "inlines": _inlines(block.inlines, writer)}
    if isinstance(block, Display):
        return {"kind": "display", "math": _math(block.formula, writer, display=True)}
    if isinstance(block, Bullets):
        items = [
            {
                "inlines": _inlines(inlines, writer),
                "formulas": [_math(formula, writer, display=True) for formula in formulas],
            }
            for inlines, formulas in block.items
        ]
        return {"kind": "list", "style": block.style, "items": items}
    if isinstance(block, Table):
        return {
            "kind": "table",
            "header": _cells(block.header, block.align, writer),
            "rows": [_cells(row, block.align, writer) for row in block.rows],
        }
    if isinstance(block, Picture):
        source = "data:image/svg+xml;base64," + base64.b64encode(block.svg).decode("ascii")
        return {"kind": "picture", "source": source, "alt": visible(block.alt)}
    kind = "note" if isinstance(block, Note) else "paragraph"
    return {"kind": kind, "inlines": _inlines(block.inlines, writer)}


def _cells(cells: Iterable[Inlines], align: str, writer: LatexWriter) -> list[dict[str, Any]]:
    return [{"align": letter, "inlines": _inlines(cell, writer)} for cell, letter in zip(cells, align, strict=True)]


def _inlines(inlines: Inlines, writer: LatexWriter) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for inline in inlines:
        if isinstance(inline, Math):
            math = _math(inline.formula, writer, display=False)
            out.append({"kind": "math", "math": math, "wide": len(math.latex) > INLINE})
        elif isinstance(inline, (Token, Outside)):
            out.append({"kind": "token" if isinstance(inline, Token) else "outside", "text": visible(inline.text)})
        else:
            out.append({"kind": "text", "text": inline})
    return out


def _title(blocks: Iterable[Block]) -> str:
    for block in blocks:
        if isinstance(block, (Heading, Paragraph)):
            return "".join(
                visible(part.text) if isinstance(part, (Token, Outside)) else part
                for part in block.inlines
                if not isinstance(part, Math)
            )
    return "symattn"
