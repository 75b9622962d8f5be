"""Functions of Keras' backend, and penalties, in graphs: nodes and names are TensorFlow 1's."""

from __future__ import annotations

from math import inf
from typing import Any

from tensorlite.compat.shared.arrays import reshape, stack, transpose
from tensorlite.compat.shared.elementwise import (
    abs as absolute,
    cast,
    clip_by_value,
    sqrt as root,
    square,
)
from tensorlite.compat.shared.reductions import reduce_std, reduce_variance
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.functions.nn_functions import l2_normalize as normalized
from tensorlite.compat.v1.functions.numbers import reduce_prod, reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.keras.losses_written import of_classes, of_two_classes
from tensorlite.compat.v2.keras.regularizers import L1, L1L2, L2
from tensorlite.compat.v2.keras.src.layers import penalties
from tensorlite.compat.v2.keras.src.models.in_graphs import writes
from tensorlite.compat.views import shown
from tensorlite.graph_mode.graph import name_scope


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return reduce_std(x, axis, keepdims)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return reduce_variance(x, axis, keepdims)


def _cut(x: Any, low: Any, high: Any) -> Any:
    """Return the elements between two constants; limits in the wrong order are the lower one."""
    given = convert_to_tensor(x)
    are_numbers = isinstance(low, (int, float)) and isinstance(high, (int, float))
    most = max(low, high) if are_numbers else inf if high is None else high
    first = constant(-inf if low is None else low, given.dtype)
    return clip_by_value(given, first, constant(most, given.dtype))


def sqrt(x: Any) -> Any:
    return root(_cut(x, 0.0, inf))


def flatten(x: Any) -> Any:
    return reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    sizes = shape(x)[1:]
    return reshape(x, stack([-1, reduce_prod(sizes)]))


def l2_normalize(x: Any, axis: Any = None) -> Any:
    return normalized(x, axis)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    return of_two_classes(target, output, from_logits)


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    return of_classes(target, output, from_logits) if axis == -1 else NotImplemented


WRITTEN = {
    "batch_flatten": batch_flatten,
    "binary_crossentropy": binary_crossentropy,
    "categorical_crossentropy": categorical_crossentropy,
    "clip": _cut,
    "flatten": flatten,
    "l2_normalize": l2_normalize,
    "sqrt": sqrt,
    "std": std,
    "transpose": transpose,
    "var": var,
}
"""By the names that they have in the backend."""


@writes(L1.__call__)
@writes(L2.__call__)
@writes(L1L2.__call__)
def _penalty(self: Any, x: Any) -> Any:
    """Return what weights cost; it is nothing and that."""
    if not (getattr(self, "l1", 0.0) or getattr(self, "l2", 0.0)):
        return constant(0.0)
    total: Any = 0.0
    for share, power in (
        (getattr(self, "l1", 0.0), absolute),
        (getattr(self, "l2", 0.0), square),
    ):
        if share:
            total = total + share * reduce_sum(power(x))
    return total


@writes(penalties.of_results)
def _of_results(regularizer: Any, results: list[Any]) -> list[Any]:
    made = []
    with name_scope("ActivityRegularizer"):
        for x in results:
            cost = shown(regularizer(x))
            made.append(cost / cast(shape(x)[0], cost.dtype))
    return made
