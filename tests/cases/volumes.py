"""Cases of windows on volumes, and of what is made of convolutions and windows on images."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.base import OpCase, arrays
from tests.cases.pool import distinct


def same(sizes: Any, window: Any, strides: Any) -> list[tuple[int, int]]:
    """Return SAME padding along each axis."""
    ends = []
    for size, width, step in zip(sizes, window, strides, strict=True):
        total = max((-(-size // step) - 1) * step + width - size, 0)
        ends.append((total // 2, total - total // 2))
    return ends


def seen(
    x: Any, window: Any, strides: Any, fill: float = 0.0, padded: bool = True
) -> Any:
    """Return (batch, places..., channels, window...) of a batch, one view of all windows."""
    rank = len(window)
    if padded:
        ends = same(x.shape[1:-1], window, strides)
        x = np.pad(x, [(0, 0), *ends, (0, 0)], constant_values=fill)
    axes = tuple(range(1, rank + 1))
    found = np.lib.stride_tricks.sliding_window_view(x, window, axis=axes)
    return found[(slice(None), *[slice(None, None, step) for step in strides])]


def convolved(x: Any, w: Any, step: int = 1, padded: bool = False) -> Any:
    found = seen(x, w.shape[:3], (step,) * 3, padded=padded)
    return np.einsum("bxyzcijk,ijkco->bxyzo", found, w)


def transposed(x: Any, w: Any, shape: tuple[int, ...], step: int) -> Any:
    """Return what spreads each element over its window, padding cut off."""
    ends = same(shape[1:4], w.shape[:3], (step,) * 3)
    whole = np.zeros(
        (
            shape[0],
            *[n + a + b for n, (a, b) in zip(shape[1:4], ends, strict=True)],
            shape[4],
        )
    )
    for place in product(*map(range, x.shape[1:4])):
        cut = tuple(
            slice(p * step, p * step + n)
            for p, n in zip(place, w.shape[:3], strict=True)
        )
        whole[(slice(None), *cut)] += np.einsum(
            "bo,ijkco->bijkc", x[(slice(None), *place)], w
        )
    cuts = [slice(a, a + n) for n, (a, _) in zip(shape[1:4], ends, strict=True)]
    return whole[(slice(None), *cuts)]


def dilated(x: Any, w: Any) -> Any:
    found = seen(x, w.shape[:2], (2, 1), -np.inf)
    return (found + np.moveaxis(w, 2, 0)).max((-2, -1))


def normalised(x: Any) -> Any:
    wide = np.pad(np.square(x), [(0, 0)] * 3 + [(1, 1)])
    near = wide[..., :-2] + wide[..., 1:-1] + wide[..., 2:]
    return x / np.sqrt(1 + 0.5 * near)


def argmaxed(x: Any) -> Any:
    found = seen(x, (2, 2), (2, 2), -np.inf)
    numbers = np.arange(x[0].size).reshape(1, *x.shape[1:])
    at = seen(np.broadcast_to(numbers, x.shape), (2, 2), (2, 2), -1)
    first = found.reshape(*found.shape[:-2], 4).argmax(-1)[..., None]
    places = np.take_along_axis(at.reshape(*at.shape[:-2], 4), first, -1)[..., 0]
    return found.max((-2, -1)), places


CASES = (
    OpCase(
        "conv3d",
        tl.nn.conv3d,
        convolved,
        arrays((2, 3, 4, 3, 2), (2, 2, 1, 2, 3)),
        ops=("Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"),
    ),
    OpCase(
        "conv3d_same",
        lambda x, w: tl.nn.conv3d(x, w, 2, "SAME"),
        lambda x, w: convolved(x, w, 2, padded=True),
        arrays((1, 3, 4, 5, 2), (2, 3, 3, 2, 2)),
    ),
    OpCase(
        "conv3d_channels_first",
        lambda x, w: tl.nn.conv3d(x, w, data_format="NCDHW"),
        lambda x, w: np.moveaxis(convolved(np.moveaxis(x, 1, -1), w), -1, 1),
        arrays((1, 2, 3, 3, 3), (2, 2, 2, 2, 2)),
    ),
    OpCase(
        "conv3d_transpose",
        lambda x, w: tl.nn.conv3d_transpose(x, w, (1, 3, 4, 3, 2), 2),
        lambda x, w: transposed(x, w, (1, 3, 4, 3, 2), 2),
        arrays((1, 2, 2, 2, 3), (2, 2, 3, 2, 3)),
    ),
    OpCase(
        "max_pool3d",
        lambda x: tl.nn.max_pool3d(x, 2, 2, "SAME"),
        lambda x: seen(x, (2, 2, 2), (2, 2, 2), -np.inf).max((-3, -2, -1)),
        distinct(1, 3, 4, 3, 2),
        ops=("MaxPool3DGrad", "MaxPool3DGradGrad"),
    ),
    OpCase(
        "avg_pool3d",
        lambda x: tl.nn.avg_pool3d(x, 2, 1),
        lambda x: seen(x, (2, 2, 2), (1, 1, 1), padded=False).mean((-3, -2, -1)),
        arrays((1, 3, 4, 3, 2)),
        ops=("AvgPool3DGrad",),
    ),
    OpCase(
        "max_pool_with_argmax",
        lambda x: tl.nn.max_pool_with_argmax(x, 2, padding="SAME"),
        argmaxed,
        distinct(2, 3, 4, 2),
        needs_rank=True,
    ),
    OpCase(
        "dilation2d",
        lambda x, w: tl.nn.dilation2d(x, w, (2, 1), "SAME"),
        dilated,
        arrays((1, 4, 3, 2), (2, 2, 2)),
        needs_sizes=True,
    ),
    OpCase(
        "pool_dilated",
        lambda x: tl.nn.pool(x, 2, "AVG", dilations=2),
        lambda x: (x[:, :-2] + x[:, 2:]) / 2,
        arrays((2, 5, 2)),
        needs_rank=True,
    ),
    OpCase(
        "local_response_normalization",
        lambda x: tl.nn.local_response_normalization(x, 1, 1.0, 0.5),
        normalised,
        arrays((2, 2, 1, 4)),
        needs_sizes=True,
    ),
    OpCase(
        "space_to_batch",
        lambda x: tl.nn.space_to_batch(x, [2], [[1, 0]]),
        lambda x: np.concatenate(
            [np.pad(x, ((0, 0), (1, 0), (0, 0)))[:, i::2] for i in range(2)]
        ),
        arrays((2, 3, 2)),
        needs_rank=True,
    ),
    OpCase(
        "batch_to_space",
        lambda x: tl.nn.batch_to_space(x, [2], [[1, 0]]),
        lambda x: np.stack([x[:2], x[2:]], 2).reshape(2, 6, 2)[:, 1:],
        arrays((4, 3, 2)),
        needs_rank=True,
    ),
)
