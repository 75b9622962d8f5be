"""tf.estimator.experimental: hooks that end training by what evaluations have found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.estimators.base import Estimator
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.stopping_hooks import (
    EarlyStoppingHook,
    has_passed,
    has_stalled,
)
from tensorlite.train.summaries.event_file import read_events

__all__ = [
    "make_early_stopping_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]


def make_early_stopping_hook(
    estimator: Any,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> EarlyStoppingHook:
    """Return a hook that ends training when should_stop_fn() is true.

    It is asked every so many seconds or steps; both raise InvalidArgumentError, what is no
    Estimator raises DTypeError.
    """
    if not isinstance(estimator, Estimator):
        raise DTypeError(
            f"`estimator` must have type `Estimator`. Got: {type(estimator)}"
        )
    if run_every_secs is not None and run_every_steps is not None:
        raise InvalidArgumentError(
            "Only one of `run_every_secs` and `run_every_steps` must be set."
        )
    return EarlyStoppingHook(should_stop_fn, run_every_secs, run_every_steps)


def stop_if_higher_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> EarlyStoppingHook:
    """Return a hook that ends training once an evaluation's metric is above a threshold."""

    def should_stop() -> bool:
        found = _found(estimator, eval_dir)
        return has_passed(found, metric_name, threshold, True, min_steps)

    return make_early_stopping_hook(
        estimator, should_stop, run_every_secs, run_every_steps
    )


def stop_if_lower_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> EarlyStoppingHook:
    """Return a hook that ends training once an evaluation's metric is below a threshold."""

    def should_stop() -> bool:
        found = _found(estimator, eval_dir)
        return has_passed(found, metric_name, threshold, False, min_steps)

    return make_early_stopping_hook(
        estimator, should_stop, run_every_secs, run_every_steps
    )


def stop_if_no_increase_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> EarlyStoppingHook:
    """Return a hook that ends training when a metric has not grown for so many steps."""

    def should_stop() -> bool:
        found = _found(estimator, eval_dir)
        return has_stalled(
            found, metric_name, max_steps_without_increase, True, min_steps
        )

    return make_early_stopping_hook(
        estimator, should_stop, run_every_secs, run_every_steps
    )


def stop_if_no_decrease_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> EarlyStoppingHook:
    """Return a hook that ends training when a metric has not fallen for so many steps."""

    def should_stop() -> bool:
        found = _found(estimator, eval_dir)
        return has_stalled(
            found, metric_name, max_steps_without_decrease, False, min_steps
        )

    return make_early_stopping_hook(
        estimator, should_stop, run_every_secs, run_every_steps
    )


def _found(estimator: Estimator, eval_dir: str | None) -> dict[int, dict[str, float]]:
    """Return what evaluations have found, by steps in their order."""
    folder = Path(eval_dir or estimator.eval_dir())
    found: dict[int, dict[str, float]] = {}
    for path in sorted(folder.glob("*events.out.tfevents*")):
        for event in read_events(path):
            values = {
                value.tag: value.simple_value
                for value in event.summary.value
                if value.HasField("simple_value")
            }
            if values:
                found.setdefault(int(event.step), {}).update(values)
    return dict(sorted(found.items()))


__dir__ = listing("v1.estimator.experimental", globals())


def __getattr__(name: str) -> Any:
    """Say of a name that is not there what is near it."""
    raise attribute_error(
        "tensorlite.compat.v1.estimator.experimental", name, __all__
    )
