"""What functions of version 1 return has TensorFlow's names: those that 1.15.5 gives."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
image: Any = tf.image
ONES = np.ones([4, 3], np.float32)
FILTER = np.ones([3, 3, 3, 4], np.float32)


def rows(name: str = "x") -> Any:
    return tf.placeholder(tf.float32, [4, 3], name=name)


def one() -> Any:
    return tf.placeholder(tf.float32, [8, 8, 3], name="x")


def images() -> Any:
    return tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")


def labels() -> Any:
    return tf.placeholder(tf.int32, [4], name="l")


def sound() -> Any:
    return tf.placeholder(tf.float32, [2, 32], name="x")


def steps() -> Any:
    return tf.placeholder(tf.int32, [], name="step")


def table() -> Any:
    return tf.contrib.lookup.index_table_from_tensor(tf.constant(["a", "b"]))


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "flip": (lambda: image.flip_left_right(images()), "flip_left_right/ReverseV2"),
    "flip_up_down": (
        lambda: image.flip_up_down(images()),
        "flip_up_down/ReverseV2",
    ),
    "rot90": (lambda: image.rot90(one()), "rot90/cond/Merge"),
    "transpose": (lambda: image.transpose_image(one()), "transpose/transpose"),
    "central_crop": (lambda: image.central_crop(one(), 0.5), "central_crop/Slice"),
    "pad_to_bounding_box": (
        lambda: image.pad_to_bounding_box(images(), 1, 1, 12, 12),
        "pad_to_bounding_box/Pad",
    ),
    "crop_to_bounding_box": (
        lambda: image.crop_to_bounding_box(images(), 1, 1, 4, 4),
        "crop_to_bounding_box/Slice",
    ),
    "crop_or_pad": (
        lambda: image.resize_image_with_crop_or_pad(images(), 4, 12),
        "resize_image_with_crop_or_pad/control_dependency_1",
    ),
    "resize_with_pad": (
        lambda: image.resize_image_with_pad(images(), 4, 4),
        "resize_image_with_pad/pad_to_bounding_box/Pad",
    ),
    "resize_keeping": (
        lambda: image.resize_images(images(), [4, 6], preserve_aspect_ratio=True),
        "resize/ResizeBilinear",
    ),
    "standardization": (
        lambda: image.per_image_standardization(one()),
        "per_image_standardization/Identity",
    ),
    "brightness": (
        lambda: image.adjust_brightness(images(), 0.1),
        "adjust_brightness/Identity",
    ),
    "contrast": (
        lambda: image.adjust_contrast(images(), 0.1),
        "adjust_contrast/Identity",
    ),
    "hue": (lambda: image.adjust_hue(images(), 0.1), "adjust_hue/Identity"),
    "random_brightness": (
        lambda: image.random_brightness(images(), 0.1),
        "adjust_brightness/Identity",
    ),
    "random_flip": (
        lambda: image.random_flip_left_right(one()),
        "random_flip_left_right/Merge",
    ),
    "total_variation": (
        lambda: image.total_variation(images()),
        "total_variation/add",
    ),
    "psnr": (lambda: image.psnr(images(), images(), 1.0), "PSNR/Identity_3"),
    "yuv": (lambda: image.rgb_to_yuv(images()), "Tensordot"),
    "decode_image": (
        lambda: image.decode_image(tf.constant("a")),
        "decode_image/cond_jpeg/Merge",
    ),
    "non_max_suppression": (
        lambda: image.non_max_suppression(
            tf.placeholder(tf.float32, [5, 4]), tf.placeholder(tf.float32, [5]), 3
        ),
        "non_max_suppression/NonMaxSuppressionV3",
    ),
    "crelu": (lambda: tf.nn.crelu(rows()), "CRelu/Relu"),
    "atrous": (
        lambda: tf.nn.atrous_conv2d(images(), FILTER, 2, "SAME"),
        "convolution/BatchToSpaceND",
    ),
    "dilated": (
        lambda: tf.nn.convolution(images(), FILTER, "SAME", dilation_rate=[2, 2]),
        "convolution/BatchToSpaceND",
    ),
    "convolution": (
        lambda: tf.nn.convolution(images(), FILTER, "SAME"),
        "convolution",
    ),
    "erosion2d": (
        lambda: tf.nn.erosion2d(images(), FILTER[..., 0], [1] * 4, [1] * 4, "SAME"),
        "erosion2d/Neg_1",
    ),
    "log_poisson": (
        lambda: tf.nn.log_poisson_loss(rows("l"), rows()),
        "log_poisson_loss/sub",
    ),
    "weighted_moments": (
        lambda: tf.nn.weighted_moments(rows(), [0], ONES[:, :1]),
        "weighted_moments/Squeeze weighted_moments/Squeeze_1",
    ),
    "zero_fraction": (
        lambda: tf.nn.zero_fraction(rows()),
        "zero_fraction/fraction",
    ),
    "in_top_k": (lambda: tf.nn.in_top_k(rows(), labels(), 1), "in_top_k/InTopKV2"),
    "in_top_k named": (
        lambda: tf.nn.in_top_k(rows(), labels(), 1, name="top"),
        "top/top",
    ),
    "norm": (lambda: tf.norm(rows()), "norm/Squeeze"),
    "norm of rows": (lambda: tf.norm(rows(), axis=1, keepdims=True), "norm/Sqrt"),
    "norm of order 1": (lambda: tf.norm(rows(), 1, axis=1), "norm/Squeeze"),
    "sort": (lambda: tf.sort(rows()), "sort/Neg_1"),
    "sort falling": (lambda: tf.sort(rows(), direction="DESCENDING"), "sort/TopKV2"),
    "segment_mean": (
        lambda: tf.unsorted_segment_mean(rows(), [0, 0, 1, 1], 2),
        "UnsortedSegmentMean/truediv",
    ),
    "stft": (lambda: tf.signal.stft(sound(), 8, 4), "stft/rfft"),
    "frame": (lambda: tf.signal.frame(sound(), 8, 4), "frame/Reshape_4"),
    "hann_window": (lambda: tf.signal.hann_window(8), "hann_window/sub_2"),
    "cosine_decay": (
        lambda: tf.train.cosine_decay(0.1, steps(), 10),
        "CosineDecay/Mul_3",
    ),
    "piecewise_constant": (
        lambda: tf.train.piecewise_constant(steps(), [1], [0.1, 0.2]),
        "PiecewiseConstant/case/cond/Merge",
    ),
    "table": (
        lambda: table().lookup(tf.constant(["a"])),
        "hash_table_Lookup/LookupTableFindV2",
    ),
    "string_split": (
        lambda: tf.string_split(["a b"]).values,
        "StringSplit/StringSplit:1",
    ),
    "parse_example": (
        lambda: tf.parse_example(
            tf.placeholder(tf.string, [None], name="s"),
            {"x": tf.FixedLenFeature([2], tf.float32)},
        )["x"],
        "ParseExample/ParseExample",
    ),
    "parse_example named": (
        lambda: tf.parse_single_example(
            tf.constant("a"), {"x": tf.FixedLenFeature([2], tf.float32)}, name="read"
        )["x"],
        "read/read",
    ),
    "ctc_greedy_decoder": (
        lambda: tf.nn.ctc_greedy_decoder(
            tf.placeholder(tf.float32, [5, 4, 6]), [5] * 4
        )[1],
        "CTCGreedyDecoder:3",
    ),
    "random_flip of many": (
        lambda: image.random_flip_left_right(images()),
        "random_flip_left_right/add",
    ),
    "matrix_solve_ls": (
        lambda: tf.matrix_solve_ls(rows(), ONES[:, :1]),
        "matrix_solve_ls/cholesky_solve/MatrixTriangularSolve_1",
    ),
    "matrix_solve_ls slow": (
        lambda: tf.matrix_solve_ls(rows(), ONES[:, :1], fast=False),
        "MatrixSolveLs",
    ),
    "embedding of parts": (
        lambda: tf.nn.embedding_lookup([tf.zeros([2, 3]), tf.zeros([2, 3])], [0, 1]),
        "embedding_lookup/Reshape_1",
    ),
    "partitioned": (
        lambda: tf.convert_to_tensor(
            tf.get_variable("p", [4, 2], partitioner=tf.fixed_size_partitioner(2))
        ),
        "p",
    ),
    "pool": (lambda: tf.nn.pool(images(), [2, 2], "AVG", "SAME"), "avg_pool"),
    "sufficient_statistics": (
        lambda: tf.nn.sufficient_statistics(rows(), [0])[:3],
        (
            "sufficient_statistics/Const sufficient_statistics/mean_ss "
            "sufficient_statistics/var_ss"
        ),
    ),
    "foldl": (
        lambda: tf.foldl(lambda a, b: a + b, rows()),
        "foldl/while/Exit_2",
    ),
    "softmax": (lambda: tf.nn.softmax(rows(), axis=0), "transpose_1"),
    "log_softmax": (lambda: tf.nn.log_softmax(rows(), -2, "a"), "a"),
    "depthwise_conv2d": (
        lambda: tf.nn.depthwise_conv2d(images(), FILTER, [1] * 4, "SAME", [2, 2]),
        "depthwise/BatchToSpaceND",
    ),
    "batch_normalization": (
        lambda: tf.nn.batch_normalization(rows(), *[ONES[0]] * 4, 1e-3),
        "batchnorm/add",
    ),
    "group_norm": (
        lambda: tf.contrib.layers.group_norm(images(), 3),
        "GroupNorm/Reshape_2",
    ),
    "mean_iou": (
        lambda: tf.metrics.mean_iou(labels(), labels(), 3),
        "mean_iou/Select_1 mean_iou/AssignAdd",
    ),
    "zeros_of_gradients": (
        lambda: tf.gradients(rows() * 2, rows("y"), unconnected_gradients="zero"),
        "zeros_like",
    ),
    "custom_gradient": (
        lambda: tf.custom_gradient(lambda x: (x * 2, lambda dy: dy))(rows()),
        "IdentityN",
    ),
    "nth_element": (lambda: tf.contrib.nn.nth_element(rows(), 2), "NthElement"),
    "noisy_decay": (
        lambda: tf.train.noisy_linear_cosine_decay(0.1, steps(), 100),
        "NoisyLinearCosineDecay",
    ),
    "initialized_value": (
        lambda: tf.Variable(tf.zeros([2])).initialized_value(),
        "cond/Merge",
    ),
    "read_value": (lambda: tf.Variable(tf.zeros([2])).read_value(), "read"),
    "assert_equal": (lambda: tf.assert_equal(1, 1), "assert_equal/NoOp"),
    "assert_rank": (
        lambda: tf.assert_rank(rows(), 2),
        "assert_rank/static_checks_determined_all_ok",
    ),
    "assert_less": (
        lambda: tf.assert_less(rows(), rows("y")),
        "assert_less/Assert/AssertGuard/Merge",
    ),
    "assert_positive": (
        lambda: tf.assert_positive(rows()),
        "assert_positive/assert_less/Assert/AssertGuard/Merge",
    ),
}


def names_of(made: Any) -> list[str]:
    listed = made if isinstance(made, (list, tuple)) else [made]
    return [x.name.removesuffix(":0") for x in listed]


@pytest.mark.parametrize("what", CASES)
def test_results_have_tensorflows_names(what: str) -> None:
    make, wanted = CASES[what]
    with tf.Graph().as_default() as graph:
        made = make()
        assert names_of(made) == wanted.split()
        for x in made if isinstance(made, (list, tuple)) else [made]:
            assert graph.as_graph_element(x.name) is x


NAMED: dict[str, Callable[..., Any]] = {
    "square": lambda **k: tf.square(rows(), **k),
    "conv": lambda **k: tf.nn.conv2d(images(), FILTER, [1] * 4, "SAME", **k),
    "softmax": lambda **k: tf.nn.softmax(rows(), **k),
    "mean": lambda **k: tf.reduce_mean(rows(), **k),
    "cast": lambda **k: tf.cast(rows(), tf.int32, **k),
}


@pytest.mark.parametrize("what", NAMED)
def test_names_that_are_given_are_numbered_below_their_scope(what: str) -> None:
    make = NAMED[what]
    with tf.Graph().as_default():
        assert names_of([make(name="a"), make(name="a")]) == ["a", "a_1"]
        with tf.name_scope("s"):
            assert names_of([make(name="a"), make(name="a")]) == ["s/a", "s/a_1"]
            assert names_of(make(name="t/a/")) == ["t/a"]


def test_updates_of_normalizations_are_conditional_where_training_is_fed() -> None:
    with tf.Graph().as_default() as graph:
        training = tf.placeholder(tf.bool, [])
        rows_of_any_number = tf.placeholder(tf.float32, [None, 3])
        y = tf.layers.batch_normalization(rows_of_any_number, training=training)
        updates = graph.get_collection(tf.GraphKeys.UPDATE_OPS)
        assert names_of(updates) == [
            "batch_normalization/cond_2/Merge",
            "batch_normalization/cond_3/Merge",
        ]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            given = [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]
            session.run([y, updates], {rows_of_any_number: given, training: False})
            moving = [v for v in tf.global_variables() if "moving" in v.name]
            assert session.run(moving[0]).tolist() == [0.0] * 3
            session.run([y, updates], {rows_of_any_number: given, training: True})
            np.testing.assert_allclose(session.run(moving[0]), [0.02] * 3, rtol=1e-5)


def test_scopes_that_nobody_holds_last_until_they_are_left() -> None:
    with tf.Graph().as_default():
        tf.variable_scope("a").__enter__()
        tf.name_scope("b").__enter__()
        gc.collect()
        assert tf.get_variable("w", [2]).name == "a/w:0"
        assert names_of(tf.constant(1.0)) == ["a/b/Const"]


def test_queues_have_the_whole_names_of_their_nodes() -> None:
    with tf.Graph().as_default(), tf.name_scope("a"):
        queue = tf.FIFOQueue(2, [tf.float32], name="q")
        assert queue.name == "a/q"
        assert queue.enqueue([1.0]).name == "a/q_enqueue"


def test_softmax_along_other_axes_is_that_of_these() -> None:
    given = np.random.default_rng(7).normal(size=(2, 3, 4))
    powers = np.exp(given)
    with tf.Graph().as_default(), tf.Session() as session:
        axes = 0, 1, -2, -3
        found = session.run([tf.nn.softmax(given, axis=axis) for axis in axes])
    for axis, shares in zip(axes, found, strict=True):
        np.testing.assert_allclose(shares, powers / powers.sum(axis, keepdims=True))


def test_dropout_for_selu_keeps_means_and_deviations() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        given = np.random.default_rng(7).normal(size=(400, 50)).astype(np.float32)
        found = session.run(tf.contrib.nn.alpha_dropout(given, 0.9, seed=5))
        assert tf.contrib.nn.alpha_dropout(given, 1.0).op.type == "Const"
    np.testing.assert_allclose([found.mean(), found.std()], [0.0, 1.0], atol=0.03)


def test_pipelines_of_queues_name_their_parts_and_tell_how_full_they_are() -> None:
    with tf.Graph().as_default() as graph:
        names = tf.train.string_input_producer(["a", "b"], num_epochs=1)
        _, value = tf.TextLineReader().read(names)
        batch = tf.train.shuffle_batch([value], 4, 100, 10)
        pair = tf.train.slice_input_producer([[1, 2], [3, 4]], name="pairs")
        assert names_of([value, batch]) == ["ReaderReadV2:1", "shuffle_batch"]
        assert names_of(pair) == ["pairs/GatherV2", "pairs/GatherV2_1"]
        assert [v.name for v in tf.local_variables()] == [
            "input_producer/limit_epochs/epochs:0"
        ]
        told = graph.get_collection(tf.GraphKeys.SUMMARIES)
        assert names_of(told) == [
            "input_producer/fraction_of_32_full",
            "shuffle_batch/fraction_over_10_of_90_full",
            "pairs/input_producer/fraction_of_32_full",
        ]
        made = {op.name for op in graph.get_operations()}
        assert {
            "input_producer",
            "input_producer/input_producer_EnqueueMany",
            "input_producer/input_producer_Size",
            "shuffle_batch/random_shuffle_queue_enqueue",
            "pairs/input_producer_Dequeue",
        } <= made


def test_a_queue_tells_how_full_it_is_as_it_runs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.train.range_input_producer(8, capacity=16, shuffle=False)
        told = tf.summary.merge_all()
        session.run(queue.enqueue_many([[1, 2, 3, 4]]))
        summary = tf.Summary.FromString(session.run(told))
    assert summary.value[0].tag == "input_producer/fraction_of_16_full"
    assert summary.value[0].simple_value == 0.25


CELLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "basic": (lambda rnn: rnn.GRUCell(4), "enc/gru_cell/add"),
    "multi": (
        lambda rnn: rnn.MultiRNNCell([rnn.GRUCell(4)]),
        "enc/enc/multi_rnn_cell/cell_0/gru_cell/add",
    ),
    "dropout": (
        lambda rnn: rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob=0.5),
        "enc/dropout/mul_1",
    ),
}


@pytest.mark.parametrize("what", CELLS)
def test_cells_open_tensorflows_scopes(what: str) -> None:
    make, wanted = CELLS[what]
    with tf.Graph().as_default(), tf.variable_scope("enc"):
        cell = make(tf.nn.rnn_cell)
        made, _ = cell(rows(), cell.zero_state(4, tf.float32))
        assert names_of(made) == [wanted]
