"""Bundles: several tensors as one value, which branches and calls save for their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes, operand
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp, for_module
from tensorlite.ops.control.list_values import BUNDLE, Bundled, TensorList
from tensorlite.ops.math.arithmetic import broadcast_to
from tensorlite.ops.state.variable import ReadVariableOp


class Bundle(Op):
    """Several tensors as one value."""

    aliases = True

    def infer(self, *members: TensorSpec) -> TensorSpec:
        """Return the spec of a bundle."""
        return BUNDLE

    def kernel(self, xp: Xp, *members: Array) -> Bundled:
        """Return the arrays held together."""
        return Bundled(members)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the members of the gradient, which has only those that gradients flow through."""
        flowing = [x for x in call.inputs if x.dtype.is_differentiable]
        parts = iter(unbundle(dy, [x.spec for x in flowing]))
        return tuple(
            [next(parts) if x.dtype.is_differentiable else None for x in call.inputs]
        )


class Unbundle(Op):
    """The tensors of a bundle."""

    aliases = True
    specs: tuple[TensorSpec, ...]

    def infer(self, bundle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of the members."""
        return self.specs

    def kernel(self, xp: Xp, bundle: Bundled) -> tuple[Array, ...]:
        """Return the members, brought to the host if that is where they are asked for."""
        if xp is not np:  # each is brought to where it is used
            return bundle.members
        return tuple([for_module(np, member) for member in bundle.members])

    def grad(self, call: Call, *dys: Tensor | None) -> Grads:
        """Return the bundle of those members' gradients that flow, zeros where nothing arrives."""
        pairs = zip(dys, call.outputs, strict=True)
        return (
            bundled(
                [
                    given_or_zeros(dy, y)
                    for dy, y in pairs
                    if y.dtype.is_differentiable
                ]
            ),
        )


class OptionalHasValue(Op):
    """Whether a bundle has members: that of an element which is not there has none."""

    differentiable = False

    def infer(self, bundle: TensorSpec) -> TensorSpec:
        """Return the spec of a truth value."""
        return TensorSpec((), dtypes.bool_)

    def kernel(self, xp: Xp, bundle: Bundled) -> Array:
        """Return it."""
        return xp.asarray(bool(bundle.members))


def bundled(members: Sequence[Tensor]) -> Tensor:
    """Return tensors as one bundle."""
    return call(Bundle(), *members)


def unbundle(bundle: Tensor, specs: Sequence[TensorSpec]) -> tuple[Tensor, ...]:
    """Return the tensors of a bundle, whose specs are these."""
    if not specs:
        return ()
    return calls(Unbundle(tuple([spec.without_value() for spec in specs])), bundle)


class VariantZerosLike(Op):
    """The zero of a list or bundle: as long, with the zero of each differentiable member."""

    differentiable = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return x.without_value()

    def kernel(self, xp: Xp, x: Opaque) -> Opaque:
        """Return the zero."""
        zero: Opaque = _zero(xp, x)
        return zero


def _zero(xp: Xp, x: Any) -> Any:
    """Return the zero of a value; arrays in lists become None, which costs nothing."""
    if isinstance(x, TensorList):
        parts = [
            _zero(xp, item) if isinstance(item, Opaque) else None for item in x.each()
        ]
        return x.like(parts)
    if isinstance(x, Bundled):
        kept = [
            m
            for m in x.members
            if isinstance(m, Opaque) or m.dtype.kind not in "iubO"
        ]
        return Bundled(tuple([_zero(xp, member) for member in kept]))
    return xp.zeros(x.shape, x.dtype)


def zeros_of(x: Tensor) -> Tensor:
    """Return the zero that can be added to gradients of `x`: for a handle, its value's."""
    if x.dtype is dtypes.variant:
        return call(VariantZerosLike(), x)
    if x.dtype is dtypes.resource:
        value = x.spec.inner[0]
        if value.is_static:
            return broadcast_to(constant(0, value.dtype), value.dims)
        return operand.operators.zeros_like(call(ReadVariableOp(), x))
    return operand.operators.zeros_like(x)


def given_or_zeros(dy: Tensor | None, x: Tensor) -> Tensor:
    """Return a gradient of `x`, zeros if there is none."""
    return zeros_of(x) if dy is None else dy
