"""How often numbers come up, in graphs: nodes and names are those of TensorFlow 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import shape
from tensorlite.compat.shared.elementwise import cast, maximum, minimum
from tensorlite.compat.shared.reductions import reduce_max, reduce_prod
from tensorlite.compat.shared.segments import unsorted_segment_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import int32
from tensorlite.core.nest import is_value
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.arrays.search import Bincount


def can_be_written(arr: Any) -> bool:
    """Return whether TensorFlow's operator counts these numbers, and any whole ones of arrays."""
    if isinstance(arr, Operand):
        return arr.__tensor__().dtype is int32
    return (
        not is_value(arr) and getattr(arr, "dtype", np.dtype(np.int32)).kind in "iu"
    )


def bincount_written(
    arr: Any, weights: Any, minlength: Any, maxlength: Any, dtype: Any
) -> Any:
    """Return how often each number from 0 comes up, or the sums of its weights."""
    with name_scope("bincount"):
        numbers = convert_to_tensor(arr, int32, name="arr")
        there = reduce_prod(shape(numbers)) > 0
        size = cast(there, int32) * (reduce_max(numbers) + 1)
        if minlength is not None:
            size = maximum(
                convert_to_tensor(minlength, int32, name="minlength"), size
            )
        if maxlength is not None:
            size = minimum(
                convert_to_tensor(maxlength, int32, name="maxlength"), size
            )
        if weights is not None:
            beside = convert_to_tensor(weights, name="weights")
            return unsorted_segment_sum(beside, numbers, size)
        ends = numbers, size, constant([], dtype)
        return in_graph(lambda: call(Bincount(True), *map(plain, ends)), "Bincount")
