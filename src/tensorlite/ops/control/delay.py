"""Delay: a tensor that comes later, to see what becomes of a program when something is slow."""

from __future__ import annotations

from threading import Timer
from typing import ClassVar

from tensorlite.core.deadlock import Want
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.dtypes import float64
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Effect, Grads
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array

__all__: list[str] = []


class Delay(Waiting):
    """A tensor, some seconds after it is there."""

    effect = Effect.DRAW
    """So that it is neither merged with others nor done while tracing."""
    differentiable: ClassVar[bool] = True
    aliases = True
    host = (1,)

    def infer(self, x: TensorSpec, seconds: TensorSpec) -> TensorSpec:
        """Return the operand's spec; DTypeError or ShapeError unless the seconds are a number."""
        if not seconds.dtype.is_floating:
            raise DTypeError(f"Delay: seconds is {seconds}; allowed are floats")
        if seconds.shape not in (None, ()):
            raise ShapeError(f"Delay: seconds is {seconds}; one number is due")
        return x

    def start(self, done: Done, x: Array, seconds: Array) -> Cancel | None:
        """Begin to wait; no thread that computes is held up."""
        if not seconds >= 0:
            raise InvalidArgumentError(f"Delay: seconds={seconds}; give 0 or more")
        timer = Timer(float(seconds), done, (x,))
        timer.daemon = True
        timer.start()
        return timer.cancel

    def waits_for(self, x: Array, seconds: Array) -> Want:
        """Return that time is waited for."""
        return Want(f"{float(seconds):g} seconds to be over")

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient as it is, at once."""
        return (dy, None)


def delay(x: TensorLike, seconds: TensorLike) -> Tensor:
    """Return a tensor some seconds later, as if something slow had computed it.

    In a traced function what does not depend on it goes on meanwhile, and no thread is held up;
    a step of a worker can be made a straggler by it.

    >>> print(tl.debugging.delay([1.0, 2.0], seconds=0.01))
    [1. 2.]
    """
    return call(Delay(), to_tensor(x), to_tensor(seconds, float64))
