"""Monitored sessions: they initialise or restore, call hooks around runs, and end in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from tensorlite.compat.shared import logging
from tensorlite.compat.v1 import averages, framework, hooks, scopes, summary
from tensorlite.compat.v1.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from tensorlite.compat.v1.messages import RunMetadata
from tensorlite.compat.v1.saver import Saver
from tensorlite.core.errors import (
    AbortedError,
    FailedPreconditionError,
    OutOfRangeError,
    UnavailableError,
)
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.queues import start_queue_runners
from tensorlite.interop.tensorflow.stored.states import (
    get_checkpoint_state,
    latest_checkpoint,
)
from tensorlite.train.coordinator import Coordinator

USE_DEFAULT = object()


class Scaffold:
    """What a session begins with: initialising, saving and summing up."""

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[..., Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        base = copy_from_scaffold
        self.init_fn: Any = None
        if init_fn is not None:
            self.init_fn = lambda session: init_fn(self, session)
        self.init_op = (
            init_op if init_op is not None else getattr(base, "init_op", None)
        )
        self.init_feed_dict = init_feed_dict
        self.local_init_feed_dict = local_init_feed_dict
        self.ready_op = (
            ready_op if ready_op is not None else getattr(base, "ready_op", None)
        )
        self.ready_for_local_init_op = ready_for_local_init_op
        self.local_init_op = local_init_op
        self.summary_op = summary_op
        self.saver = saver if saver is not None else getattr(base, "saver", None)

    def finalize(self) -> Self:
        """Add what is missing to the graph, which takes no more nodes then."""
        one = self.get_or_default
        if self.init_op is None:
            self.init_op = one(
                "init_op", GraphKeys.INIT_OP, scopes.global_variables_initializer
            )
        if self.ready_op is None:
            self.ready_op = one(
                "ready_op", GraphKeys.READY_OP, scopes.report_uninitialized_variables
            )
        if self.ready_for_local_init_op is None:
            self.ready_for_local_init_op = one(
                "ready_for_local_init_op",
                GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: scopes.report_uninitialized_variables(
                    scopes.global_variables()
                ),
            )
        if self.local_init_op is None:
            self.local_init_op = one(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, self.default_local_init_op
            )
        if self.summary_op is None:
            self.summary_op = one(
                "summary_op", GraphKeys.SUMMARY_OP, summary.merge_all
            )
        if self.saver is None:
            self.saver = one(
                "saver", GraphKeys.SAVERS, lambda: Saver(allow_empty=True)
            )
        self.saver.build()
        get_default_graph().finalize()
        logging.info("Graph was finalized.")
        return self

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Any
    ) -> Any:
        elements = get_default_graph().get_collection(collection_key)
        if len(elements) > 1:
            raise FailedPreconditionError(
                f"More than one item in the collection {collection_key!r}. Please indicate which "
                f"one to use by passing it to the tf.Scaffold constructor as: "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        if elements:
            return elements[0]
        made = default_constructor()
        if made is not None and collection_key != GraphKeys.SAVERS:
            get_default_graph().add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        begun = scopes.local_variables_initializer()
        return framework.group(begun, scopes.tables_initializer())


class SessionManager:
    """Makes sessions that are ready: restored, or initialised."""

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._local_feeds = local_init_feed_dict

    def prepare_session(
        self,
        master: Any,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[..., Any] | None = None,
    ) -> Any:
        session, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, config
        )
        if not restored:
            if init_op is None and init_fn is None and self._local_init_op is None:
                raise FailedPreconditionError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn is not None:
                init_fn(session)
        self._begin_locally(session)
        missing = self._missing(session, self._ready_op)
        if missing:
            raise FailedPreconditionError(
                f"Init operations did not make model ready. Variables not initialized: {missing}"
            )
        return session

    def _restored(
        self,
        master: Any,
        saver: Any,
        folder: str | None,
        path: str | None,
        config: Any,
    ) -> tuple[Any, bool]:
        session = framework.Session(master, graph=self._graph, config=config)
        if saver is None:
            return session, False
        found = path or (latest_checkpoint(folder) if folder else None)
        if found is None:
            return session, False
        saver.restore(session, found)
        state = get_checkpoint_state(folder) if folder else None
        if state is not None:
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def _begin_locally(self, session: Any) -> None:
        if self._local_init_op is not None:
            session.run(self._local_init_op, feed_dict=self._local_feeds)

    def _missing(self, session: Any, ready: Any) -> str:
        found = [] if ready is None else session.run(ready)
        return ", ".join(
            x.decode() if isinstance(x, bytes) else str(x) for x in found
        )

    def recover_session(
        self,
        master: Any,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Any, bool]:
        session, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, config
        )
        if restored:
            self._begin_locally(session)
        return session, restored and not self._missing(session, self._ready_op)

    def wait_for_session(
        self, master: Any, config: Any = None, max_wait_secs: float = float("inf")
    ) -> Any:
        session = framework.Session(master, graph=self._graph, config=config)
        self._begin_locally(session)
        return session


class ChiefSessionCreator:
    """Makes the session of who initialises."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Any:
        scaffold = self._scaffold.finalize()
        manager = SessionManager(
            local_init_op=scaffold.local_init_op,
            ready_op=scaffold.ready_op,
            ready_for_local_init_op=scaffold.ready_for_local_init_op,
            local_init_feed_dict=scaffold.local_init_feed_dict,
        )
        return manager.prepare_session(
            self._master,
            init_op=scaffold.init_op,
            saver=scaffold.saver,
            checkpoint_dir=self._folder,
            checkpoint_filename_with_path=self._path,
            config=self._config,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


class WorkerSessionCreator:
    """Makes the session of one who waits for the chief."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: Any = None,
        max_wait_secs: float = 1800,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config, self._wait = master, config, max_wait_secs

    def create_session(self) -> Any:
        scaffold = self._scaffold.finalize()
        manager = SessionManager(scaffold.local_init_op, scaffold.ready_op)
        return manager.wait_for_session(self._master, self._config, self._wait)


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
