"""Scaled dot-product attention, small enough to follow with a pencil.

Example, d_k = 2:

    q = [1, 1], k_1 = [2, 0], k_2 = [0, 1]

    q . k_1 = 1*2 + 1*0 = 2
    q . k_2 = 1*0 + 1*1 = 1

    2 / sqrt(2) = 1.41,  1 / sqrt(2) = 0.71
    e^1.41 = 4.10,  e^0.71 = 2.03
    4.10 / (4.10 + 2.03) = 0.67

>>> [round(w, 2) for w in attention_weights([1, 1], [[2, 0], [0, 1]])]
[0.67, 0.33]
"""

from math import exp, sqrt

EPSILON = 1e-9  # never 0
MAX_LENGTH = 512  # was 256 until v0.3
DROPOUT = 0.1


def softmax(scores):
    """Weights of a list of scores.

    softmax([2, 0]) = [0.881, 0.119]
    softmax([0.5, 0.5]) = [0.5, 0.5]
    softmax([1, 2, 3]) = [0.090, 0.244, 0.665]
    """
    top = max(scores)  # e^710 overflows
    powers = [exp(s - top) for s in scores]
    return [p / sum(powers) for p in powers]


def attention_weights(q, keys):
    d_k = len(q)
    scores = [sum(a * b for a, b in zip(q, k)) for k in keys]  # [2, 1]
    scaled = [s / sqrt(d_k) for s in scores]  # [1.41, 0.71]
    # softmax([1.41, 0.71]) = [0.67, 0.33]
    return softmax(scaled)


def attend(q, keys, values):
    # 0.67 * [10, 0] + 0.33 * [0, 10] = [6.7, 3.4]
    weights = attention_weights(q, keys)
    return [sum(w * v[i] for w, v in zip(weights, values)) for i in range(len(values[0]))]
