"""Fifty steps of the digits CNN: traced losses equal eager ones to 1e-5, NumPy's to 1e-4."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

import tensorlite as tl
from tests.acceptance import numpy_cnn

STEPS, BATCH = 50, 32
OPTIMIZERS: dict[
    str, tuple[Any, tuple[float, ...], numpy_cnn.Momentum | numpy_cnn.Adam]
] = {
    "momentum": (tl.optimizers.SGD, (0.05, 0.9), numpy_cnn.Momentum(0.05, 0.9)),
    "adam": (tl.optimizers.Adam, (0.01,), numpy_cnn.Adam(0.01, 1e-7)),
}


@cache
def batches() -> list[tuple[numpy_cnn.Array, numpy_cnn.Array]]:
    """Return as many batches of digits as there are steps."""
    images, labels = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(labels))
    images = (images / 16).reshape(-1, 8, 8, 1).astype(np.float32)
    starts = [BATCH * i for i in range(STEPS)]
    return [
        (images[rows[i : i + BATCH]], labels[rows[i : i + BATCH]]) for i in starts
    ]


@cache
def first_weights() -> list[numpy_cnn.Array]:
    """Return the weights that training begins with."""
    rng = np.random.default_rng(1)
    shapes = [(3, 3, 1, 8), (8,), (3, 3, 8, 16), (16,), (64, 10), (10,)]
    return [rng.normal(0, 0.15, shape).astype(np.float32) for shape in shapes]


def losses_of(optimizer: tl.optimizers.Optimizer, traced: bool) -> list[float]:
    """Return the losses of training a model of the library's layers."""
    model = tl.layers.Sequential(
        [
            tl.layers.Conv2D(8, 3, padding="SAME", activation=tl.nn.relu, channels=1),
            tl.layers.MaxPool2D(2),
            tl.layers.Conv2D(
                16, 3, padding="SAME", activation=tl.nn.relu, channels=8
            ),
            tl.layers.MaxPool2D(2),
            tl.layers.Flatten(),
            tl.layers.Dense(10, inputs=64),
        ]
    )
    for variable, value in zip(
        model.trainable_variables, first_weights(), strict=True
    ):
        variable.assign(value)

    def step(images: tl.Tensor, labels: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(labels, model(images)))
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    run = tl.function(step) if traced else step
    return [float(run(tl.asarray(x), tl.asarray(y))) for x, y in batches()]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_losses_of_fifty_steps_agree(name: str) -> None:
    make, numbers, by_hand = OPTIMIZERS[name]
    eager = losses_of(make(*numbers), traced=False)
    traced = losses_of(make(*numbers), traced=True)
    weights = [w.astype(np.float64) for w in first_weights()]
    independent = numpy_cnn.train(weights, batches(), by_hand)
    assert np.mean(eager[-5:]) < 0.5 * eager[0]
    np.testing.assert_allclose(traced, eager, rtol=0, atol=1e-5)
    np.testing.assert_allclose(traced, independent, rtol=0, atol=1e-4)
