"""Cases of the activations and of the softmax."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.base import REALS, OpCase, any_shape, arrays

FAR = any_shape(0.1, 4.0)
"""Values away from zero, where straight pieces meet; `negative` turns them round."""


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    return np.logaddexp(x, np.zeros_like(x))


def negative(case: OpCase) -> OpCase:
    """Return a case of the same function over negative values."""
    return OpCase(
        f"{case.name}_negative",
        lambda x: case.fn(tl.negative(x)),
        lambda x: case.reference(-x),
        case.draw,
    )


def gelu(x: Any) -> Any:
    return (
        x
        * 0.5
        * (1 + np.vectorize(math.erf, otypes=[np.float64])(x * math.sqrt(0.5)))
    )


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


KINKED = (
    OpCase("relu", tl.nn.relu, lambda x: np.maximum(x, 0), FAR, ops=("ReluGrad",)),
    OpCase(
        "relu6",
        tl.nn.relu6,
        lambda x: np.clip(x, 0, 6),
        any_shape(4.0, 5.9),
        ops=("Relu6Grad",),
    ),
    OpCase(
        "relu6_beyond", tl.nn.relu6, lambda x: np.clip(x, 0, 6), any_shape(6.1, 9.0)
    ),
    OpCase(
        "leaky_relu",
        tl.nn.leaky_relu,
        lambda x: np.where(x > 0, x, x * 0.2),
        FAR,
        ops=("LeakyReluGrad",),
    ),
    OpCase(
        "elu",
        tl.nn.elu,
        lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1),
        FAR,
        ops=("EluGrad",),
    ),
    OpCase(
        "selu",
        tl.nn.selu,
        lambda x: (
            1.0507009873554805
            * np.where(x > 0, x, 1.6732632423543772 * (np.exp(np.minimum(x, 0)) - 1))
        ),
        FAR,
        ops=("SeluGrad",),
    ),
    OpCase(
        "hard_tanh", tl.nn.hard_tanh, lambda x: np.clip(x, -1, 1), any_shape(0.1, 0.9)
    ),
    OpCase("softsign", tl.nn.softsign, lambda x: x / (1 + np.abs(x)), FAR),
)

CASES = (
    *KINKED,
    *map(negative, KINKED),
    OpCase(
        "relu_integers",
        tl.nn.relu,
        lambda x: np.maximum(x, 0),
        any_shape(),
        REALS[:2],
    ),
    OpCase(
        "sigmoid", tl.nn.sigmoid, sigmoid, any_shape(-6.0, 6.0), ops=("SigmoidGrad",)
    ),
    OpCase(
        "log_sigmoid",
        tl.nn.log_sigmoid,
        lambda x: np.log(sigmoid(x)),
        any_shape(-6.0, 6.0),
    ),
    OpCase("softplus", tl.nn.softplus, softplus, any_shape(-6.0, 6.0)),
    OpCase("silu", tl.nn.silu, lambda x: x * sigmoid(x), any_shape()),
    OpCase("mish", tl.nn.mish, lambda x: x * np.tanh(softplus(x)), any_shape()),
    OpCase("gelu", tl.nn.gelu, gelu, any_shape(), rtol=1e-4),
    OpCase(
        "gelu_approximate",
        lambda x: tl.nn.gelu(x, approximate=True),
        lambda x: (
            0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        ),
        any_shape(),
        rtol=1e-4,
    ),
    OpCase(
        "hard_sigmoid",
        tl.nn.hard_sigmoid,
        lambda x: np.clip(x + 3, 0, 6) / 6,
        any_shape(-2.9, 2.9),
    ),
    OpCase(
        "hard_silu",
        tl.nn.hard_silu,
        lambda x: x * np.clip(x + 3, 0, 6) / 6,
        any_shape(-2.9, 2.9),
    ),
    OpCase("softmax", tl.nn.softmax, softmax, arrays((2, 3, 4))),
    OpCase(
        "softmax_axis",
        lambda x: tl.nn.softmax(x, axis=1),
        lambda x: softmax(x, 1),
        arrays((2, 3, 4)),
        needs_rank=True,
    ),
    OpCase(
        "log_softmax",
        tl.nn.log_softmax,
        lambda x: np.log(softmax(x)),
        arrays((2, 3, 4)),
    ),
    OpCase("softmax_empty", tl.nn.softmax, lambda x: x, arrays((2, 0))),
)
