"""Formulas beyond the grammar: their values, what never reaches latex2sympy2, and a process that hangs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import mpmath as mp
import pytest
from flint import arb, ctx, fmpq

from symattn.documents.reading import leaves
from symattn.documents.reading.chains import read_chain, read_math
from symattn.documents.reading.leaves import read_leaf
from symattn.documents.reading.outline import outline
from symattn.documents.reading.tree import Node, Unread, walk
from symattn.documents.reading.value import evaluate
from symattn.documents.verify import verify
from symattn.errors import UndecidedError
from symattn.numbers.certified import enclosure
from symattn.numbers.latex_worker import Worker

CORPUS: Final = Path(__file__).parents[2] / "corpus"
HANGS: Final = [sys.executable, "-I", "-c", "print('ready', flush=True)\nwhile True: pass"]
CANARY: Final = "$1 + 1 = 3$"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    leaves._trees.cache_clear()
    yield
    leaves._trees.cache_clear()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, str]]:
    """What would have been handed to latex2sympy2."""
    questions: list[Mapping[str, str]] = []

    class Recorder:
        def trees(self, pieces: Mapping[str, str]) -> dict[str, Any]:
            questions.append(pieces)
            raise UndecidedError("recorded")

    monkeypatch.setattr(leaves, "worker", Recorder)
    return questions


def value(text: str, **names: fmpq) -> Any:
    chain = read_chain(text)
    assert not chain.unread
    return evaluate(chain.items[0], names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\tan(0.5)", lambda: mp.tan(0.5)),
        (r"2\tan 1 + 1", lambda: 2 * mp.tan(1) + 1),
        (r"\cot(0.5) - \sec(0.5)\csc(0.5)", lambda: mp.cot(0.5) - mp.sec(0.5) * mp.csc(0.5)),
        (r"\sin^2(0.75)", lambda: mp.sin(0.75) ** 2),
        (r"\cos 0.5\sin 0.3", lambda: mp.cos(0.5) * mp.sin(mp.mpf("0.3"))),
        (r"\frac{\arctan(1)}{\arcsin\left(\frac12\right)}", lambda: mp.atan(1) / mp.asin(0.5)),
        (r"\arccos(-0.25)", lambda: mp.acos(-0.25)),
        (r"\sinh(2) \cdot \cosh(0.5)", lambda: mp.sinh(2) * mp.cosh(0.5)),
        (r"\arsinh(2) + \arcosh(3) - \artanh(0.5)", lambda: mp.asinh(2) + mp.acosh(3) - mp.atanh(0.5)),
        (r"\tan\left(\frac{\pi}{5}\right)", lambda: mp.tan(mp.pi / 5)),
        (r"\sqrt[3]{2\tan(1)}", lambda: mp.cbrt(2 * mp.tan(1))),
        (r"\sqrt{\tan(1)} - e^{-\tan 1}", lambda: mp.sqrt(mp.tan(1)) - mp.exp(-mp.tan(1))),
        (r"\ln\left(\tan(1)\right)", lambda: mp.log(mp.tan(1))),
        (r"2 / 3 \cdot \tan(1)", lambda: mp.mpf(2) / 3 * mp.tan(1)),
        (r"\left|1 - \tan(1)\right|", lambda: abs(1 - mp.tan(1))),
    ],
)
def test_values(text: str, expected: Callable[[], mp.mpf]) -> None:
    with mp.workdps(60):
        decimal = mp.nstr(expected(), 55)
    with ctx.workprec(300):
        assert abs(enclosure(value(text), 300) - arb(decimal)) < arb("1e-50")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\lfloor 2.5 \rfloor", 2),
        (r"\lfloor -2.5 \rfloor", -3),
        (r"\left\lceil \frac{7}{2} \right\rceil", 4),
        (r"\lceil 3 \rceil", 3),
        (r"\lfloor 100\sqrt{2} \rfloor", 141),
        (r"\lceil 100 e \rceil", 272),
        (r"\lfloor 10^{30} \pi \rfloor", 3141592653589793238462643383279),
        (r"\log_2^2 8", 9),
        (r"\tan(0) + \arctan(0) + \arccos(1) + \sinh(0)", 0),
        (r"\cosh(0) - \sec(0)", 0),
    ],
)
def test_exact_values(text: str, expected: int) -> None:
    assert value(text) == expected


def test_names_have_their_values() -> None:
    assert value(r"\lfloor \frac{d_k}{n} \rfloor", d_k=fmpq(7), n=fmpq(2)) == 3
    assert enclosure(value(r"\tan(\theta)", theta=fmpq(1, 2))).overlaps(arb("0.54630248984379 +/- 1e-14"))
    with pytest.raises(UndecidedError, match="theta is not given"):
        value(r"\tan(\theta)")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r"\arcsin(2)", "arcsin of such a number is not real"),
        (r"\arccos(-1.5)", "arccos of such a number is not real"),
        (r"\arcosh(0.5)", "arcosh of such a number is not real"),
        (r"\artanh(2)", "artanh of such a number is not real"),
        (r"\cot(0)", "division by zero"),
        (r"\sec\left(\frac{\pi}{2}\right)", "sign of a number cannot be told"),
        (r"\tan(9^{9999999})", "a power of more than 4096 bits"),
        (r"\lfloor e^{100000} \rfloor", "whole numbers a number stands cannot be told|more than 4096 bits"),
        (r"\lfloor \tan(1) \cdot \cot(1) \rfloor", "between which whole numbers a number stands cannot be told"),
    ],
)
def test_what_has_no_value_says_why(text: str, reason: str) -> None:
    with pytest.raises(UndecidedError, match=reason):
        value(text)


def test_every_node_stands_where_the_formula_does() -> None:
    text = r"S = 2 + \tan(0.5) \approx 2.546"
    chain = read_chain(text)
    assert outline(chain) == "S = 2+tan(0.5) ≈ 2.546"
    node = chain.items[1]
    assert {text[inner.start : inner.end] for inner in walk(node)} == {r"2 + \tan(0.5)"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\tan(\frac{1}{4})", "tan((1 / 4))"),
        (r"\sin^2(0.5)", "sin(0.5)^2"),
        (r"\sqrt{\tan 1} + \sqrt[3]{\tan 1}", "√tan(1)+3√tan(1)"),
        (r"\log_2(\tan 1) + \ln(\tan 1)", "log_2(tan(1))+ln(tan(1))"),
        (r"|\tan 1| \cdot 2 \cdot x_{1}", "{|tan(1)|·2·x_1}"),
    ],
)
def test_the_tree_is_one_of_the_reader(text: str, expected: str) -> None:
    assert outline(read_leaf(text)) == expected


REFUSED: Final = (
    r"\int_0^{10^9}\tan(x)",
    r"\int_0^{10^9} x",
    r"\sum_{n=1}^{10^9} 1",
    r"\sum_{n=1}^{10^9} \tan(n)",
    r"\prod_{n=1}^{10^9} \tan(n)",
    r"\lim_{x \to 0} \tan(x)",
    "10^{9^{9}}",
    r"10^{9^{9}}\tan(1)",
    "(10^9)!",
    r"(10^9)! \cdot \tan(1)",
    r"\binom{10^8}{5}",
    r"\binom{10^8}{5} \tan(1)",
    r"\gcd(10^{10^8}, 3) \tan(1)",
    r"\input{x} \tan(1)",
    r"\write18{ls} \tan(1)",
    r"\operatorname{zeros}(100000) \tan(1)",
    r"1E100000000 \tan(1)",
    r"\tan(1) 3",
    r"3\frac{1}{2}\tan(1)",
    r"6/2\tan(1)",
    r"1{,}024\tan(1)",
    r"\tan^{-1}(1)",
    r"\coth(1)",
    r"\tan(" * 100 + "1" + ")" * 100,
    "+".join([r"\tan(1)"] * 200),
)


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:24])
def test_what_the_list_does_not_admit_never_reaches_latex2sympy2(text: str, asked: list[Mapping[str, str]]) -> None:
    (found,) = verify(f"${text} = 1$\n\n{CANARY}\n", format="markdown").documents
    assert asked == []
    assert {claim.verdict.value for claim in found.claims[:-1]} <= {"unreadable", "undecided"}
    assert len(found.claims) > 1
    assert all(claim.message for claim in found.claims)
    assert [(claim.text, claim.expected) for claim in found.findings] == [("3", "2")]


def test_pieces_that_reach_it_have_nothing_left_to_guess(asked: list[Mapping[str, str]]) -> None:
    (chain,) = read_math(r"2\tan\left(x_1\right) = 3")
    assert asked == [{"q0": r"2 \cdot (\tan((\variable{p0})))"}]
    assert [node.reason for node in chain.unread] == ["recorded"]


def test_plain_text_and_what_the_reader_reads_never_ask(asked: list[Mapping[str, str]]) -> None:
    verify("tan(1) = 1.557, `math.tan(1) = 1.557`\n\n" + r"$\sin(1) + \ln 2 + \sqrt[3]{2} = 3$", format="markdown")
    assert asked == []


def test_a_document_is_judged_by_such_formulas() -> None:
    (found,) = verify(
        "$\\tan(0.5) \\approx 0.546$\n\n$\\lceil 2.5 \\rceil = 2$\n\n$\\arcsin(2) = 1$\n", format="markdown"
    ).documents
    assert [(claim.verdict.value, claim.expected) for claim in found.claims] == [
        ("rounded", "0.546"),
        ("wrong", "3"),
        ("undecided", None),
    ]


def test_a_process_that_hangs_is_killed_and_the_rest_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Worker(HANGS, seconds=0.3)
    monkeypatch.setattr(leaves, "worker", lambda: slow)
    (found,) = verify(f"$\\tan(0.5) = 0.5$\n\n$\\tan(0.5) = 0.5$\n\n{CANARY}\n", format="markdown").documents
    assert not slow.running
    unread = [claim for claim in found.claims if claim.verdict.value == "unreadable"]
    assert [claim.message for claim in unread] == [
        r"cannot read '\\tan(0.5)': latex2sympy2 gave no answer within 0.3 seconds"
    ] * 2
    assert {claim.verdict.value for claim in found.claims[:-1]} <= {"unreadable", "undecided"}
    assert [(claim.text, claim.expected) for claim in found.findings] == [("3", "2")]


def test_what_took_too_long_once_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Node | None] = []
    slow = Worker(HANGS, seconds=0.1)

    def once() -> Worker:
        tried.append(None)
        return slow

    monkeypatch.setattr(leaves, "worker", once)
    for _ in range(5):
        assert isinstance(read_leaf(r"\tan(0.5)"), Unread)
    assert len(tried) == 1


def test_the_common_run_loads_neither_sympy_nor_latex2sympy2() -> None:
    code = (
        "import sys\nfrom symattn.documents.verify import verify\n"
        f"verify(open({str(CORPUS / '05-en-six-decimals-and-causal.md')!r}, encoding='utf-8').read(), format='markdown')\n"
        "loaded = {name.split('.')[-1] for name in sys.modules}\n"
        "assert not loaded & {'sympy', 'latex2sympy2', 'antlr4', 'latex_door', 'latex_leaves', 'latex_worker'}, loaded\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_a_formula_beyond_the_grammar_loads_them_in_the_other_process_only() -> None:
    code = (
        "import sys\nfrom symattn.documents.verify import verify\n"
        r"(found,) = verify('$\\tan(0.5) = 0.546$', format='markdown').documents" + "\n"
        "assert [claim.verdict.value for claim in found.claims] == ['rounded']\n"
        "assert not {'sympy', 'latex2sympy2', 'antlr4', 'gen'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-P", "-W", "error", "-c", code], check=True)
