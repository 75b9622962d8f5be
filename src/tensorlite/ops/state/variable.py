"""Variable: a mutable tensor. The operators on its handle are in resource.py and sparse/state.py.

Layers that own variables are in train/.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from copy import deepcopy
from types import MemberDescriptorType
from typing import Any, Self, cast
from weakref import ref

import numpy as np

from tensorlite.core import texts
from tensorlite.core.constant import array_of
from tensorlite.core.device import ANYWHERE, DeviceName, local
from tensorlite.core.dispatch import call, calls, interpreted_by, to_tensor, tracer
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, resource
from tensorlite.core.errors import DTypeError, TracingError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.scope import asked_for, device, scope
from tensorlite.core.shapes import AnyShape, shape_asked, shape_of
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import (
    EagerTensor,
    IndexedSlices,
    Shape,
    Tensor,
    TensorLike,
    moved,
)
from tensorlite.core.xp import device_of
from tensorlite.graph.evaluate import evaluate
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.ops.arrays.index import set_item
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.fetchable import Fetchable, effect
from tensorlite.ops.sparse.state import (
    ResourceGather,
    ResourceScatterAdd,
    ResourceScatterMax,
    ResourceScatterMin,
    ResourceScatterSub,
    ResourceScatterUpdate,
)
from tensorlite.ops.state.making import creation, made_at
from tensorlite.ops.state.resource import (
    AssignAddVariableOp,
    AssignFirstValue,
    AssignSubVariableOp,
    AssignVariableOp,
    ReadVariableOp,
    VarHandleOp,
    VariableState,
    VarIsInitializedOp,
)

__all__ = ["ReadVariableOp", "Variable", "VariableState"]

variety: ContextVar[Callable[..., object] | None] = ContextVar(
    "variety", default=None
)
"""What gives another object for a new variable, such as one with copies, or None for a plain one.

It is given the arguments of `Variable`; a variable that it returns is yet to be initialised.
"""


def _first_value(
    first: TensorLike | Callable[[], TensorLike], name: str
) -> TensorLike:
    """Return a first value that is none of a graph's tensors."""
    value = first() if callable(first) else first
    if isinstance(value, SymbolicTensor) and isinstance(
        value.node.graph, ManualGraph
    ):
        what = f"the first value of the variable {name!r}"
        return evaluate(value, value.node.graph.captured, what)
    return value


def _begun(value: Tensor, op: VarHandleOp) -> Tensor:
    """Return the handle of a variable that begins with `value`, made where that is asked for."""
    asked = asked_for(op)
    place = value.device if asked.job is asked.kind is None else asked
    if place.job is not None:
        return _begun_at(place, op, value)
    assert isinstance(value, EagerTensor)
    here = moved(value, local(place.kind or "CPU", place.index or 0))
    state = op.kernel(np)
    kept = state.begin(here.array)
    return EagerTensor(state, here.device if kept is here.array else device_of(kept))


def _begun_at(place: DeviceName, op: VarHandleOp, value: Tensor) -> Tensor:
    """Return the handle of a variable that another task makes."""
    handle = made_at(op, place)
    calls(AssignFirstValue() if op.shared_name else AssignVariableOp(), handle, value)
    return handle


class Variable(Operand):
    """A tensor whose value can be changed; shape and dtype stay.

    `initial` is a tensor, anything that can become one, or a function that returns it. Tapes
    watch variables by themselves unless `trainable` is False. All variables of one `shared_name`
    on one task are the same variable, which has the value that it was first given.

    >>> w = tl.Variable([1.0, 2.0], name="w")
    >>> w.assign_add([10.0, 10.0])
    >>> w
    Variable(name='w', shape=(2,), dtype=float32, device=CPU:0)
    [11. 12.]
    """

    __slots__ = ("__dict__", "__weakref__", "handle", "name", "trainable")
    distribution = 0, 0
    """How copies are brought together, as SavedModels tell it: synchronization, aggregation."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a variable that is yet to be initialised, or what stands for it here."""
        varied = variety.get() if cls is Variable else None
        other = None if varied is None else varied(*args, **kwargs)
        return super().__new__(cls) if other is None else cast("Self", other)

    def __init__(
        self,
        initial: TensorLike | Callable[[], TensorLike],
        trainable: bool = True,
        name: str = "Variable",
        dtype: DTypeLike | None = None,
        shape: Shape | None = None,
        *,
        shared_name: str | None = None,
    ) -> None:
        wanted = None if dtype is None else as_dtype(dtype)

        def make(first: TensorLike | Callable[[], TensorLike]) -> Tensor:
            with interpreted_by(None):
                value = to_tensor(_first_value(first, name), wanted)
                value = value if wanted is None else astype(value, wanted)
            array, dtype = value.array, value.dtype
            spec = TensorSpec(value.shape if shape is None else shape, dtype)
            watched = trainable and dtype.is_differentiable
            place = value.device
            if shared_name is place.job is None and scope.get().device is ANYWHERE:
                # What the operator does, without making one: most variables are made here.
                return EagerTensor(VariableState(spec, name, watched, array), place)
            op = VarHandleOp(
                spec, watched, debug_name=name, shared_name=shared_name or ""
            )
            with interpreted_by(None):
                return _begun(value, op)

        maker = creation.get()
        self.handle: Tensor = make(initial) if maker is None else maker(initial, make)
        self.name = name
        self.trainable = self.handle.spec.trainable
        state = self.handle.array if isinstance(self.handle, EagerTensor) else None
        if isinstance(state, VariableState):
            state.owner = ref(self)

    @property
    def spec(self) -> TensorSpec:
        """The spec of the value."""
        return self.handle.spec.inner[0]

    @property
    def ordinal(self) -> int:
        """How many variables this process made before; 0 of what lies in a graph or elsewhere."""
        state = self.handle.array if isinstance(self.handle, EagerTensor) else None
        return state.number if isinstance(state, VariableState) else 0

    @property
    def shape(self) -> Shape:
        """The shape of the value."""
        return shape_asked(self.spec)

    def get_shape(self) -> AnyShape:
        """Return the shape of the value; unlike `shape`, where the rank is not known, too."""
        return shape_of(self.spec.shape)

    @property
    def dtype(self) -> DType:
        """The dtype of the value."""
        return self.spec.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def device(self) -> DeviceName:
        """The device whose memory holds the value."""
        return self.handle.device

    def __tensor__(self) -> Tensor:
        """Return the value as it is now."""
        return call(ReadVariableOp(), self.handle)

    def value(self) -> Tensor:
        """Return the value as it is now."""
        return self.__tensor__()

    def read_value(self) -> Tensor:
        """Return the value as it is now; another name of `value`."""
        return self.__tensor__()

    def is_initialized(self) -> Tensor:
        """Return whether the variable has a value, as a bool scalar; one made here has.

        >>> print(tl.Variable(1.0).is_initialized())
        True
        """
        return call(VarIsInitializedOp(), self.handle)

    def sparse_read(self, indices: TensorLike) -> Tensor:
        """Return the rows at `indices`, without reading the others; the gradient is sparse.

        >>> w = tl.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> print(w.sparse_read([2, 0]))
        [[5. 6.]
         [1. 2.]]
        """
        return call(ResourceGather(), self.handle, indices)

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the value as a read-only NumPy array."""
        return self.__tensor__().numpy()

    def assign(self, value: TensorLike) -> Fetchable:
        """Make `value` the variable's; ShapeError or DTypeError when it does not fit.

        In a `tl.Graph` the new value comes back, which a session fetches to assign it. Elsewhere
        it is assigned at once and nothing comes back, here as in the other methods that write.
        """
        return self._write(AssignVariableOp(), self._fitting(value))

    def assign_add(self, value: TensorLike) -> Fetchable:
        """Add `value` to the variable."""
        return self._write(AssignAddVariableOp(), self._fitting(value))

    def assign_sub(self, value: TensorLike) -> Fetchable:
        """Subtract `value` from the variable."""
        return self._write(AssignSubVariableOp(), self._fitting(value))

    def scatter_update(self, slices: IndexedSlices) -> Fetchable:
        """Replace rows; where a row is named twice the last value stays.

        >>> w = tl.Variable([1.0, 2.0, 3.0])
        >>> w.scatter_update(tl.IndexedSlices(tl.asarray([9.0]), tl.asarray([1]), (3,)))
        >>> print(w.numpy())
        [1. 9. 3.]
        """
        return self._scatter(ResourceScatterUpdate(), slices)

    def scatter_add(self, slices: IndexedSlices) -> Fetchable:
        """Add to rows; values for the same row add up."""
        return self._scatter(ResourceScatterAdd(), slices)

    def scatter_sub(self, slices: IndexedSlices) -> Fetchable:
        """Subtract from rows; values for the same row add up."""
        return self._scatter(ResourceScatterSub(), slices)

    def scatter_max(self, slices: IndexedSlices) -> Fetchable:
        """Make rows at least as large as the values."""
        return self._scatter(ResourceScatterMax(), slices)

    def scatter_min(self, slices: IndexedSlices) -> Fetchable:
        """Make rows at most as large as the values."""
        return self._scatter(ResourceScatterMin(), slices)

    def _scatter(self, op: Op, slices: IndexedSlices) -> Fetchable:
        if not isinstance(slices, IndexedSlices):
            raise DTypeError(
                f"{op.name} takes tl.IndexedSlices(values, indices, dense_shape), not "
                f"{type(slices).__name__}; dense values are for assign, assign_add, assign_sub"
            )
        return self._write(op, slices.indices, slices.values)

    def _write(self, op: Op, *inputs: TensorLike) -> Fetchable:
        return effect(op, self.handle, *inputs)

    def beside(self, value: TensorLike, name: str) -> Variable:
        """Return a new variable that lies where this one does; tapes do not watch it.

        >>> w = tl.Variable([1.0, 2.0], name="w")
        >>> w.beside([0.0, 0.0], "w/momentum").device == w.device
        True
        """
        with interpreted_by(None), device(self.device):
            return Variable(value, trainable=False, name=name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return another variable on the same device, with the value that this one has now."""
        made = memo[id(self)] = object.__new__(type(self))
        for member, value in members(self):
            is_handle = isinstance(value, Tensor) and value.dtype is resource
            own = _copied(self, made, value) if is_handle else deepcopy(value, memo)
            member.__set__(made, own)
        for key, value in getattr(self, "__dict__", {}).items():
            made.__dict__[key] = deepcopy(value, memo)
        return made

    def __setitem__(self, key: Any, value: TensorLike) -> None:
        self.assign(set_item(self.__tensor__(), key, value))

    def check_update(self) -> None:
        """Raise InvalidArgumentError where an optimizer cannot update it; kinds of variables do."""

    def _fitting(self, value: TensorLike) -> Tensor:
        if isinstance(value, Operand):
            return to_tensor(value)
        return to_tensor(array_of(value, self.dtype))

    def item(self) -> Any:
        """Return the value of a one-element variable as a Python scalar."""
        return self.__tensor__().item()

    def __bool__(self) -> bool:
        return bool(self.__tensor__())

    def __int__(self) -> int:
        return int(self.__tensor__())

    def __float__(self) -> float:
        return float(self.__tensor__())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.__tensor__())

    def __len__(self) -> int:
        return len(self.__tensor__())

    def __format__(self, spec: str) -> str:
        return format(self.__tensor__(), spec) if spec else repr(self)

    def __array__(
        self, dtype: Any = None, copy: bool | None = None
    ) -> np.ndarray[Any, Any]:
        """Return the value as a NumPy array, for NumPy's own use."""
        return self.__tensor__().__array__(dtype, copy)

    def __repr__(self) -> str:
        if texts.wanted():
            value = None if tracer() is not None else self.__tensor__()
            return texts.variable_repr(self.name, self.shape, self.dtype.name, value)
        if tracer() is not None:  # a value would be one more node
            device = str(self.device).removeprefix("/device:")
            return (
                f"Variable(name={self.name!r}, shape={self.shape}, dtype={self.dtype.name}, "
                f"device={device})"
            )
        text = repr(self.__tensor__()).removeprefix("Tensor(")
        return f"Variable(name={self.name!r}, {text}"


def members(variable: Variable) -> Iterator[tuple[Any, Any]]:
    """Yield the places in which objects of a variable's class hold something, with what it is."""
    for kind in reversed(type(variable).__mro__):
        for member in vars(kind).values():
            if isinstance(member, MemberDescriptorType):  # what `__slots__` makes
                with suppress(AttributeError):  # nothing has been put there
                    yield member, member.__get__(variable)


def _copied(variable: Variable, made: Variable, handle: Tensor) -> EagerTensor:
    """Return the handle of a new variable with the value behind `handle`."""
    state = handle.array if isinstance(handle, EagerTensor) else None
    if not isinstance(state, VariableState):
        raise DTypeError(
            f"the variable {variable.name!r} is held elsewhere, by a graph's sessions or another "
            "task, and cannot be copied: make another variable, and assign it the value"
        )
    if tracer() is not None:
        raise TracingError(
            f"the variable {variable.name!r} cannot be copied in a trace, where its value is not "
            "known: copy it outside of the function"
        )
    copy = state.copied()
    copy.owner = ref(made)
    return EagerTensor(copy, handle.device)
