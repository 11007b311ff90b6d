"""The documents as a reader sees them: every formula of the reference, computed; prose that fits the numbers."""

from __future__ import annotations

import copy
import re
import tomllib
from importlib import resources
from pathlib import Path
from string import Formatter
from typing import Any

import mpmath
import pytest
from flint import fmpq

from symattn import Exact, Written, derive, load_spec, render
from symattn.errors import OptionError
from symattn.numbers.machine import Ball, Float

REFERENCE = (Path(__file__).parents[1] / "data" / "reference-formulas.txt").read_text("utf-8").splitlines()
BUNDLED = tomllib.loads((resources.files("symattn.examples") / "time-machine.toml").read_text("utf-8"), parse_float=str)


def tokens_of(tex: str) -> str:
    """LaTeX without white space and without braces around a single token."""
    tex = re.sub(r"\s+", "", tex)
    while (shorter := re.sub(r"\{([A-Za-z0-9])\}", r"\1", tex)) != tex:
        tex = shorter
    return tex


def as_written(spec: dict[str, Any] | None = None, **choices: Any) -> str:
    loaded = load_spec(spec)
    return render(derive(loaded, Written(loaded.policy)), **choices)


def formulas_of(markdown: str) -> list[str]:
    found = re.findall(r"\$\$\n(.*?)\n\$\$|\$([^$]+)\$", markdown, re.DOTALL)
    assert found
    return [displayed or inline for displayed, inline in found]


# ---- the reference document -------------------------------------------------------------------------------------


@pytest.mark.parametrize("formula", REFERENCE)
def test_the_written_document_has_every_formula_of_the_reference(formula: str) -> None:
    assert tokens_of(formula) in tokens_of(as_written(language="zh"))


def changed(**changes: Any) -> dict[str, Any]:
    spec = copy.deepcopy(BUNDLED)
    for key, value in changes.items():
        if key in {"Q", "K", "V", "W_Q"}:
            spec["matrices"][key] = value
        else:
            spec[key] = value
    return spec


@pytest.mark.parametrize(
    ("spec", "present", "absent"),
    [
        (
            changed(V=[[10, 2, 0], [2, 5, 9]]),
            [
                r"0.85\times 0+0.15\times 9=0+1.35=1.35",
                "[8.8,2.45,1.35]",
                "[(10+2)/2,(2+5)/2,(0+9)/2]=[6,3.5,4.5]",
                r"2& 5& 9\end{array}\right]\begin{array}{c}\leftarrow \text{Time的信息}",
            ],
            ["0.15\\times 8", "[6,3.5,4]", "1.2]"],
        ),
        (
            changed(K=[[1, 0, 1], [0, 2, 0]]),
            # row Machine is [2, 4] now: 4/1.7 = 2.352..., cut to 2.35; e^1.17 = 3.22, e^2.35 = 10.48; 13.7
            [
                r"1\times 0+2\times 2+1\times 0=4",
                r"\left[\begin{array}{cc}1.76& 0\\ 1.17& 2.35\end{array}\right]",
                r"e^{1.17}\approx 3.2",
                r"e^{2.35}\approx 10.5",
                "13.7",
                r"\approx [0.23,0.77]",
                r"0.23\times 10+0.77\times 2=2.3+1.54=3.84",
            ],
            ["[0.5,0.5]", "1.17& 1.17"],
        ),
        (
            changed(tokens=["Machine", "Time"]),
            [r"{x}_{1}$）：$[0,2,0,1]", r"q_{\text{Machine}}& =[0,2,0,1]\cdot W^Q"],
            [r"q_{\text{Time}}"],
        ),
        (
            changed(d_k=4, rounding={"root": {"value": "2.1", "shown": "2.0"}}),
            # 3/2.1 = 1.428..., 2/2.1 = 0.952...; e^1.43 = 4.178..., 5.18; 4.18/5.18 = 0.806..., 1/5.18 = 0.193...
            [r"\sqrt{d_k}\approx 2.0", "3/2.1", "1.43", r"e^{1.43}\approx 4.18", "5.18", r"\approx [0.81,0.19]"],
            ["1.7", "0.85"],
        ),
    ],
    ids=["a value", "a key", "the order of the tokens", "the root"],
)
def test_a_changed_number_changes_every_formula_that_depends_on_it(
    spec: dict[str, Any], present: list[str], absent: list[str]
) -> None:
    text = tokens_of(as_written(spec, language="zh"))
    body = text[: text.index("题目没有给出")] + text[text.index("第三阶段") :]  # without the solved weights
    for formula in present:
        assert tokens_of(formula) in text
    for formula in absent:
        assert tokens_of(formula) not in body


def test_a_row_of_the_query_worked_out_stays_the_product_where_the_given_row_differs() -> None:
    text = as_written(language="en", expand="all")
    assert r"{q}_{\text{Machine}}& =[0,2,0,1]\cdot W^Q" in text
    assert r"\\ & =[0,2,1]\end{array}" in text
    assert "gives $[0,2,1]$, but the example states $[1,2,1]$. The derivation goes on with the stated row." in text
    assert r"row 4, column 1, $0\to 1$" in text


def test_recompute_goes_on_with_the_product() -> None:
    derivation = derive(load_spec(), recompute=True)
    text = render(derivation, language="en")
    assert "The derivation goes on with the product." in text
    assert r"\frac{1}{1+e^{1/\sqrt{3}}}" in text
    assert r"\frac{e^{1/\sqrt{3}}}{1+e^{1/\sqrt{3}}}" in text
    assert r"4.8763& 3.9214& 5.1237" in text


# ---- = and ≈ ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["exact", "free-dk"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_exact_documents_never_put_a_decimal_after_an_equals_sign(kind: str, language: str) -> None:
    derivation = derive(load_spec(), Exact(free_d_k=kind == "free-dk"))
    for formula in formulas_of(render(derivation, language=language)):
        for link in formula.split("=")[1:]:
            assert not re.search(r"\d\.\d", link.split(r"\approx")[0]), formula


def test_a_rounded_row_is_approximate_and_an_exact_one_equal() -> None:
    text = as_written(language="en")
    assert r"Weights $\approx [0.85,0.15]$" in text
    assert "Weights $=[0.5,0.5]$" in text
    assert r"$e^0=1$" in text
    assert r"$e^{1.76}\approx 5.8$" in text


@pytest.mark.parametrize(
    "bad", ["1.0 e", r"1.0\cdot", "0.5e", "1e^", "+-", "--", r"\frac{0}{1}", "None", "fmpq", "ExpSum", "{}"]
)
def test_no_document_has_machine_spellings(bad: str) -> None:
    for arithmetic in (Exact(), Exact(free_d_k=True), Written(load_spec().policy)):
        for notation in ("document", "paper"):
            text = render(derive(load_spec(), arithmetic), language="en", notation=notation)
            assert not any(bad in formula for formula in formulas_of(text))


def test_places_decide_the_decimals_beside_exact_results() -> None:
    text = render(derive(load_spec()), language="en", places=50)
    with mpmath.workdps(80):
        e = mpmath.exp(mpmath.sqrt(3))
        expected = mpmath.nstr(e / (1 + e), 60)[: len("0.") + 49]  # the last place may be rounded up
    assert expected.startswith("0.849674553089838574528717157")
    assert expected in text


# ---- sections, expansion, worksheets, notation ------------------------------------------------------------------


def test_stages_choose_the_sections() -> None:
    text = render(derive(load_spec()), language="en", stages=("scores",))
    assert "## Stage 3" in text
    assert "## Stage 4" not in text


@pytest.mark.parametrize(
    ("expand", "worked", "pairs"), [("none", 0, False), ("first", 1, True), ("all", 2, True)], ids=str
)
def test_expansion(expand: str, worked: int, pairs: bool) -> None:
    text = render(derive(load_spec()), language="en", expand=expand)
    assert text.count(r"\cdot W^Q\\") == worked
    assert (r"2\times 1+0\times 0+1\times 1=3" in text) is pairs
    assert r"\text{Output}=" in text


def test_expanding_all_works_out_keys_and_values_too() -> None:
    spec = {"tokens": ["a"], "X": [[1, 2]], "W_Q": [[1], [2]], "W_K": [[3], [4]], "W_V": [[5], [6]]}
    text = render(derive(load_spec(spec)), language="en", expand="all")
    for line in (r"{q}_{\text{a}}", r"{k}_{\text{a}}", r"{v}_{\text{a}}", r"(1\cdot 5+2\cdot 6)", "[17]"):
        assert line in text


ANSWERS = ["1.76", "1.17", "5.8", "6.8", "0.85", "0.15", "8.8", "2.45", "1.2", "3.5", "85%", "mainly"]


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_worksheet_gives_no_answer_away_and_its_key_gives_each(answer: str) -> None:
    sheet, key = (as_written(language="en", worksheet=kind) for kind in ("blank", "key"))
    assert answer not in sheet
    assert answer in key


def test_a_worksheet_has_blanks_where_its_key_has_answers() -> None:
    sheet, key = (as_written(language="en", worksheet=kind) for kind in ("blank", "key"))
    assert "Worksheet" in sheet
    assert "Answer key" in key
    assert sheet.count("underline") > 40
    assert "underline" not in key
    assert r"2\times 1+0\times 0+1\times 1=" in sheet


def test_paper_notation_is_another_table() -> None:
    text = render(derive(load_spec()), language="en", notation="paper")
    for part in (r"\operatorname{softmax}", r"\begin{pmatrix}", "W_Q", r"K^{\top}", r"\exp\left(\sqrt{3}\right)"):
        assert part in text
    for part in (r"\text{Scores}", "W^Q", r"\leftarrow", "e^{", r"\left[\begin{array}"):
        assert part not in text


def test_different_widths_are_told_apart() -> None:
    spec = {"tokens": ["a", "b"], "X": [[1], [2]], "W_Q": [[1, 2]], "W_K": [[1, 0]], "W_V": [[1, 2, 3]]}
    text = render(derive(load_spec(spec)), language="en")
    assert "The first two have the shape 1 × 2, the last 1 × 3." in text
    assert "d_k=2,d_v=3" in text


def test_a_free_d_k_has_no_width() -> None:
    text = render(derive(load_spec(), Exact(free_d_k=True)), language="en")
    assert "Width of V: $d_v=3$; $d_k$ stays a letter" in text


def test_an_irrational_d_k_is_a_number_all_the_same() -> None:
    spec = {"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "d_k": "pi"}
    text = render(derive(load_spec(spec)), language="en")
    assert r"Here $d_k=\pi$, so each score is divided by $\sqrt{d_k}=\sqrt{\pi}\approx 1.7725$." in text


def test_another_d_k_than_the_width_is_said() -> None:
    spec = {"tokens": ["a"], "Q": [[1]], "K": [[1]], "V": [[1]], "d_k": 64}
    derivation = derive(load_spec(spec))
    assert "The scaling uses $d_k=64$, although the width of K is 1." in render(derivation, language="en")
    assert derivation.remarks() == ("the scaling uses d_k = 64, although the width of K is 1",)


# ---- missing and contradictory matrices -------------------------------------------------------------------------


def test_missing_weights_are_offered_with_their_family() -> None:
    text = render(derive(load_spec()), language="en")
    assert "$W^K$ is not given. $X\\cdot W^K=K$ holds for this integer matrix, the one with the least sum" in text
    assert r"W^K=\left[\begin{array}{ccc}1& 0& 1\\ 0& 0& 0\\ 0& 0& 0\\ 0& 1& 0\end{array}\right]" in text
    assert "combination of $[1,0,-1,0]$, $[0,1,0,-2]$" in text


@pytest.mark.parametrize(
    ("X", "K", "said"),
    [
        ([[2], [4]], [[1], [2]], "none is integral"),
        ([[1], [2]], [[1], [3]], "no matrix satisfies"),
        ([[1], [2]], [[3], [6]], "It is the only solution."),
    ],
    ids=["no integers", "impossible", "unique"],
)
def test_missing_weights_of_every_kind(X: list[list[int]], K: list[list[int]], said: str) -> None:
    spec = {"tokens": ["a", "b"], "X": X, "Q": [[1], [1]], "W_Q": [[1]], "K": K, "V": [[1], [1]]}
    assert said in render(derive(load_spec(spec)), language="en")


def test_a_given_matrix_that_no_weights_can_give() -> None:
    spec = {"tokens": ["a", "b"], "X": [[1], [1]], "W_Q": [[1]], "Q": [[1], [2]], "K": [[1], [1]], "V": [[1], [1]]}
    assert "No change of $W^Q$ can give the stated matrix." in render(derive(load_spec(spec)), language="en")


# ---- readings ---------------------------------------------------------------------------------------------------


def reading_of(scores: list[list[str | int]], row: int = 0, language: str = "en") -> str:
    """The words of one row, for scores given outright (K is the identity, so Q holds the scores)."""
    n = len(scores)
    tokens = ["red", "green", "blue", "grey"][:n]
    spec = {
        "tokens": tokens,
        "Q": scores,
        "K": [[int(i == j) for j in range(n)] for i in range(n)],
        "V": [[i] for i in range(n)],
        "d_k": 1,
    }
    text = render(derive(load_spec(spec)), language=language, stages=("softmax",))
    found = re.search(rf"^- (?:Row {row + 1} |第 {row + 1} 行).*$", text, re.MULTILINE)
    assert found
    return found[0]


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([[5, 0], [0, 0]], "“red” attends almost only to itself (99.3%)."),
        ([[0, 5], [0, 0]], "“red” attends almost only to “green” (99.3%)."),
        ([[2, 0], [0, 0]], "“red” attends mainly to itself (88.1%) and a little to “green” (11.9%)."),
        ([["1/2", 0], [0, 0]], "“red” attends more to itself (62.2%) than to “green” (37.8%)."),
        ([[1, 1], [0, 0]], "“red” attends to every token equally, 50% each."),
        ([[1, 1, 0], [0, 0, 0], [0, 0, 0]], "“red” attends most, and equally, to itself and “green” (42.2% each)."),
        (
            [[0, 1, "1/2"], [0, 0, 0], [0, 0, 0]],
            "“red” attends most to “green” (50.6%), then to “blue” (30.7%) and itself (18.6%).",
        ),
        ([[7]], "“red” has nothing else to attend to."),
    ],
)
def test_readings_say_who_attends_to_whom(scores: list[list[str | int]], said: str) -> None:
    # e^5/(e^5+1) = 0.99331, e^2/(e^2+1) = 0.88080, e^0.5/(e^0.5+1) = 0.62246, e/(2e+1) = 0.42231,
    # e/(1+e+e^0.5) = 0.50648, e^0.5/(...) = 0.30720, 1/(...) = 0.18632
    assert said in reading_of(scores)


def test_readings_in_chinese() -> None:
    assert "“red”主要关注自己（88.1%），也稍微关注“green”（11.9%）。" in reading_of([[2, 0], [0, 0]], language="zh")


def test_with_a_free_d_k_the_order_is_read_from_the_scores() -> None:
    text = render(derive(load_spec(), Exact(free_d_k=True)), language="en")
    assert "For every $d_k$ the largest weight of “Time” goes to itself." in text
    assert "For every $d_k$, “Machine” attends to every token equally." in text


def test_a_percentage_is_rounded_once() -> None:
    # 1/(1+e^x) = 0.2845 - 3e-15: 28.4 at one place, though 28.5 by way of twelve
    score = fmpq(int(mpmath.floor(mpmath.log(mpmath.mpf("0.7155") / mpmath.mpf("0.2845")) * 10**12)) + 1, 10**12)
    with mpmath.workdps(40):
        weight = 1 / (1 + mpmath.exp(mpmath.mpf(int(score.p)) / int(score.q)))
        assert 0.2844999 < weight < 0.2845
    assert "(28.4%)" in reading_of([[0, score], [0, 0]])


def test_equal_is_decided_exactly() -> None:
    assert "equally" not in reading_of([["1e-13", 0], [0, 0]])
    assert "50% each" in reading_of([["1e-13", "1e-13"], [0, 0]])


def test_nothing_is_left_out_of_a_list_in_silence() -> None:
    spec = {"tokens": list("abcdef"), "Q": [[1]] * 6, "K": [[1]] * 5 + [[0]], "V": [[1]] * 6}
    for language, said in (("en", "itself, “b”, “c” and 2 more ("), ("zh", "自己、“b”、“c”等另外 2 个词")):
        assert said in render(derive(load_spec(spec)), language=language, stages=("softmax",))


def test_an_output_that_moves_a_little_is_not_told_as_unchanged() -> None:
    spec = {"tokens": ["a", "b"], "Q": [[16], [0]], "K": [[1], [0]], "V": [[1], [2]], "d_k": 1}
    text = render(derive(load_spec(spec)), language="en", stages=("output",))
    assert "It stays as it was" not in text
    same = {**spec, "V": [[3], [3]]}
    assert "It stays as it was" in render(derive(load_spec(same)), language="en", stages=("output",))


def test_the_source_of_a_change_is_the_token_that_pulled_that_way() -> None:
    # b pulls up and c pulls down; the first token goes down
    spec = {"tokens": ["a", "b", "c"], "Q": [[0]] * 3, "K": [[0]] * 3, "V": [[0], [3], [-9]]}
    assert "It took in some of “c”" in render(derive(load_spec(spec)), language="en", stages=("output",))


def test_a_zero_by_cancellation_is_not_told_as_nothing_in_common() -> None:
    spec = {"tokens": ["a", "b"], "Q": [[1, -1], [0, 0]], "K": [[0, 0], [1, 1]], "V": [[1], [2]]}
    assert (
        "asks for nothing" not in render(derive(load_spec(spec)), language="en", stages=("scores",)).split("row 2")[0]
    )


def test_differences_stand_in_brackets() -> None:
    spec = {"tokens": ["s", "t"], "Q": [["a-b"], ["1-sqrt(2)"]], "K": [[2], ["a-b"]], "V": [["b-a"], [1]]}
    text = render(derive(load_spec(spec)), language="en")
    assert r"(a - b)\times 2=2 a - 2 b" in text
    assert r"(a - b)\times (a - b)" in text
    assert r"(1 - \sqrt{2})\times 2" in text


def test_equal_scores_with_letters_are_shared_equally() -> None:
    spec = {"tokens": ["s", "t"], "Q": [["1-sqrt(2)"], ["x-y"]], "K": [[1], [1]], "V": [[2], [4]]}
    text = render(derive(load_spec(spec)), language="en")
    assert text.count(r"Weights $=\left[\frac{1}{2},\frac{1}{2}\right]$") == 2
    assert r"(2+4)/2" in text


def test_equal_weights_that_a_rounded_sum_made_are_worked_out() -> None:
    spec = {"tokens": ["s", "t"], "Q": [[1], [1]], "K": [[1], [1]], "V": [[2], [4]], "d_k": 1}
    loaded = load_spec(spec).with_rounding(["exponentials=1", "row_sums=0", "weights=2"])
    text = render(derive(loaded, Written(loaded.policy)), language="en")
    assert text.count(r"The sum is $2.7+2.7\approx 5$. Weights $=[0.54,0.54]$.") == 2  # 2.7/5, not 1/2
    assert "shared equally" not in text


def test_a_hand_calculation_may_give_the_root_of_a_free_d_k() -> None:
    spec = {"tokens": ["s", "t"], "Q": [[3], [0]], "K": [[1], [0]], "V": [[2], [4]], "d_k": "n"}
    loaded = load_spec(spec).with_rounding(["root=1.7"])
    text = render(derive(loaded, Written(loaded.policy)), language="en")
    assert r"$\sqrt{n}\approx 1.7$" in text
    assert r"\approx \left[\begin{array}{cc}1.76& 0\\ 0& 0\end{array}\right]" in text
    assert "attends mainly to itself" in text


def test_roots_in_the_input_are_rounded_by_a_hand_and_told_so() -> None:
    spec = {"tokens": ["s"], "X": [["sqrt(2)", "1.5"]], "W_Q": [[2], [1]], "Q": [[5]], "K": [["sqrt(3)"]], "V": [[1]]}
    loaded = load_spec(spec)
    text = render(derive(loaded, Written(loaded.policy)), language="en")
    assert r"=[(1.41\cdot 2+1.5\cdot 1)]\\ & =[4.32]" in text
    assert r"K\approx \left[" in text
    assert r"2\sqrt" not in text


def test_rules_for_projections_and_scores_are_kept() -> None:
    loaded = load_spec({"tokens": ["s"], "Q": [["1.55"]], "K": [[1]], "V": [[1]]}).with_rounding(["scores=1"])
    assert r"1.55\times 1\approx 1.6" in render(derive(loaded, Written(loaded.policy)), language="en")


def test_a_hand_adds_what_it_has_written() -> None:
    assert "The sum is $5.8+1=6.8$." in as_written(language="en")


def test_an_impossible_projection_is_said_on_both_channels() -> None:
    spec = {"tokens": ["s", "t"], "X": [[1], [1]], "Q": [[1], [1]], "W_Q": [[1]], "K": [[1], [2]], "V": [[1], [1]]}
    derivation = derive(load_spec(spec))
    assert derivation.remarks() == ("no W_K gives K: row 't' does not fit the rows above it",)
    assert "K (key: what do I offer?), as given:" in render(derivation, language="en")


def test_a_worksheet_blanks_the_rows_that_contradict_and_the_exact_root() -> None:
    sheet = render(derive(load_spec()), language="en", worksheet="blank", expand="all")
    assert "[0,2,1]" not in sheet
    assert r"\sqrt{3}" not in sheet


# ---- elision ----------------------------------------------------------------------------------------------------


def big(n: int) -> dict[str, Any]:
    return {
        "tokens": [f"w{i}" for i in range(1, n + 1)],
        "Q": [[i % 3, 1] for i in range(n)],
        "K": [[1, i % 5] for i in range(n)],
        "V": [[i, 1] for i in range(n)],
    }


def test_big_matrices_are_elided_and_full_prints_all() -> None:
    derivation = derive(load_spec(big(12)))
    short, full = (render(derivation, language="en", full=full) for full in (False, True))
    assert r"\ddots" in short
    assert r"\leftarrow \text{w12}" in short
    assert r"\text{w7}" not in short
    assert "dots" not in full
    assert r"\leftarrow \text{w7}" in full
    assert len(short) < len(full) / 5


def test_an_elided_derivation_makes_only_the_rows_it_shows() -> None:
    derivation = derive(load_spec(big(40)))
    render(derivation, language="en")
    made = derivation.trace.output
    assert sorted(made._made) == [0, 1, 2, 39]


# ---- choices ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"language": "fr"}, "unknown language 'fr'; expected one of zh, en"),
        ({"notation": "house"}, "unknown notation 'house'; expected one of document, paper"),
        ({"expand": "some"}, "unknown expand 'some'; expected one of none, first, all"),
        ({"worksheet": "yes"}, "unknown worksheet 'yes'; expected one of blank, key"),
        ({"stages": ("softmax", "sofmax")}, "unknown stage 'sofmax'; expected one of embedding, projection"),
        ({"places": -1}, "places = -1; expected 0 to 1000"),
        ({"colour": "red"}, "unknown choice in colour; expected some of language, notation"),
    ],
)
def test_unknown_choices_raise(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        render(derive(load_spec()), **choices)


@pytest.mark.parametrize("arithmetic", [Ball(), Float()], ids=lambda a: a.name)
def test_balls_and_floats_have_no_document(arithmetic: Any) -> None:
    message = (
        f"a derivation in {arithmetic.name} arithmetic has no document; expected one of exact, free-dk, as-written"
    )
    with pytest.raises(OptionError, match=message):
        render(derive(load_spec(), arithmetic))


def test_an_unknown_format_raises() -> None:
    with pytest.raises(OptionError, match=r"unknown format 'docx'; expected one of md, tex, html"):
        render(derive(load_spec()), "docx")


def test_progress_is_told_block_by_block() -> None:
    told: list[str] = []
    render(derive(load_spec()), progress=told.append)
    assert len(told) > 40


# ---- languages --------------------------------------------------------------------------------------------------


def phrases(language: str) -> dict[str, str]:
    return tomllib.loads((resources.files("symattn.rendering.languages") / f"{language}.toml").read_text("utf-8"))


def test_both_languages_have_the_same_phrases_with_the_same_places() -> None:
    zh, en = phrases("zh"), phrases("en")
    assert zh.keys() == en.keys()
    for key in zh:
        assert {name for _, name, _, _ in Formatter().parse(zh[key]) if name} == {
            name for _, name, _, _ in Formatter().parse(en[key]) if name
        }, key


def test_every_phrase_is_used() -> None:
    sources = "".join(path.read_text("utf-8") for path in (Path(__file__).parents[2] / "symattn").rglob("*.py"))
    computed = ("kind_", "projection_formula")

    def used(key: str) -> bool:
        if not key.startswith("compare_"):
            return f'"{key}"' in sources or key.startswith(computed)
        # sections put such keys together from a prefix and a word: "column_" and "written"
        words = key.split("_")[1:]
        tails = ("_".join(words[i:]) for i in range(len(words)))
        return any(f'{mark}{tail}"' in sources for tail in tails for mark in ('"', "_"))

    unused = [key for key in phrases("en") if not key.startswith("verify_") and not used(key)]
    assert unused == []
