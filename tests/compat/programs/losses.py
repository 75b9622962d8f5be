"""Every loss of tf.losses with every kind of weights: values, names and collections."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return values and names of losses."""
    rng = np.random.RandomState(0)
    found, wanted = rng.rand(4, 3).astype("f"), rng.rand(4, 3).astype("f")
    bits, classes = (wanted > 0.5).astype("f"), np.array([0, 2, 1, 0])
    hot, logits = np.eye(3)[classes], rng.randn(4, 3).astype("f")
    some = np.array([[1.0], [0], [2], [1]], "f")
    losses = {
        "absolute_difference": (wanted, found),
        "mean_squared_error": (wanted, found),
        "cosine_distance": (wanted, found, 1),
        "hinge_loss": (bits, logits),
        "huber_loss": (wanted, found * 4),
        "log_loss": (bits, found),
        "sigmoid_cross_entropy": (bits, logits),
        "softmax_cross_entropy": (hot, logits),
        "sparse_softmax_cross_entropy": (classes, logits),
    }
    kinds = {"one": 1.0, "two": 2, "none": 0.0, "some": some, "flat": some[:, 0]}
    made = {
        f"{name}_{kind}": value(
            tf, partial(getattr(tf.losses, name), *args, weights=weights)
        )
        for name, args in losses.items()
        for kind, weights in kinds.items()
    }
    error = tf.losses.mean_squared_error
    for how in tf.losses.Reduction.all():
        made[how] = value(tf, partial(error, wanted, found, some, reduction=how))
    made["pairs"] = value(
        tf,
        lambda: tf.losses.mean_pairwise_squared_error(wanted, found, some, scope="p"),
        False,
    )
    made["smooth"] = value(
        tf, lambda: tf.losses.softmax_cross_entropy(hot, logits, label_smoothing=0.1)
    )
    made["smooth_bits"] = value(
        tf, lambda: tf.losses.sigmoid_cross_entropy(hot, logits, label_smoothing=0.1)
    )
    made["column"] = value(
        tf, lambda: tf.losses.sparse_softmax_cross_entropy(classes[:, None], logits)
    )
    made["total"] = value(tf, lambda: total(tf, wanted, found))
    made["nothing"] = value(tf, tf.losses.get_regularization_loss)
    return made


def total(tf: Any, wanted: Any, found: Any) -> Any:
    """Return all losses together."""
    tf.losses.mean_squared_error(wanted, found)
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(3.0))
    tf.losses.add_loss(tf.constant(1.0))
    return tf.losses.get_total_loss() + tf.losses.get_regularization_loss()


def value(tf: Any, make: Callable[[], Any], names: bool = True) -> Any:
    """Return what a loss is, or that it cannot be."""
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            loss = make()
        except ValueError:
            return "ValueError"
        kept = [x.name for x in tf.losses.get_losses()]
        own = [loss.name, kept] if names else []
        return [*own, loss.shape.as_list(), session.run(loss)]
