"""tensorflow.python's questions of what a program is inside of: XLA's contexts, TPUs' shards.

XLA compiles nothing here in TensorFlow's way, and one device has no shards: the answers say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tensorlite.core.errors import InvalidArgumentError


def InXlaContext(graph: Any) -> bool:
    """Return whether XLA compiles what a graph is given now."""
    return False


GraphOrParentsInXlaContext = IsInXLAContext = InXlaContext


def GetContainingXLAContext(ctxt: Any, stop_ctxt: Any = None) -> None:
    """Return which of the contexts around one is of what XLA compiles: None."""


ENABLE_CONTROL_FLOW_V2 = False
"""Whether programs ask for branches and loops with inner graphs, which they have here anyway."""


def EnableControlFlowV2(graph: Any) -> bool:
    """Return whether a graph's branches and loops have inner graphs, as all have here."""
    return True


@dataclass
class TpuContext:
    """How many shards of a TPU run the same; None where there is no TPU."""

    number_of_shards: int | None = None

    def set_number_of_shards(self, number_of_shards: int | None) -> None:
        """Say how many shards there are, None for no TPU."""
        self.number_of_shards = number_of_shards


_tpu = TpuContext()


def get_tpu_context() -> TpuContext:
    """Return what is known of the shards."""
    return _tpu


@contextmanager
def tpu_shard_context(number_of_shards: int) -> Iterator[None]:
    """Say inside the block how many shards there are."""
    if _tpu.number_of_shards is not None:
        raise InvalidArgumentError(
            f"tpu_shard_context({number_of_shards}) inside of another one, of "
            f"{_tpu.number_of_shards} shards; leave that one first"
        )
    _tpu.set_number_of_shards(number_of_shards)
    try:
        yield
    finally:
        _tpu.set_number_of_shards(None)
