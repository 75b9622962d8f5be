"""check_numerics: finds the operator, forward or backward, that makes the first NaN or infinity."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Self, overload

from tensorlite.core.dispatch import Interpreter, Tensors, call1, run
from tensorlite.core.errors import NumericsError
from tensorlite.core.numerics import check, checking, faults
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.provenance import user_line
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
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


class _Checker(Interpreter):
    """Checks the outputs of every operator, and puts CheckNumerics behind those of a trace."""

    def __enter__(self) -> Self:
        """Look at what runs eagerly from now on, and at the kernels of plans."""
        self._asked = checking.set(True)
        return super().__enter__()

    def __exit__(self, *exc: object) -> None:
        """Look no longer."""
        super().__exit__(*exc)
        checking.reset(self._asked)

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`, checked."""
        outputs = run(self.below, op, inputs)
        if isinstance(op, CheckNumerics) or (
            op.regions() and self.tracer is not None
        ):
            return outputs
        if self.tracer is not None:
            return tuple([self._to_check(op, y) for y in outputs])
        inside = " (tl.debugging.run_eagerly() tells which operator inside)"
        where = f" Called at {user_line()}{inside if op.regions() else ''}"
        check(op, [x.array for x in inputs], [y.array for y in outputs], where)
        return outputs

    def _to_check(self, op: Op, y: Tensor) -> Tensor:
        if isinstance(y, EagerTensor) or not (
            y.dtype.is_floating or y.dtype.is_complex
        ):
            return y
        message = f"the result of {op.name}, made at {user_line()},"
        return run(self.below, CheckNumerics(message), (y,))[0]


@overload
def check_numerics() -> AbstractContextManager[Any]: ...
@overload
def check_numerics(x: TensorLike, message: str = "") -> Tensor: ...
def check_numerics(
    x: TensorLike | None = None, message: str = ""
) -> Tensor | AbstractContextManager[Any]:
    """Return `x` if it is finite, else raise NumericsError; its gradient is checked, too.

    Without `x`, return a context in which the results of all operators are checked, and what they
    write to variables: those of gradients, of traced functions that are called inside, of their
    loops and branches, and of sessions. The error tells operator, the ranges of its inputs, and the
    line. What is traced inside is checked when it runs later, too, but for loops and branches.

    >>> print(tl.debugging.check_numerics(tl.asarray([1.0, 2.0])))
    [1. 2.]
    >>> with tl.debugging.check_numerics():
    ...     y = tl.sqrt(tl.asarray(4.0))
    """
    return _Checker() if x is None else call1(CheckNumerics(message), x)
