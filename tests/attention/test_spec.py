"""The record of a worked example: what it answers about itself, and the name that its files get."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
import sympy
from flint import fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from symattn import SymattnError, load_spec
from symattn.attention.spec import Spec, key_width
from symattn.numbers.arithmetic import Letter

ONE = [[1]]


def spec(**changes: Any) -> Spec:
    return load_spec({"tokens": ["a"], "Q": ONE, "K": ONE, "V": ONE, **changes})


@pytest.mark.parametrize(
    ("changes", "rational", "free"),
    [
        ({}, True, False),
        ({"V": [["1/3"]]}, True, False),
        ({"V": [["sqrt(4)"]]}, True, False),
        ({"V": [["sqrt(2)"]]}, False, False),
        ({"V": [["x"]]}, False, False),
        ({"d_k": "n"}, True, True),
        ({"d_k": "sqrt(2)"}, True, False),
        ({"d_k": "d_k + 1", "V": [["x"]]}, False, False),
    ],
    ids=["integers", "fraction", "a root that is none", "root", "letter", "free d_k", "d_k a root", "d_k a sum"],
)
def test_what_a_spec_says_of_its_numbers(changes: dict[str, Any], rational: bool, free: bool) -> None:
    made = spec(**changes)
    assert made.rational is rational
    assert made.free is free


def test_a_matrix_that_was_not_given_is_none() -> None:
    assert spec().get("Q") == ((1,),)
    assert spec().get("W_Q") is None


def test_nobody_changes_a_spec() -> None:
    with pytest.raises(FrozenInstanceError):
        spec().title = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("matrices", "width"),
    [
        ({"K": ((1, 2, 3),)}, 3),
        ({"W_K": ((1, 2), (3, 4), (5, 6))}, 2),
        ({"K": ((1, 2, 3),), "W_K": ((1, 2, 3),)}, 3),
    ],
)
def test_the_width_of_the_keys(matrices: dict[str, Any], width: int) -> None:
    assert key_width(matrices) == width


def test_rounding_rules_are_laid_over_the_own_ones_of_the_spec() -> None:
    own = spec(rounding={"root": {"value": "1.7"}, "weights": {"places": 2}})
    laid = own.with_rounding(["weights=3,half-even"])
    assert laid.policy.rule("weights").places == 3
    assert laid.policy.rule("root").value == fmpq(17, 10)
    assert own.policy.rule("weights").places == 2
    assert own.with_rounding([]) == own
    assert replace(laid, policy=own.policy) == own


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("weights=abc", "cannot read 'abc' in the rounding rule 'weights=abc'; expected KIND=PLACES"),
        ("weights", "cannot read the rounding rule 'weights'; expected KIND=PLACES"),
        ("weight=2", "unknown kind of quantity 'weight'; expected one of inputs, projections"),
        ("weights=99999", "99999 places in 'weights=99999'; expected 0 to 10000"),
        ("root=\x1b[31m", r"cannot read '\x1b[31m' in the rounding rule"),
    ],
)
def test_rounding_rules_that_cannot_be_read(rule: str, message: str) -> None:
    with pytest.raises(SymattnError, match=re.escape(message)):
        spec().with_rounding([rule])


# ---- names for files --------------------------------------------------------------------------------------------


def named(source: str) -> str:
    return Spec((), {}, Letter(), source=source).name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("lesson.toml", "lesson"),
        ("../../etc/passwd", "passwd"),
        ("/etc/passwd.toml", "passwd"),
        ("..", "spec"),
        ("...toml", "spec"),
        ("", "spec"),
        ("-.toml", "spec"),
        ("--help.toml", "help"),
        (".hidden.toml", "hidden"),
        ("a;rm -rf $HOME|b.toml", "a-rm--rf-HOME-b"),
        ("c\\..\\d.toml", "c-..-d"),
        ("x\x1b[31m\ny.toml", "x-31m-y"),
        ("a\u202eb.toml", "a-b"),
        ("\U0001f600.toml", "spec"),
        ("课 1.toml", "课-1"),
        ("\udcff.toml", "spec"),
        ("x" * 300, "x" * 80),
        ("\U00020000" * 80, "\U00020000" * 60),
    ],
    ids=ascii,
)
def test_names_for_files(source: str, name: str) -> None:
    assert named(source) == name


@given(source=st.text(max_size=120) | st.text(alphabet="./\\-~: \x00𠀀a", max_size=120))
@example(source="..toml")
@example(source="a/..")
def test_no_name_leads_outside_its_folder(source: str) -> None:
    name = named(source)
    assert 0 < len(name.encode()) <= 255
    assert name[0] not in ".-"
    assert name.isprintable()
    for flavour in (PurePosixPath, PureWindowsPath):
        assert flavour("output", name).parts == ("output", name)
    assert Path("output", name).resolve().parent == Path("output").resolve()


def test_the_letter_of_d_k_has_its_own_symbol() -> None:
    assert spec(d_k=sympy.Symbol("n")).d_k == Letter("n")
