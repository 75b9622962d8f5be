"""Variables: mutable tensors, and the operators that read and write them through handles.

Sparse reads and writes of rows are in index.py; layers that own variables are in train/.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.core.constant import array_of
from tensorlite.core.dispatch import call, calls, interpreted_by, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, of_numpy, resource
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec, merge, shape_text
from tensorlite.core.tensor import EagerTensor, Shape, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.shape import astype


class VariableState(Resource):
    """What a variable's handle stands for: an array that assignments replace as a whole."""

    __slots__ = ("_spec", "array", "name")

    def __init__(self, array: Array, value: TensorSpec, name: str, trainable: bool) -> None:
        self.array = array
        self.name = name
        self._spec = TensorSpec((), resource, None, (value,), trainable)

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle; the value's spec is its `inner`."""
        return self._spec

    def __repr__(self) -> str:
        return f"<variable {self.name!r} {self._spec.inner[0]}>"


class ReadVariableOp(Op):
    """The value of a variable."""

    effect = Effect.READ
    takes_sparse = True
    aliases = True

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return the spec of the variable's value."""
        return handle.inner[0]

    def kernel(self, xp: Xp, handle: VariableState) -> Array:
        """Return the array the variable holds now."""
        return handle.array

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient of the value as the handle's, sparse if it is."""
        return (dy,)


class _Write(Op, abstract=True):
    """Gives a variable another value, and returns that."""

    effect = Effect.WRITE
    differentiable = False

    def infer(self, handle: TensorSpec, value: TensorSpec) -> TensorSpec:
        """Return the variable's spec; ShapeError or DTypeError when the value does not fit."""
        have = handle.inner[0]
        if have.dtype is not value.dtype:
            raise DTypeError(f"the variable holds {have.dtype!r}, the value is {value.dtype!r}")
        try:
            merge(have.shape, value.shape)
        except ShapeError:
            raise ShapeError(
                f"the variable has shape {shape_text(have.shape)}, the value "
                f"{shape_text(value.shape)}; they must be equal"
            ) from None
        return have

    def kernel(self, xp: Xp, handle: VariableState, value: Array) -> Array:
        """Make the new value the variable's."""
        self.infer(handle.spec, TensorSpec(value.shape, of_numpy(value.dtype)))
        handle.array = self.combine(xp, handle.array, value)
        return handle.array

    def combine(self, xp: Xp, old: Array, value: Array) -> Array:
        """Return the new value."""
        return value


class AssignVariableOp(_Write):
    """Gives a variable a new value."""


class AssignAddVariableOp(_Write):
    """Adds to a variable."""

    def combine(self, xp: Xp, old: Array, value: Array) -> Array:
        """Return old + value."""
        return old + value


class AssignSubVariableOp(_Write):
    """Subtracts from a variable."""

    def combine(self, xp: Xp, old: Array, value: Array) -> Array:
        """Return old - value."""
        return old - value


class Variable(Operand):
    """A tensor whose value can be changed; shape and dtype stay.

    `initial` is a tensor, anything that can become one, or a function that returns it. Tapes
    watch variables by themselves unless `trainable` is False.

    >>> w = tl.Variable([1.0, 2.0], name="w")
    >>> w.assign_add([10.0, 10.0])
    >>> w
    Variable(name='w', shape=(2,), dtype=float32, device=CPU:0)
    [11. 12.]
    """

    __slots__ = ("__weakref__", "handle", "name", "trainable")

    def __init__(
        self,
        initial: TensorLike | Callable[[], TensorLike],
        trainable: bool = True,
        name: str = "Variable",
        dtype: DTypeLike | None = None,
        shape: Shape | None = None,
    ) -> None:
        wanted = None if dtype is None else as_dtype(dtype)
        with interpreted_by(None):
            value = to_tensor(initial() if callable(initial) else initial, wanted)
            value = value if wanted is None else astype(value, wanted)
            array = value.array
        self.name = name
        self.trainable = trainable and value.dtype.is_differentiable
        spec = TensorSpec(value.shape if shape is None else shape, value.dtype)
        state = VariableState(array, spec, name, self.trainable)
        self.handle: Tensor = EagerTensor(state, value.device)

    @property
    def spec(self) -> TensorSpec:
        """The spec of the value."""
        return self.handle.spec.inner[0]

    @property
    def shape(self) -> Shape:
        """The shape of the value."""
        return self.spec.dims

    @property
    def dtype(self) -> DType:
        """The dtype of the value."""
        return self.spec.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __tensor__(self) -> Tensor:
        """Return the value as it is now."""
        return call(ReadVariableOp(), self.handle)

    def value(self) -> Tensor:
        """Return the value as it is now."""
        return self.__tensor__()

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the value as a read-only NumPy array."""
        return self.__tensor__().numpy()

    def assign(self, value: TensorLike) -> None:
        """Make `value` the variable's; ShapeError or DTypeError when it does not fit."""
        calls(AssignVariableOp(), self.handle, self._fitting(value))

    def assign_add(self, value: TensorLike) -> None:
        """Add `value` to the variable."""
        calls(AssignAddVariableOp(), self.handle, self._fitting(value))

    def assign_sub(self, value: TensorLike) -> None:
        """Subtract `value` from the variable."""
        calls(AssignSubVariableOp(), self.handle, self._fitting(value))

    def _fitting(self, value: TensorLike) -> Tensor:
        if isinstance(value, Operand):
            return to_tensor(value)
        return to_tensor(array_of(value, self.dtype))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the value as a NumPy array, for NumPy's own use."""
        return self.__tensor__().__array__(dtype, copy)

    def __repr__(self) -> str:
        text = repr(self.__tensor__()).removeprefix("Tensor(")
        return f"Variable(name={self.name!r}, {text}"
