"""Gradients of functions of sparse tensors that TensorFlow has as operators: by places, in order.

What flows to an element comes from the element at its place, if there is one.
"""

from __future__ import annotations

from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.gather import take
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.search import searchsorted
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import minimum
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.cumulative import Cumprod
from tensorlite.ops.math.reduce import max as max_of


class SparseAddGrad(Composite):
    """What flows to the elements of two sparse tensors from those of their sum."""

    def compose(self, dy: Tensor, first: Tensor, second: Tensor, sums: Tensor) -> Any:
        """Return it for each of both."""
        return [_at_same_places(dy, x, sums) for x in (first, second)]


class SparseSliceGrad(Composite):
    """What flows to the elements of a sparse tensor from those of a part of it."""

    def compose(self, dy: Tensor, places: Tensor, start: Tensor, kept: Tensor) -> Any:
        """Return it for each element of the whole."""
        return _at_same_places(dy, places, kept + start)


def _at_same_places(dy: Tensor, wanted: Tensor, places: Tensor) -> Tensor:
    """Return elements by their places, which are in order; 0 for those that are not there."""
    every = concat([wanted, places], axis=0)
    sizes = max_of(every, axis=0) + 1
    weights = call(Cumprod(exclusive=True, reverse=True), sizes, 0)
    own, numbers = (sum_of(x * weights, axis=1) for x in (wanted, places))
    last = shape_of(numbers, dtypes.int64)[0] - 1
    found = minimum(astype(searchsorted(numbers, own), dtypes.int64), last)
    is_there = take(numbers, found, axis=0) == own
    flow = take(dy, found, axis=0)
    return where(is_there, flow, zeros_like(flow))
