"""What the functions of tf.keras.ops are made with: tensors of agreeing dtypes, notes of calls.

The functions themselves are in the files beside this one, by what they do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.documenting import told
from tensorlite.compat.v2.keras.ops.telling import SAID
from tensorlite.compat.v2.keras.src.models import in_graphs, sketch
from tensorlite.core.dtypes import DType, as_dtype, float32, int32, promote
from tensorlite.core.operand import Operand
from tensorlite.ops.arrays.shape import astype


def operation(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes note of its call where an argument is Keras' symbolic tensor."""
    at_once = in_graphs.anywhere(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if sketch.is_symbolic([args, kwargs]):
            return sketch.noted(call, args, kwargs, function.__name__)
        return at_once(*args, **kwargs)

    return call


def named(
    name: str,
    function: Callable[..., Any],
    computed: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Return a function that is made here as an operation, which this package has under a name.

    Its help says what telling.py does, or that of the function by which it is computed, or of
    tl's of that name.
    """
    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__.rpartition(".")[0]
    function.__doc__ = (
        SAID.get(name) or told(computed) or told(getattr(tl, name, None))
    )
    return operation(function)


def fractional(name: str, function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a function of one tensor that is computed with fractions."""
    return named(name, lambda x: function(fraction(x)), function)


def of_one(name: str, function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a function of one tensor of any dtype."""
    return named(name, lambda x: function(tensor(x)), function)


def of_two(name: str, function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return a function of two tensors, in the dtype that they agree on."""
    return named(name, lambda x1, x2: function(*together(x1, x2)), function)


def of_x_and_y(name: str, function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return a function of two tensors that are called x and y, in the dtype they agree on."""
    return named(name, lambda x, y: function(*together(x, y)), function)


def of_fractions(
    name: str, function: Callable[[Any, Any], Any]
) -> Callable[..., Any]:
    """Return a function of two tensors that is computed with fractions."""
    return named(
        name, lambda x1, x2: function(*map(fraction, together(x1, x2))), function
    )


def tensor(x: Any, dtype: Any = None) -> Any:
    """Return a value as a tensor, of a dtype if one is given."""
    made = converted(x)
    wanted = None if dtype is None else as_dtype(dtype)
    return made if wanted in (None, made.dtype) else astype(made, wanted)


def fraction(x: Any) -> Any:
    """Return a value as a tensor of fractions."""
    made = tensor(x)
    whole = made.dtype.is_integer or made.dtype is tl.bool
    return astype(made, float32) if whole else made


def counted(x: Any) -> Any:
    """Return a value as a tensor of numbers: truths count as 0 and 1."""
    made = tensor(x)
    return astype(made, int32) if made.dtype is tl.bool else made


def together(*values: Any) -> list[Any]:
    """Return values as tensors of one dtype. Python's numbers take that of the tensors."""
    made = [tensor(x) for x in values]
    fixed = [t.dtype for t, x in zip(made, values, strict=True) if not _is_number(x)]
    if not fixed:
        return _of(made, _common([t.dtype for t in made]))
    common = _common(fixed)
    has_fraction = any(isinstance(x, float) for x in values)
    if has_fraction and (common.is_integer or common is tl.bool):
        common = float32
    elif common is tl.bool and any(type(x) is int for x in values):
        common = int32
    return _of(made, common)


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, Operand)


def _common(dtypes: list[DType]) -> DType:
    found = dtypes[0]
    for other in dtypes[1:]:
        if tl.bool in (found, other) and found is not other:
            found = other if found is tl.bool else found
        else:
            found = promote(found, other)
    return found


def _of(made: list[Any], dtype: DType) -> list[Any]:
    return [x if x.dtype is dtype else astype(x, dtype) for x in made]
