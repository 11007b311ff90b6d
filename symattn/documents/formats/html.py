r"""HTML read into regions: text, tables, code, formulas written as TeX or MathML; scripts and styles are passed over.

Arrives: the placed text of a page, or of a piece of HTML in Markdown or a notebook. Leaves: regions in the collector.

The tags are found here and not by `html.parser`, which takes minutes over `<a ` repeated (and lxml, html5lib and
selectolax do not tell where a text stood): one pass, and whatever has no end is known to have none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from symattn.documents.formats.document import Cell
from symattn.documents.formats.entities import REFERENCE, decode
from symattn.documents.formats.flow import HOLDER, read_flow
from symattn.documents.formats.image_formulas import formula_of
from symattn.documents.formats.inline import read_inline
from symattn.documents.formats.mathml import Node, to_tex
from symattn.documents.formats.offsets import Placed, Weaver, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from symattn.documents.formats.collect import Collector
    from symattn.documents.formats.document import Kind, Region

MAX_TABLES: Final = 8
MAX_SPAN: Final = 100
MAX_FILLED: Final = 10_000
"""Empty cells that the spans of one table may bring forth."""

_TAG_NAME = re.compile(r"<(/?)([A-Za-z][^\s/>]*)")
_ATTRIBUTE = re.compile(r"[\s/]*([^\s/>=<]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s><]+)))?|[\s/]+|=")
_RAW: Final = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
_VOID: Final = words("area base br col embed hr img input link meta source track wbr mspace")
_BLOCKS: Final = words(
    """
    address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure
    footer form head header hr html legend li main menu nav ol p section summary ul table thead tbody tfoot tr td th
    pre h1 h2 h3 h4 h5 h6
    """
)
_SKIPPED: Final = frozenset({"svg", "template", "canvas", "object", "select", "audio", "video"})
_RENDERED: Final = frozenset({"katex-html", "MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG"})
"""What KaTeX and MathJax draw beside the formula that they also keep as text."""
_WITHIN: Final = {"ul": "list", "ol": "list", "dl": "list", "blockquote": "quote", "details": "details"}
_LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source|highlight)-([\w+#-]+)")


@dataclass(slots=True)
class _Tag:
    name: str
    closing: bool
    start: int
    end: int
    attributes: dict[str, str] = field(default_factory=dict)
    empty: bool = False


@dataclass(slots=True)
class _Table:
    start: int
    rows: list[list[Cell]] = field(default_factory=list)
    pending: dict[int, int] = field(default_factory=dict)
    """Columns that a cell of a row above still covers, and for how many rows."""
    cell: list[Region] | None = None
    header: bool = False
    columns: int = 1
    lines: int = 1
    before: list[Region] = field(default_factory=list)
    filled: int = 0

    def fill(self, count: int) -> None:
        """Add empty cells to the row for those that reach into it."""
        self.filled += count
        if self.filled <= MAX_FILLED:
            self.rows[-1].extend(Cell((), self.header) for _ in range(count))


def read_html(placed: Placed, collector: Collector, *, markdown: bool = False) -> None:
    """Add the regions of a piece of HTML to the collector; with `markdown` its text may be marked up with that.

    >>> from symattn.documents.formats.collect import Collector
    >>> from symattn.documents.formats.offsets import whole
    >>> collector = Collector()
    >>> read_html(whole("<p>Q K<sup>T</sup>, $0 &amp; 1$</p><script>x</script>"), collector)
    >>> [(region.kind, region.text) for region in collector.regions]
    [('prose', 'Q K^{T}, '), ('math_inline', '0 & 1')]
    """
    _Page(placed, collector, markdown=markdown).read()


def _pieces(text: str) -> Iterator[tuple[int, int, _Tag | None]]:
    """The text and the tags of a page, in order, comments left out; of raw elements the text is one piece.

    No tag holds a `<` outside of quotes, so the search for its end stops at the next one.
    """
    at = done = 0
    last_close = text.rfind(">")
    while True:
        at = text.find("<", at)
        if at < 0 or at > last_close:
            break
        end, tag = _markup(text, at)
        if end is None:
            at += 1
            continue
        if done < at:
            yield done, at, None
        if tag is not None:
            yield at, end, tag
            if tag.name in _RAW and not tag.closing and not tag.empty:
                close = re.compile(rf"</{tag.name}\b", re.IGNORECASE).search(text, end)
                stop = close.start() if close else len(text)
                yield end, stop, None
                end = stop
        at = done = end
    if done < len(text):
        yield done, len(text), None


def _markup(text: str, at: int) -> tuple[int | None, _Tag | None]:
    """Where the markup that begins here ends, and the tag that it is; None and None for a plain `<`."""
    if text.startswith("<!--", at):
        end = text.find("-->", at + 4)
        return (len(text) if end < 0 else end + 3), None
    if text.startswith(("<!", "<?"), at):
        return text.find(">", at) + 1, None
    match = _TAG_NAME.match(text, at)
    if match is None:
        return None, None
    tag = _Tag(match[2].lower(), bool(match[1]), at, at)
    place = match.end()
    while place < len(text) and text[place] != ">":
        attribute = _ATTRIBUTE.match(text, place)
        if attribute is None:
            return None, None
        if attribute[1]:
            value = attribute[2] or attribute[3] or attribute[4] or ""
            tag.attributes.setdefault(attribute[1].lower(), value)
        place = attribute.end()
    if place >= len(text):
        return None, None
    tag.end = place + 1
    tag.empty = text[place - 1] == "/" or tag.name in _VOID
    return tag.end, tag


class _Page:
    def __init__(self, placed: Placed, collector: Collector, *, markdown: bool) -> None:
        self.markdown = markdown
        self.placed = placed
        self.text = placed.text
        self.collector = collector
        self.out = Weaver()
        self.held: list[Callable[[], None]] = []
        self.raised = 0
        self.heading = 0
        self.tables: list[_Table] = []
        self.within: list[str] = []
        self.skip: tuple[str, int] | None = None
        """The element that is passed over, and how deep in elements of its name."""
        self.pre: Weaver | None = None
        self.code: Weaver | None = None
        self.language = ""
        self.math: list[Node] = []
        self.script: str | None = None

    def read(self) -> None:
        for start, end, tag in _pieces(self.text):
            if tag is None:
                self._words(start, end)
            elif self.skip is not None:
                self._skip(tag)
            elif self.math or (tag.name == "math" and not tag.closing):
                self._math_tag(tag)
            else:
                self._tag(tag)
        self._end()

    def _end(self) -> None:
        if self.math:
            del self.math[1:]
            self._math_end(len(self.text))
        if self.skip is not None:
            message = f"<{self.skip[0]}> is never closed: what follows it was not read"
            self.collector.note("structure", message, self.placed.offsets.start(len(self.text)))
        self._pre_end()
        self._flush()
        while self.tables:
            self._table_end(len(self.text))
        for _ in self.within:
            self.collector.leave()

    # text

    def _words(self, start: int, end: int) -> None:
        if self.script is not None:
            self._script(start, end)
        elif self.skip is not None:
            return
        elif self.math:
            self.math[-1].children.append(decode(self.placed.slice(start, end)))
        else:
            target = self.pre if self.pre is not None else self.code if self.code is not None else self.out
            # entities are decoded after formulas are found, for a decoded `<` is no tag and `&#36;` no dollar
            target.copy(self.placed.slice(start, end) if target is self.out else decode(self.placed.slice(start, end)))

    def _script(self, start: int, end: int) -> None:
        kind, self.script = self.script, None
        if kind is not None and kind.startswith("math/tex"):
            content = self.placed.slice(start, end)
            display = "display" in kind
            self._hold(lambda: self.collector.add_math("math_display" if display else "math_inline", content), start)

    def _hold(self, add: Callable[[], None], start: int) -> None:
        """Keep the place of something that was read already in the running text."""
        self.held.append(add)
        self.out.put(HOLDER, *self.placed.span(start, start + 1))

    def _flush(self) -> None:
        """Tell the paragraph that is full."""
        while self.raised:
            self._lower(len(self.text))
        if self.code is not None:
            self._code_end(len(self.text))
        if not self.out.length:
            return
        content, held = self.out.finish(), self.held
        self.held = []
        if not content.text.strip():
            return
        if self.heading:
            with self.collector.heading(self.heading):
                self._flow(content, held)
        else:
            self.collector.open_block()
            self._flow(content, held)

    def _flow(self, content: Placed, held: list[Callable[[], None]]) -> None:
        kind: Kind = "heading" if self.heading else "prose"
        if self.markdown and not held:
            read_inline(content.strip(), self.collector, kind, level=self.heading)
            return
        first = len(self.collector.regions)
        read_flow(content.strip(), self.collector, kind, level=self.heading, held=held)
        regions = self.collector.regions
        for number in range(first, len(regions)):
            if regions[number].kind == kind and REFERENCE.search(regions[number].text):
                regions[number] = _decoded(regions[number])

    # tags

    def _tag(self, tag: _Tag) -> None:
        name = tag.name
        if name in _RAW:
            self.script = (
                None if tag.closing or tag.empty else (tag.attributes.get("type", "") if name == "script" else "")
            )
            return
        if self._is_passed_over(tag):
            self.skip = (name, 1)
            return
        if name == "pre":
            self._pre_end()
            if not tag.closing:
                self._flush()
                self.pre = Weaver()
                self.language = self._language_of(tag) or self.language
            return
        if name in ("sup", "sub"):
            self._script_level(tag)
        elif name == "img":
            self._picture(tag)
        elif name == "br":
            (self.pre if self.pre is not None else self.out).put("\n", *self.placed.span(tag.start, tag.end))
        elif name in ("code", "kbd", "samp", "tt"):
            self._code(tag)
        elif name in _BLOCKS:
            self._block(tag)

    def _picture(self, tag: _Tag) -> None:
        """A picture of a formula whose address holds its TeX; others say nothing."""
        address = tag.attributes.get("src", "")
        at = self.text.find(address, tag.start, tag.end)
        formula = formula_of(decode(self.placed.slice(at, at + len(address)))) if address and at >= 0 else None
        if formula is not None and self.pre is None:
            self._hold(lambda: self.collector.add_math("math_inline", formula), tag.start)

    @staticmethod
    def _language_of(tag: _Tag) -> str:
        match = _LANGUAGE.search(tag.attributes.get("class", ""))
        return match[1] if match else ""

    def _is_passed_over(self, tag: _Tag) -> bool:
        if tag.closing or tag.empty or self.pre is not None:
            return False
        if tag.name in _SKIPPED:
            return True
        classes = tag.attributes.get("class", "")
        return bool(classes) and not _RENDERED.isdisjoint(classes.split())

    def _skip(self, tag: _Tag) -> None:
        if self.skip is None or tag.name != self.skip[0] or tag.empty:
            return
        depth = self.skip[1] + (-1 if tag.closing else 1)
        self.skip = (tag.name, depth) if depth else None

    def _script_level(self, tag: _Tag) -> None:
        target = self.pre if self.pre is not None else self.code if self.code is not None else self.out
        span = self.placed.span(tag.start, tag.end)
        if not tag.closing:
            self.raised += 1
            target.put("^{" if tag.name == "sup" else "_{", *span)
        elif self.raised:
            self.raised -= 1
            target.put("}", *span)

    def _lower(self, at: int) -> None:
        self.raised -= 1
        self.out.put("}", *self.placed.span(max(0, at - 1), at))

    def _code(self, tag: _Tag) -> None:
        if self.pre is not None:
            self.language = self._language_of(tag) or self.language
        elif not tag.closing and self.code is None:
            self.code = Weaver()
        elif tag.closing and self.code is not None:
            self._code_end(tag.start)

    def _code_end(self, at: int) -> None:
        content = self.code.finish() if self.code is not None else None
        self.code = None
        if content is not None and content.text.strip():
            level = self.heading
            self._hold(lambda: self.collector.add("code_inline", content, level=level), max(0, at - 1))

    def _pre_end(self) -> None:
        if self.pre is None:
            return
        content, self.pre = self.pre.finish(), None
        if content.text.startswith("\n"):
            content = content.slice(1, len(content.text))
        self.collector.open_block()
        self.collector.add("code", content, info=self.language)
        self.language = ""

    def _block(self, tag: _Tag) -> None:
        name = tag.name
        if self.pre is not None:
            if tag.closing and name in ("div", "li", "tr", "p"):
                self.pre.put("\n", *self.placed.span(tag.start, tag.end))  # each line of code in an element of its own
            return
        self._flush()
        if name[0] == "h" and name[1:] in tuple("123456"):
            self.heading = 0 if tag.closing else int(name[1])
        elif name in _WITHIN:
            self._enter(_WITHIN[name], tag)
        elif name in ("table", "tr", "td", "th"):
            self._table_tag(tag)
        elif name == "div":
            self.language = "" if tag.closing else self._language_of(tag)

    def _enter(self, name: str, tag: _Tag) -> None:
        if not tag.closing:
            if len(self.within) < MAX_SPAN:
                self.within.append(name)
                self.collector.enter(name)
        elif self.within:
            self.within.pop()
            self.collector.leave()

    # tables

    def _table_tag(self, tag: _Tag) -> None:
        if tag.name == "table":
            if tag.closing:
                if self.tables:
                    self._table_end(tag.end)
            elif len(self.tables) < MAX_TABLES:
                self.tables.append(_Table(tag.start))
            return
        if not self.tables:
            return
        table = self.tables[-1]
        self._cell_end(table)
        if tag.closing:
            return
        if tag.name == "tr":
            table.rows.append([])
            self._covered(table)
            return
        if not table.rows:
            table.rows.append([])
        table.cell = []
        table.header = tag.name == "th"
        table.columns = _span(tag.attributes.get("colspan", ""))
        table.lines = _span(tag.attributes.get("rowspan", ""))
        table.before = self.collector.swap(table.cell)
        self.collector.enter("table")
        self.collector.open_block()

    def _covered(self, table: _Table) -> None:
        """Empty cells where a cell of a row above reaches down."""
        row = table.rows[-1]
        while table.pending.get(len(row), 0) > 0:
            table.pending[len(row)] -= 1
            table.fill(1)
            if table.filled > MAX_FILLED:
                break

    def _cell_end(self, table: _Table) -> None:
        if table.cell is None:
            return
        self.heading = 0
        self.collector.leave()
        self.collector.swap(table.before)
        row = table.rows[-1]
        if table.lines > 1:
            for column in range(len(row), len(row) + table.columns):
                table.pending[column] = table.lines - 1
        row.append(Cell(tuple(table.cell), table.header))
        table.fill(table.columns - 1)
        table.cell = None
        self._covered(table)

    def _table_end(self, end: int) -> None:
        table = self.tables.pop()
        self._cell_end(table)
        rows = tuple(tuple(row) for row in table.rows if row)
        self.collector.open_block()
        self.collector.add("table", self.placed.slice(table.start, end), rows=rows)
        self.collector.open_block()

    # MathML

    def _math_tag(self, tag: _Tag) -> None:
        if not self.math:
            self.math = [Node("math", tag.attributes, tag.start, tag.end)]
            if tag.empty:
                self.math = []
            return
        if not tag.closing:
            node = Node(tag.name, tag.attributes, tag.start, tag.end)
            self.math[-1].children.append(node)
            if not tag.empty and len(self.math) < 1_000:
                self.math.append(node)
            return
        if tag.name == "math":
            del self.math[1:]
            self._math_end(tag.end)
        elif tag.name in [node.name for node in self.math[1:][-50:]]:
            while self.math[-1].name != tag.name:
                self.math.pop()
            self.math.pop()

    def _math_end(self, end: int) -> None:
        root = self.math[0]
        self.math = []
        tex, reason = to_tex(root, self.placed)
        if reason:
            tex = self.placed.slice(root.start, end)
        display = root.attributes.get("display") == "block"
        self._hold(
            lambda: self.collector.add_math("math_display" if display else "math_inline", tex, unreadable=reason),
            root.start,
        )


def _span(text: str) -> int:
    """How many columns or rows a cell takes."""
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 4 and 0 < int(text) <= MAX_SPAN else 1


def _decoded(region: Region) -> Region:
    from dataclasses import replace

    content = decode(Placed(region.text, region.offsets))
    return replace(region, text=content.text, offsets=content.offsets)
