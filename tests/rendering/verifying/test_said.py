"""What the judge says, in Chinese: every remark and every reason that documents provoke."""

from __future__ import annotations

import re

import pytest

from symattn.documents.verify import verify
from symattn.rendering import language as languages
from symattn.rendering.verifying import render_report
from symattn.rendering.verifying.said import PREFIX, said

ZH = languages.language("zh")

PROVOKED = {
    "$A = \\begin{bmatrix} 0.7 & 0.4 \\\\ 0.5 & 0.5 \\end{bmatrix}$ 权重 $\\text{softmax}([0, 0]) = [0.6, 0.6]$": "这一行权重的和是",
    "$\\begin{bmatrix} 1 & 2 \\end{bmatrix}\\begin{bmatrix} 1 & 2 \\end{bmatrix} = 5$": "1x2 与 1x2 不能相乘：左边的列数须等于右边的行数",
    "$[1, 2] + [1, 2, 3] = [2, 4]$": "不能相加：形状须相同",
    "$1/0 = 1$": "除以零",
    "$\\sqrt{-1} = 1$": "负数",
    "$\\sum_{n=1}^{9} n = 45$": "带下标的求和不展开计算",
    "$QK^T = \\begin{bmatrix} 1 & 2 \\end{bmatrix}$": "文中没有给出 Q, K",
}


@pytest.mark.parametrize(("document", "told"), PROVOKED.items())
def test_a_report_in_chinese_says_it_in_chinese(document: str, told: str) -> None:
    assert told in render_report(verify(document), "text", language="zh", verbose=True)


def test_every_phrase_is_found_again_and_filled() -> None:
    keys = [key for key in ZH.phrases if key.startswith(PREFIX)]
    assert len(keys) > 30
    english = languages.language("en").phrases
    for key in keys:
        places = re.findall(r"\{(\w+)\}", english[key])
        sentence = english[key].format(**{name: f"⟨{name}⟩" for name in places})
        assert said(sentence, ZH) == ZH.phrases[key].format(**{name: f"⟨{name}⟩" for name in places})


def test_what_has_no_phrase_is_shown_as_it_is() -> None:
    assert said("something new", ZH) == "something new"
    assert said("division by zero", languages.language("en")) == "division by zero"
