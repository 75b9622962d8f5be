"""Functions and losses of `tf.nn`, in TensorFlow 2's order of arguments."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import nn as shared
from tensorlite.compat.v1 import (
    nn_functions as before,
    nn_losses as losses,
    sampled_losses,
)
from tensorlite.compat.v2 import distribute
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops import ctc
from tensorlite.ops.ragged_tensor import RaggedTensor
from tensorlite.ops.shape import shape_of
from tensorlite.ops.sparse_tensor import SparseTensor


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    return before.softmax(logits, axis, name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    return before.log_softmax(logits, axis, name)


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Any:
    return shared.crelu(features, name, axis)


def dropout(
    x: Any,
    rate: Any,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
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
    return before.moments(x, axes, shift, name, keepdims=keepdims)


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    return before.weighted_moments(
        x, axes, frequency_weights, name, keepdims=keepdims
    )


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None
) -> Any:
    return before.l2_normalize(x, axis, epsilon, name)


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
    scale = gamma if scale_after_normalization else None
    return shared.batch_normalization(
        input, mean, variance, beta, scale, variance_epsilon, name
    )


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    return shared.in_top_k(predictions, targets, k, name)


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Any:
    return losses.softmax_cross_entropy_with_logits_v2(labels, logits, axis, name)


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
    return losses.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, name=name
    )


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    return losses.sigmoid_cross_entropy_with_logits(
        labels=labels, logits=logits, name=name
    )


def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Any:
    return losses.weighted_cross_entropy_with_logits(labels, logits, pos_weight, name)


def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Any:
    if isinstance(ids, RaggedTensor):
        flat = embedding_lookup(params, ids.flat_values, max_norm, name)
        return ids.with_flat_values(flat)
    return losses.embedding_lookup(params, ids, "div", name, max_norm=max_norm)


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    return losses.embedding_lookup_sparse(
        params, sp_ids, sp_weights, "div", name, combiner or "mean", max_norm
    )


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
    return losses.safe_embedding_lookup_sparse(
        embedding_weights,
        sparse_ids,
        sparse_weights,
        combiner,
        default_id,
        name,
        "div",
        max_norm,
    )


@named("ctc_loss")
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
    if not isinstance(labels, SparseTensor):
        blank = 0 if blank_index is None else blank_index
        lengths = label_length, logit_length
        return ctc.dense_ctc_loss(
            labels, converted(logits), *lengths, logits_time_major, blank
        )
    if blank_index is None:
        raise InvalidArgumentError(
            "ctc_loss: blank_index is needed where labels are a SparseTensor; -1 is the last class"
        )
    return ctc.ctc_loss(
        labels,
        converted(logits),
        logit_length,
        time_major=logits_time_major,
        blank_index=blank_index,
    )


@named("IsotonicRegression")
def isotonic_regression(
    inputs: Any, decreasing: bool = True, axis: int = -1, name: str | None = None
) -> Any:
    return tl.nn.isotonic_regression(converted(inputs), decreasing, axis)
