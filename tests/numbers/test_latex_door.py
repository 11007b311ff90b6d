"""The door to latex2sympy2: values read, forms refused, and the traps of the library that it works around."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

import mpmath
import pytest
import sympy
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import ReadError
from symattn.numbers import latex_door
from symattn.numbers.latex_door import read_latex
from symattn.numbers.reader import read_number, read_positive

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


def real(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, real=True)


a, b, x = real("a"), real("b"), real("x")
d_k = sympy.Symbol("d_k", positive=True)
half = sympy.Rational(1, 2)
e, root, exp, pi = sympy.E, sympy.sqrt, sympy.exp, sympy.pi
FREE, THREE = exp(3 / root(d_k)), exp(root(3))

READ = [
    ("softmax of a letter", r"\frac{e^{3/\sqrt{d_k}}}{1+e^{3/\sqrt{d_k}}}", FREE / (1 + FREE)),
    ("implicit product with e", r"\frac{2+10e^{\sqrt{3}}}{1+e^{\sqrt{3}}}", (2 + 10 * THREE) / (1 + THREE)),
    ("root in an exponent", r"e^{2\sqrt{3}/3}", exp(2 * root(3) / 3)),
    ("multiple of a root", r"\frac{2\sqrt{3}}{3}", 2 * root(3) / 3),
    ("sign before a fraction", r"-\frac{1}{2}", -half),
    ("sum of products", r"2\times (-1)+0\times 1", -2),
    ("repeated minus", "7-4-2", 1),
    ("thousands in braces", r"1{,}024 \div 2", 512),
    ("thousands with a thin space", r"1\,000", 1000),
    ("millions", r"12{,}345{,}678", 12345678),
    ("control spaces", r"0.5\ \cdot\ 0.4", sympy.Rational(1, 5)),
    ("letter before a bracket", r"\frac{12}{n(m+1)}", 12 / (real("n") * (real("m") + 1))),
    ("braced letter with a subscript", r"\frac{1}{2}{q}_{k}+3", real("q_k") / 2 + 3),
    ("decimal exponent", r"d_k^{0.5}", root(d_k)),
    ("half exponent", r"x^{\frac12}", root(x)),
    ("subscript in braces", r"d_{k}", d_k),
    ("subscript on a braced letter", r"{d}_{k}", d_k),
    ("subscript in words", r"d_{\text{model}}", real("d_model")),
    ("upright subscript", r"d_\mathrm{model}", real("d_model")),
    ("upright name", r"\mathrm{foo}_{2}", real("foo_2")),
    ("greek", r"\beta_2", real("beta_2")),
    ("two letters", "ab", a * b),
    ("twice pi", r"2\pi", 2 * pi),
    ("pi sign", "2π", 2 * pi),
    ("e alone", "2e", 2 * e),
    ("e with a subscript is a name", "e_1", real("e_1")),
    ("imaginary unit is a letter", "2I", 2 * real("I")),
    ("braced e", r"{e}^{x}", exp(x)),
    ("exp with brackets", r"\exp(2)", exp(2)),
    ("exp with tall brackets", r"\exp\left(\frac{1}{2}\right)", exp(half)),
    ("exp with braces", r"\exp{2}", exp(2)),
    ("power of exp", r"\exp(x)^{2}", exp(2 * x)),
    ("power in an exponent of e", r"e^{x^{2}}", exp(x**2)),
    ("e in an exponent of e", r"e^{\frac{e}{1+e}}", exp(e / (1 + e))),
    ("negative exponent of e", r"\frac{1}{1+e^{-x}}", 1 / (1 + exp(-x))),
    ("masked score", r"e^{-1000000000}", exp(-(10**9))),
    ("fraction of two digits", r"\frac12", half),
    ("fraction, second digit bare", r"\frac{1}2", half),
    ("fraction, first digit bare", r"\frac1{2}", half),
    ("fraction of a command", r"\frac\pi4", pi / 4),
    ("display fraction", r"\dfrac{1}{3}-\tfrac{1}{3}", 0),
    ("bare root", r"\sqrt2", root(2)),
    ("root of a square", r"\sqrt{\frac{9}{4}}", sympy.Rational(3, 2)),
    ("power of a bracket", r"\left(1+\sqrt{2}\right)^{2}", (1 + root(2)) ** 2),
    ("power before sign", "-2^2", -4),
    ("signed base", "(-2)^{2}", 4),
    ("negative power", "2^{-1}", half),
    ("two signs", "2--1", 3),
    ("sign after an operator", r"2\cdot -3", -6),
    ("bracket after minus", "1-(2-3)", 2),
    ("division left to right", "8/4/2", 1),
    ("division, then product", r"8\div 4\cdot 2", 4),
    ("unicode operators", "−2×3·4÷6", -4),
    ("leading point", ".5", half),
    ("fraction times a root", r"2\frac{\sqrt{3}}{2}", root(3)),
    ("fraction times a fraction", r"\frac{1}{2}\frac{1}{3}", sympy.Rational(1, 6)),
    ("spacing", "\\frac {1} {2}\\,\\;\\! \\cdot\n4", 2),
    ("no-break space", "1\u00a0+\u00a02", 3),
    ("sixty brackets", "(" * 60 + "a" + ")" * 60, a),
    ("thirty quotients", "+".join([r"\frac{e^{\frac{3}{\sqrt{d_k}}}}{2}"] * 30), 15 * exp(3 / root(d_k))),
]  # fmt: skip

REFUSED = [
    ("grouped by a space", "1 000", "a number right after a factor: write the sign between them at column 3"),
    ("grouped by a no-break space", "1\u00a0000", "a number right after a factor"),
    ("wrong group", r"1{,}02", ", has no meaning here at column 3"),
    ("decimal comma", "4,3", ", has no meaning here at column 2"),
    ("decimal comma in braces", r"0{,}700", ", has no meaning here"),
    ("short group", r"1\,00", "a number right after a factor"),
    ("two numbers", "2 3", "a number right after a factor"),
    ("two numbers, one a power", "2 3^{2}", "a number right after a factor"),
    ("number after a subscript", "x_1 2", "a number right after a factor"),
    ("number after a bracket", "(2)3", "a number right after a factor"),
    ("two points", "1.2.3", "a number right after a factor"),
    ("mixed number", r"3\frac{1}{2}", "a mixed number or a product?"),
    ("signed mixed number", r"-3\frac12", "a mixed number or a product?"),
    ("mixed number after a product", r"2\cdot 3\frac{1}{2}", "a mixed number or a product?"),
    ("power of a mixed number", r"3\frac{1}{2}^{2}", "a mixed number or a product?"),
    ("E-notation", "1E100000000", "a power of ten or a product?"),
    ("number and E", "2E", "a power of ten or a product?"),
    ("e-notation", "1.5e3", "a power of ten or a product?"),
    ("negative e-notation", "1.5e-3", "a power of ten or a product?"),
    ("tail after a bracket", "1+2)+100", "left-over input at ')+100' at column 4"),
    ("alignment", "3 & 4", "& has no meaning here at column 3"),
    ("repeating decimal", r"0.\overline{3}", "'0.\\overline{3}'"),
    ("list", "[1,200]", "[ has no meaning here at column 1"),
    ("relation", "x=3", "= has no meaning here at column 2"),
    ("name as a power", "W^Q", "a whole number or 1/2"),
    ("transpose", r"QK^\top", r"unknown command \top at column 4"),
    ("subscript of a bracket", "(QK)_{ij}", "a subscript belongs to a letter"),
    ("row spacing", r"\\[4pt] 3", r"unknown command \\ at column 1"),
    ("tower", "9^{9^{9^9}}", "a power in an exponent: a power tower is not read at column 5"),
    ("tower of two", "10^{10^8}", "a power tower"),
    ("tower in a fraction", r"\frac{7^{7^{7^{7}}}}{3}", "a power tower"),
    ("symbolic tower", "x^{y^z}", "a power tower"),
    ("double power", "a^b^c", "a power of a power is ambiguous"),
    ("big power", "10^{1000000000000}", "a power of more than 4096 bits"),
    ("big exponent of e", "e^{10^{100}}", "an exponent of e beyond 2**64"),
    ("factorial", "(10^9)!", "! has no meaning here"),
    ("binomial", r"\binom{10^8}{5}", r"unknown command \binom"),
    ("matrix builder", r"\operatorname{zeros}(100000)", r"unknown command \operatorname"),
    ("maximum", r"\max(1,2)", r"unknown command \max"),
    ("infinity", r"\infty", r"unknown command \infty"),
    ("input", r"\input{x}", r"unknown command \input at column 1"),
    ("shell", r"\write18{ls}", r"unknown command \write"),
    ("rule", r"\rule{999em}{999em} = 1", r"unknown command \rule"),
    ("placeholder of the library", r"\variable{p0}", r"unknown command \variable"),
    ("text", r"\text{foo}", r"\text is misplaced"),
    ("division by zero", "1/0", "division by zero"),
    ("zero by zero", r"\frac{0}{0}", "division by zero"),
    ("division by a difference", r"\frac{1}{a-a}", "division by zero"),
    ("root of a negative", r"\sqrt{-1}", "the square root of a negative number"),
    ("cube root", r"\sqrt[3]{8}", "[ has no meaning here at column 6"),
    ("third power", "2^{1/3}", "a whole number or 1/2"),
    ("two digits up", "x^10", "^ without braces takes one character"),
    ("two digits up for e", "e^10", "^ without braces takes one character"),
    ("fraction up", r"x^\frac12", "^ without braces takes one character"),
    ("two digits down", "x_12", "_ without braces takes one character"),
    ("fraction of three digits", r"\frac123", r"\frac without braces takes two characters"),
    ("fraction with a tail", r"\frac{1}23", r"\frac without braces takes one character"),
    ("fraction with brackets", r"\frac(1)(2)", r"\frac needs {…} at column 6"),
    ("root with brackets", r"4\sqrt(9)", r"\sqrt needs {…} at column 7"),
    ("product after a slash", "6/2(1+2)", "a product without a sign after a division is ambiguous"),
    ("product after a slash with pi", r"1/2\pi", "a product without a sign after a division is ambiguous"),
    ("braces do not show", "{1+2}3", "braces around anything but one letter do not show"),
    ("word", "softmax(2)", "softmax is a word, no product"),
    ("short word", "ln(2)", "ln is a word, no product"),
    ("upright word", r"\mathrm{softmax}\left(2\right)", "a function that is not read, or a product?"),
    ("nan", r"\mathrm{nan}", "nan is no name"),
    ("dunder", r"\mathrm{__import__}", "only letters and digits stand here"),
    ("nested subscripts", "a_{b_{c}}", "only letters and digits stand here, and nothing is nested"),
    ("second subscript", "{q}_{k}_{j}", "is not nested"),
    ("subscript of pi", r"\pi_2", "pi takes no subscript"),
    ("prime", "f'", "' has no meaning here"),
    ("percent", "50%", "% has no meaning here"),
    ("arabic digit", "٣", "٣ (ARABIC-INDIC DIGIT THREE) has no meaning here"),
    ("full-width digit", "３", "FULLWIDTH DIGIT THREE"),
    ("nul", "a\x00", "(U+0000) has no meaning here"),
    ("lone surrogate", "\ud800", "(U+D800) has no meaning here"),
    ("lone backslash", "\\", "\\ has no meaning here"),
    ("empty", "", "something is missing at column 1"),
    ("only a space", r"\ ", "something is missing"),
    ("open brace", r"\frac{1}{2", "a brace } is missing"),
    ("open bracket", r"\left(1)", r"\left( is closed by \right)"),
    ("square bracket", r"\left[1\right]", "[ has no meaning here"),
    ("empty brackets", "()", ") is misplaced"),
    ("missing operand", "1+", "something is missing"),
    ("misplaced operator", r"\cdot 2", r"\cdot is misplaced"),
    ("missing exponent", "2^", "^ without braces takes one character"),
    ("61 brackets", "(" * 61 + "1" + ")" * 61, "brackets deeper than 60"),
    ("1,000 brackets", "(" * 1000 + "1" + ")" * 1000, "brackets deeper than 60"),
    ("20 subscripts", "a_{" * 20 + "b" + "}" * 20, "nothing is nested"),
    ("long number", "1" * 2000, "a number of 2000 digits"),
    ("long formula", "1+" * 2000 + "1", "a formula of 4001 characters"),
    ("many terms", "+".join(["a"] * 301), "more than 300 terms or factors"),
    ("many pieces", "-" * 3000 + "1", "more than 2500 pieces"),
]  # fmt: skip


def named(table: list[tuple[str, str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("text", "expected"), [pytest.param(*row[1:], id=row[0]) for row in table])


@named(READ)
def test_values(text: str, expected: object) -> None:
    value = read_latex(text)
    assert isinstance(value, sympy.Expr)
    assert value == expected


@named(REFUSED)
def test_refusals_say_what_and_where(text: str, expected: str) -> None:
    with pytest.raises(ReadError, match=re.escape(expected)) as caught:
        read_latex(text)
    assert "\n" not in str(caught.value)


def test_the_reader_takes_latex_through_the_door() -> None:
    assert read_number(r"\frac{1}{3}") == fmpq(1, 3)
    assert read_number(r"\frac{\pi}{4}") == pi / 4
    assert read_positive(r"\sqrt{2}") == root(2)


def test_nothing_is_remembered_from_one_formula_to_the_next() -> None:
    with pytest.raises(ReadError, match="= has no meaning here"):
        read_latex("x=3")
    assert read_latex("x") == x
    assert read_latex("i") == real("i")


def test_threads_share_the_door() -> None:
    texts = [rf"\frac{{{n}}}{{7}}+{n}e^{{2}}" for n in range(40)]
    with ThreadPoolExecutor(4) as pool:
        values = list(pool.map(read_latex, texts))
    assert values == [sympy.Rational(n, 7) + n * exp(2) for n in range(40)]


def test_the_parser_cache_is_dropped_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latex_door._Library, "PARSES_PER_CACHE", 3)
    library = latex_door._library()
    caches = set()
    for _ in range(9):
        assert read_latex("1+2") == 3
        caches.add(id(library._cache[1]))
    assert len(caches) > 1


# Formulas of known value: LaTeX, and the same in mpmath

Tree = tuple[str, Any]


def number(n: int) -> Tree:
    return str(n), mpmath.mpf(n)


LEAVES = st.one_of(
    st.integers(0, 20).map(number),
    st.sampled_from([(r"\pi", +mpmath.pi), ("e", +mpmath.e), ("1.25", mpmath.mpf("1.25"))]),
    st.integers(0, 20).map(lambda n: (rf"\sqrt{{{n}}}", mpmath.sqrt(n))),
)


def product(pair: tuple[Tree, Tree]) -> Tree:
    """An implicit product of a number and a bracket, root or power."""
    (left, one), (right, two) = pair
    return rf"\left({left}\right)\left({right}\right)", one * two


def quotient(pair: tuple[Tree, Tree]) -> Tree:
    (top, one), (bottom, two) = pair
    return (rf"\frac{{{top}}}{{{bottom}}}", one / two) if abs(two) > 1e-3 else (top, one)


def slash(pair: tuple[Tree, Tree]) -> Tree:
    (top, one), (bottom, two) = pair
    return (f"({top})/({bottom})", one / two) if abs(two) > 1e-3 else (top, one)


def power_of_e(tree: Tree) -> Tree:
    text, value = tree
    return (rf"e^{{{text}}}", mpmath.exp(value)) if abs(value) < 20 else tree


TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: (rf"{p[0][0]} + \left({p[1][0]}\right)", p[0][1] + p[1][1])),
        st.tuples(inner, inner).map(lambda p: (rf"{p[0][0]} - \left({p[1][0]}\right)", p[0][1] - p[1][1])),
        st.tuples(inner, inner).map(lambda p: (rf"({p[0][0]})\cdot ({p[1][0]})", p[0][1] * p[1][1])),
        st.tuples(inner, inner).map(slash),
        st.tuples(inner, inner).map(product),
        st.tuples(inner, inner).map(quotient),
        inner.map(lambda tree: (rf"-({tree[0]})^2", -(tree[1] ** 2))),
        inner.map(lambda tree: (rf"3e^{{-({tree[0]})}}", 3 * mpmath.exp(-tree[1])) if abs(tree[1]) < 20 else tree),
        inner.map(power_of_e),
    ),
    max_leaves=7,
)  # fmt: skip


@given(TREES)
def test_a_formula_has_the_value_that_mpmath_gives(tree: Tree) -> None:
    text, expected = tree
    try:
        value = read_latex(text)
    except ReadError as error:
        assert re.search("cannot be told|power tower|2\\*\\*64", error.problem)  # noqa: PT017
        return
    assert abs(mpmath.mpf(value.evalf(30)) - expected) <= 1e-8 * max(1, abs(expected))


EXPRESSIONS = st.recursive(
    st.sampled_from([sympy.Integer(2), sympy.Integer(-3), half, a, b, d_k, pi, root(2), root(d_k), exp(a)]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        inner.map(lambda one: exp(one / root(d_k))),
        inner.map(lambda one: 1 / (1 + one**2)),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS)
def test_what_sympy_prints_reads_back_as_the_same_value(expression: sympy.Expr) -> None:
    value = read_latex(sympy.latex(expression))
    at = {a: sympy.Rational(3, 7), b: sympy.Rational(-2, 5), d_k: sympy.Rational(5, 3)}
    one, two = (mpmath.mpf(tree.subs(at).evalf(30)) for tree in (value, expression))
    assert abs(one - two) <= 1e-15 * max(1, abs(two))


PIECES = [
    *(r"\frac", r"\sqrt", r"\left(", r"\right)", r"\cdot", r"\pi", r"\exp", r"\,", r"\mathrm", r"\times "),
    *"{}()^_ea1.+-/ E",
    *("d_k", "23", "{,}", "2^{", "}{"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_formula_is_read_or_refused(text: str) -> None:
    try:
        value = read_latex(text)
    except ReadError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert isinstance(value, sympy.Expr)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = read_latex(text)
    except ReadError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert isinstance(value, sympy.Expr)


# What latex2sympy2 does when left alone: each is a reason for something above


@cache
def raw() -> ModuleType:
    """A copy of latex2sympy2 that nothing else uses."""
    return latex_door._loaded(latex_door._home())


SILENT = [
    ("a tail is dropped", "1+2)+100", "3"),
    ("a second point", "1.2.3", "9/25"),
    ("numbers side by side", "2 3", "6"),
    ("thousands", "1 000", "0"),
    ("thin space", r"1\,000", "0"),
    ("a list without its brackets", "[1,200]", "1200"),
    ("mixed number", r"2\frac{1}{2}", "1"),
    ("braced letter with a subscript", r"\frac{1}{2}{q}_{k}+3", "q/2"),
    ("number and E", "2E", "2"),
    ("commuting matrices", "QK^T", "K*Q"),
    ("the letter I, its power lost", "I^{2}", "I"),
]


@named(SILENT)
def test_the_library_alone_misreads_in_silence(text: str, expected: str) -> None:
    found = raw().latex2sympy(text)
    assert str(found.doit()) == expected


def test_the_library_alone_remembers_assignments() -> None:
    raw().latex2sympy("z=3")
    assert raw().var["z"] == 3
    assert "z" not in latex_door._library()._convert.__globals__["var"]


def test_the_library_alone_refuses_correct_latex() -> None:
    with pytest.raises(Exception, match=r"understand|expected"):
        raw().latex2sympy(r"1{,}024 \div 2")
    with pytest.raises(Exception, match=r"understand|expected"):
        raw().latex2sympy(r"0.5\ \cdot\ 0.4")


# Where it is imported from


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    source = f"import sys; sys.path.insert(0, ''); sys.path.insert(1, {str(PROJECT)!r})\n{code}"
    return subprocess.run([sys.executable, "-c", source], cwd=folder, capture_output=True, text=True, check=False)


PROJECT = next(iter(__import__("symattn").__path__)).removesuffix("symattn")
READS = "from symattn.numbers.latex_door import read_latex as r; assert r(r'\\frac{1}{2}') * 2 == 1\n"
STAND_IN = "import types, typing\nsys.modules['typing.io'] = types.SimpleNamespace(TextIO=typing.TextIO)\n"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with packages that have the names of those that the wheel of latex2sympy2 installs."""
    for name in ("gen", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("open('PWNED', 'w').close()\n", encoding="utf-8")
        (tmp_path / name / "PSParser.py").write_text("open('PWNED', 'w').close()\n", encoding="utf-8")
    return tmp_path


def test_a_folder_gen_in_the_current_directory_is_not_run(hostile: Path) -> None:
    done = run(READS, hostile)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (hostile / "PWNED").exists()


def test_the_library_alone_runs_a_folder_gen_in_the_current_directory(hostile: Path) -> None:
    run(f"{STAND_IN}import latex2sympy2", hostile)
    assert (hostile / "PWNED").exists()


def test_a_package_gen_of_somebody_else_stays_theirs(hostile: Path) -> None:
    done = run(
        f"import gen\n{READS}assert sys.modules['gen'] is gen and gen.__file__.startswith({str(hostile)!r})", hostile
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_door_leaves_no_module_behind(tmp_path: Path) -> None:
    code = f"{READS}assert not {{'gen', 'gen.PSParser', 'latex2sympy2'}} & set(sys.modules)"
    done = run(code, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_door_works_where_typing_io_is_gone(tmp_path: Path) -> None:
    gone = "import typing; sys.modules['typing.io'] = None\n"
    alone = run(f"{gone}import latex2sympy2", tmp_path)
    assert "typing.io" in alone.stderr
    done = run(f"{gone}{READS}assert sys.modules['typing.io'] is None", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_door_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import symattn.numbers.latex_door\nassert not {'sympy', 'antlr4', 'latex2sympy2'} & set(sys.modules)"
    done = run(code, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
