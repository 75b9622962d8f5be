"""Gradients of pooling are the same for many images at a time and for each by itself."""

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.ops.nn.pool import _BLOCK

SIZE = 32


def _gradient(x: np.ndarray, size: int, stride: int, layout: str) -> np.ndarray:
    with tl.GradientTape() as tape:
        images = tl.constant(x)
        tape.watch(images)
        pooled = tl.nn.max_pool2d(images, size, stride, "SAME", layout)
        total = tl.sum(pooled * tl.constant(_weights(pooled.shape)))
    return np.asarray(tape.gradient(total, images))


def _weights(shape: tuple[int, ...]) -> np.ndarray:
    """Return weights that do not vary along the batch."""
    count = int(np.prod(shape[1:]))
    return np.broadcast_to(np.arange(count, dtype="f").reshape(shape[1:]), shape)


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize(("size", "stride"), [(2, 2), (3, 2), (2, 3)])
def test_the_greatest_elements_of_many_images(
    size: int, stride: int, layout: str
) -> None:
    count = 3 * _BLOCK // (SIZE * SIZE * 4 * 4)
    x = np.random.default_rng(0).integers(0, 9, (count, SIZE, SIZE, 4)).astype("f")
    x = x if layout == "NHWC" else x.transpose(0, 3, 1, 2).copy()
    found = _gradient(x, size, stride, layout)
    for i in (0, count // 3, count - 1):
        alone = _gradient(x[i : i + 1], size, stride, layout)
        np.testing.assert_array_equal(found[i : i + 1], alone)
