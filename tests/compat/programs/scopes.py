"""Names of variables and operators in scopes of all kinds, and what collections hold."""

from __future__ import annotations

from typing import Any


def program(tf: Any) -> dict[str, Any]:
    """Return names and values."""
    with tf.Graph().as_default():
        return _program(tf)


def _program(tf: Any) -> dict[str, Any]:
    ones = tf.constant_initializer(1.0)
    with tf.variable_scope("a", initializer=ones) as a:
        first = tf.get_variable("w", [2])
        with tf.variable_scope("b"):
            tf.get_variable("w", [3], regularizer=tf.reduce_sum)
        tf.Variable(0.0, name="plain")
        sum_ = first + 1.0
    with tf.variable_scope(a, reuse=True):
        again = tf.get_variable("w", [2])
        product = again * 2.0
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
        tf.get_variable("w", [2])
        tf.get_variable("new", [1], initializer=ones)
    for _ in range(2):
        with tf.variable_scope(None, default_name="block"):
            tf.get_variable("v", [], initializer=ones)
        with tf.name_scope("names"):
            tf.Variable(1.0, name="inner")
            tf.get_variable(f"outer{_}", [], initializer=ones)
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
        whole = tf.get_variable("p", [4, 2], initializer=ones)
    taken = _getter(tf, ones)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([sum_, product, tf.convert_to_tensor(whole), taken])
    return {
        "same": again is first,
        "variables": [v.name for v in tf.global_variables()],
        "trainable": [v.name for v in tf.trainable_variables("a/")],
        "losses": [x.name for x in tf.get_collection("regularization_losses")],
        "operators": [sum_.name, product.name, tf.no_op().name, tf.no_op().name],
        "scopes": [a.name, a.original_name_scope, tf.get_variable_scope().name],
        "values": values,
    }


def _getter(tf: Any, ones: Any) -> Any:
    """Return a variable that a custom getter changes."""

    def doubled(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        return getter(name, *args, **kwargs) * 2.0

    with tf.variable_scope("asked", custom_getter=doubled):
        return tf.identity(tf.get_variable("w", [2], initializer=ones), name="taken")
