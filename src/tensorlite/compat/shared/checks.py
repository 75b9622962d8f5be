"""Assertions as TensorFlow 2 calls them; v1/checks.py has the older order of arguments.

In a graph they are operations that raise when they run; what is known earlier is said at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import agreeing, converted, named
from tensorlite.compat.views import plain
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import as_dtype, bool_
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.ops import assertions
from tensorlite.ops.numerics import CheckNumerics
from tensorlite.ops.sparse_tensor import SparseTensor


@named("Assert")
def Assert(  # TensorFlow's name
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Any:
    shown = [converted(x) for x in data]
    text = "assertion failed:"
    held = tl.astype(converted(condition), bool_)
    return assertions.assert_true(held, text, *shown, summarize=summarize or 3)


def _held(
    condition: Any, what: str, message: Any, data: Any, shown: Any, summarize: Any
) -> Any:
    given = [converted(x) for x in (shown if data is None else data)]
    text = f"{message}. {what}" if message else what
    return assertions.assert_true(condition, text, *given, summarize=summarize or 3)


def comparison(
    default: str, sign: str, relation: Callable[[Any, Any], Any]
) -> Callable[..., Any]:
    """Return an assertion about two tensors."""

    @named(default)
    def made(
        x: Any,
        y: Any,
        message: Any = None,
        summarize: Any = None,
        data: Any = None,
        name: str | None = None,
    ) -> Any:
        a, b = agreeing(x, y)
        what = f"Condition x {sign} y did not hold element-wise"
        return _held(relation(a, b), what, message, data, (a, b), summarize)

    return made


def condition(
    default: str, what: str, relation: Callable[[Any], Any]
) -> Callable[..., Any]:
    """Return an assertion about the elements of a tensor."""

    @named(default)
    def made(
        x: Any,
        message: Any = None,
        summarize: Any = None,
        data: Any = None,
        name: str | None = None,
    ) -> Any:
        a = converted(x)
        text = f"Condition {what} did not hold element-wise"
        return _held(relation(a), text, message, data, (a,), summarize)

    return made


assert_equal = comparison("assert_equal", "==", tl.equal)
assert_none_equal = comparison("assert_none_equal", "!=", tl.not_equal)
assert_less = comparison("assert_less", "<", tl.less)
assert_less_equal = comparison("assert_less_equal", "<=", tl.less_equal)
assert_greater = comparison("assert_greater", ">", tl.greater)
assert_greater_equal = comparison("assert_greater_equal", ">=", tl.greater_equal)
assert_positive = condition("assert_positive", "x > 0", lambda x: tl.greater(x, 0))
assert_negative = condition("assert_negative", "x < 0", lambda x: tl.less(x, 0))
assert_non_negative = condition(
    "assert_non_negative", "x >= 0", lambda x: tl.greater_equal(x, 0)
)
assert_non_positive = condition(
    "assert_non_positive", "x <= 0", lambda x: tl.less_equal(x, 0)
)


@named("assert_near")
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: Any = None,
    summarize: Any = None,
    data: Any = None,
    name: str | None = None,
) -> Any:
    a, b = agreeing(x, y)
    least = 10 * float(np.finfo(a.dtype.numpy).eps) if a.dtype.is_floating else 1e-6
    relative, absolute = (least if t is None else t for t in (rtol, atol))
    near = tl.abs(a - b) <= absolute + relative * tl.abs(b)
    what = f"x and y not equal to tolerance rtol = {relative}, atol = {absolute}"
    return _held(near, what, message, data, (a, b), summarize)


@named("assert_rank")
def assert_rank(
    x: Any,
    rank: Any,
    message: Any = None,
    summarize: Any = None,
    data: Any = None,
    name: str | None = None,
) -> Any:
    return _ranked(x, [rank], lambda a, b: a == b, "equal to", message)


@named("assert_rank_at_least")
def assert_rank_at_least(
    x: Any,
    rank: Any,
    message: Any = None,
    summarize: Any = None,
    data: Any = None,
    name: str | None = None,
) -> Any:
    return _ranked(x, [rank], lambda a, b: a >= b, "at least", message)


@named("assert_rank_in")
def assert_rank_in(
    x: Any,
    ranks: Any,
    message: Any = None,
    summarize: Any = None,
    data: Any = None,
    name: str | None = None,
) -> Any:
    return _ranked(x, list(ranks), lambda a, b: a == b, "in", message)


def _ranked(x: Any, ranks: Any, fits: Any, what: str, message: Any) -> Any:
    operand = converted(x)
    own = operand.spec.rank
    known = [_number(rank) for rank in ranks]
    if own is not None and None not in known:
        if any(fits(own, rank) for rank in known):
            return tl.group()
        raise ShapeError(
            f"{message or ''} Tensor {operand.spec} must have rank {what} {known}. Received rank "
            f"{own}"
        )
    found = tl.rank(operand)
    held = [fits(found, converted(rank)) for rank in ranks]
    text = f"{message or ''} Tensor must have rank {what} {known}"
    return assertions.assert_true(tl.any(tl.stack(held)), text, found)


def _number(rank: Any) -> int | None:
    if isinstance(rank, Operand):
        found = rank.__tensor__().spec.constant()
        return None if found is None else int(np.asarray(found).item())
    return int(rank)


@named("assert_type")
def assert_type(
    tensor: Any, tf_type: Any, message: Any = None, name: str | None = None
) -> Any:
    x = tensor.values if isinstance(tensor, SparseTensor) else converted(tensor)
    if x.dtype is not as_dtype(tf_type):
        raise TypeError(
            f"{message or ''} {x.spec} must be of type {as_dtype(tf_type).name}"
        )
    return tl.group()


@named("assert_integer")
def assert_integer(x: Any, message: Any = None, name: str | None = None) -> Any:
    operand = converted(x)
    if not operand.dtype.is_integer:
        raise TypeError(
            f"{message or ''} Expected integer type. Found: {operand.dtype.name}"
        )
    return tl.group()


@named("assert_scalar")
def assert_scalar(tensor: Any, message: Any = None, name: str | None = None) -> Any:
    x = converted(tensor)
    if x.spec.rank not in (0, None):
        raise ShapeError(
            f"{message or ''} Expected scalar shape, saw shape: {x.spec.shape}."
        )
    return x


@named("assert_shapes")
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    given = [(converted(x), _symbols(sizes)) for x, sizes in pairs]
    return assertions.assert_shapes(given, message or "")


def _symbols(sizes: Any) -> Any:
    if isinstance(sizes, str):
        return [None if x == "." else int(x) if x.isdecimal() else x for x in sizes]
    listed = sizes if isinstance(sizes, (list, tuple)) else [sizes]
    return [None if x == "." else plain(x) for x in listed]


def assert_proper_iterable(values: Any) -> None:
    if isinstance(values, (Operand, SparseTensor, np.ndarray, str, bytes)):
        raise TypeError(
            f"Expected argument 'values' to be a 'proper' iterable.  Found: {type(values)}"
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(
            f"Expected argument 'values' to be iterable.  Found: {type(values)}"
        )


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    found = None if dtype is None else as_dtype(dtype)
    for x in [x for x in tensors or () if x is not None]:
        own = x.dtype if hasattr(x, "dtype") else converted(x).dtype
        if found is not None and as_dtype(own) is not found:
            raise DTypeError(
                f"Tensor type mismatch, {x!r} must be of type {found.name}, not {own}"
            )
        found = as_dtype(own)
    chosen = as_dtype("float32") if found is None else found
    if not chosen.is_floating:
        raise DTypeError(f"Expected floating point type, got {chosen.name}.")
    return chosen


@named("CheckNumerics")
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Any:
    return call(CheckNumerics(message), converted(tensor))


@named("VerifyFinite", "control_dependency")
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    return call(CheckNumerics(message), converted(x))


def is_numeric_tensor(tensor: Any) -> bool:
    return isinstance(tensor, Operand) and tensor.__tensor__().dtype.is_numeric


@named("is_non_decreasing", "All")
def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    flat = tl.reshape(converted(x), [-1])
    return tl.all(flat[1:] >= flat[:-1])


@named("is_strictly_increasing", "All")
def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    flat = tl.reshape(converted(x), [-1])
    return tl.all(flat[1:] > flat[:-1])
