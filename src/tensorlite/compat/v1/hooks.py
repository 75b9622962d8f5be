"""Hooks: what is done around the runs of a monitored session."""

from __future__ import annotations

import os
import time
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from tensorlite.compat.shared import logging
from tensorlite.compat.v1 import averages, graphdefs, summary
from tensorlite.compat.v1.configuration import RunOptions
from tensorlite.compat.v1.messages import RunMetadata
from tensorlite.core.errors import InvalidArgumentError, MissingOperatorError
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.ops.event_messages import message

_RunArgs = namedtuple("_RunArgs", ("fetches", "feed_dict", "options"))  # noqa: PYI024


class SessionRunArgs(_RunArgs):
    """What a hook adds to a run."""

    def __new__(
        cls, fetches: Any, feed_dict: Any = None, options: Any = None
    ) -> Self:
        """Return fetches and feeds of a hook's own."""
        return super().__new__(cls, fetches, feed_dict, options)


SessionRunValues = namedtuple(  # noqa: PYI024  programs make it so
    "SessionRunValues", ("results", "options", "run_metadata")
)


class SessionRunContext:
    """What a run was asked, and whether it is the last one."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self.original_args, self.session = original_args, session
        self.stop_requested = False

    def request_stop(self) -> None:
        self.stop_requested = True


class SessionRunHook:
    """What is done around runs: subclasses override what they need."""

    def begin(self) -> None:
        """Add to the graph, before there is a session."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Use a new session; nothing is added to the graph any more."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return None

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Use what was fetched."""

    def end(self, session: Any) -> None:
        """Use the session a last time."""


class SecondOrStepTimer:
    """Says when something is due that is done every so many seconds or steps."""

    def __init__(
        self, every_secs: float | None = None, every_steps: int | None = None
    ) -> None:
        if (every_secs is None) == (every_steps is None):
            raise InvalidArgumentError(
                "Exactly one of every_secs and every_steps should be provided."
            )
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        self._step: int | None = None
        self._time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        if self._step is None:
            return True
        if self._step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= (self._time or 0.0) + self._every_secs
        return step >= self._step + (self._every_steps or 1)

    def update_last_triggered_step(
        self, step: int
    ) -> tuple[float | None, int | None]:
        now = time.time()
        if self._step is None or self._time is None:
            elapsed: tuple[float | None, int | None] = None, None
        else:
            elapsed = now - self._time, step - self._step
        self._step, self._time = step, now
        return elapsed

    def last_triggered_step(self) -> int | None:
        return self._step


class NeverTriggerTimer(SecondOrStepTimer):
    """Says that nothing is due."""

    def __init__(self) -> None:
        super().__init__(every_steps=1)

    def should_trigger_for_step(self, step: int) -> bool:
        return False


def global_step_of(what: str) -> Any:
    """Return the step that the graph counts; InvalidArgumentError where it counts none."""
    found = averages.get_global_step()
    if found is None:
        raise InvalidArgumentError(f"Global step should be created to use {what}.")
    return found


def value_summary(tag: str, value: float) -> Any:
    """Return the message of one number."""
    return message("Summary")(value=[{"tag": tag, "simple_value": value}])


class LoggingTensorHook(SessionRunHook):
    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        if not at_end and (every_n_iter is None) == (every_n_secs is None):
            raise InvalidArgumentError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise InvalidArgumentError(f"invalid every_n_iter={every_n_iter}.")
        self._tag_order = list(tensors)
        self._tensors = (
            dict(tensors)
            if isinstance(tensors, dict)
            else {getattr(x, "name", x): x for x in tensors}
        )
        if not isinstance(tensors, dict):
            self._tag_order = list(self._tensors)
        self._formatter, self._at_end = formatter, at_end
        self._timer = (
            NeverTriggerTimer()
            if every_n_iter is None and every_n_secs is None
            else (
                SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
            )
        )

    def begin(self) -> None:
        self._timer.reset()
        self._count = 0
        graph: Any = get_default_graph()
        self._found = {
            tag: graph.as_graph_element(x) for tag, x in self._tensors.items()
        }

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._due = self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._found) if self._due else None

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        if self._due:
            self._log(run_values.results)
        self._count += 1

    def _log(self, values: dict[str, Any]) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._count)
        if self._formatter is not None:
            logging.info(self._formatter(values))
            return
        shown = ", ".join(f"{tag} = {values[tag]}" for tag in self._tag_order)
        if seconds is None:
            logging.info(shown)
        else:
            logging.info("%s (%.3f sec)", shown, seconds)

    def end(self, session: Any) -> None:
        if self._at_end:
            self._log(session.run(self._found))


class StopAtStepHook(SessionRunHook):
    def __init__(
        self, num_steps: int | None = None, last_step: int | None = None
    ) -> None:
        if (num_steps is None) == (last_step is None):
            raise InvalidArgumentError(
                "Exactly one of num_steps or last_step must be specified."
            )
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        self._step = global_step_of("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + (self._num_steps or 0)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        last = self._last_step or 0
        # The step may have been read before it was counted.
        due = run_values.results + 1 >= last
        if due and run_context.session.run(self._step) >= last:
            run_context.request_stop()


class CheckpointSaverListener:
    """Is told of checkpoints: subclasses override what they need."""

    def begin(self) -> None:
        """Add to the graph."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Use the session before a checkpoint."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Use the session a last time."""


class CheckpointSaverHook(SessionRunHook):
    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise InvalidArgumentError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._folder = checkpoint_dir
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)  # noqa: PTH118  URLs, too
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = list(listeners or ())
        self._saves_graph = save_graph_def

    def begin(self) -> None:
        self._step = global_step_of("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def _show(self, graph: Any) -> None:
        """Write the graph, if TensorFlow has all its operators."""
        try:
            graphdefs.write_graph(graph, self._folder, "graph.pbtxt")
        except MissingOperatorError as error:
            logging.warning("The graph is not written: %s", error)

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run(self._step))
        if self._saves_graph:
            self._show(session.graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        last = int(session.run(self._step))
        if last != self._timer.last_triggered_step():
            self._save(session, last)
        for listener in self._listeners:
            listener.end(session, last)

    def _save(self, session: Any, step: int) -> bool:
        """Save, and return whether a listener asks to stop."""
        logging.info("Saving checkpoints for %d into %s.", step, self._path)
        os.makedirs(self._folder, exist_ok=True)  # noqa: PTH103
        for listener in self._listeners:
            listener.before_save(session, step)
        self._chosen().save(session, self._path, global_step=step)
        asked = [listener.after_save(session, step) for listener in self._listeners]
        return any(asked)

    def _chosen(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_default_graph().get_collection(GraphKeys.SAVERS)
        if len(savers) != 1:
            raise InvalidArgumentError(
                f"{len(savers)} items in collection {GraphKeys.SAVERS!r}; create one Saver, or "
                "pass one in the constructor of CheckpointSaverHook"
            )
        self._saver = savers[0]
        return self._saver


class StepCounterHook(SessionRunHook):
    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        self._timer = SecondOrStepTimer(
            every_secs=every_n_secs, every_steps=every_n_steps
        )
        self._folder, self._writer = output_dir, summary_writer

    def begin(self) -> None:
        if self._writer is None and self._folder:
            self._writer = summary.FileWriterCache.get(self._folder)
        self._step = global_step_of("StepCounterHook")
        self._tag = f"{self._step.op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds is not None and steps is not None:
                self._log(steps / seconds, step)

    def _log(self, rate: float, step: int) -> None:
        if self._writer is not None:
            self._writer.add_summary(value_summary(self._tag, rate), step)
        logging.info("%s: %g", self._tag, rate)


class NanLossDuringTrainingError(RuntimeError):
    """A loss was no number."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        if np.isnan(run_values.results):
            if self._fails:
                logging.error("Model diverged with loss = NaN.")
                raise NanLossDuringTrainingError
            logging.warning("Model diverged with loss = NaN.")
            run_context.request_stop()


class SummarySaverHook(SessionRunHook):
    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise InvalidArgumentError(
                "Exactly one of scaffold or summary_op must be provided."
            )
        self._op, self._scaffold = summary_op, scaffold
        self._folder, self._writer = output_dir, summary_writer
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        if self._writer is None and self._folder:
            self._writer = summary.FileWriterCache.get(self._folder)
        self._step = global_step_of("SummarySaverHook")
        self._next = 0

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._due = self._timer.should_trigger_for_step(self._next)
        op = self._op if self._op is not None else self._scaffold.summary_op
        wanted: dict[str, Any] = {"global_step": self._step}
        if self._due and op is not None:
            wanted["summary"] = op
        return SessionRunArgs(wanted)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        if self._writer is None:
            return
        step = int(run_values.results["global_step"]) + 1
        if self._due:
            self._timer.update_last_triggered_step(step)
            if "summary" in run_values.results:
                self._writer.add_summary(run_values.results["summary"], step)
        self._next = step + 1

    def end(self, session: Any = None) -> None:
        if self._writer is not None:
            self._writer.flush()


class GlobalStepWaiterHook(SessionRunHook):
    def __init__(self, wait_until_step: int) -> None:
        self._until = wait_until_step

    def begin(self) -> None:
        self._waits = True
        self._step = global_step_of("GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        while self._waits and self._until > 0:
            if int(run_context.session.run(self._step)) >= self._until:
                self._waits = False
            else:
                time.sleep(0.5)


class FinalOpsHook(SessionRunHook):
    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._ops, self._feeds = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        if self._ops is not None:
            self.final_ops_values = session.run(self._ops, feed_dict=self._feeds)


class FeedFnHook(SessionRunHook):
    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class ProfilerHook(SessionRunHook):
    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._writer: Any = None
        self._folder = output_dir

    def begin(self) -> None:
        self._writer = summary.FileWriterCache.get(self._folder)
        self._step = global_step_of("ProfilerHook")
        self._next: int | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._due = self._next is not None and self._timer.should_trigger_for_step(
            self._next
        )
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._due else None
        return SessionRunArgs({"global_step": self._step}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        step = int(run_values.results["global_step"]) + 1
        if self._due and isinstance(run_values.run_metadata, RunMetadata):
            self._timer.update_last_triggered_step(step)
            self._writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next = step + 1
