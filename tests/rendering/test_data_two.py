"""Two derivations side by side as text, JSON and CSV: read back, and against mpmath."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import mpmath
import pytest

from symattn import Exact, derive, load_spec, render_comparison
from symattn.comparison.beside import Beside, beside
from symattn.errors import OptionError
from symattn.rendering.comparing.data_two import beside_csv, beside_json

PLAIN: dict[str, Any] = {
    "tokens": ["u", "v"],
    "Q": [[2, 1], [0, 1]],
    "K": [[1, 0], [1, 3]],
    "V": [[1, 2], [3, 4]],
    "d_k": 3,
}


@pytest.fixture(scope="module")
def bundled() -> Beside:
    spec = load_spec()
    return beside(derive(spec), derive(spec, recompute=True))


def put(left: dict[str, Any], right: dict[str, Any]) -> Beside:
    return beside(derive(load_spec(left)), derive(load_spec(right)))


def labelled(document: dict[str, Any], label: str) -> dict[str, Any]:
    (row,) = [row for row in document["quantities"] if row["label"] == label]
    return row


def test_json_of_the_bundled_example(bundled: Beside) -> None:
    document = json.loads(beside_json(bundled))
    assert document["schema"] == "symattn/compare/1"
    assert document["specs"] == ["time-machine.toml", "time-machine.toml"]
    assert document["recompute"] == [False, True]
    assert document["first_difference"] == {"kind": "projections", "label": "Q[2,1]"}
    assert document["remarks"] == ["Q is as given on the left and X·W_Q on the right"]
    assert document["inputs"] == []
    assert document["counts"][1] == {"kind": "projections", "equal": 17, "different": 1, "undecided": 0}
    row = labelled(document, "Output[2,2]")
    assert {key: row[key] for key in ("kind", "left", "right", "relation", "reason", "difference_exact")} == {
        "kind": "outputs",
        "left": "7/2",
        "right": "(2+5*exp(1/sqrt(3)))/(1+exp(1/sqrt(3)))",
        "relation": "different",
        "reason": None,
        "difference_exact": None,
    }
    with mpmath.workdps(70):
        value = 5 - 3 / (1 + mpmath.exp(1 / mpmath.sqrt(3)))
        half = mpmath.mpf(10) ** -50 / 2
        assert row["left_decimal"] == "3.5" + "0" * 49
        assert abs(mpmath.mpf(row["right_decimal"]) - value) <= half
        assert abs(mpmath.mpf(row["difference"]) - (value - 3.5)) <= half
        assert abs(mpmath.mpf(row["relative_difference"]) - (value - 3.5) / 3.5) <= half
    assert labelled(document, "Q[2,1]")["difference_exact"] == "-1"
    assert labelled(document, "Output[1,1]")["difference"] == "0." + "0" * 50
    assert {row["relation"] for row in document["quantities"] if row["label"].startswith("Output[1,")} == {"equal"}


def test_letters_have_no_decimals_and_an_exact_difference() -> None:
    made = put({**PLAIN, "V": [["a", "b"], [3, 4]]}, {**PLAIN, "V": [["a", "a"], [3, 4]]})
    row = labelled(json.loads(beside_json(made)), "V[1,2]")
    assert row == {
        "kind": "projections",
        "label": "V[1,2]",
        "left": "b",
        "left_decimal": None,
        "right": "a",
        "right_decimal": None,
        "relation": "different",
        "difference": None,
        "difference_exact": "a - b",
        "relative_difference": None,
        "reason": None,
    }


def test_json_says_why_something_is_undecided_and_what_was_given() -> None:
    spec = load_spec(PLAIN)
    document = json.loads(beside_json(beside(derive(spec), derive(spec, Exact(free_d_k=True))), 3))
    root = labelled(document, "Root")
    assert (root["relation"], root["reason"]) == ("undecided", "d_k is free on the right")
    assert (root["left_decimal"], root["right_decimal"], root["difference"]) == ("1.732", None, None)
    assert root["difference_exact"] == "sqrt(d_k) - sqrt(3)"
    assert labelled(document, "Weights[1,1]")["difference_exact"] == "1/(1+exp(3/sqrt(d_k)))-(1/(1+exp(sqrt(3))))"
    assert labelled(document, "Exp[2,1]")["difference_exact"] == "0"
    assert document["inputs"] == [{"name": "d_k", "relation": "different", "left": "3", "right": "d_k"}]
    assert document["first_difference"] is None


def test_csv_reads_back_as_the_json(bundled: Beside) -> None:
    rows = list(csv.DictReader(io.StringIO(beside_csv(bundled, 12))))
    told = json.loads(beside_json(bundled, 12))["quantities"]
    assert rows == [{key: value or "" for key, value in row.items()} for row in told]
    assert {row["label"]: row["right_decimal"] for row in rows}["Output[2,2]"] == "3.921372427042"


def text_of(made: Beside, places: int | None = None, **choices: Any) -> str:
    return render_comparison(made, "text", language="en", places=places, **choices)


def test_text_folds_what_is_equal(bundled: Beside) -> None:
    text = text_of(bundled)
    lines = text.splitlines()
    assert "- Right: time-machine.toml, X times the weights taken where Q, K or V is given too" in lines
    assert "- Q is as given on the left and X·W_Q on the right." in lines
    assert "! They first differ at Q[2,1]: 1 on the left, 0 on the right." in lines
    assert max(map(len, lines)) <= 110
    assert "3.9214" in text
    assert "Output[1,1]" not in text
    (counts,) = [line for line in lines if line.startswith("queries, keys and values")]
    assert counts.split()[-3:] == ["17", "1", "0"]


def test_full_text_tells_every_quantity(bundled: Beside) -> None:
    text = text_of(bundled, full=True)
    for pair in bundled.quantities:
        assert pair.label.replace("Root", "√d_k") in text
    (line,) = [line for line in text.splitlines() if line.startswith("Output[1,1]")]
    assert "equal" in line


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_format_tells_inputs_and_remarks(language: str) -> None:
    left = {**PLAIN, "X": [[1], [2]]}
    right = {**PLAIN, "tokens": ["u", "w"], "V": [[0, 0], [0, 0]], "d_k": 12}
    made = put(left, right)
    for to in ("md", "tex", "html"):
        assert render_comparison(made, to, language=language).strip()
    lines = text_of(made).splitlines()
    assert "- Given: X differs, 2×1 on the left and not given on the right." in lines
    assert "- Given: V differs at [1,1], [1,2], [2,1], [2,2]." in lines
    assert "- Given: d_k differs, 3 on the left and 12 on the right." in lines
    assert "- Token 2 is 'v' on the left and 'w' on the right." in lines


def test_text_where_nothing_is_proven_to_differ() -> None:
    spec = {"tokens": ["u"], "K": [[1]], "V": [[1]], "d_k": 1}
    text = text_of(put({**spec, "Q": [["sqrt(5+2*sqrt(6))"]]}, {**spec, "Q": [["sqrt(2)+sqrt(3)"]]}))
    assert "Given: whether Q is the same on both sides is undecided." in text
    assert "Nothing is proven to differ." in text
    assert "Q[1,1] is undecided: not proven" in text
    free = derive(load_spec(PLAIN), Exact(free_d_k=True))
    undecided = text_of(beside(free, derive(load_spec(PLAIN))))
    assert "Scaled[1,1] is undecided: d_k is free on the left." in undecided
    assert "Nothing differs: all" in text_of(beside(free, free))


def test_a_tiny_difference_is_told_by_its_leading_digits() -> None:
    spec = {"tokens": ["u", "v"], "K": [[0], [1]], "V": [[0], [1]], "d_k": 1}
    near = put({**spec, "Q": [[0], [1]]}, {**spec, "Q": [["1/1000000"], [1]]})
    assert "+2.50·10^-7" in text_of(near)  # the weight of the second key grows by half a quarter of a millionth


@pytest.mark.parametrize("write", [text_of, beside_json, beside_csv])
@pytest.mark.parametrize("places", [-1, 1001])
def test_places_out_of_range(bundled: Beside, write: Any, places: int) -> None:
    with pytest.raises(OptionError, match=f"^places = {places}; expected 0 to 1000$"):
        write(bundled, places)
