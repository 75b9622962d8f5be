"""Container: the resources of a process that have a name of their own, by which others find them.

Most resources have none, and are known by their handles alone. What makes them is in
ops/state/making.py.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextvars import ContextVar
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.opaque import Resource
from tensorlite.core.xp import Array

Room: TypeAlias = Callable[[Sequence[int], "np.dtype[Any]"], "Array | None"]
"""Returns memory for an array of a shape and dtype, or None: take any."""
LARGE = 1 << 20
"""Bytes of a value from which on where it is computed matters."""


class Container:
    """Resources by name, which live until they are cleared away."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: dict[tuple[str, str], tuple[str, Resource]] = {}
        self.room: Room | None = None
        """Where large values are to be computed that other processes may be sent."""
        self.drawn: dict[Hashable, int] | None = None
        """How far streams of random numbers are, by their seeds; None: as far as the process's."""

    def shared(
        self, name: str, kind: str, make: Callable[[], Resource], within: str = ""
    ) -> Resource:
        """Return the resource of a name, made now if there is none yet.

        `within` is the part of the container that has the name. InvalidArgumentError when the one
        that is there is of another `kind`, in words.
        """
        with self._lock:
            found = self._held.get((within, name))
            if found is None:
                found = self._held[within, name] = kind, make()
        there, resource = found
        if there != kind:
            raise InvalidArgumentError(
                f"shared_name={name!r}: by this name there is {there}; asked for is {kind}. Ask "
                "for what is there, or give another name"
            )
        return resource

    def clear(self, within: str | None = None) -> None:
        """Forget all resources, or those of one part; they live on where there are handles."""
        with self._lock:
            kept = {} if within is None else dict(self._held)
            self._held = {key: held for key, held in kept.items() if key[0] != within}

    def forget(self, resource: Resource) -> bool:
        """Forget a resource, and say whether it was there by a name."""
        with self._lock:
            names = [key for key, held in self._held.items() if held[1] is resource]
            for key in names:
                del self._held[key]
        return bool(names)

    def resources(self) -> list[Resource]:
        """Return the resources that have names."""
        with self._lock:
            return [resource for _, resource in self._held.values()]

    def __len__(self) -> int:
        return len(self._held)


OF_A_RUN = "of a run"
"""The part of what functions keep between their calls: whoever calls them may keep it himself."""


class RunContainer(Container):
    """What functions keep that are called again and again, over another container for all else."""

    def __init__(self, outer: Container) -> None:
        super().__init__()
        self.outer = outer
        self.room = outer.room
        self.drawn = {}

    def shared(
        self, name: str, kind: str, make: Callable[[], Resource], within: str = ""
    ) -> Resource:
        """Return the resource of a name: one of this run, or one of the container around."""
        if within == OF_A_RUN:
            return super().shared(name, kind, make, within)
        return self.outer.shared(name, kind, make, within)

    def forget(self, resource: Resource) -> bool:
        """Forget a resource of this run, or of the container around."""
        return super().forget(resource) or self.outer.forget(resource)


process = Container()
"""That of what runs outside of all tasks."""

current_container: ContextVar[Container] = ContextVar(
    "current_container", default=process
)
"""Where what runs here finds resources by their names: a task sets its own."""


def room_for(shape: Sequence[int], dtype: Any) -> Array | None:
    """Return where a large value is to be computed here; None: anywhere."""
    room = current_container.get().room
    if room is None or dtype.kind not in "iufc":
        return None
    return room(shape, dtype)
