"""Cluster: the tasks that a program is connected to. Who starts them is an engine's to say.

Steps are run by master.py; which devices there are, the layers below learn from core/remote.py.
"""

from __future__ import annotations

import atexit
import os
import re
from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from time import monotonic
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet
from zlib import crc32

import numpy as np

from tensorlite.core import remote
from tensorlite.core.check import check_seconds
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.core.op import Op
from tensorlite.core.tensor import Tensor
from tensorlite.distributed import packing, tracing
from tensorlite.distributed.engines.engine import (
    Engine,
    Registration,
    TaskSettings,
    shared,
)
from tensorlite.distributed.engines.host import check_versions
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.master import Master
from tensorlite.distributed.status import PATIENCE, ClusterStatus, Watcher
from tensorlite.distributed.steps import ClusterStep
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.passes.partition import Division
from tensorlite.runtime.timeline import Recorder

_JOB = re.compile(r"[A-Za-z][\w-]*")
CLIENT = "/job:client/task:"
START = 60.0
"""Seconds that a task may take to start."""
_LOOK = 0.2
"""Seconds in which a task says that it runs."""
_SILENT = 10.0
"""Most seconds in which a task answers that does not hang."""
_PAUSE = 0.5
"""Seconds between attempts to link with a task, or to have tasks link with each other."""
_CONNECT = "tl.distribute.connect(...)"
_open: WeakSet[Cluster] = WeakSet()


def _after_fork() -> None:
    """Keep a forked process from its parent's clusters: it would wait for threads it has not."""
    for cluster in tuple(_open):
        cluster.disown()
    remote.forget()


os.register_at_fork(after_in_child=_after_fork)


class Cluster:
    """The tasks of a cluster, and this program's way to them.

    As a context it closes at the end. Device names such as '/job:ps/task:0/device:CPU:0' work
    everywhere while it is open.

    >>> with tl.distribute.connect({"ps": 1, "worker": 2}, engine="inprocess") as cluster:
    ...     cluster
    <Cluster 'tensorlite': 1 ps, 2 worker>
    """

    def __init__(
        self,
        engine: Engine,
        spec: Mapping[str, int],
        settings: TaskSettings,
        timeout: float = START,
        *,
        joined: bool = False,
    ) -> None:
        self.name = settings.cluster
        self.spec = dict(spec)
        self.engine = engine
        self.client = settings.task
        self.joined = joined
        """Whether another client has started it, and so ends it."""
        self.closed = False
        self.registrations: dict[str, Registration] = {}
        self._timeout = timeout
        self._lock = RLock()
        self._unmade: dict[str, str] = {}
        """Tasks that were lost and whose state is not made anew yet, and why they were."""
        self._given_up: dict[str, str] = {}
        self._carrier = engine.carrier(settings)
        self.master = Master(self._carrier, first_number(self._carrier))
        try:
            for task in self.tasks:
                self._find(task, timeout)
            self._introduce(self.tasks)
            remote.join(self)
        except BaseException:
            self._carrier.close()
            raise
        self._watcher = Watcher(self)
        engine.watch(self.master.gone)
        atexit.register(self.close)
        _open.add(self)

    @property
    def address(self) -> str | None:
        """Where other programs find it, to `connect` as another client; None: nowhere."""
        engine = None if self.closed else shared(self.engine)
        return None if engine is None else engine.address

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of all tasks."""
        return tuple(
            [f"/job:{job}/task:{i}" for job, n in self.spec.items() for i in range(n)]
        )

    def job(self, name: str) -> tuple[str, ...]:
        """Return the names of a job's tasks; NotFoundError when there is no such job."""
        if name not in self.spec:
            raise NotFoundError(
                f"there is no job {name!r}; there are {jobs_text(self.spec)}"
            )
        return tuple([f"/job:{name}/task:{i}" for i in range(self.spec[name])])

    @property
    def devices(self) -> Sequence[DeviceName]:
        """The devices of all tasks, but of those that were given up."""
        return [
            DeviceName.parse(device)
            for task in self._there
            for device in self.registrations[task].devices
        ]

    @property
    def default_device(self) -> DeviceName:
        """Where a session's nodes run that ask for no device: on the first worker, or task."""
        self.check_open()
        devices = self.devices
        workers = (device for device in devices if device.job == "worker")
        return next(workers, devices[0])

    def run_op(
        self, op: Op, inputs: Sequence[Tensor], device: DeviceName
    ) -> tuple[Tensor, ...]:
        """Return the outputs of an operator that is run on a device of a task."""
        self.check_open()
        return self.master.run_op(op, inputs, device)

    def prepare(
        self, name: str, inputs: int, division: Division, captured: int = 0
    ) -> ClusterStep:
        """Return what runs a graph that is cut over the devices of tasks."""
        self.check_open()
        return self.master.prepare(name, inputs, division, captured)

    @property
    def lost(self) -> Mapping[str, str]:
        """The tasks that are gone and not found again, and why."""
        return dict(self.master.lost)

    def status(self, timeout: float = PATIENCE) -> ClusterStatus:
        """Return what each task is at; who does not answer within `timeout` seconds is silent.

        >>> with tl.distribute.connect({"worker": 2}, engine="inprocess") as cluster:
        ...     [(each.task, each.state) for each in cluster.status()]
        [('/job:worker/task:0', 'running'), ('/job:worker/task:1', 'running')]
        """
        self.check_open()
        check_seconds("timeout", timeout, 0.0)
        return self._watcher.status(timeout)

    def record(self, recorder: Recorder) -> Callable[[], None]:
        """Have all tasks take notes for a recorder; returns what ends that and brings the notes."""
        self.check_open()
        return tracing.begin(self.master, self.tasks, recorder)

    @property
    def given_up(self) -> Mapping[str, str]:
        """The tasks that this goes on without, and why they were lost."""
        return dict(self._given_up)

    def give_up(self, *tasks: str) -> None:
        """Go on without tasks that are lost: their devices are gone, and nobody waits for them.

        When such a task runs again, `recover` takes it back.
        """
        self.check_open()
        lost = self.lost
        for task in tasks:
            if task not in lost:
                raise FailedPreconditionError(
                    f"{task} is not lost, and cannot be given up; lost are: "
                    f"{', '.join(lost) or 'none'}"
                )
        if not set(self._there) - set(tasks):
            raise FailedPreconditionError(
                "no task would be left: one at least is due"
            )
        with self._lock:
            for task in tasks:
                self._given_up[task] = lost[task]
                self._unmade.pop(task, None)

    def returned(self) -> tuple[str, ...]:
        """Return which of the tasks that were given up run again, and can be taken back."""
        self.check_open()
        with self._lock:
            return tuple([task for task in self._given_up if self._is_back(task)])

    def recover(self, timeout: float | None = None) -> tuple[str, ...]:
        """Wait until all tasks that were lost run again, and return their names.

        Their variables are there again, without values: restore a checkpoint. Queues are empty.
        Raises UnavailableError for a task that does not come back within `timeout` seconds, or
        does not answer, as it hangs. Tasks that were given up are not waited for, but taken back
        if they are there.
        """
        self.check_open()
        limit = self._timeout if timeout is None else timeout
        check_seconds("timeout", limit, 0.0)
        with self._lock:
            for task in self.returned():
                del self._given_up[task]
            # Who is lost, another task may have noticed before this program has.
            self._find_silent(min(max(limit, PATIENCE), _SILENT))
            self._link_again(limit)
            lost = tuple(self._unmade)
            if lost:
                self.master.remake(lost)
                self._unmade.clear()
        return lost

    @property
    def _there(self) -> tuple[str, ...]:
        """The tasks that were not given up."""
        return tuple([task for task in self.tasks if task not in self._given_up])

    def _is_back(self, task: str) -> bool:
        """Return whether a task that was given up runs again, and can be linked with."""
        try:
            found = self.engine.registration(task, _LOOK)
            self._carrier.meet(task, found.address, found.incarnation)
            self._carrier.connect(task)
        except UnavailableError:
            return False
        return True

    def _find_silent(self, seconds: float) -> None:
        """Take tasks for lost that do not answer, such as one whose process hangs."""
        answers = self.master.ask(self._there, "status", seconds)
        for task in self._there:
            if task not in answers:
                self.master.gone(task, f"{task} did not answer within {seconds:g} s")

    def _link_again(self, timeout: float) -> None:
        """Wait for the tasks that are lost, and until all tasks are linked with each other.

        A link that was cut is made anew by whoever sends; but who receives gives up before that.
        """
        until, why = monotonic() + timeout, ""
        most = max(
            1, int(timeout / _PAUSE)
        )  # pauses are what counts in simulated time
        for _ in range(most):
            lost = {x: self.lost[x] for x in self._there if x in self.lost}
            self._unmade.update(lost)
            self._locate_all(tuple(lost), max(0.0, until - monotonic()))
            why = self._why_not_linked()
            if not why or monotonic() > until:
                break
            self._carrier.wait(lambda: False, _PAUSE)
        if why:
            raise UnavailableError(why)

    def _locate_all(self, tasks: Sequence[str], timeout: float) -> None:
        """Learn where tasks are; raises the first error when all that are there are known."""
        until, errors = monotonic() + timeout, list[UnavailableError]()
        for task in tasks:
            try:
                self._locate(task, max(_LOOK, until - monotonic()))
            except UnavailableError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def _why_not_linked(self) -> str:
        """Let all tasks link with each other, where they are not; return why one cannot, or ""."""
        try:
            self._introduce(self._there)
            asked = []
            for task in self._there:
                others = packing.pack_json([x for x in self._there if x != task])
                asked.append(self.master.request(task, "link", payload=others))
            reasons = [reason for one in asked for reason in one.result()]
        except UnavailableError as error:
            reasons = [str(error)]
        return reasons[0] if reasons else ""

    def close(self) -> None:
        """End all links, and the tasks if this program has started them; once."""
        with self._lock:
            if self.closed:
                return
            self._end(f"is closed: connect again with {_CONNECT}")
        remote.leave(self)
        self._carrier.close()
        if not (self.joined and isinstance(self.engine, InprocessEngine)):
            self.engine.close()  # one in this process is its first client's

    def __enter__(self) -> Self:
        """Return this cluster."""
        self.check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def __repr__(self) -> str:
        more = [
            *([f"as {self.client}"] if self.joined else []),
            *(
                [f"lost {', '.join(self.lost)}"]
                if self.lost and not self.closed
                else []
            ),
            *(["closed"] if self.closed else []),
        ]
        return f"<Cluster {self.name!r}: {', '.join([jobs_text(self.spec), *more])}>"

    def check_open(self) -> None:
        """Raise FailedPreconditionError when it is closed."""
        if self.closed:
            raise FailedPreconditionError(self.master.over)

    def _end(self, why: str) -> None:
        self.closed = True
        self.master.over = f"cluster {self.name!r} {why}"
        _open.discard(self)
        atexit.unregister(self.close)

    def disown(self) -> None:
        """In a process that was forked: leave the tasks and the links to the one that has them."""
        self._end(
            "is the process's from which this one was forked, which alone can use it: start "
            "processes by multiprocessing's 'spawn', and have each connect as a client of its own"
        )

    def _find(self, task: str, timeout: float) -> None:
        """Learn where a task is, and link with it."""
        self._locate(task, timeout)
        self._carrier.connect(task)

    def _locate(self, task: str, timeout: float) -> None:
        """Learn where a task is."""
        found = self.engine.registration(task, timeout)
        check_versions(task, found.versions)
        self.registrations[task] = found
        self._carrier.meet(task, found.address, found.incarnation)
        self.master.found(task, found.incarnation)

    def _introduce(self, tasks: Sequence[str]) -> None:
        """Tell tasks where all others are."""
        known = {
            task: [list(found.address), found.incarnation]
            for task, found in self.registrations.items()
        }
        payload = packing.pack_json(known)
        for task in tasks:
            if task not in self.master.lost:
                self.master.command(task, Parcel(("meet", ()), payload))


def jobs_text(spec: Mapping[str, int]) -> str:
    """Return how many tasks each job has, in words."""
    return ", ".join(f"{n} {job}" for job, n in spec.items())


def checked_spec(spec: Any) -> dict[str, int]:
    """Return how many tasks each job has; InvalidArgumentError for what cannot be."""
    if not isinstance(spec, Mapping):
        raise DTypeError(
            f"spec={spec!r}; give how many tasks each job has, such as {{'ps': 1, 'worker': 2}}"
        )
    found = {}
    for job, tasks in spec.items():
        if not isinstance(job, str) or not _JOB.fullmatch(job) or job in _TAKEN:
            raise InvalidArgumentError(
                f"spec: {job!r} is no name for a job; allowed are letters, digits, _ and -, a "
                f"letter first, and not {' or '.join(_TAKEN)}"
            )
        is_whole = isinstance(tasks, int | np.integer) and not isinstance(tasks, bool)
        if not is_whole or tasks < 1:
            raise InvalidArgumentError(
                f"spec: {job!r} is to have {tasks!r} tasks; give a number of 1 or more"
            )
        found[job] = int(tasks)
    if not spec:
        raise InvalidArgumentError("spec={}: a cluster has one task at least")
    return found


def first_number(carrier: Carrier) -> int:
    """Return the first number of a client, whose numbers no other has, nor it in another life.

    They follow from who it is, so that a simulated cluster sees the same numbers again.
    """
    who = f"{carrier.task} {carrier.incarnation}"
    return (crc32(who.encode()) & ((1 << 30) - 1)) << 32


_TAKEN = ("client", "localhost")
