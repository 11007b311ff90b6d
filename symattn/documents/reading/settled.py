"""What tokens of plain text are beside their neighbours: columns, stacks, lists, and lines that go on.

Arrives: the tokens of a text. Leaves: tokens that can be parted into chains.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from symattn.documents.reading.tokens import Token, find_partners
from symattn.documents.reading.tree import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_VECTORS: Final = frozenset("QKVXqkvx")
_LONE_WORDS: Final = frozenset({"y", "e", "o", "u", "i", "a", "w", "z"})
"""Words of one letter, as Spanish, Italian, Portuguese and Polish have: 0,41 y 0,59; never factors behind a space."""
_BEHIND_WORDS: Final = frozenset({"text", "number", "open", "name", "constant", "function", "command"})


def words_settled(tokens: list[Token]) -> list[Token]:
    """The tokens with `x` between numbers made a cross, `a` before a word a word, a dash between words no minus.

    Where a list or a number is followed by a name that gets a value, a space parts them: V1 = [1, 2] V2 = [3, 4].
    """
    out = tokens[:1]
    depth = 0
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], None], strict=False):
        depth += (before.kind == "open") - (before.kind == "close")
        kind = _settled(out[-1], token, after)
        if kind == "quad" and depth == 0:
            out.append(Token("quad", "", token.start, token.start, 1))
        elif kind not in ("", "quad"):
            token = Token(kind, token.text, token.start, token.end, token.gap, "×" if kind == "operator" else None)
        out.append(token)
    return out


def closed(tokens: list[Token]) -> list[Token]:
    """The tokens without the comma behind the last row of a list where a remark follows it: [1, 0],  # tea."""
    out: list[Token] = []
    for at, token in enumerate(tokens):
        behind = [other.kind for other in tokens[at + 1 : at + 5] if other.kind not in ("quad", "row")]
        if token.kind != "," or behind[:2] != ["remark", "close"]:
            out.append(token)
    return out


def opened_and_closed(tokens: list[Token]) -> list[Token]:
    """The tokens of prose, a round bracket without a partner as punctuation: it belongs to the sentence around."""
    open_: list[int] = []
    lone: set[int] = set()
    for at, token in enumerate(tokens):
        if token.kind == "open":
            open_.append(at)
        elif token.kind == "close" and open_:
            open_.pop()
        elif token.kind == "close" and token.text in (")", "）"):
            lone.add(at)
    return [Token(";", t.text, t.start, t.end, t.gap) if at in lone else t for at, t in enumerate(tokens)]


def of_tokens(tokens: list[Token]) -> list[Token]:
    """The tokens with the vectors of words made names: Q(cat) is Q_cat."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token, behind = tokens[at], tokens[at + 1 : at + 4]
        kinds = [one.kind for one in behind]
        close = len(behind) == 3 and not any(one.gap for one in behind) and behind[0].text == "("
        if token.kind == "name" and close and kinds[1:] == ["text", "close"] and token.text in _VECTORS:
            name = Name(token.start, behind[2].end, token.text, behind[1].text)
            out.append(Token("name", token.text, token.start, behind[2].end, token.gap, name))
            at += 4
            continue
        out.append(token)
        at += 1
    return out


def _settled(before: Token, token: Token, after: Token | None) -> str:
    """The kind that a token has beside its neighbours; "quad" for one that begins anew, "" for its own kind."""
    if after is None:
        return ""
    behind_value = before.kind in ("number", "close")
    if token.kind == "operator":
        return "text" if token.value == "-" and before.kind == "text" and after.kind == "text" else ""
    if token.kind == "name" and token.text in ("x", "X") and behind_value and after.kind in ("number", "open"):
        return "operator" if token.gap or after.kind == "number" else ""
    if token.text in _LONE_WORDS and behind_value and token.gap and after.gap and after.kind in _BEHIND_WORDS:
        return "text"
    if token.kind == "name" and token.text in ("a", "I", "A") and after.kind == "text" and after.gap:
        return "text" if before.kind in ("text", "row", ".", ",", ";") else ""
    return "quad" if behind_value and token.gap and _is_defined(token, after) else ""


def _is_defined(token: Token, after: Token) -> bool:
    return token.kind in ("name", "text") and after.kind == "relation" and after.value[0] in ("=", "≈", ":=")


def _line_ranges(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    out = []
    start = 0
    for at, token in enumerate(tokens):
        if token.kind == "row":
            out.append((start, at))
            start = at + 1
    out.append((start, len(tokens)))
    return out


def columns(text: str, tokens: list[Token]) -> list[Token]:
    """The tokens with matrices that stand side by side over several lines put one after the other."""
    lines = _line_ranges(tokens)
    starts = [text.rfind("\n", 0, tokens[low].start) + 1 if low < len(tokens) else 0 for low, _ in lines]
    out: list[Token] = []
    number = 0
    while number < len(lines):
        low, high = lines[number]
        columns = _column_starts(tokens, low, high)
        if len(columns) < 2 or _balance(tokens[columns[0] : columns[1]]) <= 0:
            out.extend(tokens[low:high])
            if high < len(tokens):
                out.append(tokens[high])
            number += 1
            continue
        bounds = [0, *(tokens[at].start - starts[number] for at in columns[1:])]
        piles: list[list[Token]] = [[] for _ in bounds]
        balance = 0
        first = number
        while number < len(lines) and number < first + 64:
            low, high = lines[number]
            for token in tokens[low:high]:
                column = token.start - starts[number]
                piles[bisect_right(bounds, column) - 1].append(token)
            balance += _balance(tokens[low:high])
            number += 1
            if balance <= 0:
                break
        for pile in piles:
            out.extend(pile)
            end = pile[-1].end if pile else 0
            out.append(Token("row", "", end, end, 1, "break"))
    return out


def _column_starts(tokens: Sequence[Token], low: int, high: int) -> list[int]:
    return [
        at
        for at in range(low, high - 2)
        if tokens[at].kind in ("name", "text")
        and tokens[at + 1].kind == "relation"
        and tokens[at + 2].text == "["
        and (at == low or tokens[at - 1].kind in (",", "close", ";"))
    ]


def _balance(tokens: Iterable[Token]) -> int:
    return sum((token.kind == "open") - (token.kind == "close") for token in tokens)


def stacked(text: str, tokens: list[Token]) -> list[Token]:
    """The tokens with rows in brackets of their own, one below the other, joined to one matrix."""
    lines = _line_ranges(tokens)
    out: list[Token] = []
    number = 0
    while number < len(lines):
        low, high = lines[number]
        opened = _last_row(tokens, low, high)
        count = 0
        if opened is not None and (opened == low or tokens[opened - 1].kind == "relation"):
            place = _column(text, tokens[opened])
            while number + count + 1 < len(lines):
                first, last = lines[number + count + 1]
                if first >= last or _last_row(tokens, first, last) != first or tokens[first - 1].value != "line":
                    break
                if _column(text, tokens[first]) != place:
                    break
                count += 1
        if count == 0 or opened is None:
            out.extend(tokens[low:high])
        else:
            start = tokens[opened].start
            out.extend(tokens[low:opened])
            out.append(Token("open", "[", start, start, 1, "]"))
            for step in range(count + 1):
                first, last = lines[number + step]
                if step:
                    out.append(Token(",", ",", tokens[first].start, tokens[first].start, 0))
                out.extend(tokens[first if step else opened : last])
            number += count
            high = lines[number][1]
            end = tokens[high - 1].end
            out.append(Token("close", "]", end, end, 0))
        if high < len(tokens):
            out.append(tokens[high])
        number += 1
    return out


def listed(tokens: list[Token]) -> list[Token]:
    """The tokens with numbers behind a label and its colon made a list: row 1: 4.11  16.92."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        out.append(tokens[at])
        at += 1
        if out[-1].kind != ":" or len(out) < 2 or out[-2].kind not in ("text", "number", "name", "close"):
            continue
        places = _numbers(tokens, at)
        if len(places) < 2:
            continue
        first, last = tokens[places[0][0]], tokens[places[-1][1] - 1]
        behind = tokens[places[-1][1]] if places[-1][1] < len(tokens) else None
        if behind is not None and behind.kind not in ("row", "text", "quad", "name", ",", ";"):
            continue
        out.append(Token("open", "[", first.start, first.start, first.gap, "]"))
        for start, end in places:
            out += [Token(",", ",", tokens[start].start, tokens[start].start, 0)] if start > places[0][0] else []
            out += tokens[start:end]
        out.append(Token("close", "]", last.end, last.end, 0))
        if behind is not None and behind.kind in ("text", "name"):
            out.append(Token("quad", "", behind.start, behind.start, 1))
        at = places[-1][1]
    return out


def _numbers(tokens: Sequence[Token], at: int) -> list[tuple[int, int]]:
    """The places of the numbers that stand one behind the other with spaces between."""
    places: list[tuple[int, int]] = []
    while at < len(tokens):
        at += tokens[at].kind == "quad"
        signed = at + 1 < len(tokens) and tokens[at].kind == "operator" and tokens[at].value == "-"
        number = at + 1 if signed and not tokens[at + 1].gap else at
        apart = not places or tokens[at - 1].kind == "quad" or (number < len(tokens) and tokens[at].gap)
        if number >= len(tokens) or tokens[number].kind != "number" or not apart:
            break
        places.append((at, number + 1))
        at = number + 1
    return places


def _column(text: str, token: Token) -> int:
    return token.start - text.rfind("\n", 0, token.start) - 1


def _last_row(tokens: Sequence[Token], low: int, high: int) -> int | None:
    """Where the flat list in square brackets begins that ends the line; None where there is none."""
    if low >= high or tokens[high - 1].text != "]":
        return None
    at = high - 2
    while at >= low and tokens[at].kind in ("number", "operator", ",", "infinity", "dots"):
        at -= 1
    return at if at >= low and tokens[at].text == "[" and at < high - 2 else None


def lines_joined(tokens: list[Token], *, prose: bool) -> list[Token]:
    """The tokens without the line ends inside brackets; in prose a round bracket closes on its line."""
    checked, partner = find_partners(tokens)
    broken: set[int] = set()
    dropped: set[int] = set()
    stack: list[int] = []
    for at, token in enumerate(checked):
        if 0 <= partner[at] < at:
            stack.pop()
        elif partner[at] > at:
            stack.append(at)
        elif token.kind == "row" and stack:
            if prose and checked[stack[0]].text == "(":
                broken.add(stack[0])
                broken.add(partner[stack[0]])
            dropped.add(at)
    out = []
    for at, token in enumerate(tokens):
        if at in dropped:
            continue
        if at in broken:
            out.append(Token(";", token.text, token.start, token.end, token.gap))
        elif (
            checked[at].kind == "stray"
            and token.kind == "open"
            and (at == 0 or tokens[at - 1].kind not in ("function", "operator"))
        ):
            out.append(Token(";", token.text, token.start, token.end, token.gap) if prose else token)
        else:
            out.append(token)
    return out
