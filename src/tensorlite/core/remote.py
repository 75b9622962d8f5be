"""What this process knows of other tasks: their devices, and handles of values that live there.

A tensor whose value lives in another task holds a handle in place of an array. Who brings values,
and runs operators there, is the cluster's `Home`; this file only knows whom to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DeviceError, FailedPreconditionError
from tensorlite.core.opaque import Opaque, Resource
from tensorlite.core.spec import TensorSpec

if TYPE_CHECKING:
    from tensorlite.core.op import Op
    from tensorlite.core.tensor import Tensor


class Runnable(Protocol):
    """A step over the tasks of a cluster, ready to be run."""

    def run(self, arrays: Sequence[Any], *, values: bool = False) -> tuple[Any, ...]:
        """Return the outputs for one array or handle per input.

        What is large stays where it was computed, and a handle comes back, unless `values`.
        """


class Home(Protocol):
    """A cluster that this process is connected to."""

    name: str

    @property
    def devices(self) -> Sequence[DeviceName]:
        """The devices of its tasks, by their full names."""

    def run_op(
        self, op: Op, inputs: tuple[Tensor, ...], device: DeviceName
    ) -> tuple[Tensor, ...]:
        """Return the outputs of an operator that is run on a device of a task."""

    def prepare(
        self, name: str, inputs: int, division: Any, captured: int = 0
    ) -> Runnable:
        """Return what runs a graph that is cut over the devices of tasks; see partition.py.

        The last inputs, as many as are `captured`, are the same arrays in most runs.
        """

    def record(self, recorder: Any) -> Callable[[], None]:
        """Have all tasks take notes; returns what ends that and brings them; see timeline.py."""


class Remote(Opaque):
    """What stands in this process for a value of another task; gone here, it goes there."""

    __slots__ = ("_spec", "_where", "incarnation", "number")

    def __init__(
        self, spec: TensorSpec, device: DeviceName, number: int, incarnation: int
    ) -> None:
        self._spec = spec
        self._where = device
        self.number = number
        """What its task knows it by."""
        self.incarnation = incarnation
        """Of the task that has it; a later one does not."""

    @property
    def spec(self) -> TensorSpec:
        """The spec of the value."""
        return self._spec

    @property
    def where(self) -> DeviceName:
        """The device that has the value."""
        return self._where

    def __repr__(self) -> str:
        return f"<{self._spec} on {self._where}>"


class RemoteArray(Remote):
    """An array of another task. Read, it is kept here too."""

    __slots__ = ("_fetch", "value")

    def __init__(
        self,
        spec: TensorSpec,
        device: DeviceName,
        number: int,
        incarnation: int,
        fetch: Callable[[RemoteArray], np.ndarray[Any, Any]],
    ) -> None:
        super().__init__(spec, device, number, incarnation)
        self._fetch = fetch
        self.value: np.ndarray[Any, Any] | None = None

    def on(self, device: DeviceName) -> Any:
        """Return the handle for another task, for this process the array."""
        return self.read() if device.job is None else self

    def read(self) -> np.ndarray[Any, Any]:
        """Return the array, brought from its task if it is not here yet."""
        if self.value is None:
            self.value = self._fetch(self)
        return self.value


class RemoteResource(Remote, Resource):
    """State of another task, such as a variable's."""

    __slots__ = ("made_by",)

    def __init__(
        self,
        spec: TensorSpec,
        device: DeviceName,
        number: int,
        incarnation: int,
        made_by: Op | None = None,
    ) -> None:
        super().__init__(spec, device, number, incarnation)
        self.made_by = made_by
        """The operator without inputs that makes it anew, when its task has been started anew."""


class Sight(NamedTuple):
    """The tasks that a session sees, instead of those that this process is connected to."""

    home: Home
    own: DeviceName | None = None
    """Job and task of this process among them: its devices are those that are here."""


_homes: dict[tuple[str | None, int | None], Home] = {}
_lock = Lock()

sight: ContextVar[Sight | None] = ContextVar("sight", default=None)
"""What the session sees that runs; None: what the whole process does."""

here: ContextVar[DeviceName | None] = ContextVar("here", default=None)
"""Job and task of this process, while it works as a task of a cluster."""

say: ContextVar[Callable[[str, str], object] | None] = ContextVar("say", default=None)
"""What writes a text to a stream, while this process works as a task: its client does."""


def join(home: Home) -> None:
    """Let the devices of a cluster be named; FailedPreconditionError if they are another's."""
    with _lock:
        tasks = {(device.job, device.task) for device in home.devices}
        for task in tasks:
            other = _homes.get(task)
            if other is not None and other is not home:
                raise FailedPreconditionError(
                    f"/job:{task[0]}/task:{task[1]} is a task of {other.name}, to which this "
                    "process is connected: close that, or call the jobs differently"
                )
        _homes.update(dict.fromkeys(tasks, home))


def leave(home: Home) -> None:
    """Forget a cluster and its devices."""
    with _lock:
        for task in [task for task, one in _homes.items() if one is home]:
            del _homes[task]


def forget() -> None:
    """Forget all clusters, in a process that was forked: these are its parent's.

    The lock may be a thread's that is not here.
    """
    _homes.clear()


def homes() -> list[Home]:
    """Return the clusters that this process is connected to."""
    with _lock:
        return list(dict.fromkeys(_homes.values()))


def devices() -> list[DeviceName]:
    """Return the devices of all tasks that this process is connected to; a task is to none."""
    if here.get() is not None:
        return []
    seen = sight.get()
    if seen is not None:
        return list(seen.home.devices)
    return [device for home in homes() for device in home.devices]


def home_of(device: DeviceName) -> Home:
    """Return the cluster that a device belongs to; DeviceError when there is none."""
    home = None
    if here.get() is None:
        seen = sight.get()
        home = _homes.get((device.job, device.task)) if seen is None else seen.home
    if home is None:
        raise unknown(device)
    return home


def resolved(asked: DeviceName) -> DeviceName:
    """Return the device of a task that a name, perhaps in part, stands for: the first such.

    Raises DeviceError when there is none.
    """
    own = here.get()
    if asked.job == "localhost" or (
        own is not None and (asked.job, asked.task) == (own.job, own.task)
    ):
        return DeviceName(kind=asked.kind or "CPU", index=asked.index or 0)
    wanted = asked if asked.kind is not None else asked.merge(_FIRST)
    for device in devices():
        if wanted.matches(device):
            return device
    raise unknown(asked)


_FIRST = DeviceName(kind="CPU", index=0)


def unknown(device: DeviceName) -> DeviceError:
    """Return the error for a device of a task that is not there."""
    known = [str(one) for one in devices()]
    if not known:
        return DeviceError(
            f"{device} does not exist here: it is of another task, and this process is connected "
            "to none. Call tl.distribute.connect(...) first, or leave job and task out"
        )
    listed = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return DeviceError(f"{device} does not exist; there are {listed}")
