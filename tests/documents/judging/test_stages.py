"""Which stage a name, a formula or a word stands for."""

from __future__ import annotations

import pytest

from symattn.documents.judging.stages import LABELS, PIPELINE, WORDS, row_of_words, stage_of, stage_of_words
from symattn.documents.reading.chains import read_chain

WORDS_OF: dict[str, tuple[str, ...]] = {
    "scores": (
        "the attention scores", "Raw scores", "注意力得分", "计算分数", "оценки внимания", "점수 계산", "スコア", "điểm chú ý",
        "les scores", "puntuaciones", "scores d'attention",
    ),
    "scaled_scores": (
        "scaled scores", "Scaling", "缩放后的得分", "縮放", "масштабирование", "스케일링", "スケーリング", "mise à l'échelle",
        "Skalierung", "escalado", "chia tỉ lệ",
    ),
    "weights": (
        "attention weights", "softmax", "Softmax of the row", "注意力权重", "注意力權重", "веса внимания", "вес",
        "가중치", "重み", "trọng số", "les poids", "Gewichte", "pesos de atención",
    ),
    "outputs": (
        "the output", "输出向量", "輸出", "выход", "출력", "出力", "đầu ra", "la sortie", "Ausgabe", "la salida", "saída",
        "the context vector",
    ),
    "exponentials": ("exponentials", "指数", "指數", "экспоненты", "지수", "exponentielles"),
    "row_sums": (
        "the sum", "Total", "总和", "求和", "總和", "分母", "the denominator", "합", "сумма", "знаменатель", "tổng",
        "la somme", "la suma", "die Summe", "soma", "合計", "toplam",
    ),
    "masked_scores": ("masked scores", "After the mask: masked", "掩码后的分数", "scores masqués"),
    "mask": ("causal mask", "掩码", "마스크", "маска", "マスク"),
    "shifted": ("shifted scores", "减去最大值"),
    "": ("", "hello", "the cat sat", "每个词", "Next step", "consider", "資料"),
}  # fmt: skip


@pytest.mark.parametrize(("stage", "text"), [(stage, text) for stage, texts in WORDS_OF.items() for text in texts])
def test_words_of_many_languages(stage: str, text: str) -> None:
    assert stage_of_words(text) == stage


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("from the scores we get the weights", "weights"),  # the last one said counts
        ("the weights follow from the scores", "scores"),
        ("weights, and then much later on the output", "outputs"),
        ("scaled scores", "scaled_scores"),  # but two words side by side are one thing
        ("SCALED SCORES", "scaled_scores"),
        ("sum of the exponentials", "row_sums"),
    ],
)
def test_of_several_words_the_last_thing_counts(text: str, stage: str) -> None:
    assert stage_of_words(text) == stage


def test_every_stage_with_words_has_its_words_tried() -> None:
    assert {stage for stage, _ in WORDS} == set(WORDS_OF) - {""}
    assert set(PIPELINE) <= set(LABELS)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("Row 1", 0), ("row 12 of the weights", 11), ("token #2", 1), ("query 3", 2), ("第一行", 0), ("第二个", 1), ("第3行", 2),
        ("第十行", 9), ("строка 2", 1), ("행 2", 1), ("ligne 4", 3), ("Zeile 1", 0), ("fila 2", 1), ("hàng 3", 2),
        ("output 2", 1), ("输出2", 1), ("row 1, then row 2", 1),
        ("", None), ("nothing", None), ("2 rows", None), ("the row", None),
    ],
)  # fmt: skip
def test_rows_of_words(text: str, row: int | None) -> None:
    assert row_of_words(text) == row


FORMULAS: dict[str, tuple[str, ...]] = {
    "X": ("X",),
    "W_Q": ("W_Q", "W^Q", r"W_{Q}", r"\mathbf{W}^Q", r"W_q"),
    "W_K": ("W_K", "W^K"),
    "W_V": ("W_V", "W^{V}"),
    "Q": ("Q", r"\mathbf{Q}", "X W_Q", r"X \cdot W^Q", r"X\times W_Q", "q_1", r"q_{\text{Time}}", r"\vec{q}"),
    "K": ("K", "X W^K"),
    "V": ("V", "XW_V"),
    "scores": (
        "QK^T", r"Q K^\top", r"Q\cdot K^T", r"Q \times K^{T}", r"QK^{\mathsf{T}}", "S", "S_{2,1}", r"\text{scores}",
        r"\text{Scores}", "(QK^T)",
    ),
    "scaled_scores": (
        r"\frac{QK^T}{\sqrt{d_k}}", r"QK^T/\sqrt{3}", r"\frac{1}{\sqrt{d_k}} QK^T", r"\frac{S}{\sqrt{d_k}}", "S'",
        r"\tilde{S}", r"S_{\text{scaled}}", r"\frac{Q\cdot K^T}{1.7}", r"\text{scaled scores}",
    ),
    "masked_scores": (r"S_{\text{masked}}", r"S^{mask}"),
    "weights": (
        r"\operatorname{softmax}(S)", r"\text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)", "A", r"\alpha", r"\alpha_{2,1}",
        r"\text{Weights}", r"\text{权重}", r"\frac{e^{2}}{e^{1}+e^{2}}",
    ),
    "outputs": (
        "A V", r"A\cdot V", r"\text{softmax}(S) V", r"\text{Attention}(Q,K,V)", r"\text{Output}", "O", "Z", r"\text{输出}",
    ),
    "exponentials": ("e^{1.76}", r"\exp(2)", "e^{S}"),
    "d_k": ("d_k", "d", r"d_{\text{head}}", r"d_{k}"),
    "root": (r"\sqrt{d_k}",),
    "": ("B", "2 + 3", r"\frac{1}{2}", "K V", "Q V", r"\sqrt{2}", "2^{3}", "n", "E"),
    "K^T": ("K^T", r"K^\top"),
}  # fmt: skip


@pytest.mark.parametrize(("stage", "text"), [(stage, text) for stage, texts in FORMULAS.items() for text in texts])
def test_formulas_in_many_notations(stage: str, text: str) -> None:
    assert stage_of(read_chain(text).first) == stage


def test_nothing_is_no_stage() -> None:
    assert stage_of(None) == ""
