"""tf.contrib.sparsemax: probabilities that are zero for what is far behind, and their loss.

Martins, Astudillo 2016, "From softmax to sparsemax".
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import arrays, elementwise, reductions
from tensorlite.compat.v1 import nn
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.functions.gathering import gather_nd
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import int32

__all__ = ["sparsemax", "sparsemax_loss"]


def sparsemax(logits: Any, name: str | None = None) -> Any:
    """Return the nearest probabilities to rows of logits: max(logits - tau, 0), which sum to 1.

    Where there is no tau, as of infinite logits, they are NaN.
    """
    with framework.name_scope(name, "sparsemax"):
        z = framework.convert_to_tensor(logits, name="logits")
        rows, width = v1_arrays.shape(z)[0], v1_arrays.shape(z)[1]
        largest, _ = nn.top_k(z, k=width)
        sums = reductions.cumsum(largest, axis=1)
        k = arrays.range(1, elementwise.cast(width, z.dtype) + 1, dtype=z.dtype)
        is_in = elementwise.cast(1 + k * largest > sums, int32)
        count = numbers.reduce_sum(is_in, axis=1)
        place = elementwise.maximum(count, 1) - 1
        places = arrays.stack([arrays.range(0, rows), place], axis=1)
        tau = (gather_nd(sums, places) - 1) / elementwise.cast(count, z.dtype)
        zero = elementwise.cast(0, z.dtype)
        found = elementwise.maximum(zero, z - arrays.expand_dims(tau, -1))
        none = elementwise.logical_or(
            elementwise.equal(count, 0), elementwise.is_nan(sums[:, -1])
        )
        nan = elementwise.cast(float("nan"), z.dtype)
        return v1_arrays.where(none, arrays.fill([rows, width], nan), found)


def sparsemax_loss(
    logits: Any, sparsemax: Any, labels: Any, name: str | None = None
) -> Any:
    """Return the loss of each row of logits, given their sparsemax and the labels' probabilities.

    Its gradient is sparsemax - labels. It is NaN where sparsemax is.
    """
    with framework.name_scope(name, "sparsemax_loss"):
        z = framework.convert_to_tensor(logits, name="logits")
        p = framework.convert_to_tensor(sparsemax, name="sparsemax")
        q = framework.convert_to_tensor(labels, name="labels")
        has_part = elementwise.logical_or(p > 0, elementwise.is_nan(p))
        part = v1_arrays.where(has_part, p * (z - 0.5 * p), v1_arrays.zeros_like(p))
        has_none = elementwise.logical_and(
            elementwise.equal(q, 0.0), elementwise.is_inf(z)
        )
        cost = v1_arrays.where(has_none, v1_arrays.zeros_like(z), q * (0.5 * q - z))
        return numbers.reduce_sum(part + cost, axis=1)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
