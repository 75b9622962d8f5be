"""Hooks of tf.train that write what TensorFlow has formats for: graphs, and what runs took.

What hooks are is in graph_mode/hooks.py, what these do in graph_mode/saving_hooks.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorlite.compat.shared import logging
from tensorlite.compat.v1.graphs.configuration import RunOptions
from tensorlite.compat.v1.messages import RunMetadata
from tensorlite.compat.v1.timelines import Timeline
from tensorlite.compat.v1.training.scaffolds import PARTS
from tensorlite.graph_mode import saving_hooks
from tensorlite.graph_mode.hooks import (
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    global_step_of,
)
from tensorlite.graph_mode.saving_hooks import LoggingTensorHook as LoggingTensorHook
from tensorlite.ops.summaries.event_messages import value_summary as value_summary


class CheckpointSaverHook(saving_hooks.CheckpointSaverHook):
    """Writes checkpoints every so many steps or seconds, and when the session ends."""

    parts = PARTS


class StepCounterHook(saving_hooks.StepCounterHook):
    """Logs and writes how many steps are taken in a second."""

    parts = PARTS


class SummarySaverHook(saving_hooks.SummarySaverHook):
    """Writes summaries every so many steps or seconds."""

    parts = PARTS


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
        self._writer = PARTS.shared_writer(output_dir)
        self._folder, self._shown = Path(output_dir), (show_dataflow, show_memory)

    def begin(self) -> None:
        """Find what reads the global step."""
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
        stale = int(run_values.results["global_step"])
        if self._next is None:
            # Nothing is due before so many steps or seconds have passed.
            self._timer.update_last_triggered_step(stale)
        step = stale + 1
        if self._due:
            step = int(run_context.session.run(self._step))
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata)
            self._writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next = step + 1

    def _save(self, step: int, took: RunMetadata) -> None:
        path = self._folder / f"timeline-{step}.json"
        logging.info("Saving timeline for %d into '%s'.", step, path)
        dataflow, memory = self._shown
        made = Timeline(took.step_stats).generate_chrome_trace_format(
            show_dataflow=dataflow, show_memory=memory
        )
        path.write_text(made, encoding="utf-8")
