"""Gradients of products, convolutions and losses."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    expand_dims,
    reshape,
    shape,
    squeeze,
)
from tensorlite.compat.shared.elementwise import exp, negative
from tensorlite.compat.shared.linear.matrices import cross, matmul
from tensorlite.compat.shared.reductions import reduce_sum
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.derivatives.broadcasting import (
    are_alike,
    of_shapes,
    sizes_of,
)
from tensorlite.compat.v1.functions.nn_functions import log_softmax, softmax
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.core.dtypes import int64
from tensorlite.ops.linear.matmul import BatchMatMulV2, MatMul
from tensorlite.ops.math.flows import PreventGradient, ShapeN
from tensorlite.ops.nn.batch_norm import FusedBatchNormGradV3
from tensorlite.ops.nn.fractional_draws import (
    FractionalAvgPoolGrad,
    FractionalMaxPoolGrad,
)
from tensorlite.ops.nn.pool_argmax import MaxPoolGradWithArgmax

_NO_SECOND = (
    "Currently there is no way to take the second derivative of {} due to the fused "
    "implementation's interaction with tf.gradients()"
)
"""What TensorFlow's node says."""


@gradient_of("MatMul")
def _matmul(op: Any, dy: Any) -> Any:
    own = op.node.op
    return _products(MatMul, op.inputs, dy, own.transpose_a, own.transpose_b)


@gradient_of("Cross")
def _cross(op: Any, dy: Any) -> Any:
    x, y = op.inputs
    return cross(y, dy), cross(dy, x)


@gradient_of("BatchMatMulV2")
def _batch_matmul(op: Any, dy: Any) -> Any:
    own, (x, y) = op.node.op, op.inputs
    dx, dz = _products(BatchMatMulV2, op.inputs, dy, own.adj_x, own.adj_y)
    if are_alike(x, y):
        return dx, dz
    sx, sy = shape(x), shape(y)
    (_, over_x), (_, over_y) = of_shapes(sx[:-2], sy[:-2])
    return reshape(reduce_sum(dx, over_x), sx), reshape(reduce_sum(dz, over_y), sy)


def _products(kind: Any, inputs: Any, dy: Any, of_x: bool, of_y: bool) -> Any:
    """Return the gradients of a product of two matrices, which may be transposed before."""
    x, y = inputs

    def product(a: Any, b: Any, of_a: bool, of_b: bool) -> Any:
        return operator(kind(of_a, of_b), a, b, name="MatMul")

    dx = product(y, dy, of_y, True) if of_x else product(dy, y, False, not of_y)
    if of_y:
        return dx, product(dy, x, True, of_x)
    return dx, product(x, dy, not of_x, False)


@gradient_of("Conv2D")
def _convolution(op: Any, dy: Any) -> Any:
    own, (x, filters) = op.node.op, op.inputs
    of_x, of_filters = operator(ShapeN(), x, filters)
    dx = operator(own.sibling("BackpropInput"), of_x, filters, dy)
    return dx, operator(own.sibling("BackpropFilter"), x, of_filters, dy)


@gradient_of("DepthwiseConv2dNative")
def _depthwise(op: Any, dy: Any) -> Any:
    own, (x, filters) = op.node.op, op.inputs
    dx = operator(own.sibling("BackpropInput"), shape(x), filters, dy)
    return dx, operator(own.sibling("BackpropFilter"), x, shape(filters), dy)


@gradient_of("Conv2DBackpropInput")
def _convolved_back(op: Any, dy: Any) -> Any:
    own, (_, filters, flow) = op.node.op, op.inputs
    of_filters = operator(own.sibling("BackpropFilter"), dy, shape(filters), flow)
    return None, of_filters, operator(own.sibling(""), dy, filters)


@gradient_of("Conv2DBackpropFilter")
def _convolved_filters(op: Any, dy: Any) -> Any:
    own, (x, _, flow) = op.node.op, op.inputs
    dx = operator(own.sibling("BackpropInput"), shape(x), dy, flow)
    return dx, None, operator(own.sibling(""), x, dy)


@gradient_of("Conv3D")
def _volumes(op: Any, dy: Any) -> Any:
    own, (x, filters) = op.node.op, op.inputs
    dx = operator(own.sibling("Conv3DBackpropInputV2"), shape(x), filters, dy)
    to_filters = own.sibling("Conv3DBackpropFilterV2")
    return dx, operator(to_filters, x, shape(filters), dy)


@gradient_of("Conv3DBackpropInputV2")
def _volumes_back(op: Any, dy: Any) -> Any:
    own, (_, filters, flow) = op.node.op, op.inputs
    to_filters = own.sibling("Conv3DBackpropFilterV2")
    of_filters = operator(to_filters, dy, shape(filters), flow)
    return None, of_filters, operator(own.sibling("Conv3D"), dy, filters)


@gradient_of("Conv3DBackpropFilterV2")
def _volumes_filters(op: Any, dy: Any) -> Any:
    own, (x, _, flow) = op.node.op, op.inputs
    dx = operator(own.sibling("Conv3DBackpropInputV2"), shape(x), dy, flow)
    return dx, None, operator(own.sibling("Conv3D"), x, dy)


@gradient_of("AvgPool", "AvgPool3D")
def _mean_pool(op: Any, dy: Any) -> Any:
    own = op.node.op
    return operator(own.sibling(f"{own.name}Grad"), shape(op.inputs[0]), dy)


@gradient_of("Dilation2D")
def _dilation(op: Any, dy: Any) -> Any:
    own, (x, filters) = op.node.op, op.inputs
    kinds = ("BackpropInput", "BackpropFilter")
    return [operator(own.sibling(kind), x, filters, dy) for kind in kinds]


@gradient_of("FractionalMaxPool")
def _pooled_by_ratio(op: Any, dy: Any, *_: Any) -> Any:
    kind = FractionalMaxPoolGrad(op.node.op.overlapping)
    y, rows, columns = op.outputs
    return None, operator(kind, op.inputs[1], y, dy, rows, columns)


@gradient_of("FractionalAvgPool")
def _meant_by_ratio(op: Any, dy: Any, *_: Any) -> Any:
    kind = FractionalAvgPoolGrad(op.node.op.overlapping)
    x, (_, rows, columns) = op.inputs[1], op.outputs
    sizes = sizes_of(x)
    if sizes is None:
        own = shape(x, int64)
    else:
        title = f"{kind.name}/orig_input_tensor_shape"
        own = constant(sizes, int64, name=title)
    return None, operator(kind, own, dy, rows, columns)


@gradient_of("MaxPoolWithArgmax")
def _greatest_pool(op: Any, dy: Any, _: Any) -> Any:
    own = op.node.op
    options = (own.ksize, own.strides, own.padding, own.include_batch_in_index)
    kind = MaxPoolGradWithArgmax(*options)
    return operator(kind, op.inputs[0], dy, op.outputs[1])


@gradient_of("FusedBatchNormV3")
def _batch_norm(op: Any, dy: Any, *others: Any) -> Any:
    if any(one.op.type != "ZerosLike" for one in others):
        return NotImplemented
    own, (x, scale, _, *given) = op.node.op, op.inputs
    kind = FusedBatchNormGradV3(own.epsilon, own.data_format, own.is_training)
    moments = op.outputs[3:5] if own.is_training else given
    found = operator(kind, dy, x, scale, *moments, op.outputs[5])
    return found if own.is_training else found[:3]


@gradient_of("Softmax")
def _softmax(op: Any, dy: Any) -> Any:
    y = op.outputs[0]
    return (dy - reduce_sum(dy * y, -1, keepdims=True)) * y


@gradient_of("LogSoftmax")
def _log_softmax(op: Any, dy: Any) -> Any:
    odds = exp(op.outputs[0])
    return dy - reduce_sum(dy, -1, keepdims=True) * odds


def _are_of_one_shape(x: Any, y: Any) -> bool:
    """Return whether tensors have one shape, or may have, as far as is known of both."""
    a, b = x.shape.known(), y.shape.known()
    if a is None or b is None or len(a) != len(b):
        return a is b
    pairs = zip(a, b, strict=True)
    return all(m == n or (None in {m, n} and 1 not in {m, n}) for m, n in pairs)


@gradient_of("SoftmaxCrossEntropyWithLogits")
def _cross_entropy(op: Any, dloss: Any, dslope: Any) -> Any:
    logits, labels = op.inputs
    if not _are_of_one_shape(logits, labels):
        return NotImplemented
    dx = expand_dims(dloss, -1) * op.outputs[1]
    if dslope.op.type != "ZerosLike":
        shares = softmax(logits)
        total = matmul(expand_dims(dslope, 1), expand_dims(shares, 2))
        dx += (dslope - squeeze(total, axis=1)) * shares
    flow = negative(log_softmax(logits))
    return dx, expand_dims(dloss, -1) * flow


@gradient_of("CTCLoss")
def _sequences(op: Any, dloss: Any, _: Any) -> Any:
    message = _NO_SECOND.format("ctc_loss")
    slope = operator(PreventGradient(message), op.outputs[1])
    return expand_dims(dloss, -1) * slope, None, None, None


@gradient_of("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_cross_entropy(op: Any, dloss: Any, dslope: Any) -> Any:
    if dslope.op.type != "ZerosLike":
        return NotImplemented
    message = _NO_SECOND.format("sparse_softmax_cross_entropy_with_logits")
    slope = operator(PreventGradient(message), op.outputs[1])
    return expand_dims(dloss, -1) * slope
