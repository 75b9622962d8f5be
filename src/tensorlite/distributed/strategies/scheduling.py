"""Scheduling: traced functions that are done by whichever worker is free, each once at least.

A function of a worker that is lost is done again by another, and the worker is taken back when it
runs again. What keeps state, the servers, may not be lost. Steps that follow a strategy's own order
are asynchronous.py's and backup.py's.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Sequence
from threading import Condition, Lock, Thread
from typing import Any, NamedTuple
from weakref import finalize

from tensorlite.core.deadlock import attends
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import CancelledError, UnavailableError
from tensorlite.core.tensor import EagerTensor
from tensorlite.distributed.joined import Joined
from tensorlite.distributed.steps import ClusterStep
from tensorlite.function.compile import ConcreteFunction
from tensorlite.function.function import Function

_PAUSE = 0.2
"""Seconds between attempts to find a worker again."""
_TRIES = 3
"""How often a function is done again that fails as a lost task would have it, and none is lost."""
_log = logging.getLogger("tensorflow")


class PerWorker(NamedTuple):
    """Values of which each worker is given its own."""

    values: tuple[Any, ...]


def of_worker(structure: Any, index: int) -> Any:
    """Return a structure with the values of one worker.

    >>> of_worker([1, PerWorker(("a", "b"))], 1)
    [1, 'b']
    """
    if isinstance(structure, PerWorker):
        return structure.values[index]
    if isinstance(structure, (list, tuple)) and type(structure) in (list, tuple):
        return type(structure)([of_worker(x, index) for x in structure])
    if type(structure) is dict:
        return {key: of_worker(x, index) for key, x in structure.items()}
    return structure


class Call:
    """A traced function with its arguments, among which there may be `PerWorker` ones.

    It is traced when this is made, with the first worker's.
    """

    def __init__(
        self,
        function: Function[..., Any] | ConcreteFunction,
        args: Sequence[Any],
        kwargs: dict[str, Any],
    ) -> None:
        self._function = function
        self._given = tuple(args), kwargs
        self.bound(0)

    def bound(self, index: int) -> tuple[ConcreteFunction, Sequence[Any]]:
        """Return the trace, and the tensors among a worker's arguments."""
        args, kwargs = of_worker(self._given, index)
        with interpreted_by(None):
            if isinstance(self._function, Function):
                return self._function.bound(*args, **kwargs)
            return self._function, self._function.binding(args, kwargs)


class Scheduled:
    """A call that a worker does some time, and what comes of it."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.tries = 0
        self._outcome: list[Any] = []
        self._changed = Condition()
        self.is_cancelled = False
        """Whether it was given up, as another one has failed."""
        self._under: Any = None

    @property
    def is_over(self) -> bool:
        """Whether there is a result, or an error."""
        return bool(self._outcome)

    def wait(self) -> Any:
        """Return the outcome, once there is one: the result, or the error that ended it."""
        with self._changed:
            self._changed.wait_for(lambda: self._outcome)
        return self._outcome[0]

    def result(self) -> Any:
        """Return the result, once it is there; the error that ended the call is raised."""
        found = self.wait()
        if isinstance(found, BaseException):
            raise found
        return found

    def end(self, outcome: Any) -> None:
        """Take the outcome."""
        with self._changed:
            self._outcome.append(outcome)
            self._changed.notify_all()

    def cancel(self) -> None:
        """Give the call up, also where a worker is at it."""
        self.is_cancelled = True
        if self._under is not None:
            self._under.cancel()

    def on(self, worker: DeviceName, index: int, preparing: Lock) -> Any:
        """Return what the call returns on a worker, where all runs that asks for no device."""
        with (
            preparing
        ):  # caches of traces and plans are filled by one thread at a time
            concrete, tensors = self.call.bound(index)
            placed = concrete.callee.placed(worker)
            step = placed.step
        arrays = [x.array for x in (*tensors, *concrete.captured)]
        made = (
            self._waited(step, arrays)
            if isinstance(step, ClusterStep)
            else placed.run(arrays)
        )
        pairs = zip(made, placed.devices, strict=True)
        return concrete.result.pack([EagerTensor(y, at) for y, at in pairs])

    def _waited(self, step: ClusterStep, arrays: Sequence[Any]) -> tuple[Any, ...]:
        under = self._under = step.begin(arrays)
        try:
            if self.is_cancelled:
                under.cancel()
            step.master.wait(under.is_over, under.awaited, under.step)
        finally:
            self._under = None
            under.cancel()  # which does nothing to one that is over
        return under.result()


class Schedule:
    """Calls, and a thread for each worker that has it do one after the other.

    `workers` are their devices, and `servers` the tasks whose loss is not made good.
    """

    def __init__(
        self, cluster: Joined, workers: Sequence[DeviceName], servers: Sequence[str]
    ) -> None:
        self._queue = _Queue()
        for index, worker in enumerate(workers):
            run = _Work(self._queue, cluster, worker, index, servers).run
            thread = Thread(target=run, name=f"schedule {worker}", daemon=True)
            attends(thread, self._queue.is_busy)
            thread.start()
        finalize(self, self._queue.stop)

    def put(self, call: Call) -> Scheduled:
        """Return what a call is known by that some worker is to do.

        Where one has failed before, its error is raised instead, once nothing is under way.
        """
        made = Scheduled(call)
        self._queue.put(made)
        return made

    def join(self) -> None:
        """Wait until all calls are done; the error of one that has failed is raised, once."""
        self._queue.join()

    def done(self) -> bool:
        """Return whether all calls are done; the error of one that has failed is raised, once."""
        return self._queue.done()

    def close(self) -> None:
        """Let no worker begin another call."""
        self._queue.stop()


class _Queue:
    """The calls that wait for a worker, those under way, and the first error."""

    def __init__(self) -> None:
        self._waiting: deque[Scheduled] = deque()
        self._under_way: set[Scheduled] = set()
        self._error: BaseException | None = None
        self._changed = Condition()
        self.stopped = False

    def put(self, call: Scheduled) -> None:
        """Let a call wait for a worker."""
        with self._changed:
            self._raise_error()
            self._waiting.append(call)
            self._changed.notify_all()

    def take(self) -> Scheduled | None:
        """Return the next call, once there is one; None when there is none any more."""
        with self._changed:
            self._changed.wait_for(
                lambda: self.stopped or (self._waiting and self._error is None)
            )
            if self.stopped:
                return None
            call = self._waiting.popleft()
            self._under_way.add(call)
            return call

    def over(self, call: Scheduled, outcome: Any) -> None:
        """Take the outcome of a call that was taken: what it returned, or its error."""
        with self._changed:
            self._under_way.discard(call)
            if isinstance(outcome, BaseException):
                first = self._error is None
                self._error = self._error or outcome
                others = list(self._under_way) if first else []
            else:
                others = []
            call.end(outcome)
            self._changed.notify_all()
        for other in others:
            other.cancel()

    def back(self, call: Scheduled) -> None:
        """Let a call that was taken wait for another worker."""
        with self._changed:
            self._under_way.discard(call)
            if self._error is not None or self.stopped:
                call.end(_cancelled())
            else:
                self._waiting.appendleft(call)
            self._changed.notify_all()

    def join(self) -> None:
        """Wait until no call is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._error is not None or self._is_empty)
            self._raise_error()

    def done(self) -> bool:
        """Return whether no call is left."""
        with self._changed:
            self._raise_error()
            return self._is_empty

    def stop(self) -> None:
        """End: calls that wait are given up."""
        with self._changed:
            self.stopped = True
            self._give_up()
            self._changed.notify_all()

    def is_busy(self) -> bool:
        """Return whether there is a call that is not over."""
        return not self._is_empty

    @property
    def _is_empty(self) -> bool:
        return not (self._waiting or self._under_way)

    def _give_up(self) -> None:
        while self._waiting:
            self._waiting.popleft().end(_cancelled())

    def _raise_error(self) -> None:
        """Raise the error there is, when all that is under way is over; it is told once."""
        if self._error is None:
            return
        self._changed.wait_for(lambda: not self._under_way)
        self._give_up()
        error, self._error = self._error, None
        if error is not None:  # unless somebody was told meanwhile
            raise error


def _cancelled() -> CancelledError:
    return CancelledError(
        "the corresponding function is cancelled, as another one has failed: schedule it anew"
    )


class _Work:
    """What a thread does for a worker."""

    def __init__(
        self,
        queue: _Queue,
        cluster: Joined,
        worker: DeviceName,
        index: int,
        servers: Sequence[str],
    ) -> None:
        self._queue, self._cluster = queue, cluster
        self._worker, self._index, self._servers = worker, index, servers
        self._task = f"/job:{worker.job}/task:{worker.task}"

    def run(self) -> None:
        """Have the worker do calls until there are none any more."""
        while (call := self._queue.take()) is not None:
            self._do(call)

    def _do(self, call: Scheduled) -> None:
        outcome: Any
        try:
            outcome = call.on(self._worker, self._index, _preparing)
        except UnavailableError as error:
            outcome = _cancelled() if call.is_cancelled else self._lost(call, error)
        except BaseException as error:  # noqa: BLE001  who scheduled it is told
            outcome = error
        if outcome is not _AGAIN:
            self._queue.over(call, outcome)

    def _lost(self, call: Scheduled, error: UnavailableError) -> Any:
        """Return the error to tell, or that the call is done again; then the worker is there."""
        if self._cluster.closed or self._queue.stopped:
            return error
        lost = self._cluster.lost([self._task, *self._servers])
        servers = [task for task in self._servers if task in lost]
        if servers:
            return UnavailableError(
                f"{' and '.join(servers)} cannot be reached any more, and had variables: "
                f"{lost[servers[0]]}"
            )
        call.tries += self._task not in lost
        if call.tries > _TRIES:
            return error
        self._queue.back(call)
        self._find_again(lost.get(self._task, str(error)))
        return _AGAIN

    def _find_again(self, reason: str) -> None:
        """Wait until the worker is there."""
        _log.warning("Worker %s is lost: %s", self._task, reason)
        while not (self._queue.stopped or self._cluster.closed):
            if self._cluster.again(self._task):
                _log.info("Worker %s has been recovered.", self._task)
                return
            time.sleep(_PAUSE)


_AGAIN = object()
"""That a call is another worker's to do."""
_preparing = Lock()
