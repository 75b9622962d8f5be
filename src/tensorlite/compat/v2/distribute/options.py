"""How replicas read, run and reduce: options, and what a dataset function is told."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from tensorlite.core.errors import InvalidArgumentError


class ReduceOp(Enum):
    """How the replicas' values become one."""

    SUM = "SUM"
    MEAN = "MEAN"


def how_of(reduce_op: Any) -> str:
    """Return which reduction is asked for, by a name or a ReduceOp; ValueError for no such."""
    told = reduce_op.upper() if isinstance(reduce_op, str) else reduce_op
    return ReduceOp(told).value


class InputReplicationMode(Enum):
    """Who reads a dataset of its own."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """How elements of datasets get to replicas, whose memory is one: which has no effect."""

    experimental_fetch_to_device: bool | None = True
    experimental_replication_mode: Any = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """How a step is run, which has no effect."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class InputContext:
    """Which part of the input is read here."""

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return the batch size of one replica; ValueError where the whole cannot be shared."""
        if global_batch_size % self.num_replicas_in_sync:
            raise InvalidArgumentError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
            f"{self.num_input_pipelines})"
        )


class ValueContext(NamedTuple):
    """Which replica a value is for."""

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1


class CommunicationImplementation:
    """How workers would add up gradients among themselves."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How workers would send each other gradients: there is one, who sends nothing."""

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: str = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise InvalidArgumentError(
                f"bytes_per_pack={bytes_per_pack}; it is 0, for the default, or more"
            )
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation
