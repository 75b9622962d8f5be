"""Pooling by ratios as operators of graphs: where windows begin is drawn anew in each run.

What is computed once that is known is in fractional_pool.py.
"""

from __future__ import annotations

import secrets
from abc import abstractmethod

from tensorlite.core import dtypes
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.op import Call, Gradient, Grads
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import Array, Xp, device_of
from tensorlite.ops.arrays.create import zeros
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.composite import Composite, composed, flow_back
from tensorlite.ops.nn.fractional_pool import (
    avg_pool_at,
    fractional_axes,
    fractional_counts,
    max_pool_at,
    seeded_starts,
)
from tensorlite.ops.random.stateful_draws import StatefulDraw

__all__: list[str] = []


class FractionalPool(StatefulDraw, abstract=True):
    """Pools images by ratios, and tells where rows and columns of windows begin.

    A `deterministic` one has the same windows in every run, by its seeds.
    """

    differentiable = True
    pooling_ratio: tuple[float, ...]
    pseudo_random: bool = False
    overlapping: bool = False
    deterministic: bool = False

    def infer(self, handle: TensorSpec, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of pooled images and of where windows begin."""
        counts = fractional_counts(x, self.pooling_ratio)
        batch, *_, channels = x.shape or (None,) * 4
        sizes = [None if count is None else count + 1 for count in counts]
        starts = [TensorSpec((size,), dtypes.int64) for size in sizes]
        return (x.with_shape((batch, *counts, channels)).without_value(), *starts)

    def kernel(self, xp: Xp, handle: Array, x: Array) -> tuple[Array, ...]:
        """Return pooled images, and where windows begin."""
        axes = fractional_axes(TensorSpec(x.shape), self.pooling_ratio)
        seeds = (self.seed, self.seed2)
        if not self.deterministic:
            seeds = secrets.randbits(63), secrets.randbits(63)
        rows, columns = seeded_starts(axes, self.pseudo_random, seeds)
        with interpreted_by(None):
            given = [
                EagerTensor(part, device_of(part)) for part in (x, rows, columns)
            ]
            pooled = self.pooled(*given)
        return pooled.array, rows, columns

    @abstractmethod
    def pooled(self, x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Return images pooled by windows that are known."""


class FractionalMaxPool(FractionalPool):
    """The greatest element of each window."""

    def pooled(self, x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Return images pooled by windows that are known."""
        return max_pool_at(x, rows, columns, self.overlapping)

    def grad(self, call: Call, dy: Tensor, *_: Gradient) -> Grads:
        """Return what flows to the images."""
        y, rows, columns = call.outputs
        kind = FractionalMaxPoolGrad(self.overlapping)
        return None, composed(kind, call.inputs[1], y, dy, rows, columns)


class FractionalAvgPool(FractionalPool):
    """The mean of each window."""

    def pooled(self, x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """Return images pooled by windows that are known."""
        return avg_pool_at(x, rows, columns, self.overlapping)

    def grad(self, call: Call, dy: Tensor, *_: Gradient) -> Grads:
        """Return what flows to the images."""
        rows, columns = call.outputs[1:]
        sizes = shape_of(call.inputs[1], dtypes.int64)
        kind = FractionalAvgPoolGrad(self.overlapping)
        return None, composed(kind, sizes, dy, rows, columns)


class FractionalMaxPoolGrad(Composite):
    """What flows to images that were pooled by their greatest elements."""

    overlapping: bool = False

    def compose(
        self, x: Tensor, _: Tensor, dy: Tensor, rows: Tensor, columns: Tensor
    ) -> Tensor:
        """Return it for each pixel."""
        return flow_back(
            lambda part: max_pool_at(part, rows, columns, self.overlapping), x, dy
        )


class FractionalAvgPoolGrad(Composite):
    """What flows to images of a shape that were pooled by means."""

    overlapping: bool = False

    def compose(
        self, shape: Tensor, dy: Tensor, rows: Tensor, columns: Tensor
    ) -> Tensor:
        """Return it for each pixel."""
        x = zeros(shape, dtype=dy.dtype)
        return flow_back(
            lambda part: avg_pool_at(part, rows, columns, self.overlapping), x, dy
        )
