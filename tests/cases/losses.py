"""Cases of the losses."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.activations import sigmoid, softmax
from tests.cases.base import OpCase, any_shape, arrays


def cross_entropy(labels: Any, logits: Any, axis: int = -1) -> Any:
    return -np.sum(labels * np.log(softmax(logits, axis)), axis=axis)


CLASSES = np.array([[1, 0, 3], [2, 2, 1]])


def sparse(logits: Any) -> Any:
    logs = np.log(softmax(logits))
    return -np.take_along_axis(logs, CLASSES[..., None], -1)[..., 0]


def weighted(labels: Any, logits: Any) -> Any:
    return -(
        2 * labels * np.log(sigmoid(logits)) + (1 - labels) * np.log(sigmoid(-logits))
    )


CASES = (
    OpCase(
        "softmax_cross_entropy",
        tl.nn.softmax_cross_entropy,
        cross_entropy,
        arrays(*[(3, 4)] * 2),
    ),
    OpCase(
        "softmax_cross_entropy_axis",
        lambda y, x: tl.nn.softmax_cross_entropy(y, x, axis=1),
        lambda y, x: cross_entropy(y, x, 1),
        arrays((2, 4, 3), (2, 4, 3)),
        needs_rank=True,
    ),
    OpCase(
        "sparse_softmax_cross_entropy",
        lambda x: tl.nn.sparse_softmax_cross_entropy(CLASSES, x),
        sparse,
        arrays((2, 3, 4)),
    ),
    OpCase(
        "sigmoid_cross_entropy",
        tl.nn.sigmoid_cross_entropy,
        lambda y, x: -(y * np.log(sigmoid(x)) + (1 - y) * np.log(sigmoid(-x))),
        any_shape(operands=2),
        rtol=1e-4,
    ),
    OpCase(
        "weighted_sigmoid_cross_entropy",
        lambda y, x: tl.nn.weighted_sigmoid_cross_entropy(y, x, 2.0),
        weighted,
        any_shape(operands=2),
        rtol=1e-4,
    ),
    OpCase("l2_loss", tl.nn.l2_loss, lambda x: np.sum(x * x) / 2, any_shape()),
    OpCase(
        "mean_squared_error",
        tl.nn.mean_squared_error,
        lambda y, x: np.mean((x - y) ** 2),
        arrays((2, 3), (2, 3)),
    ),
    OpCase(
        "mean_absolute_error",
        lambda y, x: tl.nn.mean_absolute_error(y, x, axis=-1),
        lambda y, x: np.mean(np.abs(x - y), axis=-1),
        arrays((2, 3), (2, 3)),
    ),
    OpCase(
        "huber",
        lambda y, x: tl.nn.huber(y, x, 0.5),
        lambda y, x: np.where(
            np.abs(x - y) <= 0.5, 0.5 * (x - y) ** 2, 0.5 * (np.abs(x - y) - 0.25)
        ),
        arrays((20,), (20,)),
    ),
    OpCase(
        "moments",
        lambda x: tl.nn.moments(x, axis=(0, 2)),
        lambda x: (np.mean(x, axis=(0, 2)), np.var(x, axis=(0, 2))),
        arrays((2, 3, 4)),
    ),
    OpCase(
        "l2_normalize",
        lambda x: tl.nn.l2_normalize(x, axis=-1),
        lambda x: x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True)),
        arrays((2, 3), low=0.5),
    ),
)
