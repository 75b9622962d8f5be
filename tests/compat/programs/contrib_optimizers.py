"""Optimizers of tf.contrib.opt: three steps with a dense and a sparse gradient."""

from __future__ import annotations

from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return values and names of variables behind each training."""
    own = tf.contrib.opt
    makers = {
        "lazy": lambda: own.LazyAdamOptimizer(0.1),
        "adamax": lambda: own.AdaMaxOptimizer(0.1),
    }
    dense = {
        "nadam": lambda: own.NadamOptimizer(0.1),
        "adamw": lambda: own.AdamWOptimizer(0.01, 0.1),
        "add_sign": lambda: own.AddSignOptimizer(0.1),
        "power_sign": lambda: own.PowerSignOptimizer(0.1),
    }
    found = {
        f"{key}_rows": trained(tf, make, rows=True) for key, make in makers.items()
    }
    for key, make in {**makers, **dense}.items():
        found[key] = trained(tf, make, rows=False)
    return found


def trained(tf: Any, make: Any, rows: bool) -> list[Any]:
    """Return what three steps of one optimizer make."""
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable(
            "w", initializer=np.arange(6, dtype="f").reshape(3, 2) + 1
        )
        x = tf.nn.embedding_lookup(w, [0, 2, 2]) if rows else w
        step = tf.train.get_or_create_global_step()
        train = make().minimize(tf.reduce_sum(tf.square(x)), global_step=step)
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        return [sorted(v.name for v in tf.global_variables()), session.run([w, step])]
