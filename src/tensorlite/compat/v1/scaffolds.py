"""Scaffold and session creators: what a monitored session begins with, and who makes it.

What it does once it is there stands in monitored.py.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Any, Self

from tensorlite.compat.shared import logging
from tensorlite.compat.v1 import framework, scopes, summary
from tensorlite.compat.v1.saver import Saver
from tensorlite.core.errors import DeadlineExceededError, FailedPreconditionError
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.interop.tensorflow.stored.states import (
    get_checkpoint_state,
    latest_checkpoint,
)

_PAUSE = 0.1
"""Seconds after which it is looked again whether the chief is done; more each time."""


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
        if made is not None:
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
        self._recovery_wait_secs = recovery_wait_secs

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
        """Return what is not ready yet, in words; "": all is."""
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
        until, pause = monotonic() + max_wait_secs, _PAUSE
        while True:
            session = framework.Session(master, graph=self._graph, config=config)
            late = self._missing(session, self._ready_for_local)
            if not late:
                self._begin_locally(session)
            missing = self._missing(session, self._ready_op)
            if not (late or missing):
                return session
            session.close()
            if monotonic() > until:
                raise DeadlineExceededError(
                    f"Session was not ready after waiting {max_wait_secs:g} secs. "
                    f"{_lacking(late or missing)}"
                )
            logging.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                _lacking(late),
                _lacking(missing),
            )
            sleep(pause)
            pause = min(2 * pause, self._recovery_wait_secs)


def _lacking(names: str) -> str | None:
    return f"Variables not initialized: {names}" if names else None


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
        manager = SessionManager(
            scaffold.local_init_op,
            scaffold.ready_op,
            scaffold.ready_for_local_init_op,
        )
        return manager.wait_for_session(self._master, self._config, self._wait)
