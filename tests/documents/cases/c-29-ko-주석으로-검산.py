"""어텐션을 손으로 계산해 보고 NumPy로 확인한다."""
import numpy as np

Q = np.array([[1, 1], [0, 2]])
K = np.array([[2, 0], [1, 1]])
V = np.eye(2)

# 1) 스코어: Q @ K.T
#    Q[0]·K[0] = 1*2 + 1*0 = 2
#    Q[0]·K[1] = 1*1 + 1*1 = 2
#    Q[1]·K[0] = 0*2 + 2*0 = 0
#    Q[1]·K[1] = 0*1 + 2*1 = 3
scores = Q @ K.T

# 2) sqrt(2) = 1.4142 로 나눈다
#    2 / 1.4142 = 1.4142
scaled = scores / np.sqrt(2)

# 3) softmax, 첫 번째 행: 두 값이 같으므로 [0.5, 0.5]
weights = np.exp(scaled) / np.exp(scaled).sum(axis=1, keepdims=True)
