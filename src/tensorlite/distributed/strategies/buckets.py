"""Buckets: many gradients as a few long vectors, which travel better than many short ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from tensorlite.core.tensor import Tensor
from tensorlite.ops.create import zeros
from tensorlite.ops.join import concat
from tensorlite.ops.shape import reshape
from tensorlite.ops.state import Variable


def buckets(variables: Sequence[Variable], limit: int) -> list[list[int]]:
    """Return which gradients go together, those of the last variables first.

    Those are ready first, since the backward pass begins at the last layer. A bucket holds one
    dtype, and `limit` bytes unless one gradient alone has more.
    """
    found: list[list[int]] = []
    room: dict[str, int] = {}
    filling: dict[str, list[int]] = {}
    for at in reversed(range(len(variables))):
        dtype = variables[at].dtype
        size = prod(variables[at].shape) * dtype.numpy.itemsize
        if dtype.name not in filling or size > room[dtype.name]:
            filling[dtype.name] = []
            room[dtype.name] = limit
            found.append(filling[dtype.name])
        filling[dtype.name].append(at)
        room[dtype.name] -= size
    return found


def joined(
    gradients: Sequence[Tensor | None], variables: Sequence[Variable], factor: float
) -> Tensor:
    """Return gradients as one vector times a number; one that is not there is zeros."""
    flat = [
        zeros(prod(variable.shape), dtype=variable.dtype)
        if g is None
        else reshape(g, (-1,))
        for g, variable in zip(gradients, variables, strict=True)
    ]
    whole = flat[0] if len(flat) == 1 else concat(flat)
    return whole if factor == 1 else whole * factor


def parted(whole: Tensor, variables: Sequence[Variable]) -> list[Tensor]:
    """Return the gradients that a vector holds."""
    sizes = [prod(variable.shape) for variable in variables]
    ends = np.cumsum(sizes).tolist()
    return [
        reshape(whole[end - size : end], variable.shape)
        for size, end, variable in zip(sizes, ends, variables, strict=True)
    ]
