"""The errors that reach a user: each is one line that says where, what was found, and what was expected.

Arrives: nothing. Leaves: the one family of exceptions that the command line turns into exit code 2.
"""

from __future__ import annotations

from typing import Self


class SymattnError(Exception):
    """Base of the family; its text is always a single line.

    >>> str(SpecError("found 'nan'", where="tiny.toml: d_k", expected="a positive number"))
    "tiny.toml: d_k: found 'nan'; expected a positive number"
    """

    def __init__(self, problem: str, *, where: str = "", expected: str = "", hint: str = "") -> None:
        self.problem = problem
        self.where = where
        self.expected = expected
        self.hint = hint
        text = f"{where}: {problem}" if where else problem
        if expected:
            text += f"; expected {expected}"
        if hint:
            text += f". {hint}"
        super().__init__(one_line(text))

    def within(self, where: str) -> Self:
        """The same error, told with the place around it in front (`tiny.toml` before `matrices.Q`)."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.problem, where=place, expected=self.expected, hint=self.hint)


class ReadError(SymattnError):
    """A value, a formula or a file could not be read."""


class SpecError(SymattnError):
    """A spec says something that cannot be worked with."""


class ShapeError(SpecError):
    """Two shapes do not fit."""


class OptionError(SymattnError):
    """An option or argument is unknown or out of range."""


class OutputError(SymattnError):
    """A result could not be written, or a program that writes it is missing."""


class UndecidedError(SymattnError):
    """A digit or an equality could not be decided within the stated bounds."""


def one_line(text: str, limit: int = 600) -> str:
    r"""The text as one printable line: control characters are shown by name, long text is cut.

    >>> one_line("a\nb\x00")
    'a\\nb\\x00'
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def system_reason(error: OSError | ValueError) -> str:
    """Why the system did not do something with a path, in the same words on every Python.

    >>> system_reason(FileNotFoundError(2, "No such file or directory"))
    'No such file or directory'
    """
    if isinstance(error, OSError):
        return error.strerror or str(error)
    # a path that never reaches the system: half a character, or a NUL, of which every Python speaks differently
    return str(error) if isinstance(error, UnicodeError) else "embedded null byte"


def quoted(value: object, limit: int = 40) -> str:
    """What was found, short enough for an error line.

    >>> quoted("9" * 100)
    "'999999999999999999999999999999999999999…'"
    """
    text = str(value) if not isinstance(value, str) else value
    return "'" + one_line(text, limit) + "'"
