"""unary, binary: make TensorFlow's functions of one and two operands out of tensorlite's.

The functions themselves are gathered by topic in the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.calling import agreeing, converted, named
from tensorlite.core.dispatch import call
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Op
from tensorlite.ops.sparse_tensor import SparseTensor


def unary(default: str, function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a function of `x` and a name; a sparse tensor's values are what it works on."""

    @named(default)
    def made(x: Any, name: str | None = None) -> Any:
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, function(x.values), x.dense_shape)
        return function(converted(x))

    titled(made, function, default)
    return made


def binary(default: str, function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return a function of `x`, `y` and a name; what is no tensor takes a tensor's dtype."""

    @named(default)
    def made(x: Any, y: Any, name: str | None = None) -> Any:
        return function(*alike(default, x, y))

    titled(made, function, default)
    return made


def alike(title: str, x: Any, y: Any) -> tuple[Any, Any]:
    """Return operands as tensors of one dtype; DTypeError where they are of two."""
    first, second = agreeing(x, y)
    if first.dtype is not second.dtype:
        raise DTypeError(
            f"{title}: Input 'y' is {second.spec}, which does not match 'x', {first.spec}; cast "
            "one of them with tf.cast"
        )
    return first, second


def titled(made: Any, function: Any, default: str) -> Any:
    """Return a function that bears a name of its own in tracebacks."""
    made.__name__ = made.__qualname__ = getattr(function, "__name__", default).strip(
        "_"
    )
    return made


def applied(op: Op) -> Callable[..., Any]:
    """Return the function of tensors that an operator is."""

    def function(*operands: Any) -> Any:
        return call(op, *operands)

    function.__name__ = op.name
    return function
