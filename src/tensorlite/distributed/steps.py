"""ClusterStep: a graph that is cut over the tasks of a cluster. One run of it is under.py's.

Each task has its part registered once, and is sent one command a run, feeds and all. The client's
own devices may have a part too, which runs here. What goes over the wire is packing.py's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlite.core.containers import current_container
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    InvalidArgumentError,
)
from tensorlite.core.op import Op
from tensorlite.core.remote import RemoteResource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.distributed.packing import (
    is_small,
)
from tensorlite.distributed.registered import (
    Registered,
    assembled,
    packed,
    routes_of,
)
from tensorlite.distributed.relay import Place
from tensorlite.distributed.running import Running
from tensorlite.distributed.shares import Share, shares_of
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.under import Done, Under
from tensorlite.ops.arrays.identity import Identity
from tensorlite.passes.partition import Division
from tensorlite.runtime.instruments import marked

if TYPE_CHECKING:
    from tensorlite.distributed.master import Master

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
        self.outputs = {part.task: part.outputs for part in self.parts}
        """Which outputs each task answers."""
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
        if self.number in self.master.known(task):
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
            Place(current_container.get()),
        )
        running.begin(arrays, ())
        return running
