"""The engine that has all tasks in this process, in virtual time, with faults drawn from a seed.

How what they send comes and is lost is network.py's; what a task does, worker.py's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    FailedPreconditionError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.core.xp import cpu_count, set_cpu_count
from tensorlite.distributed.engines.engine import (
    Lost,
    Needs,
    Registration,
    TaskSettings,
)
from tensorlite.distributed.engines.events import Faults, Happening, Owner
from tensorlite.distributed.engines.host import Make, Worker as Made, versions
from tensorlite.distributed.engines.network import Network
from tensorlite.distributed.engines.simulated import NODE, SimulatedCarrier
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.worker import Worker
from tensorlite.runtime.devices import logical_devices


class _Task:
    """A task, while it runs and while it does not."""

    def __init__(self, settings: TaskSettings) -> None:
        self.settings = settings
        self.incarnation = 0
        self.carrier: SimulatedCarrier | None = None
        self.worker: Made | None = None
        self.error = ""
        """Why it could not be started."""
        self.has_node = True
        """Whether it is started anew when it has died."""


class InprocessEngine:
    """Has all tasks in this process, on the thread that waits for them: conforms to `Engine`.

    Time is virtual, and what happens in which order is drawn from `seed`, as is what goes wrong:
    the same program sees the same again, if it has one thread.

    >>> engine = InprocessEngine(seed=17, faults=Faults(kills=0.001))
    >>> engine.log
    []
    >>> engine.close()
    """

    def __init__(
        self, seed: int = 0, faults: Faults | None = None, make: Make = Worker
    ) -> None:
        self.network = Network(seed, faults)
        self._make = make
        self._tasks: dict[str, _Task] = {}
        self._clients: dict[str, SimulatedCarrier] = {}
        self._guests: dict[str, TaskSettings] = {}
        self._told: list[Lost] = []
        self._cpus = cpu_count()
        self._closed = False
        self.network.events.strike = self._strike

    @property
    def log(self) -> list[Happening]:
        """What went wrong, from the beginning on."""
        return self.network.log

    @property
    def address(self) -> None:
        """None: other clients are given this object."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of the tasks."""
        return tuple(self._tasks)

    def start(
        self,
        tasks: Sequence[TaskSettings],
        needs: Mapping[str, Needs],
        guests: Sequence[TaskSettings] = (),
    ) -> None:
        """Begin to start tasks; whatever they need is there. `guests` may join later."""
        self._check()
        self._guests |= {guest.task: guest for guest in guests}
        most = max((settings.logical_cpus for settings in tasks), default=1)
        set_cpu_count(max(cpu_count(), most))
        for settings in tasks:
            task = self._tasks[settings.task] = _Task(settings)
            self._post(0.0, partial(self._begin, task), f"{settings.task} starts")

    def join(self, cluster: str, client: str) -> TaskSettings:
        """Return the settings for a client of a cluster that another client has started."""
        self._check()
        guests = {x.task: x for x in self._guests.values() if x.cluster == cluster}
        if client not in guests:
            raise NotFoundError(
                f"cluster {cluster!r} expects no client {client}; it expects: "
                f"{', '.join(guests) or 'none'}"
            )
        return guests[client]

    def registration(self, task: str, timeout: float) -> Registration:
        """Return what a task says of itself, once it runs; also after it was started anew."""
        found = self._task(task)
        self.network.events.wait(lambda: bool(found.carrier or found.error), timeout)
        if found.carrier is None:
            words = found.error or f"it has not started within {timeout} seconds"
            now = self.network.events.when()
            raise UnavailableError(f"{task} does not start: {words}, at {now}")
        return Registration(
            task,
            found.incarnation,
            found.carrier.address,
            NODE,
            os.getpid(),
            tuple(_devices(found.settings)),
            versions(),
        )

    def carrier(self, settings: TaskSettings) -> Carrier:
        """Return what the client, which is a task too, sends and receives by.

        FailedPreconditionError when the cluster has a client of this name.
        """
        self._check()
        before = self._clients.get(settings.task)
        if before is not None and before.alive:
            raise FailedPreconditionError(
                f"cluster {settings.cluster!r} has a client {settings.task}: take another number, "
                "as in connect(..., client=1)"
            )
        incarnation = 1 if before is None else before.incarnation + 1
        made = self.network.carrier(settings.task, incarnation)
        self._clients[settings.task] = made
        return made

    def watch(self, lost: Lost) -> None:
        """Tell `lost` of tasks that die, when that is noticed; they are started anew after that."""
        self._told.append(lost)

    def kill(self, task: str) -> None:
        """End a task as an accident would; it is started anew by itself."""
        self._kill(self._task(task))

    def lose(self, task: str) -> None:
        """End a task with its node: it is not started anew before `replace`."""
        found = self._task(task)
        found.has_node = False
        self._kill(found)

    def replace(self, task: str) -> None:
        """Let there be a node again for a task that was lost with its own."""
        found = self._task(task)
        if not found.has_node:
            found.has_node = True
            self._post(0.0, partial(self._begin, found), f"{task} starts elsewhere")

    def close(self) -> None:
        """End all tasks."""
        if self._closed:
            return
        self._closed = True
        for task in self._tasks.values():
            worker, task.worker, task.carrier = task.worker, None, None
            if worker is not None:
                worker.close()
        for carrier in list(self.network.listening.values()):
            carrier.close()
        self.network.events.clear()
        set_cpu_count(self._cpus)

    def _begin(self, task: _Task) -> None:
        """Start a task, or start it anew."""
        task.incarnation += 1
        carrier = self.network.carrier(
            task.settings.task, task.incarnation, mortal=True
        )
        try:
            task.worker = self._make(task.settings, carrier)
        except Exception as error:  # noqa: BLE001  whoever asks for the task is told
            task.error = f"{type(error).__name__}: {error}"
            carrier.close()
            return
        carrier.awaited = task.worker.awaited
        task.carrier = carrier

    def _strike(self, owner: Owner) -> None:
        self._kill(self._task(owner.task))

    def _kill(self, task: _Task) -> None:
        carrier, task.carrier, task.worker = task.carrier, None, None
        if carrier is None:
            return
        events, faults = self.network.events, self.network.faults
        why = f"it was killed at {events.when()}"
        self.network.kill(carrier)

        def noticed() -> None:
            for lost in self._told:
                lost(task.settings.task, f"task {task.settings.task} has died: {why}")
            restart = events.draw(faults.restart)
            if task.has_node:
                self._post(
                    restart, partial(self._begin, task), f"{carrier.task} starts anew"
                )

        self._post(
            events.draw(faults.notice), noticed, f"{carrier.task} is known to be dead"
        )

    def _post(self, seconds: float, work: Callable[[], object], what: str) -> None:
        events = self.network.events
        events.post(events.now + seconds, work, what)

    def _check(self) -> None:
        if self._closed:
            raise FailedPreconditionError("this engine is closed")

    def _task(self, task: str) -> _Task:
        self._check()
        if task not in self._tasks:
            raise NotFoundError(
                f"there is no task {task!r}; there are {', '.join(self._tasks) or 'none'}"
            )
        return self._tasks[task]


def _devices(settings: TaskSettings) -> Iterator[str]:
    task = DeviceName.parse(settings.task)
    for device in logical_devices():
        if device.kind != "CPU" or (device.index or 0) < settings.logical_cpus:
            yield str(task.merge(device))
