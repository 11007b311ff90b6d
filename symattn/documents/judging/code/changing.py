"""Which names of a program may have another value after a statement: arrays are changed in their place, and shared.

Arrives: statements as `ast` parses them, in their order. Leaves: names whose value is not known any more. Two names
share an array where one was made from the other in a way that may not copy: `B = Q`, `Q[0]`, `Q.reshape(4)`, `[Q, K]`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from symattn.documents.formats.offsets import words

MOST_NAMES: Final = 200
"""Names that share one array; beyond that any name may."""

_CHANGING: Final = words(
    "sort fill append extend insert put resize itemset pop remove clear reverse update setdefault partition "
    "setfield setflags byteswap shuffle fill_diagonal copyto putmask place"
)
_OF_ARGUMENT: Final = words("fill_diagonal copyto put putmask place shuffle")
_COPYING: Final = words(
    "array tensor copy deepcopy clone astype dot matmul mm bmm inner outer vdot einsum tensordot exp log log2 log10 "
    "sqrt sum mean std var max min amax amin argmax argmin argsort prod cumsum round around floor ceil clip abs "
    "absolute softmax tanh sigmoid relu maximum minimum where tril triu eye ones zeros full zeros_like ones_like "
    "full_like arange linspace concatenate concat vstack hstack cat tile repeat norm item len range float int str "
    "repr format print array2string array_str array_repr type isinstance allclose isclose array_equal shape size "
    "power multiply divide add subtract negative square trace any all isnan factorial pow display show plot imshow "
    "heatmap title"
)
_WORDS: Final = frozenset({"shape", "size", "ndim", "dtype", "device", "__name__", "__version__", "columns", "index"})
_SAFE: Final = words(
    "numpy math torch scipy pandas matplotlib seaborn tensorflow jax sympy time os sys warnings IPython random "
    "itertools functools collections string pprint textwrap json re platform tabulate plotly mlx cupy"
)
_BUILTINS: Final = words(
    "print len range enumerate zip list tuple dict set sum max min abs round float int str repr format type "
    "isinstance sorted reversed map filter any all bool display pow divmod id iter next slice frozenset complex "
    "hasattr getattr callable"
)
_ANYTHING: Final = words("exec eval globals locals vars setattr delattr run_line_magic")


@dataclass(frozen=True, slots=True)
class Sharing:
    """The names that each name may share an array with."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def group(self, name: str) -> frozenset[str]:
        """The name and those that may share its array."""
        return self.groups.get(name, frozenset()) | {name}


def changed(
    statement: ast.stmt, sharing: Sharing, functions: Mapping[str, ast.FunctionDef], modules: Mapping[str, str]
) -> frozenset[str]:
    r"""The names that a statement may change in their place, with all that share their arrays; "*" for all.

    >>> first, second = ast.parse("B = Q.T\nB[0] = 7").body
    >>> sorted(changed(second, shared(first, Sharing()), {}, {}))
    ['B', 'Q']
    """
    inner = shared(statement, sharing)
    found = set(_Changes(functions, modules).names(statement))
    return frozenset(found).union(*(inner.group(name) | sharing.group(name) for name in found))


def shared(statement: ast.stmt, sharing: Sharing) -> Sharing:
    r"""What is shared after a statement.

    >>> first, second = ast.parse("A = B = Q @ K\nA = 2").body
    >>> [len(shared(first, Sharing()).groups), len(shared(second, shared(first, Sharing())).groups)]
    [2, 0]
    """
    for bound in _bound(statement):
        sharing = _with(sharing, bound)
    return sharing


@dataclass(frozen=True, slots=True)
class _Bound:
    """Names, and those that may be seen through what they are bound to; `stored` into, they stay what they are."""

    names: frozenset[str]
    seen: frozenset[str]
    stored: bool = False


def _with(sharing: Sharing, bound: _Bound) -> Sharing:
    groups = dict(sharing.groups)
    for target in () if bound.stored else bound.names - bound.seen:
        left = groups.pop(target, frozenset()) - {target}
        groups.update(dict.fromkeys(left - {"*"}, left))
    joined = frozenset({other for name in bound.names | bound.seen for other in (name, *groups.get(name, ()))})
    group = joined if len(joined) <= MOST_NAMES else frozenset("*")
    groups.update(dict.fromkeys(joined - {"*"}, group))
    return Sharing({name: group for name, group in groups.items() if len(group | {name}) > 1})


def _bound(node: ast.AST) -> Iterator[_Bound]:
    """What is bound or stored anywhere in a statement."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    if isinstance(node, ast.Assign):
        plain = frozenset(target.id for target in node.targets if isinstance(target, ast.Name))
        if plain:
            yield _Bound(plain, _seen(node.value))
        for target in node.targets:
            yield from _targets(target, node.value) if not isinstance(target, ast.Name) else ()
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield from _targets(node.target, node.value)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from _targets(node.target, node.iter)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _targets(node.optional_vars, node.context_expr)
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _targets(target: ast.expr, value: ast.expr) -> Iterator[_Bound]:
    if isinstance(target, ast.Name):
        yield _Bound(frozenset({target.id}), _seen(value))
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        parts = list(value.elts) if isinstance(value, (ast.Tuple, ast.List)) else []
        alike = len(parts) == len(target.elts)
        for k, each in enumerate(target.elts):
            yield from _targets(each, parts[k] if alike else value)
    elif isinstance(target, (ast.Subscript, ast.Attribute)):
        yield _Bound(_seen(target.value), _seen(value), stored=True)


def _seen(node: ast.expr) -> frozenset[str]:
    """The names whose arrays may be seen through a value."""
    if isinstance(node, ast.Name):
        return frozenset({node.id})
    if isinstance(node, ast.Attribute):
        return frozenset() if node.attr in _WORDS else _seen(node.value)
    if isinstance(node, ast.Subscript):
        return _seen(node.value)
    if isinstance(node, ast.Call):
        name = _called(node)
        if name in _COPYING:
            return frozenset()
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            parts.append(node.func.value)
        return frozenset().union(*map(_seen, parts))
    if isinstance(node, ast.BinOp):
        lists = [each for each in (node.left, node.right) if isinstance(each, (ast.List, ast.Tuple, ast.BinOp))]
        return frozenset().union(*map(_seen, lists))
    if isinstance(node, (ast.Constant, ast.UnaryOp, ast.Compare, ast.JoinedStr, ast.Lambda)):
        return frozenset()
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


class _Changes:
    """What pieces of one program change, each function looked at once."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef], modules: Mapping[str, str]) -> None:
        self.functions = functions
        self.modules = modules
        self.known: dict[str, tuple[bool, frozenset[str]]] = {}
        """Of a function whether it changes what it is handed, and the names of the program that it changes."""

    def names(self, node: ast.AST) -> Iterator[str]:
        """The names whose arrays a piece of a program changes in their place."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            return
        if isinstance(node, ast.AugAssign):
            yield from _seen(node.target)
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield from _seen(node.value)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if self._is_unseen(node.value):  # called for what it does, not for its value
                yield from _handed(node.value)
        elif isinstance(node, ast.Call):
            yield from self._by_call(node)
        for child in ast.iter_child_nodes(node):
            yield from self.names(child)

    def _is_unseen(self, call: ast.Call) -> bool:
        """Whether a function is called whose text is not known, and that is none of a well-known module."""
        root = _root(call.func)
        if isinstance(call.func, ast.Attribute):
            return root in self.modules and self.modules[root].split(".")[0] not in _SAFE
        if root in self.functions or root in _BUILTINS | _COPYING:
            return False
        return self.modules.get(root, "").split(".")[0] not in _SAFE

    def _by_call(self, call: ast.Call) -> Iterator[str]:
        """The names that a call changes: by a method, by `out=`, or in the body of a function."""
        name = _called(call)
        for keyword in call.keywords:
            if keyword.arg == "out":
                yield from _seen(keyword.value)
        if isinstance(call.func, ast.Attribute):
            if name in _OF_ARGUMENT and call.args:
                yield from _seen(call.args[0])
            elif (name in _CHANGING or name.endswith("_")) and _root(call.func.value) not in self.modules:
                yield from _seen(call.func.value)
        elif name in self.functions:
            handed, others = self._by_function(name)
            yield from others
            yield from _handed(call) if handed else ()
        elif name in _ANYTHING:
            yield "*"
        elif name.endswith("_"):
            yield from _handed(call)

    def _by_function(self, name: str) -> tuple[bool, frozenset[str]]:
        """Whether a function changes what it is handed, and the names of the program that it changes."""
        if name not in self.known:
            self.known[name] = True, frozenset()  # for a function that calls itself
            self.known[name] = self._in_body(self.functions[name])
        return self.known[name]

    def _in_body(self, function: ast.FunctionDef) -> tuple[bool, frozenset[str]]:
        arguments = function.args
        told = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        parameters = {each.arg for each in told if each is not None}
        declared = [node for node in ast.walk(function) if isinstance(node, (ast.Global, ast.Nonlocal))]
        outer = {name for node in declared for name in node.names}
        sharing = Sharing()
        inside: set[str] = set()
        local: set[str] = set()
        for statement in function.body:
            found = set(self.names(statement))
            sharing = shared(statement, sharing)
            local.update(name for each in _bound(statement) if not each.stored for name in each.names)
            inside |= found.union(*map(sharing.group, found))
        return bool(inside & (parameters | {"*"})), frozenset((inside - parameters - (local - outer)) | outer)


def _handed(call: ast.Call) -> frozenset[str]:
    """The names whose arrays a function gets to see."""
    return frozenset().union(*map(_seen, call.args), *(_seen(keyword.value) for keyword in call.keywords))
