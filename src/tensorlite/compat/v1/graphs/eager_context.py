"""tensorflow.python.eager.context: what libraries ask about how operations run where they are.

The switches that it has, too, are in behaviour.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.device_specs import DeviceSpec
from tensorlite.compat.v1.graphs.behaviour import (
    eager_mode as eager_mode,
    executing_eagerly,
    graph_mode as graph_mode,
)
from tensorlite.config import list_logical_devices
from tensorlite.core.scope import scope

__all__ = ["Context", "context"]

_HERE = "/job:localhost/replica:0/task:0"
"""What TensorFlow calls this process."""


class Context:
    """Answers for the place that it is asked in: eagerly, in a graph, below `tf.device`."""

    def executing_eagerly(self) -> bool:
        """Return whether operations run at once."""
        return executing_eagerly()

    in_eager_mode = executing_eagerly

    @property
    def device_name(self) -> str:
        """The device that `tf.device` asks for what runs at once, "" where it asks for none."""
        asked = scope.get().device
        if not executing_eagerly() or getattr(asked, "kind", None) is None:
            return ""
        return f"{asked}" if asked.job is not None else f"{_HERE}{asked}"

    @property
    def device_spec(self) -> DeviceSpec:
        """The parts of that device, of which none is known where none is asked for."""
        return DeviceSpec.from_string(self.device_name)

    @property
    def scope_name(self) -> str:
        """The names of scopes around what runs at once, "" in graphs."""
        name = scope.get().name if executing_eagerly() else ""
        return f"{name.removesuffix('/')}/" if name else ""

    def devices(self) -> list[str]:
        """Return the names of all devices of this process."""
        return [f"{_HERE}{each.name}" for each in list_logical_devices()]

    def num_gpus(self) -> int:
        """Return how many of them are GPUs."""
        return len(list_logical_devices("GPU"))


_context = Context()


def context() -> Any:
    """Return what answers for the place that it is asked in."""
    return _context


def context_safe() -> Any:
    """Return the same: it is made at the first import."""
    return _context
