"""check_numerics: finds the operator, forward or backward, that makes the first NaN or infinity."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, overload

from tensorlite.core.dispatch import Interpreter, Tensors, call1, run
from tensorlite.core.errors import NumericsError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.provenance import user_line
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host, xp_of
from tensorlite.ops.families import FloatUnary

__all__: list[str] = []


class CheckNumerics(FloatUnary):
    """Passes a tensor on if it holds neither NaN nor infinity."""

    aliases = True
    message: str = ""

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the operand; NumericsError when it is not finite."""
        found = faults(x)
        if found:
            raise NumericsError(
                f"CheckNumerics: {self.message or 'the tensor'} {found}"
            )
        return x

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, checked as well."""
        return (
            call1(
                CheckNumerics(f"the gradient of {self.message or 'the tensor'}"), dy
            ),
        )


def faults(x: Array) -> str:
    """Return what is not finite in an array, in words; nothing if all is."""
    xp = xp_of(x)
    if bool(xp.isfinite(x).all()):
        return ""
    nans = int(xp.isnan(x).sum())
    infinite = int(xp.isinf(x).sum())
    where = [int(axis[0]) for axis in xp.nonzero(~xp.isfinite(x.reshape(-1)))]
    kinds = " and ".join(["Inf"] * bool(infinite) + ["NaN"] * bool(nans))
    return (
        f"holds {nans} NaN and {infinite} infinite of {x.size} elements, first at {where[0]}: "
        f"Tensor had {kinds} values"
    )


class _Checker(Interpreter):
    """Checks the outputs of every operator, and puts CheckNumerics behind those of a trace."""

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`, checked."""
        outputs = run(self.below, op, inputs)
        if isinstance(op, CheckNumerics) or (
            op.regions() and self.tracer is not None
        ):
            return outputs
        return tuple([self._checked(op, inputs, y) for y in outputs])

    def _checked(self, op: Op, inputs: Tensors, y: Tensor) -> Tensor:
        if not (y.dtype.is_floating or y.dtype.is_complex):
            return y
        if isinstance(y, EagerTensor):
            found = faults(y.array)
            if found:
                listed = "; ".join(map(_range, inputs))
                inside = " (tl.debugging.run_eagerly() finds the operator inside)"
                raise NumericsError(
                    f"the result of {op.name} {found}. Its inputs: {listed or 'none'}. Called at "
                    f"{user_line()}{inside if op.regions() else ''}"
                )
            return y
        message = f"the result of {op.name}, made at {user_line()},"
        return run(self.below, CheckNumerics(message), (y,))[0]


def _range(x: Tensor) -> str:
    """Return a tensor's spec and the range of its values as text."""
    if not isinstance(x, EagerTensor) or not x.dtype.is_numeric or not x.size:
        return str(x.spec)
    array = to_host(x.array)
    if x.dtype.is_complex:
        array = abs(array)
    return f"{x.spec} in [{array.min()}, {array.max()}]"


@overload
def check_numerics() -> AbstractContextManager[Any]: ...
@overload
def check_numerics(x: TensorLike, message: str = "") -> Tensor: ...
def check_numerics(
    x: TensorLike | None = None, message: str = ""
) -> Tensor | AbstractContextManager[Any]:
    """Return `x` if it is finite, else raise NumericsError; its gradient is checked, too.

    Without `x`, return a context in which the results of all operators are checked, those of
    gradients included: the error tells operator, the ranges of its inputs, and the line.
    Operators in a trace are checked when it runs, except those inside its branches and loops; of
    a traced function that is called inside, the results are checked.

    >>> print(tl.debugging.check_numerics(tl.asarray([1.0, 2.0])))
    [1. 2.]
    >>> with tl.debugging.check_numerics():
    ...     y = tl.sqrt(tl.asarray(4.0))
    """
    return _Checker() if x is None else call1(CheckNumerics(message), x)
