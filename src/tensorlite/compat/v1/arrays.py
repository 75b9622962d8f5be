"""Functions that make, rearrange and pick, with the arguments of TensorFlow 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import (
    arrays,
    blocks as in_blocks,
    confusion,
    masks,
    picking,
    segments,
)
from tensorlite.compat.shared.arrays import broadcast_dynamic_shape as _broadcast
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError

__all__ = [
    "batch_to_space",
    "batch_to_space_nd",
    "bincount",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "confusion_matrix",
    "depth_to_space",
    "expand_dims",
    "gather",
    "gather_nd",
    "lin_space",
    "ones_like",
    "required_space_to_batch_paddings",
    "reverse_sequence",
    "reverse_v2",
    "shape",
    "size",
    "space_to_batch",
    "space_to_batch_nd",
    "space_to_depth",
    "sparse_segment_mean",
    "sparse_segment_sqrt_n",
    "sparse_segment_sum",
    "squeeze",
    "tensor_scatter_add",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "where",
    "where_v2",
    "zeros_like",
]


def expand_dims(
    input: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    along = renamed("axis", axis, "dim", dim)
    if along is None:
        raise InvalidArgumentError(
            "Must specify an axis argument to tf.expand_dims()"
        )
    return arrays.expand_dims(input, along, name)


def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Any:
    return arrays.squeeze(
        input, renamed("axis", axis, "squeeze_dims", squeeze_dims), name
    )


def shape(input: Any, name: str | None = None, out_type: Any = int32) -> Any:
    return arrays.shape(input, out_type, name)


def size(input: Any, name: str | None = None, out_type: Any = int32) -> Any:
    return arrays.size(input, out_type, name)


def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Any:
    return arrays.zeros_like(tensor, dtype, name=name)


def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Any:
    return arrays.ones_like(tensor, dtype, name=name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int | None = 0,
) -> Any:
    batched = 0 if batch_dims is None else batch_dims
    return picking.gather(params, indices, validate_indices, axis, batched, name)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0
) -> Any:
    return picking.gather_nd(params, indices, batch_dims, name)


def boolean_mask(
    tensor: Any, mask: Any, name: str = "boolean_mask", axis: int | None = None
) -> Any:
    return masks.boolean_mask(tensor, mask, axis, name)


def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Any:
    if x is None and y is None:
        return picking.places_of(condition, name)
    if x is None or y is None:
        raise InvalidArgumentError("x and y must both be non-None or both be None.")
    return picking.select_rows(condition, x, y, name)


def where_v2(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Any:
    if x is None and y is None:
        return picking.places_of(condition, name)
    if x is None or y is None:
        raise InvalidArgumentError("x and y must both be non-None or both be None.")
    return picking.select(condition, x, y, name)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Any:
    along = renamed("seq_axis", seq_axis, "seq_dim", seq_dim)
    across = renamed("batch_axis", batch_axis, "batch_dim", batch_dim)
    return arrays.reverse_sequence(input, seq_lengths, along, across, name)


def space_to_depth(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Any:
    return in_blocks.space_to_depth(input, block_size, data_format, name)


def depth_to_space(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Any:
    return in_blocks.depth_to_space(input, block_size, data_format, name)


def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Any:
    block = renamed("block_shape", block_shape, "block_size", block_size)
    blocks = [block, block] if np.ndim(block) == 0 else block
    return in_blocks.space_to_batch(input, blocks, paddings, name)


def batch_to_space(
    input: Any,
    crops: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Any:
    block = renamed("block_shape", block_shape, "block_size", block_size)
    blocks = [block, block] if np.ndim(block) == 0 else block
    return in_blocks.batch_to_space(input, blocks, crops, name)


def batch_to_space_nd(
    input: Any, block_shape: Any, crops: Any, name: str | None = None
) -> Any:
    return in_blocks.batch_to_space(input, block_shape, crops, name)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    return _broadcast(shape_x, shape_y)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    weights: Any = None,
) -> Any:
    return confusion.confusion_matrix(
        labels, predictions, num_classes, weights, dtype, name
    )


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
) -> Any:
    return picking.bincount(arr, weights, minlength, maxlength, dtype)


def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
) -> Any:
    return segments.sparse_segment_sum(data, indices, segment_ids, num_segments, name)


def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
) -> Any:
    return segments.sparse_segment_mean(
        data, indices, segment_ids, num_segments, name
    )


def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
) -> Any:
    return segments.sparse_segment_sqrt_n(
        data, indices, segment_ids, num_segments, name
    )


lin_space = arrays.linspace
reverse_v2 = arrays.reverse
required_space_to_batch_paddings = in_blocks.required_space_to_batch_paddings
space_to_batch_nd = in_blocks.space_to_batch
tensor_scatter_add = picking.tensor_scatter_nd_add
tensor_scatter_sub = picking.tensor_scatter_nd_sub
tensor_scatter_update = picking.tensor_scatter_nd_update
