"""How many operations on floats the operators of a graph take, by TensorFlow's names and formulas.

What is told of a whole graph is in graph_mode/model_analysis.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """The shapes and attributes of one call of an operator."""

    inputs: list[Shape]
    output: Shape
    attribute: Callable[[str], Any]

    @property
    def made(self) -> int:
        """How many elements the operator makes."""
        return prod(self.output)


Formula = Callable[[Call], int]


def _for_each(count: int) -> Formula:
    return lambda call: count * call.made


def _for_each_given(call: Call) -> int:
    return prod(call.inputs[0])


def _reduction(call: Call) -> int:
    return prod(call.inputs[0]) - call.made


def _matmul(call: Call) -> int:
    left = call.inputs[0]
    transposed = call.attribute("transpose_a")
    return 2 * call.made * left[0 if transposed else 1]


def _batch_matmul(call: Call) -> int:
    left = call.inputs[0]
    return 2 * call.made * left[-2 if call.attribute("adj_x") else -1]


def _convolution(call: Call) -> int:
    return 2 * call.made * prod(call.inputs[1][:-1])


def _depthwise(call: Call) -> int:
    return 2 * call.made * prod(call.inputs[1][:2])


def _window(call: Call) -> int:
    return prod(call.attribute("ksize"))


def _pool(call: Call) -> int:
    return _window(call) * call.made


def _average_gradient(call: Call) -> int:
    return 2 * _window(call) * prod(call.inputs[1])


def _greatest_gradient(call: Call) -> int:
    return (_window(call) + 1) * prod(call.inputs[1])


def _convolved(call: Call, image: Shape, kernel: Shape) -> int:
    strides = call.attribute("strides")
    stride = int(strides[1] * strides[2])
    return 2 * prod(image) * prod(kernel) // (image[-1] * stride)


def _by_image(call: Call) -> int:
    return _convolved(call, call.output, call.inputs[1])


def _by_filter(call: Call) -> int:
    return _convolved(call, call.inputs[0], call.output)


_FORMULAS: dict[str, Formula] = {
    **dict.fromkeys(("Add", "AddV2", "Sub", "Mul", "RealDiv", "Pow"), _for_each(1)),
    **dict.fromkeys(("Maximum", "Minimum", "Equal", "NotEqual"), _for_each(1)),
    **dict.fromkeys(("Greater", "GreaterEqual", "Less", "LessEqual"), _for_each(1)),
    **dict.fromkeys(("Reciprocal", "Square", "Log", "Neg"), _for_each_given),
    **dict.fromkeys(("AssignAdd", "AssignSub", "BiasAdd"), _for_each_given),
    **dict.fromkeys(("Sum", "ArgMax", "ArgMin", "BiasAddGrad"), _reduction),
    **dict.fromkeys(("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"), _batch_matmul),
    **dict.fromkeys(("Conv2D", "Conv3D"), _convolution),
    **dict.fromkeys(("DepthwiseConv2dNative", "Dilation2D"), _depthwise),
    **dict.fromkeys(("AvgPool", "MaxPool"), _pool),
    "AddN": lambda call: call.made * (len(call.inputs) - 1),
    "AvgPoolGrad": _average_gradient,
    "Conv2DBackpropFilter": _by_filter,
    "Conv2DBackpropInput": _by_image,
    "L2Loss": lambda call: 3 * prod(call.inputs[0]) - 1,
    "MatMul": _matmul,
    "MaxPoolGrad": _greatest_gradient,
    "Mean": _for_each_given,
    "Rsqrt": _for_each(2),
    "RsqrtGrad": _for_each(4),
    "Softmax": _for_each(5),
    "SquaredDifference": _for_each(2),
}


def float_operations(operation: Any) -> int | None:
    """Return how many an operation of a graph takes; None where a shape is not known.

    0 for those that TensorFlow counts none of. Source: TensorFlow's `RegisterStatistics("flops")`.
    """
    formula = _FORMULAS.get(operation.type)
    if formula is None:
        return 0
    shapes = [_sizes(x) for x in (*operation.inputs, operation.outputs[0])]
    known = [x for x in shapes if x is not None]
    if len(known) < len(shapes):
        return None
    return formula(Call(known[:-1], known[-1], operation.get_attr))


def _sizes(tensor: Any) -> Shape | None:
    shape = tensor.shape
    if shape.rank is None or None in shape.as_list():
        return None
    return tuple(shape.as_list())
