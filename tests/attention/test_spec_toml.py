"""Specs as TOML: what is written is read back, whatever the words, the numbers and the rules."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import load_spec
from symattn.attention.spec import Spec
from symattn.attention.spec_file import parse_spec
from symattn.attention.spec_toml import plain, spec_table, spec_toml, string, table_toml
from symattn.errors import SpecError
from symattn.numbers.arithmetic import Letter
from symattn.numbers.reader import read_number
from symattn.numbers.rounding import KINDS, Mode, Policy, Rule

SMALL: dict[str, Any] = {"tokens": ["a", "b"], "Q": [[1], [2]], "K": [[3], [4]], "V": [[5], [6]]}


def read_back(spec: Spec) -> Spec:
    return replace(parse_spec(spec_toml(spec), "spec"), source=spec.source)


def test_the_bundled_example_is_the_same_again() -> None:
    spec = load_spec()
    again = read_back(spec)
    assert again == spec
    assert again.policy.rules == spec.policy.rules
    assert again.matrices["W_Q"] == spec.matrices["W_Q"]


def test_a_file_of_it_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text(spec_toml(load_spec()), "utf-8")
    assert load_spec(path).matrices == load_spec().matrices


words = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)
rationals = st.builds(fmpq, st.integers(-(10**30), 10**30), st.integers(1, 10**6))
letters = st.sampled_from(
    ["sqrt(2)", "a", "alpha", "pi/4", "e", "exp(2)", "exp(a)", "exp(-a/2)", "a + b", "-a", "a*b/3", "x_1^2",
     "1/a", "1/(a + b)", "2*sqrt(3)/3", "(1 + sqrt(5))/2", "sqrt(a)", "-(a + 1)*(b - 2)", "sqrt(a)^3", "1/sqrt(a)", "sqrt(a + 1)*sqrt(2)", "d_k/2",
     "a^(-2)", "-sqrt(2)", "sqrt(2/3)", "3*pi*e", "a - b/7"]
)  # fmt: skip
rules = st.builds(
    Rule, places=st.integers(0, 30), mode=st.sampled_from(Mode), padded=st.booleans(), exact=st.booleans()
) | st.builds(lambda n, m: Rule(places=None, digits=n, mode=m), st.integers(1, 30), st.sampled_from(Mode))


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    n, width, d_v = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    entry = rationals | letters.map(read_number)

    def matrix(rows: int, columns: int) -> tuple[tuple[Any, ...], ...]:
        return tuple(tuple(draw(entry) for _ in range(columns)) for _ in range(rows))

    return Spec(
        tokens=tuple(draw(st.lists(words, min_size=n, max_size=n))),
        matrices={"Q": matrix(n, width), "K": matrix(n, width), "V": matrix(n, d_v)},
        d_k=draw(st.builds(fmpq, st.integers(1, 99), st.integers(1, 9))),
        title=draw(words),
        language=draw(st.sampled_from(["zh", "en"])),
        policy=Policy(draw(st.dictionaries(st.sampled_from(KINDS), rules, max_size=3))),
    )


@settings(max_examples=60, deadline=None)
@given(specs())
def test_every_spec_is_the_same_again(spec: Spec) -> None:
    again = read_back(spec)
    assert again == spec
    assert again.policy.rules == spec.policy.rules


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40))
def test_any_text_survives_its_quotes(text: str) -> None:
    assert tomllib.loads(f"[{string(text)}]\nvalue = {string(text)}") == {text: {"value": text}}
    assert "\n" not in string(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (fmpq(3), "3"),
        (fmpq(-7, 2), "-3.5"),
        (fmpq(1, 3), '"1/3"'),
        (fmpq(-2, 7), '"-2/7"'),
        (fmpq(1, 10), "0.1"),
        (fmpq(1, 2**300), f'"1/{2**300}"'),
        (fmpq(10) ** 700, f'"1{"0" * 700}"'),
        (sympy.sqrt(2), '"sqrt(2)"'),
        (sympy.E, '"e"'),
        (sympy.exp(2), '"exp(2)"'),
    ],
    ids=str,
)
def test_values_are_exact(value: Any, text: str) -> None:
    assert table_toml({"a": value}) == f"a = {text}\n"


def test_a_free_d_k_stays_free() -> None:
    spec = load_spec({**SMALL, "d_k": "d_k", "Q": [["d_k"], [1]]})
    again = read_back(spec)
    assert again.d_k == Letter("d_k")
    assert again.matrices == spec.matrices


def test_a_root_shown_and_used_is_kept() -> None:
    spec = load_spec(SMALL).with_rounding(["root=1.70,shown:1.73", "weights=3,half-even", "outputs=exact"])
    assert 'root = { value = "1.70", shown = "1.73" }' in spec_toml(spec)
    assert read_back(spec).policy.rules == spec.policy.rules


def test_long_matrices_have_a_line_for_each_row() -> None:
    rows = [[i * 1000 + j for j in range(12)] for i in range(3)]
    text = table_toml({"matrices": {"X": rows}})
    assert len(text.splitlines()) == 6
    assert tomllib.loads(text) == {"matrices": {"X": rows}}


def test_hostile_words_stay_words() -> None:
    words = ['"]\nd_k = 9 #', "\\", "'''", "a\u2028b", "\u202eevil", "[x]", "=", "#", "", " "]
    table = {"tokens": words, "embedding": {word: [1] for word in words}}
    text = table_toml(table, ["a remark\nd_k = 7"])
    assert tomllib.loads(text) == table
    assert text.startswith("# a remark d_k = 7\n")
    assert "\u202e" not in text
    assert "\u2028" not in text


def test_a_table_with_values_of_a_spec_is_written_as_it_stands() -> None:
    table = spec_table(load_spec(SMALL))
    assert table == {"tokens": ["a", "b"], "d_k": 1, "matrices": {"Q": [[1], [2]], "K": [[3], [4]], "V": [[5], [6]]}}


@pytest.mark.parametrize("value", [sympy.sin(sympy.Symbol("a", real=True)), sympy.oo, sympy.I], ids=str)
def test_what_no_text_stands_for_is_refused(value: sympy.Expr) -> None:
    with pytest.raises(SpecError, match="no text stands for"):
        plain(value)


def test_half_a_character_is_refused() -> None:
    with pytest.raises(SpecError, match=r"half a character, U\+D800"):
        string("\ud800")
