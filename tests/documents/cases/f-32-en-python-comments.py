"""Scaled dot-product attention, checked by hand.

The comments hold what I got with pencil and calculator; the code is there so
that you can print the same thing.  Tokens: "old", "map", "burns".
"""
import math

Q = [[2, 1, 0],   # old
     [1, 1, 1],   # map
     [0, 3, 1]]   # burns
K = [[1, 0, 1],
     [0, 2, 1],
     [1, 1, 1]]
V = [[5, 0],
     [1, 2],
     [0, 3]]


def dot(u, v):
    return sum(a * b for a, b in zip(u, v))


# --- step 1: scores = Q K^T ------------------------------------------------
scores = [[dot(q, k) for k in K] for q in Q]
# scores =
#    [[2, 2, 3],
#     [2, 3, 3],
#     [1, 6, 4]]

# --- step 2: divide by sqrt(d_k) -------------------------------------------
d_k = len(K[0])           # 3, and sqrt(3) is about 1.732
scaled = [[s / math.sqrt(d_k) for s in row] for row in scores]
# scaled =
#    [[1.155, 1.155, 1.732],
#     [1.155, 1.732, 1.732],
#     [0.577, 3.464, 2.309]]

# --- step 3: softmax of each row -------------------------------------------
exps = [[math.exp(s) for s in row] for row in scaled]
sums = [sum(row) for row in exps]
# exps =
#    [[3.174, 3.174, 5.652],
#     [3.174, 5.652, 5.652],
#     [1.781, 31.944, 10.064]]
# sums = [12.000, 14.478, 43.789]

weights = [[e / z for e in row] for row, z in zip(exps, sums)]
# weights (exps divided by sums) =
#    [[0.2645, 0.2645, 0.4710],
#     [0.2192, 0.3904, 0.3904],
#     [0.0406, 0.7295, 0.2298]]

# --- step 4: weighted values -----------------------------------------------
out = [[dot(w, col) for col in zip(*V)] for w in weights]
# out[0] = 0.2645*[5, 0] + 0.2645*[1, 2] + 0.4710*[0, 3] = [1.59, 1.94]
# out[1] = 0.2192*[5, 0] + 0.3904*[1, 2] + 0.3904*[0, 3] = [1.94, 1.95]
# out[2] = 0.0406*[5, 0] + 0.7295*[1, 2] + 0.2298*[0, 3] = [0.93, 2.15]

if __name__ == "__main__":
    for name, row in zip(["old", "map", "burns"], out):
        print(name, [round(x, 2) for x in row])
