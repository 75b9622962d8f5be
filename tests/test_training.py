"""A convolutional network on real digits, trained eagerly, traced, and by NumPy alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.datasets import load_digits

import tensorlite as tl

Array = np.ndarray[Any, Any]
STEPS, BATCH, RATE = 50, 32, 0.2
SHAPES = ((3, 3, 1, 8), (3, 3, 8, 16), (64, 10))


def batches() -> list[tuple[Array, Array]]:
    images, labels = load_digits(return_X_y=True)
    scaled = (images / 16).astype(np.float32).reshape(-1, 8, 8, 1)
    starts = range(0, STEPS * BATCH, BATCH)
    return [(scaled[i : i + BATCH], labels[i : i + BATCH]) for i in starts]


def weights() -> list[Array]:
    draw = np.random.default_rng(0)
    return [
        (0.2 * draw.standard_normal(shape)).astype(np.float32) for shape in SHAPES
    ]


def step_of(held: list[tl.Variable]) -> Callable[[tl.Tensor, tl.Tensor], tl.Tensor]:
    """Return the training step in tensorlite."""

    def layer(h: tl.Tensor, filters: tl.Variable) -> tl.Tensor:
        return tl.nn.max_pool2d(
            tl.nn.relu(tl.nn.conv2d(h, filters, padding="SAME")), 2
        )

    def step(images: tl.Tensor, labels: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            h = layer(layer(images, held[0]), held[1])
            logits = tl.reshape(h, (BATCH, -1)) @ held[2]
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(labels, logits))
        for weight, slope in zip(held, tape.gradient(loss, held), strict=True):
            weight.assign_sub(RATE * slope)
        return loss

    return step


def losses_of(traced: bool, runner: str | None = None) -> list[float]:
    step = step_of([tl.Variable(weight) for weight in weights()])
    run = tl.function(runner=runner)(step) if traced else step
    return [float(run(tl.asarray(x), tl.asarray(y))) for x, y in batches()]


def convolved(x: Array, filters: Array) -> tuple[Array, Array]:
    """Return a convolution that keeps the size, and the windows it looked through."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = sliding_window_view(padded, (3, 3), axis=(1, 2))
    return np.einsum("nhwcij,ijcf->nhwf", windows, filters), windows


def layer_by_hand(
    x: Array, filters: Array
) -> tuple[Array, Callable[[Array], tuple[Array, Array]]]:
    """Return convolution, rectifier and pooling, and what turns a slope back."""
    y, windows = convolved(x, filters)
    n, height, width, channels = y.shape
    blocks = np.maximum(y, 0).reshape(n, height // 2, 2, width // 2, 2, channels)
    rows = blocks.transpose(0, 1, 3, 2, 4, 5).reshape(
        n, height // 2, width // 2, 4, channels
    )
    # Of equal ones the first counts.
    first = np.arange(4)[:, None] == rows.argmax(3)[:, :, :, None]
    pooled = rows.max(3)

    def back(slope: Array) -> tuple[Array, Array]:
        spread = (first * slope[:, :, :, None]).reshape(
            n, height // 2, width // 2, 2, 2, channels
        )
        dy = spread.transpose(0, 1, 3, 2, 4, 5).reshape(y.shape) * (y > 0)
        turned = filters[::-1, ::-1].transpose(0, 1, 3, 2)
        return convolved(dy, turned)[0], np.einsum("nhwcij,nhwf->ijcf", windows, dy)

    return pooled, back


def losses_by_hand() -> list[float]:
    """Return the losses that NumPy alone finds, in float64."""
    held, losses = [weight.astype(np.float64) for weight in weights()], []
    for images, labels in batches():
        first, first_back = layer_by_hand(images.astype(np.float64), held[0])
        second, second_back = layer_by_hand(first, held[1])
        flat = second.reshape(BATCH, -1)
        logits = flat @ held[2]
        shifted = np.exp(logits - logits.max(1, keepdims=True))
        chances = shifted / shifted.sum(1, keepdims=True)
        rows = np.arange(BATCH)
        losses.append(float(-np.log(chances[rows, labels]).mean()))
        chances[rows, labels] -= 1
        slope = chances / BATCH
        back, second_slope = second_back((slope @ held[2].T).reshape(second.shape))
        slopes = (first_back(back)[1], second_slope, flat.T @ slope)
        held = [weight - RATE * g for weight, g in zip(held, slopes, strict=True)]
    return losses


def test_eager_training_is_numpys() -> None:
    found = losses_of(traced=False)
    assert found[0] == pytest.approx(np.log(10), rel=0.2)
    assert np.mean(found[-5:]) < 0.6 * found[0]
    np.testing.assert_allclose(found, losses_by_hand(), atol=1e-4)


@pytest.mark.parametrize("runner", [None, "structured", "frames"])
def test_traced_training_is_eager_training(runner: str | None) -> None:
    np.testing.assert_allclose(
        losses_of(True, runner), losses_of(traced=False), atol=1e-5
    )
