"""Five steps of every optimizer, with a dense and a sparse gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

KINDS: list[tuple[str, tuple[float, ...]]] = [
    ("GradientDescentOptimizer", (0.1,)),
    ("MomentumOptimizer", (0.1, 0.9)),
    ("AdamOptimizer", (0.1,)),
    ("AdagradOptimizer", (0.1,)),
    ("AdadeltaOptimizer", (1.0,)),
    ("RMSPropOptimizer", (0.1,)),
    ("FtrlOptimizer", (0.1,)),
    ("ProximalGradientDescentOptimizer", (0.1,)),
    ("ProximalAdagradOptimizer", (0.1,)),
]


def program(tf: Any) -> dict[str, Any]:
    """Return losses, values, and the names of variables, by the optimizer."""
    return {name: trained(tf, name, args) for name, args in KINDS}


def trained(tf: Any, name: str, args: tuple[float, ...]) -> list[Any]:
    """Return what five steps of one optimizer make."""
    rng = np.random.RandomState(0)
    inputs = rng.randn(8, 3).astype("f")
    targets = rng.randn(8, 1).astype("f")
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.Variable(np.ones((3, 1), "f"), name="w")
        e = tf.Variable(np.ones((6, 1), "f") * 0.5, name="e")
        step = tf.Variable(0, trainable=False, name="step")
        rows = tf.nn.embedding_lookup(e, [0, 2, 2, 5])
        loss = tf.reduce_mean((tf.matmul(x, w) - y) ** 2) + tf.reduce_mean(
            (rows - 2.0) ** 2
        )
        optimizer = getattr(tf.train, name)(*args)
        train = optimizer.minimize(loss, global_step=step)
        names = [
            train.name,
            [v.name for v in tf.global_variables()],
            [v.name for v in optimizer.variables()],
            optimizer.get_slot_names(),
        ]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            feeds = {x: inputs, y: targets}
            losses = [session.run([loss, train], feeds)[0] for _ in range(5)]
            return [names, losses, session.run([w, e, step])]
