"""Monitors of tf.contrib.learn: what is told of each step of training, before there were hooks."""

from __future__ import annotations

import copy
import time
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.shared import logging
from tensorlite.compat.v1 import summary
from tensorlite.compat.v1.contrib.learning.watching import (
    BaseMonitor,
    CaptureVariable as CaptureVariable,
    EveryN,
    LoggingTrainable as LoggingTrainable,
    NanLoss as NanLoss,
    PrintTensor,
    StopAtStep as StopAtStep,
    value_of,
)
from tensorlite.compat.v1.estimators.base import Estimator as CoreEstimator
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.training import averages, hooks
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.hooks import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
    SessionRunArgs,
    SessionRunHook,
)
from tensorlite.interop.tensorflow.stored.states import latest_checkpoint


class SummarySaver(EveryN):
    """Writes summaries every so many steps."""

    def __init__(
        self,
        summary_op: Any,
        save_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
    ) -> None:
        super().__init__(every_n_steps=save_steps)
        self._summary_op, self._scaffold = summary_op, scaffold
        self._writer = summary_writer
        if summary_writer is None and output_dir:
            self._writer = summary.FileWriter(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Write to the folder of the model, unless another was given."""
        super().set_estimator(estimator)
        if self._writer is None:
            self._writer = summary.FileWriter(estimator.model_dir)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Return the summaries."""
        super().every_n_step_begin(step)
        if self._summary_op is None and self._scaffold is not None:
            self._summary_op = self._scaffold.summary_op
        return [] if self._summary_op is None else [self._summary_op]

    def every_n_step_end(self, step: int, outputs: Any) -> bool | None:
        """Write them."""
        super().every_n_step_end(step, outputs)
        if self._summary_op is not None and self._writer is not None:
            self._writer.add_summary(value_of(outputs, self._summary_op), step)
        return False

    def end(self, session: Any = None) -> None:
        """See to it that all is written."""
        super().end(session=session)
        if self._writer is not None:
            self._writer.flush()


class CheckpointSaver(BaseMonitor):
    """Writes checkpoints every so many steps or seconds."""

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
    ) -> None:
        super().__init__()
        if (save_secs is None) == (save_steps is None):
            raise InvalidArgumentError(
                "Either save_steps or save_secs should be provided"
                if save_secs is None
                else "Can not provide both save_steps and save_secs."
            )
        self._path = str(Path(checkpoint_dir) / checkpoint_basename)
        self._saver, self._scaffold = saver, scaffold
        self._secs, self._steps = save_secs, save_steps
        self._saved: tuple[float, int] | None = None
        self._last: int | None = None

    def begin(self, max_steps: int | None = None) -> None:
        """Nothing has been written."""
        super().begin(max_steps)
        self._saved = self._last = None

    def step_begin(self, step: int) -> list[Any]:
        """Note the step."""
        super().step_begin(step)
        self._last = step
        return []

    def post_step(self, step: int, session: Any) -> None:
        """Write, if it is time."""
        super().post_step(step, session)
        if self._saved is None:
            self._save(step, session)
            return
        when, at = self._saved
        by_steps = self._steps is not None and step >= at + self._steps
        by_secs = self._secs is not None and time.time() >= when + self._secs
        if by_steps or by_secs:
            self._save(step, session)

    def end(self, session: Any = None) -> None:
        """Write what the last step left."""
        super().end(session)
        if self._last is not None:
            self._save(self._last, session)

    def _save(self, step: int, session: Any) -> None:
        if self._saved is not None and self._saved[1] == step:
            return
        self._saved = (time.time(), step)
        saver = self._saver or self._scaffold.saver
        saver.save(session, self._path, global_step=step)


class StepCounter(EveryN):
    """Writes how many steps are made in a second."""

    def __init__(
        self,
        every_n_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._last: tuple[float, int] | None = None
        self._writer = summary_writer
        if summary_writer is None and output_dir:
            self._writer = summary.FileWriterCache.get(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Write to the folder of the model, unless another was given."""
        super().set_estimator(estimator)
        if self._writer is None:
            self._writer = summary.FileWriterCache.get(estimator.model_dir)

    def every_n_step_end(self, step: int, outputs: Any) -> bool | None:
        """Write how many there were since the last time."""
        now = time.time()
        if self._last is not None and self._writer is not None:
            rate = (step - self._last[1]) / (now - self._last[0])
            told = hooks.value_summary("global_step/sec", rate)
            self._writer.add_summary(told, step)
        self._last = (now, step)
        return None


class ExportMonitor(EveryN):
    """Raises UnimplementedError: it wrote session bundles."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise UnimplementedError(
            "tf.contrib.learn.monitors.ExportMonitor wrote session bundles, which nothing reads "
            "any more: give an Experiment an ExportStrategy"
        )


class ValidationMonitor(EveryN):
    """Judges the model of the newest checkpoint every so many steps, and may end training."""

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Any = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        super().__init__(every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise InvalidArgumentError("Either x or input_fn should be provided.")
        self.x, self.y, self.input_fn, self.name = x, y, input_fn, name
        self.batch_size, self.eval_steps = batch_size, eval_steps
        self.metrics, self.hooks = metrics, hooks
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self._interval = check_interval_secs
        self._looked: float | None = None
        self._path: str | None = None
        self._best: tuple[int, Any, Any] | None = None
        self._early_stopped = False

    @property
    def early_stopped(self) -> bool:
        """Whether it has ended training."""
        return self._early_stopped

    @property
    def best_step(self) -> int | None:
        """The step with the best value."""
        return None if self._best is None else self._best[0]

    @property
    def best_value(self) -> Any:
        """The best value of the metric."""
        return None if self._best is None else self._best[1]

    @property
    def best_metrics(self) -> Any:
        """All metrics of the best step."""
        return None if self._best is None else self._best[2]

    def _judged(self) -> Any:
        given = {
            "input_fn": self.input_fn,
            "steps": self.eval_steps,
            "hooks": self.hooks,
            "name": self.name,
        }
        more = {
            "x": self.x,
            "y": self.y,
            "batch_size": self.batch_size,
            "metrics": self.metrics,
        }
        if not isinstance(self._estimator, CoreEstimator):
            return self._estimator.evaluate(**given, **more)
        if any(value is not None for value in more.values()):
            raise InvalidArgumentError(
                "tf.estimator.Estimator does not support following arguments: x, y, batch_size, "
                "metrics. Should set as `None` in ValidationMonitor"
            )
        return self._estimator.evaluate(**given)

    def _is_time(self) -> bool:
        """Return whether there is a new checkpoint, and it is not too early to look for it."""
        if self._estimator is None:
            raise InvalidArgumentError("Missing call to set_estimator.")
        now = time.time()
        if None not in (self._interval, self._looked) and (
            now - (self._looked or 0) <= (self._interval or 0)
        ):
            return False
        self._looked = now
        path = latest_checkpoint(self._estimator.model_dir)
        if path is None or path == self._path:
            return False
        self._path = path
        return True

    def every_n_step_end(self, step: int, outputs: Any) -> bool | None:
        """Return whether training ends, once the model is judged."""
        super().every_n_step_end(step, outputs)
        if not self._is_time():
            return False
        found = self._judged()
        told = ", ".join(f"{name} = {value}" for name, value in found.items())
        logging.info("Validation (step %d): %s", step, told)
        return self.early_stopping_rounds is not None and self._stops(step, found)

    def _stops(self, step: int, found: Any) -> bool:
        key = self.early_stopping_metric
        if key not in found:
            raise InvalidArgumentError(
                f"Metric {key} missing from outputs {set(found)}."
            )
        value = found[key]
        sign = 1 if self.early_stopping_metric_minimize else -1
        if self._best is None or sign * value < sign * self._best[1]:
            self._best = (step, value, copy.deepcopy(found))
        if step - self._best[0] < (self.early_stopping_rounds or 0):
            return False
        logging.info(
            "Stopping. Best step: %s with %s = %s.", self._best[0], key, self._best[1]
        )
        self._early_stopped = True
        return True


class GraphDump(BaseMonitor):
    """Keeps the values of all tensors of a graph, by steps."""

    IGNORE_OPS = (
        "Const",
        "Assign",
        "Identity",
        "Placeholder",
        "RandomUniform",
        "Cast",
        "RestoreSlice",
    )

    def __init__(self, ignore_ops: Any = None) -> None:
        super().__init__()
        self._left_out = set(ignore_ops or self.IGNORE_OPS)
        self._data: dict[int, Any] = {}
        self._tensors: list[Any] = []

    @property
    def data(self) -> dict[int, Any]:
        """The values by steps."""
        return self._data

    def begin(self, max_steps: int | None = None) -> None:
        """Note which tensors there are."""
        super().begin(max_steps)
        graph: Any = framework.get_default_graph()
        nodes = graph.get_operations()
        self._tensors = [
            node.outputs[0].name
            for node in nodes
            if node.type not in self._left_out and node.outputs
        ]

    def step_begin(self, step: int) -> list[Any]:
        """Return them."""
        super().step_begin(step)
        return self._tensors

    def step_end(self, step: int, output: Any) -> bool | None:
        """Keep their values."""
        super().step_end(step, output)
        self._data[step] = output
        return None

    def compare(
        self, other_dump: GraphDump, step: int, atol: float = 1e-6
    ) -> tuple[list[Any], dict[Any, Any]]:
        """Return the names of tensors that are alike in another dump, and what differs."""
        own, others = self._data.get(step, {}), other_dump.data.get(step, {})
        alike, unlike = [], {}
        for key, value in own.items():
            if key not in others:
                raise InvalidArgumentError(f"{key} missing at step {step}.")
            other = others[key]
            if np.asarray(value).dtype.kind in "OSU":
                continue
            if np.allclose(value, other, atol=atol):
                alike.append(key)
            else:
                unlike[key] = value - other
        return alike, unlike


def get_default_monitors(
    loss_op: Any = None,
    summary_op: Any = None,
    save_summary_steps: int = 100,
    output_dir: str | None = None,
    summary_writer: Any = None,
) -> list[BaseMonitor]:
    """Return monitors that log a loss and write summaries."""
    made: list[BaseMonitor] = []
    if loss_op is not None:
        made.append(PrintTensor({"loss": loss_op.name}))
    if summary_op is not None:
        given = (summary_op, save_summary_steps, output_dir, summary_writer)
        made.append(SummarySaver(*given))
    return made


class RunHookAdapterForMonitors(SessionRunHook):
    """Tells monitors of the steps of a session."""

    def __init__(self, monitors: Any) -> None:
        self._monitors = list(monitors)
        self._step: int | None = None
        self._counter: Any = None

    def begin(self) -> None:
        """Training begins."""
        self._step, self._counter = None, averages.get_global_step()
        for one in self._monitors:
            one.begin(max_steps=None)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Return what monitors ask for."""
        if self._step is None:
            self._step = int(run_context.session.run(self._counter)) + 1
        asked: list[Any] = []
        for one in self._monitors:
            wanted = one.step_begin(self._step)
            if wanted and not isinstance(wanted, list):
                raise InvalidArgumentError("Monitor.step_begin should return a list.")
            asked.extend(wanted or [])
        found = {one: _element(one) for one in asked}
        return SessionRunArgs({"step": self._counter, "monitors": found})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Give monitors the values, and end training if one says so."""
        found = run_values.results["monitors"]
        for one in self._monitors:
            if one.step_end(self._step, found):
                run_context.request_stop()
        for one in self._monitors:
            one.post_step(self._step, run_context.session)
        self._step = int(run_values.results["step"]) + 1

    def end(self, session: Any) -> None:
        """Training ends."""
        self._step = None
        for one in self._monitors:
            takes = "session" in signature(one.end).parameters
            one.end(**({"session": session} if takes else {}))


def _element(asked: Any) -> Any:
    """Return a tensor, which may be given by its name or by that of its operation."""
    if not isinstance(asked, str):
        return asked
    graph = framework.get_default_graph()
    if ":" in asked:
        return graph.get_tensor_by_name(asked)
    node = graph.get_operation_by_name(asked)
    if len(node.outputs) > 1:
        raise InvalidArgumentError(
            f"Name {asked} is ambiguous, as this `Operation` has multiple outputs (at least 2)."
        )
    return node.outputs[0]


def replace_monitors_with_hooks(monitors_or_hooks: Any, estimator: Any) -> list[Any]:
    """Return hooks, monitors among them as one hook that tells them of an estimator's steps."""
    given = list(monitors_or_hooks or ())
    own = [one for one in given if isinstance(one, SessionRunHook)]
    others = [one for one in given if not isinstance(one, SessionRunHook)]
    if not estimator.config.is_chief:
        others = [one for one in others if one.run_on_all_workers]
    for one in others:
        one.set_estimator(estimator)
    return [*own, RunHookAdapterForMonitors(others)] if others else own
