"""arrays.py - numpy on whole arrays, as arrays.c has them: arrays.py CASE N."""
import sys
import time
import tracemalloc

import numpy as np

case, n = sys.argv[1], int(sys.argv[2])
side, edge, row = int(n**0.5), int((n + 0.5) ** (1 / 3)), 10 if n <= 1000 else 1000
SHAPES = {"rows": (n // row, row), "turn": (side, side), "gemm": (edge, edge)}
shape = SHAPES.get(case, (n,))
count = {"turn": side * side, "gemm": edge**3}.get(case, n)


def fill():
    size = int(np.prod(shape))
    i = np.arange(size, dtype=np.int32) % 1009
    return (i.astype(np.float32) * np.float32(1 / 1009)).reshape(shape)


def chain():
    x = (a * b + np.float32(1)) * a
    x = np.maximum(x + b, np.float32(0.5))
    return (np.sqrt(x) * a + b) * np.float32(2) + a


a = fill()
b = a.copy()
work = {
    "add": lambda: a + b,
    "exp2": lambda: np.exp2(a),
    "chain": chain,
    "rows": lambda: a.sum(-1),
    "turn": lambda: a.T + b,
    "gemm": lambda: (a.reshape(edge, edge, 1) * b.reshape(edge, 1, edge)).sum(-1),
}[case]
best = float("inf")
for _ in range(2000 if n <= 1000 else 50 if n <= 1000000 else 5):
    begin = time.perf_counter_ns()
    out = work()
    best = min(best, time.perf_counter_ns() - begin)
    last = float(out.flat[-1])
    del out
print("ns %.5f" % (best / count))
print("last %.6g" % last)
tracemalloc.start()
before = tracemalloc.get_traced_memory()[0]
out = work()
print("peak %.4f" % ((tracemalloc.get_traced_memory()[1] - before) / count))
