"""Decimal commas: decided once for a document, read region by region, judged and corrected like points."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.documents.fix import fix
from symattn.documents.formats.document import Format
from symattn.documents.formats.load import load_document, read_document
from symattn.documents.literals import uses_decimal_comma
from symattn.documents.reading.chains import read_math
from symattn.documents.reading.code import read_code, read_prose, read_source
from symattn.documents.reading.decimals import decimal_comma_of, evidence_of, grouped_number, signs_of
from symattn.documents.reading.outline import outline
from symattn.documents.reading.tree import Chain, List, Matrix, Number, walk
from symattn.documents.respell import Respelt, respell
from symattn.documents.verify import check


def values(chains: tuple[Chain, ...]) -> list[fmpq]:
    return [node.value for chain in chains for node in walk(chain) if isinstance(node, Number)]


def decimals(*texts: str) -> list[fmpq]:
    return [fmpq(int(text.replace(".", "")), 10 ** len(text.partition(".")[2])) for text in texts]


# the decision


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("w = 0,85", True),
        ("w = 0.85, v = 0,1", False),
        ("x = [1,0,1]", False),
        (r"$\alpha = 0{,}85$", True),
        ("", False),
        ("Die Summe 4,48 + 2,72 ist 7,20.", True),
        ("Wir teilen: 6 / 4 = 1,5.", True),
        ("Der Wert ist x = 1,5 und nicht 2.", True),  # nothing is sure, the words decide
        ("We take the heads i = 1,2 of the layer.", False),
        ("The rows are [1,0] and [0,1], and d_k = 2.", False),
        ("The model has 1,024 tokens and 10,000 steps.", False),
        ("The base of the encoding is $10{,}000$.", False),
        ("Es gilt $e^2 = 7{,}389$.", True),
        ("The base is $10{,}240$ and 0.5 of the tokens", False),
        ("$e^2 = 7{,}389$", True),  # not a word: what is worked out decides
        (r"$2 \cdot 512 = 1{,}024$", False),
        ("La matrice est $(2 ; 3)$ et les poids [0,73; 0,27].", True),
        ("73,1 % des poids", True),
        ("Version 2.1: der Anteil ist 26,9 %.", True),
        ("权重 0.73 和 0.27, i = 1,2", False),
        ("x_1,2 = 3 and S_{1,2} = 4", False),
        ("Es ist 1.024,5 + 2 = 1.026,5.", True),
        ("dot = 1,024.5 + 2", False),
        ("0,73 und 0,27, doch Kapitel 3.1 und 3.2 und 3.3", True),
        ("Mit $0{,}5$ und $0.25 + 0.5 = 0.75$", True),  # 0{,}5 is never anything else
        ("sum([1*1,0*1]) and [2*1,3*4]", False),
        ("d, n = 10,20", False),
    ],
)
def test_a_document_shows_its_decimal_sign(text: str, expected: bool) -> None:
    assert uses_decimal_comma(load_document(text)) is expected


def test_programs_do_not_count() -> None:
    text = "Die Gewichte sind 0,73 und 0,27.\n\n```python\nw = [0.73, 0.27]\nv = [0.1, 0.2, 0.3]\n```\n"
    assert uses_decimal_comma(load_document(text))


def test_blocks_of_code_count_where_nothing_else_shows_a_sign() -> None:
    assert uses_decimal_comma(load_document("Rechnung:\n\n```\n0,67 + 0,33 = 1\n```\n"))
    assert decimal_comma_of(["nichts"], ["1,5 + 1 = 2,5"])
    assert not decimal_comma_of(["0.5 + 0.5 = 1"], ["1,5 + 1 = 2,5"])


def test_as_many_commas_as_points_are_points() -> None:
    assert not decimal_comma_of(["0,67 + 1 und 0.33 + 1"])


@pytest.mark.parametrize(
    "text", ["S_{1,2}", "W1,2", "1,2,3", "1{,}024{,}000", "2017.06.12", "x \\in \\mathbb{R}^{2,3}"]
)
def test_indices_lists_and_dates_show_nothing(text: str) -> None:
    shown = evidence_of(text)
    assert shown.commas == shown.points == shown.braced == 0


# reading


READ: list[tuple[str, list[str]]] = [
    ("[0,73; 0,27]", ["0.73", "0.27"]),
    ("[0,73, 0,27]", ["0.73", "0.27"]),
    ("[0,73,0,27]", ["0.73", "0.27"]),
    ("[0,73 0,27]", ["0.73", "0.27"]),
    ("(1,5; 2)", ["1.5", "2"]),
    ("x = 1,5", ["1.5"]),
    ("x = (1, 5)", ["1", "5"]),
    ("x = (1,5)", ["1", "5"]),
    ("x = (0,73)", ["0.73"]),
    ("2·(1,5) = 3", ["2", "1.5", "3"]),
    ("exp(1,5) = 4,48", ["1.5", "4.48"]),
    ("e^(1,5) = 4,48", ["1.5", "4.48"]),
    ("max(2,1) = 2", ["2", "1", "2"]),
    ("max(0; −1,104) = 0", ["0", "1.104", "0"]),
    ("[[1,0],[0,1]]", ["1", "0", "0", "1"]),
    ("[1,0,1]", ["1", "0", "1"]),
    ("[1, 0; 0, 1]", ["1", "0", "0", "1"]),
    ("[1,5 2; 3 4,5]", ["1.5", "2", "3", "4.5"]),
    ("[[1,5; 2]; [3; 4]]", ["1.5", "2", "3", "4"]),
    ("(2·1,5 + 3)/2 = 3", ["2", "1.5", "3", "2", "3"]),
    ("Summe: 4,48 + 2,72 + 1 = 8,20.", ["4.48", "2.72", "1", "8.20"]),
    ("1,5e-3 + 1 = 1,0015", ["0.0015", "1", "1.0015"]),
    ("d = 1.024,5", ["1024.5"]),
    ("d = 10.000", ["10000"]),
    ("d = 1 024", ["1024"]),
    ("d = 1\u202f024,5", ["1024.5"]),
    ("d = 1\u00a0024", ["1024"]),
    ("d = 1'024", ["1024"]),
    ("w = 27 %", ["0.27"]),
    ("w = 73,1\u202f%", ["0.731"]),
    ("W_{1,2} = 3,5", ["3.5"]),
]


@pytest.mark.parametrize(("text", "numbers"), READ, ids=[text for text, _ in READ])
def test_plain_text_with_decimal_commas(text: str, numbers: list[str]) -> None:
    assert values(read_code(text, decimal_comma=True)) == decimals(*numbers)
    assert values(read_prose(text, decimal_comma=True)) in ([], decimals(*numbers))


FORMULAS: list[tuple[str, list[str]]] = [
    ("7{,}389", ["7.389"]),
    ("0,73 + 0,27 = 1", ["0.73", "0.27", "1"]),
    ("e^{1,5} = 4,48", ["1.5", "4.48"]),
    ("S_{1,2} = 1,5", ["1.5"]),
    ("x = (1{,}5,2)", ["1.5", "2"]),
    (r"(1{,}5 ;\ 2)", ["1.5", "2"]),
    (r"\left[0{,}73,\,0{,}27\right]", ["0.73", "0.27"]),
    (r"\left(0,73;\ 0,27\right)", ["0.73", "0.27"]),
    (r"\frac{1,5}{2} = 0,75", ["1.5", "2", "0.75"]),
    (r"\begin{pmatrix} 1,5 & 2 \\ 0,5 & 0,25 \end{pmatrix}", ["1.5", "2", "0.5", "0.25"]),
    (r"\begin{pmatrix} 1,5 \\ 2 \end{pmatrix}", ["1.5", "2"]),
    (r"\{1,2\}", ["1", "2"]),
    (r"\max(0; -1{,}104) = 0", ["0", "1.104", "0"]),
    (r"1\,024", ["1024"]),
    ("1~024", ["1024"]),
    ("1'024{,}5", ["1024.5"]),
    (r"27\,\%", ["0.27"]),
    (r"73{,}1~\%", ["0.731"]),
    (r"\approx0,73", ["0.73"]),
]


@pytest.mark.parametrize(("text", "numbers"), FORMULAS, ids=[text for text, _ in FORMULAS])
def test_formulas_with_decimal_commas(text: str, numbers: list[str]) -> None:
    assert values(read_math(text, decimal_comma=True)) == decimals(*numbers)


POINTS: list[tuple[Callable[..., tuple[Chain, ...]], str, list[str]]] = [
    (read_math, "1{,}5 + 1 = 2{,}5", ["1.5", "1", "2.5"]),  # in braces, also where points are used
    (read_math, "12{,}345.67", ["12345.67"]),
    (read_math, "10{,}000", ["10000"]),
    (read_math, "d = 1,024", ["1024"]),
    (read_math, r"[1\,024, 2]", ["1024", "2"]),
    (read_math, r"27\,\%", ["0.27"]),
    (read_math, "x = (1,5)", ["1", "5"]),
    (read_code, "d = 1,024 tokens", ["1024"]),
    (read_code, "x = [0.5,1.5]", ["0.5", "1.5"]),
    (read_code, "x = [1,024, 2]", []),  # refused: 1 and 024, or a thousand?
    (read_code, "[1,5; 2,5]", ["1", "5", "2", "5"]),
    (read_code, "d = 1'024.5", ["1024.5"]),
]


@pytest.mark.parametrize(("read", "text", "numbers"), POINTS, ids=[text for _, text, _ in POINTS])
def test_texts_with_decimal_points(read: Callable[..., tuple[Chain, ...]], text: str, numbers: list[str]) -> None:
    assert values(read(text, decimal_comma=False)) == decimals(*numbers)


def test_what_stays_open_is_refused() -> None:
    (chain,) = read_code("i = 1,2")
    assert [node.reason for node in chain.unread] == ["a comma outside a list: a decimal sign, or two numbers?"]


def test_semicolons_between_items_make_a_row_and_between_rows_a_matrix() -> None:
    row, matrix = (read_code(text, decimal_comma=True)[0].first for text in ("[0,73; 0,27]", "[0,7, 0,3; 0,5, 0,5]"))
    assert isinstance(row, List)
    assert isinstance(matrix, Matrix)
    assert matrix.shape == (2, 2)
    assert outline(read_math("(2 ; 3)", decimal_comma=True)[0]) == outline(read_math("(2, 3)")[0])


def test_each_text_shows_its_own_sign_first() -> None:
    # points in a document with commas, commas in a document with points
    assert values(read_code("[0.73,0.27]", decimal_comma=True)) == decimals("0.73", "0.27")
    assert values(read_prose("0,67 + 0,33 = 1", decimal_comma=False)) == decimals("0.67", "0.33", "1")
    assert signs_of("(1,0) und 2,5", decimal_comma=True, latex=False).decimals == {11}


@pytest.mark.parametrize("word", ["y", "e", "o", "i"])
def test_a_letter_between_two_formulas_is_a_word(word: str) -> None:
    text = f"Suma: 0,41 + 0,5 = 0,91 {word} 16,9 / 28,8 = 0,59 {word} la fila"
    assert [outline(chain) for chain in read_prose(text, decimal_comma=True)] == [
        "<Suma> 0,41+0,5 = 0,91",
        "(16,9 / 28,8) = 0,59",
    ]
    assert outline(read_code("2*e + 1 = 6.44")[0]) == "{2*e}+1 = 6.44"


def test_programs_always_write_points() -> None:
    (chain,) = read_source("w = [0,73, 1]\n")
    assert values((chain,)) == decimals("0", "73", "1")


def test_numbers_keep_their_digits_and_their_text() -> None:
    (chain,) = read_code("w = 0,730", decimal_comma=True)
    (number,) = [node for node in walk(chain) if isinstance(node, Number)]
    assert number.text == "0,730"
    assert number.digits is not None
    assert (number.digits.units, number.digits.places) == (730, 3)


@pytest.mark.parametrize("text", ["1,02", "0,123", "1234,567", "12 34", "1,0245"])
def test_no_groups_of_three_are_no_thousands(text: str) -> None:
    assert grouped_number(text, 0, comma=False, nested=False, related=True) is None


@given(st.text(alphabet="0123456789,.;[](){} \\+=%^_ab'~", max_size=40), st.booleans(), st.booleans())
@settings(max_examples=200)
def test_commas_that_are_decimal_signs_stand_between_digits(text: str, comma: bool, latex: bool) -> None:
    found = signs_of(text, decimal_comma=comma, latex=latex)
    assert all(re.fullmatch("[0-9],[0-9]", text[at - 1 : at + 2]) for at in found.decimals)
    assert all(text[at] == ";" for at in found.separators)
    assert found.comma or not found.decimals | found.separators


# judging


def verdicts(text: str, format: Format = "markdown") -> list[tuple[Any, ...]]:  # noqa: A002
    found = check(read_document(text, format=format)).claims
    return [(c.place.line, c.verdict.value, c.expected, c.route, c.label, c.cause) for c in found]


def with_commas(text: str) -> str:
    """The document with commas for points, and semicolons between the items of lists."""
    text = re.sub(r"(?<=[0-9]), (?=[-−]?[0-9])", "; ", text)
    return re.sub(r"(?<=[0-9])\.(?=[0-9])", ",", text)


def with_braces(text: str) -> str:
    """The document with 0{,}73 in its formulas."""
    return re.sub(r"(?<=[0-9])\.(?=[0-9])", "{,}", text)


PLAIN = """Gewichte der ersten Zeile, mit d_k = {d}.

q = [{a}, {b}], k = [{c}, 0.5]

q·k = {a}·{c} + {b}·0.5 = {s}
{s} / 2 = {h}
e^{h} ≈ {x}
e^0.5 ≈ 1.65
{x} + 1.65 = {t}
"""
FORMULA = r"""Es sei $d_k = {d}$ und
$$Q = \begin{{pmatrix}} {a} & {b} \\ 1 & 0.5 \end{{pmatrix}},\quad K = \begin{{pmatrix}} {c} & 0.5 \\ 0 & 2 \end{{pmatrix}}$$
Dann ist
$$q_1 \cdot k_1 = {a} \cdot {c} + {b} \cdot 0.5 = {s}$$
und $\frac{{{s}}}{{2}} = {h}$, also $e^{{{h}}} \approx {x}$ mit Gewichten
$$\text{{softmax}}({h}, 0.5) \approx [{w}, 0.27].$$
"""
numbers_ = st.integers(1, 99).map(lambda n: f"{n / 10:.1f}")
long_ = st.integers(1, 9999).filter(lambda n: n % 100).map(lambda n: f"{n / 100:.2f}")
fields = st.fixed_dictionaries(
    {"a": numbers_, "b": numbers_, "c": numbers_, "d": st.sampled_from(["2", "4"]), "s": long_, "h": long_, "x": long_,
     "t": long_, "w": st.integers(1, 99).map(lambda n: f"0.{n:02}")}
)  # fmt: skip


@given(fields)
@settings(max_examples=15, deadline=None)
def test_points_and_commas_are_judged_the_same(field: dict[str, str]) -> None:
    plain, formula = PLAIN.format(**field), FORMULA.format(**field)
    for text, format_ in ((plain, "text"), (plain, "markdown"), (formula, "markdown")):
        points = verdicts(text, format_)  # type: ignore[arg-type]
        assert points
        assert verdicts(with_commas(text), format_) == points  # type: ignore[arg-type]
    assert verdicts(with_braces(formula)) == verdicts(formula)


SLIP = {
    "prose": ("Summe: 4,48 + 2,72 = 7,21 und 0,5 + 0,25 = 0,75.\n", "4,48 + 2,72 = 7,20 und"),
    "math": ("Es ist $e^{1{,}5} = 4{,}49$.\n", "$e^{1{,}5} = 4{,}48$"),
    "plain math": ("Es ist $0,5 + 0,25 = 0,76$.\n", "$0,5 + 0,25 = 0,75$"),
    "matrix": (r"$$0{,}5 \cdot [1; 3] = [0{,}5; 1{,}4]$$" + "\n", "[0{,}5; 1{,}5]"),
    "thousands": ("Es ist 1.024,5 + 1,25 = 1.025,85.\n", "= 1.025,75"),
    "per cent": ("Anteil: 2,72 / 7,20 = 37,9 %.\n", "= 37,8 %"),
}


@pytest.mark.parametrize("name", SLIP)
def test_a_correction_keeps_the_comma(name: str) -> None:
    text, there = SLIP[name]
    document = read_document(text, format="markdown")
    checked = check(document)
    assert [claim.finding for claim in checked.claims].count(True) == 1
    assert all("," not in (claim.expected or "") for claim in checked.claims)  # a point, as JSON has it
    done = fix(checked, lambda new: check(read_document(new, format="markdown")))
    assert there in done.text
    assert not check(read_document(done.text, format="markdown")).findings


@pytest.mark.parametrize(
    ("raw", "read", "expected", "written"),
    [
        ("1~024", "1024", "1025", "1~025"),
        (r"27\,\%", r"27\,\%", "28%", r"28\,\%"),
        ("73,1\u202f%", "73,1\u202f%", "73.2%", "73,2\u202f%"),
        ("7{,}389", "7{,}389", "7.390", "7{,}390"),
        ("1.024,5", "1.024,5", "1025.5", "1.025,5"),
        ("1\u2007024", "1\u2007024", "1025", "1\u2007025"),
    ],
)
def test_numbers_are_written_anew_as_they_were(raw: str, read: str, expected: str, written: str) -> None:
    made = respell(raw, (0, len(raw)), read, expected)
    assert isinstance(made, Respelt)
    assert made.text == written


def test_prose_with_commas_and_a_program_with_points() -> None:
    text = (
        "Die Gewichte: 0,73 + 0,27 = 1,00 und $0{,}5 \\cdot 3 = 1{,}6$.\n\n"
        "```python\nw = [0.73, 0.27]\n```\n\n```\n0.5 + 0.25 = 0.76\n```\n"
    )
    found = check(read_document(text, format="markdown"))
    assert [(claim.text, claim.expected) for claim in found.findings] == [("1{,}6", "1.5"), ("0.76", "0.75")]
