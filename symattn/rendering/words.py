r"""Text from outside, made harmless: in formulas, in TeX, in Markdown.

Arrives: any text. Leaves: the same text as each format shows it verbatim, with nothing for the format to act on.
HTML is escaped by its template engine. Characters that would act on the text around them without being seen
(overrides of direction, line separators) are shown by their number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Final, Literal

Target = Literal["portable", "xelatex", "mathml"]
Direction = Literal["L", "R"]
Script = Literal["plain", "symbol", "glyphs"]

MATH_ESCAPES: Final = {
    "%": r"\%",
    "_": r"\_",
    "&": r"\&",
    "#": r"\#",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "\\": r"\backslash{}",
    "^": r"{\hat{\ }}",
    "`": r"{\grave{\ }}",
    "~": r"{\sim}",
    "<": "{<}",
    ">": "{>}",
    "[": "{[}",
    "]": "{]}",
}
"""Characters that no single escape inside \\text shows in TeX, KaTeX and MathJax alike: they stand in \\mathrm.

Brackets are among them because a Markdown reader without mathematics would take `[a](b)` inside \\text for a link.
"""

TEX_ESCAPES: Final = {
    **{c: "\\" + c for c in "%_&#{}$"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "[": "{[}",
    "]": "{]}",
}

TEX_SYMBOLS: Final = {
    "≈": r"\approx",
    "→": r"\to",
    "←": r"\leftarrow",
    "√": r"\surd",
    "∞": r"\infty",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "−": "-",
    "π": r"\pi",
    "∈": r"\in",
    "∑": r"\sum",
}
"""Signs that text fonts lack and mathematics has."""

MARKDOWN_ESCAPES: Final = {
    **{c: "\\" + c for c in "\\`*_{}[]#$~^|!:@()"},
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
}

STAND_INS: Final[Mapping[str, str]] = MappingProxyType(
    {c: chr(0xFDD0 + i) for i, c in enumerate("\\{}$%#&<>^_~[]' \"`")}
)
"""What stands for ASCII signs on the way through a LaTeX reader: noncharacters, which no shown text holds."""

SHAPED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ARABIC": "arab",
        "SYRIAC": "syrc",
        "HEBREW": "hebr",
        "DEVANAGARI": "dev2",
        "BENGALI": "bng2",
        "GURMUKHI": "gur2",
        "GUJARATI": "gjr2",
        "ORIYA": "ory2",
        "TAMIL": "tml2",
        "TELUGU": "tel2",
        "KANNADA": "knd2",
        "MALAYALAM": "mlm2",
        "SINHALA": "sinh",
        "TIBETAN": "tibt",
        "MYANMAR": "mym2",
        "KHMER": "khmr",
    }
)
"""Scripts whose letters a font joins or reorders only when it is told the script, with their OpenType tags."""

BREAK_EVERY: Final = 24
"""Letters after which a very long word may be broken in print."""

_PLAIN = re.compile(r"[A-Za-z0-9]")
_ACTS_UNSEEN = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff]"
)
_MIRRORED: Final = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_REPEATED = re.compile(r"(?<=([-' ]))(?=\1)")
_LINKED_OR_SMART = re.compile(r"(?i)(?<=\bwww)\.|-(?=-)")  # what some readers make links and dashes of
_JOINER, _NON_JOINER, _KEYCAP = "\u200d", "\u200c", "\u20e3"


def visible(text: str) -> str:
    r"""Text whose characters all keep to themselves: those that act unseen on their surroundings are named.

    >>> visible("a\u202eb"), visible("שלום") == "שלום"
    ('aU+202Eb', True)
    """
    return _ACTS_UNSEEN.sub(lambda m: f"U+{ord(m[0]):04X}", text)


# ---- in formulas -----------------------------------------------------------------------------------------------


def math_words(text: str, target: Target = "portable") -> str:
    r"""Text inside a formula, for every reader of LaTeX (portable), for our TeX documents, or on the way to MathML.

    >>> math_words("Time"), math_words("_x"), math_words("50% off")
    ('\\text{Time}', '\\mathrm{\\_x}', '\\text{50}\\mathrm{\\%}\\text{ off}')
    """
    if target == "xelatex":
        return rf"\text{{{tex_words(text, breakable=False)}}}"
    shown = visible(text)
    if target == "mathml":
        return rf"\text{{{_escaped(shown, STAND_INS)}}}"
    if shown and any(c in MATH_ESCAPES for c in shown) and all(_PLAIN.match(c) or c in MATH_ESCAPES for c in shown):
        return rf"\mathrm{{{_escaped(shown, MATH_ESCAPES)}}}"
    parts = []
    for special, group in groupby(shown, key=lambda c: c in MATH_ESCAPES):
        run = "".join(group)
        if special:
            parts.append(rf"\mathrm{{{_escaped(run, MATH_ESCAPES)}}}")
        else:  # -- and '' would become a dash and a quotation mark, two spaces one
            parts += [rf"\text{{{part}}}" for part in _pieces(run)]
    return "".join(parts) or r"\text{}"


def _pieces(run: str) -> Iterator[str]:
    start = 0
    for cut in _REPEATED.finditer(run):
        yield run[start : cut.start()]
        start = cut.start()
    yield run[start:]


def given_back(text: str) -> str:
    r"""Text in which the stand-ins of the MathML target are the signs again.

    >>> given_back(math_words("50%", "mathml"))
    '\\text{50%}'
    """
    return text.translate({ord(stand_in): sign for sign, stand_in in STAND_INS.items()})


# ---- in TeX ----------------------------------------------------------------------------------------------------


def tex_words(text: str, *, breakable: bool = True) -> str:
    r"""Text in the running text of a TeX document, in the macros of our preamble where a script needs them.

    >>> tex_words(r"\input{x}")
    '\\textbackslash{}input\\{x\\}'
    >>> tex_words("שלום") == r"\symattnrtl{\symattnglyphs[hebr]{5E9,5DC,5D5,5DD}{שלום}}"
    True
    """
    shown = visible(text)
    if shown.isascii():
        return _tex_plain(shown, breakable=breakable)
    runs = list(_directions(shown))
    if len(runs) == 1 and runs[0][0] == "L":
        return _tex_run(runs[0][1], breakable=breakable)
    from_right = runs[0][0] == "R"
    parts = []
    for direction, run in runs:
        words = _tex_run(run, breakable=breakable, leftward=direction == "R")
        if (direction == "R") == from_right:
            parts.append(words)
        else:
            parts.append(rf"\symattn{'ltr' if from_right else 'rtl'}{{{words}}}")
    return rf"\symattnrtl{{{''.join(parts)}}}" if from_right else "".join(parts)


def _directions(text: str) -> Iterator[tuple[Direction, str]]:
    """Runs of one direction; the first strong one is that of the whole, and neutral characters follow it."""
    strong = [_direction(c) for c in text]
    if "R" not in strong:
        yield "L", text
        return
    base = next(direction for direction in strong if direction)
    resolved: list[Direction] = []
    before: Direction = base
    for neutral, group in groupby(enumerate(strong), key=lambda pair: not pair[1]):
        places = [i for i, _ in group]
        if not neutral:
            resolved += [direction for i in places if (direction := strong[i])]
            before = resolved[-1]
            continue
        end = places[-1] + 1
        after = (strong[end] if end < len(strong) else "") or base
        resolved += [before if before == after else base] * len(places)
    for way, run in groupby(zip(resolved, text, strict=True), key=lambda pair: pair[0]):
        yield way, "".join(c for _, c in run)


def _direction(character: str) -> Literal[""] | Direction:
    if character.isascii():
        return "L" if character.isalnum() else ""
    kind = unicodedata.bidirectional(character)
    return "R" if kind in {"R", "AL"} else "L" if kind == "L" else ""


def _tex_run(text: str, *, breakable: bool, leftward: bool = False) -> str:
    parts = []
    for kind, run in script_runs(text):
        if kind == "plain":
            parts.append(_tex_plain(_turned(run) if leftward else run, breakable=breakable))
        elif kind == "symbol":
            parts += [rf"\ensuremath{{{TEX_SYMBOLS[c]}}}" for c in run]
        else:
            codes = ",".join(f"{ord(c):X}" for c in run)
            tag = SHAPED.get(_script_name(run[0]), "")
            shaped = f"[{tag}]" if tag else ""
            parts.append(rf"\symattnglyphs{shaped}{{{codes}}}{{{_escaped(run, TEX_ESCAPES)}}}")
    return "".join(parts)


def _turned(run: str) -> str:
    """Punctuation among right-to-left words: TeX turns the order of words around, but not what a word is made of."""
    return " ".join(part[::-1].translate(_MIRRORED) for part in run.split(" "))


def _tex_plain(run: str, *, breakable: bool) -> str:
    out: list[str] = []
    length = 0
    for i, c in enumerate(run):
        length = 0 if c == " " else length + 1
        out.append(r"\ " if c == " " and run[i - 1 : i] == " " else TEX_ESCAPES.get(c, c))
        if breakable and length and length % BREAK_EVERY == 0:
            out.append(r"\allowbreak{}")
    return "".join(out)


def script_runs(text: str) -> Iterator[tuple[Script, str]]:
    """Runs of text by what a TeX font must be able to do; letters of one script stay together, pictographs do not."""
    for (kind, _), group in groupby(_clusters(text), key=lambda cluster: cluster[:2]):
        yield kind, "".join(cluster[2] for cluster in group)


def _clusters(text: str) -> Iterator[tuple[Script, str, str]]:
    """Characters with all that joins onto them: kind, what may stand beside it in one run, text."""
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _joins(text, start, end):
            end += 1
        cluster = "".join(c for c in unicodedata.normalize("NFC", text[start:end]) if not _is_selector(c))
        if cluster and not (len(cluster) == 1 and _is_invisible(cluster)):
            yield _classified(cluster, start)
        start = end


def _joins(text: str, start: int, at: int) -> bool:
    c, before = text[at], text[at - 1]
    if unicodedata.category(c) in {"Mn", "Mc", "Me"} or _is_selector(c) or c in {_JOINER, _NON_JOINER, _KEYCAP}:
        return True
    if before == _JOINER or 0x1F3FB <= ord(c) <= 0x1F3FF or 0xE0020 <= ord(c) <= 0xE007F:
        return True
    return at == start + 1 and all(0x1F1E6 <= ord(x) <= 0x1F1FF for x in (before, c))  # the two letters of a flag


def _is_selector(c: str) -> bool:
    return 0xFE00 <= ord(c) <= 0xFE0F


def _is_invisible(c: str) -> bool:
    return unicodedata.category(c) == "Cf"


def _classified(cluster: str, place: int) -> tuple[Script, str, str]:
    first = cluster[0]
    if len(cluster) == 1:
        if first in TEX_SYMBOLS:
            return "symbol", "", cluster
        if _in_every_font(ord(first)) or _is_han(ord(first)):
            return "plain", "", cluster
    if unicodedata.category(first)[0] == "L":
        return "glyphs", _script_name(first), cluster
    return "glyphs", str(place), cluster


def _script_name(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ")[0]


def _in_every_font(code: int) -> bool:
    """Basic Latin with its accents, and the punctuation that text fonts have."""
    return code < 0x7F or 0xA1 <= code < 0x17F or code in {0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026}


def _is_han(code: int) -> bool:
    """What the Chinese fonts of a TeX system show; Hangul is not among it."""
    if 0x3130 <= code <= 0x318F:
        return False
    return 0x2E80 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0xFE30 <= code <= 0xFE4F or 0xFF00 <= code <= 0xFFEF


def needs_cjk(text: str) -> bool:
    """Whether a text has characters that TeX's Chinese fonts show.

    >>> needs_cjk("时间"), needs_cjk("time")
    (True, False)
    """
    return any(_is_han(ord(c)) for c in text)


# ---- in Markdown -----------------------------------------------------------------------------------------------


def markdown_words(text: str) -> str:
    r"""Text in the running text of a Markdown document.

    >>> markdown_words("<b>*x*</b>")
    '&lt;b&gt;\\*x\\*&lt;/b&gt;'
    """
    shown = _escaped(visible(text), MARKDOWN_ESCAPES)
    return _LINKED_OR_SMART.sub(r"\\\g<0>", shown)


def isolated(text: str) -> str:
    r"""Text with right-to-left words in it, set apart so that the text around it keeps its order.

    >>> isolated("Time"), isolated("שלום") == "\u2068שלום\u2069"
    ('Time', True)
    """
    return f"\u2068{text}\u2069" if any(_direction(c) == "R" for c in text) else text


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(c, c) for c in text)
