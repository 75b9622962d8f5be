"""Losses of TensorFlow 1's tf.nn."""

from __future__ import annotations

from math import pi
from typing import Any

from tensorlite.compat.adopting import inner_named
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import elementwise
from tensorlite.compat.v1.functions.arrays import ones_like, where, zeros_like
from tensorlite.compat.v1.functions.softmax_losses import (
    sigmoid_losses,
    softmax_losses,
    sparse_softmax_losses,
    weighted_sigmoid_losses,
)
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.arrays.identity import stop_gradient
from tensorlite.ops.nn import ctc, losses


def floats(logits: Any) -> Any:
    """Return logits as a tensor; InvalidArgumentError unless they are floating point numbers."""
    x = converted(logits)
    if not x.dtype.is_floating:
        raise InvalidArgumentError(f"logits are floating point numbers, not {x.spec}")
    return x


def _labelled(sentinel: Any, labels: Any, logits: Any, what: str) -> None:
    if sentinel is not None:
        raise InvalidArgumentError(
            f"Only call `{what}` with named arguments (labels=..., logits=..., ...)"
        )
    if labels is None or logits is None:
        raise InvalidArgumentError("Both labels and logits must be provided.")


@named("softmax_cross_entropy_with_logits", None)
def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Any:
    """Return softmax cross entropies along an axis, the last if none is given.

    Gradients flow to labels, too. dim is the older name of axis.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     loss = tf.nn.softmax_cross_entropy_with_logits_v2([[0.0, 1.0]], [[0.0, 0.0]])
    ...     round(float(session.run(loss)[0]), 4)
    0.6931
    """
    chosen = renamed("axis", axis, "dim", dim)
    return _softmax_loss(labels, logits, -1 if chosen is None else chosen)


def _softmax_loss(labels: Any, logits: Any, axis: int) -> Any:
    scores = floats(logits)
    wanted = converted(labels, scores.dtype)
    if active_graph() is not None:
        return softmax_losses(wanted, scores, axis)
    return losses.softmax_cross_entropy(wanted, scores, axis)


@named("softmax_cross_entropy_with_logits_sg", None)
def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Any:
    """Return softmax cross entropies along dim; no gradients flow to labels.

    labels and logits are given by name, else InvalidArgumentError is raised.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     given = {"labels": [[0.0, 1.0]], "logits": [[0.0, 0.0]]}
    ...     round(float(session.run(tf.nn.softmax_cross_entropy_with_logits(**given))[0]), 4)
    0.6931
    """
    _labelled(_sentinel, labels, logits, "softmax_cross_entropy_with_logits")
    fixed = stop_gradient(converted(labels, converted(logits).dtype))
    wanted = inner_named(fixed, "labels_stop_gradient")
    return _softmax_loss(wanted, logits, dim if axis is None else axis)


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Any:
    """Return softmax cross entropies of classes' numbers, of the shape of labels.

    labels and logits are given by name. logits have one axis more, else ShapeError is raised.
    """
    _labelled(_sentinel, labels, logits, "sparse_softmax_cross_entropy_with_logits")
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits"):
        classes, scores = convert_to_tensor(labels), convert_to_tensor(logits)
        floats(scores)
        ranks = classes.get_shape().rank, scores.get_shape().rank
        if None not in ranks and ranks[0] != ranks[1] - 1:
            raise ShapeError(
                f"Rank mismatch: Rank of labels (received {ranks[0]}) should equal rank of "
                f"logits minus 1 (received {ranks[1]})."
            )
        if active_graph() is None:
            return _sparse_losses(classes, scores)
        return sparse_softmax_losses(_sparse_losses, classes, scores, name)


@named("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_losses(classes: Any, scores: Any, name: str | None = None) -> Any:
    return losses.sparse_softmax_cross_entropy(converted(classes), converted(scores))


@named("logistic_loss")
def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: str | None = None,
) -> Any:
    """Return -y * log(p) - (1 - y) * log(1 - p) of labels y and p = sigmoid(logits).

    labels and logits are given by name, in one shape, else ShapeError is raised.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0])
    ...     round(float(session.run(loss)[0]), 4)
    0.6931
    """
    _labelled(_sentinel, labels, logits, "sigmoid_cross_entropy_with_logits")
    scores = converted(logits)
    wanted = converted(labels, scores.dtype)
    if not wanted.get_shape().is_compatible_with(scores.get_shape()):
        raise ShapeError(
            f"logits and labels must have the same shape ({scores.get_shape()} vs "
            f"{wanted.get_shape()})"
        )
    if active_graph() is None:
        return losses.sigmoid_cross_entropy(wanted, scores)
    return sigmoid_losses(wanted, scores)


@named("logistic_loss")
def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Any:
    """Return sigmoid cross entropies, those of labels 1 times pos_weight.

    targets is the older name of labels.
    """
    scores = converted(logits)
    wanted = converted(renamed("labels", labels, "targets", targets), scores.dtype)
    if active_graph() is None:
        return losses.weighted_sigmoid_cross_entropy(wanted, scores, pos_weight)
    return weighted_sigmoid_losses(wanted, scores, pos_weight)


@named("log_poisson_loss", None)
def log_poisson_loss(
    targets: Any,
    log_input: Any,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Any:
    """Return exp(log_input) - targets * log_input, the Poisson loss of each element.

    With compute_full_loss Stirling's approximation of log(targets!) is added, for targets above 1.
    """
    rates = convert_to_tensor(log_input, name="log_input")
    counts = convert_to_tensor(targets, rates.dtype, "targets")
    loss = elementwise.exp(rates) - rates * counts
    if not compute_full_loss:
        return loss
    half, circle = [constant(x, counts.dtype) for x in (0.5, 2 * pi)]
    powers = counts * elementwise.log(counts)
    stirling = powers - counts + half * elementwise.log(circle * counts)
    none, one = zeros_like(counts), ones_like(counts)
    small = elementwise.logical_and(counts >= none, counts <= one)
    return loss + where(small, none, stirling)


@named("CTCLoss")
def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
    name: str | None = None,
) -> Any:
    """Return the connectionist temporal classification loss of each sequence, [batch].

    labels is a SparseTensor of int32; inputs are logits [time, batch, classes], the last class
    blank, or [batch, time, classes] if not time_major. Graves et al. 2006.
    """
    return ctc.ctc_loss(
        labels,
        converted(renamed("inputs", inputs, "logits", logits)),
        sequence_length,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
        time_major,
    )
