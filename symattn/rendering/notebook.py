"""How a derivation shows itself in a notebook."""

from __future__ import annotations

from symattn.attention.trace import Derivation
from symattn.formulas import Chain, Name, Relation
from symattn.rendering.document import blocks_of, story_of
from symattn.rendering.html import fragment
from symattn.rendering.latex import LIMIT, LatexWriter
from symattn.rendering.options import Options

SHOWN = {"attention_weights": "weights", "output": "outputs"}


def latex_of(derivation: Derivation) -> str:
    """The weights and the output as displayed LaTeX."""
    writer = LatexWriter(limit=LIMIT)
    story = story_of(derivation, Options())
    equals: Relation = "="
    lines = [
        writer.write(
            Chain(
                Name(name),
                ((equals, story.named_matrix(name, derivation[name].rows, kind=kind).links[0][1]),),
            )
        )
        for name, kind in SHOWN.items()
    ]
    return "$$\\begin{array}{l}" + "\\\\[6pt] ".join(lines) + "\\end{array}$$"


def html_of(derivation: Derivation) -> str:
    """The whole derivation as HTML with MathML."""
    story = story_of(derivation, Options())
    return fragment(blocks_of(story), LatexWriter(limit=story.limit), story.language)
