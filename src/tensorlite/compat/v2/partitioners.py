"""tf.distribute.experimental.partitioners: into how many parts variables of servers are cut."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.graph_mode.partitioned import (
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)


class Partitioner:
    """What says of shape and dtype into how many parts each axis is cut."""

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} has no __call__(shape, dtype, axis)"
        )


class FixedShardsPartitioner(Partitioner):
    """Cuts an axis into so many parts, where it has as many elements."""

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> Any:
        return fixed_size_partitioner(self._num_shards, axis)(shape, dtype=dtype)


class MinSizePartitioner(Partitioner):
    """Makes parts of at least so many bytes, and at most so many parts."""

    def __init__(
        self,
        min_shard_bytes: int = 256 << 10,
        max_shards: int = 1,
        bytes_per_string: int = 16,
    ) -> None:
        self._given = max_shards, min_shard_bytes, bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> Any:
        most, least, each = self._given
        return min_max_variable_partitioner(most, axis, least, each)(shape, dtype)


class MaxSizePartitioner(Partitioner):
    """Makes as few parts as have at most so many bytes."""

    def __init__(
        self,
        max_shard_bytes: int,
        max_shards: int | None = None,
        bytes_per_string: int = 16,
    ) -> None:
        self._given = max_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> Any:
        most, parts, each = self._given
        return variable_axis_size_partitioner(most, axis, each, parts)(shape, dtype)


__dir__ = listing("v2.distribute.experimental.partitioners", globals())
