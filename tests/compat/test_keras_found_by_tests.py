"""What TensorFlow's own tests of Keras found, in Keras 3.

What is expected is what TensorFlow 2.21 gives, or NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
layers: Any = keras.layers


@pytest.mark.parametrize("bound", ["clipnorm", "clipvalue", "global_clipnorm"])
def test_a_negative_bound_clips_nothing(bound: str) -> None:
    weight = tf.Variable([1.0, 2.0])
    keras.optimizers.SGD(0.5, **{bound: -1.0}).apply_gradients([(tf.ones(2), weight)])
    np.testing.assert_array_equal(weight, [0.5, 1.5])


def test_axes_of_products_are_whole_numbers() -> None:
    with pytest.raises(TypeError, match="should be a list or an int"):
        layers.Dot("a")
    with pytest.raises(ValueError, match="should contain two elements"):
        layers.Dot([1, 2, 3])
    with pytest.raises(ValueError, match="should be integers"):
        layers.Dot([1.0, 2])
    with pytest.raises(ValueError, match="list or tuple of sizes"):
        layers.Dot(1).compute_output_shape(1)


def test_a_function_tells_shapes_of_nested_shapes() -> None:
    layer = layers.Lambda(lambda x: (x[1]["a"], {"b": x[0]}))
    first, rest = layer.compute_output_shape(((10, 20), {"a": (10, 5)}))
    assert (tuple(first), tuple(rest["b"])) == ((10, 5), (10, 20))


def test_nodes_tell_tensors() -> None:
    x = keras.Input((4,))
    layer = layers.Dense(3)
    y = layer(x)
    (node,) = layer._inbound_nodes
    assert [id(t) for t in node.input_tensors] == [id(x)]
    assert [id(t) for t in node.output_tensors] == [id(y)]


def test_states_are_set_before_the_first_call() -> None:
    layer = layers.SimpleRNN(3, stateful=True)
    layer.build((2, 4, 5))
    layer.reset_states(np.full((2, 3), 1.5))
    np.testing.assert_array_equal(layer.states[0], np.full((2, 3), 1.5))
    with pytest.raises(ValueError, match="State 0 is incompatible"):
        layer.reset_states([np.ones((2, 4))])
