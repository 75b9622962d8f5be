"""A hook that ends training when a function says so, and what such functions ask of past results.

Hooks that need no function stand in hooks.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from operator import gt, lt
from typing import Any, TypeAlias

from tensorlite.graph_mode.hooks import (
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    global_step_of,
)

Results: TypeAlias = Mapping[int, Mapping[str, float]]
"""What was found at which step, by the names of metrics."""
_log = logging.getLogger("tensorflow")


class EarlyStoppingHook(SessionRunHook):
    """Asks to stop once a function says so, which is asked every so many seconds or steps."""

    def __init__(
        self,
        should_stop: Callable[[], bool],
        every_secs: float | None = None,
        every_steps: int | None = None,
    ) -> None:
        self._should_stop = should_stop
        self._timer = SecondOrStepTimer(every_secs, every_steps)

    def begin(self) -> None:
        """Find the step that the graph counts."""
        self._step = global_step_of("EarlyStoppingHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Ask the function, if it is time to."""
        step = int(run_values.results)
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop():
            _log.info("Requesting early stopping at global step %d", step)
            run_context.request_stop()


def has_passed(
    results: Results, metric: str, threshold: float, higher: bool, min_steps: int
) -> bool:
    """Return whether a metric was beyond a threshold, at `min_steps` or later.

    >>> from tensorlite.graph_mode.stopping_hooks import has_passed
    >>> has_passed({5: {"loss": 0.5}, 9: {"loss": 0.1}}, "loss", 0.2, False, 0)
    True
    """
    better = gt if higher else lt
    return any(
        better(found[metric], threshold)
        for step, found in results.items()
        if step >= min_steps
    )


def has_stalled(
    results: Results, metric: str, patience: int, higher: bool, min_steps: int
) -> bool:
    """Return whether a metric got no better for so many steps, from `min_steps` on.

    >>> from tensorlite.graph_mode.stopping_hooks import has_stalled
    >>> has_stalled({0: {"loss": 0.1}, 5: {"loss": 0.2}}, "loss", 5, False, 0)
    True
    """
    better = gt if higher else lt
    best: tuple[int, float] | None = None
    for step, found in results.items():
        if step < min_steps:
            continue
        value = found[metric]
        if best is None or better(value, best[1]):
            best = step, value
        if step - best[0] >= patience:
            return True
    return False
