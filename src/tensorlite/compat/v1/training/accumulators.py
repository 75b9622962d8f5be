"""Accumulators of gradients, as TensorFlow 1 has them: each session has its own."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, given_constant
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.dtypes import int32, int64
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.queues import of_sessions
from tensorlite.ops.queues import accumulators, sparse_accumulators


class ConditionalAccumulator(accumulators.ConditionalAccumulator):
    """Gradients of one shape that wait until there are enough; then their mean is taken.

    reduction_type is "MEAN" or "SUM".
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        with of_sessions():
            super().__init__(
                dtype, plain(TensorShape(shape)), name, reduction_type, shared_name
            )

    @property
    def accumulator_ref(self) -> Any:
        """The accumulator's handle, a tensor that its operators take."""
        return shown(self.handle)

    def num_accumulated(self, name: str | None = None) -> Any:
        """Return how many gradients wait in the accumulator, an int32 scalar."""
        own = self.accumulator_ref.op.name.rpartition("/")[2]
        return in_graph(super().num_accumulated, f"{own}_NumAccumulated", name)

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Any:
        """Return an operator that sets the accumulator's step.

        Gradients of earlier steps are dropped.
        """
        put = super().set_global_step
        return in_graph(
            lambda: put(plain(new_global_step)),
            "ResourceAccumulatorSetGlobalStep",
            name,
        )

    def apply_grad(
        self, grad: Any, local_step: Any = 0, name: str | None = None
    ) -> Any:
        """Return an operator that adds a gradient, or drops it if local_step is behind.

        A gradient is stale where local_step is smaller than the accumulator's step.
        """
        put = super().apply_grad
        given = given_constant(grad, self.dtype), _as_step(local_step)
        return in_graph(
            lambda: put(*plain(given)),
            "ResourceAccumulatorApplyGradient",
            name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Return the mean of the gradients once there are num_required, and begin anew.

        Running it waits until there are so many. The accumulator's step goes up by 1.
        """
        take = super().take_grad
        return in_graph(
            lambda: take(_enough(num_required)),
            "ResourceAccumulatorTakeGradient",
            name,
        )


class SparseConditionalAccumulator(sparse_accumulators.SparseConditionalAccumulator):
    """Gradients of some rows that wait until there are enough; then their mean is taken.

    reduction_type is "MEAN" or "SUM".
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        # As TensorFlow, which takes the shape of no axes for one that is not known.
        sizes = plain(TensorShape(shape)) or None
        with of_sessions():
            super().__init__(dtype, sizes, name, reduction_type, shared_name)

    @property
    def accumulator_ref(self) -> Any:
        """The accumulator's handle, a tensor that its operators take."""
        return shown(self.handle)

    def num_accumulated(self, name: str | None = None) -> Any:
        """Return how many gradients wait in the accumulator, an int32 scalar."""
        own = self.accumulator_ref.op.name.rpartition("/")[2]
        return in_graph(super().num_accumulated, f"{own}_NumAccumulated", name)

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Any:
        """Return an operator that sets the accumulator's step.

        Gradients of earlier steps are dropped.
        """
        put = super().set_global_step
        return in_graph(
            lambda: put(plain(new_global_step)), "AccumulatorSetGlobalStep", name
        )

    def apply_grad(
        self,
        grad_indices: Any,
        grad_values: Any,
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Any:
        """Return an operator that adds a gradient of some rows; a stale one is dropped.

        It is stale where local_step is smaller than the accumulator's step. grad_indices has shape
        [n], grad_values [n, ...]; grad_shape is the shape of the whole, if given.
        """
        put = super().apply_grad
        given = plain((grad_indices, grad_values, grad_shape, local_step))
        return in_graph(lambda: put(*given), "SparseAccumulatorApplyGradient", name)

    def apply_indexed_slices_grad(
        self, grad: Any, local_step: Any = 0, name: str | None = None
    ) -> Any:
        """Return an operator that adds an IndexedSlices, or drops it if local_step is behind."""
        return self.apply_grad(
            grad.indices, grad.values, grad.dense_shape, local_step, name
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Return (indices, values, shape) of the mean once there are num_required gradients.

        Running it waits until there are so many. Rows are averaged over the gradients that have
        them.
        """
        take = super().take_grad
        return in_graph(
            lambda: take(_enough(num_required)), "SparseAccumulatorTakeGradient", name
        )

    def take_indexed_slices_grad(
        self, num_required: Any, name: str | None = None
    ) -> Any:
        """Return the mean of num_required gradients, an IndexedSlices; running it waits."""
        indices, values, dense_shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, dense_shape)


def _as_step(step: Any) -> Any:
    """Return a step as accumulators count them."""
    return cast(step if isinstance(step, Operand) else given_constant(step), int64)


def _enough(num_required: Any) -> Any:
    return converted(plain(num_required), int32, "num_required")
