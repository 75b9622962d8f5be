"""Every initializer, by a seed: names of nodes, values and what describes it."""

from __future__ import annotations

from typing import Any


def program(tf: Any) -> dict[str, Any]:
    """Return the name of the first value's node, values and description of each."""
    known = tf.initializers
    made = {
        "zeros": known.zeros(),
        "ones": known.ones(),
        "constant": known.constant(3.0),
        "filled": known.constant([1.0, 2.0, 3.0]),
        "uniform": known.random_uniform(-1, 1, seed=3),
        "normal": known.random_normal(0, 2.0, seed=3),
        "truncated": known.truncated_normal(stddev=0.1, seed=3),
        "unit": known.uniform_unit_scaling(seed=3),
        "scaled": known.variance_scaling(seed=3),
        "scaled_uniform": known.variance_scaling(1.0, "fan_avg", "uniform", seed=3),
        "scaled_untruncated": known.variance_scaling(
            2.0, "fan_out", "untruncated_normal", seed=3
        ),
        "orthogonal": known.orthogonal(2.0, seed=3),
        "identity": known.identity(2.0),
        "glorot_uniform": known.glorot_uniform(seed=3),
        "glorot_normal": known.glorot_normal(seed=3),
        "he_normal": known.he_normal(seed=3),
        "he_uniform": known.he_uniform(seed=3),
        "lecun_normal": known.lecun_normal(seed=3),
        "lecun_uniform": known.lecun_uniform(seed=3),
    }
    found = {name: values(tf, x) for name, x in made.items()}
    found["wide"] = values(tf, known.orthogonal(seed=3), (2, 5))
    found["kernel"] = values(tf, known.he_normal(seed=3), (3, 3, 2, 4))
    found["none"] = defaults(tf)
    return found


def values(tf: Any, initializer: Any, shape: Any = (4, 3)) -> list[Any]:
    """Return what one initializer makes of a shape."""
    with tf.Graph().as_default():
        w = tf.get_variable("w", shape, initializer=initializer)
        with tf.Session() as session:
            session.run(w.initializer)
            return [
                w.initial_value.name,
                session.run(w),
                initializer.get_config(),
                type(initializer).from_config(initializer.get_config()).get_config(),
            ]


def defaults(tf: Any) -> list[Any]:
    """Return how variables begin that say nothing of it."""
    with tf.Graph().as_default():
        made = [
            tf.get_variable("f", [2, 3]),
            tf.get_variable("i", [2], tf.int32),
            tf.Variable(lambda: tf.ones([2]), name="v"),
        ]
        with tf.variable_scope("s", initializer=tf.ones_initializer()):
            made.append(tf.get_variable("o", [2]))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [[v.initial_value.name for v in made], session.run(made[1:])]
