"""Plain text, prose and code: what is a formula there, and what is none."""

from __future__ import annotations

import pytest

from symattn.documents.reading.code import read_code, read_prose, read_source, words_before
from symattn.documents.reading.outline import outline
from symattn.documents.reading.tree import Blank, List, Matrix, Name, Number, Unread, walk

PROSE = [
    ("e^1.76 ≈ 5.8", ["e^1.76 ≈ 5.8"]),
    ("So e^1.76 ≈ 5.8 and e^0 = 1, the sum = 6.8.", ["e^1.76 ≈ 5.8", "e^0 = 1", "'the sum' = 6.8"]),
    ("权重 ≈ [0.85, 0.15]", ["'权重' ≈ [0.85, 0.15,]"]),
    ("所以权重≈[0.85,0.15]，总和=1。", ["'所以权重' ≈ [0.85, 0.15,]", "'总和' = 1"]),
    ("On 2017-06-12 version 1.14 of section 3.2 was out.", []),
    ("See eq. (3) in Section 4.1: 3/√2 = 2.12.", ["<(3) in Section 4.1> (3 / √2) = 2.12"]),
    ("Row 1, col 1: (1)(0) + (0)(1) = 0", ["<Row 1, col 1> {(1)⁀(0)}+{(0)⁀(1)} = 0"]),
    ("Scores: q1·k1 = 1*1 + 0*2 = 1", ["<Scores> {q_1·k_1} = {1*1}+{0*2} = 1"]),
    ("1. 2 + 3 = 5", ["2+3 = 5"]),
    ("2) e^0.7 = 2.01", ["e^0.7 = 2.01"]),
    ("- softmax([1.2, 0.3]) = [0.711, 0.289]", ["softmax([1.2, 0.3,]) = [0.711, 0.289,]"]),
    ("Row 1 (max = 3.464, shifted = ", ["<Row 1> 'max' = 3.464", "<Row 1> 'shifted' = □"]),
    ("Step 2: divide by √d_k = √2 ≈ 1.414", ["<Step 2: divide by> √d_k = √2 ≈ 1.414"]),
    (
        "For Time, the output is 0.85 × [10, 2, 0] + 0.15 × [2, 5, 8] = [8.8, 2.45, 1.2].",
        ["<For Time, the output is> {0.85×[10, 2, 0,]}+{0.15×[2, 5, 8,]} = [8.8, 2.45, 1.2,]"],
    ),
    ("Sum = 5.056.", ["'Sum' = 5.056"]),
    ("Output 1 = [8.8, 2.45, 1.2]", ["Output_1 = [8.8, 2.45, 1.2,]"]),
    ("x = 3 since d_k = 3", ["x = 3", "<since> d_k = 3"]),
    ("Tổng: 2.028 + 1 + 2.028 = 5.056", ["<Tổng> 2.028+1+2.028 = 5.056"]),
    (
        "сумма 2.03 + 1 + 2.03 = 5.06 → веса (0.401, 0.198, 0.401)",
        ["<сумма> 2.03+1+2.03 = 5.06 → (0.401, 0.198, 0.401,)"],
    ),
    ("“Time” 的新向量 = [8.8, 2.45, 1.2]", ["'Time” 的新向量' = [8.8, 2.45, 1.2,]"]),
    (
        "The scores are [2, 1, 0] and the weights [0.67, 0.24, 0.09].",
        ["<The scores are> [2, 1, 0,]", "<and the weights> [0.67, 0.24, 0.09,]"],
    ),
    ("In 2017 Vaswani et al. said a = b.", ["<In 2017 Vaswani et al. said> a = b"]),
    ("d_model = 512, h = 8, so d_k = 512/8 = 64", ["d_model = 512", "h = 8", "d_k = (512 / 8) = 64"]),
    ("Each of 8 heads has 64 = 512/8 dims", ["<Each of 8 heads has> 64 = (512 / 8)"]),
    ("Wq = [[1, 0], [0, 1]]", ["W_Q = [1, 0; 0, 1]"]),
    ("W_Q: [[1, 0], [0, 1]]", ["W_Q := [1, 0; 0, 1]"]),
    ("Attention(Q, K, V) = softmax(QK^T/√d_k)V", ["attention(Q, K, V) = {softmax(({Q⁀Kᵀ} / √d_k))⁀V}"]),
    ("exp(0.7) = 2.01, exp(0) = 1", ["exp(0.7) = 2.01", "exp(0) = 1"]),
    ("e² ≈ 7.389", ["e^² ≈ 7.389"]),
    ("10⁻⁹", []),
    ("x₁ = [1, 0, 1]", ["x_1 = [1, 0, 1,]"]),
    ("q₁·k₂ = 2", ["{q_1·k_2} = 2"]),
    ("0.67 × 1 + 0.33 × 0 = 67%", ["{0.67×1}+{0.33×0} = 67%"]),
    ("dot([1,0],[0,1]) = 0", ["dot([1, 0,], [0, 1,]) = 0"]),
    ("2,1 / 1,7 = 1,24", ["(2,1 / 1,7) = 1,24"]),
    ("Softmax → [0.85, 0.15]", ["'Softmax' → [0.85, 0.15,]"]),
    ("[2, 1] → ÷√2 → [1.41, 0.71]", ["[2, 1,] → ÷√2 → [1.41, 0.71,]"]),
    ('score("Time","Machine") = 3', ["score('Time', 'Machine') = 3"]),
    ("1/(1+e^-1.73) = 0.85", ["(1 / (1+e^-1.73)) = 0.85"]),
    ("The result 0.85 (85%) = good", ["<The result> 0.85 = 'good'"]),
    ("3 x 4 matrix, W is 4x3", []),
    ("p < 0.05", ["p < 0.05"]),
    ("A -> B", ["A → B"]),
    ("if x > 3 then y", ["<if> x > 3"]),
    ("α₁ = 0.5", ["alpha_1 = 0.5"]),
    ("0.5*v1 + 0.5*v2 = [1, 2]", ["{0.5*v_1}+{0.5*v_2} = [1, 2,]"]),
    ("e^(1.76)/(e^(1.76)+e^0) ≈ 0.85", ["(e^(1.76) / (e^(1.76)+e^0)) ≈ 0.85"]),
    ("Q·Kᵀ = [[3, 0], [2, 2]]", ["{Q·Kᵀ} = [3, 0; 2, 2]"]),
    ("S = Q @ K.T", ["S = {Q@Kᵀ}"]),
    ("the weights sum to 1.0 (0.85+0.15=1)", ["0.85+0.15 = 1"]),
    ("ratio 3:1, time 10:30", []),
    ("http://example.com/a=b?c=1", []),
    (
        "mean = (1 + 2 + 3) / 3 = 2; var = ((1-2)^2 + (2-2)^2 + (3-2)^2)/3 = 0.667",
        ["'mean' = ((1+2+3) / 3) = 2", "'var' = (((1-2)^2+(2-2)^2+(3-2)^2) / 3) = 0.667"],
    ),
    ("max(2, 3) = 3", ["max(2, 3) = 3"]),
    ("x^2 = 4", ["x^2 = 4"]),
    ("√(2) = 1.41", ["√(2) = 1.41"]),
    ("q_time = [1,0]", ["q_time = [1, 0,]"]),
    ("≈ 0.85", ["∅ ≈ 0.85"]),
    ("**Scaled:** 3 / 1.7 = 1.76", ["<Scaled> (3 / 1.7) = 1.76"]),
    ("K' = 2", ["K' = 2"]),
    ("sum(1, 2, 3) = 6", ["sum(1, 2, 3) = 6"]),
    ("-0.5 * 2 = -1", ["{-0.5*2} = -1"]),
    ("= 5.056", ["∅ = 5.056"]),
    ("Q[0] = [1, 0]", ["Q_0 = [1, 0,]"]),
    ("scores[0, 1] = 2", ["scores_0,1 = 2"]),
    ("d_k=3时，√3≈1.73", ["d_k = 3", "√3 ≈ 1.73"]),
    ("第1行：[1.76, 0] → softmax → [0.85, 0.15]", ["<第1行> [1.76, 0,] → 'softmax' → [0.85, 0.15,]"]),
    ("0.85*10+0.15*2=8.8 ✓", ["{0.85*10}+{0.15*2} = 8.8"]),
    ("(0.85)(10) + (0.15)(2) = 8.8", ["{(0.85)⁀(10)}+{(0.15)⁀(2)} = 8.8"]),
    ("The first weight = 0.85, the second = 0.15", ["'The first weight' = 0.85", "'the second' = 0.15"]),
    ("Dot product of Q1 and K1 = 1×1 + 0×0 = 1", ["'Dot product of Q1 and K1' = {1×1}+{0×0} = 1"]),
    ('For token "cat": score = 2 / √2 = 1.414', ["<For token \"cat> 'score' = (2 / √2) = 1.414"]),
    ("Softmax of [1.41, 0.71] = [0.67, 0.33]", ["softmax([1.41, 0.71,]) = [0.67, 0.33,]"]),
    ("softmax(1.41, 0.71) ≈ (0.67, 0.33)", ["softmax(1.41, 0.71) ≈ (0.67, 0.33,)"]),
    ("weights: 0.67, 0.33", ["<weights> [0.67, 0.33,]"]),
    (
        "Weighted sum: 0.67·[1, 0] + 0.33·[0, 1] = [0.67, 0.33]",
        ["<Weighted sum> {0.67·[1, 0,]}+{0.33·[0, 1,]} = [0.67, 0.33,]"],
    ),
    ("e^(0.71) = 2.03 and e^(1.41) = 4.10, total 6.13", ["e^(0.71) = 2.03", "e^(1.41) = 4.10", "'total' = 6.13"]),
    (
        "exp(2.1)=8.17, exp(0.3)=1.35, exp(-1.2)=0.30, sum=9.82",
        ["exp(2.1) = 8.17", "exp(0.3) = 1.35", "exp(-1.2) = 0.30", "'sum' = 9.82"],
    ),
    ("점수 = 1×2 + 0×1 = 2", ["'점수' = {1×2}+{0×1} = 2"]),
    ("합계: 2.03 + 1 = 3.03 이므로 가중치는 [0.67, 0.33]", ["<합계> 2.03+1 = 3.03", "<이므로 가중치는> [0.67, 0.33,]"]),
    ("スコア = 1*1+0*0 = 1、√2で割ると 0.707", ["'スコア' = {1*1}+{0*0} = 1"]),
    ("Вес = 2.03 / 5.06 = 0.401", ["'Вес' = (2.03 / 5.06) = 0.401"]),
    ("Score(the, cat) = 2", ["Score('the', 'cat') = 2"]),
    ("Attention(the → cat) = 0.67", ["'Attention(the → cat)' = 0.67"]),
    ("q₁ᵀk₁ = 2", ["{q_1ᵀ⁀k_1} = 2"]),
    ("Q₁ · K₂ᵀ = 1", ["{Q_1·K_2ᵀ} = 1"]),
    ("α₁₁ = e^0.71/(e^0.71+e^0) = 0.67", ["alpha_11 = (e^0.71 / (e^0.71+e^0)) = 0.67"]),
    ("0.67 + 0.33 = 1 ✓.", ["0.67+0.33 = 1"]),
    ("d_k = 64 ⇒ √d_k = 8", ["d_k = 64 → √d_k = 8"]),
    ("12 / √16 = 3", ["(12 / √16) = 3"]),
    ("8.17 / 9.82 ≈ 83%", ["(8.17 / 9.82) ≈ 83%"]),
    ("(2, 1, 0) → (0.6652, 0.2447, 0.0900)", ["(2, 1, 0,) → (0.6652, 0.2447, 0.0900,)"]),
    ("x1 = [1, 0], x2 = [0, 1]", ["x_1 = [1, 0,]", "x_2 = [0, 1,]"]),
    ("X = [1 0; 0 1]", ["X = [1, 0; 0, 1]"]),
    ("W_Q = I", ["W_Q = I"]),
    ("Q = X·W_Q = X", ["Q = {X·W_Q} = X"]),
    ("K = [0,1]ᵀ", ["K = [0, 1,]ᵀ"]),
    ("V1=[1,2] V2=[3,4]", ["V_1 = [1, 2,]", "V_2 = [3, 4,]"]),
    ("0,67 + 0,33 = 1", ["0,67+0,33 = 1"]),
    ("0.5 * 1 + 0.5 * 3 = 2.0", ["{0.5*1}+{0.5*3} = 2.0"]),
    ("a·b = |a||b|cosθ", ["{a·b} = □"]),
    ("Let's say d_k = 4.", ["<Let's say> d_k = 4"]),
    ("The value is 3.14 (approx).", []),
    ("loss = -log(0.85) = 0.163", ["'loss' = -log(0.85) = 0.163"]),
    ("ln(0.85) = -0.163", ["ln(0.85) = -0.163"]),
    ("≈ [0.67, 0.33]", ["∅ ≈ [0.67, 0.33,]"]),
    (
        "scores = [[1, 2], [3, 4]] / 1.414 = [[0.71, 1.41], [2.12, 2.83]]",
        ["'scores' = ([1, 2; 3, 4] / 1.414) = [0.71, 1.41; 2.12, 2.83]"],
    ),
    ("Step 3 (softmax): [0.67, 0.33]", ["<Step 3 (softmax)> [0.67, 0.33,]"]),
    ("1 + 1 = 2, which is right", ["1+1 = 2"]),
    ("Row 2 → [0.33, 0.67]", ["Row_2 → [0.33, 0.67,]"]),
    ("head_1 = [1, 2]; head_2 = [3, 4]", ["head_1 = [1, 2,]", "head_2 = [3, 4,]"]),
    ("Time→Time: 2×1 + 0×0 + 1×1 = 3", ["<Time→Time> {2×1}+{0×0}+{1×1} = 3"]),
    ('"Time" vs "Machine": 2×0 + 0×1 + 1×0 = 0', ['<Time" vs "Machine> {2×0}+{0×1}+{1×0} = 0']),
    ("Token A (x=1)", ["x = 1"]),
    ("σ² = 0.667, μ = 2", ["sigma^² = 0.667", "mu = 2"]),
    ("1/√2 ≈ 0.707", ["(1 / √2) ≈ 0.707"]),
    ("2.828/1.414=2", ["(2.828 / 1.414) = 2"]),
    ("X*W = Y", ["{X*W} = Y"]),
    ("O₁ = 0.85·V₁ + 0.15·V₂", ["O_1 = {0.85·V_1}+{0.15·V_2}"]),
]

CODE = [
    ("Scores:\n [[2 1]\n [0 1]]", ["<Scores> [2, 1; 0, 1]"]),
    ("Q = [[1 0]\n     [0 1]]", ["Q = [1, 0; 0, 1]"]),
    ("Q = [1, 0]\n    [0, 1]\n    [1, 1]", ["Q = [1, 0; 0, 1; 1, 1]"]),
    ("[[ 0.5 -1. ]\n [ 1.   2.5]]", ["[0.5, -1.; 1., 2.5]"]),
    ("[1, 2; 3, 4]", ["[1, 2; 3, 4]"]),
    ("S = [1 2 ; 3 4]", ["S = [1, 2; 3, 4]"]),
    ("A = array([[1, 2],\n       [3, 4]])\n", ["A = [1, 2; 3, 4]"]),
    ("tensor([[0.5, 0.5]], dtype=torch.float64)", ["[0.5, 0.5]"]),
    ("Q1·K1 = 1\nQ1·K2 = 0", ["{Q_1·K_1} = 1", "{Q_1·K_2} = 0"]),
    ("weights = softmax(scores)\n        = [0.5, 0.5]", ["'weights' = softmax('scores') = [0.5, 0.5,]"]),
    ("out = 0.5*[1,0]\n    + 0.5*[0,1]\n    = [0.5, 0.5]", ["'out' = {0.5*[1, 0,]}+{0.5*[0, 1,]} = [0.5, 0.5,]"]),
    ("# scores\n# q1.k1 = 2", ["{q_1·k_1} = 2"]),
    ("1+2)+100", ["?) closes what was not opened?"]),
    ("1 000", ["?a number does not begin with 0 and another digit?"]),
    ("x**2 = 4", ["x^2 = 4"]),
    ("e^{0.7} = 2.01", ["e^0.7 = 2.01"]),
    ("a^b^c", ["?two superscripts: a power of a power is ambiguous, write brackets?"]),
    ("6/2(1+2)", ["?( after a slash without a sign: is it divided by as well??"]),
    ("9^9^9", ["?two superscripts: a power of a power is ambiguous, write brackets?"]),
    ("[[1, 2], [3]]", ["?row 2 of a matrix has 1 entry, row 1 has 2?"]),
    ("[1, , 2]", ["?a comma with nothing beside it?"]),
    ("(1 + 2", ["?( is not closed?"]),
    ("1e9", ["1e9"]),
    ("-inf", ["-∞"]),
    ("2 3", ["?2 3: two numbers side by side?"]),
    ("1.2.3", ["?a number has one decimal point?"]),
    ("3½", ["?½ (VULGAR FRACTION ONE HALF) is no digit 0 to 9?"]),
    ("Q =\n| 1 0 |\n| 0 1 |", ["Q = [1, 0; 0, 1]"]),
    ("row 1: [1, 0]\nrow 2: [0, 1]", ["<row 1> [1, 0,]", "<row 2> [0, 1,]"]),
    ("softmax(x) = exp(x) / sum(exp(x))", ["softmax(x) = (exp(x) / sum(exp(x)))"]),
    (">>> Q @ K.T\narray([[1, 2],\n       [3, 4]])", ["{Q@Kᵀ}", "[1, 2; 3, 4]"]),
    ("A = [[0.1, 0.9],  # Time\n     [0.5, 0.5]]  # Machine", ["A = [0.1, 0.9; 0.5, 0.5] <Time>"]),
    ("Step 1\n------\nQ = [1, 2]", ["Q = [1, 2,]"]),
    ("x = [1,\n     2,\n     3]", ["x = [1, 2, 3,]"]),
    ("head1 = [0.5, 0.5], head2 = [0.1, 0.9]", ["head1 = [0.5, 0.5,]", "head2 = [0.1, 0.9,]"]),
    (
        "QK^T = [[1, 2],\n        [3, 4]]\n\n/ √2 = [[0.71, 1.41],\n        [2.12, 2.83]]",
        ["{Q⁀Kᵀ} = [1, 2; 3, 4]", "÷√2 = [0.71, 1.41; 2.12, 2.83]"],
    ),
    ("Q, K = [1, 0], [0, 1]", ["Q = [1, 0,]", "K = [0, 1,]"]),
    ("a = 1  b = 2", ["a = 1", "b = 2"]),
    ("e^1.0=2.718  e^0.5=1.649  sum=4.367", ["e^1.0 = 2.718", "e^0.5 = 1.649", "'sum' = 4.367"]),
    ("[0.6, 0.4] @ [[1, 2], [3, 4]] = [1.8, 2.8]", ["{[0.6, 0.4,]@[1, 2; 3, 4]} = [1.8, 2.8,]"]),
    ("│ 1 0 │", ["[1, 0,]"]),
    ("１２ + 1 = 13", ["?１ (FULLWIDTH DIGIT ONE) is no digit 0 to 9? = 13"]),
    ("٣ + 1 = 4", ["?٣ (ARABIC-INDIC DIGIT THREE) is no digit 0 to 9? = 4"]),
]


@pytest.mark.parametrize(("text", "outlines"), PROSE, ids=[text for text, _ in PROSE])
def test_the_formulas_in_a_sentence_are_found(text: str, outlines: list[str]) -> None:
    assert [outline(chain) for chain in read_prose(text)] == outlines


@pytest.mark.parametrize(("text", "outlines"), CODE, ids=[text for text, _ in CODE])
def test_the_formulas_in_a_block_are_read(text: str, outlines: list[str]) -> None:
    assert [outline(chain) for chain in read_code(text)] == outlines


@pytest.mark.parametrize(
    "text",
    [
        "It was the 3rd of 12 heads, on 2023-04-01 at 10:30.",
        "Install version 1.14.2 (see section 3.2).",
        "1. Introduction",
        "## 2. Softmax",
        "The model has 512 dimensions and 8 heads, 64 each.",
        "https://example.org/?a=1&b=2",
        "(see Table 3)",
        "50% of 4 x 3 matrices",
        "",
    ],
)
def test_prose_without_a_formula_gives_none(text: str) -> None:
    assert read_prose(text) == ()


def test_matrices_side_by_side_come_one_after_the_other() -> None:
    text = (
        "Q = [[1, 0, 1],    K = [[1, 1, 0],    V = [[2, 0, 1],\n     [0, 1, 1]]         [1, 0, 1]]         [1, 1, 0]]\n"
    )
    assert [outline(chain) for chain in read_code(text)] == [
        "Q = [1, 0, 1; 0, 1, 1]", "K = [1, 1, 0; 1, 0, 1]", "V = [2, 0, 1; 1, 1, 0]",
    ]  # fmt: skip


def test_remarks_beside_rows_label_them() -> None:
    (chain,) = read_code("Q =\n[\n  [1, 0],   ← Q(a)\n  [0, 1],   ← Q(b)\n  [1, 1]    ← Q(c)\n]\n")
    matrix = chain.items[-1]
    assert isinstance(matrix, Matrix)
    assert [label.text for label in matrix.labels] == ["Q(a)", "Q(b)", "Q(c)"]


def test_a_print_of_a_batch_is_a_list_of_matrices() -> None:
    text = "matmul_qk = tf.Tensor(\n[[[2. 1.]\n  [0. 1.]]\n\n [[2. 1.]\n  [0. 1.]]], shape=(2, 2, 2), dtype=float32)\n"
    (chain,) = read_code(text)
    batch = chain.items[-1]
    assert isinstance(batch, List)
    assert [outline(item) for item in batch.items] == ["[2., 1.; 0., 1.]"] * 2


def test_a_print_after_a_colon_is_what_the_formula_gives() -> None:
    (chain,) = read_code("S = Q K^T / sqrt(d_k) :\n [[0.707 0.   ]\n [0.    0.707]]\n")
    assert outline(chain) == "S = ({Q⁀Kᵀ} / √d_k) = [0.707, 0.; 0., 0.707]"


def test_a_product_may_stand_on_lines_of_its_own() -> None:
    (chain,) = read_code("QKᵀ =\n[\n  [1, 0],\n  [0, 1]\n]\n×\n[\n  [1, 0],\n  [0, 1]\n]\n")
    assert outline(chain) == "{Q⁀Kᵀ} = {[1, 0; 0, 1]×[1, 0; 0, 1]}"


def test_only_literals_of_a_program_are_taken() -> None:
    text = """import numpy as np
Q = np.array([
    [1.0, 0.0],  # cat
    [0.0, 1.0],
])
d_k = 2
S = Q @ K.T / np.sqrt(d_k)
print("S =", S)
for i in range(3):
    x = i
w = [0.5, 0.5]
"""
    assert [outline(chain) for chain in read_source(text)] == [
        "Q = [1.0, 0.0; 0.0, 1.0] <cat>", "d_k = 2", "w = [0.5, 0.5,]",
    ]  # fmt: skip


def test_decimal_commas_are_read_where_the_document_has_them() -> None:
    (chain,) = read_prose("0,67 + 0,33 = 1,00", decimal_comma=True)
    assert [str(number.value) for number in walk(chain) if isinstance(number, Number)] == ["67/100", "33/100", "1"]
    (listed,) = read_code("[0,85; 0,15]", decimal_comma=True)
    assert [str(number.value) for number in walk(listed) if isinstance(number, Number)] == ["17/20", "3/20"]


def test_a_relation_at_the_end_is_open() -> None:
    (chain,) = read_prose("shifted = ")
    blank = chain.items[-1]
    assert isinstance(blank, Blank)
    assert blank.start == blank.end


@pytest.mark.parametrize(("text", "key"), [("Wq", "W_Q"), ("W_q", "W_Q"), ("WQ", "W_Q"), ("dk", "d_k"), ("dₖ", "d_k"), ("q1", "q_1"), ("x₁", "x_1"), ("q1'", "q'_1"), ("α", "alpha"), ("W_Q", "W_Q")])  # fmt: skip
def test_names_of_plain_text_have_the_keys_of_latex(text: str, key: str) -> None:
    (chain,) = read_code(f"{text} = 1")
    assert isinstance(chain.first, Name)
    assert chain.first.key == key


def test_an_unreadable_line_leaves_the_others() -> None:
    *broken, last = read_code("a = [1, [2\nb = 3")
    assert any(isinstance(item, Unread) for chain in broken for item in chain.items)
    assert outline(last) == "b = 3"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("e^0 = 1。总和 ", "总和"),
        ("Row 3: ", "Row 3"),
        ("so, finally, the weights (", "the weights"),
        ("Sum ", "Sum"),
        ("softmax 第一行：", "softmax 第一行"),
        ("веса ", "веса"),
    ],
)
def test_the_words_before_a_formula_say_what_it_is(text: str, words: str) -> None:
    found = words_before(text)
    assert found is not None
    assert (found.text, text[found.start : found.end]) == (words, words)


@pytest.mark.parametrize("text", ["", " 3. ", "(12) ", "。"])
def test_without_words_there_is_no_label(text: str) -> None:
    assert words_before(text) is None


def test_formulas_of_another_kind_inside_code_are_left_alone() -> None:
    assert read_code("  - text: '$S = \\begin{bmatrix} 2 & 2 \\end{bmatrix}$'\n    correct: true") == ()
