"""Staging areas by key: elements put aside under a number, whole or one component after another.

Those that give elements in the order in which they came are in staging.py.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tensorlite.core.deadlock import Want
from tensorlite.core.dtypes import DType, int32, int64
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ResourceExhaustedError,
)
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.queues.monitor import LATER, Monitor, must_fit, spec_of
from tensorlite.ops.state.making import Making

__all__: list[str] = []


class MapStagingState(Monitor):
    """Elements by key, those that are whole and those that lack components."""

    def __init__(
        self, capacity: int, memory_limit: int, ordered: bool, name: str
    ) -> None:
        super().__init__(name)
        self.capacity = capacity
        self.memory_limit = memory_limit
        self.ordered = ordered
        self.whole: dict[int, dict[int, Array]] = {}
        self.partial: dict[int, dict[int, Array]] = {}
        self.bytes = 0

    @property
    def title(self) -> str:
        """What messages call this."""
        return f"map staging area {self.name!r}"

    def put(
        self, key: int, given: dict[int, Array], count: int, done: Done
    ) -> Cancel | None:
        """Begin to put some of the `count` components of an element.

        Raises ResourceExhaustedError when there can never be room for them.
        """
        size = sum(array.nbytes for array in given.values())
        if 0 < self.memory_limit < size:
            raise ResourceExhaustedError(
                f"{self.title}: {size} bytes are put, and memory_limit={self.memory_limit}; make "
                "the area with a higher limit, or put smaller elements"
            )
        return self.ask("fills", lambda: self._put(key, given, count, size), done)

    def _put(self, key: int, given: dict[int, Array], count: int, size: int) -> Any:
        held = self.partial.get(key, {})
        twice = sorted(set(held) & set(given))
        if twice:
            raise InvalidArgumentError(
                f"{self.title}: the tensor for index {twice[0]} for key {key} was already put"
            )
        if 0 < self.memory_limit < self.bytes + size:
            return LATER
        is_whole = len(held) + len(given) == count
        if is_whole and 0 < self.capacity <= len(self.whole):
            return LATER
        self.bytes += size
        if is_whole:
            self.partial.pop(key, None)
            self.whole.setdefault(key, {**held, **given})
        else:
            self.partial[key] = {**held, **given}
        return ()

    def get(
        self, key: int | None, places: list[int], keeps: bool, done: Done
    ) -> Cancel | None:
        """Begin to give components of a key's element, or of any, in the order of `places`."""
        line = "looks" if keeps else "drains"
        return self.ask(f"{line} {key}", lambda: self._get(key, places, keeps), done)

    def _get(self, key: int | None, places: list[int], keeps: bool) -> Any:
        if key is None and self.whole:
            key = min(self.whole) if self.ordered else next(iter(self.whole))
        if key not in self.whole:
            return LATER
        element = self.whole[key]
        gone = [i for i in places if i not in element]
        if gone:
            raise InvalidArgumentError(
                f"{self.title}: the tensor at index {gone[0]} for key {key} has already been "
                "removed"
            )
        found = [element[i] for i in places]
        if not keeps:
            self._drop(key, places)
        return key, found

    def _drop(self, key: int, places: list[int]) -> None:
        element = self.whole[key]
        for place in set(places):
            self.bytes -= element.pop(place).nbytes
        if not element:
            del self.whole[key]

    def clear(self) -> None:
        """Drop all elements."""
        self.change("drains", self._clear)

    def _clear(self) -> None:
        self.whole.clear()
        self.partial.clear()
        self.bytes = 0


class MapStageHandleOp(Making):
    """Makes a map staging area; 0 is no limit of elements, or of bytes.

    In TensorFlow the operators below have these attributes, and no handle.
    """

    capacity: int = 0
    memory_limit: int = 0
    ordered: bool = False

    def fresh(self, xp: Xp) -> MapStagingState:
        """Return a new area."""
        return MapStagingState(
            self.capacity, self.memory_limit, self.ordered, self.label
        )


def _check_key(op: Op, key: TensorSpec) -> None:
    if key.dtype is not int64 or key.rank not in (0, None):
        raise DTypeError(f"{op.name}: the key is {key}; allowed is a scalar of int64")


def _places(op: Op, indices: Array) -> list[int]:
    """Return which components indices name, each once."""
    places = np.ravel(indices).tolist()
    if any(i < 0 for i in places) or len(set(places)) < len(places):
        raise InvalidArgumentError(
            f"{op.name}: indices {places}; allowed are 0 and more, each once"
        )
    return places


class MapStage(Waiting):
    """Puts components of an element under a key, which others may complete."""

    dtypes: tuple[DType, ...]
    """Those of all components of an element."""
    effect = Effect.WRITE
    host = (1, 2)

    def infer(
        self,
        handle: TensorSpec,
        key: TensorSpec,
        indices: TensorSpec,
        *values: TensorSpec,
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError for keys of other dtypes."""
        _check_key(self, key)
        return ()

    def start(
        self,
        done: Done,
        state: MapStagingState,
        key: Array,
        indices: Array,
        *values: Array,
    ) -> Cancel | None:
        """Begin to put them; InvalidArgumentError for what are no components."""
        places, count = _places(self, indices), len(self.dtypes)
        if len(places) != len(values) or max(places, default=0) >= count:
            raise InvalidArgumentError(
                f"{self.name}: indices {places} for {len(values)} values; elements have {count} "
                "components"
            )
        for i, value in zip(places, values, strict=True):
            component = TensorSpec(None, self.dtypes[i])
            must_fit(f"component {i} of {state.title}", component, spec_of(value))
        given = dict(zip(places, values, strict=True))
        return state.put(int(key), given, count, done)

    def waits_for(self, state: MapStagingState, *values: Array) -> Want:
        """Return that room is waited for."""
        what = f"room in {state.title} ({len(state.whole)} elements there)"
        return Want(what, "drains", state.parties["drains"])


class _OfKey(Waiting, abstract=True):
    """What gives components of the element under a key."""

    dtypes: tuple[DType, ...]
    """Those of the components that are asked for."""
    aliases = True
    host = (1, 2)
    keeps: ClassVar[bool] = False

    def infer(
        self, handle: TensorSpec, key: TensorSpec, indices: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return what is asked for."""
        _check_key(self, key)
        return tuple([TensorSpec(None, kind) for kind in self.dtypes])

    def start(
        self, done: Done, state: MapStagingState, key: Array, indices: Array
    ) -> Cancel | None:
        """Begin to give them."""
        places = _places(self, indices)
        return state.get(int(key), places, self.keeps, lambda x: done(_behind_key(x)))

    def waits_for(self, state: MapStagingState, key: Array, indices: Array) -> Want:
        """Return that an element is waited for."""
        what = f"the element of key {int(key)} of {state.title}"
        return Want(what, "fills", state.parties["fills"])


def _behind_key(answer: Any) -> Any:
    return tuple(answer[1]) if isinstance(answer, tuple) else answer


class MapUnstage(_OfKey):
    """Components of the element under a key, which leave."""

    effect = Effect.WRITE


class MapPeek(_OfKey):
    """Components of the element under a key, which stay."""

    effect = Effect.READ
    keeps = True


class MapUnstageNoKey(Waiting):
    """A key and components of its element, which leave; in ordered areas that of the least key."""

    dtypes: tuple[DType, ...]
    """Those of the components that are asked for."""
    effect = Effect.WRITE
    aliases = True
    host = (1,)

    def infer(
        self, handle: TensorSpec, indices: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the key's spec and those of the components."""
        key = TensorSpec((), int64)
        return key, *[TensorSpec(None, kind) for kind in self.dtypes]

    def start(
        self, done: Done, state: MapStagingState, indices: Array
    ) -> Cancel | None:
        """Begin to give them."""

        def told(answer: Any) -> None:
            is_found = isinstance(answer, tuple)
            done(
                (np.asarray(answer[0], np.int64), *answer[1]) if is_found else answer
            )

        return state.get(None, _places(self, indices), False, told)

    def waits_for(self, state: MapStagingState, indices: Array) -> Want:
        """Return that an element is waited for."""
        return Want(f"an element of {state.title}", "fills", state.parties["fills"])


class MapSize(Op):
    """The number of whole elements in a map staging area."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d int32."""
        return TensorSpec((), int32)

    def kernel(self, xp: Xp, state: MapStagingState) -> Array:
        """Return the number, in host memory."""
        return np.asarray(len(state.whole), np.int32)


class MapIncompleteSize(MapSize):
    """The number of elements in a map staging area that lack components."""

    def kernel(self, xp: Xp, state: MapStagingState) -> Array:
        """Return the number, in host memory."""
        return np.asarray(len(state.partial), np.int32)


class MapClear(Op):
    """Drops all elements of a map staging area."""

    effect = Effect.WRITE
    differentiable = False

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, state: MapStagingState) -> tuple[Array, ...]:
        """Drop the elements."""
        state.clear()
        return ()
