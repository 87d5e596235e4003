"""train.py DATASET - trains the perceptron of mlp.uir and writes the .npy files beside this one.

DATASET is the folder of Debian's package dataset-fashion-mnist. Nothing but numpy is used, and one
seed decides everything: the same machine makes the same bytes again. Another may add in another
order, and so round a weight differently; tests/examples/expected.py then has to follow.

train.py DATASET check UOPC runs mlp.uir on all 10,000 test images instead, and fails unless UOPC
and numpy name the same class for each.
"""
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).parent
HIDDEN, EPOCHS, BATCH, RATE = 32, 20, 128, 0.002
KEPT = 100  # test images that come with the example
F32, F16, I32 = "<f4", "<f2", "<i4"


def read_idx(path):
    """The bytes of an idx file: two zeros, a type (8: bytes), rank, dimensions, data."""
    raw = gzip.open(path).read()
    assert raw[:3] == b"\0\0\x08", path
    head = 4 + 4 * raw[3]
    return np.frombuffer(raw, np.uint8, offset=head).reshape(np.frombuffer(raw[4:head], ">i4"))


def read_set(folder, name):
    images = read_idx(folder / f"{name}-images-idx3-ubyte.gz")
    labels = read_idx(folder / f"{name}-labels-idx1-ubyte.gz")
    return images.reshape(len(images), -1), labels.astype(I32)


def scaled(images):
    """Grey levels from 0 to 1, as the first lines of mlp.uir make them."""
    return images.astype(F32) * np.float32(1 / 255)


def forward(x, w1, b1, w2, b2):
    h = np.maximum(x @ w1.T + b1, 0)
    return h, h @ w2.T + b2


def gradients(x, labels, w1, b1, w2, b2):
    """Of the mean cross entropy, in the order of the weights."""
    h, logits = forward(x, w1, b1, w2, b2)
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    p[np.arange(len(x)), labels] -= 1
    p /= len(x)
    dh = (p @ w2) * (h > 0)
    return dh.T @ x, dh.sum(0), p.T @ h, p.sum(0)


def train(x, labels):
    """Adam (Kingma and Ba, 2015), with a rate that falls to 0 in a straight line."""
    rng = np.random.default_rng(1)
    w1 = rng.normal(0, (2 / x.shape[1]) ** 0.5, (HIDDEN, x.shape[1]))
    w2 = rng.normal(0, (2 / HIDDEN) ** 0.5, (10, HIDDEN))
    weights = [a.astype(F32) for a in (w1, np.zeros(HIDDEN), w2, np.zeros(10))]
    mean = [np.zeros_like(a) for a in weights]
    square = [np.zeros_like(a) for a in weights]
    steps = EPOCHS * (len(x) // BATCH)
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for at in range(0, len(x) - BATCH + 1, BATCH):
            some = order[at : at + BATCH]
            rate = RATE * (1 - step / steps)
            step += 1
            slopes = gradients(x[some], labels[some], *weights)
            for a, g, m, s in zip(weights, slopes, mean, square):
                m += 0.1 * (g - m)
                s += 0.001 * (g * g - s)
                a -= rate * (m / (1 - 0.9**step)) / (np.sqrt(s / (1 - 0.999**step)) + 1e-8)
    return [a.astype(F16) for a in weights]


def load_weights():
    return [np.load(HERE / f"{name}.npy").astype(F32) for name in ("w1", "b1", "w2", "b2")]


def check(uopc, images, labels):
    """All test images at once, by mlp.uir with their number in place of KEPT."""
    text = re.sub(rf"\b{KEPT}\b", str(len(images)), (HERE.parent / "mlp.uir").read_text())
    text = re.sub(r"(?s)%labels = .*", "", text)  # ends with %class
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "mlp.uir").write_text(text)
        np.save(folder / "images.npy", images.astype(F16))
        files = [folder / "images.npy"] + [HERE / f"{n}.npy" for n in ("w1", "b1", "w2", "b2")]
        inputs = [f"--param={slot}=@{file}" for slot, file in enumerate(files)]
        out = folder / "class.npy"
        command = [uopc, "run", *inputs, "--out", out, folder / "mlp.uir"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        ours = np.load(out)
    numpys = forward(scaled(images), *load_weights())[1].argmax(1)
    same = (ours == numpys).sum()
    print(f"numpy names {(numpys == labels).sum()} of {len(labels)} test images rightly,", end=" ")
    print(f"{uopc} {(ours == labels).sum()}; they agree on {same}")
    return same == len(labels)


dataset = pathlib.Path(sys.argv[1])
test = read_set(dataset, "t10k")
if sys.argv[2:3] == ["check"]:
    sys.exit(not check(sys.argv[3], *test))
images, labels = read_set(dataset, "train")
for name, a in zip(("w1", "b1", "w2", "b2"), train(scaled(images), labels)):
    np.save(HERE / f"{name}.npy", a)
np.save(HERE / "images.npy", test[0][:KEPT].astype(F16))
np.save(HERE / "labels.npy", test[1][:KEPT])
for name, (images, labels) in {"training": (images, labels), "test": test}.items():
    right = (forward(scaled(images), *load_weights())[1].argmax(1) == labels).sum()
    print(f"{name}: {right} of {len(labels)} right, with weights rounded to f16")
