r"""TeX files before their structure is read: comments dropped, verbatim text set aside.

Arrives: the placed text of a file. Leaves: the same without comments and `\iffalse` parts, placeholders for verbatim
text, and what those stand for; in one pass, since a `%` in verbatim text is no comment and a `\verb` in a comment none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from symattn.documents.formats.flow import HOLDER
from symattn.documents.formats.offsets import Placed, Weaver

_VERBATIM: Final = frozenset({"verbatim", "Verbatim", "lstlisting", "minted", "alltt", "BVerbatim", "filecontents"})
_FIRST = re.compile(
    r"\\begin[ \t]*\{(" + "|".join(sorted(_VERBATIM)) + r"|comment)(\*?)\}(?:\[[^\[\]\n]*\])?(?:\{([A-Za-z+#-]*)\})?"
    r"|\\(?:verb|lstinline|mintinline\{[a-z]*\})\*?(?:\[[^\[\]\n]*\])?([^A-Za-z\s*\[])"
    r"|\\if(?:false|0)\b|\\.|%[^\n]*|" + HOLDER,
    re.DOTALL,
)
_FI = re.compile(r"\\fi(?![A-Za-z])")
_LANGUAGE = re.compile(r"language=\{?(?:\[[^\]]*\])?([A-Za-z+#]+)")


@dataclass(slots=True)
class VerbatimText:
    """Verbatim text: where a placeholder stands for it."""

    content: Placed
    info: str
    inline: bool


def without_comments(placed: Placed) -> tuple[Placed, dict[int, VerbatimText]]:
    r"""The text without comments and `\iffalse` parts, and what its placeholders stand for, by their source offsets."""
    text = placed.text
    out = Weaver()
    codes: dict[int, VerbatimText] = {}
    done = at = 0
    while match := _FIRST.search(text, at):
        start, at = match.start(), match.end()
        if match[0].startswith("%"):
            out.copy(placed, done, start)
            line = text.rfind("\n", max(done, start - 200), start)
            if not text[line + 1 : start].strip() and at < len(text):
                at += 1  # a line that holds nothing else ends no paragraph
            done = at
        elif match[1] or match[4]:
            end, stop = _verbatim_end(text, match)
            if end is None:
                continue
            out.copy(placed, done, start)
            if match[1] != "comment":
                language = match[3] or (_LANGUAGE.search(match[0]) or ("", ""))[1]
                span = placed.span(start, start + 1)
                codes[span[0]] = VerbatimText(placed.slice(at, end), language.lower(), inline=not match[1])
                out.put(HOLDER, *span)
            done = at = stop
        elif match[0].startswith("\\if"):
            closed = _FI.search(text, at)
            out.copy(placed, done, start)
            done = at = closed.end() if closed else len(text)
    out.copy(placed, done)
    return out.finish(), codes


def _verbatim_end(text: str, match: re.Match[str]) -> tuple[int | None, int]:
    """Where verbatim text ends, and where the text goes on."""
    if match[1]:
        mark = f"\\end{{{match[1]}{match[2]}}}"
        end = text.find(mark, match.end())
        return (len(text), len(text)) if end < 0 else (end, end + len(mark))
    line = text.find("\n", match.end(), match.end() + 2_000)
    end = text.find("}" if match[4] == "{" else match[4], match.end(), line if line >= 0 else match.end() + 2_000)
    return (None, 0) if end < 0 else (end, end + 1)
