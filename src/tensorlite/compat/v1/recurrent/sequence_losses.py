"""Losses of sequences: of lists of steps, and of sequences that stand in one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.arrays import reshape, shape
from tensorlite.compat.shared.elementwise import add_n, cast, div_no_nan
from tensorlite.compat.v1.functions.nn_losses import (
    sparse_softmax_cross_entropy_with_logits,
)
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.errors import InvalidArgumentError, ShapeError


def _softmax_loss(labels: Any, logits: Any) -> Any:
    flat = reshape(labels, [-1])
    return sparse_softmax_cross_entropy_with_logits(labels=flat, logits=logits)


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """Return the weighted cross entropies of lists of steps, summed for each row: [batch].

    logits are [batch, classes], targets classes' numbers, weights [batch], one of each for a step.
    Sums are over those of weights if average_across_timesteps. Lists of different lengths raise
    InvalidArgumentError.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise InvalidArgumentError(
            f"Lengths of logits, weights, and targets must be the same {len(logits)}, "
            f"{len(weights)}, {len(targets)}."
        )
    loss = softmax_loss_function or _softmax_loss
    with framework.name_scope(name, "sequence_loss_by_example"):
        losses = [
            loss(labels=target, logits=logit) * weight
            for logit, target, weight in zip(logits, targets, weights, strict=True)
        ]
        total = add_n(losses)
        if not average_across_timesteps:
            return total
        return total / (add_n(list(weights)) + 1e-12)


def sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """Return the weighted cross entropy of lists of steps, a scalar.

    It is a mean over rows if average_across_batch, and over weights if average_across_timesteps.
    """
    with framework.name_scope(name, "sequence_loss"):
        by_example = sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function
        )
        total = reduce_sum(by_example)
        if not average_across_batch:
            return total
        return total / cast(shape(targets[0])[0], total.dtype)


def batched_sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """Return the loss of sequences that stand in one tensor: batch, time, classes."""
    for x, rank, what in (
        (logits, 3, "Logits"),
        (targets, 2, "Targets"),
        (weights, 2, "Weights"),
    ):
        if x.get_shape().rank not in (rank, None):
            raise ShapeError(
                f"{what} must have {rank} axes, not the shape {x.get_shape()}"
            )
    if average_across_timesteps and sum_over_timesteps:
        raise InvalidArgumentError(
            "average_across_timesteps and sum_over_timesteps cannot be set to True at same time."
        )
    with framework.name_scope(name, "sequence_loss"):
        flat = reshape(logits, [-1, shape(logits)[2]])
        loss = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
        each = loss(labels=reshape(targets, [-1]), logits=flat) * reshape(
            weights, [-1]
        )
        both = average_across_timesteps and average_across_batch
        if both or (sum_over_timesteps and sum_over_batch):
            counted = weights if both else cast(weights > 0, each.dtype)
            return div_no_nan(reduce_sum(each), reduce_sum(counted))
        each = reshape(each, shape(logits)[0:2])
        for axis, mean, total in (
            (0, average_across_batch, sum_over_batch),
            (1, average_across_timesteps, sum_over_timesteps),
        ):
            if mean or total:
                counted = weights if mean else cast(weights > 0, each.dtype)
                return div_no_nan(reduce_sum(each, axis), reduce_sum(counted, axis))
        return each
