"""Draws of vectors as columns of matrices, for linear operators of batches, and back.

What is [samples..., batch..., size] becomes [batch..., size, all samples].
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, checks, cutting
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

_SCOPE = "DistributionShape"


class SampleMatrices:
    """How vectors are laid out, of which there is one for each element of a batch."""

    def __init__(self, batch_ndims: Any) -> None:
        with name_scope(_SCOPE), name_scope("init"):
            self._batch = convert_to_tensor(batch_ndims, name="batch_ndims")
            self._event = convert_to_tensor(1, name="event_ndims")
        known = get_static_value(self._batch)
        self._batch_rank = None if known is None else int(known)

    def columns(self, x: Any) -> tuple[Any, Any]:
        """Return vectors as columns of matrices, and the shape of the samples."""
        with (
            name_scope(_SCOPE),
            name_scope("make_batch_of_event_sample_matrices"),
        ):
            sample, batch, event = self._shapes(x)
            with name_scope("pick_vector"):
                constant(False, name="cond")
            shape = arrays.concat([[-1], batch, event], 0)
            return _rotated(arrays.reshape(x, shape), -1), sample

    def vectors(self, x: Any, sample_shape: Any) -> Any:
        """Return columns of matrices as vectors, for each sample and element of the batch."""
        with (
            name_scope(_SCOPE),
            name_scope("undo_make_batch_of_event_sample_matrices"),
        ):
            turned = _rotated(x, 1)
            _, batch, event = self._shapes(turned)
            shape = arrays.concat([sample_shape, batch, event], 0)
            return arrays.reshape(turned, shape)

    def _shapes(self, x: Any) -> tuple[Any, Any, Any]:
        """Return the shapes of the samples, of the batch, and of a vector."""
        with name_scope(_SCOPE), name_scope("get_shape"):
            rank = x.get_shape().rank
            if rank is None or self._batch_rank is None:
                return self._shapes_later(x)
            count = self._sample_rank(rank)
            zero = arrays.zeros([], int32, name="zero")
            places = (
                ("sample", 0, count, zero),
                ("batch", count, count + self._batch_rank, count),
                ("event", count + self._batch_rank, rank, count + self._batch_rank),
            )
            found = [self._cut(x, *place) for place in places]
            return found[0], found[1], found[2]

    def _sample_rank(self, rank: int) -> int:
        with name_scope(_SCOPE), name_scope("get_shape"):
            with name_scope(_SCOPE), name_scope("get_shape"):
                convert_to_tensor(rank, int32, name="ndims")
            count = rank - (self._batch_rank or 0) - 1
            if count < 0:
                raise InvalidArgumentError(
                    f"expected batch_ndims({self._batch_rank}) + event_ndims(1) <= "
                    f"ndims({rank})"
                )
            convert_to_tensor(count, name="sample_ndims")
            return count

    @staticmethod
    def _cut(x: Any, name: str, start: int, stop: int, begin: Any) -> Any:
        known = x.get_shape().as_list()[start:stop]
        if None not in known:
            return convert_to_tensor(known, int32, name=f"{name}_shape")
        return cutting.slice(v1_arrays.shape(x), [begin], [stop - start])

    def _shapes_later(self, x: Any) -> tuple[Any, Any, Any]:
        """Return the shapes where ranks are known later."""
        sizes, rank = v1_arrays.shape(x), arrays.rank(x)
        count = rank - self._batch - self._event
        return sizes[:count], sizes[count : rank - 1], sizes[rank - 1 :]


def _rotated(x: Any, shift: int) -> Any:
    """Return a tensor whose axes are moved on, the last ones to the front."""
    with name_scope("rotate_transpose"):
        checks.assert_integer(constant(shift, int32, name="shift"))
        rank = x.get_shape().rank
        if rank is None:
            order = arrays.range(arrays.rank(x))
            return arrays.transpose(x, cutting.roll(order, shift, 0))
        axes = [(place - shift) % rank for place in range(rank)] if rank else []
        return arrays.transpose(x, axes)
