"""Assertions as TensorFlow 2 calls them; v1/functions/checks.py has the older order of arguments.

In a graph they are operations that raise when they run; what is known earlier is said at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import agreeing, converted, given_constant, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared import reductions
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dispatch import call, tracer
from tensorlite.core.dtypes import as_dtype, bool_, int32, string
from tensorlite.core.errors import (
    AssertionFailedError,
    DTypeError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.operand import Operand
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.counting import alike
from tensorlite.graph_mode.graph import active_graph, name_scope, titled
from tensorlite.ops.control import assertions
from tensorlite.ops.math.numerics import CheckNumerics
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.sparse.tensor import SparseTensor


@named("Assert", None)
def Assert(  # TensorFlow's name
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise an error that shows `data` unless a condition holds; in a graph return what does.

    Of each tensor `summarize` elements are shown, 3 unless given.
    """
    if active_graph() is None:
        given = [converted(x) for x in data]
        held = tl.astype(converted(condition), bool_)
        return assertions.assert_true(held, "", *given, summarize=summarize or 3)
    kinds = {
        converted(x).dtype for x in data
    }  # as TensorFlow does, which makes nodes
    is_text = kinds <= {string, int32}
    held = converted(condition, None, "Condition")
    held = held if held.dtype is bool_ else tl.astype(held, bool_)
    place = "Assert" if is_text else "AssertGuard/Assert"
    beside = 0 if is_text else _OF_A_GUARD + sum(isinstance(x, Operand) for x in data)
    with alike(len(data) - sum(isinstance(x, Operand) for x in data) + 1 + beside):
        shown = [converted(x, None, f"{place}/data_{i}") for i, x in enumerate(data)]
        made = assertions.assert_true(held, "", *shown, summarize=summarize or 3)
    return made if is_text else titled(made, "AssertGuard/Merge")


_OF_A_GUARD = 9
"""How many operations TensorFlow has around one; as many more as tensors are told."""


def _held(
    relation: Callable[..., Any],
    known: Any,
    told: list[Any],
    summarize: Any,
    *xs: Any,
) -> Any:
    """Return an assertion; AssertionFailedError at once if a graph knows that it fails."""
    if active_graph() is None:
        return Assert(relation(*xs), told, summarize)
    condition = plain(reductions.reduce_all(relation(*xs)))
    values = [_known(x) for x in xs]
    if all(x is not None for x in values) and not np.all(known(*values)):
        raise AssertionFailedError("\n".join(_text(x) for x in told))
    return plain(Assert(condition, told, summarize))


def _known(x: Any) -> Any:
    """Return the value of a tensor whose value a graph knows; None for others."""
    found = get_static_value(x)
    return None if found is None else np.asarray(found)


def _text(x: Any) -> str:
    """Return a text, or a tensor's value where it is known."""
    if not isinstance(x, Operand):
        return str(x)
    known = _known(x.__tensor__())
    return str(x if known is None else known)


def _told(message: Any, data: Any, what: str, **operands: Any) -> list[Any]:
    """Return what an assertion shows: texts and tensors."""
    told = [] if message is None else [message]
    if data is not None:
        return [*told, *data]
    told.append(f"{what}:")
    for name, x in operands.items():
        told += [f"{name} ({_label(x)}) = ", x]
    return told


def _begun(message: Any) -> Any:
    """Return a message; graphs begin with an empty one where there is none."""
    return message if active_graph() is None else message or ""


def _label(x: Any) -> str:
    if isinstance(x, SymbolicTensor):
        return str(x.name)
    return f"shape={x.spec.shape} dtype={x.dtype.name}"


def _listed(message: Any) -> list[str]:
    return [] if message is None else [str(message)]


def _count(summarize: Any) -> int | None:
    """Return how many elements are shown: 3 unless told otherwise, all for negative numbers."""
    number = 3 if summarize is None else int(summarize)
    return None if number < 0 else number


def _differences(
    held: Any, x: Any, y: Any, sign: str, count: int | None
) -> list[str]:
    """Return lines that say where a relation of two arrays does not hold."""
    lines = [f"Condition x {sign} y did not hold."]
    if x.shape == y.shape and x.ndim:
        places = np.argwhere(~held)[:count]
        lines += [f"Indices of first {len(places)} different values:", str(places)]
        for name, array in (("x", x), ("y", y)):
            lines += [f"Corresponding {name} values:", str(array[~held][:count])]
    for name, array in (("x", x), ("y", y)):
        first = array.ravel()[:count]
        lines += [f"First {len(first)} elements of {name}:", str(first)]
    return lines


def comparison(
    default: str, sign: str, relation: Callable[[Any, Any], Any], known: Any
) -> Callable[..., Any]:
    """Return an assertion about two tensors; `known` is the relation of arrays."""

    @named(default, None)
    def made(
        x: Any,
        y: Any,
        message: Any = None,
        summarize: Any = None,
        name: str | None = None,
        data: Any = None,
    ) -> Any:
        a, b = agreeing(x, y)
        if tracer() is None and active_graph() is None and data is None:
            held = relation(a, b).numpy()
            if not np.all(held):
                arrays = a.numpy(), b.numpy()
                shown = _differences(held, *arrays, sign, _count(summarize))
                raise AssertionFailedError("\n".join([*_listed(message), *shown]))
            return None
        what = f"Condition x {sign} y did not hold element-wise"
        told = _told(message, data, what, x=a, y=b)
        return _held(relation, known, told, summarize, a, b)

    return documented(
        made, f"Return an assertion that x {sign} y, element by element."
    )


def condition(
    default: str, sign: str, compared: Callable[..., Any], is_first: bool
) -> Callable[..., Any]:
    """Return an assertion about a tensor and zero, which stands first or second."""

    @named(default, None)
    def made(
        x: Any,
        message: Any = None,
        summarize: Any = None,
        name: str | None = None,
        data: Any = None,
    ) -> Any:
        a = converted(x, name="x")
        text = f"Condition x {sign} 0 did not hold element-wise"
        # As in TensorFlow, data that is given has no message before it.
        said = _begun(message) if data is None else None
        told = _told(said, data, text, x=a)
        if sign == "<=" and data is None and active_graph() is not None:
            told[-3:-1] = ["".join(told[-3:-1])]  # TensorFlow has them as one text
        zero = plain(given_constant(0, a.dtype))
        operands = (zero, a) if is_first else (a, zero)
        return plain(compared(*operands, None, summarize, data=told))

    return documented(made, f"Return an assertion that all elements are {sign} 0.")


_equal = comparison("assert_equal", "==", tl.equal, np.equal)
assert_none_equal = comparison("assert_none_equal", "!=", tl.not_equal, np.not_equal)
assert_less = comparison("assert_less", "<", tl.less, np.less)
assert_less_equal = comparison(
    "assert_less_equal", "<=", tl.less_equal, np.less_equal
)
assert_greater = comparison("assert_greater", ">", tl.greater, np.greater)
assert_greater_equal = comparison(
    "assert_greater_equal", ">=", tl.greater_equal, np.greater_equal
)
assert_positive = condition("assert_positive", ">", assert_less, True)
assert_negative = condition("assert_negative", "<", assert_less, False)
assert_non_negative = condition("assert_non_negative", ">=", assert_less_equal, True)
assert_non_positive = condition("assert_non_positive", "<=", assert_less_equal, False)


def assert_equal(
    x: Any,
    y: Any,
    message: Any = None,
    summarize: Any = None,
    name: str | None = None,
    data: Any = None,
) -> Any:
    """Return an assertion, below a second name: the first is for what is equal to itself."""
    if active_graph() is not None:
        with name_scope(name, "assert_equal"):
            if x is y:
                return in_graph(tl.group, "NoOp")
    return _equal(x, y, message, summarize, name, data)


@named("assert_near", None)
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: Any = None,
    summarize: Any = None,
    name: str | None = None,
    data: Any = None,
) -> Any:
    """Return an assertion that x and y differ by less than atol + rtol * abs(y).

    Both are 10 times the dtype's epsilon unless given. Eagerly it raises at once.
    """
    a, b = agreeing(x, y)
    has_epsilon = a.dtype.is_floating or a.dtype.is_complex
    least = 10 * float(np.finfo(a.dtype.numpy).eps) if has_epsilon else 1e-6
    kind = a.dtype.real_dtype  # that of the sizes of differences
    relative, absolute = (
        converted(least if given is None else given, kind, what)
        for what, given in (("rtol", rtol), ("atol", atol))
    )
    limit = absolute + relative * tl.abs(b)
    what = f"x and y not equal to tolerance rtol = {relative}, atol = {absolute}"
    told = _told(_begun(message), data, what, x=a, y=b)
    held = plain(reductions.reduce_all(tl.abs(a - b) < limit))
    return plain(Assert(held, told, summarize))


@named("assert_rank", None)
def assert_rank(
    x: Any,
    rank: Any,
    message: Any = None,
    summarize: Any = None,
    name: str | None = None,
    data: Any = None,
) -> Any:
    """Return an assertion that a tensor has so many axes; ShapeError where it is known not to."""
    told = _Told("", message, data, summarize)
    return _ranked(x, [rank], lambda a, b: a == b, tl.equal, told)


@named("assert_rank_at_least", None)
def assert_rank_at_least(
    x: Any,
    rank: Any,
    message: Any = None,
    summarize: Any = None,
    name: str | None = None,
    data: Any = None,
) -> Any:
    """Return an assertion that a tensor has so many axes at least; ShapeError where it has not."""
    told = _Told(" at least", message, data, summarize)
    return _ranked(x, [rank], lambda a, b: a >= b, tl.greater_equal, told)


@named("assert_rank_in", None)
def assert_rank_in(
    x: Any,
    ranks: Any,
    message: Any = None,
    summarize: Any = None,
    name: str | None = None,
    data: Any = None,
) -> Any:
    """Return an assertion that a tensor has one of some numbers of axes; ShapeError for others."""
    told = _Told(" in", message, data, summarize)
    return _ranked(x, list(ranks), lambda a, b: a == b, tl.equal, told)


class _Told(NamedTuple):
    """What an assertion about ranks says."""

    what: str
    message: Any
    data: Any
    summarize: Any

    def of(self, x: Any, ranks: list[Any]) -> list[Any]:
        """Return what is shown when the graph runs."""
        if self.data is not None:
            return list(self.data)
        text = f"Tensor {_label(x)} must have rank{self.what}"
        return [self.message or "", text, *ranks, "Received shape: ", tl.shape(x)]

    def error(self, x: Any, ranks: list[int]) -> ShapeError:
        """Return an error for a shape that is known."""
        allowed = tuple(ranks) if self.what == " in" else ranks[0]
        return ShapeError(
            f"{self.message or ''}.  Tensor {_label(x)} must have rank{self.what} "
            f"{allowed}.  Received rank {x.spec.rank}, shape {x.spec.shape}"
        )


def _ranked(x: Any, ranks: Any, fits: Any, relation: Any, told: _Told) -> Any:
    operand = converted(x, name="x")
    wanted = [_rank_tensor(rank) for rank in ranks]
    own = operand.spec.rank
    known = [_known(rank) for rank in wanted]
    if own is not None and all(rank is not None for rank in known):
        sizes = [rank.item() for rank in known]
        if any(fits(own, size) for size in sizes):
            if active_graph() is not None and told.data is None:
                # TensorFlow makes what it would tell.
                titled(tl.shape(operand), "Shape")
            return titled(tl.group(), "static_checks_determined_all_ok")
        raise told.error(operand, sizes)
    found = tl.rank(operand)
    if told.what == " in":
        held = reduce(tl.logical_or, [relation(rank, found) for rank in wanted])
    else:
        held = relation(found, wanted[0])
    return plain(Assert(held, told.of(operand, wanted), told.summarize))


def _rank_tensor(rank: Any) -> Any:
    """Return a rank that may be asked for: a number of int32."""
    made = converted(rank, name="rank")
    if made.dtype is not int32:
        raise DTypeError(f"a rank is {made.spec}; it must be of type tf.int32")
    if active_graph() is not None:
        assert_type(made, int32)
    if made.spec.rank not in (0, None):
        raise ShapeError(f"Rank must be a scalar, not {made.spec}.")
    if made.spec.rank is None:
        asked = tl.equal(tl.rank(made), 0)
        text = "Rank must be a scalar. Received rank: "
        checked = assertions.assert_true(asked, text, made)
        with tl.control_dependencies([checked]):
            return tl.reshape(made, [])
    return made


@named("assert_type", "statically_determined_correct_type")
def assert_type(
    tensor: Any, tf_type: Any, message: Any = None, name: str | None = None
) -> Any:
    """Return an operation that does nothing; TypeError unless a tensor has a dtype."""
    is_whole = not isinstance(tensor, (SparseTensor, RaggedParts))
    x = converted(tensor) if is_whole else tensor
    if x.dtype is not as_dtype(tf_type):
        raise TypeError(
            f"{message or ''} tensor must be of type {as_dtype(tf_type)!r}; it is {x.dtype!r}"
        )
    return tl.group()


@named("assert_integer", "statically_determined_was_integer")
def assert_integer(x: Any, message: Any = None, name: str | None = None) -> Any:
    """Return an operation that does nothing; TypeError unless a tensor has integers."""
    operand = converted(x)
    if not operand.dtype.is_integer:
        raise TypeError(
            f"{message or ''} Expected integer type. Found: {operand.dtype.name}"
        )
    return tl.group()


@named("assert_scalar")
def assert_scalar(tensor: Any, message: Any = None, name: str | None = None) -> Any:
    """Return the tensor; ShapeError if it is known to have axes."""
    x = converted(tensor)
    if x.spec.rank not in (0, None):
        raise ShapeError(
            f"{message or ''} Expected scalar shape, saw shape: {x.spec.shape}."
        )
    return x


def assert_proper_iterable(values: Any) -> None:
    """Raise TypeError for tensors, arrays, texts, and what cannot be iterated over."""
    if isinstance(values, (Operand, SparseTensor, np.ndarray, str, bytes)):
        raise TypeError(
            f"Expected argument 'values' to be a 'proper' iterable.  Found: {type(values)}"
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(
            f"Expected argument 'values' to be iterable.  Found: {type(values)}"
        )


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Return the dtype that tensors, and `dtype` if given, have alike.

    float32 if none is given. InvalidArgumentError if they differ or are no floats.
    """
    found = None if dtype is None else as_dtype(dtype)
    for x in [x for x in tensors or () if x is not None]:
        own = x.dtype if hasattr(x, "dtype") else converted(x).dtype
        if found is not None and as_dtype(own) is not found:
            raise InvalidArgumentError(
                f"Tensor type mismatch, {x!r} must be of type {found.name}, not {own}"
            )
        found = as_dtype(own)
    chosen = as_dtype("float32") if found is None else found
    if not chosen.is_floating:
        raise InvalidArgumentError(
            f"Expected floating point type, got {chosen.name}."
        )
    return chosen


@named("CheckNumerics")
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Any:
    """Return the tensor; when it runs, an error with a message for NaN or infinity."""
    return call(CheckNumerics(message), converted(tensor))


@named("VerifyFinite", "control_dependency")
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """Return the tensor; when it runs, an error with a message for NaN or infinity."""
    given = converted(x)
    checked = call(CheckNumerics(message), given)
    if active_graph() is None:
        return checked
    with tl.control_dependencies([checked]):
        return tl.identity(given)


def is_numeric_tensor(tensor: Any) -> bool:
    """Return whether something is a tensor of numbers."""
    return isinstance(tensor, Operand) and tensor.__tensor__().dtype.is_numeric


@named("is_non_decreasing", "All")
def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Return whether no element, in row-major order, is less than the one before."""
    flat = tl.reshape(converted(x), [-1])
    return tl.all(flat[1:] >= flat[:-1])


@named("is_strictly_increasing", "All")
def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Return whether each element, in row-major order, is above the one before."""
    flat = tl.reshape(converted(x), [-1])
    return tl.all(flat[1:] > flat[:-1])
