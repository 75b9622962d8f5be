"""Operators that give back their operand: identity, stop_gradient, and the copy between devices."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from tensorlite.core import operand
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import call, call1, current, to_tensor, tracer
from tensorlite.core.errors import FailedPreconditionError, ShapeError
from tensorlite.core.op import Call, Effect, Gradient, Grads, Op
from tensorlite.core.scope import device as placed_on
from tensorlite.core.spec import Dim, TensorSpec, check_sizes
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, existing, to_device as array_to_device
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.manual import default_graph
from tensorlite.graph.trace import Tracer

__all__ = ["identity", "placeholder_with_default", "stop_gradient", "to_device"]


class Identity(Op):
    """The operand itself."""

    aliases = True
    takes_sparse = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the operand."""
        return x

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient as it is."""
        return (dy,)


class IdentityN(Op):
    """The operands themselves, under one name."""

    aliases = True
    takes_sparse = True

    def infer(self, *xs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the operands' specs."""
        return xs

    def kernel(self, xp: Xp, *xs: Array) -> tuple[Array, ...]:
        """Return the operands."""
        return xs

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the gradients as they are; zeros where others flow alone, as in TensorFlow."""
        return tuple(
            [
                operand.operators.zeros_like(x)
                if dy is None and x.dtype.is_differentiable
                else dy
                for x, dy in zip(call.inputs, dys, strict=True)
            ]
        )


class StopGradient(Op):
    """The operand itself, which counts as a constant for gradients."""

    differentiable = False
    aliases = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the operand."""
        return x


class PlaceholderWithDefault(Op):
    """The operand, unless another value is fed in its place; never merged with an equal one."""

    effect = Effect.DRAW
    aliases = True
    spec: TensorSpec

    def infer(self, input: TensorSpec) -> TensorSpec:
        """Return the spec of the values that may be fed; ShapeError when the operand is none."""
        if not self.spec.accepts(input):
            raise ShapeError(f"{self.name}: {input} is the default of {self.spec}")
        return self.spec

    def kernel(self, xp: Xp, input: Array) -> Array:
        """Return the operand."""
        return input

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient as it is."""
        return (dy,)


def placeholder_with_default(
    default: TensorLike, shape: Sequence[Dim] | None = None
) -> Tensor:
    """Return a tensor of the `tl.Graph` being built that is `default` unless it is fed.

    `shape` is that of the values which may be fed, with None for sizes that may differ; left out,
    it is the default's. FailedPreconditionError outside `with graph.as_default()`. Source:
    TensorFlow's `tf.compat.v1.placeholder_with_default`.

    >>> with tl.Graph().as_default():
    ...     rate = tl.placeholder_with_default(0.5)
    ...     session = tl.Session()
    >>> print(session.run(rate), session.run(rate, {rate: 0.25}))
    0.5 0.25
    """
    if default_graph() is None:
        raise FailedPreconditionError(
            "tl.placeholder_with_default makes a node of a graph: call it inside "
            "`with graph.as_default()`, where graph = tl.Graph()"
        )
    tensor = to_tensor(default)
    spec = TensorSpec(tensor.spec.shape if shape is None else shape, tensor.dtype)
    check_sizes(spec.shape)
    return call(PlaceholderWithDefault(spec), tensor)


class Copy(Op):
    """The operand in the memory of a device of this process."""

    aliases = True
    moves = True
    device: str

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the array, copied if it lies on another device."""
        return array_to_device(x, DeviceName.parse(self.device))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient on the operand's device."""
        return (to_device(dy, call.inputs[0].device),)


def apart(tensor: Tensor, given: Any) -> Tensor:
    """Return `tensor`; where it is the operand `given` itself, another object of the same value.

    What a function returns may be assigned to (`y[0] = 1`) without its operand changing.
    """
    if tensor is not given:
        return tensor
    top = current.get()
    if top is None and type(tensor) is EagerTensor:
        return copy(tensor)
    graph = tensor.node.graph if isinstance(tensor, SymbolicTensor) else None
    here = isinstance(top, Tracer) and graph is top.graph
    return copy(tensor) if here else call1(Identity(), tensor)


def identity(x: TensorLike, /) -> Tensor:
    """Return `x`, as a tensor of its own in a graph.

    >>> print(tl.identity([1, 2]))
    [1 2]
    """
    return call(Identity(), x)


def result(x: Tensor, /) -> Tensor:
    """Return `x`; in a trace by a node that nothing shares, as TensorFlow's functions return it."""
    top = current.get()
    if isinstance(top, Tracer):
        return top.anew(Identity(), x)[0]
    return call1(Identity(), x)


def stop_gradient(x: TensorLike, /) -> Tensor:
    """Return `x` as a constant: gradients do not flow through it.

    >>> x = tl.asarray(3.0)
    >>> with tl.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * tl.stop_gradient(x)
    >>> print(tape.gradient(y, x))
    3.0
    """
    return call(StopGradient(), x)


def to_device(x: TensorLike, device: DeviceName | str, /) -> Tensor:
    """Return `x` on a device; DeviceError when there is none of that name.

    Under soft placement the nearest device is taken. In a trace the copy is where the graph
    passes from one device to another.

    >>> str(tl.to_device([1, 2], "/device:CPU:0").device)
    '/device:CPU:0'
    """
    tensor = to_tensor(x)
    name = DeviceName.of(device)
    if tracer() is None:
        there = tensor.device
        if name.matches(there) and (name.job is not None or there.job is None):
            return tensor
        return call(Copy(str(existing(name))), tensor)
    with placed_on(name):
        return call(Identity(), tensor)
