"""Plain text, code and prose as tokens: one pass, with what a line begins with passed over.

Arrives: the text. Leaves: tokens with their places; what has no meaning is a stray token that says so.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from symattn.documents.reading.decimals import Signs, grouped_number, signs_of
from symattn.documents.reading.drawings import drawings
from symattn.documents.reading.latex import relation_at
from symattn.documents.reading.names import (
    BARE_FUNCTIONS,
    FUNCTIONS,
    GREEK_LETTERS,
    MATRIX_LETTERS,
    MODULES,
    RELATION_COMMANDS,
    RELATIONS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    WRAPPERS,
)
from symattn.documents.reading.parser import OPERAND_ENDS
from symattn.documents.reading.tokens import (
    INVISIBLE,
    OPENING,
    OPERATORS,
    PUNCTUATION,
    SPACES,
    Token,
    is_letter,
    number_token,
    percent,
    unknown,
)
from symattn.documents.reading.tree import Name

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER: Final = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+(?![0-9A-Za-z_.]))?")
_DECIMAL_COMMA: Final = re.compile(r"([0-9]+),([0-9]+)(?:[eE]([+-]?[0-9]+)(?![0-9A-Za-z_.]))?")


_DATE: Final = re.compile(r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?![0-9])|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?![0-9])")
_NAME: Final = re.compile(r"[A-Za-z\u0370-\u03ff][A-Za-z0-9\u0370-\u03ff]*(?:_[A-Za-z0-9]+)*")


_MARKER: Final = re.compile(
    r"(?:[-*+•◦‣▪·>]|#{1,6}|//|[0-9]{1,3}[.)]|\([0-9]{1,2}\)|\([ivx]{1,4}\)|[①-⑳]|(?:In|Out)\s?\[[0-9 ]{0,4}\]:)"
    r"[ \t\u3000]+|>>>\s?"
)


_RULE: Final = re.compile(r"([-=_*~─═])\1{2,}[ \t]*(?=\n|$)")
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+")


_BARRED: Final = re.compile(r"[|│][-0-9.,/ \t−∞eE]+[|│][ \t]*(?=\n|$)")
_DOT: Final = re.compile(r" \. [-−]?\d")
"""A product sign, and no end of a sentence."""
_SIZE: Final = re.compile(r"[(（]\s*\d+\s*[x×X]\s*\d+\s*[)）]")
_WIDE: Final = re.compile(r"[ \t\u3000]{2,}|\t")


_FORMULA: Final = re.compile(r"\$[^$\n]{1,2000}\$")
_COMMAND: Final = re.compile(r"\\([A-Za-z]+)")


_KEYWORDS: Final = frozenset(
    [
        "import",
        "from",
        "def",
        "for",
        "if",
        "while",
        "return",
        "class",
        "with",
        "assert",
        "elif",
        "else",
        "try",
        "except",
        "finally",
        "raise",
        "yield",
        "del",
        "pass",
        "lambda",
        "global",
        "async",
        "await",
        "print",
        "plt",
        "ax",
        "fig",
        "const",
        "let",
        "var",
        "function",
    ]
)


_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_SIGNS: Final[dict[str, tuple[str, object]]] = {
    **{sign: (sign, None) for sign in ",;:."},
    **dict.fromkeys("…⋯⋮⋱", ("dots", None)),
    **dict.fromkeys("□☐▢", ("blank", None)),
    **dict.fromkeys("∑∏∫", ("sum", "a sum over an index")),
    "√": ("command", "sqrt"),
    "∞": ("infinity", None),
    "⊤": ("transpose", None),
}


_QUOTES: Final = frozenset('"“”„«»`「」『』《》‘')


def plain_tokens(text: str, *, prose: bool, source: bool, decimal_comma: bool) -> list[Token]:
    """The tokens of a text. Matrices that are drawn over several lines are read row by row, but not in a `source`."""
    lexer = _Lexer(text, prose=prose, source=source, decimal_comma=decimal_comma)
    return lexer.run() if source else _with_drawings(text, lexer)


def _with_drawings(text: str, lexer: _Lexer) -> list[Token]:
    """The tokens of a text, those of matrices that are drawn side by side put one after the other."""
    out: list[Token] = []
    done = 0
    for drawing in drawings(text):
        out += [*lexer.part(done, drawing.start), Token("row", "", drawing.start, drawing.start, 1, "break")]
        for number, (low, high) in enumerate(drawing.beside):
            out += lexer.part(low, high, fresh=number == 0)
            out += _drawn(lexer, drawing.rows[number], 0 if drawing.bare else 1) if number < len(drawing.rows) else []
        out.append(Token("row", "", drawing.end, drawing.end, 1, "break"))
        done = drawing.end
    return [*out, *lexer.part(done, len(text))]


def _drawn(lexer: _Lexer, rows: Sequence[tuple[int, int]], edge: int) -> list[Token]:
    """The tokens of a matrix that is drawn, as if it stood in brackets; `edge` is how wide those of its rows are."""
    start, end = rows[0][0], rows[-1][1]
    out = [Token("open", "[", start, start, 1, "]")]
    for number, (low, high) in enumerate(rows):
        if number:
            out.append(Token(",", ",", low, low, 0))
        out.append(Token("open", "[", low, low + edge, 1, "]"))
        out += lexer.part(low + edge, high - edge, fresh=False)
        out.append(Token("close", "]", high - edge, high, 0))
    return [*out, Token("close", "]", end, end, 0)]


class _Lexer:
    def __init__(self, text: str, *, prose: bool, source: bool, decimal_comma: bool) -> None:
        self.text = text
        self.prose = prose
        self.source = source
        self.signs = Signs(comma=False) if source else signs_of(text, decimal_comma=decimal_comma, latex=False)
        self.at = 0
        self.gap = 0
        self.depth = 0
        self.braces: list[str] = []
        self.tokens: list[Token] = []
        self.fresh = True  # at the beginning of a line
        self.last_relation = -1  # where the last relation of this line stands

    def run(self) -> list[Token]:
        while self.at < len(self.text):
            if self.fresh:
                self.look_ahead()
            if self.fresh and self.depth == 0:
                self.line_start()
                if self.at >= len(self.text):
                    break
            self.fresh = False
            self.step()
        return self.tokens

    def part(self, low: int, high: int, *, fresh: bool = True) -> list[Token]:
        """The tokens of a part of the text by itself, without line ends where it does not begin a line."""
        whole, self.text = self.text, self.text[:high]
        self.at, self.gap, self.fresh, self.tokens = low, 1, fresh, []
        self.depth, self.braces, self.last_relation = 0, [], -1
        tokens = self.run()
        self.text = whole
        return tokens if fresh else [token for token in tokens if token.kind != "row"]

    def emit(self, kind: str, end: int, value: object = None, text: str | None = None) -> None:
        shown = self.text[self.at : end] if text is None else text
        self.tokens.append(Token(kind, shown, self.at, end, self.gap, value))
        self.at, self.gap = end, 0

    def skip(self, end: int) -> None:
        self.at, self.gap = end, 1

    @property
    def last(self) -> Token | None:
        return self.tokens[-1] if self.tokens else None

    def look_ahead(self) -> None:
        """Where this line has its last relation: wide spaces before it part two formulas."""
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        self.last_relation = max(self.text.rfind(sign, self.at, end) for sign in "=≈→")

    def line_start(self) -> None:
        """Pass over what marks a line: indentation, bullets, numbers of a list, prompts, comment signs."""
        text = self.text
        while self.at < len(text) and text[self.at] in SPACES and text[self.at] != "\n":
            self.skip(self.at + 1)
        for _ in range(4):
            marker = _MARKER.match(text, self.at)
            if marker is None or (not self.prose and self.goes_on(marker.group())):
                break
            self.skip(marker.end())
        if text[self.at : self.at + 1] == "#" and not self.prose:
            self.skip(self.at + 1)
        if rule := _RULE.match(text, self.at):
            self.skip(rule.end())
        if self.source and (word := _NAME.match(text, self.at)) and word.group() in _KEYWORDS:
            end = text.find("\n", self.at)
            self.skip(len(text) if end < 0 else end)

    def goes_on(self, marker: str) -> bool:
        """Whether a sign at the beginning of a line goes on with the line before it, and is no bullet."""
        sign = marker[0]
        before = [t for t in self.tokens[-2:] if t.kind != "row"]
        if sign in "+·*" and before and before[-1].kind in OPERAND_ENDS and before[-1].kind != "text":
            return sign != "*" and (self.last is None or self.last.value != "break")
        return bool(before) and before[-1].kind in ("relation", "operator") and sign in "-+"

    def step(self) -> None:
        text, at = self.text, self.at
        character = text[at]
        if character == "\n":
            self.newline()
        elif character == "." and self.is_product(at):
            self.emit("operator", at + 1, "·")
        elif character in SPACES:
            wide = _WIDE.match(text, at)
            end = wide.end() if wide else at + 1
            if wide and self.depth == 0 and end <= self.last_relation and self.last and self.last.kind in OPERAND_ENDS:
                self.emit("quad", end)
            self.skip(end)
        elif character in INVISIBLE:
            self.at += 1
        elif character.isascii() and (character.isdigit() or (character == "." and text[at + 1 : at + 2].isdecimal())):
            self.number()
        elif is_letter(character) and character not in SUPERSCRIPTS and character not in SUBSCRIPTS:
            self.letters()
        else:
            self.sign(PUNCTUATION.get(character, character))

    def is_product(self, at: int) -> bool:
        """Whether a dot between two numbers with blanks around it is a product sign: 2 . 1 + 1 . 0."""
        return (
            not self.prose
            and self.last is not None
            and self.last.kind == "number"
            and bool(_DOT.match(self.text, at - 1))
        )

    def newline(self) -> None:
        end = self.at
        count = 0
        while end < len(self.text) and self.text[end] in SPACES:
            count += self.text[end] == "\n"
            end += 1
        keep = self.text.rfind("\n", self.at, end) + 1
        self.gap = 1
        self.emit("row", keep, "break" if count > 1 else "line")
        self.gap = 1
        self.fresh = True

    # numbers

    def number(self) -> None:
        text, at = self.text, self.at
        if date := _DATE.match(text, at):
            self.emit("text", date.end())
            return
        last = self.last.kind if self.last else "relation"
        comma = _DECIMAL_COMMA.match(text, at)
        if comma is not None and comma.end(1) in self.signs.decimals:
            plain = f"{comma[1]}.{comma[2]}"
            self.take(number_token(comma.group(), at, comma.end(), self.gap, plain, exponent=comma[3] or ""))
            return
        if not self.source and last not in ("number", "_"):
            related = last in ("relation", "operator")
            grouped = grouped_number(text, at, comma=self.signs.comma, nested=self.depth > 0, related=related)
            if grouped is not None:
                self.take(number_token(text[at : grouped[0]], at, grouped[0], self.gap, grouped[1]))
                return
        match = _NUMBER.match(text, at)
        if match is None:
            self.emit("stray", at + 1, "this is no decimal")
            return
        end, found = match.end(), match.group()
        if text[end : end + 1] == "." and text[end + 1 : end + 2].isdecimal():
            while end < len(text) and text[end] in "0123456789.":
                end += 1
            self.emit("stray", end, "a number has one decimal point")
            return
        if found.endswith(".") and self.depth == 0:
            end, found = end - 1, found[:-1]  # the end of a sentence
        follows = text[end : end + 1]
        if follows.isascii() and follows.isalpha() and self.glued(end):
            return
        plain, _, ten = found.lower().partition("e")
        self.take(number_token(text[at:end], at, end, self.gap, plain.rstrip("."), exponent=ten))

    def glued(self, end: int) -> bool:
        """Whether letters right behind the digits make them a word (2nd, 512d), a cross (2x3) or unreadable (2E)."""
        text = self.text
        word = _NAME.match(text, end)
        letters = word.group() if word else ""
        if re.fullmatch(r"[xX][0-9]+", letters) and text[self.at : end].isdecimal():
            self.take(number_token(text[self.at : end], self.at, end, self.gap, text[self.at : end]))
            self.emit("operator", end + 1, "×")
            return True
        if letters == "E":
            self.emit("stray", end + 1, "E after a number: a power of ten or a name?")
            return True
        if letters in ("st", "nd", "rd", "th", "d", "D", "s", "ms", "k", "M", "GB", "MB", "x"):
            self.emit("text", end + len(letters))
            return True
        return False

    def take(self, token: Token) -> None:
        self.tokens.append(token)
        self.at, self.gap = token.end, 0

    # letters

    def letters(self) -> None:
        text, at = self.text, self.at
        if text[at] in "hw" and (address := _ADDRESS.match(text, at)):
            self.emit("text", address.end())
            return
        match = _NAME.match(text, at)
        if match is None or (match.end() < len(text) and _continues(text[match.end()])):
            self.foreign()
            return
        run, end = match.group(), match.end()
        if (compound := self.compound(run, end)) > end:
            self.emit("text", compound)
        elif text[end : end + 1] != "." or not (tail := _NAME.match(text, end + 1)) or not self.dotted(run, tail):
            self.named(run, end)

    def compound(self, run: str, end: int) -> int:
        """The place behind words with hyphens or an apostrophe: dot-product, don't."""
        text = self.text
        if len(run) < 2 or not run.isalpha() or not run.isascii() or self.is_quantity(run, end):
            return end
        while text[end : end + 1] in ("-", "'", "’") and (tail := _WORD.match(text, end + 1)):
            end = tail.end()
        return end

    def dotted(self, run: str, tail: re.Match[str]) -> bool:
        """Whether a name with a point and another one was read: np.exp, K.T, q1.k1."""
        end = tail.start() - 1
        if run in MODULES:
            self.at = end + 1
            self.letters()
        elif tail.group() in ("T", "mT"):
            self.named(run, end)
            self.emit("transpose", tail.end(), None)
        elif run[-1].isdigit() and tail.group()[-1].isdigit() and len(run) < 4:
            self.named(run, end)
            self.emit("operator", end + 1, "·")
        elif len(run) < 4 or tail.group() in ("shape", "sum", "mean", "dot", "transpose"):
            self.emit("stray", tail.end(), f"{run}.{tail.group()} is not read")
        else:
            return False
        return True

    def is_quantity(self, run: str, end: int) -> bool:
        return len(run) == 1 or self.text[end : end + 1] in ("(", "[") or set(run) <= MATRIX_LETTERS

    def foreign(self) -> None:
        """A word with letters beyond ASCII: Chinese ones stand close to names, others do not."""
        text, at = self.text, self.at
        end = at
        if _is_wide(text[at]):
            while end < len(text) and is_letter(text[end]) and _is_wide(text[end]):
                end += 1
            while text[end : end + 1] == "-" and _is_wide(text[end + 1 : end + 2]):
                end += 1
                while end < len(text) and is_letter(text[end]) and _is_wide(text[end]):
                    end += 1
        else:
            while (
                end < len(text) and (is_letter(text[end]) or text[end] in "'’-_0123456789") and not _is_wide(text[end])
            ):
                if text[end] in "-'’" and not text[end + 1 : end + 2].isalpha():
                    break
                if text[end] in SUPERSCRIPTS or text[end] in SUBSCRIPTS:
                    break
                end += 1
        self.emit("text", max(end, at + 1))

    def named(self, run: str, end: int) -> None:
        """A name, names side by side, a function, or a word."""
        text, at = self.text, self.at
        behind = text[end : end + 1]
        spaced = text[end : end + 3].lstrip(" ")[:1]
        function = FUNCTIONS.get(run)
        if run in WRAPPERS and behind == "(":
            self.emit("function", end, run, run)
        elif function and (
            (behind in ("(", "[") and behind)
            or (run in BARE_FUNCTIONS and (spaced.isdigit() or (spaced in "(√" and spaced)))
        ):
            self.emit("function", end, function, run)
        elif run in ("inf", "Infinity", "INF", "infinity"):
            self.emit("infinity", end)
        elif run in ("pi", "π"):
            self.emit("constant", end, "pi")
        elif run == "e" and behind != "_":
            self.emit("constant", end, "e")
        elif (parts := _name_parts(run)) is not None:
            for length, base, sub in parts:
                stop = self.at + length
                name = Name(self.at, stop, GREEK_LETTERS.get(base, base), sub)
                self.emit("name", stop, name)
        elif behind == "(" and "_" in run:
            self.emit("text", end)
        elif "_" in run or any(c.isdigit() for c in run):
            base, _, sub = run.partition("_")
            self.emit("name", end, Name(at, end, base, sub, words=True))
        else:
            self.emit("text", end)

    # signs

    def sign(self, character: str) -> None:
        text, at = self.text, self.at
        if (self.depth and self.remark(character)) or self.bracket(character):
            return
        if character == "#" and not self.prose:
            end = text.find("\n", at)
            self.emit("text", len(text) if end < 0 else end)
        elif character in "'′’" or character in _QUOTES:
            primed = character in "'′’" and self.last and not self.gap and self.last.kind in ("name", "prime", "close")
            if primed:
                self.emit("prime", at + 1, 1)
            else:
                self.skip(at + 1)
        elif text.startswith("...", at):
            self.emit("dots", at + 3)
        elif text.startswith("**", at):
            self.stars()
        elif relation := relation_at(text, at, character):
            end = at + len(relation)
            while relation in ("≈", "→") and text[end : end + 1] == relation:
                end += 1  # ≈≈, for emphasis
            self.emit("relation", end, (RELATIONS[relation], ()))
        elif character in OPERATORS:
            self.operator(character)
        else:
            self.symbol(character)

    def bracket(self, character: str) -> bool:
        """Whether a bracket was read: round, square, in braces, or drawn over several lines."""
        at = self.at
        if character in "(（" and self.last and self.last.text == "]" and _SIZE.match(self.text, self.at):
            self.tokens.append(Token("relation", "", self.at, self.at, 1, ("∈", ())))  # [[1, 0, 2]]   (1 x 3)
        if character in OPENING:
            self.depth += 1
            self.braces.append(character)
            self.emit("open", at + 1, OPENING[character], character)
        elif character in ")]⟩⟧":
            if self.braces:
                self.braces.pop()
                self.depth -= 1
            self.emit("close", at + 1, None, character)
        elif character in "{}":
            self.brace(character)
        elif character in "⎡⎢⎣":
            self.emit("open", at + 1, "]", "[")
        elif character in "⎤⎥⎦":
            self.emit("close", at + 1, None, "]")
        elif character in "|│" and (self.fresh_line() or self.after_relation()):
            return self.barred()
        else:
            return False
        return True

    def barred(self) -> bool:
        """Whether a row of a matrix between bars was read, on a line of its own: | 1 0 |."""
        row = _BARRED.match(self.text, self.at)
        if row is None:
            return False
        self.emit("open", self.at + 1, "]", "[")
        while self.at < row.end():
            if self.text[self.at] in "|│":
                self.emit("close", self.at + 1, None, "]")
            else:
                self.step()
        return True

    def fresh_line(self) -> bool:
        return self.last is None or self.last.kind == "row"

    def after_relation(self) -> bool:
        return self.last is not None and self.last.kind in ("relation", "operator")

    def remark(self, character: str) -> bool:
        """Whether the rest of the line is a remark beside a row of a matrix."""
        text, at = self.text, self.at
        if character not in "←#<" and not text.startswith("//", at):
            return False
        if character == "<" and not text.startswith("<-", at):
            return False
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if character != "←" and end == len(text) and "\n" not in text[:at]:
            return False
        words = text[at + 1 : end].strip(" -/").rstrip()
        # a bracket that closes in the remark would belong to the matrix
        self.emit("remark", end, words)
        return True

    def brace(self, character: str) -> None:
        script = character == "{" and self.last is not None and self.last.kind in ("^", "_")
        if character == "{":
            self.depth += 1
            self.braces.append("script" if script else "{")
            self.emit("{" if script else "open", self.at + 1, None if script else "\\}", "{" if script else "\\{")
            return
        opened = self.braces.pop() if self.braces else "{"
        self.depth = max(0, self.depth - 1)
        self.emit("}" if opened == "script" else "close", self.at + 1, None, "}" if opened == "script" else "\\}")

    def stars(self) -> None:
        before = self.last
        behind = self.text[self.at + 2 : self.at + 3]
        if (
            before
            and before.kind in OPERAND_ENDS - {"text"}
            and not (self.gap and behind.isalpha())
            and behind.strip("*")
        ):
            self.emit("^", self.at + 2, None, "^")
        else:
            self.skip(self.at + 2)

    def operator(self, character: str) -> None:
        before = self.last
        after = self.text[self.at + 1 : self.at + 2]
        if character == "*" and (before is None or before.kind not in OPERAND_ENDS):
            self.skip(self.at + 1)
        elif character in "–" and self.gap and after in SPACES and self.prose:
            self.emit(";", self.at + 1)
        else:
            self.emit("operator", self.at + 1, OPERATORS[character])

    def raised(self, character: str) -> None:
        end = self.at
        if character == "_":
            while self.text[end : end + 1] == "_":
                end += 1
            if end - self.at > 1:
                self.emit("blank", end)
                return
        self.emit(character, self.at + 1)

    def symbol(self, character: str) -> None:
        text, at = self.text, self.at
        last = self.last.kind if self.last else ""
        if character in "^_":
            self.raised(character)
        elif character in _SIGNS:
            kind, value = _SIGNS[character]
            self.emit("," if at in self.signs.separators else kind, at + 1, value)
        elif character in SUPERSCRIPTS or character in SUBSCRIPTS:
            table = SUPERSCRIPTS if character in SUPERSCRIPTS else SUBSCRIPTS
            end = at
            while end < len(text) and text[end] in table:
                end += 1
            self.emit("script", end, ("^" if table is SUPERSCRIPTS else "_", "".join(table[c] for c in text[at:end])))
        elif character == "%" and (last == "number" or text[at + 1 : at + 2].isdecimal()):
            self.per_cent()
        elif character in "?？" and last in ("relation", ",", "open"):
            self.emit("blank", at + 1)
        elif character == "!" and last in OPERAND_ENDS - {"text"} and not self.prose:
            self.emit("!", at + 1)
        elif character in "!！?？|—¦":
            self.emit(";", at + 1)
        elif character in "\\$":
            self.command()
        else:
            mark = self.prose and character not in "$&@" and unicodedata.category(character)[0] in "SPZC"
            self.emit(";" if mark else "stray", at + 1, unknown(character))

    def per_cent(self) -> None:
        """A percent sign behind its number, or before it, as in Turkish: %36,0."""
        start, before = self.at, len(self.tokens)
        if self.last and self.last.kind == "number" and self.last.value.digits is not None:
            number = self.tokens.pop()
            self.take(percent(number, self.text[number.start : start + 1], start + 1))
            return
        self.at += 1
        self.number()
        token = self.tokens[-1]
        if len(self.tokens) == before + 1 and token.kind == "number":
            self.tokens[-1] = percent(replace(token, start=start), self.text[start : token.end], token.end)

    def command(self) -> None:
        """LaTeX outside mathematics: a few relations and signs are known, a formula between dollars is left alone."""
        if formula := _FORMULA.match(self.text, self.at):
            self.emit("text", formula.end())
            return
        if self.text[self.at] == "$":
            self.emit("stray", self.at + 1, unknown("$"))
            return
        match = _COMMAND.match(self.text, self.at)
        name = match[1] if match else ""
        end = match.end() if match else self.at + 1
        if name in RELATION_COMMANDS:
            self.emit("relation", end, (RELATION_COMMANDS[name], ()))
        elif name in ("cdot", "times"):
            self.emit("operator", end, "·")
        elif self.text[self.at + 1 : self.at + 2] in tuple("_*[]()#"):
            self.at += 1  # an escape of Markdown
        else:
            self.emit("stray", max(end, self.at + 1), f"unknown command {self.text[self.at : end]}")


def _continues(character: str) -> bool:
    """Whether a letter goes on with a word of ASCII letters: é does, 的 does not."""
    return (
        is_letter(character)
        and not character.isascii()
        and not _is_wide(character)
        and character not in SUPERSCRIPTS
        and character not in SUBSCRIPTS
    )


def _is_wide(character: str) -> bool:
    return bool(character) and unicodedata.east_asian_width(character) in "WF"


def _name_parts(run: str) -> list[tuple[int, str, str]] | None:
    """The names that a run of letters stands for, each with its length, base and subscript; None for a word."""
    head, _, sub = run.partition("_")
    letters = head.rstrip("0123456789")
    digits = head[len(letters) :]
    if digits and sub:
        sub = f"{digits}_{sub}"
    sub = sub or digits
    if run in ("dk", "dv", "dq", "dh", "dmodel", "dmodel", "dff"):
        return [(len(run), "d", run[1:])]
    if letters in ("Wq", "Wk", "Wv", "Wo", "WQ", "WK", "WV", "WO") and len(head) == 2:
        return [(len(run), "W", letters[1].upper() + (f"_{sub}" if sub else ""))]
    if len(letters) == 1:
        return [(len(run), letters, sub)]
    if 1 < len(letters) <= 3 and set(letters) <= MATRIX_LETTERS and not (len(letters) == 3 and digits):
        return [(1, letter, "") for letter in letters[:-1]] + [(len(run) - len(letters) + 1, letters[-1], sub)]
    if letters in ("qk", "av") and not sub:
        return [(1, letter, "") for letter in letters]
    return None
