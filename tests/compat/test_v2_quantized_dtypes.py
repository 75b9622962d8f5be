"""Quantized dtypes as TensorFlow's programs use them; the numbers are those of TensorFlow 2.21."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1

tf: Any = import_module("tensorlite.compat.v2")  # as its programs see it, untyped

X = [[-1.2, 0.0, 0.5], [1.0, 2.0, 3.7]]
HELD = [[0, 51, 77], [102, 153, 240]]


def test_dtypes_say_what_they_are() -> None:
    assert tf.quint8 in tf.dtypes.QUANTIZED_DTYPES
    assert tf.as_dtype(12) is tf.as_dtype("quint8") is tf.quint8
    assert tf.qint32.as_datatype_enum == 13
    assert tf.qint8.as_numpy_dtype == np.dtype([("qint8", np.int8)])
    assert (tf.qint16.size, tf.quint16.is_quantized, tf.qint8.is_integer) == (
        2,
        True,
        False,
    )


def test_numbers_are_quantized_and_come_back() -> None:
    found = tf.quantization.quantize(X, -1.0, 4.0, tf.quint8)
    assert type(found).__name__ == "QuantizeV2"
    assert found.output.dtype is tf.quint8
    assert found.output.numpy().tolist() == HELD
    assert repr(found.output[0]) == (
        "<tf.Tensor: shape=(3,), dtype=quint8, numpy=array([ 0, 51, 77], dtype=uint8)>"
    )
    back = tf.quantization.dequantize(*found)
    expected = [[-1.0, 0.0, 0.509804], [1.0, 2.0, 3.7058825]]
    np.testing.assert_allclose(back, expected, rtol=1e-6)
    assert tf.cast(found.output, tf.int32).numpy().tolist() == HELD
    assert tf.bitcast(found.output, tf.uint8).numpy().tolist() == HELD
    assert tf.constant([1, 2], tf.quint8).numpy().tolist() == [1, 2]
    assert tf.Variable(found.output).numpy().tolist() == HELD
    narrow = tf.quantization.dequantize(*found, dtype=tf.bfloat16)
    assert narrow.dtype is tf.bfloat16


def test_traced_functions_take_quantized_numbers() -> None:
    def there_and_back(x: Any) -> Any:
        held = tf.quantization.quantize(x, -1.0, 4.0, tf.qint8)
        return tf.quantization.dequantize(*held), held.output

    back, held = tf.function(there_and_back)(tf.constant(X))
    assert held.numpy().tolist() == [[-128, -77, -52], [-26, 25, 112]]
    np.testing.assert_allclose(back[1], [1.0, 2.0, 3.7058825], rtol=1e-6)


def test_quantized_numbers_are_joined_in_the_range_that_holds_all() -> None:
    held = tf.quantization.quantize(X, -1.0, 4.0, tf.quint8).output
    found = tf.quantization.quantized_concat(
        0, [held, held], [-1.0, -1.0], [4.0, 6.0]
    )
    assert found.output.dtype is tf.quint8
    assert found.output.numpy().tolist() == [[0, 36, 55], [72, 109, 171], *HELD]
    assert (found.output_min.numpy(), found.output_max.numpy()) == (-1.0, 6.0)


def test_gradients_of_rounded_numbers_have_operators() -> None:
    found = tf.quantization.fake_quant_with_min_max_vars_gradient(
        [1.0, 2.0, 3.0], [-7.0, 0.0, 9.0], -6.0, 6.0
    )
    assert [x.numpy().tolist() for x in found] == [[0.0, 2.0, 0.0], 1.0, 3.0]


@pytest.mark.parametrize("quantize", ["quantize", "quantize_v2"])
def test_graphs_hold_quantized_numbers(quantize: str) -> None:
    with tf1.Graph().as_default() as graph, tf1.Session() as session:
        x: Any = tf1.placeholder(tf1.float32, [2, 3])
        made: Any = getattr(tf1, quantize)(x, -1.0, 4.0, tf1.quint8, name="made")
        back = tf1.dequantize(made.output, made.output_min, made.output_max)
        assert made.output.name == "made:0"
        assert made.output.dtype is tf1.quint8
        held, _ = session.run([made.output, back], {x: X})
        assert held.dtype == np.uint8
        assert held.tolist() == HELD
        given = tf1.placeholder(tf1.quint8, [2], name="given")
        assert session.run(given, {given: [1, 2]}).tolist() == [1, 2]
        nodes = {node.name: node for node in graph.as_graph_def().node}
        definition = graph.as_graph_def()
    assert nodes["made"].op == "QuantizeV2"
    assert nodes["made"].attr["T"].type == nodes["given"].attr["dtype"].type == 12
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.import_graph_def(definition, name="")
        again: Any = tf1.get_default_graph().get_tensor_by_name("made:0")
        assert again.dtype is tf1.quint8
        assert session.run(again, {"Placeholder:0": X}).tolist() == HELD
