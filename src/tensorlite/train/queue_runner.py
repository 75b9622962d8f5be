"""QueueRunner: threads that fill a queue. What ends them together is in coordinator.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Lock, Thread, get_ident
from typing import Any, Protocol, TypeAlias

from tensorlite.core.errors import (
    CancelledError,
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    OutOfRangeError,
    TensorliteError,
)
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node
from tensorlite.ops.queues.base import QueueBase
from tensorlite.ops.queues.contents import QueueState
from tensorlite.train.coordinator import Coordinator, reason

__all__ = ["QueueRunner"]

Step: TypeAlias = Callable[[], object]
EnqueueOp: TypeAlias = Step | Tensor | Node | Sequence[Tensor | Node]


class _Session(Protocol):
    """What runs nodes of a graph: `tl.Session`."""

    def run(self, fetches: Any) -> Any:
        """Return the values of what is fetched."""


class QueueRunner:
    """Threads that fill `queue`, one for each of `enqueue_ops`, which it calls again and again.

    Those are functions, traced or not, that enqueue something, or what `enqueue` gave in a
    `tl.Graph`, which a session runs. A thread ends when its function raises one of
    `queue_closed_exception_types`: there is nothing more to put. When the last one ends, the queue
    is closed. On any other error it is closed with that: those who then find it empty are told.
    `close` and `cancel` are called in place of these two, where other queues are to be closed.

    Source: `tf.compat.v1.train.QueueRunner`.

    >>> q, numbers = tl.queue.FIFOQueue(2, tl.int32), iter([1, 2, 3])
    >>> def produce():
    ...     for number in numbers:
    ...         return q.enqueue(number)
    ...     raise tl.errors.OutOfRangeError("no more numbers")
    >>> threads = tl.queue.QueueRunner(q, [produce]).create_threads(start=True)
    >>> print(*[int(q.dequeue()) for _ in range(3)])
    1 2 3
    >>> threads[0].join()
    >>> print(q.is_closed())
    True
    """

    def __init__(
        self,
        queue: QueueBase,
        enqueue_ops: Sequence[EnqueueOp],
        queue_closed_exception_types: Sequence[type[BaseException]] = (
            OutOfRangeError,
        ),
        name: str | None = None,
        close: Step | None = None,
        cancel: Step | None = None,
    ) -> None:
        if not isinstance(queue, QueueBase):
            raise DTypeError(f"QueueRunner fills a queue, not {queue!r}")
        if not isinstance(enqueue_ops, (list, tuple)) or not enqueue_ops:
            raise InvalidArgumentError(
                f"QueueRunner: enqueue_ops={enqueue_ops!r}; allowed is a list of one or more"
            )
        for op in enqueue_ops:
            if not (callable(op) or isinstance(op, (Tensor, Node, list, tuple))):
                raise DTypeError(
                    f"QueueRunner: {op!r} cannot be called again and again; allowed are functions, "
                    "as in lambda: queue.enqueue(x), and what enqueue returns in a tl.Graph"
                )
        self.queue = queue
        self.enqueue_ops = list(enqueue_ops)
        self.name = queue.name if name is None else name
        self.exceptions_raised: list[BaseException] = []
        """What ended threads that have no coordinator to tell."""
        self._ends = tuple(queue_closed_exception_types)
        self._closing, self._cancelling = close, cancel
        self._lock = Lock()
        self._running = 0

    def create_threads(
        self,
        sess: _Session | None = None,
        coord: Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[Thread]:
        """Return the threads, which are started by `start`, and end when `coord` says so.

        When it does, the queue is closed and the enqueues that wait are given up. Raises
        FailedPreconditionError while earlier threads run, and InvalidArgumentError for nodes
        without a session to run them.
        """
        if coord is not None and not isinstance(coord, Coordinator):
            raise DTypeError(
                f"create_threads: coord={coord!r}; give a tl.queue.Coordinator, or None"
            )
        steps = [_step(op, sess) for op in self.enqueue_ops]
        with self._lock:
            if self._running:
                raise FailedPreconditionError(
                    f"QueueRunner {self.name!r}: {self._running} of its threads still run; "
                    "stop and join them first"
                )
            self._running = len(steps)
            self.exceptions_raised = []
        threads = [
            Thread(
                target=self._run,
                args=(step, coord),
                name=f"{self.name} filler {i}"
                if len(steps) > 1
                else f"{self.name} filler",
                daemon=daemon,
            )
            for i, step in enumerate(steps)
        ]
        if coord is not None:
            coord.at_stop(self._fail)
            for thread in threads:
                coord.register_thread(thread)
        if start:
            for thread in threads:
                thread.start()
        return threads

    @property
    def is_running(self) -> bool:
        """Whether threads of it have not ended yet."""
        return self._running > 0

    def __repr__(self) -> str:
        return f"<QueueRunner of {self.name!r}: {len(self.enqueue_ops)} threads>"

    @property
    def _state(self) -> QueueState | None:
        """The state of the queue, if it lives in this process."""
        state = self.queue.handle.array
        return state if isinstance(state, QueueState) else None

    def _fail(self, error: BaseException | None) -> None:
        """Close the queue at once; in another process its users are not told of the error."""
        if self._cancelling is not None:
            _closed_by(self._cancelling)
            return
        state = self._state
        if state is None:
            self.queue.close(cancel_pending_enqueues=True)
        else:
            state.fail(error)

    def _close(self) -> None:
        """Close the queue behind those who wait to put, unless it is closed."""
        if self._closing is not None:
            _closed_by(self._closing)
            return
        state = self._state
        if state is not None:
            state.close(_ignore, cancel_pending=False, error=None)
        elif not self.queue.is_closed():
            self.queue.close()

    def _run(self, step: Step, coord: Coordinator | None) -> None:
        """Call `step` until it says that there is no more, or a stop is requested."""
        error: BaseException | None = None
        state = self._state
        if state is not None:
            state.fillers.add(get_ident())
        try:
            while coord is None or not coord.should_stop():
                step()
        except self._ends as end:
            error = reason(end)
        except BaseException as raised:  # noqa: BLE001  the coordinator raises it, or the queue
            given_up = isinstance(raised, CancelledError) and bool(
                self.queue.is_closed()
            )
            error = None if given_up else raised
        self._end(error, coord)

    def _end(self, error: BaseException | None, coord: Coordinator | None) -> None:
        """Close the queue if this was the last thread, or because of an error."""
        with self._lock:
            self._running -= 1
            last = self._running == 0
        if error is not None:
            if coord is None:
                self.exceptions_raised.append(error)
            else:
                # Before anyone finds the queue closed and asks for a stop with no error.
                coord.request_stop(error)
            self._fail(error)
        elif last:
            self._close()


def _closed_by(step: Step) -> None:
    """Let a step close queues, some of which may be closed, as may be what would run it."""
    with suppress(TensorliteError, RuntimeError):
        step()


def _ignore(_: object) -> None:
    """Take note that the queue is closed, or was before."""


def _step(op: EnqueueOp, sess: _Session | None) -> Step:
    """Return a function that enqueues once."""
    if callable(op):
        return op
    if sess is None:
        raise InvalidArgumentError(
            f"QueueRunner: {op!r} is no function; a node of a graph needs a session to run it: "
            "create_threads(sess=...)"
        )
    return partial(sess.run, op)
