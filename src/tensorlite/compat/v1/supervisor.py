"""tf.train.Supervisor; what it does is in graph_mode/supervisors.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tensorlite.compat.v1.training.scaffolds import PARTS, SessionManager
from tensorlite.core.errors import (
    AbortedError,
    DTypeError,
)
from tensorlite.graph_mode import supervisors


class Supervisor(supervisors.Supervisor):
    """Begins sessions, restores them, and writes summaries and checkpoints while they run."""

    parts, manager = PARTS, SessionManager


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Iterable[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    master: str = "",
) -> None:
    """Run train_step_fn(session, *args, **kwargs) until the supervisor stops.

    Where a task is lost (AbortedError), it begins again from the last checkpoint.
    """
    if not hasattr(supervisor, "managed_session"):
        raise DTypeError(f"supervisor={supervisor!r}; give a tf.train.Supervisor")
    lost = True
    while lost:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            lost = False
        except AbortedError:  # a task was lost: begin again from the last checkpoint
            continue
