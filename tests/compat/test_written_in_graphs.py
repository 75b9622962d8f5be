"""What is written into graphs node by node has TensorFlow 1.15's names and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1


def row(*shape: int) -> Any:
    return (np.arange(np.prod(shape), dtype=np.float32) * 7 % 5 / 4).reshape(shape)


def units(kind: Any, **kwargs: Any) -> Any:
    return kind(kernel_initializer="ones", recurrent_initializer="ones", **kwargs)


crf, losses, layers = tf.contrib.crf, tf.keras.losses, tf.keras.layers
PROGRAMS: dict[str, Callable[[], Any]] = {
    "apart": lambda: tf.nn.convolution(
        row(1, 5, 4, 2), row(2, 3, 2, 1), "SAME", dilation_rate=[2, 1]
    ),
    "each": lambda: tf.nn.depthwise_conv2d(
        row(1, 5, 4, 2), row(2, 2, 2, 1), [1, 1, 1, 1], "VALID", rate=[2, 2]
    ),
    "transposed": lambda: tf.nn.atrous_conv2d_transpose(
        row(1, 3, 3, 1), row(2, 2, 2, 1), [1, 5, 5, 2], 2, "VALID"
    ),
    "line": lambda: tf.nn.conv1d_transpose(row(1, 3, 2), row(2, 1, 2), [1, 6, 1], 2),
    "layer": lambda: tf.layers.conv2d(
        row(1, 5, 5, 1),
        1,
        2,
        dilation_rate=2,
        kernel_initializer=tf.ones_initializer(),
    ),
    "tags": lambda: crf.crf_decode(
        tf.constant(row(2, 3, 3)), tf.constant(row(3, 3)), tf.constant([3, 1])
    )[1],
    "likely": lambda: crf.crf_log_likelihood(
        tf.constant(row(2, 3, 3)),
        tf.constant([[0, 1, 2], [2, 1, 0]]),
        tf.constant([3, 2]),
        tf.constant(row(3, 3)),
    )[0],
    "hinge": lambda: losses.Hinge()(
        tf.constant([[0.0, 1.0]]), tf.constant(row(1, 2)), sample_weight=[2.0]
    ),
    "classes": lambda: losses.CategoricalCrossentropy(label_smoothing=0.1)(
        tf.constant([[0.0, 1.0]]), tf.constant([[0.25, 0.75]])
    ),
    "huber": lambda: losses.Huber(reduction="sum")(
        tf.constant([[0.0, 3.0]]), tf.constant(row(1, 2))
    ),
    "directions": lambda: losses.CosineSimilarity()(
        tf.constant([[1.0, 3.0]]), tf.constant([[2.0, 1.0]])
    ),
    "selu": lambda: layers.Activation("selu")(tf.constant([[-1.0, 2.0]])),
    "norm": lambda: layers.LayerNormalization()(tf.constant(row(2, 3))),
    "lstm": lambda: units(layers.LSTM, units=2)(tf.constant(row(2, 3, 2)) - 1),
    "gru": lambda: units(layers.GRU, units=2, go_backwards=True)(
        tf.constant(row(2, 3, 2)) - 1
    ),
    "steps": lambda: units(layers.SimpleRNN, units=1, return_sequences=True)(
        tf.constant(row(1, 3, 2)) - 1
    ),
    "larger": lambda: layers.UpSampling2D((1, 2))(tf.constant(row(1, 2, 2, 1))),
    "normal": lambda: tf.contrib.distributions.MultivariateNormalDiag(
        [1.0, 2.0], [1.0, 3.0]
    ).log_prob([0.0, 1.0]),
}
WANTED = {
    "apart": (
        "convolution/BatchToSpaceND:0",
        [
            0.875,
            1.375,
            0.9375,
            0.9375,
            2.125,
            4.0,
            2.625,
            1.6875,
            1.125,
            2.875,
            4.0,
            2.125,
            1.375,
            2.375,
            2.875,
            3.1875,
            1.125,
            0.9375,
            0.9375,
            0.5,
        ],
    ),
    "each": (
        "depthwise/BatchToSpaceND:0",
        [
            1.125,
            0.75,
            1.1875,
            0.625,
            1.6875,
            1.1875,
            1.125,
            0.75,
            1.0,
            1.625,
            1.6875,
            1.1875,
        ],
    ),
    "transposed": (
        "atrous_conv2d_transpose/BatchToSpaceND:0",
        [
            0.0,
            0.0,
            0.0,
            0.25,
            0.0,
            0.5,
            0.5,
            0.125,
            1.0,
            0.25,
            0.0,
            0.125,
            0.0,
            0.375,
            0.25,
            0.0625,
            0.75,
            0.1875,
            0.0,
            0.0,
            0.0,
            0.25,
            0.375,
            0.5,
            1.25,
            0.25,
            1.25,
            0.75,
            0.75,
            1.0625,
            0.1875,
            0.0,
            0.5625,
            0.0,
            0.125,
            0.25,
            0.375,
            0.75,
            0.0,
            0.0,
            0.375,
            0.0,
            0.75,
            0.0,
            0.4375,
            0.5,
            0.5,
            1.0,
            0.125,
            0.25,
        ],
    ),
    "line": ("conv1d_transpose/Squeeze:0", [0.25, 0.125, 0.125, 1.0625, 0.0, 0.75]),
    "layer": ("conv2d/BiasAdd:0", [2.0, 1.5, 3.5, 2.0, 1.5, 3.5, 2.0, 1.5, 3.5]),
    "tags": ("Max:0", [4.5, 0.75]),
    "likely": ("sub_2:0", [-4.561610221862793, -2.1288700103759766]),
    "hinge": ("hinge/weighted_loss/value:0", [1.5]),
    "classes": (
        "categorical_crossentropy/weighted_loss/value:0",
        [0.3426100015640259],
    ),
    "huber": ("huber_loss/weighted_loss/Sum:0", [2.0]),
    "directions": ("cosine_similarity/weighted_loss/value:0", [0.7071099877357483]),
    "selu": ("activation/mul_1:0", [-1.1113300323486328, 2.1013998985290527]),
    "norm": (
        "layer_normalization/batchnorm/add_1:0",
        [
            -1.2210899591445923,
            0.0,
            1.2210899591445923,
            -0.26589998602867126,
            1.3294899463653564,
            -1.0635900497436523,
        ],
    ),
    "lstm": (
        "lstm/strided_slice_7:0",
        [
            -0.06414999812841415,
            -0.06414999812841415,
            -0.04408000037074089,
            -0.04408000037074089,
        ],
    ),
    "gru": (
        "gru/strided_slice_12:0",
        [
            -0.9051499962806702,
            -0.9051499962806702,
            -0.5854700207710266,
            -0.5854700207710266,
        ],
    ),
    "steps": (
        "simple_rnn/transpose_1:0",
        [-0.9051499962806702, -0.9295600056648254, -0.9747400283813477],
    ),
    "larger": (
        "up_sampling2d/resize/ResizeNearestNeighbor:0",
        [0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 0.25, 0.25],
    ),
    "normal": ("MultivariateNormalDiag/log_prob/add:0", [-3.492039918899536]),
}
"""Names and values of results, as TensorFlow 1.15 gives them."""


@pytest.mark.parametrize("key", PROGRAMS)
def test_what_is_written_has_the_names_and_values_of_tensorflow_1(key: str) -> None:
    name, values = WANTED[key]
    with tf.Graph().as_default(), tf.Session() as session:
        made = PROGRAMS[key]()
        session.run(tf.global_variables_initializer())
        assert made.name == name
        np.testing.assert_allclose(
            np.ravel(session.run(made)), values, rtol=1e-4, atol=1e-5
        )


def test_results_of_steps_may_have_another_dtype_than_states() -> None:
    class Places(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc]
        state_size = output_size = 2

        def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
            after = state + inputs
            return tf.cast(tf.stack([tf.argmax(after, 1)] * 2, 1), tf.int32), after

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[[1.0, 0.0], [0.0, 3.0]]])
        made, last = tf.nn.dynamic_rnn(
            Places(), x, initial_state=tf.zeros([1, 2]), dtype=tf.int32
        )
        assert (made.dtype, last.dtype) == (tf.int32, tf.float32)
        assert session.run(made).tolist() == [[[0, 0], [1, 1]]]


@pytest.mark.parametrize(
    ("way", "name"),
    [
        ("DEFAULT", "gradients/AddN:0"),
        ("EXPERIMENTAL_TREE", "gradients/x_gradient_sum/AddN_1:0"),
        ("EXPERIMENTAL_ACCUMULATE_N", "gradients/AccumulateNV2:0"),
    ],
)
def test_gradients_are_added_up_in_the_way_asked_for(way: str, name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([2.0], name="x")
        y = x * x * tf.exp(x)
        found = tf.gradients(
            y, x, aggregation_method=getattr(tf.AggregationMethod, way)
        )[0]
        assert found.name == name
        np.testing.assert_allclose(session.run(found), [8 * np.exp(2)], rtol=1e-5)


def _example(places: list[int], values: list[float]) -> bytes:
    made = tf.train.Example()
    made.features.feature["i"].int64_list.value.extend(places)
    if values:
        made.features.feature["v"].float_list.value.extend(values)
    return bytes(made.SerializeToString())


def test_sparse_features_are_merged_of_what_is_read() -> None:
    texts = [_example([3, 1], [1.0, 2.0]), _example([], []), _example([0], [5.0])]
    feature = tf.SparseFeature("i", "v", tf.float32, 5)
    with tf.Graph().as_default(), tf.Session() as session:
        found = tf.parse_example(texts, {"a": feature})["a"]
        alone = tf.parse_single_example(texts[0], {"a": feature})["a"]
        assert found.values.op.name == "SparseMerge/SparseReorder"
        indices, values, shape = session.run(found)
        assert indices.tolist() == [[0, 1], [0, 3], [2, 0]]
        assert (values.tolist(), shape.tolist()) == ([2.0, 1.0, 5.0], [3, 5])
        assert session.run(alone).indices.tolist() == [[1], [3]]


def test_examples_are_parsed_by_operators_that_tensorflow_1_has() -> None:
    asked = {
        "i": tf.VarLenFeature(tf.int64),
        "v": tf.FixedLenFeature([1], tf.float32, [7.0]),
    }
    with tf.Graph().as_default() as graph:
        many = tf.parse_example(tf.placeholder(tf.string, [None], "many"), asked)
        one = tf.parse_single_example(tf.placeholder(tf.string, [], "one"), asked)
        tf.identity(many["v"], name="v")
        tf.identity(one["i"].values, name="i")
        written = graph.as_graph_def()
    kinds = {node.op for node in written.node}
    assert {"ParseExample", "ParseSingleExample"} <= kinds
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(written, name="")
        text = _example([3, 1], [])
        fed = {"many:0": [text, text], "one:0": text}
        v, i = session.run(["v:0", "i:0"], fed)
    assert (v.tolist(), i.tolist()) == ([[7.0], [7.0]], [3, 1])


def test_the_sum_of_one_tensor_is_computed_with() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder("float32", [2])
        made = tf.add_n([x])
        assert made is x
        np.testing.assert_array_equal(session.run(made + 1.0, {x: [1, 2]}), [2, 3])
