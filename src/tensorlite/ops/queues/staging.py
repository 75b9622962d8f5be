"""StagingArea: elements put aside by one step for a later one, which so overlap.

Queues, which can be closed and give batches, are in queues.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.deadlock import Want
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType, DTypeLike
from tensorlite.core.errors import (
    InvalidArgumentError,
    ResourceExhaustedError,
    StructureError,
)
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import Dims, TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.fetchable import effect
from tensorlite.ops.queues.monitor import (
    LATER,
    Fetchable,
    Monitor,
    at_least,
    components,
    fitting,
    integer,
    must_fit,
    scalar,
    spec_of,
)
from tensorlite.ops.state.making import Making, made

__all__ = ["StagingArea"]

Values: TypeAlias = TensorLike | Sequence[TensorLike] | Mapping[str, TensorLike]
Element: TypeAlias = tuple[Array, ...]


class StagingState(Monitor):
    """Elements in the order in which they came, and how many bytes they take."""

    def __init__(
        self,
        inner: tuple[TensorSpec, ...],
        capacity: int,
        memory_limit: int,
        name: str,
    ) -> None:
        super().__init__(name, inner)
        self.capacity = capacity
        self.memory_limit = memory_limit
        self.elements: deque[Element] = deque()
        self.bytes = 0

    @property
    def title(self) -> str:
        """What messages call this."""
        return f"staging area {self.name!r}"

    def put(self, element: Element, done: Done) -> Cancel | None:
        """Begin to put an element; ResourceExhaustedError when there can never be room for it."""
        size = sum(array.nbytes for array in element)
        if 0 < self.memory_limit < size:
            raise ResourceExhaustedError(
                f"{self.title}: an element of {size} bytes, and memory_limit={self.memory_limit}; "
                "make the area with a higher limit, or put smaller elements"
            )
        return self.ask("fills", lambda: self._put(element, size), done)

    def _put(self, element: Element, size: int) -> Any:
        if 0 < self.capacity <= len(self.elements):
            return LATER
        if 0 < self.memory_limit < self.bytes + size:
            return LATER
        self.elements.append(element)
        self.bytes += size
        return ()

    def take(self, done: Done) -> Cancel | None:
        """Begin to take the oldest element."""
        return self.ask("drains", self._take, done)

    def _take(self) -> Any:
        if not self.elements:
            return LATER
        element = self.elements.popleft()
        self.bytes -= sum(array.nbytes for array in element)
        return element

    def peek(self, index: int, done: Done) -> Cancel | None:
        """Begin to read the element at `index`, counted from the oldest."""
        return self.ask(f"looks at {index}", lambda: self._peek(index), done)

    def _peek(self, index: int) -> Any:
        return self.elements[index] if index < len(self.elements) else LATER

    def clear(self) -> None:
        """Drop all elements."""
        self.change("drains", self._clear)

    def _clear(self) -> None:
        self.elements.clear()
        self.bytes = 0


class StageHandleOp(Making):
    """Makes a staging area; 0 is no limit of elements, or of bytes.

    In TensorFlow the operators below have these attributes, and no handle.
    """

    components: tuple[TensorSpec, ...]
    capacity: int = 0
    memory_limit: int = 0

    def inner(self) -> tuple[TensorSpec, ...]:
        """Return the components' specs."""
        return self.components

    def fresh(self, xp: Xp) -> StagingState:
        """Return a new staging area."""
        return StagingState(
            self.components, self.capacity, self.memory_limit, self.label
        )


class Stage(Waiting):
    """Puts an element into a staging area, when there is room."""

    effect = Effect.WRITE

    def infer(
        self, handle: TensorSpec, *values: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; StructureError, DTypeError or ShapeError when the element is none."""
        _fit("the staging area", handle.inner, values)
        return ()

    def start(self, done: Done, state: StagingState, *values: Array) -> Cancel | None:
        """Begin to put the element."""
        _fit(state.title, state.spec.inner, [spec_of(x) for x in values])
        return state.put(values, done)

    def waits_for(self, state: StagingState, *values: Array) -> Want:
        """Return that room is waited for."""
        what = f"room in {state.title} ({len(state.elements)} elements there)"
        return Want(what, "drains", state.parties["drains"])


def _fit(
    title: str, wanted: Sequence[TensorSpec], given: Sequence[TensorSpec]
) -> None:
    if len(wanted) != len(given):
        raise StructureError(
            f"{title}: elements have {len(wanted)} components, and {len(given)} are given"
        )
    for i, (component, spec) in enumerate(zip(wanted, given, strict=True)):
        must_fit(f"component {i} of {title}", component, spec)


class Unstage(Waiting):
    """The oldest element of a staging area, which leaves it."""

    effect = Effect.WRITE
    aliases = True

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the components."""
        return handle.inner

    def start(self, done: Done, state: StagingState) -> Cancel | None:
        """Begin to take."""
        return state.take(done)

    def waits_for(self, state: StagingState) -> Want:
        """Return that an element is waited for."""
        return Want(f"an element of {state.title}", "fills", state.parties["fills"])


class StagePeek(Waiting):
    """An element of a staging area, counted from the oldest, which stays there."""

    effect = Effect.READ
    aliases = True
    host = (1,)

    def infer(self, handle: TensorSpec, index: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the components."""
        scalar(self, "index", index, 0)
        return handle.inner

    def start(self, done: Done, state: StagingState, index: Array) -> Cancel | None:
        """Begin to read."""
        at_least(self, "index", int(index), 0)
        return state.peek(int(index), done)

    def waits_for(self, state: StagingState, index: Array) -> Want:
        """Return that elements are waited for."""
        what = f"{int(index) + 1} elements in {state.title} ({len(state.elements)} there)"
        return Want(what, "fills", state.parties["fills"])


class StageSize(Op):
    """The number of elements in a staging area."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d int32."""
        return TensorSpec((), dtypes.int32)

    def kernel(self, xp: Xp, state: StagingState) -> Array:
        """Return the number, in host memory."""
        return np.asarray(len(state.elements), np.int32)


class StageClear(Op):
    """Drops all elements of a staging area."""

    effect = Effect.WRITE
    differentiable = False

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, state: StagingState) -> tuple[Array, ...]:
        """Drop the elements."""
        state.clear()
        return ()


class StagingArea:
    """Elements that wait for a later step, first in, first out.

    An element has a tensor for each of `dtypes`, of the shape that `shapes` says, if given. At
    most `capacity` elements of `memory_limit` bytes in all are there at a time, any number with 0;
    `put` waits for room. With `names` elements are dicts. All areas of one `shared_name` on one
    task are the same. Source: TensorFlow's `StagingArea`.

    >>> area = tl.queue.StagingArea([tl.float32, tl.int32], capacity=2)
    >>> area.put([[1.0, 2.0], 3])
    >>> x, n = area.get()
    >>> print(x, n)
    [1. 2.] 3
    """

    def __init__(
        self,
        dtypes: Sequence[DTypeLike],
        shapes: Sequence[Sequence[int | None]] | None = None,
        names: Sequence[str] | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
        name: str = "staging_area",
        shared_name: str | None = None,
    ) -> None:
        inner = components(name, dtypes, shapes)
        most = int(whole(capacity, f"{name}: capacity", 0))
        limit = int(whole(memory_limit, f"{name}: memory_limit", 0))
        if names is not None and len(set(names)) != len(inner):
            raise InvalidArgumentError(
                f"{name}: names={list(names)}: {len(inner)} components need as many, each once"
            )
        self.names = None if names is None else list(names)
        self.capacity, self.memory_limit, self.name = most, limit, name
        self._components = inner
        self.handle = made(
            lambda: StageHandleOp(
                inner,
                most,
                limit,
                debug_name=name,
                shared_name=shared_name or "",
            )
        )

    @property
    def dtypes(self) -> list[DType]:
        """The dtype of each component."""
        return [spec.dtype for spec in self._components]

    @property
    def shapes(self) -> list[Dims | None]:
        """The shape of each component, None where it is unknown."""
        return [spec.shape for spec in self._components]

    def put(self, values: Values) -> Fetchable:
        """Put an element: a tensor, a list with one for each component, or a dict by `names`.

        Waits for room. Raises StructureError, DTypeError or ShapeError for what is no element, and
        ResourceExhaustedError for one larger than the memory limit. Source: TensorFlow's Stage.

        >>> area = tl.queue.StagingArea([tl.int32], names=["n"])
        >>> area.put({"n": 5})
        >>> print(area.get()["n"])
        5
        """
        return effect(Stage(), self.handle, *self._given(values))

    def get(self) -> Any:
        """Return the oldest element, which leaves: a list of tensors, or a dict by `names`.

        Waits while there is none. Source: TensorFlow's Unstage.

        >>> area = tl.queue.StagingArea([tl.int32])
        >>> area.put(5)
        >>> area.put(6)
        >>> print(*area.get())
        5
        """
        return self._returned(calls(Unstage(), self.handle))

    def peek(self, index: TensorLike) -> Any:
        """Return the element at `index`, counted from the oldest, which stays.

        Waits until there is one. Raises InvalidArgumentError for a negative index. Source:
        TensorFlow's StagePeek.

        >>> area = tl.queue.StagingArea([tl.int32])
        >>> area.put(5)
        >>> print(*area.peek(0), *area.get())
        5 5
        """
        place = integer(index, f"{self.name}: index")
        return self._returned(calls(StagePeek(), self.handle, place))

    def size(self) -> Tensor:
        """Return the number of elements, a 0-d int32. Source: TensorFlow's StageSize.

        >>> print(tl.queue.StagingArea([tl.int32]).size())
        0
        """
        return call(StageSize(), self.handle)

    def clear(self) -> Fetchable:
        """Drop all elements. Source: TensorFlow's StageClear.

        >>> area = tl.queue.StagingArea([tl.int32])
        >>> area.put(5)
        >>> area.clear()
        >>> print(area.size())
        0
        """
        return effect(StageClear(), self.handle)

    def _given(self, values: Values) -> list[Tensor]:
        """Return one tensor for each component."""
        if isinstance(values, Mapping):
            if self.names is None or set(values) != set(self.names):
                raise StructureError(
                    f"{self.name}: a dict with keys {list(values)} is put; the area's names are "
                    f"{self.names}"
                )
            listed: list[Any] = [values[name] for name in self.names]
        elif self.names is not None:
            raise StructureError(
                f"{self.name} takes a dict with the keys {self.names}"
            )
        else:
            listed = list(values) if isinstance(values, (list, tuple)) else [values]
        if len(listed) != len(self._components):
            raise StructureError(
                f"{self.name}: {len(listed)} values for {len(self._components)} components; "
                "for one component that is a list, write [[1, 2, 3]]"
            )
        pairs = zip(listed, self._components, strict=True)
        return [fitting(x, spec.dtype) for x, spec in pairs]

    def _returned(self, outputs: Sequence[Tensor]) -> Any:
        if self.names is None:
            return list(outputs)
        return dict(zip(self.names, outputs, strict=True))

    def __repr__(self) -> str:
        listed = ", ".join(map(str, self._components))
        return f"StagingArea(name={self.name!r}, components=({listed}))"
