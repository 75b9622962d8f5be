"""What heads of estimators check of logits, labels, weights and losses before they use them."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from tensorlite.compat.shared import (
    arrays as shared_arrays,
    checks as assertions,
    elementwise,
)
from tensorlite.compat.shared.tables.feature_columns import numeric_column
from tensorlite.compat.v1.functions import arrays, checks, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.sparse.tensor import SparseTensor

_LOGITS = "logits shape must be [D0, D1, ... DN, logits_dimension]"
_NO_LABELS = (
    "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: "
    "Check that your data contain your label feature. Check that your input_fn "
    "properly parses and returns labels."
)


def checked_logits(logits: Any, size: int) -> Any:
    """Return logits as floats; ShapeError where rows are known to be of another size."""
    with name_scope(None, "logits") as prefix:
        found = numbers.to_float(logits)
        shape = arrays.shape(found)
        at_least = checks.assert_rank_at_least(
            found, 2, data=[shape], message=_LOGITS
        )
        with framework.control_dependencies([at_least]):
            known = found.get_shape()
            if known.rank is not None and known.as_list()[-1] is not None:
                if known.as_list()[-1] != size:
                    raise ShapeError(f"{_LOGITS}, got {known}.")
                return found
            fits = checks.assert_equal(size, shape[-1], data=[shape], message=_LOGITS)
            with framework.control_dependencies([fits]):
                return shared_arrays.identity(found, name=prefix)


def checked_labels(labels: Any, logits: Any, size: int) -> Any:
    """Return labels with an axis of a size for those of one row, which is checked.

    InvalidArgumentError where there are none, or sparse ones; ShapeError for another size.
    """
    if labels is None:
        raise InvalidArgumentError(_NO_LABELS)
    with name_scope(None, "labels") as prefix:
        if isinstance(labels, SparseTensor):
            raise InvalidArgumentError(
                "SparseTensor labels are not supported. labels must be a Tensor of shape "
                f"[D0, D1, ..., DN, {size}], e.g. [batch_size, {size}]: use "
                "tf.sparse_tensor_to_dense() to turn labels into a Tensor."
            )
        found = with_axis(framework.convert_to_tensor(labels), logits)
        own, others = arrays.shape(found), arrays.shape(logits)
        said = (
            f"labels shape must be [D0, D1, ... DN, {size}]. Suggested Fix: check your n_classes "
            "argument to the estimator and/or the shape of your label."
        )
        at_least = checks.assert_rank_at_least(found, 2, message=said)
        with framework.control_dependencies([at_least]):
            known = found.get_shape()
            if known.rank is not None and known.as_list()[-1] not in (None, size):
                raise ShapeError(
                    f"Mismatched label shape. Expected labels dimension={size}.  Received "
                    f"{known.as_list()[-1]}. {said}"
                )
            wanted = shared_arrays.concat([others[:-1], [size]], 0)
            told = ["expected_labels_shape: ", wanted, "labels_shape: ", own]
            fits = checks.assert_equal(wanted, own, data=told, message=said)
            with framework.control_dependencies([fits]):
                return shared_arrays.identity(found, name=prefix)


def checked_number(n_classes: int) -> None:
    """Make nodes that check that there are more classes than two, as TensorFlow does."""
    asked = framework.convert_to_tensor(n_classes)
    said = f"n_classes must be > 2: {n_classes}. For n_classes = 2, use binary classification."
    more = checks.assert_greater(asked, 2, message=said)
    with framework.control_dependencies([more]):
        framework.no_op()


def with_axis(x: Any, logits: Any) -> Any:
    """Return a tensor with an axis for one row, if it lacks what logits have."""
    have, wanted = x.get_shape().rank, logits.get_shape().rank
    lacks = have is not None and wanted is not None and have == wanted - 1
    return arrays.expand_dims(x, -1) if lacks else x


def checked_weights(features: Any, column: Any, logits: Any) -> Any:
    """Return what each row counts for: 1, or a feature in the shape that labels have."""
    with name_scope(None, "weights") as prefix:
        if column is None:
            return 1.0
        column = numeric_column(column) if isinstance(column, str) else column
        given = framework.convert_to_tensor(features[column.key])
        if column.normalizer_fn is not None:
            given = column.normalizer_fn(given)
        found = numbers.to_float(given, name="weights")
        if found.get_shape().rank == logits.get_shape().rank:
            return found
        return arrays.expand_dims(found, -1, name=prefix)


def called(
    function: Callable[..., Any], labels: Any, logits: Any, features: Any, size: int
) -> Any:
    """Return what a program's function says of losses, of which each row has so many."""
    given = (
        {"features": features} if "features" in signature(function).parameters else {}
    )
    with name_scope(None, "call_loss_fn"):
        found = function(labels=labels, logits=logits, **given)
        shape = arrays.shape(logits, name="logits_shape")
        wanted = shared_arrays.concat(
            [shape[:-1], [size]], 0, name="expected_loss_shape"
        )
        own = arrays.shape(found, name="loss_shape")
        said = f"loss_fn must return Tensor of shape [D0, D1, ... DN, {size}]. "
        fits = assertions.Assert(
            numbers.reduce_all(elementwise.equal(own, wanted)),
            [said, "logits_shape: ", shape, "loss_shape: ", own],
            name="check_loss_shape",
        )
        with framework.control_dependencies([fits]):
            return shared_arrays.identity(found)
