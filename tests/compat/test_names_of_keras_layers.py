"""Keras' layers in graphs of version 1: names as TensorFlow 1.15.5 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
