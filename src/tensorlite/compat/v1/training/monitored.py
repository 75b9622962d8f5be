"""Monitored sessions of tf.train, and the hooks that those of training have by themselves.

What they do is in graph_mode/monitored.py, what they begin with in scaffolds.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.v1.graphs.configuration import RunOptions
from tensorlite.compat.v1.messages import RunMetadata
from tensorlite.compat.v1.training import averages, hooks
from tensorlite.compat.v1.training.scaffolds import (
    ChiefSessionCreator,
    Scaffold,
    WorkerSessionCreator,
)
from tensorlite.graph_mode import monitored
from tensorlite.graph_mode.hooks import SessionRunArgs, SessionRunContext
from tensorlite.graph_mode.monitored import StepContext as StepContext
from tensorlite.train.coordinator import Coordinator

USE_DEFAULT = object()


class MonitoredSession(monitored.MonitoredSession):
    """A session with hooks that begins, ends, and begins anew where a task was lost."""

    def __init__(
        self,
        session_creator: Any = None,
        hooks: Iterable[Any] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        creator = session_creator or ChiefSessionCreator()
        super().__init__(creator, hooks or (), stop_grace_period_secs)

    def _step(
        self, session: Any, asked: SessionRunArgs, run_metadata: Any
    ) -> tuple[Any, Any]:
        if run_metadata is None and asked.options is not None:
            run_metadata = RunMetadata()
        return session.run(*asked, run_metadata), run_metadata

    def _with_wishes(
        self, asked: SessionRunArgs, context: SessionRunContext
    ) -> SessionRunArgs:
        whole = super()._with_wishes(asked, context)
        is_told = whole.options is not None or not self._hooks
        return whole if is_told else whole._replace(options=RunOptions())

    @staticmethod
    def _together(options: Any, more: Any) -> Any:
        both = options is not None and more is not None
        return options.together(more) if both else more or options


class _HookedSession(MonitoredSession):
    """A session that is there, with hooks, whose other calls are those of programs' tests."""

    recovers = False

    def __init__(self, sess: Any, hooks: Iterable[Any]) -> None:
        self._session, self._hooks = sess, list(hooks)
        self._stops, self._coordinator = False, Coordinator()

    def close(self) -> None:
        """Close the session."""
        session, self._session = self._session, None
        if session is not None:
            session.close()


class SingularMonitoredSession(MonitoredSession):
    """A session that calls hooks, and fails when tasks are lost."""

    recovers = False

    def __init__(
        self,
        hooks: Iterable[Any] | None = None,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)


def MonitoredTrainingSession(
    master: Any = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Iterable[Any] | None = None,
    chief_only_hooks: Iterable[Any] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Return a session for training: it saves checkpoints and summaries by itself.

    Without save_graph_def the graph is not written beside the checkpoints.
    """
    scaffold = scaffold or Scaffold()
    own = list(hooks or ())
    if not is_chief:
        creator: Any = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, own, stop_grace_period_secs)
    every = _times(save_summaries_secs, save_summaries_steps, None, 100)
    saved = _times(save_checkpoint_secs, save_checkpoint_steps, 600, None)
    folder = summary_dir or checkpoint_dir
    times = every, saved, log_step_count_steps
    own += _chief_hooks(scaffold, checkpoint_dir, folder, times, save_graph_def)
    own += list(chief_only_hooks or ())
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, own, stop_grace_period_secs)


def _times(
    secs: Any, steps: Any, default_secs: Any, default_steps: Any
) -> tuple[Any, Any]:
    if secs is USE_DEFAULT and steps is USE_DEFAULT:
        return default_secs, default_steps
    return (
        None if secs is USE_DEFAULT else secs,
        None if steps is USE_DEFAULT else steps,
    )


def _chief_hooks(
    scaffold: Scaffold,
    checkpoint_dir: str | None,
    folder: str | None,
    times: tuple[tuple[Any, Any], tuple[Any, Any], int | None],
    save_graph_def: bool,
) -> list[Any]:
    every, saved, counted = times
    made: list[Any] = []
    if folder and counted and counted > 0 and averages.get_global_step() is not None:
        made.append(hooks.StepCounterHook(every_n_steps=counted, output_dir=folder))
    if folder and any(x is not None and x > 0 for x in every):
        made.append(
            hooks.SummarySaverHook(
                scaffold=scaffold,
                save_secs=every[0],
                save_steps=every[1],
                output_dir=folder,
            )
        )
    if checkpoint_dir and any(x is not None and x > 0 for x in saved):
        made.append(
            hooks.CheckpointSaverHook(
                checkpoint_dir,
                save_secs=saved[0],
                save_steps=saved[1],
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    return made
