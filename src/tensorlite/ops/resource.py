"""What variables' handles stand for, and the operators that read and write them whole.

Rows of variables are read and written in sparse_state.py; class Variable is in state.py.
"""

from __future__ import annotations

from threading import RLock

from tensorlite.core.dtypes import of_numpy, resource
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec, merge, shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp


class VariableState(Resource):
    """What a variable's handle stands for: an array that assignments replace as a whole.

    Who makes a new value out of the old holds the lock, so that no write of another thread is
    lost; who reads has the value of some moment, and needs none.
    """

    __slots__ = ("_spec", "array", "lock", "name")

    def __init__(
        self, array: Array, value: TensorSpec, name: str, trainable: bool
    ) -> None:
        self.array = array
        self.name = name
        self.lock = RLock()
        self._spec = TensorSpec((), resource, None, (value,), trainable)

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle; the value's spec is its `inner`."""
        return self._spec

    @property
    def memory(self) -> object:
        """The value."""
        return self.array

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


class Write(Op, abstract=True):
    """Gives a variable another value, and returns that."""

    effect = Effect.WRITE
    differentiable = False

    def infer(self, handle: TensorSpec, value: TensorSpec) -> TensorSpec:
        """Return the variable's spec; ShapeError or DTypeError when the value does not fit."""
        have = handle.inner[0]
        if have.dtype is not value.dtype:
            raise DTypeError(
                f"the variable holds {have.dtype!r}, the value is {value.dtype!r}"
            )
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
        with handle.lock:
            made = handle.array = self.combine(xp, handle.array, value)
        return made

    def combine(self, xp: Xp, old: Array, value: Array) -> Array:
        """Return the new value."""
        return value


class AssignVariableOp(Write):
    """Gives a variable a new value."""


class AssignAddVariableOp(Write):
    """Adds to a variable."""

    def combine(self, xp: Xp, old: Array, value: Array) -> Array:
        """Return old + value."""
        return old + value


class AssignSubVariableOp(Write):
    """Subtracts from a variable."""

    def combine(self, xp: Xp, old: Array, value: Array) -> Array:
        """Return old - value."""
        return old - value
