#!/usr/bin/env python3
"""make_tables.py - writes bool.txt, i32.txt, f32.txt and f16.txt beside itself: what each op gives for
operands of that dtype, from sources that have nothing to do with libuop.

    op operand... = expected          to the bit
    op operand... ~ expected          inexact: as many steps off as the ops of that kind may be

All are bits in hexadecimal; a NaN is the canonical one. `to_i32` is CAST to i32, `reduce_add` and
`reduce_max` take a row. Needs numpy; whatever numpy does as the language wants comes from there:
f32 + * / < != and sqrt, and the rounding of f32 to f16. The rest is worked out here in Python's
integers and fractions: wrapping, floor division, saturating casts, MAX, and exp2, log2 and sin to
60 digits. A sum is listed where no order of adding rounds, so that every order gives it.
"""
import itertools
import os
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np

np.seterr(all="ignore")
getcontext().prec = 150

# ---- numbers ----

F32_NAN, F16_NAN = 0x7FC00000, 0x7E00


def f32(bits):
    return np.array(bits, np.uint32).view(np.float32)[()]


def f16(bits):
    return np.array(bits, np.uint16).view(np.float16)[()]


def bits32(x):
    return F32_NAN if np.isnan(x) else int(np.float32(x).view(np.uint32))


def bits16(x):
    """Of an f32, rounded once."""
    return F16_NAN if np.isnan(x) else int(np.float32(x).astype(np.float16).view(np.uint16))


def rounded(x):
    """The bits of the f32 nearest to a fraction that is not 0, ties to even."""
    a = abs(x)
    e = a.numerator.bit_length() - a.denominator.bit_length()
    e -= a < Fraction(2) ** e  # 2^e <= a < 2^(e+1)
    unit = max(e - 23, -149)
    n = round(a / Fraction(2) ** unit)  # Python's round is to even
    bits = n if unit == -149 else ((unit + 150) << 23) + n - (1 << 23)
    return min(bits, 0x7F800000) | (0x80000000 if x < 0 else 0)

# ---- exp2, log2, sin of a finite number: (bits of the nearest f32, whether it is exact) ----

LN2 = Decimal(2).ln()


def arctan_of_inverse(n):
    term = total = Decimal(1) / n
    k = 1
    while abs(term) > Decimal(10) ** -148:
        term /= -n * n
        k += 2
        total += term / k
    return total


PI = 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)


def exp2(x):
    if x.denominator == 1:
        exact = Fraction(2) ** max(min(int(x), 200), -200)
        return rounded(exact), x > -150
    if abs(x) > 200:
        return (0x7F800000, True) if x > 0 else (0, False)
    power = (Decimal(x.numerator) / Decimal(x.denominator) * LN2).exp()
    return rounded(Fraction(power)), False


def log2(x):
    n, d = x.numerator, x.denominator
    if n & (n - 1) == 0 and d & (d - 1) == 0:
        power = n.bit_length() - d.bit_length()
        return (rounded(Fraction(power)) if power else 0), True
    return rounded(Fraction((Decimal(n) / Decimal(d)).ln() / LN2)), False


def sin(x):
    r = Decimal(x.numerator) / Decimal(x.denominator)
    r -= (r / (2 * PI)).to_integral_value() * 2 * PI
    term = total = r
    k = 1
    while abs(term) > abs(total) * Decimal(10) ** -60:
        k += 2
        term *= -r * r / (k * (k - 1))
        total += term
    return rounded(Fraction(total)), False


def function(op, x):
    """Annex F's special cases, and else the function itself."""
    if np.isnan(x):
        return F32_NAN, True
    if op == "exp2":
        if np.isinf(x):
            return (0x7F800000 if x > 0 else 0), True
        return exp2(Fraction(float(x)))
    if op == "log2":
        if x == 0:
            return 0xFF800000, True
        if x < 0:
            return F32_NAN, True
        return (0x7F800000, True) if np.isinf(x) else log2(Fraction(float(x)))
    if np.isinf(x):
        return F32_NAN, True
    return (bits32(x), True) if x == 0 else sin(Fraction(float(x)))


# ---- the ops on f32, each a function of numpy's f32 scalars ----


def maximum(a, b):
    if np.isnan(a) or np.isnan(b):
        return np.float32(np.nan)
    if a == b == 0:
        return a if not np.signbit(a) else b
    return a if a > b else b


BINARY = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "max": maximum,
}
COMPARE = {"cmplt": lambda a, b: a < b, "cmpne": lambda a, b: a != b}
UNARY = {"recip": lambda x: np.float32(1) / x, "sqrt": np.sqrt}


def truncated(x):
    if np.isnan(x):
        return 0
    if np.isinf(x):
        return 2**31 - 1 if x > 0 else -(2**31)
    return max(-(2**31), min(2**31 - 1, int(x)))


# ---- writing ----


class Table:
    def __init__(self, dtype, digits):
        self.dtype, self.digits, self.lines = dtype, digits, []

    def put(self, op, operands, expected, digits=None, exact=True):
        row = [op] + [f"{x:0{d}x}" for x, d in operands]
        self.lines.append(f"{' '.join(row)} {'=' if exact else '~'} {expected:0{digits or self.digits}x}")

    def add(self, op, operands, expected, digits=None, exact=True):
        self.put(op, [(x, self.digits) for x in operands], expected, digits, exact)

    def where(self, values):
        for c in (0, 1):
            for a, b in zip(values, values[1:] + values[:1]):
                expected = self.canonical(a if c else b)
                self.put("where", [(c, 1), (a, self.digits), (b, self.digits)], expected)

    def canonical(self, x):
        return x

    def write(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), self.dtype + ".txt")
        with open(path, "w") as f:
            f.write(f"# Operands of {self.dtype}. Made by make_tables.py; not by hand.\n")
            f.write("\n".join(self.lines) + "\n")


def choices(values, length, count, state=[1]):
    """Rows of values, the same each time."""
    rows = []
    for _ in range(count):
        row = []
        for _ in range(length):
            state[0] = (state[0] * 6364136223846793005 + 1442695040888963407) % 2**64
            row.append(values[(state[0] >> 33) % len(values)])
        rows.append(row)
    return rows


ROWS = [(3, 12), (5, 8), (8, 6), (17, 4), (33, 4)]  # length, how many


def boolean():
    t = Table("bool", 1)
    for a, b in itertools.product((0, 1), repeat=2):
        t.add("add", (a, b), a | b)
        t.add("mul", (a, b), a & b)
        t.add("max", (a, b), a | b)
        t.add("cmplt", (a, b), int(a < b))
        t.add("cmpne", (a, b), int(a != b))
    t.where([0, 1])
    for a in (0, 1):
        t.add("to_i32", [a], a, 8)
        t.add("to_f32", [a], bits32(a), 8)
        t.add("to_f16", [a], bits16(a), 4)
    for n in (1, 2, 3):
        for row in itertools.product((0, 1), repeat=n):
            t.add("reduce_add", row, int(any(row)))
            t.add("reduce_max", row, int(any(row)))
    t.write()


def integer():
    t = Table("i32", 8)
    word = lambda x: x % 2**32
    ints = [-(2**31), -(2**31) + 1, -7, -1, 0, 1, 2, 7, 2**31 - 1]
    put = lambda op, operands, expected, digits=None: t.add(op, [word(x) for x in operands], expected, digits)
    for a, b in itertools.product(ints, repeat=2):
        put("add", (a, b), word(a + b))
        put("mul", (a, b), word(a * b))
        put("max", (a, b), word(max(a, b)))
        put("floordiv", (a, b), word(a // b) if b else 0)
        put("floormod", (a, b), word(a % b if b else a))
        put("cmplt", (a, b), int(a < b), 1)
        put("cmpne", (a, b), int(a != b), 1)
        put("reduce_add", (a, b), word(a + b))
        put("reduce_max", (a, b), word(max(a, b)))
    t.where([word(x) for x in ints])
    for a in ints + [255, 256, 2049, 65504, 65519, 65520, -65520, 16777217, 16777219, 33554435, 2147483583, 2147483584]:
        put("to_bool", [a], int(a != 0), 1)
        put("to_f32", [a], bits32(np.float32(np.int32(a))), 8)
        put("to_f16", [a], bits16(np.float32(np.int32(a))), 4)
    for n, count in [(1, 4)] + ROWS:
        for row in choices(ints, n, count):
            put("reduce_add", row, word(sum(row)))
            put("reduce_max", row, word(max(row)))
    t.write()


def floats(t, of, back, values, more, casts, sums):
    """`of` makes an f32 of an operand's bits, exactly; `back` the result's bits of an f32."""
    t.canonical = lambda x: back(of(x))
    for a, b in itertools.product(values, repeat=2):
        for op, f in BINARY.items():
            t.add(op, (a, b), back(f(of(a), of(b))))
        for op, f in COMPARE.items():
            t.add(op, (a, b), int(f(of(a), of(b))), 1)
        t.add("reduce_add", (a, b), back(of(a) + of(b)))
        t.add("reduce_max", (a, b), back(maximum(of(a), of(b))))
    t.where(values)
    for a in values + more:
        for op, f in UNARY.items():
            t.add(op, [a], back(f(of(a))))
        for op in ("exp2", "log2", "sin"):
            r, exact = function(op, of(a))
            # The f32 may be 2 ulp off: whatever it then rounds to.
            possible = [r] if exact else [r + k for k in range(-2, 3) if 0 <= r + k < 2**32]
            exact = len({back(f32(k)) for k in possible}) == 1
            t.add(op, [a], back(f32(r)), exact=exact)
    for a in values + more + casts:
        t.add("to_bool", [a], int(of(a) != 0), 1)
        t.add("to_i32", [a], truncated(of(a)) % 2**32, 8)
        if t.dtype == "f32":
            t.add("to_f16", [a], bits16(of(a)), 4)
        else:
            t.add("to_f32", [a], bits32(of(a)), 8)
    for n, count in [(1, 6)] + ROWS:
        for row in choices(values, n, count) + choices([x for x in values if of(x) == of(x)], n, count):
            best = of(row[0])
            for x in row[1:]:
                best = maximum(best, of(x))
            t.add("reduce_max", row, back(best))
        for row in choices(sums, n, count):
            total = sum(Fraction(float(of(x))) for x in row)
            assert sum(abs(Fraction(float(of(x)))) for x in row) < 2**24
            assert all(float(of(x)).is_integer() for x in row)
            if total != 0:  # else its sign depends on the order
                t.add("reduce_add", row, back(np.float32(float(total))))
    t.write()


def main():
    boolean()
    integer()
    # 0, -0, 1, -1, the least subnormal and normal, the greatest, inf, -inf, nan, 0.1, 2^24, 2^31
    values = [0, 0x80000000, 0x3F800000, 0xBF800000, 1, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000,
              F32_NAN, bits32(0.1), bits32(16777216), bits32(2147483646)]
    of = lambda xs: [bits32(np.float32(x)) for x in xs]
    more = of([0.25, 0.5, 2, 3, 4, 8, 10, 41, 100, 1000, -2.5, -149, -150, 127.5, 127.99999, 128, -126.5, -148.5, 1e10,
               1e-10, 3.1415927, 1.5707964, 6.2831855, 1e20, 1e38, 1.0000001, 0.99999994, 0.7, 1.4142135])
    casts = of([2.7, -0.9, 3e9, -3e9, -2.7, 2147483520, 2147483648, -2147483648, 65504, 65519.996, 65520, 65536, 6.1e-5,
                6.097555e-05, 6e-8, 2.9802322e-08, 2.9802326e-08, 1e-8, 2049, 2051, -2049, 0.333333])
    casts += [0x7F800001, 0xFFC12345, 0x80000001]
    sums = of([0, 1, 2, -3, 7, 100, -4096, 65536, 131072])
    floats(Table("f32", 8), f32, bits32, values, more, casts, sums)
    # The same in f16; 2^11 is where its integers end, and 2047 the last before.
    values = [0, 0x8000, 0x3C00, 0xBC00, 1, 0x0400, 0x7BFF, 0x7C00, 0xFC00, F16_NAN, bits16(0.1), bits16(2048), bits16(2047)]
    of = lambda xs: [bits16(np.float32(x)) for x in xs]
    more = of([0.25, 0.5, 2, 3, 4, 8, 10, 41, 100, 1000, -2.5, -14, -24, -25, -25.5, 15.5, 16, 3.140625, 1.5703125,
               1e-4, 1.0009766, 0.9995117, 0.7, 1.4142135])
    casts = of([2.7, -0.9, -2.7, 65504, -65504, 6e-8]) + [0x7C01, 0xFE01, 0x8001]
    sums = of([0, 1, 2, -3, 7, 100, 2048, -2048, 4096, 65504])
    floats(Table("f16", 4), lambda b: np.float32(f16(b)), bits16, values, more, casts, sums)


main()
