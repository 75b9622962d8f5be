"""tf.raw_ops of TensorFlow 2, which compute at once. Expected values are those of 2.21."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2
from tensorlite.graph_mode.graph import mode

tf: Any = v2


@pytest.fixture(autouse=True, scope="module")
def _eager() -> Iterator[None]:
    """Let names of TensorFlow 2 compute at once, whatever was imported before."""
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


@pytest.mark.parametrize("size", [3, 4, 5, 7])
def test_spectrograms_have_a_periodic_window_of_any_length(size: int) -> None:
    x = np.random.RandomState(0).randn(20, 1).astype(np.float32)
    found = tf.raw_ops.AudioSpectrogram(
        input=x, window_size=size, stride=2, magnitude_squared=True
    )
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    wide = 4 if size < 5 else 8
    rows = [x[i : i + size, 0] * window for i in range(0, 21 - size, 2)]
    wanted = np.abs(np.fft.rfft(np.array(rows), wide)) ** 2
    np.testing.assert_allclose(found[0], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("is_training", [False, True])
def test_averages_of_batches_give_zeros_to_what_they_are_of(
    is_training: bool,
) -> None:
    """As TensorFlow 2.21 has it: averages themselves get no gradient at all."""
    x = tf.constant(np.arange(8, dtype=np.float32).reshape(2, 2, 1, 2))
    given = [tf.constant([float(i), i + 1.0]) for i in range(1, 5)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, *given])
        y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=given[0],
            offset=given[1],
            mean=given[2],
            variance=given[3],
            is_training=is_training,
        )
        moments = tf.reduce_sum(mean * variance)
        total = tf.reduce_sum(y * y) + moments
        alone = tf.reduce_sum(y * y)
    *zeros, of_mean, of_variance = tape.gradient(moments, [x, *given])
    assert all(not np.any(dx) for dx in zeros)
    assert of_mean is of_variance is None
    both, one = (tape.gradient(z, [x, *given]) for z in (total, alone))
    assert both[3] is both[4] is None
    for a, b in zip(both[:3], one[:3], strict=True):
        np.testing.assert_array_equal(a, b)
