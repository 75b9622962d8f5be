"""The model of TensorFlow 1's first tutorials: two hidden layers, loss, training, evaluation."""

from __future__ import annotations

import math
from typing import Any

from tensorlite.compat import v1

tf: Any = v1

__all__ = [
    "IMAGE_PIXELS",
    "IMAGE_SIZE",
    "NUM_CLASSES",
    "evaluation",
    "inference",
    "loss",
    "training",
]

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    with tf.name_scope("hidden1"):
        first = tf.nn.relu(_affine(images, IMAGE_PIXELS, hidden1_units))
    with tf.name_scope("hidden2"):
        second = tf.nn.relu(_affine(first, hidden1_units, hidden2_units))
    with tf.name_scope("softmax_linear"):
        return _affine(second, hidden2_units, NUM_CLASSES)


def _affine(x: Any, size: int, units: int) -> Any:
    deviation = 1.0 / math.sqrt(float(size))
    weights = tf.Variable(
        tf.truncated_normal([size, units], stddev=deviation), name="weights"
    )
    biases = tf.Variable(tf.zeros([units]), name="biases")
    return tf.matmul(x, weights) + biases


def loss(logits: Any, labels: Any) -> Any:
    labels = tf.cast(labels, tf.int64)
    return tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)


def training(loss: Any, learning_rate: float) -> Any:
    tf.summary.scalar("loss", loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    correct = tf.nn.in_top_k(logits, labels, 1)
    return tf.reduce_sum(tf.cast(correct, tf.int32))
