"""Learning rates that decay, moving averages, the global step."""

from __future__ import annotations

from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return rates and averages at some steps, and names."""
    with tf.Graph().as_default():
        step = tf.Variable(0, trainable=False, name="step", dtype=tf.int64)
        train = tf.train
        rates = [
            train.exponential_decay(0.1, step, 10, 0.5),
            train.exponential_decay(0.1, step, 10, 0.5, staircase=True),
            train.natural_exp_decay(0.1, step, 10, 0.5),
            train.inverse_time_decay(0.1, step, 10, 0.5),
            train.polynomial_decay(0.1, step, 20),
            train.polynomial_decay(0.1, step, 10, cycle=True, power=2.0),
            train.piecewise_constant(step, [10, 20], [1.0, 0.5, 0.1]),
            train.cosine_decay(0.1, step, 30),
            train.cosine_decay_restarts(0.1, step, 10),
            train.cosine_decay_restarts(0.1, step, 10, t_mul=1.0),
            train.linear_cosine_decay(0.1, step, 30),
        ]
        w = tf.Variable([1.0, 2.0], name="w")
        number = tf.placeholder(tf.int64, [])
        later, more = step.assign(number), w.assign_add([1.0, 1.0])
        averages = train.ExponentialMovingAverage(0.9, num_updates=step)
        update = averages.apply([w])
        counted = train.get_or_create_global_step()
        found: dict[str, Any] = {
            "names": [
                *[update.name, averages.average(w).name, counted.name],
                sorted(averages.variables_to_restore()),
                [v.name for v in tf.global_variables()],
            ]
        }
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for i in (0, 1, 7, 15, 25, 33):
                session.run(later, {number: i})
                session.run(more)
                session.run(update)
                values = session.run([*rates, averages.average(w)])
                found[str(i)] = [np.round(x, 6) for x in values]
        return found
