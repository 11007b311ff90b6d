"""Which stage of attention a name, a formula or a word stands for.

Arrives: trees and words in any language. Leaves: the name of a stage, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Literal

from symattn.documents.reading.tree import (
    Bracketed,
    Call,
    Constant,
    Indexed,
    Name,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Text,
    Transpose,
    walk,
)

Layout = Literal["rows", "columns", "queries"]
"""How the tokens lie: as rows; as columns, with softmax down those of KᵀQ; or as columns, with softmax along QᵀK."""

_LAYOUTS: Final[dict[tuple[str, ...], Layout]] = {
    ("K^T", "Q"): "columns",
    ("Q^T", "K"): "queries",
    ("Q", "K^T"): "rows",
}

GIVEN: Final = ("X", "W_Q", "W_K", "W_V")
PROJECTIONS: Final = ("Q", "K", "V")
PIPELINE: Final = (*PROJECTIONS, "scores", "scaled_scores", "masked_scores", "weights", "outputs")

LABELS: Final = {
    "X": "X",
    "W_Q": "W_Q",
    "W_K": "W_K",
    "W_V": "W_V",
    "Q": "Q",
    "K": "K",
    "V": "V",
    "scores": "Scores",
    "scaled_scores": "Scaled",
    "masked_scores": "Masked",
    "shifted": "Shifted",
    "exponentials": "Exp",
    "row_sums": "Sum",
    "weights": "Weights",
    "outputs": "Output",
    "root": "Root",
}

NAMES: Final = {
    "x": "X",
    "e": "",
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "q": "Q",
    "k": "K",
    "v": "V",
    "scores": "scores",
    "score": "scores",
    "scaled": "scaled_scores",
    "weights": "weights",
    "weight": "weights",
    "alpha": "weights",
    "a": "weights",
    "α": "weights",
    "attn": "weights",
    "output": "outputs",
    "out": "outputs",
    "o": "outputs",
    "context": "outputs",
    "head": "outputs",
    "z": "outputs",
    "y": "outputs",
    "h": "outputs",
    "shifted": "shifted",
}
"""What the base of a name stands for, where it stands for one thing."""

WEAK: Final = frozenset("hyzce")
"""Letters that often mean something else: their values are placed by what fits."""

WORDS: Final[tuple[tuple[str, str], ...]] = (
    ("shifted", r"shifted|minus max|减去最大"),
    ("masked_scores", r"masked|mask(?:ed)? scores?|掩码后|遮蔽后|маскированн|masqué"),
    ("mask", r"mask|掩码|遮|маск|マスク|마스크|masqu|che mặt nạ"),
    (
        "row_sums",
        (
            r"\bsum\b|\btotal\b|总和|和(?:为|是|等于|约为|＝|=)|求和|合计|總和|之和|分母|denominator|합|сумм|знаменател|tổng|somme|\bsuma\b|summen?\b|soma|somma|合計|toplam"
            r"|\btogether\b|\badds? up to\b|\bsums? up to\b|\bin total\b|insgesamt"
            r"|\bin all\b|zusammen\b|en tout\b|\bjuntos\b|всего|вместе|合わせて|总共|(?:^|[,，、；;]\s*)和\s*$"
        ),
    ),
    (
        "scaled_scores",
        (
            r"scaled|scaling|缩放|縮放|масштаб|스케일|スケー|échelle|skalier|escal|\bscala|skalow|ölçek|geschaald"
            r"|chia tỉ lệ|归一化前"
            r"|(?:divid|÷|除以|дел[иея]|geteilt|teil|divis|chia|böl)[^.;。]{0,12}(?:√|sqrt)"
            r"|√\s*[^\s.;。]{1,8}\s*(?:で割|로 나)"
        ),
    ),
    (
        "weights",
        (
            r"weight|softmax|权重|權重|веса|весов|весам|вес\b|\bwag[aię]\b|ağırlık|\bpesi\b|가중치|重み|trọng số|poids"
            r"|gewicht|peso|注意力分布|attention prob"
        ),
    ),
    ("exponentials", r"\bexp\b|exponential|指数|指數|экспонент|지수|exponentiel|exponenc|esponenzial|wykładnic|üstel"),
    (
        "scores",
        (
            r"score|得分|分数|打分|점수|스코어|スコア|оценк|điểm|puntua|puntaj|punteg|pontua|skor\b"
            r"|\bdot[- ]products?\b|内积|点积|內積|點積|скалярн\w+ произведен|skalarprodukt|produits? scalaires?"
            r"|productos? escalar|produtos? escalar|prodott[oi] scalar|내적|内積|tích vô hướng"
        ),
    ),
    (
        "outputs",
        (
            r"output|new vector|输出|輸出|выход|출력|出力|đầu ra|sortie|ausgabe|salida|saída|uscita|wyjści|çıktı"
            r"|uitvoer|context|向量|结果|yield"
        ),
    ),
)
"""Words of a stage in several languages; the first that is found counts."""

NEAR: Final = 14
"""Characters between two words that speak of one thing."""

_PARTING: Final = "\u2063,;，；、"
"""Signs between words that speak of two things; U+2063 stands for a formula."""
_PATTERNS: Final = tuple((stage, re.compile(pattern, re.IGNORECASE)) for stage, pattern in WORDS)
_ROW: Final = re.compile(
    r"(?:row|token|query|第|строка|행|行|ligne|zeile|reihe|fila|riga|linha|wiersz\w*|satır|rij|hàng|output|输出)\s*#?\s*"
    r"(\d{1,3}(?![.,]?\d)|[一二三四五六七八九十])",
    re.IGNORECASE,
)
_FROM_ZERO: Final = re.compile(
    r"(?:\b(?:row|token|query|ligne|zeile|fila|riga|linha)|第|строка|행|行)\s*#?\s*0(?![.,]?\d)",
    re.IGNORECASE,
)
_HEAD: Final = re.compile(r"\(?(?:h|head)?\s*(\d{1,2})\)?")
_CHINESE: Final = {c: i + 1 for i, c in enumerate("一二三四五六七八九十")}


def stage_of_words(text: str) -> str:
    """The stage that words speak of, the last one said; empty where none is.

    >>> stage_of_words("总和"), stage_of_words("softmax of the row"), stage_of_words("hello")
    ('row_sums', 'weights', '')
    """
    found: list[tuple[int, int, str]] = []
    for rank, (stage, pattern) in enumerate(_PATTERNS):
        found += [(match.start(), -rank, stage) for match in pattern.finditer(text)]
    if not found:
        return ""
    at, _, stage = max(found)
    # "scaled scores" speaks of one thing: the word that stands right before says which
    first = max(at - NEAR, max(text.rfind(sign, 0, at) for sign in _PARTING))
    near = [(-rank, other) for place, rank, other in found if first <= place < at and -rank < _rank(stage)]
    return min(near)[1] if near else stage


def _rank(stage: str) -> int:
    return next(rank for rank, (name, _) in enumerate(WORDS) if name == stage)


def counts_from_zero(texts: Iterable[str]) -> bool:
    """Whether words call the first row row 0.

    >>> counts_from_zero(["Row 0 attends to itself"]), counts_from_zero(["Row 1", "the row 0.5 0.5"])
    (True, False)
    """
    return any(_FROM_ZERO.search(text) for text in texts)


def row_of_words(text: str, first: int = 1) -> int | None:
    """The row that words speak of, from 0; `first` is what they call the first one.

    >>> row_of_words("第二行"), row_of_words("Row 3 weights"), row_of_words("nothing")
    (1, 2, None)
    """
    found = None
    for match in _ROW.finditer(text):
        found = _CHINESE.get(match[1]) or (int(match[1]) if match[1].isdigit() else None)
    return None if found is None or found < first else found - first


def stage_of(node: Node | None) -> str:
    r"""The stage that a formula is: QKᵀ is scores, QKᵀ/√d_k scaled scores, softmax(…) weights, …V outputs.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [stage_of(read_chain(text).first) for text in (r"QK^T", r"\frac{QK^T}{\sqrt{d_k}}", "A V", "W^Q", "d_k")]
    ['scores', 'scaled_scores', 'outputs', 'W_Q', 'd_k']
    """
    if isinstance(node, Bracketed):
        return stage_of(node.inner)
    if isinstance(node, Indexed):
        return stage_of(node.inner)
    if isinstance(node, Name):
        return _of_name(node)
    if isinstance(node, Text):
        return stage_of_words(node.text)
    if isinstance(node, Transpose):
        inner = stage_of(node.inner)
        return f"{inner}^T" if inner else ""
    if isinstance(node, Call):
        return _of_call(node)
    if isinstance(node, Quotient):
        above = stage_of(node.above)
        return "scaled_scores" if above == "scores" else "weights" if above == "exponentials" else ""
    if isinstance(node, Power):
        return "exponentials" if isinstance(node.base, Constant) and node.base.name == "e" else ""
    if isinstance(node, Root):
        return "root" if stage_of(node.inner) == "d_k" else ""
    return _of_product(node) if isinstance(node, Product) else ""


def head_of(name: Name) -> str:
    r"""The number of the head in a name: W_Q^{(2)}, Q_1 and head_2.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [head_of(read_chain(text).first) for text in ("W_Q^{(2)}", "Q_1", r"S_{1,2}", "Q")]
    ['2', '1', '', '']
    """
    for script in (name.sup, name.sub):
        if (match := _HEAD.fullmatch(script)) is not None:
            return match[1]
    return ""


def _of_name(name: Name) -> str:
    if name.base in {"W", "w"} and head_of(name):
        name = replace(name, sup="" if _HEAD.fullmatch(name.sup) else name.sup)
    key = name.key.lower().replace("'", "").replace("~tilde", "").replace("~hat", "")
    base = name.base.lower()
    if base in {"w", "w_q"} and key in NAMES:
        return NAMES[key]
    if re.fullmatch(r"d(_?(k|head|h|key|q|\{k\}))?", key):
        return "d_k"
    if base == "s" or base == "scores":
        marked = "'" in name.key or "~" in name.key or name.primes or name.accent
        words = f"{name.sub} {name.sup}".lower()
        if "mask" in words:
            return "masked_scores"
        return "scaled_scores" if marked or "scal" in words else "scores"
    if name.words and len(base) > 1:
        return NAMES.get(base, "") or stage_of_words(base.replace("_", " "))
    return NAMES.get(base, "")


def _of_call(call: Call) -> str:
    name = call.function.lower()
    if name.startswith("softmax"):
        return "weights"
    if name in {"attention", "attn", "selfattention", "self-attention"}:
        return "outputs"
    return "exponentials" if name == "exp" else ""


def _of_product(product: Product) -> str:
    parts = [stage_of(factor) for factor in product.factors]
    kept = [part for part, factor in zip(parts, product.factors, strict=True) if not _is_number(factor)]
    if kept in (["Q", "K^T"], ["K^T", "Q"], ["Q^T", "K"]):
        scaled = len(kept) < len(parts)
        return "scaled_scores" if scaled else "scores"
    if kept == ["scores"]:
        return "scaled_scores"
    if (
        kept == ["Q", "K"]
        and len(parts) == 2
        and all(isinstance(f, Name) and (f.base.islower() or f.indices) for f in product.factors)
    ):
        return "scores"
    if len(kept) == 2 and kept[0] == "X" and kept[1].startswith("W_"):
        return kept[1][2:]
    if len(kept) == 2 and kept[1] == "X" and kept[0].startswith("W_"):
        return kept[0][2:3]
    if len(kept) == 2 and kept[1] == "V" and kept[0] in {"weights", ""}:
        return "outputs"
    return "outputs" if kept in (["V", "weights"], ["V", "weights^T"]) else ""


def layout_of(node: Node) -> Layout | None:
    r"""How the tokens lie in the matrices, where a product tells it: as columns in KᵀQ, in QᵀK and in W_Q·X.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [layout_of(read_chain(text).first) for text in ("K^T Q", "Q^T K", "W^Q X", "Q K^T", "A V")]
    ['columns', 'queries', 'queries', 'rows', None]
    """
    for part in walk(node):
        if isinstance(part, Product) and len(part.factors) == 2 and not _of_vectors(part):
            pair = tuple(stage_of(factor) for factor in part.factors)
            if pair[1] == "X" and pair[0].startswith("W_"):
                return "queries"
            if pair in _LAYOUTS or (pair[0] == "X" and pair[1].startswith("W_")):
                return _LAYOUTS.get(pair, "rows")
    return None


def _of_vectors(product: Product) -> bool:
    """Whether a product is a dot product of single vectors, q_i^T k_j: it does not tell how the matrices lie."""
    names = [part for part in walk(product) if isinstance(part, Name)]
    return all(name.base.islower() and name.indices and stage_of(name) in {"Q", "K"} for name in names)


def _is_number(node: Node) -> bool:
    return any(isinstance(part, (Number, Root)) for part in walk(node)) and not any(
        isinstance(part, Name) and stage_of(part) != "d_k" for part in walk(node)
    )
