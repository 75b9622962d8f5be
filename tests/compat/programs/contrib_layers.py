"""Layers of tf.contrib.layers: names, collections, values, gradients and updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return what each layer does."""
    made = {**weighted(tf), **others(tf)}
    found = {key: done(tf, make, shape) for key, (make, shape) in made.items()}
    for key, (make, shape) in unnamed(tf).items():
        found[key] = done(tf, make, shape, names=False)
    found["words"] = words(tf)
    found["penalties"] = penalties(tf)
    found["values"] = values(tf)
    found["optimized"] = [
        optimized(tf, "SGD", 1.0),
        optimized(tf, tf.train.AdamOptimizer, None),
    ]
    return found


def weighted(tf: Any) -> dict[str, Any]:
    """Return layers that have weights, and the shapes of their inputs."""
    own = tf.contrib.layers
    l2, norm = own.l2_regularizer(0.1), own.batch_norm
    collected = {
        "variables_collections": {"weights": ["w"], "biases": ["b"]},
        "outputs_collections": "o",
    }
    normal = {
        "normalizer_fn": norm,
        "normalizer_params": {"decay": 0.9, "scale": True},
    }
    return {
        "dense": (lambda x: own.fully_connected(x, 4), (3, 5)),
        "collected": (lambda x: own.fully_connected(x, 4, **collected), (3, 2, 5)),
        "unbiased": (
            lambda x: own.fully_connected(x, 4, biases_initializer=None),
            (3, 5),
        ),
        "regular": (
            lambda x: own.linear(
                x,
                4,
                weights_regularizer=l2,
                biases_regularizer=own.l1_regularizer(0.2),
            ),
            (3, 5),
        ),
        "reused": (lambda x: shared(own, x), (3, 5)),
        "conv1d": (lambda x: own.conv1d(x, 4, 3), (2, 6, 3)),
        "conv2d": (lambda x: own.conv2d(x, 4, 3), (2, 6, 6, 3)),
        "conv3d": (lambda x: own.conv3d(x, 4, [2, 2, 2], 2), (2, 4, 4, 4, 3)),
        "normal": (
            lambda x: own.conv2d(
                x, 4, 3, 2, "VALID", weights_regularizer=l2, **normal
            ),
            (2, 6, 6, 3),
        ),
        "back": (lambda x: own.conv2d_transpose(x, 4, 3, 2), (2, 4, 4, 3)),
        "separable": (lambda x: own.separable_conv2d(x, 4, 3, 2), (2, 6, 6, 3)),
        "depthwise": (lambda x: own.separable_conv2d(x, None, 3, 2), (2, 6, 6, 3)),
    }


def others(tf: Any) -> dict[str, Any]:
    """Return layers of other kinds, and the shapes of their inputs."""
    own, relu, norm = tf.contrib.layers, tf.nn.relu, tf.contrib.layers.batch_norm
    return {
        "largest": (lambda x: own.max_pool2d(x, 2), (2, 6, 6, 3)),
        "mean": (lambda x: own.avg_pool2d(x, [2, 2], 2, scope="z"), (2, 6, 6, 3)),
        "flat": (own.flatten, (2, 6, 6, 3)),
        "kept": (lambda x: own.dropout(x, is_training=False), (2, 6)),
        "layer_norm": (own.layer_norm, (3, 5)),
        "last_norm": (lambda x: own.layer_norm(x, begin_norm_axis=-1), (3, 2, 5)),
        "inference": (lambda x: norm(x, is_training=False), (5, 2, 2, 3)),
        "biased": (lambda x: own.bias_add(x, relu), (3, 5)),
        "repeated": (
            lambda x: own.repeat(x, 2, own.conv2d, 4, 3, scope="c"),
            (2, 6, 6, 3),
        ),
        "stacked": (lambda x: own.stack(x, own.fully_connected, [4, 3, 2]), (2, 6)),
        "unit": (lambda x: own.unit_norm(x, 1), (3, 5)),
        "most": (lambda x: own.maxout(x, 2), (3, 6)),
        "scopes": (lambda x: arguments(tf, x), (2, 8, 8, 2)),
    }


def unnamed(tf: Any) -> dict[str, Any]:
    """Return layers whose nodes are named otherwise here, and the shapes of their inputs."""
    own, norm = tf.contrib.layers, tf.contrib.layers.batch_norm
    return {
        "at_once": (lambda x: norm(x, 0.9, updates_collections=None), (5, 3)),
        "at_once4d": (
            lambda x: norm(x, 0.9, updates_collections=None, scale=True),
            (5, 2, 2, 3),
        ),
        "weighted": (
            lambda x: norm(x, 0.9, batch_weights=tf.constant([1.0, 0, 2, 1, 1])),
            (5, 3),
        ),
        "rows": (lambda x: norm(x, 0.9), (5, 3)),
        "channels": (
            lambda x: norm(x, 0.9, data_format="NCHW", fused=False),
            (5, 3, 2, 2),
        ),
        "softmax": (own.softmax, (3, 2, 5)),
        "places": (own.spatial_softmax, (2, 4, 5, 3)),
        "fed": (
            lambda x: norm(x, 0.9, is_training=tf.placeholder_with_default(True, [])),
            (5, 2, 2, 3),
        ),
        "fed_not": (
            lambda x: norm(
                x,
                0.9,
                is_training=tf.placeholder_with_default(False, []),
                updates_collections=None,
            ),
            (5, 3),
        ),
    }


def shared(own: Any, x: Any) -> Any:
    """Return the sum of two layers that are one."""
    first = own.fully_connected(x, 5, scope="d")
    return first + own.fully_connected(x, 5, scope="d", reuse=True)


def arguments(tf: Any, x: Any) -> Any:
    """Return layers whose arguments scopes give."""
    own, scope = tf.contrib.layers, tf.contrib.framework.arg_scope
    with scope(
        [own.conv2d, own.fully_connected],
        activation_fn=tf.nn.tanh,
        weights_regularizer=own.l2_regularizer(0.01),
    ):
        with scope([own.conv2d], padding="VALID") as inner:
            y = own.conv2d(x, 3, 3, scope="c1")
        with scope(inner):
            y = own.conv2d(y, 2, 3, scope="c2")
        return own.fully_connected(own.flatten(y), 2)


def done(
    tf: Any, make: Callable[[Any], Any], shape: tuple[int, ...], names: bool = True
) -> list[Any]:
    """Return what one layer makes of random inputs, and of itself."""
    rng = np.random.RandomState(0)
    inputs = rng.randn(*shape).astype("f")
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [shape[0], *shape[1:]])
        y = make(x)
        trained = tf.trainable_variables()
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        regular = tf.losses.get_regularization_losses()
        asked = [y, list(tf.gradients(y, [*trained, x])), regular]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for v in trained:
                v.load(np.float32(rng.randn(*v.shape.as_list())), session)
            session.run(updates, {x: inputs})
            out, gradients, losses = session.run(asked, {x: inputs})
            session.run(updates, {x: inputs})
            kept = [session.run(v) for v in tf.global_variables() if v not in trained]
        return [
            [y.name, [x.name for x in updates]] if names else [],
            [x.name for x in regular],
            [[x.name for x in graph.get_collection(key)] for key in "wbo"]
            if names
            else [],
            y.shape.as_list(),
            [[v.name, v.shape.as_list()] for v in tf.global_variables()],
            [[v.name for v in trained], [v.name for v in tf.model_variables()]],
            [list(out.shape), out.ravel()[:8], float(np.abs(out).sum())],
            [float(np.abs(g).sum()) for g in gradients],
            kept,
            [float(v) for v in losses],
        ]


def words(tf: Any) -> list[Any]:
    """Return embeddings of words."""
    own = tf.contrib.layers
    rows = tf.constant_initializer(np.arange(15).reshape(5, 3))
    with tf.Graph().as_default():
        ids = tf.constant([[1, 2], [2, 3]])
        made = [
            own.embed_sequence(ids, 5, 3, initializer=rows),
            own.embed_sequence(ids, 5, 3, unique=True, initializer=rows),
            own.bow_encoder(ids, 5, 3, sparse_lookup=False, initializer=rows),
            own.one_hot_encoding(tf.constant([0, 2]), 3),
        ]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [[v.name for v in tf.global_variables()], session.run(made)]


def penalties(tf: Any) -> list[Any]:
    """Return sums of regularizers over weights."""
    own = tf.contrib.layers
    with tf.Graph().as_default(), tf.Session() as session:
        own.fully_connected(
            tf.ones([2, 3]),
            3,
            scope="a",
            weights_initializer=tf.ones_initializer(),
            variables_collections=[tf.GraphKeys.WEIGHTS],
        )
        both = own.sum_regularizer([own.l1_regularizer(0.1), own.l2_regularizer(0.2)])
        made = [
            own.apply_regularization(both),
            own.apply_regularization(own.l1_l2_regularizer(0.1, 0.2)),
        ]
        session.run(tf.global_variables_initializer())
        return [[x.name for x in made], [float(x) for x in session.run(made)]]


def values(tf: Any) -> list[Any]:
    """Return what initializers draw by seeds."""
    own = tf.contrib.layers
    makers = [
        own.xavier_initializer(seed=1),
        own.xavier_initializer(uniform=False, seed=1),
        own.variance_scaling_initializer(seed=1),
        own.variance_scaling_initializer(1.0, "FAN_OUT", True, seed=1),
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        made = [
            tf.get_variable(f"w{i}", [3, 3, 2, 4], initializer=x)
            for i, x in enumerate(makers)
        ]
        session.run(tf.global_variables_initializer())
        return [x.ravel()[:8] for x in session.run(made)]


def optimized(tf: Any, kind: Any, clip: Any) -> list[Any]:
    """Return losses and names of a training by optimize_loss."""
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.contrib.layers.linear(
            tf.constant(rng.randn(4, 3).astype("f")),
            2,
            weights_initializer=tf.ones_initializer(),
        )
        step = tf.train.get_or_create_global_step()
        train = tf.contrib.layers.optimize_loss(
            tf.reduce_mean(tf.square(y - 1.0)),
            step,
            0.1,
            kind,
            clip_gradients=clip,
            learning_rate_decay_fn=lambda rate, n: tf.train.exponential_decay(
                rate, n, 1, 0.5
            ),
            summaries=["loss", "gradients", "gradient_norm", "global_gradient_norm"],
        )
        session.run(tf.global_variables_initializer())
        losses = [float(session.run(train)) for _ in range(3)]
        return [
            train.name,
            [v.name for v in tf.global_variables()],
            [x.name for x in tf.get_collection(tf.GraphKeys.SUMMARIES)],
            [*losses, int(session.run(step))],
        ]
