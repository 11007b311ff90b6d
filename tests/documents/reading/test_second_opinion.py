"""The second opinion: latex2sympy2 and the reader here take every formula of numbers for the same value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any, Final

import pytest
import sympy
from flint import arb, ctx, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symattn.documents.formats.document import Region
from symattn.documents.formats.load import load_document
from symattn.documents.literals import uses_decimal_comma
from symattn.documents.reading import tree as t
from symattn.documents.reading.chains import read_math
from symattn.documents.reading.closed import Closed
from symattn.documents.reading.scalars import Lazy
from symattn.documents.reading.value import evaluate
from symattn.errors import ReadError, UndecidedError
from symattn.numbers.certified import enclosure
from symattn.numbers.latex_door import read_latex
from symattn.numbers.latex_leaves import places, plain_leaf, trees_of

CORPUS: Final = Path(__file__).parents[2] / "corpus"
BITS: Final = 2_000

# what latex2sympy2 makes of a formula, worked out by SymPy

WORKED: Final[dict[str, Callable[..., sympy.Expr]]] = {
    "+": sympy.Add, "*": sympy.Mul, "^": sympy.Pow, "abs": sympy.Abs, "exp": sympy.exp, "log": sympy.log,
    "floor": sympy.floor, "ceil": sympy.ceiling, "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan,
    "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh, "arctan": sympy.atan,
}  # fmt: skip


def second(text: str) -> sympy.Expr:
    """The value by latex2sympy2, in this process; ReadError where the door does not admit the formula."""
    plain = plain_leaf(text)
    known = places(plain)
    made: dict[str, sympy.Expr] = {place: sympy.E for place, name in plain.names.items() if name == "e"}

    def worked(tree: list[Any]) -> sympy.Expr:
        operation, *operands = tree
        if operation == "number":
            return sympy.Rational(*map(int, operands[0].split("/")))
        if operation == "constant":
            return {"pi": sympy.pi, "e": sympy.E}[operands[0]]
        if operation == "name":
            return made[known[operands[0]]]
        return WORKED[operation](*map(worked, operands))

    for place, tree in trees_of(plain.pieces).items():
        made[place] = worked(tree)
    return made[plain.whole]


def in_sympy(value: Any) -> sympy.Expr | None:
    """The value by the reader as an expression, None where only balls enclose it."""
    if isinstance(value, fmpq):
        return rational(value)
    if isinstance(value, Closed):
        return terms(value.above) / terms(value.below)
    return None


def rational(value: fmpq) -> sympy.Rational:
    return sympy.Rational(int(value.p), int(value.q))


def terms(total: Any) -> sympy.Expr:
    return sympy.Add(
        *(
            rational(c)
            * sympy.sqrt(m)
            * sympy.exp(sympy.Add(*(sympy.Rational(p, q) * sympy.sqrt(n) for n, p, q in exponent)))
            for (m, exponent), c in total.items()
        )
    )


def agree(value: Any, other: sympy.Expr) -> str:
    """`exact` when proven equal, `overlap` when balls of 2,000 bits overlap; fails when they differ."""
    own = in_sympy(value)
    if own is not None:
        gap = sympy.expand(sympy.together(own - other).as_numer_denom()[0])
        if gap == 0:
            return "exact"
        assert not gap.is_Rational
    assert mpmath_ball(other).overlaps(enclosure(value, BITS)), f"{own} and {other}"
    return "overlap"


def mpmath_ball(value: sympy.Expr) -> arb:
    """The value to 600 digits, with a margin that is far wider than its error."""
    with ctx.workprec(BITS):
        decimal = value.evalf(600)
        assert decimal.is_Float or decimal.is_Rational
        return arb(str(decimal)) + (1 + abs(arb(str(decimal)))) * arb(0, "1e-590")


# the corpus


ARITHMETIC: Final = (
    t.Number, t.Constant, t.Sum, t.Neg, t.Product, t.Quotient, t.Power, t.Root, t.Bracketed, t.Call, t.Absolute,
)  # fmt: skip
FUNCTIONS: Final = {"exp", "ln", "log", "sin", "cos", "tanh"}
NAMED: Final = {
    "braces around anything but one letter do not show": r"1{\cdot}0: braces around a sign",
    r"\text is misplaced": "words in a bracket",
}
"""Why the door refuses a formula of the corpus that the reader reads: its reason, and what stands there."""


def is_leaf(node: t.Node) -> bool:
    if not isinstance(node, ARITHMETIC) or (isinstance(node, t.Call) and node.function not in FUNCTIONS):
        return False
    return all(map(is_leaf, t.children(node)))


def leaves(node: t.Node) -> Iterator[t.Node]:
    if is_leaf(node):
        yield node
        return
    for inner in t.children(node):
        yield from leaves(inner)


def formulas(regions: Any) -> Iterator[Region]:
    for region in regions:
        if region.kind.startswith("math") and not region.unreadable:
            yield region
        for row in region.rows:
            for cell in row:
                yield from formulas(cell.regions)


DOCUMENTS: Final = sorted(
    path for path in CORPUS.iterdir() if path.name[:2].isdigit() and not path.name.endswith(".expect.json")
)


@pytest.fixture(scope="module")
def corpus() -> dict[tuple[str, bool], t.Node]:
    """Each formula of numbers in the corpus once: its text, and whether the document has decimal commas."""
    found: dict[tuple[str, bool], t.Node] = {}
    for path in DOCUMENTS:
        document = load_document(str(path))
        comma = uses_decimal_comma(document)
        for region in formulas(document.regions):
            for chain in read_math(region.text, decimal_comma=comma):
                for leaf in leaves(chain):
                    found[region.text[leaf.start : leaf.end], comma] = leaf
    return found


def test_both_readers_agree_on_every_leaf_of_the_corpus(corpus: dict[tuple[str, bool], t.Node]) -> None:
    compared: dict[str, list[str]] = {"exact": [], "overlap": []}
    refused: dict[str, list[str]] = {reason: [] for reason in NAMED}
    for (text, _), leaf in corpus.items():
        try:
            other = second(text)
        except ReadError as error:
            reasons = [reason for reason in NAMED if reason in error.problem]
            if not reasons:
                raise
            refused[reasons[0]].append(text)
            continue
        compared[agree(evaluate(leaf, {}), other)].append(text)
    worked = [text for texts in compared.values() for text in texts if not re.fullmatch(r"[\d.]+", text)]
    assert len(worked) >= 110
    assert sum(map(len, compared.values())) >= 340
    assert len(compared["overlap"]) <= 5
    assert sum(map(len, refused.values())) <= 12


def test_the_value_that_a_spec_would_have_is_the_same(corpus: dict[tuple[str, bool], t.Node]) -> None:
    compared = 0
    for (text, _), leaf in corpus.items():
        if isinstance(leaf, t.Number):
            continue
        try:
            value = read_latex(text)
        except ReadError:
            continue
        agree(evaluate(leaf, {}), value)
        compared += 1
    assert compared >= 110


# generated: LaTeX as documents write it, beside the value that it was made for

Made = tuple[str, arb | None, fmpq | None]
"""LaTeX, its value, and its exact value if it is rational; a value of None has none (a division by zero)."""


def number(pair: tuple[int, int]) -> Made:
    units, digits = pair
    text = f"{units // 10**digits}" + (f".{units % 10**digits:0{digits}}" if digits else "")
    return text, arb(fmpq(units, 10**digits)), fmpq(units, 10**digits)


NUMBERS: Final = st.one_of(
    st.tuples(st.integers(0, 20), st.just(0)), st.tuples(st.integers(0, 5000), st.integers(1, 4))
).map(number)


def is_bare(text: str) -> bool:
    return re.fullmatch(r"[\d.]+", text) is not None


def bracketed(draw: st.DrawFn, text: str) -> str:
    if is_bare(text) and draw(st.booleans()):
        return text
    return draw(st.sampled_from(["({})", r"\left( {} \right)", r"\left({}\right)", r"\bigl({}\bigr)"])).format(text)


def combined(rule: Callable[[Any, Any], Any], left: Made, right: Made) -> tuple[Any, Any]:
    exact = None if left[2] is None or right[2] is None else rule(left[2], right[2])
    value = None if left[1] is None or right[1] is None else rule(left[1], right[1])
    return value, exact


def divided(left: Any, right: Any) -> Any:
    assume(not (right == 0 or (isinstance(right, arb) and right.contains(0))))
    return left / right


@st.composite
def formula(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    kind = draw(st.sampled_from(KINDS))
    return kind(draw, inner)


def a_sum(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    parts = draw(st.lists(inner, min_size=2, max_size=3))
    text, value, exact = f"{bracketed(draw, parts[0][0])}", parts[0][1], parts[0][2]
    for part in parts[1:]:
        sign = draw(st.sampled_from("+-"))
        text += f" {sign} {bracketed(draw, part[0])}"
        value, exact = combined(lambda x, y, s=sign: x + y if s == "+" else x - y, ("", value, exact), part)
    return text, value, exact


def a_product(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    left, right = draw(inner), draw(inner)
    sign = draw(st.sampled_from([r" \times ", r" \cdot ", r"\cdot", " · ", " * ", r"\,\times\,"]))
    text = f"{bracketed(draw, left[0])}{sign}{bracketed(draw, right[0])}"
    # a command runs on into a letter
    return (re.sub(r"(\\cdot|\\times)(?=[a-z])", r"\1 ", text), *combined(lambda x, y: x * y, left, right))


def side_by_side(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    left, right = draw(inner), draw(inner)
    opening, closing = draw(st.sampled_from([("(", ")"), (r"\left(", r"\right)")]))
    text = f"{bracketed(draw, left[0])}{opening}{right[0]}{closing}"
    return text, *combined(lambda x, y: x * y, left, right)


def without_sign(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    r"""2\sqrt{3}, 2e^{0.5}, 1.5\exp(2), \frac{1}{2}\sqrt3."""
    left = draw(NUMBERS) if draw(st.booleans()) else a_fraction(draw, inner)
    right = draw(st.sampled_from([a_root, of_e, a_logarithm, a_digit_root]))(draw, inner)
    assume("/ " not in left[0])  # a product without a sign after a slash is ambiguous
    return f"{left[0]}{right[0]}", *combined(lambda x, y: x * y, left, right)


def a_digit_root(draw: st.DrawFn, _inner: st.SearchStrategy[Made]) -> Made:
    digit = draw(st.integers(0, 9))
    return rf"\sqrt{digit}", arb(digit).sqrt(), None


def two_digits(draw: st.DrawFn, _inner: st.SearchStrategy[Made]) -> Made:
    above, below = draw(st.integers(0, 9)), draw(st.integers(1, 9))
    return rf"\frac{above}{below}", arb(fmpq(above, below)), fmpq(above, below)


def grouped(draw: st.DrawFn, _inner: st.SearchStrategy[Made]) -> Made:
    high, low = draw(st.integers(1, 999)), draw(st.integers(0, 999))
    sign = draw(st.sampled_from([r"\,", "{,}"]))
    return f"{high}{sign}{low:03}", arb(1000 * high + low), fmpq(1000 * high + low)


def leading_point(draw: st.DrawFn, _inner: st.SearchStrategy[Made]) -> Made:
    units = draw(st.integers(0, 99))
    return f".{units:02}", arb(fmpq(units, 100)), fmpq(units, 100)


def a_fraction(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    above, below = draw(inner), draw(inner)
    command = draw(st.sampled_from([r"\frac", r"\dfrac", r"\tfrac"]))
    text = f"{command}{{{above[0]}}}{{{below[0]}}}"
    if draw(st.booleans()):
        text = f"{bracketed(draw, above[0])} / {bracketed(draw, below[0])}"
        text = text if draw(st.booleans()) else f"({text})"
    return text, *combined(divided, above, below)


def a_root(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    text, value, _ = draw(inner)
    order = draw(st.sampled_from([2, 2, 3, 4]))
    assume(value is not None and value > 0)
    assert value is not None
    command = r"\sqrt" if order == 2 else rf"\sqrt[{order}]"
    return f"{command}{{{text}}}", value.root(order), None


def a_power(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    text, value, exact = draw(inner)
    exponent = draw(st.integers(0, 3))
    assume(value is not None and (exponent > 0 or not value.contains(0)))
    assert value is not None
    written = draw(st.sampled_from([f"^{exponent}", f"^{{{exponent}}}"]))
    powered = None if exact is None else reduce(lambda x, y: x * y, [exact] * exponent, fmpq(1))
    return f"{bracketed(draw, text)}{written}", value**exponent, powered


def of_e(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    text, value, _ = draw(inner)
    assume(value is not None and abs(value) < 30)
    assert value is not None
    form = draw(
        st.sampled_from(["e^{{{}}}", r"\exp({})", r"\exp\left({}\right)", r"\mathrm{{e}}^{{{}}}", "e^{{-({})}}"])
    )
    return form.format(text), (-value if "-" in form else value).exp(), None


def a_logarithm(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    text, value, _ = draw(inner)
    assume(value is not None and value > 0)
    assert value is not None
    form = draw(st.sampled_from([r"\ln({})", r"\log({})", r"\ln\left({}\right)", r"\log_2({})"]))
    return form.format(text), value.log() / (arb(2).log() if "_2" in form else 1), None


def a_minus(draw: st.DrawFn, inner: st.SearchStrategy[Made]) -> Made:
    text, value, exact = draw(inner)
    return (
        f"-{bracketed(draw, text)}",
        None if value is None else -value,
        None if exact is None else -exact,
    )


KINDS: Final = [
    a_sum, a_sum, a_product, a_product, side_by_side, without_sign, a_fraction, a_root, a_power, of_e, a_logarithm,
    a_minus, two_digits, grouped, leading_point, a_digit_root,
]  # fmt: skip

FORMULAS: Final = st.recursive(NUMBERS, formula, max_leaves=8)


TOWER: Final = "a tower of powers"


def ours(text: str) -> Any:
    (chain,) = read_math(text)
    assert not chain.links
    assert chain.first is not None
    if chain.unread and chain.unread[0].reason == TOWER:
        raise UndecidedError(TOWER)
    assert not chain.unread, f"{text}: {chain.unread[0].reason}"
    return evaluate(chain.first, {})


@settings(max_examples=300, deadline=None)
@given(FORMULAS)
def test_both_readers_give_a_generated_formula_the_value_it_was_made_for(made: Made) -> None:
    text, value, exact = made
    try:
        own = ours(text)
    except UndecidedError as error:
        assert error.problem == TOWER or re.search("cannot be told|zero", error.problem)  # noqa: PT017
        return
    if exact is not None:
        assert own == exact, text
    else:
        assert value is not None
        assert enclosure(own, 128).overlaps(value), text
    try:
        other = second(text)
    except ReadError as error:
        assert re.search("power tower", error.problem), f"{text}: {error.problem}"  # noqa: PT017
        return
    agree(own, other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\frac05", fmpq(0)),  # its digits were once taken for the number 05
        (r"1 + \frac05 + \frac12", fmpq(3, 2)),
        (r"\left(\left(2\right)(3)\right)^2", fmpq(36)),
        (r"1\,000 / .5 - 1{,}024", fmpq(976)),
        (r"\sqrt4\sqrt{9} \cdot 2", fmpq(12)),
        (r"-2^{2} \times \tfrac{1}{4}", fmpq(-1)),
        (r"8 / 4 / 2 \cdot 3", fmpq(3)),
        (r"2 - 3 - 4", fmpq(-5)),
        (r"--1", fmpq(1)),
    ],
)
def test_what_either_reader_might_slip_on(text: str, expected: fmpq) -> None:
    assert ours(text) == expected
    assert agree(ours(text), second(text)) == "exact"


def test_numbers_that_differ_are_told_apart() -> None:
    # the comparison itself can fail
    with pytest.raises(AssertionError):
        agree(fmpq(1, 3), sympy.Rational(1, 2))
    with pytest.raises(AssertionError):
        agree(ours(r"\sqrt{2}"), sympy.sqrt(3))
    with pytest.raises(AssertionError):
        agree(ours(r"\ln(2)"), sympy.log(3))
    assert isinstance(ours(r"\ln(2)"), Lazy)
    assert agree(ours(r"\ln(2)"), sympy.log(2)) == "overlap"
