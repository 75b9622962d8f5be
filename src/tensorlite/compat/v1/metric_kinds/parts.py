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


def metric_variable(
    shape: Any,
    dtype: Any = float32,
    validate_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Return a local variable that begins with zeros, of any shape without validate_shape."""
    return Variable(
        lambda: arrays.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
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
        wanted, found = remove_squeezable_dimensions(labels, found)
        alike(found, wanted)
    if weights is None:
        return found, wanted, None
    return found, wanted, _scale_of(framework.convert_to_tensor(weights), found)


def _scale_of(scale: Any, found: Any) -> Any:
    """Return weights of the predictions' rank, or scalar ones: a last axis comes or goes."""
    rank, wanted = scale.get_shape().rank, found.get_shape().rank
    if rank == 0:
        return scale
    if rank is not None and wanted is not None:
        if rank - wanted == 1:
            return v1_arrays.squeeze(scale, [-1])
        return v1_arrays.expand_dims(scale, [-1]) if wanted - rank == 1 else scale
    known = arrays.rank(scale)
    more = known - arrays.rank(found)

    def less() -> Any:
        return v1_arrays.squeeze(scale, [-1]) if _may_lose_axis(scale) else scale

    def longer() -> Any:
        is_short = elementwise.equal(more, -1)
        return control_flow.cond(
            is_short, lambda: v1_arrays.expand_dims(scale, [-1]), lambda: scale
        )

    return control_flow.cond(
        elementwise.equal(known, 0),
        lambda: scale,
        lambda: control_flow.cond(elementwise.equal(more, 1), less, longer),
    )


def _may_lose_axis(x: Any) -> bool:
    """Return whether the last axis may have size 1."""
    shape = x.get_shape()
    return shape.rank is None or shape.as_list()[-1:] in ([1], [None])


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
        if None not in ranks:
            more = ranks[0] - ranks[1]
            if more == expected_rank_diff + 1:
                found = v1_arrays.squeeze(found, [-1])
            elif more == expected_rank_diff - 1:
                wanted = v1_arrays.squeeze(wanted, [-1])
            return wanted, found
        more = arrays.rank(found) - arrays.rank(wanted)
        found, wanted = (
            _squeezed_if(elementwise.equal(expected_rank_diff + sign, more), x)
            if _may_lose_axis(x)
            else x
            for x, sign in ((found, 1), (wanted, -1))
        )
    return wanted, found


def short_scale(scale: Any, labels: Any) -> Any:
    """Return weights of the labels' rank, or scalar ones: a last axis of size 1 goes."""
    rank, wanted = scale.get_shape().rank, labels.get_shape().rank
    if rank is not None and wanted is not None:
        return v1_arrays.squeeze(scale, [-1]) if rank - wanted == 1 else scale
    more = arrays.rank(scale) - arrays.rank(labels)
    if rank == 0 or not _may_lose_axis(scale):
        return scale
    return _squeezed_if(elementwise.equal(1, more), scale)


def _squeezed_if(is_longer: Any, x: Any) -> Any:
    """Return a tensor of a rank that is known later, less its last axis if that is told."""
    return control_flow.cond(is_longer, lambda: v1_arrays.squeeze(x, [-1]), lambda: x)
