"""Functions of what a layer has computed; activations.py gathers the names that programs use."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, deferring, named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras.src.losses import logits
from tensorlite.compat.v2.keras.src.saving import lookup
from tensorlite.ops.arrays.shape import shape_of


def linear(x: Any) -> Any:
    """Return what was given."""
    return x


@named("Relu")
def relu(
    x: Any,
    alpha: float = 0.0,
    max_value: float | None = None,
    threshold: float = 0.0,
    negative_slope: float | None = None,
    name: str | None = None,
) -> Any:
    """Return the greater of 0 and x, with a slope below, a ceiling and a threshold.

    Below threshold it is negative_slope (alpha is its older name) times x - threshold; max_value
    None is no ceiling.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.activations.relu(tf.constant([-2.0, 3.0, 9.0]), max_value=6.0).numpy().tolist()
    [0.0, 3.0, 6.0]
    """
    value = converted(x)
    slope = alpha if negative_slope is None else negative_slope
    if max_value == 6 and not (threshold or slope):
        return tl.nn.relu6(value)
    if threshold:
        low = slope * (value - threshold)
        made = tl.where(value > threshold, value, low)
    else:
        made = tl.nn.leaky_relu(value, slope) if slope else tl.nn.relu(value)
    return made if max_value is None else tl.minimum(made, float(max_value))


def over(function: Any, value: Any, axis: Any) -> Any:
    """Return what a function makes of the elements of one axis, of several or, by None, of all."""
    rank = len(value.shape)
    if axis is not None and not isinstance(axis, (tuple, list)):
        return function(value, axis=axis)
    last = [int(i) % rank for i in (range(rank) if axis is None else axis)]
    order = [*[i for i in range(rank) if i not in last], *last]
    moved = tl.permute_dims(value, tuple(order))
    sizes = shape_of(moved)
    made = function(tl.reshape(moved, [*sizes[: rank - len(last)], -1]), axis=-1)
    return tl.permute_dims(
        tl.reshape(made, sizes), tuple(int(i) for i in np.argsort(order))
    )


@deferring
def softmax(x: Any, axis: Any = -1) -> Any:
    """Return exp(x) divided by its sum along an axis, or along several.

    What it was made of is remembered, so that a loss of it is computed from logits.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.activations.softmax(tf.constant([[0.0, 0.0]])).numpy().tolist()
    [[0.5, 0.5]]
    """
    given = converted(x)
    return logits.remembered(over(nn.softmax, given, axis), given)


@deferring
def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + exp(-x)).

    What it was made of is remembered, so that a loss of it is computed from logits.
    """
    given = converted(x)
    return logits.remembered(nn.sigmoid(given), given)


@deferring
def log_softmax(x: Any, axis: Any = -1) -> Any:
    """Return the logarithm of the softmax along an axis, or along several."""
    return over(nn.log_softmax, converted(x), axis)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """Return x above 0, and alpha * (exp(x) - 1) below."""
    made = nn.elu(x)
    return made if alpha == 1.0 else tl.where(converted(x) > 0, made, alpha * made)


def gelu(x: Any, approximate: bool = False) -> Any:
    """Return x times the normal distribution's share below x, by a tanh if approximate."""
    return nn.gelu(x, approximate)


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """Return x above 0, and negative_slope * x below."""
    return nn.leaky_relu(x, negative_slope)


@named("exponential")
def exponential(x: Any, name: str | None = None) -> Any:
    """Return e to the power of x."""
    return tl.exp(converted(x))


@named("hard_sigmoid")
def hard_sigmoid(x: Any, name: str | None = None) -> Any:
    """Return the line x / 6 + 1 / 2, cut off at 0 and 1."""
    return tl.clip(converted(x) / 6.0 + 0.5, 0.0, 1.0)


@named("hard_sigmoid")
def hard_sigmoid_of_keras_2(x: Any, name: str | None = None) -> Any:
    """Return the line 0.2 x + 1 / 2, cut off at 0 and 1, which files of Keras 2 mean."""
    return tl.clip(0.2 * converted(x) + 0.5, 0.0, 1.0)


@named("mish")
def mish(x: Any, name: str | None = None) -> Any:
    """Return x * tanh(softplus(x)) (Misra, 2019)."""
    return tl.nn.mish(converted(x))


@named("celu")
def celu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """Return x above 0, and alpha * (exp(x / alpha) - 1) below."""
    t = converted(x)
    return tl.maximum(t, 0.0) + alpha * tl.expm1(tl.minimum(t, 0.0) / alpha)


@named("hard_silu")
def hard_silu(x: Any, name: str | None = None) -> Any:
    """Return x * clip(x / 6 + 1/2, 0, 1), also called hard swish."""
    t = converted(x)
    return t * tl.clip(t / 6.0 + 0.5, 0.0, 1.0)


@named("hard_tanh")
def hard_tanh(x: Any, name: str | None = None) -> Any:
    """Return x clipped to -1 ... 1."""
    return tl.clip(converted(x), -1.0, 1.0)


@named("log_sigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """Return the logarithm of the sigmoid, computed so that it stays finite."""
    return -tl.nn.softplus(-converted(x))


@named("tanh_shrink")
def tanh_shrink(x: Any, name: str | None = None) -> Any:
    """Return x - tanh(x)."""
    t = converted(x)
    return t - tl.tanh(t)


@named("squareplus")
def squareplus(x: Any, b: float = 4.0, name: str | None = None) -> Any:
    """Return (x + sqrt(x * x + b)) / 2, which is smooth where relu has its corner."""
    t = converted(x)
    return (t + tl.sqrt(tl.square(t) + b)) / 2.0


@deferring
def relu6(x: Any) -> Any:
    """Return the greater of 0 and x, 6 at most."""
    return nn.relu6(x)


@deferring
def selu(x: Any) -> Any:
    """Return x above 0 and a share of exp(x) - 1 below, by numbers that keep the variance."""
    return nn.selu(x)


@deferring
def softplus(x: Any) -> Any:
    """Return log(1 + exp(x)), computed so that it stays finite."""
    return nn.softplus(x)


@deferring
def softsign(x: Any) -> Any:
    """Return x / (1 + |x|)."""
    return nn.softsign(x)


@deferring
def silu(x: Any) -> Any:
    """Return x times its sigmoid, also called swish."""
    return nn.silu(x)


@deferring
def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent of x."""
    return nn.tanh(x)


hard_swish, swish = hard_silu, silu

KNOWN = {
    "linear": linear,
    "relu": relu,
    "softmax": softmax,
    "log_softmax": log_softmax,
    "elu": elu,
    "gelu": gelu,
    "leaky_relu": leaky_relu,
    "exponential": exponential,
    "hard_sigmoid": hard_sigmoid,
    "hard_sigmoid_of_keras_2": hard_sigmoid_of_keras_2,
    "celu": celu,
    "hard_silu": hard_silu,
    "hard_swish": hard_swish,
    "hard_tanh": hard_tanh,
    "log_sigmoid": log_sigmoid,
    "tanh_shrink": tanh_shrink,
    "squareplus": squareplus,
    "mish": mish,
    "relu6": relu6,
    "selu": selu,
    "sigmoid": sigmoid,
    "softplus": softplus,
    "softsign": softsign,
    "swish": swish,
    "silu": silu,
    "tanh": tanh,
}


def get(identifier: Any) -> Any:
    """Return the activation of a name or configuration, the function itself, or linear for None.

    InvalidArgumentError, a ValueError, is raised for names that are not known.
    """
    return (
        linear
        if identifier is None
        else lookup.found("activation", identifier, KNOWN)
    )


def serialize(activation: Any, use_legacy_format: bool = False) -> Any:
    """Return the name, or the configuration, from which `deserialize` makes the activation.

    use_legacy_format has no effect.
    """
    return lookup.serialized(activation)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False
) -> Any:
    """Return the activation of a name or configuration; custom_objects are looked up too.

    use_legacy_format has no effect.
    """
    with lookup.adding(custom_objects):
        return get(config)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
