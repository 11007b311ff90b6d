"""Two exact derivations side by side: what is equal, where they first differ, and by how much, against mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
import sympy
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Exact, Written, derive, load_spec
from symattn.comparison.beside import Beside, Relation, beside, letters_of, relation_of
from symattn.errors import OptionError, ShapeError
from symattn.numbers.arithmetic import Letter
from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import ExpSum, Scale, Scaled, exponential, quotient

PLAIN: dict[str, Any] = {
    "tokens": ["u", "v"],
    "Q": [[2, 1], [0, 1]],
    "K": [[1, 0], [1, 3]],
    "V": [[1, 2], [3, 4]],
    "d_k": 3,
}


def put(left: dict[str, Any], right: dict[str, Any]) -> Beside:
    return beside(derive(load_spec(left)), derive(load_spec(right)))


def relations(made: Beside, kind: str) -> list[str]:
    return [pair.relation.value for pair in made.quantities if pair.kind == kind]


def digits(number: Any, places: int = 30) -> mpmath.mpf:
    return mpmath.mpf(Decimals().round(number, places).text)


# ---- the bundled example, Q as given against Q recomputed ---------------------------------------------------------


@pytest.fixture(scope="module")
def bundled() -> Beside:
    spec = load_spec()
    return beside(derive(spec), derive(spec, recompute=True))


@pytest.mark.parametrize(
    ("label", "left", "start"),
    [
        ("Weights[2,1]", "1/2", "0.359542524319"),
        ("Weights[2,2]", "1/2", "0.640457475680"),
        ("Output[2,1]", "6", "4.876340194554"),
        ("Output[2,2]", "7/2", "3.921372427041"),
        ("Output[2,3]", "4", "5.123659805445"),
    ],
)
def test_row_machine_of_the_bundled_example(bundled: Beside, label: str, left: str, start: str) -> None:
    pair = bundled[label]
    assert pair.relation is Relation.DIFFERENT
    assert str(pair.left) == left
    assert Decimals().round(pair.right, 20).text.startswith(start)
    with mpmath.workdps(50):
        w = 1 / (1 + mpmath.exp(1 / mpmath.sqrt(3)))  # scores 1 and 2 in place of 2 and 2
        value = {
            "Weights[2,1]": w,
            "Weights[2,2]": 1 - w,
            "Output[2,1]": 10 * w + 2 * (1 - w),
            "Output[2,2]": 2 * w + 5 * (1 - w),
            "Output[2,3]": 8 * (1 - w),
        }[label]
        before = mpmath.mpf(pair.left.p.__int__()) / int(pair.left.q)
        assert abs(digits(pair.right) - value) < mpmath.mpf(10) ** -30
        assert abs(digits(pair.difference) - (value - before)) < mpmath.mpf(10) ** -30
        assert abs(digits(pair.relative_difference) - abs(value - before) / before) < mpmath.mpf(10) ** -30


def test_only_row_machine_differs(bundled: Beside) -> None:
    first = bundled.first_difference
    assert first is not None
    assert (first.kind, first.label, first.left, first.right) == ("projections", "Q[2,1]", 1, 0)
    different = [pair.label for pair in bundled.quantities if pair.relation is not Relation.EQUAL]
    assert different == [
        *("Q[2,1]", "Scores[2,1]", "Scaled[2,1]", "Exp[2,1]", "Sum[2]", "Weights[2,1]", "Weights[2,2]"),
        *("Output[2,1]", "Output[2,2]", "Output[2,3]"),
    ]
    assert (bundled["Scores[2,1]"].left, bundled["Scores[2,1]"].right) == (2, 1)
    assert (bundled["Scores[2,2]"].left, bundled["Scores[2,2]"].right) == (2, 2)
    assert [(c.kind, c.equal, c.different, c.undecided) for c in bundled.counts] == [
        ("inputs", 8, 0, 0),
        ("projections", 17, 1, 0),
        ("scores", 3, 1, 0),
        ("root", 1, 0, 0),
        ("scaled_scores", 3, 1, 0),
        ("exponentials", 3, 1, 0),
        ("row_sums", 1, 1, 0),
        ("weights", 2, 2, 0),
        ("outputs", 3, 3, 0),
    ]
    assert bundled.inputs == ()
    assert bundled.remarks == ("Q is as given on the left and X·W_Q on the right",)


def test_labels_and_places_are_those_of_a_comparison(bundled: Beside) -> None:
    places = {pair.label: pair.place for pair in bundled.quantities}
    assert places["X[1,4]"] == (0, 3)
    assert places["Root"] == ()
    assert places["Sum[2]"] == (1,)
    assert places["Output[2,3]"] == (1, 2)
    assert len(places) == len(bundled.quantities)


# ---- letters and roots --------------------------------------------------------------------------------------------


def test_letters_are_compared_as_letters() -> None:
    made = put(
        {**PLAIN, "V": [["a", "b"], [1, "sqrt(2)*sqrt(3)"]]},
        {**PLAIN, "V": [["a", "a"], [1, "sqrt(6)"]]},
    )
    assert {label: made[label].relation.value for label in ("V[1,1]", "V[1,2]", "V[2,1]", "V[2,2]")} == {
        "V[1,1]": "equal",
        "V[1,2]": "different",
        "V[2,1]": "equal",
        "V[2,2]": "equal",
    }
    assert relations(made, "outputs") == ["equal", "different", "equal", "different"]
    assert set(relations(made, "weights")) == {"equal"}
    a, b = sympy.symbols("a b", real=True)
    assert made["V[1,2]"].symbolic_difference == a - b
    assert made["V[1,1]"].symbolic_difference == 0
    assert (made["V[1,2]"].difference, made["V[1,2]"].relative_difference) == (None, None)
    # scores of the second row are 0 and 3
    expected = (a - b) / (1 + sympy.exp(sympy.sqrt(3)))
    assert sympy.simplify(made["Output[2,2]"].symbolic_difference - expected) == 0
    assert made["Scores[1,2]"].symbolic_difference is None
    assert [(one.name, one.places) for one in made.inputs] == [("V", ((0, 1),))]


def test_a_number_and_a_letter_are_different_and_rational_stays_beside_symbolic() -> None:
    made = put(PLAIN, {**PLAIN, "V": [["a", 2], [3, 4]]})
    assert made["V[1,1]"].relation is Relation.DIFFERENT
    # the weights on the left are exponential sums, on the right SymPy values
    for kind in ("root", "scaled_scores", "exponentials", "row_sums", "weights"):
        assert set(relations(made, kind)) == {"equal"}, kind
    assert relations(made, "outputs") == ["different", "equal", "different", "equal"]
    assert made["Weights[1,1]"].difference is not None
    assert made["Weights[1,1]"].difference.rational == 0


def test_a_shift_of_a_row_by_a_letter_leaves_the_weights() -> None:
    spec = {"tokens": ["u", "v"], "K": [["x", 1], ["y", 1]], "V": [["a"], ["b"]], "d_k": 3}
    made = put({**spec, "Q": [["a", 0], ["b", 0]]}, {**spec, "Q": [["a", "c"], ["b", "pi"]]})
    for kind in ("scores", "scaled_scores", "exponentials", "row_sums"):
        assert set(relations(made, kind)) == {"different"}, kind
    for kind in ("weights", "outputs"):
        assert set(relations(made, kind)) == {"equal"}, kind


def test_long_cross_products_are_not_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, c = sympy.symbols("x y c", real=True)
    left = sympy.exp(x) / (sympy.exp(x) + sympy.exp(y))
    right = sympy.exp(x + c) / (sympy.exp(x + c) + sympy.exp(y + c))
    assert relation_of(left, right) == (Relation.EQUAL, "")
    monkeypatch.setattr("symattn.comparison.relations.MAX_TERMS", 1)
    assert relation_of(left, right) == (Relation.UNDECIDED, "not proven equal for all c, x, y, and not refuted")


def test_what_sympy_cannot_decide_is_undecided_and_says_why() -> None:
    spec = {"tokens": ["u"], "K": [[1]], "V": [[1]], "d_k": 1}
    made = put({**spec, "Q": [["sqrt(5+2*sqrt(6))"]]}, {**spec, "Q": [["sqrt(2)+sqrt(3)"]]})
    pair = made["Q[1,1]"]
    assert pair.relation is Relation.UNDECIDED
    assert pair.reason == "not proven equal, and not told apart with 256 bits"
    assert digits(pair.difference) == 0
    assert made.first_difference is None
    assert [(one.name, one.relation.value) for one in made.inputs] == [("Q", "undecided")]
    lettered = put({**spec, "Q": [["x*sqrt(5+2*sqrt(6))"]]}, {**spec, "Q": [["x*(sqrt(2)+sqrt(3))"]]})
    assert lettered["Q[1,1]"].relation is Relation.UNDECIDED
    assert lettered["Q[1,1]"].reason == "not proven equal for all x, and not refuted"


def test_no_relative_difference_to_what_may_be_0() -> None:
    spec = {"tokens": ["u"], "K": [[1]], "V": [[1]], "d_k": 1}
    made = put({**spec, "Q": [["sqrt(5+2*sqrt(6))-sqrt(2)-sqrt(3)"]]}, {**spec, "Q": [[1]]})
    assert made["Q[1,1]"].relation is Relation.DIFFERENT
    assert digits(made["Q[1,1]"].difference) == 1
    assert made["Q[1,1]"].relative_difference is None
    assert put({**spec, "Q": [[0]]}, {**spec, "Q": [[1]]})["Q[1,1]"].relative_difference is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sympy.sqrt(sympy.Symbol("x", real=True) - 5), sympy.Integer(3)),  # not real at the first point
        (sympy.Symbol("x", real=True) ** 2, sympy.Symbol("y", real=True) ** 2),
        (sympy.pi, fmpq(355, 113)),
        (sympy.exp(sympy.sqrt(2)), exponential(fmpq(1))),
    ],
)
def test_balls_refute_symbolic_equalities(left: Any, right: Any) -> None:
    assert relation_of(left, right) == (Relation.DIFFERENT, "")
    assert relation_of(right, left) == (Relation.DIFFERENT, "")


def test_one_name_is_one_letter_whatever_its_sign() -> None:
    n = {**PLAIN, "V": [["n", 2], [3, 4]]}
    made = beside(
        derive(load_spec({**n, "d_k": "n"})), derive(load_spec({**n, "d_k": "n", "V": [["2*n-n", 2], [3, 4]]}))
    )
    assert all(pair.relation is Relation.EQUAL for pair in made.quantities)
    positive, real = sympy.Symbol("n", positive=True), sympy.Symbol("n", real=True)
    assert relation_of(positive, real)[0] is Relation.EQUAL
    assert relation_of(positive, real + 1)[0] is Relation.DIFFERENT


# ---- two d_k, and a free one --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d_k", "other", "factor"), [(3, 12, 2), (4, 1, "1/2"), ("3/4", 3, 2), (2, 50, 5)])
def test_scores_that_grow_with_the_root_leave_everything_after_the_scaling(d_k: Any, other: Any, factor: Any) -> None:
    times = fmpq(*map(int, str(factor).split("/")))
    Q = [[str(times * x) for x in row] for row in PLAIN["Q"]]
    made = put({**PLAIN, "d_k": d_k}, {**PLAIN, "d_k": other, "Q": Q})
    assert made["Root"].relation is Relation.DIFFERENT
    assert relations(made, "scores") == ["different", "different", "equal", "different"]
    for kind in ("scaled_scores", "exponentials", "row_sums", "weights", "outputs"):
        assert set(relations(made, kind)) == {"equal"}, kind
    weight = made["Weights[1,1]"]
    assert weight.difference is not None
    assert weight.relative_difference is not None
    assert (weight.difference.rational, weight.relative_difference.rational) == (0, 0)
    assert [one.name for one in made.inputs] == ["Q", "d_k"]
    assert made.inputs[1].relation is Relation.DIFFERENT


def test_two_d_k_that_are_no_squares_of_one_another() -> None:
    made = put(PLAIN, {**PLAIN, "d_k": 5})
    assert relations(made, "scaled_scores") == ["different", "different", "equal", "different"]
    assert relations(made, "exponentials") == ["different", "different", "equal", "different"]
    assert set(relations(made, "weights")) == {"different"}
    assert made.first_difference is not None
    assert made.first_difference.label == "Root"
    difference = made["Root"].difference
    with mpmath.workdps(40):
        assert abs(digits(difference) - (mpmath.sqrt(5) - mpmath.sqrt(3))) < mpmath.mpf(10) ** -30


def test_a_free_d_k_beside_a_number_is_undecided_where_it_matters() -> None:
    spec = load_spec(PLAIN)
    exact, free = derive(spec), derive(spec, Exact(free_d_k=True))
    for made, side in ((beside(free, exact), "left"), (beside(exact, free), "right")):
        assert made["Root"].relation is Relation.UNDECIDED
        assert made["Root"].reason == f"d_k is free on the {side}"
        assert relations(made, "scaled_scores") == ["undecided", "undecided", "equal", "undecided"]
        assert set(relations(made, "scores")) == {"equal"}
        assert made.first_difference is None
        assert made["Weights[1,1]"].letters == {"d_k"}
        assert made["Weights[1,1]"].difference is None
        (one,) = made.inputs
        assert (one.name, one.relation.value) == ("d_k", "different")
        assert Letter("d_k") in (one.left, one.right)
    d_k = sympy.Symbol("d_k", positive=True)
    assert beside(exact, free)["Root"].symbolic_difference == sympy.sqrt(d_k) - sympy.sqrt(3)
    both = beside(free, derive(spec, Exact(free_d_k=True)))
    assert {pair.relation for pair in both.quantities} == {Relation.EQUAL}
    assert both.inputs == ()


def test_equal_scores_give_weights_that_no_d_k_changes() -> None:
    spec = load_spec({**PLAIN, "Q": [[1, 0], [2, 0]]})
    made = beside(derive(spec, Exact(free_d_k=True)), derive(spec))
    assert set(relations(made, "scaled_scores")) == {"undecided"}
    assert set(relations(made, "weights")) == {"equal"}
    assert set(relations(made, "outputs")) == {"equal"}


def test_a_free_d_k_in_sympy_values_is_undecided_too() -> None:
    spec = load_spec({**PLAIN, "V": [["a", 2], [3, 4]]})
    made = beside(derive(spec), derive(spec, Exact(free_d_k=True)))
    assert made["Output[1,1]"].relation is Relation.UNDECIDED
    assert made["Output[1,1]"].reason == "d_k is free on the right"
    assert set(relations(made, "projections")) == {"equal"}


def test_two_free_letters_of_two_names_are_different() -> None:
    made = put({**PLAIN, "d_k": "n"}, {**PLAIN, "d_k": "m"})
    assert relations(made, "root") == ["different"]
    assert relations(made, "scaled_scores") == ["different", "different", "equal", "different"]
    assert set(relations(made, "weights")) == {"different"}
    assert [(one.name, one.left, one.right) for one in made.inputs] == [("d_k", Letter("n"), Letter("m"))]


def test_quotients_with_different_denominators_may_be_equal() -> None:
    e, one = exponential(fmpq(1)), exponential(fmpq(0))
    # (e² − 1)/(e + 1)² = (e − 1)/(e + 1), over one d_k and over two
    first = quotient(e * e + -1 * one, (e + one) * (e + one))
    second = quotient(e + -1 * one, e + one)
    assert relation_of(first, second)[0] is Relation.EQUAL
    over_four = exponential(fmpq(2), scale=Scale(fmpq(4)))
    one_over_four = exponential(fmpq(0), scale=Scale(fmpq(4)))
    third = quotient(over_four + -1 * one_over_four, over_four + one_over_four)
    assert relation_of(first, third)[0] is Relation.EQUAL
    assert relation_of(first, quotient(e + 2 * one, e + one))[0] is Relation.DIFFERENT
    free = exponential(fmpq(1), scale=Scale())
    nothing = exponential(fmpq(0), scale=Scale())
    square = quotient(free * free + -1 * nothing, (free + nothing) * (free + nothing))
    assert relation_of(square, quotient(free + -1 * nothing, free + nothing))[0] is Relation.EQUAL
    assert relation_of(square, quotient(free + nothing, free * free + nothing))[0] is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (SquareRoot(Scale(fmpq(4))), fmpq(2), True),
        (SquareRoot(Scale(fmpq(3))), SquareRoot(Scale(fmpq(3))), True),
        (SquareRoot(Scale(fmpq(3))), SquareRoot(Scale(fmpq(12))), False),
        (SquareRoot(Scale(fmpq(3))), sympy.sqrt(3), True),
        (Scaled.of(fmpq(2), fmpq(0), Scale(fmpq(4))), fmpq(1), True),
        (Scaled.of(fmpq(-2), fmpq(0), Scale(fmpq(12))), Scaled.of(fmpq(-1), fmpq(0), Scale(fmpq(3))), True),
        (Scaled.of(fmpq(-2), fmpq(0), Scale(fmpq(12))), Scaled.of(fmpq(1), fmpq(0), Scale(fmpq(3))), False),
        (Scaled.of(fmpq(1), fmpq(0), Scale(fmpq(3))), fmpq(1, 2), False),
        (ExpSum({}, Scale()), fmpq(0), True),
        (exponential(fmpq(1), scale=Scale()), fmpq(1), False),
    ],
)
def test_relations_of_exact_numbers(left: Any, right: Any, equal: bool) -> None:
    expected = (Relation.EQUAL if equal else Relation.DIFFERENT, "")
    assert relation_of(left, right) == expected
    assert relation_of(right, left) == expected


def test_letters_of_numbers() -> None:
    x = sympy.Symbol("x", real=True)
    assert letters_of(x + sympy.sqrt(2)) == {"x"}
    assert letters_of(exponential(fmpq(1), scale=Scale(None, "n"))) == {"n"}
    assert letters_of(exponential(fmpq(0), scale=Scale())) == set()
    assert letters_of(exponential(fmpq(1), scale=Scale(fmpq(3)))) == set()
    assert letters_of(fmpq(1)) == set()


# ---- inputs, remarks and refusals ---------------------------------------------------------------------------------


def test_remarks_and_inputs_say_what_does_not_match() -> None:
    embedded = {**PLAIN, "X": [[1], [2]], "W_V": [[1, 2]]}
    made = put(embedded, {**PLAIN, "tokens": ["u", "w"], "W_V": [[1, 2]]})
    assert made.remarks == ("token 2 is 'v' on the left and 'w' on the right", "only the left has X, so X is left out")
    assert "inputs" not in [count.kind for count in made.counts]
    (X,) = made.inputs
    assert (X.name, X.right, X.relation, X.places) == ("X", None, Relation.DIFFERENT, ())
    turned = put({**PLAIN, "tokens": ["u", "w"]}, embedded)
    assert turned.remarks[1] == "only the right has X, so X is left out"
    assert [(one.name, one.left) for one in turned.inputs] == [("X", None), ("W_V", None)]


def test_many_other_tokens_are_counted() -> None:
    spec = {"tokens": list("abcde"), **{name: [[1]] * 5 for name in "QKV"}}
    assert put(spec, {**spec, "tokens": list("fghij")}).remarks == (
        "token 1 is 'a' on the left and 'f' on the right",
        "token 2 is 'b' on the left and 'g' on the right",
        "token 3 is 'c' on the left and 'h' on the right",
        "2 more tokens differ",
    )


def test_weights_of_other_shapes_are_an_input_that_differs() -> None:
    plain = {"tokens": ["u", "v"], "Q": [[1], [2]], "K": [[1], [2]], "V": [[1], [2]], "d_k": 1}
    made = put({**plain, "W_V": [[1]]}, {**plain, "W_V": [[1], [2]]})
    assert [(one.name, one.places) for one in made.inputs] == [("W_V", ())]
    assert made.first_difference is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"Q": [[1], [2]], "K": [[1], [2]]},
            (
                r"^Q is 2x2 on the left but 2x1 on the right; two derivations are compared entry by entry\. "
                r"Give both specs Q in one shape\.$"
            ),
        ),
        (
            {"V": [[1, 2, 3], [4, 5, 6]]},
            (
                r"^V is 2x2 on the left but 2x3 on the right; two derivations are compared entry by entry\. "
                r"Give both specs V in one shape\.$"
            ),
        ),
        (
            {"X": [[1, 2], [3, 4]]},
            (
                r"^X is 2x1 on the left but 2x2 on the right; two derivations are compared entry by entry\. "
                r"Leave X out of one spec\.$"
            ),
        ),
        (
            {"tokens": ["u"], "X": [[1]], "Q": [[1, 2]], "K": [[1, 2]], "V": [[1, 2]]},
            (
                r"^2 tokens on the left but 1 on the right; two derivations are compared entry by entry\. "
                r"Give both specs as many tokens\.$"
            ),
        ),
    ],
)
def test_shapes_that_do_not_line_up(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        put({**PLAIN, "X": [[1], [2]]}, {**PLAIN, "X": [[1], [2]], **change})


def test_only_exact_derivations_are_put_side_by_side() -> None:
    spec = load_spec()
    exact, written = derive(spec), derive(spec, Written(spec.policy))
    with pytest.raises(OptionError, match=r"^the derivation on the left is as-written; expected an exact one$"):
        beside(written, exact)
    with pytest.raises(OptionError, match=r"^the derivation on the right is as-written; expected an exact one$"):
        beside(exact, written)
    with pytest.raises(OptionError, match=r"^no quantity is called 'Weight'; expected a label such as Weights\[1,2\]$"):
        _ = beside(exact, exact)["Weight"]


# ---- properties ---------------------------------------------------------------------------------------------------

entries = st.integers(-3, 3)
d_ks = st.sampled_from([1, 2, 3, 4, "9/4", 12])


def matrices(rows: int, width: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(entries, min_size=width, max_size=width), min_size=rows, max_size=rows)


@st.composite
def specs(draw: st.DrawFn, n: int | None = None, k: int = 2, v: int = 2) -> dict[str, Any]:
    size = n or draw(st.integers(1, 3))
    parts = {"Q": draw(matrices(size, k)), "K": draw(matrices(size, k)), "V": draw(matrices(size, v))}
    return {"tokens": ["t"] * size, "d_k": draw(d_ks), **parts}


@settings(max_examples=30, deadline=None)
@given(specs(), st.booleans(), st.booleans())
def test_a_derivation_beside_itself_is_all_equal(spec: dict[str, Any], free: bool, lettered: bool) -> None:
    if lettered:
        spec["V"][0][0], spec["K"][0][0] = "a", "sqrt(2)"
    loaded = load_spec(spec)
    made = beside(derive(loaded, Exact(free_d_k=free)), derive(load_spec(spec), Exact(free_d_k=free)))
    assert {pair.relation for pair in made.quantities} == {Relation.EQUAL}
    assert (made.inputs, made.remarks, made.first_difference) == ((), (), None)
    n = len(spec["tokens"])
    assert len(made.quantities) == 3 * n * 2 + 4 * n * n + n + 1 + n * 2
    assert all(count.equal and not count.different and not count.undecided for count in made.counts)


@settings(max_examples=30, deadline=None)
@given(specs(n=3), st.permutations(range(3)), st.booleans())
def test_keys_and_values_permuted_together_leave_the_outputs(
    spec: dict[str, Any], order: list[int], lettered: bool
) -> None:
    if lettered:
        spec["V"][0][0], spec["K"][1][0] = "a", "b"
    moved = {**spec, "K": [spec["K"][i] for i in order], "V": [spec["V"][i] for i in order]}
    made = put(spec, moved)
    assert set(relations(made, "outputs")) == {"equal"}
    assert set(relations(made, "row_sums")) == {"equal"}
    for i in range(3):
        for j, source in enumerate(order):
            there = made[f"Weights[{i + 1},{j + 1}]"].right
            assert relation_of(made[f"Weights[{i + 1},{source + 1}]"].left, there)[0] is Relation.EQUAL


@settings(max_examples=30, deadline=None)
@given(specs(n=3), st.lists(st.integers(1, 4), min_size=3, max_size=3), st.booleans())
def test_scores_shifted_by_rows_leave_the_weights(spec: dict[str, Any], shifts: list[int], free: bool) -> None:
    K = [[*row, 1] for row in spec["K"]]  # the added column adds the last entry of a query to each of its scores
    left = {**spec, "K": K, "Q": [[*row, 0] for row in spec["Q"]]}
    right = {**spec, "K": K, "Q": [[*row, c] for row, c in zip(spec["Q"], shifts, strict=True)]}
    made = beside(*(derive(load_spec(side), Exact(free_d_k=free)) for side in (left, right)))
    for kind in ("scores", "scaled_scores", "exponentials", "row_sums"):
        assert set(relations(made, kind)) == {"different"}, kind
    assert set(relations(made, "weights")) == {"equal"}
    assert set(relations(made, "outputs")) == {"equal"}


@settings(max_examples=40, deadline=None)
@given(specs(n=2), specs(n=2))
def test_relations_and_differences_agree_with_mpmath(left: dict[str, Any], right: dict[str, Any]) -> None:
    made = put(left, right)
    with mpmath.workdps(60):
        sides = [by_hand(spec) for spec in (left, right)]
        for pair in made.quantities:
            if pair.kind in {"weights", "outputs", "scaled_scores"}:
                here, there = (side[pair.kind][pair.place[0]][pair.place[1]] for side in sides)
                gap = there - here
                assert pair.relation is (Relation.EQUAL if abs(gap) < mpmath.mpf(10) ** -50 else Relation.DIFFERENT)
                assert abs(digits(pair.difference, 40) - gap) < mpmath.mpf(10) ** -40
                if rational_of(pair.left) == 0:
                    assert pair.relative_difference is None
                else:
                    assert abs(digits(pair.relative_difference, 40) - abs(gap / here)) < mpmath.mpf(10) ** -40


def by_hand(spec: dict[str, Any]) -> dict[str, list[list[mpmath.mpf]]]:
    """Scaled scores, weights and outputs in mpmath."""
    above, _, below = str(spec["d_k"]).partition("/")
    root = mpmath.sqrt(mpmath.mpf(above) / int(below or 1))
    scaled = [[mpmath.fdot(q, k) / root for k in spec["K"]] for q in spec["Q"]]
    powers = [[mpmath.exp(s) for s in row] for row in scaled]
    weights = [[p / mpmath.fsum(row) for p in row] for row in powers]
    outputs = [[mpmath.fdot(row, column) for column in zip(*spec["V"], strict=True)] for row in weights]
    return {"scaled_scores": scaled, "weights": weights, "outputs": outputs}
