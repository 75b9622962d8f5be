"""How replicas read, run and reduce: options, and what a dataset function is told."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from tensorlite.core.errors import InvalidArgumentError


class ReduceOp:
    """How the replicas' values become one; of one replica's it is that value."""

    SUM = "SUM"
    MEAN = "MEAN"


class InputReplicationMode(Enum):
    """Who reads a dataset of its own."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """How elements of datasets get to replicas: to one, which is here, they need not."""

    experimental_fetch_to_device: bool | None = True
    experimental_replication_mode: Any = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """How a step is run: on one device always in the same way."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class InputContext:
    """Which part of the input a replica reads: all of it."""

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
        """Return the batch size of one replica, rounded down."""
        return global_batch_size // self.num_replicas_in_sync


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
