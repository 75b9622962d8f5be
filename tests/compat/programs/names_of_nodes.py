"""The nodes that small programs make: type and name of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

OF_VARIABLES = {
    "VariableV2": "VarHandleOp",
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
    "ReadVariableOp": "Identity",
    "ResourceGather": "GatherV2",
}
"""What stands for types that variables have as they are references or resources."""


def program(tf: Any) -> dict[str, list[str]]:
    """Return for each program the nodes that it makes."""
    return {key: nodes(tf, make) for key, make in programs(tf).items()}


def nodes(tf: Any, make: Callable[[], Any]) -> list[str]:
    """Return the nodes that a program makes, in the order of their names."""
    with tf.Graph().as_default() as graph:
        make()
    listed = [
        f"{op.name} {OF_VARIABLES.get(op.type, op.type).replace('Resource', '')}"
        for op in graph.get_operations()
    ]
    return sorted(listed)


def programs(tf: Any) -> dict[str, Callable[[], Any]]:
    """Return the programs."""
    two = "divide_no_nan floormod xlogy igamma igammac zeta polygamma atan2 add"
    one = "acos acosh asin asinh atan atanh cosh digamma erfc expm1 lgamma round sign tan"
    return {
        "dropout": lambda: tf.nn.dropout(
            rows(tf), tf.placeholder(tf.float32, name="keep")
        ),
        "dropout_of_a_rate": lambda: tf.nn.dropout(rows(tf), rate=0.5),
        "random": lambda: (tf.random_normal([2]), tf.random_uniform([2], 1, 3)),
        "saver": lambda: (tf.Variable([1.0]), tf.train.Saver()),
        "convolution": lambda: tf.nn.conv2d(
            tf.zeros([1, 4, 4, 2]), np.ones([3, 3, 2, 1], np.float32), [1] * 4, "SAME"
        ),
        **{
            f"gradient_of_{name}": differentiated(tf, getattr(tf.math, name))
            for name in two.split()
        },
        **{
            f"gradient_of_{name}": differentiated(tf, getattr(tf.math, name), 1)
            for name in one.split()
        },
        **{f"trained_by_{key}": make for key, make in trained(tf).items()},
        **{f"gradient_of_{key}": make for key, make in placed(tf).items()},
        **{f"beside_{key}": make for key, make in beside(tf).items()},
    }


def rows(tf: Any) -> Any:
    """Return a tensor that is fed."""
    return tf.placeholder(tf.float32, [4, 3], name="x")


def differentiated(
    tf: Any, function: Callable[[Any], Any], number: int = 2
) -> Callable[[], Any]:
    """Return a program that takes gradients of a function of some operands."""

    def made() -> Any:
        xs = [tf.placeholder(tf.float32, [4, 3], name=f"x{i}") for i in range(number)]
        return tf.gradients(function(*xs), xs)

    return made


def placed(tf: Any) -> dict[str, Callable[[], Any]]:
    """Return programs that take gradients of what moves, picks and reduces elements."""
    functions = {
        "top_k": lambda x: tf.nn.top_k(x, 2)[0],
        "strided_slice": lambda x: x[1:, ::2],
        "slice": lambda x: tf.slice(x, [0, 1], [2, 2]),
        "pad": lambda x: tf.pad(x, [[1, 1], [0, 0]]),
        "broadcast_to": lambda x: tf.broadcast_to(x, [2, 4, 3]),
        "segment_mean": lambda x: tf.segment_mean(x, [0, 0, 1, 1]),
        "segment_sum": lambda x: tf.segment_sum(x, [0, 0, 1, 1]),
        "unsorted_segment_sum": lambda x: tf.unsorted_segment_sum(x, [0, 1, 1, 0], 2),
        "dynamic_partition": lambda x: tf.dynamic_partition(x, [0, 1, 0, 1], 2)[0],
        "product": tf.reduce_prod,
        "pooling": lambda x: tf.nn.avg_pool(
            tf.reshape(x, [1, 2, 6, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"
        ),
        "norm": lambda x: tf.layers.batch_normalization(
            tf.reshape(x, [1, 2, 2, 3]), training=True
        ),
    }
    return {key: differentiated(tf, made, 1) for key, made in functions.items()}


def beside(tf: Any) -> dict[str, Callable[[], Any]]:
    """Return programs with rates, averages, sampled classes and images."""

    def decay(kind: str, **more: Any) -> Callable[[], Any]:
        def made() -> Any:
            step = tf.train.get_or_create_global_step()
            return getattr(tf.train, kind)(0.1, step, 100, **more)

        return made

    def averaged() -> Any:
        mean = tf.reduce_mean(rows(tf), name="loss")
        return tf.train.ExponentialMovingAverage(0.9, zero_debias=True).apply([mean])

    def sampled() -> Any:
        w, b = tf.Variable(tf.ones([9, 3])), tf.Variable(tf.zeros([9]))
        labels = tf.placeholder(tf.int32, [4, 1])
        loss = tf.nn.nce_loss(w, b, labels, rows(tf), 4, 9)
        return tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_mean(loss))

    def resized() -> Any:
        images = tf.placeholder(tf.float32, [2, 4, 4, 1])
        made = tf.image.resize_images(images, [3, 3])
        tf.image.resize_nearest_neighbor(images, [3, 3])
        return tf.gradients(made, images)

    def unknown() -> Any:
        x = tf.placeholder(tf.float32, name="x")
        return tf.gradients(tf.reduce_sum(x), x), tf.reduce_max(x)

    def truths() -> Any:
        x, y = (tf.placeholder(tf.bool, [3]) for _ in range(2))
        return x & y, x | ~y, tf.add_n([rows(tf)], name="total")

    def apart() -> Any:
        images = tf.placeholder(tf.float32, [2, 8, 8, 3])
        tf.nn.depthwise_conv2d(images, tf.ones([3, 3, 3, 1]), [1] * 4, "SAME")
        return tf.layers.separable_conv2d(images, 4, 3)

    return {
        "unknown": unknown,
        "truths": truths,
        "apart": apart,
        "exponential": decay("exponential_decay", decay_rate=0.9, staircase=True),
        "inverse": decay("inverse_time_decay", decay_rate=0.9),
        "natural": decay("natural_exp_decay", decay_rate=0.9),
        "averaged": averaged,
        "sampled": sampled,
        "resized": resized,
    }


def trained(tf: Any) -> dict[str, Callable[[], Any]]:
    """Return programs that train by each optimizer."""
    own = tf.train
    optimizers = {
        "sgd": lambda: own.GradientDescentOptimizer(0.1),
        "adam": own.AdamOptimizer,
        "rms": lambda: own.RMSPropOptimizer(0.1, centered=True),
        "momentum": lambda: own.MomentumOptimizer(0.1, 0.9),
        "adagrad": lambda: own.AdagradOptimizer(0.1),
        "adadelta": lambda: own.AdadeltaOptimizer(0.1),
        "ftrl": lambda: own.FtrlOptimizer(0.1),
        "proximal": lambda: own.ProximalAdagradOptimizer(0.1),
    }

    def step(make: Callable[[], Any]) -> Any:
        w = tf.Variable(np.ones([5, 2], np.float32), name="w")
        b = tf.get_variable("b", [2])
        rows = tf.placeholder(tf.float32, [None, 5], name="rows")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.matmul(rows, w) + b)
        return make().minimize(loss, tf.train.get_or_create_global_step())

    def sparse(make: Callable[[], Any]) -> Any:
        w = tf.Variable(np.ones([5, 2], np.float32), name="w")
        picked = tf.nn.embedding_lookup(w, tf.placeholder(tf.int32, [None]))
        return make().minimize(tf.reduce_sum(picked * picked))

    dense = {key: lambda make=make: step(make) for key, make in optimizers.items()}
    rows = {
        f"{key}_of_rows": lambda make=make: sparse(make)
        for key, make in optimizers.items()
        if key != "adam"
    }
    return {**dense, **rows}
