"""What an expression of Python is worth: exact values by the rules of NumPy, over the names of the program.

Arrives: expressions as `ast` parses them, and the values of names. Leaves: numbers, flat tables for arrays of one
dimension, tables for those of two, tuples for shapes. What is not understood is undecided: nothing is run or guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

from flint import fmpq

from symattn.documents.judging.code.ndarrays import (
    EACH,
    FOLDS,
    PAIRS,
    both,
    flat_of,
    folded,
    minus,
    power,
    product,
    shape_of,
    softmax,
    table_of,
    transposed,
)
from symattn.documents.judging.code.printed import Scope
from symattn.documents.judging.code.programs import given
from symattn.documents.reading.scalars import Infinite, Scalar, over, plus, times
from symattn.documents.reading.tables import Table, Value
from symattn.documents.reading.tree import Constant
from symattn.documents.reading.value import evaluate
from symattn.errors import UndecidedError
from symattn.numbers.certified import Decimals, rational_of

MAX_CALLS: Final = 12
"""Functions that call one another."""
MAX_STEPS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of Python, which is no array: `[1, 2] * 2` is longer, not larger."""

    value: Value


Result: TypeAlias = "Value | Listed | tuple[Any, ...]"


@dataclass(frozen=True, slots=True)
class _Called:
    """A call: the name of the function, its arguments (what a method belongs to is the first), and its module."""

    name: str
    arguments: Sequence[ast.expr]
    keywords: Mapping[str, ast.expr]
    module: str = ""
    method: bool = False


def worth(expression: ast.expr, names: Callable[[str], Any], scope: Scope) -> Result:
    """The value of an expression. `names` gives what a name is worth, None where that is not known.

    Raises: UndecidedError for what is not understood.

    >>> worth(ast.parse("[[1, 2], [3, 4]]", mode="eval").body, {}.get, Scope()).value.rows
    ((1, 2), (3, 4))
    """
    return _Run(names, scope, [0]).value(expression)


class _Run:
    def __init__(self, names: Callable[[str], Any], scope: Scope, steps: list[int], depth: int = 0) -> None:
        self.names = names
        self.scope = scope
        self.steps = steps
        self.depth = depth

    def value(self, node: ast.expr | None) -> Result:
        self.steps[0] += 1
        if self.steps[0] > MAX_STEPS:
            raise UndecidedError("an expression of too many steps")
        rule = _RULES.get(type(node))
        if rule is None:
            raise UndecidedError(f"{type(node).__name__} is not worked out")
        return rule(self, node)

    def array(self, node: ast.expr) -> Value:
        """The value as an array or a number."""
        return _array(self.value(node))

    def constant(self, node: ast.Constant) -> Result:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise UndecidedError("a constant that is no number")
        if isinstance(node.value, int):
            return fmpq(node.value)
        if node.value in {float("inf"), float("-inf")}:
            return Infinite(1 if node.value > 0 else -1)
        exact = Fraction(repr(node.value))
        return fmpq(exact.numerator, exact.denominator)

    def name(self, node: ast.Name) -> Result:
        found = self.names(node.id)
        if found is None:
            raise UndecidedError(f"{node.id} is not known")
        return found  # type: ignore[no-any-return]

    def unary(self, node: ast.UnaryOp) -> Result:
        if not isinstance(node.op, (ast.USub, ast.UAdd, ast.Invert)):
            raise UndecidedError("an operation that is not worked out")
        value = self.array(node.operand)
        if isinstance(node.op, ast.Invert):
            return both(lambda x, _y: fmpq(int(not _truth(x))), value, fmpq(0))
        return value if isinstance(node.op, ast.UAdd) else both(times, fmpq(-1), value)

    def binary(self, node: ast.BinOp) -> Result:
        left, right = self.value(node.left), self.value(node.right)
        if not any(isinstance(each, Table) for each in (left, right)) and any(
            isinstance(each, (Listed, tuple)) for each in (left, right)
        ):
            raise UndecidedError("an operation on lists")
        first, second = _array(left), _array(right)
        if isinstance(node.op, ast.MatMult):
            return product(first, second)
        if isinstance(node.op, ast.Pow):
            return both(power, first, second)
        rule = _OPERATIONS.get(type(node.op))
        if rule is None:
            raise UndecidedError("an operation that is not worked out")
        return both(rule, first, second)

    def listed(self, node: ast.List) -> Result:
        items = [self.value(each) for each in node.elts]
        return Listed(_stacked(items))

    def tuple_(self, node: ast.Tuple) -> Result:
        return tuple(self.value(each) for each in node.elts)

    def attribute(self, node: ast.Attribute) -> Result:
        module = self.module(node.value)
        if module is not None:
            if node.attr in {"inf", "Inf", "infty"}:
                return Infinite(1)
            if node.attr == "e":
                return evaluate(Constant(0, 0, "e"), {})
            raise UndecidedError(f"{node.attr} is not worked out")
        value = _array(self.value(node.value))
        if node.attr in {"T", "mT"}:
            return transposed(value)
        if node.attr == "shape":
            return tuple(fmpq(size) for size in shape_of(value))
        if node.attr == "size" and isinstance(value, Table):
            return fmpq(value.shape[0] * value.shape[1])
        if node.attr == "values" or node.attr == "data":
            return value
        raise UndecidedError(f"{node.attr} is not worked out")

    def module(self, node: ast.expr) -> str | None:
        """The module that an expression names, None for anything else."""
        if isinstance(node, ast.Name) and node.id in self.scope.modules and self.names(node.id) is None:
            return self.scope.modules[node.id]
        if isinstance(node, ast.Attribute):
            inner = self.module(node.value)
            if inner is not None and node.attr in {"nn", "functional", "special", "linalg", "numpy"}:
                return f"{inner}.{node.attr}"
        return None

    def subscript(self, node: ast.Subscript) -> Result:
        whole = self.value(node.value)
        if isinstance(whole, tuple):
            at = self.index(node.slice, len(whole))
            if not isinstance(at, int):
                raise UndecidedError("a part of a tuple")
            return whole[at]  # type: ignore[no-any-return]
        table = _array(whole)
        if not isinstance(table, Table):
            raise UndecidedError("a part of a number")
        places = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(whole, Listed) and isinstance(node.slice, (ast.Tuple, ast.Slice)):
            raise UndecidedError("a part of a list")
        if len(places) > (1 if table.flat else 2):
            raise UndecidedError("too many indices")
        return self.part(table, places, listed=isinstance(whole, Listed))

    def part(self, table: Table, places: Sequence[ast.expr], *, listed: bool) -> Result:
        """An entry, a row, a column or a block."""
        if table.flat:
            found = self.index(places[0], table.shape[1])
            return table.rows[0][found] if isinstance(found, int) else flat_of(table.rows[0][found])
        i = self.index(places[0], table.shape[0])
        j = self.index(places[1], table.shape[1]) if len(places) == 2 else slice(None)
        if isinstance(i, int):
            if isinstance(j, int):
                return table.rows[i][j]
            row = flat_of(table.rows[i][j])
            return Listed(row) if listed else row
        rows = table.rows[i]
        if isinstance(j, int):
            return flat_of(tuple(row[j] for row in rows))
        return table_of([row[j] for row in rows])

    def index(self, node: ast.expr, size: int) -> int | slice:
        """An index from 0, or a slice."""
        if isinstance(node, ast.Slice):
            bounds = [None if each is None else self.whole(each) for each in (node.lower, node.upper, node.step)]
            if bounds[2] == 0:
                raise UndecidedError("a slice without a step")
            return slice(*bounds)
        at = self.whole(node)
        if not -size <= at < size:
            raise UndecidedError("an index that is too large")
        return at

    def whole(self, node: ast.expr) -> int:
        """A whole number."""
        value = self.value(node)
        found = rational_of(value) if not isinstance(value, (Table, Listed, tuple, Infinite)) else None
        if found is None or found.q != 1 or abs(found) > 1 << 30:
            raise UndecidedError("a whole number is meant")
        return int(found.p)

    def call(self, node: ast.Call) -> Result:
        if any(isinstance(each, ast.Starred) for each in node.args) or any(k.arg is None for k in node.keywords):
            raise UndecidedError("arguments in a tuple")
        keywords = {str(k.arg): k.value for k in node.keywords}
        if isinstance(node.func, ast.Name):
            name = node.func.id
            if name in self.scope.functions:
                return self.defined(name, node.args, keywords)
            if self.names(name) is not None:
                raise UndecidedError(f"{name} is no function")
            whole = self.scope.modules.get(name, "")
            return self.known(_Called(whole.rsplit(".", 1)[-1] or name, node.args, keywords, whole))
        if isinstance(node.func, ast.Attribute):
            module = self.module(node.func.value)
            if module is not None:
                return self.known(_Called(node.func.attr, node.args, keywords, module))
            return self.known(_Called(node.func.attr, [node.func.value, *node.args], keywords, method=True))
        raise UndecidedError("a call that is not worked out")

    def defined(self, name: str, arguments: Sequence[ast.expr], keywords: Mapping[str, ast.expr]) -> Result:
        """A function that the program defines: worked out by its body, or a softmax by its name."""
        try:
            return self.body(self.scope.functions[name], arguments, keywords)
        except UndecidedError:
            if _is_softmax(name) and len(arguments) == 1 and not keywords and _by_rows(self.scope.functions[name]):
                return softmax(self.array(arguments[0]), -1)
            raise

    def body(
        self, function: ast.FunctionDef, arguments: Sequence[ast.expr], keywords: Mapping[str, ast.expr]
    ) -> Result:
        """What a function returns whose body is assignments and a return."""
        local = self.bound(function, arguments, keywords)
        scope, depth = self.scope, self.depth + 1
        inner = _Run(lambda key: local[key] if key in local else self.names(key), scope, self.steps, depth)
        body = list(reversed(function.body))
        while body:
            statement = body.pop()
            if isinstance(statement, ast.If):
                body += reversed(_branch(statement, local))
            elif isinstance(statement, ast.Return) and statement.value is not None:
                return inner.value(statement.value)
            elif isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                for each in given(statement):
                    if each.expression is None:
                        raise UndecidedError(f"{each.name} is not known")
                    local[each.name] = inner.value(each.expression)
            elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                raise UndecidedError("a statement that is not worked out")
        raise UndecidedError("a function without a return")

    def bound(
        self, function: ast.FunctionDef, arguments: Sequence[ast.expr], keywords: Mapping[str, ast.expr]
    ) -> dict[str, Any]:
        """The parameters of a function with the values of a call; None for one that is None."""
        told = function.args
        if self.depth >= MAX_CALLS or told.vararg or told.kwarg or told.kwonlyargs or function.decorator_list:
            raise UndecidedError("a function that is not worked out")
        parameters = [each.arg for each in (*told.posonlyargs, *told.args)]
        if len(arguments) > len(parameters) or not set(keywords) <= set(parameters):
            raise UndecidedError("arguments that do not fit")
        sources: dict[str, ast.expr] = {}
        sources.update(zip(parameters[len(parameters) - len(told.defaults) :], told.defaults, strict=True))
        sources.update(zip(parameters, arguments, strict=False))
        sources.update(keywords)
        if set(parameters) - set(sources):
            raise UndecidedError("an argument that is missing")
        for default in (sources[name] for name in parameters[len(arguments) :] if name not in keywords):
            used = {node.id for node in ast.walk(default) if isinstance(node, ast.Name)}
            if used - set(self.scope.modules):
                raise UndecidedError("a default is what its names stood for before")
        return {
            name: None if isinstance(source, ast.Constant) and source.value is None else self.value(source)
            for name, source in sources.items()
        }

    def known(self, made: _Called) -> Result:
        """A function of NumPy, PyTorch or Python, or a method of an array."""
        if not made.arguments:
            raise UndecidedError(f"{made.name} of nothing")
        if _is_softmax(made.name):
            return self.softmax(made)
        if made.name in FOLDS:
            return self.fold(made)
        if made.name in _SPECIAL:
            return _SPECIAL[made.name](self, made)
        return self.entrywise(made)

    def entrywise(self, made: _Called) -> Result:
        """A function of each entry, or of the entries of two arrays; and products."""
        if not set(made.keywords) <= {"dtype", "copy"}:
            raise UndecidedError("arguments that are not worked out")
        if "dtype" in made.keywords:
            _check_type(made.keywords["dtype"])
        values = [self.array(each) for each in made.arguments]
        if len(values) == 1 and made.name in _SAME:
            return values[0]
        if len(values) == 1 and made.name in EACH:
            rule = EACH[made.name]
            return both(lambda x, _y: rule(x), values[0], fmpq(0))
        if len(values) == 2 and made.name in PAIRS:
            return both(PAIRS[made.name], values[0], values[1])
        if len(values) == 2 and made.name in _PRODUCTS:
            return _multiplied(made.name, values[0], values[1])
        raise UndecidedError(f"{made.name} is not worked out")

    def floating(self, made: _Called) -> Result:
        """float(...), of "-inf" too."""
        first = made.arguments[0]
        if not made.method and isinstance(first, ast.Constant) and isinstance(first.value, str):
            word = first.value.strip().lower()
            if word not in {"inf", "-inf"}:
                raise UndecidedError("words are no number")
            return Infinite(-1 if word[0] == "-" else 1)
        return self.array(first)

    def typed(self, made: _Called) -> Result:
        """x.astype(float)."""
        if len(made.arguments) != 2 or made.keywords:
            raise UndecidedError("arguments that are not worked out")
        _check_type(made.arguments[1])
        return self.array(made.arguments[0])

    def length(self, made: _Called) -> Result:
        """len(x)."""
        value = self.array(made.arguments[0])
        if made.method or not isinstance(value, Table):
            raise UndecidedError("the length of a number")
        return fmpq(shape_of(value)[0])

    def size(self, made: _Called) -> Result:
        """x.size(-1)."""
        shape = shape_of(self.array(made.arguments[0]))
        if not made.method or len(made.arguments) > 2:
            raise UndecidedError("arguments that are not worked out")
        axis = self.axis(made)
        if axis is None:
            return tuple(fmpq(each) for each in shape)
        if not -len(shape) <= axis < len(shape):
            raise UndecidedError("an axis that is not there")
        return fmpq(shape[axis])

    def filled(self, made: _Called) -> Result:
        """np.ones((2, 3)), torch.zeros(2, 3), np.eye(3)."""
        sizes = [self.value(each) for each in made.arguments]
        told = list(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], tuple) else sizes
        counts = [
            rational_of(each) if not isinstance(each, (Table, Listed, tuple, Infinite)) else None for each in told
        ]
        wide = [int(each.p) for each in counts if each is not None and each.q == 1 and 0 < each <= 4096]
        if made.method or len(wide) != len(counts) or not set(made.keywords) <= {"dtype", "device"}:
            raise UndecidedError("arguments that are not worked out")
        if made.name in {"eye", "identity"}:
            if len(wide) != 1:
                raise UndecidedError("arguments that are not worked out")
            return table_of([tuple(fmpq(int(i == j)) for j in range(wide[0])) for i in range(wide[0])])
        if len(wide) > 2:
            raise UndecidedError("an array of other than two dimensions")
        row = (fmpq(int(made.name == "ones")),) * wide[-1]
        return table_of([row], flat=True) if len(wide) == 1 else table_of([row] * wide[0])

    def compared(self, node: ast.Compare) -> Result:
        """The truth of scores < 0 and mask == 0, entry by entry: 1 or 0."""
        rule = _COMPARED.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if rule is None:
            raise UndecidedError("an operation that is not worked out")
        return both(lambda x, y: fmpq(int(rule(_order(x, y)))), self.array(node.left), self.array(node.comparators[0]))

    def chosen(self, made: _Called) -> Result:
        """np.where(mask, a, b), and scores.masked_fill(mask, -inf)."""
        if len(made.arguments) != 3 or made.keywords:
            raise UndecidedError("arguments that are not worked out")
        first, second, third = map(self.array, made.arguments)
        mask, yes, no = (second, third, first) if made.name.startswith("masked_fill") else (first, second, third)
        kept = both(lambda x, m: fmpq(0) if _truth(m) else x, no, mask)
        taken = both(lambda x, m: x if _truth(m) else fmpq(0), yes, mask)
        return both(lambda a, b: b if a == 0 else a, kept, taken)

    def triangle(self, made: _Called) -> Result:
        """np.tril(x), np.triu(x, k=1)."""
        value = self.array(made.arguments[0])
        told = made.keywords.get("k", made.keywords.get("diagonal"))
        told = made.arguments[1] if told is None and len(made.arguments) == 2 else told
        k = 0 if told is None else self.whole(told)
        if not isinstance(value, Table) or value.flat or not set(made.keywords) <= {"k", "diagonal"}:
            raise UndecidedError("arguments that are not worked out")
        lower = made.name == "tril"
        return table_of(
            [
                tuple(x if (j - i <= k if lower else j - i >= k) else fmpq(0) for j, x in enumerate(row))
                for i, row in enumerate(value.rows)
            ]
        )

    def made(self, made: _Called) -> Value:
        """An array out of a literal."""
        if made.method or len(made.arguments) > 2 or not set(made.keywords) <= _OF_ARRAYS:
            raise UndecidedError("arguments that are not worked out")
        value = self.value(made.arguments[0])
        array = _stacked(list(value)) if isinstance(value, tuple) else _array(value)
        entries = [x for row in array.rows for x in row] if isinstance(array, Table) else []
        whole = all(isinstance(x, fmpq) and x.q == 1 for x in entries)
        for kind in (*made.arguments[1:], *([made.keywords["dtype"]] if "dtype" in made.keywords else [])):
            if not (whole and ast.unparse(kind).split(".")[-1] in {"int", "int64", "int32", "long"}):
                _check_type(kind)
        return array

    def axis(self, made: _Called) -> int | None:
        """The axis that is meant, None for all of them."""
        second = made.arguments[1] if len(made.arguments) > 1 else None
        told = made.keywords.get("axis", made.keywords.get("dim", second))
        if told is None or (isinstance(told, ast.Constant) and told.value is None):
            return None
        return self.whole(told)

    def softmax(self, made: _Called) -> Value:
        """A softmax that the program does not define."""
        if not set(made.keywords) <= {"axis", "dim", "dtype"} or len(made.arguments) > 2:
            raise UndecidedError("a softmax with more arguments")
        if "dtype" in made.keywords:
            _check_type(made.keywords["dtype"])
        value = self.array(made.arguments[0])
        axis = self.axis(made)
        if axis is None and isinstance(value, Table) and not value.flat and "scipy" in made.module:
            raise UndecidedError("a softmax over all of a matrix")
        return softmax(value, -1 if axis is None else axis)

    def fold(self, made: _Called) -> Value:
        """The sum, the largest, ... over an axis or over everything."""
        if len(made.arguments) > 2 or not set(made.keywords) <= {"axis", "dim", "keepdims", "keepdim"}:
            raise UndecidedError("arguments that are not worked out")
        value = self.array(made.arguments[0])
        of_python = not made.module and not made.method
        if of_python and (not isinstance(value, Table) or not value.flat or len(made.arguments) > 1 or made.keywords):
            raise UndecidedError("over the rows of a matrix")
        extreme = made.name in {"max", "min"}
        if extreme and (self.scope.single or "torch" in made.module) and (len(made.arguments) > 1 or made.keywords):
            raise UndecidedError("a maximum with its place")
        keep = any(self.flag(made.keywords[key]) for key in ("keepdims", "keepdim") if key in made.keywords)
        return folded(FOLDS[made.name], value, self.axis(made), keep=keep)

    def flag(self, node: ast.expr) -> bool:
        """True or False."""
        if not isinstance(node, ast.Constant) or not isinstance(node.value, bool):
            raise UndecidedError("yes or no is meant")
        return node.value

    def rounded(self, made: _Called) -> Value:
        """np.round(x, 3): an exact number is rounded; a tie is not told, for a double may lie beside it."""
        second = made.arguments[1] if len(made.arguments) > 1 else None
        told = made.keywords.get("decimals", made.keywords.get("ndigits", second))
        places = 0 if told is None else self.whole(told)
        if not -20 <= places <= 50:
            raise UndecidedError("a rounding beyond what is worked out")
        decimals = Decimals()

        def rule(value: Scalar, _other: Scalar) -> Scalar:
            if isinstance(value, Infinite):
                return value
            exact = rational_of(value)
            if exact is not None and (exact * fmpq(10) ** places * 2).q == 1 and (exact * fmpq(10) ** places).q != 1:
                raise UndecidedError("the rounding of a tie")
            return decimals.round(value, places).value

        return both(rule, self.array(made.arguments[0]), fmpq(0))

    def transposed(self, made: _Called) -> Value:
        """x.transpose(), x.t(), x.transpose(-2, -1)."""
        axes = made.arguments[1:]
        if made.keywords or (axes and (made.name == "t" or {self.whole(each) for each in axes} not in _BOTH_AXES)):
            raise UndecidedError("a transpose of other axes")
        return transposed(self.array(made.arguments[0]))


# ---- values and names ----------------------------------------------------------------------------------------------


def _array(value: Result) -> Value:
    if isinstance(value, Listed):
        return value.value
    if isinstance(value, tuple):
        raise UndecidedError("a tuple is no array")
    return value


def _stacked(items: Sequence[Result]) -> Value:
    """The array of numbers, or of rows."""
    parts = [_array(each) for each in items]
    if not parts:
        raise UndecidedError("an empty array")
    numbers = [each for each in parts if not isinstance(each, Table)]
    if len(numbers) == len(parts):
        return flat_of(tuple(numbers))
    rows = [each.rows[0] for each in parts if isinstance(each, Table) and each.flat]
    if len(rows) != len(parts) or len({len(row) for row in rows}) != 1:
        raise UndecidedError("an array of other than two dimensions")
    return table_of(rows)


def _branch(statement: ast.If, local: Mapping[str, Any]) -> list[ast.stmt]:
    """What is run of `if mask is not None: ...`, where that is told by an argument that was left out."""
    test = statement.test
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id in local:
        other = test.comparators[0]
        if len(test.ops) == 1 and isinstance(other, ast.Constant) and other.value is None:
            is_none = local[test.left.id] is None
            if isinstance(test.ops[0], ast.Is):
                return statement.body if is_none else statement.orelse
            if isinstance(test.ops[0], ast.IsNot):
                return statement.orelse if is_none else statement.body
    raise UndecidedError("a condition that is not worked out")


def _multiplied(name: str, left: Value, right: Value) -> Value:
    """np.dot, np.matmul, np.inner."""
    tables = isinstance(left, Table) and isinstance(right, Table)
    if name == "dot" and not tables:
        return both(times, left, right)
    flat = isinstance(left, Table) and isinstance(right, Table) and left.flat and right.flat
    if name in {"inner", "vdot"} and not flat:
        raise UndecidedError("an inner product of matrices")
    return product(left, right)


def _is_softmax(name: str) -> bool:
    lowered = name.lower()
    return "softmax" in lowered and not any(word in lowered for word in ("log", "gumbel", "sparse", "mask", "causal"))


def _by_rows(function: ast.FunctionDef) -> bool:
    """Whether no axis but the last one, or a loop over rows, stands in the body of a function."""
    axes = {
        ast.unparse(keyword.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in {"axis", "dim"}
    }
    loops = any(isinstance(node, (ast.For, ast.ListComp, ast.GeneratorExp)) for node in ast.walk(function))
    return axes <= {"1", "-1"} and (bool(axes) or loops)


def _check_type(node: ast.expr) -> None:
    """Pass over a type that keeps values: whole numbers and short floats do not."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", getattr(node, "value", ""))
    if name not in {"float", "float64", "float32", "double", "float_", "d", "f8", "f4"}:
        raise UndecidedError(f"numbers of the type {name}")


_OPERATIONS: Final[dict[type, Callable[[Scalar, Scalar], Scalar]]] = {
    ast.Add: plus,
    ast.Sub: minus,
    ast.Mult: times,
    ast.Div: over,
}
_MADE: Final = frozenset({"array", "asarray", "tensor", "Tensor", "FloatTensor", "DoubleTensor", "as_tensor"})
_COMPARED: Final[dict[type, Callable[[int], bool]]] = {
    ast.Eq: lambda order: order == 0,
    ast.NotEq: lambda order: order != 0,
    ast.Lt: lambda order: order < 0,
    ast.LtE: lambda order: order <= 0,
    ast.Gt: lambda order: order > 0,
    ast.GtE: lambda order: order >= 0,
}


def _truth(value: Scalar) -> bool:
    """What 1 and 0 say; nothing else is a truth."""
    if value not in (0, 1):
        raise UndecidedError("a number is no truth")
    return bool(value == 1)


def _order(left: Scalar, right: Scalar) -> int:
    """Whether a number is less than another (-1), the same (0) or greater; only what is exact can be told."""
    if not isinstance(left, fmpq) or not isinstance(right, fmpq):
        raise UndecidedError("which of two numbers is larger is not told")
    return (left > right) - (left < right)


_SAME: Final = frozenset(
    [
        "copy",
        "clone",
        "detach",
        "numpy",
        "cpu",
        "double",
        "item",
        "tolist",
        "float64",
        "to_numpy",
        "contiguous",
        "Parameter",
        "requires_grad_",
    ]
)
"""Functions that leave the value as it is."""
_OF_ARRAYS: Final = frozenset({"dtype", "requires_grad", "copy", "device"})
_PRODUCTS: Final = frozenset({"dot", "matmul", "mm", "mv", "inner", "vdot"})
_BOTH_AXES: Final = ({-2, -1}, {0, 1})
_SPECIAL: Final[dict[str, Callable[[_Run, _Called], Result]]] = {
    "float": _Run.floating,
    "astype": _Run.typed,
    "len": _Run.length,
    "size": _Run.size,
    "round": _Run.rounded,
    "around": _Run.rounded,
    **dict.fromkeys(_MADE, _Run.made),
    **dict.fromkeys(("ones", "zeros", "eye", "identity"), _Run.filled),
    **dict.fromkeys(("tril", "triu"), _Run.triangle),
    **dict.fromkeys(("where", "masked_fill", "masked_fill_"), _Run.chosen),
    **dict.fromkeys(("transpose", "swapaxes", "t"), _Run.transposed),
}
_RULES: Final[dict[type, Callable[[_Run, Any], Result]]] = {
    ast.Constant: _Run.constant,
    ast.Name: _Run.name,
    ast.UnaryOp: _Run.unary,
    ast.BinOp: _Run.binary,
    ast.List: _Run.listed,
    ast.Tuple: _Run.tuple_,
    ast.Attribute: _Run.attribute,
    ast.Subscript: _Run.subscript,
    ast.Call: _Run.call,
    ast.Compare: _Run.compared,
}
