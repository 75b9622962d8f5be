"""What linear operators ask of their arguments when they are made: ranks, sizes, dtypes, hints.

Only what is known without running is looked at. What the operators do is in linear_operator.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared.values import get_static_value
from tensorlite.core import nest
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand

_HINTS = ("non-singular", "self-adjoint", "positive-definite", "square")


def with_rank(x: Any, rank: int, name: str) -> Any:
    """Return a tensor; ShapeError where it is known to have fewer axes."""
    found = x.get_shape().rank
    if found is not None and found < rank:
        raise ShapeError(
            f"Argument `{name}` must have at least {rank} dimension{'s' * (rank > 1)}. Found: {x}"
        )
    return x


def whole(value: Any, name: str, rank: int = 0) -> Any:
    """Return a size, or a vector of sizes; an error unless they are whole, and none is negative."""
    if isinstance(value, Operand):
        known = get_static_value(value)
    elif any(isinstance(x, Operand) for x in nest.flatten(value)):
        return value
    else:
        known = np.asarray(value)
    if known is None:
        return value
    if not np.issubdtype(known.dtype, np.integer) and known.size:
        raise DTypeError(f"Argument {name} must be integer type. Found: {value}")
    if known.ndim != rank:
        raise ShapeError(f"Argument {name} must be a {rank}-D Tensor. Found: {value}")
    if (known < 0).any():
        raise InvalidArgumentError(
            f"Argument {name} must be non-negative. Found: {value}"
        )
    return value


def always(what: str, given: Sequence[bool | None], known: Sequence[bool]) -> None:
    """Raise InvalidArgumentError where a hint says against what a kind of matrix always is."""
    for hint, holds, name in zip(given, known, _HINTS, strict=False):
        if holds and hint is False:
            raise InvalidArgumentError(f"{what} is always {name}.")


def alike(given: Sequence[bool | None], known: Sequence[bool | None]) -> None:
    """Raise InvalidArgumentError where a hint is not that of the operator which this one is of."""
    for hint, theirs, name in zip(given, known, _HINTS, strict=True):
        if None not in (hint, theirs) and hint is not theirs:
            raise InvalidArgumentError(
                f"Adjoints and inverses are {name} if and only if the operator is."
            )


def joined(what: str, operators: Sequence[Any], given: Sequence[bool | None]) -> Any:
    """Return the dtype that all operators have; an error where hints say less than all of theirs.

    What is made of non-singular ones is so itself, and alike for the other hints that are given.
    """
    if not operators:
        raise InvalidArgumentError(
            f"{what}: Argument operators must be a list of >=1 operators, non-empty. Found: "
            f"{operators}"
        )
    kinds = {x.dtype for x in operators}
    if len(kinds) > 1:
        names = ", ".join(f"{x.name} of {x.dtype.name}" for x in operators)
        raise DTypeError(f"{what} takes operators of the same dtype. Found: {names}")
    every = zip(*[x.hints for x in operators], strict=True)
    for hint, theirs, name in zip(given, every, _HINTS, strict=False):
        if hint is False and all(theirs):
            raise InvalidArgumentError(
                f"{what} of {name} operators is always {name}."
            )
    return operators[0].dtype


def fitting(left: Any, right: Any, adjoint: bool, adjoint_arg: bool) -> None:
    """Raise ShapeError where one operator's columns are not as many as the other's rows."""
    columns = left.range_dimension if adjoint else left.domain_dimension
    rows = right.domain_dimension if adjoint_arg else right.range_dimension
    if None not in (columns, rows) and columns != rows:
        raise ShapeError(
            f"Operators are incompatible. Expected `x` to have dimension {columns} but got {rows}."
        )


def same_size(one: Any, other: Any) -> None:
    """Raise ShapeError where two sizes are known and differ."""
    if None not in (one, other) and one != other:
        raise ShapeError(f"Dimensions {one} and {other} are not compatible")
