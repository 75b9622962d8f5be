"""Hooks that log, save and sum up while a session trains; what hooks are is in hooks.py."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tensorlite.core import nest
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.hooks import (
    CheckpointSaverListener,
    NeverTriggerTimer,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    global_step_of,
)
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.services import session_log
from tensorlite.graph_mode.session_managers import Parts
from tensorlite.graph_mode.steps import get_global_step
from tensorlite.ops.summaries.event_messages import value_summary

_log = logging.getLogger("tensorflow")
"""The logger that programs with hooks listen to."""
_MOST_WARNINGS = 5
"""How often a hook says that steps are not counted."""


class LoggingTensorHook(SessionRunHook):
    """Logs tensors every so many runs or seconds, or at the end."""

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
        """Find the tensors, by their names if these were given."""
        self._timer.reset()
        self._count = 0
        graph: Any = get_default_graph()
        self._found = {
            tag: graph.as_graph_element(x) for tag, x in self._tensors.items()
        }

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Ask for the tensors when they are due."""
        self._due = self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._found) if self._due else None

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Log them."""
        if self._due:
            self._log(run_values.results)
        self._count += 1

    def _log(self, values: dict[str, Any]) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._count)
        if self._formatter is not None:
            _log.info(self._formatter(values))
            return
        shown = ", ".join(f"{tag} = {values[tag]}" for tag in self._tag_order)
        if seconds is None:
            _log.info(shown)
        else:
            _log.info("%s (%.3f sec)", shown, seconds)

    def end(self, session: Any) -> None:
        """Log them a last time, if that was asked for."""
        if self._at_end:
            self._log(session.run(self._found))


class CheckpointSaverHook(SessionRunHook):
    """Saves every so many steps or seconds, at the beginning and at the end."""

    parts: ClassVar[Parts]
    """What it writes graphs and events with."""

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
        """Find the step that the graph counts, and the writer for the folder."""
        self._writer = self.parts.shared_writer(self._folder)
        self._step = global_step_of("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Save what training begins with."""
        step = int(session.run(self._step))
        if self._saves_graph:
            # Its nodes are complete now: other hooks add theirs when they begin.
            self.parts.show(
                get_default_graph(), self._chosen(), self._folder, self._writer
            )
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Save if it is due; a listener may ask to stop."""
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Save a last time, unless this step is saved."""
        last = int(session.run(self._step))
        if last != self._timer.last_triggered_step():
            self._save(session, last)
        for listener in self._listeners:
            listener.end(session, last)

    def _save(self, session: Any, step: int) -> bool:
        """Save, and return whether a listener asks to stop."""
        _log.info("Saving checkpoints for %d into %s.", step, self._path)
        os.makedirs(self._folder, exist_ok=True)  # noqa: PTH103
        for listener in self._listeners:
            listener.before_save(session, step)
        without = {} if self._saves_graph else {"write_meta_graph": False}
        self._chosen().save(session, self._path, global_step=step, **without)
        self._writer.add_session_log(session_log("CHECKPOINT", self._path), step)
        asked = [x for x in self._listeners if x.after_save(session, step)]
        for listener in asked:
            _log.info(
                "A CheckpointSaverListener requested that training be stopped. listener: %s",
                listener,
            )
        return bool(asked)

    def _chosen(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_default_graph().get_collection(GraphKeys.SAVERS)
        if not savers:
            raise FailedPreconditionError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection "
                "or provide a saver or scaffold."
            )
        if len(savers) > 1:
            raise FailedPreconditionError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one "
                "to use by passing it to the constructor."
            )
        self._saver = savers[0]
        return self._saver


class StepCounterHook(SessionRunHook):
    """Logs and sums up how many steps are taken in a second."""

    parts: ClassVar[Parts]
    """What it writes events with."""

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
        self._warnings = 0

    def begin(self) -> None:
        """Find the step that the graph counts, and a writer for the folder."""
        if self._writer is None and self._folder:
            self._writer = self.parts.shared_writer(self._folder)
        self._step = global_step_of("StepCounterHook")
        self._tag = f"{get_global_step().op.name}/sec"
        self._stale: int | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Log how fast steps are taken, if it is due."""
        stale = int(run_values.results)
        if self._timer.should_trigger_for_step(stale + 1):
            step = int(run_context.session.run(self._step))
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None and steps is not None:
                    self._log_and_record(steps, seconds, step)
        if stale == self._stale and self._warnings < _MOST_WARNINGS:
            self._warnings += 1
            _log.warning(
                "It seems that global step (tf.train.get_global_step) has not been increased. "
                "Current value (could be stable): %s vs previous value: %s. You could increase "
                "the global step by passing tf.train.get_global_step() to "
                "Optimizer.apply_gradients or Optimizer.minimize.",
                stale,
                self._stale,
            )
        self._stale = stale

    def _log_and_record(self, steps: int, seconds: float, step: int) -> None:
        rate = steps / seconds
        if self._writer is not None:
            self._writer.add_summary(value_summary(self._tag, rate), step)
        _log.info("%s: %g", self._tag, rate)


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds."""

    parts: ClassVar[Parts]
    """What it writes events with."""

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
        """Find the step that the graph counts, and a writer for the folder."""
        if self._writer is None and self._folder:
            self._writer = self.parts.shared_writer(self._folder)
        self._step = global_step_of("SummarySaverHook")
        self._next: int | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the step, and for summaries when they are due."""
        self._due = self._next is None or self._timer.should_trigger_for_step(
            self._next
        )
        op = self._op if self._op is not None else self._scaffold.summary_op
        wanted: dict[str, Any] = {"global_step": self._step}
        if self._due and op is not None:
            wanted["summary"] = op
        return SessionRunArgs(wanted)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Write the summaries that were asked for."""
        if self._writer is None:
            return
        step = int(run_values.results["global_step"]) + 1
        if self._due:
            # The step may have been read before it was counted.
            step = int(run_context.session.run(self._step))
        if self._next is None:
            self._writer.add_session_log(session_log("START"), step)
        if self._due:
            self._timer.update_last_triggered_step(step)
            if "summary" in run_values.results:
                for summary in nest.flatten(run_values.results["summary"]):
                    self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any = None) -> None:
        """See to it that all is in the file."""
        if self._writer is not None:
            self._writer.flush()
