"""A convolutional network as ONNX models, with weights of 32 bits and of 8, run by onnxruntime."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import tensorlite as tl

TEST = 360
Array = np.ndarray[Any, Any]


def digits() -> tuple[Array, Array]:
    """Return scikit-learn's 1,797 digits, 8 by 8, and what they show, in a fixed random order."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    return (images[order] / 16).astype("f4").reshape(-1, 8, 8, 1), labels[order]


def trained(images: Array, labels: Array, epochs: int) -> tl.layers.Sequential:
    """Return two convolutions, the second with a batch norm, and a dense layer, trained."""
    first = tl.layers.Conv2D(16, 3, padding="SAME", activation=tl.nn.relu)
    second = tl.layers.Conv2D(32, 3, padding="SAME", activation=tl.nn.relu)
    pool, norm = tl.layers.MaxPool2D(2), tl.layers.BatchNorm()
    end = [tl.layers.Flatten(), tl.layers.Dropout(0.25), tl.layers.Dense(10)]
    model = tl.layers.Sequential([first, pool, second, norm, pool, *end])
    optimizer, shuffler = tl.optimizers.Adam(0.005), np.random.default_rng(1)

    @tl.function
    def step(x: tl.Tensor, y: tl.Tensor) -> None:
        with tl.GradientTape() as tape:
            logits = model(x, training=True)
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(y, logits))
        optimizer.minimize(loss, model.trainable_variables, tape)

    for _ in range(epochs):
        order = shuffler.permutation(len(labels))
        for i in range(0, len(order) - 63, 64):
            rows = order[i : i + 64]
            step(tl.asarray(images[rows]), tl.asarray(labels[rows]))
    return model


def main(
    epochs: int = 12, folder: str = "build/onnx"
) -> dict[str, tuple[float, float]]:
    """Train, export in three ways; print and return accuracy and kilobytes of each."""
    tl.random.set_seed(0)
    images, labels = digits()
    model = tl.function(trained(images[TEST:], labels[TEST:], epochs))
    target, onnx = Path(folder), tl.interop.onnx
    target.mkdir(parents=True, exist_ok=True)

    spec = tl.TensorSpec((None, 8, 8, 1), tl.float32)
    plain = onnx.export(model, target / "float32.onnx", spec)
    onnx.quantize(plain, target / "int8 weights.onnx")
    seen = [images[TEST : TEST + 128]]
    onnx.quantize(plain, target / "int8 throughout.onnx", calibration=seen)

    found = {}
    for name in ("float32", "int8 weights", "int8 throughout"):
        path = target / f"{name}.onnx"
        session = import_module("onnxruntime").InferenceSession(str(path))
        scores = session.run(None, {session.get_inputs()[0].name: images[:TEST]})[0]
        right = np.argmax(scores, axis=1) == labels[:TEST]
        found[name] = float(np.mean(right)), path.stat().st_size / 1024
        print(f"{name:16} accuracy {found[name][0]:.4f}  {found[name][1]:6.1f} kB")
    (exact, large), (rounded, small) = found["float32"], found["int8 weights"]
    print(f"{large / small:.2f} times smaller, accuracy {rounded - exact:+.4f}")
    return found


if __name__ == "__main__":
    main()
