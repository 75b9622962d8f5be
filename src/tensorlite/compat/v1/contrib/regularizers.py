"""Regularizers and initializers of tf.contrib.layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

from tensorlite.compat.shared import elementwise, nn as shared_nn
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.functions import init_ops, numbers
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import as_dtype, float32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope
from tensorlite.graph_mode.keys import GraphKeys

Regularizer = Callable[[Any], Any]


def _scaled(
    scale: Any, scope: str | None, default: str, size: Regularizer
) -> Regularizer:
    """Return a regularizer that is a number times the size of weights."""
    if isinstance(scale, Integral):
        raise InvalidArgumentError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, Real):
        if scale < 0.0:
            raise InvalidArgumentError(
                f"Setting a scale less than 0 on a regularizer: {scale}."
            )
        if scale == 0.0:
            return lambda _: None

    def regularizer(weights: Any) -> Any:
        with name_scope(scope, default) as prefix:
            by = framework.convert_to_tensor(scale, weights.dtype, name="scale")
            return elementwise.multiply(by, size(weights), name=prefix)

    return regularizer


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """Return a function of weights: scale times the sum of absolute values."""

    def size(weights: Any) -> Any:
        return numbers.reduce_sum(elementwise.abs(weights))

    return _scaled(scale, scope, "l1_regularizer", size)


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """Return a function of weights: scale times half the sum of squares.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     float(session.run(tf.contrib.layers.l2_regularizer(0.5)(tf.constant([2.0, 4.0]))))
    5.0
    """
    return _scaled(scale, scope, "l2_regularizer", shared_nn.l2_loss)


def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer | None:
    """Return a function of weights: sums of absolute values and half squares, each scaled.

    An integer as scale raises InvalidArgumentError.
    """
    for name, scale in {"scale_l1": scale_l1, "scale_l2": scale_l2}.items():
        if isinstance(scale, Integral):
            raise InvalidArgumentError(f"{name} cannot be an integer: {scale}")
    chosen = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, chosen)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, chosen)
    both = [l1_regularizer(scale_l1), l2_regularizer(scale_l2)]
    return sum_regularizer(both, chosen)


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer | None:
    """Return a function of weights: the sum of several such functions, None if there are none."""
    given = [x for x in regularizer_list if x is not None]
    if not given:
        return None

    def regularizer(weights: Any) -> Any:
        with name_scope(scope, "sum_regularizer") as prefix:
            parts = [part for one in given if (part := one(weights)) is not None]
            return elementwise.add_n(parts, name=prefix) if parts else None

    return regularizer


def apply_regularization(
    regularizer: Regularizer, weights_list: Sequence[Any] | None = None
) -> Any:
    """Return the sum of the regularizer over the weights, added to REGULARIZATION_LOSSES.

    weights_list is the collection WEIGHTS if None; no weights at all, and results with axes, raise
    InvalidArgumentError.
    """
    weights = weights_list or scopes.get_collection(GraphKeys.WEIGHTS)
    if not weights:
        raise InvalidArgumentError("No weights to regularize.")
    with name_scope("get_regularization_penalty") as prefix:
        found = [regularizer(x) for x in weights]
        penalties = [framework.constant(0.0) if x is None else x for x in found]
        for penalty in penalties:
            if penalty.get_shape().rank != 0:
                raise InvalidArgumentError(
                    "regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{penalty.get_shape().rank}."
                )
        total = elementwise.add_n(penalties, name=prefix)
        scopes.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = float32
) -> Callable[..., Any]:
    """Return an initializer: uniform in +-sqrt(6 / (fan_in + fan_out)), or so wide a normal.

    The normal distribution is truncated. Glorot and Bengio 2010.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = float32,
) -> Callable[..., Any]:
    """Return an initializer whose variance is about factor over the fan of mode.

    mode is "FAN_IN", "FAN_OUT" or "FAN_AVG", else DTypeError is raised. Normal numbers are
    truncated; uniform ones lie in +-sqrt(3 * factor / fan). He et al. 2015.
    """
    if not as_dtype(dtype).is_floating:
        raise DTypeError("Cannot create initializer for non-floating point type.")
    if mode not in {"FAN_IN", "FAN_OUT", "FAN_AVG"}:
        raise DTypeError(
            f"Unknown mode {mode}: it is one of FAN_IN, FAN_OUT, FAN_AVG"
        )

    def initializer(
        shape: Any, dtype: Any = dtype, partition_info: Any = None
    ) -> Any:
        sizes = [int(x) for x in plain(list(shape))]
        fan_in, fan_out = init_ops.fans(sizes)
        fan = {"FAN_IN": fan_in, "FAN_OUT": fan_out}.get(mode, (fan_in + fan_out) / 2)
        if uniform:
            limit = math.sqrt(3.0 * factor / fan)
            return random.uniform(sizes, -limit, limit, dtype, seed)
        # 1.3 makes up for what is cut off of the normal distribution.
        stddev = math.sqrt(1.3 * factor / fan)
        return random.truncated_normal(sizes, 0.0, stddev, dtype, seed)

    return initializer
