"""Cases of the convolutions, against loops over every place and every element of the window."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.base import OpCase, arrays

Pads = tuple[tuple[int, int], tuple[int, int]]
NONE: Pads = ((0, 0), (0, 0))


def same(
    image: tuple[int, int], size: tuple[int, int], strides: tuple[int, int]
) -> Pads:
    """Return TensorFlow's padding for SAME without dilation."""
    totals = [
        max((-(-n // s) - 1) * s + k - n, 0)
        for n, k, s in zip(image, size, strides, strict=True)
    ]
    return (
        (totals[0] // 2, -(-totals[0] // 2)),
        (totals[1] // 2, -(-totals[1] // 2)),
    )


def convolved(
    x: Any,
    w: Any,
    strides: tuple[int, int] = (1, 1),
    pads: Pads = NONE,
    dilations: tuple[int, int] = (1, 1),
) -> Any:
    """Return the convolution of NHWC images, groups and all, one number at a time."""
    x = np.pad(x, ((0, 0), *pads, (0, 0)))
    height, width, depth, results = w.shape
    rows = (x.shape[1] - (height - 1) * dilations[0] - 1) // strides[0] + 1
    columns = (x.shape[2] - (width - 1) * dilations[1] - 1) // strides[1] + 1
    each = results // (x.shape[3] // depth)
    out = np.zeros((len(x), rows, columns, results), x.dtype)
    for a, b, i, j, o in product(
        *map(range, (rows, columns, height, width, results))
    ):
        first = o // each * depth
        seen = x[
            :, a * strides[0] + i * dilations[0], b * strides[1] + j * dilations[1]
        ]
        out[:, a, b, o] += seen[:, first : first + depth] @ w[i, j, :, o]
    return out


def depthwise(x: Any, w: Any, *structure: Any) -> Any:
    height, width, depth, multiplier = w.shape
    return convolved(x, w.reshape(height, width, 1, depth * multiplier), *structure)


def transposed(
    x: Any, w: Any, size: tuple[int, int], strides: tuple[int, int], pads: Pads
) -> Any:
    """Return the transpose of a convolution: every element of `x` adds its multiple of filters."""
    padded = [n + sum(p) for n, p in zip(size, pads, strict=True)]
    out = np.zeros((len(x), *padded, w.shape[2]), x.dtype)
    for a, b in product(range(x.shape[1]), range(x.shape[2])):
        part = np.einsum("nc,ijoc->nijo", x[:, a, b], w)
        top, left = a * strides[0], b * strides[1]
        out[:, top : top + w.shape[0], left : left + w.shape[1]] += part
    (top, _), (left, _) = pads
    return out[:, top : top + size[0], left : left + size[1]]


def channels_first(x: Any) -> Any:
    return np.moveaxis(x, 1, -1)


CASES = (
    OpCase(
        "conv2d",
        tl.nn.conv2d,
        convolved,
        arrays((2, 4, 5, 2), (3, 2, 2, 3)),
        ops=("Conv2DBackpropFilter",),
    ),
    OpCase("conv2d_1x1", tl.nn.conv2d, convolved, arrays((2, 3, 2, 4), (1, 1, 4, 2))),
    OpCase(
        "conv2d_same",
        lambda x, w: tl.nn.conv2d(x, w, (2, 1), "SAME"),
        lambda x, w: convolved(x, w, (2, 1), same((5, 4), (2, 3), (2, 1))),
        arrays((2, 5, 4, 3), (2, 3, 3, 2)),
    ),
    OpCase(
        "conv2d_explicit_dilated",
        lambda x, w: tl.nn.conv2d(x, w, 2, ((1, 2), (0, 1)), dilations=(2, 1)),
        lambda x, w: convolved(x, w, (2, 2), ((1, 2), (0, 1)), (2, 1)),
        arrays((1, 5, 4, 2), (2, 2, 2, 2)),
    ),
    OpCase(
        "conv2d_channels_first",
        lambda x, w: tl.nn.conv2d(x, w, 1, "SAME", "NCHW"),
        lambda x, w: np.moveaxis(
            convolved(channels_first(x), w, (1, 1), same((4, 3), (3, 3), (1, 1))),
            -1,
            1,
        ),
        arrays((2, 2, 4, 3), (3, 3, 2, 2)),
    ),
    OpCase(
        "conv2d_grouped", tl.nn.conv2d, convolved, arrays((2, 3, 3, 4), (2, 2, 2, 6))
    ),
    OpCase(
        "conv2d_no_images",
        tl.nn.conv2d,
        convolved,
        arrays((0, 3, 3, 2), (2, 2, 2, 3)),
    ),
    OpCase(
        "depthwise_conv2d",
        tl.nn.depthwise_conv2d,
        depthwise,
        arrays((2, 4, 3, 2), (2, 2, 2, 3)),
        ops=(
            "DepthwiseConv2dNativeBackpropFilter",
            "DepthwiseConv2dNativeBackpropInput",
        ),
    ),
    OpCase(
        "depthwise_conv2d_same",
        lambda x, w: tl.nn.depthwise_conv2d(x, w, 2, "SAME"),
        lambda x, w: depthwise(x, w, (2, 2), same((4, 5), (3, 3), (2, 2))),
        arrays((1, 4, 5, 2), (3, 3, 2, 1)),
    ),
    OpCase(
        "conv2d_transpose",
        lambda x, w: tl.nn.conv2d_transpose(x, w, (2, 5, 4, 3), 2),
        lambda x, w: transposed(x, w, (5, 4), (2, 2), same((5, 4), (3, 2), (2, 2))),
        arrays((2, 3, 2, 2), (3, 2, 3, 2)),
    ),
    OpCase(
        "conv1d",
        lambda x, w: tl.nn.conv1d(x, w, 2, "SAME"),
        lambda x, w: convolved(
            x[:, None], w[None], (1, 2), same((1, 5), (1, 3), (1, 2))
        )[:, 0],
        arrays((2, 5, 2), (3, 2, 3)),
    ),
    OpCase(
        "conv1d_transpose",
        lambda x, w: tl.nn.conv1d_transpose(x, w, (2, 5, 3), 2),
        lambda x, w: transposed(
            x[:, None], w[None], (1, 5), (1, 2), same((1, 5), (1, 2), (1, 2))
        )[:, 0],
        arrays((2, 3, 2), (2, 3, 2)),
    ),
)
