r"""Author macros: `\newcommand`, plain `\def`, `\DeclareMathOperator` and their kin, expanded within bounds.

Arrives: placed TeX text, in document order. Leaves: the same without definitions and with the author's commands
written out, and what could not be expanded. Nothing else of TeX is carried out: no conditionals, no files, no counters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from symattn.documents.formats.offsets import Placed, Weaver

MAX_DEPTH: Final = 32
MAX_CALL: Final = 100_000
"""Characters that one call may bring forth, all steps counted."""
MAX_TOTAL: Final = 500_000
"""Characters that the macros of one document may bring forth, all steps counted."""

_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.)", re.DOTALL)
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z@]+\Z")
_SPACE = re.compile(r"\s*")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_PARAMETER = re.compile(r"#(#|[1-9])")
_UNDELIMITED = re.compile(r"(?:#[1-9]\s*)*")
_OPTION = re.compile(r"\[([^\[\]{}]{0,2000})\]")
_ENVIRONMENT = re.compile(r"\{([A-Za-z@*]+)\}")
_SAVED_BOX = re.compile(r"\\(?:savebox|sbox)\s*\{?(\\[A-Za-z@]+)\}?\s*\{")
_USED_BOX = re.compile(r"\\usebox\s*\{?(\\[A-Za-z@]+)\}?")
_BY_WIDTH = re.compile(
    r"\\ifdim(?:(?!\\if|\\fi(?![A-Za-z])|\\else(?![A-Za-z])).)*"
    r"(?:\\else(?![A-Za-z])((?:(?!\\if|\\fi(?![A-Za-z])).)*))?\\fi(?![A-Za-z])",
    re.DOTALL,
)
_PROGRAM = re.compile(r"\\(?:@for|@ifnextchar|ifdefined|iffontchar|expandafter|csname|begingroup)(?![A-Za-z@])")
_ARGUMENT_TYPES = re.compile(r"\{\s*((?:[mo]\s*|O\{[^{}]*\}\s*)*)\}")
_DEFINERS: Final = frozenset(
    {r"\newcommand", r"\renewcommand", r"\providecommand", r"\DeclareRobustCommand", r"\def", r"\gdef", r"\edef",
     r"\xdef", r"\let", r"\DeclareMathOperator", r"\DeclarePairedDelimiter", r"\newenvironment", r"\renewenvironment",
     r"\NewDocumentCommand", r"\RenewDocumentCommand"}
)  # fmt: skip
_PREFIXES: Final = frozenset({r"\long", r"\global", r"\protected"})
_KEPT: Final = frozenset({r"\begin", r"\end", r"\left", r"\right", r"\text", "\\\\"})
"""Never redefined: the reader's own structure hangs on them."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A command of the author: how many arguments it takes, the first one's default, what it stands for."""

    parameters: int
    body: str
    default: str | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that was left as it stands: which characters of the expanded text, and why."""

    start: int
    end: int
    reason: str


class _Stop(Exception):  # noqa: N818
    """A call cannot be expanded."""


class _Frame:
    """A text that is being read, and how far."""

    def __init__(self, placed: Placed, depth: int) -> None:
        self.placed = placed
        self.text = placed.text
        self.pos = 0
        self.depth = depth
        self._closing: dict[int, int] | None = None

    def closing(self, at: int) -> int | None:
        """Where the brace opened at `at` is closed."""
        if self._closing is None:
            self._closing = closing_braces(self.text)
        return self._closing.get(at)


def closing_braces(text: str) -> dict[int, int]:
    r"""Where each opening brace is closed; those that never are have no entry.

    >>> closing_braces(r"{a{b}\}}{")
    {2: 4, 0: 7}
    """
    opened: list[int] = []
    closed: dict[int, int] = {}
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            closed[opened.pop()] = match.start()
    return closed


def set_out(body: str) -> str:
    r"""What the body of a layout macro sets: boxes where they are used, of a choice by width the last branch.

    Of a program, such as one that looks for a font, it is its last argument.

    >>> set_out(r"\savebox{\b}{$#1$}\ifdim\wd\b>1pt\usebox{\b}\else[$#1$]\fi")
    '[$#1$]'
    >>> set_out(r"\begingroup\findfont{#1}\fontfound#2\endgroup")
    '#2'
    """
    if _PROGRAM.search(body):
        return "#" + max(_PARAMETER.findall(body), default="") if "#" in body else body
    if r"\ifdim" not in body and "box" not in body:
        return body
    boxes: dict[str, str] = {}
    out, done = [], 0
    closing = closing_braces(body)
    for match in _SAVED_BOX.finditer(body):
        end = closing.get(match.end() - 1)
        if match.start() >= done and end is not None:
            boxes[match[1]] = body[match.end() : end]
            out.append(body[done : match.start()])
            done = end + 1
    body = "".join([*out, body[done:]])
    body = _BY_WIDTH.sub(lambda match: match[1] or "", body)
    return _USED_BOX.sub(lambda match: boxes.get(match[1], match[0]), body)


class Macros:
    r"""The macros of one document, as known so far.

    >>> from symattn.documents.formats.offsets import whole
    >>> macros = Macros()
    >>> expanded, failures = macros.expand(whole(r"\newcommand{\half}[1]{\frac{#1}{2}} \half{3}"))
    >>> expanded.text, expanded.span(7, 8), failures
    (' \\frac{3}{2}', (42, 43), ())
    """

    def __init__(self) -> None:
        self._commands: dict[str, Macro] = {}
        self._environments: dict[str, tuple[str, str]] = {}
        self._spent = 0

    def expand(self, placed: Placed) -> tuple[Placed, tuple[Failure, ...]]:
        """The text with the author's commands written out and definitions taken away; and what was left as it is."""
        if "\\" not in placed.text or not (self._commands or self._environments or _defines(placed.text)):
            return placed, ()
        out = Weaver()
        failures: list[Failure] = []
        frame = _Frame(placed, 0)
        text = frame.text
        while True:
            match = _COMMAND.search(text, frame.pos)
            if match is None:
                break
            out.copy(placed, frame.pos, match.start())
            frame.pos = match.start()
            before = self._spent
            try:
                woven = self._one(frame, before)
            except _Stop as stop:
                frame.pos = max(frame.pos, match.end())
                start = out.length
                out.copy(placed, match.start(), frame.pos)
                failures.append(Failure(start, out.length, str(stop)))
                continue
            if woven is None:
                out.copy(placed, match.start(), frame.pos)
            else:
                out.copy(woven)
        out.copy(placed, frame.pos)
        return out.finish(at=placed.offsets.start(0)), tuple(failures)

    def _one(self, bottom: _Frame, before: int) -> Placed | None:
        """What the command at the place of the bottom frame expands to in the end; None for one that stays."""
        out = Weaver()
        frames = [bottom]
        first = self._step(frames)
        if first is None:
            return None
        while len(frames) > 1:
            frame = frames[-1]
            match = _COMMAND.search(frame.text, frame.pos)
            if match is None:
                out.copy(frame.placed, frame.pos)
                frames.pop()
                continue
            out.copy(frame.placed, frame.pos, match.start())
            frame.pos = match.start()
            if self._spent - before > MAX_CALL:
                raise _Stop(f"a macro that grows beyond {MAX_CALL:,} characters")
            if self._step(frames) is None:
                out.copy(frame.placed, match.start(), frame.pos)
        return out.finish(at=bottom.placed.offsets.start(bottom.pos))

    def _step(self, frames: list[_Frame]) -> bool | None:
        """Carry out the command at the place of the last frame; None if it is none of the author's."""
        frame = frames[-1]
        match = _COMMAND.match(frame.text, frame.pos)
        if match is None:  # a backslash at the very end
            frame.pos += 1
            return None
        name = match[0]
        start, frame.pos = frame.pos, match.end()
        if name in _PREFIXES:
            return True if _DEFINER_NEXT.match(frame.text, frame.pos) else None
        if name in _DEFINERS:
            if self._define(name, frame):
                return True
            frame.pos = match.end()
            return None
        if name in (r"\begin", r"\end"):
            return self._environment(name, frames, start)
        macro = self._commands.get(name)
        if macro is None:
            return None
        self._call(name, macro, frames, start)
        return True

    def _environment(self, name: str, frames: list[_Frame], start: int) -> bool | None:
        frame = frames[-1]
        match = _ENVIRONMENT.match(frame.text, frame.pos)
        if match is None or match[1] not in self._environments:
            return None
        frame.pos = match.end()
        body = self._environments[match[1]][name == r"\end"]
        self._push(frames, Macro(0, body), [], frame.placed.span(start, frame.pos), frame.depth)
        return True

    def _call(self, name: str, macro: Macro, frames: list[_Frame], start: int) -> None:
        frame = frames[-1]
        arguments: list[Placed] = []
        if macro.default is not None:
            option = _OPTION.match(frame.text, frame.pos)
            if option:
                arguments.append(frame.placed.slice(option.start(1), option.end(1)))
                frame.pos = option.end()
            else:
                place = frame.placed.offsets.start(start)
                weaver = Weaver()
                weaver.put(macro.default, place, place + len(name))
                arguments.append(weaver.finish(at=place))
        while len(arguments) < macro.parameters:
            arguments.append(self._argument(name, frames))
        # all arguments are taken first, so that a refused call is left whole
        if macro.refusal:
            raise _Stop(f"{name}: {macro.refusal}")
        if frame.depth >= MAX_DEPTH:
            raise _Stop(f"{name} is defined by itself, or {MAX_DEPTH} macros deep")
        span = frame.placed.span(start, frame.pos)
        self._push(frames, macro, arguments, span, frame.depth)

    def _push(
        self, frames: list[_Frame], macro: Macro, arguments: list[Placed], span: tuple[int, int], depth: int
    ) -> None:
        size = len(macro.body) + sum(len(a.text) for a in arguments) * max(1, macro.body.count("#"))
        self._spent += size
        if size > MAX_CALL:
            raise _Stop(f"a macro that grows beyond {MAX_CALL:,} characters")
        if self._spent > MAX_TOTAL:
            raise _Stop(f"the document's macros grow beyond {MAX_TOTAL:,} characters")
        weaver = Weaver()
        at = 0
        for match in _PARAMETER.finditer(macro.body):
            weaver.put(macro.body[at : match.start()], *span)
            at = match.end()
            if match[1] == "#":
                weaver.put("#", *span)
            elif int(match[1]) <= len(arguments):
                argument = arguments[int(match[1]) - 1]
                before = macro.body[max(0, match.start() - 60) : match.start()]
                if _ENDS_IN_COMMAND.search(before) and argument.text[:1].isalpha():
                    weaver.put(" ", *span)  # \mathbf#1 with Q is \mathbf Q, not a command \mathbfQ
                weaver.copy(argument)
        weaver.put(macro.body[at:], *span)
        frames.append(_Frame(weaver.finish(at=span[0]), depth + 1))

    def _argument(self, name: str, frames: list[_Frame]) -> Placed:
        """The next argument: a group without its braces, a command, or one character, perhaps of the text around."""
        while True:
            frame = frames[-1]
            match = _SPACE.match(frame.text, frame.pos)
            frame.pos = match.end() if match else frame.pos
            if frame.pos < len(frame.text):
                break
            if len(frames) == 1:
                raise _Stop(f"{name} lacks an argument")
            frames.pop()
        start = frame.pos
        if frame.text[start] == "{":
            end = frame.closing(start)
            if end is None:
                raise _Stop(f"an argument of {name} is never closed")
            frame.pos = end + 1
            return frame.placed.slice(start + 1, end)
        if frame.text[start] == "}":
            raise _Stop(f"{name} lacks an argument")
        command = _COMMAND.match(frame.text, start)
        frame.pos = command.end() if command else start + 1
        return frame.placed.slice(start, frame.pos)

    # definitions

    def _define(self, definer: str, frame: _Frame) -> bool:
        """Take a definition in; False for one whose form is not known, which is then left as it stands."""
        self._star(frame)
        if definer in (r"\newenvironment", r"\renewenvironment"):
            return self._define_environment(frame)
        name = self._defined_name(frame)
        if name is None:
            return False
        if definer == r"\let":
            return self._alias(name, frame)
        if definer in (r"\def", r"\gdef", r"\edef", r"\xdef"):
            return self._define_plain(name, frame)
        if definer == r"\DeclareMathOperator":
            body = self._group(frame)
            return body is not None and self._set(name, Macro(0, rf"\operatorname{{{body}}}"))
        if definer == r"\DeclarePairedDelimiter":
            left, right = self._group(frame), self._group(frame)
            self._star(frame)
            return right is not None and self._set(name, Macro(1, rf"{left} #1 {right}"))
        if definer in (r"\NewDocumentCommand", r"\RenewDocumentCommand"):
            return self._define_typed(name, frame)
        return self._define_command(name, frame)

    def _define_command(self, name: str, frame: _Frame) -> bool:
        count, default = 0, None
        option = self._option(frame)
        if option is not None:
            if option not in tuple("0123456789"):
                return False
            count = int(option)
            default = self._option(frame)
        body = self._group(frame)
        return body is not None and self._set(name, Macro(count, body, default if count else None))

    def _define_plain(self, name: str, frame: _Frame) -> bool:
        brace = frame.text.find("{", frame.pos, frame.pos + 500)
        if brace < 0:
            return False
        parameters = frame.text[frame.pos : brace].strip()
        frame.pos = brace
        body = self._group(frame)
        if body is None:
            return False
        count = parameters.count("#")
        plain = _UNDELIMITED.fullmatch(parameters)
        refusal = "" if plain else r"its \def has delimiters, which are not read"
        return self._set(name, Macro(count if plain else 0, body, refusal=refusal))

    def _define_typed(self, name: str, frame: _Frame) -> bool:
        types = _ARGUMENT_TYPES.match(frame.text, _after_space(frame))
        if types is None:
            return False
        frame.pos = types.end()
        body = self._group(frame)
        kinds = re.findall(r"m|o|O\{([^{}]*)\}", types[1])
        count = len(kinds)
        first = re.match(r"\s*(?:o|O\{([^{}]*)\})", types[1])
        if body is None or len(re.findall(r"o|O\{", types[1])) > bool(first):
            return False
        return self._set(name, Macro(count, body, (first[1] or "") if first else None))

    def _define_environment(self, frame: _Frame) -> bool:
        match = _ENVIRONMENT.match(frame.text, _after_space(frame))
        if match is None:
            return False
        frame.pos = match.end()
        begin, end = self._group(frame), self._group(frame)
        if begin is None or end is None or "#" in begin + end:
            return False
        if rf"\begin{{{match[1]}}}" not in begin:
            self._environments[match[1]] = (begin, end)
        return True

    def _alias(self, name: str, frame: _Frame) -> bool:
        match = re.compile(r"\s*=?\s*(\\(?:[A-Za-z@]+|.)|[^\s\\{}])").match(frame.text, frame.pos)
        if match is None:
            return False
        frame.pos = match.end()
        meaning = self._commands.get(match[1])
        if meaning is not None and meaning.body.strip() == name:
            self._commands.pop(name, None)  # what it meant before any definition
            return True
        return self._set(name, meaning or Macro(0, match[1])) if match[1] != name else True

    def _set(self, name: str, macro: Macro) -> bool:
        if name not in _KEPT:
            self._commands[name] = replace(macro, body=set_out(macro.body))
        return True

    def _defined_name(self, frame: _Frame) -> str | None:
        match = re.compile(r"\s*(?:\{\s*(\\(?:[A-Za-z@]+|.))\s*\}|(\\(?:[A-Za-z@]+|.)))").match(frame.text, frame.pos)
        if match is None:
            return None
        frame.pos = match.end()
        return match[1] or match[2]

    @staticmethod
    def _star(frame: _Frame) -> None:
        if frame.text.startswith("*", frame.pos):
            frame.pos += 1

    @staticmethod
    def _option(frame: _Frame) -> str | None:
        match = _OPTION.match(frame.text, _after_space(frame))
        if match is None:
            return None
        frame.pos = match.end()
        return match[1]

    @staticmethod
    def _group(frame: _Frame) -> str | None:
        start = _after_space(frame)
        end = frame.closing(start)
        if end is None:
            return None
        frame.pos = end + 1
        return frame.text[start + 1 : end]


_DEFINER_NEXT = re.compile(r"\s*\\(?:long|global|protected|[gex]?def|let|(?:re)?newcommand)\b")


def _defines(text: str) -> bool:
    return any(definer in text for definer in _DEFINERS)


def _after_space(frame: _Frame) -> int:
    match = _SPACE.match(frame.text, frame.pos)
    return match.end() if match else frame.pos
