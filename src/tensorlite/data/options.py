"""Options of datasets, as TensorFlow's programs set them, and which of them mean something here."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import IntEnum
from functools import cache
from typing import Any, Self


class AutoShardPolicy(IntEnum):
    """How workers share a dataset; one process reads all of it."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(IntEnum):
    """How TensorFlow looks for the best number of parallel calls."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(IntEnum):
    """What happens where a dataset that is written down hangs on state outside of it."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


def _of(kind: type) -> dict[str, type]:
    return {"kind": kind}


def _option(kind: type, default: Any = None) -> Any:
    return field(default=default, metadata=_of(kind))


@cache
def _kinds(group: Any) -> dict[str, type]:
    """Return the kinds of a group's options: every dataset sets them, every window of one too."""
    return {option.name: option.metadata["kind"] for option in fields(group)}


class OptionGroup:
    """Options with names and kinds of their own: AttributeError and TypeError for others."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind_of_group: Any = type(self)
        kinds = _kinds(kind_of_group)
        if name not in kinds and not hasattr(type(self), name):
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}."
                f" (allowed are {', '.join(kinds)})"
            )
        kind = kinds.get(name, object)
        if not (value is None or isinstance(value, kind)):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value!r} '
                f"(type: {type(value)})"
            )
        super().__setattr__(name, value)

    def merge(self, other: Self) -> Self:
        """Return these options, with those that are set in others in their place."""
        merged, unset = type(self)(), type(self)()
        for option in fields(self):  # type: ignore[arg-type]
            mine, others = getattr(self, option.name), getattr(other, option.name)
            if isinstance(mine, OptionGroup) and isinstance(others, OptionGroup):
                chosen: Any = mine.merge(others)
            else:
                chosen = mine if others == getattr(unset, option.name) else others
            setattr(merged, option.name, chosen)
        return merged


@dataclass
class AutotuneOptions(OptionGroup):
    """How TensorFlow tunes parallel steps; here they tune themselves."""

    autotune_algorithm: Any = field(default=None, metadata=_of(AutotuneAlgorithm))
    cpu_budget: int | None = _option(int)
    enabled: bool | None = _option(bool)
    initial_parallelism: int | None = _option(int)
    min_parallelism: int | None = _option(int)
    ram_budget: int | None = _option(int)


@dataclass
class DistributeOptions(OptionGroup):
    """How workers share a dataset."""

    auto_shard_policy: Any = field(
        default=AutoShardPolicy.AUTO, metadata=_of(AutoShardPolicy)
    )
    auto_shard: bool | None = _option(bool, True)
    num_devices: int | None = _option(int)


@dataclass
class MapVectorizationOptions(OptionGroup):
    """Whether TensorFlow 1 maps whole batches."""

    enabled: bool | None = _option(bool)
    use_choose_fastest: bool | None = _option(bool)


@dataclass
class OptimizationOptions(OptionGroup):
    """What TensorFlow rewrites in a dataset's graph; what it gives stays the same."""

    apply_default_optimizations: bool | None = _option(bool)
    autotune: bool | None = _option(bool)
    autotune_algorithm: int | None = _option(int)
    autotune_buffers: bool | None = _option(bool)
    autotune_cpu_budget: int | None = _option(int)
    filter_fusion: bool | None = _option(bool)
    filter_parallelization: bool | None = _option(bool)
    filter_with_random_uniform_fusion: bool | None = _option(bool)
    hoist_random_uniform: bool | None = _option(bool)
    inject_prefetch: bool | None = _option(bool)
    map_and_batch_fusion: bool | None = _option(bool)
    map_and_filter_fusion: bool | None = _option(bool)
    map_fusion: bool | None = _option(bool)
    map_parallelization: bool | None = _option(bool)
    map_vectorization: Any = field(
        default_factory=MapVectorizationOptions, metadata=_of(MapVectorizationOptions)
    )
    noop_elimination: bool | None = _option(bool)
    parallel_batch: bool | None = _option(bool)
    seq_interleave_prefetch: bool | None = _option(bool)
    shuffle_and_repeat_fusion: bool | None = _option(bool)


@dataclass
class ServiceOptions(OptionGroup):
    """How datasets are read through TensorFlow's service."""

    pinned: bool | None = _option(bool)


@dataclass
class StatsOptions(OptionGroup):
    """What TensorFlow 1 counts while datasets run."""

    aggregator: Any = field(default=None, metadata=_of(object))
    prefix: str | None = _option(str, "")
    counter_prefix: str | None = _option(str, "")
    latency_all_edges: bool | None = _option(bool)


@dataclass
class ThreadingOptions(OptionGroup):
    """How many threads TensorFlow runs datasets with."""

    max_intra_op_parallelism: int | None = _option(int)
    private_threadpool_size: int | None = _option(int)


@dataclass
class Options(OptionGroup):
    """Options of a dataset.

    `deterministic=False` lets parallel steps give elements as they are ready. The others tell
    TensorFlow how to be fast; they are kept, and change nothing.

    >>> options = tl.data.Options()
    >>> options.deterministic = False
    >>> tl.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    deterministic: bool | None = _option(bool)
    dataset_name: str | None = _option(str)
    framework_type: Any = field(default=None, metadata=_of(list))
    autotune: Any = field(
        default_factory=AutotuneOptions, metadata=_of(AutotuneOptions)
    )
    experimental_distribute: Any = field(
        default_factory=DistributeOptions, metadata=_of(DistributeOptions)
    )
    experimental_external_state_policy: Any = field(
        default=None, metadata=_of(ExternalStatePolicy)
    )
    experimental_optimization: Any = field(
        default_factory=OptimizationOptions, metadata=_of(OptimizationOptions)
    )
    experimental_service: Any = field(
        default_factory=ServiceOptions, metadata=_of(ServiceOptions)
    )
    experimental_slack: bool | None = _option(bool)
    experimental_stateful_whitelist: Any = field(default=None, metadata=_of(list))
    experimental_stats: Any = field(
        default_factory=StatsOptions, metadata=_of(StatsOptions)
    )
    experimental_symbolic_checkpoint: bool | None = _option(bool)
    experimental_warm_start: bool | None = _option(bool)
    threading: Any = field(
        default_factory=ThreadingOptions, metadata=_of(ThreadingOptions)
    )

    @property
    def experimental_deterministic(self) -> bool | None:
        """An older name of `deterministic`."""
        return self.deterministic

    @experimental_deterministic.setter
    def experimental_deterministic(self, value: bool | None) -> None:
        """Set `deterministic`, by its older name."""
        self.deterministic = value

    @property
    def experimental_threading(self) -> Any:
        """An older name of `threading`."""
        return self.threading

    @experimental_threading.setter
    def experimental_threading(self, value: Any) -> None:
        """Set `threading`, by its older name."""
        self.threading = value
