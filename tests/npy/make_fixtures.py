#!/usr/bin/env python3
"""make_fixtures.py - writes the .npy files beside itself, by numpy; what is wrong with the bad ones is
done to them here afterwards. tests/test_npy.c and tests/golden/run/npy.uir say what is in each."""
import os

import numpy as np
from numpy.lib import format

HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(HERE, name + ".npy")


def write(name, array, version=(1, 0)):
    with open(path(name), "wb") as f:
        format.write_array(f, array, version=version, allow_pickle=True)


def change(name, source, edit):
    with open(path(source), "rb") as f, open(path(name), "wb") as g:
        g.write(edit(f.read()))


nan, inf = np.nan, np.inf
ARRAYS = {
    "b1": np.array([[True, False, True], [False, False, True]]),
    "i4": np.array([[1, -2, 2147483647], [-2147483648, 0, 7]], "<i4"),
    "f4": np.array([[1, -0.0, inf], [nan, 1e-45, 0.1]], "<f4"),
    "f2": np.array([[1, -0.0, inf], [nan, 6e-8, 0.1]], "<f2"),
}
for kind, a in ARRAYS.items():
    for order, sign in ("le", "<"), ("be", ">"):
        if kind == "b1" and order == "be":
            continue
        b = a if kind == "b1" else a.astype(sign + kind)
        write(f"{kind}_{order}_c", b)
        write(f"{kind}_{order}_f", np.asfortranarray(b))
write("i4_version2", ARRAYS["i4"], (2, 0))
write("f4_version2", np.asfortranarray(ARRAYS["f4"].astype(">f4")), (2, 0))
write("f4_version3", ARRAYS["f4"], (3, 0))
write("f2_version3", np.asfortranarray(ARRAYS["f2"].astype(">f2")), (3, 0))
write("scalar", np.array(-2.5, "<f4"))
write("one", np.array([7], ">i4"))
write("empty", np.zeros((0, 3), "<f4"))
write("cube", np.asfortranarray(np.arange(12, dtype=">i4").reshape(2, 3, 2)))
write("rank32", np.array(5, "<i4").reshape((1,) * 32))

write("bad_i8", np.array([1], "<i8"))
write("bad_u1", np.array([1], "u1"))
write("bad_f8", np.array([1], "<f8"))
write("bad_c8", np.array([1], "<c8"))
write("bad_text", np.array(["abc"], "<U3"))
write("bad_time", np.array(["2020-01-01"], "<M8[D]"))
write("bad_fields", np.array([(1, 2)], [("a", "<i4"), ("b", "<f4")]))
write("bad_objects", np.array([None], object))
change("bad_cut", "f4_le_c", lambda b: b[:-1])
change("bad_long", "f4_le_c", lambda b: b + b"\0")
change("bad_size", "f4_le_c", lambda b: b.replace(b"(2, 3), }       ", b"(2147483647,), }"))
change("bad_header", "f4_le_c", lambda b: b[:60])
change("bad_magic", "f4_le_c", lambda b: b"\x93NUMPX" + b[6:])
change("bad_version", "f4_le_c", lambda b: b[:6] + b"\4" + b[7:])
