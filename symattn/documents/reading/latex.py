r"""LaTeX cut into tokens: what decorates is dropped, what means something is named.

Arrives: the text of a formula. Leaves: tokens. One pass without going back; every command is looked up in a table, and
a command in none of them becomes a stray token that names it. Nothing is expanded, included or run.
"""

from __future__ import annotations

import re
from typing import Final

from symattn.documents.reading.decimals import grouped_number, signs_of
from symattn.documents.reading.names import (
    ACCENTS,
    FONTS,
    FUNCTIONS,
    GREEK_LETTERS,
    LETTER_COMMANDS,
    LINE_ENVIRONMENTS,
    MATRIX_ENVIRONMENTS,
    RELATION_COMMANDS,
    RELATIONS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    TEXTS,
    is_word,
)
from symattn.documents.reading.tokens import (
    INVISIBLE,
    MAX_DEPTH,
    OPENING,
    OPERATORS,
    PUNCTUATION,
    SPACES,
    Token,
    find_partners,
    is_letter,
    number_token,
    percent,
    repeating_token,
    unknown,
)

_REPEATING: Final = re.compile(r"([0-9]+\.[0-9]*)\\(?:overline|bar|dot)\{?([0-9]+)\}?")
_DECIMAL: Final = re.compile(r"[0-9]+(?:(?:\.|\{,\})[0-9]+)?|\.[0-9]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_TEN: Final = re.compile(r"[eE]([+-]?[0-9]+)(?![0-9.^_{])")
_COMMAND: Final = re.compile(r"\\([A-Za-z]+)\*?")
_LENGTH: Final = re.compile(r"\*?\s{0,3}\[\s{0,3}-?[0-9.]{1,9}\s{0,3}(?:pt|em|ex|mm|cm|in|px|mu|bp|sp|pc)\s{0,3}\]")
_ENVIRONMENT: Final = re.compile(r"\s*\{([A-Za-z]{1,30})\*?\}")
_SIMPLE: Final = re.compile(r"\s{0,9}\{\s{0,9}([A-Za-z](?:[A-Za-z0-9 -]|\\?_){0,60})\}")
_EMPTY: Final = re.compile(
    r"\s{0,9}\{(?:\s|\\[ ,;:!]|~|\\(?:q?quad|hspace\*?\{[^{}]{0,40}\}|phantom\{[^{}]{0,40}\}))*\}"
)
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_ENTITIES: Final = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": " ", "&minus;": "-", "&times;": "×"}

_DROPPED: Final = frozenset(
    [
        "left",
        "right",
        "middle",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "biggl",
        "biggr",
        "Biggl",
        "Biggr",
        "bigm",
        "Bigm",
        "displaystyle",
        "textstyle",
        "scriptstyle",
        "scriptscriptstyle",
        "limits",
        "nolimits",
        "nonumber",
        "notag",
        "hline",
        "hdashline",
        "toprule",
        "midrule",
        "bottomrule",
        "mathstrut",
        "strut",
        "mathop",
        "mathbin",
        "mathrel",
        "mathord",
        "mathopen",
        "mathclose",
        "mathinner",
        "normalsize",
        "small",
        "footnotesize",
        "large",
        "Large",
        "centering",
        "checkmark",
        "qed",
        "noindent",
        "allowbreak",
        "nobreak",
        "relax",
        "smash",
        "protect",
        "ensuremath",
        "underset",
        "unicode",
    ]
) - {"underset"}
_SPACING: Final = frozenset(
    ["quad", "qquad", "enspace", "enskip", "hfill", "thinspace", "medspace", "thickspace", "hfil"]
)
_WITH_ARGUMENT: Final = frozenset(
    [
        "label",
        "tag",
        "hspace",
        "vspace",
        "hskip",
        "phantom",
        "hphantom",
        "vphantom",
        "color",
        "cline",
        "arraystretch",
        "kern",
        "mkern",
    ]
)
_TAKES_COLOUR: Final = frozenset({"textcolor", "colorbox", "fcolorbox"})
_SUMS: Final = {
    "sum": "a sum over an index", "prod": "a product over an index", "int": "an integral", "lim": "a limit",
    "binom": "a binomial coefficient", "dbinom": "a binomial coefficient", "sup": "a supremum", "oint": "an integral",
    "inf": "an infimum", "gcd": "a greatest common divisor", "bigoplus": "a direct sum", "coprod": "a coproduct",
    "iint": "an integral", "limsup": "a limit", "bigcup": "a union", "det": "a determinant", "argmax": "an argmax",
}  # fmt: skip
_OPERATOR_COMMANDS: Final = {
    "cdot": "·", "times": "×", "ast": "*", "star": "*", "bullet": "·", "div": "/", "pm": "±", "mp": "±", "odot": "⊙",
    "otimes": "⊗", "oplus": "⊕", "circ": "⊙", "slash": "/", "cdotp": "·", "boldsymbol·": "·",
}  # fmt: skip
_DOTS: Final = frozenset(["cdots", "dots", "ldots", "vdots", "ddots", "dotsc", "dotsb", "dotsm", "dotso"])
_BLANKS: Final = frozenset(["square", "Box", "blacksquare"])
_ARROWS: Final = {
    "xrightarrow": "→", "xRightarrow": "→", "xlongrightarrow": "→", "xmapsto": "→", "xleftarrow": "←",
    "xlongequal": "=", "xlongleftarrow": "←", "xhookrightarrow": "→",
}  # fmt: skip
_OVERLAY: Final = re.compile(r"<[-+0-9.,|@:a-z]{1,24}>(?=\s*\{)")
_BRACE: Final = re.compile(r"\s*\{")
_BEGINNING: Final = frozenset({"open", "{", "begin"})
_ENDING: Final = frozenset({"close", "}", "end"})
_BRACKETS: Final = {
    "langle": ("open", "⟨", "⟩"), "rangle": ("close", "⟩", None), "lbrack": ("open", "[", "]"),
    "rbrack": ("close", "]", None), "lparen": ("open", "(", ")"), "rparen": ("close", ")", None),
    "lbrace": ("open", "\\{", "\\}"), "rbrace": ("close", "\\}", None), "lvert": ("bar", "|", None),
    "rvert": ("bar", "|", None), "vert": ("bar", "|", None), "mid": (",", "|", None), "Vert": ("bar", "‖", None),
    "lVert": ("bar", "‖", None), "rVert": ("bar", "‖", None), "lgroup": ("open", "(", ")"),
    "rgroup": ("close", ")", None),
}  # fmt: skip
_FRACTIONS: Final = frozenset(["frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac"])
_OVERS: Final = frozenset({"overset", "stackrel", "underset"})


_Meaning = tuple[str, object, str | None]
_MEANINGS: Final[dict[str, _Meaning]] = {
    **{name: ("function", function, name) for name, function in FUNCTIONS.items()},
    **{name: ("name", base, None) for name, base in LETTER_COMMANDS.items()},
    **{name: ("sum", what, None) for name, what in _SUMS.items()},
    **{name: ("relation", (kind, ()), None) for name, kind in RELATION_COMMANDS.items()},
    **{name: ("operator", sign, None) for name, sign in _OPERATOR_COMMANDS.items()},
    **{name: (kind, value, shown) for name, (kind, shown, value) in _BRACKETS.items()},
    **{name: ("command", ("arrow", kind), None) for name, kind in _ARROWS.items()},
    **{name: ("command", ("accent", name), None) for name in ACCENTS},
    **dict.fromkeys(_FRACTIONS, ("command", "frac", None)),
    **{name: ("command", name, None) for name in (*_OVERS, "sqrt", "over", "boxed", "underbrace", "overbrace")},
    **dict.fromkeys(_DOTS, ("dots", None, None)),
    **dict.fromkeys(_BLANKS, ("blank", None, None)),
    **dict.fromkeys(("newline", "cr", "tabularnewline"), ("row", None, None)),
    "infty": ("infinity", None, None),
    "top": ("name", "⊤", None),
    "intercal": ("name", "⊤", None),
    "prime": ("prime", 1, None),
    "pi": ("constant", "pi", None),
}
"""What each command stands for: a kind of token, its value, and its text if another one."""

_SIGNS: Final[dict[str, tuple[str, object]]] = {
    **{sign: ("operator", meaning) for sign, meaning in OPERATORS.items()},
    **{letter: ("name", name) for letter, name in GREEK_LETTERS.items()},
    **{sign: (sign, None) for sign in "{}^_,;!:."},
    **{opening: ("open", closing) for opening, closing in OPENING.items()},
    **dict.fromkeys(OPENING.values(), ("close", None)),
    **dict.fromkeys("'′’", ("prime", 1)),
    **dict.fromkeys("…⋯⋮⋱", ("dots", None)),
    **dict.fromkeys("□☐▢?？", ("blank", None)),
    **dict.fromkeys("∑∏∫", ("sum", "a sum over an index")),
    **{sign: ("name", sign) for sign in "∂∇⊤"},
    "″": ("prime", 2),
    "√": ("command", "sqrt"),
    "∞": ("infinity", None),
    "π": ("constant", "pi"),
}
_ESCAPED: Final[dict[str, _Meaning]] = {
    "{": ("open", "\\}", "\\{"),
    "}": ("close", None, "\\}"),
    "|": ("bar", None, "‖"),
    "&": ("&", None, None),
    "*": ("operator", "*", None),
    "-": ("operator", "-", None),
    "'": ("prime", 1, None),
}


def latex_tokens(text: str, *, decimal_comma: bool = False) -> list[Token]:
    r"""The tokens of a formula.

    >>> [token.kind for token in latex_tokens(r"\mathbf{W}_Q \approx 0{,}67")]
    ['{', 'name', '}', '_', 'name', 'relation', 'number']
    """
    return _Lexer(text, decimal_comma=decimal_comma).run()


class _Lexer:
    def __init__(self, text: str, *, decimal_comma: bool) -> None:
        self.text = text
        self.at = 0
        self.gap = 0
        self.tokens: list[Token] = []
        self.signs = signs_of(text, decimal_comma=decimal_comma, latex=True)
        self.lists: list[bool] = []
        """Of what is open: whether commas and spaces part entries in it."""
        self.plain: list[tuple[int, str]] = []
        r"""Matrices in the manner of plain TeX, \pmatrix{1&2\cr 3&4}: how much was open where they begin, and which."""

    def run(self) -> list[Token]:
        while self.at < len(self.text):
            self.step()
        return self.tokens

    def emit(self, kind: str, end: int, value: object = None, text: str | None = None) -> None:
        shown = self.text[self.at : end] if text is None else text
        if kind == "}" and self.plain and self.plain[-1][0] == len(self.lists):
            kind, value = "end", self.plain.pop()[1]
        self.tokens.append(Token(kind, shown, self.at, end, self.gap, value))
        if kind in _BEGINNING:
            lines = kind == "begin" and value in LINE_ENVIRONMENTS and value not in MATRIX_ENVIRONMENTS
            self.lists.append(self.in_list if lines or kind == "{" else True)
        elif kind in _ENDING and self.lists:
            self.lists.pop()
        self.at, self.gap = end, 0

    @property
    def in_list(self) -> bool:
        """Whether commas and spaces part entries here."""
        return self.lists[-1:] == [True]

    def skip(self, end: int, gap: int) -> None:
        self.at, self.gap = end, max(gap, self.gap)

    def step(self) -> None:
        character = self.text[self.at]
        if character in SPACES:
            self.skip(self.at + 1, 1)
        elif character in INVISIBLE:
            self.skip(self.at + 1, 0)
        elif character == "\\":
            self.backslash()
        elif character.isascii() and (character.isdigit() or (character == "." and self.digit_at(self.at + 1))):
            self.number()
        elif character.isascii() and character.isalpha():
            self.letters()
        else:
            self.sign(character)

    def digit_at(self, at: int) -> bool:
        return at < len(self.text) and self.text[at] in "0123456789"

    def number(self) -> None:
        text, at = self.text, self.at
        if repeating := _REPEATING.match(text, at):
            token = repeating_token(repeating.group(), at, self.gap, repeating[1], repeating[2])
            self.take(token)
            return
        # a subscript or superscript without braces is one digit, but a whole one is meant; that is settled later
        last = self.tokens[-1].kind if self.tokens else "relation"
        related = last in ("relation", "operator")
        grouped = None
        if last not in ("number", "_"):
            grouped = grouped_number(text, at, comma=self.signs.comma, nested=self.in_list, related=related)
        match = None if grouped else _DECIMAL.match(text, at)
        if grouped is not None:
            end, plain = grouped
        elif match is not None:
            end, plain = match.end(), match.group().replace("{,}", ".")
            if end in self.signs.decimals and plain.isdecimal() and self.digit_at(end + 1):
                end, plain = self.with_comma(end, plain)
        else:
            self.emit("stray", at + 1, "a number has one decimal point, with digits after it")
            return
        if plain.count(".") > 1 or (text[end : end + 1] == "." and self.digit_at(end + 1)):
            while end < len(text) and text[end] in "0123456789.":
                end += 1
            self.emit("stray", end, "a number has one decimal point")
            return
        if end + 1 < len(text) and text[end] in "eE" and (ten := _TEN.match(text, end)):
            token = number_token(text[at : ten.end()], at, ten.end(), self.gap, plain, exponent=ten[1])
        elif text[end : end + 1] == "E" and text[end + 1 : end + 2] not in ("_", "^"):
            token = Token(
                "stray", text[at : end + 1], at, end + 1, self.gap, "E after a number: a power of ten or a name?"
            )
        else:
            token = number_token(text[at:end], at, end, self.gap, plain)
        self.take(token)

    def with_comma(self, end: int, whole: str) -> tuple[int, str]:
        """The end and the digits of a number whose decimal comma stands at `end`."""
        fraction = _DIGITS.match(self.text, end + 1)
        return (fraction.end(), f"{whole}.{fraction.group()}") if fraction else (end, whole)

    def take(self, token: Token) -> None:
        self.tokens.append(token)
        self.at, self.gap = token.end, 0

    def letters(self) -> None:
        match = _LETTERS.match(self.text, self.at)
        run = match.group() if match else self.text[self.at]
        scripted = bool(self.tokens) and self.tokens[-1].kind in ("^", "_") and self.gap == 0
        if is_word(run):
            self.word(run, self.at + len(run))
        elif scripted and self.tokens[-1].kind == "_" and run in ("in", "ff", "out"):
            self.emit("text", self.at + len(run), None)
        else:
            self.letter(run[0], self.at + 1)

    def letter(self, base: str, end: int) -> None:
        follows = self.text[end : end + 1]
        if base == "e" and follows != "_":
            self.emit("constant", end, "e")
        else:
            self.emit("name", end, base)

    def word(self, run: str, end: int) -> None:
        function = FUNCTIONS.get(run)
        if function is not None:
            self.emit("function", end, function, run)
        else:
            self.emit("text", end, None, run)

    def sign(self, character: str) -> None:
        at = self.at
        character = PUNCTUATION.get(character, character)
        if character == "&":
            self.ampersand()
        elif character == "%":
            self.per_cent(at + 1)
        elif character == "~":
            self.skip(at + 1, 1)
        elif character in "|‖":
            double = self.text.startswith("||", at)
            self.emit("bar", at + 1 + double, None, "‖" if double or character == "‖" else "|")
        elif relation := relation_at(self.text, at, character):
            self.emit("relation", at + len(relation), (RELATIONS[relation], ()))
        elif character in _SIGNS:
            kind, value = _SIGNS[character]
            self.emit("," if at in self.signs.separators else kind, at + 1, value, character)
        else:
            self.symbol(character)

    def ampersand(self) -> None:
        """A column's end, or an entity of HTML that was not decoded."""
        at = self.at
        entity = next((entity for entity in _ENTITIES if self.text.startswith(entity, at)), "&")
        meaning = _ENTITIES.get(entity, "&")
        end = at + len(entity)
        if meaning == "&":
            self.emit("&", end)
        elif meaning == " ":
            self.skip(end, 1)
        elif meaning in OPERATORS:
            self.emit("operator", end, OPERATORS[meaning])
        else:
            self.emit("relation", end, (meaning, ()))

    def symbol(self, character: str) -> None:
        at = self.at
        if character in "✓✔✗✘☑✅❌":
            self.skip(at + 1, 2)
        elif character in SUPERSCRIPTS or character in SUBSCRIPTS:
            table = SUPERSCRIPTS if character in SUPERSCRIPTS else SUBSCRIPTS
            end = at
            while end < len(self.text) and self.text[end] in table:
                end += 1
            script = "".join(table[c] for c in self.text[at:end])
            self.emit("script", end, ("^" if table is SUPERSCRIPTS else "_", script))
        elif is_letter(character):
            end = at
            while end < len(self.text) and not self.text[end].isascii() and is_letter(self.text[end]):
                end += 1
            self.emit("text", end)
        else:
            self.emit("stray", at + 1, unknown(character))

    def per_cent(self, end: int) -> None:
        if self.tokens and self.tokens[-1].kind == "number" and self.tokens[-1].value.digits is not None:
            number = self.tokens.pop()
            self.take(percent(number, self.text[number.start : end], end))
        elif self.text[self.at] == "%":
            newline = self.text.find("\n", self.at)
            self.skip(len(self.text) if newline < 0 else newline, 1)
        else:
            self.emit("stray", end, "a percent sign without a number")

    def backslash(self) -> None:
        text, at = self.text, self.at
        follows = text[at + 1 : at + 2]
        if command := _COMMAND.match(text, at):
            self.command(command[1], command.end() if command[1] not in _DROPPED else at + 1 + len(command[1]))
        elif follows in _ESCAPED:
            kind, value, shown = _ESCAPED[follows]
            self.emit(kind, at + 2, value, shown)
        elif follows in ("\\", "[", "\n", "\r", "") or follows in "0123456789":
            self.row(follows)
        elif follows in (" ", "\t", "\u00a0"):
            self.skip(at + 2, 3)
        elif follows in ",;:!>/":
            self.skip(at + 2, 2)
        elif follows == "_":
            self.underscore()
        elif follows == "%":
            self.per_cent(at + 2)
        else:
            self.emit("stray", at + 2, f"unknown command \\{follows}")

    def row(self, follows: str) -> None:
        """A line's end: two backslashes, or one that Markdown left of them."""
        text, at = self.text, self.at
        if follows == "\\":
            length = _LENGTH.match(text, at + 2)
            self.emit("row", length.end() if length else at + 2 + (text[at + 2 : at + 3] == "*"))
        elif follows != "[":
            self.emit("row", at + 1, "single")
        elif length := _LENGTH.match(text, at + 1):
            self.emit("row", length.end(), "single")
        else:
            self.emit("stray", at + 2, "unknown command \\[")

    def underscore(self) -> None:
        end = self.at
        count = 0
        while self.text.startswith("\\_", end) or (count and self.text.startswith("_", end)):
            end += 2 if self.text[end] == "\\" else 1
            count += 1
        self.emit("_" if count == 1 else "blank", end)

    def command(self, name: str, end: int) -> None:
        if name in _DROPPED:
            self.skip(end, 0)
            # \left. and \right. stand for nothing
            if name in ("left", "right") and self.text[end : end + 1] == "." and not self.digit_at(end + 1):
                self.skip(end + 1, 0)
        elif name in TEXTS:
            self.words(end)
        elif name in FONTS:
            self.font(name, end)
        elif name in _SPACING:
            self.space(end)
        elif name in _WITH_ARGUMENT:
            self.passed_over(name, end)
        elif name in _TAKES_COLOUR:
            self.skip(self.group_end(self.overlay_end(end)), 0)
        elif name in ("begin", "end") or (name in MATRIX_ENVIRONMENTS and _BRACE.match(self.text, end)):
            self.environment(name, end)
        elif name in _MEANINGS:
            kind, value, shown = _MEANINGS[name]
            self.emit(kind, end, value, shown)
        else:
            self.emit("stray", end, f"unknown command \\{name}")

    def passed_over(self, name: str, end: int) -> None:
        """A command whose argument says nothing about the formula."""
        close = self.group_end(end)
        if close == end and self.text[end : end + 1] == "{":
            self.emit("stray", len(self.text), f"\\{name}{{ is not closed")
        elif "space" in name or "phantom" in name:
            self.space(close)
        else:
            self.skip(close, 2)

    def space(self, end: int) -> None:
        """One wide space, however many commands make it."""
        if self.tokens and self.tokens[-1].kind == "quad":
            self.skip(end, 2)
        else:
            self.emit("quad", end)

    def overlay_end(self, at: int) -> int:
        r"""Behind what says on which slides a command holds: \visible<2->{...}."""
        overlay = _OVERLAY.match(self.text, at)
        return at if overlay is None else overlay.end()

    def font(self, name: str, end: int) -> None:
        text = self.text
        if name == "underline" and (empty := _EMPTY.match(text, end)):
            self.emit("blank", empty.end())
            return
        end = self.overlay_end(end)
        simple = _SIMPLE.match(text, end)
        if simple is None or len(simple[1].strip()) == 1:
            self.skip(end, 0)  # the group or the letter behind it is read as it is
            return
        content = simple[1].replace("\\", "").strip()
        upright = name in ("mathrm", "operatorname", "mathsf", "mathtt", "mathit")
        if content in FUNCTIONS:
            self.word(content, simple.end())
        elif (upright and "_" not in content) or is_word(content) or " " in content or "\\_" in simple[1]:
            self.emit("text", simple.end(), None, content)
        else:
            self.skip(end, 0)

    def words(self, end: int) -> None:
        text = self.text
        while end < len(text) and text[end] in " \n\t":
            end += 1
        if text[end : end + 1] != "{":
            self.emit("stray", end, "\\text needs {..}")
            return
        close = self.group_end(end)
        if close == end:
            self.emit("stray", len(text), "\\text{ is not closed")
            return
        content = plain_words(text[end + 1 : close - 1])
        stripped = content.strip()
        if not stripped:
            self.skip(close, 2)
        elif stripped in FUNCTIONS:
            self.emit("function", close, FUNCTIONS[stripped], stripped)
        elif set(stripped) <= set("_?"):
            self.emit("blank", close)
        elif stripped == "T":
            self.emit("name", close, "T")
        else:
            self.emit("text", close, None, content)

    def group_end(self, at: int) -> int:
        """The place behind the group in braces that starts at `at`, or `at` where none does or it never ends."""
        text = self.text
        while at < len(text) and text[at] in " \t":
            at += 1
        if text[at : at + 1] != "{":
            return at
        depth, end = 0, at
        while end < len(text):
            character = text[end]
            if character == "\\":
                end += 1
            elif character == "{":
                depth += 1
                if depth > MAX_DEPTH:
                    return at
            elif character == "}":
                depth -= 1
                if depth == 0:
                    return end + 1
            end += 1
        return at

    def environment(self, which: str, end: int) -> None:
        if which not in ("begin", "end"):
            self.emit("begin", self.text.index("{", end) + 1, which)
            self.plain.append((len(self.lists), which))
            return
        match = _ENVIRONMENT.match(self.text, end)
        if match is None:
            self.emit("stray", end, f"\\{which} without a name")
            return
        name, end = match[1], match.end()
        if name not in MATRIX_ENVIRONMENTS and name not in LINE_ENVIRONMENTS:
            self.emit("stray", end, f"unknown environment {name}")
            return
        if which == "begin":
            bracket = re.compile(r"\s*\[[a-zA-Z]\]").match(self.text, end)
            end = bracket.end() if bracket else end
            if name in ("array", "alignat", "alignedat", "tabular", "darray"):
                end = self.group_end(end)
        self.emit(which, end, name)


def relation_at(text: str, at: int, character: str) -> str:
    """The longest relation sign at a place, empty where there is none."""
    for length in (3, 2):
        if (sign := text[at : at + length]) in RELATIONS and len(sign) == length:
            # a minus may follow a relation: a<-1 is no arrow
            if sign == "<-" and text[at + 2 : at + 3].isdigit():
                continue
            return sign
    return text[at] if character in RELATIONS or text[at] in RELATIONS else ""


def plain_words(content: str) -> str:
    r"""The words inside \text{...}: escapes undone, commands and dollar signs dropped."""
    content = re.sub(r"\\([_%&#$ {}])", r"\1", content)
    content = re.sub(r"\\[A-Za-z]+\s?", "", content)
    return content.replace("$", "").replace("{", "").replace("}", "").replace("~", " ")


def simplified(tokens: list[Token]) -> list[Token]:
    r"""The tokens with groups around a lone sign undone (`{\cdot}`), and what stands over a relation joined to it."""
    tokens, partner = find_partners(tokens)
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = partner[at]
        script = bool(out) and out[-1].kind in ("^", "_")
        if token.kind == "{" and end == at + 2 and not script:
            inner = tokens[at + 1]
            applied = inner.kind in ("function", "text") and end + 1 < len(tokens) and tokens[end + 1].kind == "open"
            if applied or inner.kind in ("operator", "relation", ",", ";", "dots"):
                out.append(Token(inner.kind, inner.text, token.start, tokens[end].end, token.gap, inner.value))
                at = end + 1
                continue
        if token.kind == "{" and end == at + 1 and not (out and out[-1].kind in ("^", "_", "command", "}")):
            at = end + 1
            continue
        if token.kind == "command" and (joined := _joined(tokens, partner, at)) is not None:
            made, at = joined
            out.append(made)
            continue
        out.append(token)
        at += 1
    return out


def _joined(tokens: list[Token], partner: list[int], at: int) -> tuple[Token, int] | None:
    r"""The relation of \xrightarrow[..]{..}, \overset{..}{=} or an empty \boxed{}, and the place behind it."""
    token = tokens[at]
    behind = at + 1
    if isinstance(token.value, tuple) and token.value[0] == "arrow":
        below: tuple[Token, ...] = ()
        if behind < len(tokens) and tokens[behind].text == "[" and partner[behind] > 0:
            below = tuple(tokens[behind + 1 : partner[behind]])
            behind = partner[behind] + 1
        over: tuple[Token, ...] = ()
        if behind < len(tokens) and tokens[behind].kind == "{" and partner[behind] > 0:
            over = tuple(tokens[behind + 1 : partner[behind]])
            behind = partner[behind] + 1
        last = tokens[behind - 1]
        return Token("relation", token.text, token.start, last.end, token.gap, (token.value[1], over or below)), behind
    if token.value in _OVERS and behind < len(tokens) and tokens[behind].kind == "{" and partner[behind] > 0:
        first = partner[behind] + 1
        if first >= len(tokens):
            return None
        end = partner[first] if tokens[first].kind == "{" and partner[first] > 0 else first
        inner = [t for t in tokens[first : end + 1] if t.kind not in ("{", "}")]
        if len(inner) == 1 and inner[0].kind == "relation":
            over = tuple(tokens[behind + 1 : partner[behind]])
            value = (inner[0].value[0], over)
            return Token("relation", token.text, token.start, tokens[end].end, token.gap, value), end + 1
        return None
    if token.value == "boxed" and behind < len(tokens) and tokens[behind].kind == "{" and partner[behind] > 0:
        content = tokens[behind + 1 : partner[behind]]
        if all(inner.kind == "quad" for inner in content):
            end = partner[behind]
            return Token("blank", token.text, token.start, tokens[end].end, token.gap), end + 1
    return None
