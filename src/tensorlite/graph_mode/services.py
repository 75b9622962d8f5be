"""What a supervisor does every so often, each in a thread: saving, summing up, counting steps."""

from __future__ import annotations

import logging
import time
from typing import Any, Protocol

import numpy as np

from tensorlite.ops.summaries.event_messages import message, value_summary
from tensorlite.train.coordinator import Coordinator
from tensorlite.train.looper import LooperThread

_log = logging.getLogger("tensorflow")
"""The logger that programs listen to."""


class Supervised(Protocol):
    """What is saved and summed up, how often, and where to."""

    coord: Coordinator
    summary_op: Any
    summary_writer: Any
    global_step: Any
    saver: Any
    save_path: Any
    save_summaries_secs: Any
    save_model_secs: Any


def session_log(status: str, checkpoint_path: str = "") -> Any:
    """Return a message of what became of a session: START, STOP or CHECKPOINT.

    >>> from tensorlite.graph_mode.services import session_log
    >>> session_log("STOP").status == session_log("STOP").STOP
    True
    """
    kind = message("SessionLog")
    return kind(status=getattr(kind, status), checkpoint_path=checkpoint_path)


def step_in(session: Any, step: Any) -> int:
    """Return the number of steps in a session; the tensor may have an axis of one."""
    return int(np.asarray(session.run(step)).item())


class SummaryThread(LooperThread):
    """Writes the summaries."""

    def __init__(self, supervisor: Supervised, session: Any) -> None:
        super().__init__(supervisor.coord, supervisor.save_summaries_secs)
        self._supervisor, self._session = supervisor, session

    def run_loop(self) -> None:
        """Write them as those of the step they were computed at."""
        known = self._supervisor
        wanted = {"summary": known.summary_op}
        if known.global_step is not None:
            wanted["step"] = known.global_step
        found = self._session.run(wanted)
        if known.summary_writer is not None:
            _log.info("Recording summary at step %s.", found.get("step"))
            known.summary_writer.add_summary(found["summary"], found.get("step"))


class StepCounterThread(LooperThread):
    """Writes how many steps are taken in a second."""

    def __init__(
        self, supervisor: Supervised, session: Any, step_counter: Any = None
    ) -> None:
        super().__init__(supervisor.coord, supervisor.save_summaries_secs)
        self._supervisor, self._session = supervisor, session
        self._step = supervisor.global_step if step_counter is None else step_counter
        self._tag = f"{self._step.op.name}/sec"

    def start_loop(self) -> None:
        """Count from now on."""
        self._time, self._last = time.time(), step_in(self._session, self._step)

    def run_loop(self) -> None:
        """Write how many it were since the last time."""
        step, now = step_in(self._session, self._step), time.time()
        seconds, steps = now - self._time, step - self._last
        self._time, self._last = now, step
        rate = steps / seconds if seconds > 0 else float("inf")
        if self._supervisor.summary_writer is not None:
            summary = value_summary(self._tag, rate)
            self._supervisor.summary_writer.add_summary(summary, step)
        _log.info("%s: %g", self._tag, rate)


class CheckpointThread(LooperThread):
    """Saves the model."""

    def __init__(self, supervisor: Supervised, session: Any) -> None:
        super().__init__(supervisor.coord, supervisor.save_model_secs)
        self._supervisor, self._session = supervisor, session

    def run_loop(self) -> None:
        """Save, and write that it was done."""
        known = self._supervisor
        _log.info("Saving checkpoint to path %s", known.save_path)
        known.saver.save(
            self._session, known.save_path, global_step=known.global_step
        )
        if known.summary_writer is not None and known.global_step is not None:
            step = step_in(self._session, known.global_step)
            known.summary_writer.add_session_log(
                session_log("CHECKPOINT", known.save_path), step
            )
