"""Assert, and the assertions of tl.debugging made of it: in program order, in traces as well.

What is known while tracing is checked at once. Checks of numbers for NaN are in math/numerics.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import dtypes, operand
from tensorlite.core.dispatch import calls, promoted, to_tensor
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import (
    AssertionFailedError,
    DTypeError,
    InvalidArgumentError,
)
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.fetchable import Fetchable, effect, group
from tensorlite.ops.math.arithmetic import Rank
from tensorlite.ops.math.compare import isfinite
from tensorlite.ops.math.reduce import all as all_of

_Size: TypeAlias = int | str | EllipsisType | None

__all__: list[str] = []


class Assert(Op):
    """Raises AssertionFailedError, with values of the other inputs, unless the first all holds."""

    effect = Effect.IO
    differentiable = False
    message: str = ""
    summarize: int = 3

    def infer(
        self, condition: TensorSpec, *data: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError when the condition is not bool."""
        if condition.dtype is not dtypes.bool_:
            raise DTypeError(f"Assert: the condition is {condition}; allowed is bool")
        return ()

    def kernel(self, xp: Xp, condition: Array, *data: Array) -> tuple[Array, ...]:
        """Return nothing, if the condition holds."""
        if not bool(condition.all()):
            values = [summary(x, self.summarize) for x in data]
            shown = "; ".join([self.message, *values] if self.message else values)
            raise AssertionFailedError(f"assertion failed: {shown}")
        return ()


def summary(x: Array, summarize: int) -> str:
    """Return the first and last `summarize` elements along each axis as text (-1: all)."""
    host = to_host(x)
    if host.ndim == 0 and isinstance(host.item(), bytes):
        return str(host.item(), "utf-8", "replace")
    threshold = host.size + 1 if summarize < 0 else 2 * summarize
    return np.array2string(
        host, threshold=threshold, edgeitems=max(summarize, 1), separator=" "
    )


def assert_true(
    condition: TensorLike, message: str = "", *data: TensorLike, summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError with `message` and `data` unless all of `condition` holds.

    In a trace it does so when the graph runs; in a `tl.Graph` what comes back is to be fetched, or
    waited for by `tl.control_dependencies`. The same goes for all assertions here.

    >>> tl.debugging.assert_true(tl.asarray(1) < 2, "one is less than two")
    """
    return effect(Assert(message, summarize), condition, *data)


def _compared(
    what: str,
    relation: Callable[[Any, Any], Tensor],
    x: Any,
    y: Any,
    message: str,
    summarize: int,
) -> Fetchable:
    a, b = promoted(x, y)
    text = f"x {what} y" + (f": {message}" if message else "")
    return assert_true(relation(a, b), text, a, b, summarize=summarize)


def assert_equal(
    x: TensorLike, y: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x == y` everywhere.

    >>> tl.debugging.assert_equal([1, 2], [1, 2])
    """
    return _compared("==", operand.operators.equal, x, y, message, summarize)


def assert_none_equal(
    x: TensorLike, y: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x != y` everywhere.

    >>> tl.debugging.assert_none_equal([1, 2], [2, 1])
    """
    return _compared("!=", operand.operators.not_equal, x, y, message, summarize)


def assert_less(
    x: TensorLike, y: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x < y` everywhere.

    >>> tl.debugging.assert_less([1, 2], 3)
    """
    return _compared("<", operand.operators.less, x, y, message, summarize)


def assert_less_equal(
    x: TensorLike, y: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x <= y` everywhere.

    >>> tl.debugging.assert_less_equal([1, 2], 2)
    """
    return _compared("<=", operand.operators.less_equal, x, y, message, summarize)


def assert_greater(
    x: TensorLike, y: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x > y` everywhere.

    >>> tl.debugging.assert_greater([1, 2], 0)
    """
    return _compared(">", operand.operators.greater, x, y, message, summarize)


def assert_greater_equal(
    x: TensorLike, y: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x >= y` everywhere.

    >>> tl.debugging.assert_greater_equal([1, 2], 1)
    """
    return _compared(">=", operand.operators.greater_equal, x, y, message, summarize)


def assert_positive(
    x: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x > 0` everywhere.

    >>> tl.debugging.assert_positive([1.0, 2.0])
    """
    return assert_greater(x, 0, message, summarize)


def assert_negative(
    x: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x < 0` everywhere.

    >>> tl.debugging.assert_negative([-1.0, -2.0])
    """
    return assert_less(x, 0, message, summarize)


def assert_non_negative(
    x: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x >= 0` everywhere.

    >>> tl.debugging.assert_non_negative([0.0, 2.0])
    """
    return assert_greater_equal(x, 0, message, summarize)


def assert_non_positive(
    x: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError unless `x <= 0` everywhere.

    >>> tl.debugging.assert_non_positive([0.0, -2.0])
    """
    return assert_less_equal(x, 0, message, summarize)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: float = 1e-5,
    atol: float = 1e-5,
    message: str = "",
    summarize: int = 3,
) -> Fetchable:
    """Raise AssertionFailedError unless `|x - y| <= atol + rtol * |y|` everywhere.

    >>> tl.debugging.assert_near([1.0], [1.000001])
    """
    a, b = promoted(x, y)
    close = abs(a - b) <= atol + rtol * abs(b)
    text = "x is near y" + (f": {message}" if message else "")
    return assert_true(close, text, a, b, summarize=summarize)


def assert_all_finite(
    x: TensorLike, message: str = "", summarize: int = 3
) -> Fetchable:
    """Raise AssertionFailedError if `x` holds a NaN or an infinity.

    >>> tl.debugging.assert_all_finite([1.0, 2.0])
    """
    tensor = to_tensor(x)
    text = "x is finite" + (f": {message}" if message else "")
    return assert_true(all_of(isfinite(tensor)), text, tensor, summarize=summarize)


def assert_rank(x: TensorLike, rank: int, message: str = "") -> Fetchable:
    """Raise AssertionFailedError unless `x` has `rank` axes, at once where that is known.

    >>> tl.debugging.assert_rank([[1]], 2)
    """
    return _rank(x, rank, message, lambda have: have == rank, "")


def assert_rank_at_least(x: TensorLike, rank: int, message: str = "") -> Fetchable:
    """Raise AssertionFailedError unless `x` has at least `rank` axes.

    >>> tl.debugging.assert_rank_at_least([[1]], 1)
    """
    return _rank(x, rank, message, lambda have: have >= rank, "at least ")


def _rank(
    x: TensorLike, rank: int, message: str, holds: Callable[[Any], Any], most: str
) -> Fetchable:
    tensor = to_tensor(x)
    text = f"x has {most}{rank} axes" + (f": {message}" if message else "")
    have = tensor.spec.rank
    if have is None:
        actual = calls(Rank(), tensor)[0]
        return assert_true(holds(actual), text, actual)
    if not holds(have):
        raise AssertionFailedError(
            f"assertion failed: {text}; its shape is {_shape(tensor)}"
        )
    return group()


def assert_scalar(x: TensorLike, message: str = "") -> Fetchable:
    """Raise AssertionFailedError unless `x` is 0-d.

    >>> tl.debugging.assert_scalar(1.0)
    """
    return assert_rank(x, 0, message)


def assert_type(x: TensorLike, dtype: DTypeLike, message: str = "") -> Fetchable:
    """Raise AssertionFailedError, at once, unless the elements of `x` are of `dtype`.

    >>> tl.debugging.assert_type([1.0], tl.float32)
    """
    tensor, wanted = to_tensor(x), as_dtype(dtype)
    if tensor.dtype is not wanted:
        text = f"x is {wanted!r}" + (f": {message}" if message else "")
        raise AssertionFailedError(f"assertion failed: {text}; it is {tensor.spec}")
    return group()


def assert_shapes(
    shapes: Sequence[tuple[TensorLike, Sequence[_Size]]],
    message: str = "",
) -> Fetchable:
    """Raise AssertionFailedError unless each tensor has its shape.

    A size is an int, None for any, or a name, which stands for one size wherever it appears;
    behind `...` are those of the last axes.

    >>> tl.debugging.assert_shapes([([[1, 2]], ("n", 2)), ([5], ("n",))])
    """
    named: dict[str, tuple[Any, str]] = {}
    checks: list[Fetchable] = []
    for place, (x, sizes) in enumerate(shapes):
        tensor = to_tensor(x)
        has_rank, by_axis = _by_axis(sizes)
        checks.append(has_rank(tensor, len(by_axis), message))
        for axis, wanted in by_axis:
            have = _size(tensor, axis)
            where = f"size {axis} of tensor {place}, of shape {_shape(tensor)},"
            if isinstance(wanted, str):
                wanted, origin = named.setdefault(wanted, (have, where))  # noqa: PLW2901
                where = f"{where} is that which {origin} has"
            if wanted is not None:
                text = f"{where} is {wanted}{_with(message)}"
                checks.append(_same_size(have, wanted, text))
    return group(*checks)


def _by_axis(
    sizes: Sequence[_Size],
) -> tuple[Callable[..., Fetchable], list[tuple[int, int | str | None]]]:
    """Return how the number of axes is asserted, and the sizes of those that are named."""
    last = len(sizes) > 0 and sizes[0] is ...
    named = [size for size in sizes if not isinstance(size, EllipsisType)]
    if len(named) + last != len(sizes):
        raise InvalidArgumentError(f"{sizes}: `...` may only be the first size")
    if last:
        return assert_rank_at_least, list(enumerate(named, -len(named)))
    return assert_rank, list(enumerate(named))


def _with(message: str) -> str:
    return f": {message}" if message else ""


def _size(x: Tensor, axis: int) -> Any:
    known = None if x.spec.shape is None else x.spec.shape[axis]
    return shape_of(x)[axis] if known is None else known


def _same_size(have: Any, wanted: Any, text: str) -> Fetchable:
    if isinstance(have, int) and isinstance(wanted, int):
        if have != wanted:
            raise AssertionFailedError(f"assertion failed: {text}; it is {have}")
    elif have is not wanted:
        return assert_equal(have, wanted, text)
    return None


def _shape(x: Tensor) -> str:
    return shape_text(x.spec.shape)
