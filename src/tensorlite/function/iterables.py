"""What a converted `for` can run over in a graph: tensors, ranges, and enumerate and zip of these.

Each kind says its length and its item at an index, both tensors. The loop itself is in loops.py.
"""

from __future__ import annotations

import builtins
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls, constant, to_tensor, tracer
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.function.staged_list import StagedList
from tensorlite.function.values import is_symbolic
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.control.lists import element_shape, from_tensor, get_item
from tensorlite.ops.math.arithmetic import Range
from tensorlite.ops.math.bounds import maximum, minimum


class ShowProgress(Op):
    """Writes to the standard error stream how far a loop has come."""

    effect = Effect.IO
    differentiable = False
    host = (0, 1)
    label: str = ""

    def infer(self, done: TensorSpec, total: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, done: Array, total: Array) -> tuple[Array, ...]:
        """Write one line, over the last one; at most a hundred times a loop."""
        turn, turns = int(done), int(total)
        if turn == turns or turn % (turns // 100 or 1) == 0:
            end = "\n" if turn == turns else ""
            name = f"{self.label}: " if self.label else ""
            sys.stderr.write(
                f"\r{name}{turn}/{turns} ({100 * turn // (turns or 1)} %){end}"
            )
            sys.stderr.flush()
        return ()


class Staged(ABC):
    """Something that a loop in a graph can run over."""

    @abstractmethod
    def length(self) -> Tensor:
        """Return the number of items, a 0-d int32."""

    @abstractmethod
    def at(self, index: Tensor) -> Any:
        """Return the item at an index."""

    def after(self, index: Tensor) -> None:  # noqa: B027  most have nothing to do
        """Do what is to be done after the turn with an index."""

    def first(self) -> Tensor:
        """Return the index of the first turn."""
        return constant(0, dtypes.int32)

    def end(self) -> Tensor:
        """Return what the index is compared with before each turn."""
        return self.length()

    def is_before(self, index: Tensor, end: Tensor) -> Tensor:
        """Return whether there is a turn with an index."""
        return index < end

    def following(self, index: Tensor) -> Tensor:
        """Return the index of the turn after that with another."""
        return index + 1


class Counted(Staged):
    """Whole numbers in steps, of which each gives the next; they make no tensor together."""

    def __init__(self, start: Tensor, limit: Tensor, step: Tensor) -> None:
        self._start, self._limit, self._step = start, limit, step

    def length(self) -> Tensor:
        """Return how many numbers there are."""
        ends = [
            astype(x, dtypes.int32) for x in (self._start, self._limit, self._step)
        ]
        start, limit, step = ends
        return maximum(-((start - limit) // step), 0)

    def at(self, index: Tensor) -> Tensor:
        """Return the number of a turn, which is what counts it."""
        return index

    def first(self) -> Tensor:
        """Return the first number."""
        return self._start

    def end(self) -> Tensor:
        """Return the first number that is no more among these."""
        return self._limit

    def is_before(self, index: Tensor, end: Tensor) -> Tensor:
        """Return whether a number is before the end, on the side that the steps come from."""
        step = self._step.spec.scalar()
        if step is not None:
            return index < end if step >= 0 else index > end
        upward, downward = self._step >= 0, self._step < 0
        return (upward & (index < end)) | (downward & (index > end))

    def following(self, index: Tensor) -> Tensor:
        """Return the next number."""
        return index + self._step


class Rows(Staged):
    """The rows of a tensor, unstacked into a list first, so that a gradient is made row by row."""

    def __init__(self, x: Tensor) -> None:
        if x.spec.shape == ():
            raise DTypeError("a 0-d tensor cannot be iterated over")
        self._x = x
        self._list = from_tensor(x)

    def length(self) -> Tensor:
        """Return the size of the first axis."""
        return shape_of(self._x)[0]

    def at(self, index: Tensor) -> Tensor:
        """Return a row."""
        shape = self._x.spec.shape
        rows = element_shape(None if shape is None else shape[1:])
        return get_item(self._list, index, rows, self._x.dtype)


class Elements(Staged):
    """The elements of a list that a loop appended to."""

    def __init__(self, values: StagedList) -> None:
        self._values = values

    def length(self) -> Tensor:
        """Return the list's length."""
        return self._values.length()

    def at(self, index: Tensor) -> Tensor:
        """Return an element."""
        return self._values[index]


class range(Staged):  # noqa: N801  it stands where Python's range does
    """Numbers from `start` up to `stop` by `step`, which may be tensors.

    In a traced function a `for` over it is one loop in the graph, even if all bounds are Python
    numbers; eagerly it yields 0-d tensors. With `progress`, the loop reports how far it is to the
    standard error stream, also from inside a graph; a string labels the report.

    >>> print([int(i) for i in tl.range(1, 7, 2)])
    [1, 3, 5]
    """

    def __init__(
        self,
        start: TensorLike,
        stop: TensorLike | None = None,
        step: TensorLike = 1,
        progress: bool | str = False,
    ) -> None:
        if stop is None:
            start, stop = 0, start
        self.start, self.stop, self.step = (
            _number(start),
            _number(stop),
            _number(step),
        )
        if isinstance(self.step, int) and self.step == 0:
            raise InvalidArgumentError(
                "range: step is 0; allowed is any other integer"
            )
        self.progress = progress

    def length(self) -> Tensor:
        """Return how many numbers there are."""
        parts = (self.start, self.stop, self.step)
        if all(isinstance(part, int) for part in parts):
            return constant(len(builtins.range(*parts)), dtypes.int32)
        span, step = to_tensor(self.stop) - self.start, self.step
        return astype(maximum(-((-span) // step), 0), dtypes.int32)

    def at(self, index: Tensor) -> Tensor:
        """Return the number at an index."""
        steps = self.step if isinstance(self.step, int) else to_tensor(self.step)
        dtype = next((p.dtype for p in self._tensors()), dtypes.int32)
        number: Tensor = astype(index, dtype) * steps + self.start
        return number

    def counted(self) -> Counted:
        """Return how to count through the numbers."""
        dtype = next((p.dtype for p in self._tensors()), dtypes.int32)
        start, stop, step = [
            astype(p, dtype) if isinstance(p, Tensor) else constant(p, dtype)
            for p in (self.start, self.stop, self.step)
        ]
        return Counted(start, stop, step)

    def _tensors(self) -> list[Tensor]:
        return [
            p for p in (self.start, self.stop, self.step) if isinstance(p, Tensor)
        ]

    def after(self, index: Tensor) -> None:
        """Report the progress."""
        if self.progress:
            label = self.progress if isinstance(self.progress, str) else ""
            calls(ShowProgress(label), index + 1, self.length())

    def __len__(self) -> int:
        return int(self.length())

    def __iter__(self) -> Iterator[Tensor]:
        for i in builtins.range(len(self)):
            index = constant(i, dtypes.int32)
            yield self.at(index)
            self.after(index)

    def __repr__(self) -> str:
        return f"tl.range({self.start}, {self.stop}, {self.step})"


def _number(value: TensorLike) -> Any:
    if isinstance(value, (int, np.integer)):
        return int(value)
    x = to_tensor(value)
    if not x.dtype.is_integer or x.spec.shape not in ((), None):
        raise DTypeError(
            f"range: a bound is {x.spec}; allowed are integers and 0-d integer tensors"
        )
    return int(x) if isinstance(x, EagerTensor) else x


class Enumerated(Staged):
    """Pairs of a number and an item."""

    def __init__(self, items: Staged, start: Any) -> None:
        self._items = items
        self._start = start

    def length(self) -> Tensor:
        """Return the number of items."""
        return self._items.length()

    def at(self, index: Tensor) -> Any:
        """Return the number and the item."""
        return index + self._start, self._items.at(index)

    def after(self, index: Tensor) -> None:
        """Do what the items do."""
        self._items.after(index)


class Zipped(Staged):
    """Tuples of the items of several, up to the shortest."""

    def __init__(self, parts: list[Staged]) -> None:
        self._parts = parts

    def length(self) -> Tensor:
        """Return the shortest length."""
        first, *rest = [part.length() for part in self._parts]
        for other in rest:
            first = minimum(first, other)
        return first

    def at(self, index: Tensor) -> Any:
        """Return one item of each."""
        return tuple([part.at(index) for part in self._parts])

    def after(self, index: Tensor) -> None:
        """Do what the parts do."""
        for part in self._parts:
            part.after(index)


def staged(source: Any) -> Staged | None:
    """Return how to run over `source` in a graph, or None when Python runs over it."""
    if tracer() is None:
        return None
    if isinstance(source, Staged):
        return source
    if isinstance(source, StagedList):
        return Elements(source)
    if isinstance(source, Tensor) or is_symbolic(source):
        return Rows(to_tensor(source))
    return None


def counted(source: Any) -> Staged | None:
    """Return how to count through whole numbers in steps, None if that is not what they are."""
    if isinstance(source, range) and not source.progress:
        return source.counted()
    x = to_tensor(source) if is_symbolic(source) else source
    node = x.node if isinstance(x, SymbolicTensor) else None
    if node is None or not isinstance(node.op, Range) or not x.dtype.is_integer:
        return None
    return Counted(*node.inputs)


def range_(*bounds: Any) -> Any:
    """Return Python's range, or one in the graph when a bound is symbolic."""
    return (
        range(*bounds) if any(map(is_symbolic, bounds)) else builtins.range(*bounds)
    )


def enumerate_(source: Any, start: Any = 0) -> Any:
    """Return Python's enumerate, or one in the graph."""
    items = staged(source)
    return (
        _own("enumerate", (source,), source, start)
        if items is None
        else Enumerated(items, start)
    )


def zip_(*sources: Any, strict: bool = False) -> Any:
    """Return Python's zip, or one in the graph when every source can be there."""
    parts = [staged(source) for source in sources]
    found = [part for part in parts if part is not None]
    if not found or len(found) < len(parts):
        return _own("zip", sources, *sources, strict=strict)
    return Zipped(found)


def map_(function: Any, *sources: Any) -> Any:
    """Return Python's map, or what a source has in its place in the graph."""
    return _own("map", sources, function, *sources)


def filter_(function: Any, source: Any) -> Any:
    """Return Python's filter, or what a source has in its place in the graph."""
    return _own("filter", (source,), function, source)


def abs_(x: Any) -> Any:
    """Return Python's abs, or what a source has in its place in the graph."""
    return _own("abs", (x,), x)


def any_(source: Any) -> Any:
    """Return Python's any, or what a source has in its place in the graph."""
    return _own("any", (source,), source)


def all_(source: Any) -> Any:
    """Return Python's all, or what a source has in its place in the graph."""
    return _own("all", (source,), source)


def _own(name: str, sources: Sequence[Any], *given: Any, **options: Any) -> Any:
    """Return what Python's function gives, or what the first source that has its own says."""
    if tracer() is not None:
        hooks = (getattr(source, "__tl_builtin__", None) for source in sources)
        hook = next((one for one in hooks if one is not None), None)
        found = NotImplemented if hook is None else hook(name, *given)
        if found is not NotImplemented:
            return found
    return getattr(builtins, name)(*given, **options)
