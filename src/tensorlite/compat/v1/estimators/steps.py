"""Steps of training, as heads of estimators take them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.training import averages
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.keys import GraphKeys


def trained(
    loss: Any, optimizer: Any, train_op_fn: Any, update_ops: Any, variables: Any
) -> Any:
    """Return what a step of training is."""
    if (optimizer is None) == (train_op_fn is None):
        raise InvalidArgumentError(
            "one of train_op_fn and optimizer must be set, and not both"
        )
    if optimizer is None:
        step = train_op_fn(loss)
    else:
        step = optimizer.minimize(
            loss, averages.get_global_step(), var_list=variables or None
        )
    others = update_ops or scopes.get_collection(GraphKeys.UPDATE_OPS)
    return framework.group(step, *others) if others else step
