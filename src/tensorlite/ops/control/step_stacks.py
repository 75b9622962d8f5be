"""Stacks of tensors that live in one step, by handle, as TensorFlow 1's loops use them."""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.errors import OutOfRangeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.control.step_arrays import Held, check_dtype

__all__: list[str] = []


class StackState(Held):
    """Tensors of which the last that came is the first to go."""

    def __init__(self, element: TensorSpec, most: int) -> None:
        self._spec = TensorSpec((), dtypes.resource, None, (element,))
        self.most = most
        self.items: list[Array] = []

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle."""
        return self._spec

    def push(self, item: Array) -> None:
        """Put a tensor on top; OutOfRangeError when there is no room."""
        if 0 <= self.most <= len(self.items):
            raise OutOfRangeError(f"a stack of {self.most} tensors is full")
        self.items.append(item)

    def pop(self) -> Array:
        """Take the tensor on top; OutOfRangeError when there is none."""
        if not self.items:
            raise OutOfRangeError("a stack is empty, and a tensor is asked for")
        return self.items.pop()


class StackV2(Op):
    """Makes a stack of `max_size` tensors, or of any number if that is negative."""

    effect = Effect.DRAW
    differentiable = False
    host = (0,)
    element: TensorSpec
    """What is known of the tensors; of handles, what these are of."""

    def infer(self, max_size: TensorSpec) -> TensorSpec:
        """Return the spec of the handle."""
        return TensorSpec((), dtypes.resource, None, (self.element,))

    def kernel(self, xp: Xp, max_size: Array) -> StackState:
        """Return a new stack."""
        return StackState(self.element, int(max_size))


class StackPushV2(Op):
    """Puts a tensor on a stack, and returns it."""

    effect = Effect.WRITE
    differentiable = False
    aliases = True

    def infer(self, handle: TensorSpec, elem: TensorSpec) -> TensorSpec:
        """Return the tensor's spec; DTypeError when the stack is of another dtype."""
        check_dtype(self, handle, elem)
        return elem

    def kernel(self, xp: Xp, handle: StackState, elem: Array) -> Array:
        """Return the tensor, which is on the stack now."""
        handle.push(elem)
        return elem


class StackPopV2(Op):
    """Takes a tensor from a stack."""

    effect = Effect.WRITE
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return what is known of the stack's tensors."""
        return handle.inner[0]

    def kernel(self, xp: Xp, handle: StackState) -> Array:
        """Return the tensor that was on top."""
        return handle.pop()
