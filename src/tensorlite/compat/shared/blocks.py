"""Blocks of pixels as depth or as batches, and back, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.ops.arrays import blocks


@named("SpaceToDepth")
def space_to_depth(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """Return images whose blocks of pixels became channels.

    data_format is 'NHWC' or 'NCHW'.
    """
    return tl.space_to_depth(converted(input), block_size, data_format)


@named("DepthToSpace")
def depth_to_space(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """Return images whose channels became blocks of pixels.

    data_format is 'NHWC' or 'NCHW'.
    """
    return tl.depth_to_space(converted(input), block_size, data_format)


@named("SpaceToBatchND")
def space_to_batch(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Any:
    """Return blocks of the inner axes, padded, as further elements of the batch."""
    sides, ends = converted(block_shape), converted(paddings)
    return tl.nn.space_to_batch(converted(input), sides, ends)


@named("BatchToSpaceND")
def batch_to_space(
    input: Any, block_shape: Any, crops: Any, name: str | None = None
) -> Any:
    """Return what `space_to_batch` made blocks of, cropped."""
    sides, ends = converted(block_shape), converted(crops)
    return tl.nn.batch_to_space(converted(input), sides, ends)


@named("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any,
    block_shape: Any,
    base_paddings: Any = None,
    name: str | None = None,
) -> Any:
    """Return paddings and crops that make sizes multiples of blocks."""
    least = None if base_paddings is None else converted(base_paddings)
    sizes = converted(input_shape), converted(block_shape)
    return blocks.required_space_to_batch_paddings(*sizes, least)
