"""Sequence to sequence models: names of variables, losses and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np


def evenly(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    """Return numbers from -0.5 to 0.5."""
    return np.linspace(-0.5, 0.5, int(np.prod(shape))).reshape(shape).astype("f")


def program(tf: Any) -> dict[str, Any]:
    """Return what each model makes."""
    models = tf.contrib.legacy_seq2seq
    cell = tf.contrib.rnn.GRUCell

    def plain(x: Any, y: Any, before: Any) -> Any:
        return models.embedding_rnn_seq2seq(
            x, y, cell(4), 5, 6, 3, feed_previous=before
        )

    def attending(x: Any, y: Any, before: Any) -> Any:
        return models.embedding_attention_seq2seq(
            x, y, cell(4), 5, 6, 3, num_heads=2, feed_previous=before
        )

    found = {}
    for make in (plain, attending):
        for before in (False, True, None):
            with tf.Graph().as_default():
                found[f"{make.__name__} {before}"] = _run(tf, models, make, before)
    return found


def _run(tf: Any, models: Any, make: Any, before: bool | None) -> list[Any]:
    symbols = np.array([[0, 3], [4, 1], [2, 2]])
    known = tf.constant(True) if before is None else before
    encoded = [tf.constant(x, tf.int32) for x in symbols]
    decoded = [tf.constant(x + 1, tf.int32) for x in symbols]
    targets = [tf.constant(x, tf.int32) for x in (symbols + 2) % 6]
    weights = [tf.ones([2]) for _ in symbols]
    with tf.variable_scope("model", initializer=evenly):
        outputs, losses = models.model_with_buckets(
            encoded,
            decoded,
            targets,
            weights,
            [(2, 2), (3, 3)],
            lambda x, y: make(x, y, known),
        )
    gradients = tf.gradients(losses, tf.trainable_variables())
    dense = [tf.convert_to_tensor(x) for x in gradients if x is not None]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([outputs, losses, dense])
    return [[v.name for v in tf.global_variables()], values]
