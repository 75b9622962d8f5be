"""Blocks of pixels as depth or as batches, and back, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.core.dtypes import int32


@named("SpaceToDepth")
def space_to_depth(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    return _as_nhwc(tl.space_to_depth, input, block_size, data_format)


@named("DepthToSpace")
def depth_to_space(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    return _as_nhwc(tl.depth_to_space, input, block_size, data_format)


def _as_nhwc(function: Any, x: Any, block: int, layout: str) -> Any:
    images = converted(x)
    if layout == "NHWC":
        return function(images, block)
    moved = function(tl.transpose(images, (0, 2, 3, 1)), block)
    return tl.transpose(moved, (0, 3, 1, 2))


@named("SpaceToBatchND")
def space_to_batch(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Any:
    blocks = np.ravel(np.asarray(block_shape)).tolist()
    return tl.nn.space_to_batch(converted(input), blocks, converted(paddings, int32))


@named("BatchToSpaceND")
def batch_to_space(
    input: Any, block_shape: Any, crops: Any, name: str | None = None
) -> Any:
    blocks = np.ravel(np.asarray(block_shape)).tolist()
    return tl.nn.batch_to_space(converted(input), blocks, converted(crops, int32))
