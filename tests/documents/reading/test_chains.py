"""LaTeX as people write it: each notation with the tree that it must give, on one line."""

from __future__ import annotations

import pytest

from symattn.documents.reading.chains import read_chain, read_math
from symattn.documents.reading.outline import outline
from symattn.documents.reading.tree import Blank, Call, Matrix, Name, Operation, Product, Text, Transpose

NOTATIONS = [
    ("\\underbrace{1 \\times 2}_{\\text{dim 1}} + \\underbrace{0 \\times 1}_{\\text{dim 2}} = 2", ["{1×2}+{0×1} = 2"]),
    ("\\boxed{0.85 \\times 10 = 8.5}", ["{0.85×10} = 8.5"]),
    ("\\mathbf{q}_1 \\cdot \\mathbf{k}_2^\\top = 1", ["{q_1·k_2ᵀ} = 1"]),
    (
        "\\text{head}_1 = \\text{softmax}\\!\\left(\\frac{Q_1K_1^T}{\\sqrt{2}}\\right)V_1",
        ["head_1 = {softmax(({Q_1⁀K_1ᵀ} / √2))⁀V_1}"],
    ),
    ("\\text{Score}_{12} = q_1 \\cdot k_2 = 0.5", ["Score_12 = {q_1·k_2} = 0.5"]),
    ("S_11 = 3", ["S_11 = 3"]),
    ("W_1^Q = [1], Q^{(1)} = 2", ["W_Q_1 = [1,]", "Q_1 = 2"]),
    ("\\mathrm{softmax}([1.2,\\ 0.3])_1 = 0.711", ["softmax([1.2, 0.3,])⟦1⟧ = 0.711"]),
    ("\\frac{\\exp(0.7)}{\\exp(0.7)+\\exp(0)} = 0.668", ["(exp(0.7) / exp(0.7)+exp(0)) = 0.668"]),
    ("\\frac{e^{0.7}}{e^{0.7}+e^{0}} \\overset{!}{=} 0.67", ["(e^0.7 / e^0.7+e^0) =['!'] 0.67"]),
    ("\\left\\{\\begin{aligned} a &= 1\\\\ b &= 2\\end{aligned}\\right.", ["a = 1", "b = 2"]),
    ("\\begin{cases} a = 1 \\\\ b = 2 \\end{cases}", ["a = 1", "b = 2"]),
    ("q_1, k_1 = [1,0], [0,1]", ["q_1 = [1, 0,]", "k_1 = [0, 1,]"]),
    ("\\sqrt{\\frac{(1-2)^2+(3-2)^2}{2}} = 1", ["√((1-2)^2+(3-2)^2 / 2) = 1"]),
    ("\\mu = \\frac{1+2+3}{3} = 2,\\ \\sigma^2 = \\frac{2}{3}", ["mu = (1+2+3 / 3) = 2", "sigma^2 = (2 / 3)"]),
    ("\\log_2 8 = 3", ["log_2(8) = 3"]),
    ("\\ln 2 \\approx 0.693", ["ln(2) ≈ 0.693"]),
    ("\\cos 1 \\approx 0.5403, \\sin 1 \\approx 0.8415", ["cos(1) ≈ 0.5403", "sin(1) ≈ 0.8415"]),
    (
        "R = \\begin{pmatrix} \\cos 1 & -\\sin 1 \\\\ \\sin 1 & \\cos 1 \\end{pmatrix}",
        ["R = (cos(1), -sin(1); sin(1), cos(1))"],
    ),
    ("\\sin 2x", ["?how far sin reaches is not shown: write brackets?"]),
    ("\\langle q_1 \\mid k_2 \\rangle = 4", ["⟨q_1, k_2,⟩ = 4"]),
    ("P(y \\mid x) = 0.3", ["{P⁀(y, x,)} = 0.3"]),
    ("W_Q^1 = [1], Q^2 = X W_Q^{2}", ["W_1_Q = [1,]", "Q_2 = {X⁀W_2_Q}"]),
    ("W^{Q_1} = [1], W^{K_{2} T} = [2]", ["W_Q_1 = [1,]", "W_K_2ᵀ = [2,]"]),
    ("\\text{head}^2 = 3, A^2 = 4, \\text{RMS}^2 = 5", ["head_2 = 3", "A^2 = 4", "RMS^2 = 5"]),
    ("\\max(0, -1.5) = 0", ["max(0, -1.5) = 0"]),
    ("\\lVert x \\rVert = 5, |{-3}| = 3", ["‖x‖ = 5", "|-3| = 3"]),
    ("\\hat{y} = 85\\%", ["y~hat = 85\\%"]),
    ("85% = 0.85", ["85% = 0.85"]),
    ("\\begin{bmatrix} 1 \\ 0 \\ 1 \\end{bmatrix}", ["[1; 0; 1]"]),
    ("\\begin{bmatrix} 1 & 0 \\ 0 & 1 \\end{bmatrix}", ["[1, 0; 0, 1]"]),
    ("\\begin{bmatrix} 1 & 0 \\\\\\\\ 0 & 1 \\\\\\\\\\end{bmatrix}", ["[1, 0; 0, 1]"]),
    ("\\begin{bmatrix} 0.5 \\quad (\\text{Time}) \\\\ 0.5 \\quad(\\text{Machine}) \\end{bmatrix}", ["[0.5; 0.5]"]),
    (
        "\\begin{matrix} & \\text{a} & \\text{b} \\\\ \\text{a} & 1 & 0 \\\\ \\text{b} & 0 & 1\\end{matrix}",
        ["⌈1, 0; 0, 1⌋ <a | b>"],
    ),
    (
        "\\text{Output 1} = 0.85 \\cdot V_{\\text{Time}} + 0.15 \\cdot V_{\\text{Machine}} = [8.8, 2.45, 1.2]",
        ["'Output 1' = {0.85·V_Time}+{0.15·V_Machine} = [8.8, 2.45, 1.2,]"],
    ),
    (
        "\\text{Attention}(Q,K,V) = \\text{softmax}\\left(\\frac{QK^T}{\\sqrt{d_k}}\\right)V",
        ["attention(Q, K, V) = {softmax(({Q⁀Kᵀ} / √d_k))⁀V}"],
    ),
    ("\\sum_j \\alpha_{1j} v_j = [0.32, 0.68]", ["?a sum over an index is not worked out? = [0.32, 0.68,]"]),
    ("e^{1.0} = 2.718 \\text{ and } e^{0} = 1", ["e^1.0 = 2.718", "e^0 = 1"]),
    ("x = 3 \\text{ since } d_k = 3", ["x = 3", "<since> d_k = 3"]),
    ("Q\\_1 = 1", ["Q_1 = 1"]),
    ("\\operatorname{ReLU}(-1) = 0", ["relu(-1) = 0"]),
    ("\\begin{align*} S &= 1 \\tag{1} \\\\ T &= 2 \\notag \\end{align*}", ["S = 1", "T = 2"]),
    ("\\alpha_{11} = \\frac{2.03}{2.03+1}=0.67 \\quad\\checkmark", ["alpha_11 = (2.03 / 2.03+1) = 0.67"]),
    ("[2.0, 1.0] / \\sqrt{2} = [1.414, 0.707]", ["([2.0, 1.0,] / √2) = [1.414, 0.707,]"]),
    ("\\text{softmax}(1.0, 0.5)=(0.62,0.38)", ["softmax(1.0, 0.5) = (0.62, 0.38,)"]),
    ("\\begin{pmatrix}1\\\\2\\end{pmatrix}^T\\begin{pmatrix}3\\\\4\\end{pmatrix}=11", ["{(1; 2)ᵀ⁀(3; 4)} = 11"]),
    ("1 \\times 2 + \\cdots + 3 = 9", ["{1×2}+…+3 = 9"]),
    ("\\_\\_\\_ + 1 = \\underline{\\hspace{1cm}}", ["□+1 = □"]),
    ("\\text{PE}(0,0)=\\sin(0/10000^{0/4})=0", ["PE(0, 0) = sin((0 / 10000^(0 / 4))) = 0"]),
    ("\\frac{1.0 - 2.0}{\\sqrt{0.5 + 10^{-5}}} = -1.41", ["(1.0-2.0 / √0.5+10^-5) = -1.41"]),
    ("-1e9", ["-1e9"]),
    ("\\tfrac{1}{\\sqrt{2}}\\,S", ["{(1 / √2)⁀S}"]),
    ("Q = X W_Q \\Rightarrow Q = [1, 0]", ["Q = {X⁀W_Q} → Q = [1, 0,]"]),
    ("d_{model}=4,\\; d_k = 3", ["d_model = 4", "d_k = 3"]),
    ("d_model = 4", ["d_model = 4"]),
    ("\\text{Var} = 0.25", ["'Var' = 0.25"]),
    ("A = \\text{softmax}(S/\\sqrt{2}) V", ["A = {softmax((S / √2))⁀V}"]),
    ("\\exp\\left(-\\frac{1}{2}\\right) \\approx 0.607", ["exp(-(1 / 2)) ≈ 0.607"]),
    ("\\dfrac{2}{\\,3\\,}", ["(2 / 3)"]),
    ("\\{0.2, 0.8\\}", ["{0.2, 0.8,}"]),
    ("\\langle q, k\\rangle = 3", ["⟨q, k,⟩ = 3"]),
    ("\\color{red}{0.85} = 0.85", ["0.85 = 0.85"]),
    ("\\textcolor{blue}{0.85 \\times 2} = 1.7", ["{0.85×2} = 1.7"]),
    ("0{,}67 + 0{,}33 = 1", ["0{,}67+0{,}33 = 1"]),
    ("\\mathbf{Q}\\mathbf{K}^{\\mathsf{T}} = 1", ["{Q⁀Kᵀ} = 1"]),
    ("\\mathrm{Attn}_{1,2} = 0.3", ["Attn_1,2 = 0.3"]),
    ("z_i = x_i + 1", ["z_i = x_i+1"]),
    ("= 0.5 ", ["∅ = 0.5"]),
    ("W_Q^T X = \\begin{bmatrix}1\\end{bmatrix}", ["{W_Qᵀ⁀X} = [1]"]),
    (
        "\\begin{bmatrix}1 & 2\\\\3 & 4\\end{bmatrix} \\xrightarrow{\\div\\sqrt{2}} \\begin{bmatrix}0.71 & 1.41\\\\2.12 & 2.83\\end{bmatrix} \\xrightarrow[\\text{row}]{\\text{softmax}} \\begin{bmatrix}0.33 & 0.67\\\\0.33 & 0.67\\end{bmatrix}",
        ["[1, 2; 3, 4] →[÷√2] [0.71, 1.41; 2.12, 2.83] →['softmax'] [0.33, 0.67; 0.33, 0.67]"],
    ),
    (
        "Q K^T \\div \\sqrt{d_k} = \\begin{bmatrix}1\\end{bmatrix} \\div 1.414 = 0.707",
        ["({Q⁀Kᵀ} / √d_k) = ([1] / 1.414) = 0.707"],
    ),
    ("\\text{score}(q_1, k_1) = 1 \\times 1 + 0 \\times 0 = 1", ["score(q_1, k_1) = {1×1}+{0×0} = 1"]),
    ("\\text{score}_{1,1} = \\mathbf{q}_1^\\top \\mathbf{k}_1 = 1", ["score_1,1 = {q_1ᵀ⁀k_1} = 1"]),
    ("\\text{Scores} / \\sqrt{d_k} = 1", ["('Scores' / √d_k) = 1"]),
    ("a_{11} = e^{0.7}/(e^{0.7} + e^{0}) = 0.668", ["a_11 = (e^0.7 / (e^0.7+e^0)) = 0.668"]),
    (
        "\\frac{e^{1}}{e^{1}+e^{2}} = \\frac{2.718}{2.718+7.389} \\approx 0.269",
        ["(e^1 / e^1+e^2) = (2.718 / 2.718+7.389) ≈ 0.269"],
    ),
    (
        "e^{0.71} \\approx 2.03 \\quad e^{0} = 1 \\quad e^{1.41} \\approx 4.10",
        ["e^0.71 ≈ 2.03", "e^0 = 1", "e^1.41 ≈ 4.10"],
    ),
    ("\\Sigma = 2.03 + 1 = 3.03", ["Sigma = 2.03+1 = 3.03"]),
    (
        "\\text{Attention weights: } \\left[\\frac{2.03}{3.03}, \\frac{1}{3.03}\\right] = [0.67, 0.33]",
        ["<Attention weights> [(2.03 / 3.03), (1 / 3.03),] = [0.67, 0.33,]"],
    ),
    ("\\left[\\begin{matrix}1&0\\\\0&1\\end{matrix}\\right]", ["[1, 0; 0, 1]"]),
    ("\\left(\\begin{array}{c|c}1&0\\\\\\hline 0&1\\end{array}\\right)", ["(1, 0; 0, 1)"]),
    ("\\bigl[\\begin{smallmatrix}1&0\\\\0&1\\end{smallmatrix}\\bigr]", ["[1, 0; 0, 1]"]),
    ("\\begin{vmatrix}1&2\\\\3&4\\end{vmatrix} = -2", ["|1, 2; 3, 4| = -2"]),
    ("\\text{softmax}\\left(\\begin{bmatrix}2&1\\end{bmatrix}\\right)_{1} = 0.73", ["softmax([2, 1])⟦1⟧ = 0.73"]),
    (
        "\\mathrm{softmax}(z)_i = \\frac{e^{z_i}}{\\sum_j e^{z_j}}",
        ["softmax(z)⟦i⟧ = ?a sum over an index is not worked out?"],
    ),
    ("\\mathrm{softmax}\\big([1.41,\\ 0.71]\\big) \\approx [0.67,\\ 0.33]", ["softmax([1.41, 0.71,]) ≈ [0.67, 0.33,]"]),
    (
        "\\text{output}_1 = 0.67\\cdot v_1 + 0.33\\cdot v_2 = 0.67\\cdot[1,0] + 0.33\\cdot[0,1] = [0.67,0.33]",
        ["output_1 = {0.67·v_1}+{0.33·v_2} = {0.67·[1, 0,]}+{0.33·[0, 1,]} = [0.67, 0.33,]"],
    ),
    ("q_{\\text{cat}} \\cdot k_{\\text{sat}} = 2(1) + 0(3) = 2", ["{q_cat·k_sat} = {2⁀(1)}+{0⁀(3)} = 2"]),
    ("Q_{[1,:]} = [1,0]", ["Q_[1,:] = [1, 0,]"]),
    ("\\mathbf{x}_{\\text{“I”}} = [1, 0]", ["x_“I” = [1, 0,]"]),
    ("[1\\ \\ 0\\ \\ 1]", ["[1, 0, 1,]"]),
    ("[\\,1\\;\\;0\\;\\;1\\,]", ["[1, 0, 1,]"]),
    ("\\begin{bmatrix}1\\\\0\\end{bmatrix}^{\\!\\top}", ["[1; 0]ᵀ"]),
    ("A^{(1)} = \\text{softmax}(S^{(1)})", ["A_1 = softmax(S_1)"]),
    ("\\mathbf{Q}^{(1)} = \\mathbf{X}\\mathbf{W}_Q^{(1)} = [1]", ["Q_1 = {X⁀W_1_Q} = [1,]"]),
    ("\\operatorname{Concat}(\\text{head}_1, \\text{head}_2) = [1,2,3,4]", ["concat(head_1, head_2) = [1, 2, 3, 4,]"]),
    ("\\text{MultiHead} = \\text{Concat}(H_1,H_2)W^O", ["'MultiHead' = {concat(H_1, H_2)⁀W_O}"]),
    (
        "\\hat{x}_1 = \\frac{1-2}{\\sqrt{0.667+\\epsilon}} \\approx -1.224",
        ["x~hat_1 = (1-2 / √0.667+epsilon) ≈ -1.224"],
    ),
    ("\\text{LayerNorm}([1,2,3]) = [-1.22, 0, 1.22]", ["layernorm([1, 2, 3,]) = [-1.22, 0, 1.22,]"]),
    ("\\gamma \\odot \\hat{x} + \\beta", ["{gamma⊙x~hat}+beta"]),
    ("\\sigma(0.5) = \\frac{1}{1+e^{-0.5}} = 0.622", ["{sigma⁀(0.5)} = (1 / 1+e^-0.5) = 0.622"]),
    ("PE_{(pos,2i)} = \\sin(pos/10000^{2i/d_{model}})", ["PE_(pos,2i) = sin(('pos' / 10000^({2⁀i} / d_model)))"]),
    ("\\sin(1) \\approx 0.841", ["sin(1) ≈ 0.841"]),
    ("\\max(0, xW_1 + b_1)W_2 + b_2", ["{max(0, {x⁀W_1}+b_1)⁀W_2}+b_2"]),
    ("1.41 \\overset{e^x}{\\longrightarrow} 4.10", ["1.41 →[e^x] 4.10"]),
    (
        "0.67 \\times \\begin{bmatrix}1\\\\0\\end{bmatrix} + 0.33 \\times \\begin{bmatrix}0\\\\1\\end{bmatrix} = \\begin{bmatrix}0.67\\\\0.33\\end{bmatrix}",
        ["{0.67×[1; 0]}+{0.33×[0; 1]} = [0.67; 0.33]"],
    ),
    ("QK^T=\\begin{pmatrix} (1)(1)+(0)(0) & 1 \\\\ 0 & 1 \\end{pmatrix}", ["{Q⁀Kᵀ} = ({(1)⁀(1)}+{(0)⁀(0)}, 1; 0, 1)"]),
    ("d_k = \\frac{d_{\\text{model}}}{h} = \\frac{8}{2} = 4", ["d_k = (d_model / h) = (8 / 2) = 4"]),
    (
        "\\text{mask}_{ij} = \\begin{cases} 0 & i \\ge j \\\\ -\\infty & i < j \\end{cases}",
        ["mask_ij = ?values under conditions are not worked out?"],
    ),
    ("-\\infty + 2 = -\\infty", ["-∞+2 = -∞"]),
    ("e^{-\\infty} = 0", ["e^-∞ = 0"]),
    ("\\approx \\mathbf{0.85}", ["∅ ≈ 0.85"]),
    ("= \\mathbf{[0.85, 0.15]}", ["∅ = [0.85, 0.15,]"]),
    ("{\\color{red} 0.85} \\times 10 = 8.5", ["{0.85×10} = 8.5"]),
    ("\\alpha_{1\\to 2} = 0.3", ["alpha_1→2 = 0.3"]),
    ("S_{\\text{I}\\rightarrow\\text{am}} = 2", ["S_I→am = 2"]),
    (
        "w_1 : w_2 = 3 : 1",
        ["?a colon between two things: a ratio, or a label?? = ?a colon between two things: a ratio, or a label??"],
    ),
    ("3! = 6", ["?a factorial is not worked out? = 6"]),
    ("1 \\le x \\le 3", ["1 ≤ x ≤ 3"]),
    ("\\frac{1}{2} + \\frac{1}{2} = 1.", ["(1 / 2)+(1 / 2) = 1"]),
    ("\\therefore x = 1", ["∅ → x = 1"]),
    ("\\vec{q}\\cdot\\vec{k} = 2", ["{q·k} = 2"]),
    ("q^\\intercal k = 1", ["{qᵀ⁀k} = 1"]),
    ("A_{ij} = \\frac{\\exp(S_{ij})}{\\sum_k \\exp(S_{ik})}", ["A_ij = ?a sum over an index is not worked out?"]),
    ("\\text{Row sum} = 0.67+0.33 = 1.00 \\;\\checkmark", ["'Row sum' = 0.67+0.33 = 1.00"]),
    (
        "\\begin{array}{c|cc} & k_1 & k_2 \\\\ \\hline q_1 & 1 & 0 \\\\ q_2 & 0 & 1 \\end{array}",
        ["⌈1, 0; 0, 1⌋ <q_1 | q_2>"],
    ),
    (
        "\\begin{bmatrix} q_1 \\cdot k_1 & q_1 \\cdot k_2 \\end{bmatrix} = \\begin{bmatrix} 1 & 0 \\end{bmatrix}",
        ["[{q_1·k_1}, {q_1·k_2}] = [1, 0]"],
    ),
    ("\\begin{bmatrix} 1 & \\cdots & 0 \\\\ \\vdots & \\ddots & \\vdots \\end{bmatrix}", ["[1, …, 0; …, …, …]"]),
    ("\\begin{bmatrix} 0.5 & ? \\\\ ? & 0.5\\end{bmatrix}", ["[0.5, □; □, 0.5]"]),
    ("\\begin{bmatrix} 1,0 \\\\ 0,1 \\end{bmatrix}", ["[1, 0; 0, 1]"]),
    ("[[1,0],[0,1]]", ["[1, 0; 0, 1]"]),
    ("((1,0),(0,1))", ["(1, 0; 0, 1)"]),
    ("Q = (1, 0)^T", ["Q = (1, 0,)ᵀ"]),
    ("\\|q\\| = \\sqrt{1^2+2^2} = 2.236", ["‖q‖ = √1^2+2^2 = 2.236"]),
    ("x \\in \\mathbb{R}^{2}", ["x ∈ R^2"]),
    ("\\text{if } i = j \\text{ then } M_{ij} = 0", ["<if> i = j", "M_ij = 0"]),
    ("0.33 \\text{ (33\\%)}", ["0.33"]),
    ("\\text{A} = \\text{softmax}(\\text{S})", ["'A' = softmax('S')"]),
    ("S = \\text{QK}^T", ["S = QKᵀ"]),
    ("e^1\\approx2.718, e^2\\approx7.389", ["e^1 ≈ 2.718", "e^2 ≈ 7.389"]),
    (
        "\\begin{aligned} &1+1=2 \\\\ &2+2=4 \\\\ &\\text{total} = 6 \\end{aligned}",
        ["1+1 = 2", "2+2 = 4", "'total' = 6"],
    ),
    ("\\begin{gathered} a = 1 \\\\ b = 2 \\end{gathered}", ["a = 1", "b = 2"]),
    (
        "\\begin{aligned} z &= 1 \\times 2 \\\\ &\\quad + 3 \\times 4 \\\\ &= 14 \\end{aligned}",
        ["z = {1×2}+{3×4} = 14"],
    ),
    ("a = b \\\\ c = d", ["a = b", "c = d"]),
    ("\\begin{split} x &= \\sqrt{4} \\\\ &= 2 \\end{split}", ["x = √4 = 2"]),
    ("1.76^2 \\approx 3.1", ["1.76^2 ≈ 3.1"]),
    ("2^{-1} = 0.5", ["2^-1 = 0.5"]),
    ("\\mathbf{1} = 1", ["1 = 1"]),
    ("8{,}886{,}110", ["8{,}886{,}110"]),
    ("\\text{Q}_{1} \\cdot \\text{K}_{1}^{T} = 1", ["{Q_1·K_1ᵀ} = 1"]),
    ("K^{\\mathrm{T}} = 1", ["Kᵀ = 1"]),
    ("\\frac{ [2,0] \\cdot [1,1] }{ \\sqrt{2} } = 1.414", ["({[2, 0,]·[1, 1,]} / √2) = 1.414"]),
    ("0.163579\\,(1) + 0.672842\\,(0) = 0.163579", ["{0.163579⁀(1)}+{0.672842⁀(0)} = 0.163579"]),
    ("softmax([1,2]) = [0.269, 0.731]", ["softmax([1, 2,]) = [0.269, 0.731,]"]),
    ("Scaled\\ Scores = \\frac{Scores}{\\sqrt{d_k}}", ["'Scaled Scores' = ('Scores' / √d_k)"]),
    ("Attention\\ Weights = [0.5, 0.5]", ["'Attention Weights' = [0.5, 0.5,]"]),
    ("Output = Weights \\times V", ["'Output' = {'Weights'×V}"]),
    ("dot(q_1, k_1) = 1", ["dot(q_1, k_1) = 1"]),
    ("\\left[ \\begin{array}{cc} 1&2\\\\3&4 \\end{array} \\right]_{2 \\times 2}", ["[1, 2; 3, 4]"]),
    (
        "\\underset{2\\times 2}{\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}} \\underset{2\\times1}{\\begin{bmatrix}1\\\\1\\end{bmatrix}} = \\begin{bmatrix}3\\\\7\\end{bmatrix}",
        ["{[1, 2; 3, 4]⁀[1; 1]} = [3; 7]"],
    ),
    (
        "\\begin{bmatrix} 1.41 \\\\ 0.71 \\end{bmatrix} \\Rightarrow \\text{softmax} \\Rightarrow \\begin{bmatrix} 0.67 \\\\ 0.33 \\end{bmatrix}",
        ["[1.41; 0.71] → 'softmax' → [0.67; 0.33]"],
    ),
    ("e^{\\left(0.7\\right)} = \\exp\\{0.7\\} = e^{.7}", ["e^(0.7) = exp(0.7) = e^.7"]),
    (
        "\\frac{2.01}{2.01 + 1.0 + 1.0} \\approx \\frac{2.01}{4.01} \\approx 0.501",
        ["(2.01 / 2.01+1.0+1.0) ≈ (2.01 / 4.01) ≈ 0.501"],
    ),
    ("0.5\\text{V}_1 + \\mathbf{0.5}\\,v_2", ["{0.5⁀V_1}+{0.5⁀v_2}"]),
    ("\\sqrt{d_k}=\\sqrt{4}=2 \\Rightarrow \\frac{S}{2}", ["√d_k = √4 = 2 → (S / 2)"]),
    ("S_{1,1}=q_1 k_1^T=[1,0][1,1]^T=1", ["S_1,1 = {q_1⁀k_1ᵀ} = {[1, 0,]⁀[1, 1,]ᵀ} = 1"]),
    ("[1,0]\\begin{bmatrix}1\\\\1\\end{bmatrix}=1", ["{[1, 0,]⁀[1; 1]} = 1"]),
    ("[2.0,\\dots,1.0]", ["[2.0, …, 1.0,]"]),
    ("\\begin{bmatrix}2&1\\\\\\end{bmatrix}", ["[2, 1]"]),
    ("\\text{score}(\\text{I}, \\text{am}) = 2", ["score('I', 'am') = 2"]),
    ("\\max\\{0, 2\\} = 2", ["max(0, 2) = 2"]),
    ("\\text{Var}(x) = \\frac{(1-2)^2 + (3-2)^2}{2} = 1", ["var(x) = ((1-2)^2+(3-2)^2 / 2) = 1"]),
    ("\\operatorname*{softmax}_j (S_{ij})", ["softmax_j(S_ij)"]),
    ("(0.85,\\ 0.15)^\\top", ["(0.85, 0.15,)ᵀ"]),
    ("\\begin{bmatrix} 1, & 2 \\\\ 3, & 4 \\end{bmatrix}", ["[1, 2; 3, 4]"]),
    ("\\begin{bmatrix} 0.5 & 0.5 \\end{bmatrix} \\text{ (row 1)}", ["[0.5, 0.5]"]),
    ("\\left[\\, 0.27,\\; 0.73 \\,\\right]", ["[0.27, 0.73,]"]),
    ("K^{\\rm T} K^{\\mathbf{T}}", ["{Kᵀ⁀Kᵀ}"]),
    ("\\alpha_1=0.5，\\alpha_2=0.5；d_k=2", ["alpha_1 = 0.5", "alpha_2 = 0.5", "d_k = 2"]),
    ("W_Q = W_K = W_V = I_{2\\times 2}", ["W_Q = W_K = W_V = I_2×2"]),
    ("Q = \\mathrm{X} \\mathrm{W}_Q", ["Q = {X⁀W_Q}"]),
    (
        "x_1 W^Q = [1, 0] \\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix} = [1, 0]",
        ["{x_1⁀W_Q} = {[1, 0,]⁀[1, 0; 0, 1]} = [1, 0,]"],
    ),
    (
        "q_1 = x_1 W_Q = \\begin{bmatrix} 1 & 0 \\end{bmatrix} \\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix} = \\begin{bmatrix} 1 & 0 \\end{bmatrix}",
        ["q_1 = {x_1⁀W_Q} = {[1, 0]⁀[1, 0; 0, 1]} = [1, 0]"],
    ),
    ("q_{it} \\cdot k_{\\text{the}} = (1 \\times 0) + (2 \\times 1) = 2", ["{q_it·k_the} = ({1×0})+({2×1}) = 2"]),
    (
        "\\frac{e^{2}}{e^{2}+e^{1}+e^{0}} = \\frac{7.39}{11.11} = 66.5\\%",
        ["(e^2 / e^2+e^1+e^0) = (7.39 / 11.11) = 66.5\\%"],
    ),
    (
        "0.665 \\cdot [1,2] + 0.245 \\cdot [3,4] + 0.090 \\cdot [5,6] = [0.665 + 0.735 + 0.45,\\; 1.33 + 0.98 + 0.54] = [1.85,\\; 2.85]",
        ["{0.665·[1, 2,]}+{0.245·[3, 4,]}+{0.090·[5, 6,]} = [0.665+0.735+0.45, 1.33+0.98+0.54,] = [1.85, 2.85,]"],
    ),
    (
        "= \\begin{bmatrix} 0.67(1) + 0.33(0) & 0.67(0) + 0.33(1) \\end{bmatrix}",
        ["∅ = [{0.67⁀(1)}+{0.33⁀(0)}, {0.67⁀(0)}+{0.33⁀(1)}]"],
    ),
    ("\\approx 0.67 : 0.33", ["∅ ≈ ?a colon between two things: a ratio, or a label??"]),
    ("\\begin{array}{l} q_1 = [1,0] \\\\ q_2 = [0,1] \\end{array}", ["q_1 = [1, 0,]", "q_2 = [0, 1,]"]),
    ("\\begin{array}{ll} a = 1 & b = 2 \\\\ c = 3 & d = 4 \\end{array}", ["a = 1", "b = 2", "c = 3", "d = 4"]),
    ("S_{\\text{scaled}} = S / \\sqrt{d_k} = S / 1.414", ["S_scaled = (S / √d_k) = (S / 1.414)"]),
    (
        "\\text{scaled} = \\frac{[2, 1, 0]}{\\sqrt{2}} = [1.41, 0.71, 0]",
        ["'scaled' = ([2, 1, 0,] / √2) = [1.41, 0.71, 0,]"],
    ),
    (
        "\\mathbf{z}_1 = \\sum_{j=1}^{2} \\alpha_{1j} \\mathbf{v}_j = 0.67 \\mathbf{v}_1 + 0.33 \\mathbf{v}_2 = [0.67, 0.33]",
        ["z_1 = ?a sum over an index is not worked out? = {0.67⁀v_1}+{0.33⁀v_2} = [0.67, 0.33,]"],
    ),
    (
        "\\text{Attention}(q_1, K, V) = 0.67 \\, [1,0] + 0.33 \\, [0,1]",
        ["attention(q_1, K, V) = {0.67⁀[1, 0,]}+{0.33⁀[0, 1,]}"],
    ),
    ("a_1 = 0.67,\\; a_2 = 0.33 \\;\\;(\\text{sum } = 1)", ["a_1 = 0.67", "a_2 = 0.33", "'sum' = 1"]),
    (
        "\\exp(1.41)=4.10,\\;\\exp(0.71)=2.03\\;\\Rightarrow\\;\\Sigma=6.13",
        ["exp(1.41) = 4.10", "exp(0.71) = 2.03 → Sigma = 6.13"],
    ),
    ("\\mathrm{dim}(Q) = 3 \\times 2", ["dim(Q) = {3×2}"]),
    ("\\text{with } d_k = 2", ["d_k = 2"]),
    ("d_k = d_v = 2", ["d_k = d_v = 2"]),
    ("1\\cdot 1 + 0\\cdot 0 = \\boxed{1}", ["{1·1}+{0·0} = 1"]),
    ("\\mathit{softmax}(x)", ["softmax(x)"]),
    ("2.0\\times10^{-3} = 0.002", ["{2.0×10^-3} = 0.002"]),
    ("1.5 \\cdot 10^3", ["{1.5·10^3}"]),
    ("\\left. \\frac{1}{2} \\right.", ["(1 / 2)"]),
    ("Q_{h=1} = [1]", ["Q_h=1 = [1,]"]),
    ("\\text{Head 1: } Q_1 = [1, 0]", ["<Head 1> Q_1 = [1, 0,]"]),
    ("\\text{Step 1: } 2 + 3 = 5 \\text{ (dot product)}", ["<Step 1> 2+3 = 5"]),
    ("w = (0.67; 0.33)", ["w = (0.67; 0.33)"]),
    ("\\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}, \\begin{bmatrix} 2 \\end{bmatrix}", ["[1, 0; 0, 1]", "[2]"]),
    ("\\begin{Bmatrix} 1 \\end{Bmatrix}", ["{1}"]),
    ("QK^T_{11} = 2", ["{Q⁀K_11ᵀ} = 2"]),
    ("(QK^T)_{11} = 1\\cdot 1 = 1", ["({Q⁀Kᵀ})⟦11⟧ = {1·1} = 1"]),
    ("[QK^T]_{12} = 2", ["[{Q⁀Kᵀ},]⟦12⟧ = 2"]),
    ("{\\rm softmax}(1,2)", ["softmax(1, 2)"]),
    ("\\Large{0.85}", ["0.85"]),
    ("\\hphantom{-}0.5", ["0.5"]),
    ("-\\!1 + 2", ["-1+2"]),
    ("\\mathbf{A}\\mathbf{V} = \\begin{bmatrix}1\\end{bmatrix}", ["{A⁀V} = [1]"]),
    ("P_{1} \\propto e^{1}", ["P_1 ∝ e^1"]),
]


@pytest.mark.parametrize(("text", "outlines"), NOTATIONS, ids=[text for text, _ in NOTATIONS])
def test_a_notation_is_read(text: str, outlines: list[str]) -> None:
    assert [outline(chain) for chain in read_math(text)] == outlines


@pytest.mark.parametrize(
    "text",
    [
        "W^Q",
        "W_Q",
        "W_{Q}",
        "W^{Q}",
        r"\mathbf{W}_Q",
        r"\mathbf{W}^{Q}",
        r"W_{\text{Q}}",
        r"{W}_{q}",
        r"\boldsymbol{W}^{(Q)}",
    ],
)
def test_all_spellings_of_a_name_have_one_key(text: str) -> None:
    name = read_chain(text).first
    assert isinstance(name, Name)
    assert name.key == "W_Q"


@pytest.mark.parametrize(
    "text", ["K^T", r"K^\top", "K^{T}", "Kᵀ", r"K^\intercal", r"K^{\mathrm{T}}", r"\mathbf{K}^{\mathsf T}", "K^⊤"]
)
def test_all_spellings_of_a_transpose_are_one(text: str) -> None:
    node = read_chain(text).first
    assert isinstance(node, Transpose)
    assert isinstance(node.inner, Name)
    assert node.inner.key == "K"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("K'", "K'"), ("K^{\\prime}", "K'"), ("Q''", "Q''"), (r"\hat{S}_{ij}", "S~hat_ij"), (r"\tilde S", "S~tilde"),
        (r"\alpha_{2,1}", "alpha_2,1"), ("A_{1,:}", "A_1,:"), (r"q_{\text{Time}}", "q_Time"), ("s_{t-1}", "s_t-1"),
        (r"\text{head}_1", "head_1"), ("d_model", "d_model"), ("I_2", "I_2"), (r"\mathrm{d}_k", "d_k"), ("e_{t,1}", "e_t,1"),
    ],
)  # fmt: skip
def test_names_keep_what_tells_them_apart(text: str, key: str) -> None:
    name = read_chain(text).first
    assert isinstance(name, Name)
    assert name.key == key


def test_indices_come_apart_at_commas() -> None:
    name = read_chain(r"\alpha_{2, 1}").first
    assert isinstance(name, Name)
    assert name.indices == ("2", "1")


ROW_BREAKS = [
    r"\\",
    r"\\[4pt]",
    r"\\*",
    r"\newline",
    r"\cr",
    "\\\n",
    r"\\\\",
    "\\\\\\\n",
    r"\tabularnewline ",
    "\\[2pt]",
]


@pytest.mark.parametrize("row_break", ROW_BREAKS)
@pytest.mark.parametrize("environment", ["bmatrix", "pmatrix", "matrix", "smallmatrix", "bmatrix*"])
def test_rows_end_in_many_ways(row_break: str, environment: str) -> None:
    node = read_chain(f"\\begin{{{environment}}}1 & 0 {row_break} 2 & -3 {row_break}\\end{{{environment}}}").first
    assert isinstance(node, Matrix)
    assert [[outline(cell) for cell in row] for row in node.rows] == [["1", "0"], ["2", "-3"]]
    assert node.delimiters == {"b": "[]", "p": "()"}.get(environment[0], "")


def test_words_beside_a_matrix_label_its_rows() -> None:
    text = r"X=\left[\begin{array}{cc}1& 0\\ 0& 2\end{array}\right]\begin{array}{c}\leftarrow \text{Time}\\ \leftarrow \text{Machine}\end{array}"
    matrix = read_chain(text).items[-1]
    assert isinstance(matrix, Matrix)
    assert [label.text for label in matrix.labels] == ["Time", "Machine"]
    assert matrix.shape == (2, 2)


def test_words_inside_cells_are_notes() -> None:
    matrix = read_chain(r"\begin{bmatrix} 0.5 \quad (\text{Time}) \\ 0.5 \quad(\text{Machine}) \end{bmatrix}").first
    assert isinstance(matrix, Matrix)
    assert [note.text for note in matrix.notes] == [r"(\text{Time})", r"(\text{Machine})"]


def test_a_form_to_fill_in_has_blanks() -> None:
    matrix = read_chain(r"\begin{bmatrix} \quad & -\infty \\ \quad & \quad \end{bmatrix}").first
    assert isinstance(matrix, Matrix)
    assert [[isinstance(cell, Blank) for cell in row] for row in matrix.rows] == [[True, False], [True, True]]


def test_a_cell_may_show_its_working() -> None:
    matrix = read_chain(r"\begin{bmatrix} 1\cdot 2 + 0 = 2 & 3 \end{bmatrix}").first
    assert outline(matrix) == "[∅"[:1] + "{1·2}+0 = 2, 3]"


def test_an_operation_stands_over_an_arrow_or_between_two() -> None:
    over = read_chain(r"S \xrightarrow{\times 2} T").links[0]
    between = read_chain(r"S \to \div 2 \to T").items[1]
    assert isinstance(over.operation, Operation)
    assert isinstance(between, Operation)
    assert (over.operation.sign, between.sign, over.relation) == ("*", "/", "→")


def test_lines_that_begin_with_a_relation_go_on() -> None:
    text = r"\begin{array}{rl}{q}_{1}& =[1,0]\cdot W^Q\\ & =[(1\cdot 1),(1\cdot 0)]\\ & =[1,0]\end{array}"
    (chain,) = read_math(text)
    assert outline(chain) == "q_1 = {[1, 0,]·W_Q} = [({1·1}), ({1·0}),] = [1, 0,]"


def test_a_label_stands_over_its_row() -> None:
    chains = read_math(
        r"\begin{aligned}\text{Row 1:}\quad &a = 1, b = 2 \newline \text{Row 2:}\quad &c = 3\end{aligned}"
    )
    assert [(chain.label.key if chain.label else None, outline(chain.items[-1])) for chain in chains] == [
        ("Row 1", "1"), ("Row 1", "2"), ("Row 2", "3"),
    ]  # fmt: skip


def test_words_behind_a_value_are_notes_and_no_factors() -> None:
    chain, other = read_math(r"e^{0.707} \approx 2.028 \text{ (three times)}, \quad \text{sum} = 6.084")
    assert outline(chain) == "e^0.707 ≈ 2.028"
    assert [note.key for note in chain.notes] == ["(three times)"]
    assert isinstance(other.first, Text)


def test_functions_take_one_two_or_more_arguments() -> None:
    for text, count in [(r"\text{softmax}([1, 2])", 1), (r"\mathrm{softmax}(16, 8, 0)", 3), (r"\max(1, 2)", 2)]:
        call = read_chain(text).first
        assert isinstance(call, Call)
        assert (len(call.arguments), call.known) == (count, True)


def test_a_letter_before_a_bracket_is_a_factor_and_a_word_a_function() -> None:
    assert isinstance(read_chain("n(m+1)").first, Product)
    call = read_chain(r"\text{score}(q_1, k_1)").first
    assert isinstance(call, Call)
    assert (call.function, call.known) == ("score", False)


def test_a_chain_without_a_first_thing_goes_on_from_elsewhere() -> None:
    assert read_chain(r"\approx [0.85, 0.15]").first is None
    assert read_chain("").items == ()
