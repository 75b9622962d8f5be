"""Every layer of tf.layers: names, shapes, values, gradients and updates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return what each layer does."""
    layers = tf.layers
    made = {**weighted(tf), **others(tf)}
    for kind, name in (("max", "largest"), ("average", "mean")):
        one, two, three = [getattr(layers, f"{kind}_pooling{i}d") for i in (1, 2, 3)]
        made[f"{name}1"] = (lambda x, f=one: f(x, 2, 2), (2, 6, 3))
        made[f"{name}2"] = (lambda x, f=two: f(x, 2, 2, "same"), (2, 7, 7, 3))
        made[f"{name}3"] = (lambda x, f=three: f(x, 2, 2), (2, 4, 4, 4, 3))
    found = {key: done(tf, make, shape) for key, (make, shape) in made.items()}
    for value in (True, False):
        found[f"fed_{value}"] = done(
            tf,
            partial(fed_norm, tf, value),
            (3, 2, 2, 3),
            names=False,
        )
    return found


def weighted(tf: Any) -> dict[str, Any]:
    """Return layers that have a kernel, and the shapes of their inputs."""
    layers, relu = tf.layers, tf.nn.relu
    return {
        "dense": (lambda x: layers.dense(x, 4, relu), (3, 5)),
        "two": (lambda x: layers.dense(layers.dense(x, 4), 2, name="out"), (3, 5)),
        "deep": (lambda x: layers.dense(x, 4, use_bias=False), (3, 2, 5)),
        "regularized": (
            lambda x: layers.dense(x, 4, kernel_regularizer=tf.nn.l2_loss),
            (3, 5),
        ),
        "reused": (lambda x: reused(tf, x), (3, 5)),
        "scoped": (lambda x: scoped(tf, x), (2, 5)),
        "object": (lambda x: twice(layers.Dense(5), x), (3, 5)),
        "conv1d": (lambda x: layers.conv1d(x, 4, 3, padding="same"), (2, 7, 3)),
        "conv2d": (
            lambda x: layers.conv2d(x, 4, 3, 2, "same", activation=relu),
            (2, 7, 7, 3),
        ),
        "dilated": (lambda x: layers.conv2d(x, 4, 3, dilation_rate=2), (2, 9, 9, 3)),
        "conv3d": (lambda x: layers.conv3d(x, 4, 2), (2, 4, 4, 4, 3)),
        "back": (lambda x: layers.conv2d_transpose(x, 4, 3, 2, "same"), (2, 4, 4, 3)),
        "back_valid": (
            lambda x: layers.conv2d_transpose(x, 4, (5, 3), (2, 1)),
            (2, 4, 4, 3),
        ),
        "back3d": (lambda x: layers.conv3d_transpose(x, 2, 3, 2), (1, 3, 3, 3, 2)),
        "separable": (
            lambda x: layers.separable_conv2d(x, 4, 3, depth_multiplier=2),
            (2, 6, 6, 3),
        ),
        "separable1d": (lambda x: layers.separable_conv1d(x, 4, 3), (2, 6, 3)),
    }


def others(tf: Any) -> dict[str, Any]:
    """Return layers without a kernel, and the shapes of their inputs."""
    layers = tf.layers
    training = {"training": True, "momentum": 0.9}
    return {
        "flatten": (layers.flatten, (2, 4, 4, 3)),
        "kept": (layers.dropout, (2, 6)),
        "norm": (lambda x: layers.batch_normalization(x, **training), (6, 3)),
        "norm4d": (lambda x: layers.batch_normalization(x, **training), (3, 2, 2, 3)),
        "plain": (
            lambda x: layers.batch_normalization(x, fused=False, **training),
            (3, 2, 2, 3),
        ),
        "inference": (layers.batch_normalization, (3, 2, 2, 3)),
        "channels": (
            lambda x: layers.batch_normalization(
                x, 1, fused=False, scale=False, **training
            ),
            (3, 3, 2, 2),
        ),
    }


def fed_norm(tf: Any, value: bool, x: Any) -> Any:
    """Return a norm that is told when the graph runs whether it is training."""
    training = tf.placeholder_with_default(value, [])
    return tf.layers.batch_normalization(x, training=training)


def reused(tf: Any, x: Any) -> Any:
    """Return the sum of two layers that are one."""
    first = tf.layers.dense(x, 5, name="d")
    return first + tf.layers.dense(x, 5, name="d", reuse=True)


def scoped(tf: Any, x: Any) -> Any:
    """Return layers in scopes, some of which are entered twice."""
    for scope in ("a", "b", "a"):
        with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
            x = tf.layers.dense(x, 5)
    with tf.name_scope("n"):
        return tf.layers.dense(x, 5)


def twice(layer: Any, x: Any) -> Any:
    """Return a layer's outputs for its own outputs."""
    return layer(layer(x))


def done(
    tf: Any, make: Callable[[Any], Any], shape: tuple[int, ...], names: bool = True
) -> list[Any]:
    """Return what one layer makes of random inputs, and of itself."""
    rng = np.random.RandomState(0)
    inputs = rng.randn(*shape).astype("f")
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, *shape[1:]])
        y = make(x)
        trained = tf.trainable_variables()
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        regular = tf.losses.get_regularization_losses()
        asked = [y, list(tf.gradients(y, [*trained, x])), regular]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for v in trained:
                v.load(rng.randn(*v.shape.as_list()).astype("f"), session)
            session.run(updates, {x: inputs})
            out, gradients, losses = session.run(asked, {x: inputs})
            session.run(updates, {x: inputs})
            kept = [session.run(v) for v in tf.global_variables() if v not in trained]
        return [
            y.name if names else "",
            [x.name for x in updates] if names else [],
            [x.name for x in regular],
            y.shape.as_list(),
            [[v.name, v.shape.as_list()] for v in tf.global_variables()],
            [v.name for v in trained],
            [list(out.shape), out.ravel()[:8], float(np.abs(out).sum())],
            [float(np.abs(g).sum()) for g in gradients],
            kept,
            [float(v) for v in losses],
        ]
