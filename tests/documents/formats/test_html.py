from __future__ import annotations

from collections.abc import Callable

import pytest

FRACTION = "<mfrac><mn>1</mn><msqrt><mn>2</mn></msqrt></mfrac>"
ROWS = "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable>"
CASES = [
    ("text", "<p>a &lt; b</p><p>c&nbsp;&#215;&#x32;", [("prose", "a < b"), ("prose", "c ×2")]),
    ("formulas", r"<p>so $a &amp; b$, \(c\)<br>\[d\]</p>", [("prose", "so "), ("math_inline", "a & b"), ("prose", ", "), ("math_inline", "c"), ("math_display", "d")]),
    ("scripts", "K<sup>T</sup>, d<sub>k</sub>", [("prose", "K^{T}, d_{k}")]),
    ("left open", "e<sup>0.7<p>a", [("prose", "e^{0.7}"), ("prose", "a")]),
    ("code", "<p>so <code>a &lt; 1</code>.", [("prose", "so "), ("code_inline", "a < 1"), ("prose", ".")]),
    ("code in a formula", "$a <code>b</code> c$ <code>d</code>", [("math_inline", "a  c"), ("code_inline", "b"), ("code_inline", "d")]),
    ("pre", "<pre>\n[1,\n 2]</pre>", [("code", "[1,\n 2]")]),
    ("TeX in scripts", '<script type="math/tex; mode=display">a < b</script>x<script type="math/tex">c</script>', [("math_display", "a < b"), ("prose", "x"), ("math_inline", "c")]),
    ("no code", "<style>a{}</style><script>1 = 2; '<p>3 = 4</p>'</script><title>5 = 6</title>a", [("prose", "a")]),
    ("comment", "a<!-- <p>1 = 2 -->b", [("prose", "ab")]),
    ("escaped rows", "$$\\begin{bmatrix}0 &amp; 1\\\n2 &amp; 3\\end{bmatrix}$$", [("math_display", "\\begin{bmatrix}0 & 1\\\n2 & 3\\end{bmatrix}")]),
    ("KaTeX", '<span class="katex"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x = 1</annotation></semantics></math><span class="katex-html"><span>x=1</span></span></span> y', [("math_inline", "x = 1"), ("prose", " y")]),
    ("MathML", f"<math display='block'><mi>a</mi><mo>=</mo>{FRACTION}</math>", [("math_display", "a= \\frac{1}{\\sqrt{2}}")]),
    ("MathML powers", "<math><msup><mi>e</mi><mn>0.7</mn></msup><mo>&#x2062;</mo><msubsup><mi>W</mi><mi>Q</mi><mi>T</mi></msubsup></math>", [("math_inline", "e^{0.7} W_{Q}^{T}")]),
    ("MathML matrix", f"<math><mo>[</mo>{ROWS}<mo>]</mo></math>", [("math_inline", "\\left[\\begin{matrix}1 & 2 \\\\ 3 & 4\\end{matrix}\\right]")]),
    ("MathML limits", "<math><munder><mo>lim</mo><mi>d</mi></munder><munderover><mo>∑</mo><mn>1</mn><mn>2</mn></munderover><mi>exp</mi></math>", [("math_inline", "\\lim _{d}∑_{1}^{2}\\exp")]),
    ("MathML fenced", "<math><mfenced open='[' close=']'><mn>1</mn><mn>2</mn></mfenced></math>", [("math_inline", "[1,2]")]),
    ("MathML accents and words", "<math><mover><mi>S</mi><mo>~</mo></mover><mtext>sum of</mtext><mi>sum</mi></math>", [("math_inline", "\\tilde{S}\\text{sum of}\\mathrm{sum}")]),
    ("pictures", "a <img src='https://www.zhihu.com/equation?tex=x%3D1.5+%2B+2' alt='x'> <img src='b.png'>", [("prose", "a "), ("math_inline", "x=1.5 + 2")]),
    ("less than is no tag", "if a < b or a <3", [("prose", "if a < b or a <3")]),
    ("unclosed tag", "a <b c", [("prose", "a <b c")]),
    ("list", "<ul><li>a<li>b</ul>c", [("prose", "a"), ("prose", "b"), ("prose", "c")]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_people_write(shown: Callable, source: str, expected: list[tuple[str, str]]) -> None:
    assert shown(source, "html") == expected


UNREAD = [
    ("unknown element", "<math><mlongdiv></mlongdiv></math>", "<mlongdiv> is not read in MathML"),
    ("parts missing", "<math><mfrac><mn>1</mn></mfrac></math>", "<mfrac> with 1 parts instead of 2"),
    ("deep", "<math>" + "<mrow>" * 70 + "<mn>1</mn>" + "</mrow>" * 70 + "</math>", "MathML more than 60 elements deep"),
]


@pytest.mark.parametrize(("source", "reason"), [case[1:] for case in UNREAD], ids=[case[0] for case in UNREAD])
def test_mathml_that_is_not_read_says_why(read: Callable, source: str, reason: str) -> None:
    formula, after = read(source + " and b", "html").regions
    assert (formula.unreadable, formula.text, after.text) == (reason, source, " and b")


def test_tables_with_spans_stay_in_their_columns(read: Callable) -> None:
    source = (
        "<table><caption>c</caption><tr><th></th><th>Q1<th colspan=2>Q2</tr><tr><td rowspan='2'>a</td><td>1</td><td>2</td>"
        "</tr><tr><td>$x$</td></table>"
    )
    caption, table = read(source, "html").regions
    assert caption.text == "c"
    assert [[cell.text for cell in row] for row in table.rows] == [["", "Q1", "Q2", ""], ["a", "1", "2"], ["", "x"]]
    assert [cell.header for cell in table.rows[0]] == [True, True, True, True]
    assert table.rows[2][1].regions[0].kind == "math_inline"
    assert table.rows[2][1].regions[0].within == ("table",)


def test_spans_that_would_fill_the_memory_are_not_followed(read: Callable) -> None:
    (table,) = read("<table>" + "<tr><td rowspan=100 colspan=100>1" * 500, "html").regions
    assert sum(len(row) for row in table.rows) <= 500 + 10_000


def test_headings_languages_and_lists(read: Callable) -> None:
    source = (
        '<h2>A</h2><div class="language-text"><pre><code>x</code></pre></div><blockquote><ol><li>b</ol></blockquote>'
    )
    regions = read(source, "html").regions
    assert [(r.kind, r.text, r.level, r.headings, r.info, r.within) for r in regions] == [
        ("heading", "A", 2, (), "", ()),
        ("code", "x", 0, ("A",), "text", ()),
        ("prose", "b", 0, ("A",), "", ("quote", "list")),
    ]


@pytest.mark.parametrize(
    ("source", "text", "place"),
    [
        ("<p>a\n<b>sum</b> = 4.954", "4.954", (2, 14, 2, 19)),
        ("<p>a &amp; 1.17", "1.17", (1, 12, 1, 16)),
        ("<p>$a &amp; 1.17$", "& 1.17", (1, 7, 1, 17)),
        ("e<sup>0.7</sup>", "^{0.7}", (1, 2, 1, 16)),
        ("<math>\n<mn>1.17</mn></math>", "1.17", (2, 5, 2, 9)),
    ],
)
def test_places_in_the_file(first: Callable, source: str, text: str, place: tuple[int, ...]) -> None:
    assert first(source, text, "html") == place


def test_an_element_that_is_passed_over_and_never_closed_is_noted(read: Callable) -> None:
    document = read("a<svg>b", "html")
    assert [note.message for note in document.notes] == ["<svg> is never closed: what follows it was not read"]
