"""Supervisor: an older way to a session that is initialised, saved and watched.

The newer one is monitored.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

from tensorlite.core.errors import FailedPreconditionError
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.session_managers import Parts, SessionManager
from tensorlite.graph_mode.steps import get_global_step
from tensorlite.ops.summaries.event_messages import value_summary
from tensorlite.train.coordinator import Coordinator
from tensorlite.train.looper import LooperThread

DEFAULT = 0
"""Stands for what a supervisor makes by itself."""


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
        self._graph = get_default_graph() if graph is None else graph
        self.is_chief, self._logdir = is_chief, logdir
        self.save_summaries_secs = save_summaries_secs
        self.save_model_secs = save_model_secs
        self._grace, self._init_fn = stop_grace_secs, init_fn
        self.init_feed_dict = init_feed_dict
        self.coord = Coordinator()
        with self._graph.as_default():
            self.ready_op = _one(ready_op, self.parts.ready_op)
            self.init_op = _one(init_op, self.parts.init_op)
            self.local_init_op = _one(local_init_op, self.parts.local_init_op)
            self.saver = _one(saver, self._default_saver)
            self.summary_op = _one(summary_op, self.parts.summary_op)
            self.global_step = _one(global_step, get_global_step)
        self.save_path = None
        if logdir:
            self.save_path = os.path.join(logdir, checkpoint_basename)  # noqa: PTH118  URLs, too
        self.summary_writer = _one(summary_writer, self._default_writer)
        self.session_manager = session_manager or self.manager(
            self.local_init_op,
            self.ready_op,
            _one(ready_for_local_init_op, lambda: None),
            self._graph,
            recovery_wait_secs,
        )
        self._graph.finalize()

    def _default_saver(self) -> Any:
        made = self._graph.get_collection(GraphKeys.SAVERS)
        if made:
            return made[0]
        if not self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
            return None
        saver = self.parts.saver()
        self._graph.add_to_collection(GraphKeys.SAVERS, saver)
        return saver

    def _default_writer(self) -> Any:
        if not (self.is_chief and self._logdir):
            return None
        return self.parts.writer(self._logdir)

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
        if not self.is_chief:
            session = self.session_manager.wait_for_session(
                master, config, max_wait_secs
            )
        else:
            session = self.session_manager.prepare_session(
                master,
                init_op=self.init_op,
                saver=self.saver,
                checkpoint_dir=self._logdir,
                config=config,
                init_feed_dict=self.init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(session)
        self.start_queue_runners(session)
        return session

    def _write_graph(self) -> None:
        if self._logdir:
            Path(self._logdir).mkdir(parents=True, exist_ok=True)
            self.parts.write_graph(self._graph, self._logdir)
            if self.summary_writer is not None:
                self.summary_writer.add_graph(self._graph)

    def start_standard_services(self, sess: Any) -> list[Thread]:
        """Start the threads that save, sum up and count; they are returned."""
        if not self.is_chief:
            raise FailedPreconditionError(
                "Only chief supervisor can start standard services."
            )
        if not self._logdir:
            return []
        threads = []
        sums_up = self.summary_writer is not None and self.save_summaries_secs
        if self.summary_op is not None and sums_up:
            threads.append(
                self.loop(self.save_summaries_secs, self._summarize, (sess,))
            )
        if self.global_step is not None and sums_up:
            threads.append(
                self.loop(self.save_summaries_secs, self._count, (sess, {}))
            )
        if self.saver is not None and self.save_model_secs:
            threads.append(self.loop(self.save_model_secs, self._save, (sess,)))
        return threads

    def _step(self, sess: Any) -> int | None:
        return None if self.global_step is None else int(sess.run(self.global_step))

    def _summarize(self, sess: Any) -> None:
        self.summary_computed(sess, sess.run(self.summary_op))

    def _count(self, sess: Any, seen: dict[str, float]) -> None:
        """Write how many steps were taken in a second."""
        step = self._step(sess) or 0
        if seen:
            rate = (step - seen["step"]) / max(self.save_summaries_secs, 1e-9)
            self.summary_writer.add_summary(
                value_summary("global_step/sec", rate), step
            )
        seen["step"] = step

    def _save(self, sess: Any) -> None:
        self.saver.save(sess, self.save_path, global_step=self.global_step)

    def summary_computed(
        self, sess: Any, summary: Any, global_step: int | None = None
    ) -> None:
        """Write a summary that was computed."""
        if self.summary_writer is None:
            raise FailedPreconditionError(
                "Writing a summary requires a summary writer."
            )
        step = self._step(sess) if global_step is None else global_step
        self.summary_writer.add_summary(summary, step)

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

    Loop = loop

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ask all threads to stop, and wait for them."""
        self.coord.request_stop()
        try:
            self.coord.join(threads or (), stop_grace_period_secs=self._grace)
        finally:
            if close_summary_writer and self.summary_writer is not None:
                self.summary_writer.close()

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
        """Make a session the default one, and close it and stop all threads at the end."""
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            with session.as_default():
                yield session
        except Exception as error:  # noqa: BLE001  raised below, where threads have stopped
            self.request_stop(error)
        finally:
            self._closed(session, close_summary_writer)

    def _closed(self, session: Any, close_summary_writer: bool) -> None:
        try:
            if session is not None:
                session.close()
        finally:
            self.stop(close_summary_writer=close_summary_writer)


def _one(given: Any, make: Callable[[], Any]) -> Any:
    return make() if given is DEFAULT else given
