"""What a program printed, beside the expression that was printed: cells of notebooks, and sessions with `>>>`.

Arrives: a document as regions. Leaves: for each region of code what it did, in order: names that took a value, and
pieces of the output, each with its expression. The code is parsed and never run.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from symattn.documents.formats.document import Document, Region
from symattn.documents.judging.code.changing import Sharing, changed, shared
from symattn.documents.judging.code.loops import MOST_TURNS, loop_of, numbers_from_zero, prints
from symattn.documents.judging.code.pieces import Printout
from symattn.documents.judging.code.programs import Argument, Given, Shown, given, is_silent, shown
from symattn.documents.reading.tree import Chain, Link, Node, Number

MOST_CODE: Final = 200_000
"""Characters of one cell that are parsed."""
MODULES: Final = {"np": "numpy", "math": "math", "torch": "torch", "F": "torch.nn.functional"}
"""Names of modules as they are usual, for code whose imports are not shown."""

_CELL: Final = re.compile(r'"cell_type"\s*:\s*"(\w+)"')
_PROMPT: Final = re.compile(r"[ \t]*>>>(?: |$)")
_FIRST_PROMPT: Final = re.compile(_PROMPT.pattern, re.MULTILINE)
_FENCE: Final = re.compile(r"```|~~~|</")
_PLAIN: Final = frozenset(
    {"", "text", "txt", "output", "out", "console", "plain", "plaintext", "none", "result", "stdout"}
)
"""What a block of output is called in Markdown."""
SHORT_WORDS: Final = 60
"""Characters of the words between code and its output: "Output:", "which prints"."""
_MORE: Final = re.compile(r"[ \t]*\.\.\.(?: |$)")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_MAGIC: Final = re.compile(r"^[ \t]*[%!?].*$", re.MULTILINE)
_SINGLE: Final = re.compile(r"\btorch\b|\btensorflow\b|\btf\.|\bjax\b|\bmlx\b|float32|\.float\(\)")
_DOUBLE: Final = re.compile(r"float64|torch\.double|\.double\(\)")
_HALF: Final = re.compile(r"float16|\.half\(\)|autocast")
_OPTIONS: Final = re.compile(r"printoptions")


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression sees of its program besides its names.

    `single` says that numbers are of single precision, `half` of less; `options` that an option says how to print.
    """

    modules: Mapping[str, str] = field(default_factory=lambda: dict(MODULES))
    functions: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    single: bool = False
    half: bool = False
    options: bool = False


@dataclass(frozen=True, slots=True)
class Did:
    """A thing that a program did: it gave `target` a value, or printed the value of `expression`.

    The place is that of the code, or of the piece of the output: `chain` has it as its only item. `expression` is None
    where the value is not known. `rounded` says that the print itself rounds, `changed` that an array was changed.
    """

    region: Region
    chain: Chain
    expression: ast.expr | None
    scope: Scope
    target: str = ""
    rounded: bool = False
    changed: bool = False

    @property
    def text(self) -> str:
        """The expression as it is written in Python."""
        return "" if self.expression is None else ast.unparse(self.expression)


@dataclass(frozen=True, slots=True)
class Told:
    """What a region of a program says; `taken` are the places of its text whose expressions are known.

    With `from_zero` its labels count from 0, and are not those of the rows that a reader would take them for.
    """

    done: tuple[Did, ...] = ()
    is_code: bool = False
    taken: tuple[tuple[int, int], ...] = ()
    from_zero: bool = False

    def keeps(self, chain: Chain) -> bool:
        """Whether a chain of an output is read as its label wrote it: no printed expression stands behind it."""
        if self.is_code or self.from_zero or not chain.links or chain.first is None:
            return False
        at = bisect_right(self.taken, (chain.end, -1)) - 1
        return at < 0 or self.taken[at][1] <= chain.start


def programs(document: Document) -> dict[int, Told]:
    """What the regions of programs say, by the identity of the region."""
    out: dict[int, Told] = {}
    program = _Program()
    if document.format == "notebook":
        for code, outputs in _cells(document):
            try:
                out.update(program.cell(code, outputs))
            except RecursionError:  # nested beyond what is looked at
                out.update({id(region): Told(is_code=True) for region in code})
                out.update({id(region): Told() for region in outputs})
    fences = list(_fences(document)) if document.format != "code" else []
    shows = any(outputs for _, outputs in fences)
    for code, outputs in fences:
        if any(id(region) in out for region in code):
            continue
        if any(">>> " in region.text for region in code):
            out.update(program.session(code))
        elif shows and all(_is_python(region) for region in code):
            out.update(program.cell(code, outputs))
    return out


def _language(region: Region) -> str:
    return region.info.split()[0].lower() if region.info.split() else ""


def _is_session(region: Region) -> bool:
    return _language(region).startswith("py") or _language(region) in {"", "ipython", "console", "text", "doctest"}


def _cells(document: Document) -> Iterator[tuple[list[Region], list[Region]]]:
    """The code cells in Python: their code, and what it printed."""
    begun = [(match.start(), match[1]) for match in _CELL.finditer(document.source)]
    starts = [at for at, _ in begun]
    code: list[Region] = []
    outputs: list[Region] = []
    current = -1
    for region in document.regions:
        cell = bisect_right(starts, region.offsets.span(0, 0)[0]) - 1
        if cell != current or (outputs and region.kind == "code"):
            if code:
                yield code, outputs
            code, outputs, current = [], [], cell
        if cell < 0 or begun[cell][1] != "code":
            continue
        of_cell = region.kind == "code" and "output" not in region.within
        if of_cell and _language(region).startswith(("py", "ipython")):
            code.append(region)
        elif region.kind == "output" and code:
            outputs.append(region)
    if code:
        yield code, outputs


def _fences(document: Document) -> Iterator[tuple[list[Region], list[Region]]]:
    """The blocks of code between text, each with the block behind it where that shows what it printed."""
    code: list[Region] = []
    words = ""
    for region in document.regions:
        if region.kind == "comment":
            continue
        if region.kind != "code":
            words += region.text if region.kind == "prose" else "\n" * SHORT_WORDS
        elif code and not words and _same_fence(document, code[-1], region):
            code.append(region)
        elif code and _is_python(code[0]) and _language(region) in _PLAIN and len(words.strip()) < SHORT_WORDS:
            yield code, [region]
            code, words = [], ""
        else:
            if code:
                yield code, []
            code, words = [region] if _is_session(region) else [], ""
    if code:
        yield code, []


def _same_fence(document: Document, first: Region, second: Region) -> bool:
    between = document.source[first.offsets.start(len(first.text)) : second.offsets.start(0)]
    return not _FENCE.search(between)


def _is_python(region: Region) -> bool:
    return _language(region).startswith(("py", "ipython")) and ">>> " not in region.text


class _Program:
    """The program of a document, cell by cell."""

    def __init__(self) -> None:
        self.scope = Scope()
        self.sharing = Sharing()
        self.names: set[str] = set()

    def cell(self, code: Sequence[Region], outputs: Sequence[Region]) -> dict[int, Told]:
        """What a cell did: at each region of its code, and which places of the outputs that accounts for."""
        starts, source = [], ""
        for region in code:
            starts.append(source.count("\n") + 1)
            source += region.text + "\n"
        tree = _parsed(_MAGIC.sub("pass", source))
        told = {id(region): Told(is_code=True) for region in code} | {id(region): Told() for region in outputs}
        if tree is None:
            lost = sorted(set(_WORD.findall(source)) & self.names)
            done_here = self._given([Given(name, None) for name in lost], code[0])
            return told | {id(code[0]): Told(tuple(done_here), is_code=True)}  # labels alone say what was printed
        pairing = _Pairing(
            [(region, Printout(region.text, 0, len(region.text))) for region in outputs if region.info != "result"],
            [(region, Printout(region.text, 0, len(region.text))) for region in outputs if region.info == "result"],
            unsure=bool(_MAGIC.search(source)),
        )
        if not any(region.kind == "output" for region in outputs):
            pairing.results = pairing.streams  # in text the value of the last line stands behind what was printed
        done: list[list[Did]] = [[] for _ in code]
        for statement in tree.body:
            k = bisect_right(starts, statement.lineno) - 1
            done[k] += self._statement(statement, code[k], pairing, is_last=statement is tree.body[-1])
        told |= {id(region): Told(tuple(each), is_code=True) for region, each in zip(code, done, strict=True)}
        for region in outputs:
            taken = tuple(sorted(pairing.taken.get(id(region), ())))
            told[id(region)] = Told(taken=taken, from_zero=pairing.from_zero)
        return told

    def session(self, code: Sequence[Region]) -> dict[int, Told]:
        """What the statements behind `>>>` did, each with what stands below it; nothing if this is no Python."""
        done: dict[int, list[Did]] = {id(region): [] for region in code}
        is_python = False
        for source, outputs in _answered(code):
            tree = _parsed(source)
            if tree is None:
                continue
            is_python = True
            region = outputs[0][0]
            pairing = _Pairing(outputs, outputs, unsure=False)
            try:
                for statement in tree.body:
                    done[id(region)] += self._statement(statement, region, pairing, is_last=True)
            except RecursionError:  # nested beyond what is looked at
                continue
        return {key: Told(tuple(each), is_code=True) for key, each in done.items()} if is_python else {}

    def _statement(self, statement: ast.stmt, region: Region, pairing: _Pairing, *, is_last: bool) -> list[Did]:
        self.scope = _learnt(self.scope, statement)
        if isinstance(statement, ast.With):  # its body is run once
            done = self._given(given(statement), region)
            for inner in statement.body:
                done += self._statement(inner, region, pairing, is_last=False)
            return done
        if isinstance(statement, ast.For) and any(prints(statement)):
            turns = self._turns(statement, region, pairing)
            if turns is not None:
                return turns
            pairing.from_zero = pairing.from_zero or numbers_from_zero(statement)
        done = self._given(given(statement), region)
        put = shown(statement, is_last=is_last)
        if put is None:
            if not is_silent(statement, self.scope.modules, self.scope.functions):
                pairing.unsure = True
            return done + self._changed(statement, region)
        for found in pairing.pair(put):
            links = (Link(found.start, found.start, "=", found.node),) if found.node is not None else ()
            chain = Chain(found.start, found.end, None, links)
            argument = found.argument
            done.append(Did(found.region, chain, argument.expression, self.scope, rounded=argument.rounded))
        return done + self._changed(statement, region)

    def _turns(self, statement: ast.For, region: Region, pairing: _Pairing) -> list[Did] | None:
        """What a loop did turn by turn, as far as the output goes on with its words; None where it is not followed."""
        loop = loop_of(statement)
        labelled = any(
            isinstance(node, ast.Constant) and str(node.value).strip() for p in prints(statement) for node in p.args
        )
        worded = labelled or any(isinstance(node, ast.JoinedStr) for p in prints(statement) for node in p.args)
        if loop is None or pairing.unsure or pairing.lost or (loop.count is None and not worded):
            return None
        if changed(statement, self.sharing, self.scope.functions, self.scope.modules):
            return None
        begun = pairing.state()
        done: list[Did] = []
        for i in range(MOST_TURNS if loop.count is None else loop.count):
            before = pairing.state()
            turn = [each for inner in loop.turn(i) for each in self._statement(inner, region, pairing, is_last=False)]
            if pairing.unsure or pairing.lost or not all(map(_is_the_number, turn)) or pairing.state() == before:
                pairing.restore(before if loop.count is None else begun)
                if loop.count is not None or not i:
                    pairing.restore(begun)
                    return None
                break
            done += turn
        return done + self._given([Given(each.name, None) for each in given(statement)], region)

    def _changed(self, statement: ast.stmt, region: Region) -> list[Did]:
        """The names whose arrays may be others now, but for those that the statement gives a value."""
        touched = changed(statement, self.sharing, self.scope.functions, self.scope.modules)
        self.sharing = shared(statement, self.sharing)
        taken = {each.name for each in given(statement)}
        lost = (touched | self.names if "*" in touched else touched) - taken - {"*"}
        return self._given([Given(name, None) for name in sorted(lost & self.names)], region)

    def _given(self, taken: Sequence[Given], region: Region) -> list[Did]:
        place = Chain(0, min(1, len(region.text)), None)
        self.names.update(each.name for each in taken)
        return [Did(region, place, each.expression, self.scope, each.name, changed=each.changed) for each in taken]


def _parsed(source: str) -> ast.Module | None:
    if len(source) > MOST_CODE:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape in a string of the author's
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _learnt(scope: Scope, statement: ast.stmt) -> Scope:
    """The scope with the imports, the functions and the precision that a statement brings."""
    modules, functions = dict(scope.modules), dict(scope.functions)
    if isinstance(statement, ast.Import):
        for name in statement.names:
            modules[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
    elif isinstance(statement, ast.ImportFrom):
        for name in statement.names:
            modules[name.asname or name.name] = f"{statement.module or ''}.{name.name}"
    elif isinstance(statement, ast.FunctionDef):
        functions[statement.name] = statement
        modules.pop(statement.name, None)
    elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
        body: list[ast.stmt] = [ast.Return(statement.value.body)]
        for target in statement.targets:
            if isinstance(target, ast.Name):
                functions[target.id] = ast.FunctionDef(target.id, statement.value.args, body, [])
                modules.pop(target.id, None)
    text = ast.unparse(statement)
    return Scope(
        modules,
        functions,
        (scope.single or bool(_SINGLE.search(text))) and not _DOUBLE.search(text),
        scope.half or bool(_HALF.search(text)),
        scope.options or bool(_OPTIONS.search(text)),
    )


def _answered(code: Sequence[Region]) -> list[tuple[str, list[tuple[Region, Printout]]]]:
    """The statements of a session, each with what stands below it: behind a comment that begins another region."""
    out: list[tuple[str, list[tuple[Region, Printout]]]] = []
    for region in code:
        first = _FIRST_PROMPT.search(region.text)
        lead = first.start() if first else len(region.text)
        if out and region.text[:lead].strip():
            out[-1][1].append((region, Printout(region.text, 0, lead)))
        for source, start, end in _prompts(region.text):
            out.append((source, [(region, Printout(region.text, start, end))]))
    return out


def _prompts(text: str) -> Iterator[tuple[str, int, int]]:
    """The statements of a session, each with the place of what stands below it."""
    source: list[str] = []
    start, at = 0, 0
    printing = True
    for line in text.splitlines(keepends=True):
        prompt, more = _PROMPT.match(line), _MORE.match(line)
        if prompt:
            if source:
                yield "\n".join(source), start, at
            source, printing = [line[prompt.end() :].rstrip("\r\n")], False
            start = at + len(line)
        elif more and not printing:
            source.append(line[more.end() :].rstrip("\r\n"))
            start = at + len(line)
        else:
            printing = True
        at += len(line)
    if source:
        yield "\n".join(source), start, len(text)


# ---- pairing -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """A piece of an output, and the argument that it shows; `node` None for what is no number and no array."""

    argument: Argument
    region: Region
    node: Node | None
    start: int
    end: int


_State: TypeAlias = tuple[tuple[tuple[Region, Printout, int], ...], bool, bool, dict[int, list[tuple[int, int]]]]


def _is_the_number(did: Did) -> bool:
    """Whether a number that a program states is the one that stands in its output; true for all else."""
    stated, links = did.expression, did.chain.links
    if did.target or not isinstance(stated, ast.Constant) or not isinstance(stated.value, int):
        return True
    return bool(links) and isinstance(links[0].item, Number) and links[0].item.value == stated.value


class _Pairing:
    """The outputs of one cell, taken piece by piece."""

    def __init__(
        self, streams: list[tuple[Region, Printout]], results: list[tuple[Region, Printout]], *, unsure: bool
    ) -> None:
        self.streams = [each for each in streams if each[0].info != "stderr"]
        self.results = results
        self.unsure = unsure
        self.lost = False
        self.taken: dict[int, list[tuple[int, int]]] = {}
        self.from_zero = False

    def state(self) -> _State:
        """How far the outputs have been taken."""
        places = tuple((region, out, out.at) for region, out in self.streams)
        return places, self.unsure, self.lost, {key: list(taken) for key, taken in self.taken.items()}

    def restore(self, state: _State) -> None:
        """Go back to where the outputs had been taken."""
        places, self.unsure, self.lost, taken = state
        self.streams[:] = [(region, out) for region, out, _ in places]
        for _, out, at in places:
            out.at = at
        self.taken = {key: list(each) for key, each in taken.items()}

    def pair(self, put: Shown) -> Iterator[_Found]:
        """The pieces of what one statement puts out."""
        if put.result:
            yield from self._results(put)
            return
        for part in put.parts:
            while len(self.streams) > 1 and self.streams[0][1].is_done:
                self.streams.pop(0)
            if self.lost or not self.streams:
                return
            region, out = self.streams[0]
            if isinstance(part, str):
                if part.strip() and not out.label(part.strip(), far=self.unsure):
                    self.lost = not self.unsure
                    return
                self.unsure = self.unsure and not part.strip()
            elif not self.unsure and not out.is_done:
                yield self._piece(region, out, part)

    def _results(self, put: Shown) -> Iterator[_Found]:
        """What is shown of the last expression, or by display."""
        for argument in put.parts:
            while len(self.results) > 1 and self.results[0][1].is_done:
                self.results.pop(0)
            if self.results and isinstance(argument, Argument):
                region, out = self.results[0]
                yield self._piece(region, out, argument)
                if region.kind == "output":
                    self.results.pop(0)

    def _piece(self, region: Region, out: Printout, argument: Argument) -> _Found:
        before = out.at
        node = out.value()
        if node is not None:
            start, end = node.start, node.end
        else:
            start, end, one = out.other()
            self.unsure = self.unsure or not one
        if node is not None or not self.unsure:
            self.taken.setdefault(id(region), []).append((before, out.at))
        return _Found(argument, region, node, start, end)
