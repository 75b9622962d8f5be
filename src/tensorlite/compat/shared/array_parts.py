"""What programs take from the inside of tensorflow.python's array_ops: sizes, by other arguments.

The public functions are in arrays.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.core.dtypes import int32


def shape_internal(
    input: Any, name: str | None = None, optimize: bool = True, out_type: Any = int32
) -> Any:
    """Return the sizes of the axes as a vector of out_type; `optimize` has no effect."""
    return arrays.shape(input, out_type, name)


def size_internal(
    input: Any, name: str | None = None, optimize: bool = True, out_type: Any = int32
) -> Any:
    """Return how many elements there are, as out_type; `optimize` has no effect."""
    return arrays.size(input, out_type, name)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Any:
    """Return how many axes there are, as int32; `optimize` has no effect."""
    return arrays.rank(input, name)
