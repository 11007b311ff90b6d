r"""Chains of relations: the text of a formula in, `a = b \approx c` link by link out.

Arrives: LaTeX, or the tokens of plain text. Leaves: chains. Lines of `aligned` and its kin, braces around everything
and brackets around a remark are opened first; then rows are cut at \quad, commas and words, and each piece at its
relations. What stands between two relations is parsed alone, so one that cannot be read leaves the others readable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from symattn.documents.reading.latex import latex_tokens, simplified
from symattn.documents.reading.matrices import is_labels, split
from symattn.documents.reading.names import CONJUNCTIONS, LINE_ENVIRONMENTS
from symattn.documents.reading.parser import OPERAND_ENDS, OPERANDS, Failure, Parser
from symattn.documents.reading.tokens import MAX_TEXT, Token, find_partners
from symattn.documents.reading.tree import Blank, Call, Chain, Link, Name, Node, Text, Unread

if TYPE_CHECKING:
    from collections.abc import Sequence

_CUTS: Final = frozenset({"row", "quad", ",", ";", ":", "."})
_JOINING: Final = frozenset({"*", "·", "×", "@", "/"})
_COMMA: Final = "a comma outside a list: a decimal sign, or two numbers?"
_RATIO: Final = "a colon between two things: a ratio, or a label?"
_OF: Final = frozenset(
    ["of", "for", "between", "with", "von", "für", "de", "des", "du", "от", "для", "di", "do", "van", "per", "av"]
)
"""Words that join what follows to the words before them."""
_SETTING: Final = frozenset(["for", "with", "für", "для"])
"""Those of them that may also begin what is given: with d_k = 64."""
_REASON_LONG: Final = f"a formula of more than {MAX_TEXT} characters"


def read_math(text: str, *, decimal_comma: bool = False) -> tuple[Chain, ...]:
    r"""The chains of a formula in LaTeX, in the order of the text.

    A line that begins with a relation goes on with the chain before it; what cannot be read is an `Unread` inside its
    chain. `decimal_comma` reads 1{,}024 as a decimal, for documents that write 0{,}67.

    >>> first, second = read_math(r"e^{0.7} \approx 2.01, \quad \text{sum} = 5")
    >>> [link.relation for link in first.links], second.first.text
    (['≈'], 'sum')
    """
    if len(text) > MAX_TEXT:
        return (Chain(0, len(text), Unread(0, len(text), text[:80], _REASON_LONG)),)
    tokens = simplified(latex_tokens(text, decimal_comma=decimal_comma))
    return chains_of(text, tokens)


def read_chain(text: str, *, decimal_comma: bool = False) -> Chain:
    r"""The one chain of a formula; where there are several, the first one that has a relation.

    Text without any formula gives a chain without a first thing.

    >>> [type(item).__name__ for item in read_chain(r"S_{11} = 2 \cdot 1 = 2").items]
    ['Name', 'Product', 'Number']
    """
    chains = read_math(text, decimal_comma=decimal_comma)
    return next((chain for chain in chains if chain.links), chains[0] if chains else Chain(0, len(text), None))


def chains_of(text: str, tokens: Sequence[Token], *, plain: bool = False) -> tuple[Chain, ...]:
    """The chains of tokens, LaTeX's or those of plain text."""
    opened, partner = find_partners(_opened(*find_partners(tokens)))
    joined = _Joiner(opened, partner, plain=plain).run()
    return _Reader(text, *find_partners(joined), plain=plain).run()


# opening what stands around


def _opened(tokens: Sequence[Token], partner: Sequence[int]) -> list[Token]:
    """The tokens with lines of `aligned`, braces around chains and brackets around remarks opened."""
    arguments = _argument_braces(tokens, partner)
    parents = _parents(tokens, partner)
    within: dict[int, set[str]] = {}
    for at, token in enumerate(tokens):
        if token.kind in ("relation", "row", "&"):
            within.setdefault(parents[at], set()).add(token.kind)
    opened: set[int] = set()
    for at, token in enumerate(tokens):
        if partner[at] > at and _opens(tokens, partner, at, within.get(at, set()), arguments):
            chain = [at]
            above = parents[at]
            while above >= 0 and above not in opened and above not in arguments and tokens[above].kind in ("{", "open"):
                chain.append(above)
                above = parents[above]
            if above < 0 or above in opened:
                opened.update(chain if token.kind != "open" else [at] * (len(chain) == 1))
    return _spliced(tokens, partner, parents, opened)


def _spliced(tokens: Sequence[Token], partner: Sequence[int], parents: Sequence[int], opened: set[int]) -> list[Token]:
    out: list[Token] = []
    closing = {partner[at] for at in opened}
    for at, token in enumerate(tokens):
        if at in opened or at in closing:
            kind = {"open": ";", "close": ";", "begin": "row", "end": "row"}.get(token.kind)
            # \{ before the lines of several cases is no remark
            if kind == "row" and out and (out[-1].kind in ("relation", "operator") or _is_remark(tokens, at, parents)):
                kind = None
            if kind is not None and token.text not in ("\\{", "\\}"):
                out.append(Token(kind, token.text, token.start, token.end, token.gap, "opened"))
        elif token.kind == "&" and (parents[at] in opened or parents[at] < 0):
            # between two things it parts them; beside a relation it only lines up
            if parents[at] in opened and _parts_two(tokens, at):
                out.append(Token("quad", token.text, token.start, token.end, token.gap))
        elif at + 1 not in opened or not _is_wrapper(token):
            out.append(token)
    return out


def _is_wrapper(token: Token) -> bool:
    r"""Whether a token says nothing before opened lines: \boxed, or the brace of \left\{ ... \right."""
    boxed = token.kind == "command" and token.value == "boxed"
    return boxed or (token.kind == "stray" and token.text == "\\{")


def _parts_two(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at - 1].kind in OPERAND_ENDS and at + 1 < len(tokens) and tokens[at + 1].kind in OPERANDS


def _is_remark(tokens: Sequence[Token], at: int, parents: Sequence[int]) -> bool:
    return tokens[at].kind == "begin" and parents[at] >= 0 and tokens[parents[at]].kind == "open"


def _opens(tokens: Sequence[Token], partner: Sequence[int], at: int, holds: set[str], arguments: set[int]) -> bool:
    token = tokens[at]
    if token.kind == "begin":
        if token.value in LINE_ENVIRONMENTS:
            return not ("cases" in token.value and "&" in holds)  # values under conditions are no lines
        inside_bracket = at > 0 and tokens[at - 1].kind in ("open", "bar")
        return (
            token.value == "array" and not inside_bracket and "relation" in holds and not is_labels(tokens, partner, at)
        )
    if token.kind == "{":
        return at not in arguments and bool(holds)
    if token.kind == "open" and token.text == "(" and "relation" in holds:
        before = tokens[at - 1] if at else None
        applied = before is not None and before.kind in ("function", "name", "text", "}") and token.gap == 0
        return not applied
    return False


def _argument_braces(tokens: Sequence[Token], partner: Sequence[int]) -> set[int]:
    """The braces that belong to a command or a script."""
    out = set()
    counts = {"frac": 2, "sqrt": 1, "underbrace": 1, "overbrace": 1, "overset": 2, "stackrel": 2, "underset": 2}
    for at, token in enumerate(tokens):
        count = 0
        if token.kind in ("^", "_"):
            count = 1
        elif token.kind == "command":
            count = counts.get(token.value, 1) if isinstance(token.value, str) else 1
            if token.value == "boxed":
                count = 0
        behind = at + 1
        for _ in range(count):
            if behind < len(tokens) and tokens[behind].text == "[" and partner[behind] > 0 and token.value == "sqrt":
                behind = partner[behind] + 1
            if behind < len(tokens) and tokens[behind].kind == "{" and partner[behind] > 0:
                out.add(behind)
                behind = partner[behind] + 1
            else:
                behind += 1
    return out


def _parents(tokens: Sequence[Token], partner: Sequence[int]) -> list[int]:
    parents = []
    stack = [-1]
    for at in range(len(tokens)):
        if 0 <= partner[at] < at:
            stack.pop()
        parents.append(stack[-1])
        if partner[at] > at:
            stack.append(at)
    return parents


# joining what goes on


class _Joiner:
    """Tokens without the cuts that cut nothing: a line that ends or begins with a sign goes on."""

    def __init__(self, tokens: Sequence[Token], partner: Sequence[int], *, plain: bool) -> None:
        self.tokens = tokens
        self.partner = partner
        self.plain = plain
        self.behinds = self._behinds()

    def _behinds(self) -> list[int]:
        """For each place the next one that is neither a line's end nor a space."""
        out = [0] * (len(self.tokens) + 1)
        found = len(self.tokens)
        for at in range(len(self.tokens) - 1, -1, -1):
            out[at] = found
            if self.tokens[at].kind not in ("row", "quad"):
                found = at
        return out

    def run(self) -> list[Token]:
        out: list[Token] = []
        at = start = 0  # start: where the piece began in `out`
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.kind not in _CUTS:
                end = self.partner[at] if self.partner[at] > at else at
                out.extend(self.tokens[at : end + 1])
                at = end + 1
                continue
            if token.kind == ":" and self.is_ratio(out[start:], at):
                out.append(Token("stray", token.text, token.start, token.end, token.gap, _RATIO))
                at += 1
                continue
            if token.kind == ":" and (sign := self.colon(out[start:], at)):
                out.append(Token("relation", token.text, token.start, token.end, token.gap, (sign, ())))
                at = self.behinds[at]
                continue
            if self.cuts(out[max(start, len(out) - 1) :], at):
                out.append(token)
                start = len(out)
            elif token.kind == ",":
                # 4,3 may be a decimal or two numbers: it makes its thing unreadable
                out.append(Token("stray", token.text, token.start, token.end, token.gap, _COMMA))
            at += 1
        return out

    def is_ratio(self, before: Sequence[Token], at: int) -> bool:
        """Whether a colon stands evenly between two operands without a word: w_1 : w_2, 3:1."""
        if not before or at + 1 >= len(self.tokens) or any(t.kind in ("text", "function") for t in before):
            return False
        after = self.tokens[at + 1]
        kinds = {"number", "name", "}"} if not self.plain else {"number"}
        return before[-1].kind in kinds and after.kind in ("number", "name") and after.gap == self.tokens[at].gap

    def colon(self, before: Sequence[Token], at: int) -> str:
        """The relation that a colon stands for before a matrix: after a name `:=`, after a formula `=`, else none."""
        behind = self.behinds[at]
        if not before or behind >= len(self.tokens):
            return ""
        token = self.tokens[behind]
        if token.kind != "begin" and token.text not in ("[", "("):
            return ""
        end = self.partner[behind] + 1
        if end < len(self.tokens) and self.tokens[end].kind not in _CUTS | {"relation", "text", "^", "script"}:
            return ""
        if all(
            t.kind in ("name", "script", "transpose", "^", "_", "prime", "{", "}", "number", "text") for t in before
        ):
            scripts = sum(t.kind in ("_", "^") for t in before)
            names = sum(t.kind == "name" for t in before)
            lone = (
                before[0].kind in ("name", "{")
                and names <= 1 + scripts
                and (all(t.kind in ("name", "script", "transpose", "prime") for t in before) or scripts > 0)
            )
            return ":=" if lone else ""
        related = any(t.kind == "relation" for t in before)
        return (
            "=" if self.plain and related and before[-1].kind != "number" and self.tokens[at + 1].kind == "row" else ""
        )

    def cuts(self, tail: Sequence[Token], at: int) -> bool:
        tokens, token = self.tokens, self.tokens[at]
        before = tail[-1] if tail else None
        following = self.behinds[at]
        after = tokens[following] if following < len(tokens) else None
        if token.kind == ",":
            tight = before is not None and after is not None and before.kind == after.kind == "number"
            if token.text in "，、" or (tight and before and after and "." in before.text and "." in after.text):
                return True  # no decimal sign
            return not (tight and token.gap == 0 and tokens[at + 1].gap == 0 and following == at + 1)
        if token.kind not in ("row", "quad") or before is None or after is None:
            return True
        goes_on = before.kind in ("relation", "operator")
        if token.kind == "quad":
            return not (goes_on or after.kind in ("relation", "operator"))
        if goes_on:
            return False
        if after.kind != "operator":
            return True
        if after.value in _JOINING | {"+"}:
            return bool(token.value == "break")
        return self.plain or self.relation_in_row(following)

    def relation_in_row(self, at: int) -> bool:
        while at < len(self.tokens) and self.tokens[at].kind not in ("row", ","):
            if self.tokens[at].kind == "relation":
                return True
            at = self.partner[at] + 1 if self.partner[at] > at else at + 1
        return False


# rows, pieces, chains


@dataclass(slots=True)
class _Draft:
    """A chain that is still growing."""

    start: int
    end: int
    first: Node | None = None
    links: list[Link] = field(default_factory=list)
    label: Text | None = None
    notes: list[Text] = field(default_factory=list)

    def done(self) -> Chain:
        return Chain(self.start, self.end, self.first, tuple(self.links), self.label, tuple(self.notes))


class _Reader:
    def __init__(self, text: str, tokens: Sequence[Token], partner: Sequence[int], *, plain: bool) -> None:
        self.text = text
        self.tokens = tokens
        self.partner = partner
        self.plain = plain
        self.drafts: list[_Draft] = []
        self.label: Text | None = None

    def run(self) -> tuple[Chain, ...]:
        pieces = self.pieces()
        for group in self.rows(pieces):
            self.row(group)
        if self.label is not None:
            self.leftover()
        return tuple(draft.done() for draft in self.drafts)

    def rows(self, pieces: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
        out: list[list[tuple[int, int, int]]] = [[]]
        for piece in pieces:
            out[-1].append(piece)
            at = piece[2]
            if at < len(self.tokens) and self.tokens[at].kind == "row":
                out.append([])
        return [row for row in out if row]

    def pieces(self) -> list[tuple[int, int, int]]:
        """Ranges of tokens between two cuts, each with the place of the cut behind it."""
        out = []
        start = at = 0
        tokens = self.tokens
        while at < len(tokens):
            if tokens[at].kind in _CUTS:
                out.append((start, at, at))
                start = at + 1
            at = self.partner[at] + 1 if self.partner[at] > at else at + 1
        out.append((start, len(tokens), len(tokens)))
        return out

    def row(self, pieces: list[tuple[int, int, int]]) -> None:
        if self.unpacked(pieces):
            return
        for low, high, cut in pieces:
            kind = self.tokens[cut].kind if cut < len(self.tokens) else "row"
            self.piece(low, high, kind)
        last = self.tokens[pieces[-1][2] - 1] if pieces[-1][2] else None
        keeps = self.plain and self.label is not None and last is not None and last.kind == ":"
        if self.label is not None and not keeps:
            self.leftover()

    def leftover(self) -> None:
        """Words with nothing behind them: a note on the chain before, or all there is."""
        label, self.label = self.label, None
        if label is None:
            return
        if self.drafts:
            self.drafts[-1].notes.append(label)
        elif not self.plain:
            self.drafts.append(_Draft(label.start, label.end, label))

    def unpacked(self, pieces: list[tuple[int, int, int]]) -> bool:
        """Whether `q, k = [1, 0], [0, 1]` was read as two chains."""
        ranges = [(low, high) for low, high, _ in pieces if low < high]
        cut_kinds = {self.tokens[cut].kind for _, _, cut in pieces[:-1]}
        if len(ranges) < 3 or len(ranges) % 2 == 0 or cut_kinds != {","}:
            return False
        middle = len(ranges) // 2
        found = [split(self.tokens, self.partner, *r, {"relation"}) for r in ranges]
        if [len(parts) for parts in found] != [1] * middle + [2] + [1] * middle:
            return False
        names = [*ranges[:middle], found[middle][0]]
        values = [found[middle][1], *ranges[middle + 1 :]]
        if any(high - low > 6 or self.tokens[low].kind not in ("name", "text", "{") for low, high in names):
            return False
        sign = self.tokens[found[middle][0][1]]
        if any(low >= high for low, high in values):
            return False
        for name, value in zip(names, values, strict=True):
            draft = _Draft(self.tokens[name[0]].start, self.tokens[value[1] - 1].end)
            draft.first = self.item(*name, draft)
            draft.links.append(Link(sign.start, sign.end, sign.value[0], self.item(*value, draft)))
            self.drafts.append(draft)
        return True

    def piece(self, low: int, high: int, cut: str) -> None:
        low, high = self.trimmed(low, high)
        if low >= high:
            return
        parts = split(self.tokens, self.partner, low, high, {"relation"})
        if cut == ":" and self.is_pair(low, high):
            self.label = self.words(low, high)
            return
        if len(parts) == 1 and (self.lone(low, high, cut) or (self.plain and self.listed(low, high))):
            return
        headless = parts[0][0] == parts[0][1]
        if headless and self.drafts and self.label is None and self.may_continue(low):
            draft = self.drafts[-1]
        else:
            draft = self.begun(low, high, cut)
            if not headless:
                self.first(draft, *parts[0], related=len(parts) > 1)
        draft.end = self.tokens[high - 1].end
        for before, (first, last) in pairwise(parts):
            draft = self.link(draft, self.tokens[before[1]], first, last, last_one=last == high)
        if cut in ("row", ":", "."):
            self.label = None

    def is_pair(self, low: int, high: int) -> bool:
        """Whether a piece is two names with an arrow between them: Time→Machine."""
        kinds = {"text", "name", "number", "relation", "{", "}", "_", "operator"}
        arrows = [token.value[0] == "→" for token in self.tokens[low:high] if token.kind == "relation"]
        return len(arrows) == 1 and arrows[0] and all(token.kind in kinds for token in self.tokens[low:high])

    def begun(self, low: int, high: int, cut: str) -> _Draft:
        """A new chain, under the words before it; they stay for the next one of the same row."""
        draft = _Draft(self.tokens[low].start, self.tokens[high - 1].end, label=self.label)
        if cut not in (",", "quad", ";"):
            self.label = None
        self.drafts.append(draft)
        return draft

    def trimmed(self, low: int, high: int) -> tuple[int, int]:
        while low < high and self.tokens[low].kind == "quad":
            low += 1
        while low < high and self.tokens[high - 1].kind == "quad":
            high -= 1
        return low, high

    def may_continue(self, low: int) -> bool:
        """Whether a relation at the beginning of a piece goes on with the chain before it."""
        before = self.tokens[low - 1] if low else None
        if not self.plain:
            return True
        return before is None or (before.kind != "." and (before.kind != "row" or before.value != "break"))

    def lone(self, low: int, high: int, cut: str) -> bool:
        """Whether a piece without a relation was dealt with: words, and all before a colon, are a label."""
        tokens = self.tokens
        label = self.words(low, high)
        if not self.is_wording(low, high):
            if cut == ":" and any(map(str.isalnum, label.key)):
                self.label = label
            return cut == ":"
        if label.key.lower() in CONJUNCTIONS:
            return True
        if self.label is not None:
            label = Text(self.label.start, label.end, self.text[self.label.start : label.end])
        noted = self.drafts and cut != ":" and not label.text.rstrip().endswith((":", "："))
        if noted and low and tokens[low - 1].kind in ("quad", ";") and tokens[low].text.strip().startswith("("):
            self.drafts[-1].notes.append(label)
        else:
            self.label = label
        return True

    def is_wording(self, low: int, high: int) -> bool:
        """Whether a piece is nothing but words, in plain text with a number behind them: Step 1."""
        first = self.tokens[low]
        numbered = self.plain and first.kind == "text"
        return (first.kind == "function" and high == low + 1) or all(
            token.kind in ("text", ",", ".") or (numbered and token.kind == "number" and token.text.isdecimal())
            for token in self.tokens[low:high]
        )

    def listed(self, low: int, high: int, least: int = 2) -> bool:
        """Whether several lists with words between them were read: `scores [2, 1] and weights [0.7, 0.3]`."""
        tokens = self.tokens
        free = [at for at in self.top(low, high) if self.is_free(at, low, high)]
        bounds = [low - 1, *free, high]
        things = [(a + 1, b) for a, b in pairwise(bounds) if b - a > 1]
        if len(things) < least or not all(tokens[a].kind == "open" and self.partner[a] == b - 1 for a, b in things):
            return False
        begun = low
        for first, last in things:
            draft = _Draft(tokens[begun].start, tokens[last - 1].end, label=self.label if begun == low else None)
            if begun < first:
                self.add_label(draft, begun, first)
            draft.first = self.item(first, last, draft)
            self.drafts.append(draft)
            begun = last
        return True

    def first(self, draft: _Draft, low: int, high: int, *, related: bool) -> None:
        """The thing before the first relation: the words before it are its label, or are all there is."""
        tokens = self.tokens
        free = [at for at in self.top(low, high) if self.is_free(at, low, high)]
        if not free:
            draft.first = self.item(low, high, draft)
            return
        last = free[-1]
        if last == high - 1:
            draft.first = self.worded(draft, free, low, high)
        elif related and high - last == 2 and tokens[high - 1].text.isdecimal() and self.is_short(free[0], last + 1):
            words = self.words(free[0], last + 1)  # Output 1 = ...
            draft.first = Name(words.start, tokens[high - 1].end, words.key, tokens[high - 1].text, words=True)
        elif related and self.plain and self.names_something(last, low):
            draft.first = self.words(low, high)
            if tokens[last].text == "of" and last > low and tokens[last - 1].text.lower() == "softmax":
                argument = self.item(last + 1, high, draft)
                draft.first = Call(tokens[last - 1].start, argument.end, "softmax", (argument,))
        elif self.plain or self.reads_as_label(last, low, high):
            self.add_label(draft, low, last + 1)
            draft.first = self.item(last + 1, high, draft)
        else:
            draft.first = self.item(low, high, draft)

    def worded(self, draft: _Draft, free: list[int], low: int, high: int) -> Node:
        """Words before the relation; or the thing before them, whose note they are."""
        start = high - 1
        while start > low and (start - 1 in free or (self.plain and self.tokens[start - 1].kind in ("number", "name"))):
            start -= 1
        if start == low or self.plain:
            return self.words(low, high)
        if free[0] >= start:
            draft.notes.append(self.words(start, high))
            return self.item(low, start, draft)
        self.add_label(draft, low, start)
        return self.words(start, high)

    def is_short(self, low: int, high: int) -> bool:
        return len(self.words(low, high).text.split()) <= 2

    def names_something(self, last: int, low: int) -> bool:
        """Whether the words before a thing make it part of themselves: the product of Q1 and K1 = 2."""
        word = self.tokens[last].text.lower()
        if word in _OF:
            return last > low or word not in _SETTING
        return word in CONJUNCTIONS and last > low and self.tokens[last - 1].kind in ("name", "number", "close")

    def reads_as_label(self, last: int, low: int, high: int) -> bool:
        words = self.tokens[last].text
        behind = self.tokens[last + 1]
        if words.rstrip().endswith((":", "：", ",")) or words.strip() != words or len(words.split()) > 1:
            return True
        return last == low and last + 1 < high and behind.kind in ("open", "number", "constant", "name")

    def add_label(self, draft: _Draft, low: int, high: int) -> None:
        label = self.words(low, high)
        if label.key.lower() in CONJUNCTIONS:
            return
        if draft.label is not None:
            label = Text(draft.label.start, label.end, self.text[draft.label.start : label.end])
        draft.label = label

    def words(self, low: int, high: int) -> Text:
        tokens = self.tokens
        start, end = tokens[low].start, tokens[high - 1].end
        if high == low + 1:
            return Text(start, end, tokens[low].text)
        if self.plain:
            return Text(start, end, self.text[start:end])
        return Text(start, end, "".join((" " if t.gap else "") + t.text for t in tokens[low:high]).strip())

    def top(self, low: int, high: int) -> list[int]:
        out = []
        at = low
        while at < high:
            out.append(at)
            at = self.partner[at] + 1 if self.partner[at] > at else at + 1
        return out

    def is_free(self, at: int, low: int, high: int) -> bool:
        """Whether words are prose beside the formula, and no operand of it."""
        token = self.tokens[at]
        before = self.tokens[at - 1] if at > low else None
        after = self.tokens[at + 1] if at + 1 < high else None
        if before is not None and before.kind == "operator":
            return False
        if token.kind == "function":
            alone = after is None or after.kind == "text"
            return alone and (before is None or before.kind in ("text", "function"))
        if token.kind != "text" or (after is not None and self.belongs(at, before, after, high)):
            return False
        if before is not None and before.kind not in ("text", "function") and not self.plain:
            # beside a value: words when they look like words
            word = token.text.strip()
            return word != token.text or not word.isidentifier() or (len(word) > 1 and before.kind == "number")
        return True

    def belongs(self, at: int, before: Token | None, after: Token, high: int) -> bool:
        """Whether what follows words makes them an operand: a script, a sign, a bracket without a space."""
        word = self.tokens[at].text.strip() == self.tokens[at].text
        if after.kind == "operator":
            signed = after.value in ("+", "-") and after.gap and at + 2 < high and not self.tokens[at + 2].gap
            return not signed
        if after.kind == "open":
            return after.gap == 0 and after.text in "([" and word
        if after.kind == "begin":
            return before is None and word and not self.plain
        return after.kind in ("_", "^", "prime", "script", "transpose")

    def link(self, draft: _Draft, sign: Token, low: int, high: int, *, last_one: bool) -> _Draft:
        """One more thing joined to the chain; words in its middle end the chain and begin the next."""
        operation = self.operation(sign, draft)
        place = sign.start, sign.end, sign.value[0]
        if low == high:
            if not last_one:
                unread = Unread(sign.start, sign.end, sign.text, "nothing stands between two relations")
                draft.links.append(Link(*place, unread, operation))
            else:
                # what follows stands outside of this text, or is to be filled in
                draft.links.append(Link(*place, operation or Blank(sign.end, sign.end)))
            return draft
        if self.plain:
            # → weights (0.4, 0.6)
            while low + 1 < high and self.tokens[low].kind == "text" and self.is_free(low, low, high):
                if self.tokens[low + 1].kind not in ("open", "text") or not self.tokens[low + 1].gap:
                    break
                draft.notes.append(self.words(low, low + 1))
                low += 1
        free = [at for at in self.top(low, high) if at > low and self.is_free(at, low, high)]
        if self.plain:
            free = [at for at in free if self.tokens[at].kind == "text"]
        if not free:
            draft.links.append(Link(*place, self.item(low, high, draft), operation))
            return draft
        cut = free[0]
        draft.links.append(Link(*place, self.item(low, cut, draft), operation))
        if last_one:
            draft.end = self.tokens[cut - 1].end
            if not self.plain or not self.listed(cut, high, least=1):
                draft.notes.append(self.words(cut, high))
            return self.drafts[-1]
        draft.end = self.tokens[cut - 1].end
        following = _Draft(self.tokens[cut].start, self.tokens[high - 1].end)
        self.drafts.append(following)
        self.first(following, cut, high, related=True)
        following.end = self.tokens[high - 1].end
        return following

    def operation(self, sign: Token, draft: _Draft) -> Node | None:
        r"""What is written over an arrow: \xrightarrow{\div\sqrt2}."""
        inside = sign.value[1]
        if not inside:
            return None
        tokens, partner = find_partners(inside)
        node = self.parsed(tokens, partner, 0, len(tokens), draft)
        return Text(node.start, node.end, node.text) if isinstance(node, Unread) else node

    def item(self, low: int, high: int, draft: _Draft) -> Node:
        while low < high and self.tokens[high - 1].kind in ("quad", ","):
            high -= 1
        while low < high and self.tokens[low].kind == "quad":
            low += 1
        if low == high:
            at = self.tokens[min(low, len(self.tokens) - 1)]
            return Unread(at.start, at.end, at.text, "nothing stands beside a relation")
        return self.parsed(self.tokens, self.partner, low, high, draft)

    def parsed(self, tokens: Sequence[Token], partner: Sequence[int], low: int, high: int, draft: _Draft) -> Node:
        parser = Parser(self.text, tokens, partner, plain=self.plain)
        start, end = tokens[low].start, tokens[high - 1].end
        sums = next((t for t in tokens[low:high] if t.kind == "sum"), None)
        if sums is not None:
            reason = f"{sums.value} is not worked out"
            return Unread(start, end, self.text[start:end], reason, formula=True)
        try:
            node = parser.item(low, high)
        except Failure as failure:
            leaf = None if self.plain or "\\" not in self.text[start:end] else _leaf(self.text[start:end], start)
            return leaf or Unread(start, end, self.text[start:end], failure.reason, failure.formula)
        draft.notes.extend(parser.notes)
        return node


def _leaf(text: str, start: int) -> Node | None:
    # nearly all documents do without
    from symattn.documents.reading.leaves import read_leaf

    return read_leaf(text, start)
