"""Keras' layers in graphs of version 1: names as TensorFlow 1.15.5 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
L: Any = tf.keras.layers


def rows() -> Any:
    return tf.placeholder(tf.float32, [None, 3], name="x")


def steps() -> Any:
    return tf.placeholder(tf.float32, [None, 5, 3], name="x")


def images() -> Any:
    return tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")


def volumes() -> Any:
    return tf.placeholder(tf.float32, [None, 4, 4, 4, 2], name="x")


def pair() -> Any:
    return [rows(), rows()]


CASES: list[tuple[Callable[[], Any], Callable[[], Any], str]] = [
    (lambda: L.Dense(2), rows, "dense/BiasAdd"),
    (lambda: L.Dense(2), steps, "dense/BiasAdd"),
    (lambda: L.Dense(2, activation="relu"), rows, "dense/Relu"),
    (lambda: L.Dense(2, activation="softmax"), rows, "dense/Softmax"),
    (lambda: L.Dense(2, activation="sigmoid"), rows, "dense/Sigmoid"),
    (lambda: L.Dense(2, activation="tanh"), rows, "dense/Tanh"),
    (lambda: L.Dense(2, activation="elu"), rows, "dense/Elu"),
    (lambda: L.Conv1D(2, 2), steps, "conv1d/BiasAdd"),
    (lambda: L.Conv2D(2, 2, activation="relu"), images, "conv2d/Relu"),
    (lambda: L.Conv2D(2, 2, use_bias=False), images, "conv2d/Conv2D"),
    (lambda: L.Conv3D(2, 2), volumes, "conv3d/BiasAdd"),
    (lambda: L.Conv2DTranspose(2, 2), images, "conv2d_transpose/BiasAdd"),
    (lambda: L.DepthwiseConv2D(2), images, "depthwise_conv2d/BiasAdd"),
    (lambda: L.SeparableConv2D(2, 2), images, "separable_conv2d/BiasAdd"),
    (L.MaxPooling2D, images, "max_pooling2d/MaxPool"),
    (L.AveragePooling2D, images, "average_pooling2d/AvgPool"),
    (L.GlobalMaxPooling1D, steps, "global_max_pooling1d/Max"),
    (L.GlobalAveragePooling2D, images, "global_average_pooling2d/Mean"),
    (L.Flatten, images, "flatten/Reshape"),
    (lambda: L.Reshape([3, 5]), steps, "reshape/Reshape"),
    (lambda: L.Permute([2, 1]), steps, "permute/transpose"),
    (lambda: L.RepeatVector(3), rows, "repeat_vector/Tile"),
    (lambda: L.Activation("relu"), rows, "activation/Relu"),
    (L.LeakyReLU, rows, "leaky_re_lu/LeakyRelu"),
    (lambda: L.Lambda(lambda x: x * 2), rows, "lambda/mul"),
    (L.ZeroPadding2D, images, "zero_padding2d/Pad"),
    (lambda: L.Cropping2D(1), images, "cropping2d/strided_slice"),
    (
        L.BatchNormalization,
        rows,
        "batch_normalization/batchnorm/add_1",
    ),
    (L.Masking, steps, "masking/mul"),
    (L.Add, pair, "add/add"),
    (L.Multiply, pair, "multiply/mul"),
    (L.Subtract, pair, "subtract/sub"),
    (L.Average, pair, "average/truediv"),
    (L.Concatenate, pair, "concatenate/concat"),
]


@pytest.mark.parametrize(("make", "given", "name"), CASES)
def test_what_a_layer_makes_has_its_name(
    make: Callable[[], Any], given: Callable[[], Any], name: str
) -> None:
    with tf.Graph().as_default() as graph:
        layer, x = make(), given()
        assert layer(x).name == f"{name}:0"
        first, rest = name.split("/", 1)
        assert layer(x).name == f"{first}_1/{rest}:0"
        made = {op.name for op in graph.get_operations()}
        assert {w.name for w in tf.global_variables()} == {
            f"{first}/{op[len(first) + 1 :].removesuffix('/Assign')}:0"
            for op in made
            if op.endswith("/Assign")
        }


def test_layers_are_numbered_and_placed_by_the_graph_that_is_built() -> None:
    for _ in range(2):
        with tf.Graph().as_default() as graph:
            x = rows()
            first = L.Dense(1)
            first(x)
            with tf.name_scope("s"):
                assert first(x).name == "s/dense/BiasAdd:0"
                assert L.Dense(2)(x).name == "s/dense_1/BiasAdd:0"
            with tf.variable_scope("v"):
                L.Dense(2)(x)
            assert [w.name for w in tf.global_variables()] == [
                "dense/kernel:0",
                "dense/bias:0",
                "s/dense_1/kernel:0",
                "s/dense_1/bias:0",
                "v/dense_2/kernel:0",
                "v/dense_2/bias:0",
            ]
            names = {op.name for op in graph.get_operations()}
            assert "dense/kernel/Initializer/random_uniform" in names
            assert "dense/bias/Initializer/zeros" in names
            assert "s/dense_1/MatMul" in names


def test_what_models_make_stands_below_their_names() -> None:
    with tf.Graph().as_default() as graph:
        model = tf.keras.Sequential(
            [L.Flatten(), L.Dense(4, activation="relu"), L.Dense(2)], name="net"
        )
        assert model(steps()).name == "net/dense_1/BiasAdd:0"
        names = {op.name for op in graph.get_operations()}
        assert {"net/flatten/Reshape", "net/dense/Relu"} <= names
        assert [w.name for w in tf.global_variables()] == [
            "net/dense/kernel:0",
            "net/dense/bias:0",
            "net/dense_1/kernel:0",
            "net/dense_1/bias:0",
        ]


NUMBERS = np.arange(8, dtype=np.float32).reshape(2, 2, 2, 1)


def normalized(trainable: bool = True, **kwargs: Any) -> list[Any]:
    """Return numbers normalized in training, and the averages of mean and variance then."""
    with tf.Graph().as_default(), tf.Session() as session:
        layer = tf.keras.layers.BatchNormalization(momentum=0.5, **kwargs)
        layer.trainable = trainable
        x = tf.placeholder(tf.float32, NUMBERS.shape)
        made = layer(x, training=True)
        session.run(tf.global_variables_initializer())
        first = session.run([made, *layer.updates], {x: NUMBERS})[0]
        return [first, *session.run([layer.moving_mean, layer.moving_variance])]


def test_variances_of_images_are_averaged_without_bias() -> None:
    _, mean, variance = normalized()
    np.testing.assert_allclose([mean, variance], [[1.75], [3.5]], rtol=1e-6)
    assert normalized(fused=False)[2] == pytest.approx(0.5 + np.var(NUMBERS) / 2)


@pytest.mark.parametrize("fused", [None, False])
def test_layers_that_are_not_trained_still_normalize_by_the_batch(fused: Any) -> None:
    made, mean, variance = normalized(False, fused=fused)
    wanted = (NUMBERS - 3.5) / np.sqrt(np.var(NUMBERS) + 1e-3)
    np.testing.assert_allclose(made, wanted, rtol=1e-5)
    assert (mean.item(), variance.item()) == (0.0, 1.0)


def test_a_fed_phase_says_whether_images_are_normalized_by_the_batch() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        layer = tf.keras.layers.BatchNormalization(momentum=0.5)
        x = tf.placeholder(tf.float32, NUMBERS.shape)
        made, phase = layer(x), tf.keras.backend.learning_phase()
        assert made.name == "batch_normalization/cond/Merge:0"
        session.run(tf.global_variables_initializer())
        used = session.run([made, *layer.updates], {x: NUMBERS, phase: False})[0]
        kept = session.run([layer.moving_mean, layer.moving_variance])
        session.run([made, *layer.updates], {x: NUMBERS, phase: True})
        moved = session.run([layer.moving_mean, layer.moving_variance])
    np.testing.assert_allclose(used, NUMBERS / np.sqrt(1.001), rtol=1e-5)
    np.testing.assert_allclose(kept, [[0.0], [1.0]])
    np.testing.assert_allclose(moved, [[1.75], [3.5]], rtol=1e-6)
