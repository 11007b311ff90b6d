"""Derivations against independent sources: the numbers that must come out, NumPy, mpmath, and what softmax obeys."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Exact, Policy, Written, derive, load_spec
from symattn.attention.trace import Contradiction, MissingWeights
from symattn.errors import OptionError, UndecidedError
from symattn.numbers.certified import certified, rational_of
from symattn.numbers.expsum import ExpQuotient, exponential, quotient
from symattn.numbers.machine import Ball, Float
from symattn.numbers.written import WrittenNumber

W = sympy.exp(sympy.sqrt(3)) / (1 + sympy.exp(sympy.sqrt(3)))
U = sympy.exp(1 / sympy.sqrt(3)) / (1 + sympy.exp(1 / sympy.sqrt(3)))


def fifty(expression: sympy.Expr) -> str:
    """The expression to 50 places, rounded by mpmath at 90 digits."""
    with mpmath.workdps(90):
        value = mpmath.mpf(sympy.N(expression, 90))
        return mpmath.nstr(mpmath.nint(value * mpmath.mpf(10) ** 50), 90).split(".")[0]


def units(decimal: str) -> str:
    return decimal.replace(".", "").lstrip("0")


# ---- the numbers that must come out -----------------------------------------------------------------------------

TABLE: dict[str, tuple[bool, str, tuple[int, int], sympy.Expr, str]] = {
    "weight Time to Time": (False, "attention_weights", (0, 0), W, "0.849674553089838574528717157"),
    "output Time, first": (False, "output", (0, 0), 2 + 8 * W, "8.797396424718"),
    "output Time, second": (False, "output", (0, 1), 5 - 3 * W, "2.450976340730"),
    "output Time, third": (False, "output", (0, 2), 8 * (1 - W), "1.202603575281"),
    "output Machine, first": (False, "output", (1, 0), sympy.Integer(6), "6.000"),
    "output Machine, second": (False, "output", (1, 1), sympy.Rational(7, 2), "3.500"),
    "output Machine, third": (False, "output", (1, 2), sympy.Integer(4), "4.000"),
    "Q from X·W_Q, row Machine": (True, "query", (1, 0), sympy.Integer(0), "0.000"),
    "weight Machine to Time with that Q": (True, "attention_weights", (1, 0), 1 - U, "0.359542524319"),
    "weight Machine to Machine with that Q": (True, "attention_weights", (1, 1), U, "0.640457475680"),
    "output Machine with that Q, first": (True, "output", (1, 0), 10 - 8 * U, "4.876340194554"),
    "output Machine with that Q, second": (True, "output", (1, 1), 2 + 3 * U, "3.921372427041"),
    "output Machine with that Q, third": (True, "output", (1, 2), 8 * U, "5.123659805445"),
}


@pytest.mark.parametrize(("recompute", "stage", "place", "exact", "decimal"), TABLE.values(), ids=TABLE)
def test_the_numbers_of_the_bundled_example(
    recompute: bool, stage: str, place: tuple[int, int], exact: sympy.Expr, decimal: str
) -> None:
    made = derive(load_spec(), recompute=recompute)[stage]
    i, j = place
    assert sympy.simplify(made.value[place] - exact) == 0
    certified_text = made.decimals(50)[i][j]
    assert certified_text.startswith(decimal)
    assert units(certified_text) == fifty(exact).lstrip("0")


def test_exact_forms() -> None:
    derivation = derive(load_spec())
    e, one = exponential(fmpq(3), scale=derivation.trace.attention_weights[0][0].scale), fmpq(1)
    constant = exponential(fmpq(0), scale=e.scale)
    assert derivation.trace.attention_weights[0] == (quotient(e, constant + e), quotient(constant, constant + e))
    assert derivation.trace.attention_weights[1] == (one / 2, one / 2)
    assert derivation.trace.output[0][0] == quotient(2 * constant + 10 * e, constant + e)
    assert derivation.trace.output[1] == (fmpq(6), fmpq(7, 2), fmpq(4))


def test_as_written() -> None:
    spec = load_spec()
    trace = derive(spec, Written(spec.policy)).trace

    def texts(rows: Any) -> list[list[str]]:
        return [[number.text for number in row] for row in rows]

    assert trace.root.text == "1.7"
    assert trace.root.shown == "1.73"
    assert texts(trace.scaled_scores) == [["1.76", "0"], ["1.17", "1.17"]]
    assert texts(trace.exponentials) == [["5.8", "1"], ["3.2", "3.2"]]
    assert [number.text for number in trace.row_sums] == ["6.8", "6.4"]
    assert texts(trace.attention_weights) == [["0.85", "0.15"], ["0.5", "0.5"]]
    assert trace.attention_weights[1][0].padded(2) == "0.50"
    assert texts(trace.output) == [["8.8", "2.45", "1.2"], ["6", "3.5", "4"]]
    assert [n.rounded for n in trace.scaled_scores[0]] == [True, False]


def test_the_contradiction_names_both_rows_and_the_smallest_mend() -> None:
    (found,) = [note for note in derive(load_spec()).notes if isinstance(note, Contradiction)]
    assert found.letter == "Q"
    assert found.differing == ((1, (0, 2, 1), (1, 2, 1)),)
    assert found.repair is not None
    assert found.repair.cells == ((3, 0, 0, 1),)
    missing = {note.letter: note.family for note in derive(load_spec()).notes if isinstance(note, MissingWeights)}
    assert missing.keys() == {"K", "V"}
    for family, target in ((missing["K"], [[1, 0, 1], [0, 1, 0]]), (missing["V"], [[10, 2, 0], [2, 5, 8]])):
        assert family is not None
        product = np.array([[1, 0, 1, 0], [0, 2, 0, 1]]) @ np.array([[int(x.p) for x in row] for row in family.integer])
        assert product.tolist() == target


# ---- every arithmetic, one answer -------------------------------------------------------------------------------

CASES: dict[str, dict[str, Any]] = {
    "bundled": {"Q": [[2, 0, 1], [1, 2, 1]], "K": [[1, 0, 1], [0, 1, 0]], "V": [[10, 2, 0], [2, 5, 8]]},
    "fractions": {"Q": [["1/3", -1], [2, "0.7"]], "K": [[1, "2/7"], ["-0.5", 3]], "V": [["1/9"], [-4]]},
    "square d_k": {"Q": [[1, 2, 0, 1], [0, 1, -1, 2]], "K": [[1, 1, 1, 0], [2, 0, 0, 1]], "V": [[1, 2], [3, -4]]},
    "d_k = 9/4": {"Q": [[1], [2]], "K": [[3], [-1]], "V": [[1], [2]], "d_k": "9/4"},
    "d_k = 12": {"Q": [[1], [2]], "K": [[3], [-1]], "V": [[1], [2]], "d_k": 12},
    "three tokens": {"Q": [[1], [2], [0]], "K": [[1], [-1], [2]], "V": [[1], [10], [100]]},
    "one token": {"Q": [[5]], "K": [[7]], "V": [[-3, 2]]},
    "roots and π": {"Q": [["sqrt(2)"], ["pi/4"]], "K": [[1], ["2*sqrt(2)"]], "V": [["pi"], [1]]},
    "d_k = √2": {"Q": [[1], [2]], "K": [[3], [-1]], "V": [[1], [2]], "d_k": "sqrt(2)"},
    "scores near 1000": {"Q": [[1000], [999]], "K": [[1], ["0.999"]], "V": [[1], [2]], "d_k": 1},
    "all values equal": {"Q": [[1], [2]], "K": [[3], [-1]], "V": [[5], [5]]},
    "zero keys": {"Q": [[1, 2], [3, 4]], "K": [[0, 0], [0, 0]], "V": [[1], [4]]},
}


def spec_of(case: dict[str, Any]) -> Any:
    return load_spec({"tokens": [f"t{i}" for i in range(len(case["Q"]))], **case})


def by_mpmath(case: dict[str, Any]) -> tuple[list[list[Any]], list[list[Any]]]:
    """Weights and output from the formulas of the paper, in 120 digits."""

    def number(value: Any) -> Any:
        text = str(value).replace("sqrt(2)", "S").replace("pi", "P")
        known = {"S": mpmath.sqrt(2), "P": mpmath.pi, "2*S": 2 * mpmath.sqrt(2), "P/4": mpmath.pi / 4}
        if text in known:
            return known[text]
        above, _, below = text.partition("/")
        return mpmath.mpf(above) / mpmath.mpf(below or 1)

    Q, K, V = ([[number(x) for x in row] for row in case[name]] for name in "QKV")
    root = mpmath.sqrt(number(case.get("d_k", len(K[0]))))
    weights = []
    for q in Q:
        powers = [mpmath.exp(mpmath.fdot(q, k) / root) for k in K]
        weights.append([power / mpmath.fsum(powers) for power in powers])
    return weights, [[mpmath.fdot(row, column) for column in zip(*V, strict=True)] for row in weights]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_exact_results_to_40_places(case: dict[str, Any]) -> None:
    derivation = derive(spec_of(case))
    with mpmath.workdps(600):
        for name, expected in zip(("attention_weights", "output"), by_mpmath(case), strict=True):
            for made, right in zip(derivation[name].decimals(40), expected, strict=True):
                for a, b in zip(made, right, strict=True):
                    assert abs(mpmath.mpf(a) - b) <= mpmath.mpf(10) ** -40 / 2


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("arithmetic", [Ball(200), Float(), Written(Policy.parse([f"{k}=60" for k in ("inputs", "projections", "scores", "root", "scaled_scores", "exponentials", "row_sums", "weights", "outputs")]))], ids=lambda a: a.name)  # fmt: skip
def test_every_arithmetic_gives_the_exact_answer_within_its_means(case: dict[str, Any], arithmetic: Any) -> None:
    spec = spec_of(case)
    exact, made = derive(spec), derive(spec, arithmetic)
    tolerance = mpmath.mpf(10) ** {"ball": -40, "float": -11, "as-written": -40}[arithmetic.name]
    with mpmath.workdps(80):
        for name in ("attention_weights", "output"):
            for right, row in zip(exact[name].decimals(60), made[name].rows, strict=True):
                for a, b in zip(right, row, strict=True):
                    value = number_of(b)
                    assert abs(mpmath.mpf(a) - value) <= tolerance * max(1, abs(value))


def number_of(number: Any) -> Any:
    if isinstance(number, WrittenNumber):
        return mpmath.mpf(int(number.value.p)) / int(number.value.q)
    if hasattr(number, "mid"):
        return mpmath.mpf(number.mid().str(70, radius=False))
    return mpmath.mpf(float(number))


@pytest.mark.parametrize("case", [c for n, c in CASES.items() if n not in {"roots and π", "d_k = √2"}], ids=str)
def test_filling_d_k_in_last_gives_the_same(case: dict[str, Any]) -> None:
    spec = spec_of(case)
    exact, free = derive(spec), derive(spec, Exact(free_d_k=True))
    for name in ("attention_weights", "output"):
        for right, row in zip(exact[name].rows, free[name].rows, strict=True):
            for a, b in zip(right, row, strict=True):
                scale = exact.trace.root.scale
                assert (b.fill(scale) if isinstance(b, ExpQuotient) else b) == a


# ---- what softmax obeys, decided ---------------------------------------------------------------------------------

small = st.fractions(min_value=-4, max_value=4, max_denominator=6).map(lambda f: fmpq(f.numerator, f.denominator))


@st.composite
def examples(draw: st.DrawFn) -> dict[str, Any]:
    n, d_k, d_v = (draw(st.integers(1, 3)) for _ in range(3))

    def matrix(columns: int) -> list[list[Any]]:
        return [[draw(small) for _ in range(columns)] for _ in range(n)]

    return {
        "Q": matrix(d_k),
        "K": matrix(d_k),
        "V": matrix(d_v),
        "d_k": draw(st.sampled_from([1, 2, 3, 4, "9/4", "d_k"])),
    }


def total(row: Any) -> Any:
    """The exact sum of a row of weights."""
    first, *rest = row
    for other in rest:
        first = added(first, other)
    return first


def added(a: Any, b: Any) -> Any:
    if not isinstance(a, ExpQuotient):
        return a + b if not isinstance(b, ExpQuotient) else added(b, a)
    if not isinstance(b, ExpQuotient):
        return quotient(a.num + fmpq(a.factor) * b * a.den, fmpq(a.factor) * a.den)
    num = fmpq(b.factor) * (a.num * b.den) + fmpq(a.factor) * (b.num * a.den)
    return quotient(num, fmpq(a.factor) * fmpq(b.factor) * (a.den * b.den))


@settings(max_examples=60, deadline=None)
@given(examples())
def test_rows_of_weights_sum_to_exactly_one(case: dict[str, Any]) -> None:
    for row in derive(spec_of(case))["attention_weights"].rows:
        assert total(row) == 1


@settings(max_examples=60, deadline=None)
@given(examples(), small)
def test_adding_a_constant_to_a_row_of_scores_changes_nothing(case: dict[str, Any], constant: Any) -> None:
    moved = {
        **case,
        "Q": [[*row, constant] for row in case["Q"]],
        "K": [[*row, fmpq(1)] for row in case["K"]],
        "d_k": case["d_k"],
    }
    assert list(derive(spec_of(case))["output"].rows) == list(derive(spec_of(moved))["output"].rows)


@settings(max_examples=60, deadline=None)
@given(examples(), st.randoms())
def test_permuting_keys_and_values_together_changes_nothing(case: dict[str, Any], random: Any) -> None:
    order = list(range(len(case["K"])))
    random.shuffle(order)
    moved = {**case, "K": [case["K"][i] for i in order], "V": [case["V"][i] for i in order]}
    assert list(derive(spec_of(case))["output"].rows) == list(derive(spec_of(moved))["output"].rows)


@settings(max_examples=40, deadline=None)
@given(examples().filter(lambda case: case["d_k"] != "d_k"))
def test_numpy_agrees(case: dict[str, Any]) -> None:
    made = np.array([[float(x) for x in row] for row in derive(spec_of(case))["output"].decimals(20)])
    Q, K, V = (np.array([[float(rational_of(x)) for x in row] for row in case[name]]) for name in "QKV")
    scaled = Q @ K.T / np.sqrt(2.25 if case["d_k"] == "9/4" else case["d_k"])
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    assert np.allclose(made, powers / powers.sum(axis=1, keepdims=True) @ V, rtol=1e-12, atol=1e-12)


# ---- stages -----------------------------------------------------------------------------------------------------


def test_softmax_of_huge_scores_does_not_overflow() -> None:
    spec = load_spec({"tokens": ["a", "b"], "Q": [[1], [1]], "K": [[1000], [999]], "V": [[1], [0]], "d_k": 1})
    assert derive(spec)["attention_weights"].decimals(10)[0] == ("0.7310585786", "0.2689414214")
    assert derive(spec, Exact(free_d_k=True))["attention_weights"].lambdify()(1.0)[0, 0] == pytest.approx(0.7310585786)


def test_limits() -> None:
    derivation = derive(load_spec(), Exact(free_d_k=True))
    half = sympy.Rational(1, 2)
    assert derivation["attention_weights"].limit("0+") == sympy.ImmutableMatrix([[1, 0], [half, half]])
    assert derivation["attention_weights"].limit("oo") == sympy.ImmutableMatrix([[half, half], [half, half]])
    assert derivation["scaled_scores"].limit("0+") == sympy.ImmutableMatrix([[sympy.oo, 0], [sympy.oo, sympy.oo]])
    assert derivation["scaled_scores"].limit("oo") == sympy.zeros(2, 2)
    assert derivation["output"].limit("0+").row(0) == sympy.Matrix([[10, 2, 0]])
    with pytest.raises(OptionError, match=r"unknown end 'up'; expected \"0\+\" or \"oo\""):
        derivation["output"].limit("up")  # type: ignore[arg-type]


def test_limits_over_letters_agree_with_sympy() -> None:
    spec = load_spec({"tokens": ["a", "b"], "Q": [["sqrt(2)"], [0]], "K": [[1], [0]], "V": [[1], [3]], "d_k": "d_k"})
    assert derive(spec)["attention_weights"].limit("oo")[0, 0] == sympy.Rational(1, 2)
    assert derive(spec)["attention_weights"].limit("0+")[0, 0] == 1


def test_lambdify_over_many_d_k_at_once() -> None:
    function = derive(load_spec(), Exact(free_d_k=True))["output"].lambdify()
    d_k = np.array([0.5, 3.0, 64.0])
    weight = np.exp(3 / np.sqrt(d_k)) / (1 + np.exp(3 / np.sqrt(d_k)))
    assert function(d_k).shape == (3, 2, 3)
    assert np.allclose(function(d_k)[:, 0, 0], 2 + 8 * weight)
    assert function(1e-9)[0, 0] == pytest.approx(10)


def test_lambdify_over_letters_by_name() -> None:
    spec = load_spec({"tokens": ["a", "b"], "Q": [["q"], [0]], "K": [[1], [0]], "V": [["v"], [0]], "d_k": 4})
    function = derive(spec)["output"].lambdify()
    assert function(q=2.0, v=3.0)[0, 0] == pytest.approx(3 * np.e / (1 + np.e))
    with pytest.raises(OptionError, match="got x; expected the letters q, v"):
        function(x=1.0)
    with pytest.raises(OptionError, match="got nothing; expected the letters q, v"):
        function()


def test_stages_carry_their_formulas_and_quantities() -> None:
    derivation = derive(load_spec())
    assert [stage.name for stage in derivation] == [
        "embedding", "query", "key", "value", "scores", "scaled_scores", "attention_weights", "output",
    ]  # fmt: skip
    kinds = [quantity.kind for quantity in derivation["attention_weights"].quantities]
    assert kinds == ["exponentials", "exponentials", "row_sums"] * 2
    assert derivation["scaled_scores"].quantities[0].kind == "root"
    assert derivation["scores"].shape == (2, 2)
    assert derivation["scores"].value == sympy.ImmutableMatrix([[3, 0], [2, 2]])
    with pytest.raises(OptionError, match="unknown stage 'softmax'; expected one of embedding, query"):
        derivation["softmax"]


def test_decimals_of_letters_are_undecided() -> None:
    with pytest.raises(UndecidedError, match=r"d_k is free\. Give d_k a number to get decimals\."):
        derive(load_spec(), Exact(free_d_k=True))["output"].decimals(5)
    spec = load_spec({"tokens": ["a", "b"], "Q": [["q"], [0]], "K": [[1], [0]], "V": [[1], [0]]})
    with pytest.raises(UndecidedError, match=r"q is free\. Give it a number to get decimals\."):
        derive(spec)["output"].decimals(5)


@pytest.mark.parametrize("arithmetic", [Ball(), Float()], ids=lambda a: a.name)
def test_balls_and_floats_need_a_number_for_d_k(arithmetic: Any) -> None:
    spec = load_spec({"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "d_k": "n"})
    with pytest.raises(OptionError, match=f"n is free, and the {arithmetic.name} arithmetic needs a number"):
        derive(spec, arithmetic)


def test_looking_at_one_row_makes_one_row() -> None:
    n = 200
    spec = load_spec({"tokens": ["t"] * n, "Q": [[1]] * n, "K": [[i % 7] for i in range(n)], "V": [[1]] * n})
    derivation = derive(spec)
    assert derivation["output"].rows[5] == (1,)
    assert list(derivation.trace.attention_weights._made) == [5]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("stated", "differing", "undecided"),
    [
        ([["a"], ["2*a"]], 0, 0),
        ([["a"], ["a+a"]], 0, 0),
        ([["a"], ["3*a"]], 1, 0),
        ([["a"], ["b"]], 1, 0),
        ([["a"], ["sqrt(4*a^2)"]], 0, 1),
    ],
)
def test_contradictions_between_letters(stated: Any, differing: int, undecided: int) -> None:
    spec = load_spec(
        {"tokens": ["x", "y"], "X": [[1], [2]], "W_Q": [["a"]], "Q": stated, "K": [[1], [1]], "V": [[1], [1]]}
    )
    found = [note for note in derive(spec).notes if isinstance(note, Contradiction)]
    assert sum(len(note.differing) for note in found) == differing
    assert sum(len(note.undecided) for note in found) == undecided


def test_certified_is_one_number_at_a_time() -> None:
    weight = derive(load_spec())["attention_weights"].rows[0][0]
    assert certified(weight, 27) == "0.849674553089838574528717157"


def test_the_searches_are_made_once_for_a_spec() -> None:
    spec = load_spec()
    assert derive(spec).notes is derive(spec, Exact(free_d_k=True)).notes
    assert derive(spec, recompute=True).notes != derive(spec).notes
