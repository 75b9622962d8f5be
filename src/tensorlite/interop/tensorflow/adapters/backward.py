"""Gradients that TensorFlow has as operators: of pooling, layers and sparse tensors."""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter, Plain
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.gather import take
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import Shape, reshape, shape_of
from tensorlite.ops.control.differentiate import gradients
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.compare import logical_and, where
from tensorlite.ops.math.elementwise import sqrt
from tensorlite.ops.math.reduce import prod
from tensorlite.ops.ragged.variants import RaggedTensorToVariantGradient


def _by_example(name: str, place: int) -> Adapter:
    """Return what takes a tensor where the operator that replaced it takes its shape alone."""
    plain = Plain(name)

    def adapter(given: Given) -> Values:
        inputs: list[SymbolicTensor] = given.tensors
        shape = given.helper(Shape(dtypes.int32), inputs[place]).outputs[0]
        inputs[place] = shape
        return given.made(plain.operator(given), *inputs)

    return adapter


def _picked(given: Given) -> Values:
    """Return what lies where the greatest elements of windows were."""
    for name in ("ksize", "strides", "padding"):
        given.attribute(name)
    whole = given.typed("include_batch_in_index", bool)

    def picked(_: Tensor, flow: Tensor, places: Tensor) -> Tensor:
        sizes = shape_of(flow, places.dtype)
        if not whole:
            first = arange(sizes[0], dtype=places.dtype) * prod(sizes[1:])
            places = places + reshape(first, (-1, 1, 1, 1))
        return take(reshape(flow, (-1,)), places, axis=0)

    return given.composed(picked, *given.tensors)


def _normalised(given: Given) -> Values:
    """Return the gradients of normalised images, by all that they are made of."""
    epsilon = float(given.typed("variance_epsilon", (int, float)))
    scales = given.typed("scale_after_normalization", bool)

    def flows(
        x: Tensor, mean: Tensor, variance: Tensor, gamma: Tensor, dy: Tensor
    ) -> list[Tensor]:
        scale = 1.0 / sqrt(variance + epsilon)
        y = (x - mean) * (scale * gamma if scales else scale)
        dx, dmean, dvariance = gradients(y, [x, mean, variance], [dy])
        axes = (0, 1, 2)
        dgamma = sum_of(dy * (x - mean) * scale, axis=axes)
        shares = dgamma if scales else zeros_like(gamma)
        return [dx, dmean, dvariance, sum_of(dy, axis=axes), shares]

    return given.composed(flows, *given.tensors)


def _within(given: Given) -> Values:
    """Let through what flows to numbers of a range; its ends have no gradient."""
    if given.typed("axis", int) != -1:
        raise GraphDefError(
            f"{given.record}: a range for each slice is not supported; allowed is axis=-1"
        )

    def flows(dy: Tensor, x: Tensor, low: Tensor, high: Tensor) -> list[Tensor]:
        inside = logical_and(x >= low, x <= high)
        return [where(inside, dy, zeros_like(dy)), zeros_like(low), zeros_like(high)]

    return given.composed(flows, *given.tensors)


def _of_ragged(given: Given) -> Values:
    op = RaggedTensorToVariantGradient(given.dtype("Tvalues"))
    given.dtype("Tsplits")
    return given.made(op, *given.tensors)


BACKWARD: dict[str, Adapter] = {
    "BatchNormWithGlobalNormalizationGrad": _normalised,
    "Conv2DBackpropFilterV2": _by_example("Conv2DBackpropFilter", 1),
    "Conv2DBackpropInputV2": _by_example("Conv2DBackpropInput", 0),
    "Conv3DBackpropFilter": _by_example("Conv3DBackpropFilterV2", 1),
    "Conv3DBackpropInput": _by_example("Conv3DBackpropInputV2", 0),
    "MaxPoolGradGradWithArgmax": _picked,
    "QuantizeAndDequantizeV4Grad": _within,
    "RaggedTensorToVariantGradient": _of_ragged,
}
