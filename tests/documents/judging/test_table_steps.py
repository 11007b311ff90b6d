"""Tables of worked attention: every number at its place, right ones without a finding, slips with what is right.

The exact values: QKᵀ of `QKV` is [[1, 3, 4], [0, 1, 2], [2, 2, 0]], its weights at d_k = 2 are [[0.0743, 0.3057, 0.6200],
[0.1400, 0.2840, 0.5760], [0.4458, 0.4458, 0.1084]] and its outputs [[0.9914, 2.6286], [0.9920, 2.5840], [1.7832, 1.3252]]
(mpmath, 30 digits). softmax(2, 2, 3)/√3 is 0.2645, 0.2645, 0.4711; softmax(1, 1, 2) is 0.2119, 0.2119, 0.5761;
softmax(1, 2) is 0.2689, 0.7311; softmax(2, 1, 0) is 0.6652, 0.2447, 0.0900; softmax(6, 5, 3) is 0.7054, 0.2595, 0.0351.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from symattn.documents.verify import verify

QKV = (
    r"$Q = \begin{bmatrix}1&2\\0&1\\2&0\end{bmatrix}$, $K = \begin{bmatrix}1&0\\1&1\\0&2\end{bmatrix}$, "
    r"$V = \begin{bmatrix}1&2\\3&0\\0&4\end{bmatrix}$, $d_k = 2$."
)


@dataclass(frozen=True)
class Case:
    """A document, how many claims it makes, and the findings: line, column, what is written, what is right."""

    name: str
    claims: int
    findings: list[tuple[int, int, str, str]]
    text: str
    format: Literal["markdown", "html", "tex"] = "markdown"

    @property
    def source(self) -> str:
        return self.text.lstrip("\n").replace("{QKV}", QKV)


CASES = [
    Case(
        "en scores slip",
        9,
        [(8, 13, "2", "1")],
        r"""
{QKV}

The raw scores are:

| | the | cat | sat |
|---|---|---|---|
| the | 1 | 3 | 4 |
| cat | 0 | 2 | 2 |
| sat | 2 | 2 | 0 |
""",
    ),
    Case(
        "zh weights slip and sum slip",
        12,
        [(8, 14, "0.26", "0.28"), (9, 28, "1.10", "1.01")],
        r"""
{QKV}

### 注意力权重

| 权重 | 我 | 爱 | 猫 | 合计 |
|---|---|---|---|---|
| 我 | 0.07 | 0.31 | 0.62 | 1.00 |
| 爱 | 0.14 | 0.26 | 0.58 | 0.98 |
| 猫 | 0.45 | 0.45 | 0.11 | 1.10 |
""",
    ),
    Case(
        "en weights percent slip",
        9,
        [(8, 25, "56.7%", "57.6%")],
        r"""
{QKV}

Softmax of each row gives

| query \ key | the | cat | sat |
|---|---|---|---|
| the | 7.4% | 30.6% | 62.0% |
| cat | 14.0% | 28.4% | 56.7% |
| sat | 44.6% | 44.6% | 10.8% |
""",
    ),
    Case(
        "de step table slip exp",
        13,
        [(6, 33, "3.71", "3.16")],
        r"""
Sei $q = (2, 1, 0)$ und $d_k = 3$.

| Wort | $k$ | $q \cdot k$ | $/\sqrt{d_k}$ | $\exp$ | Gewicht |
|---|---|---|---|---|---|
| der | $(1,0,1)$ | 2 | 1.15 | 3.17 | 0.264 |
| alte | $(0,2,1)$ | 2 | 1.15 | 3.71 | 0.264 |
| Hund | $(1,1,0)$ | 3 | 1.73 | 5.65 | 0.471 |
| Summe | | | | 12.00 | |
""",
    ),
    Case(
        "en step words only, slips",
        22,
        [(5, 56, "0.884", "0.848"), (7, 47, "0.567", "0.576"), (8, 15, "12.852", "12.825")],
        r"""
The query is $q = [1, 0, 2, 1]$ with $d_k = 4$; keys and values are in the table.

| token | k | v | q·k | ÷√d_k | exp | softmax | weight·v |
|---|---|---|---|---|---|---|---|
| a | [1, 1, 0, 1] | [4, 1] | 2 | 1 | 2.718 | 0.212 | [0.884, 0.212] |
| b | [0, 1, 1, 0] | [0, 2] | 2 | 1 | 2.718 | 0.212 | [0, 0.424] |
| c | [2, 0, 1, 0] | [2, 3] | 4 | 2 | 7.389 | 0.567 | [1.152, 1.728] |
| Σ | | | | | 12.852 | 1 | [2.000, 2.364] |
""",
    ),
    Case(
        "fr transposed slip",
        11,
        [(7, 26, "7.93", "7.39")],
        r"""
On a $q = (1,0,2,1)$, $d_k = 4$.

| | le | chat | dort | Somme |
|---|---|---|---|---|
| $q \cdot k$ | 2 | 2 | 4 | |
| $\div \sqrt{d_k}$ | 1 | 1 | 2 | |
| $\exp$ | 2.72 | 2.72 | 7.93 | 12.83 |
| softmax | 0.21 | 0.21 | 0.58 | 1 |
""",
    ),
    Case(
        "tex matrices captions",
        9,
        [(28, 15, "1", "0")],
        r"""
\documentclass{article}\begin{document}
Let $d_k = 2$.

Queries $Q$:

\begin{tabular}{l|rr}
 & $d_1$ & $d_2$ \\ \hline
the & 1 & 2 \\
cat & 0 & 1 \\
sat & 2 & 0 \\
\end{tabular}

Keys $K$:

\begin{tabular}{l|rr}
 & $d_1$ & $d_2$ \\ \hline
the & 1 & 0 \\
cat & 1 & 1 \\
sat & 0 & 2 \\
\end{tabular}

Scores $QK^\top$:

\begin{tabular}{l|rrr}
 & the & cat & sat \\ \hline
the & 1 & 3 & 4 \\
cat & 0 & 1 & 2 \\
sat & 2 & 2 & 1 \\
\end{tabular}
\end{document}
""",
        format="tex",
    ),
    Case(
        "ko tokens as columns",
        9,
        [(17, 12, "3", "2")],
        r"""
| | Q1 | Q2 | Q3 |
|---|---|---|---|
| dim1 | 1 | 0 | 2 |
| dim2 | 2 | 1 | 0 |

| | K1 | K2 | K3 |
|---|---|---|---|
| dim1 | 1 | 1 | 0 |
| dim2 | 0 | 1 | 2 |

점수 $QK^T$:

| | K1 | K2 | K3 |
|---|---|---|---|
| Q1 | 1 | 3 | 4 |
| Q2 | 0 | 1 | 2 |
| Q3 | 2 | 3 | 0 |
""",
    ),
    Case(
        "release table",
        0,
        [],
        r"""
{QKV}

## Benchmarks

| model | weight decay | score | output tokens |
|---|---|---|---|
| a | 0.1 | 27.3 | 512 |
| b | 0.2 | 28.4 | 1024 |
| c | 0.05 | 29.9 | 2048 |

| date | version | scaled by |
|---|---|---|
| 2023 | 1.2 | 3 |
| 2024 | 1.3 | 4 |
""",
    ),
    Case(
        "scores of models in a document with QKV",
        0,
        [],
        r"""
{QKV}

| Score | BLEU | PPL | F1 |
|---|---|---|---|
| a | 27.1 | 4.1 | 0.8 |
| b | 28.1 | 4.2 | 0.81 |
| c | 28.3 | 4.1 | 0.8 |
""",
    ),
    Case(
        "exp matrix slip sum",
        21,
        [(16, 28, "7.31", "7.13"), (17, 14, "4.01", "4.10")],
        r"""
{QKV}

Scaled scores:

| | a | b | c |
|---|---|---|---|
| a | 0.71 | 2.12 | 2.83 |
| b | 0.00 | 0.71 | 1.41 |
| c | 1.41 | 1.41 | 0.00 |

Exponentials:

| | a | b | c | Σ |
|---|---|---|---|---|
| a | 2.03 | 8.33 | 16.95 | 27.31 |
| b | 1.00 | 2.03 | 4.10 | 7.31 |
| c | 4.10 | 4.01 | 1.00 | 9.11 |
""",
    ),
    Case(
        "shifted",
        6,
        [],
        r"""
| j | s | s − max | e^{s − max} | weight |
|---|---|---|---|---|
| 1 | 2 | -2 | 0.135 | 0.114 |
| 2 | 1 | -3 | 0.050 | 0.042 |
| 3 | 4 | 0 | 1 | 0.844 |
""",
    ),
    Case(
        "ru decimal comma",
        9,
        [(7, 14, "1,37", "1.73")],
        r"""
Пусть $q=(2; 1; 0)$.

| слово | балл | балл/√3 | exp | вес |
|---|---|---|---|---|
| кот | 2 | 1,15 | 3,17 | 0,264 |
| ест | 2 | 1,15 | 3,17 | 0,264 |
| рыбу | 3 | 1,37 | 5,65 | 0,471 |
""",
    ),
    Case(
        "es output V given before",
        9,
        [],
        r"""
Sea $V = \begin{bmatrix}4&1\\0&2\\2&3\end{bmatrix}$.

| palabra | peso | peso · $v$ |
|---|---|---|
| el | 0.2 | [0.8, 0.2] |
| gato | 0.2 | [0, 0.4] |
| come | 0.6 | [1.2, 1.8] |
| total | 1 | [2.0, 2.4] |
""",
    ),
    Case(
        "markdown no label column",
        9,
        [(8, 11, "1", "0")],
        r"""
{QKV}

QKᵀ =

| 1 | 3 | 4 |
|---|---|---|
| 0 | 1 | 2 |
| 2 | 2 | 1 |
""",
    ),
    Case(
        "outputs matrix tokens rows",
        6,
        [(9, 9, "1.873", "1.783")],
        r"""
{QKV}

### Output

| token | dim 1 | dim 2 |
|---|---|---|
| the | 0.991 | 2.629 |
| cat | 0.992 | 2.584 |
| sat | 1.873 | 1.325 |
""",
    ),
    Case(
        "transposed key rows",
        9,
        [],
        r"""
{QKV}

Attention weights:

| key \ query | the | cat | sat |
|---|---|---|---|
| the | 0.074 | 0.140 | 0.446 |
| cat | 0.306 | 0.284 | 0.446 |
| sat | 0.620 | 0.576 | 0.108 |
""",
    ),
    Case(
        "percent header",
        9,
        [],
        r"""
With $d_k = 64$:

| key | score | score / 8 | exp | weight (%) |
|:---|---:|---:|---:|---:|
| animal | 48 | 6 | 403.4 | 70.5 |
| street | 40 | 5 | 148.4 | 25.9 |
| tired | 24 | 3 | 20.1 | 3.5 |
""",
    ),
    Case(
        "calc column",
        2,
        [(4, 23, "6", "5")],
        r"""
| pair | calculation | score |
|---|---|---|
| q1·k1 | 1·2 + 0·3 | 2 |
| q1·k2 | 1·1 + 2·2 | 6 |
""",
    ),
    Case(
        "vi ket qua",
        2,
        [(4, 22, "1.94", "1.49")],
        r"""
| Từ | Phép tính | Kết quả |
|---|---|---|
| con | $e^{1.2}$ | $3.32$ |
| mèo | $e^{0.4}$ | $1.94$ |
""",
    ),
    Case(
        "zh steps slip",
        11,
        [(6, 11, "2.212", "2.121")],
        r"""
已知 $d_k = 2$，查询“猫”的得分如下。

| 词 | 得分 | 除以 $\sqrt{d_k}$ | 指数 | 权重 |
|---|---|---|---|---|
| 我 | 1 | 0.707 | 2.028 | 0.074 |
| 爱 | 3 | 2.212 | 8.342 | 0.306 |
| 猫 | 4 | 2.828 | 16.919 | 0.620 |
| 合计 | | | 27.289 | 1.000 |
""",
    ),
    Case(
        "pt decimal",
        8,
        [(6, 25, "0,37", "0.73")],
        r"""
Seja $d_k = 4$.

| palavra | $q \cdot k$ | dividido por 2 | exp | peso |
|---|---|---|---|---|
| o | 2 | 1 | 2,72 | 0,27 |
| gato | 4 | 2 | 7,39 | 0,37 |
| soma | | | 10,11 | 1 |
""",
    ),
    Case(
        "html steps",
        9,
        [(4, 32, "1.723", "1.732")],
        r"""
<html><body><p>Let d<sub>k</sub> = 3.</p><table><tr><th>key</th><th>q·k</th><th>q·k/√d<sub>k</sub></th><th>e<sup>x</sup></th><th>softmax</th></tr>
<tr><td>der</td><td>2</td><td>1.155</td><td>3.173</td><td>0.264</td></tr>
<tr><td>alte</td><td>2</td><td>1.155</td><td>3.173</td><td>0.264</td></tr>
<tr><td>Hund</td><td>3</td><td>1.723</td><td>5.652</td><td>0.471</td></tr>
</table></body></html>
""",
        format="html",
    ),
    Case(
        "tex table env caption after",
        9,
        [(9, 15, "3", "2")],
        r"""
\documentclass{article}\begin{document}
Let $Q = \begin{bmatrix}1&2\\0&1\\2&0\end{bmatrix}$ and $K = \begin{bmatrix}1&0\\1&1\\0&2\end{bmatrix}$.
\begin{table}\centering
\begin{tabular}{lccc}
\toprule
 & the & cat & sat \\
\midrule
the & 1 & 3 & 4 \\
cat & 0 & 1 & 3 \\
sat & 2 & 2 & 0 \\
\bottomrule
\end{tabular}
\caption{Raw scores.}
\end{table}
\end{document}
""",
        format="tex",
    ),
    Case(
        "decode row slip",
        9,
        [(6, 19, "2.21", "2.12")],
        r"""
The query is $q = [1, 2]$, $K = \begin{bmatrix}1&0\\1&1\\0&2\end{bmatrix}$, $d_k = 2$.

| | the | cat | sat |
|---|---|---|---|
| score | 1 | 3 | 4 |
| scaled | 0.71 | 2.21 | 2.83 |
| weight | 0.07 | 0.31 | 0.62 |
""",
    ),
    Case(
        "ko masked weights",
        9,
        [],
        r"""
$Q = \begin{bmatrix}1&2\\0&1\\2&0\end{bmatrix}$, $K = \begin{bmatrix}1&0\\1&1\\0&2\end{bmatrix}$, $V = \begin{bmatrix}1&2\\3&0\\0&4\end{bmatrix}$, causal mask, $d_k = 2$.

어텐션 가중치:

| | 나는 | 밥을 | 먹는다 |
|---|---|---|---|
| 나는 | 1 | 0 | 0 |
| 밥을 | 0.33 | 0.67 | 0 |
| 먹는다 | 0.45 | 0.45 | 0.11 |
""",
    ),
    Case(
        "bold numbers",
        9,
        [(9, 22, "0.54", "0.45")],
        r"""
{QKV}

**Attention weights**

| | the | cat | sat |
|---|---|---|---|
| the | 0.07 | 0.31 | **0.62** |
| cat | 0.14 | 0.28 | **0.58** |
| sat | **0.45** | **0.54** | 0.11 |
""",
    ),
    Case(
        "groups q k columns",
        4,
        [(6, 31, "2", "1")],
        r"""
| token | q_1 | q_2 | k_1 | k_2 |
|---|---|---|---|---|
| a | 1 | 2 | 1 | 0 |
| b | 0 | 1 | 1 | 1 |

$QK^T = \begin{bmatrix}1&3\\0&2\end{bmatrix}$
""",
    ),
    Case(
        "heading only",
        18,
        [(17, 16, "1.14", "1.41")],
        r"""
{QKV}

## Scores

| | the | cat | sat |
|---|---|---|---|
| the | 1 | 3 | 4 |
| cat | 0 | 1 | 2 |
| sat | 2 | 2 | 0 |

## Scaled scores

| | the | cat | sat |
|---|---|---|---|
| the | 0.71 | 2.12 | 2.83 |
| cat | 0 | 0.71 | 1.41 |
| sat | 1.41 | 1.14 | 0 |
""",
    ),
    Case(
        "output rows",
        6,
        [(9, 16, "1.23", "1.33")],
        r"""
{QKV}

Output:

| token | x | y |
|---|---|---|
| the | 0.99 | 2.63 |
| cat | 0.99 | 2.58 |
| sat | 1.78 | 1.23 |
""",
    ),
    Case(
        "heads hyper",
        0,
        [],
        r"""
| $N$ | $d_{model}$ | $h$ | $d_k$ | BLEU | params $\times 10^6$ |
|---|---|---|---|---|---|
| 6 | 512 | 8 | 64 | 25.8 | 65 |
| 6 | 512 | 1 | 512 | 24.9 | 65 |
""",
    ),
    Case(
        "vi output per token",
        6,
        [(9, 14, "1.53", "1.33")],
        r"""
{QKV}

Đầu ra:

| token | đầu ra |
|---|---|
| a | [0.99, 2.63] |
| b | [0.99, 2.58] |
| c | [1.78, 1.53] |
""",
    ),
    Case(
        "temperature",
        6,
        [(5, 15, "0.080", "0.090")],
        r"""
| token | logit | logit / 2 | softmax |
|---|---|---|---|
| a | 4 | 2 | 0.665 |
| b | 2 | 1 | 0.245 |
| c | 0 | 0 | 0.080 |
""",
    ),
    Case(
        "ratio weights slip sum",
        8,
        [(6, 9, "11.17", "11.11")],
        r"""
| token | score | e^score | e^score / Σ |
|---|---|---|---|
| a | 2 | 7.39 | 0.665 |
| b | 1 | 2.72 | 0.245 |
| c | 0 | 1 | 0.090 |
| Σ | | 11.17 | 1.000 |
""",
    ),
    Case(
        "math headers ratio",
        6,
        [(5, 15, "0.19", "0.09")],
        r"""
| $j$ | $s_j$ | $e^{s_j}$ | $\alpha_j = \frac{e^{s_j}}{\sum_k e^{s_k}}$ |
|---|---|---|---|
| 1 | 2 | 7.39 | 0.665 |
| 2 | 1 | 2.72 | 0.245 |
| 3 | 0 | 1 | 0.19 |
""",
    ),
    Case(
        "approx root",
        3,
        [(6, 11, "1.67", "1.76")],
        r"""
$d_k = 3$, $\sqrt{3} \approx 1.7$.

| token | score | ÷ 1.7 |
|---|---|---|
| a | 2 | 1.18 |
| b | 3 | 1.67 |
""",
    ),
    Case(
        "weighted sum numbers",
        5,
        [(5, 18, "16", "15")],
        r"""
| token | weight | v | weight × v |
|---|---|---|---|
| a | 0.2 | 10 | 2 |
| b | 0.3 | 20 | 6 |
| c | 0.5 | 30 | 16 |
| Sum | 1 | | 24 |
""",
    ),
    Case(
        "output labelled total",
        6,
        [(5, 20, "4", "3")],
        r"""
| key | weight | value | weight·value |
|---|---|---|---|
| a | 0.25 | [4, 0] | [1, 0] |
| b | 0.75 | [0, 4] | [0, 3] |
| output | | | [1, 4] |
""",
    ),
    Case(
        "ar steps",
        8,
        [],
        r"""
لنفرض أن $d_k = 4$.

| الكلمة | $q \cdot k$ | $\frac{q \cdot k}{2}$ | $e^x$ | softmax |
|---|---|---|---|---|
| كتب | 2 | 1 | 2.72 | 0.27 |
| الولد | 4 | 2 | 7.39 | 0.73 |
| المجموع | | | 10.11 | 1 |
""",
    ),
    Case(
        "key results",
        9,
        [],
        r"""
{QKV}

Key results:

| model | acc | f1 |
|---|---|---|
| a | 0.9 | 0.8 |
| b | 0.8 | 0.7 |
| c | 0.8 | 0.7 |

$QK^T = \begin{bmatrix}1&3&4\\0&1&2\\2&2&0\end{bmatrix}$
""",
    ),
    Case(
        "division league",
        0,
        [],
        r"""
{QKV}

| team | points | Division 2 |
|---|---|---|
| a | 3 | 7 |
| b | 4 | 9 |
""",
    ),
    Case(
        "bill",
        0,
        [],
        r"""
| item | price | quantity | total |
|---|---|---|---|
| tea | 2.50 | 2 | 5.00 |
| cake | 3.00 | 1 | 3.00 |
| total | | 3 | 9.00 |
""",
    ),
    Case(
        "rows of another example",
        6,
        [],
        r"""
{QKV}

Now suppose the word *it* gets these dot products:

| key | score | ÷ 8 | weight |
|---|---|---|---|
| animal | 48 | 6 | 0.705 |
| street | 40 | 5 | 0.259 |
| tired | 24 | 3 | 0.035 |
""",
    ),
    Case(
        "neg scores",
        6,
        [],
        r"""
$d_k=4$

| k | s | s/2 | e^(s/2) | w |
|---|---|---|---|---|
| a | -2 | -1 | 0.368 | 0.047 |
| b | 4 | 2 | 7.389 | 0.953 |
""",
    ),
    Case(
        "masked minus inf",
        9,
        [],
        r"""
$d_k=4$

| key | score | scaled | exp | weight |
|---|---|---|---|---|
| a | 2 | 1 | 2.718 | 0.269 |
| b | 4 | 2 | 7.389 | 0.731 |
| c | −∞ | −∞ | 0 | 0 |
""",
    ),
    Case(
        "equation cells",
        9,
        [(9, 45, "1", "0")],
        r"""
{QKV}

QKᵀ:

| | a | b | c |
|---|---|---|---|
| a | 1·1+2·0 = 1 | 1·1+2·1 = 3 | 1·0+2·2 = 4 |
| b | 0·1+1·0 = 0 | 0·1+1·1 = 1 | 0·0+1·2 = 2 |
| c | 2·1+0·0 = 2 | 2·1+0·1 = 2 | 2·0+0·2 = 1 |
""",
    ),
    Case(
        "pair arrows slip",
        8,
        [(6, 17, "0.713", "0.731")],
        r"""
$d_k = 4$.

| pair | q·k | ÷2 | softmax |
|---|---|---|---|
| a→a | 2 | 1 | 0.269 |
| a→b | 4 | 2 | 0.713 |
| b→a | 0 | 0 | 0.119 |
| b→b | 4 | 2 | 0.881 |
""",
    ),
    Case(
        "S_ij labels",
        3,
        [],
        r"""
{QKV}

| pair | score |
|---|---|
| $S_{11}$ | 1 |
| $S_{12}$ | 3 |
| $S_{13}$ | 4 |
""",
    ),
    Case(
        "sum of weights col header row",
        12,
        [],
        r"""
{QKV}

Attention weights:

| | a | b | c | row sum |
|---|---|---|---|---|
| a | 0.074 | 0.306 | 0.620 | 1 |
| b | 0.140 | 0.284 | 0.576 | 1 |
| c | 0.446 | 0.446 | 0.108 | 1 |
""",
    ),
    Case(
        "exp rows unlabelled stage",
        9,
        [(9, 21, "1.01", "1.00")],
        r"""
{QKV}

After exponentiating:

| | a | b | c |
|---|---|---|---|
| a | 2.03 | 8.34 | 16.92 |
| b | 1.00 | 2.03 | 4.11 |
| c | 4.11 | 4.11 | 1.01 |
""",
    ),
    Case(
        "concat table",
        3,
        [(7, 34, "5", "4")],
        r"""
{QKV}

| token | $q$ | $k$ | $v$ | score with $q_1$ |
|---|---|---|---|---|
| a | [1, 2] | [1, 0] | [1, 2] | 1 |
| b | [0, 1] | [1, 1] | [3, 0] | 3 |
| c | [2, 0] | [0, 2] | [0, 4] | 5 |
""",
    ),
    Case(
        "projection table",
        4,
        [(6, 11, "5", "4")],
        r"""
$X = \begin{bmatrix}1&0\\0&1\end{bmatrix}$, $W_Q = \begin{bmatrix}1&2\\3&4\end{bmatrix}$.

| token | q |
|---|---|
| a | [1, 2] |
| b | [3, 5] |
""",
    ),
    Case(
        "loss table",
        0,
        [],
        r"""
{QKV}

| epoch | train loss | val loss | attention entropy |
|---|---|---|---|
| 1 | 2.31 | 2.40 | 1.1 |
| 2 | 1.87 | 2.01 | 1.0 |
| 3 | 1.66 | 1.89 | 0.9 |
""",
    ),
    Case(
        "tex tabular steps comma",
        11,
        [(7, 22, "0,425", "0.452")],
        r"""
\documentclass{article}\begin{document}
Es sei $d_k = 4$.

\begin{tabular}{lrrrr}
Wort & $s_i$ & $s_i/2$ & $e^{s_i/2}$ & $\alpha_i$ \\ \hline
ich & 3 & 1,5 & 4,48 & 0,274 \\
bin & 4 & 2 & 7,39 & 0,425 \\
da & 3 & 1,5 & 4,48 & 0,274 \\ \hline
$\Sigma$ & & & 16,35 & 1 \\
\end{tabular}
\end{document}
""",
        format="tex",
    ),
    Case(
        "multirow wide",
        3,
        [(6, 15, "2.21", "2.12")],
        r"""
{QKV}

| i | j | $S_{ij}$ | $S_{ij}/\sqrt2$ |
|---|---|---|---|
| 1 | 1 | 1 | 0.71 |
| 1 | 2 | 3 | 2.21 |
| 2 | 1 | 0 | 0 |
""",
    ),
    Case(
        "top-k sampling",
        3,
        [],
        r"""
| token | logit | prob | cumulative |
|---|---|---|---|
| a | 2 | 0.665 | 0.665 |
| b | 1 | 0.245 | 0.910 |
| c | 0 | 0.090 | 1.000 |
""",
    ),
    Case(
        "p header",
        6,
        [(4, 19, "0.254", "0.245")],
        r"""
| $j$ | $s_j$ | $e^{s_j}$ | $p_j$ |
|---|---|---|---|
| 1 | 2 | 7.389 | 0.665 |
| 2 | 1 | 2.718 | 0.254 |
| 3 | 0 | 1 | 0.090 |
""",
    ),
    Case(
        "unscaled softmax",
        4,
        [(5, 15, "0.119", "0.269"), (6, 15, "0.881", "0.731")],
        r"""
$d_k=4$.

| token | score | score/2 | softmax |
|---|---|---|---|
| a | 2 | 1 | 0.119 |
| b | 4 | 2 | 0.881 |
""",
    ),
    Case(
        "pairs with weighted values",
        12,
        [(6, 19, "0.713", "0.731")],
        r"""
$d_k=4$.

| query | key | score | score/2 | softmax | v | softmax·v |
|---|---|---|---|---|---|---|
| a | a | 2 | 1 | 0.269 | 1 | 0.269 |
| a | b | 4 | 2 | 0.713 | 3 | 2.193 |
| b | a | 0 | 0 | 0.119 | 1 | 0.119 |
| b | b | 4 | 2 | 0.881 | 3 | 2.643 |
""",
    ),
    Case(
        "times half",
        4,
        [],
        r"""
| key | score | × 0.5 | softmax |
|---|---|---|---|
| a | 2 | 1 | 0.269 |
| b | 4 | 2 | 0.731 |
""",
    ),
    Case(
        "gpt sizes",
        0,
        [],
        r"""
{QKV}

| Model | Params | Layers | Heads | d_head | Batch size | Learning rate |
|---|---|---|---|---|---|---|
| Small | 125 | 12 | 12 | 64 | 0.5 | 6.0 |
| Medium | 350 | 24 | 16 | 64 | 0.5 | 3.0 |
| Total | 475 | 36 | 28 | 128 | 1.0 | 9.0 |
""",
    ),
    Case(
        "weights of ensemble",
        0,
        [],
        r"""
{QKV}

| model | weight |
|---|---|
| a | 0.5 |
| b | 0.3 |
| c | 0.2 |
""",
    ),
    Case(
        "attention by language",
        0,
        [],
        r"""
{QKV}

Attention scores by language:

| language | score |
|---|---|
| de | 0.71 |
| en | 0.85 |
| fr | 0.77 |
""",
    ),
    Case(
        "query rows labelled q1",
        9,
        [(9, 19, "1", "0")],
        r"""
{QKV}

Scores:

| | $k_1$ | $k_2$ | $k_3$ |
|---|---|---|---|
| $q_1$ | 1 | 3 | 4 |
| $q_2$ | 0 | 1 | 2 |
| $q_3$ | 2 | 2 | 1 |
""",
    ),
    Case(
        "one query row vs. keys labelled",
        9,
        [(9, 18, "0.26", "0.62")],
        r"""
{QKV}

For the first query:

| key | score | scaled | weight |
|---|---|---|---|
| 1 | 1 | 0.71 | 0.07 |
| 2 | 3 | 2.12 | 0.31 |
| 3 | 4 | 2.83 | 0.26 |
""",
    ),
    Case(
        "final column output only",
        6,
        [(7, 17, "1.352", "1.325")],
        r"""
{QKV}

| token | output |
|---|---|
| the | (0.991, 2.629) |
| cat | (0.992, 2.584) |
| sat | (1.783, 1.352) |
""",
    ),
    Case(
        "scores table with latex inner",
        9,
        [(9, 18, "3", "2")],
        r"""
{QKV}

$$S = QK^\top$$

| $S$ | $k_1$ | $k_2$ | $k_3$ |
|:-:|:-:|:-:|:-:|
| $q_1$ | $1$ | $3$ | $4$ |
| $q_2$ | $0$ | $1$ | $2$ |
| $q_3$ | $2$ | $3$ | $0$ |
""",
    ),
    Case(
        "tex array with tokens",
        12,
        [(7, 21, ".567", "0.576")],
        r"""
\documentclass{article}\begin{document}
Let $Q = \begin{bmatrix}1&2\\0&1\\2&0\end{bmatrix}$, $K = \begin{bmatrix}1&0\\1&1\\0&2\end{bmatrix}$, $d_k=2$.
\begin{center}
\begin{tabular}{c|ccc|c}
$\alpha$ & the & cat & sat & $\sum$ \\ \hline
the & .074 & .306 & .620 & 1 \\
cat & .140 & .284 & .567 & 1 \\
sat & .446 & .446 & .108 & 1
\end{tabular}
\end{center}
\end{document}
""",
        format="tex",
    ),
    Case(
        "table without numbers",
        0,
        [],
        r"""
{QKV}

| Symbol | Meaning |
|---|---|
| $Q$ | query |
| $d_k$ | key size |
""",
    ),
    Case(
        "numbers with units",
        0,
        [],
        r"""
{QKV}

| stage | time | memory |
|---|---|---|
| scores | 3 ms | 12 MB |
| softmax | 2 ms | 12 MB |
| output | 4 ms | 8 MB |
""",
    ),
    Case(
        "numbers no units stages rows",
        0,
        [],
        r"""
{QKV}

| stage | time (ms) | memory (MB) | FLOPs |
|---|---|---|---|
| scores | 3 | 12 | 18 |
| softmax | 2 | 12 | 9 |
| output | 4 | 8 | 18 |
""",
    ),
    Case(
        "shapes rows",
        0,
        [],
        r"""
{QKV}

| step | rows | columns |
|---|---|---|
| scores | 3 | 3 |
| weights | 3 | 3 |
| output | 3 | 2 |
""",
    ),
    Case(
        "cosine positional",
        6,
        [(5, 7, "0.990", "0.909")],
        r"""
| pos | sin(pos) | cos(pos) |
|---|---|---|
| 0 | 0 | 1 |
| 1 | 0.841 | 0.540 |
| 2 | 0.990 | -0.416 |
""",
    ),
    Case(
        "all pairs dot product",
        27,
        [(15, 59, "0.54", "0.45")],
        r"""
{QKV}

| Query | Key | Dot product | ÷ √2 |
|---|---|---|---|
| the | the | 1 | 0.71 |
| the | cat | 3 | 2.12 |
| the | sat | 4 | 2.83 |
| cat | the | 0 | 0 |
| cat | cat | 1 | 0.71 |
| cat | sat | 2 | 1.41 |
| sat | the | 2 | 1.41 |
| sat | cat | 2 | 1.41 |
| sat | sat | 0 | 0 |

$$A = \begin{bmatrix}0.07&0.31&0.62\\0.14&0.28&0.58\\0.45&0.54&0.11\end{bmatrix}$$
""",
    ),
    Case(
        "cache with named K",
        12,
        [(7, 7, "4", "3")],
        r"""
Here $q_4 = [1, -1, 2, 0]$, $K = \begin{bmatrix}1&0&1&1\\0&1&0&1\\2&1&1&0\\1&-1&0&3\end{bmatrix}$, $d_k = 4$.

| position | $q_4 \cdot k_i$ | $/\sqrt{4}$ | weight |
|:--:|:--:|:--:|:--:|
| 1 | 3 | 1.5 | 0.365 |
| 2 | -1 | -0.5 | 0.049 |
| 3 | 4 | 2.0 | 0.365 |
| 4 | 2 | 1.0 | 0.221 |
""",
    ),
    Case(
        "html percent heat",
        9,
        [(17, 36, "81.8%", "88.1%")],
        r"""
<html><body><p>Take d<sub>k</sub> = 4. Suppose the dot products QK<sup>T</sup> came out as</p>
<table>
<tr><th></th><th>I</th><th>like</th></tr>
<tr><th>I</th><td>4</td><td>2</td></tr>
<tr><th>like</th><td>2</td><td>6</td></tr>
</table>
<p>After dividing by &radic;4 = 2:</p>
<table>
<tr><th></th><th>I</th><th>like</th></tr>
<tr><th>I</th><td>2</td><td>1</td></tr>
<tr><th>like</th><td>1</td><td>3</td></tr>
</table>
<p>Softmax over each row turns this into percentages:</p>
<table>
<tr><th></th><th>I</th><th>like</th></tr>
<tr><th>I</th><td>73.1%</td><td>26.9%</td></tr>
<tr><th>like</th><td>11.9%</td><td>81.8%</td></tr>
</table>
</body></html>
""",
        format="html",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_table_is_judged_at_its_places(case: Case) -> None:
    (found,) = verify(case.source, format=case.format).documents
    told = [(claim.place.line, claim.place.column, claim.text, claim.expected) for claim in found.findings]
    assert told == case.findings
    assert len(found.claims) == case.claims
    assert [claim.message for claim in found.claims if claim.verdict.value in {"undecided", "unreadable"}] == []
    lines = case.source.splitlines()
    for claim in found.claims:
        written = lines[claim.place.line - 1][claim.place.column - 1 : claim.place.end_column - 1]
        assert written == claim.text
