"""What a replica's share of a loss is: means of replicas are scaled so that their sum is the mean.

Strategies add up the gradients of replicas, which so come to those of the whole batch.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.distribute.strategy import get_strategy
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.quotients import divide_no_nan


def mean(losses: Any) -> Any:
    """Return the mean of a batch's losses, of a replica its share; 0 of a share without rows."""
    if get_strategy().num_replicas_in_sync == 1:
        return tl.mean(losses)
    count = astype(tl.prod(tl.shape(losses)), losses.dtype)
    return scaled(divide_no_nan(tl.sum(losses), count))


def scaled(loss: Any) -> Any:
    """Return what a replica adds to the loss of all, for a loss that all have."""
    count = get_strategy().num_replicas_in_sync
    return loss if count == 1 else loss * (1.0 / count)


def unscaled(loss: Any) -> Any:
    """Return the loss of a replica's own rows, for its share."""
    count = get_strategy().num_replicas_in_sync
    return loss if count == 1 else loss * float(count)
