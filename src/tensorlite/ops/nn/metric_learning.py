"""Losses by which embeddings of one label come close to each other, and others apart.

They are computed on all pairs and triples of a batch, by functions that have their own gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core.dtypes import bool_
from tensorlite.core.spec import check_rank
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.arrange import expand_dims, matrix_transpose
from tensorlite.ops.arrays.ranges import eye
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.compare import equal, logical_not, where
from tensorlite.ops.math.elementwise import exp, log, sqrt, square
from tensorlite.ops.math.reduce import (
    any as any_of,
    max as max_of,
    mean,
    min as min_of,
)
from tensorlite.ops.nn.losses import softmax_cross_entropy
from tensorlite.ops.operators import astype
from tensorlite.ops.sparse.dense import to_dense
from tensorlite.ops.sparse.tensor import SparseTensor

__all__: list[str] = []


def contrastive_loss(
    labels: Tensor, anchors: Tensor, positives: Tensor, margin: float
) -> Tensor:
    """Return the mean over pairs: near each other where the label is 1, else a margin apart.

    >>> import tensorlite.ops.nn.metric_learning as metric_learning
    >>> one = tl.asarray([[1.0, 0.0]])
    >>> print(metric_learning.contrastive_loss(tl.asarray([0]), one, one + 0.5, 1.0))
    0.085786
    """
    distances = sqrt(sum_of(square(anchors - positives), axis=1))
    alike = astype(labels, distances.dtype)
    apart = square(maximum(margin - distances, 0.0))
    return mean(alike * square(distances) + (1.0 - alike) * apart)


def triplet_semihard_loss(
    labels: Tensor, embeddings: Tensor, margin: float
) -> Tensor:
    """Return the mean over pairs of one label: a margin nearer than a negative one.

    That is the nearest of those that are further than the positive one, else the furthest.

    >>> import tensorlite.ops.nn.metric_learning as metric_learning
    >>> x = tl.asarray([[0.0], [1.0], [1.5]])
    >>> print(metric_learning.triplet_semihard_loss(tl.asarray([0, 0, 1]), x, 1.0))
    0.875
    """
    distances = _distances(embeddings)
    same = _same(labels)
    other = logical_not(same)
    largest = max_of(distances, axis=1, keepdims=True)
    smallest = min_of(distances, axis=1, keepdims=True)
    inside = max_of(where(other, distances, smallest), axis=1, keepdims=True)
    # By anchor, positive and negative.
    each = expand_dims(distances, 1)
    further = expand_dims(other, 1) & (each > expand_dims(distances, 2))
    outside = min_of(where(further, each, expand_dims(largest, 2)), axis=2)
    negative = where(any_of(further, axis=2), outside, inside)
    positives = _pairs(same, distances)
    costs = maximum((margin + distances - negative) * positives, 0.0)
    return sum_of(costs) / sum_of(positives)


def lifted_struct_loss(labels: Tensor, embeddings: Tensor, margin: float) -> Tensor:
    """Return the mean over pairs of one label, against all that have others, smoothly.

    >>> import tensorlite.ops.nn.metric_learning as metric_learning
    >>> x = tl.asarray([[0.0], [1.0], [3.0]])
    >>> print(metric_learning.lifted_struct_loss(tl.asarray([0, 0, 1]), x, 1.0))
    0.049066424
    """
    distances = _distances(embeddings, root=True)
    same = _same(labels)
    other = logical_not(same)
    nearness = margin - distances
    least = min_of(nearness, axis=1, keepdims=True)
    nearest = max_of(where(other, nearness, least), axis=1, keepdims=True)
    most = maximum(nearest, matrix_transpose(nearest))
    # By anchor, positive and negative.
    shifted = expand_dims(nearness, 1) - expand_dims(most, 2)
    counted = astype(expand_dims(other, 1), distances.dtype)
    around = sum_of(exp(shifted) * counted, axis=2)
    costs = most + log(around + matrix_transpose(around)) + distances
    positives = _pairs(same, distances)
    squares = square(maximum(costs * positives, 0.0))
    return 0.25 * sum_of(squares) / (sum_of(positives) / 2.0)


def npairs_loss(
    labels: Tensor, anchors: Tensor, positives: Tensor, weight: float
) -> Tensor:
    """Return the cross entropy of similarities of all pairs, and a cost of large embeddings.

    >>> import tensorlite.ops.nn.metric_learning as metric_learning
    >>> x = tl.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> print(metric_learning.npairs_loss(tl.asarray([0, 1]), x, x, 0.0))
    0.313262
    """
    return _npairs(astype(_same(labels), anchors.dtype), anchors, positives, weight)


def npairs_loss_multilabel(
    labels: Sequence[SparseTensor], anchors: Tensor, positives: Tensor, weight: float
) -> Tensor:
    """Return the same where each example has several labels, of which pairs have some in common.

    >>> import tensorlite.ops.nn.metric_learning as metric_learning
    >>> x = tl.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> labels = [tl.sparse.SparseTensor([[i]], [1], (2,)) for i in (0, 1)]
    >>> print(metric_learning.npairs_loss_multilabel(labels, x, x, 0.0))
    0.313262
    """
    held = stack([astype(to_dense(one), anchors.dtype) for one in labels])
    shared = minimum(expand_dims(held, 1), expand_dims(held, 0))
    return _npairs(sum_of(shared, axis=2), anchors, positives, weight)


def _npairs(
    alike: Tensor, anchors: Tensor, positives: Tensor, weight: float
) -> Tensor:
    sizes = [mean(sum_of(square(x), axis=1)) for x in (anchors, positives)]
    chances = alike / sum_of(alike, axis=1, keepdims=True)
    similar = matmul(anchors, matrix_transpose(positives))
    entropy = mean(softmax_cross_entropy(chances, similar))
    return 0.25 * weight * (sizes[0] + sizes[1]) + entropy


def _distances(x: Tensor, root: bool = False) -> Tensor:
    """Return squares of distances of all pairs, or distances; 0 for those that are the same."""
    own = sum_of(square(x), axis=1, keepdims=True)
    squares = maximum(
        own + matrix_transpose(own) - 2.0 * matmul(x, matrix_transpose(x)), 0.0
    )
    apart = (squares > 0.0) & logical_not(eye(shape_of(x)[0], dtype=bool_))
    if root:
        return where(apart, sqrt(where(apart, squares, 1.0)), 0.0)
    return where(apart, squares, 0.0)


def _same(labels: Tensor) -> Tensor:
    """Return of which pairs the labels are the same."""
    check_rank("labels", labels.spec, 1)
    return equal(expand_dims(labels, 1), expand_dims(labels, 0))


def _pairs(same: Tensor, distances: Tensor) -> Tensor:
    """Return 1 for pairs of one label, and 0 for others and those of an example and itself."""
    return astype(same, distances.dtype) - eye(
        shape_of(distances)[0], dtype=distances.dtype
    )
