"""Checks that public functions make of their arguments. What operators check is in their `infer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand


def whole(value: Any, what: str, least: int | None = None) -> Any:
    """Return an integer, or a tensor that may be one; DTypeError for floats, strings and others.

    InvalidArgumentError when it is less than `least`. `what` names function and argument.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer, Operand)):
        if not (isinstance(value, np.ndarray) and value.dtype.kind in "iu"):
            raise DTypeError(f"{what}={value!r}; allowed are integers")
    if least is not None and not isinstance(value, (Operand, np.ndarray)) and value < least:
        raise InvalidArgumentError(f"{what}={value}; allowed are {least} and more")
    return value


def whole_numbers(values: Any, what: str) -> Any:
    """Return a sequence of integers and 0-d tensors; DTypeError for anything else."""
    if isinstance(values, str) or not isinstance(values, (Sequence, np.ndarray)):
        raise DTypeError(f"{what}={values!r}; allowed are sequences of integers")
    for value in values:
        whole(value, f"{what}={values!r}: a member")
    return values


def a_function(value: Any, what: str) -> Any:
    """Return a function; DTypeError for what cannot be called."""
    if not callable(value):
        raise DTypeError(f"{what}={value!r} cannot be called; give a function, as in lambda: x")
    return value
