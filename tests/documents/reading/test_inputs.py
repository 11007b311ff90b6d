"""Inputs that a stranger may write, each with what must come of it: a refusal with its reason, or the right reading."""

from __future__ import annotations

import pytest

from symattn.documents.reading.chains import read_chain, read_math
from symattn.documents.reading.code import read_code, read_prose, read_source
from symattn.documents.reading.outline import outline
from symattn.documents.reading.tree import Number, Unread, walk

REFUSED = [
    ("1 000", "a number does not begin with 0 and another digit"),
    ("4,3", "a comma outside a list: a decimal sign, or two numbers?"),
    ("2.5 = 4,3", "a comma outside a list: a decimal sign, or two numbers?"),
    ("2 3", "2 3: two numbers side by side"),
    ("3\\frac{1}{2}", "a whole number beside a fraction: a mixed number, or a product?"),
    ("1.2.3", "a number has one decimal point"),
    ("2E", "E after a number: a power of ten or a name?"),
    ("1+2)+100", ") closes what was not opened"),
    ("3 & 4", "3 4: two numbers side by side"),
    ("\\begin{bmatrix}1 & 2\\\\3\\end{bmatrix}", "row 2 of a matrix has 1 entry, row 1 has 2"),
    ("\\begin{bmatrix}1 & & 3\\\\3 & 4 & 5\\end{bmatrix}", "row 1 of a matrix has an empty cell"),
    ("\\begin{bmatrix}1\\end{pmatrix}", "\\begin{bmatrix} is closed by \\end{pmatrix}"),
    ("9^{9^{9^9}}", "a tower of powers"),
    ("10^{10^8}", "a tower of powers"),
    ("1E100000000", "a power of ten beyond 400"),
    ("(10^9)!", "a factorial is not worked out"),
    ("\\binom{10^8}{5}", "a binomial coefficient is not worked out"),
    ("\\sum_{n=1}^{10^9}1", "a sum over an index is not worked out"),
    ("zeros(100000)", "zeros(…) is not worked out"),
    ("x^10", "^10 without braces raises one digit only"),
    ("a^b^c", "two superscripts: a power of a power is ambiguous, write brackets"),
    ("6/2(1+2)", "( after a slash without a sign: is it divided by as well?"),
    ("\\input{../secret}", "unknown command \\input"),
    ("\\write18{ls}", "unknown command \\write"),
    ("\\def\\a{\\a}", "unknown command \\def"),
    ("\\rule{999em}{999em} = 1", "unknown command \\rule"),
    ("4\\sqrt(9) = 4", "\\sqrt needs {..}"),
    ("１２", "１ (FULLWIDTH DIGIT ONE) is no digit 0 to 9"),
    ("٣", "٣ (ARABIC-INDIC DIGIT THREE) is no digit 0 to 9"),
]

READ = [
    ("1\\,000", ["1\\,000"]),
    ("1{,}024 \\div 2", ["(1{,}024 / 2)"]),
    ("[1,200]", ["[1, 200,]"]),
    ("\\frac12", ["(1 / 2)"]),
    ("0.\\overline{3}", ["0.\\overline{3}"]),
    ("1.5e3", ["1.5e3"]),
    ("{q}_{k}+3", ["q_k+3"]),
    ("\\frac{1}{2}{q}_{k}+3", ["{(1 / 2)⁀q_k}+3"]),
    ("QK^\\top", ["{Q⁀Kᵀ}"]),
    ("(QK)_{ij}", ["({Q⁀K})⟦ij⟧"]),
    ("-A", ["-A"]),
    ("a \\\\[4pt] = 3", ["a = 3"]),
    ("softmax\\left(x\\right)", ["softmax(x)"]),
    ("1/0", ["(1 / 0)"]),
    ("\\infty", ["∞"]),
    ("\\sqrt{-1}", ["√-1"]),
    ("\\frac{12}{n(m+1)}", ["(12 / {n⁀(m+1)})"]),
    ("0.5\\ \\cdot\\ 0.4", ["{0.5·0.4}"]),
    ("7-4-2", ["7-4-2"]),
    ("e^0.7 \\approx 2.01", ["e^0.7 ≈ 2.01"]),
    ("e^-0.5 = 0.607", ["e^-0.5 = 0.607"]),
    ("a − b × c", ["a-{b×c}"]),
    ("d_k^{0.5} = \\sqrt{d_k}", ["d_k^0.5 = √d_k"]),
    ("10^{1000000000000} = 1", ["10^1000000000000 = 1"]),
    (
        "[1.0, 2.0] \\xrightarrow{\\div\\sqrt2} [0.707, 1.414] \\xrightarrow{\\text{softmax}} [0.33, 0.67]",
        ["[1.0, 2.0,] →[÷√2] [0.707, 1.414,] →['softmax'] [0.33, 0.67,]"],
    ),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[text for text, _ in REFUSED])
def test_what_is_ambiguous_or_unbounded_is_refused_with_its_reason(text: str, reason: str) -> None:
    unread = [node for chain in read_math(text) for node in chain.unread]
    assert unread[0].reason == reason
    assert unread[0].text in text


@pytest.mark.parametrize(("text", "outlines"), READ, ids=[text for text, _ in READ])
def test_what_has_one_meaning_is_read(text: str, outlines: list[str]) -> None:
    assert [outline(chain) for chain in read_math(text)] == outlines


@pytest.mark.parametrize(
    ("text", "value", "digits"),
    [
        (r"1\,000", "1000", (1000, 0)),
        ("1{,}024", "1024", (1024, 0)),
        ("8{,}886{,}110", "8886110", (8886110, 0)),
        ("0{,}67", "67/100", (67, 2)),
        ("12{,}5", "25/2", (125, 1)),
        ("1.70", "17/10", (170, 2)),
        (".5", "1/2", (5, 1)),
        ("1.5e3", "1500", (15, -2)),
        ("2.5e-3", "1/400", (25, 4)),
        (r"85\%", "17/20", (85, 2)),
        ("66.7%", "667/1000", (667, 3)),
    ],
)
def test_numbers_keep_their_digits(text: str, value: str, digits: tuple[int, int]) -> None:
    number = read_chain(text).first
    assert isinstance(number, Number)
    assert (str(number.value), number.text) == (value, text)
    assert number.digits is not None
    assert (number.digits.units, number.digits.places) == digits
    assert number.percent == ("%" in text)


def test_a_repeating_decimal_is_exact_and_claims_no_digits() -> None:
    number = read_chain(r"0.1\overline{36}").first
    assert isinstance(number, Number)
    assert (str(number.value), number.digits) == ("3/22", None)


def test_a_document_with_decimal_commas_has_no_thousands() -> None:
    number = read_chain("1{,}024", decimal_comma=True).first
    assert isinstance(number, Number)
    assert str(number.value) == "128/125"


DEEP = {
    "brackets": "(" * 1000 + "1" + ")" * 1000,
    "subscripts": "x" + "_{a" * 20 + "}" * 20,
    "functions": r"\max(" * 12 + "1" + ")" * 12,
    "digits": "9" * 100_000,
    "braces": "{" * 10_000 + "}" * 10_000,
    "fractions": r"\frac" * 3000,
    "roots": "√" * 5000 + "2",
    "signs": "-" * 5000 + "1",
    "quotients": "1/" * 5000 + "1",
    "powers": "e^{" * 200 + "1" + "}" * 200,
    "matrices": r"\begin{bmatrix}" * 500 + "1" + r"\end{bmatrix}" * 500,
    "exponents": "2^{3^{4^{5}}}",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("read", [read_math, read_code])
def test_what_is_too_deep_or_too_long_is_refused(text: str, read: object) -> None:
    chains = read(text)  # type: ignore[operator]
    assert any(chain.unread for chain in chains) or not chains
    assert not any(isinstance(node, Number) for chain in chains for node in chain.items)


LONG = {
    "terms": "+".join(["1"] * 20_000),
    "relations": "=".join(["1"] * 20_000),
    "entries": "[" + ",".join(["1"] * 20_000) + "]",
    "bars": "|" * 20_000,
    "opened": r"\left(" * 10_000,
    "begun": r"\begin{bmatrix}" * 5_000,
    "labels": r"\label{" * 10_000,
    "texts": r"\text{" * 10_000,
    "spaces": r"\quad" * 20_000,
    "thin spaces": r"\underline{" + r"\," * 20_000 + "x}",
    "dollars": "$" * 20_000,
    "lists": "[1, 2]\n" * 5_000,
    "columns": "Q = [[1, K = [[2,\n" * 3_000,
    "grouped digits": "1,234," * 10_000,
    "unclosed lists": "x = [1, " * 10_000,
    "underscores": "_" * 50_000,
    "one word": "a" * 100_000,
    "accents": "é" * 100_000,
    "quotes": '"' * 50_000,
    "blank lines": "\n" * 50_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_input_is_read_without_going_back(text: str) -> None:
    # every reader is linear; one that were not would not come back from these
    for read in (read_math, read_code, read_prose, read_source):
        assert isinstance(read(text), tuple)


@pytest.mark.parametrize("read", [read_math, read_code, read_prose])
def test_a_region_beyond_the_limit_is_refused_as_a_whole(read: object) -> None:
    (chain,) = read("1+" * 150_000)  # type: ignore[operator]
    assert isinstance(chain.first, Unread)
    assert "more than 200000 characters" in chain.first.reason


@pytest.mark.parametrize("character", ["\x00", "\ud800", "\ufffe", "①", "½", "☃"])
def test_strange_characters_are_named(character: str) -> None:
    chain = read_chain(f"1 + {character} = 2")
    assert "has no meaning here" in chain.unread[0].reason or "is no digit 0 to 9" in chain.unread[0].reason


def test_spaces_that_cannot_be_seen_do_not_matter() -> None:
    assert outline(read_chain("\ufeff1\u00a0+\u20092\u200b = 3")) == "1+2 = 3"


def test_what_cannot_be_read_leaves_the_rest() -> None:
    chain = read_chain(r"a = \foo{2} = 3, b = 1")
    assert [type(item).__name__ for item in chain.items] == ["Name", "Unread", "Number"]
    assert [outline(chain) for chain in read_math(r"a = \foo{2}, b = 1")][1] == "b = 1"


def test_sums_and_integrals_are_formulas_that_are_never_worked_out() -> None:
    flags = {text: read_chain(text).unread[0].formula for text in (r"\sum_j a_j", r"\int x", "3!", "1.2.3", r"\foo")}
    assert flags == {r"\sum_j a_j": True, r"\int x": True, "3!": True, "1.2.3": False, r"\foo": False}


def test_nothing_of_a_refused_item_is_taken_for_a_number() -> None:
    for text, _ in REFUSED:
        for chain in read_math(text):
            first = chain.first
            assert not isinstance(first, Number) or text.startswith(first.text + " =")
            assert not any(isinstance(node, Number) for node in walk(first) if isinstance(first, Unread))
