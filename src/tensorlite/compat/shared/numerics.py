"""Looking for NaN and infinity in all that runs, from one call on until another."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from tensorlite.ops.math.numerics import check_numerics

_enabled: list[AbstractContextManager[Any]] = []
"""The check that is on, if one is."""


def enable_check_numerics(
    stack_height_limit: int = 30, path_length_limit: int = 50
) -> None:
    """Let every operator whose result has NaN or infinity raise an error, in this thread.

    The error names the operator, the ranges of its inputs and the program's line; how many lines of
    the stack are told and how long they are, which the arguments say, has no effect. A second call
    has none either.

    >>> import tensorlite.compat.v2 as tf
    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log([1.0, 0.0])
    Traceback (most recent call last):
      ...
    tensorlite.core.errors.NumericsError: the result of Log holds 0 NaN and 1 infinite of 2 ...
    >>> tf.debugging.disable_check_numerics()
    """
    if not _enabled:
        check = check_numerics()
        check.__enter__()
        _enabled.append(check)


def disable_check_numerics() -> None:
    """Let NaN and infinity be values again; without effect where they are."""
    while _enabled:
        _enabled.pop().__exit__(None, None, None)
