"""Send, Recv, Token: what passes/partition.py puts where an edge is cut between two devices.

The kernels of Send and Recv are not run: the dataflow machine hands over the value, or that it is
dead, under `tensor_name` and the iterations that both are in; see runtime/rendezvous.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp

__all__: list[str] = []


class Send(Op):
    """Hands `tensor` to the Recv of the same name on another device."""

    role = Role.SEND
    effect = Effect.IO
    differentiable = False
    tensor_name: str
    send_device: DeviceName
    recv_device: DeviceName

    def infer(self, tensor: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, tensor: Array) -> tuple[Array, ...]:
        """Raise InvalidArgumentError: the machine sends."""
        raise InvalidArgumentError("Send runs on the dataflow machine only")


class Recv(Op):
    """The tensor that the Send of the same name hands over."""

    role = Role.RECV
    effect = Effect.IO
    differentiable = False
    tensor_name: str
    send_device: DeviceName
    recv_device: DeviceName
    spec: TensorSpec
    conditional: bool = False
    """Whether a branch may leave it dead, in a turn of a loop that is not the last."""

    def infer(self) -> TensorSpec:
        """Return what is known of the tensor."""
        return self.spec

    def kernel(self, xp: Xp) -> Array:
        """Raise InvalidArgumentError: the machine receives."""
        raise InvalidArgumentError("Recv runs on the dataflow machine only")


class Token(Op):
    """A scalar that says no more than that its inputs, and what it runs after, are there."""

    effect = Effect.DRAW
    differentiable = False

    def infer(self, *inputs: TensorSpec) -> TensorSpec:
        """Return a bool scalar."""
        return TensorSpec((), dtypes.bool_)

    def kernel(self, xp: Xp, *inputs: Array) -> Array:
        """Return False."""
        return np.False_
