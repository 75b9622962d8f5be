"""Training a convolutional network on digits, as a user would write it for any strategy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

import tensorlite as tl

HELD_BACK = 360
BATCH = 64


class Trained(NamedTuple):
    """What came of a training."""

    losses: np.ndarray[Any, Any]
    accuracy: float


@cache
def digits() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return images and labels, of which the first are held back."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    scaled = (images[order] / 16).reshape(-1, 8, 8, 1)
    return scaled, labels[order]


def batches(number: int) -> Iterator[tuple[tl.Tensor, tl.Tensor]]:
    """Yield batches, the same ones each time."""
    images, labels = digits()
    rng = np.random.default_rng(1)
    for _ in range(number):
        chosen = HELD_BACK + rng.choice(len(labels) - HELD_BACK, BATCH, replace=False)
        yield tl.asarray(images[chosen]), tl.asarray(labels[chosen])


def network() -> tl.layers.Sequential:
    """Return two convolutions and a dense layer, in float64.

    In float32 a rounding may decide between a relu's sides, or between two pixels of a pool, and
    such decisions grow: 1e-7 became 5e-4 in 100 steps.
    """
    relu, double = tl.nn.relu, tl.float64
    first = tl.layers.Conv2D(16, 3, padding="SAME", activation=relu, dtype=double)
    second = tl.layers.Conv2D(32, 3, padding="SAME", activation=relu, dtype=double)
    pool, end = tl.layers.MaxPool2D(2), tl.layers.Dense(10, dtype=double)
    return tl.layers.Sequential([first, pool, second, pool, tl.layers.Flatten(), end])


def train(strategy: tl.distribute.Strategy, steps: int) -> Trained:
    """Return the losses of some steps, and the accuracy on what was held back."""
    images, labels = digits()
    tl.random.set_seed(0)
    with strategy.scope():
        model, optimizer = network(), tl.optimizers.Adam(0.005)
        model(tl.asarray(images[:1]))

    def step(x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            logits = model(x, training=True)
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(y, logits))
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    losses = [strategy.run(step, x, y) for x, y in batches(steps)]
    strategy.join()
    guesses = tl.argmax(model(tl.asarray(images[:HELD_BACK])), axis=1).numpy()
    accuracy = float(np.mean(guesses == labels[:HELD_BACK]))
    return Trained(np.array([float(loss) for loss in losses]), accuracy)


@cache
def alone(steps: int) -> Trained:
    """Return what comes of it on one device."""
    return train(tl.distribute.Mirrored(["/device:CPU:0"]), steps)
