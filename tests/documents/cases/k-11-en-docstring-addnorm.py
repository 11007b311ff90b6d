#!/usr/bin/env python3
"""One encoder block for three tokens ("we", "like", "rain"), worked by hand.

All values of the docstrings were done on paper first; run the file to compare.

    X   = [[1, 0], [0, 2], [1, 1]]          # shape (3, 2)
    W_q = [[1, 0.5], [0, 1]]
    W_k = [[0.5, 0], [0.5, 1]]
    W_v = identity, so V = X

Projections:

    Q = X @ W_q = [[1, 0.5], [0, 2], [1, 1.5]]
    K = X @ W_k = [[0.5, 0], [1, 2], [1, 1]]
"""
import math

X = [[1, 0], [0, 2], [1, 1]]
W_Q = [[1, 0.5], [0, 1]]
W_K = [[0.5, 0], [0.5, 1]]
W_1 = [[1, 0, -1, 0.5], [0.5, 1, 1, -1]]
W_2 = [[1], [0], [2], [1]]


def matmul(a, b):
    return [[sum(p * q for p, q in zip(row, col)) for col in zip(*b)] for row in a]


def attention(x):
    """Single head, d_k = 2.

    Q has shape (3, 2) and K.T has shape (2, 3), so Q @ K.T has shape (3, 2).

    Scores of the second token (like):
        s_21 = 0 * 0.5 + 2 * 0 = 0
        s_22 = 0 * 1 + 2 * 2 = 4
        s_23 = 0 * 1 + 2 * 1 = 2
    """
    q, k, v = matmul(x, W_Q), matmul(x, W_K), x
    s = matmul(q, list(zip(*k)))
    # scaling: 0 / sqrt(2) = 0.0000, 4 / sqrt(2) = 2.8284, 2 / sqrt(2) = 1.4142
    # exp(0.0000) = 1.0000, exp(2.8284) = 16.9184, exp(1.4142) = 4.1132
    # sum = 1.0000 + 16.9184 + 4.1132 = 22.0316
    # weights: 1.0000 / 22.0316 = 0.0454, 16.9184 / 22.0316 = 0.7679, 4.1132 / 22.0316 = 0.1867
    w = [[math.exp(t / math.sqrt(2)) for t in row] for row in s]
    w = [[t / sum(row) for t in row] for row in w]
    # o_2 = 0.0454*[1, 0] + 0.7679*[0, 2] + 0.1867*[1, 1] = [0.2321, 1.7225]
    return matmul(w, v)


def block(x):
    """Residual, then feed-forward (no LayerNorm here, that is chapter 4).

    Row 2 after the residual connection:
        r_2 = [0, 2] + [0.2321, 1.7225] = [0.2321, 3.7225]
    Two decimals are enough from here on: u = [0.23, 3.72]
    """
    r = [[p + q for p, q in zip(a, b)] for a, b in zip(x, attention(x))]
    # u @ W_1, column by column:
    #   0.23*1 + 3.72*0.5 = 2.09
    #   0.23*0 + 3.72*1 = 3.72
    #   0.23*(-1) + 3.72*1 = 3.29
    #   0.23*0.5 + 3.72*(-1) = -3.605
    # ReLU: [2.09, 3.72, 3.29, 0.00]
    h = [[max(0.0, t) for t in row] for row in matmul(r, W_1)]
    # y = 2.09*1 + 3.72*0 + 3.29*2 + 0.00*1 = 8.67
    return matmul(h, W_2)


if __name__ == "__main__":
    for row in block(X):
        print(["%.4f" % t for t in row])
