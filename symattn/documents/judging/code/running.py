"""A program followed on the desk: the values of its names, and each piece that it printed judged by its expression.

Arrives: what a program did, in order. Leaves: claims on the desk, and values in the memory. A program computes at full
precision: what it printed before is only how it was shown. What an expression is worth decides, never a stage that
happens to fit.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from flint import arb, fmpq

from symattn.comparison.verdicts import Verdict
from symattn.documents.judging.cells import Candidate, digits_of, judged
from symattn.documents.judging.code.arrays import Listed, Result, worth
from symattn.documents.judging.code.ndarrays import shape_of
from symattn.documents.judging.code.noise import added, overflows
from symattn.documents.judging.code.printed import Did
from symattn.documents.judging.desk import Desk
from symattn.documents.judging.giving import bind
from symattn.documents.judging.keeping import has_stage_shape
from symattn.documents.judging.memory import Quantity
from symattn.documents.judging.settling import settle
from symattn.documents.judging.stages import GIVEN, PIPELINE, WEAK, stage_of
from symattn.documents.judging.statements import Statement
from symattn.documents.judging.subject import Part, Subject
from symattn.documents.reading.code import read_code
from symattn.documents.reading.scalars import Infinite, Scalar
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import (
    Blank,
    Elided,
    Infinity,
    List,
    Matrix,
    Name,
    Neg,
    Node,
    Number,
    Text,
    Unread,
    walk,
)
from symattn.documents.reading.value import evaluate
from symattn.errors import OptionError, ShapeError, UndecidedError
from symattn.numbers.certified import enclosure
from symattn.numbers.rounding import Digits, power_of_ten

DOUBLE: Final = 13
"""Digits that a double has for sure after a few steps."""
SINGLE: Final = 5
MOST_SHOWN: Final = 256
"""Entries of an array that are worked out from what was displayed too."""
SHORT: Final = 3
"""Decimals of a print that shows a number wholly."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a name of a program is worth: at full precision, and from what was displayed; and its formula.

    `given` marks what the program only states.
    """

    exact: Result
    shown: Result
    stage: str = ""
    text: str = ""
    given: bool = False
    views: frozenset[str] = frozenset()
    """The names whose array it may share."""
    size: fmpq = fmpq(1)  # noqa: RUF009  (no one changes it)
    """What a machine added up on the way, at most: the noise in a difference is that of what was taken away."""


def run(desk: Desk, said: Statement, did: Did) -> None:
    """Follow one thing that a program did."""
    if did.target:
        _take(desk, did)
    else:
        _printed(desk, said, did)


# ---- names ---------------------------------------------------------------------------------------------------------


def _take(desk: Desk, did: Did) -> None:
    """A name takes the value of its expression, or one that is not known."""
    node = _node_of(did.target)
    held = None if did.expression is None or did.scope.half else _held(desk, did, did.expression)
    if did.changed:
        _change(desk, did.target)
    desk.memory.program[did.target] = held
    if node is None:
        return
    if held is None or isinstance(held.exact, tuple):
        _forget(desk, node)
        return
    tree = _tree(did.expression)
    stage = held.stage or _by_name(desk, node, held)
    desk.memory.program[did.target] = held = replace(held, stage=stage)
    if tree is not None and not held.given:
        desk.memory.formulas[node.key] = tree
    shown, exact = _plain(held.shown), _plain(held.exact)
    if shown is not None and exact is not None:
        bind(desk, node, Quantity(shown, exact, None, stage), claimed=False)


def _held(desk: Desk, did: Did, expression: ast.expr) -> Held | None:
    known = desk.memory.program.get(expression.id) if isinstance(expression, ast.Name) else None
    if isinstance(known, Held) and isinstance(expression, ast.Name):
        return replace(known, views=known.views | {expression.id})
    try:
        exact = worth(expression, _names(desk, "exact"), did.scope)
    except (UndecidedError, ShapeError, OptionError, ArithmeticError, RecursionError):
        return None
    shown = exact
    if not isinstance(exact, Table) or exact.shape[0] * exact.shape[1] <= MOST_SHOWN:
        with contextlib.suppress(UndecidedError, ShapeError, OptionError, ArithmeticError, RecursionError):
            shown = worth(expression, _names(desk, "shown"), did.scope)
    given, views = _is_given(desk, expression, did), _views(desk, expression)
    size = _size(desk, expression)
    return Held(exact, shown, _stage(desk, expression), did.text, given=given, views=views, size=size)


def _size(desk: Desk, expression: ast.expr) -> fmpq:
    """How large the numbers are that a machine added on the way to the value of an expression."""
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    held = [each for name in names if isinstance(each := desk.memory.program.get(name), Held)]
    values = [entry for each in held if (value := _plain(each.exact)) is not None for entry in _cells(value)]
    return max([added(expression, values), *(each.size for each in held)])


def _views(desk: Desk, expression: ast.expr) -> frozenset[str]:
    """The names whose arrays may be seen through the value of an expression."""
    if isinstance(expression, (ast.BinOp, ast.UnaryOp)):
        return frozenset()
    found = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    held = [desk.memory.program.get(name) for name in found]
    return frozenset(found).union(*(each.views for each in held if isinstance(each, Held)))


def _change(desk: Desk, name: str) -> None:
    """An array was changed in its place: other names that may share it are not known any more."""
    program = desk.memory.program
    held = program.get(name)
    shared = {name} | (held.views if isinstance(held, Held) else set())
    for other, value in list(program.items()):
        if other == name or not isinstance(value, Held) or not isinstance(_plain(value.exact), Table):
            continue
        if other in shared or value.views & shared:
            program[other] = None
            node = _node_of(other)
            if node is not None:
                _forget(desk, node)


def _names(desk: Desk, way: str) -> Callable[[str], Any]:
    """The values of names: those of the program, and where it has none those that the document gives."""

    def value(key: str) -> Any:
        if key in desk.memory.program:
            held = desk.memory.program[key]
            return None if held is None else held.exact if way == "exact" else held.shown
        node = _node_of(key)
        found = desk.memory.find(node.key) if node is not None else None
        return None if found is None else found.way("exact" if way == "exact" else "shown")

    return value


def _is_given(desk: Desk, expression: ast.expr, did: Did) -> bool:
    """Whether an expression only states: a literal, the size of an array, or a part of what is given."""
    if isinstance(expression, ast.Subscript):
        return _is_given(desk, expression.value, did)
    if isinstance(expression, ast.Name):
        held = desk.memory.program.get(expression.id)
        return isinstance(held, Held) and held.given
    sizes = any(
        (isinstance(node, ast.Attribute) and node.attr in {"shape", "size"})
        or (isinstance(node, ast.Name) and node.id == "len")
        for node in ast.walk(expression)
    )
    if sizes:
        return not any(isinstance(node, (ast.BinOp, ast.JoinedStr)) for node in ast.walk(expression))
    called = {
        node.func.id for node in ast.walk(expression) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    used = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)} - set(did.scope.modules) - called
    plain = not any(isinstance(node, ast.BinOp) for node in ast.walk(expression))
    return plain and not used and not called & set(did.scope.functions)


def _forget(desk: Desk, node: Name | Text) -> None:
    """A name whose value is not known any more, and the stage that it stood for."""
    memory = desk.memory
    memory.names.pop(node.key, None)
    memory.formulas.pop(node.key, None)
    stage = stage_of(node)
    memory.stages.pop(stage, None)
    memory.rows.pop(stage, None)
    memory.version += 1


def _node_of(key: str) -> Name | Text | None:
    """The name as text and formulas write it."""
    chains = read_code(f"{key} = 1")
    first = chains[0].first if len(chains) == 1 else None
    return first if isinstance(first, (Name, Text)) else Name(0, 0, key, words=True)


def _tree(expression: ast.expr | None) -> Node | None:
    """The expression as formulas are read, None where it is not read wholly."""
    if expression is None:
        return None
    text = ast.unparse(expression)
    if len(text) > 2000:
        return None
    chains = read_code(f"y = {text}")
    if len(chains) != 1 or len(chains[0].links) != 1:
        return None
    tree = chains[0].links[0].item
    return None if any(isinstance(node, Unread) for node in walk(tree)) else tree


def _stage(desk: Desk, expression: ast.expr) -> str:
    """The stage that an expression is, by its formula."""
    if isinstance(expression, ast.Name):
        held = desk.memory.program.get(expression.id)
        return held.stage if isinstance(held, Held) else ""
    if isinstance(expression, ast.Subscript):
        return _stage(desk, expression.value) if isinstance(expression.value, (ast.Name, ast.Subscript)) else ""
    tree = _tree(expression)
    return stage_of(tree).removesuffix("^T") if tree is not None and not stage_of(tree).endswith("^T") else ""


def _by_name(desk: Desk, node: Name | Text, held: Held) -> str:
    """The stage that a name stands for; a letter that often means something else stands for none."""
    stage, value = stage_of(node), _plain(held.exact)
    if held.given:
        return stage if stage in (*GIVEN, *PIPELINE, "d_k") else ""
    if stage not in PIPELINE or not isinstance(value, Table) or (isinstance(node, Name) and node.base.lower() in WEAK):
        return ""
    return stage if has_stage_shape(desk, stage, value.rows, flat=value.flat) else ""


def _plain(value: Result) -> Value | None:
    if isinstance(value, Listed):
        return value.value
    return None if isinstance(value, tuple) else value


# ---- prints --------------------------------------------------------------------------------------------------------


def _printed(desk: Desk, said: Statement, did: Did) -> None:
    """A piece of an output, judged by the expression that was printed."""
    node = did.chain.links[0].item if did.chain.links else None
    expression = did.expression
    if node is None or expression is None:
        _not_told(desk, said, did, "what was printed is no number and no array")
        return
    held = None if did.scope.half else _held(desk, did, expression)
    if held is None:
        if not _states(desk, did, expression, node):
            _not_told(desk, said, did, f"{did.text} is not worked out")
        return
    exact, shown = _plain(held.exact), _plain(held.shown)
    if exact is None or shown is None:
        return
    if shape_of(exact) != _shape(node):
        if isinstance(node, (List, Matrix)) and not _states(desk, did, expression, node):
            what = f"{did.text} has the shape {shape_of(exact)}, what is printed {_shape(node)}"
            desk.add(did.region, node, Verdict.UNDECIDED, what)
        return
    working = held.text or did.text
    candidates = [Candidate(exact, "givens", working)]
    if shape_of(shown) == shape_of(exact):
        candidates.append(Candidate(shown, "written", working))
    node, right = _without_noise(desk, did, node, candidates, held.size)
    given = held.given or _is_given(desk, expression, did)
    if right and given:
        return
    subject = replace(_subject(expression, held, exact), inconsistent=given)
    settle(desk, said, Part(node, "="), candidates, subject)
    _show(desk, expression, node)


def _subject(expression: ast.expr, held: Held, exact: Value) -> Subject:
    stage = held.stage if held.stage in (*PIPELINE, "exponentials") else ""
    if isinstance(expression, ast.Name):
        name = _node_of(expression.id)
        return Subject(stage, names=(name,) if name is not None else ())
    if isinstance(expression, ast.Subscript):
        places = expression.slice.elts if isinstance(expression.slice, ast.Tuple) else [expression.slice]
        told = [each.value if isinstance(each, ast.Constant) else None for each in places]
        row = told[0] if isinstance(told[0], int) and told[0] >= 0 else None
        column = told[1] if len(told) > 1 and isinstance(told[1], int) and told[1] >= 0 else None
        if not isinstance(expression.value, ast.Name) or row is None:
            return Subject()
        if len(told) == 1 and isinstance(exact, Table):
            return Subject(stage, row)
        if not isinstance(exact, Table) and column is not None:
            return Subject(stage, row, entry=(row, column))
        return Subject()
    return Subject(stage) if isinstance(exact, Table) and not exact.flat else Subject()


def _show(desk: Desk, expression: ast.expr, node: Node) -> None:
    """What a name was shown to be: what is worked out by hand may go on from there."""
    if not isinstance(expression, ast.Name):
        return
    held = desk.memory.program.get(expression.id)
    if isinstance(held, Held) and not any(isinstance(part, (Blank, Elided)) for part in walk(node)):
        desk.memory.program[expression.id] = replace(held, shown=evaluate(node, {}))


def _states(desk: Desk, did: Did, expression: ast.expr, node: Node) -> bool:
    """A name whose value is not known is told by its print, where that shows it wholly."""
    if not isinstance(expression, ast.Name) or did.rounded or did.scope.options or did.scope.half:
        return False
    if desk.memory.program.get(expression.id) is not None:
        return False
    numbers = [part for part in walk(node) if isinstance(part, Number)]
    if not numbers or any(part.digits is None or part.digits.places > SHORT for part in numbers):
        return False
    if any(isinstance(part, (Blank, Elided)) for part in walk(node)):
        return False
    value = evaluate(node, {})
    name = _node_of(expression.id)
    held = Held(value, value, given=True)
    if name is not None:
        held = replace(held, stage=_by_name(desk, name, held))
        bind(desk, name, Quantity(value, value, None, held.stage), claimed=False)
    desk.memory.program[expression.id] = held
    return True


def _not_told(desk: Desk, said: Statement, did: Did, why: str) -> None:
    """What was printed is judged by nothing; of an array that is said."""
    if did.chain.links and isinstance(did.chain.links[0].item, (List, Matrix)):
        desk.add(said.region, did.chain, Verdict.UNDECIDED, why)


def _shape(node: Node) -> tuple[int, ...]:
    if isinstance(node, Matrix):
        return node.shape
    return (len(node.items),) if isinstance(node, List) else ()


def _decimals(did: Did, node: Node) -> int:
    """How many decimals an array was printed with: those of its longest entry, for zeros at the end are left out.

    `[1. 1.]` has more than it shows, unless an option or a rounding says otherwise.
    """
    if not isinstance(node, (List, Matrix)):
        return 0
    cells = _entries(node)
    numbers = [digits_of(cell) for cell in cells]
    places = max((digits.places for digits in numbers if digits is not None), default=0)
    texts = [did.region.text[cell.start : cell.end] for cell in cells]
    if places == 0 and all(text.endswith(".") for text in texts) and not (did.rounded or did.scope.options):
        places = SHORT
    return 0 if any("e" in text.lower() for text in texts) else places


def _lengthened(cell: Node, places: int, value: Scalar) -> Node:
    """The entry with the decimals of its array, where its value has more decimals than it shows."""
    if isinstance(cell, Neg):
        return replace(cell, inner=_lengthened(cell.inner, places, -value if isinstance(value, fmpq) else value))
    if not isinstance(cell, Number) or cell.digits is None or not 0 <= cell.digits.places < places:
        return cell
    if isinstance(value, Infinite) or (isinstance(value, fmpq) and (value * power_of_ten(cell.digits.places)).q == 1):
        return cell
    return replace(cell, digits=Digits(cell.digits.units * 10 ** (places - cell.digits.places), places))


def _without_noise(desk: Desk, did: Did, node: Node, candidates: list[Candidate], size: fmpq) -> tuple[Node, bool]:
    """The piece with digits beyond the precision of the machine as they should be; and whether all of it is right."""
    values = [_cells(candidate.value) for candidate in candidates]
    right, places = True, _decimals(did, node)
    out: list[Node] = []
    for k, entry in enumerate(_entries(node)):
        if isinstance(entry, (Blank, Elided)):
            out.append(entry)
            continue
        options = [each[k] for each in values]
        cell = _lengthened(entry, places, options[0])
        if not judged(cell, candidates, options, desk.decimals).right:
            near = _near(desk, did, cell, options[0], size)
            right = right and near is not None
            cell = near or cell
        out.append(cell)
    return _with_entries(node, out), right


def _near(desk: Desk, did: Did, cell: Node, value: Scalar, size: fmpq) -> Node | None:
    """The number with the digits of the exact value, where the difference is what a machine makes of it."""
    digits = digits_of(cell)
    if isinstance(value, Infinite):
        return None
    if isinstance(cell.inner if isinstance(cell, Neg) else cell, Infinity):
        return Blank(cell.start, cell.end) if overflows(value, single=did.scope.single) else None
    if digits is None:
        return None
    sure = SINGLE if did.scope.single else DOUBLE
    noise = max(size, abs(digits.value)) / power_of_ten(sure)
    half = fmpq(1, 2) / power_of_ten(digits.places)
    try:
        difference = abs(enclosure(value, 256) - arb(digits.value))
        if not difference <= arb(half + noise):
            return None
        told: Digits = desk.decimals.round(value, min(digits.places, sure))
    except (UndecidedError, OptionError):
        return None
    number = Number(cell.start, cell.end, did.region.text[cell.start : cell.end], abs(told.value), _positive(told))
    return Neg(cell.start, cell.end, number) if told.units < 0 else number


def _positive(digits: Digits) -> Digits:
    return Digits(abs(digits.units), digits.places)


def _entries(node: Node) -> list[Node]:
    if isinstance(node, Matrix):
        return [cell for row in node.rows for cell in row]
    return list(node.items) if isinstance(node, List) else [node]


def _with_entries(node: Node, cells: list[Node]) -> Node:
    if isinstance(node, Matrix):
        width = node.shape[1]
        return replace(node, rows=tuple(tuple(cells[at : at + width]) for at in range(0, len(cells), width)))
    return replace(node, items=tuple(cells)) if isinstance(node, List) else cells[0]


def _cells(value: Value) -> list[Scalar]:
    return [entry for row in value.rows for entry in row] if isinstance(value, Table) else [value]
