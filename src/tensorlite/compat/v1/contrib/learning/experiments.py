"""Experiment of tf.contrib.learn: a model with its data, trained and judged, and who runs it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

from tensorlite.compat.v1.contrib.hparams import HParams
from tensorlite.compat.v1.contrib.learning import monitors
from tensorlite.compat.v1.contrib.learning.base import Evaluable, Trainable
from tensorlite.compat.v1.contrib.learning.keys import TaskType
from tensorlite.compat.v1.contrib.learning.run_configs import RunConfig
from tensorlite.compat.v1.contrib.learning.serving import ExportStrategy
from tensorlite.compat.v1.estimators.base import Estimator as CoreEstimator
from tensorlite.compat.v1.training import hooks
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.graph_mode.hooks import CheckpointSaverListener, GlobalStepWaiterHook
from tensorlite.interop.tensorflow.stored.states import latest_checkpoint

_FIRST_WAIT = 8000.0


class _Listener(CheckpointSaverListener):
    """Judges and exports the model of each new checkpoint."""

    def __init__(
        self, judge: Callable[..., Any], export: Callable[..., Any], folder: str
    ) -> None:
        self._judge, self._export, self._folder = judge, export, folder
        self._path: str | None = None
        self.found: Any = None
        self.exported: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        """Judge and export."""
        path = latest_checkpoint(self._folder)
        if path and path != self._path:
            self._path = path
            self.found = self._judge(name="intermediate_export", checkpoint_path=path)
            self.exported = self._export(self.found, path)


class Experiment:
    """An estimator, what it is trained on and what it is judged by."""

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Any,
        eval_input_fn: Any,
        eval_metrics: Any = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Any = None,
        eval_hooks: Any = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Any = None,
        check_interval_secs: float = 5,
    ) -> None:
        self._is_core = isinstance(estimator, CoreEstimator)
        _check_estimator(estimator, self._is_core, eval_metrics, saving_listeners)
        if not isinstance(train_steps_per_iteration, (int, type(None))):
            raise InvalidArgumentError(
                "`train_steps_per_iteration` must be an integer."
            )
        self.estimator, self.eval_metrics = estimator, eval_metrics
        self.train_steps, self.eval_steps = train_steps, eval_steps
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._train_monitors = list(train_monitors or ())
        self._eval_hooks = list(eval_hooks or ())
        self._local_frequency = local_eval_frequency
        self._frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._delay, self._throttle = eval_delay_secs, continuous_eval_throttle_secs
        self._by_steps = delay_workers_by_global_step
        self._strategies = _listed(export_strategies)
        self._each_time = train_steps_per_iteration
        self._exports_between = checkpoint_and_export
        self._listeners, self._interval = saving_listeners, check_interval_secs

    def extend_train_hooks(self, additional_hooks: Any) -> None:
        """Add hooks or monitors of training."""
        self._train_monitors.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> Any:
        """Return the strategies of exporting, of which there are others from now on."""
        before, self._strategies = self._strategies, _listed(new_export_strategies)
        return before

    def train(self, delay_secs: float | None = None) -> Any:
        """Train, and return the estimator; others than the first task wait before."""
        own = list(self._train_monitors)
        if delay_secs is None:
            task = getattr(self.estimator.config, "task_id", 0) or 0
            delay_secs = min(60, task * 5)
            if self._by_steps:
                delay_secs = 0
                own.append(GlobalStepWaiterHook(_steps_before(task)))
        if delay_secs > 0:
            time.sleep(delay_secs)
        return self._train(own, max_steps=self.train_steps)

    def _train(self, own: Any, **counted: Any) -> Any:
        found = monitors.replace_monitors_with_hooks(own, self.estimator)
        given: dict[str, Any] = {"input_fn": self._train_input_fn, **counted}
        if self._is_core:
            more = {"hooks": found, "saving_listeners": self._listeners}
            return self.estimator.train(**given, **more)
        return self.estimator.fit(**given, monitors=found)

    def _judge(
        self,
        name: str | None = None,
        steps: int | None = None,
        input_fn: Any = None,
        checkpoint_path: Any = None,
    ) -> Any:
        given = {
            "input_fn": input_fn or self._eval_input_fn,
            "steps": self.eval_steps if steps is None else steps,
            "name": name,
            "checkpoint_path": checkpoint_path,
            "hooks": self._eval_hooks,
        }
        if not self._is_core:
            given["metrics"] = self.eval_metrics
        return self.estimator.evaluate(**given)

    def evaluate(
        self, delay_secs: float | None = None, name: str | None = None
    ) -> Any:
        """Return the metrics, after a delay."""
        time.sleep(self._delay if delay_secs is None else delay_secs)
        return self._judge(name or "one_pass")

    def local_run(self) -> Any:
        """Train and judge; return the metrics and what was exported."""
        before, self._frequency = self._frequency, self._local_frequency or 0
        try:
            return self.train_and_evaluate()
        finally:
            self._frequency = before

    def train_and_evaluate(self) -> tuple[Any, Any]:
        """Train, judging checkpoints between; return the metrics and what was exported."""
        config, before = self.estimator.config, self._train_monitors
        secs, steps = config.save_checkpoints_secs, config.save_checkpoints_steps
        listener = None
        if self._exports_between and (secs or steps):
            folder = self.estimator.model_dir
            listener = _Listener(self._judge, self._export, folder)
            hook = hooks.CheckpointSaverHook(
                folder, secs, steps, listeners=[listener]
            )
            self._train_monitors = [*before, hook]
        elif self._frequency:
            self._train_monitors = [*before, self._validating()]
        try:
            self.train(delay_secs=0)
        finally:
            self._train_monitors = before
        if listener is not None:
            return listener.found, listener.exported
        found = self._judge()
        return found, self._export(found)

    def _validating(self) -> monitors.ValidationMonitor:
        return monitors.ValidationMonitor(
            input_fn=self._eval_input_fn,
            eval_steps=self.eval_steps,
            metrics=self.eval_metrics,
            every_n_steps=self._frequency,
            check_interval_secs=self._interval,
            hooks=self._eval_hooks,
        )

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Any = None,
        name: str = "continuous",
    ) -> None:
        """Judge checkpoints as they appear, until the last step or a predicate ends it."""
        self._continuous(
            self._eval_input_fn,
            name,
            delay_secs,
            throttle_delay_secs,
            evaluate_checkpoint_only_once,
            continuous_eval_predicate_fn,
            exports=True,
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Any = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """Judge checkpoints by what the model is trained on."""
        self._continuous(
            self._train_input_fn,
            name,
            delay_secs,
            throttle_delay_secs,
            True,
            continuous_eval_predicate_fn,
            exports=False,
        )

    def _continuous(
        self,
        input_fn: Any,
        name: str,
        delay: float | None,
        throttle: float | None,
        once: bool,
        predicate: Any,
        exports: bool,
    ) -> None:
        goes_on = _predicate(predicate)
        time.sleep(self._delay if delay is None else delay)
        wait = self._throttle if throttle is None else throttle
        before, found = None, None
        while goes_on(found, before) and not self._is_over(found):
            began = time.time()
            path = latest_checkpoint(self.estimator.model_dir)
            if path and not (once and path == before):
                found = self._judge(name, None, input_fn, path) or {}
                if exports:
                    self._export(found, path)
                before = path
            else:
                found = {}
            time.sleep(max(wait - (time.time() - began), 0))

    def _is_over(self, found: Any) -> bool:
        step = (found or {}).get("global_step")
        return bool(step and self.train_steps and step >= self.train_steps)

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Any = None
    ) -> tuple[Any, Any]:
        """Train and judge by turns; return the last metrics and what was exported."""
        goes_on = _predicate(continuous_eval_predicate_fn)
        count = self._each_time
        if count is None:
            count = 1000 if self.train_steps is None else self.train_steps // 10
        path = found = exported = None
        while goes_on(found, path) and not self._is_over(found):
            self._train(self._train_monitors, steps=count)
            path = latest_checkpoint(self.estimator.model_dir)
            found = self._judge("one_pass", checkpoint_path=path)
            exported = self._export(found)
        return found, exported

    def _export(self, found: Any, checkpoint_path: Any = None) -> list[Any]:
        folder = Path(self.estimator.model_dir) / "export"
        return [
            strategy.export(
                self.estimator,
                str(folder / strategy.name).encode(),
                checkpoint_path=checkpoint_path,
                eval_result=found,
            )
            for strategy in self._strategies
        ]

    def test(self) -> Any:
        """Return the metrics of one step of each: to see that all runs."""
        self._train(self._train_monitors, steps=1)
        found = self._judge("one_pass", 1)
        self._export(found)
        return found

    def run_std_server(self) -> None:
        """Raise UnimplementedError: servers are started by tf.train.Server."""
        raise UnimplementedError(
            "Experiment.run_std_server is not served: start tf.train.Server, and join it"
        )


def _check_estimator(
    estimator: Any, is_core: bool, eval_metrics: Any, listeners: Any
) -> None:
    if is_core:
        if eval_metrics is not None:
            raise InvalidArgumentError(
                "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use "
                "`eval_metric_ops` in `tf.estimator.EstimatorSpec` instead."
            )
        return
    for kind in (Evaluable, Trainable):
        if not isinstance(estimator, kind):
            raise InvalidArgumentError(
                f"`estimator` must implement `tf.contrib.learn.{kind.__name__}` or "
                "`tf.estimator.Estimator`."
            )
    if listeners is not None:
        raise InvalidArgumentError(
            "`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`."
        )


def _steps_before(task: int) -> int:
    """Return how many steps a task waits for: the more, the later it is."""
    return int(_FIRST_WAIT * math.log(task + 1))


def _listed(given: Any) -> tuple[ExportStrategy, ...]:
    if not given:
        return ()
    listed = (given,) if isinstance(given, ExportStrategy) else tuple(given)
    for one in listed:
        if not isinstance(one, ExportStrategy):
            raise InvalidArgumentError(
                "`export_strategies` must be an ExportStrategy, an iterable of ExportStrategy, or "
                f"`None`, found {one}."
            )
    return listed


def _predicate(given: Any) -> Callable[[Any, Any], Any]:
    if given is None:
        return lambda found, path: True
    if not callable(given):
        raise InvalidArgumentError(
            "`continuous_eval_predicate_fn` must be a callable, or None."
        )
    if "checkpoint_path" in signature(given).parameters:
        return lambda found, path: given(found, checkpoint_path=path)
    return lambda found, path: given(found)


def run(
    experiment_fn: Callable[..., Any],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Return what a method of an experiment gives, `schedule`, which a function makes.

    Without a schedule it is `train_and_evaluate`, or what TF_CONFIG's task does.
    """
    if (output_dir is None) == (run_config is None):
        raise InvalidArgumentError(
            "Must set value for `output_dir` or `run_config`"
            if output_dir is None
            else "Cannot provide both `output_dir` and `run_config`"
        )
    if not callable(experiment_fn):
        raise DTypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if run_config is not None:
        made = _made(experiment_fn, run_config, hparams)
    else:
        if not output_dir:
            raise InvalidArgumentError("Must specify an output directory")
        if hparams is not None:
            raise InvalidArgumentError(
                "Must set `hparams` as None for `experiment_fn` with `output_dir`."
            )
        made = _checked(experiment_fn(output_dir=output_dir))
    chosen = schedule or _schedule(run_config or made.estimator.config)
    if not hasattr(made, chosen):
        raise InvalidArgumentError(f"Schedule references non-existent task {chosen}")
    task = getattr(made, chosen)
    if not callable(task):
        raise DTypeError(f"Schedule references non-callable member {chosen}")
    return task()


def _checked(made: Any) -> Experiment:
    if not isinstance(made, Experiment):
        raise DTypeError(
            "Experiment builder did not return an Experiment instance, got "
            f"{type(made)} instead."
        )
    return made


def _made(
    function: Any, config: Any, hparams: Any, needs: bool = False
) -> Experiment:
    """Return an experiment whose estimator has the configuration."""
    if not isinstance(config, RunConfig):
        raise InvalidArgumentError(
            "`run_config` must be `tf.contrib.learn.RunConfig` instance"
        )
    if not config.model_dir:
        raise InvalidArgumentError(
            "Must specify a model directory `model_dir` in `run_config`."
        )
    if hparams is not None and not isinstance(hparams, HParams):
        raise InvalidArgumentError("`hparams` must be `HParams` instance")
    if needs and hparams is None:
        raise InvalidArgumentError("`hparams` cannot be `None`.")
    wanted = config.uid()
    made = _checked(function(config, hparams))
    own = made.estimator.config
    if not hasattr(own, "uid") or own.uid() != wanted:
        raise RuntimeError(
            "Pass `run_config` argument of the `experiment_fn` to the Estimator in Experiment: "
            "`RunConfig` instance is expected to be used by the `Estimator` inside the "
            "`Experiment`."
        )
    return made


def tune(experiment_fn: Callable[..., Any], tuner: Any) -> None:
    """Run an experiment for each trial of a tuner."""

    def made(run_config: Any, hparams: Any) -> Experiment:
        return _made(experiment_fn, run_config, hparams, needs=True)

    while tuner.next_trial():
        tuner.run_experiment(made)


def _schedule(config: Any) -> str:
    cluster = getattr(config, "cluster_spec", None)
    tasks = cluster.as_dict() if cluster else {}
    if sum(map(len, tasks.values())) <= 1:
        return "train_and_evaluate"
    known = {
        TaskType.MASTER: "train_and_evaluate",
        TaskType.PS: "run_std_server",
        TaskType.WORKER: "train",
    }
    if not config.task_type:
        raise InvalidArgumentError("Must specify a schedule")
    if config.task_type not in known:
        raise InvalidArgumentError(
            f"No default schedule for task type: {config.task_type}"
        )
    return known[config.task_type]
