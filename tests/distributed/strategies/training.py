"""What the tests of strategies train: small models, with data, on one machine and by a strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import tensorlite as tl

Array = np.ndarray[Any, Any]
Batch = tuple[Array, Array]
Build = Callable[[], tl.layers.Layer]
Optimizers = Callable[[], tl.optimizers.Optimizer]
CPUS = [f"/device:CPU:{i}" for i in range(4)]


def local_tasks(workers: int, servers: int = 2) -> tl.distribute.LocalTasks:
    """Return devices of this process that stand in for workers and servers."""
    return tl.distribute.LocalTasks(CPUS[:workers], CPUS[4 - servers :])


def perceptron() -> tl.layers.Layer:
    relu = tl.nn.relu
    layers = [tl.layers.Dense(16, relu, inputs=10), tl.layers.Dense(1, inputs=16)]
    return tl.layers.Sequential(layers)


def convolutional() -> tl.layers.Layer:
    relu = tl.nn.relu
    first = tl.layers.Conv2D(8, 3, padding="SAME", activation=relu)
    second = tl.layers.Conv2D(16, 3, padding="SAME", activation=relu)
    end = [tl.layers.MaxPool2D(2), tl.layers.Flatten(), tl.layers.Dense(10)]
    return tl.layers.Sequential([first, tl.layers.MaxPool2D(2), second, *end])


@cache
def noise(steps: int, rows: int) -> Sequence[Batch]:
    """Return batches of numbers that have nothing to do with each other."""
    draw = np.random.default_rng(0)
    return [
        (
            draw.standard_normal((rows, 10)).astype(np.float32),
            draw.standard_normal((rows, 1)).astype(np.float32),
        )
        for _ in range(steps)
    ]


@cache
def digits(steps: int, rows: int) -> Sequence[Batch]:
    """Return batches of the digits, each in turn."""
    images, labels = load_digits(return_X_y=True)
    scaled = (images / 16).astype(np.float32).reshape(-1, 8, 8, 1)
    order = np.random.default_rng(0).permutation(len(labels))
    chosen = [
        np.take(order, range(i * rows, (i + 1) * rows), mode="wrap")
        for i in range(steps)
    ]
    return [(scaled[rows], labels[rows]) for rows in chosen]


def squared(model: tl.layers.Layer, x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
    return tl.mean((model(x, training=True) - y) ** 2)


def crossed(model: tl.layers.Layer, x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
    logits = model(x, training=True)
    return tl.mean(tl.nn.sparse_softmax_cross_entropy(y, logits))


Loss = Callable[[tl.layers.Layer, tl.Tensor, tl.Tensor], tl.Tensor]


def step_of(
    model: tl.layers.Layer,
    optimizer: tl.optimizers.Optimizer,
    loss_of: Loss = squared,
) -> Callable[[Any, Any], Any]:
    """Return the step that a user writes for one machine."""

    @tl.function
    def step(x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            loss = loss_of(model, x, y)
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    return step


def trained(
    strategy: tl.distribute.Strategy | None,
    batches: Sequence[Any],
    build: Build = perceptron,
    optimizers: Optimizers = lambda: tl.optimizers.Adam(0.01),
    loss_of: Loss = squared,
) -> tuple[list[float], tl.layers.Layer, tl.optimizers.Optimizer]:
    """Return the losses of training, and what was trained."""
    tl.random.set_seed(0)
    with nullcontext() if strategy is None else strategy.scope():
        model, optimizer = build(), optimizers()
    step = step_of(model, optimizer, loss_of)
    if strategy is None:
        losses = [step(tl.asarray(x), tl.asarray(y)) for x, y in batches]
    else:
        losses = [strategy.run(step, *batch) for batch in batches]
        strategy.join()
    return [float(loss) for loss in losses], model, optimizer


def values(model: tl.layers.Layer) -> list[Array]:
    return [variable.numpy() for variable in model.variables]
