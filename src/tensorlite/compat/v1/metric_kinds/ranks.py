"""Labels and the classes with the highest predictions, counted as sets of each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays, cutting, elementwise, sets
from tensorlite.compat.shared.picking import dynamic_stitch
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor
from tensorlite.compat.shared.ragged_and_sparse.sparse_arranged import reshape, retain
from tensorlite.compat.shared.reductions import cumsum
from tensorlite.compat.shared.values import convert_to_tensor_or_sparse_tensor
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.sparse_older import sparse_concat
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.metric_kinds.weights import assert_broadcastable
from tensorlite.core.dtypes import float64, int32, int64
from tensorlite.core.errors import ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse


def _given(labels: Any) -> Any:
    """Return labels as a tensor, or a sparse one, of whole numbers."""
    is_made = isinstance(labels, Operand)
    found = labels if is_made else convert_to_tensor_or_sparse_tensor(labels)
    if not _is_sparse(found):
        return elementwise.cast(found, int64)
    if found.values.dtype is int64:
        return found
    values = elementwise.cast(found.values, int64)
    return SparseTensor(found.indices, values, found.dense_shape)


def _is_sparse(x: Any) -> bool:
    return isinstance(x, PlainSparse)


def with_axis(labels: Any, predictions: Any) -> Any:
    """Return labels with an axis for those of one row; ShapeError where none fits."""
    with name_scope(None, "expand_labels") as prefix:
        given = _given(labels)
        if _is_sparse(given):
            wanted = v1_arrays.size(given.dense_shape) + 1
            return cond(
                elementwise.equal(arrays.rank(predictions), wanted),
                lambda: _sparse_with_axis(given, prefix),
                lambda: given,
            )
        own, rank = given.get_shape().rank, predictions.get_shape().rank
        if own is None or rank is None:
            wanted = arrays.rank(given) + 1
            return cond(
                elementwise.equal(arrays.rank(predictions), wanted),
                lambda: v1_arrays.expand_dims(given, -1, name=prefix),
                lambda: given,
            )
        if own == rank:
            return given
        if own + 1 != rank:
            raise ShapeError(
                f"Unexpected labels shape {given.get_shape()} for predictions shape "
                f"{predictions.get_shape()}."
            )
        return v1_arrays.expand_dims(given, -1, name=prefix)


def _sparse_with_axis(labels: Any, name: str) -> Any:
    sizes = arrays.concat([labels.dense_shape, [1]], 0)
    return reshape(labels, sizes, name=name)


def known_labels(labels: Any, classes: Any) -> Any:
    """Return labels, those that are beyond the classes as none."""
    given = _given(labels)
    values = given.values if _is_sparse(given) else given

    def cut() -> Any:
        beyond = elementwise.greater_equal(values, classes)
        none = -1 * v1_arrays.ones_like(values)
        kept = v1_arrays.where_v2(beyond, none, values)
        if not _is_sparse(given):
            return kept
        return SparseTensor(given.indices, kept, given.dense_shape)

    most = numbers.reduce_max(values)
    return cond(elementwise.greater_equal(most, classes), cut, lambda: given)


def _of_class(ids: Any, number: Any) -> Any:
    """Return the numbers of each row that are those of a class."""
    given = _given(ids)
    if _is_sparse(given):
        return retain(given, elementwise.equal(given.values, number))
    sizes = v1_arrays.shape(given, out_type=int64)
    last = v1_arrays.size(sizes) - 1
    filled = arrays.fill(
        _reduced(sizes, arrays.reshape(last, [1])), elementwise.cast(number, int64)
    )
    known = given.get_shape()
    if known.rank is not None:
        filled.set_shape([*known.as_list()[:-1], 1])
    found = sets.intersection(filled, given)
    return SparseTensor(found.indices, found.values, sizes)


def _reduced(sizes: Any, axes: Any) -> Any:
    """Return sizes with 1 for those of some axes."""
    own = elementwise.cast(sizes, int32)
    places = elementwise.cast(axes, int32)
    rank = v1_arrays.size(own)
    places = (places + rank) % rank
    ones = arrays.fill(v1_arrays.shape(places), 1)
    return dynamic_stitch([arrays.range(rank), places], [own, ones])


def _size(found: Any) -> Any:
    """Return how many elements sets have, of a shape that shows as the graph runs."""
    count = sets.size(found)
    count.__tensor__().respecify(TensorSpec(None, int32))
    return count


def _counting(title: str, made: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def count(
        labels: Any,
        top: Any,
        class_id: Any = None,
        weights: Any = None,
        name: str | None = None,
    ) -> Any:
        """Return how many elements the sets of each row have."""
        with name_scope(name, title):
            if class_id is not None:
                labels, top = _of_class(labels, class_id), _of_class(top, class_id)
            each = elementwise.cast(_size(made(top, labels)), float64)
            if weights is None:
                return each
            with control_dependencies([assert_broadcastable(weights, each)]):
                scale = elementwise.cast(weights, float64)
                return elementwise.multiply(each, scale)

    return count


true_positives = _counting("true_positives", sets.intersection)
false_negatives = _counting(
    "false_negatives", lambda top, labels: sets.difference(top, labels, aminusb=False)
)
false_positives = _counting(
    "false_positives", lambda top, labels: sets.difference(top, labels, aminusb=True)
)


def average_precision(labels: Any, top: Any) -> Any:
    """Return precision averaged over the classes with the highest predictions, of each row."""
    with name_scope(None, "average_precision") as prefix:
        top = elementwise.cast(top, int64, name="predictions_idx")
        k = top.get_shape().as_list()[-1]
        if k is None:
            raise ShapeError("The last dimension of predictions_idx must be set.")
        labels = with_axis(labels, top)
        each_top = v1_arrays.expand_dims(top, -1, name="predictions_idx_per_k")
        each = _tiled(labels, k, name="labels_per_k")
        right = true_positives(each, each_top, name="relevant_per_k")
        found = cumsum(right, axis=-1, name="tp_per_k")
        ones = v1_arrays.ones_like(right)
        retrieved = cumsum(ones, axis=-1, name="retrieved_per_k")
        shares = elementwise.div(
            elementwise.cast(found, float64),
            elementwise.cast(retrieved, float64),
            name="precision_per_k",
        )
        shares = elementwise.multiply(
            shares, elementwise.cast(right, float64), name="relevant_precision_per_k"
        )
        total = numbers.reduce_sum(shares, axis=(-1,), name="precision_sum")
        count = elementwise.cast(_relevant(labels, k), float64)
        return elementwise.div(total, count, name=prefix)


def _tiled(labels: Any, times: int, name: str) -> Any:
    """Return labels with an axis before the last, along which they are repeated."""
    with name_scope(name) as prefix:
        given = _given(labels)
        if _is_sparse(given):
            return _sparse_tiled(given, times, prefix)
        wide = v1_arrays.expand_dims(given, -2, name="expand")
        if times == 1:
            return wide
        ones = v1_arrays.ones_like(v1_arrays.shape(given))
        counts = arrays.concat([ones[:-1], (times,), ones[-1:]], 0, name="multiples")
        return cutting.tile(wide, counts, name=prefix)


def _sparse_tiled(labels: Any, times: int, name: str) -> Any:
    sizes = labels.dense_shape
    last = arrays.reshape(v1_arrays.size(sizes) + -1, [1])
    before, behind = cutting.slice(sizes, [0], last), cutting.slice(sizes, last, [-1])
    wide = arrays.concat([before, [1], behind], 0, name="expanded_shape")
    one = reshape(labels, wide, name="expand")
    return one if times == 1 else sparse_concat(-2, [one] * times, name=name)


def _relevant(labels: Any, k: int) -> Any:
    """Return how many labels rows have, k where there are more."""
    with name_scope(None, "num_relevant") as prefix:
        given = _given(labels)
        if _is_sparse(given):
            return elementwise.minimum(sets.size(given), k, name=prefix)
        ones, none = v1_arrays.ones_like(given), v1_arrays.zeros_like(given)
        there = v1_arrays.where_v2(elementwise.greater_equal(given, 0), ones, none)
        return elementwise.minimum(numbers.reduce_sum(there, axis=-1), k, name=prefix)
