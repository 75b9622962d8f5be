"""Hooks: what is done around the runs of a monitored session, and what says when it is due.

The session that calls them is in monitored.py.
"""

from __future__ import annotations

import logging
import time
from collections import namedtuple
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.graph_mode.steps import get_or_create_global_step_read

_log = logging.getLogger("tensorflow")
"""The logger that programs with hooks listen to."""

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
        """Ask for the end of training."""
        self.stop_requested = True


class SessionRunHook:
    """What is done around runs: subclasses override what they need."""

    def begin(self) -> None:
        """Add to the graph, before there is a session."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Use a new session; nothing is added to the graph any more."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Return what is to be run and fed besides, None for nothing."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Use what was fetched."""

    def end(self, session: Any) -> None:
        """Use the session a last time."""


class SecondOrStepTimer:
    """Says when something is due that is done every so many seconds or steps.

    >>> from tensorlite.graph_mode.hooks import SecondOrStepTimer
    >>> timer = SecondOrStepTimer(every_steps=10)
    >>> timer.should_trigger_for_step(0), timer.update_last_triggered_step(0)
    (True, (None, None))
    >>> timer.should_trigger_for_step(9), timer.should_trigger_for_step(10)
    (False, True)
    """

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
        """Take it that nothing was done yet."""
        self._step: int | None = None
        self._time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Return whether it is due at a step."""
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
        """Note that it was done; return seconds and steps since the last time."""
        now = time.time()
        if self._step is None or self._time is None:
            elapsed: tuple[float | None, int | None] = None, None
        else:
            elapsed = now - self._time, step - self._step
        self._step, self._time = step, now
        return elapsed

    def last_triggered_step(self) -> int | None:
        """Return the step at which it was done last, None before."""
        return self._step


class NeverTriggerTimer(SecondOrStepTimer):
    """Says that nothing is due."""

    def __init__(self) -> None:
        super().__init__(every_steps=1)

    def should_trigger_for_step(self, step: int) -> bool:
        """Return that it is not due."""
        return False


def global_step_of(what: str) -> Any:
    """Return what reads the step that the graph counts.

    FailedPreconditionError where it counts none.
    """
    found = get_or_create_global_step_read()
    if found is None:
        raise FailedPreconditionError(f"Global step should be created to use {what}.")
    return found


class StopAtStepHook(SessionRunHook):
    """Asks to stop at a step, or so many steps behind the first."""

    def __init__(
        self, num_steps: int | None = None, last_step: int | None = None
    ) -> None:
        if (num_steps is None) == (last_step is None):
            raise InvalidArgumentError(
                "Exactly one of num_steps or last_step must be specified."
            )
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Find the step that the graph counts."""
        self._step = global_step_of("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Count from the step that the session begins with."""
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + (self._num_steps or 0)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Ask to stop once the last step was taken."""
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
        """Return whether training is to stop."""
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Use the session a last time."""


class NanLossDuringTrainingError(RuntimeError):
    """A loss was no number."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Fails, or asks to stop, when a loss is no number."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Fail, or ask to stop, if it is no number."""
        if np.isnan(run_values.results):
            if self._fails:
                _log.error("Model diverged with loss = NaN.")
                raise NanLossDuringTrainingError
            _log.warning("Model diverged with loss = NaN.")
            run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Lets runs wait until others have taken so many steps."""

    def __init__(self, wait_until_step: int) -> None:
        self._until = wait_until_step

    def begin(self) -> None:
        """Find the step that the graph counts."""
        self._waits = True
        self._step = global_step_of("GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        """Wait until it is far enough."""
        while self._waits and self._until > 0:
            if int(run_context.session.run(self._step)) >= self._until:
                self._waits = False
            else:
                time.sleep(0.5)


class FinalOpsHook(SessionRunHook):
    """Runs something at the end, and keeps its values."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._ops, self._feeds = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        """Run the last operators, and keep what they give."""
        if self._ops is not None:
            self.final_ops_values = session.run(self._ops, feed_dict=self._feeds)


class FeedFnHook(SessionRunHook):
    """Feeds what a function returns."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Feed what the function returns."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
