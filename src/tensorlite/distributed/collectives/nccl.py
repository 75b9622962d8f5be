"""All-reduce between GPUs of several tasks, by NCCL through CuPy. What is in host memory is not.

Not proven on GPUs: it has only run with stand-ins for CuPy and NCCL. NCCL wants all ranks to begin
the same operations in the same order, and hangs when one does not come. So nobody calls it before
all ranks are there: they greet rank 0, which gives each operation a number, and it is begun by
number. That goes through the carrier, as the id does by which NCCL's communicators find each other.
"""

from __future__ import annotations

import importlib
import json
from functools import cache, partial
from threading import Lock
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tensorlite.core.waiting import Done
from tensorlite.core.xp import Array, device_of, on_device, xp_of
from tensorlite.distributed.collectives.folds import Fold
from tensorlite.distributed.collectives.meetings import GREETING, Group, Meeting
from tensorlite.distributed.transport.carrier import Carrier

TICKET = (1,)
TYPES = {
    **{name: f"NCCL_{name.upper()}" for name in ("int8", "int32", "int64")},
    **{name: f"NCCL_{name.upper()}" for name in ("uint8", "uint32", "uint64")},
    **{name: f"NCCL_{name.upper()}" for name in ("float16", "float32", "float64")},
    "bfloat16": "NCCL_BFLOAT16",
}
MERGES = {"sum": "NCCL_SUM", "mean": "NCCL_SUM", "max": "NCCL_MAX", "min": "NCCL_MIN"}


@cache
def module() -> ModuleType | None:
    """Return CuPy's binding of NCCL, if it is there."""
    try:
        found = importlib.import_module("cupy.cuda.nccl")
    except Exception:  # noqa: BLE001  a missing or broken library raises what it likes
        return None
    return found if found.available else None


def takes(array: Array) -> bool:
    """Return whether an array can be reduced here."""
    bound = module()
    name = TYPES.get(array.dtype.name)
    return xp_of(array) is not np and bound is not None and hasattr(bound, name or "")


class _Line:
    """The operations of a group, which are done one by one in the order of their numbers."""

    def __init__(self, unique: list[int]) -> None:
        self.unique = unique
        self.communicator: Any = None
        self.given = 0
        """Numbers that rank 0 has given."""
        self._lock = Lock()
        self._working = Lock()
        self._next = 0
        self._waiting: dict[int, AllReduce] = {}

    def number(self) -> int:
        """Return the next number."""
        with self._lock:
            self.given += 1
            return self.given - 1

    def work(self, number: int, one: AllReduce) -> None:
        """Do an operation when it is its turn, and those that have waited for that."""
        with self._lock:
            self._waiting[number] = one
        while True:
            with self._working:
                with self._lock:
                    due = self._waiting.pop(self._next, None)
                    self._next += due is not None
                if due is None:
                    return
                due.guarded(due.work, self)


_lines: WeakKeyDictionary[Carrier, dict[tuple[str, ...], _Line]] = WeakKeyDictionary()
_lock = Lock()


def _line(group: Group, unique: list[int] | None = None) -> _Line:
    """Return the line of a group: that of an id, or what rank 0 has or makes."""
    bound = module()
    assert bound is not None
    with _lock:
        lines = _lines.setdefault(group.carrier, {})
        line = lines.get(group.tasks)
        if line is None or (unique is not None and line.unique != unique):
            made = [*bound.get_unique_id()] if unique is None else unique
            line = lines[group.tasks] = _Line(made)
        return line


class AllReduce(Meeting):
    """An all-reduce by NCCL."""

    title = "all-reduce"

    def __init__(
        self,
        group: Group,
        step: int,
        key: str,
        done: Done,
        fold: Fold,
        greeting: bytes,
        array: Array,
    ) -> None:
        super().__init__(group, step, key, done)
        self.fold = fold
        self.greeting = greeting
        self.array = array

    def start(self) -> None:
        """Greet rank 0 and hear the number; or hear all, and tell it."""
        self.watch(self.group.others)
        if self.group.rank:
            self.greet([0], self.greeting)
            self.hear(0, TICKET, self._told)
            return
        self._left = len(self.group.others)
        for rank in self.group.others:
            self.hear(rank, GREETING, partial(self._greets, rank))

    def fail(self, error: Exception, first: bool = True) -> None:
        """End this, and the communicator: another rank may wait in it for one that is gone."""
        if not self.is_over:
            with _lock:
                lines = _lines.get(self.group.carrier, {})
                line = lines.pop(self.group.tasks, None)
            if line is not None and line.communicator is not None:
                line.communicator.abort()
        super().fail(error, first)

    def _greets(self, rank: int, came: Array) -> None:
        self.agree(rank, self.greeting, came)
        with self._lock:
            self._left -= 1
            left = self._left
        if left:
            return
        line = _line(self.group)
        number = line.number()
        ticket = json.dumps([number, line.unique]).encode()
        for other in self.group.others:
            self.send(other, TICKET, np.frombuffer(ticket, np.uint8))
        self.group.carrier.later(partial(line.work, number, self))

    def _told(self, came: Array) -> None:
        number, unique = json.loads(came.tobytes())
        line = _line(self.group, unique)
        self.group.carrier.later(partial(line.work, number, self))

    def work(self, line: _Line) -> None:
        """Reduce, on a thread that may wait."""
        bound = module()
        assert bound is not None
        xp = xp_of(self.array)
        with on_device(device_of(self.array)):
            if line.communicator is None:
                size, rank = self.group.size, self.group.rank
                unique = tuple(line.unique)
                line.communicator = bound.NcclCommunicator(size, unique, rank)
            source = xp.ascontiguousarray(self.array)
            found = xp.empty_like(source)
            stream = xp.cuda.get_current_stream()
            kind = getattr(bound, TYPES[source.dtype.name])
            merge = getattr(bound, MERGES[self.fold.op])
            line.communicator.allReduce(
                pointer(source), pointer(found), source.size, kind, merge, stream.ptr
            )
            stream.synchronize()
            if self.fold.op == "mean":
                found = (found / self.fold.size).astype(source.dtype)
        self.finish(found.reshape(self.array.shape))


def pointer(array: Array) -> int:
    """Return where the elements of an array begin in the memory of its GPU."""
    return int(array.data.ptr)
