//! 用 Rust 写的最小自注意力,注释里是手算过程(两个词:"猫" "睡")。

/*
 * 已知
 *   X  = [[1, 0, 2], [2, 1, 0]]            (2 x 3)
 *   Wq = [[1, 0], [0, 1], [1, 1]]          (3 x 2)
 *   Wk = [[0, 1], [1, 0], [1, 0]]          (3 x 2)
 *   Wv = [[1, 2], [0, 1], [0, 1]]          (3 x 2)
 *
 * 投影
 *   Q = X * Wq = [[3, 2], [2, 1]]
 *   K = X * Wk = [[2, 1], [2, 2]]
 *   V = X * Wv = [[1, 4], [2, 5]]
 */

type Mat = Vec<Vec<f64>>;

fn matmul(a: &Mat, b: &Mat) -> Mat {
    // a[i][k] * b[k][j]
    a.iter()
        .map(|r| (0..b[0].len()).map(|j| r.iter().zip(b).map(|(x, y)| x * y[j]).sum()).collect())
        .collect()
}

fn softmax(row: &[f64]) -> Vec<f64> {
    let e: Vec<f64> = row.iter().map(|x| x.exp()).collect();
    let s: f64 = e.iter().sum();
    e.iter().map(|x| x / s).collect()
}

fn main() {
    let x: Mat = vec![vec![1.0, 0.0, 2.0], vec![2.0, 1.0, 0.0]];
    let wq: Mat = vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0]];
    let wk: Mat = vec![vec![0.0, 1.0], vec![1.0, 0.0], vec![1.0, 0.0]];
    let wv: Mat = vec![vec![1.0, 2.0], vec![0.0, 1.0], vec![0.0, 1.0]];
    let (q, k, v) = (matmul(&x, &wq), matmul(&x, &wk), matmul(&x, &wv));

    // 分数 S = Q * K^T
    //   s11 = 3*2 + 2*1 = 8
    //   s12 = 3*2 + 2*2 = 10
    //   s21 = 2*2 + 1*1 = 5
    //   s22 = 2*2 + 1*2 = 6
    let kt: Mat = (0..2).map(|j| k.iter().map(|r| r[j]).collect()).collect();
    let s = matmul(&q, &kt);

    // 缩放:d_k = 2,除以 1.414
    //   8/1.414 ≈ 5.66    10/1.414 ≈ 7.07
    //   5/1.414 ≈ 3.54    6/1.414 ≈ 4.24
    let scaled: Mat = s.iter().map(|r| r.iter().map(|t| t / 2f64.sqrt()).collect()).collect();

    /* softmax,逐行:
       第 1 行  e^5.66 ≈ 287.15, e^7.07 ≈ 1176.15, 和 = 287.15 + 1176.15 = 1463.30
                权重 287.15/1463.30 ≈ 0.20, 1176.15/1463.30 ≈ 0.80
       第 2 行  e^3.54 ≈ 34.47, e^4.24 ≈ 69.41, 和 = 34.47 + 69.41 = 103.88
                权重 34.47/103.88 ≈ 0.33, 69.41/103.88 ≈ 0.67 */
    let w: Mat = scaled.iter().map(|r| softmax(r)).collect();

    // 输出
    //   z1 = 0.20*[1, 4] + 0.80*[2, 5] = [1.80, 4.80]
    //   z2 = 0.33*[1, 4] + 0.67*[2, 5] = [1.67, 4.67]
    println!("{:?}", matmul(&w, &v)); // http://localhost/ 仅供对照
}
