"""A program of slim: a network, its training, its evaluation, its weights read again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

RNG = np.random.RandomState(0)
INPUTS = RNG.randn(32, 8, 8, 1).astype("f")
CLASSES = (INPUTS.mean((1, 2, 3)) > 0).astype("i")


def program(tf: Any) -> dict[str, Any]:
    """Return what each part of it finds."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, Any] = {"trained": trained(tf, folder)}
        path = tf.train.latest_checkpoint(folder)
        found["name"] = Path(path).name
        found["evaluated"] = evaluated(tf, path)
        found["restored"] = restored(tf, path)
    found["monitored"] = monitored(tf)
    return found


def network(tf: Any, training: bool) -> Any:
    """Return the scores of classes."""
    slim = tf.contrib.slim
    arguments = {
        "weights_regularizer": slim.l2_regularizer(1e-3),
        "weights_initializer": slim.xavier_initializer(seed=1),
    }
    with slim.arg_scope([slim.batch_norm], is_training=training, decay=0.9):  # noqa: SIM117  # Python 3.7, too
        with slim.arg_scope([slim.conv2d, slim.fully_connected], **arguments):
            y = slim.repeat(
                tf.constant(INPUTS),
                2,
                slim.conv2d,
                4,
                [3, 3],
                scope="c",
                normalizer_fn=slim.batch_norm,
            )
            y = slim.flatten(slim.max_pool2d(y, [2, 2], scope="pool"))
            return slim.fully_connected(y, 2, activation_fn=None, scope="scores")


def trained(tf: Any, folder: str) -> list[Any]:
    """Return names of variables, and the loss behind five steps."""
    slim = tf.contrib.slim
    with tf.Graph().as_default():
        hot = slim.one_hot_encoding(tf.constant(CLASSES), 2)
        slim.losses.softmax_cross_entropy(network(tf, True), hot)
        train = slim.learning.create_train_op(
            slim.losses.get_total_loss(),
            tf.train.GradientDescentOptimizer(0.1),
            clip_gradient_norm=5.0,
            gradient_multipliers={"scores/biases": 2.0},
        )
        names = [
            train.name,
            [v.name for v in slim.get_model_variables()],
            [v.name for v in slim.get_variables_to_restore(exclude=["scores"])],
            [v.name for v in slim.get_variables_by_suffix("weights")],
            [v.name for v in slim.get_trainable_variables("c/.*_1")],
            list(slim.model_analyzer.analyze_vars(tf.trainable_variables())),
        ]
        loss = slim.learning.train(
            train, folder, number_of_steps=5, log_every_n_steps=0
        )
        return [names, float(loss)]


def evaluated(tf: Any, path: str) -> dict[str, float]:
    """Return metrics of a checkpoint."""
    slim = tf.contrib.slim
    with tf.Graph().as_default():
        scores = network(tf, False)
        tf.train.get_or_create_global_step()
        classes = tf.constant(CLASSES, tf.int64)
        values, updates = slim.metrics.aggregate_metric_map(
            {
                "accuracy": slim.metrics.streaming_accuracy(
                    tf.argmax(scores, 1), classes
                ),
                "error": slim.metrics.streaming_mean_squared_error(
                    scores, tf.zeros_like(scores)
                ),
            }
        )
        found = slim.evaluation.evaluate_once(
            "",
            path,
            None,
            num_evals=3,
            eval_op=list(updates.values()),
            final_op=values,
        )
        return {key: float(x) for key, x in found.items()}


def restored(tf: Any, path: str) -> float:
    """Return a sum over scores of a network that has its weights of a checkpoint."""
    slim = tf.contrib.slim
    with tf.Graph().as_default(), tf.Session() as session:
        scores = network(tf, False)
        fill = slim.assign_from_checkpoint_fn(path, slim.get_model_variables("c"))
        assign, feeds = slim.assign_from_checkpoint(
            path, slim.get_model_variables("scores")
        )
        session.run(tf.global_variables_initializer())
        fill(session)
        session.run(assign, feeds)
        return float(np.abs(session.run(scores)).sum())


def monitored(tf: Any) -> bool:
    """Return whether four steps of tf.contrib.training make a loss small.

    TensorFlow's own number is now that before the last step, now that behind it.
    """
    with tf.Graph().as_default():
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(3.0))
        train = tf.contrib.training.create_train_op(
            tf.square(w), tf.train.GradientDescentOptimizer(0.1)
        )
        last = tf.train.StopAtStepHook(4)
        loss = tf.contrib.training.train(
            train,
            None,
            hooks=[last],
            save_checkpoint_secs=None,
            save_summaries_steps=None,
        )
        return bool(1.0 < loss < 3.0)
