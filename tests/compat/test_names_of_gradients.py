"""Gradients of version 1 have TensorFlow's nodes, as TensorFlow 1.15.5 names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tests.compat.test_names_of_nodes import ONE, SPARSE, images, rows

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""

GRADIENTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "bias_add": (
        lambda x: tf.nn.bias_add(tf.ones([2, 3]), x[0, 0, 0]),
        "gradients/BiasAdd_grad/BiasAddGrad",
    ),
    "lrn": (tf.nn.lrn, "gradients/LRN_grad/LRNGrad"),
    "fused_batch_norm": (
        lambda x: tf.nn.fused_batch_norm(x, ONE, ONE)[0],
        "gradients/FusedBatchNormV3_grad/FusedBatchNormGradV3",
    ),
    "max_pool": (
        lambda x: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        "gradients/MaxPool_grad/MaxPoolGrad",
    ),
    "leaky_relu": (tf.nn.leaky_relu, "gradients/LeakyRelu_grad/LeakyReluGrad"),
    "space_to_depth": (
        lambda x: tf.space_to_depth(x, 2),
        "gradients/SpaceToDepth_grad/DepthToSpace",
    ),
}


@pytest.mark.parametrize(("function", "expected"), GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_bear_the_names_of_what_they_are_of(
    function: Callable[[Any], Any], expected: str
) -> None:
    with tf.Graph().as_default() as graph:
        x = images()
        tf.gradients(function(x), x)
    kind = expected.rpartition("/")[2]
    assert graph.get_operation_by_name(expected).type == kind


def by(function: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return what differentiates a function of rows by them."""

    def differentiated() -> None:
        x = rows()
        tf.gradients(function(x), x)

    return differentiated


WRITTEN: dict[str, tuple[Callable[[], Any], str]] = {
    "rounded": (
        by(lambda x: tf.fake_quant_with_min_max_vars(x, 0.0, 1.0)),
        (
            "FakeQuantWithMinMaxVarsGradient:FakeQuantWithMinMaxVars_grad/"
            "FakeQuantWithMinMaxVarsGradient"
        ),
    ),
    "tanh": (by(tf.tanh), "TanhGrad:Tanh_grad/TanhGrad"),
    "sqrt": (by(tf.sqrt), "SqrtGrad:Sqrt_grad/SqrtGrad"),
    "square": (by(tf.square), "Mul:Square_grad/Mul Mul:Square_grad/Mul_1"),
    "add": (
        by(lambda x: x + ONE),
        (
            "BroadcastGradientArgs:add_grad/BroadcastGradientArgs Sum:add_grad/Sum "
            "Reshape:add_grad/Reshape"
        ),
    ),
    "divide": (
        by(lambda x: x / 2.0),
        (
            "BroadcastGradientArgs:truediv_grad/BroadcastGradientArgs "
            "RealDiv:truediv_grad/RealDiv Sum:truediv_grad/Sum Reshape:truediv_grad/Reshape "
            "Neg:truediv_grad/Neg RealDiv:truediv_grad/RealDiv_1 "
            "RealDiv:truediv_grad/RealDiv_2 Mul:truediv_grad/mul Sum:truediv_grad/Sum_1 "
            "Reshape:truediv_grad/Reshape_1"
        ),
    ),
    "reduce_mean": (
        by(tf.reduce_mean),
        "Reshape:Mean_grad/Reshape Tile:Mean_grad/Tile RealDiv:Mean_grad/truediv",
    ),
    "split": (
        by(lambda x: tf.split(x, 3, 1)[0]),
        "ZerosLike:zeros_like ZerosLike:zeros_like_1 ConcatV2:split_grad/concat",
    ),
    "matmul": (
        by(lambda x: tf.matmul(x, np.ones([3, 2], np.float32))),
        "MatMul:MatMul_grad/MatMul MatMul:MatMul_grad/MatMul_1",
    ),
    "concat": (
        by(lambda x: tf.concat([x, x], 1)),
        (
            "FloorMod:concat_grad/mod ConcatOffset:concat_grad/ConcatOffset "
            "Slice:concat_grad/Slice Slice:concat_grad/Slice_1 AddN:AddN"
        ),
    ),
    "sparse_softmax_cross_entropy": (
        by(
            lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=[0, 1, 2, 0], logits=x
            )
        ),
        (
            f"ZerosLike:zeros_like PreventGradient:{SPARSE}/{SPARSE}_grad/PreventGradient "
            f"ExpandDims:{SPARSE}/{SPARSE}_grad/ExpandDims Mul:{SPARSE}/{SPARSE}_grad/mul"
        ),
    ),
}
"""What is differentiated, and the nodes below "gradients" but for constants and the ones."""


@pytest.mark.parametrize(("function", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_gradients_are_written_as_tensorflow_writes_them(
    function: Callable[[], Any], expected: str
) -> None:
    with tf.Graph().as_default() as graph:
        function()
    below = [op for op in graph.get_operations() if op.name.startswith("gradients/")]
    made = [op for op in below if op.type not in ("Const", "Fill")]
    assert graph.get_operation_by_name("gradients/grad_ys_0").type == "Const"
    listed = " ".join(
        f"{op.type}:{op.name.removeprefix('gradients/')}" for op in made
    )
    kept = " ".join(x if ":" in x else f"{x}:{x}" for x in expected.split())
    assert listed == kept


def test_gradients_of_one_node_wait_for_each_other_in_name() -> None:
    with tf.Graph().as_default() as graph:
        w, b = tf.Variable(np.ones([3, 2], np.float32)), tf.Variable([1.0, 2.0])
        loss = tf.reduce_sum(tf.square(tf.matmul(rows(), w) + b))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        gate = graph.get_operation_by_name("gradients/MatMul_grad/tuple/group_deps")
        first = graph.get_tensor_by_name(
            "gradients/MatMul_grad/tuple/control_dependency_1:0"
        )
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            feed = {"x:0": np.ones([4, 3], np.float32)}
            found = session.run(first, feed)
            session.run(train, feed)
            changed = session.run([w, b])
    assert [op.name for op in gate.control_inputs] == [
        "gradients/MatMul_grad/MatMul",
        "gradients/MatMul_grad/MatMul_1",
    ]
    assert [op.name for op in first.op.control_inputs] == [gate.name]
    np.testing.assert_allclose(found, np.full([3, 1], 4.0) * [8, 10])
    np.testing.assert_allclose(changed[0], 1 - 0.1 * found, rtol=1e-6)
    np.testing.assert_allclose(changed[1], [1 - 3.2, 2 - 4.0], rtol=1e-6)


OF_ROWS: dict[str, Callable[[Any], Any]] = {
    "pow": lambda x: x**3.0 + 2.0**x,
    "minimum": lambda x: tf.minimum(x, x * x),
    "maximum": lambda x: tf.maximum(x, 1.0),
    "where": lambda x: tf.where(x > 1, x * x, -x),
    "quotient": lambda x: 1.0 / x - x / 3.0,
    "difference": lambda x: tf.squared_difference(x, [1.0, 2.0, 3.0]),
    "mean": lambda x: tf.square(tf.reduce_mean(x, 1)),
    "sum": lambda x: tf.square(tf.reduce_sum(x, [0, -1])),
    "max": lambda x: tf.square(tf.reduce_max(x, 0)),
    "tile": lambda x: tf.square(tf.tile(x, [2, 3])) * np.arange(9.0),
    "stack": lambda x: tf.stack([x, x * x], 1) ** 2.0,
    "unstack": lambda x: tf.unstack(x, 3, 1)[1] ** 2.0,
    "concat": lambda x: tf.concat([x, x * x], 1) ** 2.0,
    "gather": lambda x: tf.square(tf.gather(x, [1, 1, 0])),
    "gather_nd": lambda x: tf.square(tf.gather_nd(x, [[1], [1]])),
    "transpose": lambda x: tf.matmul(x, x, transpose_a=True) ** 2.0,
    "matmul": lambda x: tf.matmul(x, x, transpose_b=True) ** 2.0,
    "log_softmax": lambda x: tf.nn.log_softmax(x) ** 2.0,
    "softmax": lambda x: tf.nn.softmax(x) ** 2.0,
    "entropy": lambda x: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=tf.nn.softmax(-x), logits=x
    ),
    "logarithms": lambda x: tf.log(x) * tf.log1p(x) + tf.erf(x) * tf.rsqrt(x),
    "waves": lambda x: tf.sin(x) * tf.cos(x) + tf.nn.softplus(x) + tf.abs(-x),
    "roots": lambda x: tf.sinh(x) * tf.tan(x / 3.0) + tf.expm1(x) + tf.lgamma(x),
    "arcs": lambda x: (
        tf.asinh(x) + tf.acosh(x + 1.0) + tf.atan(x) + tf.atanh(x / 3.0)
    ),
    "angles": lambda x: tf.asin(x / 3.0) * tf.acos(x / 3.0) + tf.erfc(x) * tf.cosh(x),
    "bessel": lambda x: tf.math.bessel_i0e(x) * tf.math.bessel_i1e(x) + tf.digamma(x),
    "incomplete": lambda x: tf.igamma(1.5, x) + tf.igammac(2.0, x) + tf.zeta(3.0, x),
    "quotients": lambda x: tf.div_no_nan(x, x * x + 1.0) + tf.math.xlogy(x, x),
    "ratios": lambda x: tf.math.xdivy(x, x + 1.0) + tf.polygamma(1.0, x) + 7.1 % x,
    "slices": lambda x: tf.slice(x, [0, 1], [2, 2]) ** 2.0 + x[1:3, ::2] ** 2.0,
    "bordered": lambda x: tf.pad(x, [[1, 1], [0, 2]]) ** 2.0,
    "broadcast": lambda x: tf.broadcast_to(x, [2, 4, 3]) ** 2.0,
    "largest": lambda x: tf.nn.top_k(x, 2)[0] ** 2.0,
    "products": lambda x: tf.reduce_prod(x, 0) + tf.reduce_prod(x),
    "segments": lambda x: tf.segment_mean(x, [0, 0, 1, 1]) ** 2.0,
    "segment_sums": lambda x: tf.segment_sum(x, [0, 1, 1, 1]) ** 2.0,
    "groups": lambda x: tf.unsorted_segment_sum(x, [1, -1, 0, 1], 2) ** 2.0,
    "partitions": lambda x: tf.dynamic_partition(x, [1, 0, 0, 1], 2)[1] ** 2.0,
    "stitched": lambda x: tf.dynamic_stitch([[2, 1], [0]], [x[:2], x[3:]]) ** 2.0,
    "parts": lambda x: tf.betainc(1.5, 2.0, x / 3.0) + tf.atan2(x, x * x),
}
"""Functions of rows; the gradients of their sums are compared with differences."""


@pytest.mark.parametrize("shape", [[4, 3], [None, 3], None], ids=str)
@pytest.mark.parametrize("function", OF_ROWS.values(), ids=OF_ROWS)
def test_gradients_are_limits_of_differences(
    function: Callable[[Any], Any], shape: Any
) -> None:
    value = np.linspace(0.4, 2.1, 12).reshape(4, 3)[:, [1, 2, 0]]
    steps = np.eye(12).reshape(12, 4, 3) * 1e-6
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float64, shape)
        x = tf.identity(fed)
        if shape is None:
            x.set_shape([None, None])
        y = tf.reduce_sum(function(x))
        (dx,) = tf.gradients(y, x)
        found = session.run(tf.convert_to_tensor(dx), {fed: value})
        ahead = [session.run(y, {fed: value + step}) for step in steps]
        behind = [session.run(y, {fed: value - step}) for step in steps]
    slope = (np.array(ahead) - behind) / 2e-6
    np.testing.assert_allclose(found.ravel(), slope, rtol=1e-5, atol=1e-7)


TWICE: dict[str, tuple[Callable[[Any], Any], str, list[float]]] = {
    "tanh": (
        tf.tanh,
        "TanhGrad_grad/mul:Mul TanhGrad_grad/mul_2:Mul TanhGrad_grad/TanhGrad:TanhGrad",
        [-1.4757, 0.2229],
    ),
    "sigmoid": (
        tf.sigmoid,
        "SigmoidGrad_grad/mul_2:Mul SigmoidGrad_grad/sub:Sub",
        [-0.107, -0.1325],
    ),
    "sqrt": (
        tf.sqrt,
        "SqrtGrad_grad/truediv:RealDiv SqrtGrad_grad/Neg:Neg SqrtGrad_grad/mul_1:Mul",
        [-0.7607, -0.0564],
    ),
    "rsqrt": (
        tf.rsqrt,
        "RsqrtGrad_grad/Square:Square RsqrtGrad_grad/RsqrtGrad:RsqrtGrad",
        [-7.6073, -0.0995],
    ),
    "reciprocal": (
        tf.reciprocal,
        "ReciprocalGrad_grad/mul_2:Mul ReciprocalGrad_grad/ReciprocalGrad:ReciprocalGrad",
        [-74.0741, -0.4071],
    ),
}


@pytest.mark.parametrize(("function", "nodes", "third"), TWICE.values(), ids=TWICE)
def test_gradients_of_gradients(
    function: Callable[[Any], Any], nodes: str, third: list[float]
) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        first = tf.gradients(function(x), x)[0]
        second = tf.gradients(first * x, x)[0]
        assert second.name == "gradients_1/AddN:0"
        (last,) = tf.gradients(second, x)
        found = session.run(last, {x: [0.3, 1.7]})
        made = {
            f"{op.name.rpartition('_grad/')[0].rpartition('/')[2]}_grad/"
            f"{op.name.rpartition('/')[2]}:{op.type}"
            for op in graph.get_operations()
        }
    assert set(nodes.split()) <= made
    np.testing.assert_allclose(found, third, rtol=1e-3)


def test_hessians_are_a_loop_over_the_elements_of_a_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.reduce_sum(x**3.0) + x[0] * x[1]
        (made,) = tf.hessians(y, x)
        (flat,) = tf.hessians(tf.reduce_sum(x * 2.0), x)
        found, none = session.run([made, flat], {x: [1.0, 2.0]})
        again = session.run(made, {x: [1.0, 2.0, 3.0]})
    assert made.name == "Reshape_1:0"
    np.testing.assert_allclose(found, [[6.0, 1.0], [1.0, 12.0]], rtol=1e-5)
    np.testing.assert_allclose(none, np.zeros([2, 2]))
    np.testing.assert_allclose(np.diag(again), [6.0, 12.0, 18.0], rtol=1e-5)
