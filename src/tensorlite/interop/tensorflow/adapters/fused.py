"""Layers as TensorFlow's optimiser writes them: a product, and what follows it, as one operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorlite.core.dispatch import call
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.shape import reshape
from tensorlite.ops.composite import composed
from tensorlite.ops.linear.matmul import MatMul
from tensorlite.ops.math.elementwise import rsqrt
from tensorlite.ops.math.trigonometric import tanh
from tensorlite.ops.nn import activations
from tensorlite.ops.nn.channels import BiasAdd
from tensorlite.ops.nn.conv import Conv2D, DepthwiseConv2dNative

_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "Elu": activations.elu,
    "GeluApproximate": lambda x: activations.gelu(x, approximate=True),
    "GeluExact": activations.gelu,
    "Relu": activations.relu,
    "Relu6": activations.relu6,
    "Sigmoid": activations.sigmoid,
    "Tanh": tanh,
}
_ALLOWED = "BiasAdd or FusedBatchNorm, and then LeakyRelu, " + ", ".join(_FUNCTIONS)


def _layer(kind: type[Op]) -> Adapter:
    """Return what reads a product with what was fused to it."""

    def adapter(given: Given) -> Values:
        known = given.record.attributes
        names = [name for name in kind.attribute_names() if name in known]
        own: dict[str, Any] = {name: given.attribute(name) for name in names}
        follow = _following(given, own.get("data_format", "NHWC"))
        for name in ("num_args", "TArgs", "num_host_args", "filter_format"):
            if name in known:
                given.attribute(name)
        op = kind(**own)

        def layer(x: Tensor, weights: Tensor, *rest: Tensor) -> Tensor:
            return follow(call(op, x, weights), rest)

        return given.composed(layer, *given.tensors)

    return adapter


def _following(
    given: Given, layout: str
) -> Callable[[Tensor, Sequence[Tensor]], Tensor]:
    """Return what is done to a product, with the other operands."""
    first, *functions = given.listed("fused_ops", str) or ("",)
    epsilon = float(given.typed("epsilon", (int, float)))
    slope = float(given.typed("leakyrelu_alpha", (int, float)))
    is_norm = first == "FusedBatchNorm"
    known: dict[str, Callable[[Tensor], Tensor]] = {
        **_FUNCTIONS,
        "LeakyRelu": partial(activations.leaky_relu, alpha=slope),
    }
    count = len(given.values) - 2
    if (
        (first != "BiasAdd" and not is_norm)
        or count != (4 if is_norm else 1)
        or not all(name in known for name in functions)
    ):
        raise GraphDefError(
            f"{given.record}: fused_ops={[first, *functions]} with {count} more inputs; allowed "
            f"are {_ALLOWED}, with a bias, or with scale, offset, mean and variance"
        )

    def follow(y: Tensor, rest: Sequence[Tensor]) -> Tensor:
        y = _normed(y, rest, epsilon, layout) if is_norm else _biased(y, rest, layout)
        for name in functions:
            y = known[name](y)
        return y

    return follow


def _biased(y: Tensor, rest: Sequence[Tensor], layout: str) -> Tensor:
    made: Tensor = composed(BiasAdd(layout), y, *rest)
    return made


def _normed(y: Tensor, rest: Sequence[Tensor], epsilon: float, layout: str) -> Tensor:
    shape = [1, -1, 1, 1] if layout == "NCHW" else [-1]
    scale, offset, mean, variance = [reshape(x, shape) for x in rest]
    return (y - mean) * (rsqrt(variance + epsilon) * scale) + offset


FUSED: dict[str, Adapter] = {
    "_FusedConv2D": _layer(Conv2D),
    "_FusedDepthwiseConv2dNative": _layer(DepthwiseConv2dNative),
    "_FusedMatMul": _layer(MatMul),
}
