from __future__ import annotations

from collections.abc import Callable

import pytest

Shown = Callable[..., list[tuple[str, str]]]
Place = Callable[..., tuple[int, int, int, int]]

CASES = [
    ("inline", "where $a$ is", [("prose", "where "), ("math_inline", "a"), ("prose", " is")]),
    ("display", "$$\na = 1\n$$", [("math_display", "a = 1")]),
    ("display on one line", "$$a = 1$$", [("math_display", "a = 1")]),
    ("display with a full stop", "$$a = 1$$.", [("math_display", "a = 1")]),
    ("tagged", r"$$a = 1$$ \tag{2}", [("math_display", "a = 1")]),
    ("kramdown", "so $$a$$ is", [("prose", "so "), ("math_inline", "a"), ("prose", " is")]),
    ("brackets", "\\[\na\n\\]\n\\(b\\)", [("math_display", "a"), ("math_inline", "b")]),
    ("two backslashes", r"so \\(a\\) and \\[b\\]", [("prose", "so "), ("math_inline", "a"), ("prose", " and "), ("math_display", "b")]),
    ("backslashes eaten", "[\n\\frac12 = 0.5\n]", [("math_display", "\\frac12 = 0.5")]),
    ("a list is no display", "[\n1, 2\n]", [("prose", "[\n1, 2\n]")]),
    ("no list in a display", "$$\na\n+ b\n- c\n= d\n$$", [("math_display", "a\n+ b\n- c\n= d")]),
    ("no heading in a display", "$$\na\n=\n$$", [("math_display", "a\n=")]),
    ("indented display", "text\n\n    $$\n    a\n    $$", [("prose", "text"), ("math_display", "a")]),
    ("indented TeX", "text\n\n      \\frac{1}{2} = 0.5", [("prose", "text"), ("prose", "\\frac{1}{2} = 0.5")]),
    ("in a quote", "> $$\n> a\n> $$\n> b", [("math_display", "a"), ("prose", "b")]),
    ("in a list", "1. x\n   $$\n   a\n   $$\n   y", [("prose", "x"), ("math_display", "a"), ("prose", "y")]),
    ("environment", "\\begin{align}\na &= 1\n\\end{align}", [("math_display", "\\begin{align}\na &= 1\n\\end{align}")]),
    ("equation", "\\begin{equation}\na\n\\end{equation}", [("math_display", "a")]),
    ("blank line in an environment", "\\begin{align}\na\n\nb\n\\end{align}", [("math_display", "\\begin{align}\na\n\nb\n\\end{align}")]),
    ("matrix without dollars", r"Here Q = \begin{bmatrix}1\end{bmatrix}, so", [("prose", "Here "), ("math_inline", r"Q = \begin{bmatrix}1\end{bmatrix}"), ("prose", ", so")]),
    ("math fence", "```math\na\n```", [("math_display", "a")]),
    ("math directive", "```{math}\n:label: e\na\n```", [("math_display", "a")]),
    ("latex fence", "```latex\n\\[ a \\]\n```", [("math_display", "a")]),
    ("fence", "```text\na = 1\n```", [("code", "a = 1\n")]),
    ("code span", "so `a = 1`.", [("prose", "so "), ("code_inline", "a = 1"), ("prose", ".")]),
    ("code span over dollars", "`$a$`", [("code_inline", "$a$")]),
    ("dollars and backticks", "$`a`$", [("math_inline", "a")]),
    ("prices", "from $5 to $10, or $3,000", [("prose", "from $5 to $10, or $3,000")]),
    ("prices in Chinese", "共$5，还有$6。", [("prose", "共$5，还有$6。")]),
    ("price and formula", "pay $5 for $x$", [("prose", "pay $5 for "), ("math_inline", "x")]),
    ("escaped dollars", r"\$5 and \$6", [("prose", "$5 and $6")]),
    ("spaces at the dollars", "so $ a = 1 $", [("prose", "so "), ("math_inline", "a = 1")]),
    ("emphasis", "**Sum**: *a* __b__ 5", [("prose", "Sum: a b 5")]),
    ("emphasis beside Chinese", "其中**权重**是", [("prose", "其中权重是")]),
    ("products are no emphasis", "0.6*V1 + 0.3*V2, 2**3, (a)*(b)*(c), W_Q and W_K", [("prose", "0.6*V1 + 0.3*V2, 2**3, (a)*(b)*(c), W_Q and W_K")]),
    ("escapes", r"Q\_1 = 2\*3", [("prose", "Q_1 = 2*3")]),
    ("entities", "2 &times; 3, $0 &amp; 1$, `&amp;`", [("prose", "2 × 3, "), ("math_inline", "0 & 1"), ("prose", ", "), ("code_inline", "&amp;")]),
    ("scripts", "e<sup>0.7</sup>, d<sub>k</sub><br>x", [("prose", "e^{0.7}, d_{k}\nx")]),
    ("comparison is no tag", "a<b and c>d", [("prose", "a<b and c>d")]),
    ("links", "[see](https://a.b/?x=1) [1, 0](2) https://c.d/?y=2 .", [("prose", "see [1, 0](2)  .")]),
    ("pictures", "![1=2](a.png) ![](https://latex.codecogs.com/svg.latex?%5Cbg_white%20e%5E%7B0.7%7D%20=(2)) b", [("math_inline", "e^{0.7} =(2)"), ("prose", " b")]),
    ("struck out", "~~0.3~~ 0.4", [("prose", " 0.4")]),
    ("comments", "a <!-- 1+1=3 --> b\n\n<!-- c -->", [("prose", "a  b")]),
    ("front matter", "---\ntitle: 1 = 2\n---\na", [("prose", "a")]),
    ("a rule is no front matter", "---\nsome words\n\n---\na", [("prose", "some words"), ("prose", "a")]),
    ("attributes", "# A\n{: #a}\n\nb", [("heading", "A"), ("prose", "b")]),
    ("liquid", "{% raw %}\n$a$\n{% endraw %}", [("math_inline", "a")]),
    ("a line like a link definition", "[row 1]: 0.5", [("prose", "[row 1]: 0.5")]),
    ("details", "<details><summary>b</summary>\n\n$a$\n</details>", [("prose", "b"), ("math_inline", "a")]),
    ("Markdown in HTML", "<div>\n**a** `b`\n</div>", [("prose", "a "), ("code_inline", "b")]),
    ("script", "<script>\nvar x = 1;\n</script>\n\na", [("prose", "a")]),
    ("macros", "$\\newcommand{\\h}{0.5}$\n\n$\\h = 0.5$", [("math_inline", "0.5 = 0.5")]),
    ("stray display mark", "$$\na\n$$\n$$\n\nThen:\n\n$$\nb\n$$", [("math_display", "a"), ("prose", "$$"), ("prose", "Then:"), ("math_display", "b")]),
    ("python", "```python\nx = 1  # = 1\n```", [("code", "x = 1  "), ("comment", "= 1")]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_people_write(shown: Shown, source: str, expected: list[tuple[str, str]]) -> None:
    assert shown(source, "markdown") == expected


UNCLOSED = [
    ("dollars", "$$\na = 1\n\nThen b", "$$ is never closed"),
    ("bracket", "so \\[ a = 1\n\nb", "\\[ is never closed"),
    ("parenthesis", "so \\( a = 1\n\nb", "\\( is never closed"),
    ("environment", "\\begin{align} a = 1\n\nb", "\\begin{align} is never closed"),
    ("recursive macro", "$\\def\\a{\\a}\\a$\n\nb", "\\a is defined by itself, or 32 macros deep"),
    ("file", "$\\input{../secret}$\n\nb", "\\input was not followed"),
]


@pytest.mark.parametrize(("source", "reason"), [case[1:] for case in UNCLOSED], ids=[case[0] for case in UNCLOSED])
def test_what_cannot_be_read_says_why_and_the_rest_is_read(read: Callable, source: str, reason: str) -> None:
    regions = read(source, "markdown").regions
    assert [region.unreadable for region in regions if region.unreadable] == [reason]
    assert regions[-1].kind == "prose"
    assert regions[-1].text.endswith("b")


def test_the_pieces_of_a_paragraph_are_one_block(read: Callable) -> None:
    regions = read("a $b$ c\n\nd", "markdown").regions
    assert [region.block for region in regions] == [1, 1, 1, 2]


def test_headings_stand_above_what_follows(read: Callable) -> None:
    regions = read("# A $x$\n\na\n\n### B\n\nb\n\n## C\n\n- c\n\n> d", "markdown").regions
    assert [(r.kind, r.level, r.headings, r.within) for r in regions] == [
        ("heading", 1, (), ()),
        ("math_inline", 1, (), ()),
        ("prose", 0, ("A x",), ()),
        ("heading", 3, ("A x",), ()),
        ("prose", 0, ("A x", "B"), ()),
        ("heading", 2, ("A x",), ()),
        ("prose", 0, ("A x", "C"), ("list",)),
        ("prose", 0, ("A x", "C"), ("quote",)),
    ]


def test_tables_have_cells_of_inline_content(read: Callable) -> None:
    source = "| a | $|q|$ | b\\|c |\n|--|:-:|--|\n| 1 | `x|y` | $z$ w |\n|  | 2 | 3 | 4 |"
    (table,) = read(source, "markdown").regions
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["a", "|q|", "b|c"],
        ["1", "x|y", "z w"],
        ["", "2", "3", "4"],
    ]
    assert [cell.header for cell in table.rows[0]] == [True, True, True]
    assert [region.kind for region in table.rows[1][2].regions] == ["math_inline", "prose"]
    assert table.text == source


def test_tables_in_quotes_and_tables_of_html(read: Callable) -> None:
    (quoted,) = read("> | a | b |\n> |---|---|\n> | 1 | 2 |", "markdown").regions
    assert [[cell.text for cell in row] for row in quoted.rows] == [["a", "b"], ["1", "2"]]
    assert quoted.within == ("quote",)
    (html,) = read("<table><tr><td>1</td>\n\n<td>$x$</td></tr>\n</table>", "markdown").regions
    assert [[cell.text for cell in row] for row in html.rows] == [["1", "x"]]


PLACES = [
    ("prose", "a\n\nsum = 4.954", "4.954", (3, 7, 3, 12)),
    ("quoted display", "> b\n>\n> $$\n> a = 1\n>  + 22\n> $$", "22", (5, 6, 5, 8)),
    ("list", "1. x\n\n   - $a = 1.5$", "1.5", (3, 11, 3, 14)),
    ("over lines", "$$\na\n= b\n$$", "a\n= b", (2, 1, 3, 4)),
    ("after an entity", "2 &times; 3 = 6", "3 = 6", (1, 11, 1, 16)),
    ("picture", "![](https://latex.codecogs.com/gif.latex?a%3D1.17)", "1.17", (1, 46, 1, 50)),
    ("the entity", "2 &times; 3 = 6", "×", (1, 3, 1, 10)),
    ("after an escape", r"Q\_1 = 2", "1 = 2", (1, 4, 1, 9)),
    ("CRLF", "a\r\n\r\nb = 1\r\nc = 2", "c = 2", (4, 1, 4, 6)),
    ("across CRLF", "a\r\nb", "a\nb", (1, 1, 2, 2)),
    ("Chinese and emoji count one", "权重😀 $a = 0.85$", "0.85", (1, 10, 1, 14)),
    ("table", "| a | b |\n|---|---|\n| x | $1.17$ |", "1.17", None),
    ("tab in a code block", "- a\n\n\t  x = 12", "12", (3, 8, 3, 10)),
    ("fence in a quote", "> ```\n> x = 12\n> ```", "12", (2, 7, 2, 9)),
]


@pytest.mark.parametrize(("source", "text", "place"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES])
def test_places_in_the_file(
    read: Callable, first: Place, source: str, text: str, place: tuple[int, ...] | None
) -> None:
    if place is None:
        document = read(source, "markdown")
        region = document.regions[0].rows[1][1].regions[0]
        assert document.locate(region, 0, 4).column == 8
        return
    assert first(source, text, "markdown") == place


def test_nesting_beyond_reason_is_noted(read: Callable) -> None:
    document = read("> " * 300 + "a", "markdown")
    assert [note.message for note in document.notes] == [
        "lists or quotes nested more than 100 deep: what stands inside was not read"
    ]
    assert [region.text for region in read("> " * 40 + "a", "markdown").regions] == ["a"]
