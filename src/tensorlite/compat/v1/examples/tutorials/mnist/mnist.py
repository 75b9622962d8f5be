"""The model of TensorFlow 1's first tutorials: two hidden layers, loss, training, evaluation."""

from __future__ import annotations

import math
from typing import Any

from tensorlite.compat.shared.arrays import zeros
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import in_top_k, relu
from tensorlite.compat.shared.randoms.random import truncated_normal
from tensorlite.compat.v1 import losses, summary
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs.framework import name_scope
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v1.training.optimizer_classes import GradientDescentOptimizer
from tensorlite.core.dtypes import int32, int64

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
    """Return the logits, [batch, 10], of a network with two hidden layers."""
    with name_scope("hidden1"):
        first = relu(_affine(images, IMAGE_PIXELS, hidden1_units))
    with name_scope("hidden2"):
        second = relu(_affine(first, hidden1_units, hidden2_units))
    with name_scope("softmax_linear"):
        return _affine(second, hidden2_units, NUM_CLASSES)


def _affine(x: Any, size: int, units: int) -> Any:
    deviation = 1.0 / math.sqrt(float(size))
    weights = Variable(
        truncated_normal([size, units], stddev=deviation), name="weights"
    )
    biases = Variable(zeros([units]), name="biases")
    return matmul(x, weights) + biases


def loss(logits: Any, labels: Any) -> Any:
    """Return the mean softmax cross entropy of logits and classes' numbers."""
    labels = cast(labels, int64)
    return losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)


def training(loss: Any, learning_rate: float) -> Any:
    """Return an operator that takes a step of gradient descent and counts it."""
    summary.scalar("loss", loss)
    optimizer = GradientDescentOptimizer(learning_rate)
    global_step = Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """Return how many rows have the largest logit at their label, an int32 scalar."""
    correct = in_top_k(predictions=logits, targets=labels, k=1)
    return reduce_sum(cast(correct, int32))
