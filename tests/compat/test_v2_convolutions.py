"""Convolutions of tf.nn whose taps lie apart, against sums written out in NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def spread(x: Any, kernel: Any, apart: int) -> Any:
    """Return what each place of inputs of one channel adds to the places that its taps reach."""
    inner = x.shape[1:-1]
    reach = [apart * (n - 1) for n in kernel.shape[:-2]]
    sizes = [n + far for n, far in zip(inner, reach, strict=True)]
    made = np.zeros((1, *sizes, kernel.shape[-2]), np.float64)
    for tap in product(*map(range, kernel.shape[:-2])):
        at = [
            slice(apart * i, apart * i + n) for i, n in zip(tap, inner, strict=True)
        ]
        made[(slice(None), *at)] += x * kernel[tap][:, 0]
    return made


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("padding", ["VALID", "SAME"])
def test_transposed_convolutions_spread_by_taps_that_lie_apart(
    rank: int, padding: str
) -> None:
    x, kernel = drawn(1, *[5, 4, 3][:rank], 1), drawn(*[3] * rank, 2, 1, seed=1)
    want = spread(x, kernel, 2)
    if padding == "SAME":
        want = want[(slice(None), *[slice(2, -2)] * rank)]
    named = getattr(tf.nn, f"conv{rank}d_transpose")
    for transposed in (named, tf.nn.conv_transpose):
        made = transposed(x, kernel, want.shape, 1, padding, dilations=2)
        np.testing.assert_allclose(made.numpy(), want, rtol=1e-4, atol=1e-5)


def test_dilation_and_erosion_take_channels_last_alone() -> None:
    x, taps, ones = drawn(1, 3, 3, 1), drawn(2, 2, 1), [1] * 4
    for shaped in (tf.nn.dilation2d, tf.nn.erosion2d):
        assert shaped(x, taps, ones, "VALID", "NHWC", ones).shape == (1, 2, 2, 1)
        with pytest.raises(ValueError, match="'NHWC'"):
            shaped(x, taps, ones, "VALID", "NCHW", ones)
