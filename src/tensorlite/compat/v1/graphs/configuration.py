"""How sessions run, as TensorFlow 1's programs say it: messages that hold what they are given.

Most of it is for TensorFlow's own runtime, and only kept. What sessions heed: `patience`, and the
session's own file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from numbers import Integral, Real
from textwrap import indent
from typing import Any

from tensorlite.core.errors import DTypeError, InvalidArgumentError

__all__ = [
    "ConfigProto",
    "GPUOptions",
    "GraphOptions",
    "OptimizerOptions",
    "RunOptions",
]

_TAKEN = {bool: Integral, int: Integral, float: Real, str: str}
"""What a field takes, by the type of its default."""


class _Message:
    """Fields with defaults, of which some are given by name; others are refused."""

    __slots__ = ()

    def __init__(self, **given: Any) -> None:
        self.Clear()
        for name, value in given.items():
            self._check(name)
            nested = getattr(self, name)
            inner = isinstance(nested, _Message) and isinstance(value, dict)
            setattr(self, name, type(nested)(**value) if inner else value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _names(self):
            kind = type(self).__name__
            near = _near(name, _names(self))
            raise AttributeError(f"{kind!r} object has no attribute {name!r}.{near}")
        taken = _TAKEN.get(type(getattr(self, name, None)), object)
        if not isinstance(value, taken):
            raise DTypeError(
                f"{name}: {value!r} has type {type(value).__name__}, but expected one of: "
                f"{taken.__name__}"
            )
        super().__setattr__(name, value)

    def Clear(self) -> None:
        """Give every field its default."""
        for known in fields(self):  # type: ignore[arg-type]  # the classes below are data
            made = known.default_factory
            super().__setattr__(
                known.name, made() if callable(made) else known.default
            )

    def CopyFrom(self, other: Any) -> None:
        """Take over all fields of another message of this kind."""
        if type(other) is not type(self):
            raise DTypeError(
                f"CopyFrom takes a {type(self).__name__}, not {type(other).__name__}"
            )
        for name in _names(self):
            super().__setattr__(name, deepcopy(getattr(other, name)))

    def HasField(self, name: str) -> bool:
        """Return whether a field has another value than its default."""
        self._check(name)
        return bool(getattr(self, name) != getattr(type(self)(), name))

    def _check(self, name: str) -> None:
        if name not in _names(self):
            raise InvalidArgumentError(
                f'Protocol message {type(self).__name__} has no "{name}" field.'
                + _near(name, _names(self))
            )

    def __repr__(self) -> str:
        return _text((x, getattr(self, x)) for x in _names(self))


def _text(given: Iterable[tuple[str, Any]]) -> str:
    return "".join(line for name, value in given for line in _told(name, value))


def _told(name: str, value: Any) -> Iterator[str]:
    """Yield the lines in which messages print a field; none where it has its default."""
    if isinstance(value, (_Message, _Options)):
        inner = indent(repr(value), "  ")
        yield from [f"{name} {{\n{inner}}}\n"] if inner else []
    elif isinstance(value, dict):
        for key, one in value.items():
            yield f'{name} {{\n  key: "{key}"\n  value: {one}\n}}\n'
    elif isinstance(value, list):
        for one in value:
            yield from _told(name, one)
    elif value:
        text = {bool: str(value).lower(), str: f'"{value}"'}.get(type(value), value)
        yield f"{name}: {text}\n"


def _names(message: _Message) -> list[str]:
    return [x.name for x in fields(message)]  # type: ignore[arg-type]


def _near(name: str, names: list[str]) -> str:
    near = get_close_matches(name, names)
    return f" Near it are: {', '.join(near)}" if near else ""


class _Options:
    """What only TensorFlow's own runtime heeds: any names, to any depth."""

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        made = self.__dict__[name] = _Options()
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Options) and self.__dict__ == other.__dict__

    def __repr__(self) -> str:
        return _text(self.__dict__.items())

    __hash__ = None  # type: ignore[assignment]  # it changes


@dataclass(init=False, slots=True, repr=False)
class GPUOptions(_Message):
    """How a session uses GPUs, which tensorlite leaves to CuPy."""

    per_process_gpu_memory_fraction: float = 0.0
    allow_growth: bool = False
    allocator_type: str = ""
    deferred_deletion_bytes: int = 0
    visible_device_list: str = ""
    polling_active_delay_usecs: int = 0
    polling_inactive_delay_msecs: int = 0
    force_gpu_compatible: bool = False
    experimental: Any = field(default_factory=_Options)


@dataclass(init=False, slots=True, repr=False)
class OptimizerOptions(_Message):
    """How a session optimises, which tensorlite always does alike."""

    do_common_subexpression_elimination: bool = False
    do_constant_folding: bool = False
    max_folded_constant_in_bytes: int = 0
    do_function_inlining: bool = False
    opt_level: Any = 0
    global_jit_level: Any = 0
    cpu_global_jit: bool = False

    L0, L1, DEFAULT, OFF, ON_1, ON_2 = -1, 0, 0, -1, 1, 2


@dataclass(init=False, slots=True, repr=False)
class GraphOptions(_Message):
    """How a session optimises, which tensorlite always does alike."""

    enable_recv_scheduling: bool = False
    optimizer_options: OptimizerOptions = field(default_factory=OptimizerOptions)
    build_cost_model: int = 0
    build_cost_model_after: int = 0
    infer_shapes: bool = False
    place_pruned_graph: bool = False
    enable_bfloat16_sendrecv: bool = False
    timeline_step: int = 0
    rewrite_options: Any = field(default_factory=_Options)


@dataclass(init=False, slots=True, repr=False)
class RPCOptions(_Message):
    """How tasks talk to each other, which tensorlite decides itself."""

    use_rpc_for_inprocess_master: bool = False
    compression_algorithm: str = ""
    compression_level: int = 0
    cache_rpc_response: bool = False
    disable_session_connection_sharing: bool = False


@dataclass(init=False, slots=True, repr=False)
class ConfigProto(_Message):
    """How a session runs; a name that TensorFlow's message does not have is refused.

    >>> import tensorlite.compat.v1 as tf
    >>> tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True)).gpu_options.allow_growth
    True
    """

    device_count: dict[str, int] = field(default_factory=dict)
    intra_op_parallelism_threads: int = 0
    inter_op_parallelism_threads: int = 0
    use_per_session_threads: bool = False
    session_inter_op_thread_pool: list[Any] = field(default_factory=list)
    placement_period: int = 0
    device_filters: list[str] = field(default_factory=list)
    gpu_options: GPUOptions = field(default_factory=GPUOptions)
    pluggable_device_options: GPUOptions = field(default_factory=GPUOptions)
    allow_soft_placement: bool = False
    log_device_placement: bool = False
    graph_options: GraphOptions = field(default_factory=GraphOptions)
    operation_timeout_in_ms: int = 0
    rpc_options: RPCOptions = field(default_factory=RPCOptions)
    cluster_def: Any = field(default_factory=_Options)
    isolate_session_state: bool = False
    share_cluster_devices_in_session: bool = False
    experimental: Any = field(default_factory=_Options)


@dataclass(init=False, slots=True, repr=False)
class DebugOptions(_Message):
    """What TensorFlow's debugger watches, which is only kept."""

    debug_tensor_watch_opts: list[Any] = field(default_factory=list)
    global_step: int = 0
    reset_disk_byte_usage: bool = False


@dataclass(init=False, slots=True, repr=False)
class RunOptions(_Message):
    """What a run records, and how long it may wait."""

    trace_level: Any = 0
    timeout_in_ms: int = 0
    inter_op_thread_pool: int = 0
    output_partition_graphs: bool = False
    debug_options: DebugOptions = field(default_factory=DebugOptions)
    report_tensor_allocations_upon_oom: bool = False
    experimental: Any = field(default_factory=_Options)

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)

    def together(self, other: RunOptions) -> RunOptions:
        """Return what asks for all that either asks for, and waits as long as either."""
        made = RunOptions()
        made.CopyFrom(self)
        for name in ("trace_level", "timeout_in_ms", "inter_op_thread_pool"):
            setattr(made, name, max(getattr(self, name), getattr(other, name)))
        for name in ("output_partition_graphs", "report_tensor_allocations_upon_oom"):
            setattr(made, name, getattr(self, name) or getattr(other, name))
        watched = other.debug_options.debug_tensor_watch_opts
        made.debug_options.debug_tensor_watch_opts.extend(watched)
        return made


def patience(config: Any, options: Any) -> float | None:
    """Return for how many seconds a run may wait, None where neither it nor its session says so."""
    asked = 0 if options is None else options.timeout_in_ms
    limit = asked or (0 if config is None else config.operation_timeout_in_ms)
    return limit / 1000 if limit else None
