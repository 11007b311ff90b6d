"""Floats beside exact numbers: against NumPy itself, and ulps recomputed with mpmath at 60 digits and more."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Exact, Written, certified, derive, load_spec
from symattn.comparison.floats import FORMATS, InFloat, in_floats, power_of_two, worst
from symattn.errors import OptionError
from symattn.numbers.certified import enclosure, rational_of
from symattn.numbers.exact import SquareRoot
from symattn.numbers.expsum import ExpSum, Scale, Scaled, exponential, quotient

DTYPES: Any = ("float64", "float32")
PRECISION = {"float64": (53, -1022, 1023), "float32": (24, -126, 127)}


def by_label(records: Sequence[InFloat]) -> dict[str, InFloat]:
    made = {record.label: record for record in records}
    assert len(made) == len(records)
    return made


def mp(value: Any) -> Any:
    return mpmath.mpf(int(value.p)) / int(value.q)


def exact_values(spec: Any) -> dict[str, Any]:
    """Every quantity by its label, with mpmath and from the rational scores on."""
    trace = derive(spec).trace
    made: dict[str, Any] = {}
    for letter, rows in (("Q", trace.Q), ("K", trace.K), ("V", trace.V), ("Scores", trace.scores)):
        for i, row in enumerate(rows, 1):
            made.update({f"{letter}[{i},{j}]": mp(value) for j, value in enumerate(row, 1)})
    root = made["Root"] = mpmath.sqrt(mp(spec.d_k))
    for i, row in enumerate(trace.scores, 1):
        scaled = [mp(s) / root for s in row]
        powers = [mpmath.exp(mp(s - max(row)) / root) for s in row]
        total = mpmath.fsum(powers)
        made[f"Sum[{i}]"] = total
        for j, (s, p) in enumerate(zip(scaled, powers, strict=True), 1):
            made.update({f"Scaled[{i},{j}]": s, f"Exp[{i},{j}]": p, f"Weights[{i},{j}]": p / total})
        for c, column in enumerate(zip(*trace.V, strict=True), 1):
            made[f"Output[{i},{c}]"] = mpmath.fsum(p * mp(v) for p, v in zip(powers, column, strict=True)) / total
    return made


def ulp(x: Any, dtype: str) -> Any:
    bits, least, most = PRECISION[dtype]
    exponent = least if x == 0 else min(max(int(mpmath.frexp(x)[1]) - 1, least), most)
    return mpmath.mpf(2) ** (exponent + 1 - bits)


def check(record: InFloat, x: Any) -> None:
    """One record against a value with many digits. Values that mpmath cannot tell from a tie are left to a table."""
    assert record.value is not None
    assert record.error is not None
    assert record.ulps is not None
    kind = getattr(np, record.dtype)
    found = kind(record.text)
    assert Fraction(float(found)) == Fraction(int(record.value.p), int(record.value.q))
    error = mp(record.value) - x
    assert abs(mpmath.mpf(certified(record.error, 80)) - error) < mpmath.mpf(10) ** -75
    ulps = abs(error) / ulp(x, record.dtype)
    assert abs(mpmath.mpf(certified(record.ulps, 30)) - ulps) < mpmath.mpf(10) ** -25
    if abs(ulps - 0.5) > 1e-20:
        assert record.correctly_rounded == (ulps < 0.5)
    beside = [np.nextafter(found, kind(side), dtype=kind) for side in (np.inf, -np.inf)]
    nearer = [abs(mpmath.mpf(float(other)) - x) for other in beside]
    if all(abs(abs(error) - other) > mpmath.mpf(10) ** -75 for other in nearer):
        assert record.correctly_rounded == all(abs(error) < other for other in nearer)


# ---- the bundled example ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bundled_example(dtype: Any) -> None:
    spec = load_spec()
    made = by_label(in_floats(derive(spec), dtype))
    with mpmath.workdps(110):
        values = exact_values(spec)
        assert list(made) == list(in_order(values))
        for label, record in made.items():
            check(record, values[label])
    assert made["Root"].text == str(np.sqrt(getattr(np, dtype)(3)))
    assert made["Root"].correctly_rounded  # IEEE 754 asks that of a square root
    for label, value in (("Exp[1,1]", 1), ("Sum[2]", 2), ("Weights[2,1]", fmpq(1, 2)), ("Output[2,2]", fmpq(7, 2))):
        record = made[label]
        assert (record.value, rational_of(record.exact), record.correctly_rounded) == (value, value, True)
        assert record.ulps is not None
        assert record.ulps.rational == 0


def in_order(values: dict[str, Any]) -> list[str]:
    names = ["Q", "K", "V", "Scores", "Root", "Scaled", "Exp", "Sum", "Weights", "Output"]
    return sorted(values, key=lambda label: (names.index(label.partition("[")[0]), label))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_floats_are_what_numpy_gives(dtype: Any) -> None:
    Q, K = (np.array(rows, dtype=dtype) for rows in ([[2, 1], [1, 3]], [[1, 0.1], [0.7, 1]]))
    spec = load_spec(
        {
            "tokens": ["a", "b"],
            "Q": [[2, 1], [1, 3]],
            "K": [[1, "0.1"], ["0.7", 1]],
            "V": [["0.3", 2], [5, "0.9"]],
            "d_k": 2,
        }
    )
    made = by_label(in_floats(derive(spec), dtype))
    scores = Q @ np.ascontiguousarray(K.T)
    root = np.sqrt(np.asarray(2, dtype=dtype)[()])
    scaled = scores / root
    powers = [np.exp(row - row.max()) for row in scaled]
    for i in range(2):
        assert made[f"Sum[{i + 1}]"].text == str(powers[i].sum())
        for j in range(2):
            place = f"[{i + 1},{j + 1}]"
            assert made["K" + place].text == str(K[i, j])
            assert made["Scores" + place].text == str(scores[i, j])
            assert made["Scaled" + place].text == str(scaled[i, j])
            assert made["Exp" + place].text == str(powers[i][j])
            assert made["Weights" + place].text == str(powers[i][j] / powers[i].sum())
    tenth = made["K[1,2]"]
    assert (tenth.text, tenth.correctly_rounded, tenth.exact) == ("0.1", True, fmpq(1, 10))
    # 0.1·2^56 is 7205759403792793.6, and 0.1·2^27 is 13421772.8
    assert tenth.error is not None
    assert tenth.error.rational == fmpq(*map(int, K[0, 1].as_integer_ratio())) - fmpq(1, 10)
    assert tenth.ulps is not None
    assert tenth.ulps.rational == (fmpq(2, 5) if dtype == "float64" else fmpq(1, 5))


# ---- properties -------------------------------------------------------------------------------------------------

entries = st.one_of(st.integers(-9, 9), st.decimals(-3, 3, places=2).map(str))


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    n, k, v = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(1, 2))

    def matrix(width: int) -> list[list[Any]]:
        return [[draw(entries) for _ in range(width)] for _ in range(n)]

    d_k = draw(st.sampled_from([1, 2, 3, 4, 7, "9/4", "1/3"]))
    return {"tokens": ["t"] * n, "Q": matrix(k), "K": matrix(k), "V": matrix(v), "d_k": d_k}


@settings(max_examples=30, deadline=None)
@given(specs(), st.sampled_from(DTYPES))
def test_ulps_against_mpmath(given_spec: dict[str, Any], dtype: Any) -> None:
    spec = load_spec(given_spec)
    records = in_floats(derive(spec), dtype)
    with mpmath.workdps(160):
        values = exact_values(spec)
        assert {record.label for record in records} == set(values)
        for record in records:
            check(record, values[record.label])


@settings(max_examples=30, deadline=None)
@given(specs(), st.sampled_from(DTYPES))
def test_half_an_ulp_and_the_nearest_float(given_spec: dict[str, Any], dtype: Any) -> None:
    for record in in_floats(derive(load_spec(given_spec)), dtype):
        assert record.ulps is not None
        value = record.ulps.rational
        if value == fmpq(1, 2):
            continue  # a tie, or one float below a power of two
        twice = enclosure(record.ulps, 400) * 2
        assert twice < 1 or twice > 1
        assert record.correctly_rounded == bool(twice < 1)


@settings(max_examples=60, deadline=None)
@given(st.fractions(-(10**6), 10**6, max_denominator=10**9), st.integers(-1100, 1100))
def test_units_against_numpy(fraction: Fraction, exponent: int) -> None:
    number = fraction * Fraction(2) ** exponent
    unit = FORMATS["float64"].unit(fmpq(number.numerator, number.denominator))
    if abs(number) <= Fraction(float(np.finfo("float64").max)):
        toward_zero = float(number)
        while abs(Fraction(toward_zero)) > abs(number):
            toward_zero = float(np.nextafter(toward_zero, 0.0))
        spacing = abs(np.spacing(toward_zero)) if toward_zero else 5e-324
        assert unit == fmpq(*map(int, float(spacing).as_integer_ratio()))
    else:
        assert unit == power_of_two(971)


# ---- a table of edges -------------------------------------------------------------------------------------------

E = exponential(fmpq(1))
FAR = exponential(fmpq(20_000))


UNITS: dict[str, tuple[str, Any, int]] = {
    "one": ("float64", fmpq(1), -52),
    "just below one": ("float64", 1 - fmpq(1, 10**30), -53),
    "minus one": ("float64", fmpq(-1), -52),
    "zero": ("float64", fmpq(0), -1074),
    "zero, single": ("float32", fmpq(0), -149),
    "smallest normal": ("float64", power_of_two(-1022), -1074),
    "subnormal": ("float64", power_of_two(-1030), -1074),
    "below every float": ("float64", power_of_two(-2000), -1074),
    "largest": ("float64", power_of_two(1024) - 1, 971),
    "too large": ("float64", power_of_two(4000), 971),
    "too large, single": ("float32", power_of_two(200), 104),
    "irrational subnormal": ("float64", exponential(fmpq(-720)), -1074),
    "irrational, below every float": ("float32", exponential(fmpq(-(10**30))), -149),
    "irrational, too large": ("float32", exponential(fmpq(100)), 104),
    "root": ("float32", SquareRoot(Scale(fmpq(3))), -23),
    "half a root": ("float64", Scaled.of(fmpq(1), fmpq(0), Scale(fmpq(2))), -53),
    "minus e": ("float64", -1 * E, -51),
    "below 1 by e^-20000": ("float64", quotient(FAR, FAR + exponential(fmpq(0))), -53),
    "above 4 by 4e^-20000": ("float64", quotient(4 * (FAR + exponential(fmpq(0))), FAR), -50),
}


@pytest.mark.parametrize(("dtype", "number", "exponent"), UNITS.values(), ids=UNITS)
def test_units_in_the_last_place(dtype: str, number: Any, exponent: int) -> None:
    assert FORMATS[dtype].unit(number) == power_of_two(exponent)


def single(V: Any, dtype: Any = "float64") -> InFloat:
    """The entry V[1,1] of a spec with one token: an input and nothing else."""
    spec = load_spec({"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[V]], "d_k": 1})
    return by_label(in_floats(derive(spec), dtype))["V[1,1]"]


def test_ties_and_double_rounding() -> None:
    even = single(f"{2**53 + 1}")
    assert (even.text, even.correctly_rounded) == ("9007199254740992.0", True)
    assert even.ulps is not None
    assert even.ulps.rational == fmpq(1, 2)
    # float32 is reached by way of float64: 1 + 2^-24 + 2^-60 becomes the tie 1 + 2^-24 and then 1, not 1 + 2^-23
    twice = single(f"{2**60 + 2**36 + 1}/{2**60}", "float32")
    assert (twice.text, twice.correctly_rounded) == ("1.0", False)
    assert twice.ulps is not None
    assert twice.ulps.rational == fmpq(1, 2) + power_of_two(-37)
    small = single(f"1/{10**400}")
    assert (small.text, small.value, small.correctly_rounded) == ("0.0", 0, True)


def test_half_an_ulp_below_a_power_of_two_is_not_the_nearest() -> None:
    from symattn.comparison import floats

    below = np.nextafter(np.float64(1), np.float64(0))
    record = floats._beside("weights", "Weights[1,1]", (0, 0), "float64", fmpq(1), below)
    assert record.ulps is not None
    assert (record.ulps.rational, record.correctly_rounded) == (fmpq(1, 2), False)
    odd = floats._beside("weights", "", (), "float64", 1 + fmpq(3, 2**53), 1 + np.float64(2**-52))
    even = floats._beside("weights", "", (), "float64", 1 + fmpq(3, 2**53), 1 + np.float64(2**-51))
    assert (odd.correctly_rounded, even.correctly_rounded) == (False, True)


# ---- beyond the floats ------------------------------------------------------------------------------------------


def test_overflow_is_told_and_warns_of_nothing() -> None:
    big = str(10**200)
    spec = load_spec({"tokens": ["a", "b"], "Q": [[big], [f"-{big}"]], "K": [[big], [1]], "V": [[1], [2]], "d_k": 1})
    records = in_floats(derive(spec))
    made = by_label(records)
    for label, text, right in (
        ("Scores[1,1]", "inf", True),
        ("Scores[2,1]", "-inf", True),
        ("Scaled[1,1]", "inf", True),
        ("Exp[1,1]", "nan", False),  # inf − inf
        ("Weights[1,1]", "nan", False),
        ("Output[1,1]", "nan", False),
    ):
        record = made[label]
        assert (record.text, record.correctly_rounded) == (text, right)
        assert record.value is record.error is record.ulps is None
    assert made["Scores[1,2]"].text == "1e+200"
    # the second row survives: e^(−10^400) is 0 beside 1
    assert (made["Weights[2,1]"].text, made["Weights[2,2]"].text) == ("0.0", "1.0")
    assert made["Weights[2,1]"].correctly_rounded
    assert made["Weights[2,2]"].correctly_rounded
    assert made["Output[2,1]"].correctly_rounded
    found = {item.kind: item for item in worst(records)}
    assert (found["weights"].infinite, found["weights"].count, found["weights"].correct) == (2, 4, 2)
    assert (found["scores"].infinite, found["scores"].correct) == (2, 4)
    assert found["weights"].ulps is not None
    assert found["weights"].ulps.text == "0.01"  # a bound: no more than that, and not 0


def test_infinity_is_right_only_beyond_the_format() -> None:
    from symattn.comparison import floats

    edge = power_of_two(1024) - power_of_two(970)
    for exact, right in ((edge, True), (edge - 1, False), (-edge, False)):
        assert floats._beside("scores", "", (), "float64", exact, np.float64("inf")).correctly_rounded is right
    assert floats._beside("scores", "", (), "float64", -edge, np.float64("-inf")).correctly_rounded
    largest = floats._beside("scores", "", (), "float64", edge, np.finfo("float64").max)
    assert not largest.correctly_rounded
    assert floats._beside("scores", "", (), "float64", edge - 1, np.finfo("float64").max).correctly_rounded


def test_a_kind_without_a_finite_value() -> None:
    spec = load_spec({"tokens": ["a"], "Q": [[10**30]], "K": [[10**30]], "V": [[1]], "d_k": 1})
    found = {item.kind: item for item in worst(in_floats(derive(spec), "float32"))}
    assert (found["scores"].ulps, found["scores"].label, found["scores"].infinite) == (None, "", 1)
    assert (found["outputs"].ulps, found["outputs"].correct) == (None, 0)


# ---- the summary ------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(specs(), st.sampled_from(DTYPES), st.integers(0, 6))
def test_the_worst_is_a_bound_that_is_nearly_met(given_spec: dict[str, Any], dtype: Any, places: int) -> None:
    records = in_floats(derive(load_spec(given_spec)), dtype)
    for item in worst(records, places):
        group = [record for record in records if record.kind == item.kind]
        assert item.dtype == dtype
        assert (item.count, item.infinite) == (len(group), 0)
        assert item.correct == sum(record.correctly_rounded for record in group)
        assert item.ulps is not None
        bound, unit = item.ulps.value, fmpq(1, 10**places)
        for record in group:
            assert enclosure(record.ulps, 300) <= arb(bound) or rational_of(record.ulps) == bound
        (largest,) = [record for record in group if record.label == item.label]
        assert enclosure(largest.ulps, 300) > bound - unit


def test_formats_are_what_numpy_says() -> None:
    for dtype, form in FORMATS.items():
        info = np.finfo(dtype)
        assert (form.bits, form.least, form.most) == (info.nmant + 1, info.minexp, info.maxexp - 1)
        assert form.unit(fmpq(0)) == fmpq(*map(int, float(info.smallest_subnormal).as_integer_ratio()))


# ---- exact numbers as the floats have them, and refusals ----------------------------------------------------------


def test_exponentials_are_shifted_as_the_floats_are() -> None:
    spec = load_spec({"tokens": ["a", "b"], "Q": [[1], [1]], "K": [[3], [5]], "V": [[1], [2]], "d_k": 3})
    made = by_label(in_floats(derive(spec)))
    scale = Scale(fmpq(3))
    assert made["Exp[1,1]"].exact == exponential(fmpq(-2), scale=scale)
    assert made["Exp[1,2]"].exact == exponential(fmpq(0), scale=scale)
    total = made["Sum[1]"].exact
    assert isinstance(total, ExpSum)
    assert total == exponential(fmpq(-2), scale=scale) + exponential(fmpq(0), scale=scale)
    assert made["Weights[1,1]"].exact == derive(spec).trace.attention_weights[0][0]


def test_a_million_between_two_scores_is_decided() -> None:
    spec = load_spec({"tokens": ["a", "b"], "Q": [[1], [1]], "K": [[10**6], [0]], "V": [[1], [3]], "d_k": 1})
    made = by_label(in_floats(derive(spec)))
    assert (made["Weights[1,1]"].text, made["Weights[1,1]"].correctly_rounded) == ("1.0", True)
    assert (made["Weights[1,2]"].text, made["Weights[1,2]"].correctly_rounded) == ("0.0", True)
    assert made["Output[1,1]"].correctly_rounded


def test_recomputed_projections_are_taken_over() -> None:
    exact = derive(load_spec(), recompute=True)
    made = by_label(in_floats(exact))
    assert (made["Q[2,1]"].value, made["Q[2,1]"].exact) == (0, 0)  # X·W_Q, not the stated 1
    assert by_label(in_floats(derive(load_spec())))["Q[2,1]"].value == 1


def test_refusals() -> None:
    spec = load_spec()
    lettered = load_spec({"tokens": ["a"], "Q": [["sqrt(2)"]], "K": [[1]], "V": [[1]]})
    for other in (derive(spec, Written(spec.policy)), derive(spec, Exact(free_d_k=True)), derive(lettered)):
        with pytest.raises(OptionError, match="floats beside another derivation; expected an exact one"):
            in_floats(other)
    with pytest.raises(OptionError, match="unknown format 'float16'; expected one of float64, float32"):
        in_floats(derive(spec), "float16")  # type: ignore[arg-type]
    free = load_spec({"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "d_k": "d_k"})
    with pytest.raises(OptionError, match="d_k is free, and the float arithmetic needs a number"):
        in_floats(derive(free))
    large = load_spec({"tokens": ["a"], "Q": [[10**39]], "K": [[1]], "V": [[1]], "d_k": 1})
    with pytest.raises(OptionError, match="is beyond float32"):
        in_floats(derive(large), "float32")
