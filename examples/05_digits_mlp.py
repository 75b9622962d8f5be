"""Handwritten digits with a multi-layer perceptron, trained eagerly, step by step."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

import tensorlite as tl

TEST = 360


def digits() -> tuple[tl.Tensor, tl.Tensor]:
    """Return scikit-learn's 1,797 digits, 64 numbers from 0 to 1 each, and what they show."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    return tl.asarray((images[order] / 16).astype(np.float32)), tl.asarray(
        labels[order]
    )


def accuracy(model: tl.layers.Layer, images: tl.Tensor, labels: tl.Tensor) -> float:
    """Return the share of images that the model takes for what they are."""
    guesses = tl.argmax(model(images), axis=1)
    return float(tl.mean(guesses == labels))


def main(epochs: int = 15, batch: int = 32) -> float:
    """Train, and return the accuracy on digits that training did not see."""
    tl.random.set_seed(0)
    images, labels = digits()
    model = tl.layers.Sequential(
        [tl.layers.Dense(64, tl.nn.relu), tl.layers.Dropout(0.2), tl.layers.Dense(10)]
    )
    model(images[:1])
    print(model)

    optimizer = tl.optimizers.Adam(0.003)
    draw = np.random.default_rng(1)
    for epoch in range(epochs):
        total, order = 0.0, TEST + draw.permutation(len(labels) - TEST)
        for start in range(0, len(order) - batch + 1, batch):
            rows = tl.asarray(order[start : start + batch])
            with tl.GradientTape() as tape:
                logits = model(tl.take(images, rows, axis=0), training=True)
                chosen = tl.take(labels, rows, axis=0)
                loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(chosen, logits))
            optimizer.minimize(loss, model.trainable_variables, tape)
            total += float(loss)
        print(f"epoch {epoch + 1:2}  loss {total / (len(order) // batch):.4f}")

    found = accuracy(model, images[:TEST], labels[:TEST])
    print(f"test accuracy {found:.4f}")
    return found


if __name__ == "__main__":
    main()
