"""Losses over sampled classes in graphs: through the nodes that TensorFlow 1 makes of them.

What computes them elsewhere is in ops/nn/sampled.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    ones,
    reshape,
    stack,
    stop_gradient,
)
from tensorlite.compat.shared.cutting import slice
from tensorlite.compat.shared.elementwise import cast, log, multiply
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.ragged_and_sparse.sparse import sparse_to_dense
from tensorlite.compat.shared.randoms.candidates import (
    compute_accidental_hits,
    log_uniform_candidate_sampler,
)
from tensorlite.compat.v1.functions.arrays import ones_like, shape, zeros_like
from tensorlite.compat.v1.functions.embeddings import embedding_lookup
from tensorlite.compat.v1.functions.nn_losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
)
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.core.dtypes import int32, int64
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.nn import sampled


class Sampling(NamedTuple):
    """How classes are drawn, and what is done with them."""

    number: int
    of: int
    """How many classes there are."""
    true: int
    """How many labels each row has."""
    removes_hits: bool
    partition: Any
    seed: int | None = None

    def drawn(self, labels: Any) -> Any:
        """Return drawn classes, and how often labels and they are expected."""
        return log_uniform_candidate_sampler(
            labels, self.true, self.number, True, self.of, self.seed
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
    partition_strategy: Any = "mod",
    name: str | None = "nce_loss",
) -> Any:
    """Return the noise-contrastive estimation loss of each row, [batch].

    weights are [classes, width] (or shards of it), labels int64 [batch, num_true], inputs [batch,
    width]. Classes are drawn log-uniformly unless sampled_values are given, so they should be in
    order of frequency. Gutmann and Hyvarinen 2010.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     w, b, y = tf.zeros([9, 4]), tf.zeros([9]), tf.zeros([2, 1], tf.int64)
    ...     tf.nn.nce_loss(w, b, y, tf.zeros([2, 4]), 3, 9).get_shape().as_list()
    [2]
    """
    how = Sampling(
        num_sampled, num_classes, num_true, remove_accidental_hits, partition_strategy
    )
    if active_graph() is None:
        return _at_once(
            sampled.nce_loss, weights, biases, labels, inputs, how, sampled_values
        )
    with name_scope(name, "nce_loss"):
        logits, wanted = _logits(weights, biases, labels, inputs, how, sampled_values)
    found = sigmoid_cross_entropy_with_logits(
        labels=wanted, logits=logits, name="sampled_losses"
    )
    return _sum_of_rows(found)


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
    partition_strategy: Any = "mod",
    name: str | None = "sampled_softmax_loss",
    seed: int | None = None,
) -> Any:
    """Return softmax cross entropies over the labels and num_sampled drawn classes, [batch].

    weights are [classes, width] (or shards of it), labels int64 [batch, num_true], inputs [batch,
    width]. It is for training; judge with the whole softmax. Jean et al. 2014.
    """
    how = Sampling(
        num_sampled,
        num_classes,
        num_true,
        remove_accidental_hits,
        partition_strategy,
        seed,
    )
    if active_graph() is None:
        loss = sampled.sampled_softmax_loss
        return _at_once(loss, weights, biases, labels, inputs, how, sampled_values)
    with name_scope(name, "sampled_softmax_loss"):
        logits, wanted = _logits(weights, biases, labels, inputs, how, sampled_values)
    fixed = stop_gradient(wanted, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=fixed, logits=logits)


def _at_once(
    loss: Any,
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    how: Sampling,
    given: Any,
) -> Any:
    """Return a loss that no graph is built for."""
    classes = _whole(convert_to_tensor(labels))
    drawn = given or how.drawn(classes)
    rows = convert_to_tensor(inputs)
    numbers = (how.number, how.of, drawn, how.removes_hits, how.partition)
    return loss(weights, biases, classes, rows, *numbers)


def _whole(labels: Any) -> Any:
    """Return labels as whole numbers: programs feed them as floats, too."""
    return labels if labels.dtype.is_integer else cast(labels, int64)


def _logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, how: Sampling, given: Any
) -> tuple[Any, Any]:
    """Return the logits of labels and drawn classes side by side, and what is wanted of them."""
    classes, rows = convert_to_tensor(labels), convert_to_tensor(inputs)
    if classes.dtype is not int64:
        classes = cast(classes, int64)
    flat = reshape(classes, [-1])
    drawn, true_expected, expected = [
        stop_gradient(x) for x in given or how.drawn(classes)
    ]
    look_up = partial(embedding_lookup, partition_strategy=how.partition)
    both = concat([flat, drawn], 0)
    tables = look_up(weights, both)
    true_table = slice(tables, [0, 0], stack([shape(flat)[0], -1]))
    drawn_table = slice(tables, stack([shape(flat)[0], 0]), [-1, -1])
    drawn_logits = matmul(rows, drawn_table, transpose_b=True)
    offsets = look_up(biases, both)
    true_offsets = slice(offsets, [0], shape(flat))
    drawn_offsets = slice(offsets, shape(flat), [-1])
    width = shape(true_table)[1:2]
    by_row = concat([[-1, how.true], width], 0)
    products = multiply(expand_dims(rows, 1), reshape(true_table, by_row))
    sums = _sum_of_rows(reshape(products, concat([[-1], width], 0)))
    true_logits = reshape(sums, [-1, how.true])
    true_logits = true_logits + reshape(true_offsets, [-1, how.true])
    drawn_logits = drawn_logits + drawn_offsets
    if how.removes_hits:
        drawn_logits = drawn_logits + _hits(classes, drawn, drawn_logits, how)
    true_logits = true_logits - log(true_expected)
    drawn_logits = drawn_logits - log(expected)
    logits = concat([true_logits, drawn_logits], 1)
    right = ones_like(true_logits) / how.true
    return logits, concat([right, zeros_like(drawn_logits)], 1)


def _hits(classes: Any, drawn: Any, logits: Any, how: Sampling) -> Any:
    """Return what hides those drawn classes that are labels of their row."""
    rows, places, hidden = compute_accidental_hits(classes, drawn, how.true)
    columns = [reshape(rows, [-1, 1]), reshape(cast(places, int32), [-1, 1])]
    at = concat(columns, 1, name="sparse_indices")
    sizes = concat([shape(classes)[:1], expand_dims(how.number, 0)], 0)
    return sparse_to_dense(at, sizes, hidden, 0.0, validate_indices=False)


def _sum_of_rows(x: Any) -> Any:
    """Return the sums of rows, by a product with ones."""
    sums = matmul(x, ones(stack([shape(x)[1], 1]), x.dtype))
    return reshape(sums, [-1])
