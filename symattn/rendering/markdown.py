"""Blocks as Markdown with LaTeX formulas: $inline$ and $$displayed$$."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
from symattn.rendering.latex import LatexWriter
from symattn.rendering.words import isolated, markdown_words


def markdown(blocks: Iterable[Block], writer: LatexWriter) -> str:
    """The document as Markdown text.

    >>> from symattn.formulas import Name
    >>> print(markdown([Heading(2, ("Scores ", Math(Name("Q"))))], LatexWriter()), end="")
    ## Scores $Q$
    """
    return "\n".join(line for block in blocks for line in _block(block, writer)).strip("\n") + "\n"


def _block(block: Block, writer: LatexWriter) -> Iterator[str]:
    if isinstance(block, Heading):
        yield "#" * block.level + " " + _inlines(block.inlines, writer)
    elif isinstance(block, Display):
        yield f"$$\n{writer.write(block.formula)}\n$$"
    elif isinstance(block, Bullets):
        for number, (inlines, formulas) in enumerate(block.items, 1):
            mark = f"{number}." if block.style == "number" else "-"
            yield f"{mark} {_inlines(inlines, writer)}"
            for formula in formulas:
                yield f"  $$\n  {writer.write(formula)}\n  $$"
    elif isinstance(block, Note):
        yield "> " + _inlines(block.inlines, writer)
    elif isinstance(block, Table):
        yield _cells((_inlines(cell, writer) for cell in block.header), " ")
        yield _cells(({"l": ":--", "r": "--:"}[letter] for letter in block.align), "")
        for row in block.rows:
            yield _cells((_inlines(cell, writer) for cell in row), " ")
    elif isinstance(block, Picture):
        yield f"![{markdown_words(block.alt)}]({block.name}.svg)"
    else:
        yield _inlines(block.inlines, writer)
    yield ""


def _cells(cells: Iterable[str], space: str) -> str:
    return "|" + "|".join(f"{space}{cell}{space}" for cell in cells) + "|"


def _inlines(inlines: Inlines, writer: LatexWriter) -> str:
    return "".join(_inline(inline, writer) for inline in inlines)


def _inline(inline: Inline, writer: LatexWriter) -> str:
    if isinstance(inline, str):
        return inline
    if isinstance(inline, Math):
        return f"${writer.write(inline.formula)}$"
    text = isolated(markdown_words(inline.text))
    return f"“{text}”" if isinstance(inline, Token) else text
