"""The regions of the worked examples: a plausible number of each kind, known formulas at their lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

CORPUS = Path(__file__).parents[2] / "corpus"
DOCUMENTS = sorted(
    p for p in CORPUS.iterdir() if p.suffix in (".md", ".tex", ".html", ".ipynb") and p.name[0].isdigit()
)

KNOWN = [
    ("00", "math_inline", r"2\times 1+0\times 0+1\times 1=3", 20, 9),
    ("00", "math_inline", r"e^{1.76}\approx 5.8", 34, 27),
    ("03", "math_display", r"\text{context} =", 34, 4),
    ("05", "math_display", r"O = \begin{bmatrix}", 56, 3),
    ("05", "code", "type: choice", 63, 1),
    ("07", "math_display", r"\alpha_3 = [0.333, 0.333, 0.333]", 48, 1),
    ("09", "math_display", r"\text{sum} = 14.478", 64, 1),
    ("10", "math_display", r"Q = \begin{pmatrix}1 & 0\end{pmatrix}", 4, 1),
    ("10", "math_inline", r"0.401(1,2) + 0.198(3,4) + 0.401(5,6) = (3.0, 4.0)", 9, 151),
    ("11", "math_inline", "(1)(1) + (1)(1) = 2", 11, 18),
    ("13", "code_inline", "2.028 + 1 + 2.028 = 5.056", 84, 8),
    ("17", "math_inline", r"\mathbf{H} \approx", 21, 5),
    ("19", "math_display", r"\text{Causal Mask} =", 10, 4),
    ("21", "math_display", r"A = \operatorname{softmax}", 5, 1),
    ("22", "prose", "Q1: softmax([0.707, 0]) =", 25, 5),
    ("22", "prose", "Q * K^{T}:", 8, 4),
    ("25", "output", " [[0.599 0.599]", 108, 8),
    ("27", "math_inline", "8886110/8889092 = 0.999665", 4, 4),
    ("30", "math_display", r"\alpha_{2,1} =", 22, 1),
    ("34", "math_display", r"\;\approx\;", 19, 1),
    ("36", "math_display", r"e_{t,2} = v_a^{\top}", 46, 1),
    ("37", "math_display", "= (2.150, 1.650, 0.794)", 39, 3),
    ("42", "math_display", "=\\begin{bmatrix}\n2 & 1\\\n0 & 1", 27, 1),
    ("44", "code_inline", "softmax([2,6])≈[0.018,0.982]", 19, 66),
    ("47", "math_display", "A = \\begin{bmatrix}\n0.359", 34, 1),
    ("49", "math_display", r"K = E W_K = [1, 0, 1]", 2, 1),
]


def test_all_are_there() -> None:
    assert len(DOCUMENTS) == 22


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name[:2])
def test_every_number_stands_in_a_readable_region(read: Callable, path: Path) -> None:
    document = read(path.read_bytes(), path=path.name)
    assert document.notes == ()
    assert [region.text for region in document.regions if region.unreadable] == []
    covered: set[int] = set()
    waiting = list(document.regions)
    while waiting:
        region = waiting.pop()
        if region.kind == "table":
            waiting += [inner for row in region.rows for cell in row for inner in cell.regions]
        else:
            for start, end, at, width in zip(
                region.offsets.starts,
                [*region.offsets.starts[1:], region.offsets.length],
                region.offsets.sources,
                region.offsets.widths,
                strict=True,
            ):
                covered |= set(range(at, at + (width or end - start)))
    numbers = list(re.finditer(r"\d+\.\d+", document.source))
    missed = [match[0] for match in numbers if not covered.issuperset(range(*match.span()))]
    assert missed == []


@pytest.mark.parametrize(("number", "kind", "text", "line", "column"), KNOWN)
def test_known_formulas_stand_at_their_lines(
    read: Callable, number: str, kind: str, text: str, line: int, column: int
) -> None:
    path = next(path for path in DOCUMENTS if path.name.startswith(number))
    document = read(path.read_bytes(), path=path.name)
    places = [
        document.place(region.offsets.start(region.text.index(text)))
        for region in document.regions
        if region.kind == kind and text in region.text
    ]
    assert (line, column) in places


def test_kinds_of_the_reference_document(read: Callable) -> None:
    path = DOCUMENTS[0]
    kinds = Counter(region.kind for region in read(path.read_bytes(), path=path.name).regions)
    assert kinds["math_inline"] == path.read_text("utf-8").count("$") // 2
    assert kinds["heading"] == 1
    assert set(kinds) == {"heading", "prose", "math_inline"}
