"""The greatest or least elements along an axis, of which TensorFlow asks only that most be right.

Here all are right, which is always allowed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorlite.core.check import whole
from tensorlite.core.errors import DTypeError
from tensorlite.core.spec import normalise_axis
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.arrange import moveaxis
from tensorlite.ops.arrays.search import top_k
from tensorlite.ops.composite import Composite

__all__ = ["TopScores"]


class TopScores(NamedTuple):
    """Elements, and their places along the axis."""

    values: Any
    indices: Any


class ApproxTopK(Composite):
    """The greatest elements along an axis, or the least ones, and their places as int32."""

    k: int
    reduction_dimension: int = -1
    recall_target: float = 0.95
    is_max_k: bool = True
    reduction_input_size_override: int = -1
    aggregate_to_topk: bool = True

    def compose(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return both."""
        if not x.dtype.is_floating:
            raise DTypeError(f"{self.name}: {x.spec}; allowed are floats")
        whole(self.k, f"{self.name}: k", least=0)
        axis = normalise_axis(self.reduction_dimension, x.spec.rank or 0)
        last = moveaxis(x, axis, -1)
        values, places = top_k(last if self.is_max_k else -last, self.k)
        values = values if self.is_max_k else -values
        return moveaxis(values, -1, axis), moveaxis(places, -1, axis)
