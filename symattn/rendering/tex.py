"""Blocks as a TeX document that compiles with XeLaTeX as it stands.

Arrives: blocks and a writer of formulas. Leaves: TeX text; fonts and packages are asked for only where the text
needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from symattn.formulas import Formula
from symattn.rendering.blocks import (
    Block,
    Bullets,
    Display,
    Heading,
    Inline,
    Inlines,
    Math,
    Note,
    Picture,
    Table,
    Token,
)
from symattn.rendering.language import Language
from symattn.rendering.latex import LatexWriter
from symattn.rendering.templates import template
from symattn.rendering.words import needs_cjk, tex_words

FRACTION: Final = r"\frac"
INLINE: Final = 60
"""Characters of LaTeX beyond which a formula in running text may be wider than a line."""

LINES: Final = 32
"""Rows of a table that stand together on a page."""


def tex(blocks: Iterable[Block], writer: LatexWriter, language: Language) -> str:
    r"""The document as TeX text.

    >>> from symattn.rendering.language import language
    >>> text = tex([Heading(2, ("50% of ", Token("a&b")))], LatexWriter(target="xelatex"), language("en"))
    >>> r"\section*{50\% of “a\&b”}" in text, "ctex" in text
    (True, False)
    """
    body = "\n".join(line for block in blocks for line in _block(block, writer))
    return template("derivation.tex.j2").render(
        body=body,
        language=language.key,
        cjk=needs_cjk(body) or language.key == "zh",
        tables=r"\symattntable" in body,
        pictures=r"\symattnpicture" in body,
        rtl=r"\symattnrtl" in body,
        glyphs=r"\symattnglyphs" in body,
        made_by=language.words("made_by"),
    )


def _block(block: Block, writer: LatexWriter) -> Iterator[str]:
    if isinstance(block, Heading):
        command = {1: "symattntitle", 2: "section*", 3: "subsection*"}[block.level]
        yield rf"\{command}{{{_inlines(block.inlines, writer)}}}"
    elif isinstance(block, Display):
        yield _fitted(block.formula, writer)
    elif isinstance(block, Bullets):
        kind = "enumerate" if block.style == "number" else "itemize"
        yield rf"\begin{{{kind}}}"
        for inlines, formulas in block.items:
            yield r"\item " + _inlines(inlines, writer)
            for formula in formulas:
                yield _fitted(formula, writer)
        yield rf"\end{{{kind}}}"
    elif isinstance(block, Note):
        yield r"\begin{symattnnote}"
        yield _inlines(block.inlines, writer)
        yield r"\end{symattnnote}"
    elif isinstance(block, Table):
        yield from _table(block, writer)
    elif isinstance(block, Picture):
        yield rf"\symattnpicture{{{block.name}.png}}{{{tex_words(block.alt)}}}"
    else:
        yield _inlines(block.inlines, writer)
    yield ""


def _table(table: Table, writer: LatexWriter) -> Iterator[str]:
    header = _cells(table.header, writer)
    for start in range(0, len(table.rows), LINES):
        lines = [_cells(row, writer) for row in table.rows[start : start + LINES]]
        yield rf"\symattntable{{{table.align}}}{{{header}\\ \hline {' '.join(line + chr(92) * 2 for line in lines)}}}"


def _cells(cells: tuple[Inlines, ...], writer: LatexWriter) -> str:
    return "& ".join(_inlines(cell, writer, fitted=False) for cell in cells)


def _fitted(formula: Formula, writer: LatexWriter) -> str:
    latex = writer.write(formula)
    return rf"\fitted{'tall' if FRACTION in latex else ''}{{{latex}}}"


def _inlines(inlines: Inlines, writer: LatexWriter, *, fitted: bool = True) -> str:
    return "".join(_inline(inline, writer, fitted=fitted) for inline in inlines)


def _inline(inline: Inline, writer: LatexWriter, *, fitted: bool) -> str:
    if isinstance(inline, str):
        return tex_words(inline)
    if isinstance(inline, Math):
        latex = writer.write(inline.formula)
        # TeX breaks a line neither inside \left[ \right] nor inside \text: where that may be long, the line is fitted
        return rf"\fittedinline{{{latex}}}" if fitted and len(latex) > INLINE else f"${latex}$"
    text = tex_words(inline.text)
    return f"“{text}”" if isinstance(inline, Token) else text
