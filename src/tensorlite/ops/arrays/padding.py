"""Padding by sizes of which a trace may know only some. Padding by a matrix is in repeat.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.repeat import Mode, pad
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.operators import astype, reshape

__all__: list[str] = []


def pad_ends(
    x: Tensor,
    ends: Sequence[Sequence[Any]],
    fill: TensorLike = 0,
    mode: Mode = "constant",
) -> Tensor:
    """Return `x` with elements before and after each axis: (before, after), ints or 0-d tensors."""
    flat = [end for pair in ends for end in pair]
    if not any(isinstance(end, Tensor) for end in flat):
        return pad(x, [list(pair) for pair in ends], mode, fill)
    whole = stack([astype(to_tensor(end), dtypes.int32) for end in flat])
    return pad(x, reshape(whole, (len(ends), 2)), mode, fill)
