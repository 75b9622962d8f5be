"""TensorArray as TensorFlow 1 and 2 have it, over tensorlite's lists of tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shapes import TensorShape, as_shape
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.counting import alike
from tensorlite.ops.control.tensor_array import TensorArray as Elements


def _shape_of_all(shape: Any, alike: bool) -> Any:
    """Return the shape of all elements; of those that are not alike only one wholly known."""
    told = TensorShape(shape)
    is_known = told.is_fully_defined() or (alike and told.rank is not None)
    return plain(told) if is_known else None


@dataclass(init=False, eq=False, repr=False)
class TensorArray:
    """A list of tensors; each change returns the list as it is then."""

    flow: Any
    holds_tensors = True

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
        if flow is None:
            shape = _shape_of_all(element_shape, infer_shape)
            with alike(2 - isinstance(size, Operand)):
                flow = _begun(
                    dtype,
                    0 if size is None else size,
                    bool(dynamic_size),
                    shape,
                    name=name,
                )
        self.flow = flow

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
        return as_shape(self._elements.element_shape)

    @property
    def handle(self) -> Any:
        """The list as one tensor, which operators take."""
        return self.flow

    @property
    def dynamic_size(self) -> bool:
        """Always True: writing beyond the end makes a list longer."""
        return True

    def _changed(self, flow: Any) -> TensorArray:
        return type(self)(flow=flow)

    def size(self, name: str | None = None) -> Any:
        """Return how many elements there are."""
        return _of(self.flow, lambda x: x.size(), "TensorArraySizeV3", name)

    def read(self, index: Any, name: str | None = None) -> Any:
        """Return the element at a place."""
        with alike(2 - isinstance(index, Operand), inside=3):
            return _at(self.flow, index, "read", "TensorArrayReadV3", name)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return the elements at places, joined along a new first axis."""
        return _at(self.flow, indices, "gather", "TensorArrayGatherV3", name)

    def stack(self, name: str | None = None) -> Any:
        """Return all elements, joined along a new first axis."""
        with alike(5):
            return _of(
                self.flow,
                lambda x: x.stack(),
                "TensorArrayStack/TensorArrayGatherV3",
                name,
            )

    def concat(self, name: str | None = None) -> Any:
        """Return all elements, joined along their first axis."""
        return _of(self.flow, lambda x: x.concat(), "TensorArrayConcatV3", name)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the list with a value at a place; the list as it was stays as it is."""
        constants = 2 - isinstance(index, Operand) - isinstance(value, Operand)
        with alike(1 + constants, inside=2 + constants):
            return self._changed(_write(self.flow, index, value, name=name))

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Return the list with the slices of a tensor along its first axis as elements."""
        with alike(10 - isinstance(value, Operand)):
            return self._changed(_unstack(self.flow, value, name=name))

    def scatter(
        self, indices: Any, value: Any, name: str | None = None
    ) -> TensorArray:
        """Return the list with the slices of a tensor at the places named."""
        return self._changed(_scatter(self.flow, indices, value, name=name))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Return the list with parts of a tensor, of the lengths given, as elements."""
        return self._changed(_split(self.flow, value, lengths, name=name))

    def identity(self) -> TensorArray:
        """Return the list as it is, as another object."""
        return self._changed(self.flow)

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


@named("TensorArrayV3")
def _begun(
    dtype: Any, size: Any, dynamic: bool, shape: Any, name: str | None = None
) -> Any:
    return Elements(as_dtype(dtype), size, dynamic, shape).flow


def _of(flow: Any, ask: Callable[[Elements], Any], default: str, name: Any) -> Any:
    title, _, inner = default.partition("/")

    @named(title, inner)
    def asked(flow: Any, name: str | None = None) -> Any:
        return ask(Elements(flow=flow))

    return asked(flow, name=name)


def _at(flow: Any, place: Any, method: str, default: str, name: Any) -> Any:
    @named(default)
    def asked(flow: Any, place: Any, name: str | None = None) -> Any:
        return getattr(Elements(flow=flow), method)(converted(place))

    return asked(flow, place, name=name)


@named("TensorArrayWrite")
def _write(flow: Any, index: Any, value: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    return elements.write(converted(index), converted(value, elements.dtype)).flow


@named("TensorArrayUnstack")
def _unstack(flow: Any, value: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    return elements.unstack(converted(value, elements.dtype)).flow


@named("TensorArrayScatter")
def _scatter(flow: Any, indices: Any, value: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    places = converted(indices)
    rows = converted(value, elements.dtype)

    def step(i: Any, list_: Elements) -> Any:
        return i + 1, list_.write(tl.gather(places, i), tl.gather(rows, i))

    count = tl.size(places)
    _, after = tl.while_loop(lambda i, _: i < count, step, (tl.constant(0), elements))
    return after.flow


@named("TensorArraySplit")
def _split(flow: Any, value: Any, lengths: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    rows, sizes = converted(value, elements.dtype), converted(lengths)
    ends = tl.cumulative_sum(sizes, axis=0)

    def step(i: Any, list_: Elements) -> Any:
        last = tl.gather(ends, i)
        part = rows[last - tl.gather(sizes, i) : last]
        return i + 1, list_.write(i, part)

    count = tl.size(sizes)
    _, after = tl.while_loop(lambda i, _: i < count, step, (tl.constant(0), elements))
    return after.flow


@named("TensorArrayCloseV3")
def _nothing(name: str | None = None) -> Any:
    return tl.group()
