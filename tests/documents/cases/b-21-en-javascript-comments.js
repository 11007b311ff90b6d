// attention.js - one head, two tokens

const MAX_TOKENS = 128;      // 2^7
const TEMPERATURE = 0.7;

/**
 * Scores of one query against all keys.
 *
 * With q = [3, 1], k1 = [1, 1] and k2 = [0, 2]:
 *   q.k1 = 3*1 + 1*1 = 4
 *   q.k2 = 3*0 + 1*2 = 2
 */
export function scores(q, keys) {
  return keys.map((k) => k.reduce((sum, x, i) => sum + x * q[i], 0)); // [4, 2]
}

/*
 * d_k = 2, so divide by sqrt(2) ≈ 1.414:
 *   4 / 1.414 ≈ 2.829
 *   2 / 1.414 ≈ 1.414
 *
 *   e^2.829 ≈ 16.93
 *   e^1.414 ≈ 4.11
 *   16.93 / (16.93 + 4.11) ≈ 0.805
 *   4.11 / (16.93 + 4.11) ≈ 0.194
 */
export function weights(s) {
  const e = s.map((x) => Math.exp(x / Math.SQRT2)); // SQRT2 = 1.4142135623730951
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / total); // sums to 1
}

// weights([4, 2]) -> [0.804, 0.196], then
// 0.804*[1, 0] + 0.196*[0, 5] = [0.804, 0.98]
