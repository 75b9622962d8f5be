"""Supervisor: an older way to a session that is initialised, saved and watched.

The newer one is monitored.py. What it does every so often is in services.py.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any, ClassVar

from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
)
from tensorlite.graph_mode.graph import active_graph, get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.services import (
    CheckpointThread,
    StepCounterThread,
    SummaryThread,
    session_log,
    step_in,
)
from tensorlite.graph_mode.session_managers import COLLECTIONS, Parts, SessionManager
from tensorlite.train.coordinator import Coordinator
from tensorlite.train.looper import LooperThread

DEFAULT = 0
"""Stands for what a supervisor makes by itself."""
_log = logging.getLogger("tensorflow")
"""The logger that programs listen to."""


class Supervisor:
    """Initialises or restores a model, saves and sums it up every so often, and stops threads."""

    USE_DEFAULT = DEFAULT
    parts: ClassVar[Parts]
    """What it makes by itself."""
    manager: ClassVar[type[SessionManager]] = SessionManager

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = DEFAULT,
        ready_for_local_init_op: Any = DEFAULT,
        is_chief: bool = True,
        init_op: Any = DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = DEFAULT,
        logdir: str | None = None,
        summary_op: Any = DEFAULT,
        saver: Any = DEFAULT,
        global_step: Any = DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: Any = None,
        summary_writer: Any = DEFAULT,
        init_fn: Callable[..., Any] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        self._graph = _graph(graph)
        self.is_chief, self._grace, self._init_fn = is_chief, stop_grace_secs, init_fn
        self.init_feed_dict = init_feed_dict
        self.coord = Coordinator()
        part, make, keys = self._part, self.parts, COLLECTIONS
        with self._graph.as_default():
            self.ready_op = part(ready_op, keys["ready_op"], make.ready_op)
            key = keys["ready_for_local_init_op"]
            self.ready_for_local_init_op = part(
                ready_for_local_init_op, key, _nothing
            )
            self.init_op = part(init_op, keys["init_op"], make.init_op)
            key = keys["local_init_op"]
            self.local_init_op = part(local_init_op, key, make.local_init_op)
            self.saver = part(saver, keys["saver"], self._default_saver)
            self.summary_op = part(summary_op, keys["summary_op"], make.summary_op)
            key = GraphKeys.GLOBAL_STEP
            self.global_step = part(global_step, key, self._default_step)
        times = save_summaries_secs, save_model_secs
        self._write_to(logdir, times, checkpoint_basename, summary_writer)
        self.session_manager = session_manager or self._manager(
            recovery_wait_secs, local_init_run_options
        )
        self._verify()
        self._graph.finalize()

    def _part(self, given: Any, key: str, make: Callable[[], Any]) -> Any:
        """Return what was given, or else the first of a collection, or a new one put there."""
        if given is not DEFAULT:
            return given
        found = self._graph.get_collection(key)
        if len(found) > 1:
            _log.info(
                "Found %d %s operations. Returning the first one.", len(found), key
            )
        if found:
            return found[0]
        made = make()
        if made is not None:
            self._graph.add_to_collection(key, made)
        return made

    def _default_saver(self) -> Any:
        held = self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        return self.parts.saver() if held else None

    def _default_step(self) -> Any:
        """Return the tensor of that name, of whatever shape; None for one that does not count."""
        name = "global_step:0"
        held = self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        found = next((x for x in held if x.name == name), None)
        try:
            found = self._graph.get_tensor_by_name(name) if found is None else found
        except NotFoundError:
            return None
        if not found.dtype.is_integer:
            _log.warning("Found 'global_step' is not an int type: %s", found.dtype)
            return None
        return found

    def _write_to(
        self,
        logdir: str | None,
        times: tuple[float, float],
        basename: str,
        summary_writer: Any,
    ) -> None:
        """Note where a chief writes what, and how often; others write nothing."""
        self._logdir = self.save_path = self.summary_writer = None
        self.save_summaries_secs, self.save_model_secs = None, None
        self._is_shown = False
        if not self.is_chief:
            return
        self._logdir = logdir
        self.save_summaries_secs, self.save_model_secs = times
        if logdir:
            self.save_path = os.path.join(logdir, basename)  # noqa: PTH118  URLs, too
        if summary_writer is not DEFAULT:
            self.summary_writer = summary_writer
        elif logdir:
            self.summary_writer = self.parts.writer(logdir)

    def _manager(self, recovery_wait_secs: float, options: Any) -> SessionManager:
        return self.manager(
            self.local_init_op,
            self.ready_op,
            self.ready_for_local_init_op,
            self._graph,
            recovery_wait_secs,
            options,
        )

    def _verify(self) -> None:
        """Raise InvalidArgumentError for variables of one among many that are on no device."""
        if self.is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in {"Variable", "VariableV2"} and not op.device:
                raise InvalidArgumentError(
                    f"When using replicas, all Variables must have their device set: {op}"
                )

    def prepare_or_wait_for_session(
        self,
        master: Any = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """Return a session that is ready: the chief makes it so, others wait for that."""
        self.coord.clear_stop()
        if self.summary_writer is not None:
            self.summary_writer.reopen()
        if not self.is_chief:
            session = self.session_manager.wait_for_session(
                master, config=config, max_wait_secs=max_wait_secs
            )
        else:
            session = self.session_manager.prepare_session(
                master,
                init_op=self.init_op,
                saver=self.saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self.init_feed_dict,
                init_fn=self._init_fn,
            )
            self._show()
            if start_standard_services:
                _log.info("Starting standard services.")
                self.start_standard_services(session)
        if start_standard_services:
            _log.info("Starting queue runners.")
            self.start_queue_runners(session)
        return session

    def _show(self) -> None:
        """Write the graph for people to read, and once to each file of events."""
        writer = None if self._is_shown else self.summary_writer
        self.parts.show(self._graph, self.saver, self._logdir, writer)
        self._is_shown = self.summary_writer is not None

    def start_standard_services(self, sess: Any) -> list[Thread] | None:
        """Start the threads that save, sum up and count; they are returned.

        FailedPreconditionError where others write, None where there is no folder for it.
        """
        if not self.is_chief:
            raise FailedPreconditionError(
                "Only chief supervisor can start standard services. Because only chief "
                "supervisors can write events."
            )
        if not self._logdir:
            _log.warning(
                "Standard services need a 'logdir' passed to the SessionManager"
            )
            return None
        if self.global_step is not None and self.summary_writer is not None:
            started = session_log("START")
            self.summary_writer.add_session_log(
                started, step_in(sess, self.global_step)
            )
        threads: list[Thread] = []
        if self.save_summaries_secs and self.summary_writer is not None:
            if self.summary_op is not None:
                threads.append(SummaryThread(self, sess))
            if self.global_step is not None:
                threads.append(StepCounterThread(self, sess))
        if self.saver is not None and self.save_model_secs:
            threads.append(CheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def summary_computed(
        self, sess: Any, summary: Any, global_step: int | None = None
    ) -> None:
        """Write a summary that was computed."""
        if self.summary_writer is None:
            raise FailedPreconditionError(
                "Writing a summary requires a summary writer."
            )
        if global_step is None and self.global_step is not None:
            global_step = step_in(sess, self.global_step)
        self.summary_writer.add_summary(summary, global_step)

    def start_queue_runners(
        self, sess: Any, queue_runners: Any = None
    ) -> list[Thread]:
        """Start the threads that fill queues, of all runners of the graph if none are given."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        with self._graph.as_default():
            return [
                thread
                for runner in queue_runners
                for thread in runner.create_threads(
                    sess, coord=self.coord, daemon=True, start=True
                )
            ]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Any = None,
        kwargs: Any = None,
    ) -> Thread:
        """Call a function every so many seconds in a thread, which is returned."""
        return LooperThread.loop(
            self.coord, timer_interval_secs, target, args, kwargs
        )

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ask all threads to stop, and wait for them; an error of theirs is raised."""
        self.coord.request_stop()
        try:
            self.coord.join(threads, self._grace, ignore_live_threads)
        finally:
            if close_summary_writer and self.summary_writer is not None:
                self.summary_writer.add_session_log(session_log("STOP"))
                self.summary_writer.close()
                self._is_shown = False

    def request_stop(self, ex: BaseException | None = None) -> None:
        """Ask all threads to stop, for an error if one is given."""
        self.coord.request_stop(ex)

    def should_stop(self) -> bool:
        """Return whether threads were asked to stop."""
        return self.coord.should_stop()

    def stop_on_exception(self) -> Any:
        """Return a context in which an error asks all threads to stop."""
        return self.coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Wait until threads are asked to stop."""
        self.coord.wait_for_stop()

    @contextmanager
    def managed_session(
        self,
        master: Any = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """Make a session, and stop all threads and close it at the end.

        Errors of the block or of a thread are raised then, but for those by which data end.
        """
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as error:  # noqa: BLE001  raised below, where threads have stopped
            self.request_stop(error)
        finally:
            self._closed(session, close_summary_writer)

    def _closed(self, session: Any, close_summary_writer: bool) -> None:
        try:
            self.stop(close_summary_writer=close_summary_writer)
        finally:
            # What matters is why threads stopped; a session of a lost task cannot be closed.
            with suppress(Exception):
                if session is not None:
                    session.close()

    Loop, PrepareSession = loop, prepare_or_wait_for_session
    RequestStop, ShouldStop, Stop = request_stop, should_stop, stop
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    StopOnException, SummaryComputed = stop_on_exception, summary_computed
    WaitForStop = wait_for_stop


def _graph(given: Any) -> Any:
    """Return the graph given, or the default one; FailedPreconditionError where there is none."""
    if given is None and active_graph() is None:
        raise FailedPreconditionError(
            "Supervisors are not compatible with eager execution."
        )
    return get_default_graph() if given is None else given


def _nothing() -> None:
    """Stand for a part that is made only by who wants it."""
