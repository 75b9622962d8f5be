"""ClusterStep: a graph that is cut over the tasks of a cluster; Under: one run of it.

Each task has its part registered once, and is sent one command a run, feeds and all. The client's
own devices may have a part too, which runs here. What goes over the wire is packing.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

import numpy as np

from tensorlite.core.containers import current_container
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    PlacementError,
    UnavailableError,
)
from tensorlite.core.op import Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.remote import Remote, RemoteArray, RemoteResource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.waiting import ended, noted
from tensorlite.core.xp import to_host
from tensorlite.distributed.arrivals import Arrival
from tensorlite.distributed.links import Parcel
from tensorlite.distributed.packing import (
    Beside,
    Held,
    Item,
    Kept,
    is_small,
    pack,
)
from tensorlite.distributed.registered import (
    Registered,
    assembled,
    packed,
    routes_of,
    task_of,
)
from tensorlite.distributed.running import FEED, Found, Running
from tensorlite.distributed.shares import Share, shares_of
from tensorlite.distributed.tracing import moved
from tensorlite.distributed.worker import FETCH, How
from tensorlite.ops.identity import Identity
from tensorlite.passes.partition import Division
from tensorlite.runtime.instruments import marked

if TYPE_CHECKING:
    from tensorlite.distributed.master import Master

Done: TypeAlias = Callable[["tuple[Any, ...] | BaseException"], object]
"""Is given the outputs of a step, or the error that ended it; it may not wait."""


_SENT = Identity()
"""What brings an array to a task, which keeps it."""


class ClusterStep:
    """A graph over the tasks of a cluster, ready to be run any number of times at once."""

    def __init__(
        self,
        master: Master,
        number: int,
        name: str,
        inputs: int,
        division: Division,
        made_by: Op | None = None,
        captured: int = 0,
    ) -> None:
        self.master = master
        self.number = number
        self.name = name
        self.inputs = inputs
        self.made_by = made_by
        self.specs: list[tuple[DeviceName, TensorSpec]] = [
            (device, division.graphs[device].outputs[i].spec)
            for device, i in division.outputs
        ]
        """Device and spec of each output."""
        parts = shares_of(division, master.task, inputs - captured)
        self._own: Registered | None = None
        own = parts.pop(master.task, None)
        self.own = own
        if own is not None:
            routes = routes_of(own.pieces, master.task)
            self._own = assembled(name, own.pieces, own.fetches, routes)
        self.parts = list(parts.values())
        self._payloads = {
            part.task: packed(
                name, part.pieces, part.fetches, routes_of(part.pieces, master.task)
            )
            for part in self.parts
        }

    @property
    def tasks(self) -> list[str]:
        """The tasks that take part, beside the client."""
        return [part.task for part in self.parts]

    def run(self, arrays: Sequence[Any], *, values: bool = False) -> tuple[Any, ...]:
        """Return the outputs for one array or handle per input.

        What is large stays where it was computed, and a handle comes back, unless `values`.
        Raises the first error of any task, with a note of which.
        """
        if self.made_by is not None:  # an operator by itself is no step
            return self._run(arrays, values)
        return marked(self._run, self.name)(arrays, values)

    def _run(self, arrays: Sequence[Any], values: bool) -> tuple[Any, ...]:
        under = self.begin(arrays, values=values)
        try:
            self.master.wait(under.is_over, under.awaited, under.step)
        except BaseException:
            under.cancel()
            raise
        return under.result()

    def remake(self, handle: RemoteResource) -> None:
        """Run this, which makes a resource, for a handle that has lost its own."""
        under = Under(self, None, values=False)
        under.begin((), handle)
        self.master.wait(under.is_over, under.awaited)
        under.result()

    def begin(
        self, arrays: Sequence[Any], done: Done | None = None, *, values: bool = False
    ) -> Under:
        """Begin a run; `done` is called when it is over, perhaps from within this call."""
        if len(arrays) != self.inputs:
            raise InvalidArgumentError(
                f"{self.name} takes {self.inputs} arrays, not {len(arrays)}"
            )
        under = Under(self, done, values)
        under.begin(arrays)
        return under

    def registration(self, task: str) -> list[Parcel]:
        """Return the command that has a task register its part, unless it has."""
        if self.master.knows(task, self.number):
            return []
        return [Parcel(("register", (self.number,)), self._payloads[task])]

    def sent_once(self, part: Share, at: int, value: Any) -> Any:
        """Return the handle by which a task knows a captured array, once it is worth sending."""
        if type(value) is not np.ndarray or is_small(value):
            return value
        array, handle = part.sent.get(at, (None, None))
        if array is not value or handle is None or not self.master.has(handle):
            device = part.pieces[0][0]
            (made,) = self.master.run_op(_SENT, (EagerTensor(value),), device)
            handle = made.array
            part.sent[at] = value, handle
        return handle

    def run_own(self, under: Under, arrays: Sequence[Any]) -> Running:
        """Begin the client's part."""
        assert self._own is not None
        running = Running(
            self._own,
            self.master.carrier,
            under.step,
            under.own_over,
            current_container.get(),
            None,
        )
        running.begin(arrays, ())
        return running


class Under:
    """One run of a step, under way. It is over when all tasks have answered, or one has failed."""

    def __init__(self, step: ClusterStep, done: Done | None, values: bool) -> None:
        self.whole = step
        self.master = step.master
        self.step = step.master.number()
        self.error: BaseException | None = None
        self._done = done
        self._values = values
        self._lock = RLock()
        self._outputs: list[Any] = [None] * len(step.specs)
        self._waits: dict[str, int] = {}
        """Tasks that have not answered, each with the number of the first value that it keeps."""
        self._coming = 0
        """Values that travel beside answers and are not here yet."""
        self._own: Running | None = None
        self._handle: RemoteResource | None = None
        """What lost its resource, which this run makes anew."""
        self._over = False

    def begin(
        self, arrays: Sequence[Any], handle: RemoteResource | None = None
    ) -> None:
        """Send each task its command; what is made for a `handle` is to have its number."""
        whole, master = self.whole, self.master
        commands = [(part, *self._feeds(part, arrays)) for part in whole.parts]
        for part in whole.parts:
            many = len(part.fetches)
            self._waits[part.task] = (
                (master.numbers(many) if many else 0)
                if handle is None
                else handle.number
            )
        self._handle = handle
        if whole.own is not None:
            self._waits[master.task] = 0
        master.enter(self)
        try:
            for part, items, content in commands:
                self._send(part, items, content, arrays)
        except BaseException as error:  # noqa: BLE001  the others are told
            self.fail(error)
            return
        if whole.own is not None and not self._over:
            self._own = whole.run_own(
                self, [_here(arrays[i]) for i in whole.own.inputs]
            )
            if self.error is not None:
                self._own.cancel()

    def _feeds(
        self, part: Share, arrays: Sequence[Any]
    ) -> tuple[list[Item], np.ndarray[Any, Any]]:
        """Return a part's feeds, and as bytes; variables are those of the last run most often."""
        given, life = [arrays[i] for i in part.inputs], self.master.life
        for at in part.staying:
            given[at] = self.whole.sent_once(part, at, given[at])
        content = part.again(life, given)
        if content is not None:
            return [], content
        items = self._items(part, given)
        content = pack(items)
        if all(isinstance(x, RemoteResource) for x in given):
            part.last = life, [ref(x) for x in given], content
        return items, content

    def _items(self, part: Share, given: Sequence[Any]) -> list[Item]:
        items: list[Item] = []
        for i, value in zip(part.inputs, given, strict=True):
            if _is_kept_by(part.task, value):
                self.master.check(value)
                items.append(Held(value.number))
                continue
            if isinstance(value, Opaque) and not isinstance(value, RemoteArray):
                raise PlacementError(
                    f"{self.whole.name}: input {i} is {value!r}, which cannot leave where it is, "
                    f"and is used on {part.task}: place what uses it beside it"
                )
            array = to_host(value)
            items.append(array if is_small(array) else Beside())
        return items

    def _send(
        self,
        part: Share,
        items: list[Item],
        content: np.ndarray[Any, Any],
        arrays: Sequence[Any],
    ) -> None:
        whole, master, task = self.whole, self.master, part.task
        large = [
            Parcel((FEED, (at,)), to_host(arrays[part.inputs[at]]))
            for at, item in enumerate(items)
            if type(item) is Beside
        ]
        for (name, (at,)), value, _ in large:
            moved(
                self.step, f"{name} {at}", "", task, True, getattr(value, "nbytes", 0)
            )
        if large:
            master.carrier.send_all(task, self.step, large)
        how = How.VALUES if self._values else How.PLAIN
        if self._handle is not None:
            how |= How.ANEW
        numbers = self.step, whole.number, self._waits[task], int(how)
        run = Parcel(("run", numbers), content)
        master.command(task, *whole.registration(task), run)

    def answered(self, task: str, items: list[Item]) -> None:
        """Take the answer of a task."""
        with self._lock:
            first = self._waits.get(task)
            if first is None or self._over:
                return
            part = next(part for part in self.whole.parts if part.task == task)
            beside = []
            for at, (output, item) in enumerate(
                zip(part.outputs, items, strict=True)
            ):
                if type(item) is Beside:
                    beside.append((at, output))
                elif self._handle is None:
                    self._outputs[output] = self._output(output, item, first + at)
            self._coming += len(beside)
            del self._waits[task]
        for at, output in beside:
            self.master.carrier.receive(
                task,
                self.step,
                (FETCH, (at,)),
                partial(self._came, task, at, output),
            )
        self._look()

    def _came(self, task: str, at: int, output: int, came: Any) -> None:
        if not isinstance(came, Arrival):
            self.fail(came)
            return
        moved(self.step, f"{FETCH} {at}", task, "", False)
        with self._lock:
            self._outputs[output] = self._output(output, np.array(came.value), -1)
            self._coming -= 1
        self._look()

    def _output(self, i: int, item: Item, number: int) -> Any:
        """Return what an item of a task's answer is, as an output here."""
        device, spec = self.whole.specs[i]
        master = self.master
        if not isinstance(item, tuple):
            if self._values:
                return item
            known = RemoteArray(EagerTensor(item).spec, device, -1, 0, master.fetch)
            known.value = item
            return known
        incarnation = master.incarnations[task_of(device, master.task)]
        if isinstance(item, Kept):
            kept = TensorSpec(item.shape, item.dtype)
            return master.keep(
                RemoteArray(kept, device, number, incarnation, master.fetch)
            )
        if spec.dtype.kind != "R":
            return master.keep(Remote(spec, device, number, incarnation))
        made_by = self.whole.made_by
        return master.keep(RemoteResource(spec, device, number, incarnation, made_by))

    def own_over(self, found: Found) -> None:
        """Take what came of the client's part."""
        if isinstance(found, BaseException):
            self.fail(found)
            return
        own = self.whole.own
        assert own is not None
        with self._lock:
            for output, value in zip(own.outputs, found, strict=True):
                self._outputs[output] = value
            self._waits.pop(self.master.task, None)
        self._look()

    def failed(self, task: str, error: BaseException) -> None:
        """Take it that a task could not do its part."""
        with self._lock:
            self._waits.pop(task, None)
        self.fail(error)

    def lost(self, task: str, reason: str) -> None:
        """Take it that a task is gone."""
        if self._waits.pop(task, None) is not None:
            self.fail(ended(UnavailableError(reason)))

    def parted(self, task: str, other: str, reason: str) -> None:
        """Take it that what one task sent to another may be lost, though both are there."""
        tasks = self.whole.tasks
        if (
            task in tasks
            and other in tasks
            and not self._waits.keys().isdisjoint((task, other))
        ):
            self.fail(ended(UnavailableError(f"{task} says: {reason}")))

    def cancel(self) -> None:
        """Give this run up."""
        self.fail(ended(UnavailableError("this step was given up")))

    def fail(self, error: BaseException) -> None:
        """End this run with an error, and let the other tasks give up their parts."""
        with self._lock:
            if self._over or self.error is not None:
                return
            self.error = error
            waits, self._waits = self._waits, {}
        own = self._own
        if waits.pop(self.master.task, None) is not None and own is not None:
            own.cancel()
        for task in waits:
            try:
                empty = np.empty(0, np.uint8)
                self.master.command(task, Parcel(("cancel", (self.step,)), empty))
            except (UnavailableError, FailedPreconditionError) as lost:
                error.add_note(f"besides: {lost}")
        self._finish()

    def _look(self) -> None:
        """End this run if nothing is left to come."""
        with self._lock:
            if self._over or self._waits or self._coming:
                return
        self._finish()

    def _finish(self) -> None:
        with self._lock:
            if self._over:
                return
            self._over = True
        self.master.leave(self)
        self.master.carrier.forget(self.step)
        if self._done is not None:
            done, self._done = self._done, None
            done(self.error if self.error is not None else tuple(self._outputs))
        self.master.carrier.wake()

    def is_over(self) -> bool:
        """Return whether there is an outcome."""
        return self._over

    def awaited(self) -> str:
        """Return in words what this run waits for."""
        told = f"{', '.join(self._waits) or 'values'} to answer {self.whole.name}"
        own = [] if self._own is None else list(self._own.awaited())
        return "; ".join([told, *own])

    def result(self) -> tuple[Any, ...]:
        """Return the outputs; what went wrong is raised."""
        if self.error is not None:
            raise noted(self.error)
        return tuple(self._outputs)


def _is_kept_by(task: str, value: Any) -> bool:
    """Return whether a value is one that a task has under a number."""
    return (
        isinstance(value, Remote)
        and value.number >= 0
        and task_of(value.where, "") == task
    )


def _here(value: Any) -> Any:
    """Return a value for the client's own part."""
    return value.read() if isinstance(value, RemoteArray) else value
