"""The rooms of the house: imports run one way, doors are single, heavy libraries wait until they are needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "symattn"
ROOMS = [
    "errors",
    "formulas",
    "numbers",
    "attention",
    "comparison",
    "documents",
    "rendering",
    "files",
    "terminal",
    "cli_verify",
    "cli_extract",
    "cli",
]
UPWARD = {("attention.trace", "rendering.notebook")}  # a notebook asks the object itself to show itself
HEAVY = {"sympy", "numpy", "flint", "latex2sympy2", "latex2mathml", "jinja2", "msgspec"}


@cache
def modules() -> list[tuple[str, ast.Module]]:
    out = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        out.append((name, ast.parse(path.read_text("utf-8"))))
    return out


def imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def room(module: str) -> int:
    return ROOMS.index(module.split(".")[0])


@pytest.mark.parametrize("name", [name for name, _ in modules() if name.split(".")[0] in ROOMS])
def test_imports_run_one_way(name: str) -> None:
    tree = dict(modules())[name]
    for target in imported(tree):
        inner = target.removeprefix("symattn.")
        if target.startswith("symattn.") and inner.split(".")[0] in ROOMS and (name, inner) not in UPWARD:
            assert room(inner) <= room(name), f"{name} looks up to {inner}"


def test_every_module_stands_in_a_room() -> None:
    outside = {name.split(".")[0] for name, _ in modules()} - set(ROOMS)
    assert outside <= {"__init__", "__main__", "examples", ""}


@pytest.mark.parametrize(
    ("pattern", "door"),
    [(r"^(latex2sympy2|gen|antlr4)\b", {"numbers.latex_door"}), (r"^latex2mathml\b", {"rendering.html"})],
)
def test_each_foreign_reader_and_writer_has_one_door(pattern: str, door: set[str]) -> None:
    users = {name for name, tree in modules() if any(re.match(pattern, target) for target in imported(tree))}
    assert users <= door


def test_one_module_calls_the_latex_printer_of_sympy() -> None:
    users = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "latex" and getattr(node.value, "id", "") == "sympy"
    }
    assert users == {"rendering.sympy_latex"}


@pytest.mark.parametrize("call", ["eval", "exec", "sympify", "parse_expr", "S", "nsimplify", "compile", "__import__"])
def test_nothing_evaluates_text(call: str) -> None:
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                owner = getattr(getattr(node.func, "value", None), "id", "")
                assert called != call or owner == "re", f"{name} calls {call}"


def loaded_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sorted({{m.split('.')[0] for m in sys.modules}}), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stderr.split())


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import symattn", HEAVY),
        ("from symattn.cli import run; run(['--help'])", HEAVY),
        ("from symattn.cli import run; run(['derive', '--help'])", HEAVY),
        ("from symattn import load_spec, derive, render; render(derive(load_spec()))", {"sympy", "numpy", "jinja2"}),
    ],
    ids=["package", "help", "derive help", "numeric derivation"],
)
def test_heavy_libraries_load_when_needed(code: str, absent: set[str]) -> None:
    assert loaded_after(code) & absent == set()


def test_every_public_name_is_there() -> None:
    import symattn

    for name in symattn.__all__:
        assert getattr(symattn, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = symattn.nothing
