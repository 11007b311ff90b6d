r"""Which sign parts the whole from the fraction: 0.73, 0,73 or 0{,}73, and what parts thousands.

Arrives: the texts of a document, one by one. Leaves: what each shows of its decimal sign, the decision for all of them,
and in one text which commas are decimal signs and which semicolons stand between the items of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from symattn.documents.reading.names import FUNCTIONS
from symattn.documents.reading.tokens import SPACES

_RUN: Final = r"[0-9]+(?:(?:\{,\}|[.,])[0-9]+)*"
_PIECES: Final = re.compile(rf"\\[,;:!\\]|(?P<run>{_RUN})|(?P<open>[\[({{⟨（［])|(?P<close>[\])}}⟩）］])|[;,；]")
_SEPARATORS: Final = re.compile(r"\{,\}|[.,]")
_ANY: Final = re.compile(r"[0-9](?:\{,\}|[.,])[0-9]|[;；]")
_BRACED: Final = re.compile(r"[0-9]\{,\}[0-9]")
_OPERATOR_BEFORE: Final = re.compile(
    r"(?:[+·×⋅∙÷√^≈≃≅≤≥<>−]|(?<!^)(?<!\n)[*/]|\\(?:approx|simeq|cong|cdot|times|div|pm|sqrt\{?|frac\{|to|rightarrow)|\^\{)"
    r"\s*[-−]?\s*$"
)
_OPERATOR_AFTER: Final = re.compile(
    r"\s*(?:[+·×⋅∙÷≈≃=^−/]|\*(?!\*)|\\(?:approx|simeq|cdot|times|div|pm))|[ \u00a0\u202f]?\s?(?:\\,)?\\?%"
)
_EQUALS: Final = re.compile(r"=\s*&?\s*[-−]?\s*$")
_ITEM_BEFORE: Final = re.compile(r"(?:;\s*|,\s+|&\s*|\\\\\s*)[-−]?\s*$")
_ITEM_AFTER: Final = re.compile(r"\s*(?:[;；&]|,\s|\\\\)")
_COMMAND_END: Final = re.compile(r"\\[A-Za-z]+$")
_SPACED: Final = re.compile(r"[0-9})\]][ \t]+[-−+]?[0-9\[(]")
_CALLED: Final = re.compile(r"(?:([A-Za-z]+)|[\^√+*/·×⋅−-])\s*(?:\\left)?\s*$")
_TUPLED: Final = frozenset({"max", "min", "softmax", "argmax", "dot"})
_ONE: Final = re.compile(r"\s*[-−+]?\s*[0-9]+,[0-9]+\s*")
_SPACES: Final = (*SPACES, "\\", "~", "")
_WIDE: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENGLISH: Final = re.compile(
    r"\b(?:the|and|of|is|we|are|with|each|this|that|for|row|so|by|which)\b",
    re.IGNORECASE,
)
_OTHERS: Final = re.compile(
    r"\b(?:und|der|die|das|ist|mit|wir|für|jede|zeile|eine|werden|auf|durch|aus"
    r"|le|les|et|est|des|une|nous|pour|avec|sont|donc|ligne|chaque|du|dans"
    r"|el|los|las|es|una|con|para|por|del|cada|fila|pesos|y|se"
    r"|il|che|di|per|sono|riga|ogni|della|dei|gli|un"
    r"|o|os|e|uma|com|linha|são|da|do|dos"
    r"|и|на|с|для|что|это|мы|в|из|по|не|как|за"
    r"|và|là|của|với|cho|mỗi|các|một|được|hàng"
    r"|oraz|jest|dla|się|każdy|wiersz|przez|są|na"
    r"|en|het|een|van|voor|wordt|elke|rij|och|att|för|av|varje|er|og)\b",
    re.IGNORECASE,
)
_FRACTIONS: Final = re.compile(r"e\^|\\(?:exp|sqrt|[dt]?frac|div|approx|simeq|ln|log|sigma)|[/÷√≈≃]|exp|softmax")
_WORDS_READ: Final = 20_000
_LONGEST: Final = 2_000
"""Characters of a list that are looked at."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """How often a text shows each decimal sign: surely, or perhaps (1,024 may be a thousand, [1,5] two numbers)."""

    commas: int = 0
    points: int = 0
    braced: int = 0
    perhaps_commas: int = 0
    perhaps_points: int = 0
    perhaps_braced: int = 0

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


def evidence_of(text: str) -> Evidence:
    r"""What a text shows of its decimal sign.

    >>> evidence_of("0,67 + 0,33 = 1").commas, evidence_of("x = [1,0,1]").commas, evidence_of(r"$e = 2{,}7$").braced
    (2, 0, 1)
    """
    counts = dict.fromkeys(Evidence.__slots__, 0)
    if _ANY.search(text):
        for kind in _kinds(text):
            counts[kind] += 1
    return Evidence(**counts)


def decimal_comma_of(main: Iterable[str], code: Iterable[str] = ()) -> bool:
    r"""Whether the texts of a document write 0,73: prose, formulas and tables first, then its blocks of code.

    Where all that it shows may be something else, the language of its words decides.

    >>> decimal_comma_of(["Die Summe ist 0,67 + 0,33 = 1."]), decimal_comma_of(["The rows are [1,0] and [0,1]."])
    (True, False)
    """
    texts, blocks = list(main), list(code)
    first = sum(map(evidence_of, texts), Evidence())
    second = sum(map(evidence_of, blocks), Evidence())
    both = first + second
    if both.braced:
        return True
    for shown in (first, second):
        if shown.commas != shown.points:
            return shown.commas > shown.points
    if both.points:
        return False
    language = _language([*texts, *blocks])
    if both.perhaps_braced:
        # 2·512 = 1{,}024 without a word is a thousand, e^2 = 7{,}389 is none
        return language > 0 or (language == 0 and any(map(_FRACTIONS.search, texts)))
    return both.perhaps_commas > both.perhaps_points and language > 0


def _language(texts: Iterable[str]) -> int:
    """1 where the words are of a language that writes decimal commas, -1 where they are not, 0 where there are none."""
    joined = " ".join(text[:_WORDS_READ] for text in texts)[:_WORDS_READ]
    point = len(_ENGLISH.findall(joined)) + len(_WIDE.findall(joined))
    comma = len(_OTHERS.findall(joined))
    return (comma > point) - (comma < point)


def _kinds(text: str) -> Iterator[str]:
    frames: list[str] = []
    for match in _PIECES.finditer(text):
        if match["open"]:
            frames.append(_bracket(text, match.start()))
        elif match["close"]:
            if frames:
                frames.pop()
        elif match["run"] and (kind := _shown(text, match, frames[-1] if frames else "")):
            yield kind


def _bracket(text: str, at: int) -> str:
    """The kind of a bracket that opens: `_` for indices, `{` for a group of TeX, `s` for a set, or itself."""
    character = text[at]
    if character != "{":
        return {"（": "(", "［": "["}.get(character, character)
    before = text[max(0, at - 12) : at].rstrip()
    if before.endswith("\\"):
        return "s"
    if before.endswith("_") or re.search(r"(?:R\}|ℝ|R)\s*\^$", before):
        return "_"
    return "{"


def _shown(text: str, match: re.Match[str], frame: str) -> str:
    """What a number shows, as a field of Evidence; nothing where it has no sign inside, or is an index or a list."""
    run, start, end = match["run"], match.start(), match.end()
    signs = _SEPARATORS.findall(run)
    if not signs or frame == "_" or _is_named(text, start):
        return ""
    if len(signs) > 1:
        return _shown_by_several(run, signs)
    whole, fraction = re.split(_SEPARATORS, run)
    thousand = _may_be_thousand(whole, fraction)
    sure = _is_sure(text, start, end, frame, whole, fraction)
    if signs[0] == "{,}":
        alone = (
            frame in ("(", "[", "s")
            and text[start - 1 : start] in tuple("([{")
            and text[end : end + 1] in tuple(")]\\")
        )
        if thousand:
            return "" if fraction == "000" else "perhaps_braced"
        return "" if alone and len(fraction) == 1 else "braced"
    if signs[0] == ".":
        item = frame in ("[", "(") and _is_item(text, start, end)
        if text[end : end + 1] == "-" or thousand or not (sure or item):
            return "perhaps_points"
        return "points"
    if thousand:
        return "" if fraction == "000" else "perhaps_commas"
    if sure:
        return "commas"
    listed = frame in ("(", "[", "s", "⟨")
    return "perhaps_commas" if not listed or _is_item(text, start, end) else ""


def _shown_by_several(run: str, signs: list[str]) -> str:
    if "{,}" in signs and "," in signs:
        return "braced" if not _may_be_thousand(*re.split(_SEPARATORS, run)[:2]) else ""
    parts = re.split(_SEPARATORS, run)
    grouped = len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:-1])
    if signs[-1] == "." and set(signs[:-1]) == {","} and grouped:
        return "points"
    if signs[-1] == "," and set(signs[:-1]) == {"."} and grouped:
        return "commas"
    return "points" if signs[::2] == ["."] * len(signs[::2]) and set(signs[1::2]) == {","} else ""


def _is_named(text: str, start: int) -> bool:
    """Whether digits belong to a name before them: W1, S_1; not those right behind a command of TeX."""
    before = text[start - 1 : start]
    if before == "_":
        return True
    return before.isalpha() and not _COMMAND_END.search(text[max(0, start - 16) : start])


def _may_be_thousand(whole: str, fraction: str) -> bool:
    return len(fraction) == 3 and whole[0] != "0" and len(whole) <= 3


def _is_item(text: str, start: int, end: int) -> bool:
    return bool(_ITEM_AFTER.match(text, end) or _ITEM_BEFORE.search(text[max(0, start - 12) : start]))


def _is_sure(text: str, start: int, end: int, frame: str, whole: str, fraction: str) -> bool:
    """Whether a comma or point in a number can be nothing but a decimal sign."""
    before = text[max(0, start - 24) : start]
    long = len(fraction) > 1
    if frame in ("[", "(", "s", "⟨"):
        operand = _OPERATOR_BEFORE.search(before) or _OPERATOR_AFTER.match(text, end)
        return bool(operand) and long and whole == "0"
    if _OPERATOR_BEFORE.search(before) or _OPERATOR_AFTER.match(text, end):
        return True
    if _EQUALS.search(before):
        line = text[max(0, start - 80) : start].rpartition("\n")[2]
        return long and not re.search(r",[^=]*=\s*[-−]?$", line)
    return long and whole == "0"


# ---- the signs of one text -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Signs:
    """Where in a text commas are decimal signs, and semicolons stand between items; `comma` when it writes 0,73."""

    comma: bool
    decimals: frozenset[int] = frozenset()
    separators: frozenset[int] = frozenset()


@dataclass(slots=True)
class _Frame:
    """A bracket that is open."""

    kind: str
    start: int
    runs: list[tuple[int, str]] = field(default_factory=list)
    semicolons: list[int] = field(default_factory=list)
    spaced: bool = False  # a comma with a space behind it
    tight: bool = False  # a comma between other things than numbers


def signs_of(text: str, *, decimal_comma: bool, latex: bool) -> Signs:
    """The signs of a text in a document that writes decimal commas, or does not; what the text itself shows decides.

    >>> text = "[0,73, 0,27] and (1,0) and 2,5"
    >>> sorted(signs_of(text, decimal_comma=True, latex=False).decimals)
    [2, 8, 28]
    """
    if not _ANY.search(text):
        return Signs(decimal_comma)
    shown = evidence_of(text)
    commas = shown.commas + shown.braced
    comma = commas > 0 if bool(commas) != bool(shown.points) else decimal_comma
    return _Scan(text, latex=latex).run() if comma else Signs(comma=False)


class _Scan:
    """One pass over a text that writes decimal commas."""

    def __init__(self, text: str, *, latex: bool) -> None:
        self.text = text
        self.latex = latex
        self.braced = bool(_BRACED.search(text))
        self.decimals: set[int] = set()
        self.separators: set[int] = set()

    def run(self) -> Signs:
        frames = [_Frame("", -1)]
        for match in _PIECES.finditer(self.text):
            frame, at = frames[-1], match.start()
            if match["open"]:
                frames.append(_Frame(self.kind(at), at))
            elif match["close"]:
                if len(frames) > 1:
                    self.settle(frames.pop(), at)
            elif match["run"]:
                if "," in match["run"] and frame.kind != "_" and not _is_named(self.text, at):
                    frame.runs.append((at, match["run"]))
            elif match.group() in (";", "；"):
                frame.semicolons.append(at)
            elif match.group() == ",":
                spaced = self.text[at + 1 : at + 2] in _SPACES or self.text[at - 1 : at] in _SPACES
                frame.spaced |= spaced
                frame.tight |= not spaced
        for frame in reversed(frames):
            self.settle(frame, len(self.text))
        return Signs(comma=True, decimals=frozenset(self.decimals), separators=frozenset(self.separators))

    def kind(self, at: int) -> str:
        kind = _bracket(self.text, at)
        return "s" if kind == "{" and not self.latex and self.text[at - 1 : at] != "^" else kind

    def settle(self, frame: _Frame, end: int) -> None:
        """Decide the commas right inside of a bracket, and its semicolons."""
        listed = frame.kind in ("[", "(", "s", "⟨")
        found = self.found(frame, end, listed=listed)
        self.decimals.update(found)
        short = end - frame.start < _LONGEST
        if listed and short and frame.semicolons and not frame.spaced and not frame.tight:
            plain = sum(run.count(",") - run.count("{,}") for _, run in frame.runs)
            inside = self.text[frame.start + 1 : end]
            if plain == len(found) and not _SPACED.search(inside) and "&" not in inside:
                self.separators.update(frame.semicolons)

    def found(self, frame: _Frame, end: int, *, listed: bool) -> list[int]:
        """The commas of a bracket that are decimal signs."""
        if self.braced:
            return []
        single: list[tuple[int, str, str]] = []
        several: list[int] | None = []
        for at, run in frame.runs:
            comma, parts, signs = run.find(","), re.split(_SEPARATORS, run), _SEPARATORS.findall(run)
            if signs == [","] or (signs[-1] == "," and set(signs[:-1]) == {"."}):
                single.append((at + run.rfind(","), parts[0], parts[-1]))
            elif set(signs) != {","} or comma < 0:
                several = None
            else:
                pairs = _pairs(at, run, parts)
                several = several + pairs if several is not None and pairs else None
        places = [at for at, _, _ in single]
        if several is None:
            return places if not listed else []
        if not listed or frame.semicolons or frame.spaced or several:
            return places + several
        return places if single and self.is_alone(frame, end, single) else []

    def is_alone(self, frame: _Frame, end: int, single: list[tuple[int, str, str]]) -> bool:
        """Whether commas in a bracket without other separators are decimal signs: (0,73), 2·(1,5); not (1,0)."""
        inside = self.text[frame.start + 1 : min(end, frame.start + _LONGEST)].removesuffix("\\right")
        long = all(len(fraction) > 1 for _, _, fraction in single)
        zero = long and all(whole == "0" for _, whole, _ in single)
        if frame.tight:
            return False
        called = _CALLED.search(self.text[max(0, frame.start - 24) : frame.start])
        name = (called[1] or "").lower() if called else ""
        if name in _TUPLED:
            return False
        if _ONE.fullmatch(inside) is None:
            numbers = len(single) > 1 and bool(_SPACED.search(inside))
            return numbers or frame.kind == "(" or zero
        if frame.kind != "(":
            return zero
        operand = called is not None and (not name or name in FUNCTIONS)
        return long or operand or bool(_OPERATOR_AFTER.match(self.text, end + 1))


def _pairs(at: int, run: str, parts: list[str]) -> list[int]:
    """The decimal commas of 0,73,0,27: every second one, where the fractions are longer than the wholes."""
    fractions = parts[1::2]
    fits = len(parts) % 2 == 0 and len({len(part) for part in fractions}) == 1 and len(fractions[0]) > 1
    if not fits or any(len(part) != 1 for part in parts[::2]):
        return []
    return [at + match.start() for match in re.finditer(",", run)][::2]


# ---- thousands -----------------------------------------------------------------------------------------------------

_THIN: Final = "\u00a0\u2007\u2009\u202f"
_GROUPS: Final = r"(?P<whole>[1-9][0-9]{{0,2}}(?P<sign>{signs})[0-9]{{3}}(?:(?P=sign)[0-9]{{3}})*)(?!(?P=sign)?[0-9])"
_FRACTION_COMMA: Final = r"(?P<fraction>(?:\{,\}|[.,])[0-9]+)?"
_FRACTION_POINT: Final = r"(?P<fraction>\.[0-9]+)?"
_IN_BRACKETS: Final = r"\\,|['’]"


def _grouped(signs: str, fraction: str) -> re.Pattern[str]:
    return re.compile(_GROUPS.format(signs=signs) + fraction)


_FREE: Final = rf"\\[,;: ]|~|\{{\\,\}}|[{_THIN}]|['’]"
_THOUSANDS: Final = {
    # (a comma is the decimal sign, inside of a bracket): what may part groups of three
    (False, False): _grouped(rf"{_FREE}|\{{,\}}|,", _FRACTION_POINT),
    (False, True): _grouped(rf"{_IN_BRACKETS}|[{_THIN}]|\{{,\}}", _FRACTION_POINT),
    (True, False): _grouped(_FREE, _FRACTION_COMMA),
    (True, True): _grouped(rf"{_IN_BRACKETS}|[{_THIN}]", _FRACTION_COMMA),
}
_SPACE_GROUPS: Final = _grouped(" ", _FRACTION_COMMA)
_POINT_GROUPS: Final = re.compile(
    r"(?P<whole>[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+(?=(?:\{,\}|,)[0-9])|(?:\.[0-9]{3}){2,}|\.000))(?!\.?[0-9])"
    r"(?P<fraction>(?:\{,\}|,)[0-9]+)?"
)


def grouped_number(text: str, at: int, *, comma: bool, nested: bool, related: bool) -> tuple[int, str] | None:
    r"""The end and the plain digits of a number with its thousands parted: 1,024 and 1\,024 and, with commas, 1.024,5.

    `nested`: it stands in a bracket, where commas and spaces part entries; `related`: right behind a relation or sign.

    >>> grouped_number("1'024.5", 0, comma=False, nested=False, related=True)
    (7, '1024.5')
    """
    match = _THOUSANDS[comma, nested].match(text, at)
    if match is None and comma:
        match = _POINT_GROUPS.match(text, at) or (_SPACE_GROUPS.match(text, at) if related and not nested else None)
    if match is None:
        return None
    whole = re.sub("[^0-9]", "", match["whole"])
    fraction = re.sub("[^0-9]", "", match["fraction"] or "")
    return match.end(), f"{whole}.{fraction}" if fraction else whole
