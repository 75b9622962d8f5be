"""Sessions that are ready to train: what they begin with, and who makes them.

What a monitored session does once it is there is in monitored.py, what a supervisor does in
supervisors.py. What they make by themselves, and in which formats, they are told by Parts.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from tensorlite.core.errors import (
    DeadlineExceededError,
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.sessions import Session

_PAUSE = 0.1
"""Seconds after which it is looked again whether the chief is done; more each time."""
_log = logging.getLogger("tensorflow")
"""The logger that programs listen to."""

COLLECTIONS = {
    "init_op": GraphKeys.INIT_OP,
    "ready_op": GraphKeys.READY_OP,
    "ready_for_local_init_op": GraphKeys.READY_FOR_LOCAL_INIT_OP,
    "local_init_op": GraphKeys.LOCAL_INIT_OP,
    "summary_op": GraphKeys.SUMMARY_OP,
    "saver": GraphKeys.SAVERS,
}
"""Where a graph keeps each part that a session begins with."""


class Parts(Protocol):
    """What is made for a session where a program gives nothing, and the files it begins with."""

    def init_op(self) -> Any:
        """Return what initialises all variables but local ones."""

    def local_init_op(self) -> Any:
        """Return what initialises local variables, and tables."""

    def ready_op(self) -> Any:
        """Return the names of variables that have no value yet."""

    def ready_for_local_init_op(self) -> Any:
        """Return the names of those that local ones may need, and have no value yet."""

    def summary_op(self) -> Any:
        """Return all summaries of the graph as one, None if there are none."""

    def saver(self, *, allow_empty: bool = False) -> Any:
        """Return what saves all variables; it may be asked for though there are none."""

    def session(self, master: Any, graph: Any, config: Any) -> Session:
        """Return a new session."""

    def newest_checkpoint(self, folder: str) -> str | None:
        """Return the path of the checkpoint that was saved last, None if there is none."""

    def checkpoints(self, folder: str) -> list[str]:
        """Return the paths of the checkpoints that are kept, the newest one last."""

    def show(self, graph: Any, saver: Any, folder: str | None, writer: Any) -> None:
        """Write a graph to a folder for people to read, and what it collects to a writer, too."""

    def writer(self, folder: str) -> Any:
        """Return what writes summaries to a folder."""

    def shared_writer(self, folder: str) -> Any:
        """Return the one of all who write to that folder."""


class Scaffold:
    """What a session begins with: initialising, saving and summing up."""

    parts: ClassVar[Parts]
    """What it makes where a program gives nothing."""

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
        if not isinstance(base, Scaffold | None):
            raise DTypeError(
                f"copy_from_scaffold is not a Scaffold instance, but {base!r}."
            )
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
        self.saver: Any = saver if saver is not None else getattr(base, "saver", None)

    def finalize(self) -> Self:
        """Add what is missing to the graph, which takes no more nodes then."""
        makers = {
            "init_op": self.parts.init_op,
            "ready_op": self.parts.ready_op,
            "ready_for_local_init_op": self.parts.ready_for_local_init_op,
            "local_init_op": self.parts.local_init_op,
            "summary_op": self.parts.summary_op,
            "saver": partial(self.parts.saver, allow_empty=True),
        }
        for part, make in makers.items():
            if getattr(self, part) is None:
                found = self.get_or_default(part, COLLECTIONS[part], make)
                setattr(self, part, found)
        self.saver.build()
        get_default_graph().finalize()
        _log.info("Graph was finalized.")
        return self

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Any
    ) -> Any:
        """Return the one thing in a collection; if there is none, a new one, which is put there."""
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


class SessionManager:
    """Makes sessions that are ready: restored, or initialised."""

    parts: ClassVar[Parts]

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
        if ready_for_local_init_op is not None and local_init_op is None:
            raise InvalidArgumentError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op "
                f"to SessionManager; ready_for_local_init_op={ready_for_local_init_op!r}"
            )
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._local_feeds = local_init_feed_dict
        self._local_options = local_init_run_options
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
        """Return a session whose variables were restored, or else initialised."""
        session, restored = self._restored(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            config,
            max_wait_secs if wait_for_checkpoint else 0,
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
        late = self._begin_locally(session)
        if late:
            raise FailedPreconditionError(
                f"Init operations did not make model ready for local_init. {_lacking(late)}"
            )
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
        patience: float,
    ) -> tuple[Any, bool]:
        """Return a session, and whether it was restored; a checkpoint may come within seconds."""
        if folder and path:
            raise InvalidArgumentError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        session = self.parts.session(master, self._graph, config)
        if saver is None:
            return session, False
        found = path or self._newest(folder, patience)
        if found is None:
            return session, False
        saver.restore(session, found)
        earlier = self.parts.checkpoints(folder) if folder else []
        if earlier:
            saver.recover_last_checkpoints(earlier)
        return session, True

    def _newest(self, folder: str | None, patience: float) -> str | None:
        """Return the newest checkpoint of a folder, waiting for the first one so many seconds."""
        if not folder:
            return None
        until = monotonic() + patience
        while True:
            found = self.parts.newest_checkpoint(folder)
            if found is not None or monotonic() >= until:
                return found
            _log.info("Waiting for checkpoint to be available.")
            sleep(min(self._recovery_wait_secs, max(until - monotonic(), 0.0)))

    def _begin_locally(self, session: Any) -> str:
        """Begin local variables; return what they wait for, if something is missing."""
        if self._local_init_op is None:
            return ""
        late = self._missing(session, self._ready_for_local)
        if not late:
            _log.info("Running local_init_op.")
            asked = {"options": self._local_options} if self._local_options else {}
            session.run(self._local_init_op, feed_dict=self._local_feeds, **asked)
            _log.info("Done running local_init_op.")
        return late

    def _missing(self, session: Any, ready: Any) -> str:
        """Return what is not ready yet, in words; "": all is."""
        try:
            found = () if ready is None else session.run(ready)
        except FailedPreconditionError as error:
            if "uninitialized" not in str(error):
                raise
            return str(error).partition(":")[0]
        if found is None or getattr(found, "dtype", None) == np.int32:
            return ""  # what was fetched raises where something is not ready
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
        """Return a session, and whether its variables were restored and it is ready."""
        session, restored = self._restored(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            config,
            max_wait_secs if wait_for_checkpoint else 0,
        )
        if self._begin_locally(session) or not restored:
            return session, False
        return session, not self._missing(session, self._ready_op)

    def wait_for_session(
        self, master: Any, config: Any = None, max_wait_secs: float = float("inf")
    ) -> Any:
        """Return a session as soon as another task has initialised its variables."""
        until, pause = monotonic() + max_wait_secs, _PAUSE
        while True:
            session = self.parts.session(master, self._graph, config)
            late = self._begin_locally(session)
            missing = self._missing(session, self._ready_op)
            if not (late or missing):
                return session
            session.close()
            if monotonic() > until:
                raise DeadlineExceededError(
                    f"Session was not ready after waiting {max_wait_secs:g} secs. "
                    f"{_lacking(late or missing)}"
                )
            _log.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                _lacking(late),
                _lacking(missing),
            )
            sleep(pause)
            pause = min(2 * pause, self._recovery_wait_secs)


def _lacking(names: str) -> str | None:
    return f"Variables not initialized: {names}" if names else None


class SessionCreator(ABC):
    """Who makes the sessions of a monitored one: programs derive their own from it.

    >>> from tensorlite.graph_mode.session_managers import ChiefSessionCreator, SessionCreator
    >>> issubclass(ChiefSessionCreator, SessionCreator)
    True
    """

    @abstractmethod
    def create_session(self) -> Any:
        """Return a session in which variables have their values."""


class ChiefSessionCreator(SessionCreator):
    """Makes the session of who initialises."""

    scaffold: ClassVar[type[Scaffold]] = Scaffold
    manager: ClassVar[type[SessionManager]] = SessionManager

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        if scaffold is not None and not hasattr(scaffold, "finalize"):
            raise DTypeError(f"scaffold={scaffold!r}; give a tf.train.Scaffold")
        self._scaffold = scaffold or self.scaffold()
        self._master, self._config = master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Any:
        """Return a session in which variables have their values."""
        scaffold = self._scaffold.finalize()
        manager = self.manager(
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


class WorkerSessionCreator(SessionCreator):
    """Makes the session of one who waits for the chief."""

    scaffold: ClassVar[type[Scaffold]] = Scaffold
    manager: ClassVar[type[SessionManager]] = SessionManager

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: Any = None,
        max_wait_secs: float = 1800,
    ) -> None:
        self._scaffold = scaffold or self.scaffold()
        self._master, self._config, self._wait = master, config, max_wait_secs

    def create_session(self) -> Any:
        """Return a session in which variables have their values."""
        scaffold = self._scaffold.finalize()
        manager = self.manager(
            scaffold.local_init_op,
            scaffold.ready_op,
            scaffold.ready_for_local_init_op,
        )
        return manager.wait_for_session(self._master, self._config, self._wait)
