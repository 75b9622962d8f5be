"""The digits CNN in NumPy alone, its gradients and optimizers written out: what losses should be.

It is independent of the library on purpose. Images are [row, y, x, channel]; convolutions are 3 by
3 and padded to the same size, pools 2 by 2, and computation is in float64.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Weights = list[Array]
"""Filters and bias of two convolutions, matrix and bias of the dense layer."""


def patches(images: Array) -> Array:
    """Return the 3 by 3 surroundings of each pixel: [row, y, x, 3 * 3 * channel]."""
    _, height, width, _ = images.shape
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shifted = [
        padded[:, dy : dy + height, dx : dx + width, :]
        for dy in range(3)
        for dx in range(3)
    ]
    return np.concatenate(shifted, axis=-1)


def put_back(surroundings: Array, channels: int) -> Array:
    """Return the images whose pixels are the sums of what their surroundings hold of them."""
    rows, height, width, _ = surroundings.shape
    padded = np.zeros((rows, height + 2, width + 2, channels))
    for i in range(9):
        dy, dx = divmod(i, 3)
        part = surroundings[..., i * channels : (i + 1) * channels]
        padded[:, dy : dy + height, dx : dx + width, :] += part
    return padded[:, 1:-1, 1:-1, :]


def pooled(images: Array) -> tuple[Array, Array]:
    """Return the largest pixel of each 2 by 2 window, and which of its four that is."""
    corners = [images[:, dy::2, dx::2, :] for dy in range(2) for dx in range(2)]
    stacked = np.stack(corners)
    return stacked.max(axis=0), stacked.argmax(axis=0)


def unpooled(flow: Array, chosen: Array) -> Array:
    """Return the gradient of the images, given that of their largest pixels."""
    rows, height, width, channels = flow.shape
    images = np.zeros((rows, 2 * height, 2 * width, channels))
    for i in range(4):
        dy, dx = divmod(i, 2)
        images[:, dy::2, dx::2, :] = np.where(chosen == i, flow, 0)
    return images


def loss_and_gradients(
    weights: Weights, images: Array, labels: Array
) -> tuple[float, Weights]:
    """Return the mean cross entropy of a batch and its gradient for each weight."""
    filters1, bias1, filters2, bias2, matrix, bias = weights
    around1 = patches(images)
    before1 = around1 @ filters1.reshape(-1, filters1.shape[-1]) + bias1
    pool1, chosen1 = pooled(np.maximum(before1, 0))
    around2 = patches(pool1)
    before2 = around2 @ filters2.reshape(-1, filters2.shape[-1]) + bias2
    pool2, chosen2 = pooled(np.maximum(before2, 0))
    flat = pool2.reshape(len(images), -1)
    logits = flat @ matrix + bias

    rows = np.arange(len(images))
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances = raised / raised.sum(axis=1, keepdims=True)
    loss = -np.log(chances[rows, labels]).mean()

    flow = chances.copy()
    flow[rows, labels] -= 1
    flow /= len(images)
    flow2 = unpooled((flow @ matrix.T).reshape(pool2.shape), chosen2) * (before2 > 0)
    sources2 = flow2 @ filters2.reshape(-1, filters2.shape[-1]).T
    flow1 = unpooled(put_back(sources2, pool1.shape[-1]), chosen1) * (before1 > 0)
    gradients = [
        np.tensordot(around1, flow1, axes=([0, 1, 2], [0, 1, 2])).reshape(
            filters1.shape
        ),
        flow1.sum(axis=(0, 1, 2)),
        np.tensordot(around2, flow2, axes=([0, 1, 2], [0, 1, 2])).reshape(
            filters2.shape
        ),
        flow2.sum(axis=(0, 1, 2)),
        flat.T @ flow,
        flow.sum(axis=0),
    ]
    return float(loss), gradients


class Momentum:
    """Stochastic gradient descent with momentum."""

    def __init__(self, rate: float, momentum: float) -> None:
        self.rate, self.momentum = rate, momentum
        self.speeds: Weights = []

    def step(self, weights: Weights, gradients: Weights) -> None:
        """Replace the weights in their list."""
        speeds = self.speeds or [np.zeros_like(w) for w in weights]
        self.speeds = [
            self.momentum * v + g for v, g in zip(speeds, gradients, strict=True)
        ]
        weights[:] = [
            w - self.rate * v for w, v in zip(weights, self.speeds, strict=True)
        ]


class Adam:
    """Adam (Kingma and Ba 2015) in the order of its section 2, which TensorFlow has too."""

    def __init__(self, rate: float, epsilon: float) -> None:
        self.rate, self.epsilon, self.steps = rate, epsilon, 0
        self.means: Weights = []
        self.squares: Weights = []

    def step(self, weights: Weights, gradients: Weights) -> None:
        """Replace the weights in their list."""
        means = self.means or [np.zeros_like(w) for w in weights]
        squares = self.squares or [np.zeros_like(w) for w in weights]
        self.steps += 1
        self.means = [
            0.9 * m + 0.1 * g for m, g in zip(means, gradients, strict=True)
        ]
        self.squares = [
            0.999 * v + 0.001 * g**2 for v, g in zip(squares, gradients, strict=True)
        ]
        rate = self.rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        moved = zip(weights, self.means, self.squares, strict=True)
        weights[:] = [w - rate * m / (np.sqrt(v) + self.epsilon) for w, m, v in moved]


def train(
    weights: Weights,
    batches: Iterable[tuple[Array, Array]],
    optimizer: Momentum | Adam,
) -> list[float]:
    """Return the loss of each batch; the weights are replaced in their list."""
    losses = []
    for images, labels in batches:
        loss, gradients = loss_and_gradients(weights, images, labels)
        optimizer.step(weights, gradients)
        losses.append(loss)
    return losses
