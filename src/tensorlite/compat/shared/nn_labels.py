"""What tf.nn has for labels of sequences, and for the greatest scores among many."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.approximate import ApproxTopK, TopScores
from tensorlite.ops.composite import composed
from tensorlite.ops.nn import ctc, ctc_labels
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = [
    "approx_max_k",
    "approx_min_k",
    "collapse_repeated",
    "ctc_loss",
    "ctc_loss_v2",
    "ctc_unique_labels",
]


@named("ApproxTopK")
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return the k largest elements along an axis, and their places: all that are asked for.

    recall_target, reduction_input_size_override and aggregate_to_topk have no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.math.approx_max_k([1.0, 3.0, 2.0], 2).indices.numpy().tolist()
    [1, 2]
    """
    op = ApproxTopK(
        k,
        reduction_dimension,
        recall_target,
        True,
        reduction_input_size_override,
        aggregate_to_topk,
    )
    return TopScores(*composed(op, converted(operand)))


@named("ApproxTopK")
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return the k smallest elements along an axis, and their places: all that are asked for.

    recall_target, reduction_input_size_override and aggregate_to_topk have no effect.
    """
    op = ApproxTopK(
        k,
        reduction_dimension,
        recall_target,
        False,
        reduction_input_size_override,
        aggregate_to_topk,
    )
    return TopScores(*composed(op, converted(operand)))


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Any:
    """Return the cost of labels of sequences whose places are not known (Graves et al., 2006).

    Labels are a matrix or sparse; for these a blank_index is needed, else InvalidArgumentError is
    raised. One of them that is the blank counts as the class before it. unique has no effect.
    """
    form = logits_time_major, blank_index, name
    if isinstance(labels, SparseTensor):
        return _of_sparse_labels(labels, logits, logit_length, False, *form)
    return _of_dense_labels(labels, logits, label_length, logit_length, *form)


def ctc_loss_v2(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Any:
    """Return the same, but that sparse labels end before one that is the last class, and blank."""
    form = logits_time_major, blank_index, name
    if isinstance(labels, SparseTensor):
        return _of_sparse_labels(labels, logits, logit_length, True, *form)
    return _of_dense_labels(labels, logits, label_length, logit_length, *form)


@named("ctc_loss_dense", "IdentityN")
def _of_dense_labels(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    time_major: bool,
    blank_index: int | None,
    name: str | None,
) -> Any:
    blank = 0 if blank_index is None else blank_index
    lengths = label_length, logit_length
    return ctc.dense_ctc_loss(labels, converted(logits), *lengths, time_major, blank)


@named("ctc_loss")
def _of_sparse_labels(
    labels: Any,
    logits: Any,
    logit_length: Any,
    ends: bool,
    time_major: bool,
    blank_index: int | None,
    name: str | None,
) -> Any:
    if blank_index is None:
        raise InvalidArgumentError(
            "ctc_loss: blank_index is needed where labels are a SparseTensor; -1 is the last class"
        )
    x = converted(logits)
    classes = x.shape[2] if x.shape else None
    place = blank_index if classes is None else blank_index % classes
    is_last = classes is not None and place == classes - 1
    return ctc.ctc_loss(
        labels,
        x,
        logit_length,
        time_major=time_major,
        blank_index=-1 if ends and is_last else place,
    )


@named("collapse_repeated_labels", None)
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> Any:
    """Return rows of labels with one for each run of equal ones, and how many are left.

    >>> from tensorlite.compat import v2 as tf
    >>> rows, lengths = tf.nn.collapse_repeated([[1, 1, 2], [3, 3, 3]], [3, 2])
    >>> rows.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 2], [3, 0]], [2, 1])
    """
    return ctc_labels.collapse_repeated(converted(labels), converted(seq_length))


@named("ctc_unique_labels", None)
def ctc_unique_labels(labels: Any, name: str | None = None) -> Any:
    """Return each row's labels once, filled up with zeros, and for each which of them it is.

    >>> from tensorlite.compat import v2 as tf
    >>> once, places = tf.nn.ctc_unique_labels([[5, 5, 7]])
    >>> once.numpy().tolist(), places.numpy().tolist()
    ([[5, 7, 0]], [[0, 0, 1]])
    """
    return list(ctc_labels.unique_labels(converted(labels)))
