"""Blocks as one self-contained HTML page with MathML; each formula can be copied as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

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
    Token,
)
from symattn.rendering.language import Language
from symattn.rendering.latex import LatexWriter
from symattn.rendering.templates import template


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

    >>> "msqrt" in mathml(r"\sqrt{3}", display=False)
    True
    """
    return _converted(latex, display)


@lru_cache(maxsize=4096)
def _converted(latex: str, display: bool) -> str:  # noqa: FBT001  (a cache key)
    return str(latex2mathml.converter.convert(latex, display="block" if display else "inline"))


def _math(formula: Formula, writer: LatexWriter, *, display: bool) -> _Math:
    latex = writer.write(formula)
    return _Math(latex, mathml(latex, display=display))


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
    kind = "note" if isinstance(block, Note) else "paragraph"
    return {"kind": kind, "inlines": _inlines(block.inlines, writer)}


def _inlines(inlines: Inlines, writer: LatexWriter) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for inline in inlines:
        if isinstance(inline, Math):
            out.append({"kind": "math", "math": _math(inline.formula, writer, display=False)})
        elif isinstance(inline, (Token, Outside)):
            out.append({"kind": "token" if isinstance(inline, Token) else "outside", "text": inline.text})
        else:
            out.append({"kind": "text", "text": inline})
    return out


def _title(blocks: Iterable[Block]) -> str:
    for block in blocks:
        if isinstance(block, (Heading, Paragraph)):
            return "".join(
                part.text if isinstance(part, (Token, Outside)) else part
                for part in block.inlines
                if not isinstance(part, Math)
            )
    return "symattn"
