"""create_train_op and what changes gradients: of tf.contrib.training and slim.learning."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.compat.v1 import debugging, summary
from tensorlite.compat.v1.functions import clipping
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.training.averages import get_or_create_global_step
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import name_scope
from tensorlite.graph_mode.keys import GraphKeys

Gradients = list[tuple[Any, Any]]
USE_GLOBAL_STEP = 0
"""What stands for the graph's own step."""


def _with_values(dx: Any, change: Callable[[Any], Any]) -> Any:
    """Return a gradient with its values changed."""
    if isinstance(dx, IndexedSlices):
        return IndexedSlices(change(dx.values), dx.indices, dx.dense_shape)
    return change(dx)


def clip_gradient_norms(
    gradients_to_variables: Gradients, max_norm: Any
) -> Gradients:
    """Return pairs of gradients and variables, each gradient with a norm of at most max_norm."""

    def clip(x: Any) -> Any:
        return clipping.clip_by_norm(x, max_norm)

    return [
        (None if dx is None else _with_values(dx, clip), x)
        for dx, x in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: Any) -> Callable[[Gradients], Gradients]:
    """Return a function that clips the norms of pairs' gradients, for create_train_op."""
    return lambda gradients: clip_gradient_norms(gradients, max_norm)


def multiply_gradients(
    grads_and_vars: Gradients, gradient_multipliers: dict[Any, Any]
) -> Gradients:
    """Return pairs whose gradients are times the multipliers of their variables.

    The multipliers are by variable or by its name; None as a gradient raises InvalidArgumentError.
    """
    if not isinstance(grads_and_vars, list):
        raise InvalidArgumentError("`grads_and_vars` must be a list.")
    if not gradient_multipliers or not isinstance(gradient_multipliers, dict):
        raise InvalidArgumentError(
            "`gradient_multipliers` is empty, or is no dict of variables or their names."
        )
    made = []
    for dx, x in grads_and_vars:
        key = x if x in gradient_multipliers else x.op.name
        if key in gradient_multipliers:
            if dx is None:
                raise InvalidArgumentError("Requested multiple of `None` gradient.")
            made.append((_times(dx, gradient_multipliers[key]), x))
        else:
            made.append((dx, x))
    return made


def _times(dx: Any, factor: Any) -> Any:
    return _with_values(
        dx, lambda x: x * framework.convert_to_tensor(factor, x.dtype)
    )


def add_gradients_summaries(
    grads_and_vars: Gradients, mark: str = "_gradient"
) -> list[Any]:
    """Return summaries of the gradients and of their norms, added to the graph's."""
    made = []
    for dx, x in grads_and_vars:
        if dx is None:
            continue
        values = dx.values if isinstance(dx, IndexedSlices) else dx
        made.append(summary.histogram(f"{x.op.name}{mark}", values))
        norm = clipping.global_norm([values])
        made.append(summary.scalar(f"{x.op.name}{mark}_norm", norm))
    return made


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = USE_GLOBAL_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Any = None,
    transform_grads_fn: Callable[[Gradients], Gradients] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: Any = 1,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Any:
    """Return the loss as a tensor; running it applies gradients and update_ops first.

    transform_grads_fn is given the pairs of gradients and variables, and gives others. update_ops
    are those of the collection UPDATE_OPS if None. With check_numerics a loss that is NaN or
    infinite fails. No variables to train raises InvalidArgumentError.
    """
    step = (
        get_or_create_global_step() if global_step is USE_GLOBAL_STEP else global_step
    )
    total_loss = _behind_updates(update_ops, total_loss)
    trained = (
        scopes.trainable_variables()
        if variables_to_train is None
        else variables_to_train
    )
    if not trained:
        raise InvalidArgumentError("create_train_op: there are no variables to train")
    gradients = optimizer.compute_gradients(
        total_loss,
        trained,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn is not None:
        gradients = transform_grads_fn(gradients)
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(gradients)
    moved = optimizer.apply_gradients(gradients, global_step=step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = debugging.check_numerics(
                total_loss, "LossTensor is inf or nan"
            )
        return _noted(_behind(moved, total_loss))


def _noted(train_op: Any) -> Any:
    """Return what trains, which the graph's collection has then."""
    kept = scopes.get_collection_ref(GraphKeys.TRAIN_OP)
    if not any(x is train_op for x in kept):
        kept.append(train_op)
    return train_op


def _behind_updates(update_ops: Iterable[Any] | None, x: Any) -> Any:
    """Return a tensor that has its value behind updates, those of the graph if none are given."""
    collected = scopes.get_collection(GraphKeys.UPDATE_OPS)
    updates = list(dict.fromkeys(collected if update_ops is None else update_ops))
    if not updates:
        return x
    with framework.control_dependencies(updates):
        barrier = framework.no_op(name="update_barrier")
    return _behind(barrier, x)


def _behind(awaited: Any, x: Any) -> Any:
    with framework.control_dependencies([awaited]):
        return arrays.identity(x, name="control_dependency")
