"""How sessions run, as TensorFlow 1's programs say it: messages that hold what they are given."""

from __future__ import annotations

from typing import Any

__all__ = [
    "ConfigProto",
    "GPUOptions",
    "GraphOptions",
    "OptimizerOptions",
    "RunOptions",
]


class ConfigProto:
    """How a session runs; most of it is for TensorFlow's own runtime, and kept as it is given."""

    def __init__(self, **given: Any) -> None:
        self.gpu_options = GPUOptions()
        self.graph_options = GraphOptions()
        self.experimental = _Options()
        self.rpc_options = _Options()
        self.allow_soft_placement = False
        self.log_device_placement = False
        self.operation_timeout_in_ms = 0
        self.intra_op_parallelism_threads = 0
        self.inter_op_parallelism_threads = 0
        self.device_count: dict[str, int] = {}
        self.device_filters: list[str] = []
        for name, value in given.items():
            setattr(self, name, value)


class _Options:
    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        made = self.__dict__[name] = _Options()
        return made


class GPUOptions(_Options):
    """How a session uses GPUs, which tensorlite leaves to CuPy."""


class GraphOptions(_Options):
    """How a session optimises, which tensorlite always does alike."""


class OptimizerOptions(_Options):
    """How a session optimises, which tensorlite always does alike."""

    L0, L1, DEFAULT, OFF, ON_1, ON_2 = -1, 0, 0, -1, 1, 2


class RunOptions(_Options):
    """What a run records, and how long it may wait."""

    timeout_in_ms = 0
    trace_level = 0
    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)


def patience(config: Any, options: Any) -> float | None:
    """Return for how many seconds a run may wait, None where neither it nor its session says so."""
    asked = 0 if options is None else options.timeout_in_ms
    limit = asked or (0 if config is None else config.operation_timeout_in_ms)
    return limit / 1000 if limit else None
