"""Accumulators of gradients, as TensorFlow 1 has them: each session has its own."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.queues import of_sessions
from tensorlite.ops import accumulators, sparse_accumulators


class ConditionalAccumulator(accumulators.ConditionalAccumulator):
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
        return shown(self.handle)

    def num_accumulated(self, name: str | None = None) -> Any:
        return in_graph(super().num_accumulated, "AccumulatorNumAccumulated", name)

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Any:
        put = super().set_global_step
        return in_graph(
            lambda: put(plain(new_global_step)), "AccumulatorSetGlobalStep", name
        )

    def apply_grad(
        self, grad: Any, local_step: Any = 0, name: str | None = None
    ) -> Any:
        put = super().apply_grad
        return in_graph(
            lambda: put(plain(grad), plain(local_step)),
            "AccumulatorApplyGradient",
            name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        take = super().take_grad
        return in_graph(
            lambda: take(plain(num_required)), "AccumulatorTakeGradient", name
        )


class SparseConditionalAccumulator(sparse_accumulators.SparseConditionalAccumulator):
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
        return shown(self.handle)

    def num_accumulated(self, name: str | None = None) -> Any:
        return in_graph(super().num_accumulated, "AccumulatorNumAccumulated", name)

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Any:
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
        put = super().apply_grad
        given = plain((grad_indices, grad_values, grad_shape, local_step))
        return in_graph(lambda: put(*given), "SparseAccumulatorApplyGradient", name)

    def apply_indexed_slices_grad(
        self, grad: Any, local_step: Any = 0, name: str | None = None
    ) -> Any:
        return self.apply_grad(
            grad.indices, grad.values, grad.dense_shape, local_step, name
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        take = super().take_grad
        return in_graph(
            lambda: take(plain(num_required)), "SparseAccumulatorTakeGradient", name
        )

    def take_indexed_slices_grad(
        self, num_required: Any, name: str | None = None
    ) -> Any:
        indices, values, dense_shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, dense_shape)
