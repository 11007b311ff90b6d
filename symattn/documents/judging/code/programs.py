"""What a statement of Python does, as far as its text tells: the names that take a value, and what it puts out.

Arrives: statements as `ast` parses them. Leaves: names with expressions, and the parts of a print. Nothing is run.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_PERCENT: Final = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[diufFeEgGsr])")
_ROUNDINGS: Final = frozenset({"round", "around", "round_", "array2string", "set_precision"})
_SAME: Final = frozenset({"str", "repr", "float", "list", "array2string", "array_str", "array_repr"})
"""Functions whose value is printed as their argument is."""


@dataclass(frozen=True, slots=True)
class Given:
    """A name that takes a value; `expression` None where the value is not known.

    `changed` says that the array behind the name is changed itself, so that other names for it have changed too.
    """

    name: str
    expression: ast.expr | None
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """An expression that is put out; `rounded` where the print rounds it, None where it is not known as a number."""

    expression: ast.expr | None
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """What a statement puts out: words and expressions in order; `result` for the value of a last expression."""

    parts: tuple[str | Argument, ...]
    result: bool = False


def given(statement: ast.stmt) -> list[Given]:
    """The names that a statement gives a value.

    >>> [(g.name, ast.unparse(g.expression)) for g in given(ast.parse("S *= 2").body[0])]
    [('S', 'S * 2')]
    """
    if isinstance(statement, (ast.FunctionDef, ast.Import, ast.ImportFrom)):
        return []
    if isinstance(statement, (ast.ClassDef, ast.AsyncFunctionDef)):
        return [Given(statement.name, None)]
    if isinstance(statement, ast.Assign):
        return [each for target in statement.targets for each in _taken(target, statement.value)]
    if isinstance(statement, ast.AnnAssign):
        return [] if statement.value is None else list(_taken(statement.target, statement.value))
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        name = ast.Name(statement.target.id, ast.Load())
        return [Given(name.id, ast.BinOp(name, statement.op, statement.value), changed=True)]
    if isinstance(statement, ast.With):
        return [Given(name, None) for item in statement.items for name in _stored(item)]
    return [Given(name, None, changed=True) for name in dict.fromkeys(_stored(statement))]


def _taken(target: ast.expr, value: ast.expr) -> Iterator[Given]:
    if isinstance(target, ast.Name):
        yield Given(target.id, None if isinstance(value, ast.Lambda) else value)
    elif isinstance(target, (ast.Tuple, ast.List)) and all(isinstance(each, ast.Name) for each in target.elts):
        names = [each.id for each in target.elts if isinstance(each, ast.Name)]
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(names):
            used = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
            for name, part in zip(names, value.elts, strict=True):
                yield Given(name, None if used & set(names) else part)
        else:
            for i, name in enumerate(names):
                known = not any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(value))
                yield Given(name, ast.Subscript(value, ast.Constant(i), ast.Load()) if known else None)
    else:
        for name in _stored(target):
            yield Given(name, None, changed=True)


def _stored(node: ast.AST) -> Iterator[str]:
    """The names that may have another value afterwards: assigned, or changed in their place."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            yield inner.id
        elif isinstance(inner, (ast.Subscript, ast.Attribute)) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            yield from _root(inner)
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            if inner.func.attr in {"sort", "fill", "append", "extend", "insert", "put", "resize", "itemset"} or (
                inner.func.attr.endswith("_") and inner.func.attr != "requires_grad_"
            ):
                yield from _root(inner.func)
            elif inner.func.attr in {"fill_diagonal", "copyto", "put", "putmask", "place"} and inner.args:
                yield from _root(inner.args[0])


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def is_silent(
    node: ast.AST, modules: Mapping[str, str], functions: Mapping[str, ast.FunctionDef], depth: int = 0
) -> bool:
    """Whether nothing is printed by a statement that is no print itself, as far as that can be told."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and depth == 0:
        return True
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Call):
            continue
        name = inner.func.id if isinstance(inner.func, ast.Name) else ""
        if name in {"print", "display", "pprint"} or depth > 8:
            return False
        if name in functions:
            if any(not is_silent(each, modules, functions, depth + 1) for each in functions[name].body):
                return False
        elif name and isinstance(node, ast.Expr) and inner is node.value and name not in modules:
            return False  # a function that is not shown, called for what it does
    return True


def shown(statement: ast.stmt, *, is_last: bool) -> Shown | None:
    """What a statement puts out; None where it is no print, and no expression whose value is shown.

    >>> [part if isinstance(part, str) else ast.unparse(part.expression) for part in
    ...     shown(ast.parse('print("S =", np.round(S, 3))').body[0], is_last=False).parts]
    ['S =', 'S']
    """
    if not isinstance(statement, ast.Expr):
        return None
    value = statement.value
    called = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
    if called == "print" and isinstance(value, ast.Call):
        return _printed(value)
    if called == "display" and isinstance(value, ast.Call):
        return Shown(tuple(_argument(each) for each in value.args), result=True)
    if is_last and not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return Shown((_argument(value),), result=True)
    return None


def _printed(call: ast.Call) -> Shown | None:
    between = ""
    for keyword in call.keywords:
        if keyword.arg == "file" or keyword.arg is None:
            return None
        if keyword.arg == "sep" and isinstance(keyword.value, ast.Constant):
            between = str(keyword.value.value or "")
    parts: list[str | Argument] = []
    for k, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            return None
        parts += [between] * (k > 0 and bool(between)) + list(_parts(argument))
    for keyword in call.keywords:
        if keyword.arg == "end" and isinstance(keyword.value, ast.Constant):
            parts.append(str(keyword.value.value or ""))
    return Shown(tuple(parts))


def _parts(node: ast.expr) -> Iterator[str | Argument]:
    """The words and the expressions of one argument of a print."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                yield _formatted(each.value, _spec(each.format_spec))
            else:
                yield from _parts(each)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_words(node):
        yield from _parts(node.left)
        yield from _parts(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_words(node.left):
        yield from _filled(node)
    elif (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult)
        and (_is_words(node.left) or _is_words(node.right))
    ):
        words, times = (node.left, node.right) if _is_words(node.left) else (node.right, node.left)
        if isinstance(words, ast.Constant) and isinstance(times, ast.Constant) and isinstance(times.value, int):
            yield str(words.value) * min(times.value, 1000)
        else:
            yield Argument(None)
    elif _is_format(node):
        yield from _format(node)
    else:
        yield _argument(node)


def _is_words(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_words(node.left) or _is_words(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _argument(node: ast.expr) -> Argument:
    """An expression without what only says how it is printed."""
    rounded = False
    while isinstance(node, ast.Call):
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name not in _ROUNDINGS | _SAME | {"tolist"}:
            break
        rounded = rounded or name in _ROUNDINGS
        if isinstance(called, ast.Attribute) and getattr(called.value, "id", "") not in {"np", "numpy", "torch"}:
            node = called.value
        elif node.args:
            node = node.args[0]
        else:
            break
    return Argument(node, rounded)


def _spec(node: ast.expr | None) -> str:
    if node is None:
        return ""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(each.value) if isinstance(each, ast.Constant) else "?" for each in parts)


def _formatted(node: ast.expr, spec: str) -> Argument:
    if "%" in spec or "?" in spec or spec.endswith(("x", "b", "o", "c", ",")):
        return Argument(None)
    found = _argument(node)
    return Argument(found.expression, found.rounded or "." in spec)


def _filled(node: ast.BinOp) -> Iterator[str | Argument]:
    """The parts of "%.2f" % x."""
    words = node.left.value if isinstance(node.left, ast.Constant) else ""
    values = list(node.right.elts) if isinstance(node.right, ast.Tuple) else [node.right]
    at = 0
    for match in _PERCENT.finditer(str(words)):
        yield str(words)[at : match.start()]
        if match[0] == "%%":
            yield "%"
        else:
            yield _formatted(values.pop(0), match[0][1:].rstrip("iu")) if values else Argument(None)
        at = match.end()
    yield str(words)[at:]


def _is_format(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "format"
        and isinstance(node.func.value, ast.Constant)
        and isinstance(node.func.value.value, str)
    )


def _format(node: ast.expr) -> Iterator[str | Argument]:
    """The parts of "{:.2f}".format(x)."""
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)  # noqa: S101, PT018
    assert isinstance(node.func.value, ast.Constant)  # noqa: S101
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    number = 0
    try:
        fields = list(string.Formatter().parse(str(node.func.value.value)))
    except ValueError:
        yield Argument(None)
        return
    for words, name, spec, _ in fields:
        yield words
        if name is None:
            continue
        value = named.get(name)
        if not name or name.isdecimal():
            place = int(name) if name else number
            number += 1
            value = node.args[place] if place < len(node.args) else None
        yield Argument(None) if value is None else _formatted(value, spec or "")
