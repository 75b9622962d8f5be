"""Functions that make, rearrange and pick, with the arguments of TensorFlow 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.shared import (
    arrays,
    blocks as in_blocks,
    confusion,
    cutting,
    masks,
    picking,
    segments,
)
from tensorlite.compat.shared.cutting import broadcast_dynamic_shape as _broadcast
from tensorlite.compat.shared.values import constant_value
from tensorlite.compat.v1.functions.counts_written import (
    bincount_written,
    can_be_written,
)
from tensorlite.compat.v1.functions.statistics_written import (
    confusion_matrix_written,
    histogram_bins_written,
)
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.resource_variables import ResourceVariable

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
    "histogram_fixed_width_bins",
    "lin_space",
    "ones_like",
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
    "strided_slice",
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
    """Return the tensor with an axis of size 1 put at `axis`, from the end if negative.

    dim is the older name of axis. Without either, InvalidArgumentError is raised.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.expand_dims(tf.zeros([2, 3]), -1).get_shape().as_list()
    [2, 3, 1]
    """
    along = renamed("axis", axis, "dim", dim)
    if along is None:
        raise InvalidArgumentError(
            "Must specify an axis argument to tf.expand_dims()"
        )
    return arrays.expand_dims(input, along, name)


def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Any:
    """Return the tensor without its axes of size 1: all of them, or those of `axis`.

    squeeze_dims is the older name of axis. An axis of another size raises an error.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.squeeze(tf.zeros([1, 2, 1]), axis=[0]).get_shape().as_list()
    [2, 1]
    """
    return arrays.squeeze(
        input, renamed("axis", axis, "squeeze_dims", squeeze_dims), name
    )


def shape(input: Any, name: str | None = None, out_type: Any = int32) -> Any:
    """Return the sizes of the tensor's axes when it runs, a vector of out_type.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.shape(tf.zeros([2, 3]))).tolist()
    [2, 3]
    """
    return arrays.shape(input, out_type, name)


def size(input: Any, name: str | None = None, out_type: Any = int32) -> Any:
    """Return the number of the tensor's elements, a scalar of out_type."""
    return arrays.size(input, out_type, name)


def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Return zeros of the tensor's shape, and of its dtype if none is given.

    optimize has no effect.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.zeros_like([1, 2])).tolist()
    [0, 0]
    """
    return arrays.zeros_like(tensor, dtype, name=name)


def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Return ones of the tensor's shape, and of its dtype if none is given.

    optimize has no effect.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.ones_like([7, 8])).tolist()
    [1, 1]
    """
    return arrays.ones_like(tensor, dtype, name=name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int | None = 0,
) -> Any:
    """Return the slices of params along `axis` whose numbers indices has.

    The result's shape is params' with the axis replaced by the shape of indices, without its first
    batch_dims axes. validate_indices has no effect.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.gather([10, 20, 30], [2, 0])).tolist()
    [30, 10]
    """
    batched = 0 if batch_dims is None else batch_dims
    known = constant_value(axis) if isinstance(axis, Operand) else axis or 0
    is_rows = batched == 0 and known is not None and not known
    is_resource = isinstance(params, ResourceVariable)
    if is_resource and is_rows and active_graph() is not None:
        return params.sparse_read(indices, name=name)
    return picking.gather(params, indices, validate_indices, axis, batched, name)


def boolean_mask(
    tensor: Any, mask: Any, name: str = "boolean_mask", axis: int | None = None
) -> Any:
    """Return the elements of the tensor where mask is True, along the mask's axes from `axis`."""
    return masks.boolean_mask(tensor, mask, axis, name)


def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Any:
    """Return x where condition is True and y elsewhere, or the places of True without x and y.

    The places are int64 of shape [count, rank]. x and y have one shape; condition has it too, or is
    a vector that chooses whole rows. One of x and y alone raises InvalidArgumentError.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.where([True, False], [1, 2], [3, 4])).tolist()
    [1, 4]
    """
    if x is None and y is None:
        return picking.places_of(condition, name)
    if x is None or y is None:
        raise InvalidArgumentError("x and y must both be non-None or both be None.")
    return picking.select_rows(condition, x, y, name)


def where_v2(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Any:
    """Return x where condition is True and y elsewhere, all three broadcast to one shape.

    Without x and y: the places of True, int64 of shape [count, rank]. One of them alone raises
    InvalidArgumentError.
    """
    if x is None and y is None:
        return picking.places_of(condition, name)
    if x is None or y is None:
        raise InvalidArgumentError("x and y must both be non-None or both be None.")
    return picking.select(condition, x, y, name)


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """Return the part from begin to end, which is left out, in steps of strides, 1 by default.

    Bit i of a mask speaks of entry i: begin_mask and end_mask let the range be open, ellipsis_mask
    stands for all axes between, new_axis_mask puts in an axis, shrink_axis_mask takes one element
    and drops its axis. `var` has no effect.
    """
    if strides is None and active_graph() is not None:
        strides = ones_like(begin)
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return cutting.strided_slice(input_, begin, end, strides, *masks, var, name=name)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Any:
    """Return the input with the first seq_lengths elements of each sequence in reverse.

    seq_axis is the axis of the sequences, batch_axis (0 if none is given) that of the batch;
    seq_dim and batch_dim are their older names.
    """
    along = renamed("seq_axis", seq_axis, "seq_dim", seq_dim)
    across = renamed("batch_axis", batch_axis, "batch_dim", batch_dim)
    return cutting.reverse_sequence(input, seq_lengths, along, across, name)


def space_to_depth(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Any:
    """Return the input with blocks of block_size x block_size pixels moved to the channels.

    data_format is "NHWC", "NCHW" or "NCHW_VECT_C".
    """
    return in_blocks.space_to_depth(input, block_size, data_format, name)


def depth_to_space(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Any:
    """Return the input with channels laid out as blocks of block_size x block_size pixels.

    data_format is "NHWC", "NCHW" or "NCHW_VECT_C".
    """
    return in_blocks.depth_to_space(input, block_size, data_format, name)


def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Any:
    """Return the padded input with the pixels of blocks moved to the batch axis.

    block_shape has a size for each axis of paddings; block_size is its older form, one size for
    height and width.
    """
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
    """Return the input with its batch axis laid out as blocks of pixels, then cropped.

    block_shape has a size for each axis of crops; block_size is its older form, one size for height
    and width.
    """
    block = renamed("block_shape", block_shape, "block_size", block_size)
    blocks = [block, block] if np.ndim(block) == 0 else block
    return in_blocks.batch_to_space(input, blocks, crops, name)


def batch_to_space_nd(
    input: Any, block_shape: Any, crops: Any, name: str | None = None
) -> Any:
    """Return the input with its batch axis laid out as blocks of block_shape, then cropped."""
    return in_blocks.batch_to_space(input, block_shape, crops, name)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Return the shape to which two shapes, which are vectors of integers, broadcast."""
    return _broadcast(shape_x, shape_y)


@at_home
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    weights: Any = None,
) -> Any:
    """Return how often each label (rows) got each prediction (columns): [classes, classes].

    num_classes is one more than the largest number seen if it is None. weights, of the shape of
    labels, are summed in place of counts.
    """
    if active_graph() is None:
        return confusion.confusion_matrix(
            labels, predictions, num_classes, weights, dtype, name
        )
    return confusion_matrix_written(
        labels, predictions, num_classes, as_dtype(dtype), name, weights
    )


def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = int32,
    name: str | None = None,
) -> Any:
    """Return in which of nbins parts of a range each value lies, of the shape of values.

    Values outside of value_range, which is [first, last], lie in the first or last part. dtype is
    int32.
    """
    if active_graph() is None:
        return picking.histogram_fixed_width_bins(
            values, value_range, nbins, dtype, name
        )
    return histogram_bins_written(values, value_range, nbins, name)


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
) -> Any:
    """Return how often each number from 0 comes up in arr, or the sums of its weights.

    The result has at least minlength elements and at most maxlength; it is of dtype where there are
    no weights, else of theirs.
    """
    if active_graph() is None or not can_be_written(arr):
        return picking.bincount(arr, weights, minlength, maxlength, dtype)
    return bincount_written(arr, weights, minlength, maxlength, dtype)


def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
) -> Any:
    """Return sums of the rows of data that indices name, one for each number in segment_ids.

    With num_segments the result has so many rows; those without elements are 0.
    """
    return segments.sparse_segment_sum(data, indices, segment_ids, num_segments, name)


def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
) -> Any:
    """Return means of the rows of data that indices name, one for each number in segment_ids.

    With num_segments the result has so many rows; those without elements are 0.
    """
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
    """Return sums of the rows that indices name over the root of their count, by segments.

    With num_segments the result has so many rows; those without elements are 0.
    """
    return segments.sparse_segment_sqrt_n(
        data, indices, segment_ids, num_segments, name
    )


lin_space = arrays.linspace
reverse_v2 = cutting.reverse
space_to_batch_nd = in_blocks.space_to_batch
tensor_scatter_add = picking.tensor_scatter_nd_add
tensor_scatter_sub = picking.tensor_scatter_nd_sub
tensor_scatter_update = picking.tensor_scatter_nd_update
