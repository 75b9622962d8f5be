"""tf.keras.backend: what variables hold, as arrays, and what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core.operand import Operand


def get_value(x: Any) -> Any:
    """Return a tensor's or a variable's elements as an array; anything else as it is."""
    return x.__tensor__().numpy()[()] if isinstance(x, Operand) else x


def set_value(x: Any, value: Any) -> None:
    """Give a variable the elements of an array, in its own dtype."""
    x.assign(np.asarray(value, x.dtype.numpy))


def batch_get_value(tensors: Any) -> list[Any]:
    """Return the elements of several variables as arrays."""
    return [get_value(x) for x in tensors]


def batch_set_value(tuples: Any) -> None:
    """Give variables values, by pairs (variable, value)."""
    for x, value in tuples:
        set_value(x, value)


def update(x: Any, new_x: Any) -> Any:
    """Assign a value to a variable; return the variable."""
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Add to a variable; return the variable."""
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtract from a variable; return the variable."""
    return x.assign_sub(decrement)


def eval(x: Any) -> Any:
    """Return a tensor's elements as an array."""
    return get_value(x)
