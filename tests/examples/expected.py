"""expected.py - what numpy makes of the examples, for tests/test_examples.c: the .npy files beside.

NAME.npy has numpy's float32 result of examples/NAME.uir and, below it on a new first axis, how far
another result may be off. That is a bound on rounding and no guess: n products, rounded and summed
in any order, are at most n * u * sum |product| off (u = 2^-24, half of eps), numpy's sum and the
other alike, so they differ by at most n * eps * sum |product|. What follows a sum is bounded to the
first order, by the usual rules for products and quotients.

Inputs are those of `uopc run --fill 1`, for softmax times 32, so that rows have peaks, and for
layernorm over 32, so that the 1e-5 shows.
"""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
MLP = HERE.parent.parent / "examples" / "mlp"
F32, F64 = np.float32, np.float64
EPS = F64(2.0**-23)
PARAM, BUFFER = 0, 1


def splitmix64(state, n):
    """Outputs 1 to n of the generator (Steele, Lea and Flood, 2014) that begins at `state`."""
    with np.errstate(over="ignore"):
        z = np.uint64(state) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        return z ^ z >> np.uint64(31)


def fill(kind, slot, shape, seed=1):
    """As uop_value_fill: 12 bits of each output, as a multiple of 2^-11 in [-1, 1)."""
    first = splitmix64(slot << 1 | kind, 1)[0]
    z = splitmix64(np.uint64(seed) + first, int(np.prod(shape)))
    return (((z >> np.uint64(52)).astype(F32) - 2048) * F32(2.0**-11)).reshape(shape)


def save(name, values, tolerance):
    assert values.dtype == F32
    np.save(HERE / f"{name}.npy", np.stack([values, tolerance.astype(F32)]))
    print(f"{name}: at most {(tolerance / abs(values).max()).max():.1e} of the greatest value off")


def gemm_256x256():
    a, b = fill(BUFFER, 0, 65536), fill(BUFFER, 1, 65536)
    product = a.reshape(256, 256, 1) * b.reshape(256, 1, 256)
    tolerance = 256 * EPS * abs(product).sum(-1, dtype=F64)
    save("gemm_256x256", product.sum(-1)[::32], tolerance[::32])


def matmul():
    a, b = fill(PARAM, 0, (16, 96)), fill(PARAM, 1, (96, 24))
    save("matmul", a @ b, 96 * EPS * (abs(a).astype(F64) @ abs(b)))


def softmax():
    x = fill(PARAM, 0, (8, 128)) * 32
    d = x - x.max(-1, keepdims=True)
    e = np.exp(d)
    p = e / e.sum(-1, keepdims=True)
    # d * log2(e) is off by 3u of itself, as is the exponential then by 3u |d|, and 4u of its own;
    # so is the sum of them, and n u more; two roundings end it.
    relative = 2 * (3 * abs(d).max(-1, keepdims=True) + 4) + 128 + 2
    save("softmax", p, relative * EPS * p)


def layernorm():
    shapes = (8, 64), 64, 64
    x, weight, bias = (fill(PARAM, i, s) * F32(2.0**-5) for i, s in enumerate(shapes))
    n = F32(64)
    c = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt(x.var(-1, keepdims=True) + F32(1e-5))
    y = c / sigma
    out = y * weight + bias
    # What may be off: dc of c; dv of the variance and ds of sigma, both relative; dy of y.
    dc = EPS * (n * abs(x).mean(-1, keepdims=True, dtype=F64) + abs(c))
    dv = 2 * (abs(c) * dc).mean(-1, keepdims=True) / sigma**2 + (n + 2) * EPS
    ds = dv / 2 + 3 * EPS
    dy = dc / sigma + abs(y) * (ds + 2 * EPS)
    save("layernorm", out, abs(weight) * dy + EPS * (abs(y * weight) + abs(out)))


def mlp():
    pixels, w1, b1, w2, b2 = (
        np.load(MLP / f"{name}.npy").astype(F32) for name in ("images", "w1", "b1", "w2", "b2")
    )
    x = pixels * F32(1 / 255)
    h = np.maximum(x @ w1.T + b1, 0)
    logits = h @ w2.T + b2
    dh = (784 + 1) * EPS * (x.astype(F64) @ abs(w1).T + abs(b1))
    tolerance = dh @ abs(w2).T + (32 + 1) * EPS * (h.astype(F64) @ abs(w2).T + abs(b2))
    save("mlp", logits, tolerance)
    best = logits.argmax(-1)
    np.save(HERE / "mlp_class.npy", best.astype("<i4"))
    # No rounding can change which logit is the greatest.
    rows = np.arange(len(logits))
    lead = (logits[rows, best] - tolerance[rows, best])[:, None] - (logits + tolerance)
    lead[rows, best] = 1
    assert lead.min() > 0
    print(f"mlp: {(best == np.load(MLP / 'labels.npy')).sum()} of {len(best)} right")


for example in (gemm_256x256, matmul, softmax, layernorm, mlp):
    example()
