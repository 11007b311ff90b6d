"""Specs: what is read exactly, and the one clear line for everything that cannot be."""

from __future__ import annotations

import copy
import pickle
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq

from symattn import SymattnError, load_spec
from symattn.attention.spec_file import MAX_BYTES, parse_spec
from symattn.numbers.arithmetic import Letter
from symattn.numbers.rounding import Mode

BASE = 'tokens = ["a", "b"]\nQ = [[1, 2], [3, 4]]\nK = [[1, 2], [3, 4]]\nV = [[1], [2]]\n'


def replaced(old: str, new: str) -> str:
    assert old in BASE
    return BASE.replace(old, new)


V = "[[1], [2]]"
REFUSED = {
    # shapes
    "ragged": (replaced("[[1, 2], [3, 4]]\nK", "[[1, 2], [3]]\nK"), ":2: matrices.Q: row 2 has 1 entry, row 1 has 2; expected rows of equal length"),
    "no rows": (replaced(V, "[]"), ":4: matrices.V: the matrix is empty; expected at least one row and one column"),
    "no columns": (replaced(V, "[[], []]"), ":4: matrices.V: the matrix is empty"),
    "too few rows": (replaced(V, "[[1]]"), ":4: matrices.V: V is 1x1; expected a row for each of the 2 tokens"),
    "unequal widths": (replaced("K = [[1, 2], [3, 4]]", "K = [[1], [3]]"), ":3: matrices.K: Q is 2x2 but K is 2x1; expected equal widths (d_k), since the scores are Q times K transposed"),
    "X and W_Q": (BASE + "X = [[1], [2]]\nW_Q = [[1, 2], [3, 4]]\n", ":6: matrices.W_Q: X is 2x1 but W_Q is 2x2; expected W_Q with a row for each of the 1 columns of X (d_model)"),
    "Q and W_Q": (BASE + "X = [[1], [2]]\nW_Q = [[1, 2, 3]]\n", ":2: matrices.Q: Q is 2x2 but W_Q is 1x3; expected as many columns in both"),
    "no K": (replaced("K = [[1, 2], [3, 4]]\n", ""), "spec.toml: K cannot be worked out; expected K, or X (or an embedding) and W_K"),
    # values
    "nan": (replaced(V, "[[nan], [2]]"), ":4: matrices.V, row 1, column 1: 'nan' is not a number or a name"),
    "infinity": (replaced(V, "[[1], [-inf]]"), ":4: matrices.V, row 2, column 1: '-inf' is not a number or a name"),
    "true": (replaced(V, "[[true], [2]]"), ":4: matrices.V, row 1, column 1: 'True' is not a number or a name"),
    "date": (replaced(V, "[[1979-05-27], [2]]"), ":4: matrices.V, row 1, column 1: a date is not a number"),
    "space in a number": (replaced(V, '[["1 000"], [2]]'), "write 1000 without the space"),
    "decimal comma": (replaced(V, '[["4,3"], [2]]'), "the decimal sign is a point: write 4.3"),
    "huge power": (replaced(V, '[["9**9**9"], [2]]'), "a power of a power is ambiguous"),
    "huge power, bare": (replaced(V, "[[9**9**9], [2]]"), "spec.toml:4:8: Unclosed array; expected TOML"),
    "huge exponent": (replaced(V, "[[1e10000000], [2]]"), ":4: matrices.V, row 1, column 1: '1E+10000000' is not a number or a name"),
    "huge integer": (replaced(V, f"[[{'9' * 5000}], [2]]"), "spec.toml: a whole number has more than 4,300 digits"),
    "huge exponent of 20 digits": (replaced(V, "[[1e99999999999999999999], [2]]"), ":4: matrices.V, row 1, column 1: '1e99999999999999999999': a number of more than 4096 bits"),
    "why nan is none": (replaced(V, "[[nan], [2]]"), '"sqrt(2)", or a letter. It is not finite.'),
    # d_k
    "d_k zero": ("d_k = 0\n" + BASE, ":1: d_k: found '0'; expected a positive number"),
    "d_k negative": ("d_k = -3\n" + BASE, ":1: d_k: found '-3'; expected a positive number"),
    "d_k nan": ("d_k = nan\n" + BASE, ":1: d_k: 'nan' is not a number or a name"),
    "d_k true": ("d_k = true\n" + BASE, ":1: d_k: 'True' is not a number or a name"),
    "d_k code": ("d_k = \"__import__('os').system('touch PWNED')\"\n" + BASE, ":1: d_k: '__import__('os').system('touch PWNED')' is not a number or a name"),
    # keys and structure
    "unknown key": ('tokenz = ["a"]\n' + BASE, ":1: tokenz: unknown key; expected one of tokens, title, language, d_k, embedding, matrices, rounding, X, W_Q, W_K, W_V, Q, K, V. Did you mean tokens?"),
    "unknown matrix": (BASE + "[matrices]\nW_k = [[1]]\n", ":6: matrices.W_k: unknown matrix; expected one of X, W_Q, W_K, W_V, Q, K, V. Did you mean W_"),
    "duplicate key": ("d_k = 4\nd_k = 4\n" + BASE, "spec.toml:2:8: Cannot overwrite a value (a key or a table stands twice); expected TOML"),
    "deep": ("X = " + "[" * 500 + "]" * 500 + "\n" + BASE, "spec.toml: values are nested too deeply"),
    "no tokens": (replaced('tokens = ["a", "b"]\n', ""), 'spec.toml: tokens is missing; expected tokens = ["...", "..."]'),
    "empty tokens": (replaced('["a", "b"]', "[]"), ":1: tokens: no tokens; expected at least one word"),
    "numbers as tokens": (replaced('["a", "b"]', '["a", 2]'), ":1: tokens, entry 2: found a whole number; expected text"),
    "a long token": (replaced('"a"', f'"{"x" * 201}"'), ":1: tokens, word 1: a word of 201 characters; expected at most 200"),
    "a control character": (replaced('"a"', '"a\\u0007"'), ":1: tokens, word 1: the word holds the control character U+0007; expected printable text"),
    "a number as matrix": (replaced(V, "3"), ":4: matrices.V: found a whole number; expected a list of rows, as in [[1, 0], [0, 1]]"),
    "a row as matrix": (replaced(V, "[1, 2]"), ":4: matrices.V, row 1: found a whole number; expected a list of rows"),
    "text as matrix": (replaced(V, '"x"'), ":4: matrices.V: found text; expected a list of rows"),
    "a table as matrix": (replaced(V, "{ a = 1 }"), ":4: matrices.V: found a table; expected a list of rows"),
    "matrices as a list": (BASE + "matrices = [1]\n", ":5: matrices: found a list; expected a table"),
    "a decimal as a token": (replaced('["a", "b"]', '["a", 1.5]'), ":1: tokens, entry 2: found a number; expected text"),
    "a decimal as title": ("title = 1.5\n" + BASE, ":1: title: found a number; expected text"),
    "a control character in the title": ('title = "a\\u001b[31m"\n' + BASE, ":1: title: the title holds the control character U+001B; expected printable text"),
    "a line end in the title": ('title = "a\\nb"\n' + BASE, ":1: title: the title holds the control character U+000A"),
    "a long title": (f'title = "{"x" * 1001}"\n' + BASE, ":1: title: a title of 1,001 characters; expected at most 1,000"),
    "a long key": (f"{'k' * 500} = 1\n" + BASE, "k…: unknown key; expected one of tokens"),
    "one matrix twice": (BASE + "[matrices]\nQ = [[5, 6], [7, 8]]\n", ":6: matrices.Q: Q is given twice; expected one of them"),
    "a weight misspelt on top": (BASE + "WQ = [[1]]\n", ":5: WQ: unknown key; expected one of tokens, title, language, d_k, embedding, matrices, rounding, X, W_Q, W_K, W_V, Q, K, V. Did you mean W_Q?"),
    "a dotted key": (BASE + "matrices.X = 3\n", ":5: matrices.X: found a whole number; expected a list of rows"),
    "a table twice": (BASE + "[rounding]\n[rounding]\n", "(a key or a table stands twice); expected TOML"),
    "places as text": (BASE + '[rounding]\nroot = { places = "2" }\n', ":6: rounding.root.places: found text; expected a whole number"),
    "an embedding that is none": ("embedding = 3\n" + BASE, ":1: embedding: found a whole number; expected a table"),
    "language": ('language = "fr"\n' + BASE, ":1: language: found 'fr'; expected zh or en"),
    # embedding
    "no vector": (BASE + "[embedding]\na = [1, 2]\n", ":5: embedding: no vector for the word 'b'; expected one for each token (there are: 'a')"),
    "unequal vectors": (BASE + "[embedding]\na = [1, 2]\nb = [1]\n", ":7: embedding.b: 'b' has 1 entry, 'a' has 2; expected vectors of equal length"),
    "empty vectors": (BASE + "[embedding]\na = []\nb = []\n", ":5: embedding: the vectors are empty; expected at least one entry"),
    "a vector that is none": (BASE + "[embedding]\na = 1\nb = [1]\n", ":6: embedding.a: found a whole number; expected a list of numbers, as in [1, 0]"),
    "an entry of a vector": (BASE + "[embedding]\na = [1]\nb = [\"x y\"]\n", ":7: embedding.b, column 1: 'x y'"),
    "X and an embedding": (BASE + "X = [[1], [2]]\n[embedding]\na = [1]\nb = [2]\n", ":5: matrices.X: X is given beside an embedding; expected one of them"),
    # rounding
    "negative places": (BASE + "[rounding]\nweights = { places = -1 }\n", ":6: rounding.weights: places = -1; expected 0 to 10000"),
    "places and digits": (BASE + "[rounding]\nweights = { places = 1, digits = 1 }\n", ":6: rounding.weights: both places and digits; expected one of them"),
    "unknown kind": (BASE + "[rounding]\nwieghts = { places = 1 }\n", ":6: rounding.wieghts: unknown kind of quantity; expected one of inputs, projections"),
    "unknown mode": (BASE + '[rounding]\nweights = { mode = "up" }\n', ":6: rounding.weights: mode = 'up'; expected one of half-up, half-even, truncate, ceiling, floor"),
    "a rule that is none": (BASE + "[rounding]\nweights = 2\n", ":6: rounding.weights: found a whole number; expected some of places, digits, mode"),
    "root of 0": (BASE + '[rounding]\nroot = { value = "0" }\n', ":6: rounding.root: value = '0'; expected a positive decimal or fraction"),
    "unknown word of a rule": (BASE + "[rounding]\nroot = { value = 1.7, shwon = 2 }\n", ":6: rounding.root.shwon: unknown key; expected one of places, digits, mode, padded, exact, value, shown. Did you mean shown?"),
    # files that are no TOML
    "nothing": ("", "spec.toml: tokens is missing"),
    "Markdown": ("# Title\n\nSome *text* here\n", "spec.toml:3:6: Expected '=' after a key in a key/value pair (is this a TOML file?)"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_one_line_that_says_where_and_what(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SymattnError) as caught:
        load_spec(path)
    said = str(caught.value)
    assert message in said
    assert said.startswith(str(path))
    assert "\n" not in said
    assert len(said) <= 600
    assert not (tmp_path / "PWNED").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (bytes(range(256)), ":2: byte 0x80 is not UTF-8; expected TOML in UTF-8"),
        (BASE.encode("utf-16"), ":1: byte 0xff is not UTF-8; expected TOML in UTF-8"),
    ],
    ids=["binary", "UTF-16"],
)
def test_refused_bytes(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_bytes(content)
    with pytest.raises(SymattnError, match=re.escape(message)):
        load_spec(path)


def test_refused_files(tmp_path: Path) -> None:
    with pytest.raises(SymattnError, match=r"nothing.toml: cannot read the spec: No such file or directory"):
        load_spec(tmp_path / "nothing.toml")
    with pytest.raises(SymattnError, match=r"cannot read the spec: Is a directory; expected a readable TOML file"):
        load_spec(tmp_path)
    with pytest.raises(SymattnError, match=r"cannot read the spec: .*null"):
        load_spec("a\0b")


def test_a_spec_of_100_megabytes_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "big.toml"
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    with pytest.raises(SymattnError, match=f"the file has 104,857,600 bytes; expected at most {MAX_BYTES:,} bytes"):
        load_spec(path)


@pytest.mark.parametrize("content", ["\ufeff" + BASE, BASE.replace("\n", "\r\n"), BASE + "# Größe\n"])
def test_marks_line_ends_and_comments_are_no_obstacle(content: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_bytes(content.encode("utf-8"))
    assert load_spec(path).tokens == ("a", "b")


def test_blanks_round_the_equals_sign_do_not_matter() -> None:
    assert parse_spec("d_k=4\n" + BASE).d_k == parse_spec("d_k = 4\n" + BASE).d_k == 4


# ---- what is read -----------------------------------------------------------------------------------------------


def test_the_bundled_example() -> None:
    spec = load_spec()
    assert spec.tokens == ("Time", "Machine")
    assert spec.language == "zh"
    assert spec.get("X") == ((1, 0, 1, 0), (0, 2, 0, 1))
    assert spec.d_k == 3
    assert spec.policy.rule("root").value == fmpq(17, 10)
    assert spec.policy.rule("root").shown == "1.73"
    assert spec.policy.rule("scaled_scores").mode is Mode.TRUNCATE
    assert spec.policy.rule("weights").padded
    assert spec.name == "time-machine"
    assert load_spec("time-machine") == spec


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2", fmpq(2)),
        ("-2", fmpq(-2)),
        ("0.1", fmpq(1, 10)),
        ("1e-3", fmpq(1, 1000)),
        ('"1/3"', fmpq(1, 3)),
        ('"-0.25"', fmpq(-1, 4)),
        ('"sqrt(4)"', fmpq(2)),
        ("'\\frac{1}{3}'", fmpq(1, 3)),
        ('"sqrt(2)"', sympy.sqrt(2)),
        ('"pi/4"', sympy.pi / 4),
        ('"a"', sympy.Symbol("a", real=True)),
        ("'\\sqrt{2}'", sympy.sqrt(2)),
    ],
)
def test_values_are_exact(written: str, value: Any) -> None:
    assert parse_spec(replaced(V, f"[[{written}], [2]]")).get("V") == ((value,), (2,))


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (0.1, fmpq(1, 10)),
        (np.float32(0.1), fmpq(1, 10)),
        (np.float64(0.1), fmpq(1, 10)),
        (np.int64(3), fmpq(3)),
        (Decimal("0.1"), fmpq(1, 10)),
        (Fraction(1, 3), fmpq(1, 3)),
        (sympy.Rational(1, 3), fmpq(1, 3)),
        (sympy.sqrt(2), sympy.sqrt(2)),
        ("1/3", fmpq(1, 3)),
    ],
    ids=str,
)
def test_values_from_python_are_exact(given: Any, value: Any) -> None:
    assert load_spec({"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[given]]}).get("V") == ((value,),)


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2], [3, 4]],
        ((1, 2), (3, 4)),
        np.array([[1, 2], [3, 4]]),
        np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32),
        [np.array([1, 2]), np.array([3, 4])],
        sympy.Matrix([[1, 2], [3, 4]]),
        sympy.ImmutableMatrix([[1, 2], [3, 4]]),
        [sympy.Matrix([[1, 2]]), [3, 4]],
    ],
    ids=["lists", "tuples", "integers", "floats", "rows as arrays", "SymPy", "immutable", "a SymPy row"],
)
@pytest.mark.parametrize("inside", [True, False], ids=["in matrices", "on top"])
def test_matrices_of_every_kind(rows: Any, inside: bool) -> None:
    matrices = {"Q": rows, "K": rows, "V": rows}
    spec = load_spec({"tokens": ["a", "b"], **({"matrices": matrices} if inside else matrices)})
    assert spec.get("Q") == ((1, 2), (3, 4))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((2, 2, 2)), "spec: matrices.V: an array of shape (2, 2, 2) is no matrix; expected two dimensions"),
        ([{1}, {2}], "spec: matrices.V: found a set, which has no order; expected a list"),
        ({(1,), (2,)}, "spec: V: found a set, which has no order; expected a list"),
        (np.array([1, 2]), "spec: matrices.V: an array of shape (2,) is no matrix; expected two dimensions"),
        ([[float("nan")], [1]], "spec: matrices.V, row 1, column 1: 'nan' is not a number"),
        ([[None], [1]], "spec: matrices.V, row 1, column 1: 'None' is not a number"),
        ([[[1]], [1]], "spec: matrices.V, row 1, column 1: a list is not a number"),
        ([[1j], [1]], "spec: matrices.V, row 1, column 1: a complex is not a number"),
    ],
    ids=["three dimensions", "sets", "a set", "one dimension", "nan", "None", "nested", "complex"],
)
def test_matrices_from_python_refused(rows: Any, message: str) -> None:
    with pytest.raises(SymattnError, match=re.escape(message)):
        load_spec({"tokens": ["a", "b"], "Q": [[1], [1]], "K": [[1], [1]], "V": rows})


@pytest.mark.parametrize("source", [3, ["tokens"], b"spec.toml"], ids=["number", "list", "bytes"])
def test_sources_that_are_none(source: Any) -> None:
    with pytest.raises(SymattnError, match=f"spec: found a {type(source).__name__}; expected a path, a dict or a Spec"):
        load_spec(source)


@pytest.mark.parametrize("where", ["top", "matrices"])
def test_keys_that_are_no_text(where: str) -> None:
    inner = {1: [[1]]}
    with pytest.raises(SymattnError, match="a key is no text; expected names as keys"):
        load_spec({"tokens": ["a"], **(inner if where == "top" else {"matrices": inner})})  # type: ignore[dict-item]


@pytest.mark.parametrize("written", ["1_000.5", "1.0005e3", "2001.0e0"])
def test_floats_as_toml_writes_them(written: str) -> None:
    value = Fraction(written.replace("_", ""))
    assert parse_spec(replaced(V, f"[[{written}], [2]]")).get("V") == (
        (fmpq(value.numerator, value.denominator),),
        (2,),
    )


def test_a_dict_is_left_as_it_was() -> None:
    given = {"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "matrices": {"X": [[1]]}}
    before = copy.deepcopy(given)
    load_spec(given)
    assert given == before


def test_a_spec_loads_as_itself() -> None:
    spec = load_spec()
    assert load_spec(spec) is spec


def test_words_are_looked_up_each_time_they_come() -> None:
    spec = load_spec(
        {
            "tokens": ["b", "a", "b"],
            "embedding": {"a": [1], "b": [2], "c": [3]},
            "W_Q": [[1]],
            "W_K": [[1]],
            "W_V": [[1]],
        }
    )
    assert spec.get("X") == ((2,), (1,), (2,))


@pytest.mark.parametrize(
    ("d_k", "value"),
    [
        (3, fmpq(3)),
        (r"\frac{9}{4}", fmpq(9, 4)),
        ("9/4", fmpq(9, 4)),
        ("d_k", Letter("d_k")),
        ("n", Letter("n")),
        ("sqrt(2)", sympy.sqrt(2)),
    ],
    ids=str,
)
def test_d_k(d_k: Any, value: Any) -> None:
    assert load_spec({"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "d_k": d_k}).d_k == value


def test_the_letter_of_d_k_is_the_same_letter_in_the_matrices() -> None:
    spec = load_spec({"tokens": ["a"], "Q": [["n"]], "K": [["2*n"]], "V": [["m"]], "d_k": "n"})
    (n,) = spec.get("Q")[0][0].free_symbols
    assert n == spec.d_k.to_sympy()
    assert spec.get("K") == ((2 * n,),)
    assert spec.get("V") == ((sympy.Symbol("m", real=True),),)


def test_d_k_is_the_width_of_the_keys_where_it_is_left_out() -> None:
    assert parse_spec(BASE).d_k == 2


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("lesson.toml", "lesson"),
        ("../../etc/lesson.toml", "lesson"),
        ("..toml", "spec"),
        ("-rf.toml", "rf"),
        ("a b/c d.toml", "c-d"),
        ("课.toml", "课"),
        ("x" * 300 + ".toml", "x" * 80),
        ("\x00\n.toml", "spec"),
    ],
)
def test_names_for_files_stay_inside_their_folder(source: str, name: str) -> None:
    assert parse_spec(BASE, source).name == name


def test_specs_may_be_copied_pickled_and_kept_in_sets() -> None:
    spec = load_spec()
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert copy.deepcopy(spec) == spec
    assert len({spec, load_spec()}) == 1
