"""Lengths of the sequences of a batch: how many there are, and what remains of those that ended."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import identity, shape, stack
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.elementwise import cast, equal
from tensorlite.compat.v1.functions.arrays import where
from tensorlite.compat.v1.functions.numbers import reduce_all, reduce_max, reduce_min
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import GraphTensor
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import ShapeError
from tensorlite.graph_mode.graph import active_graph


def as_lengths(sequence_length: Any) -> Any:
    """Return what a program says how long sequences are, as a tensor; None if it says nothing."""
    if sequence_length is None:
        return None
    lengths = cast(framework.convert_to_tensor(sequence_length), int32)
    if lengths.get_shape().rank not in (None, 1):
        raise ShapeError(
            "sequence_length must be a vector of length batch_size, but saw shape: "
            f"{lengths.get_shape()}"
        )
    return identity(lengths, name="sequence_length")


def checked(lengths: Any, count: Any) -> Any:
    """Return lengths, in a graph only if there are so many."""
    if active_graph() is None or lengths is None:
        return lengths
    found, wanted = shape(lengths), stack([count])
    told = f"Expected shape for Tensor {lengths.name} is "
    fits = Assert(
        reduce_all(equal(found, wanted)), [told, wanted, " but saw shape: ", found]
    )
    with framework.control_dependencies([fits]):
        return identity(lengths, name="CheckSeqLen")


def least_and_most(lengths: Any) -> tuple[Any, Any]:
    """Return the shortest and the longest length."""
    return reduce_min(lengths), reduce_max(lengths)


def kept_if(ended: Any, old: Any, new: Any) -> Any:
    """Return the old value of rows that have ended, the new one of the others."""
    if not isinstance(old, GraphTensor) and not hasattr(old, "dtype"):
        return new
    if new.get_shape().rank == 0:
        return new
    made = where(ended, old, new)
    if isinstance(made, GraphTensor):
        made.set_shape(new.get_shape())
    return made
