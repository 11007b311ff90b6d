"""Where in a spec something stands, for messages.

Arrives: the text of a spec, and keys. Leaves: `file:line: key, detail`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from symattn.errors import one_line

_TABLE = re.compile(r"\[\s*([\w-]{1,80})\s*\]")
_KEY = re.compile(r"([\w.-]{1,80}|\"[^\"]{1,200}\"|'[^']{1,200}')\s*=")


def key_lines(text: str) -> dict[str, int]:
    """The line on which each key of a spec stands, for messages."""
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()[:300]
        if match := _TABLE.match(stripped):
            table = match[1] + "."
            lines.setdefault(match[1], number)
        elif match := _KEY.match(stripped):
            lines.setdefault(table + match[1].strip("\"'"), number)
    return lines


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a spec something stands."""

    source: str
    lines: Mapping[str, int] = field(default_factory=dict)

    def at(self, key: str, detail: str = "") -> str:
        """`file:line: key, detail`, with the line where it is known."""
        table, _, last = key.rpartition(".")
        # a matrix may stand outside its table, a rule inside one line
        line = self.lines.get(key) or self.lines.get(last) or self.lines.get(table)
        place = f"{self.source}:{line}" if line else self.source
        return f"{place}: {one_line(key, 120)}{detail}"
