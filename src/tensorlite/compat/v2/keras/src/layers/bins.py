"""Keras' layer that says in which bin values are, of bins that are given or learnt."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras import checking
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.categories import (
    batches,
    check_sparse,
    encoded,
)
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.arrays.shape import astype


def _sampled(values: Any, share: float) -> Any:
    """Return values in equal steps through the sorted ones, and how many each stands for."""
    ordered = np.sort(np.asarray(values, np.float32).reshape(-1))
    step = max(ordered.size * share, 1)
    found = ordered[int(step - 1) :: int(step)]
    return np.stack([found, np.full_like(found, step)])


def _compressed(summary: Any, share: float) -> Any:
    """Return fewer values, each of which stands for a share of all."""
    if summary.shape[1] * share < 1:
        return summary
    wanted = share + np.arange(0.0, 1.0, share)
    sums = summary[1].cumsum()
    reached = np.interp(wanted, sums / sums[-1], summary[0])
    counts = np.diff(np.interp(wanted, sums / sums[-1], sums), prepend=0.0)
    return np.stack([reached, counts]).astype(np.float32)


class Discretization(Layer):
    """The number of the bin in which each value is."""

    rows_taken = "elements"

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        dtype: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        check_sparse(sparse, output_mode)
        modes = ("int", "one_hot", "multi_hot", "count")
        checking.word("Discretization", "output_mode", output_mode, modes)
        _check_bins(num_bins, bin_boundaries)
        self.bin_boundaries, self.num_bins = bin_boundaries, num_bins
        self.epsilon, self.output_mode, self.sparse = epsilon, output_mode, sparse
        self.reset_state()

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Learn bins that hold about as many values each."""
        if self.num_bins is None:
            raise InvalidArgumentError(
                "Cannot adapt a Discretization layer that has been initialized with "
                "`bin_boundaries`, use `num_bins` instead."
            )
        self.reset_state()
        for x in batches(data, steps):
            self.update_state(x.numpy())
        self.finalize_state()

    def reset_state(self) -> None:
        """Forget which values were seen; the bins stay."""
        self.summary = np.zeros((2, 0), np.float32)

    def update_state(self, data: Any) -> None:
        """Take the values of a batch into account."""
        part = _sampled(data, self.epsilon)
        both = np.concatenate((part, self.summary), axis=1)
        self.summary = _compressed(both[:, np.argsort(both[0])], self.epsilon)

    def finalize_state(self) -> None:
        """Make bins of the values that were seen."""
        if self.num_bins is not None:
            bins = _compressed(self.summary, 1.0 / self.num_bins)
            self.bin_boundaries = bins[0, :-1].tolist()

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of what a call on such a shape returns."""
        shape, edges = tuple(input_shape), self.bin_boundaries
        if self.output_mode == "int":
            return shape
        depth = self.num_bins if edges is None else len(edges) + 1
        if (
            self.output_mode != "one_hot"
        ):  # what lies along the second axis is brought together
            return (*shape[:1], *shape[2:], depth) if len(shape) > 1 else (depth,)
        return (*(shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape), depth)

    def told_specs(self, args: Any, kwargs: Any) -> Any:
        """Return the specs of results where there are no bins yet, so that models build."""
        if self.bin_boundaries is not None or kwargs or len(args) != 1:
            return super().told_specs(args, kwargs)
        return TensorSpec(self.compute_output_shape(args[0].shape), self.output_dtype)

    @property
    def output_dtype(self) -> str:
        """The dtype of what calls return."""
        return "int32" if self.output_mode == "int" else self.compute_dtype

    def call(self, inputs: Any) -> Any:
        if self.bin_boundaries is None:
            raise InvalidArgumentError(
                "You need to either pass the `bin_boundaries` argument at construction time or "
                "call `adapt(dataset)` before you can start using the `Discretization` layer."
            )
        edges = tl.asarray(list(self.bin_boundaries), dtype=tl.float32)
        x = astype(inputs, tl.float32)
        found = tl.sum(astype(x[..., None] >= edges, tl.int64), axis=-1)
        mode, depth = self.output_mode, len(self.bin_boundaries) + 1
        return encoded(found, depth, mode, self.output_dtype, self.sparse)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make such a layer, with the bins that it has learnt."""
        own = super().get_config() | {"bin_boundaries": self.bin_boundaries}
        own.pop("trainable")
        return own

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Return such a layer; one that has learnt has both bins and how many there are to be."""
        edges, count = config.get("bin_boundaries"), config.get("num_bins")
        if edges is None or count is None:
            return super().from_config(config)
        made = super().from_config({**config, "bin_boundaries": None})
        made.bin_boundaries = list(edges)
        return made

    def load_own_variables(self, store: Any) -> None:
        """Take nothing: bins are arguments."""


def _check_bins(num_bins: Any, bin_boundaries: Any) -> None:
    if num_bins is not None and num_bins < 0:
        raise InvalidArgumentError(
            f"`num_bins` must be greater than or equal to 0. Received: `num_bins={num_bins}`"
        )
    if num_bins is not None and bin_boundaries is not None:
        raise InvalidArgumentError(
            "Both `num_bins` and `bin_boundaries` should not be set. Received: "
            f"`num_bins={num_bins}` and `bin_boundaries={bin_boundaries}`"
        )
    if num_bins is None and bin_boundaries is None:
        raise InvalidArgumentError(
            "You need to set either `num_bins` or `bin_boundaries`."
        )
