"""Cases of pooling. Elements are far apart: no step of a difference changes the greatest."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import tensorlite as tl
from tensorlite.extend import call
from tensorlite.ops.nn.fed_pool import MaxPoolV2
from tests.cases.base import REALS, Arrays, OpCase, arrays


def pooled(x: Any, size: int, stride: int, reduce: Any, same: bool = False) -> Any:
    """Return NHWC images pooled, one place at a time; nothing outside the image counts."""
    spans = []
    for length in x.shape[1:3]:
        count = -(-length // stride) if same else (length - size) // stride + 1
        total = max((count - 1) * stride + size - length, 0) if same else 0
        starts = [i * stride - total // 2 for i in range(count)]
        spans.append([slice(max(s, 0), min(s + size, length)) for s in starts])
    rows = [
        np.stack([reduce(x[:, r, c], (1, 2)) for c in spans[1]], 1) for r in spans[0]
    ]
    return np.stack(rows, 1)


def distinct(*shape: int) -> Any:
    """Return a drawing of one operand whose elements differ by at least a quarter."""

    def draw(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
        count = int(np.prod(shape))
        numbers = np.arange(count) / 4 - count / 8

        def shuffled(seed: int) -> Arrays:
            order = np.random.default_rng(seed).permutation(count)
            return (numbers[order].reshape(shape).astype(dtype.numpy),)

        return st.integers(0, 2**32 - 1).map(shuffled)

    return draw


def first(x: Any) -> Any:
    return np.moveaxis(x, -1, 1)


CASES = (
    OpCase(
        "max_pool2d",
        lambda x: tl.nn.max_pool2d(x, 2),
        lambda x: pooled(x, 2, 2, np.max),
        distinct(2, 4, 5, 2),
        ops=("MaxPoolGrad", "MaxPoolGradGrad"),
    ),
    OpCase(
        "max_pool2d_same",
        lambda x: tl.nn.max_pool2d(x, 3, 2, "SAME"),
        lambda x: pooled(x, 3, 2, np.max, same=True),
        distinct(2, 5, 4, 2),
    ),
    OpCase(
        "max_pool_of_inputs",
        lambda x: call(MaxPoolV2("SAME"), x, [1, 3, 3, 1], [1, 2, 2, 1]),
        lambda x: pooled(x, 3, 2, np.max, same=True),
        distinct(2, 5, 4, 2),
        ops=("MaxPoolGradV2", "MaxPoolGradGradV2"),
    ),
    OpCase(
        "max_pool2d_channels_first",
        lambda x: tl.nn.max_pool2d(x, 2, 1, "VALID", "NCHW"),
        lambda x: first(pooled(np.moveaxis(x, 1, -1), 2, 1, np.max)),
        distinct(2, 2, 3, 4),
    ),
    OpCase(
        "max_pool2d_integers",
        lambda x: tl.nn.max_pool2d(x, 2, 1, "SAME"),
        lambda x: pooled(x, 2, 1, np.max, same=True),
        arrays((1, 3, 3, 2), low=-9, high=9),
        REALS[:2],
    ),
    OpCase(
        "avg_pool2d",
        lambda x: tl.nn.avg_pool2d(x, 2),
        lambda x: pooled(x, 2, 2, np.mean),
        arrays((2, 4, 5, 2)),
        ops=("AvgPoolGrad",),
    ),
    OpCase(
        "avg_pool2d_same",
        lambda x: tl.nn.avg_pool2d(x, 3, 2, "SAME"),
        lambda x: pooled(x, 3, 2, np.mean, same=True),
        arrays((2, 5, 4, 2)),
    ),
    OpCase(
        "avg_pool2d_channels_first",
        lambda x: tl.nn.avg_pool2d(x, 3, 1, "SAME", "NCHW"),
        lambda x: first(pooled(np.moveaxis(x, 1, -1), 3, 1, np.mean, same=True)),
        arrays((2, 2, 3, 4)),
    ),
    OpCase(
        "max_pool1d",
        lambda x: tl.nn.max_pool1d(x, 2),
        lambda x: np.max(x.reshape(2, 3, 2, 2), axis=2),
        distinct(2, 6, 2),
    ),
    OpCase(
        "avg_pool1d",
        lambda x: tl.nn.avg_pool1d(x, 2, data_format="NCW"),
        lambda x: np.mean(x.reshape(2, 2, 3, 2), axis=3),
        arrays((2, 2, 6)),
    ),
)
