"""Estimator: a function that builds a model, trained, judged and asked in graphs of its own.

The estimators whose models are there (DNNClassifier and its like) are in ready.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from tensorlite.compat.shared.datasets.tf_data import Dataset
from tensorlite.compat.v1 import data, metrics, summary
from tensorlite.compat.v1.estimators import exporting, starting
from tensorlite.compat.v1.estimators.configuration import RunConfig
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.training import averages, hooks, monitored, saver, scaffolds
from tensorlite.core import nest
from tensorlite.core.errors import (
    InvalidArgumentError,
    OutOfRangeError,
    UnimplementedError,
)
from tensorlite.graph_mode.hooks import NanTensorHook, StopAtStepHook
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.interop.tensorflow.stored.checkpoints import CheckpointReader
from tensorlite.interop.tensorflow.stored.states import latest_checkpoint


@dataclass(frozen=True)
class TrainSpec:
    """How `train_and_evaluate` trains."""

    input_fn: Callable[..., Any]
    max_steps: int | None = None
    hooks: Iterable[Any] = ()


@dataclass(frozen=True)
class EvalSpec:
    """How `train_and_evaluate` judges."""

    input_fn: Callable[..., Any]
    steps: int | None = 100
    name: str | None = None
    hooks: Iterable[Any] = ()
    exporters: Any = None
    start_delay_secs: int = 120
    throttle_secs: int = 600

    def exporters_listed(self) -> list[Any]:
        """Return who exports what is judged."""
        given = self.exporters
        if given is None:
            return []
        return list(given) if isinstance(given, (list, tuple)) else [given]


@dataclass
class _Built:
    """A model in a graph of its own."""

    spec: EstimatorSpec
    step: Any


class Estimator:
    """Trains, judges and asks the model that a function builds; its state is in a folder."""

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        self.config = RunConfig() if config is None else config
        self._model_fn = model_fn
        self.model_dir = model_dir or self.config.model_dir or mkdtemp()
        self.params = dict(params or {})
        self._warm = starting.settings_of(warm_start_from)

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Iterable[Any] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Any = None,
    ) -> Estimator:
        """Train until input_fn ends, or for so many steps, and return the estimator.

        steps counts from now, max_steps from the first training; both, or one that is not positive,
        raise InvalidArgumentError. Checkpoints are in model_dir.
        """
        if steps is not None and max_steps is not None:
            raise InvalidArgumentError("Can not provide both steps and max_steps.")
        for count in (steps, max_steps):
            if count is not None and count <= 0:
                raise InvalidArgumentError(f"Must specify steps > 0, given: {count}")
        if max_steps is not None and self._trained() >= max_steps:
            return self
        with framework.Graph().as_default():
            built = self._build(input_fn, ModeKeys.TRAIN)
            if self._warm is not None and self.latest_checkpoint() is None:
                starting.warm_start(*self._warm)
            own = list(hooks or ())
            self._train(built.spec, own, steps, max_steps, saving_listeners or ())
        return self

    def _trained(self) -> int:
        path = self.latest_checkpoint()
        return 0 if path is None else int(self.get_variable_value("global_step"))

    def _train(
        self,
        spec: EstimatorSpec,
        given: list[Any],
        steps: Any,
        last: Any,
        listeners: Iterable[Any],
    ) -> None:
        scaffold = spec.scaffold or scaffolds.Scaffold()
        graph = framework.get_default_graph()
        told = graph.get_collection(GraphKeys.SUMMARIES)
        if all(x.op.name != "loss" for x in told):
            summary.scalar("loss", spec.loss)
        graph.add_to_collection(GraphKeys.LOSSES, spec.loss)
        if scaffold.saver is None and not graph.get_collection(GraphKeys.SAVERS):
            kept = saver.Saver(
                sharded=True,
                max_to_keep=self.config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=self.config.keep_checkpoint_every_n_hours,
                allow_empty=True,
                defer_build=True,
            )
            graph.add_to_collection(GraphKeys.SAVERS, kept)
        saves = hooks.CheckpointSaverHook(
            self.model_dir,
            scaffold=scaffold,
            listeners=list(listeners),
            **self.config.saving(),
        )
        own = [NanTensorHook(spec.loss), *given, *(spec.training_hooks or ())]
        if steps is not None or last is not None:
            own.append(StopAtStepHook(steps, last))
        with monitored.MonitoredTrainingSession(
            checkpoint_dir=self.model_dir,
            scaffold=scaffold,
            hooks=own,
            chief_only_hooks=[*(spec.training_chief_hooks or ()), saves],
            save_checkpoint_secs=None,
            save_checkpoint_steps=None,
            save_summaries_steps=self.config.save_summary_steps,
            config=self.config.session_config,
            log_step_count_steps=self.config.log_step_count_steps,
        ) as session:
            while not session.should_stop():
                session.run([spec.train_op, spec.loss])

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Iterable[Any] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Return the metrics and the loss over input_fn, with global_step, a dict.

        checkpoint_path is the newest one if None. A summary is written to model_dir/eval, or
        eval_name.
        """
        path = self._checkpoint(checkpoint_path)
        with framework.Graph().as_default():
            built = self._build(input_fn, ModeKeys.EVAL)
            judged = dict(built.spec.eval_metric_ops or {})
            judged["loss"] = metrics.mean(built.spec.loss)
            values = {key: value for key, (value, _) in judged.items()}
            values["global_step"] = built.step
            update = framework.group(*[update for _, update in judged.values()])
            own = [*(hooks or ()), *(built.spec.evaluation_hooks or ())]
            found = self._judged(built.spec, own, update, values, path, steps)
        self._write(found, name)
        return found

    def _judged(
        self,
        spec: Any,
        own: list[Any],
        update: Any,
        values: Any,
        path: Any,
        steps: Any,
    ) -> dict[str, Any]:
        with self._session(spec, own, path) as session:
            done = 0
            while steps is None or done < steps:
                try:
                    session.run(update)
                except OutOfRangeError:
                    break
                done += 1
            # Without the hooks: they count batches.
            found: dict[str, Any] = session.run_step_fn(
                lambda step_context: step_context.session.run(values)
            )
        return found

    def _write(self, found: Mapping[str, Any], name: str | None) -> None:
        writer = summary.FileWriterCache.get(self.eval_dir(name))
        for key, value in found.items():
            if key != "global_step" and np.ndim(value) == 0:
                told = hooks.value_summary(key, float(value))
                writer.add_summary(told, int(found["global_step"]))
        writer.flush()

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Iterable[Any] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yield the predictions for each row of input_fn, or for batches.

        predict_keys chooses among them; checkpoint_path is the newest one if None.
        """
        path = self._checkpoint(checkpoint_path)
        with framework.Graph().as_default():
            spec = self._build(input_fn, ModeKeys.PREDICT).spec
            asked = spec.predictions
            if predict_keys is not None:
                asked = {key: asked[key] for key in asked if key in predict_keys}
            own = [*(hooks or ()), *(spec.prediction_hooks or ())]
            session = self._session(spec, own, path)
        try:
            while not session.should_stop():
                try:
                    found = session.run(asked)
                except OutOfRangeError:
                    return
                yield from _rows(found) if yield_single_examples else [found]
        finally:
            session.close()

    def _session(self, spec: EstimatorSpec, own: list[Any], path: str) -> Any:
        creator = scaffolds.ChiefSessionCreator(
            spec.scaffold,
            config=self.config.session_config,
            checkpoint_filename_with_path=path,
        )
        return monitored.MonitoredSession(creator, own)

    def _build(self, input_fn: Callable[..., Any], mode: str) -> _Built:
        if self.config.tf_random_seed is not None:
            framework.set_random_seed(self.config.tf_random_seed)
        step = averages.get_or_create_global_step()
        features, labels = _read(self._called(input_fn, mode=mode))
        return _Built(self.built_with(features, labels, mode), step)

    def built_with(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """Return the model of features and labels, in the graph being built."""
        function = self._model_fn
        known = {"labels": labels} if "labels" in _parameters(function) else {}
        spec = self._called(function, features, mode=mode, **known)
        if hasattr(spec, "as_estimator_spec"):
            spec = spec.as_estimator_spec()
        if not isinstance(spec, EstimatorSpec):
            raise InvalidArgumentError(
                f"model_fn should return an EstimatorSpec, not {type(spec).__name__}"
            )
        return spec

    @property
    def model_fn(self) -> Callable[[Any, Any, str, Any], EstimatorSpec]:
        """A function of features, labels, a mode and a configuration that builds the model."""

        def built(
            features: Any, labels: Any, mode: str, config: Any
        ) -> EstimatorSpec:
            return self.built_with(features, labels, mode)

        return built

    def arguments(self, mode: str) -> dict[str, Any]:
        """Return what functions are told that ask for it."""
        return {"mode": mode, "params": self.params, "config": self.config}

    def _called(
        self, function: Callable[..., Any], *args: Any, mode: str, **given: Any
    ) -> Any:
        """Return what a function gives for those of the arguments that it takes."""
        offered = {**given, **self.arguments(mode)}
        taken = _parameters(function)
        return function(*args, **{k: v for k, v in offered.items() if k in taken})

    def _checkpoint(self, path: str | None) -> str:
        found = path or self.latest_checkpoint()
        if found is None:
            raise InvalidArgumentError(
                f"Could not find trained model in model_dir: {self.model_dir}."
            )
        return found

    def export_saved_model(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Write a SavedModel that answers; return the folder, which the time gives a name."""
        if experimental_mode != ModeKeys.PREDICT:
            raise UnimplementedError(
                f"export_saved_model: experimental_mode={experimental_mode!r} is not served; "
                "models are exported to predict"
            )
        path = self._checkpoint(checkpoint_path)
        given = (serving_input_receiver_fn, assets_extra, as_text, path)
        return exporting.exported(self, export_dir_base, *given)

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Write a SavedModel into a new folder below export_dir_base, and return its path.

        strip_default_attrs has no effect.
        """
        given = (serving_input_receiver_fn, assets_extra, as_text, checkpoint_path)
        return self.export_saved_model(export_dir_base, *given)

    def eval_dir(self, name: str | None = None) -> str:
        """Return the folder of what evaluations have found."""
        return str(Path(self.model_dir) / (f"eval_{name}" if name else "eval"))

    def latest_checkpoint(self) -> str | None:
        """Return the prefix of the newest checkpoint, or None."""
        found: str | None = latest_checkpoint(self.model_dir)
        return found

    def get_variable_names(self) -> list[str]:
        """Return the names of the newest checkpoint's variables, sorted."""
        return sorted(self._reader().get_variable_to_shape_map())

    def get_variable_value(self, name: str) -> Any:
        """Return a variable's value in the newest checkpoint, a NumPy array."""
        return self._reader().get_tensor(name)

    def _reader(self) -> Any:
        return CheckpointReader(self._checkpoint(None))


def _parameters(function: Callable[..., Any]) -> set[str]:
    return set(signature(function).parameters)


def _read(given: Any) -> tuple[Any, Any]:
    """Return features and labels of what an input function gives, which may be a dataset."""
    if isinstance(given, Dataset):
        given = data.make_one_shot_iterator(given).get_next()
    if isinstance(given, (list, tuple)) and len(given) == 2:
        return given[0], given[1]
    return given, None


def _rows(found: Any) -> Iterator[Any]:
    count = len(nest.flatten(found)[0])
    for i in range(count):
        yield (
            {key: value[i] for key, value in found.items()}
            if isinstance(found, dict)
            else found[i]
        )
