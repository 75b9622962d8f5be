"""Summaries of tensors and collections: tf.contrib.layers' summarize functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.shared import elementwise
from tensorlite.compat.v1 import summary
from tensorlite.compat.v1.functions import nn_functions, numbers
from tensorlite.compat.v1.graphs import scopes
from tensorlite.core.dtypes import float32
from tensorlite.graph_mode.keys import GraphKeys


def summarize_tensor(tensor: Any, tag: str | None = None) -> Any:
    """Return a summary of a tensor: its number if it has no axes, else a histogram."""
    name = tag or f"{tensor.op.name}_summary"
    if tensor.get_shape().rank == 0:
        return summary.scalar(name, tensor)
    return summary.histogram(name, tensor)


def summarize_activation(op: Any) -> Any:
    """Return a summary of the values of an activation; of ReLUs also how many are 0."""
    if op.op.type in {"Relu", "Softplus", "Relu6"}:
        summary.scalar(f"{op.op.name}/zeros", nn_functions.zero_fraction(op))
    if op.op.type == "Relu6":
        sixes = elementwise.equal(op, elementwise.cast(6, op.dtype))
        share = numbers.reduce_mean(elementwise.cast(sixes, float32))
        summary.scalar(f"{op.op.name}/sixes", share)
    return summary.histogram(f"{op.op.name}/activation", op)


def summarize_tensors(
    tensors: Iterable[Any], summarizer: Any = summarize_tensor
) -> list[Any]:
    """Return the summaries of tensors, a list."""
    return [summarizer(x) for x in tensors]


def summarize_collection(
    collection: str,
    name_filter: str | None = None,
    summarizer: Any = summarize_tensor,
) -> list[Any]:
    """Return the summaries of a collection's tensors whose names match name_filter."""
    return summarize_tensors(
        scopes.get_collection(collection, name_filter), summarizer
    )


def summarize_activations(
    name_filter: str | None = None, summarizer: Any = summarize_activation
) -> list[Any]:
    """Return the summaries of the collection ACTIVATIONS."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
