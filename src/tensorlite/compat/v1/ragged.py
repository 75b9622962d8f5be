"""tf.ragged: tensors whose rows differ in length."""

from __future__ import annotations

import builtins
from typing import Any

import tensorlite as tl
from tensorlite import ragged
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.ragged_and_sparse.ragged import *
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.ragged_written import EVERY
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import int64
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.ragged.values import RaggedTensorValue as RaggedTensorValue

assert EVERY  # it makes known what is written into graphs
constant_value = ragged.constant_value


def placeholder(
    dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None
) -> Any:
    """Return a RaggedTensor that is to be fed, with ragged_rank axes of rows of any length.

    value_shape is the shape of its inner values; with a ragged_rank of 0 the result is a tensor.
    """
    if ragged_rank == 0:
        return framework.placeholder(dtype, value_shape, name)
    with tl.name_scope(name or "RaggedPlaceholder"):
        inner = [None, *([] if value_shape is None else value_shape)]
        made = plain(framework.placeholder(dtype, inner, "flat_values"))
        for i in reversed(builtins.range(ragged_rank)):
            splits = framework.placeholder(int64, [None], f"row_splits_{i}")
            made = RaggedTensor.of(made, plain(splits))
        return shown(made)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
