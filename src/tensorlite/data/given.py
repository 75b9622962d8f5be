"""What datasets are told: numbers and tensors, which in a graph have values only when it runs.

A dataset that is made in a trace or a graph keeps the symbolic tensors that it was made with, and
what makes an iterator in the graph gives it their values for as long as that iterator lives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import nest
from tensorlite.core.check import whole
from tensorlite.core.errors import InvalidArgumentError, SymbolicTensorError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import EagerTensor, Tensor

Number: TypeAlias = Any
"""An int, or a symbolic tensor that has one when the graph runs."""

values: ContextVar[Mapping[int, Tensor] | None] = ContextVar("values", default=None)
"""The values of symbolic tensors, by their ids, for the iterator that is at work."""


def is_symbolic(value: Any) -> bool:
    """Return whether a value is a tensor of a graph, which has no value yet."""
    return isinstance(value, Tensor) and not isinstance(value, EagerTensor)


def captured(*given: Any) -> tuple[Tensor, ...]:
    """Return the tensors of structures that have no value yet, each once."""
    leaves = [
        leaf for one in given for leaf in nest.flatten(one) if is_symbolic(leaf)
    ]
    return tuple({id(leaf): leaf for leaf in leaves}.values())


def value_of(given: Any) -> Any:
    """Return what was given, or its value where it is a tensor of a graph."""
    if not is_symbolic(given):
        return given
    known = values.get()
    if known is None or id(given) not in known:
        raise SymbolicTensorError(
            f"a dataset was made with {given!r}, which has a value only in its graph: iterate over "
            "the dataset there, by an iterator of the graph or in the same traced function"
        )
    return known[id(given)]


@contextmanager
def known_as(given: Mapping[int, Tensor] | None) -> Iterator[None]:
    """Let symbolic tensors have values, inside the block."""
    token = values.set(given)
    try:
        yield
    finally:
        values.reset(token)


def number(value: Any, what: str, least: int | None = None) -> Number:
    """Return an integer argument, checked if it is known already."""
    if isinstance(value, Operand):
        value = value.__tensor__()
    if is_symbolic(value):
        return value
    if isinstance(value, (Tensor, np.ndarray)):
        value = value.item()
    return at_least(int(whole(value, what)), what, least)


def number_now(value: Number, what: str, least: int | None = None) -> int:
    """Return an integer argument when the dataset is run through."""
    found = value_of(value)
    if found is value:
        return int(value)
    return at_least(int(found), what, least)


def at_least(at: int, what: str, least: int | None) -> int:
    """Return an integer; InvalidArgumentError when it is less than is allowed."""
    if least is not None and at < least:
        raise InvalidArgumentError(f"{what} is {at}; allowed is {least} or more")
    return at


def known_number(value: Number) -> int | None:
    """Return an integer argument, or None where only the graph knows it."""
    return None if is_symbolic(value) else value
