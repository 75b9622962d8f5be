"""Tensors dealt out to partitions, and stitched together again: the two halves of sharding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlite.core.dispatch import call, calls, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import Dims, TensorSpec, merge, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import size
from tensorlite.ops.arrays.gather import gather
from tensorlite.ops.arrays.places import in_range, integers, segmented
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.arrays.stack import filled
from tensorlite.ops.math.arithmetic import Range

__all__ = ["dynamic_partition", "dynamic_stitch"]


class DynamicPartition(Op):
    """The slices of a tensor, dealt out by a number for each."""

    num_partitions: int

    def infer(
        self, data: TensorSpec, partitions: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return one spec per partition, with an unknown number of slices."""
        return (segmented(self.name, data, partitions, None),) * self.num_partitions

    def kernel(self, xp: Xp, data: Array, partitions: Array) -> tuple[Array, ...]:
        """Return the slices of each partition, in order."""
        in_range(self.name, partitions, self.num_partitions, 0, "partitions")
        return tuple([data[partitions == i] for i in range(self.num_partitions)])

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the gradients stitched together in the order of the data."""
        data, partitions = call.inputs
        numbers = reshape(_range(size(partitions)), shape_of(partitions))
        places = dynamic_partition(numbers, partitions, self.num_partitions)
        stitched = dynamic_stitch(places, filled(dys, call.outputs))
        return reshape(stitched, shape_of(data)), None


def _range(count: Tensor) -> Tensor:
    return call(Range(), 0, count, 1)


class DynamicStitch(Op):
    """Slices put at the places that their indices say; `N` tensors of indices, then `N` of data."""

    N: int

    def infer(self, *specs: TensorSpec) -> TensorSpec:
        """Return as many slices as the largest index says; errors when the data does not fit."""
        indices, data = specs[: self.N], specs[self.N :]
        inner: Dims | None = None
        for places, x in zip(indices, data, strict=True):
            integers(self.name, places)
            if x.dtype is not data[0].dtype:
                raise DTypeError(
                    f"{self.name}: dtypes differ: {data[0]} and {x}; cast one"
                )
            part = segmented(self.name, x, places, None).shape
            inner = _agreed(inner, None if part is None else part[1:], self.name)
        listed = [places.constant() for places in indices]
        if inner is None:
            return data[0].with_shape(None)
        if any(x is None for x in listed):
            return data[0].with_shape((None, *inner))
        most = [int(np.max(x, initial=-1)) for x in listed if x is not None]
        return data[0].with_shape((max(most, default=-1) + 1, *inner))

    def kernel(self, xp: Xp, *arrays: Array) -> Array:
        """Return the slices, zeros or empty texts where no index points; later ones win."""
        indices, data = arrays[: self.N], arrays[self.N :]
        count = max([int(i.max()) + 1 for i in indices if i.size], default=0)
        shape = (count, *data[0].shape[indices[0].ndim :])
        is_text = data[0].dtype == object
        blank = np.full(shape, b"", object) if is_text else None
        out = xp.zeros(shape, data[0].dtype) if blank is None else blank
        for places, x in zip(indices, data, strict=True):
            in_range(self.name, places, count, 0)
            out[places] = x[()]
        return out

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the slices of the gradient that each tensor's indices name."""
        return (None,) * self.N + tuple(
            [gather(dy, i) for i in call.inputs[: self.N]]
        )


class ParallelDynamicStitch(DynamicStitch):
    """The same, which slice counts of those at one place being left open: what shards found."""


def _agreed(a: Dims | None, b: Dims | None, op: str) -> Dims | None:
    try:
        return merge(a, b)
    except ShapeError:
        raise ShapeError(
            f"{op}: slices have shapes {shape_text(a)} and {shape_text(b)}; they must be equal"
        ) from None


def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int
) -> tuple[Tensor, ...]:
    """Return the slices of `data` that are numbered 0 in `partitions`, those numbered 1, and so on.

    `partitions` is shaped as the first axes of `data` (TensorFlow's DynamicPartition).

    >>> even, odd = tl.dynamic_partition([10, 11, 12], [0, 1, 0], 2)
    >>> print(even, odd)
    [10 12] [11]
    """
    if num_partitions < 1:
        raise InvalidArgumentError(
            f"dynamic_partition: num_partitions={num_partitions} is below 1"
        )
    return calls(DynamicPartition(num_partitions), data, partitions)


def dynamic_stitch(
    indices: Sequence[TensorLike], data: Sequence[TensorLike]
) -> Tensor:
    """Return slices of several tensors put at the places that their indices say.

    The inverse of dynamic_partition; of slices at one place the last stays (TensorFlow's
    DynamicStitch).

    >>> print(tl.dynamic_stitch([[0, 2], [1]], [[10, 12], [11]]))
    [10 11 12]
    """
    if len(indices) != len(data) or not indices:
        raise InvalidArgumentError(
            f"dynamic_stitch: {len(indices)} tensors of indices and {len(data)} of data; give as "
            "many of one as of the other, and at least one"
        )
    places = [to_tensor(i) for i in indices]
    return call(DynamicStitch(len(places)), *places, *data)
