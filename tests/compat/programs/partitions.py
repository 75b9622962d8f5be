"""Variables in parts: names, values, checkpoints."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any


def program(tf: Any) -> dict[str, Any]:
    """Return what is known of variables in parts, and of what is saved of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "ck")
        found = {"made": made(tf, path), "restored": restored(tf, path)}
    shape = tf.TensorShape([10, 40])
    found["counts"] = [
        tf.variable_axis_size_partitioner(64)(shape, tf.float32),
        tf.variable_axis_size_partitioner(640, axis=1, max_shards=3)(
            shape, tf.float32
        ),
        tf.min_max_variable_partitioner(4, 0, 64)(shape, tf.float32),
    ]
    return found


def made(tf: Any, path: str) -> list[Any]:
    """Return names and values of variables in parts, saved to a path."""
    with tf.Graph().as_default():
        three = tf.fixed_size_partitioner(3)
        a = tf.get_variable(
            "a",
            [10, 3],
            initializer=tf.glorot_uniform_initializer(seed=1),
            partitioner=three,
        )
        i = tf.get_variable(
            "i",
            [4, 4],
            initializer=tf.initializers.identity(2.0),
            partitioner=tf.fixed_size_partitioner(2, 1),
        )
        with tf.variable_scope("s", partitioner=three):
            tf.layers.dense(
                tf.ones([2, 10]),
                4,
                kernel_initializer=tf.ones_initializer(),
                kernel_regularizer=tf.nn.l2_loss,
            )
        whole, write = a.as_tensor(), a.assign(tf.ones([10, 3]))
        rows = tf.nn.embedding_lookup(a, [1, 2, 5])
        with tf.variable_scope("", reuse=True):
            again = tf.get_variable("a", [10, 3], partitioner=three) is a
            part = tf.get_variable("a/part_0", [4, 3]) is next(iter(a))
        losses = tf.losses.get_regularization_losses()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = [
                [v.name for v in tf.trainable_variables()],
                [v.shape.as_list() for v in tf.global_variables()],
                [a.name, a.shape.as_list(), len(a), again, part],
                session.run([whole, i.as_tensor(), rows]),
                [float(x) for x in session.run(losses)],
            ]
            tf.train.Saver().save(session, path)
            session.run(write)
            return [*found, float(session.run(whole).sum())]


def restored(tf: Any, path: str) -> list[Any]:
    """Return what is in a checkpoint, and a variable restored from its parts."""
    listed = [list(x) for x in tf.train.list_variables(path)]
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.get_variable("a", [10, 3])
        tf.train.Saver([a]).restore(session, path)
        return [listed, session.run(a)]
