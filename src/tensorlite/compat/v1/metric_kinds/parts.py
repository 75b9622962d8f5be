"""What all metrics of TensorFlow 1 have in common: scopes, sums, and arguments that fit.

A metric is a value and the operator that adds a batch to it; its sums are local variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.v1.functions import arrays as v1_arrays, control_flow
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v1.metric_kinds.weights import broadcast_weights
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    ShapeError,
)
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.keys import GraphKeys

Metric = tuple[Any, Any]


def in_graph_only(name: str) -> None:
    """Raise FailedPreconditionError where no graph is built."""
    if active_graph() is None:
        raise _EagerMetric(
            f"tf.metrics.{name} is not supported when eager execution is enabled: build it inside "
            "`with tf.Graph().as_default()`"
        )


class _EagerMetric(FailedPreconditionError, RuntimeError):
    """A metric asked for where no graph is built, which TensorFlow calls a wrong state."""


@contextmanager
def scoped(name: str | None, default: str) -> Iterator[None]:
    """Open a metric's variable scope, in a graph only."""
    in_graph_only(default)
    with scopes.variable_scope(name, default):
        yield


def metric_variable(shape: Any, dtype: Any = float32, name: str | None = None) -> Any:
    """Return a local variable that begins with zeros."""
    return Variable(
        lambda: arrays.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        name=name,
    )


def collected(
    value: Any, update: Any, metrics_collections: Any, updates_collections: Any
) -> Metric:
    """Return a metric, which is added to collections."""
    if metrics_collections:
        scopes.add_to_collections(metrics_collections, value)
    if updates_collections:
        scopes.add_to_collections(updates_collections, update)
    return value, update


def fitted(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return predictions, labels and weights of one rank; a last axis of size 1 may be too much."""
    found = framework.convert_to_tensor(predictions)
    wanted = labels
    if labels is not None:
        wanted = framework.convert_to_tensor(labels)
        found, wanted = _squeezed(found, wanted), _squeezed(wanted, found)
        alike(found, wanted)
    if weights is None:
        return found, wanted, None
    scale = framework.convert_to_tensor(weights)
    ranks = scale.get_shape().rank, found.get_shape().rank
    if None not in ranks and ranks[0] > 0:
        if ranks[0] - ranks[1] == 1:
            scale = v1_arrays.squeeze(scale, [-1])
        elif ranks[1] - ranks[0] == 1:
            scale = v1_arrays.expand_dims(scale, -1)
    return found, wanted, scale


def _squeezed(x: Any, other: Any) -> Any:
    ranks = x.get_shape().rank, other.get_shape().rank
    if None in ranks or ranks[0] - ranks[1] != 1:
        return x
    return (
        v1_arrays.squeeze(x, [-1]) if x.get_shape().as_list()[-1] in (1, None) else x
    )


def alike(x: Any, y: Any) -> None:
    """Raise ShapeError for shapes that cannot be the same."""
    for one in (x, y):
        if not hasattr(one, "get_shape"):
            raise DTypeError(f"labels and predictions are tensors, not {one!r}")
    if not x.get_shape().is_compatible_with(y.get_shape()):
        raise ShapeError(
            f"Shapes {x.get_shape()} and {y.get_shape()} are incompatible"
        )


def spread(weights: Any, values: Any) -> Any:
    """Return weights in the shape of what they weigh."""
    return broadcast_weights(elementwise.cast(weights, values.dtype), values)


def quotient(total: Any, count: Any, name: str | None = None) -> Any:
    """Return a total over a count, 0 where nothing was counted."""
    return elementwise.div_no_nan(total, elementwise.maximum(count, 0), name=name)


def computed(name: str, formula: Callable[..., Any], *given: Any) -> Any:
    """Return what a formula over plain tensors makes, its node bearing a name."""
    return in_graph(lambda: formula(*plain(given)), name, name)


def remove_squeezable_dimensions(
    labels: Any,
    predictions: Any,
    expected_rank_diff: int = 0,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return labels and predictions, less a last axis of size 1 that one of them has too much."""
    wanted = framework.convert_to_tensor(labels)
    found = framework.convert_to_tensor(predictions)
    ranks = found.get_shape().rank, wanted.get_shape().rank
    with framework.name_scope(name, "remove_squeezable_dimensions"):
        if None in ranks:
            more = arrays.rank(found) - arrays.rank(wanted) - expected_rank_diff
            return _squeezed_if(more, -1, wanted), _squeezed_if(more, 1, found)
        if ranks[0] - ranks[1] == expected_rank_diff + 1:
            found = v1_arrays.squeeze(found, [-1])
        elif ranks[0] - ranks[1] == expected_rank_diff - 1:
            wanted = v1_arrays.squeeze(wanted, [-1])
    return wanted, found


def _squeezed_if(more: Any, wanted: int, x: Any) -> Any:
    """Return a tensor of a rank that is known later, less its last axis if `more` is so much."""
    if x.get_shape().rank is not None and x.get_shape().as_list()[-1:] not in [
        [1],
        [None],
    ]:
        return x
    return control_flow.cond(
        elementwise.equal(more, wanted), lambda: v1_arrays.squeeze(x, [-1]), lambda: x
    )


_remove_squeezable_dimensions = fitted
