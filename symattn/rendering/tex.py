"""Blocks as a TeX document that compiles with XeLaTeX as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symattn.rendering.blocks import Block, Bullets, Display, Heading, Inline, Inlines, Math, Note, Token
from symattn.rendering.language import Language
from symattn.rendering.latex import LatexWriter
from symattn.rendering.templates import template
from symattn.rendering.words import needs_cjk, script_runs, tex_words


def tex(blocks: Iterable[Block], writer: LatexWriter, language: Language) -> str:
    """The document as TeX text; packages are asked for only where the text needs them."""
    lines = [line for block in blocks for line in _block(block, writer)]
    body = "\n".join(lines)
    scripts = {kind for kind, _ in script_runs(body)}
    return template("derivation.tex.j2").render(
        body=body,
        language=language.key,
        cjk=needs_cjk(body) or language.key == "zh",
        rtl="rtl" in scripts,
        pictographs="pictograph" in scripts,
        made_by=language.words("made_by"),
    )


def _block(block: Block, writer: LatexWriter) -> Sequence[str]:
    if isinstance(block, Heading):
        command = {1: "title", 2: "section*", 3: "subsection*"}[block.level]
        text = _inlines(block.inlines, writer)
        return [rf"\{command}{{{text}}}", *([r"\date{}", r"\maketitle"] if block.level == 1 else []), ""]
    if isinstance(block, Display):
        return [r"\fitted{" + writer.write(block.formula) + "}", ""]
    if isinstance(block, Bullets):
        kind = "enumerate" if block.style == "number" else "itemize"
        lines = [rf"\begin{{{kind}}}"]
        for inlines, formulas in block.items:
            lines.append(r"\item " + _inlines(inlines, writer))
            lines += [r"\fitted{" + writer.write(formula) + "}" for formula in formulas]
        return [*lines, rf"\end{{{kind}}}", ""]
    if isinstance(block, Note):
        return [r"\begin{quote}\itshape " + _inlines(block.inlines, writer), r"\end{quote}", ""]
    return [_inlines(block.inlines, writer), ""]


def _inlines(inlines: Inlines, writer: LatexWriter) -> str:
    return "".join(_inline(inline, writer) for inline in inlines)


def _inline(inline: Inline, writer: LatexWriter) -> str:
    if isinstance(inline, str):
        return tex_words(inline)
    if isinstance(inline, Math):
        return f"${writer.write(inline.formula)}$"
    text = tex_words(inline.text)
    return f"“{text}”" if isinstance(inline, Token) else text
