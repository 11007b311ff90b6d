"""Loops of a program, turn by turn: each turn is the body with the values of its targets put in.

Arrives: a `for` as `ast` parses it. Leaves: the statements of each turn, as far as it is known what the targets are.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

MOST_TURNS: Final = 64


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop that can be followed: `turn(i)` are its statements the i-th time; `count` is None where it is not told."""

    turn: Callable[[int], list[ast.stmt]]
    count: int | None
    from_zero: frozenset[str]


def loop_of(statement: ast.stmt) -> Loop | None:
    r"""The loop of a `for` over a range, an array, `enumerate` or `zip`; None for any other, and where turns differ.

    >>> loop = loop_of(ast.parse("for i, q in enumerate(Q):\n    print(i + 1, q @ k)").body[0])
    >>> ast.unparse(loop.turn(2)), loop.count, sorted(loop.from_zero)
    ('print(3, Q[2] @ k)', None, ['i'])
    """
    if not isinstance(statement, ast.For) or statement.orelse:
        return None
    targets = _targets(statement.target, statement.iter)
    inner = [node for each in statement.body for node in ast.walk(each)]
    if targets is None or any(isinstance(node, (ast.Break, ast.Continue, ast.Return, ast.Yield)) for node in inner):
        return None
    stored = {node.id for node in inner if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    used = {node.id for node in ast.walk(statement.iter) if isinstance(node, ast.Name)}
    if stored & (set(targets) | used):
        return None
    count = _count(statement.iter)

    def turn(i: int) -> list[ast.stmt]:
        put = _Put({name: value(i) for name, value in targets.items()})
        return [put.visit(copy.deepcopy(each)) for each in statement.body]

    from_zero = frozenset(name for name, value in targets.items() if _is_zero(value(0)))
    return None if count is not None and count > MOST_TURNS else Loop(turn, count, from_zero)


class _Put(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The value of a target."""
        return self.values.get(node.id, node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """The sum of two numbers: `i + 1`."""
        self.generic_visit(node)
        left, right = _number(node.left), _number(node.right)
        if left is None or right is None or not isinstance(node.op, (ast.Add, ast.Sub)):
            return node
        return ast.Constant(left + right if isinstance(node.op, ast.Add) else left - right)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        """The digits of a number in the words of a print."""
        self.generic_visit(node)
        number = _number(node.value)
        return node if number is None or node.format_spec is not None else ast.Constant(str(number))


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _targets(target: ast.expr, over: ast.expr) -> dict[str, Callable[[int], ast.expr]] | None:
    """What each target is in a turn."""
    called = over.func.id if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) else ""
    if isinstance(over, ast.Call) and (over.keywords or any(isinstance(each, ast.Starred) for each in over.args)):
        return None
    if isinstance(target, ast.Name):
        value = _range(over) if called == "range" else _item(over) if _is_plain(over) else None
        return None if value is None else {target.id: value}
    if not isinstance(target, ast.Tuple) or not isinstance(over, ast.Call):
        return None
    if called == "enumerate" and len(target.elts) == 2 and len(over.args) in {1, 2} and _is_name(target.elts[0]):
        start = over.args[1] if len(over.args) == 2 else ast.Constant(0)
        if not isinstance(start, ast.Constant) or not isinstance(start.value, int):
            return None
        first = start.value
        rest = _targets(target.elts[1], over.args[0])
        number = {target.elts[0].id: lambda i: ast.Constant(first + i)} if isinstance(target.elts[0], ast.Name) else {}
        return None if rest is None else {**number, **rest}
    if called == "zip" and len(target.elts) == len(over.args):
        parts = [_targets(each, item) for each, item in zip(target.elts, over.args, strict=True)]
        found = [part for part in parts if part is not None]
        return {name: value for part in found for name, value in part.items()} if len(found) == len(parts) else None
    return None


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


def _is_plain(node: ast.expr) -> bool:
    """Whether the items of an iterable are its entries by number."""
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.List))


def _item(over: ast.expr) -> Callable[[int], ast.expr]:
    return lambda i: ast.Subscript(over, ast.Constant(i), ast.Load())


def _range(over: ast.expr) -> Callable[[int], ast.expr] | None:
    assert isinstance(over, ast.Call)  # noqa: S101
    start = over.args[0] if len(over.args) == 2 else ast.Constant(0)
    if len(over.args) not in {1, 2} or not isinstance(start, ast.Constant) or not isinstance(start.value, int):
        return None
    first = start.value
    return lambda i: ast.Constant(first + i)


def _count(over: ast.expr) -> int | None:
    if isinstance(over, ast.List):
        return len(over.elts)
    if not isinstance(over, ast.Call) or getattr(over.func, "id", "") != "range":
        return None
    told = [each.value if isinstance(each, ast.Constant) else None for each in over.args]
    ends = [each for each in told if isinstance(each, int)]
    return max(0, ends[-1] - (ends[0] if len(ends) == 2 else 0)) if len(ends) == len(told) else None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def prints(statement: ast.AST) -> Iterator[ast.Call]:
    r"""The prints that stand in a statement.

    >>> [ast.unparse(each) for each in prints(ast.parse("for i in x:\n    print(i)"))]
    ['print(i)']
    """
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield node


def numbers_from_zero(statement: ast.stmt) -> bool:
    r"""Whether a loop prints a number that counts from 0: what stands beside it is no first, second, ...

    >>> [numbers_from_zero(ast.parse(f"for i in range(2):\n    print(f'row {{{n}}}')").body[0]) for n in ("i", "i + 1")]
    [True, False]
    """
    loops = [loop for node in ast.walk(statement) if isinstance(node, ast.For) and (loop := _any_loop(node))]
    names = frozenset().union(*loops) if loops else frozenset()
    return any(_shows(call, names) for call in prints(statement))


def _any_loop(node: ast.For) -> frozenset[str]:
    targets = _targets(node.target, node.iter) or {}
    return frozenset(name for name, value in targets.items() if _is_zero(value(0)))


def _shows(call: ast.Call, names: frozenset[str]) -> bool:
    """Whether a print shows one of the names as it is."""
    shown: list[ast.expr] = list(call.args)
    for node in ast.walk(call):
        if isinstance(node, ast.FormattedValue):
            shown.append(node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            shown += node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        elif isinstance(node, ast.Call) and node is not call:
            shown += node.args if getattr(node.func, "id", getattr(node.func, "attr", "")) in {"str", "format"} else []
    return any(isinstance(each, ast.Name) and each.id in names for each in shown)
