"""TensorArray as TensorFlow 1 and 2 have it, over tensorlite's lists of tensors."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

import tensorlite as tl
from tensorlite.compat.adopting import holds_operand
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shapes import TensorShape, as_shape
from tensorlite.compat.shared.arrays import range as numbers, shape as shape_of
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import as_dtype, int32, int64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import Dims, TensorSpec, merge as merged
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.counting import alike, be_unsure
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.control.list_rows import gather_list, scatter_list
from tensorlite.ops.control.list_runs import split_list
from tensorlite.ops.control.lists import element_shape, list_spec
from tensorlite.ops.control.tensor_array import TensorArray as Elements


@dataclass(frozen=True)
class _Told:
    """What is known of a list beside what its flow says."""

    shape: Dims | None
    is_alike: bool
    """Whether all elements have one shape."""
    count: int | None
    """How many elements there are, where that was given and stays."""


@dataclass(init=False, eq=False, repr=False)
class TensorArray:
    """A list of tensors; each change returns the list as it is then."""

    flow: Any
    holds_tensors = True
    tells_size: ClassVar[bool] = False
    """Whether the number of elements stacked is known where that of the list is given."""

    def __init__(
        self,
        dtype: Any = None,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            raise InvalidArgumentError(
                "TensorArray: handle=...; there are no handles here, make it with a size"
            )
        shape = None
        if flow is None:
            told = TensorShape(element_shape)
            shape = None if told.rank is None else plain(told)
            with alike(2 - isinstance(size, Operand)):
                flow = _begun(
                    dtype,
                    0 if size is None else size,
                    bool(dynamic_size),
                    shape if infer_shape or told.is_fully_defined() else None,
                    name=name,
                )
            graph = active_graph()
            if graph is not None:
                be_unsure(graph)
        self.flow = flow
        self.told = _Told(
            None if shape is None else tuple(shape),
            infer_shape,
            None if dynamic_size else _number(size),
        )

    @property
    def _elements(self) -> Elements:
        return Elements(flow=plain(self.flow))

    @property
    def dtype(self) -> Any:
        """Dtype of the elements."""
        return self._elements.dtype

    @property
    def element_shape(self) -> Any:
        """TensorShape of the elements, of which sizes may be unknown."""
        return as_shape(self._known())

    def _known(self) -> Dims | None:
        """Return what is known of all elements' shapes."""
        shape = self._elements.element_shape if self.told.is_alike else None
        return merged(shape, self.told.shape)

    @property
    def handle(self) -> Any:
        """The list as one tensor, which operators take."""
        return self.flow

    @property
    def dynamic_size(self) -> bool:
        """Always True: writing beyond the end makes a list longer."""
        return True

    def _changed(self, change: Callable[..., Any]) -> Self:
        """Return the list after a change, which is told what takes the shapes of elements."""
        made = copy(self)

        def take(shape: Dims | None) -> None:
            made.told = self._joined(shape)

        made.flow = change(take)
        list_ = plain(made.flow)
        if isinstance(list_, SymbolicTensor):
            list_.respecify(list_spec(TensorSpec(made.told.shape, self.dtype)))
        return made

    def _joined(self, shape: Dims | None) -> _Told:
        """Return what is known with more elements of a shape; ShapeError if others have another."""
        known = self._known()
        if not as_shape(known).is_compatible_with(as_shape(shape)):
            saw, expected = as_shape(shape), as_shape(known)
            if active_graph() is None:
                raise ShapeError(
                    f"Incompatible shape for value ({saw}), expected ({expected})"
                )
            raise ShapeError(
                f"Inconsistent shapes: saw {saw} but expected {expected}"
            )
        if not self.told.is_alike:
            return self.told
        return replace(self.told, shape=merged(known, shape))

    def size(self, name: str | None = None) -> Any:
        """Return how many elements there are."""
        return _of(self.flow, lambda x: x.size(), "TensorArraySizeV3", name)

    def read(self, index: Any, name: str | None = None) -> Any:
        """Return the element at a place."""
        with alike(2 - isinstance(index, Operand), inside=3):
            return _read(self.flow, index, name=name)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return the elements at places, joined along a new first axis."""
        with alike(2 - isinstance(indices, Operand)):
            return _gather(self.flow, indices, name=name)

    def stack(self, name: str | None = None) -> Any:
        """Return all elements, joined along a new first axis."""
        with alike(5):
            count = self.told.count if self.tells_size else None
            return _of(
                self.flow,
                lambda x: x.stack(-1 if count is None else count),
                "TensorArrayStack/TensorArrayGatherV3",
                name,
            )

    def concat(self, name: str | None = None) -> Any:
        """Return all elements, joined along their first axis."""
        return _of(self.flow, lambda x: x.concat(), "TensorArrayConcatV3", name)

    def write(self, index: Any, value: Any, name: str | None = None) -> Self:
        """Return the list with a value at a place; the list as it was stays as it is."""
        constants = 2 - isinstance(index, Operand) - isinstance(value, Operand)
        with alike(1 + constants, inside=2 + constants):
            return self._changed(
                lambda take: _write(self.flow, index, value, take, name=name)
            )

    def __tl_append__(self, value: Any) -> Self:
        """Return the list with one more element: what `append` is in converted code."""
        return self.write(self.size(), value)

    def __tl_set_item__(self, index: Any, value: Any) -> Self:
        """Return the list with a value at a place: what storing is in converted code."""
        return self.write(index, value)

    def unstack(self, value: Any, name: str | None = None) -> Self:
        """Return the list with the slices of a tensor along its first axis as elements."""
        with alike(10 - isinstance(value, Operand)):
            made = self._changed(
                lambda take: _unstack(self.flow, value, take, name=name)
            )
        if self.told.count is not None:
            made.told = replace(made.told, count=_length(value))
        return made

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> Self:
        """Return the list with the slices of a tensor at the places named."""
        constants = 2 - isinstance(indices, Operand) - isinstance(value, Operand)
        with alike(1 + constants):
            return self._changed(
                lambda take: _scatter(self.flow, indices, value, take, name=name)
            )

    def split(self, value: Any, lengths: Any, name: str | None = None) -> Self:
        """Return the list with parts of a tensor, of the lengths given, as elements."""
        if holds_operand(lengths) or len({*np.ravel(lengths).tolist()}) != 1:
            made = copy(self)
            made.flow = _split(self.flow, value, lengths, None, name=name)
        else:
            made = self._changed(
                lambda take: _split(self.flow, value, lengths, take, name=name)
            )
        made.told = replace(made.told, count=None)
        return made

    def identity(self) -> Self:
        """Return the list as it is, as another object; in a graph behind what is waited for."""
        made = copy(self)
        if active_graph() is not None:
            made.flow = _same(self.flow)
        return made

    def close(self, name: str | None = None) -> Any:
        """Do nothing; the memory of a list is freed with its last use."""
        return _nothing(name=name)

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Raise InvalidArgumentError: gradients are asked for by tf.gradients."""
        raise InvalidArgumentError(
            "TensorArray.grad: gradients of lists are tensors here; ask tf.gradients for those of "
            "what was written"
        )

    def __repr__(self) -> str:
        return f"<tf.TensorArray dtype={self.dtype.name} element_shape={self.element_shape}>"


def _number(size: Any) -> int | None:
    """Return how many elements there are to be, None if only the run knows."""
    if isinstance(size, Operand):
        size = size.__tensor__().spec.scalar()
    return None if size is None else int(size)


def _length(value: Any) -> int | None:
    """Return how many rows a value has, None if only the run knows."""
    if not isinstance(value, Operand):
        return len(value)
    shape = value.__tensor__().spec.shape
    return shape[0] if shape else None


@named("TensorArray")
def _begun(
    dtype: Any, size: Any, dynamic: bool, shape: Any, name: str | None = None
) -> Any:
    if active_graph() is not None:
        size = converted(size, int32, "size")
    return Elements(as_dtype(dtype), size, dynamic, shape).flow


def _of(flow: Any, ask: Callable[[Elements], Any], default: str, name: Any) -> Any:
    title, _, inner = default.partition("/")

    @named(title, inner)
    def asked(flow: Any, name: str | None = None) -> Any:
        return ask(Elements(flow=flow))

    return asked(flow, name=name)


@named("TensorArrayReadV3")
def _read(flow: Any, index: Any, name: str | None = None) -> Any:
    return Elements(flow=flow).read(_place(index, "index"))


def _place(given: Any, title: str) -> Any:
    """Return an index, or several, as a tensor that TensorFlow calls by a title."""
    return converted(given, None if isinstance(given, Operand) else int32, title)


@named("TensorArrayGatherV3")
def _gather(flow: Any, indices: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    if active_graph() is None:
        return elements.gather(converted(indices))
    shape = element_shape(elements.element_shape)
    found = gather_list(plain(flow), _place(indices, "indices"), shape)
    sizes = found.spec.shape
    if isinstance(found, SymbolicTensor) and sizes:
        # TensorFlow leaves open how many there are, also where the indices are known.
        found.respecify(found.spec.with_shape((None, *sizes[1:])))
    return found


@named("TensorArrayWrite", "TensorArrayWriteV3")
def _write(
    flow: Any, index: Any, value: Any, take: Any, name: str | None = None
) -> Any:
    elements = Elements(flow=flow)
    place = _place(index, "TensorArrayWriteV3/index")
    element = converted(value, elements.dtype, "value")
    take(element.spec.shape)
    return elements.write(place, element).flow


@named("TensorArrayUnstack", "TensorArrayScatter/TensorArrayScatterV3")
def _unstack(flow: Any, value: Any, take: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    rows = converted(value, elements.dtype)
    take(_of_rows(rows))
    if active_graph() is None:
        return elements.unstack(rows).flow
    return scatter_list(flow, rows, _numbers(rows))


def _of_rows(x: Any) -> Dims | None:
    return None if x.spec.shape is None else x.spec.shape[1:]


def _numbers(rows: Any) -> Any:
    """Return the numbers of a tensor's rows, by the nodes that TensorFlow has for it."""
    shown_rows = shown(rows)
    return plain(numbers(0, shape_of(shown_rows)[0]))


@named("TensorArrayScatter", "TensorArrayScatterV3")
def _scatter(
    flow: Any, indices: Any, value: Any, take: Any, name: str | None = None
) -> Any:
    elements = Elements(flow=flow)
    rows = converted(value, elements.dtype, "value")
    take(_of_rows(rows))
    if active_graph() is not None:
        places = _place(indices, "TensorArrayScatterV3/indices")
        return scatter_list(flow, rows, places)
    places = converted(indices)

    def step(i: Any, list_: Elements) -> Any:
        return i + 1, list_.write(tl.gather(places, i), tl.gather(rows, i))

    count = tl.size(places)
    _, after = tl.while_loop(lambda i, _: i < count, step, (tl.constant(0), elements))
    return after.flow


@named("TensorArraySplit", "TensorArraySplitV3")
def _split(
    flow: Any, value: Any, lengths: Any, take: Any, name: str | None = None
) -> Any:
    rows = converted(value, Elements(flow=flow).dtype, "value")
    if take is not None:
        known = rows.spec.shape
        take(None if known is None else (int(np.ravel(lengths)[0]), *known[1:]))
    return split_list(flow, rows, plain(cast(lengths, int64)))


@named("Identity")
def _same(flow: Any, name: str | None = None) -> Any:
    return tl.identity(flow)


@named("TensorArrayCloseV3")
def _nothing(name: str | None = None) -> Any:
    return tl.group()
