"""NumPy's functions called on tensors: `np.exp(x)` is `tl.exp(x)`, where there is such a one."""

from __future__ import annotations

from importlib import import_module
from inspect import Parameter, signature
from typing import Any

import numpy as np

from tensorlite.core import nest, operand
from tensorlite.core.device import settings
from tensorlite.core.errors import DTypeError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import EagerTensor

__all__: list[str] = []

_OURS = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "around": "round",
    "bitwise_not": "bitwise_invert",
    "concatenate": "concat",
    "conjugate": "conj",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "fabs": "abs",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
"""NumPy's names that differ from the standard's."""
_ASKED = ("shape", "ndim", "size")
"""What NumPy's functions ask of an array and a tensor says itself, of a trace too."""
_SAME = """
add all any argmax argmin argsort asarray atan2 bitwise_and bitwise_or bitwise_xor broadcast_to
ceil clip conj copysign cos cosh count_nonzero cross cumulative_prod cumulative_sum diff divide
equal exp expand_dims expm1 eye flip floor floor_divide full_like greater greater_equal hypot
imag isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and
logical_not logical_or logical_xor matmul max maximum mean min minimum moveaxis multiply
negative nextafter not_equal ones_like outer positive prod real reciprocal remainder repeat
reshape roll round sign signbit sin sinh sort sqrt square squeeze stack std subtract sum take
take_along_axis tan tanh tensordot tile transpose tril triu trunc var vecdot where zeros_like
"""
"""NumPy's names that are ours as well."""
_OPERATORS = """
add bitwise_and bitwise_or bitwise_xor divide equal floor_divide greater greater_equal
left_shift less less_equal matmul multiply not_equal power remainder right_shift subtract
true_divide
"""
"""What an array's operators call: beside a tensor they are the tensor's own."""
_EQUALITY = {"equal": "operands_equal", "not_equal": "operands_differ"}
"""What == and != call, which operands may answer that do not meet."""


def numpy_call(name: str, args: Any, kwargs: Any, /) -> Any:
    """Return what tensorlite's function makes of a call of NumPy's function `name` on tensors.

    Raises DTypeError, which names the function, where there is no such one, or where arguments
    are given that it does not have (`out`, `where`).
    """
    if (
        name in _ASKED
        and len(args) == 1
        and not kwargs
        and isinstance(args[0], Operand)
    ):
        return getattr(args[0], name)
    is_operator = name in _OPERATORS.split()
    if settings.tensorflow_results:
        if is_operator and _is_in_place(args, kwargs):
            kwargs = {}
        if (not is_operator or "out" in kwargs) and _all_known(args):
            return _by_value(name, args, kwargs)
    if name in _EQUALITY and not kwargs:
        return getattr(operand.operators, _EQUALITY[name])(*args)
    ours = _OURS.get(name, name if name in _SAME.split() else None)
    function = getattr(import_module("tensorlite"), ours, None) if ours else None
    if function is None and settings.numpy_adopts:
        return _by_value(name, args, kwargs)
    if function is None:
        raise DTypeError(
            f"np.{name} does not take tensors, and tensorlite has no function for it; pass "
            f"x.numpy() to compute it outside of gradients and traces"
        )
    given = {key: value for key, value in kwargs.items() if value is not None}
    try:
        bound = _keywords(function, args, given)
    except TypeError as error:
        raise DTypeError(
            f"np.{name} on tensors is tl.{ours}, which takes other arguments: {error}; "
            f"call tl.{ours} itself"
        ) from None
    return function(*bound[0], **bound[1])


def _is_in_place(args: Any, kwargs: Any) -> bool:
    """Return whether this is an array's `a += x`, of which TensorFlow makes `a = a + x`."""
    out = kwargs.get("out")
    return (
        isinstance(out, tuple)
        and out[0] is args[0]
        and not isinstance(out[0], Operand)
    )


def _all_known(args: Any) -> bool:
    """Return whether every tensor among arguments has its value."""
    held = [x for x in nest.flatten(list(args)) if isinstance(x, Operand)]
    return all(isinstance(x.__tensor__(), EagerTensor) for x in held)


def _by_value(name: str, args: Any, kwargs: Any) -> Any:
    """Return what NumPy makes of tensors' values, as TensorFlow has it."""

    def value(x: Any) -> Any:
        return x.__tensor__().numpy() if isinstance(x, Operand) else x

    given = nest.map_structure(value, [list(args), dict(kwargs)])
    first, _, method = name.partition(".")
    function = getattr(np, first, None) or getattr(np.linalg, first)
    called = getattr(function, method) if method else function
    return called(*given[0], **given[1])


def _keywords(
    function: Any, args: Any, kwargs: Any
) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments as `function` takes them; NumPy takes more of them by position."""
    parameters = list(signature(function).parameters.values())
    by_position = [p for p in parameters if p.kind is not Parameter.KEYWORD_ONLY]
    if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
        return list(args), dict(kwargs)
    rest = args[len(by_position) :]
    names = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
    if len(rest) > len(names):
        raise TypeError(f"{len(args)} positional arguments are too many")
    named = {**dict(zip(names, rest, strict=False)), **kwargs}
    signature(function).bind(*args[: len(by_position)], **named)
    return list(args[: len(by_position)]), named
