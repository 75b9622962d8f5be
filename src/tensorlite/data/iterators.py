"""Iterators over datasets: as Python's programs have them, and behind the handles of graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from itertools import islice
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np

from tensorlite.core import dtypes, nest
from tensorlite.core.containers import RunContainer, current_container
from tensorlite.core.dispatch import call, calls, interpreted_by, to_tensor, tracer
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OutOfRangeError,
)
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.data.composites import leaves
from tensorlite.data.encoding import ENCODED, closed, is_composite
from tensorlite.data.given import known_as
from tensorlite.data.optionals import Optional
from tensorlite.function.loops import Stream, stage_stream
from tensorlite.ops.control.list_values import BUNDLE, Bundled

T = TypeVar("T")
MOST_ASKED = 32
"""How many elements Python may ask an iterator for while a function is traced, as TensorFlow's."""


class IteratorState(Resource):
    """A place in a dataset; none yet where `items` is None."""

    __slots__ = ("_container", "_lock", "items", "known", "taken")

    def __init__(self, items: Iterator[Any] | None = None) -> None:
        self.items = items
        self.taken = 0
        """How many elements it has given since the beginning."""
        self.places: tuple[tuple[int, int, int], ...] = ()
        """Where the random choices of the dataset were at the beginning."""
        self.known: Mapping[int, Tensor] | None = None
        """The values of the graph's tensors that the dataset was made with."""
        self._container = RunContainer(current_container.get())
        """What functions keep that the dataset calls: a run begins without."""
        self._lock = Lock()

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle."""
        return TensorSpec((), dtypes.resource)

    def begin(self, dataset: Any, known: Mapping[int, Tensor] | None = None) -> None:
        """Go to the beginning of a dataset."""
        with self._lock, interpreted_by(None), known_as(known):
            self.known = known
            self._container = RunContainer(current_container.get())
            self.places = tuple([x.place() for x in dataset.chances])
            self.items = dataset.source()
            self.taken = 0

    def next(self) -> Any:
        """Return the next element; StopIteration at the end."""
        if self.items is None:
            raise FailedPreconditionError(
                "GetNext() failed because the iterator has not been initialized. Ensure that you "
                "have run the initializer operation for this iterator before getting the next "
                "element."
            )
        with self._lock, interpreted_by(None):
            token = current_container.set(self._container)
            try:
                with nullcontext() if self.known is None else known_as(self.known):
                    element = next(self.items)
                self.taken += 1
                return element
            finally:
                current_container.reset(token)

    def __iter__(self) -> Iterator[Any]:
        """Yield the elements that are left."""
        while True:
            try:
                element = self.next()
            except StopIteration:
                return
            yield element

    def close(self) -> None:
        """End the run, and whatever threads work for it."""
        items, self.items = self.items, iter(())
        close: Callable[[], None] | None = getattr(items, "close", None)
        if close is not None:
            close()

    def __repr__(self) -> str:
        return "<iterator>"


class DatasetIterator(nest.Composite, Generic[T]):
    """A run through a dataset. In a traced function, `next` reads it when that runs.

    Functions take it as they take tensors: one trace serves all iterators of like elements.

    >>> numbers = iter(tl.data.Dataset.range(2))
    >>> print(next(numbers), numbers.get_next())
    0 1
    >>> numbers.get_next()
    Traceback (most recent call last):
    tensorlite.core.errors.OutOfRangeError: the dataset has no more elements...
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._state = IteratorState()
        self._element_spec: Any = None
        self._asked: tuple[Any, int] = None, 0
        """How often Python asked for an element in the trace that was last in progress."""
        if dataset.captures or tracer() is not None:
            # A function that is traced has a new one each time that it runs.
            self._handle = call(
                NewIterator(dataset, keys(dataset)), *dataset.captures
            )
            return
        self._handle = EagerTensor(self._state)
        self._state.begin(dataset)

    @property
    def element_spec(self) -> Any:
        """The specs of an element's tensors."""
        if self._element_spec is None:
            self._element_spec = self._dataset.element_spec
        return self._element_spec

    def members(self) -> dict[str, Any]:
        """Return the handle of its state."""
        return {"handle": self._handle}

    def with_members(self, members: dict[str, Any]) -> Any:
        """Return an iterator of another handle, which gives such elements as well."""
        handle = members["handle"]
        state = handle.array if isinstance(handle, EagerTensor) else self._state
        made = copy(self)
        vars(made).update(_handle=handle, _state=state)
        return made

    def kept(self) -> Any:
        """Return what tells the specs of its elements."""
        try:
            spec = self.element_spec
        except InvalidArgumentError:  # nobody knows them
            return (id(self._dataset),)
        return repr(nest.map_structure(lambda _: None, spec)), *nest.flatten(spec)

    def __iter__(self) -> DatasetIterator[T]:
        """Return this iterator."""
        return self

    def __next__(self) -> T:
        """Return the next element; StopIteration at the end."""
        if tracer() is not None:
            found: T = self._staged_for_python()
            return found
        element: T = self._state.next()
        return element

    next = __next__

    def __tl_next__(self, *default: Any) -> Any:
        """Return what `next` of this iterator is in a function whose loops are traced."""
        return next(self, *default) if tracer() is None else self._staged()

    def __tl_for__(self, *loop: Any) -> bool:
        """Stage a `for` over what is left, if it stands in a trace; return whether it does."""
        if tracer() is None:
            return False
        stage_stream(Elements(self._handle, self.element_spec), *loop)
        return True

    def get_next(self) -> T:
        """Return the next element; OutOfRangeError at the end."""
        try:
            return next(self)
        except StopIteration:
            raise _at_end() from None

    _next_internal = get_next  # what TensorFlow's own tests of datasets call it

    def get_next_as_optional(self) -> Optional:
        """Return the next element, or that there is none; it can be asked in a traced function.

        >>> numbers = iter(tl.data.Dataset.range(1))
        >>> first, second = numbers.get_next_as_optional(), numbers.get_next_as_optional()
        >>> print(first.has_value(), first.get_value(), second.has_value())
        True 0 False
        """
        spec = self.element_spec
        if tracer() is not None:
            return Optional(*advanced(self._handle, spec), spec)
        try:
            return Optional.from_value(self._state.next())
        except StopIteration:
            return Optional.empty(spec)

    @property
    def position(self) -> int:
        """How many elements it has given.

        >>> numbers = iter(tl.data.Dataset.range(9))
        >>> _ = next(numbers), next(numbers)
        >>> numbers.position
        2
        """
        return self._state.taken

    @property
    def place(self) -> tuple[int, ...]:
        """Its position, and what `go_to` wants to know of random choices."""
        return self.position, *[x for place in self._state.places for x in place]

    def go_to(self, place: Sequence[int]) -> None:
        """Go to where an iterator over such a dataset was when it had this `place`.

        >>> numbers = iter(tl.data.Dataset.range(99).shuffle(99))
        >>> _, place, then = next(numbers), numbers.place, int(next(numbers))
        >>> numbers.go_to(place)
        >>> int(next(numbers)) == then
        True
        """
        position, *rest = map(int, place)
        chances = self._dataset.chances
        if rest and len(rest) != 3 * len(chances):
            raise InvalidArgumentError(
                f"the place of an iterator over a dataset with {len(rest) // 3} random steps; "
                f"this dataset has {len(chances)}: make sure its definition has not changed"
            )
        for i, chance in enumerate(chances if rest else ()):
            chance.go_to(rest[3 * i : 3 * i + 3])
        self.seek(position)

    def seek(self, position: int) -> None:
        """Go to a position, as many elements from the beginning of another run.

        >>> numbers = iter(tl.data.Dataset.range(9))
        >>> numbers.seek(5)
        >>> print(next(numbers))
        5
        """
        self._state.begin(self._dataset.skip(position))
        self._state.taken = position

    def close(self) -> None:
        """End the run, and whatever threads work for it."""
        self._state.close()

    def _staged_for_python(self) -> Any:
        """Return what reads an element; in the end an error, as Python's loops have none here."""
        trace, before = self._asked
        self._asked = tracer(), before + 1 if trace is tracer() else 1
        if self._asked[1] > MOST_ASKED:
            raise InvalidArgumentError(
                f"an iterator over a dataset is asked for more than {MOST_ASKED} elements while a "
                "function is traced whose loops stay Python's, such as by `for`, which would not "
                "end: trace with autograph=True, or loop with dataset.reduce or tf.while_loop"
            )
        return self._staged()

    def _staged(self) -> Any:
        spec = self.element_spec
        return of_tensors(spec, calls(IteratorGetNext(present(spec)), self._handle))


def _at_end() -> OutOfRangeError:
    return OutOfRangeError("the dataset has no more elements: End of sequence")


def keys(dataset: Any) -> tuple[int, ...]:
    """Return by what a dataset knows the tensors of the graph that it was made with."""
    return tuple([id(x) for x in dataset.captures])


class NewIterator(Op):
    """A new iterator over a dataset, which is given the values of tensors it was made with."""

    by_dtype = True
    effect = Effect.IO
    differentiable = False
    dataset: Any
    keys: tuple[int, ...] = ()

    def infer(self, *given: TensorSpec) -> TensorSpec:
        """Return the spec of a handle."""
        return TensorSpec((), dtypes.resource)

    def kernel(self, xp: Xp, *given: Array) -> IteratorState:
        """Return a handle of an iterator at the dataset's beginning."""
        state = IteratorState()
        state.begin(self.dataset, known(self.keys, given))
        return state


def known(names: tuple[int, ...], given: tuple[Array, ...]) -> Mapping[int, Tensor]:
    """Return the values that arrays give to the tensors of a graph."""
    return {key: EagerTensor(x) for key, x in zip(names, given, strict=True)}


class IteratorAdvance(Op):
    """Whether an iterator has another element, and its tensors: zeros if it has not."""

    effect = Effect.WRITE
    differentiable = False
    output_types: tuple[TensorSpec, ...]

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the spec of a flag, and the elements' specs."""
        return TensorSpec((), dtypes.bool_), *self.output_types

    def kernel(self, xp: Xp, handle: IteratorState) -> tuple[Array, ...]:
        """Return the next element; InvalidArgumentError when it is not what the dataset says."""
        try:
            element = handle.next()
        except StopIteration:
            zeros = [_zeros(xp, spec) for spec in self.output_types]
            return np.asarray(False), *zeros
        return np.asarray(True), *_arrays(element, self.output_types)


class IteratorGetNext(Op):
    """The next element of an iterator; OutOfRangeError when there is none."""

    effect = Effect.WRITE
    differentiable = False
    output_types: tuple[TensorSpec, ...]

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the elements' specs."""
        return self.output_types

    def kernel(self, xp: Xp, handle: IteratorState) -> tuple[Array, ...]:
        """Return the next element; InvalidArgumentError when it is not what the dataset says."""
        try:
            element = handle.next()
        except StopIteration:
            raise _at_end() from None
        return tuple(_arrays(element, self.output_types))


class IteratorGetNextAsOptional(Op):
    """The next element of an iterator as a bundle, which is empty when there is none."""

    effect = Effect.WRITE
    differentiable = False
    output_types: tuple[TensorSpec, ...]

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return the spec of a bundle."""
        return BUNDLE

    def kernel(self, xp: Xp, handle: IteratorState) -> Bundled:
        """Return the element; InvalidArgumentError when it is not what the dataset says."""
        try:
            element = handle.next()
        except StopIteration:
            return Bundled(())
        return Bundled(tuple(_arrays(element, self.output_types)))


class DatasetToSingleElement(IteratorGetNext):
    """The element that an iterator gives; InvalidArgumentError when it gives none, or several."""

    def kernel(self, xp: Xp, handle: IteratorState) -> tuple[Array, ...]:
        """Return the element; InvalidArgumentError when it is not what the dataset says."""
        return tuple(_arrays(only(handle), self.output_types))


def only(elements: Iterable[T]) -> T:
    """Return the element of what has one; InvalidArgumentError if it has others."""
    found = list(islice(elements, 2))
    if len(found) != 1:
        raise InvalidArgumentError(
            f"get_single_element: Dataset {'had more than one element' if found else 'was empty'}; "
            "allowed is one element"
        )
    return found[0]


def single_element(dataset: Any) -> Any:
    """Return, in a graph, the element of a dataset that has one."""
    spec = dataset.element_spec
    handle = call(NewIterator(dataset, keys(dataset)), *dataset.captures)
    return of_tensors(spec, calls(DatasetToSingleElement(present(spec)), handle))


def _arrays(element: Any, wanted: tuple[TensorSpec, ...]) -> list[Array]:
    with interpreted_by(None):
        found = list(_as_wanted(element, iter(wanted)))
    specs = [spec for _, spec in found]
    pairs = list(zip(wanted, specs, strict=False))
    if len(specs) != len(wanted) or not all(a.accepts(b) for a, b in pairs):
        raise InvalidArgumentError(
            f"the dataset gives {specs}; its element_spec says {list(wanted)}"
        )
    return [array for array, _ in found]


def _as_wanted(
    element: Any, wanted: Iterator[TensorSpec]
) -> Iterator[tuple[Array, TensorSpec]]:
    """Yield an element's arrays and specs; what has several tensors is one where one is wanted."""
    for leaf in leaves(element):
        spec = None if leaf is None else next(wanted, None)
        if is_composite(leaf) and spec is not None and spec.dtype is dtypes.variant:
            yield closed(leaf), ENCODED
            continue
        parts = [to_tensor(part) for part in present(leaf)]
        yield from [(part.array, part.spec) for part in parts]
        for _ in parts[1:]:
            next(wanted, None)


def _zeros(xp: Xp, spec: TensorSpec) -> Array:
    shape = () if spec.shape is None else tuple([size or 0 for size in spec.shape])
    return xp.zeros(shape, spec.dtype.numpy)


class Elements(Stream):
    """The elements that an iterator has left, in a graph."""

    def __init__(self, handle: Tensor, spec: Any) -> None:
        self._handle = handle
        self._spec = spec

    def following(self) -> tuple[Tensor, Any]:
        """Return whether there is a next element, and that."""
        return advanced(self._handle, self._spec)


def advanced(handle: Tensor, spec: Any) -> tuple[Tensor, Any]:
    """Return, in a graph, whether an iterator has a next element, and that."""
    more, *leaves = calls(IteratorAdvance(present(spec)), handle)
    return more, of_tensors(spec, leaves)


def present(element: Any) -> tuple[Any, ...]:
    """Return the tensors of an element, or their specs; None, which a map may give, is none."""
    return tuple([leaf for leaf in nest.flatten(element) if leaf is not None])


def of_tensors(spec: Any, tensors: Iterable[Tensor]) -> Any:
    """Return an element of its tensors; None stands where the dataset gives None."""
    given = iter(tensors)
    leaves = [None if leaf is None else next(given) for leaf in nest.flatten(spec)]
    return nest.pack_like(spec, leaves)
