"""The operators on barriers' handles, and the state behind those: entries, by key.

The class that people use is in barrier.py. What waits does so as monitor.py says.
"""

from __future__ import annotations

from heapq import heappop, heappush, nsmallest
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.deadlock import Want
from tensorlite.core.errors import (
    CancelledError,
    DTypeError,
    InvalidArgumentError,
    OutOfRangeError,
    ShapeError,
)
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.queues.monitor import (
    LATER,
    Monitor,
    at_least,
    must_fit,
    scalar,
    spec_of,
)
from tensorlite.ops.state.making import Making

__all__: list[str] = []


class Entry(NamedTuple):
    """What has come for a key, in the order in which keys first came."""

    insertion: int
    """The number of the insertion that had the key first."""
    order: int
    """Which of all keys it was; no two are equal, so that the rest is not compared."""
    key: str
    values: tuple[Array, ...]
    """One for each component, None where it has not come."""


class BarrierState(Monitor):
    """Entries that lack components, by key, and complete ones, as a heap."""

    def __init__(self, inner: tuple[TensorSpec, ...], name: str) -> None:
        super().__init__(name, inner)
        self.incomplete: dict[str, Entry] = {}
        self.ready: list[Entry] = []
        self.closed = False
        self.cancelled = False
        self._insertion = -(2**63)
        self._order = 0

    @property
    def title(self) -> str:
        """What messages call this."""
        return f"barrier {self.name!r}"

    def insert(self, component: int, keys: list[str], values: Array) -> None:
        """Insert rows; all of them, or none and an error."""
        self.change("inserts into", lambda: self._insert(component, keys, values))

    def _insert(self, component: int, keys: list[str], values: Array) -> None:
        changed: dict[str, Entry | None] = {}
        complete: list[Entry] = []
        order = self._order
        for key, value in zip(keys, values, strict=True):
            entry = changed[key] if key in changed else self.incomplete.get(key)
            if entry is None:
                self._check_open(key)
                entry = Entry(
                    self._insertion, order, key, (None,) * len(self.spec.inner)
                )
                order += 1
            entry = self._filled(entry, component, value)
            if any(x is None for x in entry.values):
                changed[key] = entry
            else:
                changed[key] = None
                complete.append(entry)
        self._adopt(changed, complete, order)

    def _check_open(self, key: str) -> None:
        if self.closed:
            raise CancelledError(
                f"{self.title} is closed, and {key!r} is a new key; keys that lack components may "
                "still be completed"
            )

    def _filled(self, entry: Entry, component: int, value: Array) -> Entry:
        if entry.values[component] is not None:
            raise InvalidArgumentError(
                f"{self.title}: key {entry.key!r} has component {component} already"
            )
        values = list(entry.values)
        values[component] = np.asarray(value, self.spec.inner[component].dtype.numpy)
        return entry._replace(values=tuple(values))

    def _adopt(
        self, changed: dict[str, Entry | None], complete: list[Entry], order: int
    ) -> None:
        """Let the barrier be as an insertion has made it."""
        for key, entry in changed.items():
            if entry is None:
                self.incomplete.pop(key, None)
            else:
                self.incomplete[key] = entry
        for entry in complete:
            heappush(self.ready, entry)
        if order > self._order:
            self._insertion += 1
        self._order = order

    def take(self, number: int, small: bool, done: Done) -> Cancel | None:
        """Begin to take complete entries, those first whose keys came first."""
        return self.ask("takes from", lambda: self._take(number, small), done)

    def _take(self, number: int, small: bool) -> Any:
        if self.closed:
            number = self._still(number, small)
        if len(self.ready) < number:
            return LATER
        batch = self._batch(nsmallest(number, self.ready))
        for _ in range(number):
            heappop(self.ready)
        return batch

    def _still(self, number: int, small: bool) -> int:
        """Return how many entries to take, the barrier being closed; OutOfRangeError for none."""
        ready = len(self.ready)
        wanted = min(number, ready) if small else number
        possible = ready if small else ready + len(self.incomplete)
        if possible < max(wanted, 1):
            raise OutOfRangeError(
                f"{self.title} is closed and has insufficient elements "
                f"(requested {number}, total size {possible})"
            )
        return wanted

    def _batch(self, entries: list[Entry]) -> tuple[Array, ...]:
        """Return indices, keys and stacked components; ShapeError when they do not stack."""
        indices = np.asarray([entry.insertion for entry in entries], np.int64)
        keys = np.asarray([entry.key for entry in entries], object)
        columns = [
            _stacked(spec, [entry.values[i] for entry in entries])
            for i, spec in enumerate(self.spec.inner)
        ]
        return indices, keys, *columns

    def close(self, cancel: bool) -> None:
        """Take no new keys, and with `cancel` no components of old ones either."""
        self.change("closes", lambda: self._close(cancel))

    def _close(self, cancel: bool) -> None:
        if self.closed and (self.cancelled or not cancel):
            raise CancelledError(f"{self.title} is already closed")
        self.closed = True
        if cancel:
            self.cancelled = True
            self.incomplete.clear()


def _stacked(spec: TensorSpec, rows: list[Array]) -> Array:
    shapes = {row.shape for row in rows}
    if len(shapes) > 1:
        raise ShapeError(
            f"values of shapes {sorted(shapes)} make no batch; take them one at a time, or insert "
            "values of one shape"
        )
    unknown = tuple([size or 0 for size in spec.shape or ()])
    result = np.empty(
        (len(rows), *(shapes.pop() if rows else unknown)), spec.dtype.numpy
    )
    for i, row in enumerate(rows):
        result[i, ...] = row
    return result


class Barrier(Making):
    """Makes a barrier of entries of some components."""

    components: tuple[TensorSpec, ...]

    def inner(self) -> tuple[TensorSpec, ...]:
        """Return the components' specs."""
        return self.components

    def fresh(self, xp: Xp) -> BarrierState:
        """Return a new barrier."""
        return BarrierState(self.components, self.label)


class BarrierInsertMany(Op):
    """Inserts values of one component for keys."""

    effect = Effect.WRITE
    differentiable = False
    component_index: int

    def infer(
        self, handle: TensorSpec, keys: TensorSpec, values: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; an error when keys and values do not fit the barrier."""
        self._check(handle, keys, values)
        return ()

    def kernel(
        self, xp: Xp, state: BarrierState, keys: Array, values: Array
    ) -> tuple[Array, ...]:
        """Insert the values."""
        self._check(state.spec, spec_of(keys), spec_of(values))
        state.insert(self.component_index, keys.tolist(), values)
        return ()

    def _check(
        self, handle: TensorSpec, keys: TensorSpec, values: TensorSpec
    ) -> None:
        number = len(handle.inner)
        if not 0 <= self.component_index < number:
            raise InvalidArgumentError(
                f"{self.name}: component_index={self.component_index}; the barrier has {number} "
                "components, counted from 0"
            )
        if keys.dtype is not dtypes.string:
            raise DTypeError(f"{self.name}: keys are {keys}; allowed are strings")
        if keys.rank not in (1, None) or values.rank == 0:
            raise ShapeError(
                f"{self.name}: keys {keys} and values {values}; a vector of keys is due, and for "
                "each a row of values"
            )
        row = handle.inner[self.component_index]
        rows = None if row.shape is None else (None, *row.shape)
        what = f"component {self.component_index} of the barrier"
        must_fit(what, TensorSpec(rows, row.dtype), values)
        if keys.shape is not None and values.shape is not None:
            must_fit("the vector of keys", keys, keys.with_shape(values.dims[:1]))


class BarrierTakeMany(Waiting):
    """Indices, keys and components of complete entries, when there are enough."""

    effect = Effect.WRITE
    host = (1,)
    allow_small_batch: bool = False

    def infer(
        self, handle: TensorSpec, num_elements: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the specs of indices, keys and components."""
        scalar(self, "num_elements", num_elements, 0)
        number = None if self.allow_small_batch else num_elements.scalar()
        columns = [
            spec.with_shape(None if spec.shape is None else (number, *spec.shape))
            for spec in handle.inner
        ]
        return (
            TensorSpec((number,), dtypes.int64),
            TensorSpec((number,), dtypes.string),
            *columns,
        )

    def start(
        self, done: Done, state: BarrierState, num_elements: Array
    ) -> Cancel | None:
        """Begin to take."""
        number = int(num_elements)
        at_least(self, "num_elements", number, 0)
        return state.take(number, self.allow_small_batch, done)

    def waits_for(self, state: BarrierState, num_elements: Array) -> Want:
        """Return that complete entries are waited for."""
        what = (
            f"{int(num_elements)} complete entries of {state.title} ({len(state.ready)} complete, "
            f"{len(state.incomplete)} not)"
        )
        return Want(what, "inserts into", state.parties["inserts into"])


class BarrierClose(Op):
    """Closes a barrier: new keys are refused."""

    effect = Effect.WRITE
    differentiable = False
    cancel_pending_enqueues: bool = False

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, state: BarrierState) -> tuple[Array, ...]:
        """Close the barrier."""
        state.close(self.cancel_pending_enqueues)
        return ()


class _Size(Op, abstract=True):
    """How many entries there are of a kind."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d int32."""
        return TensorSpec((), dtypes.int32)


class BarrierReadySize(_Size):
    """The number of complete entries."""

    def kernel(self, xp: Xp, state: BarrierState) -> Array:
        """Return the number, in host memory."""
        return np.asarray(len(state.ready), np.int32)


class BarrierIncompleteSize(_Size):
    """The number of entries that lack components."""

    def kernel(self, xp: Xp, state: BarrierState) -> Array:
        """Return the number, in host memory."""
        return np.asarray(len(state.incomplete), np.int32)
