"""TensorArray as TensorFlow 1 and 2 have it, over tensorlite's lists of tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shapes import TensorShape, as_shape
from tensorlite.compat.shared.arrays import range as numbers, shape as shape_of
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import as_dtype, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.counting import alike
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.control.list_rows import gather_list, scatter_list
from tensorlite.ops.control.list_runs import split_list
from tensorlite.ops.control.lists import element_shape
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
            return _read(self.flow, index, name=name)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return the elements at places, joined along a new first axis."""
        with alike(2 - isinstance(indices, Operand)):
            return _gather(self.flow, indices, name=name)

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
        constants = 2 - isinstance(indices, Operand) - isinstance(value, Operand)
        with alike(1 + constants):
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
def _write(flow: Any, index: Any, value: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    place = _place(index, "TensorArrayWriteV3/index")
    return elements.write(place, converted(value, elements.dtype, "value")).flow


@named("TensorArrayUnstack", "TensorArrayScatter/TensorArrayScatterV3")
def _unstack(flow: Any, value: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    rows = converted(value, elements.dtype)
    if active_graph() is None:
        return elements.unstack(rows).flow
    return scatter_list(flow, rows, _numbers(rows))


def _numbers(rows: Any) -> Any:
    """Return the numbers of a tensor's rows, by the nodes that TensorFlow has for it."""
    shown_rows = shown(rows)
    return plain(numbers(0, shape_of(shown_rows)[0]))


@named("TensorArrayScatter", "TensorArrayScatterV3")
def _scatter(flow: Any, indices: Any, value: Any, name: str | None = None) -> Any:
    elements = Elements(flow=flow)
    rows = converted(value, elements.dtype, "value")
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
def _split(flow: Any, value: Any, lengths: Any, name: str | None = None) -> Any:
    rows = converted(value, Elements(flow=flow).dtype, "value")
    return split_list(flow, rows, plain(cast(lengths, int64)))


@named("TensorArrayCloseV3")
def _nothing(name: str | None = None) -> Any:
    return tl.group()
