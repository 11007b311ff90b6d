"""What a document has said so far: names and their values, three ways, and the stages they stand for.

Arrives: values as they are bound. Leaves: views for evaluation. Each quantity is kept as it is displayed, as it is at
full precision from what the document gives, and as it is from X and the weight matrices all through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal

from flint import fmpq

from symattn.documents.formats.document import Place
from symattn.documents.judging.stages import NAMES, Layout
from symattn.documents.reading.scalars import Scalar
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import Name, Node
from symattn.numbers.certified import rational_of

Way = Literal["shown", "exact", "source"]
Origins = dict[tuple[int, ...], Place]

_ENTRY: Final = re.compile(r"(.+?)_([^_,\s]+?)(?:\s*,\s*([^_,\s]+))?$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value as displayed, at full precision from what is given, and from the definitions.

    `origins` are the places of the findings among its entries; `approximate` says that it rests on a declared root,
    `derived` that the document gives only the formula: its numbers are not displayed yet.
    """

    shown: Value
    exact: Value | None = None
    source: Value | None = None
    stage: str = ""
    claimed: bool = False
    origins: Origins = field(default_factory=dict)
    approximate: bool = False
    derived: bool = False

    def way(self, way: Way) -> Value:
        """The value by one of the ways, as far as it is known."""
        if way == "shown":
            return self.shown
        exact = self.exact if self.exact is not None else self.shown
        return exact if way == "exact" or self.source is None else self.source

    def upright(self) -> Quantity:
        """The row that was written as a column."""
        exact = _turned(self.exact, flat=True)
        return replace(self, shown=_turned(self.shown, flat=True) or self.shown, exact=exact, source=None)

    def row(self, i: int) -> Quantity:
        """A row of a table, by all the ways."""
        origins = {(0, *place[1:]): at for place, at in self.origins.items() if place[:1] == (i,)}
        part = _part_of(self, lambda value: _row(value, i))
        return self if part is None else replace(part, claimed=self.claimed, origins=origins)


@dataclass(frozen=True, slots=True)
class Moments:
    """A row that is normalised, and its mean, variance and deviation as they are displayed."""

    entries: tuple[Scalar, ...]
    mean: Scalar | None = None
    variance: Scalar | None = None
    deviation: Scalar | None = None


@dataclass
class Memory:
    """Everything said so far. One lives for one document.

    `stages`, `rows`, `entries` and `lone` hold what is known of the pipeline: whole tables, rows by their place,
    single entries, and the one row of a single query. `labels` are the tokens, `told` those of them that were taken
    one by one from names such as x_cat. `results` are the numbers that stood alone, in order; `shared` counts the
    weights that were told of the exponentials at hand. `stated` are shapes that wait for their matrices,
    `functions` what the document defines, `joined` the output of all heads, `recent` the tables displayed last, and
    `moments` those of rows that are normalised.
    """

    names: dict[str, Quantity] = field(default_factory=dict)
    stages: dict[str, Quantity] = field(default_factory=dict)
    rows: dict[str, dict[int, Quantity]] = field(default_factory=dict)
    formulas: dict[str, Node] = field(default_factory=dict)
    numbers: dict[str, list[Quantity]] = field(default_factory=dict)
    results: list[str] = field(default_factory=list)
    roots: list[tuple[fmpq, str]] = field(default_factory=list)
    slips: dict[str, tuple[str | None, Place]] = field(default_factory=dict)
    scored: list[Quantity] = field(default_factory=list)
    exponentials: list[Quantity] = field(default_factory=list)
    total: Quantity | None = None
    shared: int = 0
    sums: dict[int, tuple[tuple[Quantity, ...], Quantity]] = field(default_factory=dict)
    input: Quantity | None = None
    last: Node | None = None
    steps: dict[str, Node] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    told: list[str] = field(default_factory=list)
    stated: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, tuple[tuple[str, ...], Node]] = field(default_factory=dict)
    program: dict[str, Any] = field(default_factory=dict)
    divisor: Value | None = None
    masked: bool = False
    first: int = 1
    from_zero: set[str] = field(default_factory=set)
    layout: Layout = "rows"
    head: str = ""
    entries: dict[str, dict[tuple[int, int], Quantity]] = field(default_factory=dict)
    lone: dict[str, Quantity] = field(default_factory=dict)
    heads: dict[str, dict[str, Quantity]] = field(default_factory=dict)
    joined: Quantity | None = None
    recent: tuple[Node, ...] = ()
    moments: dict[int, Moments] = field(default_factory=dict)
    version: int = 0

    def copy(self) -> Memory:
        """The same memory, to go on from by itself."""
        changed: dict[str, Any] = {
            one.name: value.copy() if isinstance(value := getattr(self, one.name), (dict, list, set)) else value
            for one in fields(self)
        }
        changed["rows"] = {stage: dict(rows) for stage, rows in self.rows.items()}
        changed["entries"] = {stage: dict(known) for stage, known in self.entries.items()}
        changed["numbers"] = {text: list(known) for text, known in self.numbers.items()}
        return Memory(**changed)

    def bind(self, key: str, quantity: Quantity) -> None:
        """A name takes a value."""
        self.names[key] = quantity
        self.version += 1

    def turn_to(self, head: str) -> None:
        """Go on with one of several heads; what was said before the first of them is common to all."""
        if head == self.head:
            return
        self.heads[self.head] = dict(self.stages)
        self.stages = dict(self.heads.get(head, self.heads.get("", {})))
        self.rows, self.entries, self.head, self.joined = {}, {}, head, None
        self.version += 1

    def lay(self, layout: Layout) -> None:
        """The tokens lie in another way than was thought."""
        if layout != self.layout and not (layout == "queries" and self.layout == "columns"):
            self.layout = layout
            self.version += 1

    def width(self) -> int | None:
        """The width of the keys, None where they are not known."""
        keys = self.stages.get("K") or self.stages.get("Q")
        if keys is None or not isinstance(keys.shown, Table):
            vectors = [
                one.shown for one in self.names.values() if one.stage in {"Q", "K"} and isinstance(one.shown, Table)
            ]
            height, width = vectors[0].shape if vectors else (1, 1)
            return width if vectors and vectors[0].flat else height if width == 1 < height else None
        return keys.shown.shape[1 if self.layout == "rows" else 0]

    def place(self, stage: str, quantity: Quantity) -> None:
        """A stage takes a value; what was known of its rows is forgotten."""
        self.stages[stage] = quantity
        self.rows.pop(stage, None)
        self.entries.pop(stage, None)
        self.version += 1

    def place_row(self, stage: str, i: int, quantity: Quantity, size: int) -> None:
        """A row of a stage takes a value; with the last of them the stage has one."""
        rows = self.rows.setdefault(stage, {})
        if i > 0 and (lone := self.lone.pop(stage, None)) is not None and i == 1 and 0 not in rows:
            rows[0] = lone  # the one row that there was turns out to be the first
        rows[i] = quantity
        self.version += 1
        if len(rows) == size and stage not in self.stages:
            self.stages[stage] = self._stacked(rows, stage)

    def whole(self, stage: str) -> Quantity | None:
        """A stage: as it was displayed, or stacked from its rows, or the one row that there is of it."""
        if stage in self.stages:
            return self.stages[stage]
        rows = self.rows.get(stage, {})
        if len(rows) > 1 and set(rows) == set(range(len(rows))):
            return self._stacked(rows, stage)
        return self._of_entries(stage) or self.lone.get(stage)

    def _stacked(self, rows: dict[int, Quantity], stage: str) -> Quantity:
        """The table of its rows; of its columns, where the tokens lie so."""
        whole = _stacked([rows[k] for k in sorted(rows)], stage)
        return _part_of(whole, _turned) or whole if self.has_columns(stage) else whole

    def has_columns(self, stage: str) -> bool:
        """Whether the tokens of a stage are its columns."""
        if stage in {"X", "Q", "K", "V", "outputs"}:
            return self.layout != "rows"
        return self.layout == "columns"

    def place_entry(self, stage: str, entry: tuple[int, int], quantity: Quantity) -> None:
        """An entry of a stage takes a value."""
        self.entries.setdefault(stage, {})[entry] = quantity
        self.version += 1

    def _of_entries(self, stage: str) -> Quantity | None:
        """A stage of which every entry was worked out by itself."""
        known = {} if self.has_columns(stage) else self.entries.get(stage, {})
        n, m = (max((place[axis] for place in known), default=-1) + 1 for axis in (0, 1))
        if len(known) < 2 or len(known) != n * m:
            return None
        rows = [[known[i, j] for j in range(m)] for i in range(n)]
        if any(isinstance(one.shown, Table) for row in rows for one in row):
            return None
        shown = Table(tuple(tuple(one.way("shown") for one in row) for row in rows), flat=n == 1)  # type: ignore[misc]
        exact = Table(tuple(tuple(one.way("exact") for one in row) for row in rows), flat=n == 1)  # type: ignore[misc]
        source = Table(tuple(tuple(one.way("source") for one in row) for row in rows), flat=n == 1)  # type: ignore[misc]
        origins: Origins = {place: where for place, one in known.items() for where in one.origins.values()}
        return Quantity(shown, exact, source, stage, claimed=True, origins=origins)

    def place_lone(self, stage: str, quantity: Quantity) -> None:
        """A stage of one query has this row; where there are several queries, it is that of the next of them."""
        known, rows = self.lone.pop(stage, None), self.rows.get(stage, {})
        queries = self.whole("Q") if self.layout == "rows" else None
        height = len(queries.shown.rows) if queries is not None and isinstance(queries.shown, Table) else 0
        if known is not None and known.shown != quantity.shown and height > 1:
            self.rows[stage] = {0: known, 1: quantity}
        elif known is None and 0 < len(rows) < height and set(rows) == set(range(len(rows))):
            rows[len(rows)] = quantity
        else:
            self.lone[stage] = quantity
        self.version += 1

    @property
    def is_summing(self) -> bool:
        """Whether several exponentials were displayed whose sum was not."""
        return len(self.exponentials) > 1 and self.total is None

    def remember(self, text: str, quantity: Quantity) -> None:
        """A number on paper, for where it is written again."""
        self.numbers.setdefault(text, []).append(quantity)

    def find(self, key: str) -> Quantity | None:
        """What a name stands for: itself, a row, or an entry of what its base stands for."""
        if key in self.names:
            return self.names[key]
        whole = self._base(key)
        if whole is not None:
            return whole
        if isinstance(alias := self.formulas.get(key), Name) and alias.key in self.names:
            return self.names[alias.key]  # V = X
        match = _ENTRY.fullmatch(key)
        if match is None:
            return None
        base = self.names.get(match[1]) or self._base(match[1]) or self._base(match[1].upper())
        if base is None or not isinstance(base.shown, Table):
            return None
        return self._part(base, match[2], match[3])

    def _base(self, key: str) -> Quantity | None:
        """A stage by the usual letters of its name."""
        stage = NAMES.get(key.lower(), "")
        return self.stages.get(stage) if stage else None

    def _part(self, base: Quantity, first: str, second: str | None) -> Quantity | None:
        table = base.shown
        assert isinstance(table, Table)  # noqa: S101
        n, m = table.shape
        if second is None and len(first) == 2 and first.isdigit() and n > 1 and (int(first) > n or first[0] == "0"):
            first, second = first[0], first[1]
        if second in {":", "·", "*", r"\cdot", "."}:
            second = None
        i = self.index(first, m if second is None and base.stage and self.has_columns(base.stage) else n)
        if i is None:
            return None
        if second is None:
            turned = base.stage != "" and self.has_columns(base.stage)
            return _part_of(base, lambda value: _row(_turned(value) if turned else value, i))
        j = self.index(second, m)
        if j is None:
            return None
        return _part_of(base, lambda value: _entry(value, i, j))

    @property
    def meets_tokens(self) -> bool:
        """Whether the tokens are taken one by one as they come: no table has named them all."""
        return len(self.labels) == len(self.told)

    def meet(self, words: Iterable[str]) -> None:
        """Take more tokens, in the order in which they come."""
        self.told.extend(words)
        self.labels = tuple(self.told)

    def index(self, word: str, size: int) -> int | None:
        """The row that an index or a token's name means."""
        if word.isdigit():
            return int(word) - self.first if 0 <= int(word) - self.first < size else None
        lowered = [label.lower() for label in self.labels]
        if word.lower() in lowered:
            return lowered.index(word.lower())
        if len(word) == 1 and word.isascii() and word.isalpha() and not lowered:
            place = ord(word.lower()) - ord("a")
            known = [self.stages[stage].shown for stage in ("X", "Q", "scores") if stage in self.stages]
            height = next((len(table.rows) for table in known if isinstance(table, Table)), size)
            return place if place < min(size, height) else None
        return None

    def view(self, way: Way, extra: dict[str, Any] | None = None) -> View:
        """The names as a mapping for evaluation."""
        return View(self, way, extra or {})


@dataclass(frozen=True, slots=True)
class View(Mapping[str, Any]):
    """The names by one way, as evaluation asks for them."""

    memory: Memory
    way: Way
    extra: dict[str, Any]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name."""
        if key in self.extra:
            return self.extra[key]
        found = self.memory.find(key)
        if found is None and key == "d_k":
            width = self.memory.width()
            return fmpq(width) if width is not None else default
        return default if found is None else found.way(self.way)

    def __getitem__(self, key: str) -> Any:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.memory.names)

    def __len__(self) -> int:
        return len(self.memory.names)


def _stacked(rows: list[Quantity], stage: str) -> Quantity:
    """The table of its rows."""
    values: list[Value | None] = []
    ways: tuple[Way, ...] = ("shown", "exact", "source")
    for way in ways:
        found = [row.way(way) for row in rows]
        tables = [row.rows[0] for row in found if isinstance(row, Table)]
        whole = len(tables) == len(rows) and len({len(row) for row in tables}) == 1
        values.append(Table(tuple(tables)) if whole else None)
    origins = {(i, *place): at for i, row in enumerate(rows) for place, at in row.origins.items()}
    shown = values[0] if values[0] is not None else rows[0].shown
    return Quantity(shown, values[1], values[2], stage, claimed=True, origins=origins)


def _part_of(whole: Quantity, take: Callable[[Value | None], Value | None]) -> Quantity | None:
    shown = take(whole.shown)
    return None if shown is None else Quantity(shown, take(whole.exact), take(whole.source), whole.stage)


def _turned(value: Value | None, *, flat: bool = False) -> Value | None:
    return Table(tuple(zip(*value.rows, strict=True)), flat=flat) if isinstance(value, Table) else value


def _row(value: Value | None, i: int) -> Value | None:
    if not isinstance(value, Table) or i >= len(value.rows):
        return None
    return Table((value.rows[i],), flat=True)


def _entry(value: Value | None, i: int, j: int) -> Value | None:
    if not isinstance(value, Table) or i >= len(value.rows) or j >= len(value.rows[i]):
        return None
    return value.rows[i][j]


def whole_number(value: Any) -> int | None:
    """A small whole number, such as a d_k."""
    found = rational_of(value) if value is not None and not isinstance(value, Table) else None
    return int(found.p) if found is not None and found.q == 1 and 0 < found < 100_000 else None
