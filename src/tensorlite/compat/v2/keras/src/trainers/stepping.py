"""What steps of training are traced to, what they are given, and what they say, as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.defaults import width
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.operand import Operand


class Steps:
    """Holds what steps were traced to, apart from what a model is and is saved with."""

    def __init__(self) -> None:
        self.traced: dict[tuple[str, Any], Any] = {}


def calling(method: Any) -> Any:
    """Return a step as a function of a batch alone, which does not keep the model's methods."""

    def step(data: Any) -> Any:
        return method(data)

    return step


def as_tensor(x: Any) -> Any:
    """Return a part of a batch as a tensor, None as it is; float64 gets the width `floatx`."""
    if x is None or isinstance(x, Operand):
        return x if x is None else to_tensor(x)
    array = np.asarray(x)
    return constant(
        array.astype(width().numpy) if array.dtype == np.float64 else array
    )


def grouped(parts: Iterable[Any], size: int) -> Iterator[tuple[int, int, list[Any]]]:
    """Yield batches in groups, each with the numbers of its first step and of its last."""
    rest = iter(parts)
    for first in count(0, size):
        group = list(islice(rest, size))
        if not group:
            return
        yield first, first + size - 1, group


def numbers(logs: Any) -> dict[str, Any]:
    """Return what a step says as numbers, what groups of it say by the names inside."""
    found: dict[str, Any] = {}
    for name, value in (logs or {}).items():
        if isinstance(value, dict):
            found.update(numbers(value))
        elif isinstance(value, Operand):
            found[name] = _plain(value.__tensor__().numpy())
        else:
            found[name] = value
    return found


def _plain(value: Any) -> Any:
    """Return an array, of one number that of Python."""
    return value if value.ndim else value.item()


def in_order(logs: Any) -> dict[str, Any]:
    """Return logs as numbers, in Keras 3 in the order of their names."""
    found = numbers(logs)
    return dict(sorted(found.items())) if naming.is_keras_3() else found
