"""Pictures of a comparison: what is drawn is what was worked out, in two languages, whatever the tokens are called."""

from __future__ import annotations

import dataclasses
import itertools
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from flint import fmpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from symattn import Comparison, Written, compare, derive, load_spec
from symattn.attention.spec_file import parse_spec
from symattn.comparison.compare import Asked
from symattn.errors import OptionError
from symattn.rendering.language import language
from symattn.rendering.pictures import PICTURES, Picture, draw, fonts, pictures, style
from symattn.rendering.pictures.by_d_k import sweep
from symattn.rendering.pictures.error_by_root import panels
from symattn.rendering.pictures.fonts import fonts_for
from symattn.rendering.pictures.losses import bars, chosen
from symattn.rendering.pictures.weights import readable

if os.environ.get("SYMATTN_REQUIRE_TOOLS") != "1":
    pytest.importorskip("matplotlib")

ROUNDING = """
root = { value = "1.7" }
scaled_scores = { places = 2 }
exponentials = { places = 1 }
weights = { places = 2, padded = true }
outputs = { places = 2 }
"""
NAMES = ["50%", "a&b", "$x$", "_x", "w" * 60, "注意力", "مرحبا", "🙂"]


def toml(text: str) -> str:
    return '"' + "".join(f"\\U{ord(c):08X}" for c in text) + '"'


def made(
    tokens: Sequence[str],
    Q: Sequence[Sequence[Any]],
    K: Sequence[Sequence[Any]],
    V: Sequence[Sequence[Any]],
    d_k: str = "3",
    rounding: str = ROUNDING,
    roots: tuple[str, ...] = ("1.7", "1.73"),
) -> Comparison:
    matrices = "\n".join(f"{name} = {[list(row) for row in rows]}" for name, rows in (("Q", Q), ("K", K), ("V", V)))
    names = ", ".join(map(toml, tokens))
    spec = parse_spec(f"tokens = [{names}]\nd_k = {d_k}\n[matrices]\n{matrices}\n[rounding]\n{rounding}", "x")
    return compare(derive(spec), derive(spec, Written(spec.policy)), Asked(roots=roots))


def numbered(tokens: Sequence[str], width: int = 3) -> Comparison:
    """A comparison with these names and some whole numbers."""
    n = len(tokens)
    Q, K, V = (
        [[(a * i + b * j + i * j) % 4 - 1 for j in range(width)] for i in range(n)] for a, b in ((2, 3), (1, 2), (3, 1))
    )
    return made(tokens, Q, K, V)


@pytest.fixture(scope="module")
def example() -> Comparison:
    spec = load_spec()
    return compare(derive(spec), derive(spec, Written(spec.policy)))


@pytest.fixture(scope="module")
def outlandish() -> Comparison:
    return numbered(NAMES)


def figure(comparison: Comparison, name: str, key: str = "en", labels: Sequence[str] = ()) -> Any:
    phrases = language(key)
    chosen_fonts = fonts_for(phrases, comparison.exact.spec.tokens)
    with style.look(chosen_fonts):
        page = PICTURES[name](comparison, phrases, chosen_fonts, labels).figure
        page.draw_without_rendering()
        return page


def lines(page: Any, gid: str) -> list[Any]:
    return [line.get_xydata() for axes in page.axes for line in axes.lines if line.get_gid() == gid]


def output(column: int, root: mpf) -> mpf:
    """Output[1,column] of the example with a root in the place of √3: scores 3 and 0."""
    above, below = ((10, 2), (2, 5), (0, 8))[column - 1]
    return (above * mp.exp(3 / root) + below) / (mp.exp(3 / root) + 1)


# ---- the numbers that are drawn ---------------------------------------------------------------------------------


def test_the_curve_of_errors_is_the_error_at_every_root(example: Comparison) -> None:
    with mp.workdps(40):
        root = mp.sqrt(3)
        for column, label in ((1, "Output[1,1]"), (2, "Output[1,2]")):
            (points,) = lines(figure(example, "error-by-root", labels=[label]), "curve")
            assert len(points) > 100
            for x, y in points:
                # the coordinate is the float next to the rational root, half an ulp away at most
                assert abs(mpf(y) - (output(column, mpf(x)) - output(column, root))) < 4e-15


def test_the_safe_band_and_the_marks_stand_where_they_belong(example: Comparison) -> None:
    page = figure(example, "error-by-root")
    (axes,) = page.axes
    (band,) = [patch for patch in axes.patches if patch.get_gid() == "safe"]
    with mp.workdps(30):
        low, high = (3 / mp.log(mpf(a) / b) for a, b in ((511, 89), (509, 91)))
        assert abs(band.get_x() - low) < 1e-15
        assert abs(band.get_x() + band.get_width() - high) < 1e-15
        unsafe, safe, exact = (marks[0] for marks in lines(page, "mark"))
        assert (unsafe[0], safe[0]) == (1.7, 1.73)
        for x, y in (unsafe, safe):
            assert abs(y - (output(2, mpf(x)) - output(2, mp.sqrt(3)))) < 1e-15
        assert abs(exact[0] - mp.sqrt(3)) < 1e-15
        assert exact[1] == 0
    assert [line.get_marker() for line in axes.lines if line.get_gid() == "mark"] == ["X", "o", ""]


def test_where_the_root_is_rational_the_error_is_nothing() -> None:
    comparison = made(["a", "b"], [[3, 0], [1, 1]], [[1, 0], [0, 1]], [[1, 0], [0, 2]], d_k="4", roots=("2", "2.1"))
    (panel, *_) = panels(comparison, ["Output[1,1]"])
    mark = panel.marks[0]
    assert (mark.root, mark.error.rational) == (fmpq(2), 0)
    assert panel.errors[panel.roots.index(2.0)] == 0
    assert sum(y == 0 for y in panel.errors) == 1


def test_by_default_the_outputs_that_a_root_spoils_are_drawn(example: Comparison) -> None:
    assert [panel.safe.label for panel in panels(example)] == ["Output[1,2]"]
    assert len(panels(numbered(NAMES))) == 4


def test_roots_far_away_are_named_not_drawn() -> None:
    comparison = made(["a"], [[1]], [[1]], [[2]], roots=("1.7", "50"))
    (panel,) = panels(comparison)
    assert [mark.text for mark in panel.beyond] == ["50"]
    assert nearest_to(panel.high) < 4
    drawn = draw(comparison, "error-by-root")
    assert drawn.alt.endswith(
        "every root is safe. 1.7 is inside (error 0), 50 is inside (error 0). Beyond the picture: 50."
    )


def test_the_ends_of_a_narrow_band_are_told_apart() -> None:
    rounding = "exponentials = { digits = 12 }\nweights = { places = 8 }\noutputs = { places = 8 }"
    comparison = made(["a", "b"], [[3], [1]], [[1], [0]], [[1], [0]], rounding=rounding)
    with mp.workdps(30):
        unit = mpf(10) ** -8 / 2
        written = mpf(comparison["Output[1,1]"].written.text)
        low, high = (3 / mp.log(share / (1 - share)) for share in (written + unit, written - unit))
        assert f"safe roots: {mp.nstr(low, 8)} to {mp.nstr(high, 8)}" in draw(comparison, "error-by-root").alt


def nearest_to(value: fmpq) -> float:
    return int(value.p) / int(value.q)


def test_bars_follow_one_another_and_end_at_the_total(example: Comparison) -> None:
    page = figure(example, "losses")
    with mp.workdps(30):
        root = mp.sqrt(3)
        states = {
            # √3 taken as 1.7, then 3/1.7 cut to 1.76, then e^1.76 as 5.8, then 5.8/6.8 as 0.85 and 1/6.8 as 0.15
            "root": output(2, mpf("1.7")),
            "scaled_scores": output(2, 3 / mpf("1.76")),
            "exponentials": (2 * mpf("5.8") + 5) / mpf("6.8"),
            "weights": mpf("2.45"),
        }
        loss = chosen(example)[1]
        places = [float(value - output(2, root)) for value in states.values()]
        found = bars(loss)
        assert [bar.kind for bar in found] == [*states, ""]
        assert [bar.end for bar in found[:-1]] == pytest.approx(places, rel=1e-12)
        assert [bar.start for bar in found] == pytest.approx([0, *places[:-1], 0], rel=1e-12)
        assert found[-1].end == pytest.approx(places[-1], rel=1e-12)
    patches = [patch for patch in page.axes[1].patches if patch.get_gid() is None or patch.get_gid() == "bar"]
    drawn = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in patches]
    assert [sorted(pair) for pair in drawn] == [pytest.approx(sorted((bar.start, bar.end))) for bar in found]
    hatches = [patch.get_hatch() for patch in patches]
    assert hatches == ["////", None, None, None, None]  # down, up, up, up, total


def test_where_nothing_was_lost_it_is_said() -> None:
    comparison = made(["a"], [[1]], [[1]], [[2]])
    assert draw(comparison, "losses").alt == "No output lost anything: every written output is exact."
    assert "没有任何损失" in draw(comparison, "losses", "zh").alt


def test_very_small_errors_are_told_in_units_of_a_power_of_ten() -> None:
    rounding = "exponentials = { digits = 9 }\nweights = { places = 9 }\noutputs = { places = 9 }"
    comparison = made(["a", "b"], [[3], [1]], [[1], [0]], [[1], [0]], rounding=rounding)
    alt = draw(comparison, "losses").alt
    assert "×10⁻¹⁰" in alt
    shown = [text.get_text() for text in figure(comparison, "losses").texts]
    assert any(text.startswith("Output[1,1] ×10⁻") for text in shown)


def test_curves_over_d_k_and_their_limits(example: Comparison) -> None:
    found = sweep(example)
    assert [(c.at_zero, c.at_infinity) for c in found.weights] == [(1, fmpq(1, 2)), (0, fmpq(1, 2))]
    assert [(c.at_zero, c.at_infinity) for c in found.outputs] == [(10, 6), (2, fmpq(7, 2)), (0, 4)]
    page = figure(example, "by-d_k")
    curves = lines(page, "curve")
    assert len(curves) == 5
    with mp.workdps(30):
        for place, points in enumerate(curves):
            assert points[0][0] == pytest.approx(0.1, rel=1e-12)
            assert points[-1][0] == pytest.approx(1000, rel=1e-12)
            for x, y in points:
                root = mp.sqrt(mpf(x))
                share = 1 / (1 + mp.exp(-3 / root))
                expected = (share, 1 - share)[place] if place < 2 else output(place - 1, root)
                assert abs(y - expected) < 1e-14
        own = [points[0] for points in lines(page, "own")]
        assert all(x == 3 for x, _ in own)
        assert own[3][1] == pytest.approx(float(output(2, mp.sqrt(3))), rel=1e-15)
    heights = sorted({y for points in lines(page, "limit") for _, y in points})
    assert heights == [0, 0.5, 1, 2, 3.5, 4, 6, 10]


def test_the_row_of_a_label_is_drawn(example: Comparison) -> None:
    assert sweep(example, ["Output[2,1]"]).row == 1
    alt = draw(example, "by-d_k", labels=["Weights[2,1]"]).alt
    assert "Time is 1/2 for every d_k" in alt


def test_the_axis_reaches_around_an_unusual_d_k() -> None:
    comparison = made(["a", "b"], [[2], [1]], [[1], [0]], [[1], [0]], d_k="4096", roots=("64",))
    assert (sweep(comparison).low, sweep(comparison).high) == (-1, 5)


def test_the_cells_hold_exact_decimals_and_what_was_written(example: Comparison) -> None:
    exact, written = figure(example, "weights").axes
    cells = [[text.get_text() for text in axes.texts if text.get_gid() == "cell"] for axes in (exact, written)]
    assert cells == [["0.8497", "0.1503", "0.5000", "0.5000"], ["0.85", "0.15", "0.5", "0.5"]]
    (shades,) = [mesh.get_array() for mesh in exact.collections if mesh.get_gid() == "map"]
    share = 1 / (1 + mp.exp(-mp.sqrt(3)))
    assert list(shades.ravel()) == pytest.approx([float(share), float(1 - share), 0.5, 0.5], rel=1e-15)


def test_many_tokens_are_left_out_and_it_is_said() -> None:
    comparison = numbered([f"t{k}" for k in range(20)])
    assert draw(comparison, "weights").alt.endswith("The first 16 of 20 tokens are shown.")
    assert draw(comparison, "weights", "zh").alt.endswith("共 20 个词，这里只画前 16 个。")
    page = figure(comparison, "weights")
    assert [len(axes.get_yticklabels()) for axes in page.axes] == [16, 16]
    assert "The first 16 of 20 tokens are shown." in [text.get_text() for text in page.texts]
    assert "6 of 20 curves are shown." in [text.get_text() for text in figure(comparison, "by-d_k").texts]


# ---- what is said -----------------------------------------------------------------------------------------------


def test_descriptions_have_the_certified_numbers(example: Comparison) -> None:
    told = {picture.name: picture.alt for picture in pictures(example)}
    assert told["error-by-root"] == (
        "Error of Output[1,2], written 2.45, for roots from 1.5 to 1.95 in the place of √3: zero at √3; "
        "safe roots: 1.7165 to 1.7426. 1.7 is outside (error −0.0124), 1.73 is inside (error −0.000786)."
    )
    assert told["losses"].startswith(
        "Output[1,1] is off by +0.00260: root √d_k +0.0330, scaled scores −0.00471, exponentials −0.00215, "
        "weights −0.0235. Output[1,2] is off by −0.000976: root √d_k −0.0124,"
    )
    assert "Time goes from 1 (d_k → 0) through 0.8497 (d_k = 3) to 1/2 (d_k → ∞)" in told["by-d_k"]
    assert "Output[1,2] goes from 2 (d_k → 0) through 2.4510 (d_k = 3) to 7/2 (d_k → ∞)" in told["by-d_k"]
    assert told["weights"] == (
        "Attention weights, exact beside what was written. Row Time: Time 0.8497 (written 0.85), "
        "Machine 0.1503 (written 0.15). Row Machine: Time 0.5000 (written 0.5), Machine 0.5000 (written 0.5)."
    )


def test_descriptions_in_chinese_have_the_same_numbers(example: Comparison) -> None:
    import re

    number = re.compile(r"[+−]?\d+\.\d+")
    for english, chinese in zip(pictures(example), pictures(example, "zh"), strict=True):
        assert number.findall(english.alt) == number.findall(chinese.alt)
        assert any("\u4e00" <= c <= "\u9fff" for c in chinese.alt)


# ---- files ------------------------------------------------------------------------------------------------------


def test_the_same_bytes_each_time_and_whatever_the_settings(example: Comparison) -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    first = {(name, to): draw(example, name, to=to).data for name in PICTURES for to in ("svg", "png")}
    with mpl.rc_context({"text.usetex": True, "figure.facecolor": "black", "font.size": 30, "axes.grid": True}):
        again = {(name, to): draw(example, name, to=to).data for name in PICTURES for to in ("svg", "png")}
    assert first == again
    assert dict(mpl.rcParams) == before
    for (_, to), data in first.items():
        assert data.startswith(b"\x89PNG" if to == "png" else b"<?xml")
        assert not any(word in data for word in (b"matplotlib.org", b"Matplotlib", b"Software", b"<dc:date"))


def test_an_svg_is_shapes_only(outlandish: Comparison) -> None:
    for name in PICTURES:
        data = draw(outlandish, name).data
        root = ET.fromstring(data)  # noqa: S314  (our own document)
        tags = {element.tag.partition("}")[2] for element in root.iter()}
        assert tags <= {
            "svg",
            "defs",
            "g",
            "path",
            "use",
            "clipPath",
            "rect",
            "style",
            "pattern",
            "metadata",
            "RDF",
            "Work",
        }
        assert b"<!--" not in data
        assert not any(text.encode() in data for text in ("注意力", "a&amp;b", "$x$", "مرحبا"))


def test_names_of_every_kind_are_drawn(hostile: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    names = [name for name in hostile.values() if name]
    for start in range(0, len(names), 16):
        comparison = numbered(names[start : start + 16])
        with caplog.at_level(logging.WARNING):
            assert draw(comparison, "weights", to="png").data
            assert draw(comparison, "by-d_k", "zh", to="png").data
    assert [record for record in caplog.records if record.name.startswith("matplotlib")] == []


def test_a_dollar_is_a_dollar_and_a_letter_without_a_font_its_number(outlandish: Comparison) -> None:
    labels = [text.get_text() for text in figure(outlandish, "weights").axes[0].get_yticklabels()]
    assert labels[:4] == ["50%", "a&b", "$x$", "_x"]
    assert labels[4].endswith("…")
    assert labels[4].strip("w") == "…"
    assert fonts.Fonts(("x",), frozenset("🙂\u200d")).name("🙂\u200d!") == "U+1F642!"


def ticks_beyond(axes: Any) -> list[Any]:
    """The labels of ticks that are kept ready but stand outside the axes, and are not drawn."""
    beyond = []
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        beyond += [tick.label1 for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
    return beyond


@pytest.mark.parametrize("key", ["en", "zh"])
@pytest.mark.parametrize("name", PICTURES)
def test_no_text_is_clipped_and_none_stands_on_another(
    name: str, key: str, example: Comparison, outlandish: Comparison
) -> None:
    from matplotlib.text import Text

    huge = made("abc", [[1], [2], [1]], [[1], [0], [1]], [[10**7, -5 * 10**8], [-(10**7), 1], [3, 10**12]])
    for comparison in (example, outlandish, huge):
        phrases = language(key)
        chosen_fonts = fonts_for(phrases, comparison.exact.spec.tokens)
        with style.look(chosen_fonts):
            page = PICTURES[name](comparison, phrases, chosen_fonts, ()).figure
            page.draw_without_rendering()
            unseen = {id(label) for axes in page.axes for label in ticks_beyond(axes)}
            texts = [t for t in page.findobj(Text) if t.get_visible() and t.get_text().strip() and id(t) not in unseen]
            boxes = [(text.get_text(), text.get_rotation(), text.get_window_extent()) for text in texts]
        width, height = page.bbox.size
        for text, _, box in boxes:
            assert box.x0 >= 0, text
            assert box.y0 >= 0, text
            assert box.x1 <= width, text
            assert box.y1 <= height, text
        level = [(text, box) for text, rotation, box in boxes if rotation in {0, 90}]
        for (text, box), (other, place) in itertools.combinations(level, 2):
            apart = box.x1 <= place.x0 + 1 or place.x1 <= box.x0 + 1 or box.y1 <= place.y0 + 1 or place.y1 <= box.y0 + 1
            assert apart, (text, other)


@given(
    n=st.integers(1, 4),
    width=st.integers(1, 3),
    d_k=st.sampled_from(["1", "3", "4", '"1/2"', "64", "4096"]),
    data=st.data(),
)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_small_examples_are_drawn(n: int, width: int, d_k: str, data: st.DataObject) -> None:
    rows = st.lists(st.lists(st.integers(-3, 3), min_size=width, max_size=width), min_size=n, max_size=n)
    rounding = (
        "root = { digits = 2 }\nexponentials = { digits = 3 }\nrow_sums = { digits = 4 }\noutputs = { places = 2 }"
    )
    comparison = made([f"t{k}" for k in range(n)], *(data.draw(rows) for _ in "QKV"), d_k=d_k, rounding=rounding)
    for picture in pictures(comparison, "en", "png"):
        assert picture.alt
        assert picture.data.startswith(b"\x89PNG")


# ---- style ------------------------------------------------------------------------------------------------------


def test_the_ink_of_a_cell_stands_out_from_every_shade() -> None:
    import matplotlib as mpl

    def luminance(colour: Sequence[float]) -> float:
        return sum(
            w * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
            for w, c in zip((0.2126, 0.7152, 0.0722), colour, strict=True)
        )

    for k in range(101):
        shade = mpl.colormaps["Blues"](k / 100)[:3]
        ink = 0.0 if readable(shade) == "black" else 1.0
        light, dark = sorted((luminance(shade), ink), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


@given(st.lists(st.floats(0, 1), max_size=8))
def test_labels_are_spread_out_between_the_ends(places: list[float]) -> None:
    found = style.spread(places, 0.1, 0.0, 1.0)
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in found)
    ordered = sorted(found)
    assert all(b - a >= 0.1 - 1e-9 for a, b in itertools.pairwise(ordered))
    wanted = sorted(range(len(places)), key=lambda i: (places[i], i))
    assert [found[i] for i in wanted] == ordered


# ---- what is refused --------------------------------------------------------------------------------------------


def test_a_picture_is_frozen(example: Comparison) -> None:
    picture = draw(example, "weights")
    assert picture == Picture("weights", picture.data, picture.alt)
    with pytest.raises(dataclasses.FrozenInstanceError):
        picture.alt = ""  # type: ignore[misc]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"name": "pie"}, "unknown picture 'pie'; expected one of error-by-root, losses, by-d_k, weights"),
        ({"to": "gif"}, "unknown type of picture 'gif'; expected one of svg, png"),
        ({"language": "fr"}, "unknown language 'fr'; expected one of zh, en"),
        ({"labels": ["Weights[1,1]"]}, "the picture of the weights shows all of them; expected no labels"),
        (
            {"name": "error-by-root", "labels": ["Q[1,1]"]},
            r"no safe roots for 'Q\[1,1\]'; expected a weight or an output",
        ),
        ({"name": "losses", "labels": ["Weights[1,1]"]}, r"no losses of 'Weights\[1,1\]'; expected an output"),
        ({"name": "by-d_k", "labels": ["Root"]}, "Root has no row; expected a weight or an output"),
    ],
    ids=["picture", "type", "language", "labels of the weights", "no weight", "no output", "no row"],
)
def test_unknown_choices(choices: dict[str, Any], message: str, example: Comparison) -> None:
    with pytest.raises(OptionError, match=message):
        draw(example, **{"name": "weights", **choices})


def test_letters_cannot_be_drawn() -> None:
    spec = parse_spec('tokens = ["a"]\nd_k = 3\n[matrices]\nQ = [["sqrt(2)"]]\nK = [[1]]\nV = [[1]]', "x")
    comparison = compare(derive(spec), derive(spec, Written(spec.policy)))
    with pytest.raises(OptionError, match="letters, roots or π cannot be drawn; expected rational entries and d_k"):
        draw(comparison, "losses")


def test_without_matplotlib(example: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(OptionError, match=r"pictures need matplotlib. pip install 'symattn\[pictures\]'"):
        draw(example, "weights")


def test_without_a_font_that_has_chinese(
    example: Comparison, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    from matplotlib.font_manager import fontManager

    latin = [entry for entry in fontManager.ttflist if entry.name == fonts.LATIN]
    monkeypatch.setattr(fontManager, "ttflist", latin)
    fonts._covering.cache_clear()
    request.addfinalizer(fonts._covering.cache_clear)
    with pytest.raises(
        OptionError, match=r"pictures in zh need a font with letters such as .* Install one, such as Noto"
    ):
        draw(example, "weights", "zh")
    assert fonts_for(language("en"), ["注"]).missing == {"注"}


def test_matplotlib_is_loaded_late_and_pyplot_never() -> None:
    code = (
        "import sys, symattn.rendering.pictures as p; assert 'matplotlib' not in sys.modules\n"
        "from symattn import Written, compare, derive, load_spec\n"
        "s = load_spec(); p.pictures(compare(derive(s), derive(s, Written(s.policy))), 'en', 'png')\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path.cwd())
    assert (run.returncode, run.stderr) == (0, "")
