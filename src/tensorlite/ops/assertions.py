"""Assert: the operator behind `assert` in traced functions. tl.debugging's checks are made of it."""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls
from tensorlite.core.errors import AssertionFailedError, DTypeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import TensorLike
from tensorlite.core.xp import Array, Xp


class Assert(Op):
    """Raises AssertionFailedError unless every element of a bool tensor holds."""

    effect = Effect.IO
    differentiable = False
    message: str = ""

    def infer(self, condition: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError when the condition is not bool."""
        if condition.dtype is not dtypes.bool_:
            raise DTypeError(f"Assert: the condition is {condition}; allowed is bool")
        return ()

    def kernel(self, xp: Xp, condition: Array) -> tuple[Array, ...]:
        """Return nothing, if the condition holds."""
        if not bool(condition.all()):
            raise AssertionFailedError(f"assertion failed: {self.message}")
        return ()


def assert_true(condition: TensorLike, message: str = "") -> None:
    """Raise AssertionFailedError with `message`, when this runs, unless all of `condition` holds."""
    calls(Assert(message), condition)
