"""Under: one run of a ClusterStep, from its feeds to its outcome, as the client has it.

It holds no thread: what tasks answer moves it on. What is run is steps.py's, what a task does
meanwhile, running.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

import numpy as np

from tensorlite.core.errors import (
    FailedPreconditionError,
    PlacementError,
    UnavailableError,
)
from tensorlite.core.opaque import Opaque
from tensorlite.core.remote import Remote, RemoteArray, RemoteResource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.waiting import ended, noted
from tensorlite.core.xp import to_host
from tensorlite.distributed.packing import (
    Beside,
    Held,
    Item,
    Kept,
    Packed,
    is_small,
    pack,
)
from tensorlite.distributed.registered import (
    task_of,
)
from tensorlite.distributed.running import FEED, Found, Running
from tensorlite.distributed.shares import Share
from tensorlite.distributed.tracing import moved
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.carrier import command
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.transport.threads import report
from tensorlite.distributed.variants import packed_variant
from tensorlite.distributed.worker import FETCH, How

if TYPE_CHECKING:
    from tensorlite.distributed.steps import ClusterStep

Done: TypeAlias = Callable[["tuple[Any, ...] | BaseException"], object]
"""Is given the outputs of a step, or the error that ended it; it may not wait."""


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
        self._first: dict[str, int] = {}
        """The same, of all tasks."""
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
        commands = [self._feeds(part, arrays) for part in whole.parts]
        for part in whole.parts:
            many = len(part.fetches)
            self._waits[part.task] = (
                (master.numbers(many) if many else 0)
                if handle is None
                else handle.number
            )
        self._handle = handle
        self._first = dict(self._waits)
        own: list[Any] = []
        if whole.own is not None:
            own = [self._here(arrays[i]) for i in whole.own.inputs]
            self._waits[master.task] = 0
        master.enter(self)
        try:
            for part, (content, large) in zip(whole.parts, commands, strict=True):
                if self.error is None:
                    self._send(part, content, large)
            if whole.own is not None and self.error is None:
                self._own = whole.run_own(self, own)
        except BaseException as error:  # noqa: BLE001  the others are told
            self.fail(error)
        if self.error is not None and self._own is not None:
            self._own.cancel()

    def _feeds(
        self, part: Share, arrays: Sequence[Any]
    ) -> tuple[np.ndarray[Any, Any] | None, list[Parcel]]:
        """Return a part's feeds as bytes, and those that travel beside.

        Variables are those of the last run most often.
        """
        if not part.inputs:
            return None, []
        given, life = [arrays[i] for i in part.inputs], self.master.life
        for at in part.staying:
            given[at] = self.whole.sent_once(part, at, given[at])
        content = part.again(life, given)
        if content is not None:
            return content, []
        large: list[Parcel] = []
        items = [
            self._item(part, at, i, value, large)
            for at, (i, value) in enumerate(zip(part.inputs, given, strict=True))
        ]
        content = pack(items)
        if content is not None and all(isinstance(x, RemoteResource) for x in given):
            part.last = life, [ref(x) for x in given], content
        return content, large

    def _item(
        self, part: Share, at: int, i: int, value: Any, large: list[Parcel]
    ) -> Item:
        """Return what a feed is in a command; what travels beside goes to `large`."""
        if _is_kept_by(part.task, value):
            self.master.check(value)
            return Held(value.number)
        is_packed = False
        if isinstance(value, Opaque) and not isinstance(value, RemoteArray):
            if value.spec.dtype.kind != "V":
                raise PlacementError(
                    f"{self.whole.name}: input {i} is {value!r}, which cannot leave where it is, "
                    f"and is used on {part.task}: place what uses it beside it"
                )
            is_packed = True
            value = packed_variant(self._here(value))
        array = to_host(value)
        if is_small(array):
            return Packed(array) if is_packed else array
        large.append(Parcel((FEED, (at,)), array))
        return Beside(is_packed)

    def _here(self, value: Any) -> Any:
        """Return a value of any task as one of this process; state stays where it is."""
        if isinstance(value, RemoteArray):
            return value.read()
        if isinstance(value, Remote) and value.spec.dtype.kind == "V":
            return self.master.value(value)
        return value

    def _send(
        self, part: Share, content: np.ndarray[Any, Any] | None, large: list[Parcel]
    ) -> None:
        whole, master, task = self.whole, self.master, part.task
        for (name, (at,)), value, _ in large:
            moved(
                self.step, f"{name} {at}", "", task, True, getattr(value, "nbytes", 0)
            )
        if large:
            master.carrier.send_all(task, self.step, large)
        how = How.VALUES if self._values else How.PLAIN
        if self._handle is not None:
            how |= How.ANEW
        numbers = self.step, whole.number, self._first[task], int(how)
        run = command(("run", numbers), content)
        known = master.known(task)
        if whole.number in known:
            master.command(task, run)
        else:
            master.command(task, *whole.registration(task), run)
            known.add(whole.number)
        if self.error is not None:  # the word to give up may have gone before
            self._give_up(task)

    def answered(self, task: str, items: list[Item]) -> None:
        """Take the answer of a task."""
        with self._lock:
            first = self._waits.get(task)
            if first is None or self._over:
                return
            beside = []
            outputs = self.whole.outputs[task]
            for at, (output, item) in enumerate(zip(outputs, items, strict=True)):
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
        try:
            value = self._output(output, np.array(came.value), -1)
        except Exception as error:  # noqa: BLE001  such as for want of memory
            self.fail(error)
            return
        with self._lock:
            self._outputs[output] = value
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
            self.master.unwanted.step(task, self.step)
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
                self._give_up(task)
            except (UnavailableError, FailedPreconditionError) as lost:
                self.master.unwanted.step(task, self.step)
                error.add_note(f"besides: {lost}")
        self._finish()

    def _give_up(self, task: str) -> None:
        """Have a task give its part up, and forget what it kept of it."""
        part = next(part for part in self.whole.parts if part.task == task)
        numbers = self.step, self._first[task], len(part.fetches)
        self.master.command(task, command(("cancel", numbers)))

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
        done, self._done = self._done, None
        try:
            if done is not None:
                done(self.error if self.error is not None else tuple(self._outputs))
        except Exception as error:  # noqa: BLE001  it is nobody's here, and no link's
            report(error)
        finally:
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
