"""derive: what contradicts, what is missing, what could not be decided."""

from __future__ import annotations

from typing import Any

import pytest
from flint import fmpq

from symattn import Exact, derive, load_spec
from symattn.attention.derive import SEARCHED_ENTRIES
from symattn.attention.trace import Contradiction, MissingWeights, OtherWidth
from symattn.errors import OptionError, SymattnError
from symattn.numbers.arithmetic import Letter
from symattn.numbers.machine import Ball, Float
from symattn.numbers.written import Written


def spec_of(**table: Any) -> Any:
    return load_spec({"tokens": ["x", "y"], "K": [[1], [1]], "V": [[1], [1]], **table})


def contradictions(**table: Any) -> list[Contradiction]:
    return [note for note in derive(spec_of(**table)).notes if isinstance(note, Contradiction)]


# X·W_Q is what is stated, row by row: None where there is nothing to say, else rows that differ and rows undecided
STATED: dict[str, tuple[dict[str, Any], tuple[list[int], list[int]] | None]] = {
    "equal": ({"X": [[1], [2]], "W_Q": [[3]], "Q": [[3], [6]]}, None),
    "equal fractions": ({"X": [["1/3"], [2]], "W_Q": [["0.3"]], "Q": [["0.1"], ["3/5"]]}, None),
    "one row": ({"X": [[1], [2]], "W_Q": [[3]], "Q": [[3], [7]]}, ([1], [])),
    "both rows": ({"X": [[1], [2]], "W_Q": [[3]], "Q": [[4], [7]]}, ([0, 1], [])),
    "equal roots": ({"X": [[1], [2]], "W_Q": [["sqrt(2)"]], "Q": [["sqrt(2)"], ["sqrt(8)"]]}, None),
    "a rounded root": ({"X": [[1], [2]], "W_Q": [["sqrt(2)"]], "Q": [["1.41"], ["sqrt(8)"]]}, ([0], [])),
    "a rounded π": ({"X": [[1], [2]], "W_Q": [["pi"]], "Q": [["22/7"], ["2*pi"]]}, ([0], [])),
    "equal nested roots": (
        {"X": [[1], [1]], "W_Q": [["sqrt(3+2*sqrt(2))"]], "Q": [["1+sqrt(2)"], ["sqrt(3+2*sqrt(2))"]]}, ([], [0]),
    ),
    "letters": ({"X": [["a"], ["b"]], "W_Q": [["c"]], "Q": [["a*c"], ["c*b"]]}, None),
    "letters expanded": ({"X": [["a+b"], [1]], "W_Q": [["a-b"]], "Q": [["a^2-b^2"], ["a-b"]]}, None),
    "letters that differ": ({"X": [["a"], ["b"]], "W_Q": [["c"]], "Q": [["a*c"], ["c+b"]]}, ([1], [])),
    "letters undecided": ({"X": [["a"], ["b"]], "W_Q": [[1]], "Q": [["sqrt(a^2)"], ["sqrt(4*b^2)/2"]]}, ([], [0, 1])),
    "no X": ({"W_Q": [[3]], "Q": [[3], [7]]}, None),
}  # fmt: skip


@pytest.mark.parametrize(("table", "expected"), STATED.values(), ids=STATED)
def test_contradictions(table: dict[str, Any], expected: tuple[list[int], list[int]] | None) -> None:
    found = contradictions(**table)
    if expected is None:
        assert found == []
    else:
        (note,) = found
        assert note.letter == "Q"
        assert ([i for i, _, _ in note.differing], list(note.undecided)) == expected
        assert not note.recomputed


def test_a_contradiction_shows_both_rows_and_a_mend_where_all_is_rational() -> None:
    (note,) = contradictions(X=[[1, 0], [1, 1]], W_Q=[[3], [2]], Q=[[3], [6]])
    assert note.differing == ((1, (fmpq(5),), (fmpq(6),)),)
    assert note.repair is not None
    assert note.repair.cells == ((1, 0, fmpq(2), fmpq(3)),)
    (note,) = contradictions(X=[[1, 0], [1, 1]], W_Q=[["sqrt(2)"], [2]], Q=[["sqrt(2)"], [6]])
    assert note.repair is None
    large = SEARCHED_ENTRIES + 1
    (note,) = contradictions(X=[[1] * large] * 2, W_Q=[[1]] * large, Q=[[large], [0]])
    assert note.repair is None


def test_recomputed_contradictions_say_so() -> None:
    spec = spec_of(X=[[1], [2]], W_Q=[[3]], Q=[[3], [7]])
    derivation = derive(spec, recompute=True)
    (note,) = [note for note in derivation.notes if isinstance(note, Contradiction)]
    assert note.recomputed
    assert derivation.recompute
    assert derivation["query"].rows[1] == (6,)
    assert "going on with the product" in derivation.remarks()[0]


def test_each_projection_is_checked() -> None:
    weights = {f"W_{letter}": [[1]] for letter in "QKV"}
    found = contradictions(X=[[1], [2]], **weights, Q=[[1], [3]], K=[[1], [2]], V=[[2], [2]])
    assert [note.letter for note in found] == ["Q", "V"]


def test_missing_weights() -> None:
    notes = derive(spec_of(X=[[1, 0], [0, 1]], Q=[[1], [2]])).notes
    assert [note.letter for note in notes if isinstance(note, MissingWeights)] == ["Q", "K", "V"]
    assert all(note.family is not None for note in notes if isinstance(note, MissingWeights))
    for table in ({"Q": [["a"], [2]]}, {"Q": [["sqrt(2)"], [2]]}):
        first = derive(spec_of(X=[[1, 0], [0, 1]], **table)).notes[0]
        assert first == MissingWeights("Q", None)
    first = derive(spec_of(X=[[1] * (SEARCHED_ENTRIES + 1)] * 2, Q=[[1], [2]])).notes[0]
    assert first == MissingWeights("Q", None)


OTHER: dict[str, tuple[Any, bool]] = {
    "the width": (1, False), "another": (4, True), "a root": ("sqrt(2)", True), "a letter": ("d_k", False),
    "another letter": ("n", False),
}  # fmt: skip


@pytest.mark.parametrize(("d_k", "noted"), OTHER.values(), ids=OTHER)
def test_another_d_k_than_the_width_of_K(d_k: Any, noted: bool) -> None:
    notes = derive(spec_of(Q=[[1], [2]], d_k=d_k)).notes
    assert notes == ((OtherWidth(1),) if noted else ())


def test_defaults_and_choices() -> None:
    spec = spec_of(Q=[[1], [2]], d_k=3)
    assert derive(spec).arithmetic == Exact()
    for choice in (Exact(free_d_k=True), Written(), Ball(), Float()):
        derivation = derive(spec, choice)
        assert derivation.arithmetic is choice
        assert derivation.spec is spec


REFUSED: dict[str, tuple[dict[str, Any], Any, str]] = {
    "a letter by hand": ({"Q": [["a"], [1]]}, Written(), "cannot write inputs as decimals: a is free"),
    "a free d_k by hand": ({"Q": [[1], [1]], "d_k": "n"}, Written(), "n is free, and a hand calculation needs its root"),
    "a free d_k in balls": ({"Q": [[1], [1]], "d_k": "n"}, Ball(), "n is free, and the ball arithmetic needs a number"),
    "a free d_k in floats": ({"Q": [[1], [1]], "d_k": "n"}, Float(), "n is free, and the float arithmetic needs a number"),
    "a letter in balls": ({"Q": [["a"], [1]]}, Ball(), "a is free. Give it a number to get decimals"),
    "a letter in floats": ({"Q": [["a"], [1]]}, Float(), "a is free. Give it a number to get decimals"),
    "a number beyond floats": ({"Q": [[10**400], [1]]}, Float(), "is beyond float64"),
}  # fmt: skip


@pytest.mark.parametrize(("table", "choice", "message"), REFUSED.values(), ids=REFUSED)
def test_arithmetics_that_cannot_work_with_a_spec(table: dict[str, Any], choice: Any, message: str) -> None:
    with pytest.raises(SymattnError, match=message):
        derive(spec_of(**table), choice)


def test_a_free_d_k_by_hand_with_its_root() -> None:
    spec = spec_of(Q=[[1], [2]], d_k="n").with_rounding(["root=1.7"])
    assert derive(spec, Written(spec.policy))["scaled_scores"].rows[0][0].text == "0.59"
    assert spec.d_k == Letter("n")
    with pytest.raises(OptionError, match="d_k is a number here, and a limit needs it free"):
        derive(spec, Written(spec.policy))["output"].limit("oo")
