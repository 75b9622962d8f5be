"""Sparse tensors of examples that have values and their places as features of their own."""

from __future__ import annotations

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp


class PlacedSparse(Op):
    """A sparse tensor of values and of the features that say where these are."""

    differentiable = False
    sizes: tuple[int, ...]
    already_sorted: bool = False

    def infer(
        self, values: TensorSpec, shape: TensorSpec, *places: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return indices, values and shape."""
        batch = (places[0].dims[1] or 1) - 1
        rank = batch + len(self.sizes)
        return (
            TensorSpec((None, rank), dtypes.int64),
            TensorSpec((None,), values.dtype),
            TensorSpec((rank,), dtypes.int64),
        )

    def kernel(
        self, xp: Xp, values: Array, shape: Array, *places: Array
    ) -> tuple[Array, ...]:
        """Return the parts; InvalidArgumentError for features of differing lengths."""
        columns = list(places[1::2])
        if any(len(x) != len(values) for x in columns):
            raise InvalidArgumentError(
                f"SparseFeature: {len(values)} values and {[len(x) for x in columns]} places"
            )
        batch = [places[0][:, i] for i in range(places[0].shape[1] - 1)]
        indices = np.stack([*batch, *columns], axis=1).astype(np.int64)
        if not self.already_sorted and len(indices):
            order = np.lexsort(indices.T[::-1])
            indices, values = indices[order], values[order]
        sizes = [*shape.tolist()[: len(batch)], *self.sizes]
        return indices, values, np.asarray(sizes, np.int64)
