"""What `derive` writes, verified: exactly the findings that its spec provokes, in every format and language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any, Final, Literal

import pytest

from symattn import Derivation, Exact, Written, derive, load_spec, render, verify
from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Format
from symattn.documents.report import Checked, Claim

To = Literal["md", "tex", "html"]
FORMATS: Final[dict[To, Format]] = {"md": "markdown", "tex": "tex", "html": "html"}
LANGUAGES: Final = ("zh", "en")
NOTATIONS: Final = ("document", "paper")
KINDS: Final = ("exact", "free-dk", "as-written")

Q_ROW: Final = ("inconsistent", "1", "0")
"""Of the bundled example: Q row Machine begins with 1, X·W_Q with 0."""

Finding = tuple[str, str, str | None]


@dataclass(frozen=True)
class Case:
    """A spec, the findings of each of its documents, and those of the one as written beyond them."""

    spec: dict[str, Any] | None
    always: tuple[Finding, ...] = ()
    written: tuple[Finding, ...] = ()
    kinds: tuple[str, ...] = KINDS

    def of(self, kind: str) -> Counter[Finding]:
        """The findings of one of its documents."""
        return Counter(self.always + (self.written if kind == "as-written" else ()))


CASES: Final[dict[str, Case]] = {
    # 2/1.7 = 1.176..., cut to 1.17: in the scaled scores and nowhere else
    "bundled": Case(None, (Q_ROW,), (("truncated", "1.17", "1.18"),) * 2),
    "three tokens": Case(
        {
            "tokens": ["the", "cat", "sat"],
            "X": [[1, 0, 2], [0, 1, 1], [1, 1, 0]],
            "W_Q": [[1, 0], [0, 1], [1, 1]],
            "W_K": [[1, 1], [0, 1], [1, 0]],
            "W_V": [[2, 0], [1, 3], [0, 1]],
        }
    ),
    "five tokens with decimals": Case(
        {
            "tokens": ["a", "b", "c", "d", "e"],
            "Q": [["0.5", 1, 0], [1, "0.25", 2], [0, 0, 1], ["-0.5", 1, 1], [2, 0, "0.1"]],
            "K": [[1, 0, "0.2"], [0, 1, 1], ["0.3", "0.3", 0], [1, 1, -1], [0, 2, "0.5"]],
            "V": [["0.1", 2], [1, 0], ["0.75", "-0.4"], [3, 1], [0, "1.5"]],
        }
    ),
    "fractions": Case(
        {
            "tokens": ["one", "two"],
            "Q": [["1/2", "1/3"], [1, "-2/3"]],
            "K": [["3/4", 1], [2, "1/5"]],
            "V": [["1/2", 1], ["2/3", "5/7"]],
        }
    ),
    "a square d_k": Case(
        {
            "tokens": ["left", "right"],
            "Q": [[1, 0, 2, 1], [0, 3, 1, 1]],
            "K": [[1, 1, 1, 0], [0, 1, 2, 1]],
            "V": [[1, 2], [3, 4]],
        }
    ),
    "without X": Case({"tokens": ["p", "q"], "Q": [[1, 2], [3, 1]], "K": [[1, 0], [2, 1]], "V": [[5, 0], [0, 7]]}),
    "weights without X": Case(
        {"tokens": ["p", "q"], "Q": [[3, 1], [0, 2]], "K": [[1, 1], [1, -1]], "V": [[4], [9]], "d_k": 2}
    ),
    # in TeX a macro looks for a font that has these letters
    "tokens in other scripts": Case(
        {
            "tokens": ["Время", "爱", "cat"],
            "Q": [[1, 2], [0, 1], [3, 1]],
            "K": [[1, 0], [1, 1], [2, 1]],
            "V": [[1], [4], [2]],
        }
    ),
    # W_V is solved for, and the other solutions are told as bare lists of whole numbers
    "a weight matrix left out": Case(
        {
            "tokens": ["p", "q"],
            "X": [[-1, "1/2", "3/4", "1/2", "1/2"], [1, 0, 2, "1/2", 1]],
            "W_Q": [[1, 0], [2, -1], [0, 0], [2, 1], [0, 0]],
            "W_K": [[2, -1], [0, -1], ["1/2", 0], [0, 0], [1, 0]],
            "V": [[-1, "1/2"], [1, "-1/3"]],
        }
    ),
    # the rows of weights come from exponentials that are shown rounded
    "rounded exponentials": Case(
        {
            "tokens": ["a", "b", "c", "d"],
            "X": [
                ["0.5", "-0.25", 0, -1],
                ["-0.25", "-0.25", "1.5", "1.5"],
                ["0.75", "0.1", 2, 2],
                [0, "1.5", "0.75", "-0.25"],
            ],
            "W_Q": [["-0.25"], ["0.5"], ["0.1"], ["-0.25"]],
            "W_K": [["-0.25"], ["-0.25"], [2], ["0.5"]],
            "W_V": [["1.5"], ["1.5"], [-1], ["0.1"]],
        }
    ),
    "letters": Case(
        {"tokens": ["s", "t"], "Q": [["a", 1], [0, 1]], "K": [[1, 0], [1, "b"]], "V": [[1, "c"], [2, 3]]},
        kinds=("exact", "free-dk"),
    ),
}


def _documents() -> Iterator[tuple[str, str, To, str, str]]:
    """Every document of the bundled example; of the others each kind and format, languages and notations in turn."""
    tongues = list(product(LANGUAGES, NOTATIONS))
    for turn, (name, case) in enumerate(CASES.items()):
        for k, (kind, to) in enumerate(product(case.kinds, FORMATS)):
            for language, notation in tongues if name == "bundled" else (tongues[(turn + k) % len(tongues)],):
                yield name, kind, to, language, notation


DOCUMENTS: Final = [pytest.param(*one, id="-".join(one).replace(" ", "_")) for one in _documents()]


@cache
def derived(name: str, kind: str) -> Derivation:
    """A derivation, made once for all its documents."""
    spec = load_spec(CASES[name].spec)
    return derive(spec, Written(spec.policy) if kind == "as-written" else Exact(free_d_k=kind == "free-dk"))


def document(name: str, kind: str, to: To, **options: Any) -> str:
    return render(derived(name, kind), to, **options)


def read_back(text: str, to: To) -> Checked:
    (checked,) = verify(text, format=FORMATS[to]).documents
    return checked


def found(checked: Checked) -> Counter[Finding]:
    """The findings, and what could not be read."""
    told_of = [claim for claim in checked.claims if claim.finding or claim.verdict is Verdict.UNREADABLE]
    return Counter((claim.verdict.value, claim.text, claim.expected) for claim in told_of)


def told(checked: Checked) -> list[str]:
    """The findings, each with its line, for whoever reads a failure."""
    return [
        f"{claim.place.line}: {claim.verdict.value} {claim.label} {claim.text!r} -> {claim.expected!r}: {claim.message}"
        for claim in checked.findings
    ]


@pytest.mark.parametrize(("name", "kind", "to", "language", "notation"), DOCUMENTS)
def test_exactly_the_findings_that_the_spec_provokes(
    name: str, kind: str, to: To, language: str, notation: str
) -> None:
    checked = read_back(document(name, kind, to, language=language, notation=notation), to)
    assert found(checked) == CASES[name].of(kind), told(checked)
    assert any(claim.right for claim in checked.claims)


OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "nothing worked out": {"expand": "none"},
    "everything worked out": {"expand": "all"},
    "many decimals": {"places": 30},
    "no decimals": {"places": 0},
    "the answers of a worksheet": {"worksheet": "key"},
}


IN_TURN: Final = [
    pytest.param(kind, to, options, id=f"{kind}-{to}-{name}".replace(" ", "_"))
    for turn, (name, options) in enumerate(OPTIONS.items())
    for k, kind in enumerate(KINDS)
    for to in (list(FORMATS)[(turn + k) % len(FORMATS)],)
]
"""Each option with each kind, the formats in turn: with each option every format comes once."""


@pytest.mark.parametrize(("kind", "to", "options"), IN_TURN)
def test_options_change_no_finding(kind: str, to: To, options: dict[str, Any]) -> None:
    checked = read_back(document("bundled", kind, to, language="en", **options), to)
    assert found(checked) == CASES["bundled"].of(kind), told(checked)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_worksheet_claims_nothing_wrong(kind: str, to: To) -> None:
    """Q is given in it, and so is the row that its own X and W_Q contradict."""
    checked = read_back(document("bundled", kind, to, language="en", worksheet="blank"), to)
    assert found(checked) <= Counter([Q_ROW]), told(checked)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("kind", ["exact", "free-dk"])
def test_recomputed_q_contradicts_nothing(kind: str, to: To) -> None:
    text = render(derive(load_spec(), Exact(free_d_k=kind == "free-dk"), recompute=True), to, language="en")
    checked = read_back(text, to)
    assert found(checked) == Counter(), told(checked)


def _claims(name: str, kind: str) -> list[tuple[str, Claim]]:
    """Some numbers of a document that are right, and the document: of each stage the last."""
    text = document(name, kind, "md", language="en")
    by_stage: dict[str, list[Claim]] = {}
    for claim in read_back(text, "md").claims:
        if claim.right and re.fullmatch(r"-?\d+(\.\d+)?", claim.text):
            by_stage.setdefault(claim.stage, []).append(claim)
    return [(text, claims[-1]) for claims in by_stage.values()]


@pytest.mark.parametrize("name", ["three tokens", "fractions"])
@pytest.mark.parametrize("kind", ["exact", "as-written"])
def test_any_number_that_is_changed_is_found(name: str, kind: str) -> None:
    tried = 0
    for text, claim in _claims(name, kind):
        places = len(claim.text.partition(".")[2])
        changed = f"{Decimal(claim.text) + 7 * Decimal(1).scaleb(-places):f}"
        start, end = claim.span
        checked = read_back(text[:start] + changed + text[end:], "md")
        (there,) = [one for one in checked.claims if one.span[0] == start]
        assert there.finding, (claim.label, claim.text, changed, there.message)
        tried += 1
    assert tried >= 6


def test_a_slip_put_into_what_derive_wrote_is_found() -> None:
    """The round trip is not silent because nothing is judged."""
    text = document("three tokens", "exact", "md", language="en")
    right, slip = "3\\times 1+2\\times 2=7", "3\\times 1+2\\times 2=6"
    assert right in text
    checked = read_back(text.replace(right, slip), "md")
    assert ("wrong", "6", "7") in found(checked)
