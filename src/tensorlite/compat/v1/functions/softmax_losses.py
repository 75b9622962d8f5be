"""Cross entropies in graphs: through the nodes that TensorFlow 1 makes of them.

Seeds that are given to nobody count these nodes. What computes the losses is in ops/nn/losses.py.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.shared import arrays, cutting, elementwise, nn
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.views import shown
from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.dtypes import bfloat16, float16, float32
from tensorlite.core.scope import scope
from tensorlite.ops.nn import losses


def softmax_losses(labels: Any, logits: Any, axis: int) -> Any:
    """Return the losses of what lies along an axis, as tensors of the graph being built."""
    kind, sizes = logits.dtype, logits.get_shape()
    wide = float32 if kind in (float16, bfloat16) else kind
    scores, wanted = elementwise.cast(logits, wide), elementwise.cast(labels, wide)
    rank = arrays.rank(scores)
    if axis != -1:
        scores, wanted = _last(scores, axis, rank), _last(wanted, axis, rank)
    shape = v1_arrays.shape(scores)
    rows = _matrix(scores), _matrix(wanted)
    found = _of_rows(*rows, name=f"{scope.get().name}/")
    kept = cutting.slice(shape, [0], [elementwise.subtract(rank, 1)])
    found = arrays.reshape(found, kept)
    if sizes.rank is not None:
        listed = sizes.as_list()
        del listed[axis]
        found.set_shape(listed)
    return elementwise.cast(found, kind)


@named("SoftmaxCrossEntropyWithLogits")
def _of_rows(logits: Any, labels: Any, name: str | None = None) -> Any:
    op = losses.SoftmaxCrossEntropyWithLogits()
    return calls(op, to_tensor(logits), to_tensor(labels))[0]


def _last(x: Any, axis: int, rank: Any) -> Any:
    """Return a tensor with one of its axes behind all others."""
    parts = [arrays.range(axis), arrays.range(axis + 1, rank), [axis]]
    return arrays.transpose(x, arrays.concat(parts, 0))


def _matrix(x: Any) -> Any:
    """Return a matrix whose rows lie along the last axis of a tensor."""
    rank = arrays.rank(x)
    last = cutting.slice(v1_arrays.shape(x), [elementwise.subtract(rank, 1)], [1])
    made = arrays.reshape(x, arrays.concat([[-1], last], 0))
    *others, width = x.get_shape().as_list() if x.get_shape().rank else [None, None]
    made.set_shape([None if None in others else prod(others), width])
    return made


def sparse_softmax_losses(
    of_rows: Callable[..., Any], classes: Any, logits: Any, name: str | None
) -> Any:
    """Return the losses of what lies along the last axis, which `of_rows` takes of a matrix."""
    shape = v1_arrays.shape(classes)
    if logits.get_shape().rank == _A_MATRIX:
        return of_rows(classes, logits, name=name)
    count = v1_arrays.shape(logits)[arrays.rank(logits) - 1]
    rows = arrays.reshape(logits, [-1, count])
    found = of_rows(arrays.reshape(classes, [-1]), rows, name=name)
    made = arrays.reshape(found, shape)
    made.set_shape(classes.get_shape())
    return made


_A_MATRIX = 2


def sigmoid_losses(labels: Any, logits: Any) -> Any:
    """Return max(x, 0) - x * z + log(1 + exp(-|x|)), whose gradients are right at zero, too."""
    scores, wanted = shown(logits), shown(labels)
    zeros = v1_arrays.zeros_like(scores)
    positive = scores >= zeros
    above = v1_arrays.where(positive, scores, zeros)
    near = v1_arrays.where(positive, -scores, scores)
    linear = above - scores * wanted
    return elementwise.add(linear, elementwise.log1p(elementwise.exp(near)))


def weighted_sigmoid_losses(labels: Any, logits: Any, weight: Any) -> Any:
    """Return (1 - z) * x + l * (log(1 + exp(-|x|)) + max(-x, 0)), l = 1 + (weight - 1) * z."""
    scores, wanted = shown(logits), shown(labels)
    factor = 1 + (weight - 1) * wanted
    linear = (1 - wanted) * scores
    near = elementwise.log1p(elementwise.exp(-elementwise.abs(scores)))
    return elementwise.add(linear, factor * (near + nn.relu(-scores)))
