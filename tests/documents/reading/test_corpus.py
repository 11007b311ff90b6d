"""The corpus read through: nearly all of its formulas give trees, and every tree stands where it says."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq

from symattn.documents.reading.chains import read_chain, read_math
from symattn.documents.reading.code import read_code, read_prose
from symattn.documents.reading.outline import outline
from symattn.documents.reading.tables import Table
from symattn.documents.reading.tree import Chain, Link, Name, Number, Text, Unread, children, walk
from symattn.documents.reading.value import evaluate

CORPUS = Path(__file__).parents[2] / "corpus"
MATH = re.compile(r"```math\n(.*?)```|\$\$(.*?)\$\$|\\\[(.*?)\\\]|(?<![\\$])\$([^$\n]+?)\$|\\\((.*?)\\\)", re.DOTALL)
CODE = re.compile(r"```(?:text)?\n(.*?)```|<pre><code>(.*?)</code></pre>|(?<!`)`([^`\n]+)`(?!`)", re.DOTALL)

UNREAD: set[str] = set()
"""Regions of the corpus that are not read, each as it stands there."""


def sources() -> list[tuple[str, str]]:
    out = []
    for path in sorted(CORPUS.iterdir()):
        if path.suffix in (".md", ".tex", ".html") and path.name[:2].isdigit():
            text = path.read_text("utf-8")
            out.append((path.name, html.unescape(text) if path.suffix == ".html" else text))
    return out


def regions(pattern: re.Pattern[str], text: str) -> list[str]:
    return [next(group for group in match.groups() if group is not None) for match in pattern.finditer(text)]


def outputs() -> list[str]:
    notebook = json.loads((CORPUS / "25-fr-notebook-numpy-prints.ipynb").read_text("utf-8"))
    return ["".join(out["text"]) for cell in notebook["cells"] for out in cell.get("outputs", [])]


def all_read() -> list[tuple[str, tuple[Chain, ...]]]:
    read = []
    for _, text in sources():
        read += [(region, read_math(region)) for region in regions(MATH, text)]
        read += [(region, read_code(region)) for region in regions(CODE, MATH.sub(" ", text))]
    return read + [(text, read_code(text)) for text in outputs()]


def test_nearly_every_region_is_read() -> None:
    read = all_read()
    unread = {text for text, chains in read if any(chain.unread for chain in chains)}
    assert len(read) > 300
    assert unread == UNREAD
    assert len(unread) <= 0.01 * len(read)


def test_every_number_of_the_text_is_in_a_tree() -> None:
    # figures in subscripts belong to names, those in words to labels
    for text, chains in all_read():
        nodes = [node for chain in chains for node in walk(chain)]
        for number in re.finditer(r"(?<![\w.^])\d+\.\d+(?![\w.])", text):
            place = number.start()
            assert any(isinstance(node, Number) and node.start <= place < node.end for node in nodes), (
                f"{number.group()} of {text}"
            )


def test_every_node_stands_where_it_says() -> None:
    for text, chains in all_read():
        for chain in chains:
            for node in walk(chain):
                assert 0 <= node.start <= node.end <= len(text)
                if isinstance(node, Number):
                    assert text[node.start : node.end] == node.text
                if isinstance(node, Link):
                    assert text[node.start : node.end].strip("{}") in ("=", "≈", "≡", "→", "←", "∈", ">", ":") or (
                        text[node.start] == "\\"
                    )
                if isinstance(node, Name) and len(node.base) == 1 and node.base.isascii():
                    assert node.base.lower() in text[node.start : node.end].lower()
                if not isinstance(node, (Chain, Link)):
                    assert all(node.start <= inner.start and inner.end <= node.end for inner in below(node)), outline(
                        chain
                    )


def below(node: object) -> list[object]:
    # notes and labels of a matrix may stand beside it
    return [inner for inner in children(node) if not isinstance(inner, Text)]  # type: ignore[arg-type]


LIST_ITEM = re.compile(r"<(?:li|p)>(.*?)</(?:li|p)>")


def test_the_lines_of_the_html_page_are_read() -> None:
    text = (CORPUS / "22-ko-html-tables-tokens-as-columns.html").read_text("utf-8")
    chains = [chain for line in LIST_ITEM.findall(text) for chain in read_prose(line.replace("<sup>T</sup>", "ᵀ"))]
    assert [outline(chain) for chain in chains] == [
        "{Q_1·K_1} = {1*1}+{0*0} = 1",
        "{Q_1·K_2} = {1*0}+{0*1} = 0",
        "{Q_2·K_1} = {0*1}+{1*0} = 0",
        "{Q_2·K_2} = {0*0}+{1*1} = 1",
        "d_k = 2",
        "√d_k = √2 ≈ 1.414",
        "<Q1-K1> (1 / 1.414) ≈ 0.707",
        "<Q1-K2> (0 / 1.414) = 0",
        "<Q2-K1> (0 / 1.414) = 0",
        "<Q2-K2> (1 / 1.414) ≈ 0.707",
        "<Q1> softmax([0.707, 0,]) = [(e^0.707 / (e^0.707+e^0)), (e^0 / (e^0.707+e^0)),] ≈ [0.668, 0.332,]",
        "<Q2> softmax([0, 0.707,]) ≈ [0.332, 0.668,]",
        "<Q1> {0.668*V_1}+{0.332*V_2} = {0.668*[1, 0,]}+{0.332*[2, 1,]} ≈ [1.332, 0.332,]",
        "<Q2> {0.332*V_1}+{0.668*V_2} = {0.332*[1, 0,]}+{0.668*[2, 1,]} ≈ [1.668, 0.668,]",
    ]


def reading_cases() -> list[dict[str, Any]]:
    cases = [json.loads(line) for line in (CORPUS / "cases.jsonl").read_text("utf-8").splitlines()]
    return [case for case in cases if case["area"] in ("parse", "security") and {"latex", "claim"} & set(case["input"])]


@pytest.mark.parametrize("case", reading_cases(), ids=lambda case: case["id"])
def test_the_cases_of_neighbouring_tools_are_read_or_refused(case: dict[str, Any]) -> None:
    text = case["input"].get("latex") or case["input"]["claim"]
    expected = case["expected"]
    unread = [node for chain in read_math(text) for node in chain.unread]
    if "error" in expected or "refused" in str(expected.get("verdict")):
        # a power of 10^12 is a formula like any other; working it out is what is refused
        assert unread or case["id"] == "C56"
        assert all(isinstance(node, Unread) and node.reason for node in unread)
    else:
        assert not unread


@pytest.mark.parametrize(
    "case", [c for c in reading_cases() if {"value", "matrix"} & set(c["expected"])], ids=lambda case: case["id"]
)
def test_the_values_of_those_cases_are_right(case: dict[str, Any]) -> None:
    found = evaluate(
        read_chain(case["input"]["latex"]).items[0],
        {k: fmpq(int(v)) for k, v in case["input"].get("given", {}).items()},
    )
    if "value" in case["expected"]:
        above, _, below = case["expected"]["value"].partition("/")
        assert found == fmpq(int(above), int(below or 1))
    else:
        assert isinstance(found, Table)
        assert [[str(entry) for entry in row] for row in found.rows] == case["expected"]["matrix"]
