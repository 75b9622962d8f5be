"""Hooks of tf.train that write what TensorFlow has formats for: graphs, and what runs took.

What hooks are is in graph_mode/hooks.py, what these do in graph_mode/saving_hooks.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import logging
from tensorlite.compat.v1.graphs.configuration import RunOptions
from tensorlite.compat.v1.messages import RunMetadata
from tensorlite.compat.v1.training.scaffolds import PARTS
from tensorlite.core.errors import MissingOperatorError
from tensorlite.graph_mode import saving_hooks
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.hooks import (
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    global_step_of,
)
from tensorlite.graph_mode.saving_hooks import (
    LoggingTensorHook as LoggingTensorHook,
    StepCounterHook as StepCounterHook,
    SummarySaverHook as SummarySaverHook,
)
from tensorlite.ops.summaries.event_messages import value_summary as value_summary
from tensorlite.train.summaries.writers import FileWriterCache


class CheckpointSaverHook(saving_hooks.CheckpointSaverHook):
    """Writes checkpoints every so many steps or seconds, and when the session ends."""

    def show(self, graph: Any, folder: str) -> None:
        """Write the graph, if TensorFlow has all its operators."""
        try:
            PARTS.write_graph(graph, folder)
        except MissingOperatorError as error:
            logging.warning("The graph is not written: %s", error)


class ProfilerHook(SessionRunHook):
    """Writes what a run took, for TensorBoard, every so many steps or seconds.

    show_dataflow and show_memory say what is shown.
    """

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
        """Find the writer and the global step."""
        self._writer = FileWriterCache.get(self._folder, get_default_graph())
        self._step = global_step_of("ProfilerHook")
        self._next: int | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the step, and for a full trace where one is due."""
        self._due = self._next is not None and self._timer.should_trigger_for_step(
            self._next
        )
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._due else None
        return SessionRunArgs({"global_step": self._step}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Write the trace that was asked for."""
        step = int(run_values.results["global_step"]) + 1
        if self._due and isinstance(run_values.run_metadata, RunMetadata):
            self._timer.update_last_triggered_step(step)
            self._writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next = step + 1
