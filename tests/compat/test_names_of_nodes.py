"""Graphs of version 1 have TensorFlow's nodes: types and names as TensorFlow 1.15.5 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""

ONE = np.ones(3, np.float32)
SPARSE = "SparseSoftmaxCrossEntropyWithLogits"


def images() -> Any:
    return tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")


def rows(name: str = "x") -> Any:
    return tf.placeholder(tf.float32, [4, 3], name=name)


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "bias_add": (lambda: tf.nn.bias_add(images(), ONE), "BiasAdd"),
    "xw_plus_b": (
        lambda: tf.nn.xw_plus_b(rows(), np.ones([3, 2], np.float32), ONE[:2]),
        "MatMul:xw_plus_b/MatMul BiasAdd:xw_plus_b",
    ),
    "lrn": (lambda: tf.nn.lrn(images(), 2), "LRN"),
    "fused_batch_norm": (
        lambda: tf.nn.fused_batch_norm(images(), ONE, ONE)[0],
        "FusedBatchNormV3",
    ),
    "layers_batch_normalization": (
        lambda: tf.layers.batch_normalization(images()),
        "FusedBatchNormV3:batch_normalization/FusedBatchNormV3",
    ),
    "layers_dense": (
        lambda: tf.layers.dense(rows(), 2),
        "MatMul:dense/MatMul BiasAdd:dense/BiasAdd",
    ),
    "crop_and_resize": (
        lambda: tf.image.crop_and_resize(images(), [[0.0, 0, 1, 1]], [0], [4, 4]),
        "CropAndResize",
    ),
    "extract_image_patches": (
        lambda: tf.image.extract_image_patches(
            images(), [1, 2, 2, 1], [1] * 4, [1] * 4, "SAME"
        ),
        "ExtractImagePatches",
    ),
    "squared_difference": (
        lambda: tf.squared_difference(rows(), rows("y")),
        "SquaredDifference",
    ),
    "div_no_nan": (
        lambda: tf.div_no_nan(rows(), rows("y")),
        "DivNoNan:div_no_nan",
    ),
    "xlogy": (lambda: tf.math.xlogy(rows(), rows("y")), "Xlogy"),
    "xdivy": (lambda: tf.math.xdivy(rows(), rows("y")), "Xdivy"),
    "where": (lambda: tf.where([True, False], [1, 2], [3, 4]), "Select"),
    "pad": (lambda: tf.pad(rows(), [[1, 1], [0, 0]]), "Pad"),
    "cross": (lambda: tf.cross(rows(), rows("y")), "Cross"),
    "diag": (lambda: tf.diag(rows()), "Diag"),
    "diag_part": (lambda: tf.diag_part(tf.diag(rows())), "Diag DiagPart"),
    "matrix_diag": (lambda: tf.matrix_diag(rows()), "MatrixDiag:diag"),
    "eye": (lambda: tf.eye(3), "MatrixDiag:eye/diag"),
    "eye_of_two_sizes": (
        lambda: tf.eye(3, 2),
        "MatrixSetDiag:eye/set_diag",
    ),
    "angle": (
        lambda: tf.angle(tf.complex(rows(), rows("y"))),
        "Complex Angle",
    ),
    "truncatediv": (lambda: tf.truncatediv([3], [2]), "TruncateDiv"),
    "truncatemod": (lambda: tf.truncatemod([3], [2]), "TruncateMod"),
    "rgb_to_hsv": (lambda: tf.image.rgb_to_hsv(images()), "RGBToHSV"),
    "hsv_to_rgb": (lambda: tf.image.hsv_to_rgb(images()), "HSVToRGB"),
    "space_to_batch_nd": (
        lambda: tf.space_to_batch_nd(images(), [2, 2], [[0, 0], [0, 0]]),
        "SpaceToBatchND",
    ),
    "zeros_like": (lambda: tf.zeros_like(rows()), ""),
    "ones_like": (lambda: tf.ones_like(rows()), "Fill:ones_like"),
    "zeros": (
        lambda: tf.zeros([tf.strings.length("a"), 4]),
        "StringLength Pack:zeros/packed Mul:zeros/mul Less:zeros/Less Fill:zeros",
    ),
    "slice": (
        lambda: tf.slice([1, 2], [tf.strings.length("a")], [1]),
        "StringLength Pack:Slice/begin Slice",
    ),
    "sigmoid_cross_entropy_with_logits": (
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=rows(), logits=rows()),
        (
            "GreaterEqual:logistic_loss/GreaterEqual Select:logistic_loss/Select "
            "Neg:logistic_loss/Neg Select:logistic_loss/Select_1 Mul:logistic_loss/mul "
            "Sub:logistic_loss/sub Exp:logistic_loss/Exp Log1p:logistic_loss/Log1p "
            "Add:logistic_loss"
        ),
    ),
    "sparse_softmax_cross_entropy_with_logits": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[0, 1, 2, 0], logits=rows()
        ),
        f"{SPARSE}:{SPARSE}/{SPARSE}",
    ),
    "in_top_k": (
        lambda: tf.nn.in_top_k(rows(), [0, 1, 2, 0], 1),
        "InTopKV2:in_top_k/InTopKV2",
    ),
    "Assert": (lambda: tf.Assert(True, [1]), "Assert:Assert/Assert"),
    "random_shuffle": (lambda: tf.random_shuffle(rows()), "RandomShuffle"),
    "multinomial": (
        lambda: tf.multinomial(rows(), 2),
        "Multinomial:multinomial/Multinomial",
    ),
    "conv1d": (
        lambda: tf.nn.conv1d(rows()[None], np.ones([3, 3, 4], np.float32), 1, "SAME"),
        (
            "StridedSlice:strided_slice ExpandDims:conv1d/ExpandDims "
            "ExpandDims:conv1d/ExpandDims_1 Conv2D:conv1d Squeeze:conv1d/Squeeze"
        ),
    ),
    "tensordot": (
        lambda: tf.tensordot(rows(), np.ones([3, 2], np.float32), 1),
        (
            "Transpose:Tensordot/transpose Reshape:Tensordot/Reshape "
            "Transpose:Tensordot/transpose_1 Reshape:Tensordot/Reshape_1 "
            "MatMul:Tensordot/MatMul Reshape:Tensordot"
        ),
    ),
    "clip_by_global_norm": (
        lambda: tf.clip_by_global_norm([rows()], 1.0),
        (
            "L2Loss:global_norm/L2Loss Pack:global_norm/stack Sum:global_norm/Sum "
            "Mul:global_norm/mul Sqrt:global_norm/global_norm "
            "RealDiv:clip_by_global_norm/truediv RealDiv:clip_by_global_norm/truediv_1 "
            "Minimum:clip_by_global_norm/Minimum Mul:clip_by_global_norm/mul "
            "IsFinite:clip_by_global_norm/IsFinite Select:clip_by_global_norm/Select "
            "Mul:clip_by_global_norm/mul_1 "
            "Identity:clip_by_global_norm/clip_by_global_norm/_0"
        ),
    ),
    "clip_by_norm": (
        lambda: tf.clip_by_norm(rows(), 1.0),
        (
            "Mul:clip_by_norm/mul Sum:clip_by_norm/Sum Greater:clip_by_norm/Greater "
            "Fill:clip_by_norm/ones_like Select:clip_by_norm/Select "
            "Sqrt:clip_by_norm/Sqrt Select:clip_by_norm/Select_1 Mul:clip_by_norm/mul_1 "
            "Maximum:clip_by_norm/Maximum RealDiv:clip_by_norm/truediv "
            "Identity:clip_by_norm"
        ),
    ),
    "stack": (lambda: tf.stack([1, 2]), ""),
    "fake_quant_with_min_max_args": (
        lambda: tf.fake_quant_with_min_max_args(rows()),
        "FakeQuantWithMinMaxArgs",
    ),
    "fake_quant_with_min_max_vars": (
        lambda: tf.fake_quant_with_min_max_vars(rows(), -1.0, 1.0),
        "FakeQuantWithMinMaxVars",
    ),
    "a cell": (
        lambda: tf.nn.rnn_cell.BasicRNNCell(4)(rows(), tf.zeros([4, 4])),
        (
            "ConcatV2:basic_rnn_cell/concat MatMul:basic_rnn_cell/MatMul "
            "BiasAdd:basic_rnn_cell/BiasAdd Tanh:basic_rnn_cell/Tanh"
        ),
    ),
}
"""What is called, and the nodes that it makes but for constants: type, and name if that differs.

The nodes were listed by `graph.get_operations()` of TensorFlow 1.15.5.
"""
VARIABLES = ("kernel", "bias", "gamma", "beta", "moving_mean", "moving_variance")


def nodes(graph: Any) -> str:
    listed = [
        op
        for op in graph.get_operations()
        if op.type not in ("Const", "Placeholder")
        and not any(part in op.name.split("/") for part in VARIABLES)
    ]
    return " ".join(
        op.type if op.type == op.name else f"{op.type}:{op.name}" for op in listed
    )


@pytest.mark.parametrize(("function", "expected"), CASES.values(), ids=CASES)
def test_nodes_are_those_of_tensorflow(
    function: Callable[[], Any], expected: str
) -> None:
    with tf.Graph().as_default() as graph:
        function()
    assert nodes(graph) == expected


def named_loss(loss: Callable[..., Any]) -> Any:
    return lambda: loss(rows("labels"), rows())


def contracted(shape: list[int | None], axes: Any) -> tuple[Any, Any]:
    """Return a contraction of counted numbers, and what NumPy makes of these."""
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(24.0).reshape(4, 3, 2) / 7
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float64, shape)
        found = session.run(tf.tensordot(fed, y, axes), {fed: x})
    return found, np.tensordot(x, y, axes)


@pytest.mark.parametrize("shape", [[2, 3, 4], [None, 3, 4], [None] * 3], ids=str)
@pytest.mark.parametrize(
    "axes", [1, [[2, 1], [0, 1]], [[-1], [0]], [[0], [-1]]], ids=str
)
def test_contractions_are_numpys(shape: list[int | None], axes: Any) -> None:
    found, wanted = contracted(shape, axes)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("shape", [[2, 3, 4], [None, 3, 4], None], ids=str)
@pytest.mark.parametrize("axes", [[[2, 1], [0, 1]], [[-1], [0]]], ids=str)
def test_axes_of_contractions_may_be_fed(shape: Any, axes: Any) -> None:
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(24.0).reshape(4, 3, 2) / 7
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float64, shape)
        told = tf.placeholder(tf.int32, [2, None])
        made = tf.tensordot(fed, y, told)
        (slope,) = tf.gradients(tf.reduce_sum(made), fed)
        found, slopes = session.run([made, slope], {fed: x, told: axes})
    np.testing.assert_allclose(found, np.tensordot(x, y, axes), rtol=1e-12)
    free = tuple(i for i in range(3) if i not in {a % 3 for a in axes[1]})
    whole = y.sum(axis=free)
    if len(axes[0]) == 1:
        np.testing.assert_allclose(slopes, np.broadcast_to(whole, x.shape))
    else:
        np.testing.assert_allclose(slopes, np.broadcast_to(whole.T, x.shape))


def test_what_is_cut_has_the_norm_asked_for() -> None:
    value = np.array([[3.0, 4.0], [0.0, 0.0], [0.3, 0.4]], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        rows_of = tf.IndexedSlices(x, tf.constant([0, 2, 1]), [4, 2])
        cut, norm = tf.clip_by_global_norm([x, None, rows_of], 1.0)
        made = [tf.clip_by_norm(x, 1.0, axes=[1]), cut[0], cut[2].values, norm]
        found = session.run(made, {x: value})
        spoilt = session.run(cut[0], {x: np.full([1, 2], np.inf, np.float32)})
    whole = np.sqrt(2 * np.sum(value**2))
    each = np.maximum(np.linalg.norm(value, axis=1, keepdims=True), 1)
    np.testing.assert_allclose(found[0], value / each, rtol=1e-6)
    for part in found[1:3]:
        np.testing.assert_allclose(part, value / whole, rtol=1e-6)
    np.testing.assert_allclose(found[3], whole, rtol=1e-6)
    assert cut[1] is None
    assert np.isnan(spoilt).all()


COUNTS: dict[str, tuple[Callable[[], Any], int]] = {
    "batch_normalization": (
        lambda: tf.layers.batch_normalization(images(), training=True),
        31,
    ),
    "batch_normalization of rows": (
        lambda: tf.layers.batch_normalization(rows(), training=True),
        41,
    ),
    "moments": (lambda: tf.nn.moments(images(), [0, 1, 2]), 9),
    "split": (lambda: tf.split(rows(), 3, 1), 4),
    "layers_conv1d": (lambda: tf.layers.conv1d(rows()[None], 4, 3), 27),
    "layers_conv2d_transpose": (
        lambda: tf.layers.conv2d_transpose(images(), 4, 3),
        44,
    ),
    "layers_dense of images": (lambda: tf.layers.dense(images(), 2), 27),
    "absolute_difference": (named_loss(tf.losses.absolute_difference), 35),
    "cosine_distance": (
        lambda: tf.losses.cosine_distance(rows(), rows(), axis=1),
        38,
    ),
    "hinge_loss": (named_loss(tf.losses.hinge_loss), 42),
    "huber_loss": (named_loss(tf.losses.huber_loss), 44),
    "log_loss": (named_loss(tf.losses.log_loss), 47),
    "mean_pairwise_squared_error": (
        named_loss(tf.losses.mean_pairwise_squared_error),
        63,
    ),
    "mean_squared_error": (named_loss(tf.losses.mean_squared_error), 34),
    "sigmoid_cross_entropy": (named_loss(tf.losses.sigmoid_cross_entropy), 43),
    "softmax_cross_entropy": (named_loss(tf.losses.softmax_cross_entropy), 65),
    "softmax_cross_entropy_with_logits_v2": (
        lambda: tf.nn.softmax_cross_entropy_with_logits_v2(rows(), rows()),
        33,
    ),
    "softmax_cross_entropy_with_logits": (
        lambda: tf.nn.softmax_cross_entropy_with_logits(labels=rows(), logits=rows()),
        34,
    ),
}
"""What is called, and how many operations TensorFlow 1.15.5 has then: seeds hang on that."""


@pytest.mark.parametrize(("function", "expected"), COUNTS.values(), ids=COUNTS)
def test_there_are_as_many_nodes_as_in_tensorflow(
    function: Callable[[], Any], expected: int
) -> None:
    with tf.Graph().as_default() as graph:
        function()
    assert len(graph.get_operations()) == expected


def test_a_softmax_cross_entropy_is_as_it_was_along_another_axis() -> None:
    labels = np.array([[1, 0, 0.5], [0, 1, 0.5]])
    logits = np.array([[3.0, 1, -1], [2, 0.5, 4]])
    with tf.Graph().as_default(), tf.Session() as session:
        loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels, logits, axis=0)
        found = session.run(loss)
    odds = np.exp(logits) / np.exp(logits).sum(0)
    np.testing.assert_allclose(found, -(labels * np.log(odds)).sum(0), rtol=1e-12)


ARGUMENTS: dict[str, tuple[Callable[[], Any], str]] = {
    "bias_add": (lambda: tf.nn.bias_add(images(), ONE), "BiasAdd/bias"),
    "clip_by_value": (
        lambda: tf.clip_by_value(rows(), 0.0, 1.0),
        "clip_by_value/Minimum/y clip_by_value/y",
    ),
    "gather": (lambda: tf.gather(rows(), [0]), "GatherV2/indices GatherV2/axis"),
    "concat": (
        lambda: tf.concat([rows(), ONE[None]], 0),
        "concat/values_1 concat/axis",
    ),
    "reduce_sum": (lambda: tf.reduce_sum(rows(), 1), "Sum/reduction_indices"),
    "strided_slice": (
        lambda: rows()[0],
        "strided_slice/stack strided_slice/stack_1 strided_slice/stack_2",
    ),
    "constant": (lambda: tf.constant(1.0) + rows(), "Const"),
}
"""What is called, and the names of constants that it makes, as TensorFlow 1.15.5 gives them."""


@pytest.mark.parametrize(("function", "expected"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_constants_bear_the_names_of_arguments(
    function: Callable[[], Any], expected: str
) -> None:
    with tf.Graph().as_default() as graph:
        function()
    listed = [op.name for op in graph.get_operations() if op.type == "Const"]
    assert sorted(listed) == sorted(expected.split())


def test_nodes_are_written_and_read_as_they_are() -> None:
    with tf.Graph().as_default() as graph:
        x = images()
        y = tf.nn.bias_add(tf.nn.lrn(x), ONE)
        y = tf.nn.fused_batch_norm(y, ONE, ONE)[0]
        tf.identity(tf.pad(y, [[0, 0], [1, 1], [0, 0], [0, 0]]), name="end")
        value = np.arange(384, dtype=np.float32).reshape(2, 8, 8, 3) / 100
        with tf.Session() as session:
            wanted = session.run("end:0", {x: value})
    message = graph.as_graph_def()
    kinds = [node.op for node in message.node if node.op != "Const"]
    norms = ["LRN", "BiasAdd", "FusedBatchNormV3"]
    assert kinds == ["Placeholder", *norms, "Pad", "Identity"]
    with tf.Graph().as_default() as again:
        tf.import_graph_def(message, name="")
        with tf.Session() as session:
            found = session.run("end:0", {"x:0": value})
    assert [op.type for op in again.get_operations() if op.type != "Const"] == kinds
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_fused_norms_train_as_tensorflows_do() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 1, 2, 1])
        y = tf.layers.batch_normalization(x, training=True, momentum=0.5, name="norm")
        (dx,) = tf.gradients(tf.reduce_sum(y * y * y), x)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        averages = {v.name: v for v in tf.global_variables()}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            feed = {x: np.array([1, 2, 3, 6], np.float32).reshape(2, 1, 2, 1)}
            found = session.run([y, dx], feed)
            session.run(updates, feed)
            kept = session.run(
                [averages["norm/moving_mean:0"], averages["norm/moving_variance:0"]]
            )
    np.testing.assert_allclose(
        found[0].ravel(), [-1.068892, -0.534446, 0.0, 1.603338], atol=1e-5
    )
    np.testing.assert_allclose(
        found[1].ravel(), [1.406273, -0.556270, -1.602881, 0.752877], atol=1e-4
    )
    np.testing.assert_allclose(kept, [[1.5], [2.833333]], rtol=1e-5)


CELLS: dict[str, tuple[Callable[[], Any], list[float]]] = {
    "LSTMBlockCell": (
        lambda: tf.contrib.rnn.LSTMBlockCell(2),
        [-0.04925, -0.02499, -0.02158, 0.04303],
    ),
    "LSTMBlockCell_that_is_clipped": (
        lambda: tf.contrib.rnn.LSTMBlockCell(2, use_peephole=True, cell_clip=0.3),
        [-0.0503, -0.02527, -0.02183, 0.04198],
    ),
    "GRUBlockCell": (
        lambda: tf.contrib.rnn.GRUBlockCell(2),
        [-0.18616, -0.12934, -0.27993, -0.10356],
    ),
}
"""Cells, and what their second step gives in TensorFlow 1.15.5."""


def counted(shape: list[int]) -> np.ndarray[Any, Any]:
    numbers = np.arange(np.prod(shape)).reshape(shape) % 7
    return (numbers / 7 - 0.4).astype(np.float32)


@pytest.mark.parametrize(("make", "expected"), CELLS.values(), ids=CELLS)
def test_a_step_of_a_cell_is_one_node(
    make: Callable[[], Any], expected: list[float]
) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(counted([2, 3]))
        cell = make()
        state = cell.zero_state(2, tf.float32)
        _, state = cell(x, state)
        y, _ = cell(x, state)
        steps = [
            op for op in graph.get_operations() if op.type == type(cell).__name__
        ]
        assert len(steps) == 2
        begun = [
            tf.assign(v, counted(v.get_shape().as_list()))
            for v in tf.trainable_variables()
        ]
        with tf.Session() as session:
            session.run(begun)
            np.testing.assert_allclose(session.run(y).ravel(), expected, atol=1e-5)
        kinds = [node.op for node in graph.as_graph_def().node]
    assert kinds.count(steps[0].type) == 2


def test_boxes_are_chosen_by_tensorflows_nodes() -> None:
    corners = [[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3], [0, 0, 0.1, 0.1]]
    boxes = np.array(corners, np.float32)
    scores = np.array([0.5, 0.9, 0.7, 0.05], np.float32)
    with tf.Graph().as_default() as graph:
        all_of = tf.constant(boxes), tf.constant(scores), 3, 0.5, 0.1
        tf.identity(tf.image.non_max_suppression(*all_of), name="some")
        padded = tf.image.non_max_suppression_padded(
            *all_of, pad_to_max_output_size=True
        )
        tf.identity(padded[0], name="padded")
        message = graph.as_graph_def()
    kinds = [node.op for node in message.node if node.op.startswith("NonMax")]
    assert kinds == ["NonMaxSuppressionV3", "NonMaxSuppressionV4"]
    with tf.Graph().as_default():
        tf.import_graph_def(message, name="")
        with tf.Session() as session:
            some, padded = session.run(["some:0", "padded:0"])
    assert (some.tolist(), padded.tolist()) == ([1, 2], [1, 2, 0])


def test_no_two_nodes_have_a_name() -> None:
    """Constants and results that get a call's names leave theirs to no other node."""
    with tf.Graph().as_default() as graph:
        keep = tf.placeholder(tf.float32, [])
        tf.nn.dropout(rows(), keep)
        tf.nn.dropout(rows(), 1.0 - keep)
        names = [node.name.lower() for node in graph.as_graph_def().node]
    assert len(set(names)) == len(names)


def test_names_that_graphs_are_asked_for_stand_in_the_scope_around() -> None:
    with tf.Graph().as_default() as graph, tf.name_scope("inside"):
        assert graph.unique_name("x", mark_as_used=False) == "inside/x"
        assert graph.unique_name("x") == "inside/x"
        assert graph.unique_name("x") == "inside/x_1"
