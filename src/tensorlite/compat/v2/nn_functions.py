"""Functions and losses of `tf.nn`, in TensorFlow 2's order of arguments."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, deferring, named
from tensorlite.compat.shared import nn as shared
from tensorlite.compat.v1.functions import (
    embeddings,
    nn_functions as before,
    nn_losses as losses,
    sampled_losses,
    sparse_embeddings,
)
from tensorlite.compat.v2 import distribute
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.math.quotients import divide_no_nan
from tensorlite.ops.ragged.tensor import RaggedTensor


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Return exp(x) divided by its sum along an axis, the last one by default.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.softmax([0.0, 0.0]).numpy().tolist()
    [0.5, 0.5]
    """
    return before.softmax(logits, axis, name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Return the logarithm of the softmax along an axis, the last one by default."""
    return before.log_softmax(logits, axis, name)


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Any:
    """Return relu(x) and relu(-x) behind each other along an axis."""
    return shared.crelu(features, name, axis)


@deferring
def dropout(
    x: Any,
    rate: Any,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return x with a share rate of its elements set to 0, the others divided by 1 - rate.

    noise_shape says for which slices it is drawn together: its sizes of 1.
    """
    return before.dropout(
        x, noise_shape=noise_shape, seed=seed, name=name or "dropout", rate=rate
    )


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return mean and variance along axes; shift has no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> [float(x) for x in tf.nn.moments([1.0, 3.0], axes=[0])]
    [2.0, 1.0]
    """
    return before.moments(x, axes, shift, name, keepdims=keepdims)


@named("weighted_moments", None)
def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return mean and variance along axes, weighted by how often each element counts.

    Both are 0 where the weights are.
    """
    value = converted(x)
    return before.moments_of(value, axes, frequency_weights, keepdims, divide_no_nan)


def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Any:
    """Return x divided by its length along axes, or by sqrt(epsilon) if that is greater.

    dim is the older name of axis.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.l2_normalize([3.0, 4.0], 0).numpy().round(4).tolist()
    [0.6, 0.8]
    """
    return before.l2_normalize(x, axis, epsilon, name, dim)


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """Return (x - mean) / sqrt(variance + epsilon) + beta.

    It is multiplied by gamma before beta is added if scale_after_normalization.
    """
    scale = gamma if scale_after_normalization else None
    return shared.batch_normalization(
        input, mean, variance, beta, scale, variance_epsilon, name
    )


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Return whether each target class is among the k that are predicted most."""
    return shared.in_top_k(predictions, targets, k, name)


def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = int32,
    name: str | None = None,
) -> Any:
    """Return the k largest elements of the last axis, and their places.

    `sorted` puts the largest first; of equal ones the first place comes first.
    """
    return shared.top_k(input, k, sorted, name, index_type)


def ctc_greedy_decoder(
    inputs: Any,
    sequence_length: Any,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> Any:
    """Return the label sequences of the likeliest class at each time, and scores.

    `inputs` are logits [time, batch, classes]; the sequences are a list of one sparse tensor,
    scores the negative sums of the largest logits, [batch, 1]. The blank is the last class unless
    given.
    """
    return shared.ctc_greedy_decoder(
        inputs, sequence_length, merge_repeated, None, blank_index
    )


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Any:
    """Return the entropy of the softmax of logits, for true shares of classes.

    >>> from tensorlite.compat import v2 as tf
    >>> loss = tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[1.0, 1.0]])
    >>> loss.numpy().round(4).tolist()
    [0.6931]
    """
    return losses.softmax_cross_entropy_with_logits_v2(labels, logits, axis, name)


@deferring
def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
    """Return the entropy of the softmax of logits, for classes' numbers.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[1.0, 1.0]]).numpy().round(4).tolist()
    [0.6931]
    """
    return losses.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, name=name
    )


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Return the entropies of the sigmoid of logits, element by element.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0], [0.0]).numpy().round(4).tolist()
    [0.6931]
    """
    return losses.sigmoid_cross_entropy_with_logits(
        labels=labels, logits=logits, name=name
    )


def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    """Return entropies of sigmoids, those of true ones times pos_weight."""
    return losses.weighted_cross_entropy_with_logits(labels, logits, pos_weight, name)


@deferring
def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Any:
    """Return the rows of a table at ids, cut to a length max_norm.

    A table in parts has its rows one part behind the other. Ragged ids give ragged rows.

    >>> from tensorlite.compat import v2 as tf
    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.nn.embedding_lookup(table, [1, 0]).numpy().tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """
    if isinstance(ids, RaggedTensor):
        flat = embedding_lookup(params, ids.flat_values, max_norm, name)
        return ids.with_flat_values(flat)
    return embeddings.embedding_lookup(params, ids, "div", name, max_norm=max_norm)


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Return rows of a table put together for each row of sparse ids.

    combiner is "sum", "mean" or "sqrtn", "mean" if None; allow_fast_lookup has no effect.
    """
    return sparse_embeddings.embedding_lookup_sparse(
        params, sp_ids, sp_weights, "div", name, combiner or "mean", max_norm
    )


@deferring
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Any:
    """Return the cost of telling true classes from drawn ones (Gutmann and Hyvarinen, 2010)."""
    return sampled_losses.nce_loss(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        "div",
        name,
    )


@deferring
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str = "sampled_softmax_loss",
) -> Any:
    """Return the softmax' entropies among true classes and drawn ones (Jean et al., 2014)."""
    return sampled_losses.sampled_softmax_loss(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        "div",
        name,
        seed,
    )


@named("compute_average_loss")
def compute_average_loss(
    per_example_loss: Any,
    sample_weight: Any = None,
    global_batch_size: Any = None,
    name: str | None = None,
) -> Any:
    """Return the sum of examples' losses divided by the number of examples, or by a size.

    InvalidArgumentError is raised for a scalar.
    """
    x = converted(per_example_loss)
    if sample_weight is not None:
        x = x * converted(sample_weight, x.dtype)
    if x.ndim == 0:
        raise InvalidArgumentError(
            f"compute_average_loss: per_example_loss={per_example_loss}; it has at least one axis, "
            "that of the examples"
        )
    if global_batch_size is None:
        replicas = distribute.get_strategy().num_replicas_in_sync
        count = shape_of(x)[0] * replicas
    else:
        count = converted(global_batch_size)
    return tl.sum(x) / tl.astype(count, x.dtype)


@named("scale_regularization_loss")
def scale_regularization_loss(
    regularization_loss: Any, name: str | None = None
) -> Any:
    """Return the sum of a loss that every replica computes alike, as one of them counts it."""
    return tl.sum(converted(regularization_loss))


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Return rows of a table put together for each row of sparse ids.

    Ids below 0 and weights that are not above 0 are left out; rows without ids have the row of
    default_id, or zeros. allow_fast_lookup has no effect.
    """
    return sparse_embeddings.safe_embedding_lookup_sparse(
        embedding_weights,
        sparse_ids,
        sparse_weights,
        combiner,
        default_id,
        name,
        "div",
        max_norm,
    )


@named("IsotonicRegression")
def isotonic_regression(
    inputs: Any, decreasing: bool = True, axis: int = -1, name: str | None = None
) -> Any:
    """Return the falling, or rising, values nearest to the inputs, and their segments."""
    return tl.nn.isotonic_regression(converted(inputs), decreasing, axis)
