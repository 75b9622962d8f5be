"""IndexedSlices: sparse gradients made dense, and added up. Writing them to variables is elsewhere.

Where sparse gradients arise is in arrays/gather.py and state.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.dispatch import call, call2, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices, Tensor, TensorLike
from tensorlite.ops.arrays.gather import unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import reshape
from tensorlite.ops.arrays.slicing import SliceKey
from tensorlite.ops.math.arithmetic import AddN

__all__ = ["accumulate", "densify"]

_ADD_N = AddN()


def densify(slices: IndexedSlices | TensorLike, /) -> Tensor:
    """Return a sparse gradient as a tensor of its dense shape; what is dense already stays.

    >>> slices = tl.IndexedSlices(tl.ones((2, 2)), tl.asarray([0, 2]), (3, 2))
    >>> print(tl.densify(slices))
    [[1. 1.]
     [0. 0.]
     [1. 1.]]
    """
    if not isinstance(slices, IndexedSlices):
        return to_tensor(slices)
    shape = slices.dense_shape
    if shape is None:
        raise InvalidArgumentError(
            f"{slices} has no dense_shape, and makes no dense tensor; give one: "
            "tl.IndexedSlices(values, indices, dense_shape)"
        )
    count = _first(shape) if isinstance(shape, Tensor) else shape[0]
    dense = unsorted_segment_sum(slices.values, slices.indices, count)
    known = not isinstance(shape, Tensor) and None not in shape
    return reshape(dense, shape) if known and dense.spec.shape != shape else dense


def _first(shape: Tensor) -> Tensor:
    key = SliceKey()
    key.add_index(0)
    return key.select(shape)


def accumulate(
    gradients: Sequence[Tensor | IndexedSlices], /
) -> Tensor | IndexedSlices:
    """Return the sum of gradients of one tensor: sparse if all are, dense otherwise.

    >>> row = tl.IndexedSlices(tl.ones((1, 2)), tl.asarray([1]), (3, 2))
    >>> print(tl.accumulate([row, row]).indices)
    [1 1]
    """
    if len(gradients) == 1:
        return gradients[0]
    sparse = [g for g in gradients if isinstance(g, IndexedSlices)]
    if len(sparse) == len(gradients):
        return IndexedSlices(
            values=concat([g.values for g in sparse]),
            indices=concat([g.indices for g in sparse]),
            dense_shape=sparse[0].dense_shape,
        )
    dense = [densify(g) for g in gradients]
    return call2(_ADD_N, *dense) if len(dense) == 2 else call(_ADD_N, *dense)
