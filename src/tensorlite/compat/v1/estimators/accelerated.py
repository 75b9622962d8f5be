"""Estimators that were written for TPUs, on other devices: with batches of the sizes asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.estimators.base import Estimator
from tensorlite.compat.v1.estimators.configuration import RunConfig as PlainConfig
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.hooks import SessionRunArgs, SessionRunHook

__all__ = [
    "CrossShardOptimizer",
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
    "TPUEstimator",
    "TPUEstimatorSpec",
]


class InputPipelineConfig(IntEnum):
    """Where the input of TPUs would be read."""

    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = range(1, 6)


class TPUConfig(NamedTuple):
    """How TPUs would be used."""

    iterations_per_loop: int = 2
    num_shards: int | None = None
    num_cores_per_replica: int | None = None
    per_host_input_for_training: Any = True
    tpu_job_name: str | None = None
    initial_infeed_sleep_secs: int | None = None
    input_partition_dims: Any = None
    eval_training_input_configuration: Any = InputPipelineConfig.PER_HOST_V1
    experimental_host_call_every_n_steps: int = 1


@dataclass(frozen=True)
class RunConfig(PlainConfig):
    """Where an estimator keeps its files, and how TPUs would be used."""

    tpu_config: TPUConfig = field(default_factory=TPUConfig)
    evaluation_master: str = ""
    master: str = ""
    cluster: Any = None


class _Called(SessionRunHook):
    """Runs in each step what would be run on the host beside a TPU."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors

    def before_run(self, run_context: Any) -> Any:
        return SessionRunArgs(self._tensors)


def _called(call: tuple[Callable[..., Any], Any]) -> Any:
    function, tensors = call
    if isinstance(tensors, Mapping):
        return function(**tensors)
    return function(*tensors)


class TPUEstimatorSpec(NamedTuple):
    """What a function that builds a model for TPUs gives back."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: tuple[Callable[..., Any], Any] | None = None
    export_outputs: Any = None
    scaffold_fn: Callable[[], Any] | None = None
    host_call: tuple[Callable[..., Any], Any] | None = None
    training_hooks: Sequence[Any] | None = None
    evaluation_hooks: Sequence[Any] | None = None
    prediction_hooks: Sequence[Any] | None = None

    def as_estimator_spec(self) -> EstimatorSpec:
        """Return the same for other devices."""
        beside = [] if self.host_call is None else [_Called(_called(self.host_call))]
        return EstimatorSpec(
            self.mode,
            self.predictions,
            self.loss,
            self.train_op,
            None if self.eval_metrics is None else _called(self.eval_metrics),
            self.export_outputs,
            training_hooks=[*(self.training_hooks or ()), *beside],
            scaffold=None if self.scaffold_fn is None else self.scaffold_fn(),
            evaluation_hooks=[*(self.evaluation_hooks or ()), *beside],
            prediction_hooks=[*(self.prediction_hooks or ()), *beside],
        )


class TPUEstimator(Estimator):
    """An estimator that tells its functions how many rows a batch should have."""

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        **kwargs: Any,
    ) -> None:
        if use_tpu:
            raise UnimplementedError(
                "TPUEstimator: there are no TPUs here; with use_tpu=False it runs on other devices"
            )
        if "batch_size" in (params or {}):
            raise InvalidArgumentError(
                "batch_size are reserved keys by TPUEstimator, but found in params"
            )
        super().__init__(model_fn, model_dir, config, params, warm_start_from)
        self._batches = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }

    def arguments(self, mode: str) -> dict[str, Any]:
        """Return what model_fn and input_fn are given; params has the batch_size of the mode."""
        size = self._batches[mode]
        found = super().arguments(mode)
        if size is not None:
            found["params"] = {**self.params, "batch_size": size}
        return found


class CrossShardOptimizer:
    """An optimizer whose gradients would be averaged over TPUs; there is one device."""

    def __init__(self, opt: Any, *args: Any, **kwargs: Any) -> None:
        self._opt = opt

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


__dir__ = listing("v1.estimator.tpu", globals())


def __getattr__(name: str) -> object:
    raise attribute_error("v1.estimator.tpu", name, __all__)
