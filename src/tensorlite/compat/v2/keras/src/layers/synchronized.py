"""Mean and variance of what all replicas of a strategy have, for BatchNormalization."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.distribute.strategy import get_replica_context
from tensorlite.ops.math.quotients import divide_no_nan


def moments(x: Any, axes: Any) -> tuple[Any, Any]:
    """Return mean and variance along axes, of all replicas' values together."""
    context = get_replica_context()
    if context is None:
        mean, variance = tl.nn.moments(x, axes, keepdims=False)
        return mean, variance
    own = [tl.sum(y, axis=axes) for y in (x, tl.square(x), tl.ones_like(x))]
    total, squares, count = context.all_reduce("SUM", own)
    mean = divide_no_nan(total, count)
    variance = divide_no_nan(squares, count) - tl.square(mean)
    return mean, tl.maximum(variance, 0.0)
