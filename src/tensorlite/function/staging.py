"""RUNTIME: what converted code calls. Here are calls, items and stores; the rest is gathered.

Branches are in branches.py, loops in loops.py, what a `for` can run over in iterables.py.
"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable
from contextvars import ContextVar
from types import BuiltinFunctionType, FunctionType, MethodType, SimpleNamespace
from typing import Any, TypeVar

from tensorlite.core import dtypes, nest, operand
from tensorlite.core.dispatch import to_tensor, tracer
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.function import branches, iterables, loops
from tensorlite.function.convert import convert, is_converted
from tensorlite.function.source import may_hold_tensors
from tensorlite.function.staged_list import StagedList
from tensorlite.function.values import is_symbolic, scratch, truth
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.trace import outermost
from tensorlite.ops.arrays.arrange import moveaxis
from tensorlite.ops.arrays.gather import take
from tensorlite.ops.arrays.index import set_item as functional_set_item
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.search import argsort, sort
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.control import branches as ops_branches, loops as ops_control
from tensorlite.ops.control.functional import foldl, foldr, map_fn, scan
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.strings.text import to_number

F = TypeVar("F", bound=Callable[..., Any])

side_effects: ContextVar[list[tuple[str, int]] | None] = ContextVar(
    "side_effects", default=None
)
"""Writes to Python's state that the trace at hand has seen, with their lines."""


def do_not_convert(function: F) -> F:
    """Return `function`, marked to run as Python also when a traced function calls it.

    >>> @tl.do_not_convert
    ... def plain(x):
    ...     return x + 1
    >>> print(tl.function(lambda x: plain(x))(1.0))
    2.0
    """
    marked: Any = function
    marked.__tl_plain__ = True
    return function


def converted(function: Any) -> Any:
    """Return what to call in place of `function` in converted code."""
    kind = type(function)
    if kind is FunctionType:
        return _converted_function(function)
    if kind is MethodType:
        inner = function.__func__
        if type(inner) is not FunctionType:
            return function
        other = _converted_function(inner)
        return function if other is inner else MethodType(other, function.__self__)
    if kind is functools.partial:
        return functools.partial(
            converted(function.func), *function.args, **(function.keywords or {})
        )
    if kind is type or kind is BuiltinFunctionType:
        return _stand_in(function)
    if isinstance(function, type) or hasattr(function, "__tl_traced__"):
        return function
    return _converted_object(function)


def _converted_object(function: Any) -> Any:
    call = getattr(type(function), "__call__", None)  # noqa: B004  the method is what matters
    if type(call) is not FunctionType:
        return function
    other = _converted_function(call)
    return function if other is call else MethodType(other, function)


def _converted_function(function: FunctionType) -> Any:
    code = function.__code__
    if not may_hold_tensors(code.co_filename):
        return _LIBRARY.get(function, function)
    if is_converted(code) or getattr(function, "__tl_plain__", False):
        return function
    return convert(function, RUNTIME) or function


def _stand_in(function: Any) -> Any:
    try:
        return _BUILTINS.get(function, function)
    except TypeError:
        return function


# What Python's own functions do with symbolic tensors.


def _len(value: Any) -> Any:
    if isinstance(value, (StagedList, loops.Probe, iterables.Staged)):
        return value.length()
    if isinstance(value, SymbolicTensor) and value.spec.shape != ():
        rows = None if value.spec.shape is None else value.spec.shape[0]
        return shape_of(value)[0] if rows is None else rows
    return len(value)


def _cast(kind: Any, dtype: dtypes.DType) -> Callable[..., Any]:
    def cast(value: Any = 0, *rest: Any) -> Any:
        if not is_symbolic(value):
            return kind(value, *rest)
        x = to_tensor(value)
        return to_number(x, dtype) if x.dtype is dtypes.string else astype(x, dtype)

    return cast


def _bool(value: Any = False) -> Any:
    return (
        truth(value, "the argument of bool()") if is_symbolic(value) else bool(value)
    )


def _extreme(kind: Any, of_two: Callable[..., Any]) -> Callable[..., Any]:
    def extreme(*values: Any, **options: Any) -> Any:
        given = values[0] if len(values) == 1 else values
        if (
            options
            or not isinstance(given, (list, tuple))
            or not any(map(is_symbolic, given))
        ):
            return kind(*values, **options)
        return functools.reduce(of_two, given)

    return extreme


def _sorted(source: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    if not is_symbolic(source) or to_tensor(source).ndim != 1:
        return sorted(source, key=key, reverse=reverse)
    if key is None:
        return sort(source, descending=reverse)
    keys = map_fn(converted(key), source)
    return take(source, argsort(keys, descending=reverse), axis=0)


def _next(source: Any, *default: Any) -> Any:
    hook = getattr(source, "__tl_next__", None)
    return next(source, *default) if hook is None else hook(*default)


def _print(*values: Any, **options: Any) -> None:
    if scratch.get():
        return
    if tracer() is not None:
        _note("print", 0)
    print(*values, **options)  # noqa: T201  it is the user's own


_BUILTINS: dict[Any, Any] = {
    builtins.range: iterables.range_,
    builtins.enumerate: iterables.enumerate_,
    builtins.zip: iterables.zip_,
    builtins.map: iterables.map_,
    builtins.filter: iterables.filter_,
    builtins.abs: iterables.abs_,
    builtins.any: iterables.any_,
    builtins.all: iterables.all_,
    builtins.len: _len,
    builtins.next: _next,
    builtins.sorted: _sorted,
    builtins.int: _cast(int, dtypes.int32),
    builtins.float: _cast(float, dtypes.float32),
    builtins.bool: _bool,
    builtins.min: _extreme(min, minimum),
    builtins.max: _extreme(max, maximum),
    builtins.print: _print,
}


# What the library's own functions do with staged lists, and with functions that they are given.


def _stack(xs: Any, /, *, axis: int = 0) -> Tensor:
    if isinstance(xs, StagedList):
        return xs.stack() if axis == 0 else moveaxis(xs.stack(), 0, axis)
    return stack(xs, axis=axis)


def _concat(xs: Any, /, *, axis: int | None = 0) -> Tensor:
    if isinstance(xs, StagedList) and axis == 0:
        return xs.concat()
    return concat(xs, axis=axis)


def _cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    if not is_symbolic(pred):
        return ops_branches.cond(pred, converted(true_fn), converted(false_fn))
    return branches.if_expression(pred, converted(true_fn), converted(false_fn), 0)


def _while_loop(cond: Any, body: Any, *args: Any, **options: Any) -> Any:
    return ops_control.while_loop(converted(cond), converted(body), *args, **options)


def _converting(function: Any) -> Any:
    """Return a function of the library that converts the functions it is given."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(
            *map(_given, args), **{key: _given(x) for key, x in kwargs.items()}
        )

    return call


def _given(value: Any) -> Any:
    """Return an argument with the functions in it converted."""
    if isinstance(value, (list, tuple)) and any(map(callable, nest.flatten(value))):
        return nest.map_structure(_given, value)
    if isinstance(value, dict) and any(map(callable, value.values())):
        return {key: _given(member) for key, member in value.items()}
    return converted(value) if callable(value) else value


_TAKERS = (map_fn, scan, foldl, foldr, ops_control.case, ops_control.switch_case)
_LIBRARY: dict[Any, Any] = {
    stack: _stack,
    concat: _concat,
    ops_branches.cond: _cond,
    ops_control.while_loop: _while_loop,
    **{f: _converting(f) for f in _TAKERS},
}


def converts_functions(function: F) -> F:
    """Return a function of the library, of whose arguments converted code converts functions."""
    _LIBRARY[function] = _converting(function)
    return function


# Items and stores.


def set_item(x: Any, key: Any, value: Any) -> Any:
    """Return `x` after `x[key] = value`."""
    hook = getattr(type(x), "__tl_set_item__", None)
    if hook is not None:
        return hook(x, key, value)
    top = outermost()
    if top is None or not isinstance(x, Tensor):
        x[key] = value
        return x
    if isinstance(x, SymbolicTensor) and x.node.graph is top.graph:
        operand.operators.setitem(x, key, value)
        return x
    return functional_set_item(x, key, value)


_CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "MatMult": operator.imatmul,
    "BitAnd": operator.iand,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
}


def change_item(x: Any, key: Any, kind: str, value: Any) -> Any:
    """Return `x` after `x[key] += value`, or another such statement."""
    return set_item(x, key, _CHANGES[kind](x[key], value))


def append(values: Any, value: Any) -> Any:
    """Return `values` after `values.append(value)`."""
    hook = getattr(type(values), "__tl_append__", None)
    if hook is not None:
        return hook(values, value)
    values.append(value)
    return values


def stored(value: Any, target: str, line: int) -> Any:
    """Return `value`, which is about to be stored outside of the function; the trace notes it."""
    if tracer() is not None and not scratch.get() and not _is_state(value):
        _note(target, line)
    return value


def _is_state(value: Any) -> bool:
    """Return whether storing a value makes state: variables, and objects that hold them."""
    if value is None or isinstance(value, Tensor):
        return value is None
    return isinstance(value, Operand) or hasattr(value, "variables")


def _note(what: str, line: int) -> None:
    seen = side_effects.get()
    if seen is not None and (what, line) not in seen:
        seen.append((what, line))


RUNTIME = SimpleNamespace(
    converted=converted,
    set_item=set_item,
    change_item=change_item,
    append=append,
    stored=stored,
    slice=slice,
    if_=branches.if_,
    if_guard=branches.if_guard,
    if_return=branches.if_return,
    if_expression=branches.if_expression,
    and_=branches.and_,
    or_=branches.or_,
    not_=branches.not_,
    compare=branches.compare,
    assert_=branches.assert_,
    raised=branches.raised,
    Carry=loops.Carry,
    while_=loops.while_,
    for_=loops.for_,
)
