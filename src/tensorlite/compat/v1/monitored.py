"""Monitored sessions: they call hooks around runs, begin anew after failures, and end in order.

What they begin with stands in scaffolds.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from tensorlite.compat.shared import logging
from tensorlite.compat.v1 import averages, hooks
from tensorlite.compat.v1.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from tensorlite.compat.v1.messages import RunMetadata
from tensorlite.compat.v1.scaffolds import (
    ChiefSessionCreator,
    Scaffold,
    WorkerSessionCreator,
)
from tensorlite.core.errors import (
    AbortedError,
    FailedPreconditionError,
    OutOfRangeError,
    UnavailableError,
)
from tensorlite.graph_mode.queues import start_queue_runners
from tensorlite.train.coordinator import Coordinator

USE_DEFAULT = object()


class StepContext:
    """What a step function may ask of its session."""

    def __init__(self, session: Any, run_with_hooks: Callable[..., Any]) -> None:
        self.session, self._run = session, run_with_hooks

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)

    def request_stop(self) -> None:
        raise StopIteration("step_fn has requested the iterations to stop.")


class MonitoredSession:
    """A session that calls hooks, and is made anew when tasks are lost."""

    StepContext = StepContext
    recovers = True

    def __init__(
        self,
        session_creator: Any = None,
        hooks: Iterable[Any] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._creator = session_creator or ChiefSessionCreator()
        self._hooks = list(hooks or ())
        self._grace = stop_grace_period_secs
        for hook in self._hooks:
            hook.begin()
        self._stops = False
        self._session: Any = None
        self._create()

    def _create(self) -> None:
        self._session = self._creator.create_session()
        self._coordinator = Coordinator()
        with self._session.graph.as_default():
            start_queue_runners(self._session, self._coordinator)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coordinator)

    @property
    def graph(self) -> Any:
        return None if self._session is None else self._session.graph

    def raw_session(self) -> Any:
        return self._session

    def _open(self) -> Any:
        if self._session is None:
            raise FailedPreconditionError("Session is already closed.")
        return self._session

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        while True:
            try:
                return self._run(fetches, feed_dict, options, run_metadata)
            except (AbortedError, UnavailableError) as error:
                if not self.recovers:
                    raise
                logging.info(
                    "An error was raised. The session is made anew: %s", error
                )
                self._close_session()
                self._create()

    def _run(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        session = self._open()
        if self.should_stop():
            raise FailedPreconditionError(
                "Run called even after should_stop requested."
            )
        context = SessionRunContext(
            SessionRunArgs(fetches, feed_dict, options), session
        )
        feeds, wanted = dict(feed_dict or {}), {"caller": fetches}
        for number, hook in enumerate(self._hooks):
            asked = hook.before_run(context)
            if asked is None:
                continue
            if asked.fetches is not None:
                wanted[f"hook {number}"] = asked.fetches
            twice = [x for x in asked.feed_dict or {} if any(x is y for y in feeds)]
            if twice:
                raise FailedPreconditionError(
                    f"Same tensor is fed by two hooks: {twice}"
                )
            feeds.update(asked.feed_dict or {})
            options = asked.options or options
        if run_metadata is None and options is not None:
            run_metadata = RunMetadata()
        found = session.run(wanted, feeds, options, run_metadata)
        for number, hook in enumerate(self._hooks):
            values = SessionRunValues(
                found.get(f"hook {number}"), options, run_metadata
            )
            hook.after_run(context, values)
        self._stops = self._stops or context.stop_requested
        return found["caller"]

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        try:
            return step_fn(StepContext(self._open(), self.run))
        except StopIteration:
            self._stops = True
            return None

    def should_stop(self) -> bool:
        return self._session is None or self._stops or self._coordinator.should_stop()

    def close(self) -> None:
        self._end(None)

    def _end(self, kind: type[BaseException] | None) -> None:
        if self._session is None:
            return
        try:
            if kind is None:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            self._close_session()

    def _close_session(self) -> None:
        session, self._session = self._session, None
        self._coordinator.request_stop()
        session.close()
        self._coordinator.join(stop_grace_period_secs=self._grace)
        session.graph.reopen()

    def __enter__(self) -> Self:
        self._default = self._open().graph.as_default()
        self._default.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._default.__exit__(None, None, None)
        clean = kind is not None and issubclass(
            kind, (OutOfRangeError, StopIteration)
        )
        self._end(None if clean else kind)
        return clean


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
) -> MonitoredSession:
    """Return a session for training: it saves checkpoints and summaries by itself."""
    scaffold = scaffold or Scaffold()
    own = list(hooks or ())
    if not is_chief:
        creator: Any = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, own, stop_grace_period_secs)
    every = _times(save_summaries_secs, save_summaries_steps, None, 100)
    saved = _times(save_checkpoint_secs, save_checkpoint_steps, 600, None)
    folder = summary_dir or checkpoint_dir
    own += _chief_hooks(
        scaffold, checkpoint_dir, folder, every, saved, log_step_count_steps
    )
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
    every: tuple[Any, Any],
    saved: tuple[Any, Any],
    counted: int | None,
) -> list[Any]:
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
            )
        )
    return made
