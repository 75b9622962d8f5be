"""MonitoredSession: calls hooks around its runs, begins anew when tasks are lost, ends in order.

The hooks are in hooks.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from inspect import signature
from types import TracebackType
from typing import Any, Protocol, Self

from tensorlite.core.errors import (
    AbortedError,
    FailedPreconditionError,
    InvalidArgumentError,
    OutOfRangeError,
    UnavailableError,
)
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tensorlite.graph_mode.queues import start_queue_runners
from tensorlite.graph_mode.sessions import Session
from tensorlite.train.coordinator import Coordinator

LOST = AbortedError, UnavailableError
"""What says that a task was lost, so that a session can be made anew."""
_log = logging.getLogger("tensorflow")
"""The logger that programs with hooks listen to."""


class SessionCreator(Protocol):
    """Who makes the sessions of a monitored one."""

    def create_session(self) -> Session:
        """Return a session in which variables have their values."""


class StepContext:
    """What a step function may ask of its session."""

    def __init__(self, session: Any, run_with_hooks: Callable[..., Any]) -> None:
        self.session, self._run = session, run_with_hooks

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Run as the monitored session does."""
        return self._run(*args, **kwargs)

    def request_stop(self) -> None:
        """End the step function, and ask for the end of training."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class MonitoredSession:
    """A session that calls hooks, and is made anew when tasks are lost if it `recovers`.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> from tensorlite.graph_mode.hooks import SessionRunHook
    >>> class Says(SessionRunHook):
    ...     def after_run(self, run_context, run_values):
    ...         print("ran")
    >>> class Creator:
    ...     def create_session(self):
    ...         return Session(graph=graph)
    >>> with Graph().as_default() as graph:
    ...     x = tl.ones(2) * 3.0
    >>> with MonitoredSession(Creator(), [Says()]) as session:
    ...     print(session.run(x))
    ran
    [3. 3.]
    """

    StepContext = StepContext
    recovers = True

    def __init__(
        self,
        session_creator: SessionCreator,
        hooks: Iterable[SessionRunHook] = (),
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._creator = session_creator
        self._hooks = list(hooks)
        self._grace = stop_grace_period_secs
        for hook in self._hooks:
            hook.begin()
        self._stops = False
        self._session: Any = None
        self._was_finalized = get_default_graph().finalized
        self._create()

    def _create(self) -> None:
        """Make the session, anew as long as tasks are lost meanwhile."""
        while True:
            try:
                self._begin()
            except LOST as error:
                if not self.recovers:
                    raise
                self._give_up(error)
            else:
                return

    def _begin(self) -> None:
        self._session = self._creator.create_session()
        self._coordinator = Coordinator()
        with self._session.graph.as_default():
            start_queue_runners(self._session, self._coordinator)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coordinator)

    @property
    def graph(self) -> Any:
        """The graph, None once the session is closed."""
        return None if self._session is None else self._session.graph

    def raw_session(self) -> Any:
        """Return the session that calls no hooks."""
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
        """Return the values of `fetches` as sessions do, with the hooks' wishes run along."""
        return self._recovering(
            lambda: self._run(fetches, feed_dict, options, run_metadata)
        )

    def _recovering(self, step: Callable[[], Any]) -> Any:
        """Return what a step gives; it is done again in a new session when tasks were lost."""
        while True:
            try:
                return step()
            except Exception as error:
                lost = error if isinstance(error, LOST) else self._lost_by_threads()
                if lost is None or not self.recovers:
                    raise
                self._give_up(lost)
                self._create()

    def _lost_by_threads(self) -> Exception | None:
        """Return what a thread has said of a lost task, by which what else failed is explained."""
        try:
            self._coordinator.raise_requested_exception()
        except LOST as error:
            return error
        except Exception:  # noqa: BLE001  a thread's own, which `close` raises
            return None
        return None

    def _run(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        session = self._open()
        # A thread that asked to stop lets runs go on, to the end of their data.
        if self._stops:
            raise FailedPreconditionError(
                "Run called even after should_stop requested."
            )
        asked = SessionRunArgs(fetches, feed_dict, options)
        context = SessionRunContext(asked, session)
        whole = self._with_wishes(asked, context)
        found, run_metadata = self._step(session, whole, run_metadata)
        for number, hook in enumerate(self._hooks):
            own = found.get(f"hook {number}")
            values = SessionRunValues(own, whole.options, run_metadata)
            hook.after_run(context, values)
        self._stops = context.stop_requested
        return found["caller"]

    def _with_wishes(
        self, asked: SessionRunArgs, context: SessionRunContext
    ) -> SessionRunArgs:
        """Return what is asked together with what hooks ask besides."""
        feeds, wanted = dict(asked.feed_dict or {}), {"caller": asked.fetches}
        options = asked.options
        for number, hook in enumerate(self._hooks):
            more = hook.before_run(context)
            if more is None:
                continue
            if more.fetches is not None:
                wanted[f"hook {number}"] = more.fetches
            twice = [x for x in more.feed_dict or {} if any(x is y for y in feeds)]
            if twice:
                raise FailedPreconditionError(
                    f"Same tensor is fed by two hooks: {twice}"
                )
            feeds.update(more.feed_dict or {})
            options = self._together(options, more.options)
        return SessionRunArgs(wanted, feeds, options)

    @staticmethod
    def _together(options: Any, more: Any) -> Any:
        """Return how to run, as asked before and by one more hook; subclasses know more."""
        return more or options

    def _step(
        self, session: Any, asked: SessionRunArgs, run_metadata: Any
    ) -> tuple[Any, Any]:
        """Return what one run gives, and what is known of it; subclasses know more."""
        return session.run(asked.fetches, asked.feed_dict), run_metadata

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Return what a function of a StepContext gives, whose StopIteration is passed on."""
        arguments = tuple(signature(step_fn).parameters)
        if arguments not in {("step_context",), ("self", "step_context")}:
            raise InvalidArgumentError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                f"`step_context` arguments if it's an instance method. Got {arguments} instead."
            )
        return self._recovering(
            lambda: step_fn(StepContext(self._open(), self._run_once))
        )

    def _run_once(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Run with hooks; if tasks are lost, the whole step is done again."""
        return self._run(fetches, feed_dict, options, run_metadata)

    def should_stop(self) -> bool:
        """Return whether a hook or a thread has asked to stop, or the session is closed.

        A thread that stops as its task was lost asks for nothing: the session is made anew.
        """
        if self._session is None or self._stops:
            return True
        lost = self._lost_by_threads()
        if lost is None:
            return self._coordinator.should_stop()
        if not self.recovers:
            raise lost
        self._give_up(lost)
        self._create()
        return False

    def close(self) -> None:
        """Let hooks end, then threads, and close the session."""
        self._end(None)

    def _end(self, kind: type[BaseException] | None) -> None:
        if self._session is None:
            raise FailedPreconditionError("Session is already closed.")
        try:
            if kind is None:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            self._close_session()

    def _give_up(self, error: Exception) -> None:
        """Close the session, whose tasks were lost, which its threads may say again."""
        _log.info("An error was raised. The session is made anew: %s", error)
        if self._session is not None:
            with suppress(*LOST):
                self._close_session()

    def _close_session(self) -> None:
        session, self._session = self._session, None
        self._coordinator.request_stop()
        session.close()
        try:
            self._coordinator.join(stop_grace_period_secs=self._grace)
        finally:
            if not self._was_finalized:
                session.graph.reopen()

    def __enter__(self) -> Self:
        """Make the graph the default one."""
        self._default = self._open().graph.as_default()
        self._default.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Close; that data have come to their end is no error."""
        self._default.__exit__(None, None, None)
        clean = kind is not None and issubclass(
            kind, (OutOfRangeError, StopIteration)
        )
        self._end(None if clean else kind)
        return clean
